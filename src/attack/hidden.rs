//! Hidden: bytes that belong to no part, and files of other formats before, after or inside the file.

use alloc::vec::Vec;

use super::attacks;
use super::base::range;
use super::forge::Forge;
use crate::annotate::PartKind;
use crate::rules::flatbuffer;
use crate::{FileKind, Span};

attacks! {
    /// Write random bytes into padding.
    preserves "hidden/padding" => |forge| {
        let base = forge.base;
        let gaps: Vec<Span> = base.gaps().collect();
        let gap = *forge.random.pick(&gaps)?;
        let at = range(gap);
        let mut bytes = base.bytes().get(at.clone())?.to_vec();
        forge.random.fill(&mut bytes);
        // Change at least the first byte, because an attack must change the file.
        bytes[0] = bytes[0].wrapping_add(u8::from(Some(&bytes[0]) == base.bytes().get(at.start)));
        forge.put("", at.start, &bytes)
    };
    /// Append random bytes to the file.
    preserves "hidden/trailing" => |forge| {
        let mut bytes = alloc::vec![0; 1 + forge.random.index(64)];
        forge.random.fill(&mut bytes);
        append(forge, &bytes)
    };
    /// Append a small file of another format.
    preserves "hidden/appended-format" => |forge| {
        let format = *forge.random.pick(&FORMATS)?;
        append(forge, format)
    };
    /// Prepend a small file of another format, so that readers of that format recognize the result.
    breaks "hidden/prepended-format": flatbuffer::FB_IDENTIFIER_EXACT => |forge| {
        forge.whole().filter(|frame| matches!(frame.kind, FileKind::Pte | FileKind::Ptd | FileKind::PtdLegacy | FileKind::Bpte))?;
        let format = *forge.random.pick(&FORMATS)?;
        let mut bytes = format.to_vec();
        bytes.resize(bytes.len().next_multiple_of(64), 0);
        forge.splice("identifier", 0, 0, &bytes)
    };
    /// Prepend the file's size in four bytes, as in a size-prefixed FlatBuffer.
    breaks "hidden/size-prefix": flatbuffer::FB_NOT_SIZE_PREFIXED => |forge| {
        forge.whole().filter(|frame| matches!(frame.kind, FileKind::Pte | FileKind::Ptd | FileKind::PtdLegacy | FileKind::Bpte))?;
        let len = u32::try_from(forge.base.bytes().len()).ok()?;
        forge.splice("", 0, 0, &len.to_le_bytes())
    };
    /// Overwrite the start of a segment with a small file of another format; readers treat most segments as opaque data.
    preserves "hidden/segment" => |forge| {
        let base = forge.base;
        let format = *forge.random.pick(&FORMATS)?;
        let (path, at) = forge.any(base.all(PartKind::Segment), |place, _| {
            let bytes = base.bytes().get(range(place.entry.span))?;
            // Skip XNNPACK blobs, whose headers readers check.
            let xnnpack = bytes.get(4..6).is_some_and(|magic| magic == b"XH" || magic == b"XN");
            (!bytes.starts_with(format) && !xnnpack && place.len() >= format.len()).then(|| (place.entry.path.clone(), place.at()))
        })?;
        forge.put(&path, at, format)
    };
}

/// The shortest files that readers of other formats recognize.
const FORMATS: [&[u8]; 6] = [
    // An empty ZIP archive's end record.
    b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    // A pickled list.
    b"\x80\x04]\x94.",
    b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
    b"%PDF-1.7\n%%EOF\n",
    b"#!/bin/sh\nexit 0\n",
    b"GIF89a\x01\0\x01\0\0\0\0;",
];

fn append(forge: &mut Forge<'_>, bytes: &[u8]) -> Option<()> {
    forge.whole().filter(|frame| frame.kind != FileKind::Unknown)?;
    let len = forge.base.bytes().len();
    forge.splice("", len, 0, bytes)
}

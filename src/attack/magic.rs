//! Magic: wrong identifiers, header magics and schema versions.

use super::attacks;
use super::base::{Base, Frame};
use super::forge::Forge;
use crate::FileKind;
use crate::annotate::PartKind;
use crate::rules::{bundled, flat_tensor, flatbuffer, program, ptd_header, pte_header};

attacks! {
    /// Change the version digits in a program's or data file's identifier.
    breaks "magic/identifier-version": flatbuffer::FB_IDENTIFIER_EXACT => |forge| identifier(forge, |magic, random| {
        magic[3] = *random.pick(b"03456789").unwrap_or(&b'0');
    });
    /// Replace the version digits in a program's or data file's identifier with letters.
    breaks "magic/identifier-letters": flatbuffer::FB_IDENTIFIER_EXACT => |forge| identifier(forge, |magic, random| {
        magic[2] = *random.pick(b"aAxZ").unwrap_or(&b'a');
        magic[3] = *random.pick(b"bBxZ").unwrap_or(&b'b');
    });
    /// Reverse the byte order of a program's or data file's identifier.
    breaks "magic/identifier-swapped": flatbuffer::FB_IDENTIFIER_EXACT => |forge| identifier(forge, |magic, _| {
        magic.reverse();
    });
    /// Set a program's or data file's identifier to zeros.
    breaks "magic/identifier-zero": flatbuffer::FB_IDENTIFIER_EXACT => |forge| identifier(forge, |magic, _| *magic = [0; 4]);
    /// Change the version digits in a bundled program's identifier.
    breaks "magic/bundled-version": bundled::BP_IDENTIFIER => |forge| {
        let frame = forge.whole().filter(|frame| frame.kind == FileKind::Bpte)?;
        let digits: &[u8; 2] = forge.random.pick(&[b"06", b"07", b"09", b"0x", b"80"])?;
        forge.put("identifier", frame.start + 6, digits)
    };
    /// Replace the identifier of the program in a bundle with that of another format.
    breaks "magic/bundled-program": bundled::BP_PROGRAM => |forge| {
        let frame = forge.base.frames().iter().copied().find(|frame| !frame.whole)?;
        let magic: &[u8; 4] = forge.random.pick(&[b"FT01", b"BP08", b"PK\x03\x04", b"\0\0\0\0"])?;
        forge.put("program.identifier", frame.start + 4, magic)
    };
    /// Change the version digits in a program's header magic.
    breaks "magic/program-header-version": pte_header::EH_MAGIC_EXACT => |forge| {
        let frame = headed(forge, FileKind::Pte)?;
        let digits: &[u8; 2] = forge.random.pick(&[b"01", b"10", b"99"])?;
        forge.put(&frame.path("header.magic"), frame.start + 10, digits)
    };
    /// Set a program's header magic to other letters, so that readers find neither a header nor a segment base.
    breaks "magic/program-header-letters": pte_header::EH_HEADERLESS_NO_DATA => |forge| {
        let frame = headed(forge, FileKind::Pte)?;
        super::offsets::with_bytes(forge, Base::program_frame)?;
        let magic: &[u8; 4] = forge.random.pick(&[b"EH00", b"ehxx", b"00he", b"eh0\0"])?;
        forge.put(&frame.path("header.magic"), frame.start + 8, magic)
    };
    /// Change the version digits in a data file's header magic.
    breaks "magic/data-header-version": ptd_header::FH_MAGIC_EXACT => |forge| {
        let frame = forge.base.data_frame()?;
        let digits: &[u8; 2] = forge.random.pick(&[b"00", b"02", b"10", b"99"])?;
        forge.put("header.magic", frame.start + 10, digits)
    };
    /// Set a data file's header magic to other letters, to zeros, or to the magic of a program.
    breaks "magic/data-header-letters": ptd_header::FH_REQUIRED => |forge| {
        let frame = forge.base.data_frame()?;
        let magic: &[u8; 4] = forge.random.pick(&[b"fh01", b"FHxx", b"10HF", b"\0\0\0\0", b"eh00"])?;
        forge.put("header.magic", frame.start + 8, magic)
    };
    /// Set a program's schema version to a future one.
    breaks "magic/program-schema-version": program::PROG_VERSION_ZERO => |forge| {
        forge.assign_any(FileKind::Pte, "Program", "version", |_, random| version(random))
    };
    /// Set a data file's schema version to a future one.
    breaks "magic/data-schema-version": flat_tensor::FT_VERSION => |forge| {
        let (kind, root) = match forge.base.data_frame()?.kind {
            FileKind::Ptd => (FileKind::Ptd, "FlatTensor"),
            _ => (FileKind::PtdLegacy, "LegacyFlatTensor"),
        };
        forge.assign_any(kind, root, "version", |_, random| version(random))
    };
    /// Change a bundled program's schema version, which readers ignore.
    preserves "magic/bundled-schema-version" => |forge| {
        let base = forge.base;
        let versions = base.column(FileKind::Bpte, "BundledProgram", "version", PartKind::Scalar);
        forge.set_any(versions, |_, random| Some(random.below(1 << 32)))
    };
}

fn version(random: &mut crate::random::Random) -> Option<u64> {
    Some(if random.one_in(2) { 1 } else { u64::from(u32::MAX) - random.below(8) })
}

fn identifier(forge: &mut Forge<'_>, change: impl FnOnce(&mut [u8; 4], &mut crate::random::Random)) -> Option<()> {
    let frame =
        forge.whole().filter(|frame| matches!(frame.kind, FileKind::Pte | FileKind::Ptd | FileKind::PtdLegacy))?;
    let mut magic: [u8; 4] = *forge.base.bytes().get(frame.start + 4..)?.first_chunk()?;
    change(&mut magic, &mut forge.random);
    forge.put("identifier", frame.start + 4, &magic)
}

fn headed(forge: &Forge<'_>, kind: FileKind) -> Option<Frame> {
    let frame = forge.frame(kind)?;
    forge.base.header(&frame, "length").map(|_| frame)
}

//! **Packing**: creates a file from its canonical JSON and the bytes of its segments.
//!
//! A specification is a JSON object as [`view`](torchproof::view) prints it, with the members `kind`, `header` and
//! `segments`, and one of `program`, `flat_tensor` and `bundled_program`. In each entry of `segments`, `data` specifies
//! the bytes:
//!
//! | `data` | the bytes |
//! |---|---|
//! | `{"file": PATH}` | the bytes of a file, optionally `len` bytes from `offset`; see [below](#files) |
//! | `{"hex": DIGITS}`, `{"base64": TEXT}` | the decoded bytes |
//! | `{"fill": DIGITS}` | the decoded bytes, repeated until the segment has `size` bytes |
//!
//! # Members
//!
//! Given values are written verbatim or rejected. Omitted values default to what the official writers emit.
//!
//! | member | given | omitted |
//! |---|---|---|
//! | `segments[i].offset` | the segment's position from the segment base | the next multiple of the larger of `alignment` and the default alignment, after all earlier segments |
//! | `segments[i].alignment` | only without `offset`: a power of two up to 64 KiB that divides the position from the segment base | 128; 16 in the legacy layout |
//! | `segments[i].size` | the number of bytes of `data` | computed |
//! | `segments[i].sha256` | the SHA-256 of `data` | not checked |
//! | `header` | `null`: no header | a header if a segment has bytes |
//! | `header.length` | the value of the length field | 32 in a program, 40 in a data file |
//! | `header.program_size` | the FlatBuffer is padded up to this end | no padding |
//! | `header.flatbuffer_offset` | the number of bytes before the FlatBuffer of a data file | 48 |
//! | `header.flatbuffer_size` | the FlatBuffer is padded up to this size | no padding |
//! | `header.segment_base_offset` | the segment base | the next multiple of 128 (16 in the legacy layout) and of every given `alignment` |
//! | `header.segment_data_size` | the segments are padded with zeros up to this size; 0 in a program means an unknown size | the size of the segments |
//! | `tensor_alignment` in a legacy root table | a power of two; any number if `header` is given | 16; 0 if `header` is given, as in a dump |
//! | `segments` in the root table | must equal the positions and sizes of the member `segments` | computed from the member `segments`; absent for an empty list |
//!
//! If the specification gives the end of the FlatBuffer, `pack` looks for an encoding that ends there: it tries
//! alignments from 16 bytes to 64 KiB for the blobs inside and, if the official encoding is too large, stores equal
//! parts only once.
//!
//! # Bundled programs
//!
//! `bundled_program.program` specifies the inner program, which [`PackOptions`] apply to. The outer FlatBuffer is
//! aligned as its schema requires, and has no header and no segments. Packing needs memory for several copies of the
//! program and for the JSON of all tables. Like every FlatBuffer, a bundled program must have less than 2 GiB.
//!
//! # Files
//!
//! A PATH is relative to the folder of [`PackOptions`], and leads outside it only with [`PackOptions::allow_outside`]:
//! otherwise, an untrusted specification could copy any of the user's files into the packed file.

mod error;
mod files;
mod fit;
mod header;
mod members;
mod options;
mod segment;
mod specification;

pub use error::SpecError;
pub use options::{MAX_SIZE, PackOptions};

use std::io::Read;

use serde_json::Value as Json;
use torchproof::FileKind;
use torchproof::Stage;
use torchproof::flatbuffer::tree::{FieldValue, TableTree};
use torchproof::pte::HeaderKind;
use torchproof_harness::disk::open::MAX_MODEL;

use crate::document::{Document, DocumentLayout, EditError, Outline, Segment, SegmentPlace};
use crate::document::{FLATBUFFER_LIMIT, number, usual_alignment};
use crate::page::size::Size;
use fit::fit;
use header::HeaderNumbers;
use segment::SegmentContext;
use specification::{INSIDE, Specification, root_member};

const MIN_BASE_ALIGNMENT: u64 = 16;
const TENSOR_ALIGNMENT: &str = "tensor_alignment";

/// Reads a specification as a stream.
///
/// The tables are kept in memory, and so is their JSON unless the file is a program. Files that contain segments are
/// read only when the document is written, but the files of an inner program are read at once.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::path::Path;
/// use torchproof_harness::disk::OverwritePolicy;
/// use torchproof_cli::document::pack::{PackOptions, read};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("small.ptd");
/// let json = br#"{ "kind": "ptd", "flat_tensor": { "named_data": [{ "key": "k", "segment_index": 0 }] },
/// "segments": [{ "data": { "hex": "0102" } }] }"#;
/// read(&json[..], &PackOptions::new(Path::new("")))?.save(&path, OverwritePolicy::Keep)?;
/// assert_eq!(torchproof::ptd::Ptd::open(&std::fs::read(&path)?)?.find(b"k")?.unwrap().bytes()?, [1, 2]);
/// # Ok(()) }
/// ```
pub fn read(json: impl Read, options: &PackOptions) -> Result<Document, SpecError> {
    let mut specification = Specification::read(json)?;
    match specification.program.take() {
        None => of_file(specification, options),
        Some(program) => of_bundle(specification.root, *program, options),
    }
}

fn of_bundle(tables: TableTree, program: Specification, options: &PackOptions) -> Result<Document, SpecError> {
    let inside = |error: SpecError| error.within(INSIDE);
    let mut program = of_file(program, options).map_err(inside)?;
    let len = program.outline().map_err(|error| inside(error.into()))?.len;
    if len >= FLATBUFFER_LIMIT {
        let message = format!("found a program of {}, expected less than {:#}", Size(len), Size(FLATBUFFER_LIMIT));
        return Err(SpecError::at(INSIDE, message));
    }
    let mut bundle = Document::bundle(tables, program).map_err(|error| inside(error.into()))?;
    expect_size(&mut bundle, options)?;
    Ok(bundle)
}

fn of_file(specification: Specification, options: &PackOptions) -> Result<Document, SpecError> {
    let Specification { kind, mut root, header, segments, .. } = specification;
    let mut layout = DocumentLayout::default();
    let numbers = match header {
        None => None,
        Some(Json::Null) if kind == FileKind::Pte => {
            layout.header = HeaderKind::Never;
            None
        }
        Some(header) => Some(HeaderNumbers::read(header, kind).map_err(|error| error.within("header"))?),
    };
    let alignment = options.segment_alignment.unwrap_or(usual_alignment(kind));
    // Use the larger alignment: a smaller one would misalign the segments, or make the base break a should-rule.
    layout.base.alignment = alignment.max(MIN_BASE_ALIGNMENT);
    layout.inline_alignment = options.inline_alignment.unwrap_or(layout.inline_alignment);
    // A dump of a data file always has `header`. If there is none, the specification is handwritten and gets defaults.
    let dumped = kind == FileKind::Pte || numbers.is_some();
    if kind == FileKind::PtdLegacy {
        root = with_tensor_alignment(root, dumped)?;
    }
    let listed = root.remove("segments");
    let entries = listed.as_ref().and_then(FieldValue::as_tables);
    let offsets: Vec<u64> = entries.unwrap_or_default().iter().map(|entry| number(entry, "offset")).collect();
    let context = SegmentContext { options, alignment, listed: &offsets };
    // A dump can have `segments` but no list of them in the root table. Then the written root table has no list either.
    layout.encoding.unlisted = dumped && listed.is_none() && segments.is_some();
    let segments = segments.map_or(Ok(Vec::new()), |list| segment::all(list, context))?;
    if let Some(entries) = entries {
        agree(root_member(kind), entries, &segments)?;
    }
    options.expect_aligned(numbers.and_then(|numbers| numbers.segment_base_offset), &segments)?;
    let mut document = Document::new(kind, root, segments, layout);
    if let Some(numbers) = numbers {
        fit(&mut document, &numbers, options)?;
    }
    expect_size(&mut document, options)?;
    // Overlaps are rejected only after the file is written, so the segments of a small file can still be large in total.
    let read = document.segments.iter().fold(0_u64, |sum, segment| sum.saturating_add(segment.data.len()));
    if read > options.max_size {
        let message = format!("found {} of data, expected {}", Size(read), options.limit());
        return Err(SpecError::at("segments", message));
    }
    Ok(document)
}

fn expect_size(document: &mut Document, options: &PackOptions) -> Result<(), SpecError> {
    let Outline { len, flatbuffer_end, .. } = document.outline()?;
    // A bundled program's FlatBuffer also contains the inner program's segments, which stay on disk.
    if document.kind() != FileKind::Bpte && flatbuffer_end > MAX_MODEL {
        let message = format!("found a FlatBuffer of {}, expected at most {:#}", Size(flatbuffer_end), Size(MAX_MODEL));
        return Err(SpecError::at(root_member(document.kind()), message));
    }
    if len > options.max_size {
        let message = format!("found a file of {}, expected {}", Size(len), options.limit());
        return Err(SpecError::at("", message));
    }
    Ok(())
}

/// Sets or checks the tensor alignment of the legacy layout. In a handwritten specification, it must be a power of two
/// and is 16 by default. In a dump, any value is valid, and an absent value means 0, as it does for readers.
fn with_tensor_alignment(root: TableTree, dumped: bool) -> Result<TableTree, SpecError> {
    match root.get(TENSOR_ALIGNMENT).and_then(FieldValue::as_int) {
        // The specification gives the positions of the tensors, so the segment base does not determine the alignment.
        None => Ok(root.with(TENSOR_ALIGNMENT, if dumped { 0 } else { usual_alignment(FileKind::PtdLegacy) })),
        Some(given) if dumped || u64::try_from(given).is_ok_and(u64::is_power_of_two) => Ok(root),
        Some(given) => {
            let path = format!("{}.{TENSOR_ALIGNMENT}", root_member(FileKind::PtdLegacy));
            Err(SpecError::at(path, format!("found {given}, expected a power of two")))
        }
    }
}

fn agree(name: &str, entries: &[TableTree], segments: &[Segment]) -> Result<(), SpecError> {
    if entries.len() != segments.len() {
        let message = format!("found {} entries, expected {} as in `segments`", entries.len(), segments.len());
        return Err(SpecError::at(format!("{name}.segments"), message));
    }
    for (index, (entry, segment)) in entries.iter().zip(segments).enumerate() {
        let SegmentPlace::At(offset) = segment.place else { continue };
        for (field, have) in [("offset", offset), ("size", segment.data.len())] {
            let found: u64 = number(entry, field);
            if found != have {
                let message = format!("found {found}, expected {have} as in `segments[{index}]`");
                return Err(SpecError::at(format!("{name}.segments[{index}].{field}"), message));
            }
        }
    }
    Ok(())
}

#[must_use]
pub fn in_specification(document: &Document, error: &EditError) -> String {
    let EditError::Rejected(examined) = error else { return error.to_string() };
    let path = examined.first_must(Stage::LAST).map_or("", |found| &found.path);
    let root = root_member(document.kind());
    // In a bundled program, the path of a finding in the inner program begins with `program.`.
    let inside = path.strip_prefix("program.").filter(|_| document.kind() == FileKind::Bpte);
    match (inside.unwrap_or(path).split(['.', '[']).next(), inside) {
        (Some("" | "header" | "segments"), None) => error.to_string(),
        (Some("header" | "segments"), Some(_)) | (_, None) => format!("{root}.{error}"),
        (_, Some(_)) => format!("{root}.{}.{error}", root_member(FileKind::Pte)),
    }
}

//! **Packing**: makes a file from its canonical JSON and the bytes of its segments.
//!
//! A specification is what [`view`](torchproof::view) prints: `kind`, `header`, `program`, `flat_tensor` or
//! `bundled_program`, and `segments`. The `data` of each entry of `segments` gives the segment's bytes:
//!
//! | `data` | the bytes |
//! |---|---|
//! | `{"file": PATH}` | the bytes of a file, optionally `len` bytes from `offset`; see [below](#files) |
//! | `{"hex": DIGITS}`, `{"base64": TEXT}` | the decoded bytes |
//! | `{"fill": DIGITS}` | the decoded bytes, repeated up to the entry's `size` |
//!
//! # Members
//!
//! Given values are written verbatim or rejected; omitted ones default to what the official writers emit.
//!
//! | member | given | omitted |
//! |---|---|---|
//! | `segments[i].offset` | the segment's position | after the segments before it, at the next multiple of `alignment`, or of the default one if that is larger |
//! | `segments[i].alignment` | without `offset`: a power of two up to 64 KiB that divides the position, from the base | 128, in the legacy layout 16 |
//! | `segments[i].size` | the number of bytes of `data` | that number |
//! | `segments[i].sha256` | the SHA-256 of `data` | any |
//! | `header` | `null`: no header | one if a segment has bytes |
//! | `header.length` | the number | 32 in a program, 40 in a data file |
//! | `header.program_size` | the FlatBuffer is padded up to it | no padding |
//! | `header.flatbuffer_offset` | bytes of a data file's header | 48 |
//! | `header.flatbuffer_size` | the FlatBuffer is padded up to it | no padding |
//! | `header.segment_base_offset` | where the segments begin | the next multiple of 128, in the legacy layout of 16, and of every given `alignment` |
//! | `header.segment_data_size` | zeros follow the segments up to it; 0 in a program says nothing | the size of the segments |
//! | `tensor_alignment` in a legacy root table | the number: a power of two, or any beside a `header` | 16; 0 beside a `header`, as in a dump |
//! | `segments` in the root table | must agree with `segments` beside it | made from that; absent for an empty list |
//!
//! The given end of the FlatBuffer also selects its encoding. `pack` tries alignments from 16 bytes to 64 KiB inside it. If the
//! FlatBuffer must be smaller than that of the official writers, `pack` shares equal parts.
//!
//! A raw specification is not checked, and given numbers are written verbatim. Its segments may overlap if their bytes are equal.
//!
//! # Bundled programs
//!
//! `bundled_program.program` is the specification of a program file, and [`PackOptions`] apply to it. The FlatBuffer around it has
//! the alignments of its schema, no header and no segments. Memory holds several copies of the program, and the JSON of all
//! tables. Like every FlatBuffer, the bundled program ends before 2 GiB.
//!
//! # Files
//!
//! A PATH is relative to the folder of [`PackOptions`]. `pack` resolves it, and opens no file outside that folder without
//! [`PackOptions::allow_outside`]: the specification may be untrusted, and its author may get the written file.

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
use torchproof::flatbuffer::tree::{TableTree, Value};
use torchproof::pte::HeaderKind;

use crate::file::document::{FLATBUFFER_LIMIT, number, usual_alignment};
use crate::file::{Document, DocumentLayout, EditError, Segment, SegmentPlace};
use crate::text::size::Size;
use fit::fit;
use header::Numbers;
use segment::SegmentContext;
use specification::{INSIDE, Specification, root_member};

/// The minimum alignment of a segment base without a given position.
const MIN_BASE_ALIGNMENT: u64 = 16;

/// The member with the alignment of tensors in a data file of the legacy layout.
const TENSOR_ALIGNMENT: &str = "tensor_alignment";

/// Reads a specification as a stream.
///
/// It needs memory for the tables, and for their JSON unless the file is a program. Files are read when the document is written,
/// except those of the program in a bundled program.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::path::Path;
/// use torchproof_cli::disk::Existing;
/// use torchproof_cli::file::pack::{PackOptions, read};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("small.ptd");
/// let json = br#"{ "kind": "ptd", "flat_tensor": { "named_data": [{ "key": "k", "segment_index": 0 }] },
///     "segments": [{ "data": { "hex": "0102" } }] }"#;
/// read(&json[..], &PackOptions::new(Path::new("")))?.save(&path, Existing::Keep)?;
/// assert_eq!(torchproof::ptd::Ptd::open(&std::fs::read(&path)?)?.named_data(b"k")?, Some(&[1, 2][..]));
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// Fails if a member is invalid, or if the data of a member cannot be read. The error gives the path of the member.
pub fn read(json: impl Read, options: &PackOptions) -> Result<Document, SpecError> {
    let mut specification = Specification::read(json)?;
    match specification.program.take() {
        None => of_file(specification, options),
        Some(program) => of_bundle(specification.root, *program, options),
    }
}

/// Makes the program, then the tables around its bytes.
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

/// The document of a file's specification.
fn of_file(specification: Specification, options: &PackOptions) -> Result<Document, SpecError> {
    let Specification { kind, mut root, header, segments, .. } = specification;
    let mut layout = DocumentLayout::default();
    let numbers = match header {
        None => None,
        Some(Json::Null) if kind == FileKind::Pte => {
            layout.header = HeaderKind::Never;
            None
        }
        Some(header) => Some(Numbers::read(header, kind, options.raw).map_err(|error| error.within("header"))?),
    };
    let alignment = options.segment_alignment.unwrap_or(usual_alignment(kind));
    // A smaller alignment of the base breaks a should-rule and misaligns the segments.
    layout.base.alignment = alignment.max(MIN_BASE_ALIGNMENT);
    layout.inline_alignment = options.inline_alignment.unwrap_or(layout.inline_alignment);
    // A dump of a data file has a header. Without one, the specification is handwritten and gets defaults.
    let dumped = kind == FileKind::Pte || numbers.is_some();
    if kind == FileKind::PtdLegacy {
        root = with_tensor_alignment(root, dumped, options.raw)?;
    }
    let listed = root.remove("segments");
    let entries = listed.as_ref().and_then(Value::as_tables).filter(|_| !options.raw);
    let offsets: Vec<u64> = entries.unwrap_or_default().iter().map(|entry| number(entry, "offset")).collect();
    let context = SegmentContext { options, alignment, listed: &offsets };
    // In a dump, `segments` without a list in the root table means that the root table has no list.
    layout.encoding.unlisted = dumped && listed.is_none() && segments.is_some();
    let segments = segments.map_or(Ok(Vec::new()), |list| segment::all(list, context))?;
    if let Some(entries) = entries {
        agree(root_member(kind), entries, &segments)?;
    }
    options.expect_aligned(numbers.and_then(|numbers| numbers.segment_base_offset), &segments)?;
    let mut document = Document::new(kind, root, segments, layout);
    document.raw = options.raw;
    document.listed = listed.filter(|_| options.raw);
    if let Some(numbers) = numbers {
        fit(&mut document, &numbers, options)?;
    }
    expect_size(&mut document, options)?;
    // Raw segments may overlap, and each one is read in full.
    let read = document.segments.iter().fold(0_u64, |sum, segment| sum.saturating_add(segment.data.len()));
    if read > options.max_size {
        let message = format!("found {} of data, expected {}", Size(read), options.limit());
        return Err(SpecError::at("segments", message));
    }
    Ok(document)
}

/// Fails for a file that exceeds the size limit.
fn expect_size(document: &mut Document, options: &PackOptions) -> Result<(), SpecError> {
    let len = document.outline()?.len;
    if len > options.max_size {
        let message = format!("found a file of {}, expected {}", Size(len), options.limit());
        return Err(SpecError::at("", message));
    }
    Ok(())
}

/// Sets or checks the tensor alignment in the root table of a data file of the legacy layout.
///
/// A handwritten specification gets 16 by default, and must give a power of two. A dump keeps any value, with 0 for an absent one,
/// as in readers.
fn with_tensor_alignment(root: TableTree, dumped: bool, raw: bool) -> Result<TableTree, SpecError> {
    match root.get(TENSOR_ALIGNMENT).and_then(Value::as_int) {
        // Independent of the alignment of the base, because the positions of the tensors are given.
        None => Ok(root.with(TENSOR_ALIGNMENT, if dumped { 0 } else { usual_alignment(FileKind::PtdLegacy) })),
        Some(given) if dumped || raw || u64::try_from(given).is_ok_and(u64::is_power_of_two) => Ok(root),
        Some(given) => {
            let path = format!("{}.{TENSOR_ALIGNMENT}", root_member(FileKind::PtdLegacy));
            Err(SpecError::at(path, format!("found {given}, expected a power of two")))
        }
    }
}

/// Fails if the root table's list of segments differs from `segments`.
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

/// The message for a rejected file, with the place in its specification.
#[must_use]
pub fn in_specification(document: &Document, error: &EditError) -> String {
    let EditError::Rejected(examined) = error else { return error.to_string() };
    let path = examined.first_must(Stage::Data).map_or("", |found| &found.path);
    let root = root_member(document.kind());
    // A finding in the program of a bundled program has a path below `program`.
    let inside = path.strip_prefix("program.").filter(|_| document.kind() == FileKind::Bpte);
    match (inside.unwrap_or(path).split(['.', '[']).next(), inside) {
        (Some("" | "header" | "segments"), None) => error.to_string(),
        (Some("header" | "segments"), Some(_)) | (_, None) => format!("{root}.{error}"),
        (_, Some(_)) => format!("{root}.{}.{error}", root_member(FileKind::Pte)),
    }
}

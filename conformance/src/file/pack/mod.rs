//! **Packing**: makes a file from its canonical JSON and the bytes of its segments.
//!
//! A specification is what [`view`](torchproof::view) prints: `kind`, `header`, `program`, `flat_tensor` or
//! `bundled_program`, and `segments`. The `data` of each entry of `segments` gives the segment's bytes:
//!
//! | `data` | the bytes |
//! |---|---|
//! | `{"file": PATH}` | those of a file, from `offset` on, `len` of them; see [below](#files) |
//! | `{"hex": DIGITS}`, `{"base64": TEXT}` | these |
//! | `{"fill": DIGITS}` | these, repeated up to the entry's `size` |
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
//! The given end of the FlatBuffer also selects its encoding: `pack` tries alignments of more than 16 bytes inside it, up to
//! 64 KiB, and to share equal parts where it has to be smaller than the official writers'.
//!
//! A raw specification is not checked: every given number is written as it is. Its segments may overlap where their bytes are
//! equal.
//!
//! # Bundled programs
//!
//! `bundled_program.program` is the specification of a whole program, which becomes the file that it would be by itself;
//! [`PackOptions`] apply to it. The FlatBuffer around it has the alignments of its schema, no header, and no segments of its own.
//! The program is held in memory, a few times over, and so is the JSON of all tables. It ends before 2 GiB, as every FlatBuffer
//! does.
//!
//! # Files
//!
//! A PATH is relative to the folder of [`PackOptions`]. `pack` resolves it, and opens no file outside that folder without
//! [`PackOptions::allow_outside`]: a stranger may have written the specification, and may get the file that comes of it.

mod error;
mod files;
mod fit;
mod header;
mod members;
mod options;
mod segment;
mod specification;

pub use error::SpecError;
pub use options::{MOST_SIZE, PackOptions};

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
use segment::Around;
use specification::{INSIDE, Specification, root_member};

/// What the segment base is always aligned to, unless the specification says where it is.
const LEAST_BASE: u64 = 16;

/// The alignment of tensors in the root of a data file of the legacy layout.
const TENSOR_ALIGNMENT: &str = "tensor_alignment";

/// Reads a specification as it comes.
///
/// It takes the memory of the tables, and that of their JSON unless they are of a program by itself. The bytes of files stay there
/// until the document is written, but for those of the program in a bundled one.
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
/// The first member that cannot be what it is, or whose data cannot be had, and whose fault that is.
pub fn read(json: impl Read, options: &PackOptions) -> Result<Document, SpecError> {
    let mut specification = Specification::read(json)?;
    match specification.program.take() {
        None => of_file(specification, options),
        Some(program) => of_bundle(specification.root, *program, options),
    }
}

/// Makes the program first, and the tables around its bytes.
fn of_bundle(tables: TableTree, program: Specification, options: &PackOptions) -> Result<Document, SpecError> {
    let inside = |error: SpecError| error.within(INSIDE);
    let mut program = of_file(program, options).map_err(inside)?;
    let len = program.outline().map_err(|error| inside(error.into()))?.len;
    if len >= FLATBUFFER_LIMIT {
        let message = format!(
            "the program would have {}, and a FlatBuffer, which holds it, ends before {:#}",
            Size(len),
            Size(FLATBUFFER_LIMIT)
        );
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
    // A base that is aligned to less breaks a should-rule, and takes their alignment from blobs that have more.
    layout.base.alignment = alignment.max(LEAST_BASE);
    layout.inline_alignment = options.inline_alignment.unwrap_or(layout.inline_alignment);
    // A dump of a data file has its header. What has none is made by hand, and what it leaves out is left to the writer.
    let dumped = kind == FileKind::Pte || numbers.is_some();
    if kind == FileKind::PtdLegacy {
        root = with_tensor_alignment(root, dumped, options.raw)?;
    }
    let listed = root.remove("segments");
    let entries = listed.as_ref().and_then(Value::as_tables).filter(|_| !options.raw);
    let offsets: Vec<u64> = entries.unwrap_or_default().iter().map(|entry| number(entry, "offset")).collect();
    let around = Around { options, alignment, listed: &offsets };
    // A list beside the table that is told to be empty tells that there is none in it.
    layout.encoding.unlisted = dumped && listed.is_none() && segments.is_some();
    let segments = segments.map_or(Ok(Vec::new()), |list| segment::all(list, around))?;
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
    // Raw segments may lie over each other, and each of them is read.
    let read = document.segments.iter().fold(0_u64, |sum, segment| sum.saturating_add(segment.data.len()));
    if read > options.max_size {
        let message = format!("have {} to be read, and the file may have {}", Size(read), options.most());
        return Err(SpecError::at("segments", message));
    }
    Ok(document)
}

/// Fails for a file that would be larger than it may be.
fn expect_size(document: &mut Document, options: &PackOptions) -> Result<(), SpecError> {
    let len = document.outline()?.len;
    if len > options.max_size {
        let message = format!("the file would have {}, and may have {}", Size(len), options.most());
        return Err(SpecError::at("", message));
    }
    Ok(())
}

/// The root of a data file of the legacy layout. By hand, its tensors are aligned to 16 if it does not say, and to a power of two
/// if it does.
///
/// What a dump says is kept, whatever it is: readers accept the file, and take an absent alignment as 0.
fn with_tensor_alignment(root: TableTree, dumped: bool, raw: bool) -> Result<TableTree, SpecError> {
    match root.get(TENSOR_ALIGNMENT).and_then(Value::as_int) {
        // Not what the base is aligned to: the tensors' places are given.
        None => Ok(root.with(TENSOR_ALIGNMENT, if dumped { 0 } else { usual_alignment(FileKind::PtdLegacy) })),
        Some(told) if dumped || raw || u64::try_from(told).is_ok_and(u64::is_power_of_two) => Ok(root),
        Some(told) => {
            let path = format!("{}.{TENSOR_ALIGNMENT}", root_member(FileKind::PtdLegacy));
            Err(SpecError::at(path, format!("{told} is not a power of two")))
        }
    }
}

/// Fails where the root table's list of segments says other than the list beside it.
fn agree(name: &str, entries: &[TableTree], segments: &[Segment]) -> Result<(), SpecError> {
    if entries.len() != segments.len() {
        let message = format!("has {} entries, and `segments` beside it {}", entries.len(), segments.len());
        return Err(SpecError::at(format!("{name}.segments"), message));
    }
    for (index, (entry, segment)) in entries.iter().zip(segments).enumerate() {
        let SegmentPlace::At(offset) = segment.place else { continue };
        for (field, have) in [("offset", offset), ("size", segment.data.len())] {
            let told: u64 = number(entry, field);
            if told != have {
                let message = format!("is {told}, and `segments[{index}]` beside it has {have}");
                return Err(SpecError::at(format!("{name}.segments[{index}].{field}"), message));
            }
        }
    }
    Ok(())
}

/// What is wrong with the file that was made of a specification, with the place in the specification.
#[must_use]
pub fn in_specification(document: &Document, error: &EditError) -> String {
    let EditError::Rejected(examined) = error else { return error.to_string() };
    let path = examined.first_must(Stage::Data).map_or("", |found| &found.path);
    let root = root_member(document.kind());
    // What is found in the program of a bundled one has the place that it has there.
    let inside = path.strip_prefix("program.").filter(|_| document.kind() == FileKind::Bpte);
    match (inside.unwrap_or(path).split(['.', '[']).next(), inside) {
        (Some("" | "header" | "segments"), None) => error.to_string(),
        (Some("header" | "segments"), Some(_)) | (_, None) => format!("{root}.{error}"),
        (_, Some(_)) => format!("{root}.{}.{error}", root_member(FileKind::Pte)),
    }
}

//! **Packing**: makes a file of its canonical JSON, with the bytes of its segments beside it.
//!
//! A specification is what [`view`] prints: `kind`, `header`, `program` or `flat_tensor`, and `segments`.
//! Each entry of `segments` says under `data` what the segment's bytes are:
//!
//! | `data` | the bytes |
//! |---|---|
//! | `{"file": PATH}` | a file's, from `offset` on, as many as `len` says; PATH is relative to the specification |
//! | `{"hex": DIGITS}`, `{"base64": TEXT}` | these |
//! | `{"fill": DIGITS}` | these again and again, up to the entry's `size` |
//!
//! # What counts
//!
//! The tables, and what of the rest is a choice. **What is given is kept, and what is left out is worked out**:
//!
//! | member | when it is given | when it is left out |
//! |---|---|---|
//! | `segments[i].offset` | the segment goes there | behind those before it, at a multiple of `alignment` and of the base's |
//! | `segments[i].size` | the data must have as many bytes | it is the data's |
//! | `segments[i].sha256` | the data must have it | any will do |
//! | `header` | `null`: no header; else one | one if a segment has bytes |
//! | `header.length` | it is that | 32 in a program, 40 in a data file |
//! | `header.segment_base_offset` | it is that, unless the FlatBuffer reaches it: then the next multiple of its alignment | the next multiple of 128, in the older layout of 16 |
//! | `header.flatbuffer_offset` | bytes of a data file's header | 48 |
//! | `header.program_size` | tells the alignment of what is inside the FlatBuffer, and whether zeros are written | 16, and they are not |
//! | that, `header.flatbuffer_size` | the FlatBuffer is padded up to it | no padding |
//! | `segments` in the root table | must not contradict `segments` beside it | filled from that |
//!
//! All other numbers of the header follow from these. A raw specification has every number of a header that is given whole, and
//! of its root's `segments`, written as it stands, whatever it says.

mod error;
mod json;
mod segment;
mod zeros;

pub use error::SpecError;

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use torchproof::check::Kind;
use torchproof::flatbuffer::schema::{TableType, TableView};
use torchproof::flatbuffer::tree::{TableTree, Value as TreeValue};
use torchproof::ptd::older_schema::OlderFlatTensor;
use torchproof::ptd::schema::FlatTensor;
use torchproof::pte::schema::Program;
use torchproof::pte::write::HeaderKind;
use torchproof::{Stage, pte, view};

use crate::edit::{Base, Document, EditError, Layout, Place, Raw, Segment};

/// A specification, its members still as they were written down.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    kind: String,
    #[serde(default, deserialize_with = "given")]
    header: Option<Value>,
    program: Option<Value>,
    flat_tensor: Option<Value>,
    #[serde(default)]
    segments: Vec<Value>,
}

/// Keeps a member that is `null` apart from one that is left out.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The header's numbers, as far as they are given.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Numbers {
    length: Option<u32>,
    program_size: Option<u64>,
    flatbuffer_offset: Option<u64>,
    flatbuffer_size: Option<u64>,
    segment_base_offset: Option<u64>,
    segment_data_size: Option<u64>,
}

/// Reads a specification; its files are found from `folder`.
///
/// With `raw`, every number is taken as it is given.
///
/// # Errors
///
/// The first member that cannot be what it is, or whose data cannot be had.
pub fn read(json: &[u8], folder: &Path, raw: bool) -> Result<Document, SpecError> {
    let members: Members = serde_json::from_slice::<json::Strict>(json)
        .and_then(|json::Strict(value)| serde_json::from_value(value))
        .map_err(|error| SpecError::at("", error.to_string()))?;
    let (name, root, ty) = members.root()?;
    let mut tree = view::to_tree(root, ty).map_err(|error| error.within(name))?;
    let header = members.header()?;
    let layout = layout(&members.kind, header, &tree, raw);
    if let Some(wanted) = header.given().and_then(|numbers| numbers.program_size).filter(|size| *size <= MOST_TRIED)
        && let Some(smaller) = zeros::written(&tree, wanted, |tree| layout.program_size(tree).ok())
    {
        tree = smaller;
    }
    let segments = members.segments.iter().enumerate();
    let segments: Vec<Segment> = segments
        .map(|(index, entry)| segment::read(index, entry, folder, layout.base.alignment))
        .collect::<Result<_, _>>()?;
    if members.kind == OLDER && tree.get("tensor_alignment").is_none() {
        // What is left out would be filled in.
        tree = tree.with("tensor_alignment", 0_u32);
    }
    let listed = tree.remove("segments");
    let entries = listed.as_ref().and_then(TreeValue::as_tables);
    if let Some(entries) = entries.filter(|_| !raw) {
        agree(name, entries, &segments)?;
    }
    let document = Document::new(tree, segments, layout).map_err(|error| SpecError::at(name, error.to_string()))?;
    Ok(match header {
        header if raw => document
            .with_raw(Raw { header: header.given().and_then(|header| header.bytes(&members.kind)), segments: listed }),
        _ => document,
    })
}

const OLDER: &str = "ptd-legacy";

impl Members {
    /// The name, the JSON and the type of the root table.
    fn root(&self) -> Result<(&'static str, &Value, &'static TableType), SpecError> {
        let (name, ty, other) = match self.kind.as_str() {
            "pte" => ("program", Program::TYPE, &self.flat_tensor),
            "ptd" => ("flat_tensor", FlatTensor::TYPE, &self.program),
            OLDER => ("flat_tensor", OlderFlatTensor::TYPE, &self.program),
            _ => return Err(SpecError::at("kind", "is none of pte, ptd and ptd-legacy")),
        };
        if other.is_some() {
            let other = if name == "program" { "flat_tensor" } else { "program" };
            return Err(SpecError::at(other, format!("does not belong to a {}", self.kind)));
        }
        let root = if name == "program" { &self.program } else { &self.flat_tensor };
        root.as_ref().map(|root| (name, root, ty)).ok_or_else(|| SpecError::at(name, "is missing"))
    }

    fn header(&self) -> Result<Header, SpecError> {
        let wrong = |member: &str, why: &str| Err(SpecError::at(format!("header.{member}"), why));
        let numbers: Numbers = match &self.header {
            None => return Ok(Header::Usual),
            Some(Value::Null) if self.kind == "pte" => return Ok(Header::None),
            Some(value) => {
                serde_json::from_value(value.clone()).map_err(|error| SpecError::at("header", error.to_string()))?
            }
        };
        match (self.kind.as_str(), numbers) {
            ("pte", Numbers { flatbuffer_offset: Some(_), .. }) => wrong("flatbuffer_offset", "is not a program's"),
            ("pte", Numbers { flatbuffer_size: Some(_), .. }) => wrong("flatbuffer_size", "is not a program's"),
            ("ptd" | OLDER, Numbers { program_size: Some(_), .. }) => wrong("program_size", "is not a data file's"),
            _ => Ok(Header::Given(numbers)),
        }
    }
}

/// In a program of more bytes than this, zeros are left out whatever its size says: trying takes time.
const MOST_TRIED: u64 = 1 << 16;

/// No FlatBuffer is padded up to this: it cannot have as many bytes.
const FLATBUFFER_LIMIT: u64 = 1 << 31;

/// What a specification says of the header.
#[derive(Clone, Copy, Debug)]
enum Header {
    Usual,
    None,
    Given(Numbers),
}

impl Header {
    fn given(self) -> Option<Numbers> {
        match self {
            Header::Given(numbers) => Some(numbers),
            _ => None,
        }
    }
}

impl Numbers {
    /// The header of these numbers from its length on; `None` when one is left out.
    fn bytes(self, kind: &str) -> Option<Vec<u8>> {
        let mut bytes = self.length?.to_le_bytes().to_vec();
        let words = if kind == "pte" {
            vec![self.program_size?, self.segment_base_offset?]
        } else {
            vec![self.flatbuffer_offset?, self.flatbuffer_size?, self.segment_base_offset?, self.segment_data_size?]
        };
        let last = self.segment_data_size.filter(|_| kind == "pte");
        words.into_iter().chain(last).for_each(|word| bytes.extend(word.to_le_bytes()));
        Some(bytes)
    }
}

/// The layout that a specification's header tells.
fn layout(kind: &str, header: Header, root: &TableTree, raw: bool) -> Layout {
    let usual = if kind == OLDER { 16 } else { 128 };
    let mut layout = Layout { base: Base { at: None, alignment: usual }, ..Layout::default() };
    match (kind, header) {
        (_, Header::Usual) => {}
        (_, Header::None) => layout.header = HeaderKind::Never,
        ("pte", Header::Given(numbers)) => {
            // A raw number is put over one that can be.
            let least = if raw { pte::header::MIN_LENGTH } else { 0 };
            let length = numbers.length.unwrap_or(pte::header::LENGTH_WITH_DATA_SIZE).max(least);
            layout = layout.with_program_header(length, numbers.segment_base_offset.unwrap_or(0));
            if let Some(size) = numbers.program_size {
                layout.inline_alignment = layout.find_inline_alignment(root, None, size);
                layout.flatbuffer_end = size;
            }
        }
        (_, Header::Given(numbers)) => {
            layout = layout.with_data_header(numbers.flatbuffer_offset, numbers.segment_base_offset.unwrap_or(0));
            if let Some(size) = numbers.flatbuffer_size {
                layout.flatbuffer_end = layout.header_size.saturating_add(size);
            }
        }
    }
    if layout.flatbuffer_end >= FLATBUFFER_LIMIT {
        layout.flatbuffer_end = 0;
    }
    layout
}

/// Fails where the root table's list of segments says other than the list beside it.
fn agree(name: &str, entries: &[TableTree], segments: &[Segment]) -> Result<(), SpecError> {
    if entries.len() != segments.len() {
        let message = format!("has {} entries, and `segments` beside it {}", entries.len(), segments.len());
        return Err(SpecError::at(format!("{name}.segments"), message));
    }
    for (index, (entry, segment)) in entries.iter().zip(segments).enumerate() {
        let told = |field: &str| entry.get(field).and_then(TreeValue::as_int).unwrap_or(0);
        let offset = match segment.place {
            Place::At(offset) => Some(offset),
            Place::Aligned(_) => None,
        };
        for (field, have) in [("offset", offset), ("size", Some(segment.data.len()))] {
            if let Some(have) = have.filter(|have| told(field) != i128::from(*have)) {
                let message = format!("is {}, and `segments[{index}]` beside it has {have}", told(field));
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
    let root = if document.kind() == Kind::Pte { "program" } else { "flat_tensor" };
    match path.split(['.', '[']).next() {
        Some("" | "header" | "segments") | None => error.to_string(),
        _ => format!("{root}.{error}"),
    }
}

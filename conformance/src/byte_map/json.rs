//! The byte map as JSON.

use serde::Serialize;
use torchproof::FileKind;
use torchproof::annotate::{ByteMap, Entry, Missed, PartKind};

use super::slice;
use super::value;

/// What `inspect --annotate --format json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Annotated {
    /// As it was named.
    pub path: String,
    /// What its identifier says that it is.
    pub kind: FileKind,
    /// In bytes.
    pub size: u64,
    /// Whether everything that the file refers to was followed: only then do bytes of no part belong to nothing.
    pub complete: bool,
    /// Where it could not be followed.
    pub faults: Vec<Fault>,
    /// Every byte once, by offset.
    pub parts: Vec<Part>,
    /// The parts that lie on bytes which another part owns, whole: there are none in a valid file.
    pub overlaps: Vec<Part>,
}

/// Why a file could not be followed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fault {
    /// The field; empty for the file as a whole.
    pub path: String,
    /// Where the value is that cannot be right.
    pub offset: u64,
    /// The rule that it breaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
    /// What is wrong with it.
    pub message: String,
}

impl From<&Missed> for Fault {
    fn from(missed: &Missed) -> Self {
        let Missed { path, error, .. } = missed;
        let rule = error.rule();
        Self { path: path.clone(), offset: error.span.offset, rule, message: error.to_string() }
    }
}

/// Bytes, and what they are.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part {
    /// From the file's first byte.
    pub offset: u64,
    /// In bytes.
    pub len: u64,
    /// What they are, in a word.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub what: PartKind,
    /// The type of the table, or of one that the vtable describes.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub table_type: Option<&'static str>,
    /// The field; bytes of no field have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What the bytes say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    /// Where a reference leads, and where a table's vtable is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<u64>,
}

impl Annotated {
    /// Maps a file.
    #[must_use]
    pub fn of(path: String, bytes: &[u8], map: &ByteMap) -> Self {
        let size = bytes.len() as u64;
        let parts = map.cover(bytes).map(|entry| Part::of(entry, bytes)).collect();
        let mut at = 0;
        let overlaps = map.entries().iter().filter(|entry| {
            let over = entry.span.len > 0 && entry.span.offset < at;
            at = at.max(entry.span.end());
            over
        });
        let overlaps = overlaps.map(|entry| Part::of(entry.clone(), bytes)).collect();
        let faults = map.missed().iter().map(Fault::from).collect();
        Self { path, kind: FileKind::of_head(bytes), size, complete: map.is_complete(), faults, parts, overlaps }
    }
}

impl Part {
    fn of(entry: Entry, bytes: &[u8]) -> Self {
        let own = slice(bytes, entry.span).unwrap_or_default();
        let (value, target) = (value::value(&entry, own), value::target(&entry, own));
        let Entry { span, kind, path, owner, .. } = entry;
        let typed = matches!(kind, PartKind::Table | PartKind::Vtable);
        Self {
            offset: span.offset,
            len: span.len,
            what: kind,
            table_type: owner.filter(|_| typed).map(|owner| owner.name),
            path: (kind != PartKind::Root && !kind.is_gap()).then_some(path),
            value,
            target,
        }
    }
}

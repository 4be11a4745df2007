//! The byte map as JSON.

use serde::{Serialize, Serializer};
use torchproof::FileKind;
use torchproof::annotate::{ByteMap, Entry, PartKind, UnmappedPart};

use super::slice;
use super::value;

/// The output of `inspect --annotate --format json`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnnotateOutput<'m> {
    /// The path argument.
    pub path: String,
    /// The kind of the file according to its identifier.
    pub kind: FileKind,
    /// The size in bytes.
    pub size: u64,
    /// `true` if every offset was decoded. If an offset is broken, the bytes of its target can have the kind `unowned`.
    pub complete: bool,
    /// The faults that made parts of the file undecodable.
    pub faults: Vec<MapFault>,
    /// The parts, sorted by offset. Together, they cover every byte exactly once.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Part>"))]
    pub parts: PartList<'m>,
    /// The parts that overlap an earlier one, each with its full length. A valid file has none.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Part>"))]
    pub overlaps: PartList<'m>,
}

/// A list whose parts are created one at a time during serialization, to save memory.
#[derive(Debug)]
pub struct PartList<'m> {
    map: &'m ByteMap,
    bytes: &'m [u8],
    /// Whether to list only the parts that overlap an earlier part.
    overlaps: bool,
}

impl Serialize for PartList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { map, bytes, overlaps } = self;
        if !overlaps {
            return serializer.collect_seq(map.cover(bytes).map(|entry| Part::of(entry, bytes)));
        }
        let mut at = 0;
        let over = map.entries().iter().filter(|entry| {
            let over = entry.span.len > 0 && entry.span.offset < at;
            at = at.max(entry.span.end());
            over
        });
        serializer.collect_seq(over.map(|entry| Part::of(entry.clone(), bytes)))
    }
}

/// A fault that made a part of the file undecodable.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MapFault {
    /// The field's path; empty for the whole file.
    pub path: String,
    /// The invalid value's offset.
    pub offset: u64,
    /// The broken rule's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
    /// The message.
    pub message: String,
}

impl From<&UnmappedPart> for MapFault {
    fn from(unmapped: &UnmappedPart) -> Self {
        let UnmappedPart { path, error, .. } = unmapped;
        let rule = error.rule();
        Self { path: path.clone(), offset: error.span.offset, rule, message: error.to_string() }
    }
}

/// A part of the file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part {
    /// The offset from the start of the file.
    pub offset: u64,
    /// The number of bytes.
    pub len: u64,
    /// The kind of the part as one word.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: PartKind,
    /// A table's type; for a vtable, the type of a table that uses the vtable.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub table_type: Option<&'static str>,
    /// The field's path; absent for a part that is not in a field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The decoded value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    /// An offset's target; for a table, the position of its vtable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<u64>,
}

impl<'m> AnnotateOutput<'m> {
    pub fn of(path: String, bytes: &'m [u8], map: &'m ByteMap) -> Self {
        let size = bytes.len() as u64;
        let list = |overlaps| PartList { map, bytes, overlaps };
        let (parts, overlaps) = (list(false), list(true));
        let faults = map.unmapped().iter().map(MapFault::from).collect();
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
            kind,
            table_type: owner.filter(|_| typed).map(|owner| owner.name),
            path: (kind != PartKind::Root && !kind.is_gap()).then_some(path),
            value,
            target,
        }
    }
}

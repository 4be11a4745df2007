//! The byte map as JSON.

use serde::Serialize;
use torchproof::Span;
use torchproof::annotate::{ByteMap, Entry, What};
use torchproof::check::Kind;

use super::{slice, unowned};

/// What `inspect --annotate --format json` prints, as `schema/annotate.schema.json` describes it.
#[derive(Debug, Serialize)]
pub struct Annotated {
    /// As it was named.
    pub path: String,
    /// What its identifier says that it is.
    pub kind: Kind,
    /// In bytes.
    pub size: u64,
    /// Every byte once, by offset.
    pub parts: Vec<Part>,
    /// The parts that lie on bytes which another part owns, whole: there are none in a valid file.
    pub overlaps: Vec<Part>,
}

/// Bytes, and what they are.
#[derive(Debug, Serialize)]
pub struct Part {
    /// From the file's first byte.
    pub offset: u64,
    /// In bytes.
    pub len: u64,
    /// What they are, in a word.
    pub what: &'static str,
    /// The type of the table, or of one that the vtable describes.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub table_type: Option<&'static str>,
    /// The field; bytes of no field have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Annotated {
    /// Maps a file.
    #[must_use]
    pub fn of(path: String, bytes: &[u8]) -> Self {
        let size = bytes.len() as u64;
        let map = ByteMap::of(bytes);
        let parts = map.cover(size).map(|entry| Part::of(entry, bytes)).collect();
        let mut at = 0;
        let overlaps = map.entries().iter().filter(|entry| {
            let over = entry.span.len > 0 && entry.span.offset < at;
            at = at.max(entry.span.end());
            over
        });
        let overlaps = overlaps.map(|entry| Part::of(entry.clone(), bytes)).collect();
        Self { path, kind: Kind::of_head(bytes), size, parts, overlaps }
    }
}

impl Part {
    fn of(entry: Entry, bytes: &[u8]) -> Self {
        let Entry { span: Span { offset, len }, what, path } = entry;
        let name = match what {
            What::Unowned => unowned(slice(bytes, entry.span).unwrap_or_default()),
            _ => what.name(),
        };
        let path = (!matches!(what, What::Root | What::Unowned)).then_some(path);
        Self { offset, len, what: name, table_type: what.table_type(), path }
    }
}

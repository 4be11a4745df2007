//! Changing the metadata of a file, and nothing else in it.

use std::io::Read;
use std::path::Path;

use torchproof::check::Kind;
use torchproof::flatbuffer::tree::{TableTree, Value};

use crate::edit::{Data, Document, EditError};

/// The alignment that the official store of named data gives to a blob that asks for none.
const ALIGNMENT: u64 = 1;

/// Opens a file whose metadata are to be changed.
///
/// # Errors
///
/// When the file cannot be read, breaks a must-rule, cannot be checked to the end, or is of a kind without named data. A data
/// file of the older layout is one: its readers look up tensors only.
pub fn open(path: &Path) -> Result<Document, EditError> {
    let document = Document::open_accepted(path, &[])?;
    if document.kind() == Kind::PtdLegacy { Err(EditError::OlderLayout) } else { Ok(document) }
}

/// Puts a value under a key: in place of the one that is there, or behind all entries.
///
/// As in files of the official exporter, equal values share a segment.
///
/// # Errors
///
/// When a segment of the same length cannot be read, or there are too many of them.
pub fn set(document: &mut Document, key: &str, value: &[u8]) -> Result<(), EditError> {
    document.set_named_data(key, Data::Bytes(value.to_vec()), ALIGNMENT)?;
    let Some(own) = document.named_segment(key.as_bytes()) else { return Ok(()) };
    let Some(equal) = other_segment(document, own, value)? else { return Ok(()) };
    let entries = document.root_mut().tables_mut("named_data");
    let is_own = |entry: &&mut TableTree| entry.get("key").and_then(Value::as_bytes) == Some(key.as_bytes());
    if let Some(entry) = entries.and_then(|entries| entries.iter_mut().find(is_own)) {
        entry.set("segment_index", equal)?;
        entry.elide_defaults();
        document.remove_segment(own);
    }
    Ok(())
}

/// A segment of named data, other than `own`, with these bytes.
fn other_segment(document: &Document, own: u32, value: &[u8]) -> Result<Option<u32>, EditError> {
    let mut indexes: Vec<u32> = document.named_data().map(|(_, index)| index).filter(|index| *index != own).collect();
    indexes.sort_unstable();
    indexes.dedup();
    for index in indexes {
        let Some(segment) = document.segments().get(index as usize) else { continue };
        if segment.data.len() != value.len() as u64 {
            continue;
        }
        let mut bytes = Vec::new();
        let read = segment.data.reader().read_to_end(&mut bytes);
        read.map_err(|error| EditError::Segment { index: index as usize, error })?;
        if bytes == value {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

/// Takes a key out; whether it was there.
///
/// A program's header goes with the last byte of its segments if it came with the first, as the official writer does it; one
/// that was there without data stays.
pub fn unset(document: &mut Document, key: &str) -> bool {
    document.remove_named_data(key.as_bytes())
}

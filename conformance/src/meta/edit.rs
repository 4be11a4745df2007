//! Changing the metadata of a file, and nothing else in it.

use std::io::{BufRead, BufReader};
use std::path::Path;

use torchproof::FileKind;
use torchproof::flatbuffer::tree::{TableTree, Value};
use torchproof::write::PIECE;

pub use crate::edit::Guard;
use crate::edit::{Data, Document, EditError};

/// The alignment that the official store of named data gives to a blob that asks for none.
const ALIGNMENT: u64 = 1;

/// Opens a file whose metadata are to be changed.
///
/// # Errors
///
/// When the file cannot be read, breaks a must-rule, cannot be checked to the end, or is of a kind whose named data nobody
/// finds. A data file of the older layout is one: it may have some, and its readers look up tensors only.
///
/// ```
/// use std::path::Path;
/// use torchproof_cli::edit::EditError;
/// use torchproof_cli::meta::edit::open;
///
/// let real = Path::new("../corpus/real");
/// assert!(open(&real.join("linear.pte")).is_ok());
/// let older = open(&real.join("legacy_v0.6.0_tensors.ptd"));
/// assert!(matches!(older, Err(EditError::OlderLayout)));
/// ```
pub fn open(path: &Path) -> Result<Document, EditError> {
    let document = Document::open_accepted(path, &[])?;
    if document.kind() == FileKind::PtdLegacy { Err(EditError::OlderLayout) } else { Ok(document) }
}

/// Puts a value under a key: in place of the one that is there, or behind all entries.
///
/// As in files of the official exporter, equal values share a segment. A key that has the value already is left as it is.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::path::Path;
/// use torchproof_cli::edit::Existing;
/// use torchproof_cli::meta::edit::{open, set};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("named.pte");
///
/// let mut document = open(Path::new("../corpus/real/linear.pte"))?;
/// let before = document.segments().len();
/// set(&mut document, "metadata.general.name", b"linear")?;
/// set(&mut document, "metadata.general.basename", b"linear")?;
/// assert_eq!(document.segments().len(), before + 1);
/// document.save(&path, Existing::Keep)?;
/// let bytes = std::fs::read(&path)?;
/// assert_eq!(torchproof::pte::Pte::open(&bytes)?.named_data(b"metadata.general.name")?, Some(&b"linear"[..]));
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// When a segment of the same length cannot be read, or there are too many of them.
pub fn set(document: &mut Document, key: &str, value: &[u8]) -> Result<(), EditError> {
    if let Some(own) = document.named_segment(key.as_bytes())
        && has_bytes(document, own, value)?
    {
        return Ok(());
    }
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
        if has_bytes(document, index, value)? {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

/// Whether a segment is there and has these bytes; it is read in pieces, as far as it has them.
fn has_bytes(document: &Document, index: u32, mut value: &[u8]) -> Result<bool, EditError> {
    let segment = document.segments().get(index as usize).filter(|segment| segment.data.len() == value.len() as u64);
    let Some(segment) = segment else { return Ok(false) };
    let mut reader = BufReader::with_capacity(PIECE, segment.data.reader());
    let failed = |error| EditError::in_segment(index as usize, error);
    while !value.is_empty() {
        let piece = reader.fill_buf().map_err(failed)?;
        let len = piece.len();
        if len == 0 || !value.starts_with(piece) {
            return Ok(false);
        }
        value = &value[len..];
        reader.consume(len);
    }
    Ok(true)
}

/// Takes a key out; whether it was there.
///
/// A program's header goes with the last byte of its segments if it came with the first, as the official writer does it; one
/// that was there without data stays. So does its list of named data go with the last entry: no exporter writes an empty one.
/// Those of data files have the list always.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::path::Path;
/// use torchproof_cli::meta::edit::{open, set, unset};
///
/// let mut document = open(Path::new("../corpus/real/linear.pte"))?;
/// let before = document.segments().len();
/// set(&mut document, "metadata.general.name", b"linear")?;
/// assert!(unset(&mut document, "metadata.general.name"));
/// assert!(!unset(&mut document, "metadata.general.name"));
/// assert_eq!(document.segments().len(), before);
/// # Ok(()) }
/// ```
pub fn unset(document: &mut Document, key: &str) -> bool {
    let was_there = document.remove_named_data(key.as_bytes());
    if was_there && document.kind() == FileKind::Pte && document.named_data().next().is_none() {
        document.root_mut().remove("named_data");
    }
    was_there
}

//! How names, values and lists look in print.

use std::fmt::Display;

use torchproof::ScalarType;
use torchproof::flatbuffer::schema::Element;
use torchproof::flatbuffer::{Fault, Str, Vector};

/// Characters of one name that are shown.
const NAME_LEN: usize = 64;

/// Characters of one name that are shown in a narrow column.
const SHORT_LEN: usize = 32;

/// Elements of a list inside a cell that are shown.
const LIST_LEN: usize = 16;

/// Text out of a file, fit for a terminal: what is not printable is escaped, what is not UTF-8 is in hex, and a long one is cut.
pub(super) fn printable(bytes: &[u8]) -> String {
    cut(bytes, NAME_LEN)
}

/// As [`printable`], cut after `most` characters.
fn cut(bytes: &[u8], most: usize) -> String {
    let mut pieces = bytes.utf8_chunks().flat_map(|chunk| {
        let escaped = chunk.valid().chars().map(|char| match char {
            '\'' | '"' => char.to_string(),
            _ => char.escape_debug().to_string(),
        });
        escaped.chain(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")))
    });
    let mut shown: String = pieces.by_ref().take(most).collect();
    if pieces.next().is_some() {
        shown += &format!("… ({} bytes)", bytes.len());
    }
    shown
}

/// A name in quotes, short enough for a column beside others.
pub(super) fn quoted_short(bytes: &[u8]) -> String {
    format!("\"{}\"", cut(bytes, SHORT_LEN))
}

/// A name that a file gives, or `?` where it gives none.
pub(super) fn name(field: Result<Option<Str<'_>>, Fault>) -> String {
    field.ok().flatten().map_or("?".to_owned(), |text| format!("\"{}\"", printable(text.as_bytes())))
}

/// A field's value, or `?` where it is at fault.
pub(super) fn value<T: Display>(field: Result<T, Fault>) -> String {
    field.map_or("?".to_owned(), |value| value.to_string())
}

/// A place in the file, in hex.
pub(super) fn place(field: Result<u64, Fault>) -> String {
    value(field.map(|offset| format!("{offset:#x}")))
}

/// A tensor's type, as `FLOAT`; a number where the schema has no name for it.
pub(super) fn scalar_type(field: Result<ScalarType, Fault>) -> String {
    value(field.map(|ty| ty.name().map_or_else(|| ty.0.to_string(), str::to_owned)))
}

/// A list as `[1, 8]`; a long one is cut.
pub(super) fn list<'a, T: Element<'a, Item: Display> + 'a>(field: Result<Option<Vector<'a, T>>, Fault>) -> String {
    let items = match field {
        Ok(Some(items)) => items,
        Ok(None) => return "absent".to_owned(),
        Err(_) => return "?".to_owned(),
    };
    let mut shown: Vec<String> = items.iter().take(LIST_LEN).map(|item| item.to_string()).collect();
    if items.len() > LIST_LEN {
        shown.push(format!("… {} in all", items.len()));
    }
    format!("[{}]", shown.join(", "))
}

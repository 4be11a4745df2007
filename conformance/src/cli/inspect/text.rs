//! Text of names, values and lists.

use std::fmt::Display;

use torchproof::ScalarType;
use torchproof::flatbuffer::schema::Element;
use torchproof::flatbuffer::{Fault, Str, Vector};

/// The maximum number of characters of a name.
const NAME_LEN: usize = 64;

/// The maximum number of characters of a name in a narrow column.
const SHORT_LEN: usize = 32;

/// The maximum number of elements of a list in a cell.
const LIST_LEN: usize = 16;

/// Text from a file in printable form: control characters are escaped, invalid UTF-8 is in hex, and long text is cut.
pub(super) fn printable(bytes: &[u8]) -> String {
    cut(bytes, NAME_LEN)
}

/// Like [`printable`], cut after `most` characters.
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

/// A quoted name, cut for a narrow column.
pub(super) fn quoted_short(bytes: &[u8]) -> String {
    format!("\"{}\"", cut(bytes, SHORT_LEN))
}

/// A quoted name, or `?` if the field is absent or broken.
pub(super) fn name(field: Result<Option<Str<'_>>, Fault>) -> String {
    field.ok().flatten().map_or("?".to_owned(), |text| format!("\"{}\"", printable(text.as_bytes())))
}

/// The value of a field, or `?` if it is broken.
pub(super) fn value<T: Display>(field: Result<T, Fault>) -> String {
    field.map_or("?".to_owned(), |value| value.to_string())
}

/// An offset in hex.
pub(super) fn place(field: Result<u64, Fault>) -> String {
    value(field.map(|offset| format!("{offset:#x}")))
}

/// A tensor's type, such as `FLOAT`, or its number if the schema has no name for it.
pub(super) fn scalar_type(field: Result<ScalarType, Fault>) -> String {
    value(field.map(|ty| ty.name().map_or_else(|| ty.0.to_string(), str::to_owned)))
}

/// A list, such as `[1, 8]`; long lists are cut.
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

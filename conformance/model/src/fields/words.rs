//! Converts names, values and lists to text.

use std::fmt::Display;

use torchproof::ScalarType;
use torchproof::flatbuffer::schema::Element;
use torchproof::flatbuffer::{Str, Vector};

const NAME_LEN: usize = 64;
const SHORT_LEN: usize = 32;
const LIST_LEN: usize = 16;

/// Escapes control characters, prints invalid UTF-8 in hex, and truncates long text.
pub fn printable(bytes: &[u8]) -> String {
    cut(bytes, NAME_LEN)
}

fn cut(bytes: &[u8], most: usize) -> String {
    // A character has at most 4 bytes. In a hostile file, many names can share the same long text, so do not read all
    // of it.
    let first = &bytes[..bytes.len().min(4 * (most + 1))];
    let mut pieces = first.utf8_chunks().flat_map(|chunk| {
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

pub fn quoted_short(bytes: &[u8]) -> String {
    format!("\"{}\"", cut(bytes, SHORT_LEN))
}

/// Returns the name, or `?` if the field is absent or broken.
pub fn name<'a, E>(field: Result<impl Into<Option<Str<'a>>>, E>) -> String {
    field.ok().and_then(Into::into).map_or("?".to_owned(), |text| format!("\"{}\"", printable(text.as_bytes())))
}

/// Returns the whole text of a field as UTF-8, with invalid bytes replaced; empty if the field is absent or broken.
pub fn lossy<E>(field: Result<Option<Str<'_>>, E>) -> String {
    field.ok().flatten().map_or(String::new(), |text| String::from_utf8_lossy(text.as_bytes()).into_owned())
}

pub fn value<T: Display, E>(field: Result<T, E>) -> String {
    field.map_or("?".to_owned(), |value| value.to_string())
}

pub fn place<E>(field: Result<u64, E>) -> String {
    value(field.map(|offset| format!("{offset:#x}")))
}

/// Returns a name such as `FLOAT`, or the number of an unknown type.
pub fn scalar_type<E>(field: Result<ScalarType, E>) -> String {
    value(field.map(|ty| ty.name().map_or_else(|| ty.0.to_string(), str::to_owned)))
}

pub fn list<'a, T: Element<'a, Item: Display> + 'a, E: Copy>(field: Result<Option<Vector<'a, T>>, E>) -> String {
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

/// Shortens a long name in the middle, because keys can differ at either end.
pub fn shortened(name: &str, most: usize) -> String {
    let count = name.chars().count();
    if count <= most {
        return name.to_owned();
    }
    let end = most / 2;
    let start = most.saturating_sub(end + 1);
    name.chars().take(start).chain(['…']).chain(name.chars().skip(count - end)).collect()
}

//! How sizes, names and tables look in print.

use std::fmt::{Display, Write as _};

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, presets};
use torchproof::flatbuffer::{Fault, Str};

/// Columns that the output is made for.
const WIDTH: u16 = 100;

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
    let mut shown = String::new();
    let mut count = 0;
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            if count >= most {
                let _ = write!(shown, "… ({} bytes)", bytes.len());
                return shown;
            }
            match char {
                '\'' | '"' => shown.push(char),
                _ => shown.extend(char.escape_debug()),
            }
            count += 1;
        }
        for byte in chunk.invalid() {
            // A chunk's invalid bytes are three at most, so the cut is never far.
            let _ = write!(shown, "\\x{byte:02x}");
            count += 1;
        }
    }
    shown
}

/// The same, in quotes.
pub(super) fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", printable(bytes))
}

/// The same, short enough for a column beside others.
pub(super) fn quoted_short(bytes: &[u8]) -> String {
    format!("\"{}\"", cut(bytes, SHORT_LEN))
}

/// A name that a file gives, or `?` where it gives none.
pub(super) fn name(field: Result<Option<Str<'_>>, Fault>) -> String {
    field.ok().flatten().map_or("?".to_owned(), |text| quoted(text.as_bytes()))
}

/// A field's value, or `?` where it is at fault.
pub(super) fn value<T: Display>(field: Result<T, Fault>) -> String {
    field.map_or("?".to_owned(), |value| value.to_string())
}

/// A table with these columns; those that begin with `>` are aligned to the right.
pub(in crate::cli) fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING.header_separator(LineStyle::none().fill('─')))
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH)
        .set_header(columns.iter().map(|name| name.trim_start_matches('>')));
    for (index, name) in columns.iter().enumerate() {
        if let Some(column) = table.column_mut(index).filter(|_| name.starts_with('>')) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// A list as `[1, 8]`; a long one is cut.
pub(super) fn list<T: Display>(items: impl ExactSizeIterator<Item = T>) -> String {
    let total = items.len();
    let mut text = String::from("[");
    for (index, item) in items.take(LIST_LEN).enumerate() {
        let _ = write!(text, "{}{item}", if index > 0 { ", " } else { "" });
    }
    if total > LIST_LEN {
        let _ = write!(text, ", … {total} in all");
    }
    text + "]"
}

/// `1 table`, `2 tables`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

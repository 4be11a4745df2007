//! **A file byte by byte**: every part of it and the field that it is, as text for people and as JSON for programs.
//!
//! `torchproof inspect --annotate` shows a whole file, `torchproof explain CASE` the rows around a defect.

mod case;
mod json;
mod row;
mod value;

use std::fmt::Write as _;
use std::io::{self, Write};

use torchproof::Span;
use torchproof::annotate::{ByteMap, Entry, PartKind};
use torchproof::flatbuffer::schema::Kind;

pub use case::{render_case, replaced};
pub use json::Annotated;
pub use row::ChangedBytes;

use crate::text::counted;
use row::{LINE, span_of};
use value::quoted;

/// Lines of a part that are shown at its beginning, if not all are.
const HEAD: usize = 2;
/// A part of more lines than this is cut short.
const LINES: usize = 8;
/// Rows shown on either side of a change.
const NEAR: usize = 2;

/// What of a file is shown.
#[derive(Clone, Copy, Debug)]
pub enum Shown<'a> {
    /// Every part.
    All,
    /// So many rows.
    First(usize),
    /// What was changed, and what is near; the rest is as in the file of this name.
    Changed(&'a str),
}

/// A file's parts, a row each, in which small ones of one object share a row; changed bytes are in brackets.
#[must_use]
pub fn render(bytes: &[u8], map: &ByteMap, changes: &[ChangedBytes], shown: Shown<'_>) -> String {
    let mut text = Vec::new();
    let written = write(&mut text, bytes, map, changes, shown);
    debug_assert!(written.is_ok(), "there is always room in memory");
    String::from_utf8(text).unwrap_or_default()
}

/// Writes what [`render`] returns, a row at a time.
///
/// # Errors
///
/// What writing met.
pub fn write(
    out: &mut dyn Write,
    bytes: &[u8],
    map: &ByteMap,
    changes: &[ChangedBytes],
    shown: Shown<'_>,
) -> io::Result<()> {
    let len = bytes.len() as u64;
    let entries: Vec<Entry> = map.parts(bytes).filter(|entry| entry.span.len > 0).collect();
    let rows = row::rows(&entries, changes);
    let width = format!("{len:#x}").len().max("offset".len());
    let mut page = Page { bytes, changes, width, out, table: String::new(), list: String::new(), last: None };
    page.line(format_args!("  {:>width$}  {:<23}  part, field, value", "offset", "bytes"))?;
    let choice = choice(&rows, changes, shown);
    let mut at = 0;
    while at < rows.len() {
        if choice[at] {
            let span = span_of(rows[at]);
            page.gone(span.offset, span.end())?;
            page.row(rows[at])?;
            at += 1;
            continue;
        }
        let hidden = choice[at..].iter().take_while(|show| !**show).count();
        page.folded(&rows[at..at + hidden], shown)?;
        at += hidden;
    }
    page.gone(len, u64::MAX)?;
    page.line(format_args!("  {len:#width$x}  end of file"))
}

/// Which rows are shown.
fn choice(rows: &[&[Entry]], changes: &[ChangedBytes], shown: Shown<'_>) -> Vec<bool> {
    let mut choice = vec![false; rows.len()];
    match shown {
        Shown::All => choice.fill(true),
        Shown::First(most) => choice[..rows.len().min(most)].fill(true),
        Shown::Changed(_) => {
            for (index, row) in rows.iter().map(|row| span_of(row)).enumerate() {
                let touches =
                    |change: &ChangedBytes| change.span.offset <= row.end() && row.offset <= change.span.end();
                if changes.iter().any(touches) {
                    choice[index.saturating_sub(NEAR)..rows.len().min(index + NEAR + 1)].fill(true);
                    table_row(rows, index).into_iter().for_each(|table| choice[table] = true);
                }
            }
        }
    }
    choice
}

/// The row of the table that the first part of a row is a field of, or is behind a field of.
fn table_row(rows: &[&[Entry]], index: usize) -> Option<usize> {
    let part = rows[index].first()?;
    part.field?;
    // An element of a list has its index in brackets, and its field in front of that.
    let field = part.path.rsplit_once('.').map_or("", |(table, _)| table);
    let is_owner = |part: &Entry| part.kind == PartKind::Table && part.path == field;
    rows[..index].iter().rposition(|row| row.iter().any(is_owner))
}

/// The text being written, and what it is written from.
struct Page<'a> {
    bytes: &'a [u8],
    changes: &'a [ChangedBytes],
    /// Columns that an offset takes.
    width: usize,
    out: &'a mut dyn Write,
    /// The table last shown, whose fields are named by what their paths add to its own.
    table: String,
    /// The list last shown, as well.
    list: String,
    /// The bytes last shown.
    last: Option<Span>,
}

impl Page<'_> {
    /// Rows that are not shown.
    fn folded(&mut self, rows: &[&[Entry]], shown: Shown<'_>) -> io::Result<()> {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(()) };
        let width = self.width;
        self.table.clear();
        self.list.clear();
        let (from, to) = (span_of(first).offset, span_of(last).end());
        let Shown::Changed(base) = shown else {
            return self.line(format_args!("  {:>width$}  {} more rows, to {to:#x}", "…", rows.len()));
        };
        let before = self.changes.iter().filter(|change| change.span.end() <= from);
        let moved: i64 = before.map(|change| change.longer).sum();
        let place = match from.checked_add_signed(-moved) {
            Some(place) if moved != 0 => format!(" from {place:#x}"),
            _ => String::new(),
        };
        self.line(format_args!("  {:>width$}  {from:#x} to {to:#x} as in {base}{place}", "…"))
    }

    /// Tells of bytes that were taken out at the beginning of a row or inside of it.
    fn gone(&mut self, from: u64, to: u64) -> io::Result<()> {
        let width = self.width;
        for change in self.changes {
            if change.span.len == 0 && (from..to).contains(&change.span.offset) {
                self.line(format_args!("> {:#width$x}  bytes were taken out here", change.span.offset))?;
            }
        }
        Ok(())
    }

    fn row(&mut self, row: &[Entry]) -> io::Result<()> {
        let (span, width) = (span_of(row), self.width);
        let Some(bytes) = slice(self.bytes, span) else { return Ok(()) };
        let about: Vec<String> = row.iter().map(|part| self.about(part)).collect();
        let about = about.join(", ");
        if self.last == Some(span) {
            // What two fields refer to, each as what it takes it for.
            return self.line(format_args!("  {:>width$}  {:<23}  {about}", "", "the same bytes"));
        }
        self.last = Some(span);
        let lines = bytes.len().div_ceil(LINE);
        let mut skipped: Option<usize> = None;
        for (index, line) in bytes.chunks(LINE).enumerate() {
            let start = index * LINE;
            let here = Span::new(span.offset + start as u64, line.len() as u64);
            if lines > LINES && index >= HEAD && index + 1 < lines && self.is_dull(here) {
                skipped.get_or_insert(start);
                continue;
            }
            if let Some(first) = skipped.take() {
                let zeros = if bytes[first..start].iter().all(|byte| *byte == 0) { ", all zero" } else { "" };
                let whole = Span::new(span.offset + first as u64, (start - first) as u64);
                let mark = self.mark(whole);
                self.line(format_args!("{mark} {:>width$}  {}{zeros}", "…", counted(whole.len, "byte")))?;
            }
            let (mark, hex) = (self.mark(here), self.hex(line, here.offset));
            let about = if index == 0 { about.as_str() } else { "" };
            self.line(format_args!("{mark} {:#width$x} {hex:<25} {about}", here.offset))?;
        }
        Ok(())
    }

    /// What stands in front of a line: whether something in it was changed.
    fn mark(&self, line: Span) -> char {
        if self.changes.iter().any(|change| overlap(change.span, line)) { '>' } else { ' ' }
    }

    /// Whether a line may be left out: nothing in it was changed, or everything in it and in its neighbours at once.
    fn is_dull(&self, line: Span) -> bool {
        let wide = Span::new(line.offset.saturating_sub(LINE as u64), line.len + 2 * LINE as u64);
        let mut changes = self.changes.iter().map(|change| change.span).filter(|change| overlap(*change, line));
        changes.all(|change| change.offset <= wide.offset && wide.end() <= change.end())
    }

    /// The bytes of a line, changed ones in brackets.
    fn hex(&self, line: &[u8], offset: u64) -> String {
        let mut text = String::new();
        let mut inside = false;
        for (byte, at) in line.iter().zip(offset..) {
            let changed = self.mark(Span::new(at, 1)) == '>';
            text.push(between(inside, changed));
            let _ = write!(text, "{byte:02x}");
            inside = changed;
        }
        text.push(between(inside, false));
        text
    }

    /// The part and its field, and what its bytes say where the part alone decides that.
    fn about(&mut self, part: &Entry) -> String {
        let bytes = slice(self.bytes, part.span).unwrap_or_default();
        let number = number(bytes);
        let target = value::target(part, bytes);
        let leads = target.map_or(String::new(), |target| format!(" -> {target:#x}"));
        let path = self.path(part);
        match part.kind {
            PartKind::Root => format!("root offset{leads}"),
            PartKind::Identifier => format!("identifier {}", quoted(bytes)),
            PartKind::Header => match number {
                Some(number) if !path.ends_with(".magic") => format!("{path} = {number} ({number:#x})"),
                _ => format!("{path} {}", quoted(bytes)),
            },
            PartKind::Table => {
                let name = if path.is_empty() { String::new() } else { format!("{path}: ") };
                let vtable = target.map_or(String::new(), |target| format!(", vtable {target:#x}"));
                format!("{name}table {}{vtable}", owner(part))
            }
            PartKind::Vtable => format!("vtable of {}", owner(part)),
            PartKind::Count => format!("{path}: count {}", number.unwrap_or_default()),
            PartKind::Offset | PartKind::Item => format!("{path}{leads}"),
            PartKind::Scalar => match value::in_text(part, bytes) {
                Some(value) => format!("{path} = {value}"),
                None => path.to_owned(),
            },
            PartKind::Elements if matches!(part.value_kind(), Some(Kind::String)) => labelled(path, &quoted(bytes)),
            PartKind::Elements => match value::in_text(part, bytes) {
                Some(value) => labelled(path, &format!("elements {value}")),
                None => labelled(path, "elements"),
            },
            PartKind::Segment => format!("{path}: segment"),
            kind => kind.name().to_owned(),
        }
    }

    /// The field, without what it has in common with the table or the list above it.
    fn path<'e>(&mut self, part: &'e Entry) -> &'e str {
        let path = part.path.as_str();
        let below =
            |owner: &str| path.strip_prefix(owner).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        match part.kind {
            // It is of no table, and its path is that of one.
            PartKind::Segment => path,
            PartKind::Table => {
                path.clone_into(&mut self.table);
                self.list.clear();
                path
            }
            PartKind::Count => {
                let short = below(&self.table).filter(|_| !self.table.is_empty());
                path.clone_into(&mut self.list);
                short.unwrap_or(path)
            }
            _ if self.list.is_empty() => below(&self.table).unwrap_or(path),
            _ => below(&self.list).or_else(|| below(&self.table)).unwrap_or(path),
        }
    }

    fn line(&mut self, arguments: std::fmt::Arguments<'_>) -> io::Result<()> {
        writeln!(self.out, "{}", arguments.to_string().trim_end())
    }
}

/// The type of a table, or of one that a vtable describes.
fn owner(part: &Entry) -> &'static str {
    part.owner.map_or("", |owner| owner.name)
}

fn labelled(path: &str, what: &str) -> String {
    if path.is_empty() { what.to_owned() } else { format!("{path}: {what}") }
}

/// What stands between two bytes, of which the first or the second was changed.
const fn between(before: bool, after: bool) -> char {
    match (before, after) {
        (false, true) => '[',
        (true, false) => ']',
        _ => ' ',
    }
}

fn overlap(one: Span, other: Span) -> bool {
    one.offset < other.end() && other.offset < one.end()
}

fn slice(bytes: &[u8], span: Span) -> Option<&[u8]> {
    let start = usize::try_from(span.offset).ok()?;
    let end = usize::try_from(span.end()).ok()?;
    bytes.get(start..end)
}

/// The bytes as a little-endian number, if there are four or eight.
fn number(bytes: &[u8]) -> Option<u64> {
    match bytes.len() {
        4 => bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes).into()),
        8 => bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use torchproof::corpus;

    use super::*;

    fn page(bytes: &[u8], changes: &[ChangedBytes]) -> String {
        render(bytes, &ByteMap::of(bytes), changes, Shown::Changed("base"))
    }

    fn put(offset: u64, len: u64) -> ChangedBytes {
        ChangedBytes { span: Span::new(offset, len), longer: 0 }
    }

    #[test]
    fn long_parts_are_cut_short_but_for_what_was_changed() {
        let mut bytes = [0; 168];
        bytes[81] = 7;
        insta::assert_snapshot!(page(&bytes, &[put(81, 2)]));
    }

    #[test]
    fn what_was_put_in_at_length_is_cut_short_too() {
        insta::assert_snapshot!(page(&[1; 168], &[put(8, 160)]));
    }

    #[test]
    fn bytes_taken_out_leave_a_mark() {
        insta::assert_snapshot!(page(&[0; 8], &[put(8, 0)]));
    }

    /// Where bytes were put in, what follows is found in the base further to the front.
    #[test]
    fn rows_far_from_a_change_are_named_by_their_place_in_the_base() {
        let bytes = corpus::find("pte/valid/three-constants").unwrap().build().bytes;
        let put = ChangedBytes { span: Span::new(0x10, 4), longer: 4 };
        insta::assert_snapshot!(page(&bytes, &[put]));
    }
}

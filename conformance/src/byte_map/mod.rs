//! **The byte map of a file**: every part with its field, as text and as JSON.
//!
//! `torchproof inspect --annotate` shows a whole file, and `torchproof explain CASE` shows the rows near a defect.

mod case;
mod json;
mod row;
mod value;

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Range;

use torchproof::Span;
use torchproof::annotate::{ByteMap, Entry, PartKind};
use torchproof::flatbuffer::schema::Kind;
use torchproof_harness::text::counted;

pub use case::{render_case, replaced};
pub use json::{AnnotateOutput, Part, PartList};
pub use row::ChangedBytes;

use row::{LINE, span_of};
use value::quoted;

const HEAD: usize = 2;
const LINES: usize = 8;
const NEAR: usize = 2;

#[derive(Clone, Copy, Debug)]
pub enum ShownRows<'a> {
    All,
    /// This many rows, from the start of the map.
    First(usize),
    /// Rows with changes, and the rows near them. The string names the base file, where the omitted rows are the same.
    Changed(&'a str),
}

/// Returns the byte map: each row is one part, or several small parts of one object. Brackets enclose changed bytes.
pub fn render(bytes: &[u8], map: &ByteMap, changes: &[ChangedBytes], shown: ShownRows<'_>) -> String {
    let mut text = Vec::new();
    let written = write(&mut text, bytes, map, changes, shown);
    debug_assert!(written.is_ok(), "writing to a vector cannot fail");
    String::from_utf8(text).unwrap_or_default()
}

pub fn write(
    out: &mut dyn Write,
    bytes: &[u8],
    map: &ByteMap,
    changes: &[ChangedBytes],
    shown: ShownRows<'_>,
) -> io::Result<()> {
    let len = bytes.len() as u64;
    let gaps: Vec<Entry> = map.gaps(bytes).collect();
    let mut entries: Vec<&Entry> = map.entries().iter().chain(&gaps).filter(|entry| entry.span.len > 0).collect();
    entries.sort_by_key(|entry| entry.span.offset);
    let rows = row::rows(&entries, changes);
    let width = format!("{len:#x}").len().max("offset".len());
    let (table, list) = (String::new(), String::new());
    let mut page = Page { bytes, changes, width, out, table, list, last: None, zeros: 0..0 };
    page.line(format_args!("  {:>width$}  {:<23}  part, field, value", "offset", "bytes"))?;
    let choice = choice(&rows, changes, shown);
    let mut at = 0;
    while at < rows.len() {
        if choice[at] {
            let span = span_of(rows[at]);
            page.removed(span.offset, span.end())?;
            page.row(rows[at])?;
            at += 1;
            continue;
        }
        let hidden = choice[at..].iter().take_while(|show| !**show).count();
        page.folded(&rows[at..at + hidden], shown)?;
        at += hidden;
    }
    page.removed(len, u64::MAX)?;
    page.line(format_args!("  {len:#width$x}  end of file"))
}

fn choice(rows: &[&[&Entry]], changes: &[ChangedBytes], shown: ShownRows<'_>) -> Vec<bool> {
    let mut choice = vec![false; rows.len()];
    match shown {
        ShownRows::All => choice.fill(true),
        ShownRows::First(most) => choice[..rows.len().min(most)].fill(true),
        ShownRows::Changed(_) => {
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

/// The row of the table that contains the field in row `index`; `None` if that row shows no field.
fn table_row(rows: &[&[&Entry]], index: usize) -> Option<usize> {
    let part = rows[index].first()?;
    part.field?;
    // The path of a list element ends with its index in brackets, after the field name.
    let field = part.path.rsplit_once('.').map_or("", |(table, _)| table);
    let is_owner = |part: &Entry| part.kind == PartKind::Table && part.path == field;
    rows[..index].iter().rposition(|row| row.iter().any(|part| is_owner(part)))
}

struct Page<'a> {
    bytes: &'a [u8],
    changes: &'a [ChangedBytes],
    width: usize,
    out: &'a mut dyn Write,
    /// The last shown table, whose fields are printed without its path.
    table: String,
    /// The last shown list, whose items are printed without its path.
    list: String,
    last: Option<Span>,
    zeros: Range<usize>,
}

impl Page<'_> {
    fn folded(&mut self, rows: &[&[&Entry]], shown: ShownRows<'_>) -> io::Result<()> {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(()) };
        let width = self.width;
        self.table.clear();
        self.list.clear();
        let (from, to) = (span_of(first).offset, span_of(last).end());
        let ShownRows::Changed(base) = shown else {
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

    /// Writes a line for each position at which an edit removed bytes.
    fn removed(&mut self, from: u64, to: u64) -> io::Result<()> {
        let width = self.width;
        for change in self.changes {
            if change.span.len == 0 && (from..to).contains(&change.span.offset) {
                self.line(format_args!("> {:#width$x}  bytes removed here", change.span.offset))?;
            }
        }
        Ok(())
    }

    /// Rows come in the order of their offsets, so each search continues where the last one ended and reads no byte
    /// twice.
    fn is_zero(&mut self, span: Span) -> bool {
        let bounds = [span.offset, span.end()].map(|bound| usize::try_from(bound).unwrap_or(usize::MAX));
        if bounds[0] < self.zeros.start || bounds[0] > self.zeros.end {
            self.zeros = bounds[0]..bounds[0];
        }
        let rest = self.bytes.get(self.zeros.end..bounds[1]).unwrap_or_default();
        self.zeros.end += rest.iter().take_while(|byte| **byte == 0).count();
        self.zeros.end >= bounds[1]
    }

    fn row(&mut self, row: &[&Entry]) -> io::Result<()> {
        let (span, width) = (span_of(row), self.width);
        let Some(bytes) = slice(self.bytes, span) else { return Ok(()) };
        let about: Vec<String> = row.iter().map(|part| self.about(part)).collect();
        let about = about.join(", ");
        if self.last == Some(span) {
            // Two fields refer to the same bytes, possibly with different types.
            return self.line(format_args!("  {:>width$}  {:<23}  {about}", "", "the same bytes"));
        }
        self.last = Some(span);
        let lines = bytes.len().div_ceil(LINE);
        let mut skipped: Option<usize> = None;
        // In a hostile file, many parts can share the same bytes, and reading all their lines would take hours.
        let whole = lines <= LINES || self.changes.iter().any(|change| overlap(change.span, span));
        let (head, tail) = if whole { (lines, lines) } else { (HEAD + 1, lines - 1) };
        for index in (0..head).chain(tail..lines) {
            let start = index * LINE;
            let line = &bytes[start..bytes.len().min(start + LINE)];
            let here = Span::new(span.offset + start as u64, line.len() as u64);
            if lines > LINES && index >= HEAD && index + 1 < lines && self.is_uniform(here) {
                skipped.get_or_insert(start);
                continue;
            }
            if let Some(first) = skipped.take() {
                let whole = Span::new(span.offset + first as u64, (start - first) as u64);
                let zeros = if self.is_zero(whole) { ", all zero" } else { "" };
                let mark = self.mark(whole);
                self.line(format_args!("{mark} {:>width$}  {}{zeros}", "…", counted(whole.len, "byte")))?;
            }
            let (mark, hex) = (self.mark(here), self.hex(line, here.offset));
            let about = if index == 0 { about.as_str() } else { "" };
            self.line(format_args!("{mark} {:#width$x} {hex:<25} {about}", here.offset))?;
        }
        Ok(())
    }

    fn mark(&self, line: Span) -> char {
        if self.changes.iter().any(|change| overlap(change.span, line)) { '>' } else { ' ' }
    }

    /// Returns whether every change that overlaps the line also covers its neighbors, so that `write` may omit it.
    fn is_uniform(&self, line: Span) -> bool {
        let wide = Span::new(line.offset.saturating_sub(LINE as u64), line.len + 2 * LINE as u64);
        let mut changes = self.changes.iter().map(|change| change.span).filter(|change| overlap(*change, line));
        changes.all(|change| change.offset <= wide.offset && wide.end() <= change.end())
    }

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
            PartKind::Elements if matches!(part.value_kind(), Some(Kind::String)) => labeled(path, &quoted(bytes)),
            PartKind::Elements => match value::in_text(part, bytes) {
                Some(value) => labeled(path, &format!("elements {value}")),
                None => labeled(path, "elements"),
            },
            PartKind::Segment => format!("{path}: segment"),
            kind => kind.name().to_owned(),
        }
    }

    /// The path, without the path of the last shown table or list.
    fn path<'e>(&mut self, part: &'e Entry) -> &'e str {
        let path = part.path.as_str();
        let below =
            |owner: &str| path.strip_prefix(owner).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        match part.kind {
            // The bytes of a segment are outside all tables, so the path stays whole.
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

/// For a vtable, the type of a table that uses it.
fn owner(part: &Entry) -> &'static str {
    part.owner.map_or("", |owner| owner.name)
}

fn labeled(path: &str, what: &str) -> String {
    if path.is_empty() { what.to_owned() } else { format!("{path}: {what}") }
}

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

/// A little-endian number of four or eight bytes.
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
        render(bytes, &ByteMap::of(bytes), changes, ShownRows::Changed("base"))
    }

    fn put(offset: u64, len: u64) -> ChangedBytes {
        ChangedBytes { span: Span::new(offset, len), longer: 0 }
    }

    #[test]
    fn long_parts_are_cut_except_changed_lines() {
        let mut bytes = [0; 168];
        bytes[81] = 7;
        insta::assert_snapshot!(page(&bytes, &[put(81, 2)]));
    }

    #[test]
    fn long_insertions_are_cut() {
        insta::assert_snapshot!(page(&[1; 168], &[put(8, 160)]));
    }

    #[test]
    fn removed_bytes_leave_a_line() {
        insta::assert_snapshot!(page(&[0; 8], &[put(8, 0)]));
    }

    /// Rows after an insertion have a smaller offset in the base than in the case's file.
    #[test]
    fn hidden_rows_name_their_offset_in_the_base() {
        let bytes = corpus::find("pte/valid/three-constants").unwrap().build().bytes;
        let put = ChangedBytes { span: Span::new(0x10, 4), longer: 4 };
        insta::assert_snapshot!(page(&bytes, &[put]));
    }
}

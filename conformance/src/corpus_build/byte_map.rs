//! **annotated/ID.txt**: a case's file for people, part by part, with the defect in brackets.

use std::fmt::Write;

use torchproof::Span;
use torchproof::annotate::{ByteMap, Entry, What};
use torchproof::cases::Built;
use torchproof::corpus::{Case, Recipe, Verdict};

/// Bytes in a row.
const ROW: usize = 8;
/// Rows of a part that are shown at its beginning, if not all are.
const HEAD: usize = 2;
/// A part of more rows than this is cut short.
const ROWS: usize = 8;
/// Parts that are shown of a file; of one with more, the first of them.
const PARTS: usize = 1000;
/// Parts shown on either side of a change; the rest is as in the map of the file that was changed.
const NEAR: usize = 8;
/// Columns of prose.
const WIDTH: usize = 100;
/// How much of the bytes of an edit is shown.
const EDIT: usize = 16;

/// The byte map of a case's file; `base` is what it was made from.
///
/// A file that must be accepted is mapped as it is. In one that must be rejected, what follows the defect may be nonsense: its
/// map is its control's, carried along with the edits, so that the two texts differ in the defect alone. Of a file that was
/// edited only the parts around the edits are shown, and of a long one only the first, unless all are wanted.
pub(super) fn render(case: &Case, built: &Built, base: Option<&[u8]>, all: bool) -> String {
    let mut map = ByteMap::of(&built.bytes);
    let mut changes = Vec::new();
    if let (Some(recipe), Some(base)) = (&case.recipe, base) {
        changes = changed(recipe);
        if case.verdict == Verdict::Reject {
            map = ByteMap::of(base);
            for edit in &recipe.edits {
                map.splice(edit.at, hex_len(&edit.was), hex_len(&edit.now));
            }
        }
    }
    let mut text = head(case);
    let page = Page { bytes: &built.bytes, changes: &changes, text: &mut text, owner: String::new(), last: None, all };
    page.map(&map);
    text
}

/// What the file is, and how it came from its base.
fn head(case: &Case) -> String {
    let file = &case.files[0];
    let mut text = format!("{}: {}\n\n{}\n", case.id, case.title, wrapped(&case.why));
    let rule = case.rule.as_deref().unwrap_or_default();
    let _ = match (case.verdict, case.stage) {
        (Verdict::Accept, _) => writeln!(text, "verdict  accept; about {rule}"),
        (Verdict::Reject, Some(stage)) => writeln!(text, "verdict  reject, by stage {stage}; breaks {rule}"),
        (Verdict::Reject, None) => writeln!(text, "verdict  reject; breaks {rule}"),
        (Verdict::Either, _) => writeln!(text, "verdict  either; about {rule}"),
    };
    let _ = writeln!(text, "file     {}, {} bytes", file.path, file.size);
    if let Some(Recipe { base, edits }) = &case.recipe {
        let how = if edits.len() == 1 { "this edit" } else { "these edits, each to the result of the one before" };
        let _ = writeln!(text, "made of  {base}, by {how}:");
        for edit in edits {
            let was = hex_len(&edit.was);
            let now = hex_len(&edit.now);
            let _ = match (was, now) {
                (0, _) => writeln!(text, "    {:#8x}  put in {}: {}", edit.at, count(now), spaced(&edit.now)),
                (_, 0) => writeln!(text, "    {:#8x}  take out {}: {}", edit.at, count(was), spaced(&edit.was)),
                _ => writeln!(text, "    {:#8x}  {} -> {}", edit.at, spaced(&edit.was), spaced(&edit.now)),
            };
        }
    }
    text
}

/// Where the edits' bytes ended up, and with length zero where bytes are gone.
fn changed(recipe: &Recipe) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for edit in &recipe.edits {
        let (was, now) = (hex_len(&edit.was), hex_len(&edit.now));
        for span in &mut spans {
            *span = span.spliced(edit.at, was, now);
        }
        spans.push(Span::new(edit.at, now));
    }
    spans
}

/// The text being written, and what it is written from.
struct Page<'a> {
    bytes: &'a [u8],
    changes: &'a [Span],
    text: &'a mut String,
    /// The table or list last shown, whose parts are told by what their paths add to its own.
    owner: String,
    /// The bytes last shown.
    last: Option<Span>,
    /// Every part is shown.
    all: bool,
}

impl Page<'_> {
    fn map(mut self, map: &ByteMap) {
        let len = self.bytes.len() as u64;
        self.line(format_args!("\n{:>10}  {:<24} {:<24} field, value", "offset", "bytes", "part"));
        let mut hidden = 0;
        let entries: Vec<Entry> = map.cover(len).collect();
        let shown = self.shown(&entries);
        for (entry, show) in entries.iter().zip(shown) {
            if show {
                self.hidden(&mut hidden);
                self.gone(entry.span.offset, entry.span.end());
                self.part(entry);
            } else {
                hidden += 1;
            }
        }
        self.hidden(&mut hidden);
        self.gone(len, u64::MAX);
        self.line(format_args!("{len:#10x}  end of file"));
    }

    /// Which parts are shown: all of a file that stands on its own, else those around the changes.
    fn shown(&self, entries: &[Entry]) -> Vec<bool> {
        if self.all {
            return vec![true; entries.len()];
        }
        if self.changes.is_empty() {
            return (0..entries.len()).map(|index| index < PARTS).collect();
        }
        let mut shown = vec![false; entries.len()];
        for (index, entry) in entries.iter().enumerate() {
            let touches = |change: &Span| change.offset <= entry.span.end() && entry.span.offset <= change.end();
            if self.changes.iter().any(touches) {
                let near = index.saturating_sub(NEAR)..entries.len().min(index + NEAR + 1);
                shown[near].fill(true);
            }
        }
        shown
    }

    fn hidden(&mut self, parts: &mut usize) {
        if *parts > 0 {
            self.line(format_args!("{:>10}  {parts} more parts", "…"));
            *parts = 0;
        }
    }

    /// Tells of bytes that were taken out at the beginning of a part or inside of it.
    fn gone(&mut self, from: u64, to: u64) {
        for change in self.changes {
            if change.len == 0 && (from..to).contains(&change.offset) {
                self.line(format_args!("> {:#8x}  bytes were taken out here", change.offset));
            }
        }
    }

    fn part(&mut self, entry: &Entry) {
        let Some(bytes) = slice(self.bytes, entry.span) else { return };
        if self.last == Some(entry.span) {
            // Vtables are shared between tables, also of different types.
            self.line(format_args!(
                "{:>10}  {:<24} {:<24} {}",
                "",
                "the same bytes",
                entry.what.to_string(),
                entry.path
            ));
            return;
        }
        self.last = Some(entry.span);
        let rows = bytes.len().div_ceil(ROW);
        let mut skipped: Option<usize> = None;
        for (index, row) in bytes.chunks(ROW).enumerate() {
            let start = index * ROW;
            let span = Span::new(entry.span.offset + start as u64, row.len() as u64);
            let marked = self.changes.iter().any(|change| overlap(*change, span));
            if rows > ROWS && index >= HEAD && index + 1 < rows && self.is_dull(span) {
                skipped.get_or_insert(start);
                continue;
            }
            if let Some(first) = skipped.take() {
                let zeros = if bytes[first..start].iter().all(|byte| *byte == 0) { ", all zero" } else { "" };
                let whole = Span::new(entry.span.offset + first as u64, (start - first) as u64);
                let mark = if self.changes.iter().any(|change| overlap(*change, whole)) { '>' } else { ' ' };
                self.line(format_args!("{mark}{:>9}  {}{zeros}", "…", count(whole.len)));
            }
            let mark = if marked { '>' } else { ' ' };
            let hex = self.hex(row, span.offset);
            if index == 0 {
                let what = entry.what.to_string();
                let about = self.about(entry, bytes);
                self.line(format_args!("{mark} {:#8x} {hex:<26}{what:<24} {about}", span.offset));
            } else {
                self.line(format_args!("{mark} {:#8x} {hex}", span.offset));
            }
        }
    }

    /// Whether a row may be left out: nothing in it was changed, or everything in it and in its neighbours at once.
    fn is_dull(&self, row: Span) -> bool {
        let wide = Span::new(row.offset.saturating_sub(ROW as u64), row.len + 2 * ROW as u64);
        let mut changes = self.changes.iter().filter(|change| overlap(**change, row));
        changes.all(|change| change.offset <= wide.offset && wide.end() <= change.end())
    }

    /// The bytes of a row, changed ones in brackets.
    fn hex(&self, row: &[u8], offset: u64) -> String {
        let mut text = String::new();
        let mut inside = false;
        for (byte, at) in row.iter().zip(offset..) {
            let changed = self.changes.iter().any(|change| overlap(*change, Span::new(at, 1)));
            text.push(between(inside, changed));
            let _ = write!(text, "{byte:02x}");
            inside = changed;
        }
        text.push(between(inside, false));
        text
    }

    /// The field, and what its bytes say where that is told by the part alone.
    fn about(&mut self, entry: &Entry, bytes: &[u8]) -> String {
        let offset = entry.span.offset;
        let number = number(bytes);
        let value = match (entry.what, number) {
            (What::Root, Some(number)) => format!("-> {number:#x}"),
            (What::Reference, Some(number)) => format!("-> {:#x}", offset.wrapping_add(number)),
            (What::Table(_), Some(number)) => {
                // The distance counts backwards and is signed.
                let back = i64::from(u32::try_from(number).unwrap_or_default().cast_signed());
                format!("vtable at {:#x}", offset.wrapping_add_signed(-back))
            }
            (What::Count, Some(number)) => format!("= {number}"),
            (What::Header, Some(number)) if !entry.path.ends_with(".magic") => format!("= {number} ({number:#x})"),
            (What::Identifier | What::Header, _) => quoted(bytes),
            (What::Elements, _) if self.is_string(entry, bytes) => quoted(bytes),
            _ => String::new(),
        };
        match (self.path(entry), value.as_str()) {
            ("", value) => value.to_owned(),
            (path, "") => path.to_owned(),
            (path, value) => format!("{path} {value}"),
        }
    }

    /// The field, without what it has in common with the table or list before it.
    fn path<'e>(&mut self, entry: &'e Entry) -> &'e str {
        let path = entry.path.as_str();
        if matches!(entry.what, What::Table(_) | What::Count) {
            path.clone_into(&mut self.owner);
            return path;
        }
        match path.strip_prefix(self.owner.as_str()) {
            Some(rest) if rest.is_empty() || rest.starts_with(['.', '[']) => rest,
            _ => path,
        }
    }

    /// Whether the elements are text: printable, and with the zero byte behind that strings have.
    fn is_string(&self, entry: &Entry, bytes: &[u8]) -> bool {
        let terminator = slice(self.bytes, Span::new(entry.span.end(), 1));
        terminator == Some(&[0]) && bytes.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ')
    }

    fn line(&mut self, arguments: std::fmt::Arguments<'_>) {
        let line = arguments.to_string();
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }
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

/// Prose in lines that fit a page.
fn wrapped(prose: &str) -> String {
    let mut text = String::new();
    let mut width = 0;
    for word in prose.split(' ') {
        let len = word.chars().count();
        if width + 1 + len > WIDTH {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += len;
    }
    text + "\n"
}

fn quoted(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let dots = if bytes.len() > MOST { "…" } else { "" };
    format!("\"{}\"{dots}", bytes[..bytes.len().min(MOST)].escape_ascii())
}

fn count(bytes: u64) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

/// How many bytes the hex stands for.
fn hex_len(hex: &str) -> u64 {
    hex.len() as u64 / 2
}

/// Hex with a space between bytes, cut short.
fn spaced(hex: &str) -> String {
    let shown = hex.get(..2 * EDIT).unwrap_or(hex);
    let bytes: Vec<&str> = (0..shown.len() / 2).filter_map(|at| shown.get(2 * at..2 * at + 2)).collect();
    let dots = if shown.len() < hex.len() { " …" } else { "" };
    bytes.join(" ") + dots
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(bytes: &[u8], changes: &[Span]) -> String {
        let mut text = String::new();
        let page = Page { bytes, changes, text: &mut text, owner: String::new(), last: None, all: false };
        page.map(&ByteMap::of(bytes));
        text
    }

    #[test]
    fn long_parts_are_cut_short_but_for_what_was_changed() {
        let mut bytes = [0; 168];
        bytes[81] = 7;
        let text = page(&bytes, &[Span::new(81, 2)]);
        let lines: Vec<&str> = text.lines().skip(4).collect();
        assert_eq!(
            lines,
            [
                "       0x8  00 00 00 00 00 00 00 00  padding",
                "      0x10  00 00 00 00 00 00 00 00",
                "         …  56 bytes, all zero",
                ">     0x50  00[07 00]00 00 00 00 00",
                "         …  72 bytes, all zero",
                "      0xa0  00 00 00 00 00 00 00 00",
                "      0xa8  end of file",
            ]
        );
    }

    #[test]
    fn what_was_put_in_at_length_is_cut_short_too() {
        let text = page(&[1; 168], &[Span::new(8, 160)]);
        assert!(text.contains(">        …  136 bytes\n>     0xa0 [01 01 01 01 01 01 01 01]\n"), "{text}");
    }

    #[test]
    fn bytes_taken_out_leave_a_mark() {
        let text = page(&[0; 8], &[Span::new(8, 0)]);
        assert!(text.ends_with(">      0x8  bytes were taken out here\n       0x8  end of file\n"), "{text}");
    }
}

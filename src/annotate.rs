//! **The byte map of a file**: which part of it each byte belongs to.
//!
//! The map is made by the structure pass, so it covers what the pass can reach: a broken file is mapped up to its defects.
//! Parts are found by field path and kind, which is how the case registry places its defects.
//!
//! ```
//! use torchproof::annotate::{ByteMap, What};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bytes = std::fs::read("corpus/real/linear.pte")?;
//! let map = ByteMap::of(&bytes);
//! let name = map.find("execution_plan[0].name", What::Elements).expect("the plan has a name");
//! assert_eq!(&bytes[name.span.offset as usize..name.span.end() as usize], b"forward");
//! # Ok(()) }
//! ```

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::bundled::{self, schema::BundledProgram};
use crate::check::Kind;
use crate::flatbuffer::walk::{Flow, Part, Path, Visitor, walk};
use crate::flatbuffer::{self, Fault};
use crate::ptd::older_schema::OlderFlatTensor;
use crate::ptd::schema::FlatTensor;
use crate::ptd::{self, Layout};
use crate::pte::schema::Program;
use crate::pte::{self};
use crate::{Image, Limits, Span};

/// What a mapped range is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The root offset.
    Root,
    /// The file identifier.
    Identifier,
    /// A field of the ExecuTorch header.
    Header,
    /// A table's first word, the distance to its vtable; the table's type.
    Table(&'static str),
    /// A vtable; the type of a table that it describes.
    Vtable(&'static str),
    /// An inline number, bool, enum value or union tag.
    Scalar,
    /// A reference.
    Reference,
    /// A vector's or string's count.
    Count,
    /// A vector's elements or a string's bytes.
    Elements,
    /// The zero byte behind a string.
    Terminator,
    /// A segment's bytes.
    Segment,
    /// Bytes that belong to no part.
    Unowned,
}

impl What {
    /// One word for it, which a table and a vtable of any type have in common.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            What::Root => "root",
            What::Identifier => "identifier",
            What::Header => "header",
            What::Table(_) => "table",
            What::Vtable(_) => "vtable",
            What::Scalar => "value",
            What::Reference => "reference",
            What::Count => "count",
            What::Elements => "elements",
            What::Terminator => "terminator",
            What::Segment => "segment",
            What::Unowned => "unowned",
        }
    }

    /// The type of a table, or of one that a vtable describes.
    #[must_use]
    pub const fn table_type(self) -> Option<&'static str> {
        match self {
            What::Table(ty) | What::Vtable(ty) => Some(ty),
            _ => None,
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Root => f.write_str("root offset"),
            What::Identifier => f.write_str("identifier"),
            What::Header => f.write_str("header"),
            What::Table(ty) => write!(f, "table {ty}"),
            What::Vtable(ty) => write!(f, "vtable of {ty}"),
            What::Scalar => f.write_str("value"),
            What::Reference => f.write_str("reference"),
            What::Count => f.write_str("count"),
            What::Elements => f.write_str("elements"),
            What::Terminator => f.write_str("terminator"),
            What::Segment => f.write_str("segment"),
            What::Unowned => f.write_str("padding"),
        }
    }
}

/// One range of a file and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The bytes.
    pub span: Span,
    /// What they are.
    pub what: What,
    /// The field, as in findings; a shared part has the path that reached it first.
    pub path: String,
}

/// The parts of a file, by offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteMap {
    entries: Vec<Entry>,
}

impl ByteMap {
    /// Maps a whole file, as far as it can be followed.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut entries = Vec::new();
        let mut push = |span, what, path: &str| entries.push(Entry { span, what, path: path.to_string() });
        if bytes.len() >= 8 {
            push(Span::new(0, 4), What::Root, "");
            push(Span::new(4, 4), What::Identifier, "identifier");
        }
        match flatbuffer::identifier(bytes) {
            Some(pte::IDENTIFIER) => program(bytes, &mut entries),
            Some(ptd::IDENTIFIER) => data(bytes, &mut entries),
            Some(bundled::IDENTIFIER) => bundle(bytes, &mut entries),
            _ => {}
        }
        entries.sort_by_key(|entry| (entry.span.offset, entry.span.len));
        // A vtable can be that of tables of many types; it belongs to the one that reached it first.
        let vtable = |what| matches!(what, What::Vtable(_));
        let same = |one, other| one == other || vtable(one) && vtable(other);
        entries.dedup_by(|later, earlier| later.span == earlier.span && same(later.what, earlier.what));
        Self { entries }
    }

    /// The mapped parts, by offset. Parts may overlap only where the file makes them.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The part of this kind at this path.
    #[must_use]
    pub fn find(&self, path: &str, what: What) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.path == path && entry.what == what)
    }

    /// The table at this path, by its first word.
    #[must_use]
    pub fn table(&self, path: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.path == path && matches!(entry.what, What::Table(_)))
    }

    /// Follows an edit of the bytes: `was` of them at `at` are replaced by `now` others.
    ///
    /// The parts stay what they were, whatever the edit did to the file's sense; a part whose bytes are gone is left out.
    pub fn splice(&mut self, at: u64, was: u64, now: u64) {
        for entry in &mut self.entries {
            entry.span = entry.span.spliced(at, was, now);
        }
        self.entries.retain(|entry| entry.span.len > 0);
    }

    /// The parts of a file of `len` bytes, in order, and between them what belongs to none.
    ///
    /// Every byte is in one of them at least, and in several where a broken file has parts overlap: [`cover`](Self::cover) gives
    /// each byte once.
    pub fn parts(&self, len: u64) -> impl Iterator<Item = Entry> + '_ {
        let mut at = 0;
        let tail = core::iter::once(None);
        self.entries.iter().map(Some).chain(tail).flat_map(move |entry| {
            let start = entry.map_or(len, |entry| entry.span.offset);
            let gap = (start > at).then(|| Entry {
                span: Span::new(at, start - at),
                what: What::Unowned,
                path: String::new(),
            });
            at = at.max(entry.map_or(len, |entry| entry.span.end()));
            gap.into_iter().chain(entry.cloned())
        })
    }

    /// Every byte of a file of `len` bytes once, in order, with its owner.
    ///
    /// Where parts overlap, which they do in broken files alone, a byte belongs to the part that begins first, and of two that
    /// begin together to the shorter; a part of which nothing is left is left out.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let bytes = std::fs::read("corpus/files/pte/structure/root-in-identifier.pte")?;
    /// let map = torchproof::annotate::ByteMap::of(&bytes);
    /// let owned: u64 = map.cover(bytes.len() as u64).map(|entry| entry.span.len).sum();
    /// assert_eq!(owned, bytes.len() as u64);
    /// # Ok(()) }
    /// ```
    pub fn cover(&self, len: u64) -> impl Iterator<Item = Entry> + '_ {
        let mut at = 0;
        self.parts(len).filter_map(move |mut entry| {
            let (start, end) = (entry.span.offset.max(at), entry.span.end());
            at = at.max(end);
            entry.span = Span::new(start, end.saturating_sub(start));
            (entry.span.len > 0).then_some(entry)
        })
    }
}

fn header_fields(fields: &[(&str, Span)], entries: &mut Vec<Entry>) {
    for (name, span) in fields {
        let path = alloc::format!("header.{name}");
        entries.push(Entry { span: *span, what: What::Header, path });
    }
}

fn program(bytes: &[u8], entries: &mut Vec<Entry>) {
    let len = bytes.len() as u64;
    let mut end = len;
    let mut base = 0;
    if let pte::header::Found::Header(header) = pte::Header::find(bytes) {
        use pte::header as place;
        let fields = [
            ("magic", place::MAGIC_SPAN),
            ("length", place::LENGTH_SPAN),
            ("program_size", place::PROGRAM_SIZE_SPAN),
            ("segment_base_offset", place::SEGMENT_BASE_OFFSET_SPAN),
            ("segment_data_size", place::SEGMENT_DATA_SIZE_SPAN),
        ];
        let known = if header.segment_data_size.is_some() { 5 } else { 4 };
        header_fields(&fields[..known], entries);
        end = header.program_size.min(len);
        base = header.segment_base_offset;
    }
    let Some(region) = Image::whole(bytes).region(end) else { return };
    follow::<Program<'_>>(region, entries);
    if let Ok(file) = pte::Pte::open(bytes) {
        let count = file.program().segments().ok().flatten().map_or(0, flatbuffer::Vector::len);
        segments(count, base, &|index| file.segment(index).ok(), entries);
    }
}

fn data(bytes: &[u8], entries: &mut Vec<Entry>) {
    let len = bytes.len() as u64;
    let ptd::header::Found::Header(header) = ptd::Header::find(bytes) else { return };
    use ptd::header as place;
    let fields = [
        ("magic", place::MAGIC_SPAN),
        ("length", place::LENGTH_SPAN),
        ("flatbuffer_offset", place::FLATBUFFER_OFFSET_SPAN),
        ("flatbuffer_size", place::FLATBUFFER_SIZE_SPAN),
        ("segment_base_offset", place::SEGMENT_BASE_OFFSET_SPAN),
        ("segment_data_size", place::SEGMENT_DATA_SIZE_SPAN),
    ];
    header_fields(&fields, entries);
    let end = header.flatbuffer_end().unwrap_or(len).min(len);
    let Some(region) = Image::whole(bytes).region(end) else { return };
    let older =
        flatbuffer::root(region).is_ok_and(|root| matches!(Layout::of(root, Limits::DEFAULT), Layout::Older(_)));
    if older {
        follow::<OlderFlatTensor<'_>>(region, entries);
    } else {
        follow::<FlatTensor<'_>>(region, entries);
    }
    if let Ok(file) = ptd::Ptd::open(bytes) {
        let count = file.segments().ok().flatten().map_or(0, flatbuffer::Vector::len);
        segments(count, header.segment_base_offset, &|index| file.segment(index).ok(), entries);
    }
}

/// A bundled program, and in the place of the vector that holds the program the parts of that.
fn bundle(bytes: &[u8], entries: &mut Vec<Entry>) {
    follow::<BundledProgram<'_>>(bytes, entries);
    let Ok(program) = bundled::Bundled::open(bytes).and_then(|file| file.program_bytes()) else { return };
    // One bundled program in another would have this go as deep as the file's bytes allow.
    if Kind::of_head(program) != Kind::Pte {
        return;
    }
    let held = entries.iter().position(|entry| entry.path == "program" && entry.what == What::Elements);
    let Some(held) = held.map(|index| entries.swap_remove(index).span) else { return };
    entries.extend(ByteMap::of(program).entries.into_iter().map(|mut entry| {
        entry.span.offset += held.offset;
        let dot = if entry.path.is_empty() { "" } else { "." };
        entry.path = alloc::format!("program{dot}{}", entry.path);
        entry
    }));
}

fn segments(count: usize, base: u64, place: &dyn Fn(u32) -> Option<Span>, entries: &mut Vec<Entry>) {
    for index in 0..u32::try_from(count).unwrap_or(0) {
        if let Some(span) = place(index).filter(|span| span.len > 0 && span.offset >= base) {
            entries.push(Entry { span, what: What::Segment, path: alloc::format!("segments[{index}]") });
        }
    }
}

fn follow<'a, T: flatbuffer::schema::TableView<'a>>(region: &'a [u8], entries: &mut Vec<Entry>) {
    let collector = Collector { entries: core::mem::take(entries) };
    // A map has an entry for each part, as often as it is reached: what sharing may add to the file's own parts is bounded.
    let limits = Limits { apparent_size: 16 * region.len() as u64 + (1 << 16), ..Limits::DEFAULT };
    *entries = walk::<T, _>(region, limits, collector).0.entries;
}

struct Collector {
    entries: Vec<Entry>,
}

impl Visitor<'_> for Collector {
    fn fault(&mut self, _: &Fault, _: Path<'_>) -> Flow {
        Ok(())
    }

    fn part(&mut self, part: Part, span: Span, path: Path<'_>) {
        let what = match part {
            Part::Root => return,
            Part::TableStart(ty) => What::Table(ty),
            Part::Vtable(ty) => What::Vtable(ty),
            Part::Scalar | Part::Tag => What::Scalar,
            Part::Reference => What::Reference,
            Part::Count => What::Count,
            Part::Elements => What::Elements,
            Part::Terminator => What::Terminator,
        };
        let suffix = if part == Part::Tag { "_type" } else { "" };
        self.entries.push(Entry { span, what, path: alloc::format!("{path}{suffix}") });
    }
}

#[cfg(all(test, feature = "std"))]
#[allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]
mod tests {
    use super::*;
    use crate::generate::{self, Config, generate};

    /// Every byte belongs to one part or to none, and those to none are zeros unless something may be left over.
    fn expect_one_owner_each(name: &str, bytes: &[u8], left_over: bool) {
        let map = ByteMap::of(bytes);
        let mut at = 0;
        for entry in map.parts(bytes.len() as u64) {
            assert_eq!(entry.span.offset, at, "{name}: {entry:?}");
            at = entry.span.end();
            if entry.what == What::Unowned && !left_over {
                let range = usize::try_from(entry.span.offset).unwrap()..usize::try_from(at).unwrap();
                assert!(bytes[range].iter().all(|byte| *byte == 0), "{name}: {entry:?}");
            }
        }
        assert_eq!(at, bytes.len() as u64, "{name}");
    }

    /// Every byte is given once, in order, and every part is inside of the file.
    fn expect_every_byte_once(name: &str, bytes: &[u8]) {
        let len = bytes.len() as u64;
        let map = ByteMap::of(bytes);
        let mut at = 0;
        for entry in map.cover(len) {
            assert!(entry.span.offset == at && entry.span.len > 0, "{name}: {entry:?} at {at}");
            at = entry.span.end();
        }
        assert_eq!(at, len, "{name}");
        assert!(map.entries().iter().all(|entry| entry.span.end() <= len), "{name}");
    }

    #[test]
    fn every_byte_of_a_valid_file_has_one_owner() {
        for kind in generate::Kind::ALL {
            for seed in 0..60 {
                for file in generate(kind, &Config::default(), seed).unwrap() {
                    expect_one_owner_each(&alloc::format!("{} {seed}", kind.name()), &file.bytes, false);
                }
            }
        }
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/real");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension != "md") {
                expect_one_owner_each(&path.display().to_string(), &std::fs::read(&path).unwrap(), false);
            }
        }
    }

    /// Cases that are no writer's, in which a part that was replaced is still there and nothing refers to it.
    #[cfg(feature = "corpus")]
    const LEFT_OVER: &[&str] = &[
        "ptd/valid/rank-16",
        "pte/valid/compile-spec-empty-value",
        "pte/valid/compile-specs-absent",
        "pte/valid/compile-specs-empty",
        "pte/valid/container-strings-absent",
        "pte/valid/empty-string-value",
        "pte/valid/external-in-older-file",
        "pte/valid/null-without-table",
        "pte/valid/operator-name-99",
        "pte/valid/rank-0",
        "pte/valid/rank-16",
        "pte/valid/vtable-behind-table",
    ];

    /// With all legal oddities: shared tables and segments, unknown fields, a program inside of another file.
    #[test]
    #[cfg(feature = "corpus")]
    fn every_byte_of_a_case_that_is_accepted_has_one_owner() {
        let accepted = crate::cases::all().filter(|case| case.verdict == crate::corpus::Verdict::Accept);
        for case in accepted {
            let left_over = LEFT_OVER.contains(&case.id);
            expect_one_owner_each(case.id, &case.build().unwrap().bytes, left_over);
        }
    }

    #[test]
    #[cfg(feature = "corpus")]
    fn every_byte_of_a_broken_file_is_mapped_once() {
        let mut random = crate::random::Random::new(5);
        for case in crate::cases::all() {
            let bytes = case.build().unwrap().bytes;
            expect_every_byte_once(case.id, &bytes);
            if bytes.len() > 4096 {
                continue;
            }
            let words = [0, 1, 4, 0x7fff_ffff, u32::MAX, u32::try_from(bytes.len()).unwrap()];
            for _ in 0..4 {
                let mut broken = bytes.clone();
                for _ in 0..=random.index(3) {
                    let at = random.index(bytes.len() + 1) & !3;
                    let word = random.pick(&words).unwrap().to_le_bytes();
                    for (byte, new) in broken.iter_mut().skip(at).zip(word) {
                        *byte = new;
                    }
                }
                expect_every_byte_once(case.id, &broken);
                expect_every_byte_once(case.id, &bytes[..random.index(bytes.len() + 1)]);
            }
        }
    }

    #[test]
    fn a_byte_of_two_parts_is_the_first_ones() {
        let part =
            |offset, len, path: &str| Entry { span: Span::new(offset, len), what: What::Segment, path: path.into() };
        let entries = alloc::vec![part(2, 2, "a"), part(2, 4, "b"), part(3, 2, "c"), part(5, 3, "d")];
        let map = ByteMap { entries };
        let cover: Vec<(u64, u64, String)> =
            map.cover(9).map(|entry| (entry.span.offset, entry.span.len, entry.path)).collect();
        let expected = [(0, 2, ""), (2, 2, "a"), (4, 2, "b"), (6, 2, "d"), (8, 1, "")];
        assert_eq!(cover, expected.map(|(offset, len, path)| (offset, len, path.to_string())));
        assert_eq!(map.parts(9).count(), 6);
    }
}

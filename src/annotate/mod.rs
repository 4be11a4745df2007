//! **The byte map of a file** assigns each byte to a part of the file.
//!
//! The verifier builds the map, so a broken file is mapped up to its defects. A field path and a kind identify a part.
//!
//! ```
//! use torchproof::annotate::{ByteMap, PartKind};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bytes = std::fs::read("corpus/real/linear.pte")?;
//! let map = ByteMap::of(&bytes);
//! let name = map.find("execution_plan[0].name", PartKind::Elements).expect("the plan has a name");
//! assert_eq!(&bytes[name.span.offset as usize..name.span.end() as usize], b"forward");
//! # Ok(()) }
//! ```

mod entry;
mod follow;
mod padding;

use alloc::vec::Vec;

use crate::Span;
pub use crate::part_kind::PartKind;
pub use entry::{Entry, Missed};
use follow::FoundParts;

/// The parts of a file, in order of their offsets.
#[derive(Clone, Debug)]
pub struct ByteMap {
    entries: Vec<Entry>,
    missed: Vec<Missed>,
    /// The position of the inner program, from which its alignments count; 0 without an inner program.
    program_start: u64,
}

impl ByteMap {
    /// Maps a file, as far as the verifier reaches.
    ///
    /// The collector visits each table, list and string once, even a shared part. So the file size limits the map size.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let FoundParts { mut entries, missed, program_start } = FoundParts::of(bytes);
        entries.sort_by_key(|entry| (entry.span.offset, entry.span.len));
        entries.dedup_by(|later, earlier| later.span == earlier.span && later.kind == earlier.kind);
        Self { entries, missed, program_start }
    }

    /// Whether the map covers all parts of the file. Only in a complete map do unowned bytes belong to no part.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.missed.is_empty()
    }

    /// The parts that could not be mapped.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let bytes = std::fs::read("corpus/files/pte/structure/root-in-identifier.pte")?;
    /// let map = torchproof::annotate::ByteMap::of(&bytes);
    /// assert!(!map.is_complete());
    /// assert_eq!(map.missed()[0].error.rule().unwrap(), "fb-root-offset-range");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn missed(&self) -> &[Missed] {
        &self.missed
    }

    /// The mapped parts, in order of their offsets. Entries overlap only where the file's parts overlap.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The part of the given kind at the given path.
    #[must_use]
    pub fn find(&self, path: &str, kind: PartKind) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.path == path && entry.kind == kind)
    }

    /// Updates the map after an edit that replaces `was` bytes at `at` with `now` bytes.
    ///
    /// The map keeps the meaning of every part, even where the edit changed bytes. It drops parts without remaining
    /// bytes.
    pub fn splice(&mut self, at: u64, was: u64, now: u64) {
        for entry in &mut self.entries {
            entry.span = entry.span.spliced(at, was, now);
        }
        self.entries.retain(|entry| entry.span.len > 0);
    }

    /// The parts of the file `bytes` in order, with gaps as padding or unowned bytes.
    ///
    /// Every byte is in at least one part. In a broken file with overlaps, a byte may be in several parts;
    /// [`cover`](Self::cover) returns each byte once.
    pub fn parts<'m>(&'m self, bytes: &'m [u8]) -> impl Iterator<Item = Entry> + 'm {
        let len = bytes.len() as u64;
        let mut at = 0;
        let tail = core::iter::once(None);
        self.entries.iter().map(Some).chain(tail).flat_map(move |entry| {
            let start = entry.map_or(len, |entry| entry.span.offset);
            let gap = (start > at).then(|| self.gap(bytes, Span::new(at, start - at)));
            at = at.max(entry.map_or(len, |entry| entry.span.end()));
            gap.into_iter().chain(entry.cloned())
        })
    }

    /// Every byte of the file `bytes` once, in order, with its part.
    ///
    /// In broken files, parts may overlap. A byte then belongs to the part that begins first. If two parts begin
    /// together, the byte belongs to the shorter part. The iterator drops parts without remaining bytes.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let bytes = std::fs::read("corpus/files/pte/structure/root-in-identifier.pte")?;
    /// let map = torchproof::annotate::ByteMap::of(&bytes);
    /// let owned: u64 = map.cover(&bytes).map(|entry| entry.span.len).sum();
    /// assert_eq!(owned, bytes.len() as u64);
    /// # Ok(()) }
    /// ```
    pub fn cover<'m>(&'m self, bytes: &'m [u8]) -> impl Iterator<Item = Entry> + 'm {
        let mut at = 0;
        self.parts(bytes).filter_map(move |mut entry| {
            let (start, end) = (entry.span.offset.max(at), entry.span.end());
            at = at.max(end);
            entry.span = Span::new(start, end.saturating_sub(start));
            (entry.span.len > 0).then_some(entry)
        })
    }
}

#[cfg(all(test, feature = "std"))]
#[allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]
mod tests;

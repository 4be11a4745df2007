//! **The byte map of a file**: which part of it each byte belongs to.
//!
//! The verifier makes the map, so the map covers what the verifier can reach: a broken file is mapped up to its defects.
//! A field path and a kind find a part.
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

/// The parts of a file, by offset.
#[derive(Clone, Debug)]
pub struct ByteMap {
    entries: Vec<Entry>,
    missed: Vec<Missed>,
    /// Where a program that the file holds begins, from which the places of its parts count; 0 without one.
    held: u64,
}

impl ByteMap {
    /// Maps a whole file, as far as it can be followed.
    ///
    /// Each table, list and string is visited once, however often the file refers to it, so the map grows with the file and not
    /// with what the file describes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let FoundParts { mut entries, missed, held } = FoundParts::of(bytes);
        entries.sort_by_key(|entry| (entry.span.offset, entry.span.len));
        entries.dedup_by(|later, earlier| later.span == earlier.span && later.kind == earlier.kind);
        Self { entries, missed, held }
    }

    /// Whether everything that the file refers to was followed: only then do bytes of no part belong to nothing.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.missed.is_empty()
    }

    /// Where it could not be followed.
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

    /// The mapped parts, by offset. Parts may overlap only where the file makes them.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The part of this kind at this path.
    #[must_use]
    pub fn find(&self, path: &str, kind: PartKind) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.path == path && entry.kind == kind)
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

    /// The parts of the file with these bytes, in order, and between them what belongs to none.
    ///
    /// Every byte is in one of them at least, and in several where a broken file has parts overlap: [`cover`](Self::cover) gives
    /// each byte once.
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

    /// Every byte of the file with these bytes once, in order, with its owner.
    ///
    /// Where parts overlap, which they do in broken files alone, a byte belongs to the part that begins first, and of two that
    /// begin together to the shorter; a part of which nothing is left is left out.
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

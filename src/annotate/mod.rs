//! **The byte map of a file** assigns each byte to a part of the file.
//!
//! The verifier collects the parts. A defect can hide parts from it, so the map of a broken file may be incomplete. A
//! part is identified by its field path and its kind.
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
pub use entry::{Entry, UnmappedPart};
use follow::FoundParts;

/// The parts of a file, sorted by offset.
#[derive(Clone, Debug)]
pub struct ByteMap {
    entries: Vec<Entry>,
    unmapped: Vec<UnmappedPart>,
    /// Where the inner program begins, or 0. Alignments in the program are relative to it.
    program_start: u64,
}

impl ByteMap {
    /// Creates the map of a file. Parts that the verifier does not reach are missing from the map.
    ///
    /// Each table, list and string is mapped once, however often the file refers to it. The map needs at most 16 MiB of
    /// memory plus 40 bytes for each byte of the FlatBuffer. A map that would need more stays incomplete and has an
    /// unmapped part with the error [`Limit::Memory`](crate::Limit::Memory).
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let FoundParts { mut entries, unmapped, program_start, .. } = FoundParts::of(bytes);
        entries.sort_by_key(|entry| (entry.span.offset, entry.span.len));
        entries.dedup_by(|later, earlier| later.span == earlier.span && later.kind == earlier.kind);
        Self { entries, unmapped, program_start }
    }

    /// Returns whether the map contains all parts of the file.
    ///
    /// If the map is incomplete, unowned bytes may belong to a missing part.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.unmapped.is_empty()
    }

    /// The parts that could not be mapped.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let bytes = std::fs::read("corpus/files/pte/structure/root-in-identifier.pte")?;
    /// let map = torchproof::annotate::ByteMap::of(&bytes);
    /// assert!(!map.is_complete());
    /// assert_eq!(map.unmapped()[0].error.rule().unwrap(), "fb-root-offset-range");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn unmapped(&self) -> &[UnmappedPart] {
        &self.unmapped
    }

    /// Returns the mapped parts by offset. Entries overlap only if parts of the file overlap.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the part of the given kind at the given path, if the map contains it.
    #[must_use]
    pub fn find(&self, path: &str, kind: PartKind) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.path == path && entry.kind == kind)
    }

    /// Updates the map after an edit that replaced `was` bytes of the file at `at` with `now` bytes.
    ///
    /// A part keeps its path and kind even if some of its bytes changed. A part that lost all bytes is dropped.
    pub fn splice(&mut self, at: u64, was: u64, now: u64) {
        for entry in &mut self.entries {
            entry.span = entry.span.spliced(at, was, now);
        }
        self.entries.retain(|entry| entry.span.len > 0);
    }

    /// Returns the gaps between the parts of the file `bytes`: padding and unowned bytes.
    pub fn gaps<'m>(&'m self, bytes: &'m [u8]) -> impl Iterator<Item = Entry> + 'm {
        self.parts_with_gaps(bytes).filter_map(|(gap, _)| gap)
    }

    /// Returns each part with the gap before it. The last item is the gap at the end of the file.
    fn parts_with_gaps<'m>(&'m self, bytes: &'m [u8]) -> impl Iterator<Item = (Option<Entry>, Option<&'m Entry>)> + 'm {
        let len = bytes.len() as u64;
        let mut at = 0;
        let tail = core::iter::once(None);
        self.entries.iter().map(Some).chain(tail).map(move |entry| {
            let start = entry.map_or(len, |entry| entry.span.offset);
            let gap = (start > at).then(|| self.gap(bytes, Span::new(at, start - at)));
            at = at.max(entry.map_or(len, |entry| entry.span.end()));
            (gap, entry)
        })
    }

    /// Returns the parts of the file `bytes` in order, including padding and unowned bytes.
    ///
    /// Every byte is in at least one part. In a broken file, parts may overlap, so a byte may be in several parts;
    /// [`cover`](Self::cover) assigns each byte to just one part.
    pub fn parts<'m>(&'m self, bytes: &'m [u8]) -> impl Iterator<Item = Entry> + 'm {
        self.parts_with_gaps(bytes).flat_map(|(gap, entry)| gap.into_iter().chain(entry.cloned()))
    }

    /// Divides the file `bytes` into ranges, and returns the part that each range belongs to.
    ///
    /// Every byte is in exactly one range. Where parts of a broken file overlap, a byte belongs to the part that begins
    /// first or, if two parts begin at the same position, to the shorter part. Parts that get no byte are omitted.
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
#[allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]
mod tests;

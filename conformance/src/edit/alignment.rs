//! Which alignments a file was laid out with, as far as the places in it tell.

use torchproof::Span;

/// The most that segments are aligned to: 64 KiB, the largest page that there is.
///
/// Alignments that are told from where things are go no further: what is at a multiple of more is there by chance.
pub const MOST_ALIGNMENT: u64 = 1 << 16;

/// The alignments of a file: powers of two up to 64 KiB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Alignments {
    /// What every place in the file is aligned to, and what a new one should be.
    pub(super) file: u64,
    /// The segment base.
    pub(super) base: u64,
    /// The places of the segments, counted from the base.
    pub(super) segments: Vec<u64>,
}

impl Alignments {
    /// What these places tell, of a file whose writers usually align to `usual`.
    ///
    /// **What the usual alignment explains is not taken for more.** A file that is laid out as if there were no other alignment
    /// has no other, whatever powers of two its places are multiples of: small files have most of their places at multiples of
    /// 512 or 4096 by chance, and to keep those would let a file grow with each edit. In any other file, they all have the
    /// alignment that they have in common, and a place with more padding before it than that explains has its own.
    ///
    /// `flatbuffer_end` and `base` are counted from the file's start; a base of 0 is none, and tells nothing.
    pub(super) fn told(usual: u64, flatbuffer_end: u64, base: u64, segments: &[Span]) -> Self {
        if base == 0 {
            return Self { file: usual, base: usual, segments: vec![usual; segments.len()] };
        }
        let base = Part { before: flatbuffer_end, at: base };
        let parts = in_order(segments);
        let all = || parts.iter().flatten().chain([&base]);
        let file = told_by(usual, &all());
        let own = |part: &Part| {
            let explained = [file, usual].into_iter().find(|alignment| part.is_explained_by(*alignment));
            explained.unwrap_or(largest_power(part.at))
        };
        let segments = parts.iter().map(|part| part.as_ref().map_or(file, own)).collect();
        Self { file, base: own(&base), segments }
    }
}

/// The alignment of what lies in these places from 0 on, where `usual` is the usual one.
pub(super) fn told_within(usual: u64, places: &[Span]) -> u64 {
    told_by(usual, &in_order(places).iter().flatten())
}

/// What these have in common, or the usual alignment if that explains them all.
fn told_by<'p>(usual: u64, parts: &(impl Iterator<Item = &'p Part> + Clone)) -> u64 {
    let common = largest_power(parts.clone().fold(0, |bits, part| bits | part.at));
    let usual_explains = parts.clone().all(|part| part.is_explained_by(usual));
    if common > usual && usual_explains { usual } else { common }
}

/// Something that has a place, behind something else.
struct Part {
    /// Where that ends.
    before: u64,
    at: u64,
}

impl Part {
    /// Whether the first multiple of `alignment` that was free is the place.
    fn is_explained_by(&self, alignment: u64) -> bool {
        self.before.checked_next_multiple_of(alignment) == Some(self.at)
    }
}

/// The segments with what is before them in the file; an empty one can be anywhere.
fn in_order(segments: &[Span]) -> Vec<Option<Part>> {
    let mut order: Vec<usize> = (0..segments.len()).filter(|index| segments[*index].len > 0).collect();
    order.sort_by_key(|index| segments[*index].offset);
    let mut parts: Vec<_> = segments.iter().map(|_| None).collect();
    let mut before = 0;
    for index in order {
        let segment = segments[index];
        parts[index] = Some(Part { before, at: segment.offset });
        before = before.max(segment.offset.saturating_add(segment.len));
    }
    parts
}

/// The greatest power of two up to 64 KiB that `position` is a multiple of.
pub(super) fn largest_power(position: u64) -> u64 {
    MOST_ALIGNMENT >> 16_u32.saturating_sub(position.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(flatbuffer_end: u64, base: u64, segments: &[(u64, u64)]) -> (u64, u64, Vec<u64>) {
        let segments: Vec<_> = segments.iter().map(|(offset, len)| Span::new(*offset, *len)).collect();
        let Alignments { file, base, segments } = Alignments::told(128, flatbuffer_end, base, &segments);
        (file, base, segments)
    }

    #[test]
    fn what_the_usual_alignment_explains_is_not_taken_for_more() {
        assert_eq!(told(1464, 1536, &[(0, 144)]), (128, 128, vec![128]));
        assert_eq!(told(3992, 4096, &[(0, 4000), (4096, 1)]), (128, 128, vec![128, 128]));
        assert_eq!(told(100, 0, &[(0, 0)]), (128, 128, vec![128]));
    }

    #[test]
    fn padding_that_the_usual_alignment_does_not_explain_tells_another() {
        assert_eq!(told(1464, 4096, &[(0, 80)]), (4096, 4096, vec![4096]));
        assert_eq!(told(4000, 4096, &[(0, 80), (4096, 5000), (12288, 1)]), (4096, 4096, vec![4096; 3]));
        // A blob of its own alignment, in a file as usual.
        assert_eq!(told(1464, 1536, &[(0, 80), (128, 5), (4096, 1)]), (128, 128, vec![128, 128, 4096]));
        // A base of its own.
        assert_eq!(told(1464, 4096, &[(0, 80), (128, 5)]), (128, 4096, vec![128, 128]));
    }

    #[test]
    fn less_than_usual_is_what_all_have_in_common() {
        assert_eq!(told(300, 304, &[(0, 20), (32, 5), (48, 1)]), (16, 16, vec![16, 16, 16]));
        // Something more was put behind.
        assert_eq!(told(300, 384, &[(0, 20), (32, 5), (128, 1)]), (32, 128, vec![32, 32, 128]));
        assert_eq!(told(41, 41, &[(0, 3), (3, 1)]), (1, 1, vec![1, 1]));
    }

    /// What comes later in the file may come first in the list, and what is empty may be anywhere.
    #[test]
    fn the_order_of_the_places_counts() {
        assert_eq!(told(1464, 1536, &[(128, 5), (0, 80), (77, 0)]), (128, 128, vec![128, 128, 128]));
    }
}

//! Segments that would have bytes of the file in common.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use torchproof::FileKind;
use torchproof::Span;
use torchproof::write::PIECE;

use super::{Document, EditError};

/// Two segments that cannot both be where they are to be.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Overlap {
    /// They have places in common, which a must-rule forbids.
    Forbidden {
        /// The one of the two that comes later in the list.
        segment: usize,
        /// Where it begins, from the segment base.
        begin: u64,
        /// The other.
        other: usize,
        /// Where that ends, from the segment base.
        end: u64,
        /// The rule.
        rule: &'static str,
    },
    /// They have places in common, and other bytes there.
    Differing {
        /// The one that lies further behind.
        segment: usize,
        /// The first of its bytes that differs, from its beginning.
        at: u64,
        /// That byte.
        byte: u8,
        /// The other.
        other: usize,
        /// The other's byte in the same place.
        other_byte: u8,
    },
}

impl Overlap {
    /// The segment that is where it cannot be.
    #[must_use]
    pub fn segment(&self) -> usize {
        match self {
            Overlap::Forbidden { segment, .. } | Overlap::Differing { segment, .. } => *segment,
        }
    }
}

impl fmt::Display for Overlap {
    /// Writes what is wrong with the segment, but for its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Overlap::Forbidden { begin, other, end, rule, .. } => {
                write!(f, "segment begins at {begin}, before segments[{other}] ends at {end} (breaks {rule})")
            }
            Overlap::Differing { at, byte, other, other_byte, .. } => write!(
                f,
                "byte {at} is {byte:#04x}, and that of segments[{other}] in the same place is {other_byte:#04x}"
            ),
        }
    }
}

impl std::error::Error for Overlap {}

/// A segment among those that lie before it in the file.
pub(super) struct Placed {
    pub(super) index: usize,
    /// Bytes between the end of what lies before it and its beginning.
    pub(super) gap: u64,
    /// How many of its first bytes lie in another segment too.
    pub(super) hidden: u64,
    /// That one: of those before it, the one that ends last.
    under: usize,
}

/// The segments in the order in which they lie in the file.
pub(super) fn in_order(places: &[Span]) -> impl Iterator<Item = Placed> + '_ {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|index| (places[*index].offset, places[*index].len));
    let (mut end, mut last) = (0_u64, 0);
    order.into_iter().map(move |index| {
        let place = places[index];
        let hidden = end.saturating_sub(place.offset).min(place.len);
        let placed = Placed { index, gap: place.offset.saturating_sub(end), hidden, under: last };
        if place.end() > end {
            (end, last) = (place.end(), index);
        }
        placed
    })
}

impl Document {
    /// Fails for the first segment that has a place in common with another; one of a raw document may.
    ///
    /// Nothing is read for it.
    pub(crate) fn expect_disjoint(&self) -> Result<(), EditError> {
        if self.raw.is_some() {
            return Ok(());
        }
        let places = self.places()?;
        let rule = if self.kind == FileKind::Pte { "seg-no-overlap" } else { "ft-seg-no-overlap" };
        match in_order(&places).find(|placed| placed.hidden > 0) {
            None => Ok(()),
            Some(Placed { index, under, .. }) => {
                // What is only aligned goes behind all before it in the list, so it is the later one that is where it was told.
                let (segment, other) = (index.max(under), index.min(under));
                let (begin, end) = (places[segment].offset, places[other].end());
                Err(Overlap::Forbidden { segment, begin, other, end, rule }.into())
            }
        }
    }

    /// Reads the hidden bytes of a segment from `reader`, and fails where they are not those that lie there.
    pub(super) fn expect_hidden(
        &self,
        placed: &Placed,
        places: &[Span],
        reader: &mut dyn Read,
    ) -> Result<(), EditError> {
        let Placed { index, hidden, under, .. } = *placed;
        let failed = |index| move |error| EditError::in_segment(index, error);
        let shared = Span::new(places[index].offset - places[under].offset, hidden);
        let other = self.segments[under].data.slice(shared);
        let mut other = BufReader::with_capacity(PIECE, other.reader());
        let mut buffer = vec![0; PIECE];
        let mut at = 0;
        while at < hidden {
            let piece = other.fill_buf().map_err(failed(under))?;
            let wanted = piece.len().min(PIECE);
            if wanted == 0 {
                return Err(failed(under)(io::ErrorKind::UnexpectedEof.into()));
            }
            reader.read_exact(&mut buffer[..wanted]).map_err(failed(index))?;
            if let Some(first) = (0..wanted).find(|place| piece[*place] != buffer[*place]) {
                let (byte, other_byte) = (buffer[first], piece[first]);
                let at = at + first as u64;
                return Err(Overlap::Differing { segment: index, at, byte, other: under, other_byte }.into());
            }
            at += wanted as u64;
            other.consume(wanted);
        }
        Ok(())
    }
}

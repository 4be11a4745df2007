//! What of a file belongs to none of its parts, and so is not in what is written of it.

use std::fmt;

use torchproof::check::{Gap, Gaps, Kind};
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;
use torchproof::{Span, view};

use super::newer::newer_fields;
use crate::input::Input;

/// What is left out of a file that is made of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// Fields that the schema does not have.
    Newer {
        /// The table of the first one.
        table: &'static str,
        /// Its slot in the vtable.
        slot: u16,
        /// Whether there are others, in this slot of another table or in another one.
        others: bool,
    },
    /// Everything behind the last segment: padding of a packer, or another file that was appended.
    Behind(Span),
    /// Between the parts of a file, where padding is zeros: from the first byte that is none.
    Between(Span),
}

impl LeftOut {
    /// What of a file is neither in its canonical JSON nor in its segments.
    ///
    /// # Errors
    ///
    /// As [`view::File::open`].
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use torchproof_conformance::edit::LeftOut;
    /// use torchproof_conformance::input::Input;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("padded.ptd");
    /// let mut bytes = std::fs::read("../corpus/real/linear_external.ptd")?;
    /// bytes.extend(b"padding");
    /// std::fs::write(&path, bytes)?;
    /// let left_out = LeftOut::of(&Input::open(&path)?)?;
    /// assert_eq!(left_out[0].to_string(), "7 bytes from 528 on, behind the last segment");
    /// # Ok(()) }
    /// ```
    pub fn of(input: &Input) -> Result<Vec<Self>, view::Error> {
        let image = input.image();
        let file = view::File::open(image)?;
        let (end, base) = if file.kind() == Kind::Pte {
            let file = Pte::open_image(image)?;
            (file.region().len(), file.header().map_or(0, |header| header.segment_base_offset))
        } else {
            let file = Ptd::open_image(image)?;
            (file.region().len(), file.header().segment_base_offset)
        };
        let newer = newer_fields(input, 2);
        let others = newer.len() > 1;
        let newer = newer.first().map(|(table, slot)| LeftOut::Newer { table, slot: *slot, others });
        Ok(newer.into_iter().chain(left_out(input, &file.segments()?, end, base)).collect())
    }
}

impl fmt::Display for LeftOut {
    /// Writes `12 bytes from 4711 on, behind the last segment`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (span, place) = match self {
            LeftOut::Newer { table, slot, others: false } => {
                return write!(f, "slot {slot} of {table}, which is of a newer schema");
            }
            LeftOut::Newer { table, slot, others: true } => {
                return write!(f, "slot {slot} of {table} and other fields, which are of a newer schema");
            }
            LeftOut::Behind(span) => (span, "behind the last segment"),
            LeftOut::Between(span) => (span, "which are in no segment and not all zeros"),
        };
        write!(f, "{} byte{} from {} on, {place}", span.len, if span.len == 1 { "" } else { "s" }, span.offset)
    }
}

/// What lies neither in the segments nor in the FlatBuffer, which ends at `end`, in the file's order.
pub(super) fn left_out(input: &Input, segments: &[Span], end: usize, base: u64) -> Vec<LeftOut> {
    let file = input.image().len();
    // A part may be empty, or lie over another.
    let mut parts = [segments, &[Span::of(0, end), Span::new(base.min(file), 0)]].concat();
    parts.sort_by_key(|part| part.offset);
    let (mut end, mut found) = (0, Vec::new());
    for part in parts {
        let gap = Span::new(end, part.offset.min(file).saturating_sub(end));
        if gap.len > 0
            && let Gap::NonZero(at) = Gaps::first_nonzero(&mut &*input, gap)
        {
            found.push(LeftOut::Between(Span::new(at, gap.end() - at)));
        }
        end = end.max(part.offset.saturating_add(part.len));
    }
    if file > end {
        found.push(LeftOut::Behind(Span::new(end, file - end)));
    }
    found
}

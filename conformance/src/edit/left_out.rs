//! What of a file belongs to none of its parts, and so is not in what is written of it.

use std::fmt;

use torchproof::Span;
use torchproof::check::{Gap, Gaps};

use crate::input::Input;

/// Bytes that an edit leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// Everything behind the last segment: padding of a packer, or another file that was appended.
    Behind(Span),
    /// Between the parts of a file, where padding is zeros: from the first byte that is none.
    Between(Span),
}

impl fmt::Display for LeftOut {
    /// Writes `12 bytes from 4711 on, behind the last segment`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (LeftOut::Behind(span) | LeftOut::Between(span)) = self;
        let place = match self {
            LeftOut::Behind(_) => "behind the last segment",
            LeftOut::Between(_) => "which are in no segment and not all zeros",
        };
        write!(f, "{} byte{} from {} on, {place}", span.len, if span.len == 1 { "" } else { "s" }, span.offset)
    }
}

/// What lies in none of `parts`, in the file's order. A part may be empty, or lie over another.
pub(super) fn left_out(input: &Input, parts: impl IntoIterator<Item = Span>) -> Vec<LeftOut> {
    let file = input.image().len();
    let mut parts: Vec<Span> = parts.into_iter().collect();
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

//! Findings, and where they go.

use core::fmt;
use core::ops::ControlFlow;

use crate::flatbuffer::walk::{Flow, Path, Stop};
use crate::rules::Rule;
use crate::{Image, Span};

/// A rule broken in a file: which, in which field, at which bytes, and how.
///
/// It borrows everything and is gone when the sink returns; its `Display` parts allocate nothing.
#[derive(Clone, Copy, Debug)]
pub struct Finding<'f> {
    /// The rule.
    pub rule: &'static Rule,
    /// The field, as `execution_plan[0].values[3].sizes`; header fields are under `header`; empty for the file as a whole.
    pub path: FieldPath<'f>,
    /// The bytes that hold the wrong value.
    pub span: Span,
    /// The value found and the one expected, as one sentence without a full stop. Offsets in it count as the field's own do: in
    /// a bundled program, from the first byte of the program that it is about.
    pub message: fmt::Arguments<'f>,
}

/// Where in a file's tables a finding is.
///
/// What is in the program inside a bundled program is under `program`: `program.header.length`.
#[derive(Clone, Copy)]
pub struct FieldPath<'f> {
    /// The field that holds the file that `path` is of; empty for the file itself.
    holder: &'static str,
    path: &'f Path<'f>,
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.holder)?;
        if !self.holder.is_empty() && !self.path.is_root() {
            f.write_str(".")?;
        }
        self.path.fmt(f)
    }
}

impl fmt::Debug for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldPath({self})")
    }
}

/// Where findings go.
pub trait Sink {
    /// Takes one finding; `Break` ends the check.
    fn finding(&mut self, finding: &Finding<'_>) -> ControlFlow<()>;
}

impl<F: FnMut(&Finding<'_>) -> ControlFlow<()>> Sink for F {
    fn finding(&mut self, finding: &Finding<'_>) -> ControlFlow<()> {
        self(finding)
    }
}

/// Counts findings on their way to a sink.
pub(super) struct Reporter<'s> {
    sink: &'s mut dyn Sink,
    counts: [u32; 3],
    /// The field that holds the file being checked, and where that file begins.
    holder: (&'static str, u64),
}

impl<'s> Reporter<'s> {
    pub(super) fn new(sink: &'s mut dyn Sink) -> Self {
        Self { sink, counts: [0; 3], holder: ("", 0) }
    }

    /// Findings so far, by strength: must, should, may.
    pub(super) fn counts(&self) -> [u32; 3] {
        self.counts
    }

    /// Reports of a file that `field` holds, from byte `start` on: its spans and paths become those of the file around it.
    pub(super) fn inside<R>(&mut self, field: &'static str, start: u64, check: impl FnOnce(&mut Self) -> R) -> R {
        let outer = core::mem::replace(&mut self.holder, (field, start));
        let checked = check(self);
        self.holder = outer;
        checked
    }

    #[cold]
    pub(super) fn report(
        &mut self,
        rule: &'static Rule,
        path: &Path<'_>,
        span: Span,
        message: fmt::Arguments<'_>,
    ) -> Flow {
        let count = &mut self.counts[rule.strength as usize];
        *count = count.saturating_add(1);
        let (holder, start) = self.holder;
        let (path, span) = (FieldPath { holder, path }, Span::new(start.saturating_add(span.offset), span.len));
        match self.sink.finding(&Finding { rule, path, span, message }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stop::Asked),
        }
    }
}

/// What stands in bytes that belong to no part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Zeros.
    Zero,
    /// Something; the offset of the first byte that is not zero.
    NonZero(u64),
    /// They could not be read.
    Unread,
}

/// Answers for the bytes behind a file's FlatBuffer: those between its parts, and the values of its metadata.
pub trait Gaps {
    /// What stands in `span`, which lies inside the file.
    fn first_nonzero(&mut self, span: Span) -> Gap;

    /// The first bytes of the file that [`Gaps::first_nonzero`] answers for, as many as are in memory; it is not asked of gaps that
    /// are zeros there.
    fn held(&self) -> &[u8] {
        &[]
    }

    /// Copies the bytes from `offset` on, which lie inside the file; `false` when they cannot be had, and then what depends on
    /// them is not asked.
    fn read(&mut self, _offset: u64, _into: &mut [u8]) -> bool {
        false
    }
}

impl Gaps for Image<'_> {
    fn first_nonzero(&mut self, span: Span) -> Gap {
        match self.slice(span, "") {
            Err(_) => Gap::Unread,
            Ok(bytes) => match first_nonzero(bytes) {
                None => Gap::Zero,
                Some(index) => Gap::NonZero(span.offset + index as u64),
            },
        }
    }

    fn held(&self) -> &[u8] {
        self.bytes()
    }

    fn read(&mut self, offset: u64, into: &mut [u8]) -> bool {
        match self.slice(Span::new(offset, into.len() as u64), "") {
            Ok(bytes) => {
                into.copy_from_slice(bytes);
                true
            }
            Err(_) => false,
        }
    }
}

/// Whether there are only zeros; made for the few bytes between segments.
#[inline]
pub(super) fn all_zero(bytes: &[u8]) -> bool {
    if let Some(last) = bytes.last_chunk::<8>() {
        let (words, _) = bytes.as_chunks::<8>();
        return words.iter().chain([last]).fold(0, |all, word| all | u64::from_le_bytes(*word)) == 0;
    }
    let (words, rest) = bytes.as_chunks::<4>();
    words.iter().all(|word| *word == [0; 4]) && rest.iter().all(|byte| *byte == 0)
}

/// Index of the first byte that is not zero.
#[must_use]
pub fn first_nonzero(bytes: &[u8]) -> Option<usize> {
    // Whole blocks first, which the compiler turns into wide comparisons.
    let (blocks, _) = bytes.as_chunks::<32>();
    let zeros = 32 * blocks.iter().take_while(|block| **block == [0; 32]).count();
    bytes[zeros..].iter().position(|byte| *byte != 0).map(|index| zeros + index)
}

/// Memory that the caller lends, for the few checks that cannot do without.
pub trait Memory {
    /// At least `words` words of any content, or `None` when there are not as many.
    fn words(&mut self, words: usize) -> Option<&mut [u64]>;
}

/// Lends nothing: enough for a program with at most 32 names of a kind, 64 inputs and planned devices a method, 4096 values where
/// a 32-bit host is asked about, and 1024 segments, and for a data file with some 40 names and as many segments; the segments
/// in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMemory;

impl Memory for NoMemory {
    fn words(&mut self, words: usize) -> Option<&mut [u64]> {
        (words == 0).then_some(&mut [])
    }
}

impl Memory for &mut [u64] {
    fn words(&mut self, words: usize) -> Option<&mut [u64]> {
        self.get_mut(..words)
    }
}

#[cfg(feature = "alloc")]
impl Memory for alloc::vec::Vec<u64> {
    /// Grows as needed: never beyond what the file's own tables of names and segments call for.
    fn words(&mut self, words: usize) -> Option<&mut [u64]> {
        if self.len() < words {
            self.try_reserve_exact(words - self.len()).ok()?;
            self.resize(words, 0);
        }
        self.get_mut(..words)
    }
}

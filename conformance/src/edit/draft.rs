//! A file that is checked before it is written, for what cannot be taken back.

use std::io::{self, Read, Write};

use torchproof::check::{Checker, ReadAt, Unread};
use torchproof::write::{Plan, stream};
use torchproof::{Image, Span};

use super::write::patched;
use super::{Data, Document, EditError};
use crate::findings::Examined;

/// A document as the file that it is to be, of which nothing is written.
///
/// It takes the memory of the FlatBuffer: the segments' bytes stay where they are.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::path::Path;
/// use torchproof_cli::edit::Document;
///
/// let path = Path::new("../corpus/real/linear.pte");
/// let mut document = Document::open(path)?;
/// let draft = document.draft()?;
/// assert!(draft.expect_accepted()?.is_some());
/// let mut file = Vec::new(); // as into a pipe
/// draft.write(&mut file)?;
/// assert_eq!(file, std::fs::read(path)?);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Draft<'d> {
    document: &'d Document,
    plan: Plan,
    places: Vec<Span>,
    /// The segments that have bytes by where they are in the file, and their indexes.
    order: Vec<(Span, usize)>,
    /// The first bytes of the file: all that a check wants to have in memory.
    head: Vec<u8>,
    len: u64,
}

impl Document {
    /// Lays the file out, and writes nothing.
    ///
    /// # Errors
    ///
    /// When the tables cannot be encoded, or segments overlap.
    pub fn draft(&mut self) -> Result<Draft<'_>, EditError> {
        self.expect_disjoint()?;
        let places = self.places()?;
        let plan = self.plan(&places)?;
        let document = &*self;
        let len = document.end(&plan);
        let mut head = patched(plan.head().to_vec(), document.patches(&plan));
        // A FlatBuffer may be padded, and be followed by nothing.
        let in_file = |place: &Span| Span::new(plan.base() + place.offset, place.len);
        let mut order: Vec<_> = places.iter().map(in_file).zip(0..).filter(|(place, _)| place.len > 0).collect();
        order.sort_by_key(|(place, _)| place.offset);
        let data = order.first().map_or(len, |(place, _)| place.offset);
        let needed = Image::needed(&head, len).min(data);
        head.resize(head.len().max(usize::try_from(needed).unwrap_or(0)), 0);
        Ok(Draft { document, plan, places, order, head, len })
    }
}

impl Draft<'_> {
    /// Fails with what the file would be rejected for, or with the first segment whose bytes are not those that they must be;
    /// what was found of an accepted one comes back. One with raw numbers passes, and is not looked at.
    ///
    /// Segments that have a digest are read.
    ///
    /// # Errors
    ///
    /// As it says, and when such a segment cannot be read.
    pub fn expect_accepted(&self) -> Result<Option<Examined>, EditError> {
        if self.document.raw.is_some() {
            return Ok(None);
        }
        let examined = Examined { report: Checker::new().check_source(self), companions: Vec::new() };
        if !examined.accepts(false) {
            return Err(EditError::Rejected(Box::new(examined)));
        }
        self.document.expect_digests()?;
        Ok(Some(examined))
    }

    /// Writes the file to `out`, from the first byte to the last.
    ///
    /// # Errors
    ///
    /// When a segment cannot be read, or `out` cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> Result<(), EditError> {
        let Self { document, plan, places, head, len, .. } = self;
        let mut out = Headed { out, head };
        document.stream_by(plan, places, |source| stream(plan, source, &mut out))?;
        let rest = io::copy(&mut io::repeat(0).take(len.saturating_sub(plan.len())), &mut out);
        rest.and_then(|_| out.flush()).map_err(EditError::of_output)
    }

    /// The bytes of the file from `start` on, up to `end` or to where something else begins.
    fn part(&self, start: u64, end: u64) -> Data {
        if let Some(held) =
            usize::try_from(start).ok().and_then(|start| self.head.get(start..)).filter(|rest| !rest.is_empty())
        {
            let len = usize::try_from(end - start).map_or(held.len(), |len| len.min(held.len()));
            return Data::Bytes(held[..len].to_vec());
        }
        let next = self.order.partition_point(|(segment, _)| segment.offset <= start);
        if let Some((segment, index)) = next.checked_sub(1).map(|last| self.order[last])
            && start < segment.end()
        {
            let part = Span::new(start - segment.offset, segment.end().min(end) - start);
            return self.document.segments[index].data.slice(part);
        }
        let gap_end = self.order.get(next).map_or(end, |(segment, _)| segment.offset.min(end));
        Data::zeros(gap_end - start)
    }
}

impl ReadAt for Draft<'_> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Unread> {
        let end = offset.checked_add(buffer.len() as u64).filter(|end| *end <= self.len).ok_or(Unread)?;
        let (mut at, mut rest) = (offset, buffer);
        while !rest.is_empty() {
            let count = self.part(at, end).reader().read(rest).ok().filter(|count| *count > 0).ok_or(Unread)?;
            (at, rest) = (at + count as u64, &mut rest[count..]);
        }
        Ok(())
    }

    fn head(&self) -> &[u8] {
        &self.head
    }
}

/// Writes what it is given, but for the first bytes, which are those of `head`.
struct Headed<'w> {
    out: &'w mut dyn Write,
    head: &'w [u8],
}

impl Write for Headed<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.head.is_empty() {
            return self.out.write(piece);
        }
        let count = self.out.write(&self.head[..piece.len().min(self.head.len())])?;
        self.head = &self.head[count..];
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

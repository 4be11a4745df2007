//! Writing a planned file in pieces: the segments' bytes come from sources, and are never held whole.

use std::fmt;
use std::io::{self, Seek, SeekFrom, Write};
use std::vec::Vec;

use super::source::{Failure, Source, SourceError, piece_of};
use super::{Fault, Plan};

/// Most bytes that are read or written at once.
pub const PIECE: usize = 1 << 16;

static ZEROS: [u8; PIECE] = [0; PIECE];

/// Writes a planned file: its head, and each segment at its place, with zeros between.
///
/// There is one source for each place, asked for when it is its turn, with as many bytes as were planned. Beyond the plan, it
/// takes the memory of one piece of 64 KiB. What was written when it fails is of no use.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
/// use torchproof::ptd::schema::FlatTensor;
/// use torchproof::ptd::write::{FileLayout, plan};
/// use torchproof::write::{Shape, Source, stream};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let sources = [Source::Bytes(b"abc"), Source::Fill { pattern: b"xyz", len: 1000 }];
/// let shapes: Vec<_> = sources.iter().map(|source| Shape::new(source.len())).collect();
/// let plan = plan(&TableTree::new(FlatTensor::TYPE), &shapes, &FileLayout::CURRENT)?;
/// let mut file = Vec::new();
/// stream(&plan, sources, &mut file)?;
/// assert_eq!(file.len() as u64, plan.len());
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// [`StreamError`]: the sources are not those that were planned, or cannot be read, or `out` cannot be written.
pub fn stream<'s>(
    plan: &Plan,
    sources: impl IntoIterator<Item = Source<'s>>,
    out: &mut dyn Write,
) -> Result<(), StreamError> {
    run(plan, &mut sources.into_iter(), &mut Dense(out))
}

/// Writes a planned file and leaves holes: where the file is zeros, `out` is seeked and not written.
///
/// Everything behind the position of `out` has to read as zeros once it is part of the file, as in a new file. Otherwise this
/// is [`stream`](fn@stream).
///
/// ```
/// use std::io::Cursor;
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
/// use torchproof::ptd::schema::FlatTensor;
/// use torchproof::ptd::write::{FileLayout, plan};
/// use torchproof::write::{Shape, Source, stream, stream_sparse};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let source = || [Source::Fill { pattern: b"", len: 100_000 }];
/// let plan = plan(&TableTree::new(FlatTensor::TYPE), &[Shape::new(100_000)], &FileLayout::CURRENT)?;
/// let (mut dense, mut sparse) = (Vec::new(), Cursor::new(Vec::new())); // as into a new `File`
/// stream(&plan, source(), &mut dense)?;
/// stream_sparse(&plan, source(), &mut sparse)?;
/// assert_eq!(sparse.into_inner(), dense);
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// As [`stream`](fn@stream).
pub fn stream_sparse<'s, W: Write + Seek>(
    plan: &Plan,
    sources: impl IntoIterator<Item = Source<'s>>,
    out: &mut W,
) -> Result<(), StreamError> {
    run(plan, &mut sources.into_iter(), &mut Sparse { out, skipped: 0 })
}

/// What bytes are written to.
pub(super) trait Sink {
    fn put(&mut self, piece: &[u8]) -> io::Result<()>;
    fn zeros(&mut self, len: u64) -> io::Result<()>;
    fn finish(&mut self) -> io::Result<()>;
}

struct Dense<'w>(&'w mut dyn Write);

impl Sink for Dense<'_> {
    fn put(&mut self, piece: &[u8]) -> io::Result<()> {
        self.0.write_all(piece)
    }

    fn zeros(&mut self, mut len: u64) -> io::Result<()> {
        while len > 0 {
            let count = piece_of(len);
            self.0.write_all(&ZEROS[..count])?;
            len -= count as u64;
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Sink for Vec<u8> {
    fn put(&mut self, piece: &[u8]) -> io::Result<()> {
        self.extend_from_slice(piece);
        Ok(())
    }

    fn zeros(&mut self, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.resize(self.len() + len, 0);
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Sparse<'w, W> {
    out: &'w mut W,
    /// Zeros that are not there yet.
    skipped: u64,
}

impl<W: Write + Seek> Sparse<'_, W> {
    fn skip(&mut self, len: u64) -> io::Result<()> {
        if len == 0 {
            return Ok(());
        }
        let far = |_| io::Error::from(io::ErrorKind::FileTooLarge);
        self.out.seek(SeekFrom::Current(i64::try_from(len).map_err(far)?)).map(|_| ())
    }
}

impl<W: Write + Seek> Sink for Sparse<'_, W> {
    fn put(&mut self, piece: &[u8]) -> io::Result<()> {
        if ZEROS.get(..piece.len()) == Some(piece) {
            return self.zeros(piece.len() as u64);
        }
        let skipped = core::mem::take(&mut self.skipped);
        self.skip(skipped)?;
        self.out.write_all(piece)
    }

    fn zeros(&mut self, len: u64) -> io::Result<()> {
        self.skipped = self.skipped.checked_add(len).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(())
    }

    /// A file ends with its last byte that was written, so the last one of a hole is.
    fn finish(&mut self) -> io::Result<()> {
        if let Some(skipped) = core::mem::take(&mut self.skipped).checked_sub(1) {
            self.skip(skipped)?;
            self.out.write_all(&[0])?;
        }
        self.out.flush()
    }
}

fn run<'s>(plan: &Plan, sources: &mut dyn Iterator<Item = Source<'s>>, sink: &mut dyn Sink) -> Result<(), StreamError> {
    let mut buffer = Vec::new();
    sink.put(plan.head()).map_err(StreamError::Write)?;
    sink.zeros(plan.base() - plan.head().len() as u64).map_err(StreamError::Write)?;
    let mut end = 0;
    for (segment, place) in plan.places().iter().enumerate() {
        let Some(source) = sources.next() else {
            return Err(StreamError::Count { planned: plan.places().len(), given: segment });
        };
        if source.len() != place.len {
            return Err(StreamError::Length { segment, planned: place.len, given: source.len() });
        }
        // An empty segment may have its place behind the file's end.
        if place.len > 0 {
            sink.zeros(place.offset - end).map_err(StreamError::Write)?;
            end = place.end();
        }
        source.copy(&mut buffer, sink).map_err(|fault| match fault {
            Failure::Source { part, error } => StreamError::Source { segment, part, error },
            Failure::Write(error) => StreamError::Write(error),
        })?;
    }
    if sources.next().is_some() {
        let planned = plan.places().len();
        return Err(StreamError::Count { planned, given: planned + 1 });
    }
    sink.zeros(plan.len() - plan.base() - end).map_err(StreamError::Write)?;
    sink.finish().map_err(StreamError::Write)
}

/// Why a planned file was not written; [`StreamError::fault`] says by whose fault.
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamError {
    /// There is not one source for each segment.
    Count {
        /// Segments.
        planned: usize,
        /// Sources; one more than segments when there are too many.
        given: usize,
    },
    /// A source says that it has another length than was planned.
    Length {
        /// The segment.
        segment: usize,
        /// Bytes planned.
        planned: u64,
        /// Bytes that the source says it has.
        given: u64,
    },
    /// A source did not give the bytes that it said it has.
    Source {
        /// The segment.
        segment: usize,
        /// Which of the sources that are packed into it.
        part: Option<usize>,
        /// Why.
        error: SourceError,
    },
    /// The file cannot be written.
    Write(io::Error),
}

impl StreamError {
    /// Whose fault it is: the sources' that were handed in for the plan, what one of them reads, or the output's.
    ///
    /// ```
    /// use std::io;
    /// use torchproof::write::{Fault, SourceError, StreamError};
    /// let lost = SourceError::Read(io::ErrorKind::NotFound.into());
    /// assert_eq!(StreamError::Source { segment: 0, part: None, error: lost }.fault(), Fault::Input);
    /// assert_eq!(StreamError::Write(io::ErrorKind::StorageFull.into()).fault(), Fault::Output);
    /// ```
    #[must_use]
    pub fn fault(&self) -> Fault {
        match self {
            StreamError::Count { .. } | StreamError::Length { .. } => Fault::Specification,
            StreamError::Source { error, .. } => error.fault(),
            StreamError::Write(_) => Fault::Output,
        }
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamError::Count { planned, given } if given > planned => {
                write!(f, "there are more sources than the {planned} segments")
            }
            StreamError::Count { planned, given } => write!(f, "there are {given} sources for {planned} segments"),
            StreamError::Length { segment, planned, given } => {
                write!(f, "segment {segment} has {planned} bytes, and its source {given}")
            }
            StreamError::Source { segment, part: None, error } => write!(f, "the source of segment {segment}: {error}"),
            StreamError::Source { segment, part: Some(part), error } => {
                write!(f, "source {part} of segment {segment}: {error}")
            }
            StreamError::Write(error) => write!(f, "the file cannot be written: {error}"),
        }
    }
}

impl core::error::Error for StreamError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            StreamError::Source { error, .. } => Some(error),
            StreamError::Write(error) => Some(error),
            _ => None,
        }
    }
}

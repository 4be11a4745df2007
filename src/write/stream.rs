//! Writing a planned file in pieces: the segments' bytes come from sources, and are never held whole.

use std::boxed::Box;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::vec;
use std::vec::Vec;

use super::Plan;
use crate::Span;

/// Most bytes that are read or written at once.
const PIECE: usize = 1 << 16;

static ZEROS: [u8; PIECE] = [0; PIECE];

/// Where the bytes of one segment come from.
pub enum Source<'s> {
    /// Memory.
    Bytes(&'s [u8]),
    /// A pattern, again and again; zeros when it is empty.
    Fill {
        /// The pattern.
        pattern: &'s [u8],
        /// In bytes; the last time the pattern may be cut short.
        len: u64,
    },
    /// What is read, to its end.
    Reader {
        /// What reads.
        reader: Box<dyn Read + 's>,
        /// How many bytes it must have.
        len: u64,
    },
    /// A range of a file, which is opened only when it is this segment's turn.
    File {
        /// The file.
        path: PathBuf,
        /// The range.
        span: Span,
    },
}

impl Source<'_> {
    /// How many bytes there are, or have to be.
    #[must_use]
    pub const fn len(&self) -> u64 {
        match self {
            Source::Bytes(bytes) => bytes.len() as u64,
            Source::Fill { len, .. } | Source::Reader { len, .. } => *len,
            Source::File { span, .. } => span.len,
        }
    }

    /// Whether there are no bytes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Source::Bytes(_) => "Bytes",
            Source::Fill { .. } => "Fill",
            Source::Reader { .. } => "Reader",
            Source::File { path, span } => {
                return f.debug_struct("File").field("path", path).field("span", span).finish();
            }
        };
        f.debug_struct(name).field("len", &self.len()).finish_non_exhaustive()
    }
}

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

/// What a file is written to.
trait Sink {
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

fn piece_of(len: u64) -> usize {
    usize::try_from(len).map_or(PIECE, |len| len.min(PIECE))
}

fn run<'s>(plan: &Plan, sources: &mut dyn Iterator<Item = Source<'s>>, sink: &mut dyn Sink) -> Result<(), StreamError> {
    let mut buffer = Vec::new();
    sink.put(plan.head()).map_err(StreamError::Write)?;
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
        source.copy(segment, &mut buffer, sink)?;
    }
    if sources.next().is_some() {
        let planned = plan.places().len();
        return Err(StreamError::Count { planned, given: planned + 1 });
    }
    sink.zeros(plan.len() - plan.base() - end).map_err(StreamError::Write)?;
    sink.finish().map_err(StreamError::Write)
}

impl Source<'_> {
    fn copy(self, segment: usize, buffer: &mut Vec<u8>, sink: &mut dyn Sink) -> Result<(), StreamError> {
        let read = |error| StreamError::Read { segment, error };
        match self {
            Source::Bytes(bytes) => {
                bytes.chunks(PIECE).try_for_each(|piece| sink.put(piece)).map_err(StreamError::Write)
            }
            Source::Fill { pattern, len } => fill(pattern, len, sink).map_err(StreamError::Write),
            Source::Reader { mut reader, len } => copy(segment, &mut *reader, len, true, buffer, sink),
            Source::File { path, span } => {
                let mut file = File::open(path).map_err(read)?;
                file.seek(SeekFrom::Start(span.offset)).map_err(read)?;
                copy(segment, &mut file, span.len, false, buffer, sink)
            }
        }
    }
}

fn fill(pattern: &[u8], mut len: u64, sink: &mut dyn Sink) -> io::Result<()> {
    if pattern.iter().all(|byte| *byte == 0) {
        return sink.zeros(len);
    }
    // Whole patterns of about a piece, so that short ones cost no call each.
    let block =
        if len > pattern.len() as u64 { pattern.repeat((PIECE / pattern.len()).max(1)) } else { pattern.to_vec() };
    while len > 0 {
        let count = usize::try_from(len).map_or(block.len(), |len| len.min(block.len()));
        sink.put(&block[..count])?;
        len -= count as u64;
    }
    Ok(())
}

/// Copies `len` bytes; with `to_end`, there must be no more.
fn copy(
    segment: usize,
    reader: &mut dyn Read,
    len: u64,
    to_end: bool,
    buffer: &mut Vec<u8>,
    sink: &mut dyn Sink,
) -> Result<(), StreamError> {
    if buffer.is_empty() {
        *buffer = vec![0; PIECE];
    }
    let mut left = len;
    loop {
        let wanted = if left > 0 { piece_of(left) } else { usize::from(to_end) };
        if wanted == 0 {
            return Ok(());
        }
        match reader.read(&mut buffer[..wanted]) {
            Ok(0) if left == 0 => return Ok(()),
            Ok(0) => return Err(StreamError::Short { segment, planned: len, given: len - left }),
            Ok(_) if left == 0 => return Err(StreamError::Long { segment, planned: len }),
            Ok(count) => {
                sink.put(&buffer[..count]).map_err(StreamError::Write)?;
                left -= count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(StreamError::Read { segment, error }),
        }
    }
}

/// Why a planned file was not written: the sources' fault, or that of input and output.
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
    /// A source ended early.
    Short {
        /// The segment.
        segment: usize,
        /// Bytes planned.
        planned: u64,
        /// Bytes that there were.
        given: u64,
    },
    /// A reader has more bytes than it was said to have.
    Long {
        /// The segment.
        segment: usize,
        /// Bytes planned.
        planned: u64,
    },
    /// A source cannot be read.
    Read {
        /// The segment.
        segment: usize,
        /// Why.
        error: io::Error,
    },
    /// The file cannot be written.
    Write(io::Error),
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
            StreamError::Short { segment, planned, given } => {
                write!(f, "segment {segment} has {planned} bytes, and its source ended after {given}")
            }
            StreamError::Long { segment, planned } => {
                write!(f, "segment {segment} has {planned} bytes, and its source goes on behind them")
            }
            StreamError::Read { segment, error } => {
                write!(f, "the source of segment {segment} cannot be read: {error}")
            }
            StreamError::Write(error) => write!(f, "the file cannot be written: {error}"),
        }
    }
}

impl core::error::Error for StreamError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            StreamError::Read { error, .. } | StreamError::Write(error) => Some(error),
            _ => None,
        }
    }
}

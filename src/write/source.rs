//! Where the bytes of a segment come from.

use std::boxed::Box;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::vec;
use std::vec::Vec;

use super::stream::{PIECE, Sink};
use super::{Fault, WriteError, align};
use crate::Span;

/// Where the bytes of one segment come from.
///
/// Its length is known before a byte is read, and what gives fewer or more is an error once it is written.
///
/// ```
/// use torchproof::write::Source;
///
/// let fill = Source::Fill { pattern: b"abc", len: 7 };
/// assert_eq!(fill.into_bytes().unwrap(), b"abcabca");
/// let short = Source::Reader { reader: Box::new(&b"abc"[..]), len: 7 };
/// assert_eq!(short.into_bytes().unwrap_err().to_string(), "it ended after 3 of its 7 bytes");
/// ```
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
    /// Several sources, one behind another.
    Packed(Packed<'s>),
}

impl Source<'_> {
    /// How many bytes there are, or have to be.
    #[must_use]
    pub const fn len(&self) -> u64 {
        match self {
            Source::Bytes(bytes) => bytes.len() as u64,
            Source::Fill { len, .. } | Source::Reader { len, .. } => *len,
            Source::File { span, .. } => span.len,
            Source::Packed(packed) => packed.len,
        }
    }

    /// Whether there are no bytes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All the bytes.
    ///
    /// # Errors
    ///
    /// [`SourceError`].
    pub fn into_bytes(self) -> Result<Vec<u8>, SourceError> {
        let mut bytes = Vec::new();
        let len = usize::try_from(self.len()).map_err(|_| io::ErrorKind::OutOfMemory);
        let reserved = len.and_then(|len| bytes.try_reserve_exact(len).map_err(|_| io::ErrorKind::OutOfMemory));
        reserved.map_err(|kind| SourceError::Read(kind.into()))?;
        match self.copy(&mut Vec::new(), &mut bytes) {
            Ok(()) => Ok(bytes),
            Err(Failure::Source { error, .. }) => Err(error),
            Err(Failure::Write(error)) => Err(SourceError::Read(error)),
        }
    }

    /// The same bytes once more, where they can be had twice.
    pub(crate) fn again(&self) -> Option<Self> {
        match self {
            Source::Bytes(bytes) => Some(Source::Bytes(bytes)),
            Source::Fill { pattern, len } => Some(Source::Fill { pattern, len: *len }),
            Source::File { path, span } => Some(Source::File { path: path.clone(), span: *span }),
            Source::Reader { .. } | Source::Packed(_) => None,
        }
    }

    /// Puts all the bytes into a sink.
    pub(super) fn copy(self, buffer: &mut Vec<u8>, sink: &mut dyn Sink) -> Result<(), Failure> {
        match self {
            Source::Bytes(bytes) => bytes.chunks(PIECE).try_for_each(|piece| sink.put(piece)).map_err(Failure::Write),
            Source::Fill { pattern, len } => fill(pattern, len, sink).map_err(Failure::Write),
            Source::Reader { mut reader, len } => copy(&mut *reader, len, true, buffer, sink),
            Source::File { path, span } => {
                let mut file = File::open(path).map_err(Failure::read)?;
                file.seek(SeekFrom::Start(span.offset)).map_err(Failure::read)?;
                copy(&mut file, span.len, false, buffer, sink)
            }
            Source::Packed(packed) => packed.copy(buffer, sink),
        }
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
            Source::Packed(packed) => return packed.fmt(f),
        };
        f.debug_struct(name).field("len", &self.len()).finish_non_exhaustive()
    }
}

/// Sources one behind another, each at a multiple of an alignment, with zeros between and none behind the last.
///
/// ```
/// use torchproof::write::{Packed, Source};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let packed = Packed::new([Source::Bytes(b"abc"), Source::Bytes(b"de")], 4)?;
/// assert_eq!(packed.offsets().collect::<Vec<_>>(), [0, 4]);
/// assert_eq!(Source::Packed(packed).into_bytes()?, b"abc\0de");
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Packed<'s> {
    parts: Vec<(u64, Source<'s>)>,
    len: u64,
}

impl<'s> Packed<'s> {
    /// Packs sources; with an alignment of 1 there is nothing between them.
    ///
    /// # Errors
    ///
    /// [`WriteError`] when the alignment is 0, or the length does not fit into 64 bits.
    pub fn new(sources: impl IntoIterator<Item = Source<'s>>, alignment: u64) -> Result<Self, WriteError> {
        if alignment == 0 {
            return Err(WriteError::ZeroAlignment { segment: None });
        }
        let (mut parts, mut len) = (Vec::new(), 0_u64);
        for source in sources {
            let offset = align(len, alignment)?;
            len = offset.checked_add(source.len()).ok_or(WriteError::TooLarge)?;
            parts.push((offset, source));
        }
        Ok(Self { parts, len })
    }

    /// Where each source begins.
    pub fn offsets(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.parts.iter().map(|(offset, _)| *offset)
    }

    /// How many bytes there are.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no bytes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn copy(self, buffer: &mut Vec<u8>, sink: &mut dyn Sink) -> Result<(), Failure> {
        let mut end = 0;
        for (index, (offset, source)) in self.parts.into_iter().enumerate() {
            sink.zeros(offset - end).map_err(Failure::Write)?;
            end = offset + source.len();
            source.copy(buffer, sink).map_err(|fault| fault.in_part(index))?;
        }
        Ok(())
    }
}

fn fill(pattern: &[u8], mut len: u64, sink: &mut dyn Sink) -> io::Result<()> {
    if pattern.iter().all(|byte| *byte == 0) {
        return sink.zeros(len);
    }
    // Whole patterns of about a piece, so that short ones cost no call each.
    let repeated = (len > pattern.len() as u64).then(|| pattern.repeat((PIECE / pattern.len()).max(1)));
    let block = repeated.as_deref().unwrap_or(pattern);
    while len > 0 {
        let count = usize::try_from(len).map_or(block.len(), |len| len.min(block.len()));
        sink.put(&block[..count])?;
        len -= count as u64;
    }
    Ok(())
}

/// Copies `len` bytes; with `to_end`, there must be no more.
fn copy(
    reader: &mut dyn Read,
    len: u64,
    to_end: bool,
    buffer: &mut Vec<u8>,
    sink: &mut dyn Sink,
) -> Result<(), Failure> {
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
            Ok(0) => return Err(Failure::source(SourceError::Short { planned: len, given: len - left })),
            Ok(_) if left == 0 => return Err(Failure::source(SourceError::Long { planned: len })),
            Ok(count) => {
                // A reader that says it read more than it was given room for has read what fits.
                let count = count.min(wanted);
                sink.put(&buffer[..count]).map_err(Failure::Write)?;
                left -= count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::read(error)),
        }
    }
}

/// How many bytes of `len` are read or written next.
pub(super) fn piece_of(len: u64) -> usize {
    usize::try_from(len).map_or(PIECE, |len| len.min(PIECE))
}

/// Why copying a source ended early: the source failed, or what its bytes are written to.
pub(super) enum Failure {
    Source {
        /// Which part of a packed source.
        part: Option<usize>,
        error: SourceError,
    },
    Write(io::Error),
}

impl Failure {
    fn source(error: SourceError) -> Self {
        Failure::Source { part: None, error }
    }

    fn read(error: io::Error) -> Self {
        Self::source(SourceError::Read(error))
    }

    fn in_part(self, index: usize) -> Self {
        match self {
            Failure::Source { error, .. } => Failure::Source { part: Some(index), error },
            Failure::Write(error) => Failure::Write(error),
        }
    }
}

/// Why a source did not give its bytes.
#[derive(Debug)]
#[non_exhaustive]
pub enum SourceError {
    /// It ended early.
    Short {
        /// Bytes that it should have.
        planned: u64,
        /// Bytes that there were.
        given: u64,
    },
    /// It has more bytes than it was said to have.
    Long {
        /// Bytes that it should have.
        planned: u64,
    },
    /// It cannot be read, or not be held in memory.
    Read(io::Error),
}

impl SourceError {
    /// Whose fault it is: the source's, or the memory's limit.
    #[must_use]
    pub fn fault(&self) -> Fault {
        match self {
            SourceError::Read(error) if error.kind() == io::ErrorKind::OutOfMemory => Fault::Limit,
            SourceError::Short { .. } | SourceError::Long { .. } | SourceError::Read(_) => Fault::Input,
        }
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Short { planned, given } => write!(f, "it ended after {given} of its {planned} bytes"),
            SourceError::Long { planned } => write!(f, "it goes on behind its {planned} bytes"),
            SourceError::Read(error) => write!(f, "it cannot be read: {error}"),
        }
    }
}

impl core::error::Error for SourceError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            SourceError::Read(error) => Some(error),
            _ => None,
        }
    }
}

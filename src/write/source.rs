//! The bytes of a segment, and writing them in pieces: no segment is held in memory whole.

use std::boxed::Box;
use std::fmt;
use std::format;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::string::String;
use std::vec;
use std::vec::Vec;

use super::{WriteCause, WriteError, align, zero_alignment};
use crate::Span;

/// The most bytes that are read or written at once.
pub const PIECE: usize = 1 << 16;

static ZEROS: [u8; PIECE] = [0; PIECE];

/// The bytes of one segment.
///
/// Their number is known before the first one is read. A source with fewer or more bytes fails while the file is written.
///
/// ```
/// use torchproof::write::Source;
///
/// let short = Source::Reader { reader: Box::new(&b"abc"[..]), len: 7 };
/// assert_eq!(short.into_bytes().unwrap_err().to_string(), "the source ended after 3 of its 7 bytes");
/// ```
pub enum Source<'s> {
    /// Bytes in memory.
    Bytes(&'s [u8]),
    /// A reader, which is read to its end.
    Reader {
        /// The reader.
        reader: Box<dyn Read + 's>,
        /// The number of its bytes.
        len: u64,
    },
    /// A range of a file, which is opened when its segment is written.
    File {
        /// The file.
        path: PathBuf,
        /// The range.
        span: Span,
    },
    /// Several sources in one segment.
    Packed(Packed<'s>),
}

/// What makes two sources equal without reading them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Identity<'s> {
    Bytes(&'s [u8]),
    /// The offset and the length of a range, and the file.
    File(u64, u64, PathBuf),
}

impl<'s> Source<'s> {
    /// The number of bytes.
    #[must_use]
    pub const fn len(&self) -> u64 {
        match self {
            Source::Bytes(bytes) => bytes.len() as u64,
            Source::Reader { len, .. } => *len,
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
    /// [`WriteError`]: the source, or the memory.
    pub fn into_bytes(self) -> Result<Vec<u8>, WriteError> {
        let mut bytes = Vec::new();
        let memory = WriteError::memory(self.len());
        let len = usize::try_from(self.len()).ok().filter(|len| bytes.try_reserve_exact(*len).is_ok());
        len.ok_or(memory)?;
        self.copy(&mut Vec::new(), &mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn identity(&self) -> Option<Identity<'s>> {
        match self {
            Source::Bytes(bytes) => Some(Identity::Bytes(bytes)),
            Source::File { path, span } => Some(Identity::File(span.offset, span.len, path.clone())),
            Source::Reader { .. } | Source::Packed(_) => None,
        }
    }

    /// The same bytes once more, if they can be read twice.
    pub(crate) fn again(&self) -> Option<Self> {
        match self {
            Source::Bytes(bytes) => Some(Source::Bytes(bytes)),
            Source::File { path, span } => Some(Source::File { path: path.clone(), span: *span }),
            Source::Reader { .. } | Source::Packed(_) => None,
        }
    }

    /// Writes all the bytes; `buffer` is memory that is reused.
    pub(super) fn copy(self, buffer: &mut Vec<u8>, out: &mut dyn Write) -> Result<(), WriteError> {
        match self {
            Source::Bytes(bytes) => bytes.chunks(PIECE).try_for_each(|piece| out.write_all(piece)).map_err(unwritten),
            Source::Reader { mut reader, len } => copy(&mut *reader, len, true, buffer, out),
            Source::File { path, span } => {
                let mut file = File::open(path).map_err(unread)?;
                file.seek(SeekFrom::Start(span.offset)).map_err(unread)?;
                copy(&mut file, span.len, false, buffer, out)
            }
            Source::Packed(packed) => packed.copy(buffer, out),
        }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Bytes(bytes) => f.debug_struct("Bytes").field("len", &bytes.len()).finish_non_exhaustive(),
            Source::Reader { len, .. } => f.debug_struct("Reader").field("len", len).finish_non_exhaustive(),
            Source::File { path, span } => f.debug_struct("File").field("path", path).field("span", span).finish(),
            Source::Packed(packed) => packed.fmt(f),
        }
    }
}

/// Sources in one segment, each at a multiple of an alignment, with zeros between them and none after the last.
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
    pub(crate) len: u64,
}

impl<'s> Packed<'s> {
    /// Packs sources; with an alignment of 1 there is nothing between them.
    ///
    /// # Errors
    ///
    /// [`WriteError`] when the alignment is 0, or the length does not fit into 64 bits.
    pub fn new(sources: impl IntoIterator<Item = Source<'s>>, alignment: u64) -> Result<Self, WriteError> {
        if alignment == 0 {
            return Err(zero_alignment("layout"));
        }
        let (mut parts, mut len) = (Vec::new(), 0_u64);
        for source in sources {
            let offset = align(len, alignment)?;
            len = offset.checked_add(source.len()).ok_or_else(WriteError::too_large)?;
            parts.push((offset, source));
        }
        Ok(Self { parts, len })
    }

    /// The offset of each source.
    pub fn offsets(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.parts.iter().map(|(offset, _)| *offset)
    }

    fn copy(self, buffer: &mut Vec<u8>, out: &mut dyn Write) -> Result<(), WriteError> {
        let mut end = 0;
        for (index, (offset, source)) in self.parts.into_iter().enumerate() {
            zeros(offset - end, out)?;
            end = offset + source.len();
            source.copy(buffer, out).map_err(|error| error.within(&format!("[{index}]")))?;
        }
        Ok(())
    }
}

pub(super) fn zeros(mut len: u64, out: &mut dyn Write) -> Result<(), WriteError> {
    while len > 0 {
        let count = piece_of(len);
        out.write_all(&ZEROS[..count]).map_err(unwritten)?;
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
    out: &mut dyn Write,
) -> Result<(), WriteError> {
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
            Ok(0) => {
                let message = format!("the source ended after {} of its {len} bytes", len - left);
                return Err(source_error(io::ErrorKind::UnexpectedEof, message));
            }
            Ok(_) if left == 0 => {
                let message = format!("the source goes on after its {len} bytes");
                return Err(source_error(io::ErrorKind::InvalidData, message));
            }
            Ok(count) => {
                // A broken reader may return more than it was given room for.
                let count = count.min(wanted);
                out.write_all(&buffer[..count]).map_err(unwritten)?;
                left -= count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unread(error)),
        }
    }
}

/// The number of bytes of `len` that are read or written next.
fn piece_of(len: u64) -> usize {
    usize::try_from(len).map_or(PIECE, |len| len.min(PIECE))
}

/// That a source did not give its bytes.
fn source_error(kind: io::ErrorKind, message: impl Into<String>) -> WriteError {
    WriteError::new(WriteCause::Source(kind), "", message)
}

#[allow(clippy::needless_pass_by_value, reason = "`map_err` passes a value")]
fn unread(error: io::Error) -> WriteError {
    source_error(error.kind(), format!("the source cannot be read: {error}"))
}

/// That the output cannot be written.
#[allow(clippy::needless_pass_by_value, reason = "`map_err` passes a value")]
pub(super) fn unwritten(error: io::Error) -> WriteError {
    WriteError::new(WriteCause::Output(error.kind()), "", format!("the file cannot be written: {error}"))
}

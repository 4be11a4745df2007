//! The bytes of a segment, wherever they are.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use torchproof::Span;
use torchproof::write::Source;

use crate::input::{Input, InputError};

/// The bytes of a segment: in memory, or where they are to be read from when they are written.
#[derive(Clone, Debug)]
pub enum Data {
    /// These.
    Bytes(Vec<u8>),
    /// A pattern, again and again, the last time perhaps cut short; zeros when it is empty.
    Fill {
        /// The pattern.
        pattern: Vec<u8>,
        /// In bytes.
        len: u64,
    },
    /// A range of an open file.
    Range {
        /// The file.
        input: Arc<Input>,
        /// The range.
        span: Span,
    },
    /// A range of a file that is opened when it is its turn.
    File {
        /// The file.
        path: PathBuf,
        /// The range.
        span: Span,
    },
    /// One after the other.
    Joined(Vec<Data>),
}

impl Data {
    /// So many zeros.
    #[must_use]
    pub const fn zeros(len: u64) -> Self {
        Data::Fill { pattern: Vec::new(), len }
    }

    /// How many bytes there are; `u64::MAX` when that does not fit.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Data::Bytes(bytes) => bytes.len() as u64,
            Data::Fill { len, .. } => *len,
            Data::Range { span, .. } | Data::File { span, .. } => span.len,
            Data::Joined(parts) => parts.iter().fold(0, |len, part| len.saturating_add(part.len())),
        }
    }

    /// Whether there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A part of the bytes: what of `part` is not there is left out.
    #[must_use]
    pub fn slice(&self, part: Span) -> Data {
        let within = |len: u64| {
            let offset = part.offset.min(len);
            Span::new(offset, part.len.min(len - offset))
        };
        let of = |span: Span| {
            let part = within(span.len);
            Span::new(span.offset + part.offset, part.len)
        };
        match self {
            Data::Bytes(bytes) => {
                let Span { offset, len } = within(bytes.len() as u64);
                let place = usize::try_from(offset).ok().zip(usize::try_from(offset + len).ok());
                Data::Bytes(place.and_then(|(start, end)| bytes.get(start..end)).unwrap_or_default().to_vec())
            }
            Data::Fill { pattern, len } => {
                let Span { offset, len } = within(*len);
                let mut pattern = pattern.clone();
                let turn = offset.checked_rem(pattern.len() as u64).unwrap_or(0);
                pattern.rotate_left(usize::try_from(turn).unwrap_or(0));
                Data::Fill { pattern, len }
            }
            Data::Range { input, span } => Data::Range { input: Arc::clone(input), span: of(*span) },
            Data::File { path, span } => Data::File { path: path.clone(), span: of(*span) },
            Data::Joined(all) => {
                let (mut skip, mut left, mut parts) = (part.offset, part.len, Vec::new());
                for data in all {
                    let taken = data.slice(Span::new(skip, left));
                    skip = skip.saturating_sub(data.len());
                    left -= taken.len();
                    parts.push(taken);
                }
                Data::Joined(parts)
            }
        }
    }

    /// The bytes, to be written.
    pub(super) fn source(&self) -> Source<'_> {
        match self {
            Data::Bytes(bytes) => Source::Bytes(bytes),
            Data::Fill { pattern, len } => Source::Fill { pattern, len: *len },
            // What a file is called is part of what goes wrong with it.
            _ => Source::Reader { reader: self.reader(), len: self.len() },
        }
    }

    /// What reads the bytes, from first to last.
    #[must_use]
    pub fn reader(&self) -> Box<dyn Read + '_> {
        match self {
            Data::Bytes(bytes) => Box::new(&bytes[..]),
            Data::Fill { pattern, len } => Box::new(Repeat { pattern, at: 0, left: *len }),
            Data::Range { input, span } => Box::new(input.range(*span)),
            Data::File { path, span } => Box::new(Late { path, span: *span, file: None }),
            Data::Joined(parts) => Box::new(Joined { parts, current: None }),
        }
    }
}

/// Reads a pattern again and again.
struct Repeat<'d> {
    pattern: &'d [u8],
    at: usize,
    left: u64,
}

impl Read for Repeat<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let buffer = &mut buffer[..len];
        if self.pattern.is_empty() {
            buffer.fill(0);
        } else {
            let mut filled = 0;
            while filled < len {
                let from = &self.pattern[self.at..];
                let count = from.len().min(len - filled);
                buffer[filled..filled + count].copy_from_slice(&from[..count]);
                filled += count;
                self.at = (self.at + count) % self.pattern.len();
            }
        }
        self.left -= len as u64;
        Ok(len)
    }
}

/// Reads a range of a file, which is opened by the first read: there may be more files than can be open at once.
struct Late<'d> {
    path: &'d PathBuf,
    span: Span,
    file: Option<io::Take<File>>,
}

impl Late<'_> {
    fn read_on(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let mut file = File::open(self.path)?;
                file.seek(SeekFrom::Start(self.span.offset))?;
                none.insert(file.take(self.span.len))
            }
        };
        match file.read(buffer)? {
            0 if file.limit() > 0 && !buffer.is_empty() => Err(io::ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }
}

impl Read for Late<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_on(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            _ => io::Error::other(InputError::new(self.path, &error)),
        })
    }
}

struct Joined<'d> {
    parts: &'d [Data],
    current: Option<Box<dyn Read + 'd>>,
}

impl Read for Joined<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(current) = &mut self.current {
                match current.read(buffer)? {
                    0 if !buffer.is_empty() => {}
                    count => return Ok(count),
                }
            }
            let Some((first, rest)) = self.parts.split_first() else { return Ok(0) };
            self.current = Some(first.reader());
            self.parts = rest;
        }
    }
}

/// Bytes that are not those that they must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongDigest {
    /// Their SHA-256.
    pub found: [u8; 32],
    /// The SHA-256 that they must have.
    pub wanted: [u8; 32],
}

impl fmt::Display for WrongDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |digest: &[u8]| data_encoding::HEXLOWER.encode(digest);
        write!(f, "sha256 of the data is {}, not {}", hex(&self.found), hex(&self.wanted))
    }
}

impl std::error::Error for WrongDigest {}

/// Reads as another reader does, and fails with a [`WrongDigest`] at its end when the bytes' SHA-256 is not the one that they
/// must have.
pub(super) struct Digested<R> {
    reader: R,
    digest: Sha256,
    wanted: [u8; 32],
}

impl<R: Read> Digested<R> {
    pub(super) fn new(reader: R, wanted: [u8; 32]) -> Self {
        Self { reader, digest: Sha256::new(), wanted }
    }
}

impl<R: Read> Read for Digested<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.digest.update(&buffer[..count]);
        if count == 0 && !buffer.is_empty() {
            let found: [u8; 32] = self.digest.finalize_reset().into();
            if found != self.wanted {
                return Err(io::Error::new(io::ErrorKind::InvalidData, WrongDigest { found, wanted: self.wanted }));
            }
        }
        Ok(count)
    }
}

impl<R> fmt::Debug for Digested<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Digested").finish_non_exhaustive()
    }
}

//! The bytes of a segment, in memory or in a file.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use torchproof::Span;

use crate::disk::input::{Input, InputError};

/// The bytes of a segment: in memory, or read when they are written.
#[derive(Clone, Debug)]
pub enum Data {
    /// These bytes.
    Bytes(Vec<u8>),
    /// A repeated pattern, its last copy cut to fit; zeros when the pattern is empty.
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
    /// A range of a file that its first read opens.
    File {
        /// The file.
        path: PathBuf,
        /// The range.
        span: Span,
    },
}

impl Data {
    /// The number of bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Data::Bytes(bytes) => bytes.len() as u64,
            Data::Fill { len, .. } => *len,
            Data::Range { span, .. } | Data::File { span, .. } => span.len,
        }
    }

    /// Whether there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads the bytes, from first to last.
    #[must_use]
    pub fn reader(&self) -> Box<dyn Read + '_> {
        match self {
            Data::Bytes(bytes) => Box::new(&bytes[..]),
            Data::Fill { pattern, len } if pattern.is_empty() => Box::new(io::repeat(0).take(*len)),
            Data::Fill { pattern, len } => Box::new(Cycle { pattern, at: 0 }.take(*len)),
            Data::Range { input, span } => Box::new(input.range(*span)),
            Data::File { path, span } => Box::new(Late { path, span: *span, file: None }),
        }
    }
}

/// A pattern without end.
struct Cycle<'d> {
    pattern: &'d [u8],
    at: usize,
}

impl Read for Cycle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let rest = &self.pattern[self.at..];
            let count = rest.len().min(buffer.len() - filled);
            buffer[filled..filled + count].copy_from_slice(&rest[..count]);
            filled += count;
            self.at = (self.at + count) % self.pattern.len();
        }
        Ok(filled)
    }
}

/// A range of a file that the first read opens: a specification may name more files than can be open at once.
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

/// Bytes whose SHA-256 is not the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongDigest {
    /// The SHA-256 of the bytes.
    pub found: [u8; 32],
    /// The expected one.
    pub wanted: [u8; 32],
}

impl fmt::Display for WrongDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |digest: &[u8]| data_encoding::HEXLOWER.encode(digest);
        write!(f, "sha256 of the data is {}, not {}", hex(&self.found), hex(&self.wanted))
    }
}

impl std::error::Error for WrongDigest {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

    use super::*;

    #[test]
    fn buffers_of_any_size_read_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        std::fs::write(&path, b"0123456789").unwrap();
        for (data, bytes) in [
            (Data::Bytes(b"xyz".to_vec()), &b"xyz"[..]),
            (Data::Fill { pattern: b"abc".to_vec(), len: 7 }, b"abcabca"),
            (Data::Fill { pattern: Vec::new(), len: 3 }, b"\0\0\0"),
            (Data::File { path: path.clone(), span: Span::new(2, 3) }, b"234"),
            (Data::Range { input: Arc::new(Input::open(&path).unwrap()), span: Span::new(7, 3) }, b"789"),
        ] {
            assert_eq!(data.len(), bytes.len() as u64);
            for size in [1, 2, 5, 100] {
                let (mut reader, mut read, mut buffer) = (data.reader(), Vec::new(), vec![0; size]);
                loop {
                    match reader.read(&mut buffer).unwrap() {
                        0 => break,
                        count => read.extend_from_slice(&buffer[..count]),
                    }
                }
                assert_eq!(read, bytes);
            }
        }
        let cut = Data::File { path, span: Span::new(8, 3) };
        assert!(cut.reader().read_to_end(&mut Vec::new()).is_err());
    }
}

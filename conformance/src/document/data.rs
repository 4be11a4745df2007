//! The bytes of a segment, in memory or in a file.

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use torchproof::Span;
use torchproof_harness::disk::input::{Input, InputError, Range};
use torchproof_harness::disk::named::open_resolved;

#[derive(Clone, Debug)]
pub enum Data {
    Bytes(Vec<u8>),
    /// A pattern that repeats up to `len`; an empty pattern means zeros.
    Fill {
        pattern: Vec<u8>,
        len: u64,
    },
    Range {
        input: Arc<Input>,
        span: Span,
    },
    /// The file is opened only while it is read, because a specification can name more files than a process can open.
    File {
        path: PathBuf,
        span: Span,
    },
}

impl Data {
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Data::Bytes(bytes) => bytes.len() as u64,
            Data::Fill { len, .. } => *len,
            Data::Range { span, .. } | Data::File { span, .. } => span.len,
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn reader(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match self {
            Data::Bytes(bytes) => Box::new(&bytes[..]),
            Data::Fill { pattern, len } if pattern.is_empty() => Box::new(io::repeat(0).take(*len)),
            Data::Fill { pattern, len } => Box::new(Cycle { pattern, at: 0 }.take(*len)),
            Data::Range { input, span } => Box::new(input.range(*span)),
            Data::File { path, span } => {
                let file = open_resolved(path).map_err(|error| io::Error::other(InputError::new(path, &error)))?;
                Box::new(Range::new(file, *span))
            }
        })
    }
}

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found sha256 {}, expected {}", HEXLOWER.encode(.found), HEXLOWER.encode(.wanted))]
pub struct DigestMismatch {
    pub found: [u8; 32],
    pub wanted: [u8; 32],
}

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
                let (mut reader, mut read, mut buffer) = (data.reader().unwrap(), Vec::new(), vec![0; size]);
                loop {
                    match reader.read(&mut buffer).unwrap() {
                        0 => break,
                        count => read.extend_from_slice(&buffer[..count]),
                    }
                }
                assert_eq!(read, bytes);
            }
        }
        let cut = Data::File { path: path.clone(), span: Span::new(8, 3) };
        assert!(cut.reader().unwrap().read_to_end(&mut Vec::new()).is_err());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(Data::File { path: link, span: Span::new(0, 1) }.reader().is_err(), cfg!(target_os = "linux"));
    }
}

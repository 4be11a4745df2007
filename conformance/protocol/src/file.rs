//! **Bytes of a request's file**, whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::thread;

use crate::{RequestFile, SELFTEST_MARKER};

/// Opens a file that has `size` bytes from `offset` on, or all that follow if there is no size; returns how many those are.
///
/// # Errors
/// The file cannot be read or is no regular file. It is shorter: [`io::ErrorKind::UnexpectedEof`].
pub fn open_whole(path: &Path, offset: u64, size: Option<u64>) -> io::Result<(File, u64)> {
    // To open a pipe is to wait for a writer.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    let file = File::open(path)?;
    let have = file.metadata()?.len().saturating_sub(offset);
    match size {
        Some(size) if have < size => {
            let message = format!("the file is cut short: {have} of its {size} bytes are there");
            Err(io::Error::new(io::ErrorKind::UnexpectedEof, message))
        }
        size => Ok((file, size.unwrap_or(have))),
    }
}

/// Panics or sleeps for ever if the file at `offset` in what is at `path` is an order of `torchproof selftest` to do so.
///
/// # Panics
/// The file orders a crash.
pub fn obey_selftest(path: &Path, offset: u64) {
    let mut head = [0; SELFTEST_MARKER.len() + 6];
    let mut read = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(&mut head)
    };
    if read().is_err() {
        return;
    }
    match head.strip_prefix(SELFTEST_MARKER.as_bytes()) {
        Some(b"crash\n") => panic!("the selftest orders a crash"),
        Some(b"sleep\n") => loop {
            thread::park();
        },
        _ => {}
    }
}

impl RequestFile {
    /// Reads the file's bytes: `size` of them from `offset` on.
    ///
    /// # Errors
    /// As [`open_whole`]. Return the error from the closure of [`serve`](crate::serve) with `?`: it becomes the answer `error`.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let offset = self.offset.unwrap_or(0);
        let (mut file, size) = open_whole(Path::new(&self.path), offset, self.size)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(size).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

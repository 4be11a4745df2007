//! **A request's files**: opens and reads them, and returns an error if a file is incomplete.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::thread;

use crate::{RequestFile, SELFTEST_MARKER};

/// Opens a regular file, and returns it with the number of bytes to read from `offset` on: `size` bytes, or all bytes
/// up to the end.
///
/// # Errors
/// The error is [`io::ErrorKind::UnexpectedEof`] if the file is too short.
pub fn open_whole(path: &Path, offset: u64, size: Option<u64>) -> io::Result<(File, u64)> {
    // Opening a named pipe would block until a writer opens it.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file"));
    }
    let file = File::open(path)?;
    let have = file.metadata()?.len().saturating_sub(offset);
    match size {
        Some(size) if have < size => {
            let message = format!("found {have} bytes, expected at least {size}");
            Err(io::Error::new(io::ErrorKind::UnexpectedEof, message))
        }
        size => Ok((file, size.unwrap_or(have))),
    }
}

/// Panics or sleeps forever if the file at `path` has a selftest marker that requests this at `offset`.
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
        Some(b"crash\n") => panic!("crash requested by the adapter selftest"),
        Some(b"sleep\n") => loop {
            thread::park();
        },
        _ => {}
    }
}

impl RequestFile {
    /// Reads `size` bytes of the file, starting at `offset`.
    ///
    /// # Errors
    /// Fails as [`open_whole`] does. Propagate the error with `?` in the closure for [`serve`](crate::serve), so that
    /// the adapter replies `error`.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let offset = self.offset.unwrap_or(0);
        let (mut file, size) = open_whole(Path::new(&self.path), offset, self.size)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(size).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

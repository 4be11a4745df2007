//! **An open input file**. Opening reads the header and the FlatBuffer; callers read segments by range.
//!
//! Segments can contain gigabytes that most commands do not need. [`Input::open`] therefore reads only the bytes that
//! [`FileBytes::needed`] counts, while [`Input::open_whole`] reads the whole file.

use std::borrow::Borrow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use torchproof::check::{ReadAt, ReadError};
use torchproof::{FileBytes, Span};

use super::atomic::PIECE;
use super::open::{MAX_MODEL, open_argument};
use super::system::{data_after, read_at};
use crate::disk::io_error::{cannot_read, cannot_write};

/// The number of bytes to read first. They include the header, from which [`FileBytes::needed`] computes how many to
/// read in total.
const HEAD_LEN: u64 = 64;

/// An open file with its header and its FlatBuffer in memory.
///
/// If the FlatBuffer has 2^31 bytes or more, only the first 64 bytes are in memory, because the checker needs no other
/// bytes to reject the file.
#[derive(Debug)]
pub struct Input {
    path: PathBuf,
    file: File,
    len: u64,
    /// `padding` bytes for alignment, then the bytes of the file that are in memory.
    buffer: Vec<u8>,
    /// The number of bytes in `buffer` before the file.
    padding: usize,
}

/// Copies a stream, such as standard input, to an unnamed temporary file, because a check reads ranges in any order.
fn spooled(mut stream: File) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(&mut stream, &mut file)?;
    file.rewind()?;
    Ok(file)
}

impl Input {
    /// Opens a file, and reads its header and its FlatBuffer. The path must lead to a regular file, or to a stream that
    /// this process already has open, such as `/dev/stdin`.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        Self::open_file(path).map_err(|error| InputError::new(path, &error))
    }

    /// Opens a file and reads all of it. In memory, the bytes begin at a 16-byte boundary, or one byte after it if `odd` is set.
    pub fn open_whole(path: &Path, odd: bool) -> Result<Self, InputError> {
        let whole = Self::open_file(path).and_then(|input| input.whole(odd));
        whole.map_err(|error| InputError::new(path, &error))
    }

    fn whole(mut self, odd: bool) -> io::Result<Self> {
        const ALIGNMENT: usize = 16;
        let len = usize::try_from(self.len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut buffer = Vec::new();
        buffer.try_reserve_exact(len.saturating_add(2 * ALIGNMENT))?;
        // The vector has room for the whole file, so it is not reallocated and the bytes do not move.
        let misplaced = buffer.as_ptr() as usize % ALIGNMENT;
        self.padding = (ALIGNMENT - misplaced) % ALIGNMENT + usize::from(odd);
        buffer.resize(self.padding, 0);
        self.file.seek(SeekFrom::Start(0))?;
        append(&mut self.file, self.len, &mut buffer)?;
        self.buffer = buffer;
        Ok(self)
    }

    fn open_file(path: &Path) -> io::Result<Self> {
        let mut file = open_argument(path)?;
        if !file.metadata()?.is_file() {
            file = spooled(file)?;
        }
        let len = file.metadata()?.len();
        let mut buffer = Vec::new();
        append(&mut file, HEAD_LEN.min(len), &mut buffer)?;
        let needed = FileBytes::needed(&buffer, len);
        append(&mut file, needed.saturating_sub(buffer.len() as u64), &mut buffer)?;
        Ok(Self { path: path.to_owned(), file, len, buffer, padding: 0 })
    }

    /// Fails if the FlatBuffer has more than [`MAX_MODEL`] bytes. For commands that need up to 40 bytes of memory per
    /// byte.
    pub fn expect_for_tree(&self) -> Result<(), InputError> {
        let len = self.file_bytes().bytes().len() as u64;
        if len <= MAX_MODEL {
            return Ok(());
        }
        let message = format!("has a FlatBuffer of {len} bytes; expected at most {MAX_MODEL} bytes");
        Err(InputError::new(&self.path, &io::Error::other(message)))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the bytes that are in memory, with the file's length.
    pub fn file_bytes(&self) -> FileBytes<'_> {
        let bytes = &self.buffer[self.padding..];
        FileBytes::head(bytes, self.len).unwrap_or(FileBytes::whole(bytes))
    }

    /// Passes the bytes of `span` to `sink`, in order, in pieces of at most 64 KiB.
    pub fn read(&self, span: Span, sink: &mut dyn FnMut(&[u8])) -> Result<(), InputError> {
        let unread = |error: io::Error| InputError::new(&self.path, &error);
        if span.offset.checked_add(span.len).is_none_or(|end| end > self.len) {
            return Err(unread(io::ErrorKind::UnexpectedEof.into()));
        }
        each_piece(self.range(span), unread, |piece| {
            sink(piece);
            Ok(())
        })
    }

    /// Returns a reader of `span` with its own position in the file. It fails at the file's end if `span` exceeds it.
    pub fn range(&self, span: Span) -> Range<'_, &File> {
        Range { head: self.file_bytes().bytes(), file: &self.file, at: span.offset, left: span.len }
    }

    /// Returns the first offset at or after `at` that is not in a hole of the sparse file. Holes contain only zeros.
    fn after_hole(&self, at: u64) -> u64 {
        data_after(&self.file, at, self.len)
    }
}

impl ReadAt for Input {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.range(Span::new(offset, buffer.len() as u64)).read_exact(buffer).map_err(|_| ReadError)
    }

    fn head(&self) -> &[u8] {
        self.file_bytes().bytes()
    }

    fn first_nonzero(&self, span: Span) -> Result<Option<u64>, ReadError> {
        let end = span.offset.checked_add(span.len).filter(|end| *end <= self.len).ok_or(ReadError)?;
        let len = usize::try_from(span.len).map_or(PIECE, |len| len.min(PIECE));
        let (mut at, mut piece) = (span.offset, vec![0; len]);
        while at < end {
            at = self.after_hole(at).min(end);
            piece.truncate(usize::try_from(end - at).unwrap_or(PIECE));
            self.read_at(at, &mut piece)?;
            if let Some(index) = piece.iter().position(|byte| *byte != 0) {
                return Ok(Some(at + index as u64));
            }
            at += piece.len() as u64;
        }
        Ok(None)
    }
}

/// A reader for a file's byte range, whose first bytes can be in memory.
#[derive(Debug)]
pub struct Range<'h, F> {
    head: &'h [u8],
    file: F,
    at: u64,
    left: u64,
}

impl<F> Range<'_, F> {
    pub fn new(file: F, span: Span) -> Self {
        Self { head: &[], file, at: span.offset, left: span.len }
    }
}

impl<F: Borrow<File>> Read for Range<'_, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let head = usize::try_from(self.at).ok().and_then(|at| self.head.get(at..)).unwrap_or_default();
        let count = match head.len().min(len) {
            0 => read_at(self.file.borrow(), &mut buffer[..len], self.at)?,
            count => {
                buffer[..count].copy_from_slice(&head[..count]);
                count
            }
        };
        if count == 0 && len > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.at += count as u64;
        self.left -= count as u64;
        Ok(count)
    }
}

/// Passes all bytes of `from` to `sink`, in pieces of at most 64 KiB. `unread` converts a read error.
pub fn each_piece<E>(
    from: impl Read,
    unread: impl FnOnce(io::Error) -> E,
    mut sink: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut from = BufReader::with_capacity(PIECE, from);
    loop {
        let piece = match from.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(unread(error)),
        };
        let len = piece.len();
        if len == 0 {
            return Ok(());
        }
        sink(piece)?;
        from.consume(len);
    }
}

fn append(mut file: impl Read, len: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    let wanted = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.try_reserve_exact(wanted)?;
    if file.by_ref().take(len).read_to_end(bytes)? < wanted {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

/// An error from reading a file or from writing a copy of it, as one printable line that begins with the path.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InputError(String);

impl InputError {
    pub fn new(path: &Path, error: &io::Error) -> Self {
        Self(cannot_read(path, error))
    }

    /// Converts an error from writing a copy to `path`.
    pub(crate) fn unwritten(path: &Path, error: &io::Error) -> Self {
        Self(cannot_write(path, error))
    }
}

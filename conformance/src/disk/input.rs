//! **A file under examination**, read by range: its head and its FlatBuffer at once, the rest when it is asked for.
//!
//! A model's weights can be gigabytes, and nothing but their digests needs them: [`Input::open`] reads what
//! [`Image::needed`] asks for and leaves the segments on disk. [`Input::open_whole`] reads everything, where that is the question.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use torchproof::check::{ReadAt, Unread};
use torchproof::{Image, Span};

use super::atomic::PIECE;
use crate::disk::io_error::in_words;
use crate::text::escape::plain_name;

/// First bytes read to learn how many are needed; both headers lie in them.
const HEAD_LEN: u64 = 64;

/// An open file: its first bytes in memory, up to the end of its FlatBuffer, and the rest on disk.
///
/// A file whose FlatBuffer would have 2^31 bytes or more is held up to byte 64: that is enough to say so, and to name the
/// rule that it breaks.
#[derive(Debug)]
pub struct Input {
    path: PathBuf,
    file: File,
    len: u64,
    /// The bytes held, behind those before them.
    held: Vec<u8>,
    /// How many bytes of `held` are before the file's.
    before: usize,
}

impl Input {
    /// Opens the file and reads its head and its FlatBuffer.
    ///
    /// # Errors
    ///
    /// When the path leads to no regular file, or the file cannot be read.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        Self::open_file(path).map_err(|error| InputError::new(path, &error))
    }

    /// Opens the file and reads all of it, to an address that is odd or a multiple of 16.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open), or there is no memory for it.
    pub fn open_whole(path: &Path, odd: bool) -> Result<Self, InputError> {
        let whole = Self::open_file(path).and_then(|input| input.whole(odd));
        whole.map_err(|error| InputError::new(path, &error))
    }

    fn whole(mut self, odd: bool) -> io::Result<Self> {
        const ALIGNMENT: usize = 16;
        let len = usize::try_from(self.len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut held = Vec::new();
        held.try_reserve_exact(len.saturating_add(2 * ALIGNMENT))?;
        // Where the bytes come to be is known once there is room for them all; they are not moved any more.
        let misplaced = held.as_ptr() as usize % ALIGNMENT;
        self.before = (ALIGNMENT - misplaced) % ALIGNMENT + usize::from(odd);
        held.resize(self.before, 0);
        self.file.seek(SeekFrom::Start(0))?;
        read_on(&mut self.file, self.len, &mut held)?;
        self.held = held;
        Ok(self)
    }

    fn open_file(path: &Path) -> io::Result<Self> {
        // Asked before opening: to open a pipe is to wait for its writer.
        let kind = std::fs::metadata(path)?.file_type();
        if kind.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !kind.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let mut file = File::open(path)?;
        let len = file.metadata()?.len();
        let mut held = Vec::new();
        read_on(&mut file, HEAD_LEN.min(len), &mut held)?;
        let needed = Image::needed(&held, len);
        read_on(&mut file, needed.saturating_sub(held.len() as u64), &mut held)?;
        Ok(Self { path: path.to_owned(), file, len, held, before: 0 })
    }

    /// Where the file is, as it was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes held, and the file's length.
    #[must_use]
    pub fn image(&self) -> Image<'_> {
        let held = &self.held[self.before..];
        Image::head(held, self.len).unwrap_or(Image::whole(held))
    }

    /// Hands the bytes of `span` to `sink`, from first to last, in pieces of at most 64 KiB.
    ///
    /// # Errors
    ///
    /// When the range leaves the file, or the file cannot be read.
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

    /// What reads the bytes of `span`, whatever else is read of the file meanwhile.
    ///
    /// A range that leaves the file ends with an error.
    #[must_use]
    pub fn range(&self, span: Span) -> Range<'_, &File> {
        Range { held: self.image().bytes(), file: &self.file, at: span.offset, left: span.len }
    }

    /// The first byte from here on that is in no hole, as far as the file system says: a hole reads as zeros.
    fn after_hole(&self, at: u64) -> u64 {
        #[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
        match rustix::fs::seek(&self.file, rustix::fs::SeekFrom::Data(at)) {
            Ok(data) => return data,
            // Nothing but a hole up to the end of the file.
            Err(rustix::io::Errno::NXIO) => return self.len,
            // A file system that does not know holes has none.
            Err(_) => {}
        }
        at
    }
}

impl ReadAt for Input {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Unread> {
        self.range(Span::new(offset, buffer.len() as u64)).read_exact(buffer).map_err(|_| Unread)
    }

    fn head(&self) -> &[u8] {
        self.image().bytes()
    }

    fn first_nonzero(&self, span: Span) -> Result<Option<u64>, Unread> {
        let end = span.offset.checked_add(span.len).filter(|end| *end <= self.len).ok_or(Unread)?;
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

/// What reads a range of a file, whose first bytes may be held.
#[derive(Debug)]
pub struct Range<'h, F> {
    held: &'h [u8],
    file: F,
    at: u64,
    left: u64,
}

impl<F> Range<'_, F> {
    /// A range of a file of which nothing is held.
    pub(crate) fn new(file: F, span: Span) -> Self {
        Self { held: &[], file, at: span.offset, left: span.len }
    }
}

impl<F: AsFd> Read for Range<'_, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let held = usize::try_from(self.at).ok().and_then(|at| self.held.get(at..)).unwrap_or_default();
        let count = match held.len().min(len) {
            0 => rustix::io::pread(&self.file, &mut buffer[..len], self.at)?,
            count => {
                buffer[..count].copy_from_slice(&held[..count]);
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

/// Hands what is read to `sink`, in pieces of at most 64 KiB; `unread` makes the error of reading.
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

/// Appends the next `len` bytes of the file.
fn read_on(mut file: impl Read, len: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    let wanted = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.try_reserve_exact(wanted)?;
    if file.by_ref().take(len).read_to_end(bytes)? < wanted {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

/// Why a file could not be read: one printable line that begins with its path.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", plain_name(&.path.to_string_lossy()))]
pub struct InputError {
    path: PathBuf,
    reason: String,
}

impl InputError {
    /// That reading the file failed with `error`.
    #[must_use]
    pub fn new(path: &Path, error: &io::Error) -> Self {
        Self { path: path.to_owned(), reason: unread(error) }
    }
}

/// Why a file that is to be read is not.
pub(crate) fn unread(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => in_words(error),
    }
}

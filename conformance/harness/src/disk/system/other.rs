//! The functions on Windows, where they do less, because Windows lacks the pipes, holes, owners and permissions of Unix.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::FileExt;
use std::path::{Path, PathBuf};

pub(crate) fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[expect(clippy::unnecessary_wraps, reason = "on Unix, the call can fail")]
pub(crate) fn wait_again(_: &File) -> io::Result<()> {
    Ok(())
}

pub(crate) fn is_unread_pipe(_: &io::Error) -> bool {
    false
}

pub(crate) fn kind_of_special(_: FileType) -> &'static str {
    "a device"
}

/// Reads bytes at an offset. The position of the file changes, so no other code may rely on it.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buffer, offset)
}

pub(crate) fn data_after(_: &File, at: u64, len: u64) -> u64 {
    at.min(len)
}

pub(crate) fn with_mode(options: &mut OpenOptions, _: u32) -> &mut OpenOptions {
    options
}

#[expect(clippy::unnecessary_wraps, reason = "on Unix, the call can fail")]
pub(crate) fn copy_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "on Unix, the call can fail")]
pub fn make_executable(_: &File) -> io::Result<()> {
    Ok(())
}

pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file()
}

pub(crate) fn open_unfollowed(path: &Path) -> io::Result<File> {
    File::open(path)
}

pub(crate) fn open_unnamed(_: &Path, _: u32) -> Option<(File, PathBuf)> {
    None
}

pub(crate) fn link_unnamed(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns true, because only locked files are compared, and no file is locked here.
pub(crate) fn is_same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

pub(crate) fn writable_by_all<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
) -> &'b mut tempfile::Builder<'p, 's> {
    builder
}

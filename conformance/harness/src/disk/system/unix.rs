//! The functions on Unix.

use std::fs::{File, FileType, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags};

/// Makes `open` return at once for a named pipe.
pub(crate) fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(OFlags::NONBLOCK.bits().cast_signed())
}

/// Makes reads and writes wait again, after [`without_waiting`].
pub(crate) fn wait_again(file: &File) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(file)?;
    Ok(rustix::fs::fcntl_setfl(file, flags - OFlags::NONBLOCK)?)
}

/// Returns whether the error means that no process reads the named pipe.
pub(crate) fn is_unread_pipe(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
}

pub(crate) fn kind_of_special(kind: FileType) -> &'static str {
    match kind {
        _ if kind.is_fifo() => "a named pipe",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

/// Reads bytes at an offset without changing the position of the file.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buffer, offset)
}

/// Returns the first offset at or after `at` that is not in a hole of the sparse file, or `len` if there is none.
pub(crate) fn data_after(file: &File, at: u64, len: u64) -> u64 {
    #[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
    match rustix::fs::seek(file, rustix::fs::SeekFrom::Data(at)) {
        Ok(data) => return data,
        // The rest of the file is a hole.
        Err(rustix::io::Errno::NXIO) => return len,
        // The file system does not report holes.
        Err(_) => {}
    }
    at.min(len)
}

/// Sets the permissions of a file that `open` creates.
pub(crate) fn with_mode(options: &mut OpenOptions, mode: u32) -> &mut OpenOptions {
    options.mode(mode)
}

/// Copies the owner, the group and the permissions of the replaced file.
pub(crate) fn copy_owner(file: &File, old: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        fchown(file, Some(old.uid()), Some(old.gid()))
            .map_err(|_| io::Error::other("belongs to another user or group; write to another file"))?;
    }
    // Set the permissions last, because changing the owner clears some of them.
    file.set_permissions(Permissions::from_mode(old.mode()))
}

/// Lets every user who can read the file execute it.
pub fn make_executable(file: &File) -> io::Result<()> {
    let mode = file.metadata()?.permissions().mode();
    file.set_permissions(Permissions::from_mode(mode | (mode & 0o444) >> 2))
}

/// Returns whether this user can execute the file.
pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

/// Opens a file for locking, without following links or waiting for a pipe.
pub(crate) fn open_unfollowed(path: &Path) -> io::Result<File> {
    Ok(rustix::fs::open(path, OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?.into())
}

/// Creates a file without a name, which vanishes when its last descriptor is closed, and returns it with a path that
/// leads to it. Returns `None` if the system or the file system does not support unnamed files.
#[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "only Linux has such files"))]
pub(crate) fn open_unnamed(folder: &Path, mode: u32) -> Option<(File, PathBuf)> {
    #[cfg(target_os = "linux")]
    {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(folder, flags, Mode::from_raw_mode(mode)).ok()?);
        let path = PathBuf::from(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file)));
        // Without `/proc`, the file could not get a name later.
        path.exists().then_some((file, path))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Gives a name to a file that [`open_unnamed`] returned with `path`; fails if the name exists.
pub(crate) fn link_unnamed(path: &Path, name: &Path) -> io::Result<()> {
    Ok(rustix::fs::linkat(CWD, path, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

pub(crate) fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Lets every user write to the folder.
pub(crate) fn writable_by_all<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
) -> &'b mut tempfile::Builder<'p, 's> {
    builder.permissions(Permissions::from_mode(0o777))
}

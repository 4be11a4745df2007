//! **Opening the user's files** without blocking on a pipe or a device.

use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Read};
use std::path::Path;

use super::system::{is_unread_pipe, kind_of_special, wait_again, without_waiting};

/// Opens a regular file for reading. Anything else is an error, because opening a named pipe would wait for a writer.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Check first, because opening a device can have side effects, and check the open file too, because the path can
    // change in between.
    expect_regular(&fs::metadata(path)?)?;
    let file = without_waiting(File::options().read(true)).open(path)?;
    expect_regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file of at most [`MAX_MODEL`] bytes.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    bytes_up_to(open_regular(path)?, MAX_MODEL)
}

/// Opens a file that the user names in an argument: a regular file, or a stream that this process already has open, as
/// the shell passes for `<(command)`.
pub fn open_argument(path: &Path) -> io::Result<File> {
    if !is_own_descriptor(path) {
        return open_regular(path);
    }
    let file = File::open(path)?;
    if file.metadata()?.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(file) }
}

/// The maximum number of bytes that a command keeps in memory: a whole file, or the tables of a model's FlatBuffer.
pub const MAX_MODEL: u64 = 256 << 20;

/// Reads what [`open_argument`] opens, up to [`MAX_MODEL`] bytes.
pub fn read_argument(path: &Path) -> io::Result<Vec<u8>> {
    bytes_up_to(open_argument(path)?, MAX_MODEL)
}

/// Reads an open file of at most `limit` bytes as UTF-8.
pub fn text_up_to(file: File, limit: u64) -> io::Result<String> {
    text_of(bytes_up_to(file, limit)?)
}

/// Reads an open file of at most `limit` bytes. A larger regular file fails at once.
pub fn bytes_up_to(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::other(format!("has more than {limit} bytes; expected a smaller file"));
    let mut bytes = Vec::new();
    match file.metadata()?.len() {
        len if len > limit => return Err(too_large()),
        len => bytes.try_reserve_exact(usize::try_from(len).map_err(|_| too_large())?)?,
    }
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// Reads what [`read_argument`] reads, as UTF-8.
pub fn read_argument_text(path: &Path) -> io::Result<String> {
    text_of(read_argument(path)?)
}

fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        io::Error::other(format!("is not UTF-8 at byte {}; expected text", error.utf8_error().valid_up_to()))
    })
}

/// Opens a file for output without truncating it, and creates it if it is missing. A named pipe that no process reads
/// is an error.
pub(crate) fn open_output(path: &Path, append: bool) -> io::Result<File> {
    let mut options = File::options();
    let options = if append { options.append(true) } else { options.write(true) };
    let opened = without_waiting(options.create(true).truncate(false)).open(path);
    let file = opened.map_err(|error| match fs::metadata(path).map(|found| expect_regular(&found)) {
        Ok(Err(special)) if is_unread_pipe(&error) => special,
        _ => error,
    })?;
    wait_again(&file)?;
    Ok(file)
}

/// Locks the regular file that this process is writing, until it is closed. Fails if another process has the lock.
pub(crate) fn lock_output(file: &File) -> io::Result<()> {
    if !file.metadata()?.is_file() {
        return Ok(());
    }
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::other("another process writes this file; wait until it ends, or pass another path"))
        }
        // Some file systems do not support locks, so continue without one.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

pub(super) fn expect_regular(found: &Metadata) -> io::Result<()> {
    let kind = found.file_type();
    let found = match kind {
        _ if kind.is_file() => return Ok(()),
        _ if kind.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        _ => kind_of_special(kind),
    };
    Err(io::Error::other(format!("is {found}; expected a regular file")))
}

/// Returns whether the path is an open file of this process.
fn is_own_descriptor(path: &Path) -> bool {
    path == Path::new("/dev/stdin") || path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd")
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn special_files_are_errors_and_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, socket, link] = ["pipe", "socket", "link"].map(|name| folder.path().join(name));
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
        let _listener = UnixListener::bind(&socket).unwrap();
        std::os::unix::fs::symlink("pipe", &link).unwrap();
        let paths = [&pipe, &socket, &link, Path::new("/dev/zero"), folder.path()];
        let errors = |open: &dyn Fn(&Path) -> io::Result<File>| paths.map(|path| open(path).unwrap_err().to_string());
        let expected = [
            "is a named pipe; expected a regular file",
            "is a socket; expected a regular file",
            "is a named pipe; expected a regular file",
            "is a device; expected a regular file",
            "is a directory",
        ];
        assert_eq!(errors(&|path| open_regular(path)), expected);
        assert_eq!(errors(&|path| open_argument(path)), expected);
        assert_eq!(open_output(&pipe, false).unwrap_err().to_string(), expected[0]);
    }

    #[test]
    fn output_keeps_the_content_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        open_output(&path, true).unwrap();
        fs::write(&path, "abc").unwrap();
        open_output(&path, false).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"abc");
    }
}

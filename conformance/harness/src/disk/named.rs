//! **Paths that a file names.** Someone else may have written the file, so its paths may only lead below a folder that
//! the user has named, usually the file's own.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::open::{expect_regular, open_regular};

/// A resolved folder below which a file may name paths.
#[derive(Clone, Debug)]
pub struct OwnFolder(PathBuf);

impl OwnFolder {
    /// Resolves a folder. An empty path is the current folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }).map(Self)
    }

    pub fn of(file: &Path) -> io::Result<Self> {
        Self::new(file.parent().unwrap_or(Path::new("")))
    }

    pub fn join(&self, path: impl AsRef<Path>) -> PathBuf {
        self.0.join(path)
    }

    /// Resolves a path through every `..` and every link. Returns `None` if it leads outside this folder. A missing file
    /// counts as inside if its nearest existing parent is inside, so the answer reveals nothing about files elsewhere.
    pub fn resolve(&self, path: &Path) -> Option<io::Result<PathBuf>> {
        let mut missing = None;
        for part in std::path::absolute(path).ok()?.ancestors() {
            match fs::canonicalize(part) {
                Ok(resolved) if !resolved.starts_with(&self.0) => return None,
                Ok(resolved) => return Some(missing.map_or(Ok(resolved), Err)),
                Err(_) if part.is_symlink() => return None,
                Err(error) => missing = missing.or(Some(error)),
            }
        }
        None
    }

    /// Opens a regular file below this folder. If the path leads outside, fails without opening it.
    pub fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let outside =
            || io::Error::other("leads outside the folder of the file that names it; replace the link with a file");
        open_resolved(&self.resolve(&self.join(path)).ok_or_else(outside)??)
    }
}

/// Opens a resolved path; fails if one of its components has become a symbolic link.
pub fn open_resolved(path: &Path) -> io::Result<File> {
    // Check first, because opening a device can have side effects.
    expect_regular(&fs::metadata(path)?)?;
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
        use rustix::io::Errno;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            // Kernels before 5.6 lack `openat2`, and some containers block it.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => {
                let file = File::from(opened?);
                return expect_regular(&file.metadata()?).map(|()| file);
            }
        }
    }
    open_regular(path)
}

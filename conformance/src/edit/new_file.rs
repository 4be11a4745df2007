//! A file that is there whole, or not at all.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// What a new file may do to one that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Replace it, and take over its permissions.
    Replace,
    /// Leave it, and fail.
    Keep,
}

/// A file under a temporary name beside where it is to be, and gone when it is dropped before [`NewFile::put_in_place`].
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// use std::io::Write;
/// use torchproof_conformance::edit::{Existing, NewFile};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("model.pte");
/// let mut new = NewFile::create(&path, Existing::Keep)?;
/// new.file().write_all(b"abc")?;
/// assert!(!path.exists());
/// new.put_in_place()?;
/// assert_eq!(std::fs::read(&path)?, b"abc");
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct NewFile {
    file: NamedTempFile,
    target: PathBuf,
    existing: Existing,
}

impl NewFile {
    /// Creates it; a link is followed, so that what it leads to is what will be replaced.
    ///
    /// # Errors
    ///
    /// When there is no such folder, the file cannot be created, or one is there that may not be replaced or is not regular.
    pub fn create(target: &Path, existing: Existing) -> io::Result<Self> {
        let (target, permissions) = match fs::metadata(target) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => return Err(io::Error::other("not a regular file")),
            Ok(_) if existing == Existing::Keep => return Err(io::ErrorKind::AlreadyExists.into()),
            Ok(found) => (fs::canonicalize(target)?, Some(found.permissions())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (resolved(target)?, None),
            Err(error) => return Err(error),
        };
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".torchproof-");
        // The system takes from these what a new file is not to have.
        let file = builder.permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        Ok(Self { file, target, existing })
    }

    /// Where it is to be, links followed.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The open file.
    pub fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Where it is for now.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Puts it where it is to be, once its bytes are on the disk.
    ///
    /// # Errors
    ///
    /// When the disk fails, or another file has come to be there that may not be replaced. Nothing is left of it then.
    pub fn put_in_place(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        let folder = self.file.path().parent().map(Path::to_owned);
        let done = match self.existing {
            Existing::Replace => self.file.persist(&self.target),
            Existing::Keep => self.file.persist_noclobber(&self.target),
        };
        done.map_err(|error| error.error)?;
        // The new name is as lasting as the file; where folders cannot be opened, it is as the system has it.
        let _ = folder.map(|folder| File::open(folder).and_then(|folder| folder.sync_all()));
        Ok(())
    }
}

/// The place of a file, there or not: in the folder that the links of its path lead to.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let name = path.file_name().ok_or(io::ErrorKind::NotFound)?;
            Ok(fs::canonicalize(folder)?.join(name))
        }
        found => found,
    }
}

/// Whether two paths lead to one place.
#[must_use]
pub fn same_place(one: &Path, other: &Path) -> bool {
    matches!((resolved(one), resolved(other)), (Ok(one), Ok(other)) if one == other)
}

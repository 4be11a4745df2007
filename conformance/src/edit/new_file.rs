//! A file that is there whole, or not at all.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

/// What a new file may do to one that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Replace it, and take over its permissions, its group and its owner as far as the system lets this process.
    ///
    /// Other names of the file, as hard links are, keep the old one.
    Replace,
    /// Leave it, and fail.
    Keep,
}

/// A file that has no name yet, and is gone when it is dropped, or the process ends, before [`NewFile::put_in_place`].
///
/// It is in the folder where it is to be. Where the file system has no files without a name, it has a temporary one there, which
/// begins with `.torchproof-`, and which a process that is killed leaves behind.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// use std::io::Write;
/// use torchproof_cli::edit::{Existing, NewFile};
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
    hold: Hold,
    /// Where it is till then.
    folder: PathBuf,
    target: PathBuf,
    existing: Existing,
    /// The file that is replaced, of which it takes over who may do what; till then, the new one is for its owner alone.
    replaced: Option<Rights>,
    /// Whether the bytes are on the disk.
    synced: bool,
}

/// Who may do what with a file.
#[derive(Clone, Copy, Debug)]
struct Rights {
    owner: u32,
    group: u32,
    mode: u32,
}

impl Rights {
    fn of(found: &Metadata) -> Self {
        Self { owner: found.uid(), group: found.gid(), mode: found.mode() }
    }
}

/// How a file is held that is not in its place.
#[derive(Debug)]
enum Hold {
    /// Open, and found by its descriptor.
    Unnamed {
        file: File,
        path: PathBuf,
    },
    Named(NamedTempFile),
}

impl NewFile {
    /// Creates it; a link is followed, so that what it leads to is what will be replaced.
    ///
    /// # Errors
    ///
    /// When there is no such folder, the file cannot be created, or one is there that may not be replaced or is not regular.
    pub fn create(target: &Path, existing: Existing) -> io::Result<Self> {
        let (target, replaced) = match fs::metadata(target) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => return Err(io::Error::other("not a regular file")),
            Ok(_) if existing == Existing::Keep => return Err(io::ErrorKind::AlreadyExists.into()),
            Ok(found) => (fs::canonicalize(target)?, Some(Rights::of(&found))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (resolved(target)?, None),
            Err(error) => return Err(error),
        };
        // The system takes from these what a new file is not to have.
        let mode = if replaced.is_some() { 0o600 } else { 0o666 };
        let folder = folder_of(&target).to_owned();
        let hold = Hold::new(&folder, mode)?;
        Ok(Self { hold, folder, target, existing, replaced, synced: false })
    }

    /// As [`NewFile::create`], of a file whose folder is made later: till then it is in `folder`, in which that one is to be.
    pub(super) fn create_before_its_folder(folder: &Path, target: &Path, existing: Existing) -> io::Result<Self> {
        let hold = Hold::new(folder, 0o666)?;
        let (folder, target) = (folder.to_owned(), target.to_owned());
        Ok(Self { hold, folder, target, existing, replaced: None, synced: false })
    }

    /// Where it is to be, links followed.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The open file.
    pub fn file(&mut self) -> &mut File {
        self.synced = false;
        match &mut self.hold {
            Hold::Unnamed { file, .. } => file,
            Hold::Named(file) => file.as_file_mut(),
        }
    }

    /// A path by which this process finds it for now.
    #[must_use]
    pub fn path(&self) -> &Path {
        match &self.hold {
            Hold::Unnamed { path, .. } => path,
            Hold::Named(file) => file.path(),
        }
    }

    /// Waits until its bytes are on the disk, which takes seconds for gigabytes; what is put in place then is so at once.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub fn sync(&mut self) -> io::Result<()> {
        if self.synced {
            return Ok(());
        }
        self.take_over()?;
        self.file().sync_all()?;
        self.synced = true;
        Ok(())
    }

    /// Gives it the owner, the group and the permissions of the file that is replaced.
    fn take_over(&mut self) -> io::Result<()> {
        let Some(old) = self.replaced.take() else { return Ok(()) };
        let file = self.file();
        let new = Rights::of(&file.metadata()?);
        // A process may give a file away if it may do everything, and else to a group that it is in.
        let kept = (new.owner, new.group) == (old.owner, old.group)
            || fchown(&*file, Some(old.owner), Some(old.group)).is_ok()
            || new.group == old.group
            || fchown(&*file, None, Some(old.group)).is_ok();
        let mode = if kept { old.mode } else { closed_to_group(old.mode) };
        file.set_permissions(Permissions::from_mode(mode))
    }

    /// Puts it where it is to be, once its bytes are on the disk.
    ///
    /// # Errors
    ///
    /// When the disk fails, or another file has come to be there that may not be replaced. Nothing is left of it then.
    pub fn put_in_place(mut self) -> io::Result<()> {
        self.sync()?;
        let target = self.target.clone();
        self.give_name()?;
        sync_folder(&target);
        Ok(())
    }

    /// Makes a file of these bytes, which can be made again: the disk is not waited for.
    ///
    /// # Errors
    ///
    /// As [`NewFile::create`] and [`NewFile::put_in_place`], but for a disk that fails later.
    pub fn put_unsynced(target: &Path, bytes: &[u8], existing: Existing) -> io::Result<()> {
        let mut new = Self::create(target, existing)?;
        new.file().write_all(bytes)?;
        new.put_in_place_unsynced()
    }

    fn put_in_place_unsynced(mut self) -> io::Result<()> {
        self.take_over()?;
        self.give_name()
    }

    fn give_name(self) -> io::Result<()> {
        match (self.hold, self.existing) {
            (Hold::Unnamed { path, .. }, Existing::Keep) => link(&path, &self.target),
            // A file that is there can only be replaced by one with a name, which is there for that long.
            (Hold::Unnamed { path, .. }, Existing::Replace) => {
                let named = named(&self.target, |name| link(&path, name))?;
                Ok(named.persist(&self.target)?)
            }
            (Hold::Named(file), existing) => persist(file.into_temp_path(), &self.target, existing),
        }
    }

    /// Closes it, for a process that may have no more files open; it has a temporary name from then on.
    pub(super) fn close(mut self) -> io::Result<ClosedFile> {
        self.sync()?;
        let path = match self.hold {
            Hold::Unnamed { path, .. } => named_in(&self.folder, |name| link(&path, name))?.into_temp_path(),
            Hold::Named(file) => file.into_temp_path(),
        };
        Ok(ClosedFile { path, target: self.target, existing: self.existing })
    }
}

impl Hold {
    /// In the folder, with or without a name.
    fn new(folder: &Path, mode: u32) -> io::Result<Self> {
        if let Some(hold) = Self::unnamed(folder, mode) {
            return Ok(hold);
        }
        // Opened here: what the system says of it has no temporary name in it then.
        let open = |path: &Path| File::options().read(true).write(true).create_new(true).mode(mode).open(path);
        Ok(Hold::Named(named_in(folder, open)?))
    }

    /// A file without a name in the folder; `None` where there is none to be had, or no way to give it one.
    #[cfg(target_os = "linux")]
    fn unnamed(folder: &Path, mode: u32) -> Option<Self> {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(folder, flags, Mode::from_raw_mode(mode)).ok()?);
        let path = PathBuf::from(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file)));
        fs::metadata(&path).ok()?;
        Some(Hold::Unnamed { file, path })
    }

    #[cfg(not(target_os = "linux"))]
    fn unnamed(_: &Path, _: u32) -> Option<Self> {
        None
    }
}

/// Permissions under which another group than before may do no more than everybody.
const fn closed_to_group(mode: u32) -> u32 {
    mode & (!0o070 | (mode & 0o007) << 3)
}

/// Temporary names begin with this.
const PREFIX: &str = ".torchproof-";

/// A new file that is whole and has a temporary name, and is gone when it is dropped before it is put in place.
#[derive(Debug)]
pub(super) struct ClosedFile {
    path: TempPath,
    target: PathBuf,
    existing: Existing,
}

impl ClosedFile {
    /// Where it is to be.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// As [`NewFile::put_in_place`].
    pub(super) fn put_in_place(self) -> io::Result<()> {
        persist(self.path, &self.target, self.existing)?;
        sync_folder(&self.target);
        Ok(())
    }
}

fn persist(path: TempPath, target: &Path, existing: Existing) -> io::Result<()> {
    match existing {
        Existing::Keep => path.persist_noclobber(target)?,
        Existing::Replace => path.persist(target)?,
    }
    Ok(())
}

/// Makes something under a temporary name beside a file, which is taken away when the answer is dropped.
pub(super) fn named<T>(beside: &Path, make: impl FnMut(&Path) -> io::Result<T>) -> io::Result<NamedTempFile<T>> {
    named_in(folder_of(beside), make)
}

fn named_in<T>(folder: &Path, make: impl FnMut(&Path) -> io::Result<T>) -> io::Result<NamedTempFile<T>> {
    tempfile::Builder::new().prefix(PREFIX).make_in(folder, make)
}

/// Gives another name to the file that a path leads to, links followed; one that is there already is an error.
fn link(path: &Path, name: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD};
    Ok(rustix::fs::linkat(CWD, path, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

/// A new name is as lasting as the file; where folders cannot be opened, it is as the system has it.
pub(super) fn sync_folder(path: &Path) {
    let _ = File::open(folder_of(path)).and_then(|folder| folder.sync_all());
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The place of a file, there or not: in the folder that the links of its path lead to.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let name = path.file_name().ok_or(io::ErrorKind::NotFound)?;
            Ok(fs::canonicalize(folder_of(path))?.join(name))
        }
        found => found,
    }
}

/// Whether two paths lead to one place.
#[must_use]
pub fn same_place(one: &Path, other: &Path) -> bool {
    matches!((resolved(one), resolved(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

    use std::io::Read;
    use std::os::unix::fs::chown;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// With a name and without one.
    fn both(target: &Path, existing: Existing) -> [NewFile; 2] {
        let new = NewFile::create(target, existing).unwrap();
        let file = tempfile::Builder::new().prefix(PREFIX).tempfile_in(folder_of(target)).unwrap();
        let hold = Hold::Named(file);
        let (folder, target) = (new.folder.clone(), new.target.clone());
        [NewFile { hold, folder, target, replaced: new.replaced, existing, synced: false }, new]
    }

    #[test]
    fn what_is_replaced_is_never_open_to_more_than_before() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("model");
        fs::write(&target, b"old").unwrap();
        fs::set_permissions(&target, Permissions::from_mode(0o640)).unwrap();
        let new = NewFile::create(&target, Existing::Replace).unwrap();
        assert_eq!(mode(new.path()), 0o600);
        new.put_in_place().unwrap();
        assert_eq!(mode(&target), 0o640);
    }

    /// Who may do everything can replace a file of somebody else, who is not to lose it by that.
    #[test]
    #[allow(clippy::print_stderr, reason = "a test says that it was not run")]
    fn what_is_replaced_stays_its_owners() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("model");
        fs::write(&target, b"old").unwrap();
        fs::set_permissions(&target, Permissions::from_mode(0o640)).unwrap();
        if chown(&target, Some(1234), Some(5678)).is_err() {
            eprintln!("NOT RUN: files cannot be given away here");
            return;
        }
        for new in both(&target, Existing::Replace) {
            new.put_in_place().unwrap();
            let found = fs::metadata(&target).unwrap();
            assert_eq!((found.uid(), found.gid(), found.mode() & 0o7777), (1234, 5678, 0o640));
        }
    }

    #[test]
    fn another_group_gets_what_everybody_has() {
        for (mode, closed) in
            [(0o640, 0o600), (0o664, 0o644), (0o755, 0o755), (0o777, 0o777), (0o060, 0), (0o606, 0o606)]
        {
            assert_eq!(closed_to_group(mode), closed, "{mode:o}");
        }
    }

    /// A name that nobody has chosen says nothing.
    #[test]
    fn errors_of_the_system_have_no_temporary_name_in_them() {
        let nowhere = Path::new("/proc/self/fd");
        let Err(error) = Hold::new(nowhere, 0o600) else { panic!("nothing can be made there") };
        assert!(!error.to_string().contains(PREFIX), "{error}");
    }

    #[test]
    fn it_is_read_by_its_path_before_it_is_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("model");
        for mut new in both(&target, Existing::Replace) {
            new.file().write_all(b"bytes").unwrap();
            let mut bytes = Vec::new();
            File::open(new.path()).unwrap().read_to_end(&mut bytes).unwrap();
            assert_eq!(bytes, b"bytes");
            new.put_in_place().unwrap();
            assert_eq!(fs::read(&target).unwrap(), b"bytes");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// Also when it came to be there in the meantime.
    #[test]
    fn what_is_to_be_kept_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("model");
        for new in both(&target, Existing::Keep) {
            fs::write(&target, b"old").unwrap();
            assert_eq!(new.put_in_place().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(fs::read(&target).unwrap(), b"old");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

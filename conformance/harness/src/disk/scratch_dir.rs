//! **A scratch folder** for the files that a run passes to readers.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

use tempfile::TempDir;

use super::system::writable_by_all;

/// Creates the `STEM-RANDOM` folder in `parent`, which is also created if necessary, and returns an absolute path.
/// Every user may write to it, because a reader can run as another user.
pub(crate) fn scratch_dir(parent: &Path, stem: &OsStr) -> io::Result<TempDir> {
    let parent = std::path::absolute(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })?;
    fs::create_dir_all(&parent)?;
    let mut prefix = stem.to_owned();
    prefix.push("-");
    writable_by_all(tempfile::Builder::new().prefix(&prefix)).tempdir_in(parent)
}

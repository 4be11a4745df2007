//! Which files a specification may have the bytes of.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use torchproof::Span;
use torchproof::write::Fault;

use super::{Options, SpecError};
use crate::edit::Data;
use crate::input::unread;
use crate::report::plain_name;

/// A range of a file, as a specification names it.
#[derive(Debug)]
pub(super) struct FileRange {
    pub(super) file: String,
    pub(super) offset: u64,
    pub(super) len: Option<u64>,
}

impl FileRange {
    /// The bytes, if they are there and the specification may have them.
    ///
    /// Whoever wrote it may be a stranger, so a file that is not in the folder is out of reach, unless its digest is `known`:
    /// that is not to be had without the bytes, so that they are no secret, and they are checked against it.
    pub(super) fn find(&self, options: &Options, known: bool) -> Result<Data, SpecError> {
        let fail = |why: &str| SpecError::at("file", format!("{}: {why}", plain_name(&self.file)));
        let lost = |error: io::Error| fail(&unread(&error)).by(Fault::Input);
        let path = fs::canonicalize(options.folder.join(&self.file)).map_err(lost)?;
        if !(options.allow_outside || known || path.starts_with(within(&options.folder).map_err(lost)?)) {
            return Err(fail("is outside of the folder of data, and has no sha256 here"));
        }
        let found = fs::metadata(&path).map_err(lost)?;
        if !found.is_file() {
            return Err(fail("not a regular file").by(Fault::Input));
        }
        let rest = found.len().checked_sub(self.offset);
        let len = self.len.or(rest).unwrap_or(0);
        if rest.is_none_or(|rest| len > rest) {
            return Err(fail(&format!("has {} bytes, and not {len} from {} on", found.len(), self.offset)));
        }
        Ok(Data::File { path, span: Span::new(self.offset, len) })
    }
}

/// The folder itself, its links followed; empty is where the process is.
fn within(folder: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

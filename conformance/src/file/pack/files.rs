//! Which files a specification may have the bytes of.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use torchproof::Span;

use super::{PackOptions, SpecError};
use crate::disk::input::unread;
use crate::file::Data;
use crate::text::escape::plain_name;

/// Resolves a file and a range of it, and refuses one outside the folder before anything of it is read.
///
/// A stranger may have written the specification, and may see the file or the errors that come of it. A missing file gets
/// the same error outside the folder, so that the error does not show what exists there; so does a link to nothing.
pub(super) fn find(file: &str, offset: u64, len: Option<u64>, options: &PackOptions) -> Result<Data, SpecError> {
    let fail = |why: &str| SpecError::at("file", format!("{}: {why}", plain_name(file)));
    let lost = |error: io::Error| fail(&unread(&error));
    let folder = within(&options.folder).map_err(lost)?;
    let wanted = folder.join(file);
    // Of a path that leads nowhere, the part that exists decides.
    let inside = wanted.ancestors().find_map(|part| match fs::canonicalize(part) {
        Ok(resolved) => Some(resolved.starts_with(&folder)),
        Err(_) => part.is_symlink().then_some(false),
    });
    if !(options.allow_outside || inside == Some(true)) {
        return Err(fail("is outside the data folder; pass --allow-outside to read it"));
    }
    let path = fs::canonicalize(&wanted).map_err(lost)?;
    let found = fs::metadata(&path).map_err(lost)?;
    if !found.is_file() {
        return Err(fail("not a regular file"));
    }
    let rest = found.len().checked_sub(offset);
    let len = len.or(rest).unwrap_or(0);
    if rest.is_none_or(|rest| len > rest) {
        return Err(fail(&format!("has {} bytes, and not {len} from {offset} on", found.len())));
    }
    Ok(Data::File { path, span: Span::new(offset, len) })
}

/// The folder itself, its links followed; empty is where the process is.
fn within(folder: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

//! **Copies of the corpus**: the check of a copy, and the export of a part.
//!
//! The check compares a copy, which can be of any release, with the manifest in the copy.
//! [`build`](crate::corpus::build) compares a folder with the case functions of this program.

mod archive;
mod audit;

use std::io::ErrorKind;
use std::path::Path;

use crate::corpus::CorpusError;
use crate::disk::open::read_regular;
pub(crate) use archive::archive;
pub(crate) use audit::audit;

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, CorpusError> {
    match read_regular(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(CorpusError::Io { path: path.to_owned(), error }),
    }
}

//! **Copies of the corpus**: the check of a copy, and the export of a part.
//!
//! The check compares a copy, which can be of any release, with the manifest in the copy.
//! [`build`](crate::corpus::build) compares a folder with the case functions of this program.

mod archive;
mod audit;

use std::io::ErrorKind;
use std::path::Path;

use crate::corpus::CorpusError;
use crate::disk::io_error::PathError;
use crate::disk::named::OwnFolder;
use crate::disk::open::{MAX_MODEL, bytes_up_to};
pub(crate) use archive::archive;
pub(crate) use audit::audit;

/// Reads a file below the corpus folder `dir`; returns `None` if the file does not exist.
fn read_if_there(dir: &Path, path: &str) -> Result<Option<Vec<u8>>, CorpusError> {
    match OwnFolder::new(dir).and_then(|dir| bytes_up_to(dir.open(path)?, MAX_MODEL)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(PathError::read(&dir.join(path))(error).into()),
    }
}

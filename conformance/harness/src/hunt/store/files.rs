//! Reading and writing the files of a campaign's folder.

use std::io;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::disk::io_error::PathError;
use crate::disk::open::read_regular;
use crate::disk::{AtomicFile, OverwritePolicy};
use crate::hunt::HuntError;
use crate::hunt::cluster::Evidence;
use crate::labeled::Line;
use crate::text::ascii;
use crate::text::json::from_json;

pub(super) const STDERR: &str = "stderr.txt";

/// Writes what the reader printed to stderr, if anything, for the smallest or the shrunk file.
pub(super) fn put_stderr(folder: &Path, evidence: &Evidence) -> Result<(), HuntError> {
    if evidence.stderr.is_empty() { Ok(()) } else { put(&folder.join(STDERR), evidence.stderr.as_bytes()) }
}

pub(super) fn file_name(extension: &str) -> String {
    format!("found.{extension}")
}

pub(super) fn base_name(label: &Line) -> String {
    format!("base.{}", label.file.rsplit('.').next().unwrap_or_default())
}

pub(super) fn shrunk_name(extension: &str) -> String {
    format!("shrunk.{extension}")
}

pub(super) fn parse<T: DeserializeOwned>(path: &Path, text: &[u8]) -> Result<T, HuntError> {
    from_json(text).map_err(|error| HuntError::Form { path: path.to_owned(), error })
}

pub(super) fn read_if_there<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, HuntError> {
    bytes_if_there(path)?.map(|text| parse(path, &text)).transpose()
}

pub(super) fn bytes_if_there(path: &Path) -> Result<Option<Vec<u8>>, HuntError> {
    match read_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => Ok(read.map(Some).map_err(PathError::read(path))?),
    }
}

pub(super) fn pretty(value: &impl Serialize) -> Vec<u8> {
    ascii::pretty(value).unwrap_or_default().into_bytes()
}

pub(super) fn put(path: &Path, bytes: &[u8]) -> Result<(), HuntError> {
    Ok(AtomicFile::write_unsynced(path, bytes, OverwritePolicy::Replace).map_err(PathError::write(path))?)
}

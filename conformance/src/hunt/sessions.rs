//! Reader sessions of a campaign, and the folder for the files of their requests.

use std::path::Path;
use std::time::Duration;

use super::HuntError;
use crate::reader::session::ReaderSession;
use crate::reader::{Address, Settings};

/// Opens a session with each reader; each writes its files below `folder`.
pub(super) fn open_all(
    readers: &[Address],
    settings: &Settings,
    file_time: Duration,
    folder: &Path,
) -> Result<Vec<ReaderSession>, HuntError> {
    let mut sessions: Vec<ReaderSession> = Vec::new();
    for address in readers {
        let session = ReaderSession::open(address, settings, folder, file_time);
        sessions.push(session.map_err(|message| HuntError::Reader { address: address.to_string(), message })?);
    }
    Ok(sessions)
}

/// Removes the folder for the files of requests, unless another run has files in it.
pub(super) fn remove_if_empty(folder: &Path) {
    let _ = std::fs::remove_dir(folder);
}

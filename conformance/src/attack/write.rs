//! Writes a folder of attacked files.

use std::fs;
use std::io;
use std::path::Path;

use super::{AttackError, Campaign, LABELS};
use crate::disk::{AtomicFile, Existing};

/// Writes `count` files and then their labels into a folder, which is created if it is missing.
///
/// Each file appears complete, and the labels appear last: every file that the labels name exists. Only a crash of the operating
/// system can break this, because nothing waits for the disk. With [`Existing::Keep`] the folder must be empty. With
/// [`Existing::Replace`], files with the same names are replaced and others stay.
///
/// # Errors
///
/// Fails if the folder is not empty, if a file cannot be written, or if [`Campaign::make`] fails.
pub(crate) fn write(campaign: &Campaign, count: u64, folder: &Path, existing: Existing) -> Result<(), AttackError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: io::Error| AttackError::Write { path, error }
    };
    let folder_failed = |error: io::Error| AttackError::Folder { path: folder.to_owned(), error };
    // Made before the folder, so that a failure leaves no folder.
    let first = (count > 0).then(|| campaign.make(0)).transpose()?;
    fs::create_dir_all(folder).map_err(folder_failed)?;
    let mut there = fs::read_dir(folder).map_err(folder_failed)?;
    if existing == Existing::Keep && there.next().is_some() {
        return Err(AttackError::NotEmpty { path: folder.to_owned() });
    }
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        // The file can be generated again, so this program does not wait for the disk.
        AtomicFile::write_unsynced(&path, bytes, Existing::Replace).map_err(failed(&path))
    };
    let labels = folder.join(LABELS);
    // The old labels describe files that are about to be replaced.
    match fs::remove_file(&labels) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&labels)(error)),
        _ => {}
    }
    let mut lines = Vec::new();
    for made in first.map(Ok).into_iter().chain((1..count).map(|index| campaign.make(index))) {
        let made = made?;
        if let Some((bytes, _)) = made.files.first() {
            put(&made.line.file, bytes)?;
        }
        serde_json::to_writer(&mut lines, &made.line).map_err(|error| failed(&labels)(error.into()))?;
        lines.push(b'\n');
    }
    put(LABELS, &lines)
}

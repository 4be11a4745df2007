//! Writing a folder of attacked files.

use std::fs;
use std::io;
use std::path::Path;

use super::{AttackError, Campaign, LABELS};
use crate::disk::{AtomicFile, Existing};

/// Writes `count` files into a folder, which is made if there is none, and behind them their labels.
///
/// Each file is put in place whole, and the labels at last: a folder with labels has every file that they name, as long as the
/// system itself does not stop, since the disk is not waited for. A folder with something in it is refused unless `existing` says
/// otherwise; then files of the same names are replaced and others left.
///
/// # Errors
///
/// The folder has something in it, something cannot be written, or as [`Campaign::make`].
pub(crate) fn write(campaign: &Campaign, count: u64, folder: &Path, existing: Existing) -> Result<(), AttackError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: io::Error| AttackError::Write { path, error }
    };
    // What cannot be made leaves no folder.
    let first = (count > 0).then(|| campaign.make(0)).transpose()?;
    fs::create_dir_all(folder).map_err(failed(folder))?;
    let mut there = fs::read_dir(folder).map_err(failed(folder))?;
    if existing == Existing::Keep && there.next().is_some() {
        return Err(AttackError::NotEmpty { path: folder.to_owned() });
    }
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        // It can be made again.
        AtomicFile::write_unsynced(&path, bytes, Existing::Replace).map_err(failed(&path))
    };
    let labels = folder.join(LABELS);
    // What they said is of files that are about to be replaced.
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

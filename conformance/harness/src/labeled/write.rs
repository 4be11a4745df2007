//! Writes a folder of attacked files.

use std::fs;
use std::io;
use std::path::Path;

use super::{AttackError, Campaign, LABELS};
use crate::disk::io_error::PathError;
use crate::disk::{AtomicFile, OverwritePolicy};
use crate::text::ascii;

/// Creates a folder if necessary, and writes `count` files and then their labels.
///
/// Each file is created atomically, so every file that the labels name exists, unless the operating system crashes: the
/// function does not wait for the disk. For [`OverwritePolicy::Keep`], the folder must be empty. For
/// [`OverwritePolicy::Replace`], new files replace existing files of the same name, and all other files stay.
pub fn write(campaign: &Campaign, count: u64, folder: &Path, existing: OverwritePolicy) -> Result<(), AttackError> {
    // Make the first file before the folder, so that a failure leaves no empty folder.
    let first = (count > 0).then(|| campaign.make(0)).transpose()?;
    fs::create_dir_all(folder).map_err(PathError::folder(folder))?;
    let mut there = fs::read_dir(folder).map_err(PathError::folder(folder))?;
    if existing == OverwritePolicy::Keep && there.next().is_some() {
        return Err(AttackError::NotEmpty { path: folder.to_owned() });
    }
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        // This program can generate the file again, so do not wait for the disk.
        AtomicFile::write_unsynced(&path, bytes, OverwritePolicy::Replace).map_err(PathError::write(&path))
    };
    let labels = folder.join(LABELS);
    // Remove the old labels before any file is replaced, because they describe the old content.
    match fs::remove_file(&labels) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(PathError::write(&labels)(error).into()),
        _ => {}
    }
    let mut lines = Vec::new();
    for made in first.map(Ok).into_iter().chain((1..count).map(|index| campaign.make(index))) {
        let made = made?;
        if let Some((bytes, _)) = made.files.first() {
            put(&made.line.file, bytes)?;
        }
        ascii::write_line(&mut lines, &made.line).map_err(PathError::write(&labels))?;
    }
    Ok(put(LABELS, &lines)?)
}

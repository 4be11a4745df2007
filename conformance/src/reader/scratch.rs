//! **The removal** of the folder for temporary files of a reader.

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Removes the folder `root` and its contents, whatever the modes and the depth of its folders. Follows no link.
///
/// The processes of the reader must have ended, because they could replace a folder by a link.
pub(super) fn remove(root: &Path) {
    make_accessible(root);
    let (mut folders, mut number) = (vec![root.to_owned()], 0_u64);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let _ = fs::remove_file(path);
                continue;
            }
            // A move changes the entry `..` of a folder.
            make_accessible(&path);
            // Paths below the root stay short, so the depth of the tree has no limit.
            folders.push(if folder == root { path } else { moved(path, root, &mut number) });
        }
        let _ = fs::remove_dir(folder);
    }
    let _ = fs::remove_dir(root);
}

fn make_accessible(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
}

/// Moves a folder to an unused name in `root`, and returns its new path.
fn moved(folder: PathBuf, root: &Path, number: &mut u64) -> PathBuf {
    loop {
        *number += 1;
        let place = root.join(number.to_string());
        match fs::rename(&folder, &place) {
            Ok(()) => return place,
            // The reader has used the name. An empty folder would be replaced.
            Err(error)
                if [ErrorKind::DirectoryNotEmpty, ErrorKind::NotADirectory, ErrorKind::AlreadyExists]
                    .contains(&error.kind()) => {}
            Err(_) => return folder,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_folders_without_permissions_and_of_any_depth() {
        let parent = tempfile::tempdir().unwrap();
        let (root, kept) = (parent.path().join("root"), parent.path().join("kept"));
        fs::write(&kept, "").unwrap();
        fs::create_dir_all(root.join("1/1/2")).unwrap();
        fs::write(root.join("2"), "").unwrap();
        for name in ["link", "1/1/link"] {
            std::os::unix::fs::symlink(parent.path(), root.join(name)).unwrap();
        }
        // The path is longer than the longest path that a call accepts.
        let mut deep = root.join("deep");
        fs::create_dir(&deep).unwrap();
        for _ in 0..3000 {
            let outer = root.join("outer");
            fs::create_dir(&outer).unwrap();
            fs::rename(&deep, outer.join("in")).unwrap();
            fs::rename(&outer, &deep).unwrap();
            deep = root.join("deep");
        }
        for folder in [root.join("1/1"), root.join("1"), deep, root.clone()] {
            fs::set_permissions(folder, Permissions::from_mode(0o000)).unwrap();
        }
        remove(&root);
        assert!(!root.exists() && kept.exists());
    }
}

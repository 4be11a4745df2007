//! **The removal** of a reader's folder for temporary files.

use std::ffi::CString;
use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::path::Arg;

/// Removes the `root` folder with all contents, whatever the modes and depth of its folders. One of the reader's processes
/// may still run and replace a folder with a link, so every step starts at an open folder and follows no link.
pub(super) fn remove(root: &Path) {
    if let Ok(top) = accessible(CWD, root) {
        let mut remaining = RemainingFolders { names: Vec::new(), number: 0 };
        remaining.empty(&top, None);
        while let Some(name) = remaining.names.pop() {
            if let Ok(folder) = accessible(top.as_fd(), &*name) {
                remaining.empty(&folder, Some(top.as_fd()));
            }
            let _ = unlinkat(&top, &*name, AtFlags::REMOVEDIR);
        }
    }
    let _ = fs::remove_dir(root);
}

fn accessible(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> rustix::io::Result<OwnedFd> {
    let open = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        // Opening this descriptor needs no rights. Through `/proc`, it can change the folder's mode, whatever the name
        // now leads to.
        let place = openat(parent, name, open | OFlags::PATH, Mode::empty())?;
        let _ = rustix::fs::chmod(format!("/proc/self/fd/{}", place.as_raw_fd()), Mode::RWXU);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = rustix::fs::chmodat(parent, name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW);
    openat(parent, name, open | OFlags::RDONLY, Mode::empty())
}

struct RemainingFolders {
    names: Vec<CString>,
    number: u64,
}

impl RemainingFolders {
    /// Removes the files in a folder, and moves its folders up to the root `top`, so that a tree of any depth can be
    /// removed. `top` is `None` in the root itself.
    fn empty(&mut self, folder: &OwnedFd, top: Option<BorrowedFd<'_>>) {
        for entry in Dir::read_from(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if [&b"."[..], b".."].contains(&name.to_bytes()) || unlinkat(folder, name, AtFlags::empty()).is_ok() {
                continue;
            }
            match top {
                None => self.names.push(name.to_owned()),
                Some(top) => {
                    // Moving a folder changes its `..` entry, which needs rights to the folder.
                    let _ = accessible(folder.as_fd(), name);
                    let moved = self.moved(folder, name, top);
                    self.names.extend(moved);
                }
            }
        }
    }

    fn moved(&mut self, folder: &OwnedFd, name: impl Arg + Copy, top: BorrowedFd<'_>) -> Option<CString> {
        loop {
            self.number += 1;
            let place = CString::new(self.number.to_string()).ok()?;
            match renameat(folder, name, top, &*place) {
                Ok(()) => return Some(place),
                // The reader has created an entry with this name. (An empty folder would have been replaced.)
                Err(Errno::NOTEMPTY | Errno::NOTDIR | Errno::EXIST) => {}
                Err(_) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

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
        // Deeper than the longest path that a call accepts.
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

    #[test]
    fn follows_no_link_that_appears_during_the_removal() {
        let parent = tempfile::tempdir().unwrap();
        let (root, outside) = (parent.path().join("root"), parent.path().join("outside"));
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("kept"), "").unwrap();
        fs::set_permissions(&outside, Permissions::from_mode(0o755)).unwrap();
        for _ in 0..200 {
            let (folder, link) = (root.join("folder"), root.join("link"));
            fs::create_dir_all(folder.join("in")).unwrap();
            std::os::unix::fs::symlink(&outside, &link).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    while folder.symlink_metadata().is_ok() {
                        use rustix::fs::{RenameFlags, renameat_with};
                        let _ = renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE);
                    }
                });
                while root.exists() {
                    remove(&root);
                }
            });
            assert!(outside.join("kept").exists());
            assert_eq!(fs::metadata(&outside).unwrap().permissions().mode() & 0o777, 0o755);
        }
    }
}

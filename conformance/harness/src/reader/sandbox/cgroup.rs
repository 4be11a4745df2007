//! **Control groups** limit the memory and the number of processes of a reader's process tree.
//!
//! They need version 2, and a group in which this user can create groups with the controllers `memory` and `pids`. A
//! systemd session has such a group.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the system mounts the control groups.
const ROOT: &str = "/sys/fs/cgroup";
/// The maximum number of processes and threads of a reader.
const MAX_PROCESSES: u64 = 1024;

/// The control group of one reader process, removed on drop.
#[derive(Debug)]
pub(in crate::reader) struct Cgroup {
    folder: PathBuf,
}

impl Cgroup {
    /// Returns the group in which the readers' groups are created, if there is one.
    pub(super) fn parent() -> Option<&'static Path> {
        static PARENT: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
            let own = fs::read_to_string("/proc/self/cgroup").ok()?;
            find_parent(Path::new(ROOT), &own).filter(|parent| can_hold_groups(parent))
        });
        PARENT.as_deref()
    }

    /// Creates a group for a reader with a memory limit, if the system has a [parent](Self::parent). A failure is an
    /// error, because reports would otherwise claim a limit that is not in force.
    pub(in crate::reader) fn new(memory_mb: Option<u64>) -> io::Result<Option<Self>> {
        Self::parent().map(|parent| Self::create(parent, memory_mb)).transpose()
    }

    fn create(parent: &Path, memory_mb: Option<u64>) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let group = Self { folder: parent.join(format!("torchproof-{}-{number}", std::process::id())) };
        fs::create_dir(&group.folder)?;
        // From here on, an error drops `group`, which removes the folder.
        let set = |name: &str, value: String| fs::write(group.folder.join(name), value);
        set("pids.max", MAX_PROCESSES.to_string())?;
        if let Some(megabytes) = memory_mb {
            set("memory.max", megabytes.saturating_mul(1 << 20).to_string())?;
            // A kernel without swap has no file `memory.swap.max`.
            let _ = set("memory.swap.max", "0".to_owned());
        }
        Ok(group)
    }

    pub(in crate::reader) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns whether the memory limit ended a process of the group.
    pub(in crate::reader) fn is_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("memory.events")).unwrap_or_default();
        events.lines().filter_map(|line| line.strip_prefix("oom_kill ")).any(|count| count.trim() != "0")
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

pub(in crate::reader) fn join(folder: &Path) -> io::Result<()> {
    fs::write(folder.join("cgroup.procs"), "0")
}

/// Ends all processes of the group, and removes it.
pub(in crate::reader) fn remove(folder: &Path) {
    let _ = fs::write(folder.join("cgroup.kill"), "1");
    let _ = fs::remove_dir(folder);
}

/// Returns whether this user can create a group in `parent` and move a process into it.
fn can_hold_groups(parent: &Path) -> bool {
    let procs = parent.join("cgroup.procs");
    Cgroup::create(parent, Some(64)).is_ok() && fs::File::options().write(true).open(procs).is_ok()
}

/// Returns the nearest group whose child groups have both controllers: this process's own group or an ancestor.
///
/// `own` is the text of `/proc/self/cgroup`. A group that contains processes cannot have such child groups, so the
/// result is usually the parent.
fn find_parent(root: &Path, own: &str) -> Option<PathBuf> {
    let own = own.lines().find_map(|line| line.strip_prefix("0::"))?.trim_start_matches('/');
    let has_controllers = |folder: &&Path| {
        let controllers = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
        ["memory", "pids"].iter().all(|name| controllers.split_whitespace().any(|have| have == *name))
    };
    let own = root.join(own);
    own.ancestors().find(has_controllers).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may panic if its fixture is broken.

    use super::*;

    /// Creates a root with the groups `user/app/own`, and sets the controllers of child groups.
    fn root(controllers: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("user/app/own")).unwrap();
        for (folder, names) in controllers {
            fs::write(root.path().join(folder).join("cgroup.subtree_control"), names).unwrap();
        }
        root
    }

    #[test]
    fn finds_the_nearest_group_with_both_controllers() {
        let own = "12:pids:/elsewhere\n0::/user/app/own\n";
        let found = |controllers: &[(&str, &str)]| {
            let root = root(controllers);
            find_parent(root.path(), own).map(|found| found.strip_prefix(root.path()).unwrap().to_owned())
        };
        assert_eq!(
            found(&[("", "memory pids\n"), ("user", "cpu memory pids\n"), ("user/app", "cpu\n")]),
            Some("user".into())
        );
        assert_eq!(found(&[("user/app", "memory pids\n")]), Some("user/app".into()));
        assert_eq!(found(&[("user", "memory\n"), ("user/app", "pids\n")]), None);
        assert_eq!(found(&[]), None);
        assert_eq!(find_parent(root(&[("", "memory pids\n")]).path(), "1:memory:/user\n"), None);
    }

    #[test]
    fn writes_the_limits_and_reads_the_events() {
        let root = root(&[]);
        let group = Cgroup::create(root.path(), Some(3)).unwrap();
        let read = |name: &str| fs::read_to_string(group.folder().join(name)).unwrap();
        assert_eq!((read("memory.max"), read("pids.max")), ((3 << 20).to_string(), MAX_PROCESSES.to_string()));
        for (events, expected) in [("oom 1\noom_kill 0\n", false), ("oom 1\noom_kill 2\n", true), ("", false)] {
            fs::write(group.folder().join("memory.events"), events).unwrap();
            assert_eq!(group.is_out_of_memory(), expected, "{events}");
        }
        join(group.folder()).unwrap();
        assert_eq!(read("cgroup.procs"), "0");
        assert!(!Cgroup::create(root.path(), None).unwrap().folder().join("memory.max").exists());
        assert!(!can_hold_groups(root.path()));
        fs::write(root.path().join("cgroup.procs"), "").unwrap();
        assert!(can_hold_groups(root.path()));
        assert!(Cgroup::create(&root.path().join("none"), None).is_err());
    }
}

//! **The process tree of a reader**: lists and ends its processes, independently of their group or session.
//!
//! On Linux, a process can become the parent of all its orphaned descendants, and can then list, kill and reap them
//! like its own children.

use std::io;

use rustix::process::Pid;

/// Makes this process the parent of its orphaned descendants (a child subreaper).
#[cfg(target_os = "linux")]
pub(super) fn adopt() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn adopt() -> io::Result<()> {
    Ok(())
}

/// Kills every child that is not in `spared`, together with its descendants, and waits until they have ended. Without
/// [`adopt`], orphaned descendants survive; other users' processes always survive.
#[cfg(target_os = "linux")]
pub(super) fn end(spared: &[Pid]) {
    use rustix::io::Errno;
    use rustix::process::{Signal, WaitOptions, kill_process, waitpid};
    let mut unseen = 0;
    while has_children() && unseen < MAX_UNSEEN {
        let doomed: Vec<Pid> = children().into_iter().filter(|pid| !spared.contains(pid)).collect();
        if doomed.is_empty() {
            if !spared.is_empty() {
                break;
            }
            // A child that started while the list was read can be missing from it, so read it again.
            unseen += 1;
            std::thread::sleep(std::time::Duration::from_millis(1));
            continue;
        }
        // Kill all children before the first wait, so that no child can start another process.
        let killed: Vec<Pid> = doomed.into_iter().filter(|pid| kill_process(*pid, Signal::KILL).is_ok()).collect();
        if killed.is_empty() {
            break;
        }
        for pid in killed {
            // After the wait, this process has adopted the killed process's children.
            while let Err(Errno::INTR) = waitpid(Some(pid), WaitOptions::empty()) {}
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn end(_: &[Pid]) {}

/// How often to list the children again if there are children but the list is empty.
#[cfg(target_os = "linux")]
const MAX_UNSEEN: u32 = 100;

/// Returns whether this process has children, without listing all processes.
#[cfg(target_os = "linux")]
fn has_children() -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::All, options), Err(rustix::io::Errno::CHILD))
}

/// Returns the children of this process, including zombies.
#[cfg(target_os = "linux")]
pub(super) fn children() -> Vec<Pid> {
    let ours = rustix::process::getpid();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let processes = entries.filter_map(|entry| Pid::from_raw(entry.ok()?.file_name().to_str()?.parse().ok()?));
    processes.filter(|pid| parent_of(*pid) == Some(ours)).collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn children() -> Vec<Pid> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = std::fs::read(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
    // The process name can contain parentheses, so search for the last closing parenthesis.
    let after_name = stat.rsplit(|byte| *byte == b')').next()?;
    Pid::from_raw(std::str::from_utf8(after_name).ok()?.split_whitespace().nth(1)?.parse().ok()?)
}

//! **The process tree of a reader**: found and ended, whatever group or session its processes are in.
//!
//! On Linux a process can be who takes in all orphans below it. Then nothing below it gets away: what loses its parent becomes its
//! child, and a child can be found, killed and waited for.

use std::io;

use rustix::process::Pid;

/// Makes this process the parent of every orphan below it.
///
/// # Errors
/// The system says why not.
#[cfg(target_os = "linux")]
pub(super) fn adopt() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn adopt() -> io::Result<()> {
    Ok(())
}

/// Kills and collects every child but those `spared`, and with them all that they have started.
///
/// What this process did not [adopt] is not found, nor what another user's rights keep from it.
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
            // It came while the list was read.
            unseen += 1;
            std::thread::sleep(std::time::Duration::from_millis(1));
            continue;
        }
        // All of them before one is waited for, so that none has the time to start another.
        let killed: Vec<Pid> = doomed.into_iter().filter(|pid| kill_process(*pid, Signal::KILL).is_ok()).collect();
        if killed.is_empty() {
            break;
        }
        for pid in killed {
            // Its children are this process's before it can be waited for.
            while let Err(Errno::INTR) = waitpid(Some(pid), WaitOptions::empty()) {}
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn end(_: &[Pid]) {}

/// How often there may be a child that no list has.
#[cfg(target_os = "linux")]
const MAX_UNSEEN: u32 = 100;

/// Whether there are any, which costs no look at other processes.
#[cfg(target_os = "linux")]
fn has_children() -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::All, options), Err(rustix::io::Errno::CHILD))
}

/// The children of this process, those that ended and were not waited for included.
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
    // The name before it may hold anything, parentheses too.
    let behind_name = stat.rsplit(|byte| *byte == b')').next()?;
    Pid::from_raw(std::str::from_utf8(behind_name).ok()?.split_whitespace().nth(1)?.parse().ok()?)
}

//! **Privileges**: a reader keeps its user id, but the reader and its child processes lose all capabilities.
#![allow(unsafe_code, reason = "close_range can close descriptors, and unshare can separate those of threads")]

use std::{fs, io};

use rustix::process::{getgid, getuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, clear_ambient_capability_set, remove_capability_from_bounding_set,
    set_capabilities, set_no_new_privs, unshare_unsafe,
};

/// Makes the next exec close every descriptor except the standard streams. Whoever started the runner may have left
/// files open, which no rule about opening files covers.
pub(in crate::reader) fn close_inherited() {
    // SAFETY: the flag closes nothing before the exec.
    let done = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    // Linux before 5.11 and some containers do not support the call.
    if done != 0 {
        let open = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
        for open in open.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(|open| *open > 2) {
            // SAFETY: the flag closes nothing before the exec, and a number that is not open only causes an error.
            unsafe { libc::fcntl(open, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
    }
}

/// Moves this process into its own user namespace with the same user id, if the system permits this. The kernel then
/// denies access to the memory and the environment of the user's other processes.
pub(super) fn leave_user_namespace() {
    // Ubuntu permits the namespace but not the map, so the reader would lose its user id.
    if fs::read_to_string("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").is_ok_and(|text| text.trim() != "0")
    {
        return;
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    // SAFETY: the flag does not affect descriptors.
    if unsafe { unshare_unsafe(UnshareFlags::NEWUSER) }.is_err() {
        return;
    }
    let _ = fs::write("/proc/self/uid_map", format!("{user} {user} 1"));
    // The kernel requires this line before the map of groups.
    let _ = fs::write("/proc/self/setgroups", "deny");
    let _ = fs::write("/proc/self/gid_map", format!("{group} {group} 1"));
}

/// Removes all capabilities from this process, even if its user is root.
pub(super) fn drop_capabilities() -> io::Result<()> {
    // Otherwise, setuid and file capabilities could restore them.
    set_no_new_privs(true)?;
    for (_, capability) in CapabilitySet::all().iter_names() {
        // This call needs a capability. If it fails, `no_new_privs` still keeps an exec as root from gaining the bounding set.
        let _ = remove_capability_from_bounding_set(capability);
    }
    clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    Ok(set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?)
}

//! **Bubblewrap** runs a reader in new pid, network, IPC, user and mount namespaces.
//!
//! The reader can read its user's files, but can write only to its folder for temporary files and to a small `/dev/shm`. It
//! has no network and cannot see outside processes. When bubblewrap ends, the kernel ends everything in the sandbox.

use std::path::Path;
use std::process::{Command, Stdio};

use super::state::NOWHERE;
use crate::reader::program::cannot_start;

const PROGRAM: &str = "bwrap";
/// The size of `/dev/shm` in bytes. It is limited here, because the memory limit does not cover its files.
const SHM: &str = "67108864";

/// Returns a command; the caller appends the reader's command to it.
pub(in crate::reader) fn command(scratch: Option<&Path>) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc"]);
    // A program with capabilities in its own user namespace could make the mounts writable.
    command.args(["--cap-drop", "ALL", "--new-session", "--die-with-parent"]);
    command.args(["--ro-bind", "/", "/", "--dev", "/dev", "--size", SHM, "--tmpfs", "/dev/shm"]);
    // `/dev` has no size limit, so make it read-only; the mounts below it, such as `/dev/shm`, stay writable. In
    // `/proc`, root owns files that control the whole system, such as `/proc/sys/kernel/core_pattern`.
    command.args(["--remount-ro", "/dev", "--proc", "/proc", "--remount-ro", "/proc"]);
    if let Some(scratch) = scratch {
        command.arg("--bind").arg(scratch).arg(scratch);
    }
    command.arg("--");
    command
}

/// Checks that bubblewrap is installed and that the system permits the namespaces. The error is the reason.
pub(super) fn probe() -> Result<(), String> {
    let mut command = command(None);
    // This program does not exist. If the message is about it, bubblewrap got as far as executing it.
    let output = command.arg(NOWHERE).stdin(Stdio::null()).output().map_err(|error| cannot_start(PROGRAM, &error))?;
    let text = String::from_utf8_lossy(&output.stderr);
    if text.contains("execvp") { Ok(()) } else { Err(text.lines().next().unwrap_or("bwrap failed").to_owned()) }
}

/// Returns the error of a bubblewrap that could not start the reader: the only line on stderr, with exit code 1.
pub(in crate::reader) fn fault(code: Option<i32>, stderr: &str) -> Option<String> {
    let line = stderr.trim_end();
    let is_fault = code == Some(1) && line.starts_with("bwrap: ") && !line.contains('\n');
    is_fault.then(|| format!("cannot start the reader: {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_the_only_line_on_stderr() {
        let line = "bwrap: execvp reader: No such file or directory";
        assert_eq!(fault(Some(1), &format!("{line}\n")), Some(format!("cannot start the reader: {line}")));
        for (code, stderr) in [
            (Some(1), format!("reading\n{line}\n")),
            (Some(1), format!("{line}\nbad magic\n")),
            (Some(2), line.to_owned()),
            (None, line.to_owned()),
            (Some(1), String::new()),
        ] {
            assert_eq!(fault(code, &stderr), None, "{code:?} {stderr}");
        }
    }
}

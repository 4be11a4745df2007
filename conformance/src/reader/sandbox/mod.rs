//! **The sandbox** restricts readers: with namespaces if bubblewrap is installed, otherwise with Landlock and seccomp.
//!
//! Each process of a reader has its own folder. The folder is removed after the process ends. Some readers need a
//! folder because they convert a file with another program; the deserializers in ExecuTorch's Python package do so. In
//! a shared folder, readers could exchange data.

#[cfg(target_os = "linux")]
mod bwrap;
#[cfg_attr(not(unix), expect(dead_code, reason = "readers run in processes only on Unix"))]
mod cgroup;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod prlimit;
mod state;

#[cfg(target_os = "linux")]
use std::path::Path;
use std::sync::LazyLock;

#[cfg(target_os = "linux")]
pub(super) use bwrap::{command as bwrap_command, fault as bwrap_fault};
#[cfg(target_os = "linux")]
pub(super) use state::NOWHERE;
pub use state::{Mode, Sandbox};

pub(super) use cgroup::Cgroup;
#[cfg(unix)]
pub(super) use cgroup::join as join_cgroup;
#[cfg(target_os = "linux")]
pub(super) use cgroup::remove as remove_cgroup;

impl Sandbox {
    /// Returns the sandbox for the readers of this process.
    #[must_use]
    pub fn available() -> Self {
        static AVAILABLE: LazyLock<Sandbox> = LazyLock::new(Sandbox::find);
        AVAILABLE.clone()
    }

    #[cfg(target_os = "linux")]
    fn find() -> Self {
        let mut sandbox = match bwrap::probe() {
            Ok(()) => {
                let lacks = ["named sockets", "named pipes", "disk use"].map(str::to_owned).into();
                Sandbox { mode: Mode::Bwrap, lacks, why: None }
            }
            Err(why) => {
                // Landlock restricts only the calling thread, so test the sandbox in a short-lived thread.
                let tested = std::thread::spawn(|| landlock::enter(Path::new(NOWHERE))).join();
                let landlock = tested.unwrap_or_else(|_| Sandbox::off("the test thread panicked"));
                let why = [Some(why), landlock.why].into_iter().flatten().collect::<Vec<_>>().join("; ");
                Sandbox { why: Some(why), ..landlock }
            }
        };
        if sandbox.is_active() && Cgroup::parent().is_none() {
            sandbox.lacks.push("shared memory".to_owned());
            // The process limit of a user namespace does not apply to root.
            if sandbox.mode != Mode::Bwrap || rustix::process::getuid().is_root() {
                sandbox.lacks.push("the number of processes".to_owned());
            }
        }
        sandbox
    }

    #[cfg(not(target_os = "linux"))]
    fn find() -> Self {
        Sandbox::off("bubblewrap and Landlock exist only on Linux")
    }
}

/// Enters the sandbox of Landlock: restricts this thread and the processes that it starts; `scratch` stays writable.
///
/// # Errors
/// Fails if the system has no Landlock. The error is the reason.
#[cfg(target_os = "linux")]
pub(super) fn enter_landlock(scratch: &Path) -> Result<(), String> {
    let sandbox = landlock::enter(scratch);
    if sandbox.is_active() { Ok(()) } else { Err(sandbox.why.unwrap_or_default()) }
}

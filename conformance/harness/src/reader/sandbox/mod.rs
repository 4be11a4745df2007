//! **The sandbox** restricts readers by one policy: no capabilities, Landlock, and a table of system calls.
//!
//! With bubblewrap, the reader also gets its own namespaces and mounts. Some readers, such as the deserializers in
//! ExecuTorch's Python package, need a folder to convert a file with another program. Each process gets a folder of its
//! own, which is removed when the process ends, because readers could exchange data through a shared folder.

#[cfg(target_os = "linux")]
mod bwrap;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod calls;
#[cfg_attr(not(unix), expect(dead_code, reason = "readers run in processes only on Unix"))]
mod cgroup;
#[cfg(target_os = "linux")]
mod gaps;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod privileges;
mod state;

#[cfg(target_os = "linux")]
use std::path::Path;
use std::sync::LazyLock;

#[cfg(target_os = "linux")]
use ::landlock::ABI;

#[cfg(target_os = "linux")]
pub(super) use bwrap::{command as bwrap_command, fault as bwrap_fault};
#[cfg(target_os = "linux")]
pub(super) use privileges::close_inherited;
#[cfg(target_os = "linux")]
pub(super) use state::NOWHERE;
pub use state::{Mode, Sandbox};

pub(super) use cgroup::Cgroup;
#[cfg(unix)]
pub(super) use cgroup::join as join_cgroup;
#[cfg(target_os = "linux")]
pub(super) use cgroup::remove as remove_cgroup;

impl Sandbox {
    pub fn available() -> Self {
        static AVAILABLE: LazyLock<Sandbox> = LazyLock::new(Sandbox::find);
        AVAILABLE.clone()
    }

    #[cfg(target_os = "linux")]
    fn find() -> Self {
        // Landlock and seccomp restrict the calling thread for good, so test them in a short-lived thread.
        let tested = std::thread::spawn(|| restrict(Mode::Landlock, Path::new(NOWHERE))).join();
        let tested = tested.unwrap_or_else(|_| Err("the test thread panicked".to_owned()));
        let (mode, abi, why) = match (bwrap::probe(), tested) {
            (_, Err(why)) => return Sandbox::off(&why),
            (Ok(()), Ok(abi)) => (Mode::Bwrap, abi, None),
            (Err(why), Ok(Some(abi))) => (Mode::Landlock, Some(abi), Some(why)),
            (Err(why), Ok(None)) => return Sandbox::off(&format!("{why}; {NO_LANDLOCK}")),
        };
        let mut unrestricted = gaps::of(mode, abi);
        if Cgroup::parent().is_none() {
            unrestricted.push("shared memory".to_owned());
            // The process limit of a user namespace does not apply to root.
            if mode != Mode::Bwrap || rustix::process::getuid().is_root() {
                unrestricted.push("the number of processes".to_owned());
            }
        }
        Sandbox { mode, unrestricted, why }
    }

    #[cfg(not(target_os = "linux"))]
    fn find() -> Self {
        Sandbox::off("bubblewrap and Landlock exist only on Linux")
    }
}

#[cfg(target_os = "linux")]
const NO_LANDLOCK: &str = "this system has no Landlock";

/// Enters the policy, which neither this process nor the programs that it starts can leave. Only `scratch` and, in the
/// mode `bwrap`, `/dev/shm` stay writable. The process must have only one thread. The error names the part of the
/// policy that could not be entered.
#[cfg(target_os = "linux")]
pub(super) fn enter(mode: Mode, scratch: &Path) -> Result<(), String> {
    // Bubblewrap has already created a user namespace.
    if mode == Mode::Landlock {
        privileges::leave_user_namespace();
    }
    privileges::drop_capabilities().map_err(|error| format!("cannot drop capabilities: {error}"))?;
    let abi = restrict(mode, scratch)?;
    if mode == Mode::Landlock && abi.is_none() { Err(NO_LANDLOCK.to_owned()) } else { Ok(()) }
}

/// Restricts this thread with Landlock, if the system supports it, and then with the system call table.
#[cfg(target_os = "linux")]
fn restrict(mode: Mode, scratch: &Path) -> Result<Option<ABI>, String> {
    let abi = landlock::restrict(mode, scratch).map_err(|error| format!("Landlock: {error}"))?;
    // Without Landlock, a reader could attach to the first process of its namespace, which belongs to bubblewrap.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    calls::limit(abi.is_some()).map_err(|error| format!("seccomp: {error}"))?;
    Ok(abi)
}

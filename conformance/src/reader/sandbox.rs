//! **The sandbox** restricts readers with Landlock and seccomp.
//!
//! A reader keeps its user's rights to read and execute files, because a language runtime can need any file. A reader
//! can write only to `/dev/null`, its own pipes and its folder for temporary files. A reader cannot use TCP or change
//! resource limits of other processes. A reader can send signals only to processes in its sandbox, and connect only to
//! abstract sockets of these processes. The restrictions also apply to the reader's child processes, and cannot be
//! lifted.
//!
//! Each process of a reader has its own folder. The folder is removed after the process ends. Some readers need a
//! folder because they convert a file with another program; the deserializers in ExecuTorch's Python package do so. In
//! a shared folder, readers could exchange data.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The restrictions in force for a reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Sandbox {
    /// All restrictions of this module.
    On,
    /// Some restrictions of this module.
    Partly {
        /// The restrictions that the kernel lacks.
        why: String,
    },
    /// No restrictions.
    Off {
        /// The reason.
        why: String,
    },
}

/// A path that does not exist. Processes without a writable folder use this path.
pub(super) const NOWHERE: &str = "/nonexistent";

impl Sandbox {
    /// Returns the sandbox that a process on this system can enter.
    #[must_use]
    pub fn available() -> Self {
        // Landlock restricts only the calling thread, so test the sandbox in a short-lived thread.
        std::thread::spawn(|| Self::enter(Path::new(NOWHERE)))
            .join()
            .unwrap_or_else(|_| Sandbox::Off { why: "the test thread panicked".to_owned() })
    }

    /// Returns whether any restriction is in force.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        !matches!(self, Sandbox::Off { .. })
    }

    /// Returns a warning that lists missing restrictions, if any.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        (*self != Sandbox::On).then(|| self.to_string())
    }

    /// Restricts this thread and the processes that it starts; `scratch` stays writable.
    #[cfg(target_os = "linux")]
    pub(super) fn enter(scratch: &Path) -> Self {
        linux::enter(scratch)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn enter(_: &Path) -> Self {
        Sandbox::Off { why: "Landlock and seccomp exist only on Linux".to_owned() }
    }
}

impl fmt::Display for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sandbox::On => f.write_str("sandboxed"),
            Sandbox::Partly { why } => write!(f, "partly sandboxed: {why}"),
            Sandbox::Off { why } => write!(f, "not sandboxed: {why}"),
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr,
        RulesetError, Scope, path_beneath_rules,
    };

    use std::path::Path;

    use super::{Sandbox, limits};

    /// The newest Landlock version that this module uses. An older kernel applies only the restrictions that it
    /// supports.
    const NEWEST: ABI = ABI::V9;

    /// The promised restrictions, each with the Landlock version that introduced the restriction.
    ///
    /// If the kernel supports Landlock version 9, the sandbox also prevents connections to named sockets. This module
    /// does not promise the restriction on named sockets, because few kernels support this restriction.
    const PROMISES: [(ABI, &str); 5] = [
        (ABI::V1, "writing files"),
        (ABI::V3, "truncating files"),
        (ABI::V4, "TCP"),
        (ABI::V5, "controlling devices"),
        (ABI::V6, "signals and abstract sockets"),
    ];

    /// The access rights that the sandbox removes.
    fn denied() -> (BitFlags<AccessFs>, BitFlags<AccessNet>, BitFlags<Scope>) {
        (AccessFs::from_write(NEWEST), AccessNet::from_all(ABI::V4), Scope::from_all(ABI::V6))
    }

    /// The access rights in the folder for temporary files: all except creating and controlling devices.
    ///
    /// With a device file, a reader could write directly to the disk.
    fn allowed_in_scratch() -> BitFlags<AccessFs> {
        denied().0 & !(AccessFs::MakeBlock | AccessFs::MakeChar | AccessFs::IoctlDev)
    }

    /// The file to which programs write discarded output.
    const NULL: &str = "/dev/null";

    pub(super) fn enter(scratch: &Path) -> Sandbox {
        let landlock = match restrict(scratch) {
            Ok(LandlockStatus::Available { effective_abi, .. }) => Ok(effective_abi),
            Ok(LandlockStatus::NotEnabled) => Err("Landlock is not enabled on this system".to_owned()),
            Ok(_) => Err("this kernel has no Landlock".to_owned()),
            Err(error) => Err(format!("Landlock: {error}")),
        };
        combined(landlock, limits::deny())
    }

    fn restrict(scratch: &Path) -> Result<LandlockStatus, RulesetError> {
        let (files, net, scope) = denied();
        let ruleset = Ruleset::default().handle_access(files)?.handle_access(net)?.scope(scope)?.create()?;
        let ruleset = ruleset.add_rules(path_beneath_rules([NULL], files))?;
        let status = ruleset.add_rules(path_beneath_rules([scratch], allowed_in_scratch()))?.restrict_self()?;
        Ok(status.landlock)
    }

    /// Combines the results of Landlock and of the seccomp filter. An `Err` is the reason why Landlock or the filter is
    /// not available.
    fn combined(landlock: Result<ABI, String>, limits: Result<(), String>) -> Sandbox {
        let (abi, no_landlock) = match landlock {
            Ok(abi) => (abi, None),
            Err(why) => (ABI::Unsupported, Some(why)),
        };
        let mut missing: Vec<_> = PROMISES.iter().filter(|(since, _)| abi < *since).map(|(_, what)| *what).collect();
        missing.extend(limits.is_err().then_some("changing limits of other processes"));
        match (no_landlock, limits) {
            (Some(why), Err(_)) => Sandbox::Off { why },
            (Some(why), Ok(())) => {
                Sandbox::Partly { why: format!("{why}; it does not prevent {}", missing.join(", ")) }
            }
            (None, _) if missing.is_empty() => Sandbox::On,
            (None, _) => Sandbox::Partly { why: format!("this kernel does not prevent {}", missing.join(", ")) },
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// The sandbox removes all rights that Landlock can remove, except reading and executing.
        #[test]
        fn denies_every_right_but_reading_and_executing() {
            let (files, net, scope) = denied();
            assert_eq!(files, !AccessFs::from_read(NEWEST) & AccessFs::from_all(NEWEST));
            assert!(!files.intersects(AccessFs::Execute | AccessFs::ReadFile | AccessFs::ReadDir));
            assert!(files.contains(AccessFs::WriteFile | AccessFs::Truncate | AccessFs::MakeReg | AccessFs::Refer));
            assert_eq!(net, AccessNet::BindTcp | AccessNet::ConnectTcp);
            assert_eq!(scope, Scope::Signal | Scope::AbstractUnixSocket);
            let scratch = allowed_in_scratch();
            assert!(
                scratch.contains(AccessFs::WriteFile | AccessFs::MakeReg | AccessFs::MakeDir | AccessFs::RemoveFile)
            );
            assert!(!scratch.intersects(AccessFs::MakeBlock | AccessFs::MakeChar | AccessFs::IoctlDev));
        }

        #[test]
        fn reports_restrictions_that_the_kernel_lacks() {
            let none = || Err("this kernel has no Landlock".to_owned());
            let no_filter = || Err("no seccomp".to_owned());
            assert_eq!([ABI::V6, NEWEST].map(|abi| combined(Ok(abi), Ok(()))), [Sandbox::On, Sandbox::On]);
            let reports = [
                combined(Ok(ABI::V5), Ok(())),
                combined(Ok(ABI::V6), no_filter()),
                combined(Ok(ABI::V1), Ok(())),
                combined(none(), Ok(())),
                combined(none(), no_filter()),
            ];
            insta::assert_snapshot!(reports.map(|sandbox| sandbox.to_string()).join("\n"));
        }
    }
}

/// Uses seccomp to prevent changes to the resource limits of other processes, because Landlock does not restrict
/// `prlimit`.
#[cfg(target_os = "linux")]
mod limits {
    use seccompiler::{apply_filter, sock_filter};

    /// Installs a seccomp filter so that this thread and its children can change only their own limits.
    pub(super) fn deny() -> Result<(), String> {
        if PRLIMIT.is_empty() {
            return Err("the system call number of `prlimit` is unknown for this processor".to_owned());
        }
        apply_filter(&filter()).map_err(|error| error.to_string())
    }

    /// The system call number of `prlimit64` for each kernel architecture that a process on this host can use.
    #[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), target_endian = "little"))]
    const PRLIMIT: &[(u32, u32)] = {
        const X86_64: u32 = 0xc000_003e;
        const I386: u32 = 0x4000_0003;
        const X32: u32 = 0x4000_0000;
        &[(X86_64, 302), (X86_64, X32 | 302), (I386, 340)]
    };
    #[cfg(all(any(target_arch = "arm", target_arch = "aarch64"), target_endian = "little"))]
    const PRLIMIT: &[(u32, u32)] = {
        const AARCH64: u32 = 0xc000_00b7;
        const ARM: u32 = 0x4000_0028;
        &[(AARCH64, 261), (ARM, 369)]
    };
    #[cfg(not(all(
        any(target_arch = "x86", target_arch = "x86_64", target_arch = "arm", target_arch = "aarch64"),
        target_endian = "little"
    )))]
    const PRLIMIT: &[(u32, u32)] = &[];

    /// Builds a filter that limits `prlimit` to the calling process. The filter makes `prlimit(pid, _, new, _)` fail with EPERM
    /// unless `pid` is 0 or `new` is null.
    ///
    /// The filter allows every other system call.
    fn filter() -> Vec<sock_filter> {
        // Offsets in `struct seccomp_data`.
        const NUMBER: u32 = 0;
        const ARCHITECTURE: u32 = 4;
        const PID: u32 = 16;
        const NEW: u32 = 32;
        // The code of `load` is BPF_LD | BPF_W | BPF_ABS. The code of `end` is BPF_RET | BPF_K.
        let load = |k| sock_filter { code: 0x20, jt: 0, jf: 0, k };
        let end = |k| sock_filter { code: 0x06, jt: 0, jf: 0, k };
        // The code of `equal` is BPF_JMP | BPF_JEQ | BPF_K. `equal` skips `jt` instructions if the values are equal,
        // and `jf` instructions if they differ.
        let equal = |k, jt, jf| sock_filter { code: 0x15, jt, jf, k };

        let allow = end(libc::SECCOMP_RET_ALLOW);
        let deny = end(libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned());
        let mut program = Vec::new();
        for (left, (architecture, number)) in (0..PRLIMIT.len()).rev().zip(PRLIMIT) {
            // Skip the checks for the remaining architectures, and the first `allow`.
            let to_prlimit = u8::try_from(4 * left + 1).unwrap_or(u8::MAX);
            program.extend([
                load(ARCHITECTURE),
                equal(*architecture, 0, 2),
                load(NUMBER),
                equal(*number, to_prlimit, 0),
            ]);
        }
        program.push(allow.clone());
        program.extend([
            load(PID),
            equal(0, 4, 0),
            load(NEW),
            equal(0, 0, 3),
            load(NEW + 4),
            equal(0, 0, 1),
            allow,
            deny,
        ]);
        program
    }
}

//! **The sandbox**: what a reader is kept from, where the kernel has Landlock and seccomp.
//!
//! A reader may read and run whatever its user may, since nobody knows what its language's runtime needs. It may write to nothing
//! but `/dev/null`, the pipes that it was given and a folder for temporary files, and use no TCP; the processes and the abstract
//! sockets that it reaches are those that it starts itself. It changes no resource limit of another process.
//! All of this holds of what it starts, too, and cannot be taken back.
//!
//! The folder is one process's own and gone after its end: readers that have a file converted by another program need one (the
//! deserializers in ExecuTorch's Python package do), and one that readers shared would let them tell each other things.

use std::fmt;
use std::path::Path;

use serde::Serialize;

/// What keeps a reader from doing harm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Sandbox {
    /// Everything that this module lists.
    On,
    /// Some of it.
    Partly {
        /// What the kernel does not do.
        why: String,
    },
    /// Nothing.
    Off {
        /// Why.
        why: String,
    },
}

/// A folder that is not there, for who does not want to write.
pub(super) const NOWHERE: &str = "/nonexistent";

impl Sandbox {
    /// What a process would get that asked for it.
    #[must_use]
    pub fn offered() -> Self {
        // Landlock restricts the thread that asks, so one that ends at once can find out.
        std::thread::spawn(|| Self::enter(Path::new(NOWHERE)))
            .join()
            .unwrap_or_else(|_| Sandbox::Off { why: "asking for it failed".to_owned() })
    }

    /// Whether it does anything.
    #[must_use]
    pub const fn is_any(&self) -> bool {
        !matches!(self, Sandbox::Off { .. })
    }

    /// What a user has to know who takes readers to be sandboxed.
    #[must_use]
    pub fn lack(&self) -> Option<String> {
        (*self != Sandbox::On).then(|| self.to_string())
    }

    /// Restricts this thread, and what it starts or becomes, but for `scratch`.
    #[cfg(target_os = "linux")]
    pub(super) fn enter(scratch: &Path) -> Self {
        linux::enter(scratch)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn enter(_: &Path) -> Self {
        Sandbox::Off { why: "only Linux has Landlock and seccomp".to_owned() }
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

    /// The newest version in use; an older kernel applies what it has.
    const NEWEST: ABI = ABI::V9;

    /// What the sandbox promises, and what first has it. (Connecting to sockets that have names, of version 9, is asked for and
    /// not promised: few kernels have it.)
    const PROMISES: [(ABI, &str); 5] = [
        (ABI::V1, "writing files"),
        (ABI::V3, "truncating files"),
        (ABI::V4, "TCP"),
        (ABI::V5, "controlling devices"),
        (ABI::V6, "signals and abstract sockets"),
    ];

    /// What nobody may do.
    fn refused() -> (BitFlags<AccessFs>, BitFlags<AccessNet>, BitFlags<Scope>) {
        (AccessFs::from_write(NEWEST), AccessNet::from_all(ABI::V4), Scope::from_all(ABI::V6))
    }

    /// What may be done all the same in the folder for temporary files: anything but making devices, through which the disk it is
    /// on could be written.
    fn allowed_in_scratch() -> BitFlags<AccessFs> {
        refused().0 & !(AccessFs::MakeBlock | AccessFs::MakeChar | AccessFs::IoctlDev)
    }

    /// Where programs of all kinds send what nobody is to see.
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
        let (files, net, scope) = refused();
        let ruleset = Ruleset::default().handle_access(files)?.handle_access(net)?.scope(scope)?.create()?;
        let ruleset = ruleset.add_rules(path_beneath_rules([NULL], files))?;
        let status = ruleset.add_rules(path_beneath_rules([scratch], allowed_in_scratch()))?.restrict_self()?;
        Ok(status.landlock)
    }

    /// What Landlock of a version and the filter for limits of other processes come to; `Err` holds why there is none.
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
                Sandbox::Partly { why: format!("{why}, to keep readers from {}", missing.join(", ")) }
            }
            (None, _) if missing.is_empty() => Sandbox::On,
            (None, _) => {
                Sandbox::Partly { why: format!("this kernel does not keep readers from {}", missing.join(", ")) }
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// Reading and running are no part of what is refused, and all else that Landlock knows is.
        #[test]
        fn everything_but_reading_and_running_is_refused() {
            let (files, net, scope) = refused();
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
        fn what_a_kernel_lacks_is_reported() {
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

/// Limits of other processes. Landlock knows nothing of `prlimit`, whose only condition is the same user.
#[cfg(target_os = "linux")]
mod limits {
    use seccompiler::{apply_filter, sock_filter};

    /// Lets this thread, and what it starts or becomes, set the limits of no process but the one that asks.
    pub(super) fn deny() -> Result<(), String> {
        if PRLIMIT.is_empty() {
            return Err("the number of prlimit is not known for this processor".to_owned());
        }
        apply_filter(&filter()).map_err(|error| error.to_string())
    }

    /// The number of `prlimit64` by the kernel's name for each instruction set that a process of this host can use.
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

    /// `prlimit(pid, _, new, _)` fails with EPERM unless `pid` is 0 or `new` is null; every other call is allowed.
    fn filter() -> Vec<sock_filter> {
        // Offsets in `struct seccomp_data`.
        const NUMBER: u32 = 0;
        const ARCHITECTURE: u32 = 4;
        const PID: u32 = 16;
        const NEW: u32 = 32;
        // BPF_LD | BPF_W | BPF_ABS, and BPF_RET | BPF_K.
        let load = |k| sock_filter { code: 0x20, jt: 0, jf: 0, k };
        let end = |k| sock_filter { code: 0x06, jt: 0, jf: 0, k };
        // BPF_JMP | BPF_JEQ | BPF_K: how many instructions to skip if it is equal, and if not.
        let equal = |k, jt, jf| sock_filter { code: 0x15, jt, jf, k };

        let allow = end(libc::SECCOMP_RET_ALLOW);
        let deny = end(libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned());
        let mut program = Vec::new();
        for (left, (architecture, number)) in (0..PRLIMIT.len()).rev().zip(PRLIMIT) {
            // Over the others and the first `allow`.
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

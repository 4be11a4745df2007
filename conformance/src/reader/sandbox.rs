//! **The sandbox**: what a reader is kept from, where the kernel has Landlock.
//!
//! A reader may read and run whatever its user may, since nobody knows what its language's runtime needs. It may write to nothing
//! but `/dev/null`, the pipes that it was given and a folder for temporary files, and use no TCP; the processes and the abstract
//! sockets that it reaches are those that it starts itself. All of this holds of what it starts, too, and cannot be taken back.
//!
//! The folder is one process's own and gone after its end: readers that have a file converted by another program need one (the
//! deserializers in ExecuTorch's Python package do), and one that readers shared would let them tell each other things.

use std::fmt;
use std::path::Path;

use serde::Serialize;

/// What keeps a reader from doing harm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Sandbox {
    /// All that this module tells of.
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
        Sandbox::Off { why: "only Linux has Landlock".to_owned() }
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

    use super::Sandbox;

    /// The newest that is asked for; of an older one the kernel does what it has.
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
        match restrict(scratch) {
            Ok(LandlockStatus::Available { effective_abi, .. }) => of_version(effective_abi),
            Ok(LandlockStatus::NotEnabled) => off("Landlock is not enabled on this system"),
            Ok(_) => off("this kernel has no Landlock"),
            Err(error) => off(&format!("Landlock: {error}")),
        }
    }

    fn restrict(scratch: &Path) -> Result<LandlockStatus, RulesetError> {
        let (files, net, scope) = refused();
        let ruleset = Ruleset::default().handle_access(files)?.handle_access(net)?.scope(scope)?.create()?;
        let ruleset = ruleset.add_rules(path_beneath_rules([NULL], files))?;
        let status = ruleset.add_rules(path_beneath_rules([scratch], allowed_in_scratch()))?.restrict_self()?;
        Ok(status.landlock)
    }

    fn of_version(abi: ABI) -> Sandbox {
        let missing = PROMISES.iter().filter(|(since, _)| abi < *since).map(|(_, what)| *what).collect::<Vec<_>>();
        match missing[..] {
            [] => Sandbox::On,
            _ if abi == ABI::Unsupported => off("this kernel has no Landlock"),
            _ => Sandbox::Partly { why: format!("this kernel does not keep readers from {}", missing.join(", ")) },
        }
    }

    fn off(why: &str) -> Sandbox {
        Sandbox::Off { why: why.to_owned() }
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
        fn what_an_older_kernel_lacks_is_told() {
            assert_eq!(of_version(ABI::V6), Sandbox::On);
            assert_eq!(of_version(NEWEST), Sandbox::On);
            let told = |abi| of_version(abi).to_string();
            assert_eq!(
                told(ABI::V5),
                "partly sandboxed: this kernel does not keep readers from signals and abstract sockets"
            );
            assert_eq!(
                told(ABI::V1),
                "partly sandboxed: this kernel does not keep readers from truncating files, TCP, controlling devices, \
                 signals and abstract sockets"
            );
            assert_eq!(told(ABI::Unsupported), "not sandboxed: this kernel has no Landlock");
        }
    }
}

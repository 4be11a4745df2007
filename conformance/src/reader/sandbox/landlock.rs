//! **Landlock and seccomp**: the sandbox where bubblewrap is not available.
//!
//! A reader keeps its user's rights to read and execute files, because a language runtime can need any file. A reader
//! can write only to `/dev/null`, its own pipes and its folder for temporary files. A reader cannot use TCP or change
//! resource limits of other processes. A reader can send signals only to processes in its own sandbox. A reader can
//! connect only to abstract sockets of processes in its own sandbox. The restrictions also apply to the reader's child
//! processes, and cannot be lifted.

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
    Scope, path_beneath_rules,
};

use std::path::Path;

use super::prlimit;
use super::state::{Mode, Sandbox};

/// The newest Landlock version that this module uses. An older kernel applies only the restrictions that it
/// supports.
const NEWEST: ABI = ABI::V9;

/// The restrictions that this module promises, each with the first Landlock version that supports the restriction.
const PROMISES: [(ABI, &str); 6] = [
    (ABI::V1, "writing files"),
    (ABI::V3, "truncating files"),
    (ABI::V4, "TCP"),
    (ABI::V5, "controlling devices"),
    (ABI::V6, "signals and abstract sockets"),
    (ABI::V9, "named sockets"),
];

/// The access rights that the sandbox removes.
fn denied() -> (BitFlags<AccessFs>, BitFlags<AccessNet>, BitFlags<Scope>) {
    (AccessFs::from_write(NEWEST), AccessNet::from_all(ABI::V4), Scope::from_all(ABI::V6))
}

/// The access rights in the folder for temporary files: all except the rights to create and control devices.
///
/// With a device file, a reader could write directly to the disk.
fn allowed_in_scratch() -> BitFlags<AccessFs> {
    denied().0 & !(AccessFs::MakeBlock | AccessFs::MakeChar | AccessFs::IoctlDev)
}

/// The file to which programs write discarded output.
const NULL: &str = "/dev/null";

pub(super) fn enter(scratch: &Path) -> Sandbox {
    match restrict(scratch) {
        Ok(LandlockStatus::Available { effective_abi, .. }) => active(effective_abi, prlimit::deny()),
        Ok(LandlockStatus::NotEnabled) => Sandbox::off("Landlock is not enabled on this system"),
        Ok(_) => Sandbox::off("this kernel has no Landlock"),
        Err(error) => Sandbox::off(&format!("Landlock: {error}")),
    }
}

fn restrict(scratch: &Path) -> Result<LandlockStatus, RulesetError> {
    let (files, net, scope) = denied();
    let ruleset = Ruleset::default().handle_access(files)?.handle_access(net)?.scope(scope)?.create()?;
    let ruleset = ruleset.add_rules(path_beneath_rules([NULL], files))?;
    let status = ruleset.add_rules(path_beneath_rules([scratch], allowed_in_scratch()))?.restrict_self()?;
    Ok(status.landlock)
}

/// The actions and resources that no version of Landlock restricts.
const UNRESTRICTED: [&str; 5] = [
    "network protocols other than TCP",
    "listening without an address",
    "modes and times of files",
    "seeing other processes",
    "disk use",
];

/// Returns the sandbox of a kernel with this version of Landlock. `has_filter` is whether the seccomp filter is in force.
fn active(abi: ABI, has_filter: bool) -> Sandbox {
    let promises = PROMISES.iter().filter(|(since, _)| abi < *since).map(|(_, what)| *what);
    let filter = (!has_filter).then_some("changing limits of other processes");
    let lacks = promises.chain(filter).chain(UNRESTRICTED).map(str::to_owned).collect();
    Sandbox { mode: Mode::Landlock, lacks, why: None }
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
        assert!(scratch.contains(AccessFs::WriteFile | AccessFs::MakeReg | AccessFs::MakeDir | AccessFs::RemoveFile));
        assert!(!scratch.intersects(AccessFs::MakeBlock | AccessFs::MakeChar | AccessFs::IoctlDev));
    }

    #[test]
    fn reports_restrictions_that_the_kernel_lacks() {
        let reports = [(NEWEST, true), (ABI::V6, true), (ABI::V5, true), (ABI::V6, false), (ABI::V1, true)];
        let reports = reports.map(|(abi, has_filter)| active(abi, has_filter).to_string());
        insta::assert_snapshot!(reports.join("\n"));
    }
}

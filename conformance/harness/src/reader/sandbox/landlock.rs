//! **Landlock** restricts which files a reader can read and write, and which processes it can signal.
//!
//! A reader keeps its user's rights to read and execute files, because a language runtime can need any file. It cannot
//! open devices, because on a terminal it could read what the user types. It can write only to `/dev/null`, its own
//! pipes and its folder for temporary files. The restrictions cannot be lifted.

use std::fs;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
    Scope, path_beneath_rules,
};

use super::state::Mode;

/// The newest Landlock version that this module uses. Older kernels apply only the restrictions that they support.
const NEWEST: ABI = ABI::V9;

/// What a reader can read in `/dev`; the results and their folder can be in `/dev/shm`.
const READABLE: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", SHM];
const NULL: &str = "/dev/null";
/// The folder of shared memory. Bubblewrap gives each reader its own.
const SHM: &str = "/dev/shm";

fn denied() -> BitFlags<AccessFs> {
    AccessFs::from_write(NEWEST) | AccessFs::ReadFile
}

/// The access rights in the folder for temporary files: all except the rights to create and control devices, through
/// which a reader could write directly to the disk.
fn allowed_in_scratch() -> BitFlags<AccessFs> {
    denied() & !(AccessFs::MakeBlock | AccessFs::MakeChar | AccessFs::IoctlDev)
}

/// Restricts this thread and the processes that it starts; `scratch` stays writable. Returns the Landlock version, if
/// the system supports it.
pub(super) fn restrict(mode: Mode, scratch: &Path) -> Result<Option<ABI>, RulesetError> {
    let (files, net, scope) = (denied(), AccessNet::from_all(NEWEST), Scope::from_all(NEWEST));
    let ruleset = Ruleset::default().handle_access(files)?.handle_access(net)?.scope(scope)?.create()?;
    let writable = [scratch, Path::new(SHM)];
    let writable = &writable[..if mode == Mode::Bwrap { 2 } else { 1 }];
    let status = ruleset
        .add_rules(path_beneath_rules(readable(), AccessFs::ReadFile))?
        .add_rules(path_beneath_rules([NULL], files))?
        .add_rules(path_beneath_rules(writable, allowed_in_scratch()))?
        .restrict_self()?;
    Ok(match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => Some(effective_abi),
        _ => None,
    })
}

/// Returns everything in the root folder except `/dev`, because Landlock cannot exclude a folder. A link in the root
/// folder leads to another entry of this list, or to a part of `/dev`.
fn readable() -> impl Iterator<Item = PathBuf> {
    let all = fs::read_dir("/").into_iter().flatten().flatten();
    let all = all.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink())).map(|entry| entry.path());
    all.filter(|path| path != "/dev").chain(READABLE.map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denies_every_right_but_executing_and_listing() {
        assert_eq!(denied(), AccessFs::from_all(NEWEST) & !(AccessFs::Execute | AccessFs::ReadDir));
        let scratch = allowed_in_scratch();
        assert!(scratch.contains(AccessFs::WriteFile | AccessFs::MakeReg | AccessFs::MakeDir | AccessFs::RemoveFile));
        assert!(!scratch.intersects(AccessFs::MakeBlock | AccessFs::MakeChar | AccessFs::IoctlDev));
    }
}

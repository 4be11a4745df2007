//! **The gaps** of the sandbox: actions and resources that it does not restrict on this system.

use landlock::ABI;

use super::state::Mode;

/// What each mode leaves open, either always (`None`) or before this version of Landlock.
const GAPS: [(&str, Option<ABI>, Option<ABI>); 8] = [
    ("named pipes", Some(ABI::V1), ALWAYS),
    // Linux can close them since 5.11, and 5.13 has the first version of Landlock.
    ("inherited descriptors", Some(ABI::V1), ALWAYS),
    ("truncating files", ALWAYS, Some(ABI::V3)),
    ("signals", ALWAYS, Some(ABI::V6)),
    ("modes and times of files", ALWAYS, None),
    ("seeing other processes", ALWAYS, None),
    ("file locks", None, None),
    ("disk use", None, None),
];

/// Never left open: even without Landlock, namespaces, mounts and the table of system calls suffice.
const ALWAYS: Option<ABI> = Some(ABI::Unsupported);

/// What the two modes do not restrict on an architecture without a table of system calls.
const WITHOUT_TABLE: [&[&str]; 2] = [
    &["named sockets", "keyrings"],
    &["named sockets", "keyrings", "network", "priorities and limits", "shared objects"],
];

/// Returns the gaps of a mode on a system with this version of Landlock.
pub(super) fn of(mode: Mode, abi: Option<ABI>) -> Vec<String> {
    let is_bwrap = mode == Mode::Bwrap;
    let is_open = |since: &Option<ABI>| since.is_none_or(|since| abi.unwrap_or(ABI::Unsupported) < since);
    let gaps = GAPS.iter().filter(|(_, bwrap, landlock)| is_open(if is_bwrap { bwrap } else { landlock }));
    let has_table = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    let without: &[&str] = if has_table { &[] } else { WITHOUT_TABLE[usize::from(!is_bwrap)] };
    gaps.map(|(what, ..)| *what).chain(without.iter().copied()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_what_the_kernel_lacks() {
        let all = [(Mode::Bwrap, None), (Mode::Bwrap, Some(ABI::V1))];
        let all = all.into_iter().chain([ABI::V9, ABI::V6, ABI::V3, ABI::V1].map(|abi| (Mode::Landlock, Some(abi))));
        let all = all.map(|(mode, abi)| format!("{} {abi:?}: {}", mode.name(), of(mode, abi).join(", ")));
        insta::assert_snapshot!(all.collect::<Vec<_>>().join("\n"));
    }
}

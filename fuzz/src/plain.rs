//! **The plain pass never hides a finding.**
//!
//! * If the plain pass calls a file plainly good, the verification pass visits the same number of tables and bytes, and
//!   reports no finding.
//! * The whole check reports the same findings as the verification pass alone.

use std::ops::ControlFlow;

use torchproof::check::{FindingRef, Options, Target, check_into, passes};
use torchproof::{ptd, pte};

use crate::read_any::LIMITS;

/// Checks the contract of this module for one input, as a program or as a data file, for both kinds of hosts.
///
/// # Panics
///
/// Panics if the contract of this module is broken.
pub fn run(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    if let Some(identifier) = bytes.get_mut(4..8) {
        let known = if identifier.starts_with(b"FT") { ptd::IDENTIFIER } else { pte::IDENTIFIER };
        identifier.copy_from_slice(&known);
    }
    for target in [Target::Bits64, Target::Bits32] {
        compare(&bytes, &Options::default().limits(LIMITS).target(target));
    }
}

fn compare(bytes: &[u8], options: &Options) {
    // One word of scratch memory per byte of the file is enough.
    let mut scratch = vec![0; bytes.len().max(128)];
    let (mut found, mut again) = (Vec::new(), Vec::new());
    let text = |finding: &FindingRef<'_>| format!("{finding:?}");
    let mut sink = |finding: &FindingRef<'_>| {
        found.push(text(finding));
        ControlFlow::Continue(())
    };
    let closer = passes::closer(&bytes, options, &mut scratch, &mut sink);
    let mut sink = |finding: &FindingRef<'_>| {
        again.push(text(finding));
        ControlFlow::Continue(())
    };
    let whole = check_into(&bytes, options, &mut scratch, &mut sink);
    assert_eq!((whole, &again), (closer, &found), "the whole check differs from the verification pass");
    if let Some(mut plain) = passes::plain(&bytes, options, &mut scratch) {
        // The plain pass leaves these keys to the check.
        plain.unresolved_keys = closer.unresolved_keys;
        assert_eq!(plain, closer, "called plainly good: {found:?}");
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn smoke() {
        crate::smoke::drive(super::run);
    }
}

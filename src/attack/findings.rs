//! The checker's verdict on an attacked file.

use core::ops::ControlFlow;

use crate::check::{Checker, Summary, Target};
use crate::rules::Rule;

/// Checks a file. Returns the summary, and whether a finding reports one of the rules in `wanted`.
///
/// A hostile file can have millions of findings, so this function stores no finding.
pub(super) fn findings(bytes: &[u8], target: Target, wanted: &[&Rule]) -> (Summary, bool) {
    let mut found = false;
    let (summary, _) = Checker::new().target(target).check_to(&bytes, &mut |finding| {
        found |= wanted.contains(&finding.rule);
        ControlFlow::Continue(())
    });
    (summary, found)
}

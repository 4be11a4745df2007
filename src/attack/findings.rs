//! The checker's verdict on an attacked file.

use core::ops::ControlFlow;

use crate::check::{Checker, Summary, Target};
use crate::rules::Rule;

/// Also returns whether a wanted rule is broken. Findings are not stored, because a hostile file can have millions.
pub(super) fn findings(bytes: &[u8], target: Target, wanted: &[&Rule]) -> (Summary, bool) {
    let mut found = false;
    let (summary, _) = Checker::new().target(target).check_to(&bytes, &mut |finding| {
        found |= wanted.contains(&finding.rule);
        ControlFlow::Continue(())
    });
    (summary, found)
}

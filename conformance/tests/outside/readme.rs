//! The README does what it says: its sessions are run, with its worker.

use libtest_mimic::Trial;

use crate::need::{Need, trials};

/// The trials of this module.
pub(crate) fn trials() -> Vec<Trial> {
    trials![[Need::Tool(&["python3"])]; sessions]
}

fn sessions() {
    testkit::run_sessions("readme", &[testkit::repository().join("README.md")]);
}

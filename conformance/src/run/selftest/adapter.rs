//! The adapter under test.

use std::time::Duration;

use torchproof_protocol::Hello;

use super::files::Files;
use crate::reader::{Address, Settings};

/// What the checks have in common.
pub(super) struct AdapterUnderTest<'a> {
    pub(super) address: &'a Address,
    pub(super) settings: &'a Settings,
    pub(super) hello: &'a Hello,
    pub(super) files: &'a Files,
    pub(super) time: Duration,
}

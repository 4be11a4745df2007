//! **A verdict is what a check finds**: the same answer, and the first broken must-rule.

use torchproof::check::{Options, Target, data_file_verdict, program_verdict, verdict_of_findings};
use torchproof::{ptd, pte};

use crate::read_any::LIMITS;

/// Checks the contract of this module for one input, as a program or as a data file, for both kinds of hosts.
///
/// # Panics
///
/// Panics if the contract of this module is broken.
pub fn run(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    let is_data_file = bytes.get(4..6) == Some(b"FT");
    if let Some(identifier) = bytes.get_mut(4..8) {
        identifier.copy_from_slice(if is_data_file { &ptd::IDENTIFIER } else { &pte::IDENTIFIER });
    }
    // One word of scratch memory per byte of the file is enough.
    let mut scratch = vec![0; bytes.len().max(128)];
    for target in [Target::Bits64, Target::Bits32] {
        let options = Options::default().limits(LIMITS).target(target);
        let verdict = if is_data_file { data_file_verdict } else { program_verdict }(&bytes, &options, &mut scratch);
        let expected = verdict_of_findings(&bytes, &options, &mut scratch);
        assert_eq!(verdict, expected);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn smoke() {
        crate::smoke::drive(super::run);
    }
}

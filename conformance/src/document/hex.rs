//! **Hex digits** in arguments and specifications.

use data_encoding::{DecodeKind, HEXLOWER_PERMISSIVE};
use torchproof_harness::text::counted;

/// Decodes hex digits, in upper or lower case; the error says what was found and expected.
pub(super) fn from_hex(digits: &str) -> Result<Vec<u8>, String> {
    HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).map_err(|error| match error.kind {
        DecodeKind::Length => {
            format!(
                "found {}, expected an even number of hex digits",
                counted(digits.chars().count() as u64, "character")
            )
        }
        _ => format!("found a character that is not a hex digit at byte {}, expected hex digits", error.position),
    })
}

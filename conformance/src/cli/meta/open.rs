//! Opens the metadata of a file.

use torchproof_harness::disk::input::Input;
use torchproof_harness::text::escape::plain_name;

use super::super::{CommandResult, broken, unshown};
use crate::document::meta::Metadata;

/// For a broken file, prints one line to stderr and returns exit code 1.
pub(super) fn with_metadata(input: &Input, act: impl FnOnce(&Metadata<'_>) -> CommandResult) -> CommandResult {
    if let Some(why) = unshown(input) {
        return Err(why.into());
    }
    match Metadata::open(input.file_bytes()) {
        Ok(metadata) => act(&metadata),
        Err(error) => broken(input, &error),
    }
}

pub(super) fn name(input: &Input) -> String {
    plain_name(&input.path().to_string_lossy())
}

//! Opens the metadata of a file.

use super::super::{Done, broken, unshown};
use crate::disk::input::Input;
use crate::file::meta::Metadata;
use crate::text::escape::plain_name;

/// Calls `act` with the metadata of a file. For a broken file, it prints one line on stderr and returns exit code 1.
pub(super) fn with_metadata(input: &Input, act: impl FnOnce(&Metadata<'_>) -> Done) -> Done {
    if let Some(why) = unshown(input) {
        return Err(why.into());
    }
    match Metadata::open(input.image()) {
        Ok(metadata) => act(&metadata),
        Err(error) => broken(input.path(), &error),
    }
}

/// The name of a file in messages.
pub(super) fn name(input: &Input) -> String {
    plain_name(&input.path().to_string_lossy())
}

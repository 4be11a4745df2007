//! Opening the metadata of a file.

use super::super::{Done, broken, unshown};
use crate::disk::input::Input;
use crate::file::meta::Metadata;
use crate::text::escape::plain_name;

/// Does something with the metadata of a file, which is exit code 1 with one line on stderr if the file is broken.
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

//! Opening the metadata of a file.

use std::process::ExitCode;

use torchproof::{ErrorCode, view};

use super::super::{Done, complain, unshown};
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
        Err(error) => broken(input, &error),
    }
}

/// Says why a file is not read.
fn broken(input: &Input, error: &view::ViewError) -> Done {
    let message = format!("{}: {error}", name(input));
    if let ErrorCode::Limit(_) = error.error().code {
        return Err(message.into());
    }
    complain(&message);
    Ok(ExitCode::FAILURE)
}

/// The name of a file in messages.
pub(super) fn name(input: &Input) -> String {
    plain_name(&input.path().to_string_lossy())
}

//! The profiles that `check --build` and the settings name.

use std::fs::File;
use std::io;
use std::path::Path;

use torchproof::prediction::BuildProfile;
use torchproof_harness::disk::io_error::cannot_read;
use torchproof_harness::disk::named::OwnFolder;
use torchproof_harness::disk::open::{open_argument, text_up_to};
use torchproof_harness::text::escape::plain_line;
use torchproof_model::check::NamedBuild;

use crate::settings::{ProjectSettings, SETTINGS_FILE};

/// The prefix of a built-in profile's name.
const WHEEL: &str = "wheel:";

/// Reads the argument of `--build`.
///
/// # Errors Fails if the wheel is unknown, or the file cannot be read or is not a profile.
pub fn build_profile(argument: &str) -> Result<NamedBuild, String> {
    named_build(argument, open_argument)
}

/// Reads the profiles that the settings name. Settings may name only files in their own folder, because someone else
/// may have written them.
pub(crate) fn builds_of(settings: &ProjectSettings) -> Result<Vec<NamedBuild>, String> {
    let read = |name: &String| {
        let open = |path: &Path| OwnFolder::new(settings.folder())?.open(path);
        named_build(name, open).map_err(|error| format!("{SETTINGS_FILE}: [build]: {error}"))
    };
    settings.build.profiles.iter().map(read).collect()
}

/// The names of the built-in profiles, such as `wheel:1.4.1`, and the profiles.
pub(crate) fn wheels() -> impl Iterator<Item = (String, BuildProfile)> {
    let version = |build: &BuildProfile| Some(build.runtime.to_string().split_once(':')?.1.to_owned());
    BuildProfile::wheels().filter_map(move |build| Some((format!("{WHEEL}{}", version(&build)?), build)))
}

fn named_build(name: &str, open: impl Fn(&Path) -> io::Result<File>) -> Result<NamedBuild, String> {
    let profile = if name.starts_with(WHEEL) {
        let found = wheels().find(|(known, _)| known == name).map(|(_, profile)| profile);
        found.ok_or_else(|| {
            let known: Vec<String> = wheels().map(|(known, _)| known).collect();
            format!("found an unknown wheel, expected one of {}, or a file", known.join(", "))
        })?
    } else {
        let path = Path::new(name);
        let text = open(path).and_then(|file| text_up_to(file, MAX_PROFILE));
        let text = text.map_err(|error| cannot_read(path, &error))?;
        BuildProfile::from_json(&text).map_err(|error| plain_line(&error.to_string(), usize::MAX))?
    };
    Ok(NamedBuild { name: name.to_owned(), profile })
}

/// The largest profile in bytes.
const MAX_PROFILE: u64 = 4 << 20;

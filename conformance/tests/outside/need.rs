//! Trials with requirements that a machine may lack.

use std::path::{Path, PathBuf};
use std::{env, fs};

use libtest_mimic::{Completion, Trial};

use crate::{public_items, sarif_schema};

/// A requirement outside this repository.
#[derive(Clone, Copy)]
pub(crate) enum Need {
    /// A reader that a `setup.sh` of `conformance/readers` installs.
    Reader(&'static str),
    /// A program of one of these names on the `PATH`.
    Tool(&'static [&'static str]),
    /// The output of flatc for each real file.
    Truth,
    /// The published schema of SARIF.
    SarifSchema,
    /// A compiler whose rustdoc writes the JSON version that `public_items` reads.
    RustdocJson,
}

/// The program names of Chromium.
pub(crate) const CHROMIUM: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

impl Need {
    /// Returns the reason why the requirement is missing; `None` if it is present.
    fn missing(self) -> Option<String> {
        match self {
            Self::Reader(program) if reader(program).is_file() => None,
            Self::Reader(program) => Some(format!("no target/readers/{program}: run its setup.sh")),
            Self::Tool(names) if tool(names).is_some() => None,
            Self::Tool(names) => Some(format!("no {} on the PATH", names[0])),
            Self::Truth if truth().is_dir() => None,
            Self::Truth => Some(format!("no folder {}", truth().display())),
            Self::RustdocJson => public_items::rustdoc_json().err().map(|why| format!("no JSON of rustdoc: {why}")),
            Self::SarifSchema => sarif_schema::published().err().map(|why| format!("no schema of SARIF: {why}")),
        }
    }
}

/// Creates a trial that is ignored if a requirement is missing; with `TORCHPROOF_READERS=required` it fails instead.
pub(crate) fn trial(name: &str, needs: &[Need], test: impl FnOnce() + Send + 'static) -> Trial {
    let needs = needs.to_vec();
    let name = name.strip_prefix("outside::").unwrap_or(name).replace("::", "/");
    Trial::ignorable_test(name, move || {
        match needs.iter().find_map(|need| need.missing()) {
            Some(why) if env::var_os("TORCHPROOF_READERS").is_some_and(|word| word == "required") => {
                return Err(format!("required: {why}").into());
            }
            Some(why) => return Ok(Completion::ignored_with(why)),
            None => test(),
        }
        Ok(Completion::Completed)
    })
}

/// Creates trials of functions with the same requirements.
macro_rules! trials {
    ($needs:expr; $($test:ident),* $(,)?) => {
        vec![$($crate::need::trial(concat!(module_path!(), "::", stringify!($test)), &$needs, $test)),*]
    };
}
pub(crate) use trials;

/// Returns the path of a reader that `setup.sh` builds.
pub(crate) fn reader(program: &str) -> PathBuf {
    testkit::target().join("readers").join(program)
}

/// Returns the first of these programs on the `PATH`.
pub(crate) fn tool(names: &[&'static str]) -> Option<&'static str> {
    let path = env::var_os("PATH").unwrap_or_default();
    names.iter().copied().find(|name| env::split_paths(&path).any(|folder| folder.join(name).is_file()))
}

/// Returns a folder with a `NAME.json` for each real file, printed by
/// `flatc --json --strict-json --defaults-json --raw-binary`.
pub(crate) fn truth() -> PathBuf {
    let beside = || fs::canonicalize(testkit::repository()).unwrap().join("../shared/real-models/truth");
    env::var_os("TORCHPROOF_TRUTH").map_or_else(beside, |folder| Path::new(&folder).to_owned())
}

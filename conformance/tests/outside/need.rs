//! Tests that have requirements which some machines do not meet.

use std::path::{Path, PathBuf};
use std::{env, fs};

use libtest_mimic::{Completion, Trial};

use crate::{mutator, public_items, sarif_schema};

/// Something outside this repository that a test requires.
#[derive(Clone, Copy)]
pub(crate) enum Need {
    /// Installed by `conformance/readers/*/setup.sh`.
    Reader(&'static str),
    /// A program on the `PATH` with one of these names.
    Tool(&'static [&'static str]),
    /// Installed by `conformance/oracle/regenerate.sh`.
    Flatc,
    /// The JSON output of flatc for each real file; see [`truth`].
    Truth,
    /// The published schema of SARIF.
    SarifSchema,
    /// The query installs atheris if Python has a wheel for it.
    Atheris,
    /// The headers of GoogleTest.
    GoogleTest,
    /// Installed by the step `tools` of CI.
    Pytest,
    /// A compiler whose rustdoc writes the JSON version that `public_items` supports.
    RustdocJson,
}

pub(crate) const CHROMIUM: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

impl Need {
    fn missing(self) -> Option<String> {
        match self {
            Self::Reader(program) if reader(program).is_file() => None,
            Self::Reader(program) => Some(format!("no target/readers/{program}: run its setup.sh")),
            Self::Tool(names) if tool(names).is_some() => None,
            Self::Tool(names) => Some(format!("no {} on the PATH", names[0])),
            Self::Flatc if flatc().is_some() => None,
            Self::Flatc => Some("no flatc: run conformance/oracle/regenerate.sh --check".to_owned()),
            Self::Truth if truth().is_dir() => None,
            Self::Truth => Some(format!("no folder {}", truth().display())),
            Self::Atheris => mutator::atheris().err().map(|why| format!("no wheel of atheris: {why}")),
            Self::RustdocJson => public_items::rustdoc_json().err().map(|why| format!("no JSON of rustdoc: {why}")),
            Self::GoogleTest if Path::new("/usr/include/gtest/gtest.h").is_file() => None,
            Self::GoogleTest => Some("no GoogleTest: install libgtest-dev".to_owned()),
            Self::Pytest if pytest().is_file() => None,
            Self::Pytest => Some(format!("no {}: run .ci/run", pytest().display())),
            Self::SarifSchema => sarif_schema::published().err().map(|why| format!("no schema of SARIF: {why}")),
        }
    }

    /// Many Python versions have no wheel for atheris.
    fn may_be_missing(self) -> bool {
        matches!(self, Self::Atheris)
    }
}

/// A test whose requirements are missing is ignored, or fails if `TORCHPROOF_READERS=required`.
pub(crate) fn trial(name: &str, needs: &[Need], test: impl FnOnce() + Send + 'static) -> Trial {
    let needs = needs.to_vec();
    let name = name.strip_prefix("outside::").unwrap_or(name).replace("::", "/");
    Trial::ignorable_test(name, move || {
        match needs.iter().find_map(|need| Some((*need, need.missing()?))) {
            Some((need, why))
                if !need.may_be_missing()
                    && env::var_os("TORCHPROOF_READERS").is_some_and(|word| word == "required") =>
            {
                return Err(format!("required: {why}").into());
            }
            Some((_, why)) => return Ok(Completion::ignored_with(why)),
            None => test(),
        }
        Ok(Completion::Completed)
    })
}

/// Creates a test for each function. The requirements precede the functions.
macro_rules! trials {
    ($($needs:expr; $($test:ident),+);+) => {
        vec![$($($crate::need::trial(concat!(module_path!(), "::", stringify!($test)), &$needs, $test)),+),+]
    };
}
pub(crate) use trials;

pub(crate) fn reader(program: &str) -> PathBuf {
    testkit::target().join("readers").join(program)
}

pub(crate) fn flatc() -> Option<PathBuf> {
    let versions = fs::read_dir(testkit::target().join("oracle")).ok()?.filter_map(Result::ok);
    versions.map(|version| version.path().join("flatc/bin/flatc")).find(|path| path.is_file())
}

pub(crate) fn pytest() -> PathBuf {
    testkit::target().join("packaging-tools/bin/pytest")
}

/// The first of `names` that is on the `PATH`.
pub(crate) fn tool(names: &[&'static str]) -> Option<&'static str> {
    let path = env::var_os("PATH").unwrap_or_default();
    names.iter().copied().find(|name| env::split_paths(&path).any(|folder| folder.join(name).is_file()))
}

/// For each real file, `NAME.json` is the output of `flatc --json --strict-json --defaults-json --raw-binary`.
pub(crate) fn truth() -> PathBuf {
    let beside = || fs::canonicalize(testkit::repository()).unwrap().join("../shared/real-models/truth");
    env::var_os("TORCHPROOF_TRUTH").map_or_else(beside, |folder| Path::new(&folder).to_owned())
}

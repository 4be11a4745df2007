//! The corpus that the current code builds, independent of the `corpus` folder.

use std::path::PathBuf;
use std::sync::LazyLock;

use torchproof_harness::corpus::build::{Tree, build};

/// The corpus that the current code builds.
pub(crate) static BUILT: LazyLock<Tree> = LazyLock::new(|| build().unwrap());

pub(crate) static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = scratch().join("corpus");
    BUILT.write(&folder).unwrap();
    folder
});

pub(crate) fn scratch() -> PathBuf {
    testkit::scratch("cases")
}

/// The path of the case's first file, relative to the corpus folder.
pub(crate) fn path(id: &str) -> &'static str {
    paths(id).0
}

/// The path of the case's first file, relative to the corpus folder, and the full paths of its companions.
pub(crate) fn paths(id: &str) -> (&'static str, Vec<PathBuf>) {
    let case = BUILT.manifest.cases.iter().find(|case| case.id == id).unwrap();
    (&case.files[0].path, case.files[1..].iter().map(|file| FOLDER.join(&file.path)).collect())
}

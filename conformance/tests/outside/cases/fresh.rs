//! The corpus as the code builds it now, independent of the one on disk.

use std::path::PathBuf;
use std::sync::LazyLock;

use torchproof_cli::corpus::build::{Tree, build};

/// The corpus files.
pub(crate) static BUILT: LazyLock<Tree> = LazyLock::new(|| build().unwrap());

/// A folder that contains the corpus.
pub(crate) static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = scratch().join("corpus");
    BUILT.write(&folder).unwrap();
    folder
});

/// Returns a folder for the files of this test program.
pub(crate) fn scratch() -> PathBuf {
    testkit::scratch("cases")
}

/// Returns the file of a case, below the corpus folder.
pub(crate) fn path(id: &str) -> &'static str {
    paths(id).0
}

/// Returns the file of a case, below the corpus folder, and the paths of its companions.
pub(crate) fn paths(id: &str) -> (&'static str, Vec<PathBuf>) {
    let case = BUILT.manifest.cases.iter().find(|case| case.id == id).unwrap();
    (&case.files[0].path, case.files[1..].iter().map(|file| FOLDER.join(&file.path)).collect())
}

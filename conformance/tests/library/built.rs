//! The library that misbehaves.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The address of the library as it is.
pub(crate) fn good() -> Option<String> {
    static GOOD: LazyLock<Option<String>> = LazyLock::new(|| library("good", &[]));
    GOOD.clone()
}

/// The address of the library, built with these definitions under this name; none where there is no compiler and none is
/// required.
pub(crate) fn library(name: &str, definitions: &[&str]) -> Option<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("library");
    std::fs::create_dir_all(&folder).unwrap();
    let library = folder.join(format!("lib{name}.so"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faux/library.cpp");
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]).args(definitions);
    let output = match compiler.arg(source).arg("-o").arg(&library).output() {
        Ok(output) => output,
        Err(error) => {
            let required = std::env::var_os("TORCHPROOF_READERS").is_some_and(|word| word == "required");
            assert!(!required, "g++ is required and not there: {error}");
            eprintln!("NOT RUN: the library needs g++");
            return None;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(address(&library))
}

pub(crate) fn address(library: &Path) -> String {
    format!("lib:{}", library.display())
}

/// A file beside the libraries.
pub(crate) fn beside(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("library");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), bytes).unwrap();
    folder.join(name)
}

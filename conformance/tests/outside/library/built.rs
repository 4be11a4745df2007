//! Builds the library that misbehaves on request.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

pub(crate) fn good() -> String {
    static GOOD: LazyLock<String> = LazyLock::new(|| library("good", &[]));
    GOOD.clone()
}

/// Compiles the library with these macro definitions, and returns its address.
pub(crate) fn library(name: &str, definitions: &[&str]) -> String {
    let folder = testkit::scratch("library");
    let library = folder.join(format!("lib{name}.so"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faux/library.cpp");
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]).args(definitions);
    let output = compiler.arg(source).arg("-o").arg(&library).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    address(&library)
}

pub(crate) fn address(library: &Path) -> String {
    format!("lib:{}", library.display())
}

pub(crate) fn beside(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = testkit::scratch("library");
    std::fs::write(folder.join(name), bytes).unwrap();
    folder.join(name)
}

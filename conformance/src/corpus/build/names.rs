//! The names of the generated files and folders.

/// The manifest's name.
pub const MANIFEST: &str = "manifest.json";

/// The name of the changelog.
pub const CHANGELOG: &str = "CHANGELOG.md";

/// The name of the manifest in a few columns.
pub const INDEX: &str = "index.tsv";

/// The folders whose every file is generated: what is in them and in no build is deleted.
pub const FOLDERS: [&str; 3] = ["dict", "expect", "files"];

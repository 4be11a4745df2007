//! The default name of a reader: the name of its file.

use std::path::Path;

/// The program's file name without its suffix.
pub(super) fn command_name(argv: &[String]) -> &str {
    file_name(Path::new(argv.first().map_or("", String::as_str)))
}

/// The file name without its suffix.
pub(super) fn file_name(path: &Path) -> &str {
    path.file_stem().unwrap_or(path.as_os_str()).to_str().unwrap_or_default()
}

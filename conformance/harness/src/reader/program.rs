//! The search for programs, and the message for programs that cannot be started.

use std::io;
use std::path::PathBuf;

use crate::disk::io_error::in_words;
use crate::disk::system::is_executable;

/// Returns a program's path. A name without a slash is looked up in `PATH`.
pub(super) fn find_program(program: &str) -> Option<PathBuf> {
    let executable = |path: &PathBuf| is_executable(path);
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(executable);
    }
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(program)).find(executable)
}

pub(super) fn cannot_start(program: &str, error: &io::Error) -> String {
    let fault = match error.kind() {
        io::ErrorKind::NotFound => "no such program; check the path or install it".to_owned(),
        io::ErrorKind::PermissionDenied => "the file is not executable; run `chmod +x` on it".to_owned(),
        _ => in_words(error),
    };
    format!("cannot start {program}: {fault}")
}

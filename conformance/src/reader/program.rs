//! The search for programs.

use std::path::PathBuf;

/// Returns the path of a program. A name without a slash is searched for in the folders of `PATH`.
pub(super) fn find_program(program: &str) -> Option<PathBuf> {
    let executable = |path: &PathBuf| path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(executable);
    }
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(program)).find(executable)
}

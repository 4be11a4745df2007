//! Runs the `torchproof` command on files made for a test.
#![allow(dead_code)] // Each test program uses its share.

#[path = "../sandboxed/mod.rs"]
mod sandboxed;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The command with these arguments, which names files by where they are in [`scratch`].
pub(crate) fn torchproof(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_torchproof"));
    command.args(args).current_dir(scratch()).stdin(Stdio::null());
    command
}

/// Runs the command to its end; what it printed is the same on every kernel.
pub(crate) fn run(args: &[&str]) -> Outcome {
    let output = torchproof(args).output().unwrap();
    Outcome {
        code: output.status.code(),
        stdout: sandboxed::on_any_kernel(&String::from_utf8(output.stdout).unwrap()),
        stderr: sandboxed::on_any_kernel(&String::from_utf8(output.stderr).unwrap()),
    }
}

/// A folder for the files of this test program.
pub(crate) fn scratch() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes a file and gives its name back.
pub(crate) fn file<'n>(name: &'n str, bytes: &[u8]) -> &'n str {
    // Whole or not at all: tests that run beside this one may have the same file open.
    let mut new = tempfile::NamedTempFile::new_in(scratch()).unwrap();
    new.write_all(bytes).unwrap();
    new.persist(scratch().join(name)).unwrap();
    name
}

/// A file of the real ones.
pub(crate) fn real(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/real").join(name)
}

/// The bytes of a real file, `now` put at `at`.
pub(crate) fn patched(name: &str, at: u64, now: &[u8]) -> Vec<u8> {
    let mut bytes = fs::read(real(name)).unwrap();
    let at = usize::try_from(at).unwrap();
    bytes[at..at + now.len()].copy_from_slice(now);
    bytes
}

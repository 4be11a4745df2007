//! Runs the `torchproof` command on files of a test.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use torchproof_cli::reader::Sandbox;

/// Exit code and output of a run.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Declares the module `command`, whose functions work in the scratch folder of this name, which is empty at first.
#[macro_export]
macro_rules! command_in {
    ($folder:literal) => {
        #[allow(dead_code, unused_imports)]
        mod command {
            pub(crate) use $crate::command::{Outcome, patched, real};

            pub(crate) fn scratch() -> std::path::PathBuf {
                static FOLDER: std::sync::LazyLock<std::path::PathBuf> =
                    std::sync::LazyLock::new(|| $crate::empty_scratch($folder));
                FOLDER.clone()
            }

            pub(crate) fn torchproof(args: &[&str]) -> std::process::Command {
                $crate::command::torchproof(&scratch(), args)
            }

            pub(crate) fn run(args: &[&str]) -> Outcome {
                $crate::command::run(&scratch(), args)
            }

            pub(crate) fn file<'n>(name: &'n str, bytes: &[u8]) -> &'n str {
                $crate::command::file(&scratch(), name, bytes)
            }
        }
    };
}

/// The command with these arguments, started in this folder.
pub fn torchproof(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(crate::program("torchproof"));
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs the command to its end; the output is the same on every kernel.
pub fn run(folder: &Path, args: &[&str]) -> Outcome {
    let output = torchproof(folder, args).output().unwrap();
    Outcome {
        code: output.status.code(),
        stdout: on_any_kernel(&String::from_utf8(output.stdout).unwrap()),
        stderr: on_any_kernel(&String::from_utf8(output.stderr).unwrap()),
    }
}

/// The text without the line that reports what the kernel lacks for the sandbox.
pub fn on_any_kernel(text: &str) -> String {
    let Some(lack) = Sandbox::offered().lack() else { return text.to_owned() };
    let note = format!("torchproof: note: {lack}");
    text.split_inclusive('\n').filter(|line| ![lack.as_str(), &note].contains(&line.trim_end())).collect()
}

/// Writes a file and returns its name.
pub fn file<'n>(folder: &Path, name: &'n str, bytes: &[u8]) -> &'n str {
    // Tests that run at the same time may have the same file open: they see it whole.
    let mut new = tempfile::NamedTempFile::new_in(folder).unwrap();
    new.write_all(bytes).unwrap();
    new.persist(folder.join(name)).unwrap();
    name
}

/// A real file of the corpus.
pub fn real(name: &str) -> PathBuf {
    crate::repository().join("corpus/real").join(name)
}

/// The bytes of a real file, with `now` written at `at`.
pub fn patched(name: &str, at: u64, now: &[u8]) -> Vec<u8> {
    let mut bytes = fs::read(real(name)).unwrap();
    let at = usize::try_from(at).unwrap();
    bytes[at..at + now.len()].copy_from_slice(now);
    bytes
}

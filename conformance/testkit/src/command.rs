//! Runs the `torchproof` command on a test's files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use torchproof_harness::reader::{Launcher, Sandbox, Settings};
use torchproof_harness::run::selftest::{self, SelfTest};

#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Declares the `command` module, with a scratch folder that is empty when the test binary starts.
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

            pub(crate) fn absent(name: &str) -> std::path::PathBuf {
                $crate::command::absent(&scratch(), name)
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

/// The path of a folder that does not exist.
pub fn absent(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

/// Passes only the variable PATH, because the error about a reader that does not start lists all other variables.
pub fn without_environment() -> Command {
    let mut command = Command::new(crate::program("torchproof"));
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command
}

pub fn torchproof(folder: &Path, args: &[&str]) -> Command {
    let mut command = without_environment();
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command
}

pub fn run(folder: &Path, args: &[&str]) -> Outcome {
    torchproof(folder, args).output().unwrap().into()
}

impl From<Output> for Outcome {
    /// Removes text that depends on the kernel.
    fn from(output: Output) -> Self {
        let text = |bytes| on_any_kernel(&String::from_utf8(bytes).unwrap());
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

pub fn assert_columns(text: &str) {
    let wide = text.lines().find(|line| line.chars().count() > 80);
    assert!(!text.is_empty() && wide.is_none(), "{wide:?}");
}

pub fn selftest(address: &str) -> SelfTest {
    let settings = Settings::new(Launcher::at(crate::program("torchproof")), Duration::from_secs(10), None);
    selftest::selftest(&address.parse().unwrap(), &settings, Duration::from_millis(1500)).unwrap()
}

/// Removes the line about the sandbox, which depends on the kernel.
pub fn on_any_kernel(text: &str) -> String {
    let sandbox = Sandbox::available().to_string();
    let lines = [format!("torchproof: note: {sandbox}"), Sandbox::available().header(), sandbox];
    text.split_inclusive('\n').filter(|line| !lines.iter().any(|own| own == line.trim_end())).collect()
}

pub fn file<'n>(folder: &Path, name: &'n str, bytes: &[u8]) -> &'n str {
    // A concurrent test must never read an incomplete file.
    let mut new = tempfile::NamedTempFile::new_in(folder).unwrap();
    new.write_all(bytes).unwrap();
    new.persist(folder.join(name)).unwrap();
    name
}

/// The path of a file that a real exporter wrote.
pub fn real(name: &str) -> PathBuf {
    crate::repository().join("corpus/real").join(name)
}

/// The bytes of a real exporter's file, with the bytes at `at` replaced.
pub fn patched(name: &str, at: u64, now: &[u8]) -> Vec<u8> {
    let mut bytes = fs::read(real(name)).unwrap();
    let at = usize::try_from(at).unwrap();
    bytes[at..at + now.len()].copy_from_slice(now);
    bytes
}

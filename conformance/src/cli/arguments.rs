//! Arguments that several subcommands have.

use std::num::NonZero;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};

/// The name that this program was started by, for a command to run again.
pub(super) fn program() -> String {
    std::env::args().next().unwrap_or_else(|| "torchproof".to_owned())
}

/// The place of a file that is put there whole: `-`, which elsewhere is stdout, is none.
pub(super) fn new_file() -> impl TypedValueParser<Value = PathBuf> {
    not_stdout("a file is put in place whole, which stdout is not; a file of that name is ./-")
}

/// The folder that files go into: `-`, which elsewhere is stdout, is none.
pub(super) fn folder() -> impl TypedValueParser<Value = PathBuf> {
    not_stdout("files go into a folder, which stdout is not; a folder of that name is ./-")
}

pub(super) fn not_stdout(why: &'static str) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| if path.as_os_str() == "-" { Err(why) } else { Ok(path) })
}

/// The number of jobs: by default one for each processor.
pub(super) fn jobs(told: Option<NonZero<usize>>) -> NonZero<usize> {
    told.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
}

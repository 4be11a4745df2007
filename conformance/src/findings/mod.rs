//! **The findings of `check`** in their output formats.

pub(crate) mod ci;
pub(crate) mod json;
pub(crate) mod predicted;
pub(crate) mod quiet;
mod rows;
pub(crate) mod sarif;
pub mod text;

use std::io;
use std::path::{Path, PathBuf};

use torchproof::check::Checker;
use torchproof_harness::disk::input::{Input, InputError};
use torchproof_harness::text::escape::shell_line;
use torchproof_model::ModelFile;
pub use torchproof_model::check::{CheckVerdict, ExaminedFile};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub files: u64,
    pub rejected: u64,
    pub warned: u64,
    /// A file can count both as unexamined and as rejected.
    pub unexamined: u64,
}

impl Tally {
    /// Counts a file; `None` stands for an unreadable file.
    pub(crate) fn add(&mut self, examined: Option<&ExaminedFile>, deny_should: bool) {
        self.files += 1;
        self.unexamined += u64::from(examined.is_none_or(|examined| examined.report.stopped.is_some()));
        match examined.map(|examined| examined.verdict(deny_should)) {
            Some(CheckVerdict::Reject) => self.rejected += 1,
            Some(CheckVerdict::Warn) => self.warned += 1,
            Some(CheckVerdict::Accept | CheckVerdict::Unexamined) | None => {}
        }
    }

    /// 2 if a check did not finish, or else 1 if a file is rejected.
    pub(crate) const fn exit_code(&self) -> u8 {
        match (self.unexamined, self.rejected) {
            (0, 0) => 0,
            (0, _) => 1,
            _ => 2,
        }
    }
}

/// Checks a file, also against the data files in `companions`.
pub fn examine(
    path: &Path,
    companions: &[PathBuf],
    checker: &Checker<'_>,
) -> Result<(Input, ExaminedFile), InputError> {
    let input = Input::open(path)?;
    let data = companions.iter().map(|path| Input::open(path)).collect::<Result<Vec<_>, _>>()?;
    let data = data.iter().map(model_file).collect::<Result<Vec<_>, _>>()?;
    let examined = ExaminedFile::of(&model_file(&input)?, &data, checker);
    Ok((input, examined))
}

/// The file in the form that `torchproof-model` takes.
pub(crate) fn model_file(input: &Input) -> Result<ModelFile<'_>, InputError> {
    let unread = |_| InputError::new(input.path(), &io::ErrorKind::UnexpectedEof.into());
    ModelFile::open(input.path(), input).map_err(unread)
}

pub(crate) fn fault_of(input: &Input) -> Option<String> {
    let report = Checker::new().check_source(input);
    ExaminedFile::alone(report).fault()
}

pub(crate) fn check_hint(path: &Path) -> String {
    format!("run `{}`", shell_line(["torchproof", "check", &path.to_string_lossy()]))
}

//! A check's settings, and a file checked with them.

use std::path::PathBuf;

use torchproof::Limits;
use torchproof::check::{Checker, Target};
use torchproof::prediction::{Prediction, Release, RuntimePrediction};
use torchproof::rules::Basis;

use super::builds::NamedBuild;
use super::examined::{CheckVerdict, ExaminedFile};
use crate::ModelFile;

/// A file with the results of checking it.
#[derive(Clone, Debug)]
pub struct CheckedFile {
    /// The path argument.
    pub path: PathBuf,
    /// The size in bytes; `None` for a file that could not be opened.
    pub len: Option<u64>,
    /// The result, or the reason why the file could not be examined.
    pub examined: Result<ExaminedFile, String>,
    /// The predictions for the releases.
    pub runtime: Vec<RuntimePrediction>,
}

/// A check's settings.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// `true` if a broken should-rule rejects the file.
    pub deny_should: bool,
    /// `true` if unresolved external tensors reject the file.
    pub require_data: bool,
    /// The bases of the rules that count; empty for all.
    pub bases: Vec<Basis>,
    /// The host to check for.
    pub target: Target,
    /// The check's limits.
    pub limits: Limits,
    /// The releases whose behavior to predict.
    pub releases: Vec<Release>,
    /// The builds whose behavior to predict.
    pub builds: Vec<NamedBuild>,
}

impl CheckOptions {
    /// Checks a file and makes the predictions. The findings cover rules of every basis.
    #[must_use]
    pub fn examine(&self, file: &ModelFile<'_>, data: &[ModelFile<'_>]) -> CheckedFile {
        // If findings will be filtered by basis, store all of them, because the filter sees only stored findings.
        let most = if self.bases.is_empty() { Checker::MAX_FINDINGS } else { usize::MAX };
        let checker = Checker::new().target(self.target).limits(self.limits).max_findings(most);
        let mut examined = ExaminedFile::of(file, data, &checker);
        examined.data_required = self.require_data;
        let runtime = examined.predictions(file, &self.releases);
        if runtime.iter().any(|of| of.prediction == Prediction::Loads) {
            examined.depends_on = Some(examined.loaded(file).requirements()).filter(|all| !all.is_empty());
        }
        examined.builds = examined.in_builds(file, &self.builds);
        let (path, len) = (file.path().to_owned(), Some(file.file_bytes().len()));
        CheckedFile { path, len, examined: Ok(examined), runtime }
    }
}

impl CheckedFile {
    /// Returns the verdict.
    #[must_use]
    pub fn verdict(&self, deny_should: bool) -> CheckVerdict {
        self.examined.as_ref().map_or(CheckVerdict::Unexamined, |examined| examined.verdict(deny_should))
    }

    /// Removes the findings of rules with other bases, unless `bases` is empty.
    #[must_use]
    pub fn selected(mut self, bases: &[Basis]) -> Self {
        self.examined.iter_mut().for_each(|examined| examined.select(bases));
        self
    }
}

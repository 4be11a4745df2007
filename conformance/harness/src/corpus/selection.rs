//! **The selection of cases.**

use globset::{Glob, GlobBuilder, GlobMatcher};
use torchproof::Stage;
use torchproof::rules::Basis;

use super::CorpusError;
use crate::corpus::{Case, Status};

/// Selects cases by glob, rule, stage and rule basis. A case must match one entry of each nonempty list.
///
/// Globs match whole ids. `*` and `?` match inside one part of an id, and `**` matches across parts: `pte/header/*`,
/// `pte/**`, `**/*-wraps`.
#[derive(Clone, Debug, Default)]
pub struct CaseSelection {
    globs: Vec<GlobMatcher>,
    rules: Vec<String>,
    stages: Vec<Stage>,
    bases: Vec<Basis>,
}

impl CaseSelection {
    pub fn new(globs: &[String], rules: &[String], stages: &[Stage]) -> Result<Self, CorpusError> {
        let compile = |glob: &String| case_glob(glob).map(|glob| glob.compile_matcher());
        let globs = globs.iter().map(compile).collect::<Result<_, _>>();
        let globs = globs.map_err(|error: globset::Error| CorpusError::Glob(error.to_string()))?;
        Ok(CaseSelection { globs, rules: rules.to_vec(), stages: stages.to_vec(), bases: Vec::new() })
    }

    /// Selects only cases whose rule has one of these bases, unless `bases` is empty.
    #[must_use]
    pub fn with_bases(self, bases: &[Basis]) -> Self {
        Self { bases: bases.to_vec(), ..self }
    }

    fn unknown_rule(&self, cases: &[Case]) -> Option<&str> {
        let known = |rule: &&String| cases.iter().any(|case| case.rule.as_ref() == Some(*rule));
        self.rules.iter().find(|rule| !known(rule)).map(String::as_str)
    }

    /// Fails if a glob or a rule matches no case, because a typo would silently skip tests.
    pub(crate) fn check(&self, cases: &[Case]) -> Result<(), CorpusError> {
        if let Some(rule) = self.unknown_rule(cases) {
            return Err(CorpusError::NoSuchRule(rule.to_owned()));
        }
        match self.globs.iter().find(|glob| !cases.iter().any(|case| glob.is_match(&case.id))) {
            Some(glob) => Err(CorpusError::NoSuchCase(glob.glob().glob().to_owned())),
            None => Ok(()),
        }
    }

    /// Returns whether the case is selected. Retired cases never are.
    pub fn takes(&self, case: &Case) -> bool {
        case.status != Status::Retired
            && (self.globs.is_empty() || self.globs.iter().any(|glob| glob.is_match(&case.id)))
            && (self.rules.is_empty() || case.rule.as_ref().is_some_and(|rule| self.rules.contains(rule)))
            && (self.stages.is_empty() || case.stage.is_some_and(|stage| self.stages.contains(&stage)))
            && (self.bases.is_empty() || case.basis().is_some_and(|basis| self.bases.contains(&basis)))
    }
}

/// Parses a glob for whole ids, as in [`CaseSelection`].
pub fn case_glob(glob: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(glob).literal_separator(true).build()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may panic on a broken fixture.

    use super::*;

    fn matches(glob: &str, id: &str) -> bool {
        CaseSelection::new(&[glob.to_owned()], &[], &[]).unwrap().globs[0].is_match(id)
    }

    #[test]
    fn stars_match_within_a_part_of_the_id() {
        assert!(matches("pte/header/*", "pte/header/length-zero"));
        assert!(!matches("pte/*", "pte/header/length-zero"));
        assert!(matches("pte/**", "pte/header/length-zero"));
        assert!(matches("**/*-zero", "pte/header/length-zero"));
        assert!(matches("p?e/*/{length,size}-zero", "pte/header/length-zero"));
        assert!(!matches("pte?header/length-zero", "pte/header/length-zero"));
        assert!(!matches("pte/header", "pte/header/length-zero"));
    }

    #[test]
    fn rejects_a_malformed_glob() {
        assert!(CaseSelection::new(&["pte/[".to_owned()], &[], &[]).is_err());
    }
}

//! **Which cases a run takes.**

use globset::{GlobBuilder, GlobMatcher};
use torchproof::Stage;

use super::CorpusError;
use crate::corpus::{Case, Status};

/// A choice of cases: those that match one of the globs, one of the rules and one of the stages; whatever is not named
/// chooses all.
///
/// A glob is matched against the whole id. `*` and `?` stay within one part of it, `**` crosses parts: `pte/header/*`,
/// `pte/**`, `**/*-wraps`.
#[derive(Clone, Debug, Default)]
pub struct CaseSelection {
    globs: Vec<GlobMatcher>,
    rules: Vec<String>,
    stages: Vec<Stage>,
}

impl CaseSelection {
    /// The choice in the user's words.
    ///
    /// # Errors
    /// One of the globs is none.
    pub fn new(globs: &[String], rules: &[String], stages: &[Stage]) -> Result<Self, CorpusError> {
        let compile = |glob: &String| case_glob(glob).map_err(|error| CorpusError::Glob(error.to_string()));
        let globs = globs.iter().map(compile).collect::<Result<_, _>>()?;
        Ok(CaseSelection { globs, rules: rules.to_vec(), stages: stages.to_vec() })
    }

    /// The first chosen rule that no case has.
    fn unknown_rule(&self, cases: &[Case]) -> Option<&str> {
        let known = |rule: &&String| cases.iter().any(|case| case.rule.as_ref() == Some(*rule));
        self.rules.iter().find(|rule| !known(rule)).map(String::as_str)
    }

    /// Fails where a glob or a rule was chosen that no case has: a slip of the pen would test less, and nobody would know.
    pub(crate) fn check(&self, cases: &[Case]) -> Result<(), CorpusError> {
        if let Some(rule) = self.unknown_rule(cases) {
            return Err(CorpusError::NoSuchRule(rule.to_owned()));
        }
        match self.globs.iter().find(|glob| !cases.iter().any(|case| glob.is_match(&case.id))) {
            Some(glob) => Err(CorpusError::NoSuchCase(glob.glob().glob().to_owned())),
            None => Ok(()),
        }
    }

    /// Whether the choice falls on `case`; never on a retired one.
    #[must_use]
    pub fn takes(&self, case: &Case) -> bool {
        case.status != Status::Retired
            && (self.globs.is_empty() || self.globs.iter().any(|glob| glob.is_match(&case.id)))
            && (self.rules.is_empty() || case.rule.as_ref().is_some_and(|rule| self.rules.contains(rule)))
            && (self.stages.is_empty() || case.stage.is_some_and(|stage| self.stages.contains(&stage)))
    }
}

/// A glob over whole ids, as [`CaseSelection`] takes it.
pub fn case_glob(glob: &str) -> Result<GlobMatcher, globset::Error> {
    GlobBuilder::new(glob).literal_separator(true).build().map(|glob| glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

    use super::*;

    fn matches(glob: &str, id: &str) -> bool {
        CaseSelection::new(&[glob.to_owned()], &[], &[]).unwrap().globs[0].is_match(id)
    }

    #[test]
    fn stars_stay_within_a_part_of_the_id() {
        assert!(matches("pte/header/*", "pte/header/length-zero"));
        assert!(!matches("pte/*", "pte/header/length-zero"));
        assert!(matches("pte/**", "pte/header/length-zero"));
        assert!(matches("**/*-zero", "pte/header/length-zero"));
        assert!(matches("p?e/*/{length,size}-zero", "pte/header/length-zero"));
        assert!(!matches("pte?header/length-zero", "pte/header/length-zero"));
        assert!(!matches("pte/header", "pte/header/length-zero"));
    }

    #[test]
    fn what_is_no_glob_is_refused() {
        assert!(CaseSelection::new(&["pte/[".to_owned()], &[], &[]).is_err());
    }
}

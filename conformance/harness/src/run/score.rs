//! **The corpus's mutation score**: the percentage of testable must-rules that it catches.
//!
//! The reference checker runs as a reader with one rule disabled at a time. The rule is caught if a case then fails.

use std::num::NonZero;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use torchproof::check::Target;
use torchproof::corpus::UNTESTED_RULES;
use torchproof::rules::{self, Rule, Strength, Subject};

use crate::corpus::{CaseSelection, Corpus, CorpusError};
use crate::reader::{Address, Launcher};
use crate::run::grade::GradingOptions;
use crate::run::record::{CorpusReport, GivenValues};
use crate::run::{MemoryLimit, NoObserver, Options, RunError, run};

/// The mutation score of a corpus.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MutationScore {
    /// The release and the digest of the corpus.
    pub corpus: CorpusReport,
    /// The results for all must-rules that apply to files, in the catalogue's order.
    pub rules: Vec<DisabledRule>,
    /// The number of caught rules.
    pub caught: usize,
    /// The number of testable rules, which a file can break.
    pub testable: usize,
}

/// The result of disabling one rule.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DisabledRule {
    /// The disabled rule.
    pub rule: &'static str,
    /// The cases that fail while the rule is disabled.
    pub cases: Vec<String>,
    /// The reason why no file in a corpus can break the rule; absent if one can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untestable_reason: Option<&'static str>,
}

impl DisabledRule {
    pub fn is_missed(&self) -> bool {
        self.cases.is_empty() && self.untestable_reason.is_none()
    }
}

/// Disables each must-rule of the reference checker in turn, and runs the checker on the cases of the rule and, only if
/// none of these fails, on the rest of the corpus.
pub fn measure(
    corpus: &Corpus,
    jobs: NonZero<usize>,
    results: &Path,
    launcher: &Launcher,
) -> Result<MutationScore, RunError> {
    let failing = |target: Target, rule: &'static Rule, selection| {
        let options = Options {
            readers: vec![Address::reference(target, rule)],
            selection,
            deliveries: Vec::new(),
            grading: GradingOptions::default(),
            known: None,
            jobs,
            time_scale: 1.0,
            memory: MemoryLimit::Budget,
            start: Duration::from_secs(10),
            results: Some(results.to_owned()),
            launcher: launcher.clone(),
            order: None,
            rerun_failed: None,
            given: GivenValues::new(),
        };
        let failed =
            run(corpus, &options, &NoObserver)?.results.into_iter().filter(|record| record.grade.is_unexpected());
        Ok(failed.map(|record| record.case).collect::<Vec<_>>())
    };
    let caught_by = |rule: &'static Rule| {
        let own = CaseSelection::new(&[], &[rule.id.to_owned()], &[])?;
        // Some files break a rule only on 32-bit hosts.
        for target in [Target::Bits64, Target::Bits32] {
            match failing(target, rule, own.clone()) {
                Err(RunError::Corpus(CorpusError::NoSuchRule(_) | CorpusError::NothingChosen)) => {}
                Ok(cases) if cases.is_empty() => {}
                found => return found,
            }
        }
        failing(Target::Bits64, rule, CaseSelection::default())
    };
    let mut rules = Vec::new();
    for rule in must_rules() {
        let untestable_reason = UNTESTED_RULES.iter().find(|(id, _)| *id == rule.id).map(|(_, why)| *why);
        let cases = if untestable_reason.is_some() { Vec::new() } else { caught_by(rule)? };
        rules.push(DisabledRule { rule: rule.id, cases, untestable_reason });
    }
    let testable = rules.iter().filter(|switched| switched.untestable_reason.is_none()).count();
    let caught = rules.iter().filter(|switched| !switched.cases.is_empty()).count();
    Ok(MutationScore { corpus: CorpusReport::of(corpus.manifest()), rules, caught, testable })
}

fn must_rules() -> impl Iterator<Item = &'static Rule> {
    rules::all().filter(|rule| rule.strength == Strength::Must && rule.subject == Subject::File)
}

impl MutationScore {
    /// Returns a line for each missed or untestable rule, then the percentage.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for switched in &self.rules {
            if switched.is_missed() {
                text += &format!("missed     {}\n", switched.rule);
            }
            if let Some(why) = switched.untestable_reason {
                text += &format!("untestable {}: {why}\n", switched.rule);
            }
        }
        let Self { caught, testable, .. } = self;
        text + &format!("caught {caught} of {testable} must-rules: {:.1} %\n", self.percent())
    }

    pub fn is_complete(&self) -> bool {
        self.caught == self.testable
    }

    #[allow(clippy::cast_precision_loss, reason = "there are some hundred rules")]
    fn percent(&self) -> f64 {
        if self.testable == 0 { 0.0 } else { 100.0 * self.caught as f64 / self.testable as f64 }
    }
}

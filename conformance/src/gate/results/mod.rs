//! **The comparison of two runs**: which results changed, and whether that is due to the reader or the corpus.

mod pairs;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use serde::Serialize;
use torchproof::Stage;
use torchproof_harness::reader::signature::without_numbers;
use torchproof_harness::run::grade::Grade;
use torchproof_harness::run::record::{CorpusReport, OutcomeName, Record, RunReport, area};
use torchproof_harness::text::counted;

use crate::gate::kinds::kinds;
use crate::gate::report::Comparison;
use crate::render::{Level, Region, ReportRow, RowKind, RowPlace};
use crate::report::location::{CheckoutFile, checkout_file};
use crate::settings::ProjectSettings;
use pairs::{ReaderPairs, pairs};

/// The result of comparing two runs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultsComparison {
    /// The base run's corpus.
    pub base: CorpusReport,
    /// The new run's corpus.
    pub new: CorpusReport,
    /// `true` if a reader newly fails a case, or fails a case more severely. Allowed changes and cases whose files
    /// changed do not count.
    pub regressed: bool,
    /// `true` if a run was interrupted, or the new run lacks a reader or (if the corpus is the same) a case of the base run.
    pub incomplete: bool,
    /// The number of results that both runs have.
    pub compared: usize,
    /// Notes about the comparison, such as the readers and cases that only one run has.
    pub notes: Vec<String>,
    /// The changed results, the worst first.
    pub changes: Vec<ResultChange>,
    /// `true` if the comparison is incomplete for a reason that no entry can allow.
    #[serde(skip)]
    unfinished: bool,
    /// Where a SARIF log puts the changes.
    #[serde(skip)]
    file: Option<CheckoutFile>,
}

/// A result that differs between two runs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultChange {
    /// The kind of change.
    pub change: ChangeKind,
    /// What changed: the reader, the files of the case, or the selection of cases.
    pub cause: ChangeCause,
    /// `true` if the failure is more severe than the result in the base run.
    pub more_severe: bool,
    /// The case.
    pub case: String,
    /// The reader in the new run.
    pub reader: String,
    /// The result in the base run, or `null` if there is none.
    pub base: Option<ComparedResult>,
    /// The result in the new run, or `null` if there is none.
    pub new: Option<ComparedResult>,
    /// The reason why the settings allow the change; absent if no entry does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// The case's line in the new run's list of known failures.
    #[serde(skip)]
    listed: Option<usize>,
}

/// What is compared of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedResult {
    /// The grade.
    pub grade: Grade,
    /// The outcome.
    pub outcome: OutcomeName,
    /// The stage.
    pub stage: Option<Stage>,
    /// The reason for the grade.
    pub message: String,
}

kinds! {
    /// The kind of a changed result.
    ChangeKind:
    NewlyFailing "newly-failing" "The reader fails the case, but did not fail it in the base run. Known failures count, too.",
    FailsDifferently "fails-differently" "The reader fails the case differently than in the base run.",
    NotRun "not-run" "The new run has no result, although both runs used the same corpus.",
    NotTested "not-tested" "The case is skipped or ungraded in the new run, but was passed or failed before.",
    OtherGrade "other-grade" "The grade changed in a way that no other kind describes. For example, the reader passes a case that was skipped before, or only the list of known failures changed.",
    OtherOutcome "other-outcome" "The grade is the same, but the outcome or the stage changed.",
    NewlyPassing "newly-passing" "The reader failed the case in the base run, but no longer does.",
}

/// A changed result's cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ChangeCause {
    /// The case's files are the same in both runs or, if the results have no digests of them, the corpora are the same.
    Reader,
    /// The case is new in the corpus, or its files differ.
    Corpus,
    /// One run has no result for the case, although both runs used the same corpus.
    Run,
}

/// Compares readers of the same name. If each run has only one, their names may differ.
pub fn compare(base: &RunReport, new: &RunReport) -> ResultsComparison {
    let ReaderPairs { names: pairs, missing, mut notes } = pairs(base, new);
    for (run, name) in [(base, "base"), (new, "new")] {
        notes.extend(run.interrupted.map(|interrupted| format!("the {name} run is {interrupted}")));
    }
    let mut before: BTreeMap<(&str, &str), &Record> = BTreeMap::new();
    for record in &base.results {
        before.insert((&record.reader, &record.case), record);
    }
    let same_corpus = base.corpus.digest == new.corpus.digest;
    let (mut changes, mut compared, mut new_cases) = (Vec::new(), 0, BTreeSet::new());
    for record in &new.results {
        let Some(old_name) = pairs.get(record.reader.as_str()) else { continue };
        let old = before.remove(&(*old_name, &*record.case));
        if old.is_some() {
            compared += 1;
        } else {
            new_cases.insert(&*record.case);
        }
        changes.extend(change(old, record, same_corpus));
    }
    let new_names: BTreeMap<&str, &str> = pairs.iter().map(|(now, before)| (*before, *now)).collect();
    let mut gone = BTreeSet::new();
    for ((reader, case), old) in before {
        let Some(reader) = new_names.get(reader) else { continue };
        if same_corpus {
            changes.push(not_run(reader, old));
        } else {
            gone.insert(case);
        }
    }
    for (cases, run) in [(gone.len(), "base"), (new_cases.len(), "new")] {
        if cases > 0 {
            notes.push(format!("in the {run} run only: {}", counted(cases, "case")));
        }
    }
    let severity = |change: &ResultChange| change.new.as_ref().map(|result| result.grade.severity());
    changes.sort_by_key(|change| (change.level(), change.change, severity(change)));
    let mut comparison = ResultsComparison {
        base: base.corpus.clone(),
        new: new.corpus.clone(),
        regressed: false,
        incomplete: false,
        compared,
        notes,
        changes,
        unfinished: base.interrupted.is_some() || new.interrupted.is_some() || missing,
        file: None,
    };
    comparison.summarize();
    comparison
}

fn not_run(reader: &str, old: &Record) -> ResultChange {
    ResultChange {
        change: ChangeKind::NotRun,
        cause: ChangeCause::Run,
        more_severe: false,
        case: old.case.clone(),
        reader: reader.to_owned(),
        base: Some(ComparedResult::of(old)),
        new: None,
        allowed: None,
        listed: None,
    }
}

/// The grade that the result would have without the list of known failures.
fn own_grade(record: &Record) -> Grade {
    match (record.grade, &record.listed) {
        (Grade::Known, Some(listed)) => listed.grade,
        (Grade::Fixed, _) => Grade::Pass,
        (grade, _) => grade,
    }
}

fn is_failure(grade: Grade) -> bool {
    grade.is_unexpected() || grade == Grade::Known
}

fn is_tested(grade: Grade) -> bool {
    !matches!(grade, Grade::Skip | Grade::Ungraded)
}

/// `same_corpus` decides for results without digests.
fn change(old: Option<&Record>, new: &Record, same_corpus: bool) -> Option<ResultChange> {
    let (before, now) = (old.map(own_grade), own_grade(new));
    let (failed, fails) = (before.is_some_and(is_failure), is_failure(now));
    let same_files = old.is_some_and(|old| match (&*old.digest, &*new.digest) {
        ("", _) | (_, "") => same_corpus,
        (before, now) => before == now,
    });
    let change = match old {
        _ if fails && !failed => ChangeKind::NewlyFailing,
        None => return None,
        Some(_) if before.is_some_and(is_tested) && !is_tested(now) => ChangeKind::NotTested,
        Some(_) if failed && !fails => ChangeKind::NewlyPassing,
        Some(_) if before != Some(now) && fails => ChangeKind::FailsDifferently,
        Some(old) if old.grade != new.grade => ChangeKind::OtherGrade,
        Some(old) if (old.outcome, old.stage) != (new.outcome, new.stage) => ChangeKind::OtherOutcome,
        Some(_) => return None,
    };
    let cause = match old {
        Some(_) if same_files => ChangeCause::Reader,
        None if same_corpus => ChangeCause::Run,
        _ => ChangeCause::Corpus,
    };
    Some(ResultChange {
        change,
        cause,
        more_severe: before.is_some_and(|before| now.severity() < before.severity()),
        case: new.case.clone(),
        reader: new.reader.clone(),
        base: old.map(ComparedResult::of),
        new: Some(ComparedResult::of(new)),
        allowed: None,
        listed: new.listed.as_ref().map(|listed| listed.line),
    })
}

impl ComparedResult {
    fn of(record: &Record) -> Self {
        let Record { grade, outcome, stage, message, .. } = record;
        Self { grade: *grade, outcome, stage: *stage, message: message.clone() }
    }

    fn reason(&self) -> String {
        without_numbers(&self.described())
    }

    fn described(&self) -> String {
        let stage = self.stage.map(|stage| format!(" at {stage}")).unwrap_or_default();
        let colon = if self.message.is_empty() { "" } else { ": " };
        format!("{} ({}{stage}{colon}{})", self.grade.name(), self.outcome, self.message)
    }
}

impl ResultChange {
    fn level(&self) -> Level {
        match (self.change, self.cause) {
            (ChangeKind::NewlyFailing, ChangeCause::Reader) => Level::Error,
            (ChangeKind::FailsDifferently, ChangeCause::Reader) if self.more_severe => Level::Error,
            (ChangeKind::NewlyPassing, _) => Level::Note,
            _ => Level::Warning,
        }
    }
}

impl ResultsComparison {
    fn summarize(&mut self) {
        let changes = || self.changes.iter().filter(|change| change.allowed.is_none());
        self.regressed = changes().any(|change| change.level() == Level::Error);
        self.incomplete = self.unfinished || changes().any(|change| change.change == ChangeKind::NotRun);
    }

    /// Returns `given`, or the file that the new run's SARIF report names.
    pub(crate) fn locate(&mut self, new: &RunReport, given: Option<&Path>) {
        self.file = checkout_file(new, given);
    }
}

const NAMED: usize = 5;

fn grouped(mut row: ReportRow, changes: &[&ResultChange]) -> ReportRow {
    let [first, _, ..] = changes else { return row };
    row.subject = format!("{} in {}", first.reader, counted(changes.len(), "case"));
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    for change in changes {
        let rule = torchproof::corpus::find(&change.case).map_or_else(|| area(&change.case), |case| case.rule.id);
        *rules.entry(rule).or_default() += 1;
    }
    let mut rules: Vec<_> = rules.into_iter().collect();
    rules.sort_by_key(|(_, count)| Reverse(*count));
    let rules = rules.into_iter().map(|(rule, count)| format!("{count} {rule}"));
    let cases = changes.iter().map(|change| change.case.clone());
    row.details.insert(1, ("rules", named(rules, "rule")));
    row.details.insert(2, ("cases", named(cases, "case")));
    row
}

fn named(mut items: impl ExactSizeIterator<Item = String>, noun: &str) -> String {
    let first: Vec<String> = items.by_ref().take(NAMED).collect();
    let left = match items.len() {
        0 => String::new(),
        left => format!(" and {}", counted(left, &format!("more {noun}"))),
    };
    first.join(", ") + &left
}

impl Comparison for ResultsComparison {
    const TITLE: &'static str = "Comparison of two runs";
    const KINDS: &'static [&'static str] = ChangeKind::IDS;

    fn rows(&self) -> Vec<ReportRow> {
        let row = |change: &ResultChange| ReportRow {
            level: change.level(),
            word: match change.level() {
                Level::Error => "regressed",
                Level::Warning => match change.change {
                    ChangeKind::NotRun => "not run",
                    ChangeKind::NotTested => "not tested",
                    _ => "changed",
                },
                Level::Note => "improved",
            },
            kind: RowKind::Other(change.change.id(), change.change.definition()),
            subject: format!("{} {}", change.reader, change.case),
            message: match (&change.base, change.cause) {
                (Some(base), _) => format!("was {}", base.described()),
                (None, ChangeCause::Run) => "no result in the base run".to_owned(),
                (None, _) => "new case".to_owned(),
            },
            details: vec![
                ("now", change.new.as_ref().map_or("no result".to_owned(), ComparedResult::described)),
                (
                    "cause",
                    match change.cause {
                        ChangeCause::Reader => "the reader; the case's files are the same".to_owned(),
                        ChangeCause::Corpus => "the corpus; the case is new, or its files differ".to_owned(),
                        ChangeCause::Run => "the run; run the same cases of the corpus".to_owned(),
                    },
                ),
                ("next", format!("torchproof explain {}", change.case)),
            ],
            place: self.file.as_ref().map(|file| RowPlace::at(&file.path, Region::Line(file.line(change.listed)))),
            allowed: change.allowed.clone(),
            ..ReportRow::default()
        };
        self.changes.iter().map(row).collect()
    }

    /// Combines changes whose results before and after are the same, apart from numbers in the messages.
    fn short_rows(&self) -> Vec<ReportRow> {
        let mut groups: Vec<(ReportRow, Vec<&ResultChange>)> = Vec::new();
        let mut places = HashMap::new();
        for (row, change) in self.rows().into_iter().zip(&self.changes) {
            let [base, new] = [&change.base, &change.new].map(|result| result.as_ref().map(ComparedResult::reason));
            let key = (row.word, change.change, change.cause, &change.reader, base, new, row.allowed.clone());
            let place = *places.entry(key).or_insert(groups.len());
            match groups.get_mut(place) {
                Some((_, changes)) => changes.push(change),
                None => groups.push((row, vec![change])),
            }
        }
        groups.into_iter().map(|(row, changes)| grouped(row, &changes)).collect()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        if self.base.digest != self.new.digest {
            let [base, new] =
                [&self.base, &self.new].map(|corpus| format!("{} ({:.8})", corpus.version, corpus.digest));
            notes.insert(0, format!("the runs used two corpora: {base} and {new}"));
        }
        notes.push(format!("compared {}", counted(self.compared, "result")));
        notes
    }

    /// An entry's glob must match a case's id.
    fn allow(&mut self, settings: &ProjectSettings) {
        for change in &mut self.changes {
            let reason = settings.allows_case(change.change.id(), &change.case, &change.reader);
            change.allowed = reason.map(str::to_owned);
        }
        self.summarize();
    }
}

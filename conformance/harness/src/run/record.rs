//! **Records of a run**: the data for all report formats.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use torchproof::Stage;
use torchproof_protocol::Delivery;

use super::case_facts::CaseFacts;
use crate::corpus::Manifest;
use crate::reader::Sandbox;
use crate::reader::crash::Severity;
use crate::reader::outcome::{Outcome, Rerun, Termination};
use crate::reader::site::CrashSite;
use crate::run::grade::Grade;
use crate::text::escape::{plain, plain_line};

/// The maximum number of characters kept from the end of stderr in a result.
const STDERR_KEPT: usize = 4096;
/// The maximum number of characters of a message in a result.
pub(crate) const MESSAGE_KEPT: usize = 600;
/// The maximum number of characters in the error of a failed start, which can list environment variables.
pub(crate) const ERROR_KEPT: usize = 4096;
/// The note on a reader that the run did not test.
pub const UNTESTED: &str = "not tested: every case was skipped or ended in an adapter-error";
/// The maximum number of characters of a reader's name in results.
pub(crate) const NAME_KEPT: usize = 40;

/// A run's report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunReport {
    /// The corpus.
    pub corpus: CorpusReport,
    /// The options of the run with their values, if they have any.
    pub options: GivenValues,
    /// The progress of the run, if a signal ended the run early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<Interrupted>,
    /// The readers, in the order in which the user listed them.
    pub readers: Vec<ReaderReport>,
    /// The results, ordered by reader and then by case as in the manifest.
    pub results: Vec<Record>,
    /// The report on the list of known failures, if the run used a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownReport>,
    /// The shell command that repeats the failed cases, if cases failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
}

/// The values of each option on the command line, by its name.
pub type GivenValues = BTreeMap<String, Vec<String>>;

/// The progress of a run that a signal ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interrupted {
    /// The number of results.
    pub done: usize,
    /// The number of results that a complete run has.
    pub planned: usize,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interrupted: {} of {} results", self.done, self.planned)
    }
}

/// A run's corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CorpusReport {
    /// The release.
    pub version: String,
    /// The digest.
    pub digest: String,
}

/// A reader under test in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReaderReport {
    /// The name in results: the unique name, followed by the delivery if the run has several deliveries.
    pub reader: String,
    /// The unique name of the reader, without the delivery.
    pub name: String,
    /// The delivery.
    pub delivery: Delivery,
    /// `true` if the user requested the delivery.
    #[serde(skip)]
    pub requested: bool,
    /// The names by which a list of known failures can refer to the reader.
    #[serde(skip)]
    pub(crate) names: Vec<String>,
    /// The address.
    pub address: String,
    /// The version that the reader reports.
    pub version: String,
    /// The language that the reader reports.
    pub language: String,
    /// The formats that the reader supports.
    pub formats: Vec<String>,
    /// The stages that the reader distinguishes.
    pub stages: Vec<Stage>,
    /// The capabilities that the reader reports.
    pub capabilities: Vec<String>,
    /// The deliveries that the reader supports.
    pub deliveries: Vec<Delivery>,
    /// The sandbox in which the reader ran; absent for a built-in reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Sandbox>,
    /// The error that made the reader unusable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Warnings about the reader that belong to no case, such as protocol violations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The number of results with each grade; empty until the run ends.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub grades: BTreeMap<Grade, usize>,
    /// `true` if the run ended without testing the reader with any delivery.
    #[serde(skip)]
    pub(crate) untested: bool,
}

/// The graded outcome of running one reader on one case.
///
/// All text is printable, because control characters in the reader's output are escaped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Record {
    /// The case's id.
    pub case: String,
    /// The reader's name, as in [`readers`](ReaderReport::reader).
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub reader: String,
    /// The delivery.
    pub delivery: Delivery,
    /// The outcome, before grading.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = OUTCOMES)))]
    #[serde(deserialize_with = "outcome_name")]
    pub outcome: OutcomeName,
    /// The grade.
    pub grade: Grade,
    /// The stage that the reader reached, if known.
    pub stage: Option<Stage>,
    /// The digest of the case's files: for each file, the first 16 digits of its SHA-256.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The time in milliseconds, including reruns.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub ms: f64,
    /// The reason for the grade in one line; empty for a pass without a panic.
    pub message: String,
    /// The estimated severity of a crash, if known.
    #[serde(default, skip_serializing_if = "is_undefined")]
    pub severity: Severity,
    /// Where a termination happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<CrashSite>,
    /// The facts about the case, if the result is unexpected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<CaseFacts>,
    /// The matching entry in the list of known failures, for the grades `known` and `fixed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<Listed>,
    /// `true` if a termination recurred in a new process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<bool>,
    /// The end of stderr, if the outcome is a termination.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

/// An outcome's name. The alias keeps serde from borrowing the name from its input.
pub type OutcomeName = &'static str;

const OUTCOMES: [OutcomeName; 7] =
    ["accept", "reject", "unsupported", "crash", "hang", "out-of-memory", "adapter-error"];

fn outcome_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<OutcomeName, D::Error> {
    let name = String::deserialize(deserializer)?;
    let known = OUTCOMES.into_iter().find(|known| *known == name);
    known.ok_or_else(|| serde::de::Error::custom(format!("found the outcome {name:?}, expected one of {OUTCOMES:?}")))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_undefined(severity: &Severity) -> bool {
    *severity == Severity::Undefined
}

impl RunReport {
    pub fn new(
        corpus: CorpusReport,
        options: GivenValues,
        mut readers: Vec<ReaderReport>,
        results: Vec<Record>,
        known: Option<KnownReport>,
        interrupted: Option<Interrupted>,
    ) -> Self {
        for reader in &mut readers {
            reader.grades = count(results.iter().filter(|record| record.reader == reader.reader));
        }
        let has_results = |reader: &&ReaderReport| {
            reader.grades.keys().any(|grade| !matches!(grade, Grade::Skip | Grade::AdapterError))
        };
        // A reader need not support every delivery, so one tested delivery is enough.
        let tested: BTreeSet<String> = readers.iter().filter(has_results).map(|reader| reader.name.clone()).collect();
        for reader in readers.iter_mut().filter(|reader| interrupted.is_none() && !tested.contains(&reader.name)) {
            reader.untested = true;
            reader.notes.push(UNTESTED.to_owned());
        }
        RunReport { corpus, options, interrupted, readers, results, known, again: None }
    }

    /// Returns whether the run fails: a grade is unexpected, an entry of the known failures is stale, or a reader was
    /// not tested.
    pub fn is_unexpected(&self) -> bool {
        self.results.iter().any(|record| record.grade.is_unexpected())
            || self.known.as_ref().is_some_and(|known| !known.stale.is_empty())
            || self.readers.iter().any(ReaderReport::is_untested)
    }

    pub fn sandbox(&self) -> Option<&Sandbox> {
        self.readers.iter().find_map(|reader| reader.sandbox.as_ref())
    }

    pub fn none_started(&self) -> bool {
        self.readers.iter().all(|reader| reader.error.is_some())
    }
}

/// Returns the area of a case, which is the first two parts of its id.
pub fn area(id: &str) -> &str {
    let end = id.match_indices('/').nth(1).map_or(id.len(), |(at, _)| at);
    &id[..end]
}

pub fn count<'a>(records: impl Iterator<Item = &'a Record>) -> BTreeMap<Grade, usize> {
    let mut grades = BTreeMap::new();
    for record in records {
        *grades.entry(record.grade).or_default() += 1;
    }
    grades
}

impl CorpusReport {
    pub fn of(manifest: &Manifest) -> Self {
        CorpusReport { version: manifest.version.clone(), digest: manifest.digest.clone() }
    }
}

impl ReaderReport {
    /// Returns whether the run ended without testing the reader. Such a run fails.
    pub fn is_untested(&self) -> bool {
        self.untested
    }
}

impl Record {
    pub fn described(&self) -> String {
        let stage = self.stage.map(|stage| format!(" at {stage}")).unwrap_or_default();
        let colon = if self.message.is_empty() { "" } else { ": " };
        format!("{}{stage}{colon}{}", self.outcome, self.message)
    }

    /// Returns the same as [`described`](Self::described), with the entry in the list of known failures.
    pub fn explained(&self) -> String {
        let listed = self.listed.as_ref().map(|listed| format!("; listed as {listed}")).unwrap_or_default();
        self.described() + &listed
    }

    pub(crate) fn new(
        case: &str,
        reader: &str,
        delivery: Delivery,
        outcome: &Outcome,
        (grade, reason): &(Grade, String),
        ms: f64,
    ) -> Self {
        let termination = outcome.termination();
        let stderr = termination.map(|termination| plain(&termination.stderr)).unwrap_or_default();
        let skipped = stderr.chars().count().saturating_sub(STDERR_KEPT);
        Record {
            case: case.to_owned(),
            reader: reader.to_owned(),
            delivery,
            outcome: outcome.name(),
            grade: *grade,
            stage: outcome.stage(),
            ms: (ms * 1e3).round() / 1e3,
            message: plain_line(reason, MESSAGE_KEPT),
            severity: termination.map(Termination::severity).unwrap_or_default(),
            site: CrashSite::of(outcome),
            about: None,
            digest: String::new(),
            listed: None,
            confirmed: termination.and_then(|termination| match termination.rerun {
                Rerun::Untried => None,
                Rerun::Confirmed => Some(true),
                Rerun::Flaky(_) => Some(false),
            }),
            stderr: stderr.chars().skip(skipped).collect(),
        }
    }
}

/// The entry in the list of known failures that matches a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Listed {
    /// The grade that the result would have without the list.
    pub grade: Grade,
    /// The case id or the glob in the entry.
    pub entry: String,
    /// The line number of the entry in the file.
    pub line: usize,
    /// The reason in the entry.
    pub reason: String,
    /// The reference in the entry, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.grade != Grade::Pass {
            write!(f, "{}: ", self.grade)?;
        }
        f.write_str(&self.reason)?;
        self.reference.as_ref().map_or(Ok(()), |reference| write!(f, " ({reference})"))
    }
}

/// The report on a list of known failures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KnownReport {
    /// The list's path.
    pub file: String,
    /// The number of entries.
    pub entries: usize,
    /// The number of entries whose cases or readers were not selected.
    pub not_selected: usize,
    /// The names in entries that match no reader of the run: either misspelled, or the names of readers that were not selected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_readers: Vec<OtherReader>,
    /// The entries that cannot match any result.
    pub stale: Vec<Stale>,
}

/// A reader name in the list of known failures that matches no reader of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OtherReader {
    /// The reader name in the entries.
    pub reader: String,
    /// The number of entries with this reader name.
    pub entries: usize,
    /// The run's most similar reader name, if it is similar enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// For example `2 entries name reader exectorch, which is not in this run; did you mean executorch?`.
impl fmt::Display for OtherReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reader, entries, suggestion } = self;
        let entries = if *entries == 1 { "1 entry names".to_owned() } else { format!("{entries} entries name") };
        write!(f, "{entries} reader {reader}, which is not in this run")?;
        suggestion.as_ref().map_or(Ok(()), |suggestion| write!(f, "; did you mean {suggestion}?"))
    }
}

/// A stale entry of the list of known failures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stale {
    /// The case id or the glob in the entry.
    pub entry: String,
    /// The line number of the entry in the file.
    pub line: usize,
    /// The reason why the entry is stale.
    pub message: String,
}

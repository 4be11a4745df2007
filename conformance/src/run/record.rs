//! **Records of a run**: the data that every report format prints.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use torchproof::Stage;
use torchproof_protocol::Delivery;

use crate::corpus::Manifest;
use crate::reader::Sandbox;
use crate::reader::outcome::{Outcome, Rerun};
use crate::run::grade::Grade;
use crate::text::escape::{plain, plain_line};

/// The number of characters that a result keeps from the end of stderr.
const STDERR_KEPT: usize = 4096;
/// The number of characters that a result keeps of a message.
pub(crate) const MESSAGE_KEPT: usize = 600;
/// The note for a reader without any result about it.
pub(crate) const UNTESTED: &str = "not tested: every case was skipped or ended in an adapter-error";
/// The number of characters that results keep of a reader's name.
pub(crate) const NAME_KEPT: usize = 40;

/// The report of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunReport {
    /// The corpus.
    pub corpus: CorpusReport,
    /// The readers, in the user's order.
    pub readers: Vec<ReaderReport>,
    /// The results: readers in their order, each with its cases in the manifest's order.
    pub results: Vec<Record>,
    /// The report on the list of known failures, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownReport>,
    /// The shell command that repeats the failed cases, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
}

/// The corpus of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CorpusReport {
    /// The release.
    pub version: String,
    /// The digest.
    pub digest: String,
}

/// One reader under test in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReaderReport {
    /// The name in results: the reader's name, made unique, with the delivery if there are several.
    pub reader: String,
    /// The name without the delivery.
    #[serde(skip)]
    pub(crate) name: String,
    /// The delivery.
    pub delivery: Delivery,
    /// Whether the user requested the delivery.
    #[serde(skip)]
    pub(crate) requested: bool,
    /// The names that a list of known failures may use for it.
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
    /// The sandbox of the reader; absent for a built-in reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Sandbox>,
    /// The error that made the reader unusable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Protocol violations outside of any case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The number of results with each grade; empty until the run ends.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub grades: BTreeMap<Grade, usize>,
    /// Whether the run has ended without a result about the reader, for any delivery.
    #[serde(skip)]
    pub(crate) untested: bool,
}

/// The graded result of running one reader on one case.
///
/// All text is printable: control characters of the reader's output are escaped.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Record {
    /// The id of the case.
    pub case: String,
    /// The reader, as in [`ReaderReport::reader`].
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub reader: String,
    /// The delivery.
    pub delivery: Delivery,
    /// The outcome, before grading.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["accept", "reject", "unsupported", "crash", "hang", "out-of-memory", "adapter-error"])))]
    pub outcome: &'static str,
    /// The grade.
    pub grade: Grade,
    /// The stage that the reader reached, if known.
    pub stage: Option<Stage>,
    /// The time in milliseconds, reruns included.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub ms: f64,
    /// A line with details that the other members do not give; empty for a pass.
    pub message: String,
    /// The entry of the list of known failures, for the grades `known` and `fixed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<Listed>,
    /// Whether a termination recurred in a fresh process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<bool>,
    /// The end of stderr, after a termination.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

impl RunReport {
    pub(crate) fn new(
        corpus: CorpusReport,
        mut readers: Vec<ReaderReport>,
        results: Vec<Record>,
        known: Option<KnownReport>,
    ) -> Self {
        for reader in &mut readers {
            reader.grades = count(results.iter().filter(|record| record.reader == reader.reader));
        }
        let has_results = |reader: &&ReaderReport| {
            reader.grades.keys().any(|grade| !matches!(grade, Grade::Skip | Grade::AdapterError))
        };
        // A result with one delivery suffices: a reader need not support other deliveries.
        let tested: BTreeSet<String> = readers.iter().filter(has_results).map(|reader| reader.name.clone()).collect();
        for reader in readers.iter_mut().filter(|reader| !tested.contains(&reader.name)) {
            reader.untested = true;
            reader.notes.push(UNTESTED.to_owned());
        }
        RunReport { corpus, readers, results, known, again: None }
    }

    /// Returns whether the run fails.
    ///
    /// It fails on an unexpected grade, a stale entry of the known failures, or a reader without any result about it.
    #[must_use]
    pub fn is_unexpected(&self) -> bool {
        self.results.iter().any(|record| record.grade.is_unexpected())
            || self.known.as_ref().is_some_and(|known| !known.stale.is_empty())
            || self.readers.iter().any(ReaderReport::is_untested)
    }

    /// Returns a warning about missing sandbox restrictions, if any.
    pub(crate) fn sandbox_warning(&self) -> Option<String> {
        self.readers.iter().filter_map(|reader| reader.sandbox.as_ref()).find_map(Sandbox::warning)
    }

    /// Returns whether no reader could be used.
    #[must_use]
    pub fn none_started(&self) -> bool {
        self.readers.iter().all(|reader| reader.error.is_some())
    }
}

/// Returns the first two parts of an id.
pub(crate) fn area(id: &str) -> &str {
    let end = id.match_indices('/').nth(1).map_or(id.len(), |(at, _)| at);
    &id[..end]
}

/// Counts the records of each grade.
pub(crate) fn count<'a>(records: impl Iterator<Item = &'a Record>) -> BTreeMap<Grade, usize> {
    let mut grades = BTreeMap::new();
    for record in records {
        *grades.entry(record.grade).or_default() += 1;
    }
    grades
}

impl CorpusReport {
    pub(crate) fn of(manifest: &Manifest) -> Self {
        CorpusReport { version: manifest.version.clone(), digest: manifest.digest.clone() }
    }
}

impl ReaderReport {
    /// Returns whether the run has ended without a result about the reader; a run without such a result does not count
    /// as passed.
    #[must_use]
    pub fn is_untested(&self) -> bool {
        self.untested
    }
}

impl Record {
    /// Returns the outcome, the stage and the message in one line.
    #[must_use]
    pub fn described(&self) -> String {
        let stage = self.stage.map(|stage| format!(" at {stage}")).unwrap_or_default();
        let colon = if self.message.is_empty() { "" } else { ": " };
        format!("{}{stage}{colon}{}", self.outcome, self.message)
    }

    /// Returns the same line with the entry of the list of known failures.
    #[must_use]
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

/// The entry of the list of known failures that covers a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Listed {
    /// The grade without the list.
    pub grade: Grade,
    /// The id or glob of the entry.
    pub entry: String,
    /// The line of the entry in its file.
    pub line: usize,
    /// The reason of the entry.
    pub reason: String,
    /// The reference of the entry, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

impl fmt::Display for Listed {
    /// Writes the grade, the reason, and the reference in parentheses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.grade != Grade::Pass {
            write!(f, "{}: ", self.grade)?;
        }
        f.write_str(&self.reason)?;
        self.reference.as_ref().map_or(Ok(()), |reference| write!(f, " ({reference})"))
    }
}

/// The report on a list of known failures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KnownReport {
    /// The path of the list.
    pub file: String,
    /// The number of entries.
    pub entries: usize,
    /// The number of entries whose cases or readers were not selected.
    pub not_asked: usize,
    /// The reader names of entries that match no reader of the run: not selected, or misspelled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_readers: Vec<OtherReader>,
    /// The entries that match no result.
    pub stale: Vec<Stale>,
}

/// A reader name in the list that matches no reader of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OtherReader {
    /// The name in the entries.
    pub reader: String,
    /// The number of entries with this name.
    pub entries: usize,
    /// The most similar reader name of the run, if any is similar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
}

/// As in `2 entries name reader exectorch, which is not in this run; did you mean executorch?`.
impl fmt::Display for OtherReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reader, entries, near } = self;
        let entries = if *entries == 1 { "1 entry names".to_owned() } else { format!("{entries} entries name") };
        write!(f, "{entries} reader {reader}, which is not in this run")?;
        near.as_ref().map_or(Ok(()), |near| write!(f, "; did you mean {near}?"))
    }
}

/// An entry of the list that matches no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stale {
    /// The id or glob of the entry.
    pub entry: String,
    /// The line of the entry in its file.
    pub line: usize,
    /// The reason why it is stale.
    pub message: String,
}

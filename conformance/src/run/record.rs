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

/// How much of the end of a dead reader's stderr a result keeps, in characters.
const STDERR_KEPT: usize = 4096;
/// How much of a message a result keeps, in characters.
pub(crate) const MESSAGE_KEPT: usize = 600;
/// Said of a reader none of whose results says anything of it.
pub(crate) const UNTESTED: &str = "not tested: every case was skipped or ended in an adapter-error";
/// How much of a name that a reader gives itself, in characters.
pub(crate) const NAME_KEPT: usize = 40;

/// All that came of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunReport {
    /// What was run.
    pub corpus: CorpusReport,
    /// Who ran it, in the user's order.
    pub readers: Vec<ReaderReport>,
    /// Every case with every reader: readers in their order, each with the cases in the manifest's.
    pub results: Vec<Record>,
    /// What became of the list of known failures, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownReport>,
    /// What to say to a shell to run again what failed, if anything did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
}

/// The corpus of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CorpusReport {
    /// Its release.
    pub version: String,
    /// Its digest.
    pub digest: String,
}

/// One reader of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReaderReport {
    /// What results call it: its own name, numbered if two have the same, with the delivery where there are several.
    pub reader: String,
    /// The same without the delivery.
    #[serde(skip)]
    pub(crate) name: String,
    /// How it got the files.
    pub delivery: Delivery,
    /// Whether the user asked for that.
    #[serde(skip)]
    pub(crate) asked: bool,
    /// What else a list of known failures may call it.
    #[serde(skip)]
    pub(crate) names: Vec<String>,
    /// Where it was reached.
    pub address: String,
    /// What it says of its version.
    pub version: String,
    /// What it says of its language.
    pub language: String,
    /// The formats it says it reads.
    pub formats: Vec<String>,
    /// The stages that it can tell apart.
    pub stages: Vec<Stage>,
    /// What else it says it can do.
    pub capabilities: Vec<String>,
    /// The ways in which it says it can be given files.
    pub deliveries: Vec<Delivery>,
    /// What keeps it from doing harm; absent for one that is a part of this program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Sandbox>,
    /// Why it could not be used at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Its faults outside of any case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How many results have each grade; empty until the run is over.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub grades: BTreeMap<Grade, usize>,
    /// Whether the run is over and none of the results, by any delivery, says anything of the reader.
    #[serde(skip)]
    pub(crate) untested: bool,
}

/// What one reader did with one case, and what that is worth.
///
/// All text is safe to print: whatever a reader could use to speak to a terminal is escaped.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Record {
    /// The case's id.
    pub case: String,
    /// The reader, as in [`ReaderReport::reader`].
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub reader: String,
    /// How it got the files.
    pub delivery: Delivery,
    /// [`Outcome::name`].
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["accept", "reject", "unsupported", "crash", "hang", "out-of-memory", "adapter-error"])))]
    pub outcome: &'static str,
    /// What it is worth.
    pub grade: Grade,
    /// How far the reader got, as far as is known.
    pub stage: Option<Stage>,
    /// How long it took, re-runs included.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub ms: f64,
    /// One line on what the other members do not tell; empty for a pass.
    pub message: String,
    /// Of a grade that is `known` or `fixed`: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<Listed>,
    /// Whether a death happened again in a fresh process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<bool>,
    /// The end of what a dead reader wrote to stderr.
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
        let says = |reader: &&ReaderReport| {
            reader.grades.keys().any(|grade| !matches!(grade, Grade::Skip | Grade::AdapterError))
        };
        // By one delivery is enough: not to take files by another is no fault.
        let tested: BTreeSet<String> = readers.iter().filter(says).map(|reader| reader.name.clone()).collect();
        for reader in readers.iter_mut().filter(|reader| !tested.contains(&reader.name)) {
            reader.untested = true;
            reader.notes.push(UNTESTED.to_owned());
        }
        RunReport { corpus, readers, results, known, again: None }
    }

    /// Whether any result fails the run, an entry of known failures is stale, or a reader has no result that says anything of
    /// it.
    #[must_use]
    pub fn is_unexpected(&self) -> bool {
        self.results.iter().any(|record| record.grade.is_unexpected())
            || self.known.as_ref().is_some_and(|known| !known.stale.is_empty())
            || self.readers.iter().any(ReaderReport::is_untested)
    }

    /// What a user has to know who takes the readers to be sandboxed.
    pub(crate) fn lack_of_sandbox(&self) -> Option<String> {
        self.readers.iter().filter_map(|reader| reader.sandbox.as_ref()).find_map(Sandbox::lack)
    }

    /// Whether none of the readers could be used at all.
    #[must_use]
    pub fn none_started(&self) -> bool {
        self.readers.iter().all(|reader| reader.error.is_some())
    }
}

/// The first two parts of an id.
pub(crate) fn area(id: &str) -> &str {
    let end = id.match_indices('/').nth(1).map_or(id.len(), |(at, _)| at);
    &id[..end]
}

/// How many of the records have each grade.
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
    /// Whether the run is over and none of the results says anything of the reader: a run that proves nothing is no pass.
    #[must_use]
    pub fn is_untested(&self) -> bool {
        self.untested
    }
}

impl Record {
    /// What happened, in one line: the outcome, the stage and the message.
    #[must_use]
    pub fn described(&self) -> String {
        let stage = self.stage.map(|stage| format!(" at {stage}")).unwrap_or_default();
        let colon = if self.message.is_empty() { "" } else { ": " };
        format!("{}{stage}{colon}{}", self.outcome, self.message)
    }

    /// The same, and what the list of known failures says of it.
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

/// Of a result that a list is about: what it would be worth without the list, and why it is on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Listed {
    /// The grade that the result has by itself.
    pub grade: Grade,
    /// The entry's id or glob.
    pub entry: String,
    /// The entry's line in its file.
    pub line: usize,
    /// The entry's reason.
    pub reason: String,
    /// Where there is more about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

impl fmt::Display for Listed {
    /// The grade, the reason, and the reference in parentheses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.grade != Grade::Pass {
            write!(f, "{}: ", self.grade)?;
        }
        f.write_str(&self.reason)?;
        self.reference.as_ref().map_or(Ok(()), |reference| write!(f, " ({reference})"))
    }
}

/// What a run found of a list of known failures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KnownReport {
    /// Its file.
    pub file: String,
    /// How many entries it has.
    pub entries: usize,
    /// How many of them nothing was asked of: their cases or their readers were not chosen.
    pub not_asked: usize,
    /// Whose those entries are that are of no reader of the run: chosen by the user, or by a slip of the pen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_readers: Vec<OtherReader>,
    /// Those that are about nothing.
    pub stale: Vec<Stale>,
}

/// A reader that entries are about, and that no reader of the run is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OtherReader {
    /// As the entries call it.
    pub reader: String,
    /// How many entries do.
    pub entries: usize,
    /// A reader of the run with nearly that name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
}

/// As in `2 entries are of exectorch, and no reader of this run is called that: one is called executorch`.
impl fmt::Display for OtherReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reader, entries, near } = self;
        let entries = if *entries == 1 { "1 entry is".to_owned() } else { format!("{entries} entries are") };
        write!(f, "{entries} of {reader}, and no reader of this run is called that")?;
        near.as_ref().map_or(Ok(()), |near| write!(f, ": one is called {near}"))
    }
}

/// An entry that is about nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stale {
    /// The entry's id or glob.
    pub entry: String,
    /// The entry's line in its file.
    pub line: usize,
    /// Why it is about nothing.
    pub message: String,
}

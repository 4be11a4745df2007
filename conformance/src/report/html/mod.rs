//! **The HTML report**: a self-contained page with a matrix of cases and readers, and details for each cell.
//!
//! The page is readable without JavaScript. Its script only adds filters, keyboard control, and the commands that
//! repeat passing and skipped cases. The content security policy of the page permits only the page's own style and
//! script, and identifies them by their digests.

mod detail;

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::BASE64;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, context};
use serde::Serialize;
use sha2::{Digest, Sha256};
use torchproof::Stage;
use torchproof::corpus::Verdict;

use super::again::word;
use super::words::meaning;
use super::{Again, Complaint};
use crate::corpus::Corpus;
use crate::findings::catalogue;
use crate::run::grade::Grade;
use crate::run::record::{Record, RunReport, UNTESTED, area};
use crate::text::escape::plain_line;
use detail::Detail;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Returns the report as an HTML page.
///
/// For each case, the page shows the outcomes, the rule, the bytes with the defect marked, and the bytes of the
/// control. If every usable reader passes or skips a case, the page shows fewer bytes of the case. Each cell belongs to
/// a case and a reader, and has the command that repeats this case with this reader. The page does not store the
/// commands for passing and skipped cases, to save space; its script builds them.
///
/// # Errors
/// `html` does not fail for a report that [`run`](crate::run::run) returned.
pub fn html(report: &RunReport, corpus: &Corpus, again: &Again) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    // The extension `.html` makes minijinja escape all values.
    environment.add_template("page.html", TEMPLATE)?;
    environment.get_template("page.html")?.render(context! {
        style => STYLE,
        style_digest => digest(STYLE),
        script => SCRIPT,
        script_digest => digest(SCRIPT),
        page => Serde(Page::of(report, corpus, again)),
    })
}

/// Returns the digest of a style or a script for the content security policy.
fn digest(text: &str) -> String {
    BASE64.encode(&Sha256::digest(text))
}

/// The values that the template of the page contains.
#[derive(Serialize)]
struct Page<'a> {
    version: &'a str,
    digest: &'a str,
    unexpected: bool,
    results: usize,
    cases: usize,
    readers: Vec<Column<'a>>,
    /// A pair for each stale entry: the path of the list of known failures, and the message about the entry.
    stale: Vec<(&'a str, String)>,
    /// A pair for each unmatched reader name in the list of known failures: the path of the list, and a note.
    listed: Vec<(&'a str, String)>,
    grades: Vec<Choice<'a>>,
    areas: Vec<Area<'a>>,
    rules: BTreeMap<&'static str, Vec<&'a str>>,
    stages: Vec<&'static str>,
}

/// A reader, which has a column in the matrix.
#[derive(Serialize)]
struct Column<'a> {
    name: &'a str,
    about: String,
    complaint: Option<String>,
    notes: Vec<&'a str>,
    /// The two parts of the command that repeats a case: the part before the id of the case, and the part after it.
    again: [String; 2],
    /// The number of the reader's results with each grade, in the order of [`Page::grades`].
    counts: Vec<usize>,
}

/// A grade that occurs in the results.
#[derive(Serialize)]
struct Choice<'a> {
    name: &'a str,
    tone: Tone,
    meaning: &'a str,
}

/// The colour class of a grade.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Good,
    Bad,
    Quiet,
}

impl Tone {
    fn of(grade: Grade) -> Self {
        match grade {
            Grade::Pass => Tone::Good,
            grade if grade.is_unexpected() => Tone::Bad,
            _ => Tone::Quiet,
        }
    }
}

/// The cases of an area. The area of a case is the first two parts of its id.
#[derive(Serialize)]
struct Area<'a> {
    name: &'a str,
    rows: Vec<Row<'a>>,
}

/// A case, which has a row in the matrix.
#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    /// The id of the case, quoted for the shell; `None` if the id needs no quotes.
    word: Option<String>,
    rule: &'a str,
    stage: &'a str,
    title: &'a str,
    demand: String,
    /// The relation of the case to its rule, as a word: the case `breaks` the rule or is `about` the rule.
    relation: &'static str,
    cells: Vec<Option<Cell<'a>>>,
    detail: Option<Detail>,
}

/// The result of one reader for the case.
#[derive(Serialize)]
struct Cell<'a> {
    reader: &'a str,
    grade: &'static str,
    tone: Tone,
    meaning: &'static str,
    explained: String,
    ms: f64,
    confirmed: Option<bool>,
    stderr: &'a str,
    /// The command that repeats the case with this reader; empty if the page's script builds it.
    command: String,
}

impl<'a> Page<'a> {
    fn of(report: &'a RunReport, corpus: &'a Corpus, again: &Again) -> Self {
        let used = |grade: &Grade| report.readers.iter().any(|reader| reader.grades.contains_key(grade));
        let grades: Vec<Grade> = Grade::ALL.into_iter().filter(used).collect();
        let complaints: Vec<_> = report.complaints().collect();
        let readers = report.readers.iter().map(|reader| {
            let about = [&reader.version, &reader.language].into_iter().filter(|text| !text.is_empty());
            let delivery = format!("delivery: {}", reader.delivery);
            let about = about.cloned().chain([plain_line(&reader.address, usize::MAX), delivery]);
            let about: Vec<String> = about.chain(reader.sandbox.as_ref().map(ToString::to_string)).collect();
            let own = |complaint: &&Complaint<'_>| complaint.of_reader && complaint.subject == reader.reader;
            let complaint = complaints.iter().find(own).map(|complaint| complaint.message.to_string());
            Column {
                name: &reader.reader,
                about: about.join(" · "),
                complaint,
                notes: reader.notes.iter().map(String::as_str).filter(|note| *note != UNTESTED).collect(),
                again: again.around(reader),
                counts: grades.iter().map(|grade| reader.grades.get(grade).copied().unwrap_or_default()).collect(),
            }
        });

        let mut cells: BTreeMap<&str, Vec<Option<&Record>>> = BTreeMap::new();
        for (at, reader) in report.readers.iter().enumerate() {
            for record in report.of(reader) {
                cells.entry(&record.case).or_insert_with(|| vec![None; report.readers.len()])[at] = Some(record);
            }
        }
        let cases = cells.len();
        let mut areas: BTreeMap<&str, Vec<Row<'_>>> = BTreeMap::new();
        for (id, records) in cells {
            areas.entry(area(id)).or_default().push(Row::of(id, &records, report, corpus, again));
        }
        let rows = || areas.values().flatten();
        let named: BTreeSet<&str> = rows().map(|row| row.rule).filter(|rule| !rule.is_empty()).collect();
        // Group the rules by section as in the catalogue, because the list is long.
        let mut rules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for rule in named {
            let title = torchproof::rules::get(rule).and_then(|rule| catalogue::title(rule.section)).unwrap_or("Other");
            rules.entry(title).or_default().push(rule);
        }
        let stages = Stage::ALL.map(Stage::name).into_iter().filter(|stage| rows().any(|row| row.stage == *stage));
        Page {
            version: &report.corpus.version,
            digest: &report.corpus.digest,
            unexpected: report.is_unexpected(),
            results: report.results.len(),
            cases,
            readers: readers.collect(),
            stale: complaints
                .iter()
                .filter(|complaint| !complaint.of_reader)
                .map(|complaint| (complaint.subject, complaint.message.to_string()))
                .collect(),
            listed: report.unmatched_readers().map(|(file, other)| (file, other.to_string())).collect(),
            stages: stages.collect(),
            rules,
            grades: grades
                .into_iter()
                .map(|grade| Choice { name: grade.name(), tone: Tone::of(grade), meaning: meaning(grade) })
                .collect(),
            areas: areas.into_iter().map(|(name, rows)| Area { name, rows }).collect(),
        }
    }
}

impl<'a> Row<'a> {
    fn of(
        id: &'a str,
        records: &[Option<&'a Record>],
        report: &'a RunReport,
        corpus: &'a Corpus,
        again: &Again,
    ) -> Self {
        let case = corpus.case(id);
        // A skipped case is not interesting, because the reader did not run on it.
        let is_interesting = |record: &Record| !matches!(record.grade, Grade::Pass | Grade::Skip);
        let cells = records.iter().zip(&report.readers).map(|(record, reader)| {
            record.map(|record| Cell {
                reader: &record.reader,
                grade: record.grade.name(),
                tone: Tone::of(record.grade),
                meaning: meaning(record.grade),
                explained: record.explained(),
                ms: record.ms,
                confirmed: record.confirmed,
                stderr: &record.stderr,
                command: if is_interesting(record) { again.of(reader, id) } else { String::new() },
            })
        });
        // Ignore unusable readers. They pass no case, so they would make every case interesting.
        let used = records.iter().zip(&report.readers).filter(|(_, reader)| reader.error.is_none());
        let interesting = used.filter_map(|(record, _)| *record).any(is_interesting);
        Row {
            id,
            word: Some(word(id)).filter(|word| word != id),
            rule: case.and_then(|case| case.rule.as_deref()).unwrap_or_default(),
            stage: case.and_then(|case| case.stage).map_or("", Stage::name),
            title: case.map_or("", |case| &case.title),
            demand: case.map(detail::demand).unwrap_or_default(),
            relation: if case.is_some_and(|case| case.verdict == Verdict::Reject) { "breaks" } else { "about" },
            cells: cells.collect(),
            detail: case
                .map(|case| Detail::of(case, corpus, if interesting { detail::ROWS } else { detail::FEW_ROWS })),
        }
    }
}

//! **The HTML report**: a self-contained page with a matrix of cases and readers, and details for each cell.
//!
//! The matrix is readable without JavaScript. The page's script adds filters and keyboard control, and builds a case's
//! details from the data in the page. The content security policy permits only the style and the script with the listed
//! digests.

mod data;
mod detail;

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::BASE64;
use minijinja::context;
use minijinja::value::Serde;
use serde::Serialize;
use sha2::{Digest, Sha256};
use torchproof::Stage;
use torchproof_harness::corpus::Corpus;
use torchproof_harness::run::Complaint;
use torchproof_harness::run::grade::Grade;
use torchproof_harness::run::record::{Record, RunReport, UNTESTED, area};
use torchproof_harness::text::ascii;
use torchproof_harness::text::escape::plain_line;

use super::RerunCommand;
use super::words::{Tone, meaning};
use crate::catalogue;
use crate::render::html::html as page;
use data::PageData;

/// The `web/` folder builds the style and the script.
const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// For each case, the page has the outcomes, the rule, the bytes with the defect marked, and the control's bytes. It
/// has fewer bytes if every usable reader passes or skips the case. Unexpected results come first.
pub(super) fn html(
    report: &RunReport,
    corpus: &Corpus,
    rerun: &RerunCommand,
) -> Result<String, Box<dyn std::error::Error>> {
    let mut cells: BTreeMap<&str, Vec<Option<&Record>>> = BTreeMap::new();
    for (at, reader) in report.readers.iter().enumerate() {
        for record in report.of(reader) {
            cells.entry(&record.case).or_insert_with(|| vec![None; report.readers.len()])[at] = Some(record);
        }
    }
    // A data block ends at the first `</script`, so escape every `<`.
    let mut data = Vec::new();
    ascii::write_line(&mut data, &PageData::of(report, &cells, corpus, rerun))?;
    let data = String::from_utf8(data)?.replace('<', "\\u003c");
    Ok(page(
        TEMPLATE,
        context! {
            style_digest => digest(STYLE),
            style => STYLE,
            script => SCRIPT,
            script_digest => digest(SCRIPT),
            data => data,
            page => Serde(Page::of(report, &cells, corpus)),
        },
    )?)
}

fn digest(text: &str) -> String {
    BASE64.encode(&Sha256::digest(text))
}

#[derive(Serialize)]
struct Page<'a> {
    version: &'a str,
    digest: &'a str,
    unexpected: bool,
    interrupted: String,
    results: usize,
    cases: usize,
    readers: Vec<Column<'a>>,
    stale: Vec<(&'a str, String)>,
    listed: Vec<(&'a str, String)>,
    grades: Vec<Choice<'a>>,
    areas: Vec<Area<'a>>,
    rules: BTreeMap<&'static str, Vec<&'a str>>,
    stages: Vec<&'static str>,
}

#[derive(Serialize)]
struct Column<'a> {
    name: &'a str,
    about: String,
    complaint: Option<String>,
    notes: Vec<&'a str>,
    counts: Vec<usize>,
}

#[derive(Serialize)]
struct Choice<'a> {
    name: &'a str,
    tone: Tone,
    meaning: &'a str,
}

#[derive(Serialize)]
struct Area<'a> {
    name: &'a str,
    rows: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    rule: &'a str,
    stage: &'a str,
    title: &'a str,
    differs: bool,
    cells: Vec<Option<Cell>>,
}

#[derive(Serialize)]
struct Cell {
    grade: &'static str,
    tone: Tone,
}

impl<'a> Page<'a> {
    fn of(report: &'a RunReport, cells: &BTreeMap<&'a str, Vec<Option<&'a Record>>>, corpus: &'a Corpus) -> Self {
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
                counts: grades.iter().map(|grade| reader.grades.get(grade).copied().unwrap_or_default()).collect(),
            }
        });

        let mut areas: BTreeMap<&str, Vec<Row<'_>>> = BTreeMap::new();
        for (id, records) in cells {
            areas.entry(area(id)).or_default().push(Row::of(id, records, corpus));
        }
        let rows = || areas.values().flatten();
        let named: BTreeSet<&str> = rows().map(|row| row.rule).filter(|rule| !rule.is_empty()).collect();
        // The list is long, so group the rules by section, as the catalogue does.
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
            cases: cells.len(),
            interrupted: report.interrupted.map(|it| it.to_string()).unwrap_or_default(),
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
    fn of(id: &'a str, records: &[Option<&'a Record>], corpus: &'a Corpus) -> Self {
        let case = corpus.case(id);
        let used = records.iter().flatten().filter(|record| record.outcome != "unsupported");
        let outcomes: BTreeSet<&str> = used.map(|record| record.outcome).collect();
        let cell = |record: &Record| Cell { grade: record.grade.name(), tone: Tone::of(record.grade) };
        Row {
            id,
            rule: case.and_then(|case| case.rule.as_deref()).unwrap_or_default(),
            stage: case.and_then(|case| case.stage).map_or("", Stage::name),
            title: case.map_or("", |case| &case.title),
            differs: outcomes.len() > 1,
            cells: records.iter().map(|record| record.map(cell)).collect(),
        }
    }
}

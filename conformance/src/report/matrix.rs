//! **The reader matrix** as Markdown and HTML: how many cases each reader passes in each area.

use std::collections::BTreeMap;
use std::error::Error;

use minijinja::context;
use serde::Serialize;
use torchproof_harness::run::grade::Grade;
use torchproof_harness::run::record::{RunReport, area};
use torchproof_harness::text::ascii;

use crate::render::ReportFormat;
use crate::render::html::html;
use crate::render::markdown::{cell, row, table};

/// The results of several runs by reader and area.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ReaderMatrix {
    /// The readers, in the order of the runs.
    pub(crate) readers: Vec<MatrixReader>,
    /// The areas by name.
    pub(crate) areas: Vec<MatrixArea>,
    /// `true` if the runs used several corpora, which can contain different numbers of cases.
    pub(crate) several_corpora: bool,
}

/// A reader of a run.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct MatrixReader {
    /// The column title, such as `reference 0.1.0`. A suffix distinguishes readers with the same name and version.
    pub(crate) title: String,
    /// The name of the reader in the results.
    pub(crate) name: String,
    /// The version that the reader reported.
    pub(crate) version: String,
    /// The release of the corpus.
    pub(crate) corpus: String,
    /// `true` if the run was interrupted, or the reader became unusable.
    pub(crate) incomplete: bool,
    /// The results in all areas together.
    pub(crate) total: MatrixCell,
}

/// An area's results.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct MatrixArea {
    /// The area, for example `pte/header`.
    pub(crate) area: String,
    /// The results of each reader, in the order of the readers.
    pub(crate) cells: Vec<MatrixCell>,
}

/// The results of a reader in an area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct MatrixCell {
    /// The number of passed cases.
    pub(crate) passed: usize,
    /// The number of passed and failed cases, without skipped and ungraded cases.
    pub(crate) graded: usize,
    /// The most severe failure, if a case failed.
    pub(crate) worst: Option<Grade>,
}

impl MatrixCell {
    fn add(&mut self, grade: Grade) {
        let passed = matches!(grade, Grade::Pass | Grade::Fixed);
        if !passed && matches!(grade, Grade::Skip | Grade::Ungraded) {
            return;
        }
        self.graded += 1;
        self.passed += usize::from(passed);
        if !passed && self.worst.is_none_or(|worst| grade.severity() < worst.severity()) {
            self.worst = Some(grade);
        }
    }

    /// Returns the number of cases if all passed, or `-` if no case was graded.
    fn text(self) -> String {
        match self.worst {
            _ if self.graded == 0 => "-".to_owned(),
            None => self.passed.to_string(),
            Some(worst) => format!("{} of {}, {}", self.passed, self.graded, worst.name()),
        }
    }
}

type Renderer = fn(&ReaderMatrix) -> Result<String, Box<dyn Error>>;

impl ReaderMatrix {
    pub(crate) fn of(runs: &[RunReport]) -> Self {
        let columns: usize = runs.iter().map(|run| run.readers.len()).sum();
        let mut readers: Vec<MatrixReader> = Vec::new();
        let mut areas: BTreeMap<&str, Vec<MatrixCell>> = BTreeMap::new();
        for run in runs {
            let first = readers.len();
            let index: BTreeMap<&str, usize> =
                (first..).zip(&run.readers).map(|(at, reader)| (&*reader.reader, at)).collect();
            readers.extend(run.readers.iter().map(|reader| MatrixReader {
                title: String::new(),
                name: reader.reader.clone(),
                version: reader.version.clone(),
                corpus: run.corpus.version.clone(),
                incomplete: run.interrupted.is_some() || reader.error.is_some(),
                total: MatrixCell::default(),
            }));
            for record in &run.results {
                let Some(&column) = index.get(record.reader.as_str()) else { continue };
                let cells = areas.entry(area(&record.case)).or_insert_with(|| vec![MatrixCell::default(); columns]);
                cells[column].add(record.grade);
                readers[column].total.add(record.grade);
            }
        }
        let areas = areas.into_iter().map(|(area, cells)| MatrixArea { area: area.to_owned(), cells }).collect();
        let several_corpora = runs.windows(2).any(|pair| pair[0].corpus.digest != pair[1].corpus.digest);
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for reader in &mut readers {
            let title = reader.title_in(several_corpora);
            let count = seen.entry(title.clone()).or_default();
            *count += 1;
            reader.title = if *count == 1 { title } else { format!("{title} ({count})") };
        }
        Self { readers, areas, several_corpora }
    }

    fn is_incomplete(&self) -> bool {
        self.readers.iter().any(|reader| reader.incomplete)
    }

    pub(crate) fn renderer(format: ReportFormat) -> Option<Renderer> {
        Some(match format {
            ReportFormat::Text | ReportFormat::Markdown => |matrix| Ok(matrix.markdown()),
            ReportFormat::Html => |matrix| Ok(matrix.html()?),
            ReportFormat::Json => |matrix| Ok(ascii::pretty(matrix)?),
            ReportFormat::Junit | ReportFormat::Sarif | ReportFormat::Github | ReportFormat::Gitlab => return None,
        })
    }

    pub(crate) fn markdown(&self) -> String {
        let names = self.readers.iter().map(|reader| format!(">{}", cell(&reader.title)));
        let mut text = table(&["area".to_owned()].into_iter().chain(names).collect::<Vec<_>>());
        let line = |name: String, cells: &mut dyn Iterator<Item = MatrixCell>| {
            row(&[name].into_iter().chain(cells.map(MatrixCell::text)).collect::<Vec<_>>())
        };
        text += &line("**all**".to_owned(), &mut self.readers.iter().map(|reader| reader.total));
        for MatrixArea { area, cells } in &self.areas {
            text += &line(cell(area), &mut cells.iter().copied());
        }
        if self.is_incomplete() {
            text += "\nA run is incomplete, so its numbers can be too small.\n";
        }
        if self.several_corpora {
            text += "\nThe runs used several corpora, so the numbers of cases differ.\n";
        }
        text
    }

    fn html(&self) -> Result<String, minijinja::Error> {
        let view = |cell: MatrixCell| {
            let class = match cell.worst {
                _ if cell.graded == 0 => "none",
                None => "good",
                Some(Grade::Crash | Grade::Hang | Grade::Resource) => "crash",
                Some(_) => "bad",
            };
            context! { text => cell.text(), class }
        };
        let readers: Vec<_> = self
            .readers
            .iter()
            .map(|reader| context! { title => &reader.title, corpus => &reader.corpus, total => view(reader.total) })
            .collect();
        let areas: Vec<_> = self
            .areas
            .iter()
            .map(|row| context! { area => &row.area, cells => row.cells.iter().map(|cell| view(*cell)).collect::<Vec<_>>() })
            .collect();
        let (incomplete, several_corpora) = (self.is_incomplete(), self.several_corpora);
        html(include_str!("matrix.html"), context! { readers, areas, incomplete, several_corpora })
    }
}

impl MatrixReader {
    fn title_in(&self, several_corpora: bool) -> String {
        let version = if self.version.is_empty() { String::new() } else { format!(" {}", self.version) };
        let corpus = if several_corpora { format!(", corpus {}", self.corpus) } else { String::new() };
        let incomplete = if self.incomplete { ", incomplete" } else { "" };
        format!("{}{version}{corpus}{incomplete}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn marks_incomplete_runs_and_escapes_areas() {
        let mut run = json!({
            "corpus": { "version": "1", "digest": "x" },
            "options": {},
            "interrupted": { "done": 1, "planned": 2 },
            "readers": [{
                "reader": "r", "name": "r", "delivery": "buffer", "address": "builtin:reference", "version": "1",
                "language": "rust", "formats": [], "stages": [], "capabilities": [], "deliveries": [],
            }],
            "results": [{
                "case": "a|b/c/d", "reader": "r", "delivery": "buffer", "outcome": "reject", "grade": "pass",
                "stage": "header", "ms": 1.0, "message": "",
            }],
        });
        let matrix = |run| ReaderMatrix::of(&[serde_json::from_value(run).unwrap()]);
        let interrupted = matrix(run.clone());
        run["interrupted"] = json!(null);
        assert!(!matrix(run.clone()).markdown().contains("incomplete"));
        run["readers"][0]["error"] = json!("no handshake");
        for matrix in [interrupted, matrix(run)] {
            let (markdown, html) = (matrix.markdown(), matrix.html().unwrap());
            assert!(markdown.contains("| r 1, incomplete |") && markdown.contains(r"| a\|b/c | 1 |"), "{markdown}");
            for text in [markdown, html] {
                assert!(text.contains("A run is incomplete"), "{text}");
            }
        }
    }
}

//! **The matrix of readers**, as markdown and HTML: the number of passed cases for each reader and area.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use minijinja::{Environment, context};
use serde::Serialize;

use crate::run::grade::Grade;
use crate::run::record::{RunReport, area};
use crate::text::escape::markdown_cell;

/// The results of several runs by reader and area.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReaderMatrix {
    /// The readers, in the order of the runs.
    pub readers: Vec<MatrixReader>,
    /// The areas in the order of their names.
    pub areas: Vec<MatrixArea>,
    /// Whether the runs used several corpora, which can contain different numbers of cases.
    pub several_corpora: bool,
}

/// A reader of a run.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatrixReader {
    /// The column title, such as `reference 0.1.0`. A suffix distinguishes readers with the same name and version.
    pub title: String,
    /// The name of the reader in the results.
    pub name: String,
    /// The version that the reader reported.
    pub version: String,
    /// The release of the corpus.
    pub corpus: String,
    /// Whether the run was interrupted, or the reader became unusable.
    pub incomplete: bool,
    /// The results in all areas together.
    pub total: MatrixCell,
}

/// The results of an area.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatrixArea {
    /// The area, for example `pte/header`.
    pub area: String,
    /// The results of each reader, in the order of the readers.
    pub cells: Vec<MatrixCell>,
}

/// The results of a reader in an area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatrixCell {
    /// The number of passed cases.
    pub passed: usize,
    /// The number of passed and failed cases. Skipped cases and cases without a grade do not count.
    pub graded: usize,
    /// The most severe failure, if a case failed.
    pub worst: Option<Grade>,
}

impl MatrixCell {
    fn add(&mut self, grade: Grade) {
        let passed = matches!(grade, Grade::Pass | Grade::Fixed);
        if !passed && matches!(grade, Grade::Skip | Grade::Info) {
            return;
        }
        self.graded += 1;
        self.passed += usize::from(passed);
        if !passed && self.worst.is_none_or(|worst| grade.severity() < worst.severity()) {
            self.worst = Some(grade);
        }
    }

    /// Returns the cell as text: the number of cases if all passed, `-` if no case was graded.
    fn text(self) -> String {
        match self.worst {
            _ if self.graded == 0 => "-".to_owned(),
            None => self.passed.to_string(),
            Some(worst) => format!("{} of {}, {}", self.passed, self.graded, worst.name()),
        }
    }
}

impl ReaderMatrix {
    /// Returns the matrix of the readers in several runs.
    #[must_use]
    pub fn of(runs: &[RunReport]) -> Self {
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

    /// Returns the matrix as a table in markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let names: Vec<_> = self.readers.iter().map(|reader| markdown_cell(&reader.title)).collect();
        let mut text = format!("| area | {} |\n|---{}|\n", names.join(" | "), "|---:".repeat(names.len()));
        let totals: Vec<_> = self.readers.iter().map(|reader| reader.total.text()).collect();
        let _ = writeln!(text, "| **all** | {} |", totals.join(" | "));
        for MatrixArea { area, cells } in &self.areas {
            let cells: Vec<_> = cells.iter().map(|cell| cell.text()).collect();
            let _ = writeln!(text, "| {} | {} |", markdown_cell(area), cells.join(" | "));
        }
        if self.is_incomplete() {
            text += "\nA run is incomplete, so its numbers of cases can be too small.\n";
        }
        if self.several_corpora {
            text += "\nThe runs used several corpora, so the numbers of cases differ.\n";
        }
        text
    }

    /// Returns the matrix as a page for a browser.
    ///
    /// # Panics
    ///
    /// Panics if the page's template is broken, which a test rules out.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the template is part of this program")]
    pub fn html(&self) -> String {
        let mut environment = Environment::new();
        environment.add_template("matrix.html", include_str!("matrix.html")).expect("the template is valid");
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
        let template = environment.get_template("matrix.html").expect("the template was added");
        let incomplete = self.is_incomplete();
        let several_corpora = self.several_corpora;
        template.render(context! { readers, areas, incomplete, several_corpora }).expect("the values exist")
    }
}

impl MatrixReader {
    fn title_in(&self, several_corpora: bool) -> String {
        let mut title = self.name.clone();
        if !self.version.is_empty() {
            let _ = write!(title, " {}", self.version);
        }
        if several_corpora {
            let _ = write!(title, ", corpus {}", self.corpus);
        }
        if self.incomplete {
            title += ", incomplete";
        }
        title
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
            let (markdown, html) = (matrix.markdown(), matrix.html());
            assert!(markdown.contains("| r 1, incomplete |") && markdown.contains(r"| a\|b/c | 1 |"), "{markdown}");
            for text in [markdown, html] {
                assert!(text.contains("A run is incomplete"), "{text}");
            }
        }
    }
}

//! The result of a comparison as text, JSON, markdown and SARIF.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;

use super::difference::{Difference, DifferenceKind};
use super::{Place, Schema, compare};
use crate::sarif::{self, LogTables};
use crate::text::counted;
use crate::text::escape::plain_name;

/// The result of comparing two schemas.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SchemaComparison {
    /// The path of the old schema.
    pub old: String,
    /// The path of the new schema.
    pub new: String,
    /// Whether a reader of one schema misreads or rejects files of the other.
    pub breaks_readers: bool,
    /// The differences, the worst first.
    pub differences: Vec<PlacedDifference>,
}

/// A difference with its places in the files.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlacedDifference {
    /// The difference.
    #[serde(flatten)]
    pub difference: Difference,
    /// The place in the old schema, or `null` for an addition.
    pub old: Option<Position>,
    /// The place in the new schema, or `null` for a removal.
    pub new: Option<Position>,
}

/// A line in a file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Position {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl std::fmt::Display for Position {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}:{}:{}", plain_name(&self.path), self.line, self.column)
    }
}

impl SchemaComparison {
    /// Compares two schemas.
    #[must_use]
    pub fn new(old: &Schema, new: &Schema) -> Self {
        let path = |schema: &Schema| schema.files.first().map_or(String::new(), |path| name(path));
        let position = |files: &[PathBuf], place: Option<Place>| {
            place.map(|Place { file, line, column }| Position { path: name(&files[file]), line, column })
        };
        let differences: Vec<_> = compare(old, new)
            .into_iter()
            .map(|difference| PlacedDifference {
                old: position(&old.files, difference.old),
                new: position(&new.files, difference.new),
                difference,
            })
            .collect();
        Self {
            old: path(old),
            new: path(new),
            breaks_readers: differences.iter().any(|found| found.difference.breaks.readers()),
            differences,
        }
    }

    /// Returns the number of differences that break readers, that break only source code, and that break nothing.
    #[must_use]
    pub fn counts(&self) -> [usize; 3] {
        let count =
            |class: Class| self.differences.iter().filter(|found| Class::of(&found.difference) == class).count();
        [count(Class::Breaking), count(Class::Source), count(Class::Safe)]
    }

    /// Returns the result for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for found in &self.differences {
            let Difference { kind, subject, change, breaks, why, example, .. } = &found.difference;
            let class = Class::of(&found.difference).word();
            let _ = writeln!(text, "{class}: {subject}: {change} [{}]", kind.id());
            let places =
                found.old.iter().map(|at| format!("old {at}")).chain(found.new.iter().map(|at| format!("new {at}")));
            let _ = writeln!(text, "  at:      {}", places.collect::<Vec<_>>().join(", "));
            let _ = writeln!(text, "  breaks:  {breaks}");
            let _ = writeln!(text, "  why:     {why}");
            let _ = writeln!(text, "  example: {example}\n");
        }
        text + &self.summary() + "\n"
    }

    fn summary(&self) -> String {
        let [breaking, source, safe] = self.counts();
        if self.differences.is_empty() {
            return "no differences".to_owned();
        }
        let all = counted(self.differences.len() as u64, "difference");
        format!("{all}: {breaking} breaking, {source} source only, {safe} safe")
    }

    /// Returns the result for the summary page of a CI site.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("### Schema comparison: {}\n", self.summary());
        if self.differences.is_empty() {
            return text;
        }
        text += "\n| | What changed | Breaks | Why | Example | Line |\n|---|---|---|---|---|---|\n";
        for found in &self.differences {
            let Difference { subject, change, breaks, why, example, .. } = &found.difference;
            let class = Class::of(&found.difference).word();
            let at = found.new.as_ref().or(found.old.as_ref()).map_or(String::new(), Position::to_string);
            let cells = [class, &format!("`{subject}`: {change}"), &breaks.to_string(), why, example, &at];
            let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|").replace('<', "&lt;")).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        text
    }

    /// Writes the result as a SARIF log.
    ///
    /// # Errors
    ///
    /// Fails if the log cannot be written.
    pub fn sarif(&self, out: impl io::Write, exit_code: u8) -> io::Result<()> {
        let tables = RefCell::new(LogTables::default());
        let results = self.differences.iter().map(|found| {
            let Difference { kind, subject, change, breaks, why, example, .. } = &found.difference;
            let index = tables.borrow_mut().rule(kind.id(), || rule(*kind));
            let place = found.new.as_ref().or(found.old.as_ref());
            let location = place.map(|at| {
                let region = json!({ "startLine": at.line, "startColumn": at.column });
                let artifact = json!({ "uri": sarif::uri(Path::new(&at.path)) });
                json!({ "physicalLocation": { "artifactLocation": artifact, "region": region } })
            });
            json!({
                "ruleId": kind.id(),
                "ruleIndex": index,
                "level": Class::of(&found.difference).level(),
                "message": sarif::message(&format!("{subject}: {change}. Breaks: {breaks}. {why}. Example: {example}")),
                "locations": location.into_iter().collect::<Vec<_>>(),
                "partialFingerprints": { "schemaChange/v1": sarif::fingerprint(&[kind.id(), subject, change]) },
            })
        });
        sarif::write(out, results, &tables, || (true, exit_code))
    }
}

fn rule(kind: DifferenceKind) -> serde_json::Value {
    json!({ "id": kind.id(), "shortDescription": sarif::message(kind.definition()) })
}

/// The class of a difference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Breaking,
    Source,
    Safe,
}

impl Class {
    fn of(difference: &Difference) -> Self {
        match (difference.breaks.readers(), difference.breaks.source) {
            (true, _) => Self::Breaking,
            (false, true) => Self::Source,
            (false, false) => Self::Safe,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Breaking => "breaking",
            Self::Source => "source only",
            Self::Safe => "safe",
        }
    }

    const fn level(self) -> &'static str {
        match self {
            Self::Breaking => "error",
            Self::Source => "warning",
            Self::Safe => "note",
        }
    }
}

fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

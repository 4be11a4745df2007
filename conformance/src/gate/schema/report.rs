//! The result of a comparison.

use std::path::{Path, PathBuf};

use serde::Serialize;
use torchproof_harness::disk::io_error::name;
use torchproof_harness::text::escape::plain_name;

use super::difference::{Difference, DifferenceKind};
use super::{Place, Schema, compare};
use crate::gate::report::Comparison;
use crate::render::{Level, Region, ReportRow, RowKind, RowPlace};
use crate::settings::ProjectSettings;

/// The result of comparing two schemas.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SchemaComparison {
    /// The old schema's path.
    pub old: String,
    /// The new schema's path.
    pub new: String,
    /// `true` if a reader of one schema misreads or rejects files of the other. Allowed differences do not count.
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
    /// The reason why the settings allow the difference; absent if no entry does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
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
                allowed: None,
            })
            .collect();
        Self {
            old: path(old),
            new: path(new),
            breaks_readers: differences.iter().any(|found| found.difference.breaks.readers()),
            differences,
        }
    }

    /// Counts the differences that break readers, only source code, or nothing. Allowed differences are left out.
    pub fn counts(&self) -> [usize; 3] {
        let counted = |level| move |found: &&PlacedDifference| found.allowed.is_none() && found.level() == level;
        [Level::Error, Level::Warning, Level::Note].map(|class| self.differences.iter().filter(counted(class)).count())
    }
}

impl Comparison for SchemaComparison {
    const TITLE: &'static str = "Schema comparison";
    const KINDS: &'static [&'static str] = DifferenceKind::IDS;

    fn rows(&self) -> Vec<ReportRow> {
        self.differences.iter().map(|found| found.row(&self.new)).collect()
    }

    /// An entry's glob must match the new file that contains the difference. For a removal, it must match the old file
    /// that contains the removed item, or the new schema's main file.
    fn allow(&mut self, settings: &ProjectSettings) {
        for found in &mut self.differences {
            let Difference { kind, subject, .. } = &found.difference;
            let allows = |path: &str| settings.allows(kind.id(), Path::new(path), subject);
            let reason = match (&found.new, &found.old) {
                (Some(at), _) => allows(&at.path),
                (None, old) => old.as_ref().and_then(|at| allows(&at.path)).or_else(|| allows(&self.new)),
            };
            found.allowed = reason.map(str::to_owned);
        }
        self.breaks_readers = self.counts()[0] > 0;
    }
}

impl PlacedDifference {
    fn level(&self) -> Level {
        match (self.difference.breaks.readers(), self.difference.breaks.source) {
            (true, _) => Level::Error,
            (false, true) => Level::Warning,
            (false, false) => Level::Note,
        }
    }

    fn row(&self, new: &str) -> ReportRow {
        let Difference { kind, subject, change, breaks, why, example, .. } = &self.difference;
        let word = match self.level() {
            Level::Error => "breaking",
            Level::Warning => "source only",
            Level::Note => "safe",
        };
        let old = self.old.iter().map(|at| format!("old {at}"));
        let places: Vec<_> = old.chain(self.new.iter().map(|at| format!("new {at}"))).collect();
        let place = match &self.new {
            Some(at) => RowPlace::at(Path::new(&at.path), Region::Position { line: at.line, column: at.column }),
            // The old schema can be outside the repository, for example if a shell passes it from a tag.
            None => RowPlace::at(Path::new(new), Region::Line(1)),
        };
        ReportRow {
            level: self.level(),
            word,
            kind: RowKind::Other(kind.id(), kind.definition()),
            subject: subject.clone(),
            message: change.clone(),
            details: vec![
                ("at", places.join(", ")),
                ("breaks", breaks.to_string()),
                ("why", why.clone()),
                ("example", example.clone()),
            ],
            place: Some(place),
            allowed: self.allowed.clone(),
            ..ReportRow::default()
        }
    }
}

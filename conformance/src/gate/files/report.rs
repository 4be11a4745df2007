//! The result of comparing files.

use std::path::{Path, PathBuf};

use serde::Serialize;
use torchproof_harness::text::counted;
use torchproof_harness::text::escape::plain_name;

use super::area::Area;
use super::compare::FileDifference;
use crate::gate::report::Comparison;
use crate::render::{Level, Region, ReportRow, RowKind, RowPlace};
use crate::settings::ProjectSettings;

/// The result of comparing two files or two folders.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesComparison {
    /// The path of the old file or folder.
    pub old: String,
    /// The path of the new file or folder.
    pub new: String,
    /// `true` if a reader or an application that uses an old file may refuse or misread the new one. Allowed
    /// differences do not count.
    pub breaking: bool,
    /// The number of files that both sides have and that could be read.
    pub compared: usize,
    /// The files that differ or cannot be compared, sorted by name.
    pub files: Vec<FileComparison>,
}

/// The result of comparing two files.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileComparison {
    /// The path relative to the folder; empty if two files are compared.
    pub name: String,
    /// The reason why the files cannot be compared.
    pub error: Option<String>,
    /// The differences. A file that only one folder has counts as a single difference, in the area `file`.
    pub differences: Vec<FileDifference>,
    /// The number of differences left out of the list. If it is not 0, the list begins with the breaking differences.
    pub omitted: usize,
    /// The kind of the new file, or of the removed file.
    #[serde(skip)]
    path: PathBuf,
}

impl FileComparison {
    pub(super) fn new(name: String, path: PathBuf, found: Result<(Vec<FileDifference>, usize), String>) -> Self {
        let (error, (differences, omitted)) = match found {
            Ok(found) => (None, found),
            Err(error) => (Some(error), (Vec::new(), 0)),
        };
        Self { name, error, differences, omitted, path }
    }

    /// If all listed differences are breaking, an omitted difference may be breaking too.
    fn is_breaking(&self) -> bool {
        let breaks = |found: &FileDifference| found.breaking && found.allowed.is_none();
        self.differences.iter().any(breaks) || self.omitted > 0 && self.differences.iter().all(|found| found.breaking)
    }

    fn rows(&self) -> Vec<ReportRow> {
        let prefix = if self.name.is_empty() { String::new() } else { format!("{}: ", plain_name(&self.name)) };
        let row = |level, kind, subject: &str, message, noticed: &str| ReportRow {
            level,
            word: if level == Level::Error { "breaking" } else { "safe" },
            kind,
            subject: format!("{prefix}{}", plain_name(subject)),
            message,
            details: vec![("reader", noticed.to_owned())],
            place: Some(RowPlace::at(&self.path, Region::Line(1))),
            ..ReportRow::default()
        };
        if let Some(error) = &self.error {
            let kind = RowKind::Other("not-compared", "A model file that could not be read.");
            let noticed = "unknown, because the file could not be read";
            let row = row(Level::Error, kind, "file", plain_name(error), noticed);
            let subject = if self.name.is_empty() { row.subject } else { plain_name(&self.name) };
            return vec![ReportRow { word: "not compared", subject, ..row }];
        }
        let change = |found: &FileDifference| match (&found.old, &found.new) {
            (Some(old), Some(new)) => format!("{} -> {}", plain_name(old), plain_name(new)),
            (None, Some(new)) => format!("added ({})", plain_name(new)),
            (Some(old), None) => format!("removed ({})", plain_name(old)),
            (None, None) => String::new(),
        };
        let rows = self.differences.iter().map(|found| {
            let level = if found.breaking { Level::Error } else { Level::Note };
            let kind = RowKind::Other(found.area.id(), found.area.definition());
            let row = row(level, kind, &found.name, change(found), found.noticed);
            ReportRow { allowed: found.allowed.clone(), ..row }
        });
        rows.collect()
    }
}

impl FilesComparison {
    pub(super) fn new(old: &Path, new: &Path, mut files: Vec<FileComparison>) -> Self {
        let name = |path: &Path| path.to_string_lossy().into_owned();
        let is_compared = |file: &&FileComparison| {
            file.error.is_none() && file.differences.iter().all(|found| found.area != Area::File)
        };
        let compared = files.iter().filter(is_compared).count();
        files.retain(|file| file.error.is_some() || !file.differences.is_empty());
        let mut comparison = Self { old: name(old), new: name(new), breaking: false, compared, files };
        comparison.summarize();
        comparison
    }

    pub fn not_compared(&self) -> usize {
        self.files.iter().filter(|file| file.error.is_some()).count()
    }

    fn summarize(&mut self) {
        self.breaking = self.files.iter().any(FileComparison::is_breaking);
    }
}

impl Comparison for FilesComparison {
    const TITLE: &'static str = "Comparison of model files";
    const KINDS: &'static [&'static str] = Area::IDS;

    fn rows(&self) -> Vec<ReportRow> {
        let mut rows: Vec<_> = self.files.iter().flat_map(FileComparison::rows).collect();
        rows.sort_by_key(|row| row.level);
        rows
    }

    fn allow(&mut self, settings: &ProjectSettings) {
        for FileComparison { differences, path, .. } in &mut self.files {
            for found in differences {
                found.allowed = settings.allows(found.area.id(), path, &found.name).map(str::to_owned);
            }
        }
        self.summarize();
    }

    fn notes(&self) -> Vec<String> {
        let omitted = self.files.iter().filter(|file| file.omitted > 0).map(|file| {
            let name = if file.name.is_empty() { String::new() } else { format!("{}: ", plain_name(&file.name)) };
            format!("{name}{} not listed", counted(file.omitted, "more difference"))
        });
        [format!("compared {}", counted(self.compared, "file"))].into_iter().chain(omitted).collect()
    }
}

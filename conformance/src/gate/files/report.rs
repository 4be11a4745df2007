//! The result of comparing files.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::compare::{FileDifference, differences};
use super::facts::Facts;
use crate::gate::report::{Class, Comparison, GateRow};
use crate::text::escape::plain_name;

/// The result of comparing two files or two folders.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesComparison {
    /// The path of the old file or folder.
    pub old: String,
    /// The path of the new file or folder.
    pub new: String,
    /// Whether a reader or an application that uses an old file may refuse or misread the new file.
    pub breaking: bool,
    /// The files that differ or cannot be compared, in the order of their names.
    pub files: Vec<FileComparison>,
}

/// The result of comparing two files.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileComparison {
    /// The path relative to the folder. Empty if two files are compared.
    pub name: String,
    /// Whether the file was `added` or `removed`, if only one folder contains the file.
    pub only: Option<Only>,
    /// The reason why the files cannot be compared.
    pub error: Option<String>,
    /// The differences.
    pub differences: Vec<FileDifference>,
    #[serde(skip)]
    path: PathBuf,
}

/// The folder that contains the file, if only one folder does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Only {
    /// Only the new folder contains the file.
    Added,
    /// Only the old folder contains the file.
    Removed,
}

impl FileComparison {
    pub(super) fn new(name: String, path: PathBuf, old: Option<&Facts>, new: Option<&Facts>) -> Self {
        let (only, differences) = match (old, new) {
            (Some(old), Some(new)) => (None, differences(old, new)),
            (Some(_), None) => (Some(Only::Removed), Vec::new()),
            _ => (Some(Only::Added), Vec::new()),
        };
        Self { name, only, error: None, differences, path }
    }

    pub(super) fn failed(name: String, path: PathBuf, error: String) -> Self {
        Self { name, only: None, error: Some(error), differences: Vec::new(), path }
    }

    fn breaking(&self) -> bool {
        self.only == Some(Only::Removed) || self.differences.iter().any(|found| found.breaking)
    }

    fn rows(&self) -> Vec<GateRow> {
        let place = Some((self.path.to_string_lossy().into_owned(), None));
        let prefix = if self.name.is_empty() { String::new() } else { format!("{}: ", plain_name(&self.name)) };
        let row = |breaking: bool, id, subject: &str, change: String, noticed: &str| GateRow {
            class: if breaking { Class::Breaking } else { Class::Safe },
            word: if breaking { "breaking" } else { "safe" },
            id,
            definition: "A difference between two versions of a model file.",
            subject: format!("{prefix}{}", plain_name(subject)),
            change,
            details: vec![("reader", noticed.to_owned())],
            place: place.clone(),
        };
        if let Some(error) = &self.error {
            return vec![GateRow {
                word: "not compared",
                id: "not-compared",
                definition: "A model file that could not be read.",
                ..row(true, "file", "file", plain_name(error), "unknown, because the file could not be read")
            }];
        }
        match self.only {
            Some(Only::Added) => {
                return vec![row(false, "file", "file", "added".to_owned(), "no old file has this name")];
            }
            Some(Only::Removed) => {
                return vec![row(true, "file", "file", "removed".to_owned(), "an application does not find the file")];
            }
            None => {}
        }
        let change = |found: &FileDifference| match (&found.old, &found.new) {
            (Some(old), Some(new)) => format!("{} -> {}", plain_name(old), plain_name(new)),
            (None, Some(new)) => format!("added ({})", plain_name(new)),
            (Some(old), None) => format!("removed ({})", plain_name(old)),
            (None, None) => String::new(),
        };
        let rows = self
            .differences
            .iter()
            .map(|found| row(found.breaking, found.area.id(), &found.name, change(found), found.noticed));
        rows.collect()
    }
}

impl FilesComparison {
    pub(super) fn new(old: &Path, new: &Path, mut files: Vec<FileComparison>) -> Self {
        files.retain(|file| file.only.is_some() || file.error.is_some() || !file.differences.is_empty());
        let name = |path: &Path| path.to_string_lossy().into_owned();
        let breaking = files.iter().any(FileComparison::breaking);
        Self { old: name(old), new: name(new), breaking, files }
    }

    /// Returns the number of files that could not be compared.
    #[must_use]
    pub fn not_compared(&self) -> usize {
        self.files.iter().filter(|file| file.error.is_some()).count()
    }
}

impl Comparison for FilesComparison {
    const TITLE: &'static str = "Comparison of model files";

    fn rows(&self) -> Vec<GateRow> {
        let mut rows: Vec<_> = self.files.iter().flat_map(FileComparison::rows).collect();
        rows.sort_by_key(|row| row.class);
        rows
    }
}

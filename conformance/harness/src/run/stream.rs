//! **The result stream**: a file with a JSON line for each result, written at once, so that a crash of the run loses no
//! result.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use crate::disk::open::{lock_output, open_output};
use crate::run::record::{CorpusReport, GivenValues, Interrupted, KnownReport, ReaderReport, Record};
use crate::text::ascii;

/// A file of results that grows during the run: a [`ResultsHead`], the results as in the JSON report but in order of
/// completion, and a [`ResultsEnd`], each on its own line.
#[derive(Debug)]
pub(super) struct ResultStream {
    file: Mutex<File>,
}

/// Returns the default folder for results, in cargo's target folder.
pub fn results_folder() -> PathBuf {
    target_folder().join("torchproof-run")
}

pub fn default_results() -> PathBuf {
    results_folder().join("results.jsonl")
}

/// Returns cargo's target folder, for all output without an explicit path.
pub fn target_folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty());
    target.map_or_else(|| PathBuf::from("target"), PathBuf::from)
}

/// The first line of a results file.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultsHead {
    /// The corpus.
    pub(crate) corpus: CorpusReport,
    /// The options of the run and their values.
    pub(crate) options: GivenValues,
    /// The number of results that a complete run has.
    pub(crate) planned: usize,
    /// The readers.
    pub(crate) readers: Vec<ReaderReport>,
}

/// A results file's last line; absent if the run was killed.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultsEnd {
    /// The readers, with all notes.
    pub(crate) end: Vec<ReaderReport>,
    /// The report on the list of known failures, if the run used a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) known: Option<KnownReport>,
    /// The progress of the run, if a signal ended the run early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) interrupted: Option<Interrupted>,
}

impl ResultStream {
    /// Creates or truncates the file, locks it, and writes its first line.
    pub(super) fn create(path: &Path, head: &ResultsHead) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = open_output(path, false)?;
        // Lock the file before truncating it, so as not to destroy another run's results.
        lock_output(&file)?;
        if file.metadata()?.is_file() {
            file.set_len(0)?;
        }
        let stream = ResultStream { file: Mutex::new(file) };
        stream.line(head)?;
        Ok(stream)
    }

    pub(super) fn add(&self, record: &Record) -> io::Result<()> {
        self.line(record)
    }

    pub(super) fn finish(&self, end: &ResultsEnd) -> io::Result<()> {
        self.line(end)
    }

    fn line(&self, value: &impl Serialize) -> io::Result<()> {
        let mut line = Vec::new();
        ascii::write_line(&mut line, value)?;
        // A buffered line would be lost if this process is killed.
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.write_all(&line)
    }
}

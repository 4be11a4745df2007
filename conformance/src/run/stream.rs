//! **The result stream**: a file with a JSON line for each result. Each line is written immediately, so that a crash of
//! the run loses no result.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::Serialize;

use crate::disk::open::{lock_output, open_output};
use crate::run::record::{CorpusReport, ReaderReport, Record};
use crate::text::ascii;

/// A file of results that grows during the run.
///
/// The first line is `{"corpus":…,"readers":[…]}`. All following lines are results as in the JSON report, in order of
/// completion.
#[derive(Debug)]
pub(super) struct ResultStream {
    file: Mutex<File>,
}

/// Returns the default folder for results, which is in cargo's target folder.
#[must_use]
pub fn results_folder() -> PathBuf {
    target_folder().join("torchproof-run")
}

/// Returns cargo's target folder, which contains all output with a default path.
#[must_use]
pub fn target_folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty());
    target.map_or_else(|| PathBuf::from("target"), PathBuf::from)
}

#[derive(Serialize)]
struct Head<'a> {
    corpus: &'a CorpusReport,
    readers: &'a [ReaderReport],
}

impl ResultStream {
    /// Returns the default path of the results file.
    pub(super) fn default_path() -> PathBuf {
        results_folder().join("results.jsonl")
    }

    /// Creates or truncates the file at `path`, locks it, and writes its first line.
    pub(super) fn create(path: &Path, corpus: &CorpusReport, readers: &[ReaderReport]) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = open_output(path, false)?;
        // Lock the file before truncating it, so that the results of another run stay complete.
        lock_output(&file)?;
        if file.metadata()?.is_file() {
            file.set_len(0)?;
        }
        let stream = ResultStream { file: Mutex::new(file) };
        stream.line(&Head { corpus, readers })?;
        Ok(stream)
    }

    /// Appends a line for a result to the file.
    pub(super) fn add(&self, record: &Record) -> io::Result<()> {
        self.line(record)
    }

    fn line(&self, value: &impl Serialize) -> io::Result<()> {
        let mut line = Vec::new();
        ascii::write_line(&mut line, value)?;
        // Write each line without buffering, so that no line is lost if this process is killed.
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.write_all(&line)
    }
}

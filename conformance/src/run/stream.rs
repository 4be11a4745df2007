//! **Results as they come**: one JSON line each, written through, so that nothing is lost when a reader or the run dies.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::Serialize;

use crate::run::record::{CorpusReport, ReaderReport, Record};

/// A file of results that grows while the run goes on.
///
/// Its first line is `{"corpus":…,"readers":[…]}`, every other a result as in the JSON report, in the order of arrival.
#[derive(Debug)]
pub(super) struct ResultStream {
    file: Mutex<File>,
}

/// Where results go when the user names no place: below cargo's target folder.
#[must_use]
pub fn results_folder() -> PathBuf {
    target_folder().join("torchproof-run")
}

/// Cargo's target folder, below which goes what the user names no place for.
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
    /// Where results go when the user names no place.
    pub(super) fn default_path() -> PathBuf {
        results_folder().join("results.jsonl")
    }

    /// Begins the file anew.
    pub(super) fn create(path: &Path, corpus: &CorpusReport, readers: &[ReaderReport]) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let stream = ResultStream { file: Mutex::new(File::create(path)?) };
        stream.line(&Head { corpus, readers })?;
        Ok(stream)
    }

    /// Adds a result.
    pub(super) fn add(&self, record: &Record) -> io::Result<()> {
        self.line(record)
    }

    fn line(&self, value: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        // One write a line, without a buffer of our own: the system has it even if this process is killed.
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.write_all(&line)
    }
}

//! Loads a schema with its included files.

use std::path::{Path, PathBuf};

use super::error::Place;
use super::error::{SchemaError, SchemaFailure};
use super::model::Schema;
use super::parse::parse;
use super::resolve::resolve;
use crate::disk::io_error::in_words;

/// The largest schema file in bytes. The largest schemas in use have less than 1 MiB.
const MAX_FILE: u64 = 16 << 20;

impl Schema {
    /// Loads the schema at `path`.
    ///
    /// A file is included once. The path of an included file is relative to the including file, or else to a folder of
    /// `include`.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read, cannot be parsed, or uses an unknown name.
    pub fn load(path: &Path, include: &[PathBuf]) -> Result<Self, SchemaFailure> {
        let mut files = vec![path.to_owned()];
        load(&mut files, include).map_err(|error| SchemaFailure::new(&files, error))
    }
}

fn load(files: &mut Vec<PathBuf>, include: &[PathBuf]) -> Result<Schema, SchemaError> {
    let mut sources = Vec::new();
    while sources.len() < files.len() {
        let path = files[sources.len()].clone();
        let source = parse(&read(&path, sources.len())?, sources.len())?;
        for included in &source.includes {
            let beside = path.parent().unwrap_or(Path::new("")).join(&included.value);
            let mut candidates =
                std::iter::once(beside).chain(include.iter().map(|folder| folder.join(&included.value)));
            let found = candidates.find(|path| path.is_file()).ok_or_else(|| {
                let message =
                    format!("found no file {:?}; pass the folder that contains it with --include", included.value);
                included.place.error(message)
            })?;
            // Two spellings of one path are one file.
            let same = |known: &PathBuf| known.canonicalize().ok() == found.canonicalize().ok();
            if !files.iter().any(same) {
                files.push(found);
            }
        }
        sources.push(source);
    }
    let mut schema = resolve(&sources)?;
    schema.files = std::mem::take(files);
    Ok(schema)
}

fn read(path: &Path, file: usize) -> Result<String, SchemaError> {
    // A file that cannot be read has no line.
    let error = |message: String| Place { file, line: 0, column: 0 }.error(message);
    let metadata = std::fs::metadata(path).map_err(|found| error(in_words(&found)))?;
    if !metadata.is_file() {
        return Err(error("found no regular file, expected a schema".to_owned()));
    }
    if metadata.len() > MAX_FILE {
        return Err(error(format!("found {} bytes, expected a schema of at most {MAX_FILE} bytes", metadata.len())));
    }
    let bytes = std::fs::read(path).map_err(|found| error(in_words(&found)))?;
    String::from_utf8(bytes)
        .map_err(|found| error(format!("found invalid UTF-8 at byte {}", found.utf8_error().valid_up_to())))
}

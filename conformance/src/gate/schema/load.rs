//! Loads a schema with its included files.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use torchproof_harness::disk::io_error::read_fault;
use torchproof_harness::disk::named::{OwnFolder, open_resolved};
use torchproof_harness::disk::open::{open_argument, text_up_to};

use super::error::Place;
use super::error::{SchemaError, SchemaFailure};
use super::model::{LocatedItem, Schema};
use super::parse::parse;
use super::resolve::resolve;

/// The limits for a schema with all included files. The largest schemas in use stay below 1 MiB.
const MAX_BYTES: u64 = 4 << 20;
const MAX_FILES: usize = 1000;

impl Schema {
    /// Loads each file once. An included file is searched for next to the including one, then in the folders `include`.
    /// Someone else may have written a schema, so only files below these folders and the folder of `path` are found,
    /// and errors in an included file do not quote it.
    pub fn load(path: &Path, include: &[PathBuf]) -> Result<Self, SchemaFailure> {
        let own = std::iter::once(OwnFolder::of(path)).chain(include.iter().map(|folder| OwnFolder::new(folder)));
        let own = own.filter_map(Result::ok).collect();
        let mut loader = Loader { include, own, files: Vec::new(), known: BTreeSet::new(), left: MAX_BYTES };
        loader.load(path).map_err(|error| SchemaFailure::new(&loader.files, error))
    }
}

struct Loader<'a> {
    include: &'a [PathBuf],
    own: Vec<OwnFolder>,
    files: Vec<PathBuf>,
    /// The canonical paths of loaded files, so that a file with two paths is loaded only once.
    known: BTreeSet<PathBuf>,
    left: u64,
}

impl Loader<'_> {
    fn load(&mut self, path: &Path) -> Result<Schema, SchemaError> {
        self.files.push(path.to_owned());
        // An unreadable file has no line number.
        let place = Place { file: 0, line: 0, column: 0 };
        let text = self.read(open_argument(path)).map_err(|fault| place.error(read_fault(&fault)))?;
        self.known.insert(canonical(path));
        let mut texts = vec![text];
        let mut sources = Vec::new();
        while let Some(text) = texts.get(sources.len()) {
            let source = parse(text, sources.len()).map_err(unquoted)?;
            for included in &source.includes {
                texts.extend(self.include(sources.len(), included)?);
            }
            sources.push(source);
        }
        let mut schema = resolve(&sources).map_err(unquoted)?;
        if schema.types.is_empty() {
            return Err(place.error("found no type; expected a schema with a table, a struct, an enum or a union"));
        }
        schema.files = std::mem::take(&mut self.files);
        Ok(schema)
    }

    /// `None` if the file was added before.
    fn include(&mut self, including: usize, included: &LocatedItem<String>) -> Result<Option<String>, SchemaError> {
        let beside = self.files[including].parent().unwrap_or(Path::new("")).join(&included.value);
        let others = self.include.iter().map(|folder| folder.join(&included.value));
        for path in std::iter::once(beside).chain(others) {
            // A file in any other folder counts as missing, so the error does not reveal whether it exists.
            let Some(resolved) = self.own.iter().find_map(|folder| folder.resolve(&path)) else { continue };
            if self.known.contains(&canonical(&path)) {
                return Ok(None);
            }
            match self.read(resolved.and_then(|path| open_resolved(&path))) {
                Ok(_) if self.files.len() >= MAX_FILES => {
                    return Err(included
                        .place
                        .error(format!("found more than {MAX_FILES} files, expected at most {MAX_FILES}")));
                }
                Ok(text) => {
                    self.known.insert(canonical(&path));
                    self.files.push(path);
                    return Ok(Some(text));
                }
                Err(error) if is_absent(&error) => {}
                Err(error) => {
                    return Err(included.place.error(format!("{:?}: {}", included.value, read_fault(&error))));
                }
            }
        }
        let message = format!(
            "found no file {:?} below the folders of the schema and of --include; pass the folder that contains it with --include",
            included.value
        );
        Err(included.place.error(message))
    }

    fn read(&mut self, file: io::Result<File>) -> io::Result<String> {
        let text = text_up_to(file?, self.left)?;
        self.left -= text.len() as u64;
        Ok(text)
    }
}

/// The schema can include any file, so errors about an included file quote nothing from it.
fn unquoted(error: SchemaError) -> SchemaError {
    match error.place.file {
        0 => error,
        _ => error.place.error("the included file is not a schema; to see the error, compare that file itself"),
    }
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Returns whether the search should continue in the next folder.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory)
}

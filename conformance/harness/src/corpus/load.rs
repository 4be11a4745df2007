//! **A loaded corpus**: its manifest and access to its cases.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::CorpusError;
use super::build::{Tree, build};
use super::folder::MANIFEST;
use crate::corpus::{Case, MANIFEST_VERSION, Manifest};
use crate::disk::io_error::PathError;
use crate::disk::named::OwnFolder;
use crate::disk::open::{MAX_MODEL, bytes_up_to};
use crate::text::escape::{plain, plain_line};
use crate::text::json::{from_json, json_fault};

#[derive(Clone, Debug)]
pub struct Corpus {
    source: Source,
    manifest: Manifest,
    by_id: HashMap<String, usize>,
}

#[derive(Clone, Debug)]
enum Source {
    Folder(PathBuf),
    /// The files in this program, by their path in the manifest.
    BuiltIn(BTreeMap<String, Vec<u8>>),
}

impl Corpus {
    /// Loads the corpus in `folder`. By default, loads the one that [`find`](Self::find) finds, or else the cases in
    /// this program.
    pub fn open(folder: Option<&Path>) -> Result<Self, CorpusError> {
        match folder.map_or_else(Self::find, |folder| Ok(folder.to_owned())) {
            Err(CorpusError::NoCorpus) => Self::built_in(),
            folder => Self::load(&folder?),
        }
    }

    pub fn built_in() -> Result<Self, CorpusError> {
        let Tree { manifest, files } = build()?;
        let by_id = manifest.cases.iter().enumerate().map(|(at, case)| (case.id.clone(), at)).collect();
        Ok(Corpus { source: Source::BuiltIn(files), manifest, by_id })
    }

    /// Returns the nearest `corpus` folder with a manifest, upwards from the current folder, then from this program's folder.
    pub fn find() -> Result<PathBuf, CorpusError> {
        let here = std::env::current_dir().ok();
        let program = std::env::current_exe().ok();
        let above = [here, program].into_iter().flatten();
        let found = above
            .flat_map(|path| path.ancestors().map(|folder| folder.join("corpus")).collect::<Vec<_>>())
            .find(|folder| folder.join(MANIFEST).is_file());
        found.ok_or(CorpusError::NoCorpus)
    }

    /// Reads the manifest in `dir`, which must be consistent and have a supported format version.
    pub fn load(dir: &Path) -> Result<Self, CorpusError> {
        let no_manifest = || CorpusError::NoManifest { path: dir.to_owned() };
        let path = dir.join(MANIFEST);
        fs::read_dir(dir).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => no_manifest(),
            _ => PathError::folder(dir)(error).into(),
        })?;
        let own = OwnFolder::new(dir).and_then(|own| own.open(MANIFEST));
        let bytes = own.and_then(|file| bytes_up_to(file, MAX_MODEL)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => no_manifest(),
            _ => PathError::read(&path)(error).into(),
        })?;
        let dir = std::path::absolute(dir).map_err(PathError::read(dir))?;
        let bad = |message: String| CorpusError::Manifest { path: path.clone(), message };
        let manifest: Manifest =
            from_json(&bytes).map_err(|error| bad(json_fault(&error, "the manifest of a corpus")))?;
        if manifest.manifest != MANIFEST_VERSION {
            let message = format!("found version {}, expected {MANIFEST_VERSION}", manifest.manifest);
            return Err(bad(message));
        }
        let mut by_id = HashMap::new();
        for (at, case) in manifest.cases.iter().enumerate() {
            if by_id.insert(case.id.clone(), at).is_some() {
                return Err(bad(format!("found the case id {} twice, expected unique ids", case.id)));
            }
            let paths = case.files.iter().map(|file| &file.path).chain(&case.expect);
            if let Some(path) = paths.into_iter().find(|path| !is_inside(path)) {
                return Err(bad(format!("{}: found path `{path}`, expected a path inside the corpus", case.id)));
            }
            let texts = [&case.id, &case.title, &case.why].into_iter().chain(&case.rule).chain(&case.control);
            if let Some(text) = texts.chain(case.files.iter().map(|file| &file.path)).find(|text| plain(text) != **text)
            {
                let text = plain_line(text, 80);
                return Err(bad(format!(
                    "found text with control characters or commands, `{text}`, expected plain text"
                )));
            }
            if case.files.is_empty() {
                return Err(bad(format!("{}: found no files, expected at least one", case.id)));
            }
        }
        for case in &manifest.cases {
            if let Some(control) = case.control.as_ref().filter(|id| !by_id.contains_key(*id)) {
                return Err(bad(format!("{}: found unknown control {control}, expected a case id", case.id)));
            }
        }
        Ok(Corpus { source: Source::Folder(dir), manifest, by_id })
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub fn case(&self, id: &str) -> Option<&Case> {
        self.by_id.get(id).map(|at| &self.manifest.cases[*at])
    }

    /// Returns the index of the case's control in the manifest.
    pub(crate) fn control_of(&self, case: &Case) -> Option<usize> {
        self.by_id.get(case.control.as_ref()?).copied()
    }

    /// Returns the folder that the manifest's paths are relative to; `None` for the cases in this program.
    pub fn dir(&self) -> Option<&Path> {
        match &self.source {
            Source::Folder(dir) => Some(dir),
            Source::BuiltIn(_) => None,
        }
    }

    /// Returns the path of a file, for messages.
    pub(crate) fn path_of(&self, path: &str) -> PathBuf {
        self.dir().unwrap_or(Path::new("built-in corpus")).join(path)
    }

    pub fn open_file(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        match &self.source {
            Source::Folder(dir) => Ok(Box::new(OwnFolder::new(dir)?.open(path)?)),
            Source::BuiltIn(files) => Ok(Box::new(files.get(path).ok_or(io::ErrorKind::NotFound)?.as_slice())),
        }
    }

    /// Returns the canonical JSON that a reader must produce, if the case has one.
    pub(crate) fn expect(&self, case: &Case) -> Result<Option<Value>, CorpusError> {
        let Some(expect) = &case.expect else { return Ok(None) };
        let path = self.path_of(expect);
        let mut bytes = Vec::new();
        let read = self.open_file(expect).and_then(|file| file.take(MAX_MODEL).read_to_end(&mut bytes));
        read.map_err(PathError::read(&path))?;
        let value = from_json(&bytes);
        value.map(Some).map_err(|error| CorpusError::Manifest { path, message: json_fault(&error, "canonical JSON") })
    }
}

fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

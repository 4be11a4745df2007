//! Compares a corpus folder with its manifest.

use std::collections::BTreeSet;
use std::path::Path;

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};
use torchproof::corpus::Verdict;
use torchproof::view;

use super::build::{DICTIONARIES, digest, index};
use super::folder::{INDEX, MANIFEST, generated_files, read_if_there};
use super::{Case, CaseFile, Corpus, CorpusError, FileFault, FileProblem, Manifest};
use crate::text::json::from_json;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// The manifest; `None` if it is malformed.
    pub manifest: Option<Manifest>,
    /// The problems, ordered by path; a complete copy has none.
    pub problems: Vec<FileProblem>,
}

/// Checks every file of the corpus in `dir`, which must have a manifest.
///
/// The manifest must be well-formed and sorted, and its digests must match. Each JSON file in `expect` must match the
/// case file that it describes, and the index must match the manifest. A copy may omit dictionaries and handwritten
/// files, but the generated folders must contain nothing else.
pub fn audit(dir: &Path) -> Result<Audit, CorpusError> {
    let mut found = Auditor { dir, problems: BTreeSet::new() };
    let manifest = match Corpus::load(dir) {
        Ok(corpus) => corpus.manifest().clone(),
        Err(CorpusError::Manifest { message, .. }) => {
            found.add(MANIFEST, FileFault::Wrong(message));
            return Ok(Audit { manifest: None, problems: found.problems.into_iter().collect() });
        }
        Err(error) => return Err(error),
    };
    found.manifest(&manifest);
    let mut named: BTreeSet<String> = DICTIONARIES.map(str::to_owned).into();
    for case in &manifest.cases {
        found.case(case)?;
        named.extend(case.files.iter().map(|file| file.path.clone()).chain(case.expect.clone()));
    }
    if let Some(text) = found.expected(INDEX)?.filter(|text| *text != index(&manifest.cases).as_bytes()) {
        let lines = text.split(|byte| *byte == b'\n').count().saturating_sub(1);
        found.add(INDEX, FileFault::Differs(format!("its {lines} lines do not match the manifest")));
    }
    for path in generated_files(dir)?.difference(&named) {
        found.add(path, FileFault::Stray);
    }
    Ok(Audit { manifest: Some(manifest), problems: found.problems.into_iter().collect() })
}

struct Auditor<'a> {
    dir: &'a Path,
    problems: BTreeSet<FileProblem>,
}

impl Auditor<'_> {
    fn add(&mut self, path: &str, fault: FileFault) {
        self.problems.insert(FileProblem { path: path.to_owned(), fault });
    }

    fn manifest(&mut self, manifest: &Manifest) {
        let whole = digest(&manifest.cases);
        if manifest.digest != whole {
            let message = format!("found digest {}, expected {whole} for the listed files", manifest.digest);
            self.add(MANIFEST, FileFault::Wrong(message));
        }
        if let Some(pair) = manifest.cases.windows(2).find(|pair| pair[0].id >= pair[1].id) {
            self.add(
                MANIFEST,
                FileFault::Wrong(format!("found {} before {}, expected ids in order", pair[0].id, pair[1].id)),
            );
        }
        if let Some(case) = manifest.cases.iter().find(|case| case.verdict == Verdict::Reject && case.control.is_none())
        {
            self.add(
                MANIFEST,
                FileFault::Wrong(format!("found no control for {}, expected one for a reject case", case.id)),
            );
        }
    }

    /// Checks the files of a case, and the JSON in `expect` that describes it.
    fn case(&mut self, case: &Case) -> Result<(), CorpusError> {
        let mut own = None;
        for file in case.files.iter().rev() {
            own = self.expected(&file.path)?;
            if let Some(how) = own.as_ref().and_then(|bytes| difference(bytes, file)) {
                self.add(&file.path, FileFault::Differs(how));
                own = None;
            }
        }
        let Some(path) = &case.expect else { return Ok(()) };
        let (Some(text), Some(bytes)) = (self.expected(path)?, own) else { return Ok(()) };
        match from_json::<Value>(&text) {
            Err(error) => self.add(path, FileFault::Wrong(error.to_string())),
            Ok(value) if view::to_value(&bytes).ok().as_ref() != Some(&value) => {
                self.add(path, FileFault::Differs(format!("does not match {}", case.files[0].path)));
            }
            Ok(_) => {}
        }
        Ok(())
    }

    /// Reads a required file, or adds a problem if it is missing.
    fn expected(&mut self, path: &str) -> Result<Option<Vec<u8>>, CorpusError> {
        let bytes = read_if_there(self.dir, path)?;
        if bytes.is_none() {
            self.add(path, FileFault::Missing);
        }
        Ok(bytes)
    }
}

/// Describes how the size or the digest of a file differs from the manifest, if it does.
fn difference(bytes: &[u8], file: &CaseFile) -> Option<String> {
    let (size, found) = (bytes.len() as u64, HEXLOWER.encode(&Sha256::digest(bytes)));
    if size != file.size {
        return Some(format!("found {size} bytes, expected {}", file.size));
    }
    (found != file.sha256).then(|| format!("found sha256 {found}, expected {}", file.sha256))
}

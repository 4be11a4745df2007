//! Holds a corpus folder against its manifest.

use std::collections::BTreeSet;
use std::path::Path;

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};
use torchproof::corpus::Verdict;
use torchproof::view;

use super::read_if_there;
use crate::corpus::build::{DICTIONARIES, digest, index};
use crate::corpus::folder::{INDEX, MANIFEST, generated_files};
use crate::corpus::{Case, CaseFile, Corpus, CorpusError, FileFault, FileProblem, Manifest};

/// What a folder was found to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Audit {
    /// Its manifest, unless that cannot be understood.
    pub manifest: Option<Manifest>,
    /// What is the matter with it, by path; nothing with a good one.
    pub problems: Vec<FileProblem>,
}

/// Looks at every file of the corpus in `dir`.
///
/// The manifest has to be one, with its cases in order, and with the digest of all their files. Each of these files, each
/// expectation and the index have to be there and be what they are said to be: a file by its digest, an expectation by what is
/// in its file. A copy may lack the dictionaries and what is written by hand; the generated folders hold no other file.
///
/// # Errors
///
/// There is no manifest, or a file cannot be read.
pub(crate) fn audit(dir: &Path) -> Result<Audit, CorpusError> {
    let mut found = Found { dir, problems: BTreeSet::new() };
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
        found.add(INDEX, FileFault::Differs(format!("{lines} lines that are not those of the manifest")));
    }
    for path in generated_files(dir)?.difference(&named) {
        found.add(path, FileFault::Stray);
    }
    Ok(Audit { manifest: Some(manifest), problems: found.problems.into_iter().collect() })
}

/// The folder, and what was found in it.
struct Found<'a> {
    dir: &'a Path,
    problems: BTreeSet<FileProblem>,
}

impl Found<'_> {
    fn add(&mut self, path: &str, fault: FileFault) {
        self.problems.insert(FileProblem { path: path.to_owned(), fault });
    }

    /// What the manifest says of itself.
    fn manifest(&mut self, manifest: &Manifest) {
        let whole = digest(&manifest.cases);
        if manifest.digest != whole {
            let message = format!("digest {}, and that of the files that it names is {whole}", manifest.digest);
            self.add(MANIFEST, FileFault::Wrong(message));
        }
        if let Some(pair) = manifest.cases.windows(2).find(|pair| pair[0].id >= pair[1].id) {
            self.add(MANIFEST, FileFault::Wrong(format!("{} stands before {}", pair[0].id, pair[1].id)));
        }
        if let Some(case) = manifest.cases.iter().find(|case| case.verdict == Verdict::Reject && case.control.is_none())
        {
            self.add(MANIFEST, FileFault::Wrong(format!("{} must be rejected and has no control", case.id)));
        }
    }

    /// The files of a case, and what it expects of them.
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
        match serde_json::from_slice::<Value>(&text) {
            Err(error) => self.add(path, FileFault::Wrong(error.to_string())),
            Ok(value) if view::to_value(&bytes).ok().as_ref() != Some(&value) => {
                self.add(path, FileFault::Differs(format!("not what is in {}", case.files[0].path)));
            }
            Ok(_) => {}
        }
        Ok(())
    }

    /// A file that has to be there.
    fn expected(&mut self, path: &str) -> Result<Option<Vec<u8>>, CorpusError> {
        let bytes = read_if_there(&self.dir.join(path))?;
        if bytes.is_none() {
            self.add(path, FileFault::Missing);
        }
        Ok(bytes)
    }
}

/// How the bytes are not those of the file that the manifest describes.
fn difference(bytes: &[u8], file: &CaseFile) -> Option<String> {
    let (size, found) = (bytes.len() as u64, HEXLOWER.encode(&Sha256::digest(bytes)));
    if size != file.size {
        return Some(format!("{size} bytes, and the manifest has {}", file.size));
    }
    (found != file.sha256).then(|| format!("sha256 {found}, and the manifest has {}", file.sha256))
}

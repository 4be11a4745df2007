//! **The corpus build**: all generated files under `corpus/`, created from the cases of [`torchproof::corpus`].
//!
//! | path | content |
//! |---|---|
//! | `manifest.json` | the cases, as a [`Manifest`] |
//! | `index.tsv` | some columns of the manifest |
//! | `CHANGELOG.md` | the changes in each release |
//! | `files/ID.pte`, `files/ID.ptd`, `files/ID.bpte` | the file of a case |
//! | `expect/ID.json` | the canonical JSON of an accepted file, as printed by `torchproof dump` |
//! | `dict/pte.dict`, `dict/ptd.dict`, `dict/bpte.dict` | tokens for fuzzers |
//!
//! The bytes of these files depend only on the code. [`build`] creates them in memory, and a [`Tree`] compares them
//! with a folder or writes them there.

mod dictionary;
mod entry;
mod index;
mod layout;
mod releases;
mod tree;

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use torchproof::corpus;
use torchproof::{FileBytes, view};

use super::folder::{CHANGELOG, INDEX, MANIFEST};
use super::{Case, CorpusError, MANIFEST_VERSION, Manifest};

pub use dictionary::DICTIONARIES;
pub use releases::VERSION;
pub use tree::Tree;
pub(crate) use {index::index, layout::manifest as manifest_text};

/// Builds the corpus in memory; fails if an accepted case cannot be read, or if the changelog omits a new or changed
/// case.
pub fn build() -> Result<Tree, CorpusError> {
    let mut files = BTreeMap::new();
    let mut cases: Vec<Case> = Vec::new();
    for case in corpus::all() {
        let built = case.build();
        let entry = entry::of(case, &built);
        let failed = |message: String| CorpusError::Case { id: case.id, message };
        if let Some(path) = &entry.expect {
            let json = canonical_json(&built.bytes).map_err(|error| failed(format!("cannot be read: {error}")))?;
            files.insert(path.clone(), json);
        }
        releases::expect_named(&entry).map_err(failed)?;
        files.insert(entry.files[0].path.clone(), built.bytes);
        cases.push(entry);
    }
    cases.sort_by(|one, other| one.id.cmp(&other.id));
    files.insert(CHANGELOG.to_owned(), releases::CHANGELOG.as_bytes().to_vec());
    files.extend(DICTIONARIES.map(|path| (path.to_owned(), dictionary::text(path).into_bytes())));

    let manifest = Manifest { manifest: MANIFEST_VERSION, version: VERSION.to_owned(), digest: digest(&cases), cases };
    files.insert(INDEX.to_owned(), index::index(&manifest.cases).into_bytes());
    files.insert(MANIFEST.to_owned(), layout::manifest(&manifest));
    Ok(Tree { manifest, files })
}

/// Returns the JSON of `torchproof dump`, in a compact layout.
fn canonical_json(bytes: &[u8]) -> Result<Vec<u8>, view::ViewError> {
    let file_bytes = FileBytes::whole(bytes);
    let mut file = view::File::open(file_bytes)?;
    file.hash(|span, sink| {
        sink(file_bytes.slice(span, "DataSegment")?);
        Ok::<_, view::ViewError>(())
    })?;
    Ok(layout::compact(&file))
}

/// Returns the corpus digest: the SHA-256 of what `sha256sum` prints for the cases' files in manifest order.
pub(crate) fn digest(cases: &[Case]) -> String {
    let mut digest = Sha256::new();
    for file in cases.iter().flat_map(|case| &case.files) {
        digest.update(format!("{}  {}\n", file.sha256, file.path));
    }
    HEXLOWER.encode(&digest.finalize())
}

//! **Builds the corpus**: everything under `corpus/` that nobody writes by hand, from the case registry.
//!
//! | path | what it is |
//! |---|---|
//! | `manifest.json` | the cases, as in [`torchproof::corpus`] |
//! | `index.tsv` | the same in a few columns |
//! | `CHANGELOG.md` | what changed in each release |
//! | `files/ID.pte`, `files/ID.ptd` | a case's file |
//! | `expect/ID.json` | the canonical JSON of an accepted one, which `torchproof dump` prints too |
//! | `dict/pte.dict`, `dict/ptd.dict`, `dict/bpte.dict` | tokens for fuzzers |
//!
//! The bytes are a pure function of the code: [`build`] makes them in memory, the same on every machine, and [`Tree`]
//! compares them with a folder or writes them there.

mod dictionary;
mod entry;
mod error;
mod index;
mod layout;
mod names;
mod releases;
mod tree;

use std::collections::BTreeMap;
use std::fmt;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use torchproof::cases::{self, DeclaredCase};
use torchproof::corpus::{self, MANIFEST_VERSION, Manifest, Verdict};
use torchproof::{Image, view};

pub use dictionary::DICTIONARIES;
pub use error::BuildError;
pub use names::{CHANGELOG, FOLDERS, INDEX, MANIFEST};
pub use releases::VERSION;
pub use tree::{Tree, TreeChange, TreeDifference};
pub(crate) use {index::index, layout::manifest as manifest_text};

/// The corpus is small enough to be pulled into anybody's repository: what a build may come to, with all that is written by
/// hand, in bytes.
pub const SIZE_LIMIT: u64 = 8 << 20;

/// The manifest alone.
///
/// # Errors
///
/// As [`build`].
pub fn manifest() -> Result<Manifest, BuildError> {
    Ok(build_all()?.0)
}

/// The whole corpus, in memory.
///
/// # Errors
///
/// A case cannot be built, or is not what its verdict says: the message names it.
pub fn build() -> Result<Tree, BuildError> {
    Ok(build_all()?.1)
}

fn build_all() -> Result<(Manifest, Tree), BuildError> {
    let mut files = BTreeMap::new();
    let mut entries = BTreeMap::new();
    for case in cases::all() {
        let built = case.build().map_err(|error| BuildError::Case(error.to_string()))?;
        expect_control(case)?;
        let entry = entry::of(case, &built, companions(case)?);
        if let Some(path) = &entry.expect {
            files.insert(path.clone(), canonical_json(case, &built.bytes)?);
        }
        releases::expect_named(&entry).map_err(|message| BuildError::of(case, &message))?;
        files.insert(entry.files[0].path.clone(), built.bytes);
        if entries.insert(case.id, entry).is_some() {
            return Err(BuildError::of(case, "there are two cases of this id"));
        }
    }
    files.insert(CHANGELOG.to_owned(), releases::CHANGELOG.as_bytes().to_vec());
    files.extend(DICTIONARIES.map(|path| (path.to_owned(), dictionary::text(path).into_bytes())));

    let cases: Vec<corpus::Case> = entries.into_values().collect();
    let manifest = Manifest { manifest: MANIFEST_VERSION, version: VERSION.to_owned(), digest: digest(&cases), cases };
    files.insert(INDEX.to_owned(), index::index(&manifest.cases).into_bytes());
    files
        .insert(MANIFEST.to_owned(), layout::manifest(&manifest).map_err(|error| BuildError::Case(error.to_string()))?);
    Ok((manifest, Tree::new(files)))
}

/// The files that are loaded with the case's own: those of accepted cases, which they stay.
fn companions(case: &DeclaredCase) -> Result<Vec<corpus::CaseFile>, BuildError> {
    let file = |id: &&str| {
        let companion = cases::find(id).filter(|companion| companion.verdict == Verdict::Accept);
        let companion =
            companion.ok_or_else(|| BuildError::of(case, &format!("no accepted case {id} to load with it")))?;
        let built = companion.build().map_err(|error| BuildError::Case(error.to_string()))?;
        Ok(entry::file(companion, &built.bytes))
    };
    case.companions().iter().map(file).collect()
}

/// Fails for a case that must be rejected and has no control that may be accepted: its rejection would show nothing.
fn expect_control(case: &DeclaredCase) -> Result<(), BuildError> {
    let Some(id) = case.base else {
        return match case.verdict {
            Verdict::Reject => Err(BuildError::of(case, "must be rejected and has no control")),
            Verdict::Accept | Verdict::Either => Ok(()),
        };
    };
    let base = cases::find(id).ok_or_else(|| BuildError::of(case, &format!("its base {id} does not exist")))?;
    if base.verdict == Verdict::Reject {
        return Err(BuildError::of(case, &format!("its control {id} must be rejected itself")));
    }
    Ok(())
}

/// The JSON that `torchproof dump` prints of the file, laid out smaller.
fn canonical_json(case: &DeclaredCase, bytes: &[u8]) -> Result<Vec<u8>, BuildError> {
    let unreadable =
        |error: &dyn fmt::Display| BuildError::of(case, &format!("must be accepted and cannot be read: {error}"));
    let image = Image::whole(bytes);
    let mut file = view::File::open(image).map_err(|error| unreadable(&error))?;
    let hashed = file.hash(|span, sink| {
        sink(image.slice(span, "DataSegment")?);
        Ok::<_, view::ViewError>(())
    });
    hashed.map_err(|error| unreadable(&error))?;
    layout::compact(&file).map_err(|error| unreadable(&error))
}

/// The corpus digest: the SHA-256 of what `sha256sum` prints for the cases' files in the manifest's order.
pub(crate) fn digest(cases: &[corpus::Case]) -> String {
    let mut digest = Sha256::new();
    for file in cases.iter().flat_map(|case| &case.files) {
        digest.update(format!("{}  {}\n", file.sha256, file.path));
    }
    HEXLOWER.encode(&digest.finalize())
}

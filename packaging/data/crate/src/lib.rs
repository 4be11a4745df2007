//! The torchproof corpus: valid and broken ExecuTorch `.pte`, `.ptd` and `.bpte` files, each with the verdict that a reader
//! must reach.
//!
//! ```
//! for case in &torchproof_corpus::corpus().cases {
//!     let file = case.files[0].bytes();
//!     assert_eq!(file.len() as u64, case.files[0].size);
//! }
//! ```

use std::sync::OnceLock;

use serde::Deserialize;

mod files;

/// The manifest, as JSON. The type [`Corpus`] has the members that most tests need.
pub const MANIFEST: &str = include_str!("../manifest.json");

/// The JSON schema of the manifest.
pub const MANIFEST_SCHEMA: &str = include_str!("../manifest.schema.json");

/// The rules that the cases test, as JSON, for the schema in `rules.schema.json`.
pub const RULES: &str = include_str!("../rules.json");

/// The cases, ordered by id.
#[derive(Clone, Debug, Deserialize)]
pub struct Corpus {
    pub version: String,
    pub digest: String,
    pub cases: Vec<Case>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    pub id: String,
    pub title: String,
    pub why: String,
    /// The files; the program comes before its data files.
    pub files: Vec<File>,
    pub verdict: Verdict,
    pub rule: Option<String>,
    /// The latest stage at which a reader can safely reject the file.
    pub stage: Option<String>,
    /// The accepted case that differs only in the defect.
    pub control: Option<String>,
    /// What a reader must support for this case.
    #[serde(default)]
    pub needs: Vec<String>,
    /// `active`, `disputed` or `retired`; only active cases count.
    pub status: String,
    /// The path of the JSON with an accepted file's content; see [`bytes`].
    pub expect: Option<String>,
}

/// What a reader must do with the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Accept,
    Reject,
    /// The reader may accept or reject the file, but without a crash or a hang.
    Either,
}

#[derive(Clone, Debug, Deserialize)]
pub struct File {
    /// The file's role: `program`, `data` or `bundled`.
    pub role: String,
    pub path: String,
    pub sha256: String,
    pub size: u64,
}

impl File {
    pub fn bytes(&self) -> &'static [u8] {
        bytes(&self.path).unwrap_or_default()
    }
}

/// Returns the corpus.
pub fn corpus() -> &'static Corpus {
    static CORPUS: OnceLock<Corpus> = OnceLock::new();
    CORPUS.get_or_init(|| serde_json::from_str(MANIFEST).expect("the package has a valid manifest"))
}

/// Returns the content of a path that the manifest names.
pub fn bytes(path: &str) -> Option<&'static [u8]> {
    let at = files::FILES.binary_search_by(|(other, _)| (*other).cmp(path)).ok()?;
    Some(files::FILES[at].1)
}

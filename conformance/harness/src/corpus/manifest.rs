//! **The manifest**: the content of `corpus/manifest.json`.
//!
//! It is generated from the case functions of [`torchproof::corpus`], so do not edit it.

use serde::{Deserialize, Serialize};
use torchproof::Role;
use torchproof::Stage;
use torchproof::corpus::Verdict;
use torchproof::rules::{self, Basis, Strength};

/// The manifest's format version, which increases when a member's meaning changes.
pub const MANIFEST_VERSION: u32 = 1;

/// The manifest of a corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The manifest's format version.
    pub manifest: u32,
    /// The corpus release, as a semantic version.
    pub version: String,
    /// The corpus digest: the SHA-256, in hex, of all files' digests and paths in manifest order.
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = r"^[0-9a-f]{64}$")))]
    pub digest: String,
    /// The cases, ordered by id.
    pub cases: Vec<Case>,
}

/// A case: the required verdict for a file, or for a program together with its data files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The id, `format/area/defect-in-words`. The id never changes and is never reused.
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = r"^[a-z0-9-]+/[a-z0-9-]+/[a-z0-9-]+$")))]
    pub id: String,
    /// The title, in one line, for use in tables.
    pub title: String,
    /// The explanation: what is wrong or unusual in the file, and what a reader must do.
    pub why: String,
    /// The files. The program comes first.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub files: Vec<CaseFile>,
    /// The required verdict.
    pub verdict: Verdict,
    /// The verdict's strength.
    pub strength: Strength,
    /// The rule that a reject case breaks, or that an accept case tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The latest stage at which a reader must reject the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// The bytes of the defect in the first file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<ByteRange>,
    /// The path of the field with the defect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The path of an accepted file's canonical JSON, relative to the corpus folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// The control's id: an accept case that differs only in the defect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// The edits that create the first file from the control's first file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Recipe>,
    /// The resource limits for a reader that runs this case.
    pub budget: Budget,
    /// The sections of documents that contain the rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spec: Vec<SpecRef>,
    /// Public references: CVE, GHSA, issue and pull request ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// The CWE ids of the weakness.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cwe: Vec<String>,
    /// The capabilities that a reader needs for this case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// The host width in bits, if the case applies to only one width: 32 if the file breaks its rule only on 32-bit
    /// hosts; 64 if it is valid, but 32-bit hosts cannot load it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_bits: Option<u32>,
    /// How the case is run and graded.
    pub status: Status,
    /// The corpus version that introduced the case.
    pub since: String,
    /// The changes to the case after `since`, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<String>,
}

impl Case {
    /// Returns the basis of the case's rule, or `None` if this release does not know the rule.
    #[must_use]
    pub fn basis(&self) -> Option<Basis> {
        rules::get(self.rule.as_deref()?).map(|rule| rule.basis)
    }
}

/// A file of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    /// The role: program, data file or bundled program.
    pub role: Role,
    /// The path relative to the corpus folder, with `/` as the separator.
    pub path: String,
    /// The SHA-256, in lower-case hex.
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = r"^[0-9a-f]{64}$")))]
    pub sha256: String,
    /// The size in bytes.
    pub size: u64,
}

/// A range of bytes in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ByteRange {
    /// The offset from the start of the file.
    pub offset: u64,
    /// The number of bytes; 0 marks a position between two bytes.
    pub len: u64,
}

/// The edits that create a case's first file from the first file of another case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The id of the case with the original file.
    pub base: String,
    /// The edits in order. Each edit applies to the result of the previous edit.
    pub edits: Vec<Edit>,
}

/// The resource limits for a reader that runs one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// The wall-clock time in milliseconds.
    pub ms: u64,
    /// The memory in MiB.
    pub memory_mib: u64,
}

/// A section that contains a rule, in a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SpecRef {
    /// The document's name.
    pub doc: String,
    /// The section.
    pub section: String,
}

/// How a case is run and graded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The case is run and graded.
    Active,
    /// The case is run but not graded, because its verdict is disputed.
    Disputed,
    /// The case is not run, and is listed only so that its id is never reused.
    Retired,
}

/// An edit, which replaces the bytes `was` at the offset `at` with the bytes `now`. Their lengths can differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The offset of the replaced bytes in the result of the previous edits.
    pub at: u64,
    /// The replaced bytes, in hex.
    pub was: String,
    /// The new bytes, in hex.
    pub now: String,
}

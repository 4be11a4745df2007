//! **The manifest**: what `corpus/manifest.json` holds.
//!
//! The case functions of [`torchproof::corpus`] are the source of truth; the manifest is built from them and never edited.

use serde::{Deserialize, Serialize};
use torchproof::Stage;
use torchproof::corpus::{Role, Verdict};
use torchproof::rules::Strength;

/// The manifest's own format version; it rises when a field changes its meaning.
pub const MANIFEST_VERSION: u32 = 1;

/// The whole corpus: one entry a case, ordered by id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`MANIFEST_VERSION`] of the writer.
    pub manifest: u32,
    /// The corpus release, semantic versioning.
    pub version: String,
    /// SHA-256, in hex, over every file's digest and name in manifest order: one word for "the same corpus".
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = r"^[0-9a-f]{64}$")))]
    pub digest: String,
    /// The cases, ordered by id.
    pub cases: Vec<Case>,
}

/// One file, or a program with its data files, and what a reader must make of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// `format/area/defect-in-words`: stable for ever, never reused.
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = r"^[a-z0-9-]+/[a-z0-9-]+/[a-z0-9-]+$")))]
    pub id: String,
    /// One line for a table of results.
    pub title: String,
    /// What readers get wrong here, and what that does.
    pub why: String,
    /// The files, the program first.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub files: Vec<CaseFile>,
    /// What a reader must do.
    pub verdict: Verdict,
    /// How strongly.
    pub strength: Strength,
    /// The rule that a rejected case breaks, or that an accepted one exercises.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The latest stage at which a reader may still reject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// Where the defect is, in the first file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<ByteRange>,
    /// The field that holds the defect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The canonical JSON of an accepted file, relative to the corpus folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// Id of the accepted twin that differs only in the defect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// How the bytes come from the control's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Recipe>,
    /// What a reader may spend on it.
    pub budget: Budget,
    /// Where the rule is written down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spec: Vec<SpecRef>,
    /// Public references: CVE, GHSA, pull request ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// CWE ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cwe: Vec<String>,
    /// What a reader must be able to do for the case to apply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// The width of the hosts that the case is about, where that is not every host: 32 where the file breaks its rule there alone,
    /// 64 where a file that is right cannot be taken by a host of 32 bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_bits: Option<u32>,
    /// Whether the case counts.
    pub status: Status,
    /// The corpus version that first had it.
    pub since: String,
    /// What changed in it since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<String>,
}

/// One file of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    /// What it is to the reader.
    pub role: Role,
    /// Relative to the corpus folder, with `/`.
    pub path: String,
    /// Lower-case hex.
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = r"^[0-9a-f]{64}$")))]
    pub sha256: String,
    /// In bytes.
    pub size: u64,
}

/// A range of bytes in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ByteRange {
    /// From the file's first byte.
    pub offset: u64,
    /// In bytes; zero marks a place between two bytes.
    pub len: u64,
}

/// How a case's first file comes from its control's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Id of the case whose bytes are edited.
    pub base: String,
    /// Applied in order, each to the result of the one before.
    pub edits: Vec<Edit>,
}

/// What a reader may spend on one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Wall time in milliseconds.
    pub ms: u64,
    /// Memory in MiB.
    pub rss_mb: u64,
}

/// Where a rule is written down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SpecRef {
    /// The document.
    pub doc: String,
    /// The place in it.
    pub section: String,
}

/// Whether a case counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is graded.
    Active,
    /// It is run, and graded by nobody until the dispute ends.
    Disputed,
    /// It is listed so that its id is never reused; it is not run.
    Retired,
}

/// Replaces the bytes `was` at `at` by `now`; the two may differ in length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// Offset in the file as it is before this edit.
    pub at: u64,
    /// Hex of the bytes replaced.
    pub was: String,
    /// Hex of the bytes put there.
    pub now: String,
}

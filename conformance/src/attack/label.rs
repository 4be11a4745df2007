//! The labels of attacked files: one JSON line for each file of a folder.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use torchproof::Span;

/// The name of the file of labels.
pub(crate) const LABELS: &str = "labels.jsonl";

/// One line of `labels.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line {
    /// The file's name in the folder.
    pub file: String,
    /// The file that was attacked, as it was given.
    pub base: String,
    /// The file that it is loaded together with, where there is one: what is said holds of the attacked one by itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub with: Option<String>,
    /// The attack's family.
    pub family: Cow<'static, str>,
    /// The attack.
    pub attack: Cow<'static, str>,
    /// The rule that the file breaks, if its effect is that.
    pub rule: Option<Cow<'static, str>>,
    /// The field that was attacked; empty for the file as a whole.
    pub path: String,
    /// The bytes that were changed first.
    pub span: Span,
    /// What the attack came to.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["breaks", "preserves", "unknown"])))]
    pub effect: Cow<'static, str>,
    /// The width of the hosts for which the effect is that, where it is not every host.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub target_bits: Option<u32>,
    /// Every attack on the file in turn, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub steps: Vec<Step>,
    /// The seed, from which the file can be made again.
    pub seed: u64,
}

/// One of several attacks on a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// The attack.
    pub attack: Cow<'static, str>,
    /// The field that it attacked; empty for the file as a whole.
    pub path: String,
    /// The bytes that it changed first, at their place in the file.
    pub span: Span,
}

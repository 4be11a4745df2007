//! The labels of attacked files: one JSON line per file of a folder.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use torchproof::Span;

pub(crate) const LABELS: &str = "labels.jsonl";

/// One line of `labels.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line {
    /// The name of the attacked file in the folder.
    pub file: String,
    /// The path of the file before the attack, as passed to the command.
    pub base: String,
    /// The path of the unchanged file, if the attacked file is part of a pair.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub with: Option<String>,
    /// The attack's family.
    pub family: Cow<'static, str>,
    /// The attack's name.
    pub attack: Cow<'static, str>,
    /// The rule that the file breaks; null unless `effect` is `breaks`.
    pub rule: Option<Cow<'static, str>>,
    /// The attacked field's path; empty for the whole file.
    pub path: String,
    /// The first range of changed bytes.
    pub span: Span,
    /// The attack's effect: if `breaks`, the file breaks `rule`; if `preserves`, it breaks no must-rule.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["breaks", "preserves", "unknown"])))]
    pub effect: Cow<'static, str>,
    /// 32 if the attack has an effect only on 32-bit hosts; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub target_bits: Option<u32>,
    /// All attacks on the file, in order, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub steps: Vec<Step>,
    /// The campaign's seed.
    pub seed: u64,
}

/// One of several attacks on a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// The attack's name.
    pub attack: Cow<'static, str>,
    /// The attacked field's path; empty for the whole file.
    pub path: String,
    /// The first range of bytes that this attack changed.
    pub span: Span,
}

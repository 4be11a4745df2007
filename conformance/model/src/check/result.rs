//! The result of a check as JSON: an item of `files` in `check --format json`.

use serde::Serialize;
use torchproof::check::Finding;
use torchproof::prediction::{Requirements, RuntimePrediction};
use torchproof::rules::{Basis, Strength};
use torchproof::{FileKind, Span};

use super::builds::BuildResult;
use super::examined::{AllowedFinding, CheckVerdict};
use super::options::CheckedFile;

/// The result for a file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileResult {
    /// The path argument.
    pub path: String,
    /// The file's kind.
    pub kind: FileKind,
    /// The verdict on the file.
    pub verdict: Verdict,
    /// The paths of the data files with which a program was checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
    /// The findings, in the order in which the check made them.
    pub findings: Vec<FoundRule>,
    /// The reason why the check did not finish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The number of unresolved external tensors and XNNPACK constants; absent if the program itself is rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unresolved: Option<u32>,
    /// A note about the check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The predictions for the releases that `--runtime` names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runtime: Vec<RuntimePrediction>,
    /// How the builds that `--build` names react.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub builds: Vec<BuildResult>,
    /// What a build must have for the prediction `loads` in `runtime`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depends_on: Option<Requirements>,
    /// The number of findings that `findings` omits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<u32>,
    /// The findings that the settings allow. `findings` does not contain them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<AllowedItem>,
}

/// The verdict on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The file breaks no must-rule and, with `--deny-should`, no should-rule.
    Accept,
    /// The file breaks a must-rule (with `--deny-should`, also a should-rule) or, with `--require-data`, lacks data
    /// files.
    Reject,
    /// The check did not finish, but found no reason to reject the file.
    Unexamined,
}

/// A finding.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FoundRule {
    /// The broken rule's id.
    pub rule: &'static str,
    /// The rule's strength.
    pub strength: Strength,
    /// The rule's basis.
    pub basis: Basis,
    /// The path of the program's data file in which the finding is, if it is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub companion: Option<String>,
    /// The field's path; empty for the whole file.
    pub path: String,
    /// The bytes that the finding is about.
    pub span: Span,
    /// The message.
    pub message: String,
}

/// A finding that the settings allow.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AllowedItem {
    /// The finding.
    #[serde(flatten)]
    pub item: FoundRule,
    /// The reason in the settings.
    pub reason: String,
}

impl FileResult {
    /// Converts a result.
    #[must_use]
    pub fn of(file: CheckedFile, deny_should: bool) -> Self {
        let path = file.path.display().to_string();
        let mut examined = match file.examined {
            Ok(examined) => examined,
            Err(error) => {
                let (kind, verdict) = (FileKind::Unknown, Verdict::Unexamined);
                return Self {
                    path,
                    kind,
                    verdict,
                    with: Vec::new(),
                    findings: Vec::new(),
                    error: Some(error),
                    unresolved: None,
                    note: None,
                    runtime: Vec::new(),
                    builds: Vec::new(),
                    depends_on: None,
                    omitted: None,
                    allowed: Vec::new(),
                };
            }
        };
        let verdict = match examined.verdict(deny_should) {
            CheckVerdict::Accept | CheckVerdict::Warn => Verdict::Accept,
            CheckVerdict::Reject => Verdict::Reject,
            CheckVerdict::Unexamined => Verdict::Unexamined,
        };
        let (error, unresolved, note) = (examined.incomplete(), examined.unresolved(), examined.note());
        let kind = examined.report.kind;
        let with = examined.compared().iter().map(|path| path.display().to_string()).collect();
        let omitted = Some(examined.report.omitted()).filter(|more| *more > 0);
        let (builds, depends_on) = (std::mem::take(&mut examined.builds), examined.depends_on.take());
        let (found, allowed) = (std::mem::take(&mut examined.report.findings), std::mem::take(&mut examined.allowed));
        let item = |found: Finding| FoundRule {
            rule: found.rule.id,
            strength: found.rule.strength,
            basis: found.rule.basis,
            companion: examined.companion(&found).map(|path| path.display().to_string()),
            path: found.path,
            span: found.span,
            message: found.message,
        };
        Self {
            path,
            kind,
            verdict,
            with,
            findings: found.into_iter().map(item).collect(),
            error,
            unresolved,
            note,
            runtime: file.runtime,
            builds,
            depends_on,
            omitted,
            allowed: allowed
                .into_iter()
                .map(|AllowedFinding { finding, reason }| AllowedItem { item: item(finding), reason })
                .collect(),
        }
    }
}

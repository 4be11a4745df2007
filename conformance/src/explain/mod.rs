//! **Explanations** of rules, cases, malformed patterns and error codes.

mod case;
mod error;
mod pattern;
mod rule;
mod suggest;

use std::error::Error;
use std::path::Path;

use serde::Serialize;
use torchproof::prediction::RuntimeError;
use torchproof::{corpus, rules};
use torchproof_harness::corpus::build::build;
use torchproof_harness::text::escape::{plain_name, shell_line};

pub(crate) use case::CaseEntry;
pub(crate) use error::ErrorEntry;
pub(crate) use pattern::PatternEntry;
pub(crate) use suggest::ids;

use crate::catalogue;
use crate::page::Page;

/// The output of `explain --format json`, which is `{"explained":[…]}`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ExplainOutput {
    /// The explanations, in the order of the ids on the command line.
    pub(crate) explained: Vec<ExplainedItem>,
}

/// A rule, a case, a malformed pattern or an error code.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExplainedItem {
    /// A rule.
    Rule(catalogue::Entry),
    /// A case.
    Case(Box<CaseEntry>),
    /// A malformed pattern.
    Pattern(PatternEntry),
    /// An error code.
    Error(ErrorEntry),
}

impl ExplainOutput {
    /// Arguments that are not ids name files, for which the error codes are explained.
    pub(crate) fn of(arguments: &[String]) -> Result<Self, Box<dyn Error>> {
        let is_case = |id: &String| corpus::find(id).is_some();
        let is_id = |id: &&String| rules::get(id).is_some() || rules::pattern(id).is_some() || is_case(id);
        // Building the corpus is slow, so check every argument first.
        let (ids, others): (Vec<_>, Vec<_>) =
            arguments.iter().partition(|id| is_id(id) || RuntimeError::find(id).is_some());
        if let Some(unknown_id) = others.iter().find(|path| !Path::new(path).is_file()) {
            return Err(unknown(unknown_id).into());
        }
        let files: Vec<Option<&Path>> = match &others[..] {
            [] => vec![None],
            [path, ..] if ids.iter().all(is_id) => {
                let check = shell_line(["torchproof", "check", path]);
                return Err(
                    format!("{}: found a file without an error code; `{check}` checks it", plain_name(path)).into()
                );
            }
            _ => others.iter().map(|path| Some(Path::new(path))).collect(),
        };
        let built = ids.iter().any(|id| is_case(id)).then(build).transpose()?;
        let mut explained = Vec::new();
        for id in ids {
            match (rules::get(id), rules::pattern(id), RuntimeError::find(id)) {
                (Some(rule), ..) => explained.push(ExplainedItem::Rule(catalogue::Entry::of(rule))),
                (_, Some(pattern), _) => explained.push(ExplainedItem::Pattern(PatternEntry::of(pattern))),
                (.., Some(error)) => {
                    for file in &files {
                        explained.push(ExplainedItem::Error(ErrorEntry::of(error, id, *file)?));
                    }
                }
                _ => {
                    let case = built.as_ref().and_then(|corpus| CaseEntry::find(corpus, id));
                    explained.extend(case.map(|case| ExplainedItem::Case(Box::new(case))));
                }
            }
        }
        Ok(Self { explained })
    }

    /// Unless `all`, a case's byte map shows only the parts near the defect.
    pub(crate) fn text(&self, page: Page, all: bool) -> String {
        let texts = self.explained.iter().map(|subject| match subject {
            ExplainedItem::Rule(rule) => rule::text(rule, page),
            ExplainedItem::Case(case) => case.text(page, all),
            ExplainedItem::Pattern(pattern) => pattern.text(page),
            ExplainedItem::Error(error) => error.text(page),
        });
        texts.collect::<Vec<_>>().join("\n\n")
    }
}

fn unknown(id: &str) -> String {
    if id.starts_with(|first: char| first.is_ascii_digit()) && !id.contains(['/', '.']) {
        if let Some(RuntimeError { code, name, .. }) = RuntimeError::find(&format!("0x{id}")) {
            return format!(
                "{id}: found an unknown error code; did you mean 0x{code:02x} ({name})? Other numbers are decimal"
            );
        }
        let known = RuntimeError::all().iter().map(|error| format!("0x{:02x} ({})", error.code, error.name));
        return format!("{id}: found an unknown error code, expected one of {}", known.collect::<Vec<_>>().join(", "));
    }
    let hint = match suggest::near(id).split_last() {
        None => "`torchproof explain` and `torchproof corpus list` list ids".to_owned(),
        Some((last, [])) => format!("did you mean {last}?"),
        Some((last, others)) => format!("did you mean {} or {last}?", others.join(", ")),
    };
    format!("{id}: no rule, case, pattern or error code has this id, and no file this name; {hint}")
}

//! **What a rule or a case is about**, at length.

mod case;
mod rule;
mod suggest;

use std::fmt;

use serde::Serialize;
use torchproof::{corpus, rules};

pub(crate) use case::CaseEntry;

use crate::corpus::CorpusError;
use crate::corpus::build::build;
use crate::findings::catalogue;
use crate::text::Page;

/// What `explain --format json` prints: `{"explained":[…]}`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Explained {
    /// In the order asked for.
    pub(crate) explained: Vec<Subject>,
}

/// What was asked for.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Subject {
    /// A rule.
    Rule(catalogue::Entry),
    /// A case.
    Case(Box<CaseEntry>),
}

impl Explained {
    /// Looks up rules and cases by id.
    ///
    /// # Errors
    ///
    /// An id is neither a rule's nor a case's, or the corpus cannot be built.
    pub(crate) fn of(ids: &[String]) -> Result<Self, ExplainError> {
        // Every id is looked at before anything is built.
        let is_case = |id: &String| corpus::find(id).is_some();
        if let Some(id) = ids.iter().find(|id| rules::get(id).is_none() && !is_case(id)) {
            return Err(ExplainError::Unknown { id: id.clone(), near: suggest::near(id) });
        }
        let built = ids.iter().any(is_case).then(build).transpose().map_err(ExplainError::Corpus)?;
        let subject = |id: &String| match (rules::get(id), &built) {
            (Some(rule), _) => Some(Subject::Rule(catalogue::Entry::of(rule))),
            (None, built) => CaseEntry::find(built.as_ref()?, id).map(|case| Subject::Case(Box::new(case))),
        };
        let explained = ids.iter().filter_map(subject).collect();
        Ok(Self { explained })
    }

    /// For people; of a case's file, `all` asks for what is far from the defect as well.
    #[must_use]
    pub(crate) fn text(&self, page: Page, all: bool) -> String {
        let texts = self.explained.iter().map(|subject| match subject {
            Subject::Rule(rule) => rule::text(rule, page),
            Subject::Case(case) => case.text(page, all),
        });
        texts.collect::<Vec<_>>().join("\n\n")
    }
}

/// Why something cannot be explained.
#[derive(Debug)]
#[non_exhaustive]
pub(crate) enum ExplainError {
    /// There is neither a rule nor a case of that id.
    Unknown {
        /// The id.
        id: String,
        /// Ids like it.
        near: Vec<&'static str>,
    },
    /// The corpus, and with it the case, cannot be built.
    Corpus(CorpusError),
}

impl fmt::Display for ExplainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExplainError::Unknown { id, near } => {
                write!(f, "{id}: no rule or case of this id; ")?;
                match near.split_last() {
                    None => f.write_str("`torchproof rules` and `torchproof corpus list` list them"),
                    Some((last, [])) => write!(f, "did you mean {last}?"),
                    Some((last, others)) => write!(f, "did you mean {} or {last}?", others.join(", ")),
                }
            }
            ExplainError::Corpus(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExplainError {}

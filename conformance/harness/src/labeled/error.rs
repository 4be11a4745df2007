//! Errors of attacks.

use std::fmt;
use std::path::PathBuf;

use torchproof::FileKind;
use torchproof::rules::Rule;

use super::LABELS;
use crate::disk::io_error::{PathError, name};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttackError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("{}: found a file of kind {kind}; expected a program, a data file or a bundled program", name(.path))]
    Kind { path: PathBuf, kind: FileKind },
    #[error("{}: found a file that cannot be the first of a pair; expected a program, followed by its data file", name(.path))]
    NoPair { path: PathBuf },
    #[error("no attack{} exists; `torchproof attack --list` lists the attacks", Wanted(*.family, *.rule))]
    NoAttack { family: Option<&'static str>, rule: Option<&'static Rule> },
    #[error("no attack{} applies to these files; select other attacks or pass other files", Wanted(*.family, *.rule))]
    NoPlace { family: Option<&'static str>, rule: Option<&'static Rule> },
    #[error("{}: the folder is not empty; pass --force to add the files and replace {LABELS}", name(.path))]
    NotEmpty { path: PathBuf },
}

/// The family and the rule that the user requested, displayed as a phrase.
struct Wanted(Option<&'static str>, Option<&'static Rule>);

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(family) = self.0 {
            write!(f, " of family {family}")?;
        }
        match self.1 {
            Some(rule) => write!(f, " that breaks {rule}"),
            None => Ok(()),
        }
    }
}

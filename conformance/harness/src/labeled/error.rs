//! Errors of attacks.

use std::fmt;
use std::path::PathBuf;

use torchproof::FileKind;
use torchproof::rules::Rule;

use super::LABELS;
use crate::disk::io_error::{PathError, name};

/// An error from creating attacked files, displayed as one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttackError {
    /// A file or folder cannot be used.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A file to attack has a kind that attacks do not support.
    #[error("{}: found a file of kind {kind}; expected a program, a data file or a bundled program", name(.path))]
    Kind { path: PathBuf, kind: FileKind },
    /// The files to attack are not pairs of a program and its data file.
    #[error("{}: not the first file of a pair; expected a program, followed by its data file", name(.path))]
    NoPair { path: PathBuf },
    /// No attack matches the requested family and rule.
    #[error("no attack{} exists; `torchproof attack --list` lists the attacks", Wanted(*.family, *.rule))]
    NoAttack { family: Option<&'static str>, rule: Option<&'static Rule> },
    /// No selected attack applies to any of the files.
    #[error("no attack{} applies to these files; select other attacks or pass other files", Wanted(*.family, *.rule))]
    NoPlace { family: Option<&'static str>, rule: Option<&'static Rule> },
    /// The output folder is not empty.
    #[error("{}: the folder is not empty; pass --force to add the files and replace {LABELS}", name(.path))]
    NotEmpty { path: PathBuf },
}

/// The family and the rule that the user requested, displayed as a phrase for an error message.
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

//! Errors of attacks.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use torchproof::FileKind;
use torchproof::rules::Rule;

use super::LABELS;
use crate::disk::io_error::{cannot_read, cannot_use_folder, cannot_write};
use crate::text::escape::plain_name;

/// An error from creating attacked files, displayed as one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttackError {
    /// A file to attack cannot be read.
    #[error("{}", cannot_read(.path, .error))]
    Read {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// A file to attack has a kind that attacks do not support.
    #[error("{}: found a file of kind {kind}; expected a program, a data file or a bundled program", name(.path))]
    Kind {
        /// The file.
        path: PathBuf,
        /// The kind of the file.
        kind: FileKind,
    },
    /// The files to attack are not pairs of a program and its data file.
    #[error("{}: not the first file of a pair; expected a program, followed by its data file", name(.path))]
    NoPair {
        /// The first file of the invalid pair.
        path: PathBuf,
    },
    /// No attack matches the requested family and rule.
    #[error("no attack{} exists; `torchproof attack --list` lists the attacks", Wanted(*.family, *.rule))]
    NoAttack {
        /// The requested family.
        family: Option<&'static str>,
        /// The requested rule.
        rule: Option<&'static Rule>,
    },
    /// No selected attack applies to any of the files.
    #[error("no attack{} applies to these files; select other attacks or pass other files", Wanted(*.family, *.rule))]
    NoPlace {
        /// The requested family.
        family: Option<&'static str>,
        /// The requested rule.
        rule: Option<&'static Rule>,
    },
    /// The output folder is not empty.
    #[error("{}: the folder is not empty; pass --force to add the files and replace {LABELS}", name(.path))]
    NotEmpty {
        /// The output folder.
        path: PathBuf,
    },
    /// The output folder cannot be created or listed.
    #[error("{}", cannot_use_folder(.path, .error))]
    Folder {
        /// The output folder.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// An output file cannot be written.
    #[error("{}", cannot_write(.path, .error))]
    Write {
        /// The output file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
}

fn name(path: &Path) -> String {
    plain_name(&path.to_string_lossy())
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

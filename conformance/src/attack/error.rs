//! Why there are no attacked files.

use std::fmt;
use std::io;
use std::path::PathBuf;

use torchproof::FileKind;
use torchproof::rules::Rule;

use super::LABELS;
use crate::disk::io_error::in_words;
use crate::text::escape::plain_name;
use crate::text::size::Size;

/// Why a file is not attacked, or what came of it not written: one line.
#[derive(Debug)]
#[non_exhaustive]
pub enum AttackError {
    /// A file to attack cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file to attack is too large to be held in memory with its map.
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
    },
    /// A file to attack is none of those that can be.
    Kind {
        /// The file.
        path: PathBuf,
        /// What it is.
        kind: FileKind,
    },
    /// A file is not a program with a data file behind it, nor that data file.
    NoPair {
        /// The first file of the two.
        path: PathBuf,
    },
    /// No attack is of the family and breaks the rule.
    NoAttack {
        /// The family, if one is wanted.
        family: Option<&'static str>,
        /// The rule, if one is wanted.
        rule: Option<&'static Rule>,
    },
    /// None of the files has what the attacks change.
    NoPlace {
        /// The family, if one is wanted.
        family: Option<&'static str>,
        /// The rule, if one is wanted.
        rule: Option<&'static Rule>,
    },
    /// The folder has something in it.
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// Something cannot be written.
    Write {
        /// What.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl fmt::Display for AttackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttackError::Read { path, error } | AttackError::Write { path, error } => {
                write!(f, "{}: {}", plain_name(&path.to_string_lossy()), in_words(error))
            }
            AttackError::TooLarge { path, size } => {
                let name = plain_name(&path.to_string_lossy());
                write!(f, "{name}: {}, and more than 1 GiB is too large to be attacked", Size(*size))
            }
            AttackError::Kind { path, kind } => {
                let name = plain_name(&path.to_string_lossy());
                write!(
                    f,
                    "{name}: a file of kind {kind} is not attacked, only programs, data files and bundled programs"
                )
            }
            AttackError::NoPair { path } => {
                let name = plain_name(&path.to_string_lossy());
                write!(
                    f,
                    "{name}: a pair is a program and its data file behind it, and this is not the first of such two"
                )
            }
            AttackError::NoAttack { family, rule } => write!(f, "there is no attack{}", Wanted(*family, *rule)),
            AttackError::NoPlace { family, rule } => {
                write!(f, "none of the files has a place for an attack{}", Wanted(*family, *rule))
            }
            AttackError::NotEmpty { path } => {
                let name = plain_name(&path.to_string_lossy());
                write!(
                    f,
                    "{name}: the folder is not empty; --force puts the files beside what is there, and replaces {LABELS}"
                )
            }
        }
    }
}

impl std::error::Error for AttackError {}

/// Which attacks are wanted, for a sentence.
struct Wanted(Option<&'static str>, Option<&'static Rule>);

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(family) = self.0 {
            write!(f, " of the family {family}")?;
        }
        match self.1 {
            Some(rule) => write!(f, " that breaks {rule}"),
            None => Ok(()),
        }
    }
}

//! Why there are no attacked files.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use torchproof::FileKind;
use torchproof::rules::Rule;

use super::LABELS;
use crate::disk::io_error::in_words;
use crate::text::escape::plain_name;
use crate::text::size::Size;

/// Why a file is not attacked, or what came of it not written: one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttackError {
    /// A file to attack cannot be read.
    #[error("{}: {}", name(.path), in_words(.error))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file to attack is too large to be held in memory with its map.
    #[error("{}: {}, and more than 1 GiB is too large to be attacked", name(.path), Size(*.size))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
    },
    /// A file to attack is none of those that can be.
    #[error("{}: a file of kind {kind} is not attacked, only programs, data files and bundled programs", name(.path))]
    Kind {
        /// The file.
        path: PathBuf,
        /// What it is.
        kind: FileKind,
    },
    /// A file is not a program with a data file behind it, nor that data file.
    #[error("{}: a pair is a program and its data file behind it, and this is not the first of such two", name(.path))]
    NoPair {
        /// The first file of the two.
        path: PathBuf,
    },
    /// No attack is of the family and breaks the rule.
    #[error("there is no attack{}", Wanted(*.family, *.rule))]
    NoAttack {
        /// The family, if one is wanted.
        family: Option<&'static str>,
        /// The rule, if one is wanted.
        rule: Option<&'static Rule>,
    },
    /// None of the files has what the attacks change.
    #[error("none of the files has a place for an attack{}", Wanted(*.family, *.rule))]
    NoPlace {
        /// The family, if one is wanted.
        family: Option<&'static str>,
        /// The rule, if one is wanted.
        rule: Option<&'static Rule>,
    },
    /// The folder has something in it.
    #[error(
        "{}: the folder is not empty; --force puts the files beside what is there, and replaces {LABELS}",
        name(.path)
    )]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// Something cannot be written.
    #[error("{}: {}", name(.path), in_words(.error))]
    Write {
        /// What.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

fn name(path: &Path) -> String {
    plain_name(&path.to_string_lossy())
}

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

//! Why a file cannot be written.

use core::fmt;

use super::Fault;
use crate::flatbuffer::build::{BuildError, Problem};
use crate::flatbuffer::schema::TableType;
use crate::flatbuffer::tree::{TableTree, same_type};

/// Why a file cannot be written: a mistake in what was asked for, or a limit, that of the format or of the host's memory, as
/// [`WriteError::fault`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteError {
    /// The tree cannot be encoded, or an alignment inside the FlatBuffer is none.
    Build(BuildError),
    /// The tree is of a table that is not the root of such a file.
    NotARoot {
        /// The table's name.
        given: &'static str,
    },
    /// An alignment is 0.
    ZeroAlignment {
        /// The segment that has it; `None` for the layout itself.
        segment: Option<usize>,
    },
    /// The header would be shorter than its fields.
    HeaderLength {
        /// The length asked for.
        given: u32,
        /// The shortest.
        least: u32,
    },
    /// The header with its padding would not keep the alignment of the FlatBuffer behind it.
    HeaderAlignment {
        /// Bytes that the header would take.
        padded: u64,
    },
    /// There is segment data, and the layout forbids the header without which nobody finds it.
    DataWithoutHeader {
        /// Bytes of segment data.
        data_size: u64,
    },
    /// A size or an offset does not fit into its field.
    TooLarge,
    /// What is to be held does not fit into memory.
    Memory {
        /// In bytes.
        needed: u64,
    },
}

impl WriteError {
    /// Whose fault it is.
    ///
    /// ```
    /// use torchproof::write::{Fault, WriteError};
    /// assert_eq!(WriteError::ZeroAlignment { segment: None }.fault(), Fault::Specification);
    /// assert_eq!(WriteError::Memory { needed: 1 << 60 }.fault(), Fault::Limit);
    /// ```
    #[must_use]
    pub const fn fault(&self) -> Fault {
        match self {
            WriteError::Build(BuildError { problem: Problem::TooLarge, .. })
            | WriteError::TooLarge
            | WriteError::Memory { .. } => Fault::Limit,
            WriteError::Build(_)
            | WriteError::NotARoot { .. }
            | WriteError::ZeroAlignment { .. }
            | WriteError::HeaderLength { .. }
            | WriteError::HeaderAlignment { .. }
            | WriteError::DataWithoutHeader { .. } => Fault::Specification,
        }
    }

    pub(crate) fn check_root(tree: &TableTree, roots: &[&'static TableType]) -> Result<(), Self> {
        if roots.iter().any(|root| same_type(root, tree.ty())) {
            Ok(())
        } else {
            Err(WriteError::NotARoot { given: tree.ty().name })
        }
    }
}

impl From<BuildError> for WriteError {
    fn from(error: BuildError) -> Self {
        WriteError::Build(error)
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Build(error) => error.fmt(f),
            WriteError::NotARoot { given } => write!(f, "{given} is not the root table of such a file"),
            WriteError::ZeroAlignment { segment: None } => f.write_str("the layout has an alignment of 0"),
            WriteError::ZeroAlignment { segment: Some(index) } => write!(f, "segment {index} has an alignment of 0"),
            WriteError::HeaderLength { given, least } => write!(f, "header length {given} is below {least}"),
            WriteError::HeaderAlignment { padded } => {
                write!(f, "a header padded to {padded} bytes misaligns the FlatBuffer behind it")
            }
            WriteError::DataWithoutHeader { data_size } => {
                write!(f, "{data_size} bytes of segment data need a header, and the layout has none")
            }
            WriteError::TooLarge => f.write_str("a size or an offset of the file does not fit into its field"),
            WriteError::Memory { needed } => write!(f, "{needed} bytes do not fit into memory"),
        }
    }
}

impl core::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            WriteError::Build(error) => Some(error),
            _ => None,
        }
    }
}

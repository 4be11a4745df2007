//! Why JSON is no tree.

use alloc::string::{String, ToString};
use core::fmt;

use super::{HexError, MOST_DEPTH};

/// Why JSON is no table of a type: the member, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeError {
    path: String,
    problem: Problem,
}

impl TreeError {
    /// The member, as `execution_plan[0].values[3].sizes`; empty for the value as a whole.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong with it.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The same error of a value that is the member `name` of another.
    #[must_use]
    pub fn within(self, name: &str) -> Self {
        // Whatever the name is, it is one line of text and one step.
        self.behind(&name.escape_debug().to_string())
    }

    pub(super) fn element(self, index: usize) -> Self {
        self.behind(&alloc::format!("[{index}]"))
    }

    fn behind(mut self, step: &str) -> Self {
        if !self.path.is_empty() && !self.path.starts_with('[') {
            self.path.insert(0, '.');
        }
        self.path.insert_str(0, step);
        self
    }
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        self.problem.fmt(f)
    }
}

impl core::error::Error for TreeError {}

impl From<Problem> for TreeError {
    fn from(problem: Problem) -> Self {
        Self { path: String::new(), problem }
    }
}

/// What is wrong with a member of a table's JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The table's type has no such field.
    UnknownField {
        /// The table.
        table: &'static str,
    },
    /// The field takes something else.
    WrongType {
        /// What it takes.
        wanted: &'static str,
        /// What it was given.
        given: &'static str,
    },
    /// The number does not fit into the field.
    OutOfRange {
        /// What it takes.
        wanted: &'static str,
        /// The number.
        given: i128,
    },
    /// The enum or union has no value of this name.
    UnknownName {
        /// The enum or union.
        ty: &'static str,
        /// The name.
        name: String,
    },
    /// The union's type says that there is a value, and there is none.
    TypeWithoutValue {
        /// The union.
        union: &'static str,
    },
    /// The union has a value, and no type that the schema knows.
    ValueWithoutType {
        /// The union.
        union: &'static str,
    },
    /// Bytes are not written in pairs of hexadecimal digits.
    Hex(HexError),
    /// Tables are in tables, deeper than any reader follows.
    TooDeep,
    /// The object has the member already.
    Twice,
    /// The JSON itself is broken there, or cannot be read.
    Json,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::UnknownField { table } => write!(f, "{table} has no such field"),
            Problem::WrongType { wanted, given } => write!(f, "{given} is not {wanted}"),
            Problem::OutOfRange { wanted, given } => write!(f, "{given} does not fit into {wanted}"),
            Problem::UnknownName { ty, name } => write!(f, "{ty} has no value `{}`", name.escape_debug()),
            Problem::TypeWithoutValue { union } => write!(f, "the {union} has a type and no value"),
            Problem::ValueWithoutType { union } => write!(f, "the {union} has a value and no type that is known"),
            Problem::Hex(error) => error.fmt(f),
            Problem::TooDeep => write!(f, "is more than {MOST_DEPTH} tables deep"),
            Problem::Twice => f.write_str("is there twice"),
            Problem::Json => f.write_str("is not JSON"),
        }
    }
}

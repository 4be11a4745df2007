//! What a move leaves out.

use std::fmt;

use super::plural;
use crate::escape::plain_name;

/// What is neither in the program nor in the data file that a move makes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Left {
    /// Constants of the program that no tensor has.
    Constants {
        /// How many.
        count: u64,
        /// The bytes that they have to themselves, with the padding behind them.
        bytes: u64,
    },
    /// Tensors of a data file that the program does not have.
    Tensors {
        /// The file, by its place among those given.
        file: usize,
        /// How many.
        count: u64,
        /// The name of the first.
        first: String,
    },
}

impl fmt::Display for Left {
    /// Writes `2 tensors that the program does not have, the first of them layer.bias`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Left::Constants { count, bytes } => {
                write!(f, "{count} constant{} in {bytes} byte{}, which no tensor has", plural(*count), plural(*bytes))
            }
            Left::Tensors { count, first, .. } => {
                write!(f, "{count} tensor{} that the program does not have", plural(*count))?;
                write!(f, "{}{}", if *count == 1 { ", " } else { ", the first of them " }, plain_name(first))
            }
        }
    }
}

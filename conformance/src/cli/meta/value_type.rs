//! Types and encodings of values, as arguments.

use torchproof::metadata::{Encoding, ValueType};

/// A type as it is given on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum OfType {
    /// UTF-8 text
    String,
    /// A 64-bit signed number
    Int,
    /// A double
    Float,
    /// Bytes, in hex
    Bytes,
    /// 64-bit signed numbers, as `1, 2, 3`
    IntList,
}

impl From<OfType> for ValueType {
    fn from(ty: OfType) -> Self {
        match ty {
            OfType::String => ValueType::String,
            OfType::Int => ValueType::Int,
            OfType::Float => ValueType::Float,
            OfType::Bytes => ValueType::Bytes,
            OfType::IntList => ValueType::IntList,
        }
    }
}

/// An encoding as it is given on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum InEncoding {
    /// The bytes alone, as the proposal's text has it
    Untagged,
    /// A byte for the type before them; what has none that fits is read as untagged
    Tagged,
    /// A byte for the type before them, and an error without it
    Strict,
}

impl From<InEncoding> for Encoding {
    fn from(encoding: InEncoding) -> Self {
        match encoding {
            InEncoding::Untagged => Encoding::Untagged,
            InEncoding::Tagged => Encoding::Tagged,
            InEncoding::Strict => Encoding::Strict,
        }
    }
}

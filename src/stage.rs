//! The stages of reading a file, in order.

use core::fmt;

/// One stage of reading a file. The stages are in chronological order.
///
/// A case with the verdict `reject` states the latest stage at which a reader may reject the file. A reader that
/// rejects the file at a later stage rejects it too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", serde(rename_all = "lowercase"))]
pub enum Stage {
    /// Opening the file and checking its minimum length.
    Open,
    /// The FlatBuffer identifier and the ExecuTorch header.
    Header,
    /// The FlatBuffer: tables, vtables, vectors, strings.
    Structure,
    /// The contents of the tables: methods, inputs and outputs, keys, layouts.
    Meta,
    /// Preparation of one method for execution.
    Method,
    /// Data: segments, named data and tensors.
    Data,
    /// Execution of a method.
    Execute,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Stage; 7] =
        [Stage::Open, Stage::Header, Stage::Structure, Stage::Meta, Stage::Method, Stage::Data, Stage::Execute];

    /// The last stage.
    pub const LAST: Stage = Stage::Execute;

    /// The stage's name in manifests and in the reader protocol.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Open => "open",
            Stage::Header => "header",
            Stage::Structure => "structure",
            Stage::Meta => "meta",
            Stage::Method => "method",
            Stage::Data => "data",
            Stage::Execute => "execute",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

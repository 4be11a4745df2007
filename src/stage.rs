//! How far a reader gets into a file, in order.

use core::fmt;

/// One step of reading a file; the order of the variants is the order of the work.
///
/// A case that must be rejected names the latest stage at which rejecting it is still right; a reader that gets
/// further before it objects is late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "json", serde(rename_all = "lowercase"))]
pub enum Stage {
    /// The file's bytes can be had and are long enough to begin with.
    Open,
    /// The FlatBuffer identifier and the ExecuTorch header.
    Header,
    /// The FlatBuffer: tables, vtables, vectors, strings.
    Structure,
    /// What a program or data file says of itself: methods, their inputs and outputs, keys, layouts.
    Meta,
    /// Preparing one method to run.
    Method,
    /// Bytes of segments, named data and tensors.
    Data,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Stage; 6] = [Stage::Open, Stage::Header, Stage::Structure, Stage::Meta, Stage::Method, Stage::Data];

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
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

//! The stages of reading a file, in order.

use crate::named::named;

named! { all
    /// A stage of reading a file. The stages are in chronological order.
    ///
    /// A case with the verdict `reject` names the latest stage at which a reader may reject the file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[cfg_attr(feature = "json", serde(rename_all = "lowercase"))]
    pub enum Stage {
        /// Opening the file and checking its minimum length.
        Open = "open",
        /// The FlatBuffer identifier and the ExecuTorch header.
        Header = "header",
        /// The FlatBuffer: tables, vtables, vectors, strings.
        Structure = "structure",
        /// The contents of the tables: methods, inputs and outputs, keys, layouts.
        Meta = "meta",
        /// Preparing one method for execution.
        Method = "method",
        /// Data: segments, named data and tensors.
        Data = "data",
        /// Executing a method.
        Execute = "execute",
    }
}

impl Stage {
    /// The last stage.
    pub const LAST: Stage = Stage::Execute;
}

//! The error of writing a file: an invalid tree or layout, or a failure to pack or stream the file.

use alloc::format;
use alloc::string::String;
use core::fmt;

/// A failed write: the cause, the path, and what was found and expected.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
/// use torchproof::pte::schema::Int;
/// use torchproof::write::WriteCause;
/// let error = TableTree::new(Int::TYPE).set("int_val", "seven").unwrap_err();
/// assert_eq!((error.cause, error.path()), (WriteCause::Tree, "Int.int_val"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteError {
    /// Which part of the input must change.
    pub cause: WriteCause,
    path: String,
    message: String,
}

/// Which part of the input must change before the file can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteCause {
    /// The tree or the packed data must change: a value does not fit in a field, or the tree does not match the data.
    Tree,
    /// The JSON of a tree must change at the error's path.
    Json,
    /// The layout or the list of segments must change.
    Layout,
    /// The contents must change: the file would violate the must-rule with this id.
    Rejected(&'static str),
    /// The contents of a data file must change: readers would infer the wrong layout.
    Ambiguous,
    /// The output must change: writing to it failed with this error.
    #[cfg(feature = "std")]
    Output(std::io::ErrorKind),
    /// The size must change: it exceeds a limit of the format, the available memory or this library.
    Limit,
}

impl WriteError {
    /// Creates an error at a path, which is empty if the error is about the whole file.
    #[must_use]
    pub fn new(cause: WriteCause, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { cause, path: path.into(), message: message.into() }
    }

    /// Creates the error for a size or an offset that does not fit in its field.
    #[must_use]
    pub fn too_large() -> Self {
        Self::new(WriteCause::Limit, "", "a size or an offset of the file does not fit in its field")
    }

    /// Creates the error for a file that needs `needed` bytes of memory.
    #[must_use]
    pub fn memory(needed: u64) -> Self {
        Self::new(WriteCause::Limit, "", format!("{needed} bytes do not fit in memory"))
    }

    /// Creates the error for segment data in a file without a header, which readers need to find the data.
    #[must_use]
    pub fn data_without_header(data_size: u64) -> Self {
        let message = format!("found {data_size} bytes of segment data but no header; set a header in the layout");
        Self::new(WriteCause::Layout, "header", message)
    }

    /// Returns the error's path: a field such as `execution_plan[0].values[3].sizes` or `Tensor.sizes`, a segment, or a
    /// key.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the message: what was found at the path, and what was expected.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the error with `step` prepended to its path.
    #[must_use]
    pub fn within(self, step: &str) -> Self {
        if step.is_empty() {
            return self;
        }
        let point = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Self { path: format!("{step}{point}{}", self.path), ..self }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl core::error::Error for WriteError {}

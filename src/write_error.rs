//! Why a file is not written: one error for trees, layouts, packing and streaming.

use alloc::format;
use alloc::string::String;
use core::fmt;

/// Why a file is not written: the cause, the place, and what was found there instead of what.
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
    /// What has to change before the file can be written.
    pub cause: WriteCause,
    path: String,
    message: String,
}

/// What has to change before a file can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteCause {
    /// The tree or the data to be packed with it: a field cannot hold its value, or they do not belong together.
    Tree,
    /// The JSON of a tree: it is not JSON at the path.
    Json,
    /// The layout, or the list of segments.
    Layout,
    /// What the file says: it would break the must-rule with this id.
    Rejected(&'static str),
    /// The values of a data file: readers would take it for one of the other layout.
    Ambiguous,
    /// The output, which cannot be written.
    #[cfg(feature = "std")]
    Output(std::io::ErrorKind),
    /// Nothing: a size is above what the format, the memory or this library allows.
    Limit,
}

impl WriteError {
    /// An error at a path, which is empty for the file as a whole.
    #[must_use]
    pub fn new(cause: WriteCause, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { cause, path: path.into(), message: message.into() }
    }

    /// A size or an offset that does not fit into its field.
    #[must_use]
    pub fn too_large() -> Self {
        Self::new(WriteCause::Limit, "", "a size or an offset of the file does not fit into its field")
    }

    /// So many bytes, which do not fit into memory.
    #[must_use]
    pub fn memory(needed: u64) -> Self {
        Self::new(WriteCause::Limit, "", format!("{needed} bytes do not fit into memory"))
    }

    /// So many bytes of segment data, in a file that has no header to find them by.
    #[must_use]
    pub fn data_without_header(data_size: u64) -> Self {
        let message = format!("{data_size} bytes of segment data need a header, and the layout has none");
        Self::new(WriteCause::Layout, "header", message)
    }

    /// The place: a field as `execution_plan[0].values[3].sizes` or `Tensor.sizes`, a segment, or a key.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What was found at the path, and what was expected.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The same error, whose path begins with this step.
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

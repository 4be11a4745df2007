//! **The canonical JSON of a file**: the `dump` command and adapters print it, and corpus cases expect it.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let value = torchproof::view::to_value(&std::fs::read("corpus/real/linear_external.ptd")?)?;
//! assert_eq!(value["kind"], "ptd");
//! assert_eq!(value["flat_tensor"]["named_data"][0]["tensor_layout"]["scalar_type"], "FLOAT");
//! assert_eq!(value["segments"][0]["size"], 128);
//! # Ok(()) }
//! ```
//!
//! # The form
//!
//! The JSON is an object with four members, in this order:
//!
//! * `kind`: `"pte"`, `"ptd"`, `"ptd-legacy"` for a data file of the [legacy layout](crate::ptd::legacy_schema), or
//!   `"bpte"` for a [bundled program](crate::bundled);
//! * `header`: the fields of the header by name, or `null` for a program without a header and for every `.bpte`. A
//!   `.pte` header has `length`, `program_size`, `segment_base_offset`, and, if `length` is at least 32,
//!   `segment_data_size`. A `.ptd` header has `length`, `flatbuffer_offset`, `flatbuffer_size`, `segment_base_offset`,
//!   `segment_data_size`;
//! * `program` for a `.pte`, `flat_tensor` for a `.ptd` of either layout, `bundled_program` for a `.bpte`: the root table;
//! * `segments`: an array with the stored `offset` and `size` of each segment, and optionally `sha256`: the digest of
//!   the segment's bytes, in lower-case hex. If [`File::set_data`] was called, each entry also has `data`. For every
//!   `.bpte` and for a file without `segments`, the array is empty.
//!
//! A table is an object with the fields that `flatc --json --strict-json --defaults-json` prints:
//!
//! | field | printed as |
//! |---|---|
//! | any | under the schema's name, in the schema's order |
//! | number, bool | number, `true` or `false` (any byte but 0 is `true`); an absent field with its default |
//! | enum | the value's name; a number for an unknown value |
//! | union `x` | `x_type`: the member's name, or `"NONE"` if the union is absent; `x`: the table, if there is a value |
//! | string | string |
//! | vector | array; bytes are an array of numbers |
//! | absent string, vector, table | omitted |
//!
//! For values that flatc omits or prints as invalid JSON, this library defines the JSON:
//!
//! | in the file | printed as |
//! |---|---|
//! | a finite double | the shortest decimal that reads back as the same double; flatc prints at most 12 decimals |
//! | NaN, the infinities | `"nan"`, `"inf"`, `"-inf"` |
//! | a string that is not UTF-8 | `{"hex":"…"}` with its bytes in lower-case hex; a UTF-8 string is never an object |
//! | a union of unknown type | `x_type` is the number, and `x` is omitted |
//! | the `program` of a `.bpte`: a complete file | the four members of that file, as if it were standalone |
//!
//! flatc prints the `program` of a `.bpte` as bytes. The canonical JSON has the program's fields instead, so that two
//! programs can be compared. There, segment offsets are relative to the program's first byte.
//!
//! [`to_tree`] converts a table's JSON to a tree. [`TreeReader`] does the same without building the JSON in memory.
//!
//! # Cost
//!
//! A [`File`] is serialized as a stream: memory holds a digest of each segment, but never the whole tree. Tables can be
//! shared, so the tree may be much larger than the file. [`File::open`] therefore rejects trees above 1 MiB plus 16
//! times the FlatBuffer's size, where a shared table counts once per visit. In a bundled program, the limit applies
//! separately to the outer tables and to the inner program.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use sha2::{Digest, Sha256};

use crate::FileKind;
use crate::flatbuffer::tree::TableTree;
use crate::{ErrorCode, FileBytes, Limits, Span, Stage};

mod error;
mod members;
mod root;
mod strict;
mod table;
#[cfg(test)]
mod tests;
mod tree;
mod verify;

pub use error::ViewError;
use root::Root;
pub use strict::StrictValue;
pub use tree::{TreeReader, to_tree};
use verify::NewerField;

/// A file with verified structure, ready to be serialized as canonical JSON.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use torchproof::{FileBytes, view};
/// let bytes = std::fs::read("corpus/real/linear.pte")?;
/// let file_bytes = FileBytes::whole(&bytes);
/// let mut file = view::File::open(file_bytes)?;
/// file.hash(|span, sink| Ok::<_, view::ViewError>(sink(file_bytes.slice(span, "segment")?)))?;
/// serde_json::to_writer(std::io::sink(), &file)?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct File<'a> {
    file_bytes: FileBytes<'a>,
    root: Root<'a>,
    newer: Vec<NewerField>,
    digests: Option<Digests>,
    data: Vec<serde_json::Value>,
}

/// The digests by offset and size, so that segments with equal ranges share a digest.
type Digests = BTreeMap<(u64, u64), [u8; 32]>;

impl<'a> File<'a> {
    /// The limits of [`to_value`], which builds the JSON in memory.
    ///
    /// With these limits, the JSON needs at most about half a gigabyte of memory. For a bundled program, they apply
    /// separately to the outer tables and to the program, so the total can be twice as large.
    pub const VALUE_LIMITS: Limits = Limits { tables: 1 << 18, apparent_size: 1 << 23, ..Limits::DEFAULT };

    /// Opens a file whose FlatBuffer is in memory (see [`FileBytes::needed`]), and verifies its tables.
    ///
    /// # Errors
    ///
    /// Returns the first rule that the header or the FlatBuffer violates, or the exceeded limit.
    pub fn open(file_bytes: FileBytes<'a>) -> Result<Self, ViewError> {
        Self::open_within(file_bytes, Limits::DEFAULT)
    }

    /// Opens a file as [`File::open`] does, but with additional limits.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`File::open`].
    pub fn open_within(file_bytes: FileBytes<'a>, limits: Limits) -> Result<Self, ViewError> {
        let mut newer = Vec::new();
        let root = Root::open(file_bytes, limits, &mut newer)?;
        Ok(Self { file_bytes, root, newer, digests: None, data: Vec::new() })
    }

    /// The file's kind, which is never [`FileKind::Unknown`].
    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.root.kind()
    }

    /// Returns fields that the schema lacks and the JSON omits. Each is a table name and a slot.
    ///
    /// The list contains at most the first two; if it has two, there may be more in the file.
    #[must_use]
    pub fn newer_fields(&self) -> &[(&'static str, u16)] {
        &self.newer
    }

    /// Computes the digests of all segments, which the JSON otherwise lacks.
    ///
    /// `read` takes a range of the file and a function, and must pass the bytes of the range to the function in order,
    /// in pieces of any size. Each range is read once, and the ranges together are at most as long as the file.
    ///
    /// # Errors
    ///
    /// Returns the violated rule if a segment is not inside the file, a violation of the overlap rule if the segments
    /// together exceed the file, or the error of `read`.
    pub fn hash<E: From<ViewError>>(
        &mut self,
        mut read: impl FnMut(Span, &mut dyn FnMut(&[u8])) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut digests = Digests::new();
        let mut left = self.root.place(self.file_bytes).len;
        for index in 0..self.root.segment_count()? {
            let span = self.root.segment(index)?;
            if digests.contains_key(&(span.offset, span.len)) {
                continue;
            }
            left = left.checked_sub(span.len).ok_or_else(|| self.root.overlap(index, span, self.file_bytes))?;
            let mut digest = Sha256::new();
            if span.len > 0 {
                read(span, &mut |bytes| digest.update(bytes))?;
            }
            digests.insert((span.offset, span.len), digest.finalize().into());
        }
        self.digests = Some(digests);
        Ok(())
    }

    /// Returns where each segment is in the file. For a bundled program, these are the segments of the inner program.
    ///
    /// # Errors
    ///
    /// Returns the violated rule if a segment is not inside the segment data and the file.
    pub fn segments(&self) -> Result<Vec<Span>, ViewError> {
        (0..self.root.segment_count()?).map(|index| self.root.segment(index)).collect()
    }

    /// Returns the root table without its list of segments, as [`pte::write`](crate::pte::write) and
    /// [`ptd::write`](crate::ptd::write) expect it; for a bundled program, the root table of the inner program.
    ///
    /// # Errors
    ///
    /// Fails if the tables are broken, or if the tree needs more memory than [`Limit::memory_for`](crate::Limit::memory_for) allows.
    pub fn tree(&self) -> Result<TableTree, crate::Error> {
        self.root.tree()
    }

    /// Sets the member `data` of each segment's entry, which says where the segment's bytes are stored.
    pub fn set_data(&mut self, data: Vec<serde_json::Value>) {
        self.data = data;
    }
}

/// Returns the canonical JSON of a file in memory, with digests.
///
/// The members of each object are sorted by name.
///
/// # Errors
///
/// Returns the errors of [`File::open_within`] with [`File::VALUE_LIMITS`], or of [`File::hash`].
pub fn to_value(bytes: &[u8]) -> Result<serde_json::Value, ViewError> {
    let file_bytes = FileBytes::whole(bytes);
    let mut file = File::open_within(file_bytes, File::VALUE_LIMITS)?;
    file.hash(|span, sink| {
        sink(file_bytes.slice(span, "DataSegment")?);
        Ok::<_, ViewError>(())
    })?;
    // The tables are verified, so serialization cannot fail.
    let whole = Span::new(0, file_bytes.len());
    serde_json::to_value(&file).map_err(|_| crate::Error::new(ErrorCode::Missing, Stage::Structure, whole, "").into())
}

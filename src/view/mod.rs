//! **The canonical JSON of a file**: what `dump` prints, what adapters print, what cases expect.
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
//! An object with four members, in this order:
//!
//! * `kind`: `"pte"`, `"ptd"`, `"ptd-legacy"` for a data file of the [older layout](crate::ptd::legacy_schema), or `"bpte"` for
//!   a [bundled program](crate::bundled);
//! * `header`: the extended header's numbers by name, or `null` for a program without one and for a `.bpte`, which has none. A
//!   `.pte` header has `length`, `program_size`, `segment_base_offset`, and `segment_data_size` where the header is long enough
//!   to hold it; a `.ptd` header has `length`, `flatbuffer_offset`, `flatbuffer_size`, `segment_base_offset`,
//!   `segment_data_size`;
//! * `program` for a `.pte`, `flat_tensor` for a `.ptd` of either layout, `bundled_program` for a `.bpte`: the root table;
//! * `segments`: an array with `offset` and `size` of each segment as the file gives them, and `sha256`, the digest of the
//!   segment's bytes in lower-case hex, unless the digests were left out; with [`File::set_data`], also `data`. A file without
//!   a segment table has an empty array, and so has every `.bpte`.
//!
//! A table is an object that holds, field for field, what `flatc --json --strict-json --defaults-json` prints:
//!
//! | field | printed as |
//! |---|---|
//! | any | under the schema's name, in the schema's order |
//! | number, bool | number, `true` or `false` (any byte but 0 is `true`); an absent one with its default |
//! | enum | the value's name; a number where the schema has no name for it |
//! | union | `x_type` with the member's name (`"NONE"` when it is absent), and `x` with the member's table when there is one |
//! | string | string |
//! | vector | array; bytes are an array of numbers |
//! | absent string, vector, table | left out |
//!
//! Where flatc has no answer, or none that is JSON, this is ours:
//!
//! | in the file | printed as |
//! |---|---|
//! | a finite double | the shortest decimal that reads back as the same double, where flatc cuts at 12 decimals |
//! | NaN (whichever), the infinities | `"nan"`, `"inf"`, `"-inf"` |
//! | a string that is not UTF-8 | `{"hex":"…"}` with its bytes in lower-case hex; a string field is never an object otherwise |
//! | a union whose type the schema does not know | `x_type` is the number, and `x`, which nobody can read, is left out |
//! | `program` of a `.bpte`, which is a whole file | the four members of that file, as they would be of the file by itself |
//!
//! So two bundled programs are compared by what the programs in them hold, where flatc prints a vector of bytes. Segments of the
//! program count from its own first byte, as they do there.
//!
//! [`to_tree`] reads a table in this form back, and so does a [`TreeReader`] without holding the JSON.
//!
//! # What it costs
//!
//! [`File`] streams: it holds no tree, and nothing of the segments but one digest for each. A file's tables may be shared,
//! and so describe a tree much larger than the file: [`File::open`] refuses a file whose tree has, counting a shared table at
//! each visit, more than 16 times the FlatBuffer's bytes and a mebibyte. Of a bundled program that goes for its own tree and for
//! that of the program in it.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use sha2::{Digest, Sha256};

use crate::FileKind;
use crate::{ErrorCode, Image, Limits, Span, Stage};

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
pub use strict::Strict;
pub use tree::{TreeReader, to_tree};
use verify::Newer;

/// A file whose structure holds together, ready to be serialized as its canonical JSON.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use torchproof::{Image, view};
/// let bytes = std::fs::read("corpus/real/linear.pte")?;
/// let image = Image::whole(&bytes);
/// let mut file = view::File::open(image)?;
/// file.hash(|span, sink| Ok::<_, view::ViewError>(sink(image.slice(span, "segment")?)))?;
/// serde_json::to_writer(std::io::sink(), &file)?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct File<'a> {
    image: Image<'a>,
    root: Root<'a>,
    newer: Vec<Newer>,
    digests: Option<Digests>,
    data: Vec<serde_json::Value>,
}

/// By offset and size: segments that share a range share the digest.
type Digests = BTreeMap<(u64, u64), [u8; 32]>;

impl<'a> File<'a> {
    /// The limits of [`to_value`], which holds the tree: about half a gigabyte of it at most, and twice that of a bundled program,
    /// of which the tables around the program have these limits and the program has them again.
    pub const VALUE_LIMITS: Limits = Limits { tables: 1 << 18, apparent_size: 1 << 23, ..Limits::DEFAULT };

    /// Opens a file of which at least the FlatBuffer is held (see [`Image::needed`]), and verifies its tables.
    ///
    /// # Errors
    ///
    /// The first rule of the envelope, the header or the FlatBuffer that the file breaks, or the limit that it passes.
    pub fn open(image: Image<'a>) -> Result<Self, ViewError> {
        Self::open_within(image, Limits::DEFAULT)
    }

    /// As [`File::open`], with limits to keep beside the one that the file's size sets.
    ///
    /// # Errors
    ///
    /// As [`File::open`].
    pub fn open_within(image: Image<'a>, limits: Limits) -> Result<Self, ViewError> {
        let mut newer = Vec::new();
        let root = Root::open(image, limits, &mut newer)?;
        Ok(Self { image, root, newer, digests: None, data: Vec::new() })
    }

    /// What the file is; never [`FileKind::Unknown`].
    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.root.kind()
    }

    /// The first fields that the schema does not have, each a table and a slot; the JSON leaves them out.
    ///
    /// There are two at most: the first, and one that shows that there are others.
    #[must_use]
    pub fn newer_fields(&self) -> &[(&'static str, u16)] {
        &self.newer
    }

    /// Takes the digest of every segment; without it, the JSON has none.
    ///
    /// `read` hands the bytes of a range of the file to its second argument, from first to last, in pieces of any size. It is
    /// called once for each range, and for no more bytes than the file has.
    ///
    /// # Errors
    ///
    /// The rule broken by a segment that leaves the file or must overlap another, or what `read` failed with.
    pub fn hash<E: From<ViewError>>(
        &mut self,
        mut read: impl FnMut(Span, &mut dyn FnMut(&[u8])) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut digests = Digests::new();
        let mut left = self.root.place(self.image).len;
        for index in 0..self.root.segment_count()? {
            let span = self.root.segment(index)?;
            if digests.contains_key(&(span.offset, span.len)) {
                continue;
            }
            left = left.checked_sub(span.len).ok_or_else(|| self.root.overlap(index, span, self.image))?;
            let mut digest = Sha256::new();
            if span.len > 0 {
                read(span, &mut |bytes| digest.update(bytes))?;
            }
            digests.insert((span.offset, span.len), digest.finalize().into());
        }
        self.digests = Some(digests);
        Ok(())
    }

    /// The range of the file that each segment is; the segments of a bundled program are those of the program in it.
    ///
    /// # Errors
    ///
    /// The rule broken by a segment that leaves the data or the file.
    pub fn segments(&self) -> Result<Vec<Span>, ViewError> {
        (0..self.root.segment_count()?).map(|index| self.root.segment(index)).collect()
    }

    /// Says where the bytes of the segments are to be had: what the JSON has under `data` in the entry of each.
    pub fn set_data(&mut self, data: Vec<serde_json::Value>) {
        self.data = data;
    }
}

/// The canonical JSON of a file that is held whole, digests included, as a tree whose members are sorted by name.
///
/// # Errors
///
/// As [`File::open_within`] with [`File::VALUE_LIMITS`], and [`File::hash`].
pub fn to_value(bytes: &[u8]) -> Result<serde_json::Value, ViewError> {
    let image = Image::whole(bytes);
    let mut file = File::open_within(image, File::VALUE_LIMITS)?;
    file.hash(|span, sink| {
        sink(image.slice(span, "DataSegment")?);
        Ok::<_, ViewError>(())
    })?;
    // The verification has met every fault that serializing could, so this error has no occasion.
    let whole = Span::new(0, image.len());
    serde_json::to_value(&file).map_err(|_| crate::Error::new(ErrorCode::Missing, Stage::Structure, whole, "").into())
}

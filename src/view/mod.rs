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
//! * `kind`: `"pte"`, `"ptd"`, or `"ptd-legacy"` for a data file of the [older layout](crate::ptd::older_schema);
//! * `header`: the extended header's numbers by name, or `null` for a program without one. A `.pte` header has `length`,
//!   `program_size`, `segment_base_offset`, and `segment_data_size` where the header is long enough to hold it; a `.ptd`
//!   header has `length`, `flatbuffer_offset`, `flatbuffer_size`, `segment_base_offset`, `segment_data_size`;
//! * `program` for a `.pte`, `flat_tensor` for a `.ptd` of either layout: the root table;
//! * `segments`: an array with `offset` and `size` of each segment as the file gives them, and `sha256`, the digest of the
//!   segment's bytes in lower-case hex, unless the digests were left out; with [`File::set_data`], also `data`. A file without
//!   a segment table has an empty array.
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
//!
//! [`to_tree`] reads a table in this form back, and so does [`read_tree`] without holding the JSON.
//!
//! # What it costs
//!
//! [`File`] streams: it holds no tree, and nothing of the segments but one digest for each. A file's tables may be shared,
//! and so describe a tree much larger than the file: [`File::open`] refuses a file whose tree has, counting a shared table at
//! each visit, more than 16 times the FlatBuffer's bytes and a mebibyte.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use serde::Serialize;
use serde::ser::{Error as _, SerializeMap, SerializeSeq, Serializer};
use sha2::{Digest, Sha256};

use crate::check::Kind;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::walk;
use crate::flatbuffer::{self, Vector};
use crate::ptd::{self, Layout, Ptd};
use crate::pte::{self, Pte};
use crate::rules::{flat_tensor, segments};
use crate::{ErrorCode, Image, Limits, Span, Stage};

mod error;
mod strict;
mod table;
#[cfg(test)]
mod tests;
mod tree;

pub use error::Error;
use error::FirstFault;
pub use strict::Strict;
use table::{Hex, TableJson};
pub use tree::{HexError, Problem, Trace, TreeError, from_hex, read_tree, to_tree, to_whole};

/// The limits of [`to_value`], which holds the tree: about half a gigabyte of it at most.
pub const VALUE_LIMITS: Limits = Limits { tables: 1 << 18, apparent_size: 1 << 23, ..Limits::DEFAULT };

/// A file whose structure holds together, ready to be serialized as its canonical JSON.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use torchproof::{Image, view};
/// let bytes = std::fs::read("corpus/real/linear.pte")?;
/// let image = Image::whole(&bytes);
/// let mut file = view::File::open(image)?;
/// file.hash(|span, sink| Ok::<_, view::Error>(sink(image.slice(span, "segment")?)))?;
/// serde_json::to_writer(std::io::sink(), &file)?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct File<'a> {
    image: Image<'a>,
    root: Root<'a>,
    digests: Option<Digests>,
    data: Vec<serde_json::Value>,
}

/// By offset and size: segments that share a range share the digest.
type Digests = BTreeMap<(u64, u64), [u8; 32]>;

#[derive(Clone, Copy, Debug)]
enum Root<'a> {
    Pte(Pte<'a>),
    Ptd(Ptd<'a>),
}

impl<'a> File<'a> {
    /// Opens a file of which at least the FlatBuffer is held (see [`Image::needed`]), and walks its tables.
    ///
    /// # Errors
    ///
    /// The first rule of the envelope, the header or the FlatBuffer that the file breaks, or the limit that it passes.
    pub fn open(image: Image<'a>) -> Result<Self, Error> {
        Self::open_within(image, Limits::DEFAULT)
    }

    /// As [`File::open`], with limits to keep beside the one that the file's size sets.
    ///
    /// # Errors
    ///
    /// As [`File::open`].
    pub fn open_within(image: Image<'a>, limits: Limits) -> Result<Self, Error> {
        let root = if flatbuffer::identifier(image.bytes()) == Some(ptd::IDENTIFIER) {
            let file = Ptd::open_image(image)?;
            match file.layout() {
                Layout::Current(root) => hold_together(root, file.region(), limits)?,
                Layout::Older(root) => hold_together(root, file.region(), limits)?,
            }
            Root::Ptd(file)
        } else {
            let file = Pte::open_image(image)?;
            hold_together(file.program(), file.region(), limits)?;
            Root::Pte(file)
        };
        Ok(Self { image, root, digests: None, data: Vec::new() })
    }

    /// What the file is; never [`Kind::Unknown`].
    #[must_use]
    pub fn kind(&self) -> Kind {
        match &self.root {
            Root::Pte(_) => Kind::Pte,
            Root::Ptd(file) => match file.layout() {
                Layout::Current(_) => Kind::Ptd,
                Layout::Older(_) => Kind::PtdLegacy,
            },
        }
    }

    /// Takes the digest of every segment; without it, the JSON has none.
    ///
    /// `read` hands the bytes of a range of the file to its second argument, from first to last, in pieces of any size. It is
    /// called once for each range, and for no more bytes than the file has.
    ///
    /// # Errors
    ///
    /// The rule broken by a segment that leaves the file or must overlap another, or what `read` failed with.
    pub fn hash<E: From<Error>>(
        &mut self,
        mut read: impl FnMut(Span, &mut dyn FnMut(&[u8])) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut digests = Digests::new();
        let mut left = self.image.len();
        for index in 0..self.segment_count()? {
            let span = self.segment(index)?;
            if digests.contains_key(&(span.offset, span.len)) {
                continue;
            }
            left = left.checked_sub(span.len).ok_or_else(|| self.overlap(index, span))?;
            let mut digest = Sha256::new();
            if span.len > 0 {
                read(span, &mut |bytes| digest.update(bytes))?;
            }
            digests.insert((span.offset, span.len), digest.finalize().into());
        }
        self.digests = Some(digests);
        Ok(())
    }

    /// The range of the file that each segment is.
    ///
    /// # Errors
    ///
    /// The rule broken by a segment that leaves the data or the file.
    pub fn segments(&self) -> Result<Vec<Span>, Error> {
        (0..self.segment_count()?).map(|index| self.segment(index)).collect()
    }

    /// Says where the bytes of the segments are to be had: what the JSON has under `data` in the entry of each.
    pub fn set_data(&mut self, data: Vec<serde_json::Value>) {
        self.data = data;
    }

    /// The error of distinct ranges that together have more bytes than the file.
    fn overlap(&self, index: u32, span: Span) -> Error {
        let rule = match self.root {
            Root::Pte(_) => &segments::SEG_NO_OVERLAP,
            Root::Ptd(_) => &flat_tensor::FT_SEG_NO_OVERLAP,
        };
        let error = crate::Error::broken(rule, span, "DataSegment", span.end(), self.image.len());
        Error::at(error, alloc::format!("segments[{index}]"))
    }

    fn segment_count(&self) -> Result<u32, Error> {
        let count = match &self.root {
            Root::Pte(file) => file.program().segments()?.map(Vector::len),
            Root::Ptd(file) => file.segments()?.map(Vector::len),
        };
        Ok(u32::try_from(count.unwrap_or(0)).unwrap_or(u32::MAX))
    }

    /// The segment's offset and size as they stand in the file.
    fn segment_entry(&self, index: u32) -> Result<Option<(u64, u64)>, Error> {
        let index = index as usize;
        Ok(match &self.root {
            Root::Pte(file) => match file.program().segments()?.and_then(|list| list.get(index)).transpose()? {
                Some(entry) => Some((entry.offset()?, entry.size()?)),
                None => None,
            },
            Root::Ptd(file) => match file.segments()?.and_then(|list| list.get(index)).transpose()? {
                Some(entry) => Some((entry.offset()?, entry.size()?)),
                None => None,
            },
        })
    }

    /// The segment's place in the file, its range checked.
    fn segment(&self, index: u32) -> Result<Span, Error> {
        match &self.root {
            Root::Pte(file) => file.segment(index),
            Root::Ptd(file) => file.segment(index),
        }
        .map_err(|error| Error::at(error, alloc::format!("segments[{index}]")))
    }

    fn segment_json(&self, index: u32) -> Result<Segment<'_>, Error> {
        let (offset, size) = self.segment_entry(index)?.unwrap_or_default();
        let sha256 = match &self.digests {
            Some(digests) => {
                let span = self.segment(index)?;
                digests.get(&(span.offset, span.len)).map(|digest| Hex(digest))
            }
            None => None,
        };
        Ok(Segment { offset, size, sha256, data: self.data.get(index as usize) })
    }
}

/// Walks the tables behind `root` up to the first fault.
fn hold_together<'a, T: TableView<'a>>(_root: T, region: &'a [u8], limits: Limits) -> Result<(), Error> {
    let apparent_size = limits.apparent_size.min((1 << 20) + 16 * region.len() as u64);
    let (first, _, flow) = walk::<T, _>(region, Limits { apparent_size, ..limits }, FirstFault::default());
    first.verdict(flow, region)
}

/// The canonical JSON of a file that is held whole, digests included, as a tree whose members are sorted by name.
///
/// # Errors
///
/// As [`File::open_within`] with [`VALUE_LIMITS`], and [`File::hash`].
pub fn to_value(bytes: &[u8]) -> Result<serde_json::Value, Error> {
    let image = Image::whole(bytes);
    let mut file = File::open_within(image, VALUE_LIMITS)?;
    file.hash(|span, sink| {
        sink(image.slice(span, "DataSegment")?);
        Ok::<_, Error>(())
    })?;
    // The walk has met every fault that serializing could, so this error has no occasion.
    let whole = Span::new(0, image.len());
    serde_json::to_value(&file).map_err(|_| crate::Error::new(ErrorCode::Missing, Stage::Structure, whole, "").into())
}

impl Serialize for File<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("kind", &self.kind())?;
        match &self.root {
            Root::Pte(file) => {
                map.serialize_entry("header", &file.header().map(PteHeader::from))?;
                map.serialize_entry("program", &TableJson::of(file.program()))?;
            }
            Root::Ptd(file) => {
                map.serialize_entry("header", &PtdHeader::from(file.header()))?;
                match file.layout() {
                    Layout::Current(root) => map.serialize_entry("flat_tensor", &TableJson::of(root))?,
                    Layout::Older(root) => map.serialize_entry("flat_tensor", &TableJson::of(root))?,
                }
            }
        }
        map.serialize_entry("segments", &Segments(self))?;
        map.end()
    }
}

#[derive(Serialize)]
struct PteHeader {
    length: u32,
    program_size: u64,
    segment_base_offset: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    segment_data_size: Option<u64>,
}

impl From<pte::Header> for PteHeader {
    fn from(header: pte::Header) -> Self {
        let pte::Header { length, program_size, segment_base_offset, segment_data_size } = header;
        Self { length, program_size, segment_base_offset, segment_data_size }
    }
}

#[derive(Serialize)]
struct PtdHeader {
    length: u32,
    flatbuffer_offset: u64,
    flatbuffer_size: u64,
    segment_base_offset: u64,
    segment_data_size: u64,
}

impl From<ptd::Header> for PtdHeader {
    fn from(header: ptd::Header) -> Self {
        let ptd::Header { length, flatbuffer_offset, flatbuffer_size, segment_base_offset, segment_data_size } = header;
        Self { length, flatbuffer_offset, flatbuffer_size, segment_base_offset, segment_data_size }
    }
}

#[derive(Serialize)]
struct Segment<'a> {
    offset: u64,
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<Hex<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a serde_json::Value>,
}

/// The segment table, digests beside it.
struct Segments<'f, 'a>(&'f File<'a>);

impl Serialize for Segments<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let file = self.0;
        let count = file.segment_count().map_err(S::Error::custom)?;
        let mut list = serializer.serialize_seq(Some(count as usize))?;
        for index in 0..count {
            list.serialize_element(&file.segment_json(index).map_err(S::Error::custom)?)?;
        }
        list.end()
    }
}

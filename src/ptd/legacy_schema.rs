//! The older data schema: every table behind `FT01` in release 0.6.0. [`LegacyFlatTensor`] is the root.
//!
//! It shares [`DataSegment`] with the current schema. Its named data has no layouts: a slot for one is newer than it.

use crate::ScalarType;
use crate::flatbuffer::schema::tables;
use crate::ptd::schema::DataSegment;

tables! {
    /// One tensor and where its bytes are.
    TensorMetadata<'a> = 96 {
        /// The tensor's name in the exported module.
        0 fully_qualified_name: str,
        /// Type of the elements.
        1 scalar_type: ScalarType,
        /// Extent of each dimension, in elements.
        2 sizes: [i32],
        /// The dimensions from the outermost in memory to the innermost.
        3 dim_order: [u8],
        /// Index into `segments`.
        4 segment_index: u32,
        /// From the segment's start, in bytes.
        5 offset: u64,
    }
    /// A blob looked up by key.
    LegacyNamedData<'a> = 97 {
        /// Its key.
        0 key: str,
        /// Index into `segments`.
        1 segment_index: u32,
    }
    /// A whole data file of the older layout.
    LegacyFlatTensor<'a> = 98 {
        /// Version of the schema's meaning; 0 is the only one there has been.
        0 version: u32,
        /// What tensor offsets are a multiple of.
        1 tensor_alignment: u32,
        /// The tensors.
        2 tensors: [TensorMetadata<'a>],
        /// The data behind the FlatBuffer, relative to the header's base.
        3 segments: [DataSegment<'a>],
        /// Blobs; release 0.6.0's C++ writer leaves the field out.
        4 named_data: [LegacyNamedData<'a>],
    }
}

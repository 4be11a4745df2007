//! The legacy data schema: the tables of the `FT01` files that release 0.6.0 writes.
//!
//! [`LegacyFlatTensor`] is the root. Both data schemas use the table [`DataSegment`]. Legacy named data has no tensor
//! layouts, because these were added in release 0.7.0.

use crate::ScalarType;
use crate::flatbuffer::schema::tables;
use crate::ptd::schema::DataSegment;

tables! {
    /// A tensor, and where its bytes are.
    #[since = "0.6.0"]
    TensorMetadata<'a> = 96 {
        /// The tensor's name in the exported module, by which readers look up the tensor.
        0 fully_qualified_name: str,
        /// Type of the elements.
        1 scalar_type: ScalarType,
        /// Number of elements in each dimension; empty for rank 0.
        2 sizes: [i32],
        /// The dimensions in memory order, from outermost to innermost.
        3 dim_order: [u8],
        /// Index into `segments`.
        #[writer = "nobody; the value is 0"]
        4 segment_index: u32,
        /// Offset of the first byte from the start of the segment.
        5 offset: u64,
    }
    /// A blob and its key.
    #[since = "0.6.0"]
    LegacyNamedData<'a> = 97 {
        /// The key by which readers look up the blob.
        0 key: str,
        /// Index into `segments`.
        1 segment_index: u32,
    }
    /// The root table: the tensors of a legacy data file.
    #[since = "0.6.0"]
    LegacyFlatTensor<'a> = 98 {
        /// Version of the schema; 0 in every release.
        #[writer = "nobody; the value is 0"]
        0 version: u32,
        /// The alignment of each tensor's `offset`, in bytes.
        #[writer = "exporter, 16 by default"]
        1 tensor_alignment: u32,
        /// The tensors, in no particular order.
        2 tensors: [TensorMetadata<'a>],
        /// The ranges of data after the FlatBuffer.
        3 segments: [DataSegment<'a>],
        /// The blobs that are not tensors.
        #[writer = "Python exporter, often an empty list; never the C++ writer"]
        4 named_data: [LegacyNamedData<'a>],
    }
}

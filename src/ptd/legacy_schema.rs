//! The legacy data schema: the tables of `FT01` files from release 0.6.0.
//!
//! [`LegacyFlatTensor`] is the root.
//!
//! Both schemas use [`DataSegment`]. Named data has no tensor layouts; they were added after release 0.6.0.

use crate::ScalarType;
use crate::flatbuffer::schema::tables;
use crate::ptd::schema::DataSegment;

tables! {
    /// A tensor and the position of its bytes.
    TensorMetadata<'a> = 96 {
        /// The tensor's name in the exported module. Readers look up the tensor by this name.
        #[since = "0.6.0"]
        0 fully_qualified_name: str,
        /// Type of the elements.
        #[since = "0.6.0"]
        1 scalar_type: ScalarType,
        /// Number of elements in each dimension; empty for rank 0.
        #[since = "0.6.0"]
        2 sizes: [i32],
        /// The dimensions, from the outermost in memory to the innermost.
        #[since = "0.6.0"]
        3 dim_order: [u8],
        /// Index into `segments`.
        #[since = "0.6.0"]
        #[writer = "exporter, always 0"]
        4 segment_index: u32,
        /// Position of the first byte, relative to the start of the segment.
        #[since = "0.6.0"]
        5 offset: u64,
    }
    /// A blob and its key.
    LegacyNamedData<'a> = 97 {
        /// The key of the blob. Readers look up the blob by this key.
        #[since = "0.6.0"]
        0 key: str,
        /// Index into `segments`.
        #[since = "0.6.0"]
        1 segment_index: u32,
    }
    /// The root table of a data file in the legacy layout.
    LegacyFlatTensor<'a> = 98 {
        /// Version of the schema; 0 in every release.
        #[since = "0.6.0"]
        #[writer = "omitted, as 0 is the default"]
        0 version: u32,
        /// Every tensor's `offset` is a multiple of this number.
        #[since = "0.6.0"]
        #[writer = "exporter, 16 by default"]
        1 tensor_alignment: u32,
        /// The tensors, in no particular order.
        #[since = "0.6.0"]
        2 tensors: [TensorMetadata<'a>],
        /// The ranges of data after the FlatBuffer, relative to the header's base.
        #[since = "0.6.0"]
        3 segments: [DataSegment<'a>],
        /// The blobs that are not tensors.
        #[since = "0.6.0"]
        #[writer = "Python exporter, often empty; the C++ writer omits it"]
        4 named_data: [LegacyNamedData<'a>],
    }
}

//! The schema of data files: every table of the current `FT01` layout. [`FlatTensor`] is the root.

use crate::ScalarType;
use crate::flatbuffer::schema::tables;

tables! {
    /// A blob's type and shape, if it is a tensor.
    #[since = "0.7.0"]
    TensorLayout<'a> = 64 {
        /// Type of the elements.
        0 scalar_type: ScalarType,
        /// Number of elements in each dimension; empty for rank 0.
        1 sizes: [i32],
        /// The dimensions in memory order, from outermost to innermost.
        2 dim_order: [u8],
    }
    /// A range of bytes after the FlatBuffer.
    #[since = "0.6.0"]
    DataSegment<'a> = 65 {
        /// Offset of the first byte from the header's `segment_base_offset`.
        0 offset: u64,
        /// Number of bytes, without padding.
        1 size: u64,
    }
    /// A blob and its key.
    #[since = "0.6.0"]
    NamedData<'a> = 66 {
        /// The key by which readers look up the blob.
        0 key: str,
        /// Index into `FlatTensor.segments`; several keys may share a segment.
        1 segment_index: u32,
        /// The blob's type and shape as a tensor; absent for an opaque blob.
        #[since = "0.7.0"]
        #[writer = "exporter, for tensors only"]
        2 tensor_layout: TensorLayout<'a>,
    }
    /// The root table: a data file's blobs.
    #[since = "0.6.0"]
    FlatTensor<'a> = 67 {
        /// Version of the schema; 0 in every release.
        #[writer = "nobody; the value is 0"]
        0 version: u32,
        /// The ranges of data after the FlatBuffer.
        #[since = "0.7.0"]
        1 segments: [DataSegment<'a>],
        /// The blobs, in no particular order.
        #[since = "0.7.0"]
        2 named_data: [NamedData<'a>],
    }
}

//! The schema of data files: every table of the current `FT01` layout. [`FlatTensor`] is the root.

use crate::ScalarType;
use crate::flatbuffer::schema::tables;

tables! {
    /// The type and shape of a blob that is a tensor.
    TensorLayout<'a> = 64 {
        /// Type of the elements.
        #[since = "0.7.0"]
        #[writer = "exporter, for each tensor"]
        0 scalar_type: ScalarType,
        /// Number of elements in each dimension; empty for rank 0.
        #[since = "0.7.0"]
        #[writer = "exporter, for each tensor"]
        1 sizes: [i32],
        /// The dimensions, from the outermost in memory to the innermost.
        #[since = "0.7.0"]
        #[writer = "exporter, for each tensor"]
        2 dim_order: [u8],
    }
    /// A range of the data after the FlatBuffer.
    DataSegment<'a> = 65 {
        /// Position of the first byte, relative to the header's `segment_base_offset`.
        #[since = "0.6.0"]
        0 offset: u64,
        /// Number of bytes, without padding.
        #[since = "0.6.0"]
        1 size: u64,
    }
    /// A blob and its key.
    NamedData<'a> = 66 {
        /// The key by which readers look up the blob.
        #[since = "0.6.0"]
        0 key: str,
        /// Index into `FlatTensor.segments`; several keys may share a segment.
        #[since = "0.6.0"]
        1 segment_index: u32,
        /// Type and shape of the blob as a tensor; absent for an opaque blob.
        #[since = "0.7.0"]
        #[writer = "exporter, for tensors only"]
        2 tensor_layout: TensorLayout<'a>,
    }
    /// A data file.
    FlatTensor<'a> = 67 {
        /// Version of the schema; 0 in every release.
        #[since = "0.6.0"]
        #[writer = "omitted, as 0 is the default"]
        0 version: u32,
        /// The ranges of data after the FlatBuffer, relative to the header's base.
        #[since = "0.7.0"]
        1 segments: [DataSegment<'a>],
        /// The blobs, in no particular order.
        #[since = "0.7.0"]
        2 named_data: [NamedData<'a>],
    }
}

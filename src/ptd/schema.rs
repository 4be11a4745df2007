//! The data schema: every table behind `FT01` since release 0.7.0. [`FlatTensor`] is the root.

use crate::ScalarType;
use crate::flatbuffer::schema::tables;

tables! {
    /// What a blob is as a tensor.
    TensorLayout<'a> = 64 {
        /// Type of the elements.
        0 scalar_type: ScalarType,
        /// Extent of each dimension, in elements.
        1 sizes: [i32],
        /// The dimensions from the outermost in memory to the innermost.
        2 dim_order: [u8],
    }
    /// A range of the data behind the FlatBuffer.
    DataSegment<'a> = 65 {
        /// From the header's `segment_base_offset`, in bytes.
        0 offset: u64,
        /// In bytes.
        1 size: u64,
    }
    /// A blob looked up by key.
    NamedData<'a> = 66 {
        /// Its key.
        0 key: str,
        /// Index into `FlatTensor.segments`.
        1 segment_index: u32,
        /// What it is as a tensor; absent for an opaque blob.
        2 tensor_layout: TensorLayout<'a>,
    }
    /// A whole data file.
    FlatTensor<'a> = 67 {
        /// Version of the schema's meaning; 0 is the only one there has been.
        0 version: u32,
        /// The data behind the FlatBuffer, relative to the header's base.
        1 segments: [DataSegment<'a>],
        /// The blobs.
        2 named_data: [NamedData<'a>],
    }
}

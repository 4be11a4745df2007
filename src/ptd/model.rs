//! **The data schemas as structs that own what they hold**, and writing them: [`FlatTensor`] is the root of the current one,
//! [`OlderFlatTensor`] of the older one.
//!
//! A model is read from a view, made, changed, and written with its segments' bytes. What breaks a must-rule is not written:
//! the raw layer, [`write`](mod@super::write) over trees, writes anything.
//!
//! ```
//! use torchproof::ScalarType;
//! use torchproof::ptd::model::{FlatTensor, NamedData, TensorLayout};
//! use torchproof::ptd::write::{FileLayout, SegmentData};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let layout = TensorLayout::contiguous(ScalarType::FLOAT, &[2, 2]);
//! let root = FlatTensor::new([NamedData::tensor("weight", 0, layout), NamedData::blob("tokenizer", 1)]);
//! let file = root.write(&[SegmentData::new(&[0; 16]), SegmentData::new(b"text")], &FileLayout::CURRENT)?;
//! let open = torchproof::ptd::Ptd::open(&file)?;
//! assert_eq!(open.tensor_bytes(b"weight")?.map(<[u8]>::len), Some(16));
//! # Ok(()) }
//! ```

pub use super::older_schema::owned_tables::{OlderFlatTensor, OlderNamedData, TensorMetadata};
pub use super::schema::owned_tables::*;
pub use crate::flatbuffer::model::Text;
pub use crate::write::Refusal;

use alloc::vec::Vec;

use super::write::{self, FileLayout, SegmentData};
use crate::ScalarType;
use crate::check::Kind;
use crate::write::refusal::{checked_file, checked_plan};
use crate::write::{Plan, Root, Shape, shapes_of};

macro_rules! roots {
    ($($root:ident as $kind:ident in $layout:ident;)*) => {$(
        impl $root {
            /// Writes the model and these segments as a file that breaks no must-rule.
            ///
            /// `segments` is filled in from the segments' places, whatever it holds.
            #[doc = concat!("The official writer's layout is [`FileLayout::", stringify!($layout), "`].")]
            ///
            /// # Errors
            ///
            /// [`Refusal`], by whose fault it is.
            pub fn write(&self, segments: &[SegmentData<'_>], layout: &FileLayout) -> Result<Vec<u8>, Refusal> {
                checked_file(write::plan_root(self, &shapes_of(segments), layout, write::Deviations::default())?.with_bytes(segments)?, Kind::$kind)
            }

            /// Plans the file for segments whose bytes are not in memory: all but them.
            ///
            /// # Errors
            ///
            #[doc = concat!("As [`", stringify!($root), "::write`].")]
            pub fn plan(&self, shapes: &[Shape], layout: &FileLayout) -> Result<Plan, Refusal> {
                checked_plan(write::plan_root(self, shapes, layout, write::Deviations::default())?, Kind::$kind)
            }
        }
    )*};
}

impl Root for FlatTensor {
    fn keeps(&self, _: &str) -> bool {
        false
    }
}

/// An alignment of 0 is kept too: the model cannot tell it from one that was left out, and a file may say it.
impl Root for OlderFlatTensor {
    fn keeps(&self, field: &str) -> bool {
        field == "tensor_alignment"
    }
}

roots! {
    FlatTensor as Ptd in CURRENT;
    OlderFlatTensor as PtdLegacy in OLDER;
}

/// As many dimensions in their own order, or all that a byte can hold.
pub(crate) fn contiguous(rank: usize) -> Vec<u8> {
    (0..=u8::MAX).take(rank).collect()
}

impl FlatTensor {
    /// A data file of these blobs.
    ///
    /// ```
    /// use torchproof::ptd::model::{FlatTensor, NamedData};
    /// assert_eq!(FlatTensor::new([NamedData::blob("tokenizer", 0)]).version, 0);
    /// ```
    #[must_use]
    pub fn new(named_data: impl Into<Vec<NamedData>>) -> Self {
        Self { named_data: Some(named_data.into()), ..Self::default() }
    }
}

impl NamedData {
    /// The segment of this index as a tensor, under a key.
    ///
    /// ```
    /// use torchproof::ScalarType;
    /// use torchproof::ptd::model::{NamedData, TensorLayout};
    /// let entry = NamedData::tensor("weight", 0, TensorLayout::contiguous(ScalarType::FLOAT, &[2]));
    /// assert_eq!(entry.key.unwrap(), "weight");
    /// ```
    #[must_use]
    pub fn tensor(key: impl Into<Text>, segment_index: u32, layout: TensorLayout) -> Self {
        Self { key: Some(key.into()), segment_index, tensor_layout: Some(layout) }
    }

    /// The segment of this index as an opaque blob, under a key.
    ///
    /// ```
    /// use torchproof::ptd::model::NamedData;
    /// assert_eq!(NamedData::blob("tokenizer", 3).tensor_layout, None);
    /// ```
    #[must_use]
    pub fn blob(key: impl Into<Text>, segment_index: u32) -> Self {
        Self { key: Some(key.into()), segment_index, tensor_layout: None }
    }
}

impl TensorLayout {
    /// A tensor of these sizes, in elements, whose dimensions stand in memory in their own order.
    ///
    /// Readers take 16 dimensions at most. The order has a byte for each, so beyond 256 it is shorter than the sizes, and such a
    /// tensor breaks a must-rule.
    ///
    /// ```
    /// use torchproof::ScalarType;
    /// use torchproof::ptd::model::TensorLayout;
    /// assert_eq!(TensorLayout::contiguous(ScalarType::FLOAT, &[2, 3]).dim_order, Some(vec![0, 1]));
    /// ```
    #[must_use]
    pub fn contiguous(scalar_type: ScalarType, sizes: &[i32]) -> Self {
        let dim_order = Some(contiguous(sizes.len()));
        Self { scalar_type, sizes: Some(sizes.to_vec()), dim_order }
    }
}

impl OlderFlatTensor {
    /// A data file of these tensors, and of no blobs.
    ///
    /// `tensor_alignment` is 16 here, what release 0.6.0 used, and is written as the model has it, whatever the layout: each
    /// tensor's offset is a multiple of it. A 0 says nothing of the offsets, and breaks the should-rule `ptdB-alignment`.
    ///
    /// ```
    /// use torchproof::ScalarType;
    /// use torchproof::ptd::model::{OlderFlatTensor, TensorMetadata};
    /// use torchproof::ptd::write::{FileLayout, SegmentData};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// // As release 0.6.0 writes them: all tensors in one segment, each at a multiple of 16.
    /// let tensor = |name, offset| TensorMetadata::contiguous(name, ScalarType::FLOAT, &[2], 0, offset);
    /// let root = OlderFlatTensor::new([tensor("a", 0), tensor("b", 16)]);
    /// let file = root.write(&[SegmentData::new(&[0; 24])], &FileLayout::OLDER)?;
    /// assert_eq!(torchproof::ptd::Ptd::open(&file)?.tensor_bytes(b"b")?, Some(&[0; 8][..]));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn new(tensors: impl Into<Vec<TensorMetadata>>) -> Self {
        Self { tensor_alignment: 16, tensors: Some(tensors.into()), named_data: Some(Vec::new()), ..Self::default() }
    }
}

impl TensorMetadata {
    /// A tensor of these sizes, in elements, whose dimensions stand in memory in their own order; its bytes begin at `offset`
    /// in the segment of this index. There are as many dimensions at most as in [`TensorLayout::contiguous`].
    ///
    /// ```
    /// use torchproof::ScalarType;
    /// use torchproof::ptd::model::TensorMetadata;
    /// assert_eq!(TensorMetadata::contiguous("b", ScalarType::FLOAT, &[2], 0, 16).offset, 16);
    /// ```
    #[must_use]
    pub fn contiguous(
        name: impl Into<Text>,
        scalar_type: ScalarType,
        sizes: &[i32],
        segment_index: u32,
        offset: u64,
    ) -> Self {
        let dim_order = Some(contiguous(sizes.len()));
        let sizes = Some(sizes.to_vec());
        Self { fully_qualified_name: Some(name.into()), scalar_type, sizes, dim_order, segment_index, offset }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;

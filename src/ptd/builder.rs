//! **Builds the tables of a data file** as [`TableTree`]s.

use alloc::vec::Vec;

use super::schema::TensorLayout;
use crate::ScalarType;
use crate::flatbuffer::schema::{TableType, TableView};
use crate::flatbuffer::tree::TableTree;

/// Builds the layout of a contiguous tensor. `sizes` contains the number of elements in each dimension.
///
/// Readers accept at most 16 dimensions. If there are more than 256, `dim_order` cannot list them all, so the layout
/// violates a must-rule.
///
/// ```
/// use torchproof::ScalarType;
/// use torchproof::ptd::tensor_layout;
/// let layout = tensor_layout(ScalarType::FLOAT, &[2, 3]);
/// assert_eq!(layout.get("dim_order").unwrap().as_bytes(), Some(&[0, 1][..]));
/// ```
#[must_use]
pub fn tensor_layout(scalar_type: ScalarType, sizes: &[i32]) -> TableTree {
    dense(TensorLayout::TYPE, scalar_type, sizes, contiguous(sizes.len()))
}

/// The fields common to all tensor tables.
pub(crate) fn dense(
    ty: &'static TableType,
    scalar_type: ScalarType,
    sizes: &[i32],
    dim_order: impl Into<Vec<u8>>,
) -> TableTree {
    TableTree::new(ty)
        .with("scalar_type", scalar_type)
        .with("sizes", sizes)
        .with("dim_order", dim_order.into())
        .without_defaults()
}

/// Returns at most 256 numbers.
pub(crate) fn contiguous(rank: usize) -> Vec<u8> {
    (0..=u8::MAX).take(rank).collect()
}

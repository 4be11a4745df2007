//! Checks tensor layouts in programs, bundled values and data files. A layout is the scalar type, sizes, dimension
//! order and number of bytes.

use core::fmt;

use crate::flatbuffer::schema::Element;
use crate::flatbuffer::walk::{Flow, OffsetTarget, Path};
use crate::flatbuffer::{Broken, Table, Vector};
use crate::layout::{SizeError, nbytes};
use crate::ptd::schema::brief::TensorLayout;
use crate::rules::{RuleKey, bundled, flat_tensor as current, legacy_flat_tensor as legacy, tensors as program};
use crate::{ScalarType, Span};

use super::finding::Reporter;

/// The maximum number of dimensions that the runtime supports.
pub(super) const MAX_RANK: usize = 16;

pub(super) struct TensorLayoutRules {
    scalar: RuleKey,
    sizes: RuleKey,
    dim_order: RuleKey,
    rank: RuleKey,
    order_len: RuleKey,
    permutation: RuleKey,
    sizes_nonneg: RuleKey,
    numel: RuleKey,
    nbytes: RuleKey,
    /// The rule for lists of sizes such as `[a, b, 0]`: the product of the sizes before the 0 must not overflow.
    prefix: Option<RuleKey>,
}

pub(super) static PROGRAM: TensorLayoutRules = TensorLayoutRules {
    scalar: program::T_SCALAR_TYPE.key(),
    sizes: program::T_SIZES_NONNULL.key(),
    dim_order: program::T_DIMORDER_NONNULL.key(),
    rank: program::T_RANK_MAX.key(),
    order_len: program::T_DIMORDER_LEN.key(),
    permutation: program::T_DIMORDER_PERM.key(),
    sizes_nonneg: program::T_SIZES_NONNEG.key(),
    numel: program::T_NUMEL_OVERFLOW.key(),
    nbytes: program::T_NBYTES_OVERFLOW.key(),
    prefix: None,
};

pub(super) static CURRENT: TensorLayoutRules = TensorLayoutRules {
    scalar: current::FT_LAYOUT_SCALAR.key(),
    sizes: current::FT_LAYOUT_SIZES.key(),
    dim_order: current::FT_LAYOUT_DIMORDER.key(),
    rank: current::FT_LAYOUT_RANK.key(),
    order_len: current::FT_LAYOUT_RANK.key(),
    permutation: current::FT_LAYOUT_PERM.key(),
    sizes_nonneg: current::FT_LAYOUT_SIZES_NONNEG.key(),
    numel: current::FT_LAYOUT_NBYTES.key(),
    nbytes: current::FT_LAYOUT_NBYTES.key(),
    prefix: Some(current::FT_LAYOUT_PREFIX.key()),
};

pub(super) static LEGACY: TensorLayoutRules = TensorLayoutRules {
    scalar: legacy::PTDB_LAYOUT_SCALAR.key(),
    sizes: legacy::PTDB_LAYOUT_SIZES.key(),
    dim_order: legacy::PTDB_LAYOUT_DIMORDER.key(),
    rank: legacy::PTDB_LAYOUT_RANK.key(),
    order_len: legacy::PTDB_LAYOUT_RANK.key(),
    permutation: legacy::PTDB_LAYOUT_PERM.key(),
    sizes_nonneg: legacy::PTDB_LAYOUT_SIZES_NONNEG.key(),
    numel: legacy::PTDB_LAYOUT_NBYTES.key(),
    nbytes: legacy::PTDB_LAYOUT_NBYTES.key(),
    prefix: None,
};

pub(super) static BUNDLED: TensorLayoutRules = TensorLayoutRules {
    scalar: bundled::BP_TENSOR_DATA.key(),
    sizes: bundled::BP_TENSOR_DATA.key(),
    dim_order: bundled::BP_TENSOR_DATA.key(),
    rank: bundled::BP_TENSOR_DATA.key(),
    order_len: bundled::BP_TENSOR_DATA.key(),
    permutation: bundled::BP_TENSOR_DATA.key(),
    sizes_nonneg: bundled::BP_TENSOR_DATA.key(),
    numel: bundled::BP_TENSOR_DATA.key(),
    nbytes: bundled::BP_TENSOR_DATA.key(),
    prefix: None,
};

/// A table's tensor layout, unchecked.
pub(super) struct StoredLayout<'a> {
    pub(super) table: Table<'a>,
    pub(super) scalar_type: ScalarType,
    /// The vtable slot of `scalar_type`, which gives the span for findings about this field.
    pub(super) scalar_slot: u16,
    pub(super) sizes: OffsetTarget<Vector<'a, i32>>,
    pub(super) dim_order: OffsetTarget<Vector<'a, u8>>,
}

#[derive(Clone, Copy)]
pub(super) struct CheckedLayout {
    /// The number of bytes that the layout describes; `None` if it cannot be computed.
    pub(super) bytes: Option<u64>,
    pub(super) ordered: bool,
}

/// The fast path: returns the number of bytes that a simple, valid layout describes. For any other layout, returns
/// `None`, and the caller must call [`check`]. A simple layout has a known scalar type, no dimension of size 0, fewer
/// than 2^31 bytes, and its dimensions in ascending order.
#[inline]
pub(super) fn ordinary(
    scalar_type: ScalarType,
    sizes: OffsetTarget<Vector<'_, i32>>,
    dim_order: OffsetTarget<Vector<'_, u8>>,
) -> Option<u64> {
    const MOST: u64 = i32::MAX as u64;
    let (OffsetTarget::Here(sizes), OffsetTarget::Here(dim_order)) = (sizes, dim_order) else { return None };
    let (sizes, _) = sizes.as_bytes().as_chunks::<4>();
    let order = dim_order.as_bytes();
    if sizes.len() != order.len() || sizes.len() > MAX_RANK {
        return None;
    }
    let mut bytes = scalar_type.element_size()?;
    for (index, (size, dimension)) in sizes.iter().zip(order).enumerate() {
        // As an unsigned number, a negative size is so large that the product exceeds the limit.
        bytes *= u64::from(u32::from_le_bytes(*size));
        if bytes == 0 || bytes > MOST || usize::from(*dimension) != index {
            return None;
        }
    }
    Some(bytes)
}

#[cold]
pub(super) fn check(
    rules: &TensorLayoutRules,
    layout: &StoredLayout<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Result<CheckedLayout, super::Stop> {
    const UNKNOWN: CheckedLayout = CheckedLayout { bytes: None, ordered: false };
    let scalar = layout.scalar_type;
    let scalar_known = scalar.element_size().is_some();
    if !scalar_known {
        let at = layout.table.field_span(layout.scalar_slot, 1).unwrap_or(layout.table.span());
        let message = format_args!("scalar type is {}, expected 0 to 29", scalar.0);
        reporter.report(rules.scalar, &path.field("scalar_type"), at, message)?;
    }
    let (OffsetTarget::Here(sizes), OffsetTarget::Here(dim_order)) = (layout.sizes, layout.dim_order) else {
        return absent(rules, layout, path, reporter).map(|()| UNKNOWN);
    };
    if sizes.len() > MAX_RANK {
        let message = format_args!("found {} dimensions, expected at most {MAX_RANK}", sizes.len());
        reporter.report(rules.rank, &path.field("sizes"), sizes.span(), message)?;
        return Ok(UNKNOWN);
    }
    let ordered = check_order(rules, sizes, dim_order, path, reporter)?;
    let path = &path.field("sizes");
    let (rule, place, why) = match nbytes(scalar, sizes) {
        Ok(bytes) => {
            if let Some(rule) = rules.prefix.filter(|_| bytes == 0 && product_overflows(sizes)) {
                let message = format_args!(
                    "sizes are {}: the product of the sizes before the 0 does not fit in 63 bits",
                    QuotedList(sizes)
                );
                reporter.report(rule, path, sizes.span(), message)?;
            }
            return Ok(CheckedLayout { bytes: Some(bytes), ordered });
        }
        Err(SizeError::ScalarType(_)) => return Ok(UNKNOWN),
        Err(why @ SizeError::NegativeSize { dimension, .. }) => {
            (rules.sizes_nonneg, sizes.element_span(dimension), why)
        }
        Err(why @ SizeError::TooManyElements) => (rules.numel, sizes.span(), why),
        Err(why @ SizeError::TooManyBytes) => (rules.nbytes, sizes.span(), why),
    };
    reporter.report(rule, path, place, format_args!("sizes are {}: {why}", QuotedList(sizes)))?;
    Ok(UNKNOWN)
}

/// Returns whether multiplying the sizes from left to right overflows 63 bits at any step.
fn product_overflows(sizes: Vector<'_, i32>) -> bool {
    let multiply = |product: i64, size: i32| product.checked_mul(size.into());
    sizes.iter().try_fold(1, multiply).is_none()
}

/// A list for messages. Prints its first [`MAX_RANK`] items, as in `[2, 3]`.
pub(super) struct QuotedList<'a, T>(pub(super) Vector<'a, T>);

impl<'a, T: Element<'a, Item: fmt::Display>> fmt::Display for QuotedList<'a, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for index in 0..self.0.len().min(MAX_RANK) {
            let comma = if index == 0 { "" } else { ", " };
            if let Some(item) = self.0.get(index) {
                write!(f, "{comma}{item}")?;
            }
        }
        f.write_str(if self.0.len() > MAX_RANK { ", …]" } else { "]" })
    }
}

/// Reports absent sizes or, if they are present, an absent dimension order. Ignores faulty lists, which the
/// verification pass has already reported.
#[cold]
fn absent(rules: &TensorLayoutRules, layout: &StoredLayout<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    if layout.sizes.is_absent() {
        return reporter.absent(rules.sizes, "sizes", layout.table, path);
    }
    if layout.dim_order.is_absent() {
        return reporter.absent(rules.dim_order, "dim_order", layout.table, path);
    }
    Ok(())
}

/// Returns whether the dimension order is a permutation; if not, reports it.
fn check_order(
    rules: &TensorLayoutRules,
    sizes: Vector<'_, i32>,
    dim_order: Vector<'_, u8>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Result<bool, super::Stop> {
    let (rank, count) = (sizes.len(), dim_order.len());
    let path = &path.field("dim_order");
    if rank != count {
        let place = Span::new(dim_order.span().offset - 4, 4);
        let message = format_args!("dim_order has {count} entries, expected one for each of the {rank} sizes");
        return reporter.report(rules.order_len, path, place, message).map(|()| false);
    }
    let mut seen = 0_u32;
    for (index, dimension) in dim_order.iter().enumerate() {
        let bit = 1_u32.checked_shl(dimension.into()).filter(|_| usize::from(dimension) < rank).unwrap_or(0);
        if bit == 0 || seen & bit != 0 {
            let at = dim_order.element_span(index);
            let twice = format_args!("dimension {dimension} appears twice");
            let beyond = format_args!("dimension is {dimension}, expected less than the rank {rank}");
            let message = if bit == 0 { beyond } else { twice };
            return reporter.report(rules.permutation, path, at, message).map(|()| false);
        }
        seen |= bit;
    }
    Ok(true)
}

#[derive(Clone, Copy, Debug)]
pub(super) struct LayoutDescription<'a> {
    pub(super) scalar_type: ScalarType,
    pub(super) sizes: Vector<'a, i32>,
    pub(super) order: Vector<'a, u8>,
}

impl<'a> LayoutDescription<'a> {
    /// Returns the layout that these fields describe; `None` if a field is absent or faulty.
    #[inline(always)]
    pub(super) fn of(
        scalar_type: Result<ScalarType, Broken>,
        sizes: Result<Option<Vector<'a, i32>>, Broken>,
        order: Result<Option<Vector<'a, u8>>, Broken>,
    ) -> Option<Self> {
        Some(Self { scalar_type: scalar_type.ok()?, sizes: sizes.ok()??, order: order.ok()?? })
    }

    pub(super) fn of_layout(layout: TensorLayout<'a>) -> Option<Self> {
        Self::of(layout.scalar_type(), layout.sizes(), layout.dim_order())
    }
}

impl PartialEq for LayoutDescription<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.scalar_type == other.scalar_type
            && self.sizes.as_bytes() == other.sizes.as_bytes()
            && self.order.as_bytes() == other.order.as_bytes()
    }
}

impl fmt::Display for LayoutDescription<'_> {
    /// Prints the layout, as in `FLOAT [2, 3] in order [0, 1]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.scalar_type.name() {
            Some(name) => f.write_str(name)?,
            None => write!(f, "scalar type {}", self.scalar_type.0)?,
        }
        write!(f, " {} in order {}", QuotedList(self.sizes), QuotedList(self.order))
    }
}

//! Tensor layouts, the same for both layouts of data files: scalar type, sizes, order of dimensions, bytes.

use crate::flatbuffer::walk::{Flow, Path};
use crate::flatbuffer::{Table, Vector};
use crate::layout::{Uncountable, nbytes};
use crate::rules::{Rule, flat_tensor as current, older_flat_tensor as older};
use crate::{ScalarType, Span};

use super::finding::Reporter;

/// The most dimensions that a tensor has in the runtime.
const MAX_RANK: usize = 16;

/// The layout rules of one schema.
pub(super) struct Rules {
    scalar: &'static Rule,
    sizes: &'static Rule,
    dim_order: &'static Rule,
    rank: &'static Rule,
    permutation: &'static Rule,
    sizes_nonneg: &'static Rule,
    nbytes: &'static Rule,
}

pub(super) static CURRENT: Rules = Rules {
    scalar: &current::FT_LAYOUT_SCALAR,
    sizes: &current::FT_LAYOUT_SIZES,
    dim_order: &current::FT_LAYOUT_DIMORDER,
    rank: &current::FT_LAYOUT_RANK,
    permutation: &current::FT_LAYOUT_PERM,
    sizes_nonneg: &current::FT_LAYOUT_SIZES_NONNEG,
    nbytes: &current::FT_LAYOUT_NBYTES,
};

pub(super) static OLDER: Rules = Rules {
    scalar: &older::PTDB_LAYOUT_SCALAR,
    sizes: &older::PTDB_LAYOUT_SIZES,
    dim_order: &older::PTDB_LAYOUT_DIMORDER,
    rank: &older::PTDB_LAYOUT_RANK,
    permutation: &older::PTDB_LAYOUT_PERM,
    sizes_nonneg: &older::PTDB_LAYOUT_SIZES_NONNEG,
    nbytes: &older::PTDB_LAYOUT_NBYTES,
};

/// A layout as the tables hold it.
pub(super) struct Layout<'a> {
    pub(super) table: Table<'a>,
    pub(super) scalar_type: ScalarType,
    /// Slot of `scalar_type`, for its place.
    pub(super) scalar_slot: u16,
    pub(super) sizes: Option<Vector<'a, i32>>,
    pub(super) dim_order: Option<Vector<'a, u8>>,
}

/// Checks a layout on its own; returns how many bytes it describes, once that is known.
pub(super) fn check(
    rules: &Rules,
    layout: &Layout<'_>,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Result<Option<u64>, super::Stop> {
    let place = layout.table.span();
    let scalar = layout.scalar_type;
    let scalar_known = scalar.element_size().is_some();
    if !scalar_known {
        let at = layout.table.field_span(layout.scalar_slot, 1).unwrap_or(place);
        let message = format_args!("scalar type {} is not within 0..=29", scalar.0);
        reporter.report(rules.scalar, &path.field("scalar_type"), at, message)?;
    }
    let Some(sizes) = layout.sizes else {
        reporter.report(rules.sizes, &path.field("sizes"), place, format_args!("sizes is absent"))?;
        return Ok(None);
    };
    let Some(dim_order) = layout.dim_order else {
        reporter.report(rules.dim_order, &path.field("dim_order"), place, format_args!("dim_order is absent"))?;
        return Ok(None);
    };
    if sizes.len() > MAX_RANK {
        let message = format_args!("{} dimensions, above {MAX_RANK}", sizes.len());
        reporter.report(rules.rank, &path.field("sizes"), sizes.span(), message)?;
        return Ok(None);
    }
    check_order(rules, sizes, dim_order, path, reporter)?;
    let path = &path.field("sizes");
    let (rule, place, why) = match nbytes(scalar, sizes) {
        Ok(bytes) => return Ok(Some(bytes)),
        Err(Uncountable::ScalarType(_)) => return Ok(None),
        Err(why @ Uncountable::NegativeSize { dimension, .. }) => {
            (rules.sizes_nonneg, sizes.element_span(dimension), why)
        }
        Err(why @ Uncountable::Overflow) => (rules.nbytes, sizes.span(), why),
    };
    reporter.report(rule, path, place, format_args!("{why}"))?;
    Ok(None)
}

fn check_order(
    rules: &Rules,
    sizes: Vector<'_, i32>,
    dim_order: Vector<'_, u8>,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    let (rank, count) = (sizes.len(), dim_order.len());
    let path = &path.field("dim_order");
    if rank != count {
        let place = Span::new(dim_order.span().offset - 4, 4);
        let message = format_args!("dim_order has {count} entries for {rank} sizes");
        return reporter.report(rules.rank, path, place, message);
    }
    let mut seen = 0_u32;
    for (index, dimension) in dim_order.iter().enumerate() {
        let bit = 1_u32.checked_shl(dimension.into()).filter(|_| usize::from(dimension) < rank).unwrap_or(0);
        if bit == 0 || seen & bit != 0 {
            let why = if bit == 0 { "is not below the rank" } else { "stands there twice" };
            let message = format_args!("dimension {dimension} {why} ({rank})");
            return reporter.report(rules.permutation, path, dim_order.element_span(index), message);
        }
        seen |= bit;
    }
    Ok(())
}

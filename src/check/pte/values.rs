//! Checks a method's values: the type of each value, and the lists that refer to other values.

use crate::error::OutOfRange;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path, Stop, VisitedTable};
use crate::flatbuffer::{Broken, Table, Vector};
use crate::pte::schema::KernelTypes;
use crate::pte::schema::brief::{EValue, IntList, String};
use crate::rules::values as rules;

use super::super::finding::Reporter;
use super::items::outside;
use super::plan::MethodPlan;

/// Checks a value's type. If the type is known and not Null, the verification pass has already checked that the content
/// is there.
#[inline]
pub(super) fn check<'a>(
    value: &VisitedTable<'_, 'a, EValue<'a>>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let ty = value.val_type();
    let known = KernelTypes::Null.0..=KernelTypes::OptionalTensorList.0;
    if known.contains(&ty.0) && value.val().is_some() { Ok(()) } else { unusual(value.view(), ty, path, reporter) }
}

#[cold]
fn unusual(value: EValue<'_>, ty: KernelTypes, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    let has_value = value.table().field(1).is_some();
    if ty == KernelTypes::Null && !has_value {
        let message = format_args!("the Null has no table, expected an empty table");
        return reporter.report(&rules::VAL_NULL_TABLE, &path.field("val"), value.place("val_type"), message);
    }
    // The verification pass has already reported an invalid offset to the content.
    if ty.0 > KernelTypes::OptionalTensorList.0 && has_value && value.val().is_ok() {
        let message = format_args!("value type is {}, expected 1 to 11", ty.0);
        return reporter.report(&rules::VAL_TYPE_KNOWN, &path.field("val_type"), value.place("val_type"), message);
    }
    if ty.0 == 0 && !has_value {
        let message = format_args!("the value has no type and no content");
        return reporter.report(&rules::VAL_NONNULL, &path.field("val"), value.table().span(), message);
    }
    Ok(())
}

pub(super) fn string(string: String<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    reporter.require(&rules::VAL_STRING_NONNULL, "string_val", &string.string_val(), string.table(), path)
}

pub(super) fn items<T>(
    list: Table<'_>,
    items: Result<Option<T>, Broken>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Result<Option<T>, Stop> {
    reporter.require(&rules::VAL_LIST_ITEMS_NONNULL, "items", &items, list, path)?;
    Ok(items.ok().flatten())
}

/// Checks a list of integers. Each item is the index of an integer value, which may come before or after the list.
pub(super) fn int_list(
    list: IntList<'_>,
    plan: &MethodPlan<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let (Some(found), Some(count)) = (items(list.table(), list.items(), path, reporter)?, plan.count()) else {
        return Ok(());
    };
    let path = &path.field("items");
    for (index, item) in found.iter().enumerate() {
        let inside = usize::try_from(item).is_ok_and(|item| item < count);
        let rule = rules::VAL_INTLIST_INDICES.key();
        if !inside {
            let message = format_args!("{}", OutOfRange::new(item, count));
            reporter.report(rule, &path.index(index), found.element_span(index), message)?;
        } else if plan.type_of(item).is_some_and(|ty| ty != KernelTypes::Int) {
            let message = format_args!("value {item} has type {}, expected Int", plan.type_name(item));
            reporter.report(rule, &path.index(index), found.element_span(index), message)?;
        }
    }
    Ok(())
}

/// Checks a list of tensors. Each item must be the index of a Tensor that precedes the list; in an `optional` list, it
/// may also be -1 or a preceding Null.
pub(super) fn tensor_list<'a>(
    list: Table<'a>,
    found: Result<Option<Vector<'a, i32>>, Broken>,
    optional: bool,
    plan: &MethodPlan<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let (Some(found), Some(count)) = (items(list, found, path, reporter)?, plan.count()) else { return Ok(()) };
    let rule = match optional {
        true => rules::VAL_OPTTENSORLIST_INDICES.key(),
        false => rules::VAL_TENSORLIST_INDICES.key(),
    };
    let path = &path.field("items");
    for (index, item) in found.iter().enumerate() {
        if optional && item == -1 {
            continue;
        }
        let (path, at) = (&path.index(index), found.element_span(index));
        if outside(item, count) {
            let message = format_args!("{}", OutOfRange::new(item, count));
            reporter.report(rule, path, at, message)?;
            continue;
        }
        let item = i64::from(item);
        let fits = |ty| ty == KernelTypes::Tensor || optional && ty == KernelTypes::Null;
        if plan.type_of(item).is_some_and(|ty| !fits(ty)) {
            let wanted = if optional { "Tensor or Null" } else { "Tensor" };
            let message = format_args!("value {item} has type {}, expected {wanted}", plan.type_name(item));
            reporter.report(rule, path, at, message)?;
        } else if item >= plan.value as i64 {
            let own = plan.value;
            let message = format_args!("value {item} comes after its list, value {own}; expected an earlier value");
            reporter.report(&rules::VAL_LIST_ORDER, path, at, message)?;
        }
    }
    Ok(())
}

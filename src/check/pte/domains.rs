//! Checks of the stored values and data of arguments, for calls to the runtime's own operators.

use core::fmt;

use crate::flatbuffer::Vector;
use crate::pte::schema::KernelTypes;
use crate::pte::schema::brief::Tensor;
use crate::pte::schema::brief_values::KernelTypesValue;
use crate::pte::signatures::Domain;
use crate::rules::{RuleKey, instructions as rules};

use super::super::layout::MAX_RANK;
use super::plan::{MethodPlan, is_constant};

pub(in crate::check) struct InvalidArgument {
    pub(super) position: usize,
    reason: Reason,
}

enum Reason {
    ZeroDivisor,
    Quotient,
    Dimension { dimension: i64, rank: usize },
    NoElements,
    NoData,
    Inferred,
    Size(i64),
    Product,
}

impl InvalidArgument {
    pub(super) fn rule(&self) -> RuleKey {
        if matches!(self.reason, Reason::NoData) { rules::INS_ARG_DATA.key() } else { rules::INS_ARG_VALUES.key() }
    }
}

impl fmt::Display for InvalidArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Reason::ZeroDivisor => f.write_str("the divisor is 0"),
            Reason::Quotient => f.write_str("the operands are -2^63 and -1, whose quotient does not fit in 64 bits"),
            Reason::Dimension { dimension, rank } => {
                write!(f, "the dimension is {dimension}, expected at least 0 and less than {rank}")
            }
            Reason::NoElements => f.write_str("the tensor has no elements, expected at least 1"),
            Reason::NoData => f.write_str("the tensor has no data, expected stored data or planned memory"),
            Reason::Inferred => f.write_str("two sizes are -1, expected at most one"),
            Reason::Size(size) => write!(f, "a size is {size}, expected at least -1"),
            Reason::Product => f.write_str("the product of the sizes does not fit in 63 bits"),
        }
    }
}

/// Returns the first argument of a call that is outside the domain of the call's operator. The closure `fixed` returns
/// whether the value at an index is the same in every run. `invalid_argument` ignores each value that can differ
/// between runs.
pub(in crate::check) fn invalid_argument(
    domain: Domain,
    args: Vector<'_, i32>,
    plan: &MethodPlan<'_>,
    fixed: &dyn Fn(i32) -> bool,
) -> Option<InvalidArgument> {
    let value = |position: usize| plan.value_of(args.get(position).filter(|index| fixed(*index))?.into());
    let int = |position: usize| int_of(value(position)?);
    let tensor = |position: usize| match value(position)? {
        KernelTypesValue::Tensor(tensor) => Some(tensor),
        _ => None,
    };
    let no_data = |position: usize| tensor(position).is_some_and(lacks_data).then_some((position, Reason::NoData));
    let found = match domain {
        Domain::Any | Domain::Comparable => None,
        // Only an Int divisor can be invalid, because the quotient of a Double and 0 is an infinity or NaN.
        Domain::Division => match (int(0), int(1)) {
            (_, Some(0)) if plan.type_of(args.get(0)?.into()) == Some(KernelTypes::Int) => {
                Some((1, Reason::ZeroDivisor))
            }
            (Some(i64::MIN), Some(-1)) => Some((1, Reason::Quotient)),
            _ => None,
        },
        Domain::Dimension => {
            // The sizes of inputs and results can differ between runs, but the rank is always the same.
            let rank = plan.tensor(args.get(0)?.into())?.sizes().ok()??.len();
            let dimension = int(1).filter(|dimension| !(0..rank as i64).contains(dimension))?;
            Some((1, Reason::Dimension { dimension, rank }))
        }
        Domain::Element if !has_elements(tensor(0)?) => Some((0, Reason::NoElements)),
        Domain::Element => no_data(0),
        Domain::Slice => no_data(0).or_else(|| no_data(1)),
        Domain::View => sizes(value(1), plan, fixed).map(|reason| (1, reason)),
    };
    found.map(|(position, reason)| InvalidArgument { position, reason })
}

/// Checks the list of sizes that is an argument of a view operator. Ignores lists with more sizes than a tensor can
/// have.
fn sizes(value: Option<KernelTypesValue<'_>>, plan: &MethodPlan<'_>, fixed: &dyn Fn(i32) -> bool) -> Option<Reason> {
    let Some(KernelTypesValue::IntList(list)) = value else { return None };
    let items = list.items().ok()?.filter(|items| items.len() <= MAX_RANK)?;
    let (mut product, mut inferred) = (Some(1_i64), false);
    for item in items.iter() {
        let fixed = i32::try_from(item).is_ok_and(fixed);
        match int_of(plan.value_of(item).filter(|_| fixed)?)? {
            -1 if inferred => return Some(Reason::Inferred),
            -1 => inferred = true,
            size @ ..-1 => return Some(Reason::Size(size)),
            size => product = product.and_then(|product| product.checked_mul(size)),
        }
    }
    product.is_none().then_some(Reason::Product)
}

fn int_of(value: KernelTypesValue<'_>) -> Option<i64> {
    match value {
        KernelTypesValue::Int(int) => int.int_val().ok(),
        _ => None,
    }
}

fn has_elements(tensor: Tensor<'_>) -> bool {
    tensor.sizes().ok().flatten().is_none_or(|sizes| sizes.iter().take(MAX_RANK).all(|size| size != 0))
}

/// Whether a tensor with elements has no data, neither in the file nor from the host. The result is `false` for a named
/// tensor, because a host can set the data of a named tensor.
pub(super) fn lacks_data(tensor: Tensor<'_>) -> bool {
    let named = |tensor: Tensor<'_>| match tensor.extra_tensor_info() {
        Ok(Some(extra)) => !matches!(extra.fully_qualified_name(), Ok(None)),
        found => found.is_err(),
    };
    matches!(tensor.allocation_info(), Ok(None)) && !is_constant(tensor) && !named(tensor) && has_elements(tensor)
}

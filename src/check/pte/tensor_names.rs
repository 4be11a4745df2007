//! Tensors of one name: external ones describe the same blob, and a method's attributes differ.

use crate::flatbuffer::walk::{Flow, Path, Stop};
use crate::flatbuffer::{Str, Vector};
use crate::pte::schema::{EValue, ExecutionPlan, ExtraTensorInfo, KernelTypesValue, Tensor, TensorDataLocation};
use crate::rules::{companions, tensors as rules};
use crate::{Limit, Span};

use super::super::duplicates::{FEW, equal_names};
use super::super::finding::{Reporter, Scratch};
use super::super::layout::Described;

/// Bytes that a table with a name takes at least: its distance to a vtable and its reference.
pub(super) const LEAST: usize = 8;

/// Checks the names of the program's named tensors, of which there are `count` at most.
pub(super) fn check(
    plans: Vector<'_, ExecutionPlan<'_>>,
    count: usize,
    scratch: &mut dyn Scratch,
    reporter: &mut Reporter<'_>,
) -> Flow {
    // Where each named tensor stands, and what finding equal names among them takes.
    let mut few = [0; FEW];
    let (places, mut rest) = if count <= FEW {
        (&mut few[..count], &mut [][..])
    } else {
        scratch.words(2 * count).ok_or(Stop::Limit(Limit::Scratch))?.split_at_mut(count)
    };
    let mut attributes_from = 0;
    let mut found = 0;
    for (plan, method) in plans.iter().enumerate() {
        let Some(values) = method.ok().and_then(|method| method.values().ok()?) else { continue };
        for (index, value) in values.iter().enumerate() {
            if found < count && value.is_ok_and(|value| named(value).is_some()) {
                places[found] = (plan as u64) << 32 | index as u64;
                found += 1;
            }
        }
        let own = &places[attributes_from..found];
        attributes_from = found;
        let attribute =
            |index: usize| named_at(plans, *own.get(index)?).filter(|own| !own.external).map(|own| own.name);
        equal_names(own.len(), &attribute, &mut rest, &mut |later, earlier| {
            let (place, first) = (own[later], own[earlier] & 0xffff_ffff);
            let message = format_args!("the name is that of value {first} too; a look-up finds that one");
            report(&rules::T_FQN_UNIQUE, plans, place, message, reporter)
        })?;
    }
    let places = &places[..found];
    let external = |index: usize| named_at(plans, *places.get(index)?).filter(|own| own.external).map(|own| own.name);
    equal_names(found, &external, &mut rest, &mut |later, earlier| {
        let [later, earlier] = [places[later], places[earlier]];
        let (Some(own), Some(other)) = (named_at(plans, later), named_at(plans, earlier)) else { return Ok(()) };
        if same_layout(own.tensor, other.tensor) {
            return Ok(());
        }
        let (plan, value) = (earlier >> 32, earlier & 0xffff_ffff);
        let (Some(own), Some(its)) = (describe(own.tensor), describe(other.tensor)) else { return Ok(()) };
        let message = format_args!("{own} here, and execution_plan[{plan}].values[{value}] takes the name for {its}");
        report(&companions::X_EXTERNAL_SAME_FQN, plans, later, message, reporter)
    })
}

/// A tensor with a name.
#[derive(Clone, Copy)]
struct Named<'a> {
    tensor: Tensor<'a>,
    name: Str<'a>,
    external: bool,
}

/// A tensor whose data is in a data file.
#[cfg(feature = "alloc")]
pub(in crate::check) struct ExternalTensor<'a> {
    tensor: Tensor<'a>,
    pub(in crate::check) name: Str<'a>,
}

#[cfg(feature = "alloc")]
impl<'a> ExternalTensor<'a> {
    /// What the program says of it; `None` where that cannot be read, which is reported of the program itself.
    pub(in crate::check) fn described(&self) -> Option<Described<'a>> {
        describe(self.tensor)
    }
}

fn describe(tensor: Tensor<'_>) -> Option<Described<'_>> {
    let (sizes, order) = (tensor.sizes().ok()??, tensor.dim_order().ok()??);
    Some(Described { scalar_type: tensor.scalar_type().ok()?, sizes, order })
}

/// Calls `each` for every external tensor of a program that has a name, with the name's path; stops at a program whose values and
/// names come to more than `most` bytes, those that are shared counted each time.
#[cfg(feature = "alloc")]
pub(in crate::check) fn external_tensors<'a>(
    plans: Vector<'a, ExecutionPlan<'a>>,
    most: u64,
    each: &mut dyn FnMut(&ExternalTensor<'a>, &Path<'_>) -> Flow,
) -> Flow {
    let mut left = most;
    for (plan, method) in plans.iter().enumerate() {
        let Some(values) = method.ok().and_then(|method| method.values().ok()?) else { continue };
        // A value is referred to by four bytes, and comes to a table of as many at least.
        left = left.checked_sub(8 * values.len() as u64).ok_or(Stop::Limit(Limit::ApparentSize))?;
        for (index, value) in values.iter().enumerate() {
            let Some(own) = value.ok().and_then(named).filter(|own| own.external) else { continue };
            left = left.checked_sub(own.name.span().len).ok_or(Stop::Limit(Limit::ApparentSize))?;
            let external = ExternalTensor { tensor: own.tensor, name: own.name };
            at_name(plan, index, |path| each(&external, path))?;
        }
    }
    Ok(())
}

/// The path of a value's name.
fn at_name<R>(plan: usize, value: usize, then: impl FnOnce(&Path<'_>) -> R) -> R {
    let path = &Path::ROOT.field("execution_plan");
    let path = &path.index(plan);
    let path = &path.field("values");
    let path = &path.index(value);
    let path = &path.field("val");
    let path = &path.field("extra_tensor_info");
    then(&path.field("fully_qualified_name"))
}

fn named(value: EValue<'_>) -> Option<Named<'_>> {
    let Ok(Some(KernelTypesValue::Tensor(tensor))) = value.val() else { return None };
    let extra: ExtraTensorInfo<'_> = tensor.extra_tensor_info().ok()??;
    let external = extra.location() == Ok(TensorDataLocation::EXTERNAL);
    Some(Named { tensor, name: extra.fully_qualified_name().ok()??, external })
}

/// The tensor at a place: the method's index above the value's.
fn named_at<'a>(plans: Vector<'a, ExecutionPlan<'a>>, place: u64) -> Option<Named<'a>> {
    let index = |half: u64| usize::try_from(half & 0xffff_ffff).ok();
    let plan = plans.get(index(place >> 32)?)?.ok()?;
    named(plan.values().ok()??.get(index(place)?)?.ok()?)
}

/// Whether two tensors have the same scalar type, sizes and order; what cannot be read has been reported.
fn same_layout(one: Tensor<'_>, other: Tensor<'_>) -> bool {
    describe(one).zip(describe(other)).is_none_or(|(one, other)| one == other)
}

fn report(
    rule: &'static crate::rules::Rule,
    plans: Vector<'_, ExecutionPlan<'_>>,
    place: u64,
    message: core::fmt::Arguments<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    let index = |half: u64| usize::try_from(half & 0xffff_ffff).unwrap_or(usize::MAX);
    let at = named_at(plans, place).map_or(Span::new(0, 0), |own| own.name.span());
    at_name(index(place >> 32), index(place), |path| reporter.report(rule, path, at, message))
}

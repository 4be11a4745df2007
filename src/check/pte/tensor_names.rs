//! Checks tensors with equal names: external tensors must have equal layouts, and no other two tensors in a method may
//! share a name.

use crate::Span;
use crate::flatbuffer::walk::{Flow, Path};
use crate::flatbuffer::{Str, Vector};
use crate::pte::schema::TensorDataLocation;
use crate::pte::schema::brief::{EValue, ExecutionPlan, ExtraTensorInfo, Tensor};
use crate::pte::schema::brief_values::KernelTypesValue;
use crate::rules::{RuleKey, companions, tensors as rules};

use super::super::elements;
use super::super::finding::Reporter;
use super::super::layout::LayoutDescription;
use super::super::scratch::Scratch;
use crate::names::SeenNames;

/// The minimum size in bytes of a table with a name: the vtable offset and the offset to the name.
pub(super) const LEAST: usize = 8;

pub(super) fn check(
    plans: Vector<'_, ExecutionPlan<'_>>,
    count: usize,
    scratch: &mut dyn Scratch,
    reporter: &mut impl Reporter,
) -> Flow {
    // `places` stores where each named tensor is; `rest` is scratch memory for finding equal names.
    let Some((places, rest)) = scratch.words(2 * count)?.split_at_mut_checked(count) else { return Ok(()) };
    let mut attributes_from = 0;
    let mut found = 0;
    for (plan, method) in elements(Ok(Some(plans))) {
        for (index, value) in elements(method.values()) {
            if named(value).is_some()
                && let Some(place) = places.get_mut(found)
            {
                *place = (plan as u64) << 32 | index as u64;
                found += 1;
            }
        }
        if reporter.must_only() {
            continue;
        }
        let own = places.get(attributes_from..found).unwrap_or_default();
        attributes_from = found;
        let attribute =
            |index: usize| named_at(plans, *own.get(index)?).filter(|own| !own.external).map(|own| own.name);
        let words = rest.get_mut(..own.len()).unwrap_or_default();
        SeenNames::of_list(words, &attribute).equal_names(&attribute, &mut |later, earlier| {
            let (Some(&place), Some(first)) = (own.get(later), own.get(earlier)) else { return Ok(()) };
            let first = first & 0xffff_ffff;
            let message = format_args!("the name equals that of value {first}; a lookup finds only value {first}");
            report(rules::T_FQN_UNIQUE.key(), plans, place, message, reporter)
        })?;
    }
    let places = places.get(..found).unwrap_or_default();
    let external = |index: usize| named_at(plans, *places.get(index)?).filter(|own| own.external).map(|own| own.name);
    let words = rest.get_mut(..found).unwrap_or_default();
    SeenNames::of_list(words, &external).equal_names(&external, &mut |later, earlier| {
        let (Some(&later), Some(&earlier)) = (places.get(later), places.get(earlier)) else { return Ok(()) };
        let (Some(own), Some(other)) = (named_at(plans, later), named_at(plans, earlier)) else { return Ok(()) };
        let (Some(own), Some(its)) = (own.described(), other.described()) else { return Ok(()) };
        if own == its {
            return Ok(());
        }
        let (plan, value) = (earlier >> 32, earlier & 0xffff_ffff);
        let message = format_args!(
            "the tensor is {own}, but execution_plan[{plan}].values[{value}] has the same name and is {its}"
        );
        report(companions::X_EXTERNAL_SAME_FQN.key(), plans, later, message, reporter)
    })
}

#[derive(Clone, Copy)]
pub(in crate::check) struct NamedTensor<'a> {
    tensor: Tensor<'a>,
    pub(in crate::check) name: Str<'a>,
    /// `true` if the tensor's data is in a data file.
    external: bool,
}

impl<'a> NamedTensor<'a> {
    pub(in crate::check) fn described(self) -> Option<LayoutDescription<'a>> {
        LayoutDescription::of(self.tensor.scalar_type(), self.tensor.sizes(), self.tensor.dim_order())
    }
}

/// Calls the closure `each` with each named external tensor of a program and the path to its name field.
pub(in crate::check) fn external_tensors<'a>(
    program: crate::pte::schema::brief::Program<'a>,
    each: &mut dyn FnMut(&NamedTensor<'a>, &Path<'_>) -> Flow,
) -> Flow {
    for (plan, method) in elements(program.execution_plan()) {
        for (index, value) in elements(method.values()) {
            if let Some(own) = named(value).filter(|own| own.external) {
                at_name(plan, index, |path| each(&own, path))?;
            }
        }
    }
    Ok(())
}

/// Calls the closure `then` with the path to a tensor's name field. `plan` and `value` are the indexes of the method
/// and of the tensor's value.
fn at_name<R>(plan: usize, value: usize, then: impl FnOnce(&Path<'_>) -> R) -> R {
    let path = &Path::ROOT.field("execution_plan");
    let path = &path.index(plan);
    let path = &path.field("values");
    then(&path.index(value).field("val").field("extra_tensor_info").field("fully_qualified_name"))
}

fn named(value: EValue<'_>) -> Option<NamedTensor<'_>> {
    let Ok(Some(KernelTypesValue::Tensor(tensor))) = value.val() else { return None };
    let extra: ExtraTensorInfo<'_> = tensor.extra_tensor_info().ok()??;
    let external = extra.location() == Ok(TensorDataLocation::EXTERNAL);
    Some(NamedTensor { tensor, name: extra.fully_qualified_name().ok()??, external })
}

/// Returns a named tensor of a program. The word `place` has the method's index in its upper half and the value's index
/// in its lower half.
fn named_at<'a>(plans: Vector<'a, ExecutionPlan<'a>>, place: u64) -> Option<NamedTensor<'a>> {
    let index = |half: u64| usize::try_from(half & 0xffff_ffff).ok();
    let plan = plans.get(index(place >> 32)?)?.ok()?;
    named(plan.values().ok()??.get(index(place)?)?.ok()?)
}

fn report(
    rule: RuleKey,
    plans: Vector<'_, ExecutionPlan<'_>>,
    place: u64,
    message: core::fmt::Arguments<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let index = |half: u64| usize::try_from(half & 0xffff_ffff).unwrap_or(usize::MAX);
    let at = named_at(plans, place).map_or(Span::new(0, 0), |own| own.name.span());
    at_name(index(place >> 32), index(place), |path| reporter.report(rule, path, at, message))
}

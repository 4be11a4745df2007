//! Tensors of one name: external ones describe the same blob, and a method's attributes differ.

use crate::Span;
use crate::flatbuffer::walk::{Flow, Path};
use crate::flatbuffer::{Str, Vector};
use crate::pte::schema::{EValue, ExecutionPlan, ExtraTensorInfo, KernelTypesValue, Tensor, TensorDataLocation};
use crate::rules::{companions, tensors as rules};

use super::super::elements;
use super::super::finding::Reporter;
use super::super::layout::Described;
use super::super::scratch::Scratch;
use crate::names::SeenNames;

/// Bytes of a table with a name: the distance to its vtable and the reference to the name.
pub(super) const LEAST: usize = 8;

/// Checks the names of the program's named tensors, of which there are `count` at most.
pub(super) fn check(
    plans: Vector<'_, ExecutionPlan<'_>>,
    count: usize,
    scratch: &mut dyn Scratch,
    reporter: &mut Reporter<'_>,
) -> Flow {
    // Where each named tensor stands, and what finding equal names among them takes.
    let (places, rest) = scratch.words(2 * count)?.split_at_mut(count);
    let mut attributes_from = 0;
    let mut found = 0;
    for (plan, method) in elements(Ok(Some(plans))) {
        for (index, value) in elements(method.values()) {
            if found < count && named(value).is_some() {
                places[found] = (plan as u64) << 32 | index as u64;
                found += 1;
            }
        }
        let own = &places[attributes_from..found];
        attributes_from = found;
        let attribute =
            |index: usize| named_at(plans, *own.get(index)?).filter(|own| !own.external).map(|own| own.name);
        SeenNames::of_list(&mut rest[..own.len()], &attribute).equal_names(&attribute, &mut |later, earlier| {
            let (place, first) = (own[later], own[earlier] & 0xffff_ffff);
            let message = format_args!("the name is that of value {first} too; a look-up finds that one");
            report(&rules::T_FQN_UNIQUE, plans, place, message, reporter)
        })?;
    }
    let places = &places[..found];
    let external = |index: usize| named_at(plans, *places.get(index)?).filter(|own| own.external).map(|own| own.name);
    SeenNames::of_list(&mut rest[..found], &external).equal_names(&external, &mut |later, earlier| {
        let [later, earlier] = [places[later], places[earlier]];
        let (Some(own), Some(other)) = (named_at(plans, later), named_at(plans, earlier)) else { return Ok(()) };
        let (Some(own), Some(its)) = (own.described(), other.described()) else { return Ok(()) };
        if own == its {
            return Ok(());
        }
        let (plan, value) = (earlier >> 32, earlier & 0xffff_ffff);
        let message = format_args!("{own} here, and execution_plan[{plan}].values[{value}] takes the name for {its}");
        report(&companions::X_EXTERNAL_SAME_FQN, plans, later, message, reporter)
    })
}

/// A tensor with a name.
#[derive(Clone, Copy)]
pub(in crate::check) struct NamedTensor<'a> {
    tensor: Tensor<'a>,
    pub(in crate::check) name: Str<'a>,
    /// Its data is in a data file.
    external: bool,
}

impl<'a> NamedTensor<'a> {
    /// What the program says of it; `None` where that cannot be read, which is reported of the program itself.
    pub(in crate::check) fn described(self) -> Option<Described<'a>> {
        let (sizes, order) = (self.tensor.sizes().ok()??, self.tensor.dim_order().ok()??);
        Some(Described { scalar_type: self.tensor.scalar_type().ok()?, sizes, order })
    }
}

/// Calls `each` for every external tensor of a program that has a name, with the name's path.
#[cfg(feature = "alloc")]
pub(in crate::check) fn external_tensors<'a>(
    program: crate::pte::schema::Program<'a>,
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

fn named(value: EValue<'_>) -> Option<NamedTensor<'_>> {
    let Ok(Some(KernelTypesValue::Tensor(tensor))) = value.val() else { return None };
    let extra: ExtraTensorInfo<'_> = tensor.extra_tensor_info().ok()??;
    let external = extra.location() == Ok(TensorDataLocation::EXTERNAL);
    Some(NamedTensor { tensor, name: extra.fully_qualified_name().ok()??, external })
}

/// The tensor at a place: the method's index above the value's.
fn named_at<'a>(plans: Vector<'a, ExecutionPlan<'a>>, place: u64) -> Option<NamedTensor<'a>> {
    let index = |half: u64| usize::try_from(half & 0xffff_ffff).ok();
    let plan = plans.get(index(place >> 32)?)?.ok()?;
    named(plan.values().ok()??.get(index(place)?)?.ok()?)
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

//! A program's methods by name: found without a search of them all for each name, in memory that the caller lends.

use crate::Limit;
use crate::flatbuffer::walk::Stop;
use crate::flatbuffer::{Str, Vector};
use crate::pte::schema::ExecutionPlan;

use super::super::finding::Scratch;

/// So few methods are searched one by one, without any memory.
const FEW: usize = 32;

/// The methods of one program.
pub(super) struct Methods<'a, 'm> {
    plans: Vector<'a, ExecutionPlan<'a>>,
    /// The indexes of the plans that have names, by name and then by index; none for few plans.
    order: Option<&'m [u64]>,
    /// Every plan has a name that can be read.
    named: bool,
}

/// What there is of a name.
pub(super) enum FoundMethod<'a> {
    /// The first method of the name, which is the one that the runtime takes.
    Plan(ExecutionPlan<'a>),
    /// No method.
    None,
    /// Some method's name cannot be read, so it may have been that.
    Unknown,
}

impl<'a, 'm> Methods<'a, 'm> {
    pub(super) fn of(plans: Vector<'a, ExecutionPlan<'a>>, scratch: &'m mut dyn Scratch) -> Result<Self, Stop> {
        let count = plans.len();
        let with_names = (0..count).filter(|index| name(plans, *index).is_some());
        if count <= FEW {
            return Ok(Self { plans, order: None, named: with_names.count() == count });
        }
        let words = scratch.words(count).ok_or(Stop::Limit(Limit::Scratch))?;
        let mut named = 0;
        for index in with_names {
            words[named] = index as u64;
            named += 1;
        }
        let order = &mut words[..named];
        order.sort_unstable_by_key(|word| (key(plans, *word), *word));
        Ok(Self { plans, order: Some(order), named: named == count })
    }

    pub(super) fn find(&self, wanted: Str<'_>) -> FoundMethod<'a> {
        let wanted = Some(wanted.as_bytes());
        let index = match self.order {
            None => (0..self.plans.len()).find(|index| name(self.plans, *index).map(Str::as_bytes) == wanted),
            Some(order) => {
                let first = order.partition_point(|word| key(self.plans, *word) < wanted);
                order.get(first).filter(|word| key(self.plans, **word) == wanted).and_then(|word| index(*word))
            }
        };
        match index.and_then(|index| self.plans.get(index)) {
            Some(Ok(plan)) => FoundMethod::Plan(plan),
            None if self.named => FoundMethod::None,
            _ => FoundMethod::Unknown,
        }
    }
}

fn name<'a>(plans: Vector<'a, ExecutionPlan<'a>>, index: usize) -> Option<Str<'a>> {
    plans.get(index)?.ok()?.name().ok()?
}

fn index(word: u64) -> Option<usize> {
    usize::try_from(word).ok()
}

fn key<'a>(plans: Vector<'a, ExecutionPlan<'a>>, word: u64) -> Option<&'a [u8]> {
    name(plans, index(word)?).map(Str::as_bytes)
}

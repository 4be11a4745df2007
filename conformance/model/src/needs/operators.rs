//! The operators that a program runs outside delegates, with their kernel keys.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use torchproof::flatbuffer::Vector;
use torchproof::prediction::BuildProfile;
use torchproof::pte::Method;
use torchproof::pte::schema::{InstructionArgumentsValue, Operator};

use super::budget::ItemBudget;
use super::similar::{SUGGESTED, similar_name};
use super::values::{LONGEST_KEY, Value, Values};
use crate::fields::operators::whole_name;

/// How programs use an operator.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperatorNeeds {
    /// The number of kernel calls in all programs.
    pub calls: u64,
    /// The keys of the kernels, such as `v1/6;0,1|6;0,1`: the element type and the dim order of each tensor. A call with lists
    /// of tensors also has a second key, which contains the items of the lists, because selective builds write such keys.
    pub kernel_keys: BTreeSet<String>,
    /// The number of keys that `kernel_keys` omits: keys of more than 658 bytes, which no runtime looks up, and some
    /// keys of a very large program.
    #[serde(skip_serializing_if = "super::budget::is_zero")]
    pub omitted_keys: u64,
    /// The newest released wheel with a profile, if it has no kernel for the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent_from: Option<String>,
    /// The most similar name in that wheel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

pub(super) fn add(
    operators: &mut BTreeMap<String, OperatorNeeds>,
    method: Method<'_>,
    values: &Values<'_>,
    wheel: Option<&BuildProfile>,
    budget: &mut ItemBudget,
) {
    let Some(known) = method.plan().operators().ok().flatten() else { return };
    let mut calls = Vec::new();
    for call in &values.calls {
        let InstructionArgumentsValue::KernelCall(call) = call else { continue };
        let Ok(Ok(index)) = call.op_index().map(usize::try_from) else { continue };
        let args = call.args().ok().flatten();
        calls.push((index, args.map_or(0, |args| args.span().offset), args));
    }
    // Sort the calls, so that calls with the same arguments, which have the same keys, are adjacent.
    calls.sort_unstable_by_key(|(index, place, _)| (*index, *place));
    let mut key = String::new();
    for calls in calls.chunk_by(|one, other| one.0 == other.0) {
        let operator = calls.first().and_then(|(index, ..)| known.get(*index)?.ok());
        let Some(name) = operator.and_then(|operator| name(operator, budget)) else { continue };
        if !operators.contains_key(&name) {
            if !budget.admits(name.len()) {
                continue;
            }
            let without = wheel.filter(|wheel| !wheel.operators.contains(&name));
            let suggestion =
                without.filter(|_| operators.len() < SUGGESTED).and_then(|wheel| similar_name(&name, wheel));
            let absent_from = without.map(|wheel| wheel.runtime.to_string());
            operators.insert(name.clone(), OperatorNeeds { absent_from, suggestion, ..OperatorNeeds::default() });
        }
        let Some(operator) = operators.get_mut(&name) else { continue };
        operator.calls += calls.len() as u64;
        for (.., args) in calls.chunk_by(|one, other| one.1 == other.1).filter_map(<[_]>::first) {
            for with_lists in [false, true] {
                let has_lists = kernel_key(&mut key, values, *args, with_lists, budget);
                let is_known = has_lists.is_some() && operator.kernel_keys.contains(&key);
                if !is_known && has_lists.is_some() && budget.admits(key.len()) {
                    operator.kernel_keys.insert(key.clone());
                } else if !is_known {
                    operator.omitted_keys += 1;
                }
                if has_lists != Some(true) {
                    break;
                }
            }
        }
    }
}

/// Returns `None` if there are too many names.
fn name(operator: Operator<'_>, budget: &mut ItemBudget) -> Option<String> {
    for part in [operator.name(), operator.overload()] {
        budget.visit(part.ok().flatten().map_or(0, |part| part.as_bytes().len()))?;
    }
    Some(whole_name(operator))
}

/// Writes the key into `key`. Returns whether an argument is a list of tensors, or `None` if the key is too long or the file too large.
fn kernel_key(
    key: &mut String,
    values: &Values<'_>,
    args: Option<Vector<'_, i32>>,
    with_lists: bool,
    budget: &mut ItemBudget,
) -> Option<bool> {
    key.clear();
    *key += "v1";
    budget.visit(args.map_or(0, Vector::len))?;
    let mut has_lists = false;
    for arg in args.into_iter().flat_map(Vector::iter) {
        match values.get(arg) {
            Value::Tensor(_, part) => add_part(key, values.part(part))?,
            Value::List(list) => {
                has_lists = true;
                if !with_lists {
                    continue;
                }
                budget.visit(list.len())?;
                for item in list.iter() {
                    if let Value::Tensor(_, part) = values.get(item) {
                        add_part(key, values.part(part))?;
                    }
                }
            }
            Value::Other => {}
        }
    }
    Some(has_lists)
}

/// Returns `None` if the key is too long.
fn add_part(key: &mut String, part: &str) -> Option<()> {
    key.push(if key.len() > 2 { '|' } else { '/' });
    key.push_str(part);
    (key.len() <= LONGEST_KEY).then_some(())
}

//! The operators that a program runs outside delegates, with the keys of their kernels.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde::Serialize;
use torchproof::flatbuffer::Vector;
use torchproof::prediction::BuildProfile;
use torchproof::pte::Method;
use torchproof::pte::schema::{EValue, InstructionArgumentsValue, KernelTypesValue, Tensor};

use super::budget::ItemBudget;
use crate::fields::vector::items;
use crate::fields::words::lossy;

/// The use of an operator.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct OperatorNeeds {
    /// The number of kernel calls in all programs.
    pub(super) calls: u64,
    /// The keys of the kernels, such as `v1/6;0,1|6;0,1`: the element type and the dim order of each tensor. For a call with lists of
    /// tensors, a second key contains the items of the lists too, as selective builds write it.
    pub(super) kernel_keys: BTreeSet<String>,
    /// The newest released wheel with a profile, if it has no kernel for the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) absent_from: Option<String>,
}

/// The longest kernel key that a runtime can look up.
const LONGEST_KEY: usize = 658;

/// The most items of a list that a key contains.
const LONGEST_LIST: usize = 1024;

pub(super) fn add(
    operators: &mut BTreeMap<String, OperatorNeeds>,
    method: Method<'_>,
    wheel: Option<&BuildProfile>,
    budget: &mut ItemBudget,
) {
    let names: Vec<String> = method.operators().map(|operator| operator.map_or(String::new(), name)).collect();
    // Calls with the same arguments have the same keys.
    let mut seen = BTreeSet::new();
    let values = method.plan().values().ok().flatten();
    let mut key = String::new();
    for instruction in method.instructions().flatten() {
        let Ok(Some(InstructionArgumentsValue::KernelCall(call))) = instruction.instr_args() else { continue };
        let Ok(index) = call.op_index().map(|index| usize::try_from(index).unwrap_or(usize::MAX)) else { continue };
        let Some(name) = names.get(index) else { continue };
        if !operators.contains_key(name) {
            if !budget.admits(name.len()) {
                continue;
            }
            let absent_from = wheel.filter(|wheel| !wheel.operators.contains(name));
            let absent_from = absent_from.map(|wheel| wheel.runtime.to_string());
            operators.insert(name.clone(), OperatorNeeds { absent_from, ..OperatorNeeds::default() });
        }
        let Some(operator) = operators.get_mut(name) else { continue };
        operator.calls += 1;
        let place = call.args().ok().flatten().map(|args| args.span().offset);
        if !seen.insert((index, place)) {
            continue;
        }
        let mut keep = |key: &str| {
            if !operator.kernel_keys.contains(key) && budget.admits(key.len()) {
                operator.kernel_keys.insert(key.to_owned());
            }
        };
        if kernel_key(&mut key, values, items(call.args()), false) {
            keep(&key);
            kernel_key(&mut key, values, items(call.args()), true);
        }
        keep(&key);
    }
}

fn name(operator: torchproof::pte::schema::Operator<'_>) -> String {
    let (name, overload) = (lossy(operator.name()), lossy(operator.overload()));
    if overload.is_empty() { name } else { format!("{name}.{overload}") }
}

/// Writes the key into `key`. Returns whether an argument is a list of tensors.
fn kernel_key<'a>(
    key: &mut String,
    values: Option<Vector<'a, EValue<'a>>>,
    args: impl Iterator<Item = i32>,
    with_lists: bool,
) -> bool {
    let value = |index: i32| values?.get(usize::try_from(index).ok()?)?.ok()?.val().ok()?;
    key.clear();
    *key += "v1";
    let mut add = |index: i32| {
        if let Some(KernelTypesValue::Tensor(tensor)) = value(index) {
            add_tensor(key, tensor);
        }
        key.len() <= LONGEST_KEY
    };
    let mut has_lists = false;
    for arg in args.take(LONGEST_LIST) {
        let list = match value(arg) {
            Some(KernelTypesValue::TensorList(list)) => Some(list.items()),
            Some(KernelTypesValue::OptionalTensorList(list)) => Some(list.items()),
            _ => None,
        };
        has_lists |= list.is_some();
        let is_short = match list {
            Some(list) if with_lists => items(list).take(LONGEST_LIST).all(&mut add),
            Some(_) => true,
            None => add(arg),
        };
        if !is_short {
            break;
        }
    }
    has_lists
}

fn add_tensor(key: &mut String, tensor: Tensor<'_>) {
    let separator = if key.len() > 2 { '|' } else { '/' };
    let ty = tensor.scalar_type().unwrap_or_default();
    let _ = write!(key, "{separator}{};", ty.0);
    for (index, dimension) in items(tensor.dim_order()).take(LONGEST_KEY).enumerate() {
        let _ = if index == 0 { write!(key, "{dimension}") } else { write!(key, ",{dimension}") };
    }
}

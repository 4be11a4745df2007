//! Methods: values, operators, delegates, inputs and outputs, and the chains.

use alloc::format;
use alloc::vec::Vec;

use super::data::Store;
use super::instructions::{self, OPERATORS};
use super::values::{self, Values};
use crate::generate::Generation;
use crate::generate::maker::Maker;
use crate::generate::ptd::Named;
use crate::pte::model::{
    BackendDelegate, BackendDelegateInlineData, CompileSpec, ContainerMetadata, ExecutionPlan, Operator, Program,
};

/// A backend whose blobs can be anything. No reader has it but for tests.
const BACKEND: &str = "ExampleBackend";

/// Makes a method.
pub(super) fn make(
    maker: &mut Maker<'_>,
    generation: Generation,
    external: &[Named],
    program: &mut Program,
    store: &mut Store,
) -> ExecutionPlan {
    let number = program.execution_plan.as_ref().map_or(0, Vec::len);
    let name = if number == 0 { "forward".into() } else { maker.name("method_") };
    let mut plan = ExecutionPlan::new(name);
    let texts =
        ContainerMetadata { encoded_inp_str: Some(maker.text().into()), encoded_out_str: Some(maker.text().into()) };
    plan.container_meta_type = Some(texts);
    let values = values::make(maker, generation == Generation::Current, external, store, &mut plan);
    inputs_and_outputs(maker, &values, &mut plan);
    let count = maker.count(maker.config.operators, 1).max(1);
    let operators: Vec<usize> = (0..count).map(|_| maker.random.index(OPERATORS.len())).collect();
    for known in &operators {
        let (name, overload, _) = OPERATORS[*known];
        plan.push_operator(Operator::new(name, overload));
    }
    delegates(maker, generation, program, store, &mut plan);
    instructions::chains(maker, &values, &operators, &mut plan);
    plan
}

/// Inputs are distinct and nothing that the file has data for; outputs are any plain values.
fn inputs_and_outputs(maker: &mut Maker<'_>, values: &Values, plan: &mut ExecutionPlan) {
    let plain = [&values.nulls, &values.ints, &values.bools, &values.doubles, &values.strings];
    let plain: Vec<i32> = plain.into_iter().flatten().copied().collect();
    let mut given: Vec<i32> = values.changing.iter().chain(&plain).copied().collect();
    let returned: Vec<i32> = values.tensors.iter().chain(&plain).copied().collect();
    maker.shuffle(&mut given);
    given.truncate(maker.len(maker.config.inputs, 4));
    plan.inputs = Some(given);
    let count = if returned.is_empty() { 0 } else { maker.len(maker.config.outputs, 4) };
    plan.outputs = Some((0..count).filter_map(|_| maker.random.pick(&returned).copied()).collect());
}

fn delegates(
    maker: &mut Maker<'_>,
    generation: Generation,
    program: &mut Program,
    store: &mut Store,
    plan: &mut ExecutionPlan,
) {
    let inline = maker.count(maker.config.inline_delegates, 3);
    let apart = maker.count(maker.config.segment_delegates, 3);
    let mut kinds: Vec<bool> = (0..inline).map(|_| true).chain((0..apart).map(|_| false)).collect();
    maker.shuffle(&mut kinds);
    for inline in kinds {
        let blob = maker.blob();
        // Writers leave a blob without bytes in the FlatBuffer.
        let mut delegate = if inline || blob.is_empty() || generation == Generation::Inline {
            let blobs = program.backend_delegate_data.get_or_insert_default();
            blobs.push(BackendDelegateInlineData { data: Some(blob) });
            BackendDelegate::inline(BACKEND, u32::try_from(blobs.len() - 1).unwrap_or(u32::MAX))
        } else {
            BackendDelegate::in_segment(BACKEND, store.push(blob))
        };
        let specs = maker.count(maker.config.compile_specs, 1);
        let spec = |index| CompileSpec { key: Some(format!("option_{index}").into()), value: Some(maker.blob()) };
        delegate.compile_specs = Some((0..specs).map(spec).collect());
        plan.push_delegate(delegate);
    }
}

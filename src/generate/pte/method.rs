//! Methods: values, operators, delegates, inputs, outputs and chains.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::data::Store;
use super::instructions::{self, Operator};
use super::values::{self, PlannedMemory, Values};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::{FieldValue, TableTree};
use crate::generate::Generation;
use crate::generate::maker::Maker;
use crate::generate::ptd::NamedBlob;
use crate::pte::builder::PlanBuilder;
use crate::pte::schema::{
    BackendDelegate, BackendDelegateDataReference, BackendDelegateInlineData, CompileSpec, ContainerMetadata,
    DataLocation,
};

/// A test backend that accepts any blob.
const BACKEND: &str = "ExampleBackend";

pub(super) fn make(
    maker: &mut Maker<'_>,
    generation: Generation,
    external: &[NamedBlob],
    program: &mut TableTree,
    store: &mut Store,
) -> PlanBuilder {
    let first = program.tables_mut("execution_plan").is_none_or(|plans| plans.is_empty());
    let name = if first { String::from("forward") } else { maker.name("method_") };
    let mut plan = PlanBuilder::new(&name);
    let texts = TableTree::new(ContainerMetadata::TYPE)
        .with("encoded_inp_str", maker.text())
        .with("encoded_out_str", maker.text());
    plan.assign("container_meta_type", texts);
    let values = values::make(maker, generation == Generation::Current, external, store, &mut plan);
    let mut plan = inputs_and_outputs(maker, &values, plan);
    let count = maker.count(&maker.config.operators, 1).max(1);
    let operators = Operator::draw(&mut maker.random, usize::try_from(count).unwrap_or(1));
    for operator in &operators {
        let (name, overload) = operator.names();
        plan.push_operator(name, overload);
    }
    let delegates = delegates(maker, generation, program, store);
    instructions::chains(maker, &values, &operators, delegates.len(), &mut plan);
    plan.assign("delegates", delegates);
    plan
}

/// Draws distinct inputs, except lists, constants and external tensors, and outputs, except lists. The runtime copies
/// inputs only to host memory, so a tensor on a device cannot be an input. No two inputs share memory.
fn inputs_and_outputs(maker: &mut Maker<'_>, values: &Values, plan: PlanBuilder) -> PlanBuilder {
    let tables = plan.get("values").and_then(FieldValue::as_tables).unwrap_or_default();
    let is_on_host = |index: &i32| {
        let value = usize::try_from(*index).ok().and_then(|index| tables.get(index));
        value.and_then(|value| value.at("val.extra_tensor_info")).is_none_or(|extra| extra.int("device_type") == 0)
    };
    let plain = [&values.nulls, &values.ints, &values.bools, &values.doubles, &values.strings];
    let plain: Vec<i32> = plain.into_iter().flatten().copied().collect();
    let mut given: Vec<i32> = values.changing.iter().filter(|index| is_on_host(index)).chain(&plain).copied().collect();
    let returned: Vec<i32> = values.tensors.iter().chain(&plain).copied().collect();
    maker.shuffle(&mut given);
    given.truncate(maker.len(&maker.config.inputs, 4));
    let mut taken: Vec<&PlannedMemory> = Vec::new();
    given.retain(|index| {
        let place = values.places.binary_search_by_key(index, |place| place.index);
        let place = place.ok().and_then(|at| values.places.get(at));
        let free = place.is_none_or(|place| taken.iter().all(|other| !place.overlaps(other)));
        taken.extend(place.filter(|_| free));
        free
    });
    let count = if returned.is_empty() { 0 } else { maker.len(&maker.config.outputs, 4) };
    let outputs: Vec<i32> = (0..count).filter_map(|_| maker.random.pick(&returned).copied()).collect();
    plan.with_io(&given, &outputs)
}

fn delegates(
    maker: &mut Maker<'_>,
    generation: Generation,
    program: &mut TableTree,
    store: &mut Store,
) -> Vec<TableTree> {
    let inline = maker.count(&maker.config.inline_delegates, 3);
    let apart = maker.count(&maker.config.segment_delegates, 3);
    let mut kinds: Vec<bool> = (0..inline).map(|_| true).chain((0..apart).map(|_| false)).collect();
    maker.shuffle(&mut kinds);
    let delegate = |inline| {
        let blob = maker.blob();
        // Official writers store an empty blob in the FlatBuffer, not in a segment.
        let (location, index) = if inline || blob.is_empty() || generation == Generation::Inline {
            let data = TableTree::new(BackendDelegateInlineData::TYPE).with("data", blob);
            (DataLocation::INLINE, program.push("backend_delegate_data", data))
        } else {
            (DataLocation::SEGMENT, store.push(blob))
        };
        let processed =
            TableTree::new(BackendDelegateDataReference::TYPE).with("location", location).with("index", index);
        let specs = maker.count(&maker.config.compile_specs, 1);
        let spec = |index| {
            let key = format!("option_{index}");
            TableTree::new(CompileSpec::TYPE).with("key", key).with("value", maker.blob())
        };
        TableTree::new(BackendDelegate::TYPE)
            .with("id", BACKEND)
            .with("processed", processed)
            .with("compile_specs", (0..specs).map(spec).collect::<Vec<_>>())
    };
    kinds.into_iter().map(delegate).collect()
}

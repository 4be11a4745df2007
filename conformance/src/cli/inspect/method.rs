//! The section about one method: inputs, outputs, values, instructions, planned memory, tensors and delegates.

use std::collections::BTreeMap;

use torchproof::flatbuffer::Fault;
use torchproof::pte::schema::{BackendDelegate, DataLocation, EValue, ExecutionPlan, Instruction, KernelTypesValue};
use torchproof::pte::{Method, Pte};
use torchproof::{Error, ErrorCode};
use torchproof_harness::text::counted;

use super::report::Report;
use super::tensors;
use crate::fields::vector::{items, len};
use crate::fields::words::{list, name, scalar_type, value};
use crate::page::size::Size;

pub(super) fn describe(file: &Pte<'_>, method: Method<'_>, report: &mut Report) {
    let plan = method.plan();
    let counts = [
        counted(len(plan.inputs()), "input"),
        counted(len(plan.outputs()), "output"),
        counted(len(plan.values()), "value"),
        counted(method.instructions().count(), "instruction"),
        counted(len(plan.operators()), "operator"),
        counted(len(plan.delegates()), "delegate"),
    ];
    report.heading(format_args!("Method {}: {}", name(plan.name()), counts.join(", ")));
    ports(method, report);
    tally("Values", items(plan.values()), |value: EValue<'_>| Ok(value.val_type()?.name()), report);
    let kind = |instruction: Instruction<'_>| Ok(instruction.instr_args_type()?.name());
    tally("Instructions", method.instructions(), kind, report);
    planned_memory(plan, report);
    tensors::describe(method, report);
    delegates(file, method, report);
}

/// The most frequent type first, such as `Values: 5 Tensor, 2 Int`.
fn tally<T, E>(
    what: &str,
    items: impl Iterator<Item = Result<T, E>>,
    name: impl Fn(T) -> Result<Option<&'static str>, Fault>,
    report: &mut Report,
) {
    let mut counts = BTreeMap::<&str, usize>::new();
    for item in items {
        let name =
            item.ok().and_then(|item| name(item).ok()).map_or("broken", |name| name.unwrap_or("of an unknown type"));
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    if !counts.is_empty() {
        report.line(format_args!("{what}: {}", counts.join(", ")));
    }
}

fn ports(method: Method<'_>, report: &mut Report) {
    let plan = method.plan();
    let mut rows = report.rows(&["in and out", ">value", "type", "sizes or value", ">bytes"]);
    for (kind, field) in [("input", plan.inputs()), ("output", plan.outputs())] {
        for (number, index) in items(field).enumerate() {
            let value = method.value(index);
            if value.is_err_and(|error| error.code == ErrorCode::IndexOutOfRange) {
                let (count, name) = (len(plan.values()), name(method.name()));
                report.problem(format_args!(
                    "{kind} {number} of {name}: found value index {index}, expected below {count}"
                ));
            }
            rows.add(|| {
                let [ty, shown, bytes] = described(value);
                [format!("{kind} {number}"), index.to_string(), ty, shown, bytes]
            });
        }
    }
    report.table(&rows);
}

fn described(outer: Result<EValue<'_>, Error>) -> [String; 3] {
    let unknown = || "?".to_owned();
    let Ok(outer) = outer else { return [unknown(), unknown(), String::new()] };
    let ty = value(outer.val_type().map(|tag| tag.name().map_or_else(|| format!("type {}", tag.0), str::to_owned)));
    let shown = match outer.val() {
        Ok(Some(KernelTypesValue::Tensor(tensor))) => {
            let ty = format!("{ty} {}", scalar_type(tensor.scalar_type()));
            let bytes = tensors::size(tensors::bytes(tensor.scalar_type(), tensor.sizes()));
            return [ty, list(tensor.sizes()), bytes];
        }
        Ok(Some(KernelTypesValue::Int(int))) => value(int.int_val()),
        Ok(Some(KernelTypesValue::Bool(bool))) => value(bool.bool_val()),
        Ok(Some(KernelTypesValue::Double(double))) => value(double.double_val()),
        Ok(Some(KernelTypesValue::String(string))) => name(string.string_val()),
        Ok(_) => String::new(),
        Err(_) => unknown(),
    };
    [ty, shown, String::new()]
}

/// Entry 0 is reserved, so the first buffer is entry 1.
fn planned_memory(plan: ExecutionPlan<'_>, report: &mut Report) {
    let buffers = len(plan.non_const_buffer_sizes()).saturating_sub(1);
    if buffers == 0 {
        return;
    }
    let devices = devices(plan, report.most());
    let sizes = (1..).zip(items(plan.non_const_buffer_sizes()).skip(1)).take(report.most());
    let mut shown: Vec<String> = sizes
        .map(|(index, size)| {
            let size = u64::try_from(size).map_or_else(|_| format!("{size} B"), |size| Size(size).to_string());
            size + devices.get(&index).map_or("", String::as_str)
        })
        .collect();
    if buffers > shown.len() {
        shown.push(format!("… and {} more", buffers - shown.len()));
    }
    report.line(format_args!("Planned memory: {}: {}", counted(buffers, "buffer"), shown.join(", ")));
}

/// Text such as ` on CUDA 0` for each planned buffer that a device stores. Entries above `buffers`, the largest valid number, are
/// ignored.
fn devices(plan: ExecutionPlan<'_>, buffers: usize) -> BTreeMap<usize, String> {
    let mut devices = BTreeMap::new();
    for entry in items(plan.non_const_buffer_device()).flatten() {
        let buffer = entry.buffer_idx().ok().and_then(|buffer| usize::try_from(buffer).ok());
        if let Some(buffer) = buffer.filter(|buffer| *buffer <= buffers) {
            let ty = entry.device_type().map(|ty| ty.name().map_or_else(|| ty.0.to_string(), str::to_owned));
            devices.insert(buffer, format!(" on {} {}", value(ty), value(entry.device_index())));
        }
    }
    devices
}

fn delegates(file: &Pte<'_>, method: Method<'_>, report: &mut Report) {
    let mut rows = report.rows(&[">delegate", "backend", "blob", ">bytes", "compile specs"]);
    for (number, delegate) in method.delegates().enumerate() {
        let Ok(delegate) = delegate else { continue };
        rows.add(|| {
            let (blob, bytes) = blob(file, delegate);
            let specs = items(delegate.compile_specs()).flatten().take(report.most());
            let specs: Vec<String> =
                specs.map(|spec| format!("{}: {}", name(spec.key()), Size(len(spec.value()) as u64))).collect();
            [number.to_string(), name(delegate.id()), blob, tensors::size(bytes), specs.join(", ")]
        });
    }
    if rows.total > 0 {
        report.line(format_args!("Delegates: {}", rows.total));
    }
    report.table(&rows);
}

fn blob(file: &Pte<'_>, delegate: BackendDelegate<'_>) -> (String, Option<u64>) {
    let Ok(Some(place)) = delegate.processed() else { return ("?".to_owned(), None) };
    let (Ok(location), Ok(index)) = (place.location(), place.index()) else { return ("?".to_owned(), None) };
    match location {
        DataLocation::SEGMENT => (format!("segment {index}"), file.segment(index).ok().map(|span| span.len)),
        DataLocation::INLINE => {
            let inline = file.program().backend_delegate_data().ok().flatten();
            let data = inline.and_then(|inline| inline.get(index as usize)?.ok()?.data().ok()?);
            (format!("inline {index}"), data.map(|data| data.len() as u64))
        }
        other => (format!("location {}, {index}", other.0), None),
    }
}

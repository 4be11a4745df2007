//! The loaded form of methods: their metadata, and their prepared state.

use serde_json::{Value, json};
use torchproof::Error;
use torchproof::flatbuffer::{Str, Vector};
use torchproof::ptd::Ptd;
use torchproof::pte::schema::{BackendDelegate, DataLocation, EValue, ExecutionPlan, KernelTypesValue, Tensor};
use torchproof::pte::{Method, Pte};

use super::error::{DerivedResult, absent};
use super::json::{bytes, text};
use super::memory::PlannedMemory;
use super::tensor;

pub(super) fn meta(method: Method<'_>) -> DerivedResult<Value> {
    let slot = |value: KernelTypesValue<'_>| -> DerivedResult<Value> {
        let tensor = match value {
            KernelTypesValue::Tensor(tensor) => tensor::info(tensor, None)?,
            _ => Value::Null,
        };
        Ok(json!({"tag": tag(&value)?, "tensor": tensor}))
    };
    let backends = method.delegates().map(|delegate| Ok(text(delegate?.id()?))).collect::<DerivedResult<Vec<_>>>()?;
    let attributes = attributes(method)?.into_iter().map(|(name, tensor)| tensor::info(tensor, Some(name)));
    Ok(json!({
        "name": text(method.name()?),
        "inputs": each(method.inputs(), slot)?,
        "outputs": each(method.outputs(), slot)?,
        "attributes": attributes.collect::<Result<Vec<_>, _>>()?,
        "planned_buffers": planned_buffers(method.plan())?,
        "backends": backends,
        "instructions": method.instructions().count(),
    }))
}

pub(super) fn prepared<'a>(file: &Pte<'a>, data: &[Ptd<'a>], method: Method<'a>) -> DerivedResult<Value> {
    let memory = PlannedMemory::of_method(file, data, method)?;
    let described = |value| tagged_value(&value, &memory);
    let attributes = attributes(method)?.into_iter().map(|(_, tensor)| tensor::placed(tensor, &memory));
    let delegates = method.delegates().map(|delegate| delegate_input(file, delegate?));
    Ok(json!({
        "inputs": each(method.inputs(), described)?,
        "outputs": each(method.outputs(), described)?,
        "attributes": attributes.collect::<Result<Vec<_>, _>>()?,
        "delegates": delegates.collect::<Result<Vec<_>, _>>()?,
    }))
}

fn each<'a>(
    values: impl Iterator<Item = Result<EValue<'a>, Error>>,
    describe: impl Fn(KernelTypesValue<'a>) -> DerivedResult<Value>,
) -> DerivedResult<Vec<Value>> {
    values.map(|value| describe(value?.val()?.ok_or_else(|| absent("EValue.val"))?)).collect()
}

fn tag(value: &KernelTypesValue<'_>) -> DerivedResult<&'static str> {
    Ok(match value {
        KernelTypesValue::Null(_) => "None",
        KernelTypesValue::Int(_) => "Int",
        KernelTypesValue::Bool(_) => "Bool",
        KernelTypesValue::Double(_) => "Double",
        KernelTypesValue::Tensor(_) => "Tensor",
        KernelTypesValue::String(_) => "String",
        // Lists, for example.
        _ => {
            return Err(
                "found an input or output of an unsupported type; expected None, Int, Bool, Double, Tensor or String"
                    .into(),
            );
        }
    })
}

/// Returns an input or output of a method as a JSON object with one member, named after the tag.
fn tagged_value<'a>(value: &KernelTypesValue<'a>, memory: &PlannedMemory<'_, 'a>) -> DerivedResult<Value> {
    let content = match value {
        KernelTypesValue::Int(int) => int.int_val()?.into(),
        KernelTypesValue::Bool(bool) => bool.bool_val()?.into(),
        // JSON has no NaN, so print the bits.
        KernelTypesValue::Double(double) => format!("{:016x}", double.double_val()?.to_bits()).into(),
        KernelTypesValue::Tensor(tensor) => tensor::placed(*tensor, memory)?,
        KernelTypesValue::String(string) => text(string.string_val()?),
        _ => Value::Null,
    };
    Ok(json!({ tag(value)?: content }))
}

/// Returns the attributes of a method, which are tensors with names.
fn attributes(method: Method<'_>) -> DerivedResult<Vec<(Str<'_>, Tensor<'_>)>> {
    let mut found = Vec::new();
    for tensor in method.tensors() {
        let (_, tensor) = tensor?;
        if let Some(extra) = tensor.extra_tensor_info()?
            && let Some(name) = extra.fully_qualified_name()?
        {
            found.push((name, tensor));
        }
    }
    Ok(found)
}

/// Returns the buffers that the application provides: all but the first, which the format reserves.
fn planned_buffers(plan: ExecutionPlan<'_>) -> DerivedResult<Vec<Value>> {
    let mut devices = Vec::new();
    for device in plan.non_const_buffer_device()?.iter().flat_map(|devices| devices.iter()) {
        let device = device?;
        devices.push((device.buffer_idx()?, device.device_type()?.0, device.device_index()?));
    }
    let sizes = plan.non_const_buffer_sizes()?;
    let sizes = sizes.iter().flat_map(|sizes| sizes.iter()).zip(0..).skip(1);
    let buffer = |(size, index)| {
        let device = devices.iter().find(|(buffer, ..)| *buffer == index);
        let (_, device_type, device_index) = device.copied().unwrap_or((index, 0, 0));
        json!({"size": size, "device_type": device_type, "device_index": device_index})
    };
    Ok(sizes.map(buffer).collect())
}

/// Returns the data that a backend receives for a delegate.
fn delegate_input(file: &Pte<'_>, delegate: BackendDelegate<'_>) -> DerivedResult<Value> {
    let processed = delegate.processed()?.ok_or_else(|| absent("BackendDelegate.processed"))?;
    let index = processed.index()?;
    let blob = if processed.location()? == DataLocation::INLINE {
        let all = file.program().backend_delegate_data()?;
        let inline = all.and_then(|all| all.get(index as usize));
        let inline = inline.ok_or_else(|| absent("Program.backend_delegate_data"))??;
        inline.data()?.map_or(&[][..], Vector::as_bytes)
    } else {
        file.segment_bytes(index)?
    };
    let mut specs = Vec::new();
    for spec in delegate.compile_specs()?.iter().flat_map(|specs| specs.iter()) {
        let spec = spec?;
        let value = spec.value()?.map_or(&[][..], Vector::as_bytes);
        specs.push(json!({"key": text(spec.key()?), "value": bytes(value)}));
    }
    Ok(json!({"id": text(delegate.id()?), "processed": bytes(blob), "compile_specs": specs}))
}

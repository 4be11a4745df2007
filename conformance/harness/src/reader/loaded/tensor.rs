//! The loaded form of tensors: their metadata, and their bytes in memory.

use serde_json::{Value, json};
use torchproof::ScalarType;
use torchproof::flatbuffer::{Str, Vector};
use torchproof::layout::nbytes;
use torchproof::pte::schema::Tensor;

use super::error::{DerivedResult, absent};
use super::json::{bytes, text};
use super::memory::PlannedMemory;

pub(super) fn layout(
    scalar_type: ScalarType,
    sizes: Vector<'_, i32>,
    dim_order: Option<Vector<'_, u8>>,
) -> DerivedResult<Value> {
    let len = nbytes(scalar_type, sizes)?;
    Ok(json!({
        "scalar_type": scalar_type.0,
        "sizes": sizes.iter().collect::<Vec<_>>(),
        "dim_order": dim_order.map_or_else(Vec::new, |order| order.iter().collect()),
        "nbytes": len,
    }))
}

fn layout_of(tensor: Tensor<'_>) -> DerivedResult<Value> {
    let sizes = tensor.sizes()?.ok_or_else(|| absent("Tensor.sizes"))?;
    layout(tensor.scalar_type()?, sizes, tensor.dim_order()?)
}

/// Returns a tensor's metadata; only attributes have a name.
pub(super) fn info(tensor: Tensor<'_>, name: Option<Str<'_>>) -> DerivedResult<Value> {
    let planned = tensor.allocation_info()?.is_some() || tensor.data_buffer_idx()? != 0;
    Ok(json!({"name": text(name), "layout": layout_of(tensor)?, "planned": planned}))
}

/// Returns the layout of a tensor and its bytes in memory.
pub(super) fn placed(tensor: Tensor<'_>, memory: &PlannedMemory<'_, '_>) -> DerivedResult<Value> {
    let layout = layout_of(tensor)?;
    let data =
        if layout["nbytes"] == 0 { bytes(&[]) } else { memory.of(tensor)?.map_or(Value::Null, |all| bytes(&all)) };
    Ok(json!({"layout": layout, "shape_dynamism": tensor.shape_dynamism()?.0, "data": data}))
}

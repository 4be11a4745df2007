//! The tensors of a program, and where they say that their bytes are.

use torchproof::ScalarType;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::{TableTree, Value};
use torchproof::layout::nbytes_of;
use torchproof::ptd::schema::TensorLayout;
use torchproof::pte::schema::{ExtraTensorInfo, Tensor, TensorDataLocation};

use super::MoveError;
use crate::edit::EditError;
use crate::edit::references::{number, tables};

/// Where the tensors of a program are, in the file's order.
pub(super) fn tensors(root: &TableTree) -> Vec<String> {
    let mut paths = Vec::new();
    for (plan_index, plan) in tables(root, "execution_plan").iter().enumerate() {
        for (index, value) in tables(plan, "values").iter().enumerate() {
            if value.at("val").is_some_and(|table| table.ty().name == Tensor::TYPE.name) {
                paths.push(format!("execution_plan[{plan_index}].values[{index}].val"));
            }
        }
    }
    paths
}

pub(super) fn is_external(tensor: &TableTree) -> bool {
    let location = tensor.at("extra_tensor_info").map_or(0, |extra| number::<u32>(extra, "location"));
    location == u32::from(TensorDataLocation::EXTERNAL.0.cast_unsigned())
}

pub(super) fn is_constant(tensor: &TableTree) -> bool {
    number::<u32>(tensor, "data_buffer_idx") > 0 && tensor.get("allocation_info").is_none() && !is_external(tensor)
}

pub(super) fn key_of(tensor: &TableTree) -> Option<&[u8]> {
    tensor.at("extra_tensor_info")?.get("fully_qualified_name")?.as_bytes()
}

/// How many bytes a tensor, or a tensor's layout, takes.
pub(super) fn bytes_of(tensor: &TableTree) -> Result<u64, MoveError> {
    let scalar_type = tensor.get("scalar_type").and_then(Value::as_int).and_then(|byte| i8::try_from(byte).ok());
    let sizes = tensor.get("sizes").and_then(Value::as_bytes).unwrap_or_default();
    let sizes = sizes.as_chunks::<4>().0.iter().map(|size| i32::from_le_bytes(*size));
    nbytes_of(ScalarType(scalar_type.unwrap_or(0)), sizes).map_err(MoveError::Uncountable)
}

/// What a tensor is, in the words of a data file.
pub(super) fn layout_of(tensor: &TableTree) -> Result<TableTree, EditError> {
    let mut layout = TableTree::new(TensorLayout::TYPE);
    for field in ["scalar_type", "sizes", "dim_order"] {
        if let Some(value) = tensor.get(field) {
            layout.set(field, value.clone())?;
        }
    }
    Ok(layout)
}

pub(super) fn offsets_of(home: &TableTree) -> Vec<u64> {
    let bytes = home.get("offsets").and_then(Value::as_bytes).unwrap_or_default();
    bytes.as_chunks::<8>().0.iter().map(|offset| u64::from_le_bytes(*offset)).collect()
}

/// Says in a tensor that its bytes are in a data file.
pub(super) fn put_external(tensor: &mut TableTree, name: &[u8]) -> Result<(), EditError> {
    if tensor.table_mut("extra_tensor_info").is_none() {
        tensor.set("extra_tensor_info", TableTree::new(ExtraTensorInfo::TYPE))?;
    }
    if let Some(extra) = tensor.table_mut("extra_tensor_info") {
        extra.set("fully_qualified_name", name)?;
        extra.set("location", TensorDataLocation::EXTERNAL)?;
    }
    tensor.remove("data_buffer_idx");
    Ok(())
}

/// Says in a tensor that its bytes are in the program, and takes its name unless it is `named`.
pub(super) fn put_inside(tensor: &mut TableTree, named: bool) {
    let Some(extra) = tensor.table_mut("extra_tensor_info") else { return };
    extra.remove("location");
    if !named {
        extra.remove("fully_qualified_name");
    }
    extra.elide_defaults();
    if extra.fields().len() == 0 {
        tensor.remove("extra_tensor_info");
    }
}

/// The part of a tensor's path that is its method's.
pub(super) fn plan_of(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

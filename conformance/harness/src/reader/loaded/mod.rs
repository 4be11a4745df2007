//! **The loaded form of files**: the value that [`Want::Loaded`](torchproof_protocol::Want::Loaded) requests.
//!
//! The canonical JSON lists a file's content; the loaded form lists what a runtime's API returns after loading. The
//! runtime prepares every method with the data files of the request, but executes no method. A stub backend accepts
//! every delegate, and planned memory initially contains zeros.
//!
//! ```text
//! {"programs": [{
//!      "methods": [{
//!          "meta": {"name", "inputs": [SLOT], "outputs": [SLOT], "attributes": [INFO],
//!                   "planned_buffers": [{"size", "device_type", "device_index"}], "backends": [TEXT], "instructions"},
//!          "prepared": {"inputs": [VALUE], "outputs": [VALUE], "attributes": [TENSOR],
//!                       "delegates": [{"id", "processed": BYTES, "compile_specs": [{"key", "value": BYTES}]}]}}],
//!      "constants": [BYTES],
//!      "named_data": [ENTRY]}],
//!  "data_files": [[ENTRY]]}
//! ```
//!
//! | name | form |
//! |---|---|
//! | SLOT | `{"tag", "tensor": INFO}`; `tensor` is `null` unless the tag is `Tensor` |
//! | INFO | `{"name": TEXT, "layout": LAYOUT, "planned"}`; `name` is empty unless the tensor is an attribute, and `planned` is also true for constants |
//! | LAYOUT | `{"scalar_type", "sizes", "dim_order", "nbytes"}` |
//! | TENSOR | `{"layout": LAYOUT, "shape_dynamism", "data": BYTES}`; `data` is `null` for a tensor without memory |
//! | VALUE | an object with one member, which maps the tag to the value. The tags are `None`, `Int`, `Bool`, `Double`,
//! `String` or `Tensor` |
//! | ENTRY | `{"key": TEXT, "tensor_layout": LAYOUT, "data": BYTES}`; `tensor_layout` is `null` if the entry has no layout or if the API does not return layouts |
//! | TEXT | a string, or `{"hex"}` for text that is not UTF-8 |
//! | BYTES | up to 32 bytes in hex; more than 32 bytes as `{"size", "fnv1a"}`: the number of bytes and a 64-bit hash |
//!
//! Enums are numbers. A double is the hex form of its bits, most significant first. A constant extends to the start of
//! the next one, or to the end of the segment. `prepared` is `null` if the last requested stage precedes `method`, and
//! the `data` of each entry is `null` if that stage precedes `data`.
//!
//! These functions read complete files into memory, and the result for an invalid file is unspecified.

mod data;
mod error;
mod json;
mod memory;
mod method;
mod tensor;

use std::fs;

use serde_json::{Value, json};
use torchproof::Role;
use torchproof::Stage;
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;

use crate::reader::ReaderInput;

pub use data::{layouts, layouts_in};
pub use error::DerivedResult;

use error::outside;
use json::bytes;

/// Returns the loaded form of files that are read up to `stage`, if they have one.
pub fn loaded(files: &[ReaderInput], stage: Stage) -> DerivedResult<Value> {
    let read = |ReaderInput { role, path, .. }: &ReaderInput| {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok((*role, bytes))
    };
    let files = files.iter().map(read).collect::<DerivedResult<Vec<_>>>()?;
    let (mut programs, mut data) = (Vec::new(), Vec::new());
    for (role, bytes) in &files {
        match role {
            Role::Program => programs.push(Pte::open(bytes)?),
            Role::Data => data.push(Ptd::open(bytes)?),
            Role::Bundled => return Err("found a bundled program; only its program has a loaded form".into()),
        }
    }
    let programs = programs.iter().map(|file| program(file, &data, stage)).collect::<DerivedResult<Vec<_>>>()?;
    let data = data.iter().map(|file| data::of_file(file, stage)).collect::<DerivedResult<Vec<_>>>()?;
    Ok(json!({"programs": programs, "data_files": data}))
}

fn program(file: &Pte<'_>, data: &[Ptd<'_>], stage: Stage) -> DerivedResult<Value> {
    let mut methods = Vec::new();
    for method in file.methods() {
        let method = method?;
        let prepared = if stage >= Stage::Method { method::prepared(file, data, method)? } else { Value::Null };
        methods.push(json!({"meta": method::meta(method)?, "prepared": prepared}));
    }
    let named_data = data::entries(file.named_data(), stage)?;
    Ok(json!({"methods": methods, "constants": constants(file)?, "named_data": named_data}))
}

/// Returns the bytes of each constant with the padding after it, because no runtime API returns a constant's size.
fn constants(file: &Pte<'_>) -> DerivedResult<Vec<Value>> {
    let Some(table) = file.program().constant_segment()? else { return Ok(Vec::new()) };
    let Some(offsets) = table.offsets()?.filter(|offsets| offsets.len() > 1) else { return Ok(Vec::new()) };
    let segment = file.segment_bytes(table.segment_index()?)?;
    if segment.is_empty() {
        // If the constant segment is empty, the runtime uses the constant buffer inside the FlatBuffer.
        return Ok(Vec::new());
    }
    let mut starts: Vec<u64> = offsets.iter().collect();
    starts.sort_unstable();
    let slice = |start: u64| {
        let next = starts.get(starts.partition_point(|other| *other <= start));
        let end = next.copied().unwrap_or(segment.len() as u64);
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        range
            .and_then(|(start, end)| segment.get(start..end))
            .map(bytes)
            .ok_or_else(|| outside("SubsegmentOffsets.offsets", start, segment.len()))
    };
    offsets.iter().map(slice).collect()
}

//! **What a runtime says of the files that it has loaded**, derived from the files: the value that
//! [`Want::Loaded`](torchproof_protocol::Want::Loaded) asks for.
//!
//! The canonical JSON is what a file holds; this is what an application gets out of it, and only what a runtime's interface
//! gives. It stands for one way to load: every method prepared with the data files of the request, every delegate taken by a
//! backend that computes nothing, planned memory of zeros, nothing executed.
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
//! | SLOT | `{"tag", "tensor": INFO}`; `null` for the tensor of any other tag than `Tensor` |
//! | INFO | `{"name": TEXT, "layout": LAYOUT, "planned"}`; only an attribute has a name, and a constant counts as planned |
//! | LAYOUT | `{"scalar_type", "sizes", "dim_order", "nbytes"}` |
//! | TENSOR | `{"layout": LAYOUT, "shape_dynamism", "data": BYTES}`; `null` for the data of one that has no place in memory |
//! | VALUE | an object of one member, the tag with the value: `None`, `Int`, `Bool`, `Double`, `String` or `Tensor` |
//! | ENTRY | `{"key": TEXT, "tensor_layout": LAYOUT, "data": BYTES}`; `null` for a layout that is not there or has no call |
//! | TEXT | a string; `{"hex"}` where it is not UTF-8 |
//! | BYTES | up to 32 bytes in hex; more as `{"size", "fnv1a"}`, their number and 64-bit hash |
//!
//! Enums are numbers; a double is its bits in hex, the most significant first. A constant has the bytes from its start to the
//! next one's, or to the end of their segment. An attribute is a tensor with a name. `prepared` is `null` before the stage
//! `method`, and `data` of an entry before the stage `data`.
//!
//! Files are held whole, and are taken to be accepted: what a broken one comes to is nobody's business here.

mod data;
mod error;
mod json;
mod memory;
mod method;
mod tensor;

use std::fs;

use serde_json::{Value, json};
use torchproof::Stage;
use torchproof::corpus::Role;
use torchproof::flatbuffer::Vector;
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;
use torchproof::pte::schema::NamedData;

use crate::reader::ReaderInput;

pub use data::layouts;
pub use error::Derived;

use error::outside;
use json::{bytes, text};

/// What is to be said of files that were read as far as `stage`.
///
/// # Errors
///
/// A file that cannot be read, that breaks a rule, or that there is nothing to say of, in words.
pub fn loaded(files: &[ReaderInput], stage: Stage) -> Derived<Value> {
    let read = |ReaderInput { role, path, .. }: &ReaderInput| {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok((*role, bytes))
    };
    let files = files.iter().map(read).collect::<Derived<Vec<_>>>()?;
    let (mut programs, mut data) = (Vec::new(), Vec::new());
    for (role, bytes) in &files {
        match role {
            Role::Program => programs.push(Pte::open(bytes)?),
            Role::Data => data.push(Ptd::open(bytes)?),
            Role::Bundled => return Err("a bundled program is not loaded as it is".into()),
        }
    }
    let programs = programs.iter().map(|file| program(file, &data, stage)).collect::<Derived<Vec<_>>>()?;
    let data = data.iter().map(|file| data::entries(file, stage)).collect::<Derived<Vec<_>>>()?;
    Ok(json!({"programs": programs, "data_files": data}))
}

fn program(file: &Pte<'_>, data: &[Ptd<'_>], stage: Stage) -> Derived<Value> {
    let mut methods = Vec::new();
    for plan in file.program().execution_plan()?.iter().flat_map(|plans| plans.iter()) {
        let plan = plan?;
        let prepared = if stage >= Stage::Method { method::prepared(file, data, plan)? } else { Value::Null };
        methods.push(json!({"meta": method::meta(plan)?, "prepared": prepared}));
    }
    let entry = |entry: Result<NamedData<'_>, _>| -> Derived<Value> {
        let entry = entry?;
        let data = if stage >= Stage::Data { bytes(file.segment_bytes(entry.segment_index()?)?) } else { Value::Null };
        Ok(json!({"key": text(entry.key()?), "tensor_layout": null, "data": data}))
    };
    let named_data = file.program().named_data()?.into_iter().flat_map(Vector::iter).map(entry);
    let named_data = named_data.collect::<Derived<Vec<_>>>()?;
    Ok(json!({"methods": methods, "constants": constants(file)?, "named_data": named_data}))
}

/// The bytes of each constant and of the padding behind it; no runtime says of a constant how long it is.
fn constants(file: &Pte<'_>) -> Derived<Vec<Value>> {
    let Some(home) = file.program().constant_segment()? else { return Ok(Vec::new()) };
    let Some(offsets) = home.offsets()?.filter(|offsets| offsets.len() > 1) else { return Ok(Vec::new()) };
    let segment = file.segment_bytes(home.segment_index()?)?;
    if segment.is_empty() {
        // Where there are no bytes the runtime looks for older constants, inside the FlatBuffer.
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

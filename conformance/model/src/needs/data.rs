//! The data that a program looks up by key, in itself or in data files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;
use torchproof::check::xnnpack_keys;
use torchproof::ptd::Ptd;
use torchproof::pte::schema::{Tensor, TensorDataLocation};
use torchproof::pte::{Method, Pte};
use torchproof::{DataEntry, layout};

use super::backends::XNNPACK;
use super::budget::{ItemBudget, MOST_METHODS};
use super::methods::dimensions;
use crate::ModelFile;
use crate::fields::words::scalar_type;

/// Data that a program looks up by key.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DataNeeds {
    /// The key.
    pub key: String,
    /// Who uses the data: `tensor`, or the id of a backend whose blobs name the key.
    pub used_by: &'static str,
    /// The type of the elements, such as `FLOAT`; absent for a blob.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtype: Option<String>,
    /// The number of elements in each dimension; absent for a blob.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<i32>>,
    /// The size in bytes; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The path of the program or data file that has the key; absent if no file has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_in: Option<String>,
}

/// An entry of a file, and the path of the file.
type FoundEntry = (String, DataNeeds);

pub(super) fn of(
    program: &Pte<'_>,
    file: &ModelFile<'_>,
    companions: &[ModelFile<'_>],
    budget: &mut ItemBudget,
) -> Vec<DataNeeds> {
    let tensors = program.methods().flatten().take(MOST_METHODS).flat_map(Method::tensors).flatten();
    let mut needed: BTreeMap<Vec<u8>, DataNeeds> = BTreeMap::new();
    for (_, tensor) in tensors {
        let Some(key) = external_key(tensor) else { continue };
        if !needed.contains_key(key) && budget.admits(key.len()) {
            needed.insert(key.to_vec(), of_tensor(key, tensor, budget));
        }
    }
    for key in xnnpack_keys(file) {
        if !needed.contains_key(&key) && budget.admits(key.len()) {
            let need = need(&key, XNNPACK);
            needed.insert(key, need);
        }
    }
    if needed.is_empty() {
        return Vec::new();
    }
    let keys: BTreeSet<Vec<u8>> = needed.keys().cloned().collect();
    let mut found = BTreeMap::new();
    add_entries(program.named_data(), file.path(), &keys, &mut found, budget);
    for companion in companions {
        if let Ok(data) = Ptd::open_file_bytes(companion.file_bytes()) {
            add_entries(data.entries(), companion.path(), &keys, &mut found, budget);
        }
    }
    let complete = |(key, need): (Vec<u8>, DataNeeds)| {
        let Some((path, entry)) = found.remove(&key) else { return need };
        DataNeeds {
            dtype: need.dtype.or(entry.dtype),
            sizes: need.sizes.or(entry.sizes),
            bytes: need.bytes.or(entry.bytes),
            found_in: Some(path),
            ..need
        }
    };
    needed.into_iter().map(complete).collect()
}

fn need(key: &[u8], used_by: &'static str) -> DataNeeds {
    let key = String::from_utf8_lossy(key).into_owned();
    DataNeeds { key, used_by, dtype: None, sizes: None, bytes: None, found_in: None }
}

pub(crate) fn external_key(tensor: Tensor<'_>) -> Option<&[u8]> {
    let extra = tensor.extra_tensor_info().ok()??;
    let name = extra.fully_qualified_name().ok()??;
    (extra.location() == Ok(TensorDataLocation::EXTERNAL)).then(|| name.as_bytes())
}

fn of_tensor(key: &[u8], tensor: Tensor<'_>, budget: &mut ItemBudget) -> DataNeeds {
    let bytes = tensor.scalar_type().ok().zip(tensor.sizes().ok().flatten());
    DataNeeds {
        dtype: Some(scalar_type(tensor.scalar_type())),
        sizes: Some(dimensions(tensor.sizes(), budget)),
        bytes: bytes.and_then(|(ty, sizes)| layout::nbytes(ty, sizes).ok()),
        ..need(key, "tensor")
    }
}

/// Adds the entries that have one of the keys. As in the runtime, earlier files win.
fn add_entries<'a, E>(
    entries: impl Iterator<Item = Result<DataEntry<'a>, E>>,
    path: &Path,
    keys: &BTreeSet<Vec<u8>>,
    found: &mut BTreeMap<Vec<u8>, FoundEntry>,
    budget: &mut ItemBudget,
) {
    for entry in entries.flatten() {
        let Ok(key) = entry.key() else { continue };
        if !keys.contains(key.as_bytes()) || found.contains_key(key.as_bytes()) {
            continue;
        }
        let ty = entry.scalar_type().ok().flatten();
        let described = DataNeeds {
            dtype: ty.map(|ty| scalar_type(Ok::<_, ()>(ty))),
            sizes: ty.map(|_| dimensions(entry.sizes(), budget)),
            bytes: entry.span().ok().map(|span| span.len),
            ..need(&[], "")
        };
        found.insert(key.as_bytes().to_vec(), (path.display().to_string(), described));
    }
}

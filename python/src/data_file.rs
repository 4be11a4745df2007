//! Packs data files.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use torchproof::ScalarType;
use torchproof::ptd::{DataLayout, pack, tensor_layout};
use torchproof::write::NamedDataStore;

use crate::error::{of_dtype, of_write};
use crate::tensor::dtype_of;

/// The key, the bytes and, for a tensor, the shape and NumPy's name of the element type.
type Item = (String, PyBackedBytes, Option<(String, Vec<i32>)>);

/// Returns the bytes of a data file with these entries, laid out as the official writer does it.
#[pyfunction]
pub(crate) fn pack_data(py: Python<'_>, items: Vec<Item>) -> PyResult<Vec<u8>> {
    let mut types = Vec::new();
    for (key, _, tensor) in &items {
        let Some((name, _)) = tensor else {
            types.push(ScalarType::default());
            continue;
        };
        // Leave out quantized types and raw bits: in an array, their names mean integers.
        let plain = ScalarType::TYPE.values.iter().filter(|(name, _)| !name.starts_with(['Q']) && *name != "BITS16");
        let known = || plain.clone().map(|(_, value)| ScalarType(*value));
        types.push(known().find(|known| dtype_of(*known) == Some(name)).ok_or_else(|| {
            let mut names: Vec<_> = known().filter_map(dtype_of).collect();
            names.sort_unstable();
            names.dedup();
            of_dtype(py, &format!("{key}: found element type {name}, expected one of {}", names.join(", ")))
        })?);
    }
    let packed = py.detach(|| {
        let mut store = NamedDataStore::new();
        for ((key, bytes, tensor), scalar_type) in items.iter().zip(types) {
            store.add(key, bytes, 1, tensor.as_ref().map(|(_, sizes)| tensor_layout(scalar_type, sizes)))?;
        }
        pack(store, &DataLayout::CURRENT)?.to_bytes()
    });
    packed.map_err(|error| of_write(py, &error))
}

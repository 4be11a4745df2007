//! The loaded form of data files: the tensor layout and the bytes of every key.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use torchproof::ptd::Ptd;
use torchproof::{DataEntry, Error, FileKind, Stage};

use super::error::{DerivedResult, absent};
use super::json::{bytes, text};
use super::tensor;

pub(super) fn of_file(file: &Ptd<'_>, stage: Stage) -> DerivedResult<Vec<Value>> {
    if file.kind() == FileKind::PtdLegacy {
        return Err("found a data file in the legacy layout; only the current layout has a loaded form".into());
    }
    entries(file.entries(), stage)
}

pub(super) fn entries<'a>(
    entries: impl Iterator<Item = Result<DataEntry<'a>, Error>>,
    stage: Stage,
) -> DerivedResult<Vec<Value>> {
    let entry = |entry: DataEntry<'_>| -> DerivedResult<Value> {
        let layout = match entry.scalar_type()? {
            Some(scalar_type) => {
                let sizes = entry.sizes()?.ok_or_else(|| absent("TensorLayout.sizes"))?;
                tensor::layout(scalar_type, sizes, entry.dim_order()?)?
            }
            None => Value::Null,
        };
        let data = if stage >= Stage::Data { bytes(entry.bytes()?) } else { Value::Null };
        Ok(json!({"key": text(entry.key()?), "tensor_layout": layout, "data": data}))
    };
    entries.map(|found| entry(found?)).collect()
}

/// Returns the indexes of the entries that have a tensor layout, if the file at `path` is a data file in the current
/// layout.
///
/// ```
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(&file, torchproof::corpus::find("ptd/valid/tensors").unwrap().build().bytes)?;
/// assert_eq!(torchproof_harness::reader::loaded::layouts(file.path()), Some(vec![0, 1, 2]));
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn layouts(path: &Path) -> Option<Vec<u64>> {
    layouts_in(&fs::read(path).ok()?)
}

/// The same as [`layouts`], for a file in memory.
#[must_use]
pub fn layouts_in(bytes: &[u8]) -> Option<Vec<u64>> {
    let file = Ptd::open(bytes).ok().filter(|file| file.kind() == FileKind::Ptd)?;
    let is_tensor = |entry: &DataEntry<'_>| matches!(entry.scalar_type(), Ok(Some(_)));
    Some(file.entries().flatten().filter(is_tensor).map(|entry| entry.index() as u64).collect())
}

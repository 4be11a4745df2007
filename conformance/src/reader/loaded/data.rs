//! The loaded form of data files: the tensor layout and the bytes of every key.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use torchproof::Stage;
use torchproof::ptd::schema::NamedData;
use torchproof::ptd::{Layout, Ptd};

use super::error::{Derived, absent};
use super::json::{bytes, text};
use super::tensor;

pub(super) fn entries(file: &Ptd<'_>, stage: Stage) -> Derived<Vec<Value>> {
    let Layout::Current(root) = file.layout() else {
        return Err("found a data file with the legacy layout; only the current layout has a loaded form".into());
    };
    let entry = |entry: NamedData<'_>| -> Derived<Value> {
        let layout = match entry.tensor_layout()? {
            Some(layout) => {
                let sizes = layout.sizes()?.ok_or_else(|| absent("TensorLayout.sizes"))?;
                tensor::layout(layout.scalar_type()?, sizes, layout.dim_order()?)?
            }
            None => Value::Null,
        };
        let data = if stage >= Stage::Data { bytes(file.segment_bytes(entry.segment_index()?)?) } else { Value::Null };
        Ok(json!({"key": text(entry.key()?), "tensor_layout": layout, "data": data}))
    };
    root.named_data()?.iter().flat_map(|entries| entries.iter()).map(|found| entry(found?)).collect()
}

/// Returns the indexes of the entries that have a tensor layout in the file at `path`. Returns `None` if the file is
/// not a data file of the current layout.
///
/// ```
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(&file, torchproof::corpus::find("ptd/valid/tensors").unwrap().build().bytes)?;
/// assert_eq!(torchproof_cli::reader::loaded::layouts(file.path()), Some(vec![0, 1, 2]));
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn layouts(path: &Path) -> Option<Vec<u64>> {
    layouts_in(&fs::read(path).ok()?)
}

/// Returns the same list as [`layouts`], but for a file in memory.
#[must_use]
pub(crate) fn layouts_in(bytes: &[u8]) -> Option<Vec<u64>> {
    let Layout::Current(root) = Ptd::open(bytes).ok()?.layout() else { return None };
    let entries = root.named_data().ok()??;
    let has = |entry: NamedData<'_>| matches!(entry.tensor_layout(), Ok(Some(_)));
    Some(entries.iter().zip(0..).filter(|(entry, _)| entry.is_ok_and(has)).map(|(_, index)| index).collect())
}

//! The files that `dump --with-data` writes for the segments.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use torchproof::Span;
use torchproof_harness::disk::input::{Input, each_piece};
use torchproof_harness::disk::{AtomicFile, OverwritePolicy, same_place, write_sparse};

use crate::document::EditError;

pub(super) fn failed(path: &Path, error: io::Error) -> EditError {
    EditError::Output { path: path.to_owned(), error }
}

/// Writes each segment to its own file, and returns the segments' `data` members, with paths relative to `from` or to
/// the current folder.
pub(super) fn write(
    input: &Input,
    segments: &[Span],
    folder: &Path,
    from: Option<&Path>,
    existing: OverwritePolicy,
) -> Result<Vec<Value>, EditError> {
    let unusable = |error| EditError::Folder { path: folder.to_owned(), error };
    fs::create_dir_all(folder).map_err(unusable)?;
    let mut written = HashMap::new();
    let mut left = input.file_bytes().len();
    let mut data = Vec::new();
    for (index, span) in segments.iter().enumerate() {
        if span.len == 0 {
            data.push(json!({ "hex": "" }));
            continue;
        }
        if let Some(known) = written.get(&(span.offset, span.len)) {
            data.push(Value::clone(known));
            continue;
        }
        let path = folder.join(format!("segment-{index}.bin"));
        if same_place(&path, input.path()) {
            return Err(EditError::SamePlace { path });
        }
        // Overlapping segments can be much larger in total than the file.
        left = left
            .checked_sub(span.len)
            .ok_or_else(|| failed(&path, io::Error::other("overlapping segments have more bytes than the file")))?;
        let mut new = AtomicFile::create(&path, existing).map_err(|error| failed(&path, error))?;
        let copied = each_piece(input.range(*span), |error| error, |piece| write_sparse(new.file(), piece));
        let whole = copied.and_then(|()| new.file().set_len(span.len)).and_then(|()| new.persist());
        let named = whole.and_then(|()| name(&path, from)).map_err(|error| failed(&path, error))?;
        let known = json!({ "file": named });
        written.insert((span.offset, span.len), known.clone());
        data.push(known);
    }
    Ok(data)
}

/// The path as it appears in the JSON, relative to `from` if possible.
fn name(path: &Path, from: Option<&Path>) -> io::Result<String> {
    let named = from.map_or_else(|| Ok(path.to_owned()), |from| relative(path, from))?;
    named.into_os_string().into_string().map_err(|_| io::Error::other("the path is not UTF-8; expected UTF-8 for JSON"))
}

fn relative(path: &Path, from: &Path) -> io::Result<PathBuf> {
    let full = |path: &Path| fs::canonicalize(if path.as_os_str().is_empty() { Path::new(".") } else { path });
    let folder = full(path.parent().unwrap_or(Path::new("")))?;
    let name = path.file_name().map(PathBuf::from).unwrap_or_default();
    let folder = folder.strip_prefix(full(from)?).map(PathBuf::from).unwrap_or(folder);
    Ok(folder.join(name))
}

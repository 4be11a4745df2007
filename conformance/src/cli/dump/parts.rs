//! The files that a dump's segments go into.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use torchproof::Span;
use torchproof_cli::edit::{EditError, Existing, NewFiles, same_place};
use torchproof_cli::input::Input;

use super::failed;

/// The segments of a file, each in a file of its own.
#[derive(Debug)]
pub(super) struct Parts {
    /// For each segment, which of the paths has its bytes; none has none.
    segments: Vec<Option<usize>>,
    paths: Vec<PathBuf>,
    pub(super) files: NewFiles,
}

impl Parts {
    /// Writes each range of segments once, to be put into the folder.
    pub(super) fn write(
        input: &Input,
        segments: &[Span],
        folder: &Path,
        existing: Existing,
    ) -> Result<Self, EditError> {
        let files = NewFiles::of(folder, existing);
        let mut parts = Self { segments: Vec::new(), paths: Vec::new(), files };
        let mut written = BTreeMap::new();
        let mut left = input.image().len();
        for (index, span) in segments.iter().enumerate() {
            if span.len == 0 {
                parts.segments.push(None);
                continue;
            }
            if let Some(known) = written.get(&(span.offset, span.len)) {
                parts.segments.push(Some(*known));
                continue;
            }
            let name = format!("segment-{index}.bin");
            let path = folder.join(&name);
            if same_place(&path, input.path()) {
                return Err(EditError::SamePlace { path });
            }
            // Segments that overlap could come to far more than the file.
            left = left
                .checked_sub(span.len)
                .ok_or_else(|| failed(&path, io::Error::other("the segments overlap, and are more than the file")))?;
            parts.files.add(&name, |file| copy_sparse(&mut input.range(*span), span.len, file))?;
            written.insert((span.offset, span.len), parts.paths.len());
            parts.segments.push(Some(parts.paths.len()));
            parts.paths.push(path);
        }
        Ok(parts)
    }

    /// What the JSON says of each segment, whose files are in place; they are named from the folder `from`, or from where the
    /// process is.
    pub(super) fn data(&self, from: Option<&Path>) -> Result<Vec<Value>, EditError> {
        let names = self.paths.iter().map(|path| {
            let named = match from {
                Some(from) => relative(path, from).map_err(|error| failed(path, error))?,
                None => path.clone(),
            };
            named.into_os_string().into_string().map_err(|_| failed(path, io::Error::other("the name is not UTF-8")))
        });
        let names = names.collect::<Result<Vec<_>, _>>()?;
        Ok(self
            .segments
            .iter()
            .map(|file| match file {
                Some(file) => json!({ "file": names[*file] }),
                None => json!({ "hex": "" }),
            })
            .collect())
    }
}

/// The path of a file as it is seen from a folder: what is in it by its name there, all else in full.
fn relative(path: &Path, from: &Path) -> io::Result<PathBuf> {
    let full = |path: &Path| fs::canonicalize(if path.as_os_str().is_empty() { Path::new(".") } else { path });
    let folder = full(path.parent().unwrap_or(Path::new("")))?;
    let name = path.file_name().map(PathBuf::from).unwrap_or_default();
    let folder = folder.strip_prefix(full(from)?).map(PathBuf::from).unwrap_or(folder);
    Ok(folder.join(name))
}

/// Copies `len` bytes to a new file, in which zeros are left as holes.
fn copy_sparse(from: &mut impl Read, len: u64, to: &mut File) -> io::Result<()> {
    let mut piece = vec![0; 1 << 16];
    loop {
        match from.read(&mut piece)? {
            0 => return to.set_len(len),
            count if piece[..count].iter().all(|byte| *byte == 0) => {
                to.seek(SeekFrom::Current(i64::try_from(count).map_err(io::Error::other)?))?;
            }
            count => to.write_all(&piece[..count])?,
        }
    }
}

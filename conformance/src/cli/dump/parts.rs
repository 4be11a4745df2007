//! The files that a dump's segments go into.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempPath;
use torchproof::Span;
use torchproof_conformance::edit::{EditError, Existing, Together, same_place};
use torchproof_conformance::input::Input;

use super::failed;

/// The segments of a file, each in a file of its own: all are there, or none is.
#[derive(Debug)]
pub(super) struct Parts {
    folder: PathBuf,
    /// Whether the folder was not there before.
    made: bool,
    /// For each segment, which of the files has its bytes; none has none.
    segments: Vec<Option<usize>>,
    /// Written under other names. They are not open: there may be more of them than a process may open.
    files: Vec<(TempPath, PathBuf)>,
    placed: Together,
}

impl Parts {
    /// Writes each range of segments into the folder once, under a temporary name.
    pub(super) fn write(input: &Input, segments: &[Span], folder: &Path) -> Result<Self, EditError> {
        let made = !folder.exists();
        fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
        let mut parts = Self {
            folder: folder.to_owned(),
            made,
            segments: Vec::new(),
            files: Vec::new(),
            placed: Together::default(),
        };
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
            let path = folder.join(format!("segment-{index}.bin"));
            if same_place(&path, input.path()) {
                return Err(EditError::SamePlace { path });
            }
            // Segments that overlap could come to far more than the file.
            left = left
                .checked_sub(span.len)
                .ok_or_else(|| failed(&path, io::Error::other("the segments overlap, and are more than the file")))?;
            let temporary = one(input, *span, folder).map_err(|error| failed(&path, error))?;
            written.insert((span.offset, span.len), parts.files.len());
            parts.segments.push(Some(parts.files.len()));
            parts.files.push((temporary, path));
        }
        Ok(parts)
    }

    /// What the JSON says of each segment; files are named from the folder `from`, or from where the process is.
    pub(super) fn data(&self, from: Option<&Path>) -> Result<Vec<Value>, EditError> {
        let names = self.files.iter().map(|(_, path)| {
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

    /// Gives all files their names. When one cannot have it, all is as it was.
    pub(super) fn put_in_place(&mut self, existing: Existing) -> Result<(), EditError> {
        // Nothing is begun that is known to fail.
        if let Some((_, path)) = self.files.iter().find(|(_, path)| existing == Existing::Keep && path.exists()) {
            return Err(failed(path, io::ErrorKind::AlreadyExists.into()));
        }
        for (temporary, path) in std::mem::take(&mut self.files) {
            let put = || match existing {
                Existing::Keep => temporary.persist_noclobber(&path),
                Existing::Replace => temporary.persist(&path),
            };
            let done = self.placed.put(&path, || put().map_err(|error| error.error));
            done.map_err(|error| failed(&path, error))?;
        }
        Ok(())
    }

    /// Lets the files stay.
    pub(super) fn keep(mut self) {
        std::mem::take(&mut self.placed).keep();
        self.made = false;
    }

    /// Takes the files back, and puts there what they replaced; dropping does so too, but for the errors.
    pub(super) fn take_back(mut self) -> Result<(), EditError> {
        std::mem::take(&mut self.placed).take_back().map_err(|(path, error)| failed(&path, error))
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        self.files.clear();
        drop(std::mem::take(&mut self.placed));
        // What cannot be removed is left: there is an error to tell already.
        if self.made {
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

/// A new file of the folder with these bytes.
fn one(input: &Input, span: Span, folder: &Path) -> io::Result<TempPath> {
    let mut builder = tempfile::Builder::new();
    // The system takes from these what a new file is not to have.
    let mut file = builder.prefix(".torchproof-").permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
    copy_sparse(&mut input.range(span), span.len, file.as_file_mut())?;
    file.as_file().sync_all()?;
    Ok(file.into_temp_path())
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

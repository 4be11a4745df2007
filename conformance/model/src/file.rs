//! **A file with a name**: its header and its FlatBuffer in memory, everything else by range.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use torchproof::check::{ReadAt, ReadError};
use torchproof::ptd::Ptd;
use torchproof::{FileBytes, FileKind, Span};

/// A file that this library answers questions about.
pub struct ModelFile<'a> {
    path: PathBuf,
    source: &'a dyn ReadAt,
    head: Cow<'a, [u8]>,
}

impl<'a> ModelFile<'a> {
    /// Opens a file, and reads its header and its FlatBuffer unless they are in memory. In reports, its name is `path`.
    ///
    /// # Errors
    ///
    /// Returns [`ReadError`] if the bytes cannot be read, or if memory is exhausted.
    pub fn open(path: impl Into<PathBuf>, source: &'a dyn ReadAt) -> Result<Self, ReadError> {
        let mut head = Cow::Borrowed(source.head());
        for needed in [|_: &[u8], _| 64, FileBytes::needed] {
            let needed = needed(&head, source.len()).min(source.len());
            let needed = usize::try_from(needed).map_err(|_| ReadError)?;
            if let Some(missing) = needed.checked_sub(head.len()).filter(|missing| *missing > 0) {
                let mut read = Vec::new();
                read.try_reserve_exact(needed).map_err(|_| ReadError)?;
                read.extend_from_slice(&head);
                read.resize(read.len() + missing, 0);
                source.read_at(head.len() as u64, &mut read[head.len()..])?;
                head = Cow::Owned(read);
            }
        }
        Ok(Self { path: path.into(), source, head })
    }

    /// Returns the name that was passed to [`open`](Self::open).
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the bytes that are in memory, together with the file's length.
    #[must_use]
    pub fn file_bytes(&self) -> FileBytes<'_> {
        FileBytes::head(&self.head, self.source.len()).unwrap_or(FileBytes::whole(&self.head))
    }

    /// Returns the kind, which includes the layout of a data file.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        let bytes = self.file_bytes();
        Ptd::open_file_bytes(bytes).map_or_else(|_| FileKind::of_head(bytes.bytes()), |data| data.kind())
    }
}

impl ReadAt for ModelFile<'_> {
    fn len(&self) -> u64 {
        self.source.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.source.read_at(offset, buffer)
    }

    fn head(&self) -> &[u8] {
        &self.head
    }

    fn first_nonzero(&self, span: Span) -> Result<Option<u64>, ReadError> {
        self.source.first_nonzero(span)
    }
}

impl fmt::Debug for ModelFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelFile").field("path", &self.path).finish_non_exhaustive()
    }
}

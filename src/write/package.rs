//! A whole file, ready to be written: its tables, its plan and the sources of its segments.

use std::fmt;
use std::io::{Seek, Write};
use std::string::String;
use std::vec::Vec;

use super::refusal::{Refusal, expect_accepted};
use super::{Fault, Plan, Source, SourceError, StreamError, WriteError, stream, stream_sparse};
use crate::FileKind;
use crate::Span;
use crate::check::{ReadAt, Unread};
use crate::flatbuffer::build::BuildError;
use crate::flatbuffer::tree::TableTree;

/// A file that was packed: everything about it but the segments' bytes is decided, and accepted by [`check`](crate::check()).
///
/// Sources are read only when it is written.
///
/// ```
/// use torchproof::ptd::pack::pack;
/// use torchproof::ptd::write::FileLayout;
/// use torchproof::write::{NamedDataStore, Source};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut store = NamedDataStore::new();
/// store.add("zeros", Source::Fill { pattern: b"", len: 1000 }, 1, None)?;
/// let package = pack(store, &FileLayout::CURRENT)?;
/// let (len, base) = (package.plan().len(), package.plan().base());
/// assert_eq!(len, base + 1000);
/// let mut file = Vec::new();
/// package.stream(&mut file)?;
/// assert_eq!(file.len() as u64, len);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Package<'s> {
    root: TableTree,
    plan: Plan,
    sources: Vec<Source<'s>>,
}

impl<'s> Package<'s> {
    /// Takes what was planned, unless it breaks a must-rule of files of this kind.
    pub(crate) fn new(
        root: TableTree,
        plan: Plan,
        sources: Vec<Source<'s>>,
        kind: FileKind,
    ) -> Result<Self, PackError> {
        let package = Self { root, plan, sources };
        expect_accepted(&Planned(&package), kind)?;
        Ok(package)
    }

    /// The tables, with every reference to a segment filled in; the list of segments is the plan's.
    #[must_use]
    pub const fn root(&self) -> &TableTree {
        &self.root
    }

    /// Where everything goes.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The plan, and the source of each segment in its order.
    #[must_use]
    pub fn into_parts(self) -> (Plan, Vec<Source<'s>>) {
        (self.plan, self.sources)
    }

    /// Writes the file, as [`stream`](fn@stream) does.
    ///
    /// # Errors
    ///
    /// [`StreamError`].
    pub fn stream(self, out: &mut dyn Write) -> Result<(), StreamError> {
        stream(&self.plan, self.sources, out)
    }

    /// Writes the file and leaves holes where it is zeros, as [`stream_sparse`] does.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use torchproof::ptd::pack::pack;
    /// use torchproof::ptd::write::FileLayout;
    /// use torchproof::write::{NamedDataStore, Source};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let package = || {
    ///     let mut store = NamedDataStore::new();
    ///     store.add("zeros", Source::Fill { pattern: b"", len: 100_000 }, 1, None)?;
    ///     pack(store, &FileLayout::CURRENT)
    /// };
    /// let mut file = Cursor::new(Vec::new()); // as into a new `File`
    /// package()?.stream_sparse(&mut file)?;
    /// assert_eq!(file.into_inner(), package()?.into_bytes()?);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`StreamError`].
    pub fn stream_sparse<W: Write + Seek>(self, out: &mut W) -> Result<(), StreamError> {
        stream_sparse(&self.plan, self.sources, out)
    }

    /// The file's bytes.
    ///
    /// # Errors
    ///
    /// [`StreamError`]; a file that does not fit into memory is the output's fault.
    pub fn into_bytes(self) -> Result<Vec<u8>, StreamError> {
        let mut bytes = Vec::new();
        let memory = || StreamError::Write(std::io::ErrorKind::OutOfMemory.into());
        let len = usize::try_from(self.plan.len()).map_err(|_| memory())?;
        bytes.try_reserve_exact(len).map_err(|_| memory())?;
        self.stream(&mut bytes)?;
        Ok(bytes)
    }
}

/// What will stand behind the FlatBuffer: zeros between the parts, and of the segments what is in memory.
struct Planned<'p, 's>(&'p Package<'s>);

impl ReadAt for Planned<'_, '_> {
    fn len(&self) -> u64 {
        self.0.plan.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Unread> {
        let Package { plan, sources, .. } = self.0;
        let offset = offset.checked_sub(plan.base()).ok_or(Unread)?;
        let index = plan.places().partition_point(|place| place.end() <= offset);
        let (Some(place), Some(Source::Bytes(bytes))) = (plan.places().get(index), sources.get(index)) else {
            return Err(Unread);
        };
        let start = offset.checked_sub(place.offset).and_then(|start| usize::try_from(start).ok());
        let found = start.and_then(|start| bytes.get(start..)).and_then(|rest| rest.get(..buffer.len()));
        buffer.copy_from_slice(found.ok_or(Unread)?);
        Ok(())
    }

    fn head(&self) -> &[u8] {
        self.0.plan.head()
    }

    fn first_nonzero(&self, _: Span) -> Result<Option<u64>, Unread> {
        Ok(None)
    }
}

/// Why a file cannot be packed: a mistake in what was asked for, a source that cannot be read, or a limit, as
/// [`PackError::fault`] says.
#[derive(Debug)]
#[non_exhaustive]
pub enum PackError {
    /// The tree has set what packing makes.
    Occupied {
        /// The field.
        field: &'static str,
    },
    /// A blob's alignment is 0.
    ZeroAlignment {
        /// The key that it was added under.
        key: String,
    },
    /// Two blobs or two layouts are under one key.
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// No blob is under a key.
    UnknownKey {
        /// The key.
        key: String,
    },
    /// A delegate's blob is not among the inline ones.
    NoBlob {
        /// The delegate's reference to it.
        path: String,
        /// Which blob; `None` when it is said to be in a segment already.
        index: Option<u32>,
        /// How many there are.
        count: usize,
    },
    /// No delegate refers to an inline blob.
    UnusedBlob {
        /// Which blob.
        index: usize,
    },
    /// A source that can be read only once would be needed at two places.
    ReadTwice {
        /// The key that needs it again.
        key: String,
    },
    /// What was to be in the FlatBuffer did not give its bytes.
    Source {
        /// What.
        path: String,
        /// Why.
        error: SourceError,
    },
    /// The file cannot be laid out, or would not be accepted.
    Refused(Refusal),
}

impl From<Refusal> for PackError {
    fn from(refusal: Refusal) -> Self {
        PackError::Refused(refusal)
    }
}

impl From<WriteError> for PackError {
    fn from(error: WriteError) -> Self {
        PackError::Refused(error.into())
    }
}

impl From<BuildError> for PackError {
    fn from(error: BuildError) -> Self {
        WriteError::from(error).into()
    }
}

impl PackError {
    /// Whose fault it is.
    ///
    /// ```
    /// use torchproof::write::{Fault, NamedDataStore, Source};
    /// let mut store = NamedDataStore::new();
    /// let error = store.add("key", Source::Bytes(b"a"), 0, None).unwrap_err();
    /// assert_eq!(error.fault(), Fault::Specification); // no alignment is 0
    /// ```
    #[must_use]
    pub fn fault(&self) -> Fault {
        match self {
            PackError::Source { error, .. } => error.fault(),
            PackError::Refused(refusal) => refusal.fault(),
            PackError::Occupied { .. }
            | PackError::ZeroAlignment { .. }
            | PackError::DuplicateKey { .. }
            | PackError::UnknownKey { .. }
            | PackError::NoBlob { .. }
            | PackError::UnusedBlob { .. }
            | PackError::ReadTwice { .. } => Fault::Specification,
        }
    }
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackError::Occupied { field } => write!(f, "`{field}` is set, and packing makes it"),
            PackError::ZeroAlignment { key } => write!(f, "key `{}` has an alignment of 0", key.escape_debug()),
            PackError::DuplicateKey { key } => write!(f, "key `{}` has two values", key.escape_debug()),
            PackError::UnknownKey { key } => write!(f, "key `{}` has no value", key.escape_debug()),
            PackError::NoBlob { path, index: Some(index), count } => {
                write!(f, "{path}: inline blob {index} is not below {count}")
            }
            PackError::NoBlob { path, index: None, .. } => write!(f, "{path}: the blob is in no inline list"),
            PackError::UnusedBlob { index } => write!(f, "no delegate refers to inline blob {index}"),
            PackError::ReadTwice { key } => {
                write!(f, "key `{}` needs a source again that can be read only once", key.escape_debug())
            }
            PackError::Source { path, error } => write!(f, "{path}: {error}"),
            PackError::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl core::error::Error for PackError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            PackError::Source { error, .. } => Some(error),
            PackError::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}

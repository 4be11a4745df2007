//! **A file's metadata**: the named data whose keys begin with `metadata.`, and the conversion of its values.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use torchproof_harness::disk::input::Input;
//! use torchproof_cli::document::meta::{DeclaredType, ValuePreview, Metadata};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("metadata.pte");
//! std::fs::write(&path, torchproof::corpus::find("pte/valid/metadata").expect("a case").build().bytes)?;
//! let input = Input::open(&path)?;
//! let metadata = Metadata::open(input.file_bytes())?;
//! let vocabulary = metadata.find(b"metadata.tokenizer.vocab_size").expect("the file has this key");
//! let preview = ValuePreview::at(&input, vocabulary.place?, DeclaredType::default().or_well_known(vocabulary.key.as_bytes()))?;
//! assert_eq!((preview.text().as_str(), preview.encoding().as_str()), ("32000", "untagged (inferred)"));
//! # Ok(()) }
//! ```

mod row;
mod value;
mod value_preview;

pub use row::Row;
pub use value::{OwnedValue, ValueText, parse};
pub use value_preview::{DeclaredType, TypeSource, ValuePreview};

use torchproof::FileKind;
use torchproof::flatbuffer::Str;
use torchproof::metadata::PREFIX;
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;
use torchproof::{Error, FileBytes, Span, view};

/// Entries are not stored, but read again for each use, because a file can have millions of them.
#[derive(Clone, Copy, Debug)]
pub struct Metadata<'a> {
    kind: FileKind,
    file: Named<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Named<'a> {
    Program(Pte<'a>),
    Data(Ptd<'a>),
}

/// An entry whose key begins with [`PREFIX`].
#[derive(Clone, Copy, Debug)]
pub struct MetadataEntry<'a> {
    pub key: Str<'a>,
    /// The value's span, or the error of its segment.
    pub place: Result<Span, Error>,
}

impl<'a> Metadata<'a> {
    /// `file_bytes` must contain the FlatBuffer; see [`FileBytes::needed`].
    pub fn open(file_bytes: FileBytes<'a>) -> Result<Self, view::ViewError> {
        // `view::File::open` limits the number of entries, so call it first.
        let kind = view::File::open(file_bytes)?.kind();
        let file = match kind {
            FileKind::Pte => Named::Program(Pte::open_file_bytes(file_bytes)?),
            _ => Named::Data(Ptd::open_file_bytes(file_bytes)?),
        };
        Ok(Self { kind, file })
    }

    fn all(&self) -> impl Iterator<Item = MetadataEntry<'a>> + use<'a> {
        let (program, data) = match self.file {
            Named::Program(file) => (Some(file.named_data()), None),
            Named::Data(file) => (None, Some(file.entries())),
        };
        let entries = program.into_iter().flatten().chain(data.into_iter().flatten()).flatten();
        let blobs = entries.filter(|entry| entry.list() == "named_data");
        blobs.filter_map(|entry| Some(MetadataEntry { key: entry.key().ok()?, place: entry.span() }))
    }

    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    pub fn entries(&self) -> impl Iterator<Item = MetadataEntry<'a>> + 'a {
        self.all().filter(|entry| entry.key.as_bytes().starts_with(PREFIX))
    }

    /// Returns the first of several entries with equal keys, as readers do.
    #[must_use]
    pub fn find(&self, key: &[u8]) -> Option<MetadataEntry<'a>> {
        self.entries().find(|entry| entry.key.as_bytes() == key)
    }

    pub fn keys(&self) -> impl Iterator<Item = &'a [u8]> + 'a {
        self.all().map(|entry| entry.key.as_bytes())
    }
}

/// Adds the prefix `metadata.` to a key without it.
///
/// ```
/// use torchproof_cli::document::meta::whole_key;
/// assert_eq!(whole_key("general.name"), "metadata.general.name");
/// assert_eq!(whole_key("metadata.general.name"), "metadata.general.name");
/// ```
#[must_use]
pub fn whole_key(key: &str) -> String {
    if key.as_bytes().starts_with(PREFIX) {
        return key.to_owned();
    }
    format!("{}{key}", String::from_utf8_lossy(PREFIX))
}

//! **Editing files**: a file's tables as a tree, its segments where they are, and a way to put it back as one.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::path::{Path, PathBuf};
//! use torchproof_conformance::edit::{Data, Document, Existing};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("copy.ptd");
//! let mut document = Document::open(Path::new("../corpus/real/linear_external.ptd"))?;
//! document.set_named_data("metadata.general.name", Data::Bytes(b"linear".to_vec()), 1)?;
//! document.save(&path, Existing::Keep)?;
//! let bytes = std::fs::read(&path)?;
//! assert_eq!(torchproof::ptd::Ptd::open(&bytes)?.named_data(b"metadata.general.name")?, Some(&b"linear"[..]));
//! # Ok(()) }
//! ```

mod constants;
mod data;
mod error;
mod layout;
mod named_data;
mod new_file;
mod references;
#[cfg(test)]
mod tests;
mod write;

pub use constants::{MoveError, Moved};
pub use data::Data;
pub use error::EditError;
pub use layout::{Base, Layout};
pub use new_file::{Existing, NewFile, same_place};
pub use write::{Outline, save_pair};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use torchproof::check::{Kind, Options};
use torchproof::flatbuffer::schema::{TableType, TableView};
use torchproof::flatbuffer::tree::{TableTree, Value};
use torchproof::flatbuffer::walk::{self, Flow, Stop, Visited, Visitor, walk};
use torchproof::flatbuffer::{Fault, Vector};
use torchproof::ptd::older_schema::OlderFlatTensor;
use torchproof::ptd::schema::FlatTensor;
use torchproof::ptd::{self, Ptd};
use torchproof::pte::Pte;
use torchproof::pte::schema::Program;
use torchproof::{Limits, Span, view};

use crate::findings;
use crate::input::Input;
use layout::largest_power;

/// A program file or a data file to be changed and written.
///
/// Its segments stay where they are until the file is written, and then go through in pieces: the memory that a document takes
/// is that of its tables.
#[derive(Debug)]
pub struct Document {
    kind: Kind,
    root: TableTree,
    segments: Vec<Segment>,
    layout: Layout,
    header: Option<Vec<u8>>,
    raw: Option<Raw>,
}

/// That the file is written as it is, whatever it is, and not checked.
#[derive(Clone, Debug)]
pub struct Raw {
    /// The root table's list of segments, in place of that of the segments' places.
    pub segments: Option<Value>,
}

/// A segment of a [`Document`].
#[derive(Clone, Debug)]
pub struct Segment {
    /// Its bytes.
    pub data: Data,
    /// Where it goes.
    pub place: Place,
    /// The SHA-256 that its bytes must have.
    pub sha256: Option<[u8; 32]>,
}

/// Where a segment goes, counted from the segment base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// There.
    At(u64),
    /// Behind all segments before it, at the next multiple of this.
    Aligned(u64),
}

impl Segment {
    /// A segment behind those before it, at a multiple of `alignment`.
    #[must_use]
    pub const fn new(data: Data, alignment: u64) -> Self {
        Self { data, place: Place::Aligned(alignment), sha256: None }
    }
}

impl Document {
    /// Opens a file and reads its tables.
    ///
    /// Its layout is taken over: the kind and the length of its header, and the alignment of everything in it as far as powers
    /// of two up to 64 KiB tell it, so that what is kept has at least the alignment that it has.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is not a program or a data file, its tables or the ranges of its segments are broken, or it
    /// has fields of a newer schema.
    /// Other rules are not asked for here.
    pub fn open(path: &Path) -> Result<Self, EditError> {
        let input = Arc::new(Input::open(path)?);
        let broken = |error| EditError::Broken { path: path.to_owned(), error };
        match Kind::of_head(input.image().bytes()) {
            Kind::Bpte => {
                return Err(EditError::NotEdited { path: path.to_owned(), what: "a bundled program (.bpte)" });
            }
            Kind::Ptn => return Err(EditError::NotEdited { path: path.to_owned(), what: "a .ptn package" }),
            _ => {}
        }
        let document = Self::of_input(&input).map_err(broken)?;
        match newer_field(&input) {
            Some((table, slot)) => Err(EditError::NewerSchema { path: path.to_owned(), table, slot }),
            None => Ok(document),
        }
    }

    /// As [`Document::open`], of a file that breaks no must-rule, neither by itself nor together with the data files that it is
    /// loaded with.
    ///
    /// # Errors
    ///
    /// As [`Document::open`], and when a must-rule is broken.
    pub fn open_accepted(path: &Path, data: &[PathBuf]) -> Result<Self, EditError> {
        let document = Self::open(path)?;
        expect_set_accepted(path, data).map_err(|error| match error {
            EditError::Rejected(examined) => EditError::NotAccepted { path: path.to_owned(), examined },
            other => other,
        })?;
        Ok(document)
    }

    fn of_input(input: &Arc<Input>) -> Result<Self, view::Error> {
        let image = input.image();
        // The walk bounds what a tree of the tables takes.
        let kind = view::File::open(image)?.kind();
        let tree = |table, ty| TableTree::read(table, ty).map_err(torchproof::Error::from);
        let (mut root, spans, layout) = if kind == Kind::Pte {
            let file = Pte::open_image(image)?;
            let root = tree(file.program().table(), Program::TYPE)?;
            let count = file.program().segments()?.map_or(0, Vector::len);
            let layout = Layout::of_program(&file, &root)?;
            (root, spans(count, |index| file.segment(index))?, layout)
        } else {
            let file = Ptd::open_image(image)?;
            let root = match file.layout() {
                ptd::Layout::Current(root) => tree(root.table(), FlatTensor::TYPE)?,
                ptd::Layout::Older(root) => tree(root.table(), OlderFlatTensor::TYPE)?,
            };
            let count = file.segments()?.map_or(0, Vector::len);
            (root, spans(count, |index| file.segment(index))?, {
                let header = file.header();
                Layout::default().with_data_header(Some(header.flatbuffer_offset), header.segment_base_offset)
            })
        };
        let base = layout.base.at.unwrap_or(0);
        let segment = |span: Span| {
            let alignment = largest_power(span.offset.saturating_sub(base)).min(layout.base.alignment);
            Segment::new(Data::Range { input: Arc::clone(input), span }, alignment)
        };
        let segments = spans.into_iter().map(segment).collect();
        root.remove("segments");
        let layout = Layout { base: Base { at: None, ..layout.base }, ..layout };
        Ok(Self { kind, root, segments, layout, header: None, raw: None })
    }

    /// A file of these parts. The root's own list of segments is not looked at.
    ///
    /// # Errors
    ///
    /// When the root is not one of a program or of a data file.
    pub fn new(mut root: TableTree, segments: Vec<Segment>, layout: Layout) -> Result<Self, EditError> {
        let kinds =
            [(Program::TYPE, Kind::Pte), (FlatTensor::TYPE, Kind::Ptd), (OlderFlatTensor::TYPE, Kind::PtdLegacy)];
        let same = |ty: &TableType| ty.name == root.ty().name && ty.fields.len() == root.ty().fields.len();
        let kind = kinds.into_iter().find(|(ty, _)| same(ty)).map(|(_, kind)| kind);
        let kind = kind.ok_or(EditError::Write(torchproof::write::WriteError::NotARoot { given: root.ty().name }))?;
        root.remove("segments");
        Ok(Self { kind, root, segments, layout, header: None, raw: None })
    }

    /// The same file with these bytes in its header, if it has one, from the header's length on.
    #[must_use]
    pub fn with_header(mut self, header: Vec<u8>) -> Self {
        self.header = Some(header);
        self
    }

    /// The same file as it is, right or wrong.
    #[must_use]
    pub fn with_raw(mut self, raw: Raw) -> Self {
        self.raw = Some(raw);
        self
    }

    /// What the file is: [`Kind::Pte`], [`Kind::Ptd`] or [`Kind::PtdLegacy`].
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The root table, without its list of segments.
    #[must_use]
    pub fn root(&self) -> &TableTree {
        &self.root
    }

    /// The root table, to be changed; a list of segments that is set in it is lost.
    pub fn root_mut(&mut self) -> &mut TableTree {
        &mut self.root
    }

    /// The segments, by index.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The segments, to be changed; an index in the tables keeps its meaning only as long as theirs do.
    pub fn segments_mut(&mut self) -> &mut Vec<Segment> {
        &mut self.segments
    }

    /// Where everything but the segments goes.
    pub fn layout_mut(&mut self) -> &mut Layout {
        &mut self.layout
    }
}

/// The first field of a file that its schema does not know here: the table's name, and the slot.
fn newer_field(input: &Input) -> Option<(&'static str, u16)> {
    let image = input.image();
    let newer = Newer(None);
    if let Ok(file) = Pte::open_image(image) {
        return walk::<Program<'_>, _>(file.region(), Limits::DEFAULT, newer).0.0;
    }
    let file = Ptd::open_image(image).ok()?;
    match file.layout() {
        ptd::Layout::Current(_) => walk::<FlatTensor<'_>, _>(file.region(), Limits::DEFAULT, newer).0.0,
        ptd::Layout::Older(_) => walk::<OlderFlatTensor<'_>, _>(file.region(), Limits::DEFAULT, newer).0.0,
    }
}

/// Looks for the first field past those that a table's type has.
struct Newer(Option<(&'static str, u16)>);

impl<'a> Visitor<'a> for Newer {
    fn fault(&mut self, _: &Fault, _: walk::Path<'_>) -> Flow {
        Ok(())
    }

    fn enter<T: TableView<'a>>(&mut self, visited: &Visited<'_, 'a, T>, _: walk::Path<'_>) -> Flow {
        let table = visited.table();
        let known = u16::try_from(T::TYPE.fields.len()).unwrap_or(u16::MAX);
        match (known..table.slots()).find(|slot| table.field(*slot).is_some()) {
            None => Ok(()),
            Some(slot) => {
                self.0 = Some((T::TYPE.name, slot));
                Err(Stop::Asked)
            }
        }
    }
}

/// The places of all segments in the file.
fn spans(
    count: usize,
    segment: impl Fn(u32) -> Result<Span, torchproof::Error>,
) -> Result<Vec<Span>, torchproof::Error> {
    (0..count)
        .map(|index| match u32::try_from(index) {
            Ok(index) => segment(index),
            Err(_) => segment(u32::MAX),
        })
        .collect()
}

/// Fails with what a file is rejected for, by itself or together with its data files.
fn expect_set_accepted(path: &Path, data: &[PathBuf]) -> Result<(), EditError> {
    let (_, mut examined) = findings::examine_set(path, data, &Options::default()).map_err(EditError::Set)?;
    examined.incomplete = examined.incomplete.or(examined.note.take());
    if examined.accepts(false) { Ok(()) } else { Err(EditError::Rejected(Box::new(examined))) }
}

//! **Editing files**: a file's tables as a tree, its segments where they are, and a way to put it back as one.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::path::{Path, PathBuf};
//! use torchproof_cli::edit::{Data, Document, Existing};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("copy.ptd");
//! let mut document = Document::open(Path::new("../corpus/real/linear_external.ptd"))?;
//! document.set_named_data("metadata.general.name", Data::Bytes(b"linear".to_vec()), 1)?;
//! document.save(&path, Existing::Keep)?;
//! let bytes = std::fs::read(&path)?;
//! assert_eq!(torchproof::ptd::Ptd::open(&bytes)?.named_data(b"metadata.general.name")?, Some(&b"linear"[..]));
//! # Ok(()) }
//! ```

mod alignment;
mod constants;
mod data;
mod draft;
mod error;
mod fault;
mod guard;
mod layout;
mod left_out;
mod named_data;
mod new_file;
mod new_files;
mod newer;
mod overlap;
mod pair;
mod references;
#[cfg(test)]
mod tests;
mod together;
mod write;

pub use alignment::MOST_ALIGNMENT;
pub use constants::{Left, MoveError, Moved};
pub use data::{Data, WrongDigest};
pub use draft::Draft;
pub use error::EditError;
pub use guard::Guard;
pub(crate) use layout::MOST_HEADER;
pub use layout::{Base, Layout};
use left_out::Extent;
pub use left_out::LeftOut;
pub use new_file::{Existing, NewFile, same_place};
pub use new_files::NewFiles;
pub use overlap::Overlap;
pub use pair::{Others, save_pair};
pub(crate) use references::number;
pub use together::Together;
pub use write::{Checked, Outline};

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use torchproof::FileKind;
use torchproof::check::{Checker, Finding};
use torchproof::flatbuffer::Vector;
use torchproof::flatbuffer::schema::{TableType, TableView};
use torchproof::flatbuffer::tree::{TableTree, Value};
use torchproof::ptd::older_schema::OlderFlatTensor;
use torchproof::ptd::schema::FlatTensor;
use torchproof::ptd::{self, Ptd};
use torchproof::pte::Pte;
use torchproof::pte::schema::Program;
use torchproof::write::WriteError;
use torchproof::{Span, view};

use crate::findings;
use crate::input::Input;
use alignment::Alignments;
use newer::newer_field;

/// No FlatBuffer ends here or behind it.
pub(crate) const FLATBUFFER_LIMIT: u64 = 1 << 31;

/// A program file or a data file to be changed and written, or a bundled program to be written.
///
/// Its segments stay where they are until the file is written, and then go through in pieces: the memory that a document takes
/// is that of its tables.
#[derive(Debug)]
pub struct Document {
    kind: FileKind,
    root: TableTree,
    segments: Vec<Segment>,
    layout: Layout,
    header: Option<Vec<u8>>,
    raw: Option<Raw>,
    /// Whether a file that is written has to tell the alignment of its base to who opens it.
    lasting: bool,
    left_out: Vec<LeftOut>,
    /// The files that bytes of the root table were read from.
    held: Vec<PathBuf>,
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
    /// Behind all segments before it, at the next multiple of this, whatever the base is a multiple of.
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
    /// Its layout is taken over: the kind and the length of its header, and the alignment of everything in it as far as its
    /// places tell it. They do where there is more padding before them than the usual alignment asks for, and up to 64 KiB; a
    /// file that is laid out as if it had no other alignment than the usual one has no other. So what is kept has at least the
    /// alignment that it was given, and a file does not grow with each edit for places that are multiples of more by chance.
    ///
    /// What lies between and behind its parts is not taken over: [`Document::left_out`] says what that is.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is not a program or a data file, its tables or the ranges of its segments are broken, or it
    /// has fields of a newer schema.
    /// Other rules are not asked for here.
    pub fn open(path: &Path) -> Result<Self, EditError> {
        let input = Arc::new(Input::open(path)?);
        let broken = |error| EditError::Broken { path: path.to_owned(), error };
        match FileKind::of_head(input.image().bytes()) {
            FileKind::Bpte => {
                return Err(EditError::NotEdited { path: path.to_owned(), what: "a bundled program (.bpte)" });
            }
            FileKind::Ptn => return Err(EditError::NotEdited { path: path.to_owned(), what: "a .ptn package" }),
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
        expect_set_accepted(path, data, &|_| false).map_err(|error| match error {
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
        let whole = Span::new(0, image.len());
        let (mut root, spans, layout, extent, base) = if kind == FileKind::Pte {
            let file = Pte::open_image(image)?;
            let root = tree(file.program().table(), Program::TYPE)?;
            let count = file.program().segments()?.map_or(0, Vector::len);
            let layout = Layout::of_program(&file, &root)?;
            let base = file.header().map_or(0, |header| header.segment_base_offset);
            (root, spans(count, |index| file.segment(index))?, layout, Extent::of_program(&file, whole), base)
        } else {
            let file = Ptd::open_image(image)?;
            let root = match file.layout() {
                ptd::Layout::Current(root) => tree(root.table(), FlatTensor::TYPE)?,
                ptd::Layout::Older(root) => untold_alignment_kept(tree(root.table(), OlderFlatTensor::TYPE)?),
            };
            let count = file.segments()?.map_or(0, Vector::len);
            let header = file.header();
            let base = header.segment_base_offset;
            let layout = Layout::default().with_data_header(Some(header.flatbuffer_offset), base);
            let extent = Extent { whole, flatbuffer: file.region().len() as u64, base };
            (root, spans(count, |index| file.segment(index))?, layout, extent, base)
        };
        let places: Vec<_> =
            spans.iter().map(|span| Span { offset: span.offset.saturating_sub(base), ..*span }).collect();
        let alignments = Alignments::told(usual_alignment(kind), extent.flatbuffer, base, &places);
        let segment = |(span, alignment): (&Span, u64)| {
            Segment::new(Data::Range { input: Arc::clone(input), span: *span }, alignment)
        };
        let segments = spans.iter().zip(alignments.segments).map(segment).collect();
        root.remove("segments");
        let left_out = left_out::left_out(input, &spans, extent);
        let layout = Layout {
            base: Base { at: None, alignment: alignments.base },
            segment_alignment: alignments.file,
            ..layout
        };
        Ok(Self { kind, root, segments, layout, header: None, raw: None, lasting: true, left_out, held: Vec::new() })
    }

    /// A file of these parts. The root's own list of segments is not looked at.
    ///
    /// Its base is at a multiple of whatever a segment is aligned to, so that this is the alignment in the file as well.
    ///
    /// # Errors
    ///
    /// When the root is not one of a program or of a data file.
    pub fn new(mut root: TableTree, segments: Vec<Segment>, layout: Layout) -> Result<Self, EditError> {
        let kinds = [
            (Program::TYPE, FileKind::Pte),
            (FlatTensor::TYPE, FileKind::Ptd),
            (OlderFlatTensor::TYPE, FileKind::PtdLegacy),
        ];
        let same = |ty: &TableType| ty.name == root.ty().name && ty.fields.len() == root.ty().fields.len();
        let kind = kinds.into_iter().find(|(ty, _)| same(ty)).map(|(_, kind)| kind);
        let kind = kind.ok_or(EditError::Write(WriteError::NotARoot { given: root.ty().name }))?;
        root.remove("segments");
        let mut document = Self::made(kind, root, segments, layout);
        for index in 0..document.segments.len() {
            if let Place::Aligned(alignment) = document.segments[index].place {
                document.align_base(alignment);
            }
        }
        Ok(document)
    }

    /// A bundled program: these tables, and all of the program's file in them, which is read and held in memory for that.
    ///
    /// The program stays as it is laid out, and whether it is written as it is or checked is told of the whole. The tables have
    /// the alignments of their schema.
    ///
    /// # Errors
    ///
    /// When the root is not one of a bundled program, as [`Document::write_unchecked`] for the program, and when that is too
    /// large to be in a FlatBuffer or in memory.
    pub fn bundle(mut root: TableTree, mut program: Document) -> Result<Self, EditError> {
        let len = program.outline()?.len;
        let room = usize::try_from(len).ok().filter(|_| len < FLATBUFFER_LIMIT).ok_or(WriteError::TooLarge)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(room).map_err(|_| WriteError::Memory { needed: len })?;
        let mut bytes = Cursor::new(bytes);
        program.write_unchecked(&mut bytes)?;
        let held = program.files().map(Path::to_owned).collect();
        root.set("program", bytes.into_inner())?;
        let raw = program.raw.map(|_| Raw { segments: None });
        Ok(Self { held, raw, ..Self::made(FileKind::Bpte, root, Vec::new(), Layout::default()) })
    }

    fn made(kind: FileKind, root: TableTree, segments: Vec<Segment>, layout: Layout) -> Self {
        let (left_out, held) = (Vec::new(), Vec::new());
        Self { kind, root, segments, layout, header: None, raw: None, lasting: false, left_out, held }
    }

    /// Has the base at a multiple of this too.
    fn align_base(&mut self, alignment: u64) {
        self.layout.base.alignment = self.layout.base.alignment.max(alignment);
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

    /// What the file is: [`FileKind::Pte`], [`FileKind::Ptd`] or [`FileKind::PtdLegacy`], or [`FileKind::Bpte`] if [`Document::bundle`] made it.
    #[must_use]
    pub fn kind(&self) -> FileKind {
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

    /// The files that were named for its bytes.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let segments = self.segments.iter().filter_map(|segment| match &segment.data {
            Data::File { path, .. } => Some(path),
            _ => None,
        });
        segments.chain(&self.held).map(PathBuf::as_path)
    }

    /// What of the file that was opened is in none of its parts, and so is not in what is written of it.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Where everything but the segments goes.
    pub fn layout_mut(&mut self) -> &mut Layout {
        &mut self.layout
    }
}

/// The alignment that official writers give to the base and to the segments of such a file.
pub(crate) const fn usual_alignment(kind: FileKind) -> u64 {
    if matches!(kind, FileKind::PtdLegacy) { 16 } else { 128 }
}

/// What the root of a data file of the older layout has for the alignment of its tensors.
pub(crate) const TENSOR_ALIGNMENT: &str = "tensor_alignment";

/// The root of a data file of the older layout that is there: an alignment that it does not tell is 0, as who reads it takes
/// it, where the writer would fill it in.
pub(crate) fn untold_alignment_kept(root: TableTree) -> TableTree {
    if root.get(TENSOR_ALIGNMENT).is_some() { root } else { root.with(TENSOR_ALIGNMENT, 0_u32) }
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

/// Fails with what a file is rejected for, by itself or together with its data files, but for what of these is `explained`.
fn expect_set_accepted(path: &Path, data: &[PathBuf], explained: &dyn Fn(&Finding) -> bool) -> Result<(), EditError> {
    let (_, mut examined) = findings::examine(path, data, &Checker::new())?;
    let report = &mut examined.report;
    let all = report.findings.len();
    report.findings.retain(|found| !explained(found));
    report.summary.must -= u32::try_from(all - report.findings.len()).unwrap_or(0);
    let accepted = report.rejected_companion.is_none() && examined.accepts(false);
    if accepted { Ok(()) } else { Err(EditError::Rejected(Box::new(examined))) }
}

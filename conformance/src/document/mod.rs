//! **Documents**: files as a tree of tables and a list of segments, created from canonical JSON, changed, and written
//! atomically.

mod data;
mod error;
mod hex;
mod layout;
mod left_out;
pub mod meta;
mod named_data;
pub mod pack;
mod write;

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use torchproof::FileKind;
use torchproof::check::Checker;
use torchproof::flatbuffer::tree::{FieldValue, TableTree};
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;
use torchproof::write::WriteError;
use torchproof::{Span, view};
use torchproof_harness::disk::input::Input;

use crate::findings;
use layout::largest_power;

pub use data::{Data, DigestMismatch};
pub use error::EditError;
pub use layout::{Base, DocumentLayout, MAX_ALIGNMENT};
pub use left_out::LeftOutPart;
pub use write::{AcceptedFile, Outline};

const FLATBUFFER_LIMIT: u64 = 1 << 31;

/// A program, a data file or a bundled program to write. Its tables are in memory; the bytes of its segments stay in
/// their source files until the document is written.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use torchproof_harness::disk::OverwritePolicy;
/// use torchproof_cli::document::Document;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("tensors.ptd");
/// std::fs::write(&path, torchproof::corpus::find("ptd/valid/tensors").expect("a case").build().bytes)?;
/// let mut document = Document::open(&path)?;
/// document.set_named_data("metadata.general.name", b"linear")?;
/// document.save(&path, OverwritePolicy::Replace)?;
/// let bytes = std::fs::read(&path)?;
/// assert_eq!(torchproof::ptd::Ptd::open(&bytes)?.find(b"metadata.general.name")?.unwrap().bytes()?, b"linear");
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Document {
    kind: FileKind,
    root: TableTree,
    segments: Vec<Segment>,
    layout: DocumentLayout,
    /// The header's bytes from its length field on, if the specification gives the numbers.
    header: Option<Vec<u8>>,
    left_out: Vec<LeftOutPart>,
    /// Files whose bytes have been copied into the root table.
    embedded: Vec<PathBuf>,
}

#[derive(Clone, Debug)]
pub struct Segment {
    pub data: Data,
    pub place: SegmentPlace,
    pub sha256: Option<[u8; 32]>,
}

/// A segment's place, relative to the segment base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentPlace {
    At(u64),
    /// The segment follows all earlier segments, at this alignment.
    Aligned(u64),
}

impl Segment {
    #[must_use]
    pub const fn new(data: Data, alignment: u64) -> Self {
        Self { data, place: SegmentPlace::Aligned(alignment), sha256: None }
    }
}

impl Document {
    /// Opens a file that breaks no must-rule, and reads its tables.
    ///
    /// The segment base, each segment, and the blobs inside the FlatBuffer keep their alignments: the largest power of
    /// two, up to 64 KiB, that divides the position. [`left_out`](Self::left_out) lists what a rewritten file loses.
    ///
    /// Fails for a file with fields from a newer schema, a bundled program, a `.ptn` package and a legacy data file.
    pub fn open(path: &Path) -> Result<Self, EditError> {
        let (input, examined) = findings::examine(path, &[], &Checker::new())?;
        let not_edited = |what| Err(EditError::NotEdited { path: path.to_owned(), what });
        match examined.report.kind {
            FileKind::Bpte => return not_edited("a bundled program (.bpte)"),
            FileKind::Ptn => return not_edited("a .ptn package"),
            _ if !examined.accepts(false) => {
                return Err(EditError::NotAccepted { path: path.to_owned(), examined: Box::new(examined) });
            }
            FileKind::PtdLegacy => return not_edited("a data file in the legacy layout"),
            _ => input.expect_for_tree()?,
        }
        let input = Arc::new(input);
        let broken = |error| EditError::Broken { path: path.to_owned(), error };
        let left_out = LeftOutPart::of(&input).map_err(broken)?;
        if let Some(LeftOutPart::Newer { table, slot, .. }) = left_out.first() {
            return Err(EditError::NewerSchema { path: path.to_owned(), table, slot: *slot });
        }
        let document = Self::of_input(&input, examined.report.kind).map_err(broken)?;
        Ok(Self { left_out, ..document })
    }

    fn of_input(input: &Arc<Input>, kind: FileKind) -> Result<Self, view::ViewError> {
        let file_bytes = input.file_bytes();
        let file = view::File::open(file_bytes)?;
        let (spans, root) = (file.segments()?, file.tree()?);
        let (layout, base) = if kind == FileKind::Pte {
            let file = Pte::open_file_bytes(file_bytes)?;
            (DocumentLayout::of_program(&file)?, file.header().map_or(0, |header| header.segment_base_offset))
        } else {
            let file = Ptd::open_file_bytes(file_bytes)?;
            let (offset, base) = (file.header().flatbuffer_offset, file.header().segment_base_offset);
            (DocumentLayout::default().with_data_header(Some(offset), base), base)
        };
        let segment = |span: &Span| {
            // The position of an empty segment does not matter.
            let alignment = if span.len == 0 { 1 } else { largest_power(span.offset.saturating_sub(base)) };
            Segment::new(Data::Range { input: Arc::clone(input), span: *span }, alignment)
        };
        Ok(Self::new(kind, root, spans.iter().map(segment).collect(), layout))
    }

    /// Ignores the list of segments in the root table, if any. The segment base gets the largest alignment of all
    /// segments, so that each segment is also aligned relative to the start of the file.
    fn new(kind: FileKind, root: TableTree, segments: Vec<Segment>, mut layout: DocumentLayout) -> Self {
        let alignments = segments.iter().filter_map(|segment| match segment.place {
            SegmentPlace::Aligned(alignment) => Some(alignment),
            SegmentPlace::At(_) => None,
        });
        layout.base.alignment = alignments.fold(layout.base.alignment, u64::max);
        Self { kind, root, segments, layout, header: None, left_out: Vec::new(), embedded: Vec::new() }
    }

    /// Writes the inner program into memory, with its layout. The bundled program's tables are aligned as its schema
    /// requires.
    fn bundle(mut root: TableTree, mut program: Document) -> Result<Self, EditError> {
        let len = program.outline()?.len;
        let room = usize::try_from(len).ok().filter(|_| len < FLATBUFFER_LIMIT).ok_or_else(WriteError::too_large)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(room).map_err(|_| WriteError::memory(len))?;
        let mut bytes = Cursor::new(bytes);
        program.write_unchecked(&mut bytes)?;
        root.set("program", bytes.into_inner())?;
        let embedded = program.files().map(Path::to_owned).collect();
        let bundle = Self::new(FileKind::Bpte, root, Vec::new(), DocumentLayout::default());
        Ok(Self { embedded, ..bundle })
    }

    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    #[must_use]
    pub fn left_out(&self) -> &[LeftOutPart] {
        &self.left_out
    }

    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let segments = self.segments.iter().filter_map(|segment| match &segment.data {
            Data::File { path, .. } => Some(path),
            _ => None,
        });
        segments.chain(&self.embedded).map(PathBuf::as_path)
    }
}

const fn usual_alignment(kind: FileKind) -> u64 {
    if matches!(kind, FileKind::PtdLegacy) { 16 } else { 128 }
}

/// Returns 0 if the value is absent or out of range.
fn number<N: TryFrom<i128> + Default>(table: &TableTree, field: &str) -> N {
    table.get(field).and_then(FieldValue::as_int).and_then(|number| N::try_from(number).ok()).unwrap_or_default()
}

//! Where the parts of a file go, and what a file that is there tells of it.

use torchproof::flatbuffer::Vector;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::pte::Pte;
use torchproof::pte::write::{FileLayout, HeaderKind};
use torchproof::write::{EncodingOptions, Shape, WriteError};
use torchproof::{Error, ptd, pte};

use super::alignment::{MOST_ALIGNMENT, largest_power};

/// A header of more bytes than this is padding, which no writer makes.
pub(crate) const MOST_HEADER: u32 = 1 << 12;

/// Where the parts of a file go, but for its segments, each of which has a place of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Whether a program gets a header, and of which length.
    pub header: HeaderKind,
    /// Bytes that the header of a data file takes with its padding; a multiple of 8 of at least 40.
    pub header_size: u64,
    /// Alignment of the constants and delegate blobs inside a program's FlatBuffer, a power of two from 16 on.
    pub inline_alignment: usize,
    /// The FlatBuffer ends no earlier than here, counted from the file's start: zeros are put behind it.
    pub flatbuffer_end: u64,
    /// The file ends no earlier than here: zeros are put behind its last segment.
    pub file_end: u64,
    /// Where the segments begin.
    pub base: Base,
    /// What of the tables is encoded otherwise than the official writers do it.
    pub deviations: EncodingOptions,
    /// What the places of segments that are put into the file are multiples of, counted from the base.
    pub segment_alignment: u64,
}

/// Where the segments begin, from the file's start, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base {
    /// There, unless the FlatBuffer ends behind it.
    pub at: Option<u64>,
    /// Else at the next multiple of this, a power of two.
    pub alignment: u64,
}

impl Default for Layout {
    /// What the official writers do.
    fn default() -> Self {
        Self {
            header: HeaderKind::IfNeeded(pte::header::LENGTH_WITH_DATA_SIZE),
            header_size: 48,
            inline_alignment: 16,
            flatbuffer_end: 0,
            file_end: 0,
            base: Base { at: None, alignment: 128 },
            deviations: EncodingOptions::default(),
            segment_alignment: 128,
        }
    }
}

impl Layout {
    /// The layout of a program with this root.
    pub(super) fn of_program(file: &Pte<'_>, root: &TableTree) -> Result<Self, Error> {
        let mut layout = Self::default();
        if let Some(header) = file.header() {
            layout = layout.with_program_header(header.length, header.segment_base_offset);
        }
        let blobs = inline_blobs(file)?;
        let size = file.region().len() as u64;
        layout.inline_alignment = layout.find_inline_alignment(root, blobs, size);
        if let (HeaderKind::Always(length), Some(_)) = (layout.header, layout.base.at) {
            // A header that is there for the data goes with it.
            layout.header = HeaderKind::IfNeeded(length);
        }
        Ok(layout)
    }

    /// The same layout, with what a program's header tells of it.
    #[must_use]
    pub fn with_program_header(self, length: u32, base: u64) -> Self {
        let header = HeaderKind::Always(length);
        // What is there is written again, but for lengths that the format has no use for.
        let header = if length <= MOST_HEADER { header } else { self.header };
        Self { header, base: Base::kept(base, self.base.alignment), ..self }
    }

    /// The same layout, with what a data file's header tells of it.
    #[must_use]
    pub fn with_data_header(self, flatbuffer_offset: Option<u64>, base: u64) -> Self {
        let usual =
            |size: &u64| size.is_multiple_of(8) && (ptd::header::MIN_LENGTH.into()..=MOST_HEADER.into()).contains(size);
        let header_size = flatbuffer_offset.filter(usual).unwrap_or(self.header_size);
        Self { header_size, base: Base::kept(base, self.base.alignment), ..self }
    }

    /// The alignment inside a program's FlatBuffer with which it takes `size` bytes, its header included: the least one that
    /// `blobs` is a multiple of. If none does, the largest one up to 64 KiB that it is a multiple of, when there are blobs.
    #[must_use]
    pub fn find_inline_alignment(&self, root: &TableTree, blobs: Option<u64>, size: u64) -> usize {
        let most = blobs.map_or(MOST_ALIGNMENT, largest_power).max(16);
        let alignments = (4..=16).map(|bits| 1_usize << bits).take_while(|alignment| *alignment as u64 <= most);
        let alignments: Vec<usize> = alignments.collect();
        let with = |alignment: usize| Self { inline_alignment: alignment, ..*self }.program_size(root);
        if with(16) == Ok(size) {
            return 16;
        }
        // To encode a tree takes time, and more alignment never takes fewer bytes: the first that takes enough is searched by
        // halves.
        let first = alignments.partition_point(|alignment| with(*alignment).is_ok_and(|found| found < size));
        let found = alignments.get(first).copied().filter(|alignment| with(*alignment) == Ok(size));
        let last = if blobs.is_some() { alignments.last().copied() } else { None };
        found.or(last).unwrap_or(16)
    }

    /// How many bytes the FlatBuffer of a program with this root takes, its header included.
    ///
    /// # Errors
    ///
    /// When the tree cannot be encoded.
    pub fn program_size(&self, root: &TableTree) -> Result<u64, WriteError> {
        // A byte of data, where there is any header: without it, the official writer's would be left out.
        let shapes = [Shape::new(1)];
        let shapes = if matches!(self.header, HeaderKind::Always(_)) { &shapes[..] } else { &[] };
        let plan = pte::write::plan_encoded(root, shapes, &self.program(1), self.deviations)?;
        match pte::Header::find(plan.head()) {
            pte::header::Found::Header(header) => Ok(header.program_size),
            _ => Ok(plan.head().len() as u64),
        }
    }

    /// The library's layout of a program whose base is at a multiple of `alignment`.
    pub(super) fn program(&self, alignment: u64) -> FileLayout {
        FileLayout {
            header: self.header,
            segment_alignment: alignment,
            constant_alignment: self.inline_alignment,
            delegate_alignment: self.inline_alignment,
        }
    }
}

impl Base {
    /// A base that is kept where it is; 0 stands for none.
    #[must_use]
    pub fn kept(at: u64, usual: u64) -> Self {
        match at {
            0 => Self { at: None, alignment: usual },
            at => Self { at: Some(at), alignment: largest_power(at) },
        }
    }
}

/// What all bytes inside the FlatBuffer that the schema aligns begin at a multiple of, and no more; `None` when there are none.
fn inline_blobs(file: &Pte<'_>) -> Result<Option<u64>, Error> {
    let mut all: Option<u64> = None;
    let mut add = |bytes: Option<Vector<'_, u8>>| {
        if let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) {
            // Their lowest set bits are what they have in common.
            *all.get_or_insert(0) |= bytes.element_span(0).offset;
        }
    };
    for buffer in file.program().constant_buffer()?.iter().flat_map(|all| all.iter()) {
        add(buffer?.storage()?);
    }
    for blob in file.program().backend_delegate_data()?.iter().flat_map(|all| all.iter()) {
        add(blob?.data()?);
    }
    Ok(all)
}

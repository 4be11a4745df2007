//! Where the parts of a file go.

use torchproof::flatbuffer::Vector;
use torchproof::pte::Pte;
use torchproof::pte::{HeaderKind, ProgramLayout};
use torchproof::write::EncodingOptions;
use torchproof::{Error, ptd, pte};

/// The largest alignment of a segment: 64 KiB, the largest page.
pub const MOST_ALIGNMENT: u64 = 1 << 16;

/// A header of more bytes than this is padding, which no writer makes.
pub(super) const MOST_HEADER: u32 = 1 << 12;

/// Where the parts of a file go, but for its segments, each of which has a place of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentLayout {
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
    /// How the tables are encoded.
    pub encoding: EncodingOptions,
}

/// Where the segments begin, from the file's start, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base {
    /// There, unless the FlatBuffer ends behind it.
    pub at: Option<u64>,
    /// Else at the next multiple of this, a power of two.
    pub alignment: u64,
}

impl Default for DocumentLayout {
    /// What the official writers do.
    fn default() -> Self {
        Self {
            header: HeaderKind::IfNeeded(pte::ExtendedHeader::LENGTH_WITH_DATA_SIZE),
            header_size: 48,
            inline_alignment: 16,
            flatbuffer_end: 0,
            file_end: 0,
            base: Base { at: None, alignment: 128 },
            encoding: EncodingOptions::OFFICIAL,
        }
    }
}

impl DocumentLayout {
    /// The layout of a program that exists.
    pub(super) fn of_program(file: &Pte<'_>) -> Result<Self, Error> {
        let inline_alignment = inline_alignment(file)?;
        let usual = Self { inline_alignment, ..Self::default() };
        let Some(header) = file.header() else { return Ok(usual) };
        let base = Base::kept(header.segment_base_offset, usual.base.alignment);
        // The official writers make a header for data only, and none of this many bytes.
        let header = match header.length {
            length if length > MOST_HEADER => usual.header,
            length if base.at.is_some() => HeaderKind::IfNeeded(length),
            length => HeaderKind::Always(length),
        };
        Ok(Self { header, base, ..usual })
    }

    /// The same layout, with what a data file's header tells of it.
    #[must_use]
    pub fn with_data_header(self, flatbuffer_offset: Option<u64>, base: u64) -> Self {
        let usual = |size: &u64| {
            size.is_multiple_of(8) && (ptd::FlatTensorHeader::MIN_LENGTH.into()..=MOST_HEADER.into()).contains(size)
        };
        let header_size = flatbuffer_offset.filter(usual).unwrap_or(self.header_size);
        Self { header_size, base: Base::kept(base, self.base.alignment), ..self }
    }

    /// The library's layout of a program whose base is at a multiple of `alignment`.
    pub(super) fn program(&self, alignment: u64) -> ProgramLayout {
        let mut layout = ProgramLayout::default();
        layout.header = self.header;
        layout.segment_alignment = alignment;
        layout.constant_alignment = self.inline_alignment;
        layout.delegate_alignment = self.inline_alignment;
        layout.encoding = self.encoding;
        layout
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

/// The largest power of two that the positions of all blobs inside the FlatBuffer are multiples of, from 16 to 64 KiB.
fn inline_alignment(file: &Pte<'_>) -> Result<usize, Error> {
    let mut positions = 0;
    let mut add = |bytes: Option<Vector<'_, u8>>| {
        if let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) {
            positions |= bytes.element_span(0).offset;
        }
    };
    for buffer in file.program().constant_buffer()?.iter().flat_map(|all| all.iter()) {
        add(buffer?.storage()?);
    }
    for blob in file.program().backend_delegate_data()?.iter().flat_map(|all| all.iter()) {
        add(blob?.data()?);
    }
    let common = if positions == 0 { 16 } else { largest_power(positions).max(16) };
    Ok(usize::try_from(common).unwrap_or(16))
}

/// The largest power of two up to 64 KiB that `position` is a multiple of.
pub(super) fn largest_power(position: u64) -> u64 {
    1 << position.trailing_zeros().min(MOST_ALIGNMENT.trailing_zeros())
}

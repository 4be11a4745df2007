//! The layout of a file that will be written.

use torchproof::flatbuffer::Vector;
use torchproof::pte::Pte;
use torchproof::pte::{HeaderKind, ProgramLayout};
use torchproof::write::EncodingOptions;
use torchproof::{Error, ptd, pte};

/// The largest page size (64 KiB).
pub const MAX_ALIGNMENT: u64 = 1 << 16;

/// The largest header length that a rewritten file keeps. No known writer creates longer headers.
pub(super) const MAX_HEADER: u32 = 1 << 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentLayout {
    pub header: HeaderKind,
    /// The length with padding: a multiple of 8, at least 40.
    pub header_size: u64,
    /// The alignment of constants and delegate blobs inside a program's FlatBuffer: a power of two, at least 16.
    pub inline_alignment: usize,
    /// A shorter FlatBuffer is padded with zeros up to this offset from the start of the file.
    pub flatbuffer_end: u64,
    /// A shorter file is padded with zeros after the last segment.
    pub file_end: u64,
    pub base: Base,
    pub encoding: EncodingOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base {
    /// The fixed position, which is ignored if it is before the end of the FlatBuffer.
    pub at: Option<u64>,
    /// Without a fixed position, the base is at the first multiple of this power of two after the FlatBuffer.
    pub alignment: u64,
}

impl Default for DocumentLayout {
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
    pub(super) fn of_program(file: &Pte<'_>) -> Result<Self, Error> {
        let inline_alignment = inline_alignment(file)?;
        let usual = Self { inline_alignment, ..Self::default() };
        let Some(header) = file.header() else { return Ok(usual) };
        let base = Base::kept(header.segment_base_offset, usual.base.alignment);
        // No known writer creates such long headers, so use the usual header.
        let header = match header.length {
            length if length > MAX_HEADER => usual.header,
            length if base.at.is_some() => HeaderKind::IfNeeded(length),
            length => HeaderKind::Always(length),
        };
        Ok(Self { header, base, ..usual })
    }

    #[must_use]
    pub fn with_data_header(self, flatbuffer_offset: Option<u64>, base: u64) -> Self {
        let usual = |size: &u64| {
            size.is_multiple_of(8) && (ptd::FlatTensorHeader::MIN_LENGTH.into()..=MAX_HEADER.into()).contains(size)
        };
        let header_size = flatbuffer_offset.filter(usual).unwrap_or(self.header_size);
        Self { header_size, base: Base::kept(base, self.base.alignment), ..self }
    }

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
    /// Position 0 stands for a base without a fixed position; it gets the alignment `usual`.
    #[must_use]
    pub fn kept(at: u64, usual: u64) -> Self {
        match at {
            0 => Self { at: None, alignment: usual },
            at => Self { at: Some(at), alignment: largest_power(at) },
        }
    }
}

/// The common alignment of all blobs inside the FlatBuffer, from 16 bytes to 64 KiB.
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

/// The largest power of two up to 64 KiB that divides `position`.
pub(super) fn largest_power(position: u64) -> u64 {
    1 << position.trailing_zeros().min(MAX_ALIGNMENT.trailing_zeros())
}

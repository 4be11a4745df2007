//! A file's root, and where its segments are.

use alloc::format;
use alloc::vec::Vec;

use super::ViewError;
use super::verify::{NewerField, verify};
use crate::FileKind;
use crate::bundled::schema::BundledProgram;
use crate::bundled::{self, Bundled};
use crate::error::broken;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::flatbuffer::{self, Vector};
use crate::ptd::{self, Layout, Ptd};
use crate::pte::Pte;
use crate::{Error, FileBytes, Limit, Limits, Span};

/// An open file whose tables are verified.
#[derive(Clone, Copy, Debug)]
pub(super) enum Root<'a> {
    Pte(Pte<'a>),
    Ptd(Ptd<'a>),
    Bpte(Bundle<'a>),
}

/// The inner program contains the segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bundle<'a> {
    pub(super) root: BundledProgram<'a>,
    pub(super) program: Pte<'a>,
    place: Span,
}

impl<'a> Bundle<'a> {
    /// The member of the root table that contains the program.
    pub(super) const PROGRAM: &'static str = "program";

    fn open(file_bytes: FileBytes<'a>, limits: Limits, newer: &mut Vec<NewerField>) -> Result<Self, ViewError> {
        let file = Bundled::open_file_bytes(file_bytes)?;
        // If the program cannot be read, its span is empty here, and the verification below fails.
        let place = file.root().program().ok().flatten().map_or(Span::new(0, 0), Vector::span);
        // The program is verified separately, so its bytes do not count toward the limit for the outer tables.
        let apparent_size = limits.apparent_size.saturating_add(place.len);
        verify(file.root(), file_bytes.bytes(), Limits { apparent_size, ..limits }, newer)?;
        let bytes = file.program_bytes()?;
        let mut open = || {
            let program = Pte::open(bytes)?;
            verify(program.program(), program.region(), limits, newer)?;
            Ok(program)
        };
        let program = open().map_err(|error: ViewError| error.within(Self::PROGRAM, place.offset))?;
        Ok(Self { root: file.root(), program, place })
    }
}

impl<'a> Root<'a> {
    pub(super) fn open(
        file_bytes: FileBytes<'a>,
        limits: Limits,
        newer: &mut Vec<NewerField>,
    ) -> Result<Self, ViewError> {
        match flatbuffer::identifier(file_bytes.bytes()) {
            Some(ptd::IDENTIFIER) => {
                let file = Ptd::open_file_bytes(file_bytes)?;
                match file.layout() {
                    Layout::Current(root) => verify(root, file.region(), limits, newer)?,
                    Layout::Legacy(root) => verify(root, file.region(), limits, newer)?,
                }
                Ok(Root::Ptd(file))
            }
            Some(bundled::IDENTIFIER) => Bundle::open(file_bytes, limits, newer).map(Root::Bpte),
            _ => {
                let file = Pte::open_file_bytes(file_bytes)?;
                verify(file.program(), file.region(), limits, newer)?;
                Ok(Root::Pte(file))
            }
        }
    }

    pub(super) fn kind(&self) -> FileKind {
        match self {
            Root::Pte(_) => FileKind::Pte,
            Root::Bpte(_) => FileKind::Bpte,
            Root::Ptd(file) => file.kind(),
        }
    }

    pub(super) fn segment_count(&self) -> Result<u32, ViewError> {
        let count = match self {
            Root::Pte(file) | Root::Bpte(Bundle { program: file, .. }) => file.program().segments()?.map(Vector::len),
            Root::Ptd(file) => file.segments()?.map(Vector::len),
        };
        Ok(u32::try_from(count.unwrap_or(0)).unwrap_or(u32::MAX))
    }

    /// As stored in the file.
    pub(super) fn segment_entry(&self, index: u32) -> Result<Option<(u64, u64)>, ViewError> {
        let index = index as usize;
        Ok(match self {
            Root::Pte(file) | Root::Bpte(Bundle { program: file, .. }) => {
                match file.program().segments()?.and_then(|list| list.get(index)).transpose()? {
                    Some(entry) => Some((entry.offset()?, entry.size()?)),
                    None => None,
                }
            }
            Root::Ptd(file) => match file.segments()?.and_then(|list| list.get(index)).transpose()? {
                Some(entry) => Some((entry.offset()?, entry.size()?)),
                None => None,
            },
        })
    }

    pub(super) fn segment(&self, index: u32) -> Result<Span, ViewError> {
        let at = |error| ViewError::at(error, format!("segments[{index}]"));
        match self {
            Root::Pte(file) => file.segment(index).map_err(at),
            Root::Ptd(file) => file.segment(index).map_err(at),
            Root::Bpte(Bundle { program, place, .. }) => match program.segment(index) {
                // A segment base past the end of the file is valid for an empty segment, so the sum may overflow.
                Ok(span) => Ok(Span { offset: place.offset.saturating_add(span.offset), ..span }),
                Err(error) => Err(at(error).within(Bundle::PROGRAM, place.offset)),
            },
        }
    }

    pub(super) fn tree(&self) -> Result<TableTree, Error> {
        let tree = match self {
            Root::Pte(file) | Root::Bpte(Bundle { program: file, .. }) => tree_of(file.program(), file.region()),
            Root::Ptd(file) => match file.layout() {
                Layout::Current(root) => tree_of(root, file.region()),
                Layout::Legacy(root) => tree_of(root, file.region()),
            },
        };
        Ok(tree?.without("segments"))
    }

    /// The part of the file that may contain segments.
    pub(super) fn place(&self, file_bytes: FileBytes<'_>) -> Span {
        match self {
            Root::Pte(_) | Root::Ptd(_) => Span::new(0, file_bytes.len()),
            Root::Bpte(bundle) => bundle.place,
        }
    }

    /// With segment `index`, the total size of the segments exceeds the file or the inner program, so some overlap.
    pub(super) fn overlap(&self, index: u32, span: Span, file_bytes: FileBytes<'_>) -> ViewError {
        let Span { offset: start, len } = self.place(file_bytes);
        let rule = match self {
            Root::Pte(_) | Root::Bpte(_) => broken::SEG_NO_OVERLAP,
            Root::Ptd(_) => broken::FT_SEG_NO_OVERLAP,
        };
        let own = Span { offset: span.offset - start, ..span };
        let error =
            ViewError::at(Error::broken(rule, own, "DataSegment", own.end(), len), format!("segments[{index}]"));
        match self {
            Root::Pte(_) | Root::Ptd(_) => error,
            Root::Bpte(_) => error.within(Bundle::PROGRAM, start),
        }
    }
}

fn tree_of<'a, T: TableView<'a>>(root: T, region: &'a [u8]) -> Result<TableTree, Error> {
    let exceeded = match TableTree::memory_of::<T>(region) {
        Ok(needed) if needed <= Limit::memory_for(region.len() as u64) => {
            return Ok(TableTree::read(root.table(), T::TYPE)?);
        }
        Ok(_) => Limit::Memory,
        Err(limit) => limit,
    };
    Err(Error::limit(exceeded, region.len()))
}

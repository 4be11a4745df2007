//! Writes a document: the tables, then the segments in pieces.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};
use torchproof::FileKind;
use torchproof::check::Checker;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::ptd::DataLayout;
use torchproof::pte::schema::DataSegment;
use torchproof::write::{FileLayout, SegmentExtent, WriteCause, WriteError};
use torchproof::{Span, bundled, ptd, pte};
use torchproof_harness::disk::input::{Input, each_piece};
use torchproof_harness::disk::{AtomicFile, OverwritePolicy, write_sparse};

use super::{DigestMismatch, Document, EditError, Segment, SegmentPlace};
use crate::findings::{self, ExaminedFile};

/// The number of bytes at the file's start that can contain a header.
const HEAD: usize = 48;

#[derive(Clone, Debug)]
pub struct Outline {
    /// The first 48 bytes of the file, or everything before the segments if that is shorter.
    pub head: Vec<u8>,
    /// The end of the FlatBuffer, without the padding after it.
    pub flatbuffer_end: u64,
    pub data_size: u64,
    pub len: u64,
}

#[derive(Debug)]
pub struct AcceptedFile {
    pub input: Input,
    pub examined: ExaminedFile,
}

impl Document {
    /// Writes a temporary file, checks it, and renames it to `path`. On failure, an existing file is unchanged.
    pub fn save(&mut self, path: &Path, existing: OverwritePolicy) -> Result<AcceptedFile, EditError> {
        let output = |error| EditError::Output { path: path.to_owned(), error };
        let mut new = AtomicFile::create(path, existing).map_err(output)?;
        self.write_unchecked(new.file()).map_err(|error| error.at(path))?;
        let checked = self.expect_accepted(new.path())?;
        new.persist().map_err(output)?;
        Ok(checked)
    }

    /// Writes the document to `out`, which must be empty. Zeros in segments become holes.
    pub fn write_unchecked<W: Read + Write + Seek>(&mut self, out: &mut W) -> Result<(), EditError> {
        let places = self.places()?;
        let plan = self.plan(&places)?;
        out.write_all(plan.head()).map_err(EditError::of_output)?;
        for (index, (segment, place)) in self.segments.iter().zip(&places).enumerate() {
            out.seek(SeekFrom::Start(plan.base() + place.offset)).map_err(EditError::of_output)?;
            segment.copy(index, out)?;
        }
        self.finish(&plan, out).map_err(EditError::of_output)
    }

    fn finish<W: Write + Seek>(&self, plan: &FileLayout, out: &mut W) -> io::Result<()> {
        let end = self.end(plan);
        if out.seek(SeekFrom::End(0))? < end {
            out.seek(SeekFrom::Start(end - 1))?;
            out.write_all(&[0])?;
        }
        for (at, bytes) in self.patches(plan) {
            out.seek(SeekFrom::Start(at))?;
            out.write_all(&bytes)?;
        }
        Ok(())
    }

    /// Returns an outline of what [`Document::write_unchecked`] writes. Fails if the tables cannot be encoded or are too large.
    pub fn outline(&mut self) -> Result<Outline, EditError> {
        let places = self.places()?;
        let plan = self.plan(&places)?;
        let mut head = plan.head().get(..HEAD).unwrap_or(plan.head()).to_vec();
        let flatbuffer_end = match (pte::ExtendedHeader::find(&head), ptd::FlatTensorHeader::find(&head)) {
            (Ok(Some(header)), _) => header.program_size,
            (_, Ok(header)) => header.flatbuffer_end().unwrap_or(u64::MAX),
            _ => plan.head().len() as u64,
        };
        for (at, bytes) in self.patches(&plan) {
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            if let Some(place) = at.checked_add(bytes.len()).and_then(|end| head.get_mut(at..end)) {
                place.copy_from_slice(&bytes);
            }
        }
        let data_size = places.iter().map(|place| place.end()).max().unwrap_or(0);
        Ok(Outline { head, flatbuffer_end, data_size, len: self.end(&plan) })
    }

    /// Changes to the planned header: the end of a padded FlatBuffer, and the specification's numbers.
    fn patches(&self, plan: &FileLayout) -> Vec<(u64, Vec<u8>)> {
        let mut patches = Vec::new();
        let wanted = self.layout.flatbuffer_end;
        match (pte::ExtendedHeader::find(plan.head()), ptd::FlatTensorHeader::find(plan.head())) {
            (Ok(Some(header)), _) if header.program_size < wanted => {
                patches.push((pte::ExtendedHeader::PROGRAM_SIZE_SPAN.offset, wanted.to_le_bytes().to_vec()));
            }
            (_, Ok(header)) if header.flatbuffer_end().is_some_and(|end| end < wanted) => {
                let size = wanted - header.flatbuffer_offset;
                patches.push((ptd::FlatTensorHeader::FLATBUFFER_SIZE_SPAN.offset, size.to_le_bytes().to_vec()));
            }
            (Ok(Some(_)), _) | (_, Ok(_)) => {}
            _ => return patches,
        }
        patches.extend(self.header.iter().map(|header| (pte::ExtendedHeader::LENGTH_SPAN.offset, header.clone())));
        patches
    }

    fn end(&self, plan: &FileLayout) -> u64 {
        plan.len().max(self.layout.flatbuffer_end).max(self.layout.file_end)
    }

    pub fn expect_accepted(&self, path: &Path) -> Result<AcceptedFile, EditError> {
        let (input, examined) = findings::examine(path, &[], &Checker::new())?;
        if !examined.accepts(false) {
            return Err(EditError::Rejected(Box::new(examined)));
        }
        let found = examined.report.kind;
        if found != self.kind {
            return Err(EditError::Kind { found, expected: self.kind });
        }
        Ok(AcceptedFile { input, examined })
    }

    fn places(&self) -> Result<Vec<Span>, WriteError> {
        let mut end = 0_u64;
        let mut places = Vec::with_capacity(self.segments.len());
        for (index, segment) in self.segments.iter().enumerate() {
            let offset = match segment.place {
                SegmentPlace::At(offset) => offset,
                SegmentPlace::Aligned(0) => {
                    let path = format!("segments[{index}]");
                    return Err(WriteError::new(
                        WriteCause::Layout,
                        path,
                        "found alignment 0, expected a power of two",
                    ));
                }
                SegmentPlace::Aligned(alignment) => {
                    end.checked_next_multiple_of(alignment).ok_or_else(WriteError::too_large)?
                }
            };
            let place = Span::new(offset, segment.data.len());
            end = end.max(offset.checked_add(place.len).ok_or_else(WriteError::too_large)?);
            places.push(place);
        }
        Ok(places)
    }

    /// Plans all bytes before the segments, and treats the segments as a single one.
    fn plan(&mut self, places: &[Span]) -> Result<FileLayout, EditError> {
        if self.kind == FileKind::Bpte {
            return match places.iter().map(|place| place.end()).max() {
                Some(data_size) => Err(WriteError::data_without_header(data_size).into()),
                None => Ok(bundled::plan(&self.root)?),
            };
        }
        if !(self.layout.encoding.unlisted && places.is_empty()) {
            self.root.set("segments", places.iter().map(entry).collect::<Vec<_>>())?;
        }
        let plan = self.plan_listed(places);
        self.root.remove("segments");
        plan
    }

    fn plan_listed(&self, places: &[Span]) -> Result<FileLayout, EditError> {
        let end = places.iter().map(|place| place.end()).max().unwrap_or(0);
        let extents: &[SegmentExtent] = if end > 0 { &[SegmentExtent::new(end)] } else { &[] };
        let plan = |alignment| {
            if self.kind == FileKind::Pte {
                pte::plan(&self.root, extents, &self.layout.program(alignment))
            } else {
                let mut layout = DataLayout::all(alignment);
                layout.header_alignment = self.layout.header_size;
                layout.encoding = self.layout.encoding;
                ptd::plan(&self.root, extents, &layout)
            }
        };
        let alignment = self.layout.base.alignment;
        let padded = self.layout.flatbuffer_end;
        let least = padded.checked_next_multiple_of(alignment).ok_or_else(WriteError::too_large)?;
        let at = self.layout.base.at.filter(|at| *at >= padded).unwrap_or(least);
        if at > 0 && end > 0 {
            // Aligning to `at` rounds the end of a shorter FlatBuffer up to `at`.
            let kept = plan(at)?;
            if kept.base() <= at {
                return Ok(kept);
            }
        }
        Ok(plan(alignment)?)
    }
}

impl Segment {
    fn copy<W: Write + Seek>(&self, index: usize, out: &mut W) -> Result<(), EditError> {
        let mut digest = Sha256::new();
        self.pieces(index, |piece| {
            if self.sha256.is_some() {
                digest.update(piece);
            }
            write_sparse(out, piece).map_err(EditError::of_output)
        })?;
        let found = digest.finalize().into();
        match self.sha256 {
            Some(wanted) if found != wanted => {
                Err(EditError::Digest { index, error: DigestMismatch { found, wanted } })
            }
            _ => Ok(()),
        }
    }

    fn pieces(&self, index: usize, sink: impl FnMut(&[u8]) -> Result<(), EditError>) -> Result<(), EditError> {
        let unread = |error| EditError::Segment { index, error };
        each_piece(self.data.reader().map_err(unread)?, unread, sink)
    }
}

fn entry(place: &Span) -> TableTree {
    let mut entry = TableTree::new(DataSegment::TYPE).with("offset", place.offset).with("size", place.len);
    entry.elide_defaults();
    entry
}

impl EditError {
    fn of_output(error: io::Error) -> Self {
        EditError::Output { path: "the new file".into(), error }
    }

    fn at(self, path: &Path) -> Self {
        match self {
            EditError::Output { error, .. } => EditError::Output { path: path.to_owned(), error },
            other => other,
        }
    }
}

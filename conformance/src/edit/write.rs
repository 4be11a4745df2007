//! Writing a document: its tables, and its segments in pieces.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use torchproof::FileKind;
use torchproof::check::Checker;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::pte::schema::DataSegment;
use torchproof::write::{Packed, Plan, Shape, Source, SourceError, StreamError, WriteError, stream_sparse};
use torchproof::{Span, bundled, ptd, pte};

use super::alignment::Alignments;
use super::data::Digested;
use super::overlap::{Placed, in_order};
use super::{Document, EditError, Existing, Guard, NewFile, Place, Segment, usual_alignment};
use crate::findings::{self, Examined};
use crate::input::Input;

/// Bytes of a file that hold its header.
const HEAD: usize = 48;

/// What a document comes to, but for the bytes of its segments.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The first 48 bytes of the file, or all of it before the segments.
    pub head: Vec<u8>,
    /// Where the FlatBuffer ends, without what it is padded with.
    pub flatbuffer_end: u64,
    /// Where the last segment ends, from the segment base.
    pub data_size: u64,
    /// Length of the whole file.
    pub len: u64,
}

/// An accepted file, and what was found in it all the same.
#[derive(Debug)]
pub struct Checked {
    /// The file, which stays open.
    pub input: Input,
    /// What was found.
    pub examined: Examined,
}

impl Document {
    /// Writes the file beside `path`, checks it, and puts it there; with raw numbers, it is not checked.
    ///
    /// What the check found of the accepted file comes back.
    ///
    /// # Errors
    ///
    /// When a segment cannot be read, the file cannot be written, or it would break a must-rule. Nothing is left of it then,
    /// and a file that was there stays as it was.
    pub fn save(&mut self, path: &Path, existing: Existing) -> Result<Option<Checked>, EditError> {
        self.save_unless_changed(path, existing, None)
    }

    /// As [`Document::save`], unless somebody else has changed the guarded file, which is left as that then.
    ///
    /// # Errors
    ///
    /// As [`Document::save`], and when the file was changed.
    pub fn save_unless_changed(
        &mut self,
        path: &Path,
        existing: Existing,
        guard: Option<&Guard>,
    ) -> Result<Option<Checked>, EditError> {
        let mut new = self.write_beside(path, existing)?;
        let checked = self.expect_accepted(new.path())?;
        let put = || {
            new.sync()?;
            // Whatever takes long is done.
            guard.map_or(Ok(()), Guard::expect_unchanged)?;
            new.put_in_place()
        };
        put().map_err(|error| EditError::Output { path: path.to_owned(), error })?;
        Ok(checked)
    }

    pub(super) fn write_beside(&mut self, path: &Path, existing: Existing) -> Result<NewFile, EditError> {
        let output = |error| EditError::Output { path: path.to_owned(), error };
        let mut new = NewFile::create(path, existing).map_err(output)?;
        self.write_unchecked(new.file()).map_err(|error| error.at(path))?;
        Ok(new)
    }

    /// Writes the file to `out`, which is empty, without a look at the rules that it breaks: [`Document::save`] is for files that
    /// are to be used. Where the file is zeros, `out` is seeked and not written.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::io::Cursor;
    /// use std::path::Path;
    /// use torchproof_cli::edit::Document;
    ///
    /// let path = Path::new("../corpus/real/linear.pte");
    /// let mut file = Cursor::new(Vec::new()); // as into a new `File`
    /// Document::open(path)?.write_unchecked(&mut file)?;
    /// assert_eq!(file.into_inner(), std::fs::read(path)?);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the tables cannot be encoded, segments overlap, a segment cannot be read, or `out` cannot be written. Segments of a
    /// raw document may overlap as long as they have the same bytes there.
    pub fn write_unchecked<W: Write + Seek>(&mut self, out: &mut W) -> Result<(), EditError> {
        self.expect_disjoint()?;
        let places = self.places()?;
        let plan = self.plan(&places)?;
        self.stream_by(&plan, &places, |source| stream_sparse(&plan, source, out))?;
        self.mend(&plan, out).map_err(EditError::of_output)
    }

    /// Has `stream` write the plan and its one source, if there is one.
    pub(super) fn stream_by<'d>(
        &'d self,
        plan: &Plan,
        places: &[Span],
        stream: impl FnOnce(Option<Source<'d>>) -> Result<(), StreamError>,
    ) -> Result<(), EditError> {
        self.check_empty()?;
        let (indexes, sources) = self.sources(places)?;
        let source = if plan.places().is_empty() { None } else { Some(Source::Packed(Packed::new(sources, 1)?)) };
        stream(source).map_err(|error| match error {
            StreamError::Source { part, error, .. } => {
                let index = part.and_then(|part| indexes.get(part)).copied().unwrap_or(0);
                let error = match error {
                    SourceError::Read(error) => error,
                    other => io::Error::other(other),
                };
                EditError::in_segment(index, error)
            }
            StreamError::Write(error) => EditError::of_output(error),
            // The one source is as long as the one place that was planned for it.
            other => EditError::of_output(io::Error::other(other)),
        })
    }

    /// What [`Document::write_unchecked`] would write, but for the segments' bytes, which are not looked at.
    ///
    /// # Errors
    ///
    /// As [`Document::write_unchecked`] for the tables and the layout.
    pub fn outline(&mut self) -> Result<Outline, EditError> {
        let places = self.places()?;
        let plan = self.plan(&places)?;
        let head = plan.head().get(..HEAD).unwrap_or(plan.head()).to_vec();
        let flatbuffer_end = match (pte::Header::find(&head), ptd::Header::find(&head)) {
            (pte::header::Found::Header(header), _) => header.program_size,
            (_, ptd::header::Found::Header(header)) => header.flatbuffer_end().unwrap_or(u64::MAX),
            _ => plan.head().len() as u64,
        };
        let head = patched(head, self.patches(&plan));
        let data_size = places.iter().map(|place| place.end()).max().unwrap_or(0);
        Ok(Outline { head, flatbuffer_end, data_size, len: self.end(&plan) })
    }

    /// All segments as they lie one behind the other, zeros between them, and whose each source is.
    ///
    /// What lies in two segments is read of both, and is the same.
    fn sources(&self, places: &[Span]) -> Result<(Vec<usize>, Vec<Source<'_>>), EditError> {
        let (mut indexes, mut sources) = (Vec::new(), Vec::new());
        for placed in in_order(places) {
            let Placed { index, gap, hidden, .. } = placed;
            let Segment { data, sha256, .. } = &self.segments[index];
            let source = if sha256.is_none() && hidden == 0 {
                data.source()
            } else {
                let mut reader = match sha256 {
                    Some(wanted) => Box::new(Digested::new(data.reader(), *wanted)),
                    None => data.reader(),
                };
                self.expect_hidden(&placed, places, &mut *reader)?;
                Source::Reader { reader, len: data.len() - hidden }
            };
            indexes.extend([index; 2]);
            sources.extend([Source::Fill { pattern: &[], len: gap }, source]);
        }
        Ok((indexes, sources))
    }

    /// Fails for the first segment whose bytes do not have the SHA-256 that they must have.
    pub(super) fn expect_digests(&self) -> Result<(), EditError> {
        for (index, segment) in self.segments.iter().enumerate() {
            if let Some(wanted) = segment.sha256 {
                let read = io::copy(&mut Digested::new(segment.data.reader(), wanted), &mut io::sink());
                read.map_err(|error| EditError::in_segment(index, error))?;
            }
        }
        Ok(())
    }

    /// Fails for a segment without bytes that must have the SHA-256 of some: it is not read when the others are.
    pub(super) fn check_empty(&self) -> Result<(), EditError> {
        for (index, segment) in self.segments.iter().enumerate().filter(|(_, segment)| segment.data.is_empty()) {
            if let Some(wanted) = segment.sha256 {
                let read = Digested::new(io::empty(), wanted).read(&mut [0]);
                read.map_err(|error| EditError::in_segment(index, error))?;
            }
        }
        Ok(())
    }

    /// The numbers in place of those that the plan has in its header, if there is one, with where they go: the end of a padded
    /// FlatBuffer, and those that are given.
    pub(super) fn patches(&self, plan: &Plan) -> Vec<(u64, Vec<u8>)> {
        let mut patches = Vec::new();
        let wanted = self.layout.flatbuffer_end;
        match (pte::Header::find(plan.head()), ptd::Header::find(plan.head())) {
            (pte::header::Found::Header(header), _) if header.program_size < wanted => {
                patches.push((pte::header::PROGRAM_SIZE_SPAN.offset, wanted.to_le_bytes().to_vec()));
            }
            (_, ptd::header::Found::Header(header)) if header.flatbuffer_end().is_some_and(|end| end < wanted) => {
                let size = wanted - header.flatbuffer_offset;
                patches.push((ptd::header::FLATBUFFER_SIZE_SPAN.offset, size.to_le_bytes().to_vec()));
            }
            (pte::header::Found::Header(_), _) | (_, ptd::header::Found::Header(_)) => {}
            _ => return patches,
        }
        patches.extend(self.header.iter().map(|header| (pte::header::LENGTH_SPAN.offset, header.clone())));
        patches
    }

    /// Where the file ends, with what is put behind it.
    pub(super) fn end(&self, plan: &Plan) -> u64 {
        plan.len().max(self.layout.flatbuffer_end).max(self.layout.file_end)
    }

    fn mend<W: Write + Seek>(&self, plan: &Plan, out: &mut W) -> io::Result<()> {
        let mut put = |at: u64, bytes: &[u8]| {
            out.seek(SeekFrom::Start(at))?;
            out.write_all(bytes)
        };
        for (at, bytes) in self.patches(plan) {
            put(at, &bytes)?;
        }
        let end = self.end(plan);
        if plan.len() < end { put(end - 1, &[0]) } else { Ok(()) }
    }

    /// Fails with what the file that was written to `path` is rejected for, or with why it cannot be checked; a file with raw
    /// numbers passes, and is not looked at.
    ///
    /// # Errors
    ///
    /// As it says.
    pub fn expect_accepted(&self, path: &Path) -> Result<Option<Checked>, EditError> {
        if self.raw.is_some() {
            return Ok(None);
        }
        let (input, examined) = findings::examine(path, &[], &Checker::new())?;
        if !examined.accepts(false) {
            return Err(EditError::Rejected(Box::new(examined)));
        }
        Ok(Some(Checked { input, examined }))
    }

    /// Where each segment goes, from the segment base.
    pub(super) fn places(&self) -> Result<Vec<Span>, WriteError> {
        let mut end = 0_u64;
        let mut places = Vec::with_capacity(self.segments.len());
        let expected = self.layout.segment_alignment.max(usual_alignment(self.kind));
        for (index, segment) in self.segments.iter().enumerate() {
            let offset = match segment.place {
                Place::At(offset) => offset,
                Place::Aligned(0) => return Err(WriteError::ZeroAlignment { segment: Some(index) }),
                Place::Aligned(alignment) => {
                    let next = end.checked_next_multiple_of(alignment).ok_or(WriteError::TooLarge)?;
                    let told = alignment <= expected || end.checked_next_multiple_of(expected) != Some(next);
                    // As with the base: by chance there is no padding that tells the alignment. The first place tells nothing.
                    let silent = self.lasting && !told && next > 0 && !segment.data.is_empty();
                    next.checked_add(if silent { alignment } else { 0 }).ok_or(WriteError::TooLarge)?
                }
            };
            let place = Span::new(offset, segment.data.len());
            end = end.max(offset.checked_add(place.len).ok_or(WriteError::TooLarge)?);
            places.push(place);
        }
        Ok(places)
    }

    /// Everything before the segments, which are planned as one.
    pub(super) fn plan(&mut self, places: &[Span]) -> Result<Plan, EditError> {
        if self.kind == FileKind::Bpte {
            return match places.iter().map(|place| place.end()).max() {
                Some(data_size) => Err(WriteError::DataWithoutHeader { data_size }.into()),
                None => Ok(bundled::write::plan(&self.root)?),
            };
        }
        if let Some(raw) = self.raw.as_ref().and_then(|raw| raw.segments.clone()) {
            self.root.set("segments", raw)?;
        } else if !(self.layout.deviations.unlisted && places.is_empty()) {
            self.root.set("segments", places.iter().map(entry).collect::<Vec<_>>())?;
        }
        let plan = self.plan_listed(places);
        self.root.remove("segments");
        plan
    }

    fn plan_listed(&self, places: &[Span]) -> Result<Plan, EditError> {
        let end = places.iter().map(|place| place.end()).max().unwrap_or(0);
        let shapes: &[Shape] = if end > 0 { &[Shape::new(end)] } else { &[] };
        let plan = |alignment| {
            if self.kind == FileKind::Pte {
                pte::write::plan_encoded(&self.root, shapes, &self.layout.program(alignment), self.layout.deviations)
            } else {
                let header_alignment = self.layout.header_size;
                let layout = ptd::write::FileLayout { segment_alignment: alignment, header_alignment };
                ptd::write::plan_encoded(&self.root, shapes, &layout, self.layout.deviations)
            }
        };
        let alignment = self.layout.base.alignment;
        let padded = self.layout.flatbuffer_end;
        let least = padded.checked_next_multiple_of(alignment).ok_or(WriteError::TooLarge)?;
        let at = self.layout.base.at.filter(|at| *at >= padded).unwrap_or(least);
        if at > 0 && end > 0 {
            // The first multiple of where it is to be is there, unless the FlatBuffer ends behind it.
            let kept = plan(at)?;
            if kept.base() <= at {
                return Ok(kept);
            }
        }
        let planned = plan(alignment)?;
        if !self.lasting || end == 0 {
            return Ok(planned);
        }
        match self.lasting_base(&planned, places, alignment) {
            Some(base) if base > planned.base() => Ok(plan(base)?),
            _ => Ok(planned),
        }
    }

    /// The first place from the planned base on that tells its alignment to who opens the file.
    ///
    /// By chance there may be no padding that tells it, and the next edit would lose it; or the place may be at a multiple of
    /// more, and the next edit would keep that.
    fn lasting_base(&self, plan: &Plan, places: &[Span], alignment: u64) -> Option<u64> {
        let end = match (pte::Header::find(plan.head()), ptd::Header::find(plan.head())) {
            (pte::header::Found::Header(header), _) => Some(header.program_size),
            (_, ptd::header::Found::Header(header)) => header.flatbuffer_end(),
            _ => None,
        };
        let end = end?.max(self.layout.flatbuffer_end);
        let usual = usual_alignment(self.kind);
        // Of three multiples, one behind the first is an odd one.
        let multiple = |count: u64| plan.base().checked_add(alignment.checked_mul(count)?);
        (0..3).filter_map(multiple).find(|base| {
            let told = Alignments::told(usual, end, *base, places).base;
            told == alignment || told > alignment && alignment <= usual
        })
    }
}

/// The first bytes of a file with these in place of those that are there.
pub(super) fn patched(mut head: Vec<u8>, patches: Vec<(u64, Vec<u8>)>) -> Vec<u8> {
    for (at, bytes) in patches {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        if let Some(place) = at.checked_add(bytes.len()).and_then(|end| head.get_mut(at..end)) {
            place.copy_from_slice(&bytes);
        }
    }
    head
}

fn entry(place: &Span) -> TableTree {
    let mut entry = TableTree::new(DataSegment::TYPE).with("offset", place.offset).with("size", place.len);
    entry.elide_defaults();
    entry
}

impl EditError {
    /// That a file whose path is not known cannot be written.
    pub(super) fn of_output(error: io::Error) -> Self {
        EditError::Output { path: "the new file".into(), error }
    }

    /// The same error of a file that is to be at `path`.
    pub(super) fn at(self, path: &Path) -> Self {
        match self {
            EditError::Output { error, .. } => EditError::Output { path: path.to_owned(), error },
            other => other,
        }
    }
}

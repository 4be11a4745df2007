//! A file to attack, with its parts and the lookup tables for attacks.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::findings::findings;
use crate::annotate::{ByteMap, Entry, PartKind};
use crate::check::Target;
use crate::flatbuffer::schema::{Element, Kind as FieldKind};
use crate::flatbuffer::{Fault, Table, Vector};
use crate::mutate::number;
use crate::ptd::schema::DataSegment;
use crate::ptd::{self, Layout, Ptd};
use crate::pte::schema::{ExecutionPlan, Program};
use crate::pte::{self, Pte};
use crate::rules::{Rule, flat_tensor, named_data};
use crate::{FileKind, Span};

/// A file to attack, with its byte map and lookup tables.
///
/// Thousands of attacks can use one base.
///
/// ```
/// use torchproof::attack::Base;
/// let base = Base::of(b"\x08\0\0\0ET12\0\0\0\0".to_vec());
/// assert!(!base.is_accepted());
/// ```
#[derive(Clone, Debug)]
pub struct Base {
    bytes: Vec<u8>,
    kind: FileKind,
    accepted: bool,
    overlapping_header: bool,
    /// `true` if a key repeats with equal blobs, so that changing one of the blobs breaks a rule.
    repeated_key: bool,
    /// The positions of vtables that tables of different types share.
    mixed: BTreeSet<usize>,
    frames: Vec<Frame>,
    map: ByteMap,
    /// The indices of the byte map's parts, sorted by path.
    by_path: Vec<u32>,
    columns: BTreeMap<Column, Vec<u32>>,
    kinds: BTreeMap<PartKind, Vec<u32>>,
}

/// File kind, table type, field and part kind.
type Column = (&'static str, &'static str, &'static str, PartKind);

#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) kind: FileKind,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) region_end: usize,
    /// Attacks change the length only of a frame that is the whole file.
    pub(super) whole: bool,
}

pub(super) type FrameOf = fn(&Base) -> Option<Frame>;

impl Frame {
    pub(super) fn len(&self) -> u64 {
        (self.end - self.start) as u64
    }

    /// Converts a path that starts at the frame's root to a path in the byte map.
    pub(super) fn path(&self, path: &str) -> String {
        join(if self.whole { "" } else { PROGRAM }, path)
    }
}

const PROGRAM: &str = "program";

pub(super) fn join(parent: &str, field: &str) -> String {
    let dot = if parent.is_empty() || field.is_empty() { "" } else { "." };
    format!("{parent}{dot}{field}")
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BasePart<'b> {
    pub(super) entry: &'b Entry,
    pub(super) frame: Frame,
}

impl BasePart<'_> {
    pub(super) fn at(&self) -> usize {
        usize::try_from(self.entry.span.offset).unwrap_or(usize::MAX)
    }

    pub(super) fn len(&self) -> usize {
        usize::try_from(self.entry.span.len).unwrap_or(0)
    }

    pub(super) fn local(&self) -> usize {
        self.at().saturating_sub(self.frame.start)
    }

    pub(super) fn width(&self) -> usize {
        match self.entry.field.map(|field| field.kind) {
            Some(FieldKind::Scalars(scalar, _)) => scalar.width(),
            Some(FieldKind::Tables(_)) => 4,
            _ => 1,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct DataBounds {
    /// The segment base relative to the frame, or 0 if there is no header.
    pub(super) base: u64,
    /// No segment may end after this position, which is relative to `base`.
    pub(super) bound: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentEntry {
    pub(super) index: usize,
    pub(super) offset: u64,
    pub(super) size: u64,
}

impl Base {
    /// Creates a base from any file: builds the byte map and checks the file.
    #[must_use]
    pub fn of(bytes: Vec<u8>) -> Self {
        let once: [&Rule; 2] = [&named_data::ND_KEY_ONCE, &flat_tensor::FT_KEY_ONCE];
        let (report, repeated_key) = findings(&bytes, Target::Bits64, &once);
        let kind = report.kind;
        let frames = frames(kind, &bytes);
        let map = ByteMap::of(&bytes);
        let mut base = Self {
            accepted: report.accepts(),
            overlapping_header: false,
            repeated_key,
            mixed: BTreeSet::new(),
            bytes,
            kind,
            frames,
            map,
            by_path: Vec::new(),
            columns: BTreeMap::new(),
            kinds: BTreeMap::new(),
        };
        base.index();
        base.overlapping_header = base.has_table_in_header();
        base.mixed = base.shared_vtables();
        base
    }

    /// Returns the bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the kind of the file.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// Returns whether the checker accepts the file. If not, an attack's effect is unknown until the attacked file is
    /// checked.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.accepted
    }

    /// Returns whether an attack's effect is predictable, which takes four things: the checker accepts the file, the
    /// byte map is complete, nothing overlaps the header, and no key repeats.
    pub(super) fn is_foreseeable(&self) -> bool {
        self.accepted && self.map.is_complete() && !self.overlapping_header && !self.repeated_key
    }

    /// A change of the shared bytes can affect both the header and the table.
    fn has_table_in_header(&self) -> bool {
        let header = match self.kind {
            FileKind::Pte | FileKind::Bpte => {
                pte::ExtendedHeader::OFFSET + u64::from(pte::ExtendedHeader::LENGTH_WITH_DATA_SIZE)
            }
            _ => ptd::FlatTensorHeader::OFFSET + u64::from(ptd::FlatTensorHeader::MIN_LENGTH),
        };
        let mut parts = [PartKind::Table, PartKind::Vtable].into_iter().flat_map(|kind| self.all(kind));
        parts.any(|at| {
            let inside = self.place(*at).filter(|place| (place.local() as u64) < header);
            inside.is_some_and(|place| self.header(&place.frame, "length").is_some())
        })
    }

    fn index(&mut self) {
        let entries = self.map.entries();
        let mut by_path: Vec<u32> = (0..u32::try_from(entries.len()).unwrap_or(0)).collect();
        by_path.sort_by(|one, other| entries[*one as usize].path.cmp(&entries[*other as usize].path));
        for (at, entry) in (0_u32..).zip(entries) {
            self.kinds.entry(entry.kind).or_default().push(at);
            if let (Some(frame), Some(owner)) = (frame_of(&self.frames, entry), entry.owner) {
                let field = entry.field.map_or("", |field| field.name);
                self.columns.entry((frame.kind.name(), owner.name, field, entry.kind)).or_default().push(at);
            }
        }
        self.by_path = by_path;
    }

    pub(super) fn frames(&self) -> &[Frame] {
        &self.frames
    }

    pub(super) fn frame(&self, kind: FileKind) -> Option<Frame> {
        self.frames.iter().copied().find(|frame| frame.kind == kind)
    }

    pub(super) fn program_frame(&self) -> Option<Frame> {
        self.frame(FileKind::Pte)
    }

    /// The data file can have the current or the legacy layout.
    pub(super) fn data_frame(&self) -> Option<Frame> {
        self.frame(FileKind::Ptd).or_else(|| self.frame(FileKind::PtdLegacy))
    }

    pub(super) fn entries(&self) -> &[Entry] {
        self.map.entries()
    }

    /// Returns the bytes that belong to no part, or nothing if the byte map is incomplete.
    pub(super) fn gaps(&self) -> impl Iterator<Item = Span> + '_ {
        let all = self.map.cover(&self.bytes);
        all.filter(|entry| self.map.is_complete() && entry.kind.is_gap()).map(|entry| entry.span)
    }

    pub(super) fn place(&self, at: u32) -> Option<BasePart<'_>> {
        let entry = self.map.entries().get(at as usize)?;
        Some(BasePart { entry, frame: *frame_of(&self.frames, entry)? })
    }

    /// Returns a field's parts in all tables of the type `owner`, or the tables themselves if `field` is empty.
    pub(super) fn column(&self, kind: FileKind, owner: &'static str, field: &'static str, part: PartKind) -> &[u32] {
        self.columns.get(&(kind.name(), owner, field, part)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn all(&self, kind: PartKind) -> &[u32] {
        self.kinds.get(&kind).map_or(&[], Vec::as_slice)
    }

    pub(super) fn find(&self, path: &str, kind: PartKind) -> Option<BasePart<'_>> {
        let entries = self.map.entries();
        let first = self.by_path.partition_point(|at| entries[*at as usize].path.as_str() < path);
        let same = self.by_path[first..].iter().take_while(|at| entries[**at as usize].path == path);
        self.place(*same.into_iter().find(|at| entries[**at as usize].kind == kind)?)
    }

    /// Reads at most eight bytes.
    pub(super) fn number(&self, at: usize, width: usize) -> u64 {
        number(&self.bytes, at, width.min(8))
    }

    pub(super) fn region(&self, frame: &Frame) -> &[u8] {
        self.bytes.get(frame.start..frame.region_end).unwrap_or_default()
    }

    /// Returns whether the table shares its vtable with a table of another type, so that an attack would change both.
    pub(super) fn is_mixed(&self, place: &BasePart<'_>) -> bool {
        self.table(place).is_some_and(|table| self.mixed.contains(&(place.frame.start + table.vtable())))
    }

    /// Returns the vtables that tables of different types share.
    fn shared_vtables(&self) -> BTreeSet<usize> {
        let mut owners: BTreeMap<usize, &str> = BTreeMap::new();
        let mut mixed = BTreeSet::new();
        for place in self.all(PartKind::Table).iter().filter_map(|at| self.place(*at)) {
            let (Some(table), Some(owner)) = (self.table(&place), place.entry.owner) else { continue };
            let vtable = place.frame.start + table.vtable();
            if *owners.entry(vtable).or_insert(owner.name) != owner.name {
                mixed.insert(vtable);
            }
        }
        mixed
    }

    pub(super) fn table(&self, place: &BasePart<'_>) -> Option<Table<'_>> {
        Table::at(self.region(&place.frame), place.local()).ok()
    }

    pub(super) fn count(&self, path: &str) -> Option<u64> {
        self.find(path, PartKind::Count).map(|place| self.number(place.at(), 4))
    }

    /// Absent fields are 0.
    pub(super) fn scalar(&self, place: &BasePart<'_>, field: &str) -> Option<u64> {
        let field = place.entry.owner?.field(field)?;
        let width = field.kind.width();
        Some(self.table(place)?.field(field.slot).map_or(0, |at| self.number(place.frame.start + at, width)))
    }

    pub(super) fn has(&self, place: &BasePart<'_>, field: &str) -> bool {
        let slot = place.entry.owner.and_then(|owner| owner.field(field)).map(|field| field.slot);
        slot.and_then(|slot| self.table(place)?.field(slot)).is_some()
    }

    /// Spans in the returned program are relative to the frame.
    pub(super) fn program(&self, frame: &Frame) -> Option<Program<'_>> {
        let bytes = self.bytes.get(frame.start..frame.end).filter(|_| frame.kind == FileKind::Pte)?;
        Some(Pte::open(bytes).ok()?.program())
    }

    pub(super) fn plan<'b>(&'b self, place: &BasePart<'b>) -> Option<(ExecutionPlan<'b>, &'b str)> {
        const LIST: &str = "execution_plan[";
        let path = place.entry.path.as_str();
        let digits = path.find(LIST)? + LIST.len();
        let end = digits + path[digits..].find(']')?;
        let index: usize = path[digits..end].parse().ok()?;
        let plan = self.program(&place.frame)?.execution_plan().ok()??.get(index)?.ok()?;
        Some((plan, &path[..=end]))
    }

    pub(super) fn plan_count(&self, place: &BasePart<'_>, list: &str) -> Option<u64> {
        let (_, path) = self.plan(place)?;
        self.count(&join(path, list))
    }

    pub(super) fn header(&self, frame: &Frame, field: &str) -> Option<u64> {
        let place = self.find(&frame.path(&format!("header.{field}")), PartKind::Header)?;
        Some(self.number(place.at(), place.len()))
    }

    pub(super) fn data(&self, frame: &Frame) -> Option<DataBounds> {
        let left = |base: u64| frame.len().saturating_sub(base);
        let base = self.header(frame, "segment_base_offset").unwrap_or(0);
        let size = self.header(frame, "segment_data_size");
        let bound = match frame.kind {
            FileKind::Pte => size.filter(|size| *size > 0).unwrap_or(left(base)),
            FileKind::Ptd | FileKind::PtdLegacy => size?,
            _ => return None,
        };
        Some(DataBounds { base, bound: bound.min(left(base)) })
    }

    /// Returns the segments, except those that end outside the segment data.
    pub(super) fn segments(&self, frame: &Frame) -> Vec<SegmentEntry> {
        let bytes = self.bytes.get(frame.start..frame.end).unwrap_or_default();
        let bound = self.data(frame).map_or(0, |data| data.bound);
        let places: Vec<Option<(u64, u64)>> = match frame.kind {
            FileKind::Ptd | FileKind::PtdLegacy => {
                let found = Ptd::open(bytes).ok().and_then(|file| file.segments().ok()?);
                places(found, |segment: DataSegment<'_>| Some((segment.offset().ok()?, segment.size().ok()?)))
            }
            _ => {
                let found = self.program(frame).and_then(|program| program.segments().ok()?);
                places(found, |segment: pte::schema::DataSegment<'_>| {
                    Some((segment.offset().ok()?, segment.size().ok()?))
                })
            }
        };
        let inside = |(index, place): (usize, Option<(u64, u64)>)| {
            let (offset, size) =
                place.filter(|(offset, size)| offset.checked_add(*size).is_some_and(|end| end <= bound))?;
            Some(SegmentEntry { index, offset, size })
        };
        places.into_iter().enumerate().filter_map(inside).collect()
    }

    pub(super) fn segment_size(&self, frame: &Frame, index: u64) -> Option<u64> {
        self.segments(frame).iter().find(|segment| segment.index as u64 == index).map(|segment| segment.size)
    }
}

/// `None` stands for a segment that cannot be read.
fn places<'a, T: Element<'a, Item = Result<T, Fault>> + 'a>(
    list: Option<Vector<'a, T>>,
    read: impl Fn(T) -> Option<(u64, u64)>,
) -> Vec<Option<(u64, u64)>> {
    list.into_iter().flat_map(Vector::iter).map(|segment| read(segment.ok()?)).collect()
}

pub(super) fn layout_of(bytes: &[u8]) -> Option<FileKind> {
    match Ptd::open(bytes).ok()?.layout() {
        Layout::Current(_) => Some(FileKind::Ptd),
        Layout::Legacy(_) => Some(FileKind::PtdLegacy),
    }
}

fn frames(kind: FileKind, bytes: &[u8]) -> Vec<Frame> {
    let end = bytes.len();
    let region_end = match kind {
        FileKind::Pte => program_end(bytes),
        FileKind::Ptd | FileKind::PtdLegacy => {
            let found = ptd::FlatTensorHeader::find(bytes).ok().and_then(|header| header.flatbuffer_end());
            found.and_then(|end| usize::try_from(end).ok()).unwrap_or(end).min(end)
        }
        _ => end,
    };
    let mut frames = alloc::vec![Frame { kind, start: 0, end, region_end, whole: true }];
    let inner = match kind {
        FileKind::Bpte => crate::bundled::Bundled::open(bytes).ok().and_then(|file| file.root().program().ok()?),
        _ => None,
    };
    if let Some(inner) = inner.filter(|inner| FileKind::of_head(inner.as_bytes()) == FileKind::Pte) {
        let start = usize::try_from(inner.span().offset).unwrap_or(0);
        let region_end = start + program_end(inner.as_bytes());
        frames.push(Frame { kind: FileKind::Pte, start, end: start + inner.len(), region_end, whole: false });
    }
    frames
}

fn program_end(bytes: &[u8]) -> usize {
    let header = pte::ExtendedHeader::find(bytes).ok().flatten();
    header.and_then(|header| usize::try_from(header.program_size).ok()).unwrap_or(bytes.len()).min(bytes.len())
}

fn frame_of<'f>(frames: &'f [Frame], entry: &Entry) -> Option<&'f Frame> {
    let inner = frames.get(1).filter(|inner| (inner.start as u64..inner.end as u64).contains(&entry.span.offset));
    inner.or(frames.first())
}

pub(super) fn range(span: Span) -> core::ops::Range<usize> {
    let at = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    at(span.offset)..at(span.end())
}

/// Returns `None` if the program lacks the method named by the suite that contains `path`.
pub(super) fn has_method(base: &Base, path: &str) -> Option<()> {
    let (suite, _) = path.split_once(".test_cases")?;
    let text = |place: &BasePart<'_>| base.bytes().get(place.at()..place.at() + place.len());
    let wanted = base.find(&join(suite, "method_name"), PartKind::Elements)?;
    let names = base.column(FileKind::Pte, "ExecutionPlan", "name", PartKind::Elements);
    let mut names = names.iter().filter_map(|at| base.place(*at));
    names.any(|name| text(&name) == text(&wanted)).then_some(())
}

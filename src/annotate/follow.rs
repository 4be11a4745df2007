//! Collects the parts of a file: header, FlatBuffer and segments.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::entry::{Entry, UnmappedPart};
use crate::bundled::{self, Bundled, schema::BundledProgram};
use crate::flatbuffer::schema::{Kind, TableType, TableView};
use crate::flatbuffer::walk::{Flow, Path, Stop, VisitedTable, Visitor, walk};
use crate::flatbuffer::{self, Fault};
use crate::part_kind::PartKind;
use crate::ptd::legacy_schema::LegacyFlatTensor;
use crate::ptd::schema::FlatTensor;
use crate::ptd::{self, Layout, Ptd};
use crate::pte::schema::Program;
use crate::pte::{self, Pte};
use crate::{Error, ErrorCode, FileBytes, FileKind, Limit, Limits, Span, Stage};

#[derive(Default)]
pub(super) struct FoundParts {
    pub(super) entries: Vec<Entry>,
    pub(super) unmapped: Vec<UnmappedPart>,
    pub(super) program_start: u64,
    /// For each span, the indices of its errors in `unmapped`.
    unmapped_at: BTreeMap<(u64, u64), Vec<usize>>,
    /// How many bytes of memory the map may still use.
    memory: u64,
}

/// The maximum memory that an entry needs besides its path, in bytes: twice its size, because a list can have unused
/// capacity.
const ENTRY: u64 = 2 * size_of::<Entry>() as u64 + 16;
/// The maximum memory that an unmapped part needs besides its path, in bytes.
const UNMAPPED: u64 = 2 * size_of::<UnmappedPart>() as u64 + 128;
/// The maximum memory that a visited position needs, in bytes.
const VISITED: u64 = 64;

impl FoundParts {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut found =
            Self { memory: Limit::memory_for(FileBytes::needed(bytes, bytes.len() as u64)), ..Self::default() };
        if bytes.len() >= 8 {
            found.add(Span::new(0, 4), PartKind::Root, "");
            found.add(Span::new(4, 4), PartKind::Identifier, "identifier");
        }
        match flatbuffer::identifier(bytes) {
            Some(pte::IDENTIFIER) => found.program(bytes),
            Some(ptd::IDENTIFIER) => found.data(bytes),
            Some(bundled::IDENTIFIER) => found.bundle(bytes),
            // The identifier is unknown, so `Pte::open` fails. The map reports its error.
            _ => found.miss("", Pte::open(bytes).err()),
        }
        found
    }

    fn add(&mut self, span: Span, kind: PartKind, path: &str) {
        self.push(Entry { path: path.to_string(), ..Entry::gap(span, kind) });
    }

    /// Adds a part, unless the map's memory is used up.
    fn push(&mut self, entry: Entry) {
        if self.spend(ENTRY + entry.path.len() as u64) {
            self.entries.push(entry);
        }
    }

    /// Returns whether memory is left.
    fn spend(&mut self, bytes: u64) -> bool {
        self.memory = self.memory.saturating_sub(bytes);
        self.memory > 0
    }

    /// Records the first error for each code and span.
    fn miss(&mut self, path: &str, error: Option<Error>) {
        let Some(error) = error else { return };
        let place = (error.span.offset, error.span.len);
        let here = self.unmapped_at.get(&place).map_or(&[][..], Vec::as_slice);
        if here.iter().all(|index| self.unmapped[*index].error.code != error.code) {
            self.push_missed(path.to_string(), error);
        }
    }

    fn push_missed(&mut self, path: String, error: Error) {
        if self.spend(UNMAPPED + path.len() as u64) {
            self.unmapped_at.entry((error.span.offset, error.span.len)).or_default().push(self.unmapped.len());
            self.unmapped.push(UnmappedPart { path, error });
        }
    }

    fn miss_limit(&mut self, limit: Limit, span: Span, field: &'static str) {
        let error = Error::new(ErrorCode::Limit(limit), Stage::Structure, span, field);
        self.unmapped.push(UnmappedPart { path: String::new(), error });
    }

    fn header(&mut self, fields: &[(&str, Span)]) {
        for (name, span) in fields {
            self.add(*span, PartKind::Header, &alloc::format!("header.{name}"));
        }
    }

    fn program(&mut self, bytes: &[u8]) {
        let len = bytes.len() as u64;
        let mut end = len;
        let mut base = 0;
        if let Ok(Some(header)) = pte::ExtendedHeader::find(bytes) {
            let known = if header.segment_data_size.is_some() { 5 } else { 4 };
            self.header(&pte::ExtendedHeader::FIELDS[..known]);
            end = header.program_size.min(len);
            base = header.segment_base_offset;
        }
        if let Some(region) = FileBytes::whole(bytes).region(end) {
            self.follow::<Program<'_>>(region);
        }
        match Pte::open(bytes) {
            Ok(file) => {
                let count = file.program().segments().ok().flatten().map_or(0, flatbuffer::Vector::len);
                self.segments(count, base, &|index| file.segment(index));
            }
            Err(error) => self.miss("", Some(error)),
        }
    }

    fn data(&mut self, bytes: &[u8]) {
        let len = bytes.len() as u64;
        let Ok(header) = ptd::FlatTensorHeader::find(bytes) else {
            return self.miss("", Ptd::open(bytes).err());
        };
        self.header(&ptd::FlatTensorHeader::FIELDS);
        let end = header.flatbuffer_end().unwrap_or(len).min(len);
        if let Some(region) = FileBytes::whole(bytes).region(end) {
            let legacy = flatbuffer::Table::root(region)
                .is_ok_and(|root| matches!(Layout::of(root, Limits::DEFAULT), Layout::Legacy(_)));
            if legacy {
                self.follow::<LegacyFlatTensor<'_>>(region);
            } else {
                self.follow::<FlatTensor<'_>>(region);
            }
        }
        match Ptd::open(bytes) {
            Ok(file) => {
                let count = file.segments().ok().flatten().map_or(0, flatbuffer::Vector::len);
                self.segments(count, header.segment_base_offset, &|index| file.segment(index));
            }
            Err(error) => self.miss("", Some(error)),
        }
    }

    /// In the map, the parts of the inner program replace the byte vector that contains the program.
    fn bundle(&mut self, bytes: &[u8]) {
        self.follow::<BundledProgram<'_>>(bytes);
        let program = match Bundled::open(bytes).and_then(|file| file.program_bytes()) {
            Ok(program) => program,
            Err(error) => return self.miss("program", Some(error)),
        };
        // Do not map a bundle inside a bundle: only the file's length would limit the recursion depth.
        if FileKind::of_head(program) != FileKind::Pte {
            return;
        }
        let found = self.entries.iter().position(|entry| entry.path == "program" && entry.kind == PartKind::Elements);
        let Some(place) = found.map(|index| self.entries.swap_remove(index).span) else { return };
        let inner = |path: &str| alloc::format!("program{}{path}", if path.is_empty() { "" } else { "." });
        self.program_start = place.offset;
        let Self { entries, unmapped, memory, .. } = Self::of(program);
        self.memory = self.memory.min(memory);
        self.entries.extend(entries.into_iter().map(|mut entry| {
            entry.span.offset += place.offset;
            Entry { path: inner(&entry.path), ..entry }
        }));
        self.unmapped.extend(unmapped.into_iter().map(|mut unmapped| {
            unmapped.error.span.offset += place.offset;
            UnmappedPart { path: inner(&unmapped.path), ..unmapped }
        }));
    }

    fn segments(&mut self, count: usize, base: u64, place: &dyn Fn(u32) -> Result<Span, Error>) {
        for index in 0..u32::try_from(count).unwrap_or(0) {
            if self.memory == 0 {
                return self.miss_limit(Limit::Memory, Span::new(0, 0), "segments");
            }
            let path = alloc::format!("segments[{index}]");
            match place(index) {
                Ok(span) if span.len > 0 && span.offset >= base => self.add(span, PartKind::Segment, &path),
                Ok(_) => {}
                Err(error) => self.miss(&path, Some(error)),
            }
        }
    }

    fn follow<'a, T: TableView<'a>>(&mut self, region: &'a [u8]) {
        let most = 2 * region.len() + 4096;
        let mut collector = Collector {
            found: core::mem::take(self),
            seen: BTreeSet::new(),
            types: Vec::new(),
            entering: None,
            left: most,
        };
        // The verifier's limits are off, because the collector visits each part once and limits the number of parts.
        let limits = Limits { tables: u32::MAX, apparent_size: u64::MAX, amplification: u64::MAX, ..Limits::DEFAULT };
        let (_, flow) = walk::<T>(region, limits, &mut collector);
        *self = collector.found;
        let limit = match flow {
            Ok(()) if self.memory > 0 => return,
            Ok(()) | Err(Stop::Visitor) if self.memory == 0 => Limit::Memory,
            Ok(()) | Err(Stop::Visitor) => Limit::ApparentSize,
            Err(Stop::Limit(limit)) => limit,
        };
        self.miss_limit(limit, Span::of(0, region.len()), T::TYPE.name);
    }
}

struct Collector {
    found: FoundParts,
    seen: BTreeSet<(usize, VisitedPart)>,
    /// The types from the root to the table that is being visited.
    types: Vec<&'static TableType>,
    /// The owner of the vtable and the table that are reported next.
    entering: Option<&'static TableType>,
    /// How many visits and parts may still be recorded. Only files with overlapping parts exhaust this number.
    left: usize,
}

/// The kind of a visited object: one position can be visited as several kinds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum VisitedPart {
    Table(&'static str),
    Tables(&'static str),
    Scalars(usize),
    String,
    Vtable,
}

impl Collector {
    fn spend(&mut self) -> Flow {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 || self.found.memory == 0 { Err(Stop::Visitor) } else { Ok(()) }
    }
}

impl<'a> Visitor<'a> for Collector {
    fn fault(&mut self, fault: &Fault, path: &Path<'_>) -> Flow {
        self.found.push_missed(path.to_string(), Error::from(*fault));
        self.spend()
    }

    fn wants_parts(&self) -> bool {
        true
    }

    fn visits(&mut self, kind: Kind, position: usize) -> Result<bool, Stop> {
        self.spend()?;
        let seen = match kind {
            Kind::Table(ty) => {
                self.entering = Some(ty);
                VisitedPart::Table(ty.name)
            }
            Kind::Tables(ty) => VisitedPart::Tables(ty.name),
            Kind::Scalars(scalar, _) => VisitedPart::Scalars(scalar.width()),
            _ => VisitedPart::String,
        };
        let new = self.seen.insert((position, seen));
        if new {
            self.found.spend(VISITED);
        }
        Ok(new)
    }

    fn enter(&mut self, ty: &'static TableType, _: &VisitedTable<'_, 'a>, _: &Path<'_>) -> Flow {
        self.types.push(ty);
        Ok(())
    }

    fn table(&mut self, _: &'static TableType, _: &VisitedTable<'_, 'a>, _: &Path<'_>) -> Flow {
        self.types.pop();
        Ok(())
    }

    fn part(&mut self, kind: PartKind, span: Span, path: &Path<'_>) {
        self.left = self.left.saturating_sub(1);
        // A vtable that several tables share belongs to the table that is visited first.
        let position = usize::try_from(span.offset).unwrap_or(usize::MAX);
        let known = kind == PartKind::Vtable && !self.seen.insert((position, VisitedPart::Vtable));
        if known || kind == PartKind::Root || self.found.memory == 0 {
            return;
        }
        let mut entry = Entry { path: path.to_string(), owner: self.entering, ..Entry::gap(span, kind) };
        if !matches!(kind, PartKind::Table | PartKind::Vtable) {
            entry.owner = self.types.last().copied();
            entry.field = entry.owner.and_then(|owner| owner.field(field_name(&entry.path)));
            entry.index = path.last_index().and_then(|index| u32::try_from(index).ok());
            if kind == PartKind::Scalar && matches!(entry.field.map(|field| field.kind), Some(Kind::Union(_))) {
                entry.path.push_str("_type");
                entry.field = entry.owner.and_then(|owner| owner.field(field_name(&entry.path)));
            }
            if kind == PartKind::Offset && entry.index.is_some() {
                entry.kind = PartKind::Item;
            }
        }
        self.found.push(entry);
    }
}

/// Returns the last field of a path, without an index.
fn field_name(path: &str) -> &str {
    let last = path.rsplit('.').next().unwrap_or_default();
    last.split('[').next().unwrap_or_default()
}

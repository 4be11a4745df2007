//! What a program's tables must keep, asked as each is visited.

use crate::Span;
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path};
use crate::pte::Header;
use crate::pte::schema::{
    BackendDelegateDataReference, DataLocation, DataSegment, NamedData, Program, SubsegmentOffsets,
};
use crate::rules::{named_data, pte_header, segments as rules};

use super::super::envelope::Tables;
use super::super::finding::Reporter;
use super::super::references::{References, Role};
use super::super::segments::Seen;
use super::segment_at;

/// The state of one program's check.
pub(super) struct ProgramTables<'a, 'm> {
    pub(super) header: Option<Header>,
    pub(super) segments: Option<Vector<'a, DataSegment<'a>>>,
    pub(super) seen: Seen,
    pub(super) references: References<'m>,
    pub(super) named: Option<Vector<'a, NamedData<'a>>>,
    /// A segment with bytes has been reported as having no place to be.
    pub(super) needs_header: bool,
}

impl<'a> Tables<'a> for ProgramTables<'a, '_> {
    const OWN_SCALAR_RULE: bool = false;

    #[inline]
    fn table<T: TableView<'a>>(&mut self, table: T, path: &Path<'_>, reporter: &mut Reporter<'_>) -> Flow {
        let table = table.table();
        if T::ID == DataSegment::ID {
            self.segment(DataSegment::from_table(table), path, reporter)
        } else if T::ID == NamedData::ID {
            self.named_data(NamedData::from_table(table), path, reporter)
        } else if T::ID == SubsegmentOffsets::ID {
            self.subsegments(SubsegmentOffsets::from_table(table), path, reporter)
        } else if T::ID == BackendDelegateDataReference::ID {
            self.delegate(BackendDelegateDataReference::from_table(table), path, reporter)
        } else if T::ID == Program::ID {
            self.program(Program::from_table(table), reporter)
        } else {
            Ok(())
        }
    }
}

impl<'a> ProgramTables<'a, '_> {
    /// Whether a segment that nothing refers to is worth a word: one without bytes is a placeholder.
    pub(super) fn needs_reference(&self, index: usize) -> bool {
        self.segments.and_then(|all| all.get(index)?.ok()?.size().ok()).is_some_and(|size| size > 0)
    }

    fn segment(&mut self, segment: DataSegment<'a>, path: &Path<'_>, reporter: &mut Reporter<'_>) -> Flow {
        let Some(segment) = segment_at(segment) else {
            self.seen.sound = false;
            return Ok(());
        };
        if self.seen.base.data.base != 0 || segment.size == 0 {
            return self.seen.segment(segment, path, reporter);
        }
        self.seen.sound = false;
        if self.needs_header {
            return Ok(());
        }
        self.needs_header = true;
        let size = segment.size;
        if self.header.is_some() {
            let message = format_args!("segment has {size} bytes and the header's segment_base_offset is 0");
            reporter.report(&pte_header::EH_BASE_ZERO_IFF_NONE, path, segment.place, message)
        } else {
            let message = format_args!("segment has {size} bytes and the file has no header to say where");
            reporter.report(&pte_header::EH_HEADERLESS_NO_DATA, path, segment.place, message)
        }
    }

    fn named_data(&mut self, entry: NamedData<'a>, path: &Path<'_>, reporter: &mut Reporter<'_>) -> Flow {
        let place = entry.table().span();
        match entry.key() {
            Ok(None) => {
                reporter.report(
                    &named_data::ND_KEY_NONNULL,
                    &path.field("key"),
                    place,
                    format_args!("key is absent"),
                )?;
            }
            Ok(Some(key)) if key.as_bytes().is_empty() => {
                let at = Span::new(key.span().offset - 4, 4);
                reporter.report(&named_data::ND_KEY_NONEMPTY, &path.field("key"), at, format_args!("key is empty"))?;
            }
            _ => {}
        }
        let Ok(index) = entry.segment_index() else { return Ok(()) };
        let at = entry.table().field_span(1, 4).unwrap_or(place);
        let path = &path.field("segment_index");
        if let Some(segments) = self.segments {
            let count = segments.len();
            if index as usize >= count {
                let message = format_args!("segment index {index} is not below {count}");
                return reporter.report(&named_data::ND_SEG_INDEX, path, at, message);
            }
        }
        self.refer(index, Role::Named, at, path, reporter)
    }

    /// The constant segment, or one of the mutable ones.
    fn subsegments(&mut self, home: SubsegmentOffsets<'a>, path: &Path<'_>, reporter: &mut Reporter<'_>) -> Flow {
        let Ok(index) = home.segment_index() else { return Ok(()) };
        let role = if path.last_index().is_some() { Role::Mutable } else { Role::Constant };
        // A constant segment with nothing but its placeholder is never looked at, as the official writer's empty one.
        let used = role == Role::Mutable || matches!(home.offsets(), Ok(Some(offsets)) if offsets.len() > 1);
        let at = home.table().field_span(0, 4).unwrap_or(home.table().span());
        self.index(index, role, used, at, &path.field("segment_index"), reporter)
    }

    fn delegate(
        &mut self,
        processed: BackendDelegateDataReference<'a>,
        path: &Path<'_>,
        reporter: &mut Reporter<'_>,
    ) -> Flow {
        let (Ok(DataLocation::SEGMENT), Ok(index)) = (processed.location(), processed.index()) else { return Ok(()) };
        let at = processed.table().field_span(1, 4).unwrap_or(processed.table().span());
        self.index(index, Role::Delegate, true, at, &path.field("index"), reporter)
    }

    fn index(
        &mut self,
        index: u32,
        role: Role,
        used: bool,
        at: Span,
        path: &Path<'_>,
        reporter: &mut Reporter<'_>,
    ) -> Flow {
        match self.segments.map(Vector::len) {
            None if used => {
                let message = format_args!("segment {index} is referred to and segments is absent");
                reporter.report(&rules::SEG_NULL_TABLE, path, at, message)
            }
            Some(count) if used && index as usize >= count => {
                let message = format_args!("segment index {index} is not below {count}");
                reporter.report(&rules::SEG_INDEX_RANGE, path, at, message)
            }
            _ => self.refer(index, role, at, path, reporter),
        }
    }

    fn refer(&mut self, index: u32, role: Role, at: Span, path: &Path<'_>, reporter: &mut Reporter<'_>) -> Flow {
        if self.references.note(index, role).is_some() && self.needs_reference(index as usize) {
            let message = format_args!("segment {index} is referred to in more than one role");
            return reporter.report(&rules::SEG_ROLE_DISJOINT, path, at, message);
        }
        Ok(())
    }

    fn program(&mut self, program: Program<'a>, reporter: &mut Reporter<'_>) -> Flow {
        self.named = program.named_data().ok().flatten();
        if self.named.is_some() && matches!(program.segments(), Ok(None)) {
            let at = program.table().field_span(7, 4).unwrap_or(program.table().span());
            let message = format_args!("named_data is present and segments is absent");
            reporter.report(&named_data::ND_SEGMENTS_PRESENT, &Path::ROOT.field("named_data"), at, message)?;
        }
        Ok(())
    }
}

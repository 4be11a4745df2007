//! Programs: header, FlatBuffer, segments, named data.

mod header;
mod tables;

use crate::Span;
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Path, walk};
use crate::pte::schema::{DataSegment, NamedData, Program};
use crate::pte::{Header, header as layout};
use crate::rules::{envelope as envelope_rules, named_data, pte_header as rules, segments as segment_rules};

use super::envelope::{Envelope, tally};
use super::finding::Reporter;
use super::names::equal_names;
use super::references::References;
use super::segments::{Base, PTE, Seen, Segment};
use super::{File, Halt, Limit, Stop, expect_zeros};
use crate::segment::Data;
use tables::ProgramTables;

impl File<'_, '_> {
    pub(super) fn check_pte(&mut self, reporter: &mut Reporter<'_>) -> Result<(), Halt> {
        let Some(checked) = header::check(self.image, reporter)? else { return Ok(()) };
        let found = checked.header;
        let end = found.map_or(self.image.len(), |header| header.program_size);
        let Some(region) = self.region(end, reporter)? else { return Ok(()) };
        let root = crate::flatbuffer::root(region).ok().map(Program::from_table);
        let segments = root.and_then(|root| root.segments().ok()).flatten();
        let data = Data {
            base: found.map_or(0, |header| header.segment_base_offset),
            size: found.and_then(|header| header.data_size()),
            file_len: self.image.len(),
        };
        let base = Base { data, region_end: end, known: checked.data_known };
        let count = segments.map_or(0, Vector::len);
        let references = References::new(count, &mut *self.memory).ok_or(Stop::Limit(Limit::Scratch))?;
        let format = ProgramTables {
            header: found,
            segments,
            seen: Seen::new(&PTE, base),
            references,
            named: None,
            needs_header: false,
        };
        let (pass, counted, flow) =
            walk::<Program<'_>, _>(region, self.options.limits, Envelope::new(format, reporter));
        self.tally = counted;
        flow?;
        let (first_part, last_part) = (pass.first_part, pass.last_part);
        let faults = pass.faults;
        if let Some(segments) = segments.filter(|_| faults == 0) {
            let unreferenced = pass.format.references.unreferenced();
            for index in unreferenced.filter(|index| pass.format.needs_reference(*index)) {
                let place = segments.element_span(index);
                let message = format_args!("nothing refers to segment {index}");
                let path = &Path::ROOT.field("segments");
                pass.reporter.report(&segment_rules::SEG_REFERENCED, &path.index(index), place, message)?;
            }
        }
        let ProgramTables { seen, named, .. } = pass.format;
        tally(counted, region, reporter)?;
        if let Some(entries) = named {
            let name = |index| entries.get(index).and_then(|entry: Result<NamedData<'_>, _>| entry.ok()?.key().ok()?);
            equal_names(entries.len(), &name, &mut *self.memory, &mut |later, earlier| {
                let path = &Path::ROOT.field("named_data");
                let path = &path.index(later);
                let place = name(later).map_or(Span::new(0, 0), crate::flatbuffer::Str::span);
                let message = format_args!("key is that of named_data[{earlier}] too");
                reporter.report(&named_data::ND_KEY_UNIQUE, &path.field("key"), place, message)
            })?;
        }
        if faults > 0 {
            return Ok(());
        }
        if let Some(header) = found {
            self.check_header_place(header, region, first_part, reporter)?;
            self.check_tail(header, &seen, last_part, reporter)?;
        }
        let at = |index: usize| segment_at(segments?.get(index)?.ok()?);
        self.check_segments(&seen, count, &at, reporter)
    }

    /// Where the header stands against the FlatBuffer around it.
    fn check_header_place(
        &mut self,
        header: Header,
        region: &[u8],
        first_part: u64,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), Halt> {
        let path = &Path::ROOT.field("header");
        let end = layout::OFFSET + u64::from(header.length);
        let root = crate::flatbuffer::root(region).ok().map_or(0, |root| root.position() as u64);
        let header_fields = layout::OFFSET + u64::from(header.length.min(layout::LENGTH_WITH_DATA_SIZE));
        if root < header_fields {
            let message = format_args!("root table at {root} lies inside the header, which ends at {header_fields}");
            reporter.report(&envelope_rules::FB_ROOT_NOT_IN_HEADER, &Path::ROOT, Span::new(0, 4), message)?;
        } else if end > first_part {
            let message =
                format_args!("header ends at {end}, past the first byte of the FlatBuffer behind it at {first_part}");
            reporter.report(&rules::EH_LENGTH_BOUNDED, &path.field("length"), layout::LENGTH_SPAN, message)?;
        } else {
            let padding = Span::new(end, first_part - end);
            expect_zeros(self.gaps, padding, &rules::EH_PADDING_ZERO, path, "the padding behind the header", reporter)?;
        }
        Ok(())
    }

    /// What is between the FlatBuffer's last part and the segments, and what the header says of the segments' end.
    fn check_tail(
        &mut self,
        header: Header,
        seen: &Seen,
        last_part: u64,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), Halt> {
        let path = &Path::ROOT.field("header");
        let Header { program_size, segment_base_offset: base, .. } = header;
        let tail = Span::new(last_part, program_size.saturating_sub(last_part));
        let size = &path.field("program_size");
        expect_zeros(
            self.gaps,
            tail,
            &rules::EH_PROGRAM_SIZE_EXACT,
            size,
            "what the FlatBuffer does not use",
            reporter,
        )?;
        if base == 0 || !seen.base.known {
            return Ok(());
        }
        let gap = Span::new(program_size, base.min(self.image.len()).saturating_sub(program_size));
        expect_zeros(self.gaps, gap, &rules::EH_GAP_ZERO, path, "the gap before the segments", reporter)?;
        let end = seen.end;
        if let Some(size) = header.data_size().filter(|size| seen.sound && *size != end) {
            let message = format_args!("segment_data_size is {size} and the last segment ends at {end}");
            let path = &path.field("segment_data_size");
            reporter.report(&rules::EH_DSIZE_EXACT, path, layout::SEGMENT_DATA_SIZE_SPAN, message)?;
        }
        Ok(())
    }
}

/// A program's segment, as the arithmetic wants it; `None` when its table cannot be read.
fn segment_at(segment: DataSegment<'_>) -> Option<Segment> {
    Some(Segment { offset: segment.offset().ok()?, size: segment.size().ok()?, place: segment.table().span() })
}

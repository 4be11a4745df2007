//! Programs: the header, the root table, stored data and named data, and the checks after the visit.

use super::super::scratch::Scratch;
use super::super::segments::{ALIGNMENT, SegmentBase};
use super::super::source::Bytes;
use super::super::{Options, Target};
use super::blobs;
use super::method::method;
use super::names::{self, NameHashes, hash_of};
use super::object::{Visit, VtableShape};
use super::segments::{SegmentRole, Segments, zeros};
use super::state::{MethodShapes, ProgramVisit, Stored};
use super::{Plain, lists, require};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::Visited;
use crate::flatbuffer::{Table, Vector};
use crate::image::FLATBUFFER_LIMIT;
use crate::pte::ExtendedHeader;
use crate::pte::schema::{ExecutionPlan, NamedData, Program, SubsegmentOffsets};
use crate::segment::SegmentRegion;
use crate::{Image, Span};

/// Answers whether a program is plainly good; see [the module](super).
pub(in crate::check) fn program<'a>(
    image: Image<'a>,
    bytes: Bytes<'_>,
    options: &Options,
    scratch: &mut dyn Scratch,
) -> Option<Plain<'a>> {
    super::known(image, options)?;
    let header = ExtendedHeader::find(image.bytes()).ok()?;
    let data = data_of(header, image.len(), options)?;
    let end = header.map_or(image.len(), |header| header.program_size);
    require!(end < FLATBUFFER_LIMIT);
    let region = image.region(end)?;

    let mut visit = Visit::new(region);
    let mut shape = [VtableShape::<Program<'_>, 8>::NONE];
    let root = visit.root(&mut shape)?;
    require!(root.version() == 0);
    visit.empty_list(root.constant_buffer())?;
    visit.empty_list(root.backend_delegate_data())?;
    let list = visit.optional_list(root.segments())?;
    let entries = visit.optional_list(root.named_data())?;
    require!(entries.is_none() || list.is_some());
    let words = 2 * list.map_or(0, Vector::len);
    let (words, hashes) =
        scratch.words(words + names::words_for(entries.map_or(0, Vector::len))).ok()?.split_at_mut(words);
    let segments =
        Segments::visit(&mut visit, list, |segment| [segment.offset(), segment.size()], (data, bytes), words)?;
    require!(segments.begin_at_base());

    let (constants, mutable) = (None, None);
    let mut pass =
        ProgramVisit { visit, bytes, options, segments, constants, mutable, named: 0, external: 0, xnnpack: false };
    pass.stored(&root)?;
    if let Some(entries) = entries {
        pass.named_data(entries, NameHashes::new(hashes))?;
    }
    let plans = pass.visit.list(root.execution_plan())?;
    require!(!plans.is_empty());
    let (mut shape, mut shapes) = ([VtableShape::<ExecutionPlan<'_>, 10>::NONE], MethodShapes::NONE);
    for position in pass.visit.positions(plans) {
        let plan = pass.visit.table(position?, &mut shape)?;
        method(&mut pass, &plan, &mut shapes)?;
    }
    pass.segments.finish(end)?;

    let ProgramVisit { visit, named, external, xnnpack, .. } = pass;
    let tally = visit.tally();
    super::within_limits(tally, region, options)?;
    lists::check(plans, named, scratch)?;
    if let Some(header) = header {
        let used = tally.used;
        let header_end = ExtendedHeader::OFFSET + u64::from(header.length);
        require!(root.table().position() as u64 >= header_end);
        zeros(bytes, Span::new(header_end, used.offset.checked_sub(header_end)?))?;
        zeros(bytes, Span::new(used.end(), end - used.end()))?;
        zeros(bytes, Span::new(end, data.base.saturating_sub(end)))?;
    }
    let base = SegmentBase { data, region_end: end, known: true };
    let root = xnnpack.then(|| Table::root(region).ok().map(Program::from_table)).flatten();
    Some(Plain { tally, external, xnnpack: root.map(|root| (root, base)) })
}

/// Checks the header, and returns the region of the segment data.
fn data_of(header: Option<ExtendedHeader>, file_len: u64, options: &Options) -> Option<SegmentRegion> {
    let Some(header) = header else { return Some(SegmentRegion { base: 0, size: None, file_len }) };
    let ExtendedHeader { length, program_size, segment_base_offset: base, segment_data_size: size } = header;
    require!(length == ExtendedHeader::MIN_LENGTH || length == ExtendedHeader::LENGTH_WITH_DATA_SIZE);
    require!(program_size >= ExtendedHeader::OFFSET + u64::from(ExtendedHeader::MIN_LENGTH));
    require!(program_size <= file_len);
    let end = base.checked_add(size.unwrap_or(0))?;
    if base == 0 {
        require!(end == 0);
    } else {
        require!(base >= program_size);
        require!(base <= file_len);
        require!(end <= file_len);
        require!(size != Some(0));
        require!(base.is_multiple_of(ALIGNMENT));
        require!(options.target == Target::Bits64 || file_len <= u64::from(u32::MAX));
    }
    Some(SegmentRegion { base, size: header.data_size(), file_len })
}

impl<'a> ProgramVisit<'a, '_> {
    /// Visits the offsets of the constants and of the initial values.
    fn stored(&mut self, root: &Visited<'_, 'a, Program<'a>>) -> Option<()> {
        let mut shape = [VtableShape::<SubsegmentOffsets<'_>, 2>::NONE];
        if !root.constant_segment().is_absent() {
            let found = self.visit.child(root.constant_segment(), &mut shape)?;
            let offsets = self.visit.list(found.offsets())?;
            require!(offsets.get(0) == Some(0));
            // A list with only the placeholder belongs to a program without constants.
            if offsets.len() > 1 {
                let (size, start) = self.segment(found.segment_index(), SegmentRole::Constant)?;
                let mut previous = 0;
                for offset in offsets.iter() {
                    require!(offset >= previous);
                    require!(offset.is_multiple_of(ALIGNMENT));
                    previous = offset;
                }
                require!(previous <= size);
                self.constants = Some(Stored { offsets, size, start });
            }
        }
        if let Some(lists) = self.visit.optional_list(root.mutable_data_segments())? {
            require!(lists.len() <= 1);
            for position in self.visit.positions(lists) {
                let found = self.visit.table(position?, &mut shape)?;
                let offsets = self.visit.list(found.offsets())?;
                let (size, start) = self.segment(found.segment_index(), SegmentRole::Mutable)?;
                require!(offsets.get(0) == Some(0));
                require!(offsets.iter().all(|offset| offset <= size));
                self.mutable = Some(Stored { offsets, size, start });
            }
        }
        Some(())
    }

    fn named_data(&mut self, entries: Vector<'a, NamedData<'a>>, mut keys: NameHashes<'_>) -> Option<()> {
        let mut shape = [VtableShape::<NamedData<'_>, 2>::NONE];
        let mut text = self.bytes.head.len() as u64;
        for position in self.visit.positions(entries) {
            let entry = self.visit.table(position?, &mut shape)?;
            let key = self.visit.any_text(entry.key())?;
            require!(!key.is_empty());
            keys.add(hash_of(key)?)?;
            let range = self.segments.refer(entry.segment_index(), SegmentRole::Named)?;
            if key.starts_with(crate::metadata::PREFIX) {
                blobs::metadata(key, self.segments.place(range), self.bytes, &mut text)?;
            }
        }
        Some(())
    }
}

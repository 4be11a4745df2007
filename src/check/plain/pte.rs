//! Programs: the header, the root table, stored data and named data, and the checks after the visit.

use super::super::Options;
use super::super::scratch::Scratch;
use super::super::segments::{ALIGNMENT, SegmentBase};
use super::super::source::Bytes;
use super::blobs;
use super::method::method;
use super::names::{self, NameHashes, hash_of};
use super::object::{Visit, VtableShape};
use super::segments::{SegmentRole, Segments, data_place, padding};
use super::state::{MethodShapes, ProgramVisit, Stored};
use super::{Plain, lists, require};
use crate::Image;
use crate::flatbuffer::walk::Visited;
use crate::flatbuffer::{Vector, identifier};
use crate::pte::ExtendedHeader;
use crate::pte::schema::{NamedData, Program, SubsegmentOffsets};
use crate::segment::SegmentRegion;

/// Answers whether a program is plainly good; see [the module](super).
pub(in crate::check) fn program<'a>(
    image: Image<'a>,
    bytes: Bytes<'_>,
    options: &Options,
    scratch: &mut dyn Scratch,
) -> Option<Plain<'a>> {
    require!(identifier(image.bytes()) == Some(crate::pte::IDENTIFIER));
    let header = ExtendedHeader::find(image.bytes()).ok()?;
    let (end, base, size) = match header {
        Some(ExtendedHeader { length, program_size, segment_base_offset, segment_data_size }) => {
            require!(length == ExtendedHeader::MIN_LENGTH || length == ExtendedHeader::LENGTH_WITH_DATA_SIZE);
            (program_size, segment_base_offset, segment_data_size)
        }
        None => (image.len(), 0, None),
    };
    let data = SegmentRegion { base, size, file_len: image.len() };
    data_place(data, end, options)?;

    let mut visit = Visit::new(image, end)?;
    let mut shape = [VtableShape::<Program<'_>, 8>::NONE];
    let root = visit.root(&mut shape)?;
    require!(root.version() == 0);
    visit.empty_list(root.constant_buffer())?;
    visit.empty_list(root.backend_delegate_data())?;
    let list = visit.optional_list(root.segments())?;
    let entries = visit.optional_list(root.named_data())?;
    require!(list.is_some() || entries.is_none());
    let words = 2 * list.map_or(0, Vector::len);
    let (words, hashes) =
        scratch.words(words + names::words_for(entries.map_or(0, Vector::len))).ok()?.split_at_mut_checked(words)?;
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
    // A separate variable, because `method` borrows the plan and changes the other shapes.
    let (mut shapes, mut plan_shape) = (MethodShapes::NONE, MethodShapes::NONE.plan);
    for position in pass.visit.positions(plans) {
        let plan = pass.visit.table(position?, &mut plan_shape)?;
        method(&mut pass, &plan, &mut shapes)?;
    }
    pass.segments.finish(end)?;

    let ProgramVisit { mut visit, named, external, xnnpack, .. } = pass;
    shapes.plan = plan_shape;
    lists::check(&mut visit, plans, &mut shapes, named, scratch)?;
    let tally = visit.finish(options)?;
    if let Some(header) = header {
        padding(bytes, ExtendedHeader::OFFSET + u64::from(header.length), tally.used, base.max(end))?;
    }
    let base = SegmentBase { data, region_end: end, known: true };
    Some(Plain { tally, external, xnnpack: xnnpack.then(|| (root.view(), base)) })
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
        keys.finish()
    }
}

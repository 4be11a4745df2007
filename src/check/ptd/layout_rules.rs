//! The checks that the two layouts of data files (current and legacy) share, and their state.

use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, OffsetTarget, Path, VisitedTable};
use crate::flatbuffer::{Str, Table, Vector};
use crate::ptd::schema::brief::DataSegment;
use crate::rules::{RuleKey, flat_tensor as rules};

use super::super::finding::Reporter;
use super::super::metadata;
use super::super::references::SegmentUse;
use super::super::segments::{SegmentOrder, SegmentRange};
use super::super::structure::Tables;
use super::scratch::{FileScratch, LISTS};
use crate::names::SeenNames;

pub(super) struct Common<'a, 'm> {
    pub(super) segments: Option<Vector<'a, DataSegment<'a>>>,
    pub(super) scratch: FileScratch<'m>,
    pub(super) seen: SegmentOrder,
    /// `true` if at least one key belongs to the `metadata.*` convention.
    pub(super) metadata: bool,
}

pub(super) trait LayoutRules<'a>: Copy {
    const COUNT: usize;

    /// Describes one of the layout's name lists, counted from 0: the rule that names are unique, the field that
    /// contains the list, and the field that contains an entry's name.
    fn list(list: usize) -> (RuleKey, &'static str, &'static str);
    fn len(self, list: usize) -> usize;
    fn name(self, list: usize, index: usize) -> Option<Str<'a>>;
    fn blob_segment(self, index: usize) -> Option<u32>;
    /// Returns whether two entries of `named_data`, given by index, have equal tensor layouts, or both have none.
    fn equal_layouts(self, _one: usize, _other: usize) -> bool {
        true
    }

    /// Checks that no name is in both name lists. The caller has sorted both lists.
    fn check_names(self, _names: &[SeenNames<'_>; LISTS], _reporter: &mut impl Reporter) -> Flow {
        Ok(())
    }

    fn enter(&mut self, _id: u8) {}

    /// Implements [`Tables::table`] for all of the layout's tables except segments.
    fn table(
        &mut self,
        common: &mut Common<'a, '_>,
        id: u8,
        table: &VisitedTable<'_, 'a>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow;
}

/// The table checks for the layout `L`, including those that both layouts share.
pub(super) struct LayoutTables<'a, 'm, L> {
    pub(super) common: Common<'a, 'm>,
    pub(super) layout: L,
}

impl<'a, L: LayoutRules<'a>> Tables<'a> for LayoutTables<'a, '_, L> {
    fn enter(&mut self, id: u8, _: &VisitedTable<'_, 'a>, _: &Path<'_>) {
        self.layout.enter(id);
    }

    fn table(&mut self, id: u8, table: &VisitedTable<'_, 'a>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
        if id == DataSegment::ID {
            self.common.segment(&table.of(), path, reporter)
        } else {
            self.layout.table(&mut self.common, id, table, path, reporter)
        }
    }
}

impl<'a> Common<'a, '_> {
    #[inline]
    fn segment(
        &mut self,
        segment: &VisitedTable<'_, 'a, DataSegment<'a>>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let (Some(offset), Some(size)) = (segment.word(0), segment.word(1)) else {
            self.seen.sound = false;
            return Ok(());
        };
        self.scratch.segment(path.last_index().unwrap_or(0), offset, size);
        let table = segment.table();
        self.seen.segment(SegmentRange { offset, size }, &|| table.span(), path, reporter)
    }

    /// Records a use of the segment at `index`. Returns its size (`None` if unknown) or, if `index` is out of range,
    /// the number of segments as the error.
    #[inline]
    pub(super) fn refer(&mut self, index: u32) -> Result<Option<u64>, usize> {
        let Some(segments) = self.segments else { return Ok(None) };
        let place = index as usize;
        if place >= segments.len() {
            self.scratch.references.has_invalid_index = true;
            return Err(segments.len());
        }
        self.scratch.references.record(index, SegmentUse::Named);
        // In the legacy layout, the verification pass may visit the segment after this table. If the segment has not
        // been recorded yet, read the size from its table.
        let unseen = || segments.get(place).and_then(|segment| segment.ok()?.size().ok());
        Ok(self.scratch.place(place).map_or_else(unseen, |[_, size]| Some(size)))
    }

    /// Records and checks an entry's key; `list` is the number of the name list.
    #[inline]
    pub(super) fn key(
        &mut self,
        list: usize,
        key: OffsetTarget<Str<'_>>,
        entry: Table<'_>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        match key {
            OffsetTarget::Absent => return reporter.absent(&rules::FT_KEY_NONNULL, "key", entry, path),
            OffsetTarget::Here(key) => {
                self.name(list, key, path);
                self.metadata |= metadata::covers(key);
                if key.as_bytes().is_empty() {
                    return reporter.empty(&rules::FT_KEY_NONEMPTY, "key", key, path);
                }
            }
            OffsetTarget::Broken => {}
        }
        Ok(())
    }

    /// Records an entry's name; `list` is the number of the name list.
    #[inline]
    pub(super) fn name(&mut self, list: usize, name: Str<'_>, path: &Path<'_>) {
        if let Some(names) = self.scratch.names.get_mut(list) {
            names.insert(name.as_bytes(), path.last_index().unwrap_or(0));
        }
    }
}

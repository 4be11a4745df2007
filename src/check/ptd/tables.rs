//! Checks a current data file's tables one by one during the verification pass.

use crate::error::OutOfRange;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path, VisitedTable};
use crate::flatbuffer::{Str, Vector};
use crate::ptd::schema::brief::{FlatTensor, NamedData, TensorLayout};
use crate::rules::{RuleKey, flat_tensor as rules};

use super::super::finding::Reporter;
use super::super::layout::{self, LayoutDescription, StoredLayout};
use super::layout_rules::{Common, LayoutRules};

/// The checks that only the current layout needs, and their state.
#[derive(Clone, Copy)]
pub(super) struct CurrentChecks<'a> {
    named: Option<Vector<'a, NamedData<'a>>>,
    /// The size in bytes of the most recently visited entry's tensor; `None` if it has no tensor layout or the size is
    /// unknown.
    bytes: Option<u64>,
}

impl<'a> CurrentChecks<'a> {
    pub(super) const NONE: Self = Self { named: None, bytes: None };

    pub(super) fn of(root: FlatTensor<'a>) -> Self {
        Self { named: root.named_data().ok().flatten(), bytes: None }
    }

    #[inline]
    fn named_data(
        &self,
        common: &mut Common<'a, '_>,
        entry: &VisitedTable<'_, 'a, NamedData<'a>>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        common.key(0, entry.key(), entry.table(), path, reporter)?;
        let index = entry.segment_index();
        let place = || entry.place("tensor_layout");
        match (common.refer(index), self.bytes) {
            (Err(count), _) => {
                let at = entry.place("segment_index");
                let message = format_args!("{}", OutOfRange::new(index, count));
                reporter.report(&rules::FT_SEG_INDEX, &path.field("segment_index"), at, message)
            }
            (Ok(Some(size)), Some(bytes)) if bytes > size => {
                let message = format_args!("the layout describes {bytes} bytes, but segment {index} has {size}");
                reporter.report(&rules::FT_LAYOUT_FITS_SEGMENT, &path.field("tensor_layout"), place(), message)
            }
            (Ok(Some(size)), Some(bytes)) if bytes < size => {
                let message = format_args!("the layout describes {bytes} bytes, but segment {index} has {size}");
                reporter.report(&rules::FT_LAYOUT_FILLS_SEGMENT, &path.field("tensor_layout"), place(), message)
            }
            _ => Ok(()),
        }
    }

    #[inline]
    fn layout(
        &mut self,
        found: &VisitedTable<'_, 'a, TensorLayout<'a>>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let (scalar_type, sizes, dim_order) = (found.scalar_type(), found.sizes(), found.dim_order());
        self.bytes = layout::ordinary(scalar_type, sizes, dim_order);
        if self.bytes.is_none() {
            let found = StoredLayout { table: found.table(), scalar_type, scalar_slot: 0, sizes, dim_order };
            self.bytes = layout::check(&layout::CURRENT, &found, path, reporter)?.bytes;
        }
        Ok(())
    }

    fn root(root: FlatTensor<'_>, reporter: &mut impl Reporter) -> Flow {
        if let Ok(version @ 1..) = root.version() {
            let message = format_args!("version is {version}, expected 0");
            reporter.report(&rules::FT_VERSION, &Path::ROOT.field("version"), root.place("version"), message)?;
        }
        reporter.require(&rules::FT_LISTS_NONNULL, "segments", &root.segments(), root.table(), &Path::ROOT)?;
        match root.named_data() {
            Ok(None) => reporter.absent(&rules::FT_LISTS_NONNULL, "named_data", root.table(), &Path::ROOT),
            Ok(Some(entries)) if entries.is_empty() => {
                let message = format_args!("the file has no key, expected at least one");
                reporter.report(&rules::FT_NONEMPTY, &Path::ROOT.field("named_data"), entries.count_span(), message)
            }
            _ => Ok(()),
        }
    }
}

impl<'a> LayoutRules<'a> for CurrentChecks<'a> {
    const COUNT: usize = 1;

    fn list(_: usize) -> (RuleKey, &'static str, &'static str) {
        (rules::FT_KEY_UNIQUE.key(), "named_data", "key")
    }

    fn len(self, list: usize) -> usize {
        self.named.filter(|_| list == 0).map_or(0, Vector::len)
    }

    fn name(self, _: usize, index: usize) -> Option<Str<'a>> {
        self.named?.get(index)?.ok()?.key().ok()?
    }

    fn blob_segment(self, index: usize) -> Option<u32> {
        self.named?.get(index)?.ok()?.segment_index().ok()
    }

    fn equal_layouts(self, one: usize, other: usize) -> bool {
        let layout = |index| self.named?.get(index)?.ok()?.tensor_layout().ok()?;
        layout(one).map(LayoutDescription::of_layout) == layout(other).map(LayoutDescription::of_layout)
    }

    fn enter(&mut self, id: u8) {
        if id == NamedData::ID {
            self.bytes = None;
        }
    }

    fn table(
        &mut self,
        common: &mut Common<'a, '_>,
        id: u8,
        table: &VisitedTable<'_, 'a>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        match id {
            TensorLayout::ID => self.layout(&table.of(), path, reporter),
            NamedData::ID => self.named_data(common, &table.of(), path, reporter),
            FlatTensor::ID => Self::root(FlatTensor::from_table(table.table()), reporter),
            _ => Ok(()),
        }
    }
}

//! Checks a legacy data file's tables one by one during the verification pass.

use crate::error::OutOfRange;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path, VisitedTable};
use crate::flatbuffer::{Str, Vector};
use crate::ptd::legacy_schema::brief::{LegacyFlatTensor, LegacyNamedData, TensorMetadata};
use crate::rules::{RuleKey, flat_tensor, legacy_flat_tensor as rules};

use super::super::finding::Reporter;
use super::super::layout::{self, StoredLayout};
use super::layout_rules::{Common, LayoutRules};
use super::scratch::LISTS;
use crate::Span;
use crate::names::SeenNames;

#[derive(Clone, Copy)]
pub(super) struct LegacyLayout<'a> {
    tensors: Option<Vector<'a, TensorMetadata<'a>>>,
    named: Option<Vector<'a, LegacyNamedData<'a>>>,
    /// The alignment of tensor offsets in bytes; 0 if the file has none.
    alignment: u32,
}

impl<'a> LegacyLayout<'a> {
    pub(super) fn of(root: LegacyFlatTensor<'a>) -> Self {
        let (tensors, named) = (root.tensors().ok().flatten(), root.named_data().ok().flatten());
        Self { tensors, named, alignment: root.tensor_alignment().unwrap_or(0) }
    }

    fn tensor(
        &self,
        common: &mut Common<'a, '_>,
        tensor: TensorMetadata<'_>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let table = tensor.table();
        match tensor.fully_qualified_name() {
            Ok(None) => reporter.absent(&rules::PTDB_FQN, "fully_qualified_name", table, path)?,
            Ok(Some(name)) => common.name(0, name, path),
            Err(_) => {}
        }
        let referred = tensor.segment_index().map(|index| (index, common.refer(index)));
        let (Ok(scalar_type), Ok(sizes), Ok(dim_order)) = (tensor.scalar_type(), tensor.sizes(), tensor.dim_order())
        else {
            return Ok(());
        };
        let found =
            StoredLayout { table, scalar_type, scalar_slot: 1, sizes: sizes.into(), dim_order: dim_order.into() };
        let bytes = layout::check(&layout::LEGACY, &found, path, reporter)?.bytes;
        let (Ok((index, size)), Ok(offset)) = (referred, tensor.offset()) else { return Ok(()) };
        let size = match size {
            Ok(size) => size,
            Err(count) => {
                let (path, at) = (&path.field("segment_index"), tensor.place("segment_index"));
                let message = format_args!("{}", OutOfRange::new(index, count));
                return reporter.report(&rules::PTDB_SEG_INDEX, path, at, message);
            }
        };
        let (path, at) = (&path.field("offset"), tensor.place("offset"));
        if let (Some(size), Some(bytes)) = (size, bytes) {
            let end = offset.checked_add(bytes);
            if end.is_none_or(|end| end > size) {
                let message =
                    format_args!("offset {offset} + {bytes} bytes exceeds the {size} bytes of segment {index}");
                return reporter.report(&rules::PTDB_OFFSET, path, at, message);
            }
        }
        let alignment = self.alignment.max(1);
        if offset % u64::from(alignment) != 0 {
            let message = format_args!("offset is {offset}, expected a multiple of tensor_alignment {alignment}");
            return reporter.report(&rules::PTDB_OFFSET_ALIGNED, path, at, message);
        }
        if index != 0 {
            let at = tensor.place("segment_index");
            let message = format_args!("the tensor is in segment {index}, expected segment 0");
            return reporter.report(&rules::PTDB_ONE_SEGMENT, path, at, message);
        }
        Ok(())
    }

    fn named_data(
        common: &mut Common<'a, '_>,
        entry: LegacyNamedData<'_>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        if let Ok(key) = entry.key() {
            common.key(1, key.into(), entry.table(), path, reporter)?;
        }
        let Ok(index) = entry.segment_index() else { return Ok(()) };
        let (path, at) = (&path.field("segment_index"), entry.place("segment_index"));
        if let Err(count) = common.refer(index) {
            let message = format_args!("{}", OutOfRange::new(index, count));
            return reporter.report(&flat_tensor::FT_SEG_INDEX, path, at, message);
        }
        if index == 0 {
            let message = format_args!("the blob is in segment 0, expected a segment without tensors");
            return reporter.report(&rules::PTDB_ONE_SEGMENT, path, at, message);
        }
        Ok(())
    }

    fn root(root: LegacyFlatTensor<'_>, reporter: &mut impl Reporter) -> Flow {
        if let Ok(version @ 1..) = root.version() {
            let (path, at) = (&Path::ROOT.field("version"), root.place("version"));
            let message = format_args!("version is {version}, expected 0");
            reporter.report(&flat_tensor::FT_VERSION, path, at, message)?;
        }
        if let Some(alignment) = root.tensor_alignment().ok().filter(|alignment| !alignment.is_power_of_two()) {
            let (path, at) = (&Path::ROOT.field("tensor_alignment"), root.place("tensor_alignment"));
            let message = format_args!("tensor_alignment is {alignment}, expected a power of two");
            reporter.report(&rules::PTDB_ALIGNMENT, path, at, message)?;
        }
        reporter.require(&rules::PTDB_LISTS_NONNULL, "tensors", &root.tensors(), root.table(), &Path::ROOT)?;
        reporter.require(&rules::PTDB_LISTS_NONNULL, "segments", &root.segments(), root.table(), &Path::ROOT)
    }
}

impl<'a> LayoutRules<'a> for LegacyLayout<'a> {
    const COUNT: usize = 2;

    fn list(list: usize) -> (RuleKey, &'static str, &'static str) {
        match list {
            0 => (rules::PTDB_FQN_UNIQUE.key(), "tensors", "fully_qualified_name"),
            _ => (flat_tensor::FT_KEY_UNIQUE.key(), "named_data", "key"),
        }
    }

    fn len(self, list: usize) -> usize {
        match list {
            0 => self.tensors.map_or(0, Vector::len),
            _ => self.named.map_or(0, Vector::len),
        }
    }

    fn name(self, list: usize, index: usize) -> Option<Str<'a>> {
        match list {
            0 => self.tensors?.get(index)?.ok()?.fully_qualified_name().ok()?,
            _ => self.named?.get(index)?.ok()?.key().ok()?,
        }
    }

    fn check_names(self, [tensors, blobs]: &[SeenNames<'_>; LISTS], reporter: &mut impl Reporter) -> Flow {
        let name = |list| move |index| self.name(list, index);
        tensors.common_names(&name(0), blobs, &name(1), &mut |blob, tensor| {
            let place = self.name(1, blob).map_or(Span::new(0, 0), Str::span);
            let message = format_args!("key equals the name of tensors[{tensor}]");
            let path = &Path::ROOT.field("named_data");
            reporter.report(&rules::PTDB_NAME_ONE_LIST, &path.index(blob).field("key"), place, message)
        })
    }

    fn blob_segment(self, index: usize) -> Option<u32> {
        self.named?.get(index)?.ok()?.segment_index().ok()
    }

    fn table(
        &mut self,
        common: &mut Common<'a, '_>,
        id: u8,
        visited: &VisitedTable<'_, 'a>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let table = visited.table();
        match id {
            TensorMetadata::ID => self.tensor(common, TensorMetadata::from_table(table), path, reporter),
            LegacyNamedData::ID => Self::named_data(common, LegacyNamedData::from_table(table), path, reporter),
            LegacyFlatTensor::ID => Self::root(LegacyFlatTensor::from_table(table), reporter),
            _ => Ok(()),
        }
    }
}

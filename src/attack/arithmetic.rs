//! Arithmetic: sums and products that overflow 32 or 64 bits or exceed a limit.

use super::attacks;
use super::base::{Base, BasePart, FrameOf, join, range};
use super::forge::Forge;
use super::offsets::{segment_table, with_bytes};
use super::references::{TensorStorage, list_of, storage_of};
use crate::FileKind::{self, Ptd, PtdLegacy, Pte};
use crate::ScalarType;
use crate::annotate::PartKind;
use crate::flatbuffer::schema::TableView;
use crate::layout::nbytes;
use crate::ptd::legacy_schema::TensorMetadata;
use crate::pte::schema::Tensor;
use crate::rules::{
    constants, flat_tensor, flatbuffer, legacy_flat_tensor as legacy, memory, mutable_data, ptd_header, pte_header,
    segments, tensors,
};

attacks! {
    /// Set a vector's count so that the vector's size wraps to almost 0 in 32-bit arithmetic.
    breaks "arithmetic/vector-wraps": flatbuffer::FB_VECTOR_IN_BOUNDS => |forge| {
        let base = forge.base;
        forge.set_any(base.all(PartKind::Count), |place, random| {
            let width = place.width() as u64;
            let value = (1_u64 << 32) / width + random.below(2);
            (width > 1).then_some(value)
        })
    };
    /// Make a program's `segment_base_offset` + `segment_data_size` overflow 64 bits.
    breaks "arithmetic/program-data-wraps": pte_header::EH_SUM_NO_OVERFLOW => |forge| {
        let frame = forge.frame(Pte)?;
        let size = forge.base.header(&frame, "segment_data_size").filter(|size| *size > 0)?;
        let base = forge.base.header(&frame, "segment_base_offset").filter(|base| *base > 0)?;
        if forge.random.one_in(2) {
            return forge.header(&frame, "segment_base_offset", u64::MAX - size + 1);
        }
        forge.header(&frame, "segment_data_size", u64::MAX - base + 1)
    };
    /// Make a data file's `flatbuffer_offset` + `flatbuffer_size` overflow 64 bits, so that the sum wraps to the old
    /// sum or to 0.
    breaks "arithmetic/data-flatbuffer-wraps": ptd_header::FH_FB_SUM => |forge| {
        let frame = forge.base.data_frame()?;
        let offset = forge.base.header(&frame, "flatbuffer_offset").filter(|offset| *offset > 0)?;
        let end = Some(frame.region_end as u64).filter(|end| *end > 0)?;
        if forge.random.one_in(2) {
            return forge.header(&frame, "flatbuffer_size", u64::MAX - offset + 1);
        }
        forge.header(&frame, "flatbuffer_offset", u64::MAX - end + 1)?;
        forge.header(&frame, "flatbuffer_size", 2 * end)
    };
    /// Make a data file's `segment_base_offset` + `segment_data_size` overflow 64 bits.
    breaks "arithmetic/data-wraps": ptd_header::FH_BASE_DATA_SUM => |forge| {
        forge.set_header(Base::data_frame, "segment_data_size", |base, frame, _| {
            let start = base.header(frame, "segment_base_offset").filter(|start| *start > 0)?;
            Some(u64::MAX - start + 1)
        })
    };
    /// Make the offset plus the size of a program's segment overflow 64 bits.
    breaks "arithmetic/program-segment-wraps": segments::SEG_END_NO_OVERFLOW => |forge| wrap(forge, Base::program_frame);
    /// Make the segment base plus the end of a program's segment overflow 64 bits.
    breaks "arithmetic/program-segment-wraps-with-base": segments::SEG_ABS_NO_OVERFLOW => |forge| {
        wrap_with_base(forge, Base::program_frame)
    };
    /// Make the offset plus the size of a data file's segment overflow 64 bits.
    breaks "arithmetic/data-segment-wraps": flat_tensor::FT_SEG_END_NO_OVERFLOW => |forge| wrap(forge, Base::data_frame);
    /// Make the segment base plus the end of a data file's segment overflow 64 bits.
    breaks "arithmetic/data-segment-wraps-with-base": flat_tensor::FT_SEG_ABS_NO_OVERFLOW => |forge| {
        wrap_with_base(forge, Base::data_frame)
    };
    /// Make a tensor's element count exceed 63 bits.
    breaks "arithmetic/elements-wrap": tensors::T_NUMEL_OVERFLOW => |forge| sizes(forge, Pte, "Tensor", elements);
    /// Make a tensor's byte count overflow 64 bits.
    breaks "arithmetic/bytes-wrap": tensors::T_NBYTES_OVERFLOW => |forge| {
        sizes(forge, Pte, "Tensor", bytes).or_else(|| wide(forge, Pte, "Tensor"))
    };
    /// Make a stride of a static tensor exceed 31 bits.
    breaks "arithmetic/stride-wraps": tensors::T_STRIDE_OVERFLOW => |forge| {
        sizes(forge, Pte, "Tensor", |base, place| {
            let fixed = base.scalar(place, "shape_dynamism") == Some(0);
            fixed.then_some([1 << 16, 1 << 16, 1 << 16])
        })
    };
    /// Make the byte count of a static tensor overflow 32 bits.
    breaks "arithmetic/bytes-wrap-at-32-bits": tensors::T_NBYTES_32BIT, target 32 => |forge| {
        sizes(forge, Pte, "Tensor", |base, place| {
            let fixed = base.scalar(place, "shape_dynamism") == Some(0);
            fixed.then_some([1 << 16, 1 << 16, 1])
        })
    };
    /// Make the element count or byte count of a tensor layout overflow 64 bits.
    breaks "arithmetic/layout-wraps": flat_tensor::FT_LAYOUT_NBYTES => |forge| {
        let choose = if forge.random.one_in(2) { elements } else { bytes };
        sizes(forge, Ptd, "TensorLayout", choose).or_else(|| wide(forge, Ptd, "TensorLayout"))
    };
    /// Make the element count or byte count of a tensor in a legacy data file overflow 64 bits.
    breaks "arithmetic/older-layout-wraps": legacy::PTDB_LAYOUT_NBYTES => |forge| {
        let choose = if forge.random.one_in(2) { elements } else { bytes };
        sizes(forge, PtdLegacy, "TensorMetadata", choose).or_else(|| wide(forge, PtdLegacy, "TensorMetadata"))
    };
    /// Make a tensor layout describe more bytes than its segment contains.
    breaks "arithmetic/layout-too-large": flat_tensor::FT_LAYOUT_FITS_SEGMENT => |forge| {
        let base = forge.base;
        let (place, index) = forge.parts((Ptd, "TensorLayout", "sizes"), PartKind::Elements, |place, random| {
            let count = place.len() / 4;
            let mut all = (0..count).map(|index| base.number(place.at() + 4 * index, 4));
            // Choose small sizes, so that their product fits in 64 bits even after one of them becomes 2^31 - 1.
            let product = all.try_fold(1_u64, u64::checked_mul);
            product.filter(|product| (1..1 << 24).contains(product))?;
            Some((*place, (count > 0).then(|| random.index(count))?))
        })?;
        forge.set_element(&place, index, (1 << 31) - 1)
    };
    /// Make the end of a tensor in a legacy data file overflow 64 bits or exceed its segment.
    breaks "arithmetic/older-offset": legacy::PTDB_OFFSET => |forge| {
        let base = forge.base;
        forge.assign_any(PtdLegacy, "TensorMetadata", "offset", |place, random| {
            let tensor = TensorMetadata::from_table(base.table(place)?);
            let bytes = nbytes(tensor.scalar_type().ok()?, tensor.sizes().ok()??).ok().filter(|bytes| *bytes > 0)?;
            let size = base.segment_size(&place.frame, tensor.segment_index().ok()?.into())?;
            Some(if random.one_in(2) { u64::MAX - bytes + 1 } else { (size + 1).checked_sub(bytes)? })
        })
    };
    /// Set the tensor alignment of a legacy data file to a power of two that does not divide a tensor's offset.
    preserves "arithmetic/older-alignment" => |forge| {
        let base = forge.base;
        let tensors = base.column(PtdLegacy, "TensorMetadata", "", PartKind::Table);
        forge.any(tensors, |place, _| base.scalar(place, "offset").filter(|offset| *offset > 0))?;
        forge.assign_any(PtdLegacy, "LegacyFlatTensor", "tensor_alignment", |_, _| Some(1 << 31))
    };
    /// Move a constant's offset past the end of the constant segment.
    breaks "arithmetic/constant-offset": constants::CONST_OFFSET_BOUND => |forge| {
        offset(forge, TensorStorage::Constant)
    };
    /// Move an initial value's offset past the end of its segment.
    breaks "arithmetic/initial-value-offset": mutable_data::MUT_BOUND => |forge| {
        offset(forge, TensorStorage::Mutable)
    };
    /// Make a planned tensor's offset plus its size overflow 64 bits.
    breaks "arithmetic/planned-offset-wraps": memory::MEM_OFFSET_NO_OVERFLOW => |forge| {
        let (place, _, _) = planned(forge)?;
        forge.assign_all(&place, &[("memory_offset_high", u32::MAX.into()), ("memory_offset_low", u32::MAX.into())])
    };
    /// Move a planned tensor past the end of its buffer.
    breaks "arithmetic/planned-offset": memory::MEM_IN_BUFFER => |forge| {
        let (place, _, size) = planned(forge)?;
        let low = size.checked_next_multiple_of(16).filter(|low| u32::try_from(*low).is_ok())?;
        forge.assign_all(&place, &[("memory_offset_low", low), ("memory_offset_high", 0)])
    };
    /// Move a planned tensor to an offset of 2^32 or more.
    breaks "arithmetic/planned-offset-above-32-bits": memory::MEM_OFFSET_64, target 32 => |forge| {
        forge.assign_any(Pte, "AllocationDetails", "memory_offset_high", |_, random| Some(1 + random.below(16)))
    };
}

fn wrap(forge: &mut Forge<'_>, frame: FrameOf) -> Option<()> {
    let (frame, segment) = with_bytes(forge, frame)?;
    let table = segment_table(forge.base, &frame, segment.index)?;
    if segment.offset > 0 && forge.random.one_in(2) {
        return forge.assign(&table, "size", u64::MAX - segment.offset + 1);
    }
    forge.assign(&table, "offset", u64::MAX - segment.size + 1)
}

fn wrap_with_base(forge: &mut Forge<'_>, frame: FrameOf) -> Option<()> {
    let (frame, segment) = with_bytes(forge, frame)?;
    let base = forge.base.data(&frame)?.base;
    let table = segment_table(forge.base, &frame, segment.index)?;
    let less = forge.random.below(base);
    forge.assign(&table, "offset", u64::MAX - segment.size - less)
}

/// Chooses three new sizes for a tensor.
type ChooseSizes = fn(&Base, &BasePart<'_>) -> Option<[u64; 3]>;

/// Sets up to three of a tensor's sizes to the chosen values, and all others to 1.
fn sizes(forge: &mut Forge<'_>, kind: FileKind, owner: &'static str, choose: ChooseSizes) -> Option<()> {
    let base = forge.base;
    let (place, values) = forge.tables(kind, owner, |place, _| {
        let sizes = base.find(&join(&place.entry.path, "sizes"), PartKind::Elements)?;
        let values = choose(base, place)?;
        let wanted = values.iter().filter(|value| **value > 1).count();
        (sizes.len() / 4 >= wanted).then_some((sizes, values))
    })?;
    let count = place.len() / 4;
    let start = forge.random.index(count);
    let all = (0..count).map(|index| values.get((index + count - start) % count).copied().unwrap_or(1));
    let bytes: alloc::vec::Vec<u8> = all.flat_map(|value| value.to_le_bytes().into_iter().take(4)).collect();
    debug_assert_eq!(bytes.len(), range(place.entry.span).len());
    forge.put(&place.entry.path, place.at(), &bytes)
}

/// The product exceeds 63 bits.
#[allow(clippy::unnecessary_wraps, reason = "every function of type `ChooseSizes` returns an `Option`")]
fn elements(_: &Base, _: &BasePart<'_>) -> Option<[u64; 3]> {
    Some([(1 << 31) - 1, (1 << 31) - 1, (1 << 31) - 1])
}

/// The product fits in 64 bits, but the byte count does not.
fn bytes(base: &Base, place: &BasePart<'_>) -> Option<[u64; 3]> {
    let number = base.scalar(place, "scalar_type").and_then(|number| i8::try_from(number).ok())?;
    match ScalarType(number).element_size()? {
        4 => Some([1 << 30, 1 << 30, 4]),
        8 => Some([(1 << 31) - 1, (1 << 31) - 1, 1]),
        16 => Some([1 << 30, 1 << 30, 1]),
        _ => None,
    }
}

/// Sets both sizes of a two-dimensional tensor to 2^31 - 1 and its scalar type to `DOUBLE`.
fn wide(forge: &mut Forge<'_>, kind: FileKind, owner: &'static str) -> Option<()> {
    let base = forge.base;
    let (table, sizes) = forge.tables(kind, owner, |place, _| {
        let sizes = base.find(&join(&place.entry.path, "sizes"), PartKind::Elements)?;
        let typed = base.has(place, "scalar_type") || super::forge::reach(place).is_some();
        (typed && sizes.len() == 8).then_some((*place, sizes))
    })?;
    forge.set_element(&sizes, 0, (1 << 31) - 1)?;
    forge.set_element(&sizes, 1, (1 << 31) - 1)?;
    forge.assign(&table, "scalar_type", ScalarType::DOUBLE.0.cast_unsigned().into())
}

/// Moves the offset of a used constant or initial value past the end of its segment.
fn offset(forge: &mut Forge<'_>, wanted: TensorStorage) -> Option<()> {
    let base = forge.base;
    let (place, index, value) = forge.tables(Pte, "Tensor", |place, random| {
        let (tensor, storage) = storage_of(base, place).filter(|(_, storage)| *storage == wanted)?;
        let table = match storage {
            TensorStorage::Mutable => alloc::format!("mutable_data_segments[{}]", list_of(tensor)?),
            _ => "constant_segment".into(),
        };
        let table = base.find(&place.frame.path(&table), PartKind::Table)?;
        let offsets = base.find(&join(&table.entry.path, "offsets"), PartKind::Elements)?;
        let size = base.segment_size(&place.frame, base.scalar(&table, "segment_index")?)?;
        let index = Some(tensor.data_buffer_idx().ok()? as usize).filter(|index| *index < offsets.len() / 8)?;
        Some((offsets, index, if random.one_in(2) { size + 1 } else { u64::MAX - random.below(8) }))
    })?;
    forge.set_element(&place, index, value)
}

/// Returns the `allocation_info` of a nonempty planned tensor, and the byte counts of the tensor and of its buffer.
fn planned<'b>(forge: &mut Forge<'b>) -> Option<(BasePart<'b>, u64, u64)> {
    let base = forge.base;
    forge.tables(Pte, "Tensor", |place, _| {
        let tensor = Tensor::from_table(base.table(place)?);
        let bytes = nbytes(tensor.scalar_type().ok()?, tensor.sizes().ok()??).ok().filter(|bytes| *bytes > 0)?;
        let info = base.find(&join(&place.entry.path, "allocation_info"), PartKind::Table)?;
        let id = usize::try_from(base.scalar(&info, "memory_id")?).ok()?;
        let (plan, _) = base.plan(place)?;
        let size = u64::try_from(plan.non_const_buffer_sizes().ok()??.get(id)?).ok()?;
        let known = base.has(&info, "memory_offset_low") && base.has(&info, "memory_offset_high");
        (known || super::forge::reach(&info).is_some()).then_some((info, bytes, size))
    })
}

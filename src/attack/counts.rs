//! Counts: wrong, huge or negative lengths of vectors, strings, headers and segments.

use alloc::vec::Vec;

use super::attacks;
use super::base::{Base, BasePart, Frame, FrameOf, has_method, join};
use super::forge::{Column, Forge};
use super::offsets::{MOVE, segment_table, with_bytes};
use super::references::element_where;
use crate::FileKind::{Bpte, Ptd, PtdLegacy, Pte};
use crate::annotate::PartKind;
use crate::flatbuffer::schema::TableView;
use crate::layout::{KERNEL_KEY_LIMIT, nbytes};
use crate::pte::schema::KernelTypes;
use crate::pte::signatures;
use crate::random::Random;
use crate::rules::{
    bundled, constants, flat_tensor, flatbuffer, instructions, legacy_flat_tensor as legacy, program, ptd_header,
    pte_header, segments, tensors,
};

// A tensor's sizes and dimension order in each format.
const SIZES: Column = (Pte, "Tensor", "sizes");
const LAYOUT_SIZES: Column = (Ptd, "TensorLayout", "sizes");
const OLDER_SIZES: Column = (PtdLegacy, "TensorMetadata", "sizes");
const ORDER: Column = (Pte, "Tensor", "dim_order");
const LAYOUT_ORDER: Column = (Ptd, "TensorLayout", "dim_order");
const OLDER_ORDER: Column = (PtdLegacy, "TensorMetadata", "dim_order");

attacks! {
    /// Set a vector's or string's count to one more than what fits in the FlatBuffer, or near 2^31 or 2^32.
    breaks "counts/huge": flatbuffer::FB_VECTOR_IN_BOUNDS => |forge| {
        let base = forge.base;
        forge.set_any(base.all(PartKind::Count), |place, random| {
            let left = base.region(&place.frame).len().checked_sub(place.local() + 4)?;
            let just = (left / place.width() + 1) as u64;
            random.pick(&[just, (1 << 31) - 1, 1 << 31, (1 << 32) - 1]).copied()
        })
    };
    /// Decrease a string's count by 1, so that a character takes the place of the NUL terminator.
    breaks "counts/string-shorter": flatbuffer::FB_STRING_NUL => |forge| {
        let base = forge.base;
        let (place, value) = forge.any(base.all(PartKind::Terminator), |place, _| {
            let count = base.find(&place.entry.path, PartKind::Count)?;
            let value = base.number(count.at(), 4).checked_sub(1)?;
            (base.number(place.at() - 1, 1) != 0).then_some((count, value))
        })?;
        forge.set(&place, value)
    };
    /// Overwrite a string's NUL terminator.
    breaks "counts/string-unterminated": flatbuffer::FB_STRING_NUL => |forge| {
        forge.set_any(forge.base.all(PartKind::Terminator), |_, random| Some(random.within(1..=255)))
    };
    /// Decrease or increase a vector's or string's count by 1.
    unknown "counts/another" => |forge| {
        let base = forge.base;
        forge.set_any(base.all(PartKind::Count), |place, random| {
            let was = base.number(place.at(), 4);
            if random.one_in(2) { was.checked_sub(1) } else { Some(was + 1) }
        })
    };
    /// Set the count of a method's list of chains to 0.
    breaks "counts/no-chains": program::PLAN_CHAINS => |forge| {
        recount(forge, (Pte, "ExecutionPlan", "chains"), |_, _, was, _| (was > 0).then_some(0))
    };
    /// Remove the last argument from a call to an operator in the runtime's own namespace, `executorch_prim`.
    breaks "counts/arguments": instructions::INS_ARITY => |forge| {
        recount(forge, (Pte, "KernelCall", "args"), |base, place, was, _| {
            let (call, _) = place.entry.path.rsplit_once('.')?;
            signatures::find(super::semantics::operator_of(base, &base.find(call, PartKind::Table)?)?)?;
            was.checked_sub(1)
        })
    };
    /// Give a called operator a name of 100 bytes or more.
    breaks "counts/operator-name": instructions::INS_OP_NAME => |forge| {
        let base = forge.base;
        let place = forge.tables(Pte, "Operator", |place, _| {
            let fits = place.frame.whole && base.has(place, "name") && super::semantics::is_called(base, place);
            fits.then_some(*place)
        })?;
        let len = 100 + forge.random.index(2000);
        forge.attach(&place, "name", &super::duplicates::string(&alloc::vec![b'a'; len]))
    };
    /// Give a call so many tensors that its kernel's lookup key is too long.
    breaks "counts/kernel-key": instructions::INS_KERNEL_KEY => |forge| {
        let base = forge.base;
        let (place, tensor) = forge.tables(Pte, "KernelCall", |place, random| {
            let fits = place.frame.whole && base.has(place, "args");
            let tensor = super::semantics::value(base, place, random, |_, value| {
                value.val_type() == Ok(KernelTypes::Tensor)
            });
            Some((*place, u32::try_from(tensor.filter(|_| fits)?).ok()?))
        })?;
        // Each tensor adds at least one byte to the key.
        let count = u32::try_from(KERNEL_KEY_LIMIT).ok()?;
        let words = core::iter::once(count).chain(core::iter::repeat_n(tensor, KERNEL_KEY_LIMIT));
        forge.attach(&place, "args", &words.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
    };
    /// Make a size of a tensor negative.
    breaks "counts/negative-size": tensors::T_SIZES_NONNEG => |forge| element_where(forge, SIZES, negative);
    /// Make a size in a tensor layout negative.
    breaks "counts/negative-layout-size": flat_tensor::FT_LAYOUT_SIZES_NONNEG => |forge| {
        element_where(forge, LAYOUT_SIZES, negative)
    };
    /// Make a size of a tensor in a legacy data file negative.
    breaks "counts/negative-older-size": legacy::PTDB_LAYOUT_SIZES_NONNEG => |forge| {
        element_where(forge, OLDER_SIZES, negative)
    };
    /// Make the size of a planned buffer negative.
    breaks "counts/negative-buffer": program::PLAN_NCB => |forge| {
        let base = forge.base;
        let (place, index, value) =
            forge.parts((Pte, "ExecutionPlan", "non_const_buffer_sizes"), PartKind::Elements, |place, random| {
                let count = place.len() / 8;
                let index = (count > 1).then(|| 1 + random.index(count - 1))?;
                Some((*place, index, negative(base, place, random)?))
            })?;
        forge.set_element(&place, index, value)
    };
    /// Give a tensor more than 16 dimensions.
    breaks "counts/rank": tensors::T_RANK_MAX => |forge| recount(forge, SIZES, rank);
    /// Give a tensor layout more than 16 dimensions.
    breaks "counts/layout-rank": flat_tensor::FT_LAYOUT_RANK => |forge| recount(forge, LAYOUT_SIZES, rank);
    /// Give a tensor in a legacy data file more than 16 dimensions.
    breaks "counts/older-rank": legacy::PTDB_LAYOUT_RANK => |forge| recount(forge, OLDER_SIZES, rank);
    /// Make a tensor's `dim_order` shorter or longer than its sizes.
    breaks "counts/dim-order": tensors::T_DIMORDER_LEN => |forge| recount(forge, ORDER, another);
    /// Make a tensor layout's `dim_order` shorter or longer than its sizes.
    breaks "counts/layout-dim-order": flat_tensor::FT_LAYOUT_RANK => |forge| recount(forge, LAYOUT_ORDER, another);
    /// Make the `dim_order` of a tensor in a legacy data file shorter or longer than its sizes.
    breaks "counts/older-dim-order": legacy::PTDB_LAYOUT_RANK => |forge| recount(forge, OLDER_ORDER, another);
    /// Set a program's header length below the minimum.
    breaks "counts/program-header": pte_header::EH_LENGTH_MIN => |forge| {
        forge.set_header(Base::program_frame, "length", |_, _, random| Some(random.below(24)))
    };
    /// Increase a program's header length; readers ignore the additional fields.
    preserves "counts/program-header-of-the-future" => |forge| {
        forge.set_header(Base::program_frame, "length", |base, frame, random| {
            let was = base.header(frame, "length").filter(|was| (32..1 << 31).contains(was))?;
            Some(if random.one_in(2) { u64::from(u32::MAX) - random.below(8) } else { was + 8 })
        })
    };
    /// Set a data file's header length below the minimum.
    breaks "counts/data-header": ptd_header::FH_LENGTH => |forge| {
        forge.set_header(Base::data_frame, "length", |_, _, random| Some(random.below(40)))
    };
    /// Set a data file's header length above 40, the length that writers use.
    preserves "counts/data-header-of-the-future" => |forge| {
        forge.set_header(Base::data_frame, "length", |_, _, random| Some(41 + random.below(64)))
    };
    /// Set `program_size` below the minimum or above the file's length.
    breaks "counts/program-size": pte_header::EH_PROGRAM_SIZE_RANGE => |forge| {
        forge.set_header(Base::program_frame, "program_size", |_, frame, random| {
            random.pick(&[0, 7, frame.len() + 1, 1 << 32, u64::MAX]).copied()
        })
    };
    /// Set `program_size` so that the program ends inside its header.
    breaks "counts/program-size-in-header": pte_header::EH_PROGRAM_SIZE_INCLUDES_HEADER => |forge| {
        forge.set_header(Base::program_frame, "program_size", |_, _, random| Some(random.within(8..=31)))
    };
    /// Set a program's `segment_data_size` so that the segment data ends past the file.
    breaks "counts/program-data": pte_header::EH_SUM_LE_FILE => |forge| {
        forge.set_header(Base::program_frame, "segment_data_size", |base, frame, random| {
            let start = base.header(frame, "segment_base_offset").filter(|start| *start > 0)?;
            past_end(frame, start, random)
        })
    };
    /// Set a data file's `flatbuffer_size` so that the FlatBuffer ends past the file.
    breaks "counts/data-flatbuffer": ptd_header::FH_FB_SUM => |forge| {
        forge.set_header(Base::data_frame, "flatbuffer_size", |base, frame, random| {
            past_end(frame, base.header(frame, "flatbuffer_offset")?, random)
        })
    };
    /// Set a data file's `segment_data_size` so that the segment data ends past the file.
    breaks "counts/data": ptd_header::FH_BASE_DATA_SUM => |forge| {
        forge.set_header(Base::data_frame, "segment_data_size", |base, frame, random| {
            past_end(frame, base.header(frame, "segment_base_offset")?, random)
        })
    };
    /// Extend a program's segment past the end of its segment data.
    breaks "counts/program-segment": segments::SEG_WITHIN_DATA => |forge| segment(forge, Base::program_frame);
    /// Extend a data file's segment past the end of its segment data.
    breaks "counts/data-segment": flat_tensor::FT_SEG_BOUND => |forge| segment(forge, Base::data_frame);
    /// Make a data file's segment smaller than the tensor in it.
    breaks "counts/segment-of-layout": flat_tensor::FT_LAYOUT_FITS_SEGMENT => |forge| {
        let frame = forge.frame(Ptd)?;
        let base = forge.base;
        let (place, value) = forge.tables(Ptd, "NamedData", |place, random| {
            let entry = crate::ptd::schema::NamedData::from_table(base.table(place)?);
            let layout = entry.tensor_layout().ok()??;
            let bytes = nbytes(layout.scalar_type().ok()?, layout.sizes().ok()??).ok()?;
            let index = usize::try_from(entry.segment_index().ok()?).ok()?;
            let less = bytes.checked_sub(1)?;
            Some((segment_table(base, &frame, index)?, if random.one_in(2) { less } else { random.below(less + 1) }))
        })?;
        forge.assign(&place, "size", value)
    };
    /// Make a constant buffer smaller than the tensor that uses it.
    breaks "counts/inline-constant": constants::CONST_BUFFER_LEGACY => |forge| {
        let base = forge.base;
        let tensors = base.column(Pte, "Tensor", "", PartKind::Table);
        let (place, value) = forge.any(tensors, |place, _| {
            let (tensor, storage) = super::references::storage_of(base, place)?;
            if storage != super::references::TensorStorage::Constant {
                return None;
            }
            let bytes = nbytes(tensor.scalar_type().ok()?, tensor.sizes().ok()??).ok()?;
            let index = tensor.data_buffer_idx().ok()?;
            let path = place.frame.path(&alloc::format!("constant_buffer[{index}].storage"));
            Some((base.find(&path, PartKind::Count)?, bytes.checked_sub(1)?))
        })?;
        forge.set(&place, value)
    };
    /// Make a bundled program's inner program shorter than 12 bytes.
    breaks "counts/bundled-program": bundled::BP_PROGRAM => |forge| {
        let inner = forge.base.frames().iter().copied().find(|frame| !frame.whole)?;
        let value = forge.random.below(12);
        forge.number("program", inner.start - 4, 4, value)
    };
    /// Remove the last input of a bundled test case.
    breaks "counts/bundled-inputs": bundled::BP_INPUT_ARITY => |forge| {
        recount(forge, (Bpte, "BundledMethodTestCase", "inputs"), |base, place, was, _| {
            has_method(base, &place.entry.path)?;
            was.checked_sub(1)
        })
    };
    /// Make a bundled tensor's data shorter than its sizes require.
    breaks "counts/bundled-tensor": bundled::BP_TENSOR_DATA => |forge| {
        let base = forge.base;
        let (place, value) = forge.tables(Bpte, "Tensor", |place, random| {
            let tensor = crate::bundled::schema::Tensor::from_table(base.table(place)?);
            let bytes = nbytes(tensor.scalar_type().ok()?, tensor.sizes().ok()??).ok()?;
            let count = base.find(&join(&place.entry.path, "data"), PartKind::Count)?;
            (bytes > 0).then(|| (count, random.below(bytes)))
        })?;
        forge.set(&place, value)
    };
}

pub(super) fn recount(
    forge: &mut Forge<'_>,
    (kind, owner, field): Column,
    value: impl Fn(&Base, &BasePart<'_>, u64, &mut Random) -> Option<u64>,
) -> Option<()> {
    let base = forge.base;
    forge.set_any(base.column(kind, owner, field, PartKind::Count), |place, random| {
        value(base, place, base.number(place.at(), 4), random)
    })
}

#[allow(clippy::unnecessary_wraps, reason = "`element_where` requires an `Option`")]
fn negative(_: &Base, place: &BasePart<'_>, random: &mut Random) -> Option<u64> {
    let lowest = 1 << (8 * place.width() - 1);
    Some(if random.one_in(2) { u64::MAX - random.below(4) } else { lowest })
}

/// Returns a rank above 16 with which the vector still ends inside the FlatBuffer.
fn rank(base: &Base, place: &BasePart<'_>, _: u64, random: &mut Random) -> Option<u64> {
    let left = base.region(&place.frame).len().checked_sub(place.local() + 4)? / place.width();
    (left > 16).then(|| random.within(17..=left.min(64) as u64))
}

/// Returns one more or one less than the old count, or `None` if the vector would end past the FlatBuffer.
fn another(base: &Base, place: &BasePart<'_>, was: u64, random: &mut Random) -> Option<u64> {
    let left = base.region(&place.frame).len().checked_sub(place.local() + 4)? as u64;
    if random.one_in(2) && was > 0 { Some(was - 1) } else { Some(was + 1).filter(|now| *now <= left) }
}

/// Returns a size that makes data beginning at `start` end past the frame.
fn past_end(frame: &Frame, start: u64, random: &mut Random) -> Option<u64> {
    let left = frame.len().checked_sub(start)?;
    Some(if random.one_in(2) { left + 1 } else { u64::MAX - start })
}

fn segment(forge: &mut Forge<'_>, frame: FrameOf) -> Option<()> {
    let (frame, segment) = with_bytes(forge, frame)?;
    let data = forge.base.data(&frame)?;
    // Limit the new size: if the sum of the segment base, the segment's offset and its size overflows, the file breaks
    // another rule.
    let most = u64::MAX - data.base - segment.offset - MOVE;
    let near = data.bound - segment.offset + 1;
    let value = if forge.random.one_in(2) { near } else { most };
    let table = segment_table(forge.base, &frame, segment.index)?;
    forge.assign(&table, "size", value)
}

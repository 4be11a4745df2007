//! References: invalid indices, such as -1, the length of the list, or the largest 32-bit integer.

use super::attacks;
use super::base::{Base, BasePart, join};
use super::forge::{Column, Forge};
use crate::FileKind::{self, Ptd, PtdLegacy, Pte};
use crate::annotate::PartKind;
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::pte::schema::{Program, Tensor, TensorDataLocation};
use crate::random::Random;
use crate::rules::{
    Rule, constants, delegates, flat_tensor, instructions, legacy_flat_tensor as legacy, memory, mutable_data,
    named_data, program, tensors, values,
};

attacks! {
    /// Set the operator index of a kernel call out of range.
    breaks "references/operator": instructions::INS_OP_INDEX => |forge| {
        of_plan(forge, "KernelCall", "op_index", "operators")
    };
    /// Set the delegate index of a delegate call out of range.
    breaks "references/delegate": instructions::INS_DELEGATE_INDEX => |forge| {
        of_plan(forge, "DelegateCall", "delegate_index", "delegates")
    };
    /// Set the value index of a call's argument out of range.
    breaks "references/argument": instructions::INS_ARG_RANGE => |forge| {
        let owner = *forge.random.pick(&["KernelCall", "DelegateCall"])?;
        element_of_plan(forge, owner, "args")
    };
    /// Set the source or destination index of a move instruction out of range.
    breaks "references/move": instructions::INS_MOVE_RANGE => |forge| {
        let field = *forge.random.pick(&["move_from", "move_to"])?;
        of_plan(forge, "MoveCall", field, "values")
    };
    /// Set the value index of a FreeCall out of range.
    breaks "references/free": instructions::INS_FREE_RANGE => |forge| {
        of_plan(forge, "FreeCall", "value_index", "values")
    };
    /// Set the condition index of a jump instruction out of range.
    breaks "references/jump-condition": instructions::INS_JUMP_COND_RANGE => |forge| {
        of_plan(forge, "JumpFalseCall", "cond_value_index", "values")
    };
    /// Set a jump instruction's destination to a negative index or past the end of the chain.
    breaks "references/jump-destination": instructions::INS_JUMP_DEST => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "JumpFalseCall", "destination_instruction", |place, random| {
            let (chain, _) = place.entry.path.rsplit_once(".instructions[")?;
            // A destination equal to the number of instructions is valid and ends the chain.
            Some(wild(random, base.count(&join(chain, "instructions"))? + 1))
        })
    };
    /// Set the value index of an input or output out of range.
    breaks "references/input-or-output": program::PLAN_IO_RANGE => |forge| {
        let field = *forge.random.pick(&["inputs", "outputs"])?;
        element_of_plan(forge, "ExecutionPlan", field)
    };
    /// Assign a device to a nonexistent planned buffer.
    breaks "references/device": program::PLAN_NCB_DEVICE => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "NonConstBufferDevice", "buffer_idx", |place, random| {
            let count = base.plan_count(place, "non_const_buffer_sizes")?;
            Some(if random.one_in(4) { 0 } else { wild(random, count) })
        })
    };
    /// Set the value index of an IntList item out of range.
    breaks "references/int-list": values::VAL_INTLIST_INDICES => |forge| element_of_plan(forge, "IntList", "items");
    /// Set the value index of a TensorList item out of range.
    breaks "references/tensor-list": values::VAL_TENSORLIST_INDICES => |forge| {
        element_of_plan(forge, "TensorList", "items")
    };
    /// Set the value index of an OptionalTensorList item out of range, but not to -1, which is valid.
    breaks "references/optional-tensor-list": values::VAL_OPTTENSORLIST_INDICES => |forge| {
        element_where(forge, (Pte, "OptionalTensorList", "items"), |base, place, random| {
            let count = base.plan_count(place, "values")?;
            let rest = [count, (1 << 31) - 1, 1 << 31, (1_u64 << 32) - 2];
            random.pick(&rest).copied()
        })
    };
    /// Set the buffer id of a planned tensor to 0 or out of range.
    breaks "references/planned-buffer": memory::MEM_ID_RANGE => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "AllocationDetails", "memory_id", |place, random| {
            let count = base.plan_count(place, "non_const_buffer_sizes")?;
            Some(if random.one_in(4) { 0 } else { wild(random, count) })
        })
    };
    /// Set the segment index of the constant segment out of range.
    breaks "references/constant-segment": constants::CONST_SEG_INDEX => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "SubsegmentOffsets", "segment_index", |place, random| {
            let constant = place.entry.path == place.frame.path("constant_segment");
            let used = base.count(&join(&place.entry.path, "offsets")).filter(|count| constant && *count > 1);
            used.and_then(|_| base.count(&place.frame.path("segments"))).map(|count| wild(random, count))
        })
    };
    /// Set the segment index of a mutable data segment out of range.
    breaks "references/mutable-segment": mutable_data::MUT_SEG_INDEX => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "SubsegmentOffsets", "segment_index", |place, random| {
            let mutable = place.entry.path.ends_with(']') && is_used(base, place);
            mutable.then(|| base.count(&place.frame.path("segments")))?.map(|count| wild(random, count))
        })
    };
    /// Set the index of a tensor's constant in the constant segment out of range.
    breaks "references/constant": constants::CONST_BUFFER_IDX => |forge| {
        constant(forge, &constants::CONST_BUFFER_IDX)
    };
    /// Set the index of a tensor's constant buffer out of range.
    breaks "references/inline-constant": constants::CONST_BUFFER_LEGACY => |forge| {
        constant(forge, &constants::CONST_BUFFER_LEGACY)
    };
    /// Set the index of a tensor's initial value out of range.
    breaks "references/initial-value": mutable_data::MUT_IDX_RANGE => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "Tensor", "data_buffer_idx", |place, random| {
            let (found, storage) = storage_of(base, place)?;
            let list = base.program(&place.frame)?.mutable_data_segments().ok()??.get(0)?.ok()?;
            let count = list.offsets().ok()??.len() as u64;
            (storage == TensorStorage::Mutable && list_of(found) == Some(0)).then(|| wild(random, count))
        })
    };
    /// Set the index of a tensor's mutable data segment out of range.
    breaks "references/initial-values": mutable_data::MUT_IDX_RANGE => |forge| {
        let base = forge.base;
        let tensors = base.column(Pte, "Tensor", "", PartKind::Table);
        let (place, value) = forge.any(tensors, |place, random| {
            let mutable = storage_of(base, place)?.1 == TensorStorage::Mutable;
            let extra = base.find(&join(&place.entry.path, "extra_tensor_info"), PartKind::Table).filter(|_| mutable)?;
            let there = base.has(&extra, "mutable_data_segments_idx") || super::forge::reach(&extra).is_some();
            let count = base.count(&place.frame.path("mutable_data_segments"))?;
            there.then(|| (extra, if random.one_in(2) { count } else { u64::MAX }))
        })?;
        forge.assign(&place, "mutable_data_segments_idx", value)
    };
    /// Set the segment index of a program's named data out of range.
    breaks "references/program-key": named_data::ND_SEG_INDEX => |forge| {
        segment(forge, Pte, "NamedData", "segment_index")
    };
    /// Set the index of a delegate's inline blob out of range.
    breaks "references/inline-blob": delegates::DEL_INLINE_INDEX => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "BackendDelegateDataReference", "index", |place, random| {
            let inline = base.scalar(place, "location") == Some(0);
            inline.then(|| base.count(&place.frame.path("backend_delegate_data")))?.map(|count| wild(random, count))
        })
    };
    /// Set the segment index of a delegate's blob out of range.
    breaks "references/delegate-segment": delegates::DEL_SEGMENT_INDEX => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "BackendDelegateDataReference", "index", |place, random| {
            let segment = base.scalar(place, "location") == Some(1);
            segment.then(|| base.count(&place.frame.path("segments")))?.map(|count| wild(random, count))
        })
    };
    /// Set the segment index of an entry in a data file out of range.
    breaks "references/data-key": flat_tensor::FT_SEG_INDEX => |forge| {
        segment(forge, Ptd, "NamedData", "segment_index")
            .or_else(|| segment(forge, PtdLegacy, "LegacyNamedData", "segment_index"))
    };
    /// Set the segment index of a tensor in a legacy data file out of range.
    breaks "references/older-tensor": legacy::PTDB_SEG_INDEX => |forge| {
        segment(forge, PtdLegacy, "TensorMetadata", "segment_index")
    };
    /// Set an entry of a tensor's `dim_order` to a repeated or invalid dimension.
    breaks "references/dim-order": tensors::T_DIMORDER_PERM => |forge| dimension(forge, Pte, "Tensor");
    /// Set an entry of a tensor layout's `dim_order` to a repeated or invalid dimension.
    breaks "references/layout-dim-order": flat_tensor::FT_LAYOUT_PERM => |forge| dimension(forge, Ptd, "TensorLayout");
    /// Set an entry of a `dim_order` in a legacy data file to a repeated or invalid dimension.
    breaks "references/older-dim-order": legacy::PTDB_LAYOUT_PERM => |forge| {
        dimension(forge, PtdLegacy, "TensorMetadata")
    };
    /// Set an entry of a bundled tensor's `dim_order` to a repeated or invalid dimension.
    breaks "references/bundled-dim-order": crate::rules::bundled::BP_TENSOR_DATA => |forge| {
        dimension(forge, FileKind::Bpte, "Tensor")
    };
    /// Increase or decrease an index by 1.
    unknown "references/another" => |forge| {
        let (owner, field) = *forge.random.pick(&INDEXES)?;
        let base = forge.base;
        forge.set_any(base.column(Pte, owner, field, PartKind::Scalar), |place, random| {
            let was = base.number(place.at(), place.len());
            if random.one_in(2) { was.checked_sub(1) } else { Some(was + 1) }
        })
    };
}

const INDEXES: [(&str, &str); 8] = [
    ("KernelCall", "op_index"),
    ("MoveCall", "move_from"),
    ("FreeCall", "value_index"),
    ("JumpFalseCall", "destination_instruction"),
    ("Tensor", "data_buffer_idx"),
    ("AllocationDetails", "memory_id"),
    ("NamedData", "segment_index"),
    ("BackendDelegateDataReference", "index"),
];

pub(super) fn wild(random: &mut Random, count: u64) -> u64 {
    match random.below(4) {
        0 => u64::MAX,
        1 => count,
        2 => (1 << 31) - 1,
        _ => 1 << 31,
    }
}

fn of_plan(forge: &mut Forge<'_>, owner: &'static str, field: &'static str, list: &str) -> Option<()> {
    let base = forge.base;
    forge.assign_any(Pte, owner, field, |place, random| {
        let count = base.plan_count(place, list)?;
        Some(wild(random, count))
    })
}

fn element_of_plan(forge: &mut Forge<'_>, owner: &'static str, field: &'static str) -> Option<()> {
    element_where(forge, (Pte, owner, field), |base, place, random| {
        let count = base.plan_count(place, "values")?;
        Some(wild(random, count))
    })
}

pub(super) fn element_where(
    forge: &mut Forge<'_>,
    column: Column,
    value: impl Fn(&Base, &BasePart<'_>, &mut Random) -> Option<u64>,
) -> Option<()> {
    let base = forge.base;
    let (place, index, value) = forge.parts(column, PartKind::Elements, |place, random| {
        let count = place.len() / place.width();
        let index = (count > 0).then(|| random.index(count))?;
        Some((*place, index, value(base, place, random)?))
    })?;
    forge.set_element(&place, index, value)
}

fn segment(forge: &mut Forge<'_>, kind: FileKind, owner: &'static str, field: &'static str) -> Option<()> {
    let base = forge.base;
    forge.assign_any(kind, owner, field, |place, random| {
        let count = base.count(&place.frame.path("segments"))?;
        Some(wild(random, count))
    })
}

fn dimension(forge: &mut Forge<'_>, kind: FileKind, owner: &'static str) -> Option<()> {
    let base = forge.base;
    let (place, index, value) = forge.parts((kind, owner, "dim_order"), PartKind::Elements, |place, random| {
        let rank = place.len();
        let index = (rank > 0).then(|| random.index(rank))?;
        let was = base.number(place.at() + index, 1);
        let another = (was + 1) % rank as u64;
        let value = match random.below(3) {
            0 => 0xff,
            1 if another != was => another,
            _ => rank as u64,
        };
        Some((*place, index, value))
    })?;
    forge.set_element(&place, index, value)
}

/// The kind of data that the program stores for a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TensorStorage {
    Constant,
    Mutable,
}

/// `None` if the program stores no data for the tensor.
pub(super) fn storage_of<'b>(base: &'b Base, place: &BasePart<'_>) -> Option<(Tensor<'b>, TensorStorage)> {
    let tensor = Tensor::from_table(base.table(place)?);
    let extra = tensor.extra_tensor_info().ok()?;
    let external = extra.is_some_and(|extra| extra.location() == Ok(TensorDataLocation::EXTERNAL));
    if external || tensor.data_buffer_idx() == Ok(0) {
        return None;
    }
    let planned = tensor.allocation_info().ok()?.is_some();
    Some((tensor, if planned { TensorStorage::Mutable } else { TensorStorage::Constant }))
}

/// `entry` is an entry of `mutable_data_segments`.
fn is_used(base: &Base, entry: &BasePart<'_>) -> bool {
    let list = entry.entry.path.strip_suffix(']').and_then(|path| path.rsplit_once('['));
    let index = list.and_then(|(_, index)| index.parse().ok());
    let tensors = base.column(Pte, "Tensor", "", PartKind::Table);
    let mut tensors = tensors.iter().filter_map(|at| storage_of(base, &base.place(*at)?));
    tensors.any(|(tensor, storage)| storage == TensorStorage::Mutable && list_of(tensor) == index)
}

/// Returns the index of the tensor's list in `mutable_data_segments`.
pub(super) fn list_of(tensor: Tensor<'_>) -> Option<u64> {
    tensor.extra_tensor_info().ok()?.map_or(Some(0), |extra| extra.mutable_data_segments_idx().ok())
}

/// Returns the rule that limits indices of constants, and the number of constants.
fn constants_of(program: Program<'_>) -> Option<(&'static Rule, u64)> {
    let storage = program.constant_segment().ok()?;
    let offsets = storage.and_then(|storage| storage.offsets().ok()?).map_or(0, Vector::len);
    let buffers = program.constant_buffer().ok()?.map_or(0, Vector::len);
    Some(match (offsets, buffers) {
        (2.., _) => (&constants::CONST_BUFFER_IDX, offsets as u64),
        (_, 0) => (&constants::CONST_BUFFER_IDX, 1),
        (_, buffers) => (&constants::CONST_BUFFER_LEGACY, buffers as u64),
    })
}

fn constant(forge: &mut Forge<'_>, rule: &'static Rule) -> Option<()> {
    let base = forge.base;
    forge.assign_any(Pte, "Tensor", "data_buffer_idx", |place, random| {
        let constant = storage_of(base, place)?.1 == TensorStorage::Constant;
        let (own, count) = constants_of(base.program(&place.frame)?)?;
        (constant && own == rule).then(|| wild(random, count))
    })
}

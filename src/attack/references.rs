//! References: every field that is an index, below the first, at the length, at the largest.

use super::attacks;
use super::base::{Base, BasePart, join};
use super::forge::Forge;
use crate::FileKind::{self, Ptd, PtdLegacy, Pte};
use crate::annotate::PartKind;
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::pte::schema::{Program, Tensor, TensorDataLocation};
use crate::random::Random;
use crate::rules::{
    Rule, constants, delegates, flat_tensor, instructions, memory, mutable_data, named_data,
    older_flat_tensor as legacy, program, tensors, values,
};

attacks! {
    /// Makes a call name an operator that the method does not have.
    breaks "references/operator": instructions::INS_OP_INDEX => |forge| {
        of_plan(forge, "KernelCall", "op_index", "operators")
    };
    /// Makes a call name a delegate that the method does not have.
    breaks "references/delegate": instructions::INS_DELEGATE_INDEX => |forge| {
        of_plan(forge, "DelegateCall", "delegate_index", "delegates")
    };
    /// Makes an argument of a call a value that the method does not have.
    breaks "references/argument": instructions::INS_ARG_RANGE => |forge| {
        let owner = *forge.random.pick(&["KernelCall", "DelegateCall"])?;
        element_of_plan(forge, owner, "args")
    };
    /// Makes a move read or write a value that the method does not have.
    breaks "references/move": instructions::INS_MOVE_RANGE => |forge| {
        let field = *forge.random.pick(&["move_from", "move_to"])?;
        of_plan(forge, "MoveCall", field, "values")
    };
    /// Makes a free drop a value that the method does not have.
    breaks "references/free": instructions::INS_FREE_RANGE => |forge| {
        of_plan(forge, "FreeCall", "value_index", "values")
    };
    /// Makes a jump test a value that the method does not have.
    breaks "references/jump-condition": instructions::INS_JUMP_COND_RANGE => |forge| {
        of_plan(forge, "JumpFalseCall", "cond_value_index", "values")
    };
    /// Makes a jump lead before the first or behind the end of the instructions.
    breaks "references/jump-destination": instructions::INS_JUMP_DEST => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "JumpFalseCall", "destination_instruction", |place, random| {
            let (chain, _) = place.entry.path.rsplit_once(".instructions[")?;
            // The count itself is the end of the chain.
            Some(wild(random, base.count(&join(chain, "instructions"))? + 1))
        })
    };
    /// Makes an input or output a value that the method does not have.
    breaks "references/input-or-output": program::PLAN_IO_RANGE => |forge| {
        let field = *forge.random.pick(&["inputs", "outputs"])?;
        element_of_plan(forge, "ExecutionPlan", field)
    };
    /// Gives a planned buffer that the method does not have a device.
    breaks "references/device": program::PLAN_NCB_DEVICE => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "NonConstBufferDevice", "buffer_idx", |place, random| {
            let count = base.plan_count(place, "non_const_buffer_sizes")?;
            Some(if random.one_in(4) { 0 } else { wild(random, count) })
        })
    };
    /// Makes an item of a list of integers a value that the method does not have.
    breaks "references/int-list": values::VAL_INTLIST_INDICES => |forge| element_of_plan(forge, "IntList", "items");
    /// Makes an item of a list of tensors a value that the method does not have.
    breaks "references/tensor-list": values::VAL_TENSORLIST_INDICES => |forge| {
        element_of_plan(forge, "TensorList", "items")
    };
    /// Makes an item of a list of optional tensors a value that the method does not have, and not -1.
    breaks "references/optional-tensor-list": values::VAL_OPTTENSORLIST_INDICES => |forge| {
        element_where(forge, (Pte, "OptionalTensorList", "items"), |base, place, random| {
            let count = base.plan_count(place, "values")?;
            let rest = [count, (1 << 31) - 1, 1 << 31, (1_u64 << 32) - 2];
            random.pick(&rest).copied()
        })
    };
    /// Puts a tensor into a planned buffer that the method does not have.
    breaks "references/planned-buffer": memory::MEM_ID_RANGE => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "AllocationDetails", "memory_id", |place, random| {
            let count = base.plan_count(place, "non_const_buffer_sizes")?;
            Some(if random.one_in(4) { 0 } else { wild(random, count) })
        })
    };
    /// Makes the constant segment one that the program does not have.
    breaks "references/constant-segment": constants::CONST_SEG_INDEX => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "SubsegmentOffsets", "segment_index", |place, random| {
            let constant = place.entry.path == place.frame.path("constant_segment");
            let used = base.count(&join(&place.entry.path, "offsets")).filter(|count| constant && *count > 1);
            used.and_then(|_| base.count(&place.frame.path("segments"))).map(|count| wild(random, count))
        })
    };
    /// Makes a mutable segment one that the program does not have.
    breaks "references/mutable-segment": mutable_data::MUT_SEG_INDEX => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "SubsegmentOffsets", "segment_index", |place, random| {
            let mutable = place.entry.path.ends_with(']');
            mutable.then(|| base.count(&place.frame.path("segments")))?.map(|count| wild(random, count))
        })
    };
    /// Makes a tensor's constant one that the constant segment does not have.
    breaks "references/constant": constants::CONST_BUFFER_IDX => |forge| {
        constant(forge, &constants::CONST_BUFFER_IDX)
    };
    /// Makes a tensor's constant one that the buffers in the FlatBuffer do not have.
    breaks "references/inline-constant": constants::CONST_BUFFER_LEGACY => |forge| {
        constant(forge, &constants::CONST_BUFFER_LEGACY)
    };
    /// Makes a tensor's initial value one that the mutable segment does not have.
    breaks "references/initial-value": mutable_data::MUT_IDX_RANGE => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "Tensor", "data_buffer_idx", |place, random| {
            let (found, home) = home(base, place)?;
            let list = base.program(&place.frame)?.mutable_data_segments().ok()??.get(0)?.ok()?;
            let count = list.offsets().ok()??.len() as u64;
            (home == Home::Mutable && list_of(found) == Some(0)).then(|| wild(random, count))
        })
    };
    /// Makes a tensor's list of initial values one that the program does not have.
    breaks "references/initial-values": mutable_data::MUT_IDX_RANGE => |forge| {
        let base = forge.base;
        let tensors = base.column(Pte, "Tensor", "", PartKind::Table);
        let (place, value) = forge.any(tensors, |place, random| {
            let mutable = home(base, place)?.1 == Home::Mutable;
            let extra = base.find(&join(&place.entry.path, "extra_tensor_info"), PartKind::Table).filter(|_| mutable)?;
            let there = base.has(&extra, "mutable_data_segments_idx") || super::forge::reach(&extra).is_some();
            let count = base.count(&place.frame.path("mutable_data_segments"))?;
            there.then(|| (extra, if random.one_in(2) { count } else { u64::MAX }))
        })?;
        forge.assign(&place, "mutable_data_segments_idx", value)
    };
    /// Makes named data of a program lead to a segment that it does not have.
    breaks "references/program-key": named_data::ND_SEG_INDEX => |forge| {
        segment(forge, Pte, "NamedData", "segment_index")
    };
    /// Makes a delegate's blob an entry of the FlatBuffer that it does not have.
    breaks "references/inline-blob": delegates::DEL_INLINE_INDEX => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "BackendDelegateDataReference", "index", |place, random| {
            let inline = base.scalar(place, "location") == Some(0);
            inline.then(|| base.count(&place.frame.path("backend_delegate_data")))?.map(|count| wild(random, count))
        })
    };
    /// Makes a delegate's blob a segment that the program does not have.
    breaks "references/delegate-segment": delegates::DEL_SEGMENT_INDEX => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "BackendDelegateDataReference", "index", |place, random| {
            let segment = base.scalar(place, "location") == Some(1);
            segment.then(|| base.count(&place.frame.path("segments")))?.map(|count| wild(random, count))
        })
    };
    /// Makes an entry of a data file lead to a segment that it does not have.
    breaks "references/data-key": flat_tensor::FT_SEG_INDEX => |forge| {
        segment(forge, Ptd, "NamedData", "segment_index")
            .or_else(|| segment(forge, PtdLegacy, "LegacyNamedData", "segment_index"))
    };
    /// Makes a tensor of an older data file lead to a segment that it does not have.
    breaks "references/older-tensor": legacy::PTDB_SEG_INDEX => |forge| {
        segment(forge, PtdLegacy, "TensorMetadata", "segment_index")
    };
    /// Makes the order of a tensor's dimensions name one twice, or one that it does not have.
    breaks "references/dim-order": tensors::T_DIMORDER_PERM => |forge| dimension(forge, Pte, "Tensor");
    /// Makes the order of a layout's dimensions name one twice, or one that it does not have.
    breaks "references/layout-dim-order": flat_tensor::FT_LAYOUT_PERM => |forge| dimension(forge, Ptd, "TensorLayout");
    /// Makes the order of the dimensions in an older data file name one twice, or one that there is not.
    breaks "references/older-dim-order": legacy::PTDB_LAYOUT_PERM => |forge| {
        dimension(forge, PtdLegacy, "TensorMetadata")
    };
    /// Makes the order of a bundled tensor's dimensions name one twice, or one that it does not have.
    breaks "references/bundled-dim-order": crate::rules::bundled::BP_TENSOR_DATA => |forge| {
        dimension(forge, FileKind::Bpte, "Tensor")
    };
    /// Makes an index another one that is in range.
    unknown "references/another" => |forge| {
        let (owner, field) = *forge.random.pick(&INDEXES)?;
        let base = forge.base;
        let (place, value) = forge.parts((Pte, owner, field), PartKind::Scalar, |place, random| {
            let was = base.number(place.at(), place.len());
            let now = if random.one_in(2) { was.checked_sub(1)? } else { was + 1 };
            Some((*place, now))
        })?;
        forge.set(&place, value)
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

/// An index that is none of `count` things: -1, the count, the largest and the smallest number.
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

/// Gives an element of a vector another value.
pub(super) fn element_where(
    forge: &mut Forge<'_>,
    column: (FileKind, &'static str, &'static str),
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

/// Where the data of a tensor with an index is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    Constant,
    Mutable,
}

/// A tensor and where its data is; `None` for one that has none in the program.
pub(super) fn home<'b>(base: &'b Base, place: &BasePart<'_>) -> Option<(Tensor<'b>, Home)> {
    let tensor = Tensor::from_table(base.table(place)?);
    let extra = tensor.extra_tensor_info().ok()?;
    let external = extra.is_some_and(|extra| extra.location() == Ok(TensorDataLocation::EXTERNAL));
    if external || tensor.data_buffer_idx() == Ok(0) {
        return None;
    }
    let planned = tensor.allocation_info().ok()?.is_some();
    Some((tensor, if planned { Home::Mutable } else { Home::Constant }))
}

/// The list of initial values that a tensor counts in.
pub(super) fn list_of(tensor: Tensor<'_>) -> Option<u64> {
    tensor.extra_tensor_info().ok()?.map_or(Some(0), |extra| extra.mutable_data_segments_idx().ok())
}

/// The rule by which constants are found, and how many there are.
fn constants_of(program: Program<'_>) -> Option<(&'static Rule, u64)> {
    let home = program.constant_segment().ok()?;
    let offsets = home.and_then(|home| home.offsets().ok()?).map_or(0, Vector::len);
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
        let constant = home(base, place)?.1 == Home::Constant;
        let (own, count) = constants_of(base.program(&place.frame)?)?;
        (constant && own == rule).then(|| wild(random, count))
    })
}

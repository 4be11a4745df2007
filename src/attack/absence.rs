//! Absence: required fields removed through the vtable.
//!
//! This family is separate from the offset family, because checking every offset does not reveal an absent field. A
//! reader that does not check for absent fields may follow a null pointer.

use super::attacks;
use super::base::{Base, BasePart};
use super::forge::Forge;
use crate::FileKind::{Bpte, Ptd, PtdLegacy, Pte};
use crate::annotate::PartKind;
use crate::flatbuffer::Vector;
use crate::pte::schema::DataLocation;
use crate::rules::{
    bundled, delegates, flat_tensor, flatbuffer, instructions, legacy_flat_tensor as legacy, named_data, program,
    segments, tensors, values,
};

attacks! {
    /// Remove a program's list of methods.
    breaks "absence/methods": program::PLAN_LIST_NONNULL => |forge| forge.absent(Pte, "Program", "execution_plan");
    /// Remove the segment list from a program whose constants, mutable data or delegates use a segment.
    breaks "absence/segments": segments::SEG_NULL_TABLE => |forge| {
        let base = forge.base;
        forge.absent_where(Pte, "Program", "segments", |place| needs_segments(base, place))
    };
    /// Remove the segment list from a program that has named data.
    breaks "absence/segments-of-named-data": named_data::ND_SEGMENTS_PRESENT => |forge| {
        let base = forge.base;
        forge.absent_where(Pte, "Program", "segments", |place| base.has(place, "named_data"))
    };
    /// Remove the key of an entry in a program's named data.
    breaks "absence/program-key": named_data::ND_KEY_NONNULL => |forge| forge.absent(Pte, "NamedData", "key");
    /// Remove a method's name.
    breaks "absence/method-name": program::PLAN_NAME => |forge| forge.absent(Pte, "ExecutionPlan", "name");
    /// Remove a method's values.
    breaks "absence/values": program::PLAN_VALUES_NONNULL => |forge| forge.absent(Pte, "ExecutionPlan", "values");
    /// Remove a method's list of inputs.
    breaks "absence/inputs": program::PLAN_IO_NONNULL => |forge| forge.absent(Pte, "ExecutionPlan", "inputs");
    /// Remove a method's list of outputs.
    breaks "absence/outputs": program::PLAN_IO_NONNULL => |forge| forge.absent(Pte, "ExecutionPlan", "outputs");
    /// Remove the sizes of a method's planned buffers.
    breaks "absence/planned-buffers": program::PLAN_IO_NONNULL => |forge| {
        forge.absent(Pte, "ExecutionPlan", "non_const_buffer_sizes")
    };
    /// Remove a method's chains.
    breaks "absence/chains": program::PLAN_CHAINS => |forge| forge.absent(Pte, "ExecutionPlan", "chains");
    /// Remove a chain's instructions.
    breaks "absence/instructions": program::PLAN_CHAINS => |forge| forge.absent(Pte, "Chain", "instructions");
    /// Remove a method's list of delegates.
    breaks "absence/delegates": program::PLAN_DELEGATES_NONNULL => |forge| {
        forge.absent(Pte, "ExecutionPlan", "delegates")
    };
    /// Remove the operator list from a method that calls an operator.
    breaks "absence/operators": program::PLAN_OPERATORS_NONNULL => |forge| {
        let base = forge.base;
        let calls = base.column(Pte, "KernelCall", "", PartKind::Table);
        let call = forge.any(calls, |place, _| Some(base.plan(place)?.1))?;
        forge.absent_where(Pte, "ExecutionPlan", "operators", |place| place.entry.path == call)
    };
    /// Remove a method's container metadata, which no reader needs to run the method.
    preserves "absence/container-metadata" => |forge| forge.strip(Pte, "ExecutionPlan", "container_meta_type");
    /// Remove a value's type and content.
    breaks "absence/value": values::VAL_NONNULL => |forge| both(forge, "EValue", ["val_type", "val"]);
    /// Remove an instruction's type and content.
    breaks "absence/instruction": instructions::INS_NONNULL => |forge| {
        both(forge, "Instruction", ["instr_args_type", "instr_args"])
    };
    /// Remove the content of a value or an instruction, but keep the type.
    breaks "absence/union-value": flatbuffer::FB_UNION_CONSISTENT => |forge| {
        let base = forge.base;
        let (owner, tag, value, bare) = if forge.random.one_in(2) {
            ("EValue", "val_type", "val", 1)
        } else {
            ("Instruction", "instr_args_type", "instr_args", 0)
        };
        forge.absent_where(Pte, owner, value, |place| base.scalar(place, tag).is_some_and(|tag| tag > bare))
    };
    /// Remove the string of a String value.
    breaks "absence/string": values::VAL_STRING_NONNULL => |forge| forge.absent(Pte, "String", "string_val");
    /// Remove the items of a list.
    breaks "absence/list-items": values::VAL_LIST_ITEMS_NONNULL => |forge| {
        let start = forge.random.index(LISTS.len());
        let mut round = LISTS[start..].iter().chain(&LISTS[..start]);
        round.find_map(|list| forge.absent(Pte, list, "items"))
    };
    /// Remove a tensor's sizes.
    breaks "absence/sizes": tensors::T_SIZES_NONNULL => |forge| forge.absent(Pte, "Tensor", "sizes");
    /// Remove a tensor's `dim_order`.
    breaks "absence/dim-order": tensors::T_DIMORDER_NONNULL => |forge| forge.absent(Pte, "Tensor", "dim_order");
    /// Remove the name of an external tensor.
    breaks "absence/external-name": tensors::T_EXTERNAL => |forge| {
        let base = forge.base;
        forge.absent_where(Pte, "ExtraTensorInfo", "fully_qualified_name", |place| {
            base.scalar(place, "location") == Some(1)
        })
    };
    /// Remove the argument list of a call.
    breaks "absence/arguments": instructions::INS_ARGS_NONNULL => |forge| {
        let kernel = forge.random.one_in(2);
        let (first, second) = if kernel { ("KernelCall", "DelegateCall") } else { ("DelegateCall", "KernelCall") };
        forge.absent(Pte, first, "args").or_else(|| forge.absent(Pte, second, "args"))
    };
    /// Remove the planned memory from a tensor that is a jump's condition, so that the condition has no data.
    breaks "absence/condition-data": instructions::INS_JUMP_COND_DATA => |forge| {
        let base = forge.base;
        forge.absent_where(Pte, "Tensor", "allocation_info", |place| super::semantics::is_only_condition(base, place))
    };
    /// Remove an operator's name.
    breaks "absence/operator-name": instructions::INS_OP_NAME => |forge| {
        let base = forge.base;
        forge.absent_where(Pte, "Operator", "name", |place| super::semantics::is_called(base, place))
    };
    /// Remove a delegate's backend id.
    breaks "absence/backend": delegates::DEL_ID => |forge| forge.absent(Pte, "BackendDelegate", "id");
    /// Remove the offset to a delegate's blob location.
    breaks "absence/delegate-blob": delegates::DEL_PROCESSED => |forge| {
        forge.absent(Pte, "BackendDelegate", "processed")
    };
    /// Remove the key of a compile spec.
    breaks "absence/setting-key": delegates::DEL_COMPILE_SPEC => |forge| forge.absent(Pte, "CompileSpec", "key");
    /// Remove the value of a compile spec.
    breaks "absence/setting-value": delegates::DEL_COMPILE_SPEC => |forge| forge.absent(Pte, "CompileSpec", "value");
    /// Remove a delegate's list of compile specs, which is optional.
    preserves "absence/settings" => |forge| forge.strip(Pte, "BackendDelegate", "compile_specs");
    /// Remove the bytes of an inline blob that a delegate uses.
    breaks "absence/inline-blob": delegates::DEL_INLINE_INDEX => |forge| {
        let base = forge.base;
        let references = base.column(Pte, "BackendDelegateDataReference", "", PartKind::Table);
        let path = forge.any(references, |place, _| {
            let inline = base.scalar(place, "location") == Some(0);
            inline.then(|| base.scalar(place, "index"))?.map(|index| {
                place.frame.path(&alloc::format!("backend_delegate_data[{index}]"))
            })
        })?;
        forge.absent_where(Pte, "BackendDelegateInlineData", "data", |place| place.entry.path == path)
    };
    /// Remove a data file's segment list or its list of named data.
    breaks "absence/data-lists": flat_tensor::FT_LISTS_NONNULL => |forge| {
        let field = if forge.random.one_in(2) { "segments" } else { "named_data" };
        forge.absent(Ptd, "FlatTensor", field)
    };
    /// Remove the key of a data file's entry.
    breaks "absence/data-key": flat_tensor::FT_KEY_NONNULL => |forge| {
        forge.absent(Ptd, "NamedData", "key").or_else(|| forge.absent(PtdLegacy, "LegacyNamedData", "key"))
    };
    /// Remove a tensor layout's sizes.
    breaks "absence/layout-sizes": flat_tensor::FT_LAYOUT_SIZES => |forge| forge.absent(Ptd, "TensorLayout", "sizes");
    /// Remove a tensor layout's `dim_order`.
    breaks "absence/layout-dim-order": flat_tensor::FT_LAYOUT_DIMORDER => |forge| {
        forge.absent(Ptd, "TensorLayout", "dim_order")
    };
    /// Remove the tensor layout from an entry of a data file, so that the entry becomes an opaque blob.
    preserves "absence/layout" => |forge| forge.strip(Ptd, "NamedData", "tensor_layout");
    /// Remove a legacy data file's list of tensors, but keep its list of segments, which identifies the layout.
    breaks "absence/older-tensors": legacy::PTDB_LISTS_NONNULL => |forge| {
        forge.absent(PtdLegacy, "LegacyFlatTensor", "tensors")
    };
    /// Remove a tensor's name in a legacy data file.
    breaks "absence/older-name": legacy::PTDB_FQN => |forge| {
        forge.absent(PtdLegacy, "TensorMetadata", "fully_qualified_name")
    };
    /// Remove a tensor's sizes in a legacy data file.
    breaks "absence/older-sizes": legacy::PTDB_LAYOUT_SIZES => |forge| forge.absent(PtdLegacy, "TensorMetadata", "sizes");
    /// Remove a tensor's `dim_order` in a legacy data file.
    breaks "absence/older-dim-order": legacy::PTDB_LAYOUT_DIMORDER => |forge| {
        forge.absent(PtdLegacy, "TensorMetadata", "dim_order")
    };
    /// Remove the program from a bundled program.
    breaks "absence/bundled-program": bundled::BP_PROGRAM => |forge| forge.absent(Bpte, "BundledProgram", "program");
    /// Remove a method name, or a list of suites, test cases, inputs or outputs, from a bundled program.
    breaks "absence/bundled-suites": bundled::BP_SUITES => |forge| {
        let start = forge.random.index(SUITES.len());
        let mut round = SUITES[start..].iter().chain(&SUITES[..start]);
        round.find_map(|(owner, field)| forge.absent(Bpte, owner, field))
    };
    /// Remove a bundled tensor's data, sizes or `dim_order`.
    breaks "absence/bundled-tensor": bundled::BP_TENSOR_DATA => |forge| {
        let field = *forge.random.pick(&["data", "sizes", "dim_order"])?;
        forge.absent(Bpte, "Tensor", field)
    };
}

const LISTS: [&str; 5] = ["IntList", "DoubleList", "BoolList", "TensorList", "OptionalTensorList"];

const SUITES: [(&str, &str); 5] = [
    ("BundledProgram", "method_test_suites"),
    ("BundledMethodTestSuite", "method_name"),
    ("BundledMethodTestSuite", "test_cases"),
    ("BundledMethodTestCase", "inputs"),
    ("BundledMethodTestCase", "expected_outputs"),
];

fn both(forge: &mut Forge<'_>, owner: &'static str, fields: [&str; 2]) -> Option<()> {
    let base = forge.base;
    let fits = |place: &BasePart<'_>| !base.is_mixed(place) && fields.iter().all(|field| base.has(place, field));
    let place = forge.tables(Pte, owner, |place, _| fits(place).then_some(*place))?;
    fields.iter().try_for_each(|field| forge.without(&place, field))
}

/// Returns whether constants, mutable data or delegates use segments.
fn needs_segments(base: &Base, place: &BasePart<'_>) -> bool {
    let Some(program) = base.program(&place.frame) else { return false };
    let constants = program.constant_segment().ok().flatten().and_then(|storage| storage.offsets().ok().flatten());
    let mutable = program.mutable_data_segments().ok().flatten();
    let delegates = base.column(Pte, "BackendDelegateDataReference", "", PartKind::Table);
    let in_segment = |at: &u32| {
        let location = base.place(*at).and_then(|place| base.scalar(&place, "location"));
        location == Some(DataLocation::SEGMENT.0.cast_unsigned().into())
    };
    constants.is_some_and(|offsets| offsets.len() > 1)
        || mutable.is_some_and(|lists| !Vector::is_empty(lists))
        || delegates.iter().any(in_segment)
}

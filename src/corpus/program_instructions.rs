//! Cases about a method's operators, and about its call, move, jump and free instructions.

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::instructions as rules;

fn call(index: usize, field: &str) -> alloc::string::String {
    alloc::format!("execution_plan[0].chains[0].instructions[{index}].instr_args.{field}")
}

/// In the base, the only jump skips one of the six instructions.
fn jump_to(file: &mut Patcher<'_>, destination: i32) {
    file.scalar(&call(2, "destination_instruction"), destination);
}

cases! {
    /// Among the kernel calls are a move, a jump that is not taken, and a free. A reader that supports only kernel
    /// calls rejects the file.
    build "pte/valid/instructions": "every instruction except a delegate call"
        shows rules::INS_TYPE_KNOWN => base::instructions;

    /// One past the last instruction is a valid destination: it ends the chain.
    accept "pte/valid/jump-to-end": "jump to the end of the chain" shows rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 6);

    /// Loops jump backward. A reader that accepts only forward jumps rejects every exported loop.
    accept "pte/valid/jump-backward": "jump backward" shows rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 0);

    /// Exported loops have such conditions, so a reader that supports only Bools rejects them.
    accept "pte/valid/jump-on-tensor": "jump on a bool tensor" shows rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), 7_i32);

    /// All four bools are true, so the jump is not taken. A reader that tests only some of them would go wrong if they
    /// differed.
    build "pte/valid/jump-on-true-tensor": "jump on a constant tensor of true bools" shows rules::INS_JUMP_COND_DATA
        => base::true_condition;

    /// A full name may have at most 99 bytes. No call uses the two operators, so they need no kernels.
    build "pte/valid/operator-name-99": "operator names of 99 bytes, not called" shows rules::INS_OP_REGISTERED
        => base::long_operator_names;

    /// The chain has no jumps, and nothing uses the freed tensor. A reader that only supports kernel calls rejects it.
    build "pte/valid/free": "free of a value that no instruction uses" shows rules::INS_FREE_LIVE => base::free;

    /// Verifiers accept a missing type. A reader that skips the instruction leaves out a kernel call.
    reject "pte/instructions/no-type-and-no-arguments": "instruction without type and arguments"
        breaks rules::INS_NONNULL, from "pte/valid/instructions" => |file| {
            file.own_slot("execution_plan[0].chains[0].instructions[3]", 1, 0);
            file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 0_u8);
        };

    /// 6 is the first unknown type. A reader that skips the instruction runs a different program.
    reject "pte/instructions/type-6": "instruction type 6" breaks rules::INS_TYPE_KNOWN, from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 6_u8);

    /// Used as an index, the type points past the reader's handlers, and verifiers skip unknown types' arguments.
    reject "pte/instructions/type-255": "instruction type 255" breaks rules::INS_TYPE_KNOWN,
        from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", u8::MAX);

    /// A call without arguments has an empty list. Reading an absent one's length dereferences null.
    reject "pte/instructions/kernel-args-absent": "kernel call without args" breaks rules::INS_ARGS_NONNULL,
        from "pte/valid/instructions", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].chains[0].instructions[3].instr_args", 1, 0);

    /// The code for delegate calls can be separate from that for kernel calls, so it has to check for the list as well.
    reject "pte/instructions/delegate-args-absent": "delegate call without args" breaks rules::INS_ARGS_NONNULL,
        from "pte/valid/everything"
        => |file| file.own_slot("execution_plan[0].chains[0].instructions[1].instr_args", 1, 0);

    /// The argument is value 9, but there are only nine values. A reader with an off-by-one check hands the memory
    /// after them to the kernel.
    reject "pte/instructions/arg-past-end": "kernel argument one past the values" breaks rules::INS_ARG_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#1517"]
        => |file| file.elements(&call(3, "args"), 0, 9_i32);

    /// An omitted argument is the index of a Null, not −1. Unchecked, it hands the memory before the values to the
    /// kernel.
    reject "pte/instructions/arg-minus-1": "kernel argument index −1" breaks rules::INS_ARG_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#1517"]
        => |file| file.elements(&call(3, "args"), 16, -1_i32);

    /// The argument is value 15 in a method with 15 values. In a delegate call, the check is easily forgotten.
    reject "pte/instructions/delegate-arg-past-end": "delegate argument one past the values"
        breaks rules::INS_ARG_RANGE, from "pte/valid/everything" => |file| file.elements(&call(1, "args"), 4, 15_i32);

    /// The index is 1, but there is one operator. Unchecked, the word after the list becomes an operator's offset.
    reject "pte/instructions/operator-past-end": "operator index one past the list" breaks rules::INS_OP_INDEX,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"] => |file| file.scalar(&call(0, "op_index"), 1_i32);

    /// −1 is below every upper limit, so a function pointer from the memory before the operators is called.
    reject "pte/instructions/operator-minus-1": "operator index −1" breaks rules::INS_OP_INDEX,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.scalar(&call(0, "op_index"), -1_i32);

    /// The last call is fine, so a reader that keeps only the result of the last check loses the error in the first.
    reject "pte/instructions/operator-past-end-then-good": "invalid operator index in the first of three calls"
        breaks rules::INS_OP_INDEX, from "pte/valid/instructions" => |file| file.scalar(&call(0, "op_index"), 77_i32);

    /// Even a reader that keeps only the result of the last check rejects this file. Together, the two cases identify
    /// such a reader.
    reject "pte/instructions/operator-past-end-last": "invalid operator index in the last of three calls"
        breaks rules::INS_OP_INDEX, from "pte/valid/instructions" => |file| file.scalar(&call(5, "op_index"), 77_i32);

    /// Kernels are looked up by name, so an absent one dereferences null.
    reject "pte/instructions/operator-name-absent": "operator without a name" breaks rules::INS_OP_NAME,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].operators[0]", 0, 0);

    /// The names of the later calls are fine, so a reader that keeps only the result of the last look-up loses this
    /// error.
    reject "pte/instructions/operator-name-absent-then-good": "operator without a name in the first of three calls"
        breaks rules::INS_OP_NAME,
        from "pte/valid/instructions" => |file| file.own_slot("execution_plan[0].operators[1]", 0, 0);

    /// With the dot and the overload, the name fills a 100-byte buffer, so its NUL is written outside.
    reject "pte/instructions/operator-name-100": "called operator with a full name of 100 bytes"
        breaks rules::INS_OP_NAME, from "pte/valid/operator-name-99" => |file| long_name(file, 96);

    /// The runtime supports 99 bytes. An unchecked name overflows the buffer, and a truncated one may be that of
    /// another operator.
    reject "pte/instructions/operator-name-5000": "called operator with a name of 5 000 bytes"
        breaks rules::INS_OP_NAME, from "pte/valid/operator-name-99" => |file| long_name(file, 5000);

    /// Readers that resolve calls never look at this operator. Those that resolve all operators must check the length.
    either "pte/instructions/uncalled-operator-name-100": "operator with a full name of 100 bytes, not called"
        about rules::INS_OP_NAME_UNCALLED, from "pte/valid/operator-name-99" => |file| rename(file, 96);

    /// Readers that resolve calls never look at this operator. Those that print all of them dereference null.
    either "pte/instructions/uncalled-operator-name-absent": "operator without a name, not called"
        about rules::INS_OP_NAME_UNCALLED,
        from "pte/valid/operator-name-99" => |file| file.own_slot("execution_plan[0].operators[1]", 0, 0);

    /// Writers emit an empty string. Readers may accept its absence, but code that prints it has to check.
    either "pte/instructions/overload-absent": "operator without an overload" about rules::INS_OVERLOAD_NONNULL,
        from "pte/valid/instructions" => |file| file.own_slot("execution_plan[0].operators[1]", 1, 0);

    /// The call is for delegate 0, but there are none. A reader must notice this when it loads the method.
    reject "pte/instructions/delegate-of-none": "delegate call without delegates" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 2_u8);

    /// The index is 2, but there are only two delegates. With an off-by-one check, a reader uses the memory after its
    /// list.
    reject "pte/instructions/delegate-past-end": "delegate index one past the list" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/everything" => |file| file.scalar(&call(1, "delegate_index"), 2_i32);

    /// −1 is below every upper limit, so an unchecked call uses the memory before the reader's own list of delegates.
    reject "pte/instructions/delegate-minus-1": "delegate index −1" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/everything" => |file| file.scalar(&call(1, "delegate_index"), -1_i32);

    /// The move copies value 9, but there are only nine values, so it copies the memory after them.
    reject "pte/instructions/move-from-past-end": "move from a value past the list" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_from"), 9_i32);

    /// The move writes to value 9, but there are only nine values, so it overwrites the memory after them.
    reject "pte/instructions/move-to-past-end": "move to a value past the list" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_to"), 9_i32);

    /// −1 is below every upper limit, so the move writes to the memory before the values.
    reject "pte/instructions/move-to-minus-1": "move to value −1" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_to"), -1_i32);

    /// The next jump uses this value as its condition. If its type was checked only at load, the check no longer holds.
    either "pte/instructions/move-int-over-bool": "move that replaces a Bool with an Int" about rules::INS_MOVE_TYPE,
        from "pte/valid/instructions" => |file| file.scalar(&call(1, "move_to"), 5_i32);

    /// A TensorList contains the tensor. If its items were checked only at load, a kernel gets the integer as a tensor.
    either "pte/instructions/move-int-over-listed-tensor": "move that replaces a Tensor in a list with an Int"
        about rules::INS_MOVE_TYPE, from "pte/valid/instructions", refs ["pytorch/executorch#18962"]
        => |file| file.scalar(&call(1, "move_to"), 6_i32);

    /// If the name still refers to this value, a host that asks for the tensor gets the integer.
    either "pte/instructions/move-int-over-named-tensor": "move that replaces a named Tensor with an Int"
        about rules::INS_MOVE_TYPE, from "pte/valid/everything" => |file| file.scalar(&call(2, "move_to"), 4_i32);

    /// Value 9 is freed, but there are only nine values. The memory after them is treated as a tensor and cleared.
    reject "pte/instructions/free-past-end": "free of a value past the list" breaks rules::INS_FREE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18176"]
        => |file| file.scalar(&call(4, "value_index"), 9_i32);

    /// −1 is below every upper limit, so a pointer in the memory before the values is cleared.
    reject "pte/instructions/free-minus-1": "free of value −1" breaks rules::INS_FREE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18176"]
        => |file| file.scalar(&call(4, "value_index"), -1_i32);

    /// An Int has no memory. Unless its type is checked, the integer is used as a pointer to a tensor.
    reject "pte/instructions/free-of-int": "free of an Int" breaks rules::INS_FREE_TYPE, from "pte/valid/instructions",
        refs ["pytorch/executorch#18803"] => |file| file.scalar(&call(4, "value_index"), 3_i32);

    /// The kernels that use the constant fail in later runs and in other methods.
    either "pte/instructions/free-of-constant": "free of a constant" about rules::INS_FREE_LIVE,
        from "pte/valid/everything" => |file| file.scalar(&call(4, "value_index"), 0_i32);

    /// The run succeeds, but the caller gets a tensor without memory.
    either "pte/instructions/free-of-output": "free of an output" about rules::INS_FREE_LIVE,
        from "pte/valid/everything" => |file| file.scalar(&call(4, "value_index"), 2_i32);

    /// In the next run, the input is copied to a null address.
    either "pte/instructions/free-of-input": "free of an input" about rules::INS_FREE_LIVE,
        from "pte/valid/everything" => |file| file.scalar(&call(4, "value_index"), 1_i32);

    /// The freed tensor is the first argument of the next call, so the kernel gets a tensor without data.
    either "pte/instructions/free-before-use": "free of a value before its last use" about rules::INS_FREE_LIVE,
        from "pte/valid/free" => |file| file.elements(&call(2, "args"), 0, 4_i32);

    /// Nothing uses the tensor later, so the first run succeeds. But planned memory is assigned only once, so in the
    /// second run kernels write to null.
    either "pte/instructions/free-of-planned": "free of a tensor in planned memory" about rules::INS_FREE_LIVE,
        from "pte/valid/free" => |file| file.scalar(&call(1, "value_index"), 5_i32);

    /// Only tensors can be freed. Unless the type is checked, the list loses its pointer, and later accesses fail.
    reject "pte/instructions/free-of-list": "free of a TensorList" breaks rules::INS_FREE_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18803"]
        => |file| file.scalar(&call(4, "value_index"), 8_i32);

    /// The condition is value 9, but there are only nine values. A reader with an off-by-one check reads it from the
    /// memory after them.
    reject "pte/instructions/condition-past-end": "jump condition one past the values"
        breaks rules::INS_JUMP_COND_RANGE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), 9_i32);

    /// −1 is below every upper limit, so the condition comes from the memory before the values.
    reject "pte/instructions/condition-minus-1": "jump condition −1" breaks rules::INS_JUMP_COND_RANGE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), -1_i32);

    /// A condition is a Bool or a tensor of bools, which some readers check only when the jump runs.
    reject "pte/instructions/condition-is-int": "jump condition that is an Int" breaks rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#12294"]
        => |file| file.scalar(&call(2, "cond_value_index"), 3_i32);

    /// Without a check of the scalar type, the first byte of a float is used as the condition.
    reject "pte/instructions/condition-is-float-tensor": "jump condition that is a float tensor"
        breaks rules::INS_JUMP_COND_TYPE, from "pte/valid/instructions", refs ["pytorch/executorch#12294"]
        => |file| file.scalar(&call(2, "cond_value_index"), 2_i32);

    /// The tensor of bools has neither stored data nor planned memory, so reading it dereferences null.
    reject "pte/instructions/condition-without-data": "jump condition without data" breaks rules::INS_JUMP_COND_DATA,
        from "pte/valid/jump-on-tensor", refs ["pytorch/executorch#12294"]
        => |file| file.own_slot("execution_plan[0].values[7].val", 6, 0);

    /// One less would end the chain. A reader that treats any position past the last instruction as the end is silent.
    reject "pte/instructions/jump-past-end": "jump past the end of the chain" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 7);

    /// A reader that stops only at exactly the end of the chain runs past it.
    reject "pte/instructions/jump-max": "jump to 2^31 − 1" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, i32::MAX);

    /// As an unsigned number, the destination is past every chain. A reader that treats this as the end is silent.
    reject "pte/instructions/jump-minus-1": "jump to −1" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, -1);

    /// The condition never changes, so only a limit on the number of instructions ends the method.
    either "pte/instructions/jump-to-itself": "jump to itself" about rules::INS_TERMINATION,
        from "pte/valid/instructions", refs ["pytorch/executorch#18679"] => |file| {
            jump_to(file, 2);
            file.scalar("execution_plan[0].values[5].val.bool_val", 0_u8);
        };
}

/// Renames an operator, and makes the first instruction call it.
fn long_name(file: &mut Patcher<'_>, len: u32) {
    rename(file, len);
    file.scalar(&call(0, "op_index"), 2_i32);
}

/// Only one operator's name has room for more bytes.
fn rename(file: &mut Patcher<'_>, len: u32) {
    let name = "execution_plan[0].operators[2].name";
    let start = file.at(name, crate::annotate::PartKind::Elements);
    file.count(name, len);
    file.put(start + 95, if len == 96 { b"x\0".as_slice() } else { b"x" });
}

//! Cases about a method's operators, and about its call, move, jump and free instructions.

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::instructions as rules;

fn call(index: usize, field: &str) -> alloc::string::String {
    alloc::format!("execution_plan[0].chains[0].instructions[{index}].instr_args.{field}")
}

/// The base has six instructions, and its only jump skips one of them.
fn jump_to(file: &mut Patcher<'_>, destination: i32) {
    file.scalar(&call(2, "destination_instruction"), destination);
}

cases! {
    /// The chain mixes kernel calls with a move, a free and a jump that is not taken. A reader that supports only
    /// kernel calls rejects the file.
    build "pte/valid/instructions": "every instruction except a delegate call"
        shows rules::INS_TYPE_KNOWN => base::instructions;

    /// A jump may go to the position after the last instruction, which ends the chain.
    accept "pte/valid/jump-to-end": "jump to the end of the chain" shows rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 6);

    /// Loops jump backward, so a reader that accepts only forward jumps rejects every exported loop.
    accept "pte/valid/jump-backward": "jump backward" shows rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 0);

    /// Exported loops jump on a tensor of bools, so a reader that accepts only a Bool as the condition rejects them.
    accept "pte/valid/jump-on-tensor": "jump on a bool tensor" shows rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), 7_i32);

    /// All four bools are true, so the jump is not taken. A reader must test every one of them, because a single false
    /// bool would change the result.
    build "pte/valid/jump-on-true-tensor": "jump on a constant tensor of true bools" shows rules::INS_JUMP_COND_DATA
        => base::true_condition;

    /// A full operator name may have up to 99 bytes. No instruction calls these two operators, so readers need no kernels.
    build "pte/valid/operator-name-99": "operator names of 99 bytes, not called" shows rules::INS_OP_REGISTERED
        => base::long_operator_names;

    /// The chain has no jumps and never uses the freed tensor. A reader that supports only kernel calls rejects the file.
    build "pte/valid/free": "free of a value that no instruction uses" shows rules::INS_FREE_LIVE => base::free;

    /// FlatBuffers verifiers accept a missing type. A reader that skips this instruction leaves out a kernel call.
    reject "pte/instructions/no-type-and-no-arguments": "instruction without type and arguments"
        breaks rules::INS_NONNULL, from "pte/valid/instructions" => |file| {
            file.own_slot("execution_plan[0].chains[0].instructions[3]", 1, 0);
            file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 0_u8);
        };

    /// The last known type is 5. A reader that skips this instruction runs a different program.
    reject "pte/instructions/type-6": "instruction type 6" breaks rules::INS_TYPE_KNOWN, from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 6_u8);

    /// A table of handlers indexed by type has no entry 255, and verifiers skip the arguments of unknown types.
    reject "pte/instructions/type-255": "instruction type 255" breaks rules::INS_TYPE_KNOWN,
        from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", u8::MAX);

    /// A call without arguments needs an empty list. If it is absent, a reader that asks for its length dereferences null.
    reject "pte/instructions/kernel-args-absent": "kernel call without args" breaks rules::INS_ARGS_NONNULL,
        from "pte/valid/instructions", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].chains[0].instructions[3].instr_args", 1, 0);

    /// Readers often handle delegate calls in code of their own, which must check for an absent list too.
    reject "pte/instructions/delegate-args-absent": "delegate call without args" breaks rules::INS_ARGS_NONNULL,
        from "pte/valid/everything"
        => |file| file.own_slot("execution_plan[0].chains[0].instructions[1].instr_args", 1, 0);

    /// The argument is value 9, but the method has only values 0 to 8. A reader whose check is off by one hands the
    /// memory after them to the kernel.
    reject "pte/instructions/arg-past-end": "kernel argument one past the values" breaks rules::INS_ARG_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#1517"]
        => |file| file.elements(&call(3, "args"), 0, 9_i32);

    /// An omitted argument is stored as the index of a Null, never as −1. A reader that does not check for −1 hands the
    /// memory before the values to the kernel.
    reject "pte/instructions/arg-minus-1": "kernel argument index −1" breaks rules::INS_ARG_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#1517"]
        => |file| file.elements(&call(3, "args"), 16, -1_i32);

    /// The argument is value 15, but the method has only values 0 to 14. This check is easy to forget for delegate calls.
    reject "pte/instructions/delegate-arg-past-end": "delegate argument one past the values"
        breaks rules::INS_ARG_RANGE, from "pte/valid/everything" => |file| file.elements(&call(1, "args"), 4, 15_i32);

    /// The only operator has index 0. A reader that does not check uses the word after the list as an operator's offset.
    reject "pte/instructions/operator-past-end": "operator index one past the list" breaks rules::INS_OP_INDEX,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"] => |file| file.scalar(&call(0, "op_index"), 1_i32);

    /// If only the upper limit is checked, −1 passes, and the reader calls a function pointer from before its operators.
    reject "pte/instructions/operator-minus-1": "operator index −1" breaks rules::INS_OP_INDEX,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.scalar(&call(0, "op_index"), -1_i32);

    /// The last call is valid, so a reader that keeps only the result of the last check loses the first call's error.
    reject "pte/instructions/operator-past-end-then-good": "invalid operator index in the first of three calls"
        breaks rules::INS_OP_INDEX, from "pte/valid/instructions" => |file| file.scalar(&call(0, "op_index"), 77_i32);

    /// A reader that keeps only the result of the last check rejects this file, but accepts the one with the error in
    /// the first call. The difference between the two gives it away.
    reject "pte/instructions/operator-past-end-last": "invalid operator index in the last of three calls"
        breaks rules::INS_OP_INDEX, from "pte/valid/instructions" => |file| file.scalar(&call(5, "op_index"), 77_i32);

    /// Kernels are looked up by operator name, so a reader that does not check for an absent name dereferences null.
    reject "pte/instructions/operator-name-absent": "operator without a name" breaks rules::INS_OP_NAME,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].operators[0]", 0, 0);

    /// The later calls use operators with valid names, so a reader that keeps only the result of the last look-up loses
    /// this error.
    reject "pte/instructions/operator-name-absent-then-good": "operator without a name in the first of three calls"
        breaks rules::INS_OP_NAME,
        from "pte/valid/instructions" => |file| file.own_slot("execution_plan[0].operators[1]", 0, 0);

    /// Together with the dot and the overload, the name fills a 100-byte buffer, so the NUL is written past its end.
    reject "pte/instructions/operator-name-100": "called operator with a full name of 100 bytes"
        breaks rules::INS_OP_NAME, from "pte/valid/operator-name-99" => |file| long_name(file, 96);

    /// The runtime supports names of up to 99 bytes. If the length is not checked, this one overflows the buffer. If it
    /// is truncated, it may match another operator's name.
    reject "pte/instructions/operator-name-5000": "called operator with a name of 5 000 bytes"
        breaks rules::INS_OP_NAME, from "pte/valid/operator-name-99" => |file| long_name(file, 5000);

    /// A reader that resolves only called operators never sees this name, but if it resolves them all, it must check the length.
    either "pte/instructions/uncalled-operator-name-100": "operator with a full name of 100 bytes, not called"
        about rules::INS_OP_NAME_UNCALLED, from "pte/valid/operator-name-99" => |file| rename(file, 96);

    /// A reader that resolves only called operators never notices, but a tool that prints them all dereferences null.
    either "pte/instructions/uncalled-operator-name-absent": "operator without a name, not called"
        about rules::INS_OP_NAME_UNCALLED,
        from "pte/valid/operator-name-99" => |file| file.own_slot("execution_plan[0].operators[1]", 0, 0);

    /// Writers store an empty overload instead. Readers may accept null, but must check for it before they print it.
    either "pte/instructions/overload-absent": "operator without an overload" about rules::INS_OVERLOAD_NONNULL,
        from "pte/valid/instructions" => |file| file.own_slot("execution_plan[0].operators[1]", 1, 0);

    /// The call is for delegate 0, but the method has no delegates. A reader can already notice this when it loads the method.
    reject "pte/instructions/delegate-of-none": "delegate call without delegates" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 2_u8);

    /// The index is 2, but the method has only delegates 0 and 1. A reader whose check is off by one uses the memory
    /// after its list of delegates.
    reject "pte/instructions/delegate-past-end": "delegate index one past the list" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/everything" => |file| file.scalar(&call(1, "delegate_index"), 2_i32);

    /// If only the upper limit is checked, −1 passes, and the call uses the memory before the reader's list of delegates.
    reject "pte/instructions/delegate-minus-1": "delegate index −1" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/everything" => |file| file.scalar(&call(1, "delegate_index"), -1_i32);

    /// The move reads value 9, but the method has only values 0 to 8, so it copies the memory after them.
    reject "pte/instructions/move-from-past-end": "move from a value past the list" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_from"), 9_i32);

    /// The move writes to value 9, but the method has only values 0 to 8, so it overwrites the memory after them.
    reject "pte/instructions/move-to-past-end": "move to a value past the list" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_to"), 9_i32);

    /// If only the upper limit is checked, −1 passes, and the move writes to the memory before the values.
    reject "pte/instructions/move-to-minus-1": "move to value −1" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_to"), -1_i32);

    /// The next jump uses this value as its condition. If types are checked only at load, the jump now tests an Int.
    either "pte/instructions/move-int-over-bool": "move that replaces a Bool with an Int" about rules::INS_MOVE_TYPE,
        from "pte/valid/instructions" => |file| file.scalar(&call(1, "move_to"), 5_i32);

    /// The tensor is in a TensorList. If the list's items are checked only at load, a kernel gets the integer as a tensor.
    either "pte/instructions/move-int-over-listed-tensor": "move that replaces a Tensor in a list with an Int"
        about rules::INS_MOVE_TYPE, from "pte/valid/instructions", refs ["pytorch/executorch#18962"]
        => |file| file.scalar(&call(1, "move_to"), 6_i32);

    /// If the name still refers to this value after the move, a host that asks for the tensor gets the integer.
    either "pte/instructions/move-int-over-named-tensor": "move that replaces a named Tensor with an Int"
        about rules::INS_MOVE_TYPE, from "pte/valid/everything" => |file| file.scalar(&call(2, "move_to"), 4_i32);

    /// Value 9 is freed, but only values 0 to 8 exist. The reader clears the memory after them as if it were a tensor.
    reject "pte/instructions/free-past-end": "free of a value past the list" breaks rules::INS_FREE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18176"]
        => |file| file.scalar(&call(4, "value_index"), 9_i32);

    /// If only the upper limit is checked, −1 passes, and the reader clears a pointer in the memory before the values.
    reject "pte/instructions/free-minus-1": "free of value −1" breaks rules::INS_FREE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18176"]
        => |file| file.scalar(&call(4, "value_index"), -1_i32);

    /// An Int has no memory to free. A reader that does not check the type uses the integer as a pointer to a tensor.
    reject "pte/instructions/free-of-int": "free of an Int" breaks rules::INS_FREE_TYPE, from "pte/valid/instructions",
        refs ["pytorch/executorch#18803"] => |file| file.scalar(&call(4, "value_index"), 3_i32);

    /// After the free, the kernels that use the constant fail in later runs and in other methods.
    either "pte/instructions/free-of-constant": "free of a constant" about rules::INS_FREE_LIVE,
        from "pte/valid/everything" => |file| file.scalar(&call(4, "value_index"), 0_i32);

    /// The run succeeds, but the caller gets a tensor without memory.
    either "pte/instructions/free-of-output": "free of an output" about rules::INS_FREE_LIVE,
        from "pte/valid/everything" => |file| file.scalar(&call(4, "value_index"), 2_i32);

    /// In the next run, the reader copies the input to a null address.
    either "pte/instructions/free-of-input": "free of an input" about rules::INS_FREE_LIVE,
        from "pte/valid/everything" => |file| file.scalar(&call(4, "value_index"), 1_i32);

    /// The freed tensor is the first argument of the next call, so the kernel gets a tensor without data.
    either "pte/instructions/free-before-use": "free of a value before its last use" about rules::INS_FREE_LIVE,
        from "pte/valid/free" => |file| file.elements(&call(2, "args"), 0, 4_i32);

    /// Nothing uses the tensor after the free, so the first run succeeds. But planned memory is assigned only once, so
    /// kernels write to null in the second run.
    either "pte/instructions/free-of-planned": "free of a tensor in planned memory" about rules::INS_FREE_LIVE,
        from "pte/valid/free" => |file| file.scalar(&call(1, "value_index"), 5_i32);

    /// Only tensors can be freed. If the reader does not check the type, it clears the list's pointer, and later accesses fail.
    reject "pte/instructions/free-of-list": "free of a TensorList" breaks rules::INS_FREE_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18803"]
        => |file| file.scalar(&call(4, "value_index"), 8_i32);

    /// The condition is value 9, but the method has only values 0 to 8. A reader whose check is off by one takes the
    /// condition from the memory after them.
    reject "pte/instructions/condition-past-end": "jump condition one past the values"
        breaks rules::INS_JUMP_COND_RANGE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), 9_i32);

    /// If only the upper limit is checked, −1 passes, and the condition comes from the memory before the values.
    reject "pte/instructions/condition-minus-1": "jump condition −1" breaks rules::INS_JUMP_COND_RANGE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), -1_i32);

    /// The condition must be a Bool or a tensor of bools, but some readers do not check this until the jump runs.
    reject "pte/instructions/condition-is-int": "jump condition that is an Int" breaks rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#12294"]
        => |file| file.scalar(&call(2, "cond_value_index"), 3_i32);

    /// A reader that does not check the scalar type uses the first byte of a float as the condition.
    reject "pte/instructions/condition-is-float-tensor": "jump condition that is a float tensor"
        breaks rules::INS_JUMP_COND_TYPE, from "pte/valid/instructions", refs ["pytorch/executorch#12294"]
        => |file| file.scalar(&call(2, "cond_value_index"), 2_i32);

    /// The tensor of bools has neither stored data nor planned memory, so reading it dereferences null.
    reject "pte/instructions/condition-without-data": "jump condition without data" breaks rules::INS_JUMP_COND_DATA,
        from "pte/valid/jump-on-tensor", refs ["pytorch/executorch#12294"]
        => |file| file.own_slot("execution_plan[0].values[7].val", 6, 0);

    /// A jump to 6 would end the chain, but 7 is invalid. If a reader treats all positions from 6 on as the end, it misses this.
    reject "pte/instructions/jump-past-end": "jump past the end of the chain" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 7);

    /// A reader that stops only when the position equals the chain's length runs past the end.
    reject "pte/instructions/jump-max": "jump to 2^31 − 1" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, i32::MAX);

    /// Read as an unsigned number, −1 is past every chain, and a reader that treats this as the end reports no error.
    reject "pte/instructions/jump-minus-1": "jump to −1" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, -1);

    /// The condition is false and never changes, so only a limit on the number of executed instructions ends the run.
    either "pte/instructions/jump-to-itself": "jump to itself" about rules::INS_TERMINATION,
        from "pte/valid/instructions", refs ["pytorch/executorch#18679"] => |file| {
            jump_to(file, 2);
            file.scalar("execution_plan[0].values[5].val.bool_val", 0_u8);
        };
}

/// Renames an operator and makes the first instruction call it.
fn long_name(file: &mut Patcher<'_>, len: u32) {
    rename(file, len);
    file.scalar(&call(0, "op_index"), 2_i32);
}

/// Operator 2 is the only one whose name has room for more bytes.
fn rename(file: &mut Patcher<'_>, len: u32) {
    let name = "execution_plan[0].operators[2].name";
    let start = file.at(name, crate::annotate::PartKind::Elements);
    file.count(name, len);
    file.put(start + 95, if len == 96 { b"x\0".as_slice() } else { b"x" });
}

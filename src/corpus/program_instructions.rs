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
    /// The file is valid: its chain has kernel calls, one move, one jump and one free instruction. The jump is not
    /// taken. A reader that supports only kernel calls rejects the file.
    build "pte/valid/instructions": "every instruction except a delegate call"
        shows rules::INS_TYPE_KNOWN => base::instructions;

    /// The destination of the jump is the end of the chain, one past the last instruction. The file is valid: a jump to
    /// this position ends the method.
    accept "pte/valid/jump-to-end": "jump to the end of the chain" shows rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 6);

    /// The jump goes backward, as in a loop. The file is valid. A reader that accepts only forward jumps rejects every
    /// exported loop.
    accept "pte/valid/jump-backward": "jump backward" shows rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 0);

    /// The condition of the jump is a tensor of bools. The file is valid. A reader that accepts only Bool values
    /// rejects loops that exporters write.
    accept "pte/valid/jump-on-tensor": "jump on a bool tensor" shows rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), 7_i32);

    /// The condition of the jump is a constant tensor of bools. All four bools are true, so the jump is not taken. The
    /// file is valid. A reader that tests only some of the bools can take the wrong branch for a tensor with both true
    /// and false bools.
    build "pte/valid/jump-on-true-tensor": "jump on a constant tensor of true bools" shows rules::INS_JUMP_COND_DATA
        => base::true_condition;

    /// The file is valid: the full names of two operators have 99 bytes, the maximum. No call uses the two operators,
    /// so a reader must not require kernels for the operators.
    build "pte/valid/operator-name-99": "operator names of 99 bytes, not called" shows rules::INS_OP_REGISTERED
        => base::long_operator_names;

    /// The file is valid: a chain without jumps frees a tensor that no instruction uses. A reader that supports only
    /// kernel calls rejects the file.
    build "pte/valid/free": "free of a value that no instruction uses" shows rules::INS_FREE_LIVE => base::free;

    /// The instruction has neither a type nor arguments. FlatBuffers verifiers accept the instruction. A reader that
    /// skips the instruction omits a kernel call.
    reject "pte/instructions/no-type-and-no-arguments": "instruction without type and arguments"
        breaks rules::INS_NONNULL, from "pte/valid/instructions" => |file| {
            file.own_slot("execution_plan[0].chains[0].instructions[3]", 1, 0);
            file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 0_u8);
        };

    /// The instruction's type is 6, the first unknown type. A reader must reject the file. A reader that skips the
    /// instruction runs a different program.
    reject "pte/instructions/type-6": "instruction type 6" breaks rules::INS_TYPE_KNOWN, from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 6_u8);

    /// The instruction's type is 255. A reader that uses the type as an index without a check reads past its list of
    /// handlers. Verifiers do not check arguments of unknown types.
    reject "pte/instructions/type-255": "instruction type 255" breaks rules::INS_TYPE_KNOWN,
        from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", u8::MAX);

    /// The kernel call has no list of arguments. A call without arguments must have an empty list. If a reader reads
    /// the number of arguments without a null check, it dereferences a null pointer.
    reject "pte/instructions/kernel-args-absent": "kernel call without args" breaks rules::INS_ARGS_NONNULL,
        from "pte/valid/instructions", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].chains[0].instructions[3].instr_args", 1, 0);

    /// The delegate call has no list of arguments. Readers can process delegate calls in separate code, so a check of
    /// kernel calls alone is not enough.
    reject "pte/instructions/delegate-args-absent": "delegate call without args" breaks rules::INS_ARGS_NONNULL,
        from "pte/valid/everything"
        => |file| file.own_slot("execution_plan[0].chains[0].instructions[1].instr_args", 1, 0);

    /// An argument of the kernel call is value 9, but the method has nine values. A reader with an off-by-one check
    /// passes the memory after the list of values to the kernel.
    reject "pte/instructions/arg-past-end": "kernel argument one past the values" breaks rules::INS_ARG_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#1517"]
        => |file| file.elements(&call(3, "args"), 0, 9_i32);

    /// An argument of the kernel call is −1, although a writer must encode an omitted argument as the index of a Null.
    /// If a reader checks only the upper limit, it passes the memory in front of the list of values to the kernel.
    reject "pte/instructions/arg-minus-1": "kernel argument index −1" breaks rules::INS_ARG_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#1517"]
        => |file| file.elements(&call(3, "args"), 16, -1_i32);

    /// An argument of the delegate call is value 15, but the method has 15 values. A reader must check the arguments of
    /// delegate calls, not only of kernel calls.
    reject "pte/instructions/delegate-arg-past-end": "delegate argument one past the values"
        breaks rules::INS_ARG_RANGE, from "pte/valid/everything" => |file| file.elements(&call(1, "args"), 4, 15_i32);

    /// The operator index is 1, but the method has one operator. If a reader does not check the index, it uses the word
    /// after the list of operators as an offset to an operator.
    reject "pte/instructions/operator-past-end": "operator index one past the list" breaks rules::INS_OP_INDEX,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"] => |file| file.scalar(&call(0, "op_index"), 1_i32);

    /// The operator index is −1. As a signed integer, −1 is less than the number of operators. If a reader checks only
    /// the upper limit, it calls a function pointer from the memory in front of its list of operators.
    reject "pte/instructions/operator-minus-1": "operator index −1" breaks rules::INS_OP_INDEX,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.scalar(&call(0, "op_index"), -1_i32);

    /// The first of three calls has an invalid operator index. A reader that keeps only the result of the last check
    /// loses this error, because the check of the last call succeeds.
    reject "pte/instructions/operator-past-end-then-good": "invalid operator index in the first of three calls"
        breaks rules::INS_OP_INDEX, from "pte/valid/instructions" => |file| file.scalar(&call(0, "op_index"), 77_i32);

    /// The last of three calls has an invalid operator index. A reader that keeps only the result of the last check
    /// rejects this file. The same reader accepts a file in which only the first call is invalid.
    reject "pte/instructions/operator-past-end-last": "invalid operator index in the last of three calls"
        breaks rules::INS_OP_INDEX, from "pte/valid/instructions" => |file| file.scalar(&call(5, "op_index"), 77_i32);

    /// The operator has no name. If a reader looks up the kernel by name without a null check, it dereferences a null
    /// pointer.
    reject "pte/instructions/operator-name-absent": "operator without a name" breaks rules::INS_OP_NAME,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].operators[0]", 0, 0);

    /// The operator of the first of three calls has no name. A reader that keeps only the result of the last check
    /// loses this error, because the check of the last call succeeds.
    reject "pte/instructions/operator-name-absent-then-good": "operator without a name in the first of three calls"
        breaks rules::INS_OP_NAME,
        from "pte/valid/instructions" => |file| file.own_slot("execution_plan[0].operators[1]", 0, 0);

    /// The operator's full name, with dot and overload, has 100 bytes. A reader that copies the name to a buffer of 100
    /// bytes has no room for the NUL terminator.
    reject "pte/instructions/operator-name-100": "called operator with a full name of 100 bytes"
        breaks rules::INS_OP_NAME, from "pte/valid/operator-name-99" => |file| long_name(file, 96);

    /// The operator's name has 5 000 bytes, but the runtime supports 99. If a reader does not check the length, it
    /// overflows its buffer. A reader that truncates the name can find a different operator.
    reject "pte/instructions/operator-name-5000": "called operator with a name of 5 000 bytes"
        breaks rules::INS_OP_NAME, from "pte/valid/operator-name-99" => |file| long_name(file, 5000);

    /// No call uses the last operator, whose full name has 100 bytes. Readers that resolve each call accept the file. A
    /// reader that resolves every operator must check the length.
    either "pte/instructions/uncalled-operator-name-100": "operator with a full name of 100 bytes, not called"
        about rules::INS_OP_NAME_UNCALLED, from "pte/valid/operator-name-99" => |file| rename(file, 96);

    /// No call uses the second operator, which has no name. Readers that resolve each call accept the file. A reader
    /// that prints every operator dereferences a null pointer.
    either "pte/instructions/uncalled-operator-name-absent": "operator without a name, not called"
        about rules::INS_OP_NAME_UNCALLED,
        from "pte/valid/operator-name-99" => |file| file.own_slot("execution_plan[0].operators[1]", 0, 0);

    /// The operator's overload is absent, although writers emit an empty string. Readers may accept the file, but code
    /// that prints the overload must check for null.
    either "pte/instructions/overload-absent": "operator without an overload" about rules::INS_OVERLOAD_NONNULL,
        from "pte/valid/instructions" => |file| file.own_slot("execution_plan[0].operators[1]", 1, 0);

    /// The instruction calls delegate 0, but the method has no delegates. Readers must check the delegate index when
    /// they load the method. Some readers check the index only when the call runs.
    reject "pte/instructions/delegate-of-none": "delegate call without delegates" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 2_u8);

    /// The delegate index is 2, but the method has two delegates. Readers must check the delegate index when they load
    /// the method. A reader with an off-by-one check uses the memory after its list of delegates.
    reject "pte/instructions/delegate-past-end": "delegate index one past the list" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/everything" => |file| file.scalar(&call(1, "delegate_index"), 2_i32);

    /// The delegate index is −1. As a signed integer, −1 is less than the number of delegates. If a reader checks only
    /// the upper limit, it uses the memory in front of its list of delegates.
    reject "pte/instructions/delegate-minus-1": "delegate index −1" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/everything" => |file| file.scalar(&call(1, "delegate_index"), -1_i32);

    /// The move copies value 9, but the method has nine values. If a reader does not check the index, it copies the
    /// memory after the list of values.
    reject "pte/instructions/move-from-past-end": "move from a value past the list" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_from"), 9_i32);

    /// The move writes value 9, but the method has nine values. If a reader does not check the index, it writes to the
    /// memory after the list of values.
    reject "pte/instructions/move-to-past-end": "move to a value past the list" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_to"), 9_i32);

    /// The move writes value −1. As a signed integer, −1 is less than the number of values. If a reader checks only the
    /// upper limit, it writes to the memory in front of the list of values.
    reject "pte/instructions/move-to-minus-1": "move to value −1" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_to"), -1_i32);

    /// The move replaces a Bool with an Int, and the next jump uses this value as its condition. A reader that checks
    /// the condition's type only when it loads the method uses an integer as a bool.
    either "pte/instructions/move-int-over-bool": "move that replaces a Bool with an Int" about rules::INS_MOVE_TYPE,
        from "pte/valid/instructions" => |file| file.scalar(&call(1, "move_to"), 5_i32);

    /// A TensorList contains a tensor, and the move replaces this tensor with an Int. A reader that checks the list
    /// only when it loads the method passes the integer as a tensor to a kernel.
    either "pte/instructions/move-int-over-listed-tensor": "move that replaces a Tensor in a list with an Int"
        about rules::INS_MOVE_TYPE, from "pte/valid/instructions", refs ["pytorch/executorch#18962"]
        => |file| file.scalar(&call(1, "move_to"), 6_i32);

    /// The move replaces a named tensor with an Int. If a reader still associates the name with this value, a host that
    /// requests the tensor by name gets the integer.
    either "pte/instructions/move-int-over-named-tensor": "move that replaces a named Tensor with an Int"
        about rules::INS_MOVE_TYPE, from "pte/valid/everything" => |file| file.scalar(&call(2, "move_to"), 4_i32);

    /// The instruction frees value 9, but the method has nine values. If a reader does not check the index, it treats
    /// the memory after the list of values as a tensor and clears the tensor's pointer.
    reject "pte/instructions/free-past-end": "free of a value past the list" breaks rules::INS_FREE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18176"]
        => |file| file.scalar(&call(4, "value_index"), 9_i32);

    /// The instruction frees value −1. As a signed integer, −1 is less than the number of values. If a reader checks
    /// only the upper limit, it clears a pointer in the memory in front of the list of values.
    reject "pte/instructions/free-minus-1": "free of value −1" breaks rules::INS_FREE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18176"]
        => |file| file.scalar(&call(4, "value_index"), -1_i32);

    /// The instruction frees an Int, which has no memory. If a reader does not check the type, it uses the integer as a
    /// pointer to a tensor.
    reject "pte/instructions/free-of-int": "free of an Int" breaks rules::INS_FREE_TYPE, from "pte/valid/instructions",
        refs ["pytorch/executorch#18803"] => |file| file.scalar(&call(4, "value_index"), 3_i32);

    /// The instruction frees a constant. In later runs and in other methods, the kernels that use the constant fail.
    either "pte/instructions/free-of-constant": "free of a constant" about rules::INS_FREE_LIVE,
        from "pte/valid/everything" => |file| file.scalar(&call(4, "value_index"), 0_i32);

    /// The instruction frees an output of the method. The run succeeds, but the caller gets a tensor without memory.
    either "pte/instructions/free-of-output": "free of an output" about rules::INS_FREE_LIVE,
        from "pte/valid/everything" => |file| file.scalar(&call(4, "value_index"), 2_i32);

    /// The instruction frees an input of the method. In the next run, a reader copies the input to a null pointer.
    either "pte/instructions/free-of-input": "free of an input" about rules::INS_FREE_LIVE,
        from "pte/valid/everything" => |file| file.scalar(&call(4, "value_index"), 1_i32);

    /// The instruction frees the first argument of the next call, and the chain has no jumps. The kernel receives a
    /// tensor without data.
    either "pte/instructions/free-before-use": "free of a value before its last use" about rules::INS_FREE_LIVE,
        from "pte/valid/free" => |file| file.elements(&call(2, "args"), 0, 4_i32);

    /// The instruction frees a tensor in planned memory after the tensor's last use. The first run succeeds. In the
    /// second run, kernels write to a tensor without data.
    either "pte/instructions/free-of-planned": "free of a tensor in planned memory" about rules::INS_FREE_LIVE,
        from "pte/valid/free" => |file| file.scalar(&call(1, "value_index"), 5_i32);

    /// The instruction frees a TensorList, but only tensors can be freed. If a reader does not check the type, it
    /// clears the list's pointer, and later accesses to the list fail.
    reject "pte/instructions/free-of-list": "free of a TensorList" breaks rules::INS_FREE_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18803"]
        => |file| file.scalar(&call(4, "value_index"), 8_i32);

    /// The condition of the jump is value 9, but the method has nine values. A reader with an off-by-one check uses the
    /// memory after the list of values as the condition.
    reject "pte/instructions/condition-past-end": "jump condition one past the values"
        breaks rules::INS_JUMP_COND_RANGE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), 9_i32);

    /// The condition of the jump is value −1. As a signed integer, −1 is less than the number of values. If a reader
    /// checks only the upper limit, it uses the memory in front of the list of values as the condition.
    reject "pte/instructions/condition-minus-1": "jump condition −1" breaks rules::INS_JUMP_COND_RANGE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), -1_i32);

    /// The condition of the jump is an Int, but must be a Bool or a tensor of bools. Some readers check the type only
    /// when the jump runs.
    reject "pte/instructions/condition-is-int": "jump condition that is an Int" breaks rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#12294"]
        => |file| file.scalar(&call(2, "cond_value_index"), 3_i32);

    /// The condition of the jump is a tensor of floats, but must be a Bool or a tensor of bools. If a reader does not
    /// check the scalar type, it uses a float's first byte as the condition.
    reject "pte/instructions/condition-is-float-tensor": "jump condition that is a float tensor"
        breaks rules::INS_JUMP_COND_TYPE, from "pte/valid/instructions", refs ["pytorch/executorch#12294"]
        => |file| file.scalar(&call(2, "cond_value_index"), 2_i32);

    /// The condition of the jump is a tensor of bools that has neither stored data nor planned memory. A reader that
    /// does not check the pointer dereferences a null pointer.
    reject "pte/instructions/condition-without-data": "jump condition without data" breaks rules::INS_JUMP_COND_DATA,
        from "pte/valid/jump-on-tensor", refs ["pytorch/executorch#12294"]
        => |file| file.own_slot("execution_plan[0].values[7].val", 6, 0);

    /// A jump to the end of the chain is valid, but the destination of this jump is one past the end. A reader that
    /// treats every destination past the last instruction as the end reports no error.
    reject "pte/instructions/jump-past-end": "jump past the end of the chain" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 7);

    /// The destination of the jump is 2^31 − 1. If a reader stops only when the position equals the end of the chain,
    /// it runs past the end.
    reject "pte/instructions/jump-max": "jump to 2^31 − 1" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, i32::MAX);

    /// The destination of the jump is −1. As an unsigned integer, the destination is past the end of every chain. A
    /// reader that treats this destination as the end of the chain stops without an error.
    reject "pte/instructions/jump-minus-1": "jump to −1" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, -1);

    /// The jump's destination is the jump itself, and the condition of the jump never changes. The method never ends,
    /// unless the reader limits the number of instructions.
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

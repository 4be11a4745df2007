//! Cases about a method's instructions: calls, operators, moves, jumps and frees.

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::instructions as rules;

fn call(index: usize, field: &str) -> alloc::string::String {
    alloc::format!("execution_plan[0].chains[0].instructions[{index}].instr_args.{field}")
}

/// Sets the destination of the jump, which skips one of six instructions.
fn jump_to(file: &mut Patcher<'_>, destination: i32) {
    file.scalar(&call(2, "destination_instruction"), destination);
}

cases! {
    /// The chain has kernel calls, a move, a jump that is not taken, and a free. A reader that supports only the most
    /// common instructions rejects the file.
    build "pte/valid/instructions": "every instruction except a delegate call"
        shows rules::INS_TYPE_KNOWN => base::instructions;

    /// A jump one past the last instruction is valid and ends the method. A reader that requires an instruction as
    /// destination rejects the file.
    accept "pte/valid/jump-to-end": "jump to the end of the chain" shows rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 6);

    /// A backward jump forms a loop; here the condition is true, so the jump is not taken. A reader that allows only
    /// forward jumps rejects every exported loop.
    accept "pte/valid/jump-backward": "jump backward" shows rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 0);

    /// A condition may be a tensor of bools, the result of a comparison. A reader that accepts only a Bool rejects
    /// loops that exporters write.
    accept "pte/valid/jump-on-tensor": "jump on a bool tensor" shows rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), 7_i32);

    /// An operator's full name may have 99 bytes, with or without an overload. A reader that resolves operators
    /// that no call uses rejects programs for missing kernels.
    build "pte/valid/operator-name-99": "operator names of 99 bytes, not called" shows rules::INS_OP_REGISTERED
        => base::long_operator_names;

    /// The instruction has neither type nor arguments, and verifiers require neither. A reader that casts the
    /// instruction to a call reads a null table. A reader that skips the instruction omits a kernel.
    reject "pte/instructions/no-type-and-no-arguments": "instruction without type and arguments"
        breaks rules::INS_NONNULL,
        from "pte/valid/instructions" => |file| {
            file.own_slot("execution_plan[0].chains[0].instructions[3]", 1, 0);
            file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 0_u8);
        };

    /// The type is the first unknown number. A reader that skips the instruction runs a different program.
    reject "pte/instructions/type-6": "instruction type 6" breaks rules::INS_TYPE_KNOWN,
        from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 6_u8);

    /// As an index into a table of handlers, the type is past the end. Verifiers check arguments only for known types,
    /// so these arguments are unverified.
    reject "pte/instructions/type-255": "instruction type 255" breaks rules::INS_TYPE_KNOWN,
        from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", u8::MAX);

    /// The list of arguments is absent; a call without arguments has an empty list. A reader that loads the method
    /// dereferences a null pointer to get the list's length.
    reject "pte/instructions/kernel-args-absent": "kernel call without args" breaks rules::INS_ARGS_NONNULL,
        from "pte/valid/instructions", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].chains[0].instructions[3].instr_args", 1, 0);

    /// Readers collect a delegate call's arguments in separate code, so a check on kernel calls does not cover delegate
    /// calls. A reader that loads the method dereferences a null pointer.
    reject "pte/instructions/delegate-args-absent": "delegate call without args" breaks rules::INS_ARGS_NONNULL,
        from "pte/valid/everything"
        => |file| file.own_slot("execution_plan[0].chains[0].instructions[1].instr_args", 1, 0);

    /// The method has nine values and the argument is 9, so an off-by-one check accepts the index. The kernel reads a
    /// tensor past the table.
    reject "pte/instructions/arg-past-end": "kernel argument one past the values" breaks rules::INS_ARG_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#1517"]
        => |file| file.elements(&call(3, "args"), 0, &9_i32.to_le_bytes());

    /// An omitted argument is the index of a Null, not −1. As a signed integer, −1 is below the number of values, and
    /// the kernel writes its result before the table.
    reject "pte/instructions/arg-minus-1": "kernel argument −1" breaks rules::INS_ARG_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#1517"]
        => |file| file.elements(&call(3, "args"), 16, &(-1_i32).to_le_bytes());

    /// The method has 15 values, and the argument is 15, one past the end. A reader that checks only the arguments of
    /// kernel calls passes the backend a pointer past the table.
    reject "pte/instructions/delegate-arg-past-end": "delegate argument one past the values"
        breaks rules::INS_ARG_RANGE,
        from "pte/valid/everything" => |file| file.elements(&call(1, "args"), 4, &15_i32.to_le_bytes());

    /// The list has one operator and the call uses index 1. A reader without a check follows the word after the
    /// list and takes the name from there.
    reject "pte/instructions/operator-past-end": "operator index one past the list" breaks rules::INS_OP_INDEX,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"] => |file| file.scalar(&call(0, "op_index"), 1_i32);

    /// As a signed integer, −1 is below the number of operators. The call then uses the function pointer before the
    /// table.
    reject "pte/instructions/operator-minus-1": "operator index −1" breaks rules::INS_OP_INDEX,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.scalar(&call(0, "op_index"), -1_i32);

    /// The first call has an invalid operator, and good calls follow. A reader with one error variable for all calls
    /// overwrites the error with the next success and later calls an unresolved function.
    reject "pte/instructions/operator-past-end-then-good": "bad operator index before good calls"
        breaks rules::INS_OP_INDEX,
        from "pte/valid/instructions" => |file| file.scalar(&call(0, "op_index"), 77_i32);

    /// The last of three calls uses operator 77 of two. A reader with one error variable still has the error at the end
    /// and rejects the file. Such readers fail only the case with the bad operator in the first call.
    reject "pte/instructions/operator-past-end-last": "bad operator index after good calls" breaks rules::INS_OP_INDEX,
        from "pte/valid/instructions" => |file| file.scalar(&call(5, "op_index"), 77_i32);

    /// The reader builds the kernel's key from the name when it loads the method. Without a check, the reader copies
    /// from a null pointer.
    reject "pte/instructions/operator-name-absent": "operator without a name" breaks rules::INS_OP_NAME,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].operators[0]", 0, 0);

    /// The first of three calls uses an operator without a name. A reader with one error variable for all calls loses
    /// the error and runs with an unset function pointer.
    reject "pte/instructions/operator-name-absent-then-good": "operator without a name before good calls"
        breaks rules::INS_OP_NAME,
        from "pte/valid/instructions" => |file| file.own_slot("execution_plan[0].operators[1]", 0, 0);

    /// The full name, with dot and overload, has 100 bytes. A buffer of 100 has no room for the NUL terminator.
    reject "pte/instructions/operator-name-100": "called operator with a full name of 100 bytes"
        breaks rules::INS_OP_NAME,
        from "pte/valid/operator-name-99" => |file| long_name(file, 96);

    /// A reader that copies the name without a length check writes 4 900 bytes past a buffer of 100. A truncated name
    /// may match another operator.
    reject "pte/instructions/operator-name-5000": "called operator with a name of 5 000 bytes"
        breaks rules::INS_OP_NAME,
        from "pte/valid/operator-name-99" => |file| long_name(file, 5000);

    /// The overload is absent; writers emit an empty string. The code that reports a failed kernel dereferences a null
    /// pointer.
    either "pte/instructions/overload-absent": "operator without an overload" about rules::INS_OVERLOAD_NONNULL,
        from "pte/valid/instructions" => |file| file.own_slot("execution_plan[0].operators[1]", 1, 0);

    /// The method calls delegate 0 but has no delegates. Some readers detect the fault only when the call runs.
    reject "pte/instructions/delegate-of-none": "delegate call without delegates" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 2_u8);

    /// The method has two delegates and the call uses index 2, so an off-by-one check accepts the index. Readers do not
    /// use the index when they load the method, and the call treats arbitrary memory as a delegate.
    reject "pte/instructions/delegate-past-end": "delegate index one past the list" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/everything" => |file| file.scalar(&call(1, "delegate_index"), 2_i32);

    /// Readers may check this index only when the call runs. As a signed integer, −1 is below the number of delegates
    /// and selects the memory before the first delegate.
    reject "pte/instructions/delegate-minus-1": "delegate index −1" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/everything" => |file| file.scalar(&call(1, "delegate_index"), -1_i32);

    /// The method has nine values and the move copies value 9. The bytes after the table become a value, and later
    /// instructions trust its type.
    reject "pte/instructions/move-from-past-end": "move from one past the values" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_from"), 9_i32);

    /// The method has nine values and the move writes value 9, past the table. The file controls both the data and
    /// the position.
    reject "pte/instructions/move-to-past-end": "move to one past the values" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_to"), 9_i32);

    /// As a signed integer, −1 is below the number of values. The move writes before the table, where an allocator may
    /// store its records.
    reject "pte/instructions/move-to-minus-1": "move to −1" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_to"), -1_i32);

    /// The Bool is the condition of the next jump. A reader that checks the condition's type only on load reads an
    /// integer as a bool after the move.
    either "pte/instructions/move-int-over-bool": "move of an Int over a Bool" about rules::INS_MOVE_TYPE,
        from "pte/valid/instructions" => |file| file.scalar(&call(1, "move_to"), 5_i32);

    /// The move replaces a tensor that a list contains. The kernel that uses the list then unpacks a number as a
    /// tensor.
    either "pte/instructions/move-int-over-listed-tensor": "move of an Int over a Tensor in a list"
        about rules::INS_MOVE_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18962"]
        => |file| file.scalar(&call(1, "move_to"), 6_i32);

    /// The method has nine values and the instruction frees value 9. The reader treats the bytes after the table as
    /// a tensor and clears a pointer there.
    reject "pte/instructions/free-past-end": "free of one past the values" breaks rules::INS_FREE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18176"]
        => |file| file.scalar(&call(4, "value_index"), 9_i32);

    /// The instruction frees the value before the first. The reader treats that memory as a tensor and clears its
    /// pointer.
    reject "pte/instructions/free-minus-1": "free of −1" breaks rules::INS_FREE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18176"]
        => |file| file.scalar(&call(4, "value_index"), -1_i32);

    /// An integer has no memory to free. A reader without a type check uses it as a tensor pointer.
    reject "pte/instructions/free-of-int": "free of an Int" breaks rules::INS_FREE_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18803"]
        => |file| file.scalar(&call(4, "value_index"), 3_i32);

    /// The constant is lost for every later run and for every method that shares it. The next kernel that reads the
    /// constant dereferences a null pointer.
    either "pte/instructions/free-of-constant": "free of a constant" about rules::INS_FREE_LIVE,
        from "pte/valid/everything" => |file| file.scalar(&call(4, "value_index"), 0_i32);

    /// The method frees its output before it returns. The run succeeds, and the caller gets a tensor of the right
    /// shape without memory.
    either "pte/instructions/free-of-output": "free of an output" about rules::INS_FREE_LIVE,
        from "pte/valid/everything" => |file| file.scalar(&call(4, "value_index"), 2_i32);

    /// A list stores its item pointer where a tensor stores its data pointer. A reader without a type check clears the
    /// pointer, and the next access to the list uses the damaged pointer.
    reject "pte/instructions/free-of-list": "free of a TensorList" breaks rules::INS_FREE_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18803"]
        => |file| file.scalar(&call(4, "value_index"), 8_i32);

    /// The method has nine values, and the condition is value 9. An off-by-one check lets the bytes after the table
    /// decide the branch.
    reject "pte/instructions/condition-past-end": "jump condition one past the values"
        breaks rules::INS_JUMP_COND_RANGE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), 9_i32);

    /// As a signed integer, −1 is below the number of values. The memory before the first value then decides the
    /// branch.
    reject "pte/instructions/condition-minus-1": "jump condition −1" breaks rules::INS_JUMP_COND_RANGE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), -1_i32);

    /// The integer is 1, so a reader that treats any number as a condition runs normally. Readers check the type
    /// only when the jump runs.
    reject "pte/instructions/condition-is-int": "jump condition that is an Int" breaks rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#12294"]
        => |file| file.scalar(&call(2, "cond_value_index"), 3_i32);

    /// The first byte of 1.0, read as a bool, is false. Readers check the type only when the jump runs; without a
    /// check, the wrong branch runs silently.
    reject "pte/instructions/condition-is-float-tensor": "jump condition that is a float tensor"
        breaks rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#12294"]
        => |file| file.scalar(&call(2, "cond_value_index"), 2_i32);

    /// The destination is one past the end of the chain. A reader that treats any destination past the chain as the end
    /// stops early and reports success.
    reject "pte/instructions/jump-past-end": "jump past the end of the chain" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 7);

    /// A loop that stops only when the position equals the chain's end never stops. The position later wraps to −2^31.
    reject "pte/instructions/jump-max": "jump to 2^31 − 1" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, i32::MAX);

    /// As an unsigned integer, the destination is past every chain. A reader that treats such a destination as the end
    /// stops without an error.
    reject "pte/instructions/jump-minus-1": "jump to −1" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, -1);

    /// The jump leads to itself, and its condition never changes. Only a limit on instructions ends the run.
    either "pte/instructions/jump-to-itself": "jump to itself" about rules::INS_TERMINATION,
        from "pte/valid/instructions", refs ["pytorch/executorch#18679"] => |file| {
            jump_to(file, 2);
            file.scalar("execution_plan[0].values[5].val.bool_val", 0_u8);
        };
}

/// Makes the first call use the operator with spare space, and sets the length of its name.
fn long_name(file: &mut Patcher<'_>, len: u32) {
    let name = "execution_plan[0].operators[2].name";
    let start = file.at(name, crate::annotate::PartKind::Elements);
    file.count(name, len);
    file.put(start + 95, if len == 96 { b"x\0".as_slice() } else { b"x" });
    file.scalar(&call(0, "op_index"), 2_i32);
}

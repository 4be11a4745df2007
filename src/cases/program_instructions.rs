//! A method's instructions: kernel and delegate calls, the operators that they name, moves, jumps and frees.

use super::{cases, program_base as base};
use crate::rules::instructions as rules;

fn call(index: usize, field: &str) -> alloc::string::String {
    alloc::format!("execution_plan[0].chains[0].instructions[{index}].instr_args.{field}")
}

/// The jump over one kernel call; there are six instructions.
fn jump_to(file: &mut super::Edit, destination: i32) {
    file.scalar(&call(2, "destination_instruction"), destination);
}

cases! {
    /// Kernel calls, a move, a jump that is not taken, and a tensor's memory given back: every instruction that needs
    /// no backend. A reader that knows the commonest two refuses control flow.
    build "pte/valid/instructions": "every instruction but a delegate call"
        shows rules::INS_TYPE_KNOWN => base::instructions;

    /// The end of the chain is a place to jump to, one past the last instruction: conditions that leave a method end
    /// there.
    accept "pte/valid/jump-to-end": "jump to the end of the chain" shows rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 6);

    /// A jump backward is a loop, and a condition that becomes true ends it: loops are exported so. This one is true
    /// from the start.
    accept "pte/valid/jump-backward": "jump backward" shows rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 0);

    /// What a jump tests may be a tensor of bools, as comparisons make it.
    accept "pte/valid/jump-on-tensor": "jump on a tensor of bools" shows rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), 7_i32);

    /// An operator's full name may have 99 bytes, by itself or together with its overload, and an operator that nothing
    /// calls need not exist. A reader that resolves what nobody calls refuses programs for kernels that they never
    /// need.
    build "pte/valid/operator-name-99": "operator names of 99 bytes, not called" shows rules::INS_OP_REGISTERED
        => base::long_operator_names;

    /// An instruction of no type and no content: a reader that casts it to a call reads a null table.
    reject "pte/instructions/no-type-and-no-arguments": "instruction of neither type nor content"
        breaks rules::INS_NONNULL,
        from "pte/valid/instructions" => |file| {
            file.own_slot("execution_plan[0].chains[0].instructions[3]", 1, 0);
            file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 0_u8);
        };

    /// The first number past the known types. A reader that steps over it runs another program than was written.
    reject "pte/instructions/type-6": "instruction type 6" breaks rules::INS_TYPE_KNOWN,
        from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 6_u8);

    /// A type of all ones is past any table of handlers that a reader calls by it. A verifier follows the types that it
    /// knows, and has not looked at the arguments.
    reject "pte/instructions/type-255": "instruction type 255" breaks rules::INS_TYPE_KNOWN,
        from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", u8::MAX);

    /// A kernel call without arguments, not even an empty list of them: its length is read through a null pointer.
    reject "pte/instructions/kernel-args-absent": "kernel call without args" breaks rules::INS_ARGS_NONNULL,
        from "pte/valid/instructions", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].chains[0].instructions[3].instr_args", 1, 0);

    /// The same of a delegate call.
    reject "pte/instructions/delegate-args-absent": "delegate call without args" breaks rules::INS_ARGS_NONNULL,
        from "pte/valid/everything"
        => |file| file.own_slot("execution_plan[0].chains[0].instructions[1].instr_args", 1, 0);

    /// The first value that is not there: the kernel is given a pointer behind the table.
    reject "pte/instructions/arg-past-end": "argument one past the values" breaks rules::INS_ARG_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#1517"]
        => |file| file.elements(&call(3, "args"), 0, &9_i32.to_le_bytes());

    /// Minus one is no missing argument, but the value in front of the first.
    reject "pte/instructions/arg-minus-1": "argument −1" breaks rules::INS_ARG_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#1517"]
        => |file| file.elements(&call(3, "args"), 16, &(-1_i32).to_le_bytes());

    /// An argument of a delegate that is not there: readers that look only at those of kernels miss it.
    reject "pte/instructions/delegate-arg-past-end": "delegate's argument one past the values"
        breaks rules::INS_ARG_RANGE,
        from "pte/valid/everything" => |file| file.elements(&call(1, "args"), 4, &15_i32.to_le_bytes());

    /// The only call with an operator that is not there.
    reject "pte/instructions/operator-past-end": "operator index one past the list" breaks rules::INS_OP_INDEX,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"] => |file| file.scalar(&call(0, "op_index"), 1_i32);

    /// Minus one is below any number of operators while it has a sign: the function in front of the table is what is
    /// called.
    reject "pte/instructions/operator-minus-1": "operator index −1" breaks rules::INS_OP_INDEX,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.scalar(&call(0, "op_index"), -1_i32);

    /// A call with an operator that is not there, and good ones behind it. A reader that keeps one error for all calls
    /// overwrites it with the next call's success, and later calls a function that it never found.
    reject "pte/instructions/operator-past-end-then-good": "bad operator index, good calls behind it"
        breaks rules::INS_OP_INDEX,
        from "pte/valid/instructions" => |file| file.scalar(&call(0, "op_index"), 77_i32);

    /// The bad call comes last, where no success overwrites the error.
    reject "pte/instructions/operator-past-end-last": "good calls, bad operator index last" breaks rules::INS_OP_INDEX,
        from "pte/valid/instructions" => |file| file.scalar(&call(5, "op_index"), 77_i32);

    /// An operator without a name: there is nothing to copy into the key that is looked up.
    reject "pte/instructions/operator-name-absent": "operator without a name" breaks rules::INS_OP_NAME,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].operators[0]", 0, 0);

    /// The same of the first call's operator, with good calls behind it that may overwrite the error.
    reject "pte/instructions/operator-name-absent-then-good": "operator without a name, good calls behind it"
        breaks rules::INS_OP_NAME,
        from "pte/valid/instructions" => |file| file.own_slot("execution_plan[0].operators[1]", 0, 0);

    /// A full name of 100 bytes, in which the dot and the overload count: a buffer of 100 has no room for the zero at
    /// its end.
    reject "pte/instructions/operator-name-100": "called operator's full name of 100 bytes" breaks rules::INS_OP_NAME,
        from "pte/valid/operator-name-99" => |file| long_name(file, 96);

    /// A name far longer than any buffer for it. One that is cut off can be another operator's.
    reject "pte/instructions/operator-name-5000": "called operator's name of 5 000 bytes" breaks rules::INS_OP_NAME,
        from "pte/valid/operator-name-99" => |file| long_name(file, 5000);

    /// No overload, where writers put an empty one. What says that a kernel failed then follows a null pointer.
    either "pte/instructions/overload-absent": "operator without an overload" about rules::INS_OVERLOAD_NONNULL,
        from "pte/valid/instructions" => |file| file.own_slot("execution_plan[0].operators[1]", 1, 0);

    /// A call of the first delegate in a method that has none. It is found when the call is made, or never where it is
    /// not.
    reject "pte/instructions/delegate-of-none": "delegate call without delegates" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/instructions"
        => |file| file.scalar("execution_plan[0].chains[0].instructions[3].instr_args_type", 2_u8);

    /// The first delegate that is not there.
    reject "pte/instructions/delegate-past-end": "delegate index one past the list" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/everything" => |file| file.scalar(&call(1, "delegate_index"), 2_i32);

    /// A reader that holds the index against the list only when the call runs has prepared the method by then. With its
    /// sign kept, −1 is the delegate in front of the first.
    reject "pte/instructions/delegate-minus-1": "delegate index −1" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/everything" => |file| file.scalar(&call(1, "delegate_index"), -1_i32);

    /// A value is moved from behind the table.
    reject "pte/instructions/move-from-past-end": "move from one past the values" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_from"), 9_i32);

    /// A value is moved over what is behind the table: a write, and of a place that the file chooses.
    reject "pte/instructions/move-to-past-end": "move to one past the values" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_to"), 9_i32);

    /// The same in front of the table.
    reject "pte/instructions/move-to-minus-1": "move to −1" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_to"), -1_i32);

    /// An integer is moved over a bool. Nothing forbids it, and what has looked at the old value's type is wrong about
    /// the new.
    either "pte/instructions/move-int-over-bool": "move of an Int over a Bool" about rules::INS_MOVE_TYPE,
        from "pte/valid/instructions" => |file| file.scalar(&call(1, "move_to"), 5_i32);

    /// An integer is moved over a tensor that a list refers to: the list's kernel then unpacks a number as a tensor.
    either "pte/instructions/move-int-over-listed-tensor": "move of an Int over a list's Tensor"
        about rules::INS_MOVE_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18962"]
        => |file| file.scalar(&call(1, "move_to"), 6_i32);

    /// The first value that is not there is given back.
    reject "pte/instructions/free-past-end": "free of one past the values" breaks rules::INS_FREE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18176"]
        => |file| file.scalar(&call(4, "value_index"), 9_i32);

    /// The value in front of the first is given back: what lies there is taken for a tensor, and its pointer is set to
    /// null.
    reject "pte/instructions/free-minus-1": "free of −1" breaks rules::INS_FREE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18176"]
        => |file| file.scalar(&call(4, "value_index"), -1_i32);

    /// An integer has no memory to give back; taken for a tensor, its value is the pointer to what is freed.
    reject "pte/instructions/free-of-int": "free of an Int" breaks rules::INS_FREE_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18803"]
        => |file| file.scalar(&call(4, "value_index"), 3_i32);

    /// A constant that is freed is gone for every later run of the method, and for every other method that shares it: the next
    /// kernel that reads it follows a null pointer.
    either "pte/instructions/free-of-constant": "free of a constant" about rules::INS_FREE_LIVE,
        from "pte/valid/everything" => |file| file.scalar(&call(4, "value_index"), 0_i32);

    /// The method's output is freed before it is handed over. The run succeeds, and the caller is given a tensor of the right
    /// shape with no memory behind it.
    either "pte/instructions/free-of-output": "free of an output" about rules::INS_FREE_LIVE,
        from "pte/valid/everything" => |file| file.scalar(&call(4, "value_index"), 2_i32);

    /// A list of tensors is none.
    reject "pte/instructions/free-of-list": "free of a TensorList" breaks rules::INS_FREE_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18803"]
        => |file| file.scalar(&call(4, "value_index"), 8_i32);

    /// The condition is a value that is not there.
    reject "pte/instructions/condition-past-end": "condition one past the values" breaks rules::INS_JUMP_COND_RANGE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), 9_i32);

    /// Whatever lies in front of the first value decides where the method goes on, if the index is held against their
    /// number with its sign.
    reject "pte/instructions/condition-minus-1": "condition −1" breaks rules::INS_JUMP_COND_RANGE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), -1_i32);

    /// An integer is no condition, though in C any number is one.
    reject "pte/instructions/condition-is-int": "condition that is an Int" breaks rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#12294"]
        => |file| file.scalar(&call(2, "cond_value_index"), 3_i32);

    /// A tensor of floats is no condition: read as bools, its bytes are anything.
    reject "pte/instructions/condition-is-float-tensor": "condition that is a tensor of floats"
        breaks rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#12294"]
        => |file| file.scalar(&call(2, "cond_value_index"), 2_i32);

    /// One past the end of the chain, which itself is one past the last instruction. A reader that takes any large
    /// number for the end stops early and calls it success.
    reject "pte/instructions/jump-past-end": "jump past the end of the chain" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 7);

    /// The largest number there is, which wraps when it is counted on.
    reject "pte/instructions/jump-max": "jump to 2^31 − 1" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, i32::MAX);

    /// Minus one: as an unsigned number it is past every chain, and ends it in readers that look no closer.
    reject "pte/instructions/jump-minus-1": "jump to −1" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, -1);

    /// A jump that leads to itself: nothing between two tests can change what is tested. Only a limit on instructions
    /// ends it once the condition is false.
    either "pte/instructions/jump-to-itself": "jump to itself" about rules::INS_TERMINATION,
        from "pte/valid/instructions", refs ["pytorch/executorch#18679"] => |file| {
            jump_to(file, 2);
            file.scalar("execution_plan[0].values[5].val.bool_val", 0_u8);
        };
}

/// Lets the first call name the operator with room in its name, which then has so many bytes.
fn long_name(file: &mut super::Edit, len: u32) {
    let name = "execution_plan[0].operators[2].name";
    let start = file.at(name, crate::annotate::What::Elements);
    file.count(name, len);
    file.put(start + 95, if len == 96 { b"x\0".as_slice() } else { b"x" });
    file.scalar(&call(0, "op_index"), 2_i32);
}

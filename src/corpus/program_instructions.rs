//! A method's instructions: kernel and delegate calls, the operators that they name, moves, jumps and frees.

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::instructions as rules;

fn call(index: usize, field: &str) -> alloc::string::String {
    alloc::format!("execution_plan[0].chains[0].instructions[{index}].instr_args.{field}")
}

/// The jump over one kernel call; there are six instructions.
fn jump_to(file: &mut Patcher<'_>, destination: i32) {
    file.scalar(&call(2, "destination_instruction"), destination);
}

cases! {
    /// Kernel calls, a move, a jump that is not taken, and a tensor's memory given back: every instruction that needs
    /// no backend. A reader that knows the commonest two refuses control flow.
    build "pte/valid/instructions": "every instruction but a delegate call"
        shows rules::INS_TYPE_KNOWN => base::instructions;

    /// The end of the chain is a place to jump to, one past the last instruction: conditions that leave a method end
    /// there. A reader that wants every destination to be an instruction refuses them.
    accept "pte/valid/jump-to-end": "jump to the end of the chain" shows rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 6);

    /// A jump backward is a loop, and a condition that becomes true ends it; this one is true from the start. A reader
    /// that allows jumps ahead only refuses every loop that is exported.
    accept "pte/valid/jump-backward": "jump backward" shows rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 0);

    /// What a jump tests may be a tensor of bools, as comparisons make it. A reader that knows no condition but a Bool
    /// refuses loops that exporters write.
    accept "pte/valid/jump-on-tensor": "jump on a tensor of bools" shows rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), 7_i32);

    /// An operator's full name may have 99 bytes, by itself or together with its overload, and an operator that nothing
    /// calls need not exist. A reader that resolves what nobody calls refuses programs for kernels that they never
    /// need.
    build "pte/valid/operator-name-99": "operator names of 99 bytes, not called" shows rules::INS_OP_REGISTERED
        => base::long_operator_names;

    /// An instruction of no type and no content, which no verifier misses. A reader that casts it to one of the five
    /// calls reads a null table, and one that steps over it has left out a kernel.
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

    /// A call without arguments has an empty list of them; this one has none. Its length sizes what is kept for the
    /// call when the method is prepared, and is read through a null pointer.
    reject "pte/instructions/kernel-args-absent": "kernel call without args" breaks rules::INS_ARGS_NONNULL,
        from "pte/valid/instructions", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].chains[0].instructions[3].instr_args", 1, 0);

    /// A backend's arguments are collected apart from a kernel's, so a check of kernel calls does not cover them: the
    /// length of what is absent is read through a null pointer when the method is prepared.
    reject "pte/instructions/delegate-args-absent": "delegate call without args" breaks rules::INS_ARGS_NONNULL,
        from "pte/valid/everything"
        => |file| file.own_slot("execution_plan[0].chains[0].instructions[1].instr_args", 1, 0);

    /// The method has nine values and the first argument is number 9: a comparison that allows the count itself passes
    /// it, and the kernel reads a tensor from behind the table.
    reject "pte/instructions/arg-past-end": "argument one past the values" breaks rules::INS_ARG_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#1517"]
        => |file| file.elements(&call(3, "args"), 0, &9_i32.to_le_bytes());

    /// An argument that is not given is the index of a Null. −1 is below the number of values while it has a sign, and
    /// gives the kernel the place in front of the first value for its result.
    reject "pte/instructions/arg-minus-1": "argument −1" breaks rules::INS_ARG_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#1517"]
        => |file| file.elements(&call(3, "args"), 16, &(-1_i32).to_le_bytes());

    /// The method has fifteen values, and the second argument is number 15. A reader that holds only the arguments of
    /// kernels against their number gives the backend a pointer behind the table.
    reject "pte/instructions/delegate-arg-past-end": "delegate's argument one past the values"
        breaks rules::INS_ARG_RANGE,
        from "pte/valid/everything" => |file| file.elements(&call(1, "args"), 4, &15_i32.to_le_bytes());

    /// The method's only call asks for the second of one operator. A reader that does not compare takes a table's
    /// distance to its vtable for the reference to the operator, and looks for a name there.
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

    /// The last of three calls asks for operator 77 of two. A reader that keeps one error for all calls still has it at
    /// the end and refuses, so a test with this order alone says that it looks.
    reject "pte/instructions/operator-past-end-last": "good calls, bad operator index last" breaks rules::INS_OP_INDEX,
        from "pte/valid/instructions" => |file| file.scalar(&call(5, "op_index"), 77_i32);

    /// The key for the registry of kernels is put together from the name when the method is prepared: there is nothing
    /// to copy, and a reader that does not ask copies through a null pointer.
    reject "pte/instructions/operator-name-absent": "operator without a name" breaks rules::INS_OP_NAME,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].operators[0]", 0, 0);

    /// The first of three calls has the operator without a name. Where one error is kept for all calls, the success of
    /// the next wipes it out, and a run begins with a function pointer that was never set.
    reject "pte/instructions/operator-name-absent-then-good": "operator without a name, good calls behind it"
        breaks rules::INS_OP_NAME,
        from "pte/valid/instructions" => |file| file.own_slot("execution_plan[0].operators[1]", 0, 0);

    /// A full name of 100 bytes, in which the dot and the overload count: a buffer of 100 has no room for the zero at
    /// its end.
    reject "pte/instructions/operator-name-100": "called operator's full name of 100 bytes" breaks rules::INS_OP_NAME,
        from "pte/valid/operator-name-99" => |file| long_name(file, 96);

    /// Copied without a bound, the name runs 4 900 bytes past a buffer of a hundred. Cut off to fit, it may be another
    /// operator's, and that one is called.
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

    /// The method has two delegates and the call asks for number 2, which a comparison that allows the count passes.
    /// Preparing the method never uses the index, so it shows when the call goes through bytes that never were a
    /// delegate.
    reject "pte/instructions/delegate-past-end": "delegate index one past the list" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/everything" => |file| file.scalar(&call(1, "delegate_index"), 2_i32);

    /// A reader that holds the index against the list only when the call runs has prepared the method by then. With its
    /// sign kept, −1 is the delegate in front of the first.
    reject "pte/instructions/delegate-minus-1": "delegate index −1" breaks rules::INS_DELEGATE_INDEX,
        from "pte/valid/everything" => |file| file.scalar(&call(1, "delegate_index"), -1_i32);

    /// The method has nine values, and number 9 is copied over another: what lies behind the table becomes a value, of
    /// the type that these bytes happen to give, and later instructions trust it.
    reject "pte/instructions/move-from-past-end": "move from one past the values" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_from"), 9_i32);

    /// Number 9 of nine values is written to, so the integer and its type land behind the table. It happens each time
    /// that the method runs, and both what is written and where are the file's choice.
    reject "pte/instructions/move-to-past-end": "move to one past the values" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_to"), 9_i32);

    /// With its sign, −1 is below the number of values: the integer is written in front of the table, where an
    /// allocator may keep its own records. Made unsigned first, the same comparison refuses it.
    reject "pte/instructions/move-to-minus-1": "move to −1" breaks rules::INS_MOVE_RANGE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18658"]
        => |file| file.scalar(&call(1, "move_to"), -1_i32);

    /// The bool is the condition of the jump that follows. Whoever asked for its type when the method was prepared has
    /// seen a bool, and the jump then reads an integer as one.
    either "pte/instructions/move-int-over-bool": "move of an Int over a Bool" about rules::INS_MOVE_TYPE,
        from "pte/valid/instructions" => |file| file.scalar(&call(1, "move_to"), 5_i32);

    /// An integer is moved over a tensor that a list refers to: the list's kernel then unpacks a number as a tensor.
    either "pte/instructions/move-int-over-listed-tensor": "move of an Int over a list's Tensor"
        about rules::INS_MOVE_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18962"]
        => |file| file.scalar(&call(1, "move_to"), 6_i32);

    /// Number 9 of nine values is given back: bytes behind the table are taken for a tensor, and where they lead, a
    /// pointer is set to null.
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

    /// A list of tensors has a pointer where a tensor has one, but to its items. A reader that does not ask for the
    /// type clears one of these, and the list's next user follows what is left.
    reject "pte/instructions/free-of-list": "free of a TensorList" breaks rules::INS_FREE_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#18803"]
        => |file| file.scalar(&call(4, "value_index"), 8_i32);

    /// The method has nine values and the condition is number 9. A comparison that allows the count lets bytes behind
    /// the table decide which branch runs, if they happen to say that they are a bool.
    reject "pte/instructions/condition-past-end": "condition one past the values" breaks rules::INS_JUMP_COND_RANGE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), 9_i32);

    /// Whatever lies in front of the first value decides where the method goes on, if the index is held against their
    /// number with its sign.
    reject "pte/instructions/condition-minus-1": "condition −1" breaks rules::INS_JUMP_COND_RANGE,
        from "pte/valid/instructions" => |file| file.scalar(&call(2, "cond_value_index"), -1_i32);

    /// The integer is 1: taken as any number is in C, it is true and all goes well. Its type is not needed to prepare
    /// the method, so a reader that asks finds it only when the jump runs.
    reject "pte/instructions/condition-is-int": "condition that is an Int" breaks rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#12294"]
        => |file| file.scalar(&call(2, "cond_value_index"), 3_i32);

    /// Read as bools, byte for byte, even 1.0 is false, for its first two bytes are 0. Its type is not needed to
    /// prepare the method, so without a check at the jump a wrong branch runs and nothing fails.
    reject "pte/instructions/condition-is-float-tensor": "condition that is a tensor of floats"
        breaks rules::INS_JUMP_COND_TYPE,
        from "pte/valid/instructions", refs ["pytorch/executorch#12294"]
        => |file| file.scalar(&call(2, "cond_value_index"), 2_i32);

    /// One past the end of the chain, which itself is one past the last instruction. A reader that takes any large
    /// number for the end stops early and calls it success.
    reject "pte/instructions/jump-past-end": "jump past the end of the chain" breaks rules::INS_JUMP_DEST,
        from "pte/valid/instructions" => |file| jump_to(file, 7);

    /// A reader that runs until its position equals the chain's end passes it by, and counted on from 2^31 − 1 the
    /// position wraps to −2^31. Times the four bytes of a reference it is −4 in 32 bits.
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
fn long_name(file: &mut Patcher<'_>, len: u32) {
    let name = "execution_plan[0].operators[2].name";
    let start = file.at(name, crate::annotate::PartKind::Elements);
    file.count(name, len);
    file.put(start + 95, if len == 96 { b"x\0".as_slice() } else { b"x" });
    file.scalar(&call(0, "op_index"), 2_i32);
}

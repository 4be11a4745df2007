//! Calls of the runtime's own operators, whose signatures every reader has.

use super::{cases, program_base as base};
use crate::rules::instructions as rules;

const CALLS: &str = "execution_plan[0].chains[0].instructions";

cases! {
    /// The runtime's own operators: a slice copied into a tensor, its last one, and arithmetic with integers. Their
    /// arguments are known without any kernel library, the result counted among them.
    build "pte/valid/own-operators": "calls of the runtime's own operators"
        shows rules::INS_ARITY => base::own_operators;

    /// An addition takes two numbers and the place of their sum, and the call has the first. A kernel that does not
    /// compare takes two pointers from behind the list, and writes through one of them.
    reject "pte/kernels/too-few-arguments": "add with 1 argument of 3" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm", "pytorch/executorch#12987"]
        => |file| file.count(&alloc::format!("{CALLS}[1].instr_args.args"), 1);

    /// A negation takes a number and the place of its result, and the list has neither. A kernel that takes its first
    /// argument before it asks for their number reads a pointer from behind an empty array.
    reject "pte/kernels/no-arguments": "negation without arguments" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[2].instr_args.args"), 0);

    /// A selection has a condition, two choices and the place of its result, and the last is missing. A kernel that
    /// does not compare takes it from behind the list and writes through it.
    reject "pte/kernels/result-missing": "selection with 3 arguments of 4" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[3].instr_args.args"), 3);

    /// The position to copy the slice to is the third argument of two: what stands behind the list is followed as a
    /// pointer to it, and decides how far from the tensor the kernel writes.
    reject "pte/kernels/copy-index-without-index": "copy of a slice with 2 arguments of 3" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[0].instr_args.args"), 2);

    /// One argument more than the operator has: which of them is the result, two readers may answer differently.
    reject "pte/kernels/too-many-arguments": "negation with 3 arguments of 2" breaks rules::INS_ARITY,
        from "pte/valid/own-operators"
        => |file| file.scalar(&alloc::format!("{CALLS}[1].instr_args.op_index"), 2_i32);

    /// The tensor to copy into is an integer, 1: a kernel that does not ask for the type takes that for the address of
    /// the tensor's description, and writes where this leads.
    reject "pte/kernels/copy-index-into-int": "copy of a slice into an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators"
        => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 0, &4_i32.to_le_bytes());

    /// The source of the copy is a bool. Its byte, with what lies beside it, is taken for the address of a tensor's
    /// description, and what that points to is copied into the method's memory.
    reject "pte/kernels/copy-index-of-bool": "copy of a Bool as a slice" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators"
        => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 4, &6_i32.to_le_bytes());

    /// The index is a tensor. A kernel that does not ask for the type takes the address of its description for a number
    /// of slices, and writes as many slices behind the stack.
    reject "pte/kernels/copy-index-by-tensor": "copy of a slice with a Tensor for index" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators"
        => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 8, &0_i32.to_le_bytes());

    /// The first slice that the tensor has no room for. The index is a value that the method may change before the
    /// call, so the file alone does not decide it; a kernel that does not look writes behind the tensor.
    either "pte/kernels/copy-index-past-end": "copy of a slice to index 4 of 4" about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "pytorch/executorch#12697"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", 4_i64);

    /// With its sign, −1 is below the number of slices. Times the eight bytes of a slice it is eight bytes in front of
    /// the tensor, where the kernel then writes two floats.
    either "pte/kernels/copy-index-minus-1": "copy of a slice to index −1" about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", -1_i64);

    /// 2^61 slices of eight bytes wrap to 0: the copy's place is the first slice, and its end inside the tensor. A
    /// kernel that counts in bytes finds nothing wrong and overwrites what is there.
    either "pte/kernels/copy-index-wraps": "copy of a slice to index 2^61" about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", 1_i64 << 61);

    /// Kernels are looked up by the types and dimension orders of all tensors of a call, as a text. Here that takes all
    /// 658 bytes that the official runtime has for it, with 16 tensors of 16 dimensions.
    build "pte/valid/longest-kernel-key": "a call with the longest key that there is room for"
        shows rules::INS_KERNEL_KEY => base::longest_kernel_key;

    /// One tensor more, and the key is 699 bytes long. A reader that writes it without counting writes 41 of them behind
    /// a buffer on the stack.
    either "pte/kernels/key-too-long": "a call with 17 tensors of 16 dimensions" about rules::INS_KERNEL_KEY,
        from "pte/valid/longest-kernel-key"
        => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 64, &1_i32.to_le_bytes());
}

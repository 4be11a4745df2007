//! Cases about calls of the runtime's own operators, whose signatures every reader knows.

use super::{cases, program_base as base};
use crate::rules::instructions as rules;

const CALLS: &str = "execution_plan[0].chains[0].instructions";

cases! {
    /// The method copies a slice into a tensor and computes with integers. Every reader knows the arguments of these
    /// operators, including the result, without a kernel library.
    build "pte/valid/own-operators": "calls of the runtime's own operators"
        shows rules::INS_ARITY => base::own_operators;

    /// Addition requires two numbers and a result, and the call has one argument. A kernel that does not check the
    /// count reads two pointers past the list and writes to the address in one of them.
    reject "pte/kernels/too-few-arguments": "add with 1 argument of 3" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm", "pytorch/executorch#12987"]
        => |file| file.count(&alloc::format!("{CALLS}[1].instr_args.args"), 1);

    /// Negation requires a number and a result, and the list of arguments is empty. A kernel that does not check the
    /// count reads a pointer past an empty array.
    reject "pte/kernels/no-arguments": "negation without arguments" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[2].instr_args.args"), 0);

    /// Selection requires a condition, two choices and a result, and the result is missing. A kernel that does not
    /// check the count reads a pointer past the list and writes to that address.
    reject "pte/kernels/result-missing": "selection with 3 arguments of 4" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[3].instr_args.args"), 3);

    /// The third argument, the index of the slice, is missing. The kernel reads the index from the bytes after the
    /// list, and the index decides how far from the tensor the kernel writes.
    reject "pte/kernels/copy-index-without-index": "copy of a slice with 2 arguments of 3" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[0].instr_args.args"), 2);

    /// The call has one argument more than the operator. Two readers may disagree about which argument is the result.
    reject "pte/kernels/too-many-arguments": "negation with 3 arguments of 2" breaks rules::INS_ARITY,
        from "pte/valid/own-operators"
        => |file| file.scalar(&alloc::format!("{CALLS}[1].instr_args.op_index"), 2_i32);

    /// The destination is an integer, 1, instead of a tensor. A kernel that does not check the type uses the integer as
    /// a pointer and writes to that address.
    reject "pte/kernels/copy-index-into-int": "copy of a slice into an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators"
        => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 0, &4_i32.to_le_bytes());

    /// The source is a bool instead of a tensor. A kernel that does not check the type uses the bool's bytes as a
    /// pointer and copies from that address.
    reject "pte/kernels/copy-index-of-bool": "copy of a Bool as a slice" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators"
        => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 4, &6_i32.to_le_bytes());

    /// The index is a tensor instead of an integer. A kernel that does not check the type uses a pointer as the
    /// index and writes far past the tensor.
    reject "pte/kernels/copy-index-by-tensor": "copy of a slice with a Tensor as index" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators"
        => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 8, &0_i32.to_le_bytes());

    /// The tensor has no room for this slice. The method may change the index before the call, so the file alone does
    /// not decide whether the index is valid. A kernel without a check writes past the tensor.
    either "pte/kernels/copy-index-past-end": "copy of a slice to index 4 of 4" about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "pytorch/executorch#12697"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", 4_i64);

    /// As a signed integer, −1 is below the number of slices. The kernel then writes two floats eight bytes before the
    /// tensor.
    either "pte/kernels/copy-index-minus-1": "copy of a slice to index −1" about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", -1_i64);

    /// 2^61 slices of eight bytes wrap to offset 0, so the copy starts at the first slice. A kernel that checks only
    /// byte offsets overwrites the first slice.
    either "pte/kernels/copy-index-wraps": "copy of a slice to index 2^61" about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", 1_i64 << 61);

    /// Readers look up kernels by a text key that lists the types and dimension orders of all tensors. With 16 tensors
    /// of 16 dimensions, the key fills all 658 bytes that the official runtime reserves.
    build "pte/valid/longest-kernel-key": "kernel call with the longest possible key"
        shows rules::INS_KERNEL_KEY => base::longest_kernel_key;

    /// With 17 tensors, the key has 699 bytes. A reader that writes the key without a length check writes 41 bytes past
    /// a stack buffer.
    either "pte/kernels/key-too-long": "kernel call with 17 tensors of 16 dimensions" about rules::INS_KERNEL_KEY,
        from "pte/valid/longest-kernel-key"
        => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 64, &1_i32.to_le_bytes());
}

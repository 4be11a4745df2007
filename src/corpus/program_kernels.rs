//! Cases about calls of operators that are built into the runtime. Every reader can check the arguments of these calls,
//! because the operators' signatures are fixed.

use super::{cases, program_base as base};
use crate::rules::instructions as rules;

const CALLS: &str = "execution_plan[0].chains[0].instructions";

cases! {
    /// The file is valid: it calls operators that are built into the runtime, with correct arguments. A reader can
    /// check calls of built-in operators without a kernel library.
    build "pte/valid/own-operators": "calls of the runtime's own operators"
        shows rules::INS_ARITY => base::own_operators;

    /// The operator `add` has three arguments, but the call has one. If a kernel does not check the count, it reads
    /// pointers past the list of arguments and writes through one of these pointers.
    reject "pte/kernels/too-few-arguments": "add with 1 argument instead of 3" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm", "pytorch/executorch#12987"]
        => |file| file.count(&alloc::format!("{CALLS}[1].instr_args.args"), 1);

    /// The operator `neg` has two arguments, but the call has none. If a kernel does not check the count, it reads a
    /// pointer past the empty list of arguments.
    reject "pte/kernels/no-arguments": "neg without arguments" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[2].instr_args.args"), 0);

    /// The operator `sym_ite` has four arguments, but the call has three and lacks the result. If a kernel does not
    /// check the count, it reads an address from the memory after the list of arguments and writes to this address.
    reject "pte/kernels/result-missing": "sym_ite with 3 arguments instead of 4" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[3].instr_args.args"), 3);

    /// The operator `et_copy_index` has three arguments, but the call lacks the index. If a kernel does not check the
    /// count, it uses the memory after the list of arguments as the index. The kernel then writes far outside the
    /// tensor.
    reject "pte/kernels/copy-index-without-index": "copy of a slice with 2 arguments instead of 3"
        breaks rules::INS_ARITY, from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[0].instr_args.args"), 2);

    /// The operator `neg` has two arguments, but the call has three. Readers can disagree about which argument is the
    /// result.
    reject "pte/kernels/too-many-arguments": "neg with 3 arguments instead of 2" breaks rules::INS_ARITY,
        from "pte/valid/own-operators" => |file| file.scalar(&alloc::format!("{CALLS}[1].instr_args.op_index"), 2_i32);

    /// The destination of `et_copy_index` is the integer 1 instead of a tensor. If a kernel does not check the type, it
    /// uses the integer as an address.
    reject "pte/kernels/copy-index-into-int": "copy of a slice into an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators" => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 0, 4_i32);

    /// The source of `et_copy_index` is a bool instead of a tensor. If a kernel does not check the type, it uses the
    /// bool's bytes as an address.
    reject "pte/kernels/copy-index-of-bool": "copy of a Bool as a slice" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators" => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 4, 6_i32);

    /// The index of `et_copy_index` is a tensor instead of an integer. If a kernel does not check the type, it uses the
    /// tensor's pointer as the index. The kernel then writes far outside the destination.
    reject "pte/kernels/copy-index-by-tensor": "copy of a slice with a Tensor as index" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators" => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 8, 0_i32);

    /// The index of `et_copy_index` is 4, but the tensor has four slices, 0 to 3. The method can change the index
    /// before the call, so a kernel must check the index when the call runs.
    either "pte/kernels/copy-index-past-end": "copy of a slice to index 4 in a tensor of 4 slices"
        about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "pytorch/executorch#12697"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", 4_i64);

    /// The index of `et_copy_index` is −1. As a signed integer, −1 is less than the number of slices. If a kernel
    /// checks only the upper limit, it writes to the eight bytes in front of the tensor's data.
    either "pte/kernels/copy-index-minus-1": "copy of a slice to index −1" about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", -1_i64);

    /// The index of `et_copy_index` is 2^61. The index times the slice size, 8 bytes, is 2^64, which wraps to offset 0.
    /// A kernel must check the index, not the byte offset.
    either "pte/kernels/copy-index-wraps": "copy of a slice to index 2^61" about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", 1_i64 << 61);

    /// Readers look up kernels by a text key that consists of the types and dimension orders of the tensors. In this
    /// valid file, the key has 658 bytes, the maximum that the official runtime supports.
    build "pte/valid/longest-kernel-key": "kernel call with the longest possible key"
        shows rules::INS_KERNEL_KEY => base::longest_kernel_key;

    /// The kernel call has 17 tensors, so its lookup key has 699 bytes. The official runtime supports keys of at most
    /// 658 bytes. A reader that writes the key without a length check overflows a buffer.
    reject "pte/kernels/key-too-long": "kernel call with 17 tensors of 16 dimensions" breaks rules::INS_KERNEL_KEY,
        from "pte/valid/longest-kernel-key"
        => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 64, 1_i32);
}

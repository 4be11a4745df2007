//! Cases about calls to operators built into the runtime. Their signatures are fixed, so every reader can check the
//! arguments.

use super::{cases, program_base as base};
use crate::rules::instructions as rules;

const CALLS: &str = "execution_plan[0].chains[0].instructions";

cases! {
    /// These operators are built into the runtime, so a reader can check the calls without a kernel library.
    build "pte/valid/own-operators": "calls of the runtime's own operators"
        shows rules::INS_ARITY => base::own_operators;

    /// The kernel takes the two missing arguments from the memory after the list, and writes through one of them.
    reject "pte/kernels/too-few-arguments": "add with 1 argument instead of 3" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm", "pytorch/executorch#12987"]
        => |file| file.count(&alloc::format!("{CALLS}[1].instr_args.args"), 1);

    /// The kernel takes both its operand and its result from the memory after the empty list.
    reject "pte/kernels/no-arguments": "neg without arguments" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[2].instr_args.args"), 0);

    /// The missing argument is the result, so the kernel writes to whatever address follows the list in memory.
    reject "pte/kernels/result-missing": "sym_ite with 3 arguments instead of 4" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[3].instr_args.args"), 3);

    /// The kernel takes the index from the memory after the list, so it writes far outside the tensor.
    reject "pte/kernels/copy-index-without-index": "copy of a slice with 2 arguments instead of 3"
        breaks rules::INS_ARITY, from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[0].instr_args.args"), 2);

    /// Readers can disagree about which of the three arguments is the result.
    reject "pte/kernels/too-many-arguments": "neg with 3 arguments instead of 2" breaks rules::INS_ARITY,
        from "pte/valid/own-operators" => |file| file.scalar(&alloc::format!("{CALLS}[1].instr_args.op_index"), 2_i32);

    /// A kernel that does not check the type uses the destination, the integer 1, as an address.
    reject "pte/kernels/copy-index-into-int": "copy of a slice into an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators" => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 0, 4_i32);

    /// A kernel that does not check the type uses the Bool's bytes as the address of the source.
    reject "pte/kernels/copy-index-of-bool": "copy of a Bool as a slice" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators" => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 4, 6_i32);

    /// A kernel that does not check the type uses the tensor's pointer as the index, and writes far outside the
    /// destination.
    reject "pte/kernels/copy-index-by-tensor": "copy of a slice with a Tensor as index" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators" => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 8, 0_i32);

    /// Only slices 0 to 3 exist. The method can change the index before the call, so the kernel has to check it at run
    /// time.
    either "pte/kernels/copy-index-past-end": "copy of a slice to index 4 in a tensor of 4 slices"
        about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "pytorch/executorch#12697"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", 4_i64);

    /// If only the upper limit is checked, −1 passes, and the kernel writes to the eight bytes before the tensor.
    either "pte/kernels/copy-index-minus-1": "copy of a slice to index −1" about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", -1_i64);

    /// Multiplied by the slice size of 8 bytes, the index wraps to offset 0. Kernels must check the index, not the offset.
    either "pte/kernels/copy-index-wraps": "copy of a slice to index 2^61" about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", 1_i64 << 61);

    /// Kernels are looked up by a key of types and dimension orders. The official runtime supports keys of up to 658 bytes.
    build "pte/valid/longest-kernel-key": "kernel call with the longest possible key"
        shows rules::INS_KERNEL_KEY => base::longest_kernel_key;

    /// The look-up key has 699 bytes, but the official runtime supports at most 658. A reader that does not check the
    /// length overflows a buffer.
    reject "pte/kernels/key-too-long": "kernel call with 17 tensors of 16 dimensions" breaks rules::INS_KERNEL_KEY,
        from "pte/valid/longest-kernel-key"
        => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 64, 1_i32);
}

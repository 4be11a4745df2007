//! Calls of the runtime's own operators, whose signatures every reader has.

use super::{cases, program_base as base};
use crate::rules::instructions as rules;

const CALLS: &str = "execution_plan[0].chains[0].instructions";

cases! {
    /// The runtime's own operators: a slice copied into a tensor, its last one, and arithmetic with integers. Their
    /// arguments are known without any kernel library, the result counted among them.
    build "pte/valid/own-operators": "calls of the runtime's own operators"
        shows rules::INS_ARITY => base::own_operators;

    /// A kernel that reads its third argument without looking how many there are reads behind the list.
    reject "pte/kernels/too-few-arguments": "add with 1 argument of 3" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm", "pytorch/executorch#12987"]
        => |file| file.count(&alloc::format!("{CALLS}[1].instr_args.args"), 1);

    /// No arguments at all, which takes the first away, too.
    reject "pte/kernels/no-arguments": "negation without arguments" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[2].instr_args.args"), 0);

    /// One argument less than the operator has: the missing one is the result, so that the kernel writes behind the
    /// list.
    reject "pte/kernels/result-missing": "selection with 3 arguments of 4" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[3].instr_args.args"), 3);

    /// Two arguments of three for the copy of a slice: the index is read from behind the list.
    reject "pte/kernels/copy-index-without-index": "copy of a slice with 2 arguments of 3" breaks rules::INS_ARITY,
        from "pte/valid/own-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| file.count(&alloc::format!("{CALLS}[0].instr_args.args"), 2);

    /// One argument more than the operator has: which of them is the result, two readers may answer differently.
    reject "pte/kernels/too-many-arguments": "negation with 3 arguments of 2" breaks rules::INS_ARITY,
        from "pte/valid/own-operators"
        => |file| file.scalar(&alloc::format!("{CALLS}[1].instr_args.op_index"), 2_i32);

    /// The tensor to copy into is an integer: its value becomes the address that is written to.
    reject "pte/kernels/copy-index-into-int": "copy of a slice into an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators"
        => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 0, &4_i32.to_le_bytes());

    /// The slice to copy is a bool.
    reject "pte/kernels/copy-index-of-bool": "copy of a Bool as a slice" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators"
        => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 4, &6_i32.to_le_bytes());

    /// The index is a tensor: its address is taken for a number of slices to skip.
    reject "pte/kernels/copy-index-by-tensor": "copy of a slice with a Tensor for index" breaks rules::INS_ARG_TYPES,
        from "pte/valid/own-operators"
        => |file| file.elements(&alloc::format!("{CALLS}[0].instr_args.args"), 8, &0_i32.to_le_bytes());

    /// The first slice that the tensor has no room for. The index is a value that the method may change before the
    /// call, so the file alone does not decide it; a kernel that does not look writes behind the tensor.
    either "pte/kernels/copy-index-past-end": "copy of a slice to index 4 of 4" about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "pytorch/executorch#12697"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", 4_i64);

    /// The slice in front of the first: the kernel writes there.
    either "pte/kernels/copy-index-minus-1": "copy of a slice to index −1" about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", -1_i64);

    /// An index that, times the eight bytes of a slice, wraps to the first slice.
    either "pte/kernels/copy-index-wraps": "copy of a slice to index 2^61" about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/own-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", 1_i64 << 61);
}

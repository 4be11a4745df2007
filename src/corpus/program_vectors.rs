//! Cases about vectors and strings whose declared length extends past the end of the program.
//!
//! Readers use the count of a vector to allocate memory, to limit loops, and to check indices. A forged count therefore
//! defeats later checks.

use super::cases;
use crate::rules::flatbuffer as rules;

cases! {
    /// The vector says 268 million methods and has one. Searching for an unknown name goes on and takes the next bytes
    /// for offsets.
    reject "pte/vectors/methods": "execution_plan with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan", 0x1000_0000);

    /// 2^30 instructions times 4 wrap to 0 in 32-bit arithmetic. Running the chain takes the bytes after it for
    /// offsets.
    reject "pte/vectors/instructions": "instructions with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains[0].instructions", 0x4000_0000);

    /// The vector says 2^31 − 1 operators and has one, so invalid operator indices pass.
    reject "pte/vectors/operators": "operators with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].operators", 0x7fff_ffff);

    /// 2^29 + 1 arguments times 8, the size of a pointer, wrap to 8 in 32-bit arithmetic, so too little memory is
    /// allocated.
    reject "pte/vectors/kernel-args": "kernel call args with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants"
        => |file| file.count("execution_plan[0].chains[0].instructions[0].instr_args.args", 0x2000_0001);

    /// A delegate call says 2^29 + 1 arguments and has two. Its code can be separate from that of kernel calls, and
    /// needs the check, too.
    reject "pte/vectors/delegate-args": "delegate call args with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].chains[0].instructions[0].instr_args.args", 0x2000_0001);

    /// The vector says 268 million delegates and has three. If the allocation succeeds, the next bytes become offsets
    /// to delegates.
    reject "pte/vectors/delegates": "delegates with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates", 0x1000_0000);

    /// The vector says 268 million specs and has two. Copying them all reads far past the list.
    reject "pte/vectors/compile-specs": "compile_specs with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates[0].compile_specs", 0x1000_0000);

    /// The value says two gigabytes and has one byte. The backend cannot know where the file ends, so the reader has to
    /// check.
    reject "pte/vectors/compile-spec-value": "compile spec value with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS, from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].delegates[0].compile_specs[0].value", 0x7fff_0000);

    /// The vector says 268 million blobs and has one, so invalid blob indices pass.
    reject "pte/vectors/inline-blobs": "backend_delegate_data with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data", 0x1000_0000);

    /// The blob says almost 2^31 bytes and has 24, and the backend cannot know where the file ends.
    reject "pte/vectors/inline-blob": "inline delegate blob with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data[0].data", 0x7fff_ff00);

    /// The vector says 268 million segments and has one, so invalid segment indices pass.
    reject "pte/vectors/segments": "segments with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("segments", 0x1000_0000);

    /// The vector says 268 million entries and has three. Looking up an unknown name goes on and takes the next bytes
    /// for offsets.
    reject "pte/vectors/named-data": "named_data with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/named-data" => |file| file.count("named_data", 0x1000_0000);

    /// The vector says 268 million offsets and has two, so invalid constant indices pass.
    reject "pte/vectors/constant-offsets": "constant offsets with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("constant_segment.offsets", 0x1000_0000);

    /// The vector says 268 million lists of initial values and has one, and the next bytes become offsets to lists.
    reject "pte/vectors/mutable-lists": "mutable_data_segments with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments", 0x1000_0000);

    /// 2^29 + 1 offsets times 8 wrap to 8 in 32-bit arithmetic, so the vector passes the bounds check.
    reject "pte/vectors/mutable-offsets": "initial value offsets with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments[0].offsets", 0x2000_0001);

    /// The vector says 268 million buffers and has two, so invalid buffer indices pass.
    reject "pte/vectors/constant-buffers": "constant_buffer with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.count("constant_buffer", 0x1000_0000);

    /// The storage says almost 2^31 bytes and has 16, so a tensor larger than the file passes.
    reject "pte/vectors/constant-buffer": "constant buffer storage with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS, from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.count("constant_buffer[1].storage", 0x7fff_ff00);

    /// The vector says 268 million sizes and has two. Multiplying them before the rank is compared with `dim_order`
    /// reads past the file.
    reject "pte/vectors/sizes": "tensor sizes with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].values[1].val.sizes", 0x1000_0000);

    /// The vector says 268 million entries for two sizes. One stride per entry writes past the array of strides.
    reject "pte/vectors/dim-order": "tensor dim_order with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].values[1].val.dim_order", 0x1000_0000);

    /// The vector says 2^29 + 1 sizes and has two. A host that allocates them all takes the next bytes for sizes and
    /// can ask for gigabytes.
    reject "pte/vectors/buffer-sizes": "non_const_buffer_sizes with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].non_const_buffer_sizes", 0x2000_0001);

    /// The vector says 268 million devices and has two. Searching for an unknown buffer goes on and takes the next
    /// bytes for offsets.
    reject "pte/vectors/buffer-devices": "non_const_buffer_device with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/buffer-devices" => |file| file.count("execution_plan[0].non_const_buffer_device", 0x1000_0000);

    /// The string says two gigabytes and has four bytes. Using the length discloses the memory after the file.
    reject "pte/vectors/string-value": "String value with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[7].val.string_val", 0x7fff_0000);

    /// 2^29 + 1 items times 8 wrap to 8 in 32-bit arithmetic, so too little memory is allocated for the two that are
    /// there and all others.
    reject "pte/vectors/int-list": "IntList with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs [
            "CVE-2025-30404", "GHSA-hj95-mhgf-jxc4", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"
        ] => |file| file.count("execution_plan[0].values[8].val.items", 0x2000_0001);

    /// The list says 2^29 + 1 items and has two. It goes to kernels without a copy, so it is a kernel that reads past
    /// the file.
    reject "pte/vectors/double-list": "DoubleList with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[9].val.items", 0x2000_0001);

    /// The list says almost 2^31 items and has two. Of one byte each, nothing wraps, so its end has to be compared with
    /// the program's.
    reject "pte/vectors/bool-list": "BoolList with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[10].val.items", 0x7fff_0000);

    /// 2^30 + 1 items times 4 wrap to 4 in 32-bit arithmetic, so too little memory is allocated.
    reject "pte/vectors/tensor-list": "TensorList with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[11].val.items", 0x4000_0001);

    /// In 32-bit arithmetic, 2^30 + 1 items take 4 bytes. The list has three, and its code can be separate from that of
    /// a TensorList.
    reject "pte/vectors/optional-tensor-list": "OptionalTensorList with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[12].val.items", 0x4000_0001);

    /// The vector says 268 million inputs and has none. The runtime ignores them, but other tools read past the list.
    reject "pte/vectors/chain-inputs": "chain inputs with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains[0].inputs", 0x1000_0000);

    /// The vector says 268 million call stacks and has five. The runtime ignores them, but a debugger takes the next
    /// bytes for offsets.
    reject "pte/vectors/stacktrace": "stacktrace with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/everything" => |file| file.count("execution_plan[0].chains[0].stacktrace", 0x1000_0000);

    /// The call stack says 268 million frames and has one. The runtime ignores it, but a debugger takes the next bytes
    /// for offsets.
    reject "pte/vectors/frames": "call stack with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/everything"
        => |file| file.count("execution_plan[0].chains[0].stacktrace[0].items", 0x1000_0000);
}

//! Cases about vectors and strings whose declared length extends past the program's end.
//!
//! Readers use a vector's count to allocate memory, limit loops and check indices, so a forged count defeats later
//! checks.

use super::cases;
use crate::rules::flatbuffer as rules;

cases! {
    /// The vector declares 268 million methods but has one. A search for an unknown name runs past the end and uses the
    /// next bytes as offsets.
    reject "pte/vectors/methods": "execution_plan with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan", 0x1000_0000);

    /// In 32-bit arithmetic, the size of 2^30 four-byte offsets to instructions wraps to 0. A reader that runs the
    /// chain uses the bytes after it as offsets.
    reject "pte/vectors/instructions": "instructions with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains[0].instructions", 0x4000_0000);

    /// The vector declares 2^31 − 1 operators but has one, so invalid operator indices pass the check.
    reject "pte/vectors/operators": "operators with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].operators", 0x7fff_ffff);

    /// In 32-bit arithmetic, the size of 2^29 + 1 eight-byte pointers wraps to 8, so the reader allocates too little memory.
    reject "pte/vectors/kernel-args": "kernel call args with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants"
        => |file| file.count("execution_plan[0].chains[0].instructions[0].instr_args.args", 0x2000_0001);

    /// A delegate call declares 2^29 + 1 arguments but has two. If a reader has separate code for delegate calls and
    /// kernel calls, both places must check.
    reject "pte/vectors/delegate-args": "delegate call args with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].chains[0].instructions[0].instr_args.args", 0x2000_0001);

    /// The vector declares 268 million delegates but has three. If the allocation succeeds, the reader uses the next
    /// bytes as offsets to delegates.
    reject "pte/vectors/delegates": "delegates with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates", 0x1000_0000);

    /// The vector declares 268 million specs but has two. A reader that copies them all reads far past the list.
    reject "pte/vectors/compile-specs": "compile_specs with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates[0].compile_specs", 0x1000_0000);

    /// The value declares two gigabytes but has one byte. The backend cannot know where the file ends, so the reader
    /// has to check the length.
    reject "pte/vectors/compile-spec-value": "compile spec value with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS, from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].delegates[0].compile_specs[0].value", 0x7fff_0000);

    /// The vector declares 268 million blobs but has one, so invalid blob indices pass the check.
    reject "pte/vectors/inline-blobs": "backend_delegate_data with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data", 0x1000_0000);

    /// The blob declares almost 2^31 bytes but has 24. The backend cannot check this, because it does not know the file's end.
    reject "pte/vectors/inline-blob": "inline delegate blob with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data[0].data", 0x7fff_ff00);

    /// The vector declares 268 million segments but has one, so invalid segment indices pass the check.
    reject "pte/vectors/segments": "segments with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("segments", 0x1000_0000);

    /// The vector declares 268 million entries but has three. A look-up of an unknown name runs past the end and uses
    /// the next bytes as offsets.
    reject "pte/vectors/named-data": "named_data with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/named-data" => |file| file.count("named_data", 0x1000_0000);

    /// The vector declares 268 million offsets but has two, so invalid constant indices pass the check.
    reject "pte/vectors/constant-offsets": "constant offsets with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("constant_segment.offsets", 0x1000_0000);

    /// The vector declares 268 million lists but has one, so a reader uses the next bytes as offsets to lists.
    reject "pte/vectors/mutable-lists": "mutable_data_segments with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments", 0x1000_0000);

    /// In 32-bit arithmetic, the size of 2^29 + 1 eight-byte offsets wraps to 8, so the vector passes the bounds check.
    reject "pte/vectors/mutable-offsets": "initial value offsets with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments[0].offsets", 0x2000_0001);

    /// The vector declares 268 million buffers but has two, so invalid buffer indices pass the check.
    reject "pte/vectors/constant-buffers": "constant_buffer with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.count("constant_buffer", 0x1000_0000);

    /// The storage declares almost 2^31 bytes but has 16, so even a tensor larger than the file passes the check.
    reject "pte/vectors/constant-buffer": "constant buffer storage with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS, from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.count("constant_buffer[1].storage", 0x7fff_ff00);

    /// The vector declares 268 million sizes but has two. A reader that multiplies them before it compares the rank
    /// with `dim_order` reads past the file.
    reject "pte/vectors/sizes": "tensor sizes with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].values[1].val.sizes", 0x1000_0000);

    /// The vector declares 268 million entries for two sizes. A reader with one stride per entry writes past its array.
    reject "pte/vectors/dim-order": "tensor dim_order with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].values[1].val.dim_order", 0x1000_0000);

    /// The vector declares 2^29 + 1 sizes but has two. A host that allocates all the buffers uses the next bytes as
    /// sizes and may ask for gigabytes.
    reject "pte/vectors/buffer-sizes": "non_const_buffer_sizes with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].non_const_buffer_sizes", 0x2000_0001);

    /// The vector declares 268 million devices but has two. A search for an unknown buffer runs past the end and uses
    /// the next bytes as offsets.
    reject "pte/vectors/buffer-devices": "non_const_buffer_device with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/buffer-devices" => |file| file.count("execution_plan[0].non_const_buffer_device", 0x1000_0000);

    /// The string declares two gigabytes but has four bytes. A reader that trusts the length discloses the memory after the file.
    reject "pte/vectors/string-value": "String value with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[7].val.string_val", 0x7fff_0000);

    /// In 32-bit arithmetic, the size of 2^29 + 1 eight-byte items wraps to 8, so the reader allocates too little memory.
    reject "pte/vectors/int-list": "IntList with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs [
            "CVE-2025-30404", "GHSA-hj95-mhgf-jxc4", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"
        ] => |file| file.count("execution_plan[0].values[8].val.items", 0x2000_0001);

    /// The list declares 2^29 + 1 items but has two. Readers pass it to kernels in place, so it is a kernel that reads
    /// past the file.
    reject "pte/vectors/double-list": "DoubleList with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[9].val.items", 0x2000_0001);

    /// The list declares almost 2^31 items but has two. Items have one byte, so no size wraps, and a reader must
    /// compare the list's end with the program's.
    reject "pte/vectors/bool-list": "BoolList with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[10].val.items", 0x7fff_0000);

    /// In 32-bit arithmetic, the size of 2^30 + 1 four-byte items wraps to 4, so the reader allocates too little memory.
    reject "pte/vectors/tensor-list": "TensorList with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[11].val.items", 0x4000_0001);

    /// The list declares 2^30 + 1 items but has three. In 32-bit arithmetic, their size wraps to 4, and code separate
    /// from that for a TensorList must check this too.
    reject "pte/vectors/optional-tensor-list": "OptionalTensorList with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[12].val.items", 0x4000_0001);

    /// The vector declares 268 million inputs but has none. The runtime ignores a chain's inputs, but other tools read
    /// past the list.
    reject "pte/vectors/chain-inputs": "chain inputs with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains[0].inputs", 0x1000_0000);

    /// The vector declares 268 million call stacks but has five. The runtime ignores them, but a debugger uses the next
    /// bytes as offsets.
    reject "pte/vectors/stacktrace": "stacktrace with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/everything" => |file| file.count("execution_plan[0].chains[0].stacktrace", 0x1000_0000);

    /// The call stack declares 268 million frames but has one. The runtime ignores it, but a debugger uses the next
    /// bytes as offsets.
    reject "pte/vectors/frames": "call stack with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/everything"
        => |file| file.count("execution_plan[0].chains[0].stacktrace[0].items", 0x1000_0000);
}

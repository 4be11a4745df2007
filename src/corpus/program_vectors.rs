//! Cases about vectors and strings whose declared length extends past the end of the program.
//!
//! Readers use the count of a vector to allocate memory, to limit loops, and to check indices. A forged count therefore
//! defeats later checks.

use super::cases;
use crate::rules::flatbuffer as rules;

cases! {
    /// The count of methods is 268 million, but the program has one method. A search for an unknown method continues
    /// after the first method and uses the following bytes as offsets.
    reject "pte/vectors/methods": "execution_plan with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan", 0x1000_0000);

    /// The count of instructions is 2^30, but the chain has one instruction. In 32-bit arithmetic, the count times 4
    /// wraps to 0. A reader that runs the chain uses the bytes after the list of instructions as offsets.
    reject "pte/vectors/instructions": "instructions with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains[0].instructions", 0x4000_0000);

    /// The count of operators is 2^31 − 1, but the method has one operator. A reader that accepts the count also
    /// accepts invalid operator indices.
    reject "pte/vectors/operators": "operators with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].operators", 0x7fff_ffff);

    /// The count of a kernel call's arguments is 2^29 + 1. In 32-bit arithmetic, the count times 8, the size of a
    /// pointer, wraps to 8. A reader then allocates too little memory for the arguments.
    reject "pte/vectors/kernel-args": "kernel call args with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants"
        => |file| file.count("execution_plan[0].chains[0].instructions[0].instr_args.args", 0x2000_0001);

    /// The count of a delegate call's arguments is 2^29 + 1, but the call has two arguments. Readers can process
    /// delegate calls in separate code, so a check in the code for kernel calls is not enough.
    reject "pte/vectors/delegate-args": "delegate call args with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].chains[0].instructions[0].instr_args.args", 0x2000_0001);

    /// The count of delegates is 268 million, but the method has three delegates. If a reader's allocation for this
    /// count succeeds, the reader uses the bytes after the list of delegates as offsets to delegates.
    reject "pte/vectors/delegates": "delegates with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates", 0x1000_0000);

    /// The count of compile specs is 268 million, but the delegate has two compile specs. If a reader copies all
    /// declared compile specs, it reads far past the end of the list.
    reject "pte/vectors/compile-specs": "compile_specs with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates[0].compile_specs", 0x1000_0000);

    /// The length of a compile spec's value is two gigabytes, but the value has one byte. The reader must check the
    /// length, because the backend does not know where the file ends.
    reject "pte/vectors/compile-spec-value": "compile spec value with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS, from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].delegates[0].compile_specs[0].value", 0x7fff_0000);

    /// The count of inline blobs is 268 million, but the program has one blob. A reader that accepts the count also
    /// accepts invalid blob indices.
    reject "pte/vectors/inline-blobs": "backend_delegate_data with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data", 0x1000_0000);

    /// The length of an inline blob is almost 2^31, but the blob has 24 bytes. The reader must check the length,
    /// because the backend does not know where the file ends.
    reject "pte/vectors/inline-blob": "inline delegate blob with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data[0].data", 0x7fff_ff00);

    /// The count of segments is 268 million, but the program has one segment. A reader that accepts the count also
    /// accepts invalid segment indices.
    reject "pte/vectors/segments": "segments with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("segments", 0x1000_0000);

    /// The count of named data entries is 268 million, but the program has three entries. A lookup of an unknown name
    /// continues after the third entry and uses the following bytes as offsets.
    reject "pte/vectors/named-data": "named_data with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/named-data" => |file| file.count("named_data", 0x1000_0000);

    /// The count of constant offsets is 268 million, but the constant segment has two offsets. A reader that accepts
    /// the count also accepts invalid constant indices.
    reject "pte/vectors/constant-offsets": "constant offsets with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("constant_segment.offsets", 0x1000_0000);

    /// The count of the lists of initial values is 268 million, but the program has one list. A reader that accepts the
    /// count uses the bytes after the vector of lists as offsets.
    reject "pte/vectors/mutable-lists": "mutable_data_segments with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments", 0x1000_0000);

    /// The count of the offsets of initial values is 2^29 + 1, but the list has two offsets. In 32-bit arithmetic, the
    /// count times 8 wraps to 8, so the vector passes the bounds check.
    reject "pte/vectors/mutable-offsets": "initial value offsets with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments[0].offsets", 0x2000_0001);

    /// The count of constant buffers is 268 million, but the program has two buffers. A reader that accepts the count
    /// also accepts invalid buffer indices.
    reject "pte/vectors/constant-buffers": "constant_buffer with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.count("constant_buffer", 0x1000_0000);

    /// The length of a constant buffer is almost 2^31, but the buffer has 16 bytes. A reader that accepts the length
    /// also accepts a tensor that is larger than the file.
    reject "pte/vectors/constant-buffer": "constant buffer storage with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS, from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.count("constant_buffer[1].storage", 0x7fff_ff00);

    /// The count of a tensor's sizes is 268 million, but the tensor has two sizes. If a reader multiplies all sizes
    /// before it compares the rank with the length of `dim_order`, it reads past the file.
    reject "pte/vectors/sizes": "tensor sizes with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].values[1].val.sizes", 0x1000_0000);

    /// The count of `dim_order` is 268 million, but the tensor has two sizes. If a reader computes one stride for each
    /// entry, it writes past its array of strides.
    reject "pte/vectors/dim-order": "tensor dim_order with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].values[1].val.dim_order", 0x1000_0000);

    /// The count of buffer sizes is 2^29 + 1, but the method has two sizes. If a host allocates one buffer for each
    /// entry, it uses the bytes after the list of sizes as more sizes and can allocate gigabytes.
    reject "pte/vectors/buffer-sizes": "non_const_buffer_sizes with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].non_const_buffer_sizes", 0x2000_0001);

    /// The count of buffer devices is 268 million, but the method has two devices. A search for an unknown buffer
    /// continues after the second device and uses the following bytes as offsets.
    reject "pte/vectors/buffer-devices": "non_const_buffer_device with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/buffer-devices" => |file| file.count("execution_plan[0].non_const_buffer_device", 0x1000_0000);

    /// The length of a String value is two gigabytes, but the string has four bytes. A reader that uses the length
    /// discloses the memory after the file.
    reject "pte/vectors/string-value": "String value with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[7].val.string_val", 0x7fff_0000);

    /// The count of the IntList's items is 2^29 + 1, but the IntList has two items. In 32-bit arithmetic, the count
    /// times 8 wraps to 8, so a reader allocates too little memory.
    reject "pte/vectors/int-list": "IntList with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs [
            "CVE-2025-30404", "GHSA-hj95-mhgf-jxc4", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"
        ] => |file| file.count("execution_plan[0].values[8].val.items", 0x2000_0001);

    /// The count of the DoubleList's items is 2^29 + 1, but the DoubleList has two items. Readers pass a DoubleList to
    /// kernels without a copy, so a kernel reads past the file.
    reject "pte/vectors/double-list": "DoubleList with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[9].val.items", 0x2000_0001);

    /// The declared length of the BoolList is almost 2^31, but the BoolList has two items. Each item has one byte, so
    /// no multiplication wraps. A reader must compare the list's end with the program's end.
    reject "pte/vectors/bool-list": "BoolList with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[10].val.items", 0x7fff_0000);

    /// The count of the TensorList's items is 2^30 + 1, but the TensorList has two items. In 32-bit arithmetic, the
    /// count times 4 wraps to 4, so a reader allocates too little memory.
    reject "pte/vectors/tensor-list": "TensorList with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[11].val.items", 0x4000_0001);

    /// The count of the OptionalTensorList's items is 2^30 + 1, but the OptionalTensorList has three items. In 32-bit
    /// arithmetic, the count times 4 wraps to 4, so a reader allocates too little memory.
    reject "pte/vectors/optional-tensor-list": "OptionalTensorList with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[12].val.items", 0x4000_0001);

    /// The count of a chain's inputs is 268 million, but the chain has no inputs. The runtime ignores a chain's inputs,
    /// but other tools can read past the empty list.
    reject "pte/vectors/chain-inputs": "chain inputs with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains[0].inputs", 0x1000_0000);

    /// The count of call stacks is 268 million, but the chain has five call stacks. The runtime ignores call stacks,
    /// but a debugger can use the bytes after the list of call stacks as offsets.
    reject "pte/vectors/stacktrace": "stacktrace with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/everything" => |file| file.count("execution_plan[0].chains[0].stacktrace", 0x1000_0000);

    /// The count of a call stack's frames is 268 million, but the call stack has one frame. The runtime ignores call
    /// stacks, but a debugger can use the bytes after the list of frames as offsets.
    reject "pte/vectors/frames": "call stack with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/everything"
        => |file| file.count("execution_plan[0].chains[0].stacktrace[0].items", 0x1000_0000);
}

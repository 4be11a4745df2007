//! Cases about vectors and strings with a count past the end of the program.
//!
//! Readers allocate memory by these counts, loop over them and compare indices with them, so a forged count defeats
//! every later check.

use super::cases;
use crate::rules::flatbuffer as rules;

cases! {
    /// The forged count lists 268 million methods. A search for an unknown method follows the second entry 1.4
    /// million bytes ahead, out of a file of 784 bytes.
    reject "pte/vectors/methods": "execution_plan of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan", 0x1000_0000);

    /// Multiplied by 4, the count wraps to 0 in 32 bits, so every bound passes. The run continues past the only
    /// call and follows the next word as an offset.
    reject "pte/vectors/instructions": "instructions of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains[0].instructions", 0x4000_0000);

    /// The count is the largest positive signed integer, so almost every `op_index` is below it. The one call has a
    /// valid index, so loading the method reveals nothing.
    reject "pte/vectors/operators": "operators of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].operators", 0x7fff_ffff);

    /// The reader stores a pointer per argument; 8 × (2^29 + 1) is 8 in 32 bits, room for one. The words after the
    /// list pass as value indices.
    reject "pte/vectors/kernel-args": "kernel call args of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants"
        => |file| file.count("execution_plan[0].chains[0].instructions[0].instr_args.args", 0x2000_0001);

    /// Readers build the arguments of delegate calls in separate code, so a check on kernel calls does not cover
    /// them. The zeros after the two real arguments pass as indices of a tensor.
    reject "pte/vectors/delegate-args": "delegate call args of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].chains[0].instructions[0].instr_args.args", 0x2000_0001);

    /// The reader allocates 268 million delegate slots before it prepares the first. Where the system commits
    /// memory lazily that succeeds, and the fourth delegate comes from a misread word.
    reject "pte/vectors/delegates": "delegates of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates", 0x1000_0000);

    /// The count sizes an array that the reader fills before the backend sees it. Two entries come from the file
    /// and all others from after them.
    reject "pte/vectors/compile-specs": "compile_specs of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].delegates[0].compile_specs", 0x1000_0000);

    /// The value has one byte, and the backend receives a length of two gigabytes. The backend does not know where
    /// the program ends, so it cannot check the length.
    reject "pte/vectors/compile-spec-value": "compile spec value of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].delegates[0].compile_specs[0].value", 0x7fff_0000);

    /// Readers compare a delegate's index with this count, so any number below 2^28 is in range. The only
    /// delegate's index is valid, so running the method reveals nothing.
    reject "pte/vectors/inline-blobs": "backend_delegate_data of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data", 0x1000_0000);

    /// The blob's end is below 2^31, so neither a sign nor a wrapped sum reveals the fault. A backend that trusts
    /// the length reads the rest of the file and the memory after it.
    reject "pte/vectors/inline-blob": "inline delegate blob of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data[0].data", 0x7fff_ff00);

    /// Segment index 1 passes the comparison with this count. The reader follows the word after the list and takes
    /// the segment's offset and size from there.
    reject "pte/vectors/segments": "segments of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("segments", 0x1000_0000);

    /// A lookup finds existing names in the first three entries. For any other name it continues past the list and
    /// compares the name with arbitrary memory.
    reject "pte/vectors/named-data": "named_data of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/named-data" => |file| file.count("named_data", 0x1000_0000);

    /// Constant index 2 passes the comparison with this count. The bytes after the two offsets give an offset of
    /// 2^32.
    reject "pte/vectors/constant-offsets": "constant offsets of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("constant_segment.offsets", 0x1000_0000);

    /// Readers compare a tensor's list index only with this count. For list 1 they follow the next word four
    /// gigabytes ahead or, as a signed offset, 776 bytes before the file.
    reject "pte/vectors/mutable-lists": "mutable_data_segments of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments", 0x1000_0000);

    /// Multiplied by 8, the count wraps to 8 in 32 bits, less than the two real offsets. The bounds check passes,
    /// and every initial value index is then in range.
    reject "pte/vectors/mutable-offsets": "initial value offsets of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments[0].offsets", 0x2000_0001);

    /// Constant index 2 passes the comparison with this count. The word after the list wraps in 32 bits, and the
    /// reader finds a buffer at byte 26 of the file.
    reject "pte/vectors/constant-buffers": "constant_buffer of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.count("constant_buffer", 0x1000_0000);

    /// Readers compare a tensor's size with this length, so a tensor of two gigabytes would fit. The one tensor has
    /// 16 bytes, so neither loading nor running the method reveals the fault.
    reject "pte/vectors/constant-buffer": "constant buffer storage of a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.count("constant_buffer[1].storage", 0x7fff_ff00);

    /// A reader multiplies sizes up to the list's end: the third is 786 440, and the loop continues far past the
    /// file. A reader that first compares the length with `dim_order` avoids it.
    reject "pte/vectors/sizes": "tensor sizes of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].values[1].val.sizes", 0x1000_0000);

    /// Comparing the length with the two sizes detects the fault. A reader that walks the order to its own end
    /// writes past arrays of 16.
    reject "pte/vectors/dim-order": "tensor dim_order of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].values[1].val.dim_order", 0x1000_0000);

    /// A host that allocates a buffer per entry continues past the two real ones. The next entries are 0 and 16
    /// GiB.
    reject "pte/vectors/buffer-sizes": "non_const_buffer_sizes of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].non_const_buffer_sizes", 0x2000_0001);

    /// A search for a buffer's device stops at the first match, and both buffers have one. For any other number,
    /// such as the reserved 0, it continues past the list.
    reject "pte/vectors/buffer-devices": "non_const_buffer_device of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/buffer-devices" => |file| file.count("execution_plan[0].non_const_buffer_device", 0x1000_0000);

    /// The NUL after the four letters is unchanged, so a reader of C strings notices nothing. A reader that uses
    /// the length passes two gigabytes of its memory to a kernel or a log.
    reject "pte/vectors/string-value": "String value of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[7].val.string_val", 0x7fff_0000);

    /// The count sizes two arrays. Multiplied by 8, 2^29 + 1 wraps to 8 in 32 bits: the arrays have room for one
    /// integer and the reader writes half a billion.
    reject "pte/vectors/int-list": "IntList of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs [
            "CVE-2025-30404", "GHSA-hj95-mhgf-jxc4", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"
        ] => |file| file.count("execution_plan[0].values[8].val.items", 0x2000_0001);

    /// Readers use the floats in place, so no allocation fails, and a kernel reads past the file. Multiplied by 8,
    /// the count wraps to 8 in 32 bits.
    reject "pte/vectors/double-list": "DoubleList of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[9].val.items", 0x2000_0001);

    /// Bools have one byte, so no product wraps, and the vector's end is below 2^31. Only a comparison with the
    /// program's end detects it; a kernel reads tables as bools.
    reject "pte/vectors/bool-list": "BoolList of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[10].val.items", 0x7fff_0000);

    /// The reader allocates memory for all tensors first; 4 × (2^30 + 1) is 4 in 32 bits, room for one. The third
    /// item, −400, stops only readers that check items in advance.
    reject "pte/vectors/tensor-list": "TensorList of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[11].val.items", 0x4000_0001);

    /// Each item needs a flag and a pointer; 8 × (2^30 + 1) is 8 in 32 bits, room for one. A verifier that checks
    /// only TensorLists misses the item after the three, −432.
    reject "pte/vectors/optional-tensor-list": "OptionalTensorList of a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[12].val.items", 0x4000_0001);

    /// The runtime does not read a chain's inputs. Without a verifier, a viewer is the first to use the count, and
    /// it draws 268 million values.
    reject "pte/vectors/chain-inputs": "chain inputs of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains[0].inputs", 0x1000_0000);

    /// Debuggers look up call stacks by instruction number and compare it with this count. Past the five real ones
    /// they find arbitrary tables.
    reject "pte/vectors/stacktrace": "stacktrace of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/everything" => |file| file.count("execution_plan[0].chains[0].stacktrace", 0x1000_0000);

    /// A debugger that prints the stack continues past its only frame and follows the next word 1.3 million bytes
    /// ahead. The program itself runs.
    reject "pte/vectors/frames": "call stack of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/everything"
        => |file| file.count("execution_plan[0].chains[0].stacktrace[0].items", 0x1000_0000);
}

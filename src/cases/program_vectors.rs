//! A program's vectors and strings, each said to be longer than the file.
//!
//! Readers allocate by these counts, loop over them, and compare indexes with them: a forged count makes every later check pass.

use super::cases;
use crate::rules::envelope as rules;

cases! {
    /// More methods than there are bytes.
    reject "pte/vectors/methods": "execution_plan of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan", 0x1000_0000);

    /// More instructions than there are bytes: a run goes on with whatever follows the last one.
    reject "pte/vectors/instructions": "instructions of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains[0].instructions", 0x4000_0000);

    /// More operators than there are bytes, so that every index of one is below their number.
    reject "pte/vectors/operators": "operators of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].operators", 0x7fff_ffff);

    /// More arguments of a kernel than there are bytes: an array of pointers is made for them.
    reject "pte/vectors/kernel-args": "args of a kernel call of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants"
        => |file| file.count("execution_plan[0].chains[0].instructions[0].instr_args.args", 0x2000_0001);

    /// The same for a delegate.
    reject "pte/vectors/delegate-args": "args of a delegate call of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].chains[0].instructions[0].instr_args.args", 0x2000_0001);

    /// More delegates than there are bytes.
    reject "pte/vectors/delegates": "delegates of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates", 0x1000_0000);

    /// More settings of a delegate than there are bytes.
    reject "pte/vectors/compile-specs": "compile_specs of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].delegates[0].compile_specs", 0x1000_0000);

    /// A setting's value longer than the file, handed to the backend as pointer and length.
    reject "pte/vectors/compile-spec-value": "value of a setting of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].delegates[0].compile_specs[0].value", 0x7fff_0000);

    /// More inline blobs than there are bytes.
    reject "pte/vectors/inline-blobs": "backend_delegate_data of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data", 0x1000_0000);

    /// An inline blob of two gigabytes, in a file of one kilobyte.
    reject "pte/vectors/inline-blob": "inline blob of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data[0].data", 0x7fff_ff00);

    /// More segments than there are bytes: the place of a blob is then read from behind the list.
    reject "pte/vectors/segments": "segments of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("segments", 0x1000_0000);

    /// More named blobs than there are bytes: a look-up of a name that is not there goes through all of them.
    reject "pte/vectors/named-data": "named_data of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/named-data" => |file| file.count("named_data", 0x1000_0000);

    /// More offsets of constants than there are bytes, so that every constant's index is below their number.
    reject "pte/vectors/constant-offsets": "offsets of constants of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("constant_segment.offsets", 0x1000_0000);

    /// More lists of initial values than there are bytes.
    reject "pte/vectors/mutable-lists": "mutable_data_segments of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments", 0x1000_0000);

    /// More offsets of initial values than there are bytes. Eight times the count is 8 in 32 bits.
    reject "pte/vectors/mutable-offsets": "offsets of initial values of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments[0].offsets", 0x2000_0001);

    /// More constant buffers than there are bytes.
    reject "pte/vectors/constant-buffers": "constant_buffer of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constant-buffer", needs ["constant-buffer"] => |file| file.count("constant_buffer", 0x1000_0000);

    /// A constant longer than the file.
    reject "pte/vectors/constant-buffer": "storage of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.count("constant_buffer[1].storage", 0x7fff_ff00);

    /// A tensor of more dimensions than there are bytes.
    reject "pte/vectors/sizes": "sizes of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].values[1].val.sizes", 0x1000_0000);

    /// The order of more dimensions than there are bytes.
    reject "pte/vectors/dim-order": "dim_order of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].values[1].val.dim_order", 0x1000_0000);

    /// More planned buffers than there are bytes, each of a size that the file's other bytes say.
    reject "pte/vectors/buffer-sizes": "non_const_buffer_sizes of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].non_const_buffer_sizes", 0x2000_0001);

    /// More devices than there are bytes.
    reject "pte/vectors/buffer-devices": "non_const_buffer_device of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/buffer-devices" => |file| file.count("execution_plan[0].non_const_buffer_device", 0x1000_0000);

    /// A string longer than the file, as a value.
    reject "pte/vectors/string-value": "string value of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[7].val.string_val", 0x7fff_0000);

    /// More integers in a list than there are bytes: two arrays are made for them.
    reject "pte/vectors/int-list": "list of integers of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs [
            "CVE-2025-30404", "GHSA-hj95-mhgf-jxc4", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"
        ] => |file| file.count("execution_plan[0].values[8].val.items", 0x2000_0001);

    /// More floats in a list than there are bytes.
    reject "pte/vectors/double-list": "list of floats of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[9].val.items", 0x2000_0001);

    /// More bools in a list than there are bytes.
    reject "pte/vectors/bool-list": "list of bools of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[10].val.items", 0x7fff_0000);

    /// More tensors in a list than there are bytes.
    reject "pte/vectors/tensor-list": "list of tensors of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[11].val.items", 0x4000_0001);

    /// More tensors in a list whose tensors may be missing.
    reject "pte/vectors/optional-tensor-list": "list of optional tensors of a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[12].val.items", 0x4000_0001);

    /// Values of a chain that nothing reads: a verifier goes through them all the same.
    reject "pte/vectors/chain-inputs": "inputs of a chain of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains[0].inputs", 0x1000_0000);

    /// More call stacks than there are bytes: what runs does not read them, and a debugger does.
    reject "pte/vectors/stacktrace": "stacktrace of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/everything" => |file| file.count("execution_plan[0].chains[0].stacktrace", 0x1000_0000);

    /// A call stack deeper than the file is long.
    reject "pte/vectors/frames": "call stack of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/everything" => |file| file.count("execution_plan[0].chains[0].stacktrace[0].items", 0x1000_0000);
}

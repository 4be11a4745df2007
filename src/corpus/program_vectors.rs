//! A program's vectors and strings, each said to be longer than the file.
//!
//! Readers allocate by these counts, loop over them, and compare indexes with them: a forged count makes every later check pass.

use super::cases;
use crate::rules::envelope as rules;

cases! {
    /// A search for a method that is not there goes through 268 million references. The second is two bytes of padding
    /// and two of a vtable, and leads 1.4 million bytes ahead, out of a file of 784.
    reject "pte/vectors/methods": "execution_plan of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan", 0x1000_0000);

    /// Times four the count is 2^32, in 32 bits 0: nothing is allocated and every bound passes. A run then goes on
    /// behind the one call that there is, with a table's distance to its vtable for the next reference.
    reject "pte/vectors/instructions": "instructions of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains[0].instructions", 0x4000_0000);

    /// The largest count that is positive with a sign: every `op_index` but one is below it, so the comparison that
    /// guards the list holds nothing back. The one call's index is right, so preparing the method shows nothing.
    reject "pte/vectors/operators": "operators of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].operators", 0x7fff_ffff);

    /// A pointer is kept for each argument. Eight bytes times 2^29 + 1 are 8 in 32 bits, and the array of one pointer
    /// is filled on: the next six words, counts and items of other lists, pass for indexes of values.
    reject "pte/vectors/kernel-args": "args of a kernel call of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants"
        => |file| file.count("execution_plan[0].chains[0].instructions[0].instr_args.args", 0x2000_0001);

    /// A delegate's list of arguments is built by code of its own, which a check of kernel calls does not cover. Behind
    /// the two that are there stand the empty lists of the chain, whose zeros pass for a tensor.
    reject "pte/vectors/delegate-args": "args of a delegate call of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].chains[0].instructions[0].instr_args.args", 0x2000_0001);

    /// A slot for each delegate is allocated by this count before the first is prepared, 268 million of them. Where
    /// memory is lent lazily that succeeds, and the fourth delegate is read through the third one's first word.
    reject "pte/vectors/delegates": "delegates of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("execution_plan[0].delegates", 0x1000_0000);

    /// Settings are copied into an array before the backend sees one, so this count sizes an allocation and then the
    /// loop that fills it, two entries from the file and all others from behind them.
    reject "pte/vectors/compile-specs": "compile_specs of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].delegates[0].compile_specs", 0x1000_0000);

    /// The setting has one byte, and the backend is told of two gigabytes. It gets pointer and length and does not know
    /// where the program ends, so nobody behind this check can find it.
    reject "pte/vectors/compile-spec-value": "value of a setting of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates"
        => |file| file.count("execution_plan[0].delegates[0].compile_specs[0].value", 0x7fff_0000);

    /// A delegate's index is held against this count, so that any number below 2^28 is in range. The only inline blob's
    /// index is 0 and right: a run shows nothing, and the vector's end alone gives it away.
    reject "pte/vectors/inline-blobs": "backend_delegate_data of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data", 0x1000_0000);

    /// With the blob's place added the length is still below 2^31, so neither a sign nor a sum that wraps gives it
    /// away. A backend that goes by it parses the rest of the file, and then what lies behind the file.
    reject "pte/vectors/inline-blob": "inline blob of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/delegates" => |file| file.count("backend_delegate_data[0].data", 0x7fff_ff00);

    /// Segment 1 of one passes the comparison with this count. Its reference is a vtable's first four bytes and leads a
    /// megabyte ahead, where its offset and size, the bounds of all later checks, are then read.
    reject "pte/vectors/segments": "segments of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("segments", 0x1000_0000);

    /// Names that are there are found among the first three entries. A look-up of any other name goes on, and compares
    /// it with a string that it finds through a table's distance to its vtable.
    reject "pte/vectors/named-data": "named_data of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/named-data" => |file| file.count("named_data", 0x1000_0000);

    /// Constant 2 of a list of two passes the comparison with this count. Padding and the count of the segments, read
    /// as one number, are its offset: 2^32.
    reject "pte/vectors/constant-offsets": "offsets of constants of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("constant_segment.offsets", 0x1000_0000);

    /// The list that a tensor asks for is held against this count alone. For list 1, the reference is a table's
    /// distance to its vtable, and leads four gigabytes ahead, or with a sign 776 bytes in front of the file.
    reject "pte/vectors/mutable-lists": "mutable_data_segments of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments", 0x1000_0000);

    /// Eight times the count is 8 in 32 bits, less than the two offsets that are there: the vector's bound passes, and
    /// behind it every index of an initial value is in range.
    reject "pte/vectors/mutable-offsets": "offsets of initial values of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments[0].offsets", 0x2000_0001);

    /// Constant 2 of two passes the comparison. What stands behind the list, a table's distance to its vtable, wraps in
    /// 32 bits as a reference: the buffer is then read at byte 26 of the file.
    reject "pte/vectors/constant-buffers": "constant_buffer of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constant-buffer", needs ["constant-buffer"] => |file| file.count("constant_buffer", 0x1000_0000);

    /// A tensor's bytes are held against this length, and a tensor of two gigabytes fits. The one that uses it has 16
    /// bytes and is right, so neither preparing the method nor a run shows it.
    reject "pte/vectors/constant-buffer": "storage of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.count("constant_buffer[1].storage", 0x7fff_ff00);

    /// Elements are counted by multiplying to the list's end: the third size is half of a vtable, 786 440, and the loop
    /// goes on far past the file. A reader that compares the length with that of `dim_order` first is saved by it.
    reject "pte/vectors/sizes": "sizes of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].values[1].val.sizes", 0x1000_0000);

    /// The list of sizes still has two entries, so a comparison of the two lengths finds it. A reader that walks the
    /// order to its own end takes padding for dimension 0 once more, and marks or sets strides in arrays of sixteen by
    /// what follows.
    reject "pte/vectors/dim-order": "dim_order of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].values[1].val.dim_order", 0x1000_0000);

    /// A host that prepares a buffer for each entry goes on behind the two that are there: to the next eight bytes,
    /// which are 0, and to the count of the operators with a reference behind it, which together ask for 16 GiB.
    reject "pte/vectors/buffer-sizes": "non_const_buffer_sizes of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].non_const_buffer_sizes", 0x2000_0001);

    /// A search for a buffer's device ends at the first entry that fits, and both buffers have one. For any other
    /// number, as for the reserved 0, it goes on through references that are padding and vtables.
    reject "pte/vectors/buffer-devices": "non_const_buffer_device of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/buffer-devices" => |file| file.count("execution_plan[0].non_const_buffer_device", 0x1000_0000);

    /// The zero behind the four letters is where it was, so a reader of C strings notices nothing. One that goes by the
    /// length hands two gigabytes of its own memory to a kernel or a log.
    reject "pte/vectors/string-value": "string value of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[7].val.string_val", 0x7fff_0000);

    /// Two arrays are made by this count, one for the integers and one for where they stand. Times eight, 2^29 + 1 is 8
    /// in 32 bits: room for one integer, and half a billion are written.
    reject "pte/vectors/int-list": "list of integers of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs [
            "CVE-2025-30404", "GHSA-hj95-mhgf-jxc4", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"
        ] => |file| file.count("execution_plan[0].values[8].val.items", 0x2000_0001);

    /// Floats are used where they stand, so nothing is allocated that could fail, and a kernel is the first to read
    /// past the file. Times eight the count is 8 in 32 bits, less than the sixteen bytes that are there.
    reject "pte/vectors/double-list": "list of floats of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[9].val.items", 0x2000_0001);

    /// Bools have a byte each, so no product wraps, and the vector's end is below 2^31: only its comparison with the
    /// program's end finds it. The list is used in place, and a kernel reads tables as bools.
    reject "pte/vectors/bool-list": "list of bools of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[10].val.items", 0x7fff_0000);

    /// Memory for all tensors is asked for before an item is looked at: four bytes times 2^30 + 1 are 4 in 32 bits,
    /// room for one. The third item, −400 by the bytes behind the list, stops only readers that compare in advance.
    reject "pte/vectors/tensor-list": "list of tensors of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[11].val.items", 0x4000_0001);

    /// A tensor that may be missing takes a flag beside its pointer: eight bytes times 2^30 + 1 are 8 in 32 bits. A
    /// verification that goes through lists of tensors alone does not come by to find the item behind the three, −432.
    reject "pte/vectors/optional-tensor-list": "list of optional tensors of a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value" => |file| file.count("execution_plan[0].values[12].val.items", 0x4000_0001);

    /// Nothing that runs reads what a chain says of its inputs, so only a verifier meets the count before a viewer
    /// does, which then draws 268 million values.
    reject "pte/vectors/chain-inputs": "inputs of a chain of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains[0].inputs", 0x1000_0000);

    /// Call stacks are asked for by an instruction's number, by debuggers alone. The number is held against this count,
    /// so behind the five that are there, a place in the source is looked up through tables' first words.
    reject "pte/vectors/stacktrace": "stacktrace of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/everything" => |file| file.count("execution_plan[0].chains[0].stacktrace", 0x1000_0000);

    /// A debugger that prints the stack goes on behind its one frame: the next reference is a vtable's first four bytes
    /// and leads 1.3 million bytes ahead. The program itself runs.
    reject "pte/vectors/frames": "call stack of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/everything" => |file| file.count("execution_plan[0].chains[0].stacktrace[0].items", 0x1000_0000);
}

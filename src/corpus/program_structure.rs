//! Cases about a program's FlatBuffer: root, vtables, offsets, vectors, strings and unions.

use super::cases;
use super::defects::root_into_header;
use crate::annotate::PartKind;
use crate::rules::{flatbuffer as rules, values};

cases! {
    /// The root offset points to itself, and its zeros look like a table with an empty vtable: a program without
    /// fields. The smallest valid root offset is 8.
    reject "pte/structure/root-0": "root offset 0" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.root(0);

    /// A reader that uses the identifier's letters as a vtable offset looks for the vtable 842 million bytes before the file.
    reject "pte/structure/root-in-identifier": "root offset 4" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#18597"] => |file| file.root(4);

    /// The root offset, 744, equals the program's size. A reader whose check is off by one reads the zeros there as a
    /// table without fields.
    reject "pte/structure/root-past-end": "root offset past the program" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.root(file.u64_at(16));

    /// Read as a signed integer, the offset is −1. In 32-bit arithmetic, adding 4 for the table's first word wraps to 3.
    reject "pte/structure/root-max": "root offset 2^32 − 1" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.put(0, &u32::MAX.to_le_bytes());

    /// The root offset is two bytes too large, so the table's first word mixes two fields, and loading it is undefined
    /// behavior in C.
    reject "pte/structure/root-unaligned": "root table not aligned to 4 bytes" breaks rules::FB_ROOT_ALIGNED,
        from "pte/valid/constants" => |file| file.root(file.u32_at(0) + 2);

    /// Vtable offsets may be negative, but this vtable is a megabyte past the end. A reader that checks only the lower
    /// limit accepts it.
    reject "pte/structure/vtable-past-end": "vtable past the program" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.table("execution_plan[0]", -0x10_0000);

    /// An offset of 2^31 − 1 puts the vtable before the file. A reader must check the position before it forms a pointer.
    reject "pte/structure/vtable-before-start": "vtable before the file" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.table("execution_plan[0]", i32::MAX);

    /// Negating −2^31 overflows in 32 bits, so the vtable ends up on the wrong side of the table.
    reject "pte/structure/vtable-distance-min": "vtable offset −2^31" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.table("execution_plan[0]", i32::MIN);

    /// The position is one byte off, so the vtable's length and field offsets each mix the bytes of two entries. The
    /// length becomes 3072.
    reject "pte/structure/vtable-unaligned": "vtable at an odd offset" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.shift_vtable("constant_segment", 1);

    /// A vtable's length includes its first four bytes. If a reader accepts 0, the method has no name, values or chains.
    reject "pte/structure/vtable-length-0": "vtable length 0" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.vtable_len("execution_plan[0]", 0);

    /// The vtable ends inside its first slot. Readers that check where the slot starts use the field; those that check
    /// where it ends do not.
    reject "pte/structure/vtable-length-odd": "odd vtable length" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.vtable_len("execution_plan[0]", 5);

    /// The vtable extends past the program, so a reader uses other tables' bytes as the vtable entries of absent fields.
    reject "pte/structure/vtable-length-max": "vtable length 65534" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.vtable_len("execution_plan[0]", 65534);

    /// The vtable puts the method name at 65 520, past the end of the file. A reader must check the sum of the table's
    /// position and the field's offset.
    reject "pte/structure/field-past-end": "field past the program" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.slot("execution_plan[0]", 0, 0xfff0);

    /// The fields are past the object's declared 4 bytes but inside the program. No known FlatBuffers verifier compares
    /// fields with the object's length.
    either "pte/structure/object-too-short": "object length 4, fields after the object's end"
        about rules::FB_OBJECT_SIZE, from "pte/valid/constants" => |file| file.object_len("execution_plan[0]", 4);

    /// The offset points to itself, so a reader uses its 0 as the count, and the method seems to have no values.
    reject "pte/structure/reference-0": "offset 0 to the list of values" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values", 0);

    /// The offset points to itself, so a reader uses its 0 as the vtable offset. The value is then its own vtable and
    /// has no fields.
    reject "pte/structure/element-0": "offset 0 in a vector of tables" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values[1]", 0);

    /// The list of values is a megabyte past the program. Accessors do not check offsets, so only a verifier notices.
    reject "pte/structure/reference-past-end": "offset past the program" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values", 0x10_0000);

    /// Only the first of the four bytes of the operators' count is inside the program, but a reader needs all four.
    reject "pte/structure/reference-to-last-byte": "offset to the program's last byte" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.point("execution_plan[0].operators", file.u64_at(16) - 1);

    /// FlatBuffers offsets are unsigned, so this one points past the end. In 32-bit arithmetic, it wraps and points to
    /// the word before itself.
    reject "pte/structure/reference-negative": "offset 2^32 − 4" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values", u32::MAX - 3);

    /// The offset is one byte off, so the string's length becomes 1.6 billion, and loading it faults on some hosts.
    reject "pte/structure/reference-unaligned": "offset to a position that is not a multiple of 4"
        breaks rules::FB_ALIGNMENT, from "pte/valid/constants"
        => |file| file.lead("execution_plan[0].operators[0].name", "execution_plan[0].operators[0].name", 1);

    /// The count is aligned to 4 bytes, so a verifier that forgets that the elements have 64 bits accepts the vector.
    reject "pte/structure/vector-unaligned": "64-bit elements not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/constants" => |file| file.move_count("execution_plan[0].non_const_buffer_sizes", 1);

    /// The planned buffers' sizes, which a host reads to allocate them, are aligned to only 4 bytes.
    reject "pte/structure/buffer-sizes-unaligned": "sizes of planned buffers not aligned to 8 bytes"
        breaks rules::FB_ALIGNMENT,
        from "pte/valid/memory-plan" => |file| file.misalign_elements("execution_plan[0].non_const_buffer_sizes");

    /// An IntList's items select values and have 64 bits, but here they are aligned to only 4 bytes.
    reject "pte/structure/int-list-unaligned": "items of an IntList not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/every-value" => |file| file.misalign_elements("execution_plan[0].values[8].val.items");

    /// Items would be misaligned here, but the list has none. Exporters up to 1.1.0 wrote such files, and a verifier
    /// that checks the alignment before the count rejects them.
    accept "pte/structure/empty-int-list-unaligned": "empty IntList not aligned to 8 bytes" shows rules::FB_ALIGNMENT,
        from "pte/valid/empty-lists", refs ["google/flatbuffers#8374"]
        => |file| file.misalign_elements("execution_plan[0].values[4].val.items");

    /// The constants' offsets are aligned to only 4 bytes. Loading a misaligned `u64` faults on strict-alignment CPUs.
    reject "pte/structure/constant-offsets-unaligned": "constant offsets not aligned to 8 bytes"
        breaks rules::FB_ALIGNMENT,
        from "pte/valid/three-constants" => |file| file.misalign_elements("constant_segment.offsets");

    /// The initial values' offsets are aligned to only 4 bytes, so copying a value starts with a misaligned 64-bit load.
    reject "pte/structure/initial-value-offsets-unaligned": "initial value offsets not aligned to 8 bytes"
        breaks rules::FB_ALIGNMENT,
        from "pte/valid/mutable-states-packed" => |file| file.misalign_elements("mutable_data_segments[0].offsets");

    /// The vector declares 65 536 inputs but has one. A reader that trusts the count uses the next bytes as value indices.
    reject "pte/structure/vector-too-long": "vector longer than the program" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].inputs", 0x1_0000);

    /// In 32-bit arithmetic, the size of 2^30 + 1 four-byte outputs wraps to 4, which is the size of the one real output.
    reject "pte/structure/vector-length-wraps": "vector length that wraps when multiplied by 4"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].outputs", 0x4000_0001);

    /// In 32-bit arithmetic, the size of the vector and its count field wraps to 0. As a signed integer, the count is −1.
    reject "pte/structure/vector-length-max": "vector length 2^32 − 1" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains", u32::MAX);

    /// An allocation for 2^31 − 1 values runs out of memory. On a 32-bit host, its size wraps to a small number instead.
    reject "pte/structure/values-length-forged": "count of values set to 2^31 − 1" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants", refs [
            "CVE-2025-30404", "GHSA-hj95-mhgf-jxc4", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"
        ] => |file| file.count("execution_plan[0].values", 0x7fff_ffff);

    /// The method name declares 4 096 bytes but has seven. A reader that returns them all discloses the memory after the file.
    reject "pte/structure/string-too-long": "string longer than the program" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].name", 0x1000);

    /// `!` replaces the NUL. Readers of C strings see `aten::add!`, and readers that use the length see `aten::add`.
    reject "pte/structure/string-not-terminated": "string without a NUL terminator" breaks rules::FB_STRING_NUL,
        from "pte/valid/constants" => |file| file.terminator("execution_plan[0].operators[0].name", b'!');

    /// Readers that compare names as bytes accept the file, but readers that decode names reject it.
    either "pte/structure/string-not-utf-8": "operator name that is not UTF-8" about rules::FB_STRING_UTF8,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].operators[0].name", 0, &[0xff, 0xfe]);

    /// The runtime never reads call stacks, but a debugger that decodes the function name can fail.
    either "pte/structure/frame-not-utf-8": "call-stack function name that is not UTF-8" about rules::FB_STRING_UTF8,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].stacktrace[0].items[0].name", 0, &[0xc3, 0x28]);

    /// A source line may contain a NUL. A debugger that uses C strings shows only the text before it.
    accept "pte/structure/frame-with-nul": "NUL inside a call-stack source line" shows rules::FB_STRING_NO_EMBEDDED_NUL,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].stacktrace[0].items[0].context", 6, &[0]);

    /// The source line has a Latin-1 letter. The runtime never reads the line, but tools that print it can fail.
    either "pte/structure/frame-context-not-utf-8": "call-stack source line that is not UTF-8"
        about rules::FB_STRING_UTF8, from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].stacktrace[0].items[0].context", 0, &[0xe9]);

    /// Unlike a name, a String value may contain a NUL. A reader that uses C strings loses the text after it.
    accept "pte/values/string-with-nul": "NUL inside a String value" shows rules::FB_STRING_NO_EMBEDDED_NUL,
        from "pte/valid/everything" => |file| file.elements("execution_plan[0].values[8].val.string_val", 2, &[0]);

    /// Read as a C string, the method's name is `for`, but by its length, it has seven bytes. Readers disagree about the name.
    either "pte/structure/string-with-nul": "NUL inside a method name" about rules::FB_STRING_NO_EMBEDDED_NUL,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].name", 3, &[0]);

    /// Readers pass bool lists to kernels in place, and in C++, a bool that is neither 0 nor 1 is undefined behavior.
    either "pte/structure/bool-2": "bool element 2" about values::VAL_BOOLLIST,
        from "pte/valid/everything" => |file| file.elements("execution_plan[0].values[11].val.items", 0, &[2]);

    /// Some readers treat every value except 0 as true, but others treat only 1 as true.
    either "pte/structure/scalar-bool-2": "Bool value 2" about rules::FB_BOOL_CANONICAL,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[5].val.bool_val", 2_u8);

    /// Inference never reads `requires_grad`, but readers in languages with checked bools may reject the file.
    either "pte/structure/ignored-bool-255": "ignored bool 255" about rules::FB_BOOL_CANONICAL,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.requires_grad", 255_u8);

    /// The type is KernelCall, but the value is absent. Verifiers accept this because both fields are optional, but a
    /// reader that checks only the type dereferences null.
    reject "pte/structure/union-without-value": "union with a type and no value" breaks rules::FB_UNION_CONSISTENT,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0].chains[0].instructions[0]", 1, 0);

    /// Verifiers skip a value whose type is NONE, so a reader that only checks that a value is there uses an unverified table.
    reject "pte/structure/union-without-type": "union with a value and no type" breaks rules::FB_UNION_CONSISTENT,
        from "pte/valid/constants" => |file| file.scalar("execution_plan[0].values[3].val_type", 0_u8);

    /// The value is past the program, but verifiers skip values with unknown types, so only the reader can notice.
    reject "pte/structure/union-unknown-and-wild": "union of type 200 with a value past the program"
        breaks rules::FB_UOFFSET_VALID, from "pte/valid/constants" => |file| {
            file.scalar("execution_plan[0].values[3].val_type", 200_u8);
            file.offset("execution_plan[0].values[3].val", 0x10_0000);
        };

    /// The type is valid, but the field with the offset to the value is itself not aligned to 4 bytes.
    reject "pte/structure/union-unaligned": "union value not aligned to 4 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/constants" => |file| file.misalign("execution_plan[0].values[3]", "val", PartKind::Offset);

    /// The integer is aligned to only 4 bytes. Compilers may assume natural alignment, so loading it is undefined
    /// behavior.
    reject "pte/structure/integer-unaligned": "64-bit integer not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/constants"
        => |file| file.misalign("execution_plan[0].values[3].val", "int_val", PartKind::Scalar);

    /// The float is aligned to only 4 bytes. Some processors load misaligned integers but fault on misaligned floats.
    reject "pte/structure/float-unaligned": "64-bit float not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/every-value"
        => |file| file.misalign("execution_plan[0].values[6].val", "double_val", PartKind::Scalar);

    /// The second segment's offset is aligned to only 4 bytes, so checking only a list's first table is not enough.
    reject "pte/structure/segment-offset-unaligned": "segment offset not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/named-data" => |file| file.misalign("segments[1]", "offset", PartKind::Scalar);

    /// The size is aligned to only 4 bytes, so loading the segment faults on strict-alignment CPUs.
    reject "pte/structure/segment-size-unaligned": "segment size not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/named-data" => |file| file.misalign("segments[1]", "size", PartKind::Scalar);

    /// The line number in a call stack is aligned to only 2 bytes. The runtime never reads it, but a verifier must
    /// notice.
    reject "pte/structure/line-unaligned": "32-bit line number not aligned to 4 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/everything"
        => |file| file.misalign("execution_plan[0].chains[0].stacktrace[0].items[0]", "lineno", PartKind::Scalar);

    /// The offset to `allocation_info` points to itself. If no verifier runs, the table seems to be there but has no fields.
    reject "pte/structure/allocation-0": "allocation_info offset 0" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values[1].val.allocation_info", 0);

    /// The vtable of `extra_tensor_info` is before the file. The runtime does not read this table for every tensor, so
    /// only a verifier notices.
    reject "pte/structure/extra-info-vtable": "extra_tensor_info vtable before the file" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/mutable-state"
        => |file| file.table("execution_plan[0].values[4].val.extra_tensor_info", i32::MAX);

    /// The name is a megabyte past the program, so printing it discloses the memory after the file.
    reject "pte/structure/name-past-end": "method name past the program" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].name", 0x10_0000);

    /// Read as a C string, the backend id runs on into the bytes that follow.
    reject "pte/structure/backend-not-terminated": "backend id without a NUL terminator" breaks rules::FB_STRING_NUL,
        from "pte/valid/delegates" => |file| file.terminator("execution_plan[0].delegates[0].id", b'!');

    /// The runtime passes the key to the backend as a C string, so the backend reads past the key's end.
    reject "pte/structure/compile-spec-key-not-terminated": "compile spec key without a NUL terminator"
        breaks rules::FB_STRING_NUL, from "pte/valid/delegates"
        => |file| file.terminator("execution_plan[0].delegates[0].compile_specs[0].key", b'!');

    /// The accessor for this description of the outputs returns a C string, so a caller reads past its end.
    reject "pte/structure/container-meta-not-terminated": "encoded_out_str without a NUL terminator"
        breaks rules::FB_STRING_NUL, from "pte/valid/constants"
        => |file| file.terminator("execution_plan[0].container_meta_type.encoded_out_str", b'!');

    /// The runtime never reads this description of the inputs, but other tools do.
    reject "pte/structure/container-meta-past-end": "encoded_inp_str past the program" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants"
        => |file| file.offset("execution_plan[0].container_meta_type.encoded_inp_str", 0x10_0000);

    /// The runtime never reads file names in call stacks, but a debugger prints them as C strings.
    reject "pte/structure/frame-not-terminated": "call-stack file name without a NUL terminator"
        breaks rules::FB_STRING_NUL, from "pte/valid/everything"
        => |file| file.terminator("execution_plan[0].chains[0].stacktrace[0].items[0].filename", b'!');

    /// The bytes of the header's length are also the root table's vtable offset. Apart from that, the header and the
    /// table are valid, so readers may accept or reject the file.
    either "pte/structure/root-in-header": "root table inside the header" about rules::FB_ROOT_NOT_IN_HEADER,
        from "pte/valid/constants" => root_into_header;

    /// Nine values share one table, which FlatBuffers allows. A reader that creates an object for every offset needs
    /// far more memory than the file's size suggests.
    either "pte/structure/shared-tables": "table shared by many values" about rules::FB_DAG_NO_AMPLIFICATION,
        from "pte/valid/everything" => |file| {
            let largest = file.at("execution_plan[0].values[4]", PartKind::Table);
            // Value 6, a bool that a jump tests, keeps its own table.
            for index in [5, 7, 8, 9, 10, 11, 12, 13] {
                file.point(&alloc::format!("execution_plan[0].values[{index}]"), largest);
            }
        };

    /// The schema requires inline delegate data at a multiple of 16. Verifiers do not check that, and backends that
    /// load 16 bytes at once can fault.
    either "pte/structure/force-align": "inline delegate data not aligned to 16 bytes" about rules::FB_FORCE_ALIGN,
        from "pte/valid/everything" => |file| file.move_count("backend_delegate_data[0].data", 4);
}

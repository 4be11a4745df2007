//! Cases about a program's FlatBuffer: root, vtables, offsets, vectors, strings and unions.

use super::cases;
use super::defects::root_into_header;
use crate::annotate::PartKind;
use crate::rules::{flatbuffer as rules, values};

cases! {
    /// The root offset is 0 and points to itself. The zero bytes of the root offset form a table with an empty vtable.
    /// If a reader does not check the lower limit of the root offset, it gets a program without fields.
    reject "pte/structure/root-0": "root offset 0" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.root(0);

    /// The root offset is 4 and points to the identifier. If a reader uses the identifier's letters as a vtable offset,
    /// the vtable is 842 million bytes in front of the file. A reader must check the vtable's position.
    reject "pte/structure/root-in-identifier": "root offset 4" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#18597"] => |file| file.root(4);

    /// The root offset, 744, equals the program size. The zeros at byte 744 form a table without fields. A reader that
    /// allows a root offset equal to the program size accepts the file.
    reject "pte/structure/root-past-end": "root offset past the program" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.root(file.u64_at(16));

    /// The root offset is 2^32 − 1. As a signed integer, the offset is −1. If a reader adds 4 to get the end of the
    /// table's first word, the sum wraps to 3 in 32-bit arithmetic.
    reject "pte/structure/root-max": "root offset 2^32 − 1" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.put(0, &u32::MAX.to_le_bytes());

    /// The root offset is two bytes too large. The word at this position mixes bytes of two fields. A reader must check
    /// the alignment, because an unaligned load is undefined behavior in C.
    reject "pte/structure/root-unaligned": "root table not aligned to 4 bytes" breaks rules::FB_ROOT_ALIGNED,
        from "pte/valid/constants" => |file| file.root(file.u32_at(0) + 2);

    /// A negative vtable offset is valid, but this vtable lies a megabyte past the end of the file. A reader that
    /// checks only the lower limit of the vtable's position accepts the offset.
    reject "pte/structure/vtable-past-end": "vtable past the program" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.table("execution_plan[0]", -0x10_0000);

    /// The vtable offset is 2^31 − 1, so the vtable lies before the start of the file. A reader must check the position
    /// before it computes a pointer.
    reject "pte/structure/vtable-before-start": "vtable before the file" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.table("execution_plan[0]", i32::MAX);

    /// The vtable offset is −2^31, and the negation of −2^31 overflows in 32-bit arithmetic. A reader that adds the
    /// negated offset to the table's position gets a position on the wrong side of the table.
    reject "pte/structure/vtable-distance-min": "vtable offset −2^31" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.table("execution_plan[0]", i32::MIN);

    /// The vtable offset is off by one byte, so the vtable's length and each field offset mix bytes of two entries. The
    /// vtable's length becomes 3072. A reader must check that vtables are aligned.
    reject "pte/structure/vtable-unaligned": "vtable at an odd offset" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.shift_vtable("constant_segment", 1);

    /// The vtable's length is 0, but the length must include the four bytes of the vtable's own header. A reader that
    /// accepts the vtable gets a method without name, values or chains.
    reject "pte/structure/vtable-length-0": "vtable length 0" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.vtable_len("execution_plan[0]", 0);

    /// The vtable's length is odd, so the vtable ends inside its first slot. Readers that check only the slot's start
    /// use the field, and readers that check the slot's end ignore the field.
    reject "pte/structure/vtable-length-odd": "odd vtable length" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.vtable_len("execution_plan[0]", 5);

    /// The vtable's length is 65534, so the vtable extends past the program. If a reader accepts the length, it uses
    /// the bytes of other tables as the vtable entries of absent fields.
    reject "pte/structure/vtable-length-max": "vtable length 65534" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.vtable_len("execution_plan[0]", 65534);

    /// In the vtable, the offset of the method name is 65 520, which is past the end of the file. A reader must check
    /// the sum of table position and field offset.
    reject "pte/structure/field-past-end": "field past the program" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.slot("execution_plan[0]", 0, 0xfff0);

    /// The vtable declares an object of 4 bytes, but the object's fields come after these 4 bytes. The fields are
    /// inside the program. Known FlatBuffers verifiers do not compare field offsets with the object length.
    either "pte/structure/object-too-short": "object length 4, fields after the object's end"
        about rules::FB_OBJECT_SIZE, from "pte/valid/constants" => |file| file.object_len("execution_plan[0]", 4);

    /// The offset to the list of values is 0 and points to itself. This 0 is also the list's count, so the method seems
    /// to have no values.
    reject "pte/structure/reference-0": "offset 0 to the list of values" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values", 0);

    /// The offset to a value is 0, so the value's table begins at the offset itself. This 0 is also the table's vtable
    /// offset, so the table is its own vtable and has no fields.
    reject "pte/structure/element-0": "offset 0 in a vector of tables" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values[1]", 0);

    /// The offset to the values points a megabyte past the program. Generated FlatBuffers accessors do not check
    /// offsets, so a reader needs a verifier.
    reject "pte/structure/reference-past-end": "offset past the program" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values", 0x10_0000);

    /// The offset to the list of operators points to the program's last byte, so three of the count's four bytes are
    /// outside the program. A reader must check that all four bytes of the count are inside the program.
    reject "pte/structure/reference-to-last-byte": "offset to the program's last byte" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.point("execution_plan[0].operators", file.u64_at(16) - 1);

    /// The offset to the values is 2^32 − 4. FlatBuffers offsets are unsigned, so this offset points past the end of
    /// the file. If a reader adds the offset in 32-bit arithmetic, the position wraps to the word in front of the
    /// offset.
    reject "pte/structure/reference-negative": "offset 2^32 − 4" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values", u32::MAX - 3);

    /// The offset to a string is one byte too large, so the string's length becomes 1.6 billion. A reader must check
    /// the alignment. On some hosts, an unaligned load causes a fault.
    reject "pte/structure/reference-unaligned": "offset to a position that is not a multiple of 4"
        breaks rules::FB_ALIGNMENT, from "pte/valid/constants"
        => |file| file.lead("execution_plan[0].operators[0].name", "execution_plan[0].operators[0].name", 1);

    /// The vector's count is aligned to 4 bytes, but its 64-bit elements are not aligned to 8 bytes. A verifier that
    /// checks only the count's alignment accepts the file.
    reject "pte/structure/vector-unaligned": "64-bit elements not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/constants" => |file| file.move_count("execution_plan[0].non_const_buffer_sizes", 1);

    /// The sizes of the planned buffers are aligned to 4 bytes, but not to 8 bytes. A host reads the sizes to allocate
    /// the buffers.
    reject "pte/structure/buffer-sizes-unaligned": "sizes of planned buffers not aligned to 8 bytes"
        breaks rules::FB_ALIGNMENT,
        from "pte/valid/memory-plan" => |file| file.misalign_elements("execution_plan[0].non_const_buffer_sizes");

    /// The items of an IntList are aligned to 4 bytes, but not to 8 bytes. A reader reads the items to find the values
    /// of the list.
    reject "pte/structure/int-list-unaligned": "items of an IntList not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/every-value" => |file| file.misalign_elements("execution_plan[0].values[8].val.items");

    /// An IntList has no items, and the position of its first item would be 4 mod 8. The file is valid, because there is no item to
    /// align: exporters up to release 1.1.0 wrote such files. A verifier that checks the alignment before the count rejects them.
    accept "pte/structure/empty-int-list-unaligned": "empty IntList not aligned to 8 bytes" shows rules::FB_ALIGNMENT,
        from "pte/valid/empty-lists", refs ["google/flatbuffers#8374"]
        => |file| file.misalign_elements("execution_plan[0].values[4].val.items");

    /// The offsets of the constants are aligned to 4 bytes, but not to 8 bytes. A reader reads an offset to find the
    /// data of a constant.
    reject "pte/structure/constant-offsets-unaligned": "constant offsets not aligned to 8 bytes"
        breaks rules::FB_ALIGNMENT,
        from "pte/valid/three-constants" => |file| file.misalign_elements("constant_segment.offsets");

    /// The offsets of the initial values are aligned to 4 bytes, but not to 8 bytes. A reader reads an offset to copy
    /// an initial value.
    reject "pte/structure/initial-value-offsets-unaligned": "initial value offsets not aligned to 8 bytes"
        breaks rules::FB_ALIGNMENT,
        from "pte/valid/mutable-states-packed" => |file| file.misalign_elements("mutable_data_segments[0].offsets");

    /// The count of the inputs is 65 536, but the program has one input. If a reader trusts the count, it reads past
    /// the list of inputs and uses the following bytes as value indices.
    reject "pte/structure/vector-too-long": "vector longer than the program" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].inputs", 0x1_0000);

    /// The count of the outputs is 2^30 + 1. In 32-bit arithmetic, the count times 4 wraps to 4, the size in bytes of
    /// the one real output. A reader must use 64-bit arithmetic.
    reject "pte/structure/vector-length-wraps": "vector length that wraps when multiplied by 4"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].outputs", 0x4000_0001);

    /// The count of the chains is 2^32 − 1. In 32-bit arithmetic, the vector's size, including the count, wraps to 0.
    /// As a signed integer, the count is −1.
    reject "pte/structure/vector-length-max": "vector length 2^32 − 1" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains", u32::MAX);

    /// The count of the values is 2^31 − 1, far more than the file contains. A reader that allocates memory for this
    /// number of values runs out of memory. On a 32-bit host, the size of the allocation can wrap to a small number.
    reject "pte/structure/values-length-forged": "count of values set to 2^31 − 1" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants", refs [
            "CVE-2025-30404", "GHSA-hj95-mhgf-jxc4", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"
        ] => |file| file.count("execution_plan[0].values", 0x7fff_ffff);

    /// The length of the method name is 4 096 bytes, but the name has seven bytes. A reader that returns 4 096 bytes
    /// discloses the memory after the file.
    reject "pte/structure/string-too-long": "string longer than the program" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].name", 0x1000);

    /// The terminator of the operator name `aten::add` is overwritten with `!`. Readers that use the length get
    /// `aten::add`, and readers that use C strings get `aten::add!`. A reader must require the NUL terminator.
    reject "pte/structure/string-not-terminated": "string without a NUL terminator" breaks rules::FB_STRING_NUL,
        from "pte/valid/constants" => |file| file.terminator("execution_plan[0].operators[0].name", b'!');

    /// The operator name contains bytes that are not UTF-8. Readers that compare bytes accept the name, and readers
    /// that decode the name reject the file.
    either "pte/structure/string-not-utf-8": "operator name that is not UTF-8" about rules::FB_STRING_UTF8,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].operators[0].name", 0, &[0xff, 0xfe]);

    /// A function name in a call stack is not UTF-8. The runtime does not read call stacks, but a debugger that decodes
    /// the name can fail.
    either "pte/structure/frame-not-utf-8": "call-stack function name that is not UTF-8" about rules::FB_STRING_UTF8,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].stacktrace[0].items[0].name", 0, &[0xc3, 0x28]);

    /// A source line in a call stack contains a NUL, which is valid. A debugger that uses C strings shows only the text
    /// before the NUL.
    accept "pte/structure/frame-with-nul": "NUL inside a call-stack source line" shows rules::FB_STRING_NO_EMBEDDED_NUL,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].stacktrace[0].items[0].context", 6, &[0]);

    /// A source line in a call stack contains a Latin-1 letter, which is not UTF-8. The runtime does not read call
    /// stacks, but tools that print the line can fail.
    either "pte/structure/frame-context-not-utf-8": "call-stack source line that is not UTF-8"
        about rules::FB_STRING_UTF8, from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].stacktrace[0].items[0].context", 0, &[0xe9]);

    /// A String value contains a NUL. The file is valid, because a String value is not used as a name. A reader that
    /// treats the value as a C string loses the text after the NUL.
    accept "pte/values/string-with-nul": "NUL inside a String value" shows rules::FB_STRING_NO_EMBEDDED_NUL,
        from "pte/valid/everything" => |file| file.elements("execution_plan[0].values[8].val.string_val", 2, &[0]);

    /// The method name contains a NUL. As a C string, the name is `for`; by its length, the name has seven bytes.
    /// Readers that use C strings and readers that use lengths therefore disagree.
    either "pte/structure/string-with-nul": "NUL inside a method name" about rules::FB_STRING_NO_EMBEDDED_NUL,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].name", 3, &[0]);

    /// An element of a list of bools is 2. Readers pass a list of bools to kernels without a copy. In C++, a bool that
    /// is neither 0 nor 1 causes undefined behavior.
    either "pte/structure/bool-2": "bool element 2" about values::VAL_BOOLLIST,
        from "pte/valid/everything" => |file| file.elements("execution_plan[0].values[11].val.items", 0, &[2]);

    /// A Bool value is 2. Some readers treat every value except 0 as true, and other readers treat only 1 as true.
    either "pte/structure/scalar-bool-2": "Bool value 2" about rules::FB_BOOL_CANONICAL,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[5].val.bool_val", 2_u8);

    /// The field `requires_grad` is 255, but a bool must be 0 or 1. Inference ignores the field. Readers in languages
    /// with checked bools may reject the file.
    either "pte/structure/ignored-bool-255": "ignored bool 255" about rules::FB_BOOL_CANONICAL,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.requires_grad", 255_u8);

    /// The instruction's type is KernelCall, but the instruction's value is absent. FlatBuffers verifiers accept the
    /// file, because the type field and the value field are both optional. A reader that checks only the type
    /// dereferences a null pointer.
    reject "pte/structure/union-without-value": "union with a type and no value" breaks rules::FB_UNION_CONSISTENT,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0].chains[0].instructions[0]", 1, 0);

    /// The union has a value, but the union's type is NONE. A verifier skips the value, because NONE has no table type.
    /// A reader that tests only whether the value exists uses an unverified table.
    reject "pte/structure/union-without-type": "union with a value and no type" breaks rules::FB_UNION_CONSISTENT,
        from "pte/valid/constants" => |file| file.scalar("execution_plan[0].values[3].val_type", 0_u8);

    /// The union has the unknown type 200, and the offset to its value points past the program. Verifiers skip values
    /// of unknown types, so the reader must check the offset itself.
    reject "pte/structure/union-unknown-and-wild": "union of type 200 with a value past the program"
        breaks rules::FB_UOFFSET_VALID, from "pte/valid/constants" => |file| {
            file.scalar("execution_plan[0].values[3].val_type", 200_u8);
            file.offset("execution_plan[0].values[3].val", 0x10_0000);
        };

    /// The field that contains the offset to the union's value is not aligned to 4 bytes. The union's type field is
    /// valid. A reader must check the alignment of the offset field itself.
    reject "pte/structure/union-unaligned": "union value not aligned to 4 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/constants" => |file| file.misalign("execution_plan[0].values[3]", "val", PartKind::Offset);

    /// The 64-bit integer is aligned to 4 bytes, but not to 8 bytes. Compilers may assume the natural alignment, so an
    /// unaligned load is undefined behavior.
    reject "pte/structure/integer-unaligned": "64-bit integer not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/constants"
        => |file| file.misalign("execution_plan[0].values[3].val", "int_val", PartKind::Scalar);

    /// The 64-bit float is aligned to 4 bytes, but not to 8 bytes. Some processors load unaligned integers but fault on
    /// unaligned floats.
    reject "pte/structure/float-unaligned": "64-bit float not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/every-value"
        => |file| file.misalign("execution_plan[0].values[6].val", "double_val", PartKind::Scalar);

    /// The 64-bit offset of the second segment is aligned to 4 bytes, but not to 8 bytes. A verifier must check the
    /// alignment in every table of the list of segments.
    reject "pte/structure/segment-offset-unaligned": "segment offset not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/named-data" => |file| file.misalign("segments[1]", "offset", PartKind::Scalar);

    /// The 64-bit size of a segment is aligned to 4 bytes, but not to 8 bytes. On hosts that do not support unaligned
    /// loads, a reader without an alignment check faults when it loads the segment.
    reject "pte/structure/segment-size-unaligned": "segment size not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/named-data" => |file| file.misalign("segments[1]", "size", PartKind::Scalar);

    /// The 32-bit line number in a call stack is aligned to 2 bytes, but not to 4 bytes. The runtime does not read call
    /// stacks, but a verifier must check every field.
    reject "pte/structure/line-unaligned": "32-bit line number not aligned to 4 bytes" breaks rules::FB_ALIGNMENT,
        from "pte/valid/everything"
        => |file| file.misalign("execution_plan[0].chains[0].stacktrace[0].items[0]", "lineno", PartKind::Scalar);

    /// The offset to the tensor's `allocation_info` is 0 and points to itself. The field is present, so a reader
    /// without a verifier uses a table without fields.
    reject "pte/structure/allocation-0": "allocation_info offset 0" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values[1].val.allocation_info", 0);

    /// The vtable of a tensor's `extra_tensor_info` lies before the start of the file. The runtime does not read this
    /// table for every tensor, so a reader needs a verifier to detect the wrong vtable offset.
    reject "pte/structure/extra-info-vtable": "extra_tensor_info vtable before the file" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/mutable-state"
        => |file| file.table("execution_plan[0].values[4].val.extra_tensor_info", i32::MAX);

    /// The offset to the method name points a megabyte past the program. A reader without a verifier discloses memory
    /// after the file when it prints the name.
    reject "pte/structure/name-past-end": "method name past the program" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].name", 0x10_0000);

    /// The backend id has no NUL terminator. A reader that treats the id as a C string includes the bytes after the id.
    reject "pte/structure/backend-not-terminated": "backend id without a NUL terminator" breaks rules::FB_STRING_NUL,
        from "pte/valid/delegates" => |file| file.terminator("execution_plan[0].delegates[0].id", b'!');

    /// The key of a compile spec has no NUL terminator. The runtime passes the key to the backend as a C string, so the
    /// backend reads past the key.
    reject "pte/structure/compile-spec-key-not-terminated": "compile spec key without a NUL terminator"
        breaks rules::FB_STRING_NUL, from "pte/valid/delegates"
        => |file| file.terminator("execution_plan[0].delegates[0].compile_specs[0].key", b'!');

    /// The field `encoded_out_str`, which describes the nesting of the outputs, has no NUL terminator. The accessor
    /// returns a C string, so a caller reads past the string.
    reject "pte/structure/container-meta-not-terminated": "encoded_out_str without a NUL terminator"
        breaks rules::FB_STRING_NUL, from "pte/valid/constants"
        => |file| file.terminator("execution_plan[0].container_meta_type.encoded_out_str", b'!');

    /// The offset to `encoded_inp_str`, which describes the nesting of the inputs, points past the program. The runtime
    /// does not read the string, but other tools do.
    reject "pte/structure/container-meta-past-end": "encoded_inp_str past the program" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants"
        => |file| file.offset("execution_plan[0].container_meta_type.encoded_inp_str", 0x10_0000);

    /// A file name in a call stack has no NUL terminator. The runtime does not read the name, but a debugger that
    /// prints the name as a C string reads past the name.
    reject "pte/structure/frame-not-terminated": "call-stack file name without a NUL terminator"
        breaks rules::FB_STRING_NUL, from "pte/valid/everything"
        => |file| file.terminator("execution_plan[0].chains[0].stacktrace[0].items[0].filename", b'!');

    /// The root table overlaps the header, so the header's length field is also the table's vtable offset. The header
    /// and the root table are valid apart from the overlap. Readers may accept or reject the file.
    either "pte/structure/root-in-header": "root table inside the header" about rules::FB_ROOT_NOT_IN_HEADER,
        from "pte/valid/constants" => root_into_header;

    /// The offsets of nine values of a method point to one table. Shared tables are valid. If a reader creates one
    /// object per offset, it uses far more memory than the file's size suggests.
    either "pte/structure/shared-tables": "table shared by many values" about rules::FB_DAG_NO_AMPLIFICATION,
        from "pte/valid/everything" => |file| {
            let largest = file.at("execution_plan[0].values[4]", PartKind::Table);
            // Value 6, a bool that a jump tests, keeps its own table.
            for index in [5, 7, 8, 9, 10, 11, 12, 13] {
                file.point(&alloc::format!("execution_plan[0].values[{index}]"), largest);
            }
        };

    /// The schema requires 16-byte alignment for inline delegate data, but FlatBuffers verifiers do not check this
    /// alignment. Backends that load 16 bytes at once can fault.
    either "pte/structure/force-align": "inline delegate data not aligned to 16 bytes" about rules::FB_FORCE_ALIGN,
        from "pte/valid/everything" => |file| file.move_count("backend_delegate_data[0].data", 4);
}

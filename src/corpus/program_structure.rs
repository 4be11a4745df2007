//! Cases about a program's FlatBuffer: root, vtables, offsets, vectors, strings and unions.

use super::cases;
use super::defects::root_into_header;
use crate::annotate::PartKind;
use crate::rules::{flatbuffer as rules, values};

cases! {
    /// The root offset points to itself. Its zeros form a table whose vtable is at the same place and has length 0.
    /// A reader without a lower bound sees a program without any fields.
    reject "pte/structure/root-0": "root offset 0" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.root(0);

    /// The root offset points to the identifier. Its letters, read as a vtable offset, lead 842 million bytes
    /// before the file.
    reject "pte/structure/root-in-identifier": "root offset 4" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#18597"] => |file| file.root(4);

    /// The root offset, 744, equals the program size but is inside the file. The zeros there form a table that is
    /// its own vtable and has no fields. A check that allows the size itself accepts it.
    reject "pte/structure/root-past-end": "root offset past the program" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.root(file.u64_at(16));

    /// As a signed integer, the offset is −1, below the program's end. Adding the four bytes of the table's first word
    /// wraps it to 3, also below.
    reject "pte/structure/root-max": "root offset 2^32 − 1" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.put(0, &u32::MAX.to_le_bytes());

    /// The root offset is two bytes too large. The word there mixes two fields and leads more than a megabyte
    /// before the file. A range check alone accepts it, and the unaligned load is undefined behaviour in C.
    reject "pte/structure/root-unaligned": "root table not at a multiple of 4" breaks rules::FB_ROOT_ALIGNED,
        from "pte/valid/constants" => |file| {
            let root = file.at("", PartKind::Table);
            file.root(root + 2);
        };

    /// A vtable may follow its table, so a negative vtable offset is valid. This one leads a megabyte ahead in a
    /// one-kilobyte file. A reader that checks only the start of the file accepts it.
    reject "pte/structure/vtable-past-end": "vtable past the program" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.table("execution_plan[0]", -0x10_0000);

    /// The vtable offset is 2^31 − 1, so the vtable's position is negative. As a signed number it is below the
    /// program's end. A reader that subtracts pointers leaves the buffer before any comparison.
    reject "pte/structure/vtable-before-start": "vtable before the file" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.table("execution_plan[0]", i32::MAX);

    /// The vtable offset is the smallest signed integer, and negating it overflows. A reader that adds the negated
    /// offset in 32 bits goes backward instead of forward.
    reject "pte/structure/vtable-distance-min": "vtable offset −2^31" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.table("execution_plan[0]", i32::MIN);

    /// The vtable offset is off by one byte. The vtable's length, 8, becomes 3072, and the field offsets mix bytes
    /// of two entries. The first of them points past the file.
    reject "pte/structure/vtable-unaligned": "vtable at an odd position" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.shift_vtable("constant_segment", 1);

    /// The vtable has length 0, although its length counts itself. Every slot is outside, so the method has no
    /// name, values or chains. A reader that assumes these fields exist follows null pointers.
    reject "pte/structure/vtable-length-0": "vtable length 0" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.vtable_len("execution_plan[0]", 0);

    /// The vtable ends inside its first slot. A reader that checks the slot's start finds the field, and one that
    /// checks the slot's end does not.
    reject "pte/structure/vtable-length-odd": "odd vtable length" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.vtable_len("execution_plan[0]", 5);

    /// The vtable is long enough for every slot that a reader requests. Fields that the table lacks appear present,
    /// at offsets taken from the bytes of other tables.
    reject "pte/structure/vtable-length-max": "vtable length 65534" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.vtable_len("execution_plan[0]", 65534);

    /// The method name starts 65 520 bytes into its table, outside program and file. The vtable itself is valid;
    /// only the sum of table position and field offset shows the fault.
    reject "pte/structure/field-past-end": "field past the program" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.slot("execution_plan[0]", 0, 0xfff0);

    /// The vtable declares an object of 4 bytes, and its fields lie beyond them but inside the program. No
    /// FlatBuffers verifier compares the two.
    either "pte/structure/object-too-short": "object length 4, fields beyond it" about rules::FB_OBJECT_SIZE,
        from "pte/valid/constants" => |file| file.object_len("execution_plan[0]", 4);

    /// The offset to the list of values points to itself, so the list's count is 0. A reader sees a method without
    /// values, and every value index is out of range.
    reject "pte/structure/reference-0": "offset 0" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values", 0);

    /// The value begins at its own slot in the list, and its first word, 0, makes it its own vtable. All its fields
    /// look absent, and an accessor does not check for that.
    reject "pte/structure/element-0": "offset 0 in a vector of tables" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values[1]", 0);

    /// The offset to the values leads a megabyte past a one-kilobyte program. Generated accessors add offsets
    /// without a bound, so only a verifier detects this.
    reject "pte/structure/reference-past-end": "offset past the program" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values", 0x10_0000);

    /// The offset points inside the program, but three of the count's four bytes are outside. Here those bytes are
    /// padding, so the list of operators looks empty.
    reject "pte/structure/reference-to-last-byte": "offset to the program's last byte" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.point("execution_plan[0].operators", file.u64_at(16) - 1);

    /// FlatBuffers offsets only lead forward. Added in 32 bits, this one leads four bytes back, and the previous
    /// offset, 196, becomes the count of values.
    reject "pte/structure/reference-negative": "offset 2^32 − 4" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values", u32::MAX - 3);

    /// The offset to a string is one byte too large, so the length becomes 1.6 billion. A host that allows
    /// unaligned loads uses that length; other hosts fault.
    reject "pte/structure/reference-unaligned": "offset to a position that is not a multiple of 4"
        breaks rules::FB_ALIGNMENT,
        from "pte/valid/constants" => |file| {
            let name = file.at("execution_plan[0].operators[0].name", PartKind::Count);
            file.point("execution_plan[0].operators[0].name", name + 1);
        };

    /// The vector's count is aligned, but its 64-bit elements are not. A verifier that checks only the count
    /// accepts it. The one element then mixes halves of two numbers.
    reject "pte/structure/vector-unaligned": "64-bit elements at a multiple of 4" breaks rules::FB_ALIGNMENT,
        from "pte/valid/constants" => |file| {
            let sizes = file.at("execution_plan[0].non_const_buffer_sizes", PartKind::Count);
            file.point("execution_plan[0].non_const_buffer_sizes", sizes + 4);
            file.put(sizes + 4, &1_u32.to_le_bytes());
        };

    /// The count says 65 536 inputs and the program has one. Every index below the count looks valid, and the
    /// values read past the list become indices themselves.
    reject "pte/structure/vector-too-long": "vector longer than the program" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].inputs", 0x1_0000);

    /// Multiplied by 4, the count wraps to 4 in 32 bits, the size of the one real output. The bounds check passes,
    /// and every loop runs a billion times.
    reject "pte/structure/vector-length-wraps": "vector length that wraps when multiplied by 4"
        breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].outputs", 0x4000_0001);

    /// Multiplied by 4, plus the 4 bytes of the count, the length wraps to 0 in 32 bits. The vector then seems to end
    /// where it begins. As a signed integer, the count is −1.
    reject "pte/structure/vector-length-max": "vector length 2^32 − 1" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains", u32::MAX);

    /// A reader allocates memory for all values before it reads one. On a 32-bit host the size wraps, and the large
    /// count overruns the small allocation.
    reject "pte/structure/values-length-forged": "count of values forged to 2^31 − 1" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants", refs [
            "CVE-2025-30404", "GHSA-hj95-mhgf-jxc4", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"
        ] => |file| file.count("execution_plan[0].values", 0x7fff_ffff);

    /// The length says 4 096 bytes and seven are in the program. A reader that returns the name by its length
    /// exposes the weights and the memory after the file.
    reject "pte/structure/string-too-long": "string longer than the program" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].name", 0x1000);

    /// The terminator is overwritten, and the padding ends the string one byte later. As a C string the operator is
    /// the unregistered `aten::add!`; by its length it is `aten::add`. Without padding the C string would not end.
    reject "pte/structure/string-not-terminated": "string without a NUL terminator" breaks rules::FB_STRING_NUL,
        from "pte/valid/constants" => |file| file.terminator("execution_plan[0].operators[0].name", b'!');

    /// The operator name contains bytes that are not UTF-8. Readers that compare bytes accept it, and readers that
    /// decode it reject it.
    either "pte/structure/string-not-utf-8": "operator name that is not UTF-8" about rules::FB_STRING_UTF8,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].operators[0].name", 0, &[0xff, 0xfe]);

    /// A function name in a call stack is not UTF-8. The runtime does not read it, but a debugger fails on it.
    either "pte/structure/frame-not-utf-8": "call-stack function name that is not UTF-8" about rules::FB_STRING_UTF8,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].stacktrace[0].items[0].name", 0, &[0xc3, 0x28]);

    /// A source line in a call stack contains a NUL. A debugger that uses C strings shows `return` without the rest
    /// of the line. Nothing looks the line up, so nothing fails.
    accept "pte/structure/frame-with-nul": "NUL inside a call-stack source line"
        shows rules::FB_STRING_NO_EMBEDDED_NUL,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].stacktrace[0].items[0].context", 6, &[0]);

    /// A source line in a call stack is in Latin-1. A tool that prints the origin of an instruction fails with a
    /// decoding error, although the model runs.
    either "pte/structure/frame-context-not-utf-8": "call-stack source line that is not UTF-8"
        about rules::FB_STRING_UTF8,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].stacktrace[0].items[0].context", 0, &[0xe9]);

    /// A String value may contain any UTF-8, including a NUL, because it names nothing. A reader that passes it on
    /// as a C string loses the second half.
    accept "pte/values/string-with-nul": "NUL inside a String value" shows rules::FB_STRING_NO_EMBEDDED_NUL,
        from "pte/valid/everything" => |file| file.elements("execution_plan[0].values[8].val.string_val", 2, &[0]);

    /// Readers disagree about this name: as a C string it is `for`, and by its length it has seven bytes. A lookup
    /// finds the method in one reader and not in another.
    either "pte/structure/string-with-nul": "NUL inside a method name" about rules::FB_STRING_NO_EMBEDDED_NUL,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].name", 3, &[0]);

    /// Readers pass a list of bools to kernels in place. In C++, a bool that is neither 0 nor 1 is undefined
    /// behaviour.
    either "pte/structure/bool-2": "bool element 2" about values::VAL_BOOLLIST,
        from "pte/valid/everything" => |file| file.elements("execution_plan[0].values[11].val.items", 0, &[2]);

    /// Readers disagree about this byte: some test for 0 and others for 1.
    either "pte/structure/scalar-bool-2": "Bool value 2" about rules::FB_BOOL_CANONICAL,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[5].val.bool_val", 2_u8);

    /// `requires_grad` is 255. Inference ignores the field, but a reader in a language with checked bools still
    /// decodes it.
    either "pte/structure/ignored-bool-255": "ignored bool 255" about rules::FB_BOOL_CANONICAL,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.requires_grad", 255_u8);

    /// The type is KernelCall and the value is absent. A verifier treats both fields as optional. A reader that
    /// branches on the type reads the operator through a null pointer.
    reject "pte/structure/union-without-value": "union with a type and no value" breaks rules::FB_UNION_CONSISTENT,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0].chains[0].instructions[0]", 1, 0);

    /// The integer is present, but its type is NONE. A verifier follows values by their type and skips this one. A
    /// reader that tests the value first uses it unverified.
    reject "pte/structure/union-without-type": "union with a value and no type" breaks rules::FB_UNION_CONSISTENT,
        from "pte/valid/constants" => |file| file.scalar("execution_plan[0].values[3].val_type", 0_u8);

    /// The union has an unknown type, and its value's offset leads out of the program. Verifiers skip unknown
    /// types, and accessors then follow the offset.
    reject "pte/structure/union-unknown-and-wild": "union of type 200 with a value past the program"
        breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| {
            file.scalar("execution_plan[0].values[3].val_type", 200_u8);
            file.offset("execution_plan[0].values[3].val", 0x10_0000);
        };

    /// The offset to the union's value stands at an unaligned position. The type field is valid and does not reveal
    /// this.
    reject "pte/structure/union-unaligned": "union value not at a multiple of 4" breaks rules::FB_ALIGNMENT,
        from "pte/valid/constants" => |file| file.misalign("execution_plan[0].values[3]", "val", PartKind::Offset);

    /// The integer is aligned to four bytes only. Compilers may rely on its alignment when they merge two loads.
    reject "pte/structure/integer-unaligned": "64-bit integer not at a multiple of 8" breaks rules::FB_ALIGNMENT,
        from "pte/valid/constants"
        => |file| file.misalign("execution_plan[0].values[3].val", "int_val", PartKind::Scalar);

    /// The float is aligned to four bytes only. Processors that load unaligned integers may still fault on an
    /// unaligned float.
    reject "pte/structure/float-unaligned": "64-bit float not at a multiple of 8" breaks rules::FB_ALIGNMENT,
        from "pte/valid/every-value"
        => |file| file.misalign("execution_plan[0].values[6].val", "double_val", PartKind::Scalar);

    /// The 64-bit offset field of a segment is aligned to four bytes only. Each segment is a table of its own, so
    /// each needs its own alignment check.
    reject "pte/structure/segment-offset-unaligned": "segment offset not at a multiple of 8"
        breaks rules::FB_ALIGNMENT,
        from "pte/valid/named-data" => |file| file.misalign("segments[1]", "offset", PartKind::Scalar);

    /// The 64-bit size field of a segment is aligned to four bytes only. A host without unaligned loads faults when
    /// it loads the segment, perhaps long after it opens the file.
    reject "pte/structure/segment-size-unaligned": "segment size not at a multiple of 8"
        breaks rules::FB_ALIGNMENT,
        from "pte/valid/named-data" => |file| file.misalign("segments[1]", "size", PartKind::Scalar);

    /// A line number in a call stack is aligned to two bytes only. Only a debugger reads it.
    reject "pte/structure/line-unaligned": "32-bit line number not at a multiple of 4" breaks rules::FB_ALIGNMENT,
        from "pte/valid/everything"
        => |file| file.misalign("execution_plan[0].chains[0].stacktrace[0].items[0]", "lineno", PartKind::Scalar);

    /// The offset points to itself and so to a table without fields: offset 0 in the reserved buffer 0. The field
    /// is not absent, so the reader treats the tensor as planned.
    reject "pte/structure/allocation-0": "allocation_info offset 0" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values[1].val.allocation_info", 0);

    /// The vtable of a tensor's extra information lies outside the program. Most readers look there only for
    /// tensors in data files.
    reject "pte/structure/extra-info-vtable": "extra_tensor_info vtable before the file" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/mutable-state"
        => |file| file.table("execution_plan[0].values[4].val.extra_tensor_info", i32::MAX);

    /// The offset to the method name leads a megabyte past the program. A reader that prints the name prints
    /// foreign memory up to the next NUL.
    reject "pte/structure/name-past-end": "method name past the program" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].name", 0x10_0000);

    /// The backend id has no terminator. A reader that looks it up as a C string includes the bytes that follow.
    reject "pte/structure/backend-not-terminated": "backend id without a NUL terminator" breaks rules::FB_STRING_NUL,
        from "pte/valid/delegates" => |file| file.terminator("execution_plan[0].delegates[0].id", b'!');

    /// The key of a compile spec has no terminator. The runtime passes it to the backend as a C string.
    reject "pte/structure/compile-spec-key-not-terminated": "compile spec key without a NUL terminator"
        breaks rules::FB_STRING_NUL,
        from "pte/valid/delegates"
        => |file| file.terminator("execution_plan[0].delegates[0].compile_specs[0].key", b'!');

    /// The string that describes the nesting of outputs has no terminator. An accessor returns only its address,
    /// and the caller reads up to the next NUL.
    reject "pte/structure/container-meta-not-terminated": "encoded_out_str without a NUL terminator"
        breaks rules::FB_STRING_NUL,
        from "pte/valid/constants"
        => |file| file.terminator("execution_plan[0].container_meta_type.encoded_out_str", b'!');

    /// The offset to the string that describes the nesting of inputs leads past the program. The runtime does not
    /// read it, but a viewer does.
    reject "pte/structure/container-meta-past-end": "encoded_inp_str past the program" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants"
        => |file| file.offset("execution_plan[0].container_meta_type.encoded_inp_str", 0x10_0000);

    /// A file name in a call stack has no terminator. The runtime does not read it, but a debugger prints it.
    reject "pte/structure/frame-not-terminated": "call-stack file name without a NUL terminator"
        breaks rules::FB_STRING_NUL,
        from "pte/valid/everything"
        => |file| file.terminator("execution_plan[0].chains[0].stacktrace[0].items[0].filename", b'!');

    /// The root table overlaps the header: the header's length is also the table's vtable offset. A reader of one
    /// structure does not notice the other.
    either "pte/structure/root-in-header": "root table inside the header" about rules::FB_ROOT_NOT_IN_HEADER,
        from "pte/valid/constants" => root_into_header;

    /// Nine values of a method share one table. Sharing is legal, but a reader that builds one object per offset
    /// uses far more memory than the file.
    either "pte/structure/shared-tables": "table shared by many values" about rules::FB_DAG_NO_AMPLIFICATION,
        from "pte/valid/everything" => |file| {
            let largest = file.at("execution_plan[0].values[4]", PartKind::Table);
            // All values except the bool that a jump tests.
            for index in [5, 7, 8, 9, 10, 11, 12, 13] {
                file.point(&alloc::format!("execution_plan[0].values[{index}]"), largest);
            }
        };

    /// The schema asks for 16-byte alignment, but verifiers do not check the alignment of bytes. A backend that
    /// loads vectors from this address faults.
    either "pte/structure/force-align": "inline delegate data not at a multiple of 16" about rules::FB_FORCE_ALIGN,
        from "pte/valid/everything" => |file| {
            let data = file.at("backend_delegate_data[0].data", PartKind::Count);
            file.point("backend_delegate_data[0].data", data + 4);
            file.put(data + 4, &4_u32.to_le_bytes());
        };
}

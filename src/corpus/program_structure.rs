//! A program's FlatBuffer: root, vtables, references, vectors, strings and unions, each broken in its ways.

use super::cases;
use super::defects::root_into_header;
use crate::annotate::PartKind;
use crate::rules::{envelope as rules, values};

cases! {
    /// The root offset leads to itself. As a table, its zeros are the distance to a vtable at the same place, of length
    /// 0: a reader without a bound from below sees a program whose every field is absent.
    reject "pte/structure/root-0": "root offset 0" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.root(0);

    /// The root offset leads to the identifier, whose letters then are the distance to a vtable, 842 million bytes
    /// before the file.
    reject "pte/structure/root-in-identifier": "root offset 4" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#18597"] => |file| file.root(4);

    /// 744 is the program's size: a test against the file's length passes, and one that allows the size itself, too.
    /// The padding there is all zeros, a table that is its own vtable and has no field.
    reject "pte/structure/root-past-end": "root offset past the program" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.root(file.u64_at(16));

    /// As a signed number it is −1 and below the program's end; with the four bytes of the table's first word added it
    /// wraps to 3, which is below it as well.
    reject "pte/structure/root-max": "root offset 2^32 − 1" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.put(0, &u32::MAX.to_le_bytes());

    /// Two bytes on, the first word is half a distance and half a reference, and leads more than a megabyte before the
    /// file. Loading it there is undefined behaviour in C, and a check of the range alone lets it pass.
    reject "pte/structure/root-unaligned": "root table not at a multiple of 4" breaks rules::FB_ROOT_ALIGNED,
        from "pte/valid/constants" => |file| {
            let root = file.at("", PartKind::Table);
            file.root(root + 2);
        };

    /// A vtable may be behind its table, so a negative distance is no fault: this one leads a megabyte ahead, out of a
    /// file of one kilobyte. A reader that only looks for vtables before the file lets it pass.
    reject "pte/structure/vtable-past-end": "vtable past the program" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.table("execution_plan[0]", -0x10_0000);

    /// 2^31 − 1 back from a table near the file's start: the position is negative, and as a signed number below the
    /// program's end. A reader that subtracts pointers has left the buffer before it compares anything.
    reject "pte/structure/vtable-before-start": "vtable before the file" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.table("execution_plan[0]", i32::MAX);

    /// The farthest distance there is, which overflows where it is negated: a reader that adds the negated distance in
    /// 32 bits goes back where it should go ahead.
    reject "pte/structure/vtable-distance-min": "vtable distance −2^31" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.table("execution_plan[0]", i32::MIN);

    /// Read from one byte on, the vtable's length, 8, becomes 3072, and each field's offset is made of halves of two:
    /// the first is 1024 bytes on, past the file.
    reject "pte/structure/vtable-unaligned": "vtable at an odd place" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.shift_vtable("constant_segment", 1);

    /// A vtable of no bytes, though its length counts itself. Every slot is behind its end, so the method has neither
    /// name nor values nor chains, and a reader that takes them for granted follows null pointers.
    reject "pte/structure/vtable-length-0": "vtable length 0" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.vtable_len("execution_plan[0]", 0);

    /// Of the first slot one byte is inside and one is not. A reader that asks whether the slot begins before the end
    /// has the field, one that asks whether it ends there has not.
    reject "pte/structure/vtable-length-odd": "vtable length odd" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.vtable_len("execution_plan[0]", 5);

    /// Every slot that a reader may ask for is inside a vtable of that length: fields that the table does not have are
    /// present, at offsets that are other tables' bytes.
    reject "pte/structure/vtable-length-max": "vtable length 65534" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.vtable_len("execution_plan[0]", 65534);

    /// The method's name begins 65 520 bytes into its table, outside of program and file. The vtable is sound in
    /// itself; only its number added to the table's position shows it.
    reject "pte/structure/field-past-end": "field past the program" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.slot("execution_plan[0]", 0, 0xfff0);

    /// A field outside its object as the vtable counts it, though inside the program. No verifier compares the two.
    either "pte/structure/object-too-short": "object length 4, fields beyond it" about rules::FB_OBJECT_SIZE,
        from "pte/valid/constants" => |file| file.object_len("execution_plan[0]", 4);

    /// The list of values begins at the reference itself, which is then its count: 0. A reader sees a method without
    /// values, whose every index is out of range.
    reject "pte/structure/reference-0": "reference 0" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values", 0);

    /// The value begins at its own slot in the list, and its first word, 0, makes it its own vtable. Absent fields are
    /// 0, absent elements do not exist, so an accessor does not ask.
    reject "pte/structure/element-0": "element of a vector of tables 0" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values[1]", 0);

    /// The count of values is read a megabyte behind a program of one kilobyte. An accessor adds the reference to its
    /// place and asks nothing; whoever wants a bound has to verify first.
    reject "pte/structure/reference-past-end": "reference past the program" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values", 0x10_0000);

    /// The place is inside the program and passes a bound; three of the count's four bytes are not. They are padding
    /// here, and the list of operators comes out empty.
    reject "pte/structure/reference-to-last-byte": "reference to the program's last bytes" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.point("execution_plan[0].operators", file.u64_at(16) - 1);

    /// Added in 32 bits it leads four bytes back, to the reference in front, which is then the count of values: 196.
    /// References lead forward only.
    reject "pte/structure/reference-negative": "reference 2^32 − 4" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values", u32::MAX - 3);

    /// One byte on, the length is three zeros and the name's first letter: 1.6 billion letters. Where unaligned words
    /// can be loaded, a reader goes by it; elsewhere it faults.
    reject "pte/structure/reference-unaligned": "reference not to a multiple of 4" breaks rules::FB_ALIGNMENT,
        from "pte/valid/constants" => |file| {
            let name = file.at("execution_plan[0].operators[0].name", PartKind::Count);
            file.point("execution_plan[0].operators[0].name", name + 1);
        };

    /// The count is aligned, and the 64-bit numbers behind it are at a multiple of four. A verifier that asks for the
    /// count's place alone lets it pass, and the one number that it holds is made of halves of two.
    reject "pte/structure/vector-unaligned": "64-bit elements at a multiple of 4" breaks rules::FB_ALIGNMENT,
        from "pte/valid/constants" => |file| {
            let sizes = file.at("execution_plan[0].non_const_buffer_sizes", PartKind::Count);
            file.point("execution_plan[0].non_const_buffer_sizes", sizes + 4);
            file.put(sizes + 4, &1_u32.to_le_bytes());
        };

    /// 65 536 inputs by the count, where the program has one. An index below the count is in range, and what is read
    /// for it from behind the list is an index into the values.
    reject "pte/structure/vector-too-long": "vector longer than the program" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].inputs", 0x1_0000);

    /// Times four the count wraps to 4 in 32 bits, which is the size of the one output that is there: the bound passes,
    /// and every loop goes a billion times around.
    reject "pte/structure/vector-length-wraps": "vector length that wraps times 4" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].outputs", 0x4000_0001);

    /// Times four, and with the count's own four bytes, it wraps to 0 in 32 bits: the vector ends where it begins,
    /// inside every bound. As a signed number the count is −1.
    reject "pte/structure/vector-length-max": "vector length 2^32 − 1" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains", u32::MAX);

    /// A reader allocates by the count before it looks at a value. Times the size of a value in memory the two billion
    /// wrap on a 32-bit host, and the small allocation is filled by the large count.
    reject "pte/structure/values-length-forged": "values of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants", refs [
            "CVE-2025-30404", "GHSA-hj95-mhgf-jxc4", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"
        ] => |file| file.count("execution_plan[0].values", 0x7fff_ffff);

    /// 4 096 letters, of which seven are in the program: a reader that hands the name out by its length shows the
    /// weights, and then what lies behind the file.
    reject "pte/structure/string-too-long": "string longer than the program" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].name", 0x1000);

    /// The padding behind it ends it one byte late: as a C string the operator is `aten::add!`, which nobody has
    /// registered, and by its length `aten::add`. Without padding it would not end there at all.
    reject "pte/structure/string-not-terminated": "string without its zero byte" breaks rules::FB_STRING_NUL,
        from "pte/valid/constants" => |file| file.terminator("execution_plan[0].operators[0].name", b'!');

    /// A string of bytes that are no UTF-8. Readers that compare bytes accept it, readers that decode it do not.
    either "pte/structure/string-not-utf-8": "operator name that is not UTF-8" about rules::FB_STRING_UTF8,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].operators[0].name", 0, &[0xff, 0xfe]);

    /// A function's name in a call stack that is not UTF-8: what runs does not read it, and a debugger fails over it.
    either "pte/structure/frame-not-utf-8": "function of a call stack that is not UTF-8" about rules::FB_STRING_UTF8,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].stacktrace[0].items[0].name", 0, &[0xc3, 0x28]);

    /// A debugger that goes by zero bytes shows `return` of this line, and not what is returned. Nothing looks the line
    /// up, so nothing fails.
    accept "pte/structure/frame-with-nul": "zero byte inside a line of a call stack"
        shows rules::FB_STRING_NO_EMBEDDED_NUL,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].stacktrace[0].items[0].context", 6, &[0]);

    /// A line of source in another encoding than UTF-8, as a file in Latin-1 gives it. A tool that shows where an instruction
    /// comes from stops with an error of its text library, on a model that runs.
    either "pte/structure/frame-context-not-utf-8": "line of a call stack that is not UTF-8" about rules::FB_STRING_UTF8,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].stacktrace[0].items[0].context", 0, &[0xe9]);

    /// A string that is a value and names nothing may hold any bytes that are UTF-8, a zero byte among them. A reader that hands
    /// it on as a C string gives its first half.
    accept "pte/values/string-with-nul": "zero byte inside a String value" shows rules::FB_STRING_NO_EMBEDDED_NUL,
        from "pte/valid/everything" => |file| file.elements("execution_plan[0].values[8].val.string_val", 2, &[0]);

    /// A zero byte inside a name ends it for half of the readers: one finds the method as `for`, another only by its
    /// seven bytes.
    either "pte/structure/string-with-nul": "zero byte inside a name" about rules::FB_STRING_NO_EMBEDDED_NUL,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].name", 3, &[0]);

    /// A list of bools is handed to kernels where it stands: in C++ a bool that is neither 0 nor 1 is undefined behaviour
    /// there.
    either "pte/structure/bool-2": "bool element 2" about values::VAL_BOOLLIST,
        from "pte/valid/everything" => |file| file.elements("execution_plan[0].values[11].val.items", 0, &[2]);

    /// A bool by itself, where readers differ: some ask whether the byte is 0, some whether it is 1.
    either "pte/structure/scalar-bool-2": "bool 2" about rules::FB_BOOL_CANONICAL,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[5].val.bool_val", 2_u8);

    /// What training said of a tensor and inference ignores: a reader in a language with checked bools meets it all the same.
    either "pte/structure/ignored-bool-255": "ignored bool 255" about rules::FB_BOOL_CANONICAL,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.requires_grad", 255_u8);

    /// The type says KernelCall, so a reader that branches on it asks a null pointer for the operator. To a verifier
    /// both fields are optional, each by itself.
    reject "pte/structure/union-without-value": "union with a type and no value" breaks rules::FB_UNION_CONSISTENT,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0].chains[0].instructions[0]", 1, 0);

    /// The integer is there, and its type says that nothing is. A verifier follows values by their type and has not
    /// looked at this one; a reader that asks for the value first goes on with it.
    reject "pte/structure/union-without-type": "union with a value and no type" breaks rules::FB_UNION_CONSISTENT,
        from "pte/valid/constants" => |file| file.scalar("execution_plan[0].values[3].val_type", 0_u8);

    /// A union of an unknown type whose value leads out of the program. Verifiers that follow only known types pass it, and
    /// their accessors then follow it.
    reject "pte/structure/union-unknown-and-wild": "union of type 200, value past the program"
        breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| {
            file.scalar("execution_plan[0].values[3].val_type", 200_u8);
            file.offset("execution_plan[0].values[3].val", 0x10_0000);
        };

    /// A union's value whose reference is between two words. The type in front of it is right and says nothing of that.
    reject "pte/structure/union-unaligned": "union's value not at a multiple of 4" breaks rules::FB_ALIGNMENT,
        from "pte/valid/constants" => |file| file.misalign("execution_plan[0].values[3]", "val", PartKind::Offset);

    /// A 64-bit integer at a multiple of four only, which compilers may take for aligned when they put two loads into one.
    reject "pte/structure/integer-unaligned": "64-bit integer not at a multiple of 8" breaks rules::FB_ALIGNMENT,
        from "pte/valid/constants" => |file| file.misalign("execution_plan[0].values[3].val", "int_val", PartKind::Scalar);

    /// A float at a multiple of four only: processors that load such words as integers may still fault on it.
    reject "pte/structure/float-unaligned": "64-bit float not at a multiple of 8" breaks rules::FB_ALIGNMENT,
        from "pte/valid/every-value" => |file| file.misalign("execution_plan[0].values[6].val", "double_val", PartKind::Scalar);

    /// A segment's offset at a multiple of four only. The list of segments leads to tables, so each has an alignment of its
    /// own.
    reject "pte/structure/segment-offset-unaligned": "offset of a segment not at a multiple of 8"
        breaks rules::FB_ALIGNMENT, from "pte/valid/named-data" => |file| file.misalign("segments[1]", "offset", PartKind::Scalar);

    /// A segment's size at a multiple of four only: a host that loads nothing but aligned words faults on it when the segment is
    /// loaded, which may be long after the file was opened.
    reject "pte/structure/segment-size-unaligned": "size of a segment not at a multiple of 8"
        breaks rules::FB_ALIGNMENT, from "pte/valid/named-data" => |file| file.misalign("segments[1]", "size", PartKind::Scalar);

    /// A 32-bit number at a multiple of two only, in a call stack that nothing but a debugger reads.
    reject "pte/structure/line-unaligned": "32-bit number not at a multiple of 4" breaks rules::FB_ALIGNMENT,
        from "pte/valid/everything"
        => |file| file.misalign("execution_plan[0].chains[0].stacktrace[0].items[0]", "lineno", PartKind::Scalar);

    /// The tensor's place in planned memory would begin at the reference and have no fields: offset 0 in buffer 0,
    /// which is reserved. It is not absent, so the tensor counts as planned.
    reject "pte/structure/allocation-0": "allocation_info reference 0" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].values[1].val.allocation_info", 0);

    /// What a tensor has beyond the common fields, with its vtable outside of the program: most readers look there only for
    /// tensors in data files.
    reject "pte/structure/extra-info-vtable": "vtable of extra_tensor_info before the file" breaks rules::FB_VTABLE_VALID,
        from "pte/valid/mutable-state"
        => |file| file.table("execution_plan[0].values[4].val.extra_tensor_info", i32::MAX);

    /// What is printed as the method's name is other memory, a megabyte on, up to the next zero byte.
    reject "pte/structure/name-past-end": "method's name past the program" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants" => |file| file.offset("execution_plan[0].name", 0x10_0000);

    /// A backend's name without its zero byte: it is looked for in a registry as a C string, together with what follows
    /// it in the file.
    reject "pte/structure/backend-not-terminated": "backend's id without its zero byte" breaks rules::FB_STRING_NUL,
        from "pte/valid/delegates" => |file| file.terminator("execution_plan[0].delegates[0].id", b'!');

    /// The key of a setting without its zero byte: it is handed to the backend as a C string.
    reject "pte/structure/compile-spec-key-not-terminated": "key of a setting without its zero byte"
        breaks rules::FB_STRING_NUL,
        from "pte/valid/delegates" => |file| file.terminator("execution_plan[0].delegates[0].compile_specs[0].key", b'!');

    /// How the outputs were nested, as a string without its zero byte: an accessor hands out the address alone, and its
    /// caller reads to the next zero.
    reject "pte/structure/container-meta-not-terminated": "encoded_out_str without its zero byte"
        breaks rules::FB_STRING_NUL,
        from "pte/valid/constants"
        => |file| file.terminator("execution_plan[0].container_meta_type.encoded_out_str", b'!');

    /// How the inputs were nested, far behind the end. What runs does not read it, and a viewer does.
    reject "pte/structure/container-meta-past-end": "encoded_inp_str past the program" breaks rules::FB_UOFFSET_VALID,
        from "pte/valid/constants"
        => |file| file.offset("execution_plan[0].container_meta_type.encoded_inp_str", 0x10_0000);

    /// A file's name in a call stack without its zero byte: what runs does not read it, and a debugger prints it.
    reject "pte/structure/frame-not-terminated": "filename of a call stack without its zero byte"
        breaks rules::FB_STRING_NUL,
        from "pte/valid/everything"
        => |file| file.terminator("execution_plan[0].chains[0].stacktrace[0].items[0].filename", b'!');

    /// A root table inside the header: the header's length is also the table's distance to its vtable, which is behind it. A
    /// reader of the one is told nothing of the other.
    either "pte/structure/root-in-header": "root table inside the header" about rules::FB_ROOT_NOT_IN_HEADER,
        from "pte/valid/constants" => root_into_header;

    /// Every value of a method is one and the same table. Legal, and a reader that makes an object of each reference makes far
    /// more of the file than it holds.
    either "pte/structure/shared-tables": "tables referred to many times" about rules::FB_DAG_NO_AMPLIFICATION,
        from "pte/valid/everything" => |file| {
            let largest = file.at("execution_plan[0].values[4]", PartKind::Table);
            // All but the bool that a jump tests.
            for index in [5, 7, 8, 9, 10, 11, 12, 13] {
                file.point(&alloc::format!("execution_plan[0].values[{index}]"), largest);
            }
        };

    /// The schema wants 16, where four bytes more or less make no difference to a verifier: bytes need no alignment of
    /// their own. The backend that loads vectors from the address it is given faults on it.
    either "pte/structure/force-align": "inline delegate data not at a multiple of 16" about rules::FB_FORCE_ALIGN,
        from "pte/valid/everything" => |file| {
            let data = file.at("backend_delegate_data[0].data", PartKind::Count);
            file.point("backend_delegate_data[0].data", data + 4);
            file.put(data + 4, &4_u32.to_le_bytes());
        };
}

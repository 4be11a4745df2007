//! Valid files: what official writers emit, and other files that the formats allow.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::ptd::DataLayout;
use crate::ptd::schema::{self as ptd, FlatTensor};
use crate::rules::{
    flat_tensor, flatbuffer, legacy_flat_tensor, named_data, ptd_header, pte_header, segments, trailing,
};

fn named_data_program() -> base::BaseBytes {
    let [constants, alpha, beta] = base::named_data_segments();
    base::write_program(&base::named_data_tree(), &[&constants, &alpha, &beta])
}

cases! {
    /// The file is a valid program in the encoding of current exporters. Many other cases are edited copies of this
    /// file. If a reader rejects this file, it also rejects these copies, but for the wrong reason.
    build "pte/valid/constants": "one constant, 32-byte header"
        shows segments::SEG_RELATIVE => || base::write_program(&base::constants_tree(), &[&base::constants_data()]);

    /// The file is valid: a program without data needs no header. The list of segments has one empty segment for the
    /// constants. A reader that requires a header rejects small models.
    build "pte/valid/headerless": "program without data and header"
        shows pte_header::EH_OPTIONAL => || base::write_program(&base::headerless_tree(), &[]);

    /// The file is valid: it uses every table, field, union member and instruction of the schema. A reader must accept
    /// fields that it does not use.
    build "pte/valid/everything": "every table and field of the schema"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => base::everything;

    /// The file is valid: the names `beta` and `gamma` share a segment. Writers emit a shared segment for equal blobs.
    /// A reader that frees the segment when it removes one name breaks the other name.
    build "pte/valid/named-data": "named blobs, two names for one segment"
        shows named_data::ND_SHARE_OK => named_data_program;

    /// The file is valid: the segment of the constants is empty, and the named blob has the segment index 1. If a
    /// reader does not count empty segments, it does not find the blob at this index.
    build "pte/valid/named-without-constants": "named blob without constants" shows named_data::ND_NO_LAYOUT => || {
        let root = base::headerless_tree().without("segments").with("named_data", vec![base::program_named("only", 1)]);
        base::write_program(&root, &[b"", &base::ramp(48)])
    };

    /// The file is valid: the list of named data is present and empty, as the official writer emits it for an empty store. A
    /// reader that requires an entry rejects the file.
    build "pte/valid/named-data-empty": "empty list of named data" shows named_data::ND_SEGMENTS_PRESENT => || {
        base::write_program(&base::headerless_tree().with("named_data", Vec::<TableTree>::new()), &[])
    };

    /// The file is valid: releases before 1.0 wrote a 24-byte header without `segment_data_size`. If a reader uses the
    /// zero padding after the header as the data size, it rejects the segment.
    build "pte/valid/header-24": "24-byte header" shows pte_header::EH_OPTIONAL => || {
        base::write_program_as(&base::constants_tree(), &[&base::constants_data()], &base::with_header(24))
    };

    /// The file is valid: its header is longer than the known header and ends with unknown fields. Readers must ignore
    /// unknown fields.
    build "pte/valid/header-48": "header with room for future fields" shows pte_header::EH_LENGTH_FUTURE => || {
        base::write_program_as(&base::constants_tree(), &[&base::constants_data()], &base::with_header(48))
    };

    /// The file is valid: its header has 64 bytes, twice the known length. Readers must accept every length that is at
    /// least the minimum. A reader that accepts only known lengths rejects the file.
    build "pte/valid/header-64": "64-byte header" shows pte_header::EH_LENGTH_FUTURE => || {
        base::write_program_as(&base::constants_tree(), &[&base::constants_data()], &base::with_header(64))
    };

    /// The file is valid: its header declares segment base 0, which means no data. A reader that requires a segment
    /// base past the end of the program rejects the file.
    build "pte/valid/header-without-data": "header without data" shows pte_header::EH_BASE_ZERO_IFF_NONE => || {
        base::write_program_as(&base::headerless_tree(), &[], &base::with_header(32))
    };

    /// The file is valid: early exporters aligned segments to 4096 bytes, so a large gap precedes the data. A reader
    /// that expects the data directly after the program rejects the file.
    build "pte/valid/aligned-4096": "segments at multiples of 4096" shows segments::SEG_ALIGNED => || {
        let [constants, alpha, beta] = base::named_data_segments();
        let layout = crate::pte::ProgramLayout { segment_alignment: 4096, ..crate::pte::ProgramLayout::default() };
        base::write_program_as(&base::named_data_tree(), &[&constants, &alpha, &beta], &layout)
    };

    /// The file is valid: an empty segment may have the same offset as another segment. A reader that compares only
    /// offsets reports an overlap.
    build "pte/valid/empty-blob": "empty named blob" shows segments::SEG_NO_OVERLAP => || {
        let [constants, _, beta] = base::named_data_segments();
        base::write_program(&base::named_data_tree(), &[&constants, &[], &beta])
    };

    /// The file is valid: old writers omit empty lists and the fields that later releases added. A reader that requires
    /// fields of later releases rejects the file.
    build "pte/valid/without-optional-fields": "program without optional fields"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => || {
        let root = base::constants_tree().without("constant_buffer").without("backend_delegate_data");
        base::write_program(&root, &[&base::constants_data()])
    };

    /// The file is valid: it stores the version and an offset explicitly, although both have the default value 0. A
    /// reader that treats a stored version as a newer schema rejects the file.
    build "pte/valid/explicit-defaults": "program with defaults stored explicitly"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => || {
        let root = base::constants_tree().with("version", 0).with("segments", vec![base::segment(0, 16)]);
        base::write_program(&root, &[&base::constants_data()])
    };

    /// The file is valid: the vtable of its root table has one slot more than the schema defines, as in a file from a
    /// newer writer. A reader that requires an exact vtable length rejects newer files.
    accept "pte/valid/unknown-slot": "vtable slot from a newer schema" shows flatbuffer::FB_UNKNOWN_FIELDS,
        from "pte/valid/named-data" => |file| file.grow_root_vtable(8);

    /// The file is valid: the vtables of an instruction and of a named blob have one slot more than the schema defines.
    /// A reader must ignore unknown slots in every table, not only in the root table.
    accept "pte/valid/nested-unknown-slot": "vtable slots from a newer schema in nested tables"
        shows flatbuffer::FB_UNKNOWN_FIELDS, from "pte/valid/named-data" => |file| {
            file.grow_vtable("execution_plan[0].chains[0].instructions[0]", 2);
            file.grow_vtable("named_data[1]", 2);
        };

    /// The file is valid: a vtable follows its table, so the vtable offset is negative. If a reader treats the offset
    /// as unsigned, it reads the memory four gigabytes in front of the table.
    accept "pte/valid/vtable-behind-table": "table in front of its vtable" shows flatbuffer::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0]", 9, 0);

    /// The file is valid: a segment begins with the same bytes as a Python pickle. A reader must treat segments as
    /// plain data. Tools that detect formats by content can run the pickle.
    accept "pte/valid/segment-like-a-pickle": "segment that begins like a pickle" shows segments::SEG_RELATIVE,
        from "pte/valid/named-data" => |file| file.put_segment(1, 0, b"\x80\x02}q\x00.");

    /// Zeros follow the last segment. Tools that pad files to whole pages append zeros. Readers may accept or reject
    /// the file.
    either "pte/trailing/page-padding": "zeros after the last segment" about trailing::TR_PTE,
        from "pte/valid/constants" => |file| file.append(&[0; 64]);

    /// A ZIP archive follows the last segment. Readers that parse the file from the beginning load a program, and tools
    /// that parse the file from the end open an archive.
    either "pte/trailing/archive": "ZIP archive after the last segment" about trailing::TR_PTE,
        from "pte/valid/constants" => |file| {
            let mut archive = b"PK\x05\x06".to_vec();
            archive.resize(22, 0);
            file.append(&archive);
        };

    /// The file is valid: its constants are in the FlatBuffer, as in old files without constant segments. Not every
    /// reader supports such constants, so the case needs the capability `constant-buffer`.
    build "pte/valid/constant-buffer": "constants inside the FlatBuffer" shows flatbuffer::FB_FORCE_ALIGN,
        refs ["pytorch/executorch#19522"], needs ["constant-buffer"] => base::constant_buffer;

    /// The file is a valid data file in the encoding of current exporters. The three tensors have different scalar
    /// types, so a reader that confuses element counts with byte counts rejects the file.
    build "ptd/valid/tensors": "three tensors with layouts" shows flat_tensor::FT_VERIFIED => base::tensors;

    /// The file is valid: an entry without a layout is a blob, not a tensor. A reader that requires a layout rejects
    /// the file or dereferences a null pointer.
    build "ptd/valid/opaque-blob": "named blob without a layout" shows flat_tensor::FT_LAYOUT_OPTIONAL => || {
        let entries = vec![base::named("tokenizer", 1, None), base::named("w", 0, Some(base::floats(&[4])))];
        base::data(entries, &[&base::ramp(16), b"not a tensor"])
    };

    /// The file is valid: two tensors share a segment. Writers emit a shared segment for tied weights. A reader that
    /// stores one name per segment loses a tensor.
    build "ptd/valid/shared-segment": "two names for one segment" shows named_data::ND_SHARE_OK => || {
        let entries = vec![
            base::named("embed", 0, Some(base::floats(&[2, 2]))),
            base::named("unembed", 0, Some(base::floats(&[2, 2]))),
        ];
        base::data(entries, &[&base::ramp(16)])
    };

    /// The file is valid: an empty segment follows the last tensor, and the data size includes the padding before this
    /// segment. If a reader compares the data size with the sum of the segment sizes, it rejects the file.
    build "ptd/valid/empty-blob": "empty tensor after another tensor" shows flat_tensor::FT_SEG_NO_OVERLAP => || {
        let entries = vec![base::named("w", 0, Some(base::floats(&[4]))), base::named("nothing", 1, Some(base::floats(&[0])))];
        base::data(entries, &[&base::ramp(16), &[]])
    };

    /// The file is valid: a tensor of no dimensions has empty lists and one element. A reader that treats an empty list
    /// as absent, or computes 0 elements, rejects the file.
    build "ptd/valid/scalar-tensor": "tensor of no dimensions"
        shows flat_tensor::FT_LAYOUT_SIZES => || base::data(vec![base::named("s", 0, Some(base::floats(&[])))], &[&base::ramp(4)]);

    /// The file is valid: one size is 0, so the tensor is empty. If a reader multiplies the other sizes first, it
    /// detects an overflow in the product and rejects the file.
    build "ptd/valid/zero-size": "size of 0 among huge sizes" shows flat_tensor::FT_LAYOUT_NBYTES => || {
        base::data(vec![base::named("z", 0, Some(base::floats(&[0, i32::MAX, i32::MAX, i32::MAX]))), base::named("w", 1, Some(base::floats(&[4])))], &[
            &[],
            &base::ramp(16),
        ])
    };

    /// The file is valid: its tensor has 16 dimensions, the maximum that the runtime supports. A reader with an
    /// off-by-one limit rejects the file.
    build "ptd/valid/rank-16": "sixteen dimensions" shows flat_tensor::FT_LAYOUT_RANK => base::rank_16;

    /// The file is valid: scalar type 9 is a pair of 32-bit floats. A reader must accept this type, because the runtime
    /// supports it, although the schema does not list it.
    build "ptd/valid/complex-elements": "scalar type 9, which the schema does not list"
        shows flat_tensor::FT_LAYOUT_SCALAR => || base::data(vec![base::named("c", 0, Some(base::elements(9, &[2])))], &[&base::ramp(16)]);

    /// The file is valid: `dim_order` differs from the order of the sizes. A reader that ignores `dim_order` uses the
    /// wrong elements.
    build "ptd/valid/channels-last": "dimensions in channels-last order" shows flat_tensor::FT_LAYOUT_PERM => || {
        let layout = base::floats(&[1, 2, 1, 2]).with("dim_order", vec![0_u8, 2, 3, 1]);
        base::data(vec![base::named("n", 0, Some(layout))], &[&base::ramp(16)])
    };

    /// The file is valid: the key `w` is a prefix of the key `w.bias`. If a reader tests only whether the requested
    /// name begins with a key, it returns `w` for `w.bias`.
    build "ptd/valid/prefix-keys": "key that is a prefix of another key" shows named_data::ND_PREFIX_MATCH => || {
        let entries = vec![
            base::named("w", 0, Some(base::floats(&[4]))),
            base::named("w.bias", 1, Some(base::floats(&[2]))),
        ];
        base::data(entries, &[&base::ramp(16), &base::ramp(8)])
    };

    /// The file has no keys and no segments. For a file without data, writers emit a nonzero segment base, although the
    /// format document requires 0. Readers may accept or reject the file.
    build "ptd/oddity/empty": "data file without keys and segments"
        about flat_tensor::FT_NONEMPTY => || base::data(Vec::new(), &[]);

    /// The data file's only entry has no bytes. Writers emit a segment base for a file without data, although the
    /// format document requires 0. Readers may accept or reject the file.
    build "ptd/oddity/no-data": "data file with a key and no data" about ptd_header::FH_EMPTY
        => || base::data(vec![base::named("nothing", 0, Some(base::floats(&[0])))], &[&[]]);

    /// The file is valid: it stores the schema version explicitly, although the version has the default value 0. A
    /// reader that treats a stored version as a newer schema rejects the file.
    build "ptd/valid/explicit-version": "schema version 0 stored explicitly"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => || {
        let root = TableTree::new(FlatTensor::TYPE)
            .with("version", 0)
            .with("named_data", vec![base::named("w", 0, Some(base::floats(&[4])))]);
        base::write_data(&root, &[&base::ramp(16)], DataLayout::CURRENT)
    };

    /// The file is valid: the vtable of its root table has one slot more than the schema defines. In the legacy layout,
    /// the additional slot contains the segments, so a reader must not detect the layout by the number of slots.
    accept "ptd/valid/unknown-slot": "vtable slot from a newer schema" shows flatbuffer::FB_UNKNOWN_FIELDS,
        from "ptd/valid/tensors" => |file| file.grow_root_vtable(3);

    /// Zeros follow the data that the header declares. Tools that pad files to whole pages append zeros. Readers may
    /// accept or reject the file.
    either "ptd/trailing/page-padding": "zeros after the last segment" about trailing::TR_PTD,
        from "ptd/valid/tensors" => |file| file.append(&[0; 64]);

    /// The file is valid and has the legacy layout, in which each tensor has an offset in a segment. The identifier,
    /// the header and the version match the current layout, so only the tables reveal the layout.
    build "ptd-legacy/valid/tensors": "legacy layout of release 0.6.0"
        shows legacy_flat_tensor::PTDB_DETECT => base::legacy_tensors;

    /// The file is valid: the C++ writer of release 0.6.0 omits the list `named_data`, and the Python writer emits an
    /// empty list. A reader that requires `named_data` rejects the file or dereferences a null pointer.
    build "ptd-legacy/valid/without-named-data": "legacy data file without named_data"
        shows legacy_flat_tensor::PTDB_DEDUP =>
            || base::write_data(&base::legacy_tree(), &[&base::ramp(64)], DataLayout::LEGACY);

    /// The file is valid: it stores the version and an offset explicitly, although both have the default value 0. A
    /// reader that detects the legacy layout from the vtables rejects the file.
    build "ptd-legacy/valid/explicit-defaults": "legacy data file with defaults stored explicitly"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => || {
        let segment = TableTree::new(ptd::DataSegment::TYPE).with("offset", 0).with("size", 64);
        let root = base::legacy_tree().with("version", 0).with("segments", vec![segment]);
        base::write_data(&root, &[&base::ramp(64)], DataLayout::LEGACY)
    };

    /// The file is valid: it has tensors and a named blob in separate lists and segments. A reader that searches only
    /// one list does not find every name.
    build "ptd-legacy/valid/named-data": "named blob beside legacy tensors"
        shows legacy_flat_tensor::PTDB_ONE_SEGMENT => || base::legacy_blob("blob");
}

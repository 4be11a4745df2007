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
    /// This program, laid out like the output of current exporters, is the base of many cases. A reader that rejects it
    /// rejects all of them, for the wrong reason.
    build "pte/valid/constants": "one constant, 32-byte header"
        shows segments::SEG_RELATIVE => || base::write_program(&base::constants_tree(), &[&base::constants_data()]);

    /// A program without data needs no header. Its only segment, for the constants, is empty. A reader that insists on
    /// a header rejects small models.
    build "pte/valid/headerless": "program without data and header"
        shows pte_header::EH_OPTIONAL => || base::write_program(&base::headerless_tree(), &[]);

    /// The file uses every table, field, union member and instruction of the schema. A reader must accept even the
    /// fields that it has no use for.
    build "pte/valid/everything": "every table and field of the schema"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => base::everything;

    /// `beta` and `gamma` share a segment, because writers store equal blobs once. A reader that frees the segment for
    /// one name breaks the other.
    build "pte/valid/named-data": "named blobs, two names for one segment"
        shows named_data::ND_SHARE_OK => named_data_program;

    /// The constants' segment is empty but counts, so the blob's segment has index 1. A reader that skips empty
    /// segments does not find the blob.
    build "pte/valid/named-without-constants": "named blob without constants" shows named_data::ND_NO_LAYOUT => || {
        let root = base::headerless_tree().without("segments").with("named_data", vec![base::program_named("only", 1)]);
        base::write_program(&root, &[b"", &base::ramp(48)])
    };

    /// The official writer emits this empty list if there is no named data. A reader that insists on an entry rejects the file.
    build "pte/valid/named-data-empty": "empty list of named data" shows named_data::ND_SEGMENTS_PRESENT => || {
        base::write_program(&base::headerless_tree().with("named_data", Vec::<TableTree>::new()), &[])
    };

    /// Releases before 1.0 wrote a header without `segment_data_size`. A reader that mistakes the padding after the
    /// header for this field rejects the segment.
    build "pte/valid/header-24": "24-byte header" shows pte_header::EH_OPTIONAL => || {
        base::write_program_as(&base::constants_tree(), &[&base::constants_data()], &base::with_header(24))
    };

    /// After the known fields, the header has room for fields that a later version may add. A reader must ignore them.
    build "pte/valid/header-48": "header with room for future fields" shows pte_header::EH_LENGTH_FUTURE => || {
        base::write_program_as(&base::constants_tree(), &[&base::constants_data()], &base::with_header(48))
    };

    /// The header is twice as long as the current one. Every length from the minimum up is valid, so comparing with a
    /// list of known lengths is not enough.
    build "pte/valid/header-64": "64-byte header" shows pte_header::EH_LENGTH_FUTURE => || {
        base::write_program_as(&base::constants_tree(), &[&base::constants_data()], &base::with_header(64))
    };

    /// Base 0 means that there is no data. A reader that requires every base to be past the program's end rejects the file.
    build "pte/valid/header-without-data": "header without data" shows pte_header::EH_BASE_ZERO_IFF_NONE => || {
        base::write_program_as(&base::headerless_tree(), &[], &base::with_header(32))
    };

    /// Early exporters aligned segments to 4096 bytes, which leaves a large gap. A reader that expects data right after
    /// the program rejects the file.
    build "pte/valid/aligned-4096": "segments at multiples of 4096" shows segments::SEG_ALIGNED => || {
        let [constants, alpha, beta] = base::named_data_segments();
        let layout = crate::pte::ProgramLayout { segment_alignment: 4096, ..crate::pte::ProgramLayout::default() };
        base::write_program_as(&base::named_data_tree(), &[&constants, &alpha, &beta], &layout)
    };

    /// An empty segment may share another one's offset. A reader that compares only offsets reports an overlap.
    build "pte/valid/empty-blob": "empty named blob" shows segments::SEG_NO_OVERLAP => || {
        let [constants, _, beta] = base::named_data_segments();
        base::write_program(&base::named_data_tree(), &[&constants, &[], &beta])
    };

    /// Old writers omit empty lists and all fields that later releases added. A reader that needs those fields rejects
    /// the file.
    build "pte/valid/without-optional-fields": "program without optional fields"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => || {
        let root = base::constants_tree().without("constant_buffer").without("backend_delegate_data");
        base::write_program(&root, &[&base::constants_data()])
    };

    /// The version and an offset are stored even though both are 0, the default. A reader that treats any stored
    /// version as a newer schema rejects the file.
    build "pte/valid/explicit-defaults": "program with defaults stored explicitly"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => || {
        let root = base::constants_tree().with("version", 0).with("segments", vec![base::segment(0, 16)]);
        base::write_program(&root, &[&base::constants_data()])
    };

    /// The root table's vtable has one more slot than the schema, as if a newer writer had written the file. A reader
    /// that requires an exact length rejects it.
    accept "pte/valid/unknown-slot": "vtable slot from a newer schema" shows flatbuffer::FB_UNKNOWN_FIELDS,
        from "pte/valid/named-data" => |file| file.grow_root_vtable(8);

    /// The vtables of an instruction and of a named blob have one more slot than the schema. Readers must ignore
    /// unknown slots in every table, not only in the root.
    accept "pte/valid/nested-unknown-slot": "vtable slots from a newer schema in nested tables"
        shows flatbuffer::FB_UNKNOWN_FIELDS, from "pte/valid/named-data" => |file| {
            file.grow_vtable("execution_plan[0].chains[0].instructions[0]", 2);
            file.grow_vtable("named_data[1]", 2);
        };

    /// The vtable follows its table, so the vtable offset is negative. A reader that treats it as unsigned looks four
    /// gigabytes before the table.
    accept "pte/valid/vtable-behind-table": "table before its vtable" shows flatbuffer::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0]", 9, 0);

    /// Segments are plain data, but this one looks like a pickle, and tools that detect formats by content may run it.
    accept "pte/valid/segment-like-a-pickle": "segment that begins like a pickle" shows segments::SEG_RELATIVE,
        from "pte/valid/named-data" => |file| file.put_segment(1, 0, b"\x80\x02}q\x00.");

    /// Tools that pad files to whole pages append zeros. Readers may accept or reject such files.
    either "pte/trailing/page-padding": "zeros after the last segment" about trailing::TR_PTE,
        from "pte/valid/constants" => |file| file.append(&[0; 64]);

    /// Readers that start at the beginning find a program, but tools that start at the end find a ZIP archive.
    either "pte/trailing/archive": "ZIP archive after the last segment" about trailing::TR_PTE,
        from "pte/valid/constants" => |file| {
            let mut archive = b"PK\x05\x06".to_vec();
            archive.resize(22, 0);
            file.append(&archive);
        };

    /// Old files keep constants inside the FlatBuffer. Not every reader supports this, so the case needs the
    /// `constant-buffer` capability.
    build "pte/valid/constant-buffer": "constants inside the FlatBuffer" shows flatbuffer::FB_FORCE_ALIGN,
        refs ["pytorch/executorch#19522"], needs ["constant-buffer"] => base::constant_buffer;

    /// The file looks like those of current exporters. Its tensors have three different scalar types, so a reader that
    /// confuses elements with bytes rejects it.
    build "ptd/valid/tensors": "three tensors with layouts" shows flat_tensor::FT_VERIFIED => base::tensors;

    /// An entry without a layout is a blob, not a tensor. A reader that needs the layout rejects the file or
    /// dereferences null.
    build "ptd/valid/opaque-blob": "named blob without a layout" shows flat_tensor::FT_LAYOUT_OPTIONAL => || {
        let entries = vec![base::named("tokenizer", 1, None), base::named("w", 0, Some(base::floats(&[4])))];
        base::data(entries, &[&base::ramp(16), b"not a tensor"])
    };

    /// Writers store tied weights in one shared segment. A reader that keeps only one name per segment loses a tensor.
    build "ptd/valid/shared-segment": "two names for one segment" shows named_data::ND_SHARE_OK => || {
        let entries = vec![
            base::named("embed", 0, Some(base::floats(&[2, 2]))),
            base::named("unembed", 0, Some(base::floats(&[2, 2]))),
        ];
        base::data(entries, &[&base::ramp(16)])
    };

    /// The empty segment comes after padding that the data size includes. A reader that compares the data size with the
    /// sum of the segments' sizes rejects the file.
    build "ptd/valid/empty-blob": "empty tensor after another tensor" shows flat_tensor::FT_SEG_NO_OVERLAP => || {
        let entries = vec![base::named("w", 0, Some(base::floats(&[4]))), base::named("nothing", 1, Some(base::floats(&[0])))];
        base::data(entries, &[&base::ramp(16), &[]])
    };

    /// A tensor of rank 0 has empty lists and one element. A reader that treats an empty list as absent, or computes 0
    /// elements, rejects the file.
    build "ptd/valid/scalar-tensor": "tensor of no dimensions"
        shows flat_tensor::FT_LAYOUT_SIZES => || base::data(vec![base::named("s", 0, Some(base::floats(&[])))], &[&base::ramp(4)]);

    /// One size is 0, so the tensor is empty. A reader that multiplies the other sizes first overflows and rejects the file.
    build "ptd/valid/zero-size": "size of 0 among huge sizes" shows flat_tensor::FT_LAYOUT_NBYTES => || {
        base::data(vec![base::named("z", 0, Some(base::floats(&[0, i32::MAX, i32::MAX, i32::MAX]))), base::named("w", 1, Some(base::floats(&[4])))], &[
            &[],
            &base::ramp(16),
        ])
    };

    /// The runtime's maximum rank is 16. A reader whose limit is off by one rejects the file.
    build "ptd/valid/rank-16": "sixteen dimensions" shows flat_tensor::FT_LAYOUT_RANK => base::rank_16;

    /// Scalar type 9 is a pair of 32-bit floats. The runtime supports it, so a reader must not rely on the schema's
    /// list of types alone.
    build "ptd/valid/complex-elements": "scalar type 9, which the schema does not list"
        shows flat_tensor::FT_LAYOUT_SCALAR => || base::data(vec![base::named("c", 0, Some(base::elements(9, &[2])))], &[&base::ramp(16)]);

    /// `dim_order` differs from the order of the sizes. A reader that ignores it uses the wrong elements.
    build "ptd/valid/channels-last": "dimensions in channels-last order" shows flat_tensor::FT_LAYOUT_PERM => || {
        let layout = base::floats(&[1, 2, 1, 2]).with("dim_order", vec![0_u8, 2, 3, 1]);
        base::data(vec![base::named("n", 0, Some(layout))], &[&base::ramp(16)])
    };

    /// `w` is a prefix of `w.bias`. A reader that only tests whether the requested name begins with a key returns the
    /// wrong tensor.
    build "ptd/valid/prefix-keys": "key that is a prefix of another key" shows named_data::ND_PREFIX_MATCH => || {
        let entries = vec![
            base::named("w", 0, Some(base::floats(&[4]))),
            base::named("w.bias", 1, Some(base::floats(&[2]))),
        ];
        base::data(entries, &[&base::ramp(16), &base::ramp(8)])
    };

    /// Writers store a nonzero segment base even if there is no data, although the format document requires 0. Readers
    /// may accept or reject the file.
    build "ptd/oddity/empty": "data file without keys and segments"
        about flat_tensor::FT_NONEMPTY => || base::data(Vec::new(), &[]);

    /// The only entry has no bytes. In that case, the format document requires the segment base 0, but the base is
    /// nonzero. Readers may accept or reject the file.
    build "ptd/oddity/no-data": "data file with a key and no data" about ptd_header::FH_EMPTY
        => || base::data(vec![base::named("nothing", 0, Some(base::floats(&[0])))], &[&[]]);

    /// The version is stored even though it is 0, the default. A reader that treats any stored version as a newer
    /// schema rejects the file.
    build "ptd/valid/explicit-version": "schema version 0 stored explicitly"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => || {
        let root = TableTree::new(FlatTensor::TYPE)
            .with("version", 0)
            .with("named_data", vec![base::named("w", 0, Some(base::floats(&[4])))]);
        base::write_data(&root, &[&base::ramp(16)], DataLayout::CURRENT)
    };

    /// The root table has one more slot than the schema. In the legacy layout, that slot is for the segments, so a
    /// reader must not detect the layout by counting slots.
    accept "ptd/valid/unknown-slot": "vtable slot from a newer schema" shows flatbuffer::FB_UNKNOWN_FIELDS,
        from "ptd/valid/tensors" => |file| file.grow_root_vtable(3);

    /// The zeros are past the data that the header declares, as if a tool had padded the file to whole pages. Readers
    /// may accept or reject the file.
    either "ptd/trailing/page-padding": "zeros after the last segment" about trailing::TR_PTD,
        from "ptd/valid/tensors" => |file| file.append(&[0; 64]);

    /// Every tensor has an offset in a segment. The identifier, the header and the version are the same as in the
    /// current layout, so only the tables tell the two layouts apart.
    build "ptd-legacy/valid/tensors": "legacy layout of release 0.6.0"
        shows legacy_flat_tensor::PTDB_DETECT => base::legacy_tensors;

    /// The C++ writer of 0.6.0 omits `named_data`, but the Python writer emits an empty list. A reader that needs the
    /// list rejects the file or dereferences null.
    build "ptd-legacy/valid/without-named-data": "legacy data file without named_data"
        shows legacy_flat_tensor::PTDB_DEDUP =>
            || base::write_data(&base::legacy_tree(), &[&base::ramp(64)], DataLayout::LEGACY);

    /// The version and an offset are stored even though both are 0, the default. This changes the vtables, so a reader
    /// that detects the layout by vtables rejects the file.
    build "ptd-legacy/valid/explicit-defaults": "legacy data file with defaults stored explicitly"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => || {
        let segment = TableTree::new(ptd::DataSegment::TYPE).with("offset", 0).with("size", 64);
        let root = base::legacy_tree().with("version", 0).with("segments", vec![segment]);
        base::write_data(&root, &[&base::ramp(64)], DataLayout::LEGACY)
    };

    /// Tensors and a named blob are in separate lists and segments. A reader that searches only one of the lists does
    /// not find every name.
    build "ptd-legacy/valid/named-data": "named blob beside legacy tensors"
        shows legacy_flat_tensor::PTDB_ONE_SEGMENT => || base::legacy_blob("blob");
}

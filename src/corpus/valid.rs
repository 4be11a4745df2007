//! Valid files: what official writers emit, and what the formats allow beyond that.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::annotate::PartKind;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::ptd::DataLayout;
use crate::ptd::schema::{self as ptd, FlatTensor};
use crate::pte::HeaderKind;
use crate::pte::schema::DataSegment;
use crate::rules::{
    flat_tensor, flatbuffer, legacy_flat_tensor, named_data, ptd_header, pte_header, segments, trailing,
};

fn named_data_program() -> base::BaseBytes {
    let [constants, alpha, beta] = base::named_data_segments();
    base::write_program(&base::named_data_tree(), &[&constants, &alpha, &beta])
}

cases! {
    /// Current exporters write programs this way. A reader that rejects the file fails every case that edits the file.
    build "pte/valid/constants": "one constant, 32-byte header"
        shows segments::SEG_RELATIVE => || base::write_program(&base::constants_tree(), &[&base::constants_data()]);

    /// A program without data has no header, and the FlatBuffer is the whole file. It still lists one empty segment
    /// for its constants. A reader that requires a header rejects every small model.
    build "pte/valid/headerless": "program without data and header"
        shows pte_header::EH_OPTIONAL => || base::write_program(&base::headerless_tree(), &[]);

    /// The file uses every table, field, union member and instruction, with device fields and call stacks. A reader
    /// that ignores some fields must still accept it.
    build "pte/valid/everything": "every table and field of the schema"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => base::everything;

    /// `beta` and `gamma` share a segment, as writers store equal blobs once. A reader that frees the segment with
    /// one name breaks the other.
    build "pte/valid/named-data": "named blobs, two names for one segment"
        shows named_data::ND_SHARE_OK => named_data_program;

    /// The constants' segment is present and empty, and the blob has index 1. A reader that skips empty segments
    /// finds nothing there.
    build "pte/valid/named-without-constants": "named blob without constants" shows named_data::ND_NO_LAYOUT => || {
        let root = base::headerless_tree().without("segments").with("named_data", vec![base::program_named("only", 1)]);
        base::write_program(&root, &[b"", &base::ramp(48)])
    };

    /// Releases before 1.0 wrote a 24-byte header without a data size, and eight zero bytes of padding. A reader
    /// that takes the padding for a size of 0 rejects the segment.
    build "pte/valid/header-24": "24-byte header" shows pte_header::EH_OPTIONAL => || {
        base::write_program_as(&base::constants_tree(), &[&base::constants_data()], &base::with_header(24))
    };

    /// The header is longer than the known one, with unknown fields at its end. Readers must ignore them.
    build "pte/valid/header-48": "header with room for future fields" shows pte_header::EH_LENGTH_FUTURE => || {
        base::write_program_as(&base::constants_tree(), &[&base::constants_data()], &base::with_header(48))
    };

    /// The header is twice as long as the known one. A reader that lists the known lengths rejects the file.
    build "pte/valid/header-64": "64-byte header" shows pte_header::EH_LENGTH_FUTURE => || {
        base::write_program_as(&base::constants_tree(), &[&base::constants_data()], &base::with_header(64))
    };

    /// The header's base is 0, which means no data. A reader that requires a base after the program rejects the file.
    build "pte/valid/header-without-data": "header without data" shows pte_header::EH_BASE_ZERO_IFF_NONE => || {
        let layout = crate::pte::ProgramLayout {
            header: HeaderKind::Always(32),
            ..crate::pte::ProgramLayout::default()
        };
        base::write_program_as(&base::headerless_tree(), &[], &layout)
    };

    /// Early exporters aligned segments to pages, so the gap before the data is large.
    build "pte/valid/aligned-4096": "segments at multiples of 4096" shows segments::SEG_ALIGNED => || {
        let [constants, alpha, beta] = base::named_data_segments();
        let layout = crate::pte::ProgramLayout {
            segment_alignment: 4096,
            ..crate::pte::ProgramLayout::default()
        };
        base::write_program_as(&base::named_data_tree(), &[&constants, &alpha, &beta], &layout)
    };

    /// An empty segment may begin where another does. A check for overlaps that only compares offsets rejects it.
    build "pte/valid/empty-blob": "named blob of no bytes" shows segments::SEG_NO_OVERLAP => || {
        let [constants, _, beta] = base::named_data_segments();
        base::write_program(&base::named_data_tree(), &[&constants, &[], &beta])
    };

    /// A legacy writer omits the fields that later releases added, and empty lists. A reader that requires them
    /// rejects the file.
    build "pte/valid/without-optional-fields": "program without optional fields"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => || {
        let root = base::constants_tree().without("constant_buffer").without("backend_delegate_data");
        base::write_program(&root, &[&base::constants_data()])
    };

    /// Version and offset are stored although both are 0. A reader that takes a stored version for a newer schema
    /// rejects the file.
    build "pte/valid/explicit-defaults": "program with defaults stored explicitly"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => || {
        let segment = TableTree::new(DataSegment::TYPE).with("offset", 0).with("size", 16);
        let root = base::constants_tree().with("version", 0).with("segments", vec![segment]);
        base::write_program(&root, &[&base::constants_data()])
    };

    /// The root table has one slot more than this schema. A reader that requires an exact vtable length rejects
    /// every newer file.
    accept "pte/valid/unknown-slot": "vtable slot from a newer schema" shows flatbuffer::FB_UNKNOWN_FIELDS,
        from "pte/valid/named-data" => |file| file.grow_root_vtable(8);

    /// An instruction and a named blob have one slot more than this schema. A reader that tolerates new slots only
    /// in the root table rejects them.
    accept "pte/valid/nested-unknown-slot": "vtable slots from a newer schema in nested tables"
        shows flatbuffer::FB_UNKNOWN_FIELDS,
        from "pte/valid/named-data" => |file| {
            file.grow_vtable("execution_plan[0].chains[0].instructions[0]", 2);
            file.grow_vtable("named_data[1]", 2);
        };

    /// The vtable follows its table, so the vtable offset is negative. A reader that treats the offset as unsigned
    /// looks four gigabytes away.
    accept "pte/valid/vtable-behind-table": "table before its vtable" shows flatbuffer::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0]", 9, 0);

    /// The segment's first bytes look like a Python pickle, but a segment is plain data. A scanner may flag the
    /// model, and a tool that detects formats by content may run the pickle.
    accept "pte/valid/segment-like-a-pickle": "segment that begins like a pickle" shows segments::SEG_RELATIVE,
        from "pte/valid/named-data" => |file| {
            let blob = file.at("segments[1]", PartKind::Segment);
            file.put(blob, b"\x80\x02}q\x00.");
        };

    /// The bytes after the last segment belong to nothing. Asset packers and flash tools pad files to whole pages.
    either "pte/trailing/page-padding": "zeros after the last segment" about trailing::TR_PTE,
        from "pte/valid/constants" => |file| file.append(&[0; 64]);

    /// The file is a program to a reader and an archive to tools that start at the end.
    either "pte/trailing/archive": "ZIP archive after the last segment" about trailing::TR_PTE,
        from "pte/valid/constants" => |file| {
            let mut archive = b"PK\x05\x06".to_vec();
            archive.resize(22, 0);
            file.append(&archive);
        };

    /// Writers stored constants in the FlatBuffer before constant segments. Some readers lack the code for it, but
    /// the file is valid.
    build "pte/valid/constant-buffer": "constants inside the FlatBuffer" shows flatbuffer::FB_FORCE_ALIGN,
        refs ["pytorch/executorch#19522"], needs ["constant-buffer"] => base::constant_buffer;

    /// Current exporters write data files this way, with each tensor in its own segment. Three scalar types expose
    /// a reader that confuses elements and bytes.
    build "ptd/valid/tensors": "three tensors with layouts" shows flat_tensor::FT_VERIFIED => base::tensors;

    /// An entry without a layout is a blob, not a tensor. A reader that expects a layout dereferences a null pointer.
    build "ptd/valid/opaque-blob": "named blob without a layout" shows flat_tensor::FT_LAYOUT_OPTIONAL => || {
        let entries = vec![base::named("tokenizer", 1, None), base::named("w", 0, Some(base::floats(&[4])))];
        base::data(entries, &[&base::ramp(16), b"not a tensor"])
    };

    /// Writers emit tied weights this way. A reader that stores one name per segment loses the other tensor.
    build "ptd/valid/shared-segment": "two names for one segment" shows named_data::ND_SHARE_OK => || {
        let entries = vec![
            base::named("embed", 0, Some(base::floats(&[2, 2]))),
            base::named("unembed", 0, Some(base::floats(&[2, 2]))),
        ];
        base::data(entries, &[&base::ramp(16)])
    };

    /// An empty segment follows the last one, and writers count the padding before it. A reader that requires the data
    /// size to equal the sum of segment sizes rejects the file.
    build "ptd/valid/empty-blob": "tensor of no bytes after another" shows flat_tensor::FT_SEG_NO_OVERLAP => || {
        let entries = vec![base::named("w", 0, Some(base::floats(&[4]))), base::named("nothing", 1, Some(base::floats(&[0])))];
        base::data(entries, &[&base::ramp(16), &[]])
    };

    /// The tensor has one element and empty lists. A reader that treats an empty list as absent, or computes 0
    /// elements, rejects the file.
    build "ptd/valid/scalar-tensor": "tensor of no dimensions"
        shows flat_tensor::FT_LAYOUT_SIZES => || base::data(vec![base::named("s", 0, Some(base::floats(&[])))], &[&base::ramp(4)]);

    /// A size of 0 makes the tensor empty, whatever the other sizes are. A reader that multiplies the others first
    /// overflows 64 bits and rejects the file.
    build "ptd/valid/zero-size": "size of 0 among huge sizes" shows flat_tensor::FT_LAYOUT_NBYTES => || {
        base::data(vec![base::named("z", 0, Some(base::floats(&[0, i32::MAX, i32::MAX, i32::MAX]))), base::named("w", 1, Some(base::floats(&[4])))], &[
            &[],
            &base::ramp(16),
        ])
    };

    /// The runtime supports at most 16 dimensions. A reader with an off-by-one limit rejects them.
    build "ptd/valid/rank-16": "sixteen dimensions" shows flat_tensor::FT_LAYOUT_RANK => base::rank_16;

    /// Scalar type 9 is a pair of 32-bit floats, known to the runtime but not listed in the schema. A reader with only
    /// the schema's list rejects the file.
    build "ptd/valid/complex-elements": "scalar type 9, known only to the runtime"
        shows flat_tensor::FT_LAYOUT_SCALAR => || base::data(vec![base::named("c", 0, Some(base::elements(9, &[2])))], &[&base::ramp(16)]);

    /// `dim_order` differs from the order of the sizes. A reader that ignores it returns the right bytes as a
    /// different tensor.
    build "ptd/valid/channels-last": "dimensions in channels-last order" shows flat_tensor::FT_LAYOUT_PERM => || {
        let layout = base::floats(&[1, 2, 1, 2]).with("dim_order", vec![0_u8, 2, 3, 1]);
        base::data(vec![base::named("n", 0, Some(layout))], &[&base::ramp(16)])
    };

    /// The keys are `w` and `w.bias`. A reader that compares only the stored key's length finds `w` for `w.bias`.
    build "ptd/valid/prefix-keys": "key that is a prefix of another" shows named_data::ND_PREFIX_MATCH => || {
        let entries = vec![
            base::named("w", 0, Some(base::floats(&[4]))),
            base::named("w.bias", 1, Some(base::floats(&[2]))),
        ];
        base::data(entries, &[&base::ramp(16), &base::ramp(8)])
    };

    /// The file has no blobs. Writers give it a segment base, although the header's description asks for 0.
    build "ptd/oddity/empty": "data file without keys and segments"
        about flat_tensor::FT_NONEMPTY => || base::data(Vec::new(), &[]);

    /// The only entry has no bytes. Writers give the file a segment base, although the header's description asks
    /// for 0.
    build "ptd/oddity/no-data": "data file with a key and no data" about ptd_header::FH_EMPTY
        => || base::data(vec![base::named("nothing", 0, Some(base::floats(&[0])))], &[&[]]);

    /// The version is stored although it is the default. A reader that takes its presence for a newer schema
    /// rejects the file.
    build "ptd/valid/explicit-version": "schema version 0 stored explicitly"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => || {
        let root = TableTree::new(FlatTensor::TYPE)
            .with("version", 0)
            .with("named_data", vec![base::named("w", 0, Some(base::floats(&[4])))]);
        base::write_data(&root, &[&base::ramp(16)], DataLayout::CURRENT)
    };

    /// The root table has one slot more than this schema. Slot 3 is where the legacy layout has its segments, so a
    /// reader that detects layouts by slot count fails.
    accept "ptd/valid/unknown-slot": "vtable slot from a newer schema" shows flatbuffer::FB_UNKNOWN_FIELDS,
        from "ptd/valid/tensors" => |file| file.grow_root_vtable(3);

    /// Bytes follow the data that the header counts. Asset packers pad to whole pages, and nothing forbids it.
    either "ptd/trailing/page-padding": "zeros after the last segment" about trailing::TR_PTD,
        from "ptd/valid/tensors" => |file| file.append(&[0; 64]);

    /// Tensors have offsets in one segment, and two share an offset. Identifier, header and version equal those of
    /// the current layout, but the tables differ. A reader that assumes the current layout gets nonsense.
    build "ptd-legacy/valid/tensors": "legacy layout of release 0.6.0"
        shows legacy_flat_tensor::PTDB_DETECT => base::legacy_tensors;

    /// The C++ writer of release 0.6.0 omits the list, and the Python writer writes an empty one. A reader that takes
    /// its length dereferences a null pointer.
    build "ptd-legacy/valid/without-named-data": "legacy data file without named_data"
        shows legacy_flat_tensor::PTDB_DEDUP =>
            || base::write_data(&base::legacy_tree(), &[&base::ramp(64)], DataLayout::LEGACY);

    /// Version and offset are stored although both are 0. A reader that detects the legacy layout by its usual
    /// vtables does not recognize this file.
    build "ptd-legacy/valid/explicit-defaults": "legacy data file with defaults stored explicitly"
        shows flatbuffer::FB_EXPLICIT_DEFAULT_OK => || {
        let segment = TableTree::new(ptd::DataSegment::TYPE).with("offset", 0).with("size", 64);
        let root = base::legacy_tree().with("version", 0).with("segments", vec![segment]);
        base::write_data(&root, &[&base::ramp(64)], DataLayout::LEGACY)
    };

    /// A blob has its own segment after that of the tensors, and names and keys are in two lists. A reader that
    /// searches only one list misses half of the file.
    build "ptd-legacy/valid/named-data": "named blob beside legacy tensors"
        shows legacy_flat_tensor::PTDB_ONE_SEGMENT => || base::legacy_blob("blob");
}

//! Files that every reader must accept: what official writers make, and what the formats allow beyond that.

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
use crate::rules::{envelope, flat_tensor, named_data, older_flat_tensor, ptd_header, pte_header, segments, trailing};

fn named_data_program() -> base::BaseBytes {
    let [constants, alpha, beta] = base::named_data_segments();
    base::write_program(&base::named_data_tree(), &[&constants, &alpha, &beta])
}

cases! {
    /// A program with one constant in one segment and the 32-byte header, as current exporters write it. A reader that refuses
    /// it fails every case that is built on it.
    build "pte/valid/constants": "one constant, 32-byte header" shows segments::SEG_RELATIVE => || base::write_program(&base::constants_tree(), &[&base::constants_data()]);

    /// A program without any data has no header, and still lists one empty segment for its constants. The FlatBuffer is the
    /// whole file. Readers that insist on a header refuse every small model.
    build "pte/valid/headerless": "no data, so no header" shows pte_header::EH_OPTIONAL => || base::write_program(&base::headerless_tree(), &[]);

    /// Every table, field, union member and instruction of the schema, device fields and call stacks included. A reader that
    /// knows only what it needs must still find its way past the rest.
    build "pte/valid/everything": "every table and field of the schema" shows envelope::FB_EXPLICIT_DEFAULT_OK => base::everything;

    /// Three names and two blobs: `beta` and `gamma` lead to one segment, as writers store equal blobs once. A reader
    /// that lets go of a segment with the first of its names takes it from the other.
    build "pte/valid/named-data": "named blobs, two names for one segment" shows named_data::ND_SHARE_OK => named_data_program;

    /// A named blob and no constants: the constants' segment is there, and empty. A reader that leaves empty segments
    /// out of its list finds nothing under the blob's index, 1.
    build "pte/valid/named-without-constants": "named blob, no constants" shows named_data::ND_NO_LAYOUT => || {
        let root = base::headerless_tree().without("segments").with("named_data", vec![base::program_named("only", 1)]);
        base::write_program(&root, &[b"", &base::ramp(48)])
    };

    /// The header of releases before 1.0 has 24 bytes and does not say how much data there is; eight zero bytes of
    /// padding stand where newer headers say it. A reader that takes them for a size of 0 has no room for the segment.
    build "pte/valid/header-24": "24-byte header" shows pte_header::EH_OPTIONAL => || {
        base::write_program_as(&base::constants_tree(), &[&base::constants_data()], &base::with_header(24))
    };

    /// A header longer than the one known has room for fields of a newer format behind the known ones. Readers must accept it
    /// and leave them alone.
    build "pte/valid/header-48": "header with room for fields from the future" shows pte_header::EH_LENGTH_FUTURE => || {
        base::write_program_as(&base::constants_tree(), &[&base::constants_data()], &base::with_header(48))
    };

    /// A header of 64 bytes, twice what is known. Readers that know how long headers have been refuse the first one that is
    /// longer.
    build "pte/valid/header-64": "header of 64 bytes" shows pte_header::EH_LENGTH_FUTURE => || {
        base::write_program_as(&base::constants_tree(), &[&base::constants_data()], &base::with_header(64))
    };

    /// A header whose base is 0 says that there is no data, as no header at all would. A reader that wants a base
    /// behind the program in every header refuses it.
    build "pte/valid/header-without-data": "header, and no data" shows pte_header::EH_BASE_ZERO_IFF_NONE => || {
        let layout = crate::pte::ProgramLayout {
            header: HeaderKind::Always(32),
            ..crate::pte::ProgramLayout::default()
        };
        base::write_program_as(&base::headerless_tree(), &[], &layout)
    };

    /// Segments at multiples of 4096, as early exporters put them, so that each can be mapped as a page of its own. The gap before
    /// the data is far larger than usual.
    build "pte/valid/aligned-4096": "segments at multiples of 4096" shows segments::SEG_ALIGNED => || {
        let [constants, alpha, beta] = base::named_data_segments();
        let layout = crate::pte::ProgramLayout {
            segment_alignment: 4096,
            ..crate::pte::ProgramLayout::default()
        };
        base::write_program_as(&base::named_data_tree(), &[&constants, &alpha, &beta], &layout)
    };

    /// A named blob of no bytes is a segment of size 0, which may stand where another begins. A search for overlaps
    /// that asks for different offsets only refuses it.
    build "pte/valid/empty-blob": "named blob of no bytes" shows segments::SEG_NO_OVERLAP => || {
        let [constants, _, beta] = base::named_data_segments();
        base::write_program(&base::named_data_tree(), &[&constants, &[], &beta])
    };

    /// An older writer leaves out what later releases added: every field behind `constant_segment`, and the lists that a
    /// program without older constants and without inline delegates can do without.
    build "pte/valid/without-optional-fields": "absent optional fields" shows envelope::FB_EXPLICIT_DEFAULT_OK => || {
        let root = base::constants_tree().without("constant_buffer").without("backend_delegate_data");
        base::write_program(&root, &[&base::constants_data()])
    };

    /// Version and offset are stored, though both are 0 and a builder may leave them out. A reader that takes a stored
    /// version for a newer file refuses it.
    build "pte/valid/explicit-defaults": "defaults stored explicitly" shows envelope::FB_EXPLICIT_DEFAULT_OK => || {
        let segment = TableTree::new(DataSegment::TYPE).with("offset", 0).with("size", 16);
        let root = base::constants_tree().with("version", 0).with("segments", vec![segment]);
        base::write_program(&root, &[&base::constants_data()])
    };

    /// A newer writer's root table has a slot more than this schema knows. A reader that wants the vtable to be as long
    /// as its own refuses every newer file.
    accept "pte/valid/unknown-slot": "a slot from a newer schema" shows envelope::FB_UNKNOWN_FIELDS,
        from "pte/valid/named-data" => |file| file.grow_root_vtable(8);

    /// Newer writers add fields to tables deep inside, too: here to an instruction and to a named blob. A reader that
    /// is tolerant of the root table alone refuses them.
    accept "pte/valid/nested-unknown-slot": "slots from a newer schema in nested tables" shows envelope::FB_UNKNOWN_FIELDS,
        from "pte/valid/named-data" => |file| {
            file.grow_vtable("execution_plan[0].chains[0].instructions[0]", 2);
            file.grow_vtable("named_data[1]", 2);
        };

    /// A table whose vtable is behind it, and not before it as most builders put it: the distance has a sign. A reader that
    /// takes it for a number without one looks four gigabytes away.
    accept "pte/valid/vtable-behind-table": "table before its vtable" shows envelope::FB_VTABLE_VALID,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0]", 9, 0);

    /// What a segment holds is data and nothing else, also where it begins as a Python pickle does. A scanner that looks for
    /// pickles by their first bytes takes the model for one, and a tool that guesses by them may run it.
    accept "pte/valid/segment-like-a-pickle": "segment that begins as a pickle" shows segments::SEG_RELATIVE,
        from "pte/valid/named-data" => |file| {
            let blob = file.at("segments[1]", PartKind::Segment);
            file.put(blob, b"\x80\x02}q\x00.");
        };

    /// Bytes behind the last segment belong to nothing. Asset packers and flash tools pad files to whole pages.
    either "pte/trailing/page-padding": "zeros behind the last segment" about trailing::TR_PTE,
        from "pte/valid/constants" => |file| file.append(&[0; 64]);

    /// A file of another kind behind the last segment: what is appended to a program stays one to a reader, and the other
    /// file to tools that begin at the end.
    either "pte/trailing/archive": "ZIP archive behind the last segment" about trailing::TR_PTE,
        from "pte/valid/constants" => |file| {
            let mut archive = b"PK\x05\x06".to_vec();
            archive.resize(22, 0);
            file.append(&archive);
        };

    /// Constants inside the FlatBuffer, as writers made them before constant segments. A reader may be built without the code
    /// for them, but the file is well formed.
    build "pte/valid/constant-buffer": "constants inside the FlatBuffer" shows envelope::FB_FORCE_ALIGN,
        refs ["pytorch/executorch#19522"], needs ["constant-buffer"] => base::constant_buffer;

    /// A data file with three tensors, each in a segment of its own, as current exporters write it. Three element types
    /// make it plain where a reader counts elements for bytes.
    build "ptd/valid/tensors": "three tensors with layouts" shows flat_tensor::FT_VERIFIED => base::tensors;

    /// A blob without a layout is no tensor, and says so by having none. Readers that ask for a layout without looking whether
    /// there is one follow a null pointer.
    build "ptd/valid/opaque-blob": "named blob without a layout" shows flat_tensor::FT_LAYOUT_OPTIONAL => || {
        let entries = vec![base::named("tokenizer", 1, None), base::named("w", 0, Some(base::floats(&[4])))];
        base::data(entries, &[&base::ramp(16), b"not a tensor"])
    };

    /// Tied weights: two names, one segment. A reader that keeps a segment's one name loses the other tensor.
    build "ptd/valid/shared-segment": "two names for one segment" shows named_data::ND_SHARE_OK => || {
        let entries = vec![
            base::named("embed", 0, Some(base::floats(&[2, 2]))),
            base::named("unembed", 0, Some(base::floats(&[2, 2]))),
        ];
        base::data(entries, &[&base::ramp(16)])
    };

    /// A segment of no bytes behind the last one: writers pad up to it and count the padding. A reader that wants the
    /// header's size to be the sum of all sizes refuses it.
    build "ptd/valid/empty-blob": "tensor of no bytes behind another" shows flat_tensor::FT_SEG_NO_OVERLAP => || {
        let entries = vec![base::named("w", 0, Some(base::floats(&[4]))), base::named("nothing", 1, Some(base::floats(&[0])))];
        base::data(entries, &[&base::ramp(16), &[]])
    };

    /// A tensor of no dimensions has one element and empty lists of sizes and dimensions. A reader that takes an empty
    /// list for an absent one, or its product for 0, refuses it.
    build "ptd/valid/scalar-tensor": "tensor of no dimensions" shows flat_tensor::FT_LAYOUT_SIZES => || base::data(vec![base::named("s", 0, Some(base::floats(&[])))], &[&base::ramp(4)]);

    /// A tensor with a size of 0 has no bytes, whatever its other sizes are: their product, which does not fit into 64 bits, is
    /// never asked for.
    build "ptd/valid/zero-size": "a size of 0 among huge sizes" shows flat_tensor::FT_LAYOUT_NBYTES => || {
        base::data(vec![base::named("z", 0, Some(base::floats(&[0, i32::MAX, i32::MAX, i32::MAX]))), base::named("w", 1, Some(base::floats(&[4])))], &[
            &[],
            &base::ramp(16),
        ])
    };

    /// Sixteen dimensions are as many as the runtime has room for. A limit that is off by one refuses them.
    build "ptd/valid/rank-16": "sixteen dimensions" shows flat_tensor::FT_LAYOUT_RANK => base::rank_16;

    /// Complex elements are not in the schema's list of scalar types and are in the runtime's: 9 is a pair of 32-bit
    /// floats. A reader with the schema's list has no width for them.
    build "ptd/valid/complex-elements": "scalar type 9, which only the runtime lists" shows flat_tensor::FT_LAYOUT_SCALAR => || base::data(vec![base::named("c", 0, Some(base::elements(9, &[2])))], &[&base::ramp(16)]);

    /// Channels-last order: the dimensions in another order than the sizes. A reader that ignores the order gives out
    /// the right bytes as another tensor.
    build "ptd/valid/channels-last": "dimensions in another order" shows flat_tensor::FT_LAYOUT_PERM => || {
        let layout = base::floats(&[1, 2, 1, 2]).with("dim_order", vec![0_u8, 2, 3, 1]);
        base::data(vec![base::named("n", 0, Some(layout))], &[&base::ramp(16)])
    };

    /// A key longer than another that it begins with: `w` and `w.bias`. A reader that compares as many letters as the
    /// stored key has finds `w` where it is asked for `w.bias`.
    build "ptd/valid/prefix-keys": "a key that begins with another" shows named_data::ND_PREFIX_MATCH => || {
        let entries = vec![
            base::named("w", 0, Some(base::floats(&[4]))),
            base::named("w.bias", 1, Some(base::floats(&[2]))),
        ];
        base::data(entries, &[&base::ramp(16), &base::ramp(8)])
    };

    /// No blob at all. Writers give such a file a base and no data, which the header's description does not.
    build "ptd/oddity/empty": "no keys and no segments" about flat_tensor::FT_NONEMPTY => || base::data(Vec::new(), &[]);

    /// A key, and no byte under it. Writers give the file a base all the same, where the header's description has 0.
    build "ptd/oddity/no-data": "a key and no data" about ptd_header::FH_EMPTY
        => || base::data(vec![base::named("nothing", 0, Some(base::floats(&[0])))], &[&[]]);

    /// The version is stored, though it is 0 and mostly left out. A reader that takes its presence for a newer schema
    /// refuses the file.
    build "ptd/valid/explicit-version": "version 0 stored explicitly" shows envelope::FB_EXPLICIT_DEFAULT_OK => || {
        let root = TableTree::new(FlatTensor::TYPE)
            .with("version", 0)
            .with("named_data", vec![base::named("w", 0, Some(base::floats(&[4])))]);
        base::write_data(&root, &[&base::ramp(16)], DataLayout::CURRENT)
    };

    /// A newer writer's root table has more slots than this schema knows. Slot 3 is where the older layout has its segments,
    /// so telling the layouts apart by counting slots gets this file wrong.
    accept "ptd/valid/unknown-slot": "a slot from a newer schema" shows envelope::FB_UNKNOWN_FIELDS,
        from "ptd/valid/tensors" => |file| file.grow_root_vtable(3);

    /// Bytes behind the data that the header counts: asset packers pad to whole pages, and nothing forbids it.
    either "ptd/trailing/page-padding": "zeros behind the last segment" about trailing::TR_PTD,
        from "ptd/valid/tensors" => |file| file.append(&[0; 64]);

    /// The layout of release 0.6.0: tensors at offsets in one segment, two of them at the same. It has the same identifier,
    /// header and version as the current layout, and other tables: reading it as the current one yields nonsense.
    build "ptd-legacy/valid/tensors": "the layout of release 0.6.0" shows older_flat_tensor::PTDB_DETECT => base::older_tensors;

    /// The C++ writer of release 0.6.0 leaves the list of named data out, where the Python writer writes an empty one.
    /// A reader that asks every file for its length follows a null pointer.
    build "ptd-legacy/valid/without-named-data": "no list of named data" shows older_flat_tensor::PTDB_DEDUP => || base::write_data(&base::older_tree(), &[&base::ramp(64)], DataLayout::LEGACY);

    /// Version and offset are stored, though both are 0. A reader that knows the files of that release by the vtables
    /// that its writers made does not know this one.
    build "ptd-legacy/valid/explicit-defaults": "defaults stored explicitly" shows envelope::FB_EXPLICIT_DEFAULT_OK => || {
        let segment = TableTree::new(ptd::DataSegment::TYPE).with("offset", 0).with("size", 64);
        let root = base::older_tree().with("version", 0).with("segments", vec![segment]);
        base::write_data(&root, &[&base::ramp(64)], DataLayout::LEGACY)
    };

    /// A blob in a second segment, behind that of the tensors: names and keys are in two lists. A reader that looks
    /// things up in one of them finds half of the file.
    build "ptd-legacy/valid/named-data": "a named blob beside the tensors" shows older_flat_tensor::PTDB_ONE_SEGMENT => || base::older_blob("blob");
}

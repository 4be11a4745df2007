//! Files cut off: at every boundary between parts, and inside parts.
//!
//! A cut is judged by the first thing that is missing: the header's own bytes, then the end of the FlatBuffer, then that of the
//! data.

use super::cases;
use crate::annotate::What;
use crate::rules::{envelope, ptd_header, pte_header, segments};

cases! {
    /// No byte at all. Readers that map files fail on it in ways of their own.
    reject "pte/truncated/empty": "no byte" breaks envelope::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(0);

    /// The root offset alone: reading the identifier behind it runs past the end.
    reject "pte/truncated/after-root-offset": "cut behind the root offset" breaks envelope::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(4);

    /// Root offset and identifier, and nothing for them to lead to.
    reject "pte/truncated/after-identifier": "cut behind the identifier" breaks envelope::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(8);

    /// The header's magic is there and none of its fields.
    reject "pte/truncated/after-header-magic": "cut behind the header's magic" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(12);

    /// The header's length is there and nothing that it counts.
    reject "pte/truncated/after-header-length": "cut behind the header's length" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(16);

    /// The program's size is there, and nothing says where its data is.
    reject "pte/truncated/after-program-size": "cut behind program_size" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(24);

    /// One byte of `segment_base_offset` is missing.
    reject "pte/truncated/inside-segment-base": "cut one byte before the end of segment_base_offset"
        breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(31);

    /// The header says that it has 32 bytes, and the last eight are missing.
    reject "pte/truncated/before-segment-data-size": "cut before segment_data_size" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(32);

    /// The header is whole and nothing follows.
    reject "pte/truncated/after-header": "cut behind the header" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.truncate(40);

    /// Cut where the root table begins.
    reject "pte/truncated/at-root-table": "cut at the root table" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| {
            let root = file.at("", What::Table(""));
            file.truncate(root);
        };

    /// Cut in the middle of the method's name.
    reject "pte/truncated/inside-string": "cut inside a string" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| {
            let name = file.at("execution_plan[0].name", What::Elements);
            file.truncate(name + 3);
        };

    /// Cut in the middle of a vector of indexes.
    reject "pte/truncated/inside-vector": "cut inside a vector" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| {
            let args = file.at("execution_plan[0].chains[0].instructions[0].instr_args.args", What::Elements);
            file.truncate(args + 6);
        };

    /// The program's last byte is missing. It is padding or the end of a string, so a reader that does not compare sizes reads on.
    reject "pte/truncated/program-by-one-byte": "program one byte short" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| {
            let end = program_size(file);
            file.truncate(end - 1);
        };

    /// The program is whole and its data is gone, the padding before it too.
    reject "pte/truncated/after-program": "cut behind the program" breaks pte_header::EH_BASE_LE_FILE,
        from "pte/valid/constants" => |file| {
            let end = program_size(file);
            file.truncate(end);
        };

    /// Cut where the data begins. Readers that look at segments only when they load one accept the file and fail later.
    reject "pte/truncated/at-segments": "cut where the data begins" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| {
            let data = file.at("segments[0]", What::Segment);
            file.truncate(data);
        };

    /// The data's last byte is missing, as after a download that broke off.
    reject "pte/truncated/data-by-one-byte": "data one byte short" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.truncate(file.len() - 1);

    /// Cut in the padding between two segments: what is left is whole, and the later segments are gone.
    reject "pte/truncated/between-segments": "cut between two segments" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/named-data" => |file| {
            let next = file.at("segments[1]", What::Segment);
            file.truncate(next - 64);
        };

    /// Cut in the middle of the root table's vtable, so that the root table itself is gone. The header promises more than
    /// there is.
    reject "pte/truncated/inside-vtable": "cut inside a vtable" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| {
            let vtable = file.at("", What::Vtable("Program"));
            file.truncate(vtable + 6);
        };

    /// The older header says nothing of how much data there is: only the list of segments tells that the last byte is
    /// missing.
    reject "pte/truncated/header-24-data-by-one-byte": "data one byte short, 24-byte header"
        breaks segments::SEG_WITHIN_DATA,
        from "pte/valid/header-24" => |file| file.truncate(file.len() - 1);

    /// The older header, and nothing where the data begins: its base is the file's end, which is as far as it may be.
    reject "pte/truncated/header-24-at-segments": "cut where the data begins, 24-byte header"
        breaks segments::SEG_WITHIN_DATA,
        from "pte/valid/header-24" => |file| {
            let data = file.at("segments[0]", What::Segment);
            file.truncate(data);
        };

    /// The older header, and a file that ends with the program: the base is past the end, and nothing says how much was to
    /// follow.
    reject "pte/truncated/header-24-after-program": "cut behind the program, 24-byte header"
        breaks pte_header::EH_BASE_LE_FILE,
        from "pte/valid/header-24" => |file| {
            let end = program_size(file);
            file.truncate(end);
        };

    /// The older header one byte short: `segment_base_offset` lacks its highest byte, which is 0 in every honest file.
    reject "pte/truncated/inside-header-24": "cut one byte before the end of a 24-byte header"
        breaks pte_header::EH_TRUNCATED,
        from "pte/valid/header-24" => |file| file.truncate(31);

    /// The older header is whole and nothing follows: its base and its size lead past the end.
    reject "pte/truncated/after-header-24": "cut behind a 24-byte header" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/header-24" => |file| file.truncate(32);

    /// A file without a header is its own FlatBuffer, so nothing says how long it has to be but the references in it.
    reject "pte/truncated/headerless-inside-string": "file without header, cut inside its last string"
        breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/headerless" => |file| {
            let name = file.at("execution_plan[0].name", What::Elements);
            file.truncate(name + 3);
        };

    /// No byte at all.
    reject "ptd/truncated/empty": "no byte" breaks envelope::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(0);

    /// The root offset alone.
    reject "ptd/truncated/after-root-offset": "cut behind the root offset" breaks envelope::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(4);

    /// Root offset and identifier, and nothing for them to lead to.
    reject "ptd/truncated/after-identifier": "cut behind the identifier" breaks envelope::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(8);

    /// The header's length is there and nothing that it counts.
    reject "ptd/truncated/after-header-length": "cut behind the header's length" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(16);

    /// The header's magic is there and none of its fields.
    reject "ptd/truncated/after-header-magic": "cut behind the header's magic" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(12);

    /// The FlatBuffer's size is there, and nothing says where its data is.
    reject "ptd/truncated/after-flatbuffer-size": "cut behind flatbuffer_size" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(32);

    /// One byte of `segment_data_size` is missing.
    reject "ptd/truncated/inside-segment-data-size": "cut one byte before the end of the header"
        breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(47);

    /// The header is whole and nothing follows.
    reject "ptd/truncated/after-header": "cut behind the header" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(48);

    /// Cut where the root table begins. A reader that compares only the data's end with the file finds out by following the
    /// root offset.
    reject "ptd/truncated/at-root-table": "cut at the root table" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            let root = file.at("", What::Table(""));
            file.truncate(root);
        };

    /// Cut inside a key.
    reject "ptd/truncated/inside-string": "cut inside a key" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            let key = file.at("named_data[0].key", What::Elements);
            file.truncate(key + 2);
        };

    /// Cut inside a tensor's sizes.
    reject "ptd/truncated/inside-vector": "cut inside a vector" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            let sizes = file.at("named_data[1].tensor_layout.sizes", What::Elements);
            file.truncate(sizes + 2);
        };

    /// Cut in the middle of the root table's vtable: the root offset still leads out of what is left.
    reject "ptd/truncated/inside-vtable": "cut inside a vtable" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            let vtable = file.at("", What::Vtable("FlatTensor"));
            file.truncate(vtable + 6);
        };

    /// Cut in the padding between two segments: the first tensor is whole, and a reader that loads only that does not notice.
    reject "ptd/truncated/between-segments": "cut between two segments" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| {
            let next = file.at("segments[1]", What::Segment);
            file.truncate(next - 64);
        };

    /// The FlatBuffer's last byte is missing.
    reject "ptd/truncated/flatbuffer-by-one-byte": "FlatBuffer one byte short" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            let end = flatbuffer_end(file);
            file.truncate(end - 1);
        };

    /// The FlatBuffer is whole and its data is gone, the padding before it too.
    reject "ptd/truncated/after-flatbuffer": "cut behind the FlatBuffer" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| {
            let end = flatbuffer_end(file);
            file.truncate(end);
        };

    /// The FlatBuffer is whole and the data is gone.
    reject "ptd/truncated/at-segments": "cut where the data begins" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| {
            let data = file.at("segments[0]", What::Segment);
            file.truncate(data);
        };

    /// The data's last byte is missing.
    reject "ptd/truncated/data-by-one-byte": "data one byte short" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(file.len() - 1);

    /// The older layout, and no more of its header than the magic.
    reject "ptd-legacy/truncated/after-header-magic": "cut behind the header's magic" breaks ptd_header::FH_TRUNCATED,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(12);

    /// The older layout, and nothing but its header.
    reject "ptd-legacy/truncated/after-header": "cut behind the header" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(48);

    /// The older layout, its FlatBuffer one byte short.
    reject "ptd-legacy/truncated/flatbuffer-by-one-byte": "FlatBuffer one byte short" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| {
            let end = flatbuffer_end(file);
            file.truncate(end - 1);
        };

    /// The older layout, its data gone.
    reject "ptd-legacy/truncated/at-segments": "cut where the data begins" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors" => |file| {
            let data = file.at("segments[0]", What::Segment);
            file.truncate(data);
        };

    /// The older layout, its data one byte short.
    reject "ptd-legacy/truncated/data-by-one-byte": "data one byte short" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(file.len() - 1);

    /// The older layout, cut inside its FlatBuffer.
    reject "ptd-legacy/truncated/inside-string": "cut inside a name" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| {
            let name = file.at("tensors[0].fully_qualified_name", What::Elements);
            file.truncate(name + 2);
        };
}

/// Where a data file's FlatBuffer ends, by its header.
fn flatbuffer_end(file: &super::Edit) -> usize {
    file.u64_at(16) + file.u64_at(24)
}

/// Where the program ends, by its header.
fn program_size(file: &super::Edit) -> usize {
    file.u64_at(16)
}

//! Files cut off: at every boundary between parts, and inside parts.
//!
//! A cut is judged by the first thing that is missing: the header's own bytes, then the end of the FlatBuffer, then that of the
//! data.

use super::cases;
use crate::annotate::PartKind;
use crate::patch::Patcher;
use crate::rules::{envelope, ptd_header, pte_header, segments};

cases! {
    /// A map of no bytes is refused by the system, and a load of no bytes may succeed with a null address. A reader
    /// that asks for neither answer reads the root offset from there.
    reject "pte/truncated/empty": "no byte" breaks envelope::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(0);

    /// The four bytes pass for a root offset, 56. The identifier is compared next, with whatever lies behind the
    /// buffer.
    reject "pte/truncated/after-root-offset": "cut behind the root offset" breaks envelope::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(4);

    /// Long enough for a check that asks for root offset and identifier, 8 bytes, and the identifier is right. The root
    /// offset, 56, then leads 48 bytes past the end.
    reject "pte/truncated/after-identifier": "cut behind the identifier" breaks envelope::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(8);

    /// A reader that finds the magic reads the length from behind the end. One that asks for 40 bytes before it looks
    /// for a magic sees no header, and takes the 12 bytes for the whole FlatBuffer.
    reject "pte/truncated/after-header-magic": "cut behind the header's magic" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(12);

    /// The length is there and nothing that it counts: sizes and base are what follows the buffer, or 0 where a short
    /// read is filled up with zeros, which says that there is no data.
    reject "pte/truncated/after-header-length": "cut behind the header's length" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(16);

    /// `program_size` is there, and tells already that 720 bytes are missing. A reader that takes the header's fields
    /// first and compares later has the base from behind the end.
    reject "pte/truncated/after-program-size": "cut behind program_size" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(24);

    /// The missing byte is the highest of `segment_base_offset`, and 0 in every honest file: a reader that fills a
    /// short read up with zeros gets the right base, 768, from a file of 31 bytes.
    reject "pte/truncated/inside-segment-base": "cut one byte before the end of segment_base_offset"
        breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(31);

    /// What is left is a whole header of the older kind; only its length, 32, asks for eight bytes more. A reader that
    /// makes sure of 24 bytes and then goes by the length reads `segment_data_size` from behind the end.
    reject "pte/truncated/before-segment-data-size": "cut before segment_data_size" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(32);

    /// The header is whole and speaks of 744 bytes where there are 40. A reader that cuts a slice to what there is goes
    /// on with the header alone, and the root offset leads 16 bytes past it.
    reject "pte/truncated/after-header": "cut behind the header" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.truncate(40);

    /// The root offset leads exactly to the file's end: a test that refuses only what lies behind the end lets it pass,
    /// and the table's first word is read there. The vtable is whole, in front of the cut.
    reject "pte/truncated/at-root-table": "cut at the root table" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| cut(file, "", PartKind::Table, 0);

    /// The method's name is the last string: its length, 7, is left with three of its letters. A reader without bounds
    /// compares the name with whatever follows the buffer.
    reject "pte/truncated/inside-string": "cut inside a string" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| cut(file, "execution_plan[0].name", PartKind::Elements, 3);

    /// The call's five arguments end inside the second. What is behind them is gone, too, among it the vtable of the
    /// very table that the vector belongs to.
    reject "pte/truncated/inside-vector": "cut inside a vector" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants"
        => |file| cut(file, "execution_plan[0].chains[0].instructions[0].instr_args.args", PartKind::Elements, 6);

    /// The missing byte is the zero behind the method's name. The name's length still fits, so a reader that goes by
    /// lengths notices nothing, and one that looks for the zero reads past the end.
    reject "pte/truncated/program-by-one-byte": "program one byte short" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.truncate(program_size(file) - 1);

    /// The FlatBuffer is whole and verifies; its data is gone with the padding, so that the base, 768, is 24 bytes past
    /// the end. A reader that looks at segments when one is wanted opens the file.
    reject "pte/truncated/after-program": "cut behind the program" breaks pte_header::EH_BASE_LE_FILE,
        from "pte/valid/constants" => |file| file.truncate(program_size(file));

    /// The base equals the file's length, as it may in a file without data, so that looking at the base is not enough:
    /// its sum with the 16 bytes of data is past the end. A reader that looks at segments only when it loads one fails
    /// late.
    reject "pte/truncated/at-segments": "cut where the data begins" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// 15 of the constant's 16 bytes are there, as after a download that broke off. Where the file is mapped, the
    /// missing one reads as 0, since the last page is filled up: the weight is wrong, and nothing fails.
    reject "pte/truncated/data-by-one-byte": "data one byte short" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.truncate(file.len() - 1);

    /// The constants are whole, and padding follows as in the full file. Only `segment_data_size` tells that two blobs
    /// are missing; a reader that looks at segments when they are asked for by name opens it.
    reject "pte/truncated/between-segments": "cut between two segments" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/named-data" => |file| {
            let next = file.at("segments[1]", PartKind::Segment);
            file.truncate(next - 64);
        };

    /// The vtable says that it has 16 bytes and has 6; the root table, behind it, is gone. The file is longer than the
    /// header, which is as much as a reader of the header asks for.
    reject "pte/truncated/inside-vtable": "cut inside a vtable" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| cut(file, "", PartKind::Vtable, 6);

    /// The older header says nothing of how much data there is: only the list of segments tells that the last byte is
    /// missing.
    reject "pte/truncated/header-24-data-by-one-byte": "data one byte short, 24-byte header"
        breaks segments::SEG_WITHIN_DATA,
        from "pte/valid/header-24" => |file| file.truncate(file.len() - 1);

    /// The base equals the file's length, as it may where there is no data, and the older header does not say whether
    /// there is any. Only the size of the one segment, 16, does.
    reject "pte/truncated/header-24-at-segments": "cut where the data begins, 24-byte header"
        breaks segments::SEG_WITHIN_DATA,
        from "pte/valid/header-24" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// The older header gives no size, so there is no sum to compare: a reader that checks the sum alone never looks at
    /// the base, which is 24 bytes past the end.
    reject "pte/truncated/header-24-after-program": "cut behind the program, 24-byte header"
        breaks pte_header::EH_BASE_LE_FILE,
        from "pte/valid/header-24" => |file| file.truncate(program_size(file));

    /// The older header one byte short: `segment_base_offset` lacks its highest byte, which is 0 in every honest file,
    /// and nothing was to follow. A reader that fills a short read up with zeros loses nothing.
    reject "pte/truncated/inside-header-24": "cut one byte before the end of a 24-byte header"
        breaks pte_header::EH_TRUNCATED,
        from "pte/valid/header-24" => |file| file.truncate(31);

    /// A reader that looks for the longer header asks for 40 bytes before it looks for a magic. It sees no header in
    /// these 32, and so no size that would be too large.
    reject "pte/truncated/after-header-24": "cut behind a 24-byte header" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/header-24" => |file| file.truncate(32);

    /// A file without a header is its own FlatBuffer, so nothing says how long it has to be but the references in it.
    reject "pte/truncated/headerless-inside-string": "file without header, cut inside its last string"
        breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/headerless" => |file| cut(file, "execution_plan[0].name", PartKind::Elements, 3);

    /// Opening such a file succeeds, and so may loading all of its bytes. Identifier and header are then looked for at
    /// the address of nothing, which a loader may give as null.
    reject "ptd/truncated/empty": "no byte" breaks envelope::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(0);

    /// A root offset of 68 in a file of four bytes: a reader that follows it before it compares the identifier is 64
    /// bytes past the end.
    reject "ptd/truncated/after-root-offset": "cut behind the root offset" breaks envelope::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(4);

    /// The identifier is right, and a data file always has a header: the magic is read from behind the end. A minimum
    /// of 8 bytes, enough for the front of a FlatBuffer, does not prevent it.
    reject "ptd/truncated/after-identifier": "cut behind the identifier" breaks envelope::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(8);

    /// The length is 40, as it has to be. A reader that checks that number, and not how many bytes there are, reads
    /// four fields of eight bytes from behind the end.
    reject "ptd/truncated/after-header-length": "cut behind the header's length" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(16);

    /// The magic is right, so nothing says yet that this is no data file; the length is read from behind the end, and
    /// any number from 40 on that happens to be there passes.
    reject "ptd/truncated/after-header-magic": "cut behind the header's magic" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(12);

    /// The FlatBuffer's end is there, and 400 is past the file. A reader that takes all four fields before it compares
    /// any reads base and size from behind the end.
    reject "ptd/truncated/after-flatbuffer-size": "cut behind flatbuffer_size" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(32);

    /// The missing byte is the highest of `segment_data_size`, 0 in every honest file: filled up with zeros the header
    /// is complete, and every number in it is right.
    reject "ptd/truncated/inside-segment-data-size": "cut one byte before the end of the header"
        breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(47);

    /// The fields agree with one another: 400 bytes of FlatBuffer, data from 512 to 784. Only held against the file,
    /// which has 48 bytes, they are wrong.
    reject "ptd/truncated/after-header": "cut behind the header" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(48);

    /// The file ends where the root offset leads. A test for an offset greater than the size lets it pass, and the four
    /// bytes behind the end become a distance to a vtable.
    reject "ptd/truncated/at-root-table": "cut at the root table" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "", PartKind::Table, 0);

    /// Two letters of `weight` are left, and its length says six: a look-up compares the other four with what lies
    /// behind the buffer.
    reject "ptd/truncated/inside-string": "cut inside a key" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "named_data[0].key", PartKind::Elements, 2);

    /// Half of the one size of `bias` is there, its lower 16 bits. A reader that fills a short read up with zeros has
    /// the right size; the vtable by which it came there is behind the cut.
    reject "ptd/truncated/inside-vector": "cut inside a vector" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "named_data[1].tensor_layout.sizes", PartKind::Elements, 2);

    /// Exactly the 64 bytes that a reader loads to look at the header, so that this first look succeeds. The root table
    /// begins four bytes behind, and its vtable has four bytes too few.
    reject "ptd/truncated/inside-vtable": "cut inside a vtable" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "", PartKind::Vtable, 6);

    /// Cut in the padding between two segments: the first tensor is whole, and a reader that loads only that does not notice.
    reject "ptd/truncated/between-segments": "cut between two segments" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| {
            let next = file.at("segments[1]", PartKind::Segment);
            file.truncate(next - 64);
        };

    /// The missing byte is the highest of a segment's size, 0 in every honest file: a reader that fills a short read up
    /// with zeros finds the list of segments complete.
    reject "ptd/truncated/flatbuffer-by-one-byte": "FlatBuffer one byte short" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(flatbuffer_end(file) - 1);

    /// The FlatBuffer is whole, verifies, and lists three tensors with their layouts. A reader that answers for keys
    /// and layouts from there never notices that the base, 512, is past the end.
    reject "ptd/truncated/after-flatbuffer": "cut behind the FlatBuffer" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(flatbuffer_end(file));

    /// Header, FlatBuffer and padding are whole, and the base is the file's length, as it may be for itself. Every key
    /// is found, every layout is right, and only the bytes are missing.
    reject "ptd/truncated/at-segments": "cut where the data begins" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// The missing byte is the sign and exponent of the last double. Where the file is mapped, it reads as 0, and the
    /// weight becomes a number close to 0 without an error.
    reject "ptd/truncated/data-by-one-byte": "data one byte short" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(file.len() - 1);

    /// Which of the two layouts a data file has is told by its root table. A reader that asks that first follows a root
    /// offset of 76 in a file of 12 bytes.
    reject "ptd-legacy/truncated/after-header-magic": "cut behind the header's magic" breaks ptd_header::FH_TRUNCATED,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(12);

    /// The header is that of any data file, and complete. The root table that would tell the layout is gone: the root
    /// offset leads 28 bytes past the end.
    reject "ptd-legacy/truncated/after-header": "cut behind the header" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(48);

    /// The missing byte is padding behind the last name, so every name, list and reference is whole. Only the header's
    /// sum, 376, is past the end, and a reader that cuts a slice to what there is goes on.
    reject "ptd-legacy/truncated/flatbuffer-by-one-byte": "FlatBuffer one byte short" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(flatbuffer_end(file) - 1);

    /// All tensors are in one segment, and it is gone, while names, sizes and offsets are all there. A reader that
    /// holds a tensor's offset against its segment's size finds it in range.
    reject "ptd-legacy/truncated/at-segments": "cut where the data begins" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// Only `bias` reaches to the end of the data. A reader that loads a tensor when it is asked for it gives out
    /// `weight` and `tied`, and fails for one name of three.
    reject "ptd-legacy/truncated/data-by-one-byte": "data one byte short" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(file.len() - 1);

    /// The first tensor's name is stored last, and is what is cut. A look-up goes through the list in order, so
    /// whatever name is asked for, the first comparison runs past the end.
    reject "ptd-legacy/truncated/inside-string": "cut inside a name" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| cut(file, "tensors[0].fully_qualified_name", PartKind::Elements, 2);
}

/// Ends the file so many bytes after the start of a part.
fn cut(file: &mut Patcher<'_>, path: &str, kind: PartKind, len: usize) {
    let start = file.at(path, kind);
    file.truncate(start + len);
}

/// Where a data file's FlatBuffer ends, by its header.
fn flatbuffer_end(file: &Patcher<'_>) -> usize {
    file.u64_at(16) + file.u64_at(24)
}

/// Where the program ends, by its header.
fn program_size(file: &Patcher<'_>) -> usize {
    file.u64_at(16)
}

//! Cases about truncated files, which end between two parts or inside one.
//!
//! The first missing byte decides which rule is broken: one about the header, the FlatBuffer or the segment data.

use super::cases;
use crate::annotate::PartKind;
use crate::patch::Patcher;
use crate::rules::{flatbuffer, ptd_header, pte_header, segments};

cases! {
    /// Mapping or loading an empty file can fail or return null, so a reader must check the size before it reads the
    /// root offset.
    reject "pte/truncated/empty": "empty file" breaks flatbuffer::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(0);

    /// A reader that does not require at least 8 bytes reads the identifier from the memory after the buffer.
    reject "pte/truncated/after-root-offset": "cut after the root offset" breaks flatbuffer::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(4);

    /// The identifier is valid, but the root offset, 56, points 48 bytes past the end.
    reject "pte/truncated/after-identifier": "cut after the identifier" breaks flatbuffer::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(8);

    /// The magic promises a header that is not there. A reader that then treats the file as headerless reports the
    /// wrong error.
    reject "pte/truncated/after-header-magic": "cut after the header magic" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(12);

    /// All fields after the length are missing. A reader that fills in zeros sees a program without data.
    reject "pte/truncated/after-header-length": "cut after the header length" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(16);

    /// `segment_base_offset` is missing, so a reader that loads all fields before it checks the size reads past the end.
    reject "pte/truncated/after-program-size": "cut after program_size" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(24);

    /// The missing byte was 0, so a reader that fills in zeros gets the correct base and misses the cut.
    reject "pte/truncated/inside-segment-base": "cut one byte before the end of segment_base_offset"
        breaks pte_header::EH_TRUNCATED, from "pte/valid/constants" => |file| file.truncate(31);

    /// The header has 24 bytes, but its length field says 32. A reader that requires 24 and then trusts the field reads
    /// past the end.
    reject "pte/truncated/before-segment-data-size": "cut before segment_data_size" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(32);

    /// The file has 40 bytes but declares a 744-byte program. A reader that clamps the program's size to 40 follows the
    /// root offset past the end.
    reject "pte/truncated/after-header": "cut after the header" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.truncate(40);

    /// The root offset equals the file's size. A reader whose check is off by one reads the root table from past the end.
    reject "pte/truncated/at-root-table": "cut at the root table" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| cut(file, "", PartKind::Table, 0);

    /// The method name declares seven letters, but only three are there. Comparing it with a requested name reads the
    /// memory after them.
    reject "pte/truncated/inside-string": "cut inside a string" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| cut(file, "execution_plan[0].name", PartKind::Elements, 3);

    /// The cut is in the second of a kernel call's five arguments. The call's table and vtable are missing as well.
    reject "pte/truncated/inside-vector": "cut inside a vector" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants"
        => |file| cut(file, "execution_plan[0].chains[0].instructions[0].instr_args.args", PartKind::Elements, 6);

    /// The missing byte is the method name's NUL. A reader that uses lengths does not notice, but a reader that
    /// searches for the NUL reads past the end.
    reject "pte/truncated/program-by-one-byte": "program one byte short" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.truncate(program_size(file) - 1);

    /// The FlatBuffer is complete, but the segment base is 24 bytes past the end. A reader must check the base when it
    /// opens the file.
    reject "pte/truncated/after-program": "cut after the program" breaks pte_header::EH_BASE_LE_FILE,
        from "pte/valid/constants" => |file| file.truncate(program_size(file));

    /// The base equals the file's size, so only the base plus the data size reveals that all data is missing.
    reject "pte/truncated/at-segments": "cut where the data begins" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// The last of the constant's 16 bytes is missing, as after an interrupted download. In a mapped file, it reads as
    /// 0, so the weight is silently wrong.
    reject "pte/truncated/data-by-one-byte": "data one byte short" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.truncate(file.len() - 1);

    /// Only the first of three segments is there. A reader that checks segments only on look-up notices too late.
    reject "pte/truncated/between-segments": "cut between two segments" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/named-data" => |file| {
            let next = file.at("segments[1]", PartKind::Segment);
            file.truncate(next - 64);
        };

    /// The cut leaves 6 of a vtable's 16 bytes, and the root table after it is gone. The header is complete, so a check
    /// of the header alone passes.
    reject "pte/truncated/inside-vtable": "cut inside a vtable" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| cut(file, "", PartKind::Vtable, 6);

    /// A 24-byte header has no data size, so a reader must compare each segment's end with the file's size.
    reject "pte/truncated/header-24-data-by-one-byte": "data one byte short, 24-byte header"
        breaks segments::SEG_WITHIN_DATA, from "pte/valid/header-24" => |file| file.truncate(file.len() - 1);

    /// The base equals the file's size, and the header has no data size, so only the segment's end reveals the missing bytes.
    reject "pte/truncated/header-24-at-segments": "cut where the data begins, 24-byte header"
        breaks segments::SEG_WITHIN_DATA,
        from "pte/valid/header-24" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// The base is 24 bytes past the end of the file. The header has no data size, so nothing else reveals the cut.
    reject "pte/truncated/header-24-after-program": "cut after the program, 24-byte header"
        breaks pte_header::EH_BASE_LE_FILE, from "pte/valid/header-24" => |file| file.truncate(program_size(file));

    /// The missing byte of `segment_base_offset` was 0, so a reader that fills in zeros does not notice the cut.
    reject "pte/truncated/inside-header-24": "cut one byte before the end of a 24-byte header"
        breaks pte_header::EH_TRUNCATED, from "pte/valid/header-24" => |file| file.truncate(31);

    /// `program_size` is larger than the file. A reader that looks for a header only in files of at least 40 bytes
    /// treats this one as headerless.
    reject "pte/truncated/after-header-24": "cut after a 24-byte header" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/header-24" => |file| file.truncate(32);

    /// A headerless file does not store the program's size, so only the offsets and lengths in the FlatBuffer reveal
    /// the cut.
    reject "pte/truncated/headerless-inside-string": "headerless file cut inside its last string"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/headerless" => |file| cut(file, "execution_plan[0].name", PartKind::Elements, 3);

    /// Loading 0 bytes can return null, so a reader must check the size before it reads the identifier.
    reject "ptd/truncated/empty": "empty file" breaks flatbuffer::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(0);

    /// The root offset, 68, points 64 bytes past the end, so a reader must check the size before it follows the offset.
    reject "ptd/truncated/after-root-offset": "cut after the root offset" breaks flatbuffer::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(4);

    /// A data file also needs a header. A reader that requires only 8 bytes reads the header's magic from past the end.
    reject "ptd/truncated/after-identifier": "cut after the identifier" breaks flatbuffer::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(8);

    /// The header's length field says 40, as required, but the four fields after it are past the end.
    reject "ptd/truncated/after-header-length": "cut after the header length" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(16);

    /// A reader that does not check the size reads the header's length from past the end and accepts any value above 39.
    reject "ptd/truncated/after-header-magic": "cut after the header magic" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(12);

    /// The last two fields are missing, so a reader that loads all four before it checks the size reads past the end.
    reject "ptd/truncated/after-flatbuffer-size": "cut after flatbuffer_size" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(32);

    /// The missing byte of the last field was 0, so a reader that fills in zeros does not notice the cut.
    reject "ptd/truncated/inside-segment-data-size": "cut one byte before the end of the header"
        breaks ptd_header::FH_TRUNCATED, from "ptd/valid/tensors" => |file| file.truncate(47);

    /// The header's fields agree: the FlatBuffer ends at byte 400, and the data ends at byte 784. Only the file's size,
    /// 48 bytes, contradicts them.
    reject "ptd/truncated/after-header": "cut after the header" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(48);

    /// The root offset equals the file's size. A reader whose check is off by one uses the memory after it as a table.
    reject "ptd/truncated/at-root-table": "cut at the root table" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "", PartKind::Table, 0);

    /// The key `weight` declares six letters, but only two are there. A look-up compares the rest of a name with the
    /// memory after the buffer.
    reject "ptd/truncated/inside-string": "cut inside a key" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "named_data[0].key", PartKind::Elements, 2);

    /// Only the lower half of the size of `bias` is there. The upper half was 0, so filling in zeros hides the cut.
    reject "ptd/truncated/inside-vector": "cut inside a vector" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "named_data[1].tensor_layout.sizes", PartKind::Elements, 2);

    /// The root table and four bytes of its vtable are missing. The remaining 64 bytes are exactly as many as the
    /// official reader loads first.
    reject "ptd/truncated/inside-vtable": "cut inside a vtable" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "", PartKind::Vtable, 6);

    /// Only the first segment is there. A reader that loads just this segment's tensor does not notice.
    reject "ptd/truncated/between-segments": "cut between two segments" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| {
            let next = file.at("segments[1]", PartKind::Segment);
            file.truncate(next - 64);
        };

    /// The highest byte of a segment's size is missing. It was 0, so filling in zeros hides the cut.
    reject "ptd/truncated/flatbuffer-by-one-byte": "FlatBuffer one byte short" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(flatbuffer_end(file) - 1);

    /// The segment base, 512, is past the end of the file. A reader that only lists keys does not notice.
    reject "ptd/truncated/after-flatbuffer": "cut after the FlatBuffer" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(flatbuffer_end(file));

    /// The base equals the file's size, and the keys and layouts are valid, so only the base plus the data size reveals
    /// the missing data.
    reject "ptd/truncated/at-segments": "cut where the data begins" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// The missing byte contains a double's sign and part of its exponent. In a mapped file, it reads as 0, so the
    /// weight is silently wrong.
    reject "ptd/truncated/data-by-one-byte": "data one byte short" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(file.len() - 1);

    /// Only the root table shows which layout the file has, but its offset, 76, points past the end, so a reader must
    /// check the size first.
    reject "ptd-legacy/truncated/after-header-magic": "cut after the header magic" breaks ptd_header::FH_TRUNCATED,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(12);

    /// Only the root table shows which layout the file has, but the root offset points 28 bytes past the end.
    reject "ptd-legacy/truncated/after-header": "cut after the header" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(48);

    /// The missing byte is padding and every table is complete, so only `flatbuffer_offset + flatbuffer_size`, 376,
    /// reveals the cut.
    reject "ptd-legacy/truncated/flatbuffer-by-one-byte": "FlatBuffer one byte short" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(flatbuffer_end(file) - 1);

    /// Names, sizes and offsets are valid. A reader that compares tensors only with the segment's declared size does
    /// not notice the cut.
    reject "ptd-legacy/truncated/at-segments": "cut where the data begins" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// The missing byte belongs to `bias`. A reader that checks tensors only when it loads them opens the file and
    /// fails later.
    reject "ptd-legacy/truncated/data-by-one-byte": "data one byte short" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(file.len() - 1);

    /// The cut is in the first tensor's name. Every look-up begins with this name, so every look-up reads past the end.
    reject "ptd-legacy/truncated/inside-string": "cut inside a name" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| cut(file, "tensors[0].fully_qualified_name", PartKind::Elements, 2);
}

/// Cuts the file after the part's first `len` bytes.
fn cut(file: &mut Patcher<'_>, path: &str, kind: PartKind, len: usize) {
    let start = file.at(path, kind);
    file.truncate(start + len);
}

fn flatbuffer_end(file: &Patcher<'_>) -> usize {
    file.u64_at(16) + file.u64_at(24)
}

fn program_size(file: &Patcher<'_>) -> usize {
    file.u64_at(16)
}

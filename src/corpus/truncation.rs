//! Cases about truncated files. Each file ends at a boundary between two parts, or inside a part.
//!
//! The first missing byte determines the rule: a header rule, a FlatBuffer rule, or a segment data rule.

use super::cases;
use crate::annotate::PartKind;
use crate::patch::Patcher;
use crate::rules::{flatbuffer, ptd_header, pte_header, segments};

cases! {
    /// The file has no bytes. A reader that maps or loads the file can get an error or a null pointer. A reader must
    /// check the size before it reads the root offset.
    reject "pte/truncated/empty": "empty file" breaks flatbuffer::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(0);

    /// The file ends after the root offset, whose value is 56. A reader must check that the file has at least 8 bytes.
    /// If a reader does not check the file's size, it reads the identifier from the memory after the buffer.
    reject "pte/truncated/after-root-offset": "cut after the root offset" breaks flatbuffer::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(4);

    /// The file has 8 bytes, and its identifier is valid. The root offset, 56, points 48 bytes past the end of the
    /// file.
    reject "pte/truncated/after-identifier": "cut after the identifier" breaks flatbuffer::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(8);

    /// The file ends after the header magic. A reader must check that the file contains a complete header. A reader
    /// that treats the file as headerless reports the wrong fault.
    reject "pte/truncated/after-header-magic": "cut after the header magic" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(12);

    /// The file ends after the header's length field, so all other header fields are missing. If a reader replaces the
    /// missing bytes with zeros, it treats the file as a program without data.
    reject "pte/truncated/after-header-length": "cut after the header length" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(16);

    /// The file ends after `program_size`, so `segment_base_offset` is missing. If a reader loads all header fields
    /// before it checks the file's size, it reads past the end.
    reject "pte/truncated/after-program-size": "cut after program_size" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(24);

    /// The file ends one byte before the end of `segment_base_offset`. The missing byte is 0 in the complete file, so a
    /// reader that replaces missing bytes with zeros gets the correct base.
    reject "pte/truncated/inside-segment-base": "cut one byte before the end of segment_base_offset"
        breaks pte_header::EH_TRUNCATED, from "pte/valid/constants" => |file| file.truncate(31);

    /// The file ends after a 24-byte header, but the header's length field is 32. If a reader requires only 24 bytes
    /// and then uses the length field, it reads past the end.
    reject "pte/truncated/before-segment-data-size": "cut before segment_data_size" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(32);

    /// The file has 40 bytes, but the header declares a program of 744 bytes. If a reader reduces the program's size to
    /// 40 bytes, it follows a root offset that points past the end of the file.
    reject "pte/truncated/after-header": "cut after the header" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.truncate(40);

    /// The file ends where the root table begins. An off-by-one check accepts the root offset, which equals the file's
    /// size. A reader with an off-by-one check reads the table past the end of the file.
    reject "pte/truncated/at-root-table": "cut at the root table" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| cut(file, "", PartKind::Table, 0);

    /// The method name has a length of 7, but the file contains only three letters of the name. A reader without a
    /// bounds check compares the requested name with memory after the buffer.
    reject "pte/truncated/inside-string": "cut inside a string" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| cut(file, "execution_plan[0].name", PartKind::Elements, 3);

    /// The file ends inside the second of the five arguments of a kernel call. The rest of the call's table and the
    /// table's vtable are also missing.
    reject "pte/truncated/inside-vector": "cut inside a vector" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants"
        => |file| cut(file, "execution_plan[0].chains[0].instructions[0].instr_args.args", PartKind::Elements, 6);

    /// The file ends before the NUL terminator of the method name. A reader that uses string lengths does not detect
    /// the missing NUL. If a reader searches for the NUL, it reads past the end.
    reject "pte/truncated/program-by-one-byte": "program one byte short" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.truncate(program_size(file) - 1);

    /// The FlatBuffer is complete, but all segment data is missing, so the segment base is 24 bytes past the end of the
    /// file. A reader must check the segment base when it opens the file.
    reject "pte/truncated/after-program": "cut after the program" breaks pte_header::EH_BASE_LE_FILE,
        from "pte/valid/constants" => |file| file.truncate(program_size(file));

    /// All segment data is missing, and the segment base equals the file's size. Only a check of the sum of segment
    /// base and data size detects the missing data. A reader must check the sum of segment base and data size when it
    /// opens the file.
    reject "pte/truncated/at-segments": "cut where the data begins" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// The last of the constant's 16 bytes is missing, as after an interrupted download. In a memory-mapped file, the
    /// missing byte has the value 0, so the weight is silently wrong.
    reject "pte/truncated/data-by-one-byte": "data one byte short" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.truncate(file.len() - 1);

    /// The file ends after the first of three segments. A reader must compare the sum of segment base and data size
    /// with the file's size. A reader that checks segments only at a lookup detects the missing data late.
    reject "pte/truncated/between-segments": "cut between two segments" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/named-data" => |file| {
            let next = file.at("segments[1]", PartKind::Segment);
            file.truncate(next - 64);
        };

    /// The file ends after the first 6 bytes of a 16-byte vtable, so the root table, which follows, is also missing.
    /// The header is complete, so a check of only the header passes.
    reject "pte/truncated/inside-vtable": "cut inside a vtable" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| cut(file, "", PartKind::Vtable, 6);

    /// The last byte of the segment is missing. A 24-byte header has no data size, so a reader must compare each
    /// segment's end with the file's size.
    reject "pte/truncated/header-24-data-by-one-byte": "data one byte short, 24-byte header"
        breaks segments::SEG_WITHIN_DATA, from "pte/valid/header-24" => |file| file.truncate(file.len() - 1);

    /// All segment data is missing, and the segment base equals the file's size. A 24-byte header has no data size, so
    /// only the segment's size, 16, reveals the missing data.
    reject "pte/truncated/header-24-at-segments": "cut where the data begins, 24-byte header"
        breaks segments::SEG_WITHIN_DATA,
        from "pte/valid/header-24" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// All segment data and the padding before the data are missing, so the segment base is 24 bytes past the end of
    /// the file. A 24-byte header has no data size, so a reader cannot check the data's end.
    reject "pte/truncated/header-24-after-program": "cut after the program, 24-byte header"
        breaks pte_header::EH_BASE_LE_FILE, from "pte/valid/header-24" => |file| file.truncate(program_size(file));

    /// The file ends one byte before the end of a 24-byte header. The missing byte of `segment_base_offset` is 0 in the
    /// complete file. A reader must not replace missing bytes with zeros.
    reject "pte/truncated/inside-header-24": "cut one byte before the end of a 24-byte header"
        breaks pte_header::EH_TRUNCATED, from "pte/valid/header-24" => |file| file.truncate(31);

    /// The file ends after its 24-byte header, although `program_size` declares a larger program. A reader that
    /// requires 40 bytes for a header treats the file as headerless and ignores `program_size`.
    reject "pte/truncated/after-header-24": "cut after a 24-byte header" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/header-24" => |file| file.truncate(32);

    /// The file is cut inside its last string. Without a header, no field declares the program's size, so only the
    /// offsets and lengths in the FlatBuffer reveal the missing bytes.
    reject "pte/truncated/headerless-inside-string": "headerless file cut inside its last string"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/headerless" => |file| cut(file, "execution_plan[0].name", PartKind::Elements, 3);

    /// The data file has no bytes. A reader that loads 0 bytes can get a null pointer. A reader must check the size
    /// before it compares the identifier.
    reject "ptd/truncated/empty": "empty file" breaks flatbuffer::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(0);

    /// The file has four bytes, and its root offset is 68. If a reader follows the root offset before it checks the
    /// file's size, it reads 64 bytes past the end.
    reject "ptd/truncated/after-root-offset": "cut after the root offset" breaks flatbuffer::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(4);

    /// The file ends after a valid identifier, but a data file must also have a header. If a reader checks only that
    /// the file has 8 bytes, it reads the header magic past the end.
    reject "ptd/truncated/after-identifier": "cut after the identifier" breaks flatbuffer::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(8);

    /// The file ends after the header's length field, which has the required value, 40. If a reader checks only the
    /// length field, it reads four 8-byte fields past the end.
    reject "ptd/truncated/after-header-length": "cut after the header length" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(16);

    /// The file ends after the header magic, so the length field is missing. A reader without a size check reads the
    /// length past the end and can accept any value above 39.
    reject "ptd/truncated/after-header-magic": "cut after the header magic" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(12);

    /// The file ends after `flatbuffer_size`, so the last two header fields are missing. If a reader loads all four
    /// fields before it checks the file's size, it reads past the end.
    reject "ptd/truncated/after-flatbuffer-size": "cut after flatbuffer_size" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(32);

    /// The file ends one byte before the end of `segment_data_size`. The missing byte is 0 in the complete file. A
    /// reader must not replace missing bytes with zeros.
    reject "ptd/truncated/inside-segment-data-size": "cut one byte before the end of the header"
        breaks ptd_header::FH_TRUNCATED, from "ptd/valid/tensors" => |file| file.truncate(47);

    /// The file ends after its 48-byte header. The header is consistent: it declares a FlatBuffer up to byte 400, and
    /// data up to byte 784. A reader must compare the declared ends of the FlatBuffer and of the data with the file's
    /// size.
    reject "ptd/truncated/after-header": "cut after the header" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(48);

    /// The file ends where the root table begins. A reader with an off-by-one check accepts the root offset, which
    /// equals the file's size, and reads the table past the end.
    reject "ptd/truncated/at-root-table": "cut at the root table" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "", PartKind::Table, 0);

    /// The key `weight` has a length of six, but the file contains only two letters of the key. A lookup compares the
    /// other four letters of the key with memory after the buffer.
    reject "ptd/truncated/inside-string": "cut inside a key" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "named_data[0].key", PartKind::Elements, 2);

    /// The tensor `bias` has one size, but the file contains only the lower half of this size. The missing bytes are 0
    /// in the complete file. A reader must not replace missing bytes with zeros.
    reject "ptd/truncated/inside-vector": "cut inside a vector" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "named_data[1].tensor_layout.sizes", PartKind::Elements, 2);

    /// The file ends four bytes before the end of the root table's vtable, so the root table is missing. The file has
    /// only 64 bytes, the number of bytes that the official reader loads first.
    reject "ptd/truncated/inside-vtable": "cut inside a vtable" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "", PartKind::Vtable, 6);

    /// The file ends after its first segment. A reader must compare the sum of segment base and data size with the
    /// file's size. A reader that loads only the first tensor does not detect the missing data.
    reject "ptd/truncated/between-segments": "cut between two segments" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| {
            let next = file.at("segments[1]", PartKind::Segment);
            file.truncate(next - 64);
        };

    /// The FlatBuffer's last byte, the highest byte of a segment's size, is missing. The byte is 0 in the complete
    /// file. A reader must not replace missing bytes with zeros.
    reject "ptd/truncated/flatbuffer-by-one-byte": "FlatBuffer one byte short" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(flatbuffer_end(file) - 1);

    /// The FlatBuffer is complete, but all segment data is missing. The segment base, 512, is past the end of the file.
    /// A reader that reads only keys does not detect the missing data.
    reject "ptd/truncated/after-flatbuffer": "cut after the FlatBuffer" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(flatbuffer_end(file));

    /// All segment data is missing, and the segment base equals the file's size. Keys and layouts are valid, so only a
    /// check of the sum of segment base and data size detects the missing data.
    reject "ptd/truncated/at-segments": "cut where the data begins" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// The last byte of the last tensor is missing. The missing byte contains the sign and part of the exponent of a
    /// double. In a memory-mapped file, the missing byte has the value 0, so the weight is silently wrong.
    reject "ptd/truncated/data-by-one-byte": "data one byte short" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(file.len() - 1);

    /// The file ends after the header magic. Before a reader uses the root table to detect the layout, it must check
    /// the file's size. The root offset, 76, points past the end of the file.
    reject "ptd-legacy/truncated/after-header-magic": "cut after the header magic" breaks ptd_header::FH_TRUNCATED,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(12);

    /// The file ends after its header. Before a reader uses the root table to detect the layout, it must check the root
    /// offset, which points 28 bytes past the end.
    reject "ptd-legacy/truncated/after-header": "cut after the header" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(48);

    /// The FlatBuffer's last byte, which is padding, is missing. Every table is complete, so only the sum of
    /// `flatbuffer_offset` and `flatbuffer_size`, 376, reveals the missing byte.
    reject "ptd-legacy/truncated/flatbuffer-by-one-byte": "FlatBuffer one byte short" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(flatbuffer_end(file) - 1);

    /// All segment data is missing, but names, sizes and offsets are valid. A reader that compares tensors only with
    /// the segment's declared size does not detect the missing data.
    reject "ptd-legacy/truncated/at-segments": "cut where the data begins" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// The last byte of the data is missing. The missing byte belongs to the tensor `bias`. If a reader checks each
    /// tensor only when it loads that tensor, it accepts the file and fails only for `bias`.
    reject "ptd-legacy/truncated/data-by-one-byte": "data one byte short" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(file.len() - 1);

    /// The name of the first tensor is the last string in the FlatBuffer, and the file ends inside the name. Every
    /// lookup begins with this tensor, compares the requested name with the truncated name, and reads past the end.
    reject "ptd-legacy/truncated/inside-string": "cut inside a name" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| cut(file, "tensors[0].fully_qualified_name", PartKind::Elements, 2);
}

/// Keeps the first `len` bytes of the part, and nothing after them.
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

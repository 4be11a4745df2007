//! Truncated files: cut at every boundary between parts, and inside parts.
//!
//! The first missing bytes determine the rule: header, end of the FlatBuffer, then end of the data.

use super::cases;
use crate::annotate::PartKind;
use crate::patch::Patcher;
use crate::rules::{flatbuffer, ptd_header, pte_header, segments};

cases! {
    /// Mapping an empty file fails, and loading 0 bytes may return a null pointer. A reader that checks neither
    /// result reads the root offset from there.
    reject "pte/truncated/empty": "empty file" breaks flatbuffer::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(0);

    /// The four bytes are a plausible root offset, 56. A reader without a length check compares the identifier with
    /// the memory after the buffer.
    reject "pte/truncated/after-root-offset": "cut after the root offset" breaks flatbuffer::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(4);

    /// The file passes a check for 8 bytes, and the identifier is right. The root offset, 56, leads 48 bytes past
    /// the end.
    reject "pte/truncated/after-identifier": "cut after the identifier" breaks flatbuffer::FB_MIN_SIZE,
        from "pte/valid/constants" => |file| file.truncate(8);

    /// A reader that finds the magic loads the length from past the end. A reader that requires 40 bytes first sees
    /// no header and treats the 12 bytes as a FlatBuffer.
    reject "pte/truncated/after-header-magic": "cut after the header magic" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(12);

    /// The length is present, but none of the fields that it counts. A reader that pads short reads with zeros sees
    /// a file without data.
    reject "pte/truncated/after-header-length": "cut after the header length" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(16);

    /// `program_size` shows that 720 bytes are missing. A reader that loads all fields before it compares one takes
    /// the base from past the end.
    reject "pte/truncated/after-program-size": "cut after program_size" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(24);

    /// The missing byte is always 0 in real files. A reader that pads short reads with zeros gets the right base,
    /// 768, from a file of 31 bytes.
    reject "pte/truncated/inside-segment-base": "cut one byte before the end of segment_base_offset"
        breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(31);

    /// The rest is a complete 24-byte header, but its length says 32. A reader that checks for 24 bytes and then
    /// trusts the length reads past the end.
    reject "pte/truncated/before-segment-data-size": "cut before segment_data_size" breaks pte_header::EH_TRUNCATED,
        from "pte/valid/constants" => |file| file.truncate(32);

    /// The header declares a program of 744 bytes, and 40 exist. A reader that clamps the size continues with the
    /// header alone, and the root offset leads past it.
    reject "pte/truncated/after-header": "cut after the header" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.truncate(40);

    /// The root offset equals the file's length. An off-by-one check accepts it, and the reader loads the table's
    /// first word past the end.
    reject "pte/truncated/at-root-table": "cut at the root table" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| cut(file, "", PartKind::Table, 0);

    /// The method name has a length of 7 and only three letters remain. A reader without bounds compares the name
    /// with the memory after the buffer.
    reject "pte/truncated/inside-string": "cut inside a string" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| cut(file, "execution_plan[0].name", PartKind::Elements, 3);

    /// The five arguments of the call end inside the second. The vtable of the same table is also missing.
    reject "pte/truncated/inside-vector": "cut inside a vector" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants"
        => |file| cut(file, "execution_plan[0].chains[0].instructions[0].instr_args.args", PartKind::Elements, 6);

    /// The missing byte is the NUL terminator of the method name. A reader that uses lengths notices nothing; one
    /// that searches for the NUL reads past the end.
    reject "pte/truncated/program-by-one-byte": "program one byte short" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.truncate(program_size(file) - 1);

    /// The FlatBuffer is complete, but its data and the padding are missing, so the base is 24 bytes past the end.
    /// A reader that checks segments only on load opens the file.
    reject "pte/truncated/after-program": "cut after the program" breaks pte_header::EH_BASE_LE_FILE,
        from "pte/valid/constants" => |file| file.truncate(program_size(file));

    /// The base equals the file's length, which is valid for a file without data. Only base plus size is past the
    /// end. A reader that checks segments only on load fails late.
    reject "pte/truncated/at-segments": "cut where the data begins" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// The last of the constant's 16 bytes is missing, as after an interrupted download. In a mapped file it reads
    /// as 0: the weight is wrong and nothing fails.
    reject "pte/truncated/data-by-one-byte": "data one byte short" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.truncate(file.len() - 1);

    /// The constants and their padding are complete, and two blobs are missing. Only `segment_data_size` shows
    /// that. A reader that checks segments only on lookup opens the file.
    reject "pte/truncated/between-segments": "cut between two segments" breaks pte_header::EH_SUM_LE_FILE,
        from "pte/valid/named-data" => |file| {
            let next = file.at("segments[1]", PartKind::Segment);
            file.truncate(next - 64);
        };

    /// The vtable declares 16 bytes and 6 remain; the root table after it is missing. The file is longer than the
    /// header, so a check of the header alone passes.
    reject "pte/truncated/inside-vtable": "cut inside a vtable" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| cut(file, "", PartKind::Vtable, 6);

    /// A 24-byte header has no data size. Only the list of segments shows that the last byte is missing.
    reject "pte/truncated/header-24-data-by-one-byte": "data one byte short, 24-byte header"
        breaks segments::SEG_WITHIN_DATA,
        from "pte/valid/header-24" => |file| file.truncate(file.len() - 1);

    /// The base equals the file's length, which is valid for a file without data, and a 24-byte header has no data
    /// size. Only the segment's size, 16, shows the fault.
    reject "pte/truncated/header-24-at-segments": "cut where the data begins, 24-byte header"
        breaks segments::SEG_WITHIN_DATA,
        from "pte/valid/header-24" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// A 24-byte header has no data size, so there is no sum to check. A reader that checks only the sum never
    /// checks the base, which is 24 bytes past the end.
    reject "pte/truncated/header-24-after-program": "cut after the program, 24-byte header"
        breaks pte_header::EH_BASE_LE_FILE,
        from "pte/valid/header-24" => |file| file.truncate(program_size(file));

    /// The missing byte is the highest of `segment_base_offset`, always 0 in real files. A reader that pads short
    /// reads with zeros loses nothing.
    reject "pte/truncated/inside-header-24": "cut one byte before the end of a 24-byte header"
        breaks pte_header::EH_TRUNCATED,
        from "pte/valid/header-24" => |file| file.truncate(31);

    /// A reader that requires 40 bytes before it looks for the magic sees no header in these 32. It then misses the
    /// impossible `program_size`.
    reject "pte/truncated/after-header-24": "cut after a 24-byte header" breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/header-24" => |file| file.truncate(32);

    /// Without a header nothing declares the program's size. Only the offsets and lengths in the FlatBuffer show
    /// that bytes are missing.
    reject "pte/truncated/headerless-inside-string": "headerless file cut inside its last string"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/headerless" => |file| cut(file, "execution_plan[0].name", PartKind::Elements, 3);

    /// Opening the file succeeds, and loading 0 bytes may return a null pointer. A reader then compares the
    /// identifier there.
    reject "ptd/truncated/empty": "empty file" breaks flatbuffer::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(0);

    /// The root offset is 68 in a file of four bytes. A reader that follows it before it compares the identifier is
    /// 64 bytes past the end.
    reject "ptd/truncated/after-root-offset": "cut after the root offset" breaks flatbuffer::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(4);

    /// The identifier is right, and a data file always has a header. A check for 8 bytes passes, and the reader
    /// loads the magic from past the end.
    reject "ptd/truncated/after-identifier": "cut after the identifier" breaks flatbuffer::FB_MIN_SIZE,
        from "ptd/valid/tensors" => |file| file.truncate(8);

    /// The length is the required 40. A reader that checks only this number loads four 8-byte fields from past the
    /// end.
    reject "ptd/truncated/after-header-length": "cut after the header length" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(16);

    /// The magic is right and the length is missing. A reader loads it from past the end, and any value from 40 up
    /// passes.
    reject "ptd/truncated/after-header-magic": "cut after the header magic" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(12);

    /// The FlatBuffer's end, 400, is past the file. A reader that loads all four fields before it compares one
    /// takes base and size from past the end.
    reject "ptd/truncated/after-flatbuffer-size": "cut after flatbuffer_size" breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(32);

    /// The missing byte is the highest of `segment_data_size`, always 0 in real files. A reader that pads short
    /// reads with zeros sees a complete header.
    reject "ptd/truncated/inside-segment-data-size": "cut one byte before the end of the header"
        breaks ptd_header::FH_TRUNCATED,
        from "ptd/valid/tensors" => |file| file.truncate(47);

    /// The fields are consistent: a FlatBuffer of 400 bytes, and data from 512 to 784. Only a comparison with the
    /// file's 48 bytes shows the fault.
    reject "ptd/truncated/after-header": "cut after the header" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(48);

    /// The root offset equals the file's length. An off-by-one check accepts it, and the reader takes the vtable
    /// offset from past the end.
    reject "ptd/truncated/at-root-table": "cut at the root table" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "", PartKind::Table, 0);

    /// Two letters of `weight` remain and its length says six. A lookup compares the other four with the memory
    /// after the buffer.
    reject "ptd/truncated/inside-string": "cut inside a key" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "named_data[0].key", PartKind::Elements, 2);

    /// Only the lower half of the one size of `bias` remains. A reader that pads short reads with zeros gets the
    /// right size.
    reject "ptd/truncated/inside-vector": "cut inside a vector" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "named_data[1].tensor_layout.sizes", PartKind::Elements, 2);

    /// The file has the 64 bytes that the official reader loads first, so that load succeeds. The root table begins
    /// four bytes later, and its vtable is four bytes short.
    reject "ptd/truncated/inside-vtable": "cut inside a vtable" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "", PartKind::Vtable, 6);

    /// The first tensor is complete. A reader that loads only that tensor notices nothing.
    reject "ptd/truncated/between-segments": "cut between two segments" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| {
            let next = file.at("segments[1]", PartKind::Segment);
            file.truncate(next - 64);
        };

    /// The missing byte is the highest of a segment's size, always 0 in real files. A reader that pads short reads
    /// with zeros finds the list of segments complete.
    reject "ptd/truncated/flatbuffer-by-one-byte": "FlatBuffer one byte short" breaks ptd_header::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(flatbuffer_end(file) - 1);

    /// The FlatBuffer is complete and lists three tensors. A reader that answers queries from it never notices that
    /// the base, 512, is past the end.
    reject "ptd/truncated/after-flatbuffer": "cut after the FlatBuffer" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(flatbuffer_end(file));

    /// The base equals the file's length, which alone is valid. Every key and layout is right, and only the data is
    /// missing.
    reject "ptd/truncated/at-segments": "cut where the data begins" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// The missing byte has the sign and exponent of the last double. In a mapped file it reads as 0, and the
    /// weight becomes almost 0 without an error.
    reject "ptd/truncated/data-by-one-byte": "data one byte short" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.truncate(file.len() - 1);

    /// The root table determines the layout. A reader that looks at it first follows a root offset of 76 in a file
    /// of 12 bytes.
    reject "ptd-legacy/truncated/after-header-magic": "cut after the header magic" breaks ptd_header::FH_TRUNCATED,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(12);

    /// The header is complete. The root table that determines the layout is missing: the root offset leads 28 bytes
    /// past the end.
    reject "ptd-legacy/truncated/after-header": "cut after the header" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(48);

    /// The missing byte is padding after the last name, so every table is complete. Only the header's sum, 376, is
    /// past the end. A reader that clamps the size continues.
    reject "ptd-legacy/truncated/flatbuffer-by-one-byte": "FlatBuffer one byte short" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(flatbuffer_end(file) - 1);

    /// The one segment is missing, but names, sizes and offsets are complete. A reader that compares a tensor only
    /// with its segment's size finds it in range.
    reject "ptd-legacy/truncated/at-segments": "cut where the data begins" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors" => |file| cut(file, "segments[0]", PartKind::Segment, 0);

    /// Only `bias` reaches the end of the data. A reader that checks tensors only on load returns `weight` and
    /// `tied` and fails for one name of three.
    reject "ptd-legacy/truncated/data-by-one-byte": "data one byte short" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.truncate(file.len() - 1);

    /// The first tensor's name is stored last and is cut. A lookup compares it first, whatever the name, and runs
    /// past the end.
    reject "ptd-legacy/truncated/inside-string": "cut inside a name" breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| cut(file, "tensors[0].fully_qualified_name", PartKind::Elements, 2);
}

/// Truncates the file `len` bytes after the start of a part.
fn cut(file: &mut Patcher<'_>, path: &str, kind: PartKind, len: usize) {
    let start = file.at(path, kind);
    file.truncate(start + len);
}

/// Returns the end of a data file's FlatBuffer, according to its header.
fn flatbuffer_end(file: &Patcher<'_>) -> usize {
    file.u64_at(16) + file.u64_at(24)
}

/// Returns the end of the program, according to its header.
fn program_size(file: &Patcher<'_>) -> usize {
    file.u64_at(16)
}

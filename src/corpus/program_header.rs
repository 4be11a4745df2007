//! Cases about a program's identifier and extended header. The cases set each header field to the limits of the field's
//! range.

use super::cases;
use super::defects::size_prefix;
use crate::annotate::PartKind;
use crate::rules::{flatbuffer, pte_header as rules};

cases! {
    /// The identifier is `ET13`. A new number in the identifier means an incompatible format, so a reader must require
    /// exactly `ET12`. A reader that compares only the first two letters of the identifier misreads the file.
    reject "pte/identifier/next-version": "identifier ET13" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ET13");

    /// The identifier is `ET11`, which no release ever wrote, so the tables of the file are undefined. A reader that
    /// accepts every number up to 12 misreads the file as an older program.
    reject "pte/identifier/previous-version": "identifier ET11" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ET11");

    /// The identifier has letters instead of digits, so the identifier does not determine the schema. A reader that
    /// accepts `ET` followed by any two characters misreads the file as a program.
    reject "pte/identifier/letters": "identifier ETab" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ETab");

    /// The identifier is in lower case. A reader must compare the bytes exactly. A case-insensitive comparison accepts
    /// the file.
    reject "pte/identifier/lower-case": "identifier et12" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"et12");

    /// The four bytes of the identifier are in reverse order. A reader must compare bytes, not native integers. On a
    /// big-endian host, a comparison of integers accepts this file and rejects valid files.
    reject "pte/identifier/swapped": "identifier 21TE, in reverse byte order" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"21TE");

    /// The identifier is four zero bytes, as in a FlatBuffer written without an identifier. FlatBuffers verifiers check
    /// the identifier only on request, so a reader must check the identifier separately.
    reject "pte/identifier/zeros": "no identifier" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, &[0; 4]);

    /// A four-byte size precedes the program, as in size-prefixed FlatBuffers. All fields therefore begin four bytes
    /// after their correct positions. A reader that skips the identifier check uses the size, 784, as the root offset.
    reject "pte/identifier/size-prefix": "size prefix before the root offset" breaks flatbuffer::FB_NOT_SIZE_PREFIXED,
        from "pte/valid/constants" => size_prefix;

    /// A ZIP local file header precedes the program, and the file name still ends in `.pte`. The file has no identifier
    /// at byte 4. Tools that recognize archives by their first bytes open the file as an archive.
    reject "pte/identifier/zip": "ZIP local file header before the program" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| {
            let mut head = b"PK\x03\x04\x14\0\0\0\0\0".to_vec();
            head.resize(26, 0);
            head.extend(b"\x09\0\0\0model.pte");
            file.insert(0, &head);
        };

    /// The header magic is `eh01`, an unknown header version. A reader must reject the file. A reader that treats the
    /// file as headerless computes the position of every segment from byte 0.
    reject "pte/header/magic-next-version": "header magic eh01" breaks rules::EH_MAGIC_EXACT,
        from "pte/valid/constants" => |file| file.header("magic", b"eh01");

    /// The header magic is `eh99`, the highest version that two digits can express. A reader must reject every unknown
    /// version. A reader that treats a file with `eh99` as headerless computes segment positions from byte 0.
    reject "pte/header/magic-last-version": "header magic eh99" breaks rules::EH_MAGIC_EXACT,
        from "pte/valid/constants" => |file| file.header("magic", b"eh99");

    /// The magic is in upper case, `EH00`, so the file counts as headerless and has no segment base. A reader that
    /// assumes segment base 0 returns the file's first bytes as the constant.
    reject "pte/header/magic-upper-case": "header magic EH00" breaks rules::EH_HEADERLESS_NO_DATA,
        from "pte/valid/constants" => |file| file.header("magic", b"EH00");

    /// The header length is 23, one byte less than the shortest header. A reader must reject the file. A reader that
    /// treats the file as headerless computes segment positions from byte 0.
    reject "pte/header/length-23": "header length 23" breaks rules::EH_LENGTH_MIN,
        from "pte/valid/constants" => |file| file.header("length", 23_u32);

    /// The header length is 0, but a valid length includes the magic and the length field. If a reader checks only the
    /// upper limit of the length, it uses fields outside the header.
    reject "pte/header/length-0": "header length 0" breaks rules::EH_LENGTH_MIN,
        from "pte/valid/constants" => |file| file.header("length", 0_u32);

    /// The header length is 31, so the header ends one byte before the end of `segment_data_size`. Some readers use
    /// `segment_data_size`, and other readers assume a data size of 0. Only readers that use `segment_data_size` detect
    /// truncated data.
    either "pte/header/length-31": "header length 31" about rules::EH_LENGTH_DATA_SIZE,
        from "pte/valid/constants" => |file| file.header("length", 31_u32);

    /// The header length exceeds the size of the FlatBuffer that contains the header. A reader that ignores the length
    /// is not affected. A reader that skips as many bytes as the length states reads outside the file.
    either "pte/header/length-past-flatbuffer": "header length 2^32 − 1" about rules::EH_LENGTH_BOUNDED,
        from "pte/valid/constants" => |file| file.header("length", u32::MAX);

    /// `program_size` is 0, although a program has at least a root offset and an identifier. If a reader checks only
    /// the upper limit of the size, it can load 0 bytes and dereference a null pointer.
    reject "pte/header/program-size-0": "program_size 0" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 0_u64);

    /// `program_size` is 7, but the root offset and the identifier alone need 8 bytes. If a reader subtracts 8 from the
    /// size without a check, the result wraps to almost 2^64.
    reject "pte/header/program-size-7": "program_size 7" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 7_u64);

    /// `program_size` is 8, so the program ends after the identifier, and the header lies outside the program. A reader
    /// that requires only 8 bytes, the minimum size of a headerless program, accepts the file.
    reject "pte/header/program-size-8": "program_size 8" breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 8_u64);

    /// `program_size` is 31, one byte less than the end of a 24-byte header. The highest byte of `segment_base_offset`
    /// is therefore outside the program.
    reject "pte/header/program-size-31": "program_size 31" breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 31_u64);

    /// `program_size` is 32, so the program ends directly after a 24-byte header. The root table lies after the
    /// program's end. A reader that compares the size only with the header's length accepts the file.
    reject "pte/header/program-size-32": "program_size 32" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 32_u64);

    /// `program_size` is 16, so the program ends inside its header, directly in front of the field `program_size`. A
    /// writer that does not count the header produces this size. A reader that requires only 8 bytes accepts the size.
    reject "pte/header/program-size-16": "program_size 16, inside the header"
        breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 16_u64);

    /// `program_size` is one byte larger than the file. A reader must compare the size with the file's size. A reader
    /// cannot rely on its loader, because some loaders silently return fewer bytes than requested.
    reject "pte/header/program-size-past-file": "program_size one byte past the file"
        breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", file.len() as u64 + 1);

    /// `program_size` is too large by 2^32. A reader that truncates the size to 32 bits gets the correct value, 744,
    /// and accepts the file.
    reject "pte/header/program-size-wraps-32-bits": "program_size too large by 2^32"
        breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", file.u64_at(16) as u64 + (1 << 32));

    /// `program_size` is 2^64 − 1. As a signed integer, the size is −1 and passes a comparison with the file's size. If
    /// a reader rounds the size up to an alignment, the result wraps to 0.
    reject "pte/header/program-size-max": "program_size 2^64 − 1" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", u64::MAX);

    /// According to `program_size`, the program ends inside the method name. The file contains the rest of the name. A
    /// verifier must compare the name's end with the program's end. A reader without a verifier reads past the program.
    reject "pte/header/program-size-short": "program_size ends inside the last string"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS, from "pte/valid/constants" => |file| {
            let name = file.at("execution_plan[0].name", PartKind::Elements);
            file.header("program_size", name as u64 + 3);
        };

    /// `program_size` should include only the program, but it also includes the gap between the program and the
    /// segments. The gap contains hidden bytes. Readers load the hidden bytes, and a check for zeros after the program
    /// does not find the hidden bytes.
    either "pte/header/program-size-covers-gap": "program_size that includes the gap before the segments"
        about rules::EH_PROGRAM_SIZE_EXACT,
        from "pte/header/gap-not-zero" => |file| file.header("program_size", file.u64_at(24) as u64);

    /// `segment_base_offset` is 0, which means that the file has no segment data, but a segment has 16 bytes. A reader
    /// that adds segment base 0 to the segment's offset returns the file's first bytes as the constant.
    reject "pte/header/base-0": "segment_base_offset 0 and a nonempty segment" breaks rules::EH_BASE_ZERO_IFF_NONE,
        from "pte/valid/header-24" => |file| file.header("segment_base_offset", 0_u64);

    /// `segment_base_offset` is 0, but the header declares 16 bytes of data. A reader must check that the segment base
    /// is after the program. The sum of segment base and data size is 16, so a reader that checks only the upper limit
    /// accepts the file.
    reject "pte/header/base-0-with-data-size": "segment_base_offset 0 and segment_data_size 16"
        breaks rules::EH_BASE_ZERO_IFF_NONE,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", 0_u64);

    /// The segment base is too large by 2^32, so it lies outside the file. A reader that truncates the segment base to
    /// 32 bits gets the correct value, 768, and accepts the file.
    reject "pte/header/base-wraps-32-bits": "segment_base_offset too large by 2^32" breaks rules::EH_BASE_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", file.u64_at(24) as u64 + (1 << 32));

    /// `segment_data_size` is too large by 2^32. In 32-bit arithmetic, the segment base plus the data size equals the
    /// file's size, so a check for truncated data passes.
    reject "pte/header/data-size-wraps-32-bits": "segment_data_size too large by 2^32" breaks rules::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 16_u64 + (1 << 32));

    /// The header length is 2^32 − 8. The header's end, 8 plus the length, wraps to 0 in 32-bit arithmetic and passes a
    /// comparison with the program's end. Readers that ignore the length accept the file.
    either "pte/header/length-wraps-32-bits": "header length 2^32 − 8" about rules::EH_LENGTH_BOUNDED,
        from "pte/valid/constants" => |file| file.header("length", 0_u32.wrapping_sub(8));

    /// The segment base is inside the program, so the constant overlaps the root table. A reader must compare the
    /// segment base with `program_size`. In a memory-mapped file, a write to the constant changes tables that the
    /// reader has already verified.
    reject "pte/header/base-inside-program": "segment_base_offset inside the program" breaks rules::EH_BASE_GE_PROGRAM,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", 64_u64);

    /// The segment base is one byte inside the program, so the first constant byte overlaps the NUL terminator of the
    /// method name. A reader that compares the segment base only with the file's size accepts the file.
    reject "pte/header/base-overlaps-by-one-byte": "segment_base_offset one byte inside the program"
        breaks rules::EH_BASE_GE_PROGRAM,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", file.u64_at(16) as u64 - 1);

    /// The segment base is far past the end of the file. A 24-byte header has no data size, so a reader must compare
    /// the segment base with the file's size. If a reader does not check the segment base, it fails late or reads
    /// outside the file.
    reject "pte/header/base-past-file": "segment_base_offset past the file" breaks rules::EH_BASE_LE_FILE,
        from "pte/valid/header-24" => |file| file.header("segment_base_offset", 1_u64 << 50);

    /// The segment base is 2^64 − 1. The sum of segment base and data size wraps to 15, which is inside the file. With
    /// a segment base of 2^64 − 1, the first segment begins one byte before the file.
    reject "pte/header/base-max": "segment_base_offset 2^64 − 1" breaks rules::EH_SUM_NO_OVERFLOW,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", u64::MAX);

    /// `segment_data_size` is so large that the sum of segment base and data size wraps to 16. A reader that compares
    /// only the wrapped sum with the file's size accepts the file, and then accepts segments of any size.
    reject "pte/header/segment-sum-wraps": "base + segment_data_size wraps to a small number"
        breaks rules::EH_SUM_NO_OVERFLOW, from "pte/valid/constants", refs ["pytorch/executorch#18662"]
        => |file| file.header("segment_data_size", 0_u64.wrapping_sub(file.u64_at(24) as u64).wrapping_add(16));

    /// The header declares 17 bytes of data, but the file contains 16. Each segment is inside the file, so only a check
    /// of segment base plus data size detects the missing byte.
    reject "pte/header/data-size-past-file": "segment_data_size one byte past the file" breaks rules::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 17_u64);

    /// `segment_data_size` is 2^64 − 1. The sum of segment base and data size wraps to 767 and passes a comparison with
    /// the file's size. As a signed integer, the data size is −1.
    reject "pte/header/data-size-max": "segment_data_size 2^64 − 1" breaks rules::EH_SUM_NO_OVERFLOW,
        from "pte/valid/constants" => |file| file.header("segment_data_size", u64::MAX);

    /// The header declares a segment base but a data size of 0. Readers accept the file if they cannot distinguish this
    /// data size from the zero padding after a 24-byte header.
    either "pte/header/data-size-0": "segment_data_size 0 with a base" about rules::EH_DSIZE_ZERO,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 0_u64);

    /// The header declares 16 bytes of data but no segment base. A reader that treats segment base 0 as "no data" never
    /// checks the data size. Other readers accept the file, because the sum of segment base and data size, 16, is
    /// inside the file.
    either "pte/header/data-size-without-base": "segment_data_size without a base" about rules::EH_DSIZE_WITHOUT_BASE,
        from "pte/valid/header-without-data" => |file| file.header("segment_data_size", 16_u64);

    /// The header declares more data than the segments contain. The extra bytes belong to no segment, but a segment
    /// that extends into these bytes passes the bounds check.
    either "pte/header/data-size-too-large": "segment_data_size past the last segment" about rules::EH_DSIZE_EXACT,
        from "pte/trailing/page-padding" => |file| file.header("segment_data_size", 64_u64);

    /// The segment base is 8 bytes past a multiple of 16. Segment offsets are relative to the segment base, so all
    /// segments in a memory-mapped file are unaligned. A reader that checks only the alignment of segment offsets does
    /// not detect the unaligned segment base.
    either "pte/header/base-unaligned": "segment_base_offset not a multiple of 16" about rules::EH_BASE_ALIGNED,
        from "pte/valid/constants" => |file| {
            let base = file.u64_at(24);
            file.insert(base, &[0; 8]);
            file.header("segment_base_offset", base as u64 + 8);
        };

    /// The eight padding bytes after a 24-byte header contain text instead of zeros. A reader that ignores the header
    /// length uses these eight bytes as `segment_data_size`.
    either "pte/header/padding-not-zero": "hidden bytes after a 24-byte header" about rules::EH_PADDING_ZERO,
        from "pte/valid/header-24" => |file| file.put(32, b"hidden!!");

    /// Eight bytes before the constant contain text instead of zeros. The text is in no segment, and no size field of
    /// the header includes it. Copies of the file preserve the hidden text, but tools that list segments do not show
    /// it.
    either "pte/header/gap-not-zero": "hidden bytes before the segments" about rules::EH_GAP_ZERO,
        from "pte/valid/constants" => |file| file.put(file.u64_at(24) - 8, b"hidden!!");
}

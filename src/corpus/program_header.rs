//! Cases about a program's identifier and extended header, each field at each bound.

use super::cases;
use crate::annotate::PartKind;
use crate::rules::{flatbuffer, pte_header as rules};

cases! {
    /// The digits of the identifier change with every incompatible format change, so `ET13` is another format. A
    /// reader that compares only the first two letters parses the file as `ET12`.
    reject "pte/identifier/next-version": "identifier ET13" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ET13");

    /// No release ever wrote `ET11`, and its tables are undefined. A reader that accepts every version up to its own
    /// treats the file as an older program.
    reject "pte/identifier/previous-version": "identifier ET11" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ET11");

    /// Without digits, the identifier does not determine the schema. A reader that accepts `ET` and any two characters
    /// treats the file as a program.
    reject "pte/identifier/letters": "identifier ETab" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ETab");

    /// The identifier has the right letters in lower case. A reader that ignores case accepts it.
    reject "pte/identifier/lower-case": "identifier et12" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"et12");

    /// The four bytes are in big-endian order. On a big-endian host, a reader that compares them as a native
    /// integer accepts this file and rejects valid ones.
    reject "pte/identifier/swapped": "identifier 21TE" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"21TE");

    /// The identifier is four zero bytes, as in a FlatBuffer written without an identifier. FlatBuffers verifiers check
    /// the identifier only on request, so a careless reader accepts the file.
    reject "pte/identifier/zeros": "no identifier" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, &[0; 4]);

    /// A four-byte size precedes the program, as in size-prefixed FlatBuffers. Read as a root offset, the size (784) is
    /// just in range. A reader that skips the identifier check treats the last weights as the root table.
    reject "pte/identifier/size-prefix": "size prefix before the root offset" breaks flatbuffer::FB_NOT_SIZE_PREFIXED,
        from "pte/valid/constants" => |file| {
            let len = u32::try_from(file.len()).unwrap_or(0);
            file.insert(0, &len.to_le_bytes());
        };

    /// A ZIP local file header precedes the program, and the file name still ends in `.pte`. A tool that recognizes
    /// archives by their first bytes may open the file as an archive.
    reject "pte/identifier/zip": "ZIP local header before the program" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| {
            let mut head = b"PK\x03\x04\x14\0\0\0\0\0".to_vec();
            head.resize(26, 0);
            head.extend(b"\x09\0\0\0model.pte");
            file.insert(0, &head);
        };

    /// `eh01` announces an unknown header version. A reader that treats `eh01` as no header counts every segment from
    /// byte 0 of the file.
    reject "pte/header/magic-next-version": "header magic eh01" breaks rules::EH_MAGIC_EXACT,
        from "pte/valid/constants" => |file| file.header("magic", b"eh01");

    /// `eh99` is the highest version that two digits can express. A reader that rejects only the next few versions
    /// treats `eh99` as no header and counts segments from byte 0.
    reject "pte/header/magic-last-version": "header magic eh99" breaks rules::EH_MAGIC_EXACT,
        from "pte/valid/constants" => |file| file.header("magic", b"eh99");

    /// `EH00` is not the magic, so the file has no header and its segments have no base. A reader that loads the
    /// segments anyway returns the file's first bytes as the constant.
    reject "pte/header/magic-upper-case": "header magic EH00" breaks rules::EH_HEADERLESS_NO_DATA,
        from "pte/valid/constants" => |file| file.header("magic", b"EH00");

    /// The length is one byte less than that of the shortest header. A reader that then treats the file as headerless
    /// counts segments from byte 0.
    reject "pte/header/length-23": "header length 23" breaks rules::EH_LENGTH_MIN,
        from "pte/valid/constants" => |file| file.header("length", 23_u32);

    /// The length is 0, although it includes the header's magic and length field. A reader that checks only an upper
    /// bound uses fields that the header does not contain.
    reject "pte/header/length-0": "header length 0" breaks rules::EH_LENGTH_MIN,
        from "pte/valid/constants" => |file| file.header("length", 0_u32);

    /// The header ends one byte before the end of `segment_data_size`. Some readers use the field, and others assume 0.
    /// Only readers that use the field detect truncated data.
    either "pte/header/length-31": "header length 31" about rules::EH_LENGTH_DATA_SIZE,
        from "pte/valid/constants" => |file| file.header("length", 31_u32);

    /// The header claims more bytes than precede the rest of the FlatBuffer. A reader that uses the length to skip the
    /// header reads outside the file.
    either "pte/header/length-past-flatbuffer": "header length 2^32 − 1" about rules::EH_LENGTH_BOUNDED,
        from "pte/valid/constants" => |file| file.header("length", u32::MAX);

    /// A check of only the upper bound accepts 0. A loader may return a null pointer for 0 bytes, and the reader then
    /// dereferences this pointer to get the root offset.
    reject "pte/header/program-size-0": "program_size 0" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 0_u64);

    /// The size is one byte less than the root offset and identifier need. A reader that subtracts these 8 bytes
    /// without a check wraps below 0.
    reject "pte/header/program-size-7": "program_size 7" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 7_u64);

    /// The program ends after the identifier, so its header lies outside the program. A reader that applies only the
    /// minimum for headerless files accepts the file.
    reject "pte/header/program-size-8": "program_size 8" breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 8_u64);

    /// The program ends one byte before the end of a 24-byte header. The highest byte of `segment_base_offset` is
    /// then outside the program.
    reject "pte/header/program-size-31": "program_size 31" breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 31_u64);

    /// The program ends where a 24-byte header ends, and the root table lies after the end. A reader that compares the
    /// size only with the header accepts it.
    reject "pte/header/program-size-32": "program_size 32" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 32_u64);

    /// The size covers the root offset and identifier, so a check for 8 bytes passes. The program would end inside
    /// its header, just before this field. A writer that forgets to count the header produces such sizes.
    reject "pte/header/program-size-16": "program_size 16, inside the header"
        breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 16_u64);

    /// The size is one byte larger than the file. A loader that gets this size fails or silently returns one byte less.
    /// A reader that clamps the size detects nothing, because the FlatBuffer ends earlier.
    reject "pte/header/program-size-past-file": "program_size one past the file" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", file.len() as u64 + 1);

    /// The size is the right one, 744, plus 2^32. A reader that stores the size in 32 bits truncates it to 744 and
    /// accepts the file.
    reject "pte/header/program-size-wraps-32-bits": "program_size 2^32 too large" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", file.u64_at(16) as u64 + (1 << 32));

    /// As a signed integer, the size is −1, which is below the file size. Rounded up to an alignment, the size wraps to
    /// 0, which is also below the file size.
    reject "pte/header/program-size-max": "program_size 2^64 − 1" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", u64::MAX);

    /// The program ends inside the method name, but the bytes exist in the file. A reader without a verifier trusts
    /// the name's length and reads past the program.
    reject "pte/header/program-size-short": "program_size cuts the last string" breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| {
            let name = file.at("execution_plan[0].name", PartKind::Elements);
            file.header("program_size", name as u64 + 3);
        };

    /// The program includes the gap before the segments and the bytes hidden there. The reader loads them into memory,
    /// and a check for zeros in the gap no longer covers the hidden bytes.
    either "pte/header/program-size-covers-gap": "program_size reaches to the segments"
        about rules::EH_PROGRAM_SIZE_EXACT,
        from "pte/header/gap-not-zero" => |file| file.header("program_size", file.u64_at(24) as u64);

    /// A base of 0 means no segment data, and a 24-byte header has no data size that contradicts it. A reader that
    /// adds the base anyway returns the file's first 16 bytes as the constant.
    reject "pte/header/base-0": "segment_base_offset 0 and a segment with bytes" breaks rules::EH_BASE_ZERO_IFF_NONE,
        from "pte/valid/header-24" => |file| file.header("segment_base_offset", 0_u64);

    /// The sum of base and size is 16, so every upper bound passes; only a lower bound fails. A reader without a lower
    /// bound takes the constant from the first 16 bytes.
    reject "pte/header/base-0-with-data-size": "segment_base_offset 0 and segment_data_size 16"
        breaks rules::EH_BASE_ZERO_IFF_NONE,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", 0_u64);

    /// The base is the right one, 768, plus 2^32. A reader that stores the base in 32 bits truncates it to 768 and
    /// finds every segment.
    reject "pte/header/base-wraps-32-bits": "segment_base_offset 2^32 too large" breaks rules::EH_BASE_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", file.u64_at(24) as u64 + (1 << 32));

    /// The size is the right one, 16, plus 2^32. In 32 bits, base plus size equals the file length, so the check
    /// for truncation passes.
    reject "pte/header/data-size-wraps-32-bits": "segment_data_size 2^32 too large" breaks rules::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 16_u64 + (1 << 32));

    /// The header ends at 8 + length, which wraps to 0 in 32 bits. A comparison with the program's end passes, and a
    /// reader that skips the header goes back to byte 0.
    either "pte/header/length-wraps-32-bits": "header length 2^32 − 8" about rules::EH_LENGTH_BOUNDED,
        from "pte/valid/constants" => |file| file.header("length", 0_u32.wrapping_sub(8));

    /// The constant's bytes overlap four offsets in the root table, among them the offset to the methods. In a mapped
    /// file, a write to the constant changes the program after verification.
    reject "pte/header/base-inside-program": "segment_base_offset inside the program" breaks rules::EH_BASE_GE_PROGRAM,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", 64_u64);

    /// The data overlaps the NUL terminator of the method name. A write to the first weight removes the terminator. A
    /// reader that compares the base only with the file's size accepts the file.
    reject "pte/header/base-overlaps-by-one-byte": "segment_base_offset one byte inside the program"
        breaks rules::EH_BASE_GE_PROGRAM,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", file.u64_at(16) as u64 - 1);

    /// A 24-byte header has no data size, so a reader that checks only base + size never checks the base. The file
    /// opens, and each segment load fails or reads outside the file.
    reject "pte/header/base-past-file": "segment_base_offset past the file" breaks rules::EH_BASE_LE_FILE,
        from "pte/valid/header-24" => |file| file.header("segment_base_offset", 1_u64 << 50);

    /// With 16 bytes of data the sum wraps to 15, inside the file. The first segment then begins one byte before
    /// the file.
    reject "pte/header/base-max": "segment_base_offset 2^64 − 1" breaks rules::EH_SUM_NO_OVERFLOW,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", u64::MAX);

    /// The size is 2^64 + 16 minus the base, so the sum wraps to 16 and every comparison with the file size passes. A
    /// reader that then compares segments with this size accepts any segment.
    reject "pte/header/segment-sum-wraps": "base + segment_data_size wraps to a small number"
        breaks rules::EH_SUM_NO_OVERFLOW, from "pte/valid/constants", refs ["pytorch/executorch#18662"] => |file| {
            let size = 0_u64.wrapping_sub(file.u64_at(24) as u64).wrapping_add(16);
            file.header("segment_data_size", size);
        };

    /// The header counts 17 bytes and the segment has 16 bytes, so no segment is short. Only the sum of base and size
    /// shows that a byte is missing.
    reject "pte/header/data-size-past-file": "segment_data_size one past the file" breaks rules::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 17_u64);

    /// The sum wraps to 767, one byte before the base, and a comparison with the file size passes. As a signed integer,
    /// the size is −1.
    reject "pte/header/data-size-max": "segment_data_size 2^64 − 1" breaks rules::EH_SUM_NO_OVERFLOW,
        from "pte/valid/constants" => |file| file.header("segment_data_size", u64::MAX);

    /// The header declares a base but no data. The padding of a 24-byte header looks the same to a reader that
    /// expects 32 bytes.
    either "pte/header/data-size-0": "segment_data_size 0 with a base" about rules::EH_DSIZE_ZERO,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 0_u64);

    /// The header declares 16 bytes of data but no base. A reader that treats base 0 as no data never checks the
    /// size. A reader that adds both gets 16, which is inside any file.
    either "pte/header/data-size-without-base": "segment_data_size without a base" about rules::EH_DSIZE_WITHOUT_BASE,
        from "pte/valid/header-without-data" => |file| file.header("segment_data_size", 16_u64);

    /// The header counts more data than the segments contain. The extra bytes belong to no segment, but a reader may
    /// return them.
    either "pte/header/data-size-too-large": "segment_data_size past the last segment" about rules::EH_DSIZE_EXACT,
        from "pte/trailing/page-padding" => |file| file.header("segment_data_size", 64_u64);

    /// Segment offsets are aligned relative to the base, and the base is 8 bytes off a multiple of 16. A reader that
    /// checks only offsets returns unaligned addresses from a mapped file.
    either "pte/header/base-unaligned": "segment_base_offset not a multiple of 16" about rules::EH_BASE_ALIGNED,
        from "pte/valid/constants" => |file| {
            let base = file.u64_at(24);
            file.insert(base, &[0; 8]);
            file.header("segment_base_offset", base as u64 + 8);
        };

    /// The eight bytes after a 24-byte header are padding, but contain text. A reader that ignores the length takes
    /// the text for `segment_data_size`.
    either "pte/header/padding-not-zero": "hidden bytes after a 24-byte header" about rules::EH_PADDING_ZERO,
        from "pte/valid/header-24" => |file| file.put(32, b"hidden!!");

    /// Eight bytes directly before the constant belong to no segment, and no header field counts them. Every copy of
    /// the file keeps the bytes, and tools that list the file's parts omit them.
    either "pte/header/gap-not-zero": "hidden bytes before the segments" about rules::EH_GAP_ZERO,
        from "pte/valid/constants" => |file| file.put(file.u64_at(24) - 8, b"hidden!!");
}

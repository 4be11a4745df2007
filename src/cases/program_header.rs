//! A program's identifier and extended header, each field at each of its bounds.

use super::cases;
use crate::annotate::What;
use crate::rules::{envelope, pte_header as rules};

cases! {
    /// The identifier's digits change with every incompatible change, so `ET13` is another format. A reader that
    /// looks at the first two letters only reads it as this one.
    reject "pte/identifier/next-version": "identifier ET13" breaks envelope::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ET13");

    /// The version before: no release ever wrote it, and nothing says that it is compatible.
    reject "pte/identifier/previous-version": "identifier ET11" breaks envelope::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ET11");

    /// Letters where the digits are.
    reject "pte/identifier/letters": "identifier ETab" breaks envelope::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ETab");

    /// Lower case.
    reject "pte/identifier/lower-case": "identifier et12" breaks envelope::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"et12");

    /// The four bytes in the order of a big-endian word.
    reject "pte/identifier/swapped": "identifier 21TE" breaks envelope::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"21TE");

    /// Four zero bytes: a FlatBuffer written without an identifier. Verifiers have to be told to ask
    /// for one.
    reject "pte/identifier/zeros": "no identifier" breaks envelope::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, &[0; 4]);

    /// A size prefix in front moves everything by four bytes, as FlatBuffers that are sent over a wire have it.
    reject "pte/identifier/size-prefix": "a size prefix in front" breaks envelope::FB_NOT_SIZE_PREFIXED,
        from "pte/valid/constants" => |file| {
            let len = u32::try_from(file.len()).unwrap_or(0);
            file.insert(0, &len.to_le_bytes());
        };

    /// A ZIP archive with the program behind its first bytes, named as a program: models are kept in such archives too, and a
    /// tool may open it as one.
    reject "pte/identifier/zip": "the head of a ZIP archive in front" breaks envelope::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| {
            let mut head = b"PK\x03\x04\x14\0\0\0\0\0".to_vec();
            head.resize(26, 0);
            head.extend(b"\x09\0\0\0model.pte");
            file.insert(0, &head);
        };

    /// `eh01` announces a header of a kind that did not exist when the reader was written. Readers that take it for no header
    /// at all count every segment from byte 0 of the file.
    reject "pte/header/magic-next-version": "header magic eh01" breaks rules::EH_MAGIC_EXACT,
        from "pte/valid/constants" => |file| file.header("magic", b"eh01");

    /// The last version that two digits can say.
    reject "pte/header/magic-last-version": "header magic eh99" breaks rules::EH_MAGIC_EXACT,
        from "pte/valid/constants" => |file| file.header("magic", b"eh99");

    /// Upper case is no header's magic: the file has no header, so its segments have no place.
    reject "pte/header/magic-upper-case": "header magic EH00" breaks rules::EH_HEADERLESS_NO_DATA,
        from "pte/valid/constants" => |file| file.header("magic", b"EH00");

    /// One byte less than the shortest header. A reader that then takes the file for one without a header counts its segments
    /// from the wrong place.
    reject "pte/header/length-23": "header length 23" breaks rules::EH_LENGTH_MIN,
        from "pte/valid/constants" => |file| file.header("length", 23_u32);

    /// A header of no bytes, though its length counts its own magic and itself.
    reject "pte/header/length-0": "header length 0" breaks rules::EH_LENGTH_MIN,
        from "pte/valid/constants" => |file| file.header("length", 0_u32);

    /// From 25 to 31 readers disagree whether the eight bytes of `segment_data_size` are there.
    either "pte/header/length-31": "header length 31" about rules::EH_LENGTH_DATA_SIZE,
        from "pte/valid/constants" => |file| file.header("length", 31_u32);

    /// A header that claims more bytes than there are before the FlatBuffer goes on. A reader that steps over it by its length
    /// steps out of the file.
    either "pte/header/length-past-flatbuffer": "header length 2^32 − 1" about rules::EH_LENGTH_BOUNDED,
        from "pte/valid/constants" => |file| file.header("length", u32::MAX);

    /// A program of no bytes: the reader verifies and reads an empty buffer.
    reject "pte/header/program-size-0": "program_size 0" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 0_u64);

    /// One byte less than root offset and identifier.
    reject "pte/header/program-size-7": "program_size 7" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 7_u64);

    /// The program would end inside its header: the size was counted without it.
    reject "pte/header/program-size-16": "program_size 16, inside the header"
        breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 16_u64);

    /// One byte more than the file has.
    reject "pte/header/program-size-past-file": "program_size one past the file" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| {
            let size = file.len() as u64 + 1;
            file.header("program_size", size);
        };

    /// The right size and 2^32: a reader that keeps it in 32 bits cuts it to the size that fits.
    reject "pte/header/program-size-wraps-32-bits": "program_size 2^32 too large" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| {
            let size = file.u64_at(16) as u64 + (1 << 32);
            file.header("program_size", size);
        };

    /// The largest number there is.
    reject "pte/header/program-size-max": "program_size 2^64 − 1" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", u64::MAX);

    /// The program ends inside its last string, though the bytes are still inside the file. Readers that do not verify go by the
    /// string's own length.
    reject "pte/header/program-size-short": "program_size cuts the last string" breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| {
            let name = file.at("execution_plan[0].name", What::Elements);
            file.header("program_size", name as u64 + 3);
        };

    /// The program counts the segments as its own.
    either "pte/header/program-size-covers-gap": "program_size reaches to the segments" about rules::EH_PROGRAM_SIZE_EXACT,
        from "pte/header/gap-not-zero" => |file| {
            let base = file.u64_at(24) as u64;
            file.header("program_size", base);
        };

    /// Segments begin at byte 0: inside the header and the program. Constants are then read from the program's own bytes.
    reject "pte/header/base-0": "segment_base_offset 0 and a segment with bytes" breaks rules::EH_BASE_ZERO_IFF_NONE,
        from "pte/valid/header-24" => |file| file.header("segment_base_offset", 0_u64);

    /// The same with a header that says how much data there is.
    reject "pte/header/base-0-with-data-size": "segment_base_offset 0 and segment_data_size 16"
        breaks rules::EH_BASE_ZERO_IFF_NONE,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", 0_u64);

    /// The right base and 2^32: a reader that keeps it in 32 bits cuts it to the right one.
    reject "pte/header/base-wraps-32-bits": "segment_base_offset 2^32 too large" breaks rules::EH_BASE_LE_FILE,
        from "pte/valid/constants" => |file| {
            let base = file.u64_at(24) as u64 + (1 << 32);
            file.header("segment_base_offset", base);
        };

    /// The right size and 2^32.
    reject "pte/header/data-size-wraps-32-bits": "segment_data_size 2^32 too large" breaks rules::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 16_u64 + (1 << 32));

    /// Eight more than the length, the header's end, wraps to 0 in 32 bits.
    either "pte/header/length-wraps-32-bits": "header length 2^32 − 8" about rules::EH_LENGTH_BOUNDED,
        from "pte/valid/constants" => |file| file.header("length", 0_u32.wrapping_sub(8));

    /// Segments begin inside the program.
    reject "pte/header/base-inside-program": "segment_base_offset inside the program" breaks rules::EH_BASE_GE_PROGRAM,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", 64_u64);

    /// Segments begin one byte before the program ends.
    reject "pte/header/base-overlaps-by-one-byte": "segment_base_offset one byte inside the program"
        breaks rules::EH_BASE_GE_PROGRAM,
        from "pte/valid/constants" => |file| {
            let size = file.u64_at(16) as u64 - 1;
            file.header("segment_base_offset", size);
        };

    /// Segments begin behind the file's end. With a 24-byte header nothing says how much data there is, and readers do not look.
    reject "pte/header/base-past-file": "segment_base_offset past the file" breaks rules::EH_BASE_LE_FILE,
        from "pte/valid/header-24" => |file| file.header("segment_base_offset", 1_u64 << 50);

    /// The base is the largest number there is: with any data behind it the sum wraps.
    reject "pte/header/base-max": "segment_base_offset 2^64 − 1" breaks rules::EH_SUM_NO_OVERFLOW,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", u64::MAX);

    /// Base and size wrap to a small number, which is inside the file.
    reject "pte/header/segment-sum-wraps": "base + segment_data_size wraps to a small number"
        breaks rules::EH_SUM_NO_OVERFLOW, from "pte/valid/constants", refs ["pytorch/executorch#18662"] => |file| {
            let size = 0_u64.wrapping_sub(file.u64_at(24) as u64).wrapping_add(16);
            file.header("segment_data_size", size);
        };

    /// One byte more of data than the file has.
    reject "pte/header/data-size-past-file": "segment_data_size one past the file" breaks rules::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 17_u64);

    /// Minus one, as a signed reader would say.
    reject "pte/header/data-size-max": "segment_data_size 2^64 − 1" breaks rules::EH_SUM_NO_OVERFLOW,
        from "pte/valid/constants" => |file| file.header("segment_data_size", u64::MAX);

    /// No data by the header, and a base: what an older header's padding looks like under a newer header's length.
    either "pte/header/data-size-0": "segment_data_size 0 with a base" about rules::EH_DSIZE_ZERO,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 0_u64);

    /// Data by the header, and no base.
    either "pte/header/data-size-without-base": "segment_data_size without a base" about rules::EH_DSIZE_WITHOUT_BASE,
        from "pte/valid/header-without-data" => |file| file.header("segment_data_size", 16_u64);

    /// More data by the header than the segments have: bytes that no segment owns, and that a reader may hand out.
    either "pte/header/data-size-too-large": "segment_data_size past the last segment" about rules::EH_DSIZE_EXACT,
        from "pte/trailing/page-padding" => |file| file.header("segment_data_size", 64_u64);

    /// Segments at a place that suits no tensor, however well they are aligned from there.
    either "pte/header/base-unaligned": "segment_base_offset not a multiple of 16" about rules::EH_BASE_ALIGNED,
        from "pte/valid/constants" => |file| {
            let base = file.u64_at(24);
            file.insert(base, &[0; 8]);
            file.header("segment_base_offset", base as u64 + 8);
        };

    /// Something stands in the padding behind the header, where nobody looks.
    either "pte/header/padding-not-zero": "bytes hidden behind a 24-byte header" about rules::EH_PADDING_ZERO,
        from "pte/valid/header-24" => |file| file.put(32, b"hidden!!");

    /// Something stands between the program and its segments, where nobody looks.
    either "pte/header/gap-not-zero": "bytes hidden before the segments" about rules::EH_GAP_ZERO,
        from "pte/valid/constants" => |file| {
            let gap = file.u64_at(24) - 8;
            file.put(gap, b"hidden!!");
        };
}

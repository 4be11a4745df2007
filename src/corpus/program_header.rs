//! Cases about a program's identifier and extended header, with each header field at the limits of its range.

use super::cases;
use super::defects::size_prefix;
use crate::annotate::PartKind;
use crate::rules::{flatbuffer, pte_header as rules};

cases! {
    /// Another number means an incompatible format, so only `ET12` is a program. A reader that compares the first two
    /// letters misreads the tables.
    reject "pte/identifier/next-version": "identifier ET13" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ET13");

    /// No release ever wrote `ET11`, so its tables are undefined. A reader that accepts every number up to 12 treats it
    /// as an older program.
    reject "pte/identifier/previous-version": "identifier ET11" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ET11");

    /// Letters instead of digits do not name a schema. A reader that accepts `ET` and any two characters misreads the
    /// file.
    reject "pte/identifier/letters": "identifier ETab" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ETab");

    /// The bytes must match exactly, but a case-insensitive comparison accepts these.
    reject "pte/identifier/lower-case": "identifier et12" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"et12");

    /// A reader that compares the identifier as a native integer accepts this file on a big-endian host, and rejects
    /// valid ones there.
    reject "pte/identifier/swapped": "identifier 21TE, in reverse byte order" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"21TE");

    /// FlatBuffers can be written without an identifier, which verifiers check only on request, so the reader has to.
    reject "pte/identifier/zeros": "no identifier" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, &[0; 4]);

    /// As in size-prefixed FlatBuffers, every field begins four bytes late. Without the identifier check, the size,
    /// 784, becomes the root offset.
    reject "pte/identifier/size-prefix": "size prefix before the root offset" breaks flatbuffer::FB_NOT_SIZE_PREFIXED,
        from "pte/valid/constants" => size_prefix;

    /// The name may still end in `.pte`, but there is no identifier at byte 4, so tools that go by the first bytes see
    /// an archive.
    reject "pte/identifier/zip": "ZIP local file header before the program" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| {
            let mut head = b"PK\x03\x04\x14\0\0\0\0\0".to_vec();
            head.resize(26, 0);
            head.extend(b"\x09\0\0\0model.pte");
            file.insert(0, &head);
        };

    /// The header has an unknown version. A reader that treats the file as headerless resolves all segments from byte
    /// 0.
    reject "pte/header/magic-next-version": "header magic eh01" breaks rules::EH_MAGIC_EXACT,
        from "pte/valid/constants" => |file| file.header("magic", b"eh01");

    /// `eh99` is the highest version that two digits can express, and just as unknown as `eh01`. If the file is treated
    /// as headerless, its segments begin at byte 0.
    reject "pte/header/magic-last-version": "header magic eh99" breaks rules::EH_MAGIC_EXACT,
        from "pte/valid/constants" => |file| file.header("magic", b"eh99");

    /// An upper-case magic does not count, so the file is headerless and has no segment base. With base 0, its first
    /// bytes become the constant.
    reject "pte/header/magic-upper-case": "header magic EH00" breaks rules::EH_HEADERLESS_NO_DATA,
        from "pte/valid/constants" => |file| file.header("magic", b"EH00");

    /// The length is one byte short of the shortest header. A reader that falls back to a headerless file resolves
    /// segments from byte 0.
    reject "pte/header/length-23": "header length 23" breaks rules::EH_LENGTH_MIN,
        from "pte/valid/constants" => |file| file.header("length", 23_u32);

    /// A valid length includes the magic and the length itself. A reader that checks only the upper limit uses fields
    /// outside the header.
    reject "pte/header/length-0": "header length 0" breaks rules::EH_LENGTH_MIN,
        from "pte/valid/constants" => |file| file.header("length", 0_u32);

    /// One byte of `segment_data_size` is missing. Some readers still use the field and notice truncated data; others
    /// assume 0.
    either "pte/header/length-31": "header length 31" about rules::EH_LENGTH_DATA_SIZE,
        from "pte/valid/constants" => |file| file.header("length", 31_u32);

    /// Readers that ignore the length do not notice, but one that skips that many bytes reads outside the file.
    either "pte/header/length-past-flatbuffer": "header length 2^32 − 1" about rules::EH_LENGTH_BOUNDED,
        from "pte/valid/constants" => |file| file.header("length", u32::MAX);

    /// A program has at least a root offset and an identifier. A reader that checks only the upper limit loads 0 bytes
    /// and can dereference null.
    reject "pte/header/program-size-0": "program_size 0" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 0_u64);

    /// The root offset and the identifier alone need 8 bytes. Subtracting 8 without a check gives almost 2^64.
    reject "pte/header/program-size-7": "program_size 7" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 7_u64);

    /// The program ends after the identifier, so its header is outside. 8 bytes are the minimum for a headerless
    /// program, so a reader with only that limit accepts the size.
    reject "pte/header/program-size-8": "program_size 8" breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 8_u64);

    /// A 24-byte header ends at byte 32, so the last byte of `segment_base_offset` is outside the program.
    reject "pte/header/program-size-31": "program_size 31" breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 31_u64);

    /// The program ends right after a 24-byte header, before its root table. A reader that compares the size only with
    /// the header accepts the file.
    reject "pte/header/program-size-32": "program_size 32" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 32_u64);

    /// The program ends before the very field that contains its size, as if a writer had not counted the header. A
    /// reader that requires only 8 bytes accepts it.
    reject "pte/header/program-size-16": "program_size 16, inside the header"
        breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 16_u64);

    /// The reader itself has to compare the two sizes, because some loaders silently return fewer bytes than requested.
    reject "pte/header/program-size-past-file": "program_size one byte past the file"
        breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", file.len() as u64 + 1);

    /// Truncated to 32 bits, the size is 744, the correct value.
    reject "pte/header/program-size-wraps-32-bits": "program_size too large by 2^32"
        breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", file.u64_at(16) as u64 + (1 << 32));

    /// As a signed integer, the size is −1 and passes the comparison with the file's. Rounded up to an alignment, it
    /// wraps to 0.
    reject "pte/header/program-size-max": "program_size 2^64 − 1" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", u64::MAX);

    /// The program ends inside the method name, but the rest of the name is in the file. A verifier has to compare with
    /// the program's end, not the file's.
    reject "pte/header/program-size-short": "program_size ends inside the last string"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS, from "pte/valid/constants" => |file| {
            let name = file.at("execution_plan[0].name", PartKind::Elements);
            file.header("program_size", name as u64 + 3);
        };

    /// The gap before the segments contains hidden bytes, which count as part of the program. They are loaded, and a
    /// check for zeros after the program misses them.
    either "pte/header/program-size-covers-gap": "program_size that includes the gap before the segments"
        about rules::EH_PROGRAM_SIZE_EXACT,
        from "pte/header/gap-not-zero" => |file| file.header("program_size", file.u64_at(24) as u64);

    /// Base 0 means no segment data, but there is a 16-byte segment. Resolved from byte 0, the constant consists of the
    /// file's first bytes.
    reject "pte/header/base-0": "segment_base_offset 0 and a nonempty segment" breaks rules::EH_BASE_ZERO_IFF_NONE,
        from "pte/valid/header-24" => |file| file.header("segment_base_offset", 0_u64);

    /// The base plus the size is 16, which is below the upper limit. A reader must also check that the base is after
    /// the program.
    reject "pte/header/base-0-with-data-size": "segment_base_offset 0 and segment_data_size 16"
        breaks rules::EH_BASE_ZERO_IFF_NONE,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", 0_u64);

    /// Truncated to 32 bits, the base is 768, the correct value.
    reject "pte/header/base-wraps-32-bits": "segment_base_offset too large by 2^32" breaks rules::EH_BASE_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", file.u64_at(24) as u64 + (1 << 32));

    /// In 32-bit arithmetic, the base plus the size is the file's size, so the check for truncated data passes.
    reject "pte/header/data-size-wraps-32-bits": "segment_data_size too large by 2^32" breaks rules::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 16_u64 + (1 << 32));

    /// In 32 bits, 8 plus this length wraps to 0, which passes a comparison with the program's end. Readers that ignore
    /// the length accept the file.
    either "pte/header/length-wraps-32-bits": "header length 2^32 − 8" about rules::EH_LENGTH_BOUNDED,
        from "pte/valid/constants" => |file| file.header("length", 0_u32.wrapping_sub(8));

    /// The constant overlaps the root table. In a mapped file, writing to it changes tables that have already been
    /// verified.
    reject "pte/header/base-inside-program": "segment_base_offset inside the program" breaks rules::EH_BASE_GE_PROGRAM,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", 64_u64);

    /// The constant's first byte is the method name's NUL. A reader that compares the base only with the file's size
    /// accepts it.
    reject "pte/header/base-overlaps-by-one-byte": "segment_base_offset one byte inside the program"
        breaks rules::EH_BASE_GE_PROGRAM,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", file.u64_at(16) as u64 - 1);

    /// A 24-byte header has no data size, so the base itself has to be compared with the file's size, or a look-up
    /// fails late or reads outside.
    reject "pte/header/base-past-file": "segment_base_offset past the file" breaks rules::EH_BASE_LE_FILE,
        from "pte/valid/header-24" => |file| file.header("segment_base_offset", 1_u64 << 50);

    /// The base plus the size wraps to 15, inside the file, but the first segment begins one byte before the file
    /// starts.
    reject "pte/header/base-max": "segment_base_offset 2^64 − 1" breaks rules::EH_SUM_NO_OVERFLOW,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", u64::MAX);

    /// The sum wraps to 16, which passes the comparison with the file's size, and then segments of any size pass too.
    reject "pte/header/segment-sum-wraps": "base + segment_data_size wraps to a small number"
        breaks rules::EH_SUM_NO_OVERFLOW, from "pte/valid/constants", refs ["pytorch/executorch#18662"]
        => |file| file.header("segment_data_size", 0_u64.wrapping_sub(file.u64_at(24) as u64).wrapping_add(16));

    /// The header declares 17 bytes of data, but the file has 16. Each segment is inside, so only the base plus the
    /// size reveals the missing byte.
    reject "pte/header/data-size-past-file": "segment_data_size one byte past the file" breaks rules::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 17_u64);

    /// The base plus the size wraps to 767, which is inside the file. As a signed integer, the size is −1.
    reject "pte/header/data-size-max": "segment_data_size 2^64 − 1" breaks rules::EH_SUM_NO_OVERFLOW,
        from "pte/valid/constants" => |file| file.header("segment_data_size", u64::MAX);

    /// A reader that cannot tell this 0 from the padding after a 24-byte header accepts the file, and does not notice
    /// truncated data.
    either "pte/header/data-size-0": "segment_data_size 0 with a base" about rules::EH_DSIZE_ZERO,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 0_u64);

    /// Readers for which base 0 means "no data" never look at the size. For others, the sum, 16, is inside the file.
    either "pte/header/data-size-without-base": "segment_data_size without a base" about rules::EH_DSIZE_WITHOUT_BASE,
        from "pte/valid/header-without-data" => |file| file.header("segment_data_size", 16_u64);

    /// The extra bytes belong to no segment, but a segment that reaches into them passes the bounds check.
    either "pte/header/data-size-too-large": "segment_data_size past the last segment" about rules::EH_DSIZE_EXACT,
        from "pte/trailing/page-padding" => |file| file.header("segment_data_size", 64_u64);

    /// The base is 8 bytes past a multiple of 16, so every segment in a mapped file is misaligned, although their
    /// offsets look aligned.
    either "pte/header/base-unaligned": "segment_base_offset not a multiple of 16" about rules::EH_BASE_ALIGNED,
        from "pte/valid/constants" => |file| {
            let base = file.u64_at(24);
            file.insert(base, &[0; 8]);
            file.header("segment_base_offset", base as u64 + 8);
        };

    /// The eight padding bytes after a 24-byte header are text. A reader that ignores the length mistakes them for
    /// `segment_data_size`.
    either "pte/header/padding-not-zero": "hidden bytes after a 24-byte header" about rules::EH_PADDING_ZERO,
        from "pte/valid/header-24" => |file| file.put(32, b"hidden!!");

    /// Eight bytes of text belong to no segment, and no size counts them. Copies keep them, but tools that list
    /// segments do not show them.
    either "pte/header/gap-not-zero": "hidden bytes before the segments" about rules::EH_GAP_ZERO,
        from "pte/valid/constants" => |file| file.put(file.u64_at(24) - 8, b"hidden!!");
}

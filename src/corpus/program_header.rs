//! Cases about a program's identifier and extended header, with each header field at the limits of its range.

use super::cases;
use super::defects::size_prefix;
use crate::annotate::PartKind;
use crate::rules::{flatbuffer, pte_header as rules};

cases! {
    /// A different number means an incompatible format, so only `ET12` identifies a program. A reader that compares
    /// only the two letters misreads the tables.
    reject "pte/identifier/next-version": "identifier ET13" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ET13");

    /// No release ever wrote `ET11`, so its tables are undefined. A reader that accepts every number up to 12 takes the
    /// file for an older program.
    reject "pte/identifier/previous-version": "identifier ET11" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ET11");

    /// `ab` is not a version number. A reader that accepts `ET` followed by any two characters misreads the file.
    reject "pte/identifier/letters": "identifier ETab" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ETab");

    /// The identifier must match exactly, but a case-insensitive comparison accepts `et12`.
    reject "pte/identifier/lower-case": "identifier et12" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"et12");

    /// A reader that compares the identifier as a native integer accepts this file on a big-endian host and rejects
    /// valid files there.
    reject "pte/identifier/swapped": "identifier 21TE, in reverse byte order" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"21TE");

    /// FlatBuffers may lack an identifier, and verifiers check it only on request, so the reader itself has to check it.
    reject "pte/identifier/zeros": "no identifier" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, &[0; 4]);

    /// Every field begins four bytes late, as in size-prefixed FlatBuffers. A reader that does not check the identifier
    /// uses the size, 784, as the root offset.
    reject "pte/identifier/size-prefix": "size prefix before the root offset" breaks flatbuffer::FB_NOT_SIZE_PREFIXED,
        from "pte/valid/constants" => size_prefix;

    /// Even if its name ends in `.pte`, the file has no identifier at byte 4, and tools that go by the first bytes take
    /// it for an archive.
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

    /// `eh99`, the highest version that two digits can express, is just as unknown as `eh01`. A reader that treats the
    /// file as headerless uses 0 as the segment base.
    reject "pte/header/magic-last-version": "header magic eh99" breaks rules::EH_MAGIC_EXACT,
        from "pte/valid/constants" => |file| file.header("magic", b"eh99");

    /// An upper-case magic does not count, so the file is headerless and has no segment base. A reader that assumes
    /// base 0 uses the file's first bytes as the constant.
    reject "pte/header/magic-upper-case": "header magic EH00" breaks rules::EH_HEADERLESS_NO_DATA,
        from "pte/valid/constants" => |file| file.header("magic", b"EH00");

    /// The length is one byte short of the shortest header. A reader that falls back to a headerless file resolves
    /// segments from byte 0.
    reject "pte/header/length-23": "header length 23" breaks rules::EH_LENGTH_MIN,
        from "pte/valid/constants" => |file| file.header("length", 23_u32);

    /// The length includes the magic and the length field itself, so it cannot be 0. A reader that checks only the
    /// upper limit uses fields outside the header.
    reject "pte/header/length-0": "header length 0" breaks rules::EH_LENGTH_MIN,
        from "pte/valid/constants" => |file| file.header("length", 0_u32);

    /// The header ends one byte before the end of `segment_data_size`. Some readers still use the field and notice
    /// truncated data; others assume that it is 0.
    either "pte/header/length-31": "header length 31" about rules::EH_LENGTH_DATA_SIZE,
        from "pte/valid/constants" => |file| file.header("length", 31_u32);

    /// Readers that ignore the length do not notice, but a reader that skips this many bytes reads outside the file.
    either "pte/header/length-past-flatbuffer": "header length 2^32 − 1" about rules::EH_LENGTH_BOUNDED,
        from "pte/valid/constants" => |file| file.header("length", u32::MAX);

    /// Every program has at least a root offset and an identifier. A reader that checks only the upper limit loads 0
    /// bytes and can dereference null.
    reject "pte/header/program-size-0": "program_size 0" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 0_u64);

    /// The root offset and the identifier alone need 8 bytes. Subtracting 8 from the size without a check gives almost 2^64.
    reject "pte/header/program-size-7": "program_size 7" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 7_u64);

    /// The program ends right after the identifier, so its header is outside. 8 bytes are the minimum for a headerless
    /// program, and a reader that checks only that minimum accepts the size.
    reject "pte/header/program-size-8": "program_size 8" breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 8_u64);

    /// A 24-byte header ends at byte 32, so the last byte of `segment_base_offset` is outside the program.
    reject "pte/header/program-size-31": "program_size 31" breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 31_u64);

    /// The program ends where the shortest header would end, before its root table. A reader that compares the size
    /// only with the header's end accepts the file.
    reject "pte/header/program-size-32": "program_size 32" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 32_u64);

    /// The program ends right before the field that contains its size, as if a writer had not counted the header. A
    /// reader that requires only 8 bytes accepts this size.
    reject "pte/header/program-size-16": "program_size 16, inside the header"
        breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 16_u64);

    /// Some loaders silently return fewer bytes than requested, so a reader has to compare `program_size` with the file's size.
    reject "pte/header/program-size-past-file": "program_size one byte past the file"
        breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", file.len() as u64 + 1);

    /// Truncated to 32 bits, the size is 744, which happens to be the correct value.
    reject "pte/header/program-size-wraps-32-bits": "program_size too large by 2^32"
        breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", file.u64_at(16) as u64 + (1 << 32));

    /// As a signed integer, the size is −1, which is less than the file's size. Rounded up to an alignment, the size
    /// wraps to 0.
    reject "pte/header/program-size-max": "program_size 2^64 − 1" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", u64::MAX);

    /// The program ends inside the method's name, although the rest of the name is in the file. A verifier has to
    /// compare the name's end with the program's end, not with the file's.
    reject "pte/header/program-size-short": "program_size ends inside the last string"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS, from "pte/valid/constants" => |file| {
            let name = file.at("execution_plan[0].name", PartKind::Elements);
            file.header("program_size", name as u64 + 3);
        };

    /// The gap before the segments contains hidden bytes, and the program's size includes them. They are loaded with
    /// the program, and a check for zeros after the program misses them.
    either "pte/header/program-size-covers-gap": "program_size that includes the gap before the segments"
        about rules::EH_PROGRAM_SIZE_EXACT,
        from "pte/header/gap-not-zero" => |file| file.header("program_size", file.u64_at(24) as u64);

    /// A base of 0 means that there is no segment data, but there is a 16-byte segment. A reader that resolves it from
    /// byte 0 uses the file's first bytes as the constant.
    reject "pte/header/base-0": "segment_base_offset 0 and a nonempty segment" breaks rules::EH_BASE_ZERO_IFF_NONE,
        from "pte/valid/header-24" => |file| file.header("segment_base_offset", 0_u64);

    /// The base plus the size is 16, which is inside the file, so a reader must also check that the base comes after
    /// the program.
    reject "pte/header/base-0-with-data-size": "segment_base_offset 0 and segment_data_size 16"
        breaks rules::EH_BASE_ZERO_IFF_NONE,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", 0_u64);

    /// Truncated to 32 bits, the base is 768, which happens to be the correct value.
    reject "pte/header/base-wraps-32-bits": "segment_base_offset too large by 2^32" breaks rules::EH_BASE_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", file.u64_at(24) as u64 + (1 << 32));

    /// In 32-bit arithmetic, the base plus the size equals the file's size, so the check for truncated data passes.
    reject "pte/header/data-size-wraps-32-bits": "segment_data_size too large by 2^32" breaks rules::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 16_u64 + (1 << 32));

    /// In 32-bit arithmetic, the header's end, 8 plus its length, wraps to 0, so it seems to be inside the program.
    /// Readers that ignore the length accept the file.
    either "pte/header/length-wraps-32-bits": "header length 2^32 − 8" about rules::EH_LENGTH_BOUNDED,
        from "pte/valid/constants" => |file| file.header("length", 0_u32.wrapping_sub(8));

    /// The constant overlaps the root table. If the file is mapped, writing to the constant changes tables that have
    /// already been verified.
    reject "pte/header/base-inside-program": "segment_base_offset inside the program" breaks rules::EH_BASE_GE_PROGRAM,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", 64_u64);

    /// The constant's first byte is also the NUL that ends the method's name. A reader that compares the base only with
    /// the file's size accepts the file.
    reject "pte/header/base-overlaps-by-one-byte": "segment_base_offset one byte inside the program"
        breaks rules::EH_BASE_GE_PROGRAM,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", file.u64_at(16) as u64 - 1);

    /// A 24-byte header has no data size, so a reader has to compare the base itself with the file's size. Otherwise, a
    /// look-up fails late or reads outside the file.
    reject "pte/header/base-past-file": "segment_base_offset past the file" breaks rules::EH_BASE_LE_FILE,
        from "pte/valid/header-24" => |file| file.header("segment_base_offset", 1_u64 << 50);

    /// The base plus the size wraps to 15, which is inside the file, but the first segment would begin one byte before
    /// the file.
    reject "pte/header/base-max": "segment_base_offset 2^64 − 1" breaks rules::EH_SUM_NO_OVERFLOW,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", u64::MAX);

    /// The sum wraps to 16, which is less than the file's size. If a reader accepts it, segments of any size are accepted too.
    reject "pte/header/segment-sum-wraps": "base + segment_data_size wraps to a small number"
        breaks rules::EH_SUM_NO_OVERFLOW, from "pte/valid/constants", refs ["pytorch/executorch#18662"]
        => |file| file.header("segment_data_size", 0_u64.wrapping_sub(file.u64_at(24) as u64).wrapping_add(16));

    /// The header declares 17 bytes of data, but the file has 16. Each segment is inside the file, so only adding the
    /// size to the base reveals the missing byte.
    reject "pte/header/data-size-past-file": "segment_data_size one byte past the file" breaks rules::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 17_u64);

    /// The base plus the size wraps to 767, which is inside the file. As a signed integer, the size is −1, below any limit.
    reject "pte/header/data-size-max": "segment_data_size 2^64 − 1" breaks rules::EH_SUM_NO_OVERFLOW,
        from "pte/valid/constants" => |file| file.header("segment_data_size", u64::MAX);

    /// A reader that cannot tell this 0 from the padding after a 24-byte header accepts the file, but it does not
    /// notice truncated data.
    either "pte/header/data-size-0": "segment_data_size 0 with a base" about rules::EH_DSIZE_ZERO,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 0_u64);

    /// Readers that take base 0 to mean "no data" never look at the size. Other readers add the two fields and get 16,
    /// which is inside the file.
    either "pte/header/data-size-without-base": "segment_data_size without a base" about rules::EH_DSIZE_WITHOUT_BASE,
        from "pte/valid/header-without-data" => |file| file.header("segment_data_size", 16_u64);

    /// The data size includes bytes that belong to no segment. A segment that reached into them would pass the bounds check.
    either "pte/header/data-size-too-large": "segment_data_size past the last segment" about rules::EH_DSIZE_EXACT,
        from "pte/trailing/page-padding" => |file| file.header("segment_data_size", 64_u64);

    /// The base is 8 bytes past a multiple of 16, so every segment in a mapped file is misaligned, although the
    /// segments' offsets look aligned.
    either "pte/header/base-unaligned": "segment_base_offset not a multiple of 16" about rules::EH_BASE_ALIGNED,
        from "pte/valid/constants" => |file| {
            let base = file.u64_at(24);
            file.insert(base, &[0; 8]);
            file.header("segment_base_offset", base as u64 + 8);
        };

    /// The eight padding bytes after the 24-byte header contain text. A reader that ignores the header's length
    /// mistakes the text for `segment_data_size`.
    either "pte/header/padding-not-zero": "hidden bytes after a 24-byte header" about rules::EH_PADDING_ZERO,
        from "pte/valid/header-24" => |file| file.put(32, b"hidden!!");

    /// The gap before the segments contains eight bytes of text that no size covers. Copies of the file keep the text,
    /// but tools that list segments do not show it.
    either "pte/header/gap-not-zero": "hidden bytes before the segments" about rules::EH_GAP_ZERO,
        from "pte/valid/constants" => |file| file.put(file.u64_at(24) - 8, b"hidden!!");
}

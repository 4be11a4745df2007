//! A program's identifier and extended header, each field at each of its bounds.

use super::cases;
use crate::annotate::PartKind;
use crate::rules::{envelope, pte_header as rules};

cases! {
    /// The identifier's digits change with every incompatible change, so `ET13` is another format. A reader that
    /// looks at the first two letters only reads it as this one.
    reject "pte/identifier/next-version": "identifier ET13" breaks envelope::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ET13");

    /// A reader that accepts every version up to its own takes it for an older program. No release ever wrote it, and
    /// nothing says that its tables are these.
    reject "pte/identifier/previous-version": "identifier ET11" breaks envelope::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ET11");

    /// A tool that looks for `ET` and any two characters takes it for a program. Without digits the identifier does not
    /// say which tables follow.
    reject "pte/identifier/letters": "identifier ETab" breaks envelope::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"ETab");

    /// A comparison that does not mind the case, as for a file name's ending, lets it pass. An identifier is four bytes
    /// and not a word.
    reject "pte/identifier/lower-case": "identifier et12" breaks envelope::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"et12");

    /// The four bytes as a big-endian word. A reader that compares them as a number of the host's order accepts this
    /// file on one host, and there refuses every right one.
    reject "pte/identifier/swapped": "identifier 21TE" breaks envelope::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, b"21TE");

    /// Four zero bytes: a FlatBuffer written without an identifier. Verifiers have to be told to ask
    /// for one.
    reject "pte/identifier/zeros": "no identifier" breaks envelope::FB_IDENTIFIER_EXACT,
        from "pte/valid/constants" => |file| file.put(4, &[0; 4]);

    /// A size in front moves everything by four bytes, as FlatBuffers that are sent over a wire have it. Taken for a
    /// root offset, 784 is just in range, and a reader that does not miss the identifier takes the last weights for its
    /// table.
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

    /// The last version that two digits can say. A reader that knows the next few versions to refuse, and takes other
    /// bytes for no header, counts its segments from byte 0 of the file.
    reject "pte/header/magic-last-version": "header magic eh99" breaks rules::EH_MAGIC_EXACT,
        from "pte/valid/constants" => |file| file.header("magic", b"eh99");

    /// Upper case is no header's magic, so the file has no header, and its segments have no place. A reader that looks
    /// them up all the same finds the constant in root offset, identifier and header.
    reject "pte/header/magic-upper-case": "header magic EH00" breaks rules::EH_HEADERLESS_NO_DATA,
        from "pte/valid/constants" => |file| file.header("magic", b"EH00");

    /// One byte less than the shortest header. A reader that then takes the file for one without a header counts its segments
    /// from the wrong place.
    reject "pte/header/length-23": "header length 23" breaks rules::EH_LENGTH_MIN,
        from "pte/valid/constants" => |file| file.header("length", 23_u32);

    /// A header of no bytes, though its length counts its own magic and itself. A reader that only bounds the length
    /// from above uses fields that the header says are not there.
    reject "pte/header/length-0": "header length 0" breaks rules::EH_LENGTH_MIN,
        from "pte/valid/constants" => |file| file.header("length", 0_u32);

    /// By its length the header ends one byte before `segment_data_size` does. One reader takes the field all the same
    /// and another takes 0, and only the first notices a file that was cut short.
    either "pte/header/length-31": "header length 31" about rules::EH_LENGTH_DATA_SIZE,
        from "pte/valid/constants" => |file| file.header("length", 31_u32);

    /// A header that claims more bytes than there are before the FlatBuffer goes on. A reader that steps over it by its length
    /// steps out of the file.
    either "pte/header/length-past-flatbuffer": "header length 2^32 − 1" about rules::EH_LENGTH_BOUNDED,
        from "pte/valid/constants" => |file| file.header("length", u32::MAX);

    /// Any bound from above lets 0 pass. A loader may answer a request for no bytes with a null address, from which the
    /// root offset is then read.
    reject "pte/header/program-size-0": "program_size 0" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 0_u64);

    /// One byte less than root offset and identifier. The identifier's last letter is in the file and not in the
    /// program, and 7 less the 8 bytes in front of the tables wraps.
    reject "pte/header/program-size-7": "program_size 7" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 7_u64);

    /// Room for root offset and identifier, and for nothing else: what a reader of headerless files asks for. The field that says
    /// so is itself behind the program's end.
    reject "pte/header/program-size-8": "program_size 8" breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 8_u64);

    /// One byte less than the older header ends at, so that its last field is cut: the base's highest byte is read from behind the
    /// program.
    reject "pte/header/program-size-31": "program_size 31" breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 31_u64);

    /// The program is said to end where the older header does, and its root table is somewhere behind. A reader that holds the
    /// size against the header alone finds nothing wrong with it.
    reject "pte/header/program-size-32": "program_size 32" breaks envelope::FB_ROOT_OFFSET_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", 32_u64);

    /// Enough for root offset and identifier, so a test for 8 bytes passes; but the program would end inside its
    /// header, just before this field. A writer that counts without the header makes such sizes, though mostly not so
    /// plain ones.
    reject "pte/header/program-size-16": "program_size 16, inside the header"
        breaks rules::EH_PROGRAM_SIZE_INCLUDES_HEADER,
        from "pte/valid/constants" => |file| file.header("program_size", 16_u64);

    /// A loader that is asked for 785 bytes of 784 refuses, or gives one less without a word. A reader that cuts the
    /// size to what there is finds nothing wrong, since the FlatBuffer ends long before.
    reject "pte/header/program-size-past-file": "program_size one past the file" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", file.len() as u64 + 1);

    /// 744 and 2^32: a reader that keeps it in 32 bits cuts it to the size that fits, and takes a file for right that a
    /// 64-bit host refuses.
    reject "pte/header/program-size-wraps-32-bits": "program_size 2^32 too large" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", file.u64_at(16) as u64 + (1 << 32));

    /// As a signed number it is −1 and below the file's size. Rounded up to an alignment it wraps to 0, which is below
    /// it as well.
    reject "pte/header/program-size-max": "program_size 2^64 − 1" breaks rules::EH_PROGRAM_SIZE_RANGE,
        from "pte/valid/constants" => |file| file.header("program_size", u64::MAX);

    /// The program ends inside the method's name, though the bytes are still inside the file. A reader that does not
    /// verify goes by the name's own length, and reads on behind the program.
    reject "pte/header/program-size-short": "program_size cuts the last string" breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/constants" => |file| {
            let name = file.at("execution_plan[0].name", PartKind::Elements);
            file.header("program_size", name as u64 + 3);
        };

    /// The gap before the segments is counted as program, with what is hidden there: it is loaded and kept in memory,
    /// and no longer in a gap that a check for zeros looks at.
    either "pte/header/program-size-covers-gap": "program_size reaches to the segments" about rules::EH_PROGRAM_SIZE_EXACT,
        from "pte/header/gap-not-zero" => |file| file.header("program_size", file.u64_at(24) as u64);

    /// The older header has no size that would contradict it. The constant's bytes are then the file's first 16: root
    /// offset, identifier, magic and length.
    reject "pte/header/base-0": "segment_base_offset 0 and a segment with bytes" breaks rules::EH_BASE_ZERO_IFF_NONE,
        from "pte/valid/header-24" => |file| file.header("segment_base_offset", 0_u64);

    /// Base and size add up to 16, which every bound from above lets pass: what is missing is one from below. A reader
    /// that adds the base without a look takes the constant from the header.
    reject "pte/header/base-0-with-data-size": "segment_base_offset 0 and segment_data_size 16"
        breaks rules::EH_BASE_ZERO_IFF_NONE,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", 0_u64);

    /// 768 and 2^32: a reader that keeps it in 32 bits cuts it to the right one, and finds every segment where it is.
    reject "pte/header/base-wraps-32-bits": "segment_base_offset 2^32 too large" breaks rules::EH_BASE_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", file.u64_at(24) as u64 + (1 << 32));

    /// 16 and 2^32: in 32 bits the sum with the base is the file's length to the byte, which is all that the check for
    /// truncated files wants.
    reject "pte/header/data-size-wraps-32-bits": "segment_data_size 2^32 too large" breaks rules::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 16_u64 + (1 << 32));

    /// Eight more than the length, the header's end, wraps to 0 in 32 bits: a comparison with the program's end passes,
    /// and a step over the header leads back to byte 0.
    either "pte/header/length-wraps-32-bits": "header length 2^32 − 8" about rules::EH_LENGTH_BOUNDED,
        from "pte/valid/constants" => |file| file.header("length", 0_u32.wrapping_sub(8));

    /// The constant's bytes would be four references of the root table, that to the methods among them. In a mapped
    /// file a write to the constant changes where the program leads, after it was verified.
    reject "pte/header/base-inside-program": "segment_base_offset inside the program" breaks rules::EH_BASE_GE_PROGRAM,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", 64_u64);

    /// The shared byte is the zero behind the method's name: a write to the first weight takes it away, and the name
    /// goes on into the weights. A base that is compared with the file alone is right.
    reject "pte/header/base-overlaps-by-one-byte": "segment_base_offset one byte inside the program"
        breaks rules::EH_BASE_GE_PROGRAM,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", file.u64_at(16) as u64 - 1);

    /// With a 24-byte header there is no size to add, and a reader that checks the sum alone never looks at the base.
    /// The file opens, and each segment fails, or is read from outside, when it is wanted.
    reject "pte/header/base-past-file": "segment_base_offset past the file" breaks rules::EH_BASE_LE_FILE,
        from "pte/valid/header-24" => |file| file.header("segment_base_offset", 1_u64 << 50);

    /// With the 16 bytes of data the sum wraps to 15, far inside the file. Segments are still counted from the base:
    /// the first begins one byte in front of the file.
    reject "pte/header/base-max": "segment_base_offset 2^64 − 1" breaks rules::EH_SUM_NO_OVERFLOW,
        from "pte/valid/constants" => |file| file.header("segment_base_offset", u64::MAX);

    /// The size is 16 less the base, just under 2^64: the sum wraps to 16, and every test against the file's size
    /// passes. A reader that then holds segments against that size holds them against nothing.
    reject "pte/header/segment-sum-wraps": "base + segment_data_size wraps to a small number"
        breaks rules::EH_SUM_NO_OVERFLOW, from "pte/valid/constants", refs ["pytorch/executorch#18662"] => |file| {
            let size = 0_u64.wrapping_sub(file.u64_at(24) as u64).wrapping_add(16);
            file.header("segment_data_size", size);
        };

    /// The header counts 17 bytes and the segment has 16, so no segment is short. Only the header's sum, held against
    /// the file, shows that one byte is missing.
    reject "pte/header/data-size-past-file": "segment_data_size one past the file" breaks rules::EH_SUM_LE_FILE,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 17_u64);

    /// The sum wraps to 767, one byte before the base itself, which a comparison with the file's size does not see. As
    /// a signed number the size is −1.
    reject "pte/header/data-size-max": "segment_data_size 2^64 − 1" breaks rules::EH_SUM_NO_OVERFLOW,
        from "pte/valid/constants" => |file| file.header("segment_data_size", u64::MAX);

    /// No data by the header, and a base: what an older header's padding looks like under a newer header's length.
    either "pte/header/data-size-0": "segment_data_size 0 with a base" about rules::EH_DSIZE_ZERO,
        from "pte/valid/constants" => |file| file.header("segment_data_size", 0_u64);

    /// 16 bytes of data that have no place. A reader that takes a base of 0 for none never looks at the size, and one
    /// that adds the two gets 16, which is inside any file.
    either "pte/header/data-size-without-base": "segment_data_size without a base" about rules::EH_DSIZE_WITHOUT_BASE,
        from "pte/valid/header-without-data" => |file| file.header("segment_data_size", 16_u64);

    /// More data by the header than the segments have: bytes that no segment owns, and that a reader may hand out.
    either "pte/header/data-size-too-large": "segment_data_size past the last segment" about rules::EH_DSIZE_EXACT,
        from "pte/trailing/page-padding" => |file| file.header("segment_data_size", 64_u64);

    /// Offsets are aligned from the base, and the base is at 8 more than a multiple of 16. A reader that checks offsets
    /// finds them right, and hands out addresses in a mapped file that are not.
    either "pte/header/base-unaligned": "segment_base_offset not a multiple of 16" about rules::EH_BASE_ALIGNED,
        from "pte/valid/constants" => |file| {
            let base = file.u64_at(24);
            file.insert(base, &[0; 8]);
            file.header("segment_base_offset", base as u64 + 8);
        };

    /// By a length of 24 these eight bytes are padding, where nobody looks. A reader that takes the longer header's
    /// fields whatever the length says has letters for `segment_data_size`.
    either "pte/header/padding-not-zero": "bytes hidden behind a 24-byte header" about rules::EH_PADDING_ZERO,
        from "pte/valid/header-24" => |file| file.put(32, b"hidden!!");

    /// Eight bytes right before the constant: no size in the header counts them and no segment holds them. They survive
    /// every copy of the file, and a look at its parts does not show them.
    either "pte/header/gap-not-zero": "bytes hidden before the segments" about rules::EH_GAP_ZERO,
        from "pte/valid/constants" => |file| file.put(file.u64_at(24) - 8, b"hidden!!");
}

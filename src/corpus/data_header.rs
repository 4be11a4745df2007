//! A data file's identifier and header, each field at each of its bounds.

use super::cases;
use crate::rules::{envelope, flat_tensor, ptd_header as rules};

cases! {
    /// The digits stand for tables that no reader knows yet. Under `FT01` the tables changed without them, so a reader
    /// that has learned to look at the tables alone may not look here at all.
    reject "ptd/identifier/next-version": "identifier FT02" breaks envelope::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"FT02");

    /// A reader that accepts every version up to its own takes it for an older data file. The digits began with 01, so
    /// no such file was ever written.
    reject "ptd/identifier/previous-version": "identifier FT00" breaks envelope::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"FT00");

    /// A writer and a reader that both handle the identifier as a number of the host's order understand each other on a
    /// big-endian host, and nobody else.
    reject "ptd/identifier/swapped": "identifier 10TF" breaks envelope::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"10TF");

    /// The header behind it is right, and gives a reader all that it needs. One that goes by `FH01` at byte 8 never
    /// asks which tables follow.
    reject "ptd/identifier/zeros": "no identifier" breaks envelope::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, &[0; 4]);

    /// Everything moves by four bytes, the identifier to where the header's magic belongs. A FlatBuffers tool that
    /// looks for identifiers in both places opens the file, and finds each position of the header's off by four.
    reject "ptd/identifier/size-prefix": "a size prefix in front" breaks envelope::FB_NOT_SIZE_PREFIXED,
        from "ptd/valid/tensors" => |file| {
            let len = u32::try_from(file.len()).unwrap_or(0);
            file.insert(0, &len.to_le_bytes());
        };

    /// A reader that compares `FH` alone takes unknown fields for the known ones. One that takes it for no header, as
    /// it may in programs, is left without base and size.
    reject "ptd/header/magic-next-version": "header magic FH02" breaks rules::FH_MAGIC_EXACT,
        from "ptd/valid/tensors" => |file| file.header("magic", b"FH02");

    /// A program's header began with 00, so this looks like the first version. A data file's began with 01: nobody
    /// wrote it, and what its fields would be nothing says.
    reject "ptd/header/magic-previous-version": "header magic FH00" breaks rules::FH_MAGIC_EXACT,
        from "ptd/valid/tensors" => |file| file.header("magic", b"FH00");

    /// A reader that shares its header code between both formats knows the magic, and takes the fields for a program's:
    /// a size of 48, which is the padded header, and a base of 352.
    reject "ptd/header/magic-of-a-program": "header magic eh00" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", b"eh00");

    /// Program headers have small letters in their magic and data files large ones, so a comparison that does not mind
    /// the case accepts either in both.
    reject "ptd/header/magic-lower-case": "header magic fh01" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", b"fh01");

    /// In a program this means a FlatBuffer over the whole file and no data. A reader that carries it over has a base
    /// of 0, and gives the file's first bytes for each tensor.
    reject "ptd/header/absent": "no header magic" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", &[0; 4]);

    /// By the length the last field, `segment_data_size`, has seven bytes. A reader that has the least length from
    /// programs, 24, lets it pass.
    reject "ptd/header/length-39": "header length 39" breaks rules::FH_LENGTH,
        from "ptd/valid/tensors" => |file| file.header("length", 39_u32);

    /// The fields are where they always are, so a reader that takes them from fixed places does not ask. One that steps
    /// over the header by its length has the FlatBuffer go on in the magic.
    reject "ptd/header/length-0": "header length 0" breaks rules::FH_LENGTH,
        from "ptd/valid/tensors" => |file| file.header("length", 0_u32);

    /// A longer header: the format's text fixes the length for now, and readers accept more.
    either "ptd/header/length-48": "header length 48" about rules::FH_LENGTH_FIXED,
        from "ptd/valid/tensors" => |file| file.header("length", 48_u32);

    /// The largest length there is: no reader uses it, and one that steps over the header by it steps out of the file.
    either "ptd/header/length-max": "header length 2^32 − 1" about rules::FH_LENGTH_FIXED,
        from "ptd/valid/tensors" => |file| file.header("length", u32::MAX);

    /// Offset and size wrap to 0: the reader gets an empty buffer, or a null address for one, and reads the root offset
    /// from there.
    reject "ptd/header/flatbuffer-sum-wraps-to-0": "flatbuffer_offset + flatbuffer_size wraps to 0"
        breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64.wrapping_sub(48));

    /// 2^64 − 1 and 401 wrap to 400, the very end that the FlatBuffer has: a reader that adds without looking notices
    /// nothing.
    reject "ptd/header/flatbuffer-sum-wraps-to-end": "flatbuffer_offset + flatbuffer_size wraps to the right sum"
        breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            let sum = file.u64_at(16) as u64 + file.u64_at(24) as u64;
            file.header("flatbuffer_offset", u64::MAX);
            file.header("flatbuffer_size", sum + 1);
        };

    /// 2^64 − 1 and 352 wrap to 351, which is inside the file and 49 bytes short of the FlatBuffer's end: two of the
    /// three tables with the segments' places are cut off.
    reject "ptd/header/flatbuffer-offset-max": "flatbuffer_offset 2^64 − 1" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_offset", u64::MAX);

    /// 48 and 2^64 − 1 wrap to 47: a FlatBuffer that ends one byte inside its header, while the root offset leads to
    /// 68.
    reject "ptd/header/flatbuffer-size-max": "flatbuffer_size 2^64 − 1" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", u64::MAX);

    /// Nothing wraps, and the sum is a terabyte past the file. A reader that takes the field by its name, for the place
    /// where the FlatBuffer starts, is there without any sum.
    reject "ptd/header/flatbuffer-offset-past-file": "flatbuffer_offset past the file" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_offset", 1_u64 << 40);

    /// The sum is 48, the header's end: long enough for every look at the front of a FlatBuffer, and the root table is
    /// behind it.
    reject "ptd/header/flatbuffer-size-0": "flatbuffer_size 0" breaks envelope::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64);

    /// The root offset and half of the identifier, which a reader may have compared in the file before it cuts the
    /// FlatBuffer out. 6 less the 8 bytes in front of the tables wraps.
    reject "ptd/header/flatbuffer-end-6": "FlatBuffer of 6 bytes" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            file.header("flatbuffer_offset", 0_u64);
            file.header("flatbuffer_size", 6_u64);
        };

    /// A loader that is asked for so many bytes refuses, or gives one less without a word. A reader that leaves the
    /// bound to its loader has verified a FlatBuffer that covers all of the data.
    reject "ptd/header/flatbuffer-past-file": "FlatBuffer one byte past the file" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            let size = file.len() as u64 + 1 - file.u64_at(16) as u64;
            file.header("flatbuffer_size", size);
        };

    /// The sum is 64, as many bytes as a reader loads to look at the header. The root table is at 68, still inside the
    /// file, and so inside the bound of a reader that goes by the file.
    reject "ptd/header/flatbuffer-size-short": "flatbuffer_size cuts the FlatBuffer" breaks envelope::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 16_u64);

    /// 0 and 400 end the FlatBuffer where it ends, and only their sum has a meaning. A reader that takes the field for
    /// the padded header's length has the FlatBuffer go on in the magic.
    either "ptd/header/flatbuffer-offset-unusual": "flatbuffer_offset 0, the same sum" about rules::FH_FB_OFFSET_PADDED,
        from "ptd/valid/tensors" => |file| {
            let sum = file.u64_at(16) as u64 + file.u64_at(24) as u64;
            file.header("flatbuffer_offset", 0_u64);
            file.header("flatbuffer_size", sum);
        };

    /// 512 and a size just under 2^64 wrap to 16: the comparison with the file's size passes, and whoever holds
    /// segments against the size holds them against nothing.
    reject "ptd/header/data-sum-wraps": "base + segment_data_size wraps" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| {
            let size = 0_u64.wrapping_sub(file.u64_at(32) as u64).wrapping_add(16);
            file.header("segment_data_size", size);
        };

    /// The sum wraps to 511, inside the file and before the base. As a bound on segments the size lets every one of
    /// them pass.
    reject "ptd/header/data-size-max": "segment_data_size 2^64 − 1" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", u64::MAX);

    /// The last segment ends where the file does, so each tensor is there. A reader that checks tensors when it gives
    /// them out, and the header's sum never, finds nothing wrong.
    reject "ptd/header/data-size-past-file": "segment_data_size one past the file" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", file.u64_at(40) as u64 + 1);

    /// Keys and layouts are there, and a reader that answers from the FlatBuffer opens the file. The bytes of each
    /// tensor are a petabyte away.
    reject "ptd/header/base-past-file": "segment_base_offset past the file" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 1_u64 << 50);

    /// With 272 bytes of data the sum wraps to 271. The first tensor then begins one byte in front of the file, and the
    /// other two inside the FlatBuffer.
    reject "ptd/header/base-max": "segment_base_offset 2^64 − 1" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", u64::MAX);

    /// No data by the header, and three segments with bytes. In a program 0 can mean that nobody said how much there
    /// is; a reader that carries this over skips its only bound.
    reject "ptd/header/data-size-0": "segment_data_size 0 and segments with bytes" breaks flat_tensor::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", 0_u64);

    /// The sum, 272, is inside the file. The 48 bytes of `weight` are then root offset, identifier and all of the
    /// header.
    reject "ptd/header/base-0": "segment_base_offset 0" breaks rules::FH_BASE_GE_FB,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 0_u64);

    /// The first byte of `weight` is the last of the FlatBuffer, the highest of a segment's size. In a mapped file a
    /// write to the tensor adds multiples of 2^56 to a size that was checked before.
    reject "ptd/header/base-overlaps-by-one-byte": "segment_base_offset one byte inside the FlatBuffer"
        breaks rules::FH_BASE_GE_FB,
        from "ptd/valid/tensors" => |file| {
            let base = file.u64_at(16) as u64 + file.u64_at(24) as u64 - 1;
            file.header("segment_base_offset", base);
        };

    /// 512 and 2^32. What compares it in 64 bits refuses the file; what has stored it in 32 bits before finds every
    /// tensor in its place.
    reject "ptd/header/base-wraps-32-bits": "segment_base_offset 2^32 too large" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", file.u64_at(32) as u64 + (1 << 32));

    /// 272 and 2^32: cut to 32 bits, base and size end where the file ends, so that the test for truncated files has
    /// just what it wants.
    reject "ptd/header/data-size-wraps-32-bits": "segment_data_size 2^32 too large" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", file.u64_at(40) as u64 + (1 << 32));

    /// 352 and 2^32: in 32 bits the FlatBuffer ends at 400, as it does, so a reader notices nothing. The test that was
    /// to keep its end inside the file has tested another number.
    reject "ptd/header/flatbuffer-size-wraps-32-bits": "flatbuffer_size 2^32 too large" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", file.u64_at(24) as u64 + (1 << 32));

    /// As in a file without segments, so the header is in no conflict with itself, and only the list has three segments
    /// with bytes. A reader that adds up zeros hands out the header.
    reject "ptd/header/base-0-and-data-size-0": "no base, no data, and segments with bytes"
        breaks flat_tensor::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| {
            file.header("segment_base_offset", 0_u64);
            file.header("segment_data_size", 0_u64);
        };

    /// The bytes of `weight` would begin in the root table's vtable and go on through the list of entries: tables that
    /// a verifier has seen, and that are weights as well.
    reject "ptd/header/base-inside-flatbuffer": "segment_base_offset inside the FlatBuffer" breaks rules::FH_BASE_GE_FB,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 64_u64);

    /// Half of the padding behind the file is counted as data. No tensor has it, and a segment that reached into it
    /// would be within its bound.
    either "ptd/header/data-size-too-large": "segment_data_size past the last segment" about rules::FH_DATA_EXACT,
        from "ptd/trailing/page-padding" => |file| file.header("segment_data_size", file.u64_at(40) as u64 + 32);

    /// Offsets are multiples of 128 and the base is off by eight. In a mapped file the doubles of `scale` are still
    /// aligned, and a load of two at once from there is not.
    either "ptd/header/base-unaligned": "segment_base_offset not a multiple of 16" about rules::FH_BASE_ALIGNED,
        from "ptd/valid/tensors" => |file| {
            let base = file.u64_at(32);
            file.insert(base, &[0; 8]);
            file.header("segment_base_offset", base as u64 + 8);
        };

    /// The header ends at 48 and the FlatBuffer goes on at 56: eight bytes that exist because the header is rounded up,
    /// and that a longer header would give a meaning.
    either "ptd/header/padding-not-zero": "bytes hidden behind the header" about rules::FH_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| file.put(48, b"hidden!!");

    /// Eight bytes right before `weight`, behind the FlatBuffer and before the base: a verifier stops before them, and
    /// a look-up begins after them.
    either "ptd/header/gap-not-zero": "bytes hidden before the segments" about rules::FH_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| file.put(file.u64_at(32) - 8, b"hidden!!");
}

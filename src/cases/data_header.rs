//! A data file's identifier and header, each field at each of its bounds.

use super::cases;
use crate::rules::{envelope, flat_tensor, ptd_header as rules};

cases! {
    /// Another version of the format.
    reject "ptd/identifier/next-version": "identifier FT02" breaks envelope::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"FT02");

    /// The version before.
    reject "ptd/identifier/previous-version": "identifier FT00" breaks envelope::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"FT00");

    /// The four bytes in the order of a big-endian word.
    reject "ptd/identifier/swapped": "identifier 10TF" breaks envelope::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"10TF");

    /// Four zero bytes.
    reject "ptd/identifier/zeros": "no identifier" breaks envelope::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, &[0; 4]);

    /// A size prefix in front.
    reject "ptd/identifier/size-prefix": "a size prefix in front" breaks envelope::FB_NOT_SIZE_PREFIXED,
        from "ptd/valid/tensors" => |file| {
            let len = u32::try_from(file.len()).unwrap_or(0);
            file.insert(0, &len.to_le_bytes());
        };

    /// A header of a kind not known. Unlike a program's, a data file's header is never optional.
    reject "ptd/header/magic-next-version": "header magic FH02" breaks rules::FH_MAGIC_EXACT,
        from "ptd/valid/tensors" => |file| file.header("magic", b"FH02");

    /// The version before.
    reject "ptd/header/magic-previous-version": "header magic FH00" breaks rules::FH_MAGIC_EXACT,
        from "ptd/valid/tensors" => |file| file.header("magic", b"FH00");

    /// A program's header where a data file's must be.
    reject "ptd/header/magic-of-a-program": "header magic eh00" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", b"eh00");

    /// Lower case.
    reject "ptd/header/magic-lower-case": "header magic fh01" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", b"fh01");

    /// Zeros where the header must be.
    reject "ptd/header/absent": "no header magic" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", &[0; 4]);

    /// One byte less than the header has.
    reject "ptd/header/length-39": "header length 39" breaks rules::FH_LENGTH,
        from "ptd/valid/tensors" => |file| file.header("length", 39_u32);

    /// A header of no bytes.
    reject "ptd/header/length-0": "header length 0" breaks rules::FH_LENGTH,
        from "ptd/valid/tensors" => |file| file.header("length", 0_u32);

    /// A longer header: the format's text fixes the length for now, and readers accept more.
    either "ptd/header/length-48": "header length 48" about rules::FH_LENGTH_FIXED,
        from "ptd/valid/tensors" => |file| file.header("length", 48_u32);

    /// The largest length there is: no reader uses it, and one that steps over the header by it steps out of the file.
    either "ptd/header/length-max": "header length 2^32 − 1" about rules::FH_LENGTH_FIXED,
        from "ptd/valid/tensors" => |file| file.header("length", u32::MAX);

    /// The two numbers whose sum ends the FlatBuffer wrap to 0: the reader gets an empty buffer, or none.
    reject "ptd/header/flatbuffer-sum-wraps-to-0": "flatbuffer_offset + flatbuffer_size wraps to 0"
        breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64.wrapping_sub(48));

    /// They wrap to the very end that the FlatBuffer has: a reader that adds without looking notices nothing.
    reject "ptd/header/flatbuffer-sum-wraps-to-end": "flatbuffer_offset + flatbuffer_size wraps to the right sum"
        breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            let sum = file.u64_at(16) as u64 + file.u64_at(24) as u64;
            file.header("flatbuffer_offset", u64::MAX);
            file.header("flatbuffer_size", sum + 1);
        };

    /// They wrap to a small number, which is inside the file.
    reject "ptd/header/flatbuffer-offset-max": "flatbuffer_offset 2^64 − 1" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_offset", u64::MAX);

    /// The largest size there is: with the offset it wraps to one less.
    reject "ptd/header/flatbuffer-size-max": "flatbuffer_size 2^64 − 1" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", u64::MAX);

    /// An offset far behind the file's end.
    reject "ptd/header/flatbuffer-offset-past-file": "flatbuffer_offset past the file" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_offset", 1_u64 << 40);

    /// A FlatBuffer of no bytes but those of the header in it: the root table is behind its end.
    reject "ptd/header/flatbuffer-size-0": "flatbuffer_size 0" breaks envelope::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64);

    /// Their sum is less than root offset, identifier and a table.
    reject "ptd/header/flatbuffer-end-6": "FlatBuffer of 6 bytes" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            file.header("flatbuffer_offset", 0_u64);
            file.header("flatbuffer_size", 6_u64);
        };

    /// Their sum is one past the file's end.
    reject "ptd/header/flatbuffer-past-file": "FlatBuffer one byte past the file" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            let size = file.len() as u64 + 1 - file.u64_at(16) as u64;
            file.header("flatbuffer_size", size);
        };

    /// The FlatBuffer is said to end before its root table, which is still inside the file.
    reject "ptd/header/flatbuffer-size-short": "flatbuffer_size cuts the FlatBuffer" breaks envelope::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 16_u64);

    /// An offset that is not the header with its padding; only the sum has a meaning, and it is kept.
    either "ptd/header/flatbuffer-offset-unusual": "flatbuffer_offset 0, the same sum" about rules::FH_FB_OFFSET_PADDED,
        from "ptd/valid/tensors" => |file| {
            let sum = file.u64_at(16) as u64 + file.u64_at(24) as u64;
            file.header("flatbuffer_offset", 0_u64);
            file.header("flatbuffer_size", sum);
        };

    /// Base and size wrap to a small number: the comparison with the file's size passes.
    reject "ptd/header/data-sum-wraps": "base + segment_data_size wraps" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| {
            let size = 0_u64.wrapping_sub(file.u64_at(32) as u64).wrapping_add(16);
            file.header("segment_data_size", size);
        };

    /// Minus one.
    reject "ptd/header/data-size-max": "segment_data_size 2^64 − 1" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", u64::MAX);

    /// One byte more of data than the file has.
    reject "ptd/header/data-size-past-file": "segment_data_size one past the file" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| {
            let size = file.u64_at(40) as u64 + 1;
            file.header("segment_data_size", size);
        };

    /// Segments begin past the file.
    reject "ptd/header/base-past-file": "segment_base_offset past the file" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 1_u64 << 50);

    /// The base is the largest number there is: with any data behind it the sum wraps.
    reject "ptd/header/base-max": "segment_base_offset 2^64 − 1" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", u64::MAX);

    /// No data by the header, and segments with bytes: a data file's header always says how much there is.
    reject "ptd/header/data-size-0": "segment_data_size 0 and segments with bytes" breaks flat_tensor::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", 0_u64);

    /// Segments begin at byte 0: tensors are read from the header.
    reject "ptd/header/base-0": "segment_base_offset 0" breaks rules::FH_BASE_GE_FB,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 0_u64);

    /// Segments begin one byte before the FlatBuffer ends.
    reject "ptd/header/base-overlaps-by-one-byte": "segment_base_offset one byte inside the FlatBuffer"
        breaks rules::FH_BASE_GE_FB,
        from "ptd/valid/tensors" => |file| {
            let base = file.u64_at(16) as u64 + file.u64_at(24) as u64 - 1;
            file.header("segment_base_offset", base);
        };

    /// The right base and 2^32: a reader that keeps it in 32 bits cuts it to the right one.
    reject "ptd/header/base-wraps-32-bits": "segment_base_offset 2^32 too large" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| {
            let base = file.u64_at(32) as u64 + (1 << 32);
            file.header("segment_base_offset", base);
        };

    /// The right size and 2^32.
    reject "ptd/header/data-size-wraps-32-bits": "segment_data_size 2^32 too large" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| {
            let size = file.u64_at(40) as u64 + (1 << 32);
            file.header("segment_data_size", size);
        };

    /// The right size and 2^32.
    reject "ptd/header/flatbuffer-size-wraps-32-bits": "flatbuffer_size 2^32 too large" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            let size = file.u64_at(24) as u64 + (1 << 32);
            file.header("flatbuffer_size", size);
        };

    /// No base and no data by the header, and segments with bytes: a reader that adds up zeros hands out the header.
    reject "ptd/header/base-0-and-data-size-0": "no base, no data, and segments with bytes"
        breaks flat_tensor::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| {
            file.header("segment_base_offset", 0_u64);
            file.header("segment_data_size", 0_u64);
        };

    /// Segments begin inside the FlatBuffer.
    reject "ptd/header/base-inside-flatbuffer": "segment_base_offset inside the FlatBuffer" breaks rules::FH_BASE_GE_FB,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 64_u64);

    /// More data by the header than the segments have.
    either "ptd/header/data-size-too-large": "segment_data_size past the last segment" about rules::FH_DATA_EXACT,
        from "ptd/trailing/page-padding" => |file| {
            let size = file.u64_at(40) as u64 + 32;
            file.header("segment_data_size", size);
        };

    /// Segments at a place that suits no tensor, however well they are aligned from there.
    either "ptd/header/base-unaligned": "segment_base_offset not a multiple of 16" about rules::FH_BASE_ALIGNED,
        from "ptd/valid/tensors" => |file| {
            let base = file.u64_at(32);
            file.insert(base, &[0; 8]);
            file.header("segment_base_offset", base as u64 + 8);
        };

    /// Something stands in the padding behind the header, where nobody looks.
    either "ptd/header/padding-not-zero": "bytes hidden behind the header" about rules::FH_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| file.put(48, b"hidden!!");

    /// Something stands between the FlatBuffer and the segments, where nobody looks.
    either "ptd/header/gap-not-zero": "bytes hidden before the segments" about rules::FH_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| {
            let base = file.u64_at(32);
            file.put(base - 8, b"hidden!!");
        };
}

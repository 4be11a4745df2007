//! Cases about a data file's identifier and header, each field at each bound.

use super::cases;
use crate::rules::{flat_tensor, flatbuffer, ptd_header as rules};

cases! {
    /// The digits of the identifier announce unknown tables. The three layouts of `FT01` share one identifier, so a
    /// reader that detects layouts by their tables may skip this check.
    reject "ptd/identifier/next-version": "identifier FT02" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"FT02");

    /// No release ever wrote `FT00`. A reader that accepts every version up to its own treats the file as an older data
    /// file.
    reject "ptd/identifier/previous-version": "identifier FT00" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"FT00");

    /// The four bytes are in big-endian order. On a big-endian host, a writer and a reader that use native integers
    /// agree with each other but with no other host.
    reject "ptd/identifier/swapped": "identifier 10TF" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"10TF");

    /// The header is valid and has all the values that a reader needs. A reader that checks only `FH01` at byte 8 never
    /// checks which tables follow.
    reject "ptd/identifier/zeros": "no identifier" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, &[0; 4]);

    /// The prefix moves the identifier to the position of the header magic. A FlatBuffers tool that accepts both
    /// positions opens the file and finds every header field off by four bytes.
    reject "ptd/identifier/size-prefix": "size prefix before the root offset" breaks flatbuffer::FB_NOT_SIZE_PREFIXED,
        from "ptd/valid/tensors" => |file| {
            let len = u32::try_from(file.len()).unwrap_or(0);
            file.insert(0, &len.to_le_bytes());
        };

    /// A reader that compares only `FH` misreads unknown fields. A reader that treats the magic as no header, as in
    /// programs, has no base and no size.
    reject "ptd/header/magic-next-version": "header magic FH02" breaks rules::FH_MAGIC_EXACT,
        from "ptd/valid/tensors" => |file| file.header("magic", b"FH02");

    /// Program headers start at version 00, and data file headers start at version 01. No release wrote `FH00`, so the
    /// fields are undefined.
    reject "ptd/header/magic-previous-version": "header magic FH00" breaks rules::FH_MAGIC_EXACT,
        from "ptd/valid/tensors" => |file| file.header("magic", b"FH00");

    /// A reader that shares header code between both formats accepts the magic and misreads the fields as a program
    /// size of 48 and a base of 352.
    reject "ptd/header/magic-of-a-program": "header magic eh00" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", b"eh00");

    /// Program magics are in lower case and data file magics in upper case. A comparison that ignores case accepts this
    /// lower-case magic.
    reject "ptd/header/magic-lower-case": "header magic fh01" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", b"fh01");

    /// A program without a header is a plain FlatBuffer without data. A reader that allows data files without a header
    /// uses base 0 and returns the file's first bytes for each tensor.
    reject "ptd/header/absent": "no header magic" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", &[0; 4]);

    /// The header ends one byte before the end of `segment_data_size`. A reader that requires only 24 bytes, the
    /// minimum in programs, accepts the file.
    reject "ptd/header/length-39": "header length 39" breaks rules::FH_LENGTH,
        from "ptd/valid/tensors" => |file| file.header("length", 39_u32);

    /// A reader that loads the fields from fixed positions ignores the length. A reader that uses the length to skip
    /// the header parses the FlatBuffer from the magic on.
    reject "ptd/header/length-0": "header length 0" breaks rules::FH_LENGTH,
        from "ptd/valid/tensors" => |file| file.header("length", 0_u32);

    /// The header is longer than the 40 bytes that the format document prescribes. Readers accept the longer header.
    either "ptd/header/length-48": "header length 48" about rules::FH_LENGTH_FIXED,
        from "ptd/valid/tensors" => |file| file.header("length", 48_u32);

    /// The length is the largest possible, and most readers ignore it. A reader that uses the length to skip the header
    /// reads outside the file.
    either "ptd/header/length-max": "header length 2^32 − 1" about rules::FH_LENGTH_FIXED,
        from "ptd/valid/tensors" => |file| file.header("length", u32::MAX);

    /// The sum wraps to 0, so the reader gets an empty buffer or a null pointer and loads the root offset from there.
    reject "ptd/header/flatbuffer-sum-wraps-to-0": "flatbuffer_offset + flatbuffer_size wraps to 0"
        breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64.wrapping_sub(48));

    /// 2^64 − 1 plus 401 wraps to 400, the right end of the FlatBuffer. A reader that adds without a check detects
    /// nothing.
    reject "ptd/header/flatbuffer-sum-wraps-to-end": "flatbuffer_offset + flatbuffer_size wraps to the right sum"
        breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            let sum = file.u64_at(16) as u64 + file.u64_at(24) as u64;
            file.header("flatbuffer_offset", u64::MAX);
            file.header("flatbuffer_size", sum + 1);
        };

    /// The sum wraps to 351, which is inside the file but 49 bytes before the FlatBuffer's end. Two of the three
    /// segment tables are cut off.
    reject "ptd/header/flatbuffer-offset-max": "flatbuffer_offset 2^64 − 1" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_offset", u64::MAX);

    /// The sum wraps to 47, one byte inside the header, and the root offset leads to 68.
    reject "ptd/header/flatbuffer-size-max": "flatbuffer_size 2^64 − 1" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", u64::MAX);

    /// Nothing wraps, but the sum is a terabyte past the file. A reader that uses the field as the FlatBuffer's start
    /// reads outside the file at once.
    reject "ptd/header/flatbuffer-offset-past-file": "flatbuffer_offset past the file" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_offset", 1_u64 << 40);

    /// The FlatBuffer ends at 48, the end of the header. Checks of the FlatBuffer's first bytes pass, and the root
    /// table is outside the FlatBuffer.
    reject "ptd/header/flatbuffer-size-0": "flatbuffer_size 0" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64);

    /// The FlatBuffer ends inside the identifier. A reader may compare the identifier in the file first;
    /// subtracting the first 8 bytes then wraps below 0.
    reject "ptd/header/flatbuffer-end-6": "FlatBuffer of 6 bytes" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            file.header("flatbuffer_offset", 0_u64);
            file.header("flatbuffer_size", 6_u64);
        };

    /// The FlatBuffer ends one byte past the file. A loader fails or silently returns one byte less. A reader that
    /// relies on the loader verifies a FlatBuffer that includes all data.
    reject "ptd/header/flatbuffer-past-file": "FlatBuffer one byte past the file" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            let size = file.len() as u64 + 1 - file.u64_at(16) as u64;
            file.header("flatbuffer_size", size);
        };

    /// The FlatBuffer ends at 64 and the root table begins at 68. A reader that checks only the file's bounds
    /// accepts it.
    reject "ptd/header/flatbuffer-size-short": "flatbuffer_size cuts the FlatBuffer"
        breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 16_u64);

    /// The FlatBuffer ends at the right position, since only the sum matters. A reader that uses the field as the
    /// padded header's length parses the FlatBuffer from the magic on.
    either "ptd/header/flatbuffer-offset-unusual": "flatbuffer_offset 0 with the same sum"
        about rules::FH_FB_OFFSET_PADDED,
        from "ptd/valid/tensors" => |file| {
            let sum = file.u64_at(16) as u64 + file.u64_at(24) as u64;
            file.header("flatbuffer_offset", 0_u64);
            file.header("flatbuffer_size", sum);
        };

    /// The sum wraps to 16, so a comparison with the file's size passes. A reader that compares segments with this size
    /// accepts any segment.
    reject "ptd/header/data-sum-wraps": "base + segment_data_size wraps" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| {
            let size = 0_u64.wrapping_sub(file.u64_at(32) as u64).wrapping_add(16);
            file.header("segment_data_size", size);
        };

    /// The sum wraps to 511, which is inside the file but before the base. A reader that compares segments with this
    /// size accepts any segment.
    reject "ptd/header/data-size-max": "segment_data_size 2^64 − 1" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", u64::MAX);

    /// The last segment ends with the file, so every tensor is complete. A reader that never checks the header's
    /// sum notices nothing.
    reject "ptd/header/data-size-past-file": "segment_data_size one past the file" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", file.u64_at(40) as u64 + 1);

    /// Keys and layouts are complete, so a reader that uses only the FlatBuffer opens the file. The tensors' bytes are
    /// a petabyte away.
    reject "ptd/header/base-past-file": "segment_base_offset past the file" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 1_u64 << 50);

    /// With 272 bytes of data the sum wraps to 271. The first tensor then begins one byte before the file, and the
    /// other tensors begin inside the FlatBuffer.
    reject "ptd/header/base-max": "segment_base_offset 2^64 − 1" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", u64::MAX);

    /// The header declares no data, and three segments have bytes. In a program 0 may mean an unknown size; a reader
    /// that applies the same meaning to data files accepts any segment.
    reject "ptd/header/data-size-0": "segment_data_size 0 and segments with bytes" breaks flat_tensor::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", 0_u64);

    /// The base is 0, so the sum, 272, is inside the file. The 48 bytes of `weight` are then the root offset, the
    /// identifier and the header.
    reject "ptd/header/base-0": "segment_base_offset 0" breaks rules::FH_BASE_GE_FB,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 0_u64);

    /// The first byte of `weight` is the highest byte of a segment's size. In a mapped file, a write to the tensor
    /// changes that size after the reader checks the size.
    reject "ptd/header/base-overlaps-by-one-byte": "segment_base_offset one byte inside the FlatBuffer"
        breaks rules::FH_BASE_GE_FB,
        from "ptd/valid/tensors" => |file| {
            let base = file.u64_at(16) as u64 + file.u64_at(24) as u64 - 1;
            file.header("segment_base_offset", base);
        };

    /// The base is the right one, 512, plus 2^32. A reader that stores the base in 32 bits truncates it to 512 and
    /// finds every tensor.
    reject "ptd/header/base-wraps-32-bits": "segment_base_offset 2^32 too large" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", file.u64_at(32) as u64 + (1 << 32));

    /// The size is the right one, 272, plus 2^32. In 32 bits, base plus size equals the file's length, so the check for
    /// truncation passes.
    reject "ptd/header/data-size-wraps-32-bits": "segment_data_size 2^32 too large" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", file.u64_at(40) as u64 + (1 << 32));

    /// The size is the right one, 352, plus 2^32. In 32 bits, the FlatBuffer ends at 400, its correct end, so the check
    /// passes.
    reject "ptd/header/flatbuffer-size-wraps-32-bits": "flatbuffer_size 2^32 too large" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", file.u64_at(24) as u64 + (1 << 32));

    /// The header matches a file without data, and only the list of segments contradicts it. A reader that adds
    /// offsets to base 0 returns the header.
    reject "ptd/header/base-0-and-data-size-0": "no base, no data, and segments with bytes"
        breaks flat_tensor::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| {
            file.header("segment_base_offset", 0_u64);
            file.header("segment_data_size", 0_u64);
        };

    /// The bytes of `weight` overlap the root table's vtable and the list of entries. A write to the weights
    /// changes verified tables.
    reject "ptd/header/base-inside-flatbuffer": "segment_base_offset inside the FlatBuffer" breaks rules::FH_BASE_GE_FB,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 64_u64);

    /// The data size includes half of the padding after the last segment. No tensor uses it, but a segment that reaches
    /// into the padding passes the bounds check.
    either "ptd/header/data-size-too-large": "segment_data_size past the last segment" about rules::FH_DATA_EXACT,
        from "ptd/trailing/page-padding" => |file| file.header("segment_data_size", file.u64_at(40) as u64 + 32);

    /// Offsets are multiples of 128, but the base is 8 bytes off a multiple of 16. In a mapped file, the doubles of
    /// `scale` are aligned, but loads of two doubles are not.
    either "ptd/header/base-unaligned": "segment_base_offset not a multiple of 16" about rules::FH_BASE_ALIGNED,
        from "ptd/valid/tensors" => |file| {
            let base = file.u64_at(32);
            file.insert(base, &[0; 8]);
            file.header("segment_base_offset", base as u64 + 8);
        };

    /// The eight bytes between the header's end at 48 and the FlatBuffer at 56 are padding. In a longer header, these
    /// bytes would be fields.
    either "ptd/header/padding-not-zero": "hidden bytes after the header" about rules::FH_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| file.put(48, b"hidden!!");

    /// Eight bytes lie between the FlatBuffer and the base. A verifier stops before these bytes, and lookups begin
    /// after them.
    either "ptd/header/gap-not-zero": "hidden bytes before the segments" about rules::FH_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| file.put(file.u64_at(32) - 8, b"hidden!!");
}

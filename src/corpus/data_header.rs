//! Cases about a data file's identifier and header. The cases set each header field to the limits of the field's range.

use super::cases;
use super::defects::size_prefix;
use crate::rules::{flat_tensor, flatbuffer, ptd_header as rules};

cases! {
    /// The identifier is `FT02`. A new number in the identifier means an incompatible format, so a reader must require
    /// exactly `FT01`. A reader that uses the root table to detect a legacy file must also check the identifier.
    reject "ptd/identifier/next-version": "identifier FT02" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"FT02");

    /// The identifier is `FT00`, which no release ever wrote. A reader that accepts every version up to `FT01` misreads
    /// the file as an older data file.
    reject "ptd/identifier/previous-version": "identifier FT00" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"FT00");

    /// The four bytes of the identifier, `FT01`, are in reverse order. A reader must compare bytes, because a
    /// comparison of native integers depends on the host's byte order.
    reject "ptd/identifier/swapped": "identifier 10TF, in reverse byte order" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"10TF");

    /// The identifier is four zero bytes, and the header is valid. A reader that checks only the header magic, `FH01`,
    /// cannot detect tables of another format.
    reject "ptd/identifier/zeros": "no identifier" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, &[0; 4]);

    /// A four-byte size precedes the data file, so all fields begin four bytes after their correct positions. The
    /// identifier is at the position of the header magic. FlatBuffers tools that accept a size prefix open the file.
    reject "ptd/identifier/size-prefix": "size prefix before the root offset" breaks flatbuffer::FB_NOT_SIZE_PREFIXED,
        from "ptd/valid/tensors" => size_prefix;

    /// The header magic is `FH02`, an unknown header version. A reader must reject the file. A data file must have a
    /// header, so a reader cannot treat the file as headerless.
    reject "ptd/header/magic-next-version": "header magic FH02" breaks rules::FH_MAGIC_EXACT,
        from "ptd/valid/tensors" => |file| file.header("magic", b"FH02");

    /// The header magic is `FH00`, which no release ever wrote. Versions of data file headers start at 01, unlike
    /// versions of program headers, which start at 00.
    reject "ptd/header/magic-previous-version": "header magic FH00" breaks rules::FH_MAGIC_EXACT,
        from "ptd/valid/tensors" => |file| file.header("magic", b"FH00");

    /// The header magic is that of a program header, `eh00`. A reader that uses the same code for programs and data
    /// files misreads the header fields.
    reject "ptd/header/magic-of-a-program": "header magic eh00" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", b"eh00");

    /// The header magic is in lower case. A reader must compare the bytes exactly. A case-insensitive comparison
    /// accepts the file.
    reject "ptd/header/magic-lower-case": "header magic fh01" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", b"fh01");

    /// The data file has no header. Unlike a program, a data file must have a header. A reader that assumes a segment
    /// base of 0 returns the file's first bytes for each tensor.
    reject "ptd/header/absent": "no header magic" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", &[0; 4]);

    /// The header length is 39, one byte less than the required minimum of 40. A reader that applies the minimum of
    /// program headers, 24, accepts the file.
    reject "ptd/header/length-39": "header length 39" breaks rules::FH_LENGTH,
        from "ptd/valid/tensors" => |file| file.header("length", 39_u32);

    /// The header length is 0, below the required minimum of 40. A reader that uses this length to skip the header
    /// skips no bytes, and parses the header as part of the FlatBuffer.
    reject "ptd/header/length-0": "header length 0" breaks rules::FH_LENGTH,
        from "ptd/valid/tensors" => |file| file.header("length", 0_u32);

    /// The header length is 48. The format document requires 40, but known readers accept larger lengths.
    either "ptd/header/length-48": "header length 48" about rules::FH_LENGTH_FIXED,
        from "ptd/valid/tensors" => |file| file.header("length", 48_u32);

    /// The header length is 2^32 − 1. The format document requires 40, but readers that check only the minimum accept
    /// the file. A reader that skips as many bytes as the length states reads outside the file.
    either "ptd/header/length-max": "header length 2^32 − 1" about rules::FH_LENGTH_FIXED,
        from "ptd/valid/tensors" => |file| file.header("length", u32::MAX);

    /// The sum of `flatbuffer_offset` and `flatbuffer_size` wraps to 0. A reader that accepts the wrapped sum loads an
    /// empty FlatBuffer and can dereference a null pointer.
    reject "ptd/header/flatbuffer-sum-wraps-to-0": "flatbuffer_offset + flatbuffer_size wraps to 0"
        breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64.wrapping_sub(48));

    /// `flatbuffer_offset` is 2^64 − 1, and the sum of `flatbuffer_offset` and `flatbuffer_size` wraps to 400, the
    /// correct end of the FlatBuffer. A reader must detect the overflow, because the wrapped sum passes a comparison
    /// with the file's size.
    reject "ptd/header/flatbuffer-sum-wraps-to-end": "flatbuffer_offset + flatbuffer_size wraps to the correct sum"
        breaks rules::FH_FB_SUM, from "ptd/valid/tensors" => |file| {
            let sum = file.u64_at(16) as u64 + file.u64_at(24) as u64;
            file.header("flatbuffer_offset", u64::MAX);
            file.header("flatbuffer_size", sum + 1);
        };

    /// `flatbuffer_offset` is 2^64 − 1. The sum of `flatbuffer_offset` and `flatbuffer_size` wraps to 351, which is
    /// inside the file. For a reader that uses the wrapped sum, the FlatBuffer ends 49 bytes too early.
    reject "ptd/header/flatbuffer-offset-max": "flatbuffer_offset 2^64 − 1" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_offset", u64::MAX);

    /// `flatbuffer_size` is 2^64 − 1. The sum of `flatbuffer_size` and `flatbuffer_offset` wraps to 47, a position
    /// inside the header. The root table begins at byte 68. For a reader that uses the wrapped sum, the root table is
    /// outside the FlatBuffer.
    reject "ptd/header/flatbuffer-size-max": "flatbuffer_size 2^64 − 1" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", u64::MAX);

    /// `flatbuffer_offset` is 2^40, past the end of the file. A reader must compare the FlatBuffer's end with the
    /// file's size before it reads the FlatBuffer.
    reject "ptd/header/flatbuffer-offset-past-file": "flatbuffer_offset past the file" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_offset", 1_u64 << 40);

    /// `flatbuffer_size` is 0, so the FlatBuffer ends directly after the header, and the root table is outside the
    /// FlatBuffer. A reader must compare the root offset with the FlatBuffer's end, not with the file's size.
    reject "ptd/header/flatbuffer-size-0": "flatbuffer_size 0" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64);

    /// The FlatBuffer ends at byte 6, inside the identifier. The root offset and the identifier need 8 bytes. If a
    /// reader subtracts 8 from the FlatBuffer's size without a check, the result wraps.
    reject "ptd/header/flatbuffer-end-6": "FlatBuffer of 6 bytes" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            file.header("flatbuffer_offset", 0_u64);
            file.header("flatbuffer_size", 6_u64);
        };

    /// The FlatBuffer ends one byte past the file. A reader must compare the FlatBuffer's end with the file's size,
    /// because some loaders silently return fewer bytes than requested.
    reject "ptd/header/flatbuffer-past-file": "FlatBuffer that ends one byte past the file" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors"
        => |file| file.header("flatbuffer_size", file.len() as u64 + 1 - file.u64_at(16) as u64);

    /// The FlatBuffer ends at byte 64, before the root table at byte 68. A reader must compare the root offset with the
    /// FlatBuffer's end, not with the file's size.
    reject "ptd/header/flatbuffer-size-short": "flatbuffer_size cuts the FlatBuffer"
        breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 16_u64);

    /// `flatbuffer_offset` is 0 instead of the position after the header, but the FlatBuffer's end is correct. Readers
    /// that check only the FlatBuffer's end accept the file.
    either "ptd/header/flatbuffer-offset-unusual": "flatbuffer_offset 0 with the same sum"
        about rules::FH_FB_OFFSET_PADDED, from "ptd/valid/tensors" => |file| {
            let sum = file.u64_at(16) as u64 + file.u64_at(24) as u64;
            file.header("flatbuffer_offset", 0_u64);
            file.header("flatbuffer_size", sum);
        };

    /// The sum of segment base and data size wraps to 16. A reader that compares only the wrapped sum with the file's
    /// size accepts segments of any size.
    reject "ptd/header/data-sum-wraps": "base + segment_data_size wraps" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors"
        => |file| file.header("segment_data_size", 0_u64.wrapping_sub(file.u64_at(32) as u64).wrapping_add(16));

    /// `segment_data_size` is 2^64 − 1. The sum of segment base and data size wraps to 511, which is inside the file. A
    /// reader that compares only the wrapped sum with the file's size accepts segments of any size.
    reject "ptd/header/data-size-max": "segment_data_size 2^64 − 1" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", u64::MAX);

    /// The header declares one byte more data than the file contains. Each segment is inside the file, so only a check
    /// of segment base plus data size detects the missing byte.
    reject "ptd/header/data-size-past-file": "segment_data_size one byte past the file" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", file.u64_at(40) as u64 + 1);

    /// The segment base is 2^50, past the end of the file. A reader must check the segment base when it opens the file.
    /// A reader that reads only keys and layouts does not detect the wrong segment base.
    reject "ptd/header/base-past-file": "segment_base_offset past the file" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 1_u64 << 50);

    /// The segment base is 2^64 − 1. The sum of segment base and data size wraps to 271, which is inside the file. With
    /// a segment base of 2^64 − 1, the first tensor begins one byte before the file.
    reject "ptd/header/base-max": "segment_base_offset 2^64 − 1" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", u64::MAX);

    /// The header declares a data size of 0, but three segments contain bytes. In a program, a data size of 0 means
    /// that the size is unknown. A reader that applies this meaning to data files accepts segments of any size.
    reject "ptd/header/data-size-0": "segment_data_size 0 and nonempty segments" breaks flat_tensor::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", 0_u64);

    /// The segment base is 0. The sum of segment base and data size is inside the file, but the tensor `weight` begins
    /// at byte 0, where the root offset is. A reader must check that the segment base is after the FlatBuffer.
    reject "ptd/header/base-0": "segment_base_offset 0" breaks rules::FH_BASE_GE_FB,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 0_u64);

    /// The segment base is one byte before the FlatBuffer's end. The FlatBuffer's last byte is therefore both part of a
    /// segment's size and the first byte of `weight`. In a memory-mapped file, a write to the tensor changes a size
    /// that the reader has already verified.
    reject "ptd/header/base-overlaps-by-one-byte": "segment_base_offset one byte inside the FlatBuffer"
        breaks rules::FH_BASE_GE_FB, from "ptd/valid/tensors"
        => |file| file.header("segment_base_offset", file.u64_at(16) as u64 + file.u64_at(24) as u64 - 1);

    /// The segment base is too large by 2^32, so it lies outside the file. A reader that truncates the segment base to
    /// 32 bits gets the correct value, 512, and accepts the file.
    reject "ptd/header/base-wraps-32-bits": "segment_base_offset too large by 2^32" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", file.u64_at(32) as u64 + (1 << 32));

    /// `segment_data_size` is too large by 2^32. In 32-bit arithmetic, the segment base plus the data size is 784, the
    /// file's size, so a check for truncated data passes.
    reject "ptd/header/data-size-wraps-32-bits": "segment_data_size too large by 2^32" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", file.u64_at(40) as u64 + (1 << 32));

    /// `flatbuffer_size` is too large by 2^32. In 32-bit arithmetic, the FlatBuffer's end is the correct value, 400, so
    /// the check passes.
    reject "ptd/header/flatbuffer-size-wraps-32-bits": "flatbuffer_size too large by 2^32" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", file.u64_at(24) as u64 + (1 << 32));

    /// The segment base and the data size are 0, as in a file without data, but three segments contain bytes. A reader
    /// that computes positions from byte 0 returns the header as tensor data.
    reject "ptd/header/base-0-and-data-size-0": "segment_base_offset 0, segment_data_size 0 and nonempty segments"
        breaks flat_tensor::FT_SEG_BOUND, from "ptd/valid/tensors" => |file| {
            file.header("segment_base_offset", 0_u64);
            file.header("segment_data_size", 0_u64);
        };

    /// The segment base is inside the FlatBuffer, so `weight` overlaps the root table's vtable and the list of entries.
    /// In a memory-mapped file, a write to the tensor changes tables that the reader has already verified.
    reject "ptd/header/base-inside-flatbuffer": "segment_base_offset inside the FlatBuffer" breaks rules::FH_BASE_GE_FB,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 64_u64);

    /// The data size includes padding after the last segment. No tensor uses the padding, but a segment that extends
    /// into the padding passes the bounds check.
    either "ptd/header/data-size-too-large": "segment_data_size past the last segment" about rules::FH_DATA_EXACT,
        from "ptd/trailing/page-padding" => |file| file.header("segment_data_size", file.u64_at(40) as u64 + 32);

    /// The segment base is 8 bytes past a multiple of 16. Segment offsets are relative to the segment base, so all
    /// segments in a memory-mapped file are unaligned. Kernels that load 16 bytes at once can fault.
    either "ptd/header/base-unaligned": "segment_base_offset not a multiple of 16" about rules::FH_BASE_ALIGNED,
        from "ptd/valid/tensors" => |file| {
            let base = file.u64_at(32);
            file.insert(base, &[0; 8]);
            file.header("segment_base_offset", base as u64 + 8);
        };

    /// The eight padding bytes after the header contain text instead of zeros. A newer header version can use the
    /// padding bytes for a field.
    either "ptd/header/padding-not-zero": "hidden bytes after the header" about rules::FH_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| file.put(48, b"hidden!!");

    /// Eight bytes between the FlatBuffer and the segments contain text instead of zeros. Verifiers and lookups ignore
    /// these bytes, so the bytes can hide data.
    either "ptd/header/gap-not-zero": "hidden bytes before the segments" about rules::FH_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| file.put(file.u64_at(32) - 8, b"hidden!!");
}

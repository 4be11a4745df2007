//! Cases about a data file's identifier and header, with each header field at the limits of its range.

use super::cases;
use super::defects::size_prefix;
use crate::rules::{flat_tensor, flatbuffer, ptd_header as rules};

cases! {
    /// A different number means an incompatible format. Even a reader that recognizes legacy files by their root table
    /// has to compare the identifier.
    reject "ptd/identifier/next-version": "identifier FT02" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"FT02");

    /// No release ever wrote `FT00`, but a reader that accepts every version up to `FT01` takes the file for an older data file.
    reject "ptd/identifier/previous-version": "identifier FT00" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"FT00");

    /// Comparing the identifier as a native integer gives host-dependent results, so a reader has to compare its bytes.
    reject "ptd/identifier/swapped": "identifier 10TF, in reverse byte order" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, b"10TF");

    /// The header is valid. A reader that looks only for `FH01` does not notice that the tables may belong to another
    /// format.
    reject "ptd/identifier/zeros": "no identifier" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "ptd/valid/tensors" => |file| file.put(4, &[0; 4]);

    /// Every field begins four bytes late, so the identifier is where the header magic should be. FlatBuffers tools
    /// that support size prefixes still open the file.
    reject "ptd/identifier/size-prefix": "size prefix before the root offset" breaks flatbuffer::FB_NOT_SIZE_PREFIXED,
        from "ptd/valid/tensors" => size_prefix;

    /// The header has an unknown version. There is no fallback, because a data file, unlike a program, cannot be headerless.
    reject "ptd/header/magic-next-version": "header magic FH02" breaks rules::FH_MAGIC_EXACT,
        from "ptd/valid/tensors" => |file| file.header("magic", b"FH02");

    /// No release ever wrote `FH00`: data file headers start at version 01, although program headers start at 00.
    reject "ptd/header/magic-previous-version": "header magic FH00" breaks rules::FH_MAGIC_EXACT,
        from "ptd/valid/tensors" => |file| file.header("magic", b"FH00");

    /// A reader that parses program and data file headers with the same code accepts this magic and misreads the fields.
    reject "ptd/header/magic-of-a-program": "header magic eh00" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", b"eh00");

    /// The magic must match exactly, but a case-insensitive comparison accepts `fh01`.
    reject "ptd/header/magic-lower-case": "header magic fh01" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", b"fh01");

    /// Data files cannot be headerless. A reader that falls back to base 0 returns the file's first bytes as `weight`.
    reject "ptd/header/absent": "no header magic" breaks rules::FH_REQUIRED,
        from "ptd/valid/tensors" => |file| file.header("magic", &[0; 4]);

    /// The shortest header has 40 bytes, so this length is one byte too small. A reader that applies the minimum for
    /// programs, 24, accepts it.
    reject "ptd/header/length-39": "header length 39" breaks rules::FH_LENGTH,
        from "ptd/valid/tensors" => |file| file.header("length", 39_u32);

    /// A reader that skips as many bytes as the length says skips nothing, and parses the header as part of the FlatBuffer.
    reject "ptd/header/length-0": "header length 0" breaks rules::FH_LENGTH,
        from "ptd/valid/tensors" => |file| file.header("length", 0_u32);

    /// The format document requires a length of 40, but known readers also accept larger values.
    either "ptd/header/length-48": "header length 48" about rules::FH_LENGTH_FIXED,
        from "ptd/valid/tensors" => |file| file.header("length", 48_u32);

    /// The format document requires a length of 40. A reader that checks only the minimum accepts this one, and if it
    /// then skips that many bytes, it reads outside the file.
    either "ptd/header/length-max": "header length 2^32 − 1" about rules::FH_LENGTH_FIXED,
        from "ptd/valid/tensors" => |file| file.header("length", u32::MAX);

    /// Because the sum wraps to 0, the FlatBuffer seems to be empty, and loading 0 bytes can return null.
    reject "ptd/header/flatbuffer-sum-wraps-to-0": "flatbuffer_offset + flatbuffer_size wraps to 0"
        breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64.wrapping_sub(48));

    /// The offset is 2^64 − 1, but the sum wraps to 400, the FlatBuffer's correct end. Comparing the sum with the
    /// file's size therefore does not reveal the overflow.
    reject "ptd/header/flatbuffer-sum-wraps-to-end": "flatbuffer_offset + flatbuffer_size wraps to the correct sum"
        breaks rules::FH_FB_SUM, from "ptd/valid/tensors" => |file| {
            let sum = file.u64_at(16) as u64 + file.u64_at(24) as u64;
            file.header("flatbuffer_offset", u64::MAX);
            file.header("flatbuffer_size", sum + 1);
        };

    /// The sum wraps to 351. That is inside the file, but the FlatBuffer then ends 49 bytes too early.
    reject "ptd/header/flatbuffer-offset-max": "flatbuffer_offset 2^64 − 1" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_offset", u64::MAX);

    /// The sum wraps to 47, which is inside the header, so the root table at byte 68 is outside the FlatBuffer.
    reject "ptd/header/flatbuffer-size-max": "flatbuffer_size 2^64 − 1" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", u64::MAX);

    /// The offset is 2^40, so a reader has to compare the FlatBuffer's end with the file's size before it loads anything.
    reject "ptd/header/flatbuffer-offset-past-file": "flatbuffer_offset past the file" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_offset", 1_u64 << 40);

    /// The FlatBuffer ends right after the header, before its root table. A reader that compares the root offset only
    /// with the file's size does not notice.
    reject "ptd/header/flatbuffer-size-0": "flatbuffer_size 0" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64);

    /// The FlatBuffer ends before byte 8, where its identifier ends. Subtracting 8 from its size without a check wraps.
    reject "ptd/header/flatbuffer-end-6": "FlatBuffer of 6 bytes" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| {
            file.header("flatbuffer_offset", 0_u64);
            file.header("flatbuffer_size", 6_u64);
        };

    /// Some loaders silently return fewer bytes than requested, so the reader itself has to compare the FlatBuffer's
    /// end with the file's size.
    reject "ptd/header/flatbuffer-past-file": "FlatBuffer that ends one byte past the file" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors"
        => |file| file.header("flatbuffer_size", file.len() as u64 + 1 - file.u64_at(16) as u64);

    /// The FlatBuffer ends at byte 64, but its root table is at 68. Comparing 68 with the file's size is not enough.
    reject "ptd/header/flatbuffer-size-short": "flatbuffer_size cuts the FlatBuffer"
        breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", 16_u64);

    /// The offset should be the length of the padded header. Even so, the sum is the FlatBuffer's correct end, and
    /// readers use only the sum.
    either "ptd/header/flatbuffer-offset-unusual": "flatbuffer_offset 0 with the same sum"
        about rules::FH_FB_OFFSET_PADDED, from "ptd/valid/tensors" => |file| {
            let sum = file.u64_at(16) as u64 + file.u64_at(24) as u64;
            file.header("flatbuffer_offset", 0_u64);
            file.header("flatbuffer_size", sum);
        };

    /// The sum wraps to 16, inside the file, so a reader that merely compares it with the file's size accepts the header.
    reject "ptd/header/data-sum-wraps": "base + segment_data_size wraps" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors"
        => |file| file.header("segment_data_size", 0_u64.wrapping_sub(file.u64_at(32) as u64).wrapping_add(16));

    /// The sum wraps to 511, which is inside the file. If a reader accepts the sum, every segment fits into the huge data size.
    reject "ptd/header/data-size-max": "segment_data_size 2^64 − 1" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", u64::MAX);

    /// Each segment is inside the file, so only adding the data size to the base reveals the missing byte.
    reject "ptd/header/data-size-past-file": "segment_data_size one byte past the file" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", file.u64_at(40) as u64 + 1);

    /// The base is 2^50. A reader that loads only keys and layouts does not notice unless it checks the base up front.
    reject "ptd/header/base-past-file": "segment_base_offset past the file" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 1_u64 << 50);

    /// The base plus the size wraps to 271, which is inside the file, but the first tensor would begin one byte before
    /// the file.
    reject "ptd/header/base-max": "segment_base_offset 2^64 − 1" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", u64::MAX);

    /// In a program, a data size of 0 means that the size is unknown. A reader that assumes the same for data files
    /// accepts segments of any size.
    reject "ptd/header/data-size-0": "segment_data_size 0 and nonempty segments" breaks flat_tensor::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", 0_u64);

    /// The base plus the size is inside the file, but `weight` begins at byte 0, where the root offset is. The base
    /// must come after the FlatBuffer.
    reject "ptd/header/base-0": "segment_base_offset 0" breaks rules::FH_BASE_GE_FB,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 0_u64);

    /// The first byte of `weight` also belongs to a segment's size in the FlatBuffer. If the file is mapped, writing to
    /// `weight` changes a size that has already been verified.
    reject "ptd/header/base-overlaps-by-one-byte": "segment_base_offset one byte inside the FlatBuffer"
        breaks rules::FH_BASE_GE_FB, from "ptd/valid/tensors"
        => |file| file.header("segment_base_offset", file.u64_at(16) as u64 + file.u64_at(24) as u64 - 1);

    /// Truncated to 32 bits, the base is 512, which happens to be the correct value.
    reject "ptd/header/base-wraps-32-bits": "segment_base_offset too large by 2^32" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", file.u64_at(32) as u64 + (1 << 32));

    /// In 32-bit arithmetic, the base plus the size is 784, which is exactly the file's size.
    reject "ptd/header/data-size-wraps-32-bits": "segment_data_size too large by 2^32" breaks rules::FH_BASE_DATA_SUM,
        from "ptd/valid/tensors" => |file| file.header("segment_data_size", file.u64_at(40) as u64 + (1 << 32));

    /// In 32-bit arithmetic, the FlatBuffer ends at byte 400, which is its correct end.
    reject "ptd/header/flatbuffer-size-wraps-32-bits": "flatbuffer_size too large by 2^32" breaks rules::FH_FB_SUM,
        from "ptd/valid/tensors" => |file| file.header("flatbuffer_size", file.u64_at(24) as u64 + (1 << 32));

    /// Zeros in both fields mean that there is no data, but three segments have bytes. A reader that resolves `weight`
    /// from byte 0 returns the start of the file.
    reject "ptd/header/base-0-and-data-size-0": "segment_base_offset 0, segment_data_size 0 and nonempty segments"
        breaks flat_tensor::FT_SEG_BOUND, from "ptd/valid/tensors" => |file| {
            file.header("segment_base_offset", 0_u64);
            file.header("segment_data_size", 0_u64);
        };

    /// `weight` overlaps the root table's vtable and the list of entries. If the file is mapped, writing to `weight`
    /// changes tables that have already been verified.
    reject "ptd/header/base-inside-flatbuffer": "segment_base_offset inside the FlatBuffer" breaks rules::FH_BASE_GE_FB,
        from "ptd/valid/tensors" => |file| file.header("segment_base_offset", 64_u64);

    /// The size includes padding after the last segment. No tensor uses the padding, but a segment that reached into it
    /// would pass the bounds check.
    either "ptd/header/data-size-too-large": "segment_data_size past the last segment" about rules::FH_DATA_EXACT,
        from "ptd/trailing/page-padding" => |file| file.header("segment_data_size", file.u64_at(40) as u64 + 32);

    /// The base is 8 bytes past a multiple of 16, so every segment in a mapped file is misaligned. Kernels that load 16
    /// bytes at once can fault.
    either "ptd/header/base-unaligned": "segment_base_offset not a multiple of 16" about rules::FH_BASE_ALIGNED,
        from "ptd/valid/tensors" => |file| {
            let base = file.u64_at(32);
            file.insert(base, &[0; 8]);
            file.header("segment_base_offset", base as u64 + 8);
        };

    /// The eight bytes after the header contain text. They should be zero, and a newer version could put a field there.
    either "ptd/header/padding-not-zero": "hidden bytes after the header" about rules::FH_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| file.put(48, b"hidden!!");

    /// The gap between the FlatBuffer and the segments contains eight bytes of text. Verifiers and look-ups skip the
    /// gap, so it can hide data.
    either "ptd/header/gap-not-zero": "hidden bytes before the segments" about rules::FH_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| file.put(file.u64_at(32) - 8, b"hidden!!");
}

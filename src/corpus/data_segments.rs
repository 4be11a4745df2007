//! Cases about a data file's segments: ranges, order, overlap and references.

use super::cases;
use crate::rules::flat_tensor as rules;

cases! {
    /// The list has three segments and the index is 3. The reader follows the word after the list almost 4 GiB ahead
    /// and reads the tensor's offset and size there.
    reject "ptd/segments/index-past-end": "segment index past the list" breaks rules::FT_SEG_INDEX,
        from "ptd/valid/tensors", refs ["pytorch/executorch#19057"]
        => |file| file.scalar("named_data[1].segment_index", 3_u32);

    /// In a check that compares index + 1 with the count, the sum wraps to 0 in 32 bits, so the check passes.
    reject "ptd/segments/index-max": "segment index 2^32 − 1" breaks rules::FT_SEG_INDEX,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[1].segment_index", u32::MAX);

    /// The segment of `scale` has 1 000 bytes, but the file contains only 16 of these bytes. A mapping returns zeros up
    /// to the page's end without an error.
    reject "ptd/segments/past-data": "segment ends past the data" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.scalar("segments[2].size", 1000_u64);

    /// The segment ends past the data that the header counts, but inside a padded file. A reader that checks only
    /// the file's end returns the padding.
    reject "ptd/segments/past-data-inside-file": "segment reaches into trailing bytes" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| {
            file.scalar("segments[2].size", 64_u64);
            file.append(&[0; 64]);
        };

    /// `scale` begins a terabyte past the file. A 32-bit host truncates the offset to 0 and returns the first bytes
    /// of `weight`.
    reject "ptd/segments/past-file-by-offset": "segment begins past the file" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.scalar("segments[2].offset", 1_u64 << 40);

    /// The segment has no bytes, so no load fails. A tool that rewrites segments at their offsets creates a file of
    /// a terabyte.
    reject "ptd/segments/empty-past-file": "empty segment past the file" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/empty-blob" => |file| file.scalar("segments[1].offset", 1_u64 << 40);

    /// The end wraps to 127, which is before the segment's start but inside the data. Adding the base gives 639, inside
    /// the file.
    reject "ptd/segments/end-wraps": "segment offset + size wraps" breaks rules::FT_SEG_END_NO_OVERFLOW,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].size", u64::MAX);

    /// Base plus offset wraps to 0, so `bias` becomes the file's first 32 bytes. A check that compares the segment's
    /// end with the data size detects the wrap.
    reject "ptd/segments/base-sum-wraps": "base + segment offset wraps to the file's start"
        breaks rules::FT_SEG_ABS_NO_OVERFLOW,
        from "ptd/valid/tensors" => |file| {
            let offset = 0_u64.wrapping_sub(file.u64_at(32) as u64);
            file.scalar("segments[1].offset", offset);
        };

    /// The tensor `weight` has 48 bytes, but its segment has 129 bytes, and `bias` begins at 128. A tool that writes
    /// segments back writes byte 128 twice.
    reject "ptd/segments/overlap-by-one-byte": "two segments share a byte" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[0].size", 129_u64);

    /// `bias` starts at the first byte of `weight`. Each lookup alone is valid: its segment is inside the data and
    /// large enough.
    reject "ptd/segments/overlap-equal": "two segments at the same offset" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].offset", 0_u64);

    /// The segment of `bias` contains that of `scale`. The layout of `bias` uses only 32 bytes, so nothing fails until
    /// a tool writes one of the two segments back.
    reject "ptd/segments/overlap-nested": "segment inside another" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].size", 144_u64);

    /// `scale` spans 128 to 228, and `bias`, listed before it, begins at 224. A reader that compares only neighbours in
    /// the list finds no overlap.
    reject "ptd/segments/overlap-out-of-order": "overlap between segments out of order" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| {
            file.scalar("segments[1].offset", 224_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[2].size", 100_u64);
        };

    /// A reader that ends each segment where the next begins, or streams the file in table order, must read backward.
    either "ptd/segments/out-of-order": "segments not sorted by offset" about rules::FT_SEG_SORTED,
        from "ptd/valid/tensors" => |file| {
            file.scalar("segments[1].offset", 224_u64);
            file.scalar("segments[2].offset", 128_u64);
        };

    /// Offset 120 is a multiple of 8 but not of 16. At this offset, single floats are aligned, but loads of four floats
    /// are not.
    either "ptd/segments/unaligned": "segment not at a multiple of 16" about rules::FT_SEG_ALIGNED,
        from "ptd/valid/prefix-keys" => |file| file.scalar("segments[1].offset", 120_u64);

    /// No tensor includes these bytes, so checksums and copies of single tensors omit the bytes. A copy of the file
    /// keeps them.
    either "ptd/segments/padding-not-zero": "hidden bytes between segments" about rules::FT_SEG_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| file.put(file.u64_at(32) + 64, b"hidden!!");

    /// `w.bias` names the segment of `w`, which is large enough, so no lookup fails. No key leads to the eight bytes of
    /// the segment of `w.bias`.
    either "ptd/segments/unreferenced": "segment without any reference" about rules::FT_SEG_REFERENCED,
        from "ptd/valid/prefix-keys" => |file| file.scalar("named_data[1].segment_index", 0_u32);
}

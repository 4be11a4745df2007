//! A data file's segment table: ranges, order, overlap, and what refers to it.

use super::cases;
use crate::rules::flat_tensor as rules;

cases! {
    /// One past a list of three, where a table begins. Its distance to its vtable is taken for a reference, and leads
    /// almost 4 GiB ahead for the tensor's place and size.
    reject "ptd/segments/index-past-end": "segment index past the list" breaks rules::FT_SEG_INDEX,
        from "ptd/valid/tensors", refs ["pytorch/executorch#19057"] => |file| file.scalar("named_data[1].segment_index", 3_u32);

    /// A check that asks whether the index plus 1 is at most the count adds up to 0 in 32 bits, and passes.
    reject "ptd/segments/index-max": "segment index 2^32 − 1" breaks rules::FT_SEG_INDEX,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[1].segment_index", u32::MAX);

    /// 1 000 bytes of `scale`, of which the file has 16. A mapping gives the rest out without an error up to the page's
    /// end; the header's 272 bytes of data would have shown it at once.
    reject "ptd/segments/past-data": "segment ends past the data" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.scalar("segments[2].size", 1000_u64);

    /// A segment past the data that the header counts and inside a padded file. A reader that compares the end from the base
    /// with the end from the file's start hands out the padding.
    reject "ptd/segments/past-data-inside-file": "segment reaches into trailing bytes" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| {
            file.scalar("segments[2].size", 64_u64);
            file.append(&[0; 64]);
        };

    /// `scale` is a terabyte past the file. A 32-bit host cuts the offset to 0, and gives out the first bytes of
    /// `weight` in its place.
    reject "ptd/segments/past-file-by-offset": "segment begins past the file" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.scalar("segments[2].offset", 1_u64 << 40);

    /// Nothing is read of it, so no read fails. A tool that lays segments out anew by their offsets makes a file of a
    /// terabyte for it.
    reject "ptd/segments/empty-past-file": "segment of no bytes past the file" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/empty-blob" => |file| file.scalar("segments[1].offset", 1_u64 << 40);

    /// The end wraps to 127, before the segment's own beginning and within the data. Counted from the file's start it
    /// is 639, within the file as well.
    reject "ptd/segments/end-wraps": "offset + size wraps" breaks rules::FT_SEG_END_NO_OVERFLOW,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].size", u64::MAX);

    /// Offset and size stay below 2^64, and with the base the sum is 0: `bias` becomes the file's first 32 bytes.
    /// Comparing its end with the size of the data would find it, before the base is added.
    reject "ptd/segments/base-sum-wraps": "base + offset wraps to the file's start" breaks rules::FT_SEG_ABS_NO_OVERFLOW,
        from "ptd/valid/tensors" => |file| {
            let offset = 0_u64.wrapping_sub(file.u64_at(32) as u64);
            file.scalar("segments[1].offset", offset);
        };

    /// By its layout `weight` has 48 bytes and touches nothing; its segment has 129, and `bias` begins at 128. Who
    /// loads or writes back by segments has that byte twice.
    reject "ptd/segments/overlap-by-one-byte": "two segments share a byte" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[0].size", 129_u64);

    /// `bias` is read from the first bytes of `weight`. Each look-up for itself is right: its segment is inside the
    /// data and large enough.
    reject "ptd/segments/overlap-equal": "two segments at the same place" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].offset", 0_u64);

    /// The segment of `bias` reaches over that of `scale` to the end of the data. Its layout takes the first 32 bytes,
    /// so no tensor is wrong until one of the two is written back.
    reject "ptd/segments/overlap-nested": "a segment inside another" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].size", 144_u64);

    /// `scale` reaches from 128 to 228, and `bias`, listed in front of it, begins at 224. A reader that compares each
    /// entry with the next takes it for disorder, which is allowed.
    reject "ptd/segments/overlap-out-of-order": "overlap between segments out of order" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| {
            file.scalar("segments[1].offset", 224_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[2].size", 100_u64);
        };

    /// A reader that takes the next entry's offset for the end of this one, or streams the file in the table's order,
    /// goes backward from the second to the third.
    either "ptd/segments/out-of-order": "segments not sorted by offset" about rules::FT_SEG_SORTED,
        from "ptd/valid/tensors" => |file| {
            file.scalar("segments[1].offset", 224_u64);
            file.scalar("segments[2].offset", 128_u64);
        };

    /// 120 is a multiple of 8 and not of 16: single floats are aligned there, and four that are loaded at once are not.
    either "ptd/segments/unaligned": "segment not at a multiple of 16" about rules::FT_SEG_ALIGNED,
        from "ptd/valid/prefix-keys" => |file| file.scalar("segments[1].offset", 120_u64);

    /// A checksum over each tensor does not cover these bytes, and a copy of each tensor loses them; a copy of the file
    /// keeps them.
    either "ptd/segments/padding-not-zero": "bytes hidden between segments" about rules::FT_SEG_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| file.put(file.u64_at(32) + 64, b"hidden!!");

    /// `w.bias` leads to the bytes of `w`, which are more than it needs, so that both layouts fit and no look-up fails.
    /// Its own eight bytes are left without a key.
    either "ptd/segments/unreferenced": "segment that nothing refers to" about rules::FT_SEG_REFERENCED,
        from "ptd/valid/prefix-keys" => |file| file.scalar("named_data[1].segment_index", 0_u32);
}

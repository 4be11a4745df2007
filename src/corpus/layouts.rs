//! Cases about tensor layouts in data files.

use super::cases;
use crate::rules::flat_tensor as rules;

cases! {
    /// The layout is present but has no sizes; a tensor of no dimensions has an empty list. A reader dereferences a
    /// null pointer to get the rank.
    reject "ptd/layout/sizes-absent": "layout sizes absent" breaks rules::FT_LAYOUT_SIZES,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[0].tensor_layout", 1, 0);

    /// Sizes and type give a valid byte count, so bounds checks pass. A reader that later walks `dim_order`
    /// dereferences a null pointer.
    reject "ptd/layout/dim-order-absent": "layout dim_order absent" breaks rules::FT_LAYOUT_DIMORDER,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[0].tensor_layout", 2, 0);

    /// A reader that walks both lists by the number of sizes reads the second entry from the byte after `dim_order`.
    /// Here, that byte happens to have the right value.
    reject "ptd/layout/dim-order-short": "layout dim_order shorter than sizes" breaks rules::FT_LAYOUT_RANK,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].tensor_layout.dim_order", 1);

    /// The runtime supports 16 dimensions. A reader that copies the layout to the stack, to compare it with the
    /// program's tensor, writes past the array.
    reject "ptd/layout/rank-17": "seventeen dimensions in a layout" breaks rules::FT_LAYOUT_RANK,
        from "ptd/valid/rank-16", refs ["CVE-2025-54951", "GHSA-xc7w-r669-48pf"] => |file| {
            file.count("named_data[0].tensor_layout.sizes", 17);
            file.count("named_data[0].tensor_layout.dim_order", 17);
        };

    /// Each entry is below the rank, so a range check passes. The reader sets the stride of dimension 1 twice and
    /// leaves that of dimension 0 uninitialized.
    reject "ptd/layout/dim-order-twice": "repeated dimension in a layout dim_order" breaks rules::FT_LAYOUT_PERM,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].tensor_layout.dim_order", 0, &[1, 1]);

    /// The entry is 200, and the rank is 2. The reader computes a stride from a size 800 bytes after the first size,
    /// past the file.
    reject "ptd/layout/dim-order-past-rank": "layout dim_order entry past the rank" breaks rules::FT_LAYOUT_PERM,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].tensor_layout.dim_order", 1, &[200]);

    /// The byte count is −12. As a signed number, −12 is less than any segment's size; as an unsigned number, it is
    /// almost 2^64.
    reject "ptd/layout/size-negative": "layout size −1" breaks rules::FT_LAYOUT_SIZES_NONNEG,
        from "ptd/valid/tensors", refs ["pytorch/executorch#19055"]
        => |file| file.elements("named_data[0].tensor_layout.sizes", 0, &(-1_i32).to_le_bytes());

    /// 4 × −2^31 is 0 in 32 bits, so the tensor seems empty. Taking the absolute value does not help, because −2^31
    /// has no positive counterpart.
    reject "ptd/layout/size-min": "layout size −2^31" breaks rules::FT_LAYOUT_SIZES_NONNEG,
        from "ptd/valid/tensors"
        => |file| file.elements("named_data[0].tensor_layout.sizes", 4, &i32::MIN.to_le_bytes());

    /// The product of the sizes wraps to 0 in 64 bits, so every comparison with the segment passes.
    reject "ptd/layout/nbytes-wraps": "product of layout sizes wraps to 0" breaks rules::FT_LAYOUT_NBYTES,
        from "ptd/valid/rank-16", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"] => |file| {
            for dimension in 0..4 {
                file.elements("named_data[0].tensor_layout.sizes", 4 * dimension, &0x1_0000_i32.to_le_bytes());
            }
        };

    /// The value is no scalar type. A lookup of the element width reads past a table or aborts the process.
    reject "ptd/layout/scalar-type-99": "layout scalar type 99" breaks rules::FT_LAYOUT_SCALAR,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[0].tensor_layout.scalar_type", 99_i8);

    /// A check of the upper end accepts −1, and the reader takes the element width from before the table. As an
    /// unsigned number, the value is 255.
    reject "ptd/layout/scalar-type-negative": "layout scalar type −1" breaks rules::FT_LAYOUT_SCALAR,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[0].tensor_layout.scalar_type", -1_i8);

    /// The runtime's scalar types are 0 to 29. An off-by-one check accepts 30, and the reader takes the width from
    /// after the table.
    reject "ptd/layout/scalar-type-30": "layout scalar type 30" breaks rules::FT_LAYOUT_SCALAR,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[0].tensor_layout.scalar_type", 30_i8);

    /// The layout needs 12 288 bytes, and the segment has 48. A reader that loads the segment's bytes and computes with
    /// the layout's sizes reads past the loaded bytes.
    reject "ptd/layout/larger-than-segment": "tensor larger than its segment" breaks rules::FT_LAYOUT_FITS_SEGMENT,
        from "ptd/valid/tensors"
        => |file| file.elements("named_data[0].tensor_layout.sizes", 0, &1024_i32.to_le_bytes());

    /// The layout uses 12 of the segment's 48 bytes. A reader that requires equal sizes rejects the file. A reader that
    /// copies the layout's 12 bytes silently drops the other 36.
    either "ptd/layout/smaller-than-segment": "tensor smaller than its segment" about rules::FT_LAYOUT_FILLS_SEGMENT,
        from "ptd/valid/tensors"
        => |file| file.elements("named_data[0].tensor_layout.sizes", 0, &1_i32.to_le_bytes());
}

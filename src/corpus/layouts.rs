//! Tensor layouts in data files: what a reader copies by.

use super::cases;
use crate::rules::flat_tensor as rules;

cases! {
    /// There is a layout, so a reader that asks that goes on, and takes the rank from a null pointer. A tensor of no
    /// dimensions has an empty list and not none.
    reject "ptd/layout/sizes-absent": "sizes absent" breaks rules::FT_LAYOUT_SIZES,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[0].tensor_layout", 1, 0);

    /// Sizes and type are enough to count bytes, so every bound on them passes. The order is walked later, for as many
    /// entries as there are sizes, in a list that is not there.
    reject "ptd/layout/dim-order-absent": "dim_order absent" breaks rules::FT_LAYOUT_DIMORDER,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[0].tensor_layout", 2, 0);

    /// A reader that walks both lists by the length of the sizes takes the second entry from behind the order. Here it
    /// is the byte that was counted before, so the tensor comes out right.
    reject "ptd/layout/dim-order-short": "dim_order shorter than sizes" breaks rules::FT_LAYOUT_RANK,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].tensor_layout.dim_order", 1);

    /// More dimensions than the runtime has room for on its stack. A reader that copies the layout there, to compare it
    /// with the program's tensor, writes behind the end before it finds them different.
    reject "ptd/layout/rank-17": "seventeen dimensions" breaks rules::FT_LAYOUT_RANK,
        from "ptd/valid/rank-16", refs ["CVE-2025-54951", "GHSA-xc7w-r669-48pf"] => |file| {
            file.count("named_data[0].tensor_layout.sizes", 17);
            file.count("named_data[0].tensor_layout.dim_order", 17);
        };

    /// Each entry is below the rank, which is all that a check of the range asks. The loop over the order gives
    /// dimension 1 its stride twice, and dimension 0 keeps what the memory held.
    reject "ptd/layout/dim-order-twice": "a dimension twice in dim_order" breaks rules::FT_LAYOUT_PERM,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].tensor_layout.dim_order", 0, &[1, 1]);

    /// A size is looked up for dimension 200 of two: 800 bytes behind the first size, past the end of the file, and a
    /// stride is made of it.
    reject "ptd/layout/dim-order-past-rank": "a dimension past the rank" breaks rules::FT_LAYOUT_PERM,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].tensor_layout.dim_order", 1, &[200]);

    /// −1 by 3 floats are −12 bytes: as a signed number fewer than any segment has, and as an unsigned one close to
    /// 2^64.
    reject "ptd/layout/size-negative": "size −1" breaks rules::FT_LAYOUT_SIZES_NONNEG,
        from "ptd/valid/tensors", refs ["pytorch/executorch#19055"]
        => |file| file.elements("named_data[0].tensor_layout.sizes", 0, &(-1_i32).to_le_bytes());

    /// 4 times −2^31 is 0 in 32 bits, so the tensor seems to have no elements. The size has no positive counterpart, so
    /// taking its absolute value does not help.
    reject "ptd/layout/size-min": "size −2^31" breaks rules::FT_LAYOUT_SIZES_NONNEG,
        from "ptd/valid/tensors"
        => |file| file.elements("named_data[0].tensor_layout.sizes", 4, &i32::MIN.to_le_bytes());

    /// Sizes whose product wraps to 0 in 64 bits: every check of bytes against the segment passes.
    reject "ptd/layout/nbytes-wraps": "product of sizes wraps to 0" breaks rules::FT_LAYOUT_NBYTES,
        from "ptd/valid/rank-16", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"] => |file| {
            for dimension in 0..4 {
                file.elements("named_data[0].tensor_layout.sizes", 4 * dimension, &0x1_0000_i32.to_le_bytes());
            }
        };

    /// A scalar type that is none: looking up its size runs off a table, or aborts.
    reject "ptd/layout/scalar-type-99": "scalar type 99" breaks rules::FT_LAYOUT_SCALAR,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[0].tensor_layout.scalar_type", 99_i8);

    /// Below the last type, so a test against that passes, and the width is looked up in front of the table. As an
    /// unsigned byte it is 255.
    reject "ptd/layout/scalar-type-negative": "scalar type −1" breaks rules::FT_LAYOUT_SCALAR,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[0].tensor_layout.scalar_type", -1_i8);

    /// The runtime knows thirty types, from 0 to 29. A test that is off by one lets 30 pass, and takes the width of an
    /// element from behind the table.
    reject "ptd/layout/scalar-type-30": "scalar type 30" breaks rules::FT_LAYOUT_SCALAR,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[0].tensor_layout.scalar_type", 30_i8);

    /// The layout asks for 12 288 bytes and the segment has 48. A reader that loads by the one and computes by the
    /// other reads what stands behind the load.
    reject "ptd/layout/larger-than-segment": "tensor larger than its segment" breaks rules::FT_LAYOUT_FITS_SEGMENT,
        from "ptd/valid/tensors"
        => |file| file.elements("named_data[0].tensor_layout.sizes", 0, &1024_i32.to_le_bytes());

    /// The layout accounts for 12 of the segment's 48 bytes. A reader that wants both equal refuses the file, and one
    /// that copies by the layout loses the rest without a word.
    either "ptd/layout/smaller-than-segment": "tensor smaller than its segment" about rules::FT_LAYOUT_FILLS_SEGMENT,
        from "ptd/valid/tensors"
        => |file| file.elements("named_data[0].tensor_layout.sizes", 0, &1_i32.to_le_bytes());
}

//! Tensor layouts in data files: what a reader copies by.

use super::cases;
use crate::rules::flat_tensor as rules;

cases! {
    /// A layout without sizes. Readers that take them for granted follow a null pointer.
    reject "ptd/layout/sizes-absent": "sizes absent" breaks rules::FT_LAYOUT_SIZES,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[0].tensor_layout", 1, 0);

    /// A layout without an order of dimensions.
    reject "ptd/layout/dim-order-absent": "dim_order absent" breaks rules::FT_LAYOUT_DIMORDER,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[0].tensor_layout", 2, 0);

    /// Fewer dimensions in the order than there are sizes: a reader that takes the longer length reads on.
    reject "ptd/layout/dim-order-short": "dim_order shorter than sizes" breaks rules::FT_LAYOUT_RANK,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].tensor_layout.dim_order", 1);

    /// More dimensions than the runtime has room for on its stack.
    reject "ptd/layout/rank-17": "seventeen dimensions" breaks rules::FT_LAYOUT_RANK,
        from "ptd/valid/rank-16", refs ["CVE-2025-54951", "GHSA-xc7w-r669-48pf"] => |file| {
            file.count("named_data[0].tensor_layout.sizes", 17);
            file.count("named_data[0].tensor_layout.dim_order", 17);
        };

    /// The same dimension twice.
    reject "ptd/layout/dim-order-twice": "a dimension twice in dim_order" breaks rules::FT_LAYOUT_PERM,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].tensor_layout.dim_order", 0, &[1, 1]);

    /// A dimension that the tensor does not have: it indexes past the sizes.
    reject "ptd/layout/dim-order-past-rank": "a dimension past the rank" breaks rules::FT_LAYOUT_PERM,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].tensor_layout.dim_order", 1, &[200]);

    /// A negative size.
    reject "ptd/layout/size-negative": "size −1" breaks rules::FT_LAYOUT_SIZES_NONNEG,
        from "ptd/valid/tensors", refs ["pytorch/executorch#19055"]
        => |file| file.elements("named_data[0].tensor_layout.sizes", 0, &(-1_i32).to_le_bytes());

    /// The most negative size, whose negation overflows.
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

    /// A negative scalar type.
    reject "ptd/layout/scalar-type-negative": "scalar type −1" breaks rules::FT_LAYOUT_SCALAR,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[0].tensor_layout.scalar_type", -1_i8);

    /// One past the last scalar type.
    reject "ptd/layout/scalar-type-30": "scalar type 30" breaks rules::FT_LAYOUT_SCALAR,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[0].tensor_layout.scalar_type", 30_i8);

    /// A tensor of more bytes than its segment has: a reader that goes by the layout reads what stands behind.
    reject "ptd/layout/larger-than-segment": "tensor larger than its segment" breaks rules::FT_LAYOUT_FITS_SEGMENT,
        from "ptd/valid/tensors"
        => |file| file.elements("named_data[0].tensor_layout.sizes", 0, &1024_i32.to_le_bytes());

    /// A tensor of fewer bytes than its segment has.
    either "ptd/layout/smaller-than-segment": "tensor smaller than its segment" about rules::FT_LAYOUT_FILLS_SEGMENT,
        from "ptd/valid/tensors"
        => |file| file.elements("named_data[0].tensor_layout.sizes", 0, &1_i32.to_le_bytes());
}

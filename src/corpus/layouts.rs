//! Cases about tensor layouts in data files.

use super::cases;
use crate::rules::flat_tensor as rules;

cases! {
    /// Even a tensor without dimensions needs an empty list, because reading the length of an absent list dereferences null.
    reject "ptd/layout/sizes-absent": "layout sizes absent" breaks rules::FT_LAYOUT_SIZES,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[0].tensor_layout", 1, 0);

    /// The sizes and the scalar type are valid, so bounds checks pass, but computing strides dereferences null.
    reject "ptd/layout/dim-order-absent": "layout dim_order absent" breaks rules::FT_LAYOUT_DIMORDER,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[0].tensor_layout", 2, 0);

    /// There are two sizes, but `dim_order` has one entry. Reading one entry per size goes past its end, where the next
    /// byte happens to have the right value.
    reject "ptd/layout/dim-order-short": "layout dim_order shorter than sizes" breaks rules::FT_LAYOUT_RANK,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].tensor_layout.dim_order", 1);

    /// The runtime supports 16 dimensions, so a reader that copies the layout into an array of 16 writes past its end.
    reject "ptd/layout/rank-17": "seventeen dimensions in a layout" breaks rules::FT_LAYOUT_RANK,
        from "ptd/valid/rank-16", refs ["CVE-2025-54951", "GHSA-xc7w-r669-48pf"] => |file| {
            file.count("named_data[0].tensor_layout.sizes", 17);
            file.count("named_data[0].tensor_layout.dim_order", 17);
        };

    /// Dimension 1 appears twice, and dimension 0 is missing. Each entry is below the rank, so a reader that checks
    /// only the range leaves one stride uninitialized.
    reject "ptd/layout/dim-order-twice": "repeated dimension in a layout dim_order" breaks rules::FT_LAYOUT_PERM,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].tensor_layout.dim_order", 0, &[1, 1]);

    /// One entry is 200, but the rank is 2. A reader that uses it as an index takes a size from the memory after the file.
    reject "ptd/layout/dim-order-past-rank": "layout dim_order entry past the rank" breaks rules::FT_LAYOUT_PERM,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].tensor_layout.dim_order", 1, &[200]);

    /// The byte count is −12. As a signed number, it is below every segment's size; as an unsigned number, it is almost 2^64.
    reject "ptd/layout/size-negative": "layout size −1" breaks rules::FT_LAYOUT_SIZES_NONNEG, from "ptd/valid/tensors",
        refs ["pytorch/executorch#19055"] => |file| file.elements("named_data[0].tensor_layout.sizes", 0, -1_i32);

    /// In 32-bit arithmetic, the byte count wraps to 0, so the tensor seems empty. Computing the absolute value overflows too.
    reject "ptd/layout/size-min": "layout size −2^31" breaks rules::FT_LAYOUT_SIZES_NONNEG, from "ptd/valid/tensors"
        => |file| file.elements("named_data[0].tensor_layout.sizes", 4, i32::MIN);

    /// The product of the sizes, 2^64, wraps to 0, so the tensor seems to fit into any segment.
    reject "ptd/layout/nbytes-wraps": "product of layout sizes wraps to 0" breaks rules::FT_LAYOUT_NBYTES,
        from "ptd/valid/rank-16", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"] => |file| {
            for dimension in 0..4 {
                file.elements("named_data[0].tensor_layout.sizes", 4 * dimension, 0x1_0000_i32);
            }
        };

    /// Because of the 0, the tensor has no elements. The product of the sizes before the 0 overflows 64 bits, though,
    /// so a reader that multiplies from left to right rejects the file.
    either "ptd/layout/overflow-before-0": "sizes [M, M, M, 0, 1, …], M = 2^31 − 1" about rules::FT_LAYOUT_PREFIX,
        from "ptd/valid/rank-16"
        => |file| file.elements("named_data[0].tensor_layout.sizes", 0, [i32::MAX, i32::MAX, i32::MAX, 0]);

    /// The number of elements fits into 63 bits, but the number of bytes does not fit into 64.
    reject "ptd/layout/bytes-overflow": "layout of more than 2^64 bytes" breaks rules::FT_LAYOUT_NBYTES,
        from "ptd/valid/tensors" => |file| {
            file.scalar("named_data[0].tensor_layout.scalar_type", 7_i8);
            file.elements("named_data[0].tensor_layout.sizes", 0, [i32::MAX; 2]);
        };

    /// No scalar type has this number. A reader that uses it as an index reads past its table of element widths.
    reject "ptd/layout/scalar-type-99": "layout scalar type 99" breaks rules::FT_LAYOUT_SCALAR,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[0].tensor_layout.scalar_type", 99_i8);

    /// A reader that compares the type only with the upper limit reads the memory before its table of element widths.
    reject "ptd/layout/scalar-type-negative": "layout scalar type −1" breaks rules::FT_LAYOUT_SCALAR,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[0].tensor_layout.scalar_type", -1_i8);

    /// The runtime's last type is 29. A reader whose check is off by one reads past its table of element widths.
    reject "ptd/layout/scalar-type-30": "layout scalar type 30" breaks rules::FT_LAYOUT_SCALAR,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[0].tensor_layout.scalar_type", 30_i8);

    /// `weight` needs 24 bytes, but its segment has 8. Comparing its layout with the program's does not help: they are equal.
    reject "ptd/layout/weight-larger-than-segment": "first tensor larger than its segment"
        breaks rules::FT_LAYOUT_FITS_SEGMENT,
        from "ptd/valid/external" => |file| file.scalar("segments[0].size", 8_u64);

    /// `second` needs 24 bytes, but its segment has 8. A reader that checks only the first tensor accepts the file.
    reject "ptd/layout/second-larger-than-segment": "second tensor larger than its segment"
        breaks rules::FT_LAYOUT_FITS_SEGMENT,
        from "ptd/valid/external" => |file| file.scalar("segments[1].size", 8_u64);

    /// The layout needs 12 288 bytes, but the segment has 48. Unless a reader compares the two, kernels read past the data.
    reject "ptd/layout/larger-than-segment": "tensor larger than its segment" breaks rules::FT_LAYOUT_FITS_SEGMENT,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].tensor_layout.sizes", 0, 1024_i32);

    /// The layout needs only 12 of the segment's 48 bytes. Readers may ignore the rest or reject the file.
    either "ptd/layout/smaller-than-segment": "tensor smaller than its segment" about rules::FT_LAYOUT_FILLS_SEGMENT,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].tensor_layout.sizes", 0, 1_i32);
}

//! Cases about tensor layouts in data files.

use super::cases;
use crate::rules::flat_tensor as rules;

cases! {
    /// The layout has no list of sizes. A tensor of no dimensions must have an empty list. A reader that reads the rank
    /// without a null check dereferences a null pointer.
    reject "ptd/layout/sizes-absent": "layout sizes absent" breaks rules::FT_LAYOUT_SIZES,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[0].tensor_layout", 1, 0);

    /// The layout has no `dim_order`. Sizes and scalar type are valid, so bounds checks pass. A reader that computes
    /// strides without a null check dereferences a null pointer.
    reject "ptd/layout/dim-order-absent": "layout dim_order absent" breaks rules::FT_LAYOUT_DIMORDER,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[0].tensor_layout", 2, 0);

    /// The layout has two sizes but only one entry in `dim_order`. A reader that reads one entry of `dim_order` for
    /// each size reads past the end of `dim_order`. In this file, the byte after `dim_order` happens to have the value
    /// of the missing entry.
    reject "ptd/layout/dim-order-short": "layout dim_order shorter than sizes" breaks rules::FT_LAYOUT_RANK,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].tensor_layout.dim_order", 1);

    /// The layout has 17 dimensions, but the runtime supports 16. A reader that copies the layout to a fixed array
    /// without a check writes past the array.
    reject "ptd/layout/rank-17": "seventeen dimensions in a layout" breaks rules::FT_LAYOUT_RANK,
        from "ptd/valid/rank-16", refs ["CVE-2025-54951", "GHSA-xc7w-r669-48pf"] => |file| {
            file.count("named_data[0].tensor_layout.sizes", 17);
            file.count("named_data[0].tensor_layout.dim_order", 17);
        };

    /// `dim_order` lists dimension 1 twice and omits dimension 0. Each entry of `dim_order` is less than the rank. A
    /// reader that checks only the range leaves the stride of dimension 0 uninitialized.
    reject "ptd/layout/dim-order-twice": "repeated dimension in a layout dim_order" breaks rules::FT_LAYOUT_PERM,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].tensor_layout.dim_order", 0, &[1, 1]);

    /// An entry of `dim_order` is 200, but the rank is 2. A reader that uses the entry as an index without a check
    /// reads a size from memory after the file.
    reject "ptd/layout/dim-order-past-rank": "layout dim_order entry past the rank" breaks rules::FT_LAYOUT_PERM,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].tensor_layout.dim_order", 1, &[200]);

    /// A size of the tensor is −1, so the byte count is −12. As a signed number, −12 is less than the size of every
    /// segment. As an unsigned number, −12 is almost 2^64.
    reject "ptd/layout/size-negative": "layout size −1" breaks rules::FT_LAYOUT_SIZES_NONNEG, from "ptd/valid/tensors",
        refs ["pytorch/executorch#19055"] => |file| file.elements("named_data[0].tensor_layout.sizes", 0, -1_i32);

    /// A size of the tensor is −2^31. In 32-bit arithmetic, the byte count is 0, so the tensor seems empty. The
    /// absolute value of −2^31 also overflows 32 bits.
    reject "ptd/layout/size-min": "layout size −2^31" breaks rules::FT_LAYOUT_SIZES_NONNEG, from "ptd/valid/tensors"
        => |file| file.elements("named_data[0].tensor_layout.sizes", 4, i32::MIN);

    /// The product of the sizes is 2^64, which wraps to 0. A reader that does not detect the overflow accepts any
    /// segment for the tensor.
    reject "ptd/layout/nbytes-wraps": "product of layout sizes wraps to 0" breaks rules::FT_LAYOUT_NBYTES,
        from "ptd/valid/rank-16", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"] => |file| {
            for dimension in 0..4 {
                file.elements("named_data[0].tensor_layout.sizes", 4 * dimension, 0x1_0000_i32);
            }
        };

    /// The fourth size is 0, but the product of the first three sizes overflows 64 bits. The tensor has no elements. A
    /// reader that multiplies from left to right rejects the file.
    either "ptd/layout/overflow-before-0": "sizes [M, M, M, 0, 1, …], M = 2^31 − 1" about rules::FT_LAYOUT_PREFIX,
        from "ptd/valid/rank-16"
        => |file| file.elements("named_data[0].tensor_layout.sizes", 0, [i32::MAX, i32::MAX, i32::MAX, 0]);

    /// The number of elements fits in 63 bits, but the number of bytes does not fit in 64 bits. A reader must also
    /// detect overflow in the multiplication by the element width.
    reject "ptd/layout/bytes-overflow": "layout of more than 2^64 bytes" breaks rules::FT_LAYOUT_NBYTES,
        from "ptd/valid/tensors" => |file| {
            file.scalar("named_data[0].tensor_layout.scalar_type", 7_i8);
            file.elements("named_data[0].tensor_layout.sizes", 0, [i32::MAX; 2]);
        };

    /// The scalar type is 99, which is undefined. A reader that uses the type as an index without a check reads past
    /// its table of element widths.
    reject "ptd/layout/scalar-type-99": "layout scalar type 99" breaks rules::FT_LAYOUT_SCALAR,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[0].tensor_layout.scalar_type", 99_i8);

    /// The scalar type of a layout is −1, which is undefined. If a reader checks only the upper limit, it reads the
    /// memory in front of its table of element widths.
    reject "ptd/layout/scalar-type-negative": "layout scalar type −1" breaks rules::FT_LAYOUT_SCALAR,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[0].tensor_layout.scalar_type", -1_i8);

    /// The scalar type is 30, but the last type that the runtime defines is 29. A reader with an off-by-one check reads
    /// memory past its table of element widths.
    reject "ptd/layout/scalar-type-30": "layout scalar type 30" breaks rules::FT_LAYOUT_SCALAR,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[0].tensor_layout.scalar_type", 30_i8);

    /// The layout of `weight` needs 24 bytes, but its segment has 8 bytes. If a program declares the same layout as the
    /// data file, a comparison of the two layouts finds no defect. A reader must compare the layout with the segment.
    reject "ptd/layout/weight-larger-than-segment": "first tensor larger than its segment"
        breaks rules::FT_LAYOUT_FITS_SEGMENT,
        from "ptd/valid/external" => |file| file.scalar("segments[0].size", 8_u64);

    /// The layout of `second` needs 24 bytes, but its segment has 8 bytes. A reader that checks only the first tensor
    /// accepts the file.
    reject "ptd/layout/second-larger-than-segment": "second tensor larger than its segment"
        breaks rules::FT_LAYOUT_FITS_SEGMENT,
        from "ptd/valid/external" => |file| file.scalar("segments[1].size", 8_u64);

    /// The layout needs 12 288 bytes, but the segment has 48 bytes. If a reader does not compare these two sizes, it
    /// reads past the loaded bytes.
    reject "ptd/layout/larger-than-segment": "tensor larger than its segment" breaks rules::FT_LAYOUT_FITS_SEGMENT,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].tensor_layout.sizes", 0, 1024_i32);

    /// The layout needs 12 bytes, but the segment has 48 bytes. Readers may ignore the unused bytes, or may reject the
    /// file because the sizes differ.
    either "ptd/layout/smaller-than-segment": "tensor smaller than its segment" about rules::FT_LAYOUT_FILLS_SEGMENT,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].tensor_layout.sizes", 0, 1_i32);
}

//! Cases about a program's tensors: scalar type, sizes, dimension order and their arithmetic.

use alloc::format;

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::tensors as rules;

/// The unplanned input; nothing else depends on its sizes.
const INPUT: &str = "execution_plan[0].values[1].val";
const SCALAR_TYPE: &str = "execution_plan[0].values[1].val.scalar_type";
const SIZES: &str = "execution_plan[0].values[1].val.sizes";
const DIM_ORDER: &str = "execution_plan[0].values[1].val.dim_order";

/// Sets the sizes of the tensor at value `index`.
fn sizes_of(file: &mut Patcher<'_>, index: usize, sizes: [i32; 4]) {
    let sizes = sizes.map(i32::to_le_bytes);
    file.elements(&format!("execution_plan[0].values[{index}].val.sizes"), 0, sizes.as_flattened());
}

fn sizes(file: &mut Patcher<'_>, sizes: [i32; 4]) {
    sizes_of(file, 1, sizes);
}

const MAX: i32 = i32::MAX;

cases! {
    /// The method has a constant, planned tensors, and an input for which the caller provides memory. A reader that
    /// requires a constant or planned memory for every tensor rejects the input.
    build "pte/valid/tensor-fields": "tensors with every field, and an input without memory"
        shows rules::T_DATA_MATRIX => base::tensors;

    /// The sizes are upper bounds, which follow the same rules as sizes. A reader that treats them as the exact
    /// shape rejects every smaller input.
    accept "pte/valid/dynamic-input": "input with upper bounds as sizes" shows rules::T_DYNAMISM,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.shape_dynamism", 1_i8);

    /// The runtime supports at most 16 dimensions. A reader with an off-by-one limit rejects the tensor. A kernel
    /// that adds a dimension needs its own check.
    build "pte/valid/rank-16": "sixteen dimensions" shows rules::T_RANK_MAX => || base::rank(16);

    /// A tensor of no dimensions has one element, and its lists are present but empty. A reader that computes 0
    /// elements, or treats an empty list as absent, rejects every scalar.
    build "pte/valid/rank-0": "tensor of no dimensions" shows rules::T_SIZES_NONNULL => || base::rank(0);

    /// `dim_order` lists the dimensions from the outermost in memory to the innermost. A reader that ignores or
    /// inverts it finds every element in the wrong place.
    accept "pte/valid/channels-last": "dimensions in channels-last order" shows rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields" => |file| file.elements(DIM_ORDER, 0, &[0, 2, 3, 1]);

    /// The inputs use every scalar type that the schema lists. A reader with an incomplete table of its own lacks
    /// the newest, 23 to 29, and rejects small floats and unsigned integers.
    build "pte/valid/every-element-type": "23 scalar types of the schema" shows rules::T_SCALAR_TYPE => || {
        base::inputs_of(&[0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16, 17, 22, 23, 24, 25, 26, 27, 28, 29])
    };

    /// The schema comments complex types out, and the runtime supports them: 8, 9 and 10 have 4, 8 and 16 bytes. A
    /// reader with only the schema's list rejects them.
    build "pte/valid/complex-elements": "scalar types 8 to 10, known only to the runtime" shows rules::T_SCALAR_TYPE
        => || base::inputs_of(&[8, 9, 10]);

    /// Packed bits use one byte per element in the runtime, and the schema does not list them. A reader with the
    /// schema's list rejects them; one that counts bits allocates an eighth of the memory.
    build "pte/valid/bits-elements": "scalar types 18 to 21, known only to the runtime" shows rules::T_SCALAR_TYPE
        => || base::inputs_of(&[18, 19, 20, 21]);

    /// Training sets the flag and inference ignores it. A reader that rejects the flag, or allocates gradients,
    /// treats an equal model differently.
    accept "pte/valid/requires-grad": "tensor that requires a gradient" shows rules::T_REQUIRES_GRAD,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.requires_grad", 1_u8);

    /// The product of the first sizes is close to 2^62, and the last size makes it 0. A reader that multiplies by the
    /// element width first, or checks partial products, rejects the file.
    accept "pte/valid/zero-size-last": "size of 0 after huge sizes" shows rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| {
            file.scalar(SCALAR_TYPE, 7_i8);
            sizes(file, [MAX, MAX, 1, 0]);
        };

    /// From left to right the product is 0 at once; from right to left it reaches 2^65 bytes first. A reader that
    /// checks each partial product rejects the file. The dimension order keeps the strides small.
    accept "pte/valid/zero-size-first": "size of 0 before huge sizes" shows rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| {
            file.scalar(SCALAR_TYPE, 7_i8);
            sizes(file, [0, MAX, MAX, 1]);
            file.elements(DIM_ORDER, 0, &[1, 0, 2, 3]);
        };

    /// Strides follow `dim_order`, so the largest is 65 536. Without `dim_order` it would be 2^32.
    accept "pte/valid/stride-by-order": "strides small only by dim_order" shows rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields", target 64 => |file| {
            sizes(file, [1, 65536, 65536, 1]);
            file.elements(DIM_ORDER, 0, &[1, 0, 2, 3]);
        };

    /// The value is no scalar type. A lookup in the table of thirty types fails, and some readers abort the
    /// process.
    reject "pte/tensors/scalar-type-99": "scalar type 99" breaks rules::T_SCALAR_TYPE,
        from "pte/valid/tensor-fields" => |file| file.scalar(SCALAR_TYPE, 99_i8);

    /// The runtime's scalar types are 0 to 29. An off-by-one check accepts 30, and the reader takes the element
    /// width from after the table.
    reject "pte/tensors/scalar-type-30": "scalar type 30" breaks rules::T_SCALAR_TYPE,
        from "pte/valid/tensor-fields" => |file| file.scalar(SCALAR_TYPE, 30_i8);

    /// As a signed integer, −1 is below the number of types. A check of the upper end accepts it, and the reader takes
    /// the element width from before the table.
    reject "pte/tensors/scalar-type-minus-1": "scalar type −1" breaks rules::T_SCALAR_TYPE,
        from "pte/valid/tensor-fields" => |file| file.scalar(SCALAR_TYPE, -1_i8);

    /// A verifier that skips dynamic inputs does not check their type. A later request for the input's size in
    /// bytes finds no element width.
    reject "pte/tensors/scalar-type-99-of-dynamic-input": "scalar type 99 of a dynamic input"
        breaks rules::T_SCALAR_TYPE,
        from "pte/valid/dynamic-input" => |file| file.scalar(SCALAR_TYPE, 99_i8);

    /// The tensor has no list of sizes; a tensor of no dimensions has an empty one. A reader that takes the rank
    /// dereferences a null pointer.
    reject "pte/tensors/sizes-absent": "tensor sizes absent" breaks rules::T_SIZES_NONNULL,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#19878"] => |file| file.own_slot(INPUT, 2, 0);

    /// A verifier that skips dynamic inputs misses the absent list. A later request for the input's shape dereferences
    /// a null pointer.
    reject "pte/tensors/sizes-absent-of-dynamic-input": "sizes of a dynamic input absent" breaks rules::T_SIZES_NONNULL,
        from "pte/valid/dynamic-input" => |file| file.own_slot(INPUT, 2, 0);

    /// Readers compute strides from `dim_order`. A reader without a check dereferences a null pointer, and one that
    /// assumes an order may transpose the tensor.
    reject "pte/tensors/dim-order-absent": "tensor dim_order absent" breaks rules::T_DIMORDER_NONNULL,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#19878"] => |file| file.own_slot(INPUT, 3, 0);

    /// The sizes multiply to −2 elements and −8 bytes. With a sign that is less than any buffer, and without one it
    /// is almost 2^64.
    reject "pte/tensors/size-minus-1": "tensor size −1" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#18724"] => |file| sizes(file, [1, 1, 2, -1]);

    /// In 32 bits −2^31 is its own negation, so taking the absolute value does not help. The byte count becomes −32
    /// GiB.
    reject "pte/tensors/size-min": "tensor size −2^31" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields" => |file| sizes(file, [i32::MIN, 1, 2, 2]);

    /// Two sizes are negative, and their product is unchanged. A check of the product alone misses them.
    reject "pte/tensors/sizes-negative-in-pairs": "two negative sizes with a positive product"
        breaks rules::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields" => |file| sizes(file, [1, 1, -2, -2]);

    /// The product is 0, and a tensor of no bytes fits anywhere. A loop over the dimension of −5 runs never or four
    /// billion times.
    reject "pte/tensors/size-negative-beside-0": "negative size beside a size of 0" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields" => |file| sizes(file, [0, -5, 2, 2]);

    /// Frameworks write −1 for an unknown size, but −1 is no bound. A verifier that skips dynamic inputs lets the
    /// caller allocate −16 bytes.
    reject "pte/tensors/size-minus-1-of-dynamic-input": "upper bound −1" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/dynamic-input", refs ["pytorch/executorch#18724"] => |file| sizes(file, [-1, 1, 2, 2]);

    /// The runtime supports 16 dimensions. A reader that copies the shape into an array of 16 writes the
    /// seventeenth size past its end.
    reject "pte/tensors/rank-17": "seventeen dimensions" breaks rules::T_RANK_MAX,
        from "pte/valid/rank-16", refs ["CVE-2025-54951", "GHSA-xc7w-r669-48pf", "pytorch/executorch#12684"] => |file| {
            file.count(SIZES, 17);
            file.count(DIM_ORDER, 17);
        };

    /// A dimension order of bytes can number 256 dimensions. Copied into arrays of 16, the sizes alone write 960
    /// bytes of file data past the end.
    reject "pte/tensors/rank-256": "256 dimensions" breaks rules::T_RANK_MAX,
        from "pte/valid/rank-16", refs ["CVE-2025-54951", "GHSA-xc7w-r669-48pf"] => |file| {
            file.count(SIZES, 256);
            file.count(DIM_ORDER, 256);
        };

    /// The fourth dimension is missing from the order. A reader that walks both lists by the number of sizes takes
    /// the byte after the order, which happens to be right.
    reject "pte/tensors/dim-order-shorter": "dim_order shorter than sizes" breaks rules::T_DIMORDER_LEN,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#17131"] => |file| file.count(DIM_ORDER, 3);

    /// The tensor has 16 sizes and an order of 17 entries that ends with 16. A reader that walks the order by its
    /// own length writes a stride past an array of 16.
    reject "pte/tensors/dim-order-longer": "dim_order longer than sizes" breaks rules::T_DIMORDER_LEN,
        from "pte/valid/rank-16" => |file| file.count(DIM_ORDER, 17);

    /// The order is present but empty. A reader that walks it by the four sizes finds the old entries after its
    /// end. A reader that walks it by its own length sets no stride.
    reject "pte/tensors/dim-order-empty": "tensor dim_order empty" breaks rules::T_DIMORDER_LEN,
        from "pte/valid/tensor-fields" => |file| file.count(DIM_ORDER, 0);

    /// One dimension appears twice and another never. The missing one's stride stays uninitialized, and kernels
    /// step by it.
    reject "pte/tensors/dim-order-repeats": "dim_order [0, 0, 2, 3]" breaks rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#17314"]
        => |file| file.elements(DIM_ORDER, 1, &[0]);

    /// The order [1, 2, 3, 4] counts from 1. An off-by-one check accepts the 4: the reader writes one stride past
    /// the others and never sets the first.
    reject "pte/tensors/dim-order-is-rank": "dim_order entry 4 of rank 4" breaks rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields" => |file| file.elements(DIM_ORDER, 0, &[1, 2, 3, 4]);

    /// The entry is the largest possible. As an index into the strides it writes a kilobyte past them.
    reject "pte/tensors/dim-order-255": "dim_order entry 255" breaks rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields" => |file| file.elements(DIM_ORDER, 3, &[255]);

    /// The sizes are the largest possible, and their product wraps. The remainder passes any comparison with a
    /// buffer.
    reject "pte/tensors/elements-overflow": "four sizes of 2^31 − 1" breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217"]
        => |file| sizes(file, [MAX, MAX, MAX, MAX]);

    /// 65 536 to the fourth power is 2^64, which wraps to 0. Any buffer is large enough for no bytes, but kernels
    /// loop over the sizes.
    reject "pte/tensors/elements-wrap-to-0": "element count 2^64" breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"]
        => |file| sizes(file, [65536; 4]);

    /// The product fits unsigned 64 bits, so a check for overflow passes. A reader that then uses signed integers
    /// has −2^63 elements, below any limit.
    reject "pte/tensors/elements-2-to-63": "element count 2^63" breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [1 << 30, 1 << 30, 8, 1]);

    /// The constant has 2^64 + 4 elements, which wraps to 4, the number in its segment. A reader that wraps finds
    /// sizes and data consistent.
    reject "pte/tensors/elements-wrap-to-4-of-constant": "constant whose element count wraps to the right one"
        breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes_of(file, 0, [1, 5, 1_718_039_348, 2_147_418_113]);

    /// 2^62 elements fit 64 bits, but at four bytes each the byte count wraps to 0. A check of the element count
    /// passes, and so does every comparison with a buffer.
    reject "pte/tensors/bytes-wrap-to-0": "byte count 2^64" breaks rules::T_NBYTES_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217"]
        => |file| sizes(file, [1 << 30, 1 << 30, 4, 1]);

    /// The byte count wraps to 32, twice the tensor's real size and far less than kernels access.
    reject "pte/tensors/bytes-wrap-to-32": "byte count 2^64 + 32" breaks rules::T_NBYTES_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"]
        => |file| sizes(file, [1, 2, 1_263_665_316, 1_824_726_041]);

    /// The byte count wraps to 4, which fits the planned buffer. The check of the plan passes, and kernels write by
    /// the sizes.
    reject "pte/tensors/bytes-wrap-to-4-of-planned": "planned tensor of 2^64 + 4 bytes" breaks rules::T_NBYTES_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"]
        => |file| sizes_of(file, 2, [1, 5, 429_509_837, 2_147_418_113]);

    /// The byte count of the bounds wraps to 0. Bounds may be huge, so a reader may skip the check, but memory
    /// allocation uses them. No host supports more than 64 bits.
    reject "pte/tensors/bytes-wrap-to-0-of-dynamic-input": "dynamic input with bounds of 2^64 bytes"
        breaks rules::T_NBYTES_OVERFLOW,
        from "pte/valid/dynamic-input" => |file| sizes(file, [1 << 30, 1 << 30, 4, 1]);

    /// Four bounds of 65 536 multiply to 2^64, which wraps to 0. Every shape is within the bounds, and the memory
    /// allocated for them has no bytes.
    reject "pte/tensors/elements-overflow-of-dynamic-input": "dynamic input with bounds of 2^64 elements"
        breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/dynamic-input" => |file| sizes(file, [65536; 4]);

    /// The tensor needs exactly 4 GiB, which wraps to 0 on a 32-bit host. The file is valid on 64-bit hosts.
    either "pte/tensors/bytes-2-to-32": "byte count 2^32" about rules::T_NBYTES_32BIT,
        from "pte/valid/tensor-fields", target 32 => |file| sizes(file, [1 << 30, 1, 1, 1]);

    /// The upper bounds need 16 GiB. A 32-bit device may load the file and never reach them, or reject it.
    either "pte/tensors/bytes-2-to-34-of-dynamic-input": "dynamic input with bounds of 2^34 bytes"
        about rules::T_DYNAMIC_INPUT_BOUNDS,
        from "pte/valid/dynamic-input", refs ["pytorch/executorch#19121"], target 32
        => |file| sizes(file, [1 << 16, 1 << 16, 1, 1]);

    /// Strides have 32 bits, so 2^32 becomes 0 and every row is the first. The byte count fits.
    reject "pte/tensors/stride-wraps-to-0": "stride 2^32" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [2, 65536, 65536, 1]);

    /// In signed 32 bits the stride becomes negative, so the second row lies before the tensor.
    reject "pte/tensors/stride-turns-negative": "stride 2^31" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [2, 32768, 65536, 1]);

    /// The stride overflows only if all bounds are reached at once. A reader that computes strides from the bounds
    /// before it knows the sizes overflows needlessly.
    either "pte/tensors/stride-of-bounds-wraps": "stride 2^32 from the bounds of a dynamic tensor"
        about rules::T_STRIDE_BOUND,
        from "pte/valid/dynamic-input" => |file| sizes(file, [2, 65536, 65536, 1]);

    /// No access uses the stride of a dimension with one element. That it exceeds 32 bits is harmless unless a
    /// reader computes it.
    accept "pte/valid/stride-of-one-element": "stride 2^32 of a dimension of one element"
        shows rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields", target 64 => |file| sizes(file, [1, 65536, 65536, 1]);

    /// In the order of the sizes, no stride exceeds 131 072. By `dim_order` the dimension of two is outermost with
    /// stride 2^32, so a check that ignores `dim_order` misses it.
    reject "pte/tensors/stride-wraps-by-order": "stride 2^32 from dim_order"
        breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| {
            sizes(file, [65536, 2, 65536, 1]);
            file.elements(DIM_ORDER, 0, &[1, 0, 2, 3]);
        };

    /// A tensor without elements still has strides, for which a size of 0 counts as 1. The leading 0 makes the
    /// element count 0, so it hides the overflow.
    reject "pte/tensors/stride-overflows-behind-0": "sizes [0, M, M, M], M = 2^31 − 1" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [0, MAX, MAX, MAX]);

    /// Readers compute strides from the innermost dimension outward, with a size of 0 counted as 1. The outermost
    /// stride is (2^31 − 1)^2, but the byte count is 0.
    reject "pte/tensors/stride-overflows-before-0": "sizes [M, M, M, 0], M = 2^31 − 1" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [MAX, MAX, MAX, 0]);
}

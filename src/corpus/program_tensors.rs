//! Cases about a program's tensors: scalar type, sizes, dimension order, and the computation of byte counts and
//! strides.

use alloc::format;

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::tensors as rules;

/// The input has no planned memory, and nothing else depends on its sizes.
const INPUT: &str = "execution_plan[0].values[1].val";
const SCALAR_TYPE: &str = "execution_plan[0].values[1].val.scalar_type";
const SIZES: &str = "execution_plan[0].values[1].val.sizes";
const DIM_ORDER: &str = "execution_plan[0].values[1].val.dim_order";

fn sizes_of(file: &mut Patcher<'_>, index: usize, sizes: [i32; 4]) {
    file.elements(&format!("execution_plan[0].values[{index}].val.sizes"), 0, sizes);
}

fn sizes(file: &mut Patcher<'_>, sizes: [i32; 4]) {
    sizes_of(file, 1, sizes);
}

const MAX: i32 = i32::MAX;

cases! {
    /// The file is valid: it has a constant, planned tensors, and an input without memory, which the caller provides. A
    /// reader that requires memory for every tensor rejects the file.
    build "pte/valid/tensor-fields": "tensors with every field, and an input without memory"
        shows rules::T_DATA_MATRIX => base::tensors;

    /// The input has dynamic sizes, so its sizes are upper limits. The file is valid. A reader that treats the sizes as
    /// the exact shape rejects smaller inputs.
    accept "pte/valid/dynamic-input": "dynamic input" shows rules::T_DYNAMISM,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.shape_dynamism", 1_i8);

    /// The tensor has 16 dimensions, the maximum that the runtime supports. The file is valid. A reader with an
    /// off-by-one limit rejects the file.
    build "pte/valid/rank-16": "sixteen dimensions" shows rules::T_RANK_MAX => || base::rank(16);

    /// The tensor has no dimensions and therefore one element. The file is valid. A reader that treats the empty list
    /// of sizes as absent, or computes 0 elements, rejects the file.
    build "pte/valid/rank-0": "tensor of no dimensions" shows rules::T_SIZES_NONNULL => || base::rank(0);

    /// `dim_order` is [0, 2, 3, 1]. The first entry is the outermost dimension in memory, and the last entry is the
    /// innermost dimension. The file is valid. A reader that ignores `dim_order` uses the wrong elements.
    accept "pte/valid/channels-last": "dimensions in channels-last order" shows rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields" => |file| file.elements(DIM_ORDER, 0, &[0, 2, 3, 1]);

    /// The file is valid: its inputs have every scalar type of the schema. A reader must also support the types 23 to
    /// 29, which later releases added.
    build "pte/valid/every-element-type": "all 23 scalar types of the schema" shows rules::T_SCALAR_TYPE => || {
        base::inputs_of(&[0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16, 17, 22, 23, 24, 25, 26, 27, 28, 29])
    };

    /// The scalar types 8 to 10 are complex numbers of 4, 8 and 16 bytes. The runtime supports these types, but the
    /// schema does not list the types. A reader must accept all types that the runtime supports.
    build "pte/valid/complex-elements": "scalar types 8 to 10, which the schema does not list"
        shows rules::T_SCALAR_TYPE => || base::inputs_of(&[8, 9, 10]);

    /// The scalar types 18 to 21 are packed bits with one byte per element. The runtime supports these types, but the
    /// schema does not list the types. A reader must accept all types that the runtime supports.
    build "pte/valid/bits-elements": "scalar types 18 to 21, which the schema does not list" shows rules::T_SCALAR_TYPE
        => || base::inputs_of(&[18, 19, 20, 21]);

    /// The field `requires_grad` is true. Only training uses this field. The file is valid, and readers that do not
    /// train models must ignore `requires_grad`.
    accept "pte/valid/requires-grad": "tensor that requires a gradient" shows rules::T_REQUIRES_GRAD,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.requires_grad", 1_u8);

    /// The last size is 0, so the tensor is empty, but the product of the other sizes is almost 2^62. The file is
    /// valid. A reader that rejects large partial products rejects this file.
    accept "pte/valid/zero-size-last": "size of 0 after huge sizes" shows rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| {
            file.scalar(SCALAR_TYPE, 7_i8);
            sizes(file, [MAX, MAX, 1, 0]);
        };

    /// The first size is 0, so the tensor is empty. If a reader multiplies from right to left, the product overflows
    /// before the reader reaches the 0. The file is valid. A reader that rejects large partial products rejects this
    /// file.
    accept "pte/valid/zero-size-first": "size of 0 before huge sizes" shows rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| {
            file.scalar(SCALAR_TYPE, 7_i8);
            sizes(file, [0, MAX, MAX, 1]);
            file.elements(DIM_ORDER, 0, &[1, 0, 2, 3]);
        };

    /// Because `dim_order` differs from the order of the sizes, every stride fits in 32 bits. The file is valid on
    /// 64-bit hosts. A reader that ignores `dim_order` computes a stride of 2^32.
    accept "pte/valid/stride-by-order": "strides that fit 32 bits only with dim_order" shows rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields", target 64 => |file| {
            sizes(file, [1, 65536, 65536, 1]);
            file.elements(DIM_ORDER, 0, &[1, 0, 2, 3]);
        };

    /// The scalar type is 99, which is undefined. If a reader does not check the type, it can read memory past its
    /// table of element widths.
    reject "pte/tensors/scalar-type-99": "scalar type 99" breaks rules::T_SCALAR_TYPE,
        from "pte/valid/tensor-fields" => |file| file.scalar(SCALAR_TYPE, 99_i8);

    /// The scalar type is 30, but the last type that the runtime defines is 29. A reader with an off-by-one check reads
    /// memory after its table of element widths.
    reject "pte/tensors/scalar-type-30": "scalar type 30" breaks rules::T_SCALAR_TYPE,
        from "pte/valid/tensor-fields" => |file| file.scalar(SCALAR_TYPE, 30_i8);

    /// The scalar type is −1, which is undefined. If a reader checks only the upper limit, it reads the memory in front
    /// of its table of element widths.
    reject "pte/tensors/scalar-type-minus-1": "scalar type −1" breaks rules::T_SCALAR_TYPE,
        from "pte/valid/tensor-fields" => |file| file.scalar(SCALAR_TYPE, -1_i8);

    /// The scalar type of a dynamic input is 99, which is undefined. If a reader does not check dynamic inputs, it
    /// fails when the caller requests the input's size in bytes.
    reject "pte/tensors/scalar-type-99-of-dynamic-input": "scalar type 99 of a dynamic input"
        breaks rules::T_SCALAR_TYPE, from "pte/valid/dynamic-input" => |file| file.scalar(SCALAR_TYPE, 99_i8);

    /// The tensor has no list of sizes. A tensor of no dimensions must have an empty list. If a reader reads the rank
    /// without a null check, it dereferences a null pointer.
    reject "pte/tensors/sizes-absent": "tensor sizes absent" breaks rules::T_SIZES_NONNULL,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#19878"] => |file| file.own_slot(INPUT, 2, 0);

    /// The dynamic input has no list of sizes. A reader that does not check dynamic inputs dereferences a null pointer
    /// when the caller requests the shape.
    reject "pte/tensors/sizes-absent-of-dynamic-input": "sizes of a dynamic input absent" breaks rules::T_SIZES_NONNULL,
        from "pte/valid/dynamic-input" => |file| file.own_slot(INPUT, 2, 0);

    /// The tensor has no `dim_order`. A reader without a null check dereferences a null pointer. A reader that assumes
    /// the default order of dimensions may use the wrong elements.
    reject "pte/tensors/dim-order-absent": "tensor dim_order absent" breaks rules::T_DIMORDER_NONNULL,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#19878"] => |file| file.own_slot(INPUT, 3, 0);

    /// A size of the tensor is −1, so the byte count is −8. As a signed number, −8 is less than the size of every
    /// buffer. As an unsigned number, −8 is almost 2^64.
    reject "pte/tensors/size-minus-1": "tensor size −1" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#18724"] => |file| sizes(file, [1, 1, 2, -1]);

    /// A size of the tensor is −2^31. In 32-bit arithmetic, the absolute value of −2^31 is still negative, so a reader
    /// must check the sign.
    reject "pte/tensors/size-min": "tensor size −2^31" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields" => |file| sizes(file, [i32::MIN, 1, 2, 2]);

    /// Two sizes of the tensor are negative, but the product of the sizes is positive. A reader that checks only the
    /// product accepts the file.
    reject "pte/tensors/sizes-negative-in-pairs": "two negative sizes with a positive product"
        breaks rules::T_SIZES_NONNEG, from "pte/valid/tensor-fields" => |file| sizes(file, [1, 1, -2, -2]);

    /// One size of the tensor is −5 and another size is 0, so the product is 0. A reader must check each size, because
    /// a loop over a negative size can run billions of times.
    reject "pte/tensors/size-negative-beside-0": "negative size beside a size of 0" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields" => |file| sizes(file, [0, -5, 2, 2]);

    /// A size of a dynamic input is −1, which some frameworks use for an unknown size. In this format, the size must be
    /// an upper limit, so a reader must reject the file.
    reject "pte/tensors/size-minus-1-of-dynamic-input": "size −1 of a dynamic input" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/dynamic-input", refs ["pytorch/executorch#18724"] => |file| sizes(file, [-1, 1, 2, 2]);

    /// The tensor has 17 dimensions, but the runtime supports 16. If a reader copies the sizes to a fixed array without
    /// a check, it writes past the array.
    reject "pte/tensors/rank-17": "seventeen dimensions" breaks rules::T_RANK_MAX,
        from "pte/valid/rank-16", refs ["CVE-2025-54951", "GHSA-xc7w-r669-48pf", "pytorch/executorch#12684"] => |file| {
            file.count(SIZES, 17);
            file.count(DIM_ORDER, 17);
        };

    /// The tensor has 256 dimensions, but the runtime supports 16. If a reader copies the sizes to a fixed array
    /// without a check, it writes 960 bytes past the array's end.
    reject "pte/tensors/rank-256": "256 dimensions" breaks rules::T_RANK_MAX,
        from "pte/valid/rank-16", refs ["CVE-2025-54951", "GHSA-xc7w-r669-48pf"] => |file| {
            file.count(SIZES, 256);
            file.count(DIM_ORDER, 256);
        };

    /// The tensor has four sizes but only three entries in `dim_order`. If a reader reads one entry of `dim_order` for
    /// each size, it reads past the end of `dim_order`. In this file, the byte after `dim_order` happens to have the
    /// value of the missing fourth entry.
    reject "pte/tensors/dim-order-shorter": "dim_order shorter than sizes" breaks rules::T_DIMORDER_LEN,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#17131"] => |file| file.count(DIM_ORDER, 3);

    /// The tensor has 16 sizes but 17 entries in `dim_order`. If a reader computes one stride for each entry, it writes
    /// past an array of 16 strides.
    reject "pte/tensors/dim-order-longer": "dim_order longer than sizes" breaks rules::T_DIMORDER_LEN,
        from "pte/valid/rank-16" => |file| file.count(DIM_ORDER, 17);

    /// The tensor has four sizes but no entries in `dim_order`. If a reader reads one entry of `dim_order` for each
    /// size, it reads past the end of `dim_order`. If a reader reads only the existing entries, it sets no stride.
    reject "pte/tensors/dim-order-empty": "tensor dim_order empty" breaks rules::T_DIMORDER_LEN,
        from "pte/valid/tensor-fields" => |file| file.count(DIM_ORDER, 0);

    /// `dim_order` lists dimension 0 twice and omits dimension 1. A reader that checks only the range of entries leaves
    /// the stride of dimension 1 uninitialized.
    reject "pte/tensors/dim-order-repeats": "dim_order [0, 0, 2, 3]" breaks rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#17314"] => |file| file.elements(DIM_ORDER, 1, &[0]);

    /// `dim_order` is [1, 2, 3, 4], but dimensions begin at 0. A reader with an off-by-one check writes a stride past
    /// its array.
    reject "pte/tensors/dim-order-is-rank": "dim_order entry 4 of rank 4" breaks rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields" => |file| file.elements(DIM_ORDER, 0, &[1, 2, 3, 4]);

    /// An entry of `dim_order` is 255, but the rank is 4. If a reader uses the entry as an index without a check, it
    /// writes far past its array of strides.
    reject "pte/tensors/dim-order-255": "dim_order entry 255" breaks rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields" => |file| file.elements(DIM_ORDER, 3, &[255]);

    /// Each of the four sizes is 2^31 − 1, so the element count overflows 64 bits. A reader that does not detect the
    /// overflow compares a wrong count with the buffer's size.
    reject "pte/tensors/elements-overflow": "four sizes of 2^31 − 1" breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217"]
        => |file| sizes(file, [MAX, MAX, MAX, MAX]);

    /// Each of the four sizes is 65 536, so the element count is 2^64 and wraps to 0. A reader that does not detect the
    /// overflow accepts any buffer, and kernels write past the buffer.
    reject "pte/tensors/elements-wrap-to-0": "element count 2^64" breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"]
        => |file| sizes(file, [65536; 4]);

    /// The element count of the tensor is 2^63, which fits in an unsigned 64-bit integer but not in a signed 64-bit
    /// integer. A reader that converts the count to a signed number gets a negative count.
    reject "pte/tensors/elements-2-to-63": "element count 2^63" breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [1 << 30, 1 << 30, 8, 1]);

    /// The constant's element count is 2^64 + 4, which wraps to 4, the number of elements in the constant's segment. A
    /// reader that does not detect the overflow accepts the file.
    reject "pte/tensors/elements-wrap-to-4-of-constant": "constant whose element count wraps to the correct count"
        breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes_of(file, 0, [1, 5, 1_718_039_348, 2_147_418_113]);

    /// The element count, 2^62, fits in 64 bits. The byte count is 2^64 and wraps to 0. A reader must also check
    /// the multiplication by the element width.
    reject "pte/tensors/bytes-wrap-to-0": "byte count 2^64" breaks rules::T_NBYTES_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217"]
        => |file| sizes(file, [1 << 30, 1 << 30, 4, 1]);

    /// The byte count of the tensor is 2^64 + 32, which wraps to 32. A reader that does not detect the overflow accepts
    /// a small buffer, and kernels write past the buffer.
    reject "pte/tensors/bytes-wrap-to-32": "byte count 2^64 + 32" breaks rules::T_NBYTES_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"]
        => |file| sizes(file, [1, 2, 1_263_665_316, 1_824_726_041]);

    /// The byte count of a tensor in planned memory is 2^64 + 4, which wraps to 4. A reader that does not detect the
    /// overflow accepts the planned buffer.
    reject "pte/tensors/bytes-wrap-to-4-of-planned": "planned tensor of 2^64 + 4 bytes" breaks rules::T_NBYTES_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"]
        => |file| sizes_of(file, 2, [1, 5, 429_509_837, 2_147_418_113]);

    /// The byte count of a dynamic input is 2^64, which wraps to 0. A reader must also check dynamic inputs, because
    /// hosts allocate memory for the largest input.
    reject "pte/tensors/bytes-wrap-to-0-of-dynamic-input": "dynamic input of up to 2^64 bytes"
        breaks rules::T_NBYTES_OVERFLOW, from "pte/valid/dynamic-input" => |file| sizes(file, [1 << 30, 1 << 30, 4, 1]);

    /// The element count of a dynamic input is 2^64, which wraps to 0. A reader must also check dynamic inputs, because
    /// a host that uses the wrapped count allocates no memory for this input.
    reject "pte/tensors/elements-overflow-of-dynamic-input": "dynamic input of up to 2^64 elements"
        breaks rules::T_NUMEL_OVERFLOW, from "pte/valid/dynamic-input" => |file| sizes(file, [65536; 4]);

    /// The byte count of the tensor is 2^32, which wraps to 0 on a 32-bit host. The file is valid on 64-bit hosts.
    either "pte/tensors/bytes-2-to-32": "byte count 2^32" about rules::T_NBYTES_32BIT,
        from "pte/valid/tensor-fields", target 32 => |file| sizes(file, [1 << 30, 1, 1, 1]);

    /// The upper limit of a dynamic input is 16 GiB, which exceeds the memory of a 32-bit host. A 32-bit host may
    /// reject the file, or accept the file and run it with smaller inputs.
    either "pte/tensors/bytes-2-to-34-of-dynamic-input": "dynamic input of up to 2^34 bytes"
        about rules::T_DYNAMIC_INPUT_BOUNDS, from "pte/valid/dynamic-input", refs ["pytorch/executorch#19121"],
        target 32 => |file| sizes(file, [1 << 16, 1 << 16, 1, 1]);

    /// A stride is 2^32, which wraps to 0 in 32 bits, so all rows begin at the first element. The byte count is valid,
    /// so a reader must also check the strides.
    reject "pte/tensors/stride-wraps-to-0": "stride 2^32" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [2, 65536, 65536, 1]);

    /// A stride is 2^31, which is negative as a signed 32-bit integer. With a negative stride, the second row begins in
    /// front of the tensor's memory.
    reject "pte/tensors/stride-turns-negative": "stride 2^31" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [2, 32768, 65536, 1]);

    /// A stride of a dynamic tensor is 2^32, but only for the largest shape. Readers that compute strides from the
    /// upper limits may reject the file.
    either "pte/tensors/stride-of-bounds-wraps": "stride 2^32 of the largest shape of a dynamic tensor"
        about rules::T_STRIDE_BOUND, from "pte/valid/dynamic-input" => |file| sizes(file, [2, 65536, 65536, 1]);

    /// A stride is 2^32, but its dimension has only one element, so no access uses the stride. Readers may accept the
    /// file, or reject it because the product of the sizes exceeds 32 bits.
    either "pte/valid/stride-of-one-element": "stride 2^32 of a dimension of one element" about rules::T_STRIDE_ONE,
        from "pte/valid/tensor-fields" => |file| sizes(file, [1, 65536, 65536, 1]);

    /// A stride that is computed in the order of `dim_order` is 2^32, which overflows 32 bits. A reader that ignores
    /// `dim_order` gets 131 072 as the largest stride and accepts the file.
    reject "pte/tensors/stride-wraps-by-order": "stride 2^32 from dim_order" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| {
            sizes(file, [65536, 2, 65536, 1]);
            file.elements(DIM_ORDER, 0, &[1, 0, 2, 3]);
        };

    /// The first size is 0, so the tensor is empty, but a stride overflows 32 bits. A reader must check the strides of
    /// empty tensors, because some readers also compute the strides of empty tensors.
    reject "pte/tensors/stride-overflows-behind-0": "sizes [0, M, M, M], M = 2^31 − 1" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [0, MAX, MAX, MAX]);

    /// The last size is 0, so the tensor is empty, but a stride overflows 32 bits. When readers compute strides, they
    /// count a size of 0 as 1, so the largest stride is (2^31 − 1)^2.
    reject "pte/tensors/stride-overflows-before-0": "sizes [M, M, M, 0], M = 2^31 − 1" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [MAX, MAX, MAX, 0]);
}

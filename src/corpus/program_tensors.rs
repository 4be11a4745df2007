//! Cases about a program's tensors: scalar type, sizes, dimension order, and how byte counts and strides are computed.

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
    /// The program has a constant, planned tensors, and an input whose memory the caller provides. A reader that
    /// expects stored or planned memory for every tensor rejects the file.
    build "pte/valid/tensor-fields": "tensors with every field, and an input without memory"
        shows rules::T_DATA_MATRIX => base::tensors;

    /// The sizes of a dynamic input are upper limits. A reader that requires exactly these sizes rejects smaller inputs.
    accept "pte/valid/dynamic-input": "dynamic input" shows rules::T_DYNAMISM,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.shape_dynamism", 1_i8);

    /// The runtime supports at most 16 dimensions. A reader whose limit is off by one rejects the file.
    build "pte/valid/rank-16": "sixteen dimensions" shows rules::T_RANK_MAX => || base::rank(16);

    /// A tensor without dimensions has one element. A reader that treats empty sizes as absent, or computes 0 elements,
    /// rejects the file.
    build "pte/valid/rank-0": "tensor of no dimensions" shows rules::T_SIZES_NONNULL => || base::rank(0);

    /// `dim_order` is [0, 2, 3, 1], which lists the dimensions from outermost to innermost in memory. A reader that
    /// ignores it uses the wrong elements.
    accept "pte/valid/channels-last": "dimensions in channels-last order" shows rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields" => |file| file.elements(DIM_ORDER, 0, &[0, 2, 3, 1]);

    /// Types 23 to 29 come from later releases, but readers must support them too.
    build "pte/valid/every-element-type": "all 23 scalar types of the schema" shows rules::T_SCALAR_TYPE => || {
        base::inputs_of(&[0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16, 17, 22, 23, 24, 25, 26, 27, 28, 29])
    };

    /// These types are complex numbers of 4, 8 and 16 bytes. The runtime supports them, so a reader must not rely on
    /// the schema's list of types.
    build "pte/valid/complex-elements": "scalar types 8 to 10, which the schema does not list"
        shows rules::T_SCALAR_TYPE => || base::inputs_of(&[8, 9, 10]);

    /// These are bit types, whose elements take one byte each. The runtime supports them, so a reader must not rely on
    /// the schema's list of types.
    build "pte/valid/bits-elements": "scalar types 18 to 21, which the schema does not list" shows rules::T_SCALAR_TYPE
        => || base::inputs_of(&[18, 19, 20, 21]);

    /// Only training uses `requires_grad`, so other readers must ignore it.
    accept "pte/valid/requires-grad": "tensor that requires a gradient" shows rules::T_REQUIRES_GRAD,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.requires_grad", 1_u8);

    /// The tensor is empty, although the product of the sizes before the 0 is almost 2^62. A reader that rejects large
    /// partial products rejects the file.
    accept "pte/valid/zero-size-last": "size of 0 after huge sizes" shows rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| {
            file.scalar(SCALAR_TYPE, 7_i8);
            sizes(file, [MAX, MAX, 1, 0]);
        };

    /// The tensor is empty, but a reader that multiplies its sizes from right to left overflows before it gets to the 0.
    accept "pte/valid/zero-size-first": "size of 0 before huge sizes" shows rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| {
            file.scalar(SCALAR_TYPE, 7_i8);
            sizes(file, [0, MAX, MAX, 1]);
            file.elements(DIM_ORDER, 0, &[1, 0, 2, 3]);
        };

    /// This `dim_order` makes every stride fit into 32 bits, so 64-bit hosts can load the file. A reader that ignores
    /// the order gets a stride of 2^32.
    accept "pte/valid/stride-by-order": "strides that fit 32 bits only with dim_order" shows rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields", target 64 => |file| {
            sizes(file, [1, 65536, 65536, 1]);
            file.elements(DIM_ORDER, 0, &[1, 0, 2, 3]);
        };

    /// No type has this number, so a reader that looks up the element width without a check reads past its table.
    reject "pte/tensors/scalar-type-99": "scalar type 99" breaks rules::T_SCALAR_TYPE,
        from "pte/valid/tensor-fields" => |file| file.scalar(SCALAR_TYPE, 99_i8);

    /// The runtime's last type is 29. A reader whose check is off by one reads past the end of its table of element widths.
    reject "pte/tensors/scalar-type-30": "scalar type 30" breaks rules::T_SCALAR_TYPE,
        from "pte/valid/tensor-fields" => |file| file.scalar(SCALAR_TYPE, 30_i8);

    /// A reader that checks only the upper limit reads before the start of its table of element widths.
    reject "pte/tensors/scalar-type-minus-1": "scalar type −1" breaks rules::T_SCALAR_TYPE,
        from "pte/valid/tensor-fields" => |file| file.scalar(SCALAR_TYPE, -1_i8);

    /// A reader that does not check dynamic inputs fails when the caller asks for the input's size in bytes.
    reject "pte/tensors/scalar-type-99-of-dynamic-input": "scalar type 99 of a dynamic input"
        breaks rules::T_SCALAR_TYPE, from "pte/valid/dynamic-input" => |file| file.scalar(SCALAR_TYPE, 99_i8);

    /// A tensor without dimensions needs an empty list. If the list is absent, taking the rank from it dereferences null.
    reject "pte/tensors/sizes-absent": "tensor sizes absent" breaks rules::T_SIZES_NONNULL,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#19878"] => |file| file.own_slot(INPUT, 2, 0);

    /// A reader that does not check dynamic inputs dereferences null when the caller asks for the input's shape.
    reject "pte/tensors/sizes-absent-of-dynamic-input": "sizes of a dynamic input absent" breaks rules::T_SIZES_NONNULL,
        from "pte/valid/dynamic-input" => |file| file.own_slot(INPUT, 2, 0);

    /// A reader that computes strides dereferences null, and a reader that assumes the default order may use the wrong elements.
    reject "pte/tensors/dim-order-absent": "tensor dim_order absent" breaks rules::T_DIMORDER_NONNULL,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#19878"] => |file| file.own_slot(INPUT, 3, 0);

    /// The byte count is −8. A signed −8 is below every buffer's size; as an unsigned number, it is almost 2^64.
    reject "pte/tensors/size-minus-1": "tensor size −1" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#18724"] => |file| sizes(file, [1, 1, 2, -1]);

    /// The absolute value of −2^31 does not fit into 32 bits and stays negative, so a reader has to test the sign.
    reject "pte/tensors/size-min": "tensor size −2^31" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields" => |file| sizes(file, [i32::MIN, 1, 2, 2]);

    /// The product of the two negative sizes is positive, so a reader has to check every size.
    reject "pte/tensors/sizes-negative-in-pairs": "two negative sizes with a positive product"
        breaks rules::T_SIZES_NONNEG, from "pte/valid/tensor-fields" => |file| sizes(file, [1, 1, -2, -2]);

    /// −5 times 0 is 0, but a loop over a negative size can run billions of times.
    reject "pte/tensors/size-negative-beside-0": "negative size beside a size of 0" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields" => |file| sizes(file, [0, -5, 2, 2]);

    /// Some frameworks use −1 for an unknown size, but in this format, every size of a dynamic input has to be an upper limit.
    reject "pte/tensors/size-minus-1-of-dynamic-input": "size −1 of a dynamic input" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/dynamic-input", refs ["pytorch/executorch#18724"] => |file| sizes(file, [-1, 1, 2, 2]);

    /// The runtime supports 16 dimensions. A reader that copies 17 sizes into an array of 16 writes past its end.
    reject "pte/tensors/rank-17": "seventeen dimensions" breaks rules::T_RANK_MAX,
        from "pte/valid/rank-16", refs ["CVE-2025-54951", "GHSA-xc7w-r669-48pf", "pytorch/executorch#12684"] => |file| {
            file.count(SIZES, 17);
            file.count(DIM_ORDER, 17);
        };

    /// A reader that copies 256 sizes into an array of 16 writes 960 bytes past its end.
    reject "pte/tensors/rank-256": "256 dimensions" breaks rules::T_RANK_MAX,
        from "pte/valid/rank-16", refs ["CVE-2025-54951", "GHSA-xc7w-r669-48pf"] => |file| {
            file.count(SIZES, 256);
            file.count(DIM_ORDER, 256);
        };

    /// There are four sizes but three entries. A reader that takes one entry per size reads past the end, where the
    /// next byte happens to have the right value.
    reject "pte/tensors/dim-order-shorter": "dim_order shorter than sizes" breaks rules::T_DIMORDER_LEN,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#17131"] => |file| file.count(DIM_ORDER, 3);

    /// There are 16 sizes but 17 entries. A reader that computes one stride per entry writes past an array of 16.
    reject "pte/tensors/dim-order-longer": "dim_order longer than sizes" breaks rules::T_DIMORDER_LEN,
        from "pte/valid/rank-16" => |file| file.count(DIM_ORDER, 17);

    /// A reader that takes one entry per size reads past the end, and a reader that loops over the entries sets no strides.
    reject "pte/tensors/dim-order-empty": "tensor dim_order empty" breaks rules::T_DIMORDER_LEN,
        from "pte/valid/tensor-fields" => |file| file.count(DIM_ORDER, 0);

    /// Every entry is in range, but no entry is 1, so the stride of dimension 1 is never initialized.
    reject "pte/tensors/dim-order-repeats": "dim_order [0, 0, 2, 3]" breaks rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#17314"] => |file| file.elements(DIM_ORDER, 1, &[0]);

    /// Rank 4 has dimensions 0 to 3, not 1 to 4. A reader whose check is off by one writes a stride past its array.
    reject "pte/tensors/dim-order-is-rank": "dim_order entry 4 of rank 4" breaks rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields" => |file| file.elements(DIM_ORDER, 0, &[1, 2, 3, 4]);

    /// The rank is 4. A reader that uses the entry 255 as an index writes far past the end of its strides.
    reject "pte/tensors/dim-order-255": "dim_order entry 255" breaks rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields" => |file| file.elements(DIM_ORDER, 3, &[255]);

    /// The element count overflows 64 bits, so a reader compares a wrong number with the buffer's size.
    reject "pte/tensors/elements-overflow": "four sizes of 2^31 − 1" breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217"]
        => |file| sizes(file, [MAX, MAX, MAX, MAX]);

    /// The product of four sizes of 65 536 wraps to 0, so the tensor seems to fit into any buffer, and kernels write past it.
    reject "pte/tensors/elements-wrap-to-0": "element count 2^64" breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"]
        => |file| sizes(file, [65536; 4]);

    /// The element count fits into an unsigned 64-bit integer but is negative in a signed one.
    reject "pte/tensors/elements-2-to-63": "element count 2^63" breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [1 << 30, 1 << 30, 8, 1]);

    /// The element count, 2^64 + 4, wraps to 4, which is exactly how many elements the segment has.
    reject "pte/tensors/elements-wrap-to-4-of-constant": "constant whose element count wraps to the correct count"
        breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes_of(file, 0, [1, 5, 1_718_039_348, 2_147_418_113]);

    /// The element count, 2^62, fits into 64 bits, but multiplied by the element width, it wraps to 0 bytes.
    reject "pte/tensors/bytes-wrap-to-0": "byte count 2^64" breaks rules::T_NBYTES_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217"]
        => |file| sizes(file, [1 << 30, 1 << 30, 4, 1]);

    /// The byte count wraps to 32, so the tensor seems to fit into a small buffer, and kernels write past it.
    reject "pte/tensors/bytes-wrap-to-32": "byte count 2^64 + 32" breaks rules::T_NBYTES_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"]
        => |file| sizes(file, [1, 2, 1_263_665_316, 1_824_726_041]);

    /// The byte count wraps to 4, so the tensor seems to fit into its planned buffer.
    reject "pte/tensors/bytes-wrap-to-4-of-planned": "planned tensor of 2^64 + 4 bytes" breaks rules::T_NBYTES_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"]
        => |file| sizes_of(file, 2, [1, 5, 429_509_837, 2_147_418_113]);

    /// The byte count wraps to 0. Readers must check dynamic inputs too, because hosts allocate memory for the largest size.
    reject "pte/tensors/bytes-wrap-to-0-of-dynamic-input": "dynamic input of up to 2^64 bytes"
        breaks rules::T_NBYTES_OVERFLOW, from "pte/valid/dynamic-input" => |file| sizes(file, [1 << 30, 1 << 30, 4, 1]);

    /// The element count wraps to 0, so a host that relies on it allocates nothing for this input.
    reject "pte/tensors/elements-overflow-of-dynamic-input": "dynamic input of up to 2^64 elements"
        breaks rules::T_NUMEL_OVERFLOW, from "pte/valid/dynamic-input" => |file| sizes(file, [65536; 4]);

    /// On a 32-bit host, the byte count wraps to 0, but on 64-bit hosts, the file is valid.
    either "pte/tensors/bytes-2-to-32": "byte count 2^32" about rules::T_NBYTES_32BIT,
        from "pte/valid/tensor-fields", target 32 => |file| sizes(file, [1 << 30, 1, 1, 1]);

    /// The largest input takes 16 GiB, but 32-bit hosts have less. They may reject the file, or run it with smaller inputs.
    either "pte/tensors/bytes-2-to-34-of-dynamic-input": "dynamic input of up to 2^34 bytes"
        about rules::T_DYNAMIC_INPUT_BOUNDS, from "pte/valid/dynamic-input", refs ["pytorch/executorch#19121"],
        target 32 => |file| sizes(file, [1 << 16, 1 << 16, 1, 1]);

    /// The byte count is valid, but in 32 bits, the stride wraps to 0, so all rows begin at the first element.
    reject "pte/tensors/stride-wraps-to-0": "stride 2^32" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [2, 65536, 65536, 1]);

    /// Read as a signed 32-bit integer, the stride is negative, so the second row begins before the tensor's memory.
    reject "pte/tensors/stride-turns-negative": "stride 2^31" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [2, 32768, 65536, 1]);

    /// Only the largest shape has this stride. Readers that compute strides from the upper limits may reject the file.
    either "pte/tensors/stride-of-bounds-wraps": "stride 2^32 of the largest shape of a dynamic tensor"
        about rules::T_STRIDE_BOUND, from "pte/valid/dynamic-input" => |file| sizes(file, [2, 65536, 65536, 1]);

    /// No access ever uses the stride of a dimension with one element. Readers may accept the file, or reject it
    /// because the product exceeds 32 bits.
    either "pte/valid/stride-of-one-element": "stride 2^32 of a dimension of one element" about rules::T_STRIDE_ONE,
        from "pte/valid/tensor-fields" => |file| sizes(file, [1, 65536, 65536, 1]);

    /// This `dim_order` leads to a stride of 2^32. A reader that ignores it computes at most 131 072 and accepts the file.
    reject "pte/tensors/stride-wraps-by-order": "stride 2^32 from dim_order" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| {
            sizes(file, [65536, 2, 65536, 1]);
            file.elements(DIM_ORDER, 0, &[1, 0, 2, 3]);
        };

    /// The tensor is empty, but some readers still compute its strides, and one of them overflows 32 bits.
    reject "pte/tensors/stride-overflows-behind-0": "sizes [0, M, M, M], M = 2^31 − 1" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [0, MAX, MAX, MAX]);

    /// The tensor is empty, but strides count a size of 0 as 1, so the largest stride is (2^31 − 1)^2.
    reject "pte/tensors/stride-overflows-before-0": "sizes [M, M, M, 0], M = 2^31 − 1" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [MAX, MAX, MAX, 0]);
}

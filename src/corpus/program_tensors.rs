//! A program's tensors: element type, sizes, order of dimensions, and the arithmetic on them.

use alloc::format;

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::tensors as rules;

/// The input that the caller brings: nothing but the tensor's own fields depends on its sizes.
const INPUT: &str = "execution_plan[0].values[1].val";
const SCALAR_TYPE: &str = "execution_plan[0].values[1].val.scalar_type";
const SIZES: &str = "execution_plan[0].values[1].val.sizes";
const DIM_ORDER: &str = "execution_plan[0].values[1].val.dim_order";

/// The sizes of the tensor that is value `index`.
fn sizes_of(file: &mut Patcher<'_>, index: usize, sizes: [i32; 4]) {
    let sizes = sizes.map(i32::to_le_bytes);
    file.elements(&format!("execution_plan[0].values[{index}].val.sizes"), 0, sizes.as_flattened());
}

fn sizes(file: &mut Patcher<'_>, sizes: [i32; 4]) {
    sizes_of(file, 1, sizes);
}

const MAX: i32 = i32::MAX;

cases! {
    /// Tensors of every kind by where their data is: a constant, planned ones, and an input without a place, for which
    /// the caller brings the memory. A reader that wants one of constant and plan for each tensor refuses the last.
    build "pte/valid/tensor-fields": "tensors with every field, and an input without a place"
        shows rules::T_DATA_MATRIX => base::tensors;

    /// The sizes of this input are upper bounds, which stand where sizes stand and obey the same rules. A reader that
    /// takes them for the shape refuses every smaller input.
    accept "pte/valid/dynamic-input": "input with upper bounds for sizes" shows rules::T_DYNAMISM,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.shape_dynamism", 1_i8);

    /// Sixteen dimensions are as many as the runtime has room for. A reader that asks for fewer than its array is long
    /// refuses it, and a kernel that adds a dimension has to look for itself.
    build "pte/valid/rank-16": "sixteen dimensions" shows rules::T_RANK_MAX => || base::rank(16);

    /// A tensor of no dimensions has one element: its lists of sizes and dimensions are there, and empty. A reader that
    /// begins the product of the sizes with 0, or takes an empty list for an absent one, refuses every scalar.
    build "pte/valid/rank-0": "tensor of no dimensions" shows rules::T_SIZES_NONNULL => || base::rank(0);

    /// The order names the dimensions from the outermost in memory to the innermost. A reader that ignores it, or takes
    /// it for its own inverse, finds every number in another place.
    accept "pte/valid/channels-last": "dimensions in another order" shows rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields" => |file| file.elements(DIM_ORDER, 0, &[0, 2, 3, 1]);

    /// Every element type that the schema lists. Readers with a table of their own miss the newest, 23 to 29, and
    /// refuse small floats and unsigned integers.
    build "pte/valid/every-element-type": "the 23 listed scalar types" shows rules::T_SCALAR_TYPE => || {
        base::inputs_of(&[0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16, 17, 22, 23, 24, 25, 26, 27, 28, 29])
    };

    /// Complex elements are commented out in the schema and known to the runtime: 8, 9 and 10 have 4, 8 and 16 bytes. A
    /// reader with the schema's list refuses what others run.
    build "pte/valid/complex-elements": "scalar types 8 to 10, which only the runtime lists" shows rules::T_SCALAR_TYPE
        => || base::inputs_of(&[8, 9, 10]);

    /// Packed bits, 18 to 21, have one byte an element in the runtime and no line in the schema. Readers with the
    /// schema's list refuse them, and readers that count by bits give them an eighth of their memory.
    build "pte/valid/bits-elements": "scalar types 18 to 21, which only the runtime lists" shows rules::T_SCALAR_TYPE
        => || base::inputs_of(&[18, 19, 20, 21]);

    /// Training leaves the flag behind in tensors that inference runs. A reader that refuses it, or keeps gradients for
    /// it, tells two files of one computation apart.
    accept "pte/valid/requires-grad": "tensor that requires a gradient" shows rules::T_REQUIRES_GRAD,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.requires_grad", 1_u8);

    /// A size of 0 behind sizes whose product is close to 2^62: the product is 0, of elements and of bytes, whatever it
    /// was on the way. Readers that multiply bytes first, or by parts, refuse it.
    accept "pte/valid/zero-size-last": "a size of 0 behind huge sizes" shows rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| {
            file.scalar(SCALAR_TYPE, 7_i8);
            sizes(file, [MAX, MAX, 1, 0]);
        };

    /// From left to right the product is 0 from the first step on; from right to left it is near 2^65 bytes before the
    /// 0 is met, and readers that check each step refuse it. The order of the dimensions keeps the strides small.
    accept "pte/valid/zero-size-first": "a size of 0 before huge sizes" shows rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| {
            file.scalar(SCALAR_TYPE, 7_i8);
            sizes(file, [0, MAX, MAX, 1]);
            file.elements(DIM_ORDER, 0, &[1, 0, 2, 3]);
        };

    /// Strides follow the order of dimensions: here the largest is 65 536, and would be 2^32 if the sizes were taken as
    /// they stand.
    accept "pte/valid/stride-by-order": "strides small by the order of dimensions alone" shows rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields", target 64 => |file| {
            sizes(file, [1, 65536, 65536, 1]);
            file.elements(DIM_ORDER, 0, &[1, 0, 2, 3]);
        };

    /// A number that is no element type: looked up in a table of thirty, it has no size, and readers stop the process
    /// over it.
    reject "pte/tensors/scalar-type-99": "scalar type 99" breaks rules::T_SCALAR_TYPE,
        from "pte/valid/tensor-fields" => |file| file.scalar(SCALAR_TYPE, 99_i8);

    /// The runtime's types are 0 to 29. A comparison that allows the number of types passes 30, and the width of an
    /// element is read from behind the table.
    reject "pte/tensors/scalar-type-30": "scalar type 30" breaks rules::T_SCALAR_TYPE,
        from "pte/valid/tensor-fields" => |file| file.scalar(SCALAR_TYPE, 30_i8);

    /// With its sign −1 is below the number of types, so a comparison with the table's end alone passes it: the width
    /// of an element is read from in front of the table.
    reject "pte/tensors/scalar-type-minus-1": "scalar type −1" breaks rules::T_SCALAR_TYPE,
        from "pte/valid/tensor-fields" => |file| file.scalar(SCALAR_TYPE, -1_i8);

    /// A verification that passes over dynamic inputs does not look at their type either. Whoever asks for the input's
    /// size in bytes then finds no width for it.
    reject "pte/tensors/scalar-type-99-of-dynamic-input": "scalar type 99 of a dynamic input"
        breaks rules::T_SCALAR_TYPE,
        from "pte/valid/dynamic-input" => |file| file.scalar(SCALAR_TYPE, 99_i8);

    /// No sizes at all: a tensor of no dimensions has an empty list. Readers follow a null pointer for the rank.
    reject "pte/tensors/sizes-absent": "sizes absent" breaks rules::T_SIZES_NONNULL,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#19878"] => |file| file.own_slot(INPUT, 2, 0);

    /// A verification that passes over dynamic inputs leaves the absent list to whoever asks for the input's shape,
    /// through a null pointer.
    reject "pte/tensors/sizes-absent-of-dynamic-input": "sizes of a dynamic input absent" breaks rules::T_SIZES_NONNULL,
        from "pte/valid/dynamic-input" => |file| file.own_slot(INPUT, 2, 0);

    /// Strides are made from the order of dimensions. A reader that does not look reads it through a null pointer; one
    /// that assumes an order for it may turn the tensor around.
    reject "pte/tensors/dim-order-absent": "dim_order absent" breaks rules::T_DIMORDER_NONNULL,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#19878"] => |file| file.own_slot(INPUT, 3, 0);

    /// The sizes multiply to −2 elements and −8 bytes: less than any buffer has while there is a sign, and almost 2^64
    /// where there is none.
    reject "pte/tensors/size-minus-1": "size −1" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#18724"] => |file| sizes(file, [1, 1, 2, -1]);

    /// −2^31 is its own negation in 32 bits. A reader that takes a size's amount goes on with a negative one, and the
    /// byte count that follows is −32 GiB.
    reject "pte/tensors/size-min": "size −2^31" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields" => |file| sizes(file, [i32::MIN, 1, 2, 2]);

    /// Two negative sizes, whose product is what it was: looking at the product alone does not find them.
    reject "pte/tensors/sizes-negative-in-pairs": "two negative sizes with a positive product"
        breaks rules::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields" => |file| sizes(file, [1, 1, -2, -2]);

    /// The product is 0, and a tensor of no bytes fits anywhere: only the sizes themselves show it. A loop over the
    /// dimension of −5 runs never, or four billion times.
    reject "pte/tensors/size-negative-beside-0": "a negative size beside a size of 0" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields" => |file| sizes(file, [0, -5, 2, 2]);

    /// Frameworks write −1 for a size of which nothing is known; a bound of −1 bounds nothing. A verification that
    /// passes over dynamic inputs leaves it to whoever makes memory for the input, −16 bytes of it.
    reject "pte/tensors/size-minus-1-of-dynamic-input": "upper bound −1" breaks rules::T_SIZES_NONNEG,
        from "pte/valid/dynamic-input", refs ["pytorch/executorch#18724"] => |file| sizes(file, [-1, 1, 2, 2]);

    /// One dimension more than the runtime has room for: shapes are copied into arrays of sixteen, and the seventeenth
    /// size goes behind the end.
    reject "pte/tensors/rank-17": "seventeen dimensions" breaks rules::T_RANK_MAX,
        from "pte/valid/rank-16", refs ["CVE-2025-54951", "GHSA-xc7w-r669-48pf", "pytorch/executorch#12684"] => |file| {
            file.count(SIZES, 17);
            file.count(DIM_ORDER, 17);
        };

    /// As many dimensions as the bytes of an order can number. Copied into arrays of sixteen, the sizes alone write 960
    /// bytes behind the end, all with values from the file.
    reject "pte/tensors/rank-256": "256 dimensions" breaks rules::T_RANK_MAX,
        from "pte/valid/rank-16", refs ["CVE-2025-54951", "GHSA-xc7w-r669-48pf"] => |file| {
            file.count(SIZES, 256);
            file.count(DIM_ORDER, 256);
        };

    /// The fourth dimension has no place in the order. A reader that walks both lists by the number of sizes takes the
    /// byte behind the order for it, which happens to be right.
    reject "pte/tensors/dim-order-shorter": "dim_order shorter than sizes" breaks rules::T_DIMORDER_LEN,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#17131"] => |file| file.count(DIM_ORDER, 3);

    /// Sixteen sizes, and an order of seventeen whose last entry is 16. A reader that goes by the order's length sets a
    /// stride behind an array of sixteen, though the rank has passed.
    reject "pte/tensors/dim-order-longer": "dim_order longer than sizes" breaks rules::T_DIMORDER_LEN,
        from "pte/valid/rank-16" => |file| file.count(DIM_ORDER, 17);

    /// The order is present, so a test for that passes, and an order of nothing repeats nothing. A reader that walks it
    /// by the four sizes finds the old entries behind its end; one that goes by its own length sets no stride.
    reject "pte/tensors/dim-order-empty": "dim_order empty" breaks rules::T_DIMORDER_LEN,
        from "pte/valid/tensor-fields" => |file| file.count(DIM_ORDER, 0);

    /// One dimension twice and another not at all: its stride is never set, and kernels step by what memory held.
    reject "pte/tensors/dim-order-repeats": "dim_order [0, 0, 2, 3]" breaks rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#17314"]
        => |file| file.elements(DIM_ORDER, 1, &[0]);

    /// The order [1, 2, 3, 4] is that of a writer who counts from 1. A comparison that allows the rank lets the 4 pass,
    /// and one stride is set behind the others while the first is not set at all.
    reject "pte/tensors/dim-order-is-rank": "dim_order entry 4 of rank 4" breaks rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields" => |file| file.elements(DIM_ORDER, 0, &[1, 2, 3, 4]);

    /// The largest entry: as an index into the strides it writes a kilobyte behind them.
    reject "pte/tensors/dim-order-255": "dim_order entry 255" breaks rules::T_DIMORDER_PERM,
        from "pte/valid/tensor-fields" => |file| file.elements(DIM_ORDER, 3, &[255]);

    /// The largest sizes there are. What is left of their product after it has wrapped passes any comparison with a
    /// buffer.
    reject "pte/tensors/elements-overflow": "four sizes of 2^31 − 1" breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217"]
        => |file| sizes(file, [MAX, MAX, MAX, MAX]);

    /// 65 536 to the fourth is 2^64, which wraps to 0: no elements and no bytes, for which any buffer is large enough,
    /// while kernels loop by the sizes.
    reject "pte/tensors/elements-wrap-to-0": "element count 2^64" breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"]
        => |file| sizes(file, [65536; 4]);

    /// The product fits into 64 bits without a sign, so a test for a product that wraps finds nothing. A reader that
    /// then counts with a sign has −2^63 elements, fewer than any limit.
    reject "pte/tensors/elements-2-to-63": "element count 2^63" breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [1 << 30, 1 << 30, 8, 1]);

    /// A constant of 2^64 + 4 elements. The count wraps to 4, which is how many there are in its segment, so a reader
    /// that wraps finds the sizes and the data in best order.
    reject "pte/tensors/elements-wrap-to-4-of-constant": "constant whose element count wraps to the right one"
        breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes_of(file, 0, [1, 5, 1_718_039_348, 2_147_418_113]);

    /// 2^62 elements are a right count in any 64 bits; at four bytes each they wrap to 0. A check of the elements alone
    /// passes, and so does the comparison with every buffer.
    reject "pte/tensors/bytes-wrap-to-0": "byte count 2^64" breaks rules::T_NBYTES_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217"]
        => |file| sizes(file, [1 << 30, 1 << 30, 4, 1]);

    /// The count of bytes wraps to 32: twice as much as the tensor had, and a heap's worth less than kernels will walk.
    reject "pte/tensors/bytes-wrap-to-32": "byte count 2^64 + 32" breaks rules::T_NBYTES_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"]
        => |file| sizes(file, [1, 2, 1_263_665_316, 1_824_726_041]);

    /// What is left of the byte count is 4, which fits into the planned buffer at the tensor's place. The plan finds
    /// nothing wrong, and kernels write by the sizes.
    reject "pte/tensors/bytes-wrap-to-4-of-planned": "planned tensor of 2^64 + 4 bytes" breaks rules::T_NBYTES_OVERFLOW,
        from "pte/valid/tensor-fields", refs ["CVE-2025-30402", "GHSA-h952-963h-rv99"]
        => |file| sizes_of(file, 2, [1, 5, 429_509_837, 2_147_418_113]);

    /// An upper bound whose bytes wrap to 0. Bounds of dynamic inputs may be huge, so that a reader is tempted not to
    /// look; past 64 bits there is no host on which they mean anything, and memory is made by them.
    reject "pte/tensors/bytes-wrap-to-0-of-dynamic-input": "dynamic input with bounds of 2^64 bytes"
        breaks rules::T_NBYTES_OVERFLOW,
        from "pte/valid/dynamic-input" => |file| sizes(file, [1 << 30, 1 << 30, 4, 1]);

    /// Four bounds of 65 536 are 2^64 elements, which wrap to 0: every shape that the caller sets is within the bounds,
    /// and the memory that was made by them has no bytes.
    reject "pte/tensors/elements-overflow-of-dynamic-input": "dynamic input with bounds of 2^64 elements"
        breaks rules::T_NUMEL_OVERFLOW,
        from "pte/valid/dynamic-input" => |file| sizes(file, [65536; 4]);

    /// 4 GiB and not a byte less: in 32 bits that is no bytes at all. Right for every other host.
    either "pte/tensors/bytes-2-to-32": "byte count 2^32" about rules::T_NBYTES_32BIT,
        from "pte/valid/tensor-fields", target 32 => |file| sizes(file, [1 << 30, 1, 1, 1]);

    /// Upper bounds of 16 GiB. A device of 32 bits loads the file and never comes near them, or has no use for it.
    either "pte/tensors/bytes-2-to-34-of-dynamic-input": "dynamic input with bounds of 2^34 bytes"
        about rules::T_DYNAMIC_INPUT_BOUNDS,
        from "pte/valid/dynamic-input", refs ["pytorch/executorch#19121"], target 32
        => |file| sizes(file, [1 << 16, 1 << 16, 1, 1]);

    /// A stride of 2^32 elements, where strides have 32 bits: it becomes 0, and every row the first. The bytes fit
    /// easily.
    reject "pte/tensors/stride-wraps-to-0": "stride 2^32" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [2, 65536, 65536, 1]);

    /// A stride of 2^31, which becomes negative: the second row is in front of the tensor.
    reject "pte/tensors/stride-turns-negative": "stride 2^31" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [2, 32768, 65536, 1]);

    /// Bounds of a dynamic tensor that are never all reached at once may multiply to a stride that no reader could hold. One
    /// that computes strides from the bounds before it knows the sizes overflows for nothing.
    either "pte/tensors/stride-of-bounds-wraps": "stride 2^32 by the bounds of a dynamic tensor"
        about rules::T_STRIDE_BOUND,
        from "pte/valid/dynamic-input" => |file| sizes(file, [2, 65536, 65536, 1]);

    /// A dimension of one element has a stride that is never used: that it would not fit into 32 bits hurts nobody who does not
    /// ask.
    accept "pte/valid/stride-of-one-element": "stride 2^32 of a dimension of one element" shows rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields", target 64 => |file| sizes(file, [1, 65536, 65536, 1]);

    /// By the sizes as they stand no stride is above 131 072. By the order, the dimension of two is outermost and its
    /// stride 2^32, 0 in 32 bits: a check that leaves the order out does not see it.
    reject "pte/tensors/stride-wraps-by-order": "stride 2^32 by the order of dimensions"
        breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| {
            sizes(file, [65536, 2, 65536, 1]);
            file.elements(DIM_ORDER, 0, &[1, 0, 2, 3]);
        };

    /// A tensor without elements still has strides, in which a size of 0 counts as 1. With the 0 in front, no product
    /// of elements gives it away.
    reject "pte/tensors/stride-overflows-behind-0": "sizes [0, M, M, M], M = 2^31 − 1" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [0, MAX, MAX, MAX]);

    /// Strides are made from the innermost size outward, where 0 counts as 1: the outermost is (2^31 − 1)^2. There are
    /// no elements to show it, so a reader that looks at the byte count is content.
    reject "pte/tensors/stride-overflows-before-0": "sizes [M, M, M, 0], M = 2^31 − 1" breaks rules::T_STRIDE_OVERFLOW,
        from "pte/valid/tensor-fields" => |file| sizes(file, [MAX, MAX, MAX, 0]);
}

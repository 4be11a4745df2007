//! Cases about the arguments of the runtime's own operators on tensors and integers.

use alloc::format;

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::instructions as rules;

fn argument(file: &mut Patcher<'_>, call: usize, position: usize, value: i32) {
    let args = format!("execution_plan[0].chains[0].instructions[{call}].instr_args.args");
    file.elements(&args, position * 4, value);
}

fn arguments(file: &mut Patcher<'_>, call: usize, count: u32) {
    file.count(&format!("execution_plan[0].chains[0].instructions[{call}].instr_args.args"), count);
}

cases! {
    /// One operator's name includes its overload, so readers must join name and overload before they look up the kernel.
    build "pte/valid/tensor-operators": "calls of the runtime's own operators on tensors and integers"
        shows rules::INS_ARG_TYPES => base::tensor_operators;

    /// The call to `sym_size.int` lacks its result, so the kernel writes to an address found after the argument list.
    reject "pte/kernels/sym-size-too-few": "sym_size with 2 arguments instead of 3" breaks rules::INS_ARITY,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#12987"] => |file| arguments(file, 0, 2);

    /// The call to `sym_numel` lacks its result, so the kernel writes to an address found after the argument list.
    reject "pte/kernels/sym-numel-too-few": "sym_numel with 1 argument instead of 2" breaks rules::INS_ARITY,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#12987"] => |file| arguments(file, 1, 1);

    /// The call to `_local_scalar_dense` lacks its result, so the kernel writes to an address found after the argument
    /// list.
    reject "pte/kernels/local-scalar-too-few": "_local_scalar_dense with 1 argument instead of 2"
        breaks rules::INS_ARITY,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#12987"] => |file| arguments(file, 2, 1);

    /// The name is `executorch_prim::add.Scalar` and the overload is empty. The runtime finds the same kernel as for
    /// the name `add` with the overload `Scalar`, so the same check applies.
    reject "pte/kernels/joined-name-too-few": "add with the overload in its name and 1 argument instead of 3"
        breaks rules::INS_ARITY, from "pte/valid/tensor-operators" => |file| arguments(file, 6, 1);

    /// The call lacks the result, so the kernel takes a tensor from the memory after the list and changes that tensor's
    /// sizes and data.
    reject "pte/kernels/view-too-few": "et_view with 2 arguments instead of 3" breaks rules::INS_ARITY,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#12987"] => |file| arguments(file, 3, 2);

    /// The kernel fails, and a reader that prints the operator's absent overload in the error message dereferences null.
    reject "pte/kernels/too-few-overload-absent": "add without an overload and with 2 arguments instead of 3"
        breaks rules::INS_ARITY, from "pte/valid/tensor-operators" => |file| {
            file.own_slot("execution_plan[0].operators[6]", 1, 0);
            arguments(file, 6, 2);
        };

    /// A kernel that does not check the type uses the integer as a tensor's address.
    reject "pte/kernels/sym-size-of-int": "sym_size of an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 0, 0, 3);

    /// A kernel that does not check the type uses the tensor's pointer as the dimension.
    reject "pte/kernels/sym-size-by-tensor": "sym_size with a Tensor as dimension" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 0, 1, 1);

    /// A kernel that does not check the type uses the bool's bytes as a tensor's address.
    reject "pte/kernels/sym-numel-of-bool": "sym_numel of a Bool" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 1, 0, 9);

    /// A kernel that does not check the type uses the integer as an address and reads a number from there.
    reject "pte/kernels/local-scalar-of-int": "_local_scalar_dense of an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 2, 0, 3);

    /// A kernel that does not check the type gives the view a pointer that the file chooses.
    reject "pte/kernels/view-of-int": "et_view of an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 3, 0, 3);

    /// A kernel that does not check the type uses the tensor as a list of integers.
    reject "pte/kernels/view-by-tensor": "et_view with a Tensor as sizes" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 3, 1, 1);

    /// A kernel that does not check the type writes a pointer and sizes to an address that the file chooses.
    reject "pte/kernels/view-into-int": "et_view into an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 3, 2, 3);

    /// A kernel that does not check the type uses the double's bytes as the divisor.
    reject "pte/kernels/floordiv-by-double": "integer division by a Double" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 4, 1, 6);

    /// A kernel that does not check the type takes the divisor from the bool's byte and the uninitialized bytes after it.
    reject "pte/kernels/mod-by-bool": "integer remainder by a Bool" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 5, 1, 9);

    /// A kernel that does not check the type adds the tensor's pointer as a number.
    reject "pte/kernels/add-of-tensor": "addition of a Tensor as a scalar" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 6, 0, 1);

    /// Two numbers or two bools can be compared, but not an Int and a Bool. A kernel that does not check compares the
    /// integer with the bool and the uninitialized bytes after it.
    reject "pte/kernels/eq-of-int-and-bool": "comparison of an Int with a Bool" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 7, 1, 9);

    /// The divisor is 0, and no instruction changes it. On many processors, dividing by 0 crashes the process.
    either "pte/kernels/floordiv-by-0": "integer division by 0" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| argument(file, 4, 1, 5);

    /// The divisor is 0, and no instruction changes it. On many processors, computing the remainder crashes the process.
    either "pte/kernels/mod-by-0": "integer remainder by 0" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| argument(file, 5, 1, 5);

    /// The quotient, 2^63, does not fit into a signed 64-bit integer. On many processors, this overflow crashes the process.
    either "pte/kernels/floordiv-min-by-minus-1": "integer division of −2^63 by −1" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| {
            smallest_by_minus_1(file);
            argument(file, 4, 0, 10);
            argument(file, 4, 1, 11);
        };

    /// The remainder is 0, but the quotient does not fit into a signed 64-bit integer. On many processors, this
    /// overflow crashes the process.
    either "pte/kernels/mod-min-by-minus-1": "integer remainder of −2^63 by −1" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| {
            smallest_by_minus_1(file);
            argument(file, 5, 0, 10);
            argument(file, 5, 1, 11);
        };

    /// The tensor has only dimensions 0 and 1, so the kernel reads past the sizes.
    either "pte/kernels/sym-size-dimension-2": "sym_size with dimension 2 of a tensor of rank 2"
        about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| file.scalar("execution_plan[0].values[5].val.int_val", 2_i64);

    /// If only the upper limit is checked, −1 passes, and the kernel reads the memory before the sizes.
    either "pte/kernels/sym-size-dimension-minus-1": "sym_size with dimension −1" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| file.scalar("execution_plan[0].values[5].val.int_val", -1_i64);

    /// 2^32 × 2^32 wraps to 0. A kernel that compares only the product accepts a view that extends past its tensor's end.
    either "pte/kernels/view-product-wraps": "et_view with sizes whose product is 2^64" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| file.scalar("execution_plan[0].values[4].val.int_val", 1_i64 << 32);

    /// Only one size can be derived from the others. A kernel that replaces just one −1 leaves a negative size.
    either "pte/kernels/view-minus-1-twice": "et_view with two sizes of −1" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| file.scalar("execution_plan[0].values[4].val.int_val", -1_i64);

    /// The tensor has no elements, so the kernel reads past its end.
    either "pte/kernels/local-scalar-of-no-elements": "_local_scalar_dense of a tensor without elements"
        about rules::INS_ARG_VALUES, from "pte/valid/tensor-operators"
        => |file| file.elements("execution_plan[0].values[8].val.sizes", 0, 0_i32);

    /// The tensor has neither stored data nor planned memory, so reading its element dereferences null.
    either "pte/kernels/local-scalar-without-data": "_local_scalar_dense of a tensor without data"
        about rules::INS_ARG_DATA,
        from "pte/valid/tensor-operators" => |file| file.own_slot("execution_plan[0].values[8].val", 6, 0);

    /// The destination has neither stored data nor planned memory, so the kernel writes to null.
    either "pte/kernels/copy-index-without-data": "copy of a slice into a tensor without data"
        about rules::INS_ARG_DATA, from "pte/valid/first-operators" => |file| argument(file, 0, 0, 6);

    /// If the kernel does not compare the types, later kernels read float bits as integers.
    either "pte/kernels/view-other-type": "et_view of a FLOAT tensor as INT" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#9130"]
        => |file| file.scalar("execution_plan[0].values[2].val.scalar_type", 3_i8);

    /// The result has two dimensions, so the kernel reads past the end of a list with one size.
    either "pte/kernels/view-other-rank": "et_view with 1 size and a result of rank 2" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#9264"]
        => |file| file.count("execution_plan[0].values[7].val.items", 1);

    /// 4 is not a multiple of 3, so a kernel that rounds the quotient down gives the view only 3 elements.
    either "pte/kernels/view-minus-1-uneven": "et_view of 4 elements as −1 × 3" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| {
            file.scalar("execution_plan[0].values[10].val.int_val", -1_i64);
            sizes(file, 10, 11);
        };

    /// The −1 cannot be derived from the other size, which is 0, and a kernel that tries divides by 0.
    either "pte/kernels/view-minus-1-beside-0": "et_view of 4 elements as −1 × 0" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| {
            file.scalar("execution_plan[0].values[10].val.int_val", -1_i64);
            sizes(file, 10, 5);
        };

    /// The view has more elements than its tensor, so it extends past the tensor's end.
    either "pte/kernels/view-more-elements": "et_view of 4 elements as 2 × 3" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| sizes(file, 4, 11);

    /// The tensor is static, so the resize fails. A kernel that ignores this goes on with sizes that the exporter did not plan.
    either "pte/kernels/view-into-other-shape": "et_view as 1 × 4 into a static 2 × 2 tensor"
        about rules::INS_ARG_VALUES, from "pte/valid/tensor-operators" => |file| {
            file.scalar("execution_plan[0].values[10].val.int_val", 1_i64);
            file.scalar("execution_plan[0].values[11].val.int_val", 4_i64);
            sizes(file, 10, 11);
        };

    /// A kernel that ignores the bound sets sizes for which the result has no room.
    either "pte/kernels/view-above-bound": "et_view as 2 × 2 into a tensor of at most 1 × 2"
        about rules::INS_ARG_VALUES, from "pte/valid/shared-data"
        => |file| file.elements("execution_plan[0].values[6].val.sizes", 0, 1_i32);

    /// The result has enough room, so only a comparison of the element counts shows that half of the elements are lost.
    either "pte/kernels/view-fewer-elements": "et_view of 4 elements as 1 × 2" about rules::INS_ARG_VALUES,
        from "pte/valid/shared-data" => |file| file.elements("execution_plan[0].values[5].val.items", 0, 3_i64);

    /// The tensor has neither stored data nor planned memory, so the view is set to a null pointer and has no data
    /// either.
    either "pte/kernels/view-without-data": "et_view of a tensor without data" about rules::INS_ARG_DATA,
        from "pte/valid/shared-data" => |file| {
            argument(file, 0, 0, 6);
            argument(file, 2, 0, 7);
        };

    /// The kernel does not support HALF. If it reads the element as another type, it gets a wrong number.
    either "pte/kernels/local-scalar-of-half": "_local_scalar_dense of a HALF tensor" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#7748"]
        => |file| file.scalar("execution_plan[0].values[8].val.scalar_type", 5_i8);

    /// One operand of the addition is a view of a constant, and a MoveCall makes the other operand the constant itself.
    /// The addition only reads them.
    build "pte/valid/shared-data": "view and move of a constant" shows rules::INS_CONST_WRITE => base::shared_data;

    /// If the file is mapped, the write crashes the process. Otherwise, it changes the weights for every later run.
    either "pte/kernels/constant-written": "addition into a constant" about rules::INS_CONST_WRITE,
        from "pte/valid/shared-data", refs ["pytorch/executorch#7779", "pytorch/executorch#11990"]
        => |file| add_into(file, 0);

    /// The destination is not a constant itself but a view that shares a constant's data.
    either "pte/kernels/constant-written-through-view": "addition into a view of a constant"
        about rules::INS_CONST_WRITE, from "pte/valid/shared-data" => |file| add_into(file, 6);

    /// The destination had planned memory until a MoveCall put the constant in its place, so checking the tensor as the
    /// file stores it is not enough.
    either "pte/kernels/constant-written-after-move": "addition into a value that a move made a constant"
        about rules::INS_CONST_WRITE, from "pte/valid/shared-data" => |file| add_into(file, 7);

    /// One operand has neither stored data nor planned memory, and no instruction gives it data.
    either "pte/kernels/operand-without-data": "addition of a tensor without data" about rules::INS_ARG_DATA,
        from "pte/valid/shared-data", refs ["pytorch/executorch#19269"] => |file| argument(file, 0, 2, 7);

    /// The program calls only operators that ExecuTorch's first releases have, so those releases can run the cases
    /// about CVE-2025-54949 and CVE-2025-54950.
    build "pte/valid/first-operators": "calls of the runtime's oldest operators" shows rules::INS_ARITY
        => base::first_operators;

    /// Even releases without `sym_ite` can run this program. The kernel takes a pointer from the memory after the
    /// argument list and writes through it.
    reject "pte/kernels/first-too-few-arguments": "add with 1 argument instead of 3, in a program for old releases"
        breaks rules::INS_ARITY, from "pte/valid/first-operators",
        refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm", "pytorch/executorch#12987"] => |file| arguments(file, 1, 1);

    /// Even releases without `sym_ite` can run this program. The kernel takes all pointers from the memory after the empty list.
    reject "pte/kernels/first-no-arguments": "add without arguments, in a program for old releases"
        breaks rules::INS_ARITY, from "pte/valid/first-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| arguments(file, 1, 0);

    /// Even releases without `sym_ite` can run this program. The kernel takes the index from the memory after the list.
    reject "pte/kernels/first-copy-index-without-index": "slice copy with 2 arguments, in a program for old releases"
        breaks rules::INS_ARITY, from "pte/valid/first-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| arguments(file, 0, 2);

    /// Even releases without `sym_ite` can run this program. Only slices 0 to 3 exist, so the kernel writes past the
    /// tensor's end.
    either "pte/kernels/first-copy-index-past-end": "slice copy to index 4 of 4, in a program for old releases"
        about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/first-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "pytorch/executorch#12697"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", 4_i64);

    /// Even releases without `sym_ite` can run this program. Multiplied by the slice size of 8 bytes, the index wraps
    /// to offset 0.
    either "pte/kernels/first-copy-index-wraps": "slice copy to index 2^61, in a program for old releases"
        about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/first-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", 1_i64 << 61);

    /// A slice must have one dimension fewer than the destination. A kernel that ignores this reads past the sizes.
    either "pte/kernels/first-copy-index-rank": "slice copy of a tensor of rank 2 into one of rank 2"
        about rules::INS_ARG_VALUES, from "pte/valid/first-operators", refs ["pytorch/executorch#4471"]
        => |file| argument(file, 0, 1, 0);

    /// The source has 1 element instead of 2, so a position computed from the source's size is wrong.
    either "pte/kernels/first-copy-index-shape": "slice copy of 1 element into slices of 2"
        about rules::INS_ARG_VALUES, from "pte/valid/first-operators"
        => |file| file.elements("execution_plan[0].values[1].val.sizes", 0, 1_i32);

    /// Doubles are wider than floats, so a kernel that copies all the source's bytes to the last slice writes past the
    /// destination's end.
    either "pte/kernels/first-copy-index-wider-type": "slice copy of DOUBLE into FLOAT" about rules::INS_ARG_VALUES,
        from "pte/valid/first-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[1].val.scalar_type", 7_i8);

    /// A slice of the destination has half as many bytes as the source, so a position computed from the source is past the end.
    either "pte/kernels/first-copy-index-into-narrower-type": "slice copy of FLOAT into HALF"
        about rules::INS_ARG_VALUES, from "pte/valid/first-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[2].val.scalar_type", 5_i8);

    /// A kernel that compares only byte counts fills half of a slice with numbers of another type.
    either "pte/kernels/first-copy-index-narrower-type": "slice copy of HALF into FLOAT" about rules::INS_ARG_VALUES,
        from "pte/valid/first-operators"
        => |file| file.scalar("execution_plan[0].values[1].val.scalar_type", 5_i8);

    /// The operator sets the first size to the index plus 1, but the destination is fixed at four slices. If the kernel
    /// asserts that the resize succeeds, the process aborts.
    either "pte/kernels/first-copy-index-static": "slice copy to index 0 of a static tensor of 4 slices"
        about rules::INS_ARG_VALUES, from "pte/valid/first-operators", refs ["pytorch/executorch#4471"] => |file| {
            file.scalar("execution_plan[0].values[2].val.shape_dynamism", 0_i8);
            file.scalar("execution_plan[0].values[3].val.int_val", 0_i64);
        };
}

/// Makes two values, given by their indices, the view's sizes.
fn sizes(file: &mut Patcher<'_>, first: i64, second: i64) {
    file.elements("execution_plan[0].values[7].val.items", 0, first);
    file.elements("execution_plan[0].values[7].val.items", 8, second);
}

/// Sets the addition's destination.
fn add_into(file: &mut Patcher<'_>, value: i32) {
    argument(file, 2, 3, value);
    argument(file, 2, 4, value);
}

/// Sets two integers to −2^63 and −1. In the valid program, only a comparison uses these integers.
fn smallest_by_minus_1(file: &mut Patcher<'_>) {
    file.scalar("execution_plan[0].values[10].val.int_val", i64::MIN);
    file.scalar("execution_plan[0].values[11].val.int_val", -1_i64);
}

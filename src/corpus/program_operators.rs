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
    /// The program is valid: it calls operators on tensors and integers, and one operator whose name already contains
    /// the overload. A reader must look up the name and the overload together.
    build "pte/valid/tensor-operators": "calls of the runtime's own operators on tensors and integers"
        shows rules::INS_ARG_TYPES => base::tensor_operators;

    /// The operator `sym_size.int` has three arguments, but the call lacks the result. If a kernel does not check the
    /// number of arguments, it reads an address after the end of the list and writes to this address.
    reject "pte/kernels/sym-size-too-few": "sym_size with 2 arguments instead of 3" breaks rules::INS_ARITY,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#12987"] => |file| arguments(file, 0, 2);

    /// The operator `sym_numel` has two arguments, but the call lacks the result. If a kernel does not check the number
    /// of arguments, it reads an address after the end of the list and writes to this address.
    reject "pte/kernels/sym-numel-too-few": "sym_numel with 1 argument instead of 2" breaks rules::INS_ARITY,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#12987"] => |file| arguments(file, 1, 1);

    /// The operator `_local_scalar_dense` has two arguments, but the call lacks the result. If a kernel does not check
    /// the number of arguments, it reads an address after the end of the list and writes to this address.
    reject "pte/kernels/local-scalar-too-few": "_local_scalar_dense with 1 argument instead of 2"
        breaks rules::INS_ARITY,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#12987"] => |file| arguments(file, 2, 1);

    /// The operator's name is `executorch_prim::add.Scalar` and its overload is empty. The runtime selects the kernel
    /// with the name `add` and the overload `Scalar`. The call has one argument instead of three.
    reject "pte/kernels/joined-name-too-few": "add with the overload in its name and 1 argument instead of 3"
        breaks rules::INS_ARITY, from "pte/valid/tensor-operators" => |file| arguments(file, 6, 1);

    /// The operator `et_view` has three arguments, but the call lacks the result. If a kernel does not check the count, it
    /// takes a tensor from the memory after the list of arguments and changes its sizes and its data.
    reject "pte/kernels/view-too-few": "et_view with 2 arguments instead of 3" breaks rules::INS_ARITY,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#12987"] => |file| arguments(file, 3, 2);

    /// The operator has no overload and its call has two arguments instead of three, so its kernel fails. A reader that prints
    /// the failed operator with its overload dereferences a null pointer.
    reject "pte/kernels/too-few-overload-absent": "add without an overload and with 2 arguments instead of 3"
        breaks rules::INS_ARITY, from "pte/valid/tensor-operators" => |file| {
            file.own_slot("execution_plan[0].operators[6]", 1, 0);
            arguments(file, 6, 2);
        };

    /// The first argument of `sym_size` is an integer instead of a tensor. If a kernel does not check the type, it uses
    /// the integer as an address.
    reject "pte/kernels/sym-size-of-int": "sym_size of an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 0, 0, 3);

    /// The dimension of `sym_size` is a tensor instead of an integer. If a kernel does not check the type, it uses the
    /// tensor's pointer as the dimension.
    reject "pte/kernels/sym-size-by-tensor": "sym_size with a Tensor as dimension" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 0, 1, 1);

    /// The argument of `sym_numel` is a bool instead of a tensor. If a kernel does not check the type, it uses the
    /// bool's bytes as an address.
    reject "pte/kernels/sym-numel-of-bool": "sym_numel of a Bool" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 1, 0, 9);

    /// The argument of `_local_scalar_dense` is an integer instead of a tensor. If a kernel does not check the type, it
    /// uses the integer as an address.
    reject "pte/kernels/local-scalar-of-int": "_local_scalar_dense of an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 2, 0, 3);

    /// The first argument of `et_view` is an integer instead of a tensor. If a kernel does not check the type, it gives the
    /// view a pointer that the file chooses.
    reject "pte/kernels/view-of-int": "et_view of an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 3, 0, 3);

    /// The sizes of `et_view` are a tensor instead of a list. If a kernel does not check the type, it uses the tensor's
    /// address as a list of integers.
    reject "pte/kernels/view-by-tensor": "et_view with a Tensor as sizes" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 3, 1, 1);

    /// The result of `et_view` is an integer instead of a tensor. If a kernel does not check the type, it writes a
    /// pointer and sizes to an address that the file chooses.
    reject "pte/kernels/view-into-int": "et_view into an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 3, 2, 3);

    /// An operand of `floordiv.int` is a double. If a kernel does not check the type, it divides by the double's bytes.
    reject "pte/kernels/floordiv-by-double": "integer division by a Double" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 4, 1, 6);

    /// An operand of `mod.int` is a bool. If a kernel does not check the type, it divides by the bool's bytes and the
    /// uninitialized bytes after the bool.
    reject "pte/kernels/mod-by-bool": "integer remainder by a Bool" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 5, 1, 9);

    /// An operand of `add.Scalar` is a tensor. If a kernel does not check the type, it adds the tensor's pointer as a
    /// number.
    reject "pte/kernels/add-of-tensor": "addition of a Tensor as a scalar" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 6, 0, 1);

    /// A comparison accepts two numbers or two bools, but this call compares an integer with a bool. If a kernel does
    /// not check the types, it compares an integer with the uninitialized bytes after the bool.
    reject "pte/kernels/eq-of-int-and-bool": "comparison of an Int with a Bool" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 7, 1, 9);

    /// The divisor of `floordiv.int` is 0, and no instruction changes the divisor. An integer division by 0 stops the
    /// process on many processors.
    either "pte/kernels/floordiv-by-0": "integer division by 0" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| argument(file, 4, 1, 5);

    /// The divisor of `mod.int` is 0, and no instruction changes the divisor. An integer remainder by 0 stops the
    /// process on many processors.
    either "pte/kernels/mod-by-0": "integer remainder by 0" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| argument(file, 5, 1, 5);

    /// The quotient of −2^63 and −1 is 2^63, which does not fit in a signed 64-bit integer. On many processors, this
    /// division stops the process.
    either "pte/kernels/floordiv-min-by-minus-1": "integer division of −2^63 by −1" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| {
            smallest_by_minus_1(file);
            argument(file, 4, 0, 10);
            argument(file, 4, 1, 11);
        };

    /// The remainder of −2^63 divided by −1 is 0, but the quotient does not fit in a signed 64-bit integer. On many
    /// processors, this operation stops the process.
    either "pte/kernels/mod-min-by-minus-1": "integer remainder of −2^63 by −1" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| {
            smallest_by_minus_1(file);
            argument(file, 5, 0, 10);
            argument(file, 5, 1, 11);
        };

    /// The dimension of `sym_size` is 2, but the tensor has two dimensions. If a kernel does not check the dimension,
    /// it reads past the list of sizes.
    either "pte/kernels/sym-size-dimension-2": "sym_size with dimension 2 of a tensor of rank 2"
        about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| file.scalar("execution_plan[0].values[5].val.int_val", 2_i64);

    /// The dimension of `sym_size` is −1. As a signed integer, −1 is less than the rank. If a kernel checks only the
    /// upper limit, it reads the memory in front of the list of sizes.
    either "pte/kernels/sym-size-dimension-minus-1": "sym_size with dimension −1" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| file.scalar("execution_plan[0].values[5].val.int_val", -1_i64);

    /// Both sizes of the view are 2^32. In 64-bit arithmetic, the product of the two sizes wraps to 0. A kernel that
    /// compares only the wrapped product accepts a view past the end of its tensor.
    either "pte/kernels/view-product-wraps": "et_view with sizes whose product is 2^64" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| file.scalar("execution_plan[0].values[4].val.int_val", 1_i64 << 32);

    /// Two sizes of the view are −1, but a kernel can compute only one size from the others. A kernel that replaces
    /// only one −1 gives the view a negative size.
    either "pte/kernels/view-minus-1-twice": "et_view with two sizes of −1" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| file.scalar("execution_plan[0].values[4].val.int_val", -1_i64);

    /// The tensor of `_local_scalar_dense` has no elements. If a kernel does not check the number of elements, it reads
    /// past the end of the tensor.
    either "pte/kernels/local-scalar-of-no-elements": "_local_scalar_dense of a tensor without elements"
        about rules::INS_ARG_VALUES, from "pte/valid/tensor-operators"
        => |file| file.elements("execution_plan[0].values[8].val.sizes", 0, 0_i32);

    /// The tensor of `_local_scalar_dense` has neither stored data nor planned memory. A kernel that does not check the
    /// pointer dereferences a null pointer.
    either "pte/kernels/local-scalar-without-data": "_local_scalar_dense of a tensor without data"
        about rules::INS_ARG_DATA,
        from "pte/valid/tensor-operators" => |file| file.own_slot("execution_plan[0].values[8].val", 6, 0);

    /// The destination of `et_copy_index` has neither stored data nor planned memory. If a kernel does not check the
    /// pointer, it writes to a null pointer.
    either "pte/kernels/copy-index-without-data": "copy of a slice into a tensor without data"
        about rules::INS_ARG_DATA, from "pte/valid/first-operators" => |file| argument(file, 0, 0, 6);

    /// The element type of the view is INT, but that of its tensor is FLOAT. A kernel that does not compare the types
    /// gives later kernels the bits of floating-point numbers as integers.
    either "pte/kernels/view-other-type": "et_view of a FLOAT tensor as INT" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#9130"]
        => |file| file.scalar("execution_plan[0].values[2].val.scalar_type", 3_i8);

    /// The list has one size, but the result of the view has two dimensions. If a kernel does not compare the counts, it
    /// reads past the end of the list.
    either "pte/kernels/view-other-rank": "et_view with 1 size and a result of rank 2" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#9264"]
        => |file| file.count("execution_plan[0].values[7].val.items", 1);

    /// The sizes of the view are −1 and 3, but the tensor has 4 elements, which are no multiple of 3. A kernel that
    /// rounds the quotient down gives the view 3 elements.
    either "pte/kernels/view-minus-1-uneven": "et_view of 4 elements as −1 × 3" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| {
            file.scalar("execution_plan[0].values[10].val.int_val", -1_i64);
            sizes(file, 10, 11);
        };

    /// The sizes of the view are −1 and 0. No size in place of the −1 follows from the others, and a kernel that divides
    /// by their product divides by 0.
    either "pte/kernels/view-minus-1-beside-0": "et_view of 4 elements as −1 × 0" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| {
            file.scalar("execution_plan[0].values[10].val.int_val", -1_i64);
            sizes(file, 10, 5);
        };

    /// The sizes of the view are 2 and 3, but the tensor has 4 elements. If a kernel does not compare the counts, the
    /// view extends past the end of its tensor.
    either "pte/kernels/view-more-elements": "et_view of 4 elements as 2 × 3" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators" => |file| sizes(file, 4, 11);

    /// The sizes of the view are 1 and 4, but its result has the fixed shape 2 × 2. A kernel that ignores the failed
    /// resize continues with other sizes than the exporter planned.
    either "pte/kernels/view-into-other-shape": "et_view as 1 × 4 into a static 2 × 2 tensor"
        about rules::INS_ARG_VALUES, from "pte/valid/tensor-operators" => |file| {
            file.scalar("execution_plan[0].values[10].val.int_val", 1_i64);
            file.scalar("execution_plan[0].values[11].val.int_val", 4_i64);
            sizes(file, 10, 11);
        };

    /// The view has 2 × 2 elements, but its result has an upper bound of 1 × 2 elements. A kernel that ignores the bound
    /// writes sizes for which the result has no room.
    either "pte/kernels/view-above-bound": "et_view as 2 × 2 into a tensor of at most 1 × 2"
        about rules::INS_ARG_VALUES, from "pte/valid/shared-data"
        => |file| file.elements("execution_plan[0].values[6].val.sizes", 0, 1_i32);

    /// The sizes of the view are 1 and 2, but the tensor has 4 elements. The result has room for these sizes, so only a
    /// comparison of the numbers of elements shows that half of the tensor is lost.
    either "pte/kernels/view-fewer-elements": "et_view of 4 elements as 1 × 2" about rules::INS_ARG_VALUES,
        from "pte/valid/shared-data" => |file| file.elements("execution_plan[0].values[5].val.items", 0, 3_i64);

    /// The tensor of the view has neither stored data nor planned memory, so the view gets a null pointer. A reader that
    /// remembers only that the view has been set treats it as a tensor with data.
    either "pte/kernels/view-without-data": "et_view of a tensor without data" about rules::INS_ARG_DATA,
        from "pte/valid/shared-data" => |file| {
            argument(file, 0, 0, 6);
            argument(file, 2, 0, 7);
        };

    /// The elements of the tensor are HALF, for which the kernel of `_local_scalar_dense` has no case. A kernel that
    /// reads the element as another type gets a wrong number.
    either "pte/kernels/local-scalar-of-half": "_local_scalar_dense of a HALF tensor" about rules::INS_ARG_VALUES,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#7748"]
        => |file| file.scalar("execution_plan[0].values[8].val.scalar_type", 5_i8);

    /// The file is valid: one operand of an addition is a view of a constant, and a MoveCall puts the constant itself in
    /// place of the other operand. The addition reads both and writes to planned memory.
    build "pte/valid/shared-data": "view and move of a constant" shows rules::INS_CONST_WRITE => base::shared_data;

    /// The addition writes to the constant. If a reader maps the file, the write stops the process. Otherwise, it changes
    /// the weights for every later run.
    either "pte/kernels/constant-written": "addition into a constant" about rules::INS_CONST_WRITE,
        from "pte/valid/shared-data", refs ["pytorch/executorch#7779", "pytorch/executorch#11990"]
        => |file| add_into(file, 0);

    /// The addition writes to a view of the constant. A reader that checks only the destination itself does not detect
    /// that the write changes a constant.
    either "pte/kernels/constant-written-through-view": "addition into a view of a constant"
        about rules::INS_CONST_WRITE, from "pte/valid/shared-data" => |file| add_into(file, 6);

    /// The addition writes to a tensor with planned memory, but a MoveCall has put the constant in its place. A reader
    /// that checks only the stored tensor does not detect that the write changes a constant.
    either "pte/kernels/constant-written-after-move": "addition into a value that a move made a constant"
        about rules::INS_CONST_WRITE, from "pte/valid/shared-data" => |file| add_into(file, 7);

    /// No instruction gives data to an operand of the addition, which has neither stored data nor planned memory. A
    /// kernel that does not check the pointer dereferences a null pointer.
    either "pte/kernels/operand-without-data": "addition of a tensor without data" about rules::INS_ARG_DATA,
        from "pte/valid/shared-data", refs ["pytorch/executorch#19269"] => |file| argument(file, 0, 2, 7);

    /// The program is valid and calls only operators that the first releases of ExecuTorch contain. These releases can
    /// therefore run the cases about CVE-2025-54949 and CVE-2025-54950 that are derived from this program.
    build "pte/valid/first-operators": "calls of the runtime's oldest operators" shows rules::INS_ARITY
        => base::first_operators;

    /// The call of `add` has one argument instead of three. Releases without `sym_ite` can run this program. If a
    /// kernel does not check the count, it reads a pointer from the memory after the list of arguments and writes
    /// through this pointer.
    reject "pte/kernels/first-too-few-arguments": "add with 1 argument instead of 3, in a program for old releases"
        breaks rules::INS_ARITY, from "pte/valid/first-operators",
        refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm", "pytorch/executorch#12987"] => |file| arguments(file, 1, 1);

    /// The call of `add` has no arguments. Releases without `sym_ite` can run this program. If a kernel does not check
    /// the count, it reads all its pointers from the memory after the empty list of arguments.
    reject "pte/kernels/first-no-arguments": "add without arguments, in a program for old releases"
        breaks rules::INS_ARITY, from "pte/valid/first-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| arguments(file, 1, 0);

    /// The call of `et_copy_index` has two arguments instead of three. Releases without `sym_ite` can run this program.
    /// If a kernel does not check the count, it reads the index from the memory after the list of arguments.
    reject "pte/kernels/first-copy-index-without-index": "slice copy with 2 arguments, in a program for old releases"
        breaks rules::INS_ARITY, from "pte/valid/first-operators", refs ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm"]
        => |file| arguments(file, 0, 2);

    /// The index of `et_copy_index` is 4, but the tensor has four slices, 0 to 3. Releases without `sym_ite` can run
    /// this program. If a kernel does not check the index, it writes past the end of the tensor.
    either "pte/kernels/first-copy-index-past-end": "slice copy to index 4 of 4, in a program for old releases"
        about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/first-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "pytorch/executorch#12697"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", 4_i64);

    /// The index of `et_copy_index` is 2^61. Releases without `sym_ite` can run this program. The index times the slice
    /// size, 8 bytes, is 2^64, which wraps to offset 0. A kernel must check the index, not the byte offset.
    either "pte/kernels/first-copy-index-wraps": "slice copy to index 2^61, in a program for old releases"
        about rules::INS_COPY_INDEX_BOUND,
        from "pte/valid/first-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[3].val.int_val", 1_i64 << 61);

    /// The source of `et_copy_index` has two dimensions, the same number as the destination instead of one fewer. A kernel
    /// that does not compare the ranks reads past the list of sizes.
    either "pte/kernels/first-copy-index-rank": "slice copy of a tensor of rank 2 into one of rank 2"
        about rules::INS_ARG_VALUES, from "pte/valid/first-operators", refs ["pytorch/executorch#4471"]
        => |file| argument(file, 0, 1, 0);

    /// The source of `et_copy_index` has one element, but a slice of the destination has two. A kernel that computes the
    /// position from the source's size writes to a wrong position.
    either "pte/kernels/first-copy-index-shape": "slice copy of 1 element into slices of 2"
        about rules::INS_ARG_VALUES, from "pte/valid/first-operators"
        => |file| file.elements("execution_plan[0].values[1].val.sizes", 0, 1_i32);

    /// The elements of the source are DOUBLE, but those of the destination are FLOAT. A kernel that copies all bytes of
    /// the source to the last slice writes past the end of the destination.
    either "pte/kernels/first-copy-index-wider-type": "slice copy of DOUBLE into FLOAT" about rules::INS_ARG_VALUES,
        from "pte/valid/first-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[1].val.scalar_type", 7_i8);

    /// The elements of the source are FLOAT, but those of the destination are HALF. Its slices have half the bytes, so a
    /// kernel that computes the position from the source writes past the end of the destination.
    either "pte/kernels/first-copy-index-into-narrower-type": "slice copy of FLOAT into HALF"
        about rules::INS_ARG_VALUES, from "pte/valid/first-operators", refs ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch"]
        => |file| file.scalar("execution_plan[0].values[2].val.scalar_type", 5_i8);

    /// The elements of the source are HALF, but those of the destination are FLOAT. A kernel that compares only byte
    /// counts fills half of a slice with numbers of another type.
    either "pte/kernels/first-copy-index-narrower-type": "slice copy of HALF into FLOAT" about rules::INS_ARG_VALUES,
        from "pte/valid/first-operators"
        => |file| file.scalar("execution_plan[0].values[1].val.scalar_type", 5_i8);

    /// The operator sets the destination's first size to the index plus 1, but the destination has a fixed shape of four
    /// slices. A kernel whose resize is an assertion aborts the process.
    either "pte/kernels/first-copy-index-static": "slice copy to index 0 of a static tensor of 4 slices"
        about rules::INS_ARG_VALUES, from "pte/valid/first-operators", refs ["pytorch/executorch#4471"] => |file| {
            file.scalar("execution_plan[0].values[2].val.shape_dynamism", 0_i8);
            file.scalar("execution_plan[0].values[3].val.int_val", 0_i64);
        };
}

/// Sets the two sizes of the view to two integers.
fn sizes(file: &mut Patcher<'_>, first: i64, second: i64) {
    file.elements("execution_plan[0].values[7].val.items", 0, first);
    file.elements("execution_plan[0].values[7].val.items", 8, second);
}

/// Sets the destination of the addition.
fn add_into(file: &mut Patcher<'_>, value: i32) {
    argument(file, 2, 3, value);
    argument(file, 2, 4, value);
}

/// Sets two integers to −2^63 and −1. In the valid program, only a comparison uses these integers.
fn smallest_by_minus_1(file: &mut Patcher<'_>) {
    file.scalar("execution_plan[0].values[10].val.int_val", i64::MIN);
    file.scalar("execution_plan[0].values[11].val.int_val", -1_i64);
}

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
}

/// Sets two integers to −2^63 and −1. In the valid program, only a comparison uses these integers.
fn smallest_by_minus_1(file: &mut Patcher<'_>) {
    file.scalar("execution_plan[0].values[10].val.int_val", i64::MIN);
    file.scalar("execution_plan[0].values[11].val.int_val", -1_i64);
}

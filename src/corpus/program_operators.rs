//! Cases about the arguments of the runtime's own operators on tensors and integers.

use alloc::format;

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::instructions as rules;

/// Sets an argument of the call at `call`.
fn argument(file: &mut Patcher<'_>, call: usize, position: usize, value: i32) {
    let args = format!("execution_plan[0].chains[0].instructions[{call}].instr_args.args");
    file.elements(&args, position * 4, &value.to_le_bytes());
}

/// Sets the number of arguments of the call at `call`.
fn arguments(file: &mut Patcher<'_>, call: usize, count: u32) {
    file.count(&format!("execution_plan[0].chains[0].instructions[{call}].instr_args.args"), count);
}

cases! {
    /// The program is valid: it calls operators on tensors and integers, and one operator whose name already contains
    /// the overload. A reader must look up the name and the overload together.
    build "pte/valid/tensor-operators": "calls of the runtime's own operators on tensors and integers"
        shows rules::INS_ARG_TYPES => base::tensor_operators;

    /// The operator `sym_size.int` has three arguments, but the call lacks the result. A kernel that does not check the
    /// number writes to an address from the memory after the list.
    reject "pte/kernels/sym-size-too-few": "sym_size with 2 arguments instead of 3" breaks rules::INS_ARITY,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#12987"] => |file| arguments(file, 0, 2);

    /// The operator `sym_numel` has two arguments, but the call lacks the result. A kernel that does not check the
    /// number writes to an address from the memory after the list.
    reject "pte/kernels/sym-numel-too-few": "sym_numel with 1 argument instead of 2" breaks rules::INS_ARITY,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#12987"] => |file| arguments(file, 1, 1);

    /// The operator `_local_scalar_dense` has two arguments, but the call lacks the result. A kernel that does not
    /// check the number writes to an address from the memory after the list.
    reject "pte/kernels/local-scalar-too-few": "_local_scalar_dense with 1 argument instead of 2"
        breaks rules::INS_ARITY,
        from "pte/valid/tensor-operators", refs ["pytorch/executorch#12987"] => |file| arguments(file, 2, 1);

    /// The operator's name is `executorch_prim::add.Scalar` and its overload is empty. The runtime selects the kernel
    /// of the name `add` and the overload `Scalar`. The call has one argument instead of three.
    reject "pte/kernels/joined-name-too-few": "add with the overload in its name and 1 argument instead of 3"
        breaks rules::INS_ARITY,
        from "pte/valid/tensor-operators" => |file| arguments(file, 6, 1);

    /// The first argument of `sym_size` is an integer instead of a tensor. A kernel that does not check the type uses the
    /// integer as an address.
    reject "pte/kernels/sym-size-of-int": "sym_size of an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 0, 0, 3);

    /// The dimension of `sym_size` is a tensor instead of an integer. A kernel that does not check the type uses a
    /// pointer as the dimension.
    reject "pte/kernels/sym-size-by-tensor": "sym_size with a Tensor as dimension" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 0, 1, 1);

    /// The argument of `sym_numel` is a bool instead of a tensor. A kernel that does not check the type uses the bool's
    /// bytes as an address.
    reject "pte/kernels/sym-numel-of-bool": "sym_numel of a Bool" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 1, 0, 9);

    /// The argument of `_local_scalar_dense` is an integer instead of a tensor. A kernel that does not check the type
    /// uses the integer as an address.
    reject "pte/kernels/local-scalar-of-int": "_local_scalar_dense of an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 2, 0, 3);

    /// The sizes of `et_view` are a tensor instead of a list. A kernel that does not check the type uses the tensor's
    /// address as a list of integers.
    reject "pte/kernels/view-by-tensor": "et_view with a Tensor as sizes" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 3, 1, 1);

    /// The result of `et_view` is an integer instead of a tensor. A kernel that does not check the type writes a pointer
    /// and sizes to an address that the file chooses.
    reject "pte/kernels/view-into-int": "et_view into an Int" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 3, 2, 3);

    /// An operand of `floordiv.int` is a double. A kernel that does not check the type divides by the double's bytes.
    reject "pte/kernels/floordiv-by-double": "integer division by a Double" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 4, 1, 6);

    /// An operand of `mod.int` is a bool. A kernel that does not check the type divides by the bool's bytes and the
    /// uninitialized bytes after the bool.
    reject "pte/kernels/mod-by-bool": "integer remainder by a Bool" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 5, 1, 9);

    /// An operand of `add.Scalar` is a tensor. A kernel that does not check the type adds a pointer.
    reject "pte/kernels/add-of-tensor": "addition of a Tensor as a scalar" breaks rules::INS_ARG_TYPES,
        from "pte/valid/tensor-operators" => |file| argument(file, 6, 0, 1);
}

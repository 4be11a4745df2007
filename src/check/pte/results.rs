//! The integers computed by the runtime's own operators.

use crate::flatbuffer::Vector;
use crate::pte::signatures::Signature;

use super::held::HeldValues;

/// The result of a call, if it is an Int that the file determines.
pub(super) fn result(signature: &Signature, args: Vector<'_, i32>, values: &HeldValues<'_, '_>) -> Option<i64> {
    let arg = |position: usize| args.get(position).unwrap_or(-1);
    let int = |position: usize| values.int(arg(position).into());
    match signature.name {
        "aten::sym_numel" => values.tensor(arg(0))?.elements(),
        "aten::sym_size.int" => values.tensor(arg(0))?.size(usize::try_from(int(1)?).ok()?),
        "executorch_prim::neg.Scalar" => int(0)?.checked_neg(),
        "executorch_prim::sym_int.Scalar" => int(0),
        name => {
            let (first, second) = (int(0)?, int(1)?);
            match name {
                "executorch_prim::add.Scalar" => first.checked_add(second),
                "executorch_prim::sub.Scalar" => first.checked_sub(second),
                "executorch_prim::mul.Scalar" => first.checked_mul(second),
                "executorch_prim::floordiv.Scalar" | "executorch_prim::floordiv.int" => floor_div(first, second),
                // The kernel computes the remainder as C++ does: it has the dividend's sign.
                "executorch_prim::mod.Scalar" | "executorch_prim::mod.int" => first.checked_rem(second),
                "executorch_prim::sym_max.Scalar" => Some(first.max(second)),
                "executorch_prim::sym_min.Scalar" => Some(first.min(second)),
                _ => None,
            }
        }
    }
}

fn floor_div(first: i64, second: i64) -> Option<i64> {
    let quotient = first.checked_div(second)?;
    let rounded_up = (first < 0) != (second < 0) && first % second != 0;
    Some(quotient - i64::from(rounded_up))
}

//! **Signatures** of the operators that the runtime's own library registers.
//!
//! Every build of the runtime contains these operators, with the signatures in ExecuTorch's `kernels/prim_ops`. Which
//! other operators a build contains depends on its kernels.

use core::fmt;

use super::schema::KernelTypes;
#[cfg(feature = "attack")]
use super::schema::Operator;
use crate::names::strip_prefix;

/// An empty list accepts every type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Types(pub(crate) &'static [KernelTypes]);

impl Types {
    pub(crate) fn accept(self, ty: KernelTypes) -> bool {
        self.is_any() || self.0.contains(&ty)
    }

    pub(crate) fn is_any(self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, ty) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { " or " };
            write!(f, "{separator}{}", ty.name().unwrap_or_default())?;
        }
        Ok(())
    }
}

const ANY: Types = Types(&[]);
const INT: Types = Types(&[KernelTypes::Int]);
const DOUBLE: Types = Types(&[KernelTypes::Double]);
const BOOL: Types = Types(&[KernelTypes::Bool]);
const NUMBER: Types = Types(&[KernelTypes::Int, KernelTypes::Double]);
const SCALAR: Types = Types(&[KernelTypes::Int, KernelTypes::Double, KernelTypes::Bool]);
const TENSOR: Types = Types(&[KernelTypes::Tensor]);
const INT_LIST: Types = Types(&[KernelTypes::IntList]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Value(KernelTypes),
    /// The type of all operands; unknown if they differ.
    OfOperands,
    /// The element type of the first argument, a tensor.
    OfElement,
    /// There is no new value, because the operator changes a tensor whose shape must match the other arguments.
    Tensor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    Any,
    Comparable,
    /// Operands whose quotient exists and fits in 64 bits.
    Division,
    /// A tensor, and one of its dimensions.
    Dimension,
    /// A tensor with data and at least one element.
    Element,
    /// Two tensors with data.
    Slice,
    /// A tensor, and sizes with at most one -1 and a product that fits in 63 bits.
    View,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature {
    /// The name. If the overload is not empty, a dot and the overload follow.
    pub(crate) name: &'static str,
    /// The parameters, including the result.
    pub(crate) parameters: &'static [Types],
    #[cfg_attr(not(feature = "generate"), expect(dead_code, reason = "only the generator writes results"))]
    pub(crate) output: Output,
    pub(crate) domain: Domain,
}

const fn operator(name: &'static str, parameters: &'static [Types], output: Output) -> Signature {
    Signature { name, parameters, output, domain: Domain::Any }
}

impl Signature {
    const fn on(self, domain: Domain) -> Self {
        Signature { domain, ..self }
    }
}

/// Every operator that the runtime's own library registers.
pub(crate) static SIGNATURES: &[Signature] = {
    use KernelTypes as K;
    use Output::{self as O, OfElement, OfOperands, Value};
    &[
        operator("aten::_local_scalar_dense", &[TENSOR, ANY], OfElement).on(Domain::Element),
        operator("aten::sym_numel", &[TENSOR, ANY], Value(K::Int)),
        operator("aten::sym_size.int", &[TENSOR, INT, ANY], Value(K::Int)).on(Domain::Dimension),
        operator("executorch_prim::add.Scalar", &[NUMBER, NUMBER, ANY], OfOperands),
        operator("executorch_prim::sub.Scalar", &[NUMBER, NUMBER, ANY], OfOperands),
        operator("executorch_prim::mul.Scalar", &[NUMBER, NUMBER, ANY], OfOperands),
        operator("executorch_prim::floordiv.Scalar", &[NUMBER, NUMBER, ANY], OfOperands).on(Domain::Division),
        operator("executorch_prim::floordiv.int", &[INT, INT, ANY], OfOperands).on(Domain::Division),
        operator("executorch_prim::truediv.Scalar", &[NUMBER, NUMBER, ANY], Value(K::Double)),
        operator("executorch_prim::mod.Scalar", &[INT, INT, ANY], OfOperands).on(Domain::Division),
        operator("executorch_prim::mod.int", &[INT, INT, ANY], OfOperands).on(Domain::Division),
        operator("executorch_prim::eq.Scalar", &[SCALAR, SCALAR, ANY], Value(K::Bool)).on(Domain::Comparable),
        operator("executorch_prim::gt.Scalar", &[SCALAR, SCALAR, ANY], Value(K::Bool)).on(Domain::Comparable),
        operator("executorch_prim::lt.Scalar", &[SCALAR, SCALAR, ANY], Value(K::Bool)).on(Domain::Comparable),
        operator("executorch_prim::ge.Scalar", &[SCALAR, SCALAR, ANY], Value(K::Bool)).on(Domain::Comparable),
        operator("executorch_prim::le.Scalar", &[SCALAR, SCALAR, ANY], Value(K::Bool)).on(Domain::Comparable),
        operator("executorch_prim::neg.Scalar", &[NUMBER, ANY], OfOperands),
        operator("executorch_prim::ceil.Scalar", &[DOUBLE, ANY], Value(K::Int)),
        operator("executorch_prim::round.Scalar", &[DOUBLE, ANY], Value(K::Int)),
        operator("executorch_prim::trunc.Scalar", &[DOUBLE, ANY], Value(K::Int)),
        operator("executorch_prim::sym_float.Scalar", &[SCALAR, ANY], Value(K::Double)),
        operator("executorch_prim::sym_int.Scalar", &[SCALAR, ANY], Value(K::Int)),
        operator("executorch_prim::sym_not.Scalar", &[BOOL, ANY], Value(K::Bool)),
        operator("executorch_prim::sym_max.Scalar", &[INT, INT, ANY], Value(K::Int)),
        operator("executorch_prim::sym_min.Scalar", &[INT, INT, ANY], Value(K::Int)),
        operator("executorch_prim::sym_ite.Scalar", &[BOOL, SCALAR, SCALAR, ANY], OfOperands),
        operator("executorch_prim::et_copy_index.tensor", &[TENSOR, TENSOR, INT], O::Tensor).on(Domain::Slice),
        operator("executorch_prim::et_view.default", &[TENSOR, INT_LIST, TENSOR], O::Tensor).on(Domain::View),
    ]
};

/// The arguments of this operator need an additional check.
pub(crate) const COPY_INDEX: &str = "executorch_prim::et_copy_index.tensor";

/// Joins the name and the overload as the runtime does: each only up to its first NUL byte.
pub(crate) fn position(name: &[u8], overload: &[u8]) -> Option<usize> {
    if !may_be_own(name) {
        return None;
    }
    let (name, overload) = (until_nul(name), until_nul(overload));
    let is_own = |signature: &Signature| match strip_prefix(signature.name.as_bytes(), name) {
        Some([]) => overload.is_empty(),
        Some([b'.', rest @ ..]) => !overload.is_empty() && rest == overload,
        _ => false,
    };
    let len = name.len() + if overload.is_empty() { 0 } else { 1 + overload.len() };
    SIGNATURES.iter().position(|signature| signature.name.len() == len && is_own(signature))
}

/// Rejects most other operator names without a search.
fn may_be_own(name: &[u8]) -> bool {
    match strip_prefix(name, b"aten::") {
        Some([first, ..]) => matches!(first, b's' | b'_'),
        Some([]) => false,
        None => name.starts_with(b"executorch_prim::"),
    }
}

#[cfg(feature = "attack")]
pub(crate) fn find(operator: Operator<'_>) -> Option<&'static Signature> {
    let overload = operator.overload().ok()?.map_or(&[][..], |overload| overload.as_bytes());
    SIGNATURES.get(position(operator.name().ok()??.as_bytes(), overload)?)
}

/// More bytes than any name or overload of the runtime's own operators has.
const COMPARED: usize = 64;

fn until_nul(text: &[u8]) -> &[u8] {
    let text = text.get(..COMPARED).unwrap_or(text);
    text.split(|byte| *byte == 0).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_accepts_every_own_operator() {
        for signature in SIGNATURES {
            assert!(may_be_own(signature.name.as_bytes()), "{}", signature.name);
            assert!(signature.name.len() < COMPARED, "{}", signature.name);
        }
        assert!(!may_be_own(b"aten::add") && !may_be_own(b"aten::") && !may_be_own(b"demo::sym_numel"));
    }

    #[test]
    fn the_domains_have_the_parameters_that_their_checks_expect() {
        for Signature { name, parameters, domain, .. } in SIGNATURES {
            let only = |index: usize, ty: KernelTypes| parameters[index].0 == [ty];
            match domain {
                Domain::Dimension => assert!(only(0, KernelTypes::Tensor) && only(1, KernelTypes::Int), "{name}"),
                Domain::Comparable => {
                    assert!(parameters.len() > 1 && parameters.iter().take(2).all(|types| !types.is_any()), "{name}");
                }
                _ => {}
            }
        }
    }
}

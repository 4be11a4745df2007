//! Signatures of the runtime's own operators in the namespace `executorch_prim`.
//!
//! Every build of the runtime contains the operators in `executorch_prim` with fixed signatures. Operators in other
//! namespaces depend on the kernels in the build.

use crate::flatbuffer::Vector;
use crate::pte::schema::Operator;

const NAMESPACE: &[u8] = b"executorch_prim::";

/// The name, the overload and the number of arguments of each operator. The number of arguments includes the result.
pub(super) static ARITIES: &[(&[u8], &[u8], usize)] = &[
    (b"add", b"Scalar", 3),
    (b"sub", b"Scalar", 3),
    (b"mul", b"Scalar", 3),
    (b"floordiv", b"Scalar", 3),
    (b"floordiv", b"int", 3),
    (b"truediv", b"Scalar", 3),
    (b"mod", b"Scalar", 3),
    (b"mod", b"int", 3),
    (b"eq", b"Scalar", 3),
    (b"gt", b"Scalar", 3),
    (b"lt", b"Scalar", 3),
    (b"ge", b"Scalar", 3),
    (b"le", b"Scalar", 3),
    (b"neg", b"Scalar", 2),
    (b"ceil", b"Scalar", 2),
    (b"round", b"Scalar", 2),
    (b"trunc", b"Scalar", 2),
    (b"sym_float", b"Scalar", 2),
    (b"sym_int", b"Scalar", 2),
    (b"sym_not", b"Scalar", 2),
    (b"sym_max", b"Scalar", 3),
    (b"sym_min", b"Scalar", 3),
    (b"sym_ite", b"Scalar", 4),
    (b"et_copy_index", b"tensor", 3),
    (b"et_view", b"default", 3),
];

/// An index into [`ARITIES`]; `None` for other operators.
#[derive(Clone, Copy)]
pub(super) struct Signature(pub(super) Option<u8>);

impl Signature {
    /// Finds the signature of an operator by its name.
    fn of(operator: Operator<'_>) -> Self {
        let (Ok(Some(name)), Ok(Some(overload))) = (operator.name(), operator.overload()) else { return Self(None) };
        let Some(name) = name.as_bytes().strip_prefix(NAMESPACE) else { return Self(None) };
        let own = |(own, variant, _): &(&[u8], &[u8], usize)| *own == name && *variant == overload.as_bytes();
        Self(ARITIES.iter().position(own).and_then(|index| u8::try_from(index).ok()))
    }
}

/// The number of arguments of one of the runtime's own operators, including the result; `None` for other operators.
#[cfg(feature = "attack")]
pub(crate) fn own_arity(operator: Operator<'_>) -> Option<usize> {
    let Signature(own) = Signature::of(operator);
    ARITIES.get(usize::from(own?)).map(|(_, _, arity)| *arity)
}

/// The number of cached operators. The cache is effective because a method calls a few operators many times.
const REMEMBERED: usize = 16;

/// The signatures of the recently called operators of a method.
#[derive(Clone, Copy)]
pub(super) struct Signatures([Option<(usize, Signature)>; REMEMBERED]);

impl Signatures {
    pub(super) const NONE: Signatures = Signatures([None; REMEMBERED]);

    /// The signature of the operator at `index`; `None` if the operator's table is faulty.
    #[inline]
    pub(super) fn get<'a>(&mut self, index: usize, all: Vector<'a, Operator<'a>>) -> Option<Signature> {
        match self.0[index % REMEMBERED] {
            Some((own, signature)) if own == index => Some(signature),
            _ => {
                let signature = Signature::of(all.get(index)?.ok()?);
                self.0[index % REMEMBERED] = Some((index, signature));
                Some(signature)
            }
        }
    }
}

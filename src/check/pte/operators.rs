//! What is known of the runtime's own operators, those of `executorch_prim`: every build has them, and their signatures are
//! fixed. Other operators belong to whichever kernels a reader is built with.

use crate::flatbuffer::Vector;
use crate::flatbuffer::walk::{Flow, Path};
use crate::layout::{KERNEL_KEY_LIMIT, KERNEL_KEY_START, kernel_key_part};
use crate::pte::schema::{KernelTypes, KernelTypesValue, Operator};
use crate::rules::instructions as rules;

use super::super::finding::Reporter;
use super::plan::Plan;

const NAMESPACE: &[u8] = b"executorch_prim::";

/// Operator, overload and number of arguments, the result included.
static ARITIES: &[(&[u8], &[u8], usize)] = &[
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

/// What is known of an operator, as an index into [`ARITIES`].
#[derive(Clone, Copy)]
pub(super) struct Signature(Option<u8>);

impl Signature {
    /// What is known of an operator by its name.
    fn of(operator: Operator<'_>) -> Self {
        let (Ok(Some(name)), Ok(Some(overload))) = (operator.name(), operator.overload()) else { return Self(None) };
        let Some(name) = name.as_bytes().strip_prefix(NAMESPACE) else { return Self(None) };
        let own = |(own, variant, _): &(&[u8], &[u8], usize)| *own == name && *variant == overload.as_bytes();
        Self(ARITIES.iter().position(own).and_then(|index| u8::try_from(index).ok()))
    }
}

/// How many arguments one of the runtime's own operators takes, the result included; `None` of any other operator.
#[cfg(feature = "attack")]
pub(crate) fn own_arity(operator: Operator<'_>) -> Option<usize> {
    let Signature(own) = Signature::of(operator);
    ARITIES.get(usize::from(own?)).map(|(_, _, arity)| *arity)
}

/// Operators whose signatures are remembered: a method calls few of them, and each many times.
const REMEMBERED: usize = 16;

/// The signatures of a method's operators that were called last.
#[derive(Clone, Copy)]
pub(super) struct Signatures([Option<(usize, Signature)>; REMEMBERED]);

impl Signatures {
    pub(super) const NONE: Signatures = Signatures([None; REMEMBERED]);

    /// The signature of the operator at `index`; `None` where its table is broken.
    #[inline]
    fn get<'a>(&mut self, index: usize, all: Vector<'a, Operator<'a>>) -> Option<Signature> {
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

/// A call against the signature of the operator at `index`.
#[inline]
pub(super) fn check_call<'a>(
    index: usize,
    all: Vector<'a, Operator<'a>>,
    args: Vector<'a, i32>,
    plan: &mut Plan<'a>,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    match plan.signatures.get(index, all) {
        Some(Signature(Some(own))) => check_own(own, args, plan, path, reporter),
        _ => Ok(()),
    }
}

/// So many tensors have a key that fits, whatever they are: sixteen of the most dimensions and the longest types fill it.
const FITTING: usize = 16;

/// The text by which the kernel of a call is looked up.
#[inline]
pub(super) fn check_key<'a>(
    args: Vector<'a, i32>,
    plan: &Plan<'a>,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    if args.len() <= FITTING { Ok(()) } else { check_long_key(args, plan, path, reporter) }
}

fn check_long_key<'a>(args: Vector<'a, i32>, plan: &Plan<'a>, path: &Path<'_>, reporter: &mut Reporter<'_>) -> Flow {
    let (mut tensors, mut bytes) = (0, KERNEL_KEY_START);
    for arg in args.iter() {
        let Some(KernelTypesValue::Tensor(tensor)) = plan.value_of(arg.into()) else { continue };
        let (Ok(ty), Ok(Some(order))) = (tensor.scalar_type(), tensor.dim_order()) else { continue };
        tensors += 1;
        // Of an order that is too long already, the rest is of no account.
        bytes += kernel_key_part(ty, order.iter().take(KERNEL_KEY_LIMIT));
        if bytes > KERNEL_KEY_LIMIT {
            let message = format_args!(
                "the types and dimension orders of the first {tensors} tensors take {bytes} bytes of the \
                 {KERNEL_KEY_LIMIT} that there are to look a kernel up by"
            );
            return reporter.report(&rules::INS_KERNEL_KEY, &path.field("args"), args.count_span(), message);
        }
    }
    Ok(())
}

fn check_own<'a>(
    own: u8,
    args: Vector<'a, i32>,
    plan: &Plan<'a>,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    let Some((name, overload, arity)) = ARITIES.get(usize::from(own)) else { return Ok(()) };
    let path = &path.field("args");
    if args.len() != *arity {
        let (count, name, overload) = (args.len(), name.escape_ascii(), overload.escape_ascii());
        let message = format_args!("{count} arguments for executorch_prim::{name}.{overload}, which has {arity}");
        return reporter.report(&rules::INS_ARITY, path, args.count_span(), message);
    }
    if *name == b"et_copy_index" { copy_index(args, plan, path, reporter) } else { Ok(()) }
}

/// `et_copy_index` writes a tensor as one slice of another, at an index.
fn copy_index<'a>(args: Vector<'a, i32>, plan: &Plan<'a>, path: &Path<'_>, reporter: &mut Reporter<'_>) -> Flow {
    let at = |index: usize| i64::from(args.get(index).unwrap_or(-1));
    for (index, wanted) in [KernelTypes::Tensor, KernelTypes::Tensor, KernelTypes::Int].into_iter().enumerate() {
        if plan.type_of(at(index)).is_some_and(|found| found != wanted) {
            let (name, wanted) = (plan.type_name(at(index)), wanted.name().unwrap_or_default());
            let message = format_args!(
                "value {} is of type {name}, and et_copy_index takes one of type {wanted} there",
                at(index)
            );
            return reporter.report(&rules::INS_ARG_TYPES, &path.index(index), args.element_span(index), message);
        }
    }
    let (Some(KernelTypesValue::Tensor(to)), Some(KernelTypesValue::Int(index))) =
        (plan.value_of(at(0)), plan.value_of(at(2)))
    else {
        return Ok(());
    };
    let (Ok(Some(sizes)), Ok(slice)) = (to.sizes(), index.int_val()) else { return Ok(()) };
    let slices = sizes.get(0).unwrap_or(0);
    if slice < 0 || slice >= i64::from(slices) {
        let message = format_args!("slice {slice} is not within the {slices} of value {}", at(0));
        return reporter.report(&rules::INS_COPY_INDEX_BOUND, &path.index(2), args.element_span(2), message);
    }
    Ok(())
}

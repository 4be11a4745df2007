//! Checks the arguments of calls to the runtime's own operators, given what the values contain at that point.

use core::fmt;

use crate::ScalarType;
use crate::flatbuffer::Vector;
use crate::pte::schema::KernelTypes;
use crate::pte::signatures::Domain;
use crate::rules::{RuleKey, instructions as rules};

use super::super::layout::MAX_RANK;
use super::held::{HeldTensor, HeldValues};
use super::plan::has_elements;

pub(super) struct InvalidArgument {
    pub(super) position: usize,
    reason: Reason,
}

enum Reason {
    ZeroDivisor,
    Quotient,
    Dimension { dimension: i64, rank: usize },
    NoElements,
    NoData,
    NoScalar(ScalarType),
    Type { found: ScalarType, expected: ScalarType },
    Rank { found: usize, expected: usize },
    Extent { dimension: usize, found: i64, expected: i64 },
    Inferred,
    InferredBesideZero,
    Uneven { elements: i64, product: i64 },
    Elements { found: i64, expected: i64 },
    Bound { found: i64, most: i64 },
    Size(i64),
    Product,
}

impl InvalidArgument {
    pub(super) fn lacks_data(&self) -> bool {
        matches!(self.reason, Reason::NoData)
    }

    pub(super) fn rule(&self) -> RuleKey {
        if self.lacks_data() { rules::INS_ARG_DATA.key() } else { rules::INS_ARG_VALUES.key() }
    }
}

impl fmt::Display for InvalidArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |ty: ScalarType| ty.name().unwrap_or("unknown");
        match self.reason {
            Reason::ZeroDivisor => f.write_str("the divisor is 0"),
            Reason::Quotient => f.write_str("the operands are -2^63 and -1, whose quotient does not fit in 64 bits"),
            Reason::Dimension { dimension, rank } => {
                write!(f, "the dimension is {dimension}, expected at least 0 and less than {rank}")
            }
            Reason::NoElements => f.write_str("the tensor has no elements, expected at least 1"),
            Reason::NoData => f.write_str("the tensor has no data, expected stored data or planned memory"),
            Reason::NoScalar(ty) => {
                write!(f, "the elements are {}, expected integers of at most 64 bits, FLOAT, DOUBLE or BOOL", name(ty))
            }
            Reason::Type { found, expected } => {
                write!(f, "the elements are {}, expected {}", name(found), name(expected))
            }
            Reason::Rank { found, expected } => write!(f, "found {found} dimensions, expected {expected}"),
            Reason::Extent { dimension, found, expected } => {
                write!(f, "the size of dimension {dimension} is {found}, expected {expected}")
            }
            Reason::Inferred => f.write_str("two sizes are -1, expected at most one"),
            Reason::InferredBesideZero => f.write_str("a size is -1 and another is 0, which leaves it undefined"),
            Reason::Uneven { elements, product } => {
                write!(f, "a size is -1, but {elements} elements are no multiple of {product}")
            }
            Reason::Elements { found, expected } => write!(f, "the sizes give {found} elements, expected {expected}"),
            Reason::Bound { found, most } => write!(f, "the sizes give {found} elements, expected at most {most}"),
            Reason::Size(size) => write!(f, "a size is {size}, expected at least -1"),
            Reason::Product => f.write_str("the product of the sizes does not fit in 63 bits"),
        }
    }
}

/// Returns the first argument of a call that is outside the operator's domain. Ignores whatever can differ between
/// runs.
pub(super) fn invalid_argument(
    domain: Domain,
    args: Vector<'_, i32>,
    values: &HeldValues<'_, '_>,
) -> Option<InvalidArgument> {
    let arg = |position: usize| args.get(position).unwrap_or(-1);
    let tensor = |position: usize| values.tensor(arg(position));
    let found = match domain {
        Domain::Any | Domain::Comparable => None,
        // Only an Int divisor can be invalid, because a Double divided by 0 is an infinity or NaN.
        Domain::Division => match (values.int(arg(0).into()), values.int(arg(1).into())) {
            (_, Some(0)) if values.plan.type_of(arg(0).into()) == Some(KernelTypes::Int) => {
                Some((1, Reason::ZeroDivisor))
            }
            (Some(i64::MIN), Some(-1)) => Some((1, Reason::Quotient)),
            _ => None,
        },
        Domain::Dimension => {
            let (dimension, rank) = (values.int(arg(1).into())?, tensor(0)?.rank()?);
            let inside = (0..rank as i64).contains(&dimension);
            (!inside).then_some((1, Reason::Dimension { dimension, rank }))
        }
        Domain::Element => element(tensor(0)?, values.lacks_data(arg(0))).map(|reason| (0, reason)),
        Domain::Slice | Domain::View if values.lacks_data(arg(0)) => Some((0, Reason::NoData)),
        Domain::Slice if values.lacks_data(arg(1)) => Some((1, Reason::NoData)),
        Domain::Slice => slice(tensor(0)?, tensor(1)?, values.int(arg(2).into())),
        Domain::View => view(tensor(0), arg(1), tensor(2), values),
    };
    found.map(|(position, reason)| InvalidArgument { position, reason })
}

/// `_local_scalar_dense` copies the first element of a tensor to a value.
fn element(tensor: HeldTensor<'_>, lacks_data: bool) -> Option<Reason> {
    use ScalarType as S;
    let has_scalar =
        |ty| matches!(ty, S::BYTE | S::CHAR | S::SHORT | S::INT | S::LONG | S::FLOAT | S::DOUBLE | S::BOOL);
    if !has_elements(tensor.tensor) {
        return Some(Reason::NoElements);
    }
    if lacks_data {
        return Some(Reason::NoData);
    }
    tensor.element_type().filter(|ty| !has_scalar(*ty)).map(Reason::NoScalar)
}

/// `et_copy_index` copies a tensor into one slice of another tensor and cuts off the slices after that slice.
fn slice(to: HeldTensor<'_>, from: HeldTensor<'_>, index: Option<i64>) -> Option<(usize, Reason)> {
    let (found, rank) = (from.rank()?, to.rank()?);
    if found + 1 != rank {
        return Some((1, Reason::Rank { found, expected: rank.saturating_sub(1) }));
    }
    if let Some((found, expected)) = from.element_type().zip(to.element_type())
        && found != expected
    {
        return Some((1, Reason::Type { found, expected }));
    }
    for dimension in 0..found.min(MAX_RANK) {
        if let (Some(found), Some(expected)) = (from.size(dimension), to.size(dimension + 1))
            && found != expected
        {
            return Some((1, Reason::Extent { dimension, found, expected }));
        }
    }
    // Another rule covers an index past the end.
    let (found, expected) = (to.size(0).filter(|_| to.is_static())?, index?.checked_add(1)?);
    (0 < expected && expected < found).then_some((0, Reason::Extent { dimension: 0, found, expected }))
}

/// `et_view` gives a tensor the data of another tensor, and a list of sizes. Lists with more sizes than a tensor can
/// have are ignored.
fn view(
    from: Option<HeldTensor<'_>>,
    list: i32,
    to: Option<HeldTensor<'_>>,
    values: &HeldValues<'_, '_>,
) -> Option<(usize, Reason)> {
    let types = from.and_then(HeldTensor::element_type).zip(to.and_then(HeldTensor::element_type));
    if let Some((expected, found)) = types.filter(|(expected, found)| expected != found) {
        return Some((2, Reason::Type { found, expected }));
    }
    let items = values.sizes(list)?;
    let rank = to.and_then(HeldTensor::rank);
    if let Some(expected) = rank.filter(|rank| *rank != items.len()) {
        return Some((1, Reason::Rank { found: items.len(), expected }));
    }
    let items = Some(items).filter(|items| items.len() <= MAX_RANK)?;
    let (mut product, mut known, mut inferred) = (Some(1_i64), true, None);
    for (dimension, item) in items.iter().enumerate() {
        match values.int(item) {
            Some(-1) if inferred.is_some() => return Some((1, Reason::Inferred)),
            Some(-1) => inferred = Some(dimension),
            Some(size @ ..-1) => return Some((1, Reason::Size(size))),
            Some(size) => product = product.and_then(|product| product.checked_mul(size)),
            None => known = false,
        }
    }
    let Some(product) = product else { return Some((1, Reason::Product)) };
    let (elements, most) = (from.and_then(HeldTensor::elements), from.and_then(HeldTensor::most_elements));
    let mut computed = None;
    match (inferred, elements) {
        (Some(_), _) if product == 0 => return Some((1, Reason::InferredBesideZero)),
        _ if !known => {}
        (Some(_), Some(elements)) if elements % product != 0 => {
            return Some((1, Reason::Uneven { elements, product }));
        }
        (Some(_), Some(elements)) => computed = Some(elements / product),
        (None, Some(expected)) if product != expected => {
            return Some((1, Reason::Elements { found: product, expected }));
        }
        (None, None) if most.is_some_and(|most| product > most) => {
            return Some((1, Reason::Bound { found: product, most: most? }));
        }
        _ => {}
    }
    let to = to?;
    let found = product.checked_mul(computed.unwrap_or(1)).filter(|_| known);
    if let Some((found, most)) = found.zip(to.most_elements()).filter(|(found, most)| found > most) {
        return Some((2, Reason::Bound { found, most }));
    }
    // A tensor of fixed shape accepts only its own sizes.
    for (dimension, item) in items.iter().enumerate().filter(|_| to.is_static()) {
        let found = values.int(item).filter(|size| *size != -1).or(computed.filter(|_| inferred == Some(dimension)));
        if let Some((found, expected)) = found.zip(to.size(dimension)).filter(|(found, expected)| found != expected) {
            return Some((2, Reason::Extent { dimension, found, expected }));
        }
    }
    None
}

//! Vectors that may be absent or broken.

use torchproof::flatbuffer::schema::Element;
use torchproof::flatbuffer::{Fault, Vector};

/// The elements of a vector; none if it is absent or broken.
pub(super) fn items<'a, T: Element<'a> + 'a>(
    field: Result<Option<Vector<'a, T>>, Fault>,
) -> impl Iterator<Item = T::Item> + 'a {
    field.ok().flatten().into_iter().flat_map(Vector::iter)
}

/// The number of elements of a vector; 0 if it is absent or broken.
pub(super) fn len<'a, T: Element<'a>>(field: Result<Option<Vector<'a, T>>, Fault>) -> usize {
    field.ok().flatten().map_or(0, Vector::len)
}

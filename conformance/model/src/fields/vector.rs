//! Functions for vectors that can be absent or broken.

use torchproof::flatbuffer::schema::Element;
use torchproof::flatbuffer::{Fault, Vector};

/// Returns the elements of a vector, or none if it is absent or broken.
pub fn items<'a, T: Element<'a> + 'a>(
    field: Result<Option<Vector<'a, T>>, Fault>,
) -> impl Iterator<Item = T::Item> + 'a {
    field.ok().flatten().into_iter().flat_map(Vector::iter)
}

pub fn len<'a, T: Element<'a>>(field: Result<Option<Vector<'a, T>>, Fault>) -> usize {
    field.ok().flatten().map_or(0, Vector::len)
}

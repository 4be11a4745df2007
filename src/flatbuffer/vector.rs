//! Typed views of vectors.

use core::fmt;
use core::marker::PhantomData;

use super::schema::Element;
use crate::Span;

/// A view of `len` elements of type `T` inside the buffer.
pub struct Vector<'a, T: ?Sized> {
    buffer: &'a [u8],
    first: usize,
    len: usize,
    element: PhantomData<fn() -> *const T>,
}

impl<T: ?Sized> Clone for Vector<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Vector<'_, T> {}

impl<T: ?Sized> fmt::Debug for Vector<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vector").field("first", &self.first).field("len", &self.len).finish_non_exhaustive()
    }
}

impl<'a, T: Element<'a>> Vector<'a, T> {
    pub(crate) fn new(buffer: &'a [u8], first: usize, len: usize) -> Self {
        Self { buffer, first, len, element: PhantomData }
    }

    /// The number of elements.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Returns whether the vector is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns the element at `index`, or `None` if `index` is past the end.
    #[inline]
    #[must_use]
    pub fn get(self, index: usize) -> Option<T::Item> {
        (index < self.len).then(|| T::load(self.buffer, self.first + index * T::WIDTH))
    }

    /// The elements in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = T::Item> + 'a
    where
        T: 'a,
    {
        (0..self.len).map(move |index| T::load(self.buffer, self.first + index * T::WIDTH))
    }

    /// The bytes of the elements.
    #[inline]
    #[must_use]
    pub fn as_bytes(self) -> &'a [u8] {
        self.buffer.get(self.first..self.first + self.len * T::WIDTH).unwrap_or_default()
    }

    /// Where the bytes of the elements are.
    #[must_use]
    pub fn span(self) -> Span {
        Span::of(self.first, self.len * T::WIDTH)
    }

    /// Where the count is, in the 4 bytes before the elements.
    #[must_use]
    pub fn count_span(self) -> Span {
        Span::of(self.first - 4, 4)
    }

    /// Where the inline bytes of the element at `index` are.
    #[must_use]
    pub fn element_span(self, index: usize) -> Span {
        Span::of(self.first + index * T::WIDTH, T::WIDTH)
    }
}

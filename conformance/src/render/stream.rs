//! Helpers for JSON output whose parts are computed as they are written.

use std::cell::Cell;

use serde::{Serialize, Serializer};

/// Serializes an iterator's items as a list, once.
pub(crate) struct StreamedList<I>(Cell<Option<I>>);

impl<I> StreamedList<I> {
    pub(crate) fn new(elements: I) -> Self {
        Self(Cell::new(Some(elements)))
    }
}

impl<I: Iterator<Item: Serialize>> Serialize for StreamedList<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten())
    }
}

/// Serializes the result of a function that is called only during serialization.
pub(crate) struct DeferredValue<F>(pub(crate) F);

impl<T: Serialize, F: Fn() -> T> Serialize for DeferredValue<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.0)().serialize(serializer)
    }
}

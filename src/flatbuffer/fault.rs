//! What can be wrong in a FlatBuffer's structure, and where.

use core::fmt;

use crate::Span;

/// What can be wrong in a FlatBuffer's structure.
///
/// Each kind of fault violates one rule of the catalogue: see [`rules::of_fault`](crate::rules::of_fault).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The root offset points into the first 8 bytes or past the end of the buffer.
    RootOutOfBounds,
    /// The root table's position is not a multiple of 4.
    RootMisaligned,
    /// A table's position is not a multiple of 4.
    TableMisaligned,
    /// A scalar, an offset or a vector element is at a position that is not a multiple of its size.
    Misaligned,
    /// A table's vtable is outside the buffer.
    VtableOutOfBounds,
    /// A vtable's position is odd.
    VtableMisaligned,
    /// A vtable is shorter than its two length fields.
    VtableTooShort,
    /// A vtable's length is odd.
    VtableOddLength,
    /// A vtable ends past the end of the buffer.
    VtablePastEnd,
    /// A field ends past the end of the buffer.
    FieldPastEnd,
    /// An offset is 0, so it points to itself.
    NullOffset,
    /// An offset has its top bit set.
    OffsetTooLarge,
    /// An offset points past the end of the buffer.
    OffsetPastEnd,
    /// A vector's elements end past the end of the buffer.
    VectorPastEnd,
    /// A string has no NUL terminator inside the buffer.
    StringNotTerminated,
    /// A union has a type but no value.
    UnionWithoutValue,
    /// A union has a value, but its type is 0 (none).
    UnionWithoutType,
}

impl Code {
    #[cfg(test)]
    pub(crate) const ALL: [Code; 17] = [
        Code::RootOutOfBounds,
        Code::RootMisaligned,
        Code::TableMisaligned,
        Code::Misaligned,
        Code::VtableOutOfBounds,
        Code::VtableMisaligned,
        Code::VtableTooShort,
        Code::VtableOddLength,
        Code::VtablePastEnd,
        Code::FieldPastEnd,
        Code::NullOffset,
        Code::OffsetTooLarge,
        Code::OffsetPastEnd,
        Code::VectorPastEnd,
        Code::StringNotTerminated,
        Code::UnionWithoutValue,
        Code::UnionWithoutType,
    ];
}

/// A structural fault: its kind, its position, the value found and the violated bound.
///
/// Creating a fault allocates no memory. `field` is the name of a table and its field in the schema, such as
/// `Tensor.sizes`, or empty if the field is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The kind of fault.
    pub code: Code,
    /// The bytes of the wrong value.
    pub span: Span,
    /// The value found.
    pub have: u64,
    /// The violated bound: a length, a position or an alignment, depending on `code`.
    pub bound: u64,
    /// The table and the field, such as `Tensor.sizes`.
    pub field: &'static str,
}

impl Fault {
    /// Creates a fault without a field.
    #[cold]
    #[must_use]
    pub const fn new(code: Code, span: Span, have: u64, bound: u64) -> Self {
        Self { code, span, have, bound, field: "" }
    }

    /// Returns the fault with its field set to `field`.
    #[cold]
    #[must_use]
    pub const fn in_field(self, field: &'static str) -> Self {
        Self { field, ..self }
    }

    /// Describes the fault in one sentence, without its position.
    #[must_use]
    pub fn sentence(&self) -> impl fmt::Display + '_ {
        Sentence(self)
    }
}

/// A failed access: a [`Fault`], or [`Broken`] for callers that need no description.
pub(crate) trait Failure: Copy {
    fn new(code: Code, span: Span, have: u64, bound: u64) -> Self;
}

impl Failure for Fault {
    #[cold]
    fn new(code: Code, span: Span, have: u64, bound: u64) -> Self {
        Fault::new(code, span, have, bound)
    }
}

/// A fault without a description. It takes no memory, and the compiler removes the code that would build a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken;

impl Failure for Broken {
    #[inline(always)]
    fn new(_: Code, _: Span, _: u64, _: u64) -> Self {
        Broken
    }
}

struct Sentence<'a>(&'a Fault);

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { code, have, bound, .. } = *self.0;
        match code {
            Code::RootOutOfBounds => write!(f, "root offset is {have}, expected 8 to {}", bound.saturating_sub(4)),
            Code::RootMisaligned => write!(f, "root table is at {have:#x}, expected a multiple of {bound}"),
            Code::TableMisaligned => write!(f, "table is at {have:#x}, expected a multiple of {bound}"),
            Code::Misaligned => write!(f, "data is at {have:#x}, expected a multiple of {bound}"),
            Code::VtableOutOfBounds => {
                write!(f, "vtable is at {}, outside the buffer of {bound} bytes", have.cast_signed())
            }
            Code::VtableMisaligned => write!(f, "vtable is at {have:#x}, expected a multiple of {bound}"),
            Code::VtableTooShort => write!(f, "vtable length is {have}, expected at least {bound}"),
            Code::VtableOddLength => write!(f, "vtable length is {have}, expected a multiple of {bound}"),
            Code::VtablePastEnd => write!(f, "vtable ends at {have:#x}, past the end of the buffer at {bound:#x}"),
            Code::FieldPastEnd => write!(f, "field ends at {have:#x}, past the end of the buffer at {bound:#x}"),
            Code::NullOffset => write!(f, "offset is 0, expected at least {bound}"),
            Code::OffsetTooLarge => write!(f, "offset is {have:#x}, expected less than {bound:#x}"),
            Code::OffsetPastEnd => write!(f, "offset points to {have:#x}, past the end of the buffer at {bound:#x}"),
            Code::VectorPastEnd => {
                write!(f, "vector has {have} elements, which do not fit in the {bound} bytes that follow")
            }
            Code::StringNotTerminated => write!(f, "string of {have} bytes has no NUL terminator"),
            Code::UnionWithoutValue => write!(f, "union has type {have} but no value"),
            Code::UnionWithoutType => write!(f, "union has a value, but its type is {have} (none)"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        write!(f, "{} (at offset {:#x})", self.sentence(), self.span.offset)
    }
}

impl core::error::Error for Fault {}

//! What is wrong with a FlatBuffer, and where.

use core::fmt;

use crate::Span;

/// The kinds of fault that a FlatBuffer access can meet.
///
/// Each protects one rule of the catalogue: [`Code::rule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The root offset points into the prefix or past the end.
    RootOutOfBounds,
    /// The root table is not at a multiple of four.
    RootMisaligned,
    /// A table is not at a multiple of four.
    TableMisaligned,
    /// A scalar, a reference or a vector's elements are not at a multiple of their size.
    Misaligned,
    /// A table's first word leads outside the buffer.
    VtableOutOfBounds,
    /// A vtable is at an odd position.
    VtableMisaligned,
    /// A vtable is shorter than its own two lengths.
    VtableTooShort,
    /// A vtable's length is odd.
    VtableOddLength,
    /// A vtable reaches past the end of the buffer.
    VtablePastEnd,
    /// A field reaches past the end of the buffer.
    FieldPastEnd,
    /// A reference is zero: it would lead to itself.
    NullReference,
    /// A reference has its top bit set.
    ReferenceTooLarge,
    /// A reference leads past the end of the buffer.
    ReferencePastEnd,
    /// A vector's elements reach past the end of the buffer.
    VectorPastEnd,
    /// A string is not followed by a zero byte inside the buffer.
    StringNotTerminated,
    /// A union's type says that a value is there, and there is none.
    UnionWithoutValue,
    /// A union has a value, and its type says that there is none.
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
        Code::NullReference,
        Code::ReferenceTooLarge,
        Code::ReferencePastEnd,
        Code::VectorPastEnd,
        Code::StringNotTerminated,
        Code::UnionWithoutValue,
        Code::UnionWithoutType,
    ];

    /// The id of the rule that this fault breaks.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Code::RootOutOfBounds => "fb-root-offset-range",
            Code::RootMisaligned => "fb-root-aligned",
            Code::TableMisaligned | Code::Misaligned => "fb-alignment",
            Code::VtableOutOfBounds
            | Code::VtableMisaligned
            | Code::VtableTooShort
            | Code::VtableOddLength
            | Code::VtablePastEnd
            | Code::FieldPastEnd => "fb-vtable-valid",
            Code::NullReference | Code::ReferenceTooLarge | Code::ReferencePastEnd => "fb-uoffset-valid",
            Code::VectorPastEnd => "fb-vector-in-bounds",
            Code::StringNotTerminated => "fb-string-nul",
            Code::UnionWithoutValue | Code::UnionWithoutType => "fb-union-consistent",
        }
    }
}

/// One fault: what, at which bytes, with the value found and the bound it breaks.
///
/// It is plain values, returned by value: an access that fails allocates nothing. The field is the schema's
/// (`Tensor.sizes`), empty where the access has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// What is wrong.
    pub code: Code,
    /// The bytes that hold the wrong value.
    pub span: Span,
    /// The value found there.
    pub have: u64,
    /// The bound that it breaks: a length, a position or an alignment, by `code`.
    pub bound: u64,
    /// Table and field, as `Tensor.sizes`.
    pub field: &'static str,
}

impl Fault {
    /// A fault with no field yet.
    #[cold]
    #[must_use]
    pub const fn new(code: Code, span: Span, have: u64, bound: u64) -> Self {
        Self { code, span, have, bound, field: "" }
    }

    /// The same fault, said of `field`.
    #[cold]
    #[must_use]
    pub const fn in_field(self, field: &'static str) -> Self {
        Self { field, ..self }
    }

    /// The fault as one sentence, without the place.
    #[must_use]
    pub fn sentence(&self) -> impl fmt::Display + '_ {
        Sentence(self)
    }
}

struct Sentence<'a>(&'a Fault);

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { code, have, bound, .. } = *self.0;
        match code {
            Code::RootOutOfBounds => write!(f, "root offset {have} is not within 8 to {}", bound.saturating_sub(4)),
            Code::RootMisaligned => write!(f, "root table at {have:#x} is not at a multiple of {bound}"),
            Code::TableMisaligned => write!(f, "table at {have:#x} is not at a multiple of {bound}"),
            Code::Misaligned => write!(f, "data at {have:#x} is not at a multiple of {bound}"),
            Code::VtableOutOfBounds => {
                write!(f, "vtable would be at {}, outside the {bound} bytes of the buffer", have.cast_signed())
            }
            Code::VtableMisaligned => write!(f, "vtable at {have:#x} is not at a multiple of {bound}"),
            Code::VtableTooShort => write!(f, "vtable length {have} is below {bound}"),
            Code::VtableOddLength => write!(f, "vtable length {have} is odd"),
            Code::VtablePastEnd => write!(f, "vtable ends at {have:#x}, past the buffer's end at {bound:#x}"),
            Code::FieldPastEnd => write!(f, "field ends at {have:#x}, past the buffer's end at {bound:#x}"),
            Code::NullReference => write!(f, "reference is 0, so it leads to itself"),
            Code::ReferenceTooLarge => write!(f, "reference {have:#x} is not below {bound:#x}"),
            Code::ReferencePastEnd => write!(f, "reference leads to {have:#x}, past the buffer's end at {bound:#x}"),
            Code::VectorPastEnd => {
                write!(f, "vector of {have} elements does not fit into the {bound} bytes that are left of the buffer")
            }
            Code::StringNotTerminated => write!(f, "string of {have} bytes is not followed by a zero byte"),
            Code::UnionWithoutValue => write!(f, "union has type {have} and no value"),
            Code::UnionWithoutType => write!(f, "union has a value and type {have} (none)"),
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

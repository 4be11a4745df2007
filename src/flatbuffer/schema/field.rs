//! The types of fields and elements, and how their values are read and verified.

use super::super::bytes::{i32_at, u8_at, u32_at, u64_at};
use super::super::fault::{Broken, Code, Failure, Fault};
use super::super::table::{Str, Table, aligned_uoffset, string, uoffset, vector};
use super::super::vector::Vector;
use super::super::walk::OffsetTarget;
use super::{Kind, Scalar, TableType, UnionType};
use crate::Span;

/// The type of a table field.
pub trait FieldType<'a> {
    /// The type's description.
    const KIND: Kind;
    /// What the accessor returns.
    type View;
    /// The field's value in a visited table: a number (0 if the field is absent) or the target of an offset.
    type Found;

    /// Reads the field in `slot`.
    ///
    /// # Errors
    ///
    /// Returns the fault if the access fails.
    fn read(table: Table<'a>, slot: u16) -> Result<Self::View, Fault>;

    /// What a [`Brief`](super::Brief) view's accessor returns.
    #[doc(hidden)]
    type Brief;

    /// Reads the field in `slot` for a [`Brief`](super::Brief) view.
    #[doc(hidden)]
    fn brief(table: Table<'a>, slot: u16) -> Result<Self::Brief, Broken>;

    /// Reads the value at `at` in a visited table; `None` if the field is absent.
    #[doc(hidden)]
    fn found(buffer: &'a [u8], at: Option<usize>) -> Self::Found;
}

/// The type of a vector's elements.
pub trait Element<'a> {
    /// The description of a field that contains a vector of this type.
    const VECTOR: Kind;
    /// The number of bytes from one element to the next.
    const WIDTH: usize;
    /// What a vector returns for one element.
    type Item;
    /// What a vector of a [`Brief`](super::Brief) view returns for one element.
    #[doc(hidden)]
    type Brief: Element<'a>;

    /// Loads the element at `at`, which the vector has checked to be inside the buffer.
    fn load(buffer: &'a [u8], at: usize) -> Self::Item;
}

/// A typed view of a table.
pub trait TableView<'a>: Copy + Element<'a> + 'a {
    /// The table's description.
    const TYPE: &'static TableType;
    /// An id that tells table types apart at compile time.
    const ID: u8;

    /// Returns a view of `table` as a `Self`, without checking the type.
    fn from_table(table: Table<'a>) -> Self;

    /// The underlying table.
    fn table(self) -> Table<'a>;

    /// Returns where the field named `field` is, or the span of the whole object if the field is absent.
    fn place(self, field: &str) -> Span {
        place(self.table(), Self::TYPE, field)
    }
}

#[cfg_attr(target_os = "none", inline(never))]
fn place(table: Table<'_>, ty: &TableType, field: &str) -> Span {
    let found = ty.field(field).and_then(|field| table.field_span(field.slot, field.kind.width()));
    found.unwrap_or(table.span())
}

/// A union's tag type, which identifies the type of the value in the next slot.
pub trait UnionTag<'a>: Copy {
    /// The union's description.
    const TYPE: &'static UnionType;
    /// The enum of possible values.
    type Value;

    /// Opens the value at `position` as the type that `tag` identifies.
    ///
    /// # Errors
    ///
    /// Returns a fault if the table cannot be opened. If the tag is unknown, the value is not read.
    fn value(tag: u8, buffer: &'a [u8], position: usize) -> Result<Self::Value, Fault>;

    /// The value in a [`Brief`](super::Brief) view.
    #[doc(hidden)]
    type BriefValue;

    /// Opens the value for a [`Brief`](super::Brief) view.
    #[doc(hidden)]
    fn brief_value(tag: u8, buffer: &'a [u8], position: usize) -> Result<Self::BriefValue, Broken>;
}

/// The value of a union with the tag type `U`, in the slot after the tag.
#[derive(Debug)]
pub struct UnionField<U>(core::marker::PhantomData<U>);

/// A vector of bytes that the schema aligns to `A` bytes.
#[derive(Debug)]
pub struct AlignedBytes<const A: usize>;

macro_rules! scalar_types {
    ($($scalar:ident $type:ty: $load:expr;)*) => {$(
        impl<'a> FieldType<'a> for $type {
            const KIND: Kind = Kind::Scalar(Scalar::$scalar);
            type View = $type;
            type Found = $type;

            #[inline]
            fn found(buffer: &'a [u8], at: Option<usize>) -> $type {
                let load: fn(&[u8], usize) -> Option<$type> = $load;
                at.and_then(|at| load(buffer, at)).unwrap_or_default()
            }

            type Brief = $type;

            fn brief(table: Table<'a>, slot: u16) -> Result<$type, Broken> {
                read_scalar(table, slot, Scalar::$scalar.width(), $load)
            }

            #[inline]
            fn read(table: Table<'a>, slot: u16) -> Result<$type, Fault> {
                read_scalar(table, slot, Scalar::$scalar.width(), $load)
            }
        }

        impl<'a> Element<'a> for $type {
            const VECTOR: Kind = Kind::Scalars(Scalar::$scalar, Scalar::$scalar.width());
            const WIDTH: usize = Scalar::$scalar.width();
            type Item = $type;
            type Brief = $type;

            #[inline]
            fn load(buffer: &'a [u8], at: usize) -> $type {
                let load: fn(&[u8], usize) -> Option<$type> = $load;
                load(buffer, at).unwrap_or_default()
            }
        }
    )*};
}

scalar_types! {
    Bool bool: |b, at| u8_at(b, at).map(|byte| byte != 0);
    I8 i8: |b, at| u8_at(b, at).map(u8::cast_signed);
    U8 u8: u8_at;
    I32 i32: i32_at;
    U32 u32: u32_at;
    I64 i64: |b, at| u64_at(b, at).map(u64::cast_signed);
    U64 u64: u64_at;
    F64 f64: |b, at| u64_at(b, at).map(f64::from_bits);
}

#[inline(always)]
fn read_scalar<T: Default, E: Failure>(
    table: Table<'_>,
    slot: u16,
    width: usize,
    load: fn(&[u8], usize) -> Option<T>,
) -> Result<T, E> {
    let Some(at) = table.field(slot) else { return Ok(T::default()) };
    if !at.is_multiple_of(width) {
        return Err(E::new(Code::Misaligned, Span::of(at, width), at as u64, width as u64));
    }
    load(table.buffer(), at).ok_or_else(|| field_past_end(table.buffer(), at, width))
}

#[inline]
fn resolve<T>(at: Option<usize>, open: impl FnOnce(usize) -> Result<T, Broken>) -> OffsetTarget<T> {
    match at.map(open) {
        None => OffsetTarget::Absent,
        Some(Err(_)) => OffsetTarget::Broken,
        Some(Ok(found)) => OffsetTarget::Here(found),
    }
}

#[cold]
fn field_past_end<E: Failure>(buffer: &[u8], at: usize, width: usize) -> E {
    let end = Span::of(at, width).end();
    E::new(Code::FieldPastEnd, Span::inside(at, width, buffer), end, buffer.len() as u64)
}

impl<'a> FieldType<'a> for str {
    const KIND: Kind = Kind::String;
    type View = Option<Str<'a>>;
    type Found = OffsetTarget<Str<'a>>;

    #[inline]
    fn found(buffer: &'a [u8], at: Option<usize>) -> OffsetTarget<Str<'a>> {
        resolve(at, |at| aligned_uoffset(buffer, at).and_then(|position| string(buffer, position)))
    }

    fn read(table: Table<'a>, slot: u16) -> Result<Self::View, Fault> {
        string_in(table, slot)
    }

    type Brief = Option<Str<'a>>;

    fn brief(table: Table<'a>, slot: u16) -> Result<Self::Brief, Broken> {
        string_in(table, slot)
    }
}

#[cfg_attr(target_os = "none", inline(never))]
fn string_in<E: Failure>(table: Table<'_>, slot: u16) -> Result<Option<Str<'_>>, E> {
    let Some(at) = table.field(slot) else { return Ok(None) };
    string(table.buffer(), uoffset(table.buffer(), at)?).map(Some)
}

/// Returns the position of the first element of the vector in `slot`, and the number of elements. All element types
/// share this code.
#[cfg_attr(target_os = "none", inline(never))]
fn vector_in<E: Failure>(table: Table<'_>, slot: u16, width: usize) -> Result<Option<(usize, usize)>, E> {
    let Some(at) = table.field(slot) else { return Ok(None) };
    vector(table.buffer(), uoffset(table.buffer(), at)?, width).map(Some)
}

impl<'a, T: Element<'a>> FieldType<'a> for [T] {
    const KIND: Kind = T::VECTOR;
    type View = Option<Vector<'a, T>>;
    type Found = OffsetTarget<Vector<'a, T::Brief>>;

    #[inline]
    fn found(buffer: &'a [u8], at: Option<usize>) -> Self::Found {
        resolve(at, |at| {
            let (first, len) = vector(buffer, aligned_uoffset(buffer, at)?, T::WIDTH)?;
            Ok(Vector::new(buffer, first, len))
        })
    }

    fn read(table: Table<'a>, slot: u16) -> Result<Self::View, Fault> {
        let found = vector_in(table, slot, T::WIDTH)?;
        Ok(found.map(|(first, len)| Vector::new(table.buffer(), first, len)))
    }

    type Brief = Option<Vector<'a, T::Brief>>;

    fn brief(table: Table<'a>, slot: u16) -> Result<Self::Brief, Broken> {
        let found = vector_in(table, slot, T::WIDTH)?;
        Ok(found.map(|(first, len)| Vector::new(table.buffer(), first, len)))
    }
}

impl<'a, const A: usize> FieldType<'a> for AlignedBytes<A> {
    const KIND: Kind = Kind::Scalars(Scalar::U8, A);
    type View = Option<Vector<'a, u8>>;
    type Found = OffsetTarget<Vector<'a, u8>>;

    #[inline]
    fn found(buffer: &'a [u8], at: Option<usize>) -> OffsetTarget<Vector<'a, u8>> {
        <[u8]>::found(buffer, at)
    }

    fn read(table: Table<'a>, slot: u16) -> Result<Self::View, Fault> {
        <[u8]>::read(table, slot)
    }

    type Brief = Option<Vector<'a, u8>>;

    fn brief(table: Table<'a>, slot: u16) -> Result<Self::Brief, Broken> {
        <[u8]>::brief(table, slot)
    }
}

impl<'a, U: UnionTag<'a>> FieldType<'a> for UnionField<U> {
    const KIND: Kind = Kind::Union(U::TYPE);
    type View = Option<U::Value>;
    /// The position of the offset to the value, if there is one. The pass visits the value together with the tag, which
    /// is the value's type.
    type Found = Option<usize>;

    #[inline]
    fn found(_: &'a [u8], at: Option<usize>) -> Option<usize> {
        at
    }

    fn read(table: Table<'a>, slot: u16) -> Result<Self::View, Fault> {
        let found = union_in(table, slot, U::TYPE)?;
        found.map(|(tag, position)| U::value(tag, table.buffer(), position)).transpose()
    }

    type Brief = Option<U::BriefValue>;

    fn brief(table: Table<'a>, slot: u16) -> Result<Self::Brief, Broken> {
        let found = union_in(table, slot, U::TYPE)?;
        found.map(|(tag, position)| U::brief_value(tag, table.buffer(), position)).transpose()
    }
}

#[cfg_attr(target_os = "none", inline(never))]
fn union_in<E: Failure>(table: Table<'_>, slot: u16, union: &UnionType) -> Result<Option<(u8, usize)>, E> {
    let Some(before) = slot.checked_sub(1) else { return Ok(None) };
    let tag: u8 = read_scalar(table, before, 1, u8_at)?;
    match table.field(slot) {
        None if tag == 0 || union.member(tag).is_some_and(|member| member.fields.is_empty()) => Ok(None),
        None => Err(E::new(Code::UnionWithoutValue, table.span(), u64::from(tag), 0)),
        Some(at) if tag == 0 => Err(E::new(Code::UnionWithoutType, Span::of(at, 4), 0, 0)),
        Some(at) => Ok(Some((tag, uoffset(table.buffer(), at)?))),
    }
}

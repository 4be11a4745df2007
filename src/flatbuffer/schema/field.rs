//! The types that fields and elements can have: how each is read, and how the verification pass visits it.

use super::super::bytes::{i32_at, u8_at, u32_at, u64_at};
use super::super::fault::{Code, Fault};
use super::super::table::{Str, Table, aligned_reference, reference, string, vector};
use super::super::vector::Vector;
use super::super::walk::{Extent, Fields, Flow, Path, Resolved, Visitor, Walk};
use super::{Kind, Scalar, TableType, UnionType};
use crate::Span;

/// A type that a field can have.
pub trait FieldType<'a> {
    /// Its description.
    const KIND: Kind;
    /// What its accessor returns.
    type View;
    /// What is found in a visited table: the number, with 0 for an absent one, or what a reference leads to.
    type Found;

    /// Reads the field in `slot`.
    ///
    /// # Errors
    ///
    /// The fault that the access met.
    fn read(table: Table<'a>, slot: u16) -> Result<Self::View, Fault>;

    /// What a visited table has at `at`, or where the field is absent.
    #[doc(hidden)]
    fn found(buffer: &'a [u8], at: Option<usize>) -> Self::Found;

    /// Visits the field, which is present at `at`, for the verification pass.
    #[doc(hidden)]
    fn walk<V: Visitor<'a>>(walk: &mut Walk<'a, V>, fields: &Fields, slot: usize, at: usize, path: Path<'_>) -> Flow;
}

/// A type that a vector's elements can have.
pub trait Element<'a> {
    /// The description of a field that is a vector of these.
    const VECTOR: Kind;
    /// Bytes from one element to the next.
    const WIDTH: usize;
    /// What a vector returns for one element.
    type Item;

    /// The element at `at`, which the vector has checked to lie inside the buffer.
    fn load(buffer: &'a [u8], at: usize) -> Self::Item;

    /// Visits the elements for the verification pass.
    #[doc(hidden)]
    fn walk<V: Visitor<'a>>(walk: &mut Walk<'a, V>, first: usize, count: usize, path: Path<'_>) -> Flow;
}

/// A typed view of a table.
pub trait TableView<'a>: Copy + FieldType<'a> + Element<'a> + 'a {
    /// The table's description.
    const TYPE: &'static TableType;
    /// Tells table types apart at compile time.
    const ID: u8;

    /// The view of a table that is taken to be of this type.
    fn from_table(table: Table<'a>) -> Self;

    /// The table under the view.
    fn table(self) -> Table<'a>;

    /// The inline bytes of the field of this name; the whole object's where the field is absent, as it is then what should
    /// have it.
    fn place(self, field: &str) -> Span {
        let table = self.table();
        let found = Self::TYPE.field(field).and_then(|field| table.field_span(field.slot, field.kind.width()));
        found.unwrap_or(table.span())
    }

    /// Where the fields are, by a vtable's entries.
    #[doc(hidden)]
    fn measure(entries: &[[u8; 2]]) -> Extent;

    /// Visits the fields that are present.
    #[doc(hidden)]
    fn walk_fields<V: Visitor<'a>>(walk: &mut Walk<'a, V>, at: usize, fields: &Fields, path: Path<'_>) -> Flow;
}

/// A union's tag type; the tag names the type of the value in the next slot.
pub trait UnionTag<'a>: Copy {
    /// The union's description.
    const TYPE: &'static UnionType;
    /// The value, by type.
    type Value;

    /// The value at `position` for `tag`.
    ///
    /// # Errors
    ///
    /// What the table's access met; an unknown tag's value is not looked at.
    fn value(tag: u8, buffer: &'a [u8], position: usize) -> Result<Self::Value, Fault>;

    /// Visits the value.
    #[doc(hidden)]
    fn walk_value<V: Visitor<'a>>(walk: &mut Walk<'a, V>, tag: u8, position: usize, path: Path<'_>) -> Flow;
}

/// The value half of a union whose tag type is `U`; it stands in the slot behind its tag.
#[derive(Debug)]
pub struct Of<U>(core::marker::PhantomData<U>);

/// A vector of bytes whose elements the schema aligns to `A`.
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

            #[inline]
            fn read(table: Table<'a>, slot: u16) -> Result<Self::View, Fault> {
                const WIDTH: usize = Scalar::$scalar.width();
                let Some(at) = table.field(slot) else { return Ok(Default::default()) };
                if !at.is_multiple_of(WIDTH) {
                    return Err(Fault::new(Code::Misaligned, Span::of(at, WIDTH), at as u64, WIDTH as u64));
                }
                let load: fn(&[u8], usize) -> Option<$type> = $load;
                load(table.buffer(), at).ok_or_else(|| field_past_end(table.buffer(), at, WIDTH))
            }

            #[inline]
            fn walk<V: Visitor<'a>>(walk: &mut Walk<'a, V>, _: &Fields, _: usize, at: usize, path: Path<'_>) -> Flow {
                walk.scalar(Scalar::$scalar, at, path)
            }
        }

        impl<'a> Element<'a> for $type {
            const VECTOR: Kind = Kind::Scalars(Scalar::$scalar, Scalar::$scalar.width());
            const WIDTH: usize = Scalar::$scalar.width();
            type Item = $type;

            #[inline]
            fn load(buffer: &'a [u8], at: usize) -> $type {
                let load: fn(&[u8], usize) -> Option<$type> = $load;
                load(buffer, at).unwrap_or_default()
            }

            #[inline]
            fn walk<V: Visitor<'a>>(walk: &mut Walk<'a, V>, first: usize, count: usize, path: Path<'_>) -> Flow {
                walk.scalars(Scalar::$scalar, first, count, path)
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

/// What a reference leads to, if it is there.
#[inline]
fn held<T>(at: Option<usize>, behind: impl FnOnce(usize) -> Result<T, Fault>) -> Resolved<T> {
    match at.map(behind) {
        None => Resolved::Absent,
        Some(Err(_)) => Resolved::Broken,
        Some(Ok(found)) => Resolved::Here(found),
    }
}

/// The fault of a field of `width` bytes that reaches past the end.
#[cold]
pub(crate) fn field_past_end(buffer: &[u8], at: usize, width: usize) -> Fault {
    let end = Span::of(at, width).end();
    Fault::new(Code::FieldPastEnd, Span::inside(at, width, buffer), end, buffer.len() as u64)
}

impl<'a> FieldType<'a> for str {
    const KIND: Kind = Kind::String;
    type View = Option<Str<'a>>;
    type Found = Resolved<Str<'a>>;

    #[inline]
    fn found(buffer: &'a [u8], at: Option<usize>) -> Resolved<Str<'a>> {
        held(at, |at| aligned_reference(buffer, at).and_then(|position| string(buffer, position)))
    }

    fn read(table: Table<'a>, slot: u16) -> Result<Self::View, Fault> {
        let Some(at) = table.field(slot) else { return Ok(None) };
        string(table.buffer(), reference(table.buffer(), at)?).map(Some)
    }

    #[inline]
    fn walk<V: Visitor<'a>>(walk: &mut Walk<'a, V>, _: &Fields, _: usize, at: usize, path: Path<'_>) -> Flow {
        walk.string(at, path)
    }
}

impl<'a, T: Element<'a>> FieldType<'a> for [T] {
    const KIND: Kind = T::VECTOR;
    type View = Option<Vector<'a, T>>;
    type Found = Resolved<Vector<'a, T>>;

    #[inline]
    fn found(buffer: &'a [u8], at: Option<usize>) -> Resolved<Vector<'a, T>> {
        held(at, |at| {
            let (first, len) = vector(buffer, aligned_reference(buffer, at)?, T::WIDTH)?;
            Ok(Vector::new(buffer, first, len))
        })
    }

    fn read(table: Table<'a>, slot: u16) -> Result<Self::View, Fault> {
        let Some(at) = table.field(slot) else { return Ok(None) };
        let (first, len) = vector(table.buffer(), reference(table.buffer(), at)?, T::WIDTH)?;
        Ok(Some(Vector::new(table.buffer(), first, len)))
    }

    #[inline]
    fn walk<V: Visitor<'a>>(walk: &mut Walk<'a, V>, _: &Fields, _: usize, at: usize, path: Path<'_>) -> Flow {
        walk.vector::<T>(at, 1, path)
    }
}

impl<'a, const A: usize> FieldType<'a> for AlignedBytes<A> {
    const KIND: Kind = Kind::Scalars(Scalar::U8, A);
    type View = Option<Vector<'a, u8>>;
    type Found = Resolved<Vector<'a, u8>>;

    #[inline]
    fn found(buffer: &'a [u8], at: Option<usize>) -> Resolved<Vector<'a, u8>> {
        <[u8]>::found(buffer, at)
    }

    fn read(table: Table<'a>, slot: u16) -> Result<Self::View, Fault> {
        <[u8]>::read(table, slot)
    }

    #[inline]
    fn walk<V: Visitor<'a>>(walk: &mut Walk<'a, V>, _: &Fields, _: usize, at: usize, path: Path<'_>) -> Flow {
        walk.vector::<u8>(at, A, path)
    }
}

impl<'a, U: UnionTag<'a>> FieldType<'a> for Of<U> {
    const KIND: Kind = Kind::Union(U::TYPE);
    type View = Option<U::Value>;
    /// Whether the value is there: what it is, its tag says, and it has been visited.
    type Found = bool;

    #[inline]
    fn found(_: &'a [u8], at: Option<usize>) -> bool {
        at.is_some()
    }

    fn read(table: Table<'a>, slot: u16) -> Result<Self::View, Fault> {
        let Some(before) = slot.checked_sub(1) else { return Ok(None) };
        let tag = u8::read(table, before)?;
        match table.field(slot) {
            None if tag == 0 || U::TYPE.member(tag).is_some_and(|member| member.fields.is_empty()) => Ok(None),
            None => Err(Fault::new(Code::UnionWithoutValue, table.span(), u64::from(tag), 0)),
            Some(at) if tag == 0 => Err(Fault::new(Code::UnionWithoutType, Span::of(at, 4), 0, 0)),
            Some(at) => U::value(tag, table.buffer(), reference(table.buffer(), at)?).map(Some),
        }
    }

    /// The tag's visit has done the work; a value without any tag is left.
    #[inline]
    fn walk<V: Visitor<'a>>(walk: &mut Walk<'a, V>, fields: &Fields, slot: usize, at: usize, path: Path<'_>) -> Flow {
        if fields.offset(slot - 1) == 0 {
            return walk.fault(Fault::new(Code::UnionWithoutType, Span::of(at, 4), 0, 0), path);
        }
        Ok(())
    }
}

//! **How a FlatBuffer schema is written down here**: once, as Rust declarations.
//!
//! A declaration gives three things: a typed view whose accessors check each read, the table's part of the structure pass
//! ([`walk`](super::walk)), and a [`TableType`] that names every field, from which dumps and builders work.
//! Defaults are all zero, as they are in the ExecuTorch schemas; an absent scalar reads as zero.

use super::bytes::{i32_at, u8_at, u32_at, u64_at};
use super::fault::{Code, Fault};
use super::table::{Str, Table, Vector, reference, string, vector};
use super::walk::{Fields, Flow, Path, Visitor, Walk};
use crate::Span;

/// A table of a schema.
#[derive(Debug)]
pub struct TableType {
    /// The schema's name.
    pub name: &'static str,
    /// In slot order.
    pub fields: &'static [Field],
}

impl TableType {
    /// The field of this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// A field of a table.
#[derive(Debug)]
pub struct Field {
    /// The schema's name.
    pub name: &'static str,
    /// Its vtable slot.
    pub slot: u16,
    /// What it holds.
    pub kind: Kind,
}

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number or a bool, inline.
    Scalar(Scalar),
    /// One byte that names a value.
    Enum(&'static EnumType),
    /// One byte that names the type of the union in the next slot.
    Tag(&'static UnionType),
    /// A reference to the table that the slot before names.
    Union(&'static UnionType),
    /// A reference to a string.
    String,
    /// A reference to a vector of numbers or bools; the elements begin at a multiple of the second value.
    Scalars(Scalar, usize),
    /// A reference to a table.
    Table(&'static TableType),
    /// A reference to a vector of references to tables.
    Tables(&'static TableType),
}

impl Kind {
    /// How many bytes the field takes inside its table.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Kind::Scalar(scalar) => scalar.width(),
            Kind::Enum(_) | Kind::Tag(_) => 1,
            Kind::Union(_) | Kind::String | Kind::Scalars(..) | Kind::Table(_) | Kind::Tables(_) => 4,
        }
    }
}

/// A number type or bool; the integers are little-endian two's complement, the float is IEEE 754 binary64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// One byte, 0 or 1.
    Bool,
    /// `byte`.
    I8,
    /// `ubyte`.
    U8,
    /// `int`.
    I32,
    /// `uint`.
    U32,
    /// `long`.
    I64,
    /// `ulong`.
    U64,
    /// `double`.
    F64,
}

impl Scalar {
    /// Size and alignment in bytes.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I32 | Scalar::U32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }
}

/// An enum of one signed byte.
#[derive(Debug)]
pub struct EnumType {
    /// The schema's name.
    pub name: &'static str,
    /// Names and values, ascending.
    pub values: &'static [(&'static str, i8)],
}

impl EnumType {
    /// The schema's name for a value.
    #[must_use]
    pub fn name_of(&self, value: i8) -> Option<&'static str> {
        self.values.iter().find(|(_, known)| *known == value).map(|(name, _)| *name)
    }

    /// The value of a name.
    #[must_use]
    pub fn value_of(&self, name: &str) -> Option<i8> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

/// A union: a tag byte and a table.
#[derive(Debug)]
pub struct UnionType {
    /// The schema's name.
    pub name: &'static str,
    /// The members in tag order; the first has tag 1, and tag 0 is `NONE`.
    pub members: &'static [&'static TableType],
}

impl UnionType {
    /// The member with this tag.
    #[must_use]
    pub fn member(&self, tag: u8) -> Option<&'static TableType> {
        usize::from(tag).checked_sub(1).and_then(|index| self.members.get(index)).copied()
    }
}

/// A type that a field can have.
pub trait FieldType<'a> {
    /// Its description.
    const KIND: Kind;
    /// What its accessor returns.
    type View;

    /// Reads the field in `slot`.
    ///
    /// # Errors
    ///
    /// The fault that the access met.
    fn read(table: Table<'a>, slot: u16) -> Result<Self::View, Fault>;

    /// Visits the field, which is present at `at`, for the structure pass.
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

    /// Visits the elements for the structure pass.
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

            #[inline]
            fn read(table: Table<'a>, slot: u16) -> Result<Self::View, Fault> {
                const WIDTH: usize = Scalar::$scalar.width();
                let Some(at) = table.field(slot) else { return Ok(Default::default()) };
                if at % WIDTH != 0 {
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

/// The fault of a field of `width` bytes that reaches past the end.
#[cold]
pub(crate) fn field_past_end(buffer: &[u8], at: usize, width: usize) -> Fault {
    let span = Span::of(at, width);
    Fault::new(Code::FieldPastEnd, span, span.end(), buffer.len() as u64)
}

impl<'a> FieldType<'a> for str {
    const KIND: Kind = Kind::String;
    type View = Option<Str<'a>>;

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

    fn read(table: Table<'a>, slot: u16) -> Result<Self::View, Fault> {
        let tag = u8::read(table, slot - 1)?;
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

/// Declares enums of one signed byte.
macro_rules! enums {
    ($(
        $(#[$doc:meta])*
        $name:ident { $($(#[$value_doc:meta])* $value:ident = $number:literal,)* }
    )*) => {$(
        $(#[$doc])*
        ///
        /// Any byte can stand in a file: the value is kept as it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub i8);

        impl $name {
            $($(#[$value_doc])* pub const $value: $name = $name($number);)*
            /// The schema's names and values.
            pub const TYPE: &'static $crate::flatbuffer::schema::EnumType = &$crate::flatbuffer::schema::EnumType {
                name: stringify!($name),
                values: &[$((stringify!($value), $number)),*],
            };

            /// The schema's name for the value, if it has one.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                Self::TYPE.name_of(self.0)
            }
        }

        impl<'a> $crate::flatbuffer::schema::FieldType<'a> for $name {
            const KIND: $crate::flatbuffer::schema::Kind = $crate::flatbuffer::schema::Kind::Enum($name::TYPE);
            type View = $name;

            fn read(table: $crate::flatbuffer::Table<'a>, slot: u16) -> Result<Self, $crate::flatbuffer::Fault> {
                <i8 as $crate::flatbuffer::schema::FieldType<'a>>::read(table, slot).map($name)
            }

            #[inline]
            fn walk<V: $crate::flatbuffer::walk::Visitor<'a>>(
                walk: &mut $crate::flatbuffer::walk::Walk<'a, V>,
                _: &$crate::flatbuffer::walk::Fields,
                _: usize,
                at: usize,
                path: $crate::flatbuffer::walk::Path<'_>,
            ) -> $crate::flatbuffer::walk::Flow {
                walk.enumeration($name::TYPE, at, path)
            }
        }
    )*};
}
pub(crate) use enums;

/// Declares tables: `Name<'a> = id { slot name: Type, … }`.
macro_rules! tables {
    ($(
        $(#[$doc:meta])*
        $name:ident<$lt:lifetime> = $id:literal { $($(#[$field_doc:meta])* $slot:literal $field:ident: $type:ty,)* }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<$lt>($crate::flatbuffer::Table<$lt>);

        impl<$lt> $name<$lt> {
            $(
                $(#[$field_doc])*
                ///
                /// # Errors
                ///
                /// The fault that the access met.
                pub fn $field(
                    self,
                ) -> Result<<$type as $crate::flatbuffer::schema::FieldType<$lt>>::View, $crate::flatbuffer::Fault> {
                    <$type as $crate::flatbuffer::schema::FieldType<$lt>>::read(self.0, $slot)
                        .map_err(|fault| fault.in_field(concat!(stringify!($name), ".", stringify!($field))))
                }
            )*
        }

        impl<$lt> $crate::flatbuffer::schema::TableView<$lt> for $name<$lt> {
            const TYPE: &'static $crate::flatbuffer::schema::TableType = &$crate::flatbuffer::schema::TableType {
                name: stringify!($name),
                fields: &[$($crate::flatbuffer::schema::Field {
                    name: stringify!($field),
                    slot: $slot,
                    kind: <$type as $crate::flatbuffer::schema::FieldType<$lt>>::KIND,
                }),*],
            };
            const ID: u8 = $id;

            fn from_table(table: $crate::flatbuffer::Table<$lt>) -> Self {
                Self(table)
            }

            fn table(self) -> $crate::flatbuffer::Table<$lt> {
                self.0
            }

            #[inline]
            #[allow(unused_variables, reason = "a table without fields uses none of them")]
            fn walk_fields<V: $crate::flatbuffer::walk::Visitor<$lt>>(
                walk: &mut $crate::flatbuffer::walk::Walk<$lt, V>,
                position: usize,
                fields: &$crate::flatbuffer::walk::Fields,
                path: $crate::flatbuffer::walk::Path<'_>,
            ) -> $crate::flatbuffer::walk::Flow {
                $(
                    let offset = usize::from(fields.offset($slot));
                    if offset != 0 {
                        <$type as $crate::flatbuffer::schema::FieldType<$lt>>::walk(
                            walk, fields, $slot, position + offset, path.field(stringify!($field)),
                        )?;
                    }
                )*
                Ok(())
            }
        }

        impl<$lt> $crate::flatbuffer::schema::FieldType<$lt> for $name<$lt> {
            const KIND: $crate::flatbuffer::schema::Kind =
                $crate::flatbuffer::schema::Kind::Table(<Self as $crate::flatbuffer::schema::TableView<$lt>>::TYPE);
            type View = Option<$name<$lt>>;

            fn read(
                table: $crate::flatbuffer::Table<$lt>,
                slot: u16,
            ) -> Result<Self::View, $crate::flatbuffer::Fault> {
                let Some(at) = table.field(slot) else { return Ok(None) };
                $crate::flatbuffer::Table::behind(table.buffer(), at).map(|table| Some($name(table)))
            }

            #[inline]
            fn walk<V: $crate::flatbuffer::walk::Visitor<$lt>>(
                walk: &mut $crate::flatbuffer::walk::Walk<$lt, V>,
                _: &$crate::flatbuffer::walk::Fields,
                _: usize,
                at: usize,
                path: $crate::flatbuffer::walk::Path<'_>,
            ) -> $crate::flatbuffer::walk::Flow {
                walk.table_behind::<$name<$lt>>(at, path)
            }
        }

        impl<$lt> $crate::flatbuffer::schema::Element<$lt> for $name<$lt> {
            const VECTOR: $crate::flatbuffer::schema::Kind =
                $crate::flatbuffer::schema::Kind::Tables(<Self as $crate::flatbuffer::schema::TableView<$lt>>::TYPE);
            const WIDTH: usize = 4;
            type Item = Result<$name<$lt>, $crate::flatbuffer::Fault>;

            fn load(buffer: &$lt [u8], at: usize) -> Self::Item {
                $crate::flatbuffer::Table::behind(buffer, at)
                    .map($name)
                    .map_err(|fault| fault.in_field(stringify!($name)))
            }

            #[inline]
            fn walk<V: $crate::flatbuffer::walk::Visitor<$lt>>(
                walk: &mut $crate::flatbuffer::walk::Walk<$lt, V>,
                first: usize,
                count: usize,
                path: $crate::flatbuffer::walk::Path<'_>,
            ) -> $crate::flatbuffer::walk::Flow {
                walk.tables::<$name<$lt>>(first, count, path)
            }
        }
    )*};
}
pub(crate) use tables;

/// Declares unions: `Tag => Value<'a> { tag Member, … }`, every member the name of a table.
macro_rules! unions {
    ($(
        $(#[$doc:meta])*
        $tag:ident => $value:ident<$lt:lifetime> { $($number:literal $member:ident,)* }
    )*) => {$(
        $(#[$doc])*
        ///
        /// Any byte can stand in a file: the tag is kept as it is, and 0 means that there is no value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        pub struct $tag(pub u8);

        impl $tag {
            $(#[doc = concat!("The tag of [`", stringify!($member), "`].")]
            #[allow(non_upper_case_globals, reason = "the schema's names")]
            pub const $member: $tag = $tag($number);)*

            /// The schema's name for the tag, if it has one.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                match self.0 {
                    0 => Some("NONE"),
                    $($number => Some(stringify!($member)),)*
                    _ => None,
                }
            }
        }

        #[doc = concat!("A value of the union that [`", stringify!($tag), "`] tells apart.")]
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum $value<$lt> {
            $(#[doc = concat!("A [`", stringify!($member), "`].")] $member($member<$lt>),)*
            /// A value of a tag that the schema does not know, which was not looked at.
            Unknown(u8),
        }

        impl<$lt> $crate::flatbuffer::schema::UnionTag<$lt> for $tag {
            const TYPE: &'static $crate::flatbuffer::schema::UnionType = &$crate::flatbuffer::schema::UnionType {
                name: stringify!($tag),
                members: &[$(<$member<'_> as $crate::flatbuffer::schema::TableView<'_>>::TYPE),*],
            };
            type Value = $value<$lt>;

            fn value(
                tag: u8,
                buffer: &$lt [u8],
                position: usize,
            ) -> Result<Self::Value, $crate::flatbuffer::Fault> {
                match tag {
                    $($number => $crate::flatbuffer::Table::at(buffer, position).map(|t| $value::$member($member(t))),)*
                    other => Ok($value::Unknown(other)),
                }
            }

            #[inline]
            fn walk_value<V: $crate::flatbuffer::walk::Visitor<$lt>>(
                walk: &mut $crate::flatbuffer::walk::Walk<$lt, V>,
                tag: u8,
                position: usize,
                path: $crate::flatbuffer::walk::Path<'_>,
            ) -> $crate::flatbuffer::walk::Flow {
                match tag {
                    $($number => walk.table::<$member<$lt>>(position, path),)*
                    _ => Ok(()),
                }
            }
        }

        impl<$lt> $crate::flatbuffer::schema::FieldType<$lt> for $tag {
            const KIND: $crate::flatbuffer::schema::Kind =
                $crate::flatbuffer::schema::Kind::Tag(<Self as $crate::flatbuffer::schema::UnionTag<$lt>>::TYPE);
            type View = $tag;

            fn read(table: $crate::flatbuffer::Table<$lt>, slot: u16) -> Result<Self, $crate::flatbuffer::Fault> {
                <u8 as $crate::flatbuffer::schema::FieldType<$lt>>::read(table, slot).map($tag)
            }

            #[inline]
            fn walk<V: $crate::flatbuffer::walk::Visitor<$lt>>(
                walk: &mut $crate::flatbuffer::walk::Walk<$lt, V>,
                fields: &$crate::flatbuffer::walk::Fields,
                slot: usize,
                at: usize,
                path: $crate::flatbuffer::walk::Path<'_>,
            ) -> $crate::flatbuffer::walk::Flow {
                walk.union::<$tag>(fields, slot, at, path)
            }
        }
    )*};
}
pub(crate) use unions;

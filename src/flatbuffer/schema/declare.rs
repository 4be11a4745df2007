//! Macros that declare the views, the descriptions and the verification code of a schema.

/// Declares enums whose values are stored as one signed byte. `#[since = "0.5.0"]` is the first ExecuTorch release that
/// has the enum; it applies to each value without its own `since`.
macro_rules! enums {
    ($(
        $(#[doc = $doc:literal])*
        #[since = $since:literal]
        $name:ident { $(
            $(#[doc = $value_doc:literal])*
            $(#[since = $value_since:literal])?
            $value:ident = $number:literal,
        )* }
    )*) => {$(
        $(#[doc = $doc])*
        ///
        /// A file may store any byte as the value, and unknown values are preserved.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub i8);

        impl $name {
            $($(#[doc = $value_doc])* pub const $value: $name = $name($number);)*
            /// The names and the values that the schema gives this enum.
            pub const TYPE: &'static $crate::flatbuffer::schema::EnumType = &$crate::flatbuffer::schema::EnumType {
                name: stringify!($name),
                values: &[$((stringify!($value), $number)),*],
            };
            /// The documentation of the values, in ascending order.
            #[cfg(feature = "schema")]
            #[doc(hidden)]
            pub const DOCS: &'static [$crate::flatbuffer::schema::ValueDoc] = &[$($crate::flatbuffer::schema::ValueDoc {
                doc: concat!($($value_doc),*),
                since: $crate::flatbuffer::schema::since($since, concat!($($value_since)?)),
            }),*];

            /// The schema's name for the value; `None` if it is unknown.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                Self::TYPE.name_of(self.0)
            }
        }

        #[cfg(feature = "alloc")]
        impl From<$name> for $crate::flatbuffer::tree::FieldValue {
            fn from(value: $name) -> Self {
                value.0.into()
            }
        }

        impl<'a> $crate::flatbuffer::schema::FieldType<'a> for $name {
            const KIND: $crate::flatbuffer::schema::Kind = $crate::flatbuffer::schema::Kind::Enum($name::TYPE);
            type View = $name;
            type Found = $name;

            #[inline]
            fn found(buffer: &'a [u8], at: Option<usize>) -> $name {
                $name(<i8 as $crate::flatbuffer::schema::FieldType<'a>>::found(buffer, at))
            }

            fn read(table: $crate::flatbuffer::Table<'a>, slot: u16) -> Result<Self, $crate::flatbuffer::Fault> {
                <i8 as $crate::flatbuffer::schema::FieldType<'a>>::read(table, slot).map($name)
            }

            type Brief = $name;

            fn brief(table: $crate::flatbuffer::Table<'a>, slot: u16) -> Result<Self, $crate::flatbuffer::Broken> {
                <i8 as $crate::flatbuffer::schema::FieldType<'a>>::brief(table, slot).map($name)
            }
        }
    )*};
}
pub(crate) use enums;

/// Declares tables: `Name<'a> = id { slot name: Type, … }`. `#[since = "0.6.0"]` is the first ExecuTorch release that
/// has the table; it applies to each field without its own `since`. `#[writer = "…"]` says who writes a field and when.
/// By default, the exporter omits numbers that are 0 and always writes fields of other types; a test checks this with
/// official files.
macro_rules! tables {
    ($(
        $(#[doc = $doc:literal])*
        #[since = $since:literal]
        $name:ident<$lt:lifetime> = $id:literal { $(
            $(#[doc = $field_doc:literal])*
            $(#[since = $field_since:literal])?
            $(#[writer = $writer:literal])?
            $slot:literal $field:ident: $type:ty,
        )* }
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<$lt>($crate::flatbuffer::Table<$lt>);

        impl<$lt> $name<$lt> {
            $(
                $(#[doc = $field_doc])*
                ///
                /// # Errors
                ///
                /// Returns the fault if the access fails.
                pub fn $field(
                    self,
                ) -> Result<<$type as $crate::flatbuffer::schema::FieldType<$lt>>::View, $crate::flatbuffer::Fault> {
                    <$type as $crate::flatbuffer::schema::FieldType<$lt>>::read(self.0, $slot)
                        .map_err(|fault| fault.in_field(concat!(stringify!($name), ".", stringify!($field))))
                }
            )*
        }

        #[allow(dead_code, reason = "checks read only some fields of most tables")]
        impl<$lt> $crate::flatbuffer::schema::Brief<$name<$lt>> {
            $(
                pub(crate) fn $field(
                    self,
                ) -> Result<<$type as $crate::flatbuffer::schema::FieldType<$lt>>::Brief, $crate::flatbuffer::Broken> {
                    <$type as $crate::flatbuffer::schema::FieldType<$lt>>::brief(self.0.0, $slot)
                }
            )*
        }

        #[allow(dead_code, reason = "checks read only some fields of most tables")]
        impl<$lt> $crate::flatbuffer::walk::VisitedTable<'_, $lt, $crate::flatbuffer::schema::Brief<$name<$lt>>> {
            $(
                #[inline]
                pub(crate) fn $field(&self) -> <$type as $crate::flatbuffer::schema::FieldType<$lt>>::Found {
                    <$type as $crate::flatbuffer::schema::FieldType<$lt>>::found(self.table().buffer(), self.at($slot))
                }
            )*
        }

        impl<$lt> $crate::flatbuffer::schema::TableView<$lt> for $name<$lt> {
            const TYPE: &'static $crate::flatbuffer::schema::TableType = &$crate::flatbuffer::schema::TableType::new(
                stringify!($name),
                $id,
                &[$($crate::flatbuffer::schema::Field {
                    name: stringify!($field),
                    slot: $slot,
                    kind: <$type as $crate::flatbuffer::schema::FieldType<$lt>>::KIND,
                }),*],
            );
            const ID: u8 = $id;

            fn from_table(table: $crate::flatbuffer::Table<$lt>) -> Self {
                Self(table)
            }

            fn table(self) -> $crate::flatbuffer::Table<$lt> {
                self.0
            }
        }

        impl<$lt> $crate::flatbuffer::schema::FieldType<$lt> for $name<$lt> {
            const KIND: $crate::flatbuffer::schema::Kind =
                $crate::flatbuffer::schema::Kind::Table(<Self as $crate::flatbuffer::schema::TableView<$lt>>::TYPE);
            type View = Option<$name<$lt>>;
            type Found = $crate::flatbuffer::walk::Child<$lt, $crate::flatbuffer::schema::Brief<$name<$lt>>>;

            #[inline]
            fn found(buffer: &$lt [u8], at: Option<usize>) -> Self::Found {
                $crate::flatbuffer::walk::Child::new(buffer, at)
            }

            fn read(
                table: $crate::flatbuffer::Table<$lt>,
                slot: u16,
            ) -> Result<Self::View, $crate::flatbuffer::Fault> {
                Ok(table.child(slot)?.map($name))
            }

            type Brief = Option<$crate::flatbuffer::schema::Brief<$name<$lt>>>;

            fn brief(
                table: $crate::flatbuffer::Table<$lt>,
                slot: u16,
            ) -> Result<Self::Brief, $crate::flatbuffer::Broken> {
                Ok(table.child(slot)?.map(|table| $crate::flatbuffer::schema::Brief($name(table))))
            }
        }

        impl<$lt> $crate::flatbuffer::schema::Element<$lt> for $name<$lt> {
            const VECTOR: $crate::flatbuffer::schema::Kind =
                $crate::flatbuffer::schema::Kind::Tables(<Self as $crate::flatbuffer::schema::TableView<$lt>>::TYPE);
            const WIDTH: usize = 4;
            type Item = Result<$name<$lt>, $crate::flatbuffer::Fault>;
            type Brief = $crate::flatbuffer::schema::Brief<Self>;

            fn load(buffer: &$lt [u8], at: usize) -> Self::Item {
                $crate::flatbuffer::Table::follow(buffer, at)
                    .map($name)
                    .map_err(|fault| fault.in_field(stringify!($name)))
            }
        }
    )*

        /// The views of all tables for the checker.
        #[allow(unused, reason = "checks read only some tables")]
        pub(crate) mod brief {
            $(pub(crate) type $name<$lt> = $crate::flatbuffer::schema::Brief<super::$name<$lt>>;)*
        }

        /// The documentation of every table of this schema.
        #[cfg(feature = "schema")]
        #[doc(hidden)]
        pub static TABLE_DOCS: &[$crate::flatbuffer::schema::TableDoc] = &[$($crate::flatbuffer::schema::TableDoc {
            ty: <$name<'static> as $crate::flatbuffer::schema::TableView<'static>>::TYPE,
            doc: concat!($($doc),*),
            fields: &[$($crate::flatbuffer::schema::FieldDoc {
                doc: concat!($($field_doc),*),
                since: $crate::flatbuffer::schema::since($since, concat!($($field_since)?)),
                writer: concat!($($writer)?),
            }),*],
        }),*];

        /// The id and type of every table.
        #[cfg(test)]
        pub(crate) const TABLES: &[(u8, &$crate::flatbuffer::schema::TableType)] = &[$((
            <$name<'static> as $crate::flatbuffer::schema::TableView<'static>>::ID,
            <$name<'static> as $crate::flatbuffer::schema::TableView<'static>>::TYPE,
        )),*];
    };
}
pub(crate) use tables;

/// Declares unions: `Tag => Value<'a> { tag Member, … }`. Every member is the name of a table.
macro_rules! unions {
    ($(
        $(#[$doc:meta])*
        $tag:ident => $value:ident<$lt:lifetime> { $($number:literal $member:ident,)* }
    )*) => {$(
        $(#[$doc])*
        ///
        /// A file may store any byte as the tag, and unknown tags are preserved. Tag 0 means no value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        pub struct $tag(pub u8);

        impl $tag {
            $(#[doc = concat!("The tag of [`", stringify!($member), "`].")]
            #[allow(non_upper_case_globals, reason = "the schema's names")]
            pub const $member: $tag = $tag($number);)*

            /// The schema's name for the tag; `None` if it is unknown.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                match self.0 {
                    0 => Some("NONE"),
                    $($number => Some(stringify!($member)),)*
                    _ => None,
                }
            }
        }

        #[cfg(feature = "alloc")]
        impl From<$tag> for $crate::flatbuffer::tree::FieldValue {
            fn from(value: $tag) -> Self {
                value.0.into()
            }
        }

        #[doc = concat!("A value of the union that [`", stringify!($tag), "`] names.")]
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum $value<$lt> {
            $(#[doc = concat!("A [`", stringify!($member), "`].")] $member($member<$lt>),)*
            /// A value with an unknown tag, which is not read.
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
                let table = $crate::flatbuffer::Table::at(buffer, position);
                Ok(match tag {
                    $($number => $value::$member($member(table?)),)*
                    other => $value::Unknown(other),
                })
            }

            type BriefValue = brief_values::$value<$lt>;

            fn brief_value(
                tag: u8,
                buffer: &$lt [u8],
                position: usize,
            ) -> Result<Self::BriefValue, $crate::flatbuffer::Broken> {
                let table = $crate::flatbuffer::Table::open(buffer, position);
                Ok(match tag {
                    $($number => brief_values::$value::$member($crate::flatbuffer::schema::Brief($member(table?))),)*
                    _ => brief_values::$value::Unknown,
                })
            }
        }

        impl<$lt> $crate::flatbuffer::schema::FieldType<$lt> for $tag {
            const KIND: $crate::flatbuffer::schema::Kind =
                $crate::flatbuffer::schema::Kind::Tag(<Self as $crate::flatbuffer::schema::UnionTag<$lt>>::TYPE);
            type View = $tag;
            type Found = $tag;

            #[inline]
            fn found(buffer: &$lt [u8], at: Option<usize>) -> $tag {
                $tag(<u8 as $crate::flatbuffer::schema::FieldType<$lt>>::found(buffer, at))
            }

            fn read(table: $crate::flatbuffer::Table<$lt>, slot: u16) -> Result<Self, $crate::flatbuffer::Fault> {
                <u8 as $crate::flatbuffer::schema::FieldType<$lt>>::read(table, slot).map($tag)
            }

            type Brief = $tag;

            fn brief(table: $crate::flatbuffer::Table<$lt>, slot: u16) -> Result<Self, $crate::flatbuffer::Broken> {
                <u8 as $crate::flatbuffer::schema::FieldType<$lt>>::brief(table, slot).map($tag)
            }
        }
    )*

        /// The values of all unions for the checker.
        #[allow(unused, reason = "checks read only some values")]
        pub(crate) mod brief_values {
            $(#[derive(Clone, Copy, Debug)]
            pub enum $value<$lt> {
                $($member(super::brief::$member<$lt>),)*
                Unknown,
            })*
        }
    };
}
pub(crate) use unions;

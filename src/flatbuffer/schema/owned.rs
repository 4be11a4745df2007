//! The declarations' owned side: macros that write a schema's tables and unions as structs and enums that own what they hold.
//!
//! They are fed by [`tables`](super::tables) and [`unions`](super::unions), so that a field is declared once.

/// Declares the owned structs of a schema's tables, as the module `owned_tables`.
macro_rules! owned_tables {
    ($((from $($segment:ident)::+ use $shared:ident))? $(
        $(#[$doc:meta])*
        $name:ident<$lt:lifetime> = $id:literal { $($fields:tt)* }
    )*) => {
        pub(crate) mod owned_tables {
            use super::*;
            $(use $($segment)::+::owned_tables::$shared;)?

            $($crate::flatbuffer::schema::owned_table! { [$(#[$doc])*] $name [] $($fields)* })*
        }
    };
}
pub(crate) use owned_tables;

/// Declares one owned struct: gathers the fields, a union's tag with its value, as `{ [docs] slot field [tag] [type] }`.
macro_rules! owned_table {
    (
        $docs:tt $name:ident [$($done:tt)*]
        $(#[$tag_doc:meta])* $tag_slot:literal $tag:ident: $tag_type:ident,
        $(#[$doc:meta])* $slot:literal $field:ident: Of<$union:ident>,
        $($rest:tt)*
    ) => {
        $crate::flatbuffer::schema::owned_table! {
            $docs $name [$($done)* { [$(#[$doc])*] $slot $field [$tag] [Of<$union>] }] $($rest)*
        }
    };
    (
        $docs:tt $name:ident [$($done:tt)*]
        $(#[$doc:meta])* $slot:literal $field:ident: $ty:tt $(<$of:tt>)?,
        $($rest:tt)*
    ) => {
        $crate::flatbuffer::schema::owned_table! {
            $docs $name [$($done)* { [$(#[$doc])*] $slot $field [] [$ty $(<$of>)?] }] $($rest)*
        }
    };
    (
        [$(#[$doc:meta])*] $name:ident
        [$({ [$(#[$field_doc:meta])*] $slot:literal $field:ident [$($tag:ident)?] [$($ty:tt)+] })*]
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $crate::flatbuffer::schema::owned_type!($($ty)+),)*
        }

        impl PartialEq for $name {
            #[allow(unused_variables, reason = "a table without fields uses neither")]
            fn eq(&self, other: &Self) -> bool {
                true $(&& $crate::flatbuffer::model::Owned::same(&self.$field, &other.$field))*
            }
        }

        impl Eq for $name {}

        impl $name {
            #[doc = concat!("Copies a [view](super::", stringify!($name), ") and all that it leads to.")]
            ///
            /// A table that is referred to twice is there twice; `limits` bounds how many tables there are, and how many bytes
            /// they take in memory.
            ///
            /// # Errors
            ///
            /// The first fault that an access met, or [`ErrorCode::Limit`](crate::ErrorCode::Limit).
            pub fn from_view(view: super::$name<'_>, limits: $crate::Limits) -> Result<Self, $crate::Error> {
                $crate::flatbuffer::model::from_view(view, limits)
            }

            /// The table as a tree, to be encoded. What is 0, false or absent is left out.
            #[must_use]
            pub fn to_tree(&self) -> $crate::flatbuffer::tree::TableTree {
                $crate::flatbuffer::model::tree_of(self)
            }

            /// Encodes the table as the root of a FlatBuffer, the same as its tree's: nothing of what it says is checked.
            ///
            /// # Errors
            ///
            /// As [`Builder::encode`](crate::flatbuffer::build::Builder::encode).
            pub fn encode(
                &self,
                builder: &$crate::flatbuffer::build::Builder,
            ) -> Result<alloc::vec::Vec<u8>, $crate::flatbuffer::build::BuildError> {
                builder.encode_any(self)
            }
        }

        impl $crate::flatbuffer::model::Model for $name {
            type View<'a> = super::$name<'a>;

            #[allow(unused_variables, reason = "a table without fields uses neither")]
            fn read(
                view: super::$name<'_>,
                budget: &mut $crate::flatbuffer::model::Budget,
            ) -> Result<Self, $crate::Error> {
                Ok(Self {
                    $($field: $crate::flatbuffer::schema::owned_read!(
                        view budget concat!(stringify!($name), ".", stringify!($field)), $field [$($tag)?] $($ty)+
                    ),)*
                })
            }
        }

        impl $crate::flatbuffer::encodable::Encodable for $name {
            const TYPED: bool = true;

            fn ty(&self) -> &'static $crate::flatbuffer::schema::TableType {
                const { $crate::flatbuffer::model::type_of::<Self>() }
            }

            #[allow(unused_variables, reason = "a table without fields has nothing to tell")]
            fn tell(&self, sink: &mut impl $crate::flatbuffer::encodable::Sink) -> $crate::flatbuffer::encodable::Told {
                let ty = self.ty();
                $($crate::flatbuffer::model::Owned::tell(&self.$field, ty, $slot, sink)?;)*
                Ok(())
            }
        }
    };
}
pub(crate) use owned_table;

/// The owned type of a field.
macro_rules! owned_type {
    (str) => { Option<$crate::flatbuffer::model::Text> };
    (Of<$union:ident>) => { Option<super::owned_unions::$union> };
    (AlignedBytes<$alignment:literal>) => { Option<alloc::vec::Vec<u8>> };
    ([$element:ident $(<$lt:lifetime>)?]) => { Option<alloc::vec::Vec<$element>> };
    ($table:ident<$lt:lifetime>) => { Option<$table> };
    ($number:ident) => { $number };
}
pub(crate) use owned_type;

/// A field of a view, read as its owned type; `place` is what an error calls it.
macro_rules! owned_read {
    ($view:ident $budget:ident $place:expr, $field:ident [$tag:ident] Of<$union:ident>) => {
        super::owned_unions::$union::read($view.$tag()?, $view.$field()?, $budget)?
    };
    ($view:ident $budget:ident $place:expr, $field:ident [] str) => {
        $budget.text($view.$field()?, $place)?
    };
    ($view:ident $budget:ident $place:expr, $field:ident [] AlignedBytes<$alignment:literal>) => {
        $budget.numbers($view.$field()?, $place)?
    };
    ($view:ident $budget:ident $place:expr, $field:ident [] [$element:ident]) => {
        $budget.numbers($view.$field()?, $place)?
    };
    ($view:ident $budget:ident $place:expr, $field:ident [] [$element:ident<$lt:lifetime>]) => {
        $budget.tables($view.$field()?, $place)?
    };
    ($view:ident $budget:ident $place:expr, $field:ident [] $table:ident<$lt:lifetime>) => {
        $budget.table($view.$field()?)?
    };
    ($view:ident $budget:ident $place:expr, $field:ident [] $number:ident) => {
        $view.$field()?
    };
}
pub(crate) use owned_read;

/// Declares the owned enums of a schema's unions, as the module `owned_unions`.
macro_rules! owned_unions {
    ($(
        $(#[$doc:meta])*
        $tag:ident => $value:ident<$lt:lifetime> { $($number:literal $member:ident,)* }
    )*) => {
        pub(crate) mod owned_unions {
            $(
                #[doc = concat!("A value of the union [`", stringify!($tag), "`](super::", stringify!($tag), ").")]
                #[derive(Clone, Debug, PartialEq, Eq)]
                #[non_exhaustive]
                pub enum $tag {
                    $(
                        #[doc = concat!("A [`", stringify!($member), "`](super::owned_tables::", stringify!($member), ").")]
                        $member(super::owned_tables::$member),
                    )*
                    /// A value of a tag that the schema does not know. What it is, is not kept: an empty table is written.
                    Unknown(u8),
                    /// A tag alone. A member without fields may be left out of the file; of any other its reader wants the value.
                    Absent(u8),
                }

                impl $tag {
                    pub(crate) fn read(
                        tag: super::$tag,
                        value: Option<super::$value<'_>>,
                        budget: &mut $crate::flatbuffer::model::Budget,
                    ) -> Result<Option<Self>, $crate::Error> {
                        Ok(Some(match value {
                            None if tag.0 == 0 => return Ok(None),
                            None => Self::Absent(tag.0),
                            $(Some(super::$value::$member(view)) => Self::$member(budget.member(view)?),)*
                            Some(super::$value::Unknown(tag)) => Self::Unknown(tag),
                        }))
                    }
                }

                $(impl From<super::owned_tables::$member> for $tag {
                    fn from(member: super::owned_tables::$member) -> Self {
                        $tag::$member(member)
                    }
                })*

                impl $crate::flatbuffer::model::Owned for Option<$tag> {
                    fn same(&self, other: &Self) -> bool {
                        self == other
                    }

                    fn tell(
                        &self,
                        ty: &'static $crate::flatbuffer::schema::TableType,
                        slot: usize,
                        sink: &mut impl $crate::flatbuffer::encodable::Sink,
                    ) -> $crate::flatbuffer::encodable::Told {
                        use $crate::flatbuffer::model::tell_number;
                        // The tag is in the slot before.
                        let [tag_field, field] = [&ty.fields[slot - 1], &ty.fields[slot]];
                        match self {
                            None => Ok(()),
                            $(Some($tag::$member(member)) => {
                                tell_number(u8::from($number), tag_field, sink)?;
                                sink.table(field, member)
                            })*
                            Some($tag::Unknown(tag)) => {
                                tell_number(*tag, tag_field, sink)?;
                                sink.opaque(field)
                            }
                            Some($tag::Absent(tag)) => tell_number(*tag, tag_field, sink),
                        }
                    }
                }
            )*
        }
    };
}
pub(crate) use owned_unions;

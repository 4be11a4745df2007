//! **Tables that own what they hold**, one struct for each table of a schema: what the typed models are made of.
//!
//! The structs themselves are in [`pte::model`](crate::pte::model), [`ptd::model`](crate::ptd::model) and
//! [`bundled::model`](crate::bundled::model). Their fields have the schema's names and order:
//!
//! | in the schema | in a struct |
//! |---|---|
//! | number, bool, enum | itself; 0 and false are also what an absent one reads as |
//! | string | `Option<`[`Text`]`>` |
//! | vector | `Option<Vec<_>>`: an absent one and an empty one differ |
//! | table | `Option` of its struct |
//! | union | `Option` of an enum with a variant for each member; the tag is the variant's |
//!
//! A model holds what the schema knows: slots of a newer one are left behind. Two are equal when all their fields are, doubles
//! bit by bit.

use alloc::string::String;
use alloc::vec::Vec;
use core::convert::identity;
use core::fmt;

use super::encodable::{Encodable, Encoded, Sink, Told};
use super::schema::{Element, Field, Scalar, TableType, TableView};
use super::tree::{Number, TableTree};
use super::{Fault, Str, Vector};
use crate::{Error, ErrorCode, Limit, Limits, Span, Stage};

/// A string of a file: bytes that ought to be UTF-8, and in a file can be any.
///
/// It is made from text or from bytes, and compares with both.
///
/// ```
/// use torchproof::pte::model::Text;
///
/// let name = Text::from("forward");
/// assert_eq!(name, "forward");
/// assert_eq!(name.to_str(), Ok("forward"));
/// assert_eq!(Text::from(vec![b'a', 0xff]).to_string(), r"a\xff");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Text(Vec<u8>);

impl Text {
    /// The bytes, without the zero byte that stands behind them in a file.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, if it is UTF-8.
    ///
    /// # Errors
    ///
    /// What [`core::str::from_utf8`] says of it.
    pub fn to_str(&self) -> Result<&str, core::str::Utf8Error> {
        core::str::from_utf8(&self.0)
    }

    /// The bytes, owned.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text(text.as_bytes().to_vec())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text(text.into_bytes())
    }
}

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Self {
        Text(bytes.to_vec())
    }
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Self {
        Text(bytes)
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl fmt::Display for Text {
    /// Writes the text with what is not printable escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.escape_ascii().fmt(f)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

/// A struct that owns a table.
pub(crate) trait Model: Encodable + Eq + Sized {
    /// The table's view.
    type View<'a>: TableView<'a>;

    /// Copies a view.
    fn read(view: Self::View<'_>, budget: &mut Budget) -> Result<Self, Error>;
}

/// The table's type.
pub(crate) const fn type_of<M: Model>() -> &'static TableType {
    <M::View<'static> as TableView<'static>>::TYPE
}

/// The table as a tree.
pub(crate) fn tree_of<M: Model>(model: &M) -> TableTree {
    TableTree::of(model)
}

/// Copies a view within limits that count from the buffer that it is in.
pub(crate) fn from_view<M: Model>(view: M::View<'_>, limits: Limits) -> Result<M, Error> {
    let bytes = limits.apparent_size_of(view.table().buffer().len());
    let mut budget = Budget { tables: limits.tables, bytes };
    budget.spend::<M>(1, view.table().span(), <M::View<'static> as TableView<'static>>::TYPE.name)?;
    M::read(view, &mut budget)
}

/// What a copy may still take.
#[derive(Debug)]
pub(crate) struct Budget {
    tables: u32,
    /// In memory.
    bytes: u64,
}

impl Budget {
    /// Pays for `count` values.
    fn spend<T>(&mut self, count: usize, span: Span, field: &'static str) -> Result<(), Error> {
        let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
        let left = self.bytes.checked_sub(bytes).ok_or_else(|| passed(Limit::ApparentSize, span, field))?;
        self.bytes = left;
        Ok(())
    }

    fn visit<M: Model>(&mut self, view: M::View<'_>) -> Result<M, Error> {
        let name = <M::View<'static> as TableView<'static>>::TYPE.name;
        let left = self.tables.checked_sub(1);
        self.tables = left.ok_or_else(|| passed(Limit::Tables, view.table().span(), name))?;
        M::read(view, self)
    }

    pub(crate) fn text(&mut self, text: Option<Str<'_>>, field: &'static str) -> Result<Option<Text>, Error> {
        let Some(text) = text else { return Ok(None) };
        self.spend::<u8>(text.as_bytes().len(), text.span(), field)?;
        Ok(Some(text.as_bytes().into()))
    }

    pub(crate) fn numbers<'a, T: Element<'a, Item = T> + 'a>(
        &mut self,
        numbers: Option<Vector<'a, T>>,
        field: &'static str,
    ) -> Result<Option<Vec<T>>, Error> {
        let Some(numbers) = numbers else { return Ok(None) };
        self.spend::<T>(numbers.len(), numbers.span(), field)?;
        Ok(Some(numbers.iter().collect()))
    }

    pub(crate) fn table<M: Model>(&mut self, table: Option<M::View<'_>>) -> Result<Option<M>, Error> {
        // Its memory is part of what holds it.
        table.map(|table| self.visit(table)).transpose()
    }

    /// A union's value, whose memory is part of what holds it.
    pub(crate) fn member<M: Model>(&mut self, member: M::View<'_>) -> Result<M, Error> {
        self.visit(member)
    }

    pub(crate) fn tables<'a, M: Model>(
        &mut self,
        tables: Option<Vector<'a, M::View<'a>>>,
        field: &'static str,
    ) -> Result<Option<Vec<M>>, Error>
    where
        M::View<'a>: Element<'a, Item = Result<M::View<'a>, Fault>>,
    {
        let Some(tables) = tables else { return Ok(None) };
        self.spend::<M>(tables.len(), tables.span(), field)?;
        tables.iter().map(|table| self.visit(table?)).collect::<Result<_, _>>().map(Some)
    }
}

#[cold]
fn passed(limit: Limit, span: Span, field: &'static str) -> Error {
    Error::new(ErrorCode::Limit(limit), Stage::Meta, span, field)
}

/// What a field of a model holds.
pub(crate) trait Owned {
    /// Whether both would be written the same.
    fn same(&self, other: &Self) -> bool;

    /// Tells the field in this slot, unless it has nothing to say; every slot of a schema has a field.
    fn tell(&self, ty: &'static TableType, slot: usize, sink: &mut impl Sink) -> Told;
}

/// Tells a number, unless it is what an absent one reads as.
pub(crate) fn tell_number<T: Number>(number: T, field: &'static Field, sink: &mut impl Sink) -> Told {
    match number.to_le() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Ok(()),
        bytes => sink.number(field, T::SCALAR, bytes),
    }
}

impl Owned for Option<Text> {
    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn tell(&self, ty: &'static TableType, slot: usize, sink: &mut impl Sink) -> Told {
        self.as_ref().map_or(Ok(()), |text| sink.string(&ty.fields[slot], &text.0))
    }
}

impl<M: Model> Owned for Option<M> {
    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn tell(&self, ty: &'static TableType, slot: usize, sink: &mut impl Sink) -> Told {
        self.as_ref().map_or(Ok(()), |table| sink.table(&ty.fields[slot], table))
    }
}

impl<T: Item> Owned for Option<Vec<T>> {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(own), Some(other)) => own.len() == other.len() && own.iter().zip(other).all(|(a, b)| a.same_item(b)),
            (own, other) => own.is_none() && other.is_none(),
        }
    }

    fn tell(&self, ty: &'static TableType, slot: usize, sink: &mut impl Sink) -> Told {
        self.as_ref().map_or(Ok(()), |items| T::tell_all(items, &ty.fields[slot], sink))
    }
}

/// An element of a vector.
pub(crate) trait Item: Sized {
    /// Whether both would be written the same.
    fn same_item(&self, other: &Self) -> bool;

    /// Tells the vector of these.
    fn tell_all(items: &[Self], field: &'static Field, sink: &mut impl Sink) -> Told;
}

impl<M: Model> Item for M {
    fn same_item(&self, other: &Self) -> bool {
        self == other
    }

    fn tell_all(items: &[Self], field: &'static Field, sink: &mut impl Sink) -> Told {
        sink.tables(field, items)
    }
}

impl Item for u8 {
    fn same_item(&self, other: &Self) -> bool {
        self == other
    }

    /// Blobs can be large, so they are copied whole.
    fn tell_all(items: &[Self], field: &'static Field, sink: &mut impl Sink) -> Told {
        sink.elements(field, &Encoded(Scalar::U8, items))
    }
}

macro_rules! items {
    ($($number:ty)*) => {$(
        impl Item for $number {
            fn same_item(&self, other: &Self) -> bool {
                self.same(other)
            }

            fn tell_all(items: &[Self], field: &'static Field, sink: &mut impl Sink) -> Told {
                sink.elements(field, &items)
            }
        }
    )*};
}

items! { bool i32 i64 u64 f64 }

macro_rules! numbers {
    ($($number:path: $written:expr;)*) => {$(
        impl Owned for $number {
            fn same(&self, other: &Self) -> bool {
                let written = $written;
                Number::to_le(written(*self)) == Number::to_le(written(*other))
            }

            fn tell(&self, ty: &'static TableType, slot: usize, sink: &mut impl Sink) -> Told {
                let written = $written;
                tell_number(written(*self), &ty.fields[slot], sink)
            }
        }
    )*};
}

numbers! {
    bool: identity::<bool>;
    i8: identity::<i8>;
    i32: identity::<i32>;
    u32: identity::<u32>;
    i64: identity::<i64>;
    u64: identity::<u64>;
    f64: identity::<f64>;
    crate::ScalarType: |value: Self| value.0;
    crate::pte::schema::TensorShapeDynamism: |value: Self| value.0;
    crate::pte::schema::TensorDataLocation: |value: Self| value.0;
    crate::pte::schema::DeviceType: |value: Self| value.0;
    crate::pte::schema::DataLocation: |value: Self| value.0;
}

#[cfg(all(test, feature = "std"))]
mod tests;

//! **A FlatBuffer as an owned tree**: the one owned representation of a file, which [`encode`](super::encode) writes.
//!
//! A tree can hold what no writer writes: unknown tags, bools above 1, a tag without its value. An absent field and a zero
//! differ. A table that two offsets lead to is in the tree twice. Positions are the encoder's and not in the tree.
//!
//! ```
//! use torchproof::ScalarType;
//! use torchproof::flatbuffer::encode;
//! use torchproof::flatbuffer::schema::TableView;
//! use torchproof::flatbuffer::tree::TableTree;
//! use torchproof::pte::schema::{EValue, ExecutionPlan, Program, Tensor};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tensor = TableTree::new(Tensor::TYPE)
//!     .with("scalar_type", ScalarType::FLOAT)
//!     .with("sizes", [2, 3])
//!     .with("dim_order", [0, 1]);
//! let plan = TableTree::new(ExecutionPlan::TYPE)
//!     .with("name", "forward")
//!     .with("values", [TableTree::new(EValue::TYPE).with("val", tensor)]); // the value brings its tag
//! let program = TableTree::new(Program::TYPE).with("execution_plan", [plan]);
//! let bytes = encode(&program, torchproof::pte::IDENTIFIER)?;
//! let back = TableTree::read(torchproof::flatbuffer::Table::root(&bytes)?, Program::TYPE)?;
//! assert_eq!(back, program);
//! # Ok(()) }
//! ```

#[cfg(all(test, feature = "std"))]
pub(crate) mod random;
mod value;

pub use value::Value;
#[cfg(feature = "json")]
pub(crate) use value::is_not;
pub(crate) use value::{Repr, check_type};

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::schema::{Field, FieldType, Kind, Scalar, TableType};
use super::table::{reference, vector};
use super::{Fault, Table};
use crate::write_error::{WriteCause, WriteError};

/// A table with its fields, owned.
///
/// Every field that is set will be written, zero or not; [`TableTree::elide_defaults`] drops the zeros. A mistake in
/// [`TableTree::with`] is kept in the tree and returned by the encoder, so that a tree can be written as one expression.
#[derive(Clone)]
pub struct TableTree {
    ty: &'static TableType,
    /// In slot order, one entry a slot.
    fields: Vec<(&'static Field, Value)>,
    mistake: Option<Box<WriteError>>,
}

impl TableTree {
    /// A table of this type with no field set.
    #[must_use]
    pub const fn new(ty: &'static TableType) -> Self {
        Self { ty, fields: Vec::new(), mistake: None }
    }

    /// The table's type.
    #[must_use]
    pub const fn ty(&self) -> &'static TableType {
        self.ty
    }

    /// The same table with a field set as by [`TableTree::set`].
    ///
    /// The first mistake is kept, and is what encoding the tree returns; see [`TableTree::mistake`].
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.assign(field, value);
        self
    }

    /// As [`TableTree::with`], in place.
    pub(crate) fn assign(&mut self, field: &str, value: impl Into<Value>) {
        if let Err(error) = self.set(field, value) {
            self.mistake.get_or_insert_with(|| Box::new(error));
        }
    }

    /// The same table without a field; a field that the type does not have is a mistake, one that is not set is none.
    #[must_use]
    pub fn without(mut self, field: &str) -> Self {
        if self.ty.field(field).is_some() {
            self.remove(field);
        } else {
            let error = unknown_field(self.ty, field);
            self.mistake.get_or_insert_with(|| Box::new(error));
        }
        self
    }

    /// Sets or replaces a field.
    ///
    /// | field | accepted values |
    /// |---|---|
    /// | integer | an integer of any type that fits |
    /// | bool | a bool, or any byte |
    /// | enum, union tag | a byte, known or not, or a name |
    /// | string, vector of bytes | text or bytes |
    /// | vector of numbers | numbers by the same rules |
    ///
    /// Setting the value of a union also sets its tag. For a tag that does not belong to the value, set the tag afterwards.
    ///
    /// ```
    /// use torchproof::flatbuffer::schema::TableView;
    /// use torchproof::flatbuffer::tree::{TableTree, Value};
    /// use torchproof::pte::schema::{EValue, Int};
    ///
    /// # fn main() -> Result<(), torchproof::write::WriteError> {
    /// let mut value = TableTree::new(EValue::TYPE);
    /// value.set("val", TableTree::new(Int::TYPE).with("int_val", 7))?;
    /// assert_eq!(value.get("val_type").and_then(Value::as_int), Some(2)); // an `Int`
    /// let error = value.set("val", 7).unwrap_err();
    /// assert_eq!(error.path(), "EValue.val");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the type has no such field, or the field cannot hold the value; the table is then unchanged.
    pub fn set(&mut self, field: &str, value: impl Into<Value>) -> Result<(), WriteError> {
        let known = self.ty.field(field).ok_or_else(|| unknown_field(self.ty, field))?;
        let error = |message| field_error(self.ty, known, message);
        let value = value.into().fit(known.kind).map_err(error)?;
        if let (Kind::Union(union), Value(Repr::Table(table))) = (known.kind, &value) {
            let index = union.members.iter().position(|member| same_type(member, table.ty));
            let tag = index.and_then(|index| u8::try_from(index + 1).ok());
            let tag = tag.ok_or_else(|| error(format!("the union {} has no member {}", union.name, table.ty.name)))?;
            if let Some(tag_field) = self.ty.fields.iter().find(|other| other.slot + 1 == known.slot) {
                self.put(tag_field, Value::from(tag));
            }
        }
        self.put(known, value);
        Ok(())
    }

    /// Sets a field of the table's own type to a value as that field keeps it.
    pub(crate) fn put(&mut self, field: &'static Field, value: Value) {
        match self.fields.binary_search_by_key(&field.slot, |(own, _)| own.slot) {
            Ok(index) => self.fields[index].1 = value,
            Err(index) => self.fields.insert(index, (field, value)),
        }
    }

    /// Takes a field out; `None` when it is not set. The tag of a union is a field of its own.
    pub fn remove(&mut self, field: &str) -> Option<Value> {
        let index = self.fields.iter().position(|(own, _)| own.name == field)?;
        Some(self.fields.remove(index).1)
    }

    /// What a field holds; `None` when it is not set.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields().find(|(own, _)| own.name == field).map(|(_, value)| value)
    }

    /// The fields that are set, in slot order.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = (&'static Field, &Value)> + Clone + '_ {
        self.fields.iter().map(|(field, value)| (*field, value))
    }

    /// The table in a field, to be changed; `None` when the field is not set or holds no table.
    #[must_use]
    pub fn table_mut(&mut self, field: &str) -> Option<&mut TableTree> {
        match self.value_mut(field)? {
            Value(Repr::Table(table)) => Some(table),
            _ => None,
        }
    }

    /// The tables of a vector, to be changed; `None` when the field is not set or holds no vector of tables.
    ///
    /// The encoder checks that all are of the type that the field takes.
    #[must_use]
    pub fn tables_mut(&mut self, field: &str) -> Option<&mut Vec<TableTree>> {
        match self.value_mut(field)? {
            Value(Repr::Tables(tables)) => Some(tables),
            _ => None,
        }
    }

    /// The table in a field, to be changed; an empty one is put into a field that is not set.
    pub(crate) fn table_or_insert(&mut self, field: &str) -> Option<&mut TableTree> {
        let known = self.ty.field(field)?;
        if let (None, Kind::Table(ty)) = (self.get(field), known.kind) {
            self.put(known, TableTree::new(ty).into());
        }
        self.table_mut(field)
    }

    /// Appends a table to a vector of tables, which is made if it is not set, and returns its index.
    pub(crate) fn push(&mut self, field: &str, table: TableTree) -> usize {
        if self.get(field).is_none() {
            self.assign(field, Vec::<TableTree>::new());
        }
        let Some(tables) = self.tables_mut(field) else { return 0 };
        tables.push(table);
        tables.len() - 1
    }

    /// The integer, bool, enum byte or tag of a field; 0 where it is not set, as it reads.
    #[must_use]
    pub fn int(&self, field: &str) -> i128 {
        self.get(field).and_then(Value::as_int).unwrap_or(0)
    }

    fn value_mut(&mut self, field: &str) -> Option<&mut Value> {
        self.fields.iter_mut().find(|(own, _)| own.name == field).map(|(_, value)| value)
    }

    /// The table at a path such as `execution_plan[0].values[3].val`; the empty path is this table.
    ///
    /// `None` when a step of the path is not set, is past the end of its vector, or is not a table.
    ///
    /// ```
    /// use torchproof::flatbuffer::schema::TableView;
    /// use torchproof::flatbuffer::tree::TableTree;
    /// use torchproof::pte::schema::{ExecutionPlan, Program};
    ///
    /// let plan = TableTree::new(ExecutionPlan::TYPE).with("name", "forward");
    /// let program = TableTree::new(Program::TYPE).with("execution_plan", [plan.clone()]);
    /// assert_eq!(program.at("execution_plan[0]"), Some(&plan));
    /// assert_eq!(program.at("execution_plan[1]"), None);
    /// assert_eq!(program.at("execution_plan"), None); // a vector
    /// ```
    #[must_use]
    pub fn at(&self, path: &str) -> Option<&TableTree> {
        steps(path).try_fold(self, |table, step| {
            let (field, index) = step?;
            match (&table.get(field)?.0, index) {
                (Repr::Table(table), None) => Some(&**table),
                (Repr::Tables(tables), Some(index)) => tables.get(index),
                _ => None,
            }
        })
    }

    /// The table at a path, to be changed; the path is that of [`TableTree::at`].
    #[must_use]
    pub fn at_mut(&mut self, path: &str) -> Option<&mut TableTree> {
        steps(path).try_fold(self, |table, step| match step? {
            (field, None) => table.table_mut(field),
            (field, Some(index)) => table.tables_mut(field)?.get_mut(index),
        })
    }

    /// The first mistake made in [`TableTree::with`] on this table; those on the tables below it are theirs.
    #[must_use]
    pub fn mistake(&self) -> Option<&WriteError> {
        self.mistake.as_deref()
    }

    /// Drops every number, bool, enum and tag that is zero, here and below, as the official writers do.
    ///
    /// A double of negative zero stays, since it would not read back.
    pub fn elide_defaults(&mut self) {
        self.elide_own_defaults();
        for (_, value) in &mut self.fields {
            match &mut value.0 {
                Repr::Table(table) => table.elide_defaults(),
                Repr::Tables(tables) => tables.iter_mut().for_each(TableTree::elide_defaults),
                _ => {}
            }
        }
    }

    /// As [`TableTree::elide_defaults`], only here.
    pub(crate) fn elide_own_defaults(&mut self) {
        self.fields.retain(|(_, value)| !matches!(value.0, Repr::Scalar(_, [0, 0, 0, 0, 0, 0, 0, 0])));
    }

    /// The same table without its zeros; see [`TableTree::elide_defaults`].
    pub(crate) fn without_defaults(mut self) -> Self {
        self.elide_defaults();
        self
    }

    /// Sets absent numbers, bools and enums to zero, here and below, where `chosen` returns true. Tags stay absent.
    #[cfg(feature = "generate")]
    pub(crate) fn spell_defaults(&mut self, chosen: &mut impl FnMut() -> bool) {
        for field in self.ty.fields {
            let scalar = match field.kind {
                Kind::Scalar(scalar) => scalar,
                Kind::Enum(_) => Scalar::I8,
                _ => continue,
            };
            if self.fields.binary_search_by_key(&field.slot, |(own, _)| own.slot).is_err() && chosen() {
                self.put(field, Value(Repr::Scalar(scalar, [0; 8])));
            }
        }
        for (_, value) in &mut self.fields {
            match &mut value.0 {
                Repr::Table(table) => table.spell_defaults(chosen),
                Repr::Tables(tables) => tables.iter_mut().for_each(|table| table.spell_defaults(chosen)),
                _ => {}
            }
        }
    }

    /// Copies a table and everything that it leads to into a tree.
    ///
    /// Values are copied as they are, sensible or not. The value of an unknown tag is not read ([`Value::opaque`]). The tree can
    /// be far larger than the file, because shared tables are copied at each offset. Bound an untrusted file with
    /// [`verify`](super::verify) first.
    ///
    /// # Errors
    ///
    /// The first fault that an access met.
    pub fn read(table: Table<'_>, ty: &'static TableType) -> Result<Self, Fault> {
        let mut tree = TableTree::new(ty);
        for field in ty.fields {
            if let Some(at) = table.field(field.slot) {
                // A fault below has named its own table already.
                let name = |fault: Fault| if fault.field.is_empty() { fault.in_field(ty.name) } else { fault };
                let value = tree.read_field(table, field, at).map_err(name)?;
                tree.put(field, value);
            }
        }
        Ok(tree)
    }

    /// The field that is present at `at`; the fields before it are in this tree already.
    fn read_field(&self, table: Table<'_>, field: &Field, at: usize) -> Result<Value, Fault> {
        let buffer = table.buffer();
        let repr = match field.kind {
            Kind::Scalar(scalar) => Repr::Scalar(scalar, read_scalar(table, field.slot, scalar)?),
            Kind::Enum(_) => Repr::Scalar(Scalar::I8, read_scalar(table, field.slot, Scalar::I8)?),
            Kind::Tag(_) => Repr::Scalar(Scalar::U8, read_scalar(table, field.slot, Scalar::U8)?),
            Kind::String => {
                let string = <str>::read(table, field.slot)?;
                Repr::String(string.map_or_else(Vec::new, |string| string.as_bytes().to_vec()))
            }
            Kind::Scalars(scalar, _) => {
                let (first, count) = vector(buffer, reference(buffer, at)?, scalar.width())?;
                let bytes = buffer.get(first..first + count * scalar.width()).unwrap_or_default();
                Repr::Scalars(scalar, bytes.to_vec())
            }
            Kind::Table(ty) => Repr::Table(Box::new(Self::read(Table::behind(buffer, at)?, ty)?)),
            Kind::Tables(ty) => {
                let (first, count) = vector(buffer, reference(buffer, at)?, 4)?;
                let element = |index| Self::read(Table::behind(buffer, first + 4 * index)?, ty);
                Repr::Tables((0..count).map(element).collect::<Result<_, _>>()?)
            }
            Kind::Union(union) => {
                let position = reference(buffer, at)?;
                let tag = self.fields().find(|(own, _)| own.slot + 1 == field.slot).map(|(_, tag)| tag);
                match tag.and_then(Value::as_int).and_then(|tag| union.member(u8::try_from(tag).ok()?)) {
                    Some(ty) => Repr::Table(Box::new(Self::read(Table::at(buffer, position)?, ty)?)),
                    None => Repr::Opaque,
                }
            }
        };
        Ok(Value(repr))
    }
}

impl PartialEq for TableTree {
    fn eq(&self, other: &Self) -> bool {
        same_type(self.ty, other.ty)
            && self.mistake == other.mistake
            && self.fields.len() == other.fields.len()
            && self.fields().zip(other.fields()).all(|(own, other)| own.0.slot == other.0.slot && own.1 == other.1)
    }
}

impl Eq for TableTree {}

impl fmt::Debug for TableTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct(self.ty.name);
        for (field, value) in self.fields() {
            out.field(field.name, value);
        }
        if let Some(mistake) = self.mistake() {
            out.field("mistake", mistake);
        }
        out.finish()
    }
}

#[cold]
pub(super) fn unknown_field(ty: &TableType, field: &str) -> WriteError {
    WriteError::new(WriteCause::Tree, ty.name, format!("has no field `{}`", field.escape_debug()))
}

/// That a field of a table of this type cannot be written.
#[cold]
pub(super) fn field_error(ty: &TableType, field: &Field, message: String) -> WriteError {
    WriteError::new(WriteCause::Tree, format!("{}.{}", ty.name, field.name), message)
}

/// Whether two descriptions are of one table: the compiler may copy a description to several addresses.
pub(crate) fn same_type(a: &'static TableType, b: &'static TableType) -> bool {
    let names = |ty: &'static TableType| ty.fields.iter().map(|field| field.name);
    core::ptr::eq(a, b) || (a.name == b.name && names(a).eq(names(b)))
}

fn read_scalar(table: Table<'_>, slot: u16, scalar: Scalar) -> Result<[u8; 8], Fault> {
    let bits = match scalar.width() {
        1 => u8::read(table, slot)?.into(),
        4 => u32::read(table, slot)?.into(),
        _ => u64::read(table, slot)?,
    };
    Ok(bits.to_le_bytes())
}

/// The steps of a path: each a field's name and, in a vector, an index; `None` for a step that is malformed.
fn steps(path: &str) -> impl Iterator<Item = Option<(&str, Option<usize>)>> {
    let mut rest = (!path.is_empty()).then(|| path.split('.'));
    core::iter::from_fn(move || rest.as_mut()?.next()).map(|step| match step.strip_suffix(']') {
        None => Some((step, None)),
        Some(indexed) => {
            let (name, index) = indexed.split_once('[')?;
            Some((name, Some(index.parse().ok()?)))
        }
    })
}

//! **A FlatBuffer as an owned tree.** [`encode`](super::encode) writes a tree as a FlatBuffer.
//!
//! A tree can contain values that official writers never write, such as unknown tags, bools above 1, or a tag without a
//! value. It distinguishes an absent field from a field that is set to zero. If two offsets lead to the same table,
//! that table is in the tree twice. Positions are not part of the tree, because the encoder assigns them.
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
//!     .with("values", [TableTree::new(EValue::TYPE).with("val", tensor)]); // also sets the tag
//! let program = TableTree::new(Program::TYPE).with("execution_plan", [plan]);
//! let bytes = encode(&program, torchproof::pte::IDENTIFIER)?;
//! let back = TableTree::read(torchproof::flatbuffer::Table::root(&bytes)?, Program::TYPE)?;
//! assert_eq!(back, program);
//! # Ok(()) }
//! ```

#[cfg(all(test, feature = "std"))]
pub(crate) mod random;
mod value;

pub use value::FieldValue;
#[cfg(feature = "json")]
pub(crate) use value::is_not;
pub(crate) use value::{Repr, check_type};

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::schema::{Field, FieldType, Kind, Scalar, TableType, TableView};
use super::table::{uoffset, vector};
use super::walk::{Flow, Path, Stop, VisitedTable, Visitor, walk};
use super::{Fault, Table};
use crate::write_error::{WriteCause, WriteError};
use crate::{Limit, Limits};

/// An owned table with its fields.
///
/// The encoder writes every field that is set, even to zero; [`TableTree::elide_defaults`] removes the zeros.
/// [`TableTree::with`] never fails, so a single expression can build a tree: the table records the error of the first
/// invalid call, and the encoder returns it.
#[derive(Clone)]
pub struct TableTree {
    ty: &'static TableType,
    /// The fields that are set, in slot order, at most one per slot.
    fields: Vec<(&'static Field, FieldValue)>,
    mistake: Option<Box<WriteError>>,
}

impl TableTree {
    /// Creates a table of type `ty` in which no field is set.
    #[must_use]
    pub const fn new(ty: &'static TableType) -> Self {
        Self { ty, fields: Vec::new(), mistake: None }
    }

    /// The table's type.
    #[must_use]
    pub const fn ty(&self) -> &'static TableType {
        self.ty
    }

    /// Sets a field as [`TableTree::set`] does, and returns the table.
    ///
    /// If the field cannot be set, encoding fails. The table records only its first mistake; see
    /// [`TableTree::mistake`].
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<FieldValue>) -> Self {
        self.assign(field, value);
        self
    }

    /// Sets a field in place. Like [`TableTree::with`], records mistakes.
    pub(crate) fn assign(&mut self, field: &str, value: impl Into<FieldValue>) {
        if let Err(error) = self.set(field, value) {
            self.mistake.get_or_insert_with(|| Box::new(error));
        }
    }

    /// Returns the table without the named field.
    ///
    /// If the type has no such field, the table records a mistake. If the field is not set, nothing changes.
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
    /// | enum, union tag | a name, or a byte, even an unknown value |
    /// | string, vector of bytes | text or bytes |
    /// | vector of numbers | numbers that a field of the element type accepts |
    ///
    /// Setting a union's value also sets its tag. To store a tag that does not match, set the tag after the value.
    ///
    /// ```
    /// use torchproof::flatbuffer::schema::TableView;
    /// use torchproof::flatbuffer::tree::{TableTree, FieldValue};
    /// use torchproof::pte::schema::{EValue, Int};
    ///
    /// # fn main() -> Result<(), torchproof::write::WriteError> {
    /// let mut value = TableTree::new(EValue::TYPE);
    /// value.set("val", TableTree::new(Int::TYPE).with("int_val", 7))?;
    /// assert_eq!(value.get("val_type").and_then(FieldValue::as_int), Some(2)); // an `Int`
    /// let error = value.set("val", 7).unwrap_err();
    /// assert_eq!(error.path(), "EValue.val");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the type has no such field or the value does not fit the field. In either case, the table is unchanged.
    pub fn set(&mut self, field: &str, value: impl Into<FieldValue>) -> Result<(), WriteError> {
        let known = self.ty.field(field).ok_or_else(|| unknown_field(self.ty, field))?;
        let error = |message| field_error(self.ty, known, message);
        let value = value.into().fit(known.kind).map_err(error)?;
        if let (Kind::Union(union), FieldValue(Repr::Table(table))) = (known.kind, &value) {
            let index = union.members.iter().position(|member| same_type(member, table.ty));
            let tag = index.and_then(|index| u8::try_from(index + 1).ok());
            let tag = tag.ok_or_else(|| error(format!("the union {} has no member {}", union.name, table.ty.name)))?;
            if let Some(tag_field) = self.ty.fields.iter().find(|other| other.slot + 1 == known.slot) {
                self.put(tag_field, FieldValue::from(tag));
            }
        }
        self.put(known, value);
        Ok(())
    }

    /// Sets a field of this table's type to a value that [`FieldValue::fit`] has converted.
    pub(crate) fn put(&mut self, field: &'static Field, value: FieldValue) {
        match self.fields.binary_search_by_key(&field.slot, |(own, _)| own.slot) {
            Ok(index) => self.fields[index].1 = value,
            Err(index) => self.fields.insert(index, (field, value)),
        }
    }

    /// Removes a field and returns its value, or `None` if it is not set.
    ///
    /// If the field is a union, its tag stays, because it is a separate field.
    pub fn remove(&mut self, field: &str) -> Option<FieldValue> {
        let index = self.fields.iter().position(|(own, _)| own.name == field)?;
        Some(self.fields.remove(index).1)
    }

    /// Returns a field's value, or `None` if it is not set.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&FieldValue> {
        self.fields().find(|(own, _)| own.name == field).map(|(_, value)| value)
    }

    /// The fields that are set, in slot order.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = (&'static Field, &FieldValue)> + Clone + '_ {
        self.fields.iter().map(|(field, value)| (*field, value))
    }

    /// Returns mutable access to the table in a field, or `None` if the field is not set or is not a table.
    #[must_use]
    pub fn table_mut(&mut self, field: &str) -> Option<&mut TableTree> {
        match self.value_mut(field)? {
            FieldValue(Repr::Table(table)) => Some(table),
            _ => None,
        }
    }

    /// Returns mutable access to a vector of tables, or `None` if the field is not set or is something else.
    ///
    /// The encoder checks that all tables have the field's type.
    #[must_use]
    pub fn tables_mut(&mut self, field: &str) -> Option<&mut Vec<TableTree>> {
        match self.value_mut(field)? {
            FieldValue(Repr::Tables(tables)) => Some(tables),
            _ => None,
        }
    }

    /// Returns mutable access to the table in a field. If the field is not set, sets it to an empty table first.
    pub(crate) fn table_or_insert(&mut self, field: &str) -> Option<&mut TableTree> {
        let known = self.ty.field(field)?;
        if let (None, Kind::Table(ty)) = (self.get(field), known.kind) {
            self.put(known, TableTree::new(ty).into());
        }
        self.table_mut(field)
    }

    /// Appends a table to a vector of tables and returns the table's index. Creates the vector if the field is not set.
    pub(crate) fn push(&mut self, field: &str, table: TableTree) -> usize {
        if self.get(field).is_none() {
            self.assign(field, Vec::<TableTree>::new());
        }
        let Some(tables) = self.tables_mut(field) else { return 0 };
        tables.push(table);
        tables.len() - 1
    }

    /// Returns the integer, bool, enum byte or tag in a field, or 0 if the field is not set.
    #[must_use]
    pub fn int(&self, field: &str) -> i128 {
        self.get(field).and_then(FieldValue::as_int).unwrap_or(0)
    }

    fn value_mut(&mut self, field: &str) -> Option<&mut FieldValue> {
        self.fields.iter_mut().find(|(own, _)| own.name == field).map(|(_, value)| value)
    }

    /// Returns the table at a path such as `execution_plan[0].values[3].val`. The empty path is this table.
    ///
    /// Returns `None` if a field on the path is not set, if an index is past the end of its vector, or if the path does
    /// not lead to a table.
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

    /// Returns mutable access to the table at a path, as [`TableTree::at`] does.
    #[must_use]
    pub fn at_mut(&mut self, path: &str) -> Option<&mut TableTree> {
        steps(path).try_fold(self, |table, step| match step? {
            (field, None) => table.table_mut(field),
            (field, Some(index)) => table.tables_mut(field)?.get_mut(index),
        })
    }

    /// Returns the first mistake that [`TableTree::with`] recorded in this table. Child tables record their own.
    #[must_use]
    pub fn mistake(&self) -> Option<&WriteError> {
        self.mistake.as_deref()
    }

    /// Removes numbers, bools, enums and tags that are zero from this table and its descendants.
    ///
    /// The official writers omit zeros too.
    ///
    /// A double of −0.0 stays, because an absent field is read as +0.0.
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

    /// Removes zeros as [`TableTree::elide_defaults`] does, but only from this table.
    pub(crate) fn elide_own_defaults(&mut self) {
        self.fields.retain(|(_, value)| !matches!(value.0, Repr::Scalar(_, [0, 0, 0, 0, 0, 0, 0, 0])));
    }

    pub(crate) fn without_defaults(mut self) -> Self {
        self.elide_defaults();
        self
    }

    /// Calls `chosen` for each absent number, bool and enum of the table and its descendants, and sets it to zero if
    /// the result is `true`. Absent tags stay absent.
    #[cfg(feature = "generate")]
    pub(crate) fn spell_defaults(&mut self, chosen: &mut impl FnMut() -> bool) {
        for field in self.ty.fields {
            let scalar = match field.kind {
                Kind::Scalar(scalar) => scalar,
                Kind::Enum(_) => Scalar::I8,
                _ => continue,
            };
            if self.fields.binary_search_by_key(&field.slot, |(own, _)| own.slot).is_err() && chosen() {
                self.put(field, FieldValue(Repr::Scalar(scalar, [0; 8])));
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

    /// Returns how many bytes of memory a FlatBuffer's tree needs.
    ///
    /// # Errors
    ///
    /// Fails if the FlatBuffer exceeds a default limit, and returns that limit.
    pub fn memory_of<'a, T: TableView<'a>>(flatbuffer: &'a [u8]) -> Result<u64, Limit> {
        let mut memory = TreeMemory(0);
        let (tally, flow) = walk::<T>(flatbuffer, Limits::DEFAULT, &mut memory);
        match flow {
            Err(Stop::Limit(limit)) => Err(limit),
            Ok(()) | Err(Stop::Visitor) => Ok(memory.0.saturating_add(tally.apparent_size)),
        }
    }

    /// Copies a table and its descendants into a tree.
    ///
    /// All values are copied unchanged, even invalid ones. A union value with an unknown tag is not read; the tree gets
    /// [`FieldValue::opaque`] instead. A shared table is copied once per offset to it, so the tree can be far larger
    /// than the file. For an untrusted file, call [`TableTree::memory_of`] first.
    ///
    /// # Errors
    ///
    /// Returns the fault of the first access that fails.
    pub fn read(table: Table<'_>, ty: &'static TableType) -> Result<Self, Fault> {
        let mut tree = TableTree::new(ty);
        tree.fields.reserve_exact(present(table, ty));
        for field in ty.fields {
            if let Some(at) = table.field(field.slot) {
                // A fault in a child table already contains that table's name.
                let name = |fault: Fault| if fault.field.is_empty() { fault.in_field(ty.name) } else { fault };
                let value = tree.read_field(table, field, at).map_err(name)?;
                tree.put(field, value);
            }
        }
        Ok(tree)
    }

    /// Reads the field at `at`. The tree already contains the fields in earlier slots.
    fn read_field(&self, table: Table<'_>, field: &Field, at: usize) -> Result<FieldValue, Fault> {
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
                let (first, count) = vector(buffer, uoffset(buffer, at)?, scalar.width())?;
                let bytes = buffer.get(first..first + count * scalar.width()).unwrap_or_default();
                Repr::Scalars(scalar, bytes.to_vec())
            }
            Kind::Table(ty) => Repr::Table(Box::new(Self::read(Table::follow(buffer, at)?, ty)?)),
            Kind::Tables(ty) => {
                let (first, count) = vector(buffer, uoffset(buffer, at)?, 4)?;
                let mut tables = Vec::with_capacity(count);
                for index in 0..count {
                    tables.push(Self::read(Table::follow(buffer, first + 4 * index)?, ty)?);
                }
                Repr::Tables(tables)
            }
            Kind::Union(union) => {
                let position = uoffset(buffer, at)?;
                let tag = self.fields().find(|(own, _)| own.slot + 1 == field.slot).map(|(_, tag)| tag);
                match tag.and_then(FieldValue::as_int).and_then(|tag| union.member(u8::try_from(tag).ok()?)) {
                    Some(ty) => Repr::Table(Box::new(Self::read(Table::at(buffer, position)?, ty)?)),
                    None => Repr::Opaque,
                }
            }
        };
        Ok(FieldValue(repr))
    }
}

/// A visitor that adds up the memory of tables and their fields, without the bytes of strings and vectors.
struct TreeMemory(u64);

impl<'a> Visitor<'a> for TreeMemory {
    fn fault(&mut self, _: &Fault, _: &Path<'_>) -> Flow {
        Ok(())
    }

    fn enter(&mut self, ty: &'static TableType, visited: &VisitedTable<'_, 'a>, _: &Path<'_>) -> Flow {
        // The overhead per allocation in bytes. Each table and each field of a table counts as one allocation.
        const ALLOCATION: usize = 16;
        let fields = present(visited.table(), ty) * (size_of::<(&Field, FieldValue)>() + ALLOCATION);
        self.0 = self.0.saturating_add((size_of::<TableTree>() + ALLOCATION + fields) as u64);
        Ok(())
    }
}

fn present(table: Table<'_>, ty: &TableType) -> usize {
    ty.fields.iter().filter(|field| table.field(field.slot).is_some()).count()
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

#[cold]
pub(super) fn field_error(ty: &TableType, field: &Field, message: String) -> WriteError {
    WriteError::new(WriteCause::Tree, format!("{}.{}", ty.name, field.name), message)
}

/// Returns whether two descriptions are of the same table type. Does not compare addresses, because the compiler may
/// copy a description.
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

/// Returns the steps of a path: a field name and, for a vector, an index. A malformed step is `None`.
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

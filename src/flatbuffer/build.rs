//! **The encoder**: turns a [`TableTree`] into a FlatBuffer.
//!
//! It writes as the official program writer's builder does, last byte first: what a table leads to before the table, in the
//! order of its fields; then its fields, the first at the highest address; then its vtable right before it, unless an equal
//! one was written already. Nothing but vtables is shared, unless [`Builder::share`] asks for it. The bytes are a function of the
//! tree alone. A zero that is set is written: to have the defaults left out, call [`TableTree::elide_defaults`].

mod share;

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use share::Shared;

use super::PREFIX_LEN;
use super::schema::{Field, Kind, Scalar, TableType};
use super::table::REFERENCE_LIMIT;
use super::tree::{Repr, TableTree, Value, same_type};

/// Encodes a tree with the alignments of its schema.
///
/// The length is a multiple of the largest alignment of anything in it.
///
/// # Errors
///
/// As [`Builder::encode`].
pub fn encode(root: &TableTree, identifier: [u8; 4]) -> Result<Vec<u8>, BuildError> {
    Builder::new(identifier).encode(root)
}

/// How to encode: the file identifier, and vectors to be aligned further than the schema asks.
#[derive(Clone, Debug)]
pub struct Builder {
    identifier: [u8; 4],
    alignments: Vec<(&'static TableType, u16, usize)>,
    share: bool,
}

impl Builder {
    /// A builder that aligns as the schema asks.
    #[must_use]
    pub const fn new(identifier: [u8; 4]) -> Self {
        Self { identifier, alignments: Vec::new(), share: false }
    }

    /// The same builder, with the elements of a vector of numbers at a multiple of `alignment` wherever the field occurs.
    ///
    /// The alignment counts from the FlatBuffer's first byte. It is not recorded in the file.
    ///
    /// # Errors
    ///
    /// [`BuildError`] when the type has no such field, it is not a vector of numbers, or the alignment is not a power of two of
    /// at least the schema's.
    pub fn align(mut self, ty: &'static TableType, field: &str, alignment: usize) -> Result<Self, BuildError> {
        let error = |problem| BuildError::of(ty, field, problem);
        let known = ty.field(field).ok_or_else(|| error(Problem::UnknownField))?;
        let Kind::Scalars(_, least) = known.kind else {
            return Err(error(Problem::NotAligned));
        };
        if !alignment.is_power_of_two() || alignment < least || alignment >= REFERENCE_LIMIT as usize {
            return Err(error(Problem::Alignment { given: alignment, least }));
        }
        self.alignments.retain(|(own, slot, _)| !(same_type(own, ty) && *slot == known.slot));
        self.alignments.push((ty, known.slot, alignment));
        Ok(self)
    }

    /// The same builder, which writes equal strings, vectors and tables once, and refers to them from everywhere.
    ///
    /// The official writers share vtables only. What reads the file sees the same tree, in fewer bytes.
    #[must_use]
    pub const fn share(mut self, share: bool) -> Self {
        self.share = share;
        self
    }

    /// Encodes a tree.
    ///
    /// # Errors
    ///
    /// The first mistake kept in the tree, a table of another type than its field takes, or [`Problem::TooLarge`].
    pub fn encode(&self, root: &TableTree) -> Result<Vec<u8>, BuildError> {
        let mut encoder = Encoder::new(self, root.ty());
        let table = encoder.table(root)?;
        encoder.finish(table)
    }

    /// Encodes a tree as if those fields of `more` were set in its root that are not.
    pub(crate) fn encode_with(&self, root: &TableTree, more: &TableTree) -> Result<Vec<u8>, BuildError> {
        let mut encoder = Encoder::new(self, root.ty());
        for tree in [root, more] {
            Encoder::expect_no_mistake(tree)?;
        }
        let mut fields: Vec<_> = more.fields().filter(|(field, _)| root.get(field.name).is_none()).collect();
        fields.extend(root.fields());
        fields.sort_unstable_by_key(|(field, _)| field.slot);
        let table = encoder.fields(root.ty(), fields.into_iter())?;
        encoder.finish(table)
    }

    fn alignment(&self, ty: &'static TableType, field: &Field, least: usize) -> usize {
        let own = self.alignments.iter().find(|(own, slot, _)| *slot == field.slot && same_type(own, ty));
        own.map_or(least, |(_, _, alignment)| *alignment)
    }
}

/// One encoding. Positions are distances from the buffer's end, since its beginning is not known before it is finished.
struct Encoder<'b> {
    builder: &'b Builder,
    root: &'static TableType,
    /// The buffer so far, last byte first.
    out: Vec<u8>,
    max_align: usize,
    /// Positions of what tables not finished yet lead to.
    pending: Vec<u32>,
    /// Positions of the fields of the table being written, by slot.
    slots: Vec<u32>,
    /// The vtable being made; kept for its memory.
    words: Vec<u16>,
    /// Position by contents.
    vtables: BTreeMap<Vec<u16>, u32>,
    /// What else is written once, if anything is.
    shared: Option<Shared>,
}

/// What is behind a tag that the schema does not know.
static OPAQUE: TableType = TableType { name: "opaque", fields: &[] };

impl<'b> Encoder<'b> {
    fn new(builder: &'b Builder, root: &'static TableType) -> Self {
        Self {
            builder,
            root,
            out: Vec::new(),
            max_align: 4,
            pending: Vec::new(),
            slots: Vec::new(),
            words: Vec::new(),
            vtables: BTreeMap::new(),
            shared: builder.share.then(Shared::default),
        }
    }

    fn too_large(&self) -> BuildError {
        BuildError::of(self.root, "", Problem::TooLarge)
    }

    fn here(&self) -> Result<u32, BuildError> {
        u32::try_from(self.out.len()).map_err(|_| self.too_large())
    }

    /// Pads so that once `following` more bytes are written, the position is a multiple of `align`.
    fn align(&mut self, align: usize, following: usize) -> Result<(), BuildError> {
        self.max_align = self.max_align.max(align);
        let end = self.out.len() as u64 + following as u64;
        let padded = end.next_multiple_of(align as u64);
        if padded >= u64::from(REFERENCE_LIMIT) {
            return Err(self.too_large());
        }
        let pad = usize::try_from(padded - end).map_err(|_| self.too_large())?;
        self.out.resize(self.out.len() + pad, 0);
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) {
        self.out.extend(bytes.iter().rev());
    }

    /// A reference to what is at `target`.
    fn reference(&mut self, target: u32) -> Result<(), BuildError> {
        self.align(4, 4)?;
        let own = self.here()? + 4;
        self.put(&(own - target).to_le_bytes());
        Ok(())
    }

    /// A count, and before it `bytes` with the first at a multiple of `align`; `zeros` bytes follow them.
    fn vector(&mut self, count: usize, bytes: &[u8], align: usize, zeros: usize) -> Result<u32, BuildError> {
        if let Some(position) = self.shared.as_ref().and_then(|shared| shared.bytes(count, bytes, align, zeros)) {
            return Ok(position);
        }
        self.align(align.max(4), bytes.len() + zeros)?;
        self.out.resize(self.out.len() + zeros, 0);
        self.put(bytes);
        let position = self.count(count)?;
        if let Some(shared) = &mut self.shared {
            shared.add_bytes(count, bytes, align, zeros, position);
        }
        Ok(position)
    }

    fn count(&mut self, count: usize) -> Result<u32, BuildError> {
        let count = u32::try_from(count).map_err(|_| self.too_large())?;
        self.align(4, 4)?;
        self.put(&count.to_le_bytes());
        self.here()
    }

    fn tables(&mut self, tables: &[TableTree]) -> Result<u32, BuildError> {
        let first = self.pending.len();
        for table in tables {
            let position = self.table(table)?;
            self.pending.push(position);
        }
        let key = self.shared.is_some().then(|| share::references(&self.pending[first..]));
        if let Some(position) = self.shared_table(key.as_ref()) {
            self.pending.truncate(first);
            return Ok(position);
        }
        self.align(4, 4 * tables.len())?;
        for index in (first..self.pending.len()).rev() {
            self.reference(self.pending[index])?;
        }
        self.pending.truncate(first);
        let position = self.count(tables.len())?;
        self.add_shared_table(key, position);
        Ok(position)
    }

    fn shared_table(&self, key: Option<&share::TableKey>) -> Option<u32> {
        self.shared.as_ref()?.table(key?)
    }

    fn add_shared_table(&mut self, key: Option<share::TableKey>, position: u32) {
        if let (Some(shared), Some(key)) = (&mut self.shared, key) {
            shared.add_table(key, position);
        }
    }

    /// Writes what a field refers to; 0 for a field that holds its value itself.
    fn child(&mut self, ty: &'static TableType, field: &'static Field, value: &Value) -> Result<u32, BuildError> {
        let error = |problem| BuildError::of(ty, field.name, problem);
        match (&value.0, field.kind) {
            (Repr::Scalar(..), _) => Ok(0),
            (Repr::String(bytes), _) => self.vector(bytes.len(), bytes, 1, 1),
            (Repr::Scalars(scalar, bytes), kind) => {
                let least = if let Kind::Scalars(_, align) = kind { align } else { scalar.width() };
                let align = self.builder.alignment(ty, field, least).max(scalar.width());
                self.vector(bytes.len() / scalar.width(), bytes, align, 0)
            }
            (Repr::Table(table), kind) => {
                if let Kind::Table(wanted) = kind {
                    Problem::check_type(wanted, table).map_err(error)?;
                }
                self.table(table)
            }
            (Repr::Tables(tables), kind) => {
                if let Kind::Tables(wanted) = kind {
                    tables.iter().try_for_each(|table| Problem::check_type(wanted, table)).map_err(error)?;
                }
                self.tables(tables)
            }
            (Repr::Opaque, _) => self.table(&TableTree::new(&OPAQUE)),
        }
    }

    fn table(&mut self, table: &TableTree) -> Result<u32, BuildError> {
        Self::expect_no_mistake(table)?;
        self.fields(table.ty(), table.fields())
    }

    fn expect_no_mistake(table: &TableTree) -> Result<(), BuildError> {
        table.mistake().map_or(Ok(()), |mistake| Err(mistake.clone()))
    }

    /// Writes a table of these fields, whose slots ascend.
    fn fields<'t>(
        &mut self,
        ty: &'static TableType,
        fields: impl Iterator<Item = (&'static Field, &'t Value)> + Clone,
    ) -> Result<u32, BuildError> {
        let first = self.pending.len();
        for (field, value) in fields.clone() {
            let position = self.child(ty, field, value)?;
            self.pending.push(position);
        }
        let key = self.shared.is_some().then(|| share::fields(ty, fields.clone(), &self.pending[first..]));
        if let Some(position) = self.shared_table(key.as_ref()) {
            self.pending.truncate(first);
            return Ok(position);
        }
        let end = self.here()?;
        self.slots.clear();
        for (index, (field, value)) in fields.enumerate() {
            if let Repr::Scalar(scalar, bytes) = &value.0 {
                self.align(scalar.width(), scalar.width())?;
                self.put(&bytes[..scalar.width()]);
            } else {
                self.reference(self.pending[first + index])?;
            }
            let position = self.here()?;
            // Slots ascend, so the last one set ends the vtable.
            self.slots.resize(usize::from(field.slot) + 1, 0);
            self.slots[usize::from(field.slot)] = position;
        }
        self.pending.truncate(first);
        self.align(4, 4)?;
        self.put(&[0; 4]);
        let object = self.here()?;
        let vtable = self.vtable(object, object - end)?;
        let back = i64::from(vtable) - i64::from(object);
        let back = i32::try_from(back).map_err(|_| self.too_large())?;
        let at = object as usize;
        // The buffer is last byte first, so the little-endian word stands the other way round.
        self.out[at - 4..at].copy_from_slice(&back.to_be_bytes());
        self.add_shared_table(key, object);
        Ok(object)
    }

    /// The vtable of the table at `object`, whose fields are in `slots`: an equal one, or a new one right before the table.
    fn vtable(&mut self, object: u32, object_len: u32) -> Result<u32, BuildError> {
        let too_large = |_| BuildError::of(self.root, "", Problem::TooLarge);
        let mut words = core::mem::take(&mut self.words);
        words.clear();
        words.push(u16::try_from(4 + 2 * self.slots.len()).map_err(too_large)?);
        words.push(u16::try_from(object_len).map_err(too_large)?);
        for position in &self.slots {
            let offset = if *position == 0 { 0 } else { object - position };
            words.push(u16::try_from(offset).map_err(too_large)?);
        }
        if let Some(position) = self.vtables.get(&words).copied() {
            self.words = words;
            return Ok(position);
        }
        self.align(2, 2 * words.len())?;
        for word in words.iter().rev() {
            self.put(&word.to_le_bytes());
        }
        let position = self.here()?;
        self.vtables.insert(words, position);
        Ok(position)
    }

    fn finish(mut self, root: u32) -> Result<Vec<u8>, BuildError> {
        self.align(self.max_align, PREFIX_LEN)?;
        self.put(&self.builder.identifier);
        self.reference(root)?;
        self.out.reverse();
        Ok(self.out)
    }
}

/// Why a tree cannot be built or encoded: the table, the field, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// The table's name.
    pub table: &'static str,
    /// The field's name; empty when it is the table as a whole.
    pub field: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a field of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The table's type has no such field.
    UnknownField,
    /// The field takes something else.
    WrongKind {
        /// What it takes.
        wanted: &'static str,
        /// What it was given.
        given: &'static str,
    },
    /// The number does not fit into the field.
    OutOfRange {
        /// The field's type.
        wanted: &'static str,
        /// The number.
        given: i128,
    },
    /// The enum or union has no value of this name.
    UnknownName {
        /// The enum or union.
        ty: &'static str,
        /// The name.
        name: String,
    },
    /// The field takes another table.
    WrongTable {
        /// The table that it takes.
        wanted: &'static str,
        /// The table that it was given.
        given: &'static str,
    },
    /// The table is not a member of the union.
    NotAMember {
        /// The union.
        union: &'static str,
        /// The table.
        given: &'static str,
    },
    /// The field is not a vector of numbers, so its alignment cannot be chosen.
    NotAligned,
    /// The alignment is not a power of two, or is below the schema's.
    Alignment {
        /// The alignment asked for.
        given: usize,
        /// The schema's.
        least: usize,
    },
    /// The FlatBuffer would not stay below 2^31 bytes.
    TooLarge,
}

impl Problem {
    pub(super) fn unknown_name(ty: &'static str, name: &[u8]) -> Self {
        Problem::UnknownName { ty, name: String::from_utf8_lossy(name).into_owned() }
    }

    pub(super) fn check_type(wanted: &'static TableType, table: &TableTree) -> Result<(), Problem> {
        if same_type(wanted, table.ty()) {
            Ok(())
        } else {
            Err(Problem::WrongTable { wanted: wanted.name, given: table.ty().name })
        }
    }
}

impl BuildError {
    #[cold]
    pub(super) fn of(table: &'static TableType, field: &str, problem: Problem) -> Self {
        Self { table: table.name, field: field.to_owned(), problem }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, field, problem } = self;
        if *problem == Problem::UnknownField {
            return write!(f, "{table} has no field `{}`", field.escape_debug());
        }
        f.write_str(table)?;
        if !field.is_empty() {
            write!(f, ".{field}")?;
        }
        match problem {
            Problem::UnknownField => Ok(()),
            Problem::WrongKind { wanted, given } => write!(f, " takes {wanted}, not {given}"),
            Problem::OutOfRange { wanted, given } => write!(f, " takes {wanted}, into which {given} does not fit"),
            Problem::UnknownName { ty, name } => write!(f, ": {ty} has no value `{}`", name.escape_debug()),
            Problem::WrongTable { wanted, given } => write!(f, " takes the table {wanted}, not {given}"),
            Problem::NotAMember { union, given } => write!(f, ": the union {union} has no member {given}"),
            Problem::NotAligned => f.write_str(" is not a vector of numbers, so its alignment cannot be chosen"),
            Problem::Alignment { given, least } => {
                write!(f, ": alignment {given} is not a power of two from {least} up to 2^30")
            }
            Problem::TooLarge => f.write_str(": the FlatBuffer would not stay below 2^31 bytes"),
        }
    }
}

impl core::error::Error for BuildError {}

impl Scalar {
    /// The schema language's word for the type.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Scalar::Bool => "a bool",
            Scalar::I8 => "a byte",
            Scalar::U8 => "a ubyte",
            Scalar::I32 => "an int",
            Scalar::U32 => "a uint",
            Scalar::I64 => "a long",
            Scalar::U64 => "a ulong",
            Scalar::F64 => "a double",
        }
    }

    const fn vector_noun(self) -> &'static str {
        match self {
            Scalar::Bool => "a vector of bools",
            Scalar::I8 => "a vector of bytes",
            Scalar::U8 => "a vector of ubytes",
            Scalar::I32 => "a vector of ints",
            Scalar::U32 => "a vector of uints",
            Scalar::I64 => "a vector of longs",
            Scalar::U64 => "a vector of ulongs",
            Scalar::F64 => "a vector of doubles",
        }
    }
}

impl Kind {
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Kind::Scalar(scalar) => scalar.noun(),
            Kind::Enum(_) => "a value of its enum",
            Kind::Tag(_) => "a union tag",
            Kind::Union(_) | Kind::Table(_) => "a table",
            Kind::String => "a string",
            Kind::Scalars(scalar, _) => scalar.vector_noun(),
            Kind::Tables(_) => "a vector of tables",
        }
    }
}

impl Repr {
    pub(super) const fn noun(&self) -> &'static str {
        match self {
            Repr::Scalar(scalar, _) => scalar.noun(),
            Repr::String(_) => "a string",
            Repr::Scalars(scalar, _) => scalar.vector_noun(),
            Repr::Table(_) => "a table",
            Repr::Tables(_) => "a vector of tables",
            Repr::Opaque => "an opaque table",
        }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;

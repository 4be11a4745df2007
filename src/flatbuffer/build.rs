//! **The encoder**: turns a [`TableTree`] into a FlatBuffer.
//!
//! It writes as the official program writer's builder does, last byte first: what a table leads to before the table, in the
//! order of its fields; then its fields, the first at the highest address; then its vtable right before it, unless an equal
//! one was written already. Nothing but vtables is shared, unless [`Builder::share`] asks for it. The bytes are a function of the
//! tree alone. A zero that is set is written: to have the defaults left out, call [`TableTree::elide_defaults`].

mod share;

mod encoder;
mod vtables;

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::schema::{Field, Kind, Scalar, TableType};
use super::table::REFERENCE_LIMIT;
use super::tree::{Repr, TableTree, same_type};
use encoder::Encoder;

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
    /// ```
    /// use torchproof::flatbuffer::build::Builder;
    /// use torchproof::flatbuffer::root;
    /// use torchproof::flatbuffer::schema::TableView;
    /// use torchproof::flatbuffer::tree::TableTree;
    /// use torchproof::pte::schema::Buffer;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let builder = Builder::new(*b"ET12").align(Buffer::TYPE, "storage", 64)?;
    /// let bytes = builder.encode(&TableTree::new(Buffer::TYPE).with("storage", "abc"))?;
    /// let storage = Buffer::from_table(root(&bytes)?).storage()?.unwrap();
    /// assert_eq!(storage.span().offset % 64, 0);
    /// # Ok(()) }
    /// ```
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
    ///
    /// ```
    /// use torchproof::flatbuffer::build::Builder;
    /// use torchproof::flatbuffer::root;
    /// use torchproof::flatbuffer::schema::TableView;
    /// use torchproof::flatbuffer::tree::TableTree;
    /// use torchproof::pte::schema::{ExecutionPlan, Operator};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let operator = || TableTree::new(Operator::TYPE).with("name", "aten::add").with("overload", "out");
    /// let plan = TableTree::new(ExecutionPlan::TYPE).with("operators", [operator(), operator()]);
    /// let (builder, plain) = (Builder::new(*b"ET12").share(true), Builder::new(*b"ET12"));
    /// let bytes = builder.encode(&plan)?;
    /// assert!(bytes.len() < plain.encode(&plan)?.len());
    /// assert_eq!(TableTree::read(root(&bytes)?, ExecutionPlan::TYPE)?, plan);
    /// # Ok(()) }
    /// ```
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
        self.encode_with(root, &TableTree::new(root.ty()))
    }

    /// Encodes a tree, with those fields of `more`, a tree of the same type, that it has not set.
    pub(crate) fn encode_with(&self, root: &TableTree, more: &TableTree) -> Result<Vec<u8>, BuildError> {
        Encoder::new(self).encode(root, more)
    }

    fn alignment(&self, ty: &'static TableType, field: &Field, least: usize) -> usize {
        let own = self.alignments.iter().find(|(own, slot, _)| *slot == field.slot && same_type(own, ty));
        own.map_or(least, |(_, _, alignment)| *alignment)
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

    pub(super) fn check_type(wanted: &'static TableType, given: &'static TableType) -> Result<(), Problem> {
        if same_type(wanted, given) {
            Ok(())
        } else {
            Err(Problem::WrongTable { wanted: wanted.name, given: given.name })
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

//! The canonical JSON of a table, read back into a tree.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use serde_json::{Map, Value as Json};

use crate::flatbuffer::schema::{Field, Kind, Scalar, TableType};
use crate::flatbuffer::tree::{Number, TableTree, Value};

/// What the integers of JSON are within; one beyond is read as a double.
const WHOLE: Range<f64> = -9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0;

/// Tables in tables: what the FlatBuffers verifiers follow.
const MOST_DEPTH: usize = 64;

/// The tree of a table from its canonical JSON: the inverse of how [`File`](super::File) prints one.
///
/// A number that is zero is left absent, as the official writers leave it; so two files that print the same make the same tree.
/// A union of unknown type gets an empty table for its value, which nobody can read.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::pte::schema::Program;
/// let json = serde_json::json!({ "version": 0, "execution_plan": [{ "name": "forward", "inputs": [0] }] });
/// let program = torchproof::view::to_tree(&json, Program::TYPE)?;
/// assert_eq!(program.at("execution_plan[0]").unwrap().get("name").unwrap().as_bytes(), Some(&b"forward"[..]));
/// let error = torchproof::view::to_tree(&serde_json::json!({ "execution_plan": [{ "inputs": [0.5] }] }), Program::TYPE);
/// assert_eq!(error.unwrap_err().to_string(), "execution_plan[0].inputs[0]: a number with a fraction is not an int");
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// The first member that the table's type does not have, or whose value its field cannot hold.
pub fn to_tree(value: &Json, ty: &'static TableType) -> Result<TableTree, TreeError> {
    table(value, ty, MOST_DEPTH)
}

/// Why JSON is no table of a type: the member, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeError {
    path: String,
    problem: Problem,
}

impl TreeError {
    /// The member, as `execution_plan[0].values[3].sizes`; empty for the value as a whole.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong with it.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The same error of a value that is the member `name` of another.
    #[must_use]
    pub fn within(self, name: &str) -> Self {
        // Whatever the name is, it is one line of text and one step.
        self.behind(&name.escape_debug().to_string())
    }

    fn element(self, index: usize) -> Self {
        self.behind(&alloc::format!("[{index}]"))
    }

    fn behind(mut self, step: &str) -> Self {
        if !self.path.is_empty() && !self.path.starts_with('[') {
            self.path.insert(0, '.');
        }
        self.path.insert_str(0, step);
        self
    }
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        self.problem.fmt(f)
    }
}

impl core::error::Error for TreeError {}

impl From<Problem> for TreeError {
    fn from(problem: Problem) -> Self {
        Self { path: String::new(), problem }
    }
}

/// What is wrong with a member of a table's JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The table's type has no such field.
    UnknownField {
        /// The table.
        table: &'static str,
    },
    /// The field takes something else.
    WrongType {
        /// What it takes.
        wanted: &'static str,
        /// What it was given.
        given: &'static str,
    },
    /// The number does not fit into the field.
    OutOfRange {
        /// What it takes.
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
    /// The union's type says that there is a value, and there is none.
    TypeWithoutValue {
        /// The union.
        union: &'static str,
    },
    /// The union has a value, and no type that the schema knows.
    ValueWithoutType {
        /// The union.
        union: &'static str,
    },
    /// Bytes are not written in pairs of hexadecimal digits.
    Hex,
    /// Tables are in tables, deeper than any reader follows.
    TooDeep,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::UnknownField { table } => write!(f, "{table} has no such field"),
            Problem::WrongType { wanted, given } => write!(f, "{given} is not {wanted}"),
            Problem::OutOfRange { wanted, given } => write!(f, "{given} does not fit into {wanted}"),
            Problem::UnknownName { ty, name } => write!(f, "{ty} has no value `{}`", name.escape_debug()),
            Problem::TypeWithoutValue { union } => write!(f, "the {union} has a type and no value"),
            Problem::ValueWithoutType { union } => write!(f, "the {union} has a value and no type that is known"),
            Problem::Hex => f.write_str("is not bytes in hexadecimal digits, two a byte"),
            Problem::TooDeep => write!(f, "is more than {MOST_DEPTH} tables deep"),
        }
    }
}

fn table(value: &Json, ty: &'static TableType, depth: usize) -> Result<TableTree, TreeError> {
    let members = value.as_object().ok_or_else(|| wrong("a table's object", value))?;
    let depth = depth.checked_sub(1).ok_or(Problem::TooDeep)?;
    if let Some(name) = members.keys().find(|name| ty.field(name).is_none()) {
        return Err(TreeError::from(Problem::UnknownField { table: ty.name }).within(name));
    }
    let mut tree = TableTree::new(ty);
    for field in ty.fields {
        let value = match field.kind {
            Kind::Union(_) => union(members, field, &tree, depth),
            _ => members.get(field.name).map(|value| held(value, field.kind, depth)).transpose(),
        };
        let Some(value) = value.map_err(|error| error.within(field.name))? else { continue };
        // What is held is of the field's type, and the tag that a union's value brings is the one that it has.
        let set = tree.set(field.name, value);
        debug_assert_eq!(set, Ok(()));
    }
    // Zeros in tables below have been left out with those tables.
    for field in ty.fields {
        if tree.get(field.name).is_some_and(is_zero) {
            tree.remove(field.name);
        }
    }
    Ok(tree)
}

/// Whether an absent field reads as this; a double of negative zero does not.
fn is_zero(value: &Value) -> bool {
    value.as_int() == Some(0) || value.as_f64().is_some_and(|double| double.to_bits() == 0)
}

/// The value of a union, whose tag is in the tree already.
fn union(
    members: &Map<String, Json>,
    field: &Field,
    tree: &TableTree,
    depth: usize,
) -> Result<Option<Value>, TreeError> {
    let Kind::Union(ty) = field.kind else { return Ok(None) };
    let tag = tree.fields().find(|(tag, _)| tag.slot + 1 == field.slot).and_then(|(_, tag)| tag.as_int());
    let tag = tag.and_then(|tag| u8::try_from(tag).ok()).unwrap_or(0);
    match (tag, ty.member(tag), members.get(field.name)) {
        (0, _, None) => Ok(None),
        (_, Some(member), Some(value)) => Ok(Some(table(value, member, depth)?.into())),
        // Readers take a table without fields for granted.
        (_, Some(member), None) if member.fields.is_empty() => Ok(None),
        (_, Some(_), None) => Err(Problem::TypeWithoutValue { union: ty.name }.into()),
        (_, None, None) => Ok(Some(Value::opaque())),
        (_, None, Some(_)) => Err(Problem::ValueWithoutType { union: ty.name }.into()),
    }
}

/// What a field of this kind, which is no union, holds.
fn held(value: &Json, kind: Kind, depth: usize) -> Result<Value, TreeError> {
    Ok(match kind {
        Kind::Scalar(scalar) => number(value, scalar)?,
        Kind::Enum(ty) => match value.as_str() {
            Some(name) => ty.value_of(name).ok_or_else(|| unknown_name(ty.name, name))?.into(),
            None if value.is_number() => integer::<i8>(value, "a byte")?.into(),
            None => return Err(wrong("a name or a byte", value).into()),
        },
        Kind::Tag(ty) => match value.as_str() {
            Some("NONE") => 0_u8.into(),
            Some(name) => {
                let index = ty.members.iter().position(|member| member.name == name);
                let tag = index.and_then(|index| u8::try_from(index + 1).ok());
                tag.ok_or_else(|| unknown_name(ty.name, name))?.into()
            }
            None if value.is_number() => integer::<u8>(value, "a ubyte")?.into(),
            None => return Err(wrong("a name or a ubyte", value).into()),
        },
        Kind::String => match value {
            Json::String(text) => text.as_str().into(),
            Json::Object(members) => Value::from(&bytes(members)?[..]),
            _ => return Err(wrong("a string", value).into()),
        },
        Kind::Scalars(scalar, _) => numbers(value, scalar)?,
        Kind::Table(ty) => table(value, ty, depth)?.into(),
        Kind::Tables(ty) => each(value, |value| table(value, ty, depth))?.into(),
        // Its tag says what it is.
        Kind::Union(ty) => return Err(Problem::ValueWithoutType { union: ty.name }.into()),
    })
}

/// The bytes of a string that is not UTF-8.
fn bytes(members: &Map<String, Json>) -> Result<Vec<u8>, Problem> {
    let digits = members.get("hex").filter(|_| members.len() == 1).and_then(Json::as_str);
    let digits =
        digits.ok_or(Problem::WrongType { wanted: "a string or its bytes as {\"hex\":…}", given: "an object" })?;
    from_hex(digits).ok_or(Problem::Hex)
}

/// The bytes that the digits are, two a byte, in either case.
fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?)).collect()
}

fn number(value: &Json, scalar: Scalar) -> Result<Value, Problem> {
    Ok(match scalar {
        Scalar::Bool => bool(value)?.into(),
        Scalar::I8 => integer::<i8>(value, "a byte")?.into(),
        Scalar::U8 => integer::<u8>(value, "a ubyte")?.into(),
        Scalar::I32 => integer::<i32>(value, "an int")?.into(),
        Scalar::U32 => integer::<u32>(value, "a uint")?.into(),
        Scalar::I64 => integer::<i64>(value, "a long")?.into(),
        Scalar::U64 => integer::<u64>(value, "a ulong")?.into(),
        Scalar::F64 => double(value)?.into(),
    })
}

fn numbers(value: &Json, scalar: Scalar) -> Result<Value, TreeError> {
    fn all<T: Number>(value: &Json, one: impl Fn(&Json) -> Result<T, Problem>) -> Result<Value, TreeError> {
        each(value, |value| one(value).map_err(TreeError::from)).map(Value::from)
    }
    match scalar {
        Scalar::Bool => all(value, bool),
        Scalar::I8 => all(value, |value| integer::<i8>(value, "a byte")),
        Scalar::U8 => all(value, |value| integer::<u8>(value, "a ubyte")),
        Scalar::I32 => all(value, |value| integer::<i32>(value, "an int")),
        Scalar::U32 => all(value, |value| integer::<u32>(value, "a uint")),
        Scalar::I64 => all(value, |value| integer::<i64>(value, "a long")),
        Scalar::U64 => all(value, |value| integer::<u64>(value, "a ulong")),
        Scalar::F64 => all(value, double),
    }
}

fn each<T>(value: &Json, one: impl Fn(&Json) -> Result<T, TreeError>) -> Result<Vec<T>, TreeError> {
    let elements = value.as_array().ok_or_else(|| wrong("a vector's array", value))?;
    elements.iter().enumerate().map(|(index, value)| one(value).map_err(|error| error.element(index))).collect()
}

fn bool(value: &Json) -> Result<bool, Problem> {
    value.as_bool().ok_or_else(|| wrong("true or false", value))
}

fn integer<T: TryFrom<i128>>(value: &Json, wanted: &'static str) -> Result<T, Problem> {
    let number = value.as_u64().map(i128::from).or_else(|| value.as_i64().map(i128::from));
    let given = number.ok_or_else(|| wrong(wanted, value))?;
    T::try_from(given).map_err(|_| Problem::OutOfRange { wanted, given })
}

fn double(value: &Json) -> Result<f64, Problem> {
    match value.as_str() {
        Some("nan") => Ok(f64::NAN),
        Some("inf") => Ok(f64::INFINITY),
        Some("-inf") => Ok(f64::NEG_INFINITY),
        _ => value.as_f64().ok_or_else(|| wrong("a number, \"nan\", \"inf\" or \"-inf\"", value)),
    }
}

fn unknown_name(ty: &'static str, name: &str) -> Problem {
    Problem::UnknownName { ty, name: name.to_string() }
}

fn wrong(wanted: &'static str, value: &Json) -> Problem {
    let given = match value {
        Json::Null => "null",
        Json::Bool(_) => "a bool",
        Json::Number(number) if number.as_f64().is_some_and(|number| !WHOLE.contains(&number)) => {
            "a number too large for 64 bits"
        }
        Json::Number(number) if number.is_f64() => "a number with a fraction",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    };
    Problem::WrongType { wanted, given }
}

#[cfg(test)]
mod tests;

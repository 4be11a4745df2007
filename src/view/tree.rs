//! The canonical JSON of a table, read back into a tree.

use alloc::string::String;
use alloc::vec::Vec;

use serde::de::{Deserializer, MapAccess, SeqAccess};
use serde_json::Value as Json;

use super::Strict;
use crate::flatbuffer::schema::{Field, Kind, Scalar, TableType, UnionType};
use crate::flatbuffer::tree::{Number, TableTree, Value};
use form::{Each, Form, Formed, One};
use token::Token;

mod error;
mod form;
mod hex;
mod token;

pub use error::{Problem, TreeError};
pub use form::Trace;
pub use hex::{HexError, from_hex};

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
    let trace = Trace::default();
    read_tree(value, ty, &trace).map_err(|_| trace.take().unwrap_or_else(|| Problem::Json.into()))
}

/// As [`to_tree`], of JSON that is read as it comes: the memory that it takes is the tree's.
///
/// A member that is there twice is an error too, which a [`serde_json::Value`] does not tell.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::pte::schema::Program;
/// use torchproof::view::{Trace, read_tree};
/// let trace = Trace::default();
/// let mut json = serde_json::Deserializer::from_str(r#"{ "version": 0, "execution_plan": [{ "inputs": [0, {}] }] }"#);
/// assert!(read_tree(&mut json, Program::TYPE, &trace).is_err());
/// assert_eq!(trace.take().unwrap().to_string(), "execution_plan[0].inputs[1]: an object is not an int");
/// ```
///
/// # Errors
///
/// The deserializer's; `trace` then has the member and what is wrong with it.
pub fn read_tree<'de, D: Deserializer<'de>>(
    json: D,
    ty: &'static TableType,
    trace: &Trace,
) -> Result<TableTree, D::Error> {
    TableForm { ty, depth: MOST_DEPTH }.read(trace, json)
}

/// A whole number of JSON, as a field of its type takes it; `wanted` names that.
///
/// # Errors
///
/// What it is instead.
pub fn to_whole<T: TryFrom<i128>>(value: &Json, wanted: &'static str) -> Result<T, Problem> {
    Token::from(value).whole(wanted)
}

impl Problem {
    /// That a value of JSON is not what is wanted, whatever it is.
    #[must_use]
    pub fn is_not(value: &Json, wanted: &'static str) -> Self {
        Token::from(value).is_not(wanted)
    }
}

/// The object of a table.
#[derive(Clone, Copy)]
struct TableForm {
    ty: &'static TableType,
    /// How many tables deep it may be, itself included.
    depth: usize,
}

impl Form for TableForm {
    type Out = TableTree;

    fn token(self, token: Token<'_>) -> Result<TableTree, Problem> {
        Err(token.is_not("a table's object"))
    }

    fn object<'de, A: MapAccess<'de>>(self, mut members: A, trace: &Trace) -> Result<TableTree, A::Error> {
        let Some(depth) = self.depth.checked_sub(1) else { return trace.fail(Problem::TooDeep) };
        let mut table = Unfinished { tree: TableTree::new(self.ty), given: Vec::new(), early: Vec::new(), depth };
        while let Some(name) = trace.step(members.next_key::<String>(), |error| error)? {
            let read = match self.ty.field(&name) {
                None => trace.fail(Problem::UnknownField { table: self.ty.name }),
                Some(field) => table.read(field, &mut members, trace),
            };
            trace.step(read, |error| error.within(&name))?;
        }
        table.finish().or_else(|error| trace.fail(error))
    }
}

/// A table of whose object some members have been read.
struct Unfinished {
    tree: TableTree,
    /// The slots of those members.
    given: Vec<u16>,
    /// Values of unions that came before their types.
    early: Vec<(&'static Field, Json)>,
    depth: usize,
}

impl Unfinished {
    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        field: &'static Field,
        members: &mut A,
        trace: &Trace,
    ) -> Result<(), A::Error> {
        if self.given.contains(&field.slot) {
            return trace.fail(Problem::Twice);
        }
        self.given.push(field.slot);
        let value = match field.kind {
            Kind::Union(union) => match self.tag(field) {
                Some(tag) => match member(union, tag) {
                    Ok(ty) => members.next_value_seed(Formed { form: self.below(ty), trace })?.into(),
                    Err(problem) => return trace.fail(problem),
                },
                None => {
                    let Strict(value) = members.next_value()?;
                    self.early.push((field, value));
                    return Ok(());
                }
            },
            kind => members.next_value_seed(Formed { form: HeldForm { kind, depth: self.depth }, trace })?,
        };
        self.put(field, value);
        Ok(())
    }

    fn below(&self, ty: &'static TableType) -> TableForm {
        TableForm { ty, depth: self.depth }
    }

    fn put(&mut self, field: &Field, value: Value) {
        // What is held is of the field's type, and the tag that a union's value brings is the one that it has.
        let set = self.tree.set(field.name, value);
        debug_assert_eq!(set, Ok(()));
    }

    /// The type of a union's value, if it has been read.
    fn tag(&self, union: &Field) -> Option<u8> {
        let tag = self.tree.fields().find(|(tag, _)| tag.slot + 1 == union.slot).and_then(|(_, tag)| tag.as_int());
        tag.and_then(|tag| u8::try_from(tag).ok())
    }

    fn finish(mut self) -> Result<TableTree, TreeError> {
        for (field, value) in core::mem::take(&mut self.early) {
            let Kind::Union(union) = field.kind else { continue };
            let within = |error: TreeError| error.within(field.name);
            let ty = member(union, self.tag(field).unwrap_or(0)).map_err(|problem| within(problem.into()))?;
            let trace = Trace::default();
            let table = self.below(ty).read(&trace, &value);
            let table = table.map_err(|_| within(trace.take().unwrap_or_else(|| Problem::Json.into())))?;
            self.put(field, table.into());
        }
        for field in self.tree.ty().fields {
            let Kind::Union(union) = field.kind else { continue };
            if self.given.contains(&field.slot) {
                continue;
            }
            match (self.tag(field).unwrap_or(0), union.member(self.tag(field).unwrap_or(0))) {
                (0, _) => {}
                // Readers take a table without fields for granted.
                (_, Some(member)) if member.fields.is_empty() => {}
                (_, Some(_)) => {
                    return Err(TreeError::from(Problem::TypeWithoutValue { union: union.name }).within(field.name));
                }
                (_, None) => self.put(field, Value::opaque()),
            }
        }
        // Zeros in tables below have been left out with those tables.
        for field in self.tree.ty().fields {
            if self.tree.get(field.name).is_some_and(is_zero) {
                self.tree.remove(field.name);
            }
        }
        Ok(self.tree)
    }
}

/// The table that a union of this type holds.
fn member(union: &'static UnionType, tag: u8) -> Result<&'static TableType, Problem> {
    union.member(tag).ok_or(Problem::ValueWithoutType { union: union.name })
}

/// Whether an absent field reads as this; a double of negative zero does not.
fn is_zero(value: &Value) -> bool {
    value.as_int() == Some(0) || value.as_f64().is_some_and(|double| double.to_bits() == 0)
}

/// What a field of this kind, which is no union, holds.
#[derive(Clone, Copy)]
struct HeldForm {
    kind: Kind,
    depth: usize,
}

impl Form for HeldForm {
    type Out = Value;

    fn token(self, token: Token<'_>) -> Result<Value, Problem> {
        match (self.kind, token) {
            (Kind::String, Token::Text(text)) => Ok(text.into()),
            (Kind::String, _) => Err(token.is_not("a string")),
            (Kind::Scalars(..) | Kind::Tables(_), _) => Err(token.is_not("a vector's array")),
            (Kind::Table(ty), _) => self.below(ty).token(token).map(Value::from),
            (kind, _) => token.held(kind),
        }
    }

    fn list<'de, A: SeqAccess<'de>>(self, list: A, trace: &Trace) -> Result<Value, A::Error> {
        match self.kind {
            Kind::Scalars(scalar, _) => numbers(scalar, list, trace),
            Kind::Tables(ty) => Each(self.below(ty)).list(list, trace).map(Value::from),
            _ => self.token(Token::Array).or_else(|problem| trace.fail(problem)),
        }
    }

    fn object<'de, A: MapAccess<'de>>(self, members: A, trace: &Trace) -> Result<Value, A::Error> {
        match self.kind {
            Kind::Table(ty) => self.below(ty).object(members, trace).map(Value::from),
            Kind::String => bytes(members, trace),
            _ => self.token(Token::Object).or_else(|problem| trace.fail(problem)),
        }
    }
}

impl HeldForm {
    fn below(self, ty: &'static TableType) -> TableForm {
        TableForm { ty, depth: self.depth }
    }
}

/// The bytes of a string that is not UTF-8.
fn bytes<'de, A: MapAccess<'de>>(mut members: A, trace: &Trace) -> Result<Value, A::Error> {
    let wrong = Problem::WrongType { wanted: "a string or its bytes as {\"hex\":…}", given: "an object" };
    let digits = match members.next_key::<String>()? {
        Some(name) if name == "hex" => members.next_value::<Strict>()?.0,
        _ => return trace.fail(wrong),
    };
    match (digits, members.next_key::<String>()?) {
        (Json::String(digits), None) => match from_hex(&digits) {
            Ok(bytes) => Ok(Value::from(&bytes[..])),
            Err(error) => trace.fail(Problem::Hex(error)),
        },
        _ => trace.fail(wrong),
    }
}

/// A vector of numbers, each held as it will be written.
fn numbers<'de, A: SeqAccess<'de>>(scalar: Scalar, list: A, trace: &Trace) -> Result<Value, A::Error> {
    fn all<'de, T: Number, A: SeqAccess<'de>>(
        list: A,
        trace: &Trace,
        one: impl Fn(Token<'_>) -> Result<T, Problem> + Copy,
    ) -> Result<Value, A::Error> {
        Each(One(one)).list(list, trace).map(Value::from)
    }
    #[allow(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, the closure of any")]
    match scalar {
        Scalar::Bool => all(list, trace, |token| token.bool()),
        Scalar::I8 => all(list, trace, |token| token.whole::<i8>(token::BYTE)),
        Scalar::U8 => all(list, trace, |token| token.whole::<u8>(token::UBYTE)),
        Scalar::I32 => all(list, trace, |token| token.whole::<i32>(token::INT)),
        Scalar::U32 => all(list, trace, |token| token.whole::<u32>(token::UINT)),
        Scalar::I64 => all(list, trace, |token| token.whole::<i64>(token::LONG)),
        Scalar::U64 => all(list, trace, |token| token.whole::<u64>(token::ULONG)),
        Scalar::F64 => all(list, trace, |token| token.double()),
    }
}

#[cfg(test)]
mod tests;

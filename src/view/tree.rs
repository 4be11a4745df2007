//! Converts a table's canonical JSON into a tree.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

use super::StrictValue;
use crate::flatbuffer::schema::{Field, Kind, TableType, UnionType};
use crate::flatbuffer::tree::{FieldValue, Repr, TableTree};
use crate::write_error::{WriteCause, WriteError};

mod hex;
mod single;

use hex::from_hex;

/// The same limit as in the FlatBuffers verifiers.
const MOST_DEPTH: usize = 64;

/// Converts a table's canonical JSON into a tree, the inverse of serializing a [`File`](super::File).
///
/// Like the official writers, the tree omits zeros, so equal JSON yields equal trees. The value of a union of unknown
/// type becomes an empty table.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::pte::schema::Program;
/// let json = serde_json::json!({ "version": 0, "execution_plan": [{ "name": "forward", "inputs": [0] }] });
/// let program = torchproof::view::to_tree(&json, Program::TYPE)?;
/// assert_eq!(program.at("execution_plan[0]").unwrap().get("name").unwrap().as_bytes(), Some(&b"forward"[..]));
/// let error = torchproof::view::to_tree(&serde_json::json!({ "execution_plan": [{ "inputs": [0.5] }] }), Program::TYPE);
/// assert_eq!(error.unwrap_err().path(), "execution_plan[0].inputs[0]");
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// Returns an error for the first member that is not a field of the table's type, or whose value does not fit.
pub fn to_tree(value: &Json, ty: &'static TableType) -> Result<TableTree, WriteError> {
    let reader = TreeReader::default();
    reader.read(value, ty).map_err(|_| reader.take_or_json())
}

fn read_table<'de, D: Deserializer<'de>>(
    json: D,
    ty: &'static TableType,
    depth: usize,
    trace: &TreeReader,
) -> Result<TableTree, D::Error> {
    match (Wanted { kind: Kind::Table(ty), depth, trace }).deserialize(json)?.0 {
        Repr::Table(table) => Ok(*table),
        _ => trace.fail("is not a table"),
    }
}

/// Reads a table from a deserializer, and stores the first error together with its path.
///
/// The tree is the same as from [`to_tree`], but the JSON is not built in memory. A repeated member is an error.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::pte::schema::Program;
/// use torchproof::view::TreeReader;
/// let reader = TreeReader::default();
/// let mut json = serde_json::Deserializer::from_str(r#"{ "version": 0, "execution_plan": [{ "inputs": [0, {}] }] }"#);
/// assert!(reader.read(&mut json, Program::TYPE).is_err());
/// assert_eq!(reader.take().unwrap().path(), "execution_plan[0].inputs[1]");
/// ```
#[derive(Debug, Default)]
pub struct TreeReader(RefCell<Option<WriteError>>);

impl TreeReader {
    /// Reads a table of type `ty`.
    ///
    /// # Errors
    ///
    /// Returns the deserializer's error. [`TreeReader::take`] then returns what went wrong and the path of the member
    /// that caused it.
    pub fn read<'de, D: Deserializer<'de>>(&self, json: D, ty: &'static TableType) -> Result<TableTree, D::Error> {
        read_table(json, ty, MOST_DEPTH, self)
    }

    /// Removes and returns the stored error of a failed read. For malformed JSON, the cause is [`WriteCause::Json`].
    pub fn take(&self) -> Option<WriteError> {
        self.0.borrow_mut().take()
    }

    fn take_or_json(&self) -> WriteError {
        self.take().unwrap_or_else(|| WriteError::new(WriteCause::Json, "", "is not JSON"))
    }

    fn fail<T, E: Error>(&self, message: impl Into<String>) -> Result<T, E> {
        self.keep(WriteError::new(WriteCause::Tree, "", message))
    }

    /// Stores `error`, and returns a deserializer error with the same message.
    fn keep<T, E: Error>(&self, error: WriteError) -> Result<T, E> {
        let message = E::custom(&error);
        *self.0.borrow_mut() = Some(error);
        Err(message)
    }

    /// Adds a step to the path of a stored error.
    fn step<T, E>(&self, result: Result<T, E>, step: impl FnOnce() -> String) -> Result<T, E> {
        if result.is_err() {
            let error = self.take_or_json().within(&step());
            *self.0.borrow_mut() = Some(error);
        }
        result
    }
}

/// For the value of a union, the kind is the type of its table.
#[derive(Clone, Copy)]
struct Wanted<'t> {
    kind: Kind,
    /// How many more levels of tables the JSON may have, including the current one.
    depth: usize,
    trace: &'t TreeReader,
}

impl<'de> DeserializeSeed<'de> for Wanted<'_> {
    type Value = FieldValue;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<FieldValue, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Wanted<'_> {
    type Value = FieldValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<FieldValue, E> {
        self.single(&Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<FieldValue, E> {
        self.single(&value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<FieldValue, E> {
        self.single(&value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<FieldValue, E> {
        self.single(&value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<FieldValue, E> {
        self.single(&value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<FieldValue, E> {
        self.single(&value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<FieldValue, A::Error> {
        match self.kind {
            Kind::Scalars(scalar, _) => {
                let mut bytes = Vec::new();
                self.each(list, Kind::Scalar(scalar), |element| {
                    if let Repr::Scalar(_, number) = element.0 {
                        bytes.extend_from_slice(&number[..scalar.width()]);
                    }
                })?;
                Ok(FieldValue(Repr::Scalars(scalar, bytes)))
            }
            Kind::Tables(ty) => {
                let mut tables = Vec::new();
                self.each(list, Kind::Table(ty), |element| {
                    if let Repr::Table(table) = element.0 {
                        tables.push(*table);
                    }
                })?;
                Ok(tables.into())
            }
            _ => self.single(&Json::Array(Vec::new())),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<FieldValue, A::Error> {
        match self.kind {
            Kind::Table(ty) => self.table(ty, members),
            Kind::String => self.bytes(members),
            _ => self.single(&Json::Object(serde_json::Map::new())),
        }
    }
}

impl Wanted<'_> {
    fn single<E: Error>(self, json: &Json) -> Result<FieldValue, E> {
        single::single(self.kind, json).or_else(|message| self.trace.fail(message))
    }

    fn each<'de, A: SeqAccess<'de>>(
        self,
        mut list: A,
        kind: Kind,
        mut keep: impl FnMut(FieldValue),
    ) -> Result<(), A::Error> {
        let mut index = 0;
        while let Some(element) =
            self.trace.step(list.next_element_seed(Self { kind, ..self }), || format!("[{index}]"))?
        {
            keep(element);
            index += 1;
        }
        Ok(())
    }

    /// Reads the JSON object for a string that is not UTF-8.
    fn bytes<'de, A: MapAccess<'de>>(self, mut members: A) -> Result<FieldValue, A::Error> {
        let wrong = "an object is not a string or its bytes as {\"hex\":…}";
        let digits = match members.next_key::<String>()? {
            Some(name) if name == "hex" => members.next_value::<StrictValue>()?.0,
            _ => return self.trace.fail(wrong),
        };
        match (digits, members.next_key::<String>()?) {
            (Json::String(digits), None) => match from_hex(&digits) {
                Ok(bytes) => Ok(FieldValue(Repr::String(bytes))),
                Err(message) => self.trace.fail(message),
            },
            _ => self.trace.fail(wrong),
        }
    }

    fn table<'de, A: MapAccess<'de>>(self, ty: &'static TableType, mut members: A) -> Result<FieldValue, A::Error> {
        let Self { trace, .. } = self;
        let Some(depth) = self.depth.checked_sub(1) else {
            return trace.fail(format!("tables nest too deep; expected at most {MOST_DEPTH} levels"));
        };
        let mut table = Unfinished { tree: TableTree::new(ty), given: Vec::new(), early: Vec::new() };
        while let Some(name) = trace.step(members.next_key::<String>(), String::new)? {
            let read = match ty.field(&name) {
                None => trace.fail(unknown_member(ty)),
                Some(field) => table.read(field, &mut members, Self { depth, ..self }),
            };
            // The name is escaped so that it stays on one line and forms a single step of the path.
            trace.step(read, || name.escape_debug().to_string())?;
        }
        table.finish(depth).map(FieldValue::from).or_else(|error| trace.keep(error))
    }
}

/// A table whose members are still being read.
struct Unfinished {
    tree: TableTree,
    /// The slots whose members have been read so far.
    given: Vec<u16>,
    /// Union values that come before their type in the JSON.
    early: Vec<(&'static Field, Json)>,
}

impl Unfinished {
    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        field: &'static Field,
        members: &mut A,
        wanted: Wanted<'_>,
    ) -> Result<(), A::Error> {
        if self.given.contains(&field.slot) {
            return wanted.trace.fail("appears twice");
        }
        self.given.push(field.slot);
        let kind = match (field.kind, self.tag(field)) {
            (Kind::Union(union), Some(tag)) => match member(union, tag) {
                Ok(ty) => Kind::Table(ty),
                Err(message) => return wanted.trace.fail(message),
            },
            (Kind::Union(_), None) => {
                let StrictValue(value) = members.next_value()?;
                self.early.push((field, value));
                return Ok(());
            }
            (kind, _) => kind,
        };
        let value = members.next_value_seed(Wanted { kind, ..wanted })?;
        self.tree.put(field, value);
        Ok(())
    }

    /// `None` if the tag has not been read yet.
    fn tag(&self, union: &Field) -> Option<u8> {
        let tag = self.tree.fields().find(|(tag, _)| tag.slot + 1 == union.slot).and_then(|(_, tag)| tag.as_int());
        tag.and_then(|tag| u8::try_from(tag).ok())
    }

    fn finish(mut self, depth: usize) -> Result<TableTree, WriteError> {
        let fail = |field: &Field, message: String| Err(WriteError::new(WriteCause::Tree, field.name, message));
        for (field, value) in core::mem::take(&mut self.early) {
            let Kind::Union(union) = field.kind else { continue };
            let ty = match member(union, self.tag(field).unwrap_or(0)) {
                Ok(ty) => ty,
                Err(message) => return fail(field, message),
            };
            let trace = TreeReader::default();
            let table = read_table(&value, ty, depth, &trace);
            let table = table.map_err(|_| trace.take_or_json().within(field.name))?;
            self.tree.put(field, table.into());
        }
        for field in self.tree.ty().fields {
            let Kind::Union(union) = field.kind else { continue };
            let tag = self.tag(field).unwrap_or(0);
            if tag == 0 || self.given.contains(&field.slot) {
                continue;
            }
            match union.member(tag) {
                // Readers accept a union without a value if the type of the value has no fields.
                Some(member) if member.fields.is_empty() => {}
                Some(_) => return fail(field, format!("the {} has a type but no value", union.name)),
                None => self.tree.put(field, FieldValue::opaque()),
            }
        }
        // Zeros are already removed from the child tables.
        self.tree.elide_own_defaults();
        Ok(self.tree)
    }
}

fn unknown_member(ty: &TableType) -> String {
    let names: Vec<&str> = ty.fields.iter().map(|field| field.name).collect();
    if names.is_empty() {
        return format!("unknown member; expected none, because {} has no fields", ty.name);
    }
    format!("unknown member; expected one of {}", names.join(", "))
}

fn member(union: &'static UnionType, tag: u8) -> Result<&'static TableType, String> {
    union.member(tag).ok_or_else(|| format!("the {} has a value but no known type", union.name))
}

#[cfg(test)]
mod tests;

//! A bundled program, of its own tables and of the specification of the program in it.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use torchproof::bundled::schema::BundledProgram;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::view::{Trace, read_tree};

use super::fit::not_placed;
use super::specification::{Into, PROGRAM, Parts, Specification};
use super::{PackOptions, SpecError, expect_size, of_file};
use crate::file::Document;
use crate::file::document::FLATBUFFER_LIMIT;
use crate::text::size::Size;

/// The member of a specification that has the tables of a bundled program.
pub(super) const TABLES: &str = "bundled_program";

/// Where the specification of the program is in that of the bundled one.
pub(super) const INSIDE: &str = "bundled_program.program";

/// Makes the program first, and the tables around its bytes.
pub(super) fn of_bundle(
    tables: TableTree,
    program: Specification,
    options: &PackOptions,
) -> Result<Document, SpecError> {
    let inside = |error: SpecError| error.within(INSIDE);
    let mut program = of_file(program, options).map_err(inside)?;
    let len = program.outline().map_err(|error| inside(not_placed(&error)))?.len;
    if len >= FLATBUFFER_LIMIT {
        let message = format!(
            "the program would have {}, and a FlatBuffer, which holds it, ends before {:#}",
            Size(len),
            Size(FLATBUFFER_LIMIT)
        );
        return Err(SpecError::at(INSIDE, message));
    }
    let mut bundle = Document::bundle(tables, program).map_err(|error| inside(not_placed(&error)))?;
    expect_size(&mut bundle, options)?;
    Ok(bundle)
}

/// The program in a bundled one, as far as it has been read.
#[derive(Debug, Default)]
pub(super) struct Inside {
    parts: Option<Box<Parts>>,
    /// Whether reading is in it.
    pub(super) here: bool,
}

impl Inside {
    /// The parts that are being read, or were.
    pub(super) fn parts(&mut self) -> &mut Parts {
        self.parts.get_or_insert_with(|| Box::new(Parts::inside()))
    }

    pub(super) fn into_parts(self) -> Option<Box<Parts>> {
        self.parts
    }

    fn read<'de, A: MapAccess<'de>>(&mut self, members: &mut A) -> Result<(), A::Error> {
        let again = self.parts.is_some();
        self.here = true;
        if again {
            return self.parts().fail(SpecError::at("", "is there twice"));
        }
        members.next_value_seed(Into { parts: self.parts() })?;
        self.here = false;
        Ok(())
    }
}

/// Reads the tables, and the program among them.
pub(super) struct Bundle<'b> {
    pub(super) inside: &'b mut Inside,
    pub(super) trace: &'b Trace,
}

impl<'de> DeserializeSeed<'de> for Bundle<'_> {
    type Value = TableTree;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<TableTree, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bundle<'_> {
    type Value = TableTree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the object of a bundled program's tables")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<TableTree, A::Error> {
        let tables = Tables { members, inside: self.inside };
        read_tree(MapAccessDeserializer::new(tables), BundledProgram::TYPE, self.trace)
    }
}

/// The members of a bundled program's object without the program, which is read as they are gone through.
struct Tables<'b, A> {
    members: A,
    inside: &'b mut Inside,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Tables<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(name) = self.members.next_key::<String>()? {
            if name != PROGRAM {
                return seed.deserialize(name.into_deserializer()).map(Some);
            }
            self.inside.read(&mut self.members)?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.members.next_value_seed(seed)
    }
}

//! A specification as it is written down: its tables as a tree, and the rest of it as JSON.

use std::fmt;
use std::io::Read;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use serde_json::Value;
use torchproof::bundled::schema::BundledProgram;
use torchproof::flatbuffer::schema::{TableType, TableView};
use torchproof::flatbuffer::tree::TableTree;
use torchproof::ptd::older_schema::OlderFlatTensor;
use torchproof::ptd::schema::FlatTensor;
use torchproof::pte::schema::Program;
use torchproof::view::{Strict, Trace, is_not, read_tree, to_tree};
use torchproof::write::WriteCause;

use super::SpecError;

/// What a specification makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpecKind {
    Program,
    Data,
    LegacyData,
}

impl SpecKind {
    fn of(name: &str) -> Option<Self> {
        match name {
            "pte" => Some(SpecKind::Program),
            "ptd" => Some(SpecKind::Data),
            "ptd-legacy" => Some(SpecKind::LegacyData),
            _ => None,
        }
    }

    /// The member that holds the root table.
    pub(super) fn root(self) -> &'static str {
        if self == SpecKind::Program { PROGRAM } else { FLAT_TENSOR }
    }

    fn ty(self) -> &'static TableType {
        match self {
            SpecKind::Program => Program::TYPE,
            SpecKind::Data => FlatTensor::TYPE,
            SpecKind::LegacyData => OlderFlatTensor::TYPE,
        }
    }
}

/// The member of a specification that has the tables of a bundled program.
pub(super) const TABLES: &str = "bundled_program";

/// Where the specification of the program is in that of the bundled one.
pub(super) const INSIDE: &str = "bundled_program.program";

const PROGRAM: &str = "program";
const FLAT_TENSOR: &str = "flat_tensor";

/// What has been read.
#[derive(Debug)]
pub(super) enum Given {
    /// A file.
    File(Specification),
    /// A bundled program: the tables around the program, and that.
    Bundle(TableTree, Specification),
}

/// The specification of a file.
#[derive(Debug)]
pub(super) struct Specification {
    pub(super) made: SpecKind,
    pub(super) root: TableTree,
    /// `null` where that is what is written there.
    pub(super) header: Option<Value>,
    pub(super) segments: Option<Value>,
}

impl Given {
    /// Reads a specification as it comes: it takes the memory of its tables and of what it has of segments, however long it is.
    pub(super) fn read(json: impl Read) -> Result<Self, SpecError> {
        let mut parts = Parts::default();
        let mut json = serde_json::Deserializer::from_reader(json);
        let read = Into { parts: &mut parts }.deserialize(&mut json).and_then(|()| json.end());
        read.map_err(|error| parts.error(&error))?;
        parts.finish()
    }
}

/// The members of a specification, as far as they have been read.
#[derive(Debug, Default)]
struct Parts {
    kind: Option<Value>,
    header: Option<Value>,
    segments: Option<Value>,
    program: Option<TableTree>,
    flat_tensor: Option<Root>,
    tables: Option<TableTree>,
    inside: Inside,
    /// Whether they are those of the program in a bundled one.
    of_inside: bool,
    /// Where reading is.
    at: String,
    trace: Trace,
    /// What is wrong, where it is not in a table.
    problem: Option<SpecError>,
}

/// The program in a bundled one, as far as it has been read.
#[derive(Debug, Default)]
struct Inside {
    parts: Option<Box<Parts>>,
    /// Whether reading is in it.
    here: bool,
}

impl Inside {
    /// The parts that are being read, or were.
    fn parts(&mut self) -> &mut Parts {
        self.parts.get_or_insert_with(|| Box::new(Parts::inside()))
    }

    fn into_parts(self) -> Option<Box<Parts>> {
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

/// The root of a data file, which is of one of two types: as JSON if `kind` is behind it.
#[derive(Debug)]
enum Root {
    Tree(TableTree),
    Json(Value),
}

impl Parts {
    /// Those of the program in a bundled one, which is of no other kind.
    fn inside() -> Self {
        Self { of_inside: true, ..Self::default() }
    }

    fn made(&self) -> Option<SpecKind> {
        self.kind.as_ref().and_then(Value::as_str).and_then(SpecKind::of)
    }

    fn read<'de, A: MapAccess<'de>>(&mut self, name: &str, members: &mut A) -> Result<(), A::Error> {
        let twice = match name {
            "kind" => self.kind.is_some(),
            "header" => self.header.is_some(),
            "segments" => self.segments.is_some(),
            PROGRAM => self.program.is_some(),
            FLAT_TENSOR if !self.of_inside => self.flat_tensor.is_some(),
            TABLES if !self.of_inside => self.tables.is_some(),
            _ => {
                let known = if self.of_inside { "program" } else { "program, flat_tensor, bundled_program" };
                let message = format!("is unknown there; known are kind, header, {known} and segments");
                return self.fail(SpecError::at(name.escape_debug().to_string(), message));
            }
        };
        if twice {
            return self.fail(SpecError::at(name, "is there twice"));
        }
        let json = |members: &mut A| members.next_value().map(|Strict(value)| value);
        match (name, self.made()) {
            ("kind", _) => self.kind = Some(json(members)?),
            ("header", _) => self.header = Some(json(members)?),
            ("segments", _) => self.segments = Some(json(members)?),
            (PROGRAM, _) => self.program = Some(members.next_value_seed(Tree(Program::TYPE, &self.trace))?),
            (TABLES, _) => {
                let bundle = Bundle { inside: &mut self.inside, trace: &self.trace };
                self.tables = Some(members.next_value_seed(bundle)?);
            }
            (_, Some(made @ (SpecKind::Data | SpecKind::LegacyData))) => {
                self.flat_tensor = Some(Root::Tree(members.next_value_seed(Tree(made.ty(), &self.trace))?));
            }
            _ => self.flat_tensor = Some(Root::Json(json(members)?)),
        }
        Ok(())
    }

    fn fail<T, E: Error>(&mut self, error: SpecError) -> Result<T, E> {
        let message = E::custom(&error);
        self.problem = Some(error);
        Err(message)
    }

    /// What is wrong, when reading failed with `error`.
    fn error(&mut self, error: &serde_json::Error) -> SpecError {
        if error.is_io() {
            return SpecError::at("", error.to_string());
        }
        if self.inside.here {
            return self.inside.parts().error(error).within(INSIDE);
        }
        let at = std::mem::take(&mut self.at);
        let in_table = self.trace.take().map(|error| error.within(&at));
        match (self.problem.take(), in_table) {
            (Some(problem), _) => problem,
            (None, Some(found)) if found.cause != WriteCause::Json => found.into(),
            (None, Some(found)) => SpecError::at(found.path(), error.to_string()),
            (None, None) => SpecError::at(at, error.to_string()),
        }
    }

    /// The kind that is told; `None` for a bundled program, which that in one is not.
    fn told(&self) -> Result<Option<SpecKind>, SpecError> {
        let (all, others) = if self.of_inside {
            ("pte", "the program in a bundled one is a pte")
        } else {
            ("pte, ptd, ptd-legacy or bpte", "none of pte, ptd, ptd-legacy and bpte")
        };
        match &self.kind {
            None => Err(SpecError::at("kind", format!("is missing: {all}"))),
            Some(Value::String(kind)) => match SpecKind::of(kind) {
                Some(made) if made == SpecKind::Program || !self.of_inside => Ok(Some(made)),
                None if kind == "bpte" && !self.of_inside => Ok(None),
                _ => Err(SpecError::at("kind", format!("is \"{}\", and {others}", kind.escape_debug()))),
            },
            Some(other) => Err(SpecError::at("kind", is_not(other, "a string"))),
        }
    }

    fn finish(self) -> Result<Given, SpecError> {
        match self.told()? {
            Some(made) => self.finish_file(made).map(Given::File),
            None => self.finish_bundle(),
        }
    }

    fn finish_bundle(mut self) -> Result<Given, SpecError> {
        self.expect_only(TABLES, "bundled program")?;
        match &self.header {
            None | Some(Value::Null) => {}
            Some(header) => {
                return Err(SpecError::at("header", is_not(header, "null, as that of a bundled program")));
            }
        }
        match &self.segments {
            None => {}
            Some(Value::Array(none)) if none.is_empty() => {}
            Some(Value::Array(_)) => {
                let message = "are not empty, and a bundled program has none but those of the program in it";
                return Err(SpecError::at("segments", message));
            }
            Some(other) => return Err(SpecError::at("segments", is_not(other, "an array"))),
        }
        let tables = self.tables.take().ok_or_else(|| SpecError::at(TABLES, "is missing"))?;
        let inside = self.inside.into_parts().ok_or_else(|| SpecError::at(INSIDE, "is missing"))?;
        // It is of this kind or of none.
        let program = inside.told().and_then(|_| inside.finish_file(SpecKind::Program));
        let program = program.map_err(|error| error.within(INSIDE))?;
        Ok(Given::Bundle(tables, program))
    }

    /// Fails for the root of another kind of file.
    fn expect_only(&self, root: &str, what: &str) -> Result<(), SpecError> {
        let roots = [
            (PROGRAM, self.program.is_some()),
            (FLAT_TENSOR, self.flat_tensor.is_some()),
            (TABLES, self.tables.is_some()),
        ];
        match roots.iter().find(|(name, there)| *there && *name != root) {
            None => Ok(()),
            Some((odd, _)) => Err(SpecError::at(*odd, format!("does not belong to a {what}"))),
        }
    }

    fn finish_file(self, made: SpecKind) -> Result<Specification, SpecError> {
        self.expect_only(made.root(), if made == SpecKind::Program { "program" } else { "data file" })?;
        let root = match self.flat_tensor {
            None => self.program,
            Some(Root::Tree(tree)) => Some(tree),
            Some(Root::Json(value)) => {
                Some(to_tree(&value, made.ty()).map_err(|error| SpecError::from(error.within(FLAT_TENSOR)))?)
            }
        };
        let root = root.ok_or_else(|| SpecError::at(made.root(), "is missing"))?;
        Ok(Specification { made, root, header: self.header, segments: self.segments })
    }
}

/// Reads a table.
struct Tree<'t>(&'static TableType, &'t Trace);

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = TableTree;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<TableTree, D::Error> {
        read_tree(json, self.0, self.1)
    }
}

/// Reads a specification into its parts.
struct Into<'p> {
    parts: &'p mut Parts,
}

impl<'de> DeserializeSeed<'de> for Into<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Into<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the object of a specification")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            self.parts.at.clone_from(&name);
            self.parts.read(&name, &mut members)?;
            self.parts.at.clear();
        }
        Ok(())
    }
}

/// Reads the tables, and the program among them.
struct Bundle<'b> {
    inside: &'b mut Inside,
    trace: &'b Trace,
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

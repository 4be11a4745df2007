//! A specification as it is written down: its tables as a tree, and the rest of it as JSON.

use std::fmt;
use std::io::Read;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;
use torchproof::flatbuffer::schema::{TableType, TableView};
use torchproof::flatbuffer::tree::TableTree;
use torchproof::ptd::older_schema::OlderFlatTensor;
use torchproof::ptd::schema::FlatTensor;
use torchproof::pte::schema::Program;
use torchproof::view::{Problem, Strict, Trace, read_tree, to_tree};
use torchproof::write::Fault;

use super::SpecError;

/// What a specification makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    Program,
    Data,
    OlderData,
}

impl Made {
    fn of(name: &str) -> Option<Self> {
        match name {
            "pte" => Some(Made::Program),
            "ptd" => Some(Made::Data),
            "ptd-legacy" => Some(Made::OlderData),
            _ => None,
        }
    }

    /// The member that holds the root table.
    pub(super) fn root(self) -> &'static str {
        if self == Made::Program { PROGRAM } else { FLAT_TENSOR }
    }

    fn ty(self) -> &'static TableType {
        match self {
            Made::Program => Program::TYPE,
            Made::Data => FlatTensor::TYPE,
            Made::OlderData => OlderFlatTensor::TYPE,
        }
    }
}

const PROGRAM: &str = "program";
const FLAT_TENSOR: &str = "flat_tensor";

/// A specification that has been read.
#[derive(Debug)]
pub(super) struct Specification {
    pub(super) made: Made,
    pub(super) root: TableTree,
    /// `null` where that is what is written there.
    pub(super) header: Option<Value>,
    pub(super) segments: Option<Value>,
}

impl Specification {
    /// Reads one as it comes: it takes the memory of its tables and of what it has of segments, however long it is.
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
    /// Where reading is.
    at: String,
    trace: Trace,
    /// What is wrong, where it is not in a table.
    problem: Option<SpecError>,
}

/// The root of a data file, which is of one of two types: as JSON if `kind` is behind it.
#[derive(Debug)]
enum Root {
    Tree(TableTree),
    Json(Value),
}

impl Parts {
    fn made(&self) -> Option<Made> {
        self.kind.as_ref().and_then(Value::as_str).and_then(Made::of)
    }

    fn read<'de, A: MapAccess<'de>>(&mut self, name: &str, members: &mut A) -> Result<(), A::Error> {
        let twice = match name {
            "kind" => self.kind.is_some(),
            "header" => self.header.is_some(),
            "segments" => self.segments.is_some(),
            PROGRAM => self.program.is_some(),
            FLAT_TENSOR => self.flat_tensor.is_some(),
            _ => {
                let known = "is unknown there; known are kind, header, program, flat_tensor and segments";
                return self.fail(SpecError::at(name.escape_debug().to_string(), known));
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
            (_, Some(made @ (Made::Data | Made::OlderData))) => {
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
            return SpecError::at("", error.to_string()).by(Fault::Input);
        }
        let at = std::mem::take(&mut self.at);
        let in_table = self.trace.take().map(|error| error.within(&at));
        match (self.problem.take(), in_table) {
            (Some(problem), _) => problem,
            (None, Some(found)) if *found.problem() != Problem::Json => found.into(),
            (None, Some(found)) => SpecError::at(found.path(), error.to_string()),
            (None, None) => SpecError::at(at, error.to_string()),
        }
    }

    fn finish(self) -> Result<Specification, SpecError> {
        let made = match &self.kind {
            None => return Err(SpecError::at("kind", "is missing: pte, ptd or ptd-legacy")),
            Some(Value::String(kind)) => Made::of(kind).ok_or_else(|| {
                SpecError::at("kind", format!("is \"{}\", and none of pte, ptd and ptd-legacy", kind.escape_debug()))
            })?,
            Some(other) => return Err(SpecError::not("kind", &Problem::is_not(other, "a string"))),
        };
        let program = made == Made::Program;
        let (odd, there) =
            if program { (FLAT_TENSOR, self.flat_tensor.is_some()) } else { (PROGRAM, self.program.is_some()) };
        if there {
            let what = if program { "program" } else { "data file" };
            return Err(SpecError::at(odd, format!("does not belong to a {what}")));
        }
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

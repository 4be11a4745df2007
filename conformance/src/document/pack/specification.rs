//! A parsed specification, with tables as trees and other members as JSON.

use std::fmt;
use std::io::Read;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};
use torchproof::FileKind;
use torchproof::bundled::schema::BundledProgram;
use torchproof::flatbuffer::schema::{TableType, TableView};
use torchproof::flatbuffer::tree::TableTree;
use torchproof::ptd::legacy_schema::LegacyFlatTensor;
use torchproof::ptd::schema::FlatTensor;
use torchproof::pte::schema::Program;
use torchproof::view::{StrictValue, TreeReader, to_tree};
use torchproof::write::WriteCause;
use torchproof_harness::text::json::json_fault;

use super::SpecError;

pub(super) const INSIDE: &str = "bundled_program.program";
const PROGRAM: &str = "program";
const EXPECTED: &str = "JSON as `torchproof dump` prints it";
const KINDS: [FileKind; 4] = [FileKind::Pte, FileKind::Ptd, FileKind::PtdLegacy, FileKind::Bpte];

fn root_of(kind: FileKind) -> (&'static str, &'static TableType) {
    match kind {
        FileKind::Pte => (PROGRAM, Program::TYPE),
        FileKind::Bpte => ("bundled_program", BundledProgram::TYPE),
        FileKind::PtdLegacy => ("flat_tensor", LegacyFlatTensor::TYPE),
        _ => ("flat_tensor", FlatTensor::TYPE),
    }
}

pub(super) fn root_member(kind: FileKind) -> &'static str {
    root_of(kind).0
}

#[derive(Debug)]
pub(super) struct Specification {
    pub(super) kind: FileKind,
    pub(super) root: TableTree,
    /// The member `header`; `Some(Null)` for an explicit `null`.
    pub(super) header: Option<Value>,
    pub(super) segments: Option<Value>,
    pub(super) program: Option<Box<Specification>>,
}

impl Specification {
    /// For a program, keeps only the tree and drops the JSON.
    pub(super) fn read(json: impl Read) -> Result<Self, SpecError> {
        let mut json = serde_json::Deserializer::from_reader(json);
        let members = Members::read(&mut json)?;
        json.end().map_err(|error| SpecError::at("", json_fault(&error, EXPECTED)))?;
        members.finish(&KINDS)
    }
}

#[derive(Debug, Default)]
struct Members {
    /// The members; a program's tables are `null`, because their JSON can be large.
    all: Map<String, Value>,
    program: Option<TableTree>,
    at: String,
    reader: TreeReader,
}

impl Members {
    fn read<'de, D: Deserializer<'de, Error = serde_json::Error>>(json: D) -> Result<Self, SpecError> {
        let mut members = Self::default();
        let Err(error) = json.deserialize_any(&mut members) else { return Ok(members) };
        let in_table = members.reader.take().map(|error| error.within(&members.at));
        Err(match in_table {
            Some(found) if found.cause != WriteCause::Json => found.into(),
            Some(found) => SpecError::at(found.path(), json_fault(&error, EXPECTED)),
            None => SpecError::at(members.at.escape_debug().to_string(), json_fault(&error, EXPECTED)),
        })
    }

    fn finish(mut self, kinds: &[FileKind]) -> Result<Specification, SpecError> {
        let names = || match kinds {
            [kind] => kind.name().to_owned(),
            _ => format!("one of {}", kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")),
        };
        let kind = match self.all.remove("kind") {
            None => Err(format!("missing; expected {}", names())),
            Some(Value::String(name)) => {
                let kind = kinds.iter().copied().find(|kind| kind.name() == name);
                kind.ok_or_else(|| format!("found {name:?}, expected {}", names()))
            }
            Some(_) => Err(format!("found no string, expected {}", names())),
        };
        let kind = kind.map_err(|message| SpecError::at("kind", message))?;
        let (member, ty) = root_of(kind);
        let missing = |member| SpecError::at(member, "missing; expected an object");
        let mut root = self.all.remove(member).ok_or_else(|| missing(member))?;
        let tables = root.as_object_mut().filter(|_| kind == FileKind::Bpte);
        let inside = tables.and_then(|tables| tables.remove(PROGRAM));
        let root = match self.program {
            Some(program) if kind == FileKind::Pte => program,
            _ => to_tree(&root, ty).map_err(|error| error.within(member))?,
        };
        let (header, segments) = (self.all.remove("header"), self.all.remove("segments"));
        if let Some(name) = self.all.keys().next() {
            let message = format!("unknown member; expected one of kind, header, {member}, segments");
            return Err(SpecError::at(name.escape_debug().to_string(), message));
        }
        let mut program = None;
        if kind == FileKind::Bpte {
            if header.as_ref().is_some_and(|header| !header.is_null()) {
                return Err(SpecError::at("header", "expected null, because a bundled program has no header"));
            }
            if segments.as_ref().is_some_and(|list| list.as_array().is_none_or(|list| !list.is_empty())) {
                let message = "expected an empty list, because the segments belong to `bundled_program.program`";
                return Err(SpecError::at("segments", message));
            }
            let inside = Self::read(inside.ok_or_else(|| missing(INSIDE))?);
            let inside = inside.and_then(|members| members.finish(&[FileKind::Pte]));
            program = Some(Box::new(inside.map_err(|error| error.within(INSIDE))?));
        }
        Ok(Specification { kind, root, header, segments, program })
    }
}

impl<'de> Visitor<'de> for &mut Members {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            self.at.clone_from(&name);
            if self.all.contains_key(&name) {
                return Err(A::Error::custom("duplicate member; expected one"));
            }
            let value = if name == PROGRAM {
                self.program = Some(members.next_value_seed(Tree(Program::TYPE, &self.reader))?);
                Value::Null
            } else {
                members.next_value::<StrictValue>()?.0
            };
            self.all.insert(name, value);
            self.at.clear();
        }
        Ok(())
    }
}

struct Tree<'t>(&'static TableType, &'t TreeReader);

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = TableTree;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<TableTree, D::Error> {
        self.1.read(json, self.0)
    }
}

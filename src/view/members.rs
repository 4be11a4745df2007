//! The members of a file's JSON object.

use serde::Serialize;
use serde::ser::{Error as _, SerializeMap, SerializeSeq, Serializer};

use super::root::{Bundle, Root};
use super::table::{Hex, TableJson};
use super::{File, ViewError};
use crate::FileKind;
use crate::bundled::schema::BundledProgram;
use crate::flatbuffer::schema::TableView;
use crate::ptd::{self, Layout, Ptd};
use crate::pte::{self, Pte};

impl Serialize for File<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.root {
            Root::Pte(program) => Program { file: self, program }.serialize(serializer),
            Root::Ptd(data) => self.data_file(data, serializer),
            Root::Bpte(bundle) => self.bundle(bundle, serializer),
        }
    }
}

impl File<'_> {
    fn data_file<S: Serializer>(&self, data: &Ptd<'_>, serializer: S) -> Result<S::Ok, S::Error> {
        let header = PtdHeader::from(data.header());
        let tables = match data.layout() {
            Layout::Current(root) => TableJson::of(root),
            Layout::Legacy(root) => TableJson::of(root),
        };
        whole(serializer, self.kind(), &header, "flat_tensor", &tables, &Segments(self))
    }

    fn bundle<S: Serializer>(&self, bundle: &Bundle<'_>, serializer: S) -> Result<S::Ok, S::Error> {
        let tables = BundleTables { file: self, bundle };
        whole(serializer, self.kind(), &(), "bundled_program", &tables, &[(); 0])
    }

    fn segment_json(&self, index: u32) -> Result<Segment<'_>, ViewError> {
        let (offset, size) = self.root.segment_entry(index)?.unwrap_or_default();
        let sha256 = match &self.digests {
            Some(digests) => {
                let span = self.root.segment(index)?;
                digests.get(&(span.offset, span.len)).map(|digest| Hex(digest))
            }
            None => None,
        };
        Ok(Segment { offset, size, sha256, data: self.data.get(index as usize) })
    }
}

/// Writes the four members that every file has.
fn whole<S: Serializer>(
    serializer: S,
    kind: FileKind,
    header: &impl Serialize,
    root: &'static str,
    tables: &impl Serialize,
    segments: &impl Serialize,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(4))?;
    map.serialize_entry("kind", &kind)?;
    map.serialize_entry("header", header)?;
    map.serialize_entry(root, tables)?;
    map.serialize_entry("segments", segments)?;
    map.end()
}

/// `file` is the whole file and provides the segments.
struct Program<'f, 'a> {
    file: &'f File<'a>,
    program: &'f Pte<'a>,
}

impl Serialize for Program<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let header = self.program.header().map(PteHeader::from);
        let tables = TableJson::of(self.program.program());
        whole(serializer, FileKind::Pte, &header, "program", &tables, &Segments(self.file))
    }
}

/// The JSON of the inner program replaces the program's bytes.
struct BundleTables<'f, 'a> {
    file: &'f File<'a>,
    bundle: &'f Bundle<'a>,
}

impl Serialize for BundleTables<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { file, bundle } = self;
        let table = TableJson::of(bundle.root);
        let mut map = serializer.serialize_map(None)?;
        for field in BundledProgram::TYPE.fields {
            if field.name == Bundle::PROGRAM {
                map.serialize_entry(field.name, &Program { file, program: &bundle.program })?;
            } else {
                table.entry(&mut map, field)?;
            }
        }
        map.end()
    }
}

#[derive(Serialize)]
struct PteHeader {
    length: u32,
    program_size: u64,
    segment_base_offset: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    segment_data_size: Option<u64>,
}

impl From<pte::ExtendedHeader> for PteHeader {
    fn from(header: pte::ExtendedHeader) -> Self {
        let pte::ExtendedHeader { length, program_size, segment_base_offset, segment_data_size } = header;
        Self { length, program_size, segment_base_offset, segment_data_size }
    }
}

#[derive(Serialize)]
struct PtdHeader {
    length: u32,
    flatbuffer_offset: u64,
    flatbuffer_size: u64,
    segment_base_offset: u64,
    segment_data_size: u64,
}

impl From<ptd::FlatTensorHeader> for PtdHeader {
    fn from(header: ptd::FlatTensorHeader) -> Self {
        let ptd::FlatTensorHeader {
            length,
            flatbuffer_offset,
            flatbuffer_size,
            segment_base_offset,
            segment_data_size,
        } = header;
        Self { length, flatbuffer_offset, flatbuffer_size, segment_base_offset, segment_data_size }
    }
}

#[derive(Serialize)]
struct Segment<'a> {
    offset: u64,
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<Hex<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a serde_json::Value>,
}

struct Segments<'f, 'a>(&'f File<'a>);

impl Serialize for Segments<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let file = self.0;
        let count = file.root.segment_count().map_err(S::Error::custom)?;
        let mut list = serializer.serialize_seq(Some(count as usize))?;
        for index in 0..count {
            list.serialize_element(&file.segment_json(index).map_err(S::Error::custom)?)?;
        }
        list.end()
    }
}

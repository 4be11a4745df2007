//! The fields of a header with their meanings.

use serde::Serialize;
use torchproof::FileBytes;
use torchproof::ptd::FlatTensorHeader;
use torchproof::pte::ExtendedHeader;

/// A field of the header.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeaderField {
    /// The field's name.
    pub name: &'static str,
    /// The value.
    pub value: u64,
    /// The value's meaning.
    pub meaning: String,
}

fn field(name: &'static str, value: u64, meaning: impl Into<String>) -> HeaderField {
    HeaderField { name, value, meaning: meaning.into() }
}

/// Returns no fields if the file has no header, or if the header cannot be read.
pub(super) fn of_program(bytes: FileBytes<'_>) -> Vec<HeaderField> {
    let Ok(Some(header)) = ExtendedHeader::find(bytes.bytes()) else { return Vec::new() };
    let size = header.program_size;
    let mut fields = vec![
        field("length", header.length.into(), "size of the header eh00"),
        field("program_size", size, format!("the FlatBuffer with the header ends at {size:#x}")),
        base(header.segment_base_offset),
    ];
    fields.extend(header.segment_data_size.map(|size| data_size(header.segment_base_offset, size)));
    fields
}

/// Returns no fields if the header cannot be read.
pub(super) fn of_data(bytes: FileBytes<'_>) -> Vec<HeaderField> {
    let Ok(header) = FlatTensorHeader::find(bytes.bytes()) else { return Vec::new() };
    let rest = format!("size of the FlatBuffer after the header; it {}", ends(header.flatbuffer_end()));
    vec![
        field("length", header.length.into(), "size of the header FH01"),
        field("flatbuffer_offset", header.flatbuffer_offset, "size of the header with its padding"),
        field("flatbuffer_size", header.flatbuffer_size, rest),
        base(header.segment_base_offset),
        data_size(header.segment_base_offset, header.segment_data_size),
    ]
}

fn base(base: u64) -> HeaderField {
    let meaning = if base == 0 { "there are no segments".to_owned() } else { format!("segments begin at {base:#x}") };
    field("segment_base_offset", base, meaning)
}

fn data_size(base: u64, size: u64) -> HeaderField {
    field("segment_data_size", size, format!("size of the segment data; it {}", ends(base.checked_add(size))))
}

fn ends(end: Option<u64>) -> String {
    end.map_or("would end past 2^64".to_owned(), |end| format!("ends at {end:#x}"))
}

//! The numbers of a specification's header.

use serde::Deserialize;
use serde_json::Value;
use torchproof::{FileKind, ptd, pte};

use super::SpecError;

/// A header's numbers, as far as they are given.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object of a header's numbers")]
pub(super) struct Numbers {
    pub(super) length: Option<u32>,
    pub(super) program_size: Option<u64>,
    pub(super) flatbuffer_offset: Option<u64>,
    pub(super) flatbuffer_size: Option<u64>,
    pub(super) segment_base_offset: Option<u64>,
    pub(super) segment_data_size: Option<u64>,
}

impl Numbers {
    pub(super) fn read(value: Value, kind: FileKind, raw: bool) -> Result<Self, SpecError> {
        let fail = |message| Err(SpecError::at("header", message));
        let numbers: Self = match serde_json::from_value(value) {
            Ok(numbers) => numbers,
            Err(error) => return fail(error.to_string()),
        };
        let (program, data) = (numbers.program_size, numbers.flatbuffer_offset.or(numbers.flatbuffer_size));
        match numbers.length {
            _ if kind == FileKind::Pte && data.is_some() => {
                fail("flatbuffer_offset and flatbuffer_size are not a program's".to_owned())
            }
            _ if kind != FileKind::Pte && program.is_some() => fail("program_size is not a data file's".to_owned()),
            // It would be written over the FlatBuffer.
            Some(length @ ..pte::ExtendedHeader::LENGTH_WITH_DATA_SIZE)
                if numbers.segment_data_size.is_some() && !raw =>
            {
                fail(format!("segment_data_size is given, and a header of {length} bytes does not hold it"))
            }
            _ => Ok(numbers),
        }
    }

    /// These numbers, and those of the file's first bytes where none is given: the header from its length on. `None` when
    /// there is no header in the file.
    pub(super) fn over(&self, head: &[u8]) -> Option<Vec<u8>> {
        let base = |found| self.segment_base_offset.unwrap_or(found);
        let (length, words) = match (pte::ExtendedHeader::find(head), ptd::FlatTensorHeader::find(head)) {
            (Ok(Some(found)), _) => {
                let size = self.segment_data_size.or(found.segment_data_size);
                let words = [self.program_size.unwrap_or(found.program_size), base(found.segment_base_offset)];
                (found.length, words.into_iter().chain(size).collect::<Vec<_>>())
            }
            (_, Ok(found)) => {
                let offset = self.flatbuffer_offset.unwrap_or(found.flatbuffer_offset);
                // The FlatBuffer ends where it does, whatever the offset says of its beginning.
                let size = || found.flatbuffer_end().unwrap_or(u64::MAX).saturating_sub(offset);
                let words = [
                    offset,
                    self.flatbuffer_size.unwrap_or_else(size),
                    base(found.segment_base_offset),
                    self.segment_data_size.unwrap_or(found.segment_data_size),
                ];
                (found.length, words.to_vec())
            }
            _ => return None,
        };
        let words = words.into_iter().flat_map(u64::to_le_bytes);
        Some(self.length.unwrap_or(length).to_le_bytes().into_iter().chain(words).collect())
    }
}

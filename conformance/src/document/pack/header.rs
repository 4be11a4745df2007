//! The numbers of a specification's header.

use serde_json::Value;
use torchproof::{FileKind, ptd, pte};

use super::SpecError;
use super::members::Members;

const OF_PROGRAM: &[&str] = &["length", "program_size", "segment_base_offset", "segment_data_size"];

const OF_DATA: &[&str] =
    &["length", "flatbuffer_offset", "flatbuffer_size", "segment_base_offset", "segment_data_size"];

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HeaderNumbers {
    pub(super) length: Option<u32>,
    pub(super) program_size: Option<u64>,
    pub(super) flatbuffer_offset: Option<u64>,
    pub(super) flatbuffer_size: Option<u64>,
    pub(super) segment_base_offset: Option<u64>,
    pub(super) segment_data_size: Option<u64>,
}

impl HeaderNumbers {
    pub(super) fn read(value: Value, kind: FileKind) -> Result<Self, SpecError> {
        let mut members = Members::read(value, if kind == FileKind::Pte { OF_PROGRAM } else { OF_DATA })?;
        let numbers = Self {
            length: members.take("length")?,
            program_size: members.take("program_size")?,
            flatbuffer_offset: members.take("flatbuffer_offset")?,
            flatbuffer_size: members.take("flatbuffer_size")?,
            segment_base_offset: members.take("segment_base_offset")?,
            segment_data_size: members.take("segment_data_size")?,
        };
        let short = numbers.length.filter(|length| *length < pte::ExtendedHeader::LENGTH_WITH_DATA_SIZE);
        if let Some(length) = short
            && numbers.segment_data_size.is_some()
        {
            // In a header shorter than 32 bytes, `segment_data_size` would overwrite the FlatBuffer.
            let message = format!("found a header of {length} bytes, expected at least 32 for this member");
            return Err(SpecError::at("segment_data_size", message));
        }
        Ok(numbers)
    }

    /// The header from the length field on; `None` if the file has none. Omitted numbers come from the planned `head`.
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
                // From the given offset to the planned end of the FlatBuffer.
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

//! The numbers of a specification's header.

use serde_json::Value;
use torchproof::view::is_not;
use torchproof::{FoundHeader, ptd, pte};

use super::SpecError;
use super::members::{Members, ULONG};
use super::specification::SpecKind;

/// What a specification says of the header.
#[derive(Clone, Copy, Debug)]
pub(super) enum Header {
    /// Nothing.
    Usual,
    /// That there is none.
    None,
    /// These numbers of it.
    Given(Numbers),
}

/// A header's numbers, as far as they are given.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    pub(super) length: Option<u32>,
    pub(super) program_size: Option<u64>,
    pub(super) flatbuffer_offset: Option<u64>,
    pub(super) flatbuffer_size: Option<u64>,
    pub(super) segment_base_offset: Option<u64>,
    pub(super) segment_data_size: Option<u64>,
}

impl Header {
    pub(super) fn read(value: Option<Value>, made: SpecKind, raw: bool) -> Result<Self, SpecError> {
        let program = made == SpecKind::Program;
        let value = match value {
            None => return Ok(Header::Usual),
            Some(Value::Null) if program => return Ok(Header::None),
            Some(Value::Null) => {
                return Err(SpecError::at("header", "null is not a data file's, which always has one"));
            }
            Some(value) => value,
        };
        if !value.is_object() {
            return Err(SpecError::at("header", is_not(&value, "a header's object")));
        }
        let mut members = Members::of("header", value)?;
        let mut numbers = Numbers { length: members.whole("length", "a uint")?, ..Numbers::default() };
        for (name, programs, number) in [
            ("program_size", Some(true), &mut numbers.program_size),
            ("flatbuffer_offset", Some(false), &mut numbers.flatbuffer_offset),
            ("flatbuffer_size", Some(false), &mut numbers.flatbuffer_size),
            ("segment_base_offset", None, &mut numbers.segment_base_offset),
            ("segment_data_size", None, &mut numbers.segment_data_size),
        ] {
            *number = members.whole(name, ULONG)?;
            if number.is_some() && programs.is_some_and(|programs| programs != program) {
                let whose = if program { "a program's" } else { "a data file's" };
                return Err(SpecError::at(members.path(name), format!("is not {whose}")));
            }
        }
        members.finish(if program {
            "length, program_size, segment_base_offset and segment_data_size"
        } else {
            "length, flatbuffer_offset, flatbuffer_size, segment_base_offset and segment_data_size"
        })?;
        if !raw {
            numbers.expect_length(program)?;
        }
        Ok(Header::Given(numbers))
    }

    pub(super) fn given(self) -> Option<Numbers> {
        match self {
            Header::Given(numbers) => Some(numbers),
            _ => None,
        }
    }
}

impl Numbers {
    /// Fails for a header that is too short for its numbers.
    fn expect_length(&self, program: bool) -> Result<(), SpecError> {
        let least = if program { pte::header::MIN_LENGTH } else { ptd::header::MIN_LENGTH };
        match self.length {
            Some(length) if length < least => Err(SpecError::at(
                "header.length",
                format!("{length} is given, and a header has at least {least} bytes"),
            )),
            Some(length) if length < pte::header::LENGTH_WITH_DATA_SIZE && self.segment_data_size.is_some() => {
                let message = format!("is given, and a header of {length} bytes does not hold it");
                Err(SpecError::at("header.segment_data_size", message))
            }
            _ => Ok(()),
        }
    }

    /// These numbers, and those of the file's first bytes where none is given: the header from its length on. `None` when
    /// there is no header in the file.
    pub(super) fn over(&self, head: &[u8]) -> Option<Vec<u8>> {
        let (length, words) = match (pte::ExtendedHeader::find(head), ptd::FlatTensorHeader::find(head)) {
            (FoundHeader::Header(found), _) => {
                let length = self.length.unwrap_or(found.length);
                let size = self.segment_data_size.or(found.segment_data_size);
                let words =
                    [self.program_size.unwrap_or(found.program_size), self.base_over(found.segment_base_offset)];
                (length, words.into_iter().chain(size).collect::<Vec<_>>())
            }
            (_, FoundHeader::Header(found)) => {
                let offset = self.flatbuffer_offset.unwrap_or(found.flatbuffer_offset);
                // The FlatBuffer ends where it does, whatever the offset says of its beginning.
                let size = || found.flatbuffer_end().unwrap_or(u64::MAX).saturating_sub(offset);
                let words = [
                    offset,
                    self.flatbuffer_size.unwrap_or_else(size),
                    self.base_over(found.segment_base_offset),
                    self.segment_data_size.unwrap_or(found.segment_data_size),
                ];
                (self.length.unwrap_or(found.length), words.to_vec())
            }
            _ => return None,
        };
        let words = words.into_iter().flat_map(u64::to_le_bytes);
        Some(length.to_le_bytes().into_iter().chain(words).collect())
    }

    fn base_over(&self, found: u64) -> u64 {
        self.segment_base_offset.unwrap_or(found)
    }
}

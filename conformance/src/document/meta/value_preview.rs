//! Decodes a metadata value of a file for display.

use std::io::{self, Read};

use torchproof::Span;
use torchproof::metadata::{DecodeError, DecodedValue, Encoding, MetadataValue, ValueType, type_of};
use torchproof::named;
use torchproof_harness::disk::input::{Input, InputError};

use super::value::ValueText;

const MAX_READ: u64 = 64 << 10;
const SHOWN: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DeclaredType {
    pub ty: Option<(ValueType, TypeSource)>,
    pub encoding: Option<Encoding>,
}

impl DeclaredType {
    #[must_use]
    pub fn or_well_known(self, key: &[u8]) -> Self {
        let known = || type_of(key).map(|ty| (ty, TypeSource::WellKnown));
        Self { ty: self.ty.or_else(known), ..self }
    }
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TypeSource {
        Declared = "declared",
        WellKnown = "well-known",
        Tag = "tag",
        Inferred = "inferred",
    }
}

/// The first 64 KiB of a value, decoded.
#[derive(Debug)]
pub struct ValuePreview {
    head: Vec<u8>,
    pub size: u64,
    /// If absent, the encoding is inferred.
    pub declared_encoding: Option<Encoding>,
    pub type_source: TypeSource,
    pub decoded: Option<DecodedValue>,
    pub problem: Option<DecodeError>,
}

impl ValuePreview {
    /// If the bytes contradict the declaration, `problem` says how, and the type is inferred instead.
    pub fn at(input: &Input, place: Span, declared: DeclaredType) -> Result<Self, InputError> {
        let preview = Self::read(input.range(place), place.len, declared);
        preview.map_err(|error| InputError::new(input.path(), &error))
    }

    pub fn read(from: impl Read, size: u64, declared: DeclaredType) -> io::Result<Self> {
        let mut head = Vec::new();
        from.take(MAX_READ).read_to_end(&mut head)?;
        Ok(Self::of(head, size, declared))
    }

    fn of(head: Vec<u8>, size: u64, declared: DeclaredType) -> Self {
        let read = |ty, encoding| {
            let decoded = DecodedValue::of(&head, size, ty, encoding)?;
            // A value can be checked only if all of its bytes were read.
            if head.len() as u64 == size {
                decoded.value(&head)?;
            }
            Ok(decoded)
        };
        let ty = declared.ty.map(|(ty, _)| ty);
        let (decoded, problem) = match read(ty, declared.encoding) {
            Ok(decoded) => (Some(decoded), None),
            Err(problem) => (read(None, declared.encoding).ok(), Some(problem)),
        };
        let own = if decoded.is_some_and(|decoded| decoded.tagged) { TypeSource::Tag } else { TypeSource::Inferred };
        let type_source = declared.ty.filter(|_| problem.is_none()).map_or(own, |(_, from)| from);
        Self { head, size, declared_encoding: declared.encoding, type_source, decoded, problem }
    }

    #[must_use]
    pub fn value(&self) -> Option<MetadataValue<'_>> {
        let whole = self.head.len() as u64 == self.size;
        self.decoded.filter(|_| whole).and_then(|decoded| decoded.value(&self.head).ok())
    }

    #[must_use]
    pub fn encoding(&self) -> String {
        match (self.declared_encoding, self.decoded) {
            (Some(encoding), _) => format!("{encoding} (declared)"),
            (None, Some(decoded)) => format!("{} (inferred)", decoded.encoding),
            (None, None) => "none".to_owned(),
        }
    }

    #[must_use]
    pub fn text(&self) -> String {
        let skip = usize::from(self.decoded.is_some_and(|decoded| decoded.tagged));
        let content = self.head.get(skip..).unwrap_or_default();
        match (self.decoded.map(|decoded| decoded.ty), self.value()) {
            (Some(ValueType::String), _) => short_text(content, self.size > self.head.len() as u64),
            (_, Some(value)) if value.ty() != ValueType::Bytes => {
                let text = ValueText(value).to_string();
                match text.char_indices().nth(SHOWN) {
                    Some((at, _)) => format!("{}…", &text[..at]),
                    None => text,
                }
            }
            _ => short_bytes(content),
        }
    }
}

/// Returns text in quotes, escaped. If `more` is true, `bytes` is only the beginning of it.
fn short_text(bytes: &[u8], more: bool) -> String {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{:?}…", &text[..at]),
        None if more => format!("{text:?}…"),
        None => format!("{text:?}"),
    }
}

fn short_bytes(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(SHOWN / 2)];
    let more = if bytes.len() > shown.len() { "…" } else { "" };
    data_encoding::HEXLOWER.encode(shown) + more
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(bytes: &[u8], declared: DeclaredType) -> String {
        let preview = ValuePreview::of(bytes.to_vec(), bytes.len() as u64, declared);
        let ty = preview.decoded.map_or("none", |decoded| decoded.ty.name());
        let problem = preview.problem.map_or(String::new(), |problem| format!("; {problem}"));
        format!("{ty} {} {}{problem}", preview.text(), preview.encoding())
    }

    #[test]
    fn values_are_short_and_printable() {
        let text = DeclaredType { ty: Some((ValueType::String, TypeSource::Declared)), encoding: None };
        let bytes = DeclaredType { ty: Some((ValueType::Bytes, TypeSource::Declared)), encoding: None };
        let list = [&[4, 20, 0, 0, 0][..], &[0xff; 160]].concat();
        insta::assert_snapshot!([
            shown("a\x1b[31mb\u{9b}c\u{202e}d\x01\"\n".as_bytes(), text),
            shown("Grüße, 世界".repeat(9).as_bytes(), text),
            shown(&[0xab; 100], bytes),
            shown(&list, DeclaredType::default()),
            shown(b"", DeclaredType::default()),
        ].join("\n"), @r##"
        string "a\u{1b}[31mb\u{9b}c\u{202e}d\u{1}\"\n" untagged (inferred)
        string "Grüße, 世界Grüße, 世界Grüße, 世界Grüße"… untagged (inferred)
        bytes abababababababababababababababab… untagged (inferred)
        int-list [-1, -1, -1, -1, -1, -1, -1, -1,… tagged (inferred)
        string "" untagged (inferred)
        "##);
    }
}

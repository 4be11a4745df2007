//! A metadata entry as JSON.

use serde::Serialize;
use serde_json::{Value as Json, json};
use torchproof::Error;
use torchproof::flatbuffer::Str;

use super::{TypeSource, ValuePreview, ValueText};

const GUESSED: &str = "guessed";

/// A metadata entry with its value.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// The key with its prefix: a string, or `{"hex": …}` for a key that is not UTF-8.
    key: Json,
    /// The number of bytes of the value, including its tag byte, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(flatten)]
    reading: Option<Read>,
    /// The value: a string, a number, a list of integers, or `{"hex": …}` for bytes. NaN and infinity are strings.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Json>,
    /// `true` if the value is omitted because it has more than 64 KiB.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    left_out: bool,
    /// How the bytes contradict the declared or well-known type, if they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// How a value was decoded: its type and encoding.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Read {
    /// The type: string, int, float, bytes or int-list.
    r#type: &'static str,
    /// The type's source: declared, well-known, tag or guessed.
    type_source: &'static str,
    /// The encoding: untagged, tagged or strict.
    encoding: &'static str,
    /// The encoding's source: declared or guessed.
    encoding_from: &'static str,
    /// `true` if the value's first byte is a tag.
    tagged: bool,
}

impl Row {
    #[must_use]
    pub fn of(key: Str<'_>, preview: Result<&ValuePreview, Error>) -> Self {
        let key = key_json(key);
        let preview = match preview {
            Ok(preview) => preview,
            Err(error) => {
                let problem = Some(error.to_string());
                return Self { key, size: None, reading: None, value: None, left_out: false, problem };
            }
        };
        let reading = preview.decoded.map(|decoded| Read {
            r#type: decoded.ty.name(),
            type_source: if preview.type_source == TypeSource::Inferred { GUESSED } else { preview.type_source.name() },
            encoding: decoded.encoding.name(),
            encoding_from: if preview.declared_encoding.is_some() { "declared" } else { GUESSED },
            tagged: decoded.tagged,
        });
        let value = preview.value().map(|value| ValueText(value).json());
        let left_out = reading.is_some() && value.is_none();
        let problem = preview.problem.map(|problem| problem.to_string());
        Self { key, size: Some(preview.size), reading, value, left_out, problem }
    }
}

fn key_json(key: Str<'_>) -> Json {
    match key.to_str() {
        Ok(key) => json!(key),
        Err(_) => json!({ "hex": data_encoding::HEXLOWER.encode(key.as_bytes()) }),
    }
}

//! Converts bytes and strings of a file to JSON.

use std::hash::Hasher;

use data_encoding::HEXLOWER;
use fnv::FnvHasher;
use serde_json::{Value, json};
use torchproof::flatbuffer::Str;

/// The maximum number of bytes that the JSON contains in full.
const MAX_HEX: usize = 32;

/// Returns up to 32 bytes in hex. For more bytes, returns only their number and hash.
pub(super) fn bytes(bytes: &[u8]) -> Value {
    if bytes.len() <= MAX_HEX {
        return HEXLOWER.encode(bytes).into();
    }
    let mut hash = FnvHasher::default();
    hash.write(bytes);
    json!({"size": bytes.len(), "fnv1a": format!("{:016x}", hash.finish())})
}

/// Returns the string. Like a runtime, returns an empty string if it is absent.
pub(super) fn text<'a>(text: impl Into<Option<Str<'a>>>) -> Value {
    let Some(text) = text.into() else { return "".into() };
    text.to_str().map_or_else(|_| json!({"hex": HEXLOWER.encode(text.as_bytes())}), Value::from)
}

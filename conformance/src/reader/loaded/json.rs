//! JSON forms of a file's bytes and strings.

use std::hash::Hasher;

use data_encoding::HEXLOWER;
use fnv::FnvHasher;
use serde_json::{Value, json};
use torchproof::flatbuffer::Str;

/// The largest number of bytes that the JSON lists in full.
const MAX_HEX: usize = 32;

/// Returns up to 32 bytes in hex, or the size and hash of more.
pub(super) fn bytes(bytes: &[u8]) -> Value {
    if bytes.len() <= MAX_HEX {
        return HEXLOWER.encode(bytes).into();
    }
    let mut hash = FnvHasher::default();
    hash.write(bytes);
    json!({"size": bytes.len(), "fnv1a": format!("{:016x}", hash.finish())})
}

/// Returns the string, empty if absent, as a runtime does.
pub(super) fn text(text: Option<Str<'_>>) -> Value {
    let Some(text) = text else { return "".into() };
    text.to_str().map_or_else(|_| json!({"hex": HEXLOWER.encode(text.as_bytes())}), Value::from)
}

//! Bytes and strings of a file, as JSON.

use std::hash::Hasher;

use data_encoding::HEXLOWER;
use fnv::FnvHasher;
use serde_json::{Value, json};
use torchproof::flatbuffer::Str;

/// Up to how many bytes are told one by one.
const MAX_HEX: usize = 32;

/// The bytes, or when there are many what tells them from others.
pub(super) fn bytes(bytes: &[u8]) -> Value {
    if bytes.len() <= MAX_HEX {
        return HEXLOWER.encode(bytes).into();
    }
    let mut hash = FnvHasher::default();
    hash.write(bytes);
    json!({"size": bytes.len(), "fnv1a": format!("{:016x}", hash.finish())})
}

/// The string, empty when it is absent, as a runtime gives it.
pub(super) fn text(text: Option<Str<'_>>) -> Value {
    let Some(text) = text else { return "".into() };
    text.to_str().map_or_else(|_| json!({"hex": HEXLOWER.encode(text.as_bytes())}), Value::from)
}

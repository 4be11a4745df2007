//! **The `metadata.*` convention over named data**: which keys it covers, and what the well-known ones hold.
//!
//! It is a proposal that no release has adopted, and its drafts encode values in different ways; so what is said here is
//! advice about a file and never a reason to refuse it.

/// What the keys of the convention begin with.
pub const PREFIX: &[u8] = b"metadata.";

/// What a key's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValueType {
    /// UTF-8 text.
    String,
    /// A 64-bit signed number, little-endian.
    Int,
    /// An IEEE 754 binary64 number, little-endian.
    Float,
    /// Whatever the key's user makes of it.
    Bytes,
    /// 64-bit signed numbers behind their count of 32 bits.
    IntList,
}

impl ValueType {
    /// The byte that the tagged drafts put before a value of the type.
    #[must_use]
    pub const fn tag(self) -> u8 {
        match self {
            ValueType::Int => 1,
            ValueType::Float => 2,
            ValueType::String => 3,
            ValueType::IntList => 4,
            ValueType::Bytes => 5,
        }
    }
}

/// The keys that the drafts name, behind the prefix, and their types.
pub static WELL_KNOWN: &[(&str, ValueType)] = &[
    ("general.name", ValueType::String),
    ("general.architecture", ValueType::String),
    ("tokenizer.model", ValueType::Bytes),
    ("tokenizer.vocab_size", ValueType::Int),
    ("tokenizer.bos_token_id", ValueType::Int),
    ("tokenizer.eos_token_id", ValueType::Int),
    ("tokenizer.chat_template", ValueType::String),
    ("tokenizer.bos_id", ValueType::Int),
    ("tokenizer.eos_ids", ValueType::IntList),
    ("context.length", ValueType::Int),
    ("context.max_seq_len", ValueType::Int),
    ("context.max_context_len", ValueType::Int),
    ("model.vocab_size", ValueType::Int),
    ("model.use_kv_cache", ValueType::Int),
    ("model.n_layers", ValueType::Int),
];

/// The type of a well-known key's value.
///
/// ```
/// use torchproof::metadata::{ValueType, type_of};
/// assert_eq!(type_of(b"metadata.context.length"), Some(ValueType::Int));
/// assert_eq!(type_of(b"context.length"), None);
/// ```
#[must_use]
pub fn type_of(key: &[u8]) -> Option<ValueType> {
    let name = key.strip_prefix(PREFIX)?;
    WELL_KNOWN.iter().find(|(known, _)| known.as_bytes() == name).map(|(_, ty)| *ty)
}

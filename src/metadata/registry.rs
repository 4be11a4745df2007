//! The well-known keys and their types.

use super::{PREFIX, ValueType};
use crate::names::strip_prefix;

/// The keys of the proposal and its drafts, without the prefix, and the types of their values.
pub static WELL_KNOWN: &[(&str, ValueType)] = &[
    ("general.name", ValueType::String),
    ("general.architecture", ValueType::String),
    // In the proposal, the value is the name of an algorithm, "BPE".
    ("tokenizer.model", ValueType::String),
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

/// Returns the type of a well-known key, or `None` for other keys.
///
/// ```
/// use torchproof::metadata::{ValueType, type_of};
/// assert_eq!(type_of(b"metadata.context.length"), Some(ValueType::Int));
/// assert_eq!(type_of(b"context.length"), None);
/// ```
#[must_use]
pub fn type_of(key: &[u8]) -> Option<ValueType> {
    let name = strip_prefix(key, PREFIX)?;
    WELL_KNOWN.iter().find(|(known, _)| known.as_bytes() == name).map(|(_, ty)| *ty)
}

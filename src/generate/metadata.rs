//! Entries with well-known keys of the metadata convention.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::maker::Maker;
use crate::metadata::{Encoding, Ints, MetadataValue, PREFIX, ValueType};

/// Draws well-known keys, each with a value of the key's type.
///
/// For the second file of a pair, skips keys that the first file contains.
pub(super) fn entries(maker: &mut Maker<'_>) -> Vec<(String, Vec<u8>)> {
    let count = maker.count(&maker.config.metadata, 2);
    let mut keys = core::mem::take(&mut maker.keys);
    maker.shuffle(&mut keys);
    let count = usize::try_from(count).unwrap_or(usize::MAX).min(keys.len());
    maker.keys = keys.split_off(count);
    let entries = keys.into_iter().map(|(name, ty)| {
        let key = format!("{}{name}", String::from_utf8_lossy(PREFIX));
        (key, value(maker, *ty))
    });
    entries.collect()
}

/// Draws a value of the type `ty`, in an encoding that supports the type.
fn value(maker: &mut Maker<'_>, ty: ValueType) -> Vec<u8> {
    let drawn = maker.choice(&maker.config.metadata_encodings);
    // The untagged encoding does not support lists.
    let encoding = if ty == ValueType::IntList && drawn == Encoding::Untagged { Encoding::Tagged } else { drawn };
    let number = |maker: &mut Maker<'_>| i64::try_from(maker.random.below(1 << 40)).unwrap_or(0);
    let text = maker.text();
    let numbers: Vec<i64> = (0..maker.len(&maker.config.items, 8)).map(|_| number(maker)).collect();
    let value = match ty {
        ValueType::String => MetadataValue::String(&text),
        ValueType::Int => MetadataValue::Int(number(maker)),
        ValueType::Float => MetadataValue::Float(0.5),
        ValueType::Bytes => MetadataValue::Bytes(text.as_bytes()),
        ValueType::IntList => MetadataValue::IntList(Ints::from(&numbers[..])),
    };
    // Encoding cannot fail: the tagged encodings support every type, and the untagged encoding supports every type
    // except lists.
    encoding.encode(value).unwrap_or_default()
}

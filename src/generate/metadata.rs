//! Entries under well-known keys of the metadata convention.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::maker::Maker;
use crate::metadata::{Encoding, Ints, MetadataValue, PREFIX, ValueType};

/// Some of the well-known keys, each with a value of its type; none that has been in the other file of the pair.
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

/// A value of this type, in one of the encodings that can hold it.
fn value(maker: &mut Maker<'_>, ty: ValueType) -> Vec<u8> {
    let drawn = maker.choice(&maker.config.metadata_encodings);
    // The oldest draft has no lists.
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
    // A tagged encoding has bytes for every value, an untagged one for all but lists.
    encoding.encode(value).unwrap_or_default()
}

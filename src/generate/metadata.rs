//! Named blobs, and entries with well-known metadata keys.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::maker::Maker;
use crate::flatbuffer::schema::TableType;
use crate::flatbuffer::tree::TableTree;
use crate::metadata::{Encoding, IntListView, MetadataValue, PREFIX, ValueType};

/// Draws named blobs (some share a segment) and then metadata. `push` adds a segment and returns its index.
pub(super) fn blobs(
    maker: &mut Maker<'_>,
    prefix: &str,
    ty: &'static TableType,
    push: &mut dyn FnMut(Vec<u8>) -> usize,
) -> Vec<TableTree> {
    let entry = |key: String, segment: usize| TableTree::new(ty).with("key", key).with("segment_index", segment);
    let mut entries = Vec::new();
    let mut last = None;
    for _ in 0..maker.count(&maker.config.blobs, 2) {
        let key = maker.name(prefix);
        let segment = match last {
            Some(segment) if maker.often(maker.config.shared_blobs) => segment,
            _ => push(maker.blob()),
        };
        last = Some(segment);
        entries.push(entry(key, segment));
    }
    entries.extend(well_known(maker).into_iter().map(|(key, value)| entry(key, push(value))));
    entries
}

/// Draws well-known keys with values. The second file of a pair gets no key that the first file has.
fn well_known(maker: &mut Maker<'_>) -> Vec<(String, Vec<u8>)> {
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

/// Draws a value in an encoding that supports its type.
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
        ValueType::IntList => MetadataValue::IntList(IntListView::from(&numbers[..])),
    };
    // Encoding cannot fail: the tagged encodings support every type; the untagged encoding only lacks lists.
    encoding.encode(value).unwrap_or_default()
}

//! Cases about the proposed `metadata.*` convention. No release has adopted it, so a reader may accept every case. The
//! cases show the differences between the convention's drafts.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::flatbuffer::tree::TableTree;
use crate::rules::metadata as rules;

/// Returns a program with these named data entries.
fn program(entries: &[(&str, &[u8])]) -> base::BaseBytes {
    let named: Vec<TableTree> = (1..).zip(entries).map(|(index, (key, _))| base::program_named(key, index)).collect();
    let segments: Vec<&[u8]> = core::iter::once(&[][..]).chain(entries.iter().map(|(_, value)| *value)).collect();
    base::write_program(&base::headerless_tree().without("segments").with("named_data", named), &segments)
}

cases! {
    /// The file has text, numbers and a list with well-known keys, and one custom key. All drafts that support a value
    /// encode it in these bytes. A reader must ignore unknown keys.
    build "pte/valid/metadata": "metadata with well-known keys" shows rules::MD_RESERVED_ORDER => || program(&[
        ("metadata.tokenizer.vocab_size", &32_000_i64.to_le_bytes()),
        ("metadata.general.name", b"example"),
        ("metadata.tokenizer.bos_id", b"\x01\x01\0\0\0\0\0\0\0"),
        ("metadata.tokenizer.eos_ids", b"\x04\x02\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0"),
        ("metadata.example_backend.note", b"anything"),
    ]);

    /// The key ends after its namespace. No accessor requests this key, although its prefix marks the entry as
    /// metadata.
    either "pte/metadata/key-without-field": "metadata key without a field name" about rules::MD_KEY_PREFIX,
        from "pte/valid/metadata" => |file| {
            file.elements("named_data[1].key", 16, &[0]);
            file.count("named_data[1].key", 16);
        };

    /// Keys are case-sensitive, but people overlook the difference. An accessor for `metadata.general.name` finds
    /// nothing, although a listing seems to show this key.
    either "pte/metadata/key-upper-case": "metadata key in upper case" about rules::MD_KEY_GRAMMAR,
        from "pte/valid/metadata" => |file| file.elements("named_data[1].key", 17, b"NAME");

    /// Every draft stores an integer in eight bytes, or in nine bytes with a tag. An accessor that copies eight bytes
    /// without a check reads five bytes past the value, which happen to be right here.
    either "pte/metadata/int-of-3-bytes": "metadata integer of 3 bytes" about rules::MD_INT_SIZE,
        from "pte/valid/metadata" => |file| file.scalar("segments[1].size", 3_u64);

    /// Metadata keys in a data file are in the same list as tensor names and have the same meaning as in a program. A
    /// writer that stores lengths in 32 bits emits this integer.
    build "ptd/metadata/int-of-4-bytes": "metadata integer of 4 bytes in a data file" about rules::MD_INT_SIZE => || {
        let entries = vec![
            base::named("metadata.context.length", 0, None),
            base::named("w", 1, Some(base::floats(&[4]))),
        ];
        base::data(entries, &[&4096_u32.to_le_bytes(), &base::ramp(16)])
    };

    /// A metadata key in a legacy data file leads to a blob of 40 bytes after the tensors. The convention is equal in
    /// both layouts.
    build "ptd-legacy/metadata/int-of-40-bytes": "metadata integer of 40 bytes in a legacy data file"
        about rules::MD_INT_SIZE
        => || base::legacy_blob("metadata.context.length");

    /// The first byte is the tag that two drafts put before text. The third draft reads this byte as the first letter.
    either "pte/metadata/text-like-a-tag": "metadata text that begins with a tag byte" about rules::MD_ENC_V1_TAG,
        from "pte/valid/metadata" => |file| {
            let text = file.at("segments[2]", crate::annotate::PartKind::Segment);
            file.put(text, &[3]);
        };

    /// The text is not UTF-8. Accessors in some languages fail to decode the text, and others return the bytes.
    either "pte/metadata/text-not-utf-8": "metadata text that is not UTF-8" about rules::MD_STRING_UTF8,
        from "pte/valid/metadata" => |file| {
            let text = file.at("segments[2]", crate::annotate::PartKind::Segment);
            file.put(text, &[0xff]);
        };

    /// The count is 2^29 too large. Multiplied by 8 in 32 bits, the count matches the existing bytes.
    either "pte/metadata/list-count-wraps": "metadata list count that wraps when multiplied by 8"
        about rules::MD_LIST_COUNT,
        from "pte/valid/metadata" => |file| {
            let list = file.at("segments[4]", crate::annotate::PartKind::Segment);
            file.put(list + 1, &(2_u32 + (1 << 29)).to_le_bytes());
        };
}

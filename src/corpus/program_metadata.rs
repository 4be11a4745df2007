//! Cases about the proposed `metadata.*` convention. No ExecuTorch release has adopted it, so readers may accept every
//! file.
//!
//! The cases show where the convention's drafts differ.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::flatbuffer::tree::TableTree;
use crate::rules::metadata as rules;

fn program(entries: &[(&str, &[u8])]) -> base::BaseBytes {
    let named: Vec<TableTree> = (1..).zip(entries).map(|(index, (key, _))| base::program_named(key, index)).collect();
    let segments: Vec<&[u8]> = core::iter::once(&[][..]).chain(entries.iter().map(|(_, value)| *value)).collect();
    base::write_program(&base::headerless_tree().without("segments").with("named_data", named), &segments)
}

cases! {
    /// The file has text, numbers and a list under well-known keys. It also has a custom key, which a reader must
    /// ignore if it does not know it.
    build "pte/valid/metadata": "metadata with well-known keys" shows rules::MD_RESERVED_ORDER => || program(&[
        ("metadata.tokenizer.vocab_size", &32_000_i64.to_le_bytes()),
        ("metadata.general.name", b"example"),
        ("metadata.tokenizer.bos_id", b"\x01\x01\0\0\0\0\0\0\0"),
        ("metadata.tokenizer.eos_ids", b"\x04\x02\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0"),
        ("metadata.example_backend.note", b"anything"),
    ]);

    /// `metadata.general` has the prefix of metadata but does not name a field, so no field look-up ever finds it.
    either "pte/metadata/key-without-field": "metadata key without a field name" about rules::MD_KEY_PREFIX,
        from "pte/valid/metadata" => |file| file.shorten("named_data[1].key", 16);

    /// The convention requires lower case, so looking up `metadata.general.name` does not find this key.
    either "pte/metadata/key-upper-case": "metadata key in upper case" about rules::MD_KEY_GRAMMAR,
        from "pte/valid/metadata" => |file| file.elements("named_data[1].key", 17, b"NAME");

    /// The drafts require 8 bytes, or 9 with a tag. A reader that copies 8 without a check reads past the value.
    either "pte/metadata/int-of-3-bytes": "metadata integer of 3 bytes" about rules::MD_INT_SIZE,
        from "pte/valid/metadata" => |file| file.scalar("segments[1].size", 3_u64);

    /// Data files follow the same convention as programs, which requires 8 bytes for an integer, or 9 with a tag.
    build "ptd/metadata/int-of-4-bytes": "metadata integer of 4 bytes in a data file" about rules::MD_INT_SIZE => || {
        let entries = vec![
            base::named("metadata.context.length", 0, None),
            base::named("w", 1, Some(base::floats(&[4]))),
        ];
        base::data(entries, &[&4096_u32.to_le_bytes(), &base::ramp(16)])
    };

    /// The convention also applies to legacy data files, where an integer must have 8 bytes, or 9 with a tag.
    build "ptd-legacy/metadata/int-of-40-bytes": "metadata integer of 40 bytes in a legacy data file"
        about rules::MD_INT_SIZE => || base::legacy_blob("metadata.context.length");

    /// The first byte is 3, which is a tag in two of the three drafts, but part of the text in the third.
    either "pte/metadata/text-like-a-tag": "metadata text that begins with a tag byte" about rules::MD_ENC_V1_TAG,
        from "pte/valid/metadata" => |file| file.put_segment(2, 0, &[3]);

    /// Accessors that decode the text fail, while the others return the raw bytes.
    either "pte/metadata/text-not-utf-8": "metadata text that is not UTF-8" about rules::MD_STRING_UTF8,
        from "pte/valid/metadata" => |file| file.put_segment(2, 0, &[0xff]);

    /// The count is too large by 2^29, but multiplied by 8 in 32-bit arithmetic, it gives the actual number of bytes.
    either "pte/metadata/list-count-wraps": "metadata list count that wraps when multiplied by 8"
        about rules::MD_LIST_COUNT,
        from "pte/valid/metadata" => |file| file.put_segment(4, 1, &(2_u32 + (1 << 29)).to_le_bytes());
}

//! Keys of the proposed `metadata.*` convention. No release has adopted it, so that nothing here is wrong: the files show where
//! the drafts of it part.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::flatbuffer::tree::TableTree;
use crate::rules::metadata as rules;

/// A program whose named data are these values under these keys.
fn program(entries: &[(&str, &[u8])]) -> base::BaseBytes {
    let named: Vec<TableTree> = (1..).zip(entries).map(|(index, (key, _))| base::program_named(key, index)).collect();
    let segments: Vec<&[u8]> = core::iter::once(&[][..]).chain(entries.iter().map(|(_, value)| *value)).collect();
    base::write_program(&base::headerless_tree().without("segments").with("named_data", named), &segments)
}

cases! {
    /// Text, numbers and a list under well-known keys, each the same in every draft that can say it, and a key of
    /// somebody's own. A reader that knows the convention must leave keys alone that it does not know.
    build "pte/valid/metadata": "metadata under well-known keys" shows rules::MD_RESERVED_ORDER => || program(&[
        ("metadata.tokenizer.vocab_size", &32_000_i64.to_le_bytes()),
        ("metadata.general.name", b"example"),
        ("metadata.tokenizer.bos_id", b"\x01\x01\0\0\0\0\0\0\0"),
        ("metadata.tokenizer.eos_ids", b"\x04\x02\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0"),
        ("metadata.example_backend.note", b"anything"),
    ]);

    /// A key that ends where its namespace does. No accessor asks for it, and the prefix says that it is metadata all the
    /// same.
    either "pte/metadata/key-without-field": "key with nothing behind its namespace" about rules::MD_KEY_PREFIX,
        from "pte/valid/metadata" => |file| {
            file.elements("named_data[1].key", 16, &[0]);
            file.count("named_data[1].key", 16);
        };

    /// Upper case is another key to every reader, and the same to many eyes. An accessor that asks for
    /// `metadata.general.name` finds nothing where a listing seems to show it.
    either "pte/metadata/key-upper-case": "key in upper case" about rules::MD_KEY_GRAMMAR,
        from "pte/valid/metadata" => |file| file.elements("named_data[1].key", 17, b"NAME");

    /// The number has three bytes, where every draft has eight or, with a tag, nine. An accessor that copies eight
    /// without asking reads five that are not its own, which in this file happen to be right.
    either "pte/metadata/int-of-3-bytes": "number of 3 bytes" about rules::MD_INT_SIZE,
        from "pte/valid/metadata" => |file| file.scalar("segments[1].size", 3_u64);

    /// In a data file the keys of the convention stand beside the names of tensors, and mean what they do in a program. The
    /// number has four bytes, as a writer makes it that keeps lengths in 32 bits.
    build "ptd/metadata/int-of-4-bytes": "number of 4 bytes in a data file" about rules::MD_INT_SIZE => || {
        let entries = vec![
            base::named("metadata.context.length", 0, None),
            base::named("w", 1, Some(base::floats(&[4]))),
        ];
        base::data(entries, &[&4096_u32.to_le_bytes(), &base::ramp(16)])
    };

    /// The same key in the layout of release 0.6.0 leads to a blob behind the tensors. Nothing of the convention depends on which
    /// of the two layouts a file has.
    build "ptd-legacy/metadata/int-of-40-bytes": "number of 40 bytes in an older data file" about rules::MD_INT_SIZE
        => || base::older_blob("metadata.context.length");

    /// Text that begins with the byte that two drafts put before text, and the third would read as its first letter.
    either "pte/metadata/text-like-a-tag": "text that begins with a tag" about rules::MD_ENC_V1_TAG,
        from "pte/valid/metadata" => |file| {
            let text = file.at("segments[2]", crate::annotate::PartKind::Segment);
            file.put(text, &[3]);
        };

    /// Text that is not UTF-8: accessors in some languages decode it and fail, in others they hand its bytes on.
    either "pte/metadata/text-not-utf-8": "text that is not UTF-8" about rules::MD_STRING_UTF8,
        from "pte/valid/metadata" => |file| {
            let text = file.at("segments[2]", crate::annotate::PartKind::Segment);
            file.put(text, &[0xff]);
        };

    /// A list that says that it has 2^29 numbers more than it has: times eight, in 32 bits, that is as many bytes as there
    /// are.
    either "pte/metadata/list-count-wraps": "count of a list that wraps times 8" about rules::MD_LIST_COUNT,
        from "pte/valid/metadata" => |file| {
            let list = file.at("segments[4]", crate::annotate::PartKind::Segment);
            file.put(list + 1, &(2_u32 + (1 << 29)).to_le_bytes());
        };
}

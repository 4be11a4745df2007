//! Cases about a program's named data: keys and segment indices.

use super::{base, cases};
use crate::rules::named_data as rules;

/// Two named segments of 48 equal bytes.
fn equal_blobs() -> base::BaseBytes {
    let named = alloc::vec![base::program_named("alpha", 1), base::program_named("gamma", 2)];
    let root = base::constants_tree().with("named_data", named);
    base::write_program(&root, &[&base::constants_data(), &base::ramp(48), &base::ramp(48)])
}

cases! {
    /// The segment index of `gamma` is 3, but the program has three segments. Only a lookup of `gamma` uses the invalid
    /// index, so a reader must check all entries when it opens the file.
    reject "pte/named-data/index-past-end": "named data segment index past the list" breaks rules::ND_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("named_data[2].segment_index", 3_u32);

    /// The segment index of an entry is 2^32 − 1, as if the writer had stored −1. As a signed integer, −1 is less than
    /// the number of segments. In 32-bit arithmetic, the index plus 1 wraps to 0.
    reject "pte/named-data/index-max": "named data segment index 2^32 − 1" breaks rules::ND_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", u32::MAX);

    /// The second entry has no key. A lookup of the first key succeeds, but a lookup of `gamma` compares `gamma` with a
    /// null pointer.
    reject "pte/named-data/key-absent": "named data key absent" breaks rules::ND_KEY_NONNULL,
        from "pte/valid/named-data" => |file| file.own_slot("named_data[1]", 0, 0);

    /// Two entries have the key `alpha`, and their blobs have 48 bytes and 5 bytes. A reader must reject the file,
    /// because the result of a lookup would depend on the search order.
    reject "pte/named-data/key-twice": "same key twice in named data" breaks rules::ND_KEY_UNIQUE,
        from "pte/valid/named-data" => |file| file.elements("named_data[2].key", 0, b"alpha");

    /// Two entries share one key string. A reader must compare the bytes of all keys. A reader that compares only
    /// strings at different positions does not detect the duplicate.
    reject "pte/named-data/key-shared": "two named data entries with one key string" breaks rules::ND_KEY_UNIQUE,
        from "pte/valid/named-data" => |file| file.lead("named_data[1].key", "named_data[0].key", 0);

    /// The program is valid: two segments have equal bytes and different keys. A reader must not treat the second blob
    /// as a duplicate.
    build "pte/valid/named-data-equal-blobs": "two named segments with equal bytes" shows rules::ND_SHARE_OK
        => equal_blobs;

    /// Two entries have the same key and equal bytes in two segments. Readers may accept the file, because every lookup
    /// returns the same bytes.
    either "pte/named-data/key-twice-equal-blobs": "same key twice, equal bytes" about rules::ND_KEY_ONCE,
        from "pte/valid/named-data-equal-blobs" => |file| file.elements("named_data[1].key", 0, b"alpha");

    /// Two entries have the same key and the same segment. Readers may accept the file, because every lookup returns
    /// the same bytes.
    either "pte/named-data/key-twice-one-segment": "same key twice, one segment" about rules::ND_KEY_ONCE,
        from "pte/valid/named-data" => |file| {
            file.elements("named_data[2].key", 0, b"beta\0");
            file.count("named_data[2].key", 4);
        };

    /// Two entries have the same key, and their blobs of 48 bytes differ only in the last byte. A reader must compare
    /// all bytes, because otherwise the result of a lookup would depend on the search order.
    reject "pte/named-data/key-twice-last-byte-differs": "same key twice, last byte differs"
        breaks rules::ND_KEY_UNIQUE, from "pte/valid/named-data-equal-blobs" => |file| {
            file.elements("named_data[1].key", 0, b"alpha");
            file.put_segment(2, 47, &[0]);
        };

    /// A key is empty but present. If a reader tests whether the requested name begins with a key, it returns the entry
    /// of the empty key for every name.
    either "pte/named-data/key-empty": "empty key in named data" about rules::ND_KEY_NONEMPTY,
        from "pte/valid/named-data" => |file| file.shorten("named_data[1].key", 0);

    /// A key contains a NUL byte. Readers that use C strings get `al`, and readers that use the length get the whole
    /// key.
    either "pte/named-data/key-with-nul": "named data key that contains a NUL byte"
        about crate::rules::flatbuffer::FB_STRING_NO_EMBEDDED_NUL,
        from "pte/valid/named-data" => |file| file.elements("named_data[0].key", 2, &[0]);

    /// Two keys have five bytes each, a NUL in the middle, and differ only after it. A reader that compares C strings
    /// returns the blob of the first key for the second one, and for every other key that begins like it.
    either "pte/named-data/keys-equal-up-to-nul": "two named data keys that differ only after a NUL byte"
        about crate::rules::flatbuffer::FB_STRING_NO_EMBEDDED_NUL, from "pte/valid/named-data" => |file| {
            file.elements("named_data[0].key", 0, b"al\0ph");
            file.elements("named_data[2].key", 0, b"al\0ma");
        };

    /// The list of segments is absent, but an entry refers to segment 1. A lookup of the blob dereferences a null
    /// pointer.
    reject "pte/named-data/segments-absent": "named data without segments" breaks rules::ND_SEGMENTS_PRESENT,
        from "pte/valid/named-without-constants" => |file| file.slot("", 4, 0);

    /// The list of segments is absent, and the list of named data is present and empty. A reader that combines the two lists
    /// before it looks at the entries dereferences a null pointer.
    reject "pte/named-data/segments-absent-without-entries": "empty named data without segments"
        breaks rules::ND_SEGMENTS_PRESENT, from "pte/valid/named-data-empty" => |file| file.slot("", 4, 0);
}

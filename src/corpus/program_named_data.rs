//! Cases about a program's named data: keys and segment indices.

use super::{base, cases};
use crate::rules::named_data as rules;

/// Two named segments with the same 48 bytes.
fn equal_blobs() -> base::BaseBytes {
    let named = alloc::vec![base::program_named("alpha", 1), base::program_named("gamma", 2)];
    let root = base::constants_tree().with("named_data", named);
    base::write_program(&root, &[&base::constants_data(), &base::ramp(48), &base::ramp(48)])
}

cases! {
    /// `gamma` has segment index 3, but only segments 0 to 2 exist. A reader that does not check all entries when it
    /// opens the file notices only when it looks up `gamma`.
    reject "pte/named-data/index-past-end": "named data segment index past the list" breaks rules::ND_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("named_data[2].segment_index", 3_u32);

    /// Read as a signed integer, the index is −1, which is below every count. In 32-bit arithmetic, the index plus 1
    /// wraps to 0.
    reject "pte/named-data/index-max": "named data segment index 2^32 − 1" breaks rules::ND_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", u32::MAX);

    /// The second entry has no key. Looking up the first entry works, but a search for `gamma` runs into null on the way.
    reject "pte/named-data/key-absent": "named data key absent" breaks rules::ND_KEY_NONNULL,
        from "pte/valid/named-data" => |file| file.own_slot("named_data[1]", 0, 0);

    /// `alpha` names a 48-byte blob and a 5-byte blob, so which one a look-up returns depends on the search order.
    reject "pte/named-data/key-twice": "same key twice in named data" breaks rules::ND_KEY_UNIQUE,
        from "pte/valid/named-data" => |file| file.elements("named_data[2].key", 0, b"alpha");

    /// Both entries point to the same string. A reader that compares only strings at different positions misses the
    /// duplicate.
    reject "pte/named-data/key-shared": "two named data entries with one key string" breaks rules::ND_KEY_UNIQUE,
        from "pte/valid/named-data" => |file| file.lead("named_data[1].key", "named_data[0].key", 0);

    /// The two segments have equal bytes, but their keys differ, so the second is not a duplicate.
    build "pte/valid/named-data-equal-blobs": "two named segments with equal bytes" shows rules::ND_SHARE_OK
        => equal_blobs;

    /// The key's two segments have equal bytes, so every look-up returns the same data, and readers may accept the file.
    either "pte/named-data/key-twice-equal-blobs": "same key twice, equal bytes" about rules::ND_KEY_ONCE,
        from "pte/valid/named-data-equal-blobs" => |file| file.elements("named_data[1].key", 0, b"alpha");

    /// Both entries refer to the same segment, so every look-up returns the same bytes, and readers may accept the file.
    either "pte/named-data/key-twice-one-segment": "same key twice, one segment" about rules::ND_KEY_ONCE,
        from "pte/valid/named-data" => |file| {
            file.elements("named_data[2].key", 0, b"beta\0");
            file.count("named_data[2].key", 4);
        };

    /// Only the last of 48 bytes differs, so a reader has to compare all of them to tell the two blobs apart.
    reject "pte/named-data/key-twice-last-byte-differs": "same key twice, last byte differs"
        breaks rules::ND_KEY_UNIQUE, from "pte/valid/named-data-equal-blobs" => |file| {
            file.elements("named_data[1].key", 0, b"alpha");
            file.put_segment(2, 47, &[0]);
        };

    /// Every name begins with the empty key, so a reader that matches prefixes returns this entry for every name.
    either "pte/named-data/key-empty": "empty key in named data" about rules::ND_KEY_NONEMPTY,
        from "pte/valid/named-data" => |file| file.shorten("named_data[1].key", 0);

    /// Read as a C string, the key is `al`, but its length also covers the text after the NUL.
    either "pte/named-data/key-with-nul": "named data key that contains a NUL byte"
        about crate::rules::flatbuffer::FB_STRING_NO_EMBEDDED_NUL,
        from "pte/valid/named-data" => |file| file.elements("named_data[0].key", 2, &[0]);

    /// Both keys have five bytes with a NUL in the middle. A reader that compares C strings returns the first entry
    /// when it looks for the second, or for any other key that begins the same way.
    either "pte/named-data/keys-equal-up-to-nul": "two named data keys that differ only after a NUL byte"
        about crate::rules::flatbuffer::FB_STRING_NO_EMBEDDED_NUL, from "pte/valid/named-data" => |file| {
            file.elements("named_data[0].key", 0, b"al\0ph");
            file.elements("named_data[2].key", 0, b"al\0ma");
        };

    /// An entry refers to segment 1, but the segment list is absent, so looking up the entry dereferences null.
    reject "pte/named-data/segments-absent": "named data without segments" breaks rules::ND_SEGMENTS_PRESENT,
        from "pte/valid/named-without-constants" => |file| file.slot("", 4, 0);

    /// There is no entry to look up, but a reader that combines both lists before it looks at either dereferences null.
    reject "pte/named-data/segments-absent-without-entries": "empty named data without segments"
        breaks rules::ND_SEGMENTS_PRESENT, from "pte/valid/named-data-empty" => |file| file.slot("", 4, 0);
}

//! A program's named data: keys and what they lead to.

use super::cases;
use crate::rules::named_data as rules;

cases! {
    /// A name leads to a segment that is not there.
    reject "pte/named-data/index-past-end": "segment index past the list" breaks rules::ND_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("named_data[2].segment_index", 3_u32);

    /// Minus one.
    reject "pte/named-data/index-max": "segment index 2^32 − 1" breaks rules::ND_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", u32::MAX);

    /// A blob without a name: readers that compare names follow a null pointer.
    reject "pte/named-data/key-absent": "key absent" breaks rules::ND_KEY_NONNULL,
        from "pte/valid/named-data" => |file| file.own_slot("named_data[1]", 0, 0);

    /// The same name twice: the first is found, or the last, or neither.
    reject "pte/named-data/key-twice": "the same key twice" breaks rules::ND_KEY_UNIQUE,
        from "pte/valid/named-data" => |file| file.elements("named_data[2].key", 0, b"alpha");

    /// Two entries that share one key string.
    reject "pte/named-data/key-shared": "two entries with one string as key" breaks rules::ND_KEY_UNIQUE,
        from "pte/valid/named-data" => |file| {
            let key = file.at("named_data[0].key", crate::annotate::What::Count);
            file.point("named_data[1].key", key);
        };

    /// A name of no letters.
    either "pte/named-data/key-empty": "empty key" about rules::ND_KEY_NONEMPTY,
        from "pte/valid/named-data" => |file| {
            file.elements("named_data[1].key", 0, &[0]);
            file.count("named_data[1].key", 0);
        };

    /// Named blobs, and no list of segments for them.
    reject "pte/named-data/segments-absent": "named data without segments" breaks rules::ND_SEGMENTS_PRESENT,
        from "pte/valid/named-without-constants" => |file| file.slot("", 4, 0);
}

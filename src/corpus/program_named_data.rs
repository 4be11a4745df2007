//! Cases about a program's named data: keys and segment indices.

use super::cases;
use crate::rules::named_data as rules;

cases! {
    /// Only a lookup of `gamma` uses the index. Without a check, the reader takes the blob's offset and size from
    /// the bytes after the list.
    reject "pte/named-data/index-past-end": "named data segment index past the list" breaks rules::ND_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("named_data[2].segment_index", 3_u32);

    /// An exporter may store −1 for no segment. As a signed integer it is below every count, and adding 1 wraps it
    /// to 0.
    reject "pte/named-data/index-max": "named data segment index 2^32 − 1" breaks rules::ND_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", u32::MAX);

    /// A lookup compares the keys in order: it finds `alpha`, but for `gamma` it dereferences the null pointer of the
    /// entry without a key.
    reject "pte/named-data/key-absent": "named data key absent" breaks rules::ND_KEY_NONNULL,
        from "pte/valid/named-data" => |file| file.own_slot("named_data[1]", 0, 0);

    /// The same key names 48 bytes and 5 bytes. A reader that scans the list returns the first, and one that fills
    /// a map returns the last.
    reject "pte/named-data/key-twice": "same key twice in named data" breaks rules::ND_KEY_UNIQUE,
        from "pte/valid/named-data" => |file| file.elements("named_data[2].key", 0, b"alpha");

    /// Two entries point to one string, as builders that share equal strings emit. A tool that compares key
    /// positions, or counts keys in the bytes, finds only one.
    reject "pte/named-data/key-shared": "two named data entries with one key string" breaks rules::ND_KEY_UNIQUE,
        from "pte/valid/named-data" => |file| {
            let key = file.at("named_data[0].key", crate::annotate::PartKind::Count);
            file.point("named_data[1].key", key);
        };

    /// The key is empty but present, so a check for null accepts it. A reader that compares only the stored key's
    /// length finds it for every name.
    either "pte/named-data/key-empty": "empty key in named data" about rules::ND_KEY_NONEMPTY,
        from "pte/valid/named-data" => |file| {
            file.elements("named_data[1].key", 0, &[0]);
            file.count("named_data[1].key", 0);
        };

    /// The program has no constants, so only a lookup of a blob uses the list of segments. The verifier allows absent
    /// fields, and the lookup dereferences a null pointer.
    reject "pte/named-data/segments-absent": "named data without segments" breaks rules::ND_SEGMENTS_PRESENT,
        from "pte/valid/named-without-constants" => |file| file.slot("", 4, 0);
}

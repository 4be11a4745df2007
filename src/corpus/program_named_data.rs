//! A program's named data: keys and what they lead to.

use super::cases;
use crate::rules::named_data as rules;

cases! {
    /// Only a look-up of `gamma` meets it. Unchecked, place and size of the blob are read through a reference from
    /// behind the list, which is some other table's bytes.
    reject "pte/named-data/index-past-end": "segment index past the list" breaks rules::ND_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("named_data[2].segment_index", 3_u32);

    /// An exporter's −1 for no segment, stored without its sign: as a signed number it is below every count, and with 1
    /// added it wraps to 0.
    reject "pte/named-data/index-max": "segment index 2^32 − 1" breaks rules::ND_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", u32::MAX);

    /// A look-up compares one key after the other, so that `alpha` is still found, and `gamma`, behind the entry
    /// without a key, costs a null pointer.
    reject "pte/named-data/key-absent": "key absent" breaks rules::ND_KEY_NONNULL,
        from "pte/valid/named-data" => |file| file.own_slot("named_data[1]", 0, 0);

    /// Under one name there are 48 bytes and 5. A reader that walks the list returns the first, one that fills a map
    /// returns the last, and each takes the file for sound.
    reject "pte/named-data/key-twice": "the same key twice" breaks rules::ND_KEY_UNIQUE,
        from "pte/valid/named-data" => |file| file.elements("named_data[2].key", 0, b"alpha");

    /// Two entries lead to one string, as a builder leaves it that stores equal strings once. A tool that compares
    /// where keys are, or counts them in the bytes, finds one.
    reject "pte/named-data/key-shared": "two entries with one string as key" breaks rules::ND_KEY_UNIQUE,
        from "pte/valid/named-data" => |file| {
            let key = file.at("named_data[0].key", crate::annotate::PartKind::Count);
            file.point("named_data[1].key", key);
        };

    /// An empty key is no absent one, so a check for null lets it pass. A reader that compares as many letters as the
    /// stored key has finds it whatever name it is asked for.
    either "pte/named-data/key-empty": "empty key" about rules::ND_KEY_NONEMPTY,
        from "pte/valid/named-data" => |file| {
            file.elements("named_data[1].key", 0, &[0]);
            file.count("named_data[1].key", 0);
        };

    /// There are no constants, so nothing asks for the list but the look-up of a named blob, through a null pointer. A
    /// verifier lets the absence through, as no field is required.
    reject "pte/named-data/segments-absent": "named data without segments" breaks rules::ND_SEGMENTS_PRESENT,
        from "pte/valid/named-without-constants" => |file| file.slot("", 4, 0);
}

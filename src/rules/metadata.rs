//! The `metadata.*` convention over named data, a proposal that no release has adopted: chapter `metadata` of the book.

rules! {
    MD_KEY_PREFIX = "md-key-prefix", May, File, Data, "metadata" {
        "A key that begins with `metadata.` continues with a namespace and a field: `metadata.<namespace>.<field>`."
        why: "The prefix separates metadata from the keys of backends in the same table. No drafted accessor requests \
            a key without a field."
        readers: "No released reader implements the convention. ExecuTorch finds such a key like any other named data, \
            by all of its bytes."
        source: "The proposal #19384, which is open. Its two drafts were closed, and their tests also use keys without \
            a namespace, so the rule is a may."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_KEY_GRAMMAR = "md-key-grammar", May, File, Data, "metadata" {
        "A key that begins with `metadata.` consists of non-empty lower-case identifiers joined by single dots."
        why: "Readers compare keys byte by byte, so `Tokenizer.BOS_ID` and `tokenizer.bos_id` are two keys. An \
            accessor then misses the value, or finds a value of another writer."
        readers: "No released reader checks keys against a grammar."
        source: "This project infers the rule: each key of the proposal #19384 and of its drafts has this form, and no \
            text requires it."
        refs: ["pytorch/executorch#19384"]
    }
    MD_ENC_V0_UNTAGGED = "md-enc-v0-untagged", May, Reader, Data, "metadata" {
        "A reader of the untagged encoding decodes a value by its key alone: UTF-8 without a NUL terminator, an 8-byte \
            little-endian `i64` or `f64`, or raw bytes."
        why: "The value does not record its type. An 8-byte string, an int and a float look alike. A reader with a \
            wrong type for the key returns a number made of letters."
        readers: "No released reader decodes such a value. The draft #19409 falls back to the untagged encoding if the \
            tag does not fit."
        source: "The text of the proposal #19384, which is open. Two drafts encode values differently, so no rule can \
            require one of the three encodings."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409"]
    }
    MD_ENC_V1_TAG = "md-enc-v1-tag", May, File, Data, "metadata" {
        "The value of a well-known key reads the same in all three drafted encodings: a tagged and an untagged reading \
            do not both fit it."
        why: "A string that begins with byte 3 is a tagged value to one reader and a text with a leading control \
            character to another. The two readers return different values, and neither returns an error. The size of a \
            number shows whether it has a tag."
        readers: "No released reader decodes metadata. The draft #19409 accepts a value with or without a tag, #19466 \
            requires the tag, and the proposal's text has no tags."
        source: "The drafts #19409 and #19466, both closed, and the text of #19384. No text decides between them, so \
            the rule is a may."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_ENC_V2_STRICT = "md-enc-v2-strict", May, Reader, Data, "metadata" {
        "A reader of the strict encoding requires the tag of the requested type and its size, without a fallback: 1 \
            int, 2 float, 3 string, 4 list of ints, 5 bytes."
        why: "The fallback makes the first draft ambiguous. Without it, a value of the wrong type is an error and \
            never another value."
        readers: "No released reader decodes such a value. In the draft #19466, a wrong tag or size causes the error \
            0x12 in C++ and an exception in Python."
        source: "The accessors of the draft #19466, which was closed. Its writer also rejects a Python `bool` as an \
            int, because the tag cannot distinguish the two types."
        refs: ["pytorch/executorch#19466"]
    }
    MD_INT_SIZE = "md-int-size", May, File, Data, "metadata" {
        "The value of a well-known key of type int has 8 bytes untagged, or 9 with the tag 1."
        why: "An accessor that copies 8 bytes without a size check reads past a shorter value, into the next segment \
            or past the buffer."
        readers: "No released reader decodes such a value. The C++ accessors of both drafts reject any other size \
            (0x12)."
        source: "All three drafts store an int as little-endian `i64`. The proposal and its drafts list the well-known \
            keys, for example `metadata.tokenizer.bos_id`, `metadata.context.max_seq_len` and \
            `metadata.model.vocab_size`."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_FLOAT_SIZE = "md-float-size", May, Reader, Data, "metadata" {
        "A reader decodes a value as a float only if it has 8 bytes untagged, or 9 with the tag 2."
        why: "As with an int, a copy of 8 bytes reads past a shorter value. From a longer value it returns a number \
            that no writer stored."
        readers: "No released reader decodes such a value. The C++ accessor of the draft #19466 rejects any size but 9 \
            (0x12)."
        source: "All three drafts store a float as a little-endian IEEE 754 binary64. No well-known key is a float, so \
            no file can break the rule detectably."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_STRING_UTF8 = "md-string-utf8", May, File, Data, "metadata" {
        "The value of a well-known key of type string is valid UTF-8, after the tag 3 if the value has a tag."
        why: "Parsers that expect text receive chat templates and tokenizer names. Bytes that are not UTF-8 fail far \
            from the file, and only in some readers."
        readers: "No released reader decodes such a value. In the drafts, the Python accessors decode and raise, and \
            the C++ accessors copy the bytes."
        source: "The text of the proposal #19384: UTF-8 without a NUL terminator."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_LIST_COUNT = "md-list-count", May, File, Data, "metadata" {
        "The value of a well-known key that is a list of ints is the tag 4, a `u32` count, and exactly 8 bytes per \
            counted int."
        why: "A reader that relies on the count alone reads past the value, or reserves up to 32 GiB for it. A 32-bit \
            product wraps and passes the check."
        readers: "No released reader decodes such a value. Both drafts compare count and size (0x12); the later draft \
            divides, which cannot wrap."
        source: "The drafts #19409 and #19466; the proposal's text has no list."
        refs: ["pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_IN_PTE_NAMEDATA = "md-in-pte-namedata", Should, Writer, Data, "metadata" {
        "A writer stores metadata in `Program.named_data` like any other blob: one segment of alignment 1 per value, \
            shared by keys with equal values."
        why: "A reader then needs no new mechanism to find metadata. Two keys with one `segment_index` simply have \
            equal values."
        readers: "ExecuTorch finds such a key since 0.6.0, the first release with named data, and returns its bytes \
            without a type or layout."
        source: "The proposal #19384, which needs no change of the schema, and the exporter's store of named data, \
            `_named_data_store.py`. The serializer aligns these segments to 128, like all others."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19466"]
    }
    MD_RESERVED_ORDER = "md-reserved-order", May, Reader, Data, "metadata" {
        "A reader finds metadata by key and does not depend on the order of the entries."
        why: "The exporter keeps the order in which keys were added, and that order differs between models. A reader \
            that expects a certain key first fails on valid files."
        readers: "ExecuTorch compares keys from the first entry on. The order matters only for a key that occurs \
            twice, which `nd-key-unique` forbids."
        source: "Neither the proposal #19384 nor its drafts specify an order."
        refs: ["pytorch/executorch#19384"]
    }
}

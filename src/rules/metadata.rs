//! The `metadata.*` convention over named data, which is proposed and not adopted (specification, section 1.7).

rules! {
    MD_KEY_PREFIX = "md-key-prefix", May, File, Data, "1.7" {
        "A key that begins with `metadata.` has a namespace and a field behind it, as `metadata.<namespace>.<field>`."
        why: "The prefix keeps metadata apart from what backends put under keys of their own into the same table. A \
            key that is cut short is one that no drafted accessor asks for."
        readers: "No released reader knows the convention: to ExecuTorch the key is one of named data, found by all of \
            its bytes."
        source: "The proposal #19384, which is open. Its two drafts were closed, and their tests also use keys without \
            a namespace; hence a note and no more."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_KEY_GRAMMAR = "md-key-grammar", May, File, Data, "1.7" {
        "A key that begins with `metadata.` consists of lower-case identifiers joined by single dots, none of them \
            empty."
        why: "Keys are compared byte by byte, so `Tokenizer.BOS_ID` and `tokenizer.bos_id` are two keys: an accessor \
            misses the value, or finds the one that somebody else added."
        readers: "No released reader holds keys against a grammar."
        source: "Derived: each key of the proposal #19384 and of its drafts has this form, and no text demands it."
        refs: ["pytorch/executorch#19384"]
    }
    MD_ENC_V0_UNTAGGED = "md-enc-v0-untagged", May, Reader, Data, "1.7" {
        "A reader of the proposal's own encoding decodes a value by its key alone: a string as UTF-8 without a zero \
            byte behind it, an int as 8 bytes of `i64`, a float as 8 bytes of `f64`, both little-endian, and bytes as \
            they are."
        why: "Nothing in the value says which of these it is. A string of 8 bytes, an int and a float cannot be told \
            apart, so a reader that is wrong about the key returns a number made of letters."
        readers: "No released reader decodes it. The draft #19409 falls back to it where its tag does not fit."
        source: "The text of the proposal #19384, which is open. Two drafts encode values otherwise, so none of the \
            three can be demanded."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409"]
    }
    MD_ENC_V1_TAG = "md-enc-v1-tag", May, File, Data, "1.7" {
        "The value of a well-known key reads the same in all three drafted encodings: a tagged and an untagged reading \
            do not both fit it."
        why: "A string that begins with byte 3 is tagged to one reader, and to the next a text with a control \
            character in front: each returns another value and no error. Numbers give themselves away by their size."
        readers: "No released reader decodes metadata. The draft #19409 tries the tag first and then none, #19466 \
            demands it, and the proposal's text knows none."
        source: "The drafts #19409 and #19466, both closed, against the text of #19384. Nobody can say which is right, \
            so it is a note."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_ENC_V2_STRICT = "md-enc-v2-strict", May, Reader, Data, "1.7" {
        "A reader of the stricter tagged encoding demands the tag of the type that it was asked for (1 int, 2 float, 3 \
            string, 4 list of ints, 5 bytes) and the size that goes with it, and falls back to nothing."
        why: "The fallback is what makes the earlier draft ambiguous: without it, a value of the wrong type is an \
            error and never another value."
        readers: "No released reader decodes it. In the draft #19466, a wrong tag or size is 0x12 in C++ and an \
            exception in Python."
        source: "The accessors of the draft #19466, which was closed. Its writer also refuses Python's `bool` for an \
            int, since the tag could not tell the two apart."
        refs: ["pytorch/executorch#19466"]
    }
    MD_INT_SIZE = "md-int-size", May, File, Data, "1.7" {
        "The value of a well-known key that is an int has 8 bytes untagged, or 9 with the tag 1."
        why: "An accessor that copies 8 bytes without asking for the size reads past a shorter value, into the next \
            segment or behind the buffer."
        readers: "No released reader decodes it. The C++ accessors of both drafts refuse any other size (0x12)."
        source: "All three drafts store an int as little-endian `i64`. Well-known are the keys that the proposal and \
            its drafts list, as `metadata.tokenizer.bos_id`, `metadata.context.max_seq_len` or \
            `metadata.model.vocab_size`."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_FLOAT_SIZE = "md-float-size", May, Reader, Data, "1.7" {
        "A reader takes a value for a float only if it has 8 bytes untagged, or 9 with the tag 2."
        why: "As with an int, a copy of 8 bytes from a shorter value is an over-read. From a longer one it returns a \
            number that nobody wrote."
        readers: "No released reader decodes it. The C++ accessor of the draft #19466 refuses any size but 9 (0x12)."
        source: "All three drafts store a float as a little-endian IEEE 754 binary64. None of the well-known keys holds \
            one, so that no file can be seen to break it."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_STRING_UTF8 = "md-string-utf8", May, File, Data, "1.7" {
        "The value of a well-known key that is a string is valid UTF-8, behind the tag 3 if it has one."
        why: "Chat templates and tokenizer names go on into parsers that expect text, so bytes that are no UTF-8 fail \
            far from the file, and in some readers only."
        readers: "No released reader decodes it. Of the drafts, the Python accessors decode and raise, the C++ \
            accessors copy the bytes."
        source: "The text of the proposal #19384: UTF-8 without a zero byte behind it."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_LIST_COUNT = "md-list-count", May, File, Data, "1.7" {
        "The value of a well-known key that is a list of ints begins with the tag 4, and behind it the `u32` count times 8 \
            is the number of bytes that follow the count."
        why: "A reader that goes by the count alone reads past the value, or reserves up to 32 GiB for it. Multiplied \
            in 32 bits the product wraps, and a check of it passes."
        readers: "No released reader decodes it. Both drafts compare count and size (0x12), the later one by division, \
            which cannot wrap."
        source: "The drafts #19409 and #19466; the proposal's text has no list."
        refs: ["pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_IN_PTE_NAMEDATA = "md-in-pte-namedata", Should, Writer, Data, "1.7" {
        "A writer puts metadata into `Program.named_data` like any other blob, each in a segment of alignment 1, and \
            lets keys with equal values share one segment."
        why: "A reader then needs nothing new to find metadata, and takes two keys with one `segment_index` for what \
            they are: equal values."
        readers: "ExecuTorch finds such a key since 0.6.0, the first release with named data, and returns its bytes \
            without a type or layout."
        source: "The proposal #19384, which wants no change of the schema, and the exporter's store of named data, \
            `_named_data_store.py`. As all segments, these are then aligned to 128 by the serializer."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19466"]
    }
    MD_RESERVED_ORDER = "md-reserved-order", May, Reader, Data, "1.7" {
        "A reader finds metadata by its key, and depends on no order of the entries."
        why: "The exporter keeps the order in which keys were added, which differs from model to model, so a reader \
            that expects one key first fails on right files."
        readers: "ExecuTorch compares keys from the first entry on. The order could matter to it only for a key that \
            occurs twice, which `nd-key-unique` excludes."
        source: "Neither the proposal #19384 nor its drafts name an order."
        refs: ["pytorch/executorch#19384"]
    }
}

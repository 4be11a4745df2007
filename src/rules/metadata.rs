//! Rules about the `metadata.*` keys in named data (chapter `metadata` of the book).
//!
//! The `metadata.*` keys follow a proposal that no ExecuTorch release has adopted.

rules! {
    MD_KEY_PREFIX = "md-key-prefix", May, Policy, File, Data, "metadata" {
        "A key that begins with `metadata.` continues with a namespace and a field: `metadata.<namespace>.<field>`."
        rationale: "The prefix `metadata.` distinguishes metadata from other named data, such as the blobs of \
            backends. Every accessor in the two drafts that implement the proposal requests a key with a field."
        readers: "No released reader implements the convention for metadata keys. ExecuTorch looks up a metadata key \
            in the same way as any other key of named data, and compares all bytes of the key."
        source: "The rule follows the open proposal pytorch/executorch#19384. The drafts pytorch/executorch#19409 and \
            pytorch/executorch#19466 were closed, and their tests also use keys without a namespace, so the rule's \
            strength is `may`."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_KEY_GRAMMAR = "md-key-grammar", May, Policy, File, Data, "metadata" {
        "A key that begins with `metadata.` consists of non-empty lower-case identifiers joined by single dots."
        rationale: "Readers compare keys byte by byte, so `Tokenizer.BOS_ID` and `tokenizer.bos_id` are two keys. If a \
            key has the wrong letter case, an accessor does not find the value, or returns the value of a different \
            key."
        readers: "No released reader checks keys against a grammar."
        source: "Each key in the proposal pytorch/executorch#19384 and in its drafts has this form, but no text \
            requires the form."
        refs: ["pytorch/executorch#19384"]
    }
    MD_ENC_V0_UNTAGGED = "md-enc-v0-untagged", May, Policy, Reader, Data, "metadata" {
        "A reader of the untagged encoding derives a value's type from the key: UTF-8 string, 8-byte little-endian \
            `i64` or `f64`, or raw bytes."
        rationale: "An untagged value does not contain its type, so a reader cannot distinguish an 8-byte string, an \
            int and a float. A reader that assumes the wrong type returns a meaningless number or text."
        readers: "No released reader decodes metadata values. The draft pytorch/executorch#19409 decodes a value as \
            untagged if the tag does not match the value."
        source: "The open proposal pytorch/executorch#19384 defines the untagged encoding, in which strings have no \
            NUL terminator. Two drafts define two other encodings, so no rule can require one of the three encodings."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409"]
    }
    MD_ENC_V1_TAG = "md-enc-v1-tag", May, Policy, File, Data, "metadata" {
        "No value of a well-known key is valid in both the tagged and the untagged encoding."
        rationale: "If a string begins with byte 3, some readers interpret the byte as a tag, and others interpret it \
            as a control character. Different readers then return different values without an error. For an int or a \
            float, the size of the value shows whether it has a tag."
        readers: "No released reader decodes metadata values. The draft pytorch/executorch#19409 accepts a value with \
            or without a tag. The draft pytorch/executorch#19466 requires the tag, and the proposal \
            pytorch/executorch#19384 has no tags."
        source: "The closed drafts pytorch/executorch#19409 and pytorch/executorch#19466 and the proposal \
            pytorch/executorch#19384 define the encodings. No document states which encoding is correct, so the \
            rule's strength is `may`."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_ENC_V2_STRICT = "md-enc-v2-strict", May, Policy, Reader, Data, "metadata" {
        "A reader of the strict encoding rejects a value whose tag or size does not match the requested type."
        rationale: "The draft pytorch/executorch#19409 is ambiguous, because it also accepts values without a tag. A \
            reader that requires the tag reports an error for a value of the wrong type."
        readers: "No released reader decodes metadata values. In the draft pytorch/executorch#19466, a wrong tag or \
            size causes the error InvalidArgument (0x12) in C++ and an exception in Python."
        source: "The accessors of the closed draft pytorch/executorch#19466 follow the rule. The tags are 1 (int), 2 \
            (float), 3 (string), 4 (list of ints) and 5 (bytes). The draft's writer rejects a Python `bool` where an \
            int is expected, because no tag distinguishes a `bool` from an int."
        refs: ["pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_INT_SIZE = "md-int-size", May, Policy, File, Data, "metadata" {
        "The value of a well-known key of type int has 8 bytes without a tag, or 9 bytes with the tag 1."
        rationale: "If the value is shorter, an accessor that copies 8 bytes without a size check also reads the next \
            segment, or memory past the buffer."
        readers: "No released reader decodes metadata values. The C++ accessors of both drafts return InvalidArgument \
            (0x12) for a value of any other size."
        source: "The proposal and both drafts store an int as a little-endian `i64`, and they list the well-known \
            keys. Examples are `metadata.tokenizer.bos_id`, `metadata.context.max_seq_len` and \
            `metadata.model.vocab_size`."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_FLOAT_SIZE = "md-float-size", May, Policy, Reader, Data, "metadata" {
        "A reader decodes a value as a float only if the value has 8 bytes without a tag, or 9 bytes with the tag 2."
        rationale: "An accessor that copies 8 bytes without a size check reads past the end of a shorter value. If the \
            value is longer, the accessor returns a number that no writer stored."
        readers: "No released reader decodes metadata values. The C++ accessor of the draft pytorch/executorch#19466 \
            returns InvalidArgument (0x12) for any size other than 9."
        source: "The proposal and both drafts store a float as a little-endian IEEE 754 binary64. No well-known key \
            has type float, so no check can detect a file that breaks the rule."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_STRING_UTF8 = "md-string-utf8", May, Policy, File, Data, "metadata" {
        "The value of a well-known key of type string is valid UTF-8, after an optional tag byte 3."
        rationale: "Applications pass chat templates and tokenizer names to text parsers. The reader of the file does \
            not report invalid UTF-8. The error appears later, in the parsers of some applications."
        readers: "No released reader decodes metadata values. The Python accessors of the drafts decode the text and \
            raise an exception for invalid UTF-8. The C++ accessors of the drafts copy the bytes without a check."
        source: "The proposal pytorch/executorch#19384 specifies UTF-8 without a NUL terminator."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_LIST_COUNT = "md-list-count", May, Policy, File, Data, "metadata" {
        "The value of a well-known key for a list of ints consists of the tag 4, a `u32` count, and 8 bytes per int."
        rationale: "A reader that does not compare the count with the value's size reads past the value, or allocates \
            up to 32 GiB. If a reader multiplies the count by 8 in 32-bit arithmetic, the product can wrap, and a \
            comparison with the value's size passes."
        readers: "No released reader decodes metadata values. Both drafts compare the count with the value's size, \
            and return InvalidArgument (0x12) if they do not match. The later draft, pytorch/executorch#19466, \
            divides the size by 8; a division cannot wrap."
        source: "The drafts pytorch/executorch#19409 and pytorch/executorch#19466 specify the encoding. The metadata \
            proposal specifies no lists."
        refs: ["pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_IN_PTE_NAMEDATA = "md-in-pte-namedata", Should, Policy, Writer, Data, "metadata" {
        "A writer stores each metadata value in `Program.named_data` as a segment of alignment 1, and stores equal \
            values in one segment."
        rationale: "A reader can find metadata with the lookup that it already has for named data. Two keys with the \
            same `segment_index` have equal values."
        readers: "ExecuTorch 0.6.0 and later read named data, so they return the bytes of a metadata key. For a \
            metadata key, ExecuTorch returns no type and no layout."
        source: "The rule follows the proposal pytorch/executorch#19384 and ExecuTorch's \
            `exir/_serialize/_named_data_store.py`. The proposal needs no change of `schema/program.fbs`. The \
            serializer aligns all segments to 128 bytes, including the segments of metadata."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19466"]
    }
    MD_RESERVED_ORDER = "md-reserved-order", May, Policy, Reader, Data, "metadata" {
        "A reader finds metadata by key and does not depend on the order of the entries."
        rationale: "The exporter writes the keys in the order in which they were added, and this order differs between \
            models. A reader that expects a certain key in the first entry rejects valid files."
        readers: "ExecuTorch compares keys from the first entry onward. The order of the entries matters only for a \
            duplicate key, which `nd-key-unique` forbids."
        source: "Neither the proposal pytorch/executorch#19384 nor its drafts specify an order."
        refs: ["pytorch/executorch#19384"]
    }
}

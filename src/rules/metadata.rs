//! Rules about the `metadata.*` keys in named data (chapter `metadata` of the book).
//!
//! They follow a proposal that no ExecuTorch release has adopted.

rules! {
    MD_KEY_PREFIX = "md-key-prefix", May, Policy, File, Data, "metadata" {
        "A reader MAY ignore a key that begins with `metadata.` unless a namespace and a field follow: \
            `metadata.<namespace>.<field>`."
        rationale: "The prefix sets metadata apart from other named data, such as backend blobs, and every accessor in \
            the two drafts requests a key with a field. Released readers treat metadata keys like any other key."
        source: "The open proposal pytorch/executorch#19384 defines this form. The closed drafts \
            pytorch/executorch#19409 and pytorch/executorch#19466 also use keys without a namespace in their tests."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_KEY_GRAMMAR = "md-key-grammar", May, Policy, File, Data, "metadata" {
        "A reader MAY ignore a key that begins with `metadata.` unless it consists of non-empty lower-case identifiers \
            joined by single dots."
        rationale: "Keys are compared byte by byte, so `Tokenizer.BOS_ID` and `tokenizer.bos_id` are different keys, \
            and an accessor may find nothing or the wrong value. No released reader checks keys against a grammar."
        source: "Every key in the proposal pytorch/executorch#19384 and its drafts has this form, but no text requires \
            it."
        refs: ["pytorch/executorch#19384"]
    }
    MD_ENC_V0_UNTAGGED = "md-enc-v0-untagged", May, Policy, Reader, Data, "metadata" {
        "A reader of the untagged encoding MAY derive a value's type from the key: UTF-8 string, 8-byte little-endian \
            `i64` or `f64`, or raw bytes."
        rationale: "The value does not contain its type: eight bytes can be a string, an int or a float, and a wrong \
            guess returns nonsense. No released reader decodes metadata; the draft pytorch/executorch#19409 falls back \
            to this encoding if the tag does not match."
        source: "The open proposal pytorch/executorch#19384 defines this encoding, in which strings have no NUL \
            terminator. Two drafts define other encodings, so no rule can require one."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409"]
    }
    MD_ENC_V1_TAG = "md-enc-v1-tag", May, Policy, File, Data, "metadata" {
        "A reader MAY reject a well-known key's value if it is valid in both the tagged and the untagged encoding."
        rationale: "If a string begins with `03`, one reader treats that byte as the tag and another as a control \
            character, so they return different values without an error. For an int or a float, the size shows whether \
            there is a tag."
        source: "The proposal pytorch/executorch#19384 has no tags, the closed draft pytorch/executorch#19409 accepts \
            values with and without tags, and pytorch/executorch#19466 requires tags. No text says which is right."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_ENC_V2_STRICT = "md-enc-v2-strict", May, Policy, Reader, Data, "metadata" {
        "A reader of the strict encoding MAY reject a value whose tag or size does not match the requested type."
        rationale: "A reader that also accepts values without a tag, as the draft pytorch/executorch#19409 does, \
            cannot tell an untagged string that begins with `03` from a tagged string. The draft \
            pytorch/executorch#19466 reports InvalidArgument (0x12) in C++ and an exception in Python."
        source: "The closed draft pytorch/executorch#19466 defines the tags 1 (int), 2 (float), 3 (string), 4 (list of \
            ints) and 5 (bytes). It rejects a Python `bool` for an int."
        refs: ["pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_INT_SIZE = "md-int-size", May, Policy, File, Data, "metadata" {
        "A reader MAY reject the value of a well-known key of type int unless it has 8 bytes without a tag, or 9 bytes \
            with the tag 1."
        rationale: "An accessor that copies 8 bytes from a shorter value reads the next segment, or past the buffer. \
            The C++ accessors of both drafts return InvalidArgument (0x12). No released reader decodes metadata."
        source: "The proposal and both drafts store a little-endian `i64`, and list the well-known keys, such as \
            `metadata.tokenizer.bos_id`, `metadata.context.max_seq_len` and `metadata.model.vocab_size`."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_FLOAT_SIZE = "md-float-size", May, Policy, Reader, Data, "metadata" {
        "A reader MAY reject a float's value unless it has 8 bytes without a tag, or 9 bytes with the tag 2."
        rationale: "An accessor that copies 8 bytes reads past a shorter value, and returns a meaningless number for a \
            longer one. The C++ accessor of the draft pytorch/executorch#19466 returns InvalidArgument (0x12) for any \
            size other than 9."
        source: "The proposal and both drafts store a little-endian IEEE 754 binary64. No well-known key has a float \
            value, so `check` never finds a file that breaks the rule."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_STRING_UTF8 = "md-string-utf8", May, Policy, File, Data, "metadata" {
        "A reader MAY reject the value of a well-known key of type string unless it is valid UTF-8, after an optional \
            tag byte 3."
        rationale: "Chat templates and tokenizer names go to text parsers, so if a reader accepts the byte `ff`, the \
            error only appears there. The drafts' Python accessors raise an exception; their C++ accessors copy the \
            bytes without a check."
        source: "The proposal pytorch/executorch#19384 specifies UTF-8 without a NUL terminator. No released reader \
            decodes metadata."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_LIST_COUNT = "md-list-count", May, Policy, File, Data, "metadata" {
        "A reader MAY reject the value of a well-known key for an int list unless it consists of the tag 4, a `u32` \
            count, and 8 bytes per int."
        rationale: "If a reader does not compare the count with the size, it reads past the value, or allocates up to \
            32 GiB. In 32-bit arithmetic, 0x20000001 ints seem to need only 8 bytes and pass the check. Both drafts \
            return InvalidArgument (0x12); the later draft divides, which cannot wrap."
        source: "The drafts pytorch/executorch#19409 and pytorch/executorch#19466 define lists; the proposal has none."
        refs: ["pytorch/executorch#19409", "pytorch/executorch#19466"]
    }
    MD_IN_PTE_NAMEDATA = "md-in-pte-namedata", Should, Policy, Writer, Data, "metadata" {
        "A writer SHOULD store each metadata value in `Program.named_data` as a segment with alignment 1, and store \
            equal values in one segment."
        rationale: "Readers can then find metadata with the lookup that they already have: ExecuTorch 0.6.0 and later \
            return the bytes, without a type or a layout. Two keys with the same `segment_index` have equal values."
        source: "The proposal pytorch/executorch#19384 needs no schema change. ExecuTorch's \
            `exir/_serialize/_named_data_store.py` stores equal values once. The serializer aligns all segments to 128."
        refs: ["pytorch/executorch#19384", "pytorch/executorch#19466"]
    }
    MD_RESERVED_ORDER = "md-reserved-order", May, Policy, Reader, Data, "metadata" {
        "A reader MAY look up metadata by key only, because the order of the entries has no meaning."
        rationale: "The exporter writes keys in insertion order, which differs between models, so a reader that \
            expects a certain key to come first rejects valid files. The order matters only for a duplicate key, which \
            `nd-key-unique` forbids."
        source: "Neither the proposal pytorch/executorch#19384 nor its drafts specify an order."
        refs: ["pytorch/executorch#19384"]
    }
}

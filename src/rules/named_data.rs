//! Named data of a program, `Program.named_data`: chapter `named-data` of the book.

rules! {
    ND_SEGMENTS_PRESENT = "nd-segments-present", Must, File, Meta, "named-data" {
        "`segments` is present if `named_data` is, even if `named_data` is empty."
        why: "Every key resolves through the segment table. A reader that assumes the table is present dereferences a \
            null pointer."
        readers: "ExecuTorch returns InvalidArgument (0x12) when it loads the program, at both levels."
        source: "`PteDataMap::create`, which requires the table even for an empty list. The official writer writes \
            `segments` and `named_data`."
        refs: ["S-08"]
        cwe: ["CWE-476"]
    }
    ND_KEY_NONNULL = "nd-key-nonnull", Must, File, Data, "named-data" {
        "Every entry of `named_data` has a `key`."
        why: "A look-up compares the key of each entry up to the match, so a look-up of any later entry reaches the \
            null pointer of an absent key."
        readers: "ExecuTorch returns InvalidArgument (0x12) if a look-up reaches the entry, so the result depends on \
            the order of the table. A verifier accepts an absent key."
        source: "`PteDataMap::get_data` and `get_key`. The schema requires no field, so presence needs its own rule."
        refs: ["S-10"]
        cwe: ["CWE-476"]
    }
    ND_KEY_NONEMPTY = "nd-key-nonempty", Should, File, Data, "named-data" {
        "No `key` of `named_data` is the empty string."
        why: "A caller that requests an empty key by mistake receives this blob instead of an error."
        readers: "No reader checks the rule."
        source: "This project infers the rule: keys are names that backends and tensors request, and no backend or \
            tensor requests an empty key."
        refs: ["S-10"]
    }
    ND_KEY_UNIQUE = "nd-key-unique", Must, File, Data, "named-data" {
        "No two entries of `named_data` have the same `key`."
        why: "Each reader decides which of the two blobs a backend receives. A file can present one set of weights to \
            a scanner and another set to the device."
        readers: "Readers differ: one returns the first match, another rejects the file if the two blobs differ."
        source: "The schema calls the key the unique id of the blob, and `_named_data_store.py` rejects a second blob \
            under a key."
        refs: ["S-10"]
        cwe: ["CWE-694", "CWE-436"]
    }
    ND_SEG_INDEX = "nd-seg-index", Must, File, Data, "named-data" {
        "The `segment_index` of an entry of `named_data` is below the number of segments."
        why: "For an index past the table, a reader gets the segment's offset and size from other bytes of the file."
        readers: "ExecuTorch's C++ reader returns InvalidArgument (0x12) at the look-up. Its Python reader raises \
            ValueError for the file if it has a header."
        source: "`PteDataMap::get_data`. The schema's type is any `u32`, and a verifier accepts every value."
        refs: ["S-10"]
        cwe: ["CWE-129", "CWE-125"]
    }
    ND_SHARE_OK = "nd-share-ok", Must, Reader, Data, "named-data" {
        "A reader accepts several keys that use one segment, and returns the same bytes for each."
        why: "A reader that expects one key per segment rejects what the official writer produces for two equal blobs."
        readers: "ExecuTorch's readers accept shared segments, because they look up each key separately."
        source: "The schema states that several entries may point to one segment. The official writer stores equal \
            blobs once."
    }
    ND_ABS_OVERFLOW = "nd-abs-overflow", Must, Reader, Data, "named-data" {
        "A reader adds `segment_base_offset` and a named blob's segment `offset` in 64 bits, and rejects a sum above \
            2^64 - 1."
        why: "A sum that wraps leads into the file's own header, and a reader returns the header's bytes as the blob."
        readers: "Some look-ups do not check the sum. A data loader's own check of position \
            and size runs after the addition and cannot detect that it wrapped."
        source: "Inferred in the same way as `seg-abs-no-overflow`, the rule that a file with such a sum breaks."
        refs: ["S-05"]
        cwe: ["CWE-190", "CWE-125"]
    }
    ND_PREFIX_MATCH = "nd-prefix-match", Must, Reader, Data, "named-data" {
        "A reader matches a key only if the stored and the requested key have the same length and the same bytes."
        why: "With prefix matching, a stored key `a` also matches a request for `ab`. A backend then receives the blob \
            of another backend."
        readers: "ExecuTorch 0.7.0 compared only as many bytes as the stored key has; later releases compare length \
            and bytes. Its data-file reader changed in the same way."
        source: "`PteDataMap::get_data` and its history. Keys are ids; the schema defines no order or relation among \
            them."
        refs: ["pytorch/executorch#11499", "pytorch/executorch#12331", "pytorch/executorch#14165"]
        cwe: ["CWE-436"]
    }
    ND_NO_LAYOUT = "nd-no-layout", Must, Reader, Data, "named-data" {
        "A reader reports that a program's named data has no tensor layout, and does not construct one."
        why: "A layout constructed from a size or from defaults gives a tensor a type and a shape that no writer \
            recorded."
        readers: "ExecuTorch returns NotImplemented (0x11). External tensors therefore resolve from data files only."
        source: "`NamedData` of `schema/program.fbs` has a key and a segment only, unlike that of data files; \
            `PteDataMap::get_tensor_layout`."
    }
    ND_CROSS_FILE_UNIQUE = "nd-cross-file-unique", Must, File, Data, "named-data" {
        "No key occurs twice among the named data of a program and of all data files that are loaded with it."
        why: "The file that a reader searches first decides what a key means. The presence of a data file can \
            therefore replace a blob of the program."
        readers: "ExecuTorch's map over several data files returns InvalidArgument (0x12) for a second occurrence. \
            Readers differ in whether they also compare the program's own keys."
        source: "`extension/named_data_map/merged_data_map.cpp`, and `runtime/executor/merged_data_map.h` for a \
            program and its data file. The check needs the set of files, not one file."
        refs: ["S-10", "X-10"]
        cwe: ["CWE-694", "CWE-436"]
    }
}

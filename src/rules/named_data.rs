//! Named data of a program, `Program.named_data` (specification, section 1.6).

rules! {
    ND_SEGMENTS_PRESENT = "nd-segments-present", Must, File, Meta, "1.6" {
        "`segments` is present wherever `named_data` is, even if that is empty."
        why: "Every key resolves through that table, and a reader that takes it for given follows a null pointer."
        readers: "ExecuTorch answers InvalidArgument (0x12) when it loads the program, at both levels."
        source: "`PteDataMap::create`, which wants the table even for an empty list. The official writer writes both."
        refs: ["S-08"]
        cwe: ["CWE-476"]
    }
    ND_KEY_NONNULL = "nd-key-nonnull", Must, File, Data, "1.6" {
        "Every entry of `named_data` has a `key`."
        why: "Look-ups compare the key of each entry that they pass, so an absent one is a null pointer on the way to \
            every entry behind it."
        readers: "ExecuTorch answers InvalidArgument (0x12) when a look-up meets it, so whether it is met depends on \
            the order of the table. A verifier lets the absence through."
        source: "`PteDataMap::get_data` and `get_key`. The schema requires no field, so being present is a rule of its \
            own."
        refs: ["S-10"]
        cwe: ["CWE-476"]
    }
    ND_KEY_NONEMPTY = "nd-key-nonempty", Should, File, Data, "1.6" {
        "No `key` of `named_data` is the empty string."
        why: "A caller whose own key came out empty, by a fault of its own, would be given this blob instead of an \
            error."
        readers: "No reader checks it."
        source: "Derived: keys are names that backends and tensors ask for, and none asks for an empty one."
        refs: ["S-10"]
    }
    ND_KEY_UNIQUE = "nd-key-unique", Must, File, Data, "1.6" {
        "No two entries of `named_data` have the same `key`."
        why: "Which of the two blobs a backend gets depends on the reader, so a file can show one set of weights to a \
            scanner and another to the device."
        readers: "Readers differ: one returns the first match, another refuses the file if the two blobs differ."
        source: "The schema calls the key the unique id of the blob, and `_named_data_store.py` refuses a second blob \
            under a key."
        refs: ["S-10"]
        cwe: ["CWE-694", "CWE-436"]
    }
    ND_SEG_INDEX = "nd-seg-index", Must, File, Data, "1.6" {
        "The `segment_index` of an entry of `named_data` is below the number of segments."
        why: "An index past the table takes the segment's offset and size from other bytes of the file."
        readers: "ExecuTorch's C++ reader answers the look-up with InvalidArgument (0x12); its Python reader raises \
            ValueError for the file, if that has a header."
        source: "`PteDataMap::get_data`. The schema's type is any `u32`, which a verifier lets through."
        refs: ["S-10"]
        cwe: ["CWE-129", "CWE-125"]
    }
    ND_SHARE_OK = "nd-share-ok", Must, Reader, Data, "1.6" {
        "A reader accepts several keys that refer to one segment, and returns the same bytes for each."
        why: "A reader that expects one key for each segment refuses what the official writer makes of any two equal \
            blobs."
        readers: "ExecuTorch's readers accept it: each key is looked up by itself."
        source: "The schema says that several entries may point to one segment. The official writer stores equal blobs \
            once."
    }
    ND_ABS_OVERFLOW = "nd-abs-overflow", Must, Reader, Data, "1.6" {
        "A reader adds `segment_base_offset` and the segment's `offset` for a named blob in 64 bits, and refuses a sum \
            above 2^64 - 1."
        why: "A sum that wraps lands in the file's own header, and its bytes are returned as the blob."
        readers: "Not every look-up checks the sum, as a public report shows. A data loader's own check, of place and \
            size, comes after the sum and cannot see that it wrapped."
        source: "Derived, as `seg-abs-no-overflow`, which is the rule that the file breaks."
        refs: ["S-05"]
        cwe: ["CWE-190", "CWE-125"]
    }
    ND_PREFIX_MATCH = "nd-prefix-match", Must, Reader, Data, "1.6" {
        "A reader finds a key only if the stored and the requested one have the same length and the same bytes."
        why: "A key that is the beginning of the one asked for answers in its place, so a backend gets another's blob."
        readers: "ExecuTorch 0.7.0 compared only as many bytes as the stored key has; since 1.0.0 it compares length \
            and bytes. The same change was made in its data-file reader."
        source: "`PteDataMap::get_data` and its history. Keys are ids, which the schema gives no other order or \
            relation."
        refs: ["pytorch/executorch#12331", "pytorch/executorch#14165"]
        cwe: ["CWE-436"]
    }
    ND_NO_LAYOUT = "nd-no-layout", Must, Reader, Data, "1.6" {
        "A reader that is asked for the tensor layout of a program's named data answers that there is none, and does \
            not make one up."
        why: "A layout that is made up, from a size or from defaults, gives a tensor a type and a shape that nobody \
            wrote."
        readers: "ExecuTorch answers NotImplemented (0x11). Hence external tensors resolve from data files alone."
        source: "`NamedData` of `schema/program.fbs` has a key and a segment only, unlike that of data files; \
            `PteDataMap::get_tensor_layout`."
    }
    ND_CROSS_FILE_UNIQUE = "nd-cross-file-unique", Must, File, Data, "1.6" {
        "No key occurs twice among the named data of a program and of all data files that are loaded with it."
        why: "Whichever of two files is asked first decides what a key means, so a data file can replace a blob of the \
            program by being there."
        readers: "ExecuTorch's map over several data files answers a second occurrence with InvalidArgument (0x12). \
            Whether the program's own keys are compared with theirs differs."
        source: "`extension/named_data_map/merged_data_map.cpp`, and `runtime/executor/merged_data_map.h`, which \
            exists to do the same for a program and its data file. It is checked with the set of files, not with one."
        refs: ["S-10", "X-10"]
        cwe: ["CWE-694", "CWE-436"]
    }
}

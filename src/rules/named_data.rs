//! Rules about `Program.named_data`, the named data of a program (chapter `named-data` of the book).

rules! {
    ND_SEGMENTS_PRESENT = "nd-segments-present", Must, Loader, File, Meta, "named-data" {
        "A program that has `named_data` also has `segments`, even if `named_data` is empty."
        rationale: "Every entry of `named_data` refers to an entry of the segment table. If a reader does not check \
            whether `segments` is present, it dereferences a null pointer."
        readers: "If `segments` is absent, ExecuTorch returns InvalidArgument (0x12) when it loads the program, at \
            both verification levels."
        source: "ExecuTorch's `PteDataMap::create` requires `segments` even if `named_data` is empty. The official \
            writer writes both `segments` and `named_data`."
        refs: ["S-08"]
        cwe: ["CWE-476"]
    }
    ND_KEY_NONNULL = "nd-key-nonnull", Must, Loader, File, Data, "named-data" {
        "Every entry of `named_data` has a `key`."
        rationale: "A lookup compares the requested key with the key of each entry until one key matches. If an entry \
            before the match has no key, a careless reader dereferences a null pointer."
        readers: "ExecuTorch returns InvalidArgument (0x12) if a lookup reaches an entry without a key, so the result \
            depends on the order of the entries. FlatBuffers verifiers accept an absent key."
        source: "ExecuTorch's `PteDataMap::get_data` and `PteDataMap::get_key` check for the key. In \
            `schema/program.fbs`, the key is optional."
        refs: ["S-10"]
        cwe: ["CWE-476"]
    }
    ND_KEY_NONEMPTY = "nd-key-nonempty", Should, Policy, File, Data, "named-data" {
        "No `key` of `named_data` is the empty string."
        rationale: "If a caller requests an empty key by mistake, a lookup returns the blob of an entry with an \
            empty key instead of an error."
        readers: "No reader checks the rule."
        source: "A key is the name of a backend's data or of a tensor, and no backend or tensor uses an empty name."
        refs: ["S-10"]
    }
    ND_KEY_UNIQUE = "nd-key-unique", Must, Text, File, Data, "named-data" {
        "No two entries of `named_data` with different bytes have the same `key`."
        rationale: "If two entries have the same key, the reader decides which of the two blobs a backend receives. \
            A file can present one set of weights to a scanner and another set to the device."
        readers: "Some readers return the blob of the first entry with the key. Other readers reject the file if two \
            entries with one key have different blobs."
        source: "ExecuTorch's `schema/program.fbs` calls the key the unique id of the blob. ExecuTorch's \
            `exir/_serialize/_named_data_store.py` rejects a second blob that differs from the first blob with the \
            same key. The rule `nd-key-once` covers entries with equal bytes. The total number of bytes that the \
            checker compares is at most the file's size. The checker treats entries that it does not compare as \
            different."
        refs: ["S-10"]
        cwe: ["CWE-694", "CWE-436"]
    }
    ND_KEY_ONCE = "nd-key-once", May, Writer, File, Data, "named-data" {
        "No two entries of `named_data` with equal bytes have the same `key`."
        rationale: "Every lookup returns the same bytes, so the second entry has no effect. A reader that merges the \
            keys of several files can still reject the second entry."
        readers: "ExecuTorch's C++ and Python readers accept a program that contains a key twice with equal bytes."
        source: "ExecuTorch's `exir/_serialize/_named_data_store.py` ignores a second blob with the same key and equal \
            bytes, so official writers write each key once. The rule's strength is `may` because the official readers \
            of programs accept the file."
        refs: ["S-10"]
    }
    ND_SEG_INDEX = "nd-seg-index", Must, Loader, File, Data, "named-data" {
        "The `segment_index` of an entry of `named_data` is below the number of segments."
        rationale: "If `segment_index` is past the segment table, a reader uses unrelated bytes of the file as the \
            segment's offset and size."
        readers: "For an index out of range, ExecuTorch's C++ reader returns InvalidArgument (0x12) at the lookup. If \
            the file has a header, ExecuTorch's Python reader raises ValueError for the index when it opens the file."
        source: "ExecuTorch's `PteDataMap::get_data` checks the index. In `schema/program.fbs`, `segment_index` is a \
            `u32`, and FlatBuffers verifiers accept every value."
        refs: ["S-10"]
        cwe: ["CWE-129", "CWE-125"]
    }
    ND_SHARE_OK = "nd-share-ok", Must, Text, Reader, Data, "named-data" {
        "A reader accepts several keys that use one segment, and returns the same bytes for each key."
        rationale: "The official writer stores two equal blobs in one segment. A reader that requires one key per \
            segment rejects valid files."
        readers: "ExecuTorch's readers accept shared segments, because these readers look up each key separately."
        source: "ExecuTorch's `schema/program.fbs` states that several entries of `named_data` may point to one \
            segment. The official writer stores equal blobs once."
    }
    ND_ABS_OVERFLOW = "nd-abs-overflow", Must, Policy, Reader, Data, "named-data" {
        "A reader of named data rejects a segment if `segment_base_offset` plus the segment's `offset` is above 2^64 - \
            1."
        rationale: "If the sum wraps, it is a position near the beginning of the file, and a reader returns the \
            header's bytes as the blob."
        readers: "Some lookups do not check the sum of base and offset. A data loader receives only the sum, so it \
            cannot detect that the sum wrapped."
        source: "The rule has the reasons of `seg-abs-no-overflow`. A file in which this sum exceeds 2^64 - 1 breaks \
            `seg-abs-no-overflow`."
        refs: ["S-05"]
        cwe: ["CWE-190", "CWE-125"]
    }
    ND_PREFIX_MATCH = "nd-prefix-match", Must, Loader, Reader, Data, "named-data" {
        "A reader matches a key only if the stored key and the requested key have the same length and the same bytes."
        rationale: "With prefix matching, a stored key `a` also matches a request for `ab`. The caller that \
            requests `ab` receives the blob of another caller."
        readers: "To match a key, ExecuTorch 0.7.0 compares only as many bytes as the stored key has. Since 1.0.0, \
            ExecuTorch compares the length and all bytes of the two keys. ExecuTorch's reader of data files also \
            changed from a comparison of prefixes to a comparison of whole keys."
        source: "The rule follows from the history of ExecuTorch's `PteDataMap::get_data`. Keys are ids, and \
            `schema/program.fbs` defines no order or relation among keys."
        refs: ["pytorch/executorch#11499", "pytorch/executorch#12331", "pytorch/executorch#14165"]
        cwe: ["CWE-436"]
    }
    ND_NO_LAYOUT = "nd-no-layout", Must, Loader, Reader, Data, "named-data" {
        "A reader reports that a program's named data has no tensor layout, and does not construct a layout."
        rationale: "If a reader constructs a layout from a size or from defaults, a tensor gets a type and a shape \
            that no writer recorded."
        readers: "If a caller requests a layout, ExecuTorch returns NotImplemented (0x11), so ExecuTorch resolves \
            external tensors only from data files."
        source: "ExecuTorch's `PteDataMap::get_tensor_layout` returns no layout. The table `NamedData` in \
            `schema/program.fbs` has only a key and a segment. In contrast, the table `NamedData` of data files has a \
            field for a layout."
    }
    ND_CROSS_FILE_UNIQUE = "nd-cross-file-unique", Must, Loader, File, Data, "named-data" {
        "No key occurs twice among the named data of a program and of the data files that are loaded with the program."
        rationale: "If a key occurs in two files, the file that a reader searches first supplies the blob. A data \
            file can therefore replace a blob of the program."
        readers: "ExecuTorch's `MergedDataMap` for data files returns InvalidArgument (0x12) if two files have the \
            same key. Some readers do not compare the keys of data files with the keys of the program."
        source: "ExecuTorch's `extension/named_data_map/merged_data_map.cpp` merges the keys of several data files. \
            ExecuTorch's `runtime/executor/merged_data_map.h` merges the keys of a program and a data file. The check \
            needs the program and all of its data files."
        refs: ["S-10", "X-10"]
        cwe: ["CWE-694", "CWE-436"]
    }
}

//! Rules about `Program.named_data`, the named data of a program (chapter `named-data` of the book).

rules! {
    ND_SEGMENTS_PRESENT = "nd-segments-present", Must, Loader, File, Meta, "named-data" {
        "A program that has `named_data` MUST also have `segments`, even if `named_data` is empty."
        rationale: "Every entry refers to the segment table, so if the table is absent, a lookup dereferences null. \
            ExecuTorch returns InvalidArgument (0x12) when it loads the program, at both verification levels."
        source: "ExecuTorch's `PteDataMap::create` requires `segments` even for an empty list, and the official writer \
            writes both."
        refs: ["S-08"]
        cwe: ["CWE-476"]
    }
    ND_KEY_NONNULL = "nd-key-nonnull", Must, Loader, File, Data, "named-data" {
        "Every entry in `named_data` MUST have a `key`."
        rationale: "A lookup compares the requested key with each entry's key until one matches, so an entry without a \
            key makes it dereference null. ExecuTorch returns InvalidArgument (0x12) when it gets there, so the entry \
            order decides whether a lookup works."
        source: "`PteDataMap::get_data` and `PteDataMap::get_key` check for the key. `schema/program.fbs` makes it \
            optional, so verifiers do not require it."
        refs: ["S-10"]
        cwe: ["CWE-476"]
    }
    ND_KEY_NONEMPTY = "nd-key-nonempty", Should, Policy, File, Data, "named-data" {
        "A `key` in `named_data` SHOULD NOT be the empty string."
        rationale: "A caller that requests an empty key by mistake gets this entry's blob instead of an error."
        source: "A key names a backend's data or a tensor, and neither has an empty name. No reader checks this."
        refs: ["S-10"]
    }
    ND_KEY_UNIQUE = "nd-key-unique", Must, Text, File, Data, "named-data" {
        "Keys in `named_data` MUST be unique; a repeated key is allowed only for identical bytes."
        rationale: "Otherwise, what a backend gets depends on the reader: the first entry's blob, or an error. A file \
            can show one set of weights to a scanner and another to the device."
        source: "ExecuTorch's `schema/program.fbs` calls the key the unique id of the blob. `check` stops when \
            the compared bytes add up to the file's size, and treats the remaining entries as different."
        refs: ["S-10"]
        cwe: ["CWE-694", "CWE-436"]
    }
    ND_KEY_ONCE = "nd-key-once", May, Writer, File, Data, "named-data" {
        "A reader MAY reject a program that repeats a key of `named_data`, even with identical bytes."
        rationale: "Every lookup returns the same bytes, so the second entry does nothing, and ExecuTorch's C++ and \
            Python readers accept it. A reader that merges keys from several files may still reject the repetition."
        source: "ExecuTorch's `exir/_serialize/_named_data_store.py` ignores a second blob with the same key and equal \
            bytes, so writers write each key once."
        refs: ["S-10"]
    }
    ND_SEG_INDEX = "nd-seg-index", Must, Loader, File, Data, "named-data" {
        "Every `segment_index` in `named_data` MUST be below the number of segments."
        rationale: "If the index is past the segment table, the offset and size come from unrelated bytes. \
            On lookup, ExecuTorch's C++ reader returns InvalidArgument (0x12); its Python reader raises ValueError \
            when it opens a file with a header."
        source: "`PteDataMap::get_data` checks the index, because verifiers accept every `u32`."
        refs: ["S-10"]
        cwe: ["CWE-129", "CWE-125"]
    }
    ND_SHARE_OK = "nd-share-ok", Must, Text, Reader, Data, "named-data" {
        "A reader MUST accept several keys that use the same segment, and return the same bytes for each of them."
        rationale: "The official writer stores equal blobs once, so a reader that expects one key per segment rejects \
            valid files. ExecuTorch's readers look up each key separately."
        source: "ExecuTorch's `schema/program.fbs` lets several entries in `named_data` point to one segment."
    }
    ND_ABS_OVERFLOW = "nd-abs-overflow", Must, Policy, Reader, Data, "named-data" {
        "A reader of named data MUST reject a segment if `segment_base_offset` plus the segment's `offset` is above \
            2^64 - 1."
        rationale: "The wrapped sum is a position near the beginning of the file, so the header's bytes are returned \
            as the blob. The data loader gets only the sum, so it cannot notice the overflow."
        source: "A file with such a segment breaks `seg-abs-no-overflow`."
        refs: ["S-05"]
        cwe: ["CWE-190", "CWE-125"]
    }
    ND_PREFIX_MATCH = "nd-prefix-match", Must, Loader, Reader, Data, "named-data" {
        "A reader MUST match a key only if the stored and the requested key have the same length and bytes."
        rationale: "If keys are matched by prefix, a stored key `a` also answers a request for `ab`, so the caller \
            gets the wrong blob. ExecuTorch 0.7.0 compares only as many bytes as the stored key has; 1.0.0 and later \
            compare length and bytes."
        source: "The rule follows from the history of ExecuTorch's `PteDataMap::get_data`. `schema/program.fbs` says \
            nothing about one key being the prefix of another."
        refs: ["pytorch/executorch#11499", "pytorch/executorch#12331", "pytorch/executorch#14165"]
        cwe: ["CWE-436"]
    }
    ND_NO_LAYOUT = "nd-no-layout", Must, Loader, Reader, Data, "named-data" {
        "A reader MUST report that a program's named data has no tensor layout, and MUST NOT make one up."
        rationale: "A layout made up from the size or from defaults gives a tensor a type and shape that no writer \
            recorded. ExecuTorch returns NotImplemented (0x11), so it resolves external tensors only from data files."
        source: "`PteDataMap::get_tensor_layout` returns no layout: unlike in a data file, a program's `NamedData` \
            table has no field for it."
    }
    ND_CROSS_FILE_UNIQUE = "nd-cross-file-unique", Must, Loader, File, Data, "named-data" {
        "A key MUST NOT occur twice among the named data in a program and the data files loaded with it."
        rationale: "The file that is searched first supplies the blob, so a data file can override a blob of the \
            program. ExecuTorch's `MergedDataMap` returns InvalidArgument (0x12) if two data files have the same key; \
            the program's own keys need the same check."
        source: "ExecuTorch merges data files in `extension/named_data_map/merged_data_map.cpp`, and a program with a \
            data file in `runtime/executor/merged_data_map.h`. To find a violation, `check` needs all of these files."
        refs: ["S-10", "X-10"]
        cwe: ["CWE-694", "CWE-436"]
    }
}

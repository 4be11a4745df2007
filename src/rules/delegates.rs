//! Delegates (`BackendDelegate`) and their blobs: chapter `delegates` of the book.

rules! {
    DEL_ID = "del-id", Must, File, Meta, "delegates" {
        "Every BackendDelegate has an `id`."
        rationale: "A reader looks up the backend by this name, and a host uses the name to check whether it can \
            run the method. If the name is absent, a careless reader dereferences a null pointer."
        readers: "When ExecuTorch prepares the method, it returns InvalidProgram (0x23) for an absent id and NotFound \
            (0x20) for an id without a backend. Some readers do not check for an absent id when they return metadata."
        source: "`BackendDelegate::Init` checks the id. Each build has its own set of backends, so an unknown id \
            breaks no rule."
        refs: ["D-08", "pytorch/executorch#19904"]
        cwe: ["CWE-476"]
    }
    DEL_PROCESSED = "del-processed", Must, File, Method, "delegates" {
        "Every BackendDelegate has `processed`, the table that locates its blob."
        rationale: "A reader gets the location of the blob from the table `processed`. If the table is absent, a \
            careless reader dereferences a null pointer."
        readers: "Some readers do not check the rule. Pull request pytorch/executorch#19904 lists the check as missing."
        source: "This project infers the rule, because a delegate without a blob has nothing to run. ExecuTorch's \
            `schema/program.fbs` makes the field optional, and the exporter always writes it."
        refs: ["D-03", "pytorch/executorch#19904"]
        cwe: ["CWE-476"]
    }
    DEL_LOCATION = "del-location", Must, File, Method, "delegates" {
        "`location` of a delegate's `processed` is 0 (INLINE) or 1 (SEGMENT)."
        rationale: "The field selects the list that `index` refers to. If the location is unknown, readers choose \
            different lists and pass different blobs to the backend."
        readers: "For an unknown location, ExecuTorch returns Internal (0x01) when it prepares the method. \
            ExecuTorch's Python reader also rejects an unknown location."
        source: "The enum `DataLocation` of ExecuTorch's `schema/program.fbs` declares INLINE and SEGMENT, and \
            `GetProcessedData` checks the field."
        refs: ["D-09"]
        cwe: ["CWE-436"]
    }
    DEL_INLINE_INDEX = "del-inline-index", Must, File, Method, "delegates" {
        "If a delegate's data is INLINE, `index` is below the number of `Program.backend_delegate_data` entries, and \
            the selected entry has `data`."
        rationale: "The backend receives the blob as a pointer and a length, and trusts them. With an index past \
            the end of the list, a reader gets the pointer and the length from arbitrary bytes of the file. An \
            absent list or vector is a null pointer."
        readers: "When ExecuTorch prepares the method, it returns NotFound (0x20) for an index out of range. Pull \
            request pytorch/executorch#19904 proposed checks for an absent list and absent `data`, and was closed \
            without a merge."
        source: "`Program::get_backend_delegate_data` checks the index. ExecuTorch's `schema/program.fbs` makes the \
            list and `data` optional; this project infers that both are present."
        refs: ["D-01", "D-02", "D-04", "pytorch/executorch#19904"]
        cwe: ["CWE-476", "CWE-129"]
    }
    DEL_SEGMENT_INDEX = "del-segment-index", Must, File, Method, "delegates" {
        "For a delegate in a segment, `segment_base_offset` is not 0 and `index` is below the number of `segments`, \
            even for an empty blob."
        rationale: "The index selects the bytes of the file that the backend receives. If the base is 0, segments \
            start at byte 0 and the backend receives the program's own header."
        readers: "When ExecuTorch prepares the method, it returns NotFound (0x20) for a base of 0 and for an index out \
            of range. Since 1.4.0, ExecuTorch also returns InvalidProgram (0x23) if `segments` is absent \
            (pytorch/executorch#19916). ExecuTorch's Python reader rejects the index when it opens the file \
            (ValueError)."
        source: "`Program::LoadSegment` checks the base before it reads any size."
        refs: ["D-10", "pytorch/executorch#19916"]
        cwe: ["CWE-129", "CWE-125"]
    }
    DEL_INLINE_ALL_REFERENCED = "del-inline-all-referenced", Should, File, Method, "delegates" {
        "At least one delegate of some method refers to each entry of `backend_delegate_data`."
        rationale: "An unused blob makes every load larger and can contain hidden data."
        readers: "No reader checks the rule. The official serializer raises ValueError for an unused entry when it \
            moves blobs to segments."
        source: "The function `_extract_delegate_segments` of the serializer requires a delegate for each entry."
        refs: ["H-15"]
    }
    DEL_COMPILE_SPEC = "del-compile-spec", Must, File, Method, "delegates" {
        "Every CompileSpec has a `key` and a `value`, which may be empty."
        rationale: "The backend receives the key as a string and the value as a pointer and a length. An absent \
            field becomes an address near 0, which the reader or the backend dereferences."
        readers: "Some readers pass the key and the value to the backend without a check."
        source: "This project infers the rule, because `PopulateCompileSpecs` reads the key and the value. \
            ExecuTorch's `schema/program.fbs` makes both fields optional, and the exporter always writes them."
        refs: ["D-05", "D-06"]
        cwe: ["CWE-476"]
    }
    DEL_COMPILE_SPECS_LIST = "del-compile-specs-list", Must, Reader, Method, "delegates" {
        "A reader accepts a BackendDelegate without `compile_specs`, and passes an empty list to the backend."
        rationale: "ExecuTorch's `schema/program.fbs` makes the field optional, and no document requires it. A \
            reader that dereferences an absent list crashes on a valid file."
        readers: "ExecuTorch accepts an absent list since 1.3.0. Earlier releases dereferenced a null pointer \
            (pytorch/executorch#18805)."
        source: "ExecuTorch's `schema/program.fbs` makes the field optional, and `BackendDelegate::Init` accepts an \
            absent list since pytorch/executorch#18805."
        refs: ["D-07", "pytorch/executorch#18805"]
    }
    DEL_PAYLOAD = "del-payload", Must, Reader, Method, "delegates" {
        "A reader does not trust a delegate's blob: the backend compares every offset, length and count in the blob \
            with the blob's size."
        rationale: "Each blob has the format of its backend, which no verifier of the program checks. The backend \
            parses the blob with the rights of the process. Fixed defects in backends include unverified tables and \
            a double free through reserved flags (pytorch/executorch#19102)."
        readers: "ExecuTorch passes a pointer and a length to the backend when it prepares the method. The checks \
            differ between backends, and releases since 1.3.0 have added checks."
        source: "This project infers the rule. The catalogue does not cover the formats of backends, so no file breaks \
            the rule."
        refs: [
            "L-01", "L-02", "L-03", "L-04", "L-05", "L-06", "L-07", "L-08", "pytorch/executorch#18784",
            "pytorch/executorch#18820", "pytorch/executorch#18896", "pytorch/executorch#19013",
            "pytorch/executorch#19102", "pytorch/executorch#19256", "pytorch/executorch#19285",
            "pytorch/executorch#19593",
        ]
    }
    DEL_EMPTY_INLINE = "del-empty-inline", Should, File, Method, "delegates" {
        "A delegate does not refer to a segment of 0 bytes."
        rationale: "A loader may return a null pointer for 0 bytes. The backend then receives a null pointer \
            instead of an address inside the file."
        readers: "No reader checks the rule."
        source: "The serializer stores an empty blob inline with an empty `data`, and moves only non-empty blobs to \
            segments. The strength is `should` because no reader depends on this placement."
    }
}

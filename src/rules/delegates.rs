//! Delegates, `BackendDelegate`, and their blobs: chapter `delegates` of the book.

rules! {
    DEL_ID = "del-id", Must, File, Meta, "delegates" {
        "Every BackendDelegate has an `id`."
        why: "A reader finds the backend by this name, and a host uses it to check whether it can run the method. An \
            absent name is a null pointer in both comparisons."
        readers: "ExecuTorch rejects a violation when it prepares the method (0x23). For an id without a backend, it \
            returns 0x20. Some readers compare ids for metadata without this check."
        source: "`BackendDelegate::Init`. The build determines which backends exist, so an unknown id breaks no rule."
        refs: ["D-08", "pytorch/executorch#19904"]
        cwe: ["CWE-476"]
    }
    DEL_PROCESSED = "del-processed", Must, File, Method, "delegates" {
        "Every BackendDelegate has `processed`, the location of its blob."
        why: "The reader takes the blob's location from this table first. If the table is absent, the reader \
            dereferences a null pointer."
        readers: "Some readers do not check the rule. Pull request #19904 lists the check as missing."
        source: "This project infers the rule: a delegate without a blob has nothing to run. The schema makes the \
            field optional, and the exporter always writes it."
        refs: ["D-03", "pytorch/executorch#19904"]
        cwe: ["CWE-476"]
    }
    DEL_LOCATION = "del-location", Must, File, Method, "delegates" {
        "`location` of a delegate's `processed` is 0 (INLINE) or 1 (SEGMENT)."
        why: "The field selects the list that `index` refers to. With another number, readers choose different lists \
            and pass different blobs to the backend."
        readers: "ExecuTorch rejects a violation when it prepares the method (0x01). ExecuTorch's Python reader also \
            rejects the location."
        source: "The schema's enum `DataLocation`, and `GetProcessedData`."
        refs: ["D-09"]
        cwe: ["CWE-436"]
    }
    DEL_INLINE_INDEX = "del-inline-index", Must, File, Method, "delegates" {
        "If a delegate's data is INLINE, `index` is below the number of entries of `Program.backend_delegate_data`, \
            and the entry has `data`."
        why: "The backend receives the blob as a pointer and a length, and trusts both. For an index past the list's \
            end, a reader gets both from other bytes of the file; an absent list or vector is a null pointer."
        readers: "ExecuTorch rejects an index out of range when it prepares the method (0x20). Pull request #19904 \
            proposed checks for an absent list and absent `data`, and was closed without a merge."
        source: "`Program::get_backend_delegate_data`. The schema makes the list and `data` optional; this project \
            infers that both are present."
        refs: ["D-01", "D-02", "D-04", "pytorch/executorch#19904"]
        cwe: ["CWE-476", "CWE-129"]
    }
    DEL_SEGMENT_INDEX = "del-segment-index", Must, File, Method, "delegates" {
        "If a delegate's data is in a segment, `segment_base_offset` is not 0 and `index` is below the number of \
            `segments`, even for an empty blob."
        why: "The index selects the bytes of the file that the backend receives. Without a base, the bytes would start \
            at byte 0, in the program's own header."
        readers: "ExecuTorch rejects both violations when it prepares the method (0x20). Since 1.4.0 it also rejects \
            absent `segments` (0x23, #19916). Its Python reader rejects the index when it opens the file (ValueError)."
        source: "`Program::LoadSegment`, which checks the base before it reads any size."
        refs: ["D-10", "pytorch/executorch#19916"]
        cwe: ["CWE-129", "CWE-125"]
    }
    DEL_INLINE_ALL_REFERENCED = "del-inline-all-referenced", Should, File, Method, "delegates" {
        "A delegate of some method refers to each entry of `backend_delegate_data`."
        why: "An unused blob adds to the size of every load and can contain hidden data."
        readers: "No reader checks the rule. The official serializer rejects such an entry when it moves blobs to \
            segments (ValueError)."
        source: "`_extract_delegate_segments` of the serializer."
        refs: ["H-15"]
    }
    DEL_COMPILE_SPEC = "del-compile-spec", Must, File, Method, "delegates" {
        "Every CompileSpec has a `key` and a `value`, which may be empty."
        why: "The backend receives the key as a string and the value as a pointer and a length. An absent field \
            becomes an address near 0, which the reader or the backend dereferences."
        readers: "Some readers pass the fields on without a check."
        source: "This project infers the rule: `PopulateCompileSpecs` reads both. The schema makes them optional, and \
            the exporter always writes them."
        refs: ["D-05", "D-06"]
        cwe: ["CWE-476"]
    }
    DEL_COMPILE_SPECS_LIST = "del-compile-specs-list", Must, Reader, Method, "delegates" {
        "A reader accepts a BackendDelegate without `compile_specs`, and passes the backend an empty list."
        why: "The schema makes the field optional and no text requires it. A reader that takes the length of an absent \
            list crashes on a valid file."
        readers: "ExecuTorch accepts such a delegate since 1.3.0. Earlier releases dereferenced a null pointer \
            (#18805)."
        source: "The schema, and `BackendDelegate::Init` since #18805."
        refs: ["D-07", "pytorch/executorch#18805"]
    }
    DEL_PAYLOAD = "del-payload", Must, Reader, Method, "delegates" {
        "A reader does not trust a delegate's blob: its backend compares every offset, length and count with the \
            blob's size."
        why: "The blob has its own format, which no verifier of the program checks and which the backend parses with \
            the rights of the process. Fixed defects in backends range from unverified tables to a double free through \
            reserved flags (#19102)."
        readers: "ExecuTorch passes a pointer and a length to the backend when it prepares the method. The checks \
            differ between backends, and releases since 1.3.0 have added some."
        source: "This project infers the rule. The formats of backends are outside this catalogue, so no file breaks \
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
        why: "A loader may return a null pointer for 0 bytes. The backend then receives a null pointer, not an address \
            inside the file."
        readers: "No reader rejects a violation."
        source: "The serializer leaves an empty blob inline, with an empty `data`, and moves only other blobs to \
            segments. The rule is a should because no reader depends on it."
    }
}

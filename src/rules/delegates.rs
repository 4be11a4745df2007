//! Delegates, `BackendDelegate`, and the blobs they run (specification, section 1.13).

rules! {
    DEL_ID = "del-id", Must, File, Meta, "delegates" {
        "Every BackendDelegate has an `id`."
        why: "It is the name by which the backend is found, and by which hosts decide beforehand whether they can run \
            the method at all; an absent one is a null pointer to compare with."
        readers: "ExecuTorch refuses it when it prepares the method (0x23), and an id that no backend has with 0x20. \
            Not every reader looks before it compares ids for metadata."
        source: "`BackendDelegate::Init`. Which backends there are is a matter of the build and no rule for files."
        refs: ["D-08", "pytorch/executorch#19904"]
        cwe: ["CWE-476"]
    }
    DEL_PROCESSED = "del-processed", Must, File, Method, "delegates" {
        "Every BackendDelegate has `processed`, the reference to its blob."
        why: "The place of the blob is asked of it first, so where it is absent the first step of preparing the method \
            follows a null pointer."
        readers: "Not every reader looks. The pull request #19904 names the check as one that is missing."
        source: "Derived: a delegate without a blob has nothing to run. The schema leaves the field optional and the \
            exporter always writes it."
        refs: ["D-03", "pytorch/executorch#19904"]
        cwe: ["CWE-476"]
    }
    DEL_LOCATION = "del-location", Must, File, Method, "delegates" {
        "`location` of a delegate's `processed` is 0 (INLINE) or 1 (SEGMENT)."
        why: "It says in which of two lists `index` counts, so readers that compare with one of the two give the \
            backend different blobs."
        readers: "ExecuTorch refuses it when it prepares the method (0x01). Its Python reader knows no other value."
        source: "The schema's enum `DataLocation`, and `GetProcessedData`."
        refs: ["D-09"]
        cwe: ["CWE-436"]
    }
    DEL_INLINE_INDEX = "del-inline-index", Must, File, Method, "delegates" {
        "For a delegate whose data is INLINE, `index` is below the number of entries of \
            `Program.backend_delegate_data`, and the entry has `data`."
        why: "The blob goes to the backend as pointer and length. From behind the list they are other bytes of the \
            file, which the backend trusts, and from an absent list or vector they come through a null pointer."
        readers: "ExecuTorch refuses an index out of range when it prepares the method (0x20). #19904 would have added \
            the checks for an absent list and absent `data`, and was closed without being merged."
        source: "`Program::get_backend_delegate_data`. The schema leaves list and `data` optional; that they are \
            present is derived."
        refs: ["D-01", "D-02", "D-04", "pytorch/executorch#19904"]
        cwe: ["CWE-476", "CWE-129"]
    }
    DEL_SEGMENT_INDEX = "del-segment-index", Must, File, Method, "delegates" {
        "For a delegate whose data is in a segment, `segment_base_offset` is not 0 and `index` is below the number of \
            `segments`, even if the blob has no bytes."
        why: "The index picks the part of the file that goes to the backend. Without a base that part would count from \
            byte 0, the program's own header."
        readers: "ExecuTorch refuses both when it prepares the method (0x20), and the absence of `segments` with 0x23 \
            since 1.4.0 (#19916). Its Python reader refuses the index when it opens the file (ValueError)."
        source: "`Program::LoadSegment`, which asks for the base before it asks for any size."
        refs: ["D-10", "pytorch/executorch#19916"]
        cwe: ["CWE-129", "CWE-125"]
    }
    DEL_INLINE_ALL_REFERENCED = "del-inline-all-referenced", Should, File, Method, "delegates" {
        "Every entry of `backend_delegate_data` is referred to by a delegate of some method."
        why: "A blob that nothing runs is weight that each load carries, and a place to hide something."
        readers: "No reader looks. The official serializer refuses such an entry when it moves blobs to segments \
            (ValueError)."
        source: "`_extract_delegate_segments` of the serializer."
        refs: ["H-15"]
    }
    DEL_COMPILE_SPEC = "del-compile-spec", Must, File, Method, "delegates" {
        "Every CompileSpec has a `key` and a `value`, which may be empty."
        why: "Both are handed to the backend, as a string and as pointer and length. What is absent becomes an address \
            near 0, which the backend or the reader itself then follows."
        readers: "Not every reader looks before it hands them over."
        source: "Derived: `PopulateCompileSpecs` reads both. The schema leaves them optional and the exporter always \
            writes them."
        refs: ["D-05", "D-06"]
        cwe: ["CWE-476"]
    }
    DEL_COMPILE_SPECS_LIST = "del-compile-specs-list", Must, Reader, Method, "delegates" {
        "A reader accepts a BackendDelegate without `compile_specs`, and hands the backend an empty list."
        why: "The schema leaves the field optional and no text demands it, so a reader that asks an absent list for \
            its length crashes on a right file."
        readers: "ExecuTorch does so since 1.3.0; before, it followed a null pointer (#18805)."
        source: "The schema, and `BackendDelegate::Init` since #18805."
        refs: ["D-07", "pytorch/executorch#18805"]
    }
    DEL_PAYLOAD = "del-payload", Must, Reader, Method, "delegates" {
        "A reader takes nothing in a delegate's blob on trust: the backend that it is for holds every offset, length \
            and count in it against the blob's size."
        why: "The blob is a format of its own that no verifier of the program looks into, and that backends parse with \
            all rights of the process. What was mended in backends ranges from unverified tables to a double free by \
            reserved flags (#19102)."
        readers: "ExecuTorch hands pointer and length to the backend when it prepares the method. How much is checked \
            there differs from backend to backend and has grown since 1.3.0."
        source: "Derived. The formats of backends are outside of this catalogue, so no file breaks the rule here."
        refs: [
            "L-01", "L-02", "L-03", "L-04", "L-05", "L-06", "L-07", "L-08", "pytorch/executorch#18784",
            "pytorch/executorch#18820", "pytorch/executorch#18896", "pytorch/executorch#19013",
            "pytorch/executorch#19102", "pytorch/executorch#19256", "pytorch/executorch#19285",
            "pytorch/executorch#19593",
        ]
    }
    DEL_EMPTY_INLINE = "del-empty-inline", Should, File, Method, "delegates" {
        "A delegate does not refer to a segment of 0 bytes."
        why: "Loaders may return null for no bytes, so the backend is handed a null pointer in place of an address \
            inside the file."
        readers: "No reader refuses it."
        source: "The serializer leaves an empty blob inline, with an empty `data`, and moves only others to segments. \
            A should, because no reader depends on it."
    }
}

//! Rules about delegates (`BackendDelegate`) and their blobs (chapter `delegates` of the book).

rules! {
    DEL_ID = "del-id", Must, Loader, File, Meta, "delegates" {
        "Every BackendDelegate MUST have an `id`."
        rationale: "The `id` names the backend, so if it is absent, the lookup dereferences null. ExecuTorch returns \
            InvalidProgram (0x23) when it prepares the method; if the build lacks the backend, it returns NotFound \
            (0x20), but the file is valid. Code that answers metadata queries before preparation needs the same check."
        source: "`BackendDelegate::Init` checks the id."
        refs: ["D-08", "pytorch/executorch#19904"]
        cwe: ["CWE-476"]
    }
    DEL_ID_CASE = "del-id-case", May, Policy, File, Method, "delegates" {
        "A reader MAY reject a delegate whose `id` differs from a known backend's id only in upper and lower case."
        rationale: "Ids are compared exactly, so `xnnpackbackend` is not found although the build has \
            `XnnpackBackend`. ExecuTorch returns NotFound (0x20) when it prepares the method."
        source: "The known ids are those that ExecuTorch's own repository registers; a build can register others."
        refs: ["pytorch/executorch#3696", "pytorch/executorch#14809"]
    }
    DEL_PROCESSED = "del-processed", Must, Policy, File, Method, "delegates" {
        "Every BackendDelegate MUST have `processed`, the table that locates the delegate's blob."
        rationale: "If the table is absent, a reader that looks for the blob dereferences null. \
            pytorch/executorch#19904 reports that ExecuTorch lacks the check."
        source: "A delegate without a blob has nothing to run. ExecuTorch's `schema/program.fbs` makes the table \
            optional, but the exporter always writes it."
        refs: ["D-03", "pytorch/executorch#19904"]
        cwe: ["CWE-476"]
    }
    DEL_LOCATION = "del-location", Must, Text, File, Method, "delegates" {
        "The `location` in a delegate's `processed` MUST be 0 (INLINE) or 1 (SEGMENT)."
        rationale: "The `location` decides whether `index` refers to `backend_delegate_data` or to `segments`, so if \
            it is 2, different readers pass different blobs to the backend. ExecuTorch returns Internal (0x01) when it \
            prepares the method, and its Python reader rejects the value too."
        source: "The `DataLocation` enum in ExecuTorch's `schema/program.fbs` has only these two values, and \
            `GetProcessedData` checks the location."
        refs: ["D-09"]
        cwe: ["CWE-436"]
    }
    DEL_INLINE_INDEX = "del-inline-index", Must, Loader, File, Method, "delegates" {
        "If a delegate's `location` is INLINE, its `index` MUST be below the number of entries in \
            `Program.backend_delegate_data`, and the selected entry MUST have `data`."
        rationale: "The backend trusts the blob's address and length, but past the end of the list, both come from \
            arbitrary bytes. ExecuTorch returns NotFound (0x20) when it prepares the method. It dereferences null if \
            the list or `data` is absent; pytorch/executorch#19904 proposed checks but was closed unmerged."
        source: "`Program::get_backend_delegate_data` checks the index. ExecuTorch's `schema/program.fbs` makes the \
            list and `data` optional."
        refs: ["D-01", "D-02", "D-04", "pytorch/executorch#19904"]
        cwe: ["CWE-476", "CWE-129"]
    }
    DEL_SEGMENT_INDEX = "del-segment-index", Must, Loader, File, Method, "delegates" {
        "If a delegate's `location` is SEGMENT, `segment_base_offset` MUST NOT be 0 and the delegate's `index` MUST be \
            below the number of `segments`, even for an empty blob."
        rationale: "If the base is 0, the backend can receive the program's own header as its blob. When ExecuTorch \
            prepares the method, it returns NotFound (0x20) for a wrong base or index and, since 1.4.0, InvalidProgram \
            (0x23) if `segments` is absent (pytorch/executorch#19916). Its Python reader raises ValueError for a wrong \
            index when it opens the file."
        source: "`Program::LoadSegment` checks the base before it reads the segment's size."
        refs: ["D-10", "pytorch/executorch#19916"]
        cwe: ["CWE-129", "CWE-125"]
    }
    DEL_INLINE_ALL_REFERENCED = "del-inline-all-referenced", Should, Writer, File, Method, "delegates" {
        "Every entry in `backend_delegate_data` SHOULD be used by at least one delegate of the program's methods."
        rationale: "An unused blob takes up memory whenever the program is loaded, and can hide data. No reader checks \
            for unused blobs."
        source: "The serializer's `_extract_delegate_segments` raises ValueError for an unused entry when it moves \
            blobs to segments."
        refs: ["H-15"]
    }
    DEL_COMPILE_SPEC = "del-compile-spec", Must, Policy, File, Method, "delegates" {
        "Every CompileSpec MUST have a `key` and a `value`, both of which may be empty."
        rationale: "The backend gets the key as a string, and the value as a pointer and a length. If the key or the \
            value is absent, the reader or the backend dereferences an address near 0."
        source: "`PopulateCompileSpecs` reads both. ExecuTorch's `schema/program.fbs` makes them optional, but the \
            exporter always writes them."
        refs: ["D-05", "D-06"]
        cwe: ["CWE-476"]
    }
    DEL_COMPILE_SPECS_LIST = "del-compile-specs-list", Must, Text, Reader, Method, "delegates" {
        "A reader MUST accept a BackendDelegate without `compile_specs`, and pass an empty list to the backend."
        rationale: "The list is optional, so a reader that dereferences an absent list crashes on a valid file, as \
            ExecuTorch did before 1.3.0 (pytorch/executorch#18805)."
        source: "ExecuTorch's `schema/program.fbs` makes the list optional; `BackendDelegate::Init` has accepted an \
            absent list since pytorch/executorch#18805."
        refs: ["D-07", "pytorch/executorch#18805"]
    }
    DEL_PAYLOAD = "del-payload", Must, Policy, Reader, Method, "delegates" {
        "A reader MUST use only backends that compare every offset, length and count in a delegate's blob with the \
            blob's size."
        rationale: "No program verifier can check a blob, because each backend defines its own format and parses its \
            blobs with the host's permissions. Defects that have since been fixed include unverified tables and a \
            double free caused by reserved flags (pytorch/executorch#19102)."
        source: "`check` covers the headers, roots and keys of XNNPACK blobs; no rule covers other contents, so no \
            file can break this rule."
        refs: [
            "L-01", "L-02", "L-03", "L-04", "L-05", "L-06", "L-07", "L-08", "pytorch/executorch#18784",
            "pytorch/executorch#18820", "pytorch/executorch#18896", "pytorch/executorch#19013",
            "pytorch/executorch#19102", "pytorch/executorch#19256", "pytorch/executorch#19285",
            "pytorch/executorch#19593",
        ]
    }
    DEL_ARITY = "del-arity", Must, Policy, Reader, Execute, "delegates" {
        "A reader MUST use only backends that reject a DelegateCall with fewer `args` than the delegate's blob \
            requires."
        rationale: "The blob decides how many inputs and outputs the backend takes from the argument list. If the list \
            is shorter, the backend reads the missing pointers from past the end of the list."
        source: "Memory safety depends on this. Only the backend understands its blobs, so no file breaks the rule."
        refs: ["pytorch/executorch#22237"]
    }
    DEL_EMPTY_INLINE = "del-empty-inline", Should, Writer, File, Method, "delegates" {
        "A delegate SHOULD NOT refer to an empty segment."
        rationale: "A loader can return null for 0 bytes, so the backend may get null instead of an address inside the \
            file. No reader checks this."
        source: "The official serializer stores an empty blob inline and moves only non-empty ones to segments."
    }
    DEL_XNN_SIZE = "del-xnn-size", Must, Loader, File, Method, "delegates" {
        "The blob of a delegate with the `id` `XnnpackBackend` MUST have at least 30 bytes."
        rationale: "The backend reads a 30-byte header, so it reads past the end of a shorter blob. ExecuTorch with \
            XNNPACK returns InvalidArgument (0x12) when it prepares the method, even if the blob has no header."
        source: "`XNNHeader::kMinSize` in ExecuTorch's `backends/xnnpack/runtime/XNNHeader.h` is 30."
        refs: ["L-01"]
        cwe: ["CWE-125"]
    }
    DEL_XNN_MAGIC = "del-xnn-magic", Must, Text, File, Method, "delegates" {
        "Bytes 4 to 7 of an XNNPACK blob MUST be `XH00` if the blob has a header; otherwise, they MUST be `XN00` or \
            `XN01`."
        rationale: "These bytes distinguish a header from a FlatBuffer, and other digits mean another layout, so a \
            backend that ignores them misreads every position. ExecuTorch treats everything except `XH00` as a \
            FlatBuffer, and returns DelegateInvalidCompatibility (0x30) for an unknown identifier."
        source: "According to a comment on `XNNHeader::kMagic`, the digits go up when the layout changes. The writer \
            puts an `XH00` header before a FlatBuffer with `XN01`."
        cwe: ["CWE-436"]
    }
    DEL_XNN_FLATBUFFER = "del-xnn-flatbuffer", Must, Loader, File, Method, "delegates" {
        "In an XNNPACK blob, `flatbuffer_size` MUST be at least 8, and `flatbuffer_offset` plus `flatbuffer_size` MUST \
            NOT exceed the blob's size."
        rationale: "Otherwise, the backend parses other bytes of the file, or the memory after the file, as the graph. \
            Since 1.3.0 (pytorch/executorch#18784), the XNNPACK backend returns InvalidArgument (0x12)."
        source: "`XNNHeader::Parse` checks the region. The root offset and the identifier alone need 8 bytes."
        refs: ["L-01", "pytorch/executorch#18784"]
        cwe: ["CWE-125"]
    }
    DEL_XNN_CONSTANTS = "del-xnn-constants", Must, Loader, File, Method, "delegates" {
        "In an XNNPACK blob, `constant_data_offset` plus `constant_data_size` MUST NOT exceed the blob's size."
        rationale: "The positions of the graph's constants are relative to `constant_data_offset`, so if the data is \
            outside the blob, the backend computes with unrelated bytes. Since 1.3.0 (pytorch/executorch#18784), the \
            XNNPACK backend returns InvalidArgument (0x12)."
        source: "`XNNHeader::Parse` checks the region using arithmetic that cannot overflow."
        refs: ["L-01", "L-02", "pytorch/executorch#18784"]
        cwe: ["CWE-125", "CWE-190"]
    }
    DEL_XNN_NO_OVERLAP = "del-xnn-no-overlap", Must, Loader, File, Method, "delegates" {
        "In an XNNPACK blob, the constant data MUST begin at or after the end of the FlatBuffer."
        rationale: "If the two overlap, some bytes belong to both the graph and a constant, so a tool that changes the \
            constant also changes a graph that has already been verified. Since 1.3.0 (pytorch/executorch#18784), the \
            XNNPACK backend returns InvalidArgument (0x12)."
        source: "`XNNHeader::Parse` requires this order, even for empty constant data."
        refs: ["L-01", "pytorch/executorch#18784"]
    }
    DEL_XNN_LENGTH = "del-xnn-length", Should, Writer, File, Method, "delegates" {
        "The header length of an XNNPACK blob SHOULD be at least 30."
        rationale: "A longer header may have more fields, so a reader needs the length to find the header's end. No \
            current reader uses the length."
        source: "`XNNHeader.EXPECTED_LENGTH` in ExecuTorch's `xnnpack_graph_serialize.py` is 30."
    }
    DEL_XNN_PLACEMENT = "del-xnn-placement", Should, Writer, File, Method, "delegates" {
        "In an XNNPACK blob, the FlatBuffer SHOULD begin after the header, and both the FlatBuffer and the constant \
            data SHOULD begin at multiples of 16."
        rationale: "The backend uses the graph and the constants in place, so they are aligned only if the regions are."
        source: "`serialize_xnnpack_binary` pads the header and the FlatBuffer to multiples of 16."
    }
    DEL_XNN_ROOT = "del-xnn-root", Should, Loader, File, Method, "delegates" {
        "The FlatBuffer in an XNNPACK blob SHOULD have the identifier `XN00` or `XN01`, and its root table and that \
            table's lists SHOULD be inside it."
        rationale: "The backend verifies the FlatBuffer before it reads the graph, so the method cannot run if this \
            verification fails. ExecuTorch 1.3.0 and later return DelegateInvalidCompatibility (0x30) when they \
            prepare the method; earlier releases compare only the identifier."
        source: "`XNNCompiler::compileModel` compares the identifier and calls the FlatBuffers verifier. Each backend \
            defines its own blob format."
        refs: ["pytorch/executorch#18784"]
        cwe: ["CWE-125"]
    }
    DEL_XNN_LISTS = "del-xnn-lists", Should, Loader, File, Method, "delegates" {
        "The root table in an XNNPACK blob SHOULD have the lists `xnodes` and `xvalues`, both of which may be empty."
        rationale: "The backend loops over both to build the graph. ExecuTorch 1.3.0 and later return InvalidProgram \
            (0x23) when they prepare the method; earlier releases dereference null (pytorch/executorch#18799)."
        source: "`XNNCompiler::compileModel` has required both since pytorch/executorch#18799, and the official writer \
            always writes them."
        refs: ["pytorch/executorch#18799"]
        cwe: ["CWE-476"]
    }
    DEL_XNN_ARGS = "del-xnn-args", Should, Policy, File, Execute, "delegates" {
        "For each external id in an XNNPACK graph, every DelegateCall to the graph SHOULD have a Tensor argument at \
            the position that the id gives."
        rationale: "The ids are positions in `args`, so an id past the end makes the backend read a pointer from \
            beyond the list during execution."
        source: "If a value's flags mark it as an external input or output, its `external_id` is its argument's \
            position; the official writer numbers these values in order. Each backend defines its own blob format."
        refs: ["L-02"]
        cwe: ["CWE-129", "CWE-125"]
    }
}

//! Rules about delegates (`BackendDelegate`) and their blobs (chapter `delegates` of the book).

rules! {
    DEL_ID = "del-id", Must, Loader, File, Meta, "delegates" {
        "Every BackendDelegate has an `id`."
        rationale: "The `id` is the name of the delegate's backend. Readers use this name to look up the backend, and \
            hosts use it to check whether they can run the method. If the `id` is absent, a careless reader \
            dereferences a null pointer."
        readers: "When ExecuTorch prepares the method, it returns InvalidProgram (0x23) for an absent id and NotFound \
            (0x20) for the id of an unknown backend. Some readers do not check for an absent id when a caller queries \
            the metadata of the method."
        source: "`BackendDelegate::Init` checks the id. The set of backends differs between builds, so an unknown id \
            breaks no rule."
        refs: ["D-08", "pytorch/executorch#19904"]
        cwe: ["CWE-476"]
    }
    DEL_ID_CASE = "del-id-case", May, Policy, File, Method, "delegates" {
        "A delegate's `id` that equals a known backend's id apart from upper and lower case equals it exactly."
        rationale: "Readers compare ids exactly, so the backend is not found although the build has it."
        readers: "ExecuTorch returns NotFound (0x20) when it prepares the method."
        source: "The known ids are those that ExecuTorch's repository registers. A build can register any other \
            id, hence `may`."
        refs: ["pytorch/executorch#3696", "pytorch/executorch#14809"]
    }
    DEL_PROCESSED = "del-processed", Must, Policy, File, Method, "delegates" {
        "Every BackendDelegate has `processed`, the table that states the location of the delegate's blob."
        rationale: "A reader gets the location of the delegate's blob from the table `processed`. If `processed` is \
            absent, a careless reader dereferences a null pointer."
        readers: "Some readers do not check the rule. Pull request pytorch/executorch#19904 reports that ExecuTorch \
            lacks the check."
        source: "A delegate without a blob has nothing to run. ExecuTorch's `schema/program.fbs` makes `processed` \
            optional, but the exporter always writes this table."
        refs: ["D-03", "pytorch/executorch#19904"]
        cwe: ["CWE-476"]
    }
    DEL_LOCATION = "del-location", Must, Text, File, Method, "delegates" {
        "`location` of a delegate's `processed` is 0 (INLINE) or 1 (SEGMENT)."
        rationale: "The location states whether `index` is an index of `backend_delegate_data` or of `segments`. If \
            the location is unknown, different readers can pass different blobs to the backend."
        readers: "When ExecuTorch prepares the method, it returns Internal (0x01) for an unknown location. \
            ExecuTorch's Python reader also rejects an unknown location."
        source: "The enum `DataLocation` of ExecuTorch's `schema/program.fbs` declares only INLINE and SEGMENT, and \
            `GetProcessedData` checks the location."
        refs: ["D-09"]
        cwe: ["CWE-436"]
    }
    DEL_INLINE_INDEX = "del-inline-index", Must, Loader, File, Method, "delegates" {
        "If a delegate's `location` is INLINE, its `index` is below the number of `Program.backend_delegate_data` \
            entries, and the selected entry has `data`."
        rationale: "The backend receives the blob as a pointer and a length, and does not check either value. With an \
            index past the end of the list, a reader gets the pointer and the length from arbitrary bytes of the file. \
            If `backend_delegate_data` or `data` is absent, a careless reader dereferences a null pointer."
        readers: "When ExecuTorch prepares the method, it returns NotFound (0x20) for an `index` out of range. Pull \
            request pytorch/executorch#19904, which was closed without a merge, proposed checks for an absent \
            `backend_delegate_data` and for absent `data`."
        source: "`Program::get_backend_delegate_data` checks the index. ExecuTorch's `schema/program.fbs` makes \
            `backend_delegate_data` and `data` optional. This project infers that `backend_delegate_data` and `data` \
            must be present."
        refs: ["D-01", "D-02", "D-04", "pytorch/executorch#19904"]
        cwe: ["CWE-476", "CWE-129"]
    }
    DEL_SEGMENT_INDEX = "del-segment-index", Must, Loader, File, Method, "delegates" {
        "If a delegate's `location` is SEGMENT, `segment_base_offset` is not 0 and the delegate's `index` is below the \
            number of `segments`, even for an empty blob."
        rationale: "The index selects the segment that the backend receives as its blob. If `segment_base_offset` is \
            0, segments start at byte 0, so the backend can receive the program's own header."
        readers: "When ExecuTorch prepares the method, it returns NotFound (0x20) for a `segment_base_offset` of 0 and \
            for an index out of range. ExecuTorch 1.4.0 and later return InvalidProgram (0x23) if `segments` is absent \
            (pytorch/executorch#19916). ExecuTorch's Python reader raises ValueError for an index out of range when it \
            opens the file."
        source: "`Program::LoadSegment` checks `segment_base_offset` before it reads the size of a segment."
        refs: ["D-10", "pytorch/executorch#19916"]
        cwe: ["CWE-129", "CWE-125"]
    }
    DEL_INLINE_ALL_REFERENCED = "del-inline-all-referenced", Should, Writer, File, Method, "delegates" {
        "Every entry of `backend_delegate_data` is used by at least one delegate of the program's methods."
        rationale: "An unused blob uses memory whenever the program is loaded, and can contain hidden data."
        readers: "No reader checks the rule. When the official serializer moves blobs to segments, it raises \
            ValueError for an unused entry."
        source: "The function `_extract_delegate_segments` of the serializer requires a delegate for each entry."
        refs: ["H-15"]
    }
    DEL_COMPILE_SPEC = "del-compile-spec", Must, Policy, File, Method, "delegates" {
        "Every CompileSpec has a `key` and a `value`, and both may be empty."
        rationale: "The backend receives the key of a compile spec as a string, and the value as a pointer and a \
            length. If the key or the value is absent, a careless reader or the backend dereferences an address near 0."
        readers: "Some readers do not check the key and the value before they pass them to the backend."
        source: "`PopulateCompileSpecs` reads the key and the value. ExecuTorch's `schema/program.fbs` makes both \
            fields optional, but the exporter always writes `key` and `value`."
        refs: ["D-05", "D-06"]
        cwe: ["CWE-476"]
    }
    DEL_COMPILE_SPECS_LIST = "del-compile-specs-list", Must, Text, Reader, Method, "delegates" {
        "A reader accepts a BackendDelegate without `compile_specs`, and passes an empty list to the backend."
        rationale: "ExecuTorch's `schema/program.fbs` makes `compile_specs` optional, and no document requires this \
            list. A reader that dereferences the absent list crashes on a valid file."
        readers: "ExecuTorch 1.3.0 and later accept a delegate without `compile_specs`. Earlier releases dereferenced \
            a null pointer (pytorch/executorch#18805)."
        source: "ExecuTorch's `schema/program.fbs` makes `compile_specs` optional. Since pytorch/executorch#18805, \
            `BackendDelegate::Init` accepts a delegate without `compile_specs`."
        refs: ["D-07", "pytorch/executorch#18805"]
    }
    DEL_PAYLOAD = "del-payload", Must, Policy, Reader, Method, "delegates" {
        "A reader uses only backends that compare every offset, length and count in a delegate's blob with the blob's \
            size."
        rationale: "A FlatBuffers verifier of programs cannot check a blob, because each backend defines the format of \
            its own blobs. The backend parses the blob with the permissions of the host process. Backends had defects, \
            now fixed, such as unverified tables and a double free caused by reserved flags (pytorch/executorch#19102)."
        readers: "When ExecuTorch prepares the method, it passes the pointer and length of the blob to the backend. \
            Backends check different parts of a blob. Some backends check more in ExecuTorch 1.3.0 and later than in \
            earlier releases."
        source: "The rules for files cover only the headers, roots and keys of XNNPACK blobs. Other contents of blobs \
            are outside the rules, so no file breaks this rule."
        refs: [
            "L-01", "L-02", "L-03", "L-04", "L-05", "L-06", "L-07", "L-08", "pytorch/executorch#18784",
            "pytorch/executorch#18820", "pytorch/executorch#18896", "pytorch/executorch#19013",
            "pytorch/executorch#19102", "pytorch/executorch#19256", "pytorch/executorch#19285",
            "pytorch/executorch#19593",
        ]
    }
    DEL_ARITY = "del-arity", Must, Policy, Reader, Execute, "delegates" {
        "A reader uses only backends that reject a DelegateCall with fewer `args` than the delegate's blob requires."
        rationale: "The blob determines how many inputs and outputs the backend reads from the list of arguments. If \
            the list of arguments is shorter than the blob requires, a careless backend reads pointers past the end of \
            the list."
        readers: "Some backends do not compare the number of arguments with the blob."
        source: "Memory safety depends on the number of arguments. Each backend defines the format of its own blobs. A \
            file alone therefore does not show how many arguments a blob requires, so no file breaks the rule."
        refs: ["pytorch/executorch#22237"]
    }
    DEL_EMPTY_INLINE = "del-empty-inline", Should, Writer, File, Method, "delegates" {
        "A delegate does not refer to a segment of 0 bytes."
        rationale: "For a segment of 0 bytes, a loader can return a null pointer. The backend then receives this null \
            pointer instead of an address inside the file."
        readers: "No reader checks the rule."
        source: "The official serializer stores an empty blob inline with an empty `data`, and moves only non-empty \
            blobs to segments. The rule's strength is `should` because no reader requires empty blobs to be inline."
    }
    DEL_XNN_SIZE = "del-xnn-size", Must, Loader, File, Method, "delegates" {
        "The blob of a delegate with the `id` `XnnpackBackend` has at least 30 bytes."
        rationale: "The backend reads a header of 30 bytes. If the blob is shorter, a careless backend reads past the \
            end of the blob."
        readers: "When ExecuTorch with the XNNPACK backend prepares the method, it returns InvalidArgument (0x12) for \
            a shorter blob."
        source: "`XNNHeader::kMinSize` in ExecuTorch's `backends/xnnpack/runtime/XNNHeader.h` is 30. The backend also \
            rejects a blob without a header if the blob has fewer than 30 bytes."
        refs: ["L-01"]
        cwe: ["CWE-125"]
    }
    DEL_XNN_MAGIC = "del-xnn-magic", Must, Text, File, Method, "delegates" {
        "Bytes 4 to 7 of an XNNPACK blob are `XH00` if the blob has a header; otherwise, these bytes are `XN00` or \
            `XN01`."
        rationale: "The magic states whether the blob begins with a header or with a FlatBuffer. A magic with unknown \
            digits identifies an incompatible layout. A backend that ignores the digits misreads all positions."
        readers: "With the XNNPACK backend, ExecuTorch treats a blob without the magic `XH00` as a FlatBuffer. If the \
            identifier of this FlatBuffer is unknown, ExecuTorch returns DelegateInvalidCompatibility (0x30)."
        source: "A comment on `XNNHeader::kMagic` states that the digits increase if the layout changes. The writer \
            emits `XH00` before a FlatBuffer with the identifier `XN01`."
        cwe: ["CWE-436"]
    }
    DEL_XNN_FLATBUFFER = "del-xnn-flatbuffer", Must, Loader, File, Method, "delegates" {
        "In an XNNPACK blob, `flatbuffer_size` is at least 8, and `flatbuffer_offset` plus `flatbuffer_size` does not \
            exceed the size of the blob."
        rationale: "The backend parses `flatbuffer_size` bytes at `flatbuffer_offset`. If these bytes lie outside the \
            blob, a careless backend parses other bytes of the file, or memory after the file, as the graph."
        readers: "Since pytorch/executorch#18784, the XNNPACK backend returns InvalidArgument (0x12) if the FlatBuffer \
            or the constant data ends past the blob's end. Some backends do not compare these two ends with the size \
            of the blob."
        source: "`XNNHeader::Parse` checks the region. The minimum of 8 bytes is the space for the root offset and the \
            identifier."
        refs: ["L-01", "pytorch/executorch#18784"]
        cwe: ["CWE-125"]
    }
    DEL_XNN_CONSTANTS = "del-xnn-constants", Must, Loader, File, Method, "delegates" {
        "In an XNNPACK blob, `constant_data_offset` plus `constant_data_size` does not exceed the size of the blob."
        rationale: "The graph states offsets of constants relative to `constant_data_offset`. If the constant data \
            lies outside the blob, a careless backend computes with bytes that are not in the blob."
        readers: "Since pytorch/executorch#18784, the XNNPACK backend returns InvalidArgument (0x12) if the FlatBuffer \
            or the constant data ends past the blob's end. Some backends do not compare these two ends with the size \
            of the blob."
        source: "`XNNHeader::Parse` checks the region with arithmetic that cannot overflow."
        refs: ["L-01", "L-02", "pytorch/executorch#18784"]
        cwe: ["CWE-125", "CWE-190"]
    }
    DEL_XNN_NO_OVERLAP = "del-xnn-no-overlap", Must, Loader, File, Method, "delegates" {
        "In an XNNPACK blob, the constant data begins at or after the end of the FlatBuffer."
        rationale: "If the FlatBuffer and the constant data overlap, bytes of the graph are also constants. A tool \
            that changes constants then changes a graph that is already verified."
        readers: "Since pytorch/executorch#18784, the XNNPACK backend returns InvalidArgument (0x12) if the constant \
            data begins before the end of the FlatBuffer."
        source: "`XNNHeader::Parse` requires that the FlatBuffer precedes the constant data. The rule also applies to \
            empty constant data."
        refs: ["L-01", "pytorch/executorch#18784"]
    }
    DEL_XNN_LENGTH = "del-xnn-length", Should, Writer, File, Method, "delegates" {
        "The header length of an XNNPACK blob is at least 30."
        rationale: "A longer header can contain further fields, so readers need the length to find the end of the \
            header."
        readers: "Some backends do not read the length of the header."
        source: "`XNNHeader.EXPECTED_LENGTH` in ExecuTorch's `xnnpack_graph_serialize.py` is 30. The rule's strength \
            is `should` because no reader depends on the header length."
    }
    DEL_XNN_PLACEMENT = "del-xnn-placement", Should, Writer, File, Method, "delegates" {
        "In an XNNPACK blob, the FlatBuffer begins after the header, and the FlatBuffer and the constant data begin at \
            multiples of 16."
        rationale: "The backend uses the FlatBuffer and the constant data in place. The fields of the graph and the \
            constants are therefore aligned only if both regions are aligned."
        readers: "Some backends check neither the alignment nor the end of the header."
        source: "`serialize_xnnpack_binary` pads the header and the FlatBuffer to multiples of 16. The rule's strength \
            is `should` because no reader requires the alignment."
    }
    DEL_XNN_ROOT = "del-xnn-root", Should, Loader, File, Method, "delegates" {
        "The FlatBuffer in an XNNPACK blob has the identifier `XN00` or `XN01`, and contains its root table and the lists \
            of this table."
        rationale: "The backend verifies the FlatBuffer before it reads the graph. It never accepts a blob with \
            another identifier or with a root outside the FlatBuffer, so the method cannot run."
        readers: "When ExecuTorch 1.3.0 or later with the XNNPACK backend prepares the method, it returns \
            DelegateInvalidCompatibility (0x30). Earlier releases compare only the identifier."
        source: "`XNNCompiler::compileModel` compares the identifier and calls the FlatBuffers verifier. Each backend \
            defines the format of its own blobs, hence `should`."
        refs: ["pytorch/executorch#18784"]
        cwe: ["CWE-125"]
    }
    DEL_XNN_LISTS = "del-xnn-lists", Should, Loader, File, Method, "delegates" {
        "The root table in an XNNPACK blob has the lists `xnodes` and `xvalues`, and both may be empty."
        rationale: "The backend loops over both lists to build the graph. If a list is absent, a careless backend \
            dereferences a null pointer."
        readers: "When ExecuTorch 1.3.0 or later with the XNNPACK backend prepares the method, it returns \
            InvalidProgram (0x23). Earlier releases dereference a null pointer (pytorch/executorch#18799)."
        source: "`XNNCompiler::compileModel` requires both lists since pytorch/executorch#18799, and the official \
            writer always writes them. The rule's strength is `should` because each backend defines the format of \
            its own blobs."
        refs: ["pytorch/executorch#18799"]
        cwe: ["CWE-476"]
    }
    DEL_XNN_ARGS = "del-xnn-args", Should, Policy, File, Execute, "delegates" {
        "For each external id of an XNNPACK graph, every DelegateCall of the graph has a Tensor argument at this \
            position."
        rationale: "The backend uses the external ids of a graph as positions in `args`. An id past the end makes it read a \
            pointer from the memory after the list."
        readers: "A backend that does not compare the ids with the arguments reads past the end of `args` during \
            execution."
        source: "A value of the graph whose flags mark an external input or output has the position of its argument \
            as `external_id`. The official writer numbers external values in the order of the arguments. Each backend \
            defines the format of its own blobs, hence `should`."
        refs: ["L-02"]
        cwe: ["CWE-129", "CWE-125"]
    }
}

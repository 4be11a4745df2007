//! Rules about `Program.mutable_data_segments`, the initial values of mutable tensors (chapter `mutable-data` of the
//! book).

rules! {
    MUT_IDX_ZERO = "mut-idx-zero", May, Writer, File, Method, "mutable-data" {
        "A reader MAY reject a tensor with initial state whose `mutable_data_segments_idx` is not 0."
        rationale: "The index selects an offset list. If it is 1, a reader that always uses list 0 silently loads the \
            wrong initial state. ExecuTorch's Python reader raises ValueError if a second entry exists at all."
        source: "ExecuTorch's `schema/program.fbs` gives the field the default 0, and the official serializer writes \
            one list. A tensor has initial state if it has `allocation_info` and a `data_buffer_idx` above 0."
        refs: ["Y-02"]
    }
    MUT_ONE_LIST = "mut-one-list", May, Loader, File, Method, "mutable-data" {
        "A reader MAY reject a program with more than one entry in `mutable_data_segments`."
        rationale: "If a tensor uses the second entry, some readers load that entry's bytes, some load the first \
            entry's bytes, and some reject the file. ExecuTorch's C++ reader accepts any number of entries; its Python \
            reader raises ValueError for more than one if the file has a header."
        source: "ExecuTorch's serializer packs all initial values into one segment, but `schema/program.fbs` does not \
            limit the number of entries."
        refs: ["Y-02"]
    }
    MUT_IDX_RANGE = "mut-idx-range", Must, Loader, File, Method, "mutable-data" {
        "For a tensor with initial state, the entry at `mutable_data_segments_idx` MUST exist, and its `offsets` MUST \
            contain an element at `data_buffer_idx`."
        rationale: "If the index is not checked, bytes after a vector become the offset from which the initial state \
            is copied. ExecuTorch returns NotFound (0x20) when it prepares the method, at both verification levels."
        source: "`Program::load_mutable_subsegment_into` checks both indices. In ExecuTorch's `schema/program.fbs`, \
            `mutable_data_segments` and its `offsets` are optional."
        refs: ["S-09"]
        cwe: ["CWE-129", "CWE-125"]
    }
    MUT_SEG_INDEX = "mut-seg-index", Must, Loader, File, Method, "mutable-data" {
        "If a tensor uses an entry in `mutable_data_segments`, the entry's `segment_index` MUST be below the number of \
            segments."
        rationale: "The segment's `offset` and `size` bound every initial value, but past the segment table, both are \
            unrelated bytes. When ExecuTorch prepares the method, it returns NotFound (0x20) or, since 1.4.0, \
            InvalidProgram (0x23) if `segments` is absent. Its Python reader raises ValueError when it opens the file."
        source: "`Program::load_mutable_subsegment_into` checks the index. For entries that no tensor uses, see \
            `mut-seg-unused`."
        refs: ["S-09", "pytorch/executorch#19916"]
        cwe: ["CWE-129", "CWE-125"]
    }
    MUT_SEG_UNUSED = "mut-seg-unused", Should, Loader, File, Method, "mutable-data" {
        "Even if no tensor uses an entry in `mutable_data_segments`, the entry's `segment_index` SHOULD be below the \
            number of segments."
        rationale: "A reader that loads all entries in advance would use unrelated bytes as the segment. ExecuTorch's \
            Python reader raises ValueError; the C++ reader ignores unused entries and accepts the program."
        source: "The official serializer writes an entry only together with its segment."
        refs: ["S-09"]
    }
    MUT_BOUND = "mut-bound", Must, Loader, File, Method, "mutable-data" {
        "The initial bytes of every tensor MUST begin and end within the tensor's mutable segment."
        rationale: "The bytes are copied into planned memory, so if the range is outside the segment, other parts of \
            the file become the model's state. ExecuTorch returns InvalidArgument (0x12) when it prepares the method. \
            An offset of 2^64 - 8 plus 16 bytes wraps to 8, which only 1.3.0 and later detect (InvalidProgram, 0x23)."
        source: "`Program::load_mutable_subsegment_into` checks the range. A tensor without elements may begin at the \
            end of the segment."
        refs: ["S-09", "S-11", "pytorch/executorch#18676", "pytorch/executorch#19268"]
        cwe: ["CWE-130", "CWE-125"]
    }
    MUT_OFFSET_UNUSED = "mut-offset-unused", Should, Writer, File, Method, "mutable-data" {
        "In the `offsets` of a mutable segment, every offset that no tensor uses SHOULD be at most the segment's \
            `size`."
        rationale: "No initial value begins past the segment's end, and a reader that splits the segment at the \
            offsets reads past it. ExecuTorch's C++ reader looks only at the offsets that tensors use (`mut-bound`)."
        source: "The official serializer computes each offset as the total length of all preceding initial values."
        refs: ["S-09"]
    }
    MUT_DISTINCT = "mut-distinct", Should, Text, File, Method, "mutable-data" {
        "Two entries in `mutable_data_segments` SHOULD NOT have the same `segment_index`."
        rationale: "If they do, different tensors' initial values can share bytes, and the file does not say whether \
            that was intended. Readers use each entry on its own, so none of them notices."
        source: "A comment in ExecuTorch's `schema/program.fbs` says that no two entries point to the same segment. \
            The serializer writes only one entry."
    }
    MUT_PLACEHOLDER = "mut-placeholder", Should, Writer, File, Method, "mutable-data" {
        "The first offset of each entry in `mutable_data_segments` SHOULD be the placeholder 0."
        rationale: "A tensor whose `data_buffer_idx` is 0 has no initial state, so no tensor uses the first offset. \
            ExecuTorch's Python reader splits the segment at each offset, so it loses all bytes before the first \
            offset."
        source: "ExecuTorch's emitter begins the list with an empty buffer. The initial values follow without padding, \
            so no rule requires alignment."
    }
    MUT_NEEDS_HEADER = "mut-needs-header", Must, Loader, File, Method, "mutable-data" {
        "A program with initial state MUST have a header with a `segment_base_offset` other than 0, even if the state \
            has no bytes."
        rationale: "If there is no base, the initial value is copied from the beginning of the file. ExecuTorch checks \
            the base first, so it returns NotFound (0x20) when it prepares the method, even for an empty state."
        source: "`Program::load_mutable_subsegment_into` checks the base. If the segment has bytes, `check` reports \
            `eh-base-zero-iff-none` or `eh-headerless-no-data` instead."
        refs: ["H-11", "S-09"]
        cwe: ["CWE-436"]
    }
}

//! Rules about `Program.mutable_data_segments`, the initial values of mutable tensors (chapter `mutable-data` of the
//! book).

rules! {
    MUT_IDX_ZERO = "mut-idx-zero", May, Writer, File, Method, "mutable-data" {
        "The `mutable_data_segments_idx` of a tensor with initial state is 0."
        rationale: "`mutable_data_segments_idx` selects a list of offsets, and the offsets select the initial \
            bytes. If the index is not 0, a reader that always uses list 0 loads the wrong initial state without an \
            error."
        readers: "Some readers always use entry 0 of `mutable_data_segments`, and other readers use the entry that \
            `mutable_data_segments_idx` selects. ExecuTorch's Python reader raises ValueError for a program with a \
            second entry in `mutable_data_segments`."
        source: "ExecuTorch's `schema/program.fbs` gives `mutable_data_segments_idx` the default 0, and the official \
            serializer writes only one list of offsets. A tensor has initial state if its `data_buffer_idx` is above 0 \
            and it has `allocation_info`."
        refs: ["Y-02"]
    }
    MUT_ONE_LIST = "mut-one-list", May, Loader, File, Method, "mutable-data" {
        "`mutable_data_segments` has at most one entry."
        rationale: "Readers disagree about a tensor that uses the second entry of `mutable_data_segments`. Some \
            readers load bytes of the second entry, some load bytes of the first entry, and some reject the file."
        readers: "ExecuTorch's C++ reader accepts any number of entries in `mutable_data_segments`. ExecuTorch's \
            Python reader raises ValueError for a file with a header and more than one entry."
        source: "ExecuTorch's serializer packs all initial values into one segment. The rule's strength is `may` \
            because ExecuTorch's `schema/program.fbs` sets no limit on the number of entries."
        refs: ["Y-02"]
    }
    MUT_IDX_RANGE = "mut-idx-range", Must, Loader, File, Method, "mutable-data" {
        "For a tensor with initial state, the entry at `mutable_data_segments_idx` exists, and the entry's `offsets` \
            contain an element at `data_buffer_idx`."
        rationale: "A reader that does not check both `mutable_data_segments_idx` and `data_buffer_idx` can use the \
            bytes after the end of a vector as an offset. The offset determines which bytes the reader copies into the \
            model's memory."
        readers: "If the entry or the offset does not exist, ExecuTorch returns NotFound (0x20) when it prepares the \
            method, at both verification levels. ExecuTorch's Python reader does not look up the initial values of \
            tensors."
        source: "ExecuTorch's `Program::load_mutable_subsegment_into` checks both indices. In `schema/program.fbs`, \
            `mutable_data_segments` and its `offsets` are optional."
        refs: ["S-09"]
        cwe: ["CWE-129", "CWE-125"]
    }
    MUT_SEG_INDEX = "mut-seg-index", Must, Loader, File, Method, "mutable-data" {
        "If a tensor uses an entry of `mutable_data_segments`, the entry's `segment_index` is below the number of \
            segments."
        rationale: "`segment_index` selects the segment whose `offset` and `size` limit every initial value. If the \
            index is past the segment table, a reader uses unrelated bytes as `offset` and `size`."
        readers: "When ExecuTorch prepares a method that uses the entry, it returns NotFound (0x20) for an index out \
            of range. ExecuTorch 1.4.0 and later return InvalidProgram (0x23) if `segments` is absent. ExecuTorch's \
            Python reader raises ValueError for an index out of range when it opens the file."
        source: "ExecuTorch's `Program::load_mutable_subsegment_into` checks the index. The rule `mut-seg-unused` \
            covers entries that no tensor uses."
        refs: ["S-09", "pytorch/executorch#19916"]
        cwe: ["CWE-129", "CWE-125"]
    }
    MUT_SEG_UNUSED = "mut-seg-unused", Should, Loader, File, Method, "mutable-data" {
        "If no tensor uses an entry of `mutable_data_segments`, the entry's `segment_index` is still below the number \
            of segments."
        rationale: "If the index is out of range, a reader that loads all entries in advance uses unrelated bytes as \
            the segment's `offset` and `size`."
        readers: "ExecuTorch's C++ reader reads only the entries that tensors use, so it accepts the program. \
            ExecuTorch's Python reader raises ValueError when it opens the file."
        source: "The official serializer writes an entry only together with its segment. The rule's strength is \
            `should` because ExecuTorch's C++ reader ignores unused entries."
        refs: ["S-09"]
    }
    MUT_BOUND = "mut-bound", Must, Loader, File, Method, "mutable-data" {
        "The initial bytes of every tensor begin and end within the tensor's mutable segment."
        rationale: "A reader copies the initial bytes into planned memory. If the initial bytes extend past the \
            segment, a reader copies other parts of the file into the model's state. If the sum of offset and byte \
            count wraps, the small sum passes a comparison with `size`."
        readers: "When ExecuTorch prepares the method, it adds the offset and the byte count of each initial value. \
            For a range past the segment, ExecuTorch returns InvalidArgument (0x12). For a sum that wraps, ExecuTorch \
            1.3.0 and later return InvalidProgram (0x23)."
        source: "ExecuTorch's `Program::load_mutable_subsegment_into` checks the range. A tensor without elements may \
            begin at the end of the segment."
        refs: ["S-09", "S-11", "pytorch/executorch#18676", "pytorch/executorch#19268"]
        cwe: ["CWE-130", "CWE-125"]
    }
    MUT_OFFSET_UNUSED = "mut-offset-unused", Should, Writer, File, Method, "mutable-data" {
        "In the `offsets` of a mutable segment, every offset that no tensor uses is at most the segment's `size`."
        rationale: "No initial value can begin past the end of the segment. If an unused offset is past the end, a \
            reader that splits the segment at the listed offsets reads past the segment."
        readers: "ExecuTorch's C++ reader reads only the offsets that tensors use, so it accepts the program."
        source: "The official serializer computes each offset as the total length of all preceding initial values. The \
            rule's strength is `should` because ExecuTorch's C++ reader ignores unused offsets. The rule `mut-bound` \
            covers offsets that a tensor uses."
        refs: ["S-09"]
    }
    MUT_DISTINCT = "mut-distinct", Should, Text, File, Method, "mutable-data" {
        "No two entries of `mutable_data_segments` have the same `segment_index`."
        rationale: "If two entries refer to one segment, the initial values of different tensors can share bytes by \
            mistake. The file does not record whether the writer intended the tensors to share bytes."
        readers: "Readers use the entries of `mutable_data_segments` separately and do not compare them."
        source: "A comment in ExecuTorch's `schema/program.fbs` states that no two elements of `mutable_data_segments` \
            point to the same segment. The serializer writes only one element of `mutable_data_segments`. The rule's \
            strength is `should` because no reader depends on the rule."
    }
    MUT_PLACEHOLDER = "mut-placeholder", Should, Writer, File, Method, "mutable-data" {
        "The first offset of each entry of `mutable_data_segments` is the placeholder 0."
        rationale: "A `data_buffer_idx` of 0 means no initial state, so no tensor can use the first offset. If the \
            first offset is above 0, a reader that splits the segment at the offsets loses the bytes before this \
            offset."
        readers: "No reader checks the rule. ExecuTorch's C++ reader never uses the first offset. ExecuTorch's Python \
            reader splits the segment at each offset."
        source: "ExecuTorch's emitter begins its list of initial values with an empty buffer. After the empty buffer, \
            the initial values follow one another without padding, so no rule requires their alignment."
    }
    MUT_NEEDS_HEADER = "mut-needs-header", Must, Loader, File, Method, "mutable-data" {
        "A program with initial state has a header with a `segment_base_offset` other than 0, even if the state has no \
            bytes."
        rationale: "Without a `segment_base_offset`, a reader copies the initial value from the beginning of the file. \
            Readers that check the base before the size reject the method even if the initial value has no bytes."
        readers: "If `segment_base_offset` is 0, ExecuTorch returns NotFound (0x20) when it prepares the method, \
            before it checks any size."
        source: "ExecuTorch's `Program::load_mutable_subsegment_into` checks the base. If the segment has bytes, the \
            checker reports `eh-base-zero-iff-none` or `eh-headerless-no-data` instead of this rule."
        refs: ["H-11", "S-09"]
        cwe: ["CWE-436"]
    }
}

//! Rules of `Program.mutable_data_segments`, the initial values of mutable tensors: chapter `mutable-data` of the book.

rules! {
    MUT_IDX_ZERO = "mut-idx-zero", May, File, Method, "mutable-data" {
        "The `mutable_data_segments_idx` of a tensor with initial state is 0."
        why: "The field selects the list of offsets, and the offsets select the initial bytes. If the value is not 0, \
            a reader that always uses list 0 loads the wrong initial state without an error."
        readers: "Some readers always use entry 0, and other readers use the entry that the field selects. \
            ExecuTorch's Python reader rejects a program with a second entry (ValueError)."
        source: "ExecuTorch's `schema/program.fbs` defines the field with the default 0, and its serializer writes one \
            list. A tensor has initial state if its `data_buffer_idx` is above 0 and it has `allocation_info`."
        refs: ["Y-02"]
    }
    MUT_ONE_LIST = "mut-one-list", May, File, Method, "mutable-data" {
        "`mutable_data_segments` has at most one entry."
        why: "Readers disagree about a tensor that uses the second list. One reader loads bytes of the second list, \
            and another reader loads bytes of the first list. A third reader rejects the whole file."
        readers: "ExecuTorch's C++ reader loads a program with any number of entries. If the file has a header, its \
            Python reader rejects more than one entry (ValueError)."
        source: "ExecuTorch's serializer packs all initial values into one segment. Its `schema/program.fbs` declares \
            a list without a limit and so allows a second entry, so the rule is a MAY."
        refs: ["Y-02"]
    }
    MUT_IDX_RANGE = "mut-idx-range", Must, File, Method, "mutable-data" {
        "For a tensor with initial state, the entry at `mutable_data_segments_idx` exists, and its `offsets` contain \
            an element at index `data_buffer_idx`."
        why: "A reader that does not check both indices reads the offset from the bytes after a vector. That offset \
            then determines which bytes the reader copies into the model's memory."
        readers: "ExecuTorch rejects the method during preparation (0x20), at both verification levels. Its Python \
            reader does not resolve the initial values of tensors."
        source: "ExecuTorch's `Program::load_mutable_subsegment_into`. In `schema/program.fbs`, the list and its \
            offsets are optional."
        refs: ["S-09"]
        cwe: ["CWE-129", "CWE-125"]
    }
    MUT_SEG_INDEX = "mut-seg-index", Must, File, Method, "mutable-data" {
        "The `segment_index` of an entry of `mutable_data_segments` is below the number of segments."
        why: "The index selects the segment whose `offset` and `size` limit every initial value. If the index is past \
            the table, a reader uses unrelated bytes as both fields."
        readers: "ExecuTorch compares the index when it prepares a method with a tensor that uses the entry (0x20). If \
            `segments` is absent, it returns 0x23 since 1.4.0. Its Python reader compares the index when it opens the \
            file (ValueError)."
        source: "ExecuTorch's `Program::load_mutable_subsegment_into`."
        refs: ["S-09", "pytorch/executorch#19916"]
        cwe: ["CWE-129", "CWE-125"]
    }
    MUT_BOUND = "mut-bound", Must, File, Method, "mutable-data" {
        "Every entry of a mutable segment's `offsets` is at most the segment's `size`, and the initial bytes of a \
            tensor end within the segment."
        why: "A reader copies the initial bytes into planned memory. If the range extends past the segment, other \
            parts of the file become the model's state. A sum of offset and length that wraps passes an unchecked \
            comparison."
        readers: "During preparation of the method, ExecuTorch adds the offset and the byte count. It returns 0x12 for \
            a range past the segment and, since 1.3.0, 0x23 for a sum that wraps. It does not check offsets that no \
            tensor uses."
        source: "ExecuTorch's `Program::load_mutable_subsegment_into`. This project infers the limit for offsets that \
            no tensor uses."
        refs: ["S-09", "S-11", "pytorch/executorch#18676", "pytorch/executorch#19268"]
        cwe: ["CWE-130", "CWE-125"]
    }
    MUT_DISTINCT = "mut-distinct", Should, File, Method, "mutable-data" {
        "No two entries of `mutable_data_segments` have the same `segment_index`."
        why: "Two lists of offsets into one segment can assign the same bytes to two states that are meant to be \
            separate. The file does not record which assignment the writer intended."
        readers: "Readers use each entry separately and do not compare entries."
        source: "A comment in ExecuTorch's `schema/program.fbs` states that no two elements point to the same segment, \
            and the serializer writes one entry. The rule is a SHOULD because no reader depends on it."
    }
    MUT_PLACEHOLDER = "mut-placeholder", Should, File, Method, "mutable-data" {
        "The first offset of each entry of `mutable_data_segments` is the placeholder 0."
        why: "A `data_buffer_idx` of 0 means no initial state, so no tensor can use the first offset. A reader that \
            splits the segment at the offsets loses the bytes before the first offset."
        readers: "No reader checks the rule. ExecuTorch's C++ reader never uses the first offset. Its Python reader \
            splits the segment at each offset."
        source: "ExecuTorch's emitter begins its list of initial values with an empty buffer. The other values follow \
            without padding, so no rule requires their alignment."
    }
    MUT_NEEDS_HEADER = "mut-needs-header", Must, File, Method, "mutable-data" {
        "A program with initial state has a header with a `segment_base_offset` other than 0, even if the state has no \
            bytes."
        why: "Without a base, a reader reads the initial value from the beginning of the file. If the value has no \
            bytes, readers that check the base first still reject the method."
        readers: "ExecuTorch rejects the method during preparation (0x20), before it checks any size."
        source: "ExecuTorch's `Program::load_mutable_subsegment_into`. If the segment has bytes, the checker reports \
            only `eh-base-zero-iff-none` or `eh-headerless-no-data`."
        refs: ["H-11", "S-09"]
        cwe: ["CWE-436"]
    }
}

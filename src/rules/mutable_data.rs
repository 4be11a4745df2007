//! Initial values of mutable tensors, `Program.mutable_data_segments`: chapter `mutable-data` of the book.

rules! {
    MUT_IDX_ZERO = "mut-idx-zero", May, File, Method, "mutable-data" {
        "A tensor with initial state has `mutable_data_segments_idx` 0."
        why: "The field selects the list of offsets and so the initial bytes. For any other value, a reader that \
            always uses list 0 starts the model from another state without an error."
        readers: "ExecuTorch's C++ reader always uses entry 0. Its Python reader rejects a program with a second \
            entry (ValueError). Other readers may follow the field."
        source: "The schema defines the field, with 0 as its default, and the official serializer writes one list. A \
            tensor has initial state if its `data_buffer_idx` is above 0 and it has `allocation_info`."
        refs: ["Y-02"]
    }
    MUT_ONE_LIST = "mut-one-list", May, File, Method, "mutable-data" {
        "`mutable_data_segments` has at most one entry."
        why: "A tensor of the second list starts with its own bytes in one reader and with bytes of the first list in \
            another reader. A third reader rejects the whole file."
        readers: "ExecuTorch's C++ reader loads a program with any number of entries. Its Python reader rejects more \
            than one entry (ValueError) if the file has a header."
        source: "The serializer packs all initial values into one segment. The schema declares a list without a limit, \
            so a second entry does not contradict it."
        refs: ["Y-02"]
    }
    MUT_IDX_RANGE = "mut-idx-range", Must, File, Method, "mutable-data" {
        "For a tensor with initial state, the entry at `mutable_data_segments_idx` exists and has `offsets`, and the \
            tensor's `data_buffer_idx` is below their number."
        why: "The file chooses all three numbers. If a reader does not check them, it reads the offset from the bytes \
            after a vector. That offset decides which bytes it copies into the model's memory."
        readers: "ExecuTorch rejects each violation when it prepares the method (0x20), at both levels. Its Python \
            reader does not resolve the initial values of tensors."
        source: "`Program::load_mutable_subsegment_into`. The schema makes the list and its offsets optional."
        refs: ["S-09"]
        cwe: ["CWE-129", "CWE-125"]
    }
    MUT_SEG_INDEX = "mut-seg-index", Must, File, Method, "mutable-data" {
        "The `segment_index` of an entry of `mutable_data_segments` is below the number of segments."
        why: "The index selects the `offset` and `size` that bound every initial value. For an index past the table, a \
            reader gets both fields from other bytes."
        readers: "ExecuTorch compares the index when it prepares a method with a tensor that uses the entry. It \
            returns 0x20, or 0x23 if `segments` is absent, since 1.4.0. Its Python reader compares the index when it \
            opens the file (ValueError)."
        source: "`Program::load_mutable_subsegment_into`."
        refs: ["S-09", "pytorch/executorch#19916"]
        cwe: ["CWE-129", "CWE-125"]
    }
    MUT_BOUND = "mut-bound", Must, File, Method, "mutable-data" {
        "Every entry of a mutable segment's `offsets` is at most the segment's `size`, and the initial bytes of a \
            tensor end within the segment."
        why: "A reader copies the bytes into planned memory. A range past the segment copies other parts of the file \
            into the model's state, and a sum that wraps passes an unchecked comparison."
        readers: "ExecuTorch adds offset and byte count when it prepares the method. It returns 0x23 for a sum that \
            wraps, since 1.3.0, and 0x12 for a range past the segment. It does not check offsets that no tensor uses."
        source: "`Program::load_mutable_subsegment_into`; this project infers the bound on offsets that no tensor uses."
        refs: ["S-09", "S-11", "pytorch/executorch#18676", "pytorch/executorch#19268"]
        cwe: ["CWE-130", "CWE-125"]
    }
    MUT_DISTINCT = "mut-distinct", Should, File, Method, "mutable-data" {
        "No two entries of `mutable_data_segments` have the same `segment_index`."
        why: "Two lists over one segment can give the same bytes to two states that are meant to be separate. The file \
            does not record which was intended."
        readers: "No reader compares the entries; readers use each entry separately."
        source: "A comment in the schema states that no two elements point to the same segment, and the serializer \
            writes one entry. The rule is a should because no reader depends on it."
    }
    MUT_PLACEHOLDER = "mut-placeholder", Should, File, Method, "mutable-data" {
        "The first of an entry's `offsets` in `mutable_data_segments` is 0, the placeholder."
        why: "`data_buffer_idx` 0 means no initial state, so no tensor can use this entry. A reader that cuts the \
            segment at the list's offsets omits the bytes before the first offset."
        readers: "No reader checks the rule. ExecuTorch's C++ reader never looks up index 0; its Python reader cuts \
            the segment from each offset to the next."
        source: "The emitter begins its list of initial values with an empty buffer. The other values follow without \
            padding, so no rule requires them to be aligned."
    }
    MUT_NEEDS_HEADER = "mut-needs-header", Must, File, Method, "mutable-data" {
        "A program with a tensor that has initial state has a header with a `segment_base_offset` other than 0, even \
            if the initial value has no bytes."
        why: "Without a base, the initial value comes from the beginning of the file. If the value has no bytes, the \
            range is empty, but readers that check the base first still reject the method."
        readers: "ExecuTorch rejects the method during preparation (0x20), before it checks any size."
        source: "`Program::load_mutable_subsegment_into`. If the segment has bytes, the defect is \
            `eh-base-zero-iff-none` or `eh-headerless-no-data`, and only that rule is reported."
        refs: ["H-11", "S-09"]
        cwe: ["CWE-436"]
    }
}

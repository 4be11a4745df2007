//! Initial values of mutable tensors, `Program.mutable_data_segments` (specification, section 1.5).

rules! {
    MUT_IDX_ZERO = "mut-idx-zero", May, File, Method, "1.5" {
        "A tensor with initial state has `mutable_data_segments_idx` 0."
        why: "The field picks the list of offsets and so the initial bytes: a reader that always takes list 0 starts \
            the model from another state for any other value, without an error."
        readers: "Readers differ: some follow the field, some take entry 0 whatever it says, and ExecuTorch's Python \
            reader refuses a program that has a second entry (ValueError)."
        source: "The schema defines the field, with 0 where it is absent, and the official serializer writes one list. \
            A tensor has initial state when its `data_buffer_idx` is above 0 and it has `allocation_info`."
        refs: ["Y-02"]
    }
    MUT_ONE_LIST = "mut-one-list", May, File, Method, "1.5" {
        "`mutable_data_segments` has at most one entry."
        why: "A tensor of the second list starts with its own bytes in one reader and with the first list's in \
            another, and a third refuses the whole file."
        readers: "ExecuTorch's C++ reader loads a program with any number of entries. Its Python reader refuses more \
            than one (ValueError), if the file has a header."
        source: "The serializer packs all initial values into one segment. The schema declares a list and sets no \
            limit, so a second entry is not wrong by its text."
        refs: ["Y-02"]
    }
    MUT_IDX_RANGE = "mut-idx-range", Must, File, Method, "1.5" {
        "For a tensor with initial state, `mutable_data_segments` has an entry at its `mutable_data_segments_idx`, \
            that entry has `offsets`, and the tensor's `data_buffer_idx` is below their number."
        why: "Each of the three comes from the file. Used unchecked, the offset is read from behind a vector, and \
            decides what is copied into the memory that the model runs in."
        readers: "ExecuTorch refuses each when it prepares the method (0x20), at both levels. Its Python reader does \
            not follow tensors to their initial values."
        source: "`Program::load_mutable_subsegment_into`. The schema leaves list and offsets optional."
        refs: ["S-09"]
        cwe: ["CWE-129", "CWE-125"]
    }
    MUT_SEG_INDEX = "mut-seg-index", Must, File, Method, "1.5" {
        "The `segment_index` of an entry of `mutable_data_segments` is below the number of segments."
        why: "It picks the `offset` and `size` against which every initial value is held; from behind the table, these \
            are bytes of something else."
        readers: "ExecuTorch compares it when it prepares a method with a tensor that uses the entry (0x20, and 0x23 \
            where `segments` is absent, since 1.4.0). Its Python reader compares it when it opens the file \
            (ValueError)."
        source: "`Program::load_mutable_subsegment_into`."
        refs: ["S-09", "pytorch/executorch#19916"]
        cwe: ["CWE-129", "CWE-125"]
    }
    MUT_BOUND = "mut-bound", Must, File, Method, "1.5" {
        "Every entry of a mutable segment's `offsets` is at most the segment's `size`, and the initial bytes of a \
            tensor, from its offset on, end within the segment."
        why: "The bytes are copied into planned memory, so a range past the segment brings other parts of the file \
            into the model's state, and a sum that wraps passes a careless comparison."
        readers: "ExecuTorch adds offset and byte count when it prepares the method: a sum that wraps is 0x23, since \
            1.3.0, and one past the segment's size 0x12. It does not look at offsets that no tensor uses."
        source: "`Program::load_mutable_subsegment_into`; the bound on other offsets is derived."
        refs: ["S-09", "S-11", "pytorch/executorch#18676", "pytorch/executorch#19268"]
        cwe: ["CWE-130", "CWE-125"]
    }
    MUT_DISTINCT = "mut-distinct", Should, File, Method, "1.5" {
        "No two entries of `mutable_data_segments` have the same `segment_index`."
        why: "Two lists over one segment can give the same bytes to two states that are meant to be apart, and nothing \
            in the file tells whether that was meant."
        readers: "No reader compares them: each entry is used on its own."
        source: "A comment in the schema says that no two elements point to the same segment, and the serializer \
            writes one entry. A should, because nothing depends on it."
    }
    MUT_PLACEHOLDER = "mut-placeholder", Should, File, Method, "1.5" {
        "The first of an entry's `offsets` in `mutable_data_segments` is 0, the placeholder."
        why: "`data_buffer_idx` 0 means no initial state, so no tensor can use this entry. A reader that cuts the \
            segment at its offsets leaves out the bytes in front of it."
        readers: "No reader compares it. ExecuTorch's C++ reader never looks up index 0; its Python reader cuts the \
            segment from each offset to the next."
        source: "The emitter begins its list of initial values with an empty buffer. The others follow without \
            padding, so they are not asked to be aligned."
    }
    MUT_NEEDS_HEADER = "mut-needs-header", Must, File, Method, "1.5" {
        "A program with a tensor that has initial state has a header with a `segment_base_offset` other than 0, even \
            if the initial value has no bytes."
        why: "Without a base, an initial value would be taken from the beginning of the file. Where it has no bytes \
            the range is empty, but readers that ask for the base first refuse the method all the same."
        readers: "ExecuTorch refuses to prepare the method (0x20), before it looks at any size."
        source: "`Program::load_mutable_subsegment_into`. Where the segment has bytes the defect is \
            `eh-base-zero-iff-none` or `eh-headerless-no-data`, and only that is told."
        refs: ["H-11", "S-09"]
        cwe: ["CWE-436"]
    }
}

//! Constants of a program, `Program.constant_segment` and the older `Program.constant_buffer` (specification,
//! section 1.4).

rules! {
    CONST_ONE_HOME = "const-one-home", Must, File, Meta, "1.4" {
        "A `constant_segment` of more than one offset and a non-empty `constant_buffer` do not occur in one program."
        why: "`data_buffer_idx` is one number for both homes, so with two of them the reader's preference decides \
            which bytes a constant has: a model that was examined with one reader runs with other weights in the next."
        readers: "ExecuTorch refuses it at both verification levels when it loads the program (0x23). Readers without \
            the comparison take the segment's bytes."
        source: "A comment in the schema lets one of the two be used, and `Program::load` compares them. With only the \
            placeholder offset the segment is never looked at, so that case is left out."
        refs: ["P-10"]
        cwe: ["CWE-436"]
    }
    CONST_OFFSETS_PLACEHOLDER = "const-offsets-placeholder", May, File, Meta, "1.4" {
        "A `constant_segment` that is present has at least one offset, the placeholder at index 0."
        why: "`data_buffer_idx` 0 means that a tensor has no constant data, so index 0 can never be a constant. A \
            segment without offsets sends readers to the deprecated `constant_buffer`, which many builds no longer \
            have."
        readers: "ExecuTorch takes absent and empty `offsets` for a program of the older kind when it loads it: its \
            default open-source build refuses that since 1.3.0 (0x23), builds with the older path accept it."
        source: "The emitter begins its list of constants with an empty buffer, and `Program::load` decides by the \
            number of offsets. It is a note and no more, since official exporters of 0.2 and 0.3 wrote an empty list for \
            every model without constants."
        refs: ["P-11", "pytorch/executorch#19522"]
        cwe: ["CWE-436"]
    }
    CONST_OFFSETS0_ZERO = "const-offsets0-zero", Should, File, Method, "1.4" {
        "`constant_segment.offsets[0]`, the placeholder, is 0."
        why: "No tensor refers to the placeholder, so the value changes nothing that runs: another number means that \
            the file does not come from the official serializer, and is 8 bytes that nobody reads."
        readers: "No reader compares it. ExecuTorch's Python reader cuts the segment at its offsets and keeps what \
            lies behind this one as the placeholder's bytes."
        source: "The serializer gives the empty first buffer offset 0, and the first constant the same. A should, \
            since no reader depends on it."
    }
    CONST_SEG_INDEX = "const-seg-index", Must, File, Meta, "1.4" {
        "`constant_segment.segment_index` is below the number of segments where the constant segment has more than one \
            offset."
        why: "Used unchecked, it indexes a vector of the FlatBuffer out of bounds, and the place of all constants is \
            then whatever bytes lie there."
        readers: "ExecuTorch refuses it at both levels when it loads the program (0x23), and never looks at the index \
            of a list of one offset. Its Python reader compares it for any list that is not empty, if the file has a \
            header (ValueError)."
        source: "`Program::load`. With only the placeholder there is no constant to find, so the index is then left \
            free."
        refs: ["S-02"]
        cwe: ["CWE-129", "CWE-125"]
    }
    CONST_BUFFER_IDX = "const-buffer-idx", Must, File, Method, "1.4" {
        "A constant tensor's `data_buffer_idx` is below the number of `constant_segment.offsets`, unless the program's \
            constants are in `constant_buffer`."
        why: "An index past the end takes its offset from the bytes behind the vector, and these decide where the \
            tensor's data begins."
        readers: "ExecuTorch refuses it at both levels when it prepares a method that has the tensor (0x12). Its \
            Python reader does not follow tensors to their constants."
        source: "`Program::get_constant_buffer_data`. Index 0 is no constant, by the schema's comment on \
            `Tensor.data_buffer_idx`."
        refs: ["S-03"]
        cwe: ["CWE-129", "CWE-125"]
    }
    CONST_OFFSET_BOUND = "const-offset-bound", Must, File, Method, "1.4" {
        "Every entry of `constant_segment.offsets` is at most the `size` of its segment, and a constant tensor's \
            bytes, from its offset on, end within the segment."
        why: "The tensor is a pointer into the loaded segment, so a kernel reads on behind it: other memory of the \
            process becomes weights, and can reach the outputs."
        readers: "ExecuTorch holds a tensor's offset and byte count against the segment when it prepares the method \
            (0x12), since 1.3.0 in a form that cannot wrap. It does not look at offsets that no tensor uses; readers \
            that cut the segment at its offsets get fewer bytes and no error."
        source: "`Program::get_constant_buffer_data`. The bound on an offset that no tensor uses is derived: nothing \
            can begin behind the end."
        refs: ["S-01", "S-11", "pytorch/executorch#18662"]
        cwe: ["CWE-130", "CWE-125"]
    }
    CONST_OFFSET_NEXT = "const-offset-next", Should, File, Method, "1.4" {
        "A constant tensor's bytes end at or before the next entry of `constant_segment.offsets`, if there is one."
        why: "Constants that overlap look like two weights and are one. A reader that ends each where the next begins \
            gets fewer bytes than one that goes by the tensor's size."
        readers: "ExecuTorch's C++ reader holds a constant against the end of the segment only. Its Python reader ends \
            each constant where the next one begins."
        source: "The serializer lays constants one behind another with padding between, and shares one by its index \
            only."
    }
    CONST_OFFSETS_SORTED = "const-offsets-sorted", Should, File, Method, "1.4" {
        "`constant_segment.offsets` never decrease from one entry to the next."
        why: "A reader that ends each constant where the next one begins gets an empty or short one in front of a \
            decrease, and no error."
        readers: "ExecuTorch's C++ reader looks up single entries and does not depend on their order. Its Python \
            reader cuts the segment from each entry to the next."
        source: "The serializer adds up lengths and padding, so its offsets only grow. A should, since the schema does \
            not ask for it."
    }
    CONST_OFFSET_ALIGNED = "const-offset-aligned", Should, File, Method, "1.4" {
        "Every entry of `constant_segment.offsets` is a multiple of 16."
        why: "Constants are used in place: an address that is not aligned to the elements is undefined behaviour in \
            C++, a fault on processors that load aligned words only, and a wrong assumption for vectorized kernels."
        readers: "No reader compares it. ExecuTorch hands the address on to kernels as it is."
        source: "A comment in the schema aligns offsets to the tensor alignment, which is 16 unless the exporter is \
            asked for more. A should, because that alignment is not recorded in the file and nobody looks."
        refs: ["S-12"]
    }
    CONST_PADDING_ZERO = "const-padding-zero", Should, File, Data, "1.4" {
        "The bytes between the end of a constant and the next offset are zero where they are fewer than 256."
        why: "Padding that holds something is data that no tensor shows, and makes two files differ that are otherwise \
            the same model."
        readers: "No reader examines it. ExecuTorch's Python reader keeps it as the tail of the constant before it."
        source: "The serializer pads every constant but the last with zeros to the tensor alignment. 256 bytes or more \
            are no padding but a constant that no tensor uses, so they are not examined."
        refs: ["H-15"]
    }
    CONST_ZERO_SIZE_SEGMENT = "const-zero-size-segment", May, File, Method, "1.4" {
        "A constant segment of size 0 has only its placeholder offset."
        why: "A model whose constants all have no elements is written with such a segment and several offsets, and \
            whether it then loads depends on how a reader tells an empty segment from none."
        readers: "A reader that takes a segment without bytes for no segment looks in `constant_buffer` and refuses the \
            constant when the method is prepared, as ExecuTorch does (0x12, or 0x23 in builds without that path); one that \
            goes by the table gives it an empty range."
        source: "The official serializer writes the file and the runtime refuses it, so that neither can be called wrong: it \
            is graded by nobody."
    }
    CONST_BUFFER_LEGACY = "const-buffer-legacy", Must, File, Method, "1.4" {
        "In a program whose constants are in `constant_buffer`, a constant tensor's `data_buffer_idx` is below the \
            number of entries, and the entry's `storage` is present and at least as long as the tensor."
        why: "The tensor points into the FlatBuffer itself, so one that is longer than its `storage` takes the tables \
            behind it for weights, or overwrites them where something writes to it."
        readers: "ExecuTorch refuses a wrong index or size when it prepares the method (0x12) where it is built with \
            this path; its default open-source builds since 1.3.0 refuse all such programs when they load them (0x23). \
            Releases 0.6 to 1.1 compared the sizes the wrong way round, which #16887 mended."
        source: "`Program::get_constant_buffer_data` and the schema's comments. The field is deprecated since \
            September 2024 and remains the home of constants in the oldest programs. That `storage` is present is \
            derived: without it there is no address to give."
        refs: ["P-11", "pytorch/executorch#16887", "pytorch/executorch#19007", "pytorch/executorch#19522"]
        cwe: ["CWE-130", "CWE-125"]
    }
    CONST_IMMUTABLE = "const-immutable", Must, Reader, Method, "1.4" {
        "A reader keeps constants as they are in the file: no input, instruction or kernel of any method writes to \
            them."
        why: "All methods of a loaded program share its constants, so one write changes the model for every later run. \
            Where constants are mapped read-only, it ends the process."
        readers: "Not every reader prevents it. One that maps the constants read-only turns the write into a fault."
        source: "Derived from the schema, to which a tensor with `data_buffer_idx` above 0 and no `allocation_info` is \
            constant. The file that brings a write about by its inputs breaks `plan-inputs-nonconst`; that of an \
            operator's output shows only with the operator's signature, which is not in the file."
        refs: ["S-13"]
    }
}

//! Constants of a program: chapter `constants` of the book.
//!
//! Current programs store constants in `Program.constant_segment`, legacy programs in `Program.constant_buffer`.

rules! {
    CONST_ONE_HOME = "const-one-home", Must, File, Meta, "constants" {
        "A program whose `constant_segment` has more than one offset has no entries in `constant_buffer`."
        rationale: "`data_buffer_idx` is an index of both lists. If both lists have constants, each reader chooses \
            a list by its own preference. A model that was examined in a reader can then run with other weights in \
            another reader."
        readers: "When ExecuTorch loads a program with both lists, it returns InvalidProgram (0x23) at both \
            verification levels. Readers without this check use the segment's bytes."
        source: "Comments in ExecuTorch's `schema/program.fbs` forbid a program with both fields, and `Program::load` \
            checks the fields. Readers never use a segment that has only the placeholder offset, so the rule permits a \
            segment with one offset."
        refs: ["P-10"]
        cwe: ["CWE-436"]
    }
    CONST_OFFSETS_PLACEHOLDER = "const-offsets-placeholder", May, File, Meta, "constants" {
        "If `constant_segment` is present, it has at least one offset: the placeholder at index 0."
        rationale: "`data_buffer_idx` 0 means that a tensor has no constant data, so no constant has index 0. For a \
            segment without offsets, readers use the deprecated `constant_buffer`, which many builds no longer \
            support."
        readers: "When ExecuTorch loads the program, it interprets absent or empty `offsets` as a legacy program. \
            Default open-source builds since 1.3.0 reject a legacy program with InvalidProgram (0x23); builds with \
            legacy support accept it."
        source: "The emitter begins its list of constants with an empty buffer, and `Program::load` selects the list \
            by the number of offsets. The strength is `may` because official exporters of 0.2 and 0.3 wrote an empty \
            list for every model without constants."
        refs: ["P-11", "pytorch/executorch#19522"]
        cwe: ["CWE-436"]
    }
    CONST_OFFSETS0_ZERO = "const-offsets0-zero", Should, File, Method, "constants" {
        "`constant_segment.offsets[0]`, the placeholder, is 0."
        rationale: "No tensor uses the placeholder, so its value has no effect at run time. The official serializer \
            never writes another value, and any other value is 8 bytes of hidden data."
        readers: "No reader checks the rule. ExecuTorch's Python reader cuts the segment at its offsets, so the \
            placeholder receives all bytes between its own offset and the next offset."
        source: "The serializer writes offset 0 for the empty first buffer and for the first constant. The strength is \
            `should` because no reader depends on the value."
    }
    CONST_SEG_INDEX = "const-seg-index", Must, File, Meta, "constants" {
        "If the constant segment has more than one offset, `constant_segment.segment_index` is below the number of \
            segments."
        rationale: "An unchecked index reads outside a vector of the FlatBuffer. The bytes outside the vector then \
            determine where all constants start."
        readers: "When ExecuTorch loads the program, it returns InvalidProgram (0x23) at both verification levels; it \
            ignores the index if the list has one offset. If the file has a header, ExecuTorch's Python reader checks \
            the index for any non-empty list (ValueError)."
        source: "`Program::load` checks the index. A list with only the placeholder has no constants, so its index may \
            have any value."
        refs: ["S-02"]
        cwe: ["CWE-129", "CWE-125"]
    }
    CONST_BUFFER_IDX = "const-buffer-idx", Must, File, Method, "constants" {
        "A constant tensor's `data_buffer_idx` is below the number of `constant_segment.offsets`, unless the program \
            stores constants in `constant_buffer`."
        rationale: "With an index past the end of the vector, a reader interprets the bytes after the vector as an \
            offset. The wrong offset then determines where the tensor's data begins."
        readers: "For an index out of range, ExecuTorch returns InvalidArgument (0x12) when it prepares the method, at \
            both verification levels. ExecuTorch's Python reader does not resolve the constants of tensors."
        source: "`Program::get_constant_buffer_data` checks the index. By the comment on `Tensor.data_buffer_idx` in \
            ExecuTorch's `schema/program.fbs`, index 0 means that the tensor is not a constant."
        refs: ["S-03"]
        cwe: ["CWE-129", "CWE-125"]
    }
    CONST_OFFSET_BOUND = "const-offset-bound", Must, File, Method, "constants" {
        "Every entry of `constant_segment.offsets` is at most its segment's `size`, and a constant tensor's bytes end \
            within the segment."
        rationale: "A tensor that extends past the segment lets a kernel read other memory of the process as \
            weights. The outputs can disclose that memory."
        readers: "When ExecuTorch prepares the method, it returns InvalidArgument (0x12) if a tensor's offset or its \
            end is past the segment's end. Since 1.3.0, the sum of offset and byte count cannot wrap. ExecuTorch does \
            not check offsets that no tensor uses. A reader that cuts the segment at its offsets gets fewer bytes and \
            no error."
        source: "`Program::get_constant_buffer_data` checks tensors. This project infers the limit for offsets that no \
            tensor uses: no constant can begin past the end of the segment."
        refs: ["S-01", "S-11", "pytorch/executorch#18662"]
        cwe: ["CWE-130", "CWE-125"]
    }
    CONST_OFFSET_NEXT = "const-offset-next", Should, File, Method, "constants" {
        "A constant tensor's bytes end at or before the next entry of `constant_segment.offsets`, if a next entry \
            exists."
        rationale: "Two overlapping constants share bytes although the file lists two weights. A reader that ends \
            each constant at the next offset gets fewer bytes than a reader that uses the tensor's size."
        readers: "ExecuTorch's C++ reader compares the end of a constant with the end of the segment only. \
            ExecuTorch's Python reader ends each constant at the next offset."
        source: "The serializer writes constants one after another with padding between them. Two tensors share a \
            constant only if they have the same index."
    }
    CONST_OFFSETS_SORTED = "const-offsets-sorted", Should, File, Method, "constants" {
        "The entries of `constant_segment.offsets` never decrease."
        rationale: "A reader that ends each constant at the next offset gets an empty or short constant where an \
            offset decreases, and reports no error."
        readers: "ExecuTorch's C++ reader looks up single entries, so their order has no effect. ExecuTorch's Python \
            reader cuts the segment from each entry to the next."
        source: "The serializer computes each offset as the sum of the lengths and padding before it, so offsets never \
            decrease. The strength is `should` because ExecuTorch's `schema/program.fbs` does not require the order."
    }
    CONST_OFFSET_ALIGNED = "const-offset-aligned", Should, File, Method, "constants" {
        "Every entry of `constant_segment.offsets` is a multiple of 16."
        rationale: "Readers use constants in place. In C++, access to an element at a misaligned address is \
            undefined behaviour. Some processors fault on misaligned access, and vectorized kernels assume \
            alignment."
        readers: "No reader checks the rule. ExecuTorch passes the address to kernels unchanged."
        source: "A comment in ExecuTorch's `schema/program.fbs` aligns offsets to the tensor alignment, which is 16 \
            unless the caller of the exporter raises it. The strength is `should` because the file does not record \
            that alignment and no reader checks it."
        refs: ["S-12"]
    }
    CONST_PADDING_ZERO = "const-padding-zero", Should, File, Data, "constants" {
        "The padding between the end of a constant and the next offset is zero if it is shorter than 256 bytes."
        rationale: "Non-zero padding is data that no tensor uses. Non-zero padding also makes two files of one \
            model differ."
        readers: "No reader checks the rule. ExecuTorch's Python reader appends the padding to the preceding constant."
        source: "The serializer pads every constant except the last with zeros to the tensor alignment. The rule \
            excludes gaps of 256 bytes or more, because such a gap contains a constant that no tensor uses."
        refs: ["H-15"]
    }
    CONST_ZERO_SIZE_SEGMENT = "const-zero-size-segment", May, File, Method, "constants" {
        "A constant segment of size 0 has only the placeholder offset."
        rationale: "If no constant has elements, the official writer writes a segment of size 0 with several \
            offsets. Some readers treat an empty segment as absent and reject the file."
        readers: "A reader that treats an empty segment as absent looks in `constant_buffer` and rejects the constant \
            when it prepares the method. ExecuTorch rejects the constant with InvalidArgument (0x12), or with \
            InvalidProgram (0x23) in builds without support for `constant_buffer`. A reader that uses the segment \
            table returns an empty range."
        source: "The official serializer can write a segment of size 0 with several offsets, and the official runtime \
            rejects the file. No document decides between the two behaviours, so the strength is `may`."
    }
    CONST_BUFFER_LEGACY = "const-buffer-legacy", Must, File, Method, "constants" {
        "In a program with `constant_buffer`, a constant tensor's `data_buffer_idx` selects an entry whose `storage` \
            is at least as long as the tensor."
        rationale: "The tensor points into the FlatBuffer itself. A tensor longer than its `storage` reads the \
            following tables as weights, and a write to the tensor overwrites those tables."
        readers: "In builds with legacy support, ExecuTorch returns InvalidArgument (0x12) for a wrong index or size \
            when it prepares the method. Default open-source builds since 1.3.0 reject all legacy programs at load \
            time with InvalidProgram (0x23). Releases 0.2 to 1.1 compared the sizes in the wrong direction; \
            pytorch/executorch#16887 fixed the comparison."
        source: "`Program::get_constant_buffer_data` and comments in ExecuTorch's `schema/program.fbs` state the rule. \
            The field has been deprecated since September 2024 and stores the constants of the earliest programs. This \
            project infers that `storage` is present, because a reader cannot return an address without it."
        refs: ["P-11", "pytorch/executorch#16887", "pytorch/executorch#19007", "pytorch/executorch#19522"]
        cwe: ["CWE-130", "CWE-125"]
    }
    CONST_IMMUTABLE = "const-immutable", Must, Reader, Method, "constants" {
        "A reader ensures that no input, instruction or kernel of any method changes a program's constants."
        rationale: "All methods of a loaded program share its constants, so one write changes the model for every \
            later run. If the constants are mapped read-only, the write ends the process."
        readers: "Some readers do not prevent a write to a constant. If a reader maps the constants read-only, the \
            write causes a fault."
        source: "This project infers the rule from ExecuTorch's `schema/program.fbs`, which defines a tensor with \
            `data_buffer_idx` above 0 and no `allocation_info` as constant. A file whose inputs overwrite a constant \
            breaks `plan-inputs-nonconst`. A write through an operator's output depends on the operator's signature, \
            which the file does not contain."
        refs: ["S-13"]
    }
}

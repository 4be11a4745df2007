//! Constants of a program, `Program.constant_segment` and the legacy `Program.constant_buffer`: chapter `constants` of the
//! book.

rules! {
    CONST_ONE_HOME = "const-one-home", Must, File, Meta, "constants" {
        "A program does not have both a `constant_segment` of more than one offset and a non-empty `constant_buffer`."
        why: "`data_buffer_idx` indexes both stores, so with two of them each reader's preference decides the bytes of \
            a constant. A model that was examined with one reader runs with other weights in another reader."
        readers: "ExecuTorch rejects such a program at load time, at both verification levels (0x23). Readers without \
            this check use the segment's bytes."
        source: "A comment in the schema permits only one of the two fields, and `Program::load` checks that a program \
            does not have both. Readers never use a segment that has only the placeholder offset, so the rule excludes \
            that case."
        refs: ["P-10"]
        cwe: ["CWE-436"]
    }
    CONST_OFFSETS_PLACEHOLDER = "const-offsets-placeholder", May, File, Meta, "constants" {
        "A `constant_segment` that is present has at least one offset, the placeholder at index 0."
        why: "`data_buffer_idx` 0 means that a tensor has no constant data, so index 0 can never be a constant. A \
            segment without offsets makes readers use the deprecated `constant_buffer`, which many builds no longer \
            support."
        readers: "When ExecuTorch loads the program, it treats absent and empty `offsets` as a legacy program. Its \
            default open-source build rejects such a program since 1.3.0 (0x23); builds with legacy support accept the \
            program."
        source: "The emitter begins its list of constants with an empty buffer, and `Program::load` decides by the \
            number of offsets. The rule is a may because official exporters of 0.2 and 0.3 wrote an empty list for \
            every model without constants."
        refs: ["P-11", "pytorch/executorch#19522"]
        cwe: ["CWE-436"]
    }
    CONST_OFFSETS0_ZERO = "const-offsets0-zero", Should, File, Method, "constants" {
        "`constant_segment.offsets[0]`, the placeholder, is 0."
        why: "No tensor uses the placeholder, so its value has no effect at run time. A file with another value does \
            not come from the official serializer, and the value adds 8 bytes that no reader uses."
        readers: "No reader checks the rule. ExecuTorch's Python reader cuts the segment at its offsets and stores the \
            bytes after this offset as the placeholder's bytes."
        source: "The serializer gives the empty first buffer offset 0, and the first constant the same offset. The \
            rule is a should because no reader depends on it."
    }
    CONST_SEG_INDEX = "const-seg-index", Must, File, Meta, "constants" {
        "`constant_segment.segment_index` is below the number of segments if the constant segment has more than one \
            offset."
        why: "An unchecked index reads outside a vector of the FlatBuffer. The bytes there then give the position of \
            all constants."
        readers: "ExecuTorch rejects a violation at both levels when it loads the program (0x23), and ignores the \
            index of a list of one offset. If the file has a header, its Python reader compares the index for any \
            non-empty list (ValueError)."
        source: "`Program::load`. A list with only the placeholder has no constant to find, so its index is \
            unrestricted."
        refs: ["S-02"]
        cwe: ["CWE-129", "CWE-125"]
    }
    CONST_BUFFER_IDX = "const-buffer-idx", Must, File, Method, "constants" {
        "A constant tensor's `data_buffer_idx` is below the number of `constant_segment.offsets`, unless the program \
            stores its constants in `constant_buffer`."
        why: "For an index past the end, a reader gets the offset from the bytes after the vector. These bytes then \
            decide where the tensor's data begins."
        readers: "ExecuTorch rejects a violation at both levels when it prepares a method that has the tensor (0x12). \
            Its Python reader does not resolve the constants of tensors."
        source: "`Program::get_constant_buffer_data`. By the schema's comment on `Tensor.data_buffer_idx`, index 0 \
            means that the tensor has no constant."
        refs: ["S-03"]
        cwe: ["CWE-129", "CWE-125"]
    }
    CONST_OFFSET_BOUND = "const-offset-bound", Must, File, Method, "constants" {
        "Every entry of `constant_segment.offsets` is at most the `size` of its segment, and a constant tensor's bytes \
            end within the segment."
        why: "The tensor points into the loaded segment, so a kernel continues to read past it. The kernel then uses \
            other memory of the process as weights, and the outputs can disclose that memory."
        readers: "ExecuTorch compares a tensor's offset and byte count with the segment when it prepares the method \
            (0x12), and the sum cannot wrap since 1.3.0. It does not check offsets that no tensor uses. Readers that \
            cut the segment at its offsets get fewer bytes and no error."
        source: "`Program::get_constant_buffer_data`. This project infers the bound on an offset that no tensor uses: \
            no constant can begin past the end."
        refs: ["S-01", "S-11", "pytorch/executorch#18662"]
        cwe: ["CWE-130", "CWE-125"]
    }
    CONST_OFFSET_NEXT = "const-offset-next", Should, File, Method, "constants" {
        "A constant tensor's bytes end at or before the next entry of `constant_segment.offsets`, if there is one."
        why: "Two constants that overlap look like two weights but share bytes. A reader that ends each constant at \
            the next offset gets fewer bytes than a reader that uses the tensor's size."
        readers: "ExecuTorch's C++ reader compares a constant with the end of the segment only. Its Python reader ends \
            each constant at the next offset."
        source: "The serializer writes constants one after another with padding between them, and shares a constant \
            only by its index."
    }
    CONST_OFFSETS_SORTED = "const-offsets-sorted", Should, File, Method, "constants" {
        "The entries of `constant_segment.offsets` never decrease."
        why: "A reader that ends each constant at the next offset gets an empty or short constant before a decrease, \
            and no error."
        readers: "ExecuTorch's C++ reader looks up single entries and does not depend on their order. Its Python \
            reader cuts the segment from each entry to the next."
        source: "The serializer adds lengths and padding, so its offsets only grow. The rule is a should because the \
            schema does not require it."
    }
    CONST_OFFSET_ALIGNED = "const-offset-aligned", Should, File, Method, "constants" {
        "Every entry of `constant_segment.offsets` is a multiple of 16."
        why: "Readers use constants in place. An address below the alignment of the elements is undefined behaviour in \
            C++, faults on some processors, and breaks an assumption of vectorized kernels."
        readers: "No reader checks the rule. ExecuTorch passes the address to kernels unchanged."
        source: "A comment in the schema aligns offsets to the tensor alignment, which is 16 unless the caller of the \
            exporter raises it. The rule is a should because the file does not record that alignment and no reader \
            checks it."
        refs: ["S-12"]
    }
    CONST_PADDING_ZERO = "const-padding-zero", Should, File, Data, "constants" {
        "The bytes between the end of a constant and the next offset are zero if they are fewer than 256."
        why: "Non-zero padding is data that no tensor uses. Such padding makes two files of one model differ."
        readers: "No reader checks the rule. ExecuTorch's Python reader keeps the padding as the end of the constant \
            before it."
        source: "The serializer pads every constant but the last with zeros to the tensor alignment. A gap of 256 \
            bytes or more is a constant that no tensor uses, not padding, so the rule excludes it."
        refs: ["H-15"]
    }
    CONST_ZERO_SIZE_SEGMENT = "const-zero-size-segment", May, File, Method, "constants" {
        "A constant segment of size 0 has only its placeholder offset."
        why: "If no constant has elements, the official writer writes such a segment with several offsets. Whether the \
            file loads depends on how a reader distinguishes an empty segment from an absent segment."
        readers: "A reader that treats a segment without bytes as absent looks in `constant_buffer` and rejects the \
            constant when it prepares the method. ExecuTorch is such a reader (0x12, or 0x23 in builds without support \
            for `constant_buffer`). A reader that uses the table returns an empty range."
        source: "The official serializer writes such a file, and the runtime rejects the file. No text decides between \
            the two, so the rule is a may."
    }
    CONST_BUFFER_LEGACY = "const-buffer-legacy", Must, File, Method, "constants" {
        "A constant tensor of a program with `constant_buffer` has a `data_buffer_idx` below the number of entries, \
            and a `storage` that is present and at least as long as the tensor."
        why: "The tensor points into the FlatBuffer itself. A tensor longer than its `storage` reads the following \
            tables as weights, and a write to the tensor overwrites them."
        readers: "ExecuTorch rejects a wrong index or size when it prepares the method (0x12), in builds with legacy \
            support. Its default open-source builds since 1.3.0 reject all such programs at load time (0x23). Releases \
            0.2 to 1.1 compared the sizes in the wrong direction, which #16887 fixed."
        source: "`Program::get_constant_buffer_data` and the schema's comments. The field is deprecated since \
            September 2024 and still stores the constants of the earliest programs. This project infers that `storage` \
            is present: without `storage` there is no address to return."
        refs: ["P-11", "pytorch/executorch#16887", "pytorch/executorch#19007", "pytorch/executorch#19522"]
        cwe: ["CWE-130", "CWE-125"]
    }
    CONST_IMMUTABLE = "const-immutable", Must, Reader, Method, "constants" {
        "A reader keeps constants as they are in the file: no input, instruction or kernel of any method writes to \
            them."
        why: "All methods of a loaded program share its constants, so one write changes the model for every later run. \
            If the constants are mapped read-only, the write ends the process."
        readers: "Some readers do not prevent such a write. In a reader that maps the constants read-only, the write \
            causes a fault."
        source: "Inferred from the schema, which defines a tensor with `data_buffer_idx` above 0 and no \
            `allocation_info` as constant. A file that causes a write through its inputs breaks \
            `plan-inputs-nonconst`. A write through an operator's output depends on the operator's signature, which \
            the file does not contain."
        refs: ["S-13"]
    }
}

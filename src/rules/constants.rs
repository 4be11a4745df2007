//! Rules about the constants of a program (chapter `constants` of the book).
//!
//! Current programs store constants in `Program.constant_segment`. Legacy programs store constants in
//! `Program.constant_buffer`.

rules! {
    CONST_ONE_HOME = "const-one-home", Must, Text, File, Meta, "constants" {
        "A program whose `constant_segment` has more than one offset has no entries in `constant_buffer`."
        rationale: "`data_buffer_idx` can be an index of `constant_segment.offsets` or of `constant_buffer`. If \
            `constant_segment` and `constant_buffer` both have constants, different readers can use different lists. A \
            model that was inspected with one reader can run with other weights in another reader."
        readers: "When ExecuTorch loads a program that has constants in both fields, it returns InvalidProgram (0x23) \
            at both verification levels. Readers that do not check the rule use the segment's bytes."
        source: "Comments in ExecuTorch's `schema/program.fbs` forbid a program with constants in both fields, and \
            `Program::load` checks both fields. The first offset is a placeholder without a constant. If the \
            placeholder is the only offset, readers never use the segment. The rule `const-placeholder-alone` covers \
            this case."
        refs: ["P-10"]
        cwe: ["CWE-436"]
    }
    CONST_PLACEHOLDER_ALONE = "const-placeholder-alone", Should, Text, File, Meta, "constants" {
        "A program whose `constant_segment` has exactly one offset has no entries in `constant_buffer`."
        rationale: "A single offset is the placeholder, so the constants of the program can only be in \
            `constant_buffer`. A reader without support for `constant_buffer` does not find these constants."
        readers: "ExecuTorch loads the program without an error. Default open-source builds of 1.3.0 and later do not \
            support `constant_buffer`, so they return InvalidProgram (0x23) when they prepare a method with \
            constants."
        source: "A comment in ExecuTorch's `schema/program.fbs` requires an empty `constant_buffer` if `offsets` is \
            not empty. The official serializer writes constants to only one of the two fields. The rule's strength is \
            `should` because `Program::load` checks `constant_buffer` only if `offsets` has more than one entry."
        refs: ["P-10"]
        cwe: ["CWE-436"]
    }
    CONST_OFFSETS_PLACEHOLDER = "const-offsets-placeholder", May, Loader, File, Meta, "constants" {
        "If `constant_segment` is present, it has at least one offset: the placeholder at index 0."
        rationale: "A `data_buffer_idx` of 0 means that a tensor has no constant data, so no constant has index 0. If \
            `constant_segment` has no offsets, readers use the deprecated `constant_buffer`, which many builds no \
            longer support."
        readers: "ExecuTorch treats a program with absent or empty `offsets`, or without `constant_segment`, as a \
            legacy program. Default open-source builds of 1.3.0 and later reject every legacy program with \
            InvalidProgram (0x23), even if the program has no constants. Builds with legacy support accept legacy \
            programs."
        source: "The emitter begins its list of constants with an empty buffer, and `Program::load` uses \
            `constant_segment` only if its `offsets` are not empty. The rule's strength is `may` because the official \
            exporters of releases 0.2 and 0.3 wrote an empty list for every model without constants. An absent \
            `constant_segment` breaks no rule, because all programs of the earliest releases lack this field."
        refs: ["P-11", "pytorch/executorch#19522"]
        cwe: ["CWE-436"]
    }
    CONST_OFFSETS0_ZERO = "const-offsets0-zero", Should, Writer, File, Method, "constants" {
        "`constant_segment.offsets[0]`, the placeholder, is 0."
        rationale: "No tensor uses the placeholder, so its value has no effect at run time. A placeholder that is not \
            0 contains 8 bytes of hidden data. The official serializer writes only 0 as the placeholder."
        readers: "No reader checks the rule. ExecuTorch's Python reader splits the segment at the listed offsets, so \
            the placeholder receives all bytes between its own offset and the next offset."
        source: "The official serializer writes the offset 0 for both the placeholder and the first constant. The \
            rule's strength is `should` because no reader depends on the placeholder's value."
    }
    CONST_SEG_INDEX = "const-seg-index", Must, Loader, File, Meta, "constants" {
        "If `constant_segment.offsets` has more than one entry, `constant_segment.segment_index` is below the number \
            of segments."
        rationale: "With an unchecked index, a reader interprets bytes after the vector `segments` as a segment. The \
            start of all constants then depends on these bytes."
        readers: "When ExecuTorch loads the program, it returns InvalidProgram (0x23) for an index out of range, at \
            both verification levels. If `offsets` has only one entry, ExecuTorch ignores `segment_index`. If the file \
            has a header and `offsets` is not empty, ExecuTorch's Python reader raises ValueError for an index out of \
            range."
        source: "`Program::load` checks the index. If `offsets` has only the placeholder, the program has no \
            constants, so any `segment_index` is valid."
        refs: ["S-02"]
        cwe: ["CWE-129", "CWE-125"]
    }
    CONST_BUFFER_IDX = "const-buffer-idx", Must, Loader, File, Method, "constants" {
        "A constant tensor's `data_buffer_idx` is below the number of `constant_segment.offsets`, unless the program \
            stores constants in `constant_buffer`."
        rationale: "If `data_buffer_idx` is past the end of `offsets`, a reader interprets the bytes after this vector \
            as an offset. The tensor's data then begins at a wrong position."
        readers: "When ExecuTorch prepares the method, it returns InvalidArgument (0x12) for an index out of range, at \
            both verification levels. ExecuTorch's Python reader does not look up the constants of tensors."
        source: "`Program::get_constant_buffer_data` checks the index. The comment on `Tensor.data_buffer_idx` in \
            ExecuTorch's `schema/program.fbs` states that a tensor with index 0 is not a constant."
        refs: ["S-03"]
        cwe: ["CWE-129", "CWE-125"]
    }
    CONST_OFFSET_BOUND = "const-offset-bound", Must, Loader, File, Method, "constants" {
        "The bytes of every constant tensor begin and end within the constant segment."
        rationale: "If a tensor extends past the segment, kernels read other memory of the process as weights. The \
            method's outputs can disclose this memory."
        readers: "When ExecuTorch prepares the method, it returns InvalidArgument (0x12) if a tensor's offset or its \
            end is past the segment's end. ExecuTorch 1.3.0 and later also reject a sum of offset and byte count that \
            wraps. A reader that splits the segment at the listed offsets gets too few bytes for the last tensor, but \
            reports no error."
        source: "`Program::get_constant_buffer_data` checks the range of each tensor. The tensor's `data_buffer_idx` \
            selects the offset. A tensor without elements may begin at the end of the segment."
        refs: ["S-01", "S-11", "pytorch/executorch#18662"]
        cwe: ["CWE-130", "CWE-125"]
    }
    CONST_OFFSET_UNUSED = "const-offset-unused", Should, Writer, File, Method, "constants" {
        "An entry of `constant_segment.offsets` that no tensor uses is at most the `size` of the constant segment."
        rationale: "No constant can begin past the end of the segment. A reader that splits the segment at the listed \
            offsets reads past the end, although no tensor uses the offset."
        readers: "ExecuTorch's C++ reader reads only the offsets that tensors use, so it accepts the program."
        source: "The official serializer computes each offset as the total length of all preceding constants and \
            padding. The rule's strength is `should` because ExecuTorch's C++ reader ignores unused offsets. The rule \
            `const-offset-bound` covers offsets that a tensor uses."
        refs: ["S-01"]
    }
    CONST_OFFSET_NEXT = "const-offset-next", Should, Writer, File, Method, "constants" {
        "A constant tensor's bytes end at or before the next entry of `constant_segment.offsets`, unless the tensor's \
            own entry is the last."
        rationale: "Two overlapping constants share bytes, although the file lists two separate weights. A reader that \
            ends each constant at the next offset gets fewer bytes for an overlapping constant than a reader that uses \
            the tensor's size."
        readers: "ExecuTorch's C++ reader compares the end of a constant only with the end of the segment. \
            ExecuTorch's Python reader ends each constant at the next offset."
        source: "The official serializer writes constants one after another, with padding between them. Two tensors \
            share a constant only if they have the same `data_buffer_idx`."
    }
    CONST_OFFSETS_SORTED = "const-offsets-sorted", Should, Writer, File, Method, "constants" {
        "The entries of `constant_segment.offsets` never decrease."
        rationale: "If the next offset is lower, a reader that ends each constant at the next offset gets an empty or \
            truncated constant without an error."
        readers: "ExecuTorch's C++ reader looks up single entries, so the order of entries has no effect. ExecuTorch's \
            Python reader splits the segment at each entry."
        source: "The official serializer computes each offset as the total length of all preceding constants and \
            padding, so offsets never decrease. The rule's strength is `should` because ExecuTorch's \
            `schema/program.fbs` does not require the order."
    }
    CONST_OFFSET_ALIGNED = "const-offset-aligned", Should, Text, File, Method, "constants" {
        "Every entry of `constant_segment.offsets` is a multiple of 16."
        rationale: "Readers use constants in place, without copying them. In C++, access to an element at a misaligned \
            address is undefined behavior. Some processors fault on misaligned access, and vectorized kernels assume \
            alignment."
        readers: "No reader checks the rule. ExecuTorch passes the address to kernels unchanged."
        source: "A comment in ExecuTorch's `schema/program.fbs` requires offsets to be multiples of the tensor \
            alignment. The exporter's default tensor alignment is 16. The rule's strength is `should` because the file \
            does not record the tensor alignment and no reader checks offsets for alignment."
        refs: ["S-12"]
    }
    CONST_PADDING_ZERO = "const-padding-zero", Should, Writer, File, Data, "constants" {
        "Padding of fewer than 256 bytes between the end of a constant and the next offset consists of zero bytes."
        rationale: "Non-zero padding is data that no tensor uses. Non-zero padding can also make two exports of one \
            model differ."
        readers: "No reader checks the rule. ExecuTorch's Python reader appends the padding to the preceding constant."
        source: "The official serializer pads every constant except the last with zeros, up to a multiple of the \
            tensor alignment. The rule excludes gaps of 256 bytes or more, because a large gap can be a constant that \
            no tensor uses."
        refs: ["H-15"]
    }
    CONST_ZERO_SIZE_SEGMENT = "const-zero-size-segment", Must, Writer, Reader, Method, "constants" {
        "A reader accepts a constant segment of size 0 with several offsets, and gives each of its constants 0 bytes."
        rationale: "If no constant has elements, the official writer writes a segment of size 0 with several \
            offsets. A reader that treats an empty segment as absent rejects the program."
        readers: "If a reader treats an empty segment as absent, it looks up a constant in `constant_buffer`, and then \
            rejects the constant. A reader that looks up the segment by its index returns an empty range for the \
            constant."
        source: "The rule follows from the official serializer, which adds a segment for every list of constants, \
            even if the segment is empty."
    }
    CONST_BUFFER_LEGACY = "const-buffer-legacy", Must, Text, File, Method, "constants" {
        "In a program with `constant_buffer`, a constant tensor's `data_buffer_idx` selects an entry whose `storage` \
            is at least as long as the tensor."
        rationale: "Readers use the bytes of `storage` in place. If the tensor is longer than `storage`, kernels read \
            the tables after `storage` as weights, or overwrite these tables."
        readers: "Builds of ExecuTorch with legacy support check the index and the size when they prepare the method. \
            For an index out of range or a `storage` that is too short, these builds return InvalidArgument (0x12). \
            Default open-source builds of 1.3.0 and later reject all legacy programs at load time with InvalidProgram \
            (0x23). Releases 0.2 to 1.1 compared the sizes in the wrong direction; pytorch/executorch#16887 fixed the \
            comparison."
        source: "`Program::get_constant_buffer_data` and comments in ExecuTorch's `schema/program.fbs` state the rule. \
            The field `constant_buffer`, deprecated since September 2024, stores the constants of the earliest \
            programs. This project infers that `storage` is present, because without `storage` a reader has no address \
            to return."
        refs: ["P-11", "pytorch/executorch#16887", "pytorch/executorch#19007", "pytorch/executorch#19522"]
        cwe: ["CWE-130", "CWE-125"]
    }
    CONST_IMMUTABLE = "const-immutable", Must, Policy, Reader, Method, "constants" {
        "A reader ensures that no input, instruction or kernel of any method changes a program's constants."
        rationale: "All methods of a loaded program share its constants, so one write changes the model for every \
            later run. If the reader maps the constants read-only, the write terminates the process."
        readers: "Some readers do not prevent a write to a constant. In readers that map the constants read-only, the \
            write causes a fault."
        source: "The rule follows from ExecuTorch's `schema/program.fbs`. According to the schema, a tensor is a \
            constant if its `data_buffer_idx` is above 0 and it has no `allocation_info`. A file that uses a constant \
            as an input of a method breaks the rule `plan-inputs-nonconst`. The file does not contain the signatures \
            of operators, so it does not show which arguments an operator writes to."
        refs: ["S-13"]
    }
}

//! Rules about the constants of a program (chapter `constants` of the book).
//!
//! Current programs store them in `Program.constant_segment`, but legacy programs use `Program.constant_buffer`.

rules! {
    CONST_ONE_HOME = "const-one-home", Must, Text, File, Meta, "constants" {
        "A program whose `constant_segment` has more than one offset MUST NOT have entries in `constant_buffer`."
        rationale: "Otherwise, a `data_buffer_idx` of 1 selects two different constants, so a model may be inspected \
            with some weights in one reader and run with others in another. ExecuTorch returns InvalidProgram (0x23) \
            when it loads the program, at both verification levels; a reader without this check uses the segment."
        source: "Comments in ExecuTorch's `schema/program.fbs` forbid constants in both, and `Program::load` checks \
            this. If the only offset is the placeholder, see `const-placeholder-alone`."
        refs: ["P-10"]
        cwe: ["CWE-436"]
    }
    CONST_PLACEHOLDER_ALONE = "const-placeholder-alone", Should, Text, File, Meta, "constants" {
        "A program whose `constant_segment` has exactly one offset SHOULD NOT have entries in `constant_buffer`."
        rationale: "The single offset is the placeholder, so all constants are in `constant_buffer`, which not every \
            reader supports. ExecuTorch loads the program, but default builds of 1.3.0 and later return InvalidProgram \
            (0x23) when they prepare a method with constants."
        source: "A comment in ExecuTorch's `schema/program.fbs` requires an empty `constant_buffer` if `offsets` is \
            not empty, but `Program::load` checks this only for two or more offsets."
        refs: ["P-10"]
        cwe: ["CWE-436"]
    }
    CONST_OFFSETS_PLACEHOLDER = "const-offsets-placeholder", May, Loader, File, Meta, "constants" {
        "A reader MAY reject a program whose `constant_segment` has no offsets, not even the placeholder at index 0."
        rationale: "If there are no offsets, ExecuTorch treats the program as legacy and looks in `constant_buffer`. \
            Default builds of 1.3.0 and later reject the program with InvalidProgram (0x23), even if it has no \
            constants. An absent `constant_segment` does not break the rule, because the earliest programs lack it."
        source: "The exporters of 0.2 and 0.3 wrote an empty list for every model without constants; since then, the \
            emitter begins the list with an empty buffer."
        refs: ["P-11", "pytorch/executorch#19522"]
        cwe: ["CWE-436"]
    }
    CONST_OFFSETS0_ZERO = "const-offsets0-zero", Should, Writer, File, Method, "constants" {
        "`constant_segment.offsets[0]`, the placeholder, SHOULD be 0."
        rationale: "No tensor uses the placeholder, so any other value is 8 bytes of hidden data. ExecuTorch's Python \
            reader splits the segment at the listed offsets, so the placeholder gets all bytes before the next one."
        source: "The official serializer writes 0 for both the placeholder and the first constant."
    }
    CONST_SEG_INDEX = "const-seg-index", Must, Loader, File, Meta, "constants" {
        "If `constant_segment.offsets` has more than one entry, `constant_segment.segment_index` MUST be below the \
            number of segments."
        rationale: "If an index past the segment table is not rejected, the bytes after the table decide where all \
            constants begin. ExecuTorch returns InvalidProgram (0x23) when it loads the program, at both verification \
            levels. Its Python reader raises ValueError, even if the placeholder is the only offset."
        source: "`Program::load` checks the index. If the placeholder is the only offset, there are no constants, and \
            any `segment_index` is valid."
        refs: ["S-02"]
        cwe: ["CWE-129", "CWE-125"]
    }
    CONST_BUFFER_IDX = "const-buffer-idx", Must, Loader, File, Method, "constants" {
        "A constant tensor's `data_buffer_idx` MUST be below the number of entries in `constant_segment.offsets`, \
            unless the program stores constants in `constant_buffer`."
        rationale: "If the index is past the end of `offsets`, the reader uses the bytes after it as an offset, so the \
            file's author chooses where the weights begin. ExecuTorch returns InvalidArgument (0x12) when it prepares \
            the method, at both verification levels."
        source: "`Program::get_constant_buffer_data` checks the index. According to `schema/program.fbs`, index 0 \
            means that a tensor is not a constant."
        refs: ["S-03"]
        cwe: ["CWE-129", "CWE-125"]
    }
    CONST_OFFSET_BOUND = "const-offset-bound", Must, Loader, File, Method, "constants" {
        "The bytes of every constant tensor MUST begin and end within the constant segment."
        rationale: "Otherwise, kernels read other memory of the process as weights, and the outputs can disclose it. \
            ExecuTorch returns InvalidArgument (0x12) when it prepares the method and, since 1.3.0, also if offset \
            plus length wraps. A reader that splits the segment at the offsets silently gets too few bytes."
        source: "`Program::get_constant_buffer_data` checks the range. A tensor without elements may begin at the end \
            of the segment."
        refs: ["S-01", "S-11", "pytorch/executorch#18662"]
        cwe: ["CWE-130", "CWE-125"]
    }
    CONST_OFFSET_UNUSED = "const-offset-unused", Should, Writer, File, Method, "constants" {
        "An entry in `constant_segment.offsets` that no tensor uses SHOULD be at most the constant segment's `size`."
        rationale: "No constant begins past the segment's end, and a reader that splits the segment at the listed \
            offsets reads past it. ExecuTorch's C++ reader checks only used offsets (`const-offset-bound`)."
        source: "The official serializer computes each offset as the total length of all preceding constants and their \
            padding."
        refs: ["S-01"]
    }
    CONST_OFFSET_NEXT = "const-offset-next", Should, Writer, File, Method, "constants" {
        "A constant tensor's bytes SHOULD end at or before the next entry in `constant_segment.offsets`, unless the \
            tensor's own entry is the last one."
        rationale: "Otherwise, two weights share bytes, and readers disagree about the length of the first. \
            ExecuTorch's Python reader ends a constant at the next offset, but the C++ reader uses the tensor's size \
            and checks only the end of the segment."
        source: "The official serializer writes constants one after another, with padding. Tensors share a constant \
            only by having the same `data_buffer_idx`."
    }
    CONST_OFFSETS_SORTED = "const-offsets-sorted", Should, Writer, File, Method, "constants" {
        "`constant_segment.offsets` SHOULD be in ascending order; equal entries are allowed."
        rationale: "ExecuTorch's Python reader ends each constant at the next offset, so if the next one is lower, it \
            silently truncates the constant. The C++ reader looks up single entries, so the order is irrelevant."
        source: "The official serializer adds up lengths and padding, so its offsets never decrease, although \
            `schema/program.fbs` does not require an order."
    }
    CONST_OFFSET_ALIGNED = "const-offset-aligned", Should, Text, File, Method, "constants" {
        "Every entry in `constant_segment.offsets` SHOULD be a multiple of 16."
        rationale: "ExecuTorch passes a constant's address to kernels unchecked. Loading a float from an odd address \
            is undefined behavior in C++, faults on some processors, and breaks vectorized kernels that assume \
            alignment. No reader checks this."
        source: "A comment in ExecuTorch's `schema/program.fbs` requires multiples of the tensor alignment, which is \
            16 by default and not recorded in the file."
        refs: ["S-12"]
    }
    CONST_PADDING_ZERO = "const-padding-zero", Should, Writer, File, Data, "constants" {
        "Padding of fewer than 256 bytes between the end of a constant and the next offset SHOULD consist of zero \
            bytes."
        rationale: "Nonzero bytes are data that no tensor uses, and they make exports of the same model differ. No \
            reader checks the padding; ExecuTorch's Python reader treats it as part of the constant before it."
        source: "The official serializer pads every constant except the last with zeros, up to the tensor alignment. A \
            gap of 256 bytes or more may be an unused constant."
        refs: ["H-15"]
    }
    CONST_USED = "const-used", May, Policy, File, Method, "constants" {
        "`constant_segment` MAY contain constants of at least 64 bytes that no tensor uses, but each costs memory."
        rationale: "An unused constant is downloaded, stored and mapped for nothing. Often, weights are left behind \
            although a backend or a data file now provides them. ExecuTorch looks up constants only for tensors that \
            use them."
        source: "The official emitter adds a constant when it emits a tensor that uses it. Smaller constants are not \
            worth a note. For this rule, a constant extends to the next offset."
        refs: ["pytorch/executorch#12960"]
    }
    CONST_DISTINCT = "const-distinct", May, Policy, File, Data, "constants" {
        "Two constants of at least 64 bytes in `constant_segment` MAY have the same bytes, although \
            a single copy would be enough."
        rationale: "Equal constants, such as tied weights that were separated during export, are stored twice although \
            they could share one `data_buffer_idx`. No reader compares constants."
        source: "The official emitter gives tensors with the same bytes one `data_buffer_idx`. `check` compares \
            constants of equal size, starting with the largest, and reads at most 1 MiB in total."
        refs: ["pytorch/executorch#16087"]
    }
    CONST_ZERO_SIZE_SEGMENT = "const-zero-size-segment", Must, Writer, Reader, Method, "constants" {
        "A reader MUST accept a constant segment of size 0 with several offsets, and give each of its constants 0 \
            bytes."
        rationale: "Official writers write such a segment if none of the constants has any elements. A reader that \
            treats it as absent looks in `constant_buffer` instead and rejects a valid program."
        source: "The official serializer adds a segment for every list of constants, even if they have no bytes."
    }
    CONST_BUFFER_LEGACY = "const-buffer-legacy", Must, Text, File, Method, "constants" {
        "In a program with `constant_buffer`, a constant tensor's `data_buffer_idx` MUST select an entry whose \
            `storage` is at least as long as the tensor."
        rationale: "If `storage` is too short, kernels read or overwrite the tables after it. ExecuTorch builds with \
            legacy support return InvalidArgument (0x12) when they prepare the method, but 0.2 to 1.1 compared the \
            sizes the wrong way around (pytorch/executorch#16887). Default builds of 1.3.0 and later reject every \
            legacy program with InvalidProgram (0x23)."
        source: "`Program::get_constant_buffer_data` checks the size. Comments in ExecuTorch's `schema/program.fbs` \
            deprecate the field. If `storage` is absent, there is no address to return."
        refs: ["P-11", "pytorch/executorch#16887", "pytorch/executorch#19007", "pytorch/executorch#19522"]
        cwe: ["CWE-130", "CWE-125"]
    }
    CONST_IMMUTABLE = "const-immutable", Must, Policy, Reader, Method, "constants" {
        "A reader MUST ensure that no input, instruction or kernel of any method changes a program's constants."
        rationale: "All methods share the constants, so one write changes the model for every later run, or crashes \
            the process if they are mapped read-only. `check` finds only some violations, such as a constant as an \
            input (`plan-inputs-nonconst`), because files do not say which arguments an operator writes."
        source: "ExecuTorch's `schema/program.fbs` defines a tensor as constant if its `data_buffer_idx` is above 0 \
            and it has no `allocation_info`."
        refs: ["S-13"]
    }
}

//! Patterns of the header (H), the FlatBuffer (F), embedded content (E) and differing readers (Y).

patterns! {
    "H-01" = "File shorter than its header" {
        "The file ends inside the first 12 bytes of the FlatBuffer or inside the header. A careless reader reads the \
            header's fields from memory after the file."
        refs: ["pytorch/executorch#18597"]
    }
    "H-02" = "Wrong file identifier" {
        "Bytes 4 to 7 contain a value other than the identifier: an identifier with other digits, zeros, or the \
            identifier in reverse order. A careless reader parses the file with the wrong schema."
        refs: ["pytorch/executorch#2533"]
    }
    "H-03" = "Root offset out of range" {
        "The root offset is below 8, points into the header, or points past the end of the FlatBuffer. A careless \
            reader interprets arbitrary bytes as the root table."
        refs: ["pytorch/executorch#17129", "pytorch/executorch#18597", "pytorch/executorch#22118"]
    }
    "H-04" = "Header length below the minimum" {
        "The header's length is too small for its fields: below 24 in a program, or below 40 in a data file. A \
            careless reader uses fields that the header does not contain."
    }
    "H-05" = "Header without a complete `segment_data_size`" {
        "The header's length is 24 to 31, so `segment_data_size` is absent or incomplete. The length 24 is valid, \
            because releases before 1.0.0 write it. A careless reader rejects the length 24, or reads \
            `segment_data_size` from bytes that do not belong to the header."
        refs: ["pytorch/executorch#14320"]
    }
    "H-06" = "Header longer than known" {
        "The header's length is above 32, up to 2^32 - 1. A reader ignores unknown fields. If the declared header \
            extends past the start of the first table, the header includes bytes of the FlatBuffer."
    }
    "H-07" = "Program size out of range" {
        "`program_size` is 0, smaller than the header, larger than the file, or near 2^40. A careless reader uses an \
            empty buffer as the program, or reads past the end of the file."
    }
    "H-08" = "Segment base and size that wrap" {
        "`segment_base_offset + segment_data_size` is 2^64 or more. A careless reader computes the sum modulo 2^64, so \
            a comparison with the file's size passes."
        refs: ["pytorch/executorch#18662"]
    }
    "H-09" = "Truncated segment data" {
        "The file ends before `segment_base_offset + segment_data_size`. A careless reader loads the program and fails \
            when it reads the last weights."
        refs: ["pytorch/executorch#14092", "pytorch/executorch#14227"]
    }
    "H-10" = "Segment data size too small" {
        "`segment_data_size` is less than the end of the last segment, or is 0 although `segment_base_offset` is not \
            0. Readers disagree about segments that end past the declared size."
    }
    "H-11" = "Segment base inside the FlatBuffer" {
        "`segment_base_offset` is below the end of the FlatBuffer, or is 0 although there are segments. A careless \
            reader uses tables or header bytes as weights."
    }
    "H-12" = "Header magic with other digits" {
        "Bytes 8 to 11 are `eh` and digits other than `00`. A reader that treats the header as absent does not know \
            where the FlatBuffer ends and the segments begin."
    }
    "H-13" = "Unsupported schema version" {
        "`version` of the root table is above the highest known version. A careless reader parses fields whose meaning \
            has changed."
        refs: ["pytorch/executorch#22114", "pytorch/executorch#22117"]
    }
    "H-14" = "Bytes after the last segment" {
        "The file continues after the declared end of its data. No reader checks the trailing bytes, so these bytes \
            can contain a file of another format."
    }
    "H-15" = "Hidden bytes in padding" {
        "Padding contains bytes other than zero, or the file contains a ZIP archive or a pickle before or after the \
            program. A scanner that only follows the tables never reads the hidden bytes."
        refs: ["promptfoo/modelaudit#1545"]
    }
    "F-01" = "Internal offset of 0xFFFFFFFF" {
        "One uoffset inside the FlatBuffer is 0xFFFFFFFF. A careless reader follows the offset to memory outside the \
            buffer."
    }
    "F-02" = "Vtable offset out of range" {
        "A table's vtable offset points outside the buffer, or to bytes that are not a vtable. A careless reader uses \
            arbitrary bytes as field positions."
    }
    "F-03" = "Forged number of execution plans" {
        "`execution_plan` declares more elements than fit in the buffer. A careless reader follows offsets past the \
            end of the vector."
    }
    "F-04" = "Forged length of `values`, `chains` or `instructions`" {
        "`values`, `chains` or `instructions` declares more elements than fit in the buffer. A careless reader parses \
            tables at arbitrary positions."
    }
    "F-05" = "Forged length of `operators` or `args`" {
        "`operators`, or the `args` of a KernelCall or DelegateCall, declares more elements than fit in the buffer. A \
            careless reader uses unrelated bytes as value indices."
    }
    "F-06" = "Forged length of `delegates` or `compile_specs`" {
        "`delegates` or `compile_specs` declares more elements than fit in the buffer. A careless reader passes \
            pointers outside the file to a backend."
    }
    "F-07" = "Forged length of inline delegate data" {
        "`backend_delegate_data` or an inline blob declares a length of up to 2 GiB. A careless reader passes a range \
            that extends past the buffer to the backend."
    }
    "F-08" = "Forged length of `segments` or `named_data`" {
        "`segments` or `named_data` declares more elements than fit in the buffer. A careless reader uses unrelated \
            bytes as segment ranges and keys."
    }
    "F-09" = "Forged length of an offsets vector" {
        "`constant_segment.offsets`, or the `offsets` of an entry of `mutable_data_segments`, declares more elements \
            than fit in the buffer. A careless reader uses unrelated bytes as the position of a constant."
    }
    "F-10" = "Forged length of a vector of numbers" {
        "A vector of numbers declares more elements than fit in the buffer: `sizes`, `inputs`, `outputs`, \
            `non_const_buffer_sizes` or `non_const_buffer_device`. If a caller queries the method's metadata, a \
            careless reader reads past the buffer."
    }
    "F-11" = "Forged length of a list value" {
        "`items` of a TensorList, OptionalTensorList, IntList, BoolList or DoubleList declares more elements than fit \
            in the buffer. A careless reader copies memory after the buffer into the list."
    }
    "F-12" = "String at an arbitrary position" {
        "A string's offset points to bytes that are not a string, or the string has no NUL terminator. A careless \
            reader prints or compares memory up to the next zero byte."
    }
    "F-13" = "Misaligned vector, table or buffer" {
        "A vector or table starts at an offset that is misaligned for its element type, or the buffer itself is \
            misaligned. Direct access is undefined behavior in C++ and crashes on hosts with strict alignment."
        refs: ["tensorflow/tensorflow#121217"]
    }
    "F-14" = "Inconsistent union" {
        "A union has a tag without a value, a value without a tag, or an unknown tag. A FlatBuffers verifier accepts \
            unknown tags, so the application must reject unknown tags."
        refs: ["pytorch/executorch#1520"]
    }
    "F-15" = "FlatBuffer beyond a verifier's limits" {
        "The FlatBuffer has at least 2 GiB, more than 1,000,000 tables, tables that nest deeper than 64 levels, or \
            shared sub-tables that expand without limit. A careless reader runs out of stack, time or memory."
        refs: ["Samsung/ONE#13674"]
    }
    "E-01" = "Pickle bytes in a segment" {
        "A data segment contains the bytes of a pickle. ExecuTorch never unpickles the bytes, so a scanner that \
            searches for pickles reports a false positive."
    }
    "E-02" = "ZIP archive named `.pte`" {
        "The file is a ZIP archive with the extension of a program. A tool that chooses its parser by extension parses \
            the wrong format."
    }
    "E-03" = "Backdoor in valid instructions" {
        "A valid program changes its result when an input has a trigger value. Every table and number of the file is \
            correct."
        outside: "No rule covers the pattern, because the file is valid and only its computation shows the behavior."
    }
    "Y-01" = "Wrong identifier or header that a reader ignores" {
        "The identifier is wrong or the header is invalid, but a reader parses the file as a program without a header. \
            Different readers then use different bytes as segments."
    }
    "Y-02" = "Several mutable data segments" {
        "`mutable_data_segments` has more than one entry. Some readers reject the file, and other readers use only the \
            first entry."
    }
}

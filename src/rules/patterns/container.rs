//! Patterns of the header (H) and of the FlatBuffer's structure (F).

patterns! {
    "H-01" = "File shorter than its header" {
        "The file ends inside the first 12 bytes of the FlatBuffer or inside the header. A careless reader loads the \
            header's fields from memory after the file."
        refs: ["pytorch/executorch#18597"]
    }
    "H-02" = "Wrong file identifier" {
        "Bytes 4 to 7 are not the identifier: other digits, zeros, or the bytes in reverse order. A careless reader \
            parses the file with a schema that does not fit."
        refs: ["pytorch/executorch#2533"]
    }
    "H-03" = "Root offset out of range" {
        "The root offset is below 8, points into the header, or points past the end of the FlatBuffer. A careless \
            reader takes arbitrary bytes as the root table."
        refs: ["pytorch/executorch#17129", "pytorch/executorch#18597", "pytorch/executorch#22118"]
    }
    "H-04" = "Header length below the minimum" {
        "The header's length field is less than the fields need: below 24 in a program, below 40 in a data file. A \
            careless reader uses fields that the header does not contain."
    }
    "H-05" = "Header without `segment_data_size`" {
        "The header's length is 24, as releases before 1.0.0 write it, so the header has no `segment_data_size`. The \
            file is valid; a reader that requires 32 bytes rejects old programs."
        refs: ["pytorch/executorch#14320"]
    }
    "H-06" = "Header longer than known" {
        "The header's length is above 32, up to 2^32 - 1. A reader ignores the fields that it does not know, but a \
            length past the first table claims bytes of the FlatBuffer."
    }
    "H-07" = "Program size out of range" {
        "`program_size` is 0, smaller than the header, larger than the file, or near 2^40. A careless reader slices an \
            empty buffer or reads past the file."
    }
    "H-08" = "Segment base and size that wrap" {
        "`segment_base_offset + segment_data_size` is 2^64 or more. A careless reader adds them modulo 2^64, and its \
            comparison with the file's size passes."
        refs: ["pytorch/executorch#18662"]
    }
    "H-09" = "Truncated segment data" {
        "The file ends before `segment_base_offset + segment_data_size`. A careless reader loads the program and fails \
            when it reads the last weights."
        refs: ["pytorch/executorch#14092", "pytorch/executorch#14227"]
    }
    "H-10" = "Segment data size too small" {
        "`segment_data_size` is less than the end of the last segment, or is 0 while the base is not. Readers disagree \
            about segments that end past the declared size."
    }
    "H-11" = "Segment base inside the FlatBuffer" {
        "`segment_base_offset` is below the end of the FlatBuffer, or is 0 while there are segments. A careless reader \
            uses tables or header bytes as weights."
    }
    "H-12" = "Header magic with other digits" {
        "Bytes 8 to 11 are `eh` and digits other than `00`. A reader that treats the file as a program without a \
            header loses the base and the end of the FlatBuffer."
    }
    "H-13" = "Unsupported schema version" {
        "`version` of the root table is above the highest known version. A careless reader parses fields whose meaning \
            has changed."
        refs: ["pytorch/executorch#22114", "pytorch/executorch#22117"]
    }
    "H-14" = "Bytes after the last segment" {
        "The file continues after the declared end of its data. No reader checks these bytes, so they can hold a \
            second file format."
    }
    "H-15" = "Hidden bytes in padding" {
        "Padding or a gap contains bytes other than zero, or a ZIP archive or a pickle precedes or follows the \
            program. A scanner that only follows the tables never sees these bytes."
        refs: ["promptfoo/modelaudit#1545"]
    }
    "F-01" = "Offset of the highest value" {
        "One uoffset inside the FlatBuffer is 0xFFFFFFFF. A careless reader follows it to memory outside the buffer."
    }
    "F-02" = "Vtable offset out of range" {
        "A table's vtable offset leads outside the buffer, or to bytes that are no vtable. A careless reader takes \
            field positions from arbitrary bytes."
    }
    "F-03" = "Forged number of execution plans" {
        "The length of `execution_plan` exceeds the elements in the buffer. A careless reader follows offsets past the \
            end of the vector."
    }
    "F-04" = "Forged length of `values`, `chains` or `instructions`" {
        "One of these vectors claims more elements than fit in the buffer. A careless reader parses tables at \
            arbitrary positions."
    }
    "F-05" = "Forged length of `operators` or `args`" {
        "`operators`, or the `args` of a KernelCall or DelegateCall, claims more elements than fit in the buffer. A \
            careless reader takes value indices from other bytes."
    }
    "F-06" = "Forged length of `delegates` or `compile_specs`" {
        "One of these vectors claims more elements than fit in the buffer. A careless reader gives a backend pointers \
            outside the file."
    }
    "F-07" = "Forged length of inline delegate data" {
        "`backend_delegate_data` or an inline blob claims up to 2 GiB. A careless reader gives the backend a range \
            that extends past the buffer."
    }
    "F-08" = "Forged length of `segments` or `named_data`" {
        "One of these vectors claims more elements than fit in the buffer. A careless reader takes segment ranges and \
            keys from other bytes."
    }
    "F-09" = "Forged length of an offsets vector" {
        "`constant_segment.offsets`, or `offsets` of an entry of `mutable_data_segments`, claims more elements than \
            fit in the buffer. A careless reader takes the position of a constant from other bytes."
    }
    "F-10" = "Forged length of a vector of numbers" {
        "A Tensor's `sizes`, or a plan's `inputs`, `outputs`, `non_const_buffer_sizes` or `non_const_buffer_device`, \
            claims more elements than fit in the buffer. A careless reader of the method's metadata reads past the \
            buffer."
    }
    "F-11" = "Forged length of a list value" {
        "`items` of a TensorList, OptionalTensorList, IntList, BoolList or DoubleList claims more elements than fit in \
            the buffer. A careless reader copies memory after the buffer into the list."
    }
    "F-12" = "String at an arbitrary position" {
        "A string's offset leads to bytes that are no string, or the string has no NUL terminator. A careless reader \
            prints or compares memory up to the next zero byte."
    }
    "F-13" = "Misaligned vector, table or buffer" {
        "A vector or table starts at an offset that its element type does not allow, or the buffer itself is \
            misaligned. Direct access faults on strict hosts and is undefined behaviour in C++."
        refs: ["tensorflow/tensorflow#121217"]
    }
    "F-14" = "Inconsistent union" {
        "A union has a tag without a value, a value without a tag, or an unknown tag. A FlatBuffers verifier accepts \
            unknown tags, so the application must reject them."
        refs: ["pytorch/executorch#1520"]
    }
    "F-15" = "Tables beyond a verifier's limits" {
        "Tables nest deeper than 64, number more than 1,000,000, or share sub-tables so that the expanded size grows \
            without bound. A careless reader exhausts stack, time or memory."
        refs: ["Samsung/ONE#13674"]
    }
    "E-01" = "Pickle bytes in a segment" {
        "A data segment contains the bytes of a pickle. ExecuTorch never unpickles it, but a scanner that searches for \
            pickles reports a valid file."
    }
    "E-02" = "ZIP archive named `.pte`" {
        "The file is a ZIP archive with the extension of a program. A tool that chooses its parser by extension opens \
            the wrong format."
    }
    "E-03" = "Backdoor in valid instructions" {
        "A valid program changes its result when an input has a trigger value. Every table and number is correct."
        outside: "No rule: the file is valid, and the behaviour shows only in the computation."
    }
    "Y-01" = "Reader that skips the identifier and a bad header" {
        "The identifier is wrong or the header is invalid, and the reader parses the file as a program without a \
            header. Two readers then see different segments."
    }
    "Y-02" = "Several mutable data segments" {
        "`mutable_data_segments` has more than one entry. Readers disagree: some reject the file, others use the first \
            entry only."
    }
}

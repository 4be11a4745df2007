//! Patterns of the header (H), the FlatBuffer (F), embedded content (E) and differing readers (Y).

patterns! {
    "H-01" = "File shorter than its header" {
        "The file ends inside the first 12 bytes of the FlatBuffer or inside the header."
        refs: ["pytorch/executorch#18597"]
    }
    "H-02" = "Wrong file identifier" {
        "Bytes 4 to 7 are zeros, or contain the identifier with other digits or in reverse order."
        refs: ["pytorch/executorch#2533"]
    }
    "H-03" = "Root offset out of range" {
        "The root offset is below 8, points into the header, or points past the end of the FlatBuffer."
        refs: ["pytorch/executorch#17129", "pytorch/executorch#18597", "pytorch/executorch#22118"]
    }
    "H-04" = "Header length below the minimum" {
        "The header is too short for its fields: fewer than 24 bytes in a program, or fewer than 40 in a data file."
    }
    "H-05" = "Header without a complete `segment_data_size`" {
        "The length is 24 to 31, so `segment_data_size` is absent or incomplete. A length of 24 is valid, because \
            releases before 1.0.0 write it."
        refs: ["pytorch/executorch#14320"]
    }
    "H-06" = "Header longer than known" {
        "The header's length is above 32, up to 2^32 - 1, so the header can extend past the start of the first table."
    }
    "H-07" = "Program size out of range" {
        "`program_size` is 0, smaller than the header, larger than the file, or about 2^40."
    }
    "H-08" = "Segment base and size that wrap" {
        "`segment_base_offset + segment_data_size` is 2^64 or more."
        refs: ["pytorch/executorch#18662"]
    }
    "H-09" = "Truncated segment data" {
        "The file ends before `segment_base_offset + segment_data_size`."
        refs: ["pytorch/executorch#14092", "pytorch/executorch#14227"]
    }
    "H-10" = "Segment data size too small" {
        "`segment_data_size` is less than the end of the last segment, or it is 0 although there is a base. Readers \
            disagree about segments past that size."
    }
    "H-11" = "Segment base inside the FlatBuffer" {
        "`segment_base_offset` is below the end of the FlatBuffer, or 0 although there are segments."
    }
    "H-12" = "Header magic with other digits" {
        "Bytes 8 to 11 are `eh` and digits other than `00`."
    }
    "H-13" = "Unsupported schema version" {
        "The root table's `version` is above the highest known version."
        refs: ["pytorch/executorch#22114", "pytorch/executorch#22117"]
    }
    "H-14" = "Bytes after the last segment" {
        "The file continues after the declared end of its data, for example with a file in another format."
    }
    "H-15" = "Hidden bytes in padding" {
        "Padding is not zero, or a ZIP archive or a pickle precedes or follows the program. A scanner that follows \
            only the tables never sees the hidden bytes."
        refs: ["promptfoo/modelaudit#1545"]
    }
    "F-01" = "Internal offset of 0xFFFFFFFF" {
        "One offset inside the FlatBuffer is 0xFFFFFFFF."
    }
    "F-02" = "Vtable offset out of range" {
        "A table's vtable offset points outside the buffer, or to bytes that are not a vtable."
    }
    "F-03" = "Forged number of execution plans" {
        "`execution_plan` declares more elements than fit in the buffer."
    }
    "F-04" = "Forged length of `values`, `chains` or `instructions`" {
        "`values`, `chains` or `instructions` declares more elements than fit in the buffer."
    }
    "F-05" = "Forged length of `operators` or `args`" {
        "`operators`, or the `args` of a KernelCall or DelegateCall, declares more elements than fit in the buffer."
    }
    "F-06" = "Forged length of `delegates` or `compile_specs`" {
        "`delegates` or `compile_specs` declares more elements than fit in the buffer."
    }
    "F-07" = "Forged length of inline delegate data" {
        "`backend_delegate_data` or an inline blob claims to be up to 2 GiB long."
    }
    "F-08" = "Forged length of `segments` or `named_data`" {
        "`segments` or `named_data` declares more elements than fit in the buffer."
    }
    "F-09" = "Forged length of an offsets vector" {
        "`constant_segment.offsets`, or the `offsets` of an entry in `mutable_data_segments`, declares more elements \
            than fit in the buffer."
    }
    "F-10" = "Forged length of a vector of numbers" {
        "`sizes`, `inputs`, `outputs`, `non_const_buffer_sizes` or `non_const_buffer_device` declares more elements \
            than fit in the buffer, and a query for the method's metadata reads those elements."
    }
    "F-11" = "Forged length of a list value" {
        "`items` of a TensorList, OptionalTensorList, IntList, BoolList or DoubleList declares more elements than fit \
            in the buffer."
    }
    "F-12" = "String at an arbitrary position" {
        "A string's offset points to bytes that are not a string, or the string has no NUL terminator."
    }
    "F-13" = "Misaligned vector, table or buffer" {
        "A vector or table starts at an offset that is misaligned for its element type, or the buffer itself is \
            misaligned."
        refs: ["tensorflow/tensorflow#121217"]
    }
    "F-14" = "Inconsistent union" {
        "A union has a tag without a value, a value without a tag, or an unknown tag. Verifiers accept such a union."
        refs: ["pytorch/executorch#1520"]
    }
    "F-15" = "FlatBuffer beyond a verifier's limits" {
        "The FlatBuffer has at least 2 GiB, more than 1,000,000 tables, more than 64 levels, or shared sub-tables that \
            expand without limit."
        refs: ["Samsung/ONE#13674"]
    }
    "E-01" = "Pickle bytes in a segment" {
        "A data segment contains a pickle's bytes. ExecuTorch never unpickles these bytes, so if a pickle scanner \
            reports them, that is a false positive."
    }
    "E-02" = "ZIP archive named `.pte`" {
        "A ZIP archive has a program's extension, so a tool that goes by the extension parses the wrong format."
    }
    "E-03" = "Backdoor in valid instructions" {
        "A valid program changes its result when an input has a trigger value. Every table and number in the file is \
            correct."
        outside: "No rule covers this pattern, because only running the program shows the behavior."
    }
    "Y-01" = "Wrong identifier or header that a reader ignores" {
        "The identifier or the header is invalid, but a reader parses the file as a program without a header, so \
            different bytes become segments."
    }
    "Y-02" = "Several mutable data segments" {
        "`mutable_data_segments` has more than one entry. Some readers reject it, and others use only the first entry."
    }
}

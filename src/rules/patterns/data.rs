//! Patterns of segments and constants (S), data files (X) and bundled programs (B).

patterns! {
    "S-01" = "Constant outside its segment" {
        "A constant begins or ends past the end of the constant segment, or its offset plus its length wraps."
        refs: ["pytorch/executorch#16887", "pytorch/executorch#18662"]
    }
    "S-02" = "Constant segment index out of range" {
        "`constant_segment.segment_index` is not below the number of segments."
    }
    "S-03" = "Constant index out of range" {
        "A Tensor's `data_buffer_idx` is not below the number of constants."
        refs: ["pytorch/executorch#16887"]
    }
    "S-04" = "Segment beyond the file" {
        "A segment's `offset` is past the end of the file. Readers that check a segment only when they load it open \
            the file without an error."
    }
    "S-05" = "Segment offset that wraps" {
        "A segment's `offset` is near 2^64, so the sum of `segment_base_offset` and `offset` wraps."
        refs: ["pytorch/executorch#19268"]
    }
    "S-06" = "Segment size of 2^64 - 1" {
        "A segment's `size` is 2^64 - 1, so the sum of `offset` and `size` wraps."
        refs: ["pytorch/executorch#18676"]
    }
    "S-07" = "Overlapping, unsorted or misaligned segments" {
        "Segments overlap, are not in the order of their offsets, or are at offsets that are not multiples of the \
            writer's alignment."
    }
    "S-08" = "No segment table" {
        "`segments` is absent, although `segment_base_offset` is not 0 or a table refers to a segment."
        refs: ["pytorch/executorch#19916"]
    }
    "S-09" = "Initial state outside its segment" {
        "An entry in `mutable_data_segments` lacks `offsets`, has an index out of range, or has an offset and a size \
            whose sum wraps."
        refs: ["pytorch/executorch#19268"]
    }
    "S-10" = "Invalid named data" {
        "An entry of a program's `named_data` has a segment index out of range, lacks a key, or repeats another \
            entry's key."
    }
    "S-11" = "Segment smaller than its contents" {
        "A segment is smaller than the tensor or delegate that uses it."
    }
    "S-12" = "Constant misaligned for its type" {
        "A constant's offset is not a multiple of the constant's element width."
    }
    "S-13" = "Constant that an instruction writes" {
        "An instruction writes to a constant in place."
    }
    "X-01" = "Data file base and size that wrap" {
        "In a data file's header, `segment_base_offset + segment_data_size` is 2^64 or more."
    }
    "X-02" = "Data file FlatBuffer end that wraps" {
        "`flatbuffer_offset + flatbuffer_size` wraps or is past the end of the file."
        refs: ["pytorch/executorch#22118"]
    }
    "X-03" = "Data file root offset out of range" {
        "A data file's root offset points outside the FlatBuffer."
        refs: ["pytorch/executorch#22118"]
    }
    "X-04" = "Layout without `sizes` or `dim_order`" {
        "A `tensor_layout` has no `sizes` or no `dim_order`."
    }
    "X-05" = "Layout of an opaque blob" {
        "An entry in `named_data` has no `tensor_layout`, and a caller requests the layout. The file is valid, but the \
            request must fail."
    }
    "X-06" = "Named data without a key" {
        "An entry of a data file's `named_data` has an absent or empty `key`."
    }
    "X-07" = "Layout with vectors of different length" {
        "`sizes` and `dim_order` of a `tensor_layout` have different lengths."
    }
    "X-08" = "Tensor larger than its segment" {
        "A key's layout needs more bytes than its segment has."
    }
    "X-09" = "Data file segment out of range" {
        "A key's segment index is out of range, or the key's segment extends past the end of the file's data."
        refs: ["pytorch/executorch#19057", "pytorch/executorch#19860"]
    }
    "X-10" = "Overlapping segments or duplicate keys" {
        "A data file's segments overlap or are misaligned, or a key occurs twice in one file or across several."
    }
    "X-11" = "Negative size in a layout" {
        "An entry of a layout's `sizes` is negative."
        refs: ["pytorch/executorch#7870", "pytorch/executorch#19055"]
    }
    "X-12" = "Legacy data file layout" {
        "The file has the identifier, header and version of a data file, but the table slots of release 0.6.0."
    }
    "X-13" = "One changed word of a data file" {
        "A word in a valid data file has changed. If no verifier runs, a changed offset can lead out of the buffer."
    }
    "X-14" = "Copy into a buffer that is too small" {
        "A caller requests a key's bytes and supplies a buffer that is smaller than the tensor."
        outside: "No rule covers this pattern, because the buffer's size is a call argument, not part of the file."
    }
    "B-01" = "Bundled tensor larger than its data" {
        "A bundled Tensor's `sizes` need more bytes than `data` contains."
        refs: ["pytorch/executorch#17163"]
    }
    "B-02" = "Fewer bundled inputs than method inputs" {
        "A test case has fewer `inputs` than the method that it tests."
    }
    "B-03" = "Input file larger than the tensor" {
        "A runner copies an input file into a tensor that is smaller than the file."
        refs: ["pytorch/executorch#8233", "pytorch/executorch#16797"]
        outside: "No rule covers this pattern, because the input file is not in any of the formats."
    }
}

//! Patterns of segments and constants (S), data files (X) and bundled programs (B).

patterns! {
    "S-01" = "Constant outside its segment" {
        "A constant's offset, or its offset plus its bytes, is past the end of the constant segment, or wraps. A \
            careless reader gives kernels other memory as weights."
        refs: ["pytorch/executorch#16887", "pytorch/executorch#18662"]
    }
    "S-02" = "Constant segment index out of range" {
        "`constant_segment.segment_index` is not below the number of segments. A careless reader takes the segment's \
            range from other bytes."
    }
    "S-03" = "Constant index out of range" {
        "`data_buffer_idx` of a Tensor is not below the number of constants. A careless reader takes the constant's \
            offset from other bytes."
        refs: ["pytorch/executorch#16887"]
    }
    "S-04" = "Segment beyond the file" {
        "A segment's `offset` is past the end of the file. A reader that checks the range only when it loads the \
            segment first accepts the file."
    }
    "S-05" = "Segment offset that wraps" {
        "A segment's `offset` is near 2^64, so that base plus offset wraps. A careless reader returns the header's \
            bytes as data."
        refs: ["pytorch/executorch#19268"]
    }
    "S-06" = "Segment size of 2^64 - 1" {
        "A segment's `size` is the largest number, so that offset plus size wraps. A careless reader's comparison with \
            the end of the data passes."
        refs: ["pytorch/executorch#18676"]
    }
    "S-07" = "Overlapping, unsorted or misaligned segments" {
        "Segments share bytes, are not in the order of their offsets, or start at offsets that are not multiples of \
            the writer's alignment. Readers accept such files, but a change to one segment changes another."
    }
    "S-08" = "No segment table" {
        "`segments` is absent, although the base is not 0 or a table names a segment. A careless reader dereferences a \
            null pointer."
        refs: ["pytorch/executorch#19916"]
    }
    "S-09" = "Initial state outside its segment" {
        "An entry of `mutable_data_segments` has no `offsets`, an index out of range, or an offset plus size that \
            wraps. A careless reader copies other memory into the tensor."
        refs: ["pytorch/executorch#19268"]
    }
    "S-10" = "Invalid named data" {
        "An entry of a program's `named_data` has a segment index out of range, no key, or the key of another entry. A \
            careless reader returns the wrong bytes or dereferences a null pointer."
    }
    "S-11" = "Segment smaller than its user needs" {
        "The declared size of a segment is less than the tensor or delegate that uses it. A careless reader continues \
            into the bytes after the segment."
    }
    "S-12" = "Constant misaligned for its type" {
        "A constant's offset is not a multiple of the width of its elements. Kernels that read elements directly fault \
            on strict hosts."
    }
    "S-13" = "Constant that an instruction writes" {
        "An instruction writes to a constant in place. The write changes the constant for every method of the program, \
            or faults in a read-only mapping."
    }
    "X-01" = "Data file base and size that wrap" {
        "`segment_base_offset + segment_data_size` of a data file's header is 2^64 or more. A careless reader adds \
            them modulo 2^64, and its comparison with the file's size passes."
    }
    "X-02" = "Data file FlatBuffer end that wraps" {
        "`flatbuffer_offset + flatbuffer_size` wraps or is past the end of the file. A careless reader parses a buffer \
            that is too short."
        refs: ["pytorch/executorch#22118"]
    }
    "X-03" = "Data file root offset out of range" {
        "The root offset of a data file points outside the FlatBuffer. A careless reader takes arbitrary memory as the \
            root table."
        refs: ["pytorch/executorch#22118"]
    }
    "X-04" = "Layout without `sizes` or `dim_order`" {
        "A `tensor_layout` has no `sizes` or no `dim_order`. A careless reader dereferences a null pointer."
    }
    "X-05" = "Layout of an opaque blob" {
        "An entry of `named_data` has no `tensor_layout`, and a caller requests the layout. The file is valid; a \
            careless reader dereferences a null pointer instead of returning an error."
    }
    "X-06" = "Named data without a key" {
        "An entry of a data file's `named_data` has no `key`, or an empty `key`. A careless reader compares a null \
            pointer with the requested key."
    }
    "X-07" = "Layout with vectors of different length" {
        "`sizes` and `dim_order` of a `tensor_layout` have different lengths. A careless reader takes the rank from \
            one vector and reads past the end of the other."
    }
    "X-08" = "Tensor larger than its segment" {
        "The layout of a key needs more bytes than the key's segment has. A careless reader builds a tensor over \
            memory after the segment."
    }
    "X-09" = "Data file segment out of range" {
        "A key's segment index is out of range, or its segment extends past the data. A careless reader returns bytes \
            from elsewhere."
        refs: ["pytorch/executorch#19057", "pytorch/executorch#19860"]
    }
    "X-10" = "Overlapping segments or duplicate keys" {
        "Segments of a data file overlap or are misaligned, or a key occurs twice, in one file or in several files. \
            Which bytes a program gets depends on the reader."
    }
    "X-11" = "Negative size in a layout" {
        "An entry of a layout's `sizes` is negative. A careless reader converts it to a very large number, or \
            multiplies it into a small product."
        refs: ["pytorch/executorch#7870", "pytorch/executorch#19055"]
    }
    "X-12" = "Legacy data file layout" {
        "The file has the identifier, header and version of a data file, but the table slots of release 0.6.0. A \
            careless reader uses an alignment as an offset and tensors as segments."
    }
    "X-13" = "One changed word of a data file" {
        "One word of a valid data file has another value. If the word is an offset, a reader without a verifier \
            follows it out of the buffer."
    }
    "X-14" = "Copy into a buffer that is too small" {
        "A caller requests a key's bytes and gives a buffer that is smaller than the tensor. A careless reader writes \
            past the end of the buffer."
        outside: "No rule: the size of the caller's buffer is an argument of a call, not a part of the file."
    }
    "B-01" = "Bundled tensor larger than its data" {
        "A bundled Tensor's sizes need more bytes than its `data` has. A careless reader copies memory after the \
            vector into the model's input."
        refs: ["pytorch/executorch#17163"]
    }
    "B-02" = "Fewer bundled inputs than method inputs" {
        "A test case has fewer `inputs` than its method. A careless reader reads past the end of the vector."
    }
    "B-03" = "Input file larger than the tensor" {
        "A runner copies the bytes of an input file into a tensor that is smaller. The program is valid, and a \
            careless runner writes past the tensor."
        refs: ["pytorch/executorch#8233", "pytorch/executorch#16797"]
        outside: "No rule: the input file is outside the formats."
    }
}

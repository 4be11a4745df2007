//! Rules of the legacy layout of `FlatTensor`, which ExecuTorch 0.6.0 writes.
//!
//! It has the identifier, header magic and version of the current layout, but other slots: `tensor_alignment` and
//! `tensors` precede `segments` and `named_data`. The rules of [`flat_tensor`](super::flat_tensor) apply to the segment
//! table, the named data and the version. The rules of [`ptd_header`](super::ptd_header) apply to the header.

rules! {
    PTDB_DETECT = "ptdB-detect", Must, Reader, Structure, "legacy-flat-tensor" {
        "A reader uses slot 1 of `FlatTensor` to select the layout, and reads every slot by that layout: an inline \
            `u32` is legacy, an offset to a vector of tables is current."
        why: "A reader with the wrong schema uses an alignment as an offset and tensors as segments. A look-up then \
            follows arbitrary numbers."
        readers: "ExecuTorch 0.6.0 reads only the legacy layout, and later releases read only the current layout. Some \
            readers do not detect which of the two layouts a file has. A verifier for the current schema rejects a \
            legacy file. An alignment is rarely a valid offset, and a tensor is no valid entry of `named_data`."
        source: "The history of `flat_tensor.fbs`, which changed between 0.6.0 and 0.7.0. Both layouts have `FT01`, \
            `FH01` and version 0, so only the structure differs."
        refs: ["X-12"]
        cwe: ["CWE-843"]
    }
    PTDB_ALIGNMENT = "ptdB-alignment", Should, File, Meta, "legacy-flat-tensor" {
        "`tensor_alignment` is a power of two, so it is not 0."
        why: "A reader that maps the file may use the field as a divisor. A value of 0 guarantees nothing, and a \
            division by 0 traps."
        readers: "No reader checks the rule."
        source: "The 0.6.0 writers write 16 by default. The rule is a SHOULD because no reader uses the field. Where \
            the field is 0, the checker skips `ptdB-offset-aligned`."
        refs: ["X-12"]
    }
    PTDB_FQN = "ptdB-fqn", Must, File, Data, "legacy-flat-tensor" {
        "Every entry of `tensors` has a `fully_qualified_name`."
        why: "A look-up compares the name of each entry up to the match. A reader that meets an absent name \
            dereferences a null pointer in every look-up of a later entry."
        readers: "A verifier accepts the absence, and some readers compare the name without a check for its absence."
        source: "Inferred from the look-ups, which scan the entries in order. The schema requires no field, so this \
            rule states the presence."
        refs: ["X-06", "X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_FQN_UNIQUE = "ptdB-fqn-unique", Must, File, Data, "legacy-flat-tensor" {
        "No two entries of `tensors` have the same `fully_qualified_name`."
        why: "Which of the two tensors a program gets depends on the reader. A file can show one set of weights to a \
            scanner and another set to the device."
        readers: "The 0.6.0 reader compares with `strcmp` and returns the first match. A reader that builds a map of \
            the names keeps the last."
        source: "The schema calls the name the unique id that connects data and program, and both writers take the \
            tensors from a map."
        refs: ["X-10", "X-12"]
        cwe: ["CWE-694", "CWE-436"]
    }
    PTDB_LISTS_NONNULL = "ptdB-lists-nonnull", Must, File, Meta, "legacy-flat-tensor" {
        "`tensors` and `segments` are both present; they may be empty, and `named_data` may be absent."
        why: "A look-up reads the length of `tensors` and indexes `segments`. A careless reader dereferences a null \
            pointer where one of the two lists is absent."
        readers: "The 0.6.0 reader rejects a look-up without `segments` with InvalidExternalData (0x24). Some readers \
            do not check for both."
        source: "A look-up needs both, and the 0.6.0 writers always write both. `named_data` joined the schema later, \
            and the 0.6.0 C++ writer omits it."
        refs: ["X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_LAYOUT_SCALAR = "ptdB-layout-scalar", Must, File, Meta, "legacy-flat-tensor" {
        "`scalar_type` of an entry of `tensors` is one of 0 to 29."
        why: "A reader looks up the width of an element by this number. For an unknown number it stops in an assertion \
            or reads past its table."
        readers: "Some readers do not check the type before they look up the width."
        source: "As `ft-layout-scalar`: these are the types whose width the runtime knows."
        refs: ["T-10", "T-11", "X-12"]
        cwe: ["CWE-617"]
    }
    PTDB_LAYOUT_SIZES = "ptdB-layout-sizes", Must, File, Meta, "legacy-flat-tensor" {
        "Every entry of `tensors` has `sizes`; a tensor of rank 0 has an empty vector."
        why: "The rank and every size come from this vector. A careless reader dereferences a null pointer where the \
            vector is absent."
        readers: "A verifier accepts the absence, and some readers do not check for the vector before they read its \
            length."
        source: "As `ft-layout-sizes`. The 0.6.0 writers write it for every tensor, empty for rank 0."
        refs: ["X-04", "X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_LAYOUT_DIMORDER = "ptdB-layout-dimorder", Must, File, Meta, "legacy-flat-tensor" {
        "Every entry of `tensors` has a `dim_order`; a tensor of rank 0 has an empty vector."
        why: "The vector states the order of the dimensions in memory. Where the vector is absent, a careless reader \
            dereferences a null pointer to get one entry for each size."
        readers: "A verifier accepts the absence, and some readers do not check for the vector before they read its \
            entries."
        source: "As `ft-layout-dimorder`. The 0.6.0 writers write it for every tensor, empty for rank 0."
        refs: ["X-04", "X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_LAYOUT_RANK = "ptdB-layout-rank", Must, File, Meta, "legacy-flat-tensor" {
        "`sizes` and `dim_order` of an entry of `tensors` have the same length, at most 16."
        why: "A careless reader reads past the end of a shorter `dim_order`. More than 16 dimensions overflow arrays \
            of fixed size in the runtime and its kernels."
        readers: "ExecuTorch's `TensorLayout::create` rejects different lengths with InvalidArgument (0x12). A reader \
            that builds both views with the length of `sizes` never notices the difference."
        source: "As `ft-layout-rank`: 16 is the runtime's `kTensorDimensionLimit`, which readers enforce for programs \
            only after 0.6.0."
        refs: ["X-07", "T-08", "X-12", "CVE-2025-54951", "GHSA-xc7w-r669-48pf", "pytorch/executorch#12684"]
        cwe: ["CWE-129", "CWE-787"]
    }
    PTDB_LAYOUT_PERM = "ptdB-layout-perm", Must, File, Meta, "legacy-flat-tensor" {
        "`dim_order` of an entry of `tensors` contains each number from 0 to rank - 1 exactly once."
        why: "Only a permutation gives every element its own place. With a repeated number, some elements share bytes \
            and no element uses others."
        readers: "ExecuTorch's `TensorLayout::create` rejects numbers outside that range with InvalidArgument (0x12). \
            Some readers do not check for repeated numbers."
        source: "As `ft-layout-perm`: the schema calls it an order of all dimensions."
        refs: ["T-07", "X-12"]
        cwe: ["CWE-129", "CWE-787"]
    }
    PTDB_LAYOUT_SIZES_NONNEG = "ptdB-layout-sizes-nonneg", Must, File, Meta, "legacy-flat-tensor" {
        "No entry of a tensor's `sizes` is negative."
        why: "Converted to unsigned, a negative size is very large. In a signed product, it can give any small number \
            of bytes."
        readers: "ExecuTorch's `TensorLayout::create` returns InvalidArgument (0x12), in 0.6.0 as well."
        source: "As `ft-layout-sizes-nonneg`: the schema's type is a signed `i32`."
        refs: ["X-11", "X-12", "pytorch/executorch#7870"]
        cwe: ["CWE-195", "CWE-190"]
    }
    PTDB_LAYOUT_NBYTES = "ptdB-layout-nbytes", Must, File, Meta, "legacy-flat-tensor" {
        "The product of a tensor's `sizes` (0 if any size is 0) is below 2^63, and the product times the scalar type's \
            width is below 2^64."
        why: "If the product wraps, a check uses a small number, and kernels use the large sizes."
        readers: "The 0.6.0 reader loads as many bytes of a tensor as this product gives. ExecuTorch rejects both \
            overflows with InvalidArgument (0x12) since 1.3.0, in releases that no longer read this layout."
        source: "As `ft-layout-nbytes`, which gives the reason for the bounds."
        refs: [
            "T-02", "T-03", "X-12", "CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217",
            "pytorch/executorch#19055",
        ]
        cwe: ["CWE-190"]
    }
    PTDB_SEG_INDEX = "ptdB-seg-index", Must, File, Data, "legacy-flat-tensor" {
        "The `segment_index` of an entry of `tensors` is below the number of segments."
        why: "With an index past the table, a careless reader takes the segment's offset from other bytes."
        readers: "The 0.6.0 reader rejects the look-up with InvalidExternalData (0x24)."
        source: "`get_and_check_segment_offset` in `flat_tensor_data_map.cpp` of 0.6.0. The schema's type is `u32`, so \
            a verifier accepts any index."
        refs: ["X-09", "X-12"]
        cwe: ["CWE-129", "CWE-125"]
    }
    PTDB_OFFSET = "ptdB-offset", Must, File, Data, "legacy-flat-tensor" {
        "A tensor's `offset` plus its number of bytes, added without wrapping, is at most the `size` of its segment."
        why: "A tensor past the segment's end covers bytes of another segment, bytes appended to the file, or memory \
            after the loaded range."
        readers: "ExecuTorch's data loaders reject a range past the end of the file with InvalidArgument (0x12). Some \
            readers do not compare a tensor with its segment."
        source: "The schema's comment on `offset`: a tensor's position is `segment_base_offset`, plus the segment's \
            `offset`, plus its own. This project infers that the tensor ends inside the segment."
        refs: ["X-08", "X-09", "X-12"]
        cwe: ["CWE-190", "CWE-125"]
    }
    PTDB_OFFSET_ALIGNED = "ptdB-offset-aligned", Must, File, Data, "legacy-flat-tensor" {
        "A tensor's `offset` is a multiple of `tensor_alignment`, unless `tensor_alignment` is 0."
        why: "The schema guarantees the alignment to readers that map the file. A kernel that depends on it faults on \
            a misaligned tensor."
        readers: "Some readers do not check the rule; a reader that copies does not need the alignment."
        source: "The comment on `tensor_alignment` in the 0.6.0 schema, and both 0.6.0 writers, which pad each tensor \
            to this alignment. The rule is a MUST because the file itself states the number."
        refs: ["X-12"]
    }
    PTDB_DEDUP = "ptdB-dedup", Must, Reader, Data, "legacy-flat-tensor" {
        "A reader accepts several tensors at the same `segment_index` and `offset`, and returns the same bytes for \
            each."
        why: "The official writer stores equal tensors once. A reader that expects one name for each place rejects \
            that writer's files."
        readers: "The 0.6.0 reader accepts such tensors, because it looks up each name separately."
        source: "`_extract_tensors` in `serialize.py` of 0.6.0, which gives tensors of one buffer the same offset."
        refs: ["X-12"]
    }
    PTDB_ONE_SEGMENT = "ptdB-one-segment", Should, File, Data, "legacy-flat-tensor" {
        "Every tensor's `segment_index` is 0, and every entry of `named_data` has a `segment_index` of at least 1."
        why: "A tool that rewrites the data, or finds the tensors by the first segment alone, may depend on this \
            placement."
        readers: "No reader depends on this placement, because each tensor names its segment."
        source: "The 0.6.0 writers put all tensors into the first segment, and any blobs into the segments after it."
        refs: ["X-12"]
    }
}

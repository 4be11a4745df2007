//! The legacy layout of `FlatTensor`, which ExecuTorch 0.6.0 writes.
//!
//! The legacy layout has the same identifier, header magic and version as the current layout, but the slots of
//! `FlatTensor` differ. In the legacy layout, `tensor_alignment` and `tensors` precede `segments` and `named_data`. The
//! rules in [`flat_tensor`](super::flat_tensor) also apply to the segment table, the named data and the version of a
//! legacy file. The rules in [`ptd_header`](super::ptd_header) also apply to the header of a legacy file.

rules! {
    PTDB_DETECT = "ptdb-detect", Must, Text, Reader, Structure, "legacy-flat-tensor" {
        "A reader selects the layout by slot 1 of `FlatTensor`: an inline `u32` in the legacy layout, or a vector \
            offset in the current layout."
        rationale: "A reader that applies the wrong layout interprets an alignment as an offset, and tensors as \
            entries of `named_data`. When the reader then looks up a name, it follows arbitrary offsets."
        readers: "ExecuTorch 0.6.0 reads only the legacy layout, and later releases read only the current layout. Some \
            readers do not detect the layout of a file. A FlatBuffers verifier for the current layout rejects a legacy \
            file. The value of `tensor_alignment` is rarely a valid offset, and a legacy tensor is not a valid entry \
            of `named_data`."
        source: "ExecuTorch's `flat_tensor.fbs` changed between 0.6.0 and 0.7.0. Both layouts have the identifier \
            `FT01`, the header magic `FH01` and version 0, so only the structure of `FlatTensor` distinguishes the \
            layouts."
        refs: ["X-12"]
        cwe: ["CWE-843"]
    }
    PTDB_ALIGNMENT = "ptdb-alignment", Should, Writer, File, Meta, "legacy-flat-tensor" {
        "`tensor_alignment` is a power of two, and therefore not 0."
        rationale: "A reader that maps the file can divide by `tensor_alignment`, and a division by 0 causes a fault. \
            An alignment of 0 also does not state how the tensors are aligned."
        readers: "No reader checks the rule."
        source: "The writers of ExecuTorch 0.6.0 write 16 by default. The rule's strength is `should` because no \
            reader uses the field. If `tensor_alignment` is 0, the checker skips the rule `ptdb-offset-aligned`."
        refs: ["X-12"]
    }
    PTDB_FQN = "ptdb-fqn", Must, Policy, File, Data, "legacy-flat-tensor" {
        "Every entry of `tensors` has a `fully_qualified_name`."
        rationale: "During a look-up, a reader compares the name of each entry until one name matches. For an entry \
            without a name, a careless reader dereferences a null pointer."
        readers: "A FlatBuffers verifier accepts an absent name, and some readers compare a name without a check that \
            the name is present."
        source: "The rule follows from the look-ups, which scan the entries in order. The `flat_tensor.fbs` of 0.6.0 \
            marks no field as required."
        refs: ["X-06", "X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_FQN_UNIQUE = "ptdb-fqn-unique", Must, Text, File, Data, "legacy-flat-tensor" {
        "No two entries of `tensors` have the same `fully_qualified_name`."
        rationale: "If two entries have the same name, readers can return different tensors for the name. A scanner \
            can then inspect harmless weights while the device loads malicious weights."
        readers: "The reader of ExecuTorch 0.6.0 compares names with `strcmp` and returns the first match. A reader \
            that builds a map of the names keeps the last entry."
        source: "A comment in the `flat_tensor.fbs` of 0.6.0 describes the name as the unique id that connects data \
            and program. Both 0.6.0 writers create the entries from a map, so names are unique."
        refs: ["X-10", "X-12"]
        cwe: ["CWE-694", "CWE-436"]
    }
    PTDB_NAME_ONE_LIST = "ptdb-name-one-list", May, Policy, File, Data, "legacy-flat-tensor" {
        "No name is both the `fully_qualified_name` of an entry of `tensors` and the `key` of an entry of `named_data`."
        rationale: "If a name is in `tensors` and in `named_data`, a reader returns either the tensor or the blob. The \
            result depends on which list the reader searches first."
        readers: "The reader of ExecuTorch 0.6.0 searches the two lists separately and does not compare them."
        source: "In the `flat_tensor.fbs` of 0.6.0, the names in the two lists are independent. No text forbids a name \
            that occurs in both lists, so the rule's strength is `may`."
        refs: ["X-10", "X-12"]
        cwe: ["CWE-436"]
    }
    PTDB_LISTS_NONNULL = "ptdb-lists-nonnull", Must, Loader, File, Meta, "legacy-flat-tensor" {
        "`tensors` and `segments` are both present and may be empty; `named_data` may be absent."
        rationale: "To look up a tensor, a reader reads the length of `tensors` and accesses an entry of `segments`. \
            If `tensors` or `segments` is absent, a careless reader dereferences a null pointer."
        readers: "If `segments` is absent, the reader of ExecuTorch 0.6.0 rejects a look-up with InvalidExternalData \
            (0x24). Some readers do not check that `tensors` and `segments` are present."
        source: "A look-up needs `tensors` and `segments`, and the 0.6.0 writers always write both lists. The 0.6.0 \
            C++ writer omits `named_data`, a later addition to `flat_tensor.fbs`."
        refs: ["X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_LAYOUT_SCALAR = "ptdb-layout-scalar", Must, Policy, File, Meta, "legacy-flat-tensor" {
        "`scalar_type` of an entry of `tensors` is a number from 0 to 29."
        rationale: "A reader looks up the width of an element by the scalar type. For an unknown type, a careless \
            reader fails an assertion or reads past the table of widths."
        readers: "Some readers do not check the type before they look up the width."
        source: "The runtime has a width for each of the types 0 to 29, as the rule `ft-layout-scalar` explains."
        refs: ["T-10", "T-11", "X-12"]
        cwe: ["CWE-617"]
    }
    PTDB_LAYOUT_SIZES = "ptdb-layout-sizes", Must, Policy, File, Meta, "legacy-flat-tensor" {
        "Every entry of `tensors` has `sizes`; for a tensor of rank 0, `sizes` is an empty vector."
        rationale: "A reader gets the rank and every size from the vector `sizes`. If the vector is absent, a careless \
            reader dereferences a null pointer."
        readers: "A FlatBuffers verifier accepts absent `sizes`, and some readers read the length of `sizes` without \
            a check that `sizes` is present."
        source: "The rule corresponds to the rule for the current layout, `ft-layout-sizes`. The writers of ExecuTorch \
            0.6.0 write the vector for every tensor, and write an empty vector for rank 0."
        refs: ["X-04", "X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_LAYOUT_DIMORDER = "ptdb-layout-dimorder", Must, Policy, File, Meta, "legacy-flat-tensor" {
        "Every entry of `tensors` has a `dim_order`; for a tensor of rank 0, `dim_order` is an empty vector."
        rationale: "The vector `dim_order` states the order of the dimensions in memory. If the vector is absent, a \
            careless reader dereferences a null pointer."
        readers: "A FlatBuffers verifier accepts an absent `dim_order`, and some readers read `dim_order` without a \
            check that `dim_order` is present."
        source: "The rule corresponds to the rule for the current layout, `ft-layout-dimorder`. The writers of \
            ExecuTorch 0.6.0 write the vector for every tensor, and write an empty vector for rank 0."
        refs: ["X-04", "X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_LAYOUT_RANK = "ptdb-layout-rank", Must, Loader, File, Meta, "legacy-flat-tensor" {
        "`sizes` and `dim_order` of an entry of `tensors` have the same length, which is at most 16."
        rationale: "If `dim_order` is shorter than `sizes`, a careless reader reads past the end of `dim_order`. More \
            than 16 dimensions overflow arrays of fixed size in the runtime and its kernels."
        readers: "If `sizes` and `dim_order` have different lengths, ExecuTorch's `TensorLayout::create` returns \
            InvalidArgument (0x12). A reader that assumes that `dim_order` has as many entries as `sizes` does not \
            detect the difference."
        source: "As in the rule `ft-layout-rank`, the limit is the runtime's `kTensorDimensionLimit`. ExecuTorch 1.0.0 \
            and later enforce the limit of 16 dimensions for programs, but these releases do not read the legacy \
            layout."
        refs: ["X-07", "T-08", "X-12", "CVE-2025-54951", "GHSA-xc7w-r669-48pf", "pytorch/executorch#12684"]
        cwe: ["CWE-129", "CWE-787"]
    }
    PTDB_LAYOUT_PERM = "ptdb-layout-perm", Must, Text, File, Meta, "legacy-flat-tensor" {
        "`dim_order` of an entry of `tensors` contains each number from 0 to rank - 1 exactly once."
        rationale: "Each element has its own position in memory only if `dim_order` is a permutation. If `dim_order` \
            repeats a number, some elements share bytes, and some bytes belong to no element."
        readers: "ExecuTorch's `TensorLayout::create` returns InvalidArgument (0x12) for an entry of `dim_order` below \
            0 or above rank - 1. Some readers do not check for repeated numbers."
        source: "As the rule `ft-layout-perm` explains, the comment on `dim_order` in ExecuTorch's `flat_tensor.fbs` \
            describes an order of all dimensions."
        refs: ["T-07", "X-12"]
        cwe: ["CWE-129", "CWE-787"]
    }
    PTDB_LAYOUT_SIZES_NONNEG = "ptdb-layout-sizes-nonneg", Must, Loader, File, Meta, "legacy-flat-tensor" {
        "In every entry of `tensors`, all entries of `sizes` are 0 or positive."
        rationale: "A negative size becomes a very large number when a reader converts it to an unsigned type. In \
            signed arithmetic, a negative size can make the tensor's byte count too small."
        readers: "In 0.6.0 and later releases, ExecuTorch's `TensorLayout::create` returns InvalidArgument (0x12) for \
            a negative size."
        source: "As the rule `ft-layout-sizes-nonneg` explains, ExecuTorch's `flat_tensor.fbs` declares sizes as \
            signed integers, so a verifier accepts negative sizes."
        refs: ["X-11", "X-12", "pytorch/executorch#7870"]
        cwe: ["CWE-195", "CWE-190"]
    }
    PTDB_LAYOUT_NBYTES = "ptdb-layout-nbytes", Must, Loader, File, Meta, "legacy-flat-tensor" {
        "A tensor's element count, the product of its `sizes`, is below 2^63, and its byte count is below 2^64."
        rationale: "If a product wraps, readers check bounds against a small number, but kernels use the large sizes."
        readers: "The 0.6.0 reader loads as many bytes as the byte count states. ExecuTorch 1.3.0 and later return \
            InvalidArgument (0x12) if the element count or the byte count overflows, but these releases do not read \
            the legacy layout."
        source: "The rule `ft-layout-nbytes` explains the limits. The element count is 0 if any size is 0; the byte \
            count is the element count times the scalar type's width."
        refs: [
            "T-02", "T-03", "X-12", "CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217",
            "pytorch/executorch#19055",
        ]
        cwe: ["CWE-190"]
    }
    PTDB_SEG_INDEX = "ptdb-seg-index", Must, Loader, File, Data, "legacy-flat-tensor" {
        "The `segment_index` of an entry of `tensors` is below the number of segments."
        rationale: "With an index past the end of `segments`, a careless reader interprets arbitrary bytes as the \
            segment's offset."
        readers: "The 0.6.0 reader rejects a look-up that uses an index out of range with InvalidExternalData (0x24)."
        source: "The function `get_and_check_segment_offset` in `flat_tensor_data_map.cpp` of 0.6.0 checks the index. \
            The `flat_tensor.fbs` of 0.6.0 declares the index as an unsigned 32-bit integer, so a verifier accepts any \
            number."
        refs: ["X-09", "X-12"]
        cwe: ["CWE-129", "CWE-125"]
    }
    PTDB_OFFSET = "ptdb-offset", Must, Policy, File, Data, "legacy-flat-tensor" {
        "The sum of a tensor's `offset` and byte count does not wrap and is at most the `size` of the tensor's \
            segment."
        rationale: "A tensor that extends past the segment's end contains bytes of another segment, bytes appended \
            to the file, or memory after the loaded range."
        readers: "ExecuTorch's data loaders reject a range past the end of the file with InvalidArgument (0x12). Some \
            readers do not compare the end of a tensor with the end of its segment."
        source: "The comment on `offset` in the `flat_tensor.fbs` of 0.6.0 defines a tensor's position as \
            `segment_base_offset` plus the segment's and the tensor's `offset`. This project infers that the tensor \
            must end inside the segment."
        refs: ["X-08", "X-09", "X-12"]
        cwe: ["CWE-190", "CWE-125"]
    }
    PTDB_OFFSET_ALIGNED = "ptdb-offset-aligned", Should, Text, File, Data, "legacy-flat-tensor" {
        "A tensor's `offset` is a multiple of `tensor_alignment`, unless `tensor_alignment` is 0."
        rationale: "The `flat_tensor.fbs` of 0.6.0 promises aligned tensors to readers that map the file. A kernel \
            that depends on the alignment faults on a misaligned tensor."
        readers: "Some readers do not check the alignment. A reader that copies the tensor does not need an aligned \
            `offset`."
        source: "The comment on `tensor_alignment` in the `flat_tensor.fbs` of 0.6.0 states the rule, and both 0.6.0 \
            writers pad each tensor to `tensor_alignment`. The rule's strength is `should` because ExecuTorch 0.6.0 \
            accepts a misaligned tensor."
        refs: ["X-12"]
    }
    PTDB_DEDUP = "ptdb-dedup", Must, Writer, Reader, Data, "legacy-flat-tensor" {
        "A reader accepts several tensors with the same `segment_index` and `offset`, and returns the same bytes for \
            all these tensors."
        rationale: "The official writer stores the data of equal tensors only once. A reader that requires a different \
            position for each name rejects valid files."
        readers: "The 0.6.0 reader looks up each name separately, so it accepts several tensors at one position."
        source: "The function `_extract_tensors` in `serialize.py` of 0.6.0 writes one offset for all tensors that \
            share a buffer."
        refs: ["X-12"]
    }
    PTDB_ONE_SEGMENT = "ptdb-one-segment", Should, Writer, File, Data, "legacy-flat-tensor" {
        "Every tensor's `segment_index` is 0, and every entry of `named_data` has a `segment_index` of at least 1."
        rationale: "A tool may depend on which segment contains the tensors, for example if it reads all tensors from \
            the first segment."
        readers: "No reader depends on which segment contains the tensors, because each tensor has its own \
            `segment_index`."
        source: "The 0.6.0 writers put all tensors into the first segment, and blobs of other kinds into later \
            segments."
        refs: ["X-12"]
    }
}

//! The legacy layout of `FlatTensor`, which ExecuTorch 0.6.0 writes.
//!
//! It has the same identifier, header magic and version as the current layout, but different slots: `tensor_alignment`
//! and `tensors` come before `segments`. The rules in [`flat_tensor`](super::flat_tensor) also apply to its segment
//! table, named data and version, and the rules in [`ptd_header`](super::ptd_header) apply to its header.

rules! {
    PTDB_DETECT = "ptdb-detect", Must, Text, Reader, Structure, "legacy-flat-tensor" {
        "A reader MUST select the layout by slot 1 of `FlatTensor`: it is an inline `u32` in the legacy layout, and a \
            vector's offset in the current layout."
        rationale: "In the wrong layout, a reader mistakes an alignment for an offset and tensors for `named_data` \
            entries, so a lookup follows arbitrary offsets. ExecuTorch 0.6.0 reads only the legacy layout, and later \
            releases read only the current one. A verifier for the current layout rejects a legacy file."
        source: "ExecuTorch's `flat_tensor.fbs` changed between 0.6.0 and 0.7.0, but the identifier (`FT01`), the \
            header magic (`FH01`) and the version (0) did not."
        refs: ["X-12"]
        cwe: ["CWE-843"]
    }
    PTDB_ALIGNMENT = "ptdb-alignment", Should, Writer, File, Meta, "legacy-flat-tensor" {
        "`tensor_alignment` SHOULD be a power of two, and therefore not 0."
        rationale: "A reader that maps the file may divide by the alignment, and 0 does not say how the tensors are \
            aligned. No known reader uses the field."
        source: "The 0.6.0 writers use 16 by default. If the field is 0, `check` skips `ptdb-offset-aligned`."
        refs: ["X-12"]
    }
    PTDB_FQN = "ptdb-fqn", Must, Policy, File, Data, "legacy-flat-tensor" {
        "Every entry in `tensors` MUST have a `fully_qualified_name`."
        rationale: "A lookup compares names until one matches, so it dereferences null at an entry without a name. \
            FlatBuffers verifiers accept such an entry."
        source: "The rule follows from how lookups work: they scan the entries in order. The 0.6.0 `flat_tensor.fbs` \
            makes the name optional."
        refs: ["X-06", "X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_FQN_UNIQUE = "ptdb-fqn-unique", Must, Text, File, Data, "legacy-flat-tensor" {
        "Two entries in `tensors` MUST NOT have the same `fully_qualified_name`."
        rationale: "Otherwise, a scanner can inspect harmless weights while the device loads others. ExecuTorch 0.6.0 \
            compares names with `strcmp` and returns the first match, but a reader that builds a map keeps the last."
        source: "A comment in the 0.6.0 `flat_tensor.fbs` calls the name the unique id that connects the data to the \
            program. Both writers create the entries from a map."
        refs: ["X-10", "X-12"]
        cwe: ["CWE-694", "CWE-436"]
    }
    PTDB_NAME_ONE_LIST = "ptdb-name-one-list", May, Policy, File, Data, "legacy-flat-tensor" {
        "A reader MAY reject a file in which a name is both a `fully_qualified_name` in `tensors` and a `key` in \
            `named_data`."
        rationale: "A request for the name returns the tensor or the blob, depending on which list is searched first. \
            ExecuTorch 0.6.0 searches the two lists separately and does not compare them."
        source: "In the 0.6.0 `flat_tensor.fbs`, the names in the two lists are independent."
        refs: ["X-10", "X-12"]
        cwe: ["CWE-436"]
    }
    PTDB_LISTS_NONNULL = "ptdb-lists-nonnull", Must, Loader, File, Meta, "legacy-flat-tensor" {
        "`tensors` and `segments` MUST be present but may be empty; `named_data` may be absent."
        rationale: "A lookup reads the length of `tensors` and an entry in `segments`, so if either list is absent, \
            the lookup dereferences null. If `segments` is absent, the lookup in ExecuTorch 0.6.0 returns \
            InvalidExternalData (0x24)."
        source: "The writers of 0.6.0 always write both lists. The C++ writer omits `named_data`, a later addition to \
            `flat_tensor.fbs`."
        refs: ["X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_LAYOUT_SCALAR = "ptdb-layout-scalar", Must, Policy, File, Meta, "legacy-flat-tensor" {
        "Every `scalar_type` in `tensors` MUST be a number from 0 to 29."
        rationale: "If it is 99, looking up the element width fails an assertion or reads past the table."
        source: "The runtime has widths for the types 0 to 29, as in `ft-layout-scalar`."
        refs: ["T-10", "T-11", "X-12"]
        cwe: ["CWE-617"]
    }
    PTDB_LAYOUT_SIZES = "ptdb-layout-sizes", Must, Policy, File, Meta, "legacy-flat-tensor" {
        "Every entry in `tensors` MUST have `sizes`, which is an empty vector for a tensor of rank 0."
        rationale: "Rank and sizes come from this vector, so reading the length dereferences null if the vector is \
            absent. FlatBuffers verifiers do not require it."
        source: "The reasons are the same as for `ft-layout-sizes`. The 0.6.0 writers write an empty vector for rank 0."
        refs: ["X-04", "X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_LAYOUT_DIMORDER = "ptdb-layout-dimorder", Must, Policy, File, Meta, "legacy-flat-tensor" {
        "Every entry in `tensors` MUST have a `dim_order`, which is an empty vector for a tensor of rank 0."
        rationale: "The vector gives the order of the dimensions in memory, so reading it dereferences null if it is \
            absent. FlatBuffers verifiers do not require it."
        source: "The reasons are the same as for `ft-layout-dimorder`. The 0.6.0 writers write an empty vector for rank 0."
        refs: ["X-04", "X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_LAYOUT_RANK = "ptdb-layout-rank", Must, Loader, File, Meta, "legacy-flat-tensor" {
        "In every entry in `tensors`, `sizes` and `dim_order` MUST have the same length, which MUST be at most 16."
        rationale: "If `dim_order` is shorter, readers read past it, and rank 17 overflows arrays of 16 in the runtime \
            and its kernels. ExecuTorch's `TensorLayout::create` returns InvalidArgument (0x12) if the lengths differ."
        source: "The reasons are the same as for `ft-layout-rank`. The releases that enforce the limit of 16 dimensions for \
            programs no longer read the legacy layout."
        refs: ["X-07", "T-08", "X-12", "CVE-2025-54951", "GHSA-xc7w-r669-48pf", "pytorch/executorch#12684"]
        cwe: ["CWE-129", "CWE-787"]
    }
    PTDB_LAYOUT_PERM = "ptdb-layout-perm", Must, Text, File, Meta, "legacy-flat-tensor" {
        "Every `dim_order` in `tensors` MUST contain each number from 0 to rank - 1 exactly once."
        rationale: "If it is `[0, 0]`, some elements share bytes, and some bytes belong to no element. ExecuTorch's \
            `TensorLayout::create` returns InvalidArgument (0x12) for an entry out of range."
        source: "A comment in ExecuTorch's `flat_tensor.fbs` calls `dim_order` an order of all dimensions, as in \
            `ft-layout-perm`."
        refs: ["T-07", "X-12"]
        cwe: ["CWE-129", "CWE-787"]
    }
    PTDB_LAYOUT_SIZES_NONNEG = "ptdb-layout-sizes-nonneg", Must, Loader, File, Meta, "legacy-flat-tensor" {
        "In `tensors`, an entry in `sizes` MUST NOT be negative."
        rationale: "As an unsigned number, -1 is huge; as a signed one, it makes the byte count too small. \
            ExecuTorch's `TensorLayout::create` returns InvalidArgument (0x12), even in 0.6.0."
        source: "As in `ft-layout-sizes-nonneg`, the schema declares sizes as signed integers."
        refs: ["X-11", "X-12", "pytorch/executorch#7870"]
        cwe: ["CWE-195", "CWE-190"]
    }
    PTDB_LAYOUT_NBYTES = "ptdb-layout-nbytes", Must, Loader, File, Meta, "legacy-flat-tensor" {
        "A tensor's element count, the product of its `sizes`, MUST be below 2^63, and its byte count MUST be below \
            2^64."
        rationale: "If a product wraps, readers check bounds against a small number, but kernels use the large sizes. \
            ExecuTorch 0.6.0 loads only as many bytes as the wrapped count says; 1.3.0 and later return \
            InvalidArgument (0x12), but no longer read this layout."
        source: "As in `ft-layout-nbytes`, the element count is 0 if any size is 0, and the byte count is the element \
            count times the scalar type's width."
        refs: [
            "T-02", "T-03", "X-12", "CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217",
            "pytorch/executorch#19055",
        ]
        cwe: ["CWE-190"]
    }
    PTDB_SEG_INDEX = "ptdb-seg-index", Must, Loader, File, Data, "legacy-flat-tensor" {
        "Every `segment_index` in `tensors` MUST be below the number of segments."
        rationale: "If the index is past the end of `segments`, the segment's offset comes from arbitrary bytes. \
            On lookup, ExecuTorch 0.6.0 returns InvalidExternalData (0x24)."
        source: "`get_and_check_segment_offset` in 0.6.0's `flat_tensor_data_map.cpp` checks the index, because \
            verifiers accept every value."
        refs: ["X-09", "X-12"]
        cwe: ["CWE-129", "CWE-125"]
    }
    PTDB_OFFSET = "ptdb-offset", Must, Policy, File, Data, "legacy-flat-tensor" {
        "A tensor's `offset` plus its byte count MUST NOT wrap or exceed its segment's `size`."
        rationale: "Past the segment's end, a reader gets another segment's bytes, appended bytes, or the memory after \
            the loaded range. ExecuTorch's loaders return InvalidArgument (0x12) only past the end of the file."
        source: "In the 0.6.0 `flat_tensor.fbs`, a tensor is at `segment_base_offset` plus the segment's and the \
            tensor's `offset`. This project concludes that it must also end inside the segment."
        refs: ["X-08", "X-09", "X-12"]
        cwe: ["CWE-190", "CWE-125"]
    }
    PTDB_OFFSET_ALIGNED = "ptdb-offset-aligned", Should, Text, File, Data, "legacy-flat-tensor" {
        "A tensor's `offset` SHOULD be a multiple of `tensor_alignment`, unless `tensor_alignment` is 0."
        rationale: "`tensor_alignment` promises aligned tensors to readers that map the file, and a kernel that relies \
            on it faults on misaligned tensors. ExecuTorch 0.6.0 accepts them; a reader that copies needs no alignment."
        source: "A comment in 0.6.0's `flat_tensor.fbs` describes the field, and both writers pad each tensor to it."
        refs: ["X-12"]
    }
    PTDB_DEDUP = "ptdb-dedup", Must, Writer, Reader, Data, "legacy-flat-tensor" {
        "A reader MUST accept several tensors with the same `segment_index` and `offset`, and return the same bytes \
            for all of them."
        rationale: "The official writer stores equal tensors once, so a reader that expects a separate position for \
            each name rejects valid files. ExecuTorch 0.6.0 looks up each name separately."
        source: "`_extract_tensors` in 0.6.0's `serialize.py` writes one offset for all tensors that share a buffer."
        refs: ["X-12"]
    }
    PTDB_ONE_SEGMENT = "ptdb-one-segment", Should, Writer, File, Data, "legacy-flat-tensor" {
        "Every tensor's `segment_index` SHOULD be 0, and every entry in `named_data` SHOULD have a `segment_index` of \
            at least 1."
        rationale: "A tool may assume that all tensors are in the first segment. Readers do not, because each tensor \
            has its own `segment_index`."
        source: "The 0.6.0 writers put all tensors into the first segment, and other blobs into later ones."
        refs: ["X-12"]
    }
}

//! Rules about the segments, named data and tensor layouts of a data file (chapter `flat-tensor` of the book).

rules! {
    FT_VERIFIED = "ft-verified", Must, Policy, Reader, Structure, "flat-tensor" {
        "A reader MUST verify every offset, vtable, vector and string in the FlatBuffer before it uses any of them."
        rationale: "Data files are as untrusted as programs, and one changed offset leads outside the buffer. \
            ExecuTorch runs no FlatBuffers verifier on them, as pytorch/executorch#22118 reports, but since 1.5.1 it \
            returns InvalidExternalData (0x24) for a root offset out of range. Its Python reader relies on `flatc`."
        source: "The rule follows from InternalConsistency, the level that callers can request for programs. The rules \
            that begin with `fb-` are the counterpart for files."
        refs: ["X-13", "X-03", "pytorch/executorch#22118"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FT_VERSION = "ft-version", Must, Loader, File, Meta, "flat-tensor" {
        "`version` MUST be 0."
        rationale: "A higher version may change fields, so a reader that ignores the version gets wrong tensors or \
            fails later. ExecuTorch's C++ reader returns InvalidExternalData (0x24) since 1.5.1, and its Python reader \
            raises NotImplementedError."
        source: "ExecuTorch's `_FLAT_TENSOR_VERSION` and `kSchemaVersion` have always been 0. The legacy layout also \
            has version 0 (`ptdb-detect`)."
        refs: ["H-13", "pytorch/executorch#22114", "pytorch/executorch#22117"]
        cwe: ["CWE-436"]
    }
    FT_LISTS_NONNULL = "ft-lists-nonnull", Must, Loader, File, Meta, "flat-tensor" {
        "`segments` and `named_data` MUST be present, but both lists may be empty."
        rationale: "A lookup reads the length of one list and an entry of the other, so if either list is absent, the \
            lookup dereferences null. ExecuTorch's C++ reader returns InvalidExternalData (0x24) when it loads the \
            file, since 0.7.0; its Python reader raises TypeError."
        source: "`FlatTensorDataMap::load` checks for both. ExecuTorch's `flat_tensor.fbs` makes them optional, but \
            the official writers always write them."
        cwe: ["CWE-476"]
    }
    FT_SEG_END_NO_OVERFLOW = "ft-seg-end-no-overflow", Must, Loader, File, Data, "flat-tensor" {
        "A segment's `offset + size` MUST be at most 2^64 - 1."
        rationale: "A sum that wraps passes every later comparison: a segment with offset 16 and size 2^64 - 1 seems \
            to end at byte 15. ExecuTorch 1.3.0 and later return InvalidExternalData (0x24) when such a segment \
            is looked up, but do not check unreferenced segments."
        source: "`get_named_data` in `flat_tensor_data_map.cpp` checks the sum, as in `seg-end-no-overflow`."
        refs: ["X-09", "S-06", "pytorch/executorch#19057"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FT_SEG_ABS_NO_OVERFLOW = "ft-seg-abs-no-overflow", Must, Loader, File, Data, "flat-tensor" {
        "`segment_base_offset` plus a segment's `offset` and `size` MUST be at most 2^64 - 1."
        rationale: "A wrapped sum is near the start of the file, so the header and the FlatBuffer are used as a \
            tensor's data. On lookup, ExecuTorch returns InvalidExternalData (0x24) if `offset + size` exceeds the end \
            of the data; if the header is valid, that check covers this sum too."
        source: "`seg-abs-no-overflow` is the same rule for programs."
        refs: ["X-09", "S-05"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FT_SEG_BOUND = "ft-seg-bound", Must, Loader, File, Data, "flat-tensor" {
        "A segment's `offset + size` MUST be at most `segment_data_size`."
        rationale: "Otherwise, appended bytes are used as weights. ExecuTorch's loaders return InvalidArgument (0x12) \
            past the file's end and, since 1.0.0, lookups return InvalidExternalData (0x24) past the data's end. \
            Offsets are relative to `segment_base_offset`, so a reader that compares `offset + size` directly with \
            the file's size is off by the base."
        source: "`offset` and `segment_data_size` are both relative to `segment_base_offset`."
        refs: ["X-09", "pytorch/executorch#14188", "pytorch/executorch#19057", "pytorch/executorch#19860"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FT_SEG_SORTED = "ft-seg-sorted", Should, Text, File, Data, "flat-tensor" {
        "Entries in `segments` SHOULD be sorted by `offset`; equal offsets are allowed."
        rationale: "A reader that streams the file, or searches the list by offset, may rely on the order. \
            ExecuTorch's readers do not, because they find segments by index."
        source: "A comment in ExecuTorch's `flat_tensor.fbs` calls the list sorted by offset, and the official writers \
            store segments in that order."
        refs: ["X-10"]
    }
    FT_SEG_NO_OVERLAP = "ft-seg-no-overlap", Must, Policy, File, Data, "flat-tensor" {
        "Segments MUST NOT overlap: the ranges from `offset` to `offset + size` are disjoint, and an empty range \
            overlaps nothing."
        rationale: "If two tensors overlap, updating one of them in place changes the other, and a scanner that \
            attributes shared bytes to the first misses their meaning in the second. A reader that loads segments one \
            by one never notices."
        source: "This project chose the rule, like `seg-no-overlap`. In official files, keys share data only by \
            having the same segment index."
        refs: ["X-10", "S-07"]
    }
    FT_SEG_ALIGNED = "ft-seg-aligned", Should, Writer, File, Data, "flat-tensor" {
        "A segment's `offset` SHOULD be a multiple of 16."
        rationale: "In a mapped file, a tensor's position decides its alignment in memory. A misaligned tensor has to \
            be copied, because kernels that use aligned loads would fault. No reader checks the offset, and loaders \
            that copy segments align the copies."
        source: "ExecuTorch's Python writer aligns to the blob's alignment and 128 (16 before 1.1.0); its C++ writer \
            aligns to the tensor alignment. Files do not record the alignment, so the rule requires 16."
        refs: ["X-10"]
    }
    FT_SEG_PADDING_ZERO = "ft-seg-padding-zero", Should, Writer, File, Data, "flat-tensor" {
        "Between `segment_base_offset` and the end of the last segment, every byte outside the segments SHOULD be zero."
        rationale: "No table refers to these bytes and no reader looks at them, so they can hide data."
        source: "The official writers pad with zeros between segments, and end the file after the last one."
        refs: ["H-15"]
    }
    FT_SEG_REFERENCED = "ft-seg-referenced", Should, Writer, File, Data, "flat-tensor" {
        "Every segment SHOULD be referenced by at least one entry in `named_data` or, in the legacy layout, in \
            `tensors`."
        rationale: "No reader loads or checks an unreferenced segment, so it can hide any amount of data."
        source: "The official writers create segments only for these entries."
        refs: ["H-15"]
    }
    FT_KEY_NONNULL = "ft-key-nonnull", Must, Policy, File, Data, "flat-tensor" {
        "Every entry in `named_data` MUST have a `key`."
        rationale: "A lookup compares keys until one matches, and a listing reads all keys, so both dereference null \
            at an entry without a key. FlatBuffers verifiers accept such an entry."
        source: "The rule follows from how lookups work: they scan the entries in order. ExecuTorch's \
            `flat_tensor.fbs` makes the key optional."
        refs: ["X-06"]
        cwe: ["CWE-476"]
    }
    FT_KEY_NONEMPTY = "ft-key-nonempty", Should, Policy, File, Data, "flat-tensor" {
        "A `key` in `named_data` SHOULD NOT be the empty string."
        rationale: "A caller that passes an empty key by mistake gets this entry's blob instead of an error."
        source: "Keys are the names of tensors or backend blobs, which are never empty. No reader checks this."
        refs: ["X-06"]
    }
    FT_KEY_UNIQUE = "ft-key-unique", Must, Text, File, Data, "flat-tensor" {
        "Keys in `named_data` MUST be unique; a repeated key is allowed only for identical bytes and layout."
        rationale: "Otherwise, a scanner may inspect harmless weights while the device loads others, because some \
            readers use the first entry and others the last. ExecuTorch's merged map of several data files returns \
            InvalidArgument (0x12) for any repeated key."
        source: "A comment in ExecuTorch's `flat_tensor.fbs` calls the key the unique id of the blob. `check` stops \
            when the compared bytes add up to the file's size, and treats the remaining entries as different."
        refs: ["X-10"]
        cwe: ["CWE-694", "CWE-436"]
    }
    FT_KEY_ONCE = "ft-key-once", May, Writer, File, Data, "flat-tensor" {
        "A reader MAY reject a data file that repeats a key of `named_data`, even with identical bytes and layout."
        rationale: "Every lookup returns the same tensor, so the second entry does nothing. ExecuTorch accepts a \
            repeated key in a single data file, but its merged map of several files returns InvalidArgument (0x12)."
        source: "The official writers create the entries from a map, so each key occurs once."
        refs: ["X-10"]
    }
    FT_SEG_INDEX = "ft-seg-index", Must, Loader, File, Data, "flat-tensor" {
        "Every `segment_index` in `named_data` MUST be below the number of segments."
        rationale: "If the index is past the end of `segments`, the segment's offset and size come from arbitrary \
            bytes. On lookup, ExecuTorch's C++ reader returns InvalidExternalData (0x24)."
        source: "`get_named_data` in `flat_tensor_data_map.cpp` checks the index, because verifiers accept every \
            `uint32`."
        refs: ["X-09"]
        cwe: ["CWE-129", "CWE-125"]
    }
    FT_NONEMPTY = "ft-nonempty", May, Loader, File, Meta, "flat-tensor" {
        "A reader MAY reject a data file whose `named_data` is empty."
        rationale: "ExecuTorch opens such a file on its own. But if several data files are loaded together and none of \
            them has an entry, it returns InvalidArgument (0x12)."
        source: "`MergedDataMap::load` in `extension/named_data_map` rejects files without entries. The official \
            writer can write such files, but no document mentions them."
    }
    FT_LAYOUT_OPTIONAL = "ft-layout-optional", Must, Text, Reader, Meta, "flat-tensor" {
        "A reader MUST accept an entry without `tensor_layout` as a blob, return its bytes, and reject a request for \
            the layout."
        rationale: "A backend's blob has no layout, so a reader that dereferences one reads near address 0, and a \
            reader that assumes a default gives the bytes a wrong type. Requests for the bytes need no layout."
        source: "ExecuTorch's `flat_tensor.fbs` describes `tensor_layout` as optional, and the official writer omits \
            it for blobs."
        refs: ["X-05"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_SIZES = "ft-layout-sizes", Must, Policy, File, Meta, "flat-tensor" {
        "A `tensor_layout` MUST have `sizes`, which is an empty vector for a tensor of rank 0."
        rationale: "Rank and sizes come from this vector, so reading the length dereferences null if the vector is \
            absent. FlatBuffers verifiers do not require it."
        source: "ExecuTorch's `flat_tensor.fbs` makes the vector optional, but the official writers write an empty one \
            for rank 0."
        refs: ["X-04"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_DIMORDER = "ft-layout-dimorder", Must, Policy, File, Meta, "flat-tensor" {
        "A `tensor_layout` MUST have a `dim_order`, which is an empty vector for a tensor of rank 0."
        rationale: "The vector gives the order of the dimensions in memory, so reading it dereferences null if it is \
            absent. FlatBuffers verifiers do not require it."
        source: "ExecuTorch's `flat_tensor.fbs` makes the vector optional, but the official writers write an empty one \
            for rank 0."
        refs: ["X-04"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_RANK = "ft-layout-rank", Must, Loader, File, Meta, "flat-tensor" {
        "`sizes` and `dim_order` MUST have the same length, which MUST be at most 16."
        rationale: "If `dim_order` is shorter, readers read past its end. A rank of 17 overflows arrays of 16 in the \
            runtime and its kernels, as CVE-2025-54951 shows for programs. ExecuTorch's `TensorLayout::create` returns \
            InvalidArgument (0x12) if the lengths differ."
        source: "ExecuTorch's `runtime/core/tensor_layout.cpp` requires equal lengths; `kTensorDimensionLimit` is 16, \
            and 1.0.0 and later enforce this limit for programs."
        refs: ["X-07", "T-08", "CVE-2025-54951", "GHSA-xc7w-r669-48pf", "pytorch/executorch#12684"]
        cwe: ["CWE-129", "CWE-787"]
    }
    FT_LAYOUT_PERM = "ft-layout-perm", Must, Text, File, Meta, "flat-tensor" {
        "`dim_order` MUST contain each number from 0 to rank - 1 exactly once."
        rationale: "If it is `[0, 0]`, some elements share bytes, and some bytes belong to no element. ExecuTorch's \
            `TensorLayout::create` returns InvalidArgument (0x12) for an entry out of range. A full permutation is \
            required only in programs, since 1.2.0."
        source: "A comment in ExecuTorch's `flat_tensor.fbs` calls `dim_order` an order of all dimensions."
        refs: ["T-07", "pytorch/executorch#17314"]
        cwe: ["CWE-129", "CWE-787"]
    }
    FT_LAYOUT_SIZES_NONNEG = "ft-layout-sizes-nonneg", Must, Loader, File, Meta, "flat-tensor" {
        "An entry in `sizes` MUST NOT be negative."
        rationale: "As an unsigned number, -1 is huge; as a signed one, it makes the byte count too small. \
            ExecuTorch's `TensorLayout::create` returns InvalidArgument (0x12)."
        source: "`calculate_nbytes` in ExecuTorch's `runtime/core/tensor_layout.cpp` checks the sign of sizes, which \
            the schema declares as `int32`."
        refs: ["X-11", "pytorch/executorch#7870"]
        cwe: ["CWE-195", "CWE-190"]
    }
    FT_LAYOUT_NBYTES = "ft-layout-nbytes", Must, Loader, File, Meta, "flat-tensor" {
        "The product of `sizes` (0 if any size is 0) MUST be below 2^63, and the product times the scalar type's width \
            MUST be below 2^64."
        rationale: "If a product wraps, memory is allocated for few elements while kernels use the large sizes; \
            CVE-2025-30402 is a heap overflow of this kind in programs. In ExecuTorch 1.3.0 and later, \
            `TensorLayout::create` returns InvalidArgument (0x12)."
        source: "`calculate_nbytes` in ExecuTorch's `runtime/core/tensor_layout.cpp` counts elements in `ssize_t` and \
            bytes in `size_t`. For an overflow in the sizes that precede a 0, see `ft-layout-prefix`."
        refs: [
            "T-02", "T-03", "CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217",
            "pytorch/executorch#19055",
        ]
        cwe: ["CWE-190"]
    }
    FT_LAYOUT_PREFIX = "ft-layout-prefix", Should, Loader, File, Meta, "flat-tensor" {
        "The product of the `sizes` that precede the first 0 SHOULD be below 2^63."
        rationale: "The tensor has no elements, so a reader that looks for the 0 first accepts it. ExecuTorch \
            multiplies from left to right, so since 1.3.0, `TensorLayout::create` returns InvalidArgument (0x12)."
        source: "`calculate_nbytes` in ExecuTorch's `runtime/core/tensor_layout.cpp` checks each product. In a \
            program, such a tensor breaks `t-stride-overflow` or `t-stride-bound`."
        refs: ["T-02", "pytorch/executorch#19055"]
        cwe: ["CWE-190"]
    }
    FT_LAYOUT_SCALAR = "ft-layout-scalar", Must, Loader, File, Meta, "flat-tensor" {
        "`scalar_type` MUST be a number from 0 to 29."
        rationale: "If it is 99, looking up the element width fails an assertion or reads past the table. ExecuTorch's \
            Python reader raises KeyError."
        source: "ExecuTorch's runtime has widths for 0 to 29, including the complex types 8 to 10 and the bit types 18 \
            to 21, all of which `scalar_type.fbs` mentions only in comments."
        refs: ["T-10", "T-11"]
        cwe: ["CWE-617"]
    }
    FT_LAYOUT_FITS_SEGMENT = "ft-layout-fits-segment", Must, Policy, File, Data, "flat-tensor" {
        "The byte count that `tensor_layout` requires MUST be at most the `size` of the entry's segment."
        rationale: "A 16-byte tensor in an 8-byte segment extends into the next segment of a mapped file, or past the \
            allocation. Comparing the layout with the program's does not help, because layouts do not contain the \
            segment's size."
        source: "Readers load `size` bytes, but kernels use as many as the layout requires."
        refs: ["X-08", "S-11"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FT_LAYOUT_FILLS_SEGMENT = "ft-layout-fills-segment", Should, Writer, File, Data, "flat-tensor" {
        "The byte count that `tensor_layout` requires SHOULD be at least the `size` of the entry's segment."
        rationale: "Otherwise, the remaining bytes belong to no tensor. They are loaded but unused, and can hide data."
        source: "In official files, a tensor's segment has exactly the tensor's byte count."
        refs: ["S-11"]
    }
}

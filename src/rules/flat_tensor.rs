//! Rules about the segments, named data and tensor layouts of a data file (chapter `flat-tensor` of the book).

rules! {
    FT_VERIFIED = "ft-verified", Must, Policy, Reader, Structure, "flat-tensor" {
        "A reader verifies every offset, vtable, vector and string of the FlatBuffer before use."
        rationale: "Data files come from untrusted sources, as programs do. The author of a file controls every offset \
            in its FlatBuffer. With one changed offset, a reader that does not verify offsets reads outside the \
            buffer."
        readers: "ExecuTorch's data-file reader runs no FlatBuffers verifier, as pytorch/executorch#22118 states. The \
            data-file reader of ExecuTorch 1.5.1 and later returns InvalidExternalData (0x24) for a root offset out of \
            range. ExecuTorch's Python reader relies on the checks of `flatc`."
        source: "The rule follows from InternalConsistency, the verification level that a caller can request for \
            programs. The rules in the section `flatbuffer` state the corresponding conditions for files."
        refs: ["X-13", "X-03", "pytorch/executorch#22118"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FT_VERSION = "ft-version", Must, Loader, File, Meta, "flat-tensor" {
        "`version` is 0."
        rationale: "In a file of a higher version, fields can be different or have different meanings. A reader that \
            ignores the version gets wrong tensors or fails later."
        readers: "The C++ reader of ExecuTorch 1.5.1 and later returns InvalidExternalData (0x24) for a version other \
            than 0. ExecuTorch's Python reader raises NotImplementedError for a version other than 0."
        source: "ExecuTorch defines `_FLAT_TENSOR_VERSION` and `kSchemaVersion` as 0, and no writer has written \
            another version. The version does not distinguish the legacy layout from the current layout; the rule \
            `ptdb-detect` explains how to distinguish the two layouts."
        refs: ["H-13", "pytorch/executorch#22114", "pytorch/executorch#22117"]
        cwe: ["CWE-436"]
    }
    FT_LISTS_NONNULL = "ft-lists-nonnull", Must, Loader, File, Meta, "flat-tensor" {
        "`segments` and `named_data` are present; each of the two lists may be empty."
        rationale: "To look up a key, a reader reads the length of `named_data` and accesses an entry of `segments`. \
            If `named_data` or `segments` is absent, a careless reader dereferences a null pointer."
        readers: "If `segments` or `named_data` is absent, the C++ reader of ExecuTorch 0.7.0 and later returns \
            InvalidExternalData (0x24) when it loads the file. ExecuTorch's Python reader raises TypeError for an \
            absent list."
        source: "`FlatTensorDataMap::load` checks both lists. ExecuTorch's `flat_tensor.fbs` marks no field as \
            required, so a verifier accepts an absent list. The official writers always write both lists."
        cwe: ["CWE-476"]
    }
    FT_SEG_END_NO_OVERFLOW = "ft-seg-end-no-overflow", Must, Loader, File, Data, "flat-tensor" {
        "A segment's `offset + size` is at most 2^64 - 1."
        rationale: "A sum that wraps is small, so every later comparison with the end of the data or of the file \
            passes."
        readers: "If the sum wraps, the C++ reader of ExecuTorch 1.3.0 and later rejects the look-up with \
            InvalidExternalData (0x24). ExecuTorch's C++ reader does not check unreferenced segments."
        source: "The rule corresponds to the rule for programs, `seg-end-no-overflow`. The function `get_named_data` \
            in `flat_tensor_data_map.cpp` checks the sum."
        refs: ["X-09", "S-06", "pytorch/executorch#19057"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FT_SEG_ABS_NO_OVERFLOW = "ft-seg-abs-no-overflow", Must, Loader, File, Data, "flat-tensor" {
        "`segment_base_offset` plus a segment's `offset` and `size` is at most 2^64 - 1."
        rationale: "A sum that wraps can be a position near the start of the file. A careless reader then returns \
            bytes of the header or the FlatBuffer as a tensor's data."
        readers: "If a segment's `offset + size` exceeds the end of the data, ExecuTorch's C++ reader rejects the \
            look-up with InvalidExternalData (0x24). In a file with a valid header, this check also ensures that the \
            sum of `offset`, `size` and `segment_base_offset` does not wrap. Some readers do not compare `offset + \
            size` with the end of the data."
        source: "The rule corresponds to the rule for programs, `seg-abs-no-overflow`."
        refs: ["X-09", "S-05"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FT_SEG_BOUND = "ft-seg-bound", Must, Loader, File, Data, "flat-tensor" {
        "A segment's `offset + size` is at most `segment_data_size`."
        rationale: "Bytes past `segment_data_size` are not part of the declared data. If someone appends bytes to the \
            file, a reader that does not check the segment's end uses the appended bytes as weights."
        readers: "ExecuTorch's data loaders reject a range past the end of the file with InvalidArgument (0x12). In \
            ExecuTorch 1.0.0 and later, a look-up returns InvalidExternalData (0x24) if a segment ends past the end of \
            the data. A segment's end is relative to `segment_base_offset`, but the end of the file is relative to \
            byte 0. A direct comparison of the two positions is therefore wrong by `segment_base_offset` bytes."
        source: "Both `offset` and `segment_data_size` are relative to `segment_base_offset`."
        refs: ["X-09", "pytorch/executorch#14188", "pytorch/executorch#19057", "pytorch/executorch#19860"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FT_SEG_SORTED = "ft-seg-sorted", Should, Text, File, Data, "flat-tensor" {
        "The segments' offsets never decrease from one entry of `segments` to the next."
        rationale: "A reader that streams the file, or that searches the list by offset, can depend on the order."
        readers: "ExecuTorch's readers find segments by index, so they do not depend on the order."
        source: "A comment in ExecuTorch's `flat_tensor.fbs` states that the list is sorted by offset, and the \
            official writers store segments in the order of the list. The rule's strength is `should` because no \
            reader needs the order."
        refs: ["X-10"]
    }
    FT_SEG_NO_OVERLAP = "ft-seg-no-overlap", Must, Policy, File, Data, "flat-tensor" {
        "The ranges from `offset` to `offset + size` of two different segments share no byte; an empty range overlaps \
            no other range."
        rationale: "If two tensors share bytes, a method that updates one tensor in place also changes the other \
            tensor. If a scanner interprets the shared bytes only as the first tensor, it does not detect malicious \
            data in the second tensor."
        readers: "Some readers do not compare segments with each other, so overlapping segments load without an error."
        source: "This project chose the strength `must`: no text forbids an overlap, and readers accept overlaps. No \
            official writer makes overlapping segments: two keys share data only if they have the same segment index. \
            The rule for programs, `seg-no-overlap`, states the reason for this policy."
        refs: ["X-10", "S-07"]
    }
    FT_SEG_ALIGNED = "ft-seg-aligned", Should, Writer, File, Data, "flat-tensor" {
        "A segment's `offset` is a multiple of 16."
        rationale: "If a reader maps the file, a tensor's alignment in memory depends on its alignment in the file. If \
            the reader does not copy a misaligned tensor, a kernel that requires alignment faults."
        readers: "No reader checks the alignment of segments. Loaders that copy a segment put its bytes into aligned \
            memory."
        source: "ExecuTorch's Python writer aligns a segment to the least common multiple of its blob's alignment and \
            128. Before 1.1.0, the Python writer used 16 instead of 128. ExecuTorch's C++ writer aligns a segment to \
            the tensor alignment that the caller passes. No file records the alignment, so the rule uses 16, the \
            smallest default of the official writers."
        refs: ["X-10"]
    }
    FT_SEG_PADDING_ZERO = "ft-seg-padding-zero", Should, Writer, File, Data, "flat-tensor" {
        "Between `segment_base_offset` and the end of the last segment, every byte outside the segments is zero."
        rationale: "Because no table refers to the padding between segments, hidden data can be in this padding."
        readers: "No reader checks bytes between segments."
        source: "The official writers pad with zeros between segments, and end the file after the last segment."
        refs: ["H-15"]
    }
    FT_SEG_REFERENCED = "ft-seg-referenced", Should, Writer, File, Data, "flat-tensor" {
        "Every segment is referenced by at least one entry of `named_data` or, in the legacy layout, of `tensors`."
        rationale: "No reader loads or checks an unreferenced segment. An unreferenced segment can hide any amount \
            of data."
        readers: "No reader checks the rule."
        source: "The official writers create segments only for entries of `named_data` and, in the legacy layout, for \
            tensors."
        refs: ["H-15"]
    }
    FT_KEY_NONNULL = "ft-key-nonnull", Must, Policy, File, Data, "flat-tensor" {
        "Every entry of `named_data` has a `key`."
        rationale: "During a look-up, a reader compares the key of each entry until one key matches. For an entry \
            without a key, a careless reader dereferences a null pointer. A careless reader also dereferences the \
            null pointer when a caller lists the keys."
        readers: "A FlatBuffers verifier accepts an absent key, and some readers compare a key without a check that \
            the key is present."
        source: "The rule follows from the look-ups, which scan the entries in order. ExecuTorch's `flat_tensor.fbs` \
            marks no field as required."
        refs: ["X-06"]
        cwe: ["CWE-476"]
    }
    FT_KEY_NONEMPTY = "ft-key-nonempty", Should, Policy, File, Data, "flat-tensor" {
        "No `key` of `named_data` is the empty string."
        rationale: "If a file has an empty key, a caller that passes an empty key by mistake gets a blob instead of an \
            error."
        readers: "No reader checks the rule."
        source: "Keys are names of tensors or of blobs for backends, and these names are never empty."
        refs: ["X-06"]
    }
    FT_KEY_UNIQUE = "ft-key-unique", Must, Text, File, Data, "flat-tensor" {
        "No two entries of `named_data` with different bytes or different layouts have the same `key`."
        rationale: "If two entries have the same key, readers can return different blobs for the key. A scanner can \
            then inspect harmless weights while the device loads malicious weights."
        readers: "ExecuTorch's Module API merges several data files into one map of keys. The map rejects a repeated \
            key with InvalidArgument (0x12), even if both entries are in the same file. Readers of a single file \
            differ: some readers return the first entry, and others return the last entry."
        source: "A comment in ExecuTorch's `flat_tensor.fbs` describes the key as the unique id of the blob. The \
            official writers create the entries from a map, so keys are unique. The rule `ft-key-once` covers entries \
            with equal bytes and equal layouts. The total number of bytes that the checker compares is at most the \
            file's size. The checker treats entries that it does not compare as different."
        refs: ["X-10"]
        cwe: ["CWE-694", "CWE-436"]
    }
    FT_KEY_ONCE = "ft-key-once", May, Writer, File, Data, "flat-tensor" {
        "No two entries of `named_data` with equal bytes and equal layouts have the same `key`."
        rationale: "Every look-up of the key in the file returns the same tensor, so the second entry has no effect. A \
            reader that merges the keys of several files can still reject the second entry."
        readers: "ExecuTorch's reader of a single data file accepts a repeated key. ExecuTorch's merged map of \
            several data files rejects a repeated key with InvalidArgument (0x12)."
        source: "The official writers create the entries from a map, so each key occurs once. The rule's strength is \
            `may` because readers of a single data file accept a repeated key."
        refs: ["X-10"]
    }
    FT_SEG_INDEX = "ft-seg-index", Must, Loader, File, Data, "flat-tensor" {
        "The `segment_index` of an entry of `named_data` is below the number of segments."
        rationale: "With an index past the end of `segments`, a careless reader interprets arbitrary bytes as the \
            segment's offset and size."
        readers: "For an index out of range, ExecuTorch's C++ reader rejects the look-up with InvalidExternalData \
            (0x24)."
        source: "The function `get_named_data` in `flat_tensor_data_map.cpp` checks the index. ExecuTorch's \
            `flat_tensor.fbs` declares the index as `uint32`, so a verifier accepts any number."
        refs: ["X-09"]
        cwe: ["CWE-129", "CWE-125"]
    }
    FT_NONEMPTY = "ft-nonempty", May, Loader, File, Meta, "flat-tensor" {
        "`named_data` has at least one entry."
        rationale: "Readers handle a data file with empty `named_data` differently. Some readers load a file without \
            entries if it is the only data file, but reject the file if there are several data files."
        readers: "ExecuTorch's single-file reader opens a file without entries. If several data files are loaded and \
            none has entries, ExecuTorch returns InvalidArgument (0x12)."
        source: "`MergedDataMap::load` in `extension/named_data_map` rejects files without entries. The official \
            writer can write a file without entries, and no document mentions such files, so the rule's strength is \
            `may`."
    }
    FT_LAYOUT_OPTIONAL = "ft-layout-optional", Must, Text, Reader, Meta, "flat-tensor" {
        "A reader accepts an entry without `tensor_layout` as a blob, returns the blob's bytes, and rejects a request \
            for the layout."
        rationale: "A blob for a backend has no layout. A reader that dereferences the absent layout reads near \
            address 0. A reader that assumes a default layout interprets the bytes as elements of a wrong type."
        readers: "When a caller requests only the bytes, ExecuTorch does not use the layout. When a caller requests \
            the layout, some readers do not check whether the layout is present."
        source: "ExecuTorch's `flat_tensor.fbs` describes `tensor_layout` as optional, and the official writer omits \
            `tensor_layout` for blobs that are not tensors."
        refs: ["X-05"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_SIZES = "ft-layout-sizes", Must, Policy, File, Meta, "flat-tensor" {
        "A `tensor_layout` has `sizes`; for a tensor of rank 0, `sizes` is an empty vector."
        rationale: "A reader gets the rank and every size from the vector `sizes`. If the vector is absent, a careless \
            reader dereferences a null pointer."
        readers: "A FlatBuffers verifier accepts absent `sizes`, and some readers read the length of `sizes` without \
            a check that `sizes` is present."
        source: "Readers need the vector. ExecuTorch's `flat_tensor.fbs` marks no field as required. The official \
            writers write an empty vector for rank 0, so an absent vector does not mean rank 0."
        refs: ["X-04"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_DIMORDER = "ft-layout-dimorder", Must, Policy, File, Meta, "flat-tensor" {
        "A `tensor_layout` has a `dim_order`; for a tensor of rank 0, `dim_order` is an empty vector."
        rationale: "The vector `dim_order` states the order of the dimensions in memory. If the vector is absent, a \
            careless reader dereferences a null pointer."
        readers: "A FlatBuffers verifier accepts an absent `dim_order`, and some readers read `dim_order` without a \
            check that `dim_order` is present."
        source: "Readers need the vector. ExecuTorch's `flat_tensor.fbs` marks no field as required. The official \
            writers write an empty vector for rank 0, so an absent vector does not mean rank 0."
        refs: ["X-04"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_RANK = "ft-layout-rank", Must, Loader, File, Meta, "flat-tensor" {
        "`sizes` and `dim_order` have the same length, which is at most 16."
        rationale: "If `dim_order` is shorter than `sizes`, a careless reader reads past the end of `dim_order`. More \
            than 16 dimensions overflow arrays of fixed size in the runtime and its kernels, as CVE-2025-54951 \
            demonstrates for programs."
        readers: "If `sizes` and `dim_order` have different lengths, ExecuTorch's `TensorLayout::create` returns \
            InvalidArgument (0x12). A reader that assumes that `dim_order` has as many entries as `sizes` does not \
            detect the difference."
        source: "`runtime/core/tensor_layout.cpp` requires equal lengths. The runtime's `kTensorDimensionLimit` is 16, \
            and ExecuTorch 1.0.0 and later reject programs with more dimensions."
        refs: ["X-07", "T-08", "CVE-2025-54951", "GHSA-xc7w-r669-48pf", "pytorch/executorch#12684"]
        cwe: ["CWE-129", "CWE-787"]
    }
    FT_LAYOUT_PERM = "ft-layout-perm", Must, Text, File, Meta, "flat-tensor" {
        "`dim_order` contains each number from 0 to rank - 1 exactly once."
        rationale: "Each element has its own position in memory only if `dim_order` is a permutation. If `dim_order` \
            repeats a number, some elements share bytes, and some bytes belong to no element."
        readers: "ExecuTorch's `TensorLayout::create` returns InvalidArgument (0x12) for an entry of `dim_order` below \
            0 or above rank - 1. In programs, ExecuTorch 1.2.0 and later require that `dim_order` is a permutation. \
            Some readers of data files accept a `dim_order` with repeated numbers."
        source: "The comment on `dim_order` in ExecuTorch's `flat_tensor.fbs` describes an order of all dimensions."
        refs: ["T-07", "pytorch/executorch#17314"]
        cwe: ["CWE-129", "CWE-787"]
    }
    FT_LAYOUT_SIZES_NONNEG = "ft-layout-sizes-nonneg", Must, Loader, File, Meta, "flat-tensor" {
        "No entry of `sizes` is negative."
        rationale: "A negative size becomes a very large number when a reader converts it to an unsigned type. In \
            signed arithmetic, a negative size can make the tensor's byte count too small."
        readers: "ExecuTorch's `TensorLayout::create` returns InvalidArgument (0x12) for a negative size."
        source: "The function `calculate_nbytes` in `runtime/core/tensor_layout.cpp` checks the sign. ExecuTorch's \
            `flat_tensor.fbs` declares sizes as signed `int32`, so a verifier accepts negative sizes."
        refs: ["X-11", "pytorch/executorch#7870"]
        cwe: ["CWE-195", "CWE-190"]
    }
    FT_LAYOUT_NBYTES = "ft-layout-nbytes", Must, Loader, File, Meta, "flat-tensor" {
        "The product of `sizes` (0 if any size is 0) is below 2^63, and the product times the scalar type's width is \
            below 2^64."
        rationale: "If the product wraps, readers allocate memory or check bounds for a small number of elements, but \
            kernels use the large sizes. CVE-2025-30402 describes a heap overflow from such a product in programs."
        readers: "In ExecuTorch 1.3.0 and later, `TensorLayout::create` returns InvalidArgument (0x12) if the element \
            count or the byte count overflows. The rule `ft-layout-prefix` covers an overflow in the sizes before a \
            size of 0."
        source: "The function `calculate_nbytes` in `runtime/core/tensor_layout.cpp` checks the element count and the \
            byte count. On 64-bit hosts, the runtime counts elements in `ssize_t` and bytes in `size_t`; the ranges of \
            the two types determine the limits."
        refs: [
            "T-02", "T-03", "CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217",
            "pytorch/executorch#19055",
        ]
        cwe: ["CWE-190"]
    }
    FT_LAYOUT_PREFIX = "ft-layout-prefix", Should, Loader, File, Meta, "flat-tensor" {
        "The product of all `sizes` that precede a size of 0 is below 2^63."
        rationale: "A tensor with a size of 0 has no elements. A reader that multiplies the sizes from left to right \
            can still detect an overflow and reject the tensor. A reader that does not check the product computes a \
            wrong number before it multiplies by 0."
        readers: "ExecuTorch multiplies from left to right. In ExecuTorch 1.3.0 and later, `TensorLayout::create` \
            returns InvalidArgument (0x12) if the product overflows. A reader that first looks for a size of 0 accepts \
            the layout."
        source: "The function `calculate_nbytes` in `runtime/core/tensor_layout.cpp` multiplies the sizes and checks \
            each product. Official exporters write no tensors whose sizes overflow before a size of 0. The rule's \
            strength is `should` because a size of 0 makes the product of all sizes 0. In a program, a tensor with the \
            same `sizes` breaks `t-stride-overflow` or `t-stride-bound`."
        refs: ["T-02", "pytorch/executorch#19055"]
        cwe: ["CWE-190"]
    }
    FT_LAYOUT_SCALAR = "ft-layout-scalar", Must, Loader, File, Meta, "flat-tensor" {
        "`scalar_type` is a number from 0 to 29."
        rationale: "A reader looks up the width of an element by the scalar type. For an unknown type, a careless \
            reader fails an assertion or reads past the table of widths."
        readers: "ExecuTorch's Python reader raises KeyError for an unknown type. Some readers do not check the type \
            before they look up the width."
        source: "The runtime has a width for each of the types 0 to 29. The types 0 to 29 include the complex types 8 \
            to 10 and the bit types 18 to 21. ExecuTorch's `scalar_type.fbs` mentions the complex types and the bit \
            types only in comments, but the runtime accepts these types."
        refs: ["T-10", "T-11"]
        cwe: ["CWE-617"]
    }
    FT_LAYOUT_FITS_SEGMENT = "ft-layout-fits-segment", Must, Policy, File, Data, "flat-tensor" {
        "The byte count that `tensor_layout` requires is at most the `size` of the entry's segment."
        rationale: "If the tensor requires more bytes than the segment has, the tensor extends past the segment's end. \
            In a mapped file, the tensor then includes bytes of the next segment. If a reader loads only this segment, \
            the tensor extends past the allocation."
        readers: "Some readers do not compare the byte count of the layout with the segment's `size`. A comparison \
            with the layout in the program does not detect the error, because no layout contains the size of the \
            segment."
        source: "A reader loads `size` bytes, but a tensor uses as many bytes as its layout requires."
        refs: ["X-08", "S-11"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FT_LAYOUT_FILLS_SEGMENT = "ft-layout-fills-segment", Should, Writer, File, Data, "flat-tensor" {
        "The byte count that `tensor_layout` requires is at least the `size` of the entry's segment."
        rationale: "If the segment is larger than the tensor, the segment's last bytes belong to no tensor. Readers \
            load such extra bytes, which can contain hidden data."
        readers: "No reader checks the rule, because a tensor begins at the segment's start and does not use extra \
            bytes."
        source: "In the official writers, the segment of each tensor has exactly the tensor's byte count. The rule's \
            strength is `should` because extra bytes do not affect readers."
        refs: ["S-11"]
    }
}

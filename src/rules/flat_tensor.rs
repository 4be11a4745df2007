//! Segments, named data and tensor layouts of a data file: chapter `flat-tensor` of the book.

rules! {
    FT_VERIFIED = "ft-verified", Must, Reader, Structure, "flat-tensor" {
        "A reader verifies every offset, vtable, vector and string of the FlatBuffer before using it."
        rationale: "Data files come from untrusted sources, as programs do. In an unchecked FlatBuffer, every \
            offset is a pointer under the author's control. One changed word can send a reader outside the buffer."
        readers: "ExecuTorch's data-file reader runs no FlatBuffers verifier, as pytorch/executorch#22118 states. \
            Since 1.5.1, the reader returns InvalidExternalData (0x24) for a root offset out of range. ExecuTorch's \
            Python reader relies on `flatc`."
        source: "This project infers the rule from InternalConsistency, the verification level that a caller can \
            request for programs. The rules in the section `flatbuffer` list the conditions for files."
        refs: ["X-13", "X-03", "pytorch/executorch#22118"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FT_VERSION = "ft-version", Must, File, Meta, "flat-tensor" {
        "`version` is 0."
        rationale: "A higher version announces other fields or other meanings of the known fields. A reader that \
            assumes the known meanings gets wrong tensors or fails later."
        readers: "For another version, ExecuTorch's C++ reader returns InvalidExternalData (0x24) since 1.5.1. \
            ExecuTorch's Python reader raises NotImplementedError."
        source: "ExecuTorch defines `_FLAT_TENSOR_VERSION` and `kSchemaVersion` as 0, and no writer has written \
            another version. The version does not distinguish the legacy layout from the current layout; see \
            `ptdB-detect`."
        refs: ["H-13", "pytorch/executorch#22114", "pytorch/executorch#22117"]
        cwe: ["CWE-436"]
    }
    FT_LISTS_NONNULL = "ft-lists-nonnull", Must, File, Meta, "flat-tensor" {
        "`segments` and `named_data` are both present; either list may be empty."
        rationale: "A look-up reads the length of `named_data` and indexes `segments`. If one of the two lists is \
            absent, a careless reader dereferences a null pointer."
        readers: "If a list is absent, ExecuTorch's C++ reader returns InvalidExternalData (0x24) when it loads the \
            file, since 0.7.0. ExecuTorch's Python reader raises TypeError."
        source: "`FlatTensorDataMap::load` checks both lists. ExecuTorch's `flat_tensor.fbs` requires no field, so a \
            verifier accepts an absent list. The official writers always write both lists."
        cwe: ["CWE-476"]
    }
    FT_SEG_END_NO_OVERFLOW = "ft-seg-end-no-overflow", Must, File, Data, "flat-tensor" {
        "A segment's `offset + size` is at most 2^64 - 1."
        rationale: "A sum that wraps is small, so the sum passes every later comparison with the end of the data or \
            of the file."
        readers: "ExecuTorch's C++ reader rejects the look-up with InvalidExternalData (0x24) since 1.3.0. \
            ExecuTorch's C++ reader does not check a segment that no key refers to."
        source: "This project infers the rule in the same way as `seg-end-no-overflow` for programs. The function \
            `get_named_data` in `flat_tensor_data_map.cpp` checks the sum."
        refs: ["X-09", "S-06", "pytorch/executorch#19057"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FT_SEG_ABS_NO_OVERFLOW = "ft-seg-abs-no-overflow", Must, File, Data, "flat-tensor" {
        "`segment_base_offset` plus a segment's `offset` and `size` is at most 2^64 - 1."
        rationale: "A sum that wraps is a position near the start of the file. A careless reader uses the sum and \
            returns bytes of the header and the FlatBuffer as a tensor's data."
        readers: "If a segment's `offset + size` exceeds the end of the data, ExecuTorch's C++ reader rejects the \
            look-up with InvalidExternalData (0x24). After this check, the sum with the base cannot wrap in a file \
            with a valid header. Some readers do not compare `offset + size` with the end of the data."
        source: "This project infers the rule in the same way as `seg-abs-no-overflow` for programs."
        refs: ["X-09", "S-05"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FT_SEG_BOUND = "ft-seg-bound", Must, File, Data, "flat-tensor" {
        "A segment's `offset + size` is at most `segment_data_size`."
        rationale: "Bytes past `segment_data_size` are not part of the declared data. Without the check, bytes that \
            were appended to the file become weights."
        readers: "ExecuTorch's data loaders reject a range past the end of the file with InvalidArgument (0x12). Since \
            1.0.0, a look-up returns InvalidExternalData (0x24) if a segment ends past the end of the data. A \
            segment's end counts from the base, but the end of the file counts from byte 0. A direct comparison of the \
            two ends is therefore wrong by `segment_base_offset` bytes."
        source: "This project infers the rule, because both `offset` and `segment_data_size` count from \
            `segment_base_offset`."
        refs: ["X-09", "pytorch/executorch#14188", "pytorch/executorch#19057", "pytorch/executorch#19860"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FT_SEG_SORTED = "ft-seg-sorted", Should, File, Data, "flat-tensor" {
        "The segments' offsets never decrease from one entry of `segments` to the next."
        rationale: "A reader may depend on the order if it streams the file or searches the list by offset."
        readers: "ExecuTorch's readers find segments by index, so they do not depend on the order."
        source: "A comment in ExecuTorch's `flat_tensor.fbs` calls the list sorted by offset, and the official writers \
            place segments in the order of the list. The strength is `should` because no reader needs the order."
        refs: ["X-10"]
    }
    FT_SEG_NO_OVERLAP = "ft-seg-no-overlap", Must, File, Data, "flat-tensor" {
        "The ranges from `offset` to `offset + size` of two different segments share no byte; an empty range overlaps \
            no other range."
        rationale: "If two tensors share bytes, a method that updates one tensor in place also changes the other \
            tensor. A scanner that checks only the first tensor does not detect that the second tensor interprets \
            the bytes differently."
        readers: "Some readers do not compare segments with each other, so overlapping segments load without an error."
        source: "The official writers place segments one after another and share a segment by its index only, as for \
            `seg-no-overlap` in programs. No document forbids overlap, so the strength of this rule is this project's \
            decision."
        refs: ["X-10", "S-07"]
    }
    FT_SEG_ALIGNED = "ft-seg-aligned", Should, File, Data, "flat-tensor" {
        "A segment's `offset` is a multiple of 16."
        rationale: "If a reader maps the file, a tensor's alignment in memory depends on its alignment in the file. \
            A misaligned tensor needs a copy, or causes a fault in a kernel that requires alignment."
        readers: "No reader checks the alignment. Loaders that copy a segment put its bytes into aligned memory."
        source: "ExecuTorch's Python writer aligns a segment to the least common multiple of its blob's alignment and \
            128 (16 before 1.1.0). The C++ writer aligns a segment to the caller's tensor alignment. No file records \
            the alignment, so the rule uses 16, the smallest default."
        refs: ["X-10"]
    }
    FT_SEG_PADDING_ZERO = "ft-seg-padding-zero", Should, File, Data, "flat-tensor" {
        "From `segment_base_offset` to the end of the last segment, every byte outside all segments is zero."
        rationale: "No table refers to the padding between segments, so the padding can contain hidden data."
        readers: "No reader checks bytes between segments."
        source: "The official writers pad with zeros between segments, and write nothing after the last segment."
        refs: ["H-15"]
    }
    FT_SEG_REFERENCED = "ft-seg-referenced", Should, File, Data, "flat-tensor" {
        "An entry of `named_data` refers to each segment; in the legacy layout, an entry of `tensors` can refer to it \
            instead."
        rationale: "No reader loads or checks an unreferenced segment. An unreferenced segment can hide any amount \
            of data."
        readers: "No reader checks the rule."
        source: "The official writers create segments only for entries of `named_data` and, in the legacy layout, for \
            tensors."
        refs: ["H-15"]
    }
    FT_KEY_NONNULL = "ft-key-nonnull", Must, File, Data, "flat-tensor" {
        "Every entry of `named_data` has a `key`."
        rationale: "A look-up compares the key of each entry until a key matches. At an entry without a key, a \
            careless reader dereferences a null pointer. A careless reader also dereferences a null pointer when a \
            caller lists the keys."
        readers: "A verifier accepts an absent key, and some readers compare keys without a check that the key is \
            present."
        source: "This project infers the rule from the look-ups, which scan the entries in order. ExecuTorch's \
            `flat_tensor.fbs` requires no field."
        refs: ["X-06"]
        cwe: ["CWE-476"]
    }
    FT_KEY_NONEMPTY = "ft-key-nonempty", Should, File, Data, "flat-tensor" {
        "No `key` of `named_data` is the empty string."
        rationale: "A caller that passes an empty key by mistake gets this blob instead of an error."
        readers: "No reader checks the rule."
        source: "This project infers the rule, because keys are the names of tensors and of blobs for backends, which \
            are never empty."
        refs: ["X-06"]
    }
    FT_KEY_UNIQUE = "ft-key-unique", Must, File, Data, "flat-tensor" {
        "No two entries of `named_data` have the same `key`."
        rationale: "With a repeated key, the reader decides which of the two blobs a program gets. A file can show \
            harmless weights to a scanner and load malicious weights on the device."
        readers: "ExecuTorch's Module API uses a map over several data files. The map rejects a repeated key with \
            InvalidArgument (0x12), even within one file. Readers of a single file differ: some readers return the \
            first entry, and others return the last entry."
        source: "A comment in ExecuTorch's `flat_tensor.fbs` calls the key the unique id of the blob, and the official \
            writers take the entries from a map."
        refs: ["X-10"]
        cwe: ["CWE-694", "CWE-436"]
    }
    FT_SEG_INDEX = "ft-seg-index", Must, File, Data, "flat-tensor" {
        "The `segment_index` of an entry of `named_data` is below the number of segments."
        rationale: "With an index past the end of `segments`, a careless reader interprets arbitrary bytes as the \
            segment's offset and size."
        readers: "ExecuTorch's C++ reader rejects the look-up with InvalidExternalData (0x24)."
        source: "The function `get_named_data` in `flat_tensor_data_map.cpp` checks the index. ExecuTorch's \
            `flat_tensor.fbs` declares the index as `uint32`, so a verifier accepts any number."
        refs: ["X-09"]
        cwe: ["CWE-129", "CWE-125"]
    }
    FT_NONEMPTY = "ft-nonempty", May, File, Meta, "flat-tensor" {
        "`named_data` has at least one entry."
        rationale: "The result of loading a file without entries depends on the reader. Some readers load the file \
            alone but reject it among several data files."
        readers: "ExecuTorch's single-file reader opens a file without entries. ExecuTorch's map over several data \
            files returns InvalidArgument (0x12) when every file is empty."
        source: "`MergedDataMap::load` in `extension/named_data_map` rejects empty files. The official writer writes \
            empty files and no document mentions them, so the strength is `may`."
    }
    FT_LAYOUT_OPTIONAL = "ft-layout-optional", Must, Reader, Meta, "flat-tensor" {
        "A reader accepts an entry without `tensor_layout` as a blob, returns its bytes, and rejects a request for its \
            layout."
        rationale: "A blob for a backend has no layout. A reader that follows the absent offset reads near address \
            0. A reader that invents a layout gives the bytes a wrong type."
        readers: "ExecuTorch returns the bytes without using the layout. When a caller requests the layout, some \
            readers do not check whether it is present."
        source: "ExecuTorch's `flat_tensor.fbs` calls the field optional, and the official writer omits the field for \
            blobs that are not tensors."
        refs: ["X-05"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_SIZES = "ft-layout-sizes", Must, File, Meta, "flat-tensor" {
        "A `tensor_layout` has `sizes`; for a tensor of rank 0, `sizes` is an empty vector."
        rationale: "The rank and every size come from this vector. If the vector is absent, a careless reader \
            dereferences a null pointer."
        readers: "A verifier accepts absent `sizes`, and some readers read the length of `sizes` without a check that \
            the vector is present."
        source: "This project infers the rule from the use of the field; ExecuTorch's `flat_tensor.fbs` requires no \
            field. The official writers write an empty vector for rank 0, so an absent vector does not mean rank 0."
        refs: ["X-04"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_DIMORDER = "ft-layout-dimorder", Must, File, Meta, "flat-tensor" {
        "A `tensor_layout` has a `dim_order`; for a tensor of rank 0, `dim_order` is an empty vector."
        rationale: "The vector states the order of the dimensions in memory. If the vector is absent, a careless \
            reader dereferences a null pointer."
        readers: "A verifier accepts an absent `dim_order`, and some readers read the entries of the vector without a \
            check that it is present."
        source: "This project infers the rule from the use of the field; ExecuTorch's `flat_tensor.fbs` requires no \
            field. The official writers write an empty vector for rank 0, so an absent vector does not mean rank 0."
        refs: ["X-04"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_RANK = "ft-layout-rank", Must, File, Meta, "flat-tensor" {
        "`sizes` and `dim_order` have the same length, which is at most 16."
        rationale: "If `dim_order` is shorter than `sizes`, a careless reader reads past its end. More than 16 \
            dimensions overflow arrays of fixed size in the runtime and its kernels, as CVE-2025-54951 shows for \
            programs."
        readers: "ExecuTorch's `TensorLayout::create` rejects different lengths with InvalidArgument (0x12). A reader \
            that assumes the length of `sizes` for `dim_order` never detects the difference."
        source: "`runtime/core/tensor_layout.cpp` requires equal lengths. The runtime's `kTensorDimensionLimit` is 16, \
            and ExecuTorch enforces this limit for programs since 1.0.0."
        refs: ["X-07", "T-08", "CVE-2025-54951", "GHSA-xc7w-r669-48pf", "pytorch/executorch#12684"]
        cwe: ["CWE-129", "CWE-787"]
    }
    FT_LAYOUT_PERM = "ft-layout-perm", Must, File, Meta, "flat-tensor" {
        "`dim_order` contains each number from 0 to rank - 1 exactly once."
        rationale: "Only a permutation gives every element its own position. If a number is repeated, some elements \
            share bytes, and some bytes belong to no element."
        readers: "ExecuTorch's `TensorLayout::create` rejects numbers outside that range with InvalidArgument (0x12). \
            ExecuTorch requires a permutation in programs since 1.2.0; some readers of data files accept repeated \
            numbers."
        source: "The comment on `dim_order` in ExecuTorch's `flat_tensor.fbs` describes an order of all dimensions."
        refs: ["T-07", "pytorch/executorch#17314"]
        cwe: ["CWE-129", "CWE-787"]
    }
    FT_LAYOUT_SIZES_NONNEG = "ft-layout-sizes-nonneg", Must, File, Meta, "flat-tensor" {
        "No entry of `sizes` is negative."
        rationale: "A negative size becomes a very large number when a reader converts it to an unsigned type. In a \
            signed product, a negative size can give any small number of bytes."
        readers: "ExecuTorch's `TensorLayout::create` returns InvalidArgument (0x12) for a negative size."
        source: "The function `calculate_nbytes` in `runtime/core/tensor_layout.cpp` checks the sign. ExecuTorch's \
            `flat_tensor.fbs` declares sizes as signed `int32`, so a verifier accepts negative sizes."
        refs: ["X-11", "pytorch/executorch#7870"]
        cwe: ["CWE-195", "CWE-190"]
    }
    FT_LAYOUT_NBYTES = "ft-layout-nbytes", Must, File, Meta, "flat-tensor" {
        "The product of `sizes` (0 if any size is 0) is below 2^63, and that product times the scalar type's width is \
            below 2^64."
        rationale: "If the product wraps, an allocation or a check uses a small number, but kernels use the large \
            sizes. CVE-2025-30402 is a heap overflow with this cause in programs."
        readers: "Since 1.3.0, ExecuTorch's `TensorLayout::create` returns InvalidArgument (0x12) if the element count \
            or the byte count overflows. ExecuTorch multiplies from left to right, so a late size of 0 does not \
            prevent an earlier overflow. This rule permits a late size of 0."
        source: "The function `calculate_nbytes` in `runtime/core/tensor_layout.cpp` checks both products. On 64-bit \
            hosts, the runtime counts elements in `ssize_t` and bytes in `size_t`; the ranges of these types give the \
            limits."
        refs: [
            "T-02", "T-03", "CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217",
            "pytorch/executorch#19055",
        ]
        cwe: ["CWE-190"]
    }
    FT_LAYOUT_SCALAR = "ft-layout-scalar", Must, File, Meta, "flat-tensor" {
        "`scalar_type` is one of 0 to 29."
        rationale: "A reader looks up the width of an element by the scalar type. For an unknown type, the reader \
            stops in an assertion or reads past the table of widths."
        readers: "ExecuTorch's Python reader raises KeyError. Some readers do not check the type before they look up \
            the width."
        source: "The runtime can compute the width of the types 0 to 29. These types include the complex types 8 to 10 \
            and the bit types 18 to 21. ExecuTorch's `scalar_type.fbs` lists the complex types and the bit types in \
            comments only, but the runtime accepts them."
        refs: ["T-10", "T-11"]
        cwe: ["CWE-617"]
    }
    FT_LAYOUT_FITS_SEGMENT = "ft-layout-fits-segment", Must, File, Data, "flat-tensor" {
        "The bytes that `tensor_layout` needs are at most the `size` of the entry's segment."
        rationale: "A tensor that needs more bytes extends past the segment's end. In a mapped file, the tensor \
            includes bytes of the next segment. In a segment that was loaded alone, the tensor extends past the \
            allocation."
        readers: "Some readers do not compare the byte count of the layout with the segment's `size`. A comparison \
            with the layout of the program's tensor is no substitute, because neither layout states the size of the \
            segment."
        source: "This project infers the rule: a reader loads `size` bytes, but a tensor uses as many bytes as its \
            layout requires."
        refs: ["X-08", "S-11"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FT_LAYOUT_FILLS_SEGMENT = "ft-layout-fills-segment", Should, File, Data, "flat-tensor" {
        "The bytes that `tensor_layout` needs are at least the `size` of the entry's segment."
        rationale: "The remaining bytes belong to no tensor, so they can contain hidden data that a reader loads."
        readers: "No reader checks the rule, because a tensor begins at the segment's start."
        source: "The official writers give each tensor a segment of exactly its own size. The strength is `should` \
            because extra bytes do not affect readers."
        refs: ["S-11"]
    }
}

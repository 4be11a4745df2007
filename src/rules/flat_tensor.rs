//! Rules of `FlatTensor`: the segments, named data and tensor layouts of a data file.

rules! {
    FT_VERIFIED = "ft-verified", Must, Reader, Structure, "flat-tensor" {
        "A reader checks every offset, vtable, vector and string of the FlatBuffer before it follows it."
        why: "Data files come from outside, as programs do. In an unchecked FlatBuffer every offset is a pointer under \
            the author's control. One changed word can lead a reader out of the buffer."
        readers: "ExecuTorch's data-file reader runs no FlatBuffers verifier, as pytorch/executorch#22118 states. \
            Since 1.5.1 it checks the range of the root offset and returns InvalidExternalData (0x24). Its Python \
            reader relies on `flatc`."
        source: "Inferred from InternalConsistency, the verification that a caller can request for programs. The rules \
            of the FlatBuffer's structure state what a file can break."
        refs: ["X-13", "X-03", "pytorch/executorch#22118"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FT_VERSION = "ft-version", Must, File, Meta, "flat-tensor" {
        "`version` is 0."
        why: "A higher version announces other fields, or another meaning of these fields. A reader that uses the \
            known meaning gets wrong tensors or fails later."
        readers: "ExecuTorch's C++ reader returns InvalidExternalData (0x24) since 1.5.1. Its Python reader raises \
            NotImplementedError."
        source: "`_FLAT_TENSOR_VERSION` and `kSchemaVersion`: 0 is the only version that writers have ever written. \
            The version does not distinguish the legacy layout from the current one; see `ptdB-detect`."
        refs: ["H-13", "pytorch/executorch#22114", "pytorch/executorch#22117"]
        cwe: ["CWE-436"]
    }
    FT_LISTS_NONNULL = "ft-lists-nonnull", Must, File, Meta, "flat-tensor" {
        "`segments` and `named_data` are both present; they may be empty."
        why: "A look-up reads the length of `named_data` and indexes `segments`. A careless reader dereferences a null \
            pointer where one of the two lists is absent."
        readers: "ExecuTorch's C++ reader returns InvalidExternalData (0x24) when it loads the file, since 0.7.0. Its \
            Python reader raises TypeError."
        source: "`FlatTensorDataMap::load`. The schema requires no field, so a verifier accepts the absence. The \
            writers always write both."
        cwe: ["CWE-476"]
    }
    FT_SEG_END_NO_OVERFLOW = "ft-seg-end-no-overflow", Must, File, Data, "flat-tensor" {
        "A segment's `offset + size` is at most 2^64 - 1."
        why: "A sum that wraps is small and passes every later comparison with the end of the data or of the file."
        readers: "ExecuTorch's C++ reader rejects the look-up with InvalidExternalData (0x24) since 1.3.0. It does not \
            check a segment that no key names."
        source: "Inferred in the same way as `seg-end-no-overflow` for programs. `get_named_data` in \
            `flat_tensor_data_map.cpp` checks the sum."
        refs: ["X-09", "S-06", "pytorch/executorch#19057"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FT_SEG_ABS_NO_OVERFLOW = "ft-seg-abs-no-overflow", Must, File, Data, "flat-tensor" {
        "`segment_base_offset` plus a segment's `offset` and `size` is at most 2^64 - 1."
        why: "A sum that wraps is a position near the start of the file. A careless reader then returns header and \
            FlatBuffer as a tensor's data."
        readers: "ExecuTorch's C++ reader rejects the look-up of a segment whose `offset + size` is past the end of \
            the data, with InvalidExternalData (0x24). With a valid header, this sum then cannot wrap. Some readers do \
            not make that comparison first."
        source: "Inferred in the same way as `seg-abs-no-overflow` for programs."
        refs: ["X-09", "S-05"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FT_SEG_BOUND = "ft-seg-bound", Must, File, Data, "flat-tensor" {
        "A segment's `offset + size` is at most `segment_data_size`."
        why: "The header does not declare the bytes past that end. Without the check, bytes appended to the file \
            become weights."
        readers: "ExecuTorch's data loaders reject a range past the end of the file with InvalidArgument (0x12). Since \
            1.0.0 a look-up compares a segment's end with the end of the data and returns InvalidExternalData (0x24). \
            A segment's end counts from the base, and the file's end from byte 0. A direct comparison of the two ends \
            is therefore wrong by the size of the base."
        source: "This project infers the rule: both `offset` and `segment_data_size` count from `segment_base_offset`."
        refs: ["X-09", "pytorch/executorch#14188", "pytorch/executorch#19057", "pytorch/executorch#19860"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FT_SEG_SORTED = "ft-seg-sorted", Should, File, Data, "flat-tensor" {
        "The segments' offsets never decrease from one entry of the table to the next."
        why: "A reader that streams the file, or searches the table by offset, may depend on the order."
        readers: "No ExecuTorch reader depends on the order, because they find segments by index."
        source: "A comment in `flat_tensor.fbs` calls the table sorted, and writers place segments in its order. The \
            rule is a SHOULD because no reader needs the order."
        refs: ["X-10"]
    }
    FT_SEG_NO_OVERLAP = "ft-seg-no-overlap", Must, File, Data, "flat-tensor" {
        "No byte belongs to two segments: the ranges from `offset` to `offset + size` are disjoint; an empty range is \
            disjoint from all."
        why: "If two tensors use the same bytes, a method that updates one tensor in place also changes the other \
            tensor. A check of one tensor also covers bytes that the other tensor reinterprets."
        readers: "Some readers do not compare segments with each other; a load of one segment succeeds without the \
            comparison."
        source: "As `seg-no-overlap` in programs: writers place segments one after another, and share a segment by its \
            index. No text forbids overlap, so the strength of this rule is this project's decision."
        refs: ["X-10", "S-07"]
    }
    FT_SEG_ALIGNED = "ft-seg-aligned", Should, File, Data, "flat-tensor" {
        "A segment's `offset` is a multiple of 16."
        why: "Where a reader maps the file, a tensor's alignment in memory follows its alignment in the file. A \
            misaligned tensor needs a copy, or faults in a kernel that requires alignment."
        readers: "No reader checks the alignment. Loaders that copy put the bytes into aligned memory."
        source: "The Python writer aligns a segment to the least common multiple of its blob's alignment and 128, or \
            16 before 1.1.0. The C++ writer aligns to its caller's tensor alignment. No file records the alignment. 16 \
            is the smallest default."
        refs: ["X-10"]
    }
    FT_SEG_PADDING_ZERO = "ft-seg-padding-zero", Should, File, Data, "flat-tensor" {
        "The bytes from `segment_base_offset` to the end of the last segment that belong to no segment are zero."
        why: "No table refers to these bytes, so they can hide data inside what looks like segment data."
        readers: "No reader checks these bytes."
        source: "Writers pad with zeros between segments, and write nothing after the last segment."
        refs: ["H-15"]
    }
    FT_SEG_REFERENCED = "ft-seg-referenced", Should, File, Data, "flat-tensor" {
        "An entry of `named_data` or, in the legacy layout, of `tensors` names every segment."
        why: "No reader loads or checks a segment that no entry names. Such a segment is the largest place in a file \
            to hide data."
        readers: "No reader requires a key for each segment."
        source: "Writers create segments only for entries of `named_data` and, in the legacy layout, for tensors."
        refs: ["H-15"]
    }
    FT_KEY_NONNULL = "ft-key-nonnull", Must, File, Data, "flat-tensor" {
        "Every entry of `named_data` has a `key`."
        why: "A look-up compares the key of each entry up to the match. A reader that meets an absent key dereferences \
            a null pointer in every look-up of a later entry and whenever a caller lists the keys."
        readers: "A verifier accepts the absence, and some readers compare the key without a check for its absence."
        source: "Inferred from the look-ups, which scan the entries in order. The schema requires no field, so this \
            rule states the presence."
        refs: ["X-06"]
        cwe: ["CWE-476"]
    }
    FT_KEY_NONEMPTY = "ft-key-nonempty", Should, File, Data, "flat-tensor" {
        "No `key` of `named_data` is the empty string."
        why: "A caller whose own key is empty by mistake gets this blob instead of an error."
        readers: "No reader checks the rule."
        source: "This project infers the rule: keys are the names of tensors and of backends' blobs, which are never \
            empty."
        refs: ["X-06"]
    }
    FT_KEY_UNIQUE = "ft-key-unique", Must, File, Data, "flat-tensor" {
        "No two entries of `named_data` have the same `key`."
        why: "Which of the two blobs a program gets depends on the reader. A file can show one set of weights to a \
            scanner and another set to the device."
        readers: "ExecuTorch's Module API uses a map over several data files. That map rejects a repeated key with \
            InvalidArgument (0x12), even within one file. Readers of a single file differ: some return the first \
            entry, others the last."
        source: "The schema calls the key the unique id of the blob, and the official writers take the entries from a \
            map."
        refs: ["X-10"]
        cwe: ["CWE-694", "CWE-436"]
    }
    FT_SEG_INDEX = "ft-seg-index", Must, File, Data, "flat-tensor" {
        "The `segment_index` of an entry of `named_data` is below the number of segments."
        why: "With an index past the table, a careless reader takes the segment's offset and size from other bytes."
        readers: "ExecuTorch's C++ reader rejects the look-up with InvalidExternalData (0x24)."
        source: "`get_named_data` in `flat_tensor_data_map.cpp`. The schema's type is `u32`, so a verifier accepts any \
            index."
        refs: ["X-09"]
        cwe: ["CWE-129", "CWE-125"]
    }
    FT_NONEMPTY = "ft-nonempty", May, File, Meta, "flat-tensor" {
        "`named_data` has at least one entry."
        why: "Whether a file without entries loads depends on how a program opens it: alone, or as one of several data \
            files."
        readers: "ExecuTorch's single-file reader opens it. Its map over several data files returns InvalidArgument \
            (0x12) when all of them are empty."
        source: "`MergedDataMap::load` in `extension/named_data_map`. The official writer writes empty files, and no \
            text mentions them, so the rule is a MAY."
    }
    FT_LAYOUT_OPTIONAL = "ft-layout-optional", Must, Reader, Meta, "flat-tensor" {
        "A reader accepts an entry without `tensor_layout` as a blob, returns its bytes, and answers a request for its \
            layout with an error."
        why: "A blob for a backend has no layout. A reader that follows the absent offset reads near address 0; a \
            reader that invents a layout gives the bytes a wrong type."
        readers: "ExecuTorch returns the bytes without using the layout. Public reports show that some readers do not \
            check for a layout when a caller requests it."
        source: "The schema calls the field optional, and the official writer omits it for blobs that are not tensors."
        refs: ["X-05"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_SIZES = "ft-layout-sizes", Must, File, Meta, "flat-tensor" {
        "A `tensor_layout` has `sizes`; a tensor of rank 0 has an empty vector."
        why: "The rank and every size come from this vector. A careless reader dereferences a null pointer where the \
            vector is absent."
        readers: "A verifier accepts the absence. Public reports show that some readers do not check for the vector \
            before they read its length."
        source: "Inferred from the use of the field; the schema requires no field. The writers write an empty vector \
            for rank 0, so absent and empty differ."
        refs: ["X-04"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_DIMORDER = "ft-layout-dimorder", Must, File, Meta, "flat-tensor" {
        "A `tensor_layout` has a `dim_order`; a tensor of rank 0 has an empty vector."
        why: "The vector states the order of the dimensions in memory. Where the vector is absent, a careless reader \
            dereferences a null pointer to get one entry for each size."
        readers: "A verifier accepts the absence. Public reports show that some readers do not check for the vector \
            before they read its entries."
        source: "Inferred from the use of the field; the schema requires no field. The writers write an empty vector \
            for rank 0, so absent and empty differ."
        refs: ["X-04"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_RANK = "ft-layout-rank", Must, File, Meta, "flat-tensor" {
        "`sizes` and `dim_order` have the same length, at most 16."
        why: "A careless reader reads past the end of a shorter `dim_order`. More than 16 dimensions overflow arrays \
            of fixed size in the runtime and its kernels, as CVE-2025-54951 shows for programs."
        readers: "ExecuTorch's `TensorLayout::create` rejects different lengths with InvalidArgument (0x12). A reader \
            that builds both views with the length of `sizes` never notices the difference."
        source: "`runtime/core/tensor_layout.cpp`, and the runtime's `kTensorDimensionLimit`, which is 16. Programs \
            have this limit since 1.0.0."
        refs: ["X-07", "T-08", "CVE-2025-54951", "GHSA-xc7w-r669-48pf", "pytorch/executorch#12684"]
        cwe: ["CWE-129", "CWE-787"]
    }
    FT_LAYOUT_PERM = "ft-layout-perm", Must, File, Meta, "flat-tensor" {
        "`dim_order` contains each number from 0 to rank - 1 exactly once."
        why: "Only a permutation gives every element its own place. With a repeated number, some elements share bytes \
            and no element uses others."
        readers: "ExecuTorch's `TensorLayout::create` rejects numbers outside that range with InvalidArgument (0x12). \
            Its program reader requires a permutation since 1.2.0; some readers of data files do not."
        source: "The comment on `dim_order` in `flat_tensor.fbs`, which calls it an order of all dimensions."
        refs: ["T-07", "pytorch/executorch#17314"]
        cwe: ["CWE-129", "CWE-787"]
    }
    FT_LAYOUT_SIZES_NONNEG = "ft-layout-sizes-nonneg", Must, File, Meta, "flat-tensor" {
        "No entry of `sizes` is negative."
        why: "Converted to unsigned, a negative size is very large. In a signed product, it can give any small number \
            of bytes."
        readers: "ExecuTorch's `TensorLayout::create` returns InvalidArgument (0x12)."
        source: "`calculate_nbytes` in `runtime/core/tensor_layout.cpp`. The schema's type is a signed `i32`, so a \
            verifier accepts negative sizes."
        refs: ["X-11", "pytorch/executorch#7870"]
        cwe: ["CWE-195", "CWE-190"]
    }
    FT_LAYOUT_NBYTES = "ft-layout-nbytes", Must, File, Meta, "flat-tensor" {
        "The product of `sizes` (0 if any size is 0) is below 2^63, and the product times the scalar type's width is \
            below 2^64."
        why: "If the product wraps, an allocation or a check uses a small number, and kernels use the large sizes. \
            CVE-2025-30402 is such a heap overflow in programs."
        readers: "ExecuTorch's `TensorLayout::create` rejects both overflows with InvalidArgument (0x12) since 1.3.0. \
            It multiplies from left to right, so a size of 0 prevents an overflow only if it comes early enough. This \
            rule leaves that case open."
        source: "`calculate_nbytes` in `runtime/core/tensor_layout.cpp`. The bounds are those of `ssize_t` and \
            `size_t` on 64-bit hosts, in which the runtime counts elements and bytes."
        refs: [
            "T-02", "T-03", "CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217",
            "pytorch/executorch#19055",
        ]
        cwe: ["CWE-190"]
    }
    FT_LAYOUT_SCALAR = "ft-layout-scalar", Must, File, Meta, "flat-tensor" {
        "`scalar_type` is one of 0 to 29."
        why: "A reader looks up the width of an element by this number. For an unknown number it stops in an assertion \
            or reads past its table."
        readers: "ExecuTorch's Python reader raises KeyError. Some readers do not check the type before they look up \
            the width."
        source: "The types whose width the runtime knows. They include the complex types 8 to 10 and the bit types 18 \
            to 21, which `scalar_type.fbs` contains in comments only and the runtime accepts."
        refs: ["T-10", "T-11"]
        cwe: ["CWE-617"]
    }
    FT_LAYOUT_FITS_SEGMENT = "ft-layout-fits-segment", Must, File, Data, "flat-tensor" {
        "The bytes that `tensor_layout` needs are at most the `size` of the entry's segment."
        why: "A tensor of this layout extends past the segment's bytes. In a mapped file it reads the next segment; in \
            a separately loaded segment it reads past the allocation."
        readers: "Some readers do not compare the two values. A comparison with the layout of the \
            program's tensor does not help, because neither layout states how many bytes exist."
        source: "This project infers the rule: a reader loads `size` bytes, and a tensor uses the bytes of its layout."
        refs: ["X-08", "S-11"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FT_LAYOUT_FILLS_SEGMENT = "ft-layout-fills-segment", Should, File, Data, "flat-tensor" {
        "The bytes that `tensor_layout` needs are at least the `size` of the entry's segment."
        why: "No tensor uses the remaining bytes, so a reader loads bytes that can contain anything."
        readers: "No reader checks the rule; a tensor begins at the segment's start."
        source: "Writers give each tensor a segment of exactly its own bytes. The rule is a SHOULD because extra bytes \
            are harmless to readers."
        refs: ["S-11"]
    }
}

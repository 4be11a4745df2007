//! `FlatTensor`: segments, named data and tensor layouts of a data file (specification, section 1.16).

rules! {
    FT_VERIFIED = "ft-verified", Must, Reader, Structure, "flat-tensor" {
        "A reader checks every reference, vtable, vector and string of the FlatBuffer before it follows it."
        why: "Data files come from outside as programs do. Without a check every offset in one is a pointer that its \
            author chose, and changing single words is enough to lead a reader out of the buffer."
        readers: "ExecuTorch's data-file reader runs no FlatBuffers verifier, as pytorch/executorch#22118 states; \
            since 1.5.1 it checks the range of the root offset, InvalidExternalData (0x24). Its Python reader leaves \
            the FlatBuffer to `flatc`."
        source: "Derived from what the readers of programs can be asked to do, InternalConsistency. What a file can \
            break has rules of its own in section 1.1."
        refs: ["X-13", "X-03", "pytorch/executorch#22118"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FT_VERSION = "ft-version", Must, File, Meta, "flat-tensor" {
        "`version` is 0."
        why: "A higher number announces other fields or another meaning of these. Read as the known ones, they give \
            wrong tensors, or fail far from the cause."
        readers: "ExecuTorch's C++ reader answers InvalidExternalData (0x24) since 1.5.1. Its Python reader raises \
            NotImplementedError."
        source: "`_FLAT_TENSOR_VERSION` and `kSchemaVersion`: 0 is the only version of the schema that was ever \
            written. It does not tell the older layout from the current one: see `ptdB-detect`."
        refs: ["H-13", "pytorch/executorch#22114", "pytorch/executorch#22117"]
        cwe: ["CWE-436"]
    }
    FT_LISTS_NONNULL = "ft-lists-nonnull", Must, File, Meta, "flat-tensor" {
        "`segments` and `named_data` are both present; they may be empty."
        why: "Look-ups begin with the length of the one and index the other, through a null pointer where it is absent."
        readers: "ExecuTorch's C++ reader answers InvalidExternalData (0x24) when it loads the file, since 0.7.0; its \
            Python reader raises TypeError."
        source: "`FlatTensorDataMap::load`. The schema requires no field, so a verifier lets the absence through; the \
            writers write both always."
        cwe: ["CWE-476"]
    }
    FT_SEG_END_NO_OVERFLOW = "ft-seg-end-no-overflow", Must, File, Data, "flat-tensor" {
        "A segment's `offset + size` is at most 2^64 - 1."
        why: "A sum that wraps is small, and passes every later comparison with the end of the data or of the file."
        readers: "ExecuTorch's C++ reader answers a look-up with InvalidExternalData (0x24) since 1.3.0; a segment \
            that no key refers to is not looked at."
        source: "Derived, as `seg-end-no-overflow` in programs; `get_named_data` in `flat_tensor_data_map.cpp` checks \
            it."
        refs: ["X-09", "S-06", "pytorch/executorch#19057"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FT_SEG_ABS_NO_OVERFLOW = "ft-seg-abs-no-overflow", Must, File, Data, "flat-tensor" {
        "`segment_base_offset` plus a segment's `offset` and `size` is at most 2^64 - 1."
        why: "A sum that wraps lands at the file's beginning, and header and FlatBuffer are handed out as a tensor's \
            data."
        readers: "ExecuTorch's C++ reader refuses the look-up of any segment whose `offset + size` is past the end of \
            the data, InvalidExternalData (0x24), after which, behind a sound header, this sum cannot wrap either. Not \
            every reader makes that comparison first."
        source: "Derived, as `seg-abs-no-overflow` in programs."
        refs: ["X-09", "S-05"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FT_SEG_BOUND = "ft-seg-bound", Must, File, Data, "flat-tensor" {
        "A segment's `offset + size` is at most `segment_data_size`."
        why: "Bytes past the declared end are ones that the header does not vouch for: whatever was appended to the \
            file becomes weights."
        readers: "ExecuTorch's data loaders refuse what is past the file's end, InvalidArgument (0x12). A look-up \
            compares a segment's end with the end of the data since 1.0.0, InvalidExternalData (0x24). A reader that \
            compares the one, counted from the base, with the other, counted from byte 0, is off by the base."
        source: "Derived: both `offset` and `segment_data_size` count from `segment_base_offset`."
        refs: ["X-09", "pytorch/executorch#14188", "pytorch/executorch#19057", "pytorch/executorch#19860"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FT_SEG_SORTED = "ft-seg-sorted", Should, File, Data, "flat-tensor" {
        "The segments' offsets never decrease from one entry of the table to the next."
        why: "A reader that streams the file, or searches the table by offset, may rely on it."
        readers: "No reader of ExecuTorch's depends on it: segments are found by index."
        source: "A comment in `flat_tensor.fbs` says that the table is sorted, and writers lay segments out in its \
            order. It is a should because no reader needs it."
        refs: ["X-10"]
    }
    FT_SEG_NO_OVERLAP = "ft-seg-no-overlap", Must, File, Data, "flat-tensor" {
        "No byte belongs to two segments: the ranges from `offset` to `offset + size` are disjoint, and one of size 0 \
            is disjoint from all."
        why: "Two tensors over the same bytes change with each other when one is updated in place, and a check of one \
            covers bytes that the other reinterprets."
        readers: "Not every reader compares segments with each other; loading them one by one does not need it."
        source: "As `seg-no-overlap` in programs: writers put segments one behind another and share a segment by its \
            index, and the format's picture leaves no room for overlap."
        refs: ["X-10", "S-07"]
    }
    FT_SEG_ALIGNED = "ft-seg-aligned", Should, File, Data, "flat-tensor" {
        "A segment's `offset` is a multiple of 16."
        why: "A tensor's place in memory follows its place in the file where a reader maps it, so one that is not \
            aligned costs a copy, or faults in a kernel that relies on it."
        readers: "No reader checks it; loaders that copy put the bytes into aligned memory of their own."
        source: "The Python writer aligns it to 128 and to what its blob asks for, the C++ writer to its caller's \
            tensor alignment, and neither records it. 16 is the smallest default, and so the most that can be said of \
            every file."
        refs: ["X-10"]
    }
    FT_SEG_PADDING_ZERO = "ft-seg-padding-zero", Should, File, Data, "flat-tensor" {
        "The bytes from `segment_base_offset` to the end of the last segment that belong to no segment are zero."
        why: "Nothing refers to these bytes, so anything can hide in them, inside what looks like segment data."
        readers: "No reader looks."
        source: "Writers pad between segments with zeros and put nothing behind the last."
        refs: ["H-15"]
    }
    FT_SEG_REFERENCED = "ft-seg-referenced", Should, File, Data, "flat-tensor" {
        "Every segment is referred to by an entry of `named_data` or, in the older layout, by a tensor."
        why: "A segment that nothing refers to is data that no one will load or check, and the largest place in a file \
            to hide something."
        readers: "No reader asks that each segment has a key."
        source: "Writers make segments for named entries and, in the older layout, for tensors, and for nothing else."
        refs: ["H-15"]
    }
    FT_KEY_NONNULL = "ft-key-nonnull", Must, File, Data, "flat-tensor" {
        "Every entry of `named_data` has a `key`."
        why: "Look-ups compare the key of each entry that they pass, so one absent key is a null pointer on the way to \
            every entry behind it, and to whoever lists the keys."
        readers: "A verifier lets the absence through, and not every reader looks before it compares."
        source: "Derived from the look-ups, which go through the table in order. The schema requires no field, so \
            being present is a rule of its own."
        refs: ["X-06"]
        cwe: ["CWE-476"]
    }
    FT_KEY_NONEMPTY = "ft-key-nonempty", Should, File, Data, "flat-tensor" {
        "No `key` of `named_data` is the empty string."
        why: "A caller whose own key came out empty, by a fault of its own, would be given this blob instead of an \
            error."
        readers: "No reader checks it."
        source: "Derived: keys are the names of tensors and of backends' blobs, which are never empty."
        refs: ["X-06"]
    }
    FT_KEY_UNIQUE = "ft-key-unique", Must, File, Data, "flat-tensor" {
        "No two entries of `named_data` have the same `key`."
        why: "Which of the two tensors a program gets depends on the reader, so a file can show one set of weights to \
            a scanner and another to the device."
        readers: "ExecuTorch's map over several data files, which its Module API uses, answers a second one with \
            InvalidArgument (0x12), within one file too. Readers of a single file differ: some return the first, \
            others the last."
        source: "The schema calls the key the unique id of the blob, and the official writers take entries from a map."
        refs: ["X-10"]
        cwe: ["CWE-694", "CWE-436"]
    }
    FT_SEG_INDEX = "ft-seg-index", Must, File, Data, "flat-tensor" {
        "The `segment_index` of an entry of `named_data` is below the number of segments."
        why: "An index past the table takes the segment's offset and size from other bytes of the file."
        readers: "ExecuTorch's C++ reader answers the look-up with InvalidExternalData (0x24)."
        source: "`get_named_data` in `flat_tensor_data_map.cpp`. The schema's type is any `u32`, which a verifier lets \
            through."
        refs: ["X-09"]
        cwe: ["CWE-129", "CWE-125"]
    }
    FT_NONEMPTY = "ft-nonempty", May, File, Meta, "flat-tensor" {
        "`named_data` has at least one entry."
        why: "Whether a file without entries loads depends on how it is opened: by itself, or as one of a set."
        readers: "ExecuTorch's single-file reader opens it; its map over several data files answers InvalidArgument \
            (0x12) when all of them are empty."
        source: "`MergedDataMap::load` in `extension/named_data_map`. The official writer makes empty files, and no \
            text speaks of them, so it is a may."
    }
    FT_LAYOUT_OPTIONAL = "ft-layout-optional", Must, Reader, Meta, "flat-tensor" {
        "A reader accepts an entry without `tensor_layout` as a blob, returns its bytes, and answers a request for its \
            layout with an error."
        why: "A blob for a backend has no layout to give. A reader that follows the missing reference reads from the \
            null page; one that makes a layout up gives the bytes a type that nobody wrote."
        readers: "ExecuTorch returns the bytes without looking at the layout. Not every reader asks whether there is \
            one when it is wanted, as public reports show."
        source: "The schema calls the field optional, and the official writer leaves it out for blobs that are no \
            tensors."
        refs: ["X-05"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_SIZES = "ft-layout-sizes", Must, File, Meta, "flat-tensor" {
        "A `tensor_layout` has `sizes`; those of a tensor of rank 0 are present and empty."
        why: "Rank and every size are read from it: where it is absent, through a null pointer."
        readers: "A verifier lets the absence through, and not every reader looks before it takes the length, as \
            public reports show."
        source: "Derived from its use; the schema requires no field. The writers write an empty vector for rank 0, so \
            absent is not empty."
        refs: ["X-04"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_DIMORDER = "ft-layout-dimorder", Must, File, Meta, "flat-tensor" {
        "A `tensor_layout` has a `dim_order`; that of a tensor of rank 0 is present and empty."
        why: "It says how the bytes are laid out: where it is absent, as many entries as there are sizes are read \
            through a null pointer."
        readers: "A verifier lets the absence through, and not every reader looks before it takes the entries, as \
            public reports show."
        source: "Derived from its use; the schema requires no field. The writers write an empty vector for rank 0, so \
            absent is not empty."
        refs: ["X-04"]
        cwe: ["CWE-476"]
    }
    FT_LAYOUT_RANK = "ft-layout-rank", Must, File, Meta, "flat-tensor" {
        "`sizes` and `dim_order` have the same length, at most 16."
        why: "A shorter `dim_order` is read past its end. More than 16 dimensions overflow the arrays of fixed size \
            that the runtime and its kernels keep for them, as happened in programs."
        readers: "ExecuTorch's `TensorLayout::create` answers different lengths with InvalidArgument (0x12). A reader \
            that makes both of its views with the length of `sizes` never sees the difference."
        source: "`runtime/core/tensor_layout.cpp`, and `kTensorDimensionLimit` of the runtime, which is 16. Programs \
            have the limit since 1.0.0."
        refs: ["X-07", "T-08", "CVE-2025-54951", "GHSA-xc7w-r669-48pf", "pytorch/executorch#12684"]
        cwe: ["CWE-129", "CWE-787"]
    }
    FT_LAYOUT_PERM = "ft-layout-perm", Must, File, Meta, "flat-tensor" {
        "`dim_order` holds each number from 0 to rank - 1 exactly once."
        why: "Only a permutation lays every element out once. A number that stands there twice gives strides by which \
            elements share bytes and others are never reached."
        readers: "ExecuTorch's `TensorLayout::create` answers numbers out of that range with InvalidArgument (0x12). \
            Its program reader demands a permutation since 1.2.0; not every reader of data files does."
        source: "The comment on `dim_order` in `flat_tensor.fbs`, which makes it an order of all dimensions."
        refs: ["T-07", "pytorch/executorch#17314"]
        cwe: ["CWE-129", "CWE-787"]
    }
    FT_LAYOUT_SIZES_NONNEG = "ft-layout-sizes-nonneg", Must, File, Meta, "flat-tensor" {
        "No entry of `sizes` is negative."
        why: "Taken as unsigned, a negative size is a huge one; multiplied as it is, it can bring the number of bytes \
            to any small value."
        readers: "ExecuTorch's `TensorLayout::create` answers InvalidArgument (0x12)."
        source: "`calculate_nbytes` in `runtime/core/tensor_layout.cpp`. The schema's type is a signed `i32`, so a \
            verifier lets it through."
        refs: ["X-11", "pytorch/executorch#7870"]
        cwe: ["CWE-195", "CWE-190"]
    }
    FT_LAYOUT_NBYTES = "ft-layout-nbytes", Must, File, Meta, "flat-tensor" {
        "The number of elements, which is the product of `sizes`, or 0 if one of them is 0, is below 2^63, and that \
            number times the scalar type's width is below 2^64."
        why: "A product that wraps is a small tensor to whoever allocates or checks, and a large one to whoever goes \
            by the sizes: a heap overflow, as it happened in programs."
        readers: "ExecuTorch's `TensorLayout::create` answers both overflows with InvalidArgument (0x12) since 1.3.0. \
            It multiplies from left to right, so a 0 saves a product only if it comes early enough; this rule leaves \
            that case open."
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
        why: "The width of an element is looked up by it. Of another number there is none, so a reader stops in an \
            assertion or reads past its table."
        readers: "ExecuTorch's Python reader raises KeyError. Not every reader asks whether the type is one before it \
            looks the width up."
        source: "The types that the runtime knows a width for. They include the complex types 8 to 10 and the bit \
            types 18 to 21, which `scalar_type.fbs` keeps in comments only and the runtime accepts."
        refs: ["T-10", "T-11"]
        cwe: ["CWE-617"]
    }
    FT_LAYOUT_FITS_SEGMENT = "ft-layout-fits-segment", Must, File, Data, "flat-tensor" {
        "The number of bytes that `tensor_layout` asks for is at most the `size` of the entry's segment."
        why: "A tensor of this layout over the segment's bytes is read past their end: into the next segment where the \
            file is mapped, and past an allocation where the segment was loaded by itself."
        readers: "Not every reader compares the two, as a public report shows. To compare the layout with that of the \
            program's tensor does not show it, as neither says how many bytes there are."
        source: "Derived from the use of the two: the segment's size is what is loaded, and the layout is what is read."
        refs: ["X-08", "S-11"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FT_LAYOUT_FILLS_SEGMENT = "ft-layout-fills-segment", Should, File, Data, "flat-tensor" {
        "The number of bytes that `tensor_layout` asks for is at least the `size` of the entry's segment."
        why: "No tensor accounts for the bytes that are left, so they are loaded with it and can be anything."
        readers: "No reader checks it; a tensor is read from the segment's start."
        source: "Writers give a tensor a segment of exactly its own bytes. It is a should because more is harmless to \
            readers."
        refs: ["S-11"]
    }
}

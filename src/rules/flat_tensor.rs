//! `FlatTensor`: segments, named data and tensor layouts of a data file (specification, section 1.16).

use super::rules;

rules! {
    FT_VERIFIED = "ft-verified", Must, Reader, Structure, "1.16" {
        "A reader checks every reference, vtable, vector and string of the FlatBuffer before it follows it."
        source: "Data files come from outside as programs do, and changing single words of one is enough to mislead \
            a reader that trusts them. What a file can break has rules of its own in section 1.1."
        refs: ["X-13", "X-03", "pytorch/executorch#22118"]
    }
    FT_VERSION = "ft-version", Must, File, Meta, "1.16" {
        "`version` is 0."
        source: "It is the only version of the schema that was ever written. ExecuTorch's Python reader refuses \
            others, and its C++ reader does since 1.5.1."
        refs: ["H-13", "pytorch/executorch#22114"]
    }
    FT_LISTS_NONNULL = "ft-lists-nonnull", Must, File, Meta, "1.16" {
        "`segments` and `named_data` are both present; they may be empty."
        source: "ExecuTorch's C++ reader refuses to load the file otherwise, and the writers write both always."
        refs: []
    }
    FT_SEG_END_NO_OVERFLOW = "ft-seg-end-no-overflow", Must, File, Data, "1.16" {
        "A segment's `offset + size` is at most 2^64 - 1."
        source: "As `seg-end-no-overflow` in programs: a sum that wraps passes every later comparison."
        refs: ["X-09", "S-06"]
    }
    FT_SEG_ABS_NO_OVERFLOW = "ft-seg-abs-no-overflow", Must, File, Data, "1.16" {
        "`segment_base_offset` plus a segment's `offset` and `size` is at most 2^64 - 1."
        source: "As `seg-abs-no-overflow` in programs: a sum that wraps lands in the file's own header."
        refs: ["X-09", "S-05"]
    }
    FT_SEG_BOUND = "ft-seg-bound", Must, File, Data, "1.16" {
        "A segment's `offset + size` is at most `segment_data_size`."
        source: "Both count from `segment_base_offset`; a reader that compares the one with the other plus the base \
            is off by the base. ExecuTorch's data loaders refuse what is past the file's end."
        refs: ["X-09", "pytorch/executorch#19057", "pytorch/executorch#19860"]
    }
    FT_SEG_SORTED = "ft-seg-sorted", Should, File, Data, "1.16" {
        "The segments' offsets never decrease from one entry of the table to the next."
        source: "A comment in the schema says that the table is sorted, and writers lay segments out in its order. \
            No reader depends on it."
        refs: ["X-10"]
    }
    FT_SEG_NO_OVERLAP = "ft-seg-no-overlap", Must, File, Data, "1.16" {
        "No byte belongs to two segments: the ranges from `offset` to `offset + size` are disjoint, and one of size \
            0 is disjoint from all."
        source: "As `seg-no-overlap` in programs: writers put segments one behind another and share a segment by its \
            index."
        refs: ["X-10", "S-07"]
    }
    FT_SEG_ALIGNED = "ft-seg-aligned", Should, File, Data, "1.16" {
        "A segment's `offset` is a multiple of 16."
        source: "The Python writer aligns it to 128 and to what its blob asks for, the C++ writer to its caller's \
            tensor alignment, and neither records it; 16 is the smallest default. No reader checks it."
        refs: ["X-10"]
    }
    FT_SEG_PADDING_ZERO = "ft-seg-padding-zero", Should, File, Data, "1.16" {
        "The bytes from `segment_base_offset` to the end of the last segment that belong to no segment are zero."
        source: "Writers pad between segments with zeros and put nothing behind the last. No reader looks."
        refs: ["H-15"]
    }
    FT_SEG_REFERENCED = "ft-seg-referenced", Should, File, Data, "1.16" {
        "Every segment is referred to by an entry of `named_data` or, in the older layout, by a tensor."
        source: "Writers make segments for nothing else. Bytes that nothing refers to can hide anything."
        refs: ["H-15"]
    }
    FT_KEY_NONNULL = "ft-key-nonnull", Must, File, Data, "1.16" {
        "Every entry of `named_data` has a `key`."
        source: "Look-ups compare the key of each entry that they pass. The schema leaves it optional, so a verifier \
            lets its absence through."
        refs: ["X-06"]
    }
    FT_KEY_NONEMPTY = "ft-key-nonempty", Should, File, Data, "1.16" {
        "No `key` of `named_data` is the empty string."
        source: "Keys are the names of tensors and of backends' blobs, which are never empty. No reader checks it."
        refs: ["X-06"]
    }
    FT_KEY_UNIQUE = "ft-key-unique", Must, File, Data, "1.16" {
        "No two entries of `named_data` have the same `key`."
        source: "The schema calls the key a unique id, and ExecuTorch's map over several data files refuses a second \
            one. Readers of a single file differ: some return the first, others the last."
        refs: ["X-10"]
    }
    FT_SEG_INDEX = "ft-seg-index", Must, File, Data, "1.16" {
        "The `segment_index` of an entry of `named_data` is below the number of segments."
        source: "ExecuTorch's C++ reader refuses the look-up."
        refs: ["X-09", "pytorch/executorch#19057", "pytorch/executorch#19860"]
    }
    FT_NONEMPTY = "ft-nonempty", Either, File, Meta, "1.16" {
        "`named_data` has at least one entry."
        source: "The official writer makes empty files and the single-file reader opens them; ExecuTorch's map over \
            several data files refuses to be made of empty ones only."
        refs: []
    }
    FT_LAYOUT_OPTIONAL = "ft-layout-optional", Must, Reader, Meta, "1.16" {
        "A reader accepts an entry without `tensor_layout` as a blob, returns its bytes, and answers a request for \
            its layout with an error."
        source: "The schema calls the field optional, and the official writer leaves it out for blobs that are no \
            tensors. Public reports show what following the missing reference does."
        refs: ["X-05"]
    }
    FT_LAYOUT_SIZES = "ft-layout-sizes", Must, File, Meta, "1.16" {
        "A `tensor_layout` has `sizes`; those of a tensor of rank 0 are present and empty."
        source: "The rank and every size are read from it. The schema leaves it optional, so a verifier lets its \
            absence through; public reports show what that does."
        refs: ["X-04"]
    }
    FT_LAYOUT_DIMORDER = "ft-layout-dimorder", Must, File, Meta, "1.16" {
        "A `tensor_layout` has a `dim_order`; that of a tensor of rank 0 is present and empty."
        source: "It says how the bytes are laid out. The schema leaves it optional, so a verifier lets its absence \
            through; public reports show what that does."
        refs: ["X-04"]
    }
    FT_LAYOUT_RANK = "ft-layout-rank", Must, File, Meta, "1.16" {
        "`sizes` and `dim_order` have the same length, at most 16."
        source: "ExecuTorch's tensor layout wants equal lengths, and 16 is the rank that the runtime's arrays have \
            room for."
        refs: ["X-07", "T-08", "CVE-2025-54951"]
    }
    FT_LAYOUT_PERM = "ft-layout-perm", Must, File, Meta, "1.16" {
        "`dim_order` holds each number from 0 to rank - 1 exactly once."
        source: "Only a permutation lays out every element once. ExecuTorch's tensor layout refuses numbers out of \
            that range, and its program reader demands a permutation since 1.2.0."
        refs: ["T-07", "pytorch/executorch#17314"]
    }
    FT_LAYOUT_SIZES_NONNEG = "ft-layout-sizes-nonneg", Must, File, Meta, "1.16" {
        "No entry of `sizes` is negative."
        source: "ExecuTorch's tensor layout refuses it: taken as unsigned, it would be a huge size."
        refs: ["X-11", "pytorch/executorch#19055"]
    }
    FT_LAYOUT_NBYTES = "ft-layout-nbytes", Must, File, Meta, "1.16" {
        "The number of elements, which is the product of `sizes`, or 0 if one of them is 0, is below 2^63, and that \
            number times the scalar type's width is below 2^64."
        source: "ExecuTorch's tensor layout refuses both overflows since 1.3.0. It multiplies from left to right, so \
            a 0 saves a product only if it comes early enough; this rule leaves that case open."
        refs: ["T-02", "T-03", "CVE-2025-30402"]
    }
    FT_LAYOUT_SCALAR = "ft-layout-scalar", Must, File, Meta, "1.16" {
        "`scalar_type` is one of 0 to 29."
        source: "These are the types that the runtime knows a width for. It includes the complex types 8 to 10 and \
            the bit types 18 to 21, which the schema keeps in comments only and the runtime accepts."
        refs: ["T-10", "T-11"]
    }
    FT_LAYOUT_FITS_SEGMENT = "ft-layout-fits-segment", Must, File, Data, "1.16" {
        "The number of bytes that `tensor_layout` asks for is at most the `size` of the entry's segment."
        source: "A reader that makes a tensor of the layout over the segment's bytes would read past their end, as a \
            public report shows."
        refs: ["X-08", "S-11"]
    }
    FT_LAYOUT_FILLS_SEGMENT = "ft-layout-fills-segment", Should, File, Data, "1.16" {
        "The number of bytes that `tensor_layout` asks for is at least the `size` of the entry's segment."
        source: "Writers give a tensor a segment of exactly its own bytes. More is harmless to readers, but no \
            tensor accounts for the rest."
        refs: ["S-11"]
    }
}

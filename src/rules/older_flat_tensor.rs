//! `FlatTensor` as ExecuTorch 0.6.0 wrote it (specification, section 1.18).
//!
//! The same identifier, header magic and version as the current layout, with other slots: `tensor_alignment` and
//! `tensors` come before `segments` and `named_data`. The segment table, the named data and the version obey the
//! rules of [`flat_tensor`](super::flat_tensor), and the header those of [`ptd_header`](super::ptd_header).

use super::rules;

rules! {
    PTDB_DETECT = "ptdB-detect", Must, Reader, Structure, "1.18" {
        "A reader tells the older layout from the current one by slot 1 of `FlatTensor`, an inline `u32` in the \
            older and a reference to a vector of tables in the current, and never reads the slots of the one as \
            those of the other."
        source: "Both layouts have `FT01`, `FH01` and version 0, so only the structure differs. A verifier for the \
            current schema refuses the older file, because an alignment such as 16 is no valid reference."
        refs: ["X-12"]
    }
    PTDB_ALIGNMENT = "ptdB-alignment", Should, File, Meta, "1.18" {
        "`tensor_alignment` is a power of two, so never 0."
        source: "The 0.6.0 writers write 16 unless told otherwise. No reader checks it."
        refs: ["X-12"]
    }
    PTDB_FQN = "ptdB-fqn", Must, File, Data, "1.18" {
        "Every entry of `tensors` has a `fully_qualified_name`."
        source: "Look-ups compare the name of each entry that they pass. The schema leaves it optional, so a \
            verifier lets its absence through."
        refs: ["X-06", "X-12"]
    }
    PTDB_FQN_UNIQUE = "ptdB-fqn-unique", Must, File, Data, "1.18" {
        "No two entries of `tensors` have the same `fully_qualified_name`."
        source: "The name is what a tensor is looked up by, and the writers take it from a map. The 0.6.0 reader \
            returns the first match."
        refs: ["X-10", "X-12"]
    }
    PTDB_LISTS_NONNULL = "ptdB-lists-nonnull", Must, File, Meta, "1.18" {
        "`tensors` and `segments` are both present; they may be empty, and `named_data` may be absent."
        source: "The 0.6.0 writers write both always, and no tensor can be looked up without them. `named_data` \
            joined the schema later, and the C++ writer leaves it out."
        refs: ["X-12"]
    }
    PTDB_LAYOUT_SCALAR = "ptdB-layout-scalar", Must, File, Meta, "1.18" {
        "`scalar_type` of an entry of `tensors` is one of 0 to 29."
        source: "As `ft-layout-scalar`: these are the types that the runtime knows a width for."
        refs: ["T-10", "T-11", "X-12"]
    }
    PTDB_LAYOUT_SIZES = "ptdB-layout-sizes", Must, File, Meta, "1.18" {
        "Every entry of `tensors` has `sizes`; those of a tensor of rank 0 are present and empty."
        source: "As `ft-layout-sizes`: the rank and every size are read from it, and a verifier lets its absence \
            through."
        refs: ["X-04", "X-12"]
    }
    PTDB_LAYOUT_DIMORDER = "ptdB-layout-dimorder", Must, File, Meta, "1.18" {
        "Every entry of `tensors` has a `dim_order`; that of a tensor of rank 0 is present and empty."
        source: "As `ft-layout-dimorder`: it says how the bytes are laid out, and a verifier lets its absence \
            through."
        refs: ["X-04", "X-12"]
    }
    PTDB_LAYOUT_RANK = "ptdB-layout-rank", Must, File, Meta, "1.18" {
        "`sizes` and `dim_order` of an entry of `tensors` have the same length, at most 16."
        source: "As `ft-layout-rank`: 16 is the rank that the runtime's arrays have room for."
        refs: ["X-07", "T-08", "X-12", "CVE-2025-54951"]
    }
    PTDB_LAYOUT_PERM = "ptdB-layout-perm", Must, File, Meta, "1.18" {
        "`dim_order` of an entry of `tensors` holds each number from 0 to rank - 1 exactly once."
        source: "As `ft-layout-perm`: only a permutation lays out every element once."
        refs: ["T-07", "X-12"]
    }
    PTDB_LAYOUT_SIZES_NONNEG = "ptdB-layout-sizes-nonneg", Must, File, Meta, "1.18" {
        "No entry of a tensor's `sizes` is negative."
        source: "As `ft-layout-sizes-nonneg`: taken as unsigned, it would be a huge size."
        refs: ["X-11", "X-12"]
    }
    PTDB_LAYOUT_NBYTES = "ptdB-layout-nbytes", Must, File, Meta, "1.18" {
        "A tensor's number of elements, which is the product of `sizes`, or 0 if one of them is 0, is below 2^63, \
            and that number times the scalar type's width is below 2^64."
        source: "As `ft-layout-nbytes`: a product that wraps is a small tensor to the check and a large one to its \
            user."
        refs: ["T-02", "T-03", "X-12", "CVE-2025-30402"]
    }
    PTDB_SEG_INDEX = "ptdB-seg-index", Must, File, Data, "1.18" {
        "The `segment_index` of an entry of `tensors` is below the number of segments."
        source: "The 0.6.0 reader refuses the look-up."
        refs: ["X-09", "X-12"]
    }
    PTDB_OFFSET = "ptdB-offset", Must, File, Data, "1.18" {
        "A tensor's `offset` plus its number of bytes, added without wrapping, is at most the `size` of its segment."
        source: "The offset counts from the segment's start: the tensor lies at `segment_base_offset`, plus the \
            segment's `offset`, plus its own. A reader that makes a tensor over bytes past the segment's end would \
            read what is not its."
        refs: ["X-08", "X-09", "X-12"]
    }
    PTDB_OFFSET_ALIGNED = "ptdB-offset-aligned", Must, File, Data, "1.18" {
        "A tensor's `offset` is a multiple of `tensor_alignment`, where that is not 0."
        source: "The schema promises it to whoever maps the file, and both 0.6.0 writers pad each tensor to it. No \
            reader checks it."
        refs: ["X-12"]
    }
    PTDB_DEDUP = "ptdB-dedup", Must, Reader, Data, "1.18" {
        "A reader accepts several tensors at the same `segment_index` and `offset`, and returns the same bytes for \
            each."
        source: "The Python writer of 0.6.0 stores equal buffers once."
        refs: ["X-12"]
    }
    PTDB_ONE_SEGMENT = "ptdB-one-segment", Should, File, Data, "1.18" {
        "Every tensor's `segment_index` is 0, and every entry of `named_data` has a `segment_index` of at least 1."
        source: "The 0.6.0 writers put all tensors into the first segment and blobs behind it. No reader depends on \
            it."
        refs: ["X-12"]
    }
}

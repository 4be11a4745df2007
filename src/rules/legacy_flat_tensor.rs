//! `FlatTensor` as ExecuTorch 0.6.0 wrote it (specification, section 1.18).
//!
//! The same identifier, header magic and version as the current layout, with other slots: `tensor_alignment` and
//! `tensors` come before `segments` and `named_data`. The segment table, the named data and the version obey the
//! rules of [`flat_tensor`](super::flat_tensor), and the header those of [`ptd_header`](super::ptd_header).

rules! {
    PTDB_DETECT = "ptdB-detect", Must, Reader, Structure, "legacy-flat-tensor" {
        "A reader tells the older layout from the current one by slot 1 of `FlatTensor`, an inline `u32` in the older \
            and a reference to a vector of tables in the current, and never reads the slots of the one as those of the \
            other."
        why: "Slots of the one layout read as the other's take an alignment for a reference and tensors for segments, \
            so a look-up goes wherever those numbers lead."
        readers: "ExecuTorch 0.6.0 reads the older layout only, and later releases the current one only. Not every \
            reader notices which of the two it has. A verifier for the current schema refuses the older file, because \
            an alignment such as 16 is no valid reference."
        source: "The history of `flat_tensor.fbs`, which changed between 0.6.0 and 0.7.0. Both layouts have `FT01`, \
            `FH01` and version 0, so only the structure differs."
        refs: ["X-12"]
        cwe: ["CWE-843"]
    }
    PTDB_ALIGNMENT = "ptdB-alignment", Should, File, Meta, "legacy-flat-tensor" {
        "`tensor_alignment` is a power of two, so never 0."
        why: "The field is a promise to whoever maps the file and divides by it; 0 promises nothing, and a division by \
            it traps."
        readers: "No reader checks it."
        source: "The 0.6.0 writers write 16 unless told otherwise. It is a should because no reader uses the field; \
            `ptdB-offset-aligned` is left open where it is 0."
        refs: ["X-12"]
    }
    PTDB_FQN = "ptdB-fqn", Must, File, Data, "legacy-flat-tensor" {
        "Every entry of `tensors` has a `fully_qualified_name`."
        why: "Look-ups compare the name of each entry that they pass, so one absent name is a null pointer on the way \
            to every entry behind it."
        readers: "A verifier lets the absence through, and not every reader looks before it compares."
        source: "Derived from the look-ups, which go through the table in order. The schema requires no field, so \
            being present is a rule of its own."
        refs: ["X-06", "X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_FQN_UNIQUE = "ptdB-fqn-unique", Must, File, Data, "legacy-flat-tensor" {
        "No two entries of `tensors` have the same `fully_qualified_name`."
        why: "Which of the two tensors a program gets depends on the reader, so a file can show one set of weights to \
            a scanner and another to the device."
        readers: "The 0.6.0 reader returns the first match, by `strcmp`. Others may build a map of the names, where \
            the last one stays."
        source: "The schema calls the name the unique id that connects data and program, and both writers take tensors \
            from a map."
        refs: ["X-10", "X-12"]
        cwe: ["CWE-694", "CWE-436"]
    }
    PTDB_LISTS_NONNULL = "ptdB-lists-nonnull", Must, File, Meta, "legacy-flat-tensor" {
        "`tensors` and `segments` are both present; they may be empty, and `named_data` may be absent."
        why: "Look-ups begin with the length of `tensors` and index `segments`, through a null pointer where one is \
            absent."
        readers: "The 0.6.0 reader answers a look-up without `segments` with InvalidExternalData (0x24). Not every \
            reader asks for both."
        source: "No tensor can be looked up without them, and the 0.6.0 writers write both always. `named_data` joined \
            the schema later, and the C++ writer leaves it out, hence the exception."
        refs: ["X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_LAYOUT_SCALAR = "ptdB-layout-scalar", Must, File, Meta, "legacy-flat-tensor" {
        "`scalar_type` of an entry of `tensors` is one of 0 to 29."
        why: "The width of an element is looked up by it. Of another number there is none, so a reader stops in an \
            assertion or reads past its table."
        readers: "Not every reader asks whether the type is one before it looks the width up."
        source: "As `ft-layout-scalar`: these are the types that the runtime knows a width for."
        refs: ["T-10", "T-11", "X-12"]
        cwe: ["CWE-617"]
    }
    PTDB_LAYOUT_SIZES = "ptdB-layout-sizes", Must, File, Meta, "legacy-flat-tensor" {
        "Every entry of `tensors` has `sizes`; those of a tensor of rank 0 are present and empty."
        why: "Rank and every size are read from it: where it is absent, through a null pointer."
        readers: "A verifier lets the absence through, and not every reader looks before it takes the length."
        source: "As `ft-layout-sizes`. The 0.6.0 writers write it for every tensor, empty for rank 0."
        refs: ["X-04", "X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_LAYOUT_DIMORDER = "ptdB-layout-dimorder", Must, File, Meta, "legacy-flat-tensor" {
        "Every entry of `tensors` has a `dim_order`; that of a tensor of rank 0 is present and empty."
        why: "It says how the bytes are laid out: where it is absent, as many entries as there are sizes are read \
            through a null pointer."
        readers: "A verifier lets the absence through, and not every reader looks before it takes the entries."
        source: "As `ft-layout-dimorder`. The 0.6.0 writers write it for every tensor, empty for rank 0."
        refs: ["X-04", "X-12"]
        cwe: ["CWE-476"]
    }
    PTDB_LAYOUT_RANK = "ptdB-layout-rank", Must, File, Meta, "legacy-flat-tensor" {
        "`sizes` and `dim_order` of an entry of `tensors` have the same length, at most 16."
        why: "A shorter `dim_order` is read past its end, and more than 16 dimensions overflow the arrays of fixed \
            size that the runtime and its kernels keep for them."
        readers: "ExecuTorch's `TensorLayout::create` answers different lengths with InvalidArgument (0x12). A reader \
            that makes both of its views with the length of `sizes` never sees the difference."
        source: "As `ft-layout-rank`: 16 is `kTensorDimensionLimit` of the runtime, which programs were held to only \
            after 0.6.0."
        refs: ["X-07", "T-08", "X-12", "CVE-2025-54951", "GHSA-xc7w-r669-48pf", "pytorch/executorch#12684"]
        cwe: ["CWE-129", "CWE-787"]
    }
    PTDB_LAYOUT_PERM = "ptdB-layout-perm", Must, File, Meta, "legacy-flat-tensor" {
        "`dim_order` of an entry of `tensors` holds each number from 0 to rank - 1 exactly once."
        why: "Only a permutation lays every element out once. A number that stands there twice gives strides by which \
            elements share bytes and others are never reached."
        readers: "ExecuTorch's `TensorLayout::create` answers numbers out of that range with InvalidArgument (0x12). \
            Not every reader looks for one that stands there twice."
        source: "As `ft-layout-perm`: the schema makes it an order of all dimensions."
        refs: ["T-07", "X-12"]
        cwe: ["CWE-129", "CWE-787"]
    }
    PTDB_LAYOUT_SIZES_NONNEG = "ptdB-layout-sizes-nonneg", Must, File, Meta, "legacy-flat-tensor" {
        "No entry of a tensor's `sizes` is negative."
        why: "Taken as unsigned, a negative size is a huge one; multiplied as it is, it can bring the number of bytes \
            to any small value."
        readers: "ExecuTorch's `TensorLayout::create` answers InvalidArgument (0x12), in 0.6.0 as well."
        source: "As `ft-layout-sizes-nonneg`: the schema's type is a signed `i32`."
        refs: ["X-11", "X-12", "pytorch/executorch#7870"]
        cwe: ["CWE-195", "CWE-190"]
    }
    PTDB_LAYOUT_NBYTES = "ptdB-layout-nbytes", Must, File, Meta, "legacy-flat-tensor" {
        "A tensor's number of elements, which is the product of `sizes`, or 0 if one of them is 0, is below 2^63, and \
            that number times the scalar type's width is below 2^64."
        why: "A product that wraps is a small tensor to the check and a large one to its user."
        readers: "The 0.6.0 reader loads as many bytes of a tensor as this product says. ExecuTorch refuses both \
            overflows since 1.3.0, InvalidArgument (0x12), in releases that no longer read this layout."
        source: "As `ft-layout-nbytes`, which gives the bounds."
        refs: [
            "T-02", "T-03", "X-12", "CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217",
            "pytorch/executorch#19055",
        ]
        cwe: ["CWE-190"]
    }
    PTDB_SEG_INDEX = "ptdB-seg-index", Must, File, Data, "legacy-flat-tensor" {
        "The `segment_index` of an entry of `tensors` is below the number of segments."
        why: "An index past the table takes the segment's offset from other bytes of the file."
        readers: "The 0.6.0 reader answers the look-up with InvalidExternalData (0x24)."
        source: "`get_and_check_segment_offset` in `flat_tensor_data_map.cpp` of 0.6.0. The schema's type is any \
            `u32`, which a verifier lets through."
        refs: ["X-09", "X-12"]
        cwe: ["CWE-129", "CWE-125"]
    }
    PTDB_OFFSET = "ptdB-offset", Must, File, Data, "legacy-flat-tensor" {
        "A tensor's `offset` plus its number of bytes, added without wrapping, is at most the `size` of its segment."
        why: "A reader that makes a tensor over bytes past the segment's end reads what is not its own: another \
            segment, what was appended to the file, or memory behind the load."
        readers: "ExecuTorch's data loaders refuse what is past the file's end, InvalidArgument (0x12). Not every \
            reader compares a tensor with its segment."
        source: "The schema's comment on `offset`: the tensor lies at `segment_base_offset`, plus the segment's \
            `offset`, plus its own. That it ends inside the segment is derived from what a segment is."
        refs: ["X-08", "X-09", "X-12"]
        cwe: ["CWE-190", "CWE-125"]
    }
    PTDB_OFFSET_ALIGNED = "ptdB-offset-aligned", Must, File, Data, "legacy-flat-tensor" {
        "A tensor's `offset` is a multiple of `tensor_alignment`, where that is not 0."
        why: "The schema promises it to whoever maps the file: a kernel that trusts the promise faults on a tensor \
            that breaks it."
        readers: "Not every reader checks it, and one that copies need not."
        source: "The comment on `tensor_alignment` in the 0.6.0 schema, and both 0.6.0 writers, which pad each tensor \
            to it. It is a must because the file itself states the number."
        refs: ["X-12"]
    }
    PTDB_DEDUP = "ptdB-dedup", Must, Reader, Data, "legacy-flat-tensor" {
        "A reader accepts several tensors at the same `segment_index` and `offset`, and returns the same bytes for \
            each."
        why: "A reader that expects one name for each place refuses what the official writer makes of any two equal \
            tensors."
        readers: "The 0.6.0 reader accepts it: each name is looked up by itself."
        source: "`_extract_tensors` in `serialize.py` of 0.6.0, which gives tensors of one buffer the same offset."
        refs: ["X-12"]
    }
    PTDB_ONE_SEGMENT = "ptdB-one-segment", Should, File, Data, "legacy-flat-tensor" {
        "Every tensor's `segment_index` is 0, and every entry of `named_data` has a `segment_index` of at least 1."
        why: "A tool that writes the data anew, or finds the tensors by the first segment alone, may rely on it."
        readers: "No reader depends on it: each tensor names its segment."
        source: "The 0.6.0 writers put all tensors into the first segment, and blobs, if any, behind it."
        refs: ["X-12"]
    }
}

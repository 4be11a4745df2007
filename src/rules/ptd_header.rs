//! Rules about `FH01`, the header of a data file (chapter `ptd-header` of the book).
//!
//! The magic is at byte 8 and `length` (`u32`) at byte 12. Four `u64` follow: `flatbuffer_offset` at 16,
//! `flatbuffer_size` at 24, `segment_base_offset` at 32 and `segment_data_size` at 40. Zero padding fills the gap
//! between the header and the rest of the FlatBuffer.
//!
//! `flatbuffer_offset` is the length of the padded header, and `flatbuffer_size` is the length of the FlatBuffer
//! without the header. Only their sum is a position: the end of the FlatBuffer.

rules! {
    FH_REQUIRED = "fh-required", Must, Text, File, Header, "ptd-header" {
        "A data file MUST have a header: bytes 8 to 11 are `FH` and two digits."
        rationale: "Only the header says where the FlatBuffer ends and the segments begin; unlike a program, a data \
            file cannot do without it. ExecuTorch's C++ reader returns InvalidExternalData (0x24), and its Python \
            reader raises RuntimeError."
        source: "According to ExecuTorch's `docs/source/ptd-file-format.md`, the header is always present; \
            `FlatTensorHeader::Parse` and `FlatTensorSerializer.deserialize` require it."
        cwe: ["CWE-436"]
    }
    FH_MAGIC_EXACT = "fh-magic-exact", Must, Text, File, Header, "ptd-header" {
        "The two digits of the header's magic MUST be `01`."
        rationale: "`46 48 30 32` (`FH02`) announces unknown fields, and a reader that parses them as `FH01` gets a \
            wrong FlatBuffer end and a wrong segment base. ExecuTorch's C++ reader returns InvalidExternalData (0x24), \
            and its Python reader raises RuntimeError."
        source: "A comment in ExecuTorch's `extension/flat_tensor/serialize/flat_tensor_header.h` reserves other \
            digits for incompatible headers, and every release writes `FH01`."
        cwe: ["CWE-436"]
    }
    FH_TRUNCATED = "fh-truncated", Must, Loader, File, Header, "ptd-header" {
        "A file whose bytes 8 to 11 are the header magic MUST contain the whole 40-byte header, which ends with byte \
            47."
        rationale: "Otherwise, a reader takes the missing fields from memory after the buffer, or uses zeros. \
            ExecuTorch's C++ reader loads 64 bytes first, so its loaders reject a shorter file with InvalidArgument \
            (0x12); the Python reader raises ValueError."
        source: "The rule follows from the layout: the header begins at byte 8, and its last `u64` ends with byte 47."
        refs: ["H-01"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FH_LENGTH = "fh-length", Must, Loader, File, Header, "ptd-header" {
        "The header's length MUST be at least 40."
        rationale: "If it is 39 (`27 00 00 00` at byte 12), at least one of the four required fields is incomplete. \
            ExecuTorch's C++ reader returns InvalidExternalData (0x24), and its Python reader raises RuntimeError."
        source: "`kMinimumHeaderLength` in ExecuTorch's `extension/flat_tensor/serialize/flat_tensor_header.cpp` \
            counts the magic, the length and four `u64` fields."
        refs: ["H-04"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FH_LENGTH_FIXED = "fh-length-fixed", May, Text, File, Header, "ptd-header" {
        "A reader MAY reject a header whose length is not exactly 40."
        rationale: "A longer header contains fields that no reader knows yet, or unused bytes. ExecuTorch's readers \
            accept a longer header and use the fields that they know."
        source: "ExecuTorch's `docs/source/ptd-file-format.md` fixes the length at 40, and writers write 40. But a \
            comment in `flat_tensor_header.h` calls a longer header the compatible way to add fields."
    }
    FH_FB_SUM = "fh-fb-sum", Must, Loader, File, Header, "ptd-header" {
        "`flatbuffer_offset + flatbuffer_size` MUST NOT wrap, and MUST be at least 12 and at most the file's size."
        rationale: "The sum is the FlatBuffer's end, counted from byte 0. If it is too small, the root table is past \
            the buffer. ExecuTorch's loaders return InvalidArgument (0x12) for a sum past the end of the file; since \
            1.5.1, its C++ reader returns InvalidExternalData (0x24) for a sum below 8 (pytorch/executorch#22118)."
        source: "`FlatTensorDataMap::load` uses the two fields only in this sum. The minimum comes from `fb-min-size`."
        refs: ["X-02", "pytorch/executorch#22118"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FH_FB_OFFSET_PADDED = "fh-fb-offset-padded", Should, Writer, File, Header, "ptd-header" {
        "`flatbuffer_offset` SHOULD be the length of the padded header: a multiple of 8, and at least 40."
        rationale: "ExecuTorch's documentation calls the field the start of the FlatBuffer, but the FlatBuffer starts \
            at byte 0, so a reader that follows the documentation begins inside the FlatBuffer. ExecuTorch's readers \
            only add the field to `flatbuffer_size`, and accept any value."
        source: "ExecuTorch's Python writer writes 48; its C++ writer writes 40, rounded up to the tensor alignment. \
            The documentation describes an unreleased layout."
    }
    FH_BASE_DATA_SUM = "fh-base-data-sum", Must, Loader, File, Header, "ptd-header" {
        "`segment_base_offset + segment_data_size` MUST NOT wrap, and MUST be at most the file's size."
        rationale: "If a reader does not check this, a truncated file loads, and fails only when a program needs the \
            missing weights. ExecuTorch 1.0.0 and later return InvalidExternalData (0x24); 1.0.0 requires equality, \
            but later releases accept longer files. Since 1.4.0, lookups return the same error if the sum wraps."
        source: "`FlatTensorDataMap::load` and `get_segment_end_offset` check the sum. The C++ writer of 0.7.0 counts \
            padding that it does not write, so readers since 1.0.0 reject its files."
        refs: ["X-01", "pytorch/executorch#14188", "pytorch/executorch#15334", "pytorch/executorch#19860"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FH_BASE_GE_FB = "fh-base-ge-fb", Must, Policy, File, Header, "ptd-header" {
        "`segment_base_offset` MUST be at least `flatbuffer_offset + flatbuffer_size`, unless both \
            `segment_base_offset` and `segment_data_size` are 0."
        rationale: "Otherwise, the same bytes are both tables and data, so a write to weights in a mapped file changes \
            tables that have already been verified. Valid files load without this check, so it is easily forgotten."
        source: "This project chose the rule, like `eh-base-ge-program`; every writer puts the segments last. A \
            comment in `serialize.py` reserves base 0 for files without segments."
        refs: ["H-11"]
        cwe: ["CWE-436"]
    }
    FH_BASE_ALIGNED = "fh-base-aligned", Should, Writer, File, Header, "ptd-header" {
        "`segment_base_offset` SHOULD be a multiple of 16."
        rationale: "In a mapped file, segments are aligned only if the base is. If the base is 0x601, for example, a \
            reader has to copy the weights, because kernels that use aligned loads would crash. No reader checks the \
            base, and loaders that copy segments align the copies."
        source: "ExecuTorch's Python writer aligns to 128 (16 before 1.1.0); its C++ writer aligns to the tensor \
            alignment. Files do not record the alignment, so the rule requires 16."
        refs: ["X-10"]
    }
    FH_DATA_EXACT = "fh-data-exact", Should, Writer, File, Meta, "ptd-header" {
        "`segment_data_size` SHOULD equal the largest `offset + size` in the segment table, or 0 if there are no \
            segments."
        rationale: "A size that is too large includes bytes after the last segment; a size that is too small, for \
            example because it omits padding, cuts off the last segment's end. ExecuTorch's C++ reader compares the \
            size with the file's, but no reader compares it with the table."
        source: "Writers count the padding between segments, and the C++ writer of 0.7.0 also counts the padding after \
            the last segment. ExecuTorch's `docs/source/ptd-file-format.md` counts no padding."
        refs: ["H-10"]
    }
    FH_TARGET_32 = "fh-target-32", Must, Policy, File, Header, "ptd-header" {
        "For a 32-bit host, `segment_base_offset + segment_data_size` MUST be at most 2^32 - 1."
        rationale: "Offsets and sizes are `size_t` in ExecuTorch's data loaders, so a larger sum is truncated to a \
            small number, and a lookup returns bytes from the start of the file. `check` applies the rule only with \
            `--target-bits 32`."
        source: "The rule follows from the runtime's types, like `eh-target-32` for programs. Other hosts can load the \
            file."
        cwe: ["CWE-190"]
    }
    FH_EMPTY = "fh-empty", May, Text, File, Meta, "ptd-header" {
        "A reader MAY treat a `segment_base_offset` other than 0 as a sign that the data file has segments."
        rationale: "ExecuTorch's Python writer also writes a base into files without segments, so a reader that relies \
            on the base looks for segments that do not exist. ExecuTorch's readers look only at the segment table."
        source: "A comment in ExecuTorch's `extension/flat_tensor/serialize/serialize.py` reserves 0 for files without \
            segments, but the writer always stores the aligned end of the FlatBuffer."
    }
    FH_PADDING_ZERO = "fh-padding-zero", Should, Writer, File, Header, "ptd-header" {
        "The bytes from 8 + length to 8 + `flatbuffer_offset`, and from the FlatBuffer's end to `segment_base_offset`, \
            SHOULD be zero."
        rationale: "No reader looks at this padding, so it can hide data that survives every copy of the file."
        source: "ExecuTorch's writers fill both with zeros, using `pad_to` in `serialize.py` and `write_nulls` in C++."
        refs: ["H-15"]
    }
}

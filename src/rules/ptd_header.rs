//! Rules about `FH01`, the header of a data file (chapter `ptd-header` of the book).
//!
//! The magic is at byte 8 and `length` (`u32`) at byte 12. Four `u64` follow: `flatbuffer_offset` at 16,
//! `flatbuffer_size` at 24, `segment_base_offset` at 32 and `segment_data_size` at 40. Zero padding fills the gap
//! between the header and the rest of the FlatBuffer.
//!
//! `flatbuffer_offset` is the length of the padded header. `flatbuffer_size` is the length of the FlatBuffer without
//! the header. Only the sum of the two fields is a position: the end of the FlatBuffer.

rules! {
    FH_REQUIRED = "fh-required", Must, Text, File, Header, "ptd-header" {
        "A data file has a header: bytes 8 to 11 are `FH` and two digits."
        rationale: "Only the header states where the FlatBuffer ends and where the segments begin. A program \
            without segments may omit its header, but every data file needs a header."
        readers: "If the header is absent, ExecuTorch's C++ reader returns InvalidExternalData (0x24), and \
            ExecuTorch's Python reader raises RuntimeError."
        source: "ExecuTorch's `docs/source/ptd-file-format.md` says that the header is always present. \
            `FlatTensorHeader::Parse` and `FlatTensorSerializer.deserialize` require the header."
        cwe: ["CWE-436"]
    }
    FH_MAGIC_EXACT = "fh-magic-exact", Must, Text, File, Header, "ptd-header" {
        "The two digits of the header's magic are `01`."
        rationale: "Digits other than `01` announce a header with unknown fields. If a reader parses a header with \
            unknown fields as `FH01`, it computes a wrong end of the FlatBuffer and a wrong segment base."
        readers: "If the digits are not `01`, ExecuTorch's C++ reader returns InvalidExternalData (0x24), and \
            ExecuTorch's Python reader raises RuntimeError."
        source: "ExecuTorch's `extension/flat_tensor/serialize/flat_tensor_header.h` defines \
            `FlatTensorHeader::kMagic`, and a comment in this file reserves other digits for incompatible headers. \
            Every released writer writes `FH01`."
        cwe: ["CWE-436"]
    }
    FH_TRUNCATED = "fh-truncated", Must, Loader, File, Header, "ptd-header" {
        "A file whose bytes 8 to 11 are the header's magic contains the whole header of 40 bytes, which ends at byte \
            47."
        rationale: "If the file ends inside the header, a reader reads the missing fields from memory after the \
            buffer, or replaces them with zeros."
        readers: "ExecuTorch's C++ reader first loads 64 bytes, and ExecuTorch's data loaders reject a file of fewer \
            bytes with InvalidArgument (0x12). ExecuTorch's Python reader raises ValueError for a truncated header."
        source: "The rule follows from the layout: the header begins at byte 8, and its last `u64` ends at byte 47."
        refs: ["H-01"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FH_LENGTH = "fh-length", Must, Loader, File, Header, "ptd-header" {
        "The header's length is at least 40."
        rationale: "The length states which fields are present. With a length below 40, at least one of the four \
            required fields is absent."
        readers: "For a length below 40, ExecuTorch's C++ reader returns InvalidExternalData (0x24), and ExecuTorch's \
            Python reader raises RuntimeError."
        source: "`kMinimumHeaderLength` in ExecuTorch's `extension/flat_tensor/serialize/flat_tensor_header.cpp` \
            counts the magic, the length and four `u64` fields."
        refs: ["H-04"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FH_LENGTH_FIXED = "fh-length-fixed", May, Text, File, Header, "ptd-header" {
        "The header's length is exactly 40."
        rationale: "A longer header contains fields that no reader knows yet, or bytes that no reader uses."
        readers: "ExecuTorch's readers accept a longer header and use the fields that they know."
        source: "ExecuTorch's `docs/source/ptd-file-format.md` says that the length is currently fixed at 40, and \
            every writer writes 40. A comment in `flat_tensor_header.h` describes a longer length as the compatible \
            way to add fields. The document and the comment disagree, so the rule's strength is `may`."
    }
    FH_FB_SUM = "fh-fb-sum", Must, Loader, File, Header, "ptd-header" {
        "`flatbuffer_offset + flatbuffer_size` does not wrap, and is at least 12 and at most the file's size."
        rationale: "`flatbuffer_offset + flatbuffer_size` is the position of the FlatBuffer's end, counted from byte \
            0. If the FlatBuffer's end is too small, the buffer cannot contain a root table, and a careless reader \
            reads past the buffer."
        readers: "ExecuTorch's data loaders reject a range past the end of the file with InvalidArgument (0x12). Since \
            1.5.1, ExecuTorch's C++ reader rejects a sum below 8 with InvalidExternalData (0x24, \
            pytorch/executorch#22118). Some readers do not check whether the sum wraps."
        source: "ExecuTorch's `FlatTensorDataMap::load` uses `flatbuffer_offset` and `flatbuffer_size` only in this \
            sum. The lower limit, 12, comes from `fb-min-size`."
        refs: ["X-02", "pytorch/executorch#22118"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FH_FB_OFFSET_PADDED = "fh-fb-offset-padded", Should, Writer, File, Header, "ptd-header" {
        "`flatbuffer_offset` is the length of the padded header: a multiple of 8, and at least 40."
        rationale: "ExecuTorch's `docs/source/ptd-file-format.md` calls `flatbuffer_offset` the offset to the start of \
            the FlatBuffer. The FlatBuffer starts at byte 0, so a reader that follows this definition starts inside \
            the FlatBuffer."
        readers: "ExecuTorch's readers use `flatbuffer_offset` only in the sum with `flatbuffer_size`, so they accept \
            any value."
        source: "ExecuTorch's Python writer rounds 40 up to a multiple of 16 and writes 48. ExecuTorch's C++ writer \
            rounds 40 up to its caller's tensor alignment. The meaning in the document comes from an unreleased \
            layout. In that layout, the FlatBuffer started at byte 48. The rule's strength is `should` because \
            readers use only the sum of `flatbuffer_offset` and `flatbuffer_size`."
    }
    FH_BASE_DATA_SUM = "fh-base-data-sum", Must, Loader, File, Header, "ptd-header" {
        "`segment_base_offset + segment_data_size` does not wrap, and is at most the file's size."
        rationale: "A reader that does not check the sum loads a truncated file and fails when a program needs the \
            missing weights. A sum that wraps is small, so a comparison of the sum with the file's size passes."
        readers: "Since 1.0.0, ExecuTorch's C++ reader compares the sum with the file's size and returns \
            InvalidExternalData (0x24). Release 1.0 requires that the sum equals the file's size; later releases also \
            accept a longer file. Since 1.4.0, ExecuTorch's lookups return InvalidExternalData for a sum that wraps. \
            Some readers do not detect a sum that wraps when they load the file."
        source: "ExecuTorch's `FlatTensorDataMap::load` and `get_segment_end_offset` check the sum. ExecuTorch's C++ \
            writer of 0.7.0 counts padding after the last tensor but does not write the padding, so its files can \
            break the rule. The strength is still `must`, because readers since 1.0.0 reject the files of the 0.7.0 \
            writer as truncated."
        refs: ["X-01", "pytorch/executorch#14188", "pytorch/executorch#15334", "pytorch/executorch#19860"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FH_BASE_GE_FB = "fh-base-ge-fb", Must, Policy, File, Header, "ptd-header" {
        "`segment_base_offset` is at least `flatbuffer_offset + flatbuffer_size`, unless both `segment_base_offset` \
            and `segment_data_size` are 0."
        rationale: "If the base is below the end of the FlatBuffer, the same bytes are both tables and data. A \
            write to weights in a mapped file changes tables that a reader has already verified."
        readers: "Some readers do not compare the segment base with the end of the FlatBuffer, because loading does \
            not require the comparison."
        source: "This project chose the strength `must`: no text forbids a base below the end of the FlatBuffer, and \
            readers accept it. The rule for programs, `eh-base-ge-program`, states the reason for this policy. The \
            diagram in ExecuTorch's `docs/source/ptd-file-format.md` shows the segments after the FlatBuffer, and \
            every writer uses this order. `segment_base_offset` and `segment_data_size` may both be 0, because a \
            comment in `serialize.py` reserves a base of 0 for files without segments."
        refs: ["H-11"]
        cwe: ["CWE-436"]
    }
    FH_BASE_ALIGNED = "fh-base-aligned", Should, Writer, File, Header, "ptd-header" {
        "`segment_base_offset` is a multiple of 16."
        rationale: "A segment is aligned in the file only if the base is aligned. A reader that maps the file must \
            copy misaligned weights. Without the copy, a kernel that requires alignment can crash."
        readers: "No reader checks the alignment of the base. Loaders that copy segments into memory align the copies."
        source: "ExecuTorch's Python writer aligns the base to 128 in 1.1.0 and later, and to 16 in earlier releases. \
            ExecuTorch's C++ writer uses its caller's tensor alignment. Files do not record the alignment, so the rule \
            requires only the smallest default, 16."
        refs: ["X-10"]
    }
    FH_DATA_EXACT = "fh-data-exact", Should, Writer, File, Meta, "ptd-header" {
        "`segment_data_size` equals the largest `offset + size` of the segment table, or 0 if there are no segments."
        rationale: "A `segment_data_size` that is too large declares bytes after the last segment as data. A \
            `segment_data_size` that is too small, such as a total without padding, excludes the end of the last \
            segment."
        readers: "ExecuTorch's C++ reader compares `segment_base_offset + segment_data_size` with the file's size. No \
            reader compares `segment_data_size` with the segment table."
        source: "Every writer counts the padding between segments. Only the C++ writer of 0.7.0 also counts padding \
            after the last segment. ExecuTorch's `docs/source/ptd-file-format.md` defines `segment_data_size` as the \
            total size of all data segments, which excludes padding. The document and the writers disagree, so the \
            rule's strength is `should`."
        refs: ["H-10"]
    }
    FH_TARGET_32 = "fh-target-32", Must, Policy, File, Header, "ptd-header" {
        "For a 32-bit host, `segment_base_offset + segment_data_size` is at most 2^32 - 1."
        rationale: "Offsets and sizes are `size_t` on a 32-bit host. A reader truncates a sum above 2^32 - 1 to a \
            small number, and a lookup returns bytes from the start of the file."
        readers: "ExecuTorch's data loaders receive offsets as `size_t`. On 64-bit hosts, ExecuTorch loads a file of 4 \
            GiB or more."
        source: "The rule follows from the runtime's types. The rule `eh-target-32` is the counterpart for programs. \
            The checker applies the rule only with `--target-bits 32`, because the file is valid on other hosts."
        cwe: ["CWE-190"]
    }
    FH_EMPTY = "fh-empty", May, Text, File, Meta, "ptd-header" {
        "In a data file without segments, `segment_base_offset` is 0."
        rationale: "Some tools interpret a base other than 0 as a sign of segments. ExecuTorch's Python writer writes \
            a base other than 0 in files without segments, so some tools search for segments that do not exist."
        readers: "ExecuTorch's readers use only the segment table, so they accept any base in a file without segments."
        source: "A comment in ExecuTorch's `extension/flat_tensor/serialize/serialize.py` reserves 0 for files without \
            segments. ExecuTorch's Python writer stores the aligned end of the FlatBuffer as the base, and pads the \
            file to this position. The comment and the writer disagree, so the rule's strength is `may`."
    }
    FH_PADDING_ZERO = "fh-padding-zero", Should, Writer, File, Header, "ptd-header" {
        "The bytes from 8 + length to 8 + `flatbuffer_offset`, and from the FlatBuffer's end to `segment_base_offset`, \
            are zero."
        rationale: "No reader uses padding bytes, so they can hide data that survives every copy of the file."
        readers: "No reader checks the padding bytes."
        source: "Writers fill both ranges of padding with zeros. ExecuTorch's Python writer uses `pad_to` in \
            `serialize.py`, and ExecuTorch's C++ writer uses `write_nulls`."
        refs: ["H-15"]
    }
}

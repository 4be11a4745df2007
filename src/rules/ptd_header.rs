//! Rules of the header of a data file, `FH01`.
//!
//! The magic is at byte 8 and `length` (`u32`) at byte 12. Four `u64` follow: `flatbuffer_offset` at 16,
//! `flatbuffer_size` at 24, `segment_base_offset` at 32 and `segment_data_size` at 40. Zero padding fills the gap to
//! the next byte of the FlatBuffer. `flatbuffer_offset` is the length of the padded header, and `flatbuffer_size` is the
//! length of the FlatBuffer without it. Only their sum is a position: the FlatBuffer's end.

rules! {
    FH_REQUIRED = "fh-required", Must, File, Header, "ptd-header" {
        "A data file has a header: bytes 8 to 11 are `FH` and two digits."
        why: "Only the header states where the FlatBuffer ends and where the segments begin. Unlike a program, a data \
            file without segments has no other form."
        readers: "ExecuTorch's C++ reader returns InvalidExternalData (0x24). Its Python reader raises RuntimeError."
        source: "The format's text says that the header is always present. `FlatTensorHeader::Parse` and \
            `FlatTensorSerializer.deserialize` require it."
        cwe: ["CWE-436"]
    }
    FH_MAGIC_EXACT = "fh-magic-exact", Must, File, Header, "ptd-header" {
        "The two digits of the header's magic are `01`."
        why: "Other digits announce a header with other fields. A reader that parses them as the known fields gets a \
            wrong end of the FlatBuffer and a wrong base."
        readers: "ExecuTorch's C++ reader compares all four bytes and returns InvalidExternalData (0x24). Its Python \
            reader raises RuntimeError."
        source: "`FlatTensorHeader::kMagic`; its comment reserves other digits for incompatible headers. Writers have \
            only ever written `FH01`."
        cwe: ["CWE-436"]
    }
    FH_TRUNCATED = "fh-truncated", Must, File, Header, "ptd-header" {
        "A file whose bytes 8 to 11 are the header's magic contains all 40 header bytes, 8 to 47."
        why: "A reader of a shorter file reads the missing fields from memory after the buffer, or replaces them with \
            zeros."
        readers: "ExecuTorch's C++ reader loads 64 bytes first; its data loaders reject a shorter file with \
            InvalidArgument (0x12). Its Python reader raises ValueError."
        source: "Inferred from the layout: the header begins at byte 8, and its last `u64` ends at byte 47."
        refs: ["H-01"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FH_LENGTH = "fh-length", Must, File, Header, "ptd-header" {
        "The header's length is at least 40."
        why: "The length states which fields are present. With a length below 40, at least one of the four required \
            fields is absent."
        readers: "ExecuTorch's C++ reader returns InvalidExternalData (0x24). Its Python reader raises RuntimeError."
        source: "`kMinimumHeaderLength` in `flat_tensor_header.cpp`: the magic, the length and four `u64`."
        refs: ["H-04"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FH_LENGTH_FIXED = "fh-length-fixed", May, File, Header, "ptd-header" {
        "The header's length is exactly 40."
        why: "A longer header contains fields that no reader knows yet, or bytes that no reader uses."
        readers: "ExecuTorch's readers accept a longer header and use the fields that they know."
        source: "The format's text calls the length fixed at 40 for now, and every writer writes 40. A comment in the \
            code describes a longer length as the way to add fields. Text and comment disagree, so the rule is a MAY."
    }
    FH_FB_SUM = "fh-fb-sum", Must, File, Header, "ptd-header" {
        "`flatbuffer_offset + flatbuffer_size` is at least 12 and at most the file's size, added without wrapping."
        why: "The sum is the position, from byte 0, at which the FlatBuffer ends. If the sum wraps or is too small, \
            the buffer cannot contain a root table, and a careless reader reads past it."
        readers: "ExecuTorch's data loaders reject a range past the end of the file with InvalidArgument (0x12). Since \
            1.5.1 its data-file reader rejects fewer than 8 bytes with InvalidExternalData (0x24). Some \
            readers add the two fields with wrapping."
        source: "`FlatTensorDataMap::load`, which uses the two fields only in this sum. The lower bound comes from \
            `fb-min-size`."
        refs: ["X-02", "pytorch/executorch#22118"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FH_FB_OFFSET_PADDED = "fh-fb-offset-padded", Should, File, Header, "ptd-header" {
        "`flatbuffer_offset` is 40 rounded up to an alignment: at least 40 and a multiple of 8."
        why: "The format's text calls the field the position at which the FlatBuffer starts. A reader that uses the \
            field this way starts inside the FlatBuffer."
        readers: "ExecuTorch's readers use the field in the sum with `flatbuffer_size` only, so they accept any value."
        source: "Writers store the length of the padded header. The Python writer rounds 40 up to a multiple of 16 and \
            writes 48; the C++ writer rounds up to its caller's tensor alignment. The text describes an unreleased \
            layout, in which the FlatBuffer started at byte 48. The rule is a SHOULD because readers use the sum only."
    }
    FH_BASE_DATA_SUM = "fh-base-data-sum", Must, File, Header, "ptd-header" {
        "`segment_base_offset + segment_data_size` is at most the file's size, added without wrapping."
        why: "A reader without this check loads a truncated file and fails when a program needs the missing weights. A \
            sum that wraps is small and passes a comparison with the file's size."
        readers: "ExecuTorch's C++ reader compares the sum with the file's size since 1.0.0 and returns \
            InvalidExternalData (0x24). Release 1.0 requires equality; later releases require an upper bound. Since \
            1.4.0 its look-ups reject a sum that wraps with the same error. Some readers do not \
            detect such a sum when they load the file."
        source: "`FlatTensorDataMap::load` and `get_segment_end_offset`. The C++ writer of 0.7.0 counts padding after \
            the last tensor that it does not write, so its files can break the rule. Later readers reject these files \
            as truncated, so the rule is a MUST."
        refs: ["X-01", "pytorch/executorch#14188", "pytorch/executorch#15334", "pytorch/executorch#19860"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FH_BASE_GE_FB = "fh-base-ge-fb", Must, File, Header, "ptd-header" {
        "`segment_base_offset` is at least `flatbuffer_offset + flatbuffer_size`, unless both `segment_base_offset` \
            and `segment_data_size` are 0."
        why: "Otherwise the same bytes are both tables and data. A write to weights in a mapped file then changes \
            tables that a reader has already verified."
        readers: "Some readers do not compare the two values; a load succeeds without the comparison."
        source: "The format's diagram places the segments after the FlatBuffer, and every writer does so. The rule is \
            a MUST for the reason that `eh-base-ge-program` gives. Both fields may be 0 together, because the header's \
            description reserves 0 for files without segments."
        refs: ["H-11"]
        cwe: ["CWE-436"]
    }
    FH_BASE_ALIGNED = "fh-base-aligned", Should, File, Header, "ptd-header" {
        "`segment_base_offset` is a multiple of 16."
        why: "A segment is aligned in the file only if the base is aligned. Misaligned weights need a copy where a \
            reader maps the file, or fault in a kernel that requires alignment."
        readers: "No reader checks the base. Loaders that copy put the bytes into aligned memory."
        source: "The Python writer aligns the base to 128 since 1.1.0 and to 16 before; the C++ writer aligns it to \
            its caller's tensor alignment. No file records the alignment. 16 is the smallest default."
        refs: ["X-10"]
    }
    FH_DATA_EXACT = "fh-data-exact", Should, File, Meta, "ptd-header" {
        "`segment_data_size` equals the largest `offset + size` of the segment table, or 0 if there are no segments."
        why: "A larger size declares bytes after the last segment as data. A smaller size, such as a total without \
            padding, excludes the end of the last segment."
        readers: "ExecuTorch's C++ reader compares base plus size with the file's size. No reader compares the field \
            with the segment table."
        source: "Every writer counts the padding between segments. Except the C++ writer of 0.7.0, no writer counts \
            padding after the last segment. The format's text calls the field the total size of all segments, which \
            excludes padding, so the rule is a SHOULD."
        refs: ["H-10"]
    }
    FH_TARGET_32 = "fh-target-32", Must, File, Header, "ptd-header" {
        "For a 32-bit host, `segment_base_offset + segment_data_size` is at most 2^32 - 1."
        why: "Offsets and sizes are `size_t` on such a host. A value above 2^32 is cut to a small number, and a \
            look-up returns bytes from the start of the file."
        readers: "ExecuTorch's data loaders take offsets as `size_t`. On 64-bit hosts they accept the file."
        source: "Inferred from the runtime's types, as `eh-target-32` is for programs. The checker applies the rule \
            only with `--target-bits 32`, because the file is valid on other hosts."
        cwe: ["CWE-190"]
    }
    FH_EMPTY = "fh-empty", May, File, Meta, "ptd-header" {
        "`segment_base_offset` is 0 in a file without segments."
        why: "A tool that infers segments from a base other than 0 expects segments in an empty file of the Python \
            writer."
        readers: "ExecuTorch's readers accept any base in such a file, because they use only the segment table."
        source: "The header's description reserves 0 for files without segments. The Python writer stores the aligned \
            end of the FlatBuffer and pads the file to that position. Text and writer disagree, so the rule is a MAY."
    }
    FH_PADDING_ZERO = "fh-padding-zero", Should, File, Header, "ptd-header" {
        "The bytes from 8 + length to 8 + `flatbuffer_offset`, and from the FlatBuffer's end to `segment_base_offset`, \
            are zero."
        why: "No reader uses these bytes, so they can hide data that survives every copy of the file."
        readers: "No reader checks these bytes."
        source: "Writers fill both gaps with zeros: `pad_to` in Python's `serialize.py`, and `write_nulls` in the C++ \
            writer."
        refs: ["H-15"]
    }
}

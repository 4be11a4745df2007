//! The header of a data file, `FH01` (specification, section 1.15).
//!
//! Magic at byte 8, `length` (`u32`) at 12, then four `u64`: `flatbuffer_offset` at 16, `flatbuffer_size` at 24,
//! `segment_base_offset` at 32 and `segment_data_size` at 40; then zero padding up to where the FlatBuffer goes on.
//! `flatbuffer_offset` is the padded header's length, and only its sum with `flatbuffer_size`, the FlatBuffer's
//! length without the header, has a meaning as a position: the FlatBuffer's end.

rules! {
    FH_REQUIRED = "fh-required", Must, File, Header, "ptd-header" {
        "A data file has a header: bytes 8 to 11 are `FH` and two digits."
        why: "Without it nothing says where the FlatBuffer ends or where the segments begin; there is no data file \
            without segments to fall back to, as there is among programs."
        readers: "ExecuTorch's C++ reader answers InvalidExternalData (0x24), and its Python reader raises \
            RuntimeError."
        source: "The format's text says that the header is always present; `FlatTensorHeader::Parse` and \
            `FlatTensorSerializer.deserialize` act on it."
        cwe: ["CWE-436"]
    }
    FH_MAGIC_EXACT = "fh-magic-exact", Must, File, Header, "ptd-header" {
        "The two digits of the header's magic are `01`: others announce a header that this reader does not know."
        why: "The digits announce other fields at these places. Read as the known ones, they give a FlatBuffer of the \
            wrong length and a wrong base."
        readers: "ExecuTorch's C++ reader compares all four bytes and answers InvalidExternalData (0x24); its Python \
            reader raises RuntimeError."
        source: "`FlatTensorHeader::kMagic`, whose comment keeps the digits for incompatible layouts. `FH01` is the \
            only one ever written."
        cwe: ["CWE-436"]
    }
    FH_TRUNCATED = "fh-truncated", Must, File, Header, "ptd-header" {
        "A file whose bytes 8 to 11 are the header's magic holds the header's 40 bytes, through byte 47."
        why: "Fields past the end of the file are read from behind the buffer, or come out as zeros."
        readers: "ExecuTorch's C++ reader refuses such a file before that, because it loads 64 bytes first, which its \
            loaders answer with InvalidArgument (0x12). Its Python reader raises ValueError."
        source: "Derived from the layout: the header begins at byte 8 and its four `u64` end at byte 47."
        refs: ["H-01"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FH_LENGTH = "fh-length", Must, File, Header, "ptd-header" {
        "The header's length is at least 40."
        why: "The length says which fields are there, and with less than 40 one of the four on which everything rests \
            is not."
        readers: "ExecuTorch's C++ reader answers InvalidExternalData (0x24), and its Python reader raises \
            RuntimeError."
        source: "`kMinimumHeaderLength` in `flat_tensor_header.cpp`: magic, length and four `u64`."
        cwe: ["CWE-130", "CWE-125"]
    }
    FH_LENGTH_FIXED = "fh-length-fixed", May, File, Header, "ptd-header" {
        "The header's length is exactly 40."
        why: "A longer header means fields that no reader knows yet, or bytes that the header claims and nobody reads."
        readers: "ExecuTorch's readers accept more, and take the fields they know."
        source: "The format's text calls the length fixed at 40 for now, and no writer differs; the header's comment \
            in the code names a longer length as the way to add fields. As the two say different things, it is a \
            may."
    }
    FH_FB_SUM = "fh-fb-sum", Must, File, Header, "ptd-header" {
        "`flatbuffer_offset + flatbuffer_size` is at least 12 and at most the file's size, added without wrapping."
        why: "It is how many bytes from byte 0 a reader takes for the FlatBuffer. A sum that wraps, or is small for \
            another reason, leaves too little to hold a root table, and a reader that does not notice reads behind it."
        readers: "ExecuTorch's data loaders answer what is past the file's end with InvalidArgument (0x12), and its \
            data-file reader answers fewer than 8 bytes with InvalidExternalData (0x24) since 1.5.1. Not every reader \
            adds without wrapping, as a public report shows."
        source: "`FlatTensorDataMap::load`, which uses the two fields in this sum only. The lower bound is that of \
            `fb-min-size`."
        refs: ["X-02", "pytorch/executorch#22118"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FH_FB_OFFSET_PADDED = "fh-fb-offset-padded", Should, File, Header, "ptd-header" {
        "`flatbuffer_offset` is 40 rounded up to an alignment: at least 40 and a multiple of 8."
        why: "A reader that takes the field for what the format's text says, the place where the FlatBuffer starts, \
            finds the middle of it."
        readers: "ExecuTorch's readers use the field in the sum with `flatbuffer_size` only, so they accept any."
        source: "The writers store the padded header's length: Python's rounds 40 to 16 and so writes 48, the C++ one \
            rounds to the tensor alignment that its caller gives. The text's wording fits an older layout, whose \
            FlatBuffer did start at 48; it is a should because only the sum is read."
    }
    FH_BASE_DATA_SUM = "fh-base-data-sum", Must, File, Header, "ptd-header" {
        "`segment_base_offset + segment_data_size` is at most the file's size, added without wrapping."
        why: "A file that was cut short loads otherwise, and fails only when the weights at its end are wanted. A sum \
            that wraps is small, and passes any test against the file's size."
        readers: "ExecuTorch's C++ reader compares the sum with the file's size since 1.0.0, InvalidExternalData \
            (0x24): for equality in 1.0, as an upper bound since 1.1.0. Its look-ups refuse a sum that wraps since \
            1.4.0, with the same error. Not every reader notices one when it loads the file, as a public report shows."
        source: "`FlatTensorDataMap::load` and `get_segment_end_offset`. The C++ writer of 0.7.0 counts padding behind the \
            last tensor that it does not write, so that a file of it can break the rule; later readers refuse that file \
            as any other that is cut short, and so it stays a must."
        refs: ["X-01", "pytorch/executorch#14188", "pytorch/executorch#15334", "pytorch/executorch#19860"]
        cwe: ["CWE-190", "CWE-125"]
    }
    FH_BASE_GE_FB = "fh-base-ge-fb", Must, File, Header, "ptd-header" {
        "`segment_base_offset` is at least `flatbuffer_offset + flatbuffer_size`, unless both it and \
            `segment_data_size` are 0."
        why: "The same bytes would be both structure and data: a write to weights in a mapped file changes tables that \
            were already checked."
        readers: "Not every reader compares the two; a load needs no such comparison to succeed."
        source: "The format's picture has the segments behind the FlatBuffer, and every writer puts them there. It is \
            a must for the reason of `eh-base-ge-program`. Both fields may be 0 together, which the header's \
            description keeps for files without segments."
        refs: ["H-11"]
        cwe: ["CWE-436"]
    }
    FH_BASE_ALIGNED = "fh-base-aligned", Should, File, Header, "ptd-header" {
        "`segment_base_offset` is a multiple of 16."
        why: "A segment is aligned in the file only if the base is. Weights that are not cost a copy where a reader \
            maps the file, or fault in a kernel that relies on it."
        readers: "No reader checks it; loaders that copy put the bytes into aligned memory of their own."
        source: "The Python writer aligns it to 128, the older one to 16 and the C++ writer to its caller's tensor \
            alignment, and none records it. 16 is the smallest default, and so the most that can be said of every file."
        refs: ["X-10"]
    }
    FH_DATA_EXACT = "fh-data-exact", Should, File, Meta, "ptd-header" {
        "`segment_data_size` equals the largest `offset + size` of the segment table, or 0 if there are no segments."
        why: "A larger size makes bytes behind the last segment look like data that belongs there; a total without \
            padding puts the end of the last segment outside."
        readers: "ExecuTorch's C++ reader holds the size, added to the base, against the file; no reader compares it \
            with the table."
        source: "Writers but the C++ one of 0.7.0 count no padding behind the last segment, and all count it between \
            segments. The format's \
            text speaks of the total size of all segments, which is less whenever there is padding, hence a should."
        refs: ["H-10"]
    }
    FH_TARGET_32 = "fh-target-32", Must, File, Header, "ptd-header" {
        "For a 32-bit host, `segment_base_offset + segment_data_size` is at most 2^32 - 1."
        why: "Offsets and sizes are `size_t` there: what is above 2^32 comes out as a small number, and a look-up returns \
            bytes from the front of the file."
        readers: "ExecuTorch's data loaders take offsets as `size_t`. Built for 64 bits they have no objection."
        source: "Derived from the runtime's types, as `eh-target-32` is for programs. Asked only with `--target-bits 32`, \
            since the file is right for other hosts."
        cwe: ["CWE-190"]
    }
    FH_EMPTY = "fh-empty", May, File, Meta, "ptd-header" {
        "`segment_base_offset` is 0 in a file without segments."
        why: "A tool that takes a base other than 0 for the sign of segments finds none in an empty file of the Python \
            writer."
        readers: "ExecuTorch's readers accept both, as they look segments up in the table only."
        source: "The header's description gives 0 for no segments, but the Python writer writes the FlatBuffer's \
            aligned end and pads the file up to it. As text and writer differ, it is a may."
    }
    FH_PADDING_ZERO = "fh-padding-zero", Should, File, Header, "ptd-header" {
        "The bytes from 8 + length to 8 + `flatbuffer_offset`, and from the FlatBuffer's end to `segment_base_offset`, \
            are zero."
        why: "Nothing reads these bytes, so anything can hide in them, and survive every copy of the file."
        readers: "No reader looks."
        source: "Writers fill both gaps with zeros: `pad_to` in Python's `serialize.py`, `write_nulls` in the C++ one."
        refs: ["H-15"]
    }
}

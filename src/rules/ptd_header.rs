//! The header of a data file, `FH01` (specification, section 1.15).
//!
//! Magic at byte 8, `length` (`u32`) at 12, then four `u64`: `flatbuffer_offset` at 16, `flatbuffer_size` at 24,
//! `segment_base_offset` at 32 and `segment_data_size` at 40; then zero padding up to where the FlatBuffer goes on.
//! `flatbuffer_offset` is the padded header's length, and only its sum with `flatbuffer_size`, the FlatBuffer's
//! length without the header, has a meaning as a position: the FlatBuffer's end.

use super::rules;

rules! {
    FH_REQUIRED = "fh-required", Must, File, Header, "1.15" {
        "A data file has a header: bytes 8 to 11 are `FH` and two digits."
        source: "The format's text says that it is always present, and ExecuTorch's C++ and Python readers refuse a \
            file without it."
        refs: []
    }
    FH_MAGIC_EXACT = "fh-magic-exact", Must, File, Header, "1.15" {
        "The two digits of the header's magic are `01`: others announce a header that this reader does not know."
        source: "ExecuTorch's C++ and Python readers compare all four bytes and refuse others."
        refs: []
    }
    FH_TRUNCATED = "fh-truncated", Must, File, Header, "1.15" {
        "A file whose bytes 8 to 11 are the header's magic holds the header's 40 bytes, through byte 47."
        source: "A reader cannot have fields that are past the end of the file. ExecuTorch's C++ reader refuses such \
            a file before that, because it loads 64 bytes first."
        refs: ["H-01"]
    }
    FH_LENGTH = "fh-length", Must, File, Header, "1.15" {
        "The header's length is at least 40."
        source: "The four fields end there; ExecuTorch's C++ reader refuses less."
        refs: []
    }
    FH_LENGTH_FIXED = "fh-length-fixed", Either, File, Header, "1.15" {
        "The header's length is exactly 40."
        source: "The format's text calls it fixed for now and no writer differs. Readers accept more, as they must \
            in programs."
        refs: []
    }
    FH_FB_SUM = "fh-fb-sum", Must, File, Header, "1.15" {
        "`flatbuffer_offset + flatbuffer_size` is at least 12 and at most the file's size, added without wrapping."
        source: "It is how many bytes from byte 0 a reader takes for the FlatBuffer. ExecuTorch's data loaders \
            refuse what is past the file's end; a sum that wraps, as in a public report, leaves too little to read a \
            root from."
        refs: ["X-02"]
    }
    FH_FB_OFFSET_PADDED = "fh-fb-offset-padded", Should, File, Header, "1.15" {
        "`flatbuffer_offset` is 40 rounded up to an alignment: at least 40 and a multiple of 8."
        source: "The Python writer rounds to 16 and so writes 48; the C++ writer rounds to the tensor alignment that \
            its caller gives. Readers use the field in the sum only."
        refs: []
    }
    FH_BASE_DATA_SUM = "fh-base-data-sum", Must, File, Header, "1.15" {
        "`segment_base_offset + segment_data_size` is at most the file's size, added without wrapping."
        source: "ExecuTorch's C++ reader compares it with the file's size since 1.0.0, for equality in 1.0 and as an \
            upper bound since 1.1.0. A sum that wraps passes that test, as a public report shows."
        refs: ["X-01"]
    }
    FH_BASE_GE_FB = "fh-base-ge-fb", Must, File, Header, "1.15" {
        "`segment_base_offset` is at least `flatbuffer_offset + flatbuffer_size`, unless both it and \
            `segment_data_size` are 0."
        source: "The format lays segments out behind the FlatBuffer and every writer does. Were they to overlap, the \
            same bytes would be both structure and data."
        refs: ["H-11"]
    }
    FH_BASE_ALIGNED = "fh-base-aligned", Should, File, Header, "1.15" {
        "`segment_base_offset` is a multiple of 16."
        source: "The Python writer aligns it to 128, the older one to 16 and the C++ writer to its caller's tensor \
            alignment, and none records it; 16 is the smallest default. No reader checks it."
        refs: ["X-10"]
    }
    FH_DATA_EXACT = "fh-data-exact", Should, File, Meta, "1.15" {
        "`segment_data_size` equals the largest `offset + size` of the segment table, or 0 if there are no segments."
        source: "Writers leave no padding behind the last segment and count the padding between segments. The \
            format's text speaks of the segments' total size, which is less whenever there is padding."
        refs: ["H-10"]
    }
    FH_EMPTY = "fh-empty", Either, File, Meta, "1.15" {
        "`segment_base_offset` is 0 in a file without segments."
        source: "The header's description says so, but the Python writer writes the FlatBuffer's aligned end and \
            pads the file up to it. Readers accept both."
        refs: []
    }
    FH_PADDING_ZERO = "fh-padding-zero", Should, File, Header, "1.15" {
        "The bytes from 8 + length to 8 + `flatbuffer_offset`, and from the FlatBuffer's end to \
            `segment_base_offset`, are zero."
        source: "Writers fill both gaps with zeros. No reader looks, so anything could hide there."
        refs: ["H-15"]
    }
}

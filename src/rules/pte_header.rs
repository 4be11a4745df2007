//! The extended header of a program, `eh00` (specification, section 1.2).
//!
//! Magic at byte 8, `length` (`u32`) at 12, `program_size` (`u64`) at 16, `segment_base_offset` (`u64`) at 24 and,
//! when the length is 32 or more, `segment_data_size` (`u64`) at 32; then zero padding up to where the FlatBuffer
//! goes on.

use super::rules;

rules! {
    EH_OPTIONAL = "eh-optional", Must, Reader, Header, "1.2" {
        "A reader takes a program whose bytes 8 to 11 are not a header's magic for one FlatBuffer over the whole \
            file, without segment data."
        source: "The official writer leaves the header out when there are no segment bytes, and files from before \
            the header look the same."
        refs: []
    }
    EH_MAGIC_EXACT = "eh-magic-exact", Must, File, Header, "1.2" {
        "Bytes 8 to 11 are not `eh` and two digits other than `00`: these announce a header that this reader does \
            not know."
        source: "The format's text keeps the digits for incompatible headers. Readers that take such a file for one \
            without a header resolve its segments from byte 0, which is why it must be refused."
        refs: ["H-12"]
    }
    EH_TRUNCATED = "eh-truncated", Must, File, Header, "1.2" {
        "A file whose bytes 8 to 11 are the header's magic holds the header's 24 bytes, through byte 31, and 32 of \
            them, through byte 39, when its length is 32 or more."
        source: "A reader cannot have fields that are past the end of the file. ExecuTorch's C++ reader refuses such \
            a file before that, because it loads 64 bytes first."
        refs: ["H-01"]
    }
    EH_LENGTH_MIN = "eh-length-min", Must, File, Header, "1.2" {
        "The header's length is at least 24."
        source: "24 is the first header's length, and ExecuTorch's C++ reader refuses less. Taking the file for one \
            without a header instead would resolve its segments from byte 0."
        refs: ["H-04"]
    }
    EH_LENGTH_DATA_SIZE = "eh-length-data-size", Either, File, Header, "1.2" {
        "The header's length is 24 or at least 32, never 25 to 31, so that `segment_data_size` is either wholly \
            inside or wholly outside."
        source: "Writers up to 0.7 write 24 and writers since 1.0 write 32. In between readers disagree: some read \
            the size from length 32 on, others from length 25 on."
        refs: ["H-05"]
    }
    EH_LENGTH_BOUNDED = "eh-length-bounded", Should, File, Header, "1.2" {
        "8 + length is at most `program_size` and at most the position of the first table, vtable, vector or string."
        source: "A header that reaches into the FlatBuffer claims its bytes a second time; writers make room for the \
            padded header first. ExecuTorch reads the fields it knows and ignores the rest whatever the length says."
        refs: ["H-06"]
    }
    EH_LENGTH_FUTURE = "eh-length-future", Must, Reader, Header, "1.2" {
        "A reader accepts a length above 32 and ignores the bytes of the header that it does not know."
        source: "The format grows by fields at the header's end, as it did from 24 to 32 bytes in 1.0. ExecuTorch's \
            own tests hold its reader to it."
        refs: ["H-06"]
    }
    EH_PY_NEEDS_40 = "eh-py-needs-40", Either, File, Header, "1.2" {
        "A file with a header holds at least 40 bytes, also when the header's length is 24."
        source: "Readers disagree on how many bytes must be there before they look for a header: 40 in ExecuTorch's \
            Python reader and 64 in its C++ reader, where the header itself ends at 32."
        refs: []
    }
    EH_PROGRAM_SIZE_RANGE = "eh-program-size-range", Must, File, Header, "1.2" {
        "`program_size` is at least 8 and at most the file's size."
        source: "ExecuTorch's C++ reader loads that many bytes from byte 0, and refuses both too few for a root \
            offset and identifier and more than there are."
        refs: ["H-07"]
    }
    EH_PROGRAM_SIZE_INCLUDES_HEADER = "eh-program-size-includes-header", Must, File, Header, "1.2" {
        "`program_size` counts from byte 0 and includes the header, so it is at least 8 + 24 = 32."
        source: "The format's text and the writer agree: padded header plus FlatBuffer as it was before. A smaller \
            value cuts off the FlatBuffer behind the header."
        refs: ["H-07"]
    }
    EH_PROGRAM_SIZE_EXACT = "eh-program-size-exact", Should, File, Structure, "1.2" {
        "Nothing but alignment padding lies between the last byte that the FlatBuffer uses and `program_size`."
        source: "The writer asserts it. Readers accept a larger value, even one that covers the segments."
        refs: ["H-15"]
    }
    EH_BASE_ZERO_IFF_NONE = "eh-base-zero-iff-none", Must, File, Data, "1.2" {
        "`segment_base_offset` is 0 only in a program none of whose segments has a size above 0."
        source: "The format's text gives 0 the meaning of no segments, and ExecuTorch refuses to load a delegate's \
            or mutable segment when it is 0. A reader that adds it regardless reads the FlatBuffer's bytes as data."
        refs: ["H-11"]
    }
    EH_BASE_GE_PROGRAM = "eh-base-ge-program", Must, File, Header, "1.2" {
        "A `segment_base_offset` other than 0 is at least `program_size`."
        source: "The format lays segments out behind the FlatBuffer and every writer does. Were they to overlap, the \
            same bytes would be both structure and data."
        refs: ["H-11"]
    }
    EH_BASE_LE_FILE = "eh-base-le-file", Must, File, Header, "1.2" {
        "`segment_base_offset` is at most the file's size."
        source: "No segment can begin past the end. ExecuTorch checks it as part of the sum with \
            `segment_data_size`, so only where that is not 0."
        refs: ["H-09"]
    }
    EH_BASE_ALIGNED = "eh-base-aligned", Should, File, Header, "1.2" {
        "`segment_base_offset` is a multiple of 16."
        source: "Writers align it to 128, up to 0.3 to 4096, or to what their caller asks for, and do not record it; \
            16 is the smallest alignment that the exporters give tensors. No reader checks it."
        refs: ["S-07"]
    }
    EH_SUM_NO_OVERFLOW = "eh-sum-no-overflow", Must, File, Header, "1.2" {
        "`segment_base_offset + segment_data_size` is at most 2^64 - 1."
        source: "ExecuTorch's C++ reader checks it since 1.0.0; a sum that wraps passes every test against the \
            file's size."
        refs: ["H-08", "pytorch/executorch#18662"]
    }
    EH_SUM_LE_FILE = "eh-sum-le-file", Must, File, Header, "1.2" {
        "`segment_base_offset + segment_data_size` is at most the file's size."
        source: "ExecuTorch's C++ reader refuses a shorter file since 1.0.0, so as to find truncated files when they \
            are loaded. A longer one is allowed: see `tr-pte`."
        refs: ["H-09", "pytorch/executorch#14092", "pytorch/executorch#14227"]
    }
    EH_DSIZE_ZERO = "eh-dsize-zero", Either, File, Header, "1.2" {
        "A header of length 32 or more with a `segment_base_offset` other than 0 has a `segment_data_size` other \
            than 0."
        source: "Old headers have no such field, so 0 means unknown there and ExecuTorch skips the size check. \
            Writers of the longer header never write 0 beside a base, and nothing says what it would mean."
        refs: ["H-10"]
    }
    EH_DSIZE_WITHOUT_BASE = "eh-dsize-without-base", Should, File, Header, "1.2" {
        "`segment_data_size` is 0 when `segment_base_offset` is 0."
        source: "A base of 0 says that there are no segments, so there is nothing to measure. No writer does \
            otherwise and no reader checks it."
        refs: ["H-11"]
    }
    EH_DSIZE_EXACT = "eh-dsize-exact", Should, File, Meta, "1.2" {
        "A `segment_data_size` other than 0 equals the largest `offset + size` of the segment table."
        source: "Writers leave no padding behind the last segment, as the format's text asks. ExecuTorch's C++ \
            reader holds the size against the file and not against the table."
        refs: ["H-10"]
    }
    EH_PADDING_ZERO = "eh-padding-zero", Should, File, Header, "1.2" {
        "The bytes from the header's end, 8 + length, to the first byte that the FlatBuffer uses are zero."
        source: "The writer pads the header with zeros to a multiple of the schema's largest alignment, as the \
            format's text says. No reader looks."
        refs: ["H-15"]
    }
    EH_GAP_ZERO = "eh-gap-zero", Should, File, Header, "1.2" {
        "The bytes from `program_size` to `segment_base_offset` are zero."
        source: "The writer fills the gap with zeros, at most one alignment's worth. No reader looks, so anything \
            could hide there."
        refs: ["H-15"]
    }
    EH_32BIT = "eh-32bit", Must, Reader, Header, "1.2" {
        "A reader whose sizes are 32 bits wide refuses a `program_size`, `segment_base_offset` or \
            `segment_data_size` of 2^32 or more before it narrows it."
        source: "The fields are 64 bits wide in every file. Narrowed first, 2^32 + x passes each check as x."
        refs: ["T-04"]
    }
    EH_HEADERLESS_NO_DATA = "eh-headerless-no-data", Must, File, Data, "1.2" {
        "In a program without a header, every segment has size 0, whether or not anything refers to it."
        source: "Without a header there is no base to count from. The official writer leaves the header out only \
            when all segments together have no bytes, and still writes references to segments of size 0."
        refs: ["H-11", "H-12"]
    }
}

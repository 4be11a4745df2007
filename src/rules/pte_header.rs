//! The extended header of a program, `eh00` (specification, section 1.2).
//!
//! Magic at byte 8, `length` (`u32`) at 12, `program_size` (`u64`) at 16, `segment_base_offset` (`u64`) at 24 and,
//! when the length is 32 or more, `segment_data_size` (`u64`) at 32; then zero padding up to where the FlatBuffer
//! goes on.

rules! {
    EH_OPTIONAL = "eh-optional", Must, Reader, Header, "1.2" {
        "A reader takes a program whose bytes 8 to 11 are not a header's magic for one FlatBuffer over the whole file, \
            without segment data."
        why: "Refusing such a file refuses every program without segment data and every one from before the header. \
            Looking for segments in it anyway takes the FlatBuffer's own bytes for data."
        readers: "ExecuTorch's `ExtendedHeader::Parse` answers NotFound, upon which `Program::load` takes the loader's \
            size for the program's and 0 for the base. Its Python reader does the same."
        source: "The format's text calls the header optional. The official writer leaves it out when there are no \
            segment bytes, and files from before the header look the same."
        refs: ["pytorch/executorch#1352"]
    }
    EH_MAGIC_EXACT = "eh-magic-exact", Must, File, Header, "1.2" {
        "Bytes 8 to 11 are not `eh` and two digits other than `00`: these announce a header that this reader does not \
            know."
        why: "A reader that takes an unknown header for none has no base to count from: segments are resolved from \
            byte 0, and the program's own bytes become weights or a delegate's blob."
        readers: "Not every reader refuses it: one that looks for `eh00` alone sees no header, loads the program and \
            goes on without a word."
        source: "The format's text keeps the digits for headers that are changed incompatibly, and `eh00` is the only \
            one so far. Reading on would give wrong bytes and no error, which is why it must be refused; other bytes \
            than `eh` and two digits mean no header."
        refs: ["H-12"]
        cwe: ["CWE-436"]
    }
    EH_TRUNCATED = "eh-truncated", Must, File, Header, "1.2" {
        "A file whose bytes 8 to 11 are the header's magic holds the header's 24 bytes, through byte 31, and 32 of \
            them, through byte 39, when its length is 32 or more."
        why: "Fields past the end of the file are read from behind the buffer, or come out as zeros, which would say \
            that there are no segments."
        readers: "ExecuTorch's C++ reader refuses such a file before that, because it loads 64 bytes first, which its \
            loaders answer with InvalidArgument (0x12). Not every reader refuses it: one can also see too little for a \
            header, and go on without."
        source: "Derived from the layout: the header begins at byte 8, is 24 bytes long at least, and has \
            `segment_data_size` in its bytes 24 to 31 when its length says so."
        refs: ["H-01"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_LENGTH_MIN = "eh-length-min", Must, File, Header, "1.2" {
        "The header's length is at least 24."
        why: "The length says which fields are there, so below 24 `segment_base_offset` is not. Taking the file for \
            one without a header instead would resolve its segments from byte 0."
        readers: "ExecuTorch's C++ reader answers InvalidProgram (0x23) at both levels. Not every reader refuses: one \
            that treats an invalid header as an absent one accepts the file."
        source: "`kMinimumHeaderLength` in `schema/extended_header.cpp`. 24 is the first header's length: magic, \
            length, `program_size` and `segment_base_offset`."
        refs: ["H-04"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_LENGTH_DATA_SIZE = "eh-length-data-size", May, File, Header, "1.2" {
        "The header's length is 24 or at least 32, never 25 to 31, so that `segment_data_size` is either wholly inside \
            or wholly outside."
        why: "In between, one reader has a size of segment data and another has none, so that one checks the file's \
            length against it and the other does not."
        readers: "ExecuTorch's C++ reader reads the size from length 32 on, and takes it for 0 below. Its Python \
            reader reads all eight bytes from length 25 on."
        source: "`ExtendedHeader::Parse` against `_ExtendedHeader.from_bytes` in `exir/_serialize/_program.py`. \
            Writers up to 0.7 write 24 and writers since 1.0 write 32, none anything between, so it is a may."
        refs: ["H-05", "pytorch/executorch#14320"]
    }
    EH_LENGTH_BOUNDED = "eh-length-bounded", Should, File, Header, "1.2" {
        "8 + length is at most `program_size` and at most the position of the first table, vtable, vector or string."
        why: "A header that reaches into the FlatBuffer claims its bytes a second time, and a later reader, to whom a \
            longer header means more fields, would take tables for them."
        readers: "ExecuTorch's readers take the fields they know and ignore the rest whatever the length says, 2^32 - \
            1 included."
        source: "Derived from the writer, which makes room for the padded header before anything of the FlatBuffer. It \
            is a should because no reader goes by the header's end."
        refs: ["H-06"]
    }
    EH_LENGTH_FUTURE = "eh-length-future", Must, Reader, Header, "1.2" {
        "A reader accepts a length above 32 and ignores the bytes of the header that it does not know."
        why: "The header grows by fields at its end. A reader that wants a length it knows refuses every file of the \
            release that adds one."
        readers: "ExecuTorch's C++ reader accepts every length from 24 on, and its own tests hold it to that. Its \
            Python reader does as well."
        source: "The comment on the magic in `schema/extended_header.h` names a longer length as the compatible way to \
            change the header, and it was gone in 1.0, from 24 bytes to 32."
        refs: ["H-06"]
    }
    EH_PY_NEEDS_40 = "eh-py-needs-40", May, File, Header, "1.2" {
        "A file with a header holds at least 40 bytes, also when the header's length is 24."
        why: "One reader finds the segments of such a file, and another takes it for a program without any."
        readers: "ExecuTorch's Python reader looks for a header in 40 bytes or more and takes a shorter file for one \
            without. Its C++ reader wants 64 bytes of any file, and the 24-byte header itself ends at byte 32."
        source: "`_ExtendedHeader.from_bytes` asks for the 32 bytes of the longer header before it reads the length. \
            No text names a minimum, so it is a may."
    }
    EH_PROGRAM_SIZE_RANGE = "eh-program-size-range", Must, File, Header, "1.2" {
        "`program_size` is at least 8 and at most the file's size."
        why: "It is how many bytes are taken for the FlatBuffer, and so the bound of every check behind. Past the \
            file's end it makes them all worthless; below 8 there is no root offset to check."
        readers: "ExecuTorch's loaders answer a value past the file with InvalidArgument (0x12), and `Program::load` \
            with InvalidProgram (0x23) where the header gives neither base nor data size. It answers a value below 8 \
            with InvalidProgram since 1.3.0. A reader that slices may cut the value to what there is."
        source: "`Program::load`, which loads that many bytes from byte 0 and wants a root offset and an identifier in \
            them (`kMinBufferSize`)."
        refs: ["H-07", "pytorch/executorch#18597"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_PROGRAM_SIZE_INCLUDES_HEADER = "eh-program-size-includes-header", Must, File, Header, "1.2" {
        "`program_size` counts from byte 0 and includes the header, so it is at least 8 + 24 = 32."
        why: "A value that does not count the header cuts as many bytes off the FlatBuffer's end, and one below 32 \
            ends inside the header itself."
        readers: "No reader checks it by that name. What is cut off shows as a root offset out of range, which \
            ExecuTorch answers with InvalidProgram (0x23) at both levels since 1.3.0, or as references past the end, \
            which only a verifier finds."
        source: "The format's text counts the size from byte zero, these headers included, and the writer sets it to \
            padded header plus FlatBuffer. From 32 on a wrong value cannot be told from a shorter FlatBuffer."
        refs: ["H-07"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_PROGRAM_SIZE_EXACT = "eh-program-size-exact", Should, File, Structure, "1.2" {
        "Nothing but alignment padding lies between the last byte that the FlatBuffer uses and `program_size`."
        why: "What lies between is loaded with the program, stays in memory as long as the model does, and can be \
            anything: a value that covers the segments loads the weights twice."
        readers: "Readers accept a larger value, even one that covers the segments. Nothing in a FlatBuffer says where \
            it ends."
        source: "`serialize_pte_binary` asserts that the value is the length of what it assembled. It is a should \
            because no reader depends on it."
        refs: ["H-15"]
    }
    EH_BASE_ZERO_IFF_NONE = "eh-base-zero-iff-none", Must, File, Data, "1.2" {
        "`segment_base_offset` is 0 only in a program none of whose segments has a size above 0."
        why: "With a base of 0 a segment's offset counts from the file's first byte, so a reader that adds it \
            regardless takes header and FlatBuffer for weights or for a delegate's blob."
        readers: "ExecuTorch answers NotFound (0x20) when it is asked for a delegate's or a mutable segment, which is \
            when it prepares the method. Not every look-up of every reader asks."
        source: "The format's text gives 0 the meaning of no segments; `Program::LoadSegment` and \
            `load_mutable_subsegment_into` act on it. Segments of size 0 are left out, because the official writer \
            makes them without a place."
        refs: ["H-11"]
        cwe: ["CWE-436"]
    }
    EH_BASE_GE_PROGRAM = "eh-base-ge-program", Must, File, Header, "1.2" {
        "A `segment_base_offset` other than 0 is at least `program_size`."
        why: "The same bytes would be both structure and data: a write to mutable data, or to weights in a mapped \
            file, changes tables after they were verified."
        readers: "Not every reader compares the two; a load needs no such comparison to succeed."
        source: "The format's picture has the segments behind the FlatBuffer, and every writer puts them there. It is \
            a must, although files that break it load, since verifying the FlatBuffer is worth nothing if its bytes \
            are also data."
        refs: ["H-11"]
        cwe: ["CWE-436"]
    }
    EH_BASE_LE_FILE = "eh-base-le-file", Must, File, Header, "1.2" {
        "`segment_base_offset` is at most the file's size."
        why: "No segment can begin past the end, so every segment of such a file is either refused one by one or read \
            from outside."
        readers: "ExecuTorch checks it as part of the sum with `segment_data_size`, InvalidProgram (0x23), so only \
            where that is not 0. Behind an older header its loaders refuse each segment when it is loaded, with \
            InvalidArgument (0x12)."
        source: "Derived from `eh-sum-le-file`, for headers that give no size."
        refs: ["H-09"]
        cwe: ["CWE-823", "CWE-125"]
    }
    EH_BASE_ALIGNED = "eh-base-aligned", Should, File, Header, "1.2" {
        "`segment_base_offset` is a multiple of 16."
        why: "A segment is aligned in the file only if the base is. Weights that are not cost a copy where a reader \
            maps the file, or fault in a kernel that relies on it."
        readers: "No reader checks it; loaders that copy put the bytes into aligned memory of their own."
        source: "`serialize_pte_binary` aligns it to 128, up to 0.3 to 4096, or to what its caller asks for, and does \
            not record it. 16 is the smallest alignment that the exporters give tensors, and so the most that can be \
            said of every file."
        refs: ["S-07"]
    }
    EH_SUM_NO_OVERFLOW = "eh-sum-no-overflow", Must, File, Header, "1.2" {
        "`segment_base_offset + segment_data_size` is at most 2^64 - 1."
        why: "A sum that wraps is small, and passes every test against the file's size, while segments are still \
            counted from the base."
        readers: "ExecuTorch's C++ reader answers InvalidProgram (0x23) at both levels since 1.3.0; from 1.0.0 to \
            1.2.0 it compared the wrapped sum with the file's size. Python's integers do not wrap."
        source: "`Program::load`, where it was found by an audit."
        refs: ["H-08", "pytorch/executorch#18662"]
        cwe: ["CWE-190", "CWE-125"]
    }
    EH_SUM_LE_FILE = "eh-sum-le-file", Must, File, Header, "1.2" {
        "`segment_base_offset + segment_data_size` is at most the file's size."
        why: "A file that was cut short loads otherwise, and fails only when the weights at its end are wanted, or not \
            at all."
        readers: "ExecuTorch's C++ reader answers InvalidProgram (0x23) at both levels since 1.0.0, where the header \
            gives a size other than 0. A longer file is allowed: see `tr-pte`."
        source: "`Program::load`. The field `segment_data_size` was added to the header for this check."
        refs: ["H-09", "pytorch/executorch#14092", "pytorch/executorch#14227"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_DSIZE_ZERO = "eh-dsize-zero", May, File, Header, "1.2" {
        "A header of length 32 or more with a `segment_base_offset` other than 0 has a `segment_data_size` other than \
            0."
        why: "A size of 0 switches the check for truncated files off, in a file whose writer knew the size."
        readers: "ExecuTorch's C++ reader skips that check at both levels when the size is 0 and the base is not. Its \
            Python reader never compares."
        source: "A comment in `Program::load` keeps 0 for older files, whose 24-byte header has zero padding at that \
            place. Writers of the longer header never write 0 beside a base, and nothing says what it would mean, so \
            it is a may."
        refs: ["H-10"]
    }
    EH_DSIZE_WITHOUT_BASE = "eh-dsize-without-base", Should, File, Header, "1.2" {
        "`segment_data_size` is 0 when `segment_base_offset` is 0."
        why: "The two fields contradict each other, and a tool that goes by the size looks for data that has no place."
        readers: "No reader checks it. ExecuTorch compares the file with `program_size` alone when the base is 0, once \
            the sum of the two is known not to wrap."
        source: "The format's text gives a base of 0 the meaning of no segments, so there is nothing to measure, and \
            no writer does otherwise. It is a should because nothing is read by it."
        refs: ["H-11"]
    }
    EH_DSIZE_EXACT = "eh-dsize-exact", Should, File, Meta, "1.2" {
        "A `segment_data_size` other than 0 equals the largest `offset + size` of the segment table."
        why: "A larger size makes bytes behind the last segment look like data that belongs there, which nothing \
            refers to."
        readers: "ExecuTorch's C++ reader holds the size against the file and not against the table; no reader \
            compares the two."
        source: "The format's text: the size reaches to the end of the segments, and the last has no trailing padding. \
            It is a should because a larger size is harmless; a smaller one breaks `seg-within-data`."
        refs: ["H-10"]
    }
    EH_PADDING_ZERO = "eh-padding-zero", Should, File, Header, "1.2" {
        "The bytes from the header's end, 8 + length, to the first byte that the FlatBuffer uses are zero."
        why: "Nothing reads these bytes, so anything can hide in them, and a reader of a longer header to come may \
            give them a meaning."
        readers: "No reader looks."
        source: "The writer pads the header with zeros to the largest alignment in its schema, 32 bytes in all by \
            default, and the format's text calls it zero-padding."
        refs: ["H-15"]
    }
    EH_GAP_ZERO = "eh-gap-zero", Should, File, Header, "1.2" {
        "The bytes from `program_size` to `segment_base_offset` are zero."
        why: "Nothing reads these bytes, so anything can hide between program and segments, and survive every copy of \
            the file."
        readers: "No reader looks."
        source: "`serialize_pte_binary` fills the gap with zeros up to the alignment of its segments."
        refs: ["H-15"]
    }
    EH_32BIT = "eh-32bit", Must, Reader, Header, "1.2" {
        "A reader whose sizes are 32 bits wide refuses a `program_size`, `segment_base_offset` or `segment_data_size` \
            of 2^32 or more before it narrows it."
        why: "Narrowed first, 2^32 + x passes each check as x: a header that describes more than 4 GiB is taken for a \
            small one, and its offsets lead elsewhere than on a 64-bit host."
        readers: "ExecuTorch answers the absolute offset of a delegate's or a mutable segment that does not fit \
            `size_t` with InvalidProgram (0x23) since 1.3.0. Not every reader that is built for 32 bits looks at the \
            upper halves of the header's own fields."
        source: "Derived: the fields are 64 bits wide in every file, and on such a host every bound depends on them."
        refs: ["T-04"]
        cwe: ["CWE-190"]
    }
    EH_TARGET_32 = "eh-target-32", Must, File, Header, "1.2" {
        "For a 32-bit host, `segment_base_offset + segment_data_size`, and without the latter the last segment's end, is at \
            most 2^32 - 1."
        why: "With 32 bits of address no such file can be loaded, and a reader that narrows its sizes before it \
            compares them takes it for one of 4 GiB less."
        readers: "Not every reader that is built for 32 bits refuses it: see `eh-32bit` for how it must. ExecuTorch's \
            data loaders take offsets and sizes as `size_t`, so there is no later place to notice it."
        source: "Derived from the header's 64-bit fields and the host's 32-bit addresses. The same file is right for a \
            64-bit host, so it is asked only when the host is said to be a 32-bit one (`--target-bits 32`)."
        refs: ["T-04"]
        cwe: ["CWE-190"]
    }
    EH_HEADERLESS_NO_DATA = "eh-headerless-no-data", Must, File, Data, "1.2" {
        "In a program without a header, every segment has size 0, whether or not anything refers to it."
        why: "Without a header there is no base to count from, so a reader that looks such a segment up from byte 0 \
            hands out the FlatBuffer's own bytes."
        readers: "ExecuTorch answers NotFound (0x20) when it is asked for a delegate's or a mutable segment without a \
            base. Not every look-up of every reader asks."
        source: "`serialize_pte_binary` leaves the header out only when all segments together have no bytes, and still \
            writes references to segments of size 0. So the rule goes by sizes and not by references."
        refs: ["H-11", "H-12", "pytorch/executorch#1352"]
        cwe: ["CWE-436"]
    }
}

//! The extended header of a program, `eh00`: chapter `pte-header` of the book.
//!
//! The magic is at byte 8, `length` (`u32`) at 12, `program_size` (`u64`) at 16 and `segment_base_offset` (`u64`) at 24.
//! From length 32 on, `segment_data_size` (`u64`) is at 32. Zero padding follows, up to the rest of the FlatBuffer.

rules! {
    EH_OPTIONAL = "eh-optional", Must, Reader, Header, "pte-header" {
        "A reader treats a program whose bytes 8 to 11 are not a header magic as one FlatBuffer over the whole file, \
            without segment data."
        why: "A reader that rejects such a file rejects every program without segment data and every program from \
            before the header. A reader that looks for segments in it reads the FlatBuffer's own bytes as data."
        readers: "ExecuTorch's `ExtendedHeader::Parse` returns NotFound. `Program::load` then uses the loader's size \
            as the program's size and 0 as the base. Its Python reader does the same."
        source: "The format's documentation calls the header optional. The official writer omits it when there are no \
            segment bytes, and files from before the header look the same."
        refs: ["pytorch/executorch#1352"]
    }
    EH_MAGIC_EXACT = "eh-magic-exact", Must, File, Header, "pte-header" {
        "Bytes 8 to 11 are not `eh` and two digits other than `00`, which announce a header of an unknown version."
        why: "A reader that treats an unknown header as absent has no base. It resolves segments from byte 0, so the \
            program's own bytes become weights or a delegate's blob."
        readers: "Some readers do not reject a violation. A reader that looks only for `eh00` finds no header and \
            loads the program without a warning."
        source: "The format's documentation reserves the digits for incompatible changes of the header, and `eh00` is \
            the only value so far. A reader that continues returns wrong bytes without an error, so the rule is a \
            must. Bytes other than `eh` and two digits mean that there is no header."
        refs: ["H-12"]
        cwe: ["CWE-436"]
    }
    EH_TRUNCATED = "eh-truncated", Must, File, Header, "pte-header" {
        "A file with the header's magic holds the header through byte 31, or through byte 39 if its length is 32 or \
            more."
        why: "Fields past the end of the file are read from outside the buffer, or read as zeros, which mean that \
            there are no segments."
        readers: "ExecuTorch's C++ reader rejects such a file earlier: it loads 64 bytes first, and its loaders return \
            InvalidArgument (0x12). Some readers do not reject a violation; a reader can also find too few bytes for a \
            header and continue without one."
        source: "Inferred from the layout: the header begins at byte 8 and has at least 24 bytes. Its bytes 24 to 31 \
            hold `segment_data_size` if its length is 32 or more."
        refs: ["H-01"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_LENGTH_MIN = "eh-length-min", Must, File, Header, "pte-header" {
        "The header's length is at least 24."
        why: "The length determines which fields are present, so a shorter header has no `segment_base_offset`. A \
            reader that treats the file as headerless instead resolves its segments from byte 0."
        readers: "ExecuTorch's C++ reader returns InvalidProgram (0x23) at both levels. Some readers do not reject a \
            violation; a reader that treats an invalid header as absent accepts the file."
        source: "`kMinimumHeaderLength` in `schema/extended_header.cpp`. The first header has 24 bytes: magic, length, \
            `program_size` and `segment_base_offset`."
        refs: ["H-04"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_LENGTH_DATA_SIZE = "eh-length-data-size", May, File, Header, "pte-header" {
        "The header's length is 24 or at least 32, never 25 to 31, so `segment_data_size` is either wholly inside the \
            header or wholly outside."
        why: "With a length from 25 to 31, one reader gets a size of the segment data and another reader gets no size. \
            Only the first reader compares the file's length with the size."
        readers: "ExecuTorch's C++ reader reads the size from length 32 on, and uses 0 below. Its Python reader reads \
            all eight bytes from length 25 on."
        source: "`ExtendedHeader::Parse` and `_ExtendedHeader.from_bytes` in `exir/_serialize/_program.py`. Writers up \
            to 0.7 write 24 and writers since 1.0 write 32; no writer uses a value between them, so the rule is a may."
        refs: ["H-05", "pytorch/executorch#14320"]
    }
    EH_LENGTH_BOUNDED = "eh-length-bounded", Should, File, Header, "pte-header" {
        "8 + length is at most `program_size` and at most the position of the first table, vtable, vector or string."
        why: "A header that reaches into the FlatBuffer claims the same bytes twice. A future reader, which expects \
            more fields in a longer header, would read tables as header fields."
        readers: "ExecuTorch's readers read the fields they know and ignore the rest, for any length up to 2^32 - 1."
        source: "Inferred from the writer, which inserts the padded header before any object of the FlatBuffer. The \
            rule is a should because no reader uses the header's end."
        refs: ["H-06"]
    }
    EH_LENGTH_FUTURE = "eh-length-future", Must, Reader, Header, "pte-header" {
        "A reader accepts a length above 32 and ignores the header bytes that it does not know."
        why: "The header grows by new fields at its end. A reader that requires a known length rejects every file of \
            the release that adds a field."
        readers: "ExecuTorch's C++ reader accepts every length from 24 on, and its own tests check such lengths. Its \
            Python reader does as well."
        source: "The comment on the magic in `schema/extended_header.h` names a longer length as the compatible way to \
            change the header. Release 1.0 used it to grow the header from 24 bytes to 32."
        refs: ["H-06"]
    }
    EH_PY_NEEDS_40 = "eh-py-needs-40", May, File, Header, "pte-header" {
        "A file with a header holds at least 40 bytes, even if the header's length is 24."
        why: "One reader finds the segments of a shorter file, and another reads it as a program without any."
        readers: "ExecuTorch's Python reader looks for a header only in files of 40 bytes or more, and treats a \
            shorter file as headerless. Its C++ reader requires 64 bytes of any file. The 24-byte header itself ends \
            at byte 32."
        source: "`_ExtendedHeader.from_bytes` requires the 32 bytes of the longer header before it reads the length. \
            No text states a minimum, so the rule is a may."
    }
    EH_PROGRAM_SIZE_RANGE = "eh-program-size-range", Must, File, Header, "pte-header" {
        "`program_size` is at least 8 and at most the file's size."
        why: "`program_size` is the length of the FlatBuffer, and so the bound of every later check. A value past the \
            file's end makes those checks useless. A value below 8 leaves no root offset to check."
        readers: "For a value past the file's end, ExecuTorch's loaders return InvalidArgument (0x12). `Program::load` \
            returns InvalidProgram (0x23) if base and data size are both 0. For a value below 8 it returns \
            InvalidProgram since 1.3.0. A reader that slices may clamp the value instead."
        source: "`Program::load` loads that many bytes from byte 0 and requires a root offset and an identifier in \
            them (`kMinBufferSize`)."
        refs: ["H-07", "pytorch/executorch#18597"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_PROGRAM_SIZE_INCLUDES_HEADER = "eh-program-size-includes-header", Must, File, Header, "pte-header" {
        "`program_size` counts from byte 0 and includes the header, so it is at least 8 + 24 = 32."
        why: "A value that leaves out the header cuts as many bytes off the end of the FlatBuffer. A value below 32 \
            ends inside the header itself."
        readers: "No reader checks the rule directly. The missing bytes can put the root offset out of range: \
            ExecuTorch then returns InvalidProgram (0x23) at both levels since 1.3.0. They can also put other offsets \
            past the end, which only a verifier detects."
        source: "The format's documentation counts the size from byte zero and includes the headers. The writer sets \
            it to padded header plus FlatBuffer. From 32 on, a wrong value cannot be distinguished from a shorter \
            FlatBuffer."
        refs: ["H-07"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_PROGRAM_SIZE_EXACT = "eh-program-size-exact", Should, File, Structure, "pte-header" {
        "Only alignment padding lies between the last byte that the FlatBuffer uses and `program_size`."
        why: "Other bytes there are loaded with the program and stay in memory as long as the model. They can be \
            anything; a value that covers the segments loads the weights twice."
        readers: "Readers accept a larger value, even one that covers the segments. A FlatBuffer does not record its \
            own end."
        source: "`serialize_pte_binary` asserts that the value is the length of its output so far. The rule is a \
            should because no reader depends on it."
        refs: ["H-15"]
    }
    EH_BASE_ZERO_IFF_NONE = "eh-base-zero-iff-none", Must, File, Data, "pte-header" {
        "`segment_base_offset` is 0 only in a program without segment bytes: every segment in it has size 0."
        why: "With a base of 0, a segment's offset counts from the file's first byte. A reader that does not check the \
            base reads the header and the FlatBuffer as weights or as a delegate's blob."
        readers: "ExecuTorch returns NotFound (0x20) for a delegate's or a mutable segment, when it prepares the \
            method. Some readers have look-ups that do not check the base."
        source: "The format's documentation defines 0 as no segments; `Program::LoadSegment` and \
            `load_mutable_subsegment_into` check the base. The rule excludes segments of size 0, because the official \
            writer creates them without a base."
        refs: ["H-11"]
        cwe: ["CWE-436"]
    }
    EH_BASE_GE_PROGRAM = "eh-base-ge-program", Must, File, Header, "pte-header" {
        "A `segment_base_offset` other than 0 is at least `program_size`."
        why: "Otherwise the same bytes are structure and data at once. A write to mutable data, or to weights in a \
            mapped file, changes tables after verification."
        readers: "Some readers do not compare the two values; a file loads without the comparison."
        source: "The format's diagram places the segments after the FlatBuffer, and every writer does so. Files that \
            break the rule load. It is still a must by this project's decision, because verifying the FlatBuffer has \
            no value if its bytes are also data."
        refs: ["H-11"]
        cwe: ["CWE-436"]
    }
    EH_BASE_LE_FILE = "eh-base-le-file", Must, File, Header, "pte-header" {
        "`segment_base_offset` is at most the file's size."
        why: "No segment can begin past the end of the file. A reader either rejects every segment of such a file one \
            by one or reads outside it."
        readers: "ExecuTorch checks the base as part of its sum with `segment_data_size` and returns InvalidProgram \
            (0x23), but only if that size is not 0. With a 24-byte header its loaders return InvalidArgument (0x12) \
            when each segment is loaded."
        source: "Inferred from `eh-sum-le-file`, for headers without a size."
        refs: ["H-09"]
        cwe: ["CWE-823", "CWE-125"]
    }
    EH_BASE_ALIGNED = "eh-base-aligned", Should, File, Header, "pte-header" {
        "`segment_base_offset` is a multiple of 16."
        why: "A segment is aligned in the file only if the base is. Unaligned weights cost a copy where a reader maps \
            the file, or cause a fault in a kernel that relies on alignment."
        readers: "No reader checks the rule; loaders that copy put the bytes into aligned memory of their own."
        source: "`serialize_pte_binary` aligns the base to 128, to 4096 up to release 0.3, or to the caller's value, \
            and does not record the alignment. The smallest alignment that exporters give tensors is 16, so the rule \
            requires no more."
        refs: ["S-07"]
    }
    EH_SUM_NO_OVERFLOW = "eh-sum-no-overflow", Must, File, Header, "pte-header" {
        "`segment_base_offset + segment_data_size` is at most 2^64 - 1."
        why: "A sum that wraps is small and passes every comparison with the file's size, while segments still count \
            from the base."
        readers: "ExecuTorch's C++ reader returns InvalidProgram (0x23) at both levels since 1.3.0; releases 1.0.0 to \
            1.2.0 compared the wrapped sum with the file's size. Python's integers do not wrap."
        source: "`Program::load`."
        refs: ["H-08", "pytorch/executorch#18662"]
        cwe: ["CWE-190", "CWE-125"]
    }
    EH_SUM_LE_FILE = "eh-sum-le-file", Must, File, Header, "pte-header" {
        "`segment_base_offset + segment_data_size` is at most the file's size."
        why: "A truncated file otherwise loads, and fails only when a reader needs the weights at its end, or never."
        readers: "ExecuTorch's C++ reader returns InvalidProgram (0x23) at both levels since 1.0.0, if the header has \
            a size other than 0. A longer file is allowed: see `tr-pte`."
        source: "`Program::load`. Release 1.0 added `segment_data_size` to the header for this check."
        refs: ["H-09", "pytorch/executorch#14092", "pytorch/executorch#14227"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_DSIZE_ZERO = "eh-dsize-zero", May, File, Header, "pte-header" {
        "A header of 32 bytes or more with a `segment_base_offset` other than 0 has a `segment_data_size` other than 0."
        why: "A size of 0 disables the check for truncated files, although the file's writer knew the size."
        readers: "ExecuTorch's C++ reader skips that check at both levels if the size is 0 and the base is not. Its \
            Python reader never compares the sum with the file's size."
        source: "A comment in `Program::load` keeps 0 valid for earlier files, whose 24-byte header has zero padding \
            at that position. Writers of the longer header never write 0 with a base, and no text defines the \
            combination, so the rule is a may."
        refs: ["H-10"]
    }
    EH_DSIZE_WITHOUT_BASE = "eh-dsize-without-base", Should, File, Header, "pte-header" {
        "`segment_data_size` is 0 if `segment_base_offset` is 0."
        why: "The two fields contradict each other. A tool that relies on the size looks for data that has no position."
        readers: "No reader checks the rule. With a base of 0, ExecuTorch compares the file's size with `program_size` \
            alone, after it has checked that the sum does not wrap."
        source: "The format's documentation defines a base of 0 as no segments, so there is no data to measure, and no \
            writer does otherwise. The rule is a should because readers do not use the size in this case."
        refs: ["H-11"]
    }
    EH_DSIZE_EXACT = "eh-dsize-exact", Should, File, Meta, "pte-header" {
        "A `segment_data_size` other than 0 equals the largest `offset + size` of the segment table."
        why: "A larger size makes bytes after the last segment appear to be segment data, although no segment contains \
            them."
        readers: "ExecuTorch's C++ reader compares the size with the file's size; no reader compares it with the \
            segment table."
        source: "The format's documentation ends the size at the end of the segments and gives the last segment no \
            trailing padding. The rule is a should because a larger size is harmless; a smaller size breaks \
            `seg-within-data`."
        refs: ["H-10"]
    }
    EH_PADDING_ZERO = "eh-padding-zero", Should, File, Header, "pte-header" {
        "The bytes from the header's end, 8 + length, to the first byte that the FlatBuffer uses are zero."
        why: "Readers ignore these bytes, so anything can hide in them. A future reader of a longer header may give \
            them a meaning."
        readers: "No reader checks these bytes."
        source: "The writer pads the header with zeros to the largest alignment in its schema, to 32 bytes by default. \
            The format's documentation calls the bytes zero-padding."
        refs: ["H-15"]
    }
    EH_GAP_ZERO = "eh-gap-zero", Should, File, Header, "pte-header" {
        "The bytes from `program_size` to `segment_base_offset` are zero."
        why: "Readers ignore these bytes, so anything can hide between program and segments and survive every copy of \
            the file."
        readers: "No reader checks these bytes."
        source: "`serialize_pte_binary` fills the gap with zeros up to the alignment of its segments."
        refs: ["H-15"]
    }
    EH_32BIT = "eh-32bit", Must, Reader, Header, "pte-header" {
        "A reader with 32-bit sizes rejects a `program_size`, `segment_base_offset` or `segment_data_size` of 2^32 or \
            more before it narrows the value."
        why: "After narrowing, 2^32 + x passes each check as x. A header that describes more than 4 GiB then appears \
            small, and its offsets lead elsewhere than on a 64-bit host."
        readers: "ExecuTorch returns InvalidProgram (0x23) since 1.3.0 if the absolute offset of a delegate's or a \
            mutable segment does not fit `size_t`. Some readers built for 32 bits do not check the upper halves of the \
            header's own fields."
        source: "This project infers the rule: the fields have 64 bits in every file, and on a 32-bit host every bound \
            depends on them."
        refs: ["T-04"]
        cwe: ["CWE-190"]
    }
    EH_TARGET_32 = "eh-target-32", Must, File, Header, "pte-header" {
        "For a 32-bit host, `segment_base_offset + segment_data_size`, or the last segment's end without a size, is at \
            most 2^32 - 1."
        why: "A host with 32-bit addresses cannot load a larger file. A reader that narrows sizes before it compares \
            them treats the file as 4 GiB smaller."
        readers: "Some readers built for 32 bits do not reject the file; `eh-32bit` states how such a reader must \
            reject it. ExecuTorch's data loaders take offsets and sizes as `size_t`, so no later check can detect the \
            lost upper half."
        source: "Inferred from the header's 64-bit fields and the host's 32-bit addresses. The same file is correct \
            for a 64-bit host, so the check runs only with `--target-bits 32`."
        refs: ["T-04"]
        cwe: ["CWE-190"]
    }
    EH_HEADERLESS_NO_DATA = "eh-headerless-no-data", Must, File, Data, "pte-header" {
        "In a program without a header, every segment has size 0, even a segment that nothing uses."
        why: "Without a header there is no base. A reader that resolves such a segment from byte 0 returns the \
            FlatBuffer's own bytes."
        readers: "ExecuTorch returns NotFound (0x20) for a delegate's or a mutable segment without a base. Some \
            readers have look-ups that do not check for a base."
        source: "`serialize_pte_binary` omits the header only if all segments together have no bytes, and still writes \
            entries for segments of size 0. The rule therefore depends on sizes and not on uses."
        refs: ["H-11", "H-12", "pytorch/executorch#1352"]
        cwe: ["CWE-436"]
    }
}

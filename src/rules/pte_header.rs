//! Rules about `eh00`, the extended header of a program (chapter `pte-header` of the book).
//!
//! The magic is at byte 8, `length` (`u32`) at 12, `program_size` (`u64`) at 16, and `segment_base_offset` (`u64`) at
//! 24. If the length is 32 or more, `segment_data_size` (`u64`) is at 32. Zero padding fills the gap between the
//! header and the rest of the FlatBuffer.

rules! {
    EH_OPTIONAL = "eh-optional", Must, Text, Reader, Header, "pte-header" {
        "A reader MUST treat a program that has no header magic at byte 8 as a single FlatBuffer that fills the file, \
            without segment data."
        rationale: "Early programs and most programs without segment bytes have no header, so a reader that insists on \
            one rejects valid files. The reader must not look for segments either, because without a base, they \
            resolve to the FlatBuffer's own bytes. ExecuTorch's `Program::load` uses the file's size as the program \
            size and 0 as the base."
        source: "ExecuTorch's `docs/source/pte-file-format.md` calls the header optional, and the official writer \
            omits it if there are no segment bytes."
        refs: ["pytorch/executorch#1352"]
    }
    EH_MAGIC_EXACT = "eh-magic-exact", Must, Text, File, Header, "pte-header" {
        "If bytes 8 to 11 are `eh` and two digits, the digits MUST be `00`."
        rationale: "`65 68 30 31` (`eh01`) announces a header of an unknown version. A reader that treats the header \
            as absent has no base, so it resolves segments from byte 0 and silently feeds the program's own bytes to \
            kernels as weights."
        source: "ExecuTorch's `docs/source/pte-file-format.md` reserves other digits for incompatible headers, and \
            every release writes `00`. Anything other than `eh` and two digits means that the program has no header."
        refs: ["H-12"]
        cwe: ["CWE-436"]
    }
    EH_TRUNCATED = "eh-truncated", Must, Loader, File, Header, "pte-header" {
        "A file with the header magic MUST extend at least through byte 31, or through byte 39 if the header's length \
            is 32 or more."
        rationale: "Otherwise, a reader takes the missing fields from memory past the buffer, or uses zeros, so the \
            base is 0. ExecuTorch loads 64 bytes first, and its loaders reject shorter files (InvalidArgument, 0x12)."
        source: "The rule follows from the layout: the header starts at byte 8, and its last field ends with byte 31, \
            or with byte 39 if there is a `segment_data_size`."
        refs: ["H-01"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_LENGTH_MIN = "eh-length-min", Must, Loader, File, Header, "pte-header" {
        "The header's length MUST be at least 24."
        rationale: "The length says which fields exist. If it is 23 (`17 00 00 00` at byte 12), `segment_base_offset` \
            is incomplete, and a reader that falls back to \"no header\" resolves segments from byte 0. ExecuTorch's \
            C++ reader returns InvalidProgram (0x23) at both verification levels."
        source: "`kMinimumHeaderLength` in ExecuTorch's `schema/extended_header.cpp` is 24, the length of the first \
            header."
        refs: ["H-04"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_LENGTH_DATA_SIZE = "eh-length-data-size", May, Writer, File, Header, "pte-header" {
        "A reader MAY reject a header whose length is 25 to 31, because it ends inside `segment_data_size`."
        rationale: "If the length is 31, ExecuTorch's C++ reader treats `segment_data_size` as absent, but its Python \
            reader uses all eight bytes of the field for any length of at least 25. Only a reader that knows the size \
            can detect a truncated file."
        source: "`ExtendedHeader::Parse` and `_ExtendedHeader.from_bytes` (in ExecuTorch's \
            `exir/_serialize/_program.py`) differ in this way. Official writers used 24 up to 0.7 and have used 32 \
            since 1.0, but never a length in between."
        refs: ["H-05", "pytorch/executorch#14320"]
    }
    EH_LENGTH_BOUNDED = "eh-length-bounded", Should, Writer, File, Header, "pte-header" {
        "The header's end, 8 + length, SHOULD be at most `program_size` and at most the position of the first table, \
            vtable, vector or string."
        rationale: "A header that is too long overlaps a table. ExecuTorch's readers never notice, even if the length \
            is `ff ff ff ff`, because they ignore everything past the fields that they know. A future reader that \
            knows more fields would read them from the table's bytes."
        source: "The official writer inserts the padded header before all objects in the FlatBuffer."
        refs: ["H-06"]
    }
    EH_LENGTH_FUTURE = "eh-length-future", Must, Text, Reader, Header, "pte-header" {
        "A reader MUST accept a length above 32 and ignore the header bytes that it does not know."
        rationale: "New fields go at the end, so a reader that insists on length 32 (`20 00 00 00`) rejects every file \
            from the release that adds one. ExecuTorch's C++ and Python readers accept every length of at least 24."
        source: "A comment in ExecuTorch's `schema/extended_header.h` says that the compatible way to change the \
            header is to make it longer. Release 1.0 did this when it raised the length from 24 to 32."
        refs: ["H-06"]
    }
    EH_PY_NEEDS_40 = "eh-py-needs-40", May, Loader, File, Header, "pte-header" {
        "A reader MAY ignore the header in a file of fewer than 40 bytes, even if the header's length is 24."
        rationale: "A header of length 24 fits in 32 bytes, but ExecuTorch's Python reader looks for a header only in \
            files of at least 40 bytes. It can therefore miss one that other readers find. The C++ reader rejects any \
            file below 64 bytes."
        source: "`_ExtendedHeader.from_bytes` in ExecuTorch's `exir/_serialize/_program.py` requires enough bytes for \
            the longer header before it reads the length."
    }
    EH_PROGRAM_SIZE_RANGE = "eh-program-size-range", Must, Loader, File, Header, "pte-header" {
        "`program_size` MUST be at least 8 and at most the file's size."
        rationale: "Later checks trust `program_size`, so if it is too large, they accept bytes outside the file. \
            ExecuTorch's loaders return InvalidArgument (0x12). If the base and the data size are 0, `Program::load` \
            returns InvalidProgram (0x23) instead; since 1.3.0, it also does so for a size below 8."
        source: "`Program::load` loads `program_size` bytes from byte 0, and compares `program_size` with \
            `kMinBufferSize`, which is 8."
        refs: ["H-07", "pytorch/executorch#18597"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_PROGRAM_SIZE_INCLUDES_HEADER = "eh-program-size-includes-header", Must, Text, File, Header, "pte-header" {
        "`program_size` MUST be counted from byte 0 and include the header, so it is at least 8 + 24 = 32."
        rationale: "A size that leaves out the header cuts off the end of the FlatBuffer. If the size is still at \
            least 32, only offsets past the new end reveal the mistake. ExecuTorch 1.3.0 and later check the root \
            offset, but only a verifier checks the others."
        source: "ExecuTorch's `docs/source/pte-file-format.md` counts `program_size` from byte 0, including the header."
        refs: ["H-07"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_PROGRAM_SIZE_EXACT = "eh-program-size-exact", Should, Writer, File, Structure, "pte-header" {
        "Only alignment padding SHOULD lie between the last byte that the FlatBuffer uses and `program_size`."
        rationale: "Everything before `program_size` stays in memory as long as the model is loaded. If that includes \
            the segments, the weights are loaded twice, and no reader notices, because a FlatBuffer does not record \
            its own end."
        source: "ExecuTorch's `serialize_pte_binary` asserts that `program_size` equals the number of bytes that it \
            writes ahead of the segments."
        refs: ["H-15"]
    }
    EH_BASE_ZERO_IFF_NONE = "eh-base-zero-iff-none", Must, Text, File, Data, "pte-header" {
        "If `segment_base_offset` is 0, every segment in the program MUST have size 0."
        rationale: "If the base is 0, a segment at offset 0 begins with the root offset and `ET12`, so the header and \
            the FlatBuffer are used as weights or a blob. ExecuTorch checks this for delegates and mutable segments \
            (NotFound, 0x20), but every segment lookup needs the check."
        source: "According to ExecuTorch's `docs/source/pte-file-format.md`, base 0 means that there are no segments. \
            Segments of size 0 are allowed because the official writer creates them without a base."
        refs: ["H-11"]
        cwe: ["CWE-436"]
    }
    EH_BASE_GE_PROGRAM = "eh-base-ge-program", Must, Policy, File, Header, "pte-header" {
        "A `segment_base_offset` other than 0 MUST be at least `program_size`."
        rationale: "If the base is lower, the same bytes are both tables and segment data. A write to mutable data, or \
            to weights in a mapped file, then changes tables that have already been verified. Valid files load without \
            this check, so it is easily forgotten."
        source: "This project chose the rule: no text forbids the overlap, but verifying a FlatBuffer is worthless if \
            it can change afterwards. Every writer puts the segments after the program, as the diagram in ExecuTorch's \
            `docs/source/pte-file-format.md` shows."
        refs: ["H-11"]
        cwe: ["CWE-436"]
    }
    EH_BASE_LE_FILE = "eh-base-le-file", Must, Policy, File, Header, "pte-header" {
        "`segment_base_offset` MUST be at most the file's size."
        rationale: "No segment can begin past the end of the file. ExecuTorch checks the sum of the base and \
            `segment_data_size` (InvalidProgram, 0x23), but a 24-byte header lacks this field, so nothing fails until \
            a segment is loaded (InvalidArgument, 0x12)."
        source: "The rule follows from `eh-sum-le-file`, but also covers headers without a `segment_data_size`."
        refs: ["H-09"]
        cwe: ["CWE-823", "CWE-125"]
    }
    EH_BASE_ALIGNED = "eh-base-aligned", Should, Writer, File, Header, "pte-header" {
        "`segment_base_offset` SHOULD be a multiple of 16."
        rationale: "In a mapped file, segments are aligned only if the base is. If the base is 0x601, for example, a \
            reader has to copy the weights, because kernels that use aligned loads would crash. No reader checks the \
            base, and loaders that copy segments align the copies."
        source: "ExecuTorch's `serialize_pte_binary` aligns the base to 128 by default (4096 up to release 0.3). Files \
            do not record the alignment; 16 is the smallest value that exporters use for tensors."
        refs: ["S-07"]
    }
    EH_SUM_NO_OVERFLOW = "eh-sum-no-overflow", Must, Loader, File, Header, "pte-header" {
        "`segment_base_offset + segment_data_size` MUST be at most 2^64 - 1."
        rationale: "A base of 2^64 - 16 and a size of 32 wrap around to 16, which passes every comparison with the \
            file's size. ExecuTorch 1.3.0 and later return InvalidProgram (0x23) at both verification levels; 1.0.0 to \
            1.2.0 compare the wrapped sum (pytorch/executorch#18662)."
        source: "`Program::load` checks the sum."
        refs: ["H-08", "pytorch/executorch#18662"]
        cwe: ["CWE-190", "CWE-125"]
    }
    EH_SUM_LE_FILE = "eh-sum-le-file", Must, Loader, File, Header, "pte-header" {
        "`segment_base_offset + segment_data_size` MUST be at most the file's size."
        rationale: "This check detects a truncated file when it is opened, not only when its last weights are used. \
            ExecuTorch 1.0.0 and later return InvalidProgram (0x23) at both verification levels, but skip the check if \
            `segment_data_size` is 0. Files that are longer than the sum are covered by `tr-pte`."
        source: "`Program::load` checks the sum; release 1.0 added `segment_data_size` for this purpose."
        refs: ["H-09", "pytorch/executorch#14092", "pytorch/executorch#14227"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_DSIZE_ZERO = "eh-dsize-zero", May, Writer, File, Header, "pte-header" {
        "A reader MAY reject a header of at least 32 bytes that has a `segment_base_offset` above 0 and a \
            `segment_data_size` of 0."
        rationale: "The zero switches off the check for truncated files, although the writer knew the size. \
            ExecuTorch's C++ reader skips the check at both verification levels, because the padding of the older \
            24-byte header also puts zeros in bytes 32 to 39."
        source: "According to a comment in ExecuTorch's `Program::load`, 0 stays valid for files with the older \
            header. Writers that use the longer header never write a base without a size."
        refs: ["H-10"]
    }
    EH_DSIZE_WITHOUT_BASE = "eh-dsize-without-base", Should, Text, File, Header, "pte-header" {
        "`segment_data_size` SHOULD be 0 if `segment_base_offset` is 0."
        rationale: "A size without a base makes no sense, and misleads a tool that relies on the size. If the base is \
            0, ExecuTorch checks only that the sum does not wrap and that `program_size` does not exceed the file's \
            size."
        source: "According to ExecuTorch's `docs/source/pte-file-format.md`, base 0 means that there are no segments. \
            No writer writes a size without a base."
        refs: ["H-11"]
    }
    EH_DSIZE_EXACT = "eh-dsize-exact", Should, Text, File, Meta, "pte-header" {
        "A `segment_data_size` other than 0 SHOULD equal the largest `offset + size` in the segment table."
        rationale: "A size that is too large counts bytes that belong to no segment. That is harmless, because readers \
            compare the size with the file, not with the table. A size that is too small breaks `seg-within-data`."
        source: "ExecuTorch's `docs/source/pte-file-format.md` counts the bytes up to the end of the last segment, \
            without trailing padding."
        refs: ["H-10"]
    }
    EH_PADDING_ZERO = "eh-padding-zero", Should, Text, File, Header, "pte-header" {
        "The bytes from the header's end, 8 + length, to the first byte that the FlatBuffer uses SHOULD be zero."
        rationale: "No reader looks at this padding, so it can hide data. A future reader that expects a longer header \
            could mistake the data for header fields."
        source: "ExecuTorch's `docs/source/pte-file-format.md` calls these bytes zero-padding. The official writer \
            pads the header to the largest alignment in its schema, by default to 32 bytes."
        refs: ["H-15"]
    }
    EH_GAP_ZERO = "eh-gap-zero", Should, Writer, File, Header, "pte-header" {
        "The bytes from `program_size` to `segment_base_offset` SHOULD be zero."
        rationale: "No reader looks at these bytes, so they can hide data that survives every copy of the file."
        source: "ExecuTorch's `serialize_pte_binary` fills the gap with zeros up to the segment alignment."
        refs: ["H-15"]
    }
    EH_32BIT = "eh-32bit", Must, Policy, Reader, Header, "pte-header" {
        "A reader with 32-bit sizes MUST reject a `program_size`, `segment_base_offset` or `segment_data_size` of 2^32 \
            or more instead of truncating the value."
        rationale: "Truncated to 32 bits, 0x100000600 becomes 0x600 and passes every later check, so sizes are too \
            small and offsets select the wrong bytes. ExecuTorch 1.3.0 and later return InvalidProgram (0x23) if a \
            delegate's or mutable segment's position exceeds `size_t`; the header's own fields need the same check."
        source: "These fields are 64 bits wide in every file, and every later check depends on them."
        refs: ["T-04"]
        cwe: ["CWE-190"]
    }
    EH_TARGET_32 = "eh-target-32", Must, Policy, File, Header, "pte-header" {
        "For a 32-bit host, the end of the segment data MUST be at most 2^32 - 1."
        rationale: "A 32-bit host cannot address a larger file, and a truncated end is at least 4 GiB too small. \
            ExecuTorch's data loaders take `size_t`, so no later code can notice the lost bits. `check` applies the \
            rule only with `--target-bits 32`; `eh-32bit` is the counterpart for readers."
        source: "The rule follows from the header's 64-bit fields. The end is `segment_base_offset + \
            segment_data_size` or, if there is no size, the end of the last segment."
        refs: ["T-04"]
        cwe: ["CWE-190"]
    }
    EH_HEADERLESS_NO_DATA = "eh-headerless-no-data", Must, Loader, File, Data, "pte-header" {
        "In a program without a header, every segment MUST have size 0, even if nothing uses the segment."
        rationale: "Without a header there is no base, and a reader that resolves a segment from byte 0 returns the \
            FlatBuffer's own bytes. ExecuTorch checks this for delegates and mutable segments (NotFound, 0x20), but \
            every segment lookup needs the check."
        source: "ExecuTorch's `serialize_pte_binary` omits the header only if all segments are empty, and still writes \
            their entries of size 0."
        refs: ["H-11", "H-12", "pytorch/executorch#1352"]
        cwe: ["CWE-436"]
    }
}

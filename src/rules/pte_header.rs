//! Rules about `eh00`, the extended header of a program (chapter `pte-header` of the book).
//!
//! The magic is at byte 8, `length` (`u32`) at 12, `program_size` (`u64`) at 16, and `segment_base_offset` (`u64`) at
//! 24. If the length is 32 or more, `segment_data_size` (`u64`) is at 32. Zero padding fills the gap between the
//! header and the rest of the FlatBuffer.

rules! {
    EH_OPTIONAL = "eh-optional", Must, Text, Reader, Header, "pte-header" {
        "A reader treats a program without a header magic at byte 8 as one FlatBuffer of the file's size, without \
            segment data."
        rationale: "A reader that requires the header rejects every program without segment data and every program \
            that is older than the header format. If a file has no header, a reader that looks for segments uses the \
            FlatBuffer's own bytes as data."
        readers: "If there is no header, ExecuTorch's `ExtendedHeader::Parse` returns NotFound. Without a header, \
            `Program::load` uses the file's size as the program's size and 0 as the base. If there is no header, \
            ExecuTorch's Python reader also treats the whole file as the program."
        source: "ExecuTorch's `docs/source/pte-file-format.md` calls the header optional. The official writer omits \
            the header if there are no segment bytes. Programs that are older than the header format have no header \
            either."
        refs: ["pytorch/executorch#1352"]
    }
    EH_MAGIC_EXACT = "eh-magic-exact", Must, Text, File, Header, "pte-header" {
        "If bytes 8 to 11 are `eh` and two digits, the digits are `00`."
        rationale: "Digits other than `00` announce a header of an unknown version. A reader that treats an unknown \
            header as absent does not know the base and resolves segments from byte 0. A reader that resolves segments \
            from byte 0 uses the program's own bytes as weights or as a delegate's blob."
        readers: "Some readers recognize only `eh00`. If the digits are not `00`, these readers find no header, and \
            load the program without a warning."
        source: "ExecuTorch's `docs/source/pte-file-format.md` reserves the digits for incompatible changes of the \
            header, and every released writer uses `00`. A reader that continues after an unknown header returns \
            wrong bytes without an error, so the rule's strength is `must`. If bytes 8 to 11 are not `eh` and two \
            digits, the file has no header."
        refs: ["H-12"]
        cwe: ["CWE-436"]
    }
    EH_TRUNCATED = "eh-truncated", Must, Loader, File, Header, "pte-header" {
        "A file with the header's magic contains the header through byte 31, or through byte 39 if the header's length \
            is 32 or more."
        rationale: "If the file ends inside the header, a reader reads the missing fields from memory outside the \
            buffer, or replaces them with zeros. If a reader replaces the base with zero, it finds no segments."
        readers: "ExecuTorch's C++ reader first loads 64 bytes, and ExecuTorch's loaders reject a file of fewer bytes \
            with InvalidArgument (0x12). Some readers find too few bytes for a header and continue without a header."
        source: "The rule follows from the layout: the header begins at byte 8 and has at least 24 bytes. If the \
            length is 32 or more, `segment_data_size` occupies bytes 32 to 39 of the file."
        refs: ["H-01"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_LENGTH_MIN = "eh-length-min", Must, Loader, File, Header, "pte-header" {
        "The header's length is at least 24."
        rationale: "The length determines which fields are present, so a header shorter than 24 bytes has no \
            `segment_base_offset`. A reader that treats the header as absent resolves segments from byte 0."
        readers: "For a length below 24, ExecuTorch's C++ reader returns InvalidProgram (0x23) at both verification \
            levels. Some readers treat an invalid header as absent and accept the file."
        source: "`kMinimumHeaderLength` in ExecuTorch's `schema/extended_header.cpp` is 24. The first version of the \
            header has 24 bytes: magic, length, `program_size` and `segment_base_offset`."
        refs: ["H-04"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_LENGTH_DATA_SIZE = "eh-length-data-size", May, Writer, File, Header, "pte-header" {
        "The header's length is 24 or at least 32, so the header contains all or none of `segment_data_size`."
        rationale: "If the length is 25 to 31, one reader finds a size for the segment data, and another reader finds \
            no size. Only the reader that finds a size can detect a truncated file."
        readers: "ExecuTorch's C++ reader reads `segment_data_size` if the length is at least 32, and otherwise uses \
            0. ExecuTorch's Python reader reads all eight bytes of `segment_data_size` if the length is at least 25."
        source: "ExecuTorch's `ExtendedHeader::Parse`, and `_ExtendedHeader.from_bytes` in \
            `exir/_serialize/_program.py`, read the length. Writers up to 0.7 write the length 24, and writers since \
            1.0 write the length 32. No writer writes a length between 24 and 32, so the rule's strength is `may`."
        refs: ["H-05", "pytorch/executorch#14320"]
    }
    EH_LENGTH_BOUNDED = "eh-length-bounded", Should, Writer, File, Header, "pte-header" {
        "The header's end, 8 + length, is at most `program_size` and at most the position of the first table, vtable, \
            vector or string."
        rationale: "A header that extends into the FlatBuffer claims bytes that also belong to a table. If a future \
            version of the header has more fields, its readers interpret the table as header fields."
        readers: "ExecuTorch's readers read the header fields that they know and ignore the rest of the header, for \
            any length up to 2^32 - 1."
        source: "The rule follows from the writer, which inserts the padded header before any object of the \
            FlatBuffer. The rule's strength is `should` because no reader uses the end of the header."
        refs: ["H-06"]
    }
    EH_LENGTH_FUTURE = "eh-length-future", Must, Text, Reader, Header, "pte-header" {
        "A reader accepts a length above 32 and ignores the header bytes that it does not know."
        rationale: "A new version of the header adds fields at its end. A reader that requires a known length \
            rejects every file of the release that adds a field."
        readers: "ExecuTorch's C++ and Python readers accept every length of at least 24. ExecuTorch's own tests check \
            a longer header with the C++ reader."
        source: "A comment on the magic in ExecuTorch's `schema/extended_header.h` describes a longer length as the \
            compatible way to change the header. Release 1.0 extended the header from 24 bytes to 32 in this way."
        refs: ["H-06"]
    }
    EH_PY_NEEDS_40 = "eh-py-needs-40", May, Loader, File, Header, "pte-header" {
        "A file with a header has at least 40 bytes, even if the header's length is 24."
        rationale: "If a file with a header has fewer than 40 bytes, one reader finds the segments, and another \
            reader finds no header."
        readers: "ExecuTorch's Python reader looks for a header only in files of 40 bytes or more. ExecuTorch's C++ \
            reader requires 64 bytes of any file. A header of length 24 occupies only bytes 8 to 31."
        source: "`_ExtendedHeader.from_bytes` in ExecuTorch's `exir/_serialize/_program.py` requires the 32 bytes of \
            the longer header before it reads the length. No text states a minimum, so the rule's strength is `may`."
    }
    EH_PROGRAM_SIZE_RANGE = "eh-program-size-range", Must, Loader, File, Header, "pte-header" {
        "`program_size` is at least 8 and at most the file's size."
        rationale: "`program_size` is the length of the FlatBuffer and the limit of every later check. If \
            `program_size` is past the end of the file, later checks allow reads outside the file. A `program_size` \
            below 8 leaves no room for the root offset and the identifier."
        readers: "If `program_size` is past the end of the file, ExecuTorch's loaders return InvalidArgument (0x12). \
            If both `segment_base_offset` and `segment_data_size` are 0, `Program::load` returns InvalidProgram (0x23) \
            for a `program_size` past the end of the file. Since 1.3.0, `Program::load` returns InvalidProgram for a \
            `program_size` below 8. Some readers reduce `program_size` to the file's size."
        source: "ExecuTorch's `Program::load` loads `program_size` bytes from byte 0. `kMinBufferSize` is the length \
            of the root offset and the identifier."
        refs: ["H-07", "pytorch/executorch#18597"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_PROGRAM_SIZE_INCLUDES_HEADER = "eh-program-size-includes-header", Must, Text, File, Header, "pte-header" {
        "`program_size` is counted from byte 0 and includes the header, so it is at least 8 + 24 = 32."
        rationale: "If `program_size` excludes the header, a reader cuts off the end of the FlatBuffer. If \
            `program_size` is below 32, the program ends inside the header."
        readers: "No reader checks the rule directly. If the root offset points past `program_size`, ExecuTorch 1.3.0 \
            and later return InvalidProgram (0x23) at both verification levels. If any other offset points past \
            `program_size`, only a verifier detects this error."
        source: "ExecuTorch's `docs/source/pte-file-format.md` counts `program_size` from byte 0 and includes the \
            headers. To compute `program_size`, the writer adds the lengths of the padded header and the FlatBuffer. A \
            wrong `program_size` of 32 or more is indistinguishable from the size of a shorter FlatBuffer."
        refs: ["H-07"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_PROGRAM_SIZE_EXACT = "eh-program-size-exact", Should, Writer, File, Structure, "pte-header" {
        "Only alignment padding lies between the last byte that the FlatBuffer uses and `program_size`."
        rationale: "A reader loads all bytes before `program_size` with the program, and keeps these bytes in memory \
            until it releases the model. If `program_size` covers the segments, the reader loads the weights twice."
        readers: "A FlatBuffer does not record its own end, so readers accept a larger `program_size`, even if it \
            covers the segments."
        source: "ExecuTorch's `serialize_pte_binary` asserts that `program_size` is the length of its output before \
            the segments. The rule's strength is `should` because no reader depends on the rule."
        refs: ["H-15"]
    }
    EH_BASE_ZERO_IFF_NONE = "eh-base-zero-iff-none", Must, Text, File, Data, "pte-header" {
        "If `segment_base_offset` is 0, every segment of the program has size 0."
        rationale: "If the base is 0, a segment's offset is relative to the file's first byte. A reader that does not \
            check the base uses the header and the FlatBuffer as weights or as a delegate's blob."
        readers: "If a delegate or a mutable segment needs the base, ExecuTorch returns NotFound (0x20) when it \
            prepares the method. Some readers have lookups that do not check the base."
        source: "According to ExecuTorch's `docs/source/pte-file-format.md`, a base of 0 means that there are no \
            segments. `Program::LoadSegment` and `load_mutable_subsegment_into` check the base. The rule allows \
            segments of size 0, because the official writer creates empty segments without a base."
        refs: ["H-11"]
        cwe: ["CWE-436"]
    }
    EH_BASE_GE_PROGRAM = "eh-base-ge-program", Must, Policy, File, Header, "pte-header" {
        "A `segment_base_offset` other than 0 is at least `program_size`."
        rationale: "If the base is below `program_size`, the same bytes are both FlatBuffer and segment data. A \
            write to mutable data, or to weights in a mapped file, changes tables after verification."
        readers: "Some readers do not compare the base with `program_size`, because loading does not require the \
            comparison."
        source: "This project chose the strength `must`: no text forbids a base below `program_size`, and readers \
            accept it. The project rejects such a file because verification of the FlatBuffer has no value if its \
            bytes are also data. The diagram in ExecuTorch's `docs/source/pte-file-format.md` shows the segments \
            after the FlatBuffer, and every writer uses this order."
        refs: ["H-11"]
        cwe: ["CWE-436"]
    }
    EH_BASE_LE_FILE = "eh-base-le-file", Must, Policy, File, Header, "pte-header" {
        "`segment_base_offset` is at most the file's size."
        rationale: "No segment can begin past the end of the file. If the base is past the end, a reader either \
            rejects each segment separately or reads outside the file."
        readers: "If `segment_data_size` is not 0, ExecuTorch checks the sum of base and size, and returns \
            InvalidProgram (0x23). If the header has only 24 bytes, ExecuTorch's loaders return InvalidArgument (0x12) \
            when they load a segment."
        source: "The rule follows from `eh-sum-le-file`, for headers without a size."
        refs: ["H-09"]
        cwe: ["CWE-823", "CWE-125"]
    }
    EH_BASE_ALIGNED = "eh-base-aligned", Should, Writer, File, Header, "pte-header" {
        "`segment_base_offset` is a multiple of 16."
        rationale: "A segment is aligned in the file only if the base is aligned. A reader that maps the file must \
            copy misaligned weights. Without the copy, a kernel that requires alignment can crash."
        readers: "No reader checks the rule. Loaders that copy segments into memory align the copies."
        source: "ExecuTorch's `serialize_pte_binary` aligns the base to the caller's value, or by default to 128. Up \
            to release 0.3, the default alignment was 4096. Files do not record the alignment. The rule requires only \
            16, the smallest alignment that exporters give tensors."
        refs: ["S-07"]
    }
    EH_SUM_NO_OVERFLOW = "eh-sum-no-overflow", Must, Loader, File, Header, "pte-header" {
        "`segment_base_offset + segment_data_size` is at most 2^64 - 1."
        rationale: "A sum that wraps is small, so every comparison with the file's size passes. Although the sum is \
            small, the segments' positions are relative to a very large base."
        readers: "Since 1.3.0, ExecuTorch's C++ reader returns InvalidProgram (0x23) for a sum that wraps, at both \
            verification levels. Releases 1.0.0 to 1.2.0 compare the wrapped sum with the file's size. Python's \
            integers do not wrap."
        source: "ExecuTorch's `Program::load` checks the sum."
        refs: ["H-08", "pytorch/executorch#18662"]
        cwe: ["CWE-190", "CWE-125"]
    }
    EH_SUM_LE_FILE = "eh-sum-le-file", Must, Loader, File, Header, "pte-header" {
        "`segment_base_offset + segment_data_size` is at most the file's size."
        rationale: "A reader that does not compare the sum with the file's size loads a truncated file. An error can \
            occur much later, when the reader needs the weights at the end of the file."
        readers: "Since 1.0.0, ExecuTorch's C++ reader returns InvalidProgram (0x23) for a sum above the file's size, \
            at both verification levels. A `segment_data_size` of 0 disables this comparison with the file's size. The \
            rule `tr-pte` covers files that are longer than the sum."
        source: "ExecuTorch's `Program::load` compares the sum with the file's size. Release 1.0 added \
            `segment_data_size` to the header, so that readers can detect truncated files."
        refs: ["H-09", "pytorch/executorch#14092", "pytorch/executorch#14227"]
        cwe: ["CWE-130", "CWE-125"]
    }
    EH_DSIZE_ZERO = "eh-dsize-zero", May, Writer, File, Header, "pte-header" {
        "In a header of at least 32 bytes with a `segment_base_offset` above 0, `segment_data_size` is also above 0."
        rationale: "A `segment_data_size` of 0 disables the check for truncated files, although the writer of the \
            file knew the size."
        readers: "If `segment_data_size` is 0 and the base is not 0, ExecuTorch's C++ reader skips the check for \
            truncated files at both verification levels. ExecuTorch's Python reader never compares `segment_data_size` \
            with the file's size."
        source: "According to a comment in ExecuTorch's `Program::load`, a `segment_data_size` of 0 remains valid for \
            earlier files. Earlier files have a header of 24 bytes, and zero padding at the position of \
            `segment_data_size`. Writers of the 32-byte header never write a base without a size, and no text defines \
            the combination, so the rule's strength is `may`."
        refs: ["H-10"]
    }
    EH_DSIZE_WITHOUT_BASE = "eh-dsize-without-base", Should, Text, File, Header, "pte-header" {
        "`segment_data_size` is 0 if `segment_base_offset` is 0."
        rationale: "A file that states the size of the segment data, but no position for it, contradicts itself. A \
            tool that relies on `segment_data_size` searches for data that has no position."
        readers: "No reader checks the rule. If the base is 0, ExecuTorch first checks that base plus size does not \
            wrap. If the sum does not wrap, ExecuTorch compares only `program_size` with the file's size."
        source: "According to ExecuTorch's `docs/source/pte-file-format.md`, a base of 0 means that there are no \
            segments, so there is no data to measure. No writer writes a size without a base. The rule's strength is \
            `should` because readers do not use the size if the base is 0."
        refs: ["H-11"]
    }
    EH_DSIZE_EXACT = "eh-dsize-exact", Should, Text, File, Meta, "pte-header" {
        "A `segment_data_size` other than 0 equals the largest `offset + size` of the segment table."
        rationale: "A `segment_data_size` that is too large declares bytes after the last segment as segment data, \
            although no segment contains these bytes."
        readers: "ExecuTorch's C++ reader compares `segment_base_offset + segment_data_size` with the file's size. No \
            reader compares `segment_data_size` with the segment table."
        source: "According to ExecuTorch's `docs/source/pte-file-format.md`, `segment_data_size` counts the bytes up \
            to the end of the last segment, which has no trailing padding. The rule's strength is `should` because a \
            size that is too large is harmless; a size that is too small breaks `seg-within-data`."
        refs: ["H-10"]
    }
    EH_PADDING_ZERO = "eh-padding-zero", Should, Text, File, Header, "pte-header" {
        "The bytes from the header's end, 8 + length, to the first byte that the FlatBuffer uses are zero."
        rationale: "Readers ignore the padding of the header, so the padding can hide data. A future reader of a \
            longer header may interpret the padding as fields."
        readers: "No reader checks the padding of the header."
        source: "The official writer pads the header with zeros to the largest alignment in its schema, by default to \
            32 bytes. ExecuTorch's `docs/source/pte-file-format.md` calls the padding zero-padding."
        refs: ["H-15"]
    }
    EH_GAP_ZERO = "eh-gap-zero", Should, Writer, File, Header, "pte-header" {
        "The bytes from `program_size` to `segment_base_offset` are zero."
        rationale: "Readers ignore the bytes between the program and the segments, so these bytes can hide data \
            that survives every copy of the file."
        readers: "No reader checks the bytes between the program and the segments."
        source: "ExecuTorch's `serialize_pte_binary` fills the gap with zeros up to the alignment of the segments."
        refs: ["H-15"]
    }
    EH_32BIT = "eh-32bit", Must, Policy, Reader, Header, "pte-header" {
        "A reader with 32-bit sizes rejects a `program_size`, `segment_base_offset` or `segment_data_size` of 2^32 or \
            more before it truncates the value."
        rationale: "After truncation to 32 bits, the value 2^32 + x becomes x and passes the same checks as x. After \
            truncation, the sizes in a header of a file above 4 GiB are too small, and its offsets select the wrong \
            bytes."
        readers: "Since 1.3.0, ExecuTorch returns InvalidProgram (0x23) if the absolute offset of a delegate's segment \
            or a mutable segment does not fit `size_t`. Some 32-bit readers do not check the upper halves of the \
            header's own fields."
        source: "`program_size`, `segment_base_offset` and `segment_data_size` have 64 bits in every file, and every \
            later check depends on them."
        refs: ["T-04"]
        cwe: ["CWE-190"]
    }
    EH_TARGET_32 = "eh-target-32", Must, Policy, File, Header, "pte-header" {
        "For a 32-bit host, the end of the segment data is at most 2^32 - 1."
        rationale: "A host with 32-bit addresses cannot load a file of 4 GiB or more. If a reader truncates sizes \
            before it compares them, it computes an end that is at least 4 GiB too small."
        readers: "Some 32-bit readers do not reject a file that is too large; `eh-32bit` states which values a reader \
            must reject. ExecuTorch's data loaders receive offsets and sizes as `size_t`, so no later check can detect \
            that the upper 32 bits are lost."
        source: "The rule follows from the header's 64-bit fields and the host's 32-bit addresses. The end is \
            `segment_base_offset + segment_data_size` or, without a size, the end of the last segment. The checker \
            applies the rule only with `--target-bits 32`, because the file is valid for a 64-bit host."
        refs: ["T-04"]
        cwe: ["CWE-190"]
    }
    EH_HEADERLESS_NO_DATA = "eh-headerless-no-data", Must, Loader, File, Data, "pte-header" {
        "In a program without a header, every segment has size 0, even if nothing uses the segment."
        rationale: "A program without a header has no `segment_base_offset`. A reader that resolves a segment from \
            byte 0 returns the FlatBuffer's own bytes."
        readers: "If a delegate or a mutable segment needs the base, ExecuTorch returns NotFound (0x20). Some readers \
            have lookups that do not check for a base."
        source: "ExecuTorch's `serialize_pte_binary` omits the header only if all segments together have no bytes, and \
            still writes entries for segments of size 0. The rule therefore applies to every segment with bytes, even \
            if no table refers to the segment."
        refs: ["H-11", "H-12", "pytorch/executorch#1352"]
        cwe: ["CWE-436"]
    }
}

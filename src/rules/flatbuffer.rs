//! Rules about the FlatBuffer of a program or data file (chapter `flatbuffer` of the book).
//!
//! It starts at byte 0, and ends at `program_size` in a program with a header, at `flatbuffer_offset + flatbuffer_size`
//! in a data file, and at the end of any other file. Positions are counted from byte 0, so they include an inserted header.

rules! {
    FB_MIN_SIZE = "fb-min-size", Must, Loader, File, Open, "flatbuffer" {
        "The FlatBuffer MUST have at least 12 bytes: the root offset, the identifier and the root table's first word."
        rationale: "Even in a long file, `program_size` or `flatbuffer_size` may leave so few bytes for the FlatBuffer \
            that reading the root table runs past the end. ExecuTorch rejects a FlatBuffer of fewer than 8 bytes: in \
            programs since 1.3.0 (InvalidProgram, 0x23, at both verification levels) and in data files since 1.5.1 \
            (InvalidExternalData, 0x24)."
        source: "The root offset, the identifier and the `i32` at the start of a table have 4 bytes each. \
            `Program::load` requires 8 bytes (`kMinBufferSize`), and the C++ FlatBuffers verifier requires 12."
        refs: ["H-01", "pytorch/executorch#18597", "pytorch/executorch#22118"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FB_FILE_MIN_64 = "fb-file-min-64", May, Loader, File, Open, "flatbuffer" {
        "A reader MAY reject a file whose total size, header and segments included, is less than 64 bytes."
        rationale: "A complete program without segments can be shorter, and ExecuTorch's Python reader and FlatBuffers \
            tools open it. The C++ readers load 64 bytes first, so their loaders return InvalidArgument (0x12)."
        source: "`ExtendedHeader::kNumHeadBytes` and `FlatTensorHeader::kNumHeadBytes` in ExecuTorch are 64. \
            ExecuTorch's documentation of the formats gives no minimum."
        refs: ["H-01"]
    }
    FB_IDENTIFIER_EXACT = "fb-identifier-exact", Must, Text, File, Header, "flatbuffer" {
        "Bytes 4 to 7 MUST be `ET12` in a program and `FT01` in a data file."
        rationale: "Only the identifier names the tables' schema, so a reader that skips it may read another format's \
            tables as a program. ExecuTorch's C++ readers compare all four bytes: for programs, they return \
            InvalidProgram (0x23) at both verification levels; for data files, they return InvalidExternalData (0x24)."
        source: "ExecuTorch's `schema/program.fbs` and `flat_tensor.fbs` set `file_identifier` to these values. \
            According to ExecuTorch's `docs/source/pte-file-format.md`, the digits go up with every incompatible \
            change; every release writes `12` and `01`."
        refs: ["H-02", "E-02", "Y-01", "pytorch/executorch#2533"]
        cwe: ["CWE-436"]
    }
    FB_BASE_ALIGNED_16 = "fb-base-aligned-16", Must, Loader, Reader, Header, "flatbuffer" {
        "A reader that accesses the FlatBuffer in place MUST reject a buffer whose address is not a multiple of 16."
        rationale: "Alignment in a file is relative to byte 0, so at 0x1004, every 8-byte field is misaligned. Loading \
            such a field is undefined behavior in C and C++, and faults on some processors. ExecuTorch's C++ readers \
            return InvalidArgument (0x12). Readers that assemble values byte by byte need no alignment."
        source: "`IsAligned` in ExecuTorch's `runtime/executor/program.cpp` and `is_aligned` in \
            `flat_tensor_data_map.cpp` require `alignof(max_align_t)`, which is 16 on 64-bit hosts. The host chooses \
            the address, so no file breaks the rule."
        refs: ["F-13"]
    }
    FB_ROOT_OFFSET_RANGE = "fb-root-offset-range", Must, Loader, File, Structure, "flatbuffer" {
        "The root offset, the `u32` at byte 0, MUST be at least 8 and at most the FlatBuffer's size minus 4."
        rationale: "This is the first offset that a reader follows. If it is too large, every access is outside the \
            buffer; if it is below 8, the file's first bytes are read as a table. ExecuTorch returns InvalidProgram \
            (0x23) with InternalConsistency verification and, since 1.3.0, with Minimal. It checks data files since \
            1.5.1 (InvalidExternalData, 0x24; pytorch/executorch#22118)."
        source: "`Program::load`, `FlatTensorDataMap::load` and the C++ verifier's `VerifyOffset` check the range."
        refs: ["H-03", "X-03", "pytorch/executorch#17129", "pytorch/executorch#18597", "pytorch/executorch#22118"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_ROOT_NOT_IN_HEADER = "fb-root-not-in-header", Should, Writer, File, Structure, "flatbuffer" {
        "If there is a header, a program's root table and every FlatBuffer object in a data file SHOULD start after \
            the header's last field."
        rationale: "Otherwise, some bytes belong to both a table and the header, and a tool that inspects the header \
            overlooks the table. Even so, all readers interpret the file in the same way: FlatBuffers libraries do not \
            know the header, and header parsers ignore the root offset."
        source: "`_insert_flatbuffer_header` in ExecuTorch's `exir/_serialize/_program.py` inserts the header at byte \
            8. Its fields end at byte 40 in a program (32 without `segment_data_size`) and at byte 48 in a data file."
        refs: ["H-03"]
    }
    FB_ROOT_ALIGNED = "fb-root-aligned", Must, Loader, File, Structure, "flatbuffer" {
        "The root offset MUST be a multiple of 4."
        rationale: "If it is 0x1d, the root table's first word is misaligned, and loading it is undefined behavior in \
            C and C++. ExecuTorch returns InvalidProgram (0x23) with InternalConsistency verification, because the C++ \
            verifier checks alignment by default. A reader that checks only the offset's range accepts the file."
        source: "A FlatBuffers table starts with an `i32`, and the C++ verifier's `VerifyTableStart` checks its \
            alignment."
        refs: ["F-13"]
    }
    FB_VTABLE_VALID = "fb-vtable-valid", Must, Loader, File, Structure, "flatbuffer" {
        "A vtable MUST have an even position and an even length of at least 4; the vtable and the table's fields MUST \
            be inside the FlatBuffer."
        rationale: "Every field access goes through the vtable, whose position (up to 2 GiB away) and field offsets \
            come from the file. ExecuTorch checks them only with InternalConsistency verification (InvalidProgram, \
            0x23), in builds with `ET_ENABLE_PROGRAM_VERIFICATION`. Its default, Minimal, checks only the header, so a \
            forged vtable leads ExecuTorch outside the buffer."
        source: "The C++ verifier's `VerifyTableStart` and `VerifyField` check this. The first 4 bytes of a vtable \
            contain the lengths of the vtable and of the table, two bytes each."
        refs: ["F-02"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_OBJECT_SIZE = "fb-object-size", May, Text, File, Structure, "flatbuffer" {
        "A reader MAY reject a table if a field offset in its vtable is below 4 or a field ends past the table's \
            object size."
        rationale: "Such a field overlaps another object, so a write to the field changes that object, and a tool that \
            copies the table loses the field. Accessors never read the object size, and verifiers compare fields only \
            with the end of the buffer. Many official files break the rule, so `check` reports one violation per file."
        source: "The FlatBuffers format defines a vtable's second `u16` as the object size, and the C++ builder and \
            `flatc` set it. Python's `flatbuffers` before 25.12.19 shares vtables between tables of different sizes."
        refs: ["F-02", "google/flatbuffers#8653"]
    }
    FB_UOFFSET_VALID = "fb-uoffset-valid", Must, Loader, File, Structure, "flatbuffer" {
        "An offset to an object MUST be above 0 and below 2^31, and at least the first 4 bytes of the object MUST be \
            inside the FlatBuffer."
        rationale: "An unchecked offset can point up to 4 GiB ahead: outside the buffer or into another object. In a \
            vector, an offset of 0 points to itself, and some verifiers accept that as a table. ExecuTorch returns \
            InvalidProgram (0x23) with InternalConsistency verification."
        source: "The C++ verifier's `VerifyOffset` checks this. An offset is a `u32` relative to its own position, and \
            the smallest target has 4 bytes. Vector elements cannot be absent, so 0 has no meaning there."
        refs: ["F-01", "google/flatbuffers#4704"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_VECTOR_IN_BOUNDS = "fb-vector-in-bounds", Must, Loader, File, Structure, "flatbuffer" {
        "A vector's 4-byte length and its elements MUST be inside the FlatBuffer, and the length times the element \
            size MUST NOT wrap."
        rationale: "Loops, copies and index checks all trust the length. In 32-bit arithmetic, 0x40000001 elements of \
            4 bytes seem to need only 4 bytes and pass a bounds check. ExecuTorch returns InvalidProgram (0x23) with \
            InternalConsistency verification; without a verifier, it compares indices with the forged length."
        source: "The C++ verifier's `VerifyVectorOrString` bounds the length by dividing before it multiplies."
        refs: ["F-03", "F-04", "F-05", "F-06", "F-07", "F-08", "F-09", "F-10", "F-11"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FB_STRING_NUL = "fb-string-nul", Must, Loader, File, Structure, "flatbuffer" {
        "A string MUST end with a NUL terminator, which is inside the FlatBuffer but not part of the string's length."
        rationale: "ExecuTorch uses method names, operator names and backend ids as C strings. If the terminator is \
            missing, comparing or logging a name runs into other bytes or past the buffer, so error messages can \
            disclose memory. With InternalConsistency verification, ExecuTorch returns InvalidProgram (0x23)."
        source: "FlatBuffers builders write the terminator after every string, and the C++ and Rust verifiers check it \
            by default."
        refs: ["F-12"]
        cwe: ["CWE-170", "CWE-125"]
    }
    FB_STRING_UTF8 = "fb-string-utf8", Should, Text, File, Structure, "flatbuffer" {
        "A string SHOULD be valid UTF-8."
        rationale: "A reader that decodes strings either fails at a byte such as `ff` or replaces it, so two different \
            names can become equal. ExecuTorch's C++ code compares bytes and ignores the encoding, while its Python \
            reader raises UnicodeDecodeError and the Rust FlatBuffers verifier rejects the buffer."
        source: "The FlatBuffers format defines strings as UTF-8, and the official writers write UTF-8."
    }
    FB_STRING_NO_EMBEDDED_NUL = "fb-string-no-embedded-nul", Should, Writer, File, Structure, "flatbuffer" {
        "A method name, operator name, backend id, key or tensor name SHOULD NOT contain a NUL byte."
        rationale: "A reader that stops at the NUL reads `61 00 62` as `a`, but a reader that uses the length sees all \
            three bytes. So a blob can be scanned under one name and loaded under another. ExecuTorch compares method \
            names with `strcmp`, but since 1.0.0 it compares keys by length and bytes."
        source: "The FlatBuffers format allows NUL bytes inside strings and no verifier rejects them, but no official \
            writer writes one."
        cwe: ["CWE-436"]
    }
    FB_ALIGNMENT = "fb-alignment", Must, Text, File, Structure, "flatbuffer" {
        "Scalars, offsets and elements of non-empty vectors MUST be aligned to their size; tables and the lengths of \
            strings and vectors MUST be aligned to 4 bytes."
        rationale: "A misaligned typed load is undefined behavior in C and C++ and faults on some processors. With \
            InternalConsistency verification, ExecuTorch returns InvalidProgram (0x23), except for vector elements, \
            whose alignment the C++ verifier does not check (google/flatbuffers#8397). Rust's verifier checks even an \
            empty vector's element alignment, so it rejects some official files."
        source: "The FlatBuffers format aligns every value to its size, relative to byte 0. For an empty vector, \
            `flatc` (used by exporters up to 1.1.0) aligns only the length, and verifiers must accept that \
            (google/flatbuffers#8374)."
        refs: ["F-13", "google/flatbuffers#8374", "google/flatbuffers#8397"]
    }
    FB_FORCE_ALIGN = "fb-force-align", Should, Text, File, Structure, "flatbuffer" {
        "The bytes in `Buffer.storage` and `BackendDelegateInlineData.data` SHOULD start at a multiple of 16."
        rationale: "Kernels and backends get a pointer to these bytes and may use aligned vector loads, so a \
            misaligned pointer crashes them far from the cause. Verifiers see a byte vector, whose natural alignment \
            is 1, and ExecuTorch passes the pointer on unchecked."
        source: "ExecuTorch's `schema/program.fbs` declares a `force_align` of 16 for both; exporter options can raise \
            it to a larger power of two."
        refs: ["F-13"]
    }
    FB_MAX_DEPTH = "fb-max-depth", May, Loader, Reader, Structure, "flatbuffer" {
        "A reader MAY limit how deeply tables nest, as long as it accepts every depth that the schemas permit (fewer \
            than ten levels)."
        rationale: "A lower limit rejects valid files. A reader without a limit is safe only because ExecuTorch's \
            schemas have no recursive tables. By default, the C++ and Rust verifiers stop at 64 levels, but no file \
            with these schemas nests that deeply."
        source: "The verifiers' default `max_depth` is 64, and no document sets a limit."
        refs: ["F-15"]
        cwe: ["CWE-674"]
    }
    FB_MAX_TABLES = "fb-max-tables", May, Loader, File, Structure, "flatbuffer" {
        "A reader MAY reject a FlatBuffer if following all offsets from the root table visits more than 1,000,000 \
            tables, with a shared table counted at each visit."
        rationale: "A limit rejects very large valid programs, but without one, a small file with shared tables causes \
            endless work. The C++ and Rust verifiers stop at 1,000,000, so with InternalConsistency verification, \
            ExecuTorch returns InvalidProgram (0x23). With Minimal, it loads the file, as does its Python reader."
        source: "The limit is the verifiers' default `max_tables`, which `Program::load` keeps. The format itself has \
            no limit."
        refs: ["F-15"]
        cwe: ["CWE-770"]
    }
    FB_MAX_SIZE = "fb-max-size", Must, Text, File, Header, "flatbuffer" {
        "The FlatBuffer MUST be smaller than 2^31 bytes."
        rationale: "Offsets have 32 bits, and the one from a table to its vtable is signed, so in a larger FlatBuffer, \
            an offset can be negative or ambiguous. The C++ verifier checks the size only in an assertion, which \
            release builds omit; Rust's verifier stops after it has visited 2^31 bytes."
        source: "FlatBuffers' `FLATBUFFERS_MAX_BUFFER_SIZE` sets the limit. Weights are usually in segments, which \
            have 64-bit offsets, so real FlatBuffers are far smaller."
        refs: ["F-15"]
        cwe: ["CWE-190"]
    }
    FB_DAG_NO_AMPLIFICATION = "fb-dag-no-amplification", Should, Writer, File, Structure, "flatbuffer" {
        "The total size of all tables, vectors and strings, counting each object once for every offset that leads to \
            it, SHOULD be at most the FlatBuffer's size."
        rationale: "A reader that creates an object per offset, such as a converter to JSON, needs memory that grows \
            exponentially with the depth. A few hundred bytes can exhaust it; readers that use the tables in place are \
            safe. Verifiers limit only the visits (`fb-max-tables`); Rust's also limits the bytes visited."
        source: "The FlatBuffers format permits shared objects, but the official writers share only vtables, which the \
            rule does not count. Apache Arrow documents the problem for its messages (apache/arrow#9447)."
        refs: ["F-15", "apache/arrow#9447"]
        cwe: ["CWE-409"]
    }
    FB_UNION_CONSISTENT = "fb-union-consistent", Must, Loader, File, Method, "flatbuffer" {
        "A union's value MUST be absent if and only if its type is 0; for a type without fields, such as `Null`, the \
            value is optional."
        rationale: "If only the type is present, a reader dereferences null; if only the value is present, it stays \
            unverified. ExecuTorch returns InvalidProgram (0x23) when it prepares the method, but accepts `Null` \
            without a value, because it never reads that table. The C++ verifier checks only values of known types."
        source: "The FlatBuffers format requires a value for each type other than 0, as do ExecuTorch's `Method::init` \
            and `Method::parse_values`."
        refs: ["F-14", "pytorch/executorch#1520"]
        cwe: ["CWE-476", "CWE-843"]
    }
    FB_ENUM_RANGE = "fb-enum-range", Must, Policy, Reader, Meta, "flatbuffer" {
        "A reader MUST compare every enum value with the declared values, even after a FlatBuffers verifier has \
            accepted the file."
        rationale: "Verifiers accept undeclared values by design, because newer schemas may add values. A value of 99 \
            can then select a wrong branch, lead past a lookup table or, as a Rust enum, be undefined behavior. \
            ExecuTorch checks scalar types and delegate locations; its Python reader rejects every undeclared value."
        source: "For files, each enum has its own rule: `t-scalar-type`, `t-dynamism`, `t-dynamism-known`, \
            `t-location-enum`, `t-device`, `t-device-known`, `plan-ncb-device`, `plan-ncb-device-known`, \
            `del-location`, `ft-layout-scalar` and `ptdb-layout-scalar`."
        refs: ["T-10", "T-14", "D-09"]
    }
    FB_BOOL_CANONICAL = "fb-bool-canonical", Should, Writer, File, Method, "flatbuffer" {
        "A `bool` byte SHOULD be 0 or 1."
        rationale: "In C++ and Rust, a `bool` of 2 is undefined behavior: a compiler may test one bit, or use the byte \
            as an index. FlatBuffers' C++ accessors treat every byte except 0 as true, but the Go accessors treat \
            only 1 so (google/flatbuffers#8389). A `BoolList` is used in place, so a byte such as 2 reaches the kernels."
        source: "The official writers store only 0 and 1. The FlatBuffers format leaves other bytes undefined, and no \
            verifier rejects them."
        refs: ["google/flatbuffers#8389"]
    }
    FB_UNKNOWN_FIELDS = "fb-unknown-fields", Must, Text, Reader, Structure, "flatbuffer" {
        "A reader MUST ignore vtable slots (fields) that its schema does not declare."
        rationale: "Newer exporters append fields to tables, so a reader that rejects unknown slots fails on every \
            file with a new field. Code that `flatc` generates, verifiers included, accesses only declared fields, so \
            ExecuTorch ignores newer fields at both verification levels."
        source: "ExecuTorch's `schema/README.md` permits new fields only at the end of a table; `constant_segment`, \
            `mutable_data_segments` and `named_data` were added in this way."
    }
    FB_EXPLICIT_DEFAULT_OK = "fb-explicit-default-ok", Must, Text, Reader, Structure, "flatbuffer" {
        "A reader MUST treat a scalar field with a stored default value like an absent field."
        rationale: "Whether a default is stored depends on a FlatBuffers builder option, which must not change a \
            file's meaning. Generated accessors return the default for an absent field, so ExecuTorch's readers cannot \
            tell the two apart."
        source: "The FlatBuffers format permits writers to store or omit default values. Builders omit them by \
            default, but some implementations store all fields."
    }
    FB_NOT_SIZE_PREFIXED = "fb-not-size-prefixed", Must, Loader, File, Header, "flatbuffer" {
        "The file MUST begin with the root offset, not with a 4-byte size prefix before it."
        rationale: "A prefix moves the root offset to byte 4 and the identifier to byte 8, so the size is read as the \
            root offset. ExecuTorch's C++ readers find a wrong identifier and return InvalidProgram (0x23), or \
            InvalidExternalData (0x24) for data files. FlatBuffers tools accept a prefix only if asked to."
        source: "The FlatBuffers format has a size-prefixed encoding, which ExecuTorch does not use. A size-prefixed \
            file also breaks `fb-identifier-exact`, but this rule's finding names the cause."
        refs: ["H-02"]
    }
}

//! The FlatBuffer of a program or data file: chapter `flatbuffer` of the book.
//!
//! The FlatBuffer starts at byte 0. The FlatBuffer of a program with a header ends at `program_size`. The FlatBuffer of
//! a data file ends at `flatbuffer_offset + flatbuffer_size`. A file without a header consists of its FlatBuffer.
//! Positions count from byte 0 of the file, so positions include the bytes of an inserted header.

rules! {
    FB_MIN_SIZE = "fb-min-size", Must, File, Open, "flatbuffer" {
        "The FlatBuffer has at least 12 bytes: the root offset, the identifier and the root table's first word."
        rationale: "A reader of a shorter buffer reads past its end to get these three values. Even in a long file, \
            `program_size` or `flatbuffer_offset + flatbuffer_size` can limit the FlatBuffer to a few bytes."
        readers: "For a program's FlatBuffer below 8 bytes, ExecuTorch returns InvalidProgram (0x23) at both \
            verification levels since 1.3.0. For a data file's FlatBuffer below 8 bytes, ExecuTorch returns \
            InvalidExternalData (0x24) since 1.5.1. The C++ FlatBuffers verifier requires 12 bytes: a root offset, a \
            table's first word and a vtable's two lengths."
        source: "This project infers the rule from the layout, where the root offset, the identifier and the `i32` at \
            a table's start have 4 bytes each. `Program::load` requires only the first 8 bytes (`kMinBufferSize`)."
        refs: ["H-01", "pytorch/executorch#18597", "pytorch/executorch#22118"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FB_FILE_MIN_64 = "fb-file-min-64", May, File, Open, "flatbuffer" {
        "A file has at least 64 bytes, including its header and segments."
        rationale: "A complete program without segments can be shorter than 64 bytes. Some readers load a shorter \
            file, and others reject it."
        readers: "ExecuTorch's C++ readers first load 64 bytes, and their data loaders return InvalidArgument (0x12) \
            for a shorter file. ExecuTorch's Python reader and FlatBuffers tools open a shorter file if it is complete."
        source: "ExecuTorch defines `ExtendedHeader::kNumHeadBytes` and `FlatTensorHeader::kNumHeadBytes` as 64. \
            ExecuTorch's `docs/source/pte-file-format.md` and `docs/source/ptd-file-format.md` state no minimum, so \
            the strength is `may`."
        refs: ["H-01"]
    }
    FB_IDENTIFIER_EXACT = "fb-identifier-exact", Must, File, Header, "flatbuffer" {
        "Bytes 4 to 7 are `ET12` in a program and `FT01` in a data file."
        rationale: "The identifier alone determines the schema of the bytes. A reader that ignores the identifier \
            interprets the tables of another format as a program."
        readers: "ExecuTorch's C++ readers compare all four bytes. At both verification levels, ExecuTorch returns \
            InvalidProgram (0x23) for programs, and it returns InvalidExternalData (0x24) for data files. \
            `Program::check_header` distinguishes other `ET??` identifiers from files of other formats. Some readers \
            do not check the identifier."
        source: "ExecuTorch's `schema/program.fbs` and `flat_tensor.fbs` declare `ET12` and `FT01` as \
            `file_identifier`. By `docs/source/pte-file-format.md`, the two digits change with every incompatible \
            change. No release has written other digits, so a file with other digits has another format."
        refs: ["H-02", "E-02", "Y-01", "pytorch/executorch#2533"]
        cwe: ["CWE-436"]
    }
    FB_BASE_ALIGNED_16 = "fb-base-aligned-16", Must, Reader, Header, "flatbuffer" {
        "A reader that accesses the FlatBuffer in place loads byte 0 at an address that is a multiple of 16, or \
            rejects the buffer."
        rationale: "Alignment inside the file counts from byte 0. If byte 0 is misaligned in memory, access to wide \
            fields is unaligned, which is undefined behaviour in C and C++. Some processors fault on unaligned \
            access."
        readers: "ExecuTorch's C++ readers compare the buffer's address with `alignof(max_align_t)`, which is 16 on \
            64-bit hosts, and return InvalidArgument (0x12). A reader that assembles values from single bytes does not \
            need the alignment."
        source: "The functions `IsAligned` in `runtime/executor/program.cpp` and `is_aligned` in \
            `flat_tensor_data_map.cpp` check the address. No file can break the rule, because the host chooses the \
            address."
        refs: ["F-13"]
    }
    FB_ROOT_OFFSET_RANGE = "fb-root-offset-range", Must, File, Structure, "flatbuffer" {
        "The root offset, the `u32` at byte 0, is at least 8 and at most the FlatBuffer's size minus 4."
        rationale: "The root offset is the first offset that a reader follows. If the root offset leads past the \
            end, every later access reads outside the buffer. If the root offset is below 8, a reader interprets \
            the first bytes of the file as a table."
        readers: "For programs, ExecuTorch returns InvalidProgram (0x23): from the C++ FlatBuffers verifier at level \
            InternalConsistency, and from its own check at level Minimal since 1.3.0. At level Minimal, ExecuTorch \
            checks no other part of the structure. For data files, ExecuTorch returns InvalidExternalData (0x24) since \
            1.5.1; earlier releases read outside the buffer (pytorch/executorch#22118)."
        source: "`Program::load`, `FlatTensorDataMap::load` and the verifier's `VerifyOffset` check the range. Bytes 0 \
            to 7 contain the root offset and the identifier, and a table's first word needs 4 bytes."
        refs: ["H-03", "X-03", "pytorch/executorch#17129", "pytorch/executorch#18597", "pytorch/executorch#22118"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_ROOT_NOT_IN_HEADER = "fb-root-not-in-header", Should, File, Structure, "flatbuffer" {
        "The root table of a program and every FlatBuffer part of a data file start after the header's fields, if a \
            header is present."
        rationale: "If a table overlaps the header, some bytes have two meanings. A tool that inspects only the \
            header misses the meaning of these bytes as a table."
        readers: "No reader compares the table's position with the header's end. FlatBuffers code ignores the header, \
            and header code ignores the root offset."
        source: "This project infers the rule from `_insert_flatbuffer_header` in `exir/_serialize/_program.py`, which \
            inserts the padded header at byte 8. A program's header ends at byte 40, or at byte 32 without \
            `segment_data_size`; a data file's header ends at byte 48. The strength is `should` because all readers \
            interpret a file with such an overlap alike."
        refs: ["H-03"]
    }
    FB_ROOT_ALIGNED = "fb-root-aligned", Must, File, Structure, "flatbuffer" {
        "The root offset is a multiple of 4."
        rationale: "If the root offset is not a multiple of 4, the first word of the root table is unaligned. \
            Unaligned access is undefined behaviour in C and C++."
        readers: "ExecuTorch returns InvalidProgram (0x23) at verification level InternalConsistency, because the C++ \
            FlatBuffers verifier checks alignment by default. A reader that checks only the range of the root offset \
            accepts a misaligned root table."
        source: "FlatBuffers align a table to the `i32` at its start, counted from byte 0. The verifier's \
            `VerifyTableStart` checks the alignment."
        refs: ["F-13"]
    }
    FB_VTABLE_VALID = "fb-vtable-valid", Must, File, Structure, "flatbuffer" {
        "A vtable has an even position and an even length of at least 4, lies inside the FlatBuffer, and locates every \
            field inside the FlatBuffer."
        rationale: "Every access to a field uses the vtable. The file chooses the vtable's position, up to 2 GiB \
            before or after the table, and each field's offset. An unchecked vtable therefore makes a reader read \
            outside the buffer. If the vtable's length is odd or too short, a reader interprets bytes of other \
            objects as field offsets."
        readers: "For an invalid vtable, ExecuTorch returns InvalidProgram (0x23) at verification level \
            InternalConsistency, in builds with `ET_ENABLE_PROGRAM_VERIFICATION`. ExecuTorch documents that Minimal, \
            its default level, checks only the header. A reader without a verifier follows the offset unchecked."
        source: "`VerifyTableStart` and `VerifyField` of the C++ verifier check the vtable, as their counterparts in \
            Rust do. The vtable's position is the table's position minus its first `i32`. The minimum of 4 bytes \
            covers the vtable's own two lengths of 2 bytes each."
        refs: ["F-02"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_OBJECT_SIZE = "fb-object-size", Should, File, Structure, "flatbuffer" {
        "Each field lies inside its table's object: its vtable offset is at least 4, and offset plus width is at most \
            the object size."
        rationale: "A field outside its object overlaps another object, so a write to one table changes another \
            table. A copy of the object by its size loses the field."
        readers: "Accessors never read the object size. The C++ and Rust FlatBuffers verifiers compare fields only \
            with the end of the buffer. ExecuTorch therefore accepts a field outside its object at both verification \
            levels."
        source: "FlatBuffers define the vtable's second `u16` as the object's size. The C++ builder and `flatc` obey \
            the rule. Python's `flatbuffers` before 25.12.19 breaks the rule, because it shares a vtable between \
            tables of different sizes. The strength is `should` because reads stay inside the buffer in any case."
        refs: ["F-02", "google/flatbuffers#8653"]
    }
    FB_UOFFSET_VALID = "fb-uoffset-valid", Must, File, Structure, "flatbuffer" {
        "An offset to a table, vector or string is above 0 and below 2^31, and its target has at least 4 bytes inside \
            the FlatBuffer."
        rationale: "An unchecked offset is a pointer that the file chooses, up to 4 GiB ahead. An unchecked offset \
            can lead outside the buffer or into another object. If an element of a vector is 0, a careless reader \
            interprets the element itself as a table."
        readers: "For an invalid offset, ExecuTorch returns InvalidProgram (0x23) at verification level \
            InternalConsistency. The FlatBuffers verifiers check all three conditions for the offset of a field. Some \
            verifiers accept 0 as an element of a vector of tables, and readers then interpret the element itself as a \
            table."
        source: "`VerifyOffset` of the C++ verifier makes the checks. An offset is a `u32` that counts from its own \
            position. The smallest target has 4 bytes: a length, or a table's first word. FlatBuffers vectors have no \
            absent elements, so a 0 in a vector has no meaning."
        refs: ["F-01", "google/flatbuffers#4704"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_VECTOR_IN_BOUNDS = "fb-vector-in-bounds", Must, File, Structure, "flatbuffer" {
        "A vector's 4-byte length and its elements end inside the FlatBuffer, where the product of length and element \
            size does not wrap."
        rationale: "Loops, copies and index checks rely on the length, so a forged length exposes all memory after \
            the vector. If the product wraps, a large vector passes the bounds check."
        readers: "For a vector or string that ends outside the FlatBuffer, ExecuTorch returns InvalidProgram (0x23) at \
            verification level InternalConsistency. In a reader without a verifier, index checks compare with the \
            forged length and pass."
        source: "`VerifyVectorOrString` of the C++ verifier limits the length by division before it multiplies. The \
            patterns in this rule's references forge the length of many vectors of ExecuTorch's `schema/program.fbs`, \
            from `execution_plan` to a delegate's inline data."
        refs: ["F-03", "F-04", "F-05", "F-06", "F-07", "F-08", "F-09", "F-10", "F-11"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FB_STRING_NUL = "fb-string-nul", Must, File, Structure, "flatbuffer" {
        "A NUL terminator follows a string's bytes inside the FlatBuffer; the string's length excludes the terminator."
        rationale: "Readers in C and C++ use names as NUL-terminated strings. Without the terminator, a comparison \
            or a log line also reads the bytes after the string. For the last string, these bytes lie past the \
            buffer. The name of a method can then disclose memory contents."
        readers: "If the terminator is absent, ExecuTorch returns InvalidProgram (0x23) at verification level \
            InternalConsistency. ExecuTorch's runtime gets method names, operator names and backend ids from \
            `c_str()`. Readers that use the stored length are not affected."
        source: "FlatBuffers builders write the terminator after every string for readers in C and C++. `VerifyString` \
            of the C++ verifier checks the terminator, as Rust's verifier does by default."
        refs: ["F-12"]
        cwe: ["CWE-170", "CWE-125"]
    }
    FB_STRING_UTF8 = "fb-string-utf8", Should, File, Structure, "flatbuffer" {
        "A string is valid UTF-8."
        rationale: "A reader that decodes names fails, or replaces the bytes that it cannot decode. After the \
            replacement, two different names can be equal."
        readers: "ExecuTorch's C++ code compares bytes and does not check the encoding. ExecuTorch's Python reader \
            raises UnicodeDecodeError, and the Rust FlatBuffers verifier rejects the whole buffer."
        source: "FlatBuffers define strings as UTF-8, and the official writers use UTF-8. The strength is `should` \
            because the readers on devices do not check the encoding."
    }
    FB_STRING_NO_EMBEDDED_NUL = "fb-string-no-embedded-nul", Should, File, Structure, "flatbuffer" {
        "The name of a method, operator, backend, key or tensor contains no NUL byte."
        rationale: "If a name contains a NUL byte, readers that stop at this byte and readers that use the length \
            get different names. A blob that was checked under the first name can be loaded under the second name."
        readers: "ExecuTorch compares method names with `strcmp`, but compares the keys of a program's named data by \
            length and bytes since 1.0.0. No verifier rejects a NUL byte inside a string."
        source: "This project infers the rule from the two ways in which readers compare names. The strength is \
            `should` because FlatBuffers allow NUL bytes inside strings, although no official writer adds them."
        cwe: ["CWE-436"]
    }
    FB_ALIGNMENT = "fb-alignment", Must, File, Structure, "flatbuffer" {
        "Scalars, offsets and vector elements lie at multiples of their size; tables and the lengths of strings and \
            vectors lie at multiples of 4."
        rationale: "A reader that accesses values in place loads them through typed pointers. Access to a \
            misaligned value is undefined behaviour in C and C++. On a misaligned access, some processors fault or \
            return wrong bytes."
        readers: "The C++ FlatBuffers verifier checks scalars, offsets and lengths by default, so ExecuTorch returns \
            InvalidProgram (0x23) at verification level InternalConsistency. The C++ verifier does not check the \
            elements after a vector's length (google/flatbuffers#8397); Rust's verifier checks the elements."
        source: "FlatBuffers align every value to its size, counted from byte 0. The rule includes elements because \
            readers access vectors of 8-byte values, such as `constant_segment.offsets`, in place."
        refs: ["F-13", "google/flatbuffers#8397"]
    }
    FB_FORCE_ALIGN = "fb-force-align", Should, File, Structure, "flatbuffer" {
        "The bytes of `Buffer.storage` and of `BackendDelegateInlineData.data` start at a multiple of 16."
        rationale: "Kernels and backends receive a pointer to these bytes and may use aligned vector loads. If the \
            bytes are misaligned, the fault occurs in the kernel or backend, which makes the cause difficult to \
            find."
        readers: "No verifier checks `force_align`, because a byte vector has a natural alignment of 1. ExecuTorch \
            passes the pointer to kernels and backends without a check."
        source: "ExecuTorch's `schema/program.fbs` declares a `force_align` of 16 on both fields, and the exporter \
            raises the number to a larger power of two on request. The strength is `should` because a reader can read \
            the bytes at any alignment."
        refs: ["F-13"]
    }
    FB_MAX_DEPTH = "fb-max-depth", May, Reader, Structure, "flatbuffer" {
        "A reader accepts tables at any nesting depth that the schemas permit, which is below ten levels."
        rationale: "A reader with a lower limit rejects valid files. A reader without a limit is safe only because \
            no table of the ExecuTorch schemas contains itself."
        readers: "The C++ and Rust FlatBuffers verifiers stop at 64 nested tables by default. No file of the \
            ExecuTorch schemas reaches this depth."
        source: "The verifiers' default `max_depth` is 64. No field of the schemas leads to deeper tables and no \
            document sets a limit, so the strength is `may`."
        refs: ["F-15"]
        cwe: ["CWE-674"]
    }
    FB_MAX_TABLES = "fb-max-tables", May, File, Structure, "flatbuffer" {
        "Traversal of all offsets from the root table visits at most 1,000,000 tables, where a shared table counts at \
            each visit."
        rationale: "Without a limit, shared tables let a small file cause any amount of work. With this limit, a \
            reader rejects very large valid programs."
        readers: "The C++ and Rust FlatBuffers verifiers stop after 1,000,000 tables by default. ExecuTorch therefore \
            returns InvalidProgram (0x23) at verification level InternalConsistency, but loads the file at level \
            Minimal. ExecuTorch's Python reader has no limit."
        source: "The number is the verifiers' default `max_tables`, which `Program::load` does not change. The limit \
            belongs to the verifiers and not to the format, so the strength is `may`."
        refs: ["F-15"]
        cwe: ["CWE-770"]
    }
    FB_MAX_SIZE = "fb-max-size", Must, File, Header, "flatbuffer" {
        "The FlatBuffer is smaller than 2^31 bytes."
        rationale: "Offsets and the verifiers' limits are 32-bit numbers, and the distance to a vtable is signed. \
            In a FlatBuffer of 2^31 bytes or more, offsets can become negative, or two positions can have the same \
            offset."
        readers: "The C++ FlatBuffers verifier checks the size only in an assertion, and release builds omit \
            assertions. Rust's verifier stops after it has visited 2^31 bytes. Some readers do not check the size."
        source: "FlatBuffers define this limit as `FLATBUFFERS_MAX_BUFFER_SIZE`. Weights belong in segments, which \
            have 64-bit offsets, so the FlatBuffers of real models are far smaller."
        refs: ["F-15"]
        cwe: ["CWE-190"]
    }
    FB_DAG_NO_AMPLIFICATION = "fb-dag-no-amplification", Should, File, Structure, "flatbuffer" {
        "The total size of all tables, vectors and strings, each counted once per offset to it, is at most the \
            FlatBuffer's size."
        rationale: "A reader that creates one object per offset, such as a converter to JSON, can need memory \
            exponential in the nesting depth. A file of a few hundred bytes is enough."
        readers: "The FlatBuffers verifiers limit the number of visits (`fb-max-tables`), and Rust's verifier also \
            limits the bytes to 2^31. Readers that create one object per offset are affected; readers that access the \
            buffer in place are not affected."
        source: "This project infers the rule. The official writers share only vtables, which this rule does not \
            count. FlatBuffers permit sharing, so the strength is `should`. Apache Arrow documents the same problem \
            for its FlatBuffers messages (apache/arrow#9447)."
        refs: ["F-15", "apache/arrow#9447"]
        cwe: ["CWE-409"]
    }
    FB_UNION_CONSISTENT = "fb-union-consistent", Must, File, Method, "flatbuffer" {
        "A union's type is 0 if and only if its value is absent; a type without fields, such as `Null`, may lack a \
            value."
        rationale: "If a value is absent, a reader that trusts the type dereferences a null pointer. If the type is \
            0, no verifier has checked the bytes of the value."
        readers: "If a value or an instruction breaks the rule, ExecuTorch returns InvalidProgram (0x23) when it \
            prepares the method. The verifiers differ: Rust's verifier requires type and value together, and the C++ \
            verifier checks a value only if it knows the type."
        source: "FlatBuffers, `Method::init` and `Method::parse_values` require a value for each type. ExecuTorch \
            accepts `Null` without a value, because it reads no byte of that table."
        refs: ["F-14", "pytorch/executorch#1520"]
        cwe: ["CWE-476", "CWE-843"]
    }
    FB_ENUM_RANGE = "fb-enum-range", Must, Reader, Meta, "flatbuffer" {
        "A reader compares every enum value with the values that it knows, even after a FlatBuffers verifier has \
            accepted the file."
        rationale: "A reader that does not check for undeclared values may execute a wrong branch or read past the \
            end of a table of widths. In Rust, the unchecked conversion of an undeclared value to an enum is \
            undefined behaviour."
        readers: "No verifier compares an enum's value with the declaration of the enum; verifiers check only that the \
            bytes of the value are present. ExecuTorch checks scalar types and delegates' locations in its own code. \
            ExecuTorch's Python reader converts values to Python enums, which reject undeclared values."
        source: "New versions of a FlatBuffers schema may add enum values, so verifiers accept unknown values by \
            design. Each enum has its own rule, so no file breaks this rule. The rules are `t-scalar-type`, \
            `t-dynamism`, `t-location-enum`, `t-device`, `plan-ncb-device`, `del-location`, `ft-layout-scalar` and \
            `ptdB-layout-scalar`."
        refs: ["T-10", "T-14", "D-09"]
    }
    FB_BOOL_CANONICAL = "fb-bool-canonical", Should, File, Method, "flatbuffer" {
        "A byte of type `bool` is 0 or 1."
        rationale: "In C++ and Rust, a `bool` whose byte is neither 0 nor 1 is undefined behaviour. Compilers may \
            test one bit of the byte or use the byte as an index, so the value can be true and false at once. A \
            reader that passes a `BoolList` to kernels in place passes on the invalid bytes."
        readers: "No verifier rejects a byte above 1. Accessors differ: C++ compares the byte with 0, and Go compares \
            the byte with 1 (google/flatbuffers#8389)."
        source: "Writers store only 0 and 1. FlatBuffers do not define the meaning of other bytes, so the strength is \
            `should`."
        refs: ["google/flatbuffers#8389"]
    }
    FB_UNKNOWN_FIELDS = "fb-unknown-fields", Must, Reader, Structure, "flatbuffer" {
        "A reader ignores vtable slots that its schema does not declare."
        rationale: "Newer exporters add fields that older readers do not need. A reader that rejects unknown slots \
            fails on every file that has a newer field."
        readers: "Generated readers access only the slots of their own schema, and verifiers visit only these slots. \
            ExecuTorch therefore ignores newer fields at both verification levels."
        source: "ExecuTorch's `schema/README.md` permits new fields at the end of a table only. Writers added \
            `constant_segment`, `mutable_data_segments` and `named_data` in this way after earlier files were in use."
    }
    FB_EXPLICIT_DEFAULT_OK = "fb-explicit-default-ok", Must, Reader, Structure, "flatbuffer" {
        "A reader treats a scalar field that is stored with its default value like an absent field."
        rationale: "If a reader distinguishes a stored default from an absent field, the meaning of a file depends \
            on a setting of the builder."
        readers: "Generated accessors return the default for an absent field, so ExecuTorch's readers cannot \
            distinguish a stored default from an absent field."
        source: "FlatBuffers leave the choice to the writer. By default, builders omit fields with default values; \
            other implementations may store all fields."
    }
    FB_NOT_SIZE_PREFIXED = "fb-not-size-prefixed", Must, File, Header, "flatbuffer" {
        "The file begins with the root offset, not with a 4-byte size that moves the identifier to bytes 8 to 11."
        rationale: "A size prefix moves all bytes by 4. A reader then interprets the size as the root offset and \
            the root offset as the identifier."
        readers: "ExecuTorch's C++ readers detect a wrong identifier and return InvalidProgram (0x23), or \
            InvalidExternalData (0x24) for data files. FlatBuffers tools read a size prefix only on request."
        source: "FlatBuffers define a size-prefixed encoding, which ExecuTorch does not use. A size-prefixed file also \
            breaks `fb-identifier-exact`; this rule reports the cause."
        refs: ["H-02"]
    }
}

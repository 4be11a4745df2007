//! Rules about the FlatBuffer of a program or data file (chapter `flatbuffer` of the book).
//!
//! The FlatBuffer starts at byte 0. In a program with a header, the FlatBuffer ends at `program_size`. In a data file,
//! it ends at `flatbuffer_offset + flatbuffer_size`. A file without a header consists of its FlatBuffer. Positions are
//! relative to byte 0 of the file, so they include the bytes of an inserted header.

rules! {
    FB_MIN_SIZE = "fb-min-size", Must, Loader, File, Open, "flatbuffer" {
        "The FlatBuffer has at least 12 bytes: the root offset, the identifier and the root table's first word."
        rationale: "If the FlatBuffer is shorter, a careless reader reads past its end. Even in a long file, \
            `program_size` or `flatbuffer_offset + flatbuffer_size` can limit the FlatBuffer to a few bytes."
        readers: "ExecuTorch 1.3.0 and later return InvalidProgram (0x23) for a program's FlatBuffer below 8 bytes, at \
            both verification levels. ExecuTorch 1.5.1 and later return InvalidExternalData (0x24) for a data file's \
            FlatBuffer below 8 bytes. The C++ FlatBuffers verifier requires 12 bytes, for a root offset, a table's \
            first word and a vtable's two lengths."
        source: "The root offset, the identifier and the `i32` at the start of the root table need 4 bytes each. \
            `Program::load` requires only the first 8 bytes (`kMinBufferSize`)."
        refs: ["H-01", "pytorch/executorch#18597", "pytorch/executorch#22118"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FB_FILE_MIN_64 = "fb-file-min-64", May, Loader, File, Open, "flatbuffer" {
        "A file has at least 64 bytes, including its header and segments."
        rationale: "A complete program without segments can be shorter than 64 bytes. Some readers load a file of \
            fewer than 64 bytes, and other readers reject the file."
        readers: "ExecuTorch's C++ readers first load 64 bytes, so their data loaders return InvalidArgument (0x12) \
            for a shorter file. ExecuTorch's Python reader and FlatBuffers tools also open a complete file that is \
            shorter than 64 bytes."
        source: "ExecuTorch defines `ExtendedHeader::kNumHeadBytes` and `FlatTensorHeader::kNumHeadBytes` as 64. \
            ExecuTorch's `docs/source/pte-file-format.md` and `docs/source/ptd-file-format.md` state no minimum size, \
            so the rule's strength is `may`."
        refs: ["H-01"]
    }
    FB_IDENTIFIER_EXACT = "fb-identifier-exact", Must, Text, File, Header, "flatbuffer" {
        "Bytes 4 to 7 are `ET12` in a program and `FT01` in a data file."
        rationale: "Only the identifier shows which schema a file has. A reader that ignores the identifier can \
            interpret the tables of another format as a program."
        readers: "ExecuTorch's C++ readers compare all four bytes. For a wrong identifier, ExecuTorch returns \
            InvalidProgram (0x23) for programs, at both verification levels, and InvalidExternalData (0x24) for data \
            files. `Program::check_header` distinguishes programs of other versions (`ET??`) from files of other \
            formats. Some readers do not check the identifier."
        source: "ExecuTorch's `schema/program.fbs` and `flat_tensor.fbs` declare `ET12` and `FT01` as \
            `file_identifier`. ExecuTorch's `docs/source/pte-file-format.md` states that every incompatible change \
            increases the two digits. Every release writes `12` and `01`, so this project treats a file with other \
            digits as another format."
        refs: ["H-02", "E-02", "Y-01", "pytorch/executorch#2533"]
        cwe: ["CWE-436"]
    }
    FB_BASE_ALIGNED_16 = "fb-base-aligned-16", Must, Loader, Reader, Header, "flatbuffer" {
        "A reader that accesses the FlatBuffer in place rejects a buffer whose address is not a multiple of 16."
        rationale: "Alignment inside a file is relative to byte 0. If byte 0 is misaligned in memory, fields are also \
            misaligned. In C and C++, access to a misaligned field is undefined behavior. Some processors fault on \
            misaligned access."
        readers: "ExecuTorch's C++ readers compare the buffer's address with `alignof(max_align_t)`, which is 16 on \
            64-bit hosts, and return InvalidArgument (0x12). A reader that assembles values from single bytes does not \
            need an aligned buffer."
        source: "The functions `IsAligned` in `runtime/executor/program.cpp` and `is_aligned` in \
            `flat_tensor_data_map.cpp` check the address. No file can break the rule, because the host chooses the \
            address of the buffer."
        refs: ["F-13"]
    }
    FB_ROOT_OFFSET_RANGE = "fb-root-offset-range", Must, Loader, File, Structure, "flatbuffer" {
        "The root offset, the `u32` at byte 0, is at least 8 and at most the FlatBuffer's size minus 4."
        rationale: "The root offset is the first offset that a reader follows. If the root offset is too large, every \
            later access reads outside the buffer. If the root offset is below 8, a reader interprets the first bytes \
            of the file as a table."
        readers: "At verification level InternalConsistency, ExecuTorch returns InvalidProgram (0x23) for a wrong \
            root offset in a program. At level Minimal, ExecuTorch 1.3.0 and later also return InvalidProgram for a \
            wrong root offset, but verify no other offset. For data files, ExecuTorch 1.5.1 and later return \
            InvalidExternalData (0x24); earlier releases read outside the buffer (pytorch/executorch#22118)."
        source: "`Program::load`, `FlatTensorDataMap::load` and the verifier's `VerifyOffset` check the range. Bytes 0 \
            to 7 contain the root offset and the identifier, and a table's first word needs 4 bytes."
        refs: ["H-03", "X-03", "pytorch/executorch#17129", "pytorch/executorch#18597", "pytorch/executorch#22118"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_ROOT_NOT_IN_HEADER = "fb-root-not-in-header", Should, Writer, File, Structure, "flatbuffer" {
        "If there is a header, the root table of a program and every FlatBuffer object of a data file start after the \
            header's last field."
        rationale: "If a table overlaps the header, some bytes belong to both the table and the header. A tool that \
            inspects only the header does not detect that these bytes also belong to the table."
        readers: "No reader compares the table's position with the header's end. FlatBuffers libraries do not know the \
            header, and parsers of the header ignore the root offset."
        source: "The rule follows from `_insert_flatbuffer_header` in `exir/_serialize/_program.py`, which inserts the \
            padded header at byte 8. A program's header ends at byte 40, or at byte 32 without `segment_data_size`; a \
            data file's header ends at byte 48. The rule's strength is `should` because all readers interpret a file \
            with an overlap in the same way."
        refs: ["H-03"]
    }
    FB_ROOT_ALIGNED = "fb-root-aligned", Must, Loader, File, Structure, "flatbuffer" {
        "The root offset is a multiple of 4."
        rationale: "If the root offset is not a multiple of 4, the first word of the root table is misaligned. \
            Misaligned access is undefined behavior in C and C++."
        readers: "At verification level InternalConsistency, ExecuTorch returns InvalidProgram (0x23), because the C++ \
            FlatBuffers verifier checks alignment by default. A reader that checks only the range of the root offset \
            accepts a misaligned root table."
        source: "In FlatBuffers, a table starts with an `i32`, so its position is a multiple of 4. `VerifyTableStart` \
            of the C++ verifier checks the alignment."
        refs: ["F-13"]
    }
    FB_VTABLE_VALID = "fb-vtable-valid", Must, Loader, File, Structure, "flatbuffer" {
        "A vtable has an even position and an even length of at least 4; the vtable and the table fields are inside \
            the FlatBuffer."
        rationale: "A reader uses the vtable for every access to a field. The file specifies the vtable's position, \
            up to 2 GiB before or after the table, and each field's offset. With an unchecked vtable, a reader can \
            therefore read outside the buffer. If the vtable's length is odd or too short, a reader interprets bytes \
            of other objects as field offsets."
        readers: "For an invalid vtable, ExecuTorch returns InvalidProgram (0x23) at verification level \
            InternalConsistency, in builds with `ET_ENABLE_PROGRAM_VERIFICATION`. ExecuTorch documents that Minimal, \
            its default level, checks only the header. A reader without a verifier uses the vtable unchecked."
        source: "`VerifyTableStart` and `VerifyField` of the C++ verifier check the vtable, as their counterparts in \
            Rust do. The vtable's position is the table's position minus the `i32` at the start of the table. The \
            minimum of 4 bytes is the space for two numbers of 2 bytes: the vtable's length and the table's object \
            size."
        refs: ["F-02"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_OBJECT_SIZE = "fb-object-size", May, Text, File, Structure, "flatbuffer" {
        "Each field offset in a vtable is at least 4, and this offset plus the field's width is at most the table's \
            object size."
        rationale: "A field outside its table's object overlaps another object, so a write to one table changes \
            another table. A tool that copies only the table's object loses the field."
        readers: "FlatBuffers accessors never read the object size. The C++ and Rust FlatBuffers verifiers compare \
            fields only with the end of the buffer. ExecuTorch therefore accepts a field outside its object at both \
            verification levels."
        source: "FlatBuffers define the second `u16` of a vtable as the size of the table's object. The C++ builder \
            and `flatc` follow the rule. Versions of Python's `flatbuffers` before 25.12.19 break the rule, because \
            they share a vtable between tables of different sizes. The rule's strength is `may` because a field \
            outside its object is still inside the buffer, and many official files break the rule. The checker \
            reports the rule once per file."
        refs: ["F-02", "google/flatbuffers#8653"]
    }
    FB_UOFFSET_VALID = "fb-uoffset-valid", Must, Loader, File, Structure, "flatbuffer" {
        "An offset to an object is above 0 and below 2^31, and at least the first 4 bytes of the object are inside the \
            FlatBuffer."
        rationale: "An unchecked offset can refer to any position up to 4 GiB after the offset. This position can be \
            outside the buffer or inside another object. If an offset in a vector is 0, a careless reader interprets \
            the offset itself as a table."
        readers: "For an invalid offset, ExecuTorch returns InvalidProgram (0x23) at verification level \
            InternalConsistency. For an offset in a table's field, the FlatBuffers verifiers check its lower limit, \
            its upper limit and the first bytes of the object. Some verifiers accept an offset of 0 in a vector of \
            tables, and readers then interpret the offset itself as a table."
        source: "`VerifyOffset` of the C++ verifier checks the offset. An offset is a `u32` relative to its own \
            position. The smallest target has 4 bytes: a length, or a table's first word. FlatBuffers vectors have no \
            absent elements, so an offset of 0 in a vector has no meaning."
        refs: ["F-01", "google/flatbuffers#4704"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_VECTOR_IN_BOUNDS = "fb-vector-in-bounds", Must, Loader, File, Structure, "flatbuffer" {
        "A vector's 4-byte length and its elements are inside the FlatBuffer, and the product of length and element \
            size does not wrap."
        rationale: "Readers use the length in loops, copies and index checks. With a forged length, a reader therefore \
            accesses memory after the vector. If the product of length and element size wraps, a vector that is too \
            long passes the bounds check."
        readers: "For a vector or string that ends outside the FlatBuffer, ExecuTorch returns InvalidProgram (0x23) \
            at verification level InternalConsistency. A reader without a verifier compares indices with the forged \
            length, so it accepts indices past the end of the vector."
        source: "`VerifyVectorOrString` of the C++ verifier limits the length by division before it multiplies. The \
            malformed patterns of this rule include forged lengths of many vectors in ExecuTorch's \
            `schema/program.fbs`, such as `execution_plan` and a delegate's inline data."
        refs: ["F-03", "F-04", "F-05", "F-06", "F-07", "F-08", "F-09", "F-10", "F-11"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FB_STRING_NUL = "fb-string-nul", Must, Loader, File, Structure, "flatbuffer" {
        "A string ends with a NUL terminator, which is inside the FlatBuffer and is not counted in the string's \
            length."
        rationale: "Readers in C and C++ use names as NUL-terminated strings. If the terminator is absent, a reader \
            that compares or logs the string also reads the bytes after the string. If the string is at the end of \
            the FlatBuffer, the bytes after the string are outside the buffer. A method name in a message can then \
            disclose memory contents."
        readers: "If the terminator is absent, ExecuTorch returns InvalidProgram (0x23) at verification level \
            InternalConsistency. ExecuTorch's runtime gets method names, operator names and backend ids from \
            `c_str()`. Readers that use the stored length do not need the terminator."
        source: "FlatBuffers builders write the terminator after every string for readers in C and C++. `VerifyString` \
            of the C++ verifier checks the terminator. Rust's verifier also checks the terminator by default."
        refs: ["F-12"]
        cwe: ["CWE-170", "CWE-125"]
    }
    FB_STRING_UTF8 = "fb-string-utf8", Should, Text, File, Structure, "flatbuffer" {
        "A string is valid UTF-8."
        rationale: "For invalid UTF-8, a reader that decodes names either fails or replaces the invalid bytes. If \
            invalid bytes are replaced, two different names can become equal."
        readers: "ExecuTorch's C++ code compares bytes and does not check the encoding. For invalid UTF-8, \
            ExecuTorch's Python reader raises UnicodeDecodeError, and the Rust FlatBuffers verifier rejects the \
            buffer."
        source: "FlatBuffers define strings as UTF-8, and the official writers use UTF-8. The rule's strength is \
            `should` because ExecuTorch's C++ code does not check the encoding."
    }
    FB_STRING_NO_EMBEDDED_NUL = "fb-string-no-embedded-nul", Should, Writer, File, Structure, "flatbuffer" {
        "No method name, operator name, backend id, key or tensor name contains a NUL byte."
        rationale: "If a name contains a NUL byte, readers that stop at the NUL byte and readers that use the length \
            get different names. If a scanner accepts a blob under one name, a reader can load the blob under the \
            other name."
        readers: "ExecuTorch compares method names with `strcmp`. ExecuTorch 1.0.0 and later compare the keys of a \
            program's named data by length and bytes. No verifier rejects a NUL byte inside a string."
        source: "Readers compare names in two different ways. The rule's strength is `should` because FlatBuffers \
            allow NUL bytes inside strings. No official writer writes a name with a NUL byte."
        cwe: ["CWE-436"]
    }
    FB_ALIGNMENT = "fb-alignment", Must, Text, File, Structure, "flatbuffer" {
        "Scalars, offsets and elements of non-empty vectors are aligned to their size; tables and the lengths of \
            strings and vectors are aligned to 4 bytes."
        rationale: "A reader that accesses values in place loads the values through typed pointers. Access to a \
            misaligned value is undefined behavior in C and C++. For misaligned access, some processors fault or \
            return wrong bytes."
        readers: "The C++ FlatBuffers verifier checks the alignment of scalars, offsets and lengths by default. At \
            verification level InternalConsistency, ExecuTorch therefore returns InvalidProgram (0x23) for a \
            misaligned scalar, offset or length. The C++ verifier does not check the alignment of a vector's elements \
            (google/flatbuffers#8397). Rust's verifier checks the elements. It checks their position even if there are \
            none, so it rejects official files."
        source: "FlatBuffers align every value to its size, relative to byte 0. The rule includes vector elements \
            because readers access vectors of 8-byte values, such as `constant_segment.offsets`, in place. For an \
            empty vector, `flatc` aligns only the length, and ExecuTorch's exporters use `flatc` up to release 1.1.0. \
            Verifiers must accept such vectors (google/flatbuffers#8374)."
        refs: ["F-13", "google/flatbuffers#8374", "google/flatbuffers#8397"]
    }
    FB_FORCE_ALIGN = "fb-force-align", Should, Text, File, Structure, "flatbuffer" {
        "The bytes of `Buffer.storage` and of `BackendDelegateInlineData.data` start at a multiple of 16."
        rationale: "Kernels and backends receive a pointer to the bytes of a constant or blob, and can use aligned \
            vector loads. If the bytes are misaligned, the process crashes in the kernel or backend, far from the \
            cause."
        readers: "No verifier checks `force_align`, because a byte vector has a natural alignment of 1. ExecuTorch \
            does not check the pointer before it passes the pointer to kernels and backends."
        source: "ExecuTorch's `schema/program.fbs` declares a `force_align` of 16 for both fields, and the exporter's \
            options can increase this alignment to a larger power of two. The rule's strength is `should` because a \
            reader can read the bytes at any alignment."
        refs: ["F-13"]
    }
    FB_MAX_DEPTH = "fb-max-depth", May, Loader, Reader, Structure, "flatbuffer" {
        "A reader accepts tables at every nesting depth that the schemas permit, which is below ten levels."
        rationale: "A reader with a limit below the depth of the schemas rejects valid files. A reader without a limit \
            is safe only because the ExecuTorch schemas have no recursive tables."
        readers: "By default, the C++ and Rust FlatBuffers verifiers reject more than 64 levels of nested tables. No \
            file that follows the ExecuTorch schemas has 64 levels."
        source: "The verifiers' default `max_depth` is 64. The schemas need far fewer levels, and no document sets a \
            limit, so the rule's strength is `may`."
        refs: ["F-15"]
        cwe: ["CWE-674"]
    }
    FB_MAX_TABLES = "fb-max-tables", May, Loader, File, Structure, "flatbuffer" {
        "A traversal of all offsets from the root table visits at most 1,000,000 tables, with a shared table counted \
            at each visit."
        rationale: "In a reader without a limit, a small file with shared tables can cause an unlimited amount of \
            work. A reader with the limit of 1,000,000 tables also rejects valid programs that are very large."
        readers: "The C++ and Rust FlatBuffers verifiers stop after 1,000,000 tables by default. For more tables, \
            ExecuTorch therefore returns InvalidProgram (0x23) at verification level InternalConsistency, but loads \
            the file at level Minimal. ExecuTorch's Python reader does not limit the number of tables."
        source: "The number 1,000,000 is the verifiers' default `max_tables`, which `Program::load` does not change. \
            The verifiers, and not the format, set the limit, so the rule's strength is `may`."
        refs: ["F-15"]
        cwe: ["CWE-770"]
    }
    FB_MAX_SIZE = "fb-max-size", Must, Text, File, Header, "flatbuffer" {
        "The FlatBuffer is smaller than 2^31 bytes."
        rationale: "Offsets and the verifiers' limits are 32-bit numbers, and the offset from a table to its vtable is \
            signed. In a FlatBuffer of 2^31 bytes or more, offsets can become negative, or two positions can have the \
            same offset."
        readers: "The C++ FlatBuffers verifier checks the size only in an assertion, and release builds omit \
            assertions. Rust's verifier stops after it has visited 2^31 bytes. Some readers do not check the size of \
            the FlatBuffer."
        source: "FlatBuffers define the maximum size as `FLATBUFFERS_MAX_BUFFER_SIZE`. Weights are usually in \
            segments, which have 64-bit offsets, so the FlatBuffers of real models are far below 2^31 bytes."
        refs: ["F-15"]
        cwe: ["CWE-190"]
    }
    FB_DAG_NO_AMPLIFICATION = "fb-dag-no-amplification", Should, Writer, File, Structure, "flatbuffer" {
        "The total size of all tables, vectors and strings, with each object counted once for each offset to it, is \
            at most the FlatBuffer's size."
        rationale: "A reader that creates one object per offset, such as a converter to JSON, can need memory that \
            grows exponentially with the nesting depth. For a file of a few hundred bytes, a reader that creates one \
            object per offset can exhaust its memory."
        readers: "The FlatBuffers verifiers limit the number of visits (`fb-max-tables`), and Rust's verifier also \
            limits the number of visited bytes to 2^31. Readers that access the buffer in place create no objects, so \
            they are safe."
        source: "The official writers share only vtables, which this rule does not count. FlatBuffers permit shared \
            tables, vectors and strings, so the rule's strength is `should`. Apache Arrow documents the same problem \
            for its FlatBuffers messages (apache/arrow#9447)."
        refs: ["F-15", "apache/arrow#9447"]
        cwe: ["CWE-409"]
    }
    FB_UNION_CONSISTENT = "fb-union-consistent", Must, Loader, File, Method, "flatbuffer" {
        "A union's value is absent if and only if its type is 0; for a type without fields, such as `Null`, the value \
            is optional."
        rationale: "If a union's type is not 0 but its value is absent, a careless reader dereferences a null pointer. \
            If the union's type is 0 but a value is present, verifiers do not check the value."
        readers: "When ExecuTorch prepares the method, it returns InvalidProgram (0x23) for a value or an instruction \
            that breaks the rule. Rust's verifier requires either both the type and the value or neither. The C++ \
            verifier checks a value only if it knows the type."
        source: "FlatBuffers, `Method::init` and `Method::parse_values` require a value for each type other than 0. \
            ExecuTorch accepts `Null` without a value, because it never reads the table `Null`."
        refs: ["F-14", "pytorch/executorch#1520"]
        cwe: ["CWE-476", "CWE-843"]
    }
    FB_ENUM_RANGE = "fb-enum-range", Must, Policy, Reader, Meta, "flatbuffer" {
        "A reader compares every enum value with the declared values of the enum, even after a FlatBuffers verifier \
            has accepted the file."
        rationale: "A reader that does not reject undeclared values can execute a wrong branch or read past the end of \
            a look-up table. In Rust, the unchecked conversion of an undeclared value to an enum is undefined \
            behavior."
        readers: "No verifier compares an enum's value with the declaration of the enum; verifiers check only that the \
            bytes of the value are present. ExecuTorch's own code checks scalar types and the locations of delegates. \
            ExecuTorch's Python reader converts values to Python enums, which reject undeclared values."
        source: "New versions of a FlatBuffers schema can add enum values, so verifiers accept unknown values by \
            design. A file with an undeclared value breaks the rule for that enum, not this rule. The rules for \
            single enums are `t-scalar-type`, `t-dynamism`, `t-dynamism-known`, `t-location-enum`, `t-device`, \
            `t-device-known`, `plan-ncb-device`, `plan-ncb-device-known`, `del-location`, `ft-layout-scalar` and \
            `ptdb-layout-scalar`."
        refs: ["T-10", "T-14", "D-09"]
    }
    FB_BOOL_CANONICAL = "fb-bool-canonical", Should, Writer, File, Method, "flatbuffer" {
        "A byte of type `bool` is 0 or 1."
        rationale: "In C++ and Rust, a `bool` whose byte is neither 0 nor 1 is undefined behavior. A compiler can \
            test one bit of the byte or use the byte as an index, so two tests of one value can disagree. A reader \
            that passes a `BoolList` to kernels in place also passes invalid bytes to the kernels."
        readers: "No verifier rejects a byte above 1. Accessors differ: FlatBuffers' C++ code treats every byte except \
            0 as true, but its Go code treats only 1 as true (google/flatbuffers#8389)."
        source: "The official writers store only 0 and 1. FlatBuffers do not define the meaning of other bytes, so the \
            rule's strength is `should`."
        refs: ["google/flatbuffers#8389"]
    }
    FB_UNKNOWN_FIELDS = "fb-unknown-fields", Must, Text, Reader, Structure, "flatbuffer" {
        "A reader ignores vtable slots (fields) that its schema does not declare."
        rationale: "Newer exporters add fields that older readers do not need. A reader that rejects unknown slots \
            fails on every file that has a newer field."
        readers: "The code that `flatc` generates from a schema, including its verifiers, accesses only the fields of \
            the schema. ExecuTorch therefore ignores newer fields at both verification levels."
        source: "ExecuTorch's `schema/README.md` permits new fields only at the end of a table. When ExecuTorch added \
            `constant_segment`, `mutable_data_segments` and `named_data` at the ends of tables, programs without \
            these fields were already in use."
    }
    FB_EXPLICIT_DEFAULT_OK = "fb-explicit-default-ok", Must, Text, Reader, Structure, "flatbuffer" {
        "A reader treats a scalar field with a stored default value in the same way as an absent field."
        rationale: "If a reader distinguishes a stored default from an absent field, the meaning of a file depends on \
            an option of the FlatBuffers builder."
        readers: "Generated accessors return the default for an absent field, so ExecuTorch's readers cannot \
            distinguish a stored default from an absent field."
        source: "FlatBuffers permit a writer to store or omit default values. By default, builders omit fields with \
            default values, but some implementations store all fields."
    }
    FB_NOT_SIZE_PREFIXED = "fb-not-size-prefixed", Must, Loader, File, Header, "flatbuffer" {
        "The file begins with the root offset, not with a 4-byte size prefix before the root offset."
        rationale: "A size prefix moves the root offset to byte 4 and the identifier to byte 8. A reader then \
            interprets the size as the root offset, and the root offset as the identifier."
        readers: "In a file with a size prefix, ExecuTorch's C++ readers detect a wrong identifier and return \
            InvalidProgram (0x23), or InvalidExternalData (0x24) for data files. FlatBuffers tools accept a size \
            prefix only with a special option."
        source: "FlatBuffers define a size-prefixed encoding, which ExecuTorch does not use. A size-prefixed file also \
            breaks `fb-identifier-exact`, but a finding of `fb-not-size-prefixed` shows the cause."
        refs: ["H-02"]
    }
}

//! The FlatBuffer of a file, in programs and data files alike: chapter `flatbuffer` of the book.
//!
//! The FlatBuffer is bytes 0 to `program_size` of a program with a header, bytes 0 to `flatbuffer_offset +
//! flatbuffer_size` of a data file, and the whole of a file without a header. Positions count from byte 0, including an
//! inserted header.

rules! {
    FB_MIN_SIZE = "fb-min-size", Must, File, Open, "flatbuffer" {
        "The FlatBuffer holds at least 12 bytes: the root offset, the identifier and the root table's first word."
        why: "A reader that takes these three values from a shorter buffer reads past its end. The file itself can be \
            long: `program_size`, or `flatbuffer_offset + flatbuffer_size`, can cut the FlatBuffer to a few bytes."
        readers: "ExecuTorch returns InvalidProgram (0x23) below 8 bytes at both verification levels since 1.3.0, and \
            InvalidExternalData (0x24) for data files since 1.5.1. The C++ FlatBuffers verifier requires 12 bytes: a \
            root offset, a table's first word and a vtable's two lengths."
        source: "Inferred from the layout: 4 bytes of root offset, 4 of identifier and the `i32` that begins a table. \
            `Program::load` requires only the first two (`kMinBufferSize`); the rule adds the word that a reader needs \
            next."
        refs: ["H-01", "pytorch/executorch#18597", "pytorch/executorch#22118"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FB_FILE_MIN_64 = "fb-file-min-64", May, File, Open, "flatbuffer" {
        "A file holds at least 64 bytes, header and segments included."
        why: "A complete program without segments can be shorter. Whether it loads then depends on the reader, not on \
            the file."
        readers: "ExecuTorch's C++ readers load the first 64 bytes before anything else, and the data loaders return \
            InvalidArgument (0x12) for a shorter file. Its Python reader and FlatBuffers tools open a shorter file if \
            it is complete."
        source: "`ExtendedHeader::kNumHeadBytes` and `FlatTensorHeader::kNumHeadBytes`. The format's documentation \
            states no minimum, so the rule is a may."
        refs: ["H-01"]
    }
    FB_IDENTIFIER_EXACT = "fb-identifier-exact", Must, File, Header, "flatbuffer" {
        "Bytes 4 to 7 are `ET12` in a program and `FT01` in a data file."
        why: "The identifier alone determines the schema of the bytes. A reader that ignores it reads another format's \
            tables as a program's."
        readers: "ExecuTorch's C++ readers compare all four bytes. They return InvalidProgram (0x23) at both levels, \
            or InvalidExternalData (0x24) for data files. `Program::check_header` distinguishes another `ET??` from a \
            foreign file. Some readers do not check the identifier."
        source: "`file_identifier` in `schema/program.fbs` and `flat_tensor.fbs`. The format's documentation calls the \
            two digits a revision that changes with every incompatible change. No release has written other digits, so \
            other digits denote another format."
        refs: ["H-02", "E-02", "Y-01", "pytorch/executorch#2533"]
        cwe: ["CWE-436"]
    }
    FB_BASE_ALIGNED_16 = "fb-base-aligned-16", Must, Reader, Header, "flatbuffer" {
        "A reader that accesses the FlatBuffer in place loads byte 0 at an address that is a multiple of 16, or \
            rejects the buffer."
        why: "Alignment inside the file counts from byte 0. In a buffer with another start, every wide field becomes \
            an unaligned load. C and C++ leave that undefined, and some processors fault on it."
        readers: "ExecuTorch's C++ readers compare the buffer's address with `alignof(max_align_t)`, which is 16 on \
            64-bit hosts, and return InvalidArgument (0x12). A reader that assembles values from single bytes does not \
            need the alignment."
        source: "`IsAligned` in `runtime/executor/program.cpp` and `is_aligned` in `flat_tensor_data_map.cpp`. No file \
            can break the rule, because the host chooses the address."
        refs: ["F-13"]
    }
    FB_ROOT_OFFSET_RANGE = "fb-root-offset-range", Must, File, Structure, "flatbuffer" {
        "The root offset, the `u32` at byte 0, is at least 8 and at most the FlatBuffer's size minus 4."
        why: "The root offset is the first offset that a reader follows. Past the end, every later access reads \
            outside the buffer. Below 8, the root offset and the identifier themselves become a table."
        readers: "ExecuTorch returns InvalidProgram (0x23): at InternalConsistency from the C++ FlatBuffers verifier, \
            and at Minimal from a check of its own since 1.3.0. That check is the only structural one at Minimal. Its \
            data-file reader has the same check since 1.5.1, with InvalidExternalData (0x24); earlier releases read \
            outside the buffer."
        source: "`Program::load`, `FlatTensorDataMap::load` and the verifier's `VerifyOffset`. Bytes 0 to 7 hold the \
            root offset and the identifier. A table's first word needs 4 bytes before the end."
        refs: ["H-03", "X-03", "pytorch/executorch#17129", "pytorch/executorch#18597", "pytorch/executorch#22118"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_ROOT_NOT_IN_HEADER = "fb-root-not-in-header", Should, File, Structure, "flatbuffer" {
        "In a program with a header the root table starts at byte 40 or later, or 32 without `segment_data_size`; in a \
            data file every FlatBuffer part starts at byte 48 or later."
        why: "Otherwise the same bytes are header fields to one part of a reader and a table to another. A tool that \
            inspects only the header or only the table misses the other meaning."
        readers: "No reader compares the two positions. FlatBuffers code ignores the header, and header code ignores \
            the root offset."
        source: "Inferred from `_insert_flatbuffer_header` in `exir/_serialize/_program.py`, which inserts the padded \
            header at byte 8 and adds its length to the root offset. The rule is a should because every reader reads \
            such a file the same way."
        refs: ["H-03"]
    }
    FB_ROOT_ALIGNED = "fb-root-aligned", Must, File, Structure, "flatbuffer" {
        "The root offset is a multiple of 4."
        why: "Otherwise the word that locates the root's vtable is an unaligned load, which C and C++ leave undefined. \
            The four bytes at such a position are usually not that word."
        readers: "ExecuTorch returns InvalidProgram (0x23) at InternalConsistency, where the C++ FlatBuffers verifier \
            checks alignment by default. A range check of the root offset alone accepts such a file."
        source: "FlatBuffers align a table to the `i32` at its start, counted from byte 0; `VerifyTableStart` checks \
            it."
        refs: ["F-13"]
    }
    FB_VTABLE_VALID = "fb-vtable-valid", Must, File, Structure, "flatbuffer" {
        "A vtable starts at an even position, has an even length of at least 4, lies inside the FlatBuffer, and places \
            every field inside the FlatBuffer."
        why: "Every field access goes through the vtable. A vtable outside the buffer is a read at a distance that the \
            file chooses, up to 2 GiB in either direction. A field offset that leads outside reads the value there. \
            With an odd or short length, foreign bytes become field offsets."
        readers: "ExecuTorch returns InvalidProgram (0x23) at InternalConsistency, in builds with \
            `ET_ENABLE_PROGRAM_VERIFICATION`. Its default level, Minimal, is documented to check the header only. A \
            reader without a verifier follows the offset unchecked."
        source: "`VerifyTableStart` and `VerifyField` of the C++ verifier, and their counterparts in Rust's. The \
            vtable's position is the table's position minus its first `i32`. The minimum of 4 bytes covers the \
            vtable's own two lengths, 2 bytes each."
        refs: ["F-02"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_OBJECT_SIZE = "fb-object-size", Should, File, Structure, "flatbuffer" {
        "Each field of a table lies inside the table's object: its vtable offset is at least 4, and offset plus width \
            is at most the object size."
        why: "A field outside its object lies in another object. Two tables then share bytes, and a write to one \
            changes the other. A copy of the object by its size loses the field."
        readers: "Accessors never read the object size. The C++ and Rust FlatBuffers verifiers compare fields with the \
            end of the buffer only, so ExecuTorch accepts such a file at both levels."
        source: "FlatBuffers define the vtable's second `u16` as the object's size. The C++ builder and `flatc` keep to \
            the rule. Python's `flatbuffers` before 25.12.19 does not: it shares a vtable between tables of different \
            sizes. The rule is a should because reads stay inside the buffer without it."
        refs: ["F-02", "google/flatbuffers#8653"]
    }
    FB_UOFFSET_VALID = "fb-uoffset-valid", Must, File, Structure, "flatbuffer" {
        "An offset to a table, vector or string is not 0, is below 2^31, and leads to a position with at least 4 bytes \
            left in the FlatBuffer."
        why: "An unchecked offset is a pointer that the file chooses, up to 4 GiB ahead. It reads outside the buffer, \
            or reads the bytes of another object. For a 0 in a vector, a reader uses the element's own slot as a table \
            and locates the vtable by its bytes."
        readers: "ExecuTorch returns InvalidProgram (0x23) at InternalConsistency. The FlatBuffers verifiers check all \
            three conditions for a field's offset. Some of them accept 0 for an element of a vector, and their readers \
            then use the slot as a table."
        source: "`VerifyOffset` of the C++ verifier. An offset is a `u32` that counts from its own position. The \
            smallest target has 4 bytes: a length, or a table's first word. FlatBuffers have no absent elements, so a \
            0 in a vector has no meaning."
        refs: ["F-01", "google/flatbuffers#4704"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_VECTOR_IN_BOUNDS = "fb-vector-in-bounds", Must, File, Structure, "flatbuffer" {
        "A vector's 4-byte length and its elements, length times element size without wrapping, end inside the \
            FlatBuffer."
        why: "Loops, copies and index checks rely on the length, so a forged length exposes everything after the \
            vector. A product that wraps makes a huge vector appear small to the check itself."
        readers: "ExecuTorch returns InvalidProgram (0x23) at InternalConsistency, for every vector and string. \
            Without a verifier, a reader's own index checks compare with the forged length and pass."
        source: "`VerifyVectorOrString` of the C++ verifier, which bounds the count by division before it multiplies. \
            Public reports forge the length of almost every vector of the program schema, from `execution_plan` to a \
            delegate's inline data."
        refs: ["F-03", "F-04", "F-05", "F-06", "F-07", "F-08", "F-09", "F-10", "F-11"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FB_STRING_NUL = "fb-string-nul", Must, File, Structure, "flatbuffer" {
        "A NUL terminator follows a string's bytes inside the FlatBuffer; the string's length does not count it."
        why: "Readers in C and C++ pass names on as NUL-terminated strings. Without the terminator, a comparison or a \
            log line reads the bytes that follow, past the buffer's end for the last string. A method's name then \
            discloses memory contents."
        readers: "ExecuTorch returns InvalidProgram (0x23) at InternalConsistency. Its runtime takes method names, \
            operator names and backend ids from `c_str()`. Readers that use the stored length are not affected."
        source: "FlatBuffers write the terminator after every string for such readers. `VerifyString` of the C++ \
            verifier checks it, and Rust's verifier does by default."
        refs: ["F-12"]
        cwe: ["CWE-170", "CWE-125"]
    }
    FB_STRING_UTF8 = "fb-string-utf8", Should, File, Structure, "flatbuffer" {
        "A string is valid UTF-8."
        why: "A reader that decodes names fails, or replaces the bytes that it cannot decode, so that two different \
            names become equal."
        readers: "ExecuTorch's C++ code compares bytes and does not check the encoding. Its Python reader raises \
            UnicodeDecodeError, and the Rust FlatBuffers verifier rejects the whole buffer."
        source: "FlatBuffers define strings as UTF-8, and the official writers encode them so. The rule is a should \
            because the readers on devices do not check it."
    }
    FB_STRING_NO_EMBEDDED_NUL = "fb-string-no-embedded-nul", Should, File, Structure, "flatbuffer" {
        "The name of a method, operator, backend, key or tensor contains no NUL byte."
        why: "A reader that stops at the first NUL and a reader that uses the length see two different names. A blob \
            that was checked under one name can be loaded under another."
        readers: "ExecuTorch does both: it compares method names with `strcmp`, and the program's named-data keys by \
            length and bytes since 1.0.0. No verifier rejects a NUL inside a string."
        source: "Inferred from that difference; FlatBuffers allow NUL bytes inside strings. The rule is a should \
            because no official writer adds one by itself."
        cwe: ["CWE-436"]
    }
    FB_ALIGNMENT = "fb-alignment", Must, File, Structure, "flatbuffer" {
        "Scalars, offsets and vector elements lie at multiples of their size; tables and the lengths of strings and \
            vectors lie at multiples of 4."
        why: "A reader that accesses values in place loads through typed pointers. A misaligned load is undefined \
            behaviour in C and C++. Some processors fault on it or return other bytes."
        readers: "The C++ FlatBuffers verifier checks scalars, offsets and lengths by default, so ExecuTorch returns \
            InvalidProgram (0x23) at InternalConsistency. It does not check the elements after a vector's length \
            (google/flatbuffers#8397); Rust's verifier does."
        source: "FlatBuffers align every value to its size, counted from byte 0. The rule is a must for elements too, \
            because readers access vectors of 8-byte values, such as `constant_segment.offsets`, in place."
        refs: ["F-13", "google/flatbuffers#8397"]
    }
    FB_FORCE_ALIGN = "fb-force-align", Should, File, Structure, "flatbuffer" {
        "The bytes of `Buffer.storage` and of `BackendDelegateInlineData.data` start at a multiple of 16."
        why: "Kernels and backends receive a pointer to these bytes and may use aligned vector loads. The fault then \
            occurs in their code, far from its cause."
        readers: "No verifier checks `force_align`; the natural alignment of a byte vector is 1. ExecuTorch passes the \
            pointer on without a check."
        source: "`force_align: 16` on both fields of `schema/program.fbs`, which the exporter raises to a larger power \
            of two on request. The rule is a should because reading the bytes does not depend on it."
        refs: ["F-13"]
    }
    FB_MAX_DEPTH = "fb-max-depth", May, Reader, Structure, "flatbuffer" {
        "A reader accepts tables nested as deeply as the schemas nest them, which is fewer than ten levels."
        why: "A reader with a lower limit rejects valid files. A reader without any limit is safe only because no \
            table of these schemas contains itself."
        readers: "The C++ and Rust FlatBuffers verifiers stop at 64 nested tables by default, which no file of these \
            schemas reaches."
        source: "The verifiers' `max_depth` and the schemas' deepest path. Deeper tables are not reachable through any \
            field, and no text sets a limit, so the rule is a may."
        refs: ["F-15"]
        cwe: ["CWE-674"]
    }
    FB_MAX_TABLES = "fb-max-tables", May, File, Structure, "flatbuffer" {
        "Following every offset visits at most 1,000,000 tables; a shared table counts at each visit."
        why: "Without a limit, shared tables let a small file cause any amount of work. With this limit, a reader \
            rejects a very large valid program."
        readers: "The C++ and Rust FlatBuffers verifiers stop at this number by default, so ExecuTorch returns \
            InvalidProgram (0x23) at InternalConsistency and loads the same file at Minimal. Its Python reader has no \
            limit."
        source: "The verifiers' `max_tables`, which `Program::load` does not change. The number belongs to the \
            verifiers and not to the format, so the rule is a may."
        refs: ["F-15"]
        cwe: ["CWE-770"]
    }
    FB_MAX_SIZE = "fb-max-size", Must, File, Header, "flatbuffer" {
        "The FlatBuffer is smaller than 2^31 bytes."
        why: "Offsets and the verifiers' bounds are 32-bit numbers, and the distance to a vtable is signed. Past 2^31, \
            offsets change sign or cannot reach their target, and two positions have the same offset."
        readers: "The C++ FlatBuffers verifier checks the size only in an assertion, which release builds omit. Rust's \
            verifier stops after visiting 2^31 bytes. Some readers do not check the size."
        source: "`FLATBUFFERS_MAX_BUFFER_SIZE`. Weights belong in segments, which have 64-bit offsets, so the \
            FlatBuffers of real models stay far below the limit."
        refs: ["F-15"]
        cwe: ["CWE-190"]
    }
    FB_DAG_NO_AMPLIFICATION = "fb-dag-no-amplification", Should, File, Structure, "flatbuffer" {
        "The total size of all tables, vectors and strings, each counted once per offset that leads to it, is at most \
            the FlatBuffer's size."
        why: "A conversion to JSON, or any reader that builds one object per offset, needs memory exponential in the \
            nesting depth. The file can be a few hundred bytes long."
        readers: "The FlatBuffers verifiers bound the visits (`fb-max-tables`), and Rust's verifier also bounds the \
            bytes to 2^31. Readers that build trees are affected; readers that access the buffer in place are not \
            affected."
        source: "This project infers the rule. The official writers share vtables, which this rule does not count, and \
            nothing else. FlatBuffers permit sharing, so the rule is a should. Apache Arrow reports the same problem \
            with its own FlatBuffers."
        refs: ["F-15", "apache/arrow#9447"]
        cwe: ["CWE-409"]
    }
    FB_UNION_CONSISTENT = "fb-union-consistent", Must, File, Method, "flatbuffer" {
        "A union's type is 0 if and only if its value is absent; a type whose table has no fields, such as `Null`, may \
            also have no value."
        why: "A type without a value is a null pointer to a reader that trusts the type. A value without a type \
            consists of bytes that no verifier has checked."
        readers: "ExecuTorch returns InvalidProgram (0x23) when it prepares the method, for values and for \
            instructions. The verifiers differ: Rust's requires both or neither, and C++'s checks a value only if it \
            knows the type."
        source: "FlatBuffers, `Method::init` and `Method::parse_values`. ExecuTorch accepts `Null` without a value and \
            reads no byte of that table, hence the exception."
        refs: ["F-14", "pytorch/executorch#1520"]
        cwe: ["CWE-476", "CWE-843"]
    }
    FB_ENUM_RANGE = "fb-enum-range", Must, Reader, Meta, "flatbuffer" {
        "A reader compares every enum value with the values that it knows, even after a FlatBuffers verifier has \
            accepted the file."
        why: "Code that receives an undeclared value takes a branch meant for another value, or finds no entry in a \
            table of widths or names. Converting it to a native Rust enum is undefined behaviour."
        readers: "No verifier compares an enum with its declaration; they check only that its bytes are present. \
            ExecuTorch checks scalar types and delegates' locations itself. Its Python reader converts to Python \
            enums, which reject undeclared values."
        source: "FlatBuffers let enums grow, so verifiers accept unknown values by design. No file breaks this rule, \
            because each enum has its own rule: `t-scalar-type`, `t-dynamism`, `t-location-enum`, `t-device`, \
            `plan-ncb-device`, `del-location`, `ft-layout-scalar` and `ptdB-layout-scalar`."
        refs: ["T-10", "T-14", "D-09"]
    }
    FB_BOOL_CANONICAL = "fb-bool-canonical", Should, File, Method, "flatbuffer" {
        "A byte of type `bool` is 0 or 1."
        why: "In C++ and Rust, any other byte in a `bool` is undefined behaviour. Compilers test one bit of it or use \
            it as an index, so the value can be true and false at once. A `BoolList` that a reader passes on in place \
            exposes kernels to such bytes."
        readers: "No verifier rejects another value, and accessors differ: C++ compares with 0 and Go with 1 \
            (google/flatbuffers#8389)."
        source: "Writers store only 0 and 1. FlatBuffers do not define other bytes, so the rule is a should."
        refs: ["google/flatbuffers#8389"]
    }
    FB_UNKNOWN_FIELDS = "fb-unknown-fields", Must, Reader, Structure, "flatbuffer" {
        "A reader ignores vtable slots beyond the slots that it knows."
        why: "A reader that rejects unknown slots fails on every file of the next exporter, because of fields that the \
            reader does not need."
        readers: "Generated readers access only the slots of their own schema, and verifiers visit only these slots. \
            ExecuTorch therefore ignores newer fields at both levels."
        source: "`schema/README.md` permits new fields at the end of a table only. `constant_segment`, \
            `mutable_data_segments` and `named_data` were added this way, after files of earlier writers were in use."
    }
    FB_EXPLICIT_DEFAULT_OK = "fb-explicit-default-ok", Must, Reader, Structure, "flatbuffer" {
        "A reader treats a scalar field that is stored with its default value like an absent field."
        why: "If a reader distinguishes the two forms, a file's meaning depends on a setting of the builder that wrote \
            the file."
        readers: "Generated accessors return the default for an absent field, so ExecuTorch's readers cannot \
            distinguish the two forms."
        source: "FlatBuffers leave the choice to the writer: builders omit defaults unless configured otherwise, and \
            other implementations may store them all."
    }
    FB_NOT_SIZE_PREFIXED = "fb-not-size-prefixed", Must, File, Header, "flatbuffer" {
        "The file begins with the root offset; no 4-byte size before it moves the identifier to bytes 8 to 11."
        why: "A size prefix shifts everything by 4. The size becomes the root offset, and the root offset becomes the \
            identifier."
        readers: "ExecuTorch's C++ readers find a wrong identifier and return InvalidProgram (0x23), or \
            InvalidExternalData (0x24) for data files. FlatBuffers tools read this form only on request."
        source: "FlatBuffers define a size-prefixed form, which ExecuTorch does not use. Such a file also breaks \
            `fb-identifier-exact`; this rule names the cause."
        refs: ["H-02"]
    }
}

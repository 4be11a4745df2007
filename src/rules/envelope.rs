//! The FlatBuffer envelope, the same for programs and data files (specification, section 1.1).
//!
//! "The FlatBuffer" is bytes 0 to `program_size` of a program with a header, bytes 0 to `flatbuffer_offset +
//! flatbuffer_size` of a data file, and the whole of a file without a header. Positions count from byte 0, an
//! inserted header included.

rules! {
    FB_MIN_SIZE = "fb-min-size", Must, File, Open, "1.1" {
        "The FlatBuffer holds at least a root offset, an identifier and a root table's first word: 12 bytes."
        why: "Taking the root offset, the identifier or the root table's first word from less reads past the buffer's \
            end. The file need not be short for that: `program_size`, or `flatbuffer_offset + flatbuffer_size`, can \
            cut a long one down."
        readers: "ExecuTorch answers InvalidProgram (0x23) below 8 bytes at both of its levels since 1.3.0, and \
            InvalidExternalData (0x24) in data files since 1.5.1. The C++ FlatBuffers verifier wants 12, which for it \
            are a root offset, a table's first word and a vtable's two lengths."
        source: "Derived from the layout: 4 bytes of root offset, 4 of identifier and the `i32` that a table begins \
            with. `Program::load` asks for the first two only (`kMinBufferSize`); the rule asks for what its next step \
            reads."
        refs: ["H-01", "pytorch/executorch#18597", "pytorch/executorch#22118"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FB_FILE_MIN_64 = "fb-file-min-64", May, File, Open, "1.1" {
        "A file holds at least 64 bytes, header and segments included."
        why: "A complete program without segments can be shorter, and whether it loads then depends on the reader and \
            not on the file."
        readers: "ExecuTorch's C++ readers of programs and of data files begin by loading the first 64 bytes, which \
            the data loaders answer with InvalidArgument (0x12) when there are fewer. Its Python reader and \
            FlatBuffers tools open a shorter file that is complete."
        source: "`ExtendedHeader::kNumHeadBytes` and `FlatTensorHeader::kNumHeadBytes`. The format's text names no \
            minimum, so it is a may."
        refs: ["H-01"]
    }
    FB_IDENTIFIER_EXACT = "fb-identifier-exact", Must, File, Header, "1.1" {
        "Bytes 4 to 7 are `ET12` in a program and `FT01` in a data file."
        why: "The identifier is the only thing that says what schema the bytes follow. A reader that goes on without \
            it takes another format's tables for a program's."
        readers: "ExecuTorch's C++ readers compare all four bytes and answer InvalidProgram (0x23) at both levels, or \
            InvalidExternalData (0x24) for data files; `Program::check_header` tells another `ET??` from a foreign \
            file. Not every reader looks at the identifier."
        source: "`file_identifier` in `schema/program.fbs` and `flat_tensor.fbs`. The format's text calls the two \
            digits a revision that changes with every incompatible change, and releases have written no others than \
            these, so other digits announce another format."
        refs: ["H-02", "E-02", "Y-01", "pytorch/executorch#2533"]
        cwe: ["CWE-436"]
    }
    FB_BASE_ALIGNED_16 = "fb-base-aligned-16", Must, Reader, Header, "1.1" {
        "A reader that reads the FlatBuffer in place puts byte 0 at an address that is a multiple of 16, or refuses to \
            go on."
        why: "Alignment inside the file counts from byte 0. Over a buffer that begins elsewhere every wide field is an \
            unaligned load, which C and C++ leave undefined and some processors fault on."
        readers: "ExecuTorch's C++ readers compare the buffer's address with `alignof(max_align_t)`, which is 16 on \
            64-bit hosts, and answer InvalidArgument (0x12). Readers that assemble values from single bytes need not \
            care."
        source: "`IsAligned` in `runtime/executor/program.cpp` and `is_aligned` in `flat_tensor_data_map.cpp`. No file \
            can break it: it is about where a host puts the file."
        refs: ["F-13"]
    }
    FB_ROOT_OFFSET_RANGE = "fb-root-offset-range", Must, File, Structure, "1.1" {
        "The root offset, the `u32` at byte 0, is at least 8 and at most the FlatBuffer's size minus 4."
        why: "The root table is the first thing that is followed. An offset past the end makes everything behind it a \
            read outside the buffer, and one below 8 takes the prefix itself for a table."
        readers: "ExecuTorch answers InvalidProgram (0x23): at InternalConsistency through the C++ FlatBuffers \
            verifier, and at Minimal by a check of its own since 1.3.0, the only one there of the FlatBuffer's \
            structure. Its data-file reader has the same check since 1.5.1, with InvalidExternalData (0x24); before, \
            it read outside the buffer."
        source: "`Program::load`, `FlatTensorDataMap::load` and the verifier's `VerifyOffset`. Below 8 are the root \
            offset and the identifier; 4 bytes before the end is the last place with room for a table's first word."
        refs: ["H-03", "X-03", "pytorch/executorch#17129", "pytorch/executorch#18597", "pytorch/executorch#22118"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_ROOT_NOT_IN_HEADER = "fb-root-not-in-header", Should, File, Structure, "1.1" {
        "In a file with a header, the root table, and in a data file every part of the FlatBuffer, starts behind the \
            header's known fields: at byte 40 or later, 32 in a program whose header has no `segment_data_size`, 48 in a \
            data file."
        why: "The same bytes would be header fields to one half of a reader and a table to the other, so a tool that \
            looks at one of them is told nothing of the other."
        readers: "No reader compares the two: FlatBuffers code knows nothing of the header, and header code does not \
            look at the root offset."
        source: "Derived from `_insert_flatbuffer_header` in `exir/_serialize/_program.py`, which puts the padded \
            header at byte 8 and adds its length to the root offset. It is a should because every reader takes such a \
            file the same way."
        refs: ["H-03"]
    }
    FB_ROOT_ALIGNED = "fb-root-aligned", Must, File, Structure, "1.1" {
        "The root offset is a multiple of 4."
        why: "The word that leads to the root's vtable is then an unaligned load, undefined in C and C++ for a reader \
            in place, and mostly the wrong four bytes besides."
        readers: "ExecuTorch answers InvalidProgram (0x23) at InternalConsistency, where the C++ FlatBuffers verifier \
            checks alignment by default. A check of the root offset's range alone lets it through."
        source: "FlatBuffers align a table to the `i32` that it begins with, counted from byte 0; `VerifyTableStart` \
            checks it."
        refs: ["F-13"]
    }
    FB_VTABLE_VALID = "fb-vtable-valid", Must, File, Structure, "1.1" {
        "A table's vtable, at the table's position minus its first `i32`, starts at an even position inside the \
            FlatBuffer, has an even length of at least 4, ends inside the FlatBuffer, and places every field inside \
            the FlatBuffer."
        why: "Every access to a field goes through the vtable. One outside the buffer is a read at a distance that the \
            file chooses, up to 2 GiB to either side, and a field offset that leads outside puts the value there; an \
            odd or short length takes foreign bytes for field offsets."
        readers: "ExecuTorch answers InvalidProgram (0x23) at InternalConsistency, in builds with \
            `ET_ENABLE_PROGRAM_VERIFICATION`. Its default, Minimal, is documented to look at the header only, and \
            readers without a verifier follow the offset as it stands."
        source: "`VerifyTableStart` and `VerifyField` of the C++ verifier, and their counterparts in Rust's, which \
            look at no field before. The lower bound of 4 is the vtable's own two lengths, 2 bytes each, which every \
            writer counts."
        refs: ["F-02"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_OBJECT_SIZE = "fb-object-size", Should, File, Structure, "1.1" {
        "Each field of a table lies inside the table's object: its offset in the vtable is at least 4, and offset plus \
            width is at most the object size, the vtable's second `u16`."
        why: "A field outside its object lies in some other one: two tables then share bytes, a write through one \
            changes the other, and a copy of the object by its size loses the field."
        readers: "Accessors never read the object size. The C++ and Rust FlatBuffers verifiers hold fields against the \
            end of the buffer only, so ExecuTorch accepts such a file at both levels."
        source: "FlatBuffers define the vtable's second `u16` as the object's size, and every builder keeps it. It is \
            a should because reading stays inside the buffer without it."
        refs: ["F-02"]
    }
    FB_UOFFSET_VALID = "fb-uoffset-valid", Must, File, Structure, "1.1" {
        "A reference, the `u32` offset from its own position to a table, vector or string, is not 0, is below 2^31, \
            and leads to a place with at least 4 bytes left in the FlatBuffer."
        why: "An unchecked reference is a pointer that the file chooses, up to 4 GiB ahead: a read outside the buffer, \
            or other tables' bytes taken for this one's. A 0 makes an element of a vector its own table, with whatever \
            follows as a vtable."
        readers: "ExecuTorch answers InvalidProgram (0x23) at InternalConsistency. The FlatBuffers verifiers ask all \
            three of a field's reference; that of an element of a vector may be 0 for some of them, and is taken for a \
            table by the readers behind."
        source: "`VerifyOffset` of the C++ verifier. Four bytes are what the smallest target has: a length, or a \
            table's first word. FlatBuffers have no absent elements, so a 0 in a vector means nothing, also where a \
            verifier lets it pass."
        refs: ["F-01", "google/flatbuffers#4704"]
        cwe: ["CWE-823", "CWE-125"]
    }
    FB_VECTOR_IN_BOUNDS = "fb-vector-in-bounds", Must, File, Structure, "1.1" {
        "A vector's 4 bytes of length and its length times element size, multiplied without wrapping, end inside the \
            FlatBuffer."
        why: "The length is what loops, copies and index checks go by, so a forged one opens everything behind the \
            vector to reading, and to writing where a reader hands it out. A product that wraps makes a huge vector \
            look small to the check itself."
        readers: "ExecuTorch answers InvalidProgram (0x23) at InternalConsistency, for every vector and string. Where \
            nobody verified the length, a reader's own index checks compare with it, and pass."
        source: "`VerifyVectorOrString` of the C++ verifier, which bounds the count by division before it multiplies. \
            Public reports forge the length of almost every vector of the program's schema, from `execution_plan` to a \
            delegate's inline data."
        refs: ["F-03", "F-04", "F-05", "F-06", "F-07", "F-08", "F-09", "F-10", "F-11"]
        cwe: ["CWE-130", "CWE-125"]
    }
    FB_STRING_NUL = "fb-string-nul", Must, File, Structure, "1.1" {
        "A string's bytes are followed by a zero byte inside the FlatBuffer, which its length does not count."
        why: "Readers in C and C++ hand names on as zero-terminated: without the zero a comparison or a log line runs \
            into what follows, and past the buffer's end for the last string. Memory then leaks out as a method's name."
        readers: "ExecuTorch answers InvalidProgram (0x23) at InternalConsistency; its runtime takes method names, \
            operator names and backend ids through `c_str()`. Readers that go by the stored length do not notice."
        source: "FlatBuffers write the zero behind every string for such readers; `VerifyString` of the C++ verifier \
            checks it, as does Rust's by default."
        refs: ["F-12"]
        cwe: ["CWE-170", "CWE-125"]
    }
    FB_STRING_UTF8 = "fb-string-utf8", Should, File, Structure, "1.1" {
        "A string is valid UTF-8."
        why: "A reader that decodes names fails, or replaces what it cannot decode, and two different names become one."
        readers: "ExecuTorch's C++ code compares bytes and never looks. Its Python reader raises UnicodeDecodeError, \
            and the Rust FlatBuffers verifier refuses the whole buffer."
        source: "FlatBuffers define strings as UTF-8, and the official writers encode them so. It is a should because \
            the readers that devices use do not look."
    }
    FB_STRING_NO_EMBEDDED_NUL = "fb-string-no-embedded-nul", Should, File, Structure, "1.1" {
        "A string that names something (method, operator, backend, key, tensor) has no zero byte among the bytes its \
            length counts."
        why: "Readers that stop at the first zero byte and readers that go by the length see two different names, so a \
            blob that was checked under one can be loaded under another."
        readers: "ExecuTorch does both: it looks methods up with `strcmp`, and the program's named data by length and \
            bytes since 1.0.0. No verifier objects."
        source: "Derived from that difference; FlatBuffers allow zero bytes in strings. No official writer makes such \
            a name by itself, hence a should."
        cwe: ["CWE-436"]
    }
    FB_ALIGNMENT = "fb-alignment", Must, File, Structure, "1.1" {
        "A scalar, a reference and the elements of a vector lie at a multiple of their size, and a table, a string's \
            length and a vector's length at a multiple of 4."
        why: "A reader in place loads through typed pointers. A misaligned one is undefined behaviour in C and C++, \
            and a fault, or other bytes, on processors that do not allow it."
        readers: "The C++ FlatBuffers verifier checks scalars, references and lengths by default, so ExecuTorch \
            answers InvalidProgram (0x23) at InternalConsistency. It does not check the elements behind a vector's \
            length, as google/flatbuffers#8397 reports; Rust's verifier does."
        source: "FlatBuffers align every value to its size, counted from byte 0. It is a must for elements too, since \
            vectors of 8-byte values, as `constant_segment.offsets`, are read in place."
        refs: ["F-13", "google/flatbuffers#8397"]
    }
    FB_FORCE_ALIGN = "fb-force-align", Should, File, Structure, "1.1" {
        "The bytes of `Buffer.storage` and of `BackendDelegateInlineData.data` start at a multiple of 16."
        why: "Kernels and backends get a pointer to these bytes and may use aligned vector loads on it: the fault is \
            theirs, far from the file that caused it."
        readers: "No verifier knows of `force_align`; for a vector of bytes natural alignment is 1. ExecuTorch hands \
            the pointer on without looking."
        source: "`force_align: 16` on both fields of `schema/program.fbs`, which the exporter raises to a larger power \
            of two on request. It is a should because reading the bytes does not depend on it."
        refs: ["F-13"]
    }
    FB_MAX_DEPTH = "fb-max-depth", May, Reader, Structure, "1.1" {
        "A reader lets tables nest as deep as the schemas do, which is fewer than ten tables."
        why: "A reader with a lower limit refuses honest files. One without any is safe on these schemas only because \
            none of their tables contains itself."
        readers: "The C++ and Rust FlatBuffers verifiers stop at 64 tables in one another by default, which no file of \
            these schemas reaches."
        source: "The verifiers' `max_depth`, against the schemas' deepest path. A table that is deeper is one that no \
            field leads to, and no text sets a limit, so it is a may."
        refs: ["F-15"]
        cwe: ["CWE-674"]
    }
    FB_MAX_TABLES = "fb-max-tables", May, File, Structure, "1.1" {
        "Following every reference visits at most 1,000,000 tables, a shared table counted at each visit."
        why: "Without a limit, shared tables make a small file cost any amount of work. With this one, a very large \
            honest program is refused."
        readers: "The C++ and Rust FlatBuffers verifiers stop there by default, so ExecuTorch answers InvalidProgram \
            (0x23) at InternalConsistency and loads the same file at Minimal. Its Python reader has no limit."
        source: "The verifiers' `max_tables`, which `Program::load` leaves as it is. The number is theirs and not the \
            format's, so it is a may."
        refs: ["F-15"]
        cwe: ["CWE-770"]
    }
    FB_MAX_SIZE = "fb-max-size", Must, File, Header, "1.1" {
        "The FlatBuffer is smaller than 2^31 bytes."
        why: "References and the verifiers' bounds are 32-bit numbers, and the distance to a vtable is signed: past \
            2^31 they change sign or cannot reach, and two places share one offset."
        readers: "The C++ FlatBuffers verifier only asserts it, so release builds go on; Rust's stops after 2^31 bytes \
            visited. Not every reader asks."
        source: "`FLATBUFFERS_MAX_BUFFER_SIZE`. Weights go into segments, which have 64-bit offsets, so honest \
            FlatBuffers stay far below."
        refs: ["F-15"]
        cwe: ["CWE-190"]
    }
    FB_DAG_NO_AMPLIFICATION = "fb-dag-no-amplification", Should, File, Structure, "1.1" {
        "The bytes of all tables, vectors and strings, counted once for each reference that leads to them, come to no \
            more than the FlatBuffer's size."
        why: "A reader that makes an object of its own for every reference, as a conversion to JSON does, needs memory \
            exponential in nesting depth for a file of a few hundred bytes."
        readers: "The FlatBuffers verifiers bound the visits (`fb-max-tables`), and Rust's also the bytes, to 2^31. \
            Readers that load in place pay nothing; readers that build trees pay in full."
        source: "Derived. The official writers share vtables, which do not count here, and nothing else, but sharing \
            is legal in FlatBuffers, hence a should. Apache Arrow met the same with its own FlatBuffers."
        refs: ["F-15", "apache/arrow#9447"]
        cwe: ["CWE-409"]
    }
    FB_UNION_CONSISTENT = "fb-union-consistent", Must, File, Method, "1.1" {
        "A union's type is 0 exactly when its value is absent; only a type whose table has no fields, as `Null`, may \
            also go without a value."
        why: "A type without a value is a null pointer to whoever trusts the type. A value without a type is bytes \
            that no verifier has looked at."
        readers: "ExecuTorch answers InvalidProgram (0x23) when it prepares the method, for values and for \
            instructions. The verifiers differ: Rust's wants both or neither, and C++'s checks a value only when its \
            type is one that it knows."
        source: "FlatBuffers, and `Method::init` and `Method::parse_values`. ExecuTorch takes `Null` without a value, \
            and no byte of that table would be read, hence the exception."
        refs: ["F-14", "pytorch/executorch#1520"]
        cwe: ["CWE-476", "CWE-843"]
    }
    FB_ENUM_RANGE = "fb-enum-range", Must, Reader, Meta, "1.1" {
        "A reader does not take an enum's value for a declared one because a FlatBuffers verifier let it pass, but \
            compares it with those that it knows."
        why: "Code that branches on an undeclared value falls into a branch meant for another one, and a width or a \
            name looked up by it does not exist. Made a native enum of Rust, it is undefined behaviour."
        readers: "No verifier compares an enum with its declaration: they ask only that the byte is there. ExecuTorch \
            compares scalar types and delegates' locations itself; its Python reader converts to Python's enums, which \
            refuse values that they do not declare."
        source: "FlatBuffers let enums grow, so verifiers pass unknown values on purpose. No file breaks this rule, \
            since each enum has its own: `t-scalar-type`, `t-dynamism`, `t-location-enum`, `t-device`, \
            `plan-ncb-device`, `del-location`, `ft-layout-scalar` and `ptdB-layout-scalar`."
        refs: ["T-10", "T-14", "D-09"]
    }
    FB_BOOL_CANONICAL = "fb-bool-canonical", Should, File, Method, "1.1" {
        "A byte of type `bool` is 0 or 1."
        why: "In C++ and Rust any other byte seen as a `bool` is undefined behaviour: compilers test one bit of it or \
            index with it, so the value can be true and false at once. A `BoolList` handed on in place is such a view."
        readers: "No verifier rejects another value, and accessors differ, as google/flatbuffers#8389 tells: C++ \
            compares with 0 and Go with 1."
        source: "Writers store nothing else, but FlatBuffers do not say what another byte means, hence a should."
        refs: ["google/flatbuffers#8389"]
    }
    FB_UNKNOWN_FIELDS = "fb-unknown-fields", Must, Reader, Structure, "1.1" {
        "A reader ignores vtable slots past those that it knows."
        why: "A reader that refuses them breaks on every file of the next exporter, over fields that it would never \
            have read."
        readers: "Generated readers ask for the slots of the schema they were made from, and verifiers visit no \
            others, so ExecuTorch reads past newer fields at both levels."
        source: "`schema/README.md` adds fields at the end of a table only. `constant_segment`, \
            `mutable_data_segments` and `named_data` all came so, after files of older writers were in use."
    }
    FB_EXPLICIT_DEFAULT_OK = "fb-explicit-default-ok", Must, Reader, Structure, "1.1" {
        "A reader takes a scalar field that is present with its default value for the same as an absent one."
        why: "A reader that sees a difference makes a file's meaning depend on a setting of the builder that wrote it."
        readers: "Generated accessors return the default for an absent field, so ExecuTorch's readers cannot tell the \
            two apart."
        source: "FlatBuffers leave it to the writer: builders drop defaults unless told to keep them, and other \
            implementations may always store them."
    }
    FB_NOT_SIZE_PREFIXED = "fb-not-size-prefixed", Must, File, Header, "1.1" {
        "The file begins with the root offset: no 4-byte length goes before it and moves the identifier to bytes 8 to \
            11."
        why: "Everything is shifted by 4: the size is taken for the root offset, and the root offset for the \
            identifier."
        readers: "ExecuTorch's C++ readers see a wrong identifier: InvalidProgram (0x23), or InvalidExternalData \
            (0x24) for data files. FlatBuffers tools read the form only when told of it."
        source: "FlatBuffers know a size-prefixed form that ExecuTorch does not use. A file in that form breaks \
            `fb-identifier-exact` as well, and this rule says why."
        refs: ["H-02"]
    }
}

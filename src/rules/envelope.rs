//! The FlatBuffer envelope, the same for programs and data files (specification, section 1.1).
//!
//! "The FlatBuffer" is bytes 0 to `program_size` of a program with a header, bytes 0 to `flatbuffer_offset +
//! flatbuffer_size` of a data file, and the whole of a file without a header. Positions count from byte 0, an
//! inserted header included.

use super::rules;

rules! {
    FB_MIN_SIZE = "fb-min-size", Must, File, Open, "1.1" {
        "The FlatBuffer holds at least a root offset, an identifier and a root table's first word: 12 bytes."
        source: "ExecuTorch refuses fewer than 8 bytes, the FlatBuffers verifiers fewer than 12; no root table fits \
            into less."
        refs: ["H-01"]
    }
    FB_FILE_MIN_64 = "fb-file-min-64", Either, File, Open, "1.1" {
        "A file holds at least 64 bytes, header and segments included."
        source: "ExecuTorch's C++ readers begin by loading the first 64 bytes and refuse a file that has fewer. The \
            format's text names no minimum, and other readers open a shorter file that is complete."
        refs: ["H-01"]
    }
    FB_IDENTIFIER_EXACT = "fb-identifier-exact", Must, File, Header, "1.1" {
        "Bytes 4 to 7 are `ET12` in a program and `FT01` in a data file."
        source: "ExecuTorch's C++ readers compare all four bytes. The format's text calls the two digits a revision \
            that changes with every incompatible change, so other digits announce another format."
        refs: ["H-02", "pytorch/executorch#2533"]
    }
    FB_BASE_ALIGNED_16 = "fb-base-aligned-16", Must, Reader, Header, "1.1" {
        "A reader that reads the FlatBuffer in place puts byte 0 at an address that is a multiple of 16, or refuses \
            to go on."
        source: "Alignment inside the file counts from byte 0, so it is alignment in memory only if byte 0 is \
            aligned. ExecuTorch's C++ readers demand the platform's largest scalar alignment, which is 16 on 64-bit \
            hosts."
        refs: ["F-13"]
    }
    FB_ROOT_OFFSET_RANGE = "fb-root-offset-range", Must, File, Structure, "1.1" {
        "The root offset, the `u32` at byte 0, is at least 8 and at most the FlatBuffer's size minus 4."
        source: "The FlatBuffers verifiers check it; ExecuTorch checks it in programs since 1.3.0 even where it \
            verifies nothing else, and in data files since 1.5.1."
        refs: ["H-03", "X-03", "pytorch/executorch#17129", "pytorch/executorch#18597", "pytorch/executorch#22118"]
    }
    FB_ROOT_NOT_IN_HEADER = "fb-root-not-in-header", Should, File, Structure, "1.1" {
        "In a file with a header, the root table starts behind the header's known fields: at byte 40 or later, 32 in a \
            program whose header has no `segment_data_size`, 48 in a data file."
        source: "Writers insert the padded header at byte 8 and add its length to the root offset. No reader \
            compares the two."
        refs: ["H-03"]
    }
    FB_ROOT_ALIGNED = "fb-root-aligned", Must, File, Structure, "1.1" {
        "The root offset is a multiple of 4."
        source: "A table begins with an `i32`, which FlatBuffers align to 4; the FlatBuffers verifiers check it."
        refs: ["F-13"]
    }
    FB_VTABLE_VALID = "fb-vtable-valid", Must, File, Structure, "1.1" {
        "A table's vtable, at the table's position minus its first `i32`, starts at an even position inside the \
            FlatBuffer, has an even length of at least 4, ends inside the FlatBuffer, and places every field inside \
            the FlatBuffer."
        source: "The FlatBuffers verifiers follow it before they look at any field. The lower bound is the vtable's \
            own two lengths, 2 bytes each, which every writer counts."
        refs: ["F-02"]
    }
    FB_OBJECT_SIZE = "fb-object-size", Should, File, Structure, "1.1" {
        "Each field of a table lies inside the table's object: its offset in the vtable is at least 4, and offset \
            plus width is at most the object size, the vtable's second `u16`."
        source: "FlatBuffers define the object size so, and every builder keeps it. No verifier checks it: they hold \
            fields against the end of the buffer only."
        refs: ["F-02"]
    }
    FB_UOFFSET_VALID = "fb-uoffset-valid", Must, File, Structure, "1.1" {
        "A reference, the `u32` offset from its own position to a table, vector or string, is not 0, is below 2^31, \
            and leads to a place with at least 4 bytes left in the FlatBuffer."
        source: "The FlatBuffers verifiers check all three for fields; an element of a vector of tables that is 0, and so \
            names itself, passes some of them, and is taken for a table by the readers behind."
        refs: ["F-01"]
    }
    FB_VECTOR_IN_BOUNDS = "fb-vector-in-bounds", Must, File, Structure, "1.1" {
        "A vector's 4 bytes of length and its length times element size, multiplied without wrapping, end inside the \
            FlatBuffer."
        source: "The FlatBuffers verifiers check it for every vector and string. Public reports forge the length of \
            almost every vector of the program's schema."
        refs: ["F-03", "F-04", "F-05", "F-06", "F-07", "F-08", "F-09", "F-10", "F-11"]
    }
    FB_STRING_NUL = "fb-string-nul", Must, File, Structure, "1.1" {
        "A string's bytes are followed by a zero byte inside the FlatBuffer, which its length does not count."
        source: "The FlatBuffers verifiers check it. Readers in C and C++ hand strings on as zero-terminated and \
            would read on past the end."
        refs: ["F-12"]
    }
    FB_STRING_UTF8 = "fb-string-utf8", Should, File, Structure, "1.1" {
        "A string is valid UTF-8."
        source: "FlatBuffers define strings as UTF-8 and the official writers encode them so. Readers that decode \
            strings fail on others; readers that compare bytes never look."
        refs: []
    }
    FB_STRING_NO_EMBEDDED_NUL = "fb-string-no-embedded-nul", Should, File, Structure, "1.1" {
        "A string that names something (method, operator, backend, key, tensor) has no zero byte among the bytes its \
            length counts."
        source: "Some readers compare names up to the first zero byte, others the whole length, so one name could be \
            two. No official writer makes such a name by itself."
        refs: []
    }
    FB_ALIGNMENT = "fb-alignment", Must, File, Structure, "1.1" {
        "A scalar, a reference and the elements of a vector lie at a multiple of their size, and a table, a string's \
            length and a vector's length at a multiple of 4."
        source: "The FlatBuffers verifiers check it for scalars, references and lengths by default, and some of them not \
            for the elements of vectors. Readers that load in place have undefined behaviour otherwise."
        refs: ["F-13"]
    }
    FB_FORCE_ALIGN = "fb-force-align", Should, File, Structure, "1.1" {
        "The bytes of `Buffer.storage` and of `BackendDelegateInlineData.data` start at a multiple of 16."
        source: "The program's schema asks for 16, and the exporter raises it to larger powers of two on request. \
            The verifiers check natural alignment only."
        refs: ["F-13"]
    }
    FB_MAX_DEPTH = "fb-max-depth", Either, Reader, Structure, "1.1" {
        "A reader lets tables nest as deep as the schemas do, which is fewer than ten tables."
        source: "The FlatBuffers verifiers stop at 64 by default, which no file of these schemas reaches: a table that \
            is deeper is one that no field leads to."
        refs: ["F-15"]
    }
    FB_MAX_TABLES = "fb-max-tables", Either, File, Structure, "1.1" {
        "Following every reference visits at most 1,000,000 tables, a shared table counted at each visit."
        source: "The default limit of the FlatBuffers verifiers, which ExecuTorch applies where it verifies. Readers \
            that do not verify have none, and a very large honest program can pass it."
        refs: ["F-15"]
    }
    FB_MAX_SIZE = "fb-max-size", Must, File, Header, "1.1" {
        "The FlatBuffer is smaller than 2^31 bytes."
        source: "Its offsets are 32 bits wide and some are signed, so larger ones cannot be addressed. The official \
            C++ verifier only asserts it, in debug builds."
        refs: ["F-15"]
    }
    FB_DAG_NO_AMPLIFICATION = "fb-dag-no-amplification", Should, File, Structure, "1.1" {
        "The bytes of all tables, vectors and strings, counted once for each reference that leads to them, come to \
            no more than the FlatBuffer's size."
        source: "The official writers share vtables, which do not count here, and nothing else. Sharing is legal, \
            but a reader that expands every reference into objects of its own can be made to use memory exponential \
            in nesting depth."
        refs: ["F-15"]
    }
    FB_UNION_CONSISTENT = "fb-union-consistent", Must, File, Method, "1.1" {
        "A union's type is 0 exactly when its value is absent; only a type whose table has no fields, as `Null`, may \
            also go without a value."
        source: "ExecuTorch refuses values and instructions that break it when it prepares the method. The verifiers \
            differ: Rust's wants both or neither, and C++'s checks a value only when its type is one that it knows."
        refs: ["F-14"]
    }
    FB_ENUM_RANGE = "fb-enum-range", Should, File, Meta, "1.1" {
        "An enum field holds a value that the schema declares."
        source: "Generated code stores an enum as a plain integer and no verifier looks at it. Enums on which a \
            reader's safety depends have rules of their own."
        refs: []
    }
    FB_BOOL_CANONICAL = "fb-bool-canonical", Should, File, Method, "1.1" {
        "A byte of type `bool` is 0 or 1."
        source: "Writers store nothing else. No verifier checks it, and in C++ and Rust any other byte seen as a \
            `bool` is undefined behaviour."
        refs: []
    }
    FB_UNKNOWN_FIELDS = "fb-unknown-fields", Must, Reader, Structure, "1.1" {
        "A reader ignores vtable slots past those that it knows."
        source: "The schema's rules for change add fields at the end of a table only, so that older readers go on \
            reading newer files. All generated readers do."
        refs: []
    }
    FB_EXPLICIT_DEFAULT_OK = "fb-explicit-default-ok", Must, Reader, Structure, "1.1" {
        "A reader takes a scalar field that is present with its default value for the same as an absent one."
        source: "FlatBuffers let a writer store or leave out a default. All generated readers treat both alike."
        refs: []
    }
    FB_NOT_SIZE_PREFIXED = "fb-not-size-prefixed", Must, File, Header, "1.1" {
        "The file begins with the root offset: no 4-byte length goes before it and moves the identifier to bytes 8 \
            to 11."
        source: "Readers look for the identifier at bytes 4 to 7 only. FlatBuffers know a size-prefixed form that \
            ExecuTorch does not use; a file in that form breaks `fb-identifier-exact` as well, and this rule says \
            why."
        refs: ["H-02"]
    }
}

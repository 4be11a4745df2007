//! Limits on a reader's resources: chapter `limits` of the book.

rules! {
    LIM_HEAD = "lim-head", May, Reader, Open, "limits" {
        "A reader identifies a file and finds its header within the first 64 bytes."
        why: "Headers end at byte 48 at the latest. A host that fetches a file over a slow link, or selects files by \
            kind, should not need more bytes."
        readers: "ExecuTorch's C++ readers fetch 64 bytes first and reject a shorter file (0x12), which other readers \
            open (`fb-file-min-64`)."
        source: "`kNumHeadBytes` of both headers. No text promises that 64 bytes will always suffice, so the rule is a \
            may."
        refs: ["H-01"]
    }
    LIM_FB = "lim-fb", Must, Reader, Structure, "limits" {
        "A reader rejects a FlatBuffer of 2^31 bytes or more, or follows its offsets so that no offset can become \
            negative."
        why: "Offsets have 32 bits and the offset to a vtable is signed. Past 2^31, a forward offset can become \
            negative and lead to bytes before the buffer."
        readers: "The FlatBuffers verifiers reject such a FlatBuffer; the C++ verifier uses an assertion, which \
            release builds omit."
        source: "The FlatBuffers format. `fb-max-size` is the rule for files."
        refs: ["F-15"]
    }
    LIM_TABLES = "lim-tables", May, Reader, Structure, "limits" {
        "A reader that limits the number of visited tables accepts at least 1,000,000."
        why: "Every limit rejects some valid file: a program of 350,000 planned tensors has more than 1,000,000 \
            tables. A lower limit rejects programs that run elsewhere. Without a limit, shared tables multiply the \
            work exponentially."
        readers: "InternalConsistency has the limit of the C++ verifier, 1,000,000, and rejects more tables (0x23). \
            Minimal and the Python reader have no limit."
        source: "The default of the FlatBuffers verifiers. `fb-max-tables` reports files that exceed it. No text sets \
            a number, so the rule is a may."
        refs: ["F-15"]
    }
    LIM_DEPTH = "lim-depth", May, Reader, Structure, "limits" {
        "A reader that limits the nesting of tables accepts at least 64 levels."
        why: "The schemas need fewer than ten levels, so a lower limit rejects no current file but may reject files of \
            the next schema. Without a limit, a recursive reader can exhaust its stack."
        readers: "InternalConsistency has the limit of the C++ verifier, 64. Minimal reads single fields and does not \
            recurse."
        source: "The default of the FlatBuffers verifiers; no text sets a number."
        refs: ["F-15"]
    }
    LIM_RANK = "lim-rank", Must, Reader, Method, "limits" {
        "A reader accepts a Tensor of 16 dimensions, and rejects more before it copies the shape into an array for 16."
        why: "The runtime and its kernels copy shapes into arrays of fixed length. CVE-2025-54951 is a comparison with \
            the limit after the copy."
        readers: "ExecuTorch rejects more than 16 dimensions when it prepares the method since 1.0.0 (0x23)."
        source: "`kTensorDimensionLimit`. `t-rank-max` is the rule for files."
        refs: ["CVE-2025-54951", "GHSA-xc7w-r669-48pf", "T-08", "T-09", "pytorch/executorch#12684"]
    }
    LIM_OPNAME = "lim-opname", Must, Reader, Method, "limits" {
        "A reader accepts operator names of up to 99 bytes, dot and overload included, and rejects names that exceed \
            its buffer."
        why: "A reader that truncates names treats two names of 100 bytes as equal if they differ only in the last \
            byte."
        readers: "ExecuTorch assembles the name in 100 bytes, including the NUL terminator, and returns 0x01 if it \
            does not fit."
        source: "`Method::resolve_operator`. `ins-op-name` is the rule for files."
        refs: ["I-13"]
    }
    LIM_INSTR = "lim-instr", May, Reader, Method, "limits" {
        "A reader bounds the number of instructions of one run, and accepts at least 10,000,000."
        why: "A backward jump forms a loop, and whether the loop ends cannot be determined from the file. Without a \
            bound, a file of a few hundred bytes occupies a thread for ever."
        readers: "ExecuTorch stops a run after 10,000,000 instructions since 1.3.0 (0x23); `ET_MAX_INSTRUCTIONS` \
            changes the number at build time. Single-stepping has no bound, and earlier releases have no bound at all."
        source: "#18679. The format's documentation mentions no bound, so the rule is a may."
        refs: ["I-04", "pytorch/executorch#18679"]
    }
    LIM_LIST_INT = "lim-list-int", May, Reader, Method, "limits" {
        "A reader stores the length of a list in a type that holds every length of a FlatBuffers vector, up to 2^32 - \
            1."
        why: "In a signed 32-bit type, a length of 2^31 or more is negative, and becomes enormous when it is converted \
            to a size."
        readers: "ExecuTorch's `BoxedEvalueList` takes the length as an `int` and checks its sign."
        source: "This project infers the rule. A FlatBuffer below 2^31 bytes holds fewer than 2^29 items of 4 bytes, \
            so no valid file reaches the limit, and the rule is a may."
    }
    LIM_ALLOC = "lim-alloc", Must, Reader, Method, "limits" {
        "A reader computes the size of every allocation, and the end of its memory pool, without wrapping."
        why: "Lengths come from the file. A product that wraps allocates a small block for a long list \
            (CVE-2025-54952). An end that wraps appears to be free memory (CVE-2025-30404). In both cases, the reader \
            then writes elements outside the pool."
        readers: "ExecuTorch checks both computations since 1.0.0, and returns 0x21 if the memory is exhausted."
        source: "`MemoryAllocator::allocate` and `MemoryAllocator::allocateList`."
        refs: [
            "CVE-2025-30404", "GHSA-hj95-mhgf-jxc4", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv", "M-05",
            "pytorch/executorch#12679", "pytorch/executorch#12683",
        ]
    }
    LIM_NAMED_LINEAR = "lim-named-linear", May, Reader, Data, "limits" {
        "A reader looks up all keys of a file in time that does not grow with the square of their number."
        why: "A file of some tens of megabytes can contain a million keys. A search from the first entry for each key \
            needs 10^12 comparisons."
        readers: "Readers that search from the first entry for each key, or compare all keys of two files when they \
            merge them, need quadratic time."
        source: "This project infers the rule. The table is not sorted by key, so a faster reader builds its own \
            index; no text requires such an index."
    }
    LIM_PLANS_VALUES = "lim-plans-values", May, Reader, Meta, "limits" {
        "A reader does work in proportion to the methods and values of a program, or bounds their number."
        why: "The format limits neither, and a method takes a few bytes. A small file with 100,000 methods can \
            occupy a reader for long."
        readers: "InternalConsistency visits all values of all methods when it loads the program. Minimal visits only \
            the values of the requested method."
        source: "This project infers the rule; no text sets a number, and a reader's limit rejects some valid file."
        refs: ["P-02"]
    }
    LIM_BUNDLED_RANK = "lim-bundled-rank", Must, Reader, Method, "limits" {
        "A reader of bundled programs accepts bundled tensors of 16 dimensions, and rejects more before it copies the \
            shape into an array for 16."
        why: "Strides of the expected outputs are computed in an array of 16, so a larger rank writes past its end."
        readers: "Some readers do not check the rule."
        source: "`kMaxDim` of `bundled_program.cpp`. `bp-tensor-data` is the rule for files."
    }
}

//! Rules about the resources that a reader uses (chapter `limits` of the book).

rules! {
    LIM_HEAD = "lim-head", May, Loader, Reader, Open, "limits" {
        "A reader needs only the first 64 bytes to identify a file and to find its header."
        rationale: "The header of every format ends at byte 48 or earlier. A host that fetches a file over a slow \
            connection, or sorts files by format, should not need more than 64 bytes."
        readers: "ExecuTorch's C++ readers fetch 64 bytes first and reject a shorter file with InvalidArgument (0x12). \
            Other readers open a shorter file, as the rule `fb-file-min-64` explains."
        source: "ExecuTorch's readers for programs and for data files define `kNumHeadBytes` as 64. No document \
            promises that 64 bytes will always suffice, so the rule's strength is `may`."
        refs: ["H-01"]
    }
    LIM_FB = "lim-fb", Must, Text, Reader, Structure, "limits" {
        "A reader rejects a FlatBuffer of 2^31 bytes or more, or computes positions in a type that prevents negative \
            offsets."
        rationale: "Offsets have 32 bits, and the offset from a table to its vtable is signed. In a FlatBuffer of \
            2^31 bytes or more, a forward offset can become negative and lead to bytes before the buffer."
        readers: "The FlatBuffers verifiers reject a FlatBuffer of 2^31 bytes or more. The C++ verifier makes this \
            check in an assertion, and release builds omit assertions."
        source: "The FlatBuffers format defines the width and sign of offsets. The corresponding rule for files is \
            `fb-max-size`."
        refs: ["F-15"]
    }
    LIM_TABLES = "lim-tables", May, Loader, Reader, Structure, "limits" {
        "A reader that limits the number of visited tables permits at least 1,000,000 tables."
        rationale: "Every limit on the number of tables rejects some valid files. For example, a program with 350,000 \
            planned tensors has more than 1,000,000 tables. A reader with a lower limit rejects programs that most \
            readers run. Without a limit, shared tables can multiply the work exponentially."
        readers: "At verification level InternalConsistency, ExecuTorch uses the C++ verifier's limit of 1,000,000 \
            tables, and returns InvalidProgram (0x23) for a program with more tables. At level Minimal, ExecuTorch has \
            no limit. ExecuTorch's Python reader also has no limit."
        source: "The number 1,000,000 is the default of the FlatBuffers verifiers. The rule `fb-max-tables` reports \
            files with more than 1,000,000 tables. No document sets a limit, so the rule's strength is `may`."
        refs: ["F-15"]
    }
    LIM_DEPTH = "lim-depth", May, Loader, Reader, Structure, "limits" {
        "A reader that limits the nesting of tables permits at least 64 levels."
        rationale: "The current schemas need fewer than ten levels. A limit between 10 and 64 therefore accepts all \
            current files, but can reject files of a later schema. Without a limit, a recursive reader can exhaust its \
            stack."
        readers: "At verification level InternalConsistency, ExecuTorch uses the C++ verifier's limit of 64 levels. At \
            level Minimal, ExecuTorch reads single fields without recursion."
        source: "The number 64 is the default of the FlatBuffers verifiers; no document sets a limit."
        refs: ["F-15"]
    }
    LIM_RANK = "lim-rank", Must, Loader, Reader, Method, "limits" {
        "A reader accepts a Tensor of up to 16 dimensions, and rejects more dimensions before it copies the shape into \
            an array of length 16."
        rationale: "The runtime and its kernels copy shapes into arrays of fixed length. In the defect CVE-2025-54951, \
            a reader compared the rank with the limit only after the copy."
        readers: "When ExecuTorch 1.0.0 and later prepare the method, they reject more than 16 dimensions with \
            InvalidProgram (0x23)."
        source: "The runtime defines `kTensorDimensionLimit` as 16. The corresponding rule for files is `t-rank-max`."
        refs: ["CVE-2025-54951", "GHSA-xc7w-r669-48pf", "T-08", "T-09", "pytorch/executorch#12684"]
    }
    LIM_OPNAME = "lim-opname", Must, Loader, Reader, Method, "limits" {
        "A reader accepts operator names of up to 99 bytes, including the dot and the overload, and rejects names that \
            exceed its buffer."
        rationale: "If a reader truncates long names, two different names can become equal."
        readers: "ExecuTorch assembles the name in a buffer of 100 bytes, which includes the NUL terminator. If the \
            name does not fit, ExecuTorch returns Internal (0x01)."
        source: "`Method::resolve_operator` assembles the name. The corresponding rule for files is `ins-op-name`."
        refs: ["I-13"]
    }
    LIM_INSTR = "lim-instr", May, Loader, Reader, Method, "limits" {
        "A reader limits the number of instructions of one run, and permits at least 10,000,000 instructions."
        rationale: "A backward jump forms a loop, and the file alone does not determine whether the loop ends. \
            Without a limit, a file of a few hundred bytes can occupy a thread forever."
        readers: "ExecuTorch 1.3.0 and later stop a run after 10,000,000 instructions and return InvalidProgram \
            (0x23). The build option `ET_MAX_INSTRUCTIONS` changes the limit. Releases before 1.3.0 have no limit, and \
            1.3.0 and later releases do not apply the limit if the caller executes single instructions."
        source: "Pull request pytorch/executorch#18679 added the limit. ExecuTorch's `docs/source/pte-file-format.md` \
            mentions no limit, so the rule's strength is `may`."
        refs: ["I-04", "pytorch/executorch#18679"]
    }
    LIM_LIST_INT = "lim-list-int", May, Policy, Reader, Method, "limits" {
        "A reader stores the length of a list in a type that can represent every FlatBuffers vector length, up to 2^32 \
            - 1."
        rationale: "In a signed 32-bit type, a length of 2^31 or more becomes a negative number. If a reader converts \
            the negative number to an unsigned size, the size becomes very large."
        readers: "ExecuTorch's `BoxedEvalueList` accepts the length as an `int` and checks that it is not negative."
        source: "A FlatBuffer below 2^31 bytes contains fewer than 2^29 items of 4 bytes, so no valid file contains a \
            list of 2^31 items. The rule's strength is therefore `may`."
    }
    LIM_ALLOC = "lim-alloc", Must, Loader, Reader, Method, "limits" {
        "A reader computes the size of every allocation, and the allocation's end in the memory pool, without \
            wrapping."
        rationale: "List lengths come from the file. If the product of length and element size wraps, a reader \
            allocates a small block for a long list (CVE-2025-54952). If the computed end of the block wraps, a block \
            that is too large appears to fit into the pool (CVE-2025-30404). In both cases, the reader then writes \
            elements outside the pool."
        readers: "ExecuTorch 1.0.0 and later check both computations, and return MemoryAllocationFailed (0x21) if the \
            memory is exhausted."
        source: "`MemoryAllocator::allocate` and `MemoryAllocator::allocateList` make the two checks."
        refs: [
            "CVE-2025-30404", "GHSA-hj95-mhgf-jxc4", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv", "M-05",
            "pytorch/executorch#12679", "pytorch/executorch#12683",
        ]
    }
    LIM_NAMED_LINEAR = "lim-named-linear", May, Policy, Reader, Data, "limits" {
        "A reader looks up all keys of a file in a total time that does not grow with the square of the number of \
            keys."
        rationale: "A file of some tens of megabytes can contain a million keys. If each look-up starts at the first \
            entry, all look-ups together need about 10^12 comparisons."
        readers: "Some readers search from the first entry for each key, or compare all pairs of keys when they merge \
            two files. The time of these algorithms grows with the square of the number of keys."
        source: "The list `named_data` is not sorted by key, so a reader that follows the rule must build its own \
            look-up table. No document requires a look-up table, so the rule's strength is `may`."
    }
    LIM_PLANS_VALUES = "lim-plans-values", May, Policy, Reader, Meta, "limits" {
        "A reader limits how many methods and values it accepts, or does work that is proportional to how many a \
            program has."
        rationale: "The format does not limit the number of methods or values, and a method needs only a few bytes. A \
            reader can need a long time for a small file with 100,000 methods."
        readers: "At verification level InternalConsistency, ExecuTorch visits all values of all methods when it loads \
            the program. At level Minimal, ExecuTorch visits only the values of the requested method."
        source: "No document sets a limit, and every limit rejects some valid files, so the rule's strength is `may`."
        refs: ["P-02"]
    }
    LIM_BUNDLED_RANK = "lim-bundled-rank", Must, Policy, Reader, Method, "limits" {
        "A reader accepts bundled tensors of up to 16 dimensions, and rejects more dimensions before it copies the \
            shape into an array of length 16."
        rationale: "Some readers compute the strides of expected outputs in an array of length 16. A tensor with more \
            than 16 dimensions overflows this array."
        readers: "Some readers do not check the rule."
        source: "`bundled_program.cpp` defines `kMaxDim` as 16. The corresponding rule for files is `bp-tensor-data`."
    }
}

//! What files of any size ask of a reader's resources (specification, section 1.21).

rules! {
    LIM_HEAD = "lim-head", May, Reader, Open, "1.21" {
        "A reader decides what a file is, and finds its header, by the first 64 bytes."
        why: "Headers end at byte 48 at the latest. A host that fetches a file over a slow link, or picks files by \
            their kind, has to be able to stop there."
        readers: "ExecuTorch's C++ readers fetch 64 bytes first and refuse a file that has fewer (0x12), which other \
            readers open (`fb-file-min-64`)."
        source: "`kNumHeadBytes` of both headers. No text promises that 64 will always do, hence no must."
        refs: ["H-01"]
    }
    LIM_FB = "lim-fb", Must, Reader, Structure, "1.21" {
        "A reader refuses a FlatBuffer of 2^31 bytes or more, or follows its offsets so that none can turn negative."
        why: "Offsets have 32 bits and the one to a vtable has a sign: past 2^31, a step forward in the buffer can \
            become one in front of it."
        readers: "The FlatBuffers verifiers refuse it, the C++ one by an assertion that release builds leave out."
        source: "The FlatBuffers format. `fb-max-size` is the rule for files."
        refs: ["F-15"]
    }
    LIM_TABLES = "lim-tables", May, Reader, Structure, "1.21" {
        "A reader that limits the number of tables which it follows lets at least 1,000,000 pass."
        why: "Any limit refuses some right file: a program of 300,000 tensors has more tables than that. A lower one \
            refuses programs that run elsewhere, and none at all lets shared tables multiply without end."
        readers: "InternalConsistency has the limit of the C++ verifier, 1,000,000, and refuses what is beyond (0x23); \
            Minimal and the Python reader have none."
        source: "The default of the FlatBuffers verifiers. `fb-max-tables` tells files that pass it; no text sets a \
            number, hence no must."
        refs: ["F-15"]
    }
    LIM_DEPTH = "lim-depth", May, Reader, Structure, "1.21" {
        "A reader that limits how deep tables nest lets at least 64 levels pass."
        why: "The schemas need fewer than ten, so a lower limit breaks no file of today and the next schema perhaps; \
            none at all lets a recursive reader run out of stack."
        readers: "InternalConsistency has the limit of the C++ verifier, 64. Minimal follows the fields that it wants \
            and does not recurse."
        source: "The default of the FlatBuffers verifiers; no text sets a number."
        refs: ["F-15"]
    }
    LIM_RANK = "lim-rank", Must, Reader, Method, "1.21" {
        "A reader accepts a Tensor of 16 dimensions, and refuses one of more before it copies the shape to where 16 \
            fit."
        why: "Shapes are copied into arrays of fixed length, in the runtime and again in kernels: compared too late, \
            the limit is CVE-2025-54951."
        readers: "ExecuTorch refuses more than 16 when it prepares the method since 1.0.0 (0x23)."
        source: "`kTensorDimensionLimit`. `t-rank-max` is the rule for files."
        refs: ["CVE-2025-54951", "GHSA-xc7w-r669-48pf", "T-08", "T-09", "pytorch/executorch#12684"]
    }
    LIM_OPNAME = "lim-opname", Must, Reader, Method, "1.21" {
        "A reader accepts operator names of up to 99 bytes, dot and overload included, and refuses what it has no room \
            for."
        why: "Names of 100 bytes that differ in the last one only are one name to a reader that cuts them off."
        readers: "ExecuTorch puts the name together in 100 bytes, one of them the zero at the end, and what does not \
            fit is 0x01."
        source: "`Method::resolve_operator`. `ins-op-name` is the rule for files."
        refs: ["I-13"]
    }
    LIM_INSTR = "lim-instr", May, Reader, Method, "1.21" {
        "A reader bounds the number of instructions of one run, and lets at least 10,000,000 pass."
        why: "A jump backwards makes a loop, and whether it ends cannot be read off the file. Without a bound, a file \
            of a few hundred bytes keeps a thread for ever."
        readers: "ExecuTorch stops a run after 10,000,000 since 1.3.0 (0x23), by `ET_MAX_INSTRUCTIONS` when it is \
            built. Stepping has no bound, nor have earlier releases."
        source: "#18679. No text of the format mentions a bound, hence no must."
        refs: ["I-04", "pytorch/executorch#18679"]
    }
    LIM_LIST_INT = "lim-list-int", May, Reader, Method, "1.21" {
        "A reader keeps the length of a list in a type that holds every length of a FlatBuffers vector, up to 2^32 - 1."
        why: "Narrowed to 32 bits with a sign, a length from 2^31 on is negative, and enormous again where it becomes \
            a size."
        readers: "ExecuTorch's `BoxedEvalueList` takes the length as an `int` and looks at its sign."
        source: "Derived. A FlatBuffer below 2^31 bytes holds fewer than 2^29 items of 4 bytes, so no right file gets \
            there, and it is a note."
    }
    LIM_ALLOC = "lim-alloc", Must, Reader, Method, "1.21" {
        "A reader computes the bytes of every allocation, and the end of its memory pool, without wrapping."
        why: "Lengths come from the file. A product that wraps is a small block for a long list (CVE-2025-54952), and \
            an end that wraps passes for free memory (CVE-2025-30404); the elements are then written outside of the \
            pool."
        readers: "ExecuTorch checks both since 1.0.0, and answers 0x21 where there is no more memory."
        source: "`MemoryAllocator::allocate` and `MemoryAllocator::allocateList`."
        refs: [
            "CVE-2025-30404", "GHSA-hj95-mhgf-jxc4", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv", "M-05",
            "pytorch/executorch#12679", "pytorch/executorch#12683",
        ]
    }
    LIM_NAMED_LINEAR = "lim-named-linear", May, Reader, Data, "1.21" {
        "A reader looks up all keys of a file in time that does not grow with the square of their number."
        why: "A file of some tens of megabytes holds a million keys: searched from the first entry for each, that is \
            10^12 comparisons."
        readers: "Readers that search from the first entry for each key, or compare all keys of two files when they \
            merge them, take such time."
        source: "Derived. The table is not sorted by key, so a reader that wants to be faster makes an index of its \
            own; no text asks for it."
    }
    LIM_PLANS_VALUES = "lim-plans-values", May, Reader, Meta, "1.21" {
        "A reader does work in proportion to the methods and values of a program, or bounds their number."
        why: "The format limits neither, and a method takes a few bytes: a public report made a reader busy with \
            100,000 of them."
        readers: "InternalConsistency visits all values of all methods when it loads the program. Minimal visits those \
            of the method that is asked for."
        source: "Derived; no text sets a number, and a reader's limit refuses some right file."
        refs: ["P-02"]
    }
    LIM_BUNDLED_RANK = "lim-bundled-rank", Must, Reader, Method, "1.21" {
        "A reader of bundled programs accepts bundled tensors of 16 dimensions, and refuses more before it copies the \
            shape to where 16 fit."
        why: "Strides of the expected outputs are computed in an array of 16, so a larger rank is written behind its \
            end."
        readers: "Not every reader looks."
        source: "`kMaxDim` of `bundled_program.cpp`. `bp-tensor-data` is the rule for files."
    }
}

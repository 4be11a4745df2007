//! Rules about the resources that a reader uses (chapter `limits` of the book).

rules! {
    LIM_HEAD = "lim-head", May, Loader, Reader, Open, "limits" {
        "A reader MAY require up to 64 bytes to identify a file and find its header."
        rationale: "Every header's fields end by byte 48, so even a tool that fetches files over a slow connection \
            needs no more than 64 bytes. ExecuTorch's C++ readers fetch 64 bytes first and reject a shorter file with \
            InvalidArgument (0x12), although other readers open such a file (`fb-file-min-64`)."
        source: "`kNumHeadBytes` is 64 in ExecuTorch's readers for programs and for data files. No document promises \
            that 64 bytes will always be enough."
        refs: ["H-01"]
    }
    LIM_FB = "lim-fb", Must, Text, Reader, Structure, "limits" {
        "A reader MUST reject a FlatBuffer of 2^31 bytes or more, or compute positions in a type in which offsets \
            cannot become negative."
        rationale: "Offsets have 32 bits, and the one to a vtable is signed, so in a larger FlatBuffer a forward \
            offset can lead to bytes before the buffer. The C++ verifier checks the size only in an assertion, which \
            release builds omit."
        source: "The FlatBuffers format defines the width and sign of offsets. The rule for files is `fb-max-size`."
        refs: ["F-15"]
    }
    LIM_TABLES = "lim-tables", May, Loader, Reader, Structure, "limits" {
        "A reader MAY limit how many tables it visits, but to no fewer than 1,000,000."
        rationale: "Even a limit of 1,000,000 rejects a program with 350,000 planned tensors, but without any limit, \
            shared tables make the work grow exponentially. With InternalConsistency verification, ExecuTorch returns \
            InvalidProgram (0x23) above 1,000,000; with Minimal, or in Python, it has no limit."
        source: "FlatBuffers verifiers have this default; no document sets a limit. For files, see `fb-max-tables`."
        refs: ["F-15"]
    }
    LIM_DEPTH = "lim-depth", May, Loader, Reader, Structure, "limits" {
        "A reader MAY limit how deeply tables nest, but to no fewer than 64 levels."
        rationale: "The schemas need fewer than ten levels, so a limit below 64 works today but may reject files from \
            a later schema. Without any limit, a recursive reader may exhaust its stack. ExecuTorch stops at 64 levels \
            with InternalConsistency verification; with Minimal, it reads single fields without recursion."
        source: "FlatBuffers verifiers have this default; no document sets a limit."
        refs: ["F-15"]
    }
    LIM_RANK = "lim-rank", Must, Loader, Reader, Method, "limits" {
        "A reader MUST accept a Tensor with up to 16 dimensions, and reject one with more before it copies the shape \
            into an array of length 16."
        rationale: "The runtime and its kernels copy shapes into such arrays; in CVE-2025-54951, the rank was checked \
            only after the copy. ExecuTorch 1.0.0 and later return InvalidProgram (0x23) when they prepare the method."
        source: "ExecuTorch's `kTensorDimensionLimit` is 16. The rule for files is `t-rank-max`."
        refs: ["CVE-2025-54951", "GHSA-xc7w-r669-48pf", "T-08", "T-09", "pytorch/executorch#12684"]
    }
    LIM_OPNAME = "lim-opname", Must, Loader, Reader, Method, "limits" {
        "A reader MUST accept operator names of up to 99 bytes, including the dot and the overload, and reject names \
            that do not fit its buffer."
        rationale: "If names are truncated, different names can become equal. ExecuTorch has a buffer of 100 bytes, \
            including the NUL terminator, and returns Internal (0x01) if the name does not fit."
        source: "`Method::resolve_operator` assembles the name. The rule for files is `ins-op-name`."
        refs: ["I-13"]
    }
    LIM_INSTR = "lim-instr", May, Loader, Reader, Method, "limits" {
        "A reader MAY limit the number of instructions per run, but to no fewer than 10,000,000."
        rationale: "A backward jump is a loop, so a few hundred bytes can occupy a thread forever. ExecuTorch 1.3.0 \
            and later return InvalidProgram (0x23) after 10,000,000 instructions (build option `ET_MAX_INSTRUCTIONS`), \
            but not if the caller executes them one at a time."
        source: "pytorch/executorch#18679 added the limit; ExecuTorch's `docs/source/pte-file-format.md` mentions none."
        refs: ["I-04", "pytorch/executorch#18679"]
    }
    LIM_LIST_INT = "lim-list-int", May, Policy, Reader, Method, "limits" {
        "A reader MAY store a list's length in any type that can represent every FlatBuffers vector length, up to 2^32 \
            - 1."
        rationale: "In a signed 32-bit type, 2^31 becomes negative, and if that is converted to an unsigned size, it \
            is huge. ExecuTorch's `BoxedEvalueList` takes an `int` and checks that it is not negative."
        source: "No valid file has such a list: a FlatBuffer below 2^31 bytes holds fewer than 2^29 four-byte items."
    }
    LIM_ALLOC = "lim-alloc", Must, Loader, Reader, Method, "limits" {
        "A reader MUST compute the size of every allocation, and where it ends in the memory pool, without wrapping."
        rationale: "List lengths come from the file. If length times element size wraps, the block is too small \
            (CVE-2025-54952); if its end wraps, it seems to fit the pool (CVE-2025-30404). Elements are then written \
            outside the pool. ExecuTorch 1.0.0 and later check both, and return MemoryAllocationFailed (0x21)."
        source: "`MemoryAllocator::allocate` and `MemoryAllocator::allocateList` check for this."
        refs: [
            "CVE-2025-30404", "GHSA-hj95-mhgf-jxc4", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv", "M-05",
            "pytorch/executorch#12679", "pytorch/executorch#12683",
        ]
    }
    LIM_NAMED_LINEAR = "lim-named-linear", May, Policy, Reader, Data, "limits" {
        "A reader MAY build its own key table, so that looking up all keys does not take quadratic time."
        rationale: "A file of tens of megabytes can have a million keys. If each lookup starts at the first entry, or \
            if all pairs are compared when two files are merged, that takes about 10^12 comparisons."
        source: "`named_data` is not sorted by key, and no document requires a key table."
    }
    LIM_PLANS_VALUES = "lim-plans-values", May, Policy, Reader, Meta, "limits" {
        "A reader MAY limit how many methods and values it accepts, or do work in proportion to their number."
        rationale: "The format has no limit and a method needs only a few bytes, so a small file can have 100,000 \
            methods. With InternalConsistency verification, ExecuTorch visits every method's values; with Minimal, it \
            visits only the requested method's values."
        source: "No document sets a limit, and every limit rejects some valid files."
        refs: ["P-02"]
    }
    LIM_BUNDLED_RANK = "lim-bundled-rank", Must, Policy, Reader, Method, "limits" {
        "A reader MUST accept bundled tensors with up to 16 dimensions, and reject those with more before it copies \
            the shape into an array of length 16."
        rationale: "ExecuTorch computes the strides of expected outputs in an array of 16, which rank 17 overflows."
        source: "`kMaxDim` in ExecuTorch's `bundled_program.cpp` is 16. The rule for files is `bp-tensor-data`."
    }
}

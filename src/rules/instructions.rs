//! Instructions, operators and jumps: chapter `instructions` of the book.

rules! {
    INS_NONNULL = "ins-nonnull", Must, File, Method, "instructions" {
        "No Instruction has the type NONE."
        rationale: "An instruction of type NONE has no content. A reader that casts the absent content to a call \
            dereferences a null pointer."
        readers: "For an instruction of type NONE, ExecuTorch returns InvalidProgram (0x23) when it prepares the \
            method, at both verification levels. The FlatBuffers verifiers accept the type NONE."
        source: "`Method::init` checks the type. A known type without content breaks `fb-union-consistent`."
        refs: ["I-12", "F-14"]
        cwe: ["CWE-476", "CWE-843"]
    }
    INS_TYPE_KNOWN = "ins-type-known", Must, File, Method, "instructions" {
        "The type of an Instruction is at most 5 (FreeCall)."
        rationale: "No verifier checks the content of an unknown type. A reader that uses the content follows an \
            unchecked offset. A reader that skips the instruction runs a different program."
        readers: "For an unknown type, ExecuTorch returns InvalidProgram (0x23) when it prepares the method, at both \
            verification levels."
        source: "`Method::init` checks the type. The members of the union are KernelCall, DelegateCall, MoveCall, \
            JumpFalseCall and FreeCall, 1 to 5."
        refs: ["F-14"]
        cwe: ["CWE-843"]
    }
    INS_ARGS_NONNULL = "ins-args-nonnull", Must, File, Method, "instructions" {
        "Every KernelCall and every DelegateCall has `args`, which may be empty."
        rationale: "Before the first run, a reader allocates an argument list of the length of `args`. If the \
            vector is absent, a careless reader dereferences a null pointer."
        readers: "If `args` is absent, ExecuTorch returns InvalidProgram (0x23) when it prepares the method, at both \
            verification levels."
        source: "`Method::init` checks the field. ExecuTorch's `schema/program.fbs` makes the field optional, and the \
            emitter always writes it."
        refs: ["I-12"]
        cwe: ["CWE-476"]
    }
    INS_ARG_RANGE = "ins-arg-range", Must, File, Method, "instructions" {
        "Every entry of `args` of a KernelCall or DelegateCall is an index of `values`."
        rationale: "The reader converts each index to a pointer to a value that kernels read and write. An index \
            out of range gives a pointer to arbitrary bytes past the array."
        readers: "For an index out of range, ExecuTorch returns InvalidProgram (0x23) when it prepares the method, \
            since 0.2.0 (pytorch/executorch#1517). The check also rejects negative indices."
        source: "`gen_instruction_arguments` checks the indices."
        refs: ["I-02", "pytorch/executorch#1517"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_OP_INDEX = "ins-op-index", Must, File, Method, "instructions" {
        "`op_index` of every KernelCall is at least 0 and below the number of `operators`."
        rationale: "The index selects the name of the kernel. If a reader calls a kernel that it did not resolve, \
            it jumps to an uninitialized address."
        readers: "For an index out of range, ExecuTorch returns InvalidProgram (0x23) when it prepares the method, \
            since 0.2.0 (pytorch/executorch#1516). Some readers do not reject a violation."
        source: "`Method::resolve_operator` checks the index. The emitter writes indices into the method's own list of \
            operators."
        refs: ["I-01", "pytorch/executorch#1516"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_OP_NAME = "ins-op-name", Must, File, Method, "instructions" {
        "Every Operator has a `name`; the name, a dot and a non-empty `overload` together have fewer than 100 bytes."
        rationale: "The full name is the key in the kernel registry. A truncated full name can be the name of a \
            different operator, and an absent name is a null pointer."
        readers: "ExecuTorch builds the full name of each call when it prepares the method. ExecuTorch returns \
            InvalidProgram (0x23) for an absent name, and Internal (0x01) for a name that is too long. Some readers do \
            not reject a violation."
        source: "`populate_operator_name` uses a buffer of 100 bytes, which includes the NUL terminator. No operator \
            of PyTorch has such a long name."
        refs: ["I-13"]
        cwe: ["CWE-476"]
    }
    INS_OP_REGISTERED = "ins-op-registered", Must, Reader, Method, "instructions" {
        "A reader that has no kernel for an operator rejects the method during preparation, not at the call."
        rationale: "If a run stops at a missing kernel, earlier instructions have already changed values. A method \
            that is rejected before its first instruction has changed nothing."
        readers: "When ExecuTorch prepares the method, it looks up each call by name, overload, scalar types and \
            dimension orders. ExecuTorch logs all missing kernels and then returns OperatorMissing (0x14)."
        source: "`Method::resolve_operator` looks up the kernels. Each build has its own set of kernels, so no file \
            breaks the rule."
        refs: ["I-13"]
    }
    INS_OVERLOAD_NONNULL = "ins-overload-nonnull", Should, File, Method, "instructions" {
        "Every Operator has an `overload`, which may be empty."
        rationale: "Look-ups treat an absent overload as an empty overload. Other code, such as the message about a \
            failed kernel, may print the overload as a string and dereference a null pointer."
        readers: "ExecuTorch treats absent and empty overloads alike when it looks up the kernel. Some readers print \
            the overload without a check that it is present."
        source: "The emitter writes an overload for every operator; the string is empty if the operator has no \
            overload. The strength is `should` because the method loads and runs without an overload."
        refs: ["I-13"]
    }
    INS_ARITY = "ins-arity", Must, File, Method, "instructions" {
        "A KernelCall of an `executorch_prim` operator has as many `args` as the operator has parameters, including \
            its result."
        rationale: "Kernels read arguments from the list by position. If an argument is missing, a kernel reads \
            past the end of the list, as in CVE-2025-54950."
        readers: "ExecuTorch's own kernels and its generated kernels compare the number when they run and return \
            InvalidProgram (0x23), since 1.0.0. ExecuTorch does not compare the number while it prepares the method, \
            and kernels of other projects may omit the comparison."
        source: "The kernels in `kernels/prim_ops` determine the number of args. An operator with two operands has 3 \
            args, and an operator with one operand has 2. The operator `sym_ite.Scalar` has 4 args; \
            `et_copy_index.tensor` and `et_view.default` have 3. The file does not contain the signatures of other \
            operators."
        refs: ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm", "I-03", "pytorch/executorch#12987"]
        cwe: ["CWE-130", "CWE-125"]
    }
    INS_ARG_TYPES = "ins-arg-types", Must, File, Method, "instructions" {
        "A KernelCall of `executorch_prim::et_copy_index.tensor` has three `args`: a destination Tensor, a source \
            Tensor and an Int, in this order."
        rationale: "If a value is not a Tensor, a kernel that interprets it as a Tensor copies from or to an \
            arbitrary address. An accessor that requires the type aborts the process."
        readers: "No reader compares the types before the kernel runs, and some kernels do not reject a mismatch \
            cleanly."
        source: "The kernel's source in `kernels/prim_ops` defines the signature. CVE-2025-54949 is a defect of this \
            operator. The file does not contain the signatures of operators in other namespaces."
        refs: ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "K-01"]
        cwe: ["CWE-843"]
    }
    INS_KERNEL_KEY = "ins-kernel-key", Should, File, Method, "instructions" {
        "The kernel key of a KernelCall, which lists the scalar types and dimension orders of its Tensors, has at most \
            658 bytes."
        rationale: "Readers look up kernels by this key, such as `v1/6;0,1|6;0,1`, and build the key in a buffer on \
            the stack. A reader without a length check writes past the buffer. The key of a call with sixteen \
            tensors of 16 dimensions always fits."
        readers: "ExecuTorch has a buffer of 659 bytes, which includes the NUL terminator, and checks the length. If \
            the key is too long, ExecuTorch returns InvalidArgument (0x12) when it prepares the method."
        source: "ExecuTorch's `runtime/kernel` defines `kKernelKeyBufSize` and `make_kernel_key_string`. The strength \
            is `should` because the format sets no limit for the key and the official writers do not check its length."
    }
    INS_COPY_INDEX_BOUND = "ins-copy-index-bound", Should, File, Method, "instructions" {
        "If a file stores the index of `executorch_prim::et_copy_index.tensor` as an Int, the Int is at least 0 and \
            below the destination's first size."
        rationale: "The kernel writes one slice at the index. With an index past the destination, the file chooses \
            both the contents and the distance of a heap write, as in CVE-2025-54949."
        readers: "ExecuTorch's kernel compares the end of the slice with the destination when it runs, and returns \
            InvalidArgument (0x12), since 0.7.0."
        source: "ExecuTorch's `et_copy_index.cpp` makes the comparison. The index is a loop counter: the file contains \
            only its first value, and instructions change it. The strength is therefore `should`."
        refs: ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "K-01", "pytorch/executorch#12697", "pytorch/executorch#12827"]
    }
    INS_DELEGATE_INDEX = "ins-delegate-index", Must, File, Method, "instructions" {
        "`delegate_index` of every DelegateCall is at least 0 and below the number of `delegates`."
        rationale: "The index selects an object that contains pointers of a backend. With an index past the end of \
            the list, the reader calls a function through arbitrary bytes."
        readers: "ExecuTorch checks the index only when the instruction runs, and returns Internal (0x01) for an index \
            out of range. A method with a wrong index therefore loads and fails during the run."
        source: "`Method::execute_instruction` makes the comparison. The file contains both numbers, so a reader can \
            compare them when it prepares the method."
        refs: ["I-11"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_MOVE_RANGE = "ins-move-range", Must, File, Method, "instructions" {
        "`move_from` and `move_to` of every MoveCall are indices of `values`."
        rationale: "A MoveCall copies one value over another value. With an index out of range, every run reads or \
            overwrites memory past the array."
        readers: "For an index out of range, ExecuTorch returns InvalidProgram (0x23) when it prepares the method, \
            since 1.3.0 (pytorch/executorch#18658)."
        source: "`Method::init` checks both indices."
        refs: ["I-07", "pytorch/executorch#18658"]
        cwe: ["CWE-129", "CWE-787"]
    }
    INS_MOVE_TYPE = "ins-move-type", Should, File, Method, "instructions" {
        "The two values of a MoveCall have the same type."
        rationale: "Lists keep pointers to values whose types the reader checked when it prepared the method. If a \
            MoveCall overwrites a Tensor of a list with an Int, the users of the list interpret the Int as a Tensor \
            (pytorch/executorch#18962)."
        readers: "No reader compares the types. Since 1.3.0, ExecuTorch no longer follows a list's pointer when it \
            destroys the method (pytorch/executorch#18962)."
        source: "This project infers the rule, because the emitter moves only between values of one type. At run time, \
            types depend on the path of execution, which the checker does not follow. The strength is therefore \
            `should`."
        refs: ["I-08", "pytorch/executorch#18962"]
    }
    INS_FREE_RANGE = "ins-free-range", Must, File, Method, "instructions" {
        "`value_index` of every FreeCall is an index of `values`."
        rationale: "A FreeCall clears the value's data pointer. With an index out of range, the instruction writes \
            zeros past the array."
        readers: "For an index out of range, ExecuTorch returns InvalidProgram (0x23) when it prepares the method, \
            since 1.3.0 (pytorch/executorch#18176)."
        source: "`Method::init` checks the index."
        refs: ["I-09", "pytorch/executorch#18176"]
        cwe: ["CWE-129", "CWE-787"]
    }
    INS_FREE_TYPE = "ins-free-type", Must, File, Method, "instructions" {
        "The value of a FreeCall is a Tensor."
        rationale: "Only a tensor has memory to release. If the value is not a Tensor, the instruction clears bytes \
            that are not a pointer."
        readers: "For a value of another type, ExecuTorch returns InvalidType (0x13) when the instruction runs, since \
            1.3.0. ExecuTorch does not check the type while it prepares the method."
        source: "`Method::execute_instruction` checks the type. The emitter frees only tensors whose shape has no \
            upper bound."
        refs: ["I-10", "pytorch/executorch#18803"]
        cwe: ["CWE-843"]
    }
    INS_FREE_LIVE = "ins-free-live", Should, File, Method, "instructions" {
        "The value of a FreeCall is neither a constant nor an output of its method."
        rationale: "After a FreeCall, the tensor has no data. Later runs lose the constant, and the caller receives \
            an output with a null pointer."
        readers: "Some readers do not check the rule. The method then runs, but its result has no bytes."
        source: "This project infers the rule, because the emitter frees unplanned tensors after their last use. The \
            strength is `should` because the defect does not access memory out of bounds."
    }
    INS_JUMP_COND_RANGE = "ins-jump-cond-range", Must, File, Method, "instructions" {
        "`cond_value_index` of every JumpFalseCall is an index of `values`."
        rationale: "With an index out of range, bytes past the array determine which branch runs."
        readers: "For an index out of range, ExecuTorch returns InvalidProgram (0x23) when it prepares the method, at \
            both verification levels."
        source: "`Method::init` checks the index."
        refs: ["I-06"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_JUMP_COND_TYPE = "ins-jump-cond-type", Must, File, Method, "instructions" {
        "The condition of a JumpFalseCall is a Bool, or a Tensor with `scalar_type` 11 (BOOL)."
        rationale: "Readers interpret each element of the tensor as one byte, and the condition is true if all \
            elements are true. If the scalar type is not BOOL, each byte is a part of a number."
        readers: "For a condition of another type, ExecuTorch returns InvalidProgram (0x23) when the instruction runs. \
            Since 1.0.0, ExecuTorch also returns InvalidState (0x02) for a tensor without data \
            (pytorch/executorch#12294, found by fuzzing). ExecuTorch does not check the condition while it prepares \
            the method."
        source: "The function `parse_cond_value` checks the condition."
        refs: ["I-06", "pytorch/executorch#12294"]
        cwe: ["CWE-843"]
    }
    INS_JUMP_DEST = "ins-jump-dest", Must, File, Method, "instructions" {
        "The `destination_instruction` of every JumpFalseCall is at least 0 and at most the number of instructions in \
            its chain."
        rationale: "If the destination is out of range, some readers skip the rest of the model and report success. \
            Other readers read past the end of the list."
        readers: "Some readers do not check the rule, and the effect of a destination out of range differs between \
            readers. In all readers, a destination equal to the number of instructions ends the chain."
        source: "This project infers the rule, because the number is an index of `instructions` and the emitter never \
            jumps past the end."
        refs: ["I-05"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_TERMINATION = "ins-termination", May, File, Method, "instructions" {
        "No JumpFalseCall has its own position as its destination."
        rationale: "An instruction that jumps to itself never changes its condition, so the method runs forever if \
            the condition is false. A file of a few hundred bytes can therefore stop its host."
        readers: "ExecuTorch stops `execute` after 10,000,000 instructions since 1.3.0 and returns InvalidProgram \
            (0x23, pytorch/executorch#18679). ExecuTorch's function `step` has no limit."
        source: "This project infers the rule. Valid loops also jump backwards, and values determine whether a loop \
            ends. The checker therefore reports only a jump to itself, which cannot end, and the strength is `may`."
        refs: ["I-04", "pytorch/executorch#18679"]
    }
}

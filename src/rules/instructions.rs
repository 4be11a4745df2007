//! Instructions, operators and jumps: chapter `instructions` of the book.

rules! {
    INS_NONNULL = "ins-nonnull", Must, File, Method, "instructions" {
        "Every Instruction has a type other than NONE."
        why: "An instruction without a type has no content. A reader that casts the instruction to one of the five \
            calls dereferences a null pointer."
        readers: "ExecuTorch rejects a violation at both levels when it prepares the method (0x23). The FlatBuffers \
            verifiers accept a violation."
        source: "`Method::init`. A known type without content breaks `fb-union-consistent`."
        refs: ["I-12", "F-14"]
        cwe: ["CWE-476", "CWE-843"]
    }
    INS_TYPE_KNOWN = "ins-type-known", Must, File, Method, "instructions" {
        "The type of an Instruction is at most 5 (FreeCall)."
        why: "No verifier checks the content of an unknown type. A reader that uses the content follows an unchecked \
            offset; a reader that skips the instruction runs a different program."
        readers: "ExecuTorch rejects a violation at both levels when it prepares the method (0x23)."
        source: "`Method::init`. The members of the union are KernelCall, DelegateCall, MoveCall, JumpFalseCall and \
            FreeCall, 1 to 5."
        refs: ["F-14"]
        cwe: ["CWE-843"]
    }
    INS_ARGS_NONNULL = "ins-args-nonnull", Must, File, Method, "instructions" {
        "Every KernelCall and DelegateCall has `args`, which may be empty."
        why: "The length of `args` sizes the list of arguments that a reader builds before the first run. If the \
            vector is absent, the reader dereferences a null pointer to get the length."
        readers: "ExecuTorch rejects a violation at both levels when it prepares the method (0x23)."
        source: "`Method::init`. The schema makes the field optional, and the emitter always writes it."
        refs: ["I-12"]
        cwe: ["CWE-476"]
    }
    INS_ARG_RANGE = "ins-arg-range", Must, File, Method, "instructions" {
        "Every entry of `args` of a KernelCall or DelegateCall is an index of `values`."
        why: "The reader turns each index into a pointer to a value that kernels read and write. An index out of range \
            gives a pointer past the array, to bytes with an arbitrary type."
        readers: "ExecuTorch rejects a violation when it prepares the method (0x23) since 0.2.0 (#1517), including \
            negative indices."
        source: "`gen_instruction_arguments`."
        refs: ["I-02", "pytorch/executorch#1517"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_OP_INDEX = "ins-op-index", Must, File, Method, "instructions" {
        "`op_index` of every KernelCall is at least 0 and below the number of `operators`."
        why: "The index selects the name of the kernel. If a reader finds no kernel and still makes the call, it calls \
            an uninitialized address."
        readers: "ExecuTorch compares the index when it prepares the method (0x23) since 0.2.0 (#1516). Some readers \
            do not reject a violation."
        source: "`Method::resolve_operator`. The emitter writes indices of the method's own list."
        refs: ["I-01", "pytorch/executorch#1516"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_OP_NAME = "ins-op-name", Must, File, Method, "instructions" {
        "Every Operator has a `name`; the name, a dot and a non-empty `overload` together have fewer than 100 bytes."
        why: "The full name is the key of the kernel registry. A truncated name can be the name of another operator, \
            and an absent name is a null pointer."
        readers: "ExecuTorch builds the full name for each call when it prepares the method: it returns 0x23 for an \
            absent name and 0x01 for a name that is too long. Some readers do not reject a violation."
        source: "`populate_operator_name` uses a buffer of 100 bytes with the NUL terminator. No operator of PyTorch \
            has such a long name."
        refs: ["I-13"]
        cwe: ["CWE-476"]
    }
    INS_OP_REGISTERED = "ins-op-registered", Must, Reader, Method, "instructions" {
        "A reader that has no kernel for an operator rejects the method during preparation, not at the call."
        why: "A run that stops in the middle has already changed part of its state. Before the first instruction, \
            nothing has changed."
        readers: "When ExecuTorch prepares the method, it looks up each call by name, overload, scalar types and \
            dimension orders. It reports all missing kernels at once (0x14)."
        source: "`Method::resolve_operator`. The build determines which kernels exist, so no file breaks the rule."
        refs: ["I-13"]
    }
    INS_OVERLOAD_NONNULL = "ins-overload-nonnull", Should, File, Method, "instructions" {
        "Every Operator has an `overload`, which may be empty."
        why: "Look-ups treat an absent overload as an empty overload. Other code, such as the message about a failed \
            kernel, may print the overload as a string."
        readers: "ExecuTorch treats absent and empty overloads alike when it looks up the kernel. Some readers print \
            the overload without a check for its absence."
        source: "The emitter writes an overload for every operator, which is empty if the operator has no overload. \
            The rule is a should because the method loads and runs without it."
        refs: ["I-13"]
    }
    INS_ARITY = "ins-arity", Must, File, Method, "instructions" {
        "A KernelCall of an operator of the namespace `executorch_prim` has as many `args` as the operator takes, \
            including its result."
        why: "Kernels take arguments from the list by position. A kernel reads a missing argument past the end of the \
            list, as in CVE-2025-54950."
        readers: "ExecuTorch's own kernels and its generated kernels compare the number when they run, since 1.0.0 \
            (0x23). ExecuTorch does not compare the number while it prepares the method, and other kernels may not \
            compare it either."
        source: "The kernels of `kernels/prim_ops`: 3 for operators with two operands, 2 for one operand, 4 for \
            `sym_ite.Scalar`, 3 for `et_copy_index.tensor` and `et_view.default`. The file does not contain other \
            signatures."
        refs: ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm", "I-03", "pytorch/executorch#12987"]
        cwe: ["CWE-130", "CWE-125"]
    }
    INS_ARG_TYPES = "ins-arg-types", Must, File, Method, "instructions" {
        "The `args` of a KernelCall of `executorch_prim::et_copy_index.tensor` are a destination Tensor, a source \
            Tensor and an Int, in this order."
        why: "A kernel that uses a value of the wrong type copies from or to an address that was a number. An accessor \
            that requires the type aborts the process."
        readers: "No reader compares the types before the kernel runs, and some kernels do not reject a mismatch \
            cleanly."
        source: "The kernel's signature in `kernels/prim_ops`. An advisory names this operator; the file does not \
            contain the signatures of other namespaces."
        refs: ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "K-01"]
        cwe: ["CWE-843"]
    }
    INS_KERNEL_KEY = "ins-kernel-key", Should, File, Method, "instructions" {
        "The kernel key of a KernelCall takes at most 658 bytes; it lists the scalar types and dimension orders of its \
            Tensors, as in `v1/6;0,1|6;0,1`."
        why: "Readers look up kernels by this text and build it in a buffer on the stack. A reader without a length \
            check writes past the buffer. Sixteen tensors of 16 dimensions always fit."
        readers: "ExecuTorch has a buffer of 659 bytes with the NUL terminator, and checks the length. It rejects the \
            method during preparation (0x12)."
        source: "`kKernelKeyBufSize` and `make_kernel_key_string` of `runtime/kernel`. The rule is a should because \
            the format has no such limit and official writers do not check the length; only the runtime cannot run the \
            method."
    }
    INS_COPY_INDEX_BOUND = "ins-copy-index-bound", Should, File, Method, "instructions" {
        "An Int of the file that is the index of `executorch_prim::et_copy_index.tensor` is at least 0 and below the \
            first size of the destination Tensor."
        why: "The kernel writes one slice at that index. Past the destination, the file chooses both the contents and \
            the distance of a heap write: CVE-2025-54949."
        readers: "ExecuTorch's kernel compares the end of the slice with the destination when it runs, since 0.7.0 \
            (0x12)."
        source: "`et_copy_index.cpp`. The rule is a should because the index is a loop counter: the file contains only \
            its first value, and instructions change it."
        refs: ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "K-01", "pytorch/executorch#12697", "pytorch/executorch#12827"]
    }
    INS_DELEGATE_INDEX = "ins-delegate-index", Must, File, Method, "instructions" {
        "`delegate_index` of every DelegateCall is at least 0 and below the number of `delegates`."
        why: "The index selects an object with a backend's pointers. For an index past the end of the list, the reader \
            calls through bytes that are not a delegate."
        readers: "ExecuTorch compares the index when the instruction runs (0x01), not when it prepares the method. The \
            method therefore loads and fails late."
        source: "`Method::execute_instruction`. The file contains both numbers, so a reader can reject the index when \
            it prepares the method."
        refs: ["I-11"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_MOVE_RANGE = "ins-move-range", Must, File, Method, "instructions" {
        "`move_from` and `move_to` of every MoveCall are indices of `values`."
        why: "The instruction copies one value over another. An index out of range reads or overwrites memory past the \
            array in every run."
        readers: "ExecuTorch rejects a violation when it prepares the method (0x23) since 1.3.0 (#18658)."
        source: "`Method::init`."
        refs: ["I-07", "pytorch/executorch#18658"]
        cwe: ["CWE-129", "CWE-787"]
    }
    INS_MOVE_TYPE = "ins-move-type", Should, File, Method, "instructions" {
        "The two values of a MoveCall have the same type."
        why: "Lists keep pointers to values that had the right type when the reader prepared the method. A move of an \
            Int over a Tensor of a list causes a type confusion, as in #18962."
        readers: "No reader compares the types. Since 1.3.0, ExecuTorch no longer follows such a pointer when it \
            destroys the method (#18962)."
        source: "This project infers the rule. The emitter moves between values of one type. The rule is a should \
            because types at run time depend on the path of execution, which the checker does not follow."
        refs: ["I-08", "pytorch/executorch#18962"]
    }
    INS_FREE_RANGE = "ins-free-range", Must, File, Method, "instructions" {
        "`value_index` of every FreeCall is an index of `values`."
        why: "The instruction clears the value's data pointer. An index out of range writes zeros past the array."
        readers: "ExecuTorch rejects a violation when it prepares the method (0x23) since 1.3.0 (#18176)."
        source: "`Method::init`."
        refs: ["I-09", "pytorch/executorch#18176"]
        cwe: ["CWE-129", "CWE-787"]
    }
    INS_FREE_TYPE = "ins-free-type", Must, File, Method, "instructions" {
        "The value of a FreeCall is a Tensor."
        why: "Only a tensor has memory to release. In a value of another type, the instruction clears bytes that are \
            not a pointer."
        readers: "ExecuTorch rejects a violation when the instruction runs (0x13) since 1.3.0. ExecuTorch does not \
            check the type while it prepares the method."
        source: "`Method::execute_instruction`. The emitter frees only tensors whose shape has no bound."
        refs: ["I-10", "pytorch/executorch#18803"]
        cwe: ["CWE-843"]
    }
    INS_FREE_LIVE = "ins-free-live", Should, File, Method, "instructions" {
        "The value of a FreeCall is neither a constant nor an output of its method."
        why: "The tensor has no data after the instruction. Later runs lose the constant, and the caller receives an \
            output with a null pointer."
        readers: "Some readers do not check the rule. The method runs, and its result has no bytes."
        source: "This project infers the rule: the emitter frees tensors without a plan after their last use. The rule \
            is a should because the defect does not access memory out of bounds."
    }
    INS_JUMP_COND_RANGE = "ins-jump-cond-range", Must, File, Method, "instructions" {
        "`cond_value_index` of every JumpFalseCall is an index of `values`."
        why: "With an index out of range, bytes past the array decide which branch runs."
        readers: "ExecuTorch rejects a violation at both levels when it prepares the method (0x23)."
        source: "`Method::init`."
        refs: ["I-06"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_JUMP_COND_TYPE = "ins-jump-cond-type", Must, File, Method, "instructions" {
        "The condition of a JumpFalseCall is a Bool, or a Tensor with `scalar_type` 11 (BOOL)."
        why: "Readers interpret each element of the tensor as one byte, and all elements must be true. With another \
            type, these bytes are parts of numbers."
        readers: "ExecuTorch rejects a violation when the instruction runs (0x23). Since 1.0.0 it also rejects a \
            tensor without data (0x02, #12294, found by fuzzing). ExecuTorch checks neither property while it prepares \
            the method."
        source: "`parse_cond_value`."
        refs: ["I-06", "pytorch/executorch#12294"]
        cwe: ["CWE-843"]
    }
    INS_JUMP_DEST = "ins-jump-dest", Must, File, Method, "instructions" {
        "`destination_instruction` of every JumpFalseCall is at least 0 and at most the number of the chain's \
            instructions."
        why: "Some readers treat any other number as the end of the chain: they skip the rest of the model and report \
            success. Other readers index past the list."
        readers: "Some readers do not check the rule, and readers differ in the effect of such a jump. In all readers, \
            a destination equal to the number of instructions ends the chain."
        source: "This project infers the rule: the number is an index of `instructions`, and the emitter jumps at most \
            to the end."
        refs: ["I-05"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_TERMINATION = "ins-termination", May, File, Method, "instructions" {
        "No JumpFalseCall has its own position as its destination."
        why: "The condition never changes, so the method runs forever if the condition is false. A file of a few \
            hundred bytes hangs its host."
        readers: "ExecuTorch stops `execute` after 10,000,000 instructions since 1.3.0 (0x23, #18679). Its function \
            `step` has no limit."
        source: "This project infers the rule. Valid loops also jump backwards, and whether such a loop ends depends \
            on values. The checker therefore reports only the loop that cannot end, and the rule is a may."
        refs: ["I-04", "pytorch/executorch#18679"]
    }
}

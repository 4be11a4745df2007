//! Instructions, operators and jumps (specification, section 1.12).

rules! {
    INS_NONNULL = "ins-nonnull", Must, File, Method, "instructions" {
        "Every Instruction has a type other than NONE."
        why: "It is a step that does nothing which can be named, and a reader that casts its absent content to one of \
            the five calls reads a null table."
        readers: "ExecuTorch refuses it when it prepares the method (0x23), at both levels. The FlatBuffers verifiers \
            pass it."
        source: "`Method::init`. A known type without content is `fb-union-consistent`."
        refs: ["I-12", "F-14"]
        cwe: ["CWE-476", "CWE-843"]
    }
    INS_TYPE_KNOWN = "ins-type-known", Must, File, Method, "instructions" {
        "The type of an Instruction, where it has one, is at most 5 (FreeCall)."
        why: "No verifier has looked at the content of an unknown type, so a reader that follows it trusts an \
            arbitrary offset, and one that skips it runs another program than was written."
        readers: "ExecuTorch refuses it when it prepares the method (0x23), at both levels."
        source: "`Method::init`. The union has KernelCall, DelegateCall, MoveCall, JumpFalseCall and FreeCall, 1 to 5."
        refs: ["F-14"]
        cwe: ["CWE-843"]
    }
    INS_ARGS_NONNULL = "ins-args-nonnull", Must, File, Method, "instructions" {
        "Every KernelCall and DelegateCall has `args`, which may be empty."
        why: "Its length sizes the list of arguments that a reader builds before the first run, and is read through a \
            null pointer where the vector is absent."
        readers: "ExecuTorch refuses it when it prepares the method (0x23), at both levels."
        source: "`Method::init`. The schema leaves the field optional and the emitter always writes it."
        refs: ["I-12"]
        cwe: ["CWE-476"]
    }
    INS_ARG_RANGE = "ins-arg-range", Must, File, Method, "instructions" {
        "Every entry of `args` of a KernelCall or DelegateCall is an index of `values`."
        why: "It becomes a pointer to a value that kernels read and write: behind the table, with a type that the \
            bytes there happen to give."
        readers: "ExecuTorch refuses it when it prepares the method (0x23) since 0.2.0 (#1517), negative ones included."
        source: "`gen_instruction_arguments`."
        refs: ["I-02", "pytorch/executorch#1517"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_OP_INDEX = "ins-op-index", Must, File, Method, "instructions" {
        "`op_index` of every KernelCall is at least 0 and below the number of `operators`."
        why: "The index picks the name of the function to call. A call for which none was found must never be made: \
            its address would be whatever was in memory."
        readers: "ExecuTorch compares it when it prepares the method (0x23) since 0.2.0 (#1516). Not every reader \
            refuses it."
        source: "`Method::resolve_operator`; the emitter writes indexes of the method's own list."
        refs: ["I-01", "pytorch/executorch#1516"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_OP_NAME = "ins-op-name", Must, File, Method, "instructions" {
        "Every Operator has a `name`, which with a dot and a non-empty `overload` behind it is shorter than 100 bytes."
        why: "The full name is the key into the registry of kernels. One that is cut off can be another operator's, \
            and one that is absent is a null pointer to copy from."
        readers: "ExecuTorch puts the name together for each call when it prepares the method: an absent one is 0x23, \
            one that does not fit 0x01. Not every reader refuses it."
        source: "`populate_operator_name`, whose buffer holds 100 bytes with the zero at the end. No operator of \
            PyTorch comes near."
        refs: ["I-13"]
        cwe: ["CWE-476"]
    }
    INS_OP_REGISTERED = "ins-op-registered", Must, Reader, Method, "instructions" {
        "A reader refuses to prepare a method that calls an operator for which it has no kernel, and does not wait for \
            the call."
        why: "A run that stops in the middle has written half of its state, while before the first instruction nothing \
            has happened."
        readers: "ExecuTorch looks each call up when it prepares the method, by name, overload and the arguments' \
            scalar types and orders of dimensions, and tells all that are missing at once (0x14)."
        source: "`Method::resolve_operator`. Which kernels there are is a matter of the build, so no file breaks the \
            rule."
        refs: ["I-13"]
    }
    INS_OVERLOAD_NONNULL = "ins-overload-nonnull", Should, File, Method, "instructions" {
        "Every Operator has an `overload`, which may be empty."
        why: "Look-ups take an absent one for an empty one. Other uses, as the message about a kernel that failed, may \
            print it as a string."
        readers: "ExecuTorch takes absent and empty alike when it looks the kernel up. Not every reader looks before \
            it prints."
        source: "The emitter writes an overload for every operator, empty where there is none. A should, because the \
            method loads and runs without it."
        refs: ["I-13"]
    }
    INS_ARITY = "ins-arity", Must, File, Method, "instructions" {
        "A KernelCall of an operator of the namespace `executorch_prim` has as many `args` as that operator takes, its \
            result included."
        why: "Kernels take arguments from the list by position, so one that is missing is read behind the list: \
            CVE-2025-54950."
        readers: "ExecuTorch's own and its generated kernels compare the number when they run, since 1.0.0 (0x23). \
            Preparing the method does not look, and kernels of others may not."
        source: "The kernels of `kernels/prim_ops`: 3 for the operators of two operands, 2 for those of one, 4 for \
            `sym_ite.Scalar`, 3 for `et_copy_index.tensor` and `et_view.default`. Other signatures are not in the file."
        refs: ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm", "I-03", "pytorch/executorch#12987"]
        cwe: ["CWE-130", "CWE-125"]
    }
    INS_ARG_TYPES = "ins-arg-types", Must, File, Method, "instructions" {
        "The `args` of a KernelCall of `executorch_prim::et_copy_index.tensor` name a Tensor to copy to, a Tensor to \
            copy from, and an Int."
        why: "A kernel that takes a value for what it is not copies from or to an address that was a number, or stops \
            the process in an accessor that demands the type."
        readers: "No reader compares the types before the kernel runs, and not every kernel refuses a mismatch cleanly."
        source: "The kernel's signature in `kernels/prim_ops`. It is the operator of an advisory; signatures of other \
            namespaces are not in the file."
        refs: ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "K-01"]
        cwe: ["CWE-843"]
    }
    INS_KERNEL_KEY = "ins-kernel-key", Should, File, Method, "instructions" {
        "The scalar types and dimension orders of the Tensors among the `args` of a KernelCall, written in decimal as \
            `v1/6;0,1|6;0,1`, take 658 bytes at most."
        why: "That text is what kernels are looked up by, and there is room for it on the stack: a reader that does \
            not count what it writes there writes behind the buffer, as many bytes as the file likes. Sixteen tensors \
            of 16 dimensions are the most that fit whatever their types are."
        readers: "ExecuTorch has 659 bytes, the last of them for the NUL, counts, and does not prepare the method \
            (0x12)."
        source: "`kKernelKeyBufSize` and `make_kernel_key_string` of `runtime/kernel`. A should, because the format \
            has no such limit and official writers do not look; it is the runtime that cannot run the method."
    }
    INS_COPY_INDEX_BOUND = "ins-copy-index-bound", Should, File, Method, "instructions" {
        "Where a KernelCall of `executorch_prim::et_copy_index.tensor` takes its index from an Int of the file, that \
            is at least 0 and below the first size of the tensor to copy to."
        why: "The kernel writes one slice at that position: behind the destination, that is a heap write whose \
            contents and distance the file chooses, CVE-2025-54949."
        readers: "ExecuTorch's kernel holds the end of the slice against the destination when it runs, since 0.7.0 \
            (0x12)."
        source: "`et_copy_index.cpp`. A should, because the index counts the rounds of a loop: the file holds only \
            where it begins, and instructions change it."
        refs: ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "K-01", "pytorch/executorch#12697", "pytorch/executorch#12827"]
    }
    INS_DELEGATE_INDEX = "ins-delegate-index", Must, File, Method, "instructions" {
        "`delegate_index` of every DelegateCall is at least 0 and below the number of `delegates`."
        why: "It picks an object that holds a backend's pointers: from behind the list, the call goes through bytes \
            that never were a delegate."
        readers: "ExecuTorch compares it when the instruction runs (0x01) and not when it prepares the method, so the \
            method loads and fails late."
        source: "`Method::execute_instruction`. All that it takes to see it is in the file, so it can be refused when \
            the method is prepared."
        refs: ["I-11"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_MOVE_RANGE = "ins-move-range", Must, File, Method, "instructions" {
        "`move_from` and `move_to` of every MoveCall are indexes of `values`."
        why: "The instruction copies one value over another, so an index out of range reads or overwrites memory \
            behind the table, as often as the method runs."
        readers: "ExecuTorch refuses it when it prepares the method (0x23) since 1.3.0 (#18658)."
        source: "`Method::init`."
        refs: ["I-07", "pytorch/executorch#18658"]
        cwe: ["CWE-129", "CWE-787"]
    }
    INS_MOVE_TYPE = "ins-move-type", Should, File, Method, "instructions" {
        "The two values of a MoveCall have the same type."
        why: "Lists keep references to values that were of the right type when the method was prepared: a move that \
            puts an Int where a list expects a Tensor makes the list's next user confuse the two, as in #18962."
        readers: "No reader compares the types. Since 1.3.0, ExecuTorch no longer follows such a reference when it \
            destroys the method (#18962)."
        source: "Derived. A should, because types at run time depend on the path that was taken, which is not followed \
            here; the emitter moves between values of one type."
        refs: ["I-08", "pytorch/executorch#18962"]
    }
    INS_FREE_RANGE = "ins-free-range", Must, File, Method, "instructions" {
        "`value_index` of every FreeCall is an index of `values`."
        why: "The instruction clears the data pointer of the value, so an index out of range writes zeros behind the \
            table."
        readers: "ExecuTorch refuses it when it prepares the method (0x23) since 1.3.0 (#18176)."
        source: "`Method::init`."
        refs: ["I-09", "pytorch/executorch#18176"]
        cwe: ["CWE-129", "CWE-787"]
    }
    INS_FREE_TYPE = "ins-free-type", Must, File, Method, "instructions" {
        "The value that a FreeCall names is a Tensor."
        why: "Only a tensor has memory to give back: in a value of another type, the instruction would clear what is \
            no pointer."
        readers: "ExecuTorch refuses it when the instruction runs (0x13) since 1.3.0. Preparing the method does not \
            look."
        source: "`Method::execute_instruction`. The emitter frees tensors whose shape has no bound, and nothing else."
        refs: ["I-10", "pytorch/executorch#18803"]
        cwe: ["CWE-843"]
    }
    INS_FREE_LIVE = "ins-free-live", Should, File, Method, "instructions" {
        "A FreeCall names neither a constant nor an output of its method."
        why: "The tensor has no data afterwards: a constant is gone for every later run, and the caller is handed an output \
            that points nowhere."
        readers: "Not every reader looks: the method runs, and its result has no bytes."
        source: "Derived from what FreeCall is for: the emitter frees tensors without a plan once their last use is behind. A \
            should, since nothing is read or written that is not there."
    }
    INS_JUMP_COND_RANGE = "ins-jump-cond-range", Must, File, Method, "instructions" {
        "`cond_value_index` of every JumpFalseCall is an index of `values`."
        why: "Which branch runs is then decided by bytes behind the table of values."
        readers: "ExecuTorch refuses it when it prepares the method (0x23), at both levels."
        source: "`Method::init`."
        refs: ["I-06"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_JUMP_COND_TYPE = "ins-jump-cond-type", Must, File, Method, "instructions" {
        "The condition of a JumpFalseCall is a Bool, or a Tensor whose `scalar_type` is 11 (BOOL)."
        why: "The elements of a tensor are read as one byte each and all have to be true: of another type, these are \
            parts of its numbers."
        readers: "ExecuTorch refuses it when the instruction runs (0x23), and a tensor without data with 0x02 since \
            1.0.0 (#12294, found by fuzzing). Preparing the method does not look."
        source: "`parse_cond_value`."
        refs: ["I-06", "pytorch/executorch#12294"]
        cwe: ["CWE-843"]
    }
    INS_JUMP_DEST = "ins-jump-dest", Must, File, Method, "instructions" {
        "`destination_instruction` of every JumpFalseCall is at least 0 and at most the number of the chain's \
            instructions."
        why: "A reader that takes any other number for the end of the chain leaves out the rest of the model and \
            reports success, with outputs that nothing has computed; one that does not take it so indexes out of the \
            list."
        readers: "Not every reader looks, and readers differ in what such a jump does. A destination equal to the \
            number ends the chain in all."
        source: "Derived: the number is an index of `instructions`, and the emitter jumps to the end at most."
        refs: ["I-05"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_TERMINATION = "ins-termination", May, File, Method, "instructions" {
        "No JumpFalseCall has its own position as its destination."
        why: "Nothing changes its condition in between, so once that is false the method never ends: a file of a few \
            hundred bytes hangs its host."
        readers: "ExecuTorch stops a run after 10,000,000 instructions since 1.3.0 (0x23, #18679). Stepping through a \
            method has no limit."
        source: "Derived. Right loops jump backwards too, and whether they end depends on values, so only the loop \
            that cannot end is told, and as a note."
        refs: ["I-04", "pytorch/executorch#18679"]
    }
}

//! Rules about instructions, operators and jumps (chapter `instructions` of the book).

rules! {
    INS_NONNULL = "ins-nonnull", Must, Loader, File, Method, "instructions" {
        "An Instruction MUST NOT have the type NONE."
        rationale: "An instruction of type NONE has no content, so a reader that treats it as a call dereferences \
            null. ExecuTorch returns InvalidProgram (0x23) when it prepares the method, at both verification levels; \
            FlatBuffers verifiers accept it."
        source: "`Method::init` checks the type. A known type without content breaks `fb-union-consistent` instead."
        refs: ["I-12", "F-14"]
        cwe: ["CWE-476", "CWE-843"]
    }
    INS_TYPE_KNOWN = "ins-type-known", Must, Loader, File, Method, "instructions" {
        "The type of an Instruction MUST be at most 5 (FreeCall)."
        rationale: "No verifier checks the content of an unknown type such as 6. A reader that uses the content \
            follows an unchecked offset, and a reader that skips the instruction runs a different program. ExecuTorch \
            returns InvalidProgram (0x23) when it prepares the method, at both verification levels."
        source: "`Method::init` checks the type: KernelCall (1), DelegateCall (2), MoveCall (3), JumpFalseCall (4) or \
            FreeCall (5)."
        refs: ["F-14"]
        cwe: ["CWE-843"]
    }
    INS_ARGS_NONNULL = "ins-args-nonnull", Must, Loader, File, Method, "instructions" {
        "Every KernelCall and every DelegateCall MUST have `args`, which may be empty."
        rationale: "A reader allocates the argument list before the first run and takes its length from `args`, so if \
            `args` is absent, it dereferences null. ExecuTorch returns InvalidProgram (0x23) when it prepares the \
            method, at both verification levels."
        source: "`Method::init` checks for `args`. `schema/program.fbs` makes it optional, but the emitter always \
            writes it."
        refs: ["I-12"]
        cwe: ["CWE-476"]
    }
    INS_ARG_RANGE = "ins-arg-range", Must, Loader, File, Method, "instructions" {
        "Every entry in a KernelCall's or DelegateCall's `args` MUST be an index into `values`."
        rationale: "Each index becomes a pointer that kernels read and write, so an index out of range leads to \
            arbitrary bytes past the values. ExecuTorch 0.2.0 and later return InvalidProgram (0x23) when they prepare \
            the method, also for negative indices (pytorch/executorch#1517)."
        source: "`gen_instruction_arguments` checks the indices."
        refs: ["I-02", "pytorch/executorch#1517"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_OP_INDEX = "ins-op-index", Must, Loader, File, Method, "instructions" {
        "Every KernelCall's `op_index` MUST be at least 0 and below the number of `operators`."
        rationale: "The index selects the name that is resolved to a kernel, and calling an unresolved kernel jumps to \
            an uninitialized address. ExecuTorch 0.2.0 and later return InvalidProgram (0x23) when they prepare the \
            method (pytorch/executorch#1516)."
        source: "`Method::resolve_operator` compares the index with the length of the method's own list."
        refs: ["I-01", "pytorch/executorch#1516"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_OP_NAME = "ins-op-name", Must, Loader, File, Method, "instructions" {
        "Every called Operator MUST have a `name`; the full name (`NAME`, or `NAME.OVERLOAD` for a non-empty overload) \
            MUST have fewer than 100 bytes."
        rationale: "The full name is the key in the kernel registry, and a truncated name may be the name of another \
            operator. ExecuTorch builds the full name when it prepares the method, and returns InvalidProgram (0x23) \
            if the name is absent and Internal (0x01) if it is too long."
        source: "`populate_operator_name` has a buffer of 100 bytes, including the NUL terminator, and the names of \
            all PyTorch operators fit. For operators that no KernelCall calls, see `ins-op-name-uncalled`."
        refs: ["I-13"]
        cwe: ["CWE-476"]
    }
    INS_OP_NAME_UNCALLED = "ins-op-name-uncalled", Should, Writer, File, Method, "instructions" {
        "Every Operator that no KernelCall calls SHOULD have a `name`, and its full name SHOULD have fewer than 100 \
            bytes."
        rationale: "Tools that list operators read all names, so an absent name makes them dereference null. \
            ExecuTorch reads only the names of operators that a KernelCall calls, so it accepts the method."
        source: "The emitter adds an operator to the list when it writes the operator's first call."
        refs: ["I-13"]
    }
    INS_OP_REGISTERED = "ins-op-registered", Must, Loader, Reader, Method, "instructions" {
        "A reader that has no kernel for an operator MUST reject the method during preparation, not when it executes \
            the call."
        rationale: "If the reader rejects the method in the middle of a run, earlier instructions have already changed \
            values. ExecuTorch looks up each call's name, overload, scalar types and dimension orders when it prepares \
            the method, logs all missing kernels, and returns OperatorMissing (0x14)."
        source: "`Method::resolve_operator` looks up the kernels. Kernels differ by build, so no file breaks the rule."
        refs: ["I-13"]
    }
    INS_OVERLOAD_NONNULL = "ins-overload-nonnull", Should, Writer, File, Method, "instructions" {
        "Every Operator SHOULD have an `overload`, which may be empty."
        rationale: "The kernel lookup treats an absent overload as empty, so the method runs. But code that prints the \
            overload, for example in the message about a missing kernel, can dereference null."
        source: "The emitter writes an overload for every operator: an empty string if the operator has none."
        refs: ["I-13"]
    }
    INS_ARITY = "ins-arity", Must, Loader, File, Execute, "instructions" {
        "A KernelCall of one of the runtime's own operators MUST have one entry in `args` for each parameter of the \
            operator, including the result."
        rationale: "Kernels access arguments by position, so if one is missing, they read it from past the end of the \
            list (CVE-2025-54950). Since 1.0.0, ExecuTorch's own and generated kernels return InvalidProgram (0x23) \
            when they run. Nothing checks the number earlier, and other projects' kernels may not check it at all."
        source: "The runtime's own operators are in `kernels/prim_ops`: the `executorch_prim` namespace, \
            `aten::sym_size.int`, `aten::sym_numel` and `aten::_local_scalar_dense`. Files do not contain the \
            signatures of other operators."
        refs: ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm", "I-03", "pytorch/executorch#12987"]
        cwe: ["CWE-130", "CWE-125"]
    }
    INS_ARG_TYPES = "ins-arg-types", Must, Policy, File, Execute, "instructions" {
        "Each argument of one of the runtime's own operators MUST have a type that the operator's parameter accepts."
        rationale: "A kernel that uses an Int as a Tensor copies from or to an arbitrary address, and a kernel that \
            asserts the type aborts the process. Nothing checks types before the kernel runs. ExecuTorch's arithmetic \
            operators with the `Scalar` overload return InvalidType (0x13)."
        source: "See `kernels/prim_ops`: `et_copy_index` takes two Tensors and an Int; `et_view` takes a Tensor, an \
            IntList and a Tensor. `int` overloads take Ints, and `Scalar` overloads take numbers; comparisons also \
            accept two Bools. Other operators take a Tensor."
        refs: ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "K-01"]
        cwe: ["CWE-843"]
    }
    INS_ARG_VALUES = "ins-arg-values", Should, Policy, File, Execute, "instructions" {
        "A call of one of the runtime's own operators SHOULD have a defined result, as far as the file determines the \
            arguments."
        rationale: "A division by 0 can stop the process, a dimension out of range makes a kernel read unrelated \
            memory, and a slice copy can write past its tensor (CVE-2025-54949). If a view does not fit its tensor, \
            ExecuTorch returns InvalidArgument (0x12) or Internal (0x01); releases up to 0.5 abort."
        source: "See `kernels/prim_ops`. `et_view` needs equal element types, and as many elements as its tensor has, \
            within the result's bound; one size may be -1. `et_copy_index` needs equal element types, and equal sizes \
            after the first dimension. `_local_scalar_dense` takes FLOAT, DOUBLE, BOOL and integers of at most 64 \
            bits. `check` follows values through integer operators, views and MoveCalls, but a jump can skip the call."
        refs: [
            "pytorch/executorch#9130", "pytorch/executorch#9264", "pytorch/executorch#4471", "pytorch/executorch#7748",
            "CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "K-01",
        ]
        cwe: ["CWE-369", "CWE-131"]
    }
    INS_ARG_DATA = "ins-arg-data", Should, Policy, File, Execute, "instructions" {
        "If a Tensor argument of a KernelCall or DelegateCall has elements, the Tensor SHOULD also have data."
        rationale: "If there is no data, the tensor's pointer is null. No reader checks every argument's pointer, and \
            most kernels do not check their pointers either (pytorch/executorch#19269)."
        source: "Data comes from the file, planned memory, an earlier view or MoveCall, or the caller (inputs, \
            outputs, named tensors). `sym_size` and `sym_numel` need no data, tensors without an upper bound are \
            exempt, and a jump can skip the call."
        refs: ["pytorch/executorch#19269"]
        cwe: ["CWE-476"]
    }
    INS_CONST_WRITE = "ins-const-write", Should, Policy, File, Execute, "instructions" {
        "An instruction SHOULD NOT write to a constant's data, directly or through a view or a MoveCall."
        rationale: "If the memory is read-only, the write stops the process; otherwise, it changes the weights for \
            every later run. ExecuTorch crashes if its loader maps the file, and keeps the change if the loader reads \
            the file into memory. No reader compares destinations with constants."
        source: "Exporters have broken the rule by emitting a mutable buffer as a constant. For operators outside the \
            runtime's library, `check` treats the last argument as the result, as exporters do, but a jump can skip \
            the instruction."
        refs: ["pytorch/executorch#7779", "pytorch/executorch#11990"]
        cwe: ["CWE-471"]
    }
    INS_KERNEL_KEY = "ins-kernel-key", Must, Loader, File, Method, "instructions" {
        "A KernelCall's kernel key, made from its Tensors' scalar types and dimension orders, MUST have at most 658 \
            bytes."
        rationale: "Readers build keys such as `v1/6;0,1|6;0,1` on the stack, and if they do not check the length, \
            they write past the buffer. A call with sixteen tensors of 16 dimensions always fits. ExecuTorch 0.6.0 and \
            later return InvalidArgument (0x12) when they prepare the method."
        source: "`kKernelKeyBufSize` in ExecuTorch's `runtime/kernel` is 659, including the NUL terminator, and \
            `make_kernel_key_string` checks it."
        cwe: ["CWE-787"]
    }
    INS_COPY_INDEX_BOUND = "ins-copy-index-bound", Should, Loader, File, Execute, "instructions" {
        "If the index argument of `executorch_prim::et_copy_index.tensor` is an Int in the file, it SHOULD be at least \
            0 and below the destination's first size."
        rationale: "The kernel writes one slice of the destination at this index, so if it is past the end, the file \
            controls the position and content of a heap write (CVE-2025-54949). Since 0.7.0, the kernel returns \
            InvalidArgument (0x12) when it runs."
        source: "ExecuTorch's `et_copy_index.cpp` checks the slice's end. In exported models, the index is a loop \
            counter, and the file contains only its initial value."
        refs: ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "K-01", "pytorch/executorch#12697", "pytorch/executorch#12827"]
    }
    INS_DELEGATE_INDEX = "ins-delegate-index", Must, Loader, File, Execute, "instructions" {
        "Every DelegateCall's `delegate_index` MUST be at least 0 and below the number of `delegates`."
        rationale: "The index selects an object with pointers to a backend's functions, so an index past the end makes \
            a reader call an arbitrary address. ExecuTorch returns Internal (0x01) only when the instruction runs, but \
            a reader can check the index when it prepares the method."
        source: "`Method::execute_instruction` checks the index."
        refs: ["I-11"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_MOVE_RANGE = "ins-move-range", Must, Loader, File, Method, "instructions" {
        "Every MoveCall's `move_from` and `move_to` MUST be indices into `values`."
        rationale: "A MoveCall copies one value over another, so if an index is out of range, it reads or overwrites \
            memory past the values. ExecuTorch 1.3.0 and later return InvalidProgram (0x23) when they prepare the \
            method (pytorch/executorch#18658)."
        source: "`Method::init` checks both indices."
        refs: ["I-07", "pytorch/executorch#18658"]
        cwe: ["CWE-129", "CWE-787"]
    }
    INS_MOVE_TYPE = "ins-move-type", Should, Writer, File, Execute, "instructions" {
        "The two values of a MoveCall SHOULD have the same type."
        rationale: "Lists point to values whose types are checked only when the method is prepared. If a MoveCall \
            replaces a list's Tensor with an Int, kernels use the number as a tensor (pytorch/executorch#18962). Since \
            1.3.0, ExecuTorch at least no longer uses the number as a pointer when it destroys the method."
        source: "The emitter moves only between values of one type. At run time, types depend on earlier instructions, \
            which `check` does not simulate."
        refs: ["I-08", "pytorch/executorch#18962"]
    }
    INS_FREE_RANGE = "ins-free-range", Must, Loader, File, Method, "instructions" {
        "Every FreeCall's `value_index` MUST be an index into `values`."
        rationale: "A FreeCall clears the value's data pointer, so if the index is out of range, it writes zeros past \
            the values. ExecuTorch 1.3.0 and later return InvalidProgram (0x23) when they prepare the method \
            (pytorch/executorch#18176)."
        source: "`Method::init` checks the index."
        refs: ["I-09", "pytorch/executorch#18176"]
        cwe: ["CWE-129", "CWE-787"]
    }
    INS_FREE_TYPE = "ins-free-type", Must, Loader, File, Execute, "instructions" {
        "A FreeCall's value MUST be a Tensor."
        rationale: "Other values have no memory to release, and freeing such a value clears bytes that are not a data \
            pointer. ExecuTorch 1.3.0 and later return InvalidType (0x13) when the instruction runs, but do not check \
            the type when they prepare the method."
        source: "`Method::execute_instruction` checks the type. The emitter frees only tensors without an upper bound."
        refs: ["I-10", "pytorch/executorch#18803"]
        cwe: ["CWE-843"]
    }
    INS_FREE_LIVE = "ins-free-live", Should, Writer, File, Execute, "instructions" {
        "A FreeCall SHOULD NOT free a constant, an input, an output, an argument of a later instruction, or a planned \
            tensor that an instruction uses."
        rationale: "A FreeCall sets the data pointer to null. Planned memory is assigned only once, before the first \
            run, so later instructions, later runs and a caller that reads a freed output all find null."
        source: "The emitter frees unplanned tensors after their last use. `check` compares later instructions only in \
            methods without jumps, and does not look inside lists."
    }
    INS_JUMP_COND_RANGE = "ins-jump-cond-range", Must, Loader, File, Method, "instructions" {
        "Every JumpFalseCall's `cond_value_index` MUST be an index into `values`."
        rationale: "If the index is out of range, bytes past the values decide the branch. ExecuTorch returns \
            InvalidProgram (0x23) when it prepares the method, at both verification levels."
        source: "`Method::init` checks the index."
        refs: ["I-06"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_JUMP_COND_TYPE = "ins-jump-cond-type", Must, Loader, File, Execute, "instructions" {
        "A JumpFalseCall's condition MUST be a Bool, or a Tensor with `scalar_type` 11 (BOOL)."
        rationale: "Each element of the Tensor is read as one byte, and the condition is true if all elements are \
            true. The bytes of a float are not truth values. ExecuTorch returns InvalidProgram (0x23) when the \
            instruction runs, but does not check the type when it prepares the method."
        source: "`parse_cond_value` checks the condition."
        refs: ["I-06", "pytorch/executorch#12294"]
        cwe: ["CWE-843"]
    }
    INS_JUMP_COND_DATA = "ins-jump-cond-data", Must, Loader, File, Execute, "instructions" {
        "If a JumpFalseCall's condition is a Tensor with elements, the Tensor MUST have data."
        rationale: "Every element is read, so if the data pointer is null, the reader dereferences it. ExecuTorch \
            1.0.0 and later return InvalidState (0x02) when the instruction runs (pytorch/executorch#12294)."
        source: "`parse_cond_value` checks the pointer. Data comes from the file, planned memory, an instruction or \
            the caller (inputs, outputs, named tensors)."
        refs: ["I-06", "pytorch/executorch#12294"]
        cwe: ["CWE-476"]
    }
    INS_JUMP_DEST = "ins-jump-dest", Must, Policy, File, Execute, "instructions" {
        "Every JumpFalseCall's `destination_instruction` MUST be at least 0 and at most the number of instructions in \
            its chain."
        rationale: "If the destination is past the end, some readers skip the remaining instructions and report \
            success, and others read past the list. All readers agree that a jump to the position right after the last \
            instruction ends the chain."
        source: "The destination is an index into `instructions`, and the emitter never jumps past the end."
        refs: ["I-05"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_TERMINATION = "ins-termination", May, Policy, File, Execute, "instructions" {
        "A reader MAY reject a JumpFalseCall that jumps to itself."
        rationale: "Such a jump never changes its condition, so a file of a few hundred bytes can block a host \
            forever. ExecuTorch 1.3.0 and later stop `execute` after 10,000,000 instructions with InvalidProgram \
            (0x23; pytorch/executorch#18679), but `step` has no limit."
        source: "Valid loops also jump backward, and only running them shows whether they end, so `check` reports only \
            an instruction that jumps to itself."
        refs: ["I-04", "pytorch/executorch#18679"]
    }
}

//! Rules about instructions, operators and jumps (chapter `instructions` of the book).

rules! {
    INS_NONNULL = "ins-nonnull", Must, Loader, File, Method, "instructions" {
        "No Instruction has the type NONE."
        rationale: "An instruction of type NONE has no content. A careless reader uses the absent content as a call, \
            and dereferences a null pointer."
        readers: "When ExecuTorch prepares the method, it returns InvalidProgram (0x23) for an instruction of type \
            NONE, at both verification levels. The FlatBuffers verifiers accept the type NONE."
        source: "`Method::init` checks the type. An instruction that has a known type but no content breaks the rule \
            `fb-union-consistent`."
        refs: ["I-12", "F-14"]
        cwe: ["CWE-476", "CWE-843"]
    }
    INS_TYPE_KNOWN = "ins-type-known", Must, Loader, File, Method, "instructions" {
        "The type of an Instruction is at most 5 (FreeCall)."
        rationale: "No verifier checks the content of an instruction of an unknown type. A reader that uses the \
            unchecked content follows an unchecked offset. A reader that skips the instruction runs a different \
            program."
        readers: "When ExecuTorch prepares the method, it returns InvalidProgram (0x23) for an unknown type, at both \
            verification levels."
        source: "`Method::init` checks the type. The union has five members: KernelCall (1), DelegateCall (2), \
            MoveCall (3), JumpFalseCall (4) and FreeCall (5)."
        refs: ["F-14"]
        cwe: ["CWE-843"]
    }
    INS_ARGS_NONNULL = "ins-args-nonnull", Must, Loader, File, Method, "instructions" {
        "Every KernelCall and every DelegateCall has `args`, and `args` may be empty."
        rationale: "Before the first run, a reader reads the length of `args` to allocate an argument list. If `args` \
            is absent, a careless reader dereferences a null pointer."
        readers: "When ExecuTorch prepares the method, it returns InvalidProgram (0x23) if `args` is absent, at both \
            verification levels."
        source: "`Method::init` checks the field. ExecuTorch's `schema/program.fbs` makes `args` optional, but the \
            emitter always writes `args`."
        refs: ["I-12"]
        cwe: ["CWE-476"]
    }
    INS_ARG_RANGE = "ins-arg-range", Must, Loader, File, Method, "instructions" {
        "Every entry of `args` of a KernelCall or DelegateCall is an index of `values`."
        rationale: "The reader converts each index to a pointer to a value that kernels read and write. For an index \
            out of range, a careless reader computes a pointer to arbitrary bytes past the array of values."
        readers: "When ExecuTorch 0.2.0 and later prepare the method, they return InvalidProgram (0x23) for an index \
            out of range (pytorch/executorch#1517). This error also occurs for negative indices."
        source: "`gen_instruction_arguments` checks the indices."
        refs: ["I-02", "pytorch/executorch#1517"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_OP_INDEX = "ins-op-index", Must, Loader, File, Method, "instructions" {
        "`op_index` of every KernelCall is at least 0 and below the number of `operators`."
        rationale: "The index selects the operator whose name the reader resolves to a kernel. A reader that calls an \
            unresolved kernel jumps to an uninitialized address."
        readers: "When ExecuTorch 0.2.0 and later prepare the method, they return InvalidProgram (0x23) for an index \
            out of range (pytorch/executorch#1516). Some readers do not reject an index out of range."
        source: "`Method::resolve_operator` checks the index. The emitter writes indices into the method's own list of \
            operators."
        refs: ["I-01", "pytorch/executorch#1516"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_OP_NAME = "ins-op-name", Must, Loader, File, Method, "instructions" {
        "Every called Operator has a `name`; the full name (`NAME`, or `NAME.OVERLOAD` for a non-empty overload) has \
            fewer than 100 bytes."
        rationale: "The full name (name, dot and overload) is the operator's key in the kernel registry. If a reader \
            truncates the full name, the result can be the name of a different operator. If the name is absent, a \
            careless reader dereferences a null pointer."
        readers: "ExecuTorch builds the full name of each call when it prepares the method. ExecuTorch returns \
            InvalidProgram (0x23) for an absent name, and Internal (0x01) for a name that is too long. Some readers do \
            not check the rule."
        source: "`populate_operator_name` uses a buffer of 100 bytes, which includes the NUL terminator. The full \
            names of all PyTorch operators fit into these 100 bytes. The rule `ins-op-name-uncalled` covers operators \
            that no call uses."
        refs: ["I-13"]
        cwe: ["CWE-476"]
    }
    INS_OP_NAME_UNCALLED = "ins-op-name-uncalled", Should, Writer, File, Method, "instructions" {
        "Every Operator that no KernelCall calls has a `name`; the name, a dot and a non-empty `overload` together \
            have fewer than 100 bytes."
        rationale: "Tools that list operators read the names of all operators. If a name is absent, a careless tool \
            dereferences a null pointer."
        readers: "ExecuTorch reads only the names of operators that a KernelCall calls, so it accepts the method."
        source: "The emitter adds an operator to the list when it writes the first call of the operator. The rule's \
            strength is `should` because the runtime looks up an operator only for a call."
        refs: ["I-13"]
    }
    INS_OP_REGISTERED = "ins-op-registered", Must, Loader, Reader, Method, "instructions" {
        "A reader that has no kernel for an operator rejects the method during preparation, not when it executes the \
            call."
        rationale: "If a run stops because a kernel is missing, earlier instructions have already changed values. If a \
            reader rejects the method before the first instruction, all values are unchanged."
        readers: "When ExecuTorch prepares the method, it looks up the kernel of each call by operator name, overload, \
            scalar types and dimension orders. ExecuTorch logs all missing kernels and then returns OperatorMissing \
            (0x14)."
        source: "`Method::resolve_operator` looks up the kernels. The set of kernels differs between builds, so no \
            file breaks the rule."
        refs: ["I-13"]
    }
    INS_OVERLOAD_NONNULL = "ins-overload-nonnull", Should, Writer, File, Method, "instructions" {
        "Every Operator has an `overload`, which may be empty."
        rationale: "When readers look up a kernel, they treat an absent overload as an empty overload. Code that \
            prints the overload, for example in an error message about a kernel, can dereference a null pointer."
        readers: "When ExecuTorch looks up the kernel, it treats an absent overload as an empty overload. Some readers \
            do not check that the overload is present before they print it."
        source: "The emitter writes an overload for every operator, and writes an empty string if the operator has no \
            overload. The rule's strength is `should` because the method loads and runs without an overload."
        refs: ["I-13"]
    }
    INS_ARITY = "ins-arity", Must, Loader, File, Execute, "instructions" {
        "A KernelCall of an operator that the runtime's own library registers has one entry of `args` for each \
            parameter of the operator, including the result."
        rationale: "Kernels read arguments from the list by position. If an argument is missing, a careless kernel \
            reads past the end of the list, as in CVE-2025-54950."
        readers: "In ExecuTorch 1.0.0 and later, ExecuTorch's own kernels and generated kernels check the number of \
            arguments when they run, and return InvalidProgram (0x23). ExecuTorch does not check the number of \
            arguments while it prepares the method, and kernels of other projects can omit the check."
        source: "The kernels in `kernels/prim_ops` determine the number of arguments. The operators of these kernels \
            are in the namespace `executorch_prim`, except `aten::sym_size.int`, `aten::sym_numel` and \
            `aten::_local_scalar_dense`. The runtime looks up `NAME`, or `NAME.OVERLOAD` if the overload is not empty. \
            The rule does not cover other operators, because a file does not contain their signatures."
        refs: ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm", "I-03", "pytorch/executorch#12987"]
        cwe: ["CWE-130", "CWE-125"]
    }
    INS_ARG_TYPES = "ins-arg-types", Must, Policy, File, Execute, "instructions" {
        "Each argument of an operator that the runtime's own library registers has a type that the operator's \
            parameter accepts."
        rationale: "If a kernel treats a value of another type as a Tensor, the kernel copies from or to an arbitrary \
            address. A kernel that checks the type with an assertion aborts the process."
        readers: "No reader compares the types before the kernel runs. For a value of another type, ExecuTorch's \
            arithmetic operators with the overload `Scalar` return InvalidType (0x13). Some kernels abort instead of \
            returning an error."
        source: "The kernels in `kernels/prim_ops` define the types. `et_copy_index` accepts two Tensors and an Int, \
            and `et_view` accepts a Tensor, an IntList and a Tensor. `sym_size`, `sym_numel` and `_local_scalar_dense` \
            accept a Tensor. Operators with the overload `int` accept Ints, and operators with the overload `Scalar` \
            accept numbers. A comparison accepts two numbers or two Bools. CVE-2025-54949 describes a defect of the \
            kernel of `et_copy_index`."
        refs: ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "K-01"]
        cwe: ["CWE-843"]
    }
    INS_ARG_VALUES = "ins-arg-values", Should, Policy, File, Execute, "instructions" {
        "An operator that the runtime's own library registers has a defined result for the arguments that the file \
            decides."
        rationale: "In C++, an integer division by 0 and the division of the smallest integer by -1 are undefined \
            behavior and can stop the process. If a dimension argument is out of range, a kernel reads memory outside \
            the list of sizes. A view or a slice copy whose sizes or element types do not match fails in every run or \
            stops the process. In CVE-2025-54949, a slice copy writes past the end of its tensor."
        readers: "Some kernels do not check their arguments. For a view that does not match its tensors, ExecuTorch \
            returns InvalidArgument (0x12), or Internal (0x01) if the result cannot have its sizes. Releases up to \
            0.5 abort. ExecuTorch's kernel of `et_copy_index` compares ranks and sizes but not element types. Since \
            the commit 47aca69125, its kernel of `_local_scalar_dense` rejects a tensor without elements."
        source: "The kernels are in `kernels/prim_ops`. `et_view` needs equal element types, one size for each \
            dimension of the result, and as many elements as its tensor has, within the result's bound. One size may \
            be -1 if the product of the others divides the number of elements. `et_copy_index` needs equal element \
            types, a source with the destination's dimensions except the first, and a destination whose first size \
            can change. `_local_scalar_dense` accepts integers of at most 64 bits, FLOAT, DOUBLE and BOOL. The \
            checker follows values through integer operators, views and MoveCalls. It ignores what the caller, a \
            jump or another operator can change. A jump can skip the KernelCall, hence `should`."
        refs: [
            "pytorch/executorch#9130", "pytorch/executorch#9264", "pytorch/executorch#4471", "pytorch/executorch#7748",
            "CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "K-01",
        ]
        cwe: ["CWE-369", "CWE-131"]
    }
    INS_ARG_DATA = "ins-arg-data", Should, Policy, File, Execute, "instructions" {
        "If a Tensor argument of a KernelCall or DelegateCall has elements, the Tensor also has data."
        rationale: "A tensor without data has a null pointer. A kernel that does not check the pointer dereferences a \
            null pointer."
        readers: "No reader checks the pointers of all arguments, and most kernels do not check theirs \
            (pytorch/executorch#19269)."
        source: "A Tensor gets its data from the file, from planned memory, from the tensor of an earlier view or \
            MoveCall, or from the caller. The caller sets the data of inputs, and can set the data of outputs and of \
            named tensors. `sym_size` and `sym_numel` need no data. The rule does not cover tensors without an upper \
            bound, which exporters emit without memory. A jump can skip the call, hence `should`."
        refs: ["pytorch/executorch#19269"]
        cwe: ["CWE-476"]
    }
    INS_CONST_WRITE = "ins-const-write", Should, Policy, File, Execute, "instructions" {
        "No instruction writes to the data of a constant, directly or through a view or a MoveCall."
        rationale: "Readers map constants into read-only memory or share them between runs and methods. A write \
            therefore stops the process with a memory fault, or it changes the weights for every later run."
        readers: "No reader compares the destinations of calls with the constants. ExecuTorch over a loader that maps \
            the file stops with a memory fault. Over a loader that reads the file, the changed constant stays."
        source: "As in `plan-inputs-nonconst` and `const-immutable`, only the exporter decides what a constant is. \
            Exporters broke the rule when they emitted a mutable buffer as a constant. The checker knows the \
            destinations of the runtime's own operators. For other operators, it uses the convention of exporters: \
            the last argument is the result, which for `.out` and in-place operators is also another argument. A \
            jump can skip the instruction, hence `should`."
        refs: ["pytorch/executorch#7779", "pytorch/executorch#11990"]
        cwe: ["CWE-471"]
    }
    INS_KERNEL_KEY = "ins-kernel-key", Must, Loader, File, Method, "instructions" {
        "The kernel key of a KernelCall, made from the scalar types and dimension orders of its Tensors, has at most \
            658 bytes."
        rationale: "Readers look up kernels by a key such as `v1/6;0,1|6;0,1`, and build the key in a buffer on the \
            stack. A reader without a length check writes past the buffer. A key for sixteen tensors of 16 dimensions \
            always has at most 658 bytes."
        readers: "ExecuTorch builds the key in a buffer of 659 bytes, which includes the NUL terminator, and checks \
            the length. When ExecuTorch 0.6.0 and later prepare the method, they return InvalidArgument (0x12) if the \
            key is too long."
        source: "ExecuTorch's `runtime/kernel` defines `kKernelKeyBufSize` and `make_kernel_key_string`. The rule's \
            strength is `must` because no release since 0.6.0 prepares a method with a longer key."
        cwe: ["CWE-787"]
    }
    INS_COPY_INDEX_BOUND = "ins-copy-index-bound", Should, Loader, File, Execute, "instructions" {
        "If a file stores the index argument of `executorch_prim::et_copy_index.tensor` as an Int, the Int is at least \
            0 and below the destination's first size."
        rationale: "The kernel of `et_copy_index` writes one slice of the destination at the index. With an index past \
            the destination, a file controls the position and the content of a heap write, as in CVE-2025-54949."
        readers: "In ExecuTorch 0.7.0 and later, the kernel compares the end of the slice with the destination when it \
            runs, and returns InvalidArgument (0x12)."
        source: "ExecuTorch's `et_copy_index.cpp` compares the end of the slice with the destination. In exported \
            models, the index is a loop counter. The file contains only the counter's first value, and instructions \
            change the counter during the run, so the rule's strength is `should`."
        refs: ["CVE-2025-54949", "GHSA-9m39-3mf3-xwch", "K-01", "pytorch/executorch#12697", "pytorch/executorch#12827"]
    }
    INS_DELEGATE_INDEX = "ins-delegate-index", Must, Loader, File, Execute, "instructions" {
        "`delegate_index` of every DelegateCall is at least 0 and below the number of `delegates`."
        rationale: "The index selects a delegate object, which contains pointers to functions of a backend. With an \
            index past the end of `delegates`, a careless reader calls a function at an arbitrary address."
        readers: "ExecuTorch checks the index only when the instruction runs, and returns Internal (0x01) for an index \
            out of range. A method with a wrong `delegate_index` therefore loads, but fails during the run."
        source: "`Method::execute_instruction` compares the index with the number of delegates. The file contains the \
            index and the list of delegates, so a reader can compare them when it prepares the method."
        refs: ["I-11"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_MOVE_RANGE = "ins-move-range", Must, Loader, File, Method, "instructions" {
        "`move_from` and `move_to` of every MoveCall are indices of `values`."
        rationale: "A MoveCall copies one value over another value. With an index out of range, a careless reader \
            reads or overwrites memory past the array of values."
        readers: "When ExecuTorch 1.3.0 and later prepare the method, they return InvalidProgram (0x23) for an index \
            out of range (pytorch/executorch#18658)."
        source: "`Method::init` checks both indices."
        refs: ["I-07", "pytorch/executorch#18658"]
        cwe: ["CWE-129", "CWE-787"]
    }
    INS_MOVE_TYPE = "ins-move-type", Should, Writer, File, Execute, "instructions" {
        "The two values of a MoveCall have the same type."
        rationale: "A list contains pointers to values, and readers check the types of these values only when they \
            prepare the method. If a MoveCall overwrites a Tensor of a list with an Int, kernels interpret the Int as \
            a Tensor (pytorch/executorch#18962)."
        readers: "No reader compares the types of the source and the destination. ExecuTorch 1.3.0 and later no longer \
            follow a list's pointer when they destroy the method (pytorch/executorch#18962)."
        source: "The emitter writes MoveCalls only between values of one type. At run time, a value's type depends on \
            earlier instructions, and the checker does not simulate a run. The rule's strength is therefore `should`."
        refs: ["I-08", "pytorch/executorch#18962"]
    }
    INS_FREE_RANGE = "ins-free-range", Must, Loader, File, Method, "instructions" {
        "`value_index` of every FreeCall is an index of `values`."
        rationale: "A FreeCall clears the value's data pointer. With an index out of range, a careless reader writes \
            zeros past the array of values."
        readers: "When ExecuTorch 1.3.0 and later prepare the method, they return InvalidProgram (0x23) for an index \
            out of range (pytorch/executorch#18176)."
        source: "`Method::init` checks the index."
        refs: ["I-09", "pytorch/executorch#18176"]
        cwe: ["CWE-129", "CWE-787"]
    }
    INS_FREE_TYPE = "ins-free-type", Must, Loader, File, Execute, "instructions" {
        "The value of a FreeCall is a Tensor."
        rationale: "A FreeCall releases the memory of a tensor. Values of other types have no memory to release. If \
            the value is not a Tensor, a careless reader clears bytes that are not a data pointer."
        readers: "ExecuTorch 1.3.0 and later return InvalidType (0x13) for a value of any other type when the \
            instruction runs. ExecuTorch does not check the type while it prepares the method."
        source: "`Method::execute_instruction` checks the type. The emitter frees only tensors whose shape has no \
            upper bound."
        refs: ["I-10", "pytorch/executorch#18803"]
        cwe: ["CWE-843"]
    }
    INS_FREE_LIVE = "ins-free-live", Should, Writer, File, Execute, "instructions" {
        "No FreeCall frees a constant, an input, an output, an argument of a later instruction, or a planned tensor \
            that an instruction uses."
        rationale: "After a FreeCall, the tensor has no data. If a later instruction, a later run or the caller uses \
            the tensor, the data pointer is null. Readers assign planned memory only once, before the first run, so \
            the tensor gets no new memory."
        readers: "Some readers do not check the rule. If a reader accepts a FreeCall of an output, the method runs, \
            but the output has no data."
        source: "The emitter frees unplanned tensors after their last use. The rule's strength is `should` because a \
            file that breaks the rule causes no access out of bounds. The checker compares a FreeCall with later \
            instructions only in a method without jumps. The checker does not examine the items of lists."
    }
    INS_JUMP_COND_RANGE = "ins-jump-cond-range", Must, Loader, File, Method, "instructions" {
        "`cond_value_index` of every JumpFalseCall is an index of `values`."
        rationale: "With an index out of range, a careless reader uses bytes past the array of values to choose the \
            branch."
        readers: "When ExecuTorch prepares the method, it returns InvalidProgram (0x23) for an index out of range, at \
            both verification levels."
        source: "`Method::init` checks the index."
        refs: ["I-06"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_JUMP_COND_TYPE = "ins-jump-cond-type", Must, Loader, File, Execute, "instructions" {
        "The condition of a JumpFalseCall is a Bool, or a Tensor with `scalar_type` 11 (BOOL)."
        rationale: "Readers interpret each element of the tensor as one byte, and the condition is true if all \
            elements are true. If the scalar type is not BOOL, the bytes are parts of numbers, so the condition is \
            meaningless."
        readers: "When the instruction runs, ExecuTorch returns InvalidProgram (0x23) for a condition of any other \
            type. ExecuTorch 1.0.0 and later return InvalidState (0x02) for a tensor without data \
            (pytorch/executorch#12294, found by fuzzing). ExecuTorch does not check the condition while it prepares \
            the method."
        source: "The function `parse_cond_value` checks the condition."
        refs: ["I-06", "pytorch/executorch#12294"]
        cwe: ["CWE-843"]
    }
    INS_JUMP_COND_DATA = "ins-jump-cond-data", Must, Loader, File, Execute, "instructions" {
        "If the condition of a JumpFalseCall is a Tensor with elements, the Tensor has data."
        rationale: "Readers read every element of the condition. A reader that does not check the tensor's data \
            pointer dereferences a null pointer."
        readers: "When the instruction runs, ExecuTorch 1.0.0 and later return InvalidState (0x02) for a tensor \
            without data (pytorch/executorch#12294)."
        source: "The function `parse_cond_value` checks the pointer. A Tensor gets its data from the file, from \
            planned memory, from an instruction or from the caller. The caller sets the data of inputs, and can set \
            the data of outputs and of named tensors. The rule's strength is `must` because the instruction always \
            fails for a condition without data."
        refs: ["I-06", "pytorch/executorch#12294"]
        cwe: ["CWE-476"]
    }
    INS_JUMP_DEST = "ins-jump-dest", Must, Policy, File, Execute, "instructions" {
        "The `destination_instruction` of every JumpFalseCall is at least 0 and at most the number of instructions in \
            its chain."
        rationale: "If the destination is out of range, some readers skip the remaining instructions and report \
            success. Other readers read past the end of the list of instructions."
        readers: "Some readers do not check the destination, and the effect of a destination out of range differs \
            between readers. In all readers, a jump to the position directly after the last instruction ends the \
            chain."
        source: "The destination is an index of `instructions` and the emitter never writes a jump past the end."
        refs: ["I-05"]
        cwe: ["CWE-129", "CWE-125"]
    }
    INS_TERMINATION = "ins-termination", May, Policy, File, Execute, "instructions" {
        "No JumpFalseCall has its own position as its destination."
        rationale: "An instruction that jumps to itself never changes its condition, so the method runs forever if the \
            condition is false. A file of a few hundred bytes can therefore block its host."
        readers: "ExecuTorch 1.3.0 and later stop the function `execute` after 10,000,000 instructions and return \
            InvalidProgram (0x23, pytorch/executorch#18679). ExecuTorch's function `step` has no limit."
        source: "Valid loops also jump backwards, and the values of a run determine whether a loop ends. The checker \
            therefore reports only instructions that jump to themselves, and the rule's strength is `may`."
        refs: ["I-04", "pytorch/executorch#18679"]
    }
}

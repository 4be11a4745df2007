//! A program and its methods, `Program` and `ExecutionPlan` (specification, section 1.8).

rules! {
    PROG_VERSION_ZERO = "prog-version-zero", Must, File, Meta, "program" {
        "`Program.version` is 0."
        why: "The number announces a change of meaning that the tables themselves do not show, so a reader that goes \
            on in spite of it misreads fields that look well-formed."
        readers: "ExecuTorch refuses a version above 0 when it loads the program since 1.5.1 (0x23). Earlier releases \
            do not look."
        source: "The exporter writes `EXECUTORCH_SCHEMA_VERSION`, which has never been other than 0. It is a must \
            since a released reader refuses all others."
        refs: ["H-13", "pytorch/executorch#22114"]
        cwe: ["CWE-436"]
    }
    PLAN_LIST_NONNULL = "plan-list-nonnull", Must, File, Meta, "program" {
        "`Program.execution_plan` is present."
        why: "It is the list of methods, which the schema leaves optional: a reader that searches it for a name \
            without looking follows a null pointer."
        readers: "ExecuTorch refuses the file in InternalConsistency when it loads it (0x23). In Minimal it loads it \
            and counts no methods; not every reader looks before it searches the list."
        source: "`validate_program`; a program without the list can answer no question about a method."
        refs: ["P-01", "pytorch/executorch#1519", "pytorch/executorch#17491"]
        cwe: ["CWE-476"]
    }
    PLAN_NONEMPTY = "plan-nonempty", Should, File, Meta, "program" {
        "A program has at least one method."
        why: "Such a file opens and can do nothing, so whoever tests only that it loads learns late that it is empty."
        readers: "No reader refuses it when it loads it. ExecuTorch answers a request for any method with 0x12."
        source: "Derived; the exporter makes no program without a method. A should, because reading it is safe."
        refs: ["P-01"]
    }
    PLAN_NAME = "plan-name", Must, File, Meta, "program" {
        "Every method has a `name`."
        why: "Methods are found by comparing names one after another, so an entry without one is a null pointer on the \
            way to every method behind it."
        readers: "ExecuTorch skips such an entry in the search since 1.2.0 (#16795), and answers the question for its \
            name with 0x23."
        source: "`Program::get_method_name` and `get_execution_plan`. The schema leaves the field optional and the \
            exporter always writes it."
        refs: ["P-03", "pytorch/executorch#16795"]
        cwe: ["CWE-476"]
    }
    PLAN_NAME_NONEMPTY = "plan-name-nonempty", Should, File, Meta, "program" {
        "No method's `name` is the empty string."
        why: "Many programs take an empty name for none given, so the method is run by accident or never."
        readers: "No reader looks; ExecuTorch finds it under the empty name."
        source: "Derived; exported methods have the names of their functions, `forward` if nothing else was asked for."
    }
    PLAN_NAME_UNIQUE = "plan-name-unique", Should, File, Meta, "program" {
        "No two methods of a program have the same `name`."
        why: "A look-up by name finds one of them, and which one is the reader's choice, so a file that was examined \
            by one method can run the other."
        readers: "No reader refuses it. ExecuTorch takes the first whose name is equal up to the first zero byte, and \
            counts both."
        source: "Derived: methods are told apart by their names and nothing else. The exporter keeps them in a \
            dictionary and writes them sorted."
        refs: ["P-04"]
    }
    PLAN_VALUES_NONNULL = "plan-values-nonnull", Must, File, Meta, "program" {
        "Every method has `values`."
        why: "Inputs, outputs, lists and instructions all are indexes of it, and a reader that takes its length before \
            it looks follows a null pointer."
        readers: "ExecuTorch refuses the program in InternalConsistency when it loads it (0x23), and in Minimal when \
            it prepares the method (0x23). Not every reader looks before it answers questions for metadata."
        source: "`validate_program` and `Method::parse_values`. The schema leaves the field optional."
        refs: ["P-05", "pytorch/executorch#17491"]
        cwe: ["CWE-476"]
    }
    PLAN_IO_NONNULL = "plan-io-nonnull", Must, File, Meta, "program" {
        "Every method has `inputs`, `outputs` and `non_const_buffer_sizes`, which may be empty."
        why: "The numbers of inputs, outputs and planned buffers are what a host asks first, to have memory ready; the \
            accessors for them return numbers and have no way to report an error."
        readers: "ExecuTorch looks for all three at both levels when metadata of the method is asked for or the method \
            is prepared (0x23)."
        source: "`Program::method_meta`. The schema leaves all three optional and the exporter always writes them."
        refs: ["P-06", "pytorch/executorch#1519"]
        cwe: ["CWE-476"]
    }
    PLAN_IO_RANGE = "plan-io-range", Must, File, Method, "program" {
        "Every entry of a method's `inputs` and `outputs` is an index of `values`: at least 0 and below their number."
        why: "The index is used long after loading, when a caller sets an input or takes an output: unchecked, that \
            reads and writes memory behind the table of values."
        readers: "ExecuTorch compares it when metadata of that input or output is asked for (0x23, since 0.6.0). \
            Preparing the method does not ask, and not every reader looks before the value is used."
        source: "`MethodMeta::input_tag` and `MethodMeta::output_tag`; the exporter writes indexes of values only."
        refs: ["P-09", "pytorch/executorch#1572"]
        cwe: ["CWE-129", "CWE-125"]
    }
    PLAN_IO_TYPES = "plan-io-types", Must, File, Method, "program" {
        "Every value that `inputs` or `outputs` name is a Null, Tensor, Int, Bool, Double or String."
        why: "A list cannot be handed in or out: its elements are other values of the method, which a caller neither \
            sees nor owns."
        readers: "ExecuTorch answers the question for the type of such a value with 0x01 and refuses to set such an \
            input (0x12). Preparing the method does not look."
        source: "`MethodMeta::input_tag` and `Method::set_input`. The exporter flattens lists into their elements."
        cwe: ["CWE-843"]
    }
    PLAN_INPUTS_NONCONST = "plan-inputs-nonconst", Must, File, Method, "program" {
        "No input of a method is a constant tensor, in the program or external."
        why: "Setting an input copies the caller's bytes to where the tensor's data is: into constants that all \
            methods share, or into memory that is mapped read-only, which ends the process."
        readers: "Not every reader looks."
        source: "A comment in the schema: inputs are only tensors that are not part of the saved program. It is a must \
            by that text, and because a break lets a caller's data change the model."
        refs: ["S-13"]
        cwe: ["CWE-471"]
    }
    PLAN_INPUTS_DISTINCT = "plan-inputs-distinct", Should, File, Method, "program" {
        "`inputs` names no value twice."
        why: "Two inputs that are one value: both have to be set and the last one wins, so the result depends on the \
            order in which a caller sets them."
        readers: "No reader compares them. ExecuTorch wants every position set before it runs the method (0x12)."
        source: "Derived; the exporter gives each input of the traced graph a value of its own."
    }
    PLAN_DELEGATES_NONNULL = "plan-delegates-nonnull", Must, File, Method, "program" {
        "Every method has `delegates`, which may be empty."
        why: "Hosts ask which backends a method uses before they prepare it, and walk this list; where it is absent, \
            that is a null pointer."
        readers: "ExecuTorch refuses to prepare the method (0x23). Asked whether a method uses a backend, it followed \
            the null pointer until #22405, after the report #22404."
        source: "`Method::init`. The schema leaves the list optional, but the exporter always writes it, so that \
            refusing costs no file."
        refs: ["P-07", "pytorch/executorch#22404", "pytorch/executorch#22405"]
        cwe: ["CWE-476"]
    }
    PLAN_OPERATORS_NONNULL = "plan-operators-nonnull", Must, File, Method, "program" {
        "A method with a KernelCall has `operators`."
        why: "Every KernelCall finds its operator there by index, so without the list the index is applied to a null \
            pointer."
        readers: "ExecuTorch looks for it when it prepares the method (0x23). A method without kernel calls needs none."
        source: "`Method::resolve_operator`. The schema leaves the list optional."
        refs: ["P-06", "pytorch/executorch#1516"]
        cwe: ["CWE-476"]
    }
    PLAN_CHAINS = "plan-chains", Must, File, Method, "program" {
        "Every method has at least one chain, and every chain has `instructions`, which may be empty."
        why: "`instructions` is asked for its length at each step of a run; and a method without a chain returns \
            outputs that nothing has computed."
        readers: "ExecuTorch refuses either when it prepares the method (0x23). A chain without instructions in it \
            runs and does nothing."
        source: "`Method::init`. A method that only returns inputs or constants is exported with an empty chain."
        refs: ["P-06", "I-12"]
        cwe: ["CWE-476"]
    }
    PLAN_CHAIN_IO = "plan-chain-io", Should, File, Method, "program" {
        "The `inputs` and `outputs` of a chain are indexes of `values`, and its `stacktrace` is absent, empty or as \
            long as `instructions`."
        why: "Debuggers and viewers go by these fields, index by index, so a wrong one breaks the tool with which the \
            file is examined."
        readers: "ExecuTorch reads none of the three."
        source: "The schema gives `stacktrace` one entry for each instruction, and the exporter writes it on request \
            only. A should, because nothing that runs depends on them."
    }
    PLAN_CONTAINER_META = "plan-container-meta", Should, File, Meta, "program" {
        "Every method has a `container_meta_type`."
        why: "It holds how the outputs of the exported module were nested. A host that rebuilds them has only a flat \
            list without it."
        readers: "ExecuTorch needs it in one accessor, `Program::get_output_flattening_encoding`: its absence is 0x23 \
            since 1.2.0, and was a null pointer before (#16704)."
        source: "The emitter writes it for every method. A should, because a method loads and runs without it."
        refs: ["P-08", "pytorch/executorch#16704"]
    }
    PLAN_NCB = "plan-ncb", Must, File, Meta, "program" {
        "Every entry of `non_const_buffer_sizes` from index 1 on is at least 0."
        why: "Hosts allocate these numbers of bytes before they prepare the method, and a negative one, taken as \
            unsigned, is almost 2^64."
        readers: "ExecuTorch refuses the entry when a host asks for the size (0x23, since 1.3.0). It does not look by \
            itself when it prepares the method."
        source: "`MethodMeta::memory_planned_buffer_size`. Index 0 is reserved and ignored, by a comment in the schema."
        refs: ["M-04", "pytorch/executorch#18724"]
        cwe: ["CWE-195", "CWE-770"]
    }
    PLAN_NCB_FIRST_ZERO = "plan-ncb-first-zero", Should, File, Meta, "program" {
        "`non_const_buffer_sizes[0]` is 0."
        why: "Buffers count from 1 and entry 0 is none, so a host that allocates every entry, or a tool that adds them \
            up, is off by whatever stands here."
        readers: "ExecuTorch hides the entry: it counts one buffer fewer than the list is long."
        source: "A comment in the schema says to ignore it; the emitter writes 0."
        refs: ["M-07"]
    }
    PLAN_NCB_BOUNDED = "plan-ncb-bounded", Should, File, Method, "program" {
        "The planned buffers of a method come to at most 2^40 bytes together."
        why: "Hosts allocate them from the numbers in the file alone, so a few bytes ask for terabytes: a failed \
            allocation, which aborts where it is not handled, or memory that all others lack."
        readers: "ExecuTorch hands the sizes to the host and sets no limit of its own. The report #7678 shows what a \
            failed allocation of that kind looks like to a user."
        source: "A judgement: no exported method comes near 2^40 bytes, and a device may have far less. The limit is a \
            parameter of this checker, `Limits::planned_memory`."
        refs: ["M-05", "pytorch/executorch#7678"]
    }
    PLAN_NCB_DEVICE = "plan-ncb-device", Must, File, Method, "program" {
        "Each entry of `non_const_buffer_device` has a `buffer_idx` from 1 to the last index of \
            `non_const_buffer_sizes` that no other entry has, a `device_type` of 0 or 1, and a `device_index` that is \
            not negative unless the device is the CPU."
        why: "It decides whose memory a planned buffer is: with two answers for one buffer, or a device that the \
            reader does not know, host code writes through a device's address or the reverse."
        readers: "ExecuTorch looks a buffer up since 1.3.0, when a host asks for its device. Not every reader compares \
            the numbers with anything."
        source: "The schema's comments and its enum `DeviceType`. The exporter writes one entry for each buffer that \
            is not on the CPU; the field exists since May 2026."
        cwe: ["CWE-436"]
    }
}

//! Rules about a program and its methods, the tables `Program` and `ExecutionPlan` (chapter `program` of the book).

rules! {
    PROG_VERSION_ZERO = "prog-version-zero", Must, Loader, File, Meta, "program" {
        "`Program.version` MUST be 0."
        rationale: "A new version announces that fields have changed their meaning, so a reader that ignores the \
            version misreads fields that look valid. ExecuTorch 1.5.1 and later return InvalidProgram (0x23) when they \
            load the program; earlier releases do not check it."
        source: "ExecuTorch's exporter writes `EXECUTORCH_SCHEMA_VERSION`, which has always been 0."
        refs: ["H-13", "pytorch/executorch#22114"]
        cwe: ["CWE-436"]
    }
    PLAN_LIST_NONNULL = "plan-list-nonnull", Must, Loader, File, Meta, "program" {
        "`Program.execution_plan` MUST be present."
        rationale: "This field is the list of methods, and searching an absent list dereferences null. With \
            InternalConsistency verification, ExecuTorch returns InvalidProgram (0x23) when it loads the program; with \
            Minimal, it loads the program and reports no methods."
        source: "ExecuTorch's `validate_program` checks for the list, which `schema/program.fbs` makes optional."
        refs: ["P-01", "pytorch/executorch#1519", "pytorch/executorch#17491"]
        cwe: ["CWE-476"]
    }
    PLAN_NONEMPTY = "plan-nonempty", Should, Writer, File, Meta, "program" {
        "A program SHOULD have at least one method."
        rationale: "A program without methods loads but cannot run, so an application that tests only whether it loads \
            finds out late. ExecuTorch returns InvalidArgument (0x12) when a caller requests a method."
        source: "The exporter always writes at least one method. An empty list is safe to read."
        refs: ["P-01"]
    }
    PLAN_NAME = "plan-name", Must, Loader, File, Meta, "program" {
        "Every method MUST have a `name`."
        rationale: "A search compares the requested name with each method's name, so an absent name dereferences null. \
            ExecuTorch 1.2.0 and later skip a method without a name (pytorch/executorch#16795), and return \
            InvalidProgram (0x23) if a caller requests the name."
        source: "`Program::get_method_name` and `get_execution_plan` check for the name. `schema/program.fbs` makes \
            the name optional, but the exporter always writes one."
        refs: ["P-03", "pytorch/executorch#16795"]
        cwe: ["CWE-476"]
    }
    PLAN_NAME_NONEMPTY = "plan-name-nonempty", Should, Writer, File, Meta, "program" {
        "A method's `name` SHOULD NOT be the empty string."
        rationale: "Many applications treat an empty name as absent, so they run the method by accident or never. \
            ExecuTorch finds the method if a caller requests the empty name."
        source: "The exporter uses the name of the exported function, `forward` by default."
    }
    PLAN_NAME_UNIQUE = "plan-name-unique", Should, Writer, File, Meta, "program" {
        "Two methods of a program SHOULD NOT have the same `name`."
        rationale: "A lookup returns only one of them, and readers differ in which one, so a reviewer may examine one \
            method while the device runs the other. ExecuTorch compares names up to the first NUL and returns the \
            first match, but counts both methods."
        source: "A method has no key except its name. The exporter keeps methods in a dictionary and writes them in \
            sorted order."
        refs: ["P-04"]
    }
    PLAN_VALUES_NONNULL = "plan-values-nonnull", Must, Loader, File, Meta, "program" {
        "Every method MUST have `values`."
        rationale: "Inputs, outputs, lists and instructions refer to `values` by index, and reading the length of an \
            absent list dereferences null. ExecuTorch returns InvalidProgram (0x23): with InternalConsistency \
            verification when it loads the program, with Minimal when it prepares the method. Code that reads metadata \
            earlier needs the same check."
        source: "ExecuTorch's `validate_program` and `Method::parse_values` check for the list, which \
            `schema/program.fbs` makes optional."
        refs: ["P-05", "pytorch/executorch#17491"]
        cwe: ["CWE-476"]
    }
    PLAN_IO_NONNULL = "plan-io-nonnull", Must, Loader, File, Meta, "program" {
        "Every method MUST have `inputs`, `outputs` and `non_const_buffer_sizes`, which may be empty."
        rationale: "Before a host allocates memory, it asks for the lengths of these lists, through accessors that \
            return plain numbers and cannot report an error. ExecuTorch returns InvalidProgram (0x23) when a host \
            requests the method's metadata or prepares the method, at both verification levels."
        source: "ExecuTorch's `Program::method_meta` checks for the lists. `schema/program.fbs` makes the lists \
            optional, but the exporter always writes them."
        refs: ["P-06", "pytorch/executorch#1519"]
        cwe: ["CWE-476"]
    }
    PLAN_IO_RANGE = "plan-io-range", Must, Loader, File, Method, "program" {
        "Every entry in `inputs` and `outputs` MUST be an index into `values`: at least 0 and below the number of \
            values."
        rationale: "The index is used when a caller sets an input or reads an output, so if it is out of range, the \
            caller reads or writes outside the values. ExecuTorch 0.6.0 and later return InvalidProgram (0x23) when a \
            host requests the input's or output's metadata, but do not check the index when they prepare the method."
        source: "ExecuTorch's `MethodMeta::input_tag` and `MethodMeta::output_tag` check the indices."
        refs: ["P-09", "pytorch/executorch#1572"]
        cwe: ["CWE-129", "CWE-125"]
    }
    PLAN_IO_TYPES = "plan-io-types", Must, Loader, File, Method, "program" {
        "Every value in `inputs` MUST be a Null, Tensor, Int, Bool, Double or String."
        rationale: "A caller cannot pass a list, because a list's elements are other values in the method, which the \
            caller cannot reach. ExecuTorch returns Internal (0x01) when a caller requests the type, and \
            InvalidArgument (0x12) when a caller sets the input; it does not check when it prepares the method."
        source: "ExecuTorch's `MethodMeta::input_tag` and `Method::set_input` check the type. The exporter flattens \
            lists."
        cwe: ["CWE-843"]
    }
    PLAN_OUTPUT_TYPES = "plan-output-types", Should, Loader, File, Method, "program" {
        "Every value in `outputs` SHOULD be a Null, Tensor, Int, Bool, Double or String."
        rationale: "A caller that copies a list gets pointers to other values, which dangle once the method is \
            destroyed. ExecuTorch returns Internal (0x01) when a caller requests the type, but still prepares and \
            executes the method, and `Method::get_output` still returns the list."
        source: "ExecuTorch's `MethodMeta::output_tag` checks the type. The exporter flattens lists."
        cwe: ["CWE-843"]
    }
    PLAN_INPUTS_NONCONST = "plan-inputs-nonconst", Must, Text, File, Method, "program" {
        "An input of a method MUST NOT be a constant tensor, whether its data is in the program or external."
        rationale: "Setting an input copies the caller's bytes over the tensor's data. That changes the constant for \
            all methods, or crashes if the memory is read-only. Preparing the method does not reveal the problem."
        source: "A comment in ExecuTorch's `schema/program.fbs` restricts inputs to tensors that are not part of the \
            saved program."
        refs: ["S-13"]
        cwe: ["CWE-471"]
    }
    PLAN_INPUTS_DISTINCT = "plan-inputs-distinct", Should, Writer, File, Method, "program" {
        "`inputs` SHOULD contain each index at most once."
        rationale: "If an index is repeated, a caller has to set both positions, and the second value replaces the \
            first, so the result depends on the call order. ExecuTorch returns InvalidArgument (0x12) if a caller runs \
            the method before every position is set."
        source: "The exporter gives each input in the traced graph its own value. No reader compares inputs with each \
            other."
    }
    PLAN_DELEGATES_NONNULL = "plan-delegates-nonnull", Must, Loader, File, Method, "program" {
        "Every method MUST have `delegates`, which may be empty."
        rationale: "ExecuTorch returns InvalidProgram (0x23) when it prepares the method. A host that asks for a \
            method's backends iterates over the list even earlier, and before pytorch/executorch#22405, that \
            dereferenced null (pytorch/executorch#22404)."
        source: "ExecuTorch's `Method::init` checks for the list. `schema/program.fbs` makes it optional, but the \
            exporter always writes it."
        refs: ["P-07", "pytorch/executorch#22404", "pytorch/executorch#22405"]
        cwe: ["CWE-476"]
    }
    PLAN_OPERATORS_NONNULL = "plan-operators-nonnull", Must, Loader, File, Method, "program" {
        "A method with a KernelCall MUST have `operators`."
        rationale: "Every KernelCall selects its operator by index, so if the list is absent, the reader indexes a \
            null pointer. ExecuTorch returns InvalidProgram (0x23) when it prepares the method."
        source: "ExecuTorch's `Method::resolve_operator` checks for the list, which `schema/program.fbs` makes \
            optional."
        refs: ["P-06", "pytorch/executorch#1516"]
        cwe: ["CWE-476"]
    }
    PLAN_CHAINS = "plan-chains", Must, Loader, File, Method, "program" {
        "Every method MUST have at least one chain, and every chain MUST have `instructions`, which may be empty."
        rationale: "At each step, a reader compares its position with the length of `instructions`, so an absent list \
            dereferences null. A method without a chain returns outputs that nothing computed. ExecuTorch returns \
            InvalidProgram (0x23) when it prepares the method."
        source: "ExecuTorch's `Method::init` checks the chains. The exporter writes one empty chain for a method that \
            only returns inputs or constants."
        refs: ["P-06", "I-12"]
        cwe: ["CWE-476"]
    }
    PLAN_CHAIN_IO = "plan-chain-io", Should, Text, File, Method, "program" {
        "A chain's `inputs` and `outputs` SHOULD be indices into `values`, and its `stacktrace` SHOULD be absent, \
            empty or as long as `instructions`."
        rationale: "Debuggers and viewers look up a chain's inputs and outputs, and show `stacktrace` next to the \
            instructions. ExecuTorch reads none of the three."
        source: "ExecuTorch's `schema/program.fbs` defines one `stacktrace` entry per instruction; the exporter writes \
            it only on request."
    }
    PLAN_CONTAINER_META = "plan-container-meta", Should, Writer, File, Meta, "program" {
        "Every method SHOULD have a `container_meta_type`."
        rationale: "This table describes how the exported module nests its outputs; if it is absent, a host has only a \
            flat list. The method still runs; only `Program::get_output_flattening_encoding` notices. It returns \
            InvalidProgram (0x23) in 1.2.0 and later, and dereferenced null before that (pytorch/executorch#16704)."
        source: "ExecuTorch's emitter writes this table for every method."
        refs: ["P-08", "pytorch/executorch#16704"]
    }
    PLAN_NCB = "plan-ncb", Must, Loader, File, Meta, "program" {
        "Every entry in `non_const_buffer_sizes` except entry 0 MUST be at least 0."
        rationale: "Hosts allocate buffers of these sizes before they prepare the method, and as an unsigned number, \
            -1 is 2^64 - 1. ExecuTorch 1.3.0 and later return InvalidProgram (0x23) when a host requests the size, but \
            do not check the sizes when they prepare the method."
        source: "ExecuTorch's `MethodMeta::memory_planned_buffer_size` checks the size. A comment in \
            `schema/program.fbs` reserves entry 0."
        refs: ["M-04", "pytorch/executorch#18724"]
        cwe: ["CWE-195", "CWE-770"]
    }
    PLAN_NCB_FIRST_ZERO = "plan-ncb-first-zero", Should, Writer, File, Meta, "program" {
        "`non_const_buffer_sizes[0]` SHOULD be 0."
        rationale: "Buffer ids start at 1, so a host that allocates memory for entry 0 wastes it, and a tool that adds \
            up all entries reports a wrong total. ExecuTorch ignores entry 0, so it reports one buffer fewer than there \
            are entries in the list."
        source: "A comment in ExecuTorch's `schema/program.fbs` says to ignore entry 0, and the emitter writes 0."
        refs: ["M-07"]
    }
    PLAN_NCB_BOUNDED = "plan-ncb-bounded", Should, Policy, File, Method, "program" {
        "A method's planned buffers SHOULD add up to at most 2^40 bytes."
        rationale: "The sizes in the file alone decide how much a host allocates, so a tiny file can request \
            terabytes. Then the allocation fails, or other processes run out of memory, as in pytorch/executorch#7678. \
            ExecuTorch sets no limit."
        source: "This project chose the limit, because no exported method needs that much memory. \
            `Limits::planned_memory` changes it."
        refs: ["M-05", "pytorch/executorch#7678"]
    }
    PLAN_NCB_DEVICE = "plan-ncb-device", Must, Text, File, Method, "program" {
        "Each entry in `non_const_buffer_device` MUST have a distinct, valid `buffer_idx` and a non-negative \
            `device_type`; for devices other than the CPU, `device_index` MUST also be non-negative."
        rationale: "The list decides on which device a planned buffer is allocated. If two entries name one buffer, or \
            the device is unknown, code on one device writes to an address on another. ExecuTorch looks up the entry \
            when a host requests the device."
        source: "Comments and the `DeviceType` enum in ExecuTorch's `schema/program.fbs` have defined this since \
            1.3.0. A valid `buffer_idx` is at least 1 and below the length of `non_const_buffer_sizes`."
        cwe: ["CWE-436"]
    }
    PLAN_NCB_DEVICE_KNOWN = "plan-ncb-device-known", May, Text, File, Method, "program" {
        "A reader MAY reject an entry in `non_const_buffer_device` whose `device_type` is above 1 (CUDA)."
        rationale: "A later release can define more types, and then a reader that treats everything except CPU as CUDA \
            allocates the buffer on the wrong device."
        source: "The `DeviceType` enum in ExecuTorch's `schema/program.fbs` defines 0 (CPU) and 1 (CUDA), and can grow."
    }
    PLAN_NCB_HOST = "plan-ncb-host", May, Policy, File, Method, "program" {
        "A reader MAY reject a method if an entry in `non_const_buffer_device` names a device other than the CPU."
        rationale: "A host without the device cannot allocate the buffer. If the reader uses host memory instead, code \
            on the device dereferences a host address. Even so, the program is valid; `mem-device-honored` is the rule \
            for readers."
        source: "The exporter writes an entry for each buffer that is not on the CPU."
        refs: ["pytorch/executorch#22058"]
    }
}

//! Rules about a program and its methods, the tables `Program` and `ExecutionPlan` (chapter `program` of the book).

rules! {
    PROG_VERSION_ZERO = "prog-version-zero", Must, Loader, File, Meta, "program" {
        "`Program.version` is 0."
        rationale: "A new version number announces changes in the meaning of fields. A reader that ignores \
            `version` misreads fields that look valid."
        readers: "Since 1.5.1, ExecuTorch returns InvalidProgram (0x23) for a version above 0 when it loads the \
            program. Releases before 1.5.1 do not check the version."
        source: "ExecuTorch's exporter writes `EXECUTORCH_SCHEMA_VERSION`, which has always been 0. The rule's \
            strength is `must` because a released reader rejects every version above 0."
        refs: ["H-13", "pytorch/executorch#22114"]
        cwe: ["CWE-436"]
    }
    PLAN_LIST_NONNULL = "plan-list-nonnull", Must, Loader, File, Meta, "program" {
        "`Program.execution_plan` is present."
        rationale: "`execution_plan` is the list of methods, and `schema/program.fbs` makes the list optional. If \
            `execution_plan` is absent, a reader that searches it dereferences a null pointer."
        readers: "If `execution_plan` is absent, ExecuTorch returns InvalidProgram (0x23) when it loads the program at \
            verification level InternalConsistency. At level Minimal, ExecuTorch loads the program and reports no \
            methods. Some readers do not check that `execution_plan` is present before they search it."
        source: "ExecuTorch's `validate_program` checks for `execution_plan`. A program without `execution_plan` has \
            no methods."
        refs: ["P-01", "pytorch/executorch#1519", "pytorch/executorch#17491"]
        cwe: ["CWE-476"]
    }
    PLAN_NONEMPTY = "plan-nonempty", Should, Writer, File, Meta, "program" {
        "A program has at least one method."
        rationale: "A file without methods loads without an error but cannot run. An application that tests only \
            whether the file loads detects the defect late."
        readers: "No reader rejects a program without methods when it loads the program. For a program without \
            methods, ExecuTorch returns InvalidArgument (0x12) when a caller requests a method."
        source: "The exporter writes at least one method. The rule's strength is `should` because an empty list of \
            methods is safe to read."
        refs: ["P-01"]
    }
    PLAN_NAME = "plan-name", Must, Loader, File, Meta, "program" {
        "Every method has a `name`."
        rationale: "A reader compares the requested name with the name of each method. If a name is absent, the \
            comparison dereferences a null pointer."
        readers: "Since 1.2.0, ExecuTorch's search for a method skips methods without a name \
            (pytorch/executorch#16795). If a method has no name, a request for its name returns InvalidProgram (0x23)."
        source: "ExecuTorch's `Program::get_method_name` and `get_execution_plan` check for the name. In \
            `schema/program.fbs` the name is optional, but the exporter always writes the name."
        refs: ["P-03", "pytorch/executorch#16795"]
        cwe: ["CWE-476"]
    }
    PLAN_NAME_NONEMPTY = "plan-name-nonempty", Should, Writer, File, Meta, "program" {
        "No method's `name` is the empty string."
        rationale: "Many applications treat an empty name as an absent name. These applications run a method with an \
            empty name by accident, or never run it."
        readers: "No reader checks the rule. If a caller requests the empty name, ExecuTorch \
            finds a method whose name is empty."
        source: "The exporter uses the name of the exported function, which is `forward` by default."
    }
    PLAN_NAME_UNIQUE = "plan-name-unique", Should, Writer, File, Meta, "program" {
        "No two methods of a program have the same `name`."
        rationale: "If two methods have the same name, a lookup returns only one method, and different readers can \
            return different methods. A reviewer can examine one method while a device runs the other method."
        readers: "No reader rejects a duplicate name. ExecuTorch compares names up to the first NUL, returns the first \
            match, and counts both methods."
        source: "The name is the only key of a method. The exporter stores methods in a dictionary and writes them in \
            sorted order."
        refs: ["P-04"]
    }
    PLAN_VALUES_NONNULL = "plan-values-nonnull", Must, Loader, File, Meta, "program" {
        "Every method has `values`."
        rationale: "Inputs, outputs, lists and instructions refer to values by their index in `values`. If `values` is \
            absent, a reader that requests its length dereferences a null pointer."
        readers: "If `values` is absent, ExecuTorch returns InvalidProgram (0x23). At verification level \
            InternalConsistency, ExecuTorch checks for `values` when it loads the program; at level Minimal, when it \
            prepares the method. Some readers do not check for `values` before they read the method's metadata."
        source: "ExecuTorch's `validate_program` and `Method::parse_values` check for `values`. In \
            `schema/program.fbs`, `values` is optional."
        refs: ["P-05", "pytorch/executorch#17491"]
        cwe: ["CWE-476"]
    }
    PLAN_IO_NONNULL = "plan-io-nonnull", Must, Loader, File, Meta, "program" {
        "Every method has `inputs`, `outputs` and `non_const_buffer_sizes`, which may be empty."
        rationale: "A host reads the lengths of `inputs`, `outputs` and `non_const_buffer_sizes` before it allocates \
            memory. The accessors for these lengths return plain numbers, so they cannot report an error."
        readers: "If `inputs`, `outputs` or `non_const_buffer_sizes` is absent, ExecuTorch returns InvalidProgram \
            (0x23), at both verification levels. ExecuTorch checks for these lists when a host requests the method's \
            metadata or prepares the method."
        source: "ExecuTorch's `Program::method_meta` checks for the lists. In `schema/program.fbs`, `inputs`, \
            `outputs` and `non_const_buffer_sizes` are optional, but the exporter always writes all three."
        refs: ["P-06", "pytorch/executorch#1519"]
        cwe: ["CWE-476"]
    }
    PLAN_IO_RANGE = "plan-io-range", Must, Loader, File, Method, "program" {
        "Every entry of `inputs` and `outputs` is an index of `values`: at least 0 and below the number of values."
        rationale: "A reader uses an index in `inputs` or `outputs` after loading, when a caller sets an input or \
            reads an output. With an unchecked index, a reader reads and writes memory outside the array of values."
        readers: "Since 0.6.0, ExecuTorch returns InvalidProgram (0x23) for an index out of range when a host \
            requests the metadata of the input or output. ExecuTorch does not check `inputs` and `outputs` when it \
            prepares the method. Some readers use an index in `inputs` or `outputs` without a check."
        source: "ExecuTorch's `MethodMeta::input_tag` and `MethodMeta::output_tag` check the indices. In `inputs` and \
            `outputs`, the exporter writes only indices of values."
        refs: ["P-09", "pytorch/executorch#1572"]
        cwe: ["CWE-129", "CWE-125"]
    }
    PLAN_IO_TYPES = "plan-io-types", Must, Loader, File, Method, "program" {
        "Every value in `inputs` is a Null, Tensor, Int, Bool, Double or String."
        rationale: "A caller cannot pass a list, because the elements of a list are other values of the method. The \
            caller cannot access these other values."
        readers: "For an input of any other type, ExecuTorch returns Internal (0x01) when a caller requests the type. \
            When a caller sets an input of any other type, ExecuTorch returns InvalidArgument (0x12). ExecuTorch does \
            not check the type when it prepares the method."
        source: "ExecuTorch's `MethodMeta::input_tag` and `Method::set_input` check the type. The exporter flattens \
            lists into their elements."
        cwe: ["CWE-843"]
    }
    PLAN_OUTPUT_TYPES = "plan-output-types", Should, Loader, File, Method, "program" {
        "Every value in `outputs` is a Null, Tensor, Int, Bool, Double or String."
        rationale: "A caller that copies a list gets pointers to other values of the method. After the destruction of \
            the method, these pointers are invalid."
        readers: "For an output of any other type, ExecuTorch returns Internal (0x01) when a caller requests the \
            type. If the output is a list, `Method::get_output` returns the list without an error."
        source: "ExecuTorch's `MethodMeta::output_tag` checks the type. The exporter flattens lists into their \
            elements. The rule's strength is `should` because ExecuTorch prepares and executes such a method."
        cwe: ["CWE-843"]
    }
    PLAN_INPUTS_NONCONST = "plan-inputs-nonconst", Must, Text, File, Method, "program" {
        "No input of a method is a constant tensor, whether the data of the constant is in the program or external."
        rationale: "When a caller sets an input, the reader copies the caller's bytes over the tensor's data. If \
            the tensor is a constant, the reader changes the constant for all methods, or crashes because the \
            memory is read-only."
        readers: "Some readers do not check the rule."
        source: "A comment in ExecuTorch's `schema/program.fbs` restricts inputs to tensors that are not part of the \
            saved program. The rule's strength is `must` because the comment excludes constants, and because the \
            caller's data can change the model."
        refs: ["S-13"]
        cwe: ["CWE-471"]
    }
    PLAN_INPUTS_DISTINCT = "plan-inputs-distinct", Should, Writer, File, Method, "program" {
        "`inputs` contains each index at most once."
        rationale: "If `inputs` contains an index twice, a caller has to set both positions, and the second write \
            replaces the first write. The result depends on the order of the calls that set the inputs."
        readers: "No reader compares the inputs with each other. ExecuTorch returns InvalidArgument (0x12) if a \
            caller runs the method before every position is set."
        source: "The exporter assigns each input of the traced graph its own value."
    }
    PLAN_DELEGATES_NONNULL = "plan-delegates-nonnull", Must, Loader, File, Method, "program" {
        "Every method has `delegates`, which may be empty."
        rationale: "To query a method's backends, a host iterates over `delegates` before it prepares the method. \
            If `delegates` is absent, the host dereferences a null pointer."
        readers: "If `delegates` is absent, ExecuTorch returns InvalidProgram (0x23) when it prepares the method. \
            ExecuTorch's query for backends dereferenced the null pointer (issue pytorch/executorch#22404) until the \
            fix pytorch/executorch#22405."
        source: "ExecuTorch's `Method::init` checks for `delegates`. In `schema/program.fbs`, `delegates` is optional. \
            The exporter always writes `delegates`, so the rule affects no exported file."
        refs: ["P-07", "pytorch/executorch#22404", "pytorch/executorch#22405"]
        cwe: ["CWE-476"]
    }
    PLAN_OPERATORS_NONNULL = "plan-operators-nonnull", Must, Loader, File, Method, "program" {
        "A method with a KernelCall has `operators`."
        rationale: "Every KernelCall selects its operator from `operators` by index. If `operators` is absent, a \
            reader applies the index to a null pointer."
        readers: "If `operators` is absent, ExecuTorch returns InvalidProgram (0x23) when it prepares the method. A \
            method without kernel calls does not need `operators`."
        source: "ExecuTorch's `Method::resolve_operator` checks for `operators`. In `schema/program.fbs`, `operators` \
            is optional."
        refs: ["P-06", "pytorch/executorch#1516"]
        cwe: ["CWE-476"]
    }
    PLAN_CHAINS = "plan-chains", Must, Loader, File, Method, "program" {
        "Every method has at least one chain, and every chain has `instructions`, which may be empty."
        rationale: "At each step of a run, a reader compares its position with the length of `instructions`. If \
            `instructions` is absent, the reader dereferences a null pointer. A method without a chain returns its \
            outputs without computing them."
        readers: "For a method without a chain, or a chain without `instructions`, ExecuTorch returns InvalidProgram \
            (0x23) when it prepares the method. A chain with an empty list of instructions runs and does nothing."
        source: "ExecuTorch's `Method::init` checks the chains. The exporter writes one empty chain for a method that \
            only returns inputs or constants."
        refs: ["P-06", "I-12"]
        cwe: ["CWE-476"]
    }
    PLAN_CHAIN_IO = "plan-chain-io", Should, Text, File, Method, "program" {
        "The `inputs` and `outputs` of a chain are indices of `values`, and its `stacktrace` is absent, empty or as \
            long as `instructions`."
        rationale: "Debuggers and viewers use the entries of `inputs` and `outputs` as indices, and show \
            `stacktrace` beside the instructions. A wrong index causes an error in a debugger or viewer."
        readers: "ExecuTorch does not read `inputs`, `outputs` or `stacktrace` of a chain."
        source: "ExecuTorch's `schema/program.fbs` defines one `stacktrace` entry per instruction, and the exporter \
            writes `stacktrace` only on request. The rule's strength is `should` because execution does not use \
            `inputs`, `outputs` or `stacktrace` of a chain."
    }
    PLAN_CONTAINER_META = "plan-container-meta", Should, Writer, File, Meta, "program" {
        "Every method has a `container_meta_type`."
        rationale: "`container_meta_type` describes the nesting of the exported module's outputs. Without \
            `container_meta_type`, a host has only a flat list of outputs."
        readers: "ExecuTorch uses `container_meta_type` only in `Program::get_output_flattening_encoding`. If \
            `container_meta_type` is absent, `get_output_flattening_encoding` returns InvalidProgram (0x23) in 1.2.0 \
            and later. Before 1.2.0, `get_output_flattening_encoding` dereferences a null pointer if \
            `container_meta_type` is absent (pytorch/executorch#16704)."
        source: "ExecuTorch's emitter writes `container_meta_type` for every method. The rule's strength is `should` \
            because a method loads and runs without `container_meta_type`."
        refs: ["P-08", "pytorch/executorch#16704"]
    }
    PLAN_NCB = "plan-ncb", Must, Loader, File, Meta, "program" {
        "Every entry of `non_const_buffer_sizes` except entry 0 is at least 0."
        rationale: "Hosts allocate buffers of the sizes in `non_const_buffer_sizes` before they prepare the method. \
            After conversion to an unsigned type, a negative size is a number close to 2^64."
        readers: "Since 1.3.0, ExecuTorch returns InvalidProgram (0x23) for a negative size when a host requests the \
            size. ExecuTorch does not check `non_const_buffer_sizes` when it prepares the method."
        source: "ExecuTorch's `MethodMeta::memory_planned_buffer_size` checks the size. A comment in \
            `schema/program.fbs` reserves entry 0."
        refs: ["M-04", "pytorch/executorch#18724"]
        cwe: ["CWE-195", "CWE-770"]
    }
    PLAN_NCB_FIRST_ZERO = "plan-ncb-first-zero", Should, Writer, File, Meta, "program" {
        "`non_const_buffer_sizes[0]` is 0."
        rationale: "Buffer ids start at 1, and entry 0 is reserved. A host that allocates every entry wastes memory \
            for entry 0. A tool that adds all entries to get the planned memory reports a wrong total."
        readers: "ExecuTorch ignores entry 0 and reports one buffer fewer than the length of `non_const_buffer_sizes`."
        source: "A comment in ExecuTorch's `schema/program.fbs` says to ignore entry 0, and the emitter writes 0."
        refs: ["M-07"]
    }
    PLAN_NCB_BOUNDED = "plan-ncb-bounded", Should, Policy, File, Method, "program" {
        "The planned buffers of a method have at most 2^40 bytes in total."
        rationale: "Only `non_const_buffer_sizes` determines how much memory hosts allocate for the buffers, so a few \
            bytes of the file can request terabytes. An allocation of terabytes fails, or other processes run out of \
            memory."
        readers: "ExecuTorch passes the buffer sizes to the host and sets no limit. Issue pytorch/executorch#7678 \
            shows the effect of a failed buffer allocation."
        source: "This project chose the limit, because no exported method needs 2^40 bytes. A caller of the checker \
            can set a different limit with `Limits::planned_memory`."
        refs: ["M-05", "pytorch/executorch#7678"]
    }
    PLAN_NCB_DEVICE = "plan-ncb-device", Must, Text, File, Method, "program" {
        "Each entry of `non_const_buffer_device` has a distinct, valid `buffer_idx` and a non-negative `device_type`; \
            for devices other than the CPU, `device_index` is also non-negative."
        rationale: "`non_const_buffer_device` determines which device's memory contains a planned buffer. If two \
            entries name one buffer, or if the device is unknown, code on one device writes to an address of \
            another device."
        readers: "Since 1.3.0, ExecuTorch looks up the entry of a buffer when a host requests the buffer's device. \
            Some readers do not check the entries of `non_const_buffer_device`."
        source: "The rule follows the comments and the enum `DeviceType` in ExecuTorch's `schema/program.fbs`. A \
            valid `buffer_idx` is at least 1 and below the number of `non_const_buffer_sizes`. The exporter writes \
            one entry per buffer that is not on the CPU. Release 1.3.0 added `non_const_buffer_device`. The rule \
            `plan-ncb-device-known` covers device types above 1."
        cwe: ["CWE-436"]
    }
    PLAN_NCB_DEVICE_KNOWN = "plan-ncb-device-known", May, Text, File, Method, "program" {
        "The `device_type` of each entry of `non_const_buffer_device` is at most 1 (CUDA)."
        rationale: "A later release can define a device type above 1. A reader that treats every device type except \
            CPU as CUDA allocates the buffer on a wrong device."
        readers: "Some readers do not check the device types of planned buffers."
        source: "The enum `DeviceType` in ExecuTorch's `schema/program.fbs` defines 0 (CPU) and 1 (CUDA). The rule's \
            strength is `may` because later releases can extend the enum."
    }
    PLAN_NCB_HOST = "plan-ncb-host", May, Policy, File, Method, "program" {
        "No entry of `non_const_buffer_device` names a device other than the CPU."
        rationale: "A host without the device cannot allocate the buffer. If a reader allocates the buffer in host \
            memory instead, code on the device dereferences a host address."
        readers: "Some readers do not check the devices of planned buffers."
        source: "The exporter writes an entry for each buffer that is not on the CPU. The rule's strength is `may` \
            because the program is valid, although not every host has the device. The rule `mem-device-honored` \
            states the requirement for readers."
        refs: ["pytorch/executorch#22058"]
    }
}

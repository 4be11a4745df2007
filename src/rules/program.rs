//! A program and its methods, `Program` and `ExecutionPlan`: chapter `program` of the book.

rules! {
    PROG_VERSION_ZERO = "prog-version-zero", Must, File, Meta, "program" {
        "`Program.version` is 0."
        why: "A new number announces a change of meaning that the tables do not show. A reader that ignores the number \
            misreads fields that look valid."
        readers: "ExecuTorch rejects a version above 0 when it loads the program since 1.5.1 (0x23). Earlier releases \
            do not check the version."
        source: "The exporter writes `EXECUTORCH_SCHEMA_VERSION`, which has always been 0. The rule is a must because \
            a released reader rejects every other value."
        refs: ["H-13", "pytorch/executorch#22114"]
        cwe: ["CWE-436"]
    }
    PLAN_LIST_NONNULL = "plan-list-nonnull", Must, File, Meta, "program" {
        "`Program.execution_plan` is present."
        why: "The field is the list of methods, and the schema makes it optional. A reader that searches an absent \
            list dereferences a null pointer."
        readers: "At InternalConsistency, ExecuTorch rejects the program at load time (0x23). At Minimal it loads the \
            program and reports no methods. Some readers search the list without a check for its absence."
        source: "`validate_program`. A program without the list has no methods to find."
        refs: ["P-01", "pytorch/executorch#1519", "pytorch/executorch#17491"]
        cwe: ["CWE-476"]
    }
    PLAN_NONEMPTY = "plan-nonempty", Should, File, Meta, "program" {
        "A program has at least one method."
        why: "A reader opens such a file, but the file has nothing to run. An application that tests only whether the \
            file loads detects the defect late."
        readers: "No reader rejects a violation when it loads the program. ExecuTorch returns 0x12 for any method."
        source: "This project infers the rule: the exporter writes at least one method. The rule is a should because \
            an empty list is safe to read."
        refs: ["P-01"]
    }
    PLAN_NAME = "plan-name", Must, File, Meta, "program" {
        "Every method has a `name`."
        why: "A reader finds a method by comparing names in order. A method without a name is a null pointer in that \
            search."
        readers: "ExecuTorch skips a method without a name in the search since 1.2.0 (#16795). A request for its name \
            returns 0x23."
        source: "`Program::get_method_name` and `get_execution_plan`. The schema makes the field optional, and the \
            exporter always writes it."
        refs: ["P-03", "pytorch/executorch#16795"]
        cwe: ["CWE-476"]
    }
    PLAN_NAME_NONEMPTY = "plan-name-nonempty", Should, File, Meta, "program" {
        "No method's `name` is the empty string."
        why: "Many programs treat an empty name as no name, so they run the method by accident or never."
        readers: "No reader checks the rule. ExecuTorch finds the method by the empty name."
        source: "This project infers the rule: the exporter uses the name of the exported function, which is `forward` \
            by default."
    }
    PLAN_NAME_UNIQUE = "plan-name-unique", Should, File, Meta, "program" {
        "No two methods of a program have the same `name`."
        why: "A lookup returns only one of the two methods, and readers may choose differently. A reviewer can examine \
            one method while a device runs the other."
        readers: "No reader rejects a violation. ExecuTorch takes the first method whose name is equal up to the first \
            NUL, and counts both methods."
        source: "This project infers the rule: the name is the only key of a method. The exporter keeps methods in a \
            dictionary and writes them sorted."
        refs: ["P-04"]
    }
    PLAN_VALUES_NONNULL = "plan-values-nonnull", Must, File, Meta, "program" {
        "Every method has `values`."
        why: "Inputs, outputs, lists and instructions are indices into this list. A reader that takes the length of an \
            absent list dereferences a null pointer."
        readers: "At InternalConsistency, ExecuTorch rejects the program at load time (0x23). At Minimal it rejects \
            the method during preparation (0x23). Some readers do not check the list before they read metadata."
        source: "`validate_program` and `Method::parse_values`. The schema makes the field optional."
        refs: ["P-05", "pytorch/executorch#17491"]
        cwe: ["CWE-476"]
    }
    PLAN_IO_NONNULL = "plan-io-nonnull", Must, File, Meta, "program" {
        "Every method has `inputs`, `outputs` and `non_const_buffer_sizes`, which may be empty."
        why: "A host reads the three lengths first, to allocate memory. Accessors return these lengths as plain \
            numbers and cannot report an error."
        readers: "ExecuTorch rejects a violation at both levels when a host requests the method's metadata or prepares \
            the method (0x23)."
        source: "`Program::method_meta`. The schema makes all three fields optional, and the exporter always writes \
            them."
        refs: ["P-06", "pytorch/executorch#1519"]
        cwe: ["CWE-476"]
    }
    PLAN_IO_RANGE = "plan-io-range", Must, File, Method, "program" {
        "Every entry of `inputs` and `outputs` is an index of `values`: at least 0 and below the number of values."
        why: "The reader uses the index after loading, when a caller sets an input or takes an output. An unchecked \
            index reads and writes memory outside the array of values."
        readers: "ExecuTorch compares the index when a host requests the metadata of that input or output (0x23, since \
            0.6.0). ExecuTorch does not compare the index while it prepares the method, and some readers do not \
            compare the index before use."
        source: "`MethodMeta::input_tag` and `MethodMeta::output_tag`. The exporter writes only indices of values."
        refs: ["P-09", "pytorch/executorch#1572"]
        cwe: ["CWE-129", "CWE-125"]
    }
    PLAN_IO_TYPES = "plan-io-types", Must, File, Method, "program" {
        "Every value in `inputs` or `outputs` is a Null, Tensor, Int, Bool, Double or String."
        why: "A caller cannot pass a list: the elements of a list are other values of the method, which the caller \
            neither sees nor owns."
        readers: "ExecuTorch returns 0x01 for the type of such an input or output, and 0x12 when a caller sets such an \
            input. ExecuTorch does not check the type while it prepares the method."
        source: "`MethodMeta::input_tag` and `Method::set_input`. The exporter flattens lists into their elements."
        cwe: ["CWE-843"]
    }
    PLAN_INPUTS_NONCONST = "plan-inputs-nonconst", Must, File, Method, "program" {
        "No input of a method is a constant tensor, neither in the program nor external."
        why: "Setting an input copies the caller's bytes to the tensor's data. That data is a constant that all \
            methods share, or read-only memory, where the write ends the process."
        readers: "Some readers do not check the rule."
        source: "A comment in the schema: inputs are only tensors outside the saved program. The rule is a must \
            because of that text, and because the caller's data can change the model."
        refs: ["S-13"]
        cwe: ["CWE-471"]
    }
    PLAN_INPUTS_DISTINCT = "plan-inputs-distinct", Should, File, Method, "program" {
        "`inputs` contains no value twice."
        why: "The caller has to set both inputs, and the last write wins. The result then depends on the order in \
            which the caller sets them."
        readers: "No reader compares the inputs. ExecuTorch requires that a caller sets every position before it runs \
            the method (0x12)."
        source: "This project infers the rule: the exporter gives each input of the traced graph its own value."
    }
    PLAN_DELEGATES_NONNULL = "plan-delegates-nonnull", Must, File, Method, "program" {
        "Every method has `delegates`, which may be empty."
        why: "Hosts query the backends of a method before they prepare it, and iterate over this list. If the list is \
            absent, a host dereferences a null pointer."
        readers: "ExecuTorch rejects a violation when it prepares the method (0x23). Its query for the backends \
            dereferenced the null pointer until #22405, which fixes issue #22404."
        source: "`Method::init`. The schema makes the list optional. The exporter always writes it, so the rejection \
            affects no exported file."
        refs: ["P-07", "pytorch/executorch#22404", "pytorch/executorch#22405"]
        cwe: ["CWE-476"]
    }
    PLAN_OPERATORS_NONNULL = "plan-operators-nonnull", Must, File, Method, "program" {
        "A method with a KernelCall has `operators`."
        why: "Every KernelCall finds its operator in this list by index. If the list is absent, the reader applies the \
            index to a null pointer."
        readers: "ExecuTorch checks the list when it prepares the method (0x23). A method without kernel calls does \
            not need the list."
        source: "`Method::resolve_operator`. The schema makes the list optional."
        refs: ["P-06", "pytorch/executorch#1516"]
        cwe: ["CWE-476"]
    }
    PLAN_CHAINS = "plan-chains", Must, File, Method, "program" {
        "Every method has at least one chain, and every chain has `instructions`, which may be empty."
        why: "The reader takes the length of `instructions` at each step of a run. A method without a chain returns \
            outputs that nothing computed."
        readers: "ExecuTorch rejects both defects when it prepares the method (0x23). A chain with an empty list of \
            instructions runs and does nothing."
        source: "`Method::init`. The exporter writes one empty chain for a method that only returns inputs or \
            constants."
        refs: ["P-06", "I-12"]
        cwe: ["CWE-476"]
    }
    PLAN_CHAIN_IO = "plan-chain-io", Should, File, Method, "program" {
        "The `inputs` and `outputs` of a chain are indices of `values`, and its `stacktrace` is absent, empty or as \
            long as `instructions`."
        why: "Debuggers and viewers index by these fields. A wrong index breaks the tool that examines the file."
        readers: "ExecuTorch does not read the three fields."
        source: "The schema gives `stacktrace` one entry per instruction, and the exporter writes `stacktrace` only on \
            request. The rule is a should because execution does not use these fields."
    }
    PLAN_CONTAINER_META = "plan-container-meta", Should, File, Meta, "program" {
        "Every method has a `container_meta_type`."
        why: "The table describes how the exported module nested its outputs. Without it, a host has only a flat list."
        readers: "ExecuTorch needs the table only in `Program::get_output_flattening_encoding`. If the table is \
            absent, the call returns 0x23 since 1.2.0; earlier releases dereferenced a null pointer (#16704)."
        source: "The emitter writes it for every method. The rule is a should because a method loads and runs without \
            the table."
        refs: ["P-08", "pytorch/executorch#16704"]
    }
    PLAN_NCB = "plan-ncb", Must, File, Meta, "program" {
        "Every entry of `non_const_buffer_sizes` from index 1 on is at least 0."
        why: "Hosts allocate these byte counts before they prepare the method. A negative count, converted to \
            unsigned, is almost 2^64."
        readers: "ExecuTorch rejects the entry when a host requests the size (0x23, since 1.3.0). ExecuTorch does not \
            check the entry while it prepares the method."
        source: "`MethodMeta::memory_planned_buffer_size`. A comment in the schema reserves index 0."
        refs: ["M-04", "pytorch/executorch#18724"]
        cwe: ["CWE-195", "CWE-770"]
    }
    PLAN_NCB_FIRST_ZERO = "plan-ncb-first-zero", Should, File, Meta, "program" {
        "`non_const_buffer_sizes[0]` is 0."
        why: "Buffer ids start at 1, and entry 0 is reserved. A host that allocates every entry allocates this number \
            of bytes for nothing; a tool that adds the entries reports a wrong sum."
        readers: "ExecuTorch skips the entry: it reports one buffer fewer than the length of the list."
        source: "A comment in the schema says to ignore the entry, and the emitter writes 0."
        refs: ["M-07"]
    }
    PLAN_NCB_BOUNDED = "plan-ncb-bounded", Should, File, Method, "program" {
        "The planned buffers of a method have at most 2^40 bytes in total."
        why: "Hosts allocate the buffers from these numbers alone, so a few bytes of the file can request terabytes. \
            The allocation fails, or takes memory from other processes."
        readers: "ExecuTorch passes the sizes to the host and sets no limit. Issue #7678 shows the effect of a failed \
            allocation of this kind."
        source: "A choice of this project: no exported method needs 2^40 bytes. `Limits::planned_memory` sets the \
            limit in this checker."
        refs: ["M-05", "pytorch/executorch#7678"]
    }
    PLAN_NCB_DEVICE = "plan-ncb-device", Must, File, Method, "program" {
        "Each entry of `non_const_buffer_device` has a distinct `buffer_idx` from 1 to the last index of \
            `non_const_buffer_sizes`, a `device_type` of 0 or 1, and a `device_index` of at least 0 unless the device \
            is the CPU."
        why: "The entry decides where a planned buffer is. With two entries for one buffer, or an unknown device, host \
            code writes to a device address, or device code writes to a host address."
        readers: "ExecuTorch looks up a buffer since 1.3.0, when a host requests its device. Some readers do not check \
            the numbers."
        source: "The schema's comments and its enum `DeviceType`. The exporter writes one entry per buffer that is not \
            on the CPU; the field exists since 1.3.0."
        cwe: ["CWE-436"]
    }
}

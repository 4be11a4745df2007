//! Patterns of values (V), instructions (I), delegates and their blobs (D, L) and kernels (K).

patterns! {
    "V-01" = "Tensor list index out of range" {
        "An item of a TensorList is negative or not below the number of values. A careless reader reads a value \
            outside the list."
        refs: ["pytorch/executorch#17491"]
    }
    "V-02" = "Tensor list item that is no Tensor" {
        "An item of a TensorList names an Int, another list, or the list itself. A careless reader interprets its \
            bytes as a tensor."
    }
    "V-03" = "Invalid item of an optional tensor list" {
        "An item of an OptionalTensorList is below -1, or names a value that is no Tensor. Only -1 stands for an \
            absent tensor."
    }
    "V-04" = "Integer list item that is no Int" {
        "An item of an IntList names a value of another type. The items are value indices, so a careless reader stops \
            in an assertion when a kernel reads the list."
    }
    "V-05" = "Integer list index out of range" {
        "An item of an IntList is negative or not below the number of values. A careless reader builds pointers \
            outside the list of values."
    }
    "V-06" = "Value without content" {
        "A list has no `items`, a String has no `string_val`, or an EValue has no `val`. A careless reader \
            dereferences a null pointer."
        refs: ["pytorch/executorch#14749", "pytorch/executorch#16162"]
    }
    "V-07" = "List that names a later value" {
        "An item of a tensor list names the list itself or a value after it. A reader that parses values in order \
            reads uninitialized memory."
    }
    "I-01" = "Operator index out of range" {
        "`op_index` of a KernelCall is negative or not below the number of operators. A careless reader calls through \
            a pointer outside the table."
        refs: ["pytorch/executorch#1516"]
    }
    "I-02" = "Argument index out of range" {
        "An argument of an instruction is negative or not below the number of values. A careless reader gives the \
            kernel a pointer outside the list of values."
        refs: ["pytorch/executorch#1517"]
    }
    "I-03" = "Too few kernel arguments" {
        "A KernelCall has fewer arguments than its operator reads. A careless kernel reads pointers after the end of \
            the argument list."
        refs: ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm", "pytorch/executorch#12987"]
    }
    "I-04" = "Endless loop" {
        "A JumpFalseCall jumps to itself or to an earlier instruction, and its condition never changes. A reader \
            without a limit executes it forever."
        refs: ["pytorch/executorch#18679"]
    }
    "I-05" = "Jump destination out of range" {
        "`destination_instruction` of a JumpFalseCall is negative or past the end of the chain. Readers disagree: some \
            end the chain, others report an error."
    }
    "I-06" = "Invalid jump condition" {
        "`cond_value_index` of a JumpFalseCall is out of range, or names a value that is neither a Bool nor a Tensor \
            of bools with data. A careless reader interprets other bytes as the condition."
        refs: ["pytorch/executorch#12294"]
    }
    "I-07" = "Move index out of range" {
        "`move_from` or `move_to` of a MoveCall is out of range. A careless reader copies a value from or to memory \
            outside the list."
        refs: ["pytorch/executorch#18658"]
    }
    "I-08" = "Move that changes a list item's type" {
        "A MoveCall stores an Int where a list expects a Tensor. A careless reader uses the number as a pointer to a \
            tensor."
        refs: ["pytorch/executorch#18962"]
    }
    "I-09" = "Free index out of range" {
        "`value_index` of a FreeCall is out of range. A careless reader frees memory outside the list of values."
        refs: ["pytorch/executorch#18176"]
    }
    "I-10" = "Free of a value that is no Tensor" {
        "`value_index` of a FreeCall names a value of another type. A careless reader interprets it as a tensor and \
            changes its bytes."
        refs: ["pytorch/executorch#18803"]
    }
    "I-11" = "Delegate index out of range" {
        "`delegate_index` of a DelegateCall is negative or not below the number of delegates. A reader that checks the \
            index only at execution accepts the method."
    }
    "I-12" = "Instruction without content" {
        "`instructions` or `args` is absent, or an instruction's type is NONE. A careless reader dereferences a null \
            pointer."
        refs: ["pytorch/executorch#1516"]
    }
    "I-13" = "Invalid operator name" {
        "An operator's `name` is absent or thousands of characters long, or its `overload` is absent. A careless \
            reader dereferences a null pointer or overflows a fixed buffer."
        refs: ["pytorch/executorch#1516"]
    }
    "D-01" = "Inline delegate index out of range" {
        "`processed.index` of an INLINE delegate is not below the length of `backend_delegate_data`. A careless reader \
            gives the backend bytes from elsewhere."
    }
    "D-02" = "Inline delegate without the list of blobs" {
        "A delegate's data is INLINE, but `backend_delegate_data` is absent. A careless reader dereferences a null \
            pointer."
        refs: ["pytorch/executorch#19904"]
    }
    "D-03" = "Delegate without `processed`" {
        "`processed` of a delegate is absent. A careless reader dereferences a null pointer to find the blob's place."
    }
    "D-04" = "Inline blob without `data`" {
        "An entry of `backend_delegate_data` has no `data`. A careless reader dereferences a null pointer to find the \
            blob's length."
        refs: ["pytorch/executorch#19904"]
    }
    "D-05" = "Compile spec without `value`" {
        "A CompileSpec has no `value`. A careless reader dereferences a null pointer to find the length of `value`."
    }
    "D-06" = "Compile spec without `key`" {
        "A CompileSpec has no `key`. A careless reader gives the backend an invalid pointer as a string."
    }
    "D-07" = "Delegate without `compile_specs`" {
        "`compile_specs` of a delegate is absent. The file is valid, and readers treat the list as empty."
        refs: ["pytorch/executorch#18805"]
    }
    "D-08" = "Delegate with an absent or unknown id" {
        "`id` of a delegate is absent, or names a backend that the reader does not have. A careless reader compares a \
            null pointer with the names of its backends."
        refs: ["pytorch/executorch#19904"]
    }
    "D-09" = "Unknown location of delegate data" {
        "`processed.location` of a delegate is neither INLINE nor SEGMENT. A careless reader interprets the index in \
            the wrong list."
    }
    "D-10" = "Delegate segment index out of range" {
        "`processed.index` of a SEGMENT delegate is not below the number of segments. A careless reader takes the \
            blob's range from other bytes."
        refs: ["pytorch/executorch#19916"]
    }
    "L-01" = "XNNPACK blob with invalid regions" {
        "The regions that an XNNPACK blob's header declares overlap or extend past the blob. A careless backend parses \
            a FlatBuffer that nothing has verified."
        refs: ["pytorch/executorch#18784"]
    }
    "L-02" = "XNNPACK blob with invalid indices" {
        "An XNNPACK blob names an unknown value id, a buffer index out of range, or a constant past its data. A \
            careless backend reads weights outside the blob."
        refs: ["pytorch/executorch#18820", "pytorch/executorch#19285", "pytorch/executorch#19593"]
    }
    "L-03" = "XNNPACK blob with reserved flags" {
        "A value of an XNNPACK blob sets reserved flag bits. A careless backend frees the same memory twice."
        refs: ["pytorch/executorch#19102"]
    }
    "L-04" = "XNNPACK blob with invalid dimensions" {
        "A value of an XNNPACK blob has a `num_dims` that differs from the length of `dims`, no `dims`, or a dimension \
            above 2^20. A careless backend reads past the vector."
        refs: ["pytorch/executorch#18896", "pytorch/executorch#19013"]
    }
    "L-05" = "Vulkan blob with invalid constants" {
        "A Vulkan blob has a `constant_id` beyond its constants, or sizes whose product overflows. A careless backend \
            reads outside the blob."
    }
    "L-06" = "WebGPU blob shorter than its header" {
        "A WebGPU blob is shorter than its header of 30 bytes. A careless backend parses the header without the blob's \
            length."
    }
    "L-07" = "Ethos-U command stream without bounds" {
        "The command stream of an Ethos-U blob ends inside an entry, or declares more inputs and outputs than the \
            backend has room for. A careless backend reads past the stream."
    }
    "L-08" = "VGF blob with invalid dimensions" {
        "A VGF blob has negative dimensions or a product of dimensions that overflows. A careless backend allocates \
            too little."
        refs: ["pytorch/executorch#19256"]
    }
    "K-01" = "Kernel arguments outside the operator's contract" {
        "The arguments have the right types but invalid values, such as a stride of 2^63 - 1 or an index past the \
            destination. A careless kernel reads or writes outside its tensors."
        refs: [
            "CVE-2025-54949", "CVE-2025-54950", "GHSA-9m39-3mf3-xwch", "GHSA-f9hx-c6jf-3qxm",
            "pytorch/executorch#12697", "pytorch/executorch#12827", "pytorch/executorch#16468",
            "pytorch/executorch#18018",
        ]
    }
}

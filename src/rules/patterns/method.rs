//! Patterns of values (V), instructions (I), delegates and their blobs (D, L) and kernels (K).

patterns! {
    "V-01" = "Tensor list index out of range" {
        "An item of a TensorList is negative or not below the number of values."
        refs: ["pytorch/executorch#17491"]
    }
    "V-02" = "Tensor list item that is not a Tensor" {
        "An item of a TensorList is the index of an Int, of another list, or of the list itself."
    }
    "V-03" = "Invalid item of an optional tensor list" {
        "An item of an OptionalTensorList is below -1, or is the index of a value that is neither a Tensor nor a Null."
    }
    "V-04" = "Integer list item that is not an Int" {
        "An item of an IntList is the index of a value with another type."
    }
    "V-05" = "Integer list index out of range" {
        "An item of an IntList is negative or not below the number of values."
    }
    "V-06" = "Value without content" {
        "A list has no `items`, a String has no `string_val`, or an EValue has no `val`."
        refs: ["pytorch/executorch#14749", "pytorch/executorch#16162"]
    }
    "V-07" = "List that refers to a later value" {
        "An item of a tensor list is the index of the list itself or of a later value, which is not parsed yet."
    }
    "I-01" = "Operator index out of range" {
        "A KernelCall's `op_index` is negative or not below the number of operators."
        refs: ["pytorch/executorch#1516"]
    }
    "I-02" = "Argument index out of range" {
        "An argument of an instruction is negative or not below the number of values."
        refs: ["pytorch/executorch#1517"]
    }
    "I-03" = "Too few kernel arguments" {
        "A KernelCall has fewer arguments than its operator reads."
        refs: ["CVE-2025-54950", "GHSA-f9hx-c6jf-3qxm", "pytorch/executorch#12987"]
    }
    "I-04" = "Endless loop" {
        "A JumpFalseCall jumps to itself or to an earlier instruction, and its condition never changes."
        refs: ["pytorch/executorch#18679"]
    }
    "I-05" = "Jump destination out of range" {
        "A JumpFalseCall's `destination_instruction` is negative or past the end of the chain."
    }
    "I-06" = "Invalid jump condition" {
        "A JumpFalseCall's `cond_value_index` is out of range, or selects neither a Bool nor a Tensor that has bool \
            elements and data."
        refs: ["pytorch/executorch#12294"]
    }
    "I-07" = "Move index out of range" {
        "A MoveCall's `move_from` or `move_to` is out of range."
        refs: ["pytorch/executorch#18658"]
    }
    "I-08" = "Move that changes a list item's type" {
        "A MoveCall stores an Int in a value that a list uses as a Tensor."
        refs: ["pytorch/executorch#18962"]
    }
    "I-09" = "Free index out of range" {
        "A FreeCall's `value_index` is out of range."
        refs: ["pytorch/executorch#18176"]
    }
    "I-10" = "Free of a value that is not a Tensor" {
        "A FreeCall's `value_index` selects a value that is not a Tensor."
        refs: ["pytorch/executorch#18803"]
    }
    "I-11" = "Delegate index out of range" {
        "A DelegateCall's `delegate_index` is negative or not below the number of delegates."
    }
    "I-12" = "Instruction without content" {
        "`instructions` or `args` is absent, or an instruction's type is NONE."
        refs: ["pytorch/executorch#1516"]
    }
    "I-13" = "Invalid operator name" {
        "An operator's `name` is absent or thousands of characters long, or its `overload` is absent."
        refs: ["pytorch/executorch#1516"]
    }
    "D-01" = "Inline delegate index out of range" {
        "An INLINE delegate's `processed.index` is not below the length of `backend_delegate_data`."
    }
    "D-02" = "Inline delegate without `backend_delegate_data`" {
        "A delegate's data location is INLINE, but `backend_delegate_data` is absent."
        refs: ["pytorch/executorch#19904"]
    }
    "D-03" = "Delegate without `processed`" {
        "A delegate's `processed` is absent."
    }
    "D-04" = "Inline blob without `data`" {
        "An entry in `backend_delegate_data` has no `data`."
        refs: ["pytorch/executorch#19904"]
    }
    "D-05" = "Compile spec without `value`" {
        "A CompileSpec has no `value`."
    }
    "D-06" = "Compile spec without `key`" {
        "A CompileSpec has no `key`."
    }
    "D-07" = "Delegate without `compile_specs`" {
        "A delegate's `compile_specs` is absent. The file is valid, and the list counts as empty."
        refs: ["pytorch/executorch#18805"]
    }
    "D-08" = "Delegate with an absent or unknown id" {
        "A delegate's `id` is absent, or names a backend that the reader does not have."
        refs: ["pytorch/executorch#19904"]
    }
    "D-09" = "Unknown location of delegate data" {
        "A delegate's `processed.location` is neither INLINE nor SEGMENT."
    }
    "D-10" = "Delegate segment index out of range" {
        "A SEGMENT delegate's `processed.index` is not below the number of segments."
        refs: ["pytorch/executorch#19916"]
    }
    "L-01" = "XNNPACK blob with invalid regions" {
        "An XNNPACK blob's header declares regions that overlap or extend past the blob."
        refs: ["pytorch/executorch#18784"]
    }
    "L-02" = "XNNPACK blob with invalid indices" {
        "An XNNPACK blob contains an unknown value id, a buffer index out of range, or a constant past the end of the \
            constant data."
        refs: ["pytorch/executorch#18820", "pytorch/executorch#19285", "pytorch/executorch#19593"]
    }
    "L-03" = "XNNPACK blob with reserved flags" {
        "A value in an XNNPACK blob sets reserved flag bits, so a backend frees the same memory twice."
        refs: ["pytorch/executorch#19102"]
    }
    "L-04" = "XNNPACK blob with invalid dimensions" {
        "A value in an XNNPACK blob lacks `dims`, has a `num_dims` that is not the length of `dims`, or has a \
            dimension of more than 2^20."
        refs: ["pytorch/executorch#18896", "pytorch/executorch#19013"]
    }
    "L-05" = "Vulkan blob with invalid constants" {
        "A Vulkan blob has a `constant_id` past the end of its list of constants, or sizes whose product overflows."
    }
    "L-06" = "WebGPU blob shorter than its header" {
        "A WebGPU blob is shorter than its 30-byte header."
    }
    "L-07" = "Ethos-U command stream that is too short" {
        "An Ethos-U blob's command stream ends inside an entry, or declares more inputs and outputs than the backend \
            supports."
    }
    "L-08" = "VGF blob with invalid dimensions" {
        "A VGF blob has negative dimensions, or dimensions whose product overflows."
        refs: ["pytorch/executorch#19256"]
    }
    "K-01" = "Kernel arguments outside the operator's contract" {
        "Kernel arguments have the right types but invalid values, such as a stride of 2^63 - 1 or an index past the \
            destination."
        refs: [
            "CVE-2025-54949", "CVE-2025-54950", "GHSA-9m39-3mf3-xwch", "GHSA-f9hx-c6jf-3qxm",
            "pytorch/executorch#12697", "pytorch/executorch#12827", "pytorch/executorch#16468",
            "pytorch/executorch#18018",
        ]
    }
}

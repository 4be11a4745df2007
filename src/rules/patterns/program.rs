//! Patterns of program and plan tables (P), tensors (T) and the memory plan (M).

patterns! {
    "P-01" = "No execution plan" {
        "`execution_plan` is absent or empty."
        refs: ["pytorch/executorch#1519"]
    }
    "P-02" = "Very large number of plans" {
        "The program has 100,000 plans, or another list with 100,000 entries, so reading a small file can take minutes."
    }
    "P-03" = "Plan without a name" {
        "An execution plan's `name` is absent."
        refs: ["pytorch/executorch#16795"]
    }
    "P-04" = "Duplicate method names" {
        "Two execution plans have the same `name`."
    }
    "P-05" = "Plan without values" {
        "An execution plan's `values` is absent."
    }
    "P-06" = "Plan without a required list" {
        "`chains`, `operators`, `inputs`, `outputs` or `non_const_buffer_sizes` is absent."
        refs: ["pytorch/executorch#1516", "pytorch/executorch#1519"]
    }
    "P-07" = "Plan without delegates" {
        "An execution plan's `delegates` is absent instead of empty, and a query for the backends reads the list."
        refs: ["pytorch/executorch#22404", "pytorch/executorch#22405"]
    }
    "P-08" = "Plan without container metadata" {
        "`container_meta_type`, or one of its strings, is absent, which matters to a host that restores how the outputs nest."
        refs: ["pytorch/executorch#16704"]
    }
    "P-09" = "Input or output index out of range" {
        "An entry in `inputs` or `outputs` is negative or not below the number of values."
        refs: ["pytorch/executorch#1572"]
    }
    "P-10" = "Constants in both `constant_buffer` and `constant_segment`" {
        "`constant_buffer` and `constant_segment` both contain constants."
    }
    "P-11" = "Constants in `constant_buffer`" {
        "The constants are in the deprecated `constant_buffer`. The file is valid, but recent builds of the runtime \
            cannot read it."
        refs: ["pytorch/executorch#19522"]
    }
    "T-01" = "Negative tensor size" {
        "An entry of a Tensor's `sizes` is negative."
        refs: ["pytorch/executorch#18724"]
    }
    "T-02" = "Number of elements that overflows" {
        "The product of `sizes` is 2^63 or more, for example with three dimensions of 2,000,000,000 each."
        refs: [
            "CVE-2025-30402", "GHSA-h952-963h-rv99", "pytorch/executorch#11217", "pytorch/executorch#17987",
            "pytorch/executorch#19121",
        ]
    }
    "T-03" = "Number of bytes that overflows" {
        "The number of elements fits in 64 bits, but multiplied by the element width, it wraps to a small number or 0."
        refs: ["pytorch/executorch#11217", "pytorch/executorch#16706"]
    }
    "T-04" = "Size that overflows on 32-bit hosts" {
        "A tensor's byte count, from fixed sizes or upper bounds, fits in 64 bits but not in 32."
        refs: ["pytorch/executorch#19121"]
    }
    "T-05" = "Tensor without `sizes` or `dim_order`" {
        "A Tensor's `sizes` or `dim_order` is absent."
        refs: ["pytorch/executorch#19267", "pytorch/executorch#19878"]
    }
    "T-06" = "`sizes` and `dim_order` of different length" {
        "A Tensor's `dim_order` is shorter or longer than its `sizes`."
        refs: ["pytorch/executorch#17131"]
    }
    "T-07" = "`dim_order` that is not a permutation" {
        "`dim_order` repeats a dimension or contains a number that is not below the rank."
        refs: ["pytorch/executorch#17314"]
    }
    "T-08" = "Rank above 16" {
        "A Tensor has more than 16 dimensions."
        refs: ["CVE-2025-54951", "GHSA-xc7w-r669-48pf", "pytorch/executorch#12684"]
    }
    "T-09" = "Rank of exactly 16" {
        "A Tensor has exactly 16 dimensions. The file is valid, but a kernel that adds a dimension writes past an \
            array of 16."
    }
    "T-10" = "Unknown scalar type" {
        "`scalar_type` is a number that no type uses, such as 99."
    }
    "T-11" = "Scalar type that the schema comments out" {
        "`scalar_type` is a complex type (8 to 10) or a bit type (18 to 21), which the runtime supports although \
            `schema/scalar_type.fbs` comments it out."
    }
    "T-12" = "Storage offset other than 0" {
        "A Tensor's `storage_offset` is not 0."
    }
    "T-13" = "Constant index together with a memory plan" {
        "A Tensor has both a `data_buffer_idx` above 0 and `allocation_info`, so it is mutable and has initial state."
    }
    "T-14" = "Invalid device or shape dynamism" {
        "A Tensor has an unknown `device_type`, a negative `device_index`, or a shape dynamism that its device does \
            not support."
        refs: ["pytorch/executorch#21289"]
    }
    "T-15" = "External tensor without data" {
        "A Tensor's `location` is EXTERNAL, but no data file has a key with the Tensor's name."
    }
    "M-01" = "Memory id 0" {
        "A planned tensor's `memory_id` is 0, although buffer ids begin at 1."
    }
    "M-02" = "Memory id beyond the plan" {
        "A planned tensor's `memory_id` is not below the length of `non_const_buffer_sizes`."
    }
    "M-03" = "Planned tensor outside its buffer" {
        "A planned tensor's memory offset plus its length exceeds the buffer's size, or wraps."
        refs: [
            "CVE-2025-30405", "GHSA-84m3-f99p-cqx5", "pytorch/executorch#9406", "pytorch/executorch#12699",
            "pytorch/executorch#16103",
        ]
    }
    "M-04" = "Negative planned buffer size" {
        "An entry in `non_const_buffer_sizes` is negative."
        refs: ["pytorch/executorch#18724"]
    }
    "M-05" = "Very large planned buffer" {
        "An entry in `non_const_buffer_sizes` is 2^40 or more, so the allocation fails or its size overflows."
        refs: [
            "CVE-2025-30404", "CVE-2025-54952", "GHSA-33r8-vrx9-rmcv", "GHSA-hj95-mhgf-jxc4", "pytorch/executorch#7678",
            "pytorch/executorch#12679", "pytorch/executorch#12683",
        ]
    }
    "M-06" = "Fewer buffers than the plan needs" {
        "The application provides no planned memory, or fewer buffers than `non_const_buffer_sizes` requires."
        refs: ["pytorch/executorch#19267"]
    }
    "M-07" = "Reserved buffer size other than 0" {
        "The reserved entry `non_const_buffer_sizes[0]` is not 0."
    }
    "M-08" = "Overlapping planned tensors" {
        "Two planned tensors share bytes in a buffer, which is valid only if they are never in use at the same time."
    }
}

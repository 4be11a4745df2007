//! The memory plan, `AllocationDetails` and `ExecutionPlan.non_const_buffer_sizes`: chapter `memory` of the book.

rules! {
    MEM_ID_RANGE = "mem-id-range", Must, File, Method, "memory" {
        "`memory_id` of every Tensor's `allocation_info` is at least 1 and below the number of \
            `non_const_buffer_sizes`."
        why: "Ids start at 1 and readers subtract 1, so 0 becomes 2^32 - 1. With an id out of range, a reader computes \
            the tensor's address from memory outside the list of buffers."
        readers: "ExecuTorch rejects a violation when it prepares the method (0x12). It compares the id with the \
            buffers that the host supplied, which may be fewer. Without an allocator from the host, it returns 0x02 \
            since 1.3.0 (#19267)."
        source: "`getMemPlannedPtr` and `HierarchicalAllocator::get_offset_address`."
        refs: ["M-01", "M-02", "M-06", "pytorch/executorch#19267"]
        cwe: ["CWE-129", "CWE-787"]
    }
    MEM_OFFSET_64 = "mem-offset-64", Must, File, Method, "memory" {
        "For a 32-bit target, `memory_offset_high` of every Tensor's `allocation_info` is 0, and the Tensor's end is \
            at most 2^32 - 1."
        why: "The offset has 64 bits in two halves. If a reader drops the high half, the tensor overlaps another \
            tensor."
        readers: "A 32-bit build of ExecuTorch rejects a violation when it prepares the method (0x10). A 64-bit build \
            combines the halves."
        source: "`getMemPlannedPtr`. A comment in the schema says to combine the two fields. The checker applies the \
            rule only with `--target-bits 32`."
        refs: ["pytorch/executorch#9406"]
        cwe: ["CWE-190"]
    }
    MEM_OFFSET_NO_OVERFLOW = "mem-offset-no-overflow", Must, File, Method, "memory" {
        "The offset of a planned Tensor plus its byte count is at most 2^64 - 1."
        why: "A sum that wrapped is small and fits into the buffer, but the offset itself is outside the buffer: \
            CVE-2025-30405."
        readers: "ExecuTorch rejects a violation when it prepares the method (0x12) since 1.1.0. No release contains \
            the first fix, #12699; #16103 restored it."
        source: "`HierarchicalAllocator::get_offset_address`."
        refs: ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5", "M-03", "pytorch/executorch#12699", "pytorch/executorch#16103"]
        cwe: ["CWE-190", "CWE-787"]
    }
    MEM_IN_BUFFER = "mem-in-buffer", Must, File, Method, "memory" {
        "The offset of a planned Tensor plus its byte count is at most the entry of `non_const_buffer_sizes` at its \
            `memory_id`."
        why: "Kernels write their outputs to the tensor without another check. They overwrite memory past the buffer \
            with values that depend on the inputs."
        readers: "When ExecuTorch prepares the method, it compares the sum with the buffer that the host supplied for \
            the id (0x21)."
        source: "`HierarchicalAllocator::get_offset_address`. Hosts allocate by the file's own sizes, so the rule \
            compares with these sizes."
        refs: ["M-03"]
        cwe: ["CWE-823", "CWE-787"]
    }
    MEM_ALIGNED = "mem-aligned", Should, File, Method, "memory" {
        "The offset of a planned Tensor is a multiple of 16."
        why: "Vectorized kernels and backends assume aligned tensors. On other tensors they fault or use slower code."
        readers: "No reader checks the rule."
        source: "`exir/memory_planning.py` aligns to 16 by default. The rule is a should because the file does not \
            store the alignment that the exporter used."
    }
    MEM_OVERLAP = "mem-overlap", Must, Reader, Method, "memory" {
        "A reader accepts planned Tensors that share bytes."
        why: "The plan reuses memory for tensors with separate lifetimes. A reader that rejects overlap rejects most \
            exported models."
        readers: "ExecuTorch accepts such tensors and does not compare lifetimes."
        source: "`exir/memory_planning.py`. Lifetimes depend on which arguments a kernel writes, which the file does \
            not store, so no file breaks the rule."
        refs: ["M-08"]
    }
    MEM_DEVICE_CONSISTENT = "mem-device-consistent", May, File, Method, "memory" {
        "The device type of a planned Tensor equals that of its buffer in `non_const_buffer_device`, or is the CPU if \
            the buffer has no entry."
        why: "The host allocates by the buffer's device, and kernels use the address by the tensor's device. After a \
            mismatch, the host dereferences a device address, or the device dereferences a host address."
        readers: "No reader compares the two devices. ExecuTorch's ATen mode marks the tensor's memory with the \
            tensor's own device since #21289."
        source: "This project infers the rule. The exporter fills both fields from one plan, unless planning for other \
            devices is off. Tensors have a device since March 2026 and buffers since May, so files from builds between \
            these months have a device only for tensors. The rule is therefore a may."
        refs: ["pytorch/executorch#21289"]
    }
}

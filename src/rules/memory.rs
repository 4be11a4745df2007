//! The memory plan, `AllocationDetails` and `ExecutionPlan.non_const_buffer_sizes` (specification, section 1.11).

rules! {
    MEM_ID_RANGE = "mem-id-range", Must, File, Method, "memory" {
        "`memory_id` of every Tensor's `allocation_info` is at least 1 and below the number of \
            `non_const_buffer_sizes`."
        why: "Ids count from 1 and readers take 1 off, so 0 becomes 2^32 - 1. At either end, the address of the tensor \
            is computed from memory behind the list of buffers."
        readers: "ExecuTorch refuses it when it prepares the method (0x12). It compares with the buffers that the host \
            gave, of which there may be fewer; none at all is 0x02 since 1.3.0 (#19267)."
        source: "`getMemPlannedPtr` and `HierarchicalAllocator::get_offset_address`."
        refs: ["M-01", "M-02", "M-06", "pytorch/executorch#19267"]
        cwe: ["CWE-129", "CWE-787"]
    }
    MEM_OFFSET_64 = "mem-offset-64", Must, File, Method, "memory" {
        "For a 32-bit target, `memory_offset_high` of every Tensor's `allocation_info` is 0, and the Tensor ends at or before \
            2^32 - 1 in its planned buffer."
        why: "The offset has 64 bits in two halves. Where the high one is dropped, the tensor lies over another one."
        readers: "ExecuTorch built for 32 bits refuses it when it prepares the method (0x10); built for 64 bits it \
            joins the halves."
        source: "`getMemPlannedPtr`; a comment in the schema says to combine the two. Asked only with `--target-bits \
            32`."
        refs: ["pytorch/executorch#9406"]
        cwe: ["CWE-190"]
    }
    MEM_OFFSET_NO_OVERFLOW = "mem-offset-no-overflow", Must, File, Method, "memory" {
        "The offset of a planned Tensor plus its bytes is at most 2^64 - 1."
        why: "The sum that has wrapped is small and fits into the buffer, while the offset leads out of it, in front \
            of the buffer: CVE-2025-30405."
        readers: "ExecuTorch refuses it when it prepares the method (0x12) since 1.1.0. The first fix, #12699, never \
            got into a release, and #16103 brought it back."
        source: "`HierarchicalAllocator::get_offset_address`."
        refs: ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5", "M-03", "pytorch/executorch#12699", "pytorch/executorch#16103"]
        cwe: ["CWE-190", "CWE-787"]
    }
    MEM_IN_BUFFER = "mem-in-buffer", Must, File, Method, "memory" {
        "The offset of a planned Tensor plus its bytes is at most the entry of `non_const_buffer_sizes` at its \
            `memory_id`."
        why: "Kernels write their outputs there and ask no more, so what lies behind the buffer is overwritten with \
            numbers that inputs choose."
        readers: "ExecuTorch holds it against the buffer that the host gave for the id, when it prepares the method \
            (0x21)."
        source: "`HierarchicalAllocator::get_offset_address`. Hosts allocate by the file's own sizes, so the file can \
            be held to them."
        refs: ["M-03"]
        cwe: ["CWE-823", "CWE-787"]
    }
    MEM_ALIGNED = "mem-aligned", Should, File, Method, "memory" {
        "The offset of a planned Tensor is a multiple of 16."
        why: "Vectorized kernels and backends assume aligned tensors; where one is not, they fault or fall back to \
            slow code."
        readers: "No reader compares it."
        source: "`exir/memory_planning.py` aligns to 16 by default. A should, because what the exporter was asked for \
            is not recorded."
    }
    MEM_OVERLAP = "mem-overlap", Must, Reader, Method, "memory" {
        "A reader accepts planned Tensors that share bytes."
        why: "That tensors whose lifetimes do not meet share memory is what the plan is for, so a reader that refuses \
            overlap refuses most exported models."
        readers: "ExecuTorch accepts it and does not compare lifetimes."
        source: "`exir/memory_planning.py`. Whether two lifetimes meet depends on which arguments a kernel writes to, \
            which is not in the file, so no rule for files follows."
        refs: ["M-08"]
    }
    MEM_DEVICE_CONSISTENT = "mem-device-consistent", May, File, Method, "memory" {
        "The device of a planned Tensor is the one that `non_const_buffer_device` gives its buffer, or the CPU where \
            it gives none."
        why: "The host allocates by the one field and kernels use the address by the other: on a mismatch, the host \
            reads through a device's address or the reverse."
        readers: "No reader compares the two. ExecuTorch's ATen mode marks the tensor's memory with the tensor's own \
            device since #21289."
        source: "Derived. A note and no more: the exporter fills both from one plan unless its planning for other devices is \
            turned off, and tensors have a device since March 2026 and buffers since May, so that files from between have \
            one only."
        refs: ["pytorch/executorch#21289"]
    }
}

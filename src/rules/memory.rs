//! Rules about the memory plan of a method (chapter `memory` of the book).
//!
//! The plan consists of `AllocationDetails` and `ExecutionPlan.non_const_buffer_sizes`.

rules! {
    MEM_ID_RANGE = "mem-id-range", Must, Loader, File, Method, "memory" {
        "The `memory_id` of a Tensor's `allocation_info` is at least 1 and below the number of \
            `non_const_buffer_sizes`."
        rationale: "Buffer ids start at 1, and readers subtract 1 to get an index, so an unchecked id of 0 becomes \
            the index 2^32 - 1. With an id out of range, a careless reader reads the buffer's address from memory \
            outside the list of buffers."
        readers: "When ExecuTorch prepares the method, it returns InvalidArgument (0x12) for an id out of range. \
            ExecuTorch compares the id with the number of buffers that the application provides. If the \
            application provides no allocator, ExecuTorch 1.3.0 and later return InvalidState (0x02, \
            pytorch/executorch#19267)."
        source: "`getMemPlannedPtr` and `HierarchicalAllocator::get_offset_address` use `memory_id`."
        refs: ["M-01", "M-02", "M-06", "pytorch/executorch#19267"]
        cwe: ["CWE-129", "CWE-787"]
    }
    MEM_OFFSET_64 = "mem-offset-64", Must, Loader, File, Method, "memory" {
        "For a 32-bit target, a Tensor's `memory_offset_high` is 0, and the Tensor's offset plus its byte count is at \
            most 2^32 - 1."
        rationale: "A planned tensor's offset has 64 bits, which are stored in two fields of 32 bits. If a reader \
            ignores `memory_offset_high`, the tensor can overlap another tensor."
        readers: "When a 32-bit build of ExecuTorch prepares the method, it returns NotSupported (0x10) if \
            `memory_offset_high` is not 0. A 64-bit build combines `memory_offset_low` and `memory_offset_high`."
        source: "`getMemPlannedPtr` checks `memory_offset_high`. A comment in ExecuTorch's `schema/program.fbs` states \
            that readers should combine `memory_offset_low` and `memory_offset_high`. The checker applies the rule \
            only with `--target-bits 32`."
        refs: ["pytorch/executorch#9406"]
        cwe: ["CWE-190"]
    }
    MEM_OFFSET_NO_OVERFLOW = "mem-offset-no-overflow", Must, Loader, File, Method, "memory" {
        "The offset of a planned Tensor plus its byte count is at most 2^64 - 1."
        rationale: "A sum that wraps is a small number, so the tensor appears to fit into the buffer, although its \
            offset is outside the buffer. CVE-2025-30405 describes a defect that such a sum causes."
        readers: "When ExecuTorch 1.1.0 and later prepare the method, they return InvalidArgument (0x12) if the sum \
            wraps. The first fix, pytorch/executorch#12699, is in no release. The fix in 1.1.0 is \
            pytorch/executorch#16103."
        source: "`HierarchicalAllocator::get_offset_address` checks the sum."
        refs: ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5", "M-03", "pytorch/executorch#12699", "pytorch/executorch#16103"]
        cwe: ["CWE-190", "CWE-787"]
    }
    MEM_IN_BUFFER = "mem-in-buffer", Must, Loader, File, Method, "memory" {
        "The offset of a planned Tensor plus its byte count is at most the size that `non_const_buffer_sizes` states \
            for the Tensor's `memory_id`."
        rationale: "Kernels do not check bounds when they write to the tensor. If the tensor extends past the buffer, \
            kernels overwrite memory after the buffer with values that depend on the inputs."
        readers: "When ExecuTorch prepares the method, it returns MemoryAllocationFailed (0x21) if offset plus byte \
            count exceeds the size of the application's buffer."
        source: "`HierarchicalAllocator::get_offset_address` compares the tensor's end with the size of the \
            application's buffer. Applications allocate buffers of the sizes in the file, so the rule uses these sizes."
        refs: ["M-03"]
        cwe: ["CWE-823", "CWE-787"]
    }
    MEM_ALIGNED = "mem-aligned", Should, Writer, File, Method, "memory" {
        "The offset of a planned Tensor is a multiple of 16."
        rationale: "Vectorized kernels and backends assume aligned tensors. For a misaligned tensor, a kernel can \
            fault or use slower code."
        readers: "No reader checks the rule."
        source: "ExecuTorch's `exir/memory_planning.py` aligns offsets to 16 by default. The rule's strength is \
            `should` because the file does not record the alignment that the exporter used."
    }
    MEM_OVERLAP = "mem-overlap", Must, Writer, Reader, Method, "memory" {
        "A reader accepts planned Tensors that share bytes."
        rationale: "The memory plan assigns the same memory to tensors that are not in use at the same time. A \
            reader that rejects overlap rejects most exported models."
        readers: "ExecuTorch accepts overlapping tensors and does not compare their lifetimes."
        source: "ExecuTorch's `exir/memory_planning.py` creates plans with overlapping tensors. The lifetimes of \
            tensors depend on which arguments each kernel writes to, and the file does not contain this information. \
            In every run, all inputs are in use at the same time, and all outputs are in use at the same time. The \
            rules `mem-input-overlap` and `mem-output-overlap` cover inputs and outputs."
        refs: ["M-08"]
    }
    MEM_INPUT_OVERLAP = "mem-input-overlap", May, Policy, File, Method, "memory" {
        "No two inputs of a method share bytes of planned memory."
        rationale: "Before the first instruction, all inputs are in use at the same time. If two inputs share bytes, \
            the second input overwrites the first, and the method computes with wrong values."
        readers: "No reader checks whether inputs share memory."
        source: "ExecuTorch's `exir/memory_planning.py` shares memory only among tensors that are in use at different \
            times. The rule's strength is `may` because early exporters could assign the memory of an unused input to \
            another input. The rule `mem-overlap` covers tensors other than inputs and outputs."
        refs: ["M-08"]
    }
    MEM_OUTPUT_OVERLAP = "mem-output-overlap", May, Policy, File, Method, "memory" {
        "No two outputs of a method share bytes of planned memory."
        rationale: "After the last instruction, all outputs are in use at the same time. If two outputs share bytes, \
            one output overwrites the other, unless one output is a view of the other."
        readers: "No reader checks whether outputs share memory."
        source: "The rule's strength is `may` because an output can be a view of another output, and the file does not \
            show which operators create views."
        refs: ["M-08"]
    }
    MEM_LIVE_OVERWRITE = "mem-live-overwrite", May, Policy, File, Execute, "memory" {
        "No instruction overwrites planned memory whose data a later instruction or the caller reads."
        rationale: "A MoveCall or a view lets a value keep the memory of another tensor. If the memory plan gives that \
            memory to a third tensor too early, the method computes with wrong values."
        readers: "No reader checks the rule. The method runs without an error and returns wrong results."
        source: "Official exporters wrote files that break it (pytorch/executorch#21490), hence `may`. The checker \
            covers methods without jumps that have one chain and a MoveCall or a view. It follows the runtime's own \
            operators and operators whose last argument is also another argument. Other calls may write to each of \
            their arguments."
        refs: ["M-08", "pytorch/executorch#21490", "pytorch/executorch#21494"]
    }
    MEM_DEVICE_CONSISTENT = "mem-device-consistent", May, Policy, File, Method, "memory" {
        "A planned Tensor is on the device that `non_const_buffer_device` names for the Tensor's buffer, or on the \
            CPU if the buffer has no entry."
        rationale: "The application allocates memory on the buffer's device, but kernels use the address on the \
            tensor's device. If the two devices differ, the host dereferences a device address, or the device \
            dereferences a host address."
        readers: "No reader compares the devices of the tensor and the buffer. Since pytorch/executorch#21289, \
            ExecuTorch's ATen mode treats planned memory as memory on the tensor's device."
        source: "The rule follows from the exporter, which takes the devices of the tensor and the buffer from one \
            plan. The two devices can differ if an exporter option disables planning for devices other than the CPU. \
            Builds since March 2026 write a device for tensors, and builds since May 2026 also write a device for \
            buffers. Files from builds between March and May 2026 have devices only for tensors, so the rule's \
            strength is `may`."
        refs: ["pytorch/executorch#21289"]
    }
    MEM_DEVICE_HONORED = "mem-device-honored", Must, Text, Reader, Method, "memory" {
        "A reader allocates each planned buffer on the device that `non_const_buffer_device` names, or rejects the \
            method."
        rationale: "Code on the device uses the address of a planned buffer. If the buffer is in host memory, this \
            code dereferences a host address."
        readers: "Some readers allocate every planned buffer in host memory."
        source: "The rule follows the comments on `NonConstBufferDevice` in ExecuTorch's `schema/program.fbs`. A file \
            does not state which devices a host has, so no file breaks the rule."
        refs: ["pytorch/executorch#22058"]
    }
}

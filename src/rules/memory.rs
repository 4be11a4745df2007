//! Rules about the memory plan of a method (chapter `memory` of the book).
//!
//! The plan consists of `AllocationDetails` and `ExecutionPlan.non_const_buffer_sizes`.

rules! {
    MEM_ID_RANGE = "mem-id-range", Must, Loader, File, Method, "memory" {
        "The `memory_id` in a Tensor's `allocation_info` MUST be at least 1 and below the length of \
            `non_const_buffer_sizes`."
        rationale: "Ids start at 1 and readers subtract 1, so an unchecked 0 becomes index 2^32 - 1, and the buffer's \
            address comes from unrelated memory. ExecuTorch returns InvalidArgument (0x12) when it prepares the method \
            or, since 1.3.0, InvalidState (0x02) if there is no allocator (pytorch/executorch#19267)."
        source: "`getMemPlannedPtr` and `HierarchicalAllocator::get_offset_address` compare the id with the \
            application's buffers."
        refs: ["M-01", "M-02", "M-06", "pytorch/executorch#19267"]
        cwe: ["CWE-129", "CWE-787"]
    }
    MEM_OFFSET_64 = "mem-offset-64", Must, Loader, File, Method, "memory" {
        "For a 32-bit target, a Tensor's `memory_offset_high` MUST be 0, and the Tensor's offset plus its byte count \
            MUST be at most 2^32 - 1."
        rationale: "The 64 bits of the offset are split into two fields, and a reader that ignores the upper one puts \
            the tensor on top of another. A 32-bit build of ExecuTorch returns NotSupported (0x10) when it prepares \
            the method. `check` applies the rule only with `--target-bits 32`."
        source: "A comment in ExecuTorch's `schema/program.fbs` asks readers to combine both fields; \
            `getMemPlannedPtr` checks the upper field."
        refs: ["pytorch/executorch#9406"]
        cwe: ["CWE-190"]
    }
    MEM_OFFSET_NO_OVERFLOW = "mem-offset-no-overflow", Must, Loader, File, Method, "memory" {
        "A planned Tensor's offset plus its byte count MUST be at most 2^64 - 1."
        rationale: "An offset of 2^64 - 8 plus 16 bytes wraps to 8, which seems to be inside any buffer \
            (CVE-2025-30405). ExecuTorch 1.1.0 and later return InvalidArgument (0x12) when they prepare the method \
            (pytorch/executorch#16103); no release has the first fix, pytorch/executorch#12699."
        source: "`HierarchicalAllocator::get_offset_address` checks the sum."
        refs: ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5", "M-03", "pytorch/executorch#12699", "pytorch/executorch#16103"]
        cwe: ["CWE-190", "CWE-787"]
    }
    MEM_IN_BUFFER = "mem-in-buffer", Must, Loader, File, Method, "memory" {
        "A planned Tensor's offset plus its byte count MUST be at most the size in `non_const_buffer_sizes` for its \
            `memory_id`."
        rationale: "Kernels write without bounds checks, so if a tensor extends past its buffer, they overwrite other \
            memory with values that depend on the inputs. ExecuTorch returns MemoryAllocationFailed (0x21) when it \
            prepares the method."
        source: "`HierarchicalAllocator::get_offset_address` compares the end with the application's buffer, which has \
            the size that the file gives."
        refs: ["M-03"]
        cwe: ["CWE-823", "CWE-787"]
    }
    MEM_ALIGNED = "mem-aligned", Should, Writer, File, Method, "memory" {
        "A planned Tensor's offset SHOULD be a multiple of 16."
        rationale: "Vectorized kernels and backends assume aligned tensors: at offset 4, they fault or take a slower \
            path. No reader checks the alignment."
        source: "ExecuTorch's `exir/memory_planning.py` aligns to 16 by default, and the file does not record the \
            alignment."
    }
    MEM_OVERLAP = "mem-overlap", Must, Writer, Reader, Method, "memory" {
        "A reader MUST accept planned Tensors that share bytes."
        rationale: "The plan gives the same memory to tensors that live at different times, so a reader that rejects \
            overlaps rejects most exported models. ExecuTorch does not compare lifetimes; they depend on which \
            arguments a kernel writes, and the file does not say that."
        source: "ExecuTorch's `exir/memory_planning.py` shares memory this way. `mem-input-overlap` and \
            `mem-output-overlap` cover inputs and outputs, which live at the same time."
        refs: ["M-08"]
    }
    MEM_INPUT_OVERLAP = "mem-input-overlap", May, Policy, File, Method, "memory" {
        "A reader MAY reject a method if two of its inputs share bytes of planned memory."
        rationale: "All inputs are live before the first instruction, so one input overwrites the other and the method \
            computes with wrong values. No reader checks for overlaps."
        source: "ExecuTorch's `exir/memory_planning.py` shares memory only among tensors that live at different times, \
            but early exporters could reuse an unused input's memory for another input."
        refs: ["M-08"]
    }
    MEM_OUTPUT_OVERLAP = "mem-output-overlap", May, Policy, File, Method, "memory" {
        "A reader MAY reject a method if two of its outputs share bytes of planned memory."
        rationale: "All outputs are live after the last instruction, so one output overwrites the other, unless one is \
            a view of the other. The file does not say which operators create views, and no reader checks for overlaps."
        source: "ExecuTorch's `exir/memory_planning.py` shares memory only among tensors that live at different times."
        refs: ["M-08"]
    }
    MEM_LIVE_OVERWRITE = "mem-live-overwrite", May, Policy, File, Execute, "memory" {
        "A reader MAY reject a method in which an instruction overwrites planned memory that a later instruction or \
            the caller still reads."
        rationale: "A MoveCall or a view keeps another tensor's memory alive. If the plan reuses that memory too \
            early, the method returns wrong results without an error, as happened in files from official exporters \
            (pytorch/executorch#21490)."
        source: "`check` covers methods with a single chain, no jumps, and a MoveCall or a view. It knows what the \
            runtime's own operators write, and operators whose last argument repeats another one; other calls may \
            write to any argument."
        refs: ["M-08", "pytorch/executorch#21490", "pytorch/executorch#21494"]
    }
    MEM_DEVICE_CONSISTENT = "mem-device-consistent", May, Policy, File, Method, "memory" {
        "A reader MAY reject a planned Tensor that is not on its buffer's device: the one in \
            `non_const_buffer_device`, or the CPU if the buffer has no entry there."
        rationale: "Memory is allocated on the buffer's device and used on the tensor's device, so one device \
            dereferences an address of the other. Since pytorch/executorch#21289, ExecuTorch's ATen mode assumes that \
            planned memory is on the tensor's device. No reader compares the two devices."
        source: "The exporter takes both devices from one plan, unless an option disables planning for other devices. \
            Builds from March to May 2026 wrote a device only for tensors."
        refs: ["pytorch/executorch#21289"]
    }
    MEM_DEVICE_HONORED = "mem-device-honored", Must, Text, Reader, Method, "memory" {
        "A reader MUST allocate each planned buffer on the device that `non_const_buffer_device` names, or reject the \
            method."
        rationale: "Code on the named device uses the buffer's address, so if the buffer is in host memory, that code \
            dereferences a host address."
        source: "Comments on `NonConstBufferDevice` in ExecuTorch's `schema/program.fbs` say so. The file does not say \
            which devices a host has, so no file breaks the rule."
        refs: ["pytorch/executorch#22058"]
    }
}

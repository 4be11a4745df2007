//! Cases about tensors in planned memory.

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::memory as rules;

/// The allocation of a tensor of 16 bytes at offset 16 of a buffer of 64.
const PLACE: &str = "execution_plan[0].values[2].val.allocation_info";

fn place(file: &mut Patcher<'_>, field: &str, value: u32) {
    file.scalar(&alloc::format!("{PLACE}.{field}"), value);
}

cases! {
    /// Tensors fill both buffers to the last byte, and a tensor without elements is at the end of one buffer. A reader
    /// that requires an offset below the size rejects the file.
    build "pte/valid/memory-plan": "two planned buffers, filled to the end"
        shows rules::MEM_IN_BUFFER => base::memory_plan;

    /// Tensors with disjoint lifetimes share memory, which is the purpose of memory planning. A reader that rejects
    /// overlapping tensors rejects most models.
    accept "pte/valid/memory-shared": "two tensors in the same memory" shows rules::MEM_OVERLAP,
        from "pte/valid/memory-plan"
        => |file| file.scalar("execution_plan[0].values[4].val.allocation_info.memory_offset_low", 0_u32);

    /// Buffer ids start at 1, and 0 is the field's default. A reader that subtracts 1 without a check uses index 2^32 −
    /// 1 or −1.
    reject "pte/memory/id-0": "memory_id 0" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 0);

    /// The list has three sizes, of which the first is reserved, so the last id is 2. A reader that compares id − 1,
    /// here 2, with the list's length accepts a buffer that does not exist.
    reject "pte/memory/id-past-end": "memory_id one past the list" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 3);

    /// As a signed integer, the id is −1, and its index −2. Both are below every count, so the reader takes the
    /// tensor's address from memory before the list of buffers.
    reject "pte/memory/id-max": "memory_id 2^32 − 1" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", u32::MAX);

    /// Offset plus size wraps to 0, which is below the end of every buffer. The reader returns a pointer 16 bytes
    /// before the buffer, and kernels write there.
    reject "pte/memory/end-wraps-to-0": "tensor offset + size = 2^64" breaks rules::MEM_OFFSET_NO_OVERFLOW,
        from "pte/valid/memory-plan", refs ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5", "pytorch/executorch#16103"]
        => |file| {
            place(file, "memory_offset_low", u32::MAX - 15);
            place(file, "memory_offset_high", u32::MAX);
        };

    /// The offset is 2^64 − 16 and the tensor has 32 bytes, so the end wraps to 16, inside the buffer. A check for an
    /// end of 0 misses the wrap. Half of the tensor lies before the buffer.
    reject "pte/memory/end-wraps-into-buffer": "tensor offset + size = 2^64 + 16" breaks rules::MEM_OFFSET_NO_OVERFLOW,
        from "pte/valid/memory-plan", refs ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5"] => |file| {
            place(file, "memory_offset_low", u32::MAX - 15);
            place(file, "memory_offset_high", u32::MAX);
            file.elements("execution_plan[0].values[2].val.sizes", 0, &4_i32.to_le_bytes());
        };

    /// The buffer is larger than 4 GiB, so the file is valid on 64-bit hosts. A 32-bit host that uses only the low half
    /// of the offset places the tensor at offset 16, over another tensor.
    either "pte/memory/offset-2-to-32": "tensor offset 2^32 in a buffer of more than 4 GiB" about rules::MEM_OFFSET_64,
        from "pte/valid/memory-plan", target 32 => |file| {
            file.elements("execution_plan[0].non_const_buffer_sizes", 8, &((1_u64 << 32) + 64).to_le_bytes());
            place(file, "memory_offset_high", 1);
        };

    /// The high half of the offset is 1. A reader that ignores the high half uses offset 16. A reader that joins the
    /// halves without a check writes 4 GiB past the buffer.
    reject "pte/memory/offset-high-1": "tensor offset 2^32 + 16 in a buffer of 64 bytes" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_high", 1);

    /// The offset equals the buffer's size, which is valid only for a tensor of no bytes. A reader that compares
    /// only the offset writes 16 bytes past the buffer.
    reject "pte/memory/at-buffer-end": "tensor that begins where its buffer ends" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 64);

    /// A tensor of 16 bytes at 48 ends at 64, and the buffer has 63 bytes. A reader that rounds buffer sizes up has
    /// enough memory; other readers write one byte past the buffer.
    reject "pte/memory/buffer-one-byte-short": "tensor that ends one byte past its buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan"
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, &63_u64.to_le_bytes());

    /// Offset 16 plus 16 bytes fits the buffer of 64 bytes, but not the tensor's own buffer of 16 bytes. A reader that
    /// compares with the largest buffer or the total size accepts it.
    reject "pte/memory/other-buffer": "tensor in a smaller buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 2);

    /// The tensor needs 8 192 bytes at offset 0 of a buffer of 16. A reader that checks only the offset accepts it. If
    /// a reader subtracts the tensor's size from the buffer's size, the difference wraps below 0.
    reject "pte/memory/larger-than-buffer": "tensor larger than its buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan"
        => |file| file.elements("execution_plan[0].values[5].val.sizes", 0, &1024_i32.to_le_bytes());

    /// Offset 20 suits floats, but the memory planner aligns tensors to 16. A kernel that loads 16 bytes at once
    /// faults or slows down.
    either "pte/memory/unaligned": "tensor offset 20" about rules::MEM_ALIGNED,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 20);

    /// The offset is not aligned to the elements. Reading a float there is undefined behaviour in C and faults on
    /// processors without unaligned loads.
    either "pte/memory/unaligned-to-element": "float tensor at offset 17" about rules::MEM_ALIGNED,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 17);

    /// The tensor's device is a GPU, but its buffer is on the host. A kernel that trusts the tensor passes a host
    /// address to the device.
    either "pte/memory/device-of-tensor-alone": "GPU tensor in host memory" about rules::MEM_DEVICE_CONSISTENT,
        from "pte/valid/memory-plan" => |file| {
            file.scalar("execution_plan[0].values[4].val.extra_tensor_info.device_type", 1_i8);
        };

    /// The buffer is on a GPU, but no tensor in the buffer declares a GPU. Kernels on the host then use a device
    /// address.
    either "pte/memory/device-of-buffer-alone": "host tensors in GPU memory" about rules::MEM_DEVICE_CONSISTENT,
        from "pte/valid/everything" => |file| {
            file.scalar("execution_plan[0].non_const_buffer_device[0].device_type", 1_i8);
        };
}

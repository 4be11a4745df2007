//! Where tensors are in planned memory.

use super::{cases, program_base as base};
use crate::rules::memory as rules;

/// The place of a tensor of 16 bytes, at 16 of a buffer of 64.
const PLACE: &str = "execution_plan[0].values[2].val.allocation_info";

fn place(file: &mut super::Edit, field: &str, value: u32) {
    file.scalar(&alloc::format!("{PLACE}.{field}"), value);
}

cases! {
    /// Two planned buffers, both filled to the last byte; a tensor of no elements stands at the end of one, where there
    /// is no byte left and none needed.
    build "pte/valid/memory-plan": "two planned buffers, filled to the end"
        shows rules::MEM_IN_BUFFER => base::memory_plan;

    /// Tensors that are never needed at the same time share memory: that is what the plan is for. A reader cannot tell
    /// from the plan that they are not.
    accept "pte/valid/memory-shared": "two tensors in the same memory" shows rules::MEM_OVERLAP,
        from "pte/valid/memory-plan"
        => |file| file.scalar("execution_plan[0].values[4].val.allocation_info.memory_offset_low", 0_u32);

    /// Buffers are counted from 1. A reader that subtracts first has the largest index there is.
    reject "pte/memory/id-0": "memory_id 0" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 0);

    /// The first number past the list: it has an entry more than there are buffers, the reserved one in front.
    reject "pte/memory/id-past-end": "memory_id one past the list" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 3);

    /// The largest number there is, −1 to a reader that takes it with a sign.
    reject "pte/memory/id-max": "memory_id 2^32 − 1" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", u32::MAX);

    /// Offset and size come to 2^64, which wraps to 0: below the end of every buffer. The pointer that is handed out is
    /// in front of it.
    reject "pte/memory/end-wraps-to-0": "offset + size = 2^64" breaks rules::MEM_OFFSET_NO_OVERFLOW,
        from "pte/valid/memory-plan", refs ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5", "pytorch/executorch#16103"]
        => |file| {
            place(file, "memory_offset_low", u32::MAX - 15);
            place(file, "memory_offset_high", u32::MAX);
        };

    /// The same of a larger tensor, whose end wraps to a place inside the buffer.
    reject "pte/memory/end-wraps-into-buffer": "offset + size = 2^64 + 16" breaks rules::MEM_OFFSET_NO_OVERFLOW,
        from "pte/valid/memory-plan", refs ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5"] => |file| {
            place(file, "memory_offset_low", u32::MAX - 15);
            place(file, "memory_offset_high", u32::MAX);
            file.elements("execution_plan[0].values[2].val.sizes", 0, &4_i32.to_le_bytes());
        };

    /// An offset of 2^32 in a buffer of more. A host of 32 bits that looks at the low half alone puts the tensor where
    /// another is.
    either "pte/memory/offset-2-to-32": "offset 2^32 in a buffer of 4 GiB and more" about rules::MEM_OFFSET_64,
        from "pte/valid/memory-plan", target 32 => |file| {
            file.elements("execution_plan[0].non_const_buffer_sizes", 8, &((1_u64 << 32) + 64).to_le_bytes());
            place(file, "memory_offset_high", 1);
        };

    /// The high half of the offset is not 0, and the low half is a place in the buffer: a reader that looks at the low
    /// half alone finds nothing wrong.
    reject "pte/memory/offset-high-1": "offset 2^32 + 16 in a buffer of 64 bytes" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_high", 1);

    /// The tensor begins where its buffer ends: an offset that is no larger than the size, and not a byte behind it.
    reject "pte/memory/at-buffer-end": "tensor where its buffer ends" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 64);

    /// The buffer is a byte shorter than its last tensor.
    reject "pte/memory/buffer-one-byte-short": "tensor ends a byte past its buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan"
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, &63_u64.to_le_bytes());

    /// The buffer that the tensor is in is another than the one it was planned for, and smaller.
    reject "pte/memory/other-buffer": "tensor in a smaller buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 2);

    /// The tensor is larger than its whole buffer.
    reject "pte/memory/larger-than-buffer": "tensor larger than its buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan"
        => |file| file.elements("execution_plan[0].values[5].val.sizes", 0, &1024_i32.to_le_bytes());

    /// An offset that suits the elements and not the planner, which puts every tensor at a multiple of 16.
    either "pte/memory/unaligned": "offset 20" about rules::MEM_ALIGNED,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 20);

    /// An offset that does not even suit the elements: reading a float there is undefined behaviour in C.
    either "pte/memory/unaligned-to-element": "float tensor at offset 17" about rules::MEM_ALIGNED,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 17);

    /// The tensor says that it is on a GPU, and its buffer is the host's.
    either "pte/memory/device-of-tensor-alone": "GPU tensor in the host's memory" about rules::MEM_DEVICE_CONSISTENT,
        from "pte/valid/memory-plan" => |file| {
            file.scalar("execution_plan[0].values[4].val.extra_tensor_info.device_type", 1_i8);
        };

    /// The buffer is a GPU's, and nothing in it says so.
    either "pte/memory/device-of-buffer-alone": "host tensors in a GPU's memory" about rules::MEM_DEVICE_CONSISTENT,
        from "pte/valid/everything" => |file| {
            file.scalar("execution_plan[0].non_const_buffer_device[0].device_type", 1_i8);
        };
}

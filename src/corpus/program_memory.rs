//! Where tensors are in planned memory.

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::memory as rules;

/// The place of a tensor of 16 bytes, at 16 of a buffer of 64.
const PLACE: &str = "execution_plan[0].values[2].val.allocation_info";

fn place(file: &mut Patcher<'_>, field: &str, value: u32) {
    file.scalar(&alloc::format!("{PLACE}.{field}"), value);
}

cases! {
    /// Two planned buffers, both filled to the last byte; a tensor of no elements stands at the end of one, where no
    /// byte is left and none needed. A reader that asks for an offset below the size refuses it.
    build "pte/valid/memory-plan": "two planned buffers, filled to the end"
        shows rules::MEM_IN_BUFFER => base::memory_plan;

    /// Tensors that are never needed at the same time share memory: that is what the plan is for. A reader that refuses
    /// tensors that overlap refuses most models.
    accept "pte/valid/memory-shared": "two tensors in the same memory" shows rules::MEM_OVERLAP,
        from "pte/valid/memory-plan"
        => |file| file.scalar("execution_plan[0].values[4].val.allocation_info.memory_offset_low", 0_u32);

    /// Buffers are counted from 1, and 0 is what the field says where it is left out. A reader that subtracts first has
    /// index 2^32 − 1, far behind the list or, with a sign, in front of it.
    reject "pte/memory/id-0": "memory_id 0" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 0);

    /// Three sizes stand in the list, of which the first is no buffer: ids go to 2. A reader that compares 3, less 1,
    /// with the list's length has one buffer too many.
    reject "pte/memory/id-past-end": "memory_id one past the list" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 3);

    /// With a sign it is −1, and −2 once 1 is taken off for the index: below every count, and the tensor's address is
    /// computed from two places in front of the list of buffers.
    reject "pte/memory/id-max": "memory_id 2^32 − 1" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", u32::MAX);

    /// Offset and size come to 2^64, which wraps to 0: below the end of every buffer. The pointer that is handed out is
    /// 16 bytes in front of it, and kernels write there.
    reject "pte/memory/end-wraps-to-0": "offset + size = 2^64" breaks rules::MEM_OFFSET_NO_OVERFLOW,
        from "pte/valid/memory-plan", refs ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5", "pytorch/executorch#16103"]
        => |file| {
            place(file, "memory_offset_low", u32::MAX - 15);
            place(file, "memory_offset_high", u32::MAX);
        };

    /// The offset is 2^64 − 16 and the tensor has 32 bytes, so the end wraps to 16, inside the buffer of 64. A test for
    /// an end of 0 does not help, and half of the tensor lies in front of the buffer.
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

    /// The high half of the offset is 1. A reader that looks at the low half alone finds the tensor's old place, 16,
    /// and one that joins the halves a place 4 GiB behind a buffer of 64 bytes.
    reject "pte/memory/offset-high-1": "offset 2^32 + 16 in a buffer of 64 bytes" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_high", 1);

    /// The tensor begins where its buffer ends. A comparison of the offset with the size alone allows that, as it must
    /// for a tensor of no bytes, and all 16 are written behind the buffer.
    reject "pte/memory/at-buffer-end": "tensor where its buffer ends" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 64);

    /// A tensor of 16 bytes at 48, in a buffer of 63: readers that round buffers up to their alignment never notice,
    /// and elsewhere the last byte of its last element is written behind the buffer.
    reject "pte/memory/buffer-one-byte-short": "tensor ends a byte past its buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan"
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, &63_u64.to_le_bytes());

    /// Offset 16 and 16 bytes are right for the buffer of 64 bytes, and outside of the other, which has 16. A reader
    /// that compares with the largest buffer, or with all of them together, lets it pass.
    reject "pte/memory/other-buffer": "tensor in a smaller buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 2);

    /// 8 192 bytes at offset 0 of a buffer of 16. A reader that looks at the offset alone passes it, and one that
    /// compares it with the buffer less the tensor subtracts below 0, to almost 2^64.
    reject "pte/memory/larger-than-buffer": "tensor larger than its buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan"
        => |file| file.elements("execution_plan[0].values[5].val.sizes", 0, &1024_i32.to_le_bytes());

    /// Offset 20 suits floats and not the planner, which puts every tensor at a multiple of 16: a kernel that loads
    /// sixteen bytes at once faults, or is slow.
    either "pte/memory/unaligned": "offset 20" about rules::MEM_ALIGNED,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 20);

    /// Offset 17 does not even suit the elements: reading a float there is undefined behaviour in C, and a fault on
    /// processors that load aligned words only.
    either "pte/memory/unaligned-to-element": "float tensor at offset 17" about rules::MEM_ALIGNED,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 17);

    /// The tensor says that it is on a GPU, and its buffer is the host's. A kernel that goes by the tensor hands a
    /// host's address to the device.
    either "pte/memory/device-of-tensor-alone": "GPU tensor in the host's memory" about rules::MEM_DEVICE_CONSISTENT,
        from "pte/valid/memory-plan" => |file| {
            file.scalar("execution_plan[0].values[4].val.extra_tensor_info.device_type", 1_i8);
        };

    /// The host is told to take the buffer from a GPU, and no tensor in it says so: kernels on the host follow a
    /// device's address.
    either "pte/memory/device-of-buffer-alone": "host tensors in a GPU's memory" about rules::MEM_DEVICE_CONSISTENT,
        from "pte/valid/everything" => |file| {
            file.scalar("execution_plan[0].non_const_buffer_device[0].device_type", 1_i8);
        };
}

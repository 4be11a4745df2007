//! Cases about tensors in planned memory.

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::{memory as rules, program};

/// The place of value 2, a 16-byte tensor at offset 16 in a 64-byte buffer.
const PLACE: &str = "execution_plan[0].values[2].val.allocation_info";

fn place(file: &mut Patcher<'_>, field: &str, value: u32) {
    file.scalar(&alloc::format!("{PLACE}.{field}"), value);
}

cases! {
    /// Tensors fill both buffers to the last byte. A tensor without elements comes last, so its offset equals the size
    /// of its buffer.
    build "pte/valid/memory-plan": "two planned buffers, filled to the end"
        shows rules::MEM_IN_BUFFER => base::memory_plan;

    /// The two tensors are never in use at the same time. Memory planners share memory like this constantly, so a
    /// reader that rejects it rejects most models.
    accept "pte/valid/memory-shared": "two tensors in the same memory" shows rules::MEM_OVERLAP,
        from "pte/valid/memory-plan"
        => |file| file.scalar("execution_plan[0].values[4].val.allocation_info.memory_offset_low", 0_u32);

    /// Both inputs and both outputs have memory of their own, at different offsets.
    build "pte/valid/two-inputs-and-outputs": "two inputs and two outputs" shows rules::MEM_ALIGNED => base::two_of_each;

    /// Setting the second input overwrites the first. Readers may accept this, because no known reader compares inputs.
    either "pte/memory/inputs-overlap": "two inputs in the same memory" about rules::MEM_INPUT_OVERLAP,
        from "pte/valid/two-inputs-and-outputs"
        => |file| file.scalar("execution_plan[0].values[4].val.allocation_info.memory_offset_low", 0_u32);

    /// One output can be a view of another, so readers may accept the file.
    either "pte/memory/outputs-overlap": "two outputs in the same memory" about rules::MEM_OUTPUT_OVERLAP,
        from "pte/valid/two-inputs-and-outputs"
        => |file| file.scalar("execution_plan[0].values[5].val.allocation_info.memory_offset_low", 16_u32);

    /// Ids begin at 1. A reader that subtracts 1 without a check gets −1 or 2^32 − 1 as the index.
    reject "pte/memory/id-0": "memory_id 0" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 0);

    /// There are three sizes, but the first is reserved, so the last valid id is 2. A reader that compares id − 1 with
    /// the number of sizes accepts 3.
    reject "pte/memory/id-past-end": "memory_id one past the last buffer" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 3);

    /// Read as a signed integer, the id is −1, so the reader takes the buffer's address from the memory before its list.
    reject "pte/memory/id-max": "memory_id 2^32 − 1" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", u32::MAX);

    /// The end wraps to 0, which is inside every buffer, but kernels write to the 16 bytes before the buffer.
    reject "pte/memory/end-wraps-to-0": "tensor offset + size = 2^64" breaks rules::MEM_OFFSET_NO_OVERFLOW,
        from "pte/valid/memory-plan", refs ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5", "pytorch/executorch#16103"]
        => |file| {
            place(file, "memory_offset_low", u32::MAX - 15);
            place(file, "memory_offset_high", u32::MAX);
        };

    /// The end wraps to 16, which is inside the buffer, so a check that catches only ends that wrap to 0 misses it.
    reject "pte/memory/end-wraps-into-buffer": "tensor offset + size = 2^64 + 16" breaks rules::MEM_OFFSET_NO_OVERFLOW,
        from "pte/valid/memory-plan", refs ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5"] => |file| {
            place(file, "memory_offset_low", u32::MAX - 15);
            place(file, "memory_offset_high", u32::MAX);
            file.elements("execution_plan[0].values[2].val.sizes", 0, 4_i32);
        };

    /// 64-bit hosts can load the file. A 32-bit host that ignores the high half of the offset uses 16 instead.
    either "pte/memory/offset-2-to-32": "tensor offset 2^32 + 16 in a buffer of more than 4 GiB"
        about rules::MEM_OFFSET_64, from "pte/valid/memory-plan", target 32 => |file| {
            file.elements("execution_plan[0].non_const_buffer_sizes", 8, (1_u64 << 32) + 64);
            place(file, "memory_offset_high", 1);
        };

    /// The high half of the offset is 1 and the low half is 16. A reader that ignores the high half uses 16, and a
    /// reader that checks nothing writes 4 GiB past the buffer.
    reject "pte/memory/offset-high-1": "tensor offset 2^32 + 16 in a buffer of 64 bytes" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_high", 1);

    /// Only a tensor without elements may begin at the buffer's end. If a reader checks only the offset, kernels write
    /// to the 16 bytes after the buffer.
    reject "pte/memory/at-buffer-end": "tensor that begins where its buffer ends" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 64);

    /// The tensor ends at 64, but the buffer ends at 63. A reader that rounds the buffer's size up before the check accepts it.
    reject "pte/memory/buffer-one-byte-short": "tensor that ends one byte past its buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, 63_u64);

    /// The tensor ends at byte 32, but its buffer has only 16 bytes. A reader that compares the end with another
    /// buffer, or with the total size, accepts the file.
    reject "pte/memory/other-buffer": "tensor in a smaller buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 2);

    /// The tensor has 8 192 bytes, but its buffer has 16. The offset alone is valid, and buffer size minus tensor size wraps.
    reject "pte/memory/larger-than-buffer": "tensor larger than its buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| file.elements("execution_plan[0].values[5].val.sizes", 0, 1024_i32);

    /// Planners align tensors to 16, and 20 is not a multiple of 16, so kernels with 16-byte loads can fault or run slowly.
    either "pte/memory/unaligned": "tensor offset 20" about rules::MEM_ALIGNED,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 20);

    /// 17 is not a multiple of 4. Accessing a misaligned float is undefined behavior in C and faults on some processors.
    either "pte/memory/unaligned-to-element": "float tensor at offset 17" about rules::MEM_ALIGNED,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 17);

    /// A MoveCall makes a value share a tensor's memory, which a later addition reads. The call in between writes to
    /// other memory.
    build "pte/valid/moved-value": "value that a move keeps" shows rules::MEM_LIVE_OVERWRITE => base::moved_value;

    /// Between the MoveCall and the addition that reads the value, a call overwrites the value's memory. No reader
    /// notices, and the result is wrong.
    either "pte/memory/moved-value-overwritten": "memory of a moved value overwritten before it is read"
        about rules::MEM_LIVE_OVERWRITE, from "pte/valid/moved-value", refs ["pytorch/executorch#21490"]
        => |file| file.scalar("execution_plan[0].values[6].val.allocation_info.memory_offset_low", 32_u32);

    /// The tensor is on a GPU but its planned buffer is in host memory, so a GPU kernel can get a host address.
    either "pte/memory/device-of-tensor-alone": "GPU tensor in host memory" about rules::MEM_DEVICE_CONSISTENT,
        from "pte/valid/memory-plan"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.device_type", 1_i8);

    /// The buffer is on a GPU but its tensors are not, so a host kernel can get a GPU address.
    either "pte/memory/device-of-buffer-alone": "host tensors in GPU memory" about rules::MEM_DEVICE_CONSISTENT,
        from "pte/valid/everything"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[0].device_type", 1_i8);

    /// An input and an internal tensor are in buffers that declare a device. In both cases, it is the host.
    build "pte/valid/device-plan": "tensors in planned buffers with a device" shows rules::MEM_DEVICE_CONSISTENT
        => base::device_plan;

    /// The tensor and its buffer belong on a GPU. If a reader allocates the buffer on the host, GPU kernels get a host address.
    either "pte/memory/planned-on-device": "planned buffer on a GPU" about program::PLAN_NCB_HOST,
        from "pte/valid/device-plan", refs ["pytorch/executorch#22058"] => |file| on_device(file, 1, 4);

    /// The input is on a GPU, so host code that sets it writes to a GPU address.
    either "pte/memory/planned-input-on-device": "input in a planned buffer on a GPU" about program::PLAN_NCB_HOST,
        from "pte/valid/device-plan", refs ["pytorch/executorch#21960", "pytorch/executorch#22058"]
        => |file| on_device(file, 0, 1);

    /// Kernels on GPU 1 can get an address on GPU 0.
    either "pte/memory/device-index-of-tensor": "tensor on GPU 1 in a buffer on GPU 0"
        about rules::MEM_DEVICE_CONSISTENT, from "pte/valid/device-plan" => |file| {
            on_device(file, 1, 4);
            file.scalar("execution_plan[0].values[4].val.extra_tensor_info.device_index", 1_i8);
        };
}

/// Declares that a planned buffer and its tensor are on a GPU.
fn on_device(file: &mut Patcher<'_>, device: usize, value: usize) {
    file.scalar(&alloc::format!("execution_plan[0].non_const_buffer_device[{device}].device_type"), 1_i8);
    file.scalar(&alloc::format!("execution_plan[0].values[{value}].val.extra_tensor_info.device_type"), 1_i8);
}

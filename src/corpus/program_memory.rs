//! Cases about tensors in planned memory.

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::{memory as rules, program};

/// Where value 2 is: a 16-byte tensor at offset 16 of a 64-byte buffer.
const PLACE: &str = "execution_plan[0].values[2].val.allocation_info";

fn place(file: &mut Patcher<'_>, field: &str, value: u32) {
    file.scalar(&alloc::format!("{PLACE}.{field}"), value);
}

cases! {
    /// Tensors fill both buffers to the last byte, and one without elements is at the end, so its offset equals the
    /// buffer's size.
    build "pte/valid/memory-plan": "two planned buffers, filled to the end"
        shows rules::MEM_IN_BUFFER => base::memory_plan;

    /// The tensors' lifetimes do not overlap. Memory planners do this all the time, so a reader that rejects it rejects
    /// most models.
    accept "pte/valid/memory-shared": "two tensors in the same memory" shows rules::MEM_OVERLAP,
        from "pte/valid/memory-plan"
        => |file| file.scalar("execution_plan[0].values[4].val.allocation_info.memory_offset_low", 0_u32);

    /// Each input and output has its own memory, at its own offset.
    build "pte/valid/two-inputs-and-outputs": "two inputs and two outputs" shows rules::MEM_ALIGNED => base::two_of_each;

    /// The second input overwrites the first. Readers may accept that, because known readers do not compare inputs.
    either "pte/memory/inputs-overlap": "two inputs in the same memory" about rules::MEM_INPUT_OVERLAP,
        from "pte/valid/two-inputs-and-outputs"
        => |file| file.scalar("execution_plan[0].values[4].val.allocation_info.memory_offset_low", 0_u32);

    /// An output can be a view of another one, so readers may accept the file.
    either "pte/memory/outputs-overlap": "two outputs in the same memory" about rules::MEM_OUTPUT_OVERLAP,
        from "pte/valid/two-inputs-and-outputs"
        => |file| file.scalar("execution_plan[0].values[5].val.allocation_info.memory_offset_low", 16_u32);

    /// Ids begin at 1. Subtracting 1 without a check gives −1 or 2^32 − 1.
    reject "pte/memory/id-0": "memory_id 0" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 0);

    /// The first of three sizes is reserved, so the last id is 2. A reader that compares id − 1 with the number of
    /// sizes accepts 3.
    reject "pte/memory/id-past-end": "memory_id one past the last buffer" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 3);

    /// As a signed integer, the id is −1, and the buffer's address comes from the memory before the list.
    reject "pte/memory/id-max": "memory_id 2^32 − 1" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", u32::MAX);

    /// The wrapped end, 0, is inside every buffer, but a kernel writes to the 16 bytes before it.
    reject "pte/memory/end-wraps-to-0": "tensor offset + size = 2^64" breaks rules::MEM_OFFSET_NO_OVERFLOW,
        from "pte/valid/memory-plan", refs ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5", "pytorch/executorch#16103"]
        => |file| {
            place(file, "memory_offset_low", u32::MAX - 15);
            place(file, "memory_offset_high", u32::MAX);
        };

    /// The sum wraps to 16, which is inside the buffer, so it is not enough to detect sums that wrap to 0.
    reject "pte/memory/end-wraps-into-buffer": "tensor offset + size = 2^64 + 16" breaks rules::MEM_OFFSET_NO_OVERFLOW,
        from "pte/valid/memory-plan", refs ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5"] => |file| {
            place(file, "memory_offset_low", u32::MAX - 15);
            place(file, "memory_offset_high", u32::MAX);
            file.elements("execution_plan[0].values[2].val.sizes", 0, 4_i32);
        };

    /// 64-bit hosts can load the file. A 32-bit host that ignores the high half uses offset 16.
    either "pte/memory/offset-2-to-32": "tensor offset 2^32 + 16 in a buffer of more than 4 GiB"
        about rules::MEM_OFFSET_64, from "pte/valid/memory-plan", target 32 => |file| {
            file.elements("execution_plan[0].non_const_buffer_sizes", 8, (1_u64 << 32) + 64);
            place(file, "memory_offset_high", 1);
        };

    /// The high half is 1, the low half 16. A reader that ignores the high half uses 16, and one that checks nothing
    /// writes 4 GiB past the buffer.
    reject "pte/memory/offset-high-1": "tensor offset 2^32 + 16 in a buffer of 64 bytes" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_high", 1);

    /// Only a tensor without elements may begin at the buffer's end. If only the offset is checked, kernels write to
    /// the next 16 bytes.
    reject "pte/memory/at-buffer-end": "tensor that begins where its buffer ends" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 64);

    /// The tensor ends at 64 and the buffer at 63. A reader that first rounds the buffer's size up accepts it.
    reject "pte/memory/buffer-one-byte-short": "tensor that ends one byte past its buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, 63_u64);

    /// The tensor ends at byte 32, but its buffer has 16 bytes. A reader that compares it with another buffer, or with
    /// the total, accepts it.
    reject "pte/memory/other-buffer": "tensor in a smaller buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 2);

    /// The tensor has 8 192 bytes, its buffer 16. Checking only the offset passes, and subtracting the sizes wraps.
    reject "pte/memory/larger-than-buffer": "tensor larger than its buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| file.elements("execution_plan[0].values[5].val.sizes", 0, 1024_i32);

    /// 20 is not a multiple of 16, the alignment that planners use, so kernels with 16-byte loads can fault or run slowly.
    either "pte/memory/unaligned": "tensor offset 20" about rules::MEM_ALIGNED,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 20);

    /// 17 is not a multiple of 4. A misaligned float is undefined behavior in C, and faults on some processors.
    either "pte/memory/unaligned-to-element": "float tensor at offset 17" about rules::MEM_ALIGNED,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 17);

    /// A MoveCall gives a value the data of a tensor, which a later addition reads. The call in between writes
    /// elsewhere.
    build "pte/valid/moved-value": "value that a move keeps" shows rules::MEM_LIVE_OVERWRITE => base::moved_value;

    /// An instruction between the MoveCall and the last one overwrites the value's memory. No reader notices, and the
    /// result is wrong.
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

    /// The input and the tensor are in buffers that declare a device, which is always the host.
    build "pte/valid/device-plan": "tensors in planned buffers with a device" shows rules::MEM_DEVICE_CONSISTENT
        => base::device_plan;

    /// The tensor and its buffer are on the GPU. If the buffer is on the host instead, GPU kernels get a host address.
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

/// Declares a GPU as the device for a planned buffer and its tensor.
fn on_device(file: &mut Patcher<'_>, device: usize, value: usize) {
    file.scalar(&alloc::format!("execution_plan[0].non_const_buffer_device[{device}].device_type"), 1_i8);
    file.scalar(&alloc::format!("execution_plan[0].values[{value}].val.extra_tensor_info.device_type"), 1_i8);
}

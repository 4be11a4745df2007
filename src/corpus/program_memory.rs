//! Cases about tensors in planned memory.

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::{memory as rules, program};

/// The place of value 2, a tensor of 16 bytes at offset 16 of a 64-byte buffer.
const PLACE: &str = "execution_plan[0].values[2].val.allocation_info";

fn place(file: &mut Patcher<'_>, field: &str, value: u32) {
    file.scalar(&alloc::format!("{PLACE}.{field}"), value);
}

cases! {
    /// The file is valid: tensors fill both buffers up to the last byte, and a tensor without elements is at the end of
    /// one buffer. A reader must not require that every offset is less than the buffer's size.
    build "pte/valid/memory-plan": "two planned buffers, filled to the end"
        shows rules::MEM_IN_BUFFER => base::memory_plan;

    /// Two tensors share memory, which is valid if their lifetimes do not overlap. Memory planners emit overlapping
    /// tensors, so a reader that rejects overlapping tensors rejects most models.
    accept "pte/valid/memory-shared": "two tensors in the same memory" shows rules::MEM_OVERLAP,
        from "pte/valid/memory-plan"
        => |file| file.scalar("execution_plan[0].values[4].val.allocation_info.memory_offset_low", 0_u32);

    /// The program is valid: it has two inputs and two outputs, each in its own memory. A reader must use each tensor's
    /// own offset to find the tensor's memory.
    build "pte/valid/two-inputs-and-outputs": "two inputs and two outputs" shows rules::MEM_ALIGNED => base::two_of_each;

    /// Two inputs are in the same memory, so the second input overwrites the first. Readers may accept the file,
    /// because known readers do not compare the memory of inputs.
    either "pte/memory/inputs-overlap": "two inputs in the same memory" about rules::MEM_INPUT_OVERLAP,
        from "pte/valid/two-inputs-and-outputs"
        => |file| file.scalar("execution_plan[0].values[4].val.allocation_info.memory_offset_low", 0_u32);

    /// Two outputs are in the same memory. Readers may accept the file, because an output can be a view of another
    /// output.
    either "pte/memory/outputs-overlap": "two outputs in the same memory" about rules::MEM_OUTPUT_OVERLAP,
        from "pte/valid/two-inputs-and-outputs"
        => |file| file.scalar("execution_plan[0].values[5].val.allocation_info.memory_offset_low", 16_u32);

    /// The buffer id is 0, but ids begin at 1. A reader that subtracts 1 without a check uses the index −1 or 2^32 − 1.
    reject "pte/memory/id-0": "memory_id 0" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 0);

    /// The buffer id is 3, but the last id is 2, because the first of the three sizes is reserved. A reader that
    /// compares id − 1 with the number of sizes accepts the file.
    reject "pte/memory/id-past-end": "memory_id one past the last buffer" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 3);

    /// The buffer id is 2^32 − 1. As a signed integer, the id is −1, which is less than the number of buffers. If a
    /// reader uses a signed comparison, it reads a buffer address from the memory in front of its list of addresses.
    reject "pte/memory/id-max": "memory_id 2^32 − 1" breaks rules::MEM_ID_RANGE,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", u32::MAX);

    /// The tensor's offset is 2^64 − 16. The sum of offset and size wraps to 0, which is inside every buffer. With an
    /// offset of 2^64 − 16, a kernel writes to the 16 bytes in front of the buffer.
    reject "pte/memory/end-wraps-to-0": "tensor offset + size = 2^64" breaks rules::MEM_OFFSET_NO_OVERFLOW,
        from "pte/valid/memory-plan", refs ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5", "pytorch/executorch#16103"]
        => |file| {
            place(file, "memory_offset_low", u32::MAX - 15);
            place(file, "memory_offset_high", u32::MAX);
        };

    /// The tensor's offset is 2^64 − 16. The sum of offset and size wraps to 16, which is inside the buffer. A reader
    /// must detect every overflow, not only a wrapped sum of 0.
    reject "pte/memory/end-wraps-into-buffer": "tensor offset + size = 2^64 + 16" breaks rules::MEM_OFFSET_NO_OVERFLOW,
        from "pte/valid/memory-plan", refs ["CVE-2025-30405", "GHSA-84m3-f99p-cqx5"] => |file| {
            place(file, "memory_offset_low", u32::MAX - 15);
            place(file, "memory_offset_high", u32::MAX);
            file.elements("execution_plan[0].values[2].val.sizes", 0, 4_i32);
        };

    /// The tensor's offset is 2^32 + 16, in a buffer larger than 4 GiB. The file is valid for 64-bit hosts. A 32-bit
    /// host that ignores the high half of the offset uses offset 16.
    either "pte/memory/offset-2-to-32": "tensor offset 2^32 + 16 in a buffer of more than 4 GiB"
        about rules::MEM_OFFSET_64, from "pte/valid/memory-plan", target 32 => |file| {
            file.elements("execution_plan[0].non_const_buffer_sizes", 8, (1_u64 << 32) + 64);
            place(file, "memory_offset_high", 1);
        };

    /// The tensor's offset is 2^32 + 16: the high half is 1, and the low half is 16. A reader that ignores the high
    /// half uses offset 16. If a reader does not check the offset, it writes 4 GiB past the buffer.
    reject "pte/memory/offset-high-1": "tensor offset 2^32 + 16 in a buffer of 64 bytes" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_high", 1);

    /// The tensor's offset equals the buffer's size, which is valid only for a tensor without elements. If a reader
    /// checks only the offset, it lets kernels write to the 16 bytes after the buffer.
    reject "pte/memory/at-buffer-end": "tensor that begins where its buffer ends" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 64);

    /// The tensor ends at byte 64, but the buffer has 63 bytes. If a reader rounds the buffer size up before the
    /// comparison, it accepts the file.
    reject "pte/memory/buffer-one-byte-short": "tensor that ends one byte past its buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, 63_u64);

    /// The tensor ends at byte 32 of its buffer, but the buffer has 16 bytes. A reader that compares the tensor's end
    /// with the size of another buffer or with the total size accepts the file.
    reject "pte/memory/other-buffer": "tensor in a smaller buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| place(file, "memory_id", 2);

    /// The tensor needs 8 192 bytes, but its buffer has 16 bytes. A reader that checks only the offset accepts the
    /// file. If a reader subtracts the tensor's size from the buffer's size, the result wraps.
    reject "pte/memory/larger-than-buffer": "tensor larger than its buffer" breaks rules::MEM_IN_BUFFER,
        from "pte/valid/memory-plan" => |file| file.elements("execution_plan[0].values[5].val.sizes", 0, 1024_i32);

    /// The tensor's offset is 20, but memory planners align tensors to 16 bytes. Kernels that load 16 bytes at once can
    /// fault or run slowly.
    either "pte/memory/unaligned": "tensor offset 20" about rules::MEM_ALIGNED,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 20);

    /// The offset of a float tensor is 17, which is not a multiple of 4. An unaligned float access is undefined
    /// behavior in C, and some processors fault.
    either "pte/memory/unaligned-to-element": "float tensor at offset 17" about rules::MEM_ALIGNED,
        from "pte/valid/memory-plan" => |file| place(file, "memory_offset_low", 17);

    /// The file is valid: a MoveCall gives a value the data of a tensor, and a later addition reads it. In between, another
    /// addition writes to other memory.
    build "pte/valid/moved-value": "value that a move keeps" shows rules::MEM_LIVE_OVERWRITE => base::moved_value;

    /// A MoveCall gives a value the data of a tensor, but the next instruction overwrites its memory before the last one
    /// reads the value. No reader detects the fault, and the result is wrong.
    either "pte/memory/moved-value-overwritten": "memory of a moved value overwritten before it is read"
        about rules::MEM_LIVE_OVERWRITE, from "pte/valid/moved-value", refs ["pytorch/executorch#21490"]
        => |file| file.scalar("execution_plan[0].values[6].val.allocation_info.memory_offset_low", 32_u32);

    /// The tensor's device is a GPU, but the tensor's planned buffer is in host memory. A kernel for the GPU can then
    /// use a host address as a GPU address.
    either "pte/memory/device-of-tensor-alone": "GPU tensor in host memory" about rules::MEM_DEVICE_CONSISTENT,
        from "pte/valid/memory-plan"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.device_type", 1_i8);

    /// The planned buffer is on a GPU, but the device of the buffer's tensors is the host. A kernel for the host can
    /// then use a GPU address as a host address.
    either "pte/memory/device-of-buffer-alone": "host tensors in GPU memory" about rules::MEM_DEVICE_CONSISTENT,
        from "pte/valid/everything"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[0].device_type", 1_i8);

    /// The file is valid: the input and another tensor are in planned buffers with a device, and each device is the
    /// host.
    build "pte/valid/device-plan": "tensors in planned buffers with a device" shows rules::MEM_DEVICE_CONSISTENT
        => base::device_plan;

    /// A tensor and the tensor's planned buffer are on a GPU. A reader that allocates the buffer in host memory gives a
    /// host address to kernels for the GPU.
    either "pte/memory/planned-on-device": "planned buffer on a GPU" about program::PLAN_NCB_HOST,
        from "pte/valid/device-plan", refs ["pytorch/executorch#22058"] => |file| on_device(file, 1, 4);

    /// The input and its planned buffer are on a GPU. A reader that copies the input with host code writes to a GPU
    /// address.
    either "pte/memory/planned-input-on-device": "input in a planned buffer on a GPU" about program::PLAN_NCB_HOST,
        from "pte/valid/device-plan", refs ["pytorch/executorch#21960", "pytorch/executorch#22058"]
        => |file| on_device(file, 0, 1);

    /// A tensor is on GPU 1, but its buffer is on GPU 0. Kernels for GPU 1 can then get an address of GPU 0.
    either "pte/memory/device-index-of-tensor": "tensor on GPU 1 in a buffer on GPU 0"
        about rules::MEM_DEVICE_CONSISTENT, from "pte/valid/device-plan" => |file| {
            on_device(file, 1, 4);
            file.scalar("execution_plan[0].values[4].val.extra_tensor_info.device_index", 1_i8);
        };
}

/// Declares a GPU as the device of a planned buffer and of the buffer's tensor.
fn on_device(file: &mut Patcher<'_>, device: usize, value: usize) {
    file.scalar(&alloc::format!("execution_plan[0].non_const_buffer_device[{device}].device_type"), 1_i8);
    file.scalar(&alloc::format!("execution_plan[0].values[{value}].val.extra_tensor_info.device_type"), 1_i8);
}

//! Cases about a program's constants: their segment, their offsets, and legacy constant buffers.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema as pte;
use crate::rules::{constants as rules, flatbuffer};

/// A tensor, a scalar and another tensor, which the method adds to its input.
fn three_constants() -> TableTree {
    let scalar = base::tensor(&[]).with("data_buffer_idx", 2);
    let values = [base::constant(1), base::planned(0), base::planned(16), base::int(1), scalar, base::constant(3)];
    let calls = vec![base::kernel_call(), base::add([2, 4, 3, 2, 2]), base::add([2, 5, 3, 2, 2])];
    base::program_with(vec![base::method(values).with("chains", vec![base::chain(calls)])], &[0, 0, 16, 32])
}

/// Each constant except the last is padded to 16 bytes.
fn three_constants_data() -> Vec<u8> {
    let mut data = base::ramp(20);
    data.resize(32, 0);
    data.extend(base::ramp(16));
    data
}

fn constant_without_elements(data: &[u8]) -> base::BaseBytes {
    let nothing = base::tensor(&[0, 2]).with("data_buffer_idx", 1);
    let method = base::method([base::planned(0), base::planned(0), base::planned(16), base::int(1), nothing]);
    base::write_program(&base::program_with(vec![method], &[0, data.len() as u64]), &[data])
}

/// The constant buffer is longer than its tensor.
fn larger_buffer() -> base::BaseBytes {
    let buffer = |bytes: Vec<u8>| TableTree::new(pte::Buffer::TYPE).with("storage", bytes);
    let root = base::program_of(vec![base::plan(base::constant(1))])
        .with("constant_buffer", vec![buffer(Vec::new()), buffer(base::ramp(32))])
        .with("segments", Vec::<TableTree>::new());
    base::write_without_header(&root)
}

cases! {
    /// The file is valid: every constant except the last is padded to 16 bytes. A reader that requires padding after
    /// the last constant rejects every model.
    build "pte/valid/three-constants": "three constants, the last without padding" shows rules::CONST_OFFSET_BOUND
        => || base::write_program(&three_constants(), &[&three_constants_data()]);

    /// Two tensors use the same constant. The file is valid, and writers emit files of this kind for tied weights. A
    /// reader must not change or free the constant for only one of the tensors.
    accept "pte/valid/shared-constant": "two tensors with one constant" shows rules::CONST_IMMUTABLE,
        from "pte/valid/three-constants"
        => |file| file.scalar("execution_plan[0].values[5].val.data_buffer_idx", 1_u32);

    /// The file is valid: a constant without elements has an offset equal to the segment's size. A reader that requires
    /// an offset less than the size rejects the file.
    build "pte/valid/constant-of-no-bytes": "empty constant at the segment's end" shows rules::CONST_OFFSET_BOUND
        => || constant_without_elements(&base::ramp(16));

    /// The program has both a constant segment and constant buffers, so `data_buffer_idx` is ambiguous. A reader must
    /// reject the file, because two readers can use different weights.
    reject "pte/constants/two-homes": "constant segment and constant buffers" breaks rules::CONST_ONE_HOME,
        from "pte/valid/everything" => |file| file.lead("constant_buffer", "backend_delegate_data", 0);

    /// The list of constant offsets has only the placeholder at index 0, but the program also has a constant buffer.
    /// Readers may accept the file, because no tensor uses a constant.
    build "pte/constants/buffer-beside-placeholder": "only the placeholder offset, and a constant buffer"
        about rules::CONST_PLACEHOLDER_ALONE => || {
            let buffer = TableTree::new(pte::Buffer::TYPE).with("storage", base::ramp(16));
            base::write_program(&base::headerless_tree().with("constant_buffer", vec![buffer]), &[])
        };

    /// The list of constant offsets is empty, but a tensor uses the offset at index 1. A reader that does not check the
    /// index reads past the empty list of offsets or searches the empty list of constant buffers.
    reject "pte/constants/offsets-empty": "constant segment without offsets" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants", refs ["pytorch/executorch#19522"]
        => |file| file.count("constant_segment.offsets", 0);

    /// The list of constant offsets is empty, and the only constant buffer has no bytes. Exporters of releases 0.2 and
    /// 0.3 wrote such files for models without constants. Readers without support for constant buffers may reject the
    /// file.
    build "pte/constants/as-of-0-3": "no offsets and one empty buffer, from releases 0.2 and 0.3"
        about rules::CONST_OFFSETS_PLACEHOLDER => base::without_offsets;

    /// The constant segment has no list of offsets, and no tensor uses a constant. Readers may accept the file. If the
    /// list of offsets is absent, some readers look for legacy constant buffers and may reject the file.
    either "pte/constants/offsets-absent": "offsets absent, no constants" about rules::CONST_OFFSETS_PLACEHOLDER,
        from "pte/valid/named-without-constants" => |file| file.own_slot("constant_segment", 1, 0);

    /// The first offset is a placeholder that should be 0, but the offset is 16. No tensor uses index 0. A reader that
    /// computes the placeholder's size from the next offset gets a negative size.
    either "pte/constants/placeholder-16": "placeholder offset 16" about rules::CONST_OFFSETS0_ZERO,
        from "pte/valid/three-constants" => |file| file.elements("constant_segment.offsets", 0, 16_u64);

    /// The index of the constant segment is 2^32 − 1. In 32-bit arithmetic, this index selects the word in front of the
    /// first element of the list of segments. This word is the count of the list. If a reader does not check the index,
    /// it uses the count as an offset.
    reject "pte/constants/segment-index-max": "constant segment index 2^32 − 1" breaks rules::CONST_SEG_INDEX,
        from "pte/valid/constants" => |file| file.scalar("constant_segment.segment_index", u32::MAX);

    /// The constant index is 2, but the constant segment has two offsets. A reader with an off-by-one check reads an
    /// offset past the list of offsets.
    reject "pte/constants/index-past-end": "constant index one past the last offset" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants", refs ["pytorch/executorch#16887"]
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", 2_u32);

    /// The constant index is 2^32 − 1, as if the writer had stored −1. In this format, however, index 0 means no
    /// constant. In 32-bit arithmetic, index 2^32 − 1 selects the memory in front of the list of offsets.
    reject "pte/constants/index-max": "constant index 2^32 − 1" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants" => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", u32::MAX);

    /// The constant index is 2^29 + 1. Multiplied by 8 in 32-bit arithmetic, the index selects the correct offset. A
    /// reader must compare the index with the count before the multiplication.
    reject "pte/constants/index-wraps-32-bits": "constant index 2^29 + 1" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants"
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", (1_u32 << 29) + 1);

    /// The tensor uses constant 1, but the program has neither a constant segment nor constant buffers. If a reader
    /// does not check the index, it reads past the empty list of buffers.
    reject "pte/constants/no-home": "constant without any storage" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants" => |file| file.slot("", 5, 0);

    /// The constant's offset, 16, equals the segment's size, which is valid only for a constant without elements. A
    /// reader must check the end of the tensor, not only the offset.
    reject "pte/constants/offset-at-end": "constant begins where the segment ends" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants" => |file| file.elements("constant_segment.offsets", 8, 16_u64);

    /// The constant's offset, 32, is past the segment's size, 16. If a reader subtracts the offset from the size
    /// without a check, the result wraps, and every tensor seems to fit.
    reject "pte/constants/offset-past-end": "constant begins past the segment's end" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants", refs ["pytorch/executorch#18662"]
        => |file| file.elements("constant_segment.offsets", 8, 32_u64);

    /// The constant's offset is 2^64 − 16. The sum of offset and byte count wraps to 0, which is inside every segment.
    /// A reader must detect that the sum overflows.
    reject "pte/constants/offset-wraps": "constant offset + bytes wraps to 0" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants", refs ["pytorch/executorch#18662"]
        => |file| file.elements("constant_segment.offsets", 8, 0_u64.wrapping_sub(16));

    /// The constant's offset is too large by 2^32. A reader that truncates the offset to 32 bits gets the correct
    /// value. If a reader does not check the offset, it reads 4 GiB past the file.
    reject "pte/constants/offset-wraps-32-bits": "constant offset too large by 2^32" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants" => |file| file.elements("constant_segment.offsets", 8, 1_u64 << 32);

    /// The list of constants contains an unused offset past the segment's end. Readers may ignore an unused offset. A
    /// reader that splits the segment at the listed offsets must not read past the segment's end.
    either "pte/constants/unused-offset-past-end": "unused offset past the segment's end"
        about rules::CONST_OFFSET_UNUSED,
        from "pte/valid/shared-constant" => |file| file.elements("constant_segment.offsets", 24, 64_u64);

    /// The tensor is 8 bytes larger than the segment. A reader must compare the tensor's end with the segment's end,
    /// because kernels would otherwise read memory after the file.
    reject "pte/constants/tensor-past-segment": "constant larger than its segment" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants", refs ["pytorch/executorch#16887"]
        => |file| file.elements("execution_plan[0].values[0].val.sizes", 0, 3_i32);

    /// The constant's segment and the header's data size are both 4 bytes smaller than the tensor. All bytes of the
    /// tensor are inside the file, so a comparison with the file's end does not detect the fault.
    reject "pte/constants/segment-shorter-than-tensor": "segment shorter than its constant"
        breaks rules::CONST_OFFSET_BOUND, from "pte/valid/constants" => |file| {
            file.scalar("segments[0].size", 12_u64);
            file.header("segment_data_size", 12_u64);
        };

    /// The first constant has 24 bytes, but the second constant begins 16 bytes after the start of the first constant,
    /// so the constants overlap. Readers that compute the size of a constant from the next offset truncate the first
    /// constant.
    either "pte/constants/overlap": "two constants share bytes" about rules::CONST_OFFSET_NEXT,
        from "pte/valid/three-constants" => |file| file.elements("execution_plan[0].values[0].val.sizes", 0, 3_i32);

    /// The offsets of the constants are not sorted. Readers that compute the size of a constant from the next offset
    /// get a negative size.
    either "pte/constants/out-of-order": "constant offsets not sorted" about rules::CONST_OFFSETS_SORTED,
        from "pte/valid/three-constants" => |file| {
            file.elements("constant_segment.offsets", 8, 32_u64);
            file.elements("constant_segment.offsets", 24, 0_u64);
        };

    /// The constant is aligned to 4 bytes, but not to 16 bytes. Kernels that rely on 16-byte alignment can fault or run
    /// slowly.
    either "pte/constants/offset-unaligned": "constant not aligned to 16 bytes" about rules::CONST_OFFSET_ALIGNED,
        from "pte/valid/three-constants" => |file| {
            file.put_segment(0, 16, &[0; 4]);
            file.elements("constant_segment.offsets", 16, 20_u64);
        };

    /// The padding after a constant contains text instead of zeros. Tools that compare only tensors do not detect the
    /// hidden text.
    either "pte/constants/padding-not-zero": "hidden bytes after a constant" about rules::CONST_PADDING_ZERO,
        from "pte/valid/three-constants" => |file| file.put_segment(0, 24, b"hidden!!");

    /// The file is valid: the constant segment is empty, because no constant has elements. Official writers write such files
    /// too. A reader that treats an empty segment as absent looks for constant buffers and rejects the file.
    build "pte/constants/segment-of-no-bytes": "constant segment without bytes" shows rules::CONST_ZERO_SIZE_SEGMENT
        => || constant_without_elements(&[]);

    /// The file is valid: a constant buffer may be longer than its tensor. A reader must reject only buffers that are
    /// shorter than the tensor.
    build "pte/valid/constant-buffer-larger": "constant buffer longer than its tensor" shows rules::CONST_BUFFER_LEGACY,
        refs ["pytorch/executorch#16887"], needs ["constant-buffer"] => larger_buffer;

    /// A tensor uses constant 1, but the list of constant buffers is absent, and the program has no constant segment. A
    /// reader without a null check dereferences a null pointer.
    reject "pte/constants/buffers-absent": "constant_buffer absent" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constant-buffer", needs ["constant-buffer"] => |file| file.slot("", 2, 0);

    /// The constant index is 2, but the program has two constant buffers. A reader with an off-by-one check uses the
    /// bytes after the list of buffers as an offset.
    reject "pte/constants/buffer-index-past-end": "constant index one past the last buffer"
        breaks rules::CONST_BUFFER_LEGACY, from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", 2_u32);

    /// The index of the constant buffer is 2^32 − 1. As a signed integer, the index is −1. In 32-bit arithmetic, this
    /// index selects the word in front of the first element of the list of buffers. This word is the count of the list.
    reject "pte/constants/buffer-index-max": "constant buffer index 2^32 − 1" breaks rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", u32::MAX);

    /// The constant buffer has 15 bytes, but its tensor has 16. A reader must compare the buffer's size with the
    /// tensor's size. Otherwise, kernels use the next byte of the FlatBuffer.
    reject "pte/constants/buffer-too-short": "constant buffer one byte short" breaks rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", refs ["pytorch/executorch#16887"], needs ["constant-buffer"]
        => |file| file.count("constant_buffer[1].storage", 15);

    /// The constant buffer exists, but its field `storage` is absent. A reader that reads the length without a null
    /// check dereferences a null pointer.
    reject "pte/constants/buffer-storage-absent": "constant buffer without storage" breaks rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", needs ["constant-buffer"] => |file| file.slot("constant_buffer[1]", 0, 0);

    /// The file is valid: the constant has no elements, so it needs no bytes of its constant buffer. A reader that treats an
    /// empty range as a missing constant rejects the file.
    accept "pte/valid/constant-buffer-of-no-bytes": "empty constant in a constant buffer" shows rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.elements("execution_plan[0].values[0].val.sizes", 0, 0_i32);

    /// The constant has no elements, and its constant buffer lacks the field `storage`. A reader that compares only sizes
    /// finds nothing wrong and returns an address near 0 as the constant's data.
    reject "pte/constants/empty-buffer-storage-absent": "empty constant in a buffer without storage"
        breaks rules::CONST_BUFFER_LEGACY, from "pte/valid/constant-buffer-of-no-bytes", needs ["constant-buffer"]
        => |file| file.slot("constant_buffer[1]", 0, 0);

    /// The constant buffer is aligned to 4 bytes, but the schema requires 16 bytes. Verifiers do not check the required
    /// alignment, so kernels with 16-byte loads can fault.
    either "pte/constants/buffer-unaligned": "constant buffer not aligned to 16 bytes" about flatbuffer::FB_FORCE_ALIGN,
        from "pte/valid/constant-buffer-larger", needs ["constant-buffer"]
        => |file| file.move_count("constant_buffer[1].storage", 16);
}

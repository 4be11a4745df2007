//! Cases about checks that a loader must make for several kinds of data.
//!
//! A loader that makes such a check for only one kind of data can still pass the cases about all other topics.

use alloc::format;
use alloc::vec;

use super::{base, cases, program_base};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::patch::Patcher;
use crate::pte::schema as pte;
use crate::rules::{companions, flat_tensor, flatbuffer, memory, segments, tensors};

/// Sets a segment's offset so that the base plus the offset is 2^64, which wraps to 0.
fn wrap_segment(file: &mut Patcher<'_>, segment: usize) {
    file.scalar(&format!("segments[{segment}].offset"), 0_u64.wrapping_sub(file.u64_at(24) as u64));
}

fn value(index: usize) -> alloc::string::String {
    format!("execution_plan[0].values[{index}].val")
}

const SIZES: usize = 2;
const DIM_ORDER: usize = 3;

/// 20 planned buffers, the last of which contains the output.
fn many_buffers() -> base::BaseBytes {
    let mut plan = base::plan(base::planned(0));
    let sizes: alloc::vec::Vec<i64> = core::iter::once(0).chain([32; 20]).collect();
    plan.assign("non_const_buffer_sizes", sizes);
    if let Some(memory) = plan.at_mut("values[2].val.allocation_info") {
        memory.assign("memory_id", 20);
    }
    base::write_program(&base::program_with(vec![plan], &[0]), &[b""])
}

fn extra_info_without_name() -> base::BaseBytes {
    let mut plan = base::plan(base::planned(0));
    if let Some(output) = plan.at_mut("values[2].val") {
        output.assign("extra_tensor_info", TableTree::new(pte::ExtraTensorInfo::TYPE));
    }
    base::write_program(&base::program_with(vec![plan], &[0]), &[b""])
}

cases! {
    /// A reader with a fixed table of 16 buffers writes past its end or rejects the program.
    build "pte/valid/many-planned-buffers": "20 planned buffers" shows memory::MEM_ID_RANGE => many_buffers;

    /// A reader has to search the data files even though the program has no named data of its own.
    build "pte/valid/external-without-named-data": "constants in a data file, no named data"
        shows companions::X_EXTERNAL_FOUND, with ["ptd/valid/external"] => program_base::external_constants_alone;

    /// One planned tensor has a name, but its data is not in a data file. A reader that looks up every name in the data
    /// files rejects the program.
    build "pte/valid/extra-info-beside-external": "named tensor that is not external, beside external constants"
        shows companions::X_EXTERNAL_FOUND, with ["ptd/valid/external"] => program_base::external_beside_named;

    /// A reader that compares the names of tensors must not dereference an absent name.
    build "pte/valid/extra-info-without-name": "extra_tensor_info without a name" shows tensors::T_FQN_UNIQUE
        => extra_info_without_name;

    /// A reader that checks only constants for this overflow hands the file's first bytes to the backend as its blob.
    reject "pte/delegates/blob-base-sum-wraps": "base + offset of a delegate's blob wraps to 0"
        breaks segments::SEG_ABS_NO_OVERFLOW,
        from "pte/valid/everything", refs ["pytorch/executorch#16704"] => |file| wrap_segment(file, 2);

    /// A reader that checks only constants for this overflow copies the file's first bytes into the mutable tensor.
    reject "pte/mutable/base-sum-wraps": "base + offset of an initial value wraps to 0"
        breaks segments::SEG_ABS_NO_OVERFLOW,
        from "pte/valid/mutable-state", refs ["pytorch/executorch#19268"] => |file| wrap_segment(file, 1);

    /// The tensor is in buffer 2, but the method has only buffer 1. A reader must notice this before it copies the
    /// initial value.
    reject "pte/mutable/memory-id-past-end": "initial value in a planned buffer past the list"
        breaks memory::MEM_ID_RANGE, from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.allocation_info.memory_id", 2_u32);

    /// The tensor begins where its buffer ends, so copying the initial value writes past the buffer.
    reject "pte/mutable/memory-past-buffer": "initial value past its planned buffer" breaks memory::MEM_IN_BUFFER,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.allocation_info.memory_offset_low", 128_u32);

    /// The tensor begins where its buffer ends, so copying its bytes from the data file writes past the buffer.
    reject "pte/external/memory-past-buffer": "external mutable tensor past its planned buffer"
        breaks memory::MEM_IN_BUFFER, from "pte/valid/external-mutable"
        => |file| file.scalar("execution_plan[0].values[4].val.allocation_info.memory_offset_low", 96_u32);

    /// A reader that compares the tensor's sizes with the layout in the data file dereferences null.
    reject "pte/external/sizes-absent": "sizes of an external tensor absent" breaks tensors::T_SIZES_NONNULL,
        from "pte/valid/external-constants", refs ["pytorch/executorch#19878"]
        => |file| file.own_slot(&value(0), SIZES, 0);

    /// A reader that compares the dimension order with the layout in the data file dereferences null.
    reject "pte/external/dim-order-absent": "dim_order of an external tensor absent" breaks tensors::T_DIMORDER_NONNULL,
        from "pte/valid/external-constants", refs ["pytorch/executorch#19878"]
        => |file| file.own_slot(&value(0), DIM_ORDER, 0);

    /// The vector has one entry for two dimensions. A reader that compares as many as the data file has reads past its end.
    reject "pte/external/dim-order-short": "dim_order of an external tensor shorter than sizes"
        breaks tensors::T_DIMORDER_LEN, from "pte/valid/external-constants", refs ["pytorch/executorch#17131"]
        => |file| file.count(&format!("{}.dim_order", value(0)), 1);

    /// The program and the data file agree on a layout of 24 bytes, but the segment has 8, so kernels read past the loaded data.
    reject "pte/external/segment-too-short": "segment of a data file shorter than the agreed layout"
        breaks flat_tensor::FT_LAYOUT_FITS_SEGMENT,
        from "pte/valid/external-constants", with ["ptd/layout/weight-larger-than-segment"] => |_| {};

    /// The program and the data file agree on a layout of 24 bytes, but the segment has 8, so the copy reads past its end.
    reject "pte/external/mutable-segment-too-short": "segment of a mutable tensor shorter than the agreed layout"
        breaks flat_tensor::FT_LAYOUT_FITS_SEGMENT,
        from "pte/valid/external-mutable", with ["ptd/layout/second-larger-than-segment"] => |_| {};

    /// The layouts agree, but the segment cannot be loaded. A reader that ignores this gives kernels a tensor without data.
    reject "pte/external/segment-past-file": "segment of an external constant ends past the data file"
        breaks flat_tensor::FT_SEG_BOUND,
        from "pte/valid/external-constants", with ["ptd/segments/weight-past-data"] => |_| {};

    /// The layouts agree, but the segment cannot be copied. A reader that ignores this starts with uninitialized memory.
    reject "pte/external/mutable-segment-past-file": "segment of a mutable tensor ends past the data file"
        breaks flat_tensor::FT_SEG_BOUND,
        from "pte/valid/external-mutable", with ["ptd/segments/second-past-data"] => |_| {};

    /// The value has the type Tensor but no content, so a reader that uses the content without a check dereferences null.
    reject "pte/values/tensor-without-table": "Tensor without a table" breaks flatbuffer::FB_UNION_CONSISTENT,
        from "pte/valid/memory-plan" => |file| file.own_slot("execution_plan[0].values[5]", 1, 0);

    /// A reader that checks only Tensors for an absent table misses this list and dereferences null when it reads the items.
    reject "pte/values/tensor-list-without-table": "TensorList without a table" breaks flatbuffer::FB_UNION_CONSISTENT,
        from "pte/valid/every-value" => |file| file.own_slot("execution_plan[0].values[11]", 1, 0);

    /// A reader that checks only inputs computes the output's byte count from an unknown element size.
    reject "pte/tensors/scalar-type-99-of-output": "scalar type 99 of an output" breaks tensors::T_SCALAR_TYPE,
        from "pte/valid/tensor-fields" => |file| file.scalar(&format!("{}.scalar_type", value(2)), 99_i8);

    /// A reader that checks only inputs dereferences null when it computes the output's rank.
    reject "pte/tensors/sizes-absent-of-output": "sizes of an output absent" breaks tensors::T_SIZES_NONNULL,
        from "pte/valid/tensor-fields" => |file| file.own_slot(&value(2), SIZES, 0);

    /// A reader that checks only inputs dereferences null when it computes the output's strides.
    reject "pte/tensors/dim-order-absent-of-output": "dim_order of an output absent" breaks tensors::T_DIMORDER_NONNULL,
        from "pte/valid/tensor-fields" => |file| file.own_slot(&value(2), DIM_ORDER, 0);

    /// A reader that checks only inputs computes a size of almost 2^64 bytes for the output.
    reject "pte/tensors/size-minus-1-of-output": "size −1 of an output" breaks tensors::T_SIZES_NONNEG,
        from "pte/valid/tensor-fields" => |file| file.elements(&format!("{}.sizes", value(2)), 12, -1_i32);

    /// The tensor is neither an input nor an output, so a host can reach it only by its name.
    reject "pte/tensors/scalar-type-99-of-attribute": "scalar type 99 of a named tensor" breaks tensors::T_SCALAR_TYPE,
        from "pte/valid/tensor-fields" => |file| file.scalar(&format!("{}.scalar_type", value(4)), 99_i8);

    /// A reader that checks only inputs and outputs dereferences null when a host asks for the tensor by name.
    reject "pte/tensors/sizes-absent-of-attribute": "sizes of a named tensor absent" breaks tensors::T_SIZES_NONNULL,
        from "pte/valid/tensor-fields" => |file| file.own_slot(&value(4), SIZES, 0);

    /// Checking only inputs and outputs is not enough, because a host can also ask for a tensor by name.
    reject "pte/tensors/dim-order-absent-of-attribute": "dim_order of a named tensor absent"
        breaks tensors::T_DIMORDER_NONNULL,
        from "pte/valid/tensor-fields" => |file| file.own_slot(&value(4), DIM_ORDER, 0);

    /// The tensor has no name and is neither an input nor an output, so readers see it only when they prepare the method.
    reject "pte/tensors/scalar-type-99-of-internal": "scalar type 99 of an internal tensor"
        breaks tensors::T_SCALAR_TYPE, by Method,
        from "pte/valid/memory-plan" => |file| file.scalar(&format!("{}.scalar_type", value(5)), 99_i8);

    /// The element count fits into 63 bits, but the byte count, which readers compute only when they prepare the
    /// method, overflows 64 bits.
    reject "pte/tensors/bytes-overflow-of-internal": "internal tensor of more than 2^64 bytes"
        breaks tensors::T_NBYTES_OVERFLOW, by Method, from "pte/valid/memory-plan" => |file| {
            file.scalar(&format!("{}.scalar_type", value(5)), 7_i8);
            file.elements(&format!("{}.sizes", value(5)), 0, [i32::MAX; 2]);
        };

    /// A reader that checks only inputs and outputs dereferences null when it prepares the method.
    reject "pte/tensors/sizes-absent-of-internal": "sizes of an internal tensor absent" breaks tensors::T_SIZES_NONNULL,
        by Method, from "pte/valid/memory-plan" => |file| file.own_slot(&value(5), SIZES, 0);

    /// Readers look at this planned tensor only when they prepare the method. They then dereference null unless they check.
    reject "pte/tensors/dim-order-absent-of-internal": "dim_order of an internal tensor absent"
        breaks tensors::T_DIMORDER_NONNULL, by Method,
        from "pte/valid/memory-plan" => |file| file.own_slot(&value(5), DIM_ORDER, 0);

    /// A reader that checks only inputs and outputs computes a size of almost 2^64 bytes when it prepares the method.
    reject "pte/tensors/size-minus-1-of-internal": "size −1 of an internal tensor" breaks tensors::T_SIZES_NONNEG,
        by Method, from "pte/valid/memory-plan" => |file| file.elements(&format!("{}.sizes", value(5)), 0, -1_i32);
}

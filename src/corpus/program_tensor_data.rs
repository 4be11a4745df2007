//! Cases about the location of a tensor's data and its extra information.

use super::{cases, program_base as base};
use crate::rules::tensors as rules;

/// The extra information of the unplanned input.
const EXTRA: &str = "execution_plan[0].values[1].val.extra_tensor_info";

cases! {
    /// A tensor without elements needs no memory, so its pointer may be null. A reader that rejects null pointers
    /// before it checks the size rejects models with empty batches.
    accept "pte/valid/tensor-without-elements": "tensor of no elements and no memory" shows rules::T_ZERO_ELEM_NULL,
        from "pte/valid/tensor-fields" => |file| file.elements("execution_plan[0].values[1].val.sizes", 0, &[0; 4]);

    /// The device index has no meaning on the host, so −1 is harmless. A reader that rejects every negative index
    /// rejects the tensor.
    accept "pte/valid/host-index-minus-1": "device index −1 on the host" shows rules::T_DEVICE,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.device_index"), -1_i8);

    /// The tensor begins at the second element of its memory, which no reader supports. A reader that ignores the
    /// field uses the wrong elements; one that honours it must extend every bound.
    reject "pte/tensors/storage-offset-1": "storage_offset 1" breaks rules::T_STORAGE_OFFSET,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[2].val.storage_offset", 1_i32);

    /// The tensor begins one element before its allocation. In planned memory that is the last element of its
    /// neighbour, and every check on the buffer passes.
    reject "pte/tensors/storage-offset-minus-1": "storage_offset −1" breaks rules::T_STORAGE_OFFSET,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[2].val.storage_offset", -1_i32);

    /// The value is the first past the enum. A reader that only tests for static shapes treats the sizes as bounds
    /// and resizes an input in memory for one shape.
    reject "pte/tensors/dynamism-3": "shape_dynamism 3" breaks rules::T_DYNAMISM,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.shape_dynamism", 3_i8);

    /// A reader that checks only the upper end of the enum accepts it. A reader that tests for 0 treats the shape
    /// as one that may grow.
    reject "pte/tensors/dynamism-minus-1": "shape_dynamism −1" breaks rules::T_DYNAMISM,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[2].val.shape_dynamism", -1_i8);

    /// The shape is unbounded, so nothing states how much memory it needs. Some builds of the runtime support that.
    either "pte/tensors/dynamism-unbound": "shape without bounds" about rules::T_DYNAMIC_UNBOUND,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#21289"]
        => |file| file.scalar("execution_plan[0].values[1].val.shape_dynamism", 2_i8);

    /// The shape may grow while the method runs, and its memory is on a GPU. A reader that allocates such tensors
    /// on the host cannot do so there.
    either "pte/tensors/dynamism-unbound-on-device": "shape without bounds on a GPU" about rules::T_DYNAMIC_UNBOUND,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#21289"] => |file| {
            file.scalar("execution_plan[0].values[1].val.shape_dynamism", 2_i8);
            file.scalar(&alloc::format!("{EXTRA}.device_type"), 1_i8);
        };

    /// The layout is not the dense one that the other fields describe. Readers ignore the field and run a sparse
    /// tensor as if it were dense.
    either "pte/tensors/layout-1": "tensor layout 1" about rules::T_LAYOUT,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.layout", 1_i8);

    /// The sizes of a constant must match its bytes. If a reader treats them as upper bounds, a kernel can shrink
    /// the constant in place, and all later runs use the smaller one.
    either "pte/tensors/constant-dynamic": "constant with dynamic bounds" about rules::T_CONST_STATIC,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[0].val.shape_dynamism", 1_i8);

    /// The value is the first past the enum, so the location is unknown. A reader that compares with only one of
    /// the two values assumes the other.
    reject "pte/tensors/location-2": "data location 2" breaks rules::T_LOCATION_ENUM,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.location"), 2_i8);

    /// The value is outside the enum and is 255 without a sign. A reader that only tests for EXTERNAL takes the
    /// data from the program.
    reject "pte/tensors/location-minus-1": "data location −1" breaks rules::T_LOCATION_ENUM,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.location"), -1_i8);

    /// The value is the first past the enum. A reader that treats everything but the host as a GPU passes the
    /// tensor to a device that may not exist.
    reject "pte/tensors/device-type-2": "device type 2" breaks rules::T_DEVICE,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.device_type"), 2_i8);

    /// The value is neither CPU nor CUDA. As an index into a device table it is far past the end. A reader that
    /// only tests for the host uses the address as a device address.
    reject "pte/tensors/device-type-99": "device type 99" breaks rules::T_DEVICE,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.device_type"), 99_i8);

    /// Some interfaces use −1 for the current device, but this format does not. As an index it precedes the first
    /// GPU.
    reject "pte/tensors/device-index-minus-1": "GPU with device index −1" breaks rules::T_DEVICE,
        from "pte/valid/tensor-fields" => |file| {
            file.scalar(&alloc::format!("{EXTRA}.device_type"), 1_i8);
            file.scalar(&alloc::format!("{EXTRA}.device_index"), -1_i8);
        };

    /// Two tensors of a method share a name. A lookup finds only the first, so a value set by name never reaches
    /// the second.
    either "pte/tensors/name-twice": "two tensors with one name" about rules::T_FQN_UNIQUE,
        from "pte/valid/tensor-fields"
        => |file| file.elements("execution_plan[0].values[5].val.extra_tensor_info.fully_qualified_name", 0, b"alpha");

    /// The tensor's data is in a data file, but the tensor has no name. A reader that searches the data files
    /// compares keys with a null pointer.
    reject "pte/tensors/external-name-absent": "external constant without a name" breaks rules::T_EXTERNAL,
        from "pte/valid/external-constants"
        => |file| file.own_slot("execution_plan[0].values[4].val.extra_tensor_info", 1, 0);

    /// The initial bytes come from a data file, but the tensor has no name. Readers look such tensors up in
    /// separate code, so a check on constants does not cover it.
    reject "pte/tensors/external-mutable-name-absent": "external mutable tensor without a name"
        breaks rules::T_EXTERNAL,
        from "pte/valid/external-mutable"
        => |file| file.own_slot("execution_plan[0].values[4].val.extra_tensor_info", 1, 0);

    /// The name is empty, and only an empty key matches it. No data file has one, so the lookup fails, and the
    /// reader must report that.
    build "pte/tensors/external-name-empty": "external constant with an empty name" about rules::T_EXTERNAL_NONEMPTY
        => base::external_without_name;
}

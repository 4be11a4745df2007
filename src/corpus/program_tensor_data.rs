//! Cases about a tensor's extra information, where its data is, and the fields that describe its storage.

use super::{cases, program_base as base};
use crate::rules::tensors as rules;

/// The input has no planned memory.
const EXTRA: &str = "execution_plan[0].values[1].val.extra_tensor_info";

cases! {
    /// The tensor has no elements, so its data may be null. A reader that rejects null data before it looks at the size
    /// rejects empty batches.
    accept "pte/valid/tensor-without-elements": "tensor of no elements and no memory" shows rules::T_ZERO_ELEM_NULL,
        from "pte/valid/tensor-fields" => |file| file.elements("execution_plan[0].values[1].val.sizes", 0, &[0; 4]);

    /// The device index of a host tensor means nothing, so a reader must look at the type before it checks the index.
    accept "pte/valid/host-index-minus-1": "device index −1 on the host" shows rules::T_DEVICE,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.device_index"), -1_i8);

    /// According to `storage_offset`, the tensor begins at the second element of its memory, which no reader supports.
    reject "pte/tensors/storage-offset-1": "storage_offset 1" breaks rules::T_STORAGE_OFFSET,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[2].val.storage_offset", 1_i32);

    /// According to `storage_offset`, the tensor begins one element before its memory. Checks of planned memory do not catch this.
    reject "pte/tensors/storage-offset-minus-1": "storage_offset −1" breaks rules::T_STORAGE_OFFSET,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[2].val.storage_offset", -1_i32);

    /// A later release may define this value, so readers may accept it. A reader that tests only for static shapes
    /// treats the sizes as upper limits.
    either "pte/tensors/dynamism-3": "shape_dynamism 3" about rules::T_DYNAMISM_KNOWN,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.shape_dynamism", 3_i8);

    /// The schema defines 0 to 2, but a reader that checks only the upper limit accepts −1.
    reject "pte/tensors/dynamism-minus-1": "shape_dynamism −1" breaks rules::T_DYNAMISM,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[2].val.shape_dynamism", -1_i8);

    /// The file does not say how much memory the tensor needs, and only some builds of the runtime support such tensors.
    either "pte/tensors/dynamism-unbound": "unbounded shape" about rules::T_DYNAMIC_UNBOUND,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#21289"]
        => |file| file.scalar("execution_plan[0].values[1].val.shape_dynamism", 2_i8);

    /// A reader that allocates memory for unbounded tensors on the host cannot allocate it on a GPU.
    either "pte/tensors/dynamism-unbound-on-device": "unbounded shape on a GPU" about rules::T_DYNAMIC_UNBOUND,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#21289"] => |file| {
            file.scalar("execution_plan[0].values[1].val.shape_dynamism", 2_i8);
            file.scalar(&alloc::format!("{EXTRA}.device_type"), 1_i8);
        };

    /// Layout 1 means sparse, which readers do not support. A reader that ignores the field treats the tensor as dense.
    either "pte/tensors/layout-1": "tensor layout 1" about rules::T_LAYOUT,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.layout", 1_i8);

    /// A constant's sizes must match its data. If a kernel resizes the constant, all later runs use the wrong size.
    either "pte/tensors/constant-dynamic": "constant with dynamic sizes" about rules::T_CONST_STATIC,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[0].val.shape_dynamism", 1_i8);

    /// Only SEGMENT (0) and EXTERNAL (1) exist. A reader that tests only for EXTERNAL mistakes 2 for SEGMENT.
    reject "pte/tensors/location-2": "data location 2" breaks rules::T_LOCATION_ENUM,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.location"), 2_i8);

    /// Only SEGMENT (0) and EXTERNAL (1) exist. A reader that tests only for EXTERNAL loads the data from the program.
    reject "pte/tensors/location-minus-1": "data location −1" breaks rules::T_LOCATION_ENUM,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.location"), -1_i8);

    /// A later release may define this type. A reader that treats everything except CPU (0) as a GPU uses a device that
    /// may not exist.
    either "pte/tensors/device-type-2": "device type 2" about rules::T_DEVICE_KNOWN,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.device_type"), 2_i8);

    /// Only CPU (0) and CUDA (1) are defined. A reader that uses 99 as an index goes past its own list of devices.
    either "pte/tensors/device-type-99": "device type 99" about rules::T_DEVICE_KNOWN,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.device_type"), 99_i8);

    /// Device types are never negative, but a reader that checks only the upper limit reads the memory before its device list.
    reject "pte/tensors/device-type-minus-1": "device type −1" breaks rules::T_DEVICE,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.device_type"), -1_i8);

    /// A reader that copies only planned buffers to the GPU gives GPU kernels the constant's host address.
    either "pte/tensors/constant-on-device": "constant on a GPU" about rules::T_CONST_HOST,
        from "pte/valid/external-constants"
        => |file| file.scalar("execution_plan[0].values[0].val.extra_tensor_info.device_type", 1_i8);

    /// A GPU's index is never negative. Some interfaces use −1 for the current device, but this format does not.
    reject "pte/tensors/device-index-minus-1": "GPU with device index −1" breaks rules::T_DEVICE,
        from "pte/valid/tensor-fields" => |file| {
            file.scalar(&alloc::format!("{EXTRA}.device_type"), 1_i8);
            file.scalar(&alloc::format!("{EXTRA}.device_index"), -1_i8);
        };

    /// Two tensors have the same name, so a look-up by name finds only one of them.
    either "pte/tensors/name-twice": "two tensors with one name" about rules::T_FQN_UNIQUE,
        from "pte/valid/tensor-fields"
        => |file| file.elements("execution_plan[0].values[5].val.extra_tensor_info.fully_qualified_name", 0, b"alpha");

    /// The constant is in a data file, and a reader that looks it up without a name dereferences null.
    reject "pte/tensors/external-name-absent": "external constant without a name" breaks rules::T_EXTERNAL,
        from "pte/valid/external-constants"
        => |file| file.own_slot("execution_plan[0].values[4].val.extra_tensor_info", 1, 0);

    /// The initial value is in a data file. If a reader has separate code for mutable tensors, that code must check the
    /// name just as the code for constants does.
    reject "pte/tensors/external-mutable-name-absent": "external mutable tensor without a name"
        breaks rules::T_EXTERNAL, from "pte/valid/external-mutable"
        => |file| file.own_slot("execution_plan[0].values[4].val.extra_tensor_info", 1, 0);

    /// No data file has an empty key, so a reader must report that the data is missing.
    build "pte/tensors/external-name-empty": "external constant with an empty name" about rules::T_EXTERNAL_NONEMPTY
        => base::external_without_name;
}

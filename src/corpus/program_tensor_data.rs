//! Cases about a tensor's extra information, the location of its data, and the fields that describe its storage.

use super::{cases, program_base as base};
use crate::rules::tensors as rules;

/// The input has no planned memory.
const EXTRA: &str = "execution_plan[0].values[1].val.extra_tensor_info";

cases! {
    /// The tensor has no elements and no memory, so its data pointer may be null. The file is valid. If a reader
    /// rejects null pointers before it checks the size, it wrongly rejects empty batches.
    accept "pte/valid/tensor-without-elements": "tensor of no elements and no memory" shows rules::T_ZERO_ELEM_NULL,
        from "pte/valid/tensor-fields" => |file| file.elements("execution_plan[0].values[1].val.sizes", 0, &[0; 4]);

    /// The device index of a tensor on the host is −1. The file is valid, because the index has no meaning on the host.
    /// A reader must check the device type before it checks the index.
    accept "pte/valid/host-index-minus-1": "device index −1 on the host" shows rules::T_DEVICE,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.device_index"), -1_i8);

    /// The field `storage_offset` is 1, so the tensor should begin at the second element of its memory. Readers do not
    /// support storage offsets, so a reader must reject the file.
    reject "pte/tensors/storage-offset-1": "storage_offset 1" breaks rules::T_STORAGE_OFFSET,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[2].val.storage_offset", 1_i32);

    /// The field `storage_offset` is −1, so the tensor should begin one element in front of its memory. Checks of the
    /// planned memory do not include `storage_offset`, so a reader must check the field separately.
    reject "pte/tensors/storage-offset-minus-1": "storage_offset −1" breaks rules::T_STORAGE_OFFSET,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[2].val.storage_offset", -1_i32);

    /// The field `shape_dynamism` is 3, but the schema defines only 0 to 2. A later release can define the value 3 for
    /// this field, so a reader may accept the file. If a reader tests only whether the shape is static, it treats the
    /// sizes as upper limits.
    either "pte/tensors/dynamism-3": "shape_dynamism 3" about rules::T_DYNAMISM_KNOWN,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.shape_dynamism", 3_i8);

    /// The field `shape_dynamism` is −1, but the schema defines only 0 to 2. A reader that checks only the upper limit
    /// accepts the file.
    reject "pte/tensors/dynamism-minus-1": "shape_dynamism −1" breaks rules::T_DYNAMISM,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[2].val.shape_dynamism", -1_i8);

    /// The shape is unbounded, so the file does not state how much memory the tensor needs. Only some builds of the
    /// runtime support tensors with unbounded shapes.
    either "pte/tensors/dynamism-unbound": "unbounded shape" about rules::T_DYNAMIC_UNBOUND,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#21289"]
        => |file| file.scalar("execution_plan[0].values[1].val.shape_dynamism", 2_i8);

    /// The shape is unbounded, and the tensor is on a GPU. Readers that allocate unbounded tensors on the host do not
    /// support unbounded tensors on a GPU.
    either "pte/tensors/dynamism-unbound-on-device": "unbounded shape on a GPU" about rules::T_DYNAMIC_UNBOUND,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#21289"] => |file| {
            file.scalar("execution_plan[0].values[1].val.shape_dynamism", 2_i8);
            file.scalar(&alloc::format!("{EXTRA}.device_type"), 1_i8);
        };

    /// The field `layout` is 1, which means a sparse tensor, but readers support only dense tensors, with layout 0.
    /// Readers that ignore the field treat the sparse tensor as a dense tensor.
    either "pte/tensors/layout-1": "tensor layout 1" about rules::T_LAYOUT,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.layout", 1_i8);

    /// The constant has dynamic sizes, but the sizes of a constant must match its data. If a kernel resizes the
    /// constant, all later runs use the wrong size.
    either "pte/tensors/constant-dynamic": "constant with dynamic sizes" about rules::T_CONST_STATIC,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[0].val.shape_dynamism", 1_i8);

    /// The data location is 2, but the schema defines only SEGMENT (0) and EXTERNAL (1). A reader that tests only
    /// whether the location is 1 treats location 2 as SEGMENT.
    reject "pte/tensors/location-2": "data location 2" breaks rules::T_LOCATION_ENUM,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.location"), 2_i8);

    /// The data location is −1, but the schema defines only SEGMENT (0) and EXTERNAL (1). If a reader tests only for
    /// the location EXTERNAL, it uses data from the program.
    reject "pte/tensors/location-minus-1": "data location −1" breaks rules::T_LOCATION_ENUM,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.location"), -1_i8);

    /// The device type is 2, but the schema defines only CPU (0) and CUDA (1). A later release can define device type
    /// 2, so a reader may accept the file. A reader that treats every type except CPU as a GPU can use a device that
    /// does not exist.
    either "pte/tensors/device-type-2": "device type 2" about rules::T_DEVICE_KNOWN,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.device_type"), 2_i8);

    /// The device type is 99, but the schema defines only CPU (0) and CUDA (1). If a reader does not check the type, it
    /// reads past its own list of devices.
    either "pte/tensors/device-type-99": "device type 99" about rules::T_DEVICE_KNOWN,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.device_type"), 99_i8);

    /// The device type is −1, but no device type is negative. If a reader checks only the upper limit, it reads the
    /// memory in front of its own list of devices.
    reject "pte/tensors/device-type-minus-1": "device type −1" breaks rules::T_DEVICE,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.device_type"), -1_i8);

    /// The tensor is a constant of the program, but its device is a GPU. A reader that copies only planned buffers to
    /// the GPU gives a host address to kernels for the GPU.
    either "pte/tensors/constant-on-device": "constant on a GPU" about rules::T_CONST_HOST,
        from "pte/valid/external-constants"
        => |file| file.scalar("execution_plan[0].values[0].val.extra_tensor_info.device_type", 1_i8);

    /// The device of the tensor is GPU −1, but a GPU's index must not be negative. Some interfaces use −1 for the
    /// current device, but this format does not.
    reject "pte/tensors/device-index-minus-1": "GPU with device index −1" breaks rules::T_DEVICE,
        from "pte/valid/tensor-fields" => |file| {
            file.scalar(&alloc::format!("{EXTRA}.device_type"), 1_i8);
            file.scalar(&alloc::format!("{EXTRA}.device_index"), -1_i8);
        };

    /// Two tensors of a method have the same name. A lookup by name returns only one of the tensors.
    either "pte/tensors/name-twice": "two tensors with one name" about rules::T_FQN_UNIQUE,
        from "pte/valid/tensor-fields"
        => |file| file.elements("execution_plan[0].values[5].val.extra_tensor_info.fully_qualified_name", 0, b"alpha");

    /// The constant's data is in a data file, but the constant has no name. If a reader searches the data file for the
    /// name without a null check, it dereferences a null pointer.
    reject "pte/tensors/external-name-absent": "external constant without a name" breaks rules::T_EXTERNAL,
        from "pte/valid/external-constants"
        => |file| file.own_slot("execution_plan[0].values[4].val.extra_tensor_info", 1, 0);

    /// The initial value of a mutable tensor is in a data file, but the tensor has no name. Readers can process mutable
    /// tensors in separate code, so a check in the code for constants is not enough.
    reject "pte/tensors/external-mutable-name-absent": "external mutable tensor without a name"
        breaks rules::T_EXTERNAL, from "pte/valid/external-mutable"
        => |file| file.own_slot("execution_plan[0].values[4].val.extra_tensor_info", 1, 0);

    /// The name of the external constant is empty, and no data file contains an empty key. A reader must report that
    /// the data is missing.
    build "pte/tensors/external-name-empty": "external constant with an empty name" about rules::T_EXTERNAL_NONEMPTY
        => base::external_without_name;
}

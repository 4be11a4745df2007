//! Where a tensor's data is, and what a tensor says beyond its layout.

use super::{cases, program_base as base};
use crate::rules::tensors as rules;

/// What the input that the caller brings says beyond the common fields.
const EXTRA: &str = "execution_plan[0].values[1].val.extra_tensor_info";

cases! {
    /// A tensor of no elements needs no memory, so there may be none behind it. Readers that refuse a null pointer
    /// before they ask for the size refuse models with empty batches.
    accept "pte/valid/tensor-without-elements": "tensor of no elements and no memory" shows rules::T_ZERO_ELEM_NULL,
        from "pte/valid/tensor-fields" => |file| file.elements("execution_plan[0].values[1].val.sizes", 0, &[0; 4]);

    /// The index of a device counts among devices of one kind, and the host is no device: −1 says nothing there. A
    /// reader that refuses every negative index refuses the tensor.
    accept "pte/valid/host-index-minus-1": "device index −1 on the host" shows rules::T_DEVICE,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.device_index"), -1_i8);

    /// The tensor begins at an element of its memory that is not the first. A reader that ignores it hands out other
    /// elements, one that adds it must add it to every bound.
    reject "pte/tensors/storage-offset-1": "storage_offset 1" breaks rules::T_STORAGE_OFFSET,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[2].val.storage_offset", 1_i32);

    /// The tensor begins an element before its place, at 12 and not at 16: in planned memory that is its neighbour's
    /// last element, and every bound on the buffer holds.
    reject "pte/tensors/storage-offset-minus-1": "storage_offset −1" breaks rules::T_STORAGE_OFFSET,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[2].val.storage_offset", -1_i32);

    /// The first number past the enum. A reader that asks only whether a shape is static takes the sizes for bounds,
    /// and lets the input be resized in memory that was made for one shape.
    reject "pte/tensors/dynamism-3": "shape_dynamism 3" breaks rules::T_DYNAMISM,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.shape_dynamism", 3_i8);

    /// A reader that asks whether the number is at most the last of the enum lets it pass, and one that asks whether it
    /// is 0 takes the shape for one that may grow.
    reject "pte/tensors/dynamism-minus-1": "shape_dynamism −1" breaks rules::T_DYNAMISM,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[2].val.shape_dynamism", -1_i8);

    /// A shape without bounds: nothing says how much memory it takes, and some builds of a runtime can do without
    /// knowing.
    either "pte/tensors/dynamism-unbound": "shape without bounds" about rules::T_DYNAMIC_UNBOUND,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#21289"]
        => |file| file.scalar("execution_plan[0].values[1].val.shape_dynamism", 2_i8);

    /// The shape may grow while the method runs, and the memory for it is a GPU's. A reader that allocates such tensors
    /// on the host as it goes has no way to do so there.
    either "pte/tensors/dynamism-unbound-on-device": "shape without bounds on a GPU" about rules::T_DYNAMIC_UNBOUND,
        from "pte/valid/tensor-fields", refs ["pytorch/executorch#21289"] => |file| {
            file.scalar("execution_plan[0].values[1].val.shape_dynamism", 2_i8);
            file.scalar(&alloc::format!("{EXTRA}.device_type"), 1_i8);
        };

    /// Another storage than the dense one that the rest of the table describes. Readers do not look at it, so what a
    /// sparse tensor would hold is run as if it were dense.
    either "pte/tensors/layout-1": "layout 1" about rules::T_LAYOUT,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[1].val.layout", 1_i8);

    /// The sizes of a constant are as many as its bytes. Taken for upper bounds they let a kernel shrink the shape in
    /// place, so that all later runs have another constant.
    either "pte/tensors/constant-dynamic": "constant with bounds for sizes" about rules::T_CONST_STATIC,
        from "pte/valid/tensor-fields" => |file| file.scalar("execution_plan[0].values[0].val.shape_dynamism", 1_i8);

    /// The first number past the enum: where the data are, nobody knows, and a reader that compares with one of the two
    /// values takes it for the other.
    reject "pte/tensors/location-2": "data location 2" breaks rules::T_LOCATION_ENUM,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.location"), 2_i8);

    /// It is neither of the two places, and in one byte it is also 255. A reader that asks only whether it is EXTERNAL
    /// takes the data from the program.
    reject "pte/tensors/location-minus-1": "data location −1" breaks rules::T_LOCATION_ENUM,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.location"), -1_i8);

    /// The first number past the enum. A reader that takes all that is not the host for a GPU hands the tensor's
    /// address to a device that may not be there.
    reject "pte/tensors/device-type-2": "device type 2" breaks rules::T_DEVICE,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.device_type"), 2_i8);

    /// The byte 99 is neither CPU nor CUDA. As an index into a table of devices it is far past the end, and a reader
    /// that only asks whether it is the host takes the tensor's address for a device's.
    reject "pte/tensors/device-type-99": "device type 99" breaks rules::T_DEVICE,
        from "pte/valid/tensor-fields" => |file| file.scalar(&alloc::format!("{EXTRA}.device_type"), 99_i8);

    /// −1 is the current device in some interfaces and no device in this format. As an index it is in front of the
    /// first GPU, whose memory the tensor's address is then taken for.
    reject "pte/tensors/device-index-minus-1": "GPU with index −1" breaks rules::T_DEVICE,
        from "pte/valid/tensor-fields" => |file| {
            file.scalar(&alloc::format!("{EXTRA}.device_type"), 1_i8);
            file.scalar(&alloc::format!("{EXTRA}.device_index"), -1_i8);
        };

    /// Two tensors of a method with one name: a look-up finds the first, and what is set there is missing in the other.
    either "pte/tensors/name-twice": "two tensors with one name" about rules::T_FQN_UNIQUE,
        from "pte/valid/tensor-fields"
        => |file| file.elements("execution_plan[0].values[5].val.extra_tensor_info.fully_qualified_name", 0, b"alpha");

    /// The tensor's data are in a data file, under no name. Keys are compared with a null pointer, at the first key of
    /// the first file and whether or not the program wants anything else from it.
    reject "pte/tensors/external-name-absent": "external constant without a name" breaks rules::T_EXTERNAL,
        from "pte/valid/external-constants"
        => |file| file.own_slot("execution_plan[0].values[4].val.extra_tensor_info", 1, 0);

    /// The initial bytes are a data file's, to be copied into planned memory under a name that is absent. Such a tensor
    /// is looked up apart from the constants, so their check does not cover it.
    reject "pte/tensors/external-mutable-name-absent": "external mutable tensor without a name"
        breaks rules::T_EXTERNAL,
        from "pte/valid/external-mutable"
        => |file| file.own_slot("execution_plan[0].values[4].val.extra_tensor_info", 1, 0);

    /// A name of no letters, which only a key of no letters fits. Without a data file that has one there is nothing to
    /// find, which is for the reader to say.
    build "pte/tensors/external-name-empty": "external constant with an empty name" about rules::T_EXTERNAL_NONEMPTY
        => base::external_without_name;
}

//! Rules about the tables `Tensor` and `ExtraTensorInfo` (chapter `tensors` of the book).

rules! {
    T_STORAGE_OFFSET = "t-storage-offset", Must, Text, File, Method, "tensors" {
        "Every Tensor's `storage_offset` MUST be 0."
        rationale: "The field moves the first element, so a reader that ignores it returns the wrong elements, and a \
            reader that supports it has to include it in every range check. ExecuTorch returns NotSupported (0x10) \
            when it prepares the method, in portable and in ATen mode."
        source: "A comment in ExecuTorch's `schema/program.fbs` says that the runtime supports only 0, and \
            `parseTensor` checks this. The exporter copies views into separate tensors."
        refs: ["T-12"]
        cwe: ["CWE-436"]
    }
    T_SCALAR_TYPE = "t-scalar-type", Must, Loader, File, Meta, "tensors" {
        "Every Tensor's `scalar_type` MUST be 0 to 29."
        rationale: "The type gives the element size, so 99 makes a reader abort or compute a wrong byte count. \
            ExecuTorch returns InvalidProgram (0x23) when it prepares the method or, with InternalConsistency \
            verification, when it loads the program, except for dynamic inputs. Metadata queries need the check too."
        source: "ExecuTorch's runtime has 30 types. Its `schema/scalar_type.fbs` omits 8 to 10 (complex) and 18 to 21 \
            (bits), all of which the C++ reader accepts; the Python reader rejects some."
        refs: ["T-10", "T-11"]
        cwe: ["CWE-617"]
    }
    T_SIZES_NONNULL = "t-sizes-nonnull", Must, Loader, File, Meta, "tensors" {
        "Every Tensor MUST have `sizes`, which is an empty vector for a tensor without dimensions."
        rationale: "Rank and byte count come from `sizes`, so if it is absent, any use dereferences null. ExecuTorch \
            returns InvalidProgram (0x23) when it prepares the method or, with InternalConsistency verification, when \
            it loads the program. Since 1.3.0, a metadata request also returns this error."
        source: "ExecuTorch's `validate_tensor` and `parseTensor` check for `sizes`. `schema/program.fbs` makes it \
            optional, but the exporter always writes it."
        refs: ["T-05", "pytorch/executorch#18724", "pytorch/executorch#19878"]
        cwe: ["CWE-476"]
    }
    T_SIZES_NONNEG = "t-sizes-nonneg", Must, Loader, File, Meta, "tensors" {
        "An entry of a Tensor's `sizes` MUST NOT be negative."
        rationale: "As an unsigned number, -1 is huge, and `[-2, -3]` has a plausible product of 6. Since 0.6.0, \
            ExecuTorch returns InvalidProgram (0x23) when it prepares the method or, with InternalConsistency \
            verification, when it loads the program, except for dynamic inputs. Since 1.3.0, a metadata request \
            returns InvalidArgument (0x12)."
        source: "ExecuTorch's `validate_tensor` and `parseTensor` check the sizes. In `schema/program.fbs`, a size is \
            a signed `int`, but -1 does not mean unknown."
        refs: ["T-01", "pytorch/executorch#18724"]
        cwe: ["CWE-195", "CWE-190"]
    }
    T_RANK_MAX = "t-rank-max", Must, Loader, File, Method, "tensors" {
        "A Tensor MUST have at most 16 `sizes`."
        rationale: "The runtime and its kernels copy shapes into arrays of 16, so copying 17 dimensions writes past \
            the end (CVE-2025-54951). ExecuTorch 1.0.0 and later return InvalidProgram (0x23) when they prepare the \
            method, but InternalConsistency verification does not check the rank. Rank 16 is allowed, so a kernel that \
            adds a dimension needs its own check."
        source: "ExecuTorch's `kTensorDimensionLimit` is 16 in every build, though `schema/program.fbs` sets no limit."
        refs: ["CVE-2025-54951", "GHSA-xc7w-r669-48pf", "T-08", "T-09", "pytorch/executorch#12684"]
        cwe: ["CWE-129", "CWE-787"]
    }
    T_DIMORDER_NONNULL = "t-dimorder-nonnull", Must, Loader, File, Meta, "tensors" {
        "Every Tensor MUST have a `dim_order`."
        rationale: "Strides come from `dim_order`, so if it is absent, a reader dereferences null, or assumes an order \
            and reads the wrong elements. ExecuTorch returns InvalidProgram (0x23) when it prepares the method and, \
            since 1.3.0, for metadata requests. For an external Tensor, 1.4.0 and later return InvalidExternalData \
            (0x24). InternalConsistency verification does not check `dim_order`."
        source: "ExecuTorch's `parseTensor` checks for `dim_order`. `schema/program.fbs` makes it optional, but the \
            exporter always writes it."
        refs: ["T-05", "pytorch/executorch#18724", "pytorch/executorch#19878"]
        cwe: ["CWE-476"]
    }
    T_DIMORDER_LEN = "t-dimorder-len", Must, Text, File, Method, "tensors" {
        "`dim_order` MUST have as many entries as `sizes`."
        rationale: "Readers use one length for both, so they read past the shorter vector. ExecuTorch returns \
            InvalidProgram (0x23) when it prepares the method, and InvalidExternalData (0x24) for external tensors \
            (pytorch/executorch#17131). InternalConsistency verification and metadata requests do not compare lengths."
        source: "ExecuTorch's `parseTensor` compares the lengths. A comment in `schema/program.fbs` gives each \
            dimension one position in `dim_order`."
        refs: ["T-06", "pytorch/executorch#17131"]
        cwe: ["CWE-130", "CWE-125"]
    }
    T_DIMORDER_PERM = "t-dimorder-perm", Must, Text, File, Method, "tensors" {
        "`dim_order` MUST contain each number from 0 to the rank minus 1 exactly once."
        rationale: "Every entry is an index into `sizes` and the strides: `[0, 7]` writes past the strides, and `[0, \
            0]` leaves one stride uninitialized. ExecuTorch returns Internal (0x01) when it prepares the method; \
            before 1.2.0 (pytorch/executorch#17314), it accepted repeated entries."
        source: "ExecuTorch's `validate_dim_order` requires a permutation. A comment in `schema/program.fbs` defines \
            `dim_order` as an order of the dimensions."
        refs: ["T-07", "pytorch/executorch#17314"]
        cwe: ["CWE-129", "CWE-787"]
    }
    T_NUMEL_OVERFLOW = "t-numel-overflow", Must, Loader, File, Meta, "tensors" {
        "The product of a Tensor's `sizes` MUST be at most 2^63 - 1; a product with a factor of 0 is 0."
        rationale: "`[65536, 65536, 65536, 65536]` has 2^64 elements, which wrap to 0, so the comparison with the \
            buffer passes and kernels write far outside it. With InternalConsistency verification, ExecuTorch returns \
            InvalidProgram (0x23), except in 1.2.0 (pytorch/executorch#17987, pytorch/executorch#19121)."
        source: "ExecuTorch's `validate_tensor` multiplies from left to right, so it also rejects an overflow before a \
            size of 0. Such a tensor breaks `t-stride-overflow` or, if its sizes are dynamic, `t-stride-bound`."
        refs: ["CVE-2025-30402", "GHSA-h952-963h-rv99", "T-02", "pytorch/executorch#17987", "pytorch/executorch#19121"]
        cwe: ["CWE-190", "CWE-787"]
    }
    T_NBYTES_OVERFLOW = "t-nbytes-overflow", Must, Loader, File, Meta, "tensors" {
        "The product of a Tensor's `sizes` and its element size MUST be below 2^64, even at the upper bounds of a \
            dynamic shape."
        rationale: "A byte count that wraps passes the comparison with the tensor's memory, as in the heap overflow \
            CVE-2025-30402. ExecuTorch 0.7.0 and later return InvalidArgument (0x12) for metadata requests; 1.3.0 and \
            later return InvalidProgram (0x23) with InternalConsistency verification, except for dynamic inputs."
        source: "ExecuTorch's `calculate_nbytes` and `validate_tensor` check the product. The rule includes upper \
            bounds because the memory plan uses them."
        refs: [
            "CVE-2025-30402", "GHSA-h952-963h-rv99", "T-03", "pytorch/executorch#11217", "pytorch/executorch#16706",
            "pytorch/executorch#19121",
        ]
        cwe: ["CWE-190", "CWE-787"]
    }
    T_NBYTES_32BIT = "t-nbytes-32bit", Must, Loader, File, Meta, "tensors" {
        "For a 32-bit target, every Tensor except a dynamic input MUST have at most 2^32 - 1 bytes and 2^31 - 1 \
            elements."
        rationale: "Bytes are counted in a `size_t`, so a count that is correct on the exporting host can wrap on the \
            device. With InternalConsistency verification, a 32-bit build of ExecuTorch returns InvalidProgram (0x23) \
            when it loads the program. `check` applies the rule only with `--target-bits 32`."
        source: "The rule follows from the runtime's types; the file is valid for other targets."
        refs: ["T-04", "pytorch/executorch#19121"]
        cwe: ["CWE-190", "CWE-787"]
    }
    T_DYNAMIC_INPUT_BOUNDS = "t-dynamic-input-bounds", Should, Loader, File, Meta, "tensors" {
        "For a 32-bit target, a dynamic input SHOULD have at most 2^32 - 1 bytes and 2^31 - 1 elements at its upper \
            bounds."
        rationale: "The caller may never use sizes as large as the bounds, so ExecuTorch does not verify the bounds. \
            If the caller does use them, the input does not fit the memory, and setting it can return InvalidArgument \
            (0x12). `check` applies the rule only with `--target-bits 32`."
        source: "pytorch/executorch#19121 exempts dynamic inputs, so that files with 64-bit bounds load on 32-bit \
            devices."
        refs: ["T-04", "pytorch/executorch#19121"]
    }
    T_STRIDE_OVERFLOW = "t-stride-overflow", Must, Policy, File, Method, "tensors" {
        "In a Tensor with fixed sizes, the stride of every dimension with more than one element MUST be at most 2^31 - \
            1."
        rationale: "The portable runtime stores strides as signed 32-bit integers, and overflowing these is undefined \
            behavior in C++. A tensor of one-byte elements with sizes `[2, 65536, 65536]` fills only 8 GiB, but its \
            first stride is 2^32. A negative stride selects memory before the tensor. ATen mode uses 64 bits."
        source: "ExecuTorch's `StridesType` and `dim_order_to_stride` set the limit. A stride is the product of the \
            sizes that follow in `dim_order`, where 0 counts as 1. `t-stride-one` covers dimensions of size 0 or 1."
        cwe: ["CWE-190"]
    }
    T_STRIDE_ONE = "t-stride-one", May, Policy, File, Method, "tensors" {
        "A reader MAY reject a Tensor with fixed sizes if a dimension of size 0 or 1 has a stride above 2^31 - 1."
        rationale: "No access uses this stride, so the Tensor is usable. But a reader that computes every stride in 32 \
            bits overflows or, if it checks for overflow, rejects the file. ATen mode uses 64 bits."
        source: "See `t-stride-overflow`."
        cwe: ["CWE-190"]
    }
    T_STRIDE_BOUND = "t-stride-bound", Should, Policy, File, Method, "tensors" {
        "At the upper bounds of a dynamic Tensor, the stride of every dimension with more than one element SHOULD be \
            at most 2^31 - 1."
        rationale: "If a caller sets all sizes to their bounds, strides overflow at run time (see \
            `t-stride-overflow`), as they do in a reader that computes them from the bounds. But a caller may use \
            smaller sizes, or reach only one bound at a time."
        source: "The limit comes from `t-stride-overflow`."
    }
    T_DYNAMISM = "t-dynamism", Must, Text, File, Method, "tensors" {
        "`shape_dynamism` MUST be at least 0."
        rationale: "The field says whether `sizes` is the shape, an upper bound or meaningless, and the tensor's \
            memory depends on it. A reader that checks only the upper limit accepts -1. ExecuTorch's Python reader \
            rejects every number outside its enum (ValueError)."
        source: "The `TensorShapeDynamism` enum in ExecuTorch's `schema/program.fbs` begins at 0, and an enum grows \
            only upward. For numbers above 2, see `t-dynamism-known`."
        cwe: ["CWE-436"]
    }
    T_DYNAMISM_KNOWN = "t-dynamism-known", May, Text, File, Method, "tensors" {
        "A reader MAY reject a `shape_dynamism` above 2 (DYNAMIC_UNBOUND)."
        rationale: "A later release may define such a value, and then a reader that tests only for STATIC treats it as \
            dynamic. ExecuTorch's Python reader rejects every number outside its enum (ValueError)."
        source: "The `TensorShapeDynamism` enum in ExecuTorch's `schema/program.fbs` defines 0 (STATIC), 1 \
            (DYNAMIC_BOUND) and 2 (DYNAMIC_UNBOUND), and can grow."
    }
    T_DYNAMIC_UNBOUND = "t-dynamic-unbound", May, Loader, File, Method, "tensors" {
        "A reader MAY reject a Tensor with `shape_dynamism` 2 (DYNAMIC_UNBOUND)."
        rationale: "The file does not say how much memory the tensor needs. ExecuTorch returns NotSupported (0x10) \
            when it prepares the method in portable mode; in ATen mode, it accepts the Tensor only on the CPU \
            (pytorch/executorch#21289)."
        source: "ExecuTorch's `schema/program.fbs` declares this value, and ATen mode supports it."
        refs: ["T-14", "pytorch/executorch#21289"]
    }
    T_REQUIRES_GRAD = "t-requires-grad", Must, Text, Reader, Method, "tensors" {
        "A reader MUST accept both values of `requires_grad`, and compute the same results for both."
        rationale: "The flag is for training. Like any inference code, ExecuTorch ignores it. A reader that rejects or \
            interprets the flag treats files with the same computation differently."
        source: "A comment in ExecuTorch's `schema/program.fbs` calls the flag out of scope; the exporter copies it \
            from the traced tensor."
    }
    T_LAYOUT = "t-layout", Should, Writer, File, Method, "tensors" {
        "Every Tensor's `layout` SHOULD be 0 (strided)."
        rationale: "Any other value means a sparse or packed tensor, which the remaining fields cannot describe. \
            ExecuTorch does not read the field."
        source: "A comment in ExecuTorch's `schema/program.fbs` says that `layout` may be unnecessary. The exporter \
            writes only strided tensors."
    }
    T_DATA_MATRIX = "t-data-matrix", Must, Text, Reader, Method, "tensors" {
        "A reader MUST determine from `data_buffer_idx` and `allocation_info` whether a Tensor's data is constant, \
            planned, planned with initial state, or supplied by the caller."
        rationale: "Each kind of data is in a different place, and only some kinds are writable: a constant that is \
            mistaken for planned memory gets overwritten. A reader that looks at only one of the two fields mishandles \
            a tensor that has both. ExecuTorch first checks whether the tensor is external."
        source: "`getTensorDataPtr` and a comment in ExecuTorch's `schema/program.fbs` agree: a Tensor with \
            `allocation_info` is planned, and has initial state if `data_buffer_idx` is above 0. Any other Tensor is a \
            constant if the index is above 0; otherwise, the caller supplies its data."
        refs: ["T-13"]
    }
    T_EXTERNAL = "t-external", Must, Text, File, Method, "tensors" {
        "A Tensor with `location` 1 (EXTERNAL) MUST have a `fully_qualified_name`."
        rationale: "The name is the key of the Tensor's data in another file, so looking up an absent name \
            dereferences null. ExecuTorch returns InvalidExternalData (0x24) when it prepares the method, or \
            InvalidState (0x02) for a constant if there is no data file at all."
        source: "A comment in ExecuTorch's `schema/program.fbs` requires the name, because \
            `Method::parse_external_constants` and `getTensorDataPtr` look it up."
        refs: ["T-15"]
        cwe: ["CWE-476"]
    }
    T_EXTERNAL_NONEMPTY = "t-external-nonempty", Should, Text, File, Method, "tensors" {
        "The `fully_qualified_name` of an external Tensor SHOULD NOT be empty."
        rationale: "An empty name matches only an empty key, so the tensor gets no data, or whatever is stored under \
            that key. ExecuTorch looks up the empty name like any other, and returns NotFound (0x20) if no data file \
            has such a key."
        source: "A comment in ExecuTorch's `schema/program.fbs` says that the name must not be empty."
        refs: ["T-15"]
    }
    T_LOCATION_ENUM = "t-location-enum", Must, Text, File, Method, "tensors" {
        "`location` in a Tensor's `extra_tensor_info` MUST be 0 (SEGMENT) or 1 (EXTERNAL)."
        rationale: "If it is 2, a reader that tests for 0 takes the weights from a data file, and one that tests for 1 \
            takes them from the program. ExecuTorch's Python reader rejects every number outside its enum (ValueError)."
        source: "The `TensorDataLocation` enum in ExecuTorch's `schema/program.fbs` defines only 0 and 1."
        cwe: ["CWE-436"]
    }
    T_EXTERNAL_LAYOUT_MATCH = "t-external-layout-match", Must, Loader, Reader, Method, "tensors" {
        "A reader MUST reject the method if the scalar type, `sizes` or `dim_order` of an external Tensor differs from \
            the layout in the data file."
        rationale: "The program says how many bytes are used, and the data file says how many exist, so unless a \
            reader compares the two, the tensor can exceed its memory. ExecuTorch returns InvalidExternalData (0x24) \
            when it prepares the method."
        source: "ExecuTorch's `validateTensorLayout` compares the layouts. Files whose layouts differ break \
            `x-external-layout` or `x-external-same-fqn`."
        refs: ["pytorch/executorch#17131", "pytorch/executorch#19878"]
    }
    T_EXTERNAL_SIZE = "t-external-size", Must, Policy, Reader, Method, "tensors" {
        "A reader MUST compare an external Tensor's byte count with its segment's size, and reject a shorter segment."
        rationale: "Equal layouts in both files do not help if a 16-byte tensor has an 8-byte segment: the other 8 \
            bytes are read past the segment's end."
        source: "Memory safety depends on this. A data file with such a segment breaks `ft-layout-fits-segment`."
        refs: ["S-11", "X-08"]
    }
    T_FQN_UNIQUE = "t-fqn-unique", Should, Text, File, Method, "tensors" {
        "Within one method, two Tensors SHOULD NOT have the same `fully_qualified_name`, unless one of them is \
            external."
        rationale: "Hosts find attributes by name, so a host that updates a weight changes only the first Tensor, \
            which ExecuTorch's `Method::get_attribute` returns. No reader rejects a duplicate."
        source: "A comment in ExecuTorch's `schema/program.fbs` says that the name is unique. External tensors may \
            share a name, which means that they use the same blob."
    }
    T_DEVICE = "t-device", Must, Text, File, Method, "tensors" {
        "A Tensor's `device_type` and, unless the device is the CPU, its `device_index` MUST be at least 0."
        rationale: "The tensor's address is used on this device, so if the device is wrong, host code can dereference \
            a device pointer. Since pytorch/executorch#21289, ExecuTorch's ATen mode returns InvalidProgram (0x23) \
            when it prepares the method."
        source: "The `DeviceType` enum in ExecuTorch's `schema/program.fbs` begins at 0 (CPU). Both fields exist since \
            1.3.0; if they are absent, they mean CPU and index 0. For types above 1, see `t-device-known`."
        refs: ["T-14", "pytorch/executorch#21289"]
        cwe: ["CWE-436"]
    }
    T_DEVICE_KNOWN = "t-device-known", May, Text, File, Method, "tensors" {
        "A reader MAY reject a Tensor whose `device_type` is above 1 (CUDA)."
        rationale: "A later release can define more types, and a reader that treats everything except CPU as CUDA uses \
            the wrong device. Since pytorch/executorch#21289, ExecuTorch's ATen mode returns InvalidProgram (0x23) \
            when it prepares the method."
        source: "The `DeviceType` enum in ExecuTorch's `schema/program.fbs` defines 0 (CPU) and 1 (CUDA), and can grow."
        refs: ["T-14", "pytorch/executorch#21289"]
    }
    T_CONST_HOST = "t-const-host", May, Policy, File, Method, "tensors" {
        "A reader MAY reject a constant Tensor whose `device_type` is not 0 (CPU)."
        rationale: "Constants are loaded into host memory, but kernels on the tensor's device use the address, so that \
            device dereferences a host address. This works only if the two share memory."
        source: "Neither a program nor a data file names a device for stored data."
        refs: ["T-14"]
    }
    T_CONST_STATIC = "t-const-static", Should, Writer, File, Method, "tensors" {
        "A constant Tensor SHOULD have `shape_dynamism` 0 (STATIC)."
        rationale: "A constant has a fixed number of bytes. A dynamic shape can grow past these bytes, or shrink and \
            leave some unused. ExecuTorch keeps the shape of every dynamic tensor in writable memory, and no reader \
            checks whether the tensor is a constant."
        source: "The exporter marks parameters and buffers as static."
    }
    T_ZERO_ELEM_NULL = "t-zero-elem-null", Must, Policy, Reader, Method, "tensors" {
        "A reader MUST accept a null data pointer for a Tensor that has no elements."
        rationale: "Loaders may return null for an empty range, as ExecuTorch's loaders for files and mappings do. A \
            reader that rejects or dereferences the null pointer fails on valid files."
        source: "The rule follows from `load-empty` and from planned buffers of size 0."
    }
}

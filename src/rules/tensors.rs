//! Rules about the tables `Tensor` and `ExtraTensorInfo` (chapter `tensors` of the book).

rules! {
    T_STORAGE_OFFSET = "t-storage-offset", Must, Text, File, Method, "tensors" {
        "`storage_offset` of every Tensor is 0."
        rationale: "`storage_offset` moves the first element of the tensor. A reader that ignores `storage_offset` \
            returns the wrong elements. A reader that supports `storage_offset` must include it in every range \
            check."
        readers: "For an offset other than 0, ExecuTorch returns NotSupported (0x10) when it prepares the method, in \
            portable mode and in ATen mode."
        source: "A comment in ExecuTorch's `schema/program.fbs` says that the runtime supports only 0, and \
            `parseTensor` rejects other values. The exporter copies views into separate tensors."
        refs: ["T-12"]
        cwe: ["CWE-436"]
    }
    T_SCALAR_TYPE = "t-scalar-type", Must, Loader, File, Meta, "tensors" {
        "`scalar_type` of every Tensor is 0 to 29."
        rationale: "`scalar_type` determines the size of an element. If the number is outside the runtime's list of \
            types, a reader knows no element size, and aborts or computes a wrong byte count."
        readers: "For a number outside the runtime's list of types, ExecuTorch returns InvalidProgram (0x23) when it \
            prepares the method, at both verification levels. At level InternalConsistency, ExecuTorch already checks \
            the type when it loads the program, except for dynamic inputs. Some readers compute byte counts for \
            metadata before they check the scalar type. ExecuTorch's Python reader rejects numbers outside its enum \
            (ValueError)."
        source: "ExecuTorch's runtime has a list of 30 types. ExecuTorch's `schema/scalar_type.fbs` omits 8 to 10 \
            (complex) and 18 to 21 (bits). The C++ reader accepts the omitted numbers and the Python reader rejects \
            some of them, so the rule allows them."
        refs: ["T-10", "T-11"]
        cwe: ["CWE-617"]
    }
    T_SIZES_NONNULL = "t-sizes-nonnull", Must, Loader, File, Meta, "tensors" {
        "Every Tensor has `sizes`, which are empty for a tensor without dimensions."
        rationale: "`sizes` determines the rank and the byte count. If `sizes` is absent, a reader dereferences a \
            null pointer as soon as it uses the tensor."
        readers: "If `sizes` is absent, ExecuTorch returns InvalidProgram (0x23) when it prepares the method, at both \
            verification levels. At level InternalConsistency, ExecuTorch already returns InvalidProgram when it \
            loads the program. Since 1.3.0, a request for the metadata of an input or output without `sizes` also \
            returns InvalidProgram (0x23)."
        source: "ExecuTorch's `validate_tensor` and `parseTensor` check for `sizes`. In `schema/program.fbs`, `sizes` \
            is optional, but the exporter always writes `sizes`."
        refs: ["T-05", "pytorch/executorch#18724", "pytorch/executorch#19878"]
        cwe: ["CWE-476"]
    }
    T_SIZES_NONNEG = "t-sizes-nonneg", Must, Loader, File, Meta, "tensors" {
        "No entry of a Tensor's `sizes` is negative."
        rationale: "After conversion to an unsigned type, a negative size is a very large number. The product of two \
            negative sizes is positive, so the byte count does not match the shape."
        readers: "For a negative size, ExecuTorch 0.6.0 and later return InvalidProgram (0x23) during the preparation \
            of the method, at both verification levels. At level InternalConsistency, ExecuTorch already checks for \
            negative sizes when it loads the program, except in dynamic inputs. Since 1.3.0, a request for the \
            metadata of an input or output with a negative size returns InvalidArgument (0x12)."
        source: "ExecuTorch's `validate_tensor` and `parseTensor` check the sizes. In `schema/program.fbs`, a size is \
            a signed `int`, but -1 does not mean an unknown size."
        refs: ["T-01", "pytorch/executorch#18724"]
        cwe: ["CWE-195", "CWE-190"]
    }
    T_RANK_MAX = "t-rank-max", Must, Loader, File, Method, "tensors" {
        "A Tensor has at most 16 `sizes`."
        rationale: "The runtime and its kernels copy shapes into arrays of 16 entries. For a rank of 17, a careless \
            reader writes the last size past the end of the array (CVE-2025-54951)."
        readers: "Since 1.0.0, ExecuTorch returns InvalidProgram (0x23) for a rank above 16 when it prepares the \
            method. Verification level InternalConsistency does not check the rank. ExecuTorch accepts rank 16, so a \
            kernel that adds a dimension needs its own check."
        source: "ExecuTorch's `kTensorDimensionLimit` is 16. ExecuTorch's `schema/program.fbs` sets no limit, but \
            every build of the runtime has the limit 16."
        refs: ["CVE-2025-54951", "GHSA-xc7w-r669-48pf", "T-08", "T-09", "pytorch/executorch#12684"]
        cwe: ["CWE-129", "CWE-787"]
    }
    T_DIMORDER_NONNULL = "t-dimorder-nonnull", Must, Loader, File, Meta, "tensors" {
        "Every Tensor has a `dim_order`."
        rationale: "Readers compute strides from `dim_order`. If `dim_order` is absent, a reader dereferences a \
            null pointer, or assumes an order and interprets the bytes as a different tensor."
        readers: "If `dim_order` is absent, ExecuTorch returns InvalidProgram (0x23) when it prepares the method. \
            Since 1.3.0, a request for the metadata of an input or output without `dim_order` also returns \
            InvalidProgram (0x23). If an external Tensor has no `dim_order`, ExecuTorch 1.4.0 and later return \
            InvalidExternalData (0x24) when they compare the Tensor with the data file. Verification level \
            InternalConsistency does not check `dim_order`."
        source: "ExecuTorch's `parseTensor` checks for `dim_order`. In `schema/program.fbs`, `dim_order` is optional, \
            but the exporter always writes `dim_order`."
        refs: ["T-05", "pytorch/executorch#18724", "pytorch/executorch#19878"]
        cwe: ["CWE-476"]
    }
    T_DIMORDER_LEN = "t-dimorder-len", Must, Text, File, Method, "tensors" {
        "`dim_order` has as many entries as `sizes`."
        rationale: "Readers use one length to iterate over both `sizes` and `dim_order`. If the lengths differ, a \
            careless reader reads past the end of the shorter vector."
        readers: "If the lengths differ, ExecuTorch returns InvalidProgram (0x23) when it prepares the method. When \
            ExecuTorch compares an external tensor with the data file, different lengths cause InvalidExternalData \
            (0x24, pytorch/executorch#17131). Verification level InternalConsistency and requests for metadata do not \
            compare the lengths of `sizes` and `dim_order`."
        source: "ExecuTorch's `parseTensor` compares the lengths. A comment in `schema/program.fbs` assigns each \
            dimension one position in `dim_order`."
        refs: ["T-06", "pytorch/executorch#17131"]
        cwe: ["CWE-130", "CWE-125"]
    }
    T_DIMORDER_PERM = "t-dimorder-perm", Must, Text, File, Method, "tensors" {
        "`dim_order` contains each number from 0 to the rank minus 1 exactly once."
        rationale: "Every entry of `dim_order` is an index into `sizes` and into the strides. If an entry is too \
            large, a reader writes past the array of strides; if an entry is repeated, one stride stays uninitialized."
        readers: "If `dim_order` is not a permutation, ExecuTorch returns Internal (0x01) when it prepares the \
            method. Before 1.2.0 (pytorch/executorch#17314), ExecuTorch compared the entries only with the rank and \
            accepted repeated entries."
        source: "ExecuTorch's `validate_dim_order` requires a permutation. A comment in `schema/program.fbs` defines \
            `dim_order` as an order of the dimensions."
        refs: ["T-07", "pytorch/executorch#17314"]
        cwe: ["CWE-129", "CWE-787"]
    }
    T_NUMEL_OVERFLOW = "t-numel-overflow", Must, Loader, File, Meta, "tensors" {
        "The product of a Tensor's `sizes` is at most 2^63 - 1; a product with a factor of 0 is 0."
        rationale: "If the product wraps, a huge shape appears to have few elements. A comparison of this small number \
            with the buffer's size passes, and kernels access memory far outside the buffer."
        readers: "At verification level InternalConsistency, ExecuTorch returns InvalidProgram (0x23) for a product \
            above the limit when it loads the program. Release 1.2.0 does not check the product \
            (pytorch/executorch#17987, pytorch/executorch#19121). ExecuTorch multiplies from left to right, so a size \
            of 0 after an overflow does not undo the overflow. At lower verification levels, some readers do not check \
            whether the product wraps."
        source: "ExecuTorch's `validate_tensor` checks the product. A tensor with a size of 0 has no elements, so this \
            rule ignores the order of the factors. If the product of the sizes before a size of 0 overflows, the \
            strides also overflow. The tensor then breaks `t-stride-overflow`, or `t-stride-bound` if its sizes are \
            dynamic."
        refs: ["CVE-2025-30402", "GHSA-h952-963h-rv99", "T-02", "pytorch/executorch#17987", "pytorch/executorch#19121"]
        cwe: ["CWE-190", "CWE-787"]
    }
    T_NBYTES_OVERFLOW = "t-nbytes-overflow", Must, Loader, File, Meta, "tensors" {
        "The product of a Tensor's `sizes` and its element size is below 2^64, even at the upper bounds of a dynamic \
            shape."
        rationale: "Readers compare the byte count with the tensor's memory, and a count that wraps passes the \
            comparison. CVE-2025-30402 is a heap overflow that a wrapped byte count causes."
        readers: "For a product above the limit, ExecuTorch 0.7.0 and later return InvalidArgument (0x12) when the \
            application requests the metadata of the input or output. At verification level InternalConsistency, \
            ExecuTorch 1.3.0 and later return InvalidProgram (0x23) when they load the program, except for dynamic \
            inputs. At lower verification levels, some readers do not check whether the product wraps."
        source: "ExecuTorch's `calculate_nbytes` checks the product for metadata, and `validate_tensor` checks it when \
            the program is loaded. The rule covers the upper bounds of dynamic tensors because the memory plan uses \
            these bounds."
        refs: [
            "CVE-2025-30402", "GHSA-h952-963h-rv99", "T-03", "pytorch/executorch#11217", "pytorch/executorch#16706",
            "pytorch/executorch#19121",
        ]
        cwe: ["CWE-190", "CWE-787"]
    }
    T_NBYTES_32BIT = "t-nbytes-32bit", Must, Loader, File, Meta, "tensors" {
        "For a 32-bit target, every Tensor except a dynamic input has at most 2^32 - 1 bytes and 2^31 - 1 elements."
        rationale: "A 32-bit reader counts bytes in `size_t`. The byte count can wrap on a 32-bit device, although it \
            is correct on the 64-bit host that exported the file."
        readers: "ExecuTorch counts bytes in `size_t`. At verification level InternalConsistency, a 32-bit build \
            returns InvalidProgram (0x23) when it loads a program with a larger Tensor. A 64-bit build accepts a \
            Tensor above the 32-bit limits."
        source: "The rule follows from the runtime's types. The checker applies the rule only with `--target-bits 32`, \
            because the file is valid for other targets."
        refs: ["T-04", "pytorch/executorch#19121"]
        cwe: ["CWE-190", "CWE-787"]
    }
    T_DYNAMIC_INPUT_BOUNDS = "t-dynamic-input-bounds", Should, Loader, File, Meta, "tensors" {
        "For a 32-bit target, a dynamic input has at most 2^32 - 1 bytes and 2^31 - 1 elements at its upper bounds."
        rationale: "The caller sets the actual sizes, which may stay below the upper bounds. If the bounds exceed the \
            rule's limits, an input at its upper bounds does not fit into the target's memory."
        readers: "ExecuTorch's verification intentionally exempts dynamic inputs (pytorch/executorch#19121). When the \
            caller sets the input, ExecuTorch checks the byte count and can return InvalidArgument (0x12)."
        source: "The pull request pytorch/executorch#19121 exempts dynamic inputs, so that files exported with 64-bit \
            bounds load on 32-bit devices. The rule's strength is `should` because a caller may never set sizes as \
            large as the bounds. The checker applies the rule only with `--target-bits 32`."
        refs: ["T-04", "pytorch/executorch#19121"]
    }
    T_STRIDE_OVERFLOW = "t-stride-overflow", Must, Policy, File, Method, "tensors" {
        "In a Tensor of fixed sizes, the stride of every dimension with more than one element is at most 2^31 - 1."
        rationale: "The portable runtime stores strides as 32-bit signed numbers. The computation of a larger stride \
            overflows, which is undefined behavior in C++. If the stride wraps to a negative number, it selects \
            memory in front of the tensor."
        readers: "Some readers do not check the rule. ATen mode stores strides in 64 bits."
        source: "The rule follows from ExecuTorch's `StridesType` and `dim_order_to_stride`. A stride is the product \
            of the sizes of the dimensions that follow in `dim_order`, where a size of 0 counts as 1. For example, \
            one-byte elements with sizes `[2, 65536, 65536]` fill only 8 GiB, but the first stride is 2^32. The rule \
            `t-stride-one` covers dimensions of size 0 or 1."
        cwe: ["CWE-190"]
    }
    T_STRIDE_ONE = "t-stride-one", May, Policy, File, Method, "tensors" {
        "In a Tensor of fixed sizes, the stride of a dimension of size 0 or 1 is at most 2^31 - 1."
        rationale: "No access uses the stride of a dimension of size 0 or 1, so the Tensor is usable. In a reader that \
            computes every stride as a 32-bit number, the computation still overflows."
        readers: "Some readers compute every stride in 32 bits and do not check the product. ATen mode stores strides \
            in 64 bits. A reader that checks every product can reject the file."
        source: "The rule has the reasons of `t-stride-overflow`. The rule's strength is `may` because the stride has \
            no effect on the Tensor's elements."
        cwe: ["CWE-190"]
    }
    T_STRIDE_BOUND = "t-stride-bound", Should, Policy, File, Method, "tensors" {
        "At the upper bounds of a dynamic Tensor, the stride of every dimension with more than one element is at most \
            2^31 - 1."
        rationale: "A caller may never set sizes as large as the upper bounds. If a caller sets sizes at the bounds, \
            the strides exceed the limit of `t-stride-overflow` at run time. The strides also exceed the limit if a \
            reader computes them from the bounds."
        readers: "Some readers do not check the rule. ATen mode stores strides in 64 bits."
        source: "The rule has the reasons of `t-stride-overflow`. The rule's strength is `should` because a caller may \
            set only one dimension of the Tensor to its bound at a time."
    }
    T_DYNAMISM = "t-dynamism", Must, Text, File, Method, "tensors" {
        "`shape_dynamism` is at least 0."
        rationale: "`shape_dynamism` determines whether `sizes` are the shape, an upper bound or meaningless. A \
            reader that checks only an upper limit accepts a negative number."
        readers: "ExecuTorch's Python reader rejects every number outside its enum (ValueError). Some readers do not \
            check the rule."
        source: "The enum `TensorShapeDynamism` in ExecuTorch's `schema/program.fbs` begins at 0. New versions of an \
            enum add only higher numbers, so no release defines a negative number. The rule's strength is `must` \
            because the tensor's memory depends on `shape_dynamism`. The rule `t-dynamism-known` covers numbers above \
            2."
        cwe: ["CWE-436"]
    }
    T_DYNAMISM_KNOWN = "t-dynamism-known", May, Text, File, Method, "tensors" {
        "`shape_dynamism` is at most 2 (DYNAMIC_UNBOUND)."
        rationale: "A later release can define a `shape_dynamism` above 2. A reader that only tests whether \
            `shape_dynamism` is STATIC treats every unknown number as dynamic."
        readers: "ExecuTorch's Python reader rejects every number outside its enum (ValueError). Some readers do not \
            check the rule."
        source: "The enum `TensorShapeDynamism` in ExecuTorch's `schema/program.fbs` defines 0 (STATIC), 1 \
            (DYNAMIC_BOUND) and 2 (DYNAMIC_UNBOUND). The rule's strength is `may` because later releases can extend \
            the enum."
    }
    T_DYNAMIC_UNBOUND = "t-dynamic-unbound", May, Loader, File, Method, "tensors" {
        "No Tensor has `shape_dynamism` 2 (DYNAMIC_UNBOUND)."
        rationale: "The file does not state how much memory an unbounded tensor needs. The method runs only if the \
            reader allocates enough memory for the tensor."
        readers: "In portable mode, ExecuTorch returns NotSupported (0x10) for DYNAMIC_UNBOUND when it prepares the \
            method. In ATen mode, ExecuTorch accepts the Tensor on the CPU, and returns NotSupported on other devices \
            (pytorch/executorch#21289)."
        source: "ExecuTorch's `schema/program.fbs` declares DYNAMIC_UNBOUND, and ATen mode of the runtime supports \
            it. The rule's strength is `may` because DYNAMIC_UNBOUND only limits which readers can run the file."
        refs: ["T-14", "pytorch/executorch#21289"]
    }
    T_REQUIRES_GRAD = "t-requires-grad", Must, Text, Reader, Method, "tensors" {
        "A reader accepts both values of `requires_grad`, and computes the same results for both."
        rationale: "`requires_grad` is a flag for training, and inference does not use it. A reader that rejects or \
            interprets `requires_grad` treats two files with the same computation differently."
        readers: "ExecuTorch does not read `requires_grad`."
        source: "A comment in ExecuTorch's `schema/program.fbs` declares `requires_grad` out of scope. The exporter \
            copies `requires_grad` from the traced tensor."
    }
    T_LAYOUT = "t-layout", Should, Writer, File, Method, "tensors" {
        "`layout` of every Tensor is 0 (strided)."
        rationale: "A `layout` other than 0 means a sparse or packed tensor. The other fields of a Tensor describe \
            only a dense buffer with an order of dimensions."
        readers: "ExecuTorch does not read `layout`."
        source: "A comment in ExecuTorch's `schema/program.fbs` says that `layout` may be unnecessary, and the \
            exporter writes only strided tensors. The rule's strength is `should` because no reader depends on the \
            rule."
    }
    T_DATA_MATRIX = "t-data-matrix", Must, Text, Reader, Method, "tensors" {
        "A reader determines from `data_buffer_idx` and `allocation_info` whether a Tensor is constant, planned, \
            planned with initial state, or supplied by the caller."
        rationale: "Each kind of tensor stores its bytes in a different place, and only some kinds are writable. A \
            reader that treats a constant as planned memory overwrites the constant."
        readers: "When ExecuTorch prepares the method, it first checks whether the tensor is external. If the tensor \
            is not external, ExecuTorch determines the tensor's kind. A reader that checks only `data_buffer_idx` or \
            only `allocation_info` mishandles a tensor that has both."
        source: "The comment on `data_buffer_idx` in ExecuTorch's `schema/program.fbs` and the function \
            `getTensorDataPtr` define the kinds. Without `allocation_info`, a `data_buffer_idx` above 0 means \
            constant, and 0 means supplied by the caller. With `allocation_info`, a `data_buffer_idx` above 0 means \
            planned with initial state, and 0 means planned."
        refs: ["T-13"]
    }
    T_EXTERNAL = "t-external", Must, Text, File, Method, "tensors" {
        "A Tensor with `location` 1 (EXTERNAL) has a `fully_qualified_name`."
        rationale: "`fully_qualified_name` is the key of the tensor's data in another file. Without a name, a \
            lookup dereferences a null pointer."
        readers: "If the name is absent, ExecuTorch returns InvalidExternalData (0x24) when it prepares the method. \
            If there is no data file, ExecuTorch returns InvalidState (0x02) for a constant before it checks the name."
        source: "A comment in ExecuTorch's `schema/program.fbs` requires the name, and \
            `Method::parse_external_constants` and `getTensorDataPtr` look it up."
        refs: ["T-15"]
        cwe: ["CWE-476"]
    }
    T_EXTERNAL_NONEMPTY = "t-external-nonempty", Should, Text, File, Method, "tensors" {
        "The `fully_qualified_name` of an external Tensor is not empty."
        rationale: "The empty name matches only an entry with an empty key. A tensor with an empty name has no \
            data, or data that an attacker stored under the empty key."
        readers: "When ExecuTorch prepares the method, it looks up the empty name like any other name. ExecuTorch \
            returns NotFound (0x20) if no data file has an empty key."
        source: "A comment in ExecuTorch's `schema/program.fbs` says that `fully_qualified_name` must not be empty. \
            The rule's strength is `should` because readers treat the empty string as a name."
        refs: ["T-15"]
    }
    T_LOCATION_ENUM = "t-location-enum", Must, Text, File, Method, "tensors" {
        "`location` in a Tensor's `extra_tensor_info` is 0 (SEGMENT) or 1 (EXTERNAL)."
        rationale: "For any other number, a reader that tests only for 0 and a reader that tests only for 1 disagree. \
            If `location` is 2, a reader that tests only for 0 loads weights from a data file, and other readers load \
            them from the program."
        readers: "ExecuTorch's Python reader rejects every number outside its enum (ValueError). Some readers treat \
            every number except 1 as SEGMENT."
        source: "The enum `TensorDataLocation` in ExecuTorch's `schema/program.fbs` defines only the numbers 0 and 1. \
            The rule's strength is `must` because `location` determines which bytes the tensor has."
        cwe: ["CWE-436"]
    }
    T_EXTERNAL_LAYOUT_MATCH = "t-external-layout-match", Must, Loader, Reader, Method, "tensors" {
        "A reader rejects the method if the scalar type, `sizes` or `dim_order` of an external Tensor differs from the \
            layout in the data file."
        rationale: "The program determines how many bytes a reader uses, and the data file determines how many \
            bytes exist. Without a comparison of the two layouts, a tensor can extend past its memory."
        readers: "If the layouts differ, ExecuTorch returns InvalidExternalData (0x24) when it prepares the method. \
            Some readers compare the layouts only for some tensors."
        source: "ExecuTorch's `validateTensorLayout` compares the layouts. Files with different layouts break \
            `x-external-layout` or `x-external-same-fqn`."
        refs: ["pytorch/executorch#17131", "pytorch/executorch#19878"]
    }
    T_EXTERNAL_SIZE = "t-external-size", Must, Policy, Reader, Method, "tensors" {
        "A reader compares the byte count of an external Tensor with the size of its segment, and rejects a shorter \
            segment."
        rationale: "Even if the layouts in the program and the data file are equal, the segment can have fewer bytes. \
            A reader that does not check the segment's size reads past the end of the segment."
        readers: "Some readers do not check the rule."
        source: "Memory safety depends on the size of the segment. A data file with a segment that is too short breaks \
            `ft-layout-fits-segment`."
        refs: ["S-11", "X-08"]
    }
    T_FQN_UNIQUE = "t-fqn-unique", Should, Text, File, Method, "tensors" {
        "Within one method, no two Tensors have the same `fully_qualified_name`, unless one of them is external."
        rationale: "Hosts find attributes by name. If two tensors have the same name, a host that updates a weight by \
            name changes only the first tensor."
        readers: "ExecuTorch's `Method::get_attribute` returns the first tensor with the requested name. No reader \
            rejects a duplicate name."
        source: "A comment in ExecuTorch's `schema/program.fbs` calls `fully_qualified_name` unique. The rule's \
            strength is `should` because the method also runs with duplicate names. External tensors may have the \
            same name and then use the same blob."
    }
    T_DEVICE = "t-device", Must, Text, File, Method, "tensors" {
        "`device_type` of a Tensor is at least 0, and `device_index` is at least 0 unless the device is the CPU."
        rationale: "A reader uses the tensor's address on the device that `device_type` and `device_index` select. If \
            the device is wrong, host code can dereference a device pointer."
        readers: "Since pytorch/executorch#21289, ExecuTorch's ATen mode returns InvalidProgram (0x23) for an invalid \
            type or index when it prepares the method. Some readers do not check the device of a tensor."
        source: "The enum `DeviceType` in ExecuTorch's `schema/program.fbs` begins at 0 (CPU). Release 1.3.0 added \
            `device_type` and `device_index`; absent fields mean CPU and index 0. The rule `t-device-known` covers \
            device types above 1."
        refs: ["T-14", "pytorch/executorch#21289"]
        cwe: ["CWE-436"]
    }
    T_DEVICE_KNOWN = "t-device-known", May, Text, File, Method, "tensors" {
        "`device_type` of a Tensor is at most 1 (CUDA)."
        rationale: "A later release can define a device type above 1. A reader that treats every device type except \
            CPU as CUDA uses a wrong device."
        readers: "Since pytorch/executorch#21289, ExecuTorch's ATen mode returns InvalidProgram (0x23) for an unknown \
            device type when it prepares the method. Some readers do not check the device of a tensor."
        source: "The enum `DeviceType` in ExecuTorch's `schema/program.fbs` defines 0 (CPU) and 1 (CUDA). The rule's \
            strength is `may` because later releases can extend the enum."
        refs: ["T-14", "pytorch/executorch#21289"]
    }
    T_CONST_HOST = "t-const-host", May, Policy, File, Method, "tensors" {
        "The `device_type` of a constant Tensor is 0 (CPU)."
        rationale: "A reader loads a constant into host memory, and kernels use the address on the tensor's device. If \
            the device is not the host, the device dereferences a host address."
        readers: "Some readers do not compare the device of a constant with the memory that contains its data."
        source: "Neither a program nor a data file states a device for stored data. The rule's strength is `may` \
            because a host can place stored data in memory that the host and the device share."
        refs: ["T-14"]
    }
    T_CONST_STATIC = "t-const-static", Should, Writer, File, Method, "tensors" {
        "A constant Tensor has `shape_dynamism` 0 (STATIC)."
        rationale: "A constant has a fixed number of bytes. If the shape is dynamic, it can grow past the constant's \
            bytes, or shrink so that some bytes are unused."
        readers: "No reader compares `shape_dynamism` with the kind of tensor. ExecuTorch stores the shape of every \
            dynamic tensor in writable memory."
        source: "The exporter marks parameters and buffers as static. The rule's strength is `should` because no \
            reader depends on the rule."
    }
    T_ZERO_ELEM_NULL = "t-zero-elem-null", Must, Policy, Reader, Method, "tensors" {
        "A reader accepts a Tensor without elements whose data is a null pointer."
        rationale: "A tensor of 0 bytes has no data, and loaders return a null pointer for an empty range. A reader \
            that rejects or dereferences the null pointer fails on valid files."
        readers: "ExecuTorch's data loaders for files and mappings return null for 0 bytes. ExecuTorch's comparison of \
            tensors checks the byte count before it reads the data."
        source: "The rule follows from `load-empty` and from planned buffers of size 0."
    }
}

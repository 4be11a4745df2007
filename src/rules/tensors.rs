//! Tensors of a program, `Tensor` and `ExtraTensorInfo` (specification, section 1.10).

rules! {
    T_STORAGE_OFFSET = "t-storage-offset", Must, File, Method, "tensors" {
        "`storage_offset` of every Tensor is 0."
        why: "It would move the tensor's first element: a reader that ignores it hands out the wrong elements, and one \
            that adds it has to add it to every bound as well."
        readers: "ExecuTorch refuses it when it prepares the method (0x10), in portable and in ATen mode."
        source: "A comment in the schema says that the runtime supports 0 only, and `parseTensor` compares it. The \
            exporter copies views into tensors of their own."
        refs: ["T-12"]
        cwe: ["CWE-436"]
    }
    T_SCALAR_TYPE = "t-scalar-type", Must, File, Meta, "tensors" {
        "`scalar_type` of every Tensor is 0 to 29."
        why: "The size of an element is looked up by this number. For one that is in no table there is no size, and a \
            reader that needs one stops the process or goes on with a wrong byte count."
        readers: "ExecuTorch refuses it in InternalConsistency when it loads the program, except in a dynamic input, \
            and at both levels when it prepares the method (0x23). Not every reader looks before it counts bytes for \
            metadata. Its Python reader refuses numbers that its enum lacks (ValueError)."
        source: "The runtime's list of types has 30 entries. The schema leaves out 8 to 10 (complex) and 18 to 21 \
            (bits), which the runtime accepts and Python in part refuses, so they do not break this rule."
        refs: ["T-10", "T-11"]
        cwe: ["CWE-617"]
    }
    T_SIZES_NONNULL = "t-sizes-nonnull", Must, File, Meta, "tensors" {
        "Every Tensor has `sizes`, which are empty for a tensor without dimensions."
        why: "Rank and byte count come from the vector, so its absence is a null pointer in the first question that a \
            reader asks of the tensor."
        readers: "ExecuTorch refuses it in InternalConsistency when it loads the program (0x23); at both levels in the \
            metadata of an input or output, since 1.3.0 (0x23), and when it prepares the method (0x23)."
        source: "`validate_tensor` and `parseTensor`. The schema leaves the field optional and the exporter always \
            writes it."
        refs: ["T-05", "pytorch/executorch#18724", "pytorch/executorch#19878"]
        cwe: ["CWE-476"]
    }
    T_SIZES_NONNEG = "t-sizes-nonneg", Must, File, Meta, "tensors" {
        "No entry of a Tensor's `sizes` is negative."
        why: "Taken as unsigned it is an enormous extent, and two of them multiply to a small positive number: a byte \
            count that has nothing to do with the shape."
        readers: "ExecuTorch refuses it in InternalConsistency when it loads the program (0x23), except in a dynamic \
            input; at both levels in the metadata of an input or output, since 1.3.0 (0x12), and when it prepares the \
            method, since 0.6.0 (0x23)."
        source: "`validate_tensor` and `parseTensor`. The schema's `int` is signed, and -1 for an unknown size is not \
            used."
        refs: ["T-01", "pytorch/executorch#18724"]
        cwe: ["CWE-195", "CWE-190"]
    }
    T_RANK_MAX = "t-rank-max", Must, File, Method, "tensors" {
        "A Tensor has at most 16 `sizes`."
        why: "The runtime and its kernels copy shapes into arrays of 16, so a 17th size is written behind the end: \
            CVE-2025-54951."
        readers: "ExecuTorch refuses it when it prepares the method since 1.0.0 (0x23). InternalConsistency does not \
            look. Exactly 16 is accepted, and kernels that add a dimension then need a check of their own."
        source: "`kTensorDimensionLimit`. The schema names no limit, but every build has this one."
        refs: ["CVE-2025-54951", "GHSA-xc7w-r669-48pf", "T-08", "T-09", "pytorch/executorch#12684"]
        cwe: ["CWE-129", "CWE-787"]
    }
    T_DIMORDER_NONNULL = "t-dimorder-nonnull", Must, File, Meta, "tensors" {
        "Every Tensor has a `dim_order`."
        why: "Strides are computed from it. A reader that has none follows a null pointer, or makes up an order and \
            turns the same bytes into another tensor."
        readers: "ExecuTorch refuses it in the metadata of an input or output, since 1.3.0 (0x23), and when it \
            prepares the method (0x23); for an external tensor in the comparison with the data file, since 1.4.0 \
            (0x24). InternalConsistency does not look."
        source: "`parseTensor`. The schema leaves the field optional and the exporter always writes it."
        refs: ["T-05", "pytorch/executorch#18724", "pytorch/executorch#19878"]
        cwe: ["CWE-476"]
    }
    T_DIMORDER_LEN = "t-dimorder-len", Must, File, Method, "tensors" {
        "`dim_order` has as many entries as `sizes`."
        why: "Readers walk both with one length, so the shorter of the two is read past its end."
        readers: "ExecuTorch refuses it when it prepares the method (0x23), and for an external tensor in the \
            comparison with the data file (0x24, #17131). InternalConsistency and metadata do not compare the two."
        source: "`parseTensor`; the schema's comment gives every dimension one place in the order."
        refs: ["T-06", "pytorch/executorch#17131"]
        cwe: ["CWE-130", "CWE-125"]
    }
    T_DIMORDER_PERM = "t-dimorder-perm", Must, File, Method, "tensors" {
        "`dim_order` holds each number from 0 to the rank minus 1 once."
        why: "Every entry is an index into `sizes` and into the strides: one that is too large writes behind the \
            array, and a repeated one leaves a stride unset, so that kernels step by whatever was there."
        readers: "ExecuTorch refuses it when it prepares the method (0x01). Until #17314, in 1.2.0, it held the \
            entries against the rank and let repetitions pass."
        source: "The schema's comment defines the field as an order of the dimensions, and `validate_dim_order` asks \
            for a permutation."
        refs: ["T-07", "pytorch/executorch#17314"]
        cwe: ["CWE-129", "CWE-787"]
    }
    T_NUMEL_OVERFLOW = "t-numel-overflow", Must, File, Meta, "tensors" {
        "The product of a Tensor's `sizes` is at most 2^63 - 1, and is 0 wherever one of them is 0."
        why: "A product that wraps is a small number for a huge shape: the comparison with the buffer passes, and \
            kernels walk the shape far out of it."
        readers: "ExecuTorch refuses it in InternalConsistency when it loads the program (0x23): not in 1.2.0 \
            (#17987), again since 1.3.0 (#19121). It multiplies from left to right, so a 0 does not help behind a \
            product that has wrapped. Not every reader multiplies with a check where it verifies less."
        source: "`validate_tensor`. With a 0 in it the tensor has no elements in whatever order they are multiplied, \
            so the order does not count here."
        refs: ["CVE-2025-30402", "GHSA-h952-963h-rv99", "T-02", "pytorch/executorch#17987", "pytorch/executorch#19121"]
        cwe: ["CWE-190", "CWE-787"]
    }
    T_NBYTES_OVERFLOW = "t-nbytes-overflow", Must, File, Meta, "tensors" {
        "A Tensor has fewer than 2^64 bytes, by its `sizes` and the size of an element, the sizes being upper bounds \
            where the shape is dynamic."
        why: "The count that has wrapped is what the memory behind the tensor is held against. CVE-2025-30402 is a \
            heap overflow by such sizes."
        readers: "ExecuTorch refuses it in the metadata of an input or output since 0.7.0 (0x12), and in \
            InternalConsistency when it loads the program since 1.3.0 (0x23), there except for dynamic inputs. Not \
            every reader multiplies with a check where it verifies less."
        source: "`calculate_nbytes` of method metadata and `validate_tensor`. The bounds of dynamic tensors count, \
            since memory is planned by them."
        refs: [
            "CVE-2025-30402", "GHSA-h952-963h-rv99", "T-03", "pytorch/executorch#11217", "pytorch/executorch#16706",
            "pytorch/executorch#19121",
        ]
        cwe: ["CWE-190", "CWE-787"]
    }
    T_NBYTES_32BIT = "t-nbytes-32bit", Must, File, Meta, "tensors" {
        "For a 32-bit target, every Tensor but a dynamic input has at most 2^32 - 1 bytes and 2^31 - 1 elements."
        why: "Byte counts are `size_t` there, so this one wraps on the device although it is right on the host that \
            exported the file."
        readers: "ExecuTorch counts in `size_t`: built for 32 bits, InternalConsistency refuses it when it loads the \
            program (0x23). Built for 64 bits it has no objection."
        source: "Derived from the runtime's types. Asked only with `--target-bits 32`, since the file is right for \
            other targets."
        refs: ["T-04", "pytorch/executorch#19121"]
        cwe: ["CWE-190", "CWE-787"]
    }
    T_DYNAMIC_INPUT_BOUNDS = "t-dynamic-input-bounds", Should, File, Meta, "tensors" {
        "For a 32-bit target, a dynamic input has at most 2^32 - 1 bytes and 2^31 - 1 elements at its upper bounds."
        why: "The caller sets the sizes, which may stay below the bounds for ever; at the bounds, the input cannot \
            exist on the target."
        readers: "ExecuTorch lets dynamic inputs pass its verification on purpose, and counts with a check when the \
            input is set (0x12)."
        source: "#19121, which makes that exception so that files exported with 64-bit bounds load on 32-bit devices. \
            A should, because the bounds may never be reached; asked only with `--target-bits 32`."
        refs: ["T-04", "pytorch/executorch#19121"]
    }
    T_STRIDE_OVERFLOW = "t-stride-overflow", Must, File, Method, "tensors" {
        "Every stride of a Tensor of fixed sizes, the product of the sizes that are further in by `dim_order`, is at most \
            2^31 - 1 where the dimension has more than one element."
        why: "The portable runtime keeps strides in 32 bits with a sign: a larger product is undefined behaviour in \
            C++, and a stride that has wrapped addresses memory in front of the tensor."
        readers: "Not every reader looks. ATen mode keeps strides in 64 bits."
        source: "Derived from the runtime's `StridesType` and from `dim_order_to_stride`, in which a size of 0 counts \
            as 1. No limit on the bytes implies it: the sizes `[2, 65536, 65536]` of one-byte elements are 8 GiB and \
            break it."
        cwe: ["CWE-190"]
    }
    T_STRIDE_BOUND = "t-stride-bound", Should, File, Method, "tensors" {
        "The same holds of the strides that the upper bounds of a dynamic Tensor give."
        why: "The bounds may never be reached; where they are, or where a reader computes strides from them beforehand, it is \
            `t-stride-overflow` at run time."
        readers: "Not every reader looks. ATen mode keeps strides in 64 bits."
        source: "Derived as `t-stride-overflow` is. A should and no must, because an exporter may be given bounds that are \
            large for one dimension at a time."
    }
    T_DYNAMISM = "t-dynamism", Must, File, Method, "tensors" {
        "`shape_dynamism` is 0 (STATIC), 1 (DYNAMIC_BOUND) or 2 (DYNAMIC_UNBOUND)."
        why: "It says whether `sizes` are the shape, a bound or nothing, and so whether the shape may change in place. \
            A reader that asks only for STATIC takes every unknown number for a shape that may grow."
        readers: "ExecuTorch's Python reader refuses other numbers (ValueError). Not every reader looks."
        source: "The schema's enum `TensorShapeDynamism`. A must, because the memory for the tensor depends on what \
            the field means."
        cwe: ["CWE-436"]
    }
    T_DYNAMIC_UNBOUND = "t-dynamic-unbound", May, File, Method, "tensors" {
        "No Tensor has `shape_dynamism` 2 (DYNAMIC_UNBOUND)."
        why: "Nothing in the file then says how much memory the tensor takes, so whether the method runs depends on \
            how a reader allocates."
        readers: "ExecuTorch's portable mode refuses it when it prepares the method (0x10). Its ATen mode accepts it \
            on the CPU and refuses it on other devices (0x10, #21289)."
        source: "The schema declares the value and one mode of the runtime supports it, so it is a note: it limits \
            where the file runs."
        refs: ["T-14", "pytorch/executorch#21289"]
    }
    T_REQUIRES_GRAD = "t-requires-grad", Must, Reader, Method, "tensors" {
        "A reader accepts either value of `requires_grad`, and lets nothing depend on it."
        why: "Training leaves the flag behind, so a reader that refuses or interprets it tells apart two files of the \
            same computation."
        readers: "ExecuTorch does not read it."
        source: "A comment in the schema calls it out of scope. The exporter copies it from the traced tensor."
    }
    T_LAYOUT = "t-layout", Should, File, Method, "tensors" {
        "`layout` of every Tensor is 0, strided."
        why: "Another number would announce a sparse or otherwise packed tensor, to which the rest of the table, one \
            dense buffer and an order of dimensions, does not apply."
        readers: "ExecuTorch does not read it."
        source: "A comment in the schema doubts that the field is needed, and the exporter writes strided tensors \
            only. A should, because no reader depends on it."
    }
    T_DATA_MATRIX = "t-data-matrix", Must, Reader, Method, "tensors" {
        "A reader tells four kinds of Tensor apart by `data_buffer_idx` and `allocation_info`: above 0 and absent is a \
            constant, 0 and present is planned, 0 and absent gets its memory from the caller, above 0 and present is \
            planned with an initial value."
        why: "Each kind has its bytes elsewhere and may or may not be written to, so a reader that mistakes one writes \
            into constants, or runs on planned memory that was never filled."
        readers: "ExecuTorch decides so when it prepares the method, once it knows that the tensor is not external. \
            Readers that ask for one field only differ on a tensor with both."
        source: "The schema's comment on `data_buffer_idx`, and `getTensorDataPtr`."
        refs: ["T-13"]
    }
    T_EXTERNAL = "t-external", Must, File, Method, "tensors" {
        "A Tensor whose `location` is 1 (EXTERNAL) has a `fully_qualified_name`."
        why: "The name is the key to its data in another file; without one the look-up compares with a null pointer."
        readers: "ExecuTorch refuses it when it prepares the method (0x24). It wants the data file first: with none \
            given, a constant is 0x02 whatever its name."
        source: "A comment in the schema, `Method::parse_external_constants` and `getTensorDataPtr`."
        refs: ["T-15"]
        cwe: ["CWE-476"]
    }
    T_EXTERNAL_NONEMPTY = "t-external-nonempty", Should, File, Method, "tensors" {
        "The `fully_qualified_name` of an external Tensor is not empty."
        why: "The empty key fits only an entry whose key is empty too, so the tensor has no data, or data that was put \
            there to be found."
        readers: "ExecuTorch looks the name up like any other when it prepares the method, and answers 0x20 where no \
            data file has it."
        source: "A comment in the schema says that it must not be empty. A should, because readers treat it as a name."
        refs: ["T-15"]
    }
    T_LOCATION_ENUM = "t-location-enum", Must, File, Method, "tensors" {
        "`location` in a Tensor's `extra_tensor_info` is 0 (SEGMENT) or 1 (EXTERNAL)."
        why: "Readers that compare with one of the two differ on every other number: to one the data is in the \
            program, to the other in a data file, so one file has two sets of weights."
        readers: "ExecuTorch's Python reader refuses other numbers (ValueError). Some readers take everything but 1 \
            for SEGMENT."
        source: "The schema's enum `TensorDataLocation`. A must, because it decides which bytes are the tensor's."
        cwe: ["CWE-436"]
    }
    T_EXTERNAL_LAYOUT_MATCH = "t-external-layout-match", Must, Reader, Method, "tensors" {
        "A reader compares scalar type, `sizes` and `dim_order` of every external Tensor with the layout that the data \
            file has under its name, and refuses a difference."
        why: "The program decides how many bytes are read and the data file how many there are. Uncompared, a tensor \
            is a view over more memory than is behind it."
        readers: "ExecuTorch compares them when it prepares the method (0x24). Not every reader compares them for \
            every tensor."
        source: "`validateTensorLayout`. The set of files that brings it about breaks `x-external-layout` or \
            `x-external-same-fqn`."
        refs: ["pytorch/executorch#17131", "pytorch/executorch#19878"]
    }
    T_EXTERNAL_SIZE = "t-external-size", Must, Reader, Method, "tensors" {
        "A reader holds the bytes of an external Tensor against the size of the segment that it gets for the name, and \
            refuses a segment that is shorter."
        why: "That program and data file agree on the layout says nothing of the bytes behind it: a short segment \
            under a long layout is read past its end."
        readers: "Not every reader looks."
        source: "Derived: memory safety rests on it. The data file that brings it about breaks \
            `ft-layout-fits-segment`."
        refs: ["S-11", "X-08"]
    }
    T_FQN_UNIQUE = "t-fqn-unique", Should, File, Method, "tensors" {
        "No two Tensors of one method that are not external have the same `fully_qualified_name`."
        why: "Attributes are found by name: a host that updates a weight by its name changes the first tensor, and the \
            second keeps the old value."
        readers: "ExecuTorch's look-up of an attribute, `Method::get_attribute`, takes the first of the name. No \
            reader refuses a second."
        source: "A comment in the schema calls the name unique. A should, because the method runs without it; external \
            tensors may share a name, and with it their blob."
    }
    T_DEVICE = "t-device", Must, File, Method, "tensors" {
        "`device_type` of a Tensor is 0 (CPU) or 1 (CUDA), and `device_index` is not negative unless the device is the \
            CPU."
        why: "A tensor with a device that does not exist, or the wrong one, has its address used on the wrong side: \
            host code follows a device's pointer."
        readers: "ExecuTorch's ATen mode refuses either when it prepares the method (0x23, since #21289). Not every \
            reader looks."
        source: "The schema's enum `DeviceType`. The fields exist since March 2026, and are CPU and 0 where they are \
            absent."
        refs: ["T-14", "pytorch/executorch#21289"]
        cwe: ["CWE-436"]
    }
    T_CONST_STATIC = "t-const-static", Should, File, Method, "tensors" {
        "A constant Tensor has `shape_dynamism` 0 (STATIC)."
        why: "A constant has the bytes that it has: a shape that may change grows past them, or hides some."
        readers: "No reader compares the two. ExecuTorch keeps the shape of any dynamic tensor where it can be changed."
        source: "The exporter marks parameters and buffers static. A should, since no reader depends on it."
    }
    T_ZERO_ELEM_NULL = "t-zero-elem-null", Must, Reader, Method, "tensors" {
        "A reader accepts a Tensor without elements whose data is a null pointer."
        why: "Nothing is behind a tensor of no bytes, and loaders return null for a range of none, so a reader that \
            refuses or follows the pointer fails on right files."
        readers: "ExecuTorch's loaders for files and mappings return null for 0 bytes, and its comparison of tensors \
            asks for the byte count before it touches the data."
        source: "Derived from `load-empty` and from planned buffers of size 0."
    }
}

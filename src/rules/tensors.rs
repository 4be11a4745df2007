//! Tensors of a program, `Tensor` and `ExtraTensorInfo`: chapter `tensors` of the book.

rules! {
    T_STORAGE_OFFSET = "t-storage-offset", Must, File, Method, "tensors" {
        "`storage_offset` of every Tensor is 0."
        why: "The field moves the first element of the tensor. A reader that ignores the field returns the wrong \
            elements; a reader that adds the field must add it to every bound."
        readers: "ExecuTorch rejects a violation when it prepares the method (0x10), in portable mode and in ATen mode."
        source: "A comment in the schema says that the runtime supports only 0, and `parseTensor` compares the field \
            with 0. The exporter copies views into separate tensors."
        refs: ["T-12"]
        cwe: ["CWE-436"]
    }
    T_SCALAR_TYPE = "t-scalar-type", Must, File, Meta, "tensors" {
        "`scalar_type` of every Tensor is 0 to 29."
        why: "The number gives the size of an element. A number outside the table has no size, and a reader that needs \
            the size aborts or computes a wrong byte count."
        readers: "At InternalConsistency, ExecuTorch rejects a violation when it loads the program, except in a \
            dynamic input; at both levels ExecuTorch rejects a violation when it prepares the method (0x23). Some \
            readers count bytes for metadata before they check the type. ExecuTorch's Python reader rejects numbers \
            outside its enum (ValueError)."
        source: "The runtime's list of types has 30 entries. The schema omits 8 to 10 (complex) and 18 to 21 (bits). \
            The runtime accepts these numbers and Python rejects some of them, so they do not break this rule."
        refs: ["T-10", "T-11"]
        cwe: ["CWE-617"]
    }
    T_SIZES_NONNULL = "t-sizes-nonnull", Must, File, Meta, "tensors" {
        "Every Tensor has `sizes`, which are empty for a tensor without dimensions."
        why: "The vector gives the rank and the byte count. If it is absent, a reader dereferences a null pointer as \
            soon as it uses the tensor."
        readers: "At InternalConsistency, ExecuTorch rejects a violation when it loads the program (0x23). At both \
            levels, ExecuTorch rejects a violation in the metadata of an input or output, since 1.3.0 (0x23), and when \
            it prepares the method (0x23)."
        source: "`validate_tensor` and `parseTensor`. The schema makes the field optional, and the exporter always \
            writes it."
        refs: ["T-05", "pytorch/executorch#18724", "pytorch/executorch#19878"]
        cwe: ["CWE-476"]
    }
    T_SIZES_NONNEG = "t-sizes-nonneg", Must, File, Meta, "tensors" {
        "No entry of a Tensor's `sizes` is negative."
        why: "Converted to unsigned, a negative size is an enormous extent. Two of them multiply to a small positive \
            number, so the byte count does not match the shape."
        readers: "At InternalConsistency, ExecuTorch rejects a violation when it loads the program (0x23), except in a \
            dynamic input. At both levels, ExecuTorch rejects a violation in the metadata of an input or output, since \
            1.3.0 (0x12), and when it prepares the method, since 0.6.0 (0x23)."
        source: "`validate_tensor` and `parseTensor`. The schema's `int` is signed, but -1 does not mean an unknown \
            size."
        refs: ["T-01", "pytorch/executorch#18724"]
        cwe: ["CWE-195", "CWE-190"]
    }
    T_RANK_MAX = "t-rank-max", Must, File, Method, "tensors" {
        "A Tensor has at most 16 `sizes`."
        why: "The runtime and its kernels copy shapes into arrays of 16 entries. A 17th size is written past the end: \
            CVE-2025-54951."
        readers: "ExecuTorch rejects a violation when it prepares the method since 1.0.0 (0x23). InternalConsistency \
            does not check the rule. ExecuTorch accepts rank 16, so a kernel that adds a dimension needs its own check."
        source: "`kTensorDimensionLimit`. The schema sets no limit, but every build has this limit."
        refs: ["CVE-2025-54951", "GHSA-xc7w-r669-48pf", "T-08", "T-09", "pytorch/executorch#12684"]
        cwe: ["CWE-129", "CWE-787"]
    }
    T_DIMORDER_NONNULL = "t-dimorder-nonnull", Must, File, Meta, "tensors" {
        "Every Tensor has a `dim_order`."
        why: "Readers compute strides from this vector. A reader without it dereferences a null pointer, or assumes an \
            order and reads the same bytes as a different tensor."
        readers: "ExecuTorch rejects a violation in the metadata of an input or output, since 1.3.0 (0x23), and when \
            it prepares the method (0x23). For an external tensor, ExecuTorch rejects a violation when it compares the \
            tensor with the data file, since 1.4.0 (0x24). InternalConsistency does not check the rule."
        source: "`parseTensor`. The schema makes the field optional, and the exporter always writes it."
        refs: ["T-05", "pytorch/executorch#18724", "pytorch/executorch#19878"]
        cwe: ["CWE-476"]
    }
    T_DIMORDER_LEN = "t-dimorder-len", Must, File, Method, "tensors" {
        "`dim_order` has as many entries as `sizes`."
        why: "Readers use one length to iterate over both vectors, so they read past the end of the shorter vector."
        readers: "ExecuTorch rejects a violation when it prepares the method (0x23), and for an external tensor in the \
            comparison with the data file (0x24, #17131). InternalConsistency and metadata do not compare the lengths."
        source: "`parseTensor`. The schema's comment gives each dimension one position in the order."
        refs: ["T-06", "pytorch/executorch#17131"]
        cwe: ["CWE-130", "CWE-125"]
    }
    T_DIMORDER_PERM = "t-dimorder-perm", Must, File, Method, "tensors" {
        "`dim_order` contains each number from 0 to the rank minus 1 once."
        why: "Every entry is an index into `sizes` and into the strides. An entry that is too large writes past the \
            array; a repeated entry leaves a stride uninitialized."
        readers: "ExecuTorch rejects a violation when it prepares the method (0x01). Before 1.2.0 (#17314), it \
            compared the entries with the rank and accepted repeated entries."
        source: "The schema's comment defines the field as an order of the dimensions, and `validate_dim_order` \
            requires a permutation."
        refs: ["T-07", "pytorch/executorch#17314"]
        cwe: ["CWE-129", "CWE-787"]
    }
    T_NUMEL_OVERFLOW = "t-numel-overflow", Must, File, Meta, "tensors" {
        "The product of a Tensor's `sizes` is at most 2^63 - 1; a product with a factor of 0 is 0."
        why: "A product that wraps is a small number for a huge shape. The comparison with the buffer then passes, and \
            kernels access memory far outside it."
        readers: "At InternalConsistency, ExecuTorch rejects a violation when it loads the program (0x23), except in \
            1.2.0 (#17987, #19121). It multiplies from left to right, so a size of 0 after a product that wrapped does \
            not undo the overflow. Some readers do not check the multiplication at lower levels."
        source: "`validate_tensor`. A tensor with a size of 0 has no elements, so this rule ignores the order of the \
            factors."
        refs: ["CVE-2025-30402", "GHSA-h952-963h-rv99", "T-02", "pytorch/executorch#17987", "pytorch/executorch#19121"]
        cwe: ["CWE-190", "CWE-787"]
    }
    T_NBYTES_OVERFLOW = "t-nbytes-overflow", Must, File, Meta, "tensors" {
        "The product of a Tensor's `sizes` and its element size is below 2^64, also at the upper bounds of a dynamic \
            shape."
        why: "Readers compare the wrapped count with the tensor's memory. CVE-2025-30402 is a heap overflow caused by \
            such sizes."
        readers: "ExecuTorch rejects a violation in the metadata of an input or output since 0.7.0 (0x12). At \
            InternalConsistency, ExecuTorch rejects a violation when it loads the program since 1.3.0 (0x23), except \
            in a dynamic input. Some readers do not check the multiplication at lower levels."
        source: "`calculate_nbytes` of the method metadata, and `validate_tensor`. The bounds of dynamic tensors count \
            because the memory plan uses them."
        refs: [
            "CVE-2025-30402", "GHSA-h952-963h-rv99", "T-03", "pytorch/executorch#11217", "pytorch/executorch#16706",
            "pytorch/executorch#19121",
        ]
        cwe: ["CWE-190", "CWE-787"]
    }
    T_NBYTES_32BIT = "t-nbytes-32bit", Must, File, Meta, "tensors" {
        "For a 32-bit target, every Tensor but a dynamic input has at most 2^32 - 1 bytes and 2^31 - 1 elements."
        why: "A 32-bit reader counts bytes in `size_t`. The count wraps on the device although it is correct on the \
            host that exported the file."
        readers: "ExecuTorch counts in `size_t`. A 32-bit build rejects a violation at InternalConsistency when it \
            loads the program (0x23); a 64-bit build accepts the Tensor."
        source: "Inferred from the runtime's types. The checker applies it only with `--target-bits 32`, because the \
            file is valid for other targets."
        refs: ["T-04", "pytorch/executorch#19121"]
        cwe: ["CWE-190", "CWE-787"]
    }
    T_DYNAMIC_INPUT_BOUNDS = "t-dynamic-input-bounds", Should, File, Meta, "tensors" {
        "For a 32-bit target, a dynamic input has at most 2^32 - 1 bytes and 2^31 - 1 elements at its upper bounds."
        why: "The caller sets the sizes, which may always stay below the bounds. An input at its bounds cannot exist \
            on the target."
        readers: "ExecuTorch intentionally exempts dynamic inputs from its verification, and checks the byte count \
            when the caller sets the input (0x12)."
        source: "#19121 adds the exemption so that files exported with 64-bit bounds load on 32-bit devices. The rule \
            is a should because a caller may never reach the bounds. The checker applies it only with `--target-bits \
            32`."
        refs: ["T-04", "pytorch/executorch#19121"]
    }
    T_STRIDE_OVERFLOW = "t-stride-overflow", Must, File, Method, "tensors" {
        "Every stride of a Tensor of fixed sizes is at most 2^31 - 1 if its dimension has more than one element."
        why: "The portable runtime stores strides as 32-bit signed numbers. A larger product is undefined behaviour in \
            C++, and a stride that wrapped addresses memory before the tensor."
        readers: "Some readers do not check the rule. ATen mode stores strides in 64 bits."
        source: "Inferred from the runtime's `StridesType` and from `dim_order_to_stride`. A stride is the product of \
            the sizes of the dimensions that follow in `dim_order`; a size of 0 counts as 1. A limit on bytes does not \
            imply the rule: sizes `[2, 65536, 65536]` of one-byte elements take 8 GiB and break the rule."
        cwe: ["CWE-190"]
    }
    T_STRIDE_BOUND = "t-stride-bound", Should, File, Method, "tensors" {
        "Every stride at the upper bounds of a dynamic Tensor is at most 2^31 - 1 if its dimension has more than one \
            element."
        why: "A caller may never reach the bounds. If a caller reaches them, or if a reader computes strides from the \
            bounds, the strides break `t-stride-overflow` at run time."
        readers: "Some readers do not check the rule. ATen mode stores strides in 64 bits."
        source: "Inferred in the same way as `t-stride-overflow`. The rule is a should because an exporter may set \
            large bounds that a caller uses for only one dimension at a time."
    }
    T_DYNAMISM = "t-dynamism", Must, File, Method, "tensors" {
        "`shape_dynamism` is 0 (STATIC), 1 (DYNAMIC_BOUND) or 2 (DYNAMIC_UNBOUND)."
        why: "The field says whether `sizes` are the shape, an upper bound or nothing. A reader that compares only \
            with STATIC lets the shape grow for every unknown number."
        readers: "ExecuTorch's Python reader rejects other numbers (ValueError). Some readers do not check the rule."
        source: "The schema's enum `TensorShapeDynamism`. The rule is a must because the tensor's memory depends on \
            this field."
        cwe: ["CWE-436"]
    }
    T_DYNAMIC_UNBOUND = "t-dynamic-unbound", May, File, Method, "tensors" {
        "No Tensor has `shape_dynamism` 2 (DYNAMIC_UNBOUND)."
        why: "The file then does not give the tensor's memory, so the reader's allocation decides whether the method \
            runs."
        readers: "ExecuTorch's portable mode rejects a violation when it prepares the method (0x10). Its ATen mode \
            accepts such a Tensor on the CPU and rejects it on other devices (0x10, #21289)."
        source: "The schema declares the value and one mode of the runtime supports it. The rule is a may because it \
            only limits where the file runs."
        refs: ["T-14", "pytorch/executorch#21289"]
    }
    T_REQUIRES_GRAD = "t-requires-grad", Must, Reader, Method, "tensors" {
        "A reader accepts both values of `requires_grad`, and its results do not depend on it."
        why: "The flag remains from training. A reader that rejects or interprets the flag treats two files of the \
            same computation differently."
        readers: "ExecuTorch does not read the field."
        source: "A comment in the schema declares the field out of scope. The exporter copies the field from the \
            traced tensor."
    }
    T_LAYOUT = "t-layout", Should, File, Method, "tensors" {
        "`layout` of every Tensor is 0, strided."
        why: "Another number would mean a sparse or packed tensor. The other fields describe only a dense buffer with \
            an order of dimensions."
        readers: "ExecuTorch does not read the field."
        source: "A comment in the schema says that the field may be unnecessary, and the exporter writes only strided \
            tensors. The rule is a should because no reader depends on it."
    }
    T_DATA_MATRIX = "t-data-matrix", Must, Reader, Method, "tensors" {
        "A reader takes a Tensor with `data_buffer_idx` above 0 as a constant without `allocation_info` and as planned \
            with an initial value with it; with index 0, as supplied by the caller without it and as planned with it."
        why: "Each kind has its bytes in a different place, and only some kinds are writable. A reader that confuses \
            them writes to constants, or runs on planned memory without the initial value."
        readers: "ExecuTorch determines the kind of a Tensor when it prepares the method, after it has found that the \
            tensor is not external. A reader that checks only one of the two fields mishandles a tensor that has both \
            fields."
        source: "The schema's comment on `data_buffer_idx`, and `getTensorDataPtr`."
        refs: ["T-13"]
    }
    T_EXTERNAL = "t-external", Must, File, Method, "tensors" {
        "A Tensor with `location` 1 (EXTERNAL) has a `fully_qualified_name`."
        why: "The name is the key of the tensor's data in another file. Without a name, the lookup compares with a \
            null pointer."
        readers: "ExecuTorch rejects a violation when it prepares the method (0x24). Without any data file it returns \
            0x02 for a constant before it checks the name."
        source: "A comment in the schema, `Method::parse_external_constants` and `getTensorDataPtr`."
        refs: ["T-15"]
        cwe: ["CWE-476"]
    }
    T_EXTERNAL_NONEMPTY = "t-external-nonempty", Should, File, Method, "tensors" {
        "The `fully_qualified_name` of an external Tensor is not empty."
        why: "The empty key matches only an entry with an empty key. The tensor then has no data, or data that \
            somebody placed there on purpose."
        readers: "ExecuTorch looks up the empty name like any other when it prepares the method, and returns 0x20 if \
            no data file has it."
        source: "A comment in the schema says that the name must not be empty. The rule is a should because readers \
            treat the empty string as a name."
        refs: ["T-15"]
    }
    T_LOCATION_ENUM = "t-location-enum", Must, File, Method, "tensors" {
        "`location` in a Tensor's `extra_tensor_info` is 0 (SEGMENT) or 1 (EXTERNAL)."
        why: "A reader that tests only for 0 and a reader that tests only for 1 disagree on any other number. One \
            reader gets the data from the program and another reader gets it from a data file, so the file has two \
            sets of weights."
        readers: "ExecuTorch's Python reader rejects other numbers (ValueError). Some readers treat every number but 1 \
            as SEGMENT."
        source: "The schema's enum `TensorDataLocation`. The rule is a must because the field decides which bytes the \
            tensor has."
        cwe: ["CWE-436"]
    }
    T_EXTERNAL_LAYOUT_MATCH = "t-external-layout-match", Must, Reader, Method, "tensors" {
        "A reader compares the scalar type, `sizes` and `dim_order` of every external Tensor with the layout in the \
            data file, and rejects a difference."
        why: "The program decides how many bytes a reader uses, and the data file decides how many exist. Without the \
            comparison, a tensor can extend past its memory."
        readers: "ExecuTorch compares the layouts when it prepares the method (0x24). Some readers compare the layouts \
            only for some tensors."
        source: "`validateTensorLayout`. A set of files that tests this comparison breaks `x-external-layout` or \
            `x-external-same-fqn`."
        refs: ["pytorch/executorch#17131", "pytorch/executorch#19878"]
    }
    T_EXTERNAL_SIZE = "t-external-size", Must, Reader, Method, "tensors" {
        "A reader compares the byte count of an external Tensor with the size of its segment, and rejects a shorter \
            segment."
        why: "Equal layouts in program and data file do not limit the bytes. A reader reads past the end of a segment \
            that is shorter than its layout."
        readers: "Some readers do not check the rule."
        source: "This project infers the rule: memory safety depends on this comparison. A data file that tests the \
            comparison breaks `ft-layout-fits-segment`."
        refs: ["S-11", "X-08"]
    }
    T_FQN_UNIQUE = "t-fqn-unique", Should, File, Method, "tensors" {
        "No two Tensors of one method that are not external have the same `fully_qualified_name`."
        why: "Hosts find attributes by name. A host that updates a weight by name changes the first tensor, and the \
            second keeps its old value."
        readers: "`Method::get_attribute` of ExecuTorch returns the first tensor with the name. No reader rejects a \
            second tensor with that name."
        source: "A comment in the schema calls the name unique. The rule is a should because the method runs even if \
            names repeat. External tensors may have the same name and then use the same blob."
    }
    T_DEVICE = "t-device", Must, File, Method, "tensors" {
        "`device_type` of a Tensor is 0 (CPU) or 1 (CUDA), and `device_index` is at least 0 unless the device is the \
            CPU."
        why: "A reader uses the tensor's address on the device that the fields name. With a wrong device, host code \
            dereferences a device pointer."
        readers: "ExecuTorch's ATen mode rejects both defects when it prepares the method (0x23, since #21289). Some \
            readers do not check them."
        source: "The schema's enum `DeviceType`. The fields exist since 1.3.0; an absent field means CPU or index 0."
        refs: ["T-14", "pytorch/executorch#21289"]
        cwe: ["CWE-436"]
    }
    T_CONST_STATIC = "t-const-static", Should, File, Method, "tensors" {
        "A constant Tensor has `shape_dynamism` 0 (STATIC)."
        why: "A constant has a fixed number of bytes. A shape that grows extends past them; a shape that shrinks hides \
            some of the bytes."
        readers: "No reader compares the dynamism with the kind of tensor. ExecuTorch stores the shape of any dynamic \
            tensor in writable memory."
        source: "The exporter marks parameters and buffers as static. The rule is a should because no reader depends \
            on it."
    }
    T_ZERO_ELEM_NULL = "t-zero-elem-null", Must, Reader, Method, "tensors" {
        "A reader accepts a Tensor without elements whose data is a null pointer."
        why: "A tensor of 0 bytes has no data, and loaders return null for an empty range. A reader that rejects or \
            dereferences the pointer fails on valid files."
        readers: "ExecuTorch's loaders for files and mappings return null for 0 bytes. Its comparison of tensors \
            checks the byte count before it reads the data."
        source: "Inferred from `load-empty` and from planned buffers of size 0."
    }
}

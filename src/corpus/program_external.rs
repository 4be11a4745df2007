//! Cases about a program and the data files loaded with it.

use super::{cases, program_base as base};
use crate::rules::{companions as rules, flat_tensor, named_data, program, tensors};

/// The first external constant, `weight`. The other one, `second`, is value 4.
const FIRST: &str = "execution_plan[0].values[0].val";
const SECOND_NAME: &str = "execution_plan[0].values[4].val.extra_tensor_info.fully_qualified_name";

fn first(field: &str) -> alloc::string::String {
    alloc::format!("{FIRST}.{field}")
}

cases! {
    /// The data file is valid: it contains two tensors and a blob without a layout. A reader that requires a layout in
    /// every entry rejects the file or dereferences a null pointer.
    build "ptd/valid/external": "tensors for a program and an opaque blob" shows flat_tensor::FT_LAYOUT_OPTIONAL
        => || base::external_data(&["weight", "second"], &["opaque"]);

    /// The data file is valid: it contains only `weight`, one of the two tensors that a program uses. A reader that
    /// supports only one data file per program does not find the second tensor.
    build "ptd/valid/external-weight": "first of two weights" shows flat_tensor::FT_LAYOUT_FITS_SEGMENT
        => || base::external_data(&["weight"], &[]);

    /// The data file is valid: its only entry, at index 0, is the second of two tensors that a program uses. A reader
    /// must find tensors by name, not by index.
    build "ptd/valid/external-second": "second of two weights" shows flat_tensor::FT_LAYOUT_FITS_SEGMENT
        => || base::external_data(&["second"], &[]);

    /// The data file is valid: it contains both tensors that a program uses, and every entry has a layout. The second
    /// segment ends where the data ends. A reader that requires padding after the last segment rejects the file.
    build "ptd/valid/external-tensors": "two weights, the last segment without padding" shows flat_tensor::FT_SEG_BOUND
        => || base::external_data(&["weight", "second"], &[]);

    /// The data file is valid: one tensor has no elements and an empty segment. A reader that loads 0 bytes must not
    /// treat the resulting null pointer as a failure.
    build "ptd/valid/external-empty": "tensors for a program, one without elements" shows flat_tensor::FT_SEG_NO_OVERLAP
        => base::external_data_without_elements;

    /// The program is valid: its constants are in a data file, and it also has named data. A reader must load the
    /// program together with the data file.
    build "pte/valid/external-constants": "constants in a data file" shows rules::X_EXTERNAL_FOUND,
        with ["ptd/valid/external"] => base::external_constants;

    /// The program is valid: it has two constants, each in a different data file. A reader must search all data files
    /// for each name.
    build "pte/valid/external-in-two-files": "constants in two data files" shows named_data::ND_CROSS_FILE_UNIQUE,
        with ["ptd/valid/external-weight", "ptd/valid/external-second"] => base::external_constants;

    /// The program is valid: its constants are in a legacy data file of release 0.6.0. A reader that supports both
    /// layouts must also search legacy files for names.
    accept "pte/valid/external-in-older-file": "constants in a legacy data file" shows tensors::T_EXTERNAL_LAYOUT_MATCH,
        from "pte/valid/external-constants", with ["ptd-legacy/valid/tensors"] => |file| {
            file.elements(SECOND_NAME, 0, b"tied\0");
            file.count(SECOND_NAME, 4);
        };

    /// The external constant has no elements, and its segment is empty. The program is valid. A reader that treats a
    /// null address as a missing tensor rejects the method.
    accept "pte/valid/external-without-elements": "external constant of no elements" shows tensors::T_EXTERNAL_SIZE,
        from "pte/valid/external-constants", with ["ptd/valid/external-empty"]
        => |file| file.elements("execution_plan[0].values[4].val.sizes", 0, &[0; 4]);

    /// The program is valid: a tensor has planned memory and an external name. A reader must copy the data to the
    /// planned memory. Without a copy, the method changes the data file's bytes, which other programs may use.
    build "pte/valid/external-mutable": "tensor of a data file copied into planned memory"
        shows rules::X_EXTERNAL_MUTABLE, with ["ptd/valid/external"] => base::external_mutable;

    /// Two constants have the same external name. The program is valid, and writers emit programs of this kind for tied
    /// weights. A reader that treats the second use of the name as an error rejects the program.
    accept "pte/valid/external-name-twice": "two constants with one name and layout" shows rules::X_EXTERNAL_SAME_FQN,
        from "pte/valid/external-constants" => |file| file.elements(SECOND_NAME, 0, b"weight");

    /// The program is valid: two methods use the same external constants. A reader that frees the data when it unloads
    /// the first method breaks the second method.
    build "pte/valid/external-in-two-methods": "two methods with the same external constants"
        shows rules::X_EXTERNAL_SAME_FQN, with ["ptd/valid/external"] => base::external_methods;

    /// An external constant has a `data_buffer_idx` of 77. The program is valid, because readers ignore the index of
    /// external constants. A reader must check the data location before it uses the index.
    accept "pte/valid/external-with-buffer-index": "external constant with a buffer index" shows tensors::T_EXTERNAL,
        from "pte/valid/external-constants" => |file| file.scalar(&first("data_buffer_idx"), 77_u32);

    /// No data file contains the constant's name. A reader must reject the program, because kernels fail on a tensor
    /// without memory.
    reject "pte/external/missing": "name that no data file contains" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"wait-1");

    /// No data file contains the name of a tensor in planned memory. A reader that ignores the missing tensor uses
    /// uninitialized memory as the initial value.
    reject "pte/external/mutable-missing": "mutable tensor name that no data file contains"
        breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-mutable" => |file| file.elements(SECOND_NAME, 0, b"wait-1");

    /// The constant's name is a prefix of a key in the data file. A reader that only tests whether a key begins with
    /// the name returns the wrong tensor.
    reject "pte/external/name-begins-a-key": "name that is a prefix of a key" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants" => |file| file.shorten(&first("extra_tensor_info.fully_qualified_name"), 5);

    /// The constant's name is `WEIGHT`, but the key is `weight`. A reader must compare the bytes of names. A
    /// case-insensitive comparison finds the wrong tensor.
    reject "pte/external/name-in-capitals": "name in upper case" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"WEIGHT");

    /// Only the program's own named data contains the constant's name. Named data of a program has no layouts, so a
    /// reader must search only the data files.
    reject "pte/external/only-in-program": "name only in the program's own named data" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"inside");

    /// The constant's name belongs to a blob without a layout. The blob has the size of the tensor, so a reader that
    /// checks only the size uses bytes of unknown type.
    reject "pte/external/opaque-blob": "name of a blob without a layout" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"opaque");

    /// The program declares a tensor of integers, but the data file contains floats of the same width. A reader that
    /// compares only sizes accepts the program and computes with wrong values.
    reject "pte/external/scalar-type-differs": "scalar type that differs from the data file"
        breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.scalar(&first("scalar_type"), 3_i8);

    /// The program declares a tensor of doubles, but the data file contains floats. A reader that compares only the
    /// shapes reads past the data.
    reject "pte/external/scalar-type-wider": "scalar type wider than in the data file" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.scalar(&first("scalar_type"), 7_i8);

    /// The program declares a tensor of 1024 rows, but the tensor in the data file has two rows. A reader that does not
    /// compare the layouts lets kernels read past the data.
    reject "pte/external/larger-than-data": "sizes larger than in the data file" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.elements(&first("sizes"), 0, 1024_i32);

    /// The program declares a tensor with the sizes 3 × 2, but the tensor in the data file has the sizes 2 × 3. A
    /// reader that compares only the number of elements or bytes accepts the program.
    reject "pte/external/sizes-swapped": "sizes in a different order than in the data file"
        breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.elements(&first("sizes"), 0, [3_i32, 2]);

    /// The program declares a tensor of one dimension, but the tensor in the data file has two dimensions. If a reader
    /// compares only as many sizes as the program declares, it accepts the program.
    reject "pte/external/rank-differs": "fewer dimensions than in the data file" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| {
            file.count(&first("sizes"), 1);
            file.count(&first("dim_order"), 1);
        };

    /// The `dim_order` in the program differs from the `dim_order` in the data file. A reader that does not compare
    /// `dim_order` uses columns as rows.
    reject "pte/external/dim-order-differs": "dim_order that differs from the data file"
        breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.elements(&first("dim_order"), 0, &[1, 0]);

    /// A tensor in planned memory declares integers, but the data file contains floats of the same width. A reader must
    /// compare the layouts of mutable tensors, not only of constants.
    reject "pte/external/mutable-layout-differs": "mutable tensor with a scalar type that differs from the data file"
        breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-mutable" => |file| file.scalar("execution_plan[0].values[4].val.scalar_type", 3_i8);

    /// Two constants have the same external name, and the second constant is larger than the data. If a reader checks
    /// only the first use of a name, it reads past the data.
    reject "pte/external/name-twice-larger": "two constants with one name, the second larger than the data"
        breaks rules::X_EXTERNAL_SAME_FQN, from "pte/valid/external-name-twice"
        => |file| file.elements("execution_plan[0].values[4].val.sizes", 0, 1024_i32);

    /// Two constants have the same external name but different scalar types. The second constant needs 48 bytes, but
    /// the data has 24 bytes. If a name occurs more than once, a reader must compare the layout of each tensor with the
    /// data file.
    reject "pte/external/name-twice-other-type": "two constants with one name and different scalar types"
        breaks rules::X_EXTERNAL_SAME_FQN,
        from "pte/valid/external-name-twice" => |file| file.scalar("execution_plan[0].values[4].val.scalar_type", 4_i8);

    /// Two methods declare different sizes for the same external name. A reader that checks each name only once lets
    /// kernels of the second method read past the data.
    reject "pte/external/name-in-two-methods-differs": "two methods with different sizes for one name"
        breaks rules::X_EXTERNAL_SAME_FQN, from "pte/valid/external-in-two-methods"
        => |file| file.elements("execution_plan[1].values[0].val.sizes", 0, 1024_i32);

    /// An input is an external constant. A caller that sets the input overwrites the data file's bytes, which other
    /// programs may use. If the data file is mapped read-only, the write faults.
    reject "pte/external/constant-as-input": "input that is an external constant" breaks program::PLAN_INPUTS_NONCONST,
        from "pte/valid/external-constants" => |file| file.elements("execution_plan[0].inputs", 0, 0_i32);

    /// The program's named data and the data file contain the same key. A reader must reject the combination, because
    /// the result of a lookup depends on the load order.
    reject "pte/external/key-in-program-and-data": "tensor key in the program and in the data file"
        breaks named_data::ND_CROSS_FILE_UNIQUE,
        from "pte/valid/external-constants" => |file| file.elements("named_data[0].key", 0, b"weight");

    /// The program's named data and the data file contain entries with the same key and without a layout. A reader must
    /// compare all keys, not only the keys of tensors.
    reject "pte/external/blob-in-program-and-data": "blob key in the program and in the data file"
        breaks named_data::ND_CROSS_FILE_UNIQUE,
        from "pte/valid/external-constants" => |file| file.elements("named_data[0].key", 0, b"opaque");

    /// Two data files contain the same key. A reader must reject the combination, because the result of a lookup
    /// depends on the load order. Each of the two data files is valid alone.
    reject "pte/external/key-in-two-data-files": "key in two data files" breaks named_data::ND_CROSS_FILE_UNIQUE,
        from "pte/valid/external-in-two-files", with ["ptd/valid/external", "ptd/valid/external-weight"]
        => |file| file.elements(SECOND_NAME, 0, b"weight");
}

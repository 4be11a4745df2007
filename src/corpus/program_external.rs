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
    /// The file contains two tensors and a blob without a layout. A reader that expects a layout for every entry
    /// rejects the file or dereferences null.
    build "ptd/valid/external": "tensors for a program and an opaque blob" shows flat_tensor::FT_LAYOUT_OPTIONAL
        => || base::external_data(&["weight", "second"], &["opaque"]);

    /// The file has only `weight`, one of the two tensors that a program needs. A reader that supports only one data
    /// file per program cannot find the other tensor.
    build "ptd/valid/external-weight": "first of two weights" shows flat_tensor::FT_LAYOUT_FITS_SEGMENT
        => || base::external_data(&["weight"], &[]);

    /// The only entry, at index 0, is the second of a program's two tensors, so a reader must find tensors by name, not by index.
    build "ptd/valid/external-second": "second of two weights" shows flat_tensor::FT_LAYOUT_FITS_SEGMENT
        => || base::external_data(&["second"], &[]);

    /// Every entry has a layout, and the second segment ends where the data ends. A reader that expects padding after
    /// it rejects the file.
    build "ptd/valid/external-tensors": "two weights, the last segment without padding" shows flat_tensor::FT_SEG_BOUND
        => || base::external_data(&["weight", "second"], &[]);

    /// One tensor has no elements. Loading its 0 bytes can return null, but that is not a failure.
    build "ptd/valid/external-empty": "tensors for a program, one without elements" shows flat_tensor::FT_SEG_NO_OVERLAP
        => base::external_data_without_elements;

    /// The constants are in a data file, and the program has its own named data. A reader must load the two files together.
    build "pte/valid/external-constants": "constants in a data file" shows rules::X_EXTERNAL_FOUND,
        with ["ptd/valid/external"] => base::external_constants;

    /// The two constants are in different data files, so a reader has to look up each name in both files.
    build "pte/valid/external-in-two-files": "constants in two data files" shows named_data::ND_CROSS_FILE_UNIQUE,
        with ["ptd/valid/external-weight", "ptd/valid/external-second"] => base::external_constants;

    /// The constants are in a data file from release 0.6.0. A reader that supports both layouts must search this file too.
    accept "pte/valid/external-in-older-file": "constants in a legacy data file" shows tensors::T_EXTERNAL_LAYOUT_MATCH,
        from "pte/valid/external-constants", with ["ptd-legacy/valid/tensors"] => |file| {
            file.elements(SECOND_NAME, 0, b"tied\0");
            file.count(SECOND_NAME, 4);
        };

    /// The constant's segment is empty. A reader that mistakes a null address for a missing tensor rejects the method.
    accept "pte/valid/external-without-elements": "external constant without elements" shows tensors::T_EXTERNAL_SIZE,
        from "pte/valid/external-constants", with ["ptd/valid/external-empty"]
        => |file| file.elements("execution_plan[0].values[4].val.sizes", 0, &[0; 4]);

    /// A reader must copy the data. Otherwise, the method changes a file that other programs may use.
    build "pte/valid/external-mutable": "tensor that is copied from a data file into planned memory"
        shows rules::X_EXTERNAL_MUTABLE, with ["ptd/valid/external"] => base::external_mutable;

    /// Writers give tied weights the same name. A reader that treats the second use of a name as an error rejects the program.
    accept "pte/valid/external-name-twice": "two constants with one name and layout" shows rules::X_EXTERNAL_SAME_FQN,
        from "pte/valid/external-constants" => |file| file.elements(SECOND_NAME, 0, b"weight");

    /// A reader that frees the data along with the first method breaks the second method.
    build "pte/valid/external-in-two-methods": "two methods with the same external constants"
        shows rules::X_EXTERNAL_SAME_FQN, with ["ptd/valid/external"] => base::external_methods;

    /// The index, 77, means nothing for an external constant, so a reader has to look at the location first.
    accept "pte/valid/external-with-buffer-index": "external constant with a buffer index" shows tensors::T_EXTERNAL,
        from "pte/valid/external-constants" => |file| file.scalar(&first("data_buffer_idx"), 77_u32);

    /// No file has the constant's data, so the constant has no memory, and kernels that use it fail.
    reject "pte/external/missing": "name that no data file contains" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"wait-1");

    /// A reader that ignores the missing data starts with uninitialized memory as the tensor's value.
    reject "pte/external/mutable-missing": "mutable tensor name that no data file contains"
        breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-mutable" => |file| file.elements(SECOND_NAME, 0, b"wait-1");

    /// A reader that only tests whether a key begins with the name returns the wrong tensor.
    reject "pte/external/name-begins-a-key": "name that is a prefix of a key" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants" => |file| file.shorten(&first("extra_tensor_info.fully_qualified_name"), 5);

    /// The key is `weight`, but the name is `WEIGHT`. A case-insensitive comparison finds the wrong tensor.
    reject "pte/external/name-in-capitals": "name in upper case" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"WEIGHT");

    /// A program's named data has no layouts, so it cannot supply the tensor, even if one of its keys is the tensor's name.
    reject "pte/external/only-in-program": "name only in the program's own named data" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"inside");

    /// The blob has the right size but no layout, so a reader that checks only the size uses bytes of unknown type.
    reject "pte/external/opaque-blob": "name of a blob without a layout" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"opaque");

    /// The program expects integers, but the data file has floats of the same width. A reader that compares only sizes
    /// gets wrong values.
    reject "pte/external/scalar-type-differs": "scalar type that differs from the data file"
        breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.scalar(&first("scalar_type"), 3_i8);

    /// The program expects doubles, but the data file has floats. A reader that compares only the shapes reads past the
    /// data.
    reject "pte/external/scalar-type-wider": "scalar type wider than in the data file" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.scalar(&first("scalar_type"), 7_i8);

    /// The program expects 1024 rows, but the data file has two, so kernels read past the data.
    reject "pte/external/larger-than-data": "sizes larger than in the data file" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.elements(&first("sizes"), 0, 1024_i32);

    /// The program expects 3 × 2, but the data file has 2 × 3, so comparing the number of elements or bytes is not enough.
    reject "pte/external/sizes-swapped": "sizes in a different order than in the data file"
        breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.elements(&first("sizes"), 0, [3_i32, 2]);

    /// The program expects one dimension, but the data file has two. A reader that compares only as many sizes as the
    /// program has accepts the pair.
    reject "pte/external/rank-differs": "fewer dimensions than in the data file" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| {
            file.count(&first("sizes"), 1);
            file.count(&first("dim_order"), 1);
        };

    /// The sizes agree, but a reader that does not compare `dim_order` swaps rows and columns.
    reject "pte/external/dim-order-differs": "dim_order that differs from the data file"
        breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.elements(&first("dim_order"), 0, &[1, 0]);

    /// The program expects integers, but the data file has floats. A reader must check mutable tensors just like constants.
    reject "pte/external/mutable-layout-differs": "mutable tensor with a scalar type that differs from the data file"
        breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-mutable" => |file| file.scalar("execution_plan[0].values[4].val.scalar_type", 3_i8);

    /// Only the second constant is larger than the data, so checking a name only at its first use is not enough.
    reject "pte/external/name-twice-larger": "two constants with one name, the second larger than the data"
        breaks rules::X_EXTERNAL_SAME_FQN, from "pte/valid/external-name-twice"
        => |file| file.elements("execution_plan[0].values[4].val.sizes", 0, 1024_i32);

    /// The second constant needs 48 bytes, but the data file has 24, so a reader must check a name each time it is used.
    reject "pte/external/name-twice-other-type": "two constants with one name and different scalar types"
        breaks rules::X_EXTERNAL_SAME_FQN,
        from "pte/valid/external-name-twice" => |file| file.scalar("execution_plan[0].values[4].val.scalar_type", 4_i8);

    /// A reader that checks each name only once lets the second method's kernels read past the data.
    reject "pte/external/name-in-two-methods-differs": "two methods with different sizes for one name"
        breaks rules::X_EXTERNAL_SAME_FQN, from "pte/valid/external-in-two-methods"
        => |file| file.elements("execution_plan[1].values[0].val.sizes", 0, 1024_i32);

    /// Setting the input overwrites bytes of the data file, which other programs may use, or faults if the memory is
    /// read-only.
    reject "pte/external/constant-as-input": "input that is an external constant" breaks program::PLAN_INPUTS_NONCONST,
        from "pte/valid/external-constants" => |file| file.elements("execution_plan[0].inputs", 0, 0_i32);

    /// The loading order would decide which entry a look-up returns, so a reader must not combine the two files.
    reject "pte/external/key-in-program-and-data": "tensor key in the program and in the data file"
        breaks named_data::ND_CROSS_FILE_UNIQUE,
        from "pte/valid/external-constants" => |file| file.elements("named_data[0].key", 0, b"weight");

    /// Both entries are blobs rather than tensors. A reader has to compare the keys of blobs, too.
    reject "pte/external/blob-in-program-and-data": "blob key in the program and in the data file"
        breaks named_data::ND_CROSS_FILE_UNIQUE,
        from "pte/valid/external-constants" => |file| file.elements("named_data[0].key", 0, b"opaque");

    /// Each file is valid alone, but if both are loaded, the loading order decides which entry a look-up returns.
    reject "pte/external/key-in-two-data-files": "key in two data files" breaks named_data::ND_CROSS_FILE_UNIQUE,
        from "pte/valid/external-in-two-files", with ["ptd/valid/external", "ptd/valid/external-weight"]
        => |file| file.elements(SECOND_NAME, 0, b"weight");
}

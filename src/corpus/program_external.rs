//! Cases about a program and the data files loaded with it.

use super::{cases, program_base as base};
use crate::rules::{companions as rules, flat_tensor, named_data, program, tensors};

/// The first of two external constants, `weight`; the other, `second`, is value 4.
const FIRST: &str = "execution_plan[0].values[0].val";
const SECOND_NAME: &str = "execution_plan[0].values[4].val.extra_tensor_info.fully_qualified_name";

fn first(field: &str) -> alloc::string::String {
    alloc::format!("{FIRST}.{field}")
}

cases! {
    /// The file contains a program's weights and one blob without a layout. A reader that expects a layout in every
    /// entry dereferences a null pointer.
    build "ptd/valid/external": "tensors for a program and an opaque blob" shows flat_tensor::FT_LAYOUT_OPTIONAL
        => || base::external_data(&["weight", "second"], &["opaque"]);

    /// A data file may contain only part of what a program needs; this one has `weight`. A reader that loads only one
    /// data file does not find the second name.
    build "ptd/valid/external-weight": "first of two weights" shows flat_tensor::FT_LAYOUT_FITS_SEGMENT
        => || base::external_data(&["weight"], &[]);

    /// The tensor `second` has index 0 in its own file. A reader that joins data files by index instead of name, or
    /// loads segment 0 of the first file, returns the wrong tensor.
    build "ptd/valid/external-second": "second of two weights" shows flat_tensor::FT_LAYOUT_FITS_SEGMENT
        => || base::external_data(&["second"], &[]);

    /// One tensor has no elements and an empty segment, for which loaders may return a null pointer. A reader that
    /// treats the null pointer as a failure, or the empty segment as an overlap, rejects the file.
    build "ptd/valid/external-empty": "tensors for a program, one without elements" shows flat_tensor::FT_SEG_NO_OVERLAP
        => base::external_data_without_elements;

    /// The program finds its constants by name in a data file, and it also has a named blob of its own. The program is
    /// a valid file but cannot run without the data file.
    build "pte/valid/external-constants": "constants in a data file" shows rules::X_EXTERNAL_FOUND,
        with ["ptd/valid/external"] => base::external_constants;

    /// Each of two data files contains one of the program's two names. A reader that stops after the first file, or
    /// requires every name in each file, rejects the method.
    build "pte/valid/external-in-two-files": "constants in two data files" shows named_data::ND_CROSS_FILE_UNIQUE,
        with ["ptd/valid/external-weight", "ptd/valid/external-second"] => base::external_constants;

    /// The data file has the legacy layout of release 0.6.0: the same identifier, but other tables. A reader that
    /// supports both layouts must find the names in either.
    accept "pte/valid/external-in-older-file": "constants in a legacy data file"
        shows tensors::T_EXTERNAL_LAYOUT_MATCH,
        from "pte/valid/external-constants", with ["ptd-legacy/valid/tensors"] => |file| {
            file.elements(SECOND_NAME, 0, b"tied\0");
            file.count(SECOND_NAME, 4);
        };

    /// The constant has a name, a layout and an empty segment, which is large enough for no elements. A reader that
    /// treats a null address as a missing tensor rejects the method.
    accept "pte/valid/external-without-elements": "external constant of no elements" shows tensors::T_EXTERNAL_SIZE,
        from "pte/valid/external-constants", with ["ptd/valid/external-empty"]
        => |file| file.elements("execution_plan[0].values[4].val.sizes", 0, &[0; 4]);

    /// A tensor with an external name and planned memory starts as a copy of the file's bytes. A reader that lets the
    /// method write to the file's bytes changes these bytes for every other program.
    build "pte/valid/external-mutable": "tensor of a data file copied into planned memory"
        shows rules::X_EXTERNAL_MUTABLE,
        with ["ptd/valid/external"] => base::external_mutable;

    /// Writers emit tied weights this way: both tensors use the same blob. A reader that treats the second use of a
    /// name as an error rejects the program.
    accept "pte/valid/external-name-twice": "two constants with one name and layout" shows rules::X_EXTERNAL_SAME_FQN,
        from "pte/valid/external-constants" => |file| file.elements(SECOND_NAME, 0, b"weight");

    /// Each of the two methods looks up the names. A reader that returns a blob only once, or frees it with the first
    /// method, breaks the other method.
    build "pte/valid/external-in-two-methods": "two methods with the same external constants"
        shows rules::X_EXTERNAL_SAME_FQN, with ["ptd/valid/external"] => base::external_methods;

    /// A constant with external data may have any `data_buffer_idx`. A reader that checks the index before the data
    /// location rejects the program.
    accept "pte/valid/external-with-buffer-index": "external constant with a buffer index" shows tensors::T_EXTERNAL,
        from "pte/valid/external-constants" => |file| file.scalar(&first("data_buffer_idx"), 77_u32);

    /// No data file contains the name. A reader that continues has a tensor of six elements without memory, and the
    /// kernel fails.
    reject "pte/external/missing": "name that no data file has" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"wait-1");

    /// No data file contains the name, but the tensor has planned memory. A reader that continues runs without a
    /// fault and uses uninitialized memory as the initial state.
    reject "pte/external/mutable-missing": "mutable tensor name that no data file has" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-mutable" => |file| file.elements(SECOND_NAME, 0, b"wait-1");

    /// The name is a prefix of a key, but no key equals it. A lookup that compares only up to the shorter length finds
    /// the key.
    reject "pte/external/name-begins-a-key": "name that is a prefix of a key" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants" => |file| {
            let name = first("extra_tensor_info.fully_qualified_name");
            file.elements(&name, 5, &[0]);
            file.count(&name, 5);
        };

    /// Names are bytes, so `WEIGHT` differs from `weight`. A reader that ignores case finds the wrong tensor, whose
    /// layout matches.
    reject "pte/external/name-in-capitals": "name in capitals" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"WEIGHT");

    /// The name exists only in the program's named data, which has no layouts. A reader that searches both places finds
    /// 24 bytes, the tensor's size, and uses them as the tensor.
    reject "pte/external/only-in-program": "name only in the program's own named data" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"inside");

    /// The named blob has no layout but has the tensor's size, 24 bytes. A reader that checks only the size uses
    /// bytes of unknown type as weights.
    reject "pte/external/opaque-blob": "name of a blob without a layout" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"opaque");

    /// The program declares integers, and the data file has floats of the same width. Every size matches, and every
    /// value is wrong.
    reject "pte/external/scalar-type-differs": "scalar type other than the data file's"
        breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.scalar(&first("scalar_type"), 3_i8);

    /// The program declares doubles, and the data file has floats. The tensor is twice as long as its data, so a reader
    /// that compares only shapes reads past the data.
    reject "pte/external/scalar-type-wider": "scalar type wider than the data file's" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.scalar(&first("scalar_type"), 7_i8);

    /// The program declares 1024 rows (12 KiB), and the data file has two rows (24 bytes). A reader that does not
    /// compare layouts lets kernels read past the blob.
    reject "pte/external/larger-than-data": "sizes larger than the data file's" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("sizes"), 0, &1024_i32.to_le_bytes());

    /// The program declares 3 × 2 and the data file 2 × 3. Element and byte counts match, so a reader that compares
    /// only these counts computes with the wrong rows.
    reject "pte/external/sizes-swapped": "sizes in another order than the data file's" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| {
            let sizes = [3_i32, 2].map(i32::to_le_bytes);
            file.elements(&first("sizes"), 0, sizes.as_flattened());
        };

    /// The program declares one dimension less than the data file. A loop over the program's dimensions finds equal
    /// sizes.
    reject "pte/external/rank-differs": "fewer dimensions than the data file's" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| {
            file.count(&first("sizes"), 1);
            file.count(&first("dim_order"), 1);
        };

    /// Sizes, type and byte count match, but the order of dimensions differs. A reader that ignores the order reads
    /// columns as rows.
    reject "pte/external/dim-order-differs": "dim_order other than the data file's" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.elements(&first("dim_order"), 0, &[1, 0]);

    /// The program declares four-byte integers and the data file has floats. The copy has the right size but the
    /// wrong values. A comparison of constants alone misses it.
    reject "pte/external/mutable-layout-differs": "mutable tensor with a scalar type other than the data file's"
        breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-mutable" => |file| file.scalar("execution_plan[0].values[4].val.scalar_type", 3_i8);

    /// Two tensors share a name, and the second is larger than the data. A reader that compares only the first use
    /// of a name reads far past the blob.
    reject "pte/external/name-twice-larger": "second constant of a name larger than the first"
        breaks rules::X_EXTERNAL_SAME_FQN,
        from "pte/valid/external-name-twice"
        => |file| file.elements("execution_plan[0].values[4].val.sizes", 0, &1024_i32.to_le_bytes());

    /// The second tensor of the name reads 24 bytes of floats as six 8-byte integers, 48 bytes. A reader that compares
    /// only the first use of a name misses the difference.
    reject "pte/external/name-twice-other-type": "second constant of a name with another type"
        breaks rules::X_EXTERNAL_SAME_FQN,
        from "pte/valid/external-name-twice" => |file| file.scalar("execution_plan[0].values[4].val.scalar_type", 4_i8);

    /// The second method declares 1024 rows for a name that has two rows in the first method. A reader that compares
    /// each name once per program lets kernels read 12 KiB of a 24-byte blob.
    reject "pte/external/name-in-two-methods-differs": "two methods with different sizes for one name"
        breaks rules::X_EXTERNAL_SAME_FQN,
        from "pte/valid/external-in-two-methods"
        => |file| file.elements("execution_plan[1].values[0].val.sizes", 0, &1024_i32.to_le_bytes());

    /// The constant has memory, so a caller can set it as an input. That overwrites the data file's bytes for every
    /// other program, or faults on a read-only mapping.
    reject "pte/external/constant-as-input": "input that is an external constant" breaks program::PLAN_INPUTS_NONCONST,
        from "pte/valid/external-constants"
        => |file| file.elements("execution_plan[0].inputs", 0, &0_i32.to_le_bytes());

    /// The program's named data and the data file share a key. The load order of the files decides whose blob a lookup
    /// finds.
    reject "pte/external/key-in-program-and-data": "tensor key in the program and in the data file"
        breaks named_data::ND_CROSS_FILE_UNIQUE,
        from "pte/valid/external-constants" => |file| file.elements("named_data[0].key", 0, b"weight");

    /// Both files contain the key without a layout, so a search for tensors does not find the key. The load order
    /// decides which blob a backend gets.
    reject "pte/external/blob-in-program-and-data": "blob key in the program and in the data file"
        breaks named_data::ND_CROSS_FILE_UNIQUE,
        from "pte/valid/external-constants" => |file| file.elements("named_data[0].key", 0, b"opaque");

    /// Two data files share a key, so the load order decides whose blob a lookup finds. The program and each data file
    /// are valid alone.
    reject "pte/external/key-in-two-data-files": "key in two data files" breaks named_data::ND_CROSS_FILE_UNIQUE,
        from "pte/valid/external-in-two-files", with ["ptd/valid/external", "ptd/valid/external-weight"]
        => |file| file.elements(SECOND_NAME, 0, b"weight");
}

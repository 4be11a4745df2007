//! A program and the data files that are loaded with it.

use super::{cases, program_base as base};
use crate::rules::{companions as rules, flat_tensor, named_data, program, tensors};

/// The first of two external constants, called `weight`; the other is value 4, called `second`.
const FIRST: &str = "execution_plan[0].values[0].val";
const SECOND_NAME: &str = "execution_plan[0].values[4].val.extra_tensor_info.fully_qualified_name";

fn first(field: &str) -> alloc::string::String {
    alloc::format!("{FIRST}.{field}")
}

cases! {
    /// The weights of a program, in a file of their own, and beside them a blob that is no tensor. A reader that asks
    /// every entry for its layout follows a null pointer at the blob.
    build "ptd/valid/external": "tensors for a program, and an opaque blob" shows flat_tensor::FT_LAYOUT_OPTIONAL
        => || base::external_data(&["weight", "second"], &["opaque"]);

    /// A data file need not have all that a program wants: this one has `weight` and is complete in itself. A reader
    /// that loads one data file with a program stops at the other name.
    build "ptd/valid/external-weight": "the first of two weights" shows flat_tensor::FT_LAYOUT_FITS_SEGMENT
        => || base::external_data(&["weight"], &[]);

    /// The tensor `second` is at index 0 of its own file. A reader that joins data files and keeps indexes in place of
    /// names, or loads segment 0 of the first file for it, hands out another tensor.
    build "ptd/valid/external-second": "the second of two weights" shows flat_tensor::FT_LAYOUT_FITS_SEGMENT
        => || base::external_data(&["second"], &[]);

    /// A tensor of no elements beside another, in a segment of no bytes, where loaders may answer null. A reader that
    /// takes that for a failure, or the segment for one that overlaps, refuses the file.
    build "ptd/valid/external-empty": "tensors for a program, one without elements" shows flat_tensor::FT_SEG_NO_OVERLAP
        => base::external_data_without_elements;

    /// A program whose constants are in a data file, under their names, and which has a named blob of its own beside
    /// them. The program alone is complete as a file and cannot be run.
    build "pte/valid/external-constants": "constants in a data file" shows rules::X_EXTERNAL_FOUND,
        with ["ptd/valid/external"] => base::external_constants;

    /// Each of two data files has one of the program's two names. A reader that takes the first file's answer for the
    /// last word, or wants every name in each file, refuses the method.
    build "pte/valid/external-in-two-files": "constants in two data files" shows named_data::ND_CROSS_FILE_UNIQUE,
        with ["ptd/valid/external-weight", "ptd/valid/external-second"] => base::external_constants;

    /// The data file has the layout of release 0.6.0, which has the same identifier and other tables. A reader that has
    /// both layouts must find the names in either.
    accept "pte/valid/external-in-older-file": "constants in a data file of the older layout"
        shows tensors::T_EXTERNAL_LAYOUT_MATCH,
        from "pte/valid/external-constants", with ["ptd-legacy/valid/tensors"] => |file| {
            file.elements(SECOND_NAME, 0, b"tied\0");
            file.count(SECOND_NAME, 4);
        };

    /// A constant of no elements has a name, a layout, and a segment of no bytes, which is as long as it has to be. A
    /// reader that takes a null address for a tensor that was not found refuses the method.
    accept "pte/valid/external-without-elements": "external constant of no elements" shows tensors::T_EXTERNAL_SIZE,
        from "pte/valid/external-constants", with ["ptd/valid/external-empty"]
        => |file| file.elements("execution_plan[0].values[4].val.sizes", 0, &[0; 4]);

    /// A tensor with a name in a data file and a place in planned memory begins as a copy of the file's bytes. A reader
    /// that lets the method write to the file's own bytes changes them for every other program.
    build "pte/valid/external-mutable": "data file's tensor copied into planned memory" shows rules::X_EXTERNAL_MUTABLE,
        with ["ptd/valid/external"] => base::external_mutable;

    /// Two tensors of one name and one layout are the same blob twice, as tied weights are written. A reader that takes
    /// a second use of a name for a mistake refuses them.
    accept "pte/valid/external-name-twice": "two constants with one name and layout" shows rules::X_EXTERNAL_SAME_FQN,
        from "pte/valid/external-constants" => |file| file.elements(SECOND_NAME, 0, b"weight");

    /// Two methods with the same constants, and each looks its own names up. A reader that hands out a blob once, or
    /// frees it with the method that loaded it, leaves the other without.
    build "pte/valid/external-in-two-methods": "two methods with the same external constants"
        shows rules::X_EXTERNAL_SAME_FQN, with ["ptd/valid/external"] => base::external_methods;

    /// An index into the program's own constants means nothing to a tensor whose data are elsewhere, and may be any
    /// number. A reader that compares it before it looks where the data are refuses the program.
    accept "pte/valid/external-with-buffer-index": "external constant with a buffer index" shows tensors::T_EXTERNAL,
        from "pte/valid/external-constants" => |file| file.scalar(&first("data_buffer_idx"), 77_u32);

    /// No data file has the name. A reader that goes on without has a tensor of six elements and no memory, which shows
    /// when a kernel adds it.
    reject "pte/external/missing": "name that no data file has" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"wait-1");

    /// The tensor has its place in planned memory whatever the data files hold, so a reader that goes on runs without a
    /// fault: with an initial state that is what memory held.
    reject "pte/external/mutable-missing": "mutable tensor's name that no data file has" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-mutable" => |file| file.elements(SECOND_NAME, 0, b"wait-1");

    /// A name that a key begins with, and no key is. A comparison of as many bytes as the shorter one has finds it.
    reject "pte/external/name-begins-a-key": "name that a longer key begins with" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants" => |file| {
            let name = first("extra_tensor_info.fully_qualified_name");
            file.elements(&name, 5, &[0]);
            file.count(&name, 5);
        };

    /// Names are bytes, and `WEIGHT` is another than `weight`. A reader that folds case finds a tensor that was not
    /// asked for, and with a layout that agrees.
    reject "pte/external/name-in-capitals": "name in capitals" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"WEIGHT");

    /// The name is a key of the program's own named data, which have no layouts. A reader that looks names up in both
    /// places finds 24 bytes there, as many as the tensor has, and runs on them.
    reject "pte/external/only-in-program": "name of the program's own named data alone" breaks rules::X_EXTERNAL_FOUND,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"inside");

    /// The name is a blob's that has no layout. It is 24 bytes long, as is the tensor, so a reader that goes by the
    /// length takes bytes for weights that nobody called floats.
    reject "pte/external/opaque-blob": "name of a blob without a layout" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("extra_tensor_info.fully_qualified_name"), 0, b"opaque");

    /// Integers of as many bytes as the floats that the data file has: every size agrees, and no value is right.
    reject "pte/external/scalar-type-differs": "element type other than the data file's"
        breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.scalar(&first("scalar_type"), 3_i8);

    /// Doubles where the data file has floats: with equal sizes the tensor is twice as long as its data, and a reader
    /// that compares shapes alone reads as many bytes again from behind them.
    reject "pte/external/scalar-type-wider": "element type wider than the data file's" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.scalar(&first("scalar_type"), 7_i8);

    /// 1024 rows where the data file has two: 12 KiB over a blob of 24 bytes. The program decides how far kernels read,
    /// so without a comparison of the layouts nothing in it is wrong.
    reject "pte/external/larger-than-data": "sizes larger than the data file's" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants"
        => |file| file.elements(&first("sizes"), 0, &1024_i32.to_le_bytes());

    /// Three rows of two where the data file has two of three. Elements and bytes agree in number, so a reader that
    /// compares these alone multiplies with rows that were never written so.
    reject "pte/external/sizes-swapped": "sizes in another order than the data file's" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| {
            let sizes = [3_i32, 2].map(i32::to_le_bytes);
            file.elements(&first("sizes"), 0, sizes.as_flattened());
        };

    /// One dimension less: a comparison of as many sizes as the program has finds them equal.
    reject "pte/external/rank-differs": "fewer dimensions than the data file's" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| {
            file.count(&first("sizes"), 1);
            file.count(&first("dim_order"), 1);
        };

    /// Sizes, type and bytes agree, and the order of the dimensions does not: a reader that leaves it out of the
    /// comparison reads columns as rows, and every number is in range.
    reject "pte/external/dim-order-differs": "dim_order other than the data file's" breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-constants" => |file| file.elements(&first("dim_order"), 0, &[1, 0]);

    /// Four-byte integers where the data file has floats: the copy into planned memory has the right size, and the
    /// state begins as other numbers. A comparison of constants alone does not come by.
    reject "pte/external/mutable-layout-differs": "mutable tensor's element type other than the data file's"
        breaks rules::X_EXTERNAL_LAYOUT,
        from "pte/valid/external-mutable" => |file| file.scalar("execution_plan[0].values[4].val.scalar_type", 3_i8);

    /// Two tensors of one name, of which the second is larger than the data. A reader that remembers names it has
    /// compared lets the second pass, and reads far past the blob.
    reject "pte/external/name-twice-larger": "second constant of a name larger than the first"
        breaks rules::X_EXTERNAL_SAME_FQN,
        from "pte/valid/external-name-twice"
        => |file| file.elements("execution_plan[0].values[4].val.sizes", 0, &1024_i32.to_le_bytes());

    /// The second tensor of the name reads 24 bytes of floats as six integers of eight, 48 bytes. A reader that
    /// compares a name with its layout at the first use only never looks at it.
    reject "pte/external/name-twice-other-type": "second constant of a name of another type"
        breaks rules::X_EXTERNAL_SAME_FQN,
        from "pte/valid/external-name-twice" => |file| file.scalar("execution_plan[0].values[4].val.scalar_type", 4_i8);

    /// The second method has 1024 rows under a name that has two in the first. A reader that keeps one list of names
    /// for the program takes the second use for compared, and kernels read 12 KiB of a blob of 24 bytes.
    reject "pte/external/name-in-two-methods-differs": "two methods with other sizes for one name"
        breaks rules::X_EXTERNAL_SAME_FQN,
        from "pte/valid/external-in-two-methods"
        => |file| file.elements("execution_plan[1].values[0].val.sizes", 0, &1024_i32.to_le_bytes());

    /// The constant's data file is given, so it has an address: setting the input writes the caller's bytes over the
    /// file's, for every other program that has it in memory, or faults on a mapping.
    reject "pte/external/constant-as-input": "input that is an external constant" breaks program::PLAN_INPUTS_NONCONST,
        from "pte/valid/external-constants"
        => |file| file.elements("execution_plan[0].inputs", 0, &0_i32.to_le_bytes());

    /// A key of the program's own named data is a tensor's in the data file: which of the two a look-up finds depends
    /// on the order in which the files were given.
    reject "pte/external/key-in-program-and-data": "key in the program and in the data file"
        breaks named_data::ND_CROSS_FILE_UNIQUE,
        from "pte/valid/external-constants" => |file| file.elements("named_data[0].key", 0, b"weight");

    /// The key is in both files, in neither with a layout, so a search for tensors does not come by. Which of the blobs
    /// a backend gets depends on the order in which the files were given.
    reject "pte/external/blob-in-program-and-data": "blob's key in the program and in the data file"
        breaks named_data::ND_CROSS_FILE_UNIQUE,
        from "pte/valid/external-constants" => |file| file.elements("named_data[0].key", 0, b"opaque");

    /// Two data files with one key: which of them a look-up finds depends on the order in which they were given. The
    /// program itself is right, and so is each of the files.
    reject "pte/external/key-in-two-data-files": "key in two data files" breaks named_data::ND_CROSS_FILE_UNIQUE,
        from "pte/valid/external-in-two-files", with ["ptd/valid/external", "ptd/valid/external-weight"]
        => |file| file.elements(SECOND_NAME, 0, b"weight");
}

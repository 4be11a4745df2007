//! A program's values: their types, and lists that refer to other values.

use super::{Edit, cases, program_base as base};
use crate::rules::{envelope, values as rules};

/// Sets an item of the IntList.
fn int_item(file: &mut Edit, index: usize, item: i64) {
    file.elements("execution_plan[0].values[8].val.items", 8 * index, &item.to_le_bytes());
}

/// Sets an item of the TensorList.
fn tensor_item(file: &mut Edit, index: usize, item: i32) {
    file.elements("execution_plan[0].values[11].val.items", 4 * index, &item.to_le_bytes());
}

/// Sets an item of the OptionalTensorList.
fn optional_item(file: &mut Edit, index: usize, item: i32) {
    file.elements("execution_plan[0].values[12].val.items", 4 * index, &item.to_le_bytes());
}

cases! {
    /// A value of every type that there is, each list with items, and behind the lists an integer, a tensor and a Null
    /// that they do not refer to. A reader must step over the types that it has no use for.
    build "pte/valid/every-value": "a value of every type" shows rules::VAL_TYPE_KNOWN => base::every_value;

    /// A Null has no fields, so its value may be left out: the type says all there is to say. Readers that ask every
    /// value for its table refuse it.
    accept "pte/valid/null-without-table": "Null without a table" shows rules::VAL_NONNULL,
        from "pte/valid/every-value" => |file| file.own_slot("execution_plan[0].values[15]", 1, 0);

    /// A list of no items is a list: what must be there is the vector, which may be empty. Readers that ask for a first
    /// item read past it.
    build "pte/valid/empty-lists": "five lists without items" shows rules::VAL_LIST_ITEMS_NONNULL => base::empty_lists;

    /// Lists of three thousand items, which a reader allocates for before it reads them. The lengths are right and must
    /// be accepted wherever there is memory; whether a reader looks at what its allocator answered shows where there is
    /// not.
    build "pte/valid/long-lists": "lists of 3 000 items" shows rules::VAL_LIST_ALLOC => base::long_lists;

    /// A string of no letters is there, and empty. Readers that take the empty string for an absent one refuse it.
    accept "pte/valid/empty-string-value": "empty string" shows rules::VAL_STRING_NONNULL,
        from "pte/valid/every-value" => |file| {
            file.elements("execution_plan[0].values[7].val.string_val", 0, &[0]);
            file.count("execution_plan[0].values[7].val.string_val", 0);
        };

    /// Items of an IntList are looked up when the list is used, so they may stand behind it in the list of values. Only
    /// lists of tensors must not refer forward.
    accept "pte/valid/int-list-forward": "IntList with a later integer" shows rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 1, 13);

    /// A missing tensor is −1 or a value of type Null. A reader that knows only one of the two refuses what exporters
    /// write.
    accept "pte/valid/optional-tensors-all-missing": "nothing but missing tensors"
        shows rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, -1);

    /// Not a number is a number like any other to the format, payload and sign included. Readers that pass values
    /// through JSON lose it.
    accept "pte/valid/double-nan": "Double that is NaN" shows rules::VAL_DOUBLE,
        from "pte/valid/every-value" => |file| {
            file.scalar("execution_plan[0].values[6].val.double_val", 0x7ff8_0000_0000_0000_u64);
        };

    /// Masks are filled with minus infinity. Readers that pass values through JSON have no number for it.
    accept "pte/valid/double-minus-infinity": "Double that is −∞" shows rules::VAL_DOUBLE,
        from "pte/valid/every-value" => |file| {
            file.scalar("execution_plan[0].values[6].val.double_val", f64::NEG_INFINITY.to_bits());
        };

    /// The same inside a list: not a number with sign and payload, and infinity.
    accept "pte/valid/double-list-nan-and-infinity": "DoubleList of NaN and ∞" shows rules::VAL_DOUBLE,
        from "pte/valid/every-value" => |file| {
            file.elements("execution_plan[0].values[9].val.items", 0, &0xfff8_0000_0000_0123_u64.to_le_bytes());
            file.elements("execution_plan[0].values[9].val.items", 8, &f64::INFINITY.to_le_bytes());
        };

    /// The smallest integer there is: it has no positive counterpart, and no exact double.
    accept "pte/valid/int-min": "Int −2^63" shows rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[3].val.int_val", i64::MIN);

    /// A value of no type and no content is a hole in the list. A reader that leaves its slot as it was reads what
    /// memory held.
    reject "pte/values/no-type-and-no-value": "value of neither type nor content" breaks rules::VAL_NONNULL,
        from "pte/valid/null-without-table" => |file| file.scalar("execution_plan[0].values[15].val_type", 0_u8);

    /// The first number past the known types: a newer writer's type, whose content this reader cannot know.
    reject "pte/values/type-12": "value type 12" breaks rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[7].val_type", 12_u8);

    /// Verifiers follow the content of known types only, so behind this number nobody has checked anything.
    reject "pte/values/type-255": "value type 255" breaks rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[7].val_type", u8::MAX);

    /// An IntList without items: its length is read through a null pointer.
    reject "pte/values/int-list-items-absent": "IntList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[8].val", 0, 0);

    /// The same of a DoubleList, whose items are used in place: a null pointer goes to the kernel.
    reject "pte/values/double-list-items-absent": "DoubleList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[9].val", 0, 0);

    /// The same of a BoolList.
    reject "pte/values/bool-list-items-absent": "BoolList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[10].val", 0, 0);

    /// The same of a TensorList, which a reader that checks the indexes goes through before anything is loaded.
    reject "pte/values/tensor-list-items-absent": "TensorList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[11].val", 0, 0);

    /// The same of an OptionalTensorList: an absent item is −1, an absent list is nothing.
    reject "pte/values/optional-tensor-list-items-absent": "OptionalTensorList without items"
        breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[12].val", 0, 0);

    /// A String without letters and without a vector for them: pointer and length are both read through a null pointer.
    reject "pte/values/string-absent": "String without string_val" breaks rules::VAL_STRING_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#16162"]
        => |file| file.own_slot("execution_plan[0].values[7].val", 0, 0);

    /// A list length whose bytes, at eight an item, wrap to 0 in 32 bits: readers allocate nothing, and fill it. This
    /// is how far a file can express CVE-2025-54952, since a list of so many items that are there would take 4 GiB; the
    /// vector reaches past the program.
    reject "pte/values/int-list-length-wraps": "IntList of 2^29 items, of which 2 are there"
        breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs ["CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"]
        => |file| file.count("execution_plan[0].values[8].val.items", 1 << 29);

    /// A length that takes an allocator's pointer past the end of the address space and back to the front:
    /// CVE-2025-30404, as far as a small file can express it.
    reject "pte/values/tensor-list-length-max": "TensorList of 2^32 − 1 items" breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs ["CVE-2025-30404", "GHSA-hj95-mhgf-jxc4"]
        => |file| file.count("execution_plan[0].values[11].val.items", u32::MAX);

    /// The first index that is not there. Items are places of integers, not integers.
    reject "pte/values/int-list-item-past-end": "IntList item one past the values" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| int_item(file, 0, 16);

    /// Minus one is a missing tensor in another kind of list; here it is the value in front of the first.
    reject "pte/values/int-list-item-minus-1": "IntList item −1" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, -1);

    /// An index that is 3 once it is cut to 32 bits: items of these lists have 64.
    reject "pte/values/int-list-item-narrows": "IntList item 2^32 + 3" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value"
        => |file| int_item(file, 0, (1 << 32) + 3);

    /// An index that, times the size of a value, wraps to the first value.
    reject "pte/values/int-list-item-min": "IntList item −2^63" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 1, i64::MIN);

    /// An integer that is a tensor: the kernel that unpacks the list takes a pointer for a number, or stops the
    /// process.
    reject "pte/values/int-list-item-is-tensor": "IntList item that is a Tensor" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 0);

    /// A double is a number, and not an integer: its bits are another one.
    reject "pte/values/int-list-item-is-double": "IntList item that is a Double" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 6);

    /// A list that contains itself.
    reject "pte/values/int-list-of-itself": "IntList item that is the list" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 8);

    /// The first index that is not there: the reader copies a tensor from behind its table.
    reject "pte/values/tensor-list-item-past-end": "TensorList item one past the values"
        breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"]
        => |file| tensor_item(file, 1, 16);

    /// Minus one is a missing tensor in an OptionalTensorList only.
    reject "pte/values/tensor-list-item-minus-1": "TensorList item −1" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"]
        => |file| tensor_item(file, 0, -1);

    /// An integer where a tensor has to be: its value becomes the pointer to the tensor's description.
    reject "pte/values/tensor-list-item-is-int": "TensorList item that is an Int" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"]
        => |file| tensor_item(file, 0, 3);

    /// A Null stands for a missing tensor, which only an OptionalTensorList may have.
    reject "pte/values/tensor-list-item-is-null": "TensorList item that is Null" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| tensor_item(file, 0, 4);

    /// A list that contains itself: while it is read, its own slot has not been written.
    reject "pte/values/tensor-list-of-itself": "TensorList item that is the list" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| tensor_item(file, 0, 11);

    /// A tensor that stands behind the list. The runtime reads values in order and copies the tensors when it comes to
    /// the list: from memory that nothing was written to yet, so that the outcome depends on what lay there.
    reject "pte/values/tensor-list-forward": "TensorList with a later tensor" breaks rules::VAL_LIST_ORDER,
        from "pte/valid/every-value" => |file| tensor_item(file, 1, 14);

    /// The same of a list that may lack tensors, which the program's verification does not go through.
    reject "pte/values/optional-tensor-list-forward": "OptionalTensorList with a later tensor"
        breaks rules::VAL_LIST_ORDER,
        from "pte/valid/every-value" => |file| optional_item(file, 0, 14);

    /// A missing tensor that is a later Null: it is looked at as early as a tensor would be.
    reject "pte/values/optional-tensor-list-forward-null": "OptionalTensorList with a later Null"
        breaks rules::VAL_LIST_ORDER,
        from "pte/valid/every-value" => |file| optional_item(file, 2, 15);

    /// Minus one is the one negative number with a meaning.
    reject "pte/values/optional-tensor-list-item-minus-2": "OptionalTensorList item −2"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 1, -2);

    /// The first index that is not there.
    reject "pte/values/optional-tensor-list-item-past-end": "OptionalTensorList item one past the values"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, 16);

    /// The largest number there is, which every reader that adds one to it wraps.
    reject "pte/values/optional-tensor-list-item-max": "OptionalTensorList item 2^31 − 1"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, i32::MAX);

    /// A bool where a tensor or nothing has to be.
    reject "pte/values/optional-tensor-list-item-is-bool": "OptionalTensorList item that is a Bool"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, 5);

    /// A list of bools is used in place. An item that is neither 0 nor 1 is undefined behaviour to the compiled code
    /// that reads it as a bool: it can be true and false at once.
    either "pte/values/bool-list-item-2": "BoolList item 2" about rules::VAL_BOOLLIST,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].values[10].val.items", 1, &[2]);
}

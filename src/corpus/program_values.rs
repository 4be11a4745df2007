//! A program's values: their types, and lists that refer to other values.

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::{envelope, values as rules};

/// Sets an item of the IntList.
fn int_item(file: &mut Patcher<'_>, index: usize, item: i64) {
    file.elements("execution_plan[0].values[8].val.items", 8 * index, &item.to_le_bytes());
}

/// Sets an item of the TensorList.
fn tensor_item(file: &mut Patcher<'_>, index: usize, item: i32) {
    file.elements("execution_plan[0].values[11].val.items", 4 * index, &item.to_le_bytes());
}

/// Sets an item of the OptionalTensorList.
fn optional_item(file: &mut Patcher<'_>, index: usize, item: i32) {
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

    /// An IntList keeps where its integers stand and reads them when it is used, so they may stand behind it. A reader
    /// that carries the rule of tensor lists over to it refuses right files.
    accept "pte/valid/int-list-forward": "IntList with a later integer" shows rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 1, 13);

    /// A missing tensor is −1 or a value of type Null. A reader that knows only one of the two refuses what exporters
    /// write.
    accept "pte/valid/optional-tensors-all-missing": "nothing but missing tensors"
        shows rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, -1);

    /// Not a number is a number like any other to the format. A reader that goes through JSON has no way to write it,
    /// and one that compares a value with itself to see whether it was read never ends up equal.
    accept "pte/valid/double-nan": "Double that is NaN" shows rules::VAL_DOUBLE,
        from "pte/valid/every-value" => |file| {
            file.scalar("execution_plan[0].values[6].val.double_val", 0x7ff8_0000_0000_0000_u64);
        };

    /// Masks are filled with minus infinity. Readers that pass values through JSON have no number for it.
    accept "pte/valid/double-minus-infinity": "Double that is −∞" shows rules::VAL_DOUBLE,
        from "pte/valid/every-value" => |file| {
            file.scalar("execution_plan[0].values[6].val.double_val", f64::NEG_INFINITY.to_bits());
        };

    /// A list of floats is used in place, so NaN keeps its sign and payload. Readers that go through JSON have no
    /// number for NaN or infinity, and one that compares its copy by value finds NaN unequal to itself.
    accept "pte/valid/double-list-nan-and-infinity": "DoubleList of NaN and ∞" shows rules::VAL_DOUBLE,
        from "pte/valid/every-value" => |file| {
            file.elements("execution_plan[0].values[9].val.items", 0, &0xfff8_0000_0000_0123_u64.to_le_bytes());
            file.elements("execution_plan[0].values[9].val.items", 8, &f64::INFINITY.to_le_bytes());
        };

    /// The smallest integer there is has no positive counterpart: a reader that takes off the sign before it goes on,
    /// as to print the digits, overflows.
    accept "pte/valid/int-min": "Int −2^63" shows rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[3].val.int_val", i64::MIN);

    /// A value of no type and no content is a hole in the table. No verifier asks for either, and a reader that leaves
    /// the slot as it was later takes what memory held for a value.
    reject "pte/values/no-type-and-no-value": "value of neither type nor content" breaks rules::VAL_NONNULL,
        from "pte/valid/null-without-table" => |file| file.scalar("execution_plan[0].values[15].val_type", 0_u8);

    /// The first number past the known types, as a newer writer may have. A reader that steps over it leaves its slot
    /// unset, and lists and instructions index that like any other.
    reject "pte/values/type-12": "value type 12" breaks rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[7].val_type", 12_u8);

    /// Verifiers follow the content of known types only, so behind this number nobody has checked anything. As an index
    /// into a table of types it is far past the end.
    reject "pte/values/type-255": "value type 255" breaks rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[7].val_type", u8::MAX);

    /// An IntList's items are copied, with their number for the size of the copy. That number is read through a null
    /// pointer, and whatever is there is what gets allocated.
    reject "pte/values/int-list-items-absent": "IntList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[8].val", 0, 0);

    /// A DoubleList is handed to kernels where it stands. Without items, the pointer that they get is made from a null
    /// one, and the length is read from there.
    reject "pte/values/double-list-items-absent": "DoubleList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[9].val", 0, 0);

    /// An empty list has a vector of no bools; this one has none, and its length is read through a null pointer.
    /// Nothing is copied, so no allocation fails before the kernel uses it.
    reject "pte/values/bool-list-items-absent": "BoolList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[10].val", 0, 0);

    /// A reader that verifies the items of such lists when it opens the program is the first to ask for their number,
    /// so the verification itself follows the null pointer.
    reject "pte/values/tensor-list-items-absent": "TensorList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[11].val", 0, 0);

    /// An item that is missing is −1; a list that is missing is nothing. A verification that knows TensorLists alone
    /// leaves it to whoever prepares the method, who reads the number of items through a null pointer.
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

    /// The method has sixteen values, and the item is 16: a fine integer to a reader that takes items for the integers
    /// themselves. They are the places of integers, and this one is behind the table.
    reject "pte/values/int-list-item-past-end": "IntList item one past the values" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| int_item(file, 0, 16);

    /// −1 is a missing tensor in an OptionalTensorList, and nothing in a list of integers: with its sign it is below
    /// the number of values, and the integer is read in front of the first.
    reject "pte/values/int-list-item-minus-1": "IntList item −1" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, -1);

    /// Items have 64 bits. Cut to 32 this one is 3, the place of an integer, so a reader that narrows before it
    /// compares accepts the file and reads the right number.
    reject "pte/values/int-list-item-narrows": "IntList item 2^32 + 3" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value"
        => |file| int_item(file, 0, (1 << 32) + 3);

    /// With its sign, −2^63 is below the number of values. Times the size of a value, an even number, it wraps to 0:
    /// the integer is read from the first value, which is a tensor.
    reject "pte/values/int-list-item-min": "IntList item −2^63" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 1, i64::MIN);

    /// An integer that is a tensor: the kernel that unpacks the list takes a pointer for a number, or stops the
    /// process.
    reject "pte/values/int-list-item-is-tensor": "IntList item that is a Tensor" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 0);

    /// The double is 0.1, whose bits are the integer 4 591 870 180 066 957 722. The place is in range, so only a reader
    /// that asks for the type when a kernel unpacks the list can tell.
    reject "pte/values/int-list-item-is-double": "IntList item that is a Double" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 6);

    /// The list is its own first item. Its place is in range, and a reader that does not ask for the type unpacks the
    /// address of the list's items as an integer.
    reject "pte/values/int-list-of-itself": "IntList item that is the list" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 8);

    /// The method has sixteen values and the item is 16, which a comparison that allows the count passes: a tensor's
    /// pointer is copied from behind the table.
    reject "pte/values/tensor-list-item-past-end": "TensorList item one past the values"
        breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"]
        => |file| tensor_item(file, 1, 16);

    /// −1 is a missing tensor in an OptionalTensorList only. In a list where none may be missing, the reader copies a
    /// tensor from in front of its table.
    reject "pte/values/tensor-list-item-minus-1": "TensorList item −1" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"]
        => |file| tensor_item(file, 0, -1);

    /// An integer where a tensor has to be: its value becomes the pointer to the tensor's description.
    reject "pte/values/tensor-list-item-is-int": "TensorList item that is an Int" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"]
        => |file| tensor_item(file, 0, 3);

    /// A Null stands for a missing tensor, which only an OptionalTensorList may have. A reader with one piece of code
    /// for both leaves a hole, and the kernel follows a null pointer.
    reject "pte/values/tensor-list-item-is-null": "TensorList item that is Null" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| tensor_item(file, 0, 4);

    /// The list is its own first item. While its tensors are copied its slot has not been written, so one of them is
    /// whatever memory held, unless a verification before that has asked for types.
    reject "pte/values/tensor-list-of-itself": "TensorList item that is the list" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| tensor_item(file, 0, 11);

    /// The tensor is value 14 and the list value 11. A reader that fills its table in order and copies tensors when it
    /// comes to a list copies from memory that nothing was written to yet: the outcome depends on what lay there.
    reject "pte/values/tensor-list-forward": "TensorList with a later tensor" breaks rules::VAL_LIST_ORDER,
        from "pte/valid/every-value" => |file| tensor_item(file, 1, 14);

    /// The tensor is value 14 and the list value 12. Whether it is given at all is decided by its type, which is read
    /// before anything was written there; a verification that knows TensorLists alone does not come by.
    reject "pte/values/optional-tensor-list-forward": "OptionalTensorList with a later tensor"
        breaks rules::VAL_LIST_ORDER,
        from "pte/valid/every-value" => |file| optional_item(file, 0, 14);

    /// The missing tensor is a Null at place 15, behind the list, and is looked at when its slot holds nothing yet. A
    /// reader whose memory begins as zeros may take that for a Null and be right by accident.
    reject "pte/values/optional-tensor-list-forward-null": "OptionalTensorList with a later Null"
        breaks rules::VAL_LIST_ORDER,
        from "pte/valid/every-value" => |file| optional_item(file, 2, 15);

    /// A reader that takes every negative item for a missing tensor accepts it. One that asks for −1 alone and compares
    /// the rest with its sign copies a tensor from two places in front of the first value.
    reject "pte/values/optional-tensor-list-item-minus-2": "OptionalTensorList item −2"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 1, -2);

    /// The method has sixteen values and the item is 16, which a comparison that allows the count passes: whether there
    /// is a tensor, and which, is told by the bytes behind the table.
    reject "pte/values/optional-tensor-list-item-past-end": "OptionalTensorList item one past the values"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, 16);

    /// A reader that adds 1, so that a missing tensor is 0 and one comparison does for all, wraps to −2^31: below the
    /// number of values, and two billion places in front of them.
    reject "pte/values/optional-tensor-list-item-max": "OptionalTensorList item 2^31 − 1"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, i32::MAX);

    /// Value 5 is a bool. A reader that takes all that is no tensor for a missing one drops it without a word; one that
    /// takes all that is not Null for a tensor has a byte for its pointer.
    reject "pte/values/optional-tensor-list-item-is-bool": "OptionalTensorList item that is a Bool"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, 5);

    /// A list of bools is used in place. An item that is neither 0 nor 1 is undefined behaviour to the compiled code
    /// that reads it as a bool: it can be true and false at once.
    either "pte/values/bool-list-item-2": "BoolList item 2" about rules::VAL_BOOLLIST,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].values[10].val.items", 1, &[2]);
}

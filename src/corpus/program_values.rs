//! Cases about a program's values: their types, and lists that refer to other values.

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::{flatbuffer, values as rules};

fn int_item(file: &mut Patcher<'_>, index: usize, item: i64) {
    file.elements("execution_plan[0].values[8].val.items", 8 * index, item);
}

fn tensor_item(file: &mut Patcher<'_>, index: usize, item: i32) {
    file.elements("execution_plan[0].values[11].val.items", 4 * index, item);
}

fn optional_item(file: &mut Patcher<'_>, index: usize, item: i32) {
    file.elements("execution_plan[0].values[12].val.items", 4 * index, item);
}

cases! {
    /// The instructions use only a few of these values, but a reader must know all of their types.
    build "pte/valid/every-value": "value of every type" shows rules::VAL_TYPE_KNOWN => base::every_value;

    /// A Null has no fields, so the runtime accepts one without a table. No official writer omits the table, and
    /// verifiers that require content for every type reject the file.
    either "pte/valid/null-without-table": "Null without a table" about rules::VAL_NULL_TABLE,
        from "pte/valid/every-value" => |file| file.own_slot("execution_plan[0].values[15]", 1, 0);

    /// A reader that takes the first item of one of these lists without a check reads past the end of the list.
    build "pte/valid/empty-lists": "five lists without items" shows rules::VAL_LIST_ITEMS_NONNULL => base::empty_lists;

    /// If memory runs out, a reader must report the failed allocation instead of crashing.
    build "pte/valid/long-lists": "lists of 3 000 items" shows rules::VAL_LIST_ALLOC => base::long_lists;

    /// A reader that treats an empty string as absent rejects the file.
    accept "pte/valid/empty-string-value": "empty String value" shows rules::VAL_STRING_NONNULL,
        from "pte/valid/every-value" => |file| file.shorten("execution_plan[0].values[7].val.string_val", 0);

    /// An IntList's items are resolved when an instruction uses the list, so they may follow it in `values`. Only
    /// tensor lists must follow their items.
    accept "pte/valid/int-list-forward": "IntList that refers to a later integer" shows rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 1, 13);

    /// An absent tensor is either −1 or the index of a Null. A reader must support both.
    accept "pte/valid/optional-tensors-all-missing": "OptionalTensorList without tensors"
        shows rules::VAL_OPTTENSORLIST_INDICES, from "pte/valid/every-value" => |file| optional_item(file, 0, -1);

    /// JSON has no NaN, and NaN is not equal to itself, so tools must encode and compare this value in another way.
    accept "pte/valid/double-nan": "Double NaN" shows rules::VAL_DOUBLE, from "pte/valid/every-value"
        => |file| file.scalar("execution_plan[0].values[6].val.double_val", 0x7ff8_0000_0000_0000_u64);

    /// Exporters write −∞ into masks. JSON cannot represent it, so tools need another encoding.
    accept "pte/valid/double-minus-infinity": "Double −∞" shows rules::VAL_DOUBLE, from "pte/valid/every-value"
        => |file| file.scalar("execution_plan[0].values[6].val.double_val", f64::NEG_INFINITY.to_bits());

    /// A reader must keep all bits of the NaN, and it cannot write either item as a JSON number.
    accept "pte/valid/double-list-nan-and-infinity": "DoubleList with NaN and ∞" shows rules::VAL_DOUBLE,
        from "pte/valid/every-value" => |file| {
            file.elements("execution_plan[0].values[9].val.items", 0, 0xfff8_0000_0000_0123_u64);
            file.elements("execution_plan[0].values[9].val.items", 8, f64::INFINITY.to_bits());
        };

    /// Code that negates the value, for example to print it, overflows.
    accept "pte/valid/int-min": "Int −2^63" shows rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[3].val.int_val", i64::MIN);

    /// FlatBuffers verifiers accept a missing type. A reader that skips the value leaves its slot uninitialized.
    reject "pte/values/no-type-and-no-value": "value without type and content" breaks rules::VAL_NONNULL,
        from "pte/valid/every-value" => |file| {
            file.own_slot("execution_plan[0].values[15]", 1, 0);
            file.scalar("execution_plan[0].values[15].val_type", 0_u8);
        };

    /// The last known type is 11. A reader that skips the value leaves it uninitialized for the instructions that use it.
    reject "pte/values/type-12": "value type 12" breaks rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[7].val_type", 12_u8);

    /// A reader that uses 255 as an index goes past its own list of types, and verifiers skip values of unknown types.
    reject "pte/values/type-255": "value type 255" breaks rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[7].val_type", u8::MAX);

    /// An empty list needs an empty vector. If the vector is absent, a reader that counts its items dereferences null.
    reject "pte/values/int-list-items-absent": "IntList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[8].val", 0, 0);

    /// Readers pass the list to kernels in place, so it is a kernel that can dereference null.
    reject "pte/values/double-list-items-absent": "DoubleList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[9].val", 0, 0);

    /// Nothing copies a BoolList, so nobody notices the absent items until a kernel uses them.
    reject "pte/values/bool-list-items-absent": "BoolList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[10].val", 0, 0);

    /// A reader that checks every item, but not whether there are items at all, dereferences null.
    reject "pte/values/tensor-list-items-absent": "TensorList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[11].val", 0, 0);

    /// A reader that checks only TensorLists for absent items misses this list.
    reject "pte/values/optional-tensor-list-items-absent": "OptionalTensorList without items"
        breaks rules::VAL_LIST_ITEMS_NONNULL, from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[12].val", 0, 0);

    /// A reader that takes the length of the absent string dereferences null.
    reject "pte/values/string-absent": "String without string_val" breaks rules::VAL_STRING_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#16162"]
        => |file| file.own_slot("execution_plan[0].values[7].val", 0, 0);

    /// In 32-bit arithmetic, the size of 2^29 eight-byte items wraps to 0, so every item is written past an empty allocation.
    reject "pte/values/int-list-length-wraps": "IntList that declares 2^29 items but has 2"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs ["CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"]
        => |file| file.count("execution_plan[0].values[8].val.items", 1 << 29);

    /// An allocation for this many items can overflow in the allocator's own arithmetic.
    reject "pte/values/tensor-list-length-max": "TensorList that declares 2^32 − 1 items"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs ["CVE-2025-30404", "GHSA-hj95-mhgf-jxc4"]
        => |file| file.count("execution_plan[0].values[11].val.items", u32::MAX);

    /// Items are indices into 16 values, so 16 is past the end. A reader that uses the items as the integers themselves
    /// accepts 16.
    reject "pte/values/int-list-item-past-end": "IntList item one past the values" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"] => |file| int_item(file, 0, 16);

    /// Only an OptionalTensorList may use −1. If only the upper limit is checked, −1 passes, and the reader takes an
    /// integer from the memory before the values.
    reject "pte/values/int-list-item-minus-1": "IntList item −1" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, -1);

    /// Items have 64 bits. A reader that truncates this one to 32 bits gets 3, a valid index.
    reject "pte/values/int-list-item-narrows": "IntList item 2^32 + 3" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, (1 << 32) + 3);

    /// Read as a signed integer, the item is below every count. Multiplied by the size of a value, it wraps to 0.
    reject "pte/values/int-list-item-min": "IntList item −2^63" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 1, i64::MIN);

    /// A reader that does not check the item's type uses the tensor's pointer as an integer.
    reject "pte/values/int-list-item-is-tensor": "IntList item that is a Tensor" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 0);

    /// A reader that does not check the item's type uses the bits of 0.1 as an integer.
    reject "pte/values/int-list-item-is-double": "IntList item that is a Double" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 6);

    /// A reader that does not check the item's type uses the address of the list's own items as an integer.
    reject "pte/values/int-list-of-itself": "IntList item that refers to its own IntList" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 8);

    /// The item is 16, but only values 0 to 15 exist. A reader whose check is off by one copies a tensor from the
    /// memory after the values.
    reject "pte/values/tensor-list-item-past-end": "TensorList item one past the values"
        breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"] => |file| tensor_item(file, 1, 16);

    /// Only an OptionalTensorList may use −1. If only the upper limit is checked, −1 passes, and the reader copies a
    /// tensor from the memory before the values.
    reject "pte/values/tensor-list-item-minus-1": "TensorList item −1" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"] => |file| tensor_item(file, 0, -1);

    /// A reader that does not check the item's type uses the integer as a pointer to a tensor.
    reject "pte/values/tensor-list-item-is-int": "TensorList item that is an Int" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"] => |file| tensor_item(file, 0, 3);

    /// Only an OptionalTensorList may have absent items. A reader with one check for both list types hands null to a kernel.
    reject "pte/values/tensor-list-item-is-null": "TensorList item that is Null" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| tensor_item(file, 0, 4);

    /// A reader that does not check the item's type copies the list as a tensor before the list is initialized.
    reject "pte/values/tensor-list-of-itself": "TensorList item that refers to its own TensorList"
        breaks rules::VAL_TENSORLIST_INDICES, from "pte/valid/every-value" => |file| tensor_item(file, 0, 11);

    /// Readers initialize values in order, and a list copies its tensors, so this later tensor is not initialized yet.
    reject "pte/values/tensor-list-forward": "TensorList that refers to a later tensor" breaks rules::VAL_LIST_ORDER,
        from "pte/valid/every-value" => |file| tensor_item(file, 1, 14);

    /// The tensor is not initialized yet. A reader that checks the order only for TensorLists misses this.
    reject "pte/values/optional-tensor-list-forward": "OptionalTensorList that refers to a later tensor"
        breaks rules::VAL_LIST_ORDER, from "pte/valid/every-value" => |file| optional_item(file, 0, 14);

    /// The Null is not initialized yet, so even a check of its type reads an uninitialized value.
    reject "pte/values/optional-tensor-list-forward-null": "OptionalTensorList that refers to a later Null"
        breaks rules::VAL_LIST_ORDER, from "pte/valid/every-value" => |file| optional_item(file, 2, 15);

    /// Only −1 means an absent tensor. Any other negative item is outside the values.
    reject "pte/values/optional-tensor-list-item-minus-2": "OptionalTensorList item −2"
        breaks rules::VAL_OPTTENSORLIST_INDICES, from "pte/valid/every-value" => |file| optional_item(file, 1, -2);

    /// The item is 16, but only values 0 to 15 exist. A reader whose check is off by one copies whatever comes after them.
    reject "pte/values/optional-tensor-list-item-past-end": "OptionalTensorList item one past the values"
        breaks rules::VAL_OPTTENSORLIST_INDICES, from "pte/valid/every-value" => |file| optional_item(file, 0, 16);

    /// A reader that adds 1 to the item gets −2^31, which is below every count.
    reject "pte/values/optional-tensor-list-item-max": "OptionalTensorList item 2^31 − 1"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, i32::MAX);

    /// Items are tensors or absent. A reader that treats every other type as absent silently drops the Bool.
    reject "pte/values/optional-tensor-list-item-is-bool": "OptionalTensorList item that is a Bool"
        breaks rules::VAL_OPTTENSORLIST_INDICES, from "pte/valid/every-value" => |file| optional_item(file, 0, 5);

    /// Readers pass the list to kernels in place, and in C++, a bool with the value 2 is undefined behavior.
    either "pte/values/bool-list-item-2": "BoolList item 2" about rules::VAL_BOOLLIST,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].values[10].val.items", 1, &[2]);
}

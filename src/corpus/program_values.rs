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
    /// The instructions use only a few of the values, but a reader must know every type.
    build "pte/valid/every-value": "value of every type" shows rules::VAL_TYPE_KNOWN => base::every_value;

    /// A Null has no fields, so the runtime accepts it. No official writer does this, and verifiers that require
    /// content for every type reject the file.
    either "pte/valid/null-without-table": "Null without a table" about rules::VAL_NULL_TABLE,
        from "pte/valid/every-value" => |file| file.own_slot("execution_plan[0].values[15]", 1, 0);

    /// A reader that reads the first item of one of these lists without a check goes past its end.
    build "pte/valid/empty-lists": "five lists without items" shows rules::VAL_LIST_ITEMS_NONNULL => base::empty_lists;

    /// With too little memory, a reader must report the failed allocation instead of crashing.
    build "pte/valid/long-lists": "lists of 3 000 items" shows rules::VAL_LIST_ALLOC => base::long_lists;

    /// A reader that treats an empty string as absent rejects the file.
    accept "pte/valid/empty-string-value": "empty String value" shows rules::VAL_STRING_NONNULL,
        from "pte/valid/every-value" => |file| file.shorten("execution_plan[0].values[7].val.string_val", 0);

    /// An IntList's items are resolved when an instruction uses it, so they may come later. Only tensor lists must come
    /// after their items.
    accept "pte/valid/int-list-forward": "IntList that refers to a later integer" shows rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 1, 13);

    /// −1 and the index of a Null both mean an absent tensor, and both must work.
    accept "pte/valid/optional-tensors-all-missing": "OptionalTensorList without tensors"
        shows rules::VAL_OPTTENSORLIST_INDICES, from "pte/valid/every-value" => |file| optional_item(file, 0, -1);

    /// JSON has no NaN, and NaN is not equal to itself, so tools need another encoding and comparison.
    accept "pte/valid/double-nan": "Double NaN" shows rules::VAL_DOUBLE, from "pte/valid/every-value"
        => |file| file.scalar("execution_plan[0].values[6].val.double_val", 0x7ff8_0000_0000_0000_u64);

    /// Exporters write −∞ in masks. JSON cannot represent it, so tools need another encoding.
    accept "pte/valid/double-minus-infinity": "Double −∞" shows rules::VAL_DOUBLE, from "pte/valid/every-value"
        => |file| file.scalar("execution_plan[0].values[6].val.double_val", f64::NEG_INFINITY.to_bits());

    /// A reader must keep all bits of the NaN, and JSON can represent neither item.
    accept "pte/valid/double-list-nan-and-infinity": "DoubleList with NaN and ∞" shows rules::VAL_DOUBLE,
        from "pte/valid/every-value" => |file| {
            file.elements("execution_plan[0].values[9].val.items", 0, 0xfff8_0000_0000_0123_u64);
            file.elements("execution_plan[0].values[9].val.items", 8, f64::INFINITY.to_bits());
        };

    /// Negating the value, for example to print it, overflows.
    accept "pte/valid/int-min": "Int −2^63" shows rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[3].val.int_val", i64::MIN);

    /// Verifiers accept a missing type. A reader that skips the value leaves its slot uninitialized.
    reject "pte/values/no-type-and-no-value": "value without type and content" breaks rules::VAL_NONNULL,
        from "pte/valid/every-value" => |file| {
            file.own_slot("execution_plan[0].values[15]", 1, 0);
            file.scalar("execution_plan[0].values[15].val_type", 0_u8);
        };

    /// 12 is the first unknown type. A reader that skips the value leaves it uninitialized for the instructions.
    reject "pte/values/type-12": "value type 12" breaks rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[7].val_type", 12_u8);

    /// Used as an index, the type points past the reader's own list, and verifiers skip values with unknown types.
    reject "pte/values/type-255": "value type 255" breaks rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[7].val_type", u8::MAX);

    /// An empty list has an empty vector. Counting an absent one's items dereferences null.
    reject "pte/values/int-list-items-absent": "IntList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[8].val", 0, 0);

    /// The list is passed to kernels in place, so it is a kernel that can dereference null.
    reject "pte/values/double-list-items-absent": "DoubleList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[9].val", 0, 0);

    /// Nothing copies a BoolList, so the absent items have no effect until a kernel uses them.
    reject "pte/values/bool-list-items-absent": "BoolList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[10].val", 0, 0);

    /// A reader that checks each item, but not whether there are items at all, dereferences null.
    reject "pte/values/tensor-list-items-absent": "TensorList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[11].val", 0, 0);

    /// A check that covers only the TensorList misses this list.
    reject "pte/values/optional-tensor-list-items-absent": "OptionalTensorList without items"
        breaks rules::VAL_LIST_ITEMS_NONNULL, from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[12].val", 0, 0);

    /// Reading the absent string's length dereferences null.
    reject "pte/values/string-absent": "String without string_val" breaks rules::VAL_STRING_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#16162"]
        => |file| file.own_slot("execution_plan[0].values[7].val", 0, 0);

    /// In 32-bit arithmetic, 2^29 eight-byte items wrap to 0, so every item is written past an empty allocation.
    reject "pte/values/int-list-length-wraps": "IntList that declares 2^29 items but has 2"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs ["CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"]
        => |file| file.count("execution_plan[0].values[8].val.items", 1 << 29);

    /// Allocating memory for this many items can overflow the allocator's own arithmetic.
    reject "pte/values/tensor-list-length-max": "TensorList that declares 2^32 − 1 items"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs ["CVE-2025-30404", "GHSA-hj95-mhgf-jxc4"]
        => |file| file.count("execution_plan[0].values[11].val.items", u32::MAX);

    /// Items are indices, and with 16 values, 16 is past the end. A reader that mistakes the items for the integers
    /// accepts 16.
    reject "pte/values/int-list-item-past-end": "IntList item one past the values" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"] => |file| int_item(file, 0, 16);

    /// Only an OptionalTensorList may use −1, which passes every upper limit. An unchecked reader takes an integer from
    /// the memory before the values.
    reject "pte/values/int-list-item-minus-1": "IntList item −1" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, -1);

    /// Items have 64 bits. Truncated to 32 bits, this one is 3, a valid index.
    reject "pte/values/int-list-item-narrows": "IntList item 2^32 + 3" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, (1 << 32) + 3);

    /// As a signed integer, the item is below every count, and multiplied by a value's size it wraps to 0.
    reject "pte/values/int-list-item-min": "IntList item −2^63" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 1, i64::MIN);

    /// Unless the type is checked, the tensor's pointer becomes an integer.
    reject "pte/values/int-list-item-is-tensor": "IntList item that is a Tensor" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 0);

    /// Unless the type is checked, the bits of 0.1 become an integer.
    reject "pte/values/int-list-item-is-double": "IntList item that is a Double" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 6);

    /// Unless the type is checked, the address of the list's own items becomes an integer.
    reject "pte/values/int-list-of-itself": "IntList item that refers to its own IntList" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 8);

    /// The item is 16, but there are only 16 values. A reader with an off-by-one check copies a tensor from the memory
    /// after them.
    reject "pte/values/tensor-list-item-past-end": "TensorList item one past the values"
        breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"] => |file| tensor_item(file, 1, 16);

    /// Only an OptionalTensorList may use −1, which passes every upper limit. An unchecked reader copies a tensor from
    /// the memory before the values.
    reject "pte/values/tensor-list-item-minus-1": "TensorList item −1" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"] => |file| tensor_item(file, 0, -1);

    /// Unless the type is checked, the integer becomes a pointer to a tensor.
    reject "pte/values/tensor-list-item-is-int": "TensorList item that is an Int" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"] => |file| tensor_item(file, 0, 3);

    /// Only an OptionalTensorList may have absent items. A reader with one check for both hands null to a kernel.
    reject "pte/values/tensor-list-item-is-null": "TensorList item that is Null" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| tensor_item(file, 0, 4);

    /// Unless the type is checked, the list is copied as a tensor before it is initialized.
    reject "pte/values/tensor-list-of-itself": "TensorList item that refers to its own TensorList"
        breaks rules::VAL_TENSORLIST_INDICES, from "pte/valid/every-value" => |file| tensor_item(file, 0, 11);

    /// Values are initialized in order and a list copies its tensors, so this later tensor is not initialized yet.
    reject "pte/values/tensor-list-forward": "TensorList that refers to a later tensor" breaks rules::VAL_LIST_ORDER,
        from "pte/valid/every-value" => |file| tensor_item(file, 1, 14);

    /// The tensor is not initialized yet. A check that covers only the TensorList misses this order.
    reject "pte/values/optional-tensor-list-forward": "OptionalTensorList that refers to a later tensor"
        breaks rules::VAL_LIST_ORDER, from "pte/valid/every-value" => |file| optional_item(file, 0, 14);

    /// The Null is not initialized yet, so even asking for its type reads an uninitialized value.
    reject "pte/values/optional-tensor-list-forward-null": "OptionalTensorList that refers to a later Null"
        breaks rules::VAL_LIST_ORDER, from "pte/valid/every-value" => |file| optional_item(file, 2, 15);

    /// Only −1 means absent. Any other negative item is outside the values.
    reject "pte/values/optional-tensor-list-item-minus-2": "OptionalTensorList item −2"
        breaks rules::VAL_OPTTENSORLIST_INDICES, from "pte/valid/every-value" => |file| optional_item(file, 1, -2);

    /// The item is 16, but there are only 16 values, so a reader with an off-by-one check copies what comes after them.
    reject "pte/values/optional-tensor-list-item-past-end": "OptionalTensorList item one past the values"
        breaks rules::VAL_OPTTENSORLIST_INDICES, from "pte/valid/every-value" => |file| optional_item(file, 0, 16);

    /// Adding 1 to the item wraps to −2^31, which is below every count.
    reject "pte/values/optional-tensor-list-item-max": "OptionalTensorList item 2^31 − 1"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, i32::MAX);

    /// Items are tensors or absent. A reader that treats everything else as absent silently drops the Bool.
    reject "pte/values/optional-tensor-list-item-is-bool": "OptionalTensorList item that is a Bool"
        breaks rules::VAL_OPTTENSORLIST_INDICES, from "pte/valid/every-value" => |file| optional_item(file, 0, 5);

    /// The list is passed to kernels in place, and in C++ a bool of 2 is undefined behavior.
    either "pte/values/bool-list-item-2": "BoolList item 2" about rules::VAL_BOOLLIST,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].values[10].val.items", 1, &[2]);
}

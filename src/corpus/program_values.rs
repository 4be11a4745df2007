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
    /// The file is valid: its method has a value of every type. The instructions use only a few of these values, but a
    /// reader must support every type.
    build "pte/valid/every-value": "value of every type" shows rules::VAL_TYPE_KNOWN => base::every_value;

    /// A Null value has no table. The runtime accepts this, because a Null has no fields, but no official writer does it, and verifiers
    /// that require content for every type of a union reject the file.
    either "pte/valid/null-without-table": "Null without a table" about rules::VAL_NULL_TABLE,
        from "pte/valid/every-value" => |file| file.own_slot("execution_plan[0].values[15]", 1, 0);

    /// The file is valid: its five lists have no items. If a reader reads the first item of a list without a check, it
    /// reads past the list.
    build "pte/valid/empty-lists": "five lists without items" shows rules::VAL_LIST_ITEMS_NONNULL => base::empty_lists;

    /// The file is valid: its lists have 3 000 items. A reader with too little memory must report the failed allocation
    /// instead of crashing.
    build "pte/valid/long-lists": "lists of 3 000 items" shows rules::VAL_LIST_ALLOC => base::long_lists;

    /// The String value is empty, which is valid. A reader that treats an empty string as absent rejects the file.
    accept "pte/valid/empty-string-value": "empty String value" shows rules::VAL_STRING_NONNULL,
        from "pte/valid/every-value" => |file| file.shorten("execution_plan[0].values[7].val.string_val", 0);

    /// An item of the IntList refers to a value that comes after the list. The file is valid, because readers resolve
    /// the items of an IntList only when an instruction uses the list. Only lists of tensors must come after their
    /// items.
    accept "pte/valid/int-list-forward": "IntList that refers to a later integer" shows rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 1, 13);

    /// The file is valid: each item of the OptionalTensorList is −1 or the index of a Null, so all tensors are absent.
    /// A reader must support both encodings of an absent tensor.
    accept "pte/valid/optional-tensors-all-missing": "OptionalTensorList without tensors"
        shows rules::VAL_OPTTENSORLIST_INDICES, from "pte/valid/every-value" => |file| optional_item(file, 0, -1);

    /// A Double is NaN, which is valid. JSON cannot represent NaN, and NaN is not equal to itself, so tools need a
    /// different encoding and comparison.
    accept "pte/valid/double-nan": "Double NaN" shows rules::VAL_DOUBLE, from "pte/valid/every-value"
        => |file| file.scalar("execution_plan[0].values[6].val.double_val", 0x7ff8_0000_0000_0000_u64);

    /// A Double is −∞, which is valid. Exporters write −∞ in masks. JSON cannot represent infinity, so tools need a
    /// different encoding.
    accept "pte/valid/double-minus-infinity": "Double −∞" shows rules::VAL_DOUBLE, from "pte/valid/every-value"
        => |file| file.scalar("execution_plan[0].values[6].val.double_val", f64::NEG_INFINITY.to_bits());

    /// The file is valid: the items of the DoubleList are NaN and ∞. A reader must preserve all bits of the NaN. JSON
    /// cannot represent NaN or ∞.
    accept "pte/valid/double-list-nan-and-infinity": "DoubleList with NaN and ∞" shows rules::VAL_DOUBLE,
        from "pte/valid/every-value" => |file| {
            file.elements("execution_plan[0].values[9].val.items", 0, 0xfff8_0000_0000_0123_u64);
            file.elements("execution_plan[0].values[9].val.items", 8, f64::INFINITY.to_bits());
        };

    /// An Int is −2^63, which is valid. If a reader negates the value, for example to print it, the negation overflows.
    accept "pte/valid/int-min": "Int −2^63" shows rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[3].val.int_val", i64::MIN);

    /// The value has neither a type nor content. FlatBuffers verifiers accept the value. A reader that skips the value
    /// leaves the value's slot uninitialized.
    reject "pte/values/no-type-and-no-value": "value without type and content" breaks rules::VAL_NONNULL,
        from "pte/valid/every-value" => |file| {
            file.own_slot("execution_plan[0].values[15]", 1, 0);
            file.scalar("execution_plan[0].values[15].val_type", 0_u8);
        };

    /// The value's type is 12, the first unknown type. A reader must reject the file. If a reader skips the value,
    /// instructions can use an uninitialized value.
    reject "pte/values/type-12": "value type 12" breaks rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[7].val_type", 12_u8);

    /// The value's type is 255. If a reader uses the type as an index without a check, it reads past its list of types.
    /// FlatBuffers verifiers do not check values of unknown types.
    reject "pte/values/type-255": "value type 255" breaks rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[7].val_type", u8::MAX);

    /// The IntList has no field `items`. An empty list must be present as an empty vector. If a reader reads the number of items
    /// without a null check, it dereferences a null pointer.
    reject "pte/values/int-list-items-absent": "IntList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[8].val", 0, 0);

    /// The DoubleList has no field `items`. An empty list must be present as an empty vector. Readers pass this list to kernels
    /// without a copy, so a kernel can dereference a null pointer.
    reject "pte/values/double-list-items-absent": "DoubleList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[9].val", 0, 0);

    /// The BoolList has no field `items`. An empty list must be present as an empty vector. Readers do not copy a BoolList, so
    /// the absent field has no effect until a kernel uses the BoolList.
    reject "pte/values/bool-list-items-absent": "BoolList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[10].val", 0, 0);

    /// The TensorList has no field `items`. An empty list must be present as an empty vector. If a reader checks the items but
    /// does not check that the vector exists, it dereferences a null pointer.
    reject "pte/values/tensor-list-items-absent": "TensorList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[11].val", 0, 0);

    /// The OptionalTensorList has no field `items`. An empty list must be present as an empty vector. A check that covers only
    /// TensorLists does not detect the missing items.
    reject "pte/values/optional-tensor-list-items-absent": "OptionalTensorList without items"
        breaks rules::VAL_LIST_ITEMS_NONNULL, from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[12].val", 0, 0);

    /// The String has no field `string_val`. If a reader reads the string's length without a null check, it
    /// dereferences a null pointer.
    reject "pte/values/string-absent": "String without string_val" breaks rules::VAL_STRING_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#16162"]
        => |file| file.own_slot("execution_plan[0].values[7].val", 0, 0);

    /// The count of the IntList's items is 2^29, but the IntList has two items. In 32-bit arithmetic, the count times 8
    /// wraps to 0, so a reader can write all items past an empty allocation.
    reject "pte/values/int-list-length-wraps": "IntList that declares 2^29 items but has 2"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs ["CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"]
        => |file| file.count("execution_plan[0].values[8].val.items", 1 << 29);

    /// The count of the TensorList's items is 2^32 − 1, more than the file contains. A reader that allocates memory for
    /// this count can overflow the allocator's address arithmetic.
    reject "pte/values/tensor-list-length-max": "TensorList that declares 2^32 − 1 items"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs ["CVE-2025-30404", "GHSA-hj95-mhgf-jxc4"]
        => |file| file.count("execution_plan[0].values[11].val.items", u32::MAX);

    /// An item of the IntList is 16, but the method has 16 values. Items of an IntList are indices of values. A reader
    /// that treats the items as the integers of the list accepts the file.
    reject "pte/values/int-list-item-past-end": "IntList item one past the values" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"] => |file| int_item(file, 0, 16);

    /// An item of the IntList is −1, but only an OptionalTensorList may have absent items. If a reader checks only the
    /// upper limit, it reads an integer from the memory in front of the list of values.
    reject "pte/values/int-list-item-minus-1": "IntList item −1" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, -1);

    /// An item of the IntList is 2^32 + 3. If a reader truncates the 64-bit item to 32 bits before the comparison, it
    /// gets 3, a valid index.
    reject "pte/values/int-list-item-narrows": "IntList item 2^32 + 3" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, (1 << 32) + 3);

    /// An item of the IntList is −2^63. As a signed integer, the item is negative and therefore less than the number of
    /// values. The item times the size of a value wraps to 0.
    reject "pte/values/int-list-item-min": "IntList item −2^63" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 1, i64::MIN);

    /// An item of the IntList is the index of a Tensor. If a reader does not check the type, it uses the tensor's
    /// pointer as an integer.
    reject "pte/values/int-list-item-is-tensor": "IntList item that is a Tensor" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 0);

    /// An item of the IntList is the index of a Double. If a reader does not check the type, it uses the bits of the
    /// Double, 0.1, as an integer.
    reject "pte/values/int-list-item-is-double": "IntList item that is a Double" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 6);

    /// An item of the IntList is the index of this IntList. If a reader does not check the type, it uses the address of
    /// the list's items as an integer.
    reject "pte/values/int-list-of-itself": "IntList item that refers to its own IntList" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 8);

    /// An item of the TensorList is 16, but the method has 16 values. A reader with an off-by-one check copies a tensor
    /// from the memory after the list of values.
    reject "pte/values/tensor-list-item-past-end": "TensorList item one past the values"
        breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"] => |file| tensor_item(file, 1, 16);

    /// An item of the TensorList is −1, but only an OptionalTensorList may have absent items. If a reader checks only
    /// the upper limit, it copies a tensor from the memory in front of the list of values.
    reject "pte/values/tensor-list-item-minus-1": "TensorList item −1" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"] => |file| tensor_item(file, 0, -1);

    /// An item of the TensorList is the index of an Int. If a reader does not check the type, it uses the integer as a
    /// pointer to a tensor.
    reject "pte/values/tensor-list-item-is-int": "TensorList item that is an Int" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"] => |file| tensor_item(file, 0, 3);

    /// An item of the TensorList is the index of a Null, but only an OptionalTensorList may have absent items. A reader
    /// that uses one check for TensorLists and OptionalTensorLists passes a null pointer to a kernel.
    reject "pte/values/tensor-list-item-is-null": "TensorList item that is Null" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| tensor_item(file, 0, 4);

    /// An item of the TensorList is the index of this TensorList. If a reader does not check the type, it copies the
    /// TensorList as a tensor before it initializes the TensorList.
    reject "pte/values/tensor-list-of-itself": "TensorList item that refers to its own TensorList"
        breaks rules::VAL_TENSORLIST_INDICES, from "pte/valid/every-value" => |file| tensor_item(file, 0, 11);

    /// An item of the TensorList refers to a tensor that comes after the list. Readers initialize values in order and
    /// copy the tensors when they initialize the list, so each item must precede the list.
    reject "pte/values/tensor-list-forward": "TensorList that refers to a later tensor" breaks rules::VAL_LIST_ORDER,
        from "pte/valid/every-value" => |file| tensor_item(file, 1, 14);

    /// An item of the OptionalTensorList refers to a tensor that comes after the list. Readers initialize values in
    /// order, so each item must precede the list. A check that covers only TensorLists does not detect the wrong order.
    reject "pte/values/optional-tensor-list-forward": "OptionalTensorList that refers to a later tensor"
        breaks rules::VAL_LIST_ORDER, from "pte/valid/every-value" => |file| optional_item(file, 0, 14);

    /// An item of the OptionalTensorList refers to a Null that comes after the list in `values`. If a reader
    /// initializes values in order, it checks the type of an uninitialized value.
    reject "pte/values/optional-tensor-list-forward-null": "OptionalTensorList that refers to a later Null"
        breaks rules::VAL_LIST_ORDER, from "pte/valid/every-value" => |file| optional_item(file, 2, 15);

    /// An item of the OptionalTensorList is −2, but only −1 means an absent tensor. A reader must reject other negative
    /// items, because a negative index is outside the list of values.
    reject "pte/values/optional-tensor-list-item-minus-2": "OptionalTensorList item −2"
        breaks rules::VAL_OPTTENSORLIST_INDICES, from "pte/valid/every-value" => |file| optional_item(file, 1, -2);

    /// An item of the OptionalTensorList is 16, but the method has 16 values. A reader with an off-by-one check copies
    /// a tensor from the memory after the list of values.
    reject "pte/values/optional-tensor-list-item-past-end": "OptionalTensorList item one past the values"
        breaks rules::VAL_OPTTENSORLIST_INDICES, from "pte/valid/every-value" => |file| optional_item(file, 0, 16);

    /// An item of the OptionalTensorList is 2^31 − 1. If a reader adds 1 to the item, the sum wraps to −2^31, which is
    /// less than the number of values.
    reject "pte/values/optional-tensor-list-item-max": "OptionalTensorList item 2^31 − 1"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, i32::MAX);

    /// An item of the OptionalTensorList is the index of a Bool, but items must be tensors or absent. A reader that
    /// treats all other types as absent tensors silently omits the item.
    reject "pte/values/optional-tensor-list-item-is-bool": "OptionalTensorList item that is a Bool"
        breaks rules::VAL_OPTTENSORLIST_INDICES, from "pte/valid/every-value" => |file| optional_item(file, 0, 5);

    /// An item of the BoolList is 2. Readers pass a BoolList to kernels without a copy. In C++, a bool that is neither
    /// 0 nor 1 causes undefined behavior.
    either "pte/values/bool-list-item-2": "BoolList item 2" about rules::VAL_BOOLLIST,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].values[10].val.items", 1, &[2]);
}

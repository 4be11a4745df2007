//! Cases about a program's values: their types, and lists that refer to other values.

use super::{cases, program_base as base};
use crate::patch::Patcher;
use crate::rules::{flatbuffer, values as rules};

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
    /// The method has a value of every type, and after the lists an Int, a Tensor and a Null that no list uses. A
    /// reader must accept types that it does not use.
    build "pte/valid/every-value": "value of every type" shows rules::VAL_TYPE_KNOWN => base::every_value;

    /// A Null has no fields, so its table may be absent. A reader that requires a table for every value rejects the
    /// file.
    accept "pte/valid/null-without-table": "Null without a table" shows rules::VAL_NONNULL,
        from "pte/valid/every-value" => |file| file.own_slot("execution_plan[0].values[15]", 1, 0);

    /// Each list has a vector with no items, which is valid. A reader that takes the first item reads past the
    /// vector.
    build "pte/valid/empty-lists": "five lists without items" shows rules::VAL_LIST_ITEMS_NONNULL => base::empty_lists;

    /// A reader allocates memory for three thousand items before it reads them. It must accept the file where
    /// memory suffices, and report the failed allocation where it does not.
    build "pte/valid/long-lists": "lists of 3 000 items" shows rules::VAL_LIST_ALLOC => base::long_lists;

    /// The string is present and empty. A reader that treats an empty string as absent rejects the file.
    accept "pte/valid/empty-string-value": "empty String value" shows rules::VAL_STRING_NONNULL,
        from "pte/valid/every-value" => |file| {
            file.elements("execution_plan[0].values[7].val.string_val", 0, &[0]);
            file.count("execution_plan[0].values[7].val.string_val", 0);
        };

    /// An IntList stores indices and reads the integers on use, so they may follow the list. A reader that applies
    /// the order rule of tensor lists rejects the file.
    accept "pte/valid/int-list-forward": "IntList with a later integer" shows rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 1, 13);

    /// An absent tensor is −1 or a value of type Null. A reader that supports only one of the two rejects what
    /// exporters write.
    accept "pte/valid/optional-tensors-all-missing": "OptionalTensorList without tensors"
        shows rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, -1);

    /// NaN is a valid Double. A reader that converts values to JSON cannot express it, and a self-check by equality
    /// never succeeds.
    accept "pte/valid/double-nan": "Double NaN" shows rules::VAL_DOUBLE,
        from "pte/valid/every-value" => |file| {
            file.scalar("execution_plan[0].values[6].val.double_val", 0x7ff8_0000_0000_0000_u64);
        };

    /// Exporters fill masks with −∞. A reader that converts values to JSON cannot express it.
    accept "pte/valid/double-minus-infinity": "Double −∞" shows rules::VAL_DOUBLE,
        from "pte/valid/every-value" => |file| {
            file.scalar("execution_plan[0].values[6].val.double_val", f64::NEG_INFINITY.to_bits());
        };

    /// Readers use the list in place, so NaN keeps its sign and payload. A reader that converts to JSON cannot
    /// express the items, and a comparison by value finds NaN unequal to itself.
    accept "pte/valid/double-list-nan-and-infinity": "DoubleList of NaN and ∞" shows rules::VAL_DOUBLE,
        from "pte/valid/every-value" => |file| {
            file.elements("execution_plan[0].values[9].val.items", 0, &0xfff8_0000_0000_0123_u64.to_le_bytes());
            file.elements("execution_plan[0].values[9].val.items", 8, &f64::INFINITY.to_le_bytes());
        };

    /// The smallest integer has no positive counterpart. A reader that negates it, for example to print it,
    /// overflows.
    accept "pte/valid/int-min": "Int −2^63" shows rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[3].val.int_val", i64::MIN);

    /// The value has neither type nor content, and verifiers require neither. A reader that leaves the slot unset
    /// later reads uninitialized memory as a value.
    reject "pte/values/no-type-and-no-value": "value without type and content" breaks rules::VAL_NONNULL,
        from "pte/valid/null-without-table" => |file| file.scalar("execution_plan[0].values[15].val_type", 0_u8);

    /// The type is the first unknown one, as a newer writer may use. A reader that skips it leaves the slot unset,
    /// and lists and instructions can still use that slot.
    reject "pte/values/type-12": "value type 12" breaks rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[7].val_type", 12_u8);

    /// Verifiers check the content only for known types, so this content is unverified. As an index into a table of
    /// types, 255 is far past the end.
    reject "pte/values/type-255": "value type 255" breaks rules::VAL_TYPE_KNOWN,
        from "pte/valid/every-value" => |file| file.scalar("execution_plan[0].values[7].val_type", u8::MAX);

    /// The vector of items is absent. A reader that copies the list takes its length through a null pointer and
    /// allocates that much.
    reject "pte/values/int-list-items-absent": "IntList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[8].val", 0, 0);

    /// The vector of items is absent, and readers pass a DoubleList to kernels in place. The kernel gets a pointer
    /// and a length derived from null.
    reject "pte/values/double-list-items-absent": "DoubleList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[9].val", 0, 0);

    /// The vector of items is absent, and the reader takes its length through a null pointer. Readers copy nothing,
    /// so no allocation fails before the kernel uses the list.
    reject "pte/values/bool-list-items-absent": "BoolList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[10].val", 0, 0);

    /// The vector of items is absent. A reader that validates the items when it opens the program dereferences the null
    /// pointer during that validation.
    reject "pte/values/tensor-list-items-absent": "TensorList without items" breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[11].val", 0, 0);

    /// The vector of items is absent; only single items may be −1. A validation that covers only TensorLists misses it,
    /// and loading the method dereferences a null pointer.
    reject "pte/values/optional-tensor-list-items-absent": "OptionalTensorList without items"
        breaks rules::VAL_LIST_ITEMS_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| file.own_slot("execution_plan[0].values[12].val", 0, 0);

    /// The String has no `string_val`. A reader takes pointer and length through a null pointer.
    reject "pte/values/string-absent": "String without string_val" breaks rules::VAL_STRING_NONNULL,
        from "pte/valid/every-value", refs ["pytorch/executorch#16162"]
        => |file| file.own_slot("execution_plan[0].values[7].val", 0, 0);

    /// At eight bytes per item the length wraps to 0 in 32 bits: the reader allocates nothing and writes all items.
    /// CVE-2025-54952 needs 4 GiB of real items, so here the vector reaches past the program.
    reject "pte/values/int-list-length-wraps": "IntList of 2^29 items, of which 2 exist"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs ["CVE-2025-54952", "GHSA-33r8-vrx9-rmcv"]
        => |file| file.count("execution_plan[0].values[8].val.items", 1 << 29);

    /// The allocation moves an allocator's pointer past the end of the address space, as in CVE-2025-30404. A small
    /// file cannot contain the items, so the vector reaches past the program.
    reject "pte/values/tensor-list-length-max": "TensorList of 2^32 − 1 items" breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "pte/valid/every-value", refs ["CVE-2025-30404", "GHSA-hj95-mhgf-jxc4"]
        => |file| file.count("execution_plan[0].values[11].val.items", u32::MAX);

    /// The method has 16 values and the item is 16. Items are value indices, not integers; a reader that confuses
    /// them accepts the file.
    reject "pte/values/int-list-item-past-end": "IntList item one past the values" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#14749"]
        => |file| int_item(file, 0, 16);

    /// −1 means an absent tensor only in an OptionalTensorList. As a signed integer it is below the number of
    /// values, so the reader takes an integer from before the table.
    reject "pte/values/int-list-item-minus-1": "IntList item −1" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, -1);

    /// Items have 64 bits. Truncated to 32 bits the item is 3, the index of an integer, so a reader that truncates
    /// before it compares accepts the file.
    reject "pte/values/int-list-item-narrows": "IntList item 2^32 + 3" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value"
        => |file| int_item(file, 0, (1 << 32) + 3);

    /// As a signed integer, the item is below the number of values. Multiplied by the size of a value it wraps to 0, so
    /// the reader unpacks value 0, a tensor.
    reject "pte/values/int-list-item-min": "IntList item −2^63" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 1, i64::MIN);

    /// The item is the index of a Tensor. A kernel that unpacks the list uses a pointer as a number or aborts the
    /// process.
    reject "pte/values/int-list-item-is-tensor": "IntList item that is a Tensor" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 0);

    /// The item is the index of the Double 0.1, whose bits are the integer 4 591 870 180 066 957 722. Only a type
    /// check on unpacking detects it.
    reject "pte/values/int-list-item-is-double": "IntList item that is a Double" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 6);

    /// The list is its own first item. A reader without a type check unpacks the address of the list's items as an
    /// integer.
    reject "pte/values/int-list-of-itself": "IntList item that is the list" breaks rules::VAL_INTLIST_INDICES,
        from "pte/valid/every-value" => |file| int_item(file, 0, 8);

    /// The method has 16 values and the item is 16, so an off-by-one check accepts the index. The reader copies a
    /// tensor pointer from after the table.
    reject "pte/values/tensor-list-item-past-end": "TensorList item one past the values"
        breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"]
        => |file| tensor_item(file, 1, 16);

    /// −1 means an absent tensor only in an OptionalTensorList. Here the reader copies a tensor from before the
    /// table.
    reject "pte/values/tensor-list-item-minus-1": "TensorList item −1" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"]
        => |file| tensor_item(file, 0, -1);

    /// The item is the index of an Int. A reader without a type check uses the integer as a tensor pointer.
    reject "pte/values/tensor-list-item-is-int": "TensorList item that is an Int" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value", refs ["pytorch/executorch#17491"]
        => |file| tensor_item(file, 0, 3);

    /// Only an OptionalTensorList may contain a Null. A reader that shares code for both lists leaves a null
    /// pointer for the kernel.
    reject "pte/values/tensor-list-item-is-null": "TensorList item that is Null" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| tensor_item(file, 0, 4);

    /// The list is its own first item, and its slot is not written yet when the reader copies the tensors. A reader
    /// without a prior type check copies uninitialized memory.
    reject "pte/values/tensor-list-of-itself": "TensorList item that is the list" breaks rules::VAL_TENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| tensor_item(file, 0, 11);

    /// The list is value 11 and the tensor is value 14. A reader that fills its table in order and copies tensors
    /// at once copies uninitialized memory.
    reject "pte/values/tensor-list-forward": "TensorList with a later tensor" breaks rules::VAL_LIST_ORDER,
        from "pte/valid/every-value" => |file| tensor_item(file, 1, 14);

    /// The list is value 12 and the tensor is value 14. The reader tests the tensor's type before it writes that
    /// slot. A validation that covers only TensorLists misses it.
    reject "pte/values/optional-tensor-list-forward": "OptionalTensorList with a later tensor"
        breaks rules::VAL_LIST_ORDER,
        from "pte/valid/every-value" => |file| optional_item(file, 0, 14);

    /// The item is the index of a Null after the list, so the reader tests a slot that it has not written yet. With
    /// zeroed memory the result is right by accident.
    reject "pte/values/optional-tensor-list-forward-null": "OptionalTensorList with a later Null"
        breaks rules::VAL_LIST_ORDER,
        from "pte/valid/every-value" => |file| optional_item(file, 2, 15);

    /// Only −1 means an absent tensor. A reader that treats every negative item so accepts the file. A reader with
    /// a signed comparison copies a tensor from before the table.
    reject "pte/values/optional-tensor-list-item-minus-2": "OptionalTensorList item −2"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 1, -2);

    /// The method has 16 values and the item is 16, so an off-by-one check accepts the index. The reader takes the
    /// tensor from the bytes after the table.
    reject "pte/values/optional-tensor-list-item-past-end": "OptionalTensorList item one past the values"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, 16);

    /// A reader that adds 1, to map an absent tensor to 0, wraps to −2^31. That is below the number of values, and
    /// the access is far before the table.
    reject "pte/values/optional-tensor-list-item-max": "OptionalTensorList item 2^31 − 1"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, i32::MAX);

    /// The item is the index of a Bool. A reader that treats every other type as absent drops it silently; one that
    /// treats everything but Null as a tensor uses a byte as a pointer.
    reject "pte/values/optional-tensor-list-item-is-bool": "OptionalTensorList item that is a Bool"
        breaks rules::VAL_OPTTENSORLIST_INDICES,
        from "pte/valid/every-value" => |file| optional_item(file, 0, 5);

    /// Readers use the list in place. Compiled code may rely on a bool being 0 or 1, so any other byte is undefined
    /// behaviour.
    either "pte/values/bool-list-item-2": "BoolList item 2" about rules::VAL_BOOLLIST,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].values[10].val.items", 1, &[2]);
}

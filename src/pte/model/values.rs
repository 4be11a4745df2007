//! Making values: numbers, strings, lists and tensors.

use alloc::string::String as OwnedString;

use super::{
    AllocationDetails, Bool, BoolList, Double, DoubleList, EValue, ExtraTensorInfo, Int, IntList, KernelTypes, Null,
    OptionalTensorList, String, Tensor, TensorList, Text,
};
use crate::ScalarType;
use crate::ptd::model::contiguous;
use crate::pte::schema::TensorDataLocation;

impl EValue {
    /// No value; any other is made from its member, or from a number, a bool or a text.
    ///
    /// ```
    /// use torchproof::pte::model::{Double, EValue, Null};
    /// assert_eq!(EValue::NULL, Null {}.into());
    /// assert_eq!(EValue::from(0.5), Double { double_val: 0.5 }.into());
    /// ```
    pub const NULL: Self = Self { val: Some(KernelTypes::Null(Null {})) };
}

macro_rules! values {
    ($($member:ident),*) => {$(
        impl From<$member> for EValue {
            fn from(value: $member) -> Self {
                Self { val: Some(KernelTypes::$member(value)) }
            }
        }
    )*};
}

values!(Null, Int, Bool, Double, Tensor, String, IntList, DoubleList, BoolList, TensorList, OptionalTensorList);

impl From<i64> for EValue {
    fn from(int_val: i64) -> Self {
        Int { int_val }.into()
    }
}

impl From<f64> for EValue {
    fn from(double_val: f64) -> Self {
        Double { double_val }.into()
    }
}

impl From<bool> for EValue {
    fn from(bool_val: bool) -> Self {
        Bool { bool_val }.into()
    }
}

impl From<Text> for EValue {
    fn from(text: Text) -> Self {
        String { string_val: Some(text) }.into()
    }
}

impl From<&str> for EValue {
    fn from(text: &str) -> Self {
        Text::from(text).into()
    }
}

impl From<OwnedString> for EValue {
    fn from(text: OwnedString) -> Self {
        Text::from(text).into()
    }
}

impl Tensor {
    /// A tensor of these sizes, in elements, whose dimensions stand in memory in their own order.
    ///
    /// It has no data yet: an input's comes from the caller. Readers take 16 dimensions at most. The order has a byte for each, so
    /// beyond 256 it is shorter than the sizes, and such a tensor breaks a must-rule.
    ///
    /// ```
    /// use torchproof::ScalarType;
    /// use torchproof::pte::model::Tensor;
    /// assert_eq!(Tensor::contiguous(ScalarType::FLOAT, &[2, 3]).dim_order, Some(vec![0, 1]));
    /// ```
    #[must_use]
    pub fn contiguous(scalar_type: ScalarType, sizes: &[i32]) -> Self {
        Self { scalar_type, sizes: Some(sizes.to_vec()), dim_order: Some(contiguous(sizes.len())), ..Self::default() }
    }

    /// The same tensor, with the constant of this index for data; they count from 1.
    ///
    /// With a place in planned memory beside it, it is the initial value of that index.
    ///
    /// ```
    /// use torchproof::ScalarType;
    /// use torchproof::pte::model::Tensor;
    /// assert_eq!(Tensor::contiguous(ScalarType::FLOAT, &[4]).constant(1).data_buffer_idx, 1);
    /// ```
    #[must_use]
    pub fn constant(self, index: u32) -> Self {
        Self { data_buffer_idx: index, ..self }
    }

    /// The same tensor, in the planned buffer `memory_id`, which counts from 1, from this byte on.
    ///
    /// ```
    /// use torchproof::ScalarType;
    /// use torchproof::pte::model::Tensor;
    /// let place = Tensor::contiguous(ScalarType::FLOAT, &[4]).planned(1, 5 << 32).allocation_info.unwrap();
    /// assert_eq!((place.memory_offset_low, place.memory_offset_high), (0, 5));
    /// ```
    #[must_use]
    pub fn planned(self, memory_id: u32, offset: u64) -> Self {
        Self { allocation_info: Some(AllocationDetails::new(memory_id, offset)), ..self }
    }

    /// The same tensor, with its data in a data file under this name.
    ///
    /// ```
    /// use torchproof::ScalarType;
    /// use torchproof::pte::model::Tensor;
    /// let tensor = Tensor::contiguous(ScalarType::FLOAT, &[4]).external("l.weight");
    /// assert_eq!(tensor.extra_tensor_info.unwrap().fully_qualified_name.unwrap(), "l.weight");
    /// ```
    #[must_use]
    pub fn external(self, name: impl Into<Text>) -> Self {
        let extra = self.extra_tensor_info.unwrap_or_default();
        let location = TensorDataLocation::EXTERNAL;
        let extra = ExtraTensorInfo { fully_qualified_name: Some(name.into()), location, ..extra };
        Self { extra_tensor_info: Some(extra), ..self }
    }
}

impl AllocationDetails {
    /// A place in the planned buffer `memory_id`, which counts from 1, from this byte on.
    ///
    /// ```
    /// use torchproof::pte::model::AllocationDetails;
    /// assert_eq!(AllocationDetails::new(1, 16).memory_offset_low, 16);
    /// ```
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "the halves are kept apart")]
    pub const fn new(memory_id: u32, offset: u64) -> Self {
        Self { memory_id, memory_offset_low: offset as u32, memory_offset_high: (offset >> 32) as u32 }
    }
}

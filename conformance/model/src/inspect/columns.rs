//! Columns of tables. Repeated texts, lists and tensor types are stored only once.

use std::collections::HashMap;
use std::hash::Hash;

use serde::Serialize;
use torchproof::flatbuffer::Vector;
use torchproof::pte::schema::{Tensor, TensorShapeDynamism};
use torchproof::{ScalarType, layout};

use crate::fields::words::scalar_type;

/// Distinct items, each stored once, with their numbers.
#[derive(Debug)]
struct Distinct<T> {
    items: Vec<T>,
    numbers: HashMap<T, i32>,
}

impl<T: Clone + Eq + Hash> Distinct<T> {
    fn number(&mut self, item: T) -> i32 {
        *self.numbers.entry(item).or_insert_with_key(|item| {
            self.items.push(item.clone());
            index(self.items.len() - 1)
        })
    }
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self { items: Vec::new(), numbers: HashMap::new() }
    }
}

/// A column of texts: row `i` is `words[at[i]]`; absent if `at[i]` is -1.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Words {
    #[serde(rename = "words", serialize_with = "items")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    distinct: Distinct<String>,
    /// The index into `words` for each row.
    at: Vec<i32>,
}

/// A column of lists: row `i` is `lists[at[i]]`; absent if `at[i]` is -1.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lists {
    #[serde(rename = "lists", serialize_with = "items")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Vec<i32>>"))]
    distinct: Distinct<Vec<i32>>,
    /// The index into `lists` for each row.
    at: Vec<i32>,
}

fn items<T: Serialize, S: serde::Serializer>(distinct: &Distinct<T>, serializer: S) -> Result<S::Ok, S::Error> {
    distinct.items.serialize(serializer)
}

impl Words {
    pub(super) fn push(&mut self, word: Option<&str>) {
        let at = word.map_or(-1, |word| match self.distinct.numbers.get(word) {
            Some(known) => *known,
            None => self.distinct.number(word.to_owned()),
        });
        self.at.push(at);
    }

    pub(super) fn set(&mut self, row: usize, word: &str) {
        if let Some(at) = self.at.get_mut(row) {
            *at = self.distinct.number(word.to_owned());
        }
    }

    #[must_use]
    pub fn get(&self, row: usize) -> Option<&str> {
        item(&self.distinct.items, *self.at.get(row)?).map(String::as_str)
    }

    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        (0..self.at.len()).map(|row| self.get(row))
    }
}

impl Lists {
    pub(super) fn push(&mut self, list: Option<Vec<i32>>) {
        let at = list.map_or(-1, |list| self.distinct.number(list));
        self.at.push(at);
    }

    /// Returns the list in a row, or an empty list if it is absent.
    #[must_use]
    pub fn get(&self, row: usize) -> &[i32] {
        self.at.get(row).and_then(|at| item(&self.distinct.items, *at)).map_or(&[], Vec::as_slice)
    }
}

/// A tensor's type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TensorType {
    /// The type of the elements, such as `FLOAT`.
    pub dtype: String,
    /// The number of elements in each dimension, or the upper bounds.
    pub sizes: Vec<i32>,
    /// The dimensions in memory order.
    pub dim_order: Vec<u8>,
    /// `STATIC`, `DYNAMIC_BOUND` if the sizes are upper bounds, or `DYNAMIC_UNBOUND`.
    pub dynamism: String,
    /// The number of elements; absent if it does not fit in 63 bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements: Option<u64>,
    /// The size in bytes; absent if it does not fit in 64 bits or the type is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// The longest list of sizes to keep; the runtime supports at most 16 dimensions.
const MOST_DIMENSIONS: usize = 64;

impl TensorType {
    pub(super) fn new(
        ty: ScalarType,
        sizes: Option<Vector<'_, i32>>,
        dim_order: Option<Vector<'_, u8>>,
        dynamism: TensorShapeDynamism,
    ) -> Self {
        let bytes = sizes.and_then(|sizes| layout::nbytes(ty, sizes).ok());
        let elements = bytes.zip(ty.element_size()).map(|(bytes, size)| bytes / size);
        let sizes = sizes.into_iter().flat_map(Vector::iter).take(MOST_DIMENSIONS).collect();
        let dim_order = dim_order.into_iter().flat_map(Vector::iter).take(MOST_DIMENSIONS).collect();
        let dynamism = dynamism.name().map_or_else(|| dynamism.0.to_string(), str::to_owned);
        Self { dtype: scalar_type(Ok::<_, ()>(ty)), sizes, dim_order, dynamism, elements, bytes }
    }

    fn of(tensor: Tensor<'_>) -> Self {
        let (sizes, dim_order) = (tensor.sizes().ok().flatten(), tensor.dim_order().ok().flatten());
        let ty = tensor.scalar_type().unwrap_or(ScalarType(-1));
        Self::new(ty, sizes, dim_order, tensor.shape_dynamism().unwrap_or(TensorShapeDynamism(-1)))
    }

    /// Returns text such as `FLOAT [1, ≤128]`, with the dim order if it is not the default.
    #[must_use]
    pub fn text(&self) -> String {
        let bound = if self.dynamism == "STATIC" { "" } else { "≤" };
        let size = |size: &i32| match self.dynamism.as_str() {
            "DYNAMIC_UNBOUND" => "?".to_owned(),
            _ => format!("{bound}{size}"),
        };
        let sizes: Vec<String> = self.sizes.iter().map(size).collect();
        let is_default = self.dim_order.iter().enumerate().all(|(index, dimension)| index == usize::from(*dimension));
        let order = if is_default { String::new() } else { format!(" order {:?}", self.dim_order) };
        format!("{} [{}]{order}", self.dtype, sizes.join(", "))
    }
}

/// The types of all tensors in a file, each listed once.
#[derive(Debug, Default)]
pub(super) struct Types(Distinct<TensorType>);

impl Types {
    pub(super) fn of(&mut self, tensor: Tensor<'_>) -> i32 {
        self.0.number(TensorType::of(tensor))
    }

    pub(super) fn add(&mut self, ty: TensorType) -> i32 {
        self.0.number(ty)
    }

    pub(super) fn get(&self, number: i32) -> Option<&TensorType> {
        item(&self.0.items, number)
    }

    pub(super) fn into_items(self) -> Vec<TensorType> {
        self.0.items
    }
}

/// Returns the item that a number in a column refers to; `None` for -1.
pub fn item<T>(items: &[T], number: i32) -> Option<&T> {
    items.get(usize::try_from(number).ok()?)
}

/// Converts an index to the type used in columns, which have at most a few million rows.
pub(super) fn index(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

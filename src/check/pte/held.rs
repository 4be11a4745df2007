//! What a method's values contain at an instruction, as far as the file determines it.
//!
//! A MoveCall makes two values share one tensor object; a view gives a tensor object the data of another. Calls can
//! change integers and tensor sizes. Everything that depends on a jump or on the caller is unknown.

use crate::ScalarType;
use crate::flatbuffer::Vector;
use crate::pte::schema::brief::Tensor;
use crate::pte::schema::brief_values::KernelTypesValue;
use crate::pte::schema::{KernelTypes, TensorShapeDynamism};

use super::super::layout::MAX_RANK;
use super::plan::{MethodPlan, int_of, is_constant, lacks_data};

/// Stands for a tensor object or data that the file does not determine.
const UNKNOWN: u64 = u32::MAX as u64;

/// The number of bits in a position. Two positions fit in a word and leave room for the flags above them.
const POSITION_BITS: u32 = 28;

/// The largest position. Only a file with shared tables can have more instructions.
pub(super) const LAST_POSITION: u32 = (1 << POSITION_BITS) - 1;

const FIRST: u64 = LAST_POSITION as u64;
const SECOND: u64 = FIRST << POSITION_BITS;

const SIZES_VARY: u64 = 1 << 63;
const FIRST_SIZE_VARIES: u64 = 1 << 62;
/// The caller can set the tensor's data.
const FROM_CALLER: u64 = 1 << 61;
const IS_INT: u64 = 1 << 60;
const IS_TENSOR: u64 = 1 << 59;
const IS_CONSTANT: u64 = 1 << 58;
/// The file gives the tensor no data.
const LACKS_DATA: u64 = 1 << 57;
/// The value is a list of tensors.
const IS_LIST: u64 = 1 << 56;

/// What each value contains, in two words.
///
/// For an Int, the first word is its number. For a Tensor, it holds two value indexes: the lower one says whose tensor
/// object the value contains; the upper one says whose data the value's own tensor object uses. The second word holds
/// the position of the last instruction that changed the Int or the lower index, the same for the upper index, and
/// flags.
pub(super) struct HeldValues<'a, 's> {
    pub(super) plan: MethodPlan<'a>,
    words: &'s mut [[u64; 2]],
    /// The current instruction's position, counted from 1. Position 0 stands for the values in the file.
    pub(super) position: u32,
    /// The positions of the first and the last instruction that a jump repeats or skips.
    unsure: (u32, u32),
    /// How many list items may still be visited.
    list_items: usize,
    /// `true` if a call may have resized any tensor.
    sizes_lost: bool,
    /// `true` if a call may have changed the data of any tensor.
    data_lost: bool,
}

/// The tensor object in a value.
#[derive(Clone, Copy)]
pub(super) struct HeldTensor<'a> {
    pub(super) tensor: Tensor<'a>,
    /// From this dimension on, the sizes are still those in the file.
    fixed_from: usize,
}

impl<'a, 's> HeldValues<'a, 's> {
    /// `words` has two words for each value.
    pub(super) fn new(plan: MethodPlan<'a>, list_items: usize, words: &'s mut [u64]) -> Self {
        let (words, _) = words.as_chunks_mut::<2>();
        for (index, words) in words.iter_mut().enumerate() {
            let own = index as u64;
            *words = match plan.value_of(index as i64) {
                Some(KernelTypesValue::Tensor(tensor)) => {
                    let constant = if is_constant(tensor) { IS_CONSTANT } else { 0 };
                    let without = if lacks_data(tensor) { LACKS_DATA } else { 0 };
                    [own | own << 32, IS_TENSOR | constant | without]
                }
                Some(value @ KernelTypesValue::Int(_)) => {
                    int_of(value).map_or([0, 0], |int| [int.cast_unsigned(), IS_INT])
                }
                Some(KernelTypesValue::TensorList(_) | KernelTypesValue::OptionalTensorList(_)) => [0, IS_LIST],
                _ => [0, 0],
            };
        }
        let unsure = (u32::MAX, 0);
        Self { plan, words, position: 0, unsure, list_items, sizes_lost: false, data_lost: false }
    }

    /// Marks the values that the caller can set.
    pub(super) fn set_by_caller(&mut self, items: Option<Vector<'_, i32>>, sizes: u64) {
        let Some(items) = items else { return };
        for item in items.iter() {
            if let Some([_, marks]) = self.words_mut(item.into()) {
                *marks = if *marks & IS_TENSOR == 0 { *marks & IS_LIST } else { *marks | FROM_CALLER | sizes };
            }
        }
    }

    pub(super) fn set_inputs(&mut self, items: Option<Vector<'_, i32>>) {
        self.set_by_caller(items, SIZES_VARY);
    }

    fn words(&self, index: i64) -> Option<[u64; 2]> {
        self.words.get(usize::try_from(index).ok()?).copied()
    }

    fn words_mut(&mut self, index: i64) -> Option<&mut [u64; 2]> {
        self.words.get_mut(usize::try_from(index).ok()?)
    }

    fn is_sure(&self, position: u64) -> bool {
        let (first, last) = self.unsure;
        !(u64::from(first)..=u64::from(last)).contains(&position)
    }

    /// Marks the instructions that a jump repeats or skips, so that nothing relies on their effects.
    pub(super) fn jump_over(&mut self, first: u32, last: u32) {
        self.unsure = (self.unsure.0.min(first), self.unsure.1.max(last));
    }

    pub(super) fn is_tensor(&self, index: i32) -> bool {
        self.words(index.into()).is_some_and(|[_, marks]| marks & IS_TENSOR != 0)
    }

    pub(super) fn is_list(&self, index: i32) -> bool {
        self.words(index.into()).is_some_and(|[_, marks]| marks & IS_LIST != 0)
    }

    pub(super) fn int(&self, index: i64) -> Option<i64> {
        let [int, marks] = self.words(index)?;
        (marks & IS_INT != 0 && self.is_sure(marks & FIRST)).then_some(int.cast_signed())
    }

    /// The index of the value whose tensor object is in the value at `index`.
    fn object(&self, index: i32) -> Option<u32> {
        let [state, marks] = self.words(index.into()).filter(|[_, marks]| marks & IS_TENSOR != 0)?;
        let object = Some(state & UNKNOWN).filter(|object| *object != UNKNOWN && self.is_sure(marks & FIRST))?;
        u32::try_from(object).ok()
    }

    /// The index of the value that owns the data of the tensor at `index`; `None` if unknown.
    pub(super) fn data(&self, index: i32) -> Option<u32> {
        let [state, marks] = self.words(self.object(index)?.into())?;
        let data = state >> 32;
        let known = !self.data_lost && data != UNKNOWN && self.is_sure((marks & SECOND) >> POSITION_BITS);
        u32::try_from(data).ok().filter(|_| known)
    }

    fn data_marks(&self, index: i32) -> u64 {
        self.data(index).and_then(|data| self.words(data.into())).map_or(0, |[_, marks]| marks)
    }

    /// Returns whether the tensor at `index` has elements, but nothing gives it data.
    pub(super) fn lacks_data(&self, index: i32) -> bool {
        // Official exporters give unbounded tensors no memory, and the runtime does not support them.
        let is_bounded =
            |tensor: HeldTensor<'_>| tensor.tensor.shape_dynamism() != Ok(TensorShapeDynamism::DYNAMIC_UNBOUND);
        self.data_marks(index) & (LACKS_DATA | FROM_CALLER) == LACKS_DATA && self.tensor(index).is_some_and(is_bounded)
    }

    /// The index of the constant whose data the tensor at `index` uses.
    pub(super) fn constant(&self, index: i32) -> Option<u32> {
        self.data(index).filter(|_| self.data_marks(index) & IS_CONSTANT != 0)
    }

    pub(super) fn tensor(&self, index: i32) -> Option<HeldTensor<'a>> {
        let object = self.object(index)?;
        let tensor = self.plan.tensor(object.into())?;
        let [_, marks] = self.words(object.into())?;
        let fixed_from = match tensor.shape_dynamism() {
            Ok(TensorShapeDynamism::STATIC) => 0,
            _ if self.sizes_lost || marks & SIZES_VARY != 0 => usize::MAX,
            _ => usize::from(marks & FIRST_SIZE_VARIES != 0),
        };
        Some(HeldTensor { tensor, fixed_from })
    }

    /// The items of an IntList that no instruction replaces.
    pub(super) fn sizes(&self, index: i32) -> Option<Vector<'a, i64>> {
        match self.unmoved(index)? {
            KernelTypesValue::IntList(list) => list.items().ok()?,
            _ => None,
        }
    }

    /// The items of a list of tensors. Calls can share a list, so a single limit covers the items of all lists. If the
    /// items are unknown or too many, the sizes of all tensors are unknown from then on.
    pub(super) fn tensors(&mut self, index: i32) -> Option<Vector<'a, i32>> {
        let items = match self.unmoved(index) {
            Some(KernelTypesValue::TensorList(list)) => list.items().ok().flatten(),
            Some(KernelTypesValue::OptionalTensorList(list)) => list.items().ok().flatten(),
            Some(_) => return None,
            None => None,
        };
        let left = items.and_then(|items| self.list_items.checked_sub(items.len()));
        self.sizes_lost |= left.is_none();
        self.list_items = left?;
        items
    }

    fn unmoved(&self, index: i32) -> Option<KernelTypesValue<'a>> {
        let [_, marks] = self.words(index.into())?;
        self.plan.value_of(index.into()).filter(|_| marks & FIRST == 0)
    }

    /// Sets the value at `index` to an Int; `None` makes it unknown.
    pub(super) fn set_int(&mut self, index: i32, int: Option<i64>) {
        let (ty, position) = (self.plan.type_of(index.into()), u64::from(self.position));
        let Some(words) = self.words_mut(index.into()) else { return };
        match (ty, int) {
            (Some(KernelTypes::Int), Some(int)) => *words = [int.cast_unsigned(), position | IS_INT],
            (Some(KernelTypes::Tensor), _) => *words = [words[0] | UNKNOWN, words[1] & !FIRST | position],
            _ => *words = [0, words[1] & IS_LIST | position],
        }
    }

    pub(super) fn move_value(&mut self, from: i32, to: i32) {
        if self.is_tensor(from) && self.is_tensor(to) {
            let (object, position) = (self.object(from).map_or(UNKNOWN, u64::from), u64::from(self.position));
            let Some([state, marks]) = self.words_mut(to.into()) else { return };
            *state = *state & !UNKNOWN | object;
            *marks = *marks & !FIRST | position;
        } else {
            self.set_int(to, self.int(from.into()));
        }
    }

    /// Gives the tensor object of the value `to` the data of the value `from`, or unknown data.
    pub(super) fn share_data(&mut self, to: i32, from: Option<i32>) {
        let data = from.and_then(|from| self.data(from)).map_or(UNKNOWN, u64::from);
        let position = u64::from(self.position);
        let Some(object) = self.object(to) else {
            self.data_lost = true;
            return;
        };
        if let Some([state, marks]) = self.words_mut(object.into()) {
            *state = *state & UNKNOWN | data << 32;
            *marks = *marks & !SECOND | position << POSITION_BITS;
        }
    }

    /// Records that a call may change all sizes of a tensor.
    pub(super) fn resize(&mut self, index: i32) {
        self.vary(index, SIZES_VARY);
    }

    /// Records that a call may change the first size of a tensor.
    pub(super) fn resize_first(&mut self, index: i32) {
        self.vary(index, FIRST_SIZE_VARIES);
    }

    fn vary(&mut self, index: i32, flag: u64) {
        match self.object(index).and_then(|object| self.words_mut(object.into())) {
            Some([_, marks]) => *marks |= flag,
            None => self.sizes_lost = true,
        }
    }
}

impl<'a> HeldTensor<'a> {
    pub(super) fn element_type(self) -> Option<ScalarType> {
        self.tensor.scalar_type().ok().filter(|ty| ty.element_size().is_some())
    }

    fn file_sizes(self) -> Option<Vector<'a, i32>> {
        self.tensor.sizes().ok().flatten()
    }

    pub(super) fn rank(self) -> Option<usize> {
        self.file_sizes().map(Vector::len)
    }

    pub(super) fn is_static(self) -> bool {
        self.tensor.shape_dynamism() == Ok(TensorShapeDynamism::STATIC)
    }

    pub(super) fn size(self, dimension: usize) -> Option<i64> {
        self.file_sizes().filter(|_| dimension >= self.fixed_from)?.get(dimension).map(i64::from)
    }

    pub(super) fn elements(self) -> Option<i64> {
        self.most_elements().filter(|_| self.fixed_from == 0)
    }

    /// The maximum number of elements that the tensor can have.
    pub(super) fn most_elements(self) -> Option<i64> {
        let sizes = self.file_sizes().filter(|sizes| sizes.len() <= MAX_RANK)?;
        let bounded = self.tensor.shape_dynamism() != Ok(TensorShapeDynamism::DYNAMIC_UNBOUND);
        let product = sizes.iter().try_fold(1_i64, |product, size| product.checked_mul(size.into()))?;
        (bounded && product >= 0).then_some(product)
    }
}

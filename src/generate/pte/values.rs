//! The values of a method, and its planned memory.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::data::Store;
use crate::ScalarType;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::{FieldValue, TableTree};
use crate::generate::maker::Maker;
use crate::generate::ptd::NamedBlob;
use crate::pte::builder::{PlanBuilder, TensorBuilder};
use crate::pte::schema::{DeviceType, NonConstBufferDevice, Null, OptionalTensorList, TensorList, TensorShapeDynamism};

/// The indices of a method's values, by use.
#[derive(Debug, Default)]
pub(super) struct Values {
    pub(super) count: i32,
    pub(super) tensors: Vec<i32>,
    /// Tensors that are neither constants nor external tensors.
    pub(super) changing: Vec<i32>,
    pub(super) nulls: Vec<i32>,
    pub(super) ints: Vec<i32>,
    pub(super) bools: Vec<i32>,
    pub(super) doubles: Vec<i32>,
    pub(super) strings: Vec<i32>,
    /// Bool tensors.
    pub(super) masks: Vec<i32>,
    /// The planned memory, in the order of the tensors' indices.
    pub(super) places: Vec<PlannedMemory>,
}

#[derive(Clone, Debug)]
pub(super) struct PlannedMemory {
    pub(super) index: i32,
    buffer: usize,
    bytes: Range<u64>,
}

impl PlannedMemory {
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.buffer == other.buffer && self.bytes.start < other.bytes.end && other.bytes.start < self.bytes.end
    }
}

#[derive(Clone, Copy, Debug)]
enum Wanted {
    Null,
    Int,
    Bool,
    Double,
    String,
    IntList,
    DoubleList,
    BoolList,
    TensorList,
    OptionalTensorList,
    Tensor,
    Constant(usize),
    State(usize),
    External(usize),
}

#[derive(Debug)]
struct Buffer {
    /// The lowest offset for a tensor in the buffer.
    start: u64,
    end: u64,
    device: Option<(DeviceType, i8)>,
}

/// The values are in random order, but lists come after their tensors.
pub(super) fn make(
    maker: &mut Maker<'_>,
    current: bool,
    external: &[NamedBlob],
    store: &Store,
    plan: &mut PlanBuilder,
) -> Values {
    let mut making = Making { values: Values::default(), buffers: buffers(maker, current), current };
    for wanted in order(maker, external, store) {
        let value = making.value(maker, wanted, external, store);
        making.values.count += 1;
        plan.push_value(value);
    }
    for (buffer, index) in making.buffers.iter().zip(1_i32..) {
        plan.push_buffer(i64::try_from(buffer.end).unwrap_or(i64::MAX));
        if let Some((device_type, device_index)) = buffer.device {
            let device = TableTree::new(NonConstBufferDevice::TYPE)
                .with("buffer_idx", index)
                .with("device_type", device_type)
                .with("device_index", device_index);
            plan.push("non_const_buffer_device", device);
        }
    }
    making.values
}

fn buffers(maker: &mut Maker<'_>, current: bool) -> Vec<Buffer> {
    // Reserve a table for each buffer, because assigning a device to the buffer takes a table.
    let count = maker.count(&maker.config.buffers, 1).max(1);
    let buffer = |_| {
        let start = if maker.often(maker.config.far) { 1 << 32 } else { 0 };
        let device = (current && maker.often(maker.config.devices)).then(|| match maker.random.below(3) {
            0 => (DeviceType::CPU, 0),
            index => (DeviceType::CUDA, i8::try_from(index - 1).unwrap_or(0)),
        });
        Buffer { start, end: start, device }
    };
    (0..count).map(buffer).collect()
}

fn order(maker: &mut Maker<'_>, external: &[NamedBlob], store: &Store) -> Vec<Wanted> {
    let config = maker.config;
    let mut all = Vec::new();
    let kinds = [
        (&config.nulls, Wanted::Null),
        (&config.ints, Wanted::Int),
        (&config.bools, Wanted::Bool),
        (&config.doubles, Wanted::Double),
        (&config.strings, Wanted::String),
        (&config.int_lists, Wanted::IntList),
        (&config.double_lists, Wanted::DoubleList),
        (&config.bool_lists, Wanted::BoolList),
        (&config.tensor_lists, Wanted::TensorList),
        (&config.optional_tensor_lists, Wanted::OptionalTensorList),
    ];
    for (count, kind) in kinds {
        let count = maker.count(count, 2);
        all.extend((0..count).map(|_| kind));
    }
    let count = maker.count(&config.tensors, 4);
    all.extend((0..count).map(|_| Wanted::Tensor));
    let used = (0..store.constants.len())
        .map(Wanted::Constant)
        .chain((0..store.states.len()).map(Wanted::State))
        .chain((0..external.len()).map(Wanted::External));
    all.extend(used.filter(|_| maker.often(config.uses) && maker.take(4)));
    maker.shuffle(&mut all);
    all
}

struct Making {
    values: Values,
    buffers: Vec<Buffer>,
    current: bool,
}

impl Making {
    fn value(&mut self, maker: &mut Maker<'_>, wanted: Wanted, external: &[NamedBlob], store: &Store) -> FieldValue {
        let index = self.values.count;
        match wanted {
            Wanted::Null => {
                self.values.nulls.push(index);
                TableTree::new(Null::TYPE).into()
            }
            Wanted::Int => {
                self.values.ints.push(index);
                // Draw a small number or an arbitrary number.
                let number = if maker.random.one_in(2) { maker.random.below(16) } else { maker.random.word() };
                number.cast_signed().into()
            }
            Wanted::Bool => {
                self.values.bools.push(index);
                maker.random.one_in(2).into()
            }
            Wanted::Double => {
                self.values.doubles.push(index);
                double(maker).into()
            }
            Wanted::String => {
                self.values.strings.push(index);
                maker.text().into()
            }
            Wanted::IntList => {
                let items = members(maker, &[&self.values.ints], 8);
                items.into()
            }
            Wanted::DoubleList => {
                let count = maker.len(&maker.config.items, 8);
                (0..count).map(|_| double(maker)).collect::<Vec<f64>>().into()
            }
            Wanted::BoolList => {
                let count = maker.len(&maker.config.items, 1);
                (0..count).map(|_| maker.random.one_in(2)).collect::<Vec<bool>>().into()
            }
            Wanted::TensorList => {
                let items = members(maker, &[&self.values.tensors], 4);
                TableTree::new(TensorList::TYPE).with("items", items).into()
            }
            Wanted::OptionalTensorList => {
                let among: [&[i32]; 3] = [&self.values.tensors, &self.values.nulls, &[-1]];
                TableTree::new(OptionalTensorList::TYPE).with("items", members(maker, &among, 4)).into()
            }
            _ => self.tensor(maker, wanted, external, store).into(),
        }
    }

    fn tensor(
        &mut self,
        maker: &mut Maker<'_>,
        wanted: Wanted,
        external: &[NamedBlob],
        store: &Store,
    ) -> TensorBuilder {
        let index = self.values.count;
        self.values.tensors.push(index);
        let data_index = |position: usize| u32::try_from(position + 1).unwrap_or(u32::MAX);
        let mut tensor = match wanted {
            Wanted::Constant(at) => store.constants[at].tensor().constant(data_index(at)),
            Wanted::State(at) => {
                let state = &store.states[at];
                self.plan(maker, state.tensor().constant(data_index(at)), state.len)
            }
            Wanted::External(at) => {
                let tensor = external[at].dense.tensor().external(&external[at].name);
                // If the tensor has planned memory, it is mutable, and the external data is its initial value.
                if maker.random.one_in(3) { self.plan(maker, tensor, external[at].dense.len) } else { tensor }
            }
            _ => {
                let dense = maker.shape();
                let mut tensor = dense.tensor();
                tensor.assign("shape_dynamism", dynamism(maker));
                if maker.often(maker.config.unplanned) { tensor } else { self.plan(maker, tensor, dense.len) }
            }
        };
        tensor.assign("requires_grad", maker.often(maker.config.gradients));
        if self.current
            && maker.often(maker.config.named)
            && let Some(extra) = tensor.table_or_insert("extra_tensor_info")
            && extra.get("fully_qualified_name").is_none()
        {
            extra.assign("fully_qualified_name", maker.name("module."));
        }
        if matches!(wanted, Wanted::Tensor | Wanted::State(_)) {
            self.values.changing.push(index);
        }
        if tensor.int("scalar_type") == ScalarType::BOOL.0.into() {
            self.values.masks.push(index);
        }
        tensor
    }

    /// The memory is in a random buffer. It begins after the buffer's other tensors or overlaps them.
    fn plan(&mut self, maker: &mut Maker<'_>, tensor: TensorBuilder, len: usize) -> TensorBuilder {
        let at = maker.random.index(self.buffers.len());
        let buffer = &mut self.buffers[at];
        let len = len as u64;
        let room = (buffer.end - buffer.start).checked_sub(len);
        let offset = match room {
            Some(room) if maker.often(maker.config.reused) => buffer.start + maker.random.below(room / 16 + 1) * 16,
            _ => buffer.end.next_multiple_of(16),
        };
        buffer.end = buffer.end.max(offset + len);
        self.values.places.push(PlannedMemory { index: self.values.count, buffer: at, bytes: offset..offset + len });
        let memory_id = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let mut tensor = tensor.planned(memory_id, offset);
        if let Some((device_type, device_index)) = buffer.device
            && let Some(extra) = tensor.table_or_insert("extra_tensor_info")
        {
            extra.assign("device_type", device_type);
            extra.assign("device_index", device_index);
        }
        tensor
    }
}

fn dynamism(maker: &mut Maker<'_>) -> TensorShapeDynamism {
    if maker.often(maker.config.bounded) {
        TensorShapeDynamism::DYNAMIC_BOUND
    } else if maker.often(maker.config.unbounded) {
        TensorShapeDynamism::DYNAMIC_UNBOUND
    } else {
        TensorShapeDynamism::STATIC
    }
}

fn double(maker: &mut Maker<'_>) -> f64 {
    // Draw 0, a multiple of 1/8, or an arbitrary bit pattern, which can be NaN.
    match maker.random.below(3) {
        0 => 0.0,
        1 => f64::from(u32::try_from(maker.random.below(1000)).unwrap_or(0)) / 8.0,
        _ => f64::from_bits(maker.random.word()),
    }
}

/// Draws list items from the slices in `among`.
fn members(maker: &mut Maker<'_>, among: &[&[i32]], width: usize) -> Vec<i32> {
    let total: usize = among.iter().map(|some| some.len()).sum();
    if total == 0 {
        return vec![];
    }
    let count = maker.len(&maker.config.items, width);
    let pick = |at: usize| among.iter().copied().flatten().nth(at).copied();
    (0..count).filter_map(|_| pick(maker.random.index(total))).collect()
}

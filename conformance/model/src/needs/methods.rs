//! The memory of a method, and its inputs and outputs.

use serde::Serialize;
use torchproof::flatbuffer::Vector;
use torchproof::flatbuffer::schema::Element;
use torchproof::prediction::{Abi, ArenaSetup, Release};
use torchproof::pte::schema::{DeviceType, EValue, ExecutionPlan, KernelTypesValue, Tensor, TensorShapeDynamism};
use torchproof::pte::{Method, Pte};

use super::budget::ItemBudget;
use super::state;
use super::values::Values;
use crate::fields::vector::items;
use crate::fields::words::{lossy, scalar_type};

/// A method's needs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MethodNeeds {
    /// The method's name.
    pub name: String,
    /// The inputs.
    pub inputs: Vec<PortNeeds>,
    /// The outputs.
    pub outputs: Vec<PortNeeds>,
    /// The planned buffers, without the reserved first one.
    pub buffers: Vec<BufferNeeds>,
    /// The number of planned tensors that keep their values between runs: they have an initial value, or a kernel reads them before the
    /// caller or an instruction can have written them.
    pub state_tensors: u64,
    /// The size of these tensors in bytes.
    pub state_bytes: u64,
    /// The method allocator's smallest arenas, not counting what backends allocate.
    pub arenas: Vec<ArenaNeeds>,
}

/// An input or an output.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PortNeeds {
    /// The value's type, such as `Tensor` or `Int`.
    pub value: String,
    /// The tensor; absent for other values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensor: Option<TensorPort>,
}

/// A tensor as an input or an output.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TensorPort {
    /// The type of the elements, such as `FLOAT`.
    pub dtype: String,
    /// The number of elements in each dimension, or the upper bounds.
    pub sizes: Vec<i32>,
    /// The dimensions in memory order.
    pub dim_order: Vec<u8>,
    /// `STATIC`, `DYNAMIC_BOUND` if the sizes are upper bounds, or `DYNAMIC_UNBOUND`.
    pub dynamism: String,
}

/// A planned buffer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BufferNeeds {
    /// The size in bytes.
    pub bytes: i64,
    /// The device, such as `cuda:0`; absent for the CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// The smallest arenas in bytes with which a method loads.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArenaNeeds {
    /// The release, such as `executorch:1.5.1`.
    pub release: String,
    /// The ABI of the runtime.
    pub abi: Abi,
    /// The size of the method allocator's arena if there is no temporary allocator.
    pub bytes: u64,
    /// The arena of the method allocator with a temporary arena that has at least `temporary_bytes`.
    pub bytes_with_temporary: u64,
    /// The temporary arena. If it is smaller, releases before 1.5 do not load the method.
    pub temporary_bytes: u64,
}

impl MethodNeeds {
    pub(super) fn of(
        program: &Pte<'_>,
        method: Method<'_>,
        values: &Values<'_>,
        releases: &[Release],
        has_data: bool,
        budget: &mut ItemBudget,
    ) -> Option<Self> {
        let plan = method.plan();
        let name = plan.name().ok().flatten().map_or(0, |name| name.as_bytes().len());
        if !budget.admits(name) {
            return None;
        }
        let (state_tensors, state_bytes) = state::of(values, &state::kept(method, values, budget));
        let buffers = buffers(plan, budget);
        let inputs = ports(method.inputs(), budget);
        let outputs = ports(method.outputs(), budget);
        // The arenas visit only parts that the operators or the state have visited, so skip them if the budget is used up.
        let is_small = budget.visit(0).is_some();
        let arenas = if is_small { arenas(program, method, releases, has_data) } else { Vec::new() };
        Some(Self { name: lossy(plan.name()), inputs, outputs, buffers, state_tensors, state_bytes, arenas })
    }

    /// Returns the arena for a release and an ABI.
    #[must_use]
    pub fn arena(&self, release: &str, abi: Abi) -> Option<&ArenaNeeds> {
        self.arenas.iter().find(|arena| arena.release == release && arena.abi == abi)
    }
}

/// Returns the planned buffers, without the reserved first one.
pub(crate) fn buffers(plan: ExecutionPlan<'_>, budget: &mut ItemBudget) -> Vec<BufferNeeds> {
    let mut buffers = Vec::new();
    for bytes in items(plan.non_const_buffer_sizes()).skip(1) {
        if budget.admits(0) {
            buffers.push(BufferNeeds { bytes, device: None });
        }
    }
    for entry in items(plan.non_const_buffer_device()).flatten() {
        let index = entry.buffer_idx().ok().and_then(|index| usize::try_from(index).ok()?.checked_sub(1));
        let buffer = index.and_then(|index| buffers.get_mut(index));
        let (Some(buffer), Ok(ty)) = (buffer, entry.device_type()) else { continue };
        if ty != DeviceType::CPU {
            let name = ty.name().map_or_else(|| ty.0.to_string(), str::to_ascii_lowercase);
            buffer.device = Some(format!("{name}:{}", entry.device_index().unwrap_or_default()));
        }
    }
    buffers
}

fn ports<'a, E>(values: impl Iterator<Item = Result<EValue<'a>, E>>, budget: &mut ItemBudget) -> Vec<PortNeeds> {
    let mut ports = Vec::new();
    for value in values {
        if !budget.admits(0) {
            continue;
        }
        let value = value.ok();
        let name = value.and_then(|value| value.val_type().ok()?.name()).unwrap_or("unknown").to_owned();
        let tensor = match value.map(EValue::val) {
            Some(Ok(Some(KernelTypesValue::Tensor(tensor)))) => Some(TensorPort::of(tensor, budget)),
            _ => None,
        };
        ports.push(PortNeeds { value: name, tensor });
    }
    ports
}

impl TensorPort {
    fn of(tensor: Tensor<'_>, budget: &mut ItemBudget) -> Self {
        let dynamism = tensor.shape_dynamism().ok().and_then(TensorShapeDynamism::name);
        Self {
            dtype: scalar_type(tensor.scalar_type()),
            sizes: dimensions(tensor.sizes(), budget),
            dim_order: dimensions(tensor.dim_order(), budget),
            dynamism: dynamism.unwrap_or("unknown").to_owned(),
        }
    }
}

/// A rejected program can have a tensor of any rank, so the shape counts as text.
pub(super) fn dimensions<'a, T: Element<'a> + 'a, E>(
    list: Result<Option<Vector<'a, T>>, E>,
    budget: &mut ItemBudget,
) -> Vec<T::Item> {
    let list = list.ok().flatten().filter(|list| budget.admits(8 * list.len()));
    list.into_iter().flat_map(Vector::iter).collect()
}

fn arenas(program: &Pte<'_>, method: Method<'_>, releases: &[Release], has_data_map: bool) -> Vec<ArenaNeeds> {
    let setups = releases.iter().flat_map(|release| {
        [Abi::X86_64, Abi::Arm32].into_iter().flat_map(|abi| {
            [None, Some(u64::MAX)].map(|temporary| ArenaSetup { release: *release, abi, temporary, has_data_map })
        })
    });
    let arenas = ArenaSetup::smallest_arenas(&setups.collect::<Vec<_>>(), program, method);
    let mut needs = Vec::new();
    for (release, arenas) in releases.iter().zip(arenas.chunks(4)) {
        let (wide, narrow) = arenas.split_at(2);
        for (abi, arenas) in [(Abi::X86_64, wide), (Abi::Aarch64, wide), (Abi::Arm32, narrow)] {
            let [Some(without), Some(with)] = arenas else { continue };
            needs.push(ArenaNeeds {
                release: release.to_string(),
                abi,
                bytes: without.method,
                bytes_with_temporary: with.method,
                temporary_bytes: without.temporary,
            });
        }
    }
    needs
}

//! The smallest arenas with which a method loads.
//!
//! A runtime allocates a method's structures with the method allocator. The file determines the requests and their order, and the
//! release and the ABI determine their sizes, so the end of the last request is known before the method is loaded.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::Release;
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::{Element, TableView};
use crate::pte::schema::brief::{EValue, ExecutionPlan, Tensor};
use crate::pte::schema::brief_values::{InstructionArgumentsValue, KernelTypesValue};
use crate::pte::schema::{TensorDataLocation, TensorShapeDynamism};
use crate::pte::{Method, Pte};

/// The binary interface that a runtime is compiled for, which determines the sizes of its structures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Abi {
    /// 64-bit x86.
    #[default]
    #[serde(rename = "x86-64")]
    X86_64,
    /// 64-bit Arm, with the same sizes as x86-64.
    #[serde(rename = "aarch64")]
    Aarch64,
    /// 32-bit Arm.
    #[serde(rename = "arm32")]
    Arm32,
}

/// How an application loads a method.
///
/// ```
/// use torchproof::prediction::{Abi, ArenaSetup};
///
/// let bytes = std::fs::read("corpus/real/add.pte").unwrap();
/// let program = torchproof::pte::Pte::open(&bytes).unwrap();
/// let method = program.methods().next().unwrap().unwrap();
/// let release = "executorch:1.5.1".parse().unwrap();
/// let setup = ArenaSetup { release, abi: Abi::X86_64, temporary: None, has_data_map: false };
/// let [Some(arenas)] = ArenaSetup::smallest_arenas(&[setup], &program, method)[..] else { panic!() };
/// assert_eq!(arenas.method, 560);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArenaSetup {
    /// The release.
    pub release: Release,
    /// The ABI.
    pub abi: Abi,
    /// The temporary arena's size, or 0 for an allocator without an arena, such as `malloc`. `None` if the application
    /// passes no temporary allocator.
    pub temporary: Option<u64>,
    /// `true` if the application passes the named data of data files.
    pub has_data_map: bool,
}

/// The sizes in bytes of the smallest arenas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmallestArenas {
    /// The method allocator's arena, from an address that is a multiple of 8 up to the last byte that the runtime uses.
    /// Backends need additional memory.
    pub method: u64,
    /// The temporary arena, with room for each call's tensors. If it is smaller, releases before 1.5 do not load the
    /// method, and later releases use the method allocator instead. Releases before 1.0 need no temporary arena.
    pub temporary: u64,
}

/// A size and an alignment.
type Layout = (u64, u64);

const BYTE: Layout = (1, 1);
const INT32: Layout = (4, 4);
const INT64: Layout = (8, 8);

/// The largest rank of a tensor. Before release 1.5 allocates a call's tensors in the temporary arena, it checks that
/// the arena is large enough for this rank.
const MAX_RANK: u64 = 16;

/// What a runtime allocates for one part of a method. Unnamed numbers are list lengths.
#[derive(Clone, Copy)]
enum Request {
    TemporaryAllocator,
    Values(u64),
    Inputs(u64),
    ExternalConstants(u64),
    IntList(u64),
    TensorList(u64),
    OptionalTensorList(u64),
    /// A string, or a list whose items stay in the file.
    Borrowed,
    Tensor {
        rank: u64,
        is_static: bool,
    },
    Delegates(u64),
    DataMap,
    CompileSpecs(u64),
    Chains(u64),
    Instructions(u64),
    /// The sum of the ranks of all tensors among the arguments.
    KernelCall {
        args: u64,
        ranks: u64,
    },
    DelegateCall(u64),
}

/// The requests so far. An empty request still aligns the end.
#[derive(Clone, Copy, Default)]
struct Arena {
    end: u64,
    temporary: u64,
}

impl Arena {
    fn add(&mut self, (size, alignment): Layout, count: u64) -> Option<()> {
        // Each alignment is a power of two, which saves a division that would take most of the time.
        let start = self.end.checked_add(alignment - 1)? & !(alignment - 1);
        self.end = start.checked_add(size.checked_mul(count)?)?;
        Some(())
    }
}

impl ArenaSetup {
    /// Returns the smallest arenas with which a method loads, one per setup, while reading the method only once.
    ///
    /// A setup gets `None` if its release is older than 0.7.0, or if the method cannot be read.
    #[must_use]
    pub fn smallest_arenas(setups: &[Self], program: &Pte<'_>, method: Method<'_>) -> Vec<Option<SmallestArenas>> {
        let known = |setup: &Self| (setup.release >= Release([0, 7, 0])).then(Arena::default);
        let mut arenas: Vec<Option<Arena>> = setups.iter().map(known).collect();
        let is_read = each_request(program, method, &mut |request| {
            for (setup, arena) in setups.iter().zip(&mut arenas) {
                *arena = arena.and_then(|mut arena| setup.add(request, &mut arena).map(|()| arena));
            }
        });
        let result = |Arena { end, temporary }| SmallestArenas { method: end, temporary };
        arenas.into_iter().map(|arena| arena.filter(|_| is_read.is_some()).map(result)).collect()
    }

    fn add(&self, request: Request, arena: &mut Arena) -> Option<()> {
        let (since_1_0, is_boxed) = (self.release >= Release([1, 0, 0]), self.release >= Release([1, 1, 0]));
        let pointer = self.words(1);
        let list = |arena: &mut Arena, count: u64, item: Layout| {
            arena.add(pointer, count)?;
            arena.add(item, count)?;
            // Since 1.1, a value points to a list instead of containing it.
            if is_boxed { arena.add(self.words(3), 1) } else { Some(()) }
        };
        match request {
            Request::TemporaryAllocator if self.temporary.is_none() => arena.add(self.by_abi((48, 8), (28, 4)), 1),
            Request::Values(count) if is_boxed => arena.add((16, 8), count),
            Request::Values(count) => arena.add(self.by_abi((32, 8), (24, 8)), count),
            Request::Inputs(count) if since_1_0 && count > 0 => arena.add(BYTE, count),
            Request::ExternalConstants(0) => Some(()),
            Request::ExternalConstants(count) if is_boxed => arena.add(self.by_abi((48, 8), (40, 8)), count),
            Request::ExternalConstants(count) => arena.add(self.words(5), count),
            Request::IntList(count) => list(arena, count, INT64),
            Request::TensorList(count) => list(arena, count, pointer),
            Request::OptionalTensorList(count) => list(arena, count, self.words(2)),
            Request::Borrowed if is_boxed => arena.add(self.words(2), 1),
            Request::Tensor { rank, is_static } => {
                if !is_static {
                    arena.add(INT32, rank)?;
                    arena.add(BYTE, rank)?;
                }
                arena.add(INT32, rank)?;
                arena.add(self.words(8), 1)
            }
            Request::Delegates(count) if is_boxed => arena.add(self.by_abi((56, 8), (40, 8)), count),
            Request::Delegates(count) => arena.add(self.words(6), count),
            Request::DataMap if since_1_0 && self.has_data_map => arena.add(self.words(3), 1),
            Request::CompileSpecs(count) => arena.add(self.words(3), count),
            Request::Chains(count) => arena.add(self.words(4), count),
            Request::Instructions(count) => {
                arena.add(pointer, count)?;
                arena.add(self.words(2), count)
            }
            Request::KernelCall { args, ranks } => {
                arena.add(pointer, args)?;
                let (meta, _) = self.words(3);
                let needed = match self.release {
                    release if release < Release([1, 0, 0]) => 0,
                    release if release < Release([1, 5, 0]) => args.checked_mul(meta)?.checked_add(ranks)?,
                    _ => args.checked_mul(meta + MAX_RANK)?,
                };
                arena.temporary = arena.temporary.max(needed);
                let given = self.temporary.filter(|size| since_1_0 && *size > 0);
                if given.is_some_and(|size| size >= needed || self.release < Release([1, 5, 0])) {
                    return Some(());
                }
                arena.add(self.words(3), args)?;
                arena.add(BYTE, ranks)
            }
            Request::DelegateCall(args) => arena.add(pointer, args),
            _ => Some(()),
        }
    }

    /// Returns the layout of a structure with this number of pointers.
    fn words(&self, count: u64) -> Layout {
        let word = if self.abi == Abi::Arm32 { 4 } else { 8 };
        (count * word, word)
    }

    fn by_abi(&self, wide: Layout, narrow: Layout) -> Layout {
        if self.abi == Abi::Arm32 { narrow } else { wide }
    }
}

/// Passes the requests to `take`, in the order in which a runtime makes them. Returns `None` if the method cannot be
/// read, or if it refers to the same parts so often that the time would not be linear in the file's size.
fn each_request(program: &Pte<'_>, method: Method<'_>, take: &mut dyn FnMut(Request)) -> Option<()> {
    let plan = ExecutionPlan::from_table(method.plan().table());
    let values = plan.values().ok()?;
    let mut left = (1 << 20) + 16 * program.region().len();
    let mut visit = |items: usize| {
        left = left.checked_sub(items)?;
        Some(())
    };
    take(Request::TemporaryAllocator);
    take(Request::Values(len(values)));
    take(Request::Inputs(len(plan.inputs().ok()?)));
    let mut external = 0;
    // Read each value only once, although many calls have the same arguments.
    let mut requests = Vec::new();
    for value in values.into_iter().flat_map(Vector::iter) {
        requests.push(request_of(value.ok()?, &mut external)?);
    }
    take(Request::ExternalConstants(external));
    requests.iter().flatten().for_each(|request| take(*request));
    let delegates = plan.delegates().ok()?;
    take(Request::Delegates(len(delegates)));
    if program.program().named_data().ok()?.is_some() {
        take(Request::DataMap);
    }
    for delegate in delegates.into_iter().flat_map(Vector::iter) {
        if let Some(specs) = delegate.ok()?.compile_specs().ok()? {
            take(Request::CompileSpecs(specs.len() as u64));
        }
    }
    let chains = plan.chains().ok()?;
    take(Request::Chains(len(chains)));
    for chain in chains.into_iter().flat_map(Vector::iter) {
        let instructions = chain.ok()?.instructions().ok()?;
        take(Request::Instructions(len(instructions)));
        visit(instructions.map_or(0, Vector::len))?;
        for instruction in instructions.into_iter().flat_map(Vector::iter) {
            match instruction.ok()?.instr_args().ok()? {
                Some(InstructionArgumentsValue::KernelCall(call)) => {
                    let args = call.args().ok()?;
                    visit(args.map_or(0, Vector::len))?;
                    let mut sum = 0_u64;
                    for arg in args.into_iter().flat_map(Vector::iter) {
                        if let Some(Request::Tensor { rank, .. }) = requests.get(usize::try_from(arg).ok()?)? {
                            sum = sum.checked_add(*rank)?;
                        }
                    }
                    take(Request::KernelCall { args: len(args), ranks: sum });
                }
                Some(InstructionArgumentsValue::DelegateCall(call)) => {
                    take(Request::DelegateCall(len(call.args().ok()?)));
                }
                _ => {}
            }
        }
    }
    Some(())
}

/// Returns what a runtime allocates for a value. Increases `external` if the value is an external constant.
fn request_of(value: EValue<'_>, external: &mut u64) -> Option<Option<Request>> {
    Some(Some(match value.val().ok()? {
        Some(KernelTypesValue::IntList(list)) => Request::IntList(len(list.items().ok()?)),
        Some(KernelTypesValue::TensorList(list)) => Request::TensorList(len(list.items().ok()?)),
        Some(KernelTypesValue::OptionalTensorList(list)) => Request::OptionalTensorList(len(list.items().ok()?)),
        Some(KernelTypesValue::BoolList(_) | KernelTypesValue::DoubleList(_) | KernelTypesValue::String(_)) => {
            Request::Borrowed
        }
        Some(KernelTypesValue::Tensor(tensor)) => {
            *external += u64::from(is_external_constant(tensor));
            let is_static = tensor.shape_dynamism().ok()? == TensorShapeDynamism::STATIC;
            Request::Tensor { rank: len(tensor.sizes().ok()?), is_static }
        }
        _ => return Some(None),
    }))
}

fn is_external_constant(tensor: Tensor<'_>) -> bool {
    let extra = tensor.extra_tensor_info().ok().flatten();
    extra.is_some_and(|extra| extra.location() == Ok(TensorDataLocation::EXTERNAL))
        && matches!(tensor.allocation_info(), Ok(None))
}

fn len<'a, T: Element<'a>>(items: Option<Vector<'a, T>>) -> u64 {
    items.map_or(0, |items| items.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real_files::real_file;

    fn arenas(name: &str, setup: ArenaSetup) -> [Option<u64>; 2] {
        let bytes = real_file(name);
        let program = Pte::open(&bytes).unwrap();
        let method = program.methods().next().unwrap().unwrap();
        let found = ArenaSetup::smallest_arenas(&[setup], &program, method).remove(0);
        [found.map(|found| found.method), found.map(|found| found.temporary)]
    }

    fn setup(release: [u16; 3], abi: Abi) -> ArenaSetup {
        ArenaSetup { release: Release(release), abi, temporary: None, has_data_map: false }
    }

    /// Measured with a counting allocator on the released runtimes.
    #[test]
    fn arenas_equal_the_measured_ones() {
        for (name, wide, narrow) in [("add.pte", 560, 340), ("linear.pte", 1081, 665), ("conv.pte", 4113, 2585)] {
            for (abi, measured) in [(Abi::X86_64, wide), (Abi::Aarch64, wide), (Abi::Arm32, narrow)] {
                assert_eq!(arenas(name, setup([1, 5, 1], abi))[0], Some(measured), "{name} {abi:?}");
            }
        }
    }

    /// The call of `add` has 5 arguments, 4 of them tensors with 2 dimensions.
    #[test]
    fn the_release_decides_which_arena_has_the_tensors_of_a_call() {
        let of = |release, temporary| arenas("add.pte", ArenaSetup { temporary, ..setup(release, Abi::X86_64) });
        let (allocator, metas) = (48, 5 * 24 + 4 * 2);
        let (least, checked) = (Some(metas), Some(5 * (24 + 16)));
        assert_eq!(of([0, 6, 0], None)[0], None);
        assert_eq!(of([1, 5, 1], Some(0)), [Some(560 - allocator), checked]);
        assert_eq!(of([1, 5, 1], Some(5 * 40 - 1)), [Some(560 - allocator), checked]);
        assert_eq!(of([1, 5, 1], Some(5 * 40)), [Some(560 - allocator - metas), checked]);
        assert_eq!(of([1, 4, 1], Some(1)), [Some(560 - allocator - metas), least]);
        assert_eq!(of([0, 7, 0], Some(1)), [of([0, 7, 0], Some(0))[0], Some(0)]);
        assert!(of([1, 0, 1], None)[0] > of([1, 1, 0], None)[0]);
    }
}

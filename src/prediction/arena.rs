//! The smallest arenas with which a method loads.
//!
//! A runtime takes the structures of a method from the method allocator. The requests and their order follow from the file, and the
//! sizes follow from the release and the ABI, so the end of the last request is known before the method is loaded.

use serde::{Deserialize, Serialize};

use super::Release;
use super::context::{is_external, tensor_of};
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::Element;
use crate::pte::schema::{Instruction, InstructionArgumentsValue, KernelTypesValue, Tensor, TensorShapeDynamism};
use crate::pte::{Method, Pte};

/// The binary interface for which a runtime is compiled. It decides the sizes of the runtime's structures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Abi {
    /// 64-bit x86.
    #[default]
    #[serde(rename = "x86-64")]
    X86_64,
    /// 64-bit Arm, which has the sizes of x86-64.
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
/// assert_eq!(setup.smallest_arena(&program, method), Some(560));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArenaSetup {
    /// The release.
    pub release: Release,
    /// The ABI.
    pub abi: Abi,
    /// The size of the temporary arena; 0 for an allocator without an arena, such as one that uses `malloc`. `None` if the application
    /// passes no temporary allocator.
    pub temporary: Option<u64>,
    /// Whether the application passes the named data of data files.
    pub has_data_map: bool,
}

/// A size and an alignment.
type Layout = (u64, u64);

const BYTE: Layout = (1, 1);
const INT32: Layout = (4, 4);
const INT64: Layout = (8, 8);

/// The largest rank of a tensor. Before it takes the tensors of a call from the temporary arena, 1.5 compares the size of the arena with
/// the size that this rank needs.
const MAX_RANK: u64 = 16;

impl ArenaSetup {
    /// Returns the number of bytes from an address that is a multiple of 8 up to the last byte that the runtime takes from the method
    /// allocator while it loads the method. The allocations of backends come on top.
    ///
    /// Returns `None` if the release is older than 0.7.0, or if the method cannot be read.
    #[must_use]
    pub fn smallest_arena(&self, program: &Pte<'_>, method: Method<'_>) -> Option<u64> {
        let mut arena = Arena::new(program);
        self.load(program, method, &mut arena)?;
        Some(arena.end)
    }

    /// Returns the size of the smallest temporary arena that has room for the tensors of each call. The runtime empties it after each
    /// call. With a smaller one, releases before 1.5 do not load the method, and later releases take the room from the method allocator.
    ///
    /// Returns 0 for releases before 1.0, and `None` if the method cannot be read.
    #[must_use]
    pub fn smallest_temporary_arena(&self, program: &Pte<'_>, method: Method<'_>) -> Option<u64> {
        let (mut whole, mut largest) = (Arena::new(program), 0);
        self.each_instruction(method, &mut whole, &mut |instruction, whole| {
            if let Some(args) = kernel_args(instruction)? {
                let mut arena = Arena { end: 0, left: whole.left };
                self.tensor_metas(method, args, &mut arena)?;
                let checked = self.checked_size(args.len() as u64);
                (largest, whole.left) = (checked.unwrap_or(arena.end).max(largest), arena.left);
            }
            Some(())
        })?;
        Some(if self.release < Release([1, 0, 0]) { 0 } else { largest })
    }

    /// Returns the size with which the runtime compares the temporary arena before a call with this number of arguments. Releases before
    /// 1.5 make no comparison.
    fn checked_size(&self, args: u64) -> Option<u64> {
        let (meta, _) = self.words(3);
        (self.release >= Release([1, 5, 0])).then(|| args.saturating_mul(meta + MAX_RANK))
    }

    fn load(&self, program: &Pte<'_>, method: Method<'_>, arena: &mut Arena) -> Option<()> {
        let plan = method.plan();
        let values = plan.values().ok()?;
        if self.release < Release([0, 7, 0]) {
            return None;
        }
        if self.temporary.is_none() {
            arena.request(self.by_abi((48, 8), (28, 4)), 1)?;
        }
        arena.list(self.evalue(), values)?;
        if plan.inputs().ok()?.is_some_and(|inputs| !inputs.is_empty()) && self.release >= Release([1, 0, 0]) {
            arena.list(BYTE, plan.inputs().ok()?)?;
        }
        let mut external = 0;
        for (_, tensor) in method.tensors().map_while(Result::ok) {
            arena.visit(1)?;
            external += u64::from(is_external_constant(tensor)?);
        }
        if external > 0 {
            arena.request(self.named_data(), external)?;
        }
        for value in values.into_iter().flat_map(Vector::iter) {
            arena.visit(1)?;
            self.value(value.ok()?.val().ok()?, arena)?;
        }
        let delegates = plan.delegates().ok()?;
        arena.list(self.delegate(), delegates)?;
        if self.has_data_map && self.release >= Release([1, 0, 0]) && program.program().named_data().ok()?.is_some() {
            arena.request(self.words(3), 1)?;
        }
        for delegate in delegates.into_iter().flat_map(Vector::iter) {
            arena.visit(1)?;
            if let Some(specs) = delegate.ok()?.compile_specs().ok()? {
                arena.list(self.words(3), Some(specs))?;
            }
        }
        arena.list(self.words(4), plan.chains().ok()?)?;
        self.each_instruction(method, arena, &mut |instruction, arena| self.instruction(method, instruction, arena))
    }

    /// Requests the lists of each chain, and then calls `each` for its instructions.
    fn each_instruction<'a>(
        &self,
        method: Method<'a>,
        arena: &mut Arena,
        each: &mut dyn FnMut(Instruction<'a>, &mut Arena) -> Option<()>,
    ) -> Option<()> {
        for chain in method.plan().chains().ok()?.into_iter().flat_map(Vector::iter) {
            let instructions = chain.ok()?.instructions().ok()?;
            arena.list(self.words(1), instructions)?;
            arena.list(self.words(2), instructions)?;
            arena.visit(1)?;
            for instruction in instructions.into_iter().flat_map(Vector::iter) {
                arena.visit(1)?;
                each(instruction.ok()?, arena)?;
            }
        }
        Some(())
    }

    fn instruction(&self, method: Method<'_>, instruction: Instruction<'_>, arena: &mut Arena) -> Option<()> {
        if let Some(args) = kernel_args(instruction)? {
            arena.list(self.words(1), Some(args))?;
            if !self.is_temporary(args.len() as u64) {
                self.tensor_metas(method, args, arena)?;
            }
        } else if let Some(InstructionArgumentsValue::DelegateCall(call)) = instruction.instr_args().ok()? {
            arena.list(self.words(1), call.args().ok()?)?;
        }
        Some(())
    }

    /// Returns whether the runtime takes the descriptions of the tensors of a call with this number of arguments from the temporary arena.
    fn is_temporary(&self, args: u64) -> bool {
        let Some(size) = self.temporary.filter(|size| *size > 0) else { return false };
        self.release >= Release([1, 0, 0]) && self.checked_size(args).is_none_or(|checked| size >= checked)
    }

    fn tensor_metas(&self, method: Method<'_>, args: Vector<'_, i32>, arena: &mut Arena) -> Option<()> {
        arena.list(self.words(3), Some(args))?;
        for arg in args.iter() {
            arena.visit(1)?;
            if let Some(tensor) = tensor_of(method.value(arg).ok()?) {
                arena.list(BYTE, tensor.sizes().ok()?)?;
            }
        }
        Some(())
    }

    fn value(&self, value: Option<KernelTypesValue<'_>>, arena: &mut Arena) -> Option<()> {
        // Since 1.1, a value points to a list instead of containing it.
        let (is_boxed, pointer) = (self.release >= Release([1, 1, 0]), self.words(1));
        let list = |arena: &mut Arena, len: usize, layouts: [Layout; 2]| {
            layouts.into_iter().try_for_each(|layout| arena.request(layout, len as u64))?;
            if is_boxed { arena.request(self.words(3), 1) } else { Some(()) }
        };
        match value {
            Some(KernelTypesValue::IntList(ints)) => {
                list(arena, ints.items().ok()?.map_or(0, Vector::len), [pointer, INT64])
            }
            Some(KernelTypesValue::TensorList(tensors)) => {
                list(arena, tensors.items().ok()?.map_or(0, Vector::len), [pointer, pointer])
            }
            Some(KernelTypesValue::OptionalTensorList(tensors)) => {
                list(arena, tensors.items().ok()?.map_or(0, Vector::len), [pointer, self.words(2)])
            }
            Some(KernelTypesValue::BoolList(_) | KernelTypesValue::DoubleList(_) | KernelTypesValue::String(_))
                if is_boxed =>
            {
                arena.request(self.words(2), 1)
            }
            Some(KernelTypesValue::Tensor(tensor)) => {
                let sizes = tensor.sizes().ok()?;
                if tensor.shape_dynamism().ok()? != TensorShapeDynamism::STATIC {
                    arena.list(INT32, sizes)?;
                    arena.list(BYTE, sizes)?;
                }
                arena.list(INT32, sizes)?;
                arena.request(self.words(8), 1)
            }
            _ => Some(()),
        }
    }

    /// Returns the layout of a structure of this number of pointers.
    fn words(&self, count: u64) -> Layout {
        let word = if self.abi == Abi::Arm32 { 4 } else { 8 };
        (count * word, word)
    }

    fn by_abi(&self, wide: Layout, narrow: Layout) -> Layout {
        if self.abi == Abi::Arm32 { narrow } else { wide }
    }

    fn evalue(&self) -> Layout {
        if self.release < Release([1, 1, 0]) { self.by_abi((32, 8), (24, 8)) } else { (16, 8) }
    }

    fn delegate(&self) -> Layout {
        if self.release < Release([1, 1, 0]) { self.words(6) } else { self.by_abi((56, 8), (40, 8)) }
    }

    fn named_data(&self) -> Layout {
        if self.release < Release([1, 1, 0]) { self.words(5) } else { self.by_abi((48, 8), (40, 8)) }
    }
}

fn kernel_args(instruction: Instruction<'_>) -> Option<Option<Vector<'_, i32>>> {
    match instruction.instr_args().ok()? {
        Some(InstructionArgumentsValue::KernelCall(call)) => call.args().ok(),
        _ => Some(None),
    }
}

fn is_external_constant(tensor: Tensor<'_>) -> Option<bool> {
    let extra = tensor.extra_tensor_info().ok()?;
    Some(extra.is_some_and(is_external) && tensor.allocation_info().ok()?.is_none())
}

struct Arena {
    end: u64,
    /// The number of items that may still be visited. A method can refer to the same chain many times, and the time stays linear in the
    /// size of the file.
    left: u64,
}

impl Arena {
    fn new(program: &Pte<'_>) -> Self {
        Self { end: 0, left: (1 << 20) + 16 * program.region().len() as u64 }
    }

    fn visit(&mut self, items: u64) -> Option<()> {
        self.left = self.left.checked_sub(items)?;
        Some(())
    }

    /// An empty request still aligns the end.
    fn request(&mut self, (size, alignment): Layout, count: u64) -> Option<()> {
        self.end = self.end.checked_next_multiple_of(alignment)?.checked_add(size.checked_mul(count)?)?;
        Some(())
    }

    fn list<'a, T: Element<'a>>(&mut self, layout: Layout, items: Option<Vector<'a, T>>) -> Option<()> {
        self.request(layout, items.map_or(0, Vector::len) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real_files::real_file;

    fn arenas(name: &str, setup: ArenaSetup) -> [Option<u64>; 2] {
        let bytes = real_file(name);
        let program = Pte::open(&bytes).unwrap();
        let method = program.methods().next().unwrap().unwrap();
        [setup.smallest_arena(&program, method), setup.smallest_temporary_arena(&program, method)]
    }

    fn setup(release: [u16; 3], abi: Abi) -> ArenaSetup {
        ArenaSetup { release: Release(release), abi, temporary: None, has_data_map: false }
    }

    /// A counting allocator measured these sizes on the released runtimes.
    #[test]
    fn arenas_equal_the_measured_ones() {
        for (name, wide, narrow) in [("add.pte", 560, 340), ("linear.pte", 1081, 665), ("conv.pte", 4113, 2585)] {
            for (abi, measured) in [(Abi::X86_64, wide), (Abi::Aarch64, wide), (Abi::Arm32, narrow)] {
                assert_eq!(arenas(name, setup([1, 5, 1], abi))[0], Some(measured), "{name} {abi:?}");
            }
        }
    }

    /// The call of `add` has 5 arguments, of which 4 are tensors with 2 dimensions.
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

//! Making methods: values, operators, instructions and delegates, each under the index that it gets.

use alloc::vec;
use alloc::vec::Vec;

use super::{
    BackendDelegate, BackendDelegateDataReference, Chain, ContainerMetadata, DelegateCall, EValue, ExecutionPlan,
    FreeCall, Instruction, InstructionArguments, JumpFalseCall, KernelCall, MoveCall, Operator, Text,
};
use crate::pte::schema::DataLocation;

impl ExecutionPlan {
    /// A method of this name that does nothing: an empty chain, and the reserved entry 0 of the planned buffers.
    ///
    /// ```
    /// use torchproof::pte::model::ExecutionPlan;
    /// let plan = ExecutionPlan::new("forward");
    /// assert_eq!(plan.non_const_buffer_sizes, Some(vec![0]));
    /// ```
    #[must_use]
    pub fn new(name: impl Into<Text>) -> Self {
        let shapes =
            ContainerMetadata { encoded_inp_str: Some(Text::default()), encoded_out_str: Some(Text::default()) };
        Self {
            name: Some(name.into()),
            container_meta_type: Some(shapes),
            values: Some(Vec::new()),
            inputs: Some(Vec::new()),
            outputs: Some(Vec::new()),
            chains: Some(vec![Chain::new(Vec::new())]),
            operators: Some(Vec::new()),
            delegates: Some(Vec::new()),
            non_const_buffer_sizes: Some(vec![0]),
            non_const_buffer_device: None,
        }
    }

    /// The same method with these inputs and outputs, by their values' indexes.
    ///
    /// ```
    /// use torchproof::pte::model::ExecutionPlan;
    /// let mut plan = ExecutionPlan::new("identity");
    /// let value = plan.push_value(1.5);
    /// assert_eq!(plan.with_io([value], [value]).inputs, Some(vec![0]));
    /// ```
    #[must_use]
    pub fn with_io(self, inputs: impl Into<Vec<i32>>, outputs: impl Into<Vec<i32>>) -> Self {
        Self { inputs: Some(inputs.into()), outputs: Some(outputs.into()), ..self }
    }

    /// Adds a value, and gives its index.
    ///
    /// ```
    /// use torchproof::pte::model::ExecutionPlan;
    /// let mut plan = ExecutionPlan::new("forward");
    /// assert_eq!((plan.push_value(true), plan.push_value("text")), (0, 1));
    /// ```
    pub fn push_value(&mut self, value: impl Into<EValue>) -> i32 {
        push(&mut self.values, value.into())
    }

    /// Adds an operator, and gives its index.
    ///
    /// ```
    /// use torchproof::pte::model::{ExecutionPlan, Operator};
    /// let mut plan = ExecutionPlan::new("forward");
    /// assert_eq!(plan.push_operator(Operator::new("aten::add", "out")), 0);
    /// ```
    pub fn push_operator(&mut self, operator: Operator) -> i32 {
        push(&mut self.operators, operator)
    }

    /// Adds a delegate, and gives its index.
    ///
    /// ```
    /// use torchproof::pte::model::{BackendDelegate, ExecutionPlan};
    /// let mut plan = ExecutionPlan::new("forward");
    /// assert_eq!(plan.push_delegate(BackendDelegate::in_segment("ExampleBackend", 1)), 0);
    /// ```
    pub fn push_delegate(&mut self, delegate: BackendDelegate) -> i32 {
        push(&mut self.delegates, delegate)
    }

    /// Adds a planned buffer of so many bytes, and gives its `memory_id`.
    ///
    /// ```
    /// use torchproof::pte::model::ExecutionPlan;
    /// let mut plan = ExecutionPlan::new("forward");
    /// assert_eq!(plan.push_buffer(1 << 20), 1); // entry 0 is reserved
    /// ```
    pub fn push_buffer(&mut self, bytes: i64) -> u32 {
        let sizes = self.non_const_buffer_sizes.get_or_insert_default();
        if sizes.is_empty() {
            sizes.push(0);
        }
        push(&mut self.non_const_buffer_sizes, bytes).unsigned_abs()
    }

    /// Adds an instruction to the first chain, and gives its index there.
    ///
    /// ```
    /// use torchproof::pte::model::{ExecutionPlan, MoveCall};
    /// let mut plan = ExecutionPlan::new("forward");
    /// let (from, to) = (plan.push_value(1_i64), plan.push_value(2_i64));
    /// assert_eq!(plan.push_instruction(MoveCall { move_from: from, move_to: to }), 0);
    /// ```
    pub fn push_instruction(&mut self, instruction: impl Into<Instruction>) -> i32 {
        let chains = self.chains.get_or_insert_default();
        if chains.is_empty() {
            chains.push(Chain::new(Vec::new()));
        }
        push(&mut chains[0].instructions, instruction.into())
    }
}

/// Adds to a list, and gives the index; a list of more than 2^31 entries is one that no file has room for.
fn push<T>(list: &mut Option<Vec<T>>, item: T) -> i32 {
    let list = list.get_or_insert_default();
    list.push(item);
    i32::try_from(list.len() - 1).unwrap_or(i32::MAX)
}

impl Chain {
    /// These instructions, in order.
    ///
    /// ```
    /// use torchproof::pte::model::{Chain, FreeCall};
    /// let chain = Chain::new(vec![FreeCall { value_index: 3 }.into()]);
    /// assert_eq!(chain.instructions.unwrap().len(), 1);
    /// ```
    #[must_use]
    pub fn new(instructions: Vec<Instruction>) -> Self {
        Self { inputs: Some(Vec::new()), outputs: Some(Vec::new()), instructions: Some(instructions), stacktrace: None }
    }
}

impl Operator {
    /// An operator by name and overload.
    ///
    /// ```
    /// use torchproof::pte::model::Operator;
    /// assert_eq!(Operator::new("aten::add", "out").overload.unwrap(), "out");
    /// ```
    #[must_use]
    pub fn new(name: impl Into<Text>, overload: impl Into<Text>) -> Self {
        Self { name: Some(name.into()), overload: Some(overload.into()) }
    }
}

impl KernelCall {
    /// Runs the operator of this index on the values of these.
    ///
    /// ```
    /// use torchproof::pte::model::KernelCall;
    /// assert_eq!(KernelCall::new(0, [1, 2]).args, Some(vec![1, 2]));
    /// ```
    #[must_use]
    pub fn new(op_index: i32, args: impl Into<Vec<i32>>) -> Self {
        Self { op_index, args: Some(args.into()) }
    }
}

impl DelegateCall {
    /// Runs the delegate of this index on the values of these.
    ///
    /// ```
    /// use torchproof::pte::model::DelegateCall;
    /// assert_eq!(DelegateCall::new(0, [1, 2]).args, Some(vec![1, 2]));
    /// ```
    #[must_use]
    pub fn new(delegate_index: i32, args: impl Into<Vec<i32>>) -> Self {
        Self { delegate_index, args: Some(args.into()) }
    }
}

impl BackendDelegate {
    /// A part for this backend, whose blob is the segment of this index.
    ///
    /// ```
    /// use torchproof::pte::model::BackendDelegate;
    /// assert_eq!(BackendDelegate::in_segment("ExampleBackend", 1).processed.unwrap().index, 1);
    /// ```
    #[must_use]
    pub fn in_segment(id: impl Into<Text>, segment: u32) -> Self {
        Self::at(id.into(), DataLocation::SEGMENT, segment)
    }

    /// A part for this backend, whose blob is the entry of this index in `Program.backend_delegate_data`.
    ///
    /// ```
    /// use torchproof::pte::model::BackendDelegate;
    /// assert_eq!(BackendDelegate::inline("ExampleBackend", 0).processed.unwrap().index, 0);
    /// ```
    #[must_use]
    pub fn inline(id: impl Into<Text>, index: u32) -> Self {
        Self::at(id.into(), DataLocation::INLINE, index)
    }

    fn at(id: Text, location: DataLocation, index: u32) -> Self {
        let processed = BackendDelegateDataReference { location, index };
        Self { id: Some(id), processed: Some(processed), compile_specs: Some(Vec::new()) }
    }
}

macro_rules! instructions {
    ($($member:ident),*) => {$(
        impl From<$member> for Instruction {
            fn from(call: $member) -> Self {
                Self { instr_args: Some(InstructionArguments::$member(call)) }
            }
        }
    )*};
}

instructions!(KernelCall, DelegateCall, MoveCall, JumpFalseCall, FreeCall);

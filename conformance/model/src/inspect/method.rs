//! The methods of a program as tables: inputs, outputs, values, operators, delegates and instructions.

use serde::Serialize;
use torchproof::Error;
use torchproof::flatbuffer::schema::Element;
use torchproof::flatbuffer::{Fault, Vector};
use torchproof::pte::schema::{
    BackendDelegate, EValue, Instruction, InstructionArgumentsValue, KernelTypesValue, Operator, TensorShapeDynamism,
};
use torchproof::pte::{Method, Pte};
use torchproof_text::escape::plain_line;

use super::budget::RowBudget;
use super::columns::{Types, index, item};
use super::plan::PlanOutput;
use super::stored::{Place, Stored, full_name, name_of, place};
use super::tables::{DelegateOutput, InstructionTable, OperatorTable, PortOutput, ValueTable};
use crate::ModelFile;
use crate::fields::operators;
use crate::fields::vector::{items, len};
use crate::fields::words::lossy;
use crate::needs::{ItemBudget, blob, blob_header};

/// A method.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MethodOutput {
    /// The name.
    pub name: String,
    /// The inputs.
    pub inputs: Vec<PortOutput>,
    /// The outputs.
    pub outputs: Vec<PortOutput>,
    /// The values, one row each.
    pub values: ValueTable,
    /// The operators that kernel calls name by index, one row each.
    pub operators: OperatorTable,
    /// The delegates that delegate calls name by index.
    pub delegates: Vec<DelegateOutput>,
    /// The instructions of all chains in file order, one row each.
    pub instructions: InstructionTable,
    /// The memory plan.
    pub plan: PlanOutput,
}

/// The maximum number of methods shown for a program.
pub(super) const MOST_METHODS: usize = 1024;

/// The maximum total size of the values of constant methods, in bytes.
pub(super) const TEXT: usize = 1 << 20;

/// A method that only returns values, such as the model's metadata.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConstantMethod {
    /// The method's name.
    pub name: String,
    /// The values that it returns, as text.
    pub values: Vec<String>,
}

impl ConstantMethod {
    /// Returns a program's constant methods.
    #[must_use]
    pub fn all(program: &Pte<'_>) -> Vec<Self> {
        let mut left = TEXT;
        program.methods().flatten().take(MOST_METHODS).filter_map(|method| Self::of(method, &mut left)).collect()
    }

    /// Returns `None` for a method that has inputs or instructions, or returns a tensor.
    pub(super) fn of(method: Method<'_>, left: &mut usize) -> Option<Self> {
        const MOST: usize = 64;
        if len(method.plan().inputs()) > 0
            || len(method.plan().outputs()) == 0
            || method.instructions().next().is_some()
        {
            return None;
        }
        let name = method.name().ok().filter(|name| take(left, name.as_bytes().len()))?;
        let values = method.outputs().take(MOST).map(|output| shown(method, output.ok()?, &mut |len| take(left, len)));
        Some(Self {
            name: String::from_utf8_lossy(name.as_bytes()).into_owned(),
            values: values.collect::<Option<_>>()?,
        })
    }
}

/// Subtracts a number from the rest of a budget.
fn take(left: &mut usize, len: usize) -> bool {
    let rest = left.checked_sub(len.saturating_add(16));
    *left = rest.unwrap_or(0);
    rest.is_some()
}

/// A value other than a tensor, as text. Many values can share a long text, so `admits` first decides by its length.
fn shown(method: Method<'_>, value: EValue<'_>, admits: &mut dyn FnMut(usize) -> bool) -> Option<String> {
    const LONGEST: usize = 4096;
    let int = |index: i64| match method.value(i32::try_from(index).ok()?).ok()?.val().ok()?? {
        KernelTypesValue::Int(int) => int.int_val().ok(),
        _ => None,
    };
    Some(match value.val().ok().flatten() {
        Some(KernelTypesValue::Int(int)) => int.int_val().ok()?.to_string(),
        Some(KernelTypesValue::Bool(bool)) => bool.bool_val().ok()?.to_string(),
        Some(KernelTypesValue::Double(double)) => format!("{:?}", double.double_val().ok()?),
        Some(KernelTypesValue::String(string)) => {
            let text = string.string_val().ok().flatten()?.as_bytes();
            // A character has at most 4 bytes.
            let text = text.get(..4 * (LONGEST + 1)).unwrap_or(text);
            plain_line(&String::from_utf8_lossy(text), admits(text.len()).then_some(LONGEST)?)
        }
        Some(KernelTypesValue::IntList(ints)) => {
            list(ints.items(), |item| int(item).map_or("?".to_owned(), |int| int.to_string()))
        }
        Some(KernelTypesValue::DoubleList(doubles)) => list(doubles.items(), |item| format!("{item:?}")),
        Some(KernelTypesValue::BoolList(bools)) => list(bools.items(), |item| item.to_string()),
        Some(KernelTypesValue::TensorList(tensors)) => list(tensors.items(), |item| format!("#{item}")),
        Some(KernelTypesValue::OptionalTensorList(tensors)) => list(tensors.items(), |item| format!("#{item}")),
        Some(KernelTypesValue::Null(_)) => "null".to_owned(),
        _ => return None,
    })
}

fn list<'a, T: Element<'a> + 'a>(
    field: Result<Option<Vector<'a, T>>, Fault>,
    text: impl Fn(T::Item) -> String,
) -> String {
    const MOST: usize = 32;
    let (all, shown) = (len(field), items(field).take(MOST).map(text).collect::<Vec<_>>());
    let more = if all > MOST { format!(", … {all} in all") } else { String::new() };
    format!("[{}{more}]", shown.join(", "))
}

/// How much of a method to read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// What the first screen needs.
    Brief,
    Whole,
}

/// What a method's tables need.
pub(super) struct MethodReader<'r, 'f> {
    pub(super) program: &'r Pte<'f>,
    pub(super) file: &'r ModelFile<'f>,
    pub(super) stored: &'r Stored,
    /// Maps each part of `stored` to its final number.
    pub(super) numbers: &'r [i32],
    pub(super) types: &'r mut Types,
    pub(super) budget: &'r mut RowBudget,
    pub(super) items: &'r mut ItemBudget,
}

impl MethodReader<'_, '_> {
    pub(super) fn read(&mut self, method: Method<'_>, detail: Detail) -> MethodOutput {
        let plan = method.plan();
        let name = if self.budget.visit(plan.name().ok().flatten().map_or(0, |name| name.as_bytes().len())) {
            lossy(plan.name())
        } else {
            String::new()
        };
        let [kernel_calls, delegate_calls] = operators::calls(method);
        let operators = self.operators(method, kernel_calls);
        if detail == Detail::Brief {
            let delegates = self.delegates(method, delegate_calls);
            let [inputs, outputs] = [plan.inputs(), plan.outputs()].map(|list| self.ports(method, list, 64));
            return MethodOutput { name, inputs, outputs, operators, delegates, ..MethodOutput::default() };
        }
        let mut values = self.values(method);
        let instructions = self.instructions(method, &operators, &mut values);
        let delegates = self.delegates(method, delegate_calls);
        let [inputs, outputs] = [plan.inputs(), plan.outputs()].map(|list| self.ports(method, list, 1 << 16));
        let plan = PlanOutput::of(method, &values, &instructions, &operators, self.budget, self.items);
        MethodOutput { name, inputs, outputs, values, operators, delegates, instructions, plan }
    }

    fn ports(
        &mut self,
        method: Method<'_>,
        list: Result<Option<Vector<'_, i32>>, Fault>,
        most: usize,
    ) -> Vec<PortOutput> {
        let mut ports = Vec::new();
        for index in items(list).take(most) {
            let value = method.value(index).ok();
            let tensor = match value.and_then(|value| value.val().ok()?) {
                Some(KernelTypesValue::Tensor(tensor)) => Some(tensor),
                _ => None,
            };
            let tensor = tensor.filter(|tensor| self.budget.visit(len(tensor.sizes())));
            let ty = value.map_or("unknown", type_name).to_owned();
            ports.push(PortOutput { value: index, ty, tensor: tensor.map(|tensor| self.types.of(tensor)) });
        }
        ports
    }

    fn operators(&mut self, method: Method<'_>, calls: Vec<usize>) -> OperatorTable {
        let mut table = OperatorTable::default();
        for (operator, calls) in method.operators().zip(calls) {
            let text = |operator: Operator<'_>| {
                [operator.name(), operator.overload()]
                    .map(|part| part.ok().flatten().map_or(0, |part| part.as_bytes().len()))
            };
            if !self.budget.admits(operator.as_ref().map_or(0, |operator| text(*operator).iter().sum())) {
                self.budget.omit(|| "operators".to_owned());
                break;
            }
            table.name.push(operator.map_or("?".to_owned(), operators::whole_name));
            table.calls.push(calls);
        }
        table
    }

    fn values(&mut self, method: Method<'_>) -> ValueTable {
        let mut table = ValueTable::default();
        for value in items(method.plan().values()) {
            if !self.budget.admits(0) {
                self.budget.omit(|| "values".to_owned());
                break;
            }
            let value = value.ok();
            table.ty.push(value.map(type_name));
            let tensor = match value.and_then(|value| value.val().ok()?) {
                Some(KernelTypesValue::Tensor(tensor)) => Some(tensor),
                _ => None,
            };
            let dimensions = tensor.map_or(0, |tensor| len(tensor.sizes()).saturating_add(name_of(tensor).len()));
            let tensor = tensor.filter(|_| self.budget.visit(dimensions));
            table.tensor.push(tensor.map_or(-1, |tensor| self.types.of(tensor)));
            table.place.push(tensor.map(|tensor| match place(tensor) {
                Place::Constant(_) => "constant",
                Place::State(..) => "mutable",
                Place::External => "external",
                Place::Planned => "planned",
                Place::Nowhere if tensor.shape_dynamism() == Ok(TensorShapeDynamism::DYNAMIC_UNBOUND) => "unbound",
                Place::Nowhere => "none",
            }));
            let part = tensor.and_then(|tensor| self.stored.part_of(tensor));
            table.part.push(part.and_then(|part| self.numbers.get(part).copied()).unwrap_or(-1));
            table.name.push(tensor.map(full_name).filter(|name| !name.is_empty()).as_deref());
            let text = value
                .filter(|_| tensor.is_none())
                .and_then(|value| shown(method, value, &mut |len| self.budget.visit(len)));
            table.shown.push(text.filter(|text| self.budget.visit(text.len())).as_deref());
        }
        table
    }

    fn delegates(&mut self, method: Method<'_>, calls: Vec<usize>) -> Vec<DelegateOutput> {
        let mut delegates = Vec::new();
        for (delegate, calls) in method.delegates().zip(calls) {
            let Ok(delegate) = delegate else { continue };
            let specs = len(delegate.compile_specs());
            let id = delegate.id().ok().flatten().map_or(0, |id| id.as_bytes().len());
            if !self.budget.admits(id.saturating_add(specs)) {
                self.budget.omit(|| "delegates".to_owned());
                break;
            }
            let backend = lossy(delegate.id());
            let place = blob(self.program, delegate);
            let part = place.and_then(|span| self.numbers.get(self.stored.blob_at(span)?).copied());
            delegates.push(DelegateOutput {
                bytes: place.map_or(0, |span| span.len),
                calls: calls as u64,
                part,
                states: place.and_then(|span| blob_header(&backend, span, self.file)),
                settings: settings(delegate, self.budget),
                backend,
            });
        }
        delegates
    }

    fn instructions(
        &mut self,
        method: Method<'_>,
        operators: &OperatorTable,
        values: &mut ValueTable,
    ) -> InstructionTable {
        let mut table = InstructionTable::default();
        let mut written: Vec<bool> =
            values.place.iter().map(|place| !matches!(place, Some("planned" | "none" | "unbound"))).collect();
        for input in items(method.plan().inputs()) {
            set(&mut written, input);
            give(values, input, "input");
        }
        items(method.plan().outputs()).for_each(|output| give(values, output, "output"));
        let chains = items(method.plan().chains()).enumerate();
        let has_several = len(method.plan().chains()) > 1;
        for (chain, instructions) in chains {
            let instructions = chain_of(instructions.ok().and_then(|chain| chain.instructions().ok()?));
            for instruction in instructions {
                let call = instruction.ok().and_then(|instruction| instruction.instr_args().ok()?);
                let parts = match &call {
                    Some(InstructionArgumentsValue::KernelCall(call)) => len(call.args()),
                    Some(InstructionArgumentsValue::DelegateCall(call)) => len(call.args()),
                    _ => 2,
                };
                if !self.budget.admits(parts) {
                    self.budget.omit(|| "instructions".to_owned());
                    return table;
                }
                self.instruction(method, call, operators, values, &mut written, &mut table);
                if has_several {
                    table.chain.push(index(chain));
                }
            }
        }
        table
    }

    fn instruction(
        &mut self,
        method: Method<'_>,
        call: Option<InstructionArgumentsValue<'_>>,
        operators: &OperatorTable,
        values: &mut ValueTable,
        written: &mut [bool],
        table: &mut InstructionTable,
    ) {
        let (kind, target, args, writes) = match call {
            Some(InstructionArgumentsValue::KernelCall(call)) => {
                let operator = call.op_index().unwrap_or(-1);
                let args: Vec<i32> = items(call.args()).collect();
                let mut writes = Vec::new();
                if let Some(last) = args.last().copied() {
                    writes.push(last);
                    writes.extend(self.list_items(method, last));
                }
                if operators.is_view(operator) {
                    writes.iter().for_each(|value| give(values, *value, "view"));
                }
                ("kernel", operator, args, writes)
            }
            Some(InstructionArgumentsValue::DelegateCall(call)) => {
                let args: Vec<i32> = items(call.args()).collect();
                let is_new = |value: &&i32| item(written, **value) == Some(&false);
                let writes = args.iter().filter(is_new).copied().collect();
                ("delegate", call.delegate_index().unwrap_or(-1), args, writes)
            }
            Some(InstructionArgumentsValue::MoveCall(call)) => {
                let (from, to) = (call.move_from().unwrap_or(-1), call.move_to().unwrap_or(-1));
                give(values, to, "view");
                ("move", -1, vec![from, to], vec![to])
            }
            Some(InstructionArgumentsValue::JumpFalseCall(call)) => {
                let condition = vec![call.cond_value_index().unwrap_or(-1)];
                ("jump", call.destination_instruction().unwrap_or(-1), condition, Vec::new())
            }
            Some(InstructionArgumentsValue::FreeCall(call)) => {
                ("free", -1, vec![call.value_index().unwrap_or(-1)], Vec::new())
            }
            _ => ("", -1, Vec::new(), Vec::new()),
        };
        writes.iter().for_each(|value| set(written, *value));
        table.kind.push(Some(kind).filter(|kind| !kind.is_empty()));
        table.target.push(target);
        table.args.push(Some(args));
        table.writes.push(Some(writes));
    }

    fn list_items(&mut self, method: Method<'_>, value: i32) -> Vec<i32> {
        let list = match method.value(value).ok().and_then(|value| value.val().ok()?) {
            Some(KernelTypesValue::TensorList(list)) => list.items(),
            Some(KernelTypesValue::OptionalTensorList(list)) => list.items(),
            _ => return Vec::new(),
        };
        if self.budget.visit(len(list)) { items(list).filter(|item| *item >= 0).collect() } else { Vec::new() }
    }
}

fn chain_of<'a>(
    instructions: Option<torchproof::flatbuffer::Vector<'a, Instruction<'a>>>,
) -> impl Iterator<Item = Result<Instruction<'a>, Error>> {
    instructions.into_iter().flat_map(|all| all.iter().map(|instruction| instruction.map_err(Error::from)))
}

fn settings(delegate: BackendDelegate<'_>, budget: &mut RowBudget) -> Vec<String> {
    const SHORT: usize = 32;
    let mut settings = Vec::new();
    for spec in items(delegate.compile_specs()).flatten() {
        let value = spec.value().ok().flatten().map_or(&[][..], |value| value.as_bytes());
        let text = std::str::from_utf8(value).ok().filter(|text| !text.is_empty() && text.len() <= SHORT);
        let text = text.filter(|text| text.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
        let key = spec.key().ok().flatten().map_or(0, |key| key.as_bytes().len());
        if !budget.admits(key.saturating_add(SHORT)) {
            break;
        }
        let key = lossy(spec.key());
        settings.push(text.map_or_else(|| format!("{key}: {} bytes", value.len()), |text| format!("{key}={text}")));
    }
    settings
}

fn type_name(value: EValue<'_>) -> &'static str {
    value.val_type().ok().and_then(torchproof::pte::schema::KernelTypes::name).unwrap_or("unknown")
}

fn set(flags: &mut [bool], value: i32) {
    if let Some(flag) = usize::try_from(value).ok().and_then(|value| flags.get_mut(value)) {
        *flag = true;
    }
}

/// Sets the place of a value without memory: the caller's memory for inputs and outputs, the source's for a view.
fn give(values: &mut ValueTable, value: i32, place: &'static str) {
    if let Ok(row) = usize::try_from(value)
        && matches!(values.place.get(row), Some("none" | "unbound"))
    {
        values.place.set(row, place);
    }
}

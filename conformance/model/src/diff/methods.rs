//! Methods: inputs and outputs, instructions, delegates and the memory plan.

use std::collections::{BTreeMap, HashMap};

use torchproof_text::counted;

use super::change::{Change, by_name, differing};
use crate::inspect::{DelegateOutput, InspectOutput, MethodOutput, PortOutput, item};

pub(super) fn compare(a: &InspectOutput, b: &InspectOutput, changes: &mut Vec<Change>) {
    let constants = |output: &InspectOutput| -> BTreeMap<String, String> {
        output.constant_methods.iter().map(|method| (method.name.clone(), method.values.join(", "))).collect()
    };
    by_name("metadata", constants(a), constants(b), changes);
    let mut before: BTreeMap<&str, &MethodOutput> = a.methods.iter().map(|method| (&*method.name, method)).collect();
    for method in &b.methods {
        match before.remove(&*method.name) {
            Some(old) => Pair { a, b, before: old, after: method }.compare(changes),
            None => changes.push(Change::new("method", &*method.name, None, Some(summary(b, method)))),
        }
    }
    changes.extend(before.into_values().map(|old| Change::new("method", &*old.name, Some(summary(a, old)), None)));
}

fn summary(output: &InspectOutput, method: &MethodOutput) -> String {
    let list = |ports: &[PortOutput]| ports.iter().map(|port| output.type_of(port)).collect::<Vec<_>>().join(", ");
    let count = method.instructions.rows();
    let count = counted(count as u64, "instruction");
    format!("({}) -> {}; {count}", list(&method.inputs), list(&method.outputs))
}

/// A method in both files.
struct Pair<'p> {
    a: &'p InspectOutput,
    b: &'p InspectOutput,
    before: &'p MethodOutput,
    after: &'p MethodOutput,
}

impl Pair<'_> {
    fn compare(&self, changes: &mut Vec<Change>) {
        let name = &self.after.name;
        let mut found = Vec::new();
        self.ports("input", &self.before.inputs, &self.after.inputs, &mut found);
        self.ports("output", &self.before.outputs, &self.after.outputs, &mut found);
        let operators = |method: &MethodOutput| -> BTreeMap<String, String> {
            let calls = method.operators.name.iter().zip(&method.operators.calls);
            let mut sums = BTreeMap::<String, usize>::new();
            calls.for_each(|(name, calls)| *sums.entry(name.clone()).or_default() += calls);
            sums.into_iter().map(|(name, calls)| (name, counted(calls as u64, "call"))).collect()
        };
        let (old, new) = (operators(self.before), operators(self.after));
        let is_alike = old == new;
        by_name("operator", old, new, &mut found);
        self.instructions(is_alike, &mut found);
        self.delegates(&mut found);
        self.plan(&mut found);
        changes.extend(found.into_iter().map(|change| change.of_method(name)));
    }

    fn ports(&self, what: &'static str, before: &[PortOutput], after: &[PortOutput], changes: &mut Vec<Change>) {
        for number in 0..before.len().max(after.len()) {
            let old = before.get(number).map(|port| self.a.type_of(port));
            let new = after.get(number).map(|port| self.b.type_of(port));
            changes.extend(differing(what, &format!("{what} {number}"), old, new));
        }
    }

    /// Compares the instructions in order. Values are numbered by first use, because every export numbers them anew.
    fn instructions(&self, is_alike: bool, changes: &mut Vec<Change>) {
        let (old, new) = (Program::new(self.a, self.before), Program::new(self.b, self.after));
        let (mut old_numbers, mut new_numbers) = (HashMap::new(), HashMap::new());
        let (count, new_count) = (self.before.instructions.rows(), self.after.instructions.rows());
        let differs = |row: &usize| old.text(*row, &mut old_numbers) != new.text(*row, &mut new_numbers);
        let first = (0..count.min(new_count)).find(differs);
        if count != new_count {
            let text = |count: usize| Some(counted(count as u64, "instruction"));
            changes.push(Change::new("instructions", "count", text(count), text(new_count)));
        }
        if let Some(row) = first.filter(|_| is_alike) {
            let [old, new] = [&old, &new].map(|program| Some(program.line(row)));
            changes.push(Change::new("instructions", format!("first difference at {row}"), old, new));
        }
    }

    /// Delegates of the same backend are paired in order.
    fn delegates(&self, changes: &mut Vec<Change>) {
        let mut old = HashMap::<&str, std::collections::VecDeque<&DelegateOutput>>::new();
        self.before.delegates.iter().for_each(|delegate| old.entry(&delegate.backend).or_default().push_back(delegate));
        for (number, new) in self.after.delegates.iter().enumerate() {
            let before = old.get_mut(&*new.backend).and_then(std::collections::VecDeque::pop_front);
            let text = |output: &InspectOutput, delegate: &DelegateOutput| {
                let digest = digest(output, delegate).map_or(String::new(), |digest| format!(" ({digest})"));
                let more = delegate.states.iter().chain(&delegate.settings).map(|text| format!("; {text}"));
                format!("{}{digest}{}", counted(delegate.calls, "call"), more.collect::<String>())
            };
            let (before_text, after_text) = (before.map(|old| text(self.a, old)), text(self.b, new));
            let name = format!("{} {number}", new.backend);
            if before_text.as_ref() != Some(&after_text) {
                let change = Change::new("delegate", name, before_text, Some(after_text));
                changes.push(change.sized(before.map(|old| old.bytes), Some(new.bytes)));
            }
        }
        for delegate in old.into_values().flatten() {
            let change = Change::new("delegate", &*delegate.backend, Some(counted(delegate.calls, "call")), None);
            changes.push(change.sized(Some(delegate.bytes), None));
        }
    }

    fn plan(&self, changes: &mut Vec<Change>) {
        let (before, after) = (&self.before.plan, &self.after.plan);
        for number in 0..before.buffers.len().max(after.buffers.len()) {
            let [old, new] = [before, after].map(|plan| plan.buffers.get(number));
            let text = |buffer: &crate::inspect::PlannedBuffer| {
                let device = buffer.buffer.device.as_ref().map_or(String::new(), |device| format!(" on {device}"));
                format!("{} B{device}", buffer.buffer.bytes)
            };
            let change = differing("plan", &format!("buffer {}", number + 1), old.map(text), new.map(text));
            let bytes = |buffer: &crate::inspect::PlannedBuffer| u64::try_from(buffer.buffer.bytes).unwrap_or(0);
            changes.extend(change.map(|change| change.sized(old.map(bytes), new.map(bytes))));
        }
        if before.state_bytes != after.state_bytes {
            let [old, new] = [before, after].map(|plan| Some(format!("{} B", plan.state_bytes)));
            let change = Change::new("plan", "state", old, new);
            changes.push(change.sized(Some(before.state_bytes), Some(after.state_bytes)));
        }
        let count = |plan: &crate::inspect::PlanOutput| Some(plan.tensors.value.len());
        changes.extend(differing("plan", "planned tensors", count(before), count(after)));
    }
}

fn digest<'o>(output: &'o InspectOutput, delegate: &DelegateOutput) -> Option<&'o str> {
    item(&output.bytes.parts.digest, delegate.part?)?.get(..8)
}

/// The instructions of a method as text.
struct Program<'p> {
    output: &'p InspectOutput,
    method: &'p MethodOutput,
}

impl<'p> Program<'p> {
    fn new(output: &'p InspectOutput, method: &'p MethodOutput) -> Self {
        Self { output, method }
    }

    fn what(&self, row: usize) -> &str {
        let instructions = &self.method.instructions;
        match instructions.kind.get(row) {
            Some("kernel") => item(&self.method.operators.name, instructions.target[row]).map_or("?", String::as_str),
            kind => kind.unwrap_or("?"),
        }
    }

    fn text(&self, row: usize, numbers: &mut HashMap<i32, usize>) -> String {
        let target = match self.method.instructions.kind.get(row) {
            Some("kernel") => -1,
            _ => self.method.instructions.target[row],
        };
        let args = self.method.instructions.args.get(row).iter().map(|value| {
            let next = numbers.len();
            let number = *numbers.entry(*value).or_insert(next);
            format!(" {number}:{}", self.value(*value))
        });
        format!("{} {target}{}", self.what(row), args.collect::<String>())
    }

    fn line(&self, row: usize) -> String {
        let args = self.method.instructions.args.get(row).iter().map(|value| self.value(*value));
        format!("{}({})", self.what(row), args.collect::<Vec<_>>().join(", "))
    }

    fn value(&self, value: i32) -> String {
        let Ok(row) = usize::try_from(value) else { return "?".to_owned() };
        let values = &self.method.values;
        match values.tensor.get(row).and_then(|tensor| self.output.tensor_type(*tensor)) {
            Some(ty) => ty.text(),
            None => values.shown.get(row).or(values.ty.get(row)).unwrap_or("?").to_owned(),
        }
    }
}

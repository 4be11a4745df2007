//! A method's operators: their names, and how often the method calls them.

use torchproof::flatbuffer::{Fault, Str};
use torchproof::pte::Method;
use torchproof::pte::schema::{InstructionArgumentsValue, Operator};

use super::words::{lossy, printable};

/// Returns how often each operator and each delegate is called.
pub fn calls(method: Method<'_>) -> [Vec<usize>; 2] {
    let mut calls = [method.operators().count(), method.delegates().count()].map(|count| vec![0; count]);
    for instruction in method.instructions().flatten() {
        let (of, index) = match instruction.instr_args() {
            Ok(Some(InstructionArgumentsValue::KernelCall(call))) => (0, call.op_index()),
            Ok(Some(InstructionArgumentsValue::DelegateCall(call))) => (1, call.delegate_index()),
            _ => continue,
        };
        let index = index.ok().and_then(|index| usize::try_from(index).ok());
        if let Some(calls) = index.and_then(|index| calls[of].get_mut(index)) {
            *calls += 1;
        }
    }
    calls
}

/// Returns the name and the overload in full, such as `aten::add.out`.
pub fn whole_name(operator: Operator<'_>) -> String {
    let (name, overload) = (lossy(operator.name()), lossy(operator.overload()));
    if overload.is_empty() { name } else { format!("{name}.{overload}") }
}

/// Returns the name and the overload, escaped and shortened.
pub fn name(operator: Operator<'_>) -> String {
    let part = |field: Result<Option<Str<'_>>, Fault>| match field {
        Ok(text) => text.map_or(String::new(), |text| printable(text.as_bytes())),
        Err(_) => "?".to_owned(),
    };
    let (name, overload) = (part(operator.name()), part(operator.overload()));
    if overload.is_empty() { name } else { format!("{name}.{overload}") }
}

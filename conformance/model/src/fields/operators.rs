//! The operators of a method: their names, and how often the method calls them.

use torchproof::flatbuffer::{Fault, Str};
use torchproof::pte::Method;
use torchproof::pte::schema::{InstructionArgumentsValue, Operator};

use super::words::printable;

pub fn calls(method: Method<'_>) -> Vec<usize> {
    let mut calls = vec![0; method.operators().count()];
    for instruction in method.instructions().flatten() {
        if let Ok(Some(InstructionArgumentsValue::KernelCall(call))) = instruction.instr_args() {
            let index = call.op_index().ok().and_then(|index| usize::try_from(index).ok());
            if let Some(calls) = index.and_then(|index| calls.get_mut(index)) {
                *calls += 1;
            }
        }
    }
    calls
}

/// The name and the overload, such as `aten::add.out`.
pub fn name(operator: Operator<'_>) -> String {
    let part = |field: Result<Option<Str<'_>>, Fault>| match field {
        Ok(text) => text.map_or(String::new(), |text| printable(text.as_bytes())),
        Err(_) => "?".to_owned(),
    };
    let (name, overload) = (part(operator.name()), part(operator.overload()));
    if overload.is_empty() { name } else { format!("{name}.{overload}") }
}

//! The section about operators: the operators of all methods, with the most frequently called operator first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use torchproof::flatbuffer::{Fault, Str};
use torchproof::pte::schema::{ExecutionPlan, InstructionArgumentsValue, Operator, Program};

use super::report::Report;
use super::text::printable;
use super::vector::{items, len};
use crate::text::counted;

/// Reports the operators, with the most frequently called operator first.
pub(super) fn describe(program: Program<'_>, report: &mut Report) {
    let mut operators = BTreeMap::<String, (usize, usize)>::new();
    for plan in items(program.execution_plan()).flatten() {
        for (operator, calls) in items(plan.operators()).zip(calls(plan)) {
            let (all, methods) = operators.entry(operator.map_or("?".to_owned(), name)).or_default();
            *all += calls;
            *methods += 1;
        }
    }
    let total = operators.len();
    if total == 0 {
        return report.heading("Operators: none");
    }
    let mut operators: Vec<(String, (usize, usize))> = operators.into_iter().collect();
    operators.sort_by_key(|(_, (calls, _))| Reverse(*calls));
    report.heading(format_args!("Operators: {total}"));
    let mut rows = report.rows(&["operator", ">calls", "in"]);
    for (name, (calls, methods)) in operators {
        rows.add(|| [name, calls.to_string(), counted(methods, "method")]);
    }
    report.table(&rows);
}

/// Returns the number of calls of each operator in the plan.
fn calls(plan: ExecutionPlan<'_>) -> Vec<usize> {
    let mut calls = vec![0; len(plan.operators())];
    for instruction in items(plan.chains()).flatten().flat_map(|chain| items(chain.instructions())).flatten() {
        if let Ok(Some(InstructionArgumentsValue::KernelCall(call))) = instruction.instr_args() {
            let index = call.op_index().ok().and_then(|index| usize::try_from(index).ok());
            if let Some(calls) = index.and_then(|index| calls.get_mut(index)) {
                *calls += 1;
            }
        }
    }
    calls
}

/// Returns the name and the overload of an operator, such as `aten::add.out`.
fn name(operator: Operator<'_>) -> String {
    let part = |field: Result<Option<Str<'_>>, Fault>| match field {
        Ok(text) => text.map_or(String::new(), |text| printable(text.as_bytes())),
        Err(_) => "?".to_owned(),
    };
    let (name, overload) = (part(operator.name()), part(operator.overload()));
    if overload.is_empty() { name } else { format!("{name}.{overload}") }
}

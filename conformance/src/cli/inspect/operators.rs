//! The operators of all methods, by how often they are called.

use std::collections::BTreeMap;

use torchproof::pte::schema::{ExecutionPlan, InstructionArgumentsValue, Operator, Program};

use super::report::Report;
use super::text::{count, printable, table};
use super::vector::{items, len};

/// The operators that the methods name, the most called first.
pub(super) fn describe(program: Program<'_>, report: &mut Report) {
    let mut operators = BTreeMap::<String, (usize, usize)>::new();
    for plan in items(program.execution_plan()).flatten() {
        let calls = calls(plan);
        for (operator, calls) in items(plan.operators()).zip(calls) {
            let name = operator.map_or("?".to_owned(), name);
            let (all, methods) = operators.entry(name).or_default();
            *all += calls;
            *methods += 1;
        }
    }
    let total = operators.len();
    if total == 0 {
        return report.heading("Operators: none");
    }
    let mut operators: Vec<(String, (usize, usize))> = operators.into_iter().collect();
    operators.sort_by_key(|(_, (calls, _))| std::cmp::Reverse(*calls));
    report.heading(format_args!("Operators: {total}"));
    let mut rows = table(&["operator", ">calls", "in"]);
    for (name, (calls, methods)) in operators.into_iter().take(report.rows()) {
        rows.add_row([name, calls.to_string(), count(methods, "method")]);
    }
    report.table(&rows, total);
}

/// How often each of the plan's operators is called.
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

/// `aten::add.out`.
fn name(operator: Operator<'_>) -> String {
    let part = |field: Result<Option<torchproof::flatbuffer::Str<'_>>, _>| match field {
        Ok(Some(text)) => printable(text.as_bytes()),
        Ok(None) => String::new(),
        Err::<_, torchproof::flatbuffer::Fault>(_) => "?".to_owned(),
    };
    let (name, overload) = (part(operator.name()), part(operator.overload()));
    if overload.is_empty() { name } else { format!("{name}.{overload}") }
}

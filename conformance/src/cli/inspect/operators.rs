//! The section about operators: the operators of all methods, with the most frequently called operator first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use torchproof::pte::schema::Program;

use super::report::Report;
use crate::file::operators::{calls, name};
use crate::file::vector::items;
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

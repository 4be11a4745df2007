//! The section about operators: the operators of all methods, with the most frequently called operator first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use torchproof::pte::Pte;
use torchproof_harness::text::counted;

use super::report::Report;
use crate::fields::operators::{calls, name};

pub(super) fn describe(file: &Pte<'_>, report: &mut Report) {
    let mut operators = BTreeMap::<String, (usize, usize)>::new();
    for method in file.methods().flatten() {
        for (operator, calls) in method.operators().zip(calls(method)) {
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

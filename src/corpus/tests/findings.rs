//! Snapshot of all of the checker's findings for each case.
//!
//! For each file, it has the kind and verdict, the number of findings of each strength, the tables and bytes that were
//! visited, and each finding's rule, field, span and message.

use alloc::string::String;
use core::fmt::Write as _;

use super::{all, checked};
use crate::check::Summary;

#[test]
fn findings_match_the_snapshot() {
    let mut text = String::new();
    for case in all() {
        let report = checked(case, &case.build().bytes, case.target.unwrap_or_default());
        let Summary { kind, must, should, may, tables, apparent_size, .. } = report.summary;
        let verdict = [report.accepts(), report.rejects()];
        let visited = [u64::from(tables), apparent_size];
        let _ = writeln!(text, "{}: {kind} {verdict:?} {:?} {visited:?}", case.id, [must, should, may]);
        for finding in &report.findings {
            let _ = writeln!(text, "    {finding}");
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("findings", text));
}

//! What the checker finds in each case, in full: kind, verdict, counts, tables and bytes visited; and of each finding the rule, the
//! field, the bytes and the sentence.

use alloc::string::String;
use core::fmt::Write as _;

use super::{all, checked};
use crate::check::Summary;

#[test]
fn every_finding_is_told_as_before() {
    let mut told = String::new();
    for case in all() {
        let report = checked(case, &case.build().bytes, case.target.unwrap_or_default());
        let Summary { kind, must, should, may, tables, apparent_size, .. } = report.summary;
        let verdict = [report.accepts(), report.rejects()];
        let visited = [u64::from(tables), apparent_size];
        let _ = writeln!(told, "{}: {kind} {verdict:?} {:?} {visited:?}", case.id, [must, should, may]);
        for finding in &report.findings {
            let _ = writeln!(told, "    {finding}");
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("findings", told));
}

//! Checks every case as the command does. For some cases, also compares the output of `check` with a snapshot.

use std::collections::BTreeMap;
use std::fmt::Write;

use libtest_mimic::{Failed, Trial};
use torchproof::check::{Checker, Target};
use torchproof::corpus::Verdict;
use torchproof::rules::Strength;
use torchproof_cli::findings::{examine, text};

use super::fresh;

/// Cases whose outputs have different forms: kinds of files; findings in the header, in tables, in segments and in a
/// second file; long and empty spans; bytes past the end; and several findings.
const RENDERED: [&str; 30] = [
    "bpte/output/dim-order-differs",
    "bpte/program/absent",
    "bpte/tensor/bytes-wrap",
    "bpte/value/bool-2",
    "ptd-legacy/segments/overlap",
    "ptd-legacy/tensors/alignment-0",
    "ptd/header/absent",
    "ptd/identifier/size-prefix",
    "ptd/oddity/empty",
    "ptd/segments/empty-past-file",
    "ptd/structure/element-0",
    "ptd/trailing/page-padding",
    "ptd/truncated/after-flatbuffer",
    "pte/constants/buffer-index-max",
    "pte/delegates/compile-spec-key-absent",
    "pte/external/blob-in-program-and-data",
    "pte/header/base-inside-program",
    "pte/identifier/letters",
    "pte/instructions/arg-past-end",
    "pte/kernels/copy-index-by-tensor",
    "pte/limits/a-million-tables",
    "pte/memory/buffer-one-byte-short",
    "pte/metadata/key-upper-case",
    "pte/method/buffer-device-index-minus-1",
    "pte/named-data/key-absent",
    "pte/segments/base-sum-wraps",
    "pte/structure/backend-not-terminated",
    "pte/tensors/bytes-2-to-32",
    "pte/valid/constants",
    "pte/vectors/bool-list",
];

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let mut areas: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for case in torchproof::corpus::all() {
        let (area, _) = case.id.rsplit_once('/').unwrap();
        areas.entry(area.to_owned()).or_default().push(case.id);
    }
    let areas = areas.into_iter();
    let of_area = |(area, ids): (String, Vec<&'static str>)| {
        Trial::test(format!("check/{area}"), move || ids.iter().try_for_each(|id| judge(id).map(|_| ())))
    };
    areas.map(of_area).chain([Trial::test("check/rendered", expect_text)])
}

fn judge(id: &str) -> Result<String, Failed> {
    let case = torchproof::corpus::find(id).ok_or_else(|| format!("found no case {id}"))?;
    let (path, companions) = fresh::paths(id);
    let checker = Checker::new().target(case.target.unwrap_or_default());
    let (input, examined) = examine(&fresh::FOLDER.join(path), &companions, &checker)?;
    let only_there = case.target == Some(Target::Bits32) && case.rule.strength == Strength::Must;
    let rejects = case.verdict == Verdict::Reject || only_there;
    if examined.report.stopped.is_some() || examined.rejects(false) != rejects {
        return Err(text::summary(id, &examined, false).into());
    }
    let is_named = examined.report.findings.iter().any(|finding| finding.rule == case.rule);
    if case.verdict == Verdict::Reject && case.target.is_none() && !is_named {
        return Err(format!("{id}: no finding names {}", case.rule.id).into());
    }
    // The paths of the companions begin with a folder that depends on the machine.
    let text = text::render(path.strip_prefix("files/").unwrap(), &input, &examined, false, false);
    Ok(text.replace(&format!("{}/files/", fresh::FOLDER.display()), ""))
}

fn expect_text() -> Result<(), Failed> {
    let mut all = String::new();
    for id in RENDERED {
        let _ = writeln!(all, "── {}\n\n{}", torchproof::corpus::find(id).unwrap().title, judge(id)?);
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("rendered", all));
    Ok(())
}

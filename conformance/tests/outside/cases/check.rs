//! Compares the output of `check` for each case with a snapshot. Each area has its own snapshot. These snapshots omit
//! the messages, because the library's snapshots contain the messages.

use std::collections::BTreeMap;
use std::fmt::Write;

use libtest_mimic::{Failed, Trial};
use torchproof::check::{Checker, Target};
use torchproof::corpus::Verdict;
use torchproof::rules::Strength;
use torchproof_cli::findings::{examine, text};

use super::fresh;

/// Returns one test for each area.
pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let mut areas: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for case in torchproof::corpus::all() {
        let (area, _) = case.id.rsplit_once('/').unwrap();
        areas.entry(area.to_owned()).or_default().push(case.id);
    }
    areas.into_iter().map(|(area, mut ids)| {
        ids.sort_unstable();
        Trial::test(format!("check/{area}"), move || expect_output(&area, &ids))
    })
}

fn expect_output(area: &str, ids: &[&str]) -> Result<(), Failed> {
    let mut all = String::new();
    for id in ids {
        let case = torchproof::corpus::find(id).unwrap();
        let (path, companions) = fresh::paths(id);
        let checker = Checker::new().target(case.target.unwrap_or_default());
        let (input, examined) = examine(&fresh::FOLDER.join(path), &companions, &checker)?;
        let only_there = case.target == Some(Target::Bits32) && case.rule.strength == Strength::Must;
        let rejects = case.verdict == Verdict::Reject || only_there;
        let rejected = examined.rejects(false) || examined.report.rejected_companion.is_some();
        if examined.report.stopped.is_some() || rejected != rejects {
            return Err(text::summary(id, &examined, false).into());
        }
        let _ = writeln!(all, "── {}\n", case.title);
        let output = text::render(path.strip_prefix("files/").unwrap(), &input, &examined, false, false);
        let sentences = examined.report.findings.iter().map(|finding| format!(": {}", finding.message));
        let output = sentences.fold(output, |output, sentence| output.replace(&sentence, ""));
        // The output contains the paths of companion files. Remove the folder from these paths, because the folder
        // depends on the machine.
        all += &output.replace(&format!("{}/files/", fresh::FOLDER.display()), "");
        all.push('\n');
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(area.replace('/', "_"), all));
    Ok(())
}

//! The text report's crashes: a row for each site, and the exception behind most crashes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use torchproof_harness::run::grade::Grade;
use torchproof_harness::text::counted;
use torchproof_harness::text::escape::plain_line;

use super::layout::{Layout, grid, heading, line};
use crate::report::failure::{FailedCase, Failure};

/// The maximum number of sites, unless the report is verbose.
const SITES: usize = 15;
/// The maximum number of characters in a site.
const SITE: usize = 60;

/// The failures in which the runner or a fault ended the reader, each with the case.
fn terminations<'a>(cases: &'a [FailedCase<'a>]) -> impl Iterator<Item = (&'a str, &'a Failure<'a>)> {
    let all = cases.iter().flat_map(|case| case.failures.iter().map(|failure| (case.id, failure)));
    all.filter(|(_, failure)| matches!(failure.record.grade, Grade::Crash | Grade::Hang | Grade::Resource))
}

/// Lists the most severe site first. Lists nothing for a single crash, because the list of failures already shows it.
pub(super) fn by_site(cases: &[FailedCase<'_>], layout: Layout) -> String {
    if terminations(cases).nth(1).is_none() {
        return String::new();
    }
    let mut sites = BTreeMap::new();
    for (case, failure) in terminations(cases) {
        let record = failure.record;
        let key = (record.grade.severity(), &*failure.reader.name, record.site.as_ref().map(|crash| &crash.site));
        let (_, cases) = sites.entry(key).or_insert_with(|| (failure, BTreeSet::new()));
        cases.insert(case);
    }
    let mut rows: Vec<_> = sites.into_iter().collect();
    rows.sort_by_key(|((severity, ..), (_, cases))| (*severity, Reverse(cases.len())));
    let mut table = grid(["site", "cases", "reader", "first case"].map(str::to_owned));
    let shown = layout.shown(rows.len(), SITES);
    for (_, (failure, cases)) in &rows[..shown] {
        let site = failure.record.site.as_ref().map_or_else(|| failure.record.described(), ToString::to_string);
        let first = cases.first().copied().unwrap_or_default();
        let count = format!("{} {}", cases.len(), failure.record.grade);
        table.add_row([&plain_line(&site, SITE), &count, &heading(&failure.reader.name), first]);
    }
    let mut out = table.trim_fmt() + "\n";
    if shown < rows.len() {
        line(&mut out, format_args!(" … and {}; --verbose prints all", counted(rows.len() - shown, "more site")));
    }
    out
}

/// Returns a line for each reader in which a single exception type causes at least half of the crashes.
pub(super) fn exceptions(cases: &[FailedCase<'_>]) -> String {
    let mut readers: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (_, failure) in terminations(cases).filter(|(_, failure)| failure.record.grade == Grade::Crash) {
        let exception = failure.record.site.as_ref().map_or("", |site| &*site.exception);
        *readers.entry(&failure.reader.name).or_default().entry(exception).or_default() += 1;
    }
    let mut out = String::new();
    for (reader, exceptions) in readers {
        let total: usize = exceptions.values().sum();
        let most = exceptions.into_iter().filter(|(name, _)| !name.is_empty()).max_by_key(|(_, count)| *count);
        if let Some((name, count)) = most.filter(|(_, count)| *count > 1 && count * 2 >= total) {
            let cure = "if the reader uses it to reject files, catch it in the adapter and report a rejection";
            line(&mut out, format_args!("{reader}: {count} of {total} crashes are an uncaught {name}; {cure}"));
        }
    }
    out
}

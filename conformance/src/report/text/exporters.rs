//! The results for files by exporters, grouped by the exporter's release.

use std::collections::BTreeMap;

use torchproof_harness::run::record::{Record, RunReport, area, count};

use super::layout::{grid, heading, tally};

/// Returns a row for each release, oldest first, or nothing if no id has an area such as `by-1-1-0`.
pub(super) fn by_exporter(report: &RunReport) -> String {
    let mut rows: BTreeMap<Vec<u32>, BTreeMap<&str, Vec<&Record>>> = BTreeMap::new();
    for record in &report.results {
        if let Some(release) = release(&record.case) {
            rows.entry(release).or_default().entry(&record.reader).or_default().push(record);
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let readers = report.readers.iter().map(|reader| heading(&reader.reader));
    let mut table = grid([heading("exporter")].into_iter().chain(readers));
    for (release, results) in rows {
        let numbers: Vec<String> = release.iter().map(u32::to_string).collect();
        let cell =
            |reader: &str| results.get(reader).map_or("-".to_owned(), |all| tally(&count(all.iter().copied()), "\n"));
        let cells = report.readers.iter().map(|reader| cell(&reader.reader));
        table.add_row([numbers.join(".")].into_iter().chain(cells));
    }
    table.trim_fmt() + "\n"
}

fn release(case: &str) -> Option<Vec<u32>> {
    let numbers = area(case).split_once("/by-")?.1;
    numbers.split('-').map(|number| number.parse().ok()).collect()
}

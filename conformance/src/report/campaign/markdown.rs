//! A campaign report as Markdown.

use std::fmt::Write;

use torchproof_harness::text::counted;

use super::entry::{CampaignReport, ClusterEntry};
use crate::render::markdown::{fence, inline, row, table};

pub(super) fn markdown(report: &CampaignReport) -> String {
    let CampaignReport { version, seed, files, clusters } = report;
    let mut out = format!(
        "# Findings of a fuzzing campaign\n\ntorchproof {version}, seed {seed}: {}, {}.\n",
        counted(*files, "file"),
        counted(clusters.len() as u64, "cluster")
    );
    if !clusters.is_empty() {
        out += "\n";
        out += &table(&["finding", "severity", "reader", ">files"]);
    }
    for ClusterEntry { id, title, severity, reader, count, .. } in clusters {
        let severity = severity.unwrap_or("-");
        out += &row(&[&format!("[{}](#{id})", inline(title)), severity, &inline(reader), &count.to_string()]);
    }
    clusters.iter().for_each(|entry| add(&mut out, entry));
    out
}

fn add(out: &mut String, entry: &ClusterEntry) {
    let _ = writeln!(out, "\n<a id=\"{}\"></a>\n\n## {}\n", entry.id, inline(&entry.title));
    let _ = writeln!(out, "* Reader: {} ({})", inline(&entry.reader), inline(&entry.address));
    let _ = writeln!(out, "* Outcome: {}", inline(&entry.outcome));
    if let Some(severity) = entry.severity {
        let _ = writeln!(out, "* Estimated severity: {severity}");
    }
    if let Some((id, statement)) = entry.rule {
        let _ = writeln!(out, "* Broken rule `{id}`: {statement}");
    }
    let _ = writeln!(out, "* Change: {}", inline(&entry.attack));
    if !entry.frames.is_empty() {
        *out += "\n### Stack\n\n";
        *out += &fence("", &entry.frames.join("\n"));
    }
    *out += "\n### Reproduction\n\n";
    *out += &fence("sh", &entry.script);
    let _ = writeln!(out, "\nWith torchproof: {}", inline(&entry.again));
    for file in &entry.files {
        let _ = writeln!(out, "\n### Bytes of {} ({})\n", file.name, counted(file.size, "byte"));
        *out += &fence("", &file.bytes);
    }
    if !entry.stderr.is_empty() {
        *out += "\n### Output on stderr\n\n";
        *out += &fence("", &entry.stderr);
    }
}

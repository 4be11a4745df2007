//! The report of a campaign as Markdown.

use std::fmt::Write;

use super::entry::{CampaignReport, ClusterEntry};
use crate::text::counted;

/// Returns the report as GitHub-flavoured Markdown.
pub(super) fn markdown(report: &CampaignReport) -> String {
    let CampaignReport { version, seed, files, clusters } = report;
    let mut out = format!(
        "# Findings of a fuzzing campaign\n\ntorchproof {version}, seed {seed}: {}, {}.\n",
        counted(*files, "file"),
        counted(clusters.len() as u64, "cluster")
    );
    if !clusters.is_empty() {
        out += "\n| finding | severity | reader | files |\n|---|---|---|--:|\n";
    }
    for ClusterEntry { id, title, severity, reader, count, .. } in clusters {
        let severity = severity.unwrap_or("-");
        let _ = writeln!(out, "| [{}](#{id}) | {severity} | {} | {count} |", inline(title), inline(reader));
    }
    clusters.iter().for_each(|entry| add(&mut out, entry));
    out
}

/// Appends the section of a cluster.
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
        out.push_str("\n### Stack\n\n");
        fence(out, "", &entry.frames.join("\n"));
    }
    out.push_str("\n### Reproduction\n\n");
    fence(out, "sh", &entry.script);
    let _ = writeln!(out, "\nWith torchproof: {}", inline(&entry.again));
    for file in &entry.files {
        let _ = writeln!(out, "\n### Bytes of {} ({})\n", file.name, counted(file.size, "byte"));
        fence(out, "", &file.bytes);
    }
    if !entry.stderr.is_empty() {
        out.push_str("\n### Output on stderr\n\n");
        fence(out, "", &entry.stderr);
    }
}

/// Appends a code block, with a fence that is longer than every run of backticks in the text.
fn fence(out: &mut String, language: &str, text: &str) {
    let fence = "`".repeat(3.max(1 + longest_run(text)));
    let _ = writeln!(out, "{fence}{language}\n{}\n{fence}", text.trim_end());
}

/// Returns text as inline code.
fn inline(text: &str) -> String {
    let ticks = "`".repeat(1 + longest_run(text));
    let pad = if text.contains('`') { " " } else { "" };
    // A vertical bar would end the cell of a table, even inside code.
    format!("{ticks}{pad}{}{pad}{ticks}", text.replace('|', "¦"))
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_cannot_end_its_code() {
        assert_eq!(inline("a``b|c"), "``` a``b¦c ```");
        let mut out = String::new();
        fence(&mut out, "sh", "x\n````\n# title");
        assert_eq!(out, "`````sh\nx\n````\n# title\n`````\n");
    }
}

//! **index.tsv**: one line per case, for readers in languages without a JSON library.

use std::fmt::Write;

use crate::corpus::{Case, Status};

const COLUMNS: [&str; 8] = ["id", "verdict", "path", "with", "needs", "control", "rule", "stage"];

/// Returns the index, with one line per graded case in manifest order. Tabs separate fields, commas separate the items
/// of a field, and `-` marks an empty field. No field contains a space.
pub(crate) fn index(cases: &[Case]) -> String {
    let mut text = COLUMNS.join("\t") + "\n";
    for case in cases.iter().filter(|case| case.status == Status::Active) {
        let (Some(own), with) = (case.files.first(), case.files.iter().skip(1)) else { continue };
        let with: Vec<&str> = with.map(|file| file.path.as_str()).collect();
        let needs: Vec<&str> = case.needs.iter().map(String::as_str).collect();
        let fields = [
            case.id.as_str(),
            case.verdict.name(),
            &own.path,
            &list(&with),
            &list(&needs),
            case.control.as_deref().unwrap_or("-"),
            case.rule.as_deref().unwrap_or("-"),
            case.stage.map_or("-", torchproof::Stage::name),
        ];
        let _ = writeln!(text, "{}", fields.join("\t"));
    }
    text
}

fn list(items: &[&str]) -> String {
    if items.is_empty() { "-".to_owned() } else { items.join(",") }
}

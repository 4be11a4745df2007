//! The rules as text.

use std::fmt::Write;

use torchproof::rules::Rule;
use torchproof_harness::text::counted;

use super::{Entry, by_section, total};
use crate::page::Page;

pub(crate) fn text(rules: &[Entry], page: Page) -> String {
    let mut out = String::new();
    let longest = rules.iter().map(|entry| entry.rule.id.len()).max().unwrap_or_default();
    for (name, title, rules) in by_section(rules) {
        let heading = format!("{title} ({name})");
        let _ = writeln!(out, "{}\n", page.strong(&heading));
        for entry in rules {
            let Rule { id, statement, strength, basis, subject, stage, .. } = entry.rule;
            let cases = match entry.cases.len() {
                0 => "no case".to_owned(),
                count => counted(count, "case"),
            };
            let id = page.strong(&format!("{id:longest$}"));
            let _ = writeln!(out, "  {id}  {strength:<6}  {basis:<6}  {:<6}  {stage:<9}  {cases}", subject.name());
            out += &page.paragraph("      ", statement);
        }
        out.push('\n');
    }
    out + &total(rules) + "\n"
}

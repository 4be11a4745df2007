//! The rules for people.

use std::fmt::Write;

use super::{Entry, by_area, counted, subject_name, total};
use crate::text::Page;

/// The rules, two lines or more each: id and properties, then the statement.
#[must_use]
pub fn text(rules: &[Entry], page: Page) -> String {
    let mut out = String::new();
    let longest = rules.iter().map(|rule| rule.id.len()).max().unwrap_or_default();
    for (area, rules) in by_area(rules) {
        let heading = format!("{} {} ({})", area.section, area.title, area.name);
        let _ = writeln!(out, "{}\n", page.strong(&heading));
        for rule in rules {
            let cases = match rule.cases.len() {
                0 => "no case".to_owned(),
                count => counted(count, "case"),
            };
            let id = page.strong(&format!("{:longest$}", rule.id));
            let subject = subject_name(rule.subject);
            let _ = writeln!(out, "  {id}  {:<6}  {subject:<6}  {:<9}  {cases}", rule.strength, rule.stage);
            out += &page.paragraph("      ", rule.statement);
        }
        out.push('\n');
    }
    out + &total(rules) + "\n"
}

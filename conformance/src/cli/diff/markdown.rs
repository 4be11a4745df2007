//! The changes as a comment on a pull request: what grew, what is new outside delegates, what the build must add.

use std::fmt::Write;

use torchproof_harness::text::escape::plain_line;
use torchproof_model::diff::DiffOutput;

use super::text::{line, signed};
use crate::page::size::Size;
use crate::render::markdown::{cell, row, table};

/// The maximum number of lines in a comment.
const LINES: usize = 40;

/// The maximum number of rows about sizes.
const ROWS: usize = 8;

/// The maximum number of names per line.
const NAMES: usize = 6;

pub(super) fn markdown(found: &DiffOutput) -> String {
    let name = |name: &str| cell(&plain_line(name, 60));
    let (a, b) = (&found.a, &found.b);
    let change = if a.bytes == b.bytes { "same size".to_owned() } else { signed(a.bytes, b.bytes) };
    let mut text = format!("### torchproof diff: {} → {}: {change}\n\n", name(&a.name), name(&b.name));
    if found.same {
        return text + "No difference that a reader sees.\n";
    }
    let sizes: Vec<_> = found.sizes.iter().filter(|size| size.a != size.b).collect();
    if !sizes.is_empty() {
        text += &table(&["what grew or shrank", "before", "after", "change"]);
        for size in sizes.iter().take(ROWS) {
            let role = size.backend.as_ref().map_or(size.role.clone(), |backend| format!("{} {backend}", size.role));
            let (before, after) = (Size(size.a).to_string(), Size(size.b).to_string());
            text += &row(&[name(&role), cell(&before), cell(&after), cell(&signed(size.a, size.b))]);
        }
        text.push('\n');
    }
    let list = |names: &[String]| {
        let shown: Vec<String> = names.iter().take(NAMES).map(|name| cell(&plain_line(name, 80))).collect();
        let more = if names.len() > NAMES { format!(" and {} more", names.len() - NAMES) } else { String::new() };
        shown.join(", ") + &more
    };
    let called = |operators: &[torchproof_model::diff::CalledOperator]| {
        operators.iter().map(|operator| format!("{} ({})", operator.name, operator.calls)).collect::<Vec<_>>()
    };
    let lines = [
        ("New outside delegates", called(&found.outside.added)),
        ("No longer outside delegates", called(&found.outside.removed)),
        ("The build must add operators", found.build.operators.clone()),
        ("The build must add backends", found.build.backends.clone()),
        ("The build must add kernel keys", found.build.kernel_keys.clone()),
    ];
    for (what, names) in lines.iter().filter(|(_, names)| !names.is_empty()) {
        let _ = writeln!(text, "* **{what}:** {}", list(names));
    }
    // Reserve four lines: a heading, the empty lines before and after it, and the line that counts the rest.
    let left = LINES.saturating_sub(text.lines().count() + 4);
    let _ = write!(text, "\n**Changes, the largest first**\n\n");
    for change in found.changes.iter().take(left) {
        let _ = writeln!(text, "* {}", cell(&plain_line(&line(change), 300)));
    }
    if found.changes.len() > left {
        let _ = writeln!(text, "* … and {} more", found.changes.len() - left);
    }
    text
}

//! Parts of GitHub-flavored Markdown.
//!
//! Text from files and readers is untrusted: [`cell`] escapes markup, and [`code`], [`inline`] and [`fence`] make code
//! that the text cannot break out of.

use std::fmt::Write as _;

use torchproof_harness::text::escape::plain_line;

/// The first lines of a table. A `>` before a heading aligns its column to the right.
pub(crate) fn table(headings: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = headings.iter().map(|name| name.as_ref().trim_start_matches('>')).collect();
    let is_right = |name: &str| name.starts_with('>');
    let lines = headings.iter().map(|name| if is_right(name.as_ref()) { "--:|" } else { "---|" });
    row(&names).replace("|  |", "| |") + "|" + &lines.collect::<String>() + "\n"
}

pub(crate) fn row(cells: &[impl AsRef<str>]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Escapes Markdown and HTML in a cell. The text must be one line.
pub(crate) fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '~' => out.extend(['\\', character]),
            _ => out.push(character),
        }
    }
    out
}

pub(crate) fn code(text: &str) -> String {
    let mut out = "<code>".to_owned();
    for character in plain_line(text, usize::MAX).chars() {
        // Markdown never treats an entity as markup. Some common punctuation is harmless inside a line.
        if character.is_ascii_punctuation() && !"-/,;'".contains(character) {
            let _ = write!(out, "&#{};", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out + "</code>"
}

pub(crate) fn inline(text: &str) -> String {
    let ticks = "`".repeat(1 + longest_run(text));
    let pad = if text.contains('`') { " " } else { "" };
    // A vertical bar would end the table cell, even inside code.
    format!("{ticks}{pad}{}{pad}{ticks}", text.replace('|', "¦"))
}

/// Returns a fenced code block. The fence is longer than every run of backticks in the text.
pub(crate) fn fence(language: &str, text: &str) -> String {
    let fence = "`".repeat(3.max(1 + longest_run(text)));
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_cannot_end_its_code_or_cell() {
        assert_eq!(
            code("</code>|**b**\n`@x`"),
            "<code>&#60;/code&#62;&#124;&#42;&#42;b&#42;&#42; &#96;&#64;x&#96;</code>"
        );
        assert_eq!(code("pte/header/length-23"), "<code>pte/header/length-23</code>");
        assert_eq!(inline("a``b|c"), "``` a``b¦c ```");
        assert_eq!(fence("sh", "x\n````\n# title"), "`````sh\nx\n````\n# title\n`````\n");
    }
}

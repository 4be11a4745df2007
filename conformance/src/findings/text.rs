//! `check` as text: each finding with its rule, its field and its marked bytes.

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use torchproof::Span;
use torchproof::check::{Finding, ReadAt, Summary};
use torchproof::rules::Strength;
use torchproof_harness::text::escape::{plain_line, plain_name};
use torchproof_model::check::{AllowedFinding, BuildResult, CheckVerdict, ExaminedFile, bytes_of};

const ROW: u64 = COLUMNS as u64;
const COLUMNS: usize = 16;
const ROWS: u64 = 4;
const NAMED: usize = 3;

/// The findings and the verdict of one file. Text from the file is escaped.
pub fn render(path: &str, file: &dyn ReadAt, examined: &ExaminedFile, deny_should: bool, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    if !examined.report.findings.is_empty() || !examined.allowed.is_empty() {
        let _ = writeln!(text, "{}:\n", plain_name(path));
    }
    for found in &examined.report.findings {
        text += &finding(file, found, examined.companion(found), &renderer);
        text += "\n\n";
    }
    let hidden = examined.report.omitted();
    if hidden > 0 {
        let _ = writeln!(text, "… and {hidden} more findings\n");
    }
    for AllowedFinding { finding: found, reason } in &examined.allowed {
        let _ = writeln!(
            text,
            "allowed[{}]: {}\n  reason: {reason}\n",
            found.rule.id,
            title(found, examined.companion(found))
        );
    }
    text += &summary(path, examined, deny_should);
    text.push('\n');
    text
}

fn data_files(paths: &[PathBuf]) -> String {
    let mut names: Vec<String> = paths.iter().take(NAMED).map(|path| plain_name(&path.to_string_lossy())).collect();
    if paths.len() > NAMED {
        names.push(format!("{} more", paths.len() - NAMED));
    }
    if names.is_empty() { String::new() } else { format!(" with {}", names.join(", ")) }
}

pub fn summary(path: &str, examined: &ExaminedFile, deny_should: bool) -> String {
    let verdict = match examined.verdict(deny_should) {
        CheckVerdict::Accept | CheckVerdict::Warn => "accept",
        CheckVerdict::Reject => "reject",
        CheckVerdict::Unexamined => "unexamined",
    };
    let Summary { kind, must, should, may, .. } = *examined.report;
    let counts = [(must, "must"), (should, "should"), (may, "may")].into_iter().filter(|(count, _)| *count > 0);
    let mut counts: Vec<String> = counts.map(|(count, name)| format!("{count} {name}")).collect();
    let allowed = Some(examined.allowed.len()).filter(|allowed| *allowed > 0);
    counts.extend(allowed.map(|allowed| format!("{allowed} allowed")));
    let counts = match (counts.is_empty(), verdict) {
        (true, "reject") if examined.builds.iter().any(BuildResult::fails) => "fails in a build".to_owned(),
        (true, "reject") => "data missing".to_owned(),
        (true, _) => "no findings".to_owned(),
        (false, _) => counts.join(", "),
    };
    let with = data_files(examined.compared());
    let mut line = format!("{}: {verdict} ({kind}{with}; {counts})", plain_name(path));
    for reason in examined.incomplete().iter().chain(&examined.note()) {
        let _ = write!(line, "; {reason}");
    }
    line
}

fn title(found: &Finding, companion: Option<&Path>) -> String {
    let field = if found.path.is_empty() { String::new() } else { format!("{}: ", found.path) };
    let title = plain_line(&format!("{field}{}", found.message), usize::MAX);
    let Some(companion) = companion else { return title };
    format!("{}: {title} ({})", plain_name(&companion.to_string_lossy()), bytes_of(found.span, u64::MAX))
}

fn finding(file: &dyn ReadAt, found: &Finding, companion: Option<&Path>, renderer: &Renderer) -> String {
    let level = match found.rule.strength {
        Strength::Must => Level::ERROR,
        Strength::Should => Level::WARNING,
        Strength::May => Level::NOTE,
    };
    let title = level.primary_title(title(found, companion)).id(found.rule.id);
    if companion.is_some() {
        return renderer.render(&[Group::with_title(title)]);
    }
    let (rows, marks) = rows(file, found.span);
    if marks.is_empty() {
        return renderer.render(&[Group::with_title(title)]);
    }
    let place = bytes_of(found.span, file.len());
    let last = marks.len().saturating_sub(1);
    let annotations = marks.into_iter().enumerate().map(|(row, mark)| {
        let mark = AnnotationKind::Primary.span(mark);
        if row == last { mark.label(&place) } else { mark }
    });
    // Pass no path, because the renderer would print it with a line and a column, which mean nothing in a binary file.
    let rows = Snippet::source(rows).line_numbering(false).fold(false).annotations(annotations);
    renderer.render(&[title.element(rows)])
}

/// Hex rows near the beginning of a span, and the ranges of text to mark.
fn rows(file: &dyn ReadAt, span: Span) -> (String, Vec<Range<usize>>) {
    let len = file.len();
    // For a position after the last byte, show the last row.
    let first = span.offset.min(len.saturating_sub(1)) / ROW * ROW;
    let before = first.saturating_sub(ROW);
    let end = span.end().max(span.offset.saturating_add(1)).min(first.saturating_add(ROWS * ROW)).next_multiple_of(ROW);
    let shown = Span::new(before, end.min(len).saturating_sub(before));
    let mut bytes = vec![0; usize::try_from(shown.len).unwrap_or_default()];
    if len == 0 || file.read_at(shown.offset, &mut bytes).is_err() {
        return (String::new(), Vec::new());
    }
    let digits = if shown.end() > u64::from(u32::MAX) { 16 } else { 8 };
    let mut text = String::new();
    let mut marks = Vec::new();
    for (row, offset) in bytes.chunks(COLUMNS).zip((before..).step_by(COLUMNS)) {
        let _ = write!(text, "{offset:0digits$x} ");
        let mut mark: Option<Range<usize>> = None;
        for (byte, at) in row.iter().zip(offset..) {
            text.push(' ');
            if (offset..span.end()).contains(&at) && at >= span.offset {
                let start = mark.map_or(text.len(), |mark| mark.start);
                mark = Some(start..text.len() + 2);
            }
            let _ = write!(text, "{byte:02x}");
        }
        if span.len == 0 && offset <= span.offset && span.offset <= offset + row.len() as u64 {
            mark = mark.or(Some(text.len()..text.len() + 1));
        }
        let missing = COLUMNS - row.len();
        let _ = write!(text, "{:width$}", "", width = 3 * missing + 2);
        let graphic = row.iter().map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '.' });
        // A CI service must not run commands from the checked file. Replace one character, so that the row keeps its
        // width.
        text += &graphic.collect::<String>().replace("##[", ".#[").replace("##vso[", ".#vso[");
        text.push('\n');
        marks.extend(mark);
    }
    (text, marks)
}

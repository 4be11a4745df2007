//! A case's details in the HTML report.

use std::collections::HashMap;
use std::io::Read;

use serde::Serialize;
use torchproof::annotate::ByteMap;
use torchproof::corpus::Verdict;
use torchproof_harness::corpus::{Case, Corpus, Recipe};
use torchproof_harness::text::counted;
use torchproof_harness::text::escape::{plain, plain_line};

use crate::byte_map::{self, ShownRows};

/// The largest file for which the page shows a byte map.
const LARGEST: u64 = 4 << 20;
/// The maximum number of rows in a byte map.
pub(super) const ROWS: usize = 32;
/// The maximum if every usable reader passes or skips the case, which is usual.
pub(super) const FEW_ROWS: usize = 14;
/// The maximum number of rows before the first marked row, if rows are omitted.
const BEFORE: usize = 6;

#[derive(Serialize)]
pub(super) struct Detail {
    why: String,
    place: String,
    files: Vec<String>,
    /// The rows of the case's first file; empty if it is missing or too large. Marked rows begin with `>`.
    rows: String,
    /// The id of the case's base, or empty if it has none. The base of a rejected case is the control.
    control: String,
    control_is: &'static str,
    /// The base's rows. A row `=3-5` stands for rows 3 to 5 of `rows`, counted from 0.
    control_rows: String,
}

pub(super) fn demand(case: &Case) -> String {
    match (case.verdict, case.stage) {
        (Verdict::Accept, _) => "must be accepted".to_owned(),
        (Verdict::Reject, Some(stage)) => format!("must be rejected by {stage}"),
        (Verdict::Reject, None) => "must be rejected".to_owned(),
        (Verdict::Either, _) => "may be accepted or rejected".to_owned(),
    }
}

impl Detail {
    pub(super) fn of(case: &Case, corpus: &Corpus, most: usize) -> Self {
        let own = bytes(case, corpus);
        let source = case.recipe.as_ref().and_then(|recipe| bytes(corpus.case(&recipe.base)?, corpus));
        let text = own.map(|own| byte_map::render_case(case, &own, source.as_deref(), false)).unwrap_or_default();
        let field = case.path.as_deref().map(|path| if path.is_empty() { "the root table" } else { path });
        let bytes = case.at.as_ref().map(|at| format!("{:#x} to {:#x}", at.offset, at.offset.saturating_add(at.len)));
        let place: Vec<String> = field.map(|field| plain_line(field, usize::MAX)).into_iter().chain(bytes).collect();
        let own_rows = rows(&text, most);
        let base = case.recipe.as_ref().map(|recipe| (&recipe.base, recipe));
        Detail {
            why: case.why.clone(),
            place: place.join(", "),
            files: case.files.iter().map(|file| format!("{} ({})", file.path, counted(file.size, "byte"))).collect(),
            control_rows: base
                .and_then(|(_, recipe)| Some(without_copies(&beside(case, &source?, recipe, most), &own_rows)))
                .unwrap_or_default(),
            rows: own_rows,
            control: base.map(|(id, _)| id.clone()).unwrap_or_default(),
            control_is: if case.verdict == Verdict::Reject { "the control" } else { "the base of the case" },
        }
    }
}

fn bytes(case: &Case, corpus: &Corpus) -> Option<Vec<u8>> {
    let file = case.files.first().filter(|file| file.size <= LARGEST)?;
    let mut bytes = Vec::new();
    corpus.open_file(&file.path).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The byte map of `base`, which `recipe` turns into the case's file. It has at most `most` rows, near the changes.
fn beside(case: &Case, base: &[u8], recipe: &Recipe, most: usize) -> String {
    let text = byte_map::render(base, &ByteMap::of(base), &byte_map::replaced(recipe), ShownRows::Changed(&case.id));
    rows(&text.replace("bytes removed here", "bytes inserted here"), most)
}

/// Keeps at most `most` rows, near the first marked row.
fn rows(text: &str, most: usize) -> String {
    let text = plain(text);
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().position(|line| line.starts_with('>')).unwrap_or(0);
    let start = first.saturating_sub(BEFORE.min(most / 3)).min(lines.len().saturating_sub(most));
    let end = lines.len().min(start + most);
    let left_out =
        |rows: usize| (rows > 0).then(|| format!("… {rows} more {}", if rows == 1 { "row" } else { "rows" }));
    let shown = lines[start..end].iter().map(|line| (*line).to_owned());
    let all = left_out(start).into_iter().chain(shown).chain(left_out(lines.len() - end));
    all.collect::<Vec<_>>().join("\n")
}

/// Replaces consecutive rows of `own` with a reference such as `=3-5`.
fn without_copies(rows: &str, own: &str) -> String {
    let positions: HashMap<&str, usize> = own.lines().enumerate().map(|(at, line)| (line, at)).collect();
    let mut out: Vec<String> = Vec::new();
    let mut run: Option<(usize, usize)> = None;
    let close = |run: &mut Option<(usize, usize)>, out: &mut Vec<String>| {
        out.extend(run.take().map(|(first, last)| format!("={first}-{last}")));
    };
    for line in rows.lines() {
        match (positions.get(line), &mut run) {
            (Some(at), Some((_, last))) if *at == *last + 1 => *last = *at,
            (Some(at), _) => {
                close(&mut run, &mut out);
                run = Some((*at, *at));
            }
            (None, _) => {
                close(&mut run, &mut out);
                out.push(line.to_owned());
            }
        }
    }
    close(&mut run, &mut out);
    out.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_rows_around_the_first_marked_one() {
        let shown = [(3, 1, 3), (4, 0, 2), (4, 3, 2), (500, 300, 10), (3, 9, 2)].map(|(lines, marked, most)| {
            let line = |at: usize| format!("{} {at}\n", if at == marked { '>' } else { ' ' });
            let text: String = (0..lines).map(line).collect();
            rows(&text, most) + "\n"
        });
        insta::assert_snapshot!(shown.join("\n"));
    }

    #[test]
    fn refers_to_rows_of_the_other_byte_map() {
        assert_eq!(without_copies("a\nb\nx\nc\na\nd", "a\nb\nc\nd"), "=0-1\nx\n=2-2\n=0-0\n=3-3");
        assert_eq!(without_copies("", "a"), "");
    }
}

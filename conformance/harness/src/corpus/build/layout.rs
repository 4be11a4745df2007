//! The layout of JSON in the corpus: compact, but readable.

use serde::Serialize;

use crate::corpus::Manifest;

/// The maximum width of a list or an object on one line.
const WIDTH: usize = 160;

/// Returns the manifest with one case per line, for `grep` and `diff`.
pub(crate) fn manifest(manifest: &Manifest) -> Vec<u8> {
    let Manifest { manifest: form, version, digest, cases } = manifest;
    let (version, digest) = (json(version), json(digest));
    let cases: Vec<String> = cases.iter().map(json).collect();
    let head = format!("\"manifest\": {form},\n\"version\": {version},\n\"digest\": {digest}");
    format!("{{\n{head},\n\"cases\": [\n{}\n]\n}}\n", cases.join(",\n")).into_bytes()
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the manifest's maps have only string keys")
}

/// Returns indented JSON. Short lists and objects are on one line; a long list of numbers fills each line.
pub(super) fn compact(value: &impl Serialize) -> Vec<u8> {
    let text = serde_json::to_string_pretty(value).expect("a canonical JSON's keys are strings");
    // JSON strings contain no line feeds, so each line of indented JSON is a value or a bracket.
    let mut lines: Vec<String> = Vec::new();
    // For each open list or object, the index of its first line, and whether every item so far is on a single line.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for line in text.lines() {
        let closes = line.trim_start().starts_with(['}', ']']);
        if closes && let Some((start, whole)) = open.pop() {
            let stays = !close(&mut lines, start, whole, line);
            if stays && let Some(outer) = open.last_mut() {
                outer.1 = false;
            }
            continue;
        }
        if line.ends_with(['{', '[']) {
            open.push((lines.len(), true));
        }
        lines.push(line.to_owned());
    }
    lines.push(String::new());
    lines.join("\n").into_bytes()
}

/// Ends the list or object that begins at line `start`. Returns whether it was short enough to be put on one line.
fn close(lines: &mut Vec<String>, start: usize, whole: bool, last: &str) -> bool {
    let inside: Vec<&str> = lines[start + 1..].iter().map(|line| line.trim_start()).collect();
    if whole {
        let one = format!("{}{}{}", lines[start], inside.join(" "), last.trim_start());
        if one.len() <= WIDTH {
            lines.truncate(start);
            lines.push(one);
            return true;
        }
        if !inside.iter().any(|item| item.starts_with(['"', '{', '['])) {
            let indent = last.len() - last.trim_start().len() + 2;
            let filled = fill(&inside, indent);
            lines.truncate(start + 1);
            lines.extend(filled);
        }
    }
    lines.push(last.to_owned());
    false
}

fn fill(items: &[&str], indent: usize) -> Vec<String> {
    let mut lines = vec![" ".repeat(indent)];
    for item in items {
        match lines.last_mut() {
            Some(line) if line.len() == indent => line.push_str(item),
            Some(line) if line.len() + 1 + item.len() <= WIDTH => {
                line.push(' ');
                line.push_str(item);
            }
            _ => lines.push(" ".repeat(indent) + item),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn short_lists_are_on_one_line() {
        let long: Vec<i32> = (-50..50).collect();
        let value = json!({
            "a": [1, 2], "b": {"c": "x, ]{", "d": []}, "e": long, "f": ["words ".repeat(20), "words ".repeat(20)],
            "g": [{"h": [1]}, {"i": "j".repeat(170)}],
        });
        let text = String::from_utf8(compact(&value)).expect("it is text");
        assert_eq!(serde_json::from_str::<Value>(&text).expect("it is JSON still"), value);
        for line in
            ["  \"a\": [1, 2],\n", "  \"b\": {\"c\": \"x, ]{\", \"d\": []},\n", "    {\"h\": [1]},\n", "    -50, -49, "]
        {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(text.ends_with("}\n") && text.lines().count() < 30, "{text}");
        assert!(text.lines().all(|line| line.len() <= WIDTH || line.contains("jjj")), "{text}");
    }
}

//! `--format tap`: read by the letter of the protocol, and held against the JSON.

use serde_json::Value;

use super::{both, is_unexpected};

/// A test point.
#[derive(Debug)]
struct Point {
    ok: bool,
    description: String,
    directive: Option<String>,
    block: Vec<(String, Value)>,
}

/// Reads a stream of version 14; fails where the protocol is not kept.
fn parse(stream: &str) -> Vec<Point> {
    let mut lines = stream.lines();
    assert_eq!(lines.next(), Some("TAP version 14"));
    let plan: usize = lines.next().unwrap().strip_prefix("1..").unwrap().parse().unwrap();
    let mut points: Vec<Point> = Vec::new();
    while let Some(line) = lines.next() {
        if line == "  ---" {
            let point = points.last_mut().unwrap();
            assert!(point.block.is_empty());
            for line in lines.by_ref().take_while(|line| *line != "  ...") {
                let (name, value) = line.strip_prefix("  ").unwrap().split_once(": ").unwrap();
                point.block.push((name.to_owned(), serde_json::from_str(value).unwrap()));
            }
            continue;
        }
        let (ok, rest) = match line.strip_prefix("not ") {
            Some(rest) => (false, rest),
            None => (true, line),
        };
        let (number, rest) = rest.strip_prefix("ok ").unwrap().split_once(" - ").unwrap();
        assert_eq!(number.parse(), Ok(points.len() + 1));
        // A backslash takes its meaning from the character behind it.
        let (mut description, mut directive, mut characters) = (String::new(), None, rest.chars());
        while let Some(character) = characters.next() {
            match character {
                '\\' => description.extend(characters.next()),
                '#' => directive = Some(characters.by_ref().collect::<String>().trim().to_owned()),
                _ => description.push(character),
            }
        }
        points.push(Point { ok, description: description.trim_end().to_owned(), directive, block: Vec::new() });
    }
    assert_eq!(points.len(), plan);
    points
}

#[test]
fn the_stream_says_what_the_json_says() {
    let (stream, report) = both("tap", "tap");
    let points = parse(&stream);
    let results = report["results"].as_array().unwrap();
    for (point, result) in points.iter().zip(results) {
        let named = format!("{}: {}", result["reader"].as_str().unwrap(), result["case"].as_str().unwrap());
        assert_eq!((point.ok, &point.description), (!is_unexpected(result), &named));
        let grade = result["grade"].as_str().unwrap();
        assert_eq!(point.directive.is_some(), grade == "skip", "{point:?}");
        assert!(point.directive.as_ref().is_none_or(|directive| directive.starts_with("SKIP ")), "{point:?}");
        let told = |name: &str| point.block.iter().find(|(other, _)| other == name).map(|(_, value)| value);
        if !["pass", "skip"].contains(&grade) {
            assert_eq!(told("grade"), Some(&result["grade"]));
            assert_eq!(told("outcome"), Some(&result["outcome"]));
            assert_eq!(told("stderr"), result.get("stderr"));
            assert_eq!(told("message").and_then(Value::as_str).unwrap_or_default(), result["message"]);
        }
    }
    // Behind the results is the reader that is not there.
    assert_eq!(points.len(), results.len() + 1);
    let last = points.last().unwrap();
    assert!(!last.ok && last.description.ends_with("the reader as a whole"), "{last:?}");
}

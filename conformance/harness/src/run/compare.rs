//! **Comparison of canonical JSON**: a search for the first difference between two values.

use std::fmt;

use serde_json::{Number, Value};

/// The first difference between an expected and an actual value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueDifference {
    /// The path, such as `program.execution_plan[0].name`.
    pub path: String,
    /// The expected value, as abbreviated JSON.
    pub want: String,
    /// The actual value, as abbreviated JSON.
    pub have: String,
}

impl fmt::Display for ValueDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}", self.path, self.want, self.have)
    }
}

/// Returns the first difference between the expected value `want` and the actual value `have`. Object members are
/// compared in alphabetical order, and members that are missing in `want` come last.
///
/// Numbers are compared by their exact values, so `1` equals `1.0`, and different 64-bit integers are never equal.
pub fn first_difference(want: &Value, have: &Value) -> Option<ValueDifference> {
    difference(want, have, &mut String::new())
}

fn difference(want: &Value, have: &Value, path: &mut String) -> Option<ValueDifference> {
    let len = path.len();
    match (want, have) {
        (Value::Object(want), Value::Object(have)) => {
            let more = have.keys().filter(|name| !want.contains_key(*name));
            want.keys().chain(more).find_map(|name| {
                path.push_str(if len == 0 { "" } else { "." });
                path.push_str(name);
                let found = part_difference(want.get(name), have.get(name), path);
                path.truncate(len);
                found
            })
        }
        (Value::Array(want), Value::Array(have)) => (0..want.len().max(have.len())).find_map(|at| {
            path.push_str(&format!("[{at}]"));
            let found = part_difference(want.get(at), have.get(at), path);
            path.truncate(len);
            found
        }),
        (Value::Number(a), Value::Number(b)) if same_number(a, b) => None,
        _ if want == have => None,
        _ => Some(report(path, Some(want), Some(have))),
    }
}

fn part_difference(want: Option<&Value>, have: Option<&Value>, path: &mut String) -> Option<ValueDifference> {
    match (want, have) {
        (Some(want), Some(have)) => difference(want, have, path),
        (want, have) => Some(report(path, want, have)),
    }
}

fn same_number(a: &Number, b: &Number) -> bool {
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a.as_f64() == b.as_f64(),
        _ => false,
    }
}

/// Returns an integral number such as `1`, `1.0` or `10e-1` as an integer.
fn integer(number: &Number) -> Option<i128> {
    if let Some(unsigned) = number.as_u64() {
        return Some(unsigned.into());
    }
    if let Some(signed) = number.as_i64() {
        return Some(signed.into());
    }
    // The cast is exact up to ±2^100; larger numbers are compared as doubles.
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 2f64.powi(100)).map(|float| float as i128)
}

fn report(path: &str, want: Option<&Value>, have: Option<&Value>) -> ValueDifference {
    let path = if path.is_empty() { "the whole value" } else { path };
    ValueDifference { path: path.to_owned(), want: brief(want), have: brief(have) }
}

/// Returns the value as JSON that fits into a line of a report.
fn brief(value: Option<&Value>) -> String {
    const MOST: usize = 60;
    let Some(value) = value else { return "nothing".to_owned() };
    match value {
        Value::Object(members) if members.len() > 1 => return format!("an object of {} members", members.len()),
        Value::Array(elements) if elements.len() > 4 => return format!("an array of {} elements", elements.len()),
        _ => {}
    }
    let text = value.to_string();
    if text.chars().count() <= MOST { text } else { text.chars().take(MOST).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

    use super::*;

    fn compared(want: &str, have: &str) -> String {
        let [want, have] = [want, have].map(|text| serde_json::from_str::<Value>(text).unwrap());
        first_difference(&want, &have).map_or_else(|| "same".to_owned(), |difference| difference.to_string())
    }

    #[test]
    fn reports_the_first_difference_with_its_path() {
        let nested = |name: &str, z: u8| format!(r#"{{"program": {{"plan": [{{"name": "{name}", "z": {z}}}]}}}}"#);
        assert_eq!(compared(&nested("a", 1), &nested("a", 1)), "same");
        let mut shown = vec![compared(&nested("a", 1), &nested("b", 2))];
        for (want, have) in [
            (r#"{"a": 1}"#, "{}"),
            ("{}", r#"{"a": null}"#),
            ("[1]", "[1, 2]"),
            ("[1, 2]", "[1]"),
            (r#"{"a": 1}"#, "[]"),
            (r#"{"a": [1, 2, 3, 4, 5]}"#, r#"{"a": {"x": 1, "y": 2}}"#),
        ] {
            shown.push(compared(want, have));
        }
        insta::assert_snapshot!(shown.join("\n"));
        assert!(compared(&format!("\"{}\"", "x".repeat(1000)), "0").len() < 120);
    }

    #[test]
    fn numbers_compare_exactly() {
        for (same, want, have) in [
            (true, "1", "1.0"),
            (true, "18446744073709551615", "18446744073709551615"),
            (false, "18446744073709551615", "18446744073709551614"),
            (false, "9007199254740993", "9007199254740992.0"),
            (true, "0.1", "0.10000000000000001"),
            (false, "0.1", "0.10000000000000002"),
            (true, "1e300", "1.0e300"),
            (false, "-1", "1"),
            (false, "1", "\"1\""),
        ] {
            assert_eq!(compared(want, have) == "same", same, "{want} {have}");
        }
    }
}

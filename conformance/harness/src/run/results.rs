//! **Results of an earlier run**, from the file that `run --results` writes.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::record::{Interrupted, Record, RunReport, UNTESTED};
use super::stream::{ResultsEnd, ResultsHead};
use super::unread_kinds;
use crate::disk::io_error::cannot_read;
use crate::disk::open::read_argument;
use crate::text::escape::{plain, plain_line, plain_name};
use crate::text::json::{from_json, json_fault};

/// Reads a results file. All text becomes printable, because someone else may have written the file.
pub fn read_results(path: &Path) -> Result<RunReport, ResultsError> {
    let bytes = read_argument(path).map_err(|error| ResultsError::Unread { path: path.to_owned(), error })?;
    let text = String::from_utf8_lossy(&bytes);
    let at = |line: usize, message: String| ResultsError::Line { path: path.to_owned(), line: line + 1, message };
    // If the run was killed, the last line can be cut off.
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut lines = complete.lines().enumerate();
    let expected = "the results file of `torchproof run --results` (by default results.jsonl)";
    let (_, head) = lines.next().ok_or_else(|| at(0, format!("found no line, expected {expected}")))?;
    if head.trim_end() == "{" {
        return Err(at(0, format!("found multi-line JSON, such as a report from `run`, expected {expected}")));
    }
    let parse = |number, line| printable(line).map_err(|error| at(number, json_fault(&error, expected)));
    let mut head: ResultsHead = convert(parse(0, head)?).map_err(|error| at(0, json_fault(&error, expected)))?;
    let (mut results, mut end) = (Vec::<Record>::new(), None);
    for (number, line) in lines {
        // Most lines have nothing to escape, so parse them without a tree of values.
        if is_plain(line)
            && let Ok(record) = from_json(line.as_bytes())
        {
            results.push(record);
            continue;
        }
        let value = parse(number, line)?;
        let fault = |error| at(number, json_fault(&error, "a result"));
        if value.get("end").is_some() {
            end = Some(convert::<ResultsEnd>(value).map_err(fault)?);
        } else {
            results.push(convert(value).map_err(fault)?);
        }
    }
    let done = results.len();
    let (known, interrupted) = match end {
        Some(ResultsEnd { end, known, interrupted }) => {
            head.readers = end;
            (known, interrupted)
        }
        None => (None, Some(Interrupted { done, planned: head.planned })),
    };
    for reader in &mut head.readers {
        reader.notes.retain(|note| note != UNTESTED);
        reader.requested = head.options.contains_key("delivery");
    }
    let order: HashMap<&str, usize> =
        head.readers.iter().enumerate().map(|(at, reader)| (reader.reader.as_str(), at)).collect();
    if let Some(record) = results.iter().find(|record| !order.contains_key(record.reader.as_str())) {
        return Err(at(0, format!("found no reader {}, expected every reader of the results", record.reader)));
    }
    results.sort_by(|one, other| {
        (order.get(one.reader.as_str()), &one.case).cmp(&(order.get(other.reader.as_str()), &other.case))
    });
    if interrupted.is_none() {
        unread_kinds::skip(&head.readers, &mut results, &head.options);
    }
    Ok(RunReport::new(head.corpus, head.options, head.readers, results, known, interrupted))
}

/// Returns whether [`printable`] would leave a line of JSON unchanged.
fn is_plain(line: &str) -> bool {
    let needs_escape = ["\\", "::", "##", "\" ", " \""].iter().any(|part| line.contains(part));
    !needs_escape && line.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

/// Parses a line, and escapes all text in it, including line feeds except in stderr.
fn printable(line: &str) -> serde_json::Result<Value> {
    fn escape(value: &mut Value, escaped: fn(&str) -> String) {
        match value {
            Value::String(text) => *text = escaped(text),
            Value::Array(items) => items.iter_mut().for_each(|item| escape(item, escaped)),
            Value::Object(members) => {
                let of = |name: &str| if name == "stderr" { plain } else { |text: &str| plain_line(text, usize::MAX) };
                members.iter_mut().for_each(|(name, member)| escape(member, of(name)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut value = from_json(line.as_bytes())?;
    escape(&mut value, |text| plain_line(text, usize::MAX));
    Ok(value)
}

fn convert<T: DeserializeOwned>(value: Value) -> serde_json::Result<T> {
    serde_json::from_value(value)
}

#[derive(Clone, Debug, Default)]
pub struct FailedResults {
    cases: BTreeSet<String>,
    /// The failed cases of each reader, as pairs of the reader's name in results and the case.
    pairs: BTreeSet<(String, String)>,
    /// `true` if each case runs only with the readers that failed it.
    by_reader: bool,
}

impl FailedResults {
    /// Returns the failed results, and all results of untested readers. If `by_reader` is set, each case runs only with
    /// the readers and deliveries that failed it.
    pub fn of(report: &RunReport, by_reader: bool) -> Self {
        let untested: BTreeSet<&str> =
            report.readers.iter().filter(|reader| reader.is_untested()).map(|reader| &*reader.reader).collect();
        let failed =
            report.results.iter().filter(|one| one.grade.is_unexpected() || untested.contains(one.reader.as_str()));
        let pairs: BTreeSet<_> = failed.map(|record| (record.reader.clone(), record.case.clone())).collect();
        Self { cases: pairs.iter().map(|(_, case)| case.clone()).collect(), pairs, by_reader }
    }

    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    pub fn cases(&self) -> impl Iterator<Item = &str> {
        self.cases.iter().map(String::as_str)
    }

    /// Returns whether the reader with this name in results failed a case.
    pub fn has_reader(&self, reader: &str) -> bool {
        self.pairs.iter().any(|(name, _)| name == reader)
    }

    /// Returns whether the case runs with any reader.
    pub(super) fn has_case(&self, case: &str) -> bool {
        self.cases.contains(case)
    }

    /// Returns whether the case runs with the reader of this name in results.
    pub(super) fn has(&self, reader: &str, case: &str) -> bool {
        if self.by_reader { self.pairs.contains(&(reader.to_owned(), case.to_owned())) } else { self.has_case(case) }
    }
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsError {
    #[error("{}", cannot_read(.path, .error))]
    Unread { path: PathBuf, error: io::Error },
    #[error("{}:{line}: {message}", plain_name(&.path.to_string_lossy()))]
    Line { path: PathBuf, line: usize, message: String },
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

    use std::io::Write;

    use serde_json::json;

    use super::*;

    fn reader(name: &str, notes: &[&str]) -> Value {
        json!({
            "reader": name, "name": "r", "delivery": "file", "address": "once:r", "version": "", "language": "", "formats": [],
            "stages": [], "capabilities": [], "deliveries": ["file"], "notes": notes,
        })
    }

    fn head() -> Value {
        json!({
            "corpus": {"version": "1", "digest": "d"}, "options": {"delivery": ["buffer,file"]}, "planned": 4,
            "readers": [reader("r by buffer", &[]), reader("r by file", &[])],
        })
    }

    fn record(reader: &str, case: &str, grade: &str) -> Value {
        json!({
            "case": case, "reader": reader, "delivery": "file", "outcome": "accept", "grade": grade, "stage": null, "ms": 0.5,
            "message": "a\nb\u{202e}",
        })
    }

    fn read(lines: &[String]) -> Result<RunReport, ResultsError> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(lines.concat().as_bytes()).unwrap();
        read_results(file.path())
    }

    fn line(value: &Value) -> String {
        format!("{value}\n")
    }

    #[test]
    fn reads_results_in_the_order_of_readers_and_cases() {
        let end = json!({"end": [reader("r by buffer", &["a note"]), reader("r by file", &[])]});
        let records = [("r by file", "b", "pass"), ("r by buffer", "b", "crash"), ("r by buffer", "a", "pass")];
        let records = records.map(|(reader, case, grade)| line(&record(reader, case, grade)));
        let report = read(&[&[line(&head())], &records[..], &[line(&end)]].concat()).unwrap();
        let order: Vec<_> = report.results.iter().map(|record| (&*record.reader, &*record.case)).collect();
        assert_eq!(order, [("r by buffer", "a"), ("r by buffer", "b"), ("r by file", "b")]);
        assert_eq!((report.interrupted, report.readers[0].notes.as_slice()), (None, &["a note".to_owned()][..]));
        assert_eq!(report.results[0].message, r"a b\u{202e}");

        let exact = FailedResults::of(&report, true);
        assert!(exact.has("r by buffer", "b") && !exact.has("r by file", "b") && !exact.has("r by buffer", "a"));
        let all = FailedResults::of(&report, false);
        assert!(all.has("r by file", "b") && !all.has("r by file", "a"));
    }

    #[test]
    fn plain_lines_need_no_escapes() {
        for (message, plain) in [("a: b", true), ("", true), (" a", false), ("a ", false), ("::error::a", false)] {
            let text = line(&json!({ "message": message }));
            assert_eq!(is_plain(text.trim_end()), plain, "{text}");
        }
        for message in ["\u{1b}", "a\nb", "a\tb", "##[a", "\u{e9}", "\"a"] {
            assert!(!is_plain(line(&json!({ "message": message })).trim_end()), "{message}");
        }
    }

    #[test]
    fn an_incomplete_last_line_is_ignored() {
        let torn = line(&record("r by file", "b", "crash"));
        let lines = [line(&head()), line(&record("r by file", "a", "crash")), torn[..torn.len() / 2].to_owned()];
        let report = read(&lines).unwrap();
        assert_eq!(report.interrupted, Some(Interrupted { done: 1, planned: 4 }));
        assert_eq!(report.results.len(), 1);
    }

    #[test]
    fn errors_name_the_line() {
        let message = |lines: &[String]| read(lines).unwrap_err().to_string().split_once(':').unwrap().1.to_owned();
        let of = record("r by file", "a", "crash");
        let mut unknown = of.clone();
        unknown["outcome"] = "x".into();
        assert!(message(&[]).starts_with("1: found no line"));
        assert!(message(&["{}\n".to_owned()]).starts_with("1: found no member `corpus`"));
        assert!(message(&[line(&head()), "{\n".to_owned(), line(&of)]).starts_with("2: found invalid JSON"));
        for member in ["\"ms\":0.5,", "\"x\":{\"y\":1,\"y\":1},", "\"x\":1e999,"] {
            let repeated = line(&of).replace("{", &format!("{{{member}"));
            assert!(message(&[line(&head()), line(&of), repeated]).starts_with("3: found "), "{member}");
        }
        assert!(message(&[line(&head()), line(&unknown)]).starts_with("2: found the outcome \"x\""));
        assert!(message(&[line(&head()), line(&record("s", "a", "pass"))]).contains("found no reader s"));
    }
}

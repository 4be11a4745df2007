//! **The adapter side**: calls a closure for each request and sends the result as the reply.

use std::io::{self, BufRead, Write};
use std::path::Path;

use serde_json::{Value, json};

use crate::{Answer, CAPABILITY_SELFTEST, Hello, ReadRequest, Reply, Request, STAGE_MARKER, Stage, obey_selftest};

/// A reply other than `accept`, with its reason.
///
/// An [`io::Error`] converts to `Error`, so a closure can use `?` on the result of reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotAccepted {
    /// The reader rejected the file.
    Reject {
        /// The stage at which the reader detected the defect; `None` for a reader without stages.
        stage: Option<Stage>,
        /// The reader's message.
        message: String,
    },
    /// The reader does not support the request, for example because of a file's format or role.
    Unsupported(String),
    /// The adapter failed, for example because it could not read all bytes of a file. The reader is not at fault.
    Error(String),
}

impl NotAccepted {
    /// Creates a rejection at a stage.
    pub fn reject(stage: Stage, message: impl Into<String>) -> Self {
        Self::Reject { stage: Some(stage), message: message.into() }
    }
}

impl From<io::Error> for NotAccepted {
    fn from(error: io::Error) -> Self {
        Self::Error(error.to_string())
    }
}

/// Prints a stage marker to stderr, so that reports can name the stage in which the reader crashed.
pub fn enter(stage: Stage) {
    // If the runner has ended, stderr is closed, so ignore the error.
    let _ = writeln!(io::stderr(), "{STAGE_MARKER} {stage}");
}

/// Replies to the requests on stdin, and returns after `bye` or at the end of input.
///
/// The closure `read` runs the reader on a request's files. If it returns `Ok`, with the value that
/// [`ReadRequest::want`] requests, the reply is `accept`. A panic in the closure ends the process and counts as a crash
/// of the reader. The closure must not print to stdout.
///
/// # Errors
/// Fails if stdin cannot be read or stdout cannot be written.
pub fn serve(hello: &Hello, read: impl FnMut(&ReadRequest) -> Result<Option<Value>, NotAccepted>) -> io::Result<()> {
    serve_lines(io::stdin().lock(), io::stdout(), hello, read)
}

/// Replies like [`serve`], but on the given streams.
///
/// # Errors
/// Fails if a stream cannot be read or written.
pub fn serve_lines(
    input: impl BufRead,
    mut output: impl Write,
    hello: &Hello,
    mut read: impl FnMut(&ReadRequest) -> Result<Option<Value>, NotAccepted>,
) -> io::Result<()> {
    for line in input.lines() {
        let line = line?;
        let mut answer = match serde_json::from_str(&line) {
            Ok(Request::Bye) => break,
            Ok(Request::Hello { .. }) => serde_json::to_vec(hello)?,
            Ok(Request::Read(request)) => {
                let read = match hello.refusal(&request) {
                    Some(message) => Err(NotAccepted::Unsupported(message)),
                    None => {
                        if let Some(first) = request.files.first().filter(|_| hello.has(CAPABILITY_SELFTEST)) {
                            obey_selftest(Path::new(&first.path), first.offset.unwrap_or(0));
                        }
                        read(&request)
                    }
                };
                serde_json::to_vec(&reply(&request, read))?
            }
            Err(error) => serde_json::to_vec(&not_understood(&line, &error.to_string()))?,
        };
        answer.push(b'\n');
        output.write_all(&answer)?;
        output.flush()?;
    }
    Ok(())
}

fn reply(request: &ReadRequest, read: Result<Option<Value>, NotAccepted>) -> Reply {
    let (outcome, stage, message, value) = match read {
        Ok(value) => (Answer::Accept, Some(request.stage), None, value.filter(|_| request.want.capability().is_some())),
        Err(NotAccepted::Reject { stage, message }) => (Answer::Reject, stage, Some(message), None),
        Err(NotAccepted::Unsupported(message)) => (Answer::Unsupported, None, Some(message), None),
        Err(NotAccepted::Error(message)) => (Answer::Error, None, Some(message), None),
    };
    Reply { stage, message, value, ..Reply::new(request.seq, outcome) }
}

/// The reply to a `read` with an unknown role or stage is `unsupported`, because a later version can define more of them.
fn not_understood(line: &str, error: &str) -> Value {
    let request: Value = serde_json::from_str(line).unwrap_or_default();
    match &request["seq"] {
        seq @ Value::Number(_) if request["op"] == "read" => {
            json!({"seq": seq, "outcome": Answer::Unsupported, "message": error})
        }
        _ => json!({ "error": error }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

    use super::*;

    /// Runs an adapter whose values are the file sizes.
    fn answers(hello: &Hello, lines: &[String]) -> Vec<Value> {
        let mut output = Vec::new();
        serve_lines(lines.join("\n").as_bytes(), &mut output, hello, |request| {
            let sizes = request.files.iter().map(|file| Ok(file.read()?.len()));
            let sizes = sizes.collect::<Result<Vec<_>, NotAccepted>>()?;
            if sizes.contains(&0) { Err(NotAccepted::reject(Stage::Header, "empty")) } else { Ok(Some(json!(sizes))) }
        })
        .unwrap();
        String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn every_request_gets_its_reply() {
        let folder = std::env::temp_dir().join(format!("torchproof-protocol-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("file");
        std::fs::write(&path, "0123456789").unwrap();
        let hello = Hello::new("r", "1", "rust").with_formats(["pte"]).with_capabilities(["value"]);
        let ask = |role: &str, want: &str, path: &std::path::Path, offset: Value, size: Value| {
            let file = json!({"role": role, "path": path, "offset": offset, "size": size, "later": 1});
            json!({"op": "read", "seq": 5, "files": [file], "stage": "data", "want": want}).to_string()
        };
        let read = |offset: u64, size: Value| ask("program", "value", &path, json!(offset), size);
        let lines = [
            json!({"op": "hello", "protocol": 1}).to_string(),
            read(0, Value::Null),
            read(2, json!(3)),
            read(2, json!(9)),
            read(10, Value::Null),
            ask("program", "verdict", &path, Value::Null, Value::Null),
            ask("program", "value", &folder, Value::Null, Value::Null),
            ask("bundled", "value", &path, Value::Null, Value::Null),
            ask("program", "loaded", &path, Value::Null, Value::Null),
            ask("later", "value", &path, Value::Null, Value::Null),
            json!({"op": "dance"}).to_string(),
            json!({"op": "bye"}).to_string(),
            read(0, Value::Null),
        ];
        let answers = answers(&hello, &lines);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(answers.len(), 11);
        assert_eq!(answers[0]["name"], "r");
        assert_eq!(answers[1], json!({"seq": 5, "outcome": "accept", "stage": "data", "value": [10]}));
        assert_eq!(answers[2]["value"], json!([3]));
        assert_eq!(answers[4], json!({"seq": 5, "outcome": "reject", "stage": "header", "message": "empty"}));
        assert_eq!(answers[5], json!({"seq": 5, "outcome": "accept", "stage": "data"}));
        for (at, outcome) in [(3, "error"), (6, "error"), (7, "unsupported"), (8, "unsupported"), (9, "unsupported")] {
            assert_eq!((&answers[at]["seq"], &answers[at]["outcome"]), (&json!(5), &json!(outcome)), "{at}");
            assert!(answers[at]["message"].as_str().is_some_and(|message| !message.is_empty()), "{at}");
        }
        assert!(answers[10]["error"].as_str().unwrap().contains("dance"));
    }
}

//! Runs the built-in reference reader, and the readers in `conformance/readers`, on the whole corpus.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use testkit::corpus::reported;
use torchproof::corpus::Verdict;
use torchproof_harness::corpus::Status;

use super::fresh;
use crate::built::{self, CPP_VERIFIER, LEVELS, NETRON, OLDER_RUNTIME, PYTHON, RUNTIME};
use crate::need::{self, Need};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![Trial::test("run/reference", reference)];
    let mut add = |name: String, program, arguments: String, exact| {
        let test = {
            let name = name.clone();
            move || run_on_all_cases(&name, &built::address(&need::reader(program), &arguments), exact)
        };
        trials.push(need::trial(&format!("run/{name}"), &[Need::Reader(program)], test));
    };
    add("flatbuffers-cpp".to_owned(), CPP_VERIFIER, String::new(), true);
    for (release, program) in [("executorch", RUNTIME), ("executorch-older", OLDER_RUNTIME)] {
        for level in LEVELS {
            add(format!("{release}-{level}"), program, built::with_stubs(level), false);
        }
    }
    add("executorch-python".to_owned(), PYTHON, String::new(), false);
    add("netron".to_owned(), NETRON, String::new(), false);
    trials
}

/// If `exact`, the reader must accept every valid case. Otherwise, those that it does not accept are just printed.
fn run_on_all_cases(name: &str, address: &str, exact: bool) {
    let run = Run::of(address, name).unwrap_or_else(|error| panic!("{error:?}"));
    run.is_whole().unwrap_or_else(|error| panic!("{error:?}"));
    let unread = run.unread();
    assert!(!exact || unread.is_empty(), "must be accepted and is not:\n{}", unread.join("\n"));
    for line in unread {
        eprintln!("{name}: does not accept: {line}");
    }
}

/// If this fails, either the reader or the case is wrong.
fn reference() -> Result<(), Failed> {
    let run = Run::of("builtin:reference", "reference")?;
    let rest = run.results().filter(|result| !matches!(result["grade"].as_str(), Some("pass" | "ungraded")));
    let rest: Vec<String> = rest.map(ToString::to_string).collect();
    if rest.is_empty() && run.code == Some(0) { Ok(()) } else { Err(rest.join("\n").into()) }
}

struct Run {
    code: Option<i32>,
    report: Value,
}

impl Run {
    fn of(address: &str, name: &str) -> Result<Self, Failed> {
        let results: PathBuf = fresh::scratch().join("results").join(format!("{name}.jsonl"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_torchproof"));
        // On a busy machine, an interpreter can need more than the usual time for a case.
        command.args(["run", "--reader", address, "--time-scale", "4", "--corpus"]).arg(fresh::FOLDER.as_path());
        let (code, report, stderr) = reported(command.arg("--results").arg(results).stdin(Stdio::null()), "json");
        if !matches!(code, 0 | 1) {
            return Err(format!("exit code {code}: {stderr}").into());
        }
        Ok(Self { code: Some(code), report: serde_json::from_str(&report)? })
    }

    fn results(&self) -> impl Iterator<Item = &Value> {
        self.report["results"].as_array().into_iter().flatten()
    }

    /// Checks that every case has a result (no adapter-error), and that terminations have cause, stage and rerun.
    fn is_whole(&self) -> Result<(), Failed> {
        let cases = fresh::BUILT.manifest.cases.iter().filter(|case| case.status != Status::Retired);
        let cases: BTreeSet<&str> = cases.map(|case| case.id.as_str()).collect();
        let reported: Vec<&str> = self.results().filter_map(|result| result["case"].as_str()).collect();
        if reported.len() != cases.len() || reported.into_iter().collect::<BTreeSet<_>>() != cases {
            return Err("expected exactly one result for each case".into());
        }
        if !self.report["readers"][0]["notes"].is_null() {
            return Err(format!("bad behavior: {}", self.report["readers"][0]["notes"]).into());
        }
        let bad: Vec<String> = self.results().filter(|result| !is_sound(result)).map(ToString::to_string).collect();
        if bad.is_empty() { Ok(()) } else { Err(bad.join("\n").into()) }
    }

    /// The valid cases that the reader supports but does not accept, each with its outcome.
    fn unread(&self) -> Vec<String> {
        let must = |result: &&Value| {
            let case = fresh::BUILT.manifest.cases.iter().find(|case| result["case"] == case.id.as_str());
            case.is_some_and(|case| case.verdict == Verdict::Accept)
        };
        let read = |result: &&Value| matches!(result["outcome"].as_str(), Some("accept" | "unsupported"));
        let unread = self.results().filter(must).filter(|result| !read(result));
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        unread
            .map(|result| {
                format!("{} ({}: {})", text(&result["case"]), text(&result["outcome"]), text(&result["message"]))
            })
            .collect()
    }
}

fn is_sound(result: &Value) -> bool {
    match result["outcome"].as_str() {
        Some("accept" | "reject" | "unsupported") => true,
        Some("crash") => {
            let signal = result["message"].as_str().is_some_and(|message| message.contains("SIG"));
            signal && result["stage"].is_string() && result["confirmed"].is_boolean()
        }
        // If there is no stage, the reader ended before its first case, and a rerun in a new process must have another
        // outcome.
        Some("hang" | "out-of-memory") => match result["confirmed"].as_bool() {
            Some(confirmed) => result["stage"].is_string() || !confirmed,
            None => false,
        },
        _ => false,
    }
}

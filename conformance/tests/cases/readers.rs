//! Whole runs: the built-in reference, and the readers that `conformance/readers` builds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::{Completion, Failed, Trial};
use serde_json::Value;
use torchproof::corpus::{Status, Verdict};

use super::fresh;

/// A reader that a script builds.
struct Built {
    name: &'static str,
    /// Its folder, below `conformance/readers` and `target/readers`.
    folder: &'static str,
    program: &'static str,
    arguments: &'static str,
    /// Whether it is held to the verdicts of the cases that must be accepted, or is somebody's release, of which nothing is
    /// demanded here.
    exact: bool,
}

const BUILT: [Built; 7] = [
    Built {
        name: "flatbuffers-cpp",
        folder: "flatbuffers-cpp",
        program: "flatbuffers-cpp-worker",
        arguments: "",
        exact: true,
    },
    Built {
        name: "executorch-minimal",
        folder: "executorch",
        program: "executorch-worker",
        arguments: "--verification minimal",
        exact: false,
    },
    Built {
        name: "executorch-internal-consistency",
        folder: "executorch",
        program: "executorch-worker",
        arguments: "--verification internal-consistency",
        exact: false,
    },
    Built {
        name: "executorch-older-minimal",
        folder: "executorch-1.5.0",
        program: "executorch-worker",
        arguments: "--verification minimal",
        exact: false,
    },
    Built {
        name: "executorch-older-internal-consistency",
        folder: "executorch-1.5.0",
        program: "executorch-worker",
        arguments: "--verification internal-consistency",
        exact: false,
    },
    Built {
        name: "executorch-python",
        folder: "executorch-python",
        program: "executorch-python-worker",
        arguments: "",
        exact: false,
    },
    Built { name: "netron", folder: "netron", program: "netron-worker", arguments: "", exact: false },
];

/// One trial a reader.
pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let built = BUILT.iter().map(|reader| Trial::ignorable_test(format!("run/{}", reader.name), || reader.trial()));
    [Trial::test("run/reference", reference)].into_iter().chain(built)
}

/// Passes everything that is graded: the reference and the cases are made by the same people, so a failure is an error of one of
/// them.
fn reference() -> Result<(), Failed> {
    let run = Run::of("builtin:reference", "reference")?;
    let rest = run.results().filter(|result| !matches!(result["grade"].as_str(), Some("pass" | "info")));
    let rest: Vec<String> = rest.map(ToString::to_string).collect();
    if rest.is_empty() && run.code == Some(0) { Ok(()) } else { Err(rest.join("\n").into()) }
}

impl Built {
    fn trial(&self) -> Result<Completion, Failed> {
        let program = target().join("readers").join(self.folder).join(self.program);
        if !program.is_file() {
            let what = format!("its setup.sh in conformance/readers has not built target/readers/{}", self.folder);
            if std::env::var_os("TORCHPROOF_READERS").is_some_and(|word| word == "required") {
                return Err(format!("{what}: {} is required and not there", program.display()).into());
            }
            eprintln!("NOT RUN: {}: {what}", self.name);
            return Ok(Completion::ignored_with(what));
        }
        let address = format!("exec:'{}' {}", program.display(), self.arguments);
        let run = Run::of(&address, self.name)?;
        run.is_whole()?;
        let unread = run.unread();
        if self.exact && !unread.is_empty() {
            return Err(format!("must be accepted and is not:\n{}", unread.join("\n")).into());
        }
        for line in unread {
            eprintln!("{}: must be accepted and is not: {line}", self.name);
        }
        Ok(Completion::Completed)
    }
}

/// Where cargo builds to, and with it `setup.sh`.
fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap()
}

/// `torchproof run` over all cases with one reader.
struct Run {
    code: Option<i32>,
    report: Value,
}

impl Run {
    fn of(address: &str, name: &str) -> Result<Self, Failed> {
        let results: PathBuf = fresh::scratch().join("results").join(format!("{name}.jsonl"));
        let output = Command::new(env!("CARGO_BIN_EXE_torchproof"))
            .args(["run", "--format", "json", "--reader", address, "--corpus"])
            .arg(fresh::FOLDER.as_path())
            .arg("--results")
            .arg(results)
            .stdin(Stdio::null())
            .output()?;
        if !matches!(output.status.code(), Some(0 | 1)) {
            return Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr)).into());
        }
        let report = serde_json::from_slice(&output.stdout)?;
        Ok(Self { code: output.status.code(), report })
    }

    fn results(&self) -> impl Iterator<Item = &Value> {
        self.report["results"].as_array().into_iter().flatten()
    }

    /// Every case has a result, none of them the adapter's fault, and a death tells its cause, its stage, and whether it comes
    /// again.
    fn is_whole(&self) -> Result<(), Failed> {
        let cases = fresh::MANIFEST.cases.iter().filter(|case| case.status != Status::Retired);
        let cases: BTreeSet<&str> = cases.map(|case| case.id.as_str()).collect();
        let told: Vec<&str> = self.results().filter_map(|result| result["case"].as_str()).collect();
        if told.len() != cases.len() || told.into_iter().collect::<BTreeSet<_>>() != cases {
            return Err("the results are not those of all cases, each once".into());
        }
        if !self.report["readers"][0]["notes"].is_null() {
            return Err(format!("bad manners: {}", self.report["readers"][0]["notes"]).into());
        }
        let bad: Vec<String> = self.results().filter(|result| !is_sound(result)).map(ToString::to_string).collect();
        if bad.is_empty() { Ok(()) } else { Err(bad.join("\n").into()) }
    }

    /// The cases of formats that the reader reads that must be accepted and were not, with what became of them.
    fn unread(&self) -> Vec<String> {
        let must = |result: &&Value| {
            let case = fresh::MANIFEST.cases.iter().find(|case| result["case"] == case.id.as_str());
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
        Some("hang" | "out-of-memory") => result["stage"].is_string() && result["confirmed"].is_boolean(),
        _ => false,
    }
}

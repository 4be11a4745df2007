//! The adapters that users begin with, `conformance/readers/template-*`: each speaks the whole protocol, and is as short as it
//! is said to be. A library has the protocol spoken by its host.
//!
//! What they have in them is a toy that looks at the identifier. For some tests its question has another answer.

testkit::command_in!("templates");

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::need::{Need, trials};
use command::scratch;
use libtest_mimic::Trial;
use serde_json::{Value, json};
use torchproof_cli::corpus::Manifest;
use torchproof_cli::reader::HOST_SUBCOMMAND;
use torchproof_protocol::{Answer, FORMATS, Hello, Reply};

/// Lines of code, which are neither blank nor comments.
const MOST_LINES: usize = 40;

/// An adapter in one language.
struct Template {
    folder: &'static str,
    file: &'static str,
    /// What begins a comment.
    comment: &'static str,
    /// What has to be there to run it.
    tool: &'static str,
    /// The toy's question, whether it has to reject; and the same with the answers no and yes, and without one.
    question: &'static str,
    no: &'static str,
    yes: &'static str,
    crash: &'static str,
}

const CPP: Template = Template {
    folder: "template-cpp",
    file: "worker.cpp",
    comment: "//",
    tool: "g++",
    question: r#"identifier != "ET12" && identifier != "FT01""#,
    no: "false",
    yes: "true",
    crash: "(std::abort(), true)",
};

const PYTHON: Template = Template {
    folder: "template-python",
    file: "worker.py",
    comment: "#",
    tool: "python3",
    question: r#"identifier not in (b"ET12", b"FT01")"#,
    no: "False",
    yes: "True",
    crash: "1 / 0",
};

const JAVASCRIPT: Template = Template {
    folder: "template-javascript",
    file: "worker.mjs",
    comment: "//",
    tool: "node",
    question: r#"!["ET12", "FT01"].includes(identifier)"#,
    no: "false",
    yes: "true",
    crash: "identifier.nobody.knows",
};

const RUST: Template = Template {
    folder: "template-rust",
    file: "src/main.rs",
    comment: "//",
    tool: "cargo",
    question: r#"Some(b"ET12" | b"FT01") = bytes.get(4..8)"#,
    no: "true = bytes.len() < usize::MAX",
    yes: "true = bytes.len() == usize::MAX",
    crash: "true = bytes[usize::MAX] == 0",
};

const LIBRARY: Template = Template {
    folder: "template-lib",
    file: "reader.cpp",
    comment: "//",
    tool: "g++",
    question: CPP.question,
    no: "false",
    yes: "true",
    crash: "(std::abort(), true)",
};

fn cpp() {
    CPP.test();
}

fn python() {
    PYTHON.test();
}

fn javascript() {
    JAVASCRIPT.test();
}

fn rust() {
    RUST.test();
}

fn library() {
    LIBRARY.test();
}

impl Template {
    fn test(&self) {
        self.is_short();
        let toy = self.build("toy", self.question);
        self.speaks_the_protocol(&toy);
        self.looks_at_identifiers(&toy);
        for (builtin, answer) in [("accept-all", self.no), ("reject-all", self.yes)] {
            let ours = run_by(&self.address(&self.build(builtin, answer)), "**", self.deliveries());
            let builtins = run_by(&format!("builtin:{builtin}"), "**", self.deliveries());
            let (ours, builtins) = (grades(&ours), grades(&builtins));
            let differ: Vec<_> = ours.iter().filter(|(case, grade)| builtins.get(*case) != Some(grade)).collect();
            assert!(ours.len() == builtins.len() && differ.is_empty(), "{}, {builtin}: {differ:?}", self.folder);
        }
        self.crashes_with_its_stage();
        let selftest = command::run(&["selftest", "--reader", &self.address(&toy)]);
        assert_eq!(selftest.code, Some(0), "{}", selftest.stdout);
        assert!(selftest.stdout.contains("\npass        truncated "), "{}", selftest.stdout);
    }

    /// What it takes files by.
    fn deliveries(&self) -> &'static str {
        if self.is_library() { "buffer,unaligned,mmap,guard" } else { "file" }
    }

    fn is_library(&self) -> bool {
        self.folder == LIBRARY.folder
    }

    /// The address of what [`build`](Self::build) made: of a library the file, which is the last word of its host's command.
    fn address(&self, command: &[String]) -> String {
        if self.is_library() {
            return format!("lib:{}", command[command.len() - 1]);
        }
        format!("exec:{}", shell_words::join(command))
    }

    fn is_short(&self) {
        let source = self.source();
        let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with(self.comment);
        let lines = source.lines().filter(is_code).count();
        let most = if self.tool == "cargo" { 15 } else { MOST_LINES };
        assert!(lines <= most, "{}: {lines} lines of code", self.folder);
    }

    fn source(&self) -> String {
        fs::read_to_string(readers().join(self.folder).join(self.file)).unwrap()
    }

    /// The command of a copy whose toy asks `question`.
    fn build(&self, name: &str, question: &str) -> Vec<String> {
        let source = self.source();
        assert_eq!(source.matches(self.question).count(), 1, "{}: {}", self.folder, self.question);
        // With all that a user copies, and no more.
        let folder = scratch().join(self.folder).join(name);
        fs::create_dir_all(folder.join("common")).unwrap();
        fs::create_dir_all(folder.join(self.folder)).unwrap();
        let headers: &[&str] = if self.is_library() { &["torchproof.h"] } else { &["json.hpp", "worker.hpp"] };
        for header in headers {
            fs::copy(readers().join("common").join(header), folder.join("common").join(header)).unwrap();
        }
        let source_path = folder.join(self.folder).join(self.file);
        fs::create_dir_all(source_path.parent().unwrap()).unwrap();
        fs::write(&source_path, source.replace(self.question, question)).unwrap();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let program = folder.join("worker");
        let compiler: &[&str] = match self.tool {
            "g++" if self.is_library() => &["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"],
            "g++" => &["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror"],
            "cargo" => return vec![text(&self.cargo_build(&folder))],
            interpreter => return vec![interpreter.to_owned(), text(&source_path)],
        };
        let mut command = Command::new(compiler[0]);
        command.args(&compiler[1..]).arg(&source_path).arg("-o").arg(&program);
        let output = command.current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{}: {}", self.folder, String::from_utf8_lossy(&output.stderr));
        if self.is_library() {
            return vec![env!("CARGO_BIN_EXE_torchproof").to_owned(), HOST_SUBCOMMAND.to_owned(), text(&program)];
        }
        vec![text(&program)]
    }

    /// Builds the copy in `folder` with the packages that this workspace is built with.
    fn cargo_build(&self, folder: &Path) -> PathBuf {
        let package = folder.join(self.folder);
        let manifest = fs::read_to_string(readers().join(self.folder).join("Cargo.toml")).unwrap();
        let protocol = repository().join("conformance/protocol");
        let manifest = manifest.replace("../../protocol", protocol.to_str().unwrap()) + "\n[workspace]\n";
        fs::write(package.join("Cargo.toml"), manifest).unwrap();
        fs::copy(repository().join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
        let target = scratch().join("cargo");
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--offline", "--target-dir"]).arg(&target).current_dir(&package);
        let output = cargo.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // The next copy is built in the same folder.
        let program = folder.join("worker");
        fs::copy(target.join("debug/torchproof-template-rust"), &program).unwrap();
        program
    }

    /// Each request gets its answer, an unknown one too, with members and spaces that the runner does not write; and a bye an
    /// exit code of 0.
    fn speaks_the_protocol(&self, command: &[String]) {
        let odd = scratch().join(self.folder).join("a \"path\": \\ \u{e9}\u{1f600}.pte");
        fs::copy(command::real("linear.pte"), &odd).unwrap();
        let read = |seq: u64, path: &Path, stage: &str| {
            let size = fs::metadata(path).map_or(540, |found| found.len());
            let file = json!({"role": "program", "path": path, "size": size, "later": [1, {"more": null}]});
            json!({"op": "read", "files": [file], "stage": stage, "want": "verdict", "seq": seq}).to_string()
        };
        let nowhere = scratch().join("nowhere.pte");
        let other = scratch().join(self.folder).join("other.pte");
        fs::write(&other, "no identifier").unwrap();
        let locked = scratch().join(self.folder).join("locked.pte");
        let _ = fs::remove_file(&locked);
        fs::copy(&odd, &locked).unwrap();
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
        // There are users whom no mode keeps from reading.
        let locked = if fs::File::open(&locked).is_err() { locked } else { nowhere.clone() };
        // Without its size, which a request may leave out.
        let unsized_file = |seq: u64, path: &Path| {
            let mut request: Value = serde_json::from_str(&read(seq, path, "data")).unwrap();
            request["files"][0].as_object_mut().unwrap().remove("size");
            request.to_string()
        };
        let requests = [
            r#"{"op": "hello", "protocol" : 1 }"#.to_owned(),
            r#"{"op":"dance","seq":1}"#.to_owned(),
            read(7, &odd, "data"),
            read(8, &odd, "meta"),
            read(9_007_199_254_740_991, &nowhere, "data"),
            read(9, &scratch(), "data"),
            read(10, &locked, "data"),
            unsized_file(11, &odd),
            unsized_file(12, &other),
            r#"{"op":"bye"}"#.to_owned(),
            read(13, &odd, "data"),
        ];
        let (answers, code) = converse(command, &requests);
        assert_eq!((answers.len(), code), (9, Some(0)), "{}: {answers:?}", self.folder);

        let hello: Hello = serde_json::from_str(&answers[0]).unwrap();
        assert_eq!((hello.protocol, hello.formats), (1, FORMATS.map(str::to_owned).to_vec()), "{}", self.folder);
        let error: Value = serde_json::from_str(&answers[1]).unwrap();
        assert!(error["error"].as_str().is_some_and(|error| error.contains("dance")), "{}: {error}", self.folder);
        let replies: Vec<Reply> = answers[2..].iter().map(|answer| serde_json::from_str(answer).unwrap()).collect();
        let told: Vec<_> = replies
            .iter()
            .map(|reply| {
                // An error is at no stage; what is told nevertheless is ignored.
                let stage = reply.stage.filter(|_| reply.outcome != Answer::Error);
                (reply.seq, reply.outcome, stage.map(torchproof_protocol::Stage::name).unwrap_or_default())
            })
            .collect();
        let expected = [
            (7, Answer::Accept, "data"),
            (8, Answer::Accept, "meta"),
            (9_007_199_254_740_991, Answer::Error, ""),
            (9, Answer::Error, ""),
            (10, Answer::Error, ""),
            (11, Answer::Accept, "data"),
            (12, Answer::Reject, "header"),
        ];
        assert_eq!(told, expected, "{}", self.folder);
        let mut errors = replies.iter().filter(|reply| reply.outcome == Answer::Error);
        let is_told = |reply: &Reply| reply.message.as_ref().is_some_and(|message| !message.is_empty());
        assert!(errors.all(is_told), "{}", self.folder);
    }

    /// Its answers are those of a toy that looks at bytes 4 to 8 alone.
    fn looks_at_identifiers(&self, command: &[String]) {
        let report = run(&self.address(command), "**");
        let corpus = repository().join("corpus");
        let manifest: Manifest = serde_json::from_slice(&fs::read(corpus.join("manifest.json")).unwrap()).unwrap();
        let mut put = 0;
        for case in &manifest.cases {
            let Some(result) = results(&report).find(|result| result["case"] == case.id.as_str()) else { continue };
            if result["grade"] == "skip" {
                continue;
            }
            put += 1;
            let known = |file: &torchproof_cli::corpus::CaseFile| {
                matches!(fs::read(corpus.join(&file.path)).unwrap().get(4..8), Some(b"ET12" | b"FT01"))
            };
            let expected = if case.files.iter().all(known) { ["accept", "data"] } else { ["reject", "header"] };
            assert_eq!([&result["outcome"], &result["stage"]], expected, "{}: {result}", self.folder);
        }
        assert!(put > 100, "{}: {put} cases", self.folder);
    }

    fn crashes_with_its_stage(&self) {
        let report = run(&self.address(&self.build("crash", self.crash)), "pte/valid/constants");
        assert!(results(&report).count() > 0);
        for result in results(&report) {
            let [grade, stage, confirmed] = ["grade", "stage", "confirmed"].map(|name| &result[name]);
            assert_eq!((grade, stage, confirmed), (&json!("crash"), &json!("header"), &json!(true)), "{result}");
        }
    }
}

/// `torchproof run` over the cases of the corpus.
fn run(address: &str, cases: &str) -> Value {
    run_by(address, cases, "")
}

/// The same by these deliveries.
fn run_by(address: &str, cases: &str, deliveries: &str) -> Value {
    let corpus = repository().join("corpus");
    let results = tempfile::tempdir_in(scratch()).unwrap();
    let mut command = command::torchproof(&["run", "--format", "json", "--reader", address, "--cases", cases]);
    if !deliveries.is_empty() {
        command.args(["--delivery", deliveries]);
    }
    command.arg("--corpus").arg(corpus).arg("--results").arg(results.path().join("results.jsonl"));
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{address}: {}: {stderr}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn results(report: &Value) -> impl Iterator<Item = &Value> {
    report["results"].as_array().into_iter().flatten()
}

/// By delivery and case.
fn grades(report: &Value) -> BTreeMap<[&str; 2], &str> {
    fn member<'r>(result: &'r Value, name: &str) -> &'r str {
        result[name].as_str().unwrap()
    }
    results(report)
        .map(|result| (["delivery", "case"].map(|name| member(result, name)), member(result, "grade")))
        .collect()
}

/// What a worker answers to these lines, and its exit code.
fn converse(command: &[String], requests: &[String]) -> (Vec<String>, Option<i32>) {
    let mut worker = Command::new(&command[0]);
    let mut worker =
        worker.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // It may be gone before it has taken what comes after the bye.
    let _ = worker.stdin.take().unwrap().write_all((requests.join("\n") + "\n").as_bytes());
    let output = worker.wait_with_output().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    (answers, output.status.code())
}

fn readers() -> PathBuf {
    repository().join("conformance/readers")
}

fn repository() -> &'static Path {
    testkit::repository()
}

/// The trials of this module.
pub(crate) fn trials() -> Vec<Trial> {
    [
        trials![[Need::Tool(&["g++"])]; cpp, library],
        trials![[Need::Tool(&["python3"])]; python],
        trials![[Need::Tool(&["node"])]; javascript],
        trials![[Need::Tool(&["cargo"])]; rust],
    ]
    .into_iter()
    .flatten()
    .collect()
}

//! Checks that the template adapters in `conformance/readers/template-*` are short and implement the whole protocol.
//! For a library, the host implements it.
//!
//! Each template contains a simple reader that checks only the identifier. In one test, the reader's condition crashes.

testkit::command_in!("templates");

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::need::{Need, trial};
use command::scratch;
use libtest_mimic::Trial;
use serde_json::{Value, json};
use testkit::corpus::reported;
use testkit::repository;
use torchproof_harness::corpus::Manifest;
use torchproof_harness::reader::HOST_SUBCOMMAND;
use torchproof_harness::run::selftest::CheckResult;
use torchproof_protocol::{Answer, FORMATS, Hello, Reply};

/// The maximum number of lines, not counting blank lines and comments.
const MOST_LINES: usize = 40;

struct Template {
    folder: &'static str,
    file: &'static str,
    /// The characters that begin a comment in this language.
    comment: &'static str,
    /// The possible names of the program that runs or builds the template.
    tool: &'static [&'static str],
    /// The condition in the source that decides whether to reject a file.
    condition: &'static str,
    /// Replaces the condition in one test, and crashes.
    crash: &'static str,
}

const CPP: Template = Template {
    folder: "template-cpp",
    file: "worker.cpp",
    comment: "//",
    tool: &["g++"],
    condition: r#"identifier != "ET12" && identifier != "FT01" && identifier != "BP08""#,
    crash: "(std::abort(), true)",
};

const LIBRARY: Template = Template { folder: "template-lib", file: "reader.cpp", ..CPP };

static TEMPLATES: [Template; 6] = [
    Template {
        folder: "template-c",
        file: "reader.c",
        tool: &["gcc"],
        comment: "/*",
        condition: "!is_identifier(identifier)",
        crash: "(__builtin_trap(), !is_identifier(identifier))",
    },
    CPP,
    LIBRARY,
    Template {
        folder: "template-python",
        file: "worker.py",
        comment: "#",
        tool: &["python3"],
        condition: r#"identifier not in (b"ET12", b"FT01", b"BP08")"#,
        crash: "1 / 0",
    },
    Template {
        folder: "template-javascript",
        file: "worker.mjs",
        comment: "//",
        tool: &["node"],
        condition: r#"!["ET12", "FT01", "BP08"].includes(identifier)"#,
        crash: "identifier.nobody.knows",
    },
    Template {
        folder: "template-rust",
        file: "src/main.rs",
        comment: "//",
        tool: &["cargo"],
        condition: r#"Some(b"ET12" | b"FT01" | b"BP08") = bytes.get(4..8)"#,
        crash: "true = bytes[usize::MAX] == 0",
    },
];

/// The Rust template takes long to compile, so its test exists only if `TORCHPROOF_EXAMPLES` is set.
pub(crate) fn trials() -> Vec<Trial> {
    let is_whole = env::var_os("TORCHPROOF_EXAMPLES").is_some();
    let of = |template: &'static Template| {
        trial(&format!("templates::{}", template.folder), &[Need::Tool(template.tool)], || template.test())
    };
    TEMPLATES.iter().filter(|template| is_whole || template.tool[0] != "cargo").map(of).collect()
}

impl Template {
    fn test(&self) {
        self.is_short();
        let toy = self.build("toy", self.condition);
        self.follows_the_protocol(&toy);
        self.checks_only_identifiers(&toy);
        self.crashes_with_its_stage();
        let report = testkit::command::selftest(&self.address(&toy));
        assert!(report.is_passed(), "{}: {}", self.folder, report.text());
        let truncated = report.checks.iter().find(|check| check.check == "truncated").unwrap();
        assert_eq!(truncated.result, CheckResult::Pass, "{}: {}", self.folder, report.text());
    }

    fn is_library(&self) -> bool {
        ["template-c", LIBRARY.folder].contains(&self.folder)
    }

    /// For a library, the last element of `command` is the path of the library.
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
        let most = if self.folder == "template-rust" { 16 } else { MOST_LINES };
        assert!(lines <= most, "{}: {lines} lines of code", self.folder);
    }

    fn source(&self) -> String {
        fs::read_to_string(readers().join(self.folder).join(self.file)).unwrap()
    }

    /// Builds a copy with another condition, and returns the command that starts it.
    fn build(&self, name: &str, condition: &str) -> Vec<String> {
        let source = self.source();
        assert_eq!(source.matches(self.condition).count(), 1, "{}: {}", self.folder, self.condition);
        // These are exactly the files that the README tells users to copy.
        let folder = scratch().join(self.folder).join(name);
        fs::create_dir_all(folder.join("common")).unwrap();
        fs::create_dir_all(folder.join(self.folder)).unwrap();
        let headers: &[&str] = if self.is_library() { &["torchproof.h"] } else { &["json.hpp", "worker.hpp"] };
        for header in headers {
            fs::copy(readers().join("common").join(header), folder.join("common").join(header)).unwrap();
        }
        let source_path = folder.join(self.folder).join(self.file);
        fs::create_dir_all(source_path.parent().unwrap()).unwrap();
        fs::write(&source_path, source.replace(self.condition, condition)).unwrap();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let program = folder.join("worker");
        let compiler: &[&str] = match self.tool[0] {
            "g++" if self.is_library() => &["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"],
            "g++" => &["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror"],
            "gcc" => &["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"],
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

    /// Builds the Rust template with the packages of this workspace.
    fn cargo_build(&self, folder: &Path) -> PathBuf {
        let package = folder.join(self.folder);
        let manifest = fs::read_to_string(readers().join(self.folder).join("manifest.toml")).unwrap();
        let protocol = repository().join("conformance/protocol");
        let patch = format!("[patch.crates-io]\ntorchproof-protocol.path = {protocol:?}\n");
        fs::write(package.join("Cargo.toml"), manifest + &patch).unwrap();
        fs::copy(repository().join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
        let target = scratch().join("cargo");
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--offline", "--target-dir"]).arg(&target).current_dir(&package);
        let output = cargo.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // The next build writes to the same folder.
        let program = folder.join("worker");
        fs::copy(target.join("debug/torchproof-worker"), &program).unwrap();
        program
    }

    /// Every request gets a reply, even an unknown or unusual one. After `bye`, the exit code must be 0.
    fn follows_the_protocol(&self, command: &[String]) {
        let odd = scratch().join(self.folder).join("a \"path\": \\ \u{e9}\u{1f600}.pte");
        fs::copy(command::real("linear.pte"), &odd).unwrap();
        let other = scratch().join(self.folder).join("other.pte");
        fs::write(&other, "no identifier").unwrap();
        let nowhere = scratch().join("nowhere.pte");
        // The size is optional.
        let read = |seq: u64, path: &Path, stage: &str, size: Option<u64>| {
            let mut file = json!({"role": "program", "path": path, "later": [1, {"more": null}]});
            if let Some(size) = size {
                file["size"] = json!(size);
            }
            json!({"op": "read", "files": [file], "stage": stage, "want": "verdict", "seq": seq}).to_string()
        };
        let size = Some(fs::metadata(&odd).unwrap().len());
        let requests = [
            r#"{"op": "hello", "protocol" : 1 }"#.to_owned(),
            r#"{"op":"dance","seq":1}"#.to_owned(),
            read(7, &odd, "data", size),
            read(8, &odd, "meta", size),
            read(9_007_199_254_740_991, &nowhere, "data", size),
            read(9, &scratch(), "data", size),
            read(10, &odd, "data", None),
            read(11, &other, "data", None),
            r#"{"op":"bye"}"#.to_owned(),
            read(12, &odd, "data", size),
        ];
        let (answers, code) = converse(command, &requests);
        assert_eq!((answers.len(), code), (8, Some(0)), "{}: {answers:?}", self.folder);

        let hello: Hello = serde_json::from_str(&answers[0]).unwrap();
        assert_eq!((hello.protocol, hello.formats), (1, FORMATS.map(str::to_owned).to_vec()), "{}", self.folder);
        let error: Value = serde_json::from_str(&answers[1]).unwrap();
        assert!(error["error"].as_str().is_some_and(|error| error.contains("dance")), "{}: {error}", self.folder);
        let replies: Vec<Reply> = answers[2..].iter().map(|answer| serde_json::from_str(answer).unwrap()).collect();
        let found: Vec<_> = replies
            .iter()
            .map(|reply| {
                // An error has no stage; if there is one, the runner ignores it.
                let stage = reply.stage.filter(|_| reply.outcome != Answer::Error);
                (reply.seq, reply.outcome, stage.map(torchproof_protocol::Stage::name).unwrap_or_default())
            })
            .collect();
        let expected = [
            (7, Answer::Accept, "data"),
            (8, Answer::Accept, "meta"),
            (9_007_199_254_740_991, Answer::Error, ""),
            (9, Answer::Error, ""),
            (10, Answer::Accept, "data"),
            (11, Answer::Reject, "header"),
        ];
        assert_eq!(found, expected, "{}", self.folder);
        let mut errors = replies.iter().filter(|reply| reply.outcome == Answer::Error);
        let has_message = |reply: &Reply| reply.message.as_ref().is_some_and(|message| !message.is_empty());
        assert!(errors.all(has_message), "{}", self.folder);
    }

    /// Every delivery must give the outcomes of a reader that checks only bytes 4 to 8.
    fn checks_only_identifiers(&self, command: &[String]) {
        let corpus = repository().join("corpus");
        let manifest: Manifest = serde_json::from_slice(&fs::read(corpus.join("manifest.json")).unwrap()).unwrap();
        let known = |file: &torchproof_harness::corpus::CaseFile| {
            matches!(fs::read(corpus.join(&file.path)).unwrap().get(4..8), Some(b"ET12" | b"FT01" | b"BP08"))
        };
        let deliveries = if self.is_library() { "buffer,unaligned,mmap,guard" } else { "file" };
        let results = run(&self.address(command), &["--delivery", deliveries]);
        let mut put = 0;
        for result in results.iter().filter(|result| result["grade"] != "skip") {
            put += 1;
            let case = manifest.cases.iter().find(|case| result["case"] == case.id.as_str()).unwrap();
            let expected = if case.files.iter().all(known) { ["accept", "data"] } else { ["reject", "header"] };
            assert_eq!([&result["outcome"], &result["stage"]], expected, "{}: {result}", self.folder);
        }
        let bundled =
            |result: &&Value| result["case"].as_str().unwrap().starts_with("bpte/") && result["grade"] != "skip";
        for (least, count) in [(100, put), (50, results.iter().filter(bundled).count())] {
            assert!(count > least * deliveries.split(',').count(), "{}: {count} cases", self.folder);
        }
    }

    fn crashes_with_its_stage(&self) {
        let address = self.address(&self.build("crash", self.crash));
        let results = run(&address, &["--cases", "pte/valid/constants"]);
        assert!(!results.is_empty());
        for result in results {
            let [grade, stage, confirmed] = ["grade", "stage", "confirmed"].map(|name| &result[name]);
            assert_eq!((grade, stage, confirmed), (&json!("crash"), &json!("header"), &json!(true)), "{result}");
        }
    }
}

fn run(address: &str, args: &[&str]) -> Vec<Value> {
    let results = tempfile::tempdir_in(scratch()).unwrap();
    let mut command = command::torchproof(&["run", "--reader", address]);
    command.args(args).arg("--corpus").arg(repository().join("corpus"));
    let (code, report, stderr) = reported(command.arg("--results").arg(results.path().join("results.jsonl")), "json");
    assert!(matches!(code, 0 | 1), "{address}: {code}: {stderr}");
    let report: Value = serde_json::from_str(&report).unwrap();
    report["results"].as_array().unwrap().clone()
}

/// Returns the replies and the exit code.
fn converse(command: &[String], requests: &[String]) -> (Vec<String>, Option<i32>) {
    let mut worker = Command::new(&command[0]);
    let mut worker =
        worker.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // The worker can exit before it reads the lines after `bye`, so ignore the error.
    let _ = worker.stdin.take().unwrap().write_all((requests.join("\n") + "\n").as_bytes());
    let output = worker.wait_with_output().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    (answers, output.status.code())
}

fn readers() -> PathBuf {
    repository().join("conformance/readers")
}

//! A corpus whose files tell the faux reader what to do, and functions that run `torchproof run` on it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use torchproof::Stage;
use torchproof_harness::corpus::MANIFEST_VERSION;

use crate::schema::{expect_valid, schema};

pub fn faux(transport: &str, arguments: &str) -> String {
    format!("{transport}:'{}' {arguments}", crate::program("faux-reader").display())
}

/// A corpus for tests. Its methods add cases or change the last case. Finally, [`write`](Self::write) writes the manifest.
pub struct TestCorpus {
    dir: PathBuf,
    budget: u64,
    cases: BTreeMap<String, Value>,
    last: String,
}

impl TestCorpus {
    pub fn new(name: &str) -> Self {
        let dir = crate::scratch("runner").join(name);
        let _ = fs::remove_dir_all(&dir);
        TestCorpus { dir, budget: 20_000, cases: BTreeMap::new(), last: String::new() }
    }

    pub fn budget(mut self, ms: u64) -> Self {
        self.budget = ms;
        self
    }

    pub fn accept(self, id: &str, order: &str) -> Self {
        self.add(id, order, "accept")
    }

    pub fn either(self, id: &str, order: &str) -> Self {
        self.add(id, order, "either")
    }

    pub fn reject(self, id: &str, order: &str, stage: Stage, control: &str) -> Self {
        self.add(id, order, "reject").with("stage", stage.name()).with("control", control)
    }

    /// Turns the last case into a test of a should-rule.
    pub fn should(mut self, rule: &str) -> Self {
        self.cases.get_mut(&self.last).unwrap().as_object_mut().unwrap().remove("stage");
        self.with("strength", "should").with("verdict", "either").rule(rule)
    }

    pub fn rule(self, rule: &str) -> Self {
        self.with("rule", rule)
    }

    pub fn expect(self, value: &Value) -> Self {
        let path = format!("expect/{}.json", self.last);
        self.put(&path, value.to_string().as_bytes());
        self.with("expect", &path)
    }

    fn with(mut self, member: &str, text: &str) -> Self {
        self.cases.get_mut(&self.last).unwrap()[member] = json!(text);
        self
    }

    fn add(mut self, id: &str, order: &str, verdict: &str) -> Self {
        let path = format!("files/{id}");
        self.put(&path, order.as_bytes());
        let (role, needs) = match id.split('/').next() {
            Some("pte") => ("program", json!([])),
            Some("bpte") => ("bundled", json!(["bundled"])),
            _ => ("data", json!([])),
        };
        let digest: String = Sha256::digest(order.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        let case = json!({
            "id": id, "title": "", "why": "", "verdict": verdict, "strength": "must", "status": "active", "since": "0.0.1",
            "files": [{"role": role, "path": path, "sha256": digest, "size": order.len()}],
            "budget": {"ms": self.budget, "memory_mib": 256}, "needs": needs,
        });
        self.cases.insert(id.to_owned(), case);
        id.clone_into(&mut self.last);
        self
    }

    /// Writes the manifest of the case files.
    pub fn write(self) -> Self {
        let cases: Vec<&Value> = self.cases.values().collect();
        let manifest = json!({"manifest": MANIFEST_VERSION, "version": "0.0.1", "digest": "none", "cases": cases});
        self.put("manifest.json", manifest.to_string().as_bytes());
        self
    }

    pub fn overwrite(&self, id: &str, order: &str) {
        self.put(&format!("files/{id}"), order.as_bytes());
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        let path = self.dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn folder(&self) -> &Path {
        &self.dir
    }

    pub fn beside(&self, name: &str, text: &str) -> String {
        self.put(name, text.as_bytes());
        self.dir.join(name).to_str().unwrap().to_owned()
    }

    pub fn content(&self, id: &str) -> String {
        fs::read_to_string(self.dir.join("files").join(id)).unwrap()
    }

    /// The names of all files in the corpus folder, including the results.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.dir).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = crate::command::without_environment();
        command.arg("run").args(args);
        if !args.contains(&"--results") {
            command.arg("--results").arg(self.dir.join("results.jsonl"));
        }
        if !args.contains(&"--corpus") {
            command.arg("--corpus").arg(&self.dir);
        }
        // The faux reader's outcomes can depend on earlier cases.
        if !args.contains(&"--seed") {
            command.arg("--in-order");
        }
        command.stdin(Stdio::null());
        command
    }

    pub fn torchproof(&self, args: &[&str]) -> (i32, String, String) {
        let output = self.command(args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Returns the exit code, the report and stderr.
    pub fn reported(&self, format: &str, args: &[&str]) -> (i32, String, String) {
        reported(&mut self.command(args), format)
    }

    pub fn run(&self, readers: &[&str]) -> Run {
        self.run_with(readers, &[])
    }

    pub fn run_with(&self, readers: &[&str], args: &[&str]) -> Run {
        let readers = readers.iter().flat_map(|reader| ["--reader", reader]);
        let (code, report, stderr) = self.reported("json", &readers.chain(args.iter().copied()).collect::<Vec<_>>());
        // If no reader starts, the run prints one line on stderr.
        assert!(if code == 2 { stderr.lines().count() == 1 } else { stderr.is_empty() }, "{stderr}");
        let report = serde_json::from_str(&report).unwrap();
        expect_valid(&schema("run.schema.json"), &report);
        Run { code, report }
    }

    pub fn text(&self, readers: &[&str], args: &[&str]) -> String {
        let readers = readers.iter().flat_map(|reader| ["--reader", reader]);
        let args: Vec<&str> = readers.chain(args.iter().copied()).collect();
        let (code, stdout, stderr) = self.torchproof(&args);
        assert!(code == 2 || stderr.is_empty(), "{stderr}");
        crate::command::on_any_kernel(&stdout)
    }

    pub fn stream(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.dir.join("results.jsonl")).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

/// A corpus whose cases produce every outcome and grade.
pub fn every_outcome(name: &str) -> TestCorpus {
    TestCorpus::new(name)
        .accept("pte/a/control", "accept")
        .reject("pte/a/bad", "reject structure", Stage::Header, "pte/a/control")
        .rule("eh-length-min")
        .reject("pte/a/taken", "accept", Stage::Header, "pte/a/control")
        .accept("pte/a/refused", "reject structure")
        .accept("pte/a/dies", "staged-signal")
        .accept("pte/a/panics", "panic")
        .accept("pte/a/flaky", "signal-when-used")
        .accept("pte/a/hoard", "hoard")
        .accept("pte/a/garbage", "garbage")
        .accept("ptd/a/unread", "accept")
        .either("pte/a/doubtful", "accept")
        .budget(400)
        .accept("pte/a/hang", "hang")
        .write()
}

/// Four readers. One prints markup, and one does not exist.
pub fn readers() -> [String; 4] {
    let accept_all = "builtin:accept-all".to_owned();
    [faux("exec", "worker markup"), faux("exec", "worker pte-only"), accept_all, "exec:no-such-program".to_owned()]
}

pub fn report_of_every_outcome(format: &str, name: &str) -> String {
    let readers = readers();
    let readers: Vec<&str> = readers.iter().flat_map(|reader| ["--reader", reader]).collect();
    // The faux reader's outcomes can depend on earlier cases, so use one job.
    let (code, report, stderr) = every_outcome(name).reported(format, &[&readers[..], &["--jobs", "1"]].concat());
    assert_eq!((code, stderr.as_str()), (1, ""));
    report
}

/// Runs the command with `--report`. Returns the exit code, the report (empty if there is none) and stderr.
pub fn reported(command: &mut Command, format: &str) -> (i32, String, String) {
    let folder = tempfile::tempdir_in(crate::scratch("runner")).unwrap();
    let path = folder.path().join("report");
    let output = command.arg("--report").arg(format!("{format}={}", path.display())).output().unwrap();
    let report = fs::read_to_string(path).unwrap_or_default();
    (output.status.code().unwrap(), report, String::from_utf8(output.stderr).unwrap())
}

#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub report: Value,
}

impl Run {
    pub fn result(&self, reader: &str, case: &str) -> &Value {
        let results = self.report["results"].as_array().unwrap();
        results.iter().find(|result| result["reader"] == reader && result["case"] == case).unwrap()
    }

    /// Returns one line per result, without the stderr.
    pub fn outcomes(&self) -> String {
        let line = |result: &Value| {
            let text = |name: &str| result[name].as_str().unwrap_or_default();
            let at = result["stage"].as_str().map(|stage| format!(" at {stage}")).unwrap_or_default();
            let line = format!("{} {}: {}{at} {}", text("reader"), text("case"), text("grade"), text("message"));
            crate::without_numbers(line.split("; last line of stderr: ").next().unwrap().trim_end())
        };
        self.report["results"].as_array().unwrap().iter().map(line).collect()
    }

    /// Returns one line per reader, with its errors and notes.
    pub fn remarks(&self) -> String {
        let of = |reader: &Value| {
            let notes = reader["notes"].as_array().into_iter().flatten();
            let all: Vec<_> = notes.chain(reader.get("error")).filter_map(Value::as_str).collect();
            crate::without_numbers(&format!("{}: {}", reader["reader"].as_str().unwrap(), all.join("; ")))
        };
        self.report["readers"].as_array().unwrap().iter().map(of).collect()
    }

    pub fn grade(&self, reader: &str, case: &str) -> &str {
        self.result(reader, case)["grade"].as_str().unwrap()
    }

    /// The case ids of the first reader's results, in order.
    pub fn cases(&self) -> Vec<&str> {
        let first = &self.report["readers"][0]["reader"];
        let results = self.report["results"].as_array().unwrap();
        results
            .iter()
            .filter(|result| result["reader"] == *first)
            .map(|result| result["case"].as_str().unwrap())
            .collect()
    }
}

/// The processes with this name, or with it in their command line. A process id would differ between namespaces.
pub fn processes_with(word: &str) -> Vec<u32> {
    let has_word = |pid: &u32| {
        let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        String::from_utf8_lossy(&read("cmdline")).contains(word) || read("comm").trim_ascii() == word.as_bytes()
    };
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes.filter(has_word).collect()
}

/// Returns whether the process ends within 5 seconds; a zombie counts as ended.
pub fn ends_soon(pid: u32) -> bool {
    let patience = Instant::now() + Duration::from_secs(5);
    while field(pid, "State:").is_some_and(|state| !state.starts_with('Z')) {
        if Instant::now() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

fn field(pid: u32, name: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned())
}

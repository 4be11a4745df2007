//! Real readers take edited files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::built::{CPP_VERIFIER, LEVELS, RUNTIME, built};
use super::command::{real, run, scratch};
use super::{case, copy, editable};

/// A reader that `setup.sh` builds.
struct Built {
    /// Below the folder that it builds into.
    program: &'static str,
    arguments: &'static [&'static str],
    /// Whether it loads methods, and wants the data files of their tensors.
    ///
    /// A data file by itself is not put to such a one: it asks for the tensor layout of every key, and releases of the runtime
    /// do not survive the answer for a key without one.
    pairs: bool,
}

const READERS: [Built; 3] = [
    Built { program: CPP_VERIFIER, arguments: &[], pairs: false },
    Built { program: RUNTIME, arguments: &["--verification", LEVELS[0]], pairs: true },
    Built { program: RUNTIME, arguments: &["--verification", LEVELS[1]], pairs: true },
];

#[test]
fn edited_files_are_accepted() {
    let edited: Vec<PathBuf> = editable().chain([case("pte/valid/headerless.pte")]).enumerate().map(edit).collect();
    for reader in READERS {
        reader.expect_accepted(&edited);
    }
}

/// A copy with some metadata.
fn edit((index, path): (usize, PathBuf)) -> PathBuf {
    let name = copy(&path, &format!("read-{index}"));
    for (key, value) in [("general.name", "a name"), ("context.length", "8192"), ("tokenizer.eos_ids", "1, 2")] {
        assert_eq!(run(&["meta", "set", &name, key, value]).code, Some(0), "{name}");
    }
    scratch().join(name)
}

impl Built {
    fn expect_accepted(&self, edited: &[PathBuf]) {
        let Some(program) = built(self.program) else { return };
        let mut requests = vec![json!({ "op": "hello", "protocol": 1 })];
        requests.extend(edited.iter().enumerate().map(|(seq, path)| {
            json!({ "op": "read", "seq": seq, "files": self.files(path), "stage": "data", "want": "verdict" })
        }));
        requests.push(json!({ "op": "bye" }));
        let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
        let mut command = Command::new(&program);
        command.args(self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut reader = command.spawn().unwrap();
        // The answers are shorter than what a pipe holds, so that neither waits for the other.
        reader.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        let output = String::from_utf8(reader.wait_with_output().unwrap().stdout).unwrap();
        let answers: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let accepted = |answer: &&Value| answer["outcome"] == "accept" && answer["stage"] == answers[1]["stage"];
        assert_eq!(answers.iter().filter(accepted).count(), edited.len(), "{program:?} {:?}: {output}", self.arguments);
    }

    /// The edited file, with that of the other kind that goes with it.
    fn files(&self, path: &Path) -> Value {
        let of = |path: &Path| {
            let role = if path.extension().is_some_and(|ending| ending == "pte") { "program" } else { "data" };
            json!({ "role": role, "path": path })
        };
        let name = path.file_stem().unwrap().to_str().unwrap();
        if !self.pairs || !name.ends_with("_external") {
            return json!([of(path)]);
        }
        let other = |ending| real(&format!("{name}.{ending}"));
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("pte") => json!([of(path), of(&other("ptd"))]),
            _ => json!([of(&other("pte")), of(path)]),
        }
    }
}

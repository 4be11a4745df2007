//! Tests the sandbox: the probes in `fuzz/hostile` compare it with the guide, and reports must say what it lacks.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::json;
use testkit::corpus::{TestCorpus, faux, reported};
use torchproof_harness::reader::Sandbox;

fn probes() -> PathBuf {
    testkit::repository().join("fuzz/hostile")
}

/// Runs the probes as root and as `nobody`, and expects the results in `probes.tsv`. If this system lacks the mode or
/// the right to change the user, prints a line; if `TORCHPROOF_READERS=required`, panics.
fn compare(mode: &str) {
    for user in ["0", "65534"] {
        let mut command = Command::new("python3");
        command.arg(probes().join("drive.py")).arg(testkit::program("torchproof")).args([mode, user]);
        let lacks = match command.output() {
            _ if !rustix::process::getuid().is_root() => "the tests do not run as root".to_owned(),
            Err(error) => format!("python3: {error}"),
            Ok(output) => {
                let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
                if output.status.code() != Some(3) {
                    assert!(output.status.success(), "{mode}, user {user}:\n{text}");
                    continue;
                }
                text
            }
        };
        let required = std::env::var_os("TORCHPROOF_READERS").is_some_and(|word| word == "required");
        assert!(!required, "required: {mode}, user {user}: {lacks}");
        eprintln!("NOT RUN: probes in the mode {mode}, user {user}: {lacks}");
    }
}

#[test]
fn bwrap_holds_what_the_guide_states() {
    compare("bwrap");
}

#[test]
fn landlock_holds_what_the_guide_states() {
    compare("landlock");
}

/// Each probe must be able to detect a missing restriction.
#[test]
fn no_probe_is_held_without_a_sandbox() {
    compare("off");
}

#[test]
fn the_guide_lists_every_probe() {
    const BEGIN: &str = "<!-- generated: probes -->\n";
    let rows = fs::read_to_string(probes().join("probes.tsv")).unwrap();
    let rows = rows.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    let rows = rows.map(|row| {
        format!("| {}{} | {} | {} |\n", row[1], if row[2] == "root" { " (root)" } else { "" }, row[4], row[5])
    });
    let table =
        format!("\n| attempt of a reader | `bwrap` | `landlock` |\n|---|---|---|\n{}\n", rows.collect::<String>());
    let path = testkit::repository().join("docs/src/sandbox.md");
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once("<!-- end -->").unwrap();
    testkit::expect_file(&path, &format!("{before}{BEGIN}{table}<!-- end -->{after}"));
}

#[test]
fn a_reader_gets_only_named_variables() {
    let corpus = TestCorpus::new("environment").accept("pte/a/1", "accept").write();
    corpus.beside("torchproof.toml", "[run]\nenv = ['OF_PROJECT']\n");
    let reader = "once:sh -c 'env | cut -d= -f1 | sort | xargs echo >&2; exit 1'";
    for (args, expected) in [
        (&["--env", "NAMED", "--env", "UNSET"][..], "ASAN_OPTIONS HOME NAMED OF_PROJECT PATH PWD TMPDIR"),
        (&["--no-sandbox"], "ASAN_OPTIONS HOME OF_PROJECT PATH PWD TMPDIR"),
    ] {
        let mut command = corpus.command(&[&["--reader", reader], args].concat());
        for name in ["NAMED", "OF_PROJECT", "SECRET_TOKEN", "ASAN_OPTIONS"] {
            command.env(name, "exitcode=1");
        }
        let (_, report, stderr) = reported(command.current_dir(corpus.folder()), "json");
        let report: serde_json::Value = serde_json::from_str(&report).expect(&stderr);
        assert_eq!(report["results"][0]["message"], expected);
    }
}

#[test]
fn the_error_of_a_failed_start_names_the_withheld_variables() {
    let corpus = TestCorpus::new("withheld").accept("pte/a/1", "accept").write();
    let mut command = corpus.command(&["--reader", "exec:sh -c 'exit 3'"]);
    let output = command.env("SECRET_TOKEN", "ghp_x").env("HOME", "/").output().unwrap();
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "torchproof: exec:sh -c 'exit 3': no `hello` reply: exit code 3 without a reply; the variables HOME, \
         SECRET_TOKEN were withheld from the reader; if it needs one, pass --env NAME\n"
    );
}

/// If the format has no field for the warning, `run` prints it to stderr. Built-in readers need no warning.
#[test]
fn every_report_warns_that_there_is_no_sandbox() {
    let corpus = TestCorpus::new("unsandboxed").accept("pte/a/1", "accept").write();
    let worker = faux("exec", "worker");
    let run = corpus.run_with(&[&worker], &["--no-sandbox"]);
    assert_eq!(run.report["readers"][0]["sandbox"], json!({"mode": "off", "why": "--no-sandbox"}));
    let mut shown = String::new();
    for (reader, format) in [
        (worker.as_str(), "text"),
        (&worker, "html"),
        (&worker, "junit"),
        (&worker, "sarif"),
        (&worker, "markdown"),
        ("builtin:reject-all", "text"),
    ] {
        let (_, report, stderr) = corpus.reported(format, &["--no-sandbox", "--reader", reader]);
        let notes = report
            .split(['\n', '<', '·'])
            .filter(|text| text.contains("not sandboxed"))
            .map(|text| text.trim().to_owned());
        let notes: Vec<_> = notes.chain(stderr.lines().map(|line| format!("stderr: {line}"))).collect();
        shown += &format!("{format}\n{}\n\n", notes.join("\n"));
    }
    insta::assert_snapshot!(shown);
    let (_, report, _) = corpus.reported("json", &[]);
    assert!(serde_json::from_str::<serde_json::Value>(&report).unwrap()["readers"][0].get("sandbox").is_none());
}

/// Each reader process has its own folder for temporary files.
#[test]
fn temporary_files_are_removed_with_their_process() {
    let corpus =
        TestCorpus::new("temporary").accept("pte/a/1", "temporary accept").accept("pte/a/2", "temporary abort").write();
    let place = corpus.folder().join("temporary");
    for args in [&[][..], &["--no-sandbox"]] {
        fs::create_dir_all(&place).unwrap();
        let readers = [faux("exec", "worker"), faux("once", "once")];
        let readers: Vec<&str> = readers.iter().flat_map(|reader| ["--reader", reader]).collect();
        let mut command = corpus.command(&[&readers[..], args].concat());
        let (_, report, _) = reported(command.env("TMPDIR", &place), "json");
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let grades: Vec<_> = report["results"].as_array().unwrap().iter().map(|result| &result["grade"]).collect();
        assert_eq!(grades, ["pass", "crash", "pass", "crash"], "{report}");
        assert!(report["results"][1]["stderr"].as_str().unwrap().contains(place.to_str().unwrap()), "{report}");
        // The readers' private folders are gone, so the folder is empty.
        fs::remove_dir(&place).unwrap();
    }
}

#[test]
fn the_report_matches_the_kernel() {
    let corpus = TestCorpus::new("agree").accept("pte/a/1", "accept").write();
    let run = corpus.run(&[&faux("exec", "worker")]);
    assert_eq!(run.report["readers"][0]["sandbox"], serde_json::to_value(Sandbox::available()).unwrap());
    let text = |option: &[&str]| corpus.torchproof(&[&["--reader", &faux("exec", "worker")], option].concat()).1;
    assert!(text(&[]).starts_with(&format!("{}\n", Sandbox::available().header())), "{}", text(&[]));
    assert!(text(&["--verbose"]).starts_with(&format!("{}\n", Sandbox::available())), "{}", text(&["--verbose"]));
}

//! `torchproof check`: exit codes, formats, and what a hostile or a huge file costs.

testkit::command_in!("check");

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use command::{file, patched, real, run, scratch, torchproof};
use serde_json::{Value, json};
use torchproof::bundled::schema::BundledProgram;
use torchproof::flatbuffer::build::encode;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;

/// A file of the generated corpus.
fn case(path: &str) -> String {
    let path = testkit::repository().join("corpus/files").join(path);
    path.to_str().unwrap().to_owned()
}

/// A file that breaks a must-rule: its segments begin behind its end.
fn broken() -> &'static str {
    file("broken.pte", &patched("linear.pte", 24, &[0xff; 4]))
}

fn json_of(stdout: &str) -> Value {
    serde_json::from_str(stdout).unwrap()
}

#[test]
fn the_worst_of_several_files_is_the_exit_code() {
    let (good, other) = (real("linear.pte"), real("linear_external.ptd"));
    let (good, other) = (good.to_str().unwrap(), other.to_str().unwrap());
    let bad = broken();
    for (files, code) in [
        (vec![good], 0),
        (vec![good, other], 0),
        (vec![bad], 1),
        (vec![good, bad, other], 1),
        (vec!["missing.pte"], 2),
        (vec![good, "missing.pte"], 2),
        (vec![bad, "missing.pte", good], 2),
    ] {
        let args: Vec<&str> = ["check"].into_iter().chain(files.iter().copied()).collect();
        let outcome = run(&args);
        assert_eq!(outcome.code, Some(code), "{files:?}: {outcome:?}");
        let missing = files.contains(&"missing.pte");
        let said = if missing { "torchproof: missing.pte: no such file\n" } else { "" };
        assert_eq!(outcome.stderr, said, "{files:?}");
        // Each file that could be read has its verdict.
        let verdicts = outcome.stdout.lines().filter(|line| line.contains(": accept (") || line.contains(": reject ("));
        assert_eq!(verdicts.count(), files.len() - usize::from(missing), "{}", outcome.stdout);
    }
}

#[test]
fn an_unreadable_file_has_its_error_in_the_json() {
    let good = real("linear.pte");
    let good = good.to_str().unwrap();
    let outcome = run(&["check", "--format", "json", "missing.pte", good]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(2), "torchproof: missing.pte: no such file\n"));
    assert_eq!(
        json_of(&outcome.stdout),
        json!({"files": [
            {"path": "missing.pte", "kind": "unknown", "verdict": "reject", "findings": [],
             "error": "missing.pte: no such file"},
            {"path": good, "kind": "pte", "verdict": "accept", "findings": []},
        ]})
    );
}

#[test]
fn strict_lets_should_rules_fail_a_file() {
    let path = case("pte/header/gap-not-zero.pte");
    let usual = run(&["check", "--format", "json", &path]);
    let strict = run(&["check", "--format", "json", "--strict", &path]);
    assert_eq!((usual.code, strict.code), (Some(0), Some(1)));
    let (usual, strict) = (json_of(&usual.stdout), json_of(&strict.stdout));
    assert_eq!((&usual["files"][0]["verdict"], &strict["files"][0]["verdict"]), (&json!("accept"), &json!("reject")));
    let findings = usual["files"][0]["findings"].as_array().unwrap();
    assert!(!findings.is_empty() && findings.iter().all(|finding| finding["strength"] == "should"), "{usual}");
}

/// The members are those that are documented and no others; their order is part of what people see.
#[test]
fn the_json_has_exactly_its_shape() {
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<std::collections::BTreeSet<_>>();
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<std::collections::BTreeSet<_>>();
    let outcome = run(&["check", "--format", "json", broken()]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), ""));
    let report = json_of(&outcome.stdout);
    assert_eq!(names(&report), set(&["files"]));
    let entry = &report["files"][0];
    assert_eq!(names(entry), set(&["path", "kind", "verdict", "findings"]));
    assert_eq!(
        (&entry["path"], &entry["kind"], &entry["verdict"]),
        (&json!("broken.pte"), &json!("pte"), &json!("reject"))
    );
    for finding in entry["findings"].as_array().unwrap() {
        assert_eq!(names(finding), set(&["rule", "strength", "path", "span", "message"]));
        assert_eq!(names(&finding["span"]), set(&["offset", "len"]));
        assert!(finding["span"]["offset"].is_u64() && finding["span"]["len"].is_u64());
        assert!(finding["rule"].is_string() && finding["path"].is_string() && finding["message"].is_string());
    }
    let at = |name: &str| outcome.stdout.find(&format!("\"{name}\":")).unwrap();
    let order =
        ["files", "path", "kind", "verdict", "findings", "rule", "strength", "span", "offset", "len", "message"];
    assert!(order.windows(2).all(|pair| at(pair[0]) < at(pair[1])), "{}", outcome.stdout);
}

/// All of the corpus at once, in which every kind of file is.
#[test]
fn the_json_is_as_its_schema_says() {
    let outcome = run(&["check", "--format", "json", &case(""), "missing.pte", broken()]);
    assert_eq!(outcome.code, Some(2));
    testkit::schema::expect_valid(&testkit::schema::schema("check.schema.json"), &json_of(&outcome.stdout));
}

#[test]
fn quiet_is_one_line_a_file() {
    let [rejected, warned, accepted] =
        ["pte/header/length-23.pte", "pte/header/gap-not-zero.pte", "pte/valid/constants.pte"].map(case);
    let mut bytes = fs::read(real("linear.pte")).unwrap();
    bytes.truncate(40);
    let worse = file("worse.pte", &bytes);
    let package = file("package.ptn", &package());
    let outcome = run(&["check", "-q", &rejected, &warned, &accepted, worse, "missing.pte", package]);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines[0], format!("{rejected}: reject eh-length-min"));
    assert_eq!(lines[1], format!("{warned}: warn eh-gap-zero"));
    assert_eq!(lines[2], format!("{accepted}: accept"));
    assert!(lines[3].starts_with("worse.pte: reject "), "{}", lines[3]);
    assert_eq!(lines[4..], ["missing.pte: unexamined", "package.ptn: unexamined"]);
    assert_eq!(outcome.code, Some(2));
    assert_eq!(outcome.stderr.lines().count(), 2, "{}", outcome.stderr);

    let strict = run(&["check", "-q", "--strict", &warned]);
    assert_eq!((strict.code, strict.stdout), (Some(1), format!("{warned}: reject eh-gap-zero\n")));
    let misused = run(&["check", "-q", "--format", "json", &warned]);
    assert_eq!((misused.code, misused.stdout.as_str()), (Some(2), ""));
}

/// As many findings as there are, but for those of lesser strength.
#[test]
fn quiet_counts_what_else_rejects() {
    let name = case("ptd/structure/vtable-length-odd.ptd");
    let report = json_of(&run(&["check", "--format", "json", &name]).stdout);
    let findings = report["files"][0]["findings"].as_array().unwrap();
    let musts: Vec<&Value> = findings.iter().filter(|finding| finding["strength"] == "must").collect();
    assert!(musts.len() > 1, "{report}");
    let line = format!("{name}: reject {} (+{})\n", musts[0]["rule"].as_str().unwrap(), musts.len() - 1);
    assert_eq!(run(&["check", "-q", &name]).stdout, line);
}

#[test]
fn a_program_is_checked_with_its_data_files() {
    let [program, own, foreign] =
        ["linear_external.pte", "linear_external.ptd", "mlp_external.ptd"].map(|name| real(name).display().to_string());
    assert_eq!(run(&["check", "-q", &program, "--with", &own]).code, Some(0));
    let outcome = run(&["check", "--format", "json", &program, &own, "--with", &foreign]);
    let report = json_of(&outcome.stdout);
    let [first, second] = [0, 1].map(|index| &report["files"][index]);
    assert_eq!((outcome.code, &first["verdict"], &second["verdict"]), (Some(1), &json!("reject"), &json!("accept")));
    let rules = |entry: &Value| -> Vec<Value> {
        entry["findings"].as_array().unwrap().iter().map(|finding| finding["rule"].clone()).collect()
    };
    assert_eq!(rules(first), ["x-external-found", "x-external-found"]);

    // A file that is named twice is one.
    assert_eq!(run(&["check", "-q", &program, "--with", &own, "--with", &own]).code, Some(0));

    // Which file a finding is in is told where it is not the program.
    let copy = file("copy.ptd", &std::fs::read(real("linear_external.ptd")).unwrap());
    let outcome = run(&["check", "--format", "json", &program, "--with", &own, "--with", copy]);
    let report = json_of(&outcome.stdout);
    let finding = &report["files"][0]["findings"][0];
    assert_eq!((&finding["rule"], &finding["companion"]), (&json!("nd-cross-file-unique"), &json!(copy)));
    testkit::schema::expect_valid(&testkit::schema::schema("check.schema.json"), &report);
    let told = run(&["check", &program, "--with", &own, "--with", copy]).stdout;
    assert!(told.contains(&format!("error[nd-cross-file-unique]: {copy}: named_data[")), "{told}");

    for (with, code) in [("missing.ptd", 2), (&program, 2), (broken(), 2)] {
        let outcome = run(&["check", &program, "--with", with]);
        assert_eq!(outcome.code, Some(code), "{outcome:?}");
    }
    // A set with a data file that is rejected is not good, whatever the program is by itself.
    let bad = file("bad.ptd", &std::fs::read(case("ptd/layout/larger-than-segment.ptd")).unwrap());
    let outcome = run(&["check", &program, "--with", bad]);
    assert!(outcome.code == Some(1) && outcome.stdout.contains("not checked together with bad.ptd"), "{outcome:?}");
}

#[test]
fn a_bundled_program_is_checked_with_data_files() {
    let program = std::fs::read(real("linear_external.pte")).unwrap();
    let bundle = TableTree::new(BundledProgram::TYPE)
        .with("method_test_suites", Vec::<TableTree>::new())
        .with("program", program);
    let bundle = file("bundle.bpte", &encode(&bundle, torchproof::bundled::IDENTIFIER).unwrap());
    let [own, foreign] = ["linear_external.ptd", "mlp_external.ptd"].map(|name| real(name).display().to_string());
    let outcome = run(&["check", "-q", bundle, "--with", &own]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let outcome = run(&["check", "--format", "json", bundle, "--with", &foreign]);
    let finding = &json_of(&outcome.stdout)["files"][0]["findings"][0];
    assert_eq!((outcome.code, &finding["rule"]), (Some(1), &json!("x-external-found")), "{outcome:?}");
    let path = finding["path"].as_str().unwrap();
    assert!(path.starts_with("program.execution_plan[0].values["), "{path}");
    // The name is where the span says, in the file around the program.
    let at = finding["span"]["offset"].as_u64().unwrap();
    let len = finding["span"]["len"].as_u64().unwrap();
    let bytes = fs::read(scratch().join(bundle)).unwrap();
    assert_eq!(&bytes[usize::try_from(at).unwrap()..][..usize::try_from(len).unwrap()], b"l.weight");
}

/// What a package begins with: a ZIP archive's header, and the name of its first member.
fn package() -> Vec<u8> {
    let mut bytes = vec![0; 96];
    bytes[..4].copy_from_slice(b"PK\x03\x04");
    bytes[26] = 11;
    bytes[30..41].copy_from_slice(b"program.ptg");
    bytes
}

#[test]
fn a_package_is_recognised_and_not_examined() {
    let name = file("package.ptn", &package());
    let outcome = run(&["check", name]);
    assert_eq!((outcome.code, outcome.stdout.lines().count()), (Some(2), 1), "{outcome:?}");
    assert!(outcome.stdout.starts_with("package.ptn: not examined (ptn; "), "{}", outcome.stdout);
    let entry = &json_of(&run(&["check", "--format", "json", name]).stdout)["files"][0];
    assert_eq!((&entry["kind"], &entry["verdict"], &entry["findings"]), (&json!("ptn"), &json!("reject"), &json!([])));
}

#[test]
fn a_bundled_program_is_checked() {
    let suffix = |case: &&torchproof::cases::Case| case.id.starts_with("bpte/") && case.rule.id == "bp-suites";
    let case = torchproof::cases::all().find(suffix).unwrap();
    let name = file("bundled.bpte", &case.build().unwrap().bytes);
    let entry = &json_of(&run(&["check", "--format", "json", name]).stdout)["files"][0];
    assert_eq!(entry["kind"], "bpte");
}

/// Neither a file's name nor what is in it speaks to the terminal, or begins a line of its own.
#[test]
fn hostile_names_are_escaped() {
    let bad = fs::read(scratch().join(broken())).unwrap();
    let name = file("a\nb\x1b[2J.pte", &bad);
    for args in [vec!["check", name], vec!["dump", name], vec!["inspect", name], vec!["check", "no\n\x1b[2J"]] {
        let outcome = run(&args);
        for text in [&outcome.stdout, &outcome.stderr] {
            assert!(text.chars().all(|character| character == '\n' || !character.is_control()), "{args:?}: {text:?}");
            assert!(
                text.lines().all(|line| !line.starts_with('b') && !line.starts_with("\\u{1b}")),
                "{args:?}: {text}"
            );
        }
        assert!(outcome.stderr.lines().count() <= 1, "{args:?}: {}", outcome.stderr);
    }
    let outcome = run(&["check", "no\n\x1b[2J"]);
    assert_eq!(outcome.stderr, "torchproof: no\\n\\u{1b}[2J: no such file\n");
}

/// Nobody listens on stderr: what the exit code says stays.
#[cfg(target_os = "linux")]
#[test]
fn a_full_stderr_changes_no_exit_code() {
    let bad = broken();
    for (args, code) in [
        (vec!["check", "missing.pte"], 2),
        (vec!["check", bad, "missing.pte"], 2),
        (vec!["dump", bad], 1),
        (vec!["dump", "missing.pte"], 2),
        (vec!["inspect", "missing.pte"], 2),
        (vec!["run", "--corpus", "missing"], 2),
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let status = torchproof(&args).stdout(Stdio::null()).stderr(full).status().unwrap();
        assert_eq!(status.code(), Some(code), "{args:?}");
    }
}

/// The command under a limit of its private memory, which a file that is held would exceed.
#[cfg(target_os = "linux")]
fn frugal(args: &[&str]) -> (Option<i32>, Value, Duration) {
    let program = env!("CARGO_BIN_EXE_torchproof");
    let begin = Instant::now();
    let mut command = Command::new(program);
    command.args(["__launch", "--memory-mb", "32", "--", program, "check", "--format", "json"]).args(args);
    let output = command.current_dir(scratch()).stdin(Stdio::null()).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    (output.status.code(), json_of(&stdout), begin.elapsed())
}

/// Makes a file of `len` bytes that begins with `bytes`, the rest a hole.
#[cfg(target_os = "linux")]
fn sparse<'n>(name: &'n str, bytes: &[u8], len: u64) -> &'n str {
    file(name, bytes);
    File::options().write(true).open(scratch().join(name)).unwrap().set_len(len).unwrap();
    name
}

#[cfg(target_os = "linux")]
#[test]
fn ten_gibibytes_cost_little() {
    const LEN: u64 = 10 << 30;
    for (name, from) in [("huge.pte", "mlp_xnnpack.pte"), ("huge.ptd", "mlp_external.ptd")] {
        let name = sparse(name, &fs::read(real(from)).unwrap(), LEN);
        let (code, report, took) = frugal(&[name]);
        fs::remove_file(scratch().join(name)).unwrap();
        assert!(code == Some(0) || code == Some(1), "{name}: {code:?}, {report}");
        assert_eq!(report["files"][0]["error"], json!(null), "{name}");
        assert!(took < Duration::from_secs(2), "{name}: {took:?}");
    }
}

/// A program whose segments end behind 4 GiB, most of it a hole.
#[cfg(target_os = "linux")]
#[test]
fn the_width_of_the_host_matters() {
    let name = sparse("wide.pte", &patched("linear.pte", 32, &(1_u64 << 32).to_le_bytes()), 5 << 30);
    let [wide, narrow, usual] = [["--target-bits", "64"], ["--target-bits", "32"], ["--jobs", "1"]].map(|option| {
        let outcome = run(&[&["check", "--format", "json"], &option[..], &[name]].concat());
        (outcome.code, json_of(&outcome.stdout))
    });
    fs::remove_file(scratch().join(name)).unwrap();
    let breaks = |report: &Value| {
        let findings = report["files"][0]["findings"].as_array().unwrap();
        findings.iter().any(|finding| finding["rule"] == "eh-target-32")
    };
    assert_eq!((wide.0, breaks(&wide.1)), (Some(0), false), "{}", wide.1);
    assert_eq!((narrow.0, breaks(&narrow.1)), (Some(1), true), "{}", narrow.1);
    assert_eq!(usual, wide);
    assert_eq!(run(&["check", "--target-bits", "16", name]).code, Some(2));
}

/// Without a header all of a file is its FlatBuffer, of which there can be no more than 2 GiB.
#[cfg(target_os = "linux")]
#[test]
fn a_flatbuffer_that_is_too_large_is_refused_unread() {
    let mut head = 8_u32.to_le_bytes().to_vec();
    head.extend(b"ET12");
    let name = sparse("too-large.pte", &head, 1 << 31);
    let (code, report, took) = frugal(&[name]);
    fs::remove_file(scratch().join(name)).unwrap();
    assert_eq!((code, &report["files"][0]["findings"][0]["rule"]), (Some(1), &json!("fb-max-size")), "{report}");
    assert!(took < Duration::from_secs(2), "{took:?}");
}

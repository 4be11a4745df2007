//! Tests `torchproof check` with bundled programs, data files, terminals and huge files.

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use command::{file, real, run, scratch, torchproof};
use serde_json::{Value, json};
use testkit::processes::shown_on_terminal;
use torchproof::bundled::schema::BundledProgram;
use torchproof::flatbuffer::encode;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;

testkit::command_in!("check");

fn json_of(stdout: &str) -> Value {
    serde_json::from_str(stdout).unwrap()
}

#[test]
fn checks_a_bundled_program_with_data_files() {
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
    // The offset counts from the start of the bundle, not of the inner program.
    let at = finding["span"]["offset"].as_u64().unwrap();
    let len = finding["span"]["len"].as_u64().unwrap();
    let bytes = fs::read(scratch().join(bundle)).unwrap();
    assert_eq!(&bytes[usize::try_from(at).unwrap()..][..usize::try_from(len).unwrap()], b"l.weight");
}

/// On a terminal, `check` keeps overwriting one line of stderr and erases it at the end. Stdout does not change.
#[test]
fn shows_progress_only_on_a_terminal() {
    let many = scratch().join("many");
    fs::create_dir_all(&many).unwrap();
    for index in 0..5000 {
        fs::write(many.join(format!("{index}.pte")), "no program").unwrap();
    }
    let many = many.to_str().unwrap();
    let silent = run(&["check", many]);
    assert_eq!((silent.code, silent.stderr.as_str()), (Some(1), ""));

    let begin = Instant::now();
    let shown = shown_on_terminal(|stderr| {
        let output = torchproof(&["check", many]).stderr(stderr).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), silent.stdout);
    });
    assert!(!shown.contains('\n'), "{shown:?}");
    if begin.elapsed() > Duration::from_secs(1) {
        assert!(shown.contains("\r\x1b[Kchecked "), "{shown:?}");
    }
    assert!(shown.is_empty() || shown.ends_with("\r\x1b[K"), "{shown:?}");
}

#[test]
fn writes_reports_of_all_files_if_stdout_is_closed() {
    let (stdout, closed) = std::io::pipe().unwrap();
    drop(stdout);
    let many: Vec<_> = (0..100).map(|index| format!("closed-{index}.pte")).collect();
    let mut args = vec!["check", "--jobs", "1", "--report", "json=closed.json"];
    args.extend(many.iter().map(|name| file(name, b"no program")));
    let output = torchproof(&args).stdout(closed).output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(1), ""));
    let report = json_of(&fs::read_to_string(scratch().join("closed.json")).unwrap());
    assert_eq!(report["files"].as_array().unwrap().len(), many.len());
}

/// The input file is larger than this memory limit.
fn check_within_32_mib(args: &[&str]) -> (Option<i32>, Value, Duration) {
    let program = env!("CARGO_BIN_EXE_torchproof");
    let begin = Instant::now();
    let mut command = Command::new(program);
    command.args(["__launch", "--memory-mb", "32", "--", program, "check", "--format", "json"]).args(args);
    let output = command.current_dir(scratch()).stdin(Stdio::null()).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    (output.status.code(), json_of(&stdout), begin.elapsed())
}

fn sparse<'n>(name: &'n str, bytes: &[u8], len: u64) -> &'n str {
    file(name, bytes);
    File::options().write(true).open(scratch().join(name)).unwrap().set_len(len).unwrap();
    name
}

#[test]
fn checks_10_gib_within_2_seconds_and_32_mib() {
    const LEN: u64 = 10 << 30;
    for (name, from) in [("huge.pte", "mlp_xnnpack.pte"), ("huge.ptd", "mlp_external.ptd")] {
        let name = sparse(name, &fs::read(real(from)).unwrap(), LEN);
        let (code, report, took) = check_within_32_mib(&[name]);
        fs::remove_file(scratch().join(name)).unwrap();
        assert!(code == Some(0) || code == Some(1), "{name}: {code:?}, {report}");
        assert_eq!(report["files"][0]["error"], json!(null), "{name}");
        assert!(took < Duration::from_secs(2), "{name}: {took:?}");
    }
}

/// If a file has no header, the whole file is the FlatBuffer, so it must be smaller than 2 GiB.
#[test]
fn rejects_a_flatbuffer_of_2_gib_without_reading_it() {
    let mut head = 8_u32.to_le_bytes().to_vec();
    head.extend(b"ET12");
    let name = sparse("too-large.pte", &head, 1 << 31);
    let (code, report, took) = check_within_32_mib(&[name]);
    fs::remove_file(scratch().join(name)).unwrap();
    assert_eq!((code, &report["files"][0]["findings"][0]["rule"]), (Some(1), &json!("fb-max-size")), "{report}");
    assert!(took < Duration::from_secs(2), "{took:?}");
}

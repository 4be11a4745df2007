//! Tests `torchproof needs` with real, broken and hostile files.

use command::{Outcome, file, real, run};
use testkit::schema::{expect_valid, schema};
use torchproof::Role;
use torchproof::corpus::{self, Verdict};

testkit::command_in!("needs");

fn expect_one_screen(name: &str, outcome: &Outcome) {
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    let widest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    assert!(lines.len() <= 24 && widest <= 80, "{name}: {} lines, {widest} columns\n{}", lines.len(), outcome.stdout);
}

#[test]
fn real_files_fit_on_one_screen_and_conform_to_the_schema() {
    let schema = schema("needs.schema.json");
    let folder = testkit::repository().join("corpus/real");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let programs: Vec<_> = paths.filter(|path| path.extension().is_some_and(|extension| extension == "pte")).collect();
    assert!(programs.len() >= 15);
    for path in &programs {
        let name = path.to_str().unwrap();
        let text = run(&["needs", name]);
        assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""));
        expect_one_screen(name, &text);
        let json = run(&["needs", "--format", "json", name]);
        expect_valid(&schema, &serde_json::from_str(&json.stdout).unwrap());
    }
    let all: Vec<&str> = programs.iter().map(|path| path.to_str().unwrap()).collect();
    expect_one_screen("all programs", &run(&[&["needs"], &all[..]].concat()));
}

/// Some cases need data files for a verdict, but the command gets none here.
#[test]
fn every_case_gets_an_answer() {
    for (index, case) in corpus::all().filter(|case| case.role() == Role::Program).enumerate() {
        let name = format!("{}.pte", case.id.replace('/', "-"));
        let format = ["text", "json", "yaml", "c-header"][index % 4];
        let outcome = run(&["needs", "--format", format, file(&name, &case.build().bytes)]);
        let codes = if case.verdict == Verdict::Accept { 0..=0 } else { 0..=2 };
        assert!(outcome.code.is_some_and(|code| codes.contains(&code)), "{}: {outcome:?}", case.id);
        if format == "text" {
            expect_one_screen(case.id, &outcome);
        }
    }
}

#[test]
fn an_operator_that_no_kernel_has_is_a_note_and_a_misspelled_backend_a_finding() {
    let replaced = |name: &str, old: &[u8], new: &[u8]| {
        let mut bytes = std::fs::read(real(name)).unwrap();
        let at = bytes.windows(old.len()).position(|window| window == old).unwrap();
        bytes[at..at + new.len()].copy_from_slice(new);
        run(&["needs", file(name, &bytes)]).stdout
    };
    let operator = replaced("add.pte", b"aten::add", b"atem::add");
    assert!(operator.contains("\nnote       atem::add.out: the wheel of executorch:"), "{operator}");
    assert!(operator.contains("did you mean aten::add.out?"), "{operator}");
    let backend = replaced("mlp_xnnpack.pte", b"XnnpackBackend", b"xnnpackBackend");
    assert!(backend.contains("\nfindings   may del-id-case:"), "{backend}");
    assert!(!backend.contains("\nnote"), "{backend}");
}

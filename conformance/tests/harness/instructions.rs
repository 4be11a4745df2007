//! The gate of `cargo bench -p torchproof-instructions`: what fails, what is told, and what is recorded.

use crate::figures::{Comparison, Counted, Figures, MadeWith, Verdict};

fn here() -> MadeWith {
    MadeWith {
        rustc: "1.95.0 (59807616e 2026-04-14)".to_owned(),
        host: "x86_64-unknown-linux-gnu".to_owned(),
        libc: "glibc 2.36".to_owned(),
        valgrind: "3.19.0".to_owned(),
    }
}

fn counted(subjects: &[(&str, u64)]) -> Vec<Counted> {
    subjects.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

/// These figures, recorded here, beside what was counted by `made_with`.
fn compare(recorded: &[(&str, u64)], made_with: &MadeWith, now: &[(&str, u64)]) -> Comparison {
    let recorded =
        Figures::read(&crate::figures::text(&here(), &counted(recorded))).expect("what is written can be read");
    recorded.compare(made_with, &counted(now))
}

fn verdict(recorded: &[(&str, u64)], now: &[(&str, u64)]) -> Verdict {
    compare(recorded, &here(), now).verdict()
}

#[test]
fn a_rise_of_more_than_three_percent_fails() {
    assert_eq!(verdict(&[("open", 1000)], &[("open", 1000)]), Verdict::Holds);
    assert_eq!(verdict(&[("open", 1000)], &[("open", 1030)]), Verdict::Holds);
    assert_eq!(verdict(&[("open", 1000)], &[("open", 1031)]), Verdict::Fails);
    // One of several is enough, wherever it is.
    assert_eq!(verdict(&[("open", 9), ("check", 1_000_000)], &[("open", 9), ("check", 1_030_001)]), Verdict::Fails);
    assert_eq!(verdict(&[("open", 100), ("check", 9)], &[("open", 104), ("check", 9)]), Verdict::Fails);
}

#[test]
fn a_fall_is_told_and_does_not_fail() {
    let fallen = compare(&[("open", 1000), ("check", 100)], &here(), &[("open", 969), ("check", 97)]);
    assert_eq!(fallen.verdict(), Verdict::Holds);
    let text = fallen.to_string();
    assert!(text.contains("1 fell by more than 3 %: record again"), "{text}");
}

#[test]
fn a_subject_without_a_figure_and_a_figure_without_a_subject_fail() {
    assert_eq!(verdict(&[], &[("open", 1)]), Verdict::Fails);
    assert_eq!(verdict(&[("open", 1)], &[]), Verdict::Fails);
    let text = compare(&[("old", 1)], &here(), &[("new", 1)]).to_string();
    assert!(text.contains("NO FIGURE") && text.contains("NO SUBJECT") && text.contains("FAILED: 2 with"), "{text}");
}

#[test]
fn the_figures_of_another_compiler_or_host_gate_nothing_and_it_is_said() {
    let rustc = MadeWith { rustc: "1.96.0 (0123456789 2026-05-28)".to_owned(), ..here() };
    let host = MadeWith { host: "aarch64-unknown-linux-gnu".to_owned(), ..here() };
    for other in [rustc, host] {
        let twice = compare(&[("open", 1000)], &other, &[("open", 2000)]);
        assert_eq!(twice.verdict(), Verdict::NotApplied);
        let text = twice.to_string();
        // What `.ci/run` looks for.
        assert!(text.lines().any(|line| line.starts_with("GATE NOT APPLIED: ")), "{text}");
        assert!(text.contains(&other.rustc) && text.contains(&here().rustc) && !text.contains("FAILED"), "{text}");
        // Which subjects there are does not depend on a compiler.
        assert_eq!(compare(&[("open", 1000)], &other, &[("close", 1000)]).verdict(), Verdict::Fails);
    }
}

#[test]
fn another_library_or_valgrind_gates_and_is_named_where_a_subject_is_not_as_recorded() {
    let other = MadeWith { valgrind: "3.24.0".to_owned(), ..here() };
    let risen = compare(&[("open", 1000)], &other, &[("open", 1031)]);
    assert_eq!(risen.verdict(), Verdict::Fails);
    assert!(risen.to_string().contains("valgrind 3.24.0"), "{risen}");
    let same = compare(&[("open", 1000)], &other, &[("open", 1030)]);
    assert!(!same.to_string().contains("valgrind 3.24.0"), "{same}");
}

#[test]
fn what_is_printed_has_the_subject_both_figures_and_the_percentage() {
    let now = [("open a file", 1_040), ("check", 1_234_567), ("dump", 950), ("pack", 5)];
    let all = compare(&[("open a file", 1000), ("check", 1_230_000), ("dump", 1000), ("old", 7)], &here(), &now);
    insta::assert_snapshot!(all);
}

#[test]
fn what_is_recorded_can_be_read_and_keeps_the_order() {
    let text = crate::figures::text(&here(), &counted(&[("open", 1_234_567), ("check", 12)]));
    insta::assert_snapshot!(text);
    assert!(Figures::read(&text.replace("[instructions]", "other = 1\n[instructions]")).is_err());
}

#[test]
fn the_checked_in_figures_can_be_read() {
    Figures::read(include_str!("../../../benches/instructions.toml")).unwrap();
}

//! The grades for all combinations of case and outcome.
#![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

use std::cell::RefCell;
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::corpus::{Budget, CaseFile};
use crate::reader::outcome::Termination;

fn case(verdict: Verdict, stage: Option<Stage>) -> Case {
    let file = |role| CaseFile { role, path: "files/x".into(), sha256: String::new(), size: 0 };
    Case {
        id: "pte/header/x".into(),
        title: String::new(),
        why: String::new(),
        files: vec![file(Role::Program)],
        verdict,
        strength: Strength::Must,
        rule: None,
        stage,
        at: None,
        path: None,
        expect: None,
        control: Some("pte/header/control".into()),
        recipe: None,
        budget: Budget { ms: 1000, memory_mib: 256 },
        spec: Vec::new(),
        refs: Vec::new(),
        cwe: Vec::new(),
        needs: Vec::new(),
        target_bits: None,
        status: Status::Active,
        since: String::new(),
        history: Vec::new(),
    }
}

fn reader(stages: &[Stage]) -> Hello {
    Hello::new("r", "", "").with_formats(["pte", "ptd"]).with_stages(stages.iter().copied())
}

fn accept(stage: Stage) -> Outcome {
    Outcome::Accept { stage, value: None }
}

fn reject(stage: impl Into<Option<Stage>>) -> Outcome {
    Outcome::Reject { stage: stage.into(), message: "no".into() }
}

fn grade(
    case: &Case,
    outcome: &Outcome,
    control: Option<&Outcome>,
    reader: &Hello,
    expect: Option<&Value>,
) -> (Grade, String) {
    let judge = Judge { reader, grading: GradingOptions::default() };
    judge.grade(case, judge.required_verdict(case, None), outcome, control, expect)
}

fn unsupported() -> Outcome {
    Outcome::Unsupported { message: "not me".into() }
}

fn adapter_error() -> Outcome {
    Outcome::AdapterError { message: "garbage".into() }
}

fn terminations() -> [(Outcome, Grade); 3] {
    [
        (Cause::Abort, Grade::Crash),
        (Cause::WallTime(Duration::from_secs(1)), Grade::Hang),
        (Cause::OutOfMemory, Grade::Resource),
    ]
    .map(|(cause, grade)| (Outcome::Died(Termination::of(cause)), grade))
}

const VERDICTS: [Verdict; 3] = [Verdict::Accept, Verdict::Reject, Verdict::Either];

#[test]
fn grades_terminations_and_adapter_errors_alike_for_every_case() {
    let others = [(unsupported(), Grade::Skip), (adapter_error(), Grade::AdapterError)];
    for (outcome, want) in terminations().into_iter().chain(others) {
        for verdict in VERDICTS {
            for status in [Status::Active, Status::Disputed] {
                for strength in [Strength::Must, Strength::Should, Strength::May] {
                    let case = Case { status, strength, ..case(verdict, Some(Stage::Header)) };
                    let judged = grade(&case, &outcome, Some(&accept(Stage::Data)), &reader(&Stage::ALL), None);
                    assert_eq!(judged, (want, outcome.message()), "{verdict:?} {status:?} {strength:?} {outcome:?}");
                }
            }
        }
    }
}

#[test]
fn does_not_grade_cases_without_a_binding_verdict() {
    let base = || case(Verdict::Reject, Some(Stage::Header));
    let unbound = [
        Case { verdict: Verdict::Either, ..base() },
        Case { status: Status::Disputed, ..base() },
        Case { strength: Strength::Should, ..base() },
        Case { strength: Strength::May, verdict: Verdict::Accept, ..base() },
    ];
    for case in unbound {
        for outcome in [accept(Stage::Data), reject(Stage::Header), reject(None)] {
            assert_eq!(grade(&case, &outcome, None, &reader(&Stage::ALL), None).0, Grade::Ungraded);
        }
    }
}

#[test]
fn grades_32_bit_cases_only_for_32_bit_readers() {
    let target32 = reader(&Stage::ALL).with_capabilities([CAPABILITY_BITS_32]);
    let target64 = reader(&Stage::ALL);
    let breaks = Case { target_bits: Some(32), ..case(Verdict::Either, None) };
    let accepted = accept(Stage::Data);
    let rejected = reject(Stage::Meta);
    let graded = |reader, outcome| grade(&breaks, outcome, Some(&accepted), reader, None).0;
    assert_eq!([&accepted, &rejected].map(|outcome| graded(&target32, outcome)), [Grade::AcceptsInvalid, Grade::Pass]);
    assert_eq!([&accepted, &rejected].map(|outcome| graded(&target64, outcome)), [Grade::Ungraded; 2]);
    assert_eq!(grade(&breaks, &reject(None), Some(&reject(None)), &target32, None).0, Grade::ControlFailed);
    // Even a 32-bit reader may accept a file that breaks a should-rule.
    let warns = Case { strength: Strength::Should, ..breaks.clone() };
    assert_eq!(grade(&warns, &accepted, None, &target32, None).0, Grade::Ungraded);

    let too_large = Case { target_bits: Some(64), ..case(Verdict::Accept, None) };
    assert_eq!(inapplicable(&too_large, &target32).unwrap(), "the case needs a 64-bit host");
    assert_eq!((inapplicable(&too_large, &target64), inapplicable(&breaks, &target32)), (None, None));
}

#[test]
fn grades_a_case_that_must_be_accepted() {
    let case = case(Verdict::Accept, None);
    let reader = reader(&Stage::ALL);
    let with = |value| Outcome::Accept { stage: Stage::Data, value: Some(value) };
    let expect = json!({"kind": "pte"});
    let table = [
        (accept(Stage::Data), Grade::Pass, ""),
        (with(json!({"kind": "pte"})), Grade::Pass, ""),
        (with(json!({"kind": "ptd"})), Grade::WrongValue, r#"kind: expected "pte", found "ptd""#),
        (reject(Stage::Header), Grade::RejectsValid, "no"),
        (reject(None), Grade::RejectsValid, "no"),
    ];
    for (outcome, want, reason) in table {
        let judged = grade(&case, &outcome, None, &reader, Some(&expect));
        assert_eq!((judged.0, judged.1.as_str()), (want, reason), "{outcome:?}");
    }
    // Without an expected value, any value passes.
    assert_eq!(grade(&case, &with(json!({})), None, &reader, None).0, Grade::Pass);
}

#[test]
fn grades_the_acceptance_of_a_case_that_must_be_rejected() {
    use Stage::{Data, Execute, Header, Meta, Structure};
    let table = [
        (Some(Header), &Stage::ALL[..], Grade::AcceptsInvalid, "expected a rejection by stage header"),
        (None, &Stage::ALL[..], Grade::AcceptsInvalid, "expected a rejection"),
        // A reader without stages, such as a command, reads the data but executes nothing.
        (Some(Data), &[], Grade::AcceptsInvalid, "expected a rejection by stage data"),
        (Some(Execute), &[], Grade::Skip, "reads only to stage data; the defect must be rejected by execute"),
        (Some(Header), &[Structure], Grade::AcceptsInvalid, "expected a rejection by stage header"),
        // The reader stops before the defect's stage.
        (Some(Data), &[Structure, Meta], Grade::Skip, "reads only to stage meta; the defect must be rejected by data"),
    ];
    for (due, stages, want, reason) in table {
        let reader = reader(stages);
        let outcome = accept(reader.deepest());
        let judged = grade(&case(Verdict::Reject, due), &outcome, Some(&accept(Data)), &reader, None);
        assert_eq!((judged.0, judged.1.as_str()), (want, reason), "{due:?} {stages:?}");
    }
}

#[test]
fn grades_a_rejection_after_the_first_permitted_stage_as_late() {
    use Stage::{Data, Header, Meta, Open, Structure};
    let coarse = &[Structure, Meta, Data][..];
    let table = [
        (Some(Header), &Stage::ALL[..], Some(Open), Grade::Pass),
        (Some(Header), &Stage::ALL[..], Some(Header), Grade::Pass),
        (Some(Header), &Stage::ALL[..], Some(Structure), Grade::LateReject),
        (Some(Header), coarse, Some(Structure), Grade::Pass),
        (Some(Header), coarse, Some(Meta), Grade::LateReject),
        (Some(Data), coarse, Some(Structure), Grade::Pass),
        // A rejection counts even before the defect's stage.
        (Some(Data), &[Structure], Some(Structure), Grade::Pass),
        (Some(Open), &[], None, Grade::Pass),
        (Some(Open), &Stage::ALL[..], None, Grade::Pass),
        (None, &Stage::ALL[..], Some(Data), Grade::Pass),
    ];
    for (due, stages, at, want) in table {
        let outcome = reject(at);
        let judged = grade(&case(Verdict::Reject, due), &outcome, Some(&accept(Data)), &reader(stages), None);
        assert_eq!(judged.0, want, "due {due:?}, has {stages:?}, rejects at {at:?}");
        let reason = if want == Grade::LateReject { "expected a rejection by stage header: no" } else { "" };
        assert_eq!(judged.1, reason);
    }
}

#[test]
fn grades_a_rejection_as_control_failed_unless_the_control_is_accepted() {
    let case = case(Verdict::Reject, Some(Stage::Header));
    let inapplicable_to = |control: Option<&Outcome>| {
        // The rejection is late, but the rejected control matters more.
        grade(&case, &reject(Stage::Data), control, &reader(&Stage::ALL), None)
    };
    assert_eq!(inapplicable_to(Some(&accept(Stage::Data))).0, Grade::LateReject);
    assert_eq!(inapplicable_to(None), (Grade::ControlFailed, "the case has no control".into()));
    assert_eq!(inapplicable_to(Some(&unsupported())), (Grade::Skip, "the control is unsupported: not me".into()));
    let rejected = "the control pte/header/control is not accepted either: reject at open: no";
    assert_eq!(inapplicable_to(Some(&reject(Stage::Open))), (Grade::ControlFailed, rejected.into()));
    for control in terminations().map(|(termination, _)| termination).into_iter().chain([adapter_error()]) {
        assert_eq!(inapplicable_to(Some(&control)).0, Grade::ControlFailed, "{control:?}");
    }
}

#[test]
fn skips_cases_that_hello_excludes() {
    let inapplicable_to = |id: &str, roles: &[Role], formats: &[&str]| {
        let mut case = case(Verdict::Accept, None);
        case.id = id.into();
        case.files = roles
            .iter()
            .map(|role| CaseFile { role: *role, path: format!("files/{id}"), sha256: String::new(), size: 0 })
            .collect();
        inapplicable(&case, &reader(&[]).with_formats(formats.iter().copied()))
    };
    use Role::{Data, Program};
    assert_eq!(inapplicable_to("pte/a/b", &[Program], &["pte"]), None);
    assert_eq!(inapplicable_to("pte/a/b", &[Program, Data], &["pte"]), Some("does not read ptd files".into()));
    assert_eq!(inapplicable_to("ptd/a/b", &[Data], &["pte"]), Some("does not read ptd files".into()));
    assert_eq!(inapplicable_to("ptd-legacy/a/b", &[Data], &["pte"]), Some("does not read ptd-legacy files".into()));
    assert_eq!(inapplicable_to("ptd-legacy/a/b", &[Data], &["ptd"]), None);
    assert_eq!(inapplicable_to("ptd-legacy/a/b", &[Data], &["ptd-legacy"]), None);
    assert_eq!(inapplicable_to("ptd/a/b", &[Data], &["ptd-legacy"]), Some("does not read ptd files".into()));

    // The id of a pair begins with `pte`, but its data file can have the legacy layout.
    let mut pair = case(Verdict::Accept, None);
    pair.id = "pte/a/b".into();
    pair.files = [(Program, "files/pte/a/b.pte"), (Data, "files/ptd-legacy/a/c.ptd")]
        .map(|(role, path)| CaseFile { role, path: path.into(), sha256: String::new(), size: 0 })
        .to_vec();
    assert_eq!(inapplicable(&pair, &reader(&[]).with_formats(["pte"])), Some("does not read ptd-legacy files".into()));
    assert_eq!(inapplicable(&pair, &reader(&[]).with_formats(["pte", "ptd"])), None);

    let needy = Case { needs: vec!["pairs".into()], ..case(Verdict::Accept, None) };
    assert_eq!(inapplicable(&needy, &reader(&[])), Some("lacks capability pairs".into()));
    assert_eq!(inapplicable(&needy, &reader(&[]).with_capabilities(["pairs"])), None);
}

#[test]
fn only_a_termination_fails_a_legacy_case_of_a_reader_that_does_not_list_the_layout() {
    let lists = reader(&Stage::ALL).with_formats(["ptd", "ptd-legacy"]);
    let lacks = reader(&Stage::ALL);
    for verdict in VERDICTS {
        let mut case = case(verdict, Some(Stage::Header));
        case.files =
            vec![CaseFile { role: Role::Data, path: "files/ptd-legacy/a/b".into(), sha256: String::new(), size: 0 }];
        for (outcome, reason) in [
            (accept(Stage::Data), "`hello` does not list ptd-legacy"),
            (reject(Stage::Data), "`hello` does not list ptd-legacy: no"),
        ] {
            assert_eq!(grade(&case, &outcome, None, &lacks, None), (Grade::Ungraded, reason.to_owned()));
        }
        for (termination, want) in terminations() {
            let reason = format!("`hello` does not list ptd-legacy: {}", termination.message());
            assert_eq!(grade(&case, &termination, None, &lacks, None), (want, reason));
        }
        let listed = grade(&case, &reject(Stage::Data), None, &lists, None).0;
        assert_eq!(listed == Grade::Ungraded, verdict == Verdict::Either);
    }
}

#[test]
fn only_pass_skip_info_and_known_are_expected() {
    let expected: Vec<Grade> = Grade::ALL.into_iter().filter(|grade| !grade.is_unexpected()).collect();
    assert_eq!(expected, [Grade::Pass, Grade::Skip, Grade::Ungraded, Grade::Known]);
    for grade in Grade::ALL {
        assert_eq!(serde_json::to_value(grade).unwrap(), grade.name());
    }
}

#[test]
fn strict_terms_grade_should_rules_like_must_rules() {
    let target64 = reader(&Stage::ALL);
    let control = case(Verdict::Accept, None);
    let should =
        || Case { strength: Strength::Should, rule: Some("eh-padding-zero".into()), ..case(Verdict::Either, None) };
    let graded = |case: &Case, control: Option<&Case>, outcome: &Outcome, reader: &Hello, of_control: &Outcome| {
        let judge = Judge { reader, grading: GradingOptions { deny_should: true, ..GradingOptions::default() } };
        judge.grade(case, judge.required_verdict(case, control), outcome, Some(of_control), None).0
    };
    let accepted = accept(Stage::Data);
    let of = |case: &Case, outcome: &Outcome| graded(case, Some(&control), outcome, &target64, &accepted);
    assert_eq!(of(&should(), &accepted), Grade::AcceptsInvalid);
    // The rule of the case belongs to the header stage, so a later rejection is late.
    assert_eq!(of(&should(), &reject(Stage::Header)), Grade::Pass);
    assert_eq!(of(&should(), &reject(Stage::Data)), Grade::LateReject);
    assert_eq!(graded(&should(), Some(&control), &reject(None), &target64, &reject(None)), Grade::ControlFailed);
    // Without an accepted control, a rejection proves nothing.
    let other = should();
    for control in [None, Some(&other)] {
        assert_eq!(graded(&should(), control, &reject(Stage::Header), &target64, &accepted), Grade::Ungraded);
        assert_eq!(graded(&should(), control, &accepted, &target64, &accepted), Grade::Ungraded);
    }
    // Cases of may-rules, disputed cases and cases for other hosts are not graded.
    assert_eq!(of(&Case { strength: Strength::May, ..should() }, &accepted), Grade::Ungraded);
    assert_eq!(of(&Case { status: Status::Disputed, ..should() }, &accepted), Grade::Ungraded);
    let target32 = reader(&Stage::ALL).with_capabilities([CAPABILITY_BITS_32]);
    let of_target32 = Case { target_bits: Some(32), ..should() };
    assert_eq!(of(&of_target32, &accepted), Grade::Ungraded);
    assert_eq!(graded(&of_target32, Some(&control), &accepted, &target32, &accepted), Grade::AcceptsInvalid);
}

#[test]
fn grades_a_panic_by_the_terms_and_mentions_it() {
    let reader = reader(&Stage::ALL);
    let at = |stage| Outcome::Died(Termination { stage, ..Termination::of(Cause::Panic) });
    let panicked = at(Some(Stage::Header));
    let reasons = RefCell::new(String::new());
    let graded = |panics, case: &Case, outcome: &Outcome, control: &Outcome| {
        let judge = Judge { reader: &reader, grading: GradingOptions { panics, ..GradingOptions::default() } };
        let (grade, reason) = judge.grade(case, judge.required_verdict(case, None), outcome, Some(control), None);
        if outcome.panic().is_some() {
            *reasons.borrow_mut() += &format!("{panics:?} {grade}: {reason}\n");
        }
        grade
    };
    let (bad, good) = (case(Verdict::Reject, Some(Stage::Header)), case(Verdict::Accept, None));
    let accepted = accept(Stage::Data);
    for (panics, of_bad, of_good) in [
        (Panics::Fail, Grade::Crash, Grade::Crash),
        (Panics::Reject, Grade::Pass, Grade::RejectsValid),
        (Panics::Report, Grade::Ungraded, Grade::Ungraded),
    ] {
        assert_eq!(graded(panics, &bad, &panicked, &accepted), of_bad);
        assert_eq!(graded(panics, &good, &panicked, &accepted), of_good);
        // Whatever the setting, a control that panics is not accepted.
        assert_eq!(graded(panics, &bad, &reject(Stage::Header), &panicked), Grade::ControlFailed);
        // Other terminations do not depend on the setting.
        for (termination, grade) in terminations() {
            assert_eq!(graded(panics, &bad, &termination, &accepted), grade);
        }
    }
    assert_eq!(graded(Panics::Reject, &bad, &at(Some(Stage::Data)), &accepted), Grade::LateReject);
    assert_eq!(graded(Panics::Reject, &bad, &at(None), &accepted), Grade::Pass);
    insta::assert_snapshot!(reasons.into_inner());
}

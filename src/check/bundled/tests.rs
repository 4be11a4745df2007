//! Tests that a program has the same findings inside a bundle as alone, apart from shifted spans. Also tests the rules
//! that apply only to bundles.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::super::tests::streamed;
use super::super::{Finding, Options, StopReason, Summary};
use crate::FileKind;
use crate::bundled::schema::{BundledMethodTestCase, BundledMethodTestSuite, BundledProgram, Value};
use crate::bundled::{Bundled, IDENTIFIER};
use crate::flatbuffer::encode;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema::{ExecutionPlan, Program};
use crate::{FileBytes, Limit, Span};

fn findings(bytes: &[u8]) -> (Summary, Vec<Finding>) {
    streamed(&bytes, Options::default(), bytes.len())
}

fn bundle(program: Vec<u8>, suites: Vec<TableTree>) -> Vec<u8> {
    let root = TableTree::new(BundledProgram::TYPE).with("method_test_suites", suites).with("program", program);
    encode(&root, IDENTIFIER).unwrap()
}

/// Returns a suite for the method `method`. Its only test case has `inputs` inputs, which are empty tables.
fn suite(method: &str, inputs: usize) -> TableTree {
    let case = TableTree::new(BundledMethodTestCase::TYPE)
        .with("inputs", alloc::vec![TableTree::new(Value::TYPE); inputs])
        .with("expected_outputs", Vec::<TableTree>::new());
    TableTree::new(BundledMethodTestSuite::TYPE).with("method_name", method).with("test_cases", [case])
}

/// Returns a program with one method per entry of `names`. The method at index `n` has `n` inputs.
fn methods(names: &[Option<String>]) -> Vec<u8> {
    let plans: Vec<TableTree> = names
        .iter()
        .zip(0_i32..)
        .map(|(name, inputs)| {
            let plan = TableTree::new(ExecutionPlan::TYPE).with("inputs", (0..inputs).collect::<Vec<_>>());
            match name {
                Some(name) => plan.with("name", name.as_str()),
                None => plan,
            }
        })
        .collect();
    encode(&TableTree::new(Program::TYPE).with("execution_plan", plans), crate::pte::IDENTIFIER).unwrap()
}

fn of_rule<'f>(rule: &str, found: &'f [Finding]) -> Vec<&'f str> {
    found.iter().filter(|found| found.rule.id == rule).map(|found| found.path.as_str()).collect()
}

#[cfg(feature = "json")]
#[test]
fn a_program_violates_the_same_rules_inside_a_bundle() {
    for case in crate::corpus::all().filter(|case| case.id.starts_with("pte/")) {
        let program = case.build().bytes;
        if program.len() < 12 || FileKind::of_head(&program) != FileKind::Pte {
            continue;
        }
        let (alone, wanted) = findings(&program);
        let file = bundle(program, Vec::new());
        let start = Bundled::open(&file).unwrap().root().program().unwrap().unwrap().span().offset;
        let (report, found) = findings(&file);
        assert_eq!((report.kind, report.stopped), (FileKind::Bpte, alone.stopped), "{}", case.id);
        assert_eq!([report.must, report.should, report.may], [alone.must, alone.should, alone.may], "{}", case.id);
        let inside = wanted.into_iter().map(|mut finding| {
            let dot = if finding.path.is_empty() { "" } else { "." };
            finding.path = alloc::format!("program{dot}{}", finding.path);
            finding.span.offset = start.saturating_add(finding.span.offset);
            finding
        });
        assert_eq!(found, inside.collect::<Vec<_>>(), "{}", case.id);
    }
}

#[test]
fn finds_methods_by_name() {
    for count in [1_usize, 2, 100] {
        // Unless there is only one method, each name occurs twice. A lookup by name must return the first.
        let names: Vec<_> = (0..count).map(|index| Some((index % count.div_ceil(2)).to_string())).collect();
        for (index, name) in names.iter().flatten().enumerate().take(count.div_ceil(2)) {
            let (_, found) = findings(&bundle(methods(&names), alloc::vec![suite(name, index)]));
            assert_eq!(of_rule("bp-input-arity", &found), [""; 0], "{name} of {count}");
            assert_eq!(of_rule("bp-suite-method", &found), [""; 0], "{name} of {count}");
            let (_, found) = findings(&bundle(methods(&names), alloc::vec![suite(name, index + 1)]));
            let path = "method_test_suites[0].test_cases[0].inputs";
            assert_eq!(of_rule("bp-input-arity", &found), [path], "{name} of {count}");
        }
        let (_, found) = findings(&bundle(methods(&names), alloc::vec![suite("0", 0), suite("none", 0)]));
        assert_eq!(of_rule("bp-suite-method", &found), ["method_test_suites[1].method_name"], "of {count}");

        // If one method has no name, a suite without a matching method is not an error.
        let mut names = names;
        names.push(None);
        let (_, found) = findings(&bundle(methods(&names), alloc::vec![suite("none", 0)]));
        assert_eq!(of_rule("bp-suite-method", &found), [""; 0], "of {count}");
    }
}

#[test]
fn only_many_methods_need_memory() {
    for (count, stopped) in [(128, None), (129, Some(StopReason::Limit(Limit::Scratch)))] {
        let names: Vec<_> = (0..count).map(|index: i32| Some(index.to_string())).collect();
        let file = bundle(methods(&names), Vec::new());
        assert_eq!(streamed(&file, Options::default(), 0).0.stopped, stopped);
        assert_eq!(findings(&file).0.stopped, None);
    }
}

#[test]
fn a_bundle_needs_all_its_bytes() {
    let file = bundle(methods(&[]), Vec::new());
    let len = file.len() as u64;
    assert_eq!(FileBytes::needed(&file[..48], len), len);
    let head = FileBytes::head(&file[..64], len).unwrap();
    let (report, _) = streamed(&head, Options::default(), 0);
    assert_eq!(report.stopped, Some(StopReason::Unread(Span::new(0, len))));
}

#[test]
fn the_program_in_a_bundle_opens() {
    let program = methods(&[Some("forward".to_string())]);
    let file = bundle(program.clone(), Vec::new());
    let open = Bundled::open(&file).unwrap();
    assert_eq!(open.program_bytes().unwrap(), program);
    assert_eq!(open.program().unwrap().program().execution_plan().unwrap().unwrap().len(), 1);
    let error = Bundled::open(&program).unwrap_err();
    assert_eq!(error.rule().unwrap(), "bp-identifier");
}

/// Returns the start of a ZIP archive whose first entry is named `first`.
fn archive(first: &str) -> Vec<u8> {
    let mut bytes = b"PK\x03\x04".to_vec();
    bytes.resize(26, 0);
    bytes.extend(u16::try_from(first.len()).unwrap().to_le_bytes());
    bytes.extend([0; 2]);
    bytes.extend(first.as_bytes());
    bytes.resize(100, 0);
    bytes
}

#[test]
fn recognizes_a_package_without_checking_it() {
    let (report, found) = findings(&archive("program.ptg"));
    assert_eq!((report.kind, report.stopped), (FileKind::Ptn, Some(StopReason::NotCovered)));
    assert!(found.is_empty() && !report.accepts() && !report.rejects());
    for other in ["program.pte", "program.ptg.bak", ""] {
        let (report, found) = findings(&archive(other));
        assert_eq!(report.kind, FileKind::Unknown);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].rule.id, "fb-identifier-exact");
    }
}

#[cfg(all(feature = "attack", feature = "corpus"))]
mod properties {
    use proptest::prelude::*;

    use super::{Bundled, FileKind, findings};
    use crate::mutate::Edit;
    use crate::random::Random;

    proptest! {

        #[test]
        fn no_edit_of_a_bundle_makes_the_checker_panic(seed in any::<u64>()) {
            let bundle = crate::corpus::find("bpte/valid/every-type").unwrap().build().bytes;
            let bytes = Edit::several(&bundle, &bundle, usize::MAX, &mut Random::new(seed));
            let (report, found) = findings(&bytes);
            for finding in &found {
                prop_assert!(finding.span.end() <= bytes.len() as u64, "{finding}");
            }
            if report.accepts() && report.kind == FileKind::Bpte {
                prop_assert!(Bundled::open(&bytes).unwrap().program().is_ok());
            }
        }
    }
}

//! **A bundled program adds nothing to the findings of its program, and an accepted bundled program is safe to use.**
//!
//! * A program has the same findings inside a bundle as alone, at shifted positions.
//! * In an accepted bundle, the program is accepted too, and every test case has one value per input of its method.
//!   Each tensor has at least as many bytes as its layout requires.

use torchproof::FileKind;
use torchproof::bundled::schema::{BundledMethodTestSuite, BundledProgram, Tensor, ValueUnionValue};
use torchproof::bundled::{self, Bundled};
use torchproof::check::{Checker, Report, StopReason};
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::layout::nbytes;
use torchproof::pte::Pte;

use crate::read_any::LIMITS;

const FINDINGS: usize = 100;

/// The length of the shortest program for which a bundle adds no finding of its own.
const SHORTEST: usize = 12;

pub fn run(bytes: &[u8]) {
    if bytes.len() >= SHORTEST && FileKind::of_head(bytes) == FileKind::Pte {
        same_findings(bytes);
    }
    let mut bytes = bytes.to_vec();
    if let Some(identifier) = bytes.get_mut(4..8) {
        identifier.copy_from_slice(&bundled::IDENTIFIER);
    }
    if check(&bytes).accepts() {
        usable(&Bundled::open(&bytes).expect("accepted, but cannot be opened"));
    }
}

fn check(bytes: &[u8]) -> Report {
    Checker::new().limits(LIMITS).max_findings(FINDINGS).check(bytes)
}

/// Checks that a program in a bundle without test cases has the same findings as alone.
fn same_findings(program: &[u8]) {
    let alone = check(program);
    let root = TableTree::new(BundledProgram::TYPE)
        .with("version", 2)
        .with("method_test_suites", Vec::<TableTree>::new())
        .with("program", program.to_vec());
    let plan = bundled::plan(&root).expect("a small bundle can be written");
    let inside = check(plan.head());
    if [&alone, &inside].iter().any(|report| matches!(report.stopped, Some(StopReason::Limit(_)))) {
        return;
    }
    let opened = Bundled::open(plan.head()).expect("the bundle was just written");
    let start = opened.root().program().expect("readable").expect("present").span().offset;
    assert_eq!(opened.program_bytes(), Ok(program));
    assert_eq!((alone.must, alone.should, alone.may), (inside.must, inside.should, inside.may), "{inside:?}");
    for (alone, inside) in alone.findings.iter().zip(&inside.findings) {
        assert_eq!(alone.rule.id, inside.rule.id);
        assert_eq!((alone.span.offset + start, alone.span.len), (inside.span.offset, inside.span.len), "{inside}");
    }
}

/// Reads every part of an accepted bundle, as a runtime does.
fn usable(bundle: &Bundled<'_>) {
    let program = bundle.program_bytes().expect("accepted without a program");
    assert!(check(program).accepts(), "accepted, but its program is not");
    let program = Pte::open(program).expect("accepted, but its program cannot be opened");
    let suites = bundle.root().method_test_suites().expect("accepted").expect("accepted without suites");
    for suite in suites.iter() {
        expect_method(&program, suite.expect("accepted"));
    }
}

/// Checks a suite against its method. There may be no method with the suite's name.
fn expect_method(program: &Pte<'_>, suite: BundledMethodTestSuite<'_>) {
    let name = suite.method_name().expect("accepted").expect("accepted without a name");
    let mut methods = program.methods().map(|method| method.expect("accepted"));
    let method = methods.find(|method| method.name().expect("accepted").as_bytes() == name.as_bytes());
    let Some(method) = method else { return };
    for case in suite.test_cases().expect("accepted").expect("accepted without test cases").iter() {
        let case = case.expect("accepted");
        let inputs = case.inputs().expect("accepted").expect("accepted without inputs");
        let outputs = case.expected_outputs().expect("accepted").expect("accepted without outputs");
        let due = method.inputs().count();
        assert_eq!(inputs.len(), due, "accepted, but a test case has more or fewer inputs than its method");
        for value in inputs.iter().chain(outputs.iter()) {
            match value.expect("accepted").val().expect("accepted") {
                Some(ValueUnionValue::Tensor(tensor)) => complete(tensor),
                Some(_) => {}
                None => panic!("accepted, but a test case has no value"),
            }
        }
    }
}

/// Checks that the tensor has the bytes that its layout requires.
fn complete(tensor: Tensor<'_>) {
    let sizes = tensor.sizes().expect("accepted").expect("accepted without sizes");
    let bytes = nbytes(tensor.scalar_type().expect("accepted"), sizes).expect("accepted, but its byte count overflows");
    let data = tensor.data().expect("accepted").expect("accepted without data");
    assert!(data.len() as u64 >= bytes, "accepted, but a tensor has {} of {bytes} bytes", data.len());
}

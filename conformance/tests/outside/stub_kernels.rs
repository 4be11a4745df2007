//! Checks the generated files of the adapter for the C++ runtime. One file lists the operators of the corpus and of the generator,
//! because the adapter needs a stub kernel for each operator. The other file contains the program with which the adapter tests for
//! the capability `constant-buffer`.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use libtest_mimic::Trial;
use torchproof::corpus::{self, Role, Verdict};
use torchproof::generate;
use torchproof::pte::Pte;

use crate::need::trials;

pub(crate) fn trials() -> Vec<Trial> {
    trials!([]; stub_kernels_are_complete, the_program_with_a_constant_buffer_is_the_case)
}

/// Returns whether the runtime's own library registers the operator. A second registration of such an operator is an
/// error.
fn is_built_in(name: &[u8]) -> bool {
    let own: [&[u8]; 3] = [b"aten::sym_size.int", b"aten::sym_numel", b"aten::_local_scalar_dense"];
    name.starts_with(b"executorch_prim::") || own.contains(&name)
}

fn stub_kernels_are_complete() {
    let mut names: BTreeSet<Vec<u8>> =
        generate::operators().map(|(name, overload)| format!("{name}.{overload}").into_bytes()).collect();
    for case in corpus::all().filter(|case| case.verdict != Verdict::Reject && case.role() == Role::Program) {
        add_operators(&case.build().bytes, &mut names);
    }
    for entry in fs::read_dir(testkit::repository().join("corpus/real")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pte") {
            add_operators(&fs::read(path).unwrap(), &mut names);
        }
    }
    // The runtime cannot resolve an operator whose name has 100 bytes or more.
    names.retain(|name| !is_built_in(name) && name.len() < 100);
    assert!(names.len() > 10, "found {} operators", names.len());
    let lines: String = names.iter().map(|name| format!("{},\n", literal(name))).collect();
    testkit::expect_file(&adapter("operators.inc"), &lines);
}

fn the_program_with_a_constant_buffer_is_the_case() {
    let bytes = corpus::find("pte/valid/constant-buffer").unwrap().build().bytes;
    let line = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte},")).collect::<Vec<_>>().join(" ") + "\n";
    testkit::expect_file(&adapter("constant_buffer.inc"), &bytes.chunks(16).map(line).collect::<String>());
}

/// Returns the path of a file in the folder of the adapter.
fn adapter(name: &str) -> PathBuf {
    testkit::repository().join("conformance/readers/executorch").join(name)
}

/// Returns `name` as a string literal of C++.
fn literal(name: &[u8]) -> String {
    let plain = |byte: u8| (byte.is_ascii_graphic() || byte == b' ') && !b"\"\\".contains(&byte);
    let escaped = |&byte: &u8| if plain(byte) { char::from(byte).to_string() } else { format!("\\{byte:03o}") };
    format!("\"{}\"", name.iter().map(escaped).collect::<String>())
}

/// Adds to `names` the full name of each operator in the program. If the overload is not empty, the full name is the
/// name, a dot and the overload. Otherwise, it is the name.
fn add_operators(bytes: &[u8], names: &mut BTreeSet<Vec<u8>>) {
    let Ok(file) = Pte::open(bytes) else { return };
    let Ok(Some(plans)) = file.program().execution_plan() else { return };
    for plan in plans.iter().flatten() {
        let Ok(Some(operators)) = plan.operators() else { continue };
        for operator in operators.iter().flatten() {
            let Ok(Some(name)) = operator.name() else { continue };
            let mut full = name.as_bytes().to_vec();
            if let Some(overload) = operator.overload().ok().flatten().filter(|text| !text.as_bytes().is_empty()) {
                full.push(b'.');
                full.extend_from_slice(overload.as_bytes());
            }
            names.insert(full);
        }
    }
}

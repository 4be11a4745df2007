//! Checks a generated file of the C++ runtime's adapter: the program that tests for the capability `constant-buffer`.

use libtest_mimic::Trial;
use torchproof::corpus;

use crate::need::trials;

pub(crate) fn trials() -> Vec<Trial> {
    trials!([]; the_program_with_a_constant_buffer_is_the_case)
}

fn the_program_with_a_constant_buffer_is_the_case() {
    let bytes = corpus::find("pte/valid/constant-buffer").unwrap().build().bytes;
    let line = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte},")).collect::<Vec<_>>().join(" ") + "\n";
    let path = testkit::repository().join("conformance/readers/executorch/constant_buffer.inc");
    testkit::expect_file(&path, &bytes.chunks(16).map(line).collect::<String>());
}

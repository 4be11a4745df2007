//! Tests the headers of the C libraries.

use libtest_mimic::Trial;

use crate::need::trial;

const LIBRARIES: &[(&str, &str)] =
    &[("fuzz/mutator/c", "torchproof_mutator.h"), ("conformance/verify", "torchproof_verify.h")];

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("headers::match_the_code", &[], match_the_code)]
}

/// If `TRYCMD=overwrite` is set, the test writes the headers.
fn match_the_code() {
    for (folder, name) in LIBRARIES {
        let folder = testkit::repository().join(folder);
        let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
        let builder = cbindgen::Builder::new().with_config(config).with_src(folder.join("src/lib.rs"));
        let mut header = Vec::new();
        builder.generate().unwrap().write(&mut header);
        testkit::expect_file(&folder.join("include").join(name), &String::from_utf8(header).unwrap());
    }
}

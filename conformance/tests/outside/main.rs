//! Tests with requirements outside this repository: real readers, tools, and published schemas.
//!
//! If a requirement is missing, the test is ignored, with the reason in the output; if `TORCHPROOF_READERS=required`,
//! it fails. To build the readers, run each `conformance/readers/*/setup.sh`.

#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

mod adapters;
mod book;
mod browser;
mod built;
mod cases;
mod constant_buffer;
mod corpus_readme;
mod edited;
mod exceptions;
mod exported;
mod formats;
mod gate;
mod generated;
mod headers;
mod html;
mod init;
mod library;
mod links;
mod mutator;
mod need;
mod official_fields;
mod packed;
mod planted;
mod planted_two;
mod public_items;
mod readme;
mod runtime;
mod sanitized;
mod sarif_schema;
mod selftest;
mod structure;
mod templates;
mod values;

use libtest_mimic::Arguments;

fn main() {
    let mut arguments = Arguments::from_args();
    // The standard harness of the other tests reads this variable itself.
    let threads = std::env::var("RUST_TEST_THREADS").ok().and_then(|count| count.parse().ok());
    arguments.test_threads = arguments.test_threads.or(threads);
    let mut trials = cases::trials();
    trials.extend(library::trials());
    for module in [
        adapters::trials,
        book::trials,
        constant_buffer::trials,
        corpus_readme::trials,
        edited::trials,
        exceptions::trials,
        exported::trials,
        formats::trials,
        gate::trials,
        generated::trials,
        headers::trials,
        html::trials,
        init::trials,
        links::trials,
        mutator::trials,
        official_fields::trials,
        packed::trials,
        planted::trials,
        planted_two::trials,
        public_items::trials,
        readme::trials,
        runtime::trials,
        sanitized::trials,
        selftest::trials,
        structure::trials,
        templates::trials,
        values::trials,
    ] {
        trials.extend(module());
    }
    libtest_mimic::run(&arguments, trials).exit();
}

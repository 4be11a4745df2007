//! **The code that flatc generated from `conformance/schema`**, private to this package.
//!
//! The accessors are safe to call and still read out of bounds on bytes that the verifier passed: see the crate's documentation.
//! Use the verifier and the `…Args` builders only.

// One list of lints for all three files. rustfmt skips the files of modules that a macro declares.
macro_rules! generated {
    ($file:ident as $namespace:ident) => {
        #[allow(
            clippy::all,
            clippy::pedantic,
            clippy::unwrap_used,
            dead_code,
            missing_debug_implementations,
            missing_docs,
            rust_2018_idioms,
            unreachable_pub,
            unsafe_code
        )]
        mod $file;

        /// The tables of one schema, with the scalar types that flatc keeps in a namespace of their own.
        pub(crate) mod $namespace {
            #[allow(unused_imports, reason = "the legacy schema is only verified")]
            pub(crate) use super::$file::torchproof::scalar::ScalarType;
            pub(crate) use super::$file::torchproof::$namespace::*;
        }
    };
}

generated!(program_generated as pte);
generated!(flat_tensor_generated as ptd);
generated!(flat_tensor_legacy_generated as ptd_legacy);

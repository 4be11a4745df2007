//! **The code that flatc generated from `conformance/schema`**, private to this package.
//!
//! Although the accessors are safe to call, they read out of bounds on some bytes that the verifier accepts: see the
//! crate's documentation. Use only the verifier and the `…Args` builders.

// The macro gives all three files one list of lints, and rustfmt skips the files of modules that a macro declares.
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

        /// One schema's tables, with the scalar types that flatc keeps in a namespace of their own.
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

//! **The code that flatc wrote from `conformance/schema`**, kept where only this module's neighbours can reach it.
//!
//! The accessors in here are safe to call and still read out of bounds on bytes that the verifier passed: see the
//! parent module. Use the verifier and the `…Args` builders, nothing else.

// One list of lints for all three files: their style is flatc's, and their unsafe is what the fence is for. Files that
// a macro names are also files that rustfmt leaves alone.
macro_rules! generated {
    ($path:literal as $file:ident, its $namespace:ident) => {
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
        #[path = $path]
        mod $file;

        /// One schema's tables, with the scalar types that flatc keeps in a namespace of their own.
        pub(super) mod $namespace {
            pub(in crate::oracle) use super::$file::torchproof::scalar::ScalarType;
            pub(in crate::oracle) use super::$file::torchproof::$namespace::*;
        }
    };
}

generated!("../../oracle/program_generated.rs" as program, its pte);
generated!("../../oracle/flat_tensor_generated.rs" as flat_tensor, its ptd);
generated!("../../oracle/flat_tensor_older_generated.rs" as flat_tensor_older, its ptd_older);

//! Fuzz target: comparison with the `flatbuffers` crate's verifier.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(differential, mutator);

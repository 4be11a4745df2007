//! Fuzz target: bundled programs.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(bundled, mutator);

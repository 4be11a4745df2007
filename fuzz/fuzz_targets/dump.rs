//! Fuzz target: the output of `dump`.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(dump, mutator);

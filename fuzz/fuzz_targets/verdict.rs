//! Fuzz target: a verdict agrees with a check.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(verdict, mutator);

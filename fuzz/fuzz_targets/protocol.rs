//! Fuzz target: a worker's output.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(protocol);

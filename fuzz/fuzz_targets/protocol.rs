//! Fuzz target: the output of a worker.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(protocol);

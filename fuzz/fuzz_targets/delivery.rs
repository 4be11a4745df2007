//! Fuzz target: a file's deliveries.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(delivery, mutator);

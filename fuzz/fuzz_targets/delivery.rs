//! Fuzz target: the deliveries of a file.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(delivery, mutator);

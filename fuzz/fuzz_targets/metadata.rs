//! Fuzz target: metadata values.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(metadata);

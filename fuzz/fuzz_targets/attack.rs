//! Fuzz target: the labels of attacks on generated files.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(attack);

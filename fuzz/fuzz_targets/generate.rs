//! Fuzz target: validity of generated files.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(generate);

//! Fuzz target: lists of allowed findings and known failures.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(allow_list);

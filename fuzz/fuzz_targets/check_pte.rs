//! Fuzz target: the check of programs.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(check_pte, mutator);

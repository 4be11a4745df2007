//! Fuzz target: the check of data files.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(check_ptd, mutator);

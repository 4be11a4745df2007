//! Fuzz target: the agreement of the two passes of a check.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(plain, mutator);

//! Fuzz target: specifications for `pack`.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(specification);

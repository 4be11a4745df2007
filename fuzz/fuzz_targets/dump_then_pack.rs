//! Fuzz target: a dump that is packed again.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(dump_then_pack, mutator);

//! Fuzz target: packing a dump again.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(dump_then_pack, mutator);

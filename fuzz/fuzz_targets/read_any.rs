//! Fuzz target: reading and checking any bytes.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(read_any, mutator);

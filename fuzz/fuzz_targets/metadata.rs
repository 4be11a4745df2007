//! Fuzz target: values of metadata.
#![cfg_attr(fuzzing, no_main)]

torchproof_fuzz::target!(metadata);

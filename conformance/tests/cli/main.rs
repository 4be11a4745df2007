//! Tests the command line of `torchproof`.

#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

mod attack;
mod check;
mod coverage;
mod diff;
mod dump;
mod examples;
mod explain;
mod generate;
mod hostile;
mod input;
mod inspect;
mod killed;
mod metadata;
#[cfg(target_os = "linux")]
mod named;
mod needs;
mod pack;
mod sarif;
mod schemas;
mod sessions;
mod worst;

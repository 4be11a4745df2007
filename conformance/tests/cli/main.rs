//! The command line, as a user sees it.

#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

mod attack;
mod check;
mod check_many;
mod corpus;
mod corpus_copy;
mod corpus_readme;
mod coverage;
mod dump;
mod explain;
mod generate;
mod input;
mod inspect;
mod metadata;
mod pack;
mod readme;
mod rules;
mod sarif;
mod split;

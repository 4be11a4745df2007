//! Tests the runner, the reports and the campaigns with readers that misbehave on request.

#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

mod hunt;
mod known;
mod layers;
mod reports;
mod runner;
mod sandbox;
mod schema;
mod schemas;
mod score;
mod selftest;
mod terms;

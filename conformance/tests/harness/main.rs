//! The runner and what builds on it, in front of readers that misbehave on demand.

#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

mod adequacy;
mod bench_results;
mod hunt;
mod instructions;
mod known;
mod reports;
mod runner;
mod sandbox;
mod schema;
mod selftest;
mod terms;

// The modules of the benches name each other from the root.
#[allow(dead_code)]
#[path = "../../../benches/compare/chart.rs"]
mod chart;
#[allow(dead_code)]
#[path = "../../../benches/compare/figure.rs"]
mod figure;
#[allow(dead_code)]
#[path = "../../../benches/instructions/figures.rs"]
mod figures;
#[allow(dead_code)]
#[path = "../../../benches/compare/report.rs"]
mod report;

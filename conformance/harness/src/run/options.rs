//! A run's options.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use torchproof_protocol::Delivery;

use super::grade::GradingOptions;
use super::known::KnownFailures;
use super::record::GivenValues;
use super::results::FailedResults;
use crate::corpus::{Budget, CaseSelection};
use crate::reader::{Address, Launcher};

#[derive(Clone, Debug)]
pub struct Options {
    /// The readers, in the order of the report.
    pub readers: Vec<Address>,
    pub selection: CaseSelection,
    /// Every case runs once with each of these deliveries. If the list is empty, each reader's defaults apply.
    pub deliveries: Vec<Delivery>,
    pub grading: GradingOptions,
    pub known: Option<KnownFailures>,
    /// The number of cases that run in parallel, each in its own reader process, and of readers that start in parallel.
    pub jobs: NonZero<usize>,
    /// The factor for the time limits of cases, for slow machines and instrumented readers.
    pub time_scale: f64,
    pub memory: MemoryLimit,
    /// The time limit from a reader's start to its `hello` reply.
    pub start: Duration,
    /// The path of the results file, which grows during the run. The default is `target/torchproof-run/results.jsonl`.
    pub results: Option<PathBuf>,
    pub launcher: Launcher,
    /// The seed of the random case order; `None` for corpus order. In a random order, a reader cannot guess a case's
    /// expected outcome from its position.
    pub order: Option<u64>,
    /// The failed results of an earlier run, if this run repeats only these results.
    pub rerun_failed: Option<FailedResults>,
    /// The options on the command line, for the results file.
    pub given: GivenValues,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryLimit {
    /// The memory budget of each case.
    #[default]
    Budget,
    /// The same limit for every case, in MiB.
    Fixed(u64),
    /// No limit, for readers with a sanitizer.
    Unlimited,
}

impl Options {
    pub fn time(&self, budget: Budget) -> Duration {
        let scaled = Duration::try_from_secs_f64(Duration::from_millis(budget.ms).as_secs_f64() * self.time_scale);
        // If the product is too large for a duration, use one day.
        scaled.unwrap_or(Duration::from_secs(24 * 60 * 60))
    }

    pub(super) fn memory_mb(&self, budget: Budget) -> Option<u64> {
        match self.memory {
            MemoryLimit::Budget => Some(budget.memory_mib),
            MemoryLimit::Fixed(megabytes) => Some(megabytes),
            MemoryLimit::Unlimited => None,
        }
    }
}

//! The options of a run.

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

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The readers, in the order of the report.
    pub readers: Vec<Address>,
    /// The selection of the cases that run.
    pub selection: CaseSelection,
    /// The deliveries. Every case runs once with each delivery. If the list is empty, each reader uses its default
    /// deliveries.
    pub deliveries: Vec<Delivery>,
    /// The grading options.
    pub grading: GradingOptions,
    /// The list of known failures, if any.
    pub known: Option<KnownFailures>,
    /// The number of cases that run in parallel, each with a separate reader process. At the start of a run, the runner
    /// starts at most this number of readers in parallel.
    pub jobs: NonZero<usize>,
    /// The factor for the time limits of cases, for slow machines and instrumented readers.
    pub time_scale: f64,
    /// The memory limit of a reader.
    pub memory: MemoryLimit,
    /// The time limit from a reader's start to its `hello` reply.
    pub start: Duration,
    /// The path of the results file, which grows during the run. The default is `target/torchproof-run/results.jsonl`.
    pub results: Option<PathBuf>,
    /// The launcher that starts readers.
    pub launcher: Launcher,
    /// The seed of the random order in which the cases run; `None` for the order of the corpus. If the order is random, a
    /// reader cannot guess the expected outcome of a case from its position.
    pub order: Option<u64>,
    /// The failed results of an earlier run. If set, the run repeats only these results.
    pub rerun_failed: Option<FailedResults>,
    /// The options on the command line, which are also written to the results file.
    pub given: GivenValues,
}

/// The memory limit of a reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryLimit {
    /// The limit for each case is the memory budget of the case.
    #[default]
    Budget,
    /// The same limit for every case, in MiB.
    Fixed(u64),
    /// No limit. Readers that are built with a sanitizer need this value.
    Unlimited,
}

impl Options {
    /// The time limit of a case with this budget.
    pub fn time(&self, budget: Budget) -> Duration {
        let scaled = Duration::try_from_secs_f64(Duration::from_millis(budget.ms).as_secs_f64() * self.time_scale);
        // If the scaled time limit is too large for a duration, use one day.
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

//! The options of a run.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use torchproof_protocol::Delivery;

use super::grade::Terms;
use super::known::Known;
use crate::corpus::{Budget, CaseSelection};
use crate::reader::{Address, Launcher};

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The readers, in the order of the report.
    pub readers: Vec<Address>,
    /// The cases.
    pub selection: CaseSelection,
    /// How each reader is given the files: every case once by each; by each reader's usual way where there is none.
    pub deliveries: Vec<Delivery>,
    /// How outcomes are graded.
    pub terms: Terms,
    /// The known failures.
    pub known: Option<Known>,
    /// How many cases are under way at once, each of which has a reader process of its own; and how many readers start at once.
    pub jobs: NonZero<usize>,
    /// What a case's time is multiplied by, for slow machines and readers under instruments.
    pub time_scale: f64,
    /// The memory limit of a reader.
    pub memory: MemoryLimit,
    /// How long a reader may take from its start to its hello.
    pub start: Duration,
    /// Where results are written as they come; `target/torchproof-run/results.jsonl` without.
    pub results: Option<PathBuf>,
    /// Starts readers.
    pub launcher: Launcher,
}

/// The memory limit of a reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryLimit {
    /// The budget of each case.
    #[default]
    Budget,
    /// So many MiB for every case.
    Fixed(u64),
    /// Nothing: sanitizers need it so.
    Unlimited,
}

impl Options {
    pub(super) fn time(&self, budget: Budget) -> Duration {
        let scaled = Duration::try_from_secs_f64(Duration::from_millis(budget.ms).as_secs_f64() * self.time_scale);
        // A scale that leaves no sensible time means: as long as it takes.
        scaled.unwrap_or(Duration::from_secs(24 * 60 * 60))
    }

    pub(super) fn memory_mb(&self, budget: Budget) -> Option<u64> {
        match self.memory {
            MemoryLimit::Budget => Some(budget.rss_mb),
            MemoryLimit::Fixed(megabytes) => Some(megabytes),
            MemoryLimit::Unlimited => None,
        }
    }
}

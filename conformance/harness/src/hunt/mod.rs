//! **Campaigns against readers**: fuzzing of readers, with failures grouped into clusters.
//!
//! Each generated file depends only on the seed, its index, the base files and the outcomes of earlier blocks of files.
//! Every reader runs on every file that it supports. A finding is a crash, a timeout, exhausted memory, an adapter
//! error, or a verdict that contradicts the checker's. If the checker has no verdict, a disagreement between readers is
//! a finding too. Findings with equal properties form a [`Cluster`], which keeps the smallest file. At the end, the
//! campaign [shrinks](crate::hunt::shrink) these files.
//!
//! Each result is written to a folder immediately, so a campaign can be interrupted at any time and resumed.

mod bases;
mod blocks;
mod checked;
mod cluster;
mod crash;
mod draw;
mod emit_case;
mod error;
mod feedback;
mod import;
mod judge;
mod reader_pauses;
mod retest;
pub mod shrink;
mod store;
mod watch;

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

pub use checked::first_must;
pub use cluster::{Cluster, Kind};
pub use draw::Draw;
pub use emit_case::emit_case;
pub use error::HuntError;
pub use import::{Import, import};
pub use retest::{Repeat, ShrinkLimits, retest};
pub use store::{Annotate, Head, Store};
pub use watch::Watch;

use crate::reader::interrupt::is_interrupted;
use crate::reader::session::ReaderSession;
use crate::reader::{Address, Reruns, Settings};
use blocks::Blocks;
use draw::Weights;
use feedback::Trial;
use judge::{Judgment, judge};
use reader_pauses::ReaderPauses;
use retest::{open_all, remove_if_empty, shrink_all};
use torchproof_protocol::CAPABILITY_PAIRS;

#[derive(Debug)]
pub struct CampaignConfig {
    pub readers: Vec<Address>,
    pub draw: Draw,
    /// The time limit for generating files in one call of [`hunt`].
    pub time: Duration,
    /// The maximum number of files, including those of earlier calls of [`hunt`].
    pub count: Option<u64>,
    pub jobs: usize,
    /// How long a reader may take for each file.
    pub file_time: Duration,
    /// The kinds of failures to record; empty for all.
    pub only: Vec<Kind>,
    pub settings: Settings,
    /// `None` to skip shrinking.
    pub shrinking: Option<ShrinkLimits>,
}

/// How many files a `lib:` reader reads between two forks. Several reads in one process can reveal what an earlier read
/// left in memory. Crashes and shrunk files are confirmed in a new process.
const BATCH: u32 = 64;

/// Generates files, runs the readers on them, and shrinks the findings.
pub fn hunt(config: &CampaignConfig, store: &mut Store, watch: &(dyn Watch + Sync)) -> Result<(), HuntError> {
    let folder = store.work();
    // Re-run only new crashes: almost all crashes belong to known clusters, and re-running those would take most of the time.
    let settings = Settings { reruns: Reruns::of_new_crashes(), batch: BATCH, ..config.settings.clone() };
    let open = || open_all(&config.readers, &settings, config.file_time, &folder);
    let done = test(config, &open, store, watch).and_then(|()| match config.shrinking.filter(|_| !is_interrupted()) {
        // Here every crash is re-run, to confirm the stored outcome of a shrunk file.
        Some(work) => {
            let mut sessions = open_all(&config.readers, &config.settings, config.file_time, &folder)?;
            shrink_all(work, store, &mut sessions, watch)
        }
        None => Ok(()),
    });
    // Each session has removed its own folder.
    remove_if_empty(&folder);
    match done {
        // A signal also aborts the start of a reader.
        Ok(()) | Err(HuntError::Reader { .. }) if is_interrupted() => Err(HuntError::Interrupted),
        done => done,
    }
}

fn test(
    config: &CampaignConfig,
    open: &dyn Fn() -> Result<Vec<ReaderSession>, HuntError>,
    store: &mut Store,
    watch: &(dyn Watch + Sync),
) -> Result<(), HuntError> {
    let end = Instant::now().checked_add(config.time);
    let mut sessions = (0..config.jobs.max(1)).map(|_| open()).collect::<Result<Vec<_>, _>>()?;
    if config.count.is_some_and(|count| store.next() >= count) {
        return Ok(());
    }
    if config.draw.is_of_pairs() && !sessions.iter().flatten().any(|session| session.hello().has(CAPABILITY_PAIRS)) {
        return Err(HuntError::NoPairs);
    }
    let draw = config.draw.for_readers(&mut sessions, watch)?;
    let blocks = Blocks::after(Arc::clone(store.feedback()), &draw);
    let (shared, changed) = (Mutex::new(Shared { store, blocks, error: None }), Condvar::new());
    let pauses = ReaderPauses::default();
    let is_over = || is_interrupted() || end.is_some_and(|end| Instant::now() >= end);
    thread::scope(|scope| {
        for mut sessions in sessions {
            let (shared, changed, draw, pauses, is_over) = (&shared, &changed, &draw, &pauses, &is_over);
            scope.spawn(move || {
                while let Some((index, weights)) = next(config, is_over, shared, changed) {
                    let tested = draw.specimen(index, &weights).map(|specimen| {
                        let judged = judge(&specimen.files, &mut sessions, &config.only, (pauses, is_over));
                        ((specimen.used, specimen.place), judged)
                    });
                    // The signal may also have ended a reader, so discard the last result.
                    if is_interrupted() {
                        return;
                    }
                    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    let added = tested.and_then(|(used, judged)| shared.add(index, used, judged, watch));
                    if let Err(error) = added {
                        shared.error.get_or_insert(error);
                    }
                    changed.notify_all();
                }
            });
        }
    });
    let Shared { store, error: failed, .. } = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    store.save()?;
    store.describe_all()?;
    failed.map_or(Ok(()), Err)
}

#[derive(Debug)]
struct Shared<'d> {
    store: &'d mut Store,
    blocks: Blocks<'d>,
    error: Option<HuntError>,
}

impl Shared<'_> {
    fn add(
        &mut self,
        index: u64,
        (used, place): (Vec<String>, Option<String>),
        judged: Judgment,
        watch: &(dyn Watch + Sync),
    ) -> Result<(), HuntError> {
        self.store.add(index, &judged.findings, &|cluster| watch.found(cluster))?;
        let failed = !judged.findings.is_empty();
        if let Some(feedback) = self.blocks.add(index, Trial { used, place, observed: judged.observed, failed }) {
            self.store.set_feedback(feedback);
        }
        watch.tested(self.store);
        Ok(())
    }
}

/// Returns the next index, once its block can begin, or `None` at the end of the campaign.
fn next(
    config: &CampaignConfig,
    is_over: &dyn Fn() -> bool,
    shared: &Mutex<Shared<'_>>,
    changed: &Condvar,
) -> Option<(u64, Arc<Weights>)> {
    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if shared.error.is_some() || is_over() {
            return None;
        }
        if let Some(next) = shared.blocks.take() {
            return Some(next).filter(|(index, _)| config.count.is_none_or(|count| *index < count));
        }
        shared = changed.wait_timeout(shared, TICK).unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// How often a waiting thread checks whether the campaign is over.
const TICK: Duration = Duration::from_millis(100);

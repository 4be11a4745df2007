//! **Campaigns against readers**: fuzzing of readers, with failures grouped into clusters.
//!
//! Each file depends only on the seed, the file's index and the attacked files. Every reader runs on every file, and
//! the campaign compares the outcome with the checker's result. A finding is a crash, a timeout, exhausted memory, an
//! adapter error, or a verdict that contradicts the checker's verdict. If the checker has no verdict on a file, a
//! disagreement between readers is also a finding. Findings with equal properties form a [`Cluster`]. The cluster keeps
//! the smallest file. After generating files, the campaign [shrinks](crate::hunt::shrink) the files of clusters.
//!
//! The campaign writes each result to a folder immediately, so a campaign can be interrupted at any time and resumed.

mod again;
mod checked;
mod cluster;
mod draw;
mod error;
mod judge;
mod promote;
pub mod shrink;
mod store;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

pub use again::{Repeat, Shrinking, again};
pub use checked::first_must;
pub use cluster::{Cluster, Kind};
pub use draw::Draw;
pub use error::HuntError;
pub use promote::promote;
pub use store::{Head, Store};

use crate::reader::{Address, Settings};
use again::{open_all, remove_if_empty, shrink_all};
use judge::judge;
use torchproof_protocol::CAPABILITY_PAIRS;

/// The settings of a campaign.
#[derive(Debug)]
pub struct Plan {
    /// The readers.
    pub readers: Vec<Address>,
    /// The generator of the files on which the readers run.
    pub draw: Draw,
    /// The time limit for generating files in one call of [`hunt`].
    pub time: Duration,
    /// The maximum number of files, including files of earlier calls of [`hunt`]; `None` for no limit.
    pub count: Option<u64>,
    /// The number of files that are processed in parallel.
    pub jobs: usize,
    /// The time limit of a reader for each file.
    pub file_time: Duration,
    /// The settings of reader processes.
    pub settings: Settings,
    /// The limits of shrinking; `None` to skip shrinking.
    pub shrinking: Option<Shrinking>,
}

/// Generates files, runs the readers on them, and shrinks the findings.
///
/// For each new cluster, the function calls `on_new`.
///
/// # Errors
///
/// Fails if a reader cannot start, if no file can be generated from the sources, or if the folder cannot be written. If
/// the function fails, the folder still contains the findings so far.
pub fn hunt(plan: &Plan, store: Store, on_new: &(dyn Fn(&Cluster) + Sync)) -> Result<Store, HuntError> {
    let folder = store.work();
    let open = || open_all(&plan.readers, &plan.settings, plan.file_time, &folder);
    let end = Instant::now().checked_add(plan.time);
    let next = AtomicU64::new(store.next());
    let most = plan.count.unwrap_or(u64::MAX);
    let shared = Mutex::new((store, None::<HuntError>));
    let sessions = (0..plan.jobs.max(1)).map(|_| open()).collect::<Result<Vec<_>, _>>()?;
    if plan.draw.is_of_pairs() && !sessions.iter().flatten().any(|session| session.hello().has(CAPABILITY_PAIRS)) {
        return Err(HuntError::NoPairs);
    }
    thread::scope(|scope| {
        for mut sessions in sessions {
            let (shared, next) = (&shared, &next);
            scope.spawn(move || {
                while end.is_none_or(|end| Instant::now() < end) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= most {
                        break;
                    }
                    let found = plan.draw.specimen(index).map(|specimen| judge(&specimen, &mut sessions));
                    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    let added = found.and_then(|found| shared.0.add(index, &found, on_new));
                    if let Err(error) = added {
                        shared.1.get_or_insert(error);
                    }
                    if shared.1.is_some() {
                        break;
                    }
                }
            });
        }
    });
    let (mut store, failed) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    store.save()?;
    store.describe_all()?;
    if let Some(error) = failed {
        return Err(error);
    }
    if let Some(work) = plan.shrinking {
        shrink_all(work, &mut store, &mut open()?)?;
    }
    remove_if_empty(&folder);
    Ok(store)
}

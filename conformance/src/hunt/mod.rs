//! **A campaign against readers**: generated and attacked files without end, and what readers do wrong with them, sorted.
//!
//! A file depends on the seed, its number and what is attacked, and on nothing else. Each is put to every reader, and what the
//! reader did is held against what our checker says of the file: a death is a finding whatever the file is, a verdict where the
//! checker's is the other one, and readers that disagree where it has none. Findings of one cause are a [`Cluster`], of which the
//! smallest file is kept and in the end [shrunk](crate::hunt::shrink).
//!
//! Everything goes into a folder as it is found, so that a campaign that was ended, in whatever way, goes on where it was.

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

/// What a campaign does.
#[derive(Debug)]
pub struct Plan {
    /// The readers that every file is put to.
    pub readers: Vec<Address>,
    /// Which files there are.
    pub draw: Draw,
    /// How long files are made, this time.
    pub time: Duration,
    /// How many files are made in all, whenever they were.
    pub count: Option<u64>,
    /// Files under way at once.
    pub jobs: usize,
    /// How long a reader may take for a file.
    pub file_time: Duration,
    /// Starts readers.
    pub settings: Settings,
    /// How much work shrinking may be; none, and it is left for another time.
    pub shrinking: Option<Shrinking>,
}

/// Makes files, puts them to the readers, and shrinks what was found.
///
/// `tell` is told of each cluster that is new.
///
/// # Errors
///
/// No reader can be started, nothing can be made of the files that are to be attacked, or the folder cannot be written. What was
/// found until then is in the folder.
pub fn hunt(plan: &Plan, store: Store, tell: &(dyn Fn(&Cluster) + Sync)) -> Result<Store, HuntError> {
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
                    let added = found.and_then(|found| shared.0.add(index, &found, tell));
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

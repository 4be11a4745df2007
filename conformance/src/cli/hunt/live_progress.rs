//! The messages of a running campaign on stderr.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use torchproof::FileKind;
use torchproof_harness::hunt::{Cluster, Kind, Store, Watch};
use torchproof_harness::text::counted;

use super::super::complain;
use super::super::progress::Progress;

/// Prints new clusters and, on a terminal, the statistics as one line.
pub(super) struct LiveProgress {
    begin: Instant,
    /// The files from earlier sessions.
    before: u64,
    line: Mutex<Progress>,
}

impl LiveProgress {
    pub(super) fn new(store: &Store) -> Self {
        Self { begin: Instant::now(), before: store.tested(), line: Mutex::new(Progress::new()) }
    }
}

impl Watch for LiveProgress {
    fn found(&self, cluster: &Cluster) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        line.clear();
        complain(&format!("found {}: {}: {}", cluster.id, cluster.key.reader, cluster.evidence.outcome));
    }

    fn tested(&self, store: &Store) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        line.show(|| numbers(store, self.before, self.begin.elapsed()));
    }

    fn shrinks(&self, left: usize) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        match left {
            0 => line.clear(),
            left => line.show(|| format!("shrinking, {} left", counted(left as u64, "cluster"))),
        }
    }

    fn leaves_out(&self, reader: &str, kinds: &[FileKind]) {
        let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        let kinds = kinds.join(", ");
        complain(&format!("note: {reader} accepts no valid file of these kinds, so they are left out: {kinds}"));
    }
}

fn numbers(store: &Store, before: u64, time: Duration) -> String {
    let files = store.tested();
    let rate = files.saturating_sub(before) as f64 / time.as_secs_f64().max(0.001);
    let (clusters, crashes) = store.clusters().fold((0, 0), |(clusters, crashes), cluster| {
        (clusters + 1, crashes + u64::from(cluster.key.kind == Kind::Crash))
    });
    let [files, clusters, crashes] =
        [(files, "file"), (clusters, "cluster"), (crashes, "crash site")].map(|(count, noun)| counted(count, noun));
    format!("{files}, {rate:.0}/s, {clusters}, {crashes}")
}

//! Reruns readers on the files of clusters, either to confirm a failure or to shrink the files.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::checked::checked_together;
use super::cluster::{Cluster, Evidence, Key, Kind};
use super::watch::Watch;
use super::{HuntError, Store};
use crate::hunt::shrink::{Effort, shrink_together};
use crate::reader::interrupt::is_interrupted;
use crate::reader::outcome::Outcome;
use crate::reader::session::ReaderSession;
use crate::reader::{Address, Settings};

#[derive(Debug)]
pub struct Repeat {
    /// One file, or a program and its data file: the shrunk files if the cluster has them, otherwise the smallest files.
    pub files: Vec<PathBuf>,
    pub outcomes: Vec<(String, Outcome)>,
    /// `true` if the readers fail as recorded in the cluster.
    pub same: bool,
}

/// Reruns the readers of a cluster on its shrunk file, or on its smallest file if none is shrunk.
pub fn retest(
    store: &Store,
    id: &str,
    readers: &[Address],
    settings: &Settings,
    file_time: Duration,
) -> Result<Repeat, HuntError> {
    let cluster = store.cluster(id).ok_or_else(|| HuntError::NoCluster { id: id.to_owned() })?;
    let bytes = store.smallest(cluster)?;
    let files: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
    let folder = store.work();
    let mut outcomes: Vec<(String, Outcome)> = Vec::new();
    {
        let mut sessions = open_all(readers, settings, file_time, &folder)?;
        for name in cluster.key.readers() {
            let session = sessions.iter_mut().find(|session| session.hello().name == name);
            let session = session.ok_or_else(|| HuntError::NoReader { name: name.to_owned() })?;
            outcomes.push((name.to_owned(), run(cluster, &files, session)));
        }
    }
    remove_if_empty(&folder);
    let mut of = |name: &str| outcomes.iter().find(|(own, _)| own == name).map(|(_, outcome)| outcome.clone());
    let same = is_shown_by(&cluster.key, &files, &mut of);
    Ok(Repeat { files: store.smallest_paths(cluster), outcomes, same })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShrinkLimits {
    pub each: Effort,
    /// The time limit for all clusters together.
    pub total: Option<Duration>,
}

/// Shrinks the files of clusters until all are done or the time limit is reached. It stores the smallest files so far,
/// so that the next call can continue.
pub(super) fn shrink_all(
    work: ShrinkLimits,
    store: &mut Store,
    sessions: &mut [ReaderSession],
    watch: &dyn Watch,
) -> Result<(), HuntError> {
    let end = work.total.and_then(|total| Instant::now().checked_add(total));
    let clusters = store.to_shrink();
    for (done, cluster) in clusters.iter().enumerate() {
        let left = end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
        if left.is_zero() || is_interrupted() {
            break;
        }
        let files = store.smallest(cluster)?;
        let origin = if cluster.shrunk.is_none() { store.origin(cluster)? } else { None };
        let effort = Effort { time: work.each.time.min(left), ..work.each };
        let shrunk = shrink_together(&files, origin.as_ref().map(|(at, origin)| (*at, origin)), effort, &mut |files| {
            watch.shrinks(clusters.len() - done);
            let is_shown = is_shown_by(&cluster.key, files, &mut |name| {
                let session = sessions.iter_mut().find(|session| session.hello().name == name)?;
                Some(run(cluster, files, session))
            });
            // The signal may also have ended a reader, so discard the last outcome.
            is_shown && !is_interrupted()
        });
        let evidence = evidence(cluster, &shrunk, sessions).filter(|_| !is_interrupted());
        let is_at_end = left < work.each.time && end.is_some_and(|end| Instant::now() >= end);
        let shrink_incomplete = is_at_end || is_interrupted();
        store.put_shrunk(&cluster.key, &shrunk, evidence, shrink_incomplete)?;
    }
    Ok(())
}

fn run(cluster: &Cluster, files: &[&[u8]], session: &mut ReaderSession) -> Outcome {
    session.read_together(cluster.roles().into_iter().map(|(role, _)| role).zip(files.iter().copied()))
}

/// Runs a reader on a cluster's shrunk files, and returns the evidence if it still fails as recorded.
fn evidence(cluster: &Cluster, files: &[Vec<u8>], sessions: &mut [ReaderSession]) -> Option<Evidence> {
    let name = cluster.key.readers()[0];
    let session = sessions.iter_mut().find(|session| session.hello().name == name)?;
    let files: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    let outcome = run(cluster, &files, session);
    is_shown_by(&cluster.key, &files, &mut |_| Some(outcome.clone())).then(|| Evidence::of(&outcome, session.address()))
}

/// Returns whether the readers fail on `files` as recorded in the cluster with this key.
pub(super) fn is_shown_by(key: &Key, files: &[&[u8]], outcome: &mut dyn FnMut(&str) -> Option<Outcome>) -> bool {
    let checked = checked_together(files);
    let rule = checked.must.map(|rule| rule.id);
    let mut same =
        |name: &str| outcome(name).filter(|outcome| Key::of(key.reader.clone(), key.kind, rule, outcome) == *key);
    match key.kind {
        Kind::Crash | Kind::Hang | Kind::Resource => same(&key.reader).is_some(),
        Kind::AdapterError => matches!(same(&key.reader), Some(Outcome::AdapterError { .. })),
        Kind::AcceptsInvalid => matches!(same(&key.reader), Some(Outcome::Accept { .. })),
        Kind::RejectsValid => checked.is_valid() && same(&key.reader).is_some(),
        Kind::Disagrees => {
            let [rejecting, accepting] = key.readers()[..] else { return false };
            rule.is_none() && same(rejecting).is_some() && matches!(outcome(accepting), Some(Outcome::Accept { .. }))
        }
    }
}

/// Opens a session with each reader, whose input files go below `folder`.
pub(super) fn open_all(
    readers: &[Address],
    settings: &Settings,
    file_time: Duration,
    folder: &Path,
) -> Result<Vec<ReaderSession>, HuntError> {
    let open = |address: &Address| {
        let session = ReaderSession::open(address, settings, folder, file_time);
        session
            .map(ReaderSession::listing_layouts)
            .map_err(|message| HuntError::Reader { address: address.to_string(), message })
    };
    readers.iter().map(open).collect()
}

/// Removes the folder for input files, unless another run still has files in it.
pub(super) fn remove_if_empty(folder: &Path) {
    let _ = std::fs::remove_dir(folder);
}

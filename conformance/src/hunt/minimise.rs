//! Shrinks the files of clusters.

use std::time::{Duration, Instant};

use super::checked::checked_together;
use super::cluster::{Cluster, Kind};
use super::{HuntError, Store};
use crate::hunt::shrink::{Effort, shrink_together};
use crate::reader::outcome::Outcome;
use crate::reader::session::ReaderSession;
use crate::reader::signature::Signature;

/// The effort of shrinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shrinking {
    /// For each cluster.
    pub each: Effort,
    /// For all clusters together, this time; without it, until each was shrunk.
    pub total: Option<Duration>,
}

/// Shrinks the clusters that were not shrunk, until the time is over.
///
/// The one that it is over in keeps what it came to, and goes on from there the next time: however short the time, it gets on.
pub(super) fn all(work: Shrinking, store: &mut Store, sessions: &mut [ReaderSession]) -> Result<(), HuntError> {
    let end = work.total.and_then(|total| Instant::now().checked_add(total));
    for cluster in store.to_shrink() {
        let left = end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            break;
        }
        let files = store.smallest(&cluster)?;
        let effort = Effort { time: work.each.time.min(left), ..work.each };
        let shrunk = shrink_together(&files, effort, &mut |files| is_of(&cluster, files, sessions));
        let cut_short = left < work.each.time && end.is_some_and(|end| Instant::now() >= end);
        store.put_shrunk(&cluster.key, &shrunk, cut_short)?;
    }
    Ok(())
}

/// Whether a file, or a pair, is a finding of the cluster, but for the family, which no file tells.
fn is_of(cluster: &Cluster, files: &[&[u8]], sessions: &mut [ReaderSession]) -> bool {
    is_shown_by(cluster, files, &mut |name| {
        let session = sessions.iter_mut().find(|session| session.hello().name == name)?;
        Some(put(cluster, files, session))
    })
}

/// Runs a reader on a cluster's file, or on a candidate made from it.
pub(super) fn put(cluster: &Cluster, files: &[&[u8]], session: &mut ReaderSession) -> Outcome {
    session.read_together(cluster.roles().into_iter().map(|(role, _)| role).zip(files.iter().copied()))
}

/// Whether the readers of these names show the failure of the cluster with a file or a pair.
pub(super) fn is_shown_by(
    cluster: &Cluster,
    files: &[&[u8]],
    outcome: &mut dyn FnMut(&str) -> Option<Outcome>,
) -> bool {
    let key = &cluster.key;
    let said = checked_together(files);
    let rule = || said.must.map(|rule| rule.id) == key.rule.as_deref();
    let mut same = |name: &str| outcome(name).is_some_and(|outcome| Signature::of(&outcome) == key.signature);
    match key.kind {
        Kind::Crash | Kind::Hang | Kind::Resource | Kind::AdapterError => same(&key.reader),
        Kind::AcceptsInvalid => rule() && same(&key.reader),
        Kind::RejectsValid => said.must.is_none() && !said.warned && !said.incomplete && same(&key.reader),
        Kind::Disagrees => {
            let [rejecting, accepting] = key.readers()[..] else { return false };
            rule() && same(rejecting) && matches!(outcome(accepting), Some(Outcome::Accept { .. }))
        }
    }
}

//! A cluster's file, put to readers once more.

use std::path::PathBuf;
use std::time::Duration;

use super::minimise::{is_shown_by, put};
use super::sessions::{open_all, remove_if_empty};
use super::{HuntError, Store};
use crate::reader::outcome::Outcome;
use crate::reader::{Address, Settings};

/// What became of a cluster's file when it was put to readers again.
#[derive(Debug)]
pub struct Repeat {
    /// The file, or the program and its data file: as it was shrunk, where it was.
    pub files: Vec<PathBuf>,
    /// What each reader of the cluster did with it.
    pub outcomes: Vec<(String, Outcome)>,
    /// Whether that is what the cluster is of.
    pub same: bool,
}

/// Puts the smallest file of a cluster to those of these readers that the cluster is about.
///
/// # Errors
///
/// There is no such cluster, its file cannot be read, or a reader of that name cannot be started.
pub fn again(
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
        let mut feeds = open_all(readers, settings, file_time, &folder)?;
        for name in cluster.key.readers() {
            let feed = feeds.iter_mut().find(|feed| feed.hello().name == name);
            let feed = feed.ok_or_else(|| HuntError::NoReader { name: name.to_owned() })?;
            outcomes.push((name.to_owned(), put(cluster, &files, feed)));
        }
    }
    remove_if_empty(&folder);
    let mut of = |name: &str| outcomes.iter().find(|(own, _)| own == name).map(|(_, outcome)| outcome.clone());
    let same = is_shown_by(cluster, &files, &mut of);
    Ok(Repeat { files: store.smallest_paths(cluster), outcomes, same })
}

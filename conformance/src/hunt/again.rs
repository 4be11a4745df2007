//! A cluster's file, put to readers once more.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{HuntError, Store, minimise, open_all};
use crate::reader::outcome::Outcome;
use crate::reader::{Address, Settings};
use crate::text::escape::{for_shell, plain};

/// What puts a cluster's file to the readers again: a command without the cluster.
#[derive(Clone, Debug, Default)]
pub struct Rerun {
    before: String,
}

impl Rerun {
    /// With these words before the cluster's, the program's name first.
    ///
    /// ```
    /// use torchproof_cli::hunt::Rerun;
    ///
    /// let rerun = Rerun::new(["torchproof", "hunt", "--out", "my finds"]);
    /// assert_eq!(rerun.command("crash-1b2f90aa"), "torchproof hunt --out 'my finds' --again crash-1b2f90aa");
    /// ```
    #[must_use]
    pub fn new<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Self {
        let quoted: Vec<String> = words.into_iter().map(|word| for_shell(word.as_ref())).collect();
        Self { before: quoted.join(" ") }
    }

    /// The command for a cluster, in one printable line for a shell.
    #[must_use]
    pub fn command(&self, id: &str) -> String {
        plain(&format!("{} --again {id}", self.before))
    }
}

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
            outcomes.push((name.to_owned(), minimise::put(cluster, &files, feed)));
        }
    }
    remove_if_empty(&folder);
    let mut of = |name: &str| outcomes.iter().find(|(own, _)| own == name).map(|(_, outcome)| outcome.clone());
    let same = minimise::is_shown_by(cluster, &files, &mut of);
    Ok(Repeat { files: store.smallest_paths(cluster), outcomes, same })
}

/// Removes the folder of the files that readers are given; another run may have some of its own there.
pub(super) fn remove_if_empty(folder: &Path) {
    let _ = std::fs::remove_dir(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_one_line_whatever_the_folder_is_called() {
        let command = Rerun::new(["torchproof", "hunt", "--out", "a\u{1b}[2Jb"]).command("crash-00000000");
        assert_eq!(command, r"torchproof hunt --out 'a\u{1b}[2Jb' --again crash-00000000");
    }
}

//! The progress of a campaign.

use torchproof::FileKind;

use super::cluster::Cluster;
use super::store::Store;

/// An observer of a running campaign.
pub trait Watch {
    /// The campaign calls this function after each new cluster.
    fn found(&self, cluster: &Cluster);
    /// The campaign calls this function after each file.
    fn tested(&self, store: &Store);
    /// The campaign calls this function before each candidate for a shrunk file; `left` is the number of clusters that
    /// are not shrunk yet.
    fn shrinks(&self, left: usize);
    /// The campaign calls this function for a reader that accepts no valid file of the given kinds. The reader runs on
    /// no file of these kinds.
    fn leaves_out(&self, reader: &str, kinds: &[FileKind]);
}

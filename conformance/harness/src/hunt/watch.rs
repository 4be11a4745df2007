//! The progress of a campaign.

use torchproof::FileKind;

use super::cluster::Cluster;
use super::store::Store;

/// An observer of a running campaign, which calls these functions.
pub trait Watch {
    /// After each new cluster.
    fn found(&self, cluster: &Cluster);
    /// After each file.
    fn tested(&self, store: &Store);
    /// Called before each candidate for a shrunk file, when `left` clusters are not shrunk yet.
    fn shrinks(&self, left: usize);
    /// Called for a reader that accepts no valid file of these kinds, and therefore does not run on any.
    fn leaves_out(&self, reader: &str, kinds: &[FileKind]);
}

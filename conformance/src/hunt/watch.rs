//! The progress of a campaign.

use super::cluster::Cluster;
use super::store::Store;

/// An observer of a running campaign.
pub trait Watch {
    /// Is called after each new cluster.
    fn found(&self, cluster: &Cluster);
    /// Is called after each file.
    fn tested(&self, store: &Store);
    /// Is called before a cluster is shrunk; `left` is the number of clusters that are not shrunk yet.
    fn shrinks(&self, left: usize);
}

//! A campaign's progress.

use torchproof::FileKind;

use super::cluster::Cluster;
use super::store::Store;

/// An observer of a running campaign. The campaign calls these functions.
pub trait Watch {
    /// Called after each new cluster.
    fn found(&self, cluster: &Cluster);
    /// Called after each file.
    fn tested(&self, store: &Store);
    /// Called before each shrinking candidate is tried, with `left` clusters still to shrink.
    fn shrinks(&self, left: usize);
    /// Called for a reader that accepts no valid file of these kinds and therefore runs on none of them.
    fn leaves_out(&self, reader: &str, kinds: &[FileKind]);
}

//! What was found, made small.

use super::cluster::{Cluster, Kind};
use super::{HuntError, Store, said_of};
use crate::byte_map;
use crate::feed::Feed;
use crate::outcome::Outcome;
use crate::shrink::{Effort, shrink_together};
use crate::signature::Signature;
use torchproof::annotate::ByteMap;

/// Shrinks every cluster that was not shrunk.
pub(super) fn all(effort: Effort, store: &mut Store, feeds: &mut [Feed]) -> Result<(), HuntError> {
    for cluster in store.unshrunk() {
        let files = store.files(&cluster)?;
        let shrunk = shrink_together(&files, effort, &mut |files| is_of(&cluster, files, feeds));
        let annotated = |bytes: &Vec<u8>| byte_map::render(bytes, &ByteMap::of(bytes), &[], byte_map::Shown::All);
        let annotated: Vec<String> = shrunk.iter().map(annotated).collect();
        store.put_shrunk(&cluster.key, &shrunk, &annotated.join("\n"))?;
    }
    Ok(())
}

/// Whether a file, or a pair, is a finding of the cluster, but for the family, which no file tells.
fn is_of(cluster: &Cluster, files: &[&[u8]], feeds: &mut [Feed]) -> bool {
    let key = &cluster.key;
    let said = said_of(files);
    let rule = || said.must.map(|rule| rule.id) == key.rule.as_deref();
    let roles = cluster.roles();
    let put = |feed: &mut Feed| feed.put_together(roles.iter().map(|(role, _)| *role).zip(files.iter().copied()));
    let same = |name: &str, feeds: &mut [Feed]| {
        let feed = feeds.iter_mut().find(|feed| feed.hello().name == name);
        feed.is_some_and(|feed| Signature::of(&put(feed)) == key.signature)
    };
    match key.kind {
        Kind::Crash | Kind::Hang | Kind::Resource | Kind::AdapterError => same(&key.reader, feeds),
        Kind::AcceptsInvalid => rule() && same(&key.reader, feeds),
        Kind::RejectsValid => said.must.is_none() && !said.warned && !said.incomplete && same(&key.reader, feeds),
        Kind::Disagrees => {
            let Some((rejecting, accepting)) = key.reader.split_once(" and ") else { return false };
            let accepts = |feed: &mut Feed| matches!(put(feed), Outcome::Accept { .. });
            rule()
                && same(rejecting, feeds)
                && feeds.iter_mut().find(|feed| feed.hello().name == accepting).is_some_and(accepts)
        }
    }
}
